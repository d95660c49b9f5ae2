"""Planted faults: each is compiled into the fuzzer, which must find it.

    python3 tests/mutants/run.py [--jobs N] [--time SECONDS] [NAME ...]

A mutant is one replacement of text that stands exactly once in its file; where it doesn't any more,
the mutant has to be brought up to date, which counts as a failure. The unchanged sources must pass.

They are built once, in build/mutants; of a mutant only what includes its file is compiled again,
and linked in front of the library. N processes (as many as there are cores) fuzz: each mutant until
its first failure, with the options that lead there soonest; processes that have nothing else to do
take further seeds of mutants that aren't found yet. The line that replays a failure must pass
without the mutant. What isn't found after SECONDS (480) has survived.
Exit status 1 if any does."""

import argparse
import json
import os
import pathlib
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
WORK = ROOT / "build" / "mutants"
BASE = WORK / "base"
COUNT, SEED, UNCHANGED_SECONDS = 20000, 5, 20

# name, file, text, what it becomes, options of the fuzzer (, another text, what it becomes)
MUTANTS = [
    ("lost-tail", "src/lower/cpu_passes.c",
     "put_rest(L, b, p, made ? made : mask, whole);",
     "if (!whole) put_rest(L, b, p, made ? made : mask, whole);", []),
    ("half-a-tree", "src/lower/cpu_passes.c",
     "*b = lane_of(L, red, f, l, (k + 2) * w);", "*b = lane_of(L, red, f, l, (2 * k + 1) * w);",
     ["--only", "axis"]),
    ("one-flat-row", "src/lower/cpu_flat.c",
     'kf__l_item(L, f->made.name[made[k]], kf__l_bin(L, "+", at, l))',
     '((void)at, kf__l_item(L, f->made.name[made[k]], l))', ["--only", "layer_norm"]),
    ("zero-behind-the-end", "src/lower/cpu_passes.c",
     "term = kf__l_select(L, b->inside, term, kf__lane_identity(L, red, p->field));",
     "term = kf__l_select(L, b->inside, term,\n"
     "                    kf__l_const(L, kf__lane_type(L, red, p->field), 0, 0));",
     ["--only", "axis=-1"]),
    ("pieces-of-the-first", "src/lower/cpu_columns.c",
     'c->piece ? kf__l_bin(L, "+", c->piece, l) : l);',
     "c->piece ? l : l);", ["--only", "sum"]),
    ("sums-of-one-row", "src/lower/cpu_scan_columns.c",
     "kf__put_set(L, kf__l_item(L, f->made.name[k], at), kf__value_of",
     "kf__put_set(L, ((void)at, kf__l_item(L, f->made.name[k], l)), kf__value_of",
     ["--only", "cumsum"]),
    ("own-row-of-the-first", "src/lower/cpu_group.c",
     'kf__l_bin(L, "+", kf__l_var(L, L->own->rows), at), NULL);',
     '((void)at, kf__l_var(L, L->own->rows)), NULL);', ["--only", "softmax"]),
    ("rows-not-made-again", "src/lower/cpu_group.c",
     "    if (st->s) put_values(L, L->group, st->s);\n    else kf__put_rows(L, 0);",
     "    put_values(L, L->group, st->s);\n    if (!st->s) kf__put_rows(L, 0);",
     ["--only", "var"]),
    ("picked-as-it-was", "src/lower/cpu_pick.c",
     "        L->value[g->pick] = kf__value_of(L, arg);\n        arg = g->instr;",
     "        L->value[g->pick] = kf__value_of(L, L->k->instrs[g->pick].args[1]);\n"
     "        arg = g->instr;", ["--only", "pad"]),
    ("one-row-thrice", "src/lower/cpu_columns_folds.c",
     "kf__l_int(L, q), kf__word_stride", "kf__l_int(L, 1), kf__word_stride", ["--only", "axis=0"]),
    ("array-taken-early", "src/lower/cpu_chain.c",
     "while (at < c->n && (c->needed[c->array_of[at]] ||",
     "while (at < c->n && (c->array_of[at] == i ||", ["--only", "exp("]),
    ("given-at-the-start", "src/lower/cpu_short.c",
     "h->exact || given || !kf__cpu_is_worth_few(L, h->mask)",
     "h->exact || !kf__cpu_is_worth_few(L, h->mask)", ["--only", "softplus"]),
    ("over-the-next-row", "src/lower/cpu_passes.c",
     "next ? kf__l_select(L, b->inside, term, place) : term",
     "term", ["--only", "softmax"]),
    ("late-values-of-before", "src/lower/cpu_group.c",
     "    save_values(L, g, s, true, false);",
     "    save_values(L, g, s, false, false);", ["--only", "keepdims=True"]),
    ("folded-twice", "src/lower/cpu_columns.c",
     "(apart[r] != NULL) != are_apart) continue;",
     "(are_apart && !apart[r])) continue;", ["--only", "sum("]),
    ("made-over-the-first", "src/lower/cpu_columns_group.c",
     'const kf__lx *begin = kf__l_bin(L, "*", k, c->pitch), *first = c->first;',
     "const kf__lx *begin = zero, *first = c->first;", ["--only", "axis=0"]),
    ("fold-of-three", "src/lower/cpu_columns_folds.c",
     "for (int64_t q = 0; q < FOLDED; ++q)\n        put_made_row(",
     "for (int64_t q = 0; q < FOLDED - 1; ++q)\n        put_made_row(", ["--only", "axis=0"]),
    ("joined-the-other-way", "src/simplify/join.c",
     "return a && b ? kf__concat(p->g, p->axis, a, b) : 0;",
     "return a && b ? kf__concat(p->g, p->axis, b, a) : 0;", ["--only", "roll"]),
    ("parts-at-one-place", "src/fuse/parts.c",
     "at = kf__x_add(&g->exprs, at, kf__at(g, p.at[i])->shape[axis]);", "",
     ["--only", "concatenate"]),
    ("last-half-as-it-was", "src/lower/cpu_block.c",
     "kf__cpu_widen(L, name, row ? row : kf__cpu_from(L, b, i), kf__l_int(L, 0), b->len);",
     "kf__cpu_widen(L, name, row ? row : kf__cpu_from(L, b, i), kf__l_int(L, 0),\n"
     "                  kf__l_bin(L, \"-\", b->len, kf__l_int(L, 1)));",
     ["--only", "f16"]),
    ("part-apart-from-the-first", "src/lower/cpu_block.c",
     "kf__l_bin(L, \"*\", from, stride)),", "kf__l_int(L, 0)),", ["--only", "concatenate"]),
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
     "    kf__cuda_put_barrier(L);\n"
     "    put_merge_arrays(L, st, prefix, threads / 32, read_shared);",
     "    put_merge_arrays(L, st, prefix, threads / 32, read_shared);", ["--emulate-cuda"]),
    ("missing-barrier-between-chunks", "src/lower/cuda_columns.c",
     "    kf__cuda_put_barrier(L); /* the states of the chunk before have been read */\n", "",
     ["--emulate-cuda", "--only", "axis"]),
    ("missing-barrier-between-shares", "src/lower/cuda_columns_merge.c",
     "    kf__cuda_put_barrier(L);\n    const kf__lx *step = ", "    const kf__lx *step = ",
     ["--emulate-cuda", "--only", "axis=0"]),
    ("missing-barrier-between-pieces", "src/lower/cuda_columns_merge.c",
     '    kf__open_if(L, kf__l_bin(L, ">", pieces, one));\n    kf__cuda_put_barrier(L);\n',
     '    kf__open_if(L, kf__l_bin(L, ">", pieces, one));\n',
     ["--emulate-cuda", "--only", "axis=0"]),
    ("lines-beside-in-one-place", "src/lower/cuda_columns.c",
     'kf__l_bin(L, "*", c->line ? c->line : c->nth, c->wide);',
     'kf__l_bin(L, "*", c->line ? kf__l_int(L, 0) : c->nth, c->wide);',
     ["--emulate-cuda", "--only", "axis=1"]),
    ("one-outer-line-too-many", "src/lower/cuda_columns.c",
     'const kf__lx *is = kf__l_bin(L, "<", own, all);',
     'const kf__lx *is = kf__l_bin(L, "<=", own, all);', ["--emulate-cuda", "--only", "axis=0"]),
    ("lanes-that-do-not-merge", "src/lower/cuda_rows.c",
     'kf__l_bin(L, "/", kf__l_var(L, "lanes"), kf__l_int(L, 2));',
     'kf__l_bin(L, "/", kf__l_var(L, "lanes"), kf__l_int(L, 4));', ["--emulate-cuda", "--only", "axis"]),
    ("tile-without-its-last-rows", "src/lower/cuda_columns.c",
     'kf__l_bin(L, "<", last, c->to)', 'kf__l_bin(L, "<", ((void)last, row0), c->to)',
     ["--emulate-cuda", "--only", "axis"]),
    ("missing-barrier-before-tile-stores", "src/lower/cuda_column_tiles.c",
     "        if (!any) kf__cuda_put_barrier(L);\n", "", ["--emulate-cuda", "--only", "axis"]),
    ("skipped-packs", "src/lower/cuda_rows.c",
     "    if (b.V > 1 && b.lanes > 32) {", "    t.skip = kf__l_int(L, 0);\n    if (false) {",
     ["--emulate-cuda", "--only", "axis"]),
    ("unasked-parts", "src/lower/cuda_chosen.c", "    if (c->all) any = NULL;", "    any = NULL;",
     ["--emulate-cuda", "--only", "pad"]),
    ("rows-beyond-a-part", "src/lower/cuda_choose.c",
     "here[k] = begin ? kf__l_bin(L, \"&\", begin, end)", "here[k] = begin ? ((void)end, begin)",
     ["--emulate-cuda", "--only", "sum(pad"]),
    ("other-arguments", "src/lower/cuda_sink.c",
     "if (i != element && a->args[i] != b->args[i]) return false;", "(void)i;",
     ["--emulate-cuda", "--only", "concatenate([exp"]),
    ("own-rows-twice", "src/lower/cuda_scan.c",
     'kf__l_bin(L, "<", d, down),', 'kf__l_bin(L, "<=", d, down),',
     ["--emulate-cuda", "--only", "cum"]),
    ("lanes-to-the-right-too", "src/lower/cuda_scan.c",
     'kf__l_select(L, kf__l_bin(L, "&", lane, m),', 'kf__l_select(L, kf__l_bin(L, ">=", lane, m),',
     ["--emulate-cuda", "--only", "cum"]),
    ("lines-without-their-end", "src/lower/cuda_pointwise.c",
     "kf__ceil_div(size + (aligned ? 0 : t->W - 1), t->W);",
     "kf__ceil_div(size + (aligned ? 0 : 0), t->W);", ["--emulate-cuda"]),
    ("rows-as-aligned-as-lines", "src/lower/cuda_load.c",
     "bool full = is_full(L, access, t->W), moved = t->skew && !full;",
     "bool full = is_full(L, access, t->W), moved = false;", ["--emulate-cuda"]),
    ("all-rows-alike", "src/lower/cuda_load.c",
     "bool alike = is_alike(L, access, t->like, t->W);", "bool alike = true;",
     ["--emulate-cuda", "--only", "pad"]),
    ("words-from-far-below", "src/prelude/prelude_reduce.h",
     "int64_t block = index >> 2;", "int64_t block = (int64_t)((uint64_t)index >> 2);",
     ["--emulate-cuda", "--only", "dropout"]),
    ("scans-in-any-order", "src/fuse/domain.c",
     "bool along = i == (int)scan->index;\n        if (own[i] != index[i]) return false;",
     "bool along = i == (int)scan->index;", ["--only", "cum"]),
    ("largest-for-logarithm-of-sum", "src/lower/reduce.c",
     'code = "kf_logaddexp_T(a, b)"', 'code = "kf_max_T(a, b)"', ["--only", "logcumsumexp"]),
    ("wrong-alias", "src/run/alias.c",
     "if (k->instrs[k->stores[s].instr].stage < last_full_stage(k)) return false;",
     "(void)last_full_stage;", []),
    ("alias-read-later", "src/run/alias.c",
     "return until == first + 1 && allowed_in_kernel(", "return allowed_in_kernel(", []),
    ("stale-cache-entry", "src/compile/cache.c",
     "bool free_choice = i == 0 || (i == 3", "bool free_choice = i < 2 || (i == 3", [],
     "for (int i = 1; i < PARTS; i++)\n        if (i != 3)\n            for (int k",
     "for (int i = 2; i < PARTS; i++)\n        if (i != 3)\n            for (int k"),
    ("wrong-merge-of-moments", "src/prelude/prelude_reduce.h",
     "T r = p2 + (q2 + d * d * (np > 0 && nq > 0 ? np * (nq / n) : (T)0));",
     "T r = p2 + (q2 + d * d * (np > 0 && nq > 0 ? (T)1 / n : (T)0));",
     ["--emulate-cuda", "--only", "norm"]),
    ("last-level-of-states-lost", "src/prelude/prelude_c.h",
     "while (n >> k) ++k;", "while (n >> k > 1) ++k;", ["--only", "var"]),
    ("wrong-broadcast-stride", "src/fuse/views.c",
     "arg[i] = kf__x_is(x, a->shape[i], 1) ? kf__x_const(x, 0) : index[i];",
     "arg[i] = index[i];", []),
    ("wrong-saturation", "src/prelude/prelude_convert.h",
     "KF_CAST_SMALL(f32, float, i8, int8_t, -128.0f, 127.0f)",
     "KF_CAST_SMALL(f32, float, i8, int8_t, -128.0f, 128.0f)", ["--only", "i8"]),
    ("round-half-up", "src/prelude/prelude_c.h",
     "uint32_t rounded = bits + 0x7fff + ((bits >> 16) & 1);",
     "uint32_t rounded = bits + 0x8000;", ["--only", "bf16"]),
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
     "if (guard != KF__NO_INSTR) kf__body_add_arg(b, &i, guard);",
     "if (guard != KF__NO_INSTR && b->failed) kf__body_add_arg(b, &i, guard);",
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
     "kf__copy_few(to + i, from + i, bytes - i);",
     "kf__copy_few(to + i, from + i, bytes - i + 1);", []),
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
    ("lines-that-no-tile-has", "src/lower/cuda_transpose.c",
     "above && size ? size + above - 1 : size", "above < 0 ? above : size",
     ["--emulate-cuda", "--only", ".T"]),
    ("tile-beyond-its-end", "src/lower/cuda_along.c",
     'const kf__lx *left = kf__l_call(L, "kf_min_i64", KF__I64, '
     'kf__l_bin(L, "-", high, at), n);',
     "const kf__lx *left = n;", ["--emulate-cuda"]),
    ("kernels-in-a-circle", "src/fuse/merge.c",
     "        if (third) return true;", "        if (third) return false;", []),
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


class Base:
    """The unchanged fuzzer: how its files are compiled and linked, and what each includes."""

    def __init__(self, jobs):
        made = command("cmake", "-S", ROOT, "-B", BASE, "-G", "Ninja", "-DBUILD_TESTING=OFF",
                       "-DCMAKE_BUILD_TYPE=Release")
        if made.returncode == 0:
            made = command("ninja", "-C", BASE, "-j", jobs, "kfuse-fuzz")
        if made.returncode != 0:
            sys.exit("the unchanged sources don't build: " + (made.stderr + made.stdout)[-2000:])
        entries = json.loads((BASE / "compile_commands.json").read_text())
        self.compile = {pathlib.Path(e["file"]): shlex.split(e["command"]) for e in entries
                        if "/kfuse_objects.dir/" in e["command"]}
        commands = command("ninja", "-C", BASE, "-t", "commands", "kfuse-fuzz").stdout
        link = commands.strip().splitlines()[-1].removeprefix(": && ").removesuffix(" && :")
        self.link = shlex.split(link)
        self.includes, target = {}, None
        for line in command("ninja", "-C", BASE, "-t", "deps").stdout.splitlines():
            if line and not line.startswith(" "):
                target = self.includes.setdefault(line.split(":")[0], set())
            elif line:
                target.add((BASE / line.strip()).resolve())

    def users(self, file):
        """What has to be compiled again: source -> its command."""
        return {source: words for source, words in self.compile.items()
                if file in self.includes.get(words[words.index("-o") + 1], ())}


class Mutant:
    def __init__(self, name, file, text, becomes, options, *second):
        self.name, self.file, self.options = name, ROOT / file, options
        self.changes = [(text, becomes)] + ([second] if second else [])
        self.folder = WORK / name
        self.seconds, self.how, self.found = 0.0, "", False
        self.over = False  # found, or not to be built
        self.seeds = self.running = 0
        self.processes = []

    def changed(self):
        """The text of its file, with the fault."""
        source = self.file.read_text()
        for text, becomes in self.changes:
            if source.count(text) != 1:
                raise ValueError("its text isn't there any more: bring the mutant up to date")
            source = source.replace(text, becomes)
        return source

    def plant(self):
        """The changed file in the folder, under the name that it has from the root."""
        source = self.changed()
        shutil.rmtree(self.folder, ignore_errors=True)
        changed = self.folder / self.file.relative_to(ROOT)
        changed.parent.mkdir(parents=True)
        changed.write_text(source)
        return changed

    def embed(self, changed):
        """embedded.c again, with the changed file in its list."""
        files = (BASE / "generated" / "embedded.txt").read_text()
        list_of, out = self.folder / "embedded.txt", self.folder / "embedded.c"
        list_of.write_text(files.replace(str(self.file), str(changed)))
        made = command("cmake", f"-DOUT={out}", f"-DLIST={list_of}", "-P",
                       ROOT / "cmake" / "embed.cmake", cwd=ROOT)
        return out, made

    def build(self, base):
        """None, or what is wrong. Rooted includes find what is changed first."""
        changed = self.plant()
        sources = {s: (changed if s == self.file else s, w)
                   for s, w in base.users(self.file).items()}
        embedded = BASE / "generated" / "embedded.c"
        if str(self.file) in (BASE / "generated" / "embedded.txt").read_text():
            again, made = self.embed(changed)
            if made.returncode != 0:
                return made.stderr[-300:]
            sources[embedded] = (again, base.compile[embedded])
        objects = []
        for original, (source, words) in sources.items():
            objects.append(str(self.folder / f"{len(objects)}.o"))
            words = [str(source) if w == str(original) else w for w in words]
            words[words.index("-o") + 1] = objects[-1]
            words[1:1] = ["-I", str(self.folder / "src"), "-iquote", str(original.parent)]
            made = command(*words, cwd=BASE)
            if made.returncode != 0:
                return made.stderr[-300:]
        if not objects:
            return "nothing is compiled of " + str(self.file)
        words = list(base.link)
        words[words.index("-o") + 1] = str(self.folder / "kfuse-fuzz")
        first = next(i for i, w in enumerate(words) if w.endswith(".a"))
        words[first:first] = objects
        made = command(*words, cwd=BASE)
        return made.stderr[-300:] if made.returncode else None


class Run:
    """The processes, and what is left for them."""

    def __init__(self, mutants, jobs, seconds):
        self.mutants, self.jobs, self.start = mutants, jobs, time.time()
        self.end = self.start + seconds
        self.lock = threading.Lock()
        self.left = list(mutants)  # not yet built
        self.unchanged = [[], ["--emulate-cuda"]]
        self.wrong = []  # of the unchanged sources

    def fuzz(self, program, words, mutant=None):
        """Exit status and output; in a kernel cache of its own, as what is compiled may differ in
        effect only."""
        with tempfile.TemporaryDirectory(dir=WORK, ignore_cleanup_errors=True) as cache:
            environment = {**os.environ, "KFUSE_CACHE_DIR": cache, "OMP_NUM_THREADS": "2"}
            process = subprocess.Popen(
                [program, *words], env=environment, text=True, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, start_new_session=True)
            if mutant:
                with self.lock:
                    mutant.processes.append(process)
                    if mutant.over:
                        stop(process)
            output = process.communicate()[0]
        return process.returncode, output

    def next(self):
        """A mutant to build, else the one that fewest processes look at."""
        with self.lock:
            if self.left:
                mutant = self.left.pop(0)
                mutant.running += 1
                return mutant, True
            open_ones = [m for m in self.mutants if not m.over]
            if not open_ones or time.time() > self.end - 5:
                return None, False
            mutant = min(open_ones, key=lambda m: (m.running, m.seeds))
            mutant.running += 1
            return mutant, False

    def finish(self, mutant, found, how):
        with self.lock:
            if mutant.over:
                return
            mutant.over, mutant.found, mutant.how = True, found, how
            mutant.seconds = time.time() - self.start
            for process in mutant.processes:
                stop(process)
        print(f"{'found' if found else 'MISSED'} {mutant.name} "
              f"({mutant.seconds:.0f} s): {how[:160]}", flush=True)

    def attempt(self, mutant):
        with self.lock:
            seed = SEED + mutant.seeds
            mutant.seeds += 1
        where = ["--seed", str(seed), *mutant.options]
        seconds = max(1, self.end - time.time())
        words = [*where, "--count", str(COUNT), "--time", str(int(seconds)), "--failures", "1",
                 "--no-shrink"]
        code, output = self.fuzz(mutant.folder / "kfuse-fuzz", words, mutant)
        lines = output.splitlines()
        why = next((line for line in lines if line.startswith("FAILED")), "")
        if code in (0, -signal.SIGKILL) or "more than" in why:  # a slow machine isn't a find
            return
        if not why:
            self.finish(mutant, False, f"status {code}: {output[-300:]}")
            return
        for line in lines[lines.index(why):]:
            replay = shlex.split(line) if "--replay" in line else []
            if replay and self.fuzz(BASE / "kfuse-fuzz", replay[1:])[0] not in (0, 2):
                self.wrong.append(line.strip())
                return  # not this mutant's
        self.finish(mutant, True, " ".join(["kfuse-fuzz", *where]) + f": {why}")

    def work(self, base):
        while True:
            with self.lock:
                options = self.unchanged.pop() if self.unchanged else None
            if options is not None:
                words = ["--seed", str(SEED), "--time", str(UNCHANGED_SECONDS), *options]
                code, output = self.fuzz(BASE / "kfuse-fuzz", words)
                if code != 0:
                    self.wrong.append(output)
                continue
            mutant, build = self.next()
            if not mutant:
                return
            try:
                wrong = mutant.build(base) if build else None
                if build and wrong:
                    self.finish(mutant, False, "doesn't build: " + wrong)
                elif (mutant.folder / "kfuse-fuzz").exists():
                    self.attempt(mutant)
                else:
                    time.sleep(1)  # another process builds it
            except ValueError as error:
                self.finish(mutant, False, str(error))
            finally:
                with self.lock:
                    mutant.running -= 1

    def all(self, base):
        threads = [threading.Thread(target=self.work, args=(base,)) for _ in range(self.jobs)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


def stop(process):
    """With the compilers that it started."""
    if process.poll() is None:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--time", type=int, default=480)
    parser.add_argument("names", nargs="*")
    given = parser.parse_args()
    WORK.mkdir(parents=True, exist_ok=True)
    wanted = [Mutant(*m) for m in MUTANTS if not given.names or m[0] in given.names]
    unknown = set(given.names) - {m.name for m in wanted}
    if unknown:
        sys.exit("no mutant is named " + ", ".join(sorted(unknown)))
    base = Base(given.jobs)
    run = Run(wanted, given.jobs, given.time)
    run.all(base)
    missed = [m.name for m in wanted if not m.found]
    print(f"\n{'mutant':<28} {'':<6} {'s':>4}  by")
    for m in wanted:
        verdict = "found" if m.found else "MISSED"
        print(f"{m.name:<28} {verdict:<6} {m.seconds:>4.0f}  {m.how[:120]}")
    for how in run.wrong:
        print("the unchanged sources fail: " + how)
    print(f"{len(missed)} missed: {' '.join(missed)}" if missed else f"all {len(wanted)} found")
    sys.exit(1 if missed or run.wrong else 0)


if __name__ == "__main__":
    main()
