"""Fixtures of the Python tests: the command, run with a kernel cache of its own."""

import json
import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def kfuse():
    """Path of the command: $KFUSE, else build/kfuse."""
    path = pathlib.Path(os.environ.get("KFUSE", ROOT / "build" / "kfuse"))
    if not path.exists():
        pytest.skip(f"{path} isn't built")
    return str(path)


@pytest.fixture(scope="session")
def session_cache(tmp_path_factory):
    """A kernel cache that all tests of the session share, away from the user's own."""
    return tmp_path_factory.mktemp("kfuse-cache")


@pytest.fixture
def cache_dir(tmp_path, monkeypatch):
    """An empty kernel cache for this test only."""
    path = tmp_path / "cache"
    path.mkdir(mode=0o700)
    monkeypatch.setenv("KFUSE_CACHE_DIR", str(path))
    return path


@pytest.fixture
def run(kfuse, session_cache, tmp_path):
    """run("check", "x + 1", "x=ones(3)") -> CompletedProcess with text, in an empty folder.

    Another exit code than `code` fails the test (None: any). With json_output=True the command
    gets `--json -` and what it printed is returned, read."""

    def call(*arguments, code=0, json_output=False, env=None, timeout=120):
        environment = {"KFUSE_CACHE_DIR": str(session_cache), **os.environ, **(env or {})}
        command = [kfuse, *map(str, arguments), *(["--json", "-"] if json_output else [])]
        done = subprocess.run(
            command, capture_output=True, text=True, env=environment, cwd=tmp_path, timeout=timeout
        )
        if code is not None and done.returncode != code:
            pytest.fail(
                f"{' '.join(command)}\nexit code {done.returncode}, expected {code}\n"
                f"stdout:\n{done.stdout}\nstderr:\n{done.stderr}"
            )
        return json.loads(done.stdout) if json_output else done

    return call
