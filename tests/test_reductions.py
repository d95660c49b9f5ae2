"""Every reduction of every dtype over every kind of axes, on both targets, against NumPy: rows,
columns, middle axes, everything; with NaN, infinities and ties. argmax and argmin by the bit, for
any division of the work."""

import numpy as np
import pytest

DTYPES = ["bool", "uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64"]
AXES = [None, 0, 1, 2, (0, 1), (1, 2), (0, 2)]
DEVICES = ["cpu", "cuda-emulated"]
rng = np.random.default_rng(3)


def made(dtype, shape):
    """Few values, so that there are ties."""
    if dtype == "bool":
        return rng.random(shape) < 0.5
    if dtype == "uint8":
        return rng.integers(0, 6, shape).astype(dtype)
    a = rng.integers(-3, 4, shape).astype(dtype)
    return a


def special(a):
    if a.dtype.kind != "f":
        return a
    a = a.copy()
    flat = a.reshape(-1)
    flat[5], flat[flat.size // 2] = np.nan, np.inf
    flat[flat.size // 3] = -np.inf
    return a


def save(run, tmp_path, text, arrays, results, device, *extra):
    for name, a in arrays.items():
        np.save(tmp_path / f"{name}.npy", a)
    out = sum((["-o", f"out{i}.npy"] for i in range(results)), [])
    run("run", text, *(f"{name}=@{name}.npy" for name in arrays), *out, "--device", device, *extra)
    return [np.load(tmp_path / f"out{i}.npy") for i in range(results)]


def wanted(name, x, axis):
    integer = x.dtype.kind in "bui"
    with np.errstate(all="ignore"):
        if name in ("sum", "prod"):
            wide = x.astype(np.int64 if integer else np.float64)
            return np.asarray(getattr(np, name)(wide, axis=axis)).astype(
                np.int64 if integer else x.dtype)
        return np.asarray(getattr(np, name)(x, axis=axis))


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_all(run, tmp_path, dtype, device):
    x = special(made(dtype, (5, 37, 11)))
    names = ["sum", "prod", "max", "min", "any", "all", "count_nonzero"]
    axes = AXES if device == "cpu" else [None, 0, 2, (0, 2)]
    calls = [(n, axis) for axis in axes for n in names]
    calls += [(n, axis) for axis in axes if not isinstance(axis, tuple) for n in ("argmax", "argmin")]
    text = ", ".join(f"{n}(x, axis={axis})" for n, axis in calls)
    got = save(run, tmp_path, text, {"x": x}, len(calls), device)
    for (name, axis), a in zip(calls, got):
        want = wanted(name, x, axis)
        assert a.dtype == want.dtype and a.shape == want.shape, (name, axis)
        if name == "sum" and a.dtype.kind == "f":
            np.testing.assert_allclose(a, want, rtol=2e-3 if dtype == "float16" else 1e-5)
        else:
            np.testing.assert_array_equal(a, want, err_msg=f"{name} {axis}")


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("keepdims", [False, True])
def test_keepdims(run, tmp_path, keepdims, device):
    x = made("float32", (4, 9))
    for axis in (None, 0, -1):
        text = f"argmin(x, axis={axis}, keepdims={keepdims}), argmax(x.T, {axis})"
        low, high = save(run, tmp_path, text, {"x": x}, 2, device)
        np.testing.assert_array_equal(low, np.argmin(x, axis=axis, keepdims=keepdims))
        np.testing.assert_array_equal(high, np.argmax(x.T, axis=axis))


SHAPES = [(3, 1), (1, 7), (70000,), (3, 70000), (2, 300000), (5000, 3), (700, 130), (2, 900, 40)]


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("shape", SHAPES)
def test_lengths(run, tmp_path, shape, device):
    """Chunks, clusters, several launches: of ties the first, wherever the borders are."""
    x = made("float32", shape)
    x.reshape(-1)[x.size // 2] = np.nan
    calls = [(n, axis) for axis in [None, *range(len(shape))] for n in ("argmax", "argmin", "max")]
    text = ", ".join(f"{n}(x, axis={axis})" for n, axis in calls)
    for (name, axis), a in zip(calls, save(run, tmp_path, text, {"x": x}, len(calls), device)):
        np.testing.assert_array_equal(a, wanted(name, x, axis), err_msg=f"{name} {axis}")


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("extra", [(), ("--no-fuse",), ("--no-fuse=ops",), ("--numerics", "eager")])
def test_mean_beside_a_sum(run, tmp_path, device, extra):
    """A half that holds the mean needn't hold the sum."""
    x = np.full((3, 1000), 100, "float16")
    for text in ("sum(x, -1), mean(x, -1)", "sum(-(-x), -1), mean(x, -1)", "sum(x.T, 0), x.mean(1)"):
        total, mean = save(run, tmp_path, text, {"x": x}, 2, device, *extra)
        np.testing.assert_array_equal(total, np.inf, err_msg=text)
        np.testing.assert_array_equal(mean, 100, err_msg=text)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("extra", [(), ("--no-fuse",), ("--no-fuse=ops",), ("--numerics", "eager")])
def test_variance_of_halves(run, tmp_path, device, extra):
    """A half that holds the variance needn't hold the squares added up."""
    x = np.where(np.arange(3000).reshape(3, 1000) % 2, 100, -100).astype("float16")
    for text in ("var(x, -1)", "moment(x, 2, -1)"):
        y = save(run, tmp_path, text, {"x": x}, 1, device, *extra)[0]
        np.testing.assert_array_equal(y, 10000, err_msg=text)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("extra", [(), ("--no-fuse",), ("--no-fuse=ops",), ("--numerics", "eager")])
def test_variance_beside_a_sum(run, tmp_path, device, extra):
    """Nor does the sum of these squares, where it is a result."""
    x = np.where(np.arange(3000).reshape(3, 1000) % 2, 100, -100).astype("float16")
    text = "y = square(x - mean(x, -1, keepdims=True)); sum(y, -1)[::-1], mean(y, -1), var(x, -1)"
    total, squares, spread = save(run, tmp_path, text, {"x": x}, 3, device, *extra)
    np.testing.assert_array_equal(total, np.inf)
    np.testing.assert_array_equal(squares, 10000)
    np.testing.assert_array_equal(spread, 10000)


def test_division(run, tmp_path):
    """Any number of threads, any layout."""
    x = made("float32", (60, 5000))
    want = np.argmax(x, axis=-1)
    for order in "CF":
        for threads in (1, 2, 5):
            got, = save(run, tmp_path, "argmax(x, -1)", {"x": np.asarray(x, order=order)}, 1,
                        "cpu", "--threads", str(threads))
            np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("device", DEVICES)
def test_one_kernel(run, device):
    """Behind a softmax: one pass."""
    text = "p = softmax(x); argmax(p, axis=-1), max(p, axis=-1), p - max(p, axis=-1, keepdims=True)"
    found = run("explain", text, "x=randn(64, 1000)", "--device", device, json_output=True)
    assert found["fused"]["kernels"] == 1
    run("check", text, "x=randn(64, 1000)", "--device", device)
    run("check", "argmax(x, 0), max(x, 0), mean(x, 0)", "x=randn(300, 100)", "--device", device)


@pytest.mark.parametrize("text, wanted", [
    ("argmax(x, axis=(0, 1))", "one axis"), ("argmax(x, axis=2)", "axis 2"),
    ("argmax(x, y)", "not an array"), ("argmax(x, axis=0.5)", "axis")])
def test_refused(run, text, wanted):
    done = run("run", text, "x=ones(3, 4)", *(["y=ones(3, 4)"] if "y" in text else []), code=2)
    assert wanted in done.stderr


def test_of_nothing(run):
    done = run("run", "argmax(x, axis=0)", "x=ones(0, 4)", code=2)
    assert "argmax of nothing" in done.stderr
    run("run", "argmax(x, axis=0)", "x=ones(4, 0)")


@pytest.mark.parametrize("device", ["cpu", "cuda-emulated"])
def test_softmax_of_nothing(run, tmp_path, device):
    """An empty row's softmax is empty, and its logsumexp -inf, as in PyTorch."""
    np.save(tmp_path / "x.npy", np.ones((3, 0), np.float32))
    for mode in ([], ["--no-fuse"], ["--no-fuse=ops"]):
        run("run", "softmax(x), log_softmax(x), logsumexp(x, 1), logsumexp(x)", "x=@x.npy", *mode,
            "--device", device, *sum((["-o", f"{i}.npy"] for i in range(4)), []))
        got = [np.load(tmp_path / f"{i}.npy") for i in range(4)]
        assert got[0].shape == got[1].shape == (3, 0)
        assert np.array_equal(got[2], [-np.inf] * 3) and got[3] == -np.inf


@pytest.mark.parametrize("text, shape", [
    ("var(x, axis=0)", (4_000_000, 2)), ("x / var(x, axis=0)", (1_000_000, 3)),
    ("var(x)", (20_000_000,)), ("t = pad(sign(x), 1); t * 2, var(t)", (20_000, 5)),
    ("t = pad(sign(x), 1); t * 2, sum(exp(t - max(t)))", (20_000, 5)),
    ("t = pad(sign(x), 1); t * 2, var(t)", (3_000, 150))])
def test_roundings_do_not_add_up(run, tmp_path, text, shape):
    """States of many rows, lines or chunks: merged one after another they would be off by hundreds
    of ulp, where every rounding goes the same way or the next state is less than an ulp."""
    x = np.random.default_rng(1).standard_normal(shape).astype(np.float32)
    got = save(run, tmp_path, text, {"x": x}, 2 if "t * 2" in text else 1, "cpu")[-1]
    t = x.astype(np.float64)
    if "pad" in text:
        t = np.pad(np.sign(t), 1)
    wanted = np.exp(t - t.max()).sum() if "exp" in text else t.var(axis=0 if "axis" in text else None)
    if text.startswith("x /"):
        wanted = t / wanted
    assert np.max(np.abs(got / wanted - 1)) < 16 * 2.0 ** -24
