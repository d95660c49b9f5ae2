"""Names behind a module's: torch's and SciPy's functions that differ from the ones without it."""

import numpy as np
import torch
import torch.nn.functional as F
from composites.elementwise import by
from composites.random import dropped, kept, rand, randint, randn
from composites.table import normal, uniform
from composites.table import special as specials
from scipy import special
from scipy import stats as st


def as_torch_says(t):
    """dim=, keepdim= and unbiased= are PyTorch's; so is what has no axis."""
    x = {"x": normal(5, 6)}
    for call in ("var(dim=0)", "std(dim=1, keepdim=True)", "var(unbiased=False)",
                 "std(dim=(0, 1), unbiased=True)", "max(dim=0)", "min(dim=1, keepdim=True)",
                 "norm(dim=0)", "argmax(dim=1)"):
        t.add(f"x.{call}", lambda x, c=call: eval(f"x.{c}", {"x": x}), **x)
    t.add("x.var(axis=0), x.std(keepdims=True)",
          lambda x: (x.var(0, correction=0), x.std((0, 1), correction=0, keepdim=True)), **x)
    t.add("torch.max(x, other=y), torch.min(x, other=y)",
          lambda x, y: (torch.max(x, y), torch.min(x, y)), "ulp 0", x=normal(5), y=normal(5))
    for call in ("sum(x, 0)", "mean(x, dim=-1)", "prod(x, 0, True)", "amax(x, [-1])",
                 "argmax(x, 0)", "var(x, 0, False)", "logsumexp(x, 0)", "max(x, 0)",
                 "min(x, dim=-1, keepdim=True)", "softmax(x, 0)", "log_softmax(x, -1)",
                 "norm(x, 1, 0)", "count_nonzero(x, -1)", "aminmax(x, dim=0)"):
        t.add("torch." + call, lambda x, c=call: eval("torch." + c, {"torch": torch, "x": x}),
              x=normal())
    t.add("x.norm(2, 1, dtype=x.dtype), F.softmax(x, 0, _stacklevel=3)[0, :5]",
          lambda x: (x.norm(2, 1), x.softmax(0)[0, :5]), **x)
    t.add("torch.select_scatter(x, src=x[0], dim=0, index=1), torch.tensor_split(x, indices=(2,))[0]",
          lambda x: (torch.select_scatter(x, x[0], 0, 1), x[:2]), "ulp 0", **x)
    t.add("F.softmax(x), F.softmin(x, 0), x.sum(dim=0), x.max(dim=0).indices",
          lambda x: (x - x + 1, x - x + 1, x, torch.tensor(0)), x=normal())


def rows(t):
    as_torch_says(t)
    x = {"x": normal(5, 38)}
    for name in ("var", "std"):
        f = getattr(torch, name)
        t.full(f"torch.{name}(x)", f, **x)
        t.row(f"torch.{name}(x, dim=1, keepdim=True)",
              lambda x, f=f: f(x, dim=1, keepdim=True), **x)
        t.row(f"torch.{name}(x, 1, correction=0)", lambda x, f=f: f(x, 1, correction=0), **x)
        t.row(f"np.{name}(x, axis=-1)", lambda x, f=f: f(x, -1, correction=0), **x)
    t.row("torch.max(x, 1)", lambda x: tuple(torch.max(x, 1)), **x)
    t.row("torch.max(x, 1).values - x.min(1).values, x.min(dim=1).indices",
          lambda x: (x.amax(1) - x.amin(1), x.argmin(1)), **x)
    t.row("torch.min(x, dim=-1, keepdim=True)", lambda x: tuple(torch.min(x, -1, True)), **x)
    t.pointwise("torch.sign(x), x.sgn(), torch.sgn(x) * x.sign()",
                lambda x: (torch.sign(x), torch.sgn(x), torch.sign(x) ** 2), "ulp 0", x=specials())
    t.pointwise("np.sign(x)", lambda x: np.sign(x.numpy()), "ulp 0", x=specials())
    t.pointwise("torch.heaviside(x, y), y.heaviside(x)",
                lambda x, y: (torch.heaviside(x, y), torch.heaviside(y, x)), "ulp 0",
                x=specials(), y=uniform(-1, 1, 52))
    t.full("torch.max(x), torch.min(x)", lambda x: (x.max(), x.min()), **x)
    t.pointwise("torch.max(x, y) - torch.min(x, y)", lambda x, y: torch.max(x, y) - torch.min(x, y),
                **x, y=normal(5, 38))
    t.row("torch.norm(x, 1, 1)", lambda x: torch.norm(x, 1, 1), **x)
    t.full("torch.norm(x)", torch.norm, **x)
    t.row("np.linalg.norm(x, axis=1)", lambda x: x.norm(dim=1), **x)
    t.row("torch.nn.functional.rms_norm(x, [38], w, 1e-3)",
          lambda x, w: F.rms_norm(x, (38,), w, 1e-3), **x, w=normal(38))
    t.pointwise("F.pad(x, (1, 2))", lambda x: F.pad(x, (1, 2)), "ulp 0", **x)
    t.pointwise("torch.nn.functional.pad(x, (1, 2, 0, 1), 'constant', 3.5)",
                lambda x: F.pad(x, (1, 2, 0, 1), "constant", 3.5), "ulp 0", **x)
    t.pointwise("np.pad(x, (1, 2))", lambda x: np.pad(x, (1, 2)), "ulp 0", **x)
    t.pointwise("a, b = torch.split(x, (30, 8), dim=1); a[:, :8] - b",
                lambda x: x[:, :8] - x[:, 30:], "ulp 0.5", **x)
    t.pointwise("F.dropout(x, 0.5, True, seed=3)",
                lambda x: dropped(x, kept((5, 38), 0.5, 3, 0), 0.5), "ulp 1.5", **x)
    t.pointwise("F.dropout(x, 0.5, training=False), F.alpha_dropout(x) * 2",
                lambda x: (x, x * 2), "ulp 0", **x)
    t.add("torch.logspace(0, 2, 5, 2.0)", lambda: torch.logspace(0, 2, 5, 2.0).double(), "ulp 6")
    t.add("special.softmax(x)", lambda x: special.softmax(x.numpy()), kernels=2, **x)
    t.add("scipy.special.log_softmax(x)", lambda x: special.log_softmax(x.numpy()), kernels=2, **x)
    t.row("scipy.special.log_softmax(x, axis=1)",
          lambda x: special.log_softmax(x.numpy(), axis=1), **x)
    t.full("scipy.special.logsumexp(x)", lambda x: special.logsumexp(x.numpy()), **x)
    t.pointwise("torch.relu(x) * np.pi + jnp.exp(-math.e * torch.nn.functional.relu6(x))",
                lambda x: F.relu(x) * np.pi + torch.exp(-np.e * F.relu6(x)), "rel 1e-6", **x)
    t.row("x.to(torch.float64).sum(1).to(torch.float)", lambda x: x.sum(1), "ulp 1", **x)
    y = {"y": normal(5, 38)}
    t.pointwise("torch.add(x, y, alpha=2) - torch.sub(x, y)", lambda x, y: x + 2 * y - (x - y),
                "abs 2e-6", **x, **y)
    t.pointwise("torch.add(x, u, alpha=3), x.sub(u, alpha=2), u.add(x, alpha=0.5), torch.rsub(u, x, alpha=3)",
                lambda x, u: (x + 3.0 * u, x - 2.0 * u, u + 0.5 * x, x - 3.0 * u), "abs 1e-4",
                x=normal(5, 6), u=np.uint8(np.arange(5, 305, 10).reshape(5, 6) % 256))
    t.pointwise("torch.addcmul(x, u, u, value=2)", lambda x, u: x + 2.0 * u * u, "rel 1e-6",
                x=normal(5, 6), u=np.uint8(np.arange(5, 305, 10).reshape(5, 6) % 256))
    t.pointwise("torch.subtract(x, y, alpha=3)", lambda x, y: x - 3 * y, "abs 2e-6", **x, **y)
    t.pointwise("torch.div(x, y, rounding_mode='floor') + torch.divide(x, y, rounding_mode='trunc')",
                lambda x, y: torch.floor(x / y) + torch.trunc(x / y), "ulp 1", **x, **y)
    t.pointwise("torch.round(x, decimals=2), np.round(x, 1), np.around(x, -1)",
                lambda x: (x.round(decimals=2), x.round(decimals=1), x.round(decimals=-1)),
                "rel 1e-6 abs 1e-7", **x)
    for call in ("var(x, False)", "std(x, True)", "var(x, dim=None, correction=None)",
                 "std(x, 0, correction=None)", "var_mean(x, False)", "std_mean(x, True)",
                 "std_mean(x, dim=None, correction=None)",
                 "linalg.diagonal(x, offset=1, dim1=1, dim2=0)", "max(x, x[0, 1])", "min(x[0, 0], x[0, 1])"):
        t.add("torch." + call, lambda x, c=call: eval("torch." + c, {"torch": torch, "x": x}), **x)
    t.add("torch.linalg.vander(x), torch.linalg.vander(x, N=3)",
          lambda x: (torch.linalg.vander(x), torch.linalg.vander(x, N=3)), "ulp 4", x=normal(5))
    t.add("torch.gradient(x, spacing=None, dim=1)", lambda x: torch.gradient(x, dim=1)[0],
          "abs 1e-6", x=normal(4, 6))
    t.add("torch.take_along_dim(x, i, dim=1), torch.take_along_dim(x, i)",
          lambda x, i: (x.take_along_dim(i, 1), x.take(i).flatten()), "ulp 0", **x,
          i=np.int64([[0, 3], [1, 37], [5, 5], [9, 2], [36, 0]]))
    t.pointwise("special.kl_div(x, y)", lambda x, y: special.kl_div(x.numpy(), y.numpy()),
                "rel 1e-5 abs 1e-6", x=uniform(0.1, 2, 30), y=uniform(0.1, 2, 30))
    t.pointwise("special.round(x * 3)", lambda x: torch.round(x * 3), "ulp 0", x=normal(30))
    two = {"x": normal(5, 9), "y": normal(5, 9)}
    t.add("x.add(y, alpha=2), x.sub(y, alpha=0.5), x.div(y, rounding_mode='floor')",
          lambda x, y: (x.add(y, alpha=2), x.sub(y, alpha=0.5), x.div(y, rounding_mode="floor")),
          "ulp 1", **two)
    t.add("torch.equal(x, y), x.equal(x)", lambda x, y: (np.array(False), np.array(True)), **two)
    t.add("x.tile(2, 1), outer(x, y)",
          lambda x, y: (x.tile(2, 1), torch.outer(x.ravel(), y.ravel())), "ulp 0.5", **two)
    t.add("torch.squeeze(x[:, :1]) * x.size(0), x[:1].squeeze() * len(x.size())",
          lambda x: (x[:, 0] * 5, x[0] * 2), "ulp 0", x=normal(5, 9))
    t.add("sum(x > 0, 1, dtype=int32), cast(x.sum(dtype=float64), x.dtype), "
          "cast(mean(x, 0, dtype=float64), x.dtype)",
          lambda x: ((x > 0).sum(1).to(torch.int32), x.sum(), x.mean(0)), "rel 1e-5 abs 1e-5",
          x=normal(5, 9))
    t.add("np.linalg.norm(x, 1), torch.linalg.norm(x, -inf), np.linalg.norm(x), "
          "np.linalg.norm(x, 'fro')",
          lambda x: tuple(torch.linalg.norm(x, o) for o in (1, float("-inf"), None, "fro")),
          "rel 3e-6", x=normal(5, 9))
    inf = float("inf")
    for order in ("None", "'fro'", "1", "-1", "inf", "-inf"):
        value = eval(order, {"inf": inf})
        for text, options in ((f"x, {order}, (1, 2)", {"dim": (1, 2)}),
                              (f"x, {order}, dim=(-1, 0), keepdim=True",
                               {"dim": (-1, 0), "keepdim": True})):
            t.add(f"torch.linalg.norm({text})",
                  lambda x, v=value, o=options: torch.linalg.norm(x, v, **o), "rel 3e-6",
                  x=normal(3, 4, 5))
    t.add("np.linalg.norm(x, 1, axis=(0, 2)), np.linalg.norm(x, axis=(1, 2)), "
          "np.linalg.norm(x, inf, 1, keepdims=True), torch.linalg.vector_norm(x, 1, (1, 2))",
          lambda x: (np.linalg.norm(x, 1, (0, 2)), np.linalg.norm(x, axis=(1, 2)),
                     np.linalg.norm(x, inf, 1, True), torch.linalg.vector_norm(x, 1, (1, 2))),
          "rel 3e-6", x=normal(3, 4, 5))
    t.add("torch.linalg.norm(x, 1)", lambda x: torch.linalg.norm(x, 1), "rel 3e-6", x=normal(7))
    for shape in ((9,), (3, 4), (2, 3, 4), (2, 3, 2, 2)):
        t.add("F.softmax(x), F.log_softmax(x), F.softmin(x)",
              lambda x: tuple(f(x, dim=0 if x.ndim in (0, 1, 3) else 1)
                              for f in (F.softmax, F.log_softmax, F.softmin)), x=normal(*shape))
    t.add("F.softmax(x, 0), torch.log_softmax(x, dim=-1), F.softmin(x, -1, dtype=x.dtype)",
          lambda x: (F.softmax(x, 0), F.log_softmax(x, -1), F.softmin(x, -1)), x=normal(3, 4))
    rows_of = {"p": uniform(0.1, 2, 4, 5), "q": uniform(0.1, 2, 4, 5)}
    t.add("scipy.stats.entropy(p), stats.entropy(p, q), stats.entropy(p, base=2, axis=1), "
          "scipy.stats.entropy(p, q, 10, -1), stats.entropy(p[:, :1], qk=q)",
          lambda p, q: (st.entropy(p), st.entropy(p, q), st.entropy(p, base=2, axis=1),
                        st.entropy(p, q, 10, -1), st.entropy(p[:, :1], q)), "rel 1e-5 abs 1e-6",
          **rows_of)
    t.add("a, b = torch.gradient(x, spacing=2); torch.gradient(x, dim=1)[0], a, b",
          lambda x: (torch.gradient(x, dim=1)[0], *torch.gradient(x, spacing=2)),
          "rel 2e-6 abs 1e-6", x=normal(5, 4))
    t.add("torch.gradient(x, spacing=(2, 0.5), dim=(2, 0), edge_order=2)",
          lambda x: torch.gradient(x, spacing=(2, 0.5), dim=(2, 0), edge_order=2),
          "rel 2e-6 abs 1e-6", x=normal(5, 2, 4))
    t.add("torch.gradient(x)[0]", lambda x: torch.gradient(x)[0], "rel 2e-6 abs 1e-6", x=normal(6))
    for dtype in (np.int32, np.uint8, np.int64):
        kinds = np.iinfo(dtype)
        t.pointwise("torch.div(x, y, rounding_mode='trunc'), x.div(3, rounding_mode='trunc')",
                    lambda x, y: (torch.div(x, y, rounding_mode="trunc"),
                                  x.div(3, rounding_mode="trunc")),
                    x=np.array([7, 9, kinds.max, kinds.max - 1, kinds.min, 5], dtype),
                    y=np.array([2, 10, 3, kinds.max, 7, 5], dtype))
    t.pointwise("torch.div(x, y, rounding_mode='trunc')",
                lambda x, y: torch.div(x, y, rounding_mode="trunc"),
                x=np.int64([-7, 7, -7, 2**62 + 1, -(2**62) - 1, -(2**63)]),
                y=np.int64([2, -2, -2, 3, 3, 5]))
    t.add("torch.heaviside(x, y)", torch.heaviside, x=np.int32([-1, 0, 2]), y=np.int32([5, 6, 7]))
    t.pointwise("torch.bernoulli(x, seed=3), x.bernoulli(seed=3)",
                lambda x: ((rand((3, 9), 3) < x.numpy()).astype(np.float64),) * 2, "ulp 0",
                x=uniform(0, 1, 3, 9))
    t.pointwise("torch.bernoulli(x, 0.25, 3, 1), x.bernoulli(p, seed=3, dtype=int8)",
                lambda x, p: ((rand((3, 9), 3, 1) < 0.25).astype(np.float64),
                              (rand((3, 9), 3) < p.numpy()).astype(np.int8)), "ulp 0",
                x=normal(3, 9), p=uniform(0, 1, 9))
    t.add("torch.bernoulli((3, 9), seed=3)",
          lambda: (rand((3, 9), 3) < 0.5).astype(np.float64), "ulp 0")
    noise = randn((3, 9), 3, 1)
    t.pointwise("torch.normal(x, s, seed=3, stream=1, dtype=float32)",
                lambda x, s: x + s * torch.tensor(noise), "rel 1e-5 abs 2e-6 wide 1",
                x=normal(3, 9), s=uniform(0, 2, 3, 1))
    t.pointwise("torch.normal(x, seed=3, stream=1, dtype=float32) + "
                "torch.normal(mean=0.5, std=x, seed=3, stream=1, dtype=float32)",
                lambda x: x + torch.tensor(noise) + 0.5 + x * torch.tensor(noise),
                "rel 1e-5 abs 4e-6 wide 1", x=uniform(1, 2, 3, 9))
    t.add("torch.normal(0.5, 2.0, (3, 9), seed=3, stream=1), "
          "torch.normal(0.5, 2.0, size=(3, 9), seed=3, stream=1)",
          lambda: (2 * noise + 0.5,) * 2, "rel 1e-6 abs 4e-6")
    five = randint(0, 5, (3, 9), 3, 0)
    t.add("torch.randint(5, (3, 9), seed=3), torch.randint(5, size=(3, 9), seed=3), "
          "torch.randint(high=5, size=(3, 9), seed=3, dtype=int8), torch.randint(2, 7, (3, 9), 3)",
          lambda: (five, five, five.astype(np.int8), five + 2))
    t.add("np.roll(x, (1, 2), 1), np.roll(x, (1, -4)), np.roll(x, (3, 2), (0, 1))",
          lambda x: tuple(np.roll(x.numpy(), *a)
                          for a in (((1, 2), 1), ((1, -4),), ((3, 2), (0, 1)))),
          "ulp 0", x=normal(4, 5))
    t.add("x.where(x > y, y), x.where(y > 0, 0.5), where(x > y, x, y)",
          lambda x, y: (x.where(x > y, y), x.where(y > 0, 0.5), torch.maximum(x, y)), "ulp 0", **two)
    t.add("x.take_along_dim(i, 1), x.int(), x.new_zeros(2, 3) + 1, x.new_ones((4,), dtype=int8), "
          "x.new_full((2, 2), 7), x.new_empty(3) * 0",
          lambda x, i: (x.take_along_dim(i, 1), x.int(), x.new_ones(2, 3),
                        x.new_ones(4, dtype=torch.int8), x.new_full((2, 2), 7), x.new_zeros(3)),
          "ulp 0", x=normal(3, 5, scale=9), i=np.int64([[1], [4], [0]]))
    t.add("x.polygamma(1), x.polygamma(2)", lambda x: (special.polygamma(1, x.numpy()), special.polygamma(2, x.numpy())),
          "rel 2e-5", x=uniform(0.2, 5, 20))
    t.add("F.feature_alpha_dropout(x) * 2, F.dropout2d(x, 0.5, False) * 2, F.dropout1d(x, 0.0), "
          "F.dropout3d(x, training=False) * 2",
          lambda x: (x * 2, x * 2, x, x * 2), "ulp 0", x=normal(2, 3, 4))
    t.pointwise("np.select([x > 1, x > 0, y > 0], [x, -y, 2], 0.5)",
                lambda x, y: np.select([x.numpy() > 1, x.numpy() > 0, y.numpy() > 0],
                                       [x.numpy(), -y.numpy(), 2], 0.5), "ulp 0", **two)
    t.pointwise("np.select((x > y,), (x,))", lambda x, y: torch.where(x > y, x, 0), "ulp 0", **two)
    t.add("torch.diagonal(x), np.diagonal(x, 1, 0, 2), x.diagonal(-1, dim1=-1, dim2=1), "
          "torch.linalg.diagonal(x)",
          lambda x: (x.diagonal(), x.diagonal(1, 0, 2), x.diagonal(-1, -1, 1),
                     x.diagonal(0, -2, -1)), "ulp 0", x=normal(3, 4, 5))
    t.add("x.diagonal(axis1=2, axis2=0), x.trace(1, axis1=0, axis2=2)",
          lambda x: (x.diagonal(0, 2, 0), x.diagonal(1, 0, 2).sum(-1)), "ulp 4",
          x=normal(3, 4, 5))
    t.add("np.trace(x), x.trace(1, 2, 0), trace(x)",
          lambda x: (x.diagonal().sum(-1), x.diagonal(1, 2, 0).sum(-1),
                     x.diagonal(0, -2, -1).sum(-1)), "rel 1e-6 abs 1e-6", x=normal(3, 4, 5))
    t.add("append(x, y), append(x, y, axis=1), atleast_3d(x), atleast_3d(x[0])",
          lambda x, y: (np.append(x, y), np.append(x, y, 1), np.atleast_3d(x), np.atleast_3d(x[0])),
          "ulp 0", **two)
    t.add("average(x, 0, w), average(x, 1, v)",
          lambda x, w, v: (np.average(x, 0, w), np.average(x, 1, v)), "rel 1e-5", x=normal(5, 5),
          w=uniform(0.1, 1, 5), v=uniform(0.1, 1, 5))
    for text in ("round(x, 2)", "np.round(x, 1)", "round(x * 100, decimals=-1)", "x.round(1)"):
        t.add(f"{text} * 2", lambda x, text=text: 2 * eval(text, {"np": np, "x": x.numpy(),
                                                                 "round": np.round}),
              "ulp 2 abs 1e-6", x=normal(5, 7))
    t.pointwise("round(k, -1), np.round(k, 1), k.round(-2)",
                lambda k: tuple(np.round(k.numpy(), d) for d in (-1, 1, -2)),
                k=np.array([5, 15, 25, -15, 149, 151, -50, 1234567]))
    t.add("x.unfold(2, 3, 1), x.unfold(-1, 2, 3), x.unfold(0, size=2, step=2)",
          lambda x: (x.unfold(2, 3, 1), x.unfold(-1, 2, 3), x.unfold(0, 2, 2)), "ulp 0",
          x=normal(2, 3, 5, 6))
    t.row("x.unfold(0, 3, 1).mean(-1)", lambda x: x.unfold(0, 3, 1).mean(-1), x=normal(9))
    t.add("torch.linalg.matrix_norm(x), linalg.matrix_norm(x, 1), "
          "torch.linalg.matrix_norm(x, -inf, dim=(0, 2), keepdim=True)",
          lambda x: (torch.linalg.matrix_norm(x), torch.linalg.matrix_norm(x, 1),
                     torch.linalg.matrix_norm(x, -inf, (0, 2), True)), "rel 3e-6",
          x=normal(3, 4, 5))
    t.add("torch.norm(x, dtype=float32), torch.norm(x, 1, 0, True, dtype=float32), "
          "torch.linalg.vector_norm(x, 3, 1, dtype=float32), torch.linalg.norm(x, 1, dtype=float32)",
          lambda x: tuple(y.float().numpy() for y in (
              x.norm(), x.norm(1, 0, True), torch.linalg.vector_norm(x, 3, 1),
              torch.linalg.norm(x, 1))), "rel 3e-6 wide 1", x=normal(4, 5))
    t.add("torch.linalg.vecdot(x=x, y=y, dim=0), torch.linalg.diagonal(A=x), "
          "torch.lerp(input=x, end=y, weight=0.2)",
          lambda x, y: (torch.linalg.vecdot(x, y, dim=0), x.diagonal(), x.lerp(y, 0.2)),
          "rel 3e-6 abs 1e-6", **two)
    t.add("torch.ldexp(input=x, other=i), torch.special.zeta(input=abs(x) + 2, other=abs(x) + 1)",
          lambda x, i: (torch.ldexp(x, i), torch.special.zeta(x.abs() + 2, x.abs() + 1)),
          "rel 4e-6", x=normal(6), i=np.int32([0, 1, -2, 5, 3, -9]))
    t.add("torch.hann_window(window_length=5)", lambda: torch.hann_window(5).double(),
          "ulp 6 abs 1e-7")
    places = {"b": np.float32([-1, 0, 0.5, 2]), "x": np.float32([[-2, 0, 0.6], [0.5, 2, 3]])}
    t.add("torch.bucketize(x, b, out_int32=True), torch.bucketize(x, b, right=True)",
          lambda b, x: (torch.bucketize(x, b, out_int32=True), torch.bucketize(x, b, right=True)),
          **places)
    t.add("torch.searchsorted(sorted_sequence=b, input=x, side='right'), "
          "torch.searchsorted(b, x, out_int32=True), "
          "torch.searchsorted(b[::-1], x, right=True, sorter=arange(len(b))[::-1])",
          lambda b, x: (torch.searchsorted(b, x, side="right"),
                        torch.searchsorted(b, x, out_int32=True),
                        torch.searchsorted(b, x, right=True)), **places)
    t.add("torch.isin(elements=i, test_elements=j, invert=True), "
          "torch.isin(i, j, assume_unique=True), torch.isin(i, 3)",
          lambda i, j: (torch.isin(i, j, invert=True), torch.isin(i, j), i == 3),
          i=np.int32([1, 2, 3, -4]), j=np.int32([3, 5, 1]))
    t.add("F.gumbel_softmax(x, 1, True, 1e-10, 0).sum(0), "
          "F.gumbel_softmax(x, tau=0.5, dim=1, seed=3).sum(1)",
          lambda x: (x[0] * 0 + 1, x[:, 0] * 0 + 1), "rel 1e-6", x=normal(4, 5))
    t.add("torch.cdist(x, y, 2.0, 'donot_use_mm_for_euclid_dist')",
          lambda x, y: torch.cdist(x, y, 2.0, "donot_use_mm_for_euclid_dist"), "rel 3e-6", **two)
    t.add("torch.rand_like(cast(x, float16), seed=3).dtype == float16, "
          "torch.randn_like(cast(x, bfloat16)).dtype == bfloat16, "
          "torch.rand_like(x, dtype=float64).dtype == float64, "
          "torch.randint_like(cast(x, int8), 2, 3), torch.randint_like(x > 0, high=1)",
          lambda x: (*(np.array(True),) * 3, np.full((4, 5), 2, np.int8), np.zeros((4, 5), bool)),
          x=normal(4, 5))
    t.add("torch.cross(x, y), x[:, 0].cross(y[:, 1], dim=1), torch.cross(x[0, 0], y[0, 0])",
          lambda x, y: (torch.linalg.cross(x, y), torch.linalg.cross(x[:, 0], y[:, 1]),
                        torch.linalg.cross(x[0, 0], y[0, 0])), "rel 1e-6 abs 1e-6",
          x=normal(4, 2, 3), y=normal(4, 2, 3))
    square = {"x": normal(3, 3), "y": normal(3, 3)}
    for text in ("np.cross(x, y, 0)", "np.cross(x, y, 0, 1, 0)", "np.cross(x, y, axis=0)"):
        t.add(text, by(lambda x, y, text=text: eval(text, {"np": np, "x": x, "y": y})),
              "rel 1e-6 abs 1e-6", **square)
    unsorted = {"a": np.float32([3, 1, 2, 5]), "v": np.float32([0, 1, 2.5, 9]),
                "s": np.array([1, 2, 0, 3])}
    for text in ("np.searchsorted(a, v, 'left', s)", "a.searchsorted(v, 'right', s)",
                 "np.searchsorted(a=a, v=v, sorter=s)"):
        t.add(text, by(lambda a, v, s, text=text: eval(text, {"np": np, "a": a, "v": v, "s": s})),
              **unsorted)
    t.add("np.byte(i), np.arctan2(y=i, x=j)",
          by(lambda i, j: (i.astype(np.int8), np.arctan2(np.float32(i), np.float32(j)))), "ulp 4",
          i=np.int32([3, -1, 2]), j=np.int32([1, 2, -3]))
    t.add("torch.frobenius_norm(x, 1), torch.frobenius_norm(x, dim=(0, 1), keepdim=True)",
          lambda x: (torch.norm(x, dim=1), torch.norm(x, dim=(0, 1), keepdim=True)), "rel 3e-6",
          x=normal(4, 5))
    i = {"i": np.array([0, 1, 2, 5])}
    t.add("np.unravel_index(i, (2, 3), order='F')",
          by(lambda i: np.unravel_index(i, (2, 3), "F")), **i)
    for text in ("(i - 9, i + 2), (6, 7), mode='clip'", "(i - 9, i), (3, 4), 'wrap', 'F'",
                 "([1, 2], [3, 4]), (3, 6)", "(i - 9, i), dims=(3, 4), mode=('wrap', 'clip')"):
        t.add(f"np.ravel_multi_index({text})", by(
            lambda i, c=text: eval(f"np.ravel_multi_index({c})", {"np": np, "i": i})), **i)
    t.add("np.unravel_index([0, 5, 7], (2, 4))", lambda: np.unravel_index([0, 5, 7], (2, 4)))
    t.add("np.ravel_multi_index((i, i), (6, 7), order='F')",
          by(lambda i: np.ravel_multi_index((i, i), (6, 7), order="F")), **i)
    t.add("np.geomspace(1, 1000, 4, dtype=int), np.geomspace(-1, -8, 4, dtype=np.int64)",
          by(lambda: (np.array([1, 10, 100, 1000]), np.array([-1, -2, -4, -8]))))
    t.add("np.geomspace(x, 8, 3)", by(lambda x: np.geomspace(x, 8, 3)), "rel 2e-6 wide 1",
          x=np.float32([3, 1, 2]))
    t.add("np.std(x, 0, np.float64).astype(np.float32), np.std(x, 0, np.float64).dtype == np.float64",
          by(lambda x: (np.std(x, 0, np.float64), np.array(True))), "rel 1e-6", x=normal(4, 5))
    t.add("np.reciprocal(x, out=y, where=y > 0)",
          by(lambda x, y: np.reciprocal(x, out=y.copy(), where=y > 0)), "ulp 1", **square)
    one = {"x": np.float32(2.5), "i": np.array(0), "k": np.array([0, 0])}
    t.add("torch.cumsum(x, 0), torch.cumprod(x, dim=-1), x.cumsum(dim=0), torch.cummax(x, 0)[1]",
          lambda x: (x, x, x, np.array(0)), "ulp 1", x=one["x"])
    t.add("torch.cummin(x, 0)[0], torch.logcumsumexp(x, 0), F.normalize(x, dim=0)",
          lambda x: (x, x, x / x), "ulp 1", x=one["x"])
    t.add("torch.gather(x, 0, i), torch.gather(x, 0, k), torch.index_select(x, 0, k[:1])",
          lambda x, i, k: (x.gather(0, i), x.gather(0, k), x.index_select(0, k[:1])), **one)
    t.add("np.atleast_1d([1, 2]), np.atleast_2d([1, 2]), np.atleast_3d([[1, 2]]), "
          "np.ediff1d(k, to_end=[1, 2])",
          by(lambda k: (np.array([1, 2]), np.array([[1, 2]]), np.array([[[1], [2]]]),
                        np.ediff1d(k, to_end=[1, 2]))), k=one["k"])
    for text in ("cov(x, bias=True)", "cov(x, y)", "cov(x, rowvar=False)", "cov(x[0], y[1], ddof=0)",
                 "cov(x, fweights=[1, 2, 4])", "cov(x, aweights=y[0] * y[0])",
                 "cov(x[0], y[1], fweights=[1, 2, 4], aweights=[1, 2, 0.5])",
                 "cov(x, fweights=[1, 2, 4], aweights=x[1] * x[1], ddof=0)",
                 "cov(x, bias=True, aweights=[1, 2, 3.5])", "cov([1, 2, 4], [3, 1, 2])",
                 "cov(x[:1])", "corrcoef(x[:1])", "cov(x[:, :1])", "cov(x, ddof=4)",
                 "cov(x, aweights=[1, 2, 1], ddof=9)", "cov(x[:, :1], rowvar=False)",
                 "corrcoef(x, y)", "corrcoef(x, rowvar=False)", "piecewise(x, [x < 0, x > 1], [-1, 2])",
                 "piecewise(x, [x < 0, x < 0.5], [-1, 2, 7])"):
        t.add(f"np.{text}", by(lambda x, y, c=text: eval(f"np.{c}", {"np": np, "x": x, "y": y})),
              x=square["x"], y=square["y"])
    t.add("np.piecewise(x, [x < 0, x > 1], [0.1, 0.3, 0.7]), np.angle(x)",
          by(lambda x: (np.piecewise(x, [x < 0, x > 1], [0.1, 0.3, 0.7]), np.angle(x))), "ulp 1",
          x=normal(5))
    t.add("np.bool_(i)", by(lambda i: i != 0), i=np.array([0, 2, -1]))
    same = {
        "np.random.normal(2.0, 3.0, (2, 3)) - normal((2, 3), 2.0, 3.0)": (2, 3),
        "np.random.normal(loc=1, scale=2, size=4, seed=3) - normal(4, 1, 2, 3)": (4,),
        "np.random.uniform(-1, 1, size=5) - uniform(5, -1, 1), np.random.rand(5) - rand(5)": (5,),
        "np.random.random((5,)) - rand(5), np.random.standard_normal(5) - randn(5)": (5,),
        "np.random.exponential(2.0, 5) - exponential(5, 2.0), np.random.randn(5) - randn(5)": (5,),
        "np.random.uniform() - uniform(())": (),
    }
    for text, shape in same.items():
        t.add(text, lambda n=shape, c=text: (np.zeros(n),) * c.count(" - "), "ulp 0")
    t.add("np.random.randint(5, size=7) - randint(0, 5, 7), np.random.randint(-2, 3, (7,)) - "
          "randint(-2, 3, 7)", lambda: (np.zeros(7, np.int64),) * 2)
