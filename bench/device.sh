#!/bin/sh
# One visit to a machine with an NVIDIA GPU: build, test, fuzz, check with compute-sanitizer, compare
# the bits of CPU and GPU, benchmark. Figures go to the folder OUT (default: build/device).
#   sh bench/device.sh [STEP ...]
#       steps: build test pytest fuzz sanitizer bits bench layouts joins (default: all),
#       and sweep; ulp, mutants (these two need no GPU)
# The C tests need cmocka: where it isn't installed, CMAKE_PREFIX_PATH may say where it is.
cd "$(dirname "$0")/.." || exit 2
OUT=${OUT:-build/device}
steps=${*:-build test pytest fuzz sanitizer bits bench layouts joins}
mkdir -p "$OUT"
KFUSE_CACHE_DIR=$(mktemp -d)
export KFUSE_CACHE_DIR

for step in $steps; do
    echo "==== $step"
    case $step in
    build)
        cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Release >/dev/null && ninja -C build |
            tail -1
        nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
        build/kfuse doctor >"$OUT/doctor.txt"
        ;;
    test)
        for t in test_run test_plan test_devices test_compile test_prelude; do
            [ -x build/tests/$t ] && timeout 200 build/tests/$t 2>&1 | grep -v 'RUN\|  OK ' | tail -6
        done
        ;;
    pytest)
        KFUSE_TEST_DEVICE=cuda timeout 300 python3 -m pytest tests/test_library.py \
            tests/test_reference.py tests/test_integers.py tests/test_division.py \
            tests/test_regressions.py -q -p no:cacheprovider -n "$(nproc)" 2>&1 | tail -25
        ;;
    fuzz) # COUNT graphs of SEED from FIRST on, for FUZZ seconds, on all cores
        TMPDIR=/dev/shm sh tests/fuzz/campaign.sh --seconds "${FUZZ:-90}" --count "${COUNT:-20000}" \
            --first "${FIRST:-0}" --chunk 20 --logs "$OUT/fuzz" -- --device cuda \
            --seed "${SEED:-1}" 2>&1 | tail -20
        ;;
    sanitizer)
        for t in test_run test_plan test_devices test_compile; do
            [ -x build/tests/$t ] || continue
            timeout 200 compute-sanitizer --tool memcheck --report-api-errors no \
                --error-exitcode 9 build/tests/$t 2>&1 |
                grep -E 'PASSED|FAILED|ERROR SUMMARY|=========.*(Invalid|Error)' | tail -4
        done
        for tool in memcheck racecheck synccheck; do
            timeout 120 compute-sanitizer --tool $tool --error-exitcode 9 build/kfuse-fuzz \
                --device cuda --seed 7 --count 40 2>&1 | grep -v '^$' | tail -3
        done
        ;;
    bits)
        cc -O2 -fopenmp -std=c17 -Iinclude -Isrc tests/exhaustive/cpu_gpu_bits.c -Lbuild -lkfuse \
            -lm -o build/cpu_gpu_bits &&
            LD_LIBRARY_PATH=build timeout 580 build/cpu_gpu_bits "${CHUNKS:-256}" >"$OUT/bits.txt"
        grep -v ' 0 differ' "$OUT/bits.txt"
        ;;
    ulp) # all 2^32 floats through the prelude's functions and conversions, on all cores of the CPU
        cp docs/numerics.md "$OUT/numerics.md"
        KFUSE_EXHAUSTIVE=1 timeout 500 build/tests/test_convert >"$OUT/convert.txt" 2>&1 &
        # shellcheck disable=SC2086 # ULP: functions, all of them if it is empty
        timeout 570 build/kfuse-ulp --stride "${STRIDE:-1}" --write "$OUT/numerics.md" $ULP |
            tee "$OUT/ulp.txt"
        wait
        tail -3 "$OUT/convert.txt"
        ;;
    mutants) timeout 595 python3 tests/mutants/run.py | tee "$OUT/mutants.txt" ;;
    bench)
        timeout 300 build/kfuse bench --device cuda --json "$OUT/bench.json"
        timeout 100 build/kfuse bench --device cuda --overhead --json "$OUT/overhead.json"
        ;;
    layouts) sh bench/layouts.sh cuda | tee "$OUT/layouts.txt" ;;
    joins) sh bench/joins.sh cuda | tee "$OUT/joins.txt" ;;
    sweep) # PART=1/3: a third of it
        python3 bench/sweep.py --device cuda --time "${TIME:-540}" --part "${PART:-1/1}" \
            ${SIZES:+--sizes "$SIZES"} --json "$OUT/sweep.json" | tee "$OUT/sweep.txt"
        ;;
    esac
done
