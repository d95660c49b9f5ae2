#!/bin/sh
# Many kfuse-fuzz at once, over the programs of one seed, until all have run or time is up.
#
#   tests/fuzz/campaign.sh [--jobs N] [--count N] [--first N] [--seconds S] [--chunk N]
#                          [--failures N] [--coverage DIR] [--logs DIR] [--private-caches]
#                          [-- options of kfuse-fuzz, such as --seed 7 --emulate-cuda]
#
#   --jobs      processes; by default one a core
#   --count     programs, 10000 by default: the numbers from --first (0) on
#   --seconds   when to stop, 0: never. What runs then is finished if it takes less than a minute
#   --chunk     programs that a process takes at a time, 50
#   --failures  stop after so many, 20
#   --coverage  a folder for what the programs covered, one file a process; the tables come last.
#               What lies there already is added to: campaigns may be continued
#   --logs      a folder for what the processes print, kept; by default one in $TMPDIR, removed
#   --private-caches  a kernel cache for each process, not one for all
#
# $KFUSE_FUZZ is the program (by default build/kfuse-fuzz), $KFUSE_CACHE_MAX limits each cache (2G).
# Most of the time is the compiler's. With tcc.sh as $KFUSE_CC two cores ran 23 programs a second on
# CPUs, with gcc 6; of emulated GPUs 8 a second and core, with gcc 2. $TMPDIR in memory (/dev/shm) helps.
# What has failed is shown each minute too. Last come the lines that replay it, and
#
#   9950 passed, 2 failed, 48 not run of 10000, in 600 s
#
# Exit: 0 nothing failed, though perhaps not all ran; 1 something failed, or a reachable cell of
# --coverage is empty; 2 it couldn't run.
#
#   main ---- worker 0 --- kfuse-fuzz --first 0 --count 50     The next chunk is who makes its
#        \--- worker 1 --- kfuse-fuzz --first 50 --count 50    folder, claims/0, claims/1, ...
#         \-- ...

here=$(cd "$(dirname "$0")" && pwd) || exit 2
fuzz=${KFUSE_FUZZ:-$here/../../build/kfuse-fuzz}
jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null) || jobs=1
count=10000 first=0 seconds=0 chunk=50 most=20 coverage='' logs='' private=

die() {
    echo "campaign.sh: $*" >&2
    exit 2
}

number() { # NAME VALUE LEAST
    case $2 in '' | *[!0-9]* | ???????????*) die "$1 needs a number, not '$2'" ;; esac
    [ "$2" -ge "$3" ] || die "$1 must be at least $3"
}

while [ $# -gt 0 ]; do
    case $1 in
    --jobs) number "$1" "$2" 1 && jobs=$2 ;;
    --count) number "$1" "$2" 1 && count=$2 ;;
    --first) number "$1" "$2" 0 && first=$2 ;;
    --seconds) number "$1" "$2" 0 && seconds=$2 ;;
    --chunk) number "$1" "$2" 1 && chunk=$2 ;;
    --failures) number "$1" "$2" 1 && most=$2 ;;
    --coverage) coverage=$2 ;;
    --logs) logs=$2 ;;
    --private-caches)
        private=1
        shift
        continue
        ;;
    --) break ;;
    *) die "what is $1? See the head of $0" ;;
    esac
    [ $# -ge 2 ] || die "$1 needs a value"
    shift 2
done
[ "${1-}" = -- ] && shift
[ -x "$fuzz" ] || die "there is no $fuzz: build it, or say in KFUSE_FUZZ where it is"
work=$(mktemp -d "${TMPDIR:-/tmp}/kfuse-campaign.XXXXXX") || die "no temporary folder could be made"
mkdir "$work/claims" "$work/tmp" && mkdir -m 700 "$work/cache" || die "$work can't be written"
for folder in "$coverage" "$logs"; do
    [ -z "$folder" ] || mkdir -p "$folder" || die "the folder $folder can't be made"
done
: "${logs:=$work}"
rm -f "$logs"/job-*.log
start=$(date +%s)
export KFUSE_CACHE_MAX="${KFUSE_CACHE_MAX:-2G}" TMPDIR="$work/tmp" OMP_NUM_THREADS=1

# ---------------------------------------------------------------- a worker

# Run [from, to) as one process, and again behind a program that ended it.
run() { # JOB FROM TO OPTIONS...
    job=$1 at=$2 to=$3
    shift 3
    while [ "$at" -lt "$to" ] && [ ! -e "$work/stop" ]; do
        left=0
        if [ "$seconds" -gt 0 ]; then
            left=$((seconds - $(date +%s) + start))
            [ "$left" -gt 0 ] || return
        fi
        "$fuzz" "$@" --first "$at" --count $((to - at)) --time "$left" --failures "$most" \
            ${coverage:+--coverage "$coverage/job-$job.txt"} >"$work/$job.out" 2>&1 </dev/null &
        child=$!
        echo $child >"$work/$job.pid"
        wait $child
        code=$?
        rm -f "$work/$job.pid"
        child=
        cat "$work/$job.out" >>"$logs/job-$job.log"
        next=$(sed -n 's/^next program: //p' "$work/$job.out" | tail -n 1)
        if [ "$code" -eq 2 ]; then
            tail -n 5 "$work/$job.out" >"$work/trouble"
            : >"$work/stop"
        elif [ "$code" -gt 2 ] && [ ! -e "$work/stop" ]; then
            echo "FAILED with exit code $code among programs $at to $((to - 1)):"
            tail -n 5 "$work/$job.out" | sed 's/^/  /'
            echo "0 passed, 1 failed"
        fi >>"$logs/job-$job.log"
        [ "${next:-0}" -gt "$at" ] || return
        at=$next
    done
}

# Without the worker nobody knows when its program has ended, and who has that number then.
end_worker() {
    [ -z "$child" ] || { kill "$child" 2>/dev/null && wait "$child"; }
    rm -f "$work/$job.pid"
    : >"$work/$job.done"
    exit 1
}

worker() { # JOB OPTIONS...
    child=
    trap end_worker INT TERM HUP
    job=$1 k=0
    shift
    KFUSE_CACHE_DIR=$work/cache${private:+/$job}
    [ -d "$KFUSE_CACHE_DIR" ] || mkdir -m 700 "$KFUSE_CACHE_DIR"
    export KFUSE_CACHE_DIR
    while [ $((k * chunk)) -lt "$count" ] && [ ! -e "$work/stop" ]; do
        if mkdir "$work/claims/$k" 2>/dev/null; then
            end=$((k * chunk + chunk))
            [ "$end" -le "$count" ] || end=$count
            run "$job" $((first + k * chunk)) $((first + end)) "$@"
        fi
        k=$((k + 1))
    done
    : >"$work/$job.done"
}

# ---------------------------------------------------------------- the whole

# "passed failed", of all that has been printed
sums() {
    cat "$logs"/job-*.log 2>/dev/null | awk '
        /^[0-9]+ passed, [0-9]+ failed$/ { passed += $1; failed += $3 }
        END { print passed + 0, failed + 0 }'
}

# Does worker JOB:PID still work?
works() {
    [ ! -e "$work/${1%:*}.done" ] && kill -0 "${1#*:}" 2>/dev/null
}

signal_all() { # SIGNAL
    : >"$work/stop"
    for one in $workers; do
        file=$work/${one%:*}.pid
        works "$one" && [ -f "$file" ] && kill -s "$1" "$(cat "$file")" 2>/dev/null
    done
}

running() {
    for one in $workers; do
        works "$one" && return 0
    done
    return 1
}

# A failure is its FAILED line, perhaps of several lines, and the indented ones behind it.
failures() {
    cat "$logs"/job-*.log 2>/dev/null | awk '/^FAILED/ { what = 1; indented = 0 }
        /^  / { indented = 1 }
        what && indented && !/^  / { what = 0 }
        what'
}

report() {
    [ -z "$coverage" ] || "$fuzz" --report "$coverage"/job-*.txt || code=1
    failures
    set -- $(sums)
    elapsed=$(($(date +%s) - start))
    echo "$1 passed, $2 failed, $((count - $1 - $2)) not run of $count, in $elapsed s"
    [ "$2" -eq 0 ] || code=1
    [ ! -e "$work/trouble" ] || code=2
    [ $code -ne 2 ] || echo "campaign.sh: it couldn't run: $(cat "$work/trouble")" >&2
}

job=0 workers=
while [ $job -lt "$jobs" ]; do
    worker $job "$@" &
    workers="$workers $job:$!"
    job=$((job + 1))
done
trap 'ending=1; signal_all TERM' INT TERM HUP

ending='' asked=0 told=$start seen=0
while running; do
    sleep 1
    now=$(date +%s)
    if [ $((now - told)) -ge 60 ]; then
        told=$now
        set -- $(sums)
        echo "$(($1 + $2)) of $count programs in $((now - start)) s, $2 failed" >&2
        [ "$2" -eq "$seen" ] || failures >&2
        seen=$2
    fi
    set -- $(sums)
    [ "$2" -lt "$most" ] || ending=1
    [ "$seconds" -eq 0 ] || [ $((now - start)) -lt $((seconds + 5)) ] || ending=1
    [ -n "$ending" ] || continue
    asked=$((asked + 1))
    if [ $asked -eq 1 ]; then signal_all TERM; fi
    if [ $asked -ge 60 ]; then signal_all KILL; fi
done
trap - INT TERM HUP
wait
code=0
report
rm -rf "$work"
exit $code
