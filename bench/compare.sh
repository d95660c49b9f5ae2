#!/bin/sh
# The cases of `kfuse bench` at an earlier commit and now, on one machine, one after the other.
#   sh bench/compare.sh COMMIT [arguments of kfuse bench, such as --device cpu softmax]
# Builds COMMIT into a folder that is removed again; KFUSE is the program of now (build/kfuse).
# Prints what `kfuse bench --compare` does. Figures of two runs differ by noise: what counts is more
# than that, twice. Exit code: that of the last run; 2 if COMMIT can't be built.
set -u
[ $# -gt 0 ] || { sed -n '2,6s/^# \{0,1\}//p' "$0" >&2; exit 2; }
commit=$1
shift
cd "$(dirname "$0")/.." || exit 2
now=${KFUSE:-build/kfuse}
[ -x "$now" ] || { echo "compare.sh: no $now: build first (README.md)" >&2; exit 2; }
before=$(mktemp -d) || exit 2
trap 'rm -rf "$before"' EXIT
trap 'exit 130' INT TERM
git archive -o "$before/source.tar" "$commit" && tar xf "$before/source.tar" -C "$before" &&
    cmake -S "$before" -B "$before/build" -DCMAKE_BUILD_TYPE=Release \
        -DBUILD_TESTING=OFF >/dev/null &&
    cmake --build "$before/build" --parallel "$(getconf _NPROCESSORS_ONLN)" >/dev/null ||
    { echo "compare.sh: $commit can't be built" >&2; exit 2; }
echo "==== $commit"
KFUSE_CACHE_DIR=$before/cache "$before/build/kfuse" bench --json "$before/bench.json" "$@" || exit
echo "==== now"
"$now" bench --compare "$before/bench.json" "$@"
