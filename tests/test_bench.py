"""kfuse bench: what it writes, that it verifies, and its bad input."""

import json
import shutil
import xml.etree.ElementTree

import pytest

KEYS = {
    "case", "device", "variant", "regime", "elements", "bytes", "us", "gbs", "limit_gbs",
    "share_of_limit", "spec_gbs", "predicted_us", "speedup_vs_unfused", "compile_ms",
    "bytes_fused", "bytes_unfused", "temp_bytes", "err",
}
CASES = [
    "relu_dropout", "relu_dropout_mask", "relu_dropout_bool", "fma", "quantize_int8",
    "add_mul_exp", "relu_layernorm", "softmax", "gelu", "sum_rows", "mse", "add_transposed",
]
needs_gnuplot = pytest.mark.skipif(not shutil.which("gnuplot"), reason="gnuplot isn't here")


def bench(run, *arguments, **keywords):
    return run("bench", *arguments, "--repeats", "3", "--device", "cpu", **keywords)


@pytest.mark.parametrize("size", ["40, 30", "1024, 512"])
def test_cancelled_results_are_not_wrong(run, size):
    """Of the mean of x - mean(x) only what halves were rounded to is left, with and without fusion."""
    out = bench(run, "mean(x - mean(x, 1, keepdims=True))", f"x=randn({size}, dtype=bf16)").stdout
    assert "WRONG" not in out


def test_every_case_verifies(run):
    rows = bench(run, "--sizes", "20K", json_output=True)
    assert sorted({row["case"] for row in rows}) == sorted(CASES)
    assert len(rows) == 2 * len(CASES)
    for row in rows:
        assert KEYS <= set(row) and row["ok"] is True
        assert row["us"]["min"] <= row["us"]["median"] and row["us"]["min"] > 0
        assert row["gbs"] == pytest.approx(row["bytes"] / row["us"]["median"] / 1000)
        assert row["share_of_limit"] == pytest.approx(row["gbs"] / row["limit_gbs"])
        assert set(row["err"]["ulp"]) == {"median", "p90", "p99", "max"}


def test_bytes_and_temporaries(run):
    fused, unfused = bench(run, "add_mul_exp", "--sizes", "100K", json_output=True)
    assert (fused["variant"], unfused["variant"]) == ("fused", "unfused")
    assert fused["bytes"] == fused["bytes_fused"] == 1_200_000
    assert fused["bytes_unfused"] == 2_800_000
    assert fused["temp_bytes"] == 0 and unfused["temp_bytes"] == 800_000
    assert fused["kernels"] == 1 and unfused["kernels"] == 3
    assert fused["compile_ms"] > 0 and unfused["speedup_vs_unfused"] == 1


def test_regimes_and_sizes(run):
    rows = bench(run, "softmax", "fma", "--sizes", "64x100,5K", "--warm", json_output=True)
    assert [(r["case"], r["size"], r["regime"]) for r in rows if r["variant"] == "fused"] == [
        (case, size, regime) for case in ("softmax", "fma") for size in ("64x100", "5K")
        for regime in ("cold", "warm")]


def test_an_expression(run):
    rows = bench(run, "exp(x) * s + 1", "x=randn(50, 60)", "s=0.5", "--profile", json_output=True)
    assert rows[0]["case"] == "exp(x) * s + 1" and rows[0]["elements"] == 3000
    done = bench(run, "exp(x) * s + 1", "x=randn(50, 60)", "s=0.5", "--profile")
    assert "k0_exp" in done.stdout


@pytest.mark.parametrize("words", [
    ["quantize_int8(layer_norm(x), 0.05, 3)", "x=randn(317, 316, dtype=bf16)"],
    ["layer_norm(x) * 3 > 0.5", "x=randn(317, 316, dtype=bf16)"],
    ["gelu(x + 1) * s, sum(gelu(x + 1), axis=0)", "x=randn(317, 316, dtype=bf16)", "s=rand(317, 1)"]])
def test_halves_between_unfused_kernels_are_no_mistake(run, words):
    assert all(row["ok"] for row in bench(run, *words, json_output=True))


def test_large_inputs_are_verified_in_part(run):
    rows = bench(run, "mean(x + b, axis=-1)", "x=randn(4000, 300)", "b=randn(300)",
                 json_output=True)
    assert rows[0]["err"] is not None and rows[0]["ok"]


def test_compare(run, tmp_path):
    bench(run, "fma", "--sizes", "10K", "--json", "old.json")
    done = bench(run, "fma", "--sizes", "10K", "--compare", "old.json")
    assert "since old.json" in done.stdout and "->" in done.stdout
    (tmp_path / "bad.json").write_text("[{]")
    assert "bad.json" in bench(run, "fma", "--sizes", "10K", "--compare", "bad.json", code=2).stderr


def test_what_is_needed_later_is_looked_at_first(run, tmp_path):
    """A file to compare with, a folder to write to: nothing is measured where they aren't there."""
    for option in "--compare", "--plot":
        done = bench(run, "fma", "--sizes", "10K", option, "no/such/file", code=2)
        assert done.stdout == "" and ("no/such/file" in done.stderr or "gnuplot" in done.stderr)
    bench(run, "fma", "--sizes", "10K", "--json", "old.json")
    done = bench(run, "fma", "--sizes", "10K", "--json", "old.json", "--compare", "old.json")
    assert "->" in done.stdout  # read before it was replaced


@needs_gnuplot
def test_plot_that_fails(run, tmp_path):
    bench(run, "fma", "--sizes", "10K", "--json", "b.json")
    assert "/dev/full" in run("bench", "--from", "b.json", "--plot", "/dev/full", code=2).stderr
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "gnuplot").write_text("#!/bin/sh\necho 'line 7: no such thing' >&2; exit 3\n")
    (tools / "gnuplot").chmod(0o755)
    done = run("bench", "--from", "b.json", "--plot", "b.svg", code=2,
               env={"PATH": f"{tools}:/usr/bin:/bin"})
    assert done.stderr == "kfuse: gnuplot couldn't draw 'b.svg': line 7: no such thing\n"
    assert not (tmp_path / "b.svg").exists()


def test_overhead(run):
    out = run("bench", "--overhead", "--device", "cpu", json_output=True)
    assert out["run_ns"] > 0 and out["eval_ns"] > 0
    assert out["first_call_ms"] > out["disk_cache_ms"] > 0


@needs_gnuplot
def test_plot(run, tmp_path):
    bench(run, "fma", "mse", "--sizes", "10K", "--plot", "bench.svg", "--json", "b.json")
    root = xml.etree.ElementTree.parse(tmp_path / "bench.svg").getroot()
    text = " ".join("".join(e.itertext()) for e in root.iter() if e.tag.endswith("}text"))
    for word in ("fma", "mse", "10K", "fused", "copy", "100%"):
        assert word in text
    assert len(json.loads((tmp_path / "b.json").read_text())) == 4
    run("bench", "--from", "b.json", "--plot", "again.svg")
    assert (tmp_path / "again.svg").read_bytes() == (tmp_path / "bench.svg").read_bytes()


@pytest.mark.parametrize("arguments, words", [
    (["fmaa"], ["did you mean `fma`"]),
    (["fma", "mze"], ["mze"]),
    (["fma", "--sizes", "12y"], ["--sizes"]),
    (["exp(x)", "x=ones(3)", "--sizes", "5"], ["--sizes"]),
    (["exp(x)"], ["`x` has no value"]),
    (["exp(x", "x=ones(3)"], ["never closed"]),
    (["--from", "missing.json", "--plot", "x.svg"], ["missing.json"]),
    (["--from", "missing.json"], ["--plot"]),
    (["fma", "--repeats", "0"], ["--repeats"]),
    (["fma", "--plot", "no/such/folder.svg", "--sizes", "1K"], ["no/such/folder.svg"]),
])
def test_bad_input(run, arguments, words):
    if "--plot" in arguments and not shutil.which("gnuplot"):
        pytest.skip("gnuplot isn't here")
    done = bench(run, *arguments, code=2)
    last = [line for line in done.stderr.splitlines() if line.startswith("kfuse: ")]
    for word in words:
        assert word in last[-1]


def test_no_gnuplot(run):
    done = bench(run, "fma", "--plot", "b.svg", env={"PATH": "/nonexistent"}, code=2)
    assert "gnuplot" in done.stderr and "install" in done.stderr
