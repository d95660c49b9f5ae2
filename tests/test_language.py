"""docs/language.md: every example in it is run.

    ```kf       a text; `kfuse check` must agree with it. `# x = randn(3)    y = 2`: its inputs
    ```values   lines `text -> what kfuse run prints of its results`
    ```error    a text, and in the last line what it must say"""

import pathlib
import re

import numpy as np
import pytest

DOC = pathlib.Path(__file__).resolve().parent.parent / "docs" / "language.md"


def blocks(kind):
    for number, found in enumerate(re.finditer(rf"```{kind}\n(.*?)```", DOC.read_text(), re.S)):
        lines = found.group(1).rstrip("\n").split("\n")
        inputs = []
        if lines[0].startswith("# "):
            inputs = [re.sub(r"^(\w+) = ", r"\1=", item.strip())
                      for item in lines[0][2:].split("    ")]
        yield number, inputs, lines[1:] if inputs else lines


def run_text(run, tmp_path, command, lines, inputs, **options):
    text = "\n".join(lines)
    if text.startswith("def"):
        (tmp_path / "doc.kf").write_text(text + "\n")
        text = "doc.kf"
    return run(command, text, *inputs, **options)


@pytest.mark.parametrize("number, inputs, lines", list(blocks("kf")))
def test_example(run, tmp_path, number, inputs, lines):
    assert run_text(run, tmp_path, "check", lines, inputs, json_output=True)["ok"]


@pytest.mark.parametrize("number, inputs, lines", list(blocks("error")))
def test_error(run, tmp_path, number, inputs, lines):
    assert lines[-1] in run_text(run, tmp_path, "run", lines[:-1], inputs, code=2).stderr


VALUES = [pytest.param(*re.split(r" +->  ", line), inputs, id=line)
          for _, inputs, lines in blocks("values") for line in lines]


@pytest.mark.parametrize("text, want, inputs", VALUES)
def test_value(run, text, want, inputs):
    uses = [item for item in inputs if re.search(rf"\b{item.split('=')[0]}\b", text)]
    lines = run("run", text, *uses).stdout.splitlines()[:-1]
    values = [line for line in lines if not re.match(r"\w+: \w+ \(", line)]
    assert " ".join(values).replace("[", "").replace("]", "").split() == want.split()


def test_there_are_examples():
    assert len(list(blocks("kf"))) > 5 and len(VALUES) > 25 and len(list(blocks("error"))) > 2


@pytest.mark.parametrize("size", [0, 1, 7])
def test_slices_are_numpys(run, tmp_path, size):
    """Bounds and steps of every sign, inside, at and beyond the ends."""
    bounds = ["", "0", "2", "9", "-1", "-3", "-9"]
    slices = [f"{a}:{b}:{c}" for a in bounds for b in bounds for c in ("", "2", "-1", "-3")]
    x = np.arange(size)
    for begin in range(0, len(slices), 100):
        part = slices[begin : begin + 100]
        text = ", ".join(f"sum(x[{s}] * 8 + 3), len(x[{s}])" for s in part)
        lines = run("run", text, f"x=arange({size})").stdout.splitlines()
        values = [int(line) for line in lines if re.fullmatch(r"-?\d+", line)]
        wanted = [v for s in part for y in [eval(f"x[{s}]", {"x": x})] for v in ((y * 8 + 3).sum(), len(y))]
        assert values == wanted


@pytest.mark.parametrize("text", [
    "np.diff(x, k)", "np.linalg.norm(x, k - 1)", "np.trace(x, k - 1)", "np.diagonal(x, 1 - k)",
    "np.insert(x, k, 7.5, 1)", "np.delete(x, k - 1, 0)", "np.delete(x, -k)", "np.diag(x, k)",
    "np.round(x / 7, k)", "np.resize(x, k)", "np.rollaxis(x, k - 1)", "np.indices((k, 3))"])
def test_a_number_given_at_run_time_may_shape_the_result(run, tmp_path, text):
    x = np.arange(12, dtype=np.float32).reshape(3, 4) ** 2
    np.save(tmp_path / "x.npy", x)
    uses = [item for item in ("x=@x.npy", "k=2") if re.search(rf"\b{item[0]}\b", text)]
    run("run", text, *uses, "-o", "out.npy")
    want = eval(text, {"np": np, "x": x, "k": 2})
    np.testing.assert_allclose(np.load(tmp_path / "out.npy"), want, rtol=1e-6)


@pytest.mark.parametrize("text", [
    '"""Documentation\n\nof all: x[0] = 1."""\n\ndef f(x):\n    "of f"\n    return x * 2\n',
    "'of all'\n# a comment\n'more'\ndef f(x):\n    return x * 2\n",
    "'of a script'\ny = x * 2\n'more'\ny\n"])
def test_lines_of_documentation(run, tmp_path, text):
    (tmp_path / "f.kf").write_text(text)
    assert "[2 2 2]" in run("run", "f.kf", "x=ones(3)").stdout


CHAINS = ["y = y.T.reshape(y.shape)", "y = y.T.reshape(y.shape) + y", "y = concatenate([y, y[:1]])",
          "y = concatenate([y, y[:, -1:] + y[:, -2:-1]], axis=1)"]


@pytest.mark.parametrize("line", CHAINS)
def test_a_chain_whose_indices_would_double(run, tmp_path, line):
    """Of views alone, with values between, of appended parts: sixteen times, which took hours."""
    y = x = np.arange(12, dtype=np.float32).reshape(4, 3)
    np.save(tmp_path / "x.npy", x)
    (tmp_path / "chain.kf").write_text("y = x\n" + 16 * (line + "\n") + "y\n")
    run("run", "chain.kf", "x=@x.npy", "-o", "out.npy")
    for _ in range(16):
        y = eval(line[4:], {"y": y, "concatenate": np.concatenate})
    np.testing.assert_allclose(np.load(tmp_path / "out.npy"), y, rtol=1e-5)


def test_a_long_size_is_shown_in_parts(run, tmp_path):
    (tmp_path / "chain.kf").write_text("y = x\n" + 40 * (CHAINS[2] + "\n") + "y + ones(3)\n")
    done = run("check", "chain.kf", "x=ones(7)", code=2)
    assert len(done.stderr) < 2000
