"""kf__row_words of the CUDA prelude: packs of rows that aren't aligned, stored by lanes together.

Emulated kernels have another prelude, so its text is compiled here as C++, lane after lane."""

import pathlib
import shutil
import subprocess

import pytest

PRELUDE = pathlib.Path(__file__).resolve().parent.parent / "src" / "prelude" / "prelude_cuda.cuh"

BEFORE = r"""
#include <cstdint>
#include <cstdio>
#include <cstring>
#define KF_FN static
#define __device__
#define __forceinline__
template <typename S, int W> struct alignas(W * sizeof(S)) kf__pack { S at[W]; };
static struct { int x; } threadIdx;
static uint32_t own[32][4]; /* of all lanes */
static uint32_t of_lane(int lane, const uint32_t *mine) { return mine[4 * (lane - threadIdx.x)]; }
#define __shfl_sync(mask, value, lane) of_lane(lane, &value)
static uint32_t __funnelshift_l(uint32_t low, uint32_t high, uint32_t bits) {
    bits %= 32;
    return bits ? high << bits | low >> (32 - bits) : high;
}
template <int SIZE> struct kf__bits { typedef uint32_t type; };
template <> struct kf__bits<2> { typedef uint16_t type; };
"""

AFTER = r"""
static unsigned char memory[1024], before[1024];

template <int SIZE> static int wrong(int shift, int n) {
    const int W = 16 / SIZE;
    unsigned char *row = memory + 64 + shift * SIZE;
    for (int k = 0; k < 1024; k++) memory[k] = before[k] = (unsigned char)(k * 37 + n);
    for (int k = 0; k < 128; k++) own[k / 4][k % 4] = 2654435761u * (uint32_t)(k + n + 1);
    for (threadIdx.x = 0; threadIdx.x < 32; threadIdx.x++)
        kf__row_words<SIZE>(row + threadIdx.x * 16, n - threadIdx.x * W, own[threadIdx.x]);
    int stored = (n < 32 * W ? n : 32 * W) * SIZE;
    memcpy(before + 64 + shift * SIZE, own, stored);
    return memcmp(before, memory, 1024) != 0;
}

int main(void) {
    int bad = 0, runs = 0;
    for (int n = 0; n <= 32 * 8 + 3; n++) {
        for (int shift = 0; shift < 8; shift++, runs++) bad += wrong<2>(shift, n);
        for (int shift = 0; shift < 4; shift++, runs++) bad += wrong<4>(shift, n);
        for (int shift = 0; shift < 2; shift++, runs++) bad += wrong<8>(shift, n);
    }
    printf("%d of %d wrong\n", bad, runs);
    return bad != 0 || runs < 3600;
}
"""


def test_each_element_is_stored_once_in_its_place(tmp_path):
    compiler = next(filter(None, map(shutil.which, ("c++", "g++", "clang++"))), None)
    if not compiler:
        pytest.skip("there is no C++ compiler")
    text = PRELUDE.read_text()
    start = text.index("template <int SIZE> struct kf__row {")
    function = text[start:text.index("template <typename D, int W>\nKF_FN void kf__row_store", start)]
    source, program = tmp_path / "row.cpp", tmp_path / "row"
    source.write_text(BEFORE + function + AFTER)
    subprocess.run([compiler, "-std=c++17", "-O1", "-o", program, source], check=True)
    done = subprocess.run([program], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
