"""Reading at indices: take, take_along_axis, x[i], embedding, one_hot and the losses of class
indices, against NumPy and PyTorch, on both targets, fused and not."""

import numpy as np
import pytest

DEVICES = ["cpu", "cuda-emulated"]
rng = np.random.default_rng(5)
W = rng.standard_normal((50, 33)).astype(np.float32)
X3 = rng.standard_normal((4, 5, 6)).astype(np.float32)


def evaluate(run, tmp_path, text, arrays, *extra, results=1):
    for name, a in arrays.items():
        np.save(tmp_path / f"{name}.npy", a)
    out = sum((["-o", f"out{i}.npy"] for i in range(results)), [])
    run("run", text, *(f"{n}=@{n}.npy" for n in arrays), *out, *extra)
    found = [np.load(tmp_path / f"out{i}.npy") for i in range(results)]
    return found[0] if results == 1 else found


def index(low, high, *shape, dtype=np.int64):
    return rng.integers(low, high, shape).astype(dtype)


def taken(x, i, axis):
    """NumPy's take, with 0 for what is outside."""
    n = x.shape[axis]
    ok = (i >= -n) & (i < n)
    out = np.take(x, np.where(ok, i, 0), axis)
    shape = (1,) * axis + i.shape + (1,) * (x.ndim - axis - 1)
    return np.where(ok.reshape(shape), out, 0)


I2, IN, IB = index(-50, 50, 3, 7), index(-33, 33, 9), index(0, 50, 300)
CASES = [
    ("take(w, i, 0)", {"w": W, "i": I2}, lambda: taken(W, I2, 0)),
    ("take(w, i, axis=1)", {"w": W, "i": IN}, lambda: taken(W, IN, 1)),
    ("take(w, i)", {"w": W, "i": I2}, lambda: taken(W.reshape(-1), I2, 0)),
    ("w.take(i, -2)", {"w": W, "i": I2}, lambda: taken(W, I2, 0)),
    ("w[i]", {"w": W, "i": I2}, lambda: W[I2]),
    ("w[:, i]", {"w": W, "i": IN}, lambda: W[:, IN]),
    ("x[..., i, None]", {"x": X3, "i": index(-6, 6, 2, 2)}, None),
    ("x[1:, i, ::-1]", {"x": X3, "i": index(-5, 5, 4)}, None),
    ("index_select(w, 1, i)", {"w": W, "i": IN}, lambda: W[:, IN]),
    ("embedding(i, w)", {"i": I2, "w": W}, lambda: W[I2]),
    ("w[i[j]]", {"w": W, "i": IB, "j": I2}, lambda: W[IB[I2]]),
    ("w[i][:, j]", {"w": W, "i": I2[0], "j": IN}, lambda: W[I2[0]][:, IN]),
    ("exp(w).T[:, i] * 2", {"w": W, "i": I2[0]}, lambda: np.exp(W).T[:, I2[0]] * 2),
    ("sum(w[i], 0)", {"w": W, "i": IB}, lambda: W[IB].astype(np.float64).sum(0)),
    ("sum(w[i], 1)", {"w": W, "i": IB}, lambda: W[IB].astype(np.float64).sum(1)),
    ("max(w, 0)[i]", {"w": W, "i": IN}, lambda: W.max(0)[IN]),
    ("w[argmax(w, 0)]", {"w": W}, lambda: W[W.argmax(0)]),
    ("concatenate([w, 2 * w])[i]", {"w": W, "i": index(0, 100, 40)}, None),
    ("pad(w[i], 1)", {"w": W, "i": I2[0]}, lambda: np.pad(W[I2[0]], 1)),
    ("one_hot(i, 50)", {"i": np.abs(I2)}, lambda: np.eye(51, 50, dtype=np.int64)[np.abs(I2)]),
    ("take_along_axis(w, argmax(w, 1, keepdims=True), 1)", {"w": W}, lambda: W.max(1)[:, None]),
    ("arange(100)[i]", {"i": I2}, lambda: np.arange(100)[I2]),
    ("rand(100, 3)[i]", {"i": I2}, None),
]


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("text, arrays, wanted", CASES, ids=[c[0] for c in CASES])
def test_values(run, tmp_path, text, arrays, wanted, device):
    got = evaluate(run, tmp_path, text, arrays, "--device", device)
    if wanted is None:
        scope = {"concatenate": np.concatenate, **arrays}
        wanted = (lambda: eval(text, scope)) if "rand" not in text else None
    if wanted is None:
        want = evaluate(run, tmp_path, "rand(100, 3)", {})[arrays["i"]]
    else:
        want = wanted()
    assert got.shape == want.shape
    room = 2e-5 if "sum" in text else 1e-6
    np.testing.assert_allclose(got, want, rtol=1e-6, atol=room)
    again = evaluate(run, tmp_path, text, arrays, "--device", device, "--no-fuse=ops")
    np.testing.assert_allclose(again, want, rtol=1e-6, atol=room)


X4 = rng.standard_normal((4, 5, 6, 7)).astype(np.float32)
I, J = np.array([1, -1, 3, 0]), np.array([2, -5, 4, 1], np.int32)
K, Z = np.array([[0], [3]]), np.array(2)
SEVERAL = """x[i, j];x[:, i, j];x[i, :, j];x[i, j, k];x[:, i, :, j];x[0, i, j];x[i, 0, j];x[i, 1]
x[1, i];x[..., i, j];x[i, ..., j];x[i, :, j, 1:3];x[None, i, j];x[i, None, j];x[k, i];x[i, j, i, j]
x[z, i];x[i, i - 1, ::2];x[i, :, 0];x[:, i % 5, j, ::-1];x[:, 0, i, j];x[i, j] * 2 + 1;x[0][i, j]
x.T[i, j];x[:0][:, i[:0], j[:0]];x[i, j[:, None]];x[i[::-1], j[1]]""".replace("\n", ";").split(";")


@pytest.mark.parametrize("device", DEVICES)
def test_several_indices(run, tmp_path, device):
    """Axes with arrays as indices become those of the arrays, as in NumPy and PyTorch."""
    arrays = {"x": X4, "i": I, "j": J, "k": K, "z": Z}
    for texts in (SEVERAL[:9], SEVERAL[9:18], SEVERAL[18:]):
        text = ", ".join(texts)
        used = {n: a for n, a in arrays.items() if n in text}
        for mode in ("--no-fuse", "--no-fuse=ops"):
            got = evaluate(run, tmp_path, text, used, mode, "--device", device, results=len(texts))
            for one, g in zip(texts, got):
                want = eval(one, {}, arrays)
                assert g.shape == want.shape, one
                assert np.array_equal(g, want), one


def test_lists(run, tmp_path):
    """Lists of integers are indices as arrays are."""
    texts = ["x[[2, 0, -1]]", "x[:, [1, 3]]", "x[..., [0, -1, 0]] * 2", "x[[0, 1], [1, 2]]",
             "x[i, [2, 0, 1, 1]]", "x[:, [3], 1:, None]", "np.take(x, [2, 0, -1], axis=0)",
             "np.take(x, (7, 0))"]
    got = evaluate(run, tmp_path, ", ".join(texts), {"x": X4, "i": I}, results=len(texts))
    for one, g in zip(texts, got):
        assert np.array_equal(g, eval(one, {}, {"x": X4, "i": I, "np": np})), one


@pytest.mark.parametrize("index, words", [
    ("[]", "a list as an index has 1 to 64 integers"),
    ("[True, False]", "a list of True and False as an index isn't supported"),
    ("[[0, 1], [1]]", "sizes 2 and 1 differ"),
    ("[[0, 1.5]]", "indices are integers, not float64"),
    ("[0, [1]]", "an index in a list must be an integer, not a tuple"),
    ("[0.5]", "an index in a list must be an integer"),
])
def test_lists_that_are_wrong(run, index, words):
    assert words in run("run", f"x[{index}]", "x=randn(2, 4)", code=2).stderr
    assert words in run("run", f"take(x, {index}, axis=0)", "x=randn(2, 4)", code=2).stderr


def test_several_indices_outside(run, tmp_path):
    """One index outside gives 0, even where the row-major place would be another element's."""
    i, j = np.array([0, 1, 1, -5, 3]), np.array([5, -6, 4, 0, 1])
    got = evaluate(run, tmp_path, "x[i, j]", {"x": X4, "i": i, "j": j})
    want = np.stack([np.zeros((6, 7)), np.zeros((6, 7)), X4[1, 4], np.zeros((6, 7)), X4[3, 1]])
    assert np.array_equal(got, want.astype(np.float32))


@pytest.mark.parametrize("device", DEVICES)
def test_along(run, tmp_path, device):
    for axis in (0, 1, 2, -1):
        shape = list(X3.shape)
        shape[axis] = 3
        i = index(-X3.shape[axis], X3.shape[axis], *shape)
        a, b = evaluate(run, tmp_path, f"take_along_axis(x, i, {axis}), gather(x, {axis}, i)",
                        {"x": X3, "i": i}, "--device", device, results=2)
        assert np.array_equal(a, np.take_along_axis(X3, i, axis)) and np.array_equal(a, b)
    i = index(-6, 6, 1, 1, 2)
    a = evaluate(run, tmp_path, "take_along_axis(x, i)", {"x": X3, "i": i}, "--device", device)
    assert np.array_equal(a, np.take_along_axis(X3, np.broadcast_to(i, (4, 5, 2)), -1))


@pytest.mark.parametrize("rows, columns", [(4, 3), (2, 7), (1, 5), (0, 3), (3, 0)])
def test_gather_of_fewer(run, tmp_path, rows, columns):
    """PyTorch's gather reads as much of the other axes as the indices have."""
    x, i = rng.standard_normal((4, 9)).astype(np.float32), index(0, 9, rows, columns)
    got = evaluate(run, tmp_path, "torch.gather(x * 2, dim=1, index=i)", {"x": x, "i": i})
    assert np.array_equal(got, np.take_along_axis(2 * x[:rows], i, 1))


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int32, np.int64, np.uint8])
def test_outside(run, tmp_path, dtype, device):
    """Negative ones count from the end; what is still outside gives 0, whatever is computed of x."""
    info = np.iinfo(dtype)
    i = np.array([0, 9, 10, info.max, 5, 11, *([] if info.min == 0 else [-1, -10, -11, info.min])],
                 dtype)
    x = np.arange(1, 11, dtype=np.float32)
    rows = rng.standard_normal((10, 40)).astype(np.float32)
    a, b, c = evaluate(run, tmp_path, "x[i], exp(x)[i], w[i]", {"x": x, "i": i, "w": rows},
                       "--device", device, results=3)
    wide = i.astype(np.int64)
    assert np.array_equal(a, taken(x, wide, 0)) and np.array_equal(c, taken(rows, wide, 0))
    np.testing.assert_allclose(b, taken(np.exp(x), wide, 0), rtol=1e-6)
    empty = evaluate(run, tmp_path, "x[i]", {"x": np.zeros((0, 3), np.float32), "i": i}, "--device",
                     device)
    assert np.array_equal(empty, np.zeros((i.size, 3)))


@pytest.mark.parametrize("dtype", ["float16", "float64", "int8", "bool", "int64"])
def test_dtypes(run, tmp_path, dtype):
    x = (rng.random((20, 9)) * 9).astype(dtype)
    i = index(-20, 20, 30, dtype=np.int32)
    for device in DEVICES:
        got = evaluate(run, tmp_path, "x[i]", {"x": x, "i": i}, "--device", device)
        assert got.dtype == x.dtype and np.array_equal(got, x[i])


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("shape", [(7, 5), (7, 5, 3), (5,)])
def test_losses(run, tmp_path, shape, device):
    torch = pytest.importorskip("torch")
    functional = torch.nn.functional
    x = rng.standard_normal(shape).astype(np.float32)
    t = np.asarray(rng.integers(0, 5, shape[:1] + shape[2:] if len(shape) > 1 else ()))
    weight = rng.random(5).astype(np.float32)
    tx, tt, tw = torch.tensor(x).double(), torch.tensor(t), torch.tensor(weight).double()
    for reduction in ("mean", "sum", "none"):
        texts = [f'cross_entropy(x, t, reduction="{reduction}")',
                 f'cross_entropy(x, t, w, "{reduction}", ignore_index=2)',
                 f'cross_entropy(x, t, w, "{reduction}", 1, label_smoothing=0.2)',
                 f'nll_loss(log_softmax(x, {0 if len(shape) == 1 else 1}), t, w, "{reduction}", 2)']
        logp = torch.log_softmax(tx, 0 if len(shape) == 1 else 1)
        wants = [functional.cross_entropy(tx, tt, reduction=reduction),
                 functional.cross_entropy(tx, tt, tw, ignore_index=2, reduction=reduction),
                 functional.cross_entropy(tx, tt, tw, ignore_index=1, reduction=reduction,
                                          label_smoothing=0.2),
                 functional.nll_loss(logp, tt, tw, ignore_index=2, reduction=reduction)]
        got = evaluate(run, tmp_path, ", ".join(texts), {"x": x, "t": t, "w": weight}, "--device",
                       device, results=4)
        for a, b, text in zip(got, wants, texts):
            np.testing.assert_allclose(a, b.numpy(), rtol=1e-5, atol=1e-6, err_msg=text)


@pytest.mark.parametrize("text, given, kind", [
    ("relu(exp(w)[i] + b)", "wib", "gather"), ("embedding(i, w) * 8 + p", "iwp", "gather"),
    ("softmax(w[i])", "wi", "row"), ("sum(w[i], 0)", "wi", "column")])
def test_one_kernel(run, text, given, kind):
    """Elementwise work on both sides stays in the kernel."""
    made = {"w": "w=randn(100, 64)", "i": "i=randint(0, 100, 20)", "b": "b=randn(64)",
            "p": "p=randn(20, 64)"}
    found = run("explain", text, *(made[g] for g in given), json_output=True)
    assert found["fused"]["kernels"] == 1 and found["kernels"][0]["kind"] == kind


@pytest.mark.parametrize("text, wanted", [
    ("take(x, x)", "indices are integers"), ("x[x > 0]", "mask"),
    ("x[None][0, :, i]", "NumPy and PyTorch"),
    ("take(x, i, 2)", "axis 2"), ("take_along_axis(x, i, 0)", "rank"),
    ("take(x, 0.5, 0)", "integers"), ("take(x, i, i)", "axis"),
    ("cross_entropy(x, i, reduction='best')", "reduction is"),
    ("cross_entropy(x, x[:, 0])", "class indices are integers: cast(t, int64)"),
    ("F.cross_entropy(x, x[:, :1])", "(float targets are probabilities of x's shape)"),
    ("cross_entropy(x, x[:, :3])", "(float targets are probabilities of x's shape)"),
    ("cross_entropy(x, 2.0)", "float targets are probabilities of x's shape"),
    ("cross_entropy(x[0], x[0, 0])", "float targets are probabilities of x's shape")])
def test_refused(run, text, wanted):
    given = ["x=ones(3, 4)"]
    if "i)" in text or "i," in text.replace("reduction", "") or ", i]" in text:
        given.append("i=zeros(3, dtype=i64)")
    done = run("run", text, *given, code=2)
    assert wanted in done.stderr, done.stderr


def test_reported(run):
    """check says how many indices are out of range."""
    text, given = "x[i]", ["x=randn(10)", "i=arange(-12, 15)"]
    assert "give 0: 7" in run("check", text, *given).stdout
    assert run("check", text, *given, json_output=True)["outside"] == 7
    assert "give 0" not in run("check", text, "x=randn(15)", "i=arange(-12, 15)").stdout


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int8, np.bool_])
def test_large(run, tmp_path, dtype):
    """Rows that are streamed past the caches, the next one asked for; some outside; other parts."""
    w = (rng.standard_normal((300, 2500)) * 3).astype(dtype)
    y = (rng.standard_normal((5, 2500)) * 3).astype(dtype)
    i = index(-302, 302, 1800)
    a, b, c = evaluate(run, tmp_path, "w[i], concatenate([y, w[i]]), sum(cast(w[i], f64), -1)",
                       {"w": w, "i": i, "y": y}, "--device", "cpu", results=3)
    want = taken(w, i, 0)
    assert a.dtype == dtype and np.array_equal(a, want)
    assert np.array_equal(b, np.concatenate([y, want]))
    np.testing.assert_allclose(c, want.astype(np.float64).sum(-1), rtol=1e-10, atol=1e-9)


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.int16, np.int32, np.int64])
def test_narrow_indices(run, tmp_path, dtype):
    """Places in a flat array don't wrap where the indices' own dtype would."""
    i, j = np.array([19, 3, 11], dtype), np.array([[29], [7]], dtype)
    x = rng.standard_normal((20, 30)).astype(np.float32)
    texts = ["np.ravel_multi_index((i, j), (20, 30))",
             "np.ravel_multi_index((j, i), (30, 20), order='F')",
             "np.put(x, j * 4, 7, mode='wrap')", "np.put(x, j * 4, 7, mode='clip')",
             "index_put(x, (i, j), y)"]
    y = rng.standard_normal((2, 3)).astype(np.float32)
    given = {"i": i, "j": j, "x": x, "y": y}
    got = evaluate(run, tmp_path, ", ".join(texts), given, results=len(texts))
    assert got[0].dtype == got[1].dtype == np.int64
    wide = j.astype(np.int64)
    wanted = [np.ravel_multi_index((i, wide), (20, 30)),
              np.ravel_multi_index((wide, i), (30, 20), order="F"), x.copy(), x.copy(), x.copy()]
    np.put(wanted[2], (j * 4).astype(np.int64), 7, mode="wrap")
    np.put(wanted[3], (j * 4).astype(np.int64), 7, mode="clip")
    wanted[4][i, wide] = y
    for one, g, want in zip(texts, got, wanted):
        assert np.array_equal(g, want), one
    if np.iinfo(dtype).min < 0:
        back = evaluate(run, tmp_path, "index_put(x, (i - 20, j - 30), y)", given)
        assert np.array_equal(back, wanted[4])
