"""Functions of the library whose results are floats, of integers: nothing wraps on the way. Each is
compared with itself of the same numbers in float32."""

import numpy as np
import pytest

UNARY = """
squared_relu(x) star_relu(x) rrelu(x) sigmoid(x) logsigmoid(x) silu(x) swish(x) gelu(x)
gelu(x,approximate="tanh") quick_gelu(x) softplus(x) squareplus(x) sparse_plus(x)
sparse_sigmoid(x) softsign(x) elu(x) selu(x) celu(x) mish(x) serf(x) snake(x) softcap(x)
hardsigmoid(x) hardswish(x) hardshrink(x) softshrink(x) tanhshrink(x) glu(x) swiglu(x) reglu(x)
i0e(x) i1e(x) logit(x) sinc(x) deg2rad(x) erfcx(x) log_ndtr(x) entr(x) ndtr(x) norm_pdf(x)
exprel(x) cosm1(x) log1mexp(x) log_cosh(x) trigamma(x) polygamma(2,x) zeta(x) exp10(x)
softmax(x) log_softmax(x) softmin(x) logsumexp(x,axis=1) layer_norm(x) rms_norm(x) normalize(x)
standardize(x) minmax_scale(x) clip_by_norm(x,3.0) zscore(x) skew(x) kurtosis(x) moment(x) rms(x)
mean_abs_deviation(x) var(x) std(x,axis=0) vector_norm(x) norm(x,axis=1) vector_norm(x,ord=inf)
vector_norm(x,ord=1,axis=0) vector_norm(x,ord=3) average(x,axis=1) hmean(x) variation(x)
srgb_to_linear(x) adjust_gamma(x,2) fake_quantize(x,0.5,3) quantize_int8(x,3.5,3)
quantize_int8_dynamic(x) quantize_uint8_dynamic(x) clip_grad_norm(x) global_norm(x)
softmax(-float(x)) scale_mask_softmax(x) logmeanexp(x) expit(x)
""".split()
BINARY = """
prelu(x,y) swiglu(x,y) geglu(x,y) pairwise_distance(x,y) cosine_similarity(x,y) cdist(x,y)
euclidean_distance(x,y) manhattan_distance(x,y) chebyshev_distance(x,y) braycurtis_distance(x,y)
canberra_distance(x,y) cosine_distance(x,y) rbf_kernel(x,y) lerp(x,y,0.25) addcdiv(x,y,3)
logaddexp(x,y) logaddexp2(x,y) isclose(x,y,atol=100) mse_loss(x,y) l1_loss(x,y) l2_loss(x,y)
mse_loss(x,y,reduction="none") smooth_l1_loss(x,y,reduction="none") huber_loss(x,y)
log_cosh_loss(x,y) kl_div(x,y) poisson_nll_loss(x,y) gaussian_nll_loss(x,y,0.5)
soft_margin_loss(x,y) hinge_loss(x,y) hinge_embedding_loss(x,y) margin_ranking_loss(x,y,1)
charbonnier_loss(x,y) quantile_loss(x,y) mape_loss(x,y) dice_loss(x,y) xlogy(x,y) rel_entr(x,y)
huber(x,y) pseudo_huber(x,y) betaln(x,y) covariance(x,y) correlation(x,y) average(x,0,y)
triplet_margin_loss(x,y,x) cosine_embedding_loss(x,y,1) sgd(x,y) lion(x,y,x) ema(x,y)
binary_cross_entropy_with_logits(x,y) apply_rotary(x,y,x) dequantize(x,0.5,y) add_rms_norm(x,y)
""".split()
SQUARES = """
squared_relu(x) rms(x) vector_norm(x) normalize(x) skew(x) rms_norm(x) adjust_gamma(x,2) moment(x)
""".split()
TUPLES = ("quantize_int8_dynamic", "quantize_uint8_dynamic", "clip_grad_norm", "lion")
rng = np.random.default_rng(11)


def batches(texts, n=18):
    return [texts[i:i + n] for i in range(0, len(texts), n)]


@pytest.mark.parametrize("dtype, texts", [(np.uint8, b) for b in batches(UNARY)] +
                         [(np.int8, b) for b in batches(BINARY) + [SQUARES]])
def test_nothing_wraps(run, tmp_path, dtype, texts):
    top = np.iinfo(dtype)
    x = rng.integers(top.min, top.max, (6, 12), endpoint=True).astype(dtype)
    x[0, :4] = [top.min, top.max, 0, 1]
    found = []
    for cast in (dtype, np.float32):
        np.save(tmp_path / "x.npy", x.astype(cast))
        np.save(tmp_path / "y.npy", x[::-1, ::-1].astype(cast))
        text = ", ".join(f"({t})[0]" if t.split("(")[0] in TUPLES else t for t in texts)
        inputs = [f"{n}=@{n}.npy" for n in ("x", "y") if n == "x" or ",y" in text]
        outs = sum((["-o", f"out{i}.npy"] for i in range(len(texts))), [])
        run("run", text, *inputs, *outs)
        found.append([np.load(tmp_path / f"out{i}.npy") for i in range(len(texts))])
    for text, got, want in zip(texts, *found):
        assert got.dtype == want.dtype, text
        np.testing.assert_allclose(got, want, rtol=3e-6, atol=1e-6, err_msg=text)


@pytest.mark.parametrize("name, low, high", [("i8", -128, 127), ("u8", 0, 255),
                                             ("i32", -2**31, 2**31 - 1), ("i64", -2**63, 2**63 - 1)])
def test_literal_floats_saturate(run, tmp_path, name, low, high):
    literals = {"inf": high, "-inf": low, "nan": 0, "1e30": high, "-1e30": low, "-3.7": max(-3, low),
                "100.9": 100}
    text = ", ".join(f"full(2, {number}, dtype={name})" for number in literals)
    outs = sum((["-o", f"out{i}.npy"] for i in range(len(literals))), [])
    run("run", text, *outs)
    for i, want in enumerate(literals.values()):
        assert np.load(tmp_path / f"out{i}.npy").tolist() == [want, want]


# ptxas takes what is made of the lowest number, which has no counterpart, for a positive one.
LOWEST = """
-x<0 -x>0 abs(x)<0 abs(x)>0 0-x<0 x*-1<0 -x==x sign(-x) sign(abs(x)) cast(-x,i64) cast(abs(x),i64)
cast(0-x,f32) cast(x*-1,f32) where(-x<0,1,2) maximum(-x,0) minimum(abs(x),0) -x>>1 abs(x)>>1
~x+1<0 ~x+1>0 maximum(~x+1,0)
""".split()


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int32, np.int64])
def test_the_lowest_wraps(run, tmp_path, dtype):
    low = np.iinfo(dtype).min
    x = np.array([low, low + 1, -1, 0, 1, -low - 1] * 11, dtype)
    np.save(tmp_path / "x.npy", x)
    outs = sum((["-o", f"out{i}.npy"] for i in range(len(LOWEST))), [])
    run("run", ", ".join(LOWEST), "x=@x.npy", *outs)
    names = {"abs": np.abs, "sign": np.sign, "maximum": np.maximum, "minimum": np.minimum,
             "where": np.where, "i64": np.int64, "f32": np.float32, "x": x,
             "cast": lambda a, to: a.astype(to)}
    with np.errstate(all="ignore"):
        for i, text in enumerate(LOWEST):
            wanted = eval(text, names)
            got = np.load(tmp_path / f"out{i}.npy")
            np.testing.assert_array_equal(got, wanted, err_msg=text)


# ptxas, of an H100, takes a negated argument of a maximum of three as it was before.
NEGATED = ["np.max(-x, 0)", "np.min(-x, 0)", "np.max(x * -1, 0)", "np.max(~x + 1, 0)",
           "np.min(0 - x, 1)", "np.max(-x, 1)", "np.max(-np.abs(x), 0)", "np.argmax(-x, 0)",
           "np.maximum(np.maximum(-x, -y), x ^ y)", "np.minimum(np.minimum(-x, x - y), ~y + 1)",
           "np.max(np.where(x > y, -x, x), 0)", "np.max(-(x & 7), 0)", "np.clip(-x, -y, 3)"]


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int32, np.int64])
def test_largest_of_negated(run, tmp_path, dtype):
    outs = sum((["-o", f"out{i}.npy"] for i in range(len(NEGATED))), [])
    for shape in [(8, 2), (16, 40), (300, 5)]:
        x, y = np.random.default_rng(1).integers(-10, 11, (2, *shape)).astype(dtype)
        np.save(tmp_path / "x.npy", x)
        np.save(tmp_path / "y.npy", y)
        run("run", ", ".join(NEGATED), "x=@x.npy", "y=@y.npy", *outs)
        for i, text in enumerate(NEGATED):
            wanted = eval(text, {"np": np, "x": x, "y": y})
            np.testing.assert_array_equal(np.load(tmp_path / f"out{i}.npy"), wanted, err_msg=text)


@pytest.mark.parametrize("text, dtype, most, says", [
    ("np.clip(i, 0, len(L) - 1)", "u8", 256, "a size of 256 doesn't fit uint8"),
    ("i % len(L)", "i8", 127, "a size of 128 doesn't fit int8"),
    ("i + len(L)", "i16", 32767, "a size of 32768 doesn't fit int16"),
    ("i * (9 - len(L))", "u8", 9, "a size of -1 doesn't fit uint8"),
    ("where(i > 3, i, len(L))", "i8", 127, "a size of 128 doesn't fit int8"),
    ("np.full_like(i, len(L))", "u8", 255, "a size of 256 doesn't fit uint8"),
    ("np.full((2,), len(L), dtype=np.uint8)", "", 255, "a size of 256 doesn't fit uint8"),
    ("np.pad(i, 1, constant_values=len(L))", "u8", 255, "a size of 256 doesn't fit uint8"),
    ("np.array([1, len(L)], dtype=np.int8)", "", 127, "a size of 128 doesn't fit int8"),
    ("np.arange(len(L), dtype=np.int8)", "", 128, "a size of 128 doesn't fit int8"),
    ("np.add(i, len(L), dtype=np.uint8)", "u8", 255, "a size of 256 doesn't fit uint8"),
])
def test_sizes_must_fit(run, tmp_path, text, dtype, most, says):
    """A size that meets narrow integers is an error where a literal would be one."""
    types = {"u8": np.uint8, "i8": np.int8, "i16": np.int16}
    i = np.arange(100).astype(types.get(dtype, np.int8))
    np.save(tmp_path / "i.npy", i)
    given = ["i=@i.npy"] if dtype else []
    run("run", text, *given, f"L=zeros({most})", "-o", "out.npy")
    scope = {"np": np, "i": i, "L": np.zeros(most), "where": np.where}
    with np.errstate(all="ignore"):
        want = eval(text, scope)
    got = np.load(tmp_path / "out.npy")
    assert got.dtype == want.dtype and np.array_equal(got, want)
    assert says in run("run", text, *given, f"L=zeros({most + 1})", code=2).stderr


def test_sizes_that_fit(run, tmp_path):
    """Comparisons and quotients are of the size itself."""
    run("run", "i < len(L), i / len(L), cast(i, int64) * len(L)", "i=arange(100, dtype=u8)",
        "L=zeros(1000)", *sum((["-o", f"out{k}.npy"] for k in range(3)), []))
    i = np.arange(100)
    assert np.load(tmp_path / "out0.npy").all()
    assert np.array_equal(np.load(tmp_path / "out1.npy"), (i / 1000).astype(np.float32))
    assert np.array_equal(np.load(tmp_path / "out2.npy"), i * 1000)


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.int32])
def test_polynomials_of_lists(run, tmp_path, dtype):
    """A list of coefficients is an array of int64, or of float64, as in NumPy."""
    i = np.array([0, 1, 100, 127], dtype)
    np.save(tmp_path / "i.npy", i)
    texts = ["np.polyval([1, 0, 2], i)", "np.polyval([300], i)", "np.polyval([0.5, 1, -3], i)"]
    run("run", ", ".join(texts), "i=@i.npy", *sum((["-o", f"{k}.npy"] for k in range(3)), []))
    for k, text in enumerate(texts):
        got, want = np.load(tmp_path / f"{k}.npy"), eval(text, {"np": np, "i": i})
        assert got.dtype == want.dtype and np.array_equal(got, want), text


@pytest.mark.parametrize("text", [
    "np.insert(i, 1, N)", "np.insert(i, 1, [1, N])", "np.copyto(i, N)", "np.put(i, 0, N)",
    "np.put(i, [0, 1], [2, N])", "np.putmask(i, i > 1, N)", "np.putmask(i, i > 1, [N, 1])",
    "np.place(i, i > 1, [N])", "np.fill_diagonal(reshape(i, (3, 3)), N)",
    "np.put_along_axis(i, i * 0, N, 0)", "index_put(i, (i,), N)", "np.ediff1d(i, [N])",
    "diagonal_scatter(reshape(i, (3, 3)), N)", "masked_scatter(i, i > 0, N)",
    "index_fill(i, 0, [0], N)"])
def test_values_that_do_not_fit(run, text):
    """A number that is written into narrow integers must fit them, a size too."""
    for dtype, number, name in (("u8", -1, "uint8"), ("u8", 300, "uint8"), ("i8", 128, "int8")):
        done = run("run", text.replace("N", str(number)), f"i=arange(9, dtype={dtype})", code=2)
        assert f"{number} doesn't fit {name}" in done.stderr
    run("run", text.replace("N", "255"), "i=arange(9, dtype=u8)")
    run("run", text.replace("N", "len(L)"), "i=arange(9, dtype=u8)", "L=zeros(255)")
    done = run("run", text.replace("N", "len(L)"), "i=arange(9, dtype=u8)", "L=zeros(256)", code=2)
    assert "a size of 256 doesn't fit uint8" in done.stderr
