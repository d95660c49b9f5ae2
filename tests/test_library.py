"""Every composite of the library against NumPy and SciPy, by the command.

Rows: text, reference over float64 arrays, and which arrays it takes, in the text's order. Each
array is made once below; a reference is a function of the same arrays. Other dtypes are checked for
some.
"""

import os

import numpy as np
import pytest

DEVICE = os.environ.get("KFUSE_TEST_DEVICE", "cpu")

special = pytest.importorskip("scipy.special")

rng = np.random.default_rng(1)


def normal(*shape):
    return rng.standard_normal(shape).astype(np.float32)


x, y, z = normal(6, 37), normal(6, 37), normal(6, 38)
w, b = normal(37), normal(37)
v = np.abs(normal(6, 37)) + np.float32(0.1)
p = np.abs(normal(6, 37))
p = p / p.sum(-1, keepdims=True)
q = rng.random((6, 37)).astype(np.float32)
holes = x.copy()
holes[::2, ::3] = np.nan
lone = normal(8, 5003)  # several blocks, in one of which an infinity or NaN stands
lone[0, 4000], lone[1, 10], lone[2, 3000], lone[3, :] = np.inf, np.nan, -np.inf, -np.inf
lone[4, :4500], lone[5, 4999:], lone[6, ::2] = -np.inf, np.inf, -np.inf
im, small, c, d = normal(3, 8, 5, 4), normal(3, 2, 6, 4), normal(8), normal(8)
k = np.abs(normal(8)) + np.float32(0.5)


def sigmoid(a):
    return 1 / (1 + np.exp(-a))


def softplus(a):
    return np.logaddexp(0, a)


def gelu(a):
    return 0.5 * a * (1 + special.erf(a / np.sqrt(2)))


def normed(a, axis=-1, eps=1e-5):
    return (a - a.mean(axis, keepdims=True)) / np.sqrt(a.var(axis, keepdims=True) + eps)


def rms(a, eps=1e-6):
    return a / np.sqrt((a * a).mean(-1, keepdims=True) + eps)


def exp_below(a):
    with np.errstate(invalid="ignore"):  # inf - inf is NaN, as in PyTorch
        return np.exp(a - a.max(-1, keepdims=True))


def log(a):
    with np.errstate(divide="ignore"):
        return np.log(a)


def exps(a):
    return exp_below(a) / exp_below(a).sum(-1, keepdims=True)


def ch(a):
    return a.reshape(8, 1, 1)


def grouped(a, n):
    return normed(a.reshape(a.shape[0], n, -1)).reshape(a.shape)


def distance(a, b):
    return np.sqrt(((a - b + 1e-6) ** 2).sum(-1))


def halves(a):
    return a[..., :19], a[..., 19:]


def quantized(a, lo, hi, dtype):
    a = a.astype(np.float32)
    return np.clip(np.rint(a / np.float32(0.05) + np.float32(3)), lo, hi).astype(dtype)


def adam(p, m, v, lr=0.001, t=1):
    return p - lr / (1 - 0.9**t) * m / (np.sqrt(v) / np.sqrt(1 - 0.999**t) + 1e-8)


def momenta(g, m, v):
    return 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g


def shuffled(a):
    return a.reshape(3, 2, 2, 2, 5, 4).transpose(0, 1, 4, 2, 5, 3).reshape(3, 2, 10, 8)


def unshuffled(a):
    return a.reshape(3, 2, 3, 2, 2, 2).transpose(0, 1, 3, 5, 2, 4).reshape(3, 8, 3, 2)


ACTIVATIONS = [
    ("relu(x)", lambda x: np.maximum(x, 0), [x]),
    ("relu6(x * 5)", lambda x: np.clip(x * 5, 0, 6), [x]),
    ("leaky_relu(x)", lambda x: np.where(x > 0, x, 0.01 * x), [x]),
    ("leaky_relu(x, 0.2)", lambda x: np.where(x > 0, x, 0.2 * x), [x]),
    ("prelu(x, w)", lambda x, w: np.where(x > 0, x, w * x), [x, w]),
    ("sigmoid(x)", sigmoid, [x]),
    ("logsigmoid(x * 30)", lambda x: -softplus(-x * 30), [x]),
    ("silu(x)", lambda x: x * sigmoid(x), [x]),
    ("swish(x, 2.0)", lambda x: x * sigmoid(2 * x), [x]),
    ("gelu(x)", gelu, [x]),
    (
        "gelu(x, approximate='tanh')",
        lambda x: 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))),
        [x],
    ),
    ("gelu(x, 'sigmoid')", lambda x: x * sigmoid(1.702 * x), [x]),
    ("softplus(x * 30)", lambda x: np.where(x * 30 > 20, x * 30, softplus(x * 30)), [x]),
    ("softplus(x, 2.0)", lambda x: softplus(2 * x) / 2, [x]),
    ("softsign(x)", lambda x: x / (1 + abs(x)), [x]),
    ("elu(x)", lambda x: np.where(x > 0, x, np.expm1(x)), [x]),
    ("elu(x, 2.0)", lambda x: np.where(x > 0, x, 2 * np.expm1(x)), [x]),
    (
        "selu(x)",
        lambda x: 1.0507009873554805 * np.where(x > 0, x, 1.6732632423543772 * np.expm1(x)),
        [x],
    ),
    ("celu(x, 2.0)", lambda x: np.maximum(x, 0) + np.minimum(2 * np.expm1(x / 2), 0), [x]),
    ("mish(x)", lambda x: x * np.tanh(softplus(x)), [x]),
    ("hardtanh(x)", lambda x: np.clip(x, -1, 1), [x]),
    ("hardsigmoid(x * 3)", lambda x: np.clip(x * 3 + 3, 0, 6) / 6, [x]),
    ("hardswish(x * 3)", lambda x: x * 3 * np.clip(x * 3 + 3, 0, 6) / 6, [x]),
    ("hardshrink(x)", lambda x: np.where(abs(x) > 0.5, x, 0), [x]),
    ("softshrink(x)", lambda x: np.sign(x) * np.maximum(abs(x) - 0.5, 0), [x]),
    ("tanhshrink(x)", lambda x: x - np.tanh(x), [x]),
    ("threshold(x, 0.125, 20.0)", lambda x: np.where(x > 0.125, x, 20), [x]),
    ("glu(x, y)", lambda x, y: x * sigmoid(y), [x, y]),
    ("glu(x)", lambda x: halves(x)[0] * sigmoid(halves(x)[1]), [z]),
    ("swiglu(x, y)", lambda x, y: x * sigmoid(x) * y, [x, y]),
    ("swiglu(x)", lambda x: halves(x)[0] * sigmoid(halves(x)[0]) * halves(x)[1], [z]),
    ("geglu(x, y)", lambda x, y: gelu(x) * y, [x, y]),
    ("reglu(x, y)", lambda x, y: np.maximum(x, 0) * y, [x, y]),
]

ELEMENTWISE = [
    ("clip(x, -0.5, 0.5)", lambda x: np.clip(x, -0.5, 0.5), [x]),
    ("clip(x, hi=0.5)", lambda x: np.minimum(x, 0.5), [x]),
    ("clamp(x, min=0)", lambda x: np.maximum(x, 0), [x]),
    ("addcmul(x, y, w, 2)", lambda x, y, w: x + 2 * y * w, [x, y, w]),
    ("addcdiv(x, y, v, 2)", lambda x, y, v: x + 2 * y / v, [x, y, v]),
    ("lerp(x, y, 0.25)", lambda x, y: x + 0.25 * (y - x), [x, y]),
    ("logit(q)", lambda q: np.log(q / (1 - q)), [q]),
    ("logit(q, 0.1)", lambda q: special.logit(np.clip(q, 0.1, 0.9)), [q]),
    ("logaddexp(x, y)", np.logaddexp, [x, y]),
    ("log2(v)", np.log2, [v]),
    ("log10(v)", np.log10, [v]),
    ("exp2(x)", np.exp2, [x]),
    ("tan(x)", np.tan, [x]),
    ("sinh(x)", np.sinh, [x]),
    ("cosh(x)", np.cosh, [x]),
    ("atanh(q)", np.arctanh, [q]),
    ("erfc(x)", special.erfc, [x]),
    ("hypot(x, y)", np.hypot, [x, y]),
    ("deg2rad(x)", np.deg2rad, [x]),
    ("rad2deg(x)", np.rad2deg, [x]),
    ("frac(x)", lambda x: x - np.trunc(x), [x]),
    ("sinc(x)", np.sinc, [x]),
    ("heaviside(x, 0.5)", lambda x: np.heaviside(x, 0.5), [x]),
    ("nan_to_num(x, 7.0)", lambda x: np.nan_to_num(x, nan=7.0), [holes]),
    ("masked_fill(x, x > 0, 7)", lambda x: np.where(x > 0, 7, x), [x]),
    ("isclose(x, y, 0.5)", lambda x, y: np.isclose(x, y, 0.5), [x, y]),
    ("logical_and(x > 0, y)", lambda x, y: (x > 0) & (y != 0), [x, y]),
    ("logical_or(x > 0, y > 0)", lambda x, y: (x > 0) | (y > 0), [x, y]),
    ("logical_xor(x > 0, y > 0)", lambda x, y: (x > 0) ^ (y > 0), [x, y]),
    ("logical_not(x)", lambda x: x == 0, [x]),
    ("quantize_int8(x, 0.05, 3)", lambda x: quantized(x, -128, 127, np.int8), [x]),
    ("quantize_uint8(x, 0.05, 3)", lambda x: quantized(x, 0, 255, np.uint8), [x]),
    ("dequantize(cast(x * 8, int8), 0.1, 3)", lambda x: (np.trunc(x * 8) - 3) * 0.1, [x]),
    ("fake_quantize(x, 0.125, 0)", lambda x: np.rint(x / 0.125) * 0.125, [x]),
    ("fma(x, y, w)", lambda x, y, w: x * y + w, [x, y, w]),
    ("add_mul_exp(x, y)", lambda x, y: np.exp((x + y) * 2), [x, y]),
    ("outer(x, y)", lambda x, y: np.outer(x, y), [x, y]),
    ("diff(x)", np.diff, [x]),
    ("diff(x, axis=0)", lambda x: np.diff(x, axis=0), [x]),
    ("pixel_shuffle(x, 2)", shuffled, [im]),
    ("pixel_unshuffle(x, 2)", unshuffled, [small]),
    (
        "channel_shuffle(x, 4)",
        lambda x: x.reshape(3, 4, 2, 5, 4).transpose(0, 2, 1, 3, 4).reshape(x.shape),
        [im],
    ),
]

STATISTICS = [
    ("var(x)", np.var, [x]),
    ("var(x, -1, 1)", lambda x: x.var(-1, ddof=1), [x]),
    ("std(x, (0, 1), keepdims=True)", lambda x: x.std(keepdims=True), [x]),
    ("var_mean(x, 0)[1]", lambda x: x.mean(0), [x]),
    ("logsumexp(x * 30, -1)", lambda x: special.logsumexp(x * 30, -1), [x]),
    ("logsumexp(x)", special.logsumexp, [x]),
    ("softmax(x * 30)", lambda x: special.softmax(x * 30, -1), [x]),
    ("softmax(x, 0)", lambda x: special.softmax(x, 0), [x]),
    ("log_softmax(x)", lambda x: special.log_softmax(x, -1), [x]),
    ("softmin(x)", lambda x: special.softmax(-x, -1), [x]),
    ("softmax(x)", exps, [lone]),
    ("softmin(-x)", exps, [lone]),
    ("softmax(permute(x, (1, 0)), 0)", lambda x: exps(x).T, [lone]),
    ("log_softmax(x)", lambda x: log(exps(x)), [lone]),
    ("sum(exp(x - max(x, -1, True)), -1)", lambda x: exp_below(x).sum(-1), [lone]),
    ("logsumexp(x, -1)", lambda x: log(np.exp(x).sum(-1)), [lone]),
    ("layer_norm(x)", normed, [x]),
    ("layer_norm(x, w, b)", lambda x, w, b: normed(x) * w + b, [x, w, b]),
    ("layer_norm(x, bias=b, eps=0.1)", lambda x, b: normed(x, eps=0.1) + b, [x, b]),
    ("layer_norm(x, axis=(0, 1))", lambda x: normed(x, (0, 1)), [x]),
    ("rms_norm(x, w)", lambda x, w: rms(x) * w, [x, w]),
    (
        "group_norm(x, 4, c, d)",
        lambda x, c, d: grouped(x, 4) * ch(c) + ch(d),
        [im, c, d],
    ),
    ("group_norm(x, 2)", lambda x: grouped(x, 2), [im]),
    ("instance_norm(x, weight=c, bias=d)", lambda x, c, d: grouped(x, 8) * ch(c) + ch(d), [im, c, d]),
    (
        "batch_norm(x, m, v, c, d)",
        lambda x, m, v, c, d: (x - ch(m)) / np.sqrt(ch(v) + 1e-5) * ch(c) + ch(d),
        [im, c, k, d, c],
    ),
    ("normalize(x)", lambda x: x / np.sqrt((x * x).sum(-1, keepdims=True)), [x]),
    ("normalize(x, 1, 0)", lambda x: x / abs(x).sum(0), [x]),
    ("standardize(x)", lambda x: normed(x), [x]),
    ("norm(x)", lambda x: np.sqrt((x * x).sum()), [x]),
    ("vecdot(x, y)", lambda x, y: (x * y).sum(-1), [x, y]),
    (
        "cosine_similarity(x, y)",
        lambda x, y: (x * y).sum(-1) / np.sqrt((x * x).sum(-1) * (y * y).sum(-1)),
        [x, y],
    ),
    ("entropy(p)", lambda p: -(p * np.log(p)).sum(-1), [p]),
    ("count_nonzero(x > 0, 0)", lambda x: (x > 0).sum(0), [x]),
    ("relu_layernorm(x)", lambda x: normed(np.maximum(x, 0)), [x]),
    ("add_rms_norm(x, y, w)", lambda x, y, w: rms(x + y) * w, [x, y, w]),
    ("add_layer_norm(x, y)", lambda x, y: normed(x + y), [x, y]),
    ("ptp(x, 0)", lambda x: np.ptp(x, 0), [x]),
    ("nansum(x)", np.nansum, [holes]),
    ("nanmean(x, -1)", lambda x: np.nanmean(x, -1), [holes]),
    ("average(x, -1, v)", lambda x, v: np.average(x, -1, v), [x, v]),
    ("pairwise_distance(x, y)", distance, [x, y]),
]

CUMULATIVE = [
    ("cumsum(abs(x))", lambda x: np.cumsum(abs(x)), [lone[7:]]),
    ("cumsum(x * x, 1)", lambda x: np.cumsum(x * x, 1), [lone]),
    ("cumsum(permute(x * x, (1, 0)), 0)", lambda x: np.cumsum((x * x).T, 0), [lone]),
    ("nancumsum(x, -1)", lambda x: np.nancumsum(x, -1), [holes]),
    ("cumprod(1 + x / 64, axis=1)", lambda x: np.cumprod(1 + x / 64, 1), [lone[7:]]),
    ("cumulative_prod(x, axis=0)", lambda x: np.cumulative_prod(x, axis=0), [x]),
    ("cummax(x, 1)[0]", lambda x: np.maximum.accumulate(x, 1), [lone]),
    ("cummin(x, 0)[0]", lambda x: np.minimum.accumulate(x, 0), [lone]),
    ("cummax(x, 0)[0]", lambda x: np.maximum.accumulate(x, 0), [normal(500, 70)]),
    ("cumsum(softmax(x), -1)", lambda x: special.softmax(x, -1).cumsum(-1), [x]),
    ("cumsum(x > 0, 1)", lambda x: (x > 0).cumsum(1), [lone]),
]

LOSSES = [
    ("mse(x, y)", lambda x, y: ((x - y) ** 2).mean(), [x, y]),
    ("mse_loss(x, y, 'sum')", lambda x, y: ((x - y) ** 2).sum(), [x, y]),
    ("l1_loss(x, y, reduction='none')", lambda x, y: abs(x - y), [x, y]),
    (
        "smooth_l1_loss(x, y)",
        lambda x, y: np.where(abs(x - y) < 1, 0.5 * (x - y) ** 2, abs(x - y) - 0.5).mean(),
        [x, y],
    ),
    (
        "huber_loss(x, y, delta=0.5)",
        lambda x, y: special.huber(0.5, x - y).mean(),
        [x, y],
    ),
    (
        "binary_cross_entropy(p, q)",
        lambda p, q: -(q * np.log(p) + (1 - q) * np.log(1 - p)).mean(),
        [p, q],
    ),
    (
        "binary_cross_entropy_with_logits(x, q)",
        lambda x, q: (softplus(x) - x * q).mean(),
        [x, q],
    ),
    ("kl_div(x, p)", lambda x, p: (p * (np.log(p) - x)).mean(), [x, p]),
    ("poisson_nll_loss(x, y)", lambda x, y: (np.exp(x) - y * x).mean(), [x, y]),
    ("log_cosh_loss(x, y)", lambda x, y: np.log(np.cosh(x - y)).mean(), [x, y]),
    ("soft_margin_loss(x, y)", lambda x, y: np.log1p(np.exp(-y * x)).mean(), [x, y]),
    ("hinge_loss(x, y)", lambda x, y: np.maximum(1 - x * y, 0).mean(), [x, y]),
    (
        "margin_ranking_loss(x, y, v)",
        lambda x, y, v: np.maximum(-v * (x - y), 0).mean(),
        [x, y, v],
    ),
    (
        "soft_cross_entropy(x, p)",
        lambda x, p: -(p * special.log_softmax(x, -1)).sum(-1).mean(),
        [x, p],
    ),
    (
        "gaussian_nll_loss(x, y, v)",
        lambda x, y, v: (0.5 * (np.log(v) + (x - y) ** 2 / v)).mean(),
        [x, y, v],
    ),
    (
        "triplet_margin_loss(x, y, v)",
        lambda x, y, v: np.maximum(distance(x, y) - distance(x, v) + 1, 0).mean(),
        [x, y, v],
    ),
]

OPTIMIZERS = [
    ("sgd(p, g, lr=0.1, weight_decay=0.25)", lambda p, g: p - 0.1 * (g + 0.25 * p), [x, y]),
    (
        "sgd_momentum(p, g, m, 0.1)[0]",
        lambda p, g, m: p - 0.1 * (0.9 * m + g),
        [x, y, z[:, :37]],
    ),
    (
        "adam(p, g, m, v, step=3)[0]",
        lambda p, g, m, v: adam(p, *momenta(g, m, v), t=3),
        [x, y, z[:, 1:], v],
    ),
    (
        "adamw(p, g, m, v)[0]",
        lambda p, g, m, v: adam(p * (1 - 1e-5), *momenta(g, m, v)),
        [x, y, z[:, 1:], v],
    ),
    ("adamw(p, g, m, v)[2]", lambda p, g, m, v: momenta(g, m, v)[1], [x, y, y, v]),
    ("lion(p, g, m)[1]", lambda p, g, m: 0.99 * m + 0.01 * g, [x, y, w]),
]

RANDOM = [
    ("dropout(x, 0.0)", lambda x: x, [x]),
    ("dropout(x, 1.0)", lambda x: x * 0, [x]),
    ("dropout_mask(x, m)", lambda x, m: np.where(m > 0.5, x * 1.25, 0), [x, q]),
    ("dropout_mask(x, m)", lambda x, m: np.where(m, x * 1.25, 0), [x, q > 0.5]),
    (
        "relu_dropout_mask(x, m)",
        lambda x, m: np.where(m > 0.5, np.maximum(x, 0) * 1.25, 0),
        [x, q],
    ),
]

ROWS = ACTIVATIONS + ELEMENTWISE + STATISTICS + CUMULATIVE + LOSSES + OPTIMIZERS + RANDOM


def names_of(text):
    """Inputs in the order of their first appearance: single letters."""
    found = []
    for i, char in enumerate(text):
        alone = not (text[i - 1 : i].isalnum() or text[i - 1 : i] == "_")
        alone = alone and not (text[i + 1 : i + 2].isalnum() or text[i + 1 : i + 2] in ("_", "("))
        if char.isalpha() and alone and text.count("'", 0, i) % 2 == 0 and char not in found:
            found.append(char)
    return found


def evaluate(run, tmp_path, text, arrays):
    arguments = []
    for name, array in zip(names_of(text), arrays, strict=True):
        np.save(tmp_path / f"{name}.npy", array)
        arguments.append(f"{name}=@{name}.npy")
    run("run", text, *arguments, "-o", "result.npy", "--device", DEVICE)
    return np.load(tmp_path / "result.npy")


def exact(array):
    return array.astype(np.float64) if array.dtype.kind == "f" else array


def check(result, wanted, tolerance):
    wanted = np.asarray(wanted)
    assert result.shape == wanted.shape
    if wanted.dtype.kind in "bui":
        assert np.array_equal(result, wanted)
    else:
        np.testing.assert_allclose(result, wanted, rtol=tolerance, atol=tolerance / 5)


@pytest.mark.parametrize("text, reference, arrays", ROWS, ids=[row[0] for row in ROWS])
def test_float32(run, tmp_path, text, reference, arrays):
    result = evaluate(run, tmp_path, text, arrays)
    check(result, reference(*(exact(a) for a in arrays)), 1e-5)


HALVES = ["gelu(x)", "softmax(x, 0)", "layer_norm(x, w, b)", "var(x)", "swiglu(x, y)", "mse(x, y)"]


@pytest.mark.parametrize("dtype", [np.float16, np.float64])
@pytest.mark.parametrize("text", HALVES)
def test_dtypes(run, tmp_path, text, dtype):
    """The result has the arrays' dtype."""
    _, reference, arrays = next(row for row in ROWS if row[0] == text)
    arrays = [a.astype(dtype) for a in arrays]
    result = evaluate(run, tmp_path, text, arrays)
    assert result.dtype == dtype
    tolerance = 3e-3 if dtype == np.float16 else 1e-12
    check(result, reference(*(exact(a) for a in arrays)), tolerance)


STAY = ["kl_div(x, y)", "kl_div(x, y, 'none')", "rel_entr(x, y)", "torch.heaviside(x, y)",
        "zeta(x, y)", "polygamma(2, x)", "rrelu(x, training=True)", "gumbel_softmax(x)",
        "gumbel_softmax(x, hard=True)", "rotary_embedding(x)", "ldexp(x, cast(y, int32))",
        "torch.normal(x, y)", "torch.bernoulli(x)", "torch.div(x, y, rounding_mode='trunc')"]


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float64"])
@pytest.mark.parametrize("text", STAY)
def test_dtype_stays(run, text, dtype):
    """Where conditions choose among numbers, or random ones are float32."""
    arrays = [f"{name}=rand(4, 6, dtype={dtype})" for name in names_of(text)]
    done = run("run", text, *arrays, "--device", DEVICE)
    assert done.stdout.startswith(f"out0: {dtype} ")


def test_dropout(run, tmp_path):
    """As many kept as promised, the same for the same seed, another mask for another stream."""
    a = np.ones((100, 1000), np.float32)
    masks = []
    for text in ["dropout(x, 0.25)", "dropout(x, 0.25, 0, 0)", "dropout(x, 0.25, 0, 1)"]:
        result = evaluate(run, tmp_path, text, [a])
        assert set(np.unique(result)) == {np.float32(0), np.float32(1 / 0.75)}
        assert abs((result != 0).mean() - 0.75) < 0.01
        masks.append(result)
    assert np.array_equal(masks[0], masks[1])
    assert abs((masks[0] == masks[2]).mean() - 0.625) < 0.01


def test_uniform(run, tmp_path):
    result = evaluate(run, tmp_path, "rand_like(x)", [np.ones((100, 1000), np.float32)])
    assert result.min() >= 0 and result.max() < 1
    assert abs(result.mean() - 0.5) < 0.01
    whole = result * 2.0**24
    assert np.array_equal(whole, np.trunc(whole))


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_nan_to_num_stays_finite(run, tmp_path, dtype):
    values = np.array([np.inf, -np.inf, np.nan, 1], dtype)
    result = evaluate(run, tmp_path, "nan_to_num(x)", [values])
    assert result.dtype == dtype
    np.testing.assert_array_equal(result, np.nan_to_num(values))


@pytest.mark.parametrize("text, says", [
    ("split(x)", "split() needs either `sections`, how many parts or before which indices, or `si"),
    ("split(x, sizes=3, sections=2)", "split() needs either `sections`"),
    ("index_add(x, 0, [0], x)", "x.shape[0] is 4 but must be 1 (source has a slice for each index)"),
    ("index_add(x, 1, i, x)", "(source has a slice for each index)"),
    ("index_copy(x, 0, [1, 2], x)", "(source has a slice for each index)"),
    ("index_reduce(x, 0, [1, 2], x, 'prod')", "(source has a slice for each index)"),
    ("huber_loss(x, x, delta=0)", "delta is above 0"), ("huber_loss(x, x, delta=-1.5)", "delta is"),
    ("smooth_l1_loss(x, x, beta=-1)", "beta isn't negative"),
    ("cross_entropy(x, x, label_smoothing=1.5)", "label_smoothing is from 0 to 1"),
    ("cross_entropy(x, i, label_smoothing=-0.5)", "label_smoothing is from 0 to 1"),
    ("soft_cross_entropy(x, x, label_smoothing=2)", "label_smoothing is from 0 to 1"),
    ("interpolate(x[None], scale_factor=0)", "a scale is above 0"),
    ("interpolate(x[None], scale_factor=-2, mode='linear')", "a scale is above 0")])
def test_refused(run, text, says):
    given = ["i=zeros(4, dtype=i64)"] if " i," in text else []
    assert says in run("run", text, "x=randn(4, 5)", *given, code=2).stderr


def test_edges_that_are_taken(run):
    run("run", "smooth_l1_loss(x, y, beta=0) - l1_loss(x, y), smooth_l1_loss(x, y, beta=b), "
        "cross_entropy(x, y, label_smoothing=1), index_add(x, 0, [1], x[:1])", "x=randn(4, 5)",
        "y=rand(4, 5)", "b=0.5")
