#!/bin/sh
# A C compiler for campaigns, by Debian's tcc: a kernel takes it 5 ms, gcc -O0 50.
#
#   KFUSE_CC=$PWD/tests/fuzz/tcc.sh TMPDIR=/dev/shm tests/fuzz/campaign.sh --count 100000
#
# tcc has no vectors, so the prelude's are of one element here (transposes, streamed stores, random
# numbers in bulk), and no variables of a thread, so emulated GPUs need OMP_NUM_THREADS=1, which
# campaign.sh sets; all else is compiled as it is written. A kernel's source comes on stdin; of the
# options only -o counts.
here=$(cd "$(dirname "$0")" && pwd) || exit 2
out=a.out
while [ $# -gt 0 ]; do
    case $1 in
    -o) out=$2 && shift ;;
    -v | --version | -dumpversion) exec tcc -v ;;
    esac
    shift
done
{
    cat "$here/tcc.h"
    exec sed -E -e 's/^#define KF_VECTOR 16$/#define KF_VECTOR 4/' \
        -e 's/^#define KF_PHILOX 16$/#define KF_PHILOX 8/' \
        -e 's/^#define KF_LANE_INDICES \{0, 1\}$/#define KF_LANE_INDICES 0/' \
        -e 's/^#define KF_SIDE([0-9]) .*/#define KF_SIDE\1 1/' \
        -e 's/^#define KF_ROUNDS([0-9]) .*/#define KF_ROUNDS\1 0/' \
        -e 's/^static _Thread_local /static /'
} | exec tcc -w -shared -nostdlib -o "$out" -xc - -lm -lc
