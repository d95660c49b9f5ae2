"""What writes at indices: PyTorch and NumPy."""

import numpy as np
import torch
from composites.elementwise import by
from composites.table import bools, integers, normal


def changed(function):
    """NumPy's function that changes its first argument, which is given here."""

    def call(x, *rest):
        a = x.numpy().copy()
        function(a, *[r.numpy() for r in rest])
        return a

    return call


def rows(t):
    exact = "ulp 0"
    five = {"x": normal(4, 5, 3), "i": integers(0, 5, 6), "s": normal(4, 6, 3)}
    t.add("index_add(x, 1, i, s)", lambda x, i, s: x.index_add(1, i, s), **five)
    t.add("torch.index_add(x, -2, i, source=s, alpha=0.5), x.index_add(dim=1, index=i, source=s)",
          lambda x, i, s: (x.index_add(1, i, s, alpha=0.5), x.index_add(1, i, s)), **five)
    t.add("index_add(x, 0, [2, -1, 2], s)", lambda x, s: x.index_add(0, torch.tensor([2, 3, 2]), s),
          x=integers(-9, 9, 4, 2, dtype="int8"), s=integers(-9, 9, 3, 2, dtype="int8"))
    apart = {**five, "i": integers(0, 5, 1)}
    t.add("index_copy(x, 1, i, s[:, :1])", lambda x, i, s: x.index_copy(1, i, s[:, :1]), exact,
          **apart)
    t.add("torch.index_copy(x, dim=0, index=arange(3)[::-1] - 3, source=s)",
          lambda x, s: torch.cat([x[:1], s.flip(0)]), exact, x=normal(4, 2), s=normal(3, 2))
    t.add("index_fill(x, 1, i, 7), x.index_fill(0, index=i % 4, value=-1.5)",
          lambda x, i: (x.index_fill(1, i, 7), x.index_fill(0, i % 4, -1.5)), exact,
          x=normal(4, 5, 3), i=integers(0, 5, 3))
    for reduce in ("prod", "mean", "amax", "amin"):
        for own in (True, False):
            t.add(f"index_reduce(x, 1, i, s, '{reduce}', include_self={own})",
                  lambda x, i, s, r=reduce, o=own: x.index_reduce(1, i, s, r, include_self=o),
                  **five)

    same = {"x": normal(3, 5, 2), "i": integers(0, 5, 3, 4, 2), "s": normal(3, 6, 4)}
    t.add("scatter_add(x, 1, i, s)", lambda x, i, s: x.scatter_add(1, i, s), **same)
    t.add("torch.scatter_add(x, dim=0, index=i, src=s)",
          lambda x, i, s: x.scatter_add(0, i, s), x=normal(4, 5), i=integers(0, 4, 3, 2),
          s=normal(4, 2))
    t.add("x.scatter_add(0, i, s)", lambda x, i, s: x.scatter_add(0, i, s), x=normal(4),
          i=integers(0, 4, 9), s=normal(9))
    places = np.argsort(np.random.default_rng(5).random((3, 5)), -1)[:, :4]
    once = {"x": normal(3, 5), "i": places, "s": normal(3, 5)}
    t.add("scatter(x, 1, i, s), torch.scatter(x, -1, i, 2), x.scatter(1, i, value=-3)",
          lambda x, i, s: (x.scatter(1, i, s), x.scatter(1, i, 2), x.scatter(1, i, -3)), exact,
          **once)
    t.add("scatter(x, 1, i[:2], src=s)", lambda x, i, s: x.scatter(1, i[:2], s), exact, **once)
    t.add("scatter(x, 1, i, s, reduce='add'), torch.scatter(x, 1, i, 2.0, reduce='multiply')",
          lambda x, i, s: (x.scatter(1, i, s, reduce="add"),
                           x.scatter(1, i, 2.0, reduce="multiply")), "ulp 2", **once)
    for reduce in ("sum", "prod", "mean", "amax", "amin"):
        for own in (True, False):
            t.add(f"scatter_reduce(x, 1, i, s, '{reduce}', include_self={own})",
                  lambda x, i, s, r=reduce, o=own: x.scatter_reduce(1, i, s, r, include_self=o),
                  **same)
    whole = {"x": integers(-20, 20, 4), "i": integers(0, 4, 9), "s": integers(-20, 20, 9)}
    for reduce in ("mean", "amax", "amin", "prod"):
        t.add(f"scatter_reduce(x, 0, i, s, '{reduce}')",
              lambda x, i, s, r=reduce: x.scatter_reduce(0, i, s, r), **whole)

    t.add("put_along_axis(x, i, s, 1), x", lambda x, i, s: (x.scatter(1, i, s[:, :4]), x), exact,
          x=normal(3, 5), i=places, s=normal(3, 4))
    t.add("np.put_along_axis(x, i, 9, axis=-1)", lambda x, i: x.scatter(1, i, 9), exact,
          x=normal(3, 5), i=places)
    t.add("put_along_axis(x, argmax(x, 0, True), values=s, axis=0)",
          changed(lambda a, s: np.put_along_axis(a, a.argmax(0, keepdims=True), s, 0)), exact,
          x=normal(3, 5), s=normal(5))
    t.add("np.put_along_axis(x, i, 9, None)", changed(
        lambda a, i: np.put_along_axis(a, i, 9, None)), exact, x=normal(3, 5),
        i=np.array([3, 14, 0, -2]))

    flat = {"x": normal(3, 5), "i": np.array([3, 14, 0, -2])}
    t.add("put(x, i, v)", changed(lambda a, i, v: np.put(a, i, v)), exact, **flat, v=normal(2))
    t.add("np.put(x, [1, 3], [7, 8]), np.put(x, i, 2)",
          lambda x, i: (changed(lambda a: np.put(a, [1, 3], [7, 8]))(x),
                        changed(lambda a, i: np.put(a, i, 2))(x, i)), exact, **flat)
    for mode in ("clip", "wrap"):
        t.add(f"put(x, i * 3, v, mode='{mode}')", changed(
            lambda a, i, v, m=mode: np.put(a, i * 3, v, m)), exact, **flat, v=normal(4))
    t.add("torch.put(x, i, v), x.put(i * 0, source=v, accumulate=True)",
          lambda x, i, v: (x.put(i, v), x.put(i * 0, v, accumulate=True)), "ulp 3", **flat,
          v=normal(4))
    t.add("index_put(x, (i, j), v), torch.index_put(x, (i, j), values=v, accumulate=True)",
          lambda x, i, j, v: (x.index_put((i, j), v), x.index_put((i, j), v, accumulate=True)),
          "ulp 2", x=normal(4, 5, 2), i=np.array([0, -1, 2]), j=np.array([4, 0, -5]),
          v=normal(3, 2))
    t.add("index_put(x, (i,), 3)", lambda x, i: x.index_put((i,), torch.tensor(3.0).double()), exact,
          x=normal(4, 5), i=integers(0, 4, 2, 3))
    t.add("index_put(x, (i[:, None], i), v, accumulate=True)",
          lambda x, i, v: x.index_put((i[:, None], i), v, accumulate=True), "ulp 3",
          x=normal(4, 5), i=np.array([1, 3, 0]), v=normal(3, 3))
    t.add("putmask(x, x > 0, values=v), np.putmask(x, x < 0, 7), np.putmask(x, x < 0, [1, 2])",
          lambda x, v: tuple(changed(f)(x, v) for f in (
              lambda a, v: np.putmask(a, a > 0, v), lambda a, v: np.putmask(a, a < 0, 7),
              lambda a, v: np.putmask(a, a < 0, [1, 2]))), exact, x=normal(3, 5), v=normal(4))
    t.add("putmask(x, m, y)", changed(np.putmask), exact, x=normal(3, 5), m=bools(3, 5),
          y=normal(3, 5))
    t.add("place(x, m, vals=v), np.place(x, m, 7), np.place(x, m, [1, 2])",
          lambda x, m, v: (changed(np.place)(x, m, v), *(
              changed(lambda a, m, w=w: np.place(a, m, w))(x, m) for w in (7, [1, 2]))), exact,
          x=normal(3, 5), m=bools(3, 5), v=normal(4))
    t.add("masked_scatter(x, m, s), x.masked_scatter(mask=m, source=s)",
          lambda x, m, s: (x.masked_scatter(m, s),) * 2, exact, x=normal(3, 5), m=bools(3, 5),
          s=normal(4, 5))
    t.add("masked_scatter(x, m, s)", lambda x, m, s: x.masked_scatter(m, s), exact, x=normal(3, 5),
          m=bools(5), s=normal(15))
    t.add("copyto(x, y), np.copyto(x, y, where=m), np.copyto(dst=x, src=7, casting='unsafe')",
          lambda x, y, m: (y.expand(3, 5), torch.where(m, y, x), x * 0 + 7), exact,
          x=normal(3, 5), y=normal(5), m=bools(3, 5))
    for shape in ((4, 4), (3, 5), (9, 3), (3, 3, 3), (2, 2, 2, 2)):
        for wrap in (False, True):
            t.add(f"fill_diagonal(x, 7, wrap={wrap}), np.fill_diagonal(x, v)",
                  lambda x, v, w=wrap: (changed(lambda a: np.fill_diagonal(a, 7, w))(x),
                                        changed(np.fill_diagonal)(x, v)), exact,
                  x=normal(*shape), v=normal(2))
    t.add("np.fill_diagonal(x, [1, 2, 3])", changed(lambda a: np.fill_diagonal(a, [1, 2, 3])),
          exact, x=normal(4, 4))
    t.add("diagonal_scatter(x, s), torch.diagonal_scatter(x, s[1:], -1, dim1=0, dim2=1), "
          "x.diagonal_scatter(s[:3], offset=1)",
          lambda x, s: (x.diagonal_scatter(s), x.diagonal_scatter(s[1:], -1),
                        x.diagonal_scatter(s[:3], 1)), exact, x=normal(4, 4), s=normal(4))
    t.add("diagonal_scatter(x, s, 1, 2, 0)", lambda x, s: x.diagonal_scatter(s, 1, 2, 0), exact,
          x=normal(3, 2, 5), s=normal(2, 2))
    t.add("bincount(x, minlength=7), np.bincount(x, minlength=12)[:9]",
          lambda x: (torch.bincount(x, minlength=7), torch.bincount(x, minlength=12)[:9]),
          x=integers(0, 7, 40))
    t.add("bincount(x, w, 7), torch.bincount(x, weights=w, minlength=8)",
          lambda x, w: (torch.bincount(x, w, 7), torch.bincount(x, w, 8)), x=integers(0, 7, 40),
          w=normal(40))
