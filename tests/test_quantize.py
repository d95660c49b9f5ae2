"""Quantisation against NumPy: per tensor, channel, row and dynamic, to int8, uint8 and float8."""

import numpy as np
import pytest

FLOAT8 = {"float8_e4m3fn": (3, 7, 448.0), "float8_e5m2": (2, 15, 57344.0)}


def random(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def float8_values(dtype):
    """The values of codes 0 to the largest finite one."""
    mantissa, bias, most = FLOAT8[dtype]
    codes = np.arange(128)
    e, m = codes >> mantissa, codes & ((1 << mantissa) - 1)
    one = 1 << mantissa
    values = np.where(e > 0, (one + m) * 2.0 ** (e - bias - mantissa), m * 2.0 ** (1 - bias - mantissa))
    return values[values <= most]


def to_float8(a, dtype):
    """Saturated and rounded, half to even, as the float8's value."""
    values = float8_values(dtype)
    size = np.minimum(np.abs(a).astype(np.float64), values[-1])
    above = np.clip(np.searchsorted(values, size), 1, len(values) - 1)
    low, high = values[above - 1], values[above]
    up = (size - low > high - size) | ((size - low == high - size) & (above % 2 == 0))
    return np.copysign(np.where(up, high, low), a)


def float8_of(path, dtype):
    codes = np.load(path)
    assert codes.dtype == np.dtype("V1")
    bits = codes.view(np.uint8)
    return np.copysign(float8_values(dtype)[bits & 127], np.where(bits > 127, -1.0, 1.0))


def rounded(a, lo, hi, dtype):
    return np.clip(np.rint(a), lo, hi).astype(dtype)


@pytest.fixture
def evaluate(run, tmp_path):
    def call(text, results=1, **arrays):
        arguments = []
        for name, array in arrays.items():
            np.save(tmp_path / f"{name}.npy", array)
            arguments.append(f"{name}=@{name}.npy")
        for i in range(results):
            arguments += ["-o", f"r{i}.npy"]
        run("run", text, *arguments)
        return [tmp_path / f"r{i}.npy" for i in range(results)]

    return call


@pytest.mark.parametrize("axis, size", [(0, 6), (1, 5), (-1, 7)])
def test_channels(evaluate, axis, size):
    x, scale = random(6, 5, 7), np.linspace(0.01, 0.05, size, dtype=np.float32)
    zero = np.arange(size, dtype=np.float32)
    shape = [1, 1, 1]
    shape[axis] = size
    s, z = scale.reshape(shape), zero.reshape(shape)
    (path,) = evaluate(f"quantize_int8_channel(x, s, z, axis={axis})", x=x, s=scale, z=zero)
    want = rounded(x / s + z, -128, 127, np.int8)
    np.testing.assert_array_equal(np.load(path), want)
    (path,) = evaluate(f"quantize_uint8_channel(x, s, axis={axis})", x=x, s=scale)
    np.testing.assert_array_equal(np.load(path), rounded(x / s, 0, 255, np.uint8))
    (path,) = evaluate(f"dequantize(q, s, z, axis={axis})", q=want, s=scale, z=zero)
    np.testing.assert_array_equal(np.load(path), (want.astype(np.float32) - z) * s)


def test_dynamic_int8(evaluate):
    x = random(9, 40)
    x[3] = 0
    q, s = evaluate("quantize_int8_dynamic(x)", 2, x=x)
    largest = np.abs(x).max(-1, keepdims=True)
    scale = np.where(largest == 0, np.float32(1), largest / np.float32(127))
    np.testing.assert_array_equal(np.load(s), scale)
    np.testing.assert_array_equal(np.load(q), rounded(x / scale, -127, 127, np.int8))


def test_dynamic_uint8(evaluate):
    x = random(9, 40) + np.float32(1)
    x[3] = 0
    q, s, z = evaluate("quantize_uint8_dynamic(x, axis=None)", 3, x=x)
    lo, hi = np.minimum(x.min(), 0), np.maximum(x.max(), 0)
    scale = (hi - lo) / np.float32(255)
    zero = np.rint(-lo / scale)
    np.testing.assert_array_equal(np.load(s), scale.reshape(1, 1))
    np.testing.assert_array_equal(np.load(z), zero.astype(np.uint8).reshape(1, 1))
    np.testing.assert_array_equal(np.load(q), rounded(x / scale + zero, 0, 255, np.uint8))


@pytest.mark.parametrize("dtype", FLOAT8)
def test_float8(evaluate, dtype):
    x = random(6, 50) * np.float32(200)
    x[0, :4] = [np.inf, -np.inf, 1e6, 0]
    (path,) = evaluate(f"quantize_float8(x, 0.25, dtype={dtype})", x=x)
    np.testing.assert_array_equal(float8_of(path, dtype), to_float8(x / np.float32(0.25), dtype))
    scale = np.linspace(0.5, 2, 6, dtype=np.float32)
    (path,) = evaluate(f"quantize_float8(x, s, axis=0, dtype={dtype})", x=x, s=scale)
    want = to_float8(x / scale[:, None], dtype)
    np.testing.assert_array_equal(float8_of(path, dtype), want)
    (path,) = evaluate(f"dequantize_float8(quantize_float8(x, s, axis=0, dtype={dtype}), s, axis=0)",
                       x=x, s=scale)
    np.testing.assert_array_equal(np.load(path), want.astype(np.float32) * scale[:, None])


@pytest.mark.parametrize("dtype", FLOAT8)
@pytest.mark.parametrize("axis", [-1, None])
def test_dynamic_float8(evaluate, dtype, axis):
    x = random(7, 90).astype(np.float16)
    q, s = evaluate(f"quantize_float8_dynamic(x, axis={axis}, dtype={dtype})", 2, x=x)
    largest = np.abs(x.astype(np.float32)).max(axis, keepdims=True)
    scale = largest / np.float32(FLOAT8[dtype][2])
    np.testing.assert_array_equal(np.load(s), scale)
    np.testing.assert_array_equal(float8_of(q, dtype), to_float8(x.astype(np.float32) / scale, dtype))


def test_wrong_dtype(run, tmp_path):
    np.save(tmp_path / "x.npy", random(3))
    done = run("run", "quantize_float8(x, 1.0, dtype=int8)", "x=@x.npy", code=2)
    assert "quantize_float8" in done.stderr and "None" in done.stderr
