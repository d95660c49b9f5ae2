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
template <typename S, int W> struct alignas(W * sizeof(S)) kf__pack { S at[W]; };
static struct { int x; } threadIdx;
static uint32_t own[32][4]; /* of all lanes */
static uint32_t of_lane_before(const uint32_t *mine) {
    return threadIdx.x == 0 ? mine[0] : mine[-4];
}
#define __shfl_up_sync(mask, value, by, lanes) of_lane_before(&value)
"""

AFTER = r"""
static unsigned char memory[1024], before[1024];

template <int SIZE> static int wrong(int lanes, int shift, int n) {
    const int W = 16 / SIZE;
    unsigned char *row = memory + 64 + shift * SIZE;
    for (int k = 0; k < 1024; k++) memory[k] = before[k] = (unsigned char)(k * 37 + n);
    for (int k = 0; k < 128; k++) own[k / 4][k % 4] = 2654435761u * (uint32_t)(k + n + 1);
    for (threadIdx.x = 0; threadIdx.x < lanes; threadIdx.x++)
        kf__row_words<SIZE>(row + threadIdx.x * 16, n - threadIdx.x * W, lanes, own[threadIdx.x]);
    int stored = (n < lanes * W ? n : lanes * W) * SIZE;
    memcpy(before + 64 + shift * SIZE, own, stored);
    return memcmp(before, memory, 1024) != 0;
}

int main(void) {
    int bad = 0, runs = 0;
    for (int lanes = 8; lanes <= 32; lanes *= 4)
        for (int n = 0; n <= lanes * 4 + 3; n++) {
            for (int shift = 0; shift < 4; shift++, runs++) bad += wrong<4>(lanes, shift, n);
            for (int shift = 0; shift < 2; shift++, runs++) bad += wrong<8>(lanes, shift, n);
        }
    printf("%d of %d wrong\n", bad, runs);
    return bad != 0 || runs < 900;
}
"""


def test_each_element_is_stored_once_in_its_place(tmp_path):
    compiler = next(filter(None, map(shutil.which, ("c++", "g++", "clang++"))), None)
    if not compiler:
        pytest.skip("there is no C++ compiler")
    text = PRELUDE.read_text()
    start = text.index("template <int SIZE> KF_FN void kf__row_words")
    function = text[start:text.index("\n}\n", start) + 3]
    source, program = tmp_path / "row.cpp", tmp_path / "row"
    source.write_text(BEFORE + function + AFTER)
    subprocess.run([compiler, "-std=c++17", "-O1", "-o", program, source], check=True)
    done = subprocess.run([program], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
