"""Planted faults: each is built from a copy of the sources and must be found by the fuzzer.

    python3 tests/mutants/run.py [--jobs=N] [NAME ...]

A mutant is one replacement of text that stands exactly once in its file; where it doesn't any more,
the mutant has to be brought up to date, which counts as a failure. The unchanged copy must pass."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
WORK = ROOT / "build" / "mutants"
COUNT, SECONDS = 20000, 300
FOLDERS = ("src", "include", "cli", "cmake", "tests")

# name, file, text, what it becomes, options of the fuzzer (, another text, what it becomes)
MUTANTS = [
    ("lost-tail", "src/lower/cpu_passes.c",
     'put_group(L, b, p, whole, kf__l_bin(L, "-", b->len, whole));',
     "(void)whole;", []),
    ("stride-sign", "src/run/bind.c",
     "strides[d] = shape[d] > 1 || given[d] > next ? given[d] : next;",
     "strides[d] = given[d] < 0 ? -given[d] : shape[d] > 1 ? given[d] : next;", []),
    ("nan-lost-in-max", "src/prelude/prelude_c.h",
     "T r = b > a ? b : a; /* a if either is NaN: one compare where b is a constant */      \\\n"
     "        return b != b ? b : r;",
     "T r = b > a ? b : a; /* a if either is NaN: one compare where b is a constant */      \\\n"
     "        return r;", []),
    ("mask-off-by-one", "src/lower/cuda_tile.c",
     'kf__open_if(L, kf__l_bin(L, "<", e, t->left));',
     'kf__open_if(L, kf__l_bin(L, "<=", e, t->left));', ["--emulate-cuda"]),
    ("missing-barrier", "src/lower/cuda_exchange.c",
     '    kf__put_call(L, kf__l_callv(L, "kf_barrier", KF__I64, 0, NULL));\n'
     "    put_merge_arrays(L, st, prefix, threads / 32);",
     "    put_merge_arrays(L, st, prefix, threads / 32);", ["--emulate-cuda"]),
    ("wrong-alias", "src/run/alias.c",
     "if (k->instrs[k->stores[s].instr].stage < last_full_stage(k)) return false;",
     "(void)last_full_stage;", []),
    ("alias-read-later", "src/run/alias.c",
     "if (stored && kf__kernel_loads(kernel, input)) return false;", "", []),
    ("stale-cache-entry", "src/compile/cache.c",
     "bool free_choice = i == 0 || (i == 3", "bool free_choice = i < 2 || (i == 3", [],
     "for (int i = 1; i < PARTS; i++)\n        if (i != 3)\n            for (int k",
     "for (int i = 2; i < PARTS; i++)\n        if (i != 3)\n            for (int k"),
    ("wrong-merge-of-moments", "src/prelude/prelude_reduce.h",
     "T r = p2 + q2 + d * d * (np > 0 && nq > 0 ? np * (nq / n) : (T)0);",
     "T r = p2 + q2 + d * d * (np > 0 && nq > 0 ? (T)1 / n : (T)0);",
     ["--emulate-cuda", "--only", "norm"]),
    ("wrong-broadcast-stride", "src/fuse/views.c",
     "arg[i] = kf__x_is(x, a->shape[i], 1) ? kf__x_const(x, 0) : index[i];",
     "arg[i] = index[i];", []),
    ("wrong-saturation", "src/prelude/prelude_convert.h",
     "KF_CAST_SMALL(f32, float, i8, int8_t, -128.0f, 127.0f)",
     "KF_CAST_SMALL(f32, float, i8, int8_t, -128.0f, 128.0f)", ["--only", "i8"]),
    ("round-half-up", "src/prelude/prelude_c.h",
     "uint32_t rounded = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;",
     "uint32_t rounded = (bits + 0x8000) >> 16;", ["--only", "bf16"]),
    ("nine-rounds-of-philox", "src/prelude/prelude_reduce.h",
     "for (int round = 0; round < 10; round++) {\n        uint64_t a = ",
     "for (int round = 0; round < 9; round++) {\n        uint64_t a = ", ["--only", "seed="]),
    ("workspace-too-early-free", "src/run/workspace.c",
     "it->last = k;", "it->last = it->first;", []),
    ("flip-starts-one-early", "src/simplify/views.c",
     "from[i] = kf__x_add(&g->exprs, n->u.slice.start[i], from[i]);",
     "from[i] = kf__x_add(&g->exprs, start[i], from[i]);", ["--modes", "8"]),
    ("floor-division-truncates", "src/prelude/prelude_common.h",
     "T f = r != 0 && NEG(r) != NEG(d) ? (T)(q - 1) : q;", "T f = q;", ["--only", "//"]),
    ("empty-mean-is-zero", "src/prelude/prelude_reduce.h",
     "KF_FN T kf_mean_of_##N(T sum, T n) { return n > 0 ? sum / n : (T)0; }",
     "KF_FN T kf_mean_of_##N(T sum, T n) { return n > 0 ? sum / (n + 1) : (T)0; }", []),
    ("guard-forgotten", "src/fuse/body.c",
     "if (b->guard != KF__NO_INSTR && n->rank > 0) kf__body_add_arg(b, &i, b->guard);", "",
     ["--emulate-cuda", "--only", "concatenate"]),
    ("run-too-short", "src/lower/place.c",
     '*to = most(L, "kf_min_i64", *to, kf__l_bin(L, "-", size, e));',
     '*to = most(L, "kf_min_i64", *to, kf__l_bin(L, "-", kf__l_bin(L, "-", size, one), e));',
     ["--only", "concatenate"]),
    ("border-not-scaled", "src/lower/layout.c",
     "    o->bound *= size;\n", "", ["--only", "concatenate"]),
    ("float8-saturates", "src/prelude/prelude_convert.h",
     "b = size > 0x43e80000 ? 0x7f : b;", "b = size > 0x43e80000 ? 0x7e : b;",
     ["--only", "f8e4m3"]),
    ("float8-without-denormals", "src/prelude/prelude_convert.h",
     "int32_t value = size < 8 ? kf_bits_f32(tiny) : bits + (120 << 23);",
     "int32_t value = size < 1 ? kf_bits_f32(tiny) : bits + (120 << 23);", ["--only", "f8e4m3"]),
    ("eager-stores-halves", "src/parse/eager.c",
     "like.dtype = (uint8_t)kf__compute((kf__dtype)n->dtype);", "",
     ["--numerics", "eager", "--modes", "5", "--only", "gelu("]),
    ("vectors-at-any-address", "src/run/run.c",
     "return (any & 15) == 0;", "return (any & 15) < 16;", ["--emulate-cuda"]),
    ("tail-overrun", "src/prelude/prelude_c.h",
     "for (; i < bytes; i++) to[i] = from[i];", "for (; i <= bytes; i++) to[i] = from[i];", []),
    ("guard-off-by-one", "src/prelude/prelude_common.h",
     "return (i >= 0) & (i < n);", "return (i >= 0) & (i <= n);",
     ["--emulate-cuda", "--only", "pad"]),
    ("run-ends-early", "src/lower/place.c",
     '*to = most(L, "kf_min_i64", *to, kf__l_bin(L, "-", size, e));',
     '*to = most(L, "kf_min_i64", *to, kf__l_bin(L, "-", kf__l_bin(L, "-", size, e), one));',
     ["--only", "concatenate"]),
    ("argmax-takes-any-of-ties", "src/prelude/prelude_reduce.h",
     "return a < b ? a : b;    ", "return a != kf_highest_i64 ? a : b;",
     ["--emulate-cuda", "--only", "argm"]),
    ("float8-rounds-half-up", "src/prelude/prelude_convert.h",
     "int32_t normal = (size - (120 << 23) + 0x7ffff + ((size >> 20) & 1)) >> 20;",
     "int32_t normal = (size - (120 << 23) + 0x80000) >> 20;", ["--only", ", f8e4m3)"]),
    ("tile-without-its-last-row", "src/prelude/prelude_c.h",
     "kf__items##SIZE(dst, dst_pitch, src, src_pitch, n, m);    ",
     "kf__items##SIZE(dst, dst_pitch, src, src_pitch, n - 1, m);", []),
    ("tile-beyond-its-end", "src/lower/cuda_transpose.c",
     'const kf__lx *left = kf__l_call(L, "kf_min_i64", KF__I64, '
     'kf__l_bin(L, "-", high, at), n);',
     "const kf__lx *left = n;", ["--emulate-cuda"]),
    ("kernels-in-a-circle", "src/fuse/merge.c",
     "bit(p, p->path, k, to)) return true;", "bit(p, p->path, k, to)) return false;", []),
    ("remainder-of-c", "src/prelude/prelude_common.h",
     "return r != 0 && NEG(r) != NEG(d) ? (T)(r + d) : r;", "return r;", ["--only", "%"]),
    ("nan-to-integer", "src/prelude/prelude_convert.h",
     "return (T)(v == v ? i : 0);", "return (T)i;", ["--only", "i8"]),
    ("gather-wraps-0", "src/fuse/gather.c",
     "make(b, ref, KF__LESS, KF__BOOL, at, nothing), back, at);",
     "make(b, ref, KF__LESS_EQUAL, KF__BOOL, at, nothing), back, at);", ["--only", "take"]),
    ("step-forgotten", "src/fuse/views.c",
     "kf__x_mul(x, kf__x_const(x, view->u.slice.step[i]), index[i]));", "index[i]);", []),
]


def command(*words, **more):
    return subprocess.run(list(map(str, words)), capture_output=True, text=True, **more)


def copy_sources(tree):
    shutil.rmtree(tree, ignore_errors=True)
    files = command("git", "-C", ROOT, "ls-files").stdout.split()
    if not files:  # not a checkout
        files = [str(p.relative_to(ROOT)) for f in FOLDERS for p in ROOT.glob(f"{f}/**/*.*")]
        files.append("CMakeLists.txt")
    for name in files:
        if name.split("/")[0] in (*FOLDERS, "CMakeLists.txt"):
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, tree / name)


def build(tree):
    made = command("cmake", "-S", tree, "-B", tree / "build", "-DCMAKE_BUILD_TYPE=Release",
                   "-DBUILD_TESTING=OFF")
    if made.returncode == 0:
        made = command("cmake", "--build", tree / "build", "-j", 2, "--target", "kfuse-fuzz")
    return made


def fuzz(tree, options, seconds):
    """(found, how): in a kernel cache of its own, as what is compiled may differ in effect only."""
    with tempfile.TemporaryDirectory(dir=tree) as cache:
        environment = {**os.environ, "KFUSE_CACHE_DIR": cache, "OMP_NUM_THREADS": "2"}
        done = command(tree / "build" / "kfuse-fuzz", "--seed", 5, "--count", COUNT,
                       "--time", seconds, "--failures", 1, "--no-shrink", *options,
                       env=environment)
    lines = done.stdout.splitlines()
    why = next((line for line in lines if line.startswith("FAILED")), "")
    return done.returncode != 0, f"{lines[-1] if lines else ''}; {why[:100]}"


def one(tree, path, text, planted, options, text2="", planted2=""):
    file = tree / path
    source = file.read_text()
    if source.count(text) != 1 or (text2 and source.count(text2) != 1):
        return False, "its text isn't there any more: bring the mutant up to date"
    changed = source.replace(text, planted)
    file.write_text(changed.replace(text2, planted2) if text2 else changed)
    try:
        made = build(tree)
        if made.returncode != 0:
            return False, "doesn't build: " + (made.stderr or made.stdout)[-300:]
        return fuzz(tree, options, SECONDS)
    finally:
        file.write_text(source)


def work(number, left, missed):
    """Take mutants until none is left, in a tree of one's own: only what changes is built again."""
    tree = WORK / str(number)
    copy_sources(tree)
    made = build(tree)
    wrong, how = (True, made.stderr[-2000:]) if made.returncode else fuzz(tree, [], 20)
    if wrong:
        missed.append("none")
        print("the unchanged sources don't build, or fail: " + how, flush=True)
        return
    while left:
        name, *rest = left.pop(0)
        start = time.time()
        found, how = one(tree, *rest)
        verdict = "found" if found else "MISSED"
        print(f"{verdict} {name} ({time.time() - start:.0f} s): {how}", flush=True)
        if not found:
            missed.append(name)


def main():
    names = [a for a in sys.argv[1:] if not a.startswith("--jobs=")]
    jobs = [int(a[7:]) for a in sys.argv[1:] if a.startswith("--jobs=")] or [1]
    left = [m for m in MUTANTS if not names or m[0] in names]
    missed = []
    WORK.mkdir(parents=True, exist_ok=True)
    threads = [threading.Thread(target=work, args=(i, left, missed)) for i in range(jobs[0])]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(f"{len(missed)} missed" if missed else "all found")
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
