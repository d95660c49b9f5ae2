"""The command: run, check, explain, emit, ops, doctor, cache; and every kind of bad input."""

import json
import os
import pathlib

import numpy as np
import pytest

CASES = {
    "relu_dropout": (["relu_dropout", "x=randn(200, 300)"], 1),
    "relu_dropout_mask": (["relu_dropout_mask", "x=randn(200, 300)", "mask=rand(200, 300)"], 1),
    "relu_dropout_bool": (
        ["relu_dropout_mask", "x=randn(200, 300)", "mask=rand(200, 300, dtype=bool)"], 1),
    "fma": (["fma", "q=randn(60000)", "k=randn(60000)", "v=randn(60000)"], 1),
    "quantize_int8": (["quantize_int8", "x=randn(60000)", "scale=0.02", "zero_point=3"], 1),
    "add_mul_exp": (["add_mul_exp", "x=randn(60000)", "y=randn(60000)"], 1),
    "relu_layernorm": (["relu_layernorm", "x=randn(64, 1024)"], 1),
    "softmax": (["softmax", "x=randn(64, 1024)", "axis=-1"], 1),
    "layer_norm": (
        ["layer_norm(gelu(x + b) + r)", "x=randn(64, 768)", "b=randn(768)", "r=randn(64, 768)"], 1),
    "l2_normalize": (["x / sqrt(sum(x * x, axis=-1, keepdims=True))", "x=randn(64, 1024)"], 1),
    "entropy": (["p = softmax(x, axis=-1); -sum(p * log(p), axis=-1)", "x=randn(64, 1024)"], 1),
    "three_results": (
        ["relu(x), relu(x) * 2 + y, mean(relu(x), axis=-1)", "x=randn(64, 1024)",
         "y=randn(64, 1024)"], 1),
    "mse": (["mean((x - y) ** 2)", "x=randn(100000)", "y=randn(100000)"], 2),
    "sum_rows": (["sum(relu(x), axis=0)", "x=randn(1000, 300)"], 2),
    "add_transposed": (["x + y.T", "x=randn(200, 300)", "y=randn(300, 200)"], 1),
}


def save(tmp_path, **arrays):
    for name, array in arrays.items():
        np.save(tmp_path / f"{name}.npy", array)


def random(*shape, seed=0, dtype=np.float32):
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


# ---------------------------------------------------------------- run


def test_run_saves_results(run, tmp_path):
    x, y = random(30, 40), random(40, seed=1)
    save(tmp_path, x=x, y=y)
    run("run", "exp((x + y) * 2)", "x=@x.npy", "y=@y.npy", "-o", "out.npy")
    want = np.exp((x.astype(np.float64) + y) * 2)
    np.testing.assert_allclose(np.load(tmp_path / "out.npy"), want, rtol=3e-6)


@pytest.mark.parametrize("order", ["C", "F"])
def test_run_takes_either_order(run, tmp_path, order):
    x, y = random(30, 41), random(30, 41, seed=1)
    save(tmp_path, x=x, y=np.asarray(y, order=order))
    run("run", "x * 2 + y", "x=@x.npy", "y=@y.npy", "-o", "out.npy")
    np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), x * np.float32(2) + y)


def test_run_bfloat16(run, tmp_path):
    x = random(100)
    bits = (x.view(np.uint32) >> 16).astype(np.uint16)
    save(tmp_path, x=bits.view("V2"))
    run("run", "x * 2", "x=@x.npy:bf16", "-o", "out.npy")
    out = np.load(tmp_path / "out.npy")
    assert out.dtype == np.dtype("V2")
    np.testing.assert_array_equal(
        out.view(np.uint16).astype(np.uint32) << 16,
        (2 * (bits.astype(np.uint32) << 16).view(np.float32)).view(np.uint32))
    done = run("run", "x * 2", "x=@x.npy", code=2)
    assert "bf16" in done.stderr


@pytest.mark.parametrize("dtype", ["f8e4m3", "f8e5m2"])
def test_run_float8(run, tmp_path, dtype):
    mantissa, bias = (3, 7) if dtype == "f8e4m3" else (2, 15)
    codes = np.arange(256, dtype=np.uint8)
    e, m = (codes & 127) >> mantissa, codes & ((1 << mantissa) - 1)
    values = np.where(e > 0, (1 + m / (1 << mantissa)) * 2.0 ** (e.astype(int) - bias),
                      m / (1 << mantissa) * 2.0 ** (1 - bias))
    if dtype == "f8e4m3":
        values[codes & 127 == 127] = np.nan
    else:
        values[e == 31] = np.where(m[e == 31] > 0, np.nan, np.inf)
    values = np.where(codes > 127, -values, values).astype(np.float32)
    save(tmp_path, x=codes.view("V1"))
    run("run", f"x * 0.5, cast(x * 1, {dtype}), x[::-1]", f"x=@x.npy:{dtype}",
        "-o", "half.npy", "-o", "same.npy", "-o", "back.npy")
    np.testing.assert_array_equal(np.load(tmp_path / "half.npy"), values * np.float32(0.5))
    numbers = ~np.isnan(values)
    for name, turn in ("same", 1), ("back", -1):
        out = np.load(tmp_path / f"{name}.npy")
        assert out.dtype == np.dtype("V1")
        np.testing.assert_array_equal(out.view(np.uint8)[::turn][numbers], codes[numbers])
    done = run("run", "x * 2", "x=@x.npy", code=2)
    assert "f8e4m3" in done.stderr and "f8e5m2" in done.stderr


def test_run_several_results(run, tmp_path):
    x = random(20, 30)
    save(tmp_path, x=x)
    out = run("run", "h = relu(x); h, mean(h, axis=-1)", "x=@x.npy", "-o", "h.npy", "-o", "m.npy",
              json_output=True)
    assert [r["name"] for r in out["results"]] == ["h", "out1"]
    assert [r["file"] for r in out["results"]] == ["h.npy", "m.npy"]
    assert [r["shape"] for r in out["results"]] == [[20, 30], [20]]
    h = np.maximum(x, 0)
    np.testing.assert_array_equal(np.load(tmp_path / "h.npy"), h)
    mean = h.astype(np.float64).mean(-1)
    np.testing.assert_allclose(np.load(tmp_path / "m.npy"), mean, rtol=1e-5)
    assert run("run", "x, x + 1", "x=@x.npy", "-o", "h.npy", code=2).stderr.startswith("kfuse: ")
    assert "-o needs a file" in run("run", "x", "x=@x.npy", "-o", "-", code=2).stderr


def test_no_two_results_have_one_name(run):
    out = run("run", "out1 = x * 3; out1, x, x, exp(x)", "x=ones(4)", json_output=True)
    assert [r["name"] for r in out["results"]] == ["out1", "x", "out2", "out3"]
    out = run("run", "out1 = x * 3; out1, x * 5", "x=ones(4)", json_output=True)
    assert [r["name"] for r in out["results"]] == ["out1", "out2"]


@pytest.mark.parametrize("text", [
    "x - x[:, :1]", "x[:, 1:2] * x", "x[:1] + x", "x[:, ::2] * x[:, 1::2][:, :1]", "x[:1] * x[:1]",
    "softmax(x - x[:, -1:])", "where(x[:1, 3:4] > 0, x, x[:, :1])"])
def test_slices_of_one_broadcast(run, text):
    run("check", text, "x=randn(5, 12)")
    assert "is 0 but" in bad(run, "run", "x + x[:, :1]", "x=ones((3, 0))")


def test_run_numbers(run, tmp_path):
    x = random(100)
    save(tmp_path, x=x)
    for text, value in [("0.5", 0.5), ("-1e-5", -1e-5), ("3", 3), ("-3", -3), ("inf", np.inf)]:
        run("run", "x + s", "x=@x.npy", f"s={text}", "-o", "out.npy")
        np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), x + np.float32(value))
    run("run", "x * s", "x=@x.npy", "s=nan", "-o", "out.npy")
    assert np.isnan(np.load(tmp_path / "out.npy")).all()
    run("run", "sum", "x=@x.npy", "keepdims=True", "-o", "out.npy")
    assert np.load(tmp_path / "out.npy").shape == (1,)


def test_literals_of_a_name(run, tmp_path):
    x = random(6, 7, 8)
    save(tmp_path, x=x)
    run("run", "sum", "x=@x.npy", "axis=(0, 2)", "keepdims=True", "-o", "out.npy")
    want = x.astype(np.float64).sum((0, 2), keepdims=True)
    np.testing.assert_allclose(np.load(tmp_path / "out.npy"), want, atol=1e-4)
    run("run", "cast", "x=@x.npy", "dtype=f16", "-o", "out.npy")
    np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), x.astype(np.float16))
    assert run("check", "gelu", "x=@x.npy", "approximate=tanh", json_output=True)["ok"]
    assert "'tanh'" in run("run", "gelu", "x=@x.npy", "approximate=tan", code=2).stderr


def test_literals_of_a_def(run, tmp_path):
    x = random(4, 5)
    save(tmp_path, x=x)
    text = ("def f(x, n: tuple, d=f32, how: str = 'none'):\n"
            "    return gelu(x.reshape(n), how).astype(d)\n")
    (tmp_path / "t.kf").write_text(text)
    for what in "t.kf", "t.kf:f":
        run("run", what, "x=@x.npy", "n=(5, 4)", "d=f16", "how=tanh", "-o", "out.npy")
        out = np.load(tmp_path / "out.npy")
        assert out.shape == (5, 4) and out.dtype == np.float16
    run("run", "t.kf", "x=@x.npy", "n=(5, 4)", "d=None", code=2)
    (tmp_path / "t.kf").write_text(text + "x * 2\n")
    err = run("run", "t.kf:f", "x=@x.npy", "n=(5, 4)", code=2).stderr
    assert "can't be given to `f`: t.kf has lines outside of defs" in err


def test_other_names_of_a_parameter(run, tmp_path):
    run("run", "softmax", "input=randn(3, 5)", "dim=0", "-o", "other.npy")
    run("run", "softmax", "x=randn(3, 5)", "axis=0", "-o", "out.npy")
    np.testing.assert_allclose(np.load(tmp_path / "other.npy").sum(0), np.ones(5), rtol=1e-6)
    assert "given twice" in run("run", "softmax", "x=ones(3)", "dim=0", "axis=0", code=2).stderr
    run("run", "sum", "input=ones(2, 3)", "axis=None", "dtype=f64", "-o", "out.npy")
    assert np.load(tmp_path / "out.npy") == 6


@pytest.mark.parametrize("operator, want", [
    ("+", [5, 6, 7]), ("-", [1, 2, 3]), ("*", [6, 8, 10]), ("/", [1.5, 2, 2.5]), ("//", [1, 2, 2]),
    ("%", [1, 0, 1]), ("**", [9, 16, 25]), ("&", [2, 0, 0]), ("|", [3, 6, 7]), ("^", [1, 6, 7]),
    ("<<", [12, 16, 20]), (">>", [0, 1, 1]),
])
def test_an_input_is_assigned_to(run, tmp_path, operator, want):
    run("run", f"x {operator}= 2; x", "x=arange(3, 6)", "-o", "out.npy")
    np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), want)


def test_a_file_as_editors_write_it(run, tmp_path):
    (tmp_path / "f.kf").write_bytes(b"\xef\xbb\xbfdef f(x):\r\n    return x * 2\r\n")
    run("run", "f.kf", "x=3", "-o", "out.npy")
    assert np.load(tmp_path / "out.npy") == 6
    run("run", "(" * 256 + "x" + ")" * 256, "x=ones(3)")


def test_a_number_compiles_once(run):
    first = run("run", "x * 1.25 + s", "x=randn(10)", "s=0.5", json_output=True)
    again = run("run", "x * 1.25 + s", "x=randn(77)", "s=0.75", json_output=True)
    assert again["compiled"] == 0 and again["cache_hits"] == 1 and first["kernels"] == 1


@pytest.mark.parametrize("recipe, want", [
    ("arange(5)", np.arange(5)),
    ("arange(1, 2, 0.25)", np.arange(1, 2, 0.25, dtype=np.float32)),
    ("arange(5, dtype=f16)", np.arange(5, dtype=np.float16)),
    ("ones(2, 3)", np.ones((2, 3), np.float32)),
    ("zeros((2, 3), dtype=int8)", np.zeros((2, 3), np.int8)),
    ("full((2, 3), -2.5)", np.full((2, 3), -2.5, np.float32)),
    ("full(4, 7, dtype=i64)", np.full(4, 7)),
    ("ones(2x3)", np.ones((2, 3), np.float32)),
    ("ones(1K)", np.ones(1000, np.float32)),
    ("arange(0x10)", np.arange(16)),
    ("ones(0x10, 4)", np.ones((16, 4), np.float32)),
    ("full(2x3, 4)", np.full((2, 3), 4, np.float32)),
    ("arange(9007199254740993, 9007199254740996)", np.arange(2**53 + 1, 2**53 + 4)),
    ("arange(5, 0, -2)", np.arange(5, 0, -2)),
    ("arange(-9223372036854775808, 9223372036854775807, 9223372036854775807)",
     np.array([-2**63, -1, 2**63 - 2])),
    ("full((2,), 9223372036854775807, dtype=i64)", np.full(2, 2**63 - 1)),
    ("full((2,), -9223372036854775808, dtype=i64)", np.full(2, -2**63)),
    ("randint(9007199254740993, 9007199254740994, 5)", np.full(5, 2**53 + 1)),
])
def test_recipes(run, tmp_path, recipe, want):
    run("run", "x.T.T", f"x={recipe}", "-o", "out.npy")
    out = np.load(tmp_path / "out.npy")
    assert out.dtype == want.dtype
    np.testing.assert_array_equal(out, want)


def test_random_recipes(run, tmp_path):
    def make(name, recipe):
        run("run", f"{name} * 1", f"{name}={recipe}", "-o", "out.npy")
        return np.load(tmp_path / "out.npy")

    x = make("x", "randn(300, 200)")
    assert abs(x.mean()) < 0.02 and abs(x.std() - 1) < 0.02 and abs((x**3).mean()) < 0.05
    assert np.array_equal(x, make("x", "randn(300, 200)"))
    assert not np.array_equal(x, make("y", "randn(300, 200)"))
    assert not np.array_equal(x, make("x", "randn(300, 200, seed=1)"))
    assert np.array_equal(x.ravel(), make("x", "randn(60000)"))
    u = make("x", "rand(300, 200, dtype=f64)")
    assert u.dtype == np.float64 and 0 <= u.min() and u.max() < 1 and abs(u.mean() - 0.5) < 0.01
    run("run", "where(m, 1, 0)", "m=rand(1000, dtype=bool)", "-o", "out.npy")
    assert 400 < np.load(tmp_path / "out.npy").sum() < 600


def test_run_writes_through_links(run, tmp_path):
    (tmp_path / "there").mkdir()
    (tmp_path / "one.npy").symlink_to("there/two.npy")
    (tmp_path / "there" / "two.npy").symlink_to("three.npy")
    for value in 1, 2:  # the file isn't there yet, and then it is
        run("run", "x * 1", f"x=full(3, {value})", "-o", "one.npy")
        assert (tmp_path / "one.npy").is_symlink()
        assert (tmp_path / "there" / "two.npy").is_symlink()
        three = np.load(tmp_path / "there" / "three.npy")
        np.testing.assert_array_equal(three, np.full(3, value, np.float32))
    (tmp_path / "loop.npy").symlink_to("loop.npy")
    assert "symbolic links" in bad(run, "run", "x * 1", "x=ones(3)", "-o", "loop.npy")


def test_one_file_for_two_results(run, tmp_path):
    (tmp_path / "link.npy").symlink_to("a.npy")
    two = ["run", "x, x + 1", "x=ones(3)", "-o", "a.npy", "-o"]
    for other in "a.npy", "./a.npy", tmp_path / "a.npy", "link.npy":
        assert "two results" in bad(run, *two, other)
    assert "two results" in bad(run, *two, "b.npy", "--json", "./b.npy")
    assert "two results" in bad(run, "emit", "x", "x=ones(3)", "-o", "k", "--cubin", "k")
    assert "two results" in bad(run, "bench", "fma", "--plot", "p", "--json", "p")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link.npy"]
    run("run", "x, x + 1", "x=ones(3)", "-o", "/dev/null", "-o", "/dev/null")


def test_run_file(run, tmp_path):
    (tmp_path / "f.kf").write_text(
        "def twice(x):\n    return x * 2\n\ndef shifted(x, by=1.0):\n    return twice(x) + by\n")
    save(tmp_path, x=random(10))
    run("run", "f.kf", "x=@x.npy", "-o", "a.npy")
    run("run", "f.kf:twice", "x=@x.npy", "-o", "b.npy")
    a, b = np.load(tmp_path / "a.npy"), np.load(tmp_path / "b.npy")
    np.testing.assert_array_equal(b, random(10) * 2)
    np.testing.assert_array_equal(a, b + np.float32(1))
    done = run("run", "f.kf:twise", "x=@x.npy", code=2)
    assert "twice" in done.stderr
    done = run("run", "f.kf:g", "x=@x.npy", code=2)
    assert "f.kf: there is no def `g`; there are twice, shifted" in done.stderr
    (tmp_path / "bad.kf").write_text("def f(x):\n    return exq(x)\n")
    done = run("run", "bad.kf", "x=@x.npy", code=2)
    assert "bad.kf:2:12" in done.stderr and "exp" in done.stderr and "^" in done.stderr


def test_names_of_modules(run, tmp_path):
    x = np.arange(5, dtype=np.float32)
    save(tmp_path, x=x)
    for name, want in (("np.negative", -x), ("F.relu", x), ("torch.var", x.var(ddof=1)),
                       ("np.var", x.var()), ("torch.nn.functional.relu", x)):
        run("run", name, "x=@x.npy", "-o", "out.npy")
        np.testing.assert_allclose(np.load(tmp_path / "out.npy"), want, rtol=1e-6)
    assert run("ops", "np.exp").stdout == run("ops", "exp").stdout
    assert run("ops", "torch.var").stdout.startswith("torch.var(x")


def test_integers_as_arguments(run, tmp_path):
    (tmp_path / "f.kf").write_text("def f(x, n: int):\n    return x * n\n")
    for n, words in (("nan", "not nan"), ("inf", "not an infinity"), ("1.5", "with a fraction"),
                     ("99999999999999999999", "in 64 bits"), ("1e30", "beyond 64 bits"),
                     ("2.0", "not a float")):
        assert words in bad(run, "run", "f.kf", "x=ones(3)", f"n={n}")


def test_run_prints(run):
    done = run("run", "x + 1", "x=arange(2000, dtype=f32)")
    assert "float32 (2000,)" in done.stdout and "..." in done.stdout and " 2000]" in done.stdout
    done = run("run", "x + 1", "x=arange(6)", "--json", "-")
    assert json.loads(done.stdout)["device"] == "cpu" and "1 2 3 4 5 6" in done.stderr


def test_no_fuse_counts_kernels(run):
    arguments = ["exp((x + y) * 2)", "x=randn(10)", "y=randn(10)"]
    assert run("run", *arguments, json_output=True)["kernels"] == 1
    assert run("run", *arguments, "--no-fuse", json_output=True)["kernels"] == 3
    gelu = ["gelu(x) + 1", "x=randn(10)"]
    assert run("run", *gelu, "--no-fuse", json_output=True)["kernels"] == 2
    assert run("run", *gelu, "--no-fuse=ops", json_output=True)["kernels"] > 2


def test_run_emulated(run, tmp_path):
    arguments = ["softmax(x + y, axis=-1)", "x=randn(8, 300)", "y=randn(300)"]
    run("run", *arguments, "-o", "a.npy")
    done = run("run", *arguments, "-o", "b.npy", "--device", "cuda-emulated", code=None)
    if "unknown type name" in done.stderr:
        pytest.skip("the emulation has no prelude yet")
    assert done.returncode == 0, done.stderr
    np.testing.assert_allclose(np.load(tmp_path / "a.npy"), np.load(tmp_path / "b.npy"), rtol=1e-5)


# ---------------------------------------------------------------- check, explain, emit


@pytest.mark.parametrize("case", CASES)
def test_check(run, case):
    out = run("check", *CASES[case][0], json_output=True)
    assert out["ok"] is True
    for result in out["results"]:
        assert set(result) == {"name", "fused", "unfused", "tolerance"}


@pytest.mark.parametrize("seed", [3, 4, 7, 8, 9, 11])
def test_check_grants_what_kernels_round(run, seed):
    """x + z and x - y are rounded to f16 between the unfused kernels, and then cancel."""
    inputs = [f"{name}=randn(4000, dtype=f16, seed={seed + k})"
              for name, k in (("x", 0), ("y", 100), ("z", 200))]
    out = run("check", "x + z + (x - y)", *inputs, json_output=True)
    assert out["ok"], out


def test_check_of_rows_that_are_one_value(run):
    """What is stored of a row's rounded value isn't what it was rounded from, in another loop."""
    text = "u = log_softmax(pad(x, 2)[1]); ldexp(u - var(u, -1, keepdims=True), 2)"
    assert run("check", text, "x=randn(1, 1, 1, dtype=bf16)", json_output=True)["ok"]


@pytest.mark.parametrize("shape", ["10000000000, 0", "10000000000, 10000000000, 0"])
@pytest.mark.parametrize("text", ["x + 1", "x.T", "concat((x, x), axis=1)",
                                  "take_along_axis(x, cast(x, i64), axis=-1)"])
def test_check_of_nothing(run, text, shape):
    assert run("check", text, f"x=zeros({shape})", timeout=20, json_output=True)["ok"]


def test_check_eager(run):
    out = run("check", "gelu(x + y) * 2", "x=randn(1000, dtype=f16)", "y=randn(1000, dtype=f16)",
              "--numerics", "eager", json_output=True)
    assert out["ok"]


def result_bytes(results):
    size = {"float32": 4, "int8": 1, "float16": 2, "bfloat16": 2, "float64": 8, "bool": 1}
    return sum(int(np.prod(r["shape"])) * size[r["dtype"]] for r in results)


def input_bytes(arguments):
    total = 0
    for argument in arguments[1:]:
        recipe = argument.split("=", 1)[1]
        if "(" in recipe:
            inside = recipe[recipe.index("(") + 1 : -1].split(",")
            shape = [int(item) for item in inside if "=" not in item]
            total += int(np.prod(shape)) * (1 if "bool" in recipe else 4)
    return total


@pytest.mark.parametrize("case", CASES)
def test_explain_counts_every_byte_once(run, case):
    arguments, launches = CASES[case]
    out = run("explain", *arguments, json_output=True)
    ran = run("run", *arguments, json_output=True)
    assert out["fused"]["kernels"] == ran["kernels"] <= launches
    assert len(out["kernels"]) == 1
    kernel = out["kernels"][0]
    want = input_bytes(arguments) + result_bytes(ran["results"])
    assert out["fused"]["bytes"] == kernel["bytes_read"] + kernel["bytes_written"] == want
    assert out["fused"]["temp_bytes"] == 0
    assert out["unfused"]["bytes"] >= want


def test_explain_leaves_out_what_says_nothing(run):
    out = run("explain", "var(x), mean(x)", "x=randn(100, 100)").stdout
    assert "1 kernel instead of 2" in out and "temporaries" not in out
    out = run("explain", "sum(x, 0), sum(x, 1), max(x)", "x=randn(100, 100)").stdout
    assert "; nothing is fused, x is read by 3 kernels\n" in out
    assert "; there is nothing to fuse\n" in run("explain", "exp(x)", "x=randn(100)").stdout


def test_explain_for_people(run):
    done = run("explain", "exp((x + y) * 2)", "x=randn(1M)", "y=randn(1M)")
    assert "1 kernel" in done.stdout and "12.0 MB" in done.stdout


def test_emit(run, tmp_path):
    done = run("emit", "exp(x) * 2", "x=ones(10)")
    assert "kf_exp_f32" in done.stdout and "__global__" not in done.stdout
    run("emit", "exp(x) * 2", "x=ones(10)", "--target", "cuda", "--arch", "sm_80", "-o", "k.cu")
    assert "kf_exp_f32" in (tmp_path / "k.cu").read_text()
    for device in "cuda", "cuda:1":
        done_there = run("emit", "exp(x) * 2", "x=ones(10)", "--device", device, "--arch", "sm_80")
        assert done_there.stdout == (tmp_path / "k.cu").read_text()
    env = {"PATH": "/nonexistent"}  # no compiler is needed
    assert run("emit", "exp(x) * 2", "x=ones(10)", env=env).stdout == done.stdout
    assert "standalone" in run("emit", "exp(x)", "x=ones(1)", "--standalone", "d", code=2).stderr


# Reshapes: the text divides by no size, and is the same for other outer sizes.
RESHAPES = [
    ("x.reshape(-1, 8).max(-1)", ["5,6,32", "9,5,32"]),
    ("softmax(x.permute(1, 0, 2).reshape(-1, 64))", ["6,5,32", "6,9,32", "8,2,16"]),
    ("x.permute(1, 0, 2).reshape(-1, 96) * 2", ["3,7,32", "3,50,32"]),
    ("pad(x, 1).reshape(-1) * 2", ["5,6", "30,20"]),
]


@pytest.mark.parametrize("text, shapes", RESHAPES)
@pytest.mark.parametrize("target", ["c", "cuda"])
def test_reshapes(run, tmp_path, text, shapes, target):
    texts = []
    for shape in shapes:
        source = run("emit", text, f"x=randn({shape})", "--target", target).stdout
        kernels = source[source.index("} k0_"):]
        assert "floordiv" not in kernels and "kf_mod_" not in kernels
        texts.append(kernels)
        if target == "c":
            run("check", text, f"x=randn({shape})")
    assert texts[0] == texts[1]


def test_emit_as_in_readme(run):
    readme = (pathlib.Path(__file__).parents[1] / "README.md").read_text()
    shown = readme.split("## A generated kernel")[1].split("```c\n")[1].split("```")[0]
    done = run("emit", "exp((x + y) * 2)", "x=randn(4096, 1024)", "y=randn(4096, 1024)")
    assert done.stdout.endswith(shown)


def test_emit_cubin(run, tmp_path):
    done = run("emit", "softmax(x)", "x=ones(10, 10)", "--cubin", "k.cubin", code=None)
    if done.returncode == 2 and "NVRTC" in done.stderr:
        pytest.skip("NVRTC isn't here")
    assert done.returncode == 0 and (tmp_path / "k.cubin").read_bytes()[:4] == b"\x7fELF"


# ---------------------------------------------------------------- ops, doctor, cache, help


def test_json_of_a_failure_is_no_file(run, tmp_path):
    run("run", "x * 2", "x=ones(3)", "-o", "a.npy", "-o", "b.npy", "--json", "out.json", code=2)
    assert not (tmp_path / "out.json").exists() and not (tmp_path / "a.npy").exists()
    run("explain", "max(x)", "x=zeros(0)", "--json", "why.json", code=2)
    assert not (tmp_path / "why.json").exists()


def test_explain_saves_json(run, tmp_path):
    run("explain", "exp(x) * 2", "x=ones(3)", "--json", "why.json")
    text = (tmp_path / "why.json").read_text()
    assert json.loads(text)["fused"]["kernels"] == 1 and text.count("\n") == 1


@pytest.mark.parametrize("shape", ["0", "3, 0", "0, 3", "10000000000, 0", "2, 0, 3"])
def test_empty_arrays_are_printed_as_numpy_does(run, shape):
    done = run("run", "x + 1", f"x=zeros({shape})", timeout=20)
    assert done.stdout.splitlines()[1] == "[]"


def test_ops(run):
    ops = {op["name"]: op for op in run("ops", json_output=True)}
    assert ops["exp"]["kind"] == "elementwise" and ops["gelu"]["kind"] == "composite"
    assert ops["bitwise_and"]["dtypes"] == ["bool", "uint8", "int8", "int16", "int32", "int64"]
    assert ops["softmax"]["signature"].startswith("softmax(x")
    assert run("ops", "layer_norm", json_output=True)[0]["name"] == "layer_norm"
    assert "did you mean `softmax`" in run("ops", "sofmax", code=2).stderr
    assert "def softmax(x: real, axis=-1" in run("ops", "softmax").stdout
    assert "max(x, axis=None" in run("ops", "amax").stdout
    lines = run("ops").stdout.split("\n")
    assert max(map(len, lines)) <= 100 and not any(line != line.rstrip() for line in lines)
    assert {line[2:].split("(")[0] for line in lines if line[:2] == "  " != line[1:3]} == set(ops)
    exp = run("ops", "exp").stdout
    assert "kf_exp_T(a)" in exp and "gradient: g * r" in exp and "at most 2 ulp" in exp
    assert "dtypes: all" in run("ops", "reshape").stdout


def test_ops_say_which_dtypes(run):
    """Only what takes no array has none."""
    none = {op["name"] for op in run("ops", json_output=True) if not op["dtypes"]}
    assert none <= {
        "alibi_bias", "alibi_slopes", "arange", "bartlett", "bartlett_window", "bernoulli",
        "blackman", "blackman_window", "causal_mask", "exponential", "eye", "finfo", "full",
        "broadcast_shapes", "diag_indices", "fftfreq", "rfftfreq", "scalar_tensor", "tril_indices",
        "triu_indices", "hamming", "hamming_window", "hann_window", "hanning", "identity", "iinfo",
        "indices", "int", "kaiser", "ravel_multi_index",
        "kaiser_window", "normal", "ones", "polygamma", "rand", "randn", "tri", "uniform",
        "zeros"}


@pytest.mark.parametrize("name, given, shape", [
    ("reshape", ["x=randn(6)", "shape=(2, 3)"], [2, 3]),
    ("reshape", ["x=randn(2, 3)", "shape=(3, 2)", "order='F'"], [3, 2]),
    ("zeros", ["shape=(2, 3)", "dtype=int8"], [2, 3]), ("ones", ["shape=4"], [4]),
    ("transpose", ["x=randn(2, 3, 4)", "axes=(2, 0, 1)"], [4, 2, 3]),
    ("tile", ["x=randn(3)", "reps=(2, 2)"], [2, 6]), ("squeeze", ["x=randn(1, 3, 1)"], [3])])
def test_operations_by_name(run, name, given, shape):
    assert run("run", name, *given, json_output=True)["results"][0]["shape"] == shape


@pytest.mark.parametrize("text, given, shape", [
    ("max_pool1d(x, k)", 2, [2, 4, 2]), ("narrow(x, 1, k, 1)", 2, [2, 1, 4]),
    ("narrow(x, 1, 0, k)", 2, [2, 2, 4]), ("x[:, :abs(-k)]", 2, [2, 2, 4]),
    ("x[:, :(k if k > 1 else 3)]", 1, [2, 3, 4]), ("x[:, :minimum(k, 3) - 1]", 7, [2, 2, 4]),
    ("x[:, :int(floor(k / 2))]", 5, [2, 2, 4]), ("zeros(k if k > 3 else 4) + x", 2, [2, 4, 4]),
    ("x[:, maximum(x.shape[1] - k, 1):]", 9, [2, 3, 4]), ("adaptive_avg_pool1d(x, k)", 2, [2, 4, 2])])
def test_numbers_used_structurally(run, text, given, shape):
    """A number that is given is known where the graph depends on it, through what is computed."""
    done = run("run", text, "x=randn(2, 4, 4)", f"k={given}", json_output=True)
    assert done["results"][0]["shape"] == shape


def test_numbers_that_stay_numbers(run):
    """Another value of what is only computed with compiles nothing, choices included."""
    for k in 1, 2, -3:
        done = run("run", "x * abs(k) if k > 1 else x - maximum(k, 0)", "x=randn(64)", f"k={k}",
                   json_output=True)
    assert done["compiled"] == 0


def test_doctor(run):
    facts = {fact["name"]: fact for fact in run("doctor", json_output=True)}
    assert facts["C compiler"]["found"] and facts["C compiler"]["version"]
    for fact in facts.values():
        assert set(fact) == {"name", "found", "path", "version", "needed_for", "install"}


def test_cache(run, cache_dir):
    before = run("cache", json_output=True)
    assert before["path"] == str(cache_dir) and before["entries"] == 0
    assert run("run", "x * 3", "x=ones(3)", json_output=True)["compiled"] == 1
    assert run("cache", json_output=True)["entries"] == 1
    assert run("run", "x * 3", "x=ones(3)", json_output=True)["compiled"] == 0
    run("cache", "clear")
    assert run("cache", json_output=True)["entries"] == 0


def test_help_and_version(run):
    assert run("--version").stdout.startswith("kfuse 0.")
    for command in ["run", "check", "explain", "emit", "bench", "ops", "doctor", "cache"]:
        assert command in run("--help").stdout
        assert f"usage: kfuse {command}" in run(command, "--help").stdout
    assert "usage" in run(code=2).stderr or "commands" in run(code=2).stderr


# ---------------------------------------------------------------- bad input


def bad(run, *arguments, env=None):
    done = run(*arguments, code=2, env=env)
    assert done.stderr.startswith("kfuse: ") and done.stdout == ""
    return done.stderr


@pytest.mark.parametrize("arguments, words", [
    (["run", "relu(x", "x=ones(3)"], ["never closed", "column", "^"]),
    (["run", "reluu(x)", "x=ones(3)"], ["reluu", "did you mean `relu`", "^"]),
    (["run", "x + y", "x=ones(3, 4)", "y=ones(5)"], ["4", "5", "x.shape[1]", "y.shape[0]"]),
    (["run", "sum(x, axis=2)", "x=ones(3, 4)"], ["axis", "2"]),
    (["run", "sort(x)", "x=ones(3)"], ["sort"]),
    (["run", "x + y", "x=ones(3)"], ["`y` has no value"]),
    (["run", "x", "x=ones(3)", "z=ones(3)"], ["`z`", "x"]),
    (["run", "x", "x=ones(3)", "x=ones(4)"], ["twice"]),
    (["run", "x + 0", "ones(3)"], ["x=ones(3)"]),
    (["run", "x", "x=three"], ["three"]),
    (["run", "x", "x=randm(3)"], ["randm", "randn"]),
    (["run", "x", "x=randn(3, dtype=f33)"], ["dtype"]),
    (["run", "x", "x=randn(-3)"], ["sizes"]),
    (["run", "x", "x=@missing.npy"], ["missing.npy"]),
    (["run", "missing.kf", "x=ones(3)"], ["missing.kf"]),
    (["run"], ["missing"]),
    (["rum", "x"], ["did you mean `kfuse run`"]),
    (["run", "x", "x=ones(3)", "--devise", "cpu"], ["--device"]),
    (["run", "x", "x=ones(3)", "--device", "tpu"], ["cpu, cuda"]),
    (["run", "x", "x=ones(3)", "--plot", "f.svg"], ["--plot"]),
    (["run", "x", "x=ones(3)", "-o"], ["-o needs a value"]),
    (["run", "x", "x=ones(3)", "-o", "--json"], ["-o needs a file", "./--json"]),
    (["run", "x", "x=ones(3)", "--json", "-o"], ["--json needs a file"]),
    (["run", "x", "x=ones(3)", "-v"], ["no option -v"]),
    (["run", "x", "x=ones(3)", "-oout.npy"], ["no option -oout.npy", "-o out.npy"]),
    (["ops", "-v"], ["no option -v"]),
    (["run", "-v", "x + 1", "x=ones(3)"], ["no option -v"]),
    (["run", "cast(x, float33)", "x=ones(3)"], ["no dtype `float33`", "f32"]),
    (["run", "x.astype(complex64)", "x=ones(3)"], ["no dtype `complex64`"]),
    (["run", "zeros(3, dtype=uint16)"], ["no dtype `uint16`"]),
    (["run", "softmax(axis=0)", "x=ones(3)"], ["softmax() needs an argument for `x`", "^"]),
    (["run", "ones(3)", "x=ones(3)"], ["no input `x`; inputs: none"]),
    (["run", "np.nope", "x=ones(3)"], ["`nope`", "^"]),
    (["ops", "np.nope"], ["`nope`"]),
    (["run", "x", "x=ones(3)", "--threads", "1000000"], ["from 1 to 65536"]),
    (["bench", "fma", "--repeats", "2147483648"], ["from 1 to 65536"]),
    (["run", "x * 2", "x=ones(3)", "-o", "no/such/folder.npy"], ["no/such/folder.npy"]),
    (["run", "1 +", "x=ones(3)"], ["column"]),
    (["run", "x and y", "x=ones(3)", "y=ones(3)"], ["&"]),
])
def test_bad_input(run, arguments, words):
    message = bad(run, *arguments)
    for word in words:
        assert word in message


def test_bad_files(run, tmp_path):
    np.save(tmp_path / "objects.npy", np.array([None, "x"], dtype=object), allow_pickle=True)
    assert "objects" in bad(run, "run", "x", "x=@objects.npy")
    np.save(tmp_path / "x.npy", random(100))
    whole = (tmp_path / "x.npy").read_bytes()
    (tmp_path / "cut.npy").write_bytes(whole[:-10])
    assert "truncated" in bad(run, "run", "x", "x=@cut.npy")
    (tmp_path / "text.npy").write_text("1 2 3")
    assert ".npy" in bad(run, "run", "x", "x=@text.npy")
    (tmp_path / "zero.kf").write_bytes(b"x + \0")
    assert "zero" in bad(run, "run", "zero.kf", "x=ones(3)")


def test_no_compiler(run, cache_dir):
    env = {"PATH": "/nonexistent", "KFUSE_CC": "/nonexistent/cc"}
    assert "compiler" in bad(run, "run", "x * 3", "x=ones(3)", "--device", "cpu", env=env)
    run("run", "x * 3", "x=ones(3)", "--device", "cpu")
    env["KFUSE_CC"] = ""
    run("run", "x * 3", "x=ones(3)", "--device", "cpu", env=env)  # from the cache


def test_cpu_level(run):
    for level, lines in ("v3", 0), ("x86-64-v2", 0), ("garbage", 1), ("v9", 1):
        done = run("run", "x * 3", "x=ones(3)", env={"KFUSE_CPU_LEVEL": level})
        assert done.stderr.count("KFUSE_CPU_LEVEL") == len(done.stderr.splitlines()) == lines


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_unwritable_cache(run, tmp_path):
    folder = tmp_path / "locked"
    folder.mkdir(mode=0o500)
    done = run("run", "(x * 3, exp(x))", "x=ones(3)", env={"KFUSE_CACHE_DIR": str(folder)})
    assert done.stderr.count("cache") == 1


def test_unusable_cache(run, tmp_path):
    (tmp_path / "file").write_text("")
    env = {"KFUSE_CACHE_DIR": str(tmp_path / "file" / "cache")}
    done = run("run", "mean(x), exp(y)", "x=ones(3)", "y=ones(4, 5)", env=env)
    assert done.stderr.count("cache") >= 1 and len(done.stderr.splitlines()) == 1
    nowhere = {"KFUSE_CACHE_DIR": "", "XDG_CACHE_HOME": "", "HOME": ""}
    done = run("run", "x * 3", "x=ones(3)", env=nowhere)
    assert "the kernel cache isn't used" in done.stderr
    folder = tmp_path / "open"
    folder.mkdir()
    folder.chmod(0o777)
    done = run("run", "x * 3", "x=ones(3)", env={"KFUSE_CACHE_DIR": str(folder)})
    assert len(done.stderr.splitlines()) == 1
    assert list(pathlib.Path(folder).iterdir()) == []
