"""tests/fuzz/campaign.sh over programs that pass, fail, crash, hang or don't know their options.

A small script stands in for kfuse-fuzz: it takes --first and --count, and which of its programs do
what is given as options behind `--`."""

import contextlib
import os
import pathlib
import re
import shutil
import signal
import subprocess
import time

import pytest

CAMPAIGN = pathlib.Path(__file__).resolve().parent / "fuzz" / "campaign.sh"
STAND_IN = r"""#!/bin/sh
first=0 count=0 fail=none crash=none hang=none lost=none out=
while [ $# -gt 0 ]; do
    case $1 in
    --first) first=$2 ;; --count) count=$2 ;; --coverage) out=$2 ;;
    --fail) fail=$2 ;; --crash) crash=$2 ;; --hang) hang=$2 ;; --lost) lost=$2 ;;
    --time | --failures) ;;
    *) echo "what is $1?" >&2; exit 2 ;;
    esac
    shift 2
done
passed=0 failed=0 end=$((first + count))
trap 'end=0' TERM
while [ "$first" -lt "$end" ]; do
    case $first in
    "$lost") kill -s KILL $$ ;;
    "$hang") while [ "$end" != 0 ]; do sleep 0.1; done ;;
    "$fail") failed=$((failed + 1)); echo "FAILED $first"; echo "  replay $first"; echo other ;;
    *) passed=$((passed + 1)) ;;
    esac
    echo "$first" >>"$RAN"
    first=$((first + 1))
    if [ "$((first - 1))" = "$crash" ]; then
        passed=$((passed - 1)) failed=$((failed + 1))
        echo "FAILED by signal 11; one of:"
        break
    fi
done
[ -z "$out" ] || echo "1 x" >>"$out"
echo "next program: $first"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
"""


@pytest.fixture
def campaign(tmp_path):
    program = tmp_path / "stand-in"
    program.write_text(STAND_IN)
    program.chmod(0o755)
    ran = tmp_path / "ran"
    environment = {**os.environ, "KFUSE_FUZZ": str(program), "RAN": str(ran), "TMPDIR": str(tmp_path)}

    def run(*arguments):
        ran.write_text("")
        done = subprocess.run(
            ["sh", str(CAMPAIGN), *arguments], capture_output=True, text=True, env=environment, timeout=60
        )
        assert not list(tmp_path.glob("kfuse-campaign*")), "the temporary folder stays"
        return done, sorted(int(n) for n in ran.read_text().split())

    run.environment, run.ran = environment, ran
    return run


def test_runs_each_program_once(campaign):
    done, ran = campaign("--jobs", "3", "--first", "7", "--count", "100", "--chunk", "9")
    assert done.returncode == 0, done.stdout + done.stderr
    assert ran == list(range(7, 107))
    assert "100 passed, 0 failed, 0 not run of 100" in done.stdout


def test_shows_what_failed_and_goes_on_behind_a_crash(campaign):
    done, ran = campaign("--jobs", "2", "--count", "40", "--chunk", "10", "--", "--fail", "13", "--crash", "25")
    assert done.returncode == 1
    assert ran == list(range(40))
    assert "FAILED 13\n  replay 13\n" in done.stdout and "FAILED by signal 11" in done.stdout
    assert "other" not in done.stdout
    assert "38 passed, 2 failed, 0 not run of 40" in done.stdout


def test_a_process_that_is_killed_is_a_failure(campaign):
    done, ran = campaign("--jobs", "1", "--count", "20", "--chunk", "10", "--", "--lost", "3")
    assert done.returncode == 1
    assert ran == [0, 1, 2, *range(10, 20)]
    assert "FAILED with exit code 137 among programs 0 to 9" in done.stdout
    assert "10 passed, 1 failed, 9 not run of 20" in done.stdout


def test_ends_in_time(campaign):
    begin = time.monotonic()
    done, ran = campaign("--jobs", "2", "--count", "40", "--chunk", "10", "--seconds", "2", "--", "--hang", "5")
    assert time.monotonic() - begin < 30
    assert done.returncode == 0, "what was stopped hasn't failed"
    passed = int(re.search(r"(\d+) passed, 0 failed, \d+ not run of 40", done.stdout)[1])
    assert passed == len(ran) - 1 and 5 in ran


def test_ends_where_all_its_shells_are_ended(campaign, tmp_path):
    """As by pkill -f campaign.sh: nobody is left who knows of the programs, whose numbers others may get."""
    campaign.ran.write_text("")
    command = ["sh", str(CAMPAIGN), "--jobs", "2", "--count", "40", "--chunk", "10", "--", "--hang", "3"]
    main = subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env=campaign.environment, start_new_session=True
    )
    try:
        while "2" not in campaign.ran.read_text().split():
            assert main.poll() is None
            time.sleep(0.1)
        shells = subprocess.run(["pgrep", "-s", str(main.pid), "-f", "campaign"], capture_output=True, text=True)
        for pid in shells.stdout.split():
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(pid), signal.SIGTERM)
        printed, _ = main.communicate(timeout=30)
        assert "0 failed" in printed
        assert not list(tmp_path.glob("kfuse-campaign*"))
        assert subprocess.run(["pgrep", "-s", str(main.pid)], check=False).returncode == 1, "a program goes on"
    finally:
        subprocess.run(["pkill", "-KILL", "-s", str(main.pid)], check=False)


def test_stops_after_so_many_failures(campaign):
    done, ran = campaign("--jobs", "1", "--count", "500", "--chunk", "1", "--failures", "1", "--", "--fail", "0")
    assert done.returncode == 1
    assert len(ran) < 500


def test_bad_options(campaign, tmp_path):
    for arguments in (["--jobs", "x"], ["--count"], ["--what", "1"], ["--", "--unknown", "1"]):
        done, ran = campaign(*arguments)
        assert done.returncode == 2, arguments
        assert done.stdout + done.stderr and not ran


def test_coverage_is_a_file_for_each_process(campaign, tmp_path):
    folder = tmp_path / "coverage"
    done, _ = campaign("--jobs", "2", "--count", "20", "--chunk", "5", "--coverage", str(folder))
    # the stand-in can't --report
    assert done.returncode == 1
    assert {path.name for path in folder.iterdir()} <= {"job-0.txt", "job-1.txt"}


@pytest.mark.skipif(shutil.which("tcc") is None, reason="tcc isn't installed")
def test_tcc_compiles_kernels(kfuse, cache_dir):
    fuzz = pathlib.Path(kfuse).with_name("kfuse-fuzz")
    environment = {**os.environ, "KFUSE_CC": str(CAMPAIGN.with_name("tcc.sh"))}
    command = [fuzz, "--device", "cpu", "--seed", "79", "--count", "60"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "60 passed, 0 failed" in done.stdout


def test_a_replay_that_takes_too_long_has_failed(kfuse, cache_dir, tmp_path):
    compiler = tmp_path / "cc"
    compiler.write_text("#!/bin/sh\nexec sleep 20\n")
    compiler.chmod(0o755)
    fuzz = pathlib.Path(kfuse).with_name("kfuse-fuzz")
    environment = {**os.environ, "KFUSE_CC": str(compiler), "KFUSE_CACHE_DIR": str(tmp_path)}
    command = [fuzz, "--device", "cpu", "--limit", "1", "--replay", "x + 1", "x=f32[7,13]/p/t/1/0"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=60)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "it took more than 1 s" in done.stdout
    assert done.stdout.endswith("0 passed, 1 failed\n")
