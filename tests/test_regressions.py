"""Every failure that was ever found, again: the lines of tests/regressions/*.txt.

A line is a command: `kfuse check ...`, or `kfuse-fuzz --replay ...` where inputs need a layout or
values that the former can't say. `#` begins a comment. $KFUSE_TEST_DEVICE takes the place of a
line's device."""

import os
import pathlib
import shlex
import subprocess

import pytest

HERE = pathlib.Path(__file__).resolve().parent
DEVICE = os.environ.get("KFUSE_TEST_DEVICE")
LINES = [
    pytest.param(line.strip(), id=f"{path.stem}-{number}")
    for path in sorted((HERE / "regressions").glob("*.txt"))
    for number, line in enumerate(path.read_text().splitlines(), 1)
    if line.strip() and not line.startswith("#")
]


@pytest.mark.parametrize("line", LINES)
def test_regression(line, kfuse, session_cache):
    program, *arguments = shlex.split(line)
    if DEVICE:
        given = ("--device", "cpu", "cuda-emulated", "--emulate-cuda")
        arguments = [a for a in arguments if a not in given]
        at = 1 if program == "kfuse" else 0  # behind the command
        arguments[at:at] = ["--device", DEVICE]
    path = pathlib.Path(kfuse).with_name(program)
    if not path.exists():
        pytest.skip(f"{path} isn't built")
    environment = {"KFUSE_CACHE_DIR": str(session_cache), **os.environ}
    done = subprocess.run(
        [str(path), *arguments], capture_output=True, text=True, env=environment, timeout=120
    )
    assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"
