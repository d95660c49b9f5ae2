#!/usr/bin/env python3
"""No case may be slower than its unfused twin: python3 bench/sweep.py [--device cuda] [WORD ...]

Runs the named cases of `kfuse bench` and the expressions below, of ordinary use, from a thousand
elements to ten million. Each is one process that verifies it and times fused and unfused in turns.
Prints how many times as fast as unfused each is, worst first. What seems slower is measured again;
exit code 1 if it stays so, or if a result is wrong.

    WORD ...         only cases whose text has one of these in it
    --sizes 1e3,1e7  only these numbers of elements
    --part 2/3       the second third of all
    --random 100     so many of combinations instead, which nobody has chosen: OUTER of INNER
    --seed 1         which ones
    --least 0.95     from this ratio on a case isn't slower
    --threads N      on the CPU; 1 bothers others least
    --repeats N      samples of each; default: what a second allows
    --time SECONDS   stop after so long, and say what is left
    --json FILE      all figures"""

import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SIZES = {1000: (25, 40), 10**4: (97, 103), 10**5: (317, 316), 10**6: (1024, 1024),
         10**7: (3163, 3161)}
NAMED = "relu_dropout relu_dropout_mask relu_dropout_bool fma quantize_int8 add_mul_exp".split()
NAMED_ROWS = "relu_layernorm softmax sum_rows add_transposed".split()
WARM = 10**6  # up to this many elements also with the arrays in the caches
AGAIN = 2

# Arguments, of n elements or r rows of c.
FLAT_ARGUMENTS = {
    "x": "randn({n}{dtype})", "y": "randn({n}{dtype})", "g": "randn({n})", "v": "rand({n})",
    "q": "randint(-128, 127, {n}, dtype=i8)", "p": "randint(-128, 127, {n}, dtype=i8)",
}
ROW_ARGUMENTS = {
    "x": "randn({r}, {c}{dtype})", "y": "randn({r}, {c}{dtype})", "z": "randn({c}, {r}{dtype})",
    "w": "randn({c}{dtype})", "b": "randn({c}{dtype})", "k": "rand({r}, {c}, dtype=bool)",
    "d": "randn({r}, {twice}{dtype})", "t": "randint(0, {c}, {r})", "f": "randn(1000, {c}{dtype})",
    "u": "randn(4, {quarter}, {c})", "q": "randint(-128, 127, {r}, {c}, dtype=i8)",
    "p": "randint(-128, 127, {r}, {c}, dtype=i8)", "a": "randn(4, {quarter}, {c}{dtype})",
    "m": "randn({quarter}, {c}{dtype})", "i": "randint(0, {c}, {r}, {c})",
    "g": "randn({r}, {c})", "v": "rand({r}, {c})", "s": "rand({r}, 1)",
}

# text | arguments; with a star also in bf16
FLAT = """
relu(x + y) | x y
x * 2 + y * 0.5 - 1 | x y *
gelu(x) | x *
silu(x) * y | x y *
x / (1 + exp(-x)), tanh(x) | x
where(x > 0, x, exp(x) - 1) | x
clip(x, -1, 1) ** 3 | x
dropout(relu(x), 0.1, seed=7) | x *
mean((x - y) ** 2) | x y *
sum(abs(x - y)) | x y
huber_loss(x, y) | x y
binary_cross_entropy_with_logits(x, sigmoid(y)) | x y
sum(x * y), max(x), min(x) | x y
x - mean(x) | x
softmax(x) | x
log_softmax(x * 2) | x
x / sqrt(sum(x * x)) | x
(x - min(x)) / (max(x) - min(x)) | x
adamw(x, g, y, v, step=3) | x g y v
sgd_momentum(x, g, y, 0.1) | x g y
fake_quantize(x, 0.05, 3) | x
(cast(q, f32) - 3) * 0.05 | q
q + p, maximum(q, p) | q p
concatenate([relu(x), y * 2]) | x y *
pad(x * 2, (3, 5)) | x
roll(x * 2, 3) - x | x
x[:-1:2] + x[1::2] | x
x[1:] - x[:-1] | x *
isnan(x) | (abs(x) > 3) | x
mse_loss(x, y), l1_loss(x, y), smooth_l1_loss(x, y) | x y *
mean(where(x > 0, x * y, 0)), sum(x > 0) | x y
var(x), max(abs(x)) | x *
(x - mean(x)) / (std(x) + 1e-5) * 2 + y | x y
lion(x, g, y) | x g y
rmsprop(x, g, v) | x g v
adamw(x, g * (1 / maximum(1, sqrt(sum(g * g)))), y, v, step=3) | x g y v
where(v > 0.5, sum(x), x) | x v
concatenate([x / sqrt(sum(x * x)), y / sqrt(sum(y * y))]) | x y
cast(clip(round(x / max(abs(x)) * 127), -128, 127), i8) | x *
x * cos(y) - y * sin(x), x * sin(y) + y * cos(x) | x y
cast(q, i32) * p + 3, (q >> 2) ^ p | q p
sum(cast(q, i32) * p) | q p
x ** 3 + 2 * x ** 2 - x | x *
cumsum(x) | x
""".replace("isnan(x) | (abs", "isnan(x) \\| (abs")

ROWS = """
log_softmax(x) | x *
softmax(where(k, x * 0.125, -inf)) | x k
layer_norm(x, weight=w, bias=b) | x w b *
layer_norm(gelu(x + b) + y, weight=w, bias=b) | x b y w *
add_rms_norm(x, y, w) | x y w *
normalize(x) | x
x - logsumexp(x, axis=-1, keepdims=True) | x
var(x, axis=-1) | x *
mean(x, axis=0) | x *
var(relu(x), axis=0) | x
(x - mean(x, axis=0)) * rsqrt(var(x, axis=0) + 1e-5) | x *
softmax(x, axis=0) | x
group_norm(u, 2) | u
sum(x, axis=0), sum(x, axis=1) | x *
sum(x, axis=0), x * 2 | x
max(x, axis=-1), argmax(x, axis=-1) | x
cosine_similarity(x, y) | x y
cross_entropy(x, t) | x t
soft_cross_entropy(x, softmax(y)) | x y
kl_div(log_softmax(x), softmax(y)) | x y
x * 2 + z.T | x z *
relu(z).T, z * 2 | z
layer_norm(z.T + y) | z y *
softmax(z.T) | z *
sum(z.T * y, axis=-1) | z y
sum(z.T + y, axis=0) | z y
x + softmax(z, axis=0).T | x z
relu(x).T * z | x z
concatenate([x * 2, y], axis=1) | x y *
concatenate([softmax(x), y], axis=1) | x y
stack([x, -x], axis=-1) | x
pad(x * 2, ((1, 1), (2, 2))) | x *
pad(z.T, ((1, 1), (2, 2))) * 2 | z
mean(pad(x, ((1, 1), (1, 1)), 'edge'), axis=1) | x
glu(d) | d *
concatenate([-d[:, d.shape[1] // 2:], d[:, :d.shape[1] // 2]], axis=1) * cos(d) | d
embedding(t, f) * 2 | t f *
layer_norm(take(f, t, axis=0) + x) | f t x
quantize_int8_dynamic(layer_norm(x)) | x
softmax((cast(q, f32) - 3) * 0.05) | q
x / max(abs(x), axis=1, keepdims=True), max(abs(x), axis=1) | x
relu(x[:, ::-1] + x) | x
causal(x * 0.125) | x
diff(x, axis=0) * w | x w
outer(b, w) + 1 | b w
softmax(a * 0.125 + m) | a m *
softmax(causal(x * 0.125)) * y | x y *
dropout(softmax(where(k, x * 0.125, -inf)), 0.1, seed=3) | x k
softmax(x) * softmax(y, axis=0) | x y
mean(abs(softmax(x) - y)) | x y *
mean(square(layer_norm(x) - layer_norm(y))) | x y *
-mean(log_softmax(x) * y) | x y
kl_div(log_softmax(x), log_softmax(y), log_target=True), sum(softmax(x) * y, axis=-1) | x y
cross_entropy(x, t, label_smoothing=0.1) | x t *
mean(logsumexp(x, axis=-1) - x[:, 0]) | x
layer_norm(x.T) | x *
rms_norm(z.T * y, w) | z y w *
normalize(z.T, axis=0), sum(y * y, axis=0) | z y
softmax(z.T + y, axis=0) | z y
mean(z.T, axis=0), var(y, axis=0) | z y *
max(z.T - y, axis=-1) | z y
concatenate([layer_norm(x), layer_norm(y)], axis=1) | x y *
concatenate([layer_norm(x), rms_norm(y), x * y], axis=0) | x y
concatenate([normalize(x), normalize(y)], axis=1) * 0.5 | x y
where(k, x - mean(x, axis=1, keepdims=True), 0) | x k *
pad(sum(x, axis=1), 1) | x
pad(softmax(x), ((0, 0), (1, 1))) | x
pad(layer_norm(x), ((1, 1), (0, 0))) + 1 | x
mean(pad(x, ((2, 2), (2, 2)), 'reflect'), axis=0) | x
mean(x, axis=0), mean(x, axis=1), mean(x) | x *
x - mean(x, axis=0) - mean(x, axis=1, keepdims=True) + mean(x) | x
(x - mean(x)) / std(x) | x *
max(x, axis=0) - min(x, axis=0), argmax(x, axis=0) | x
sum(one_hot(t, x.shape[1]) * x, axis=-1) | t x
one_hot(t, x.shape[1]) * 2 - x | t x
layer_norm(embedding(t, f) + x, weight=w, bias=b) | t f x w b *
take_along_axis(softmax(x), i, axis=1) | x i
softmax(take_along_axis(x, i, axis=1)) | x i
layer_norm(take_along_axis(x, i, axis=1) * y) | x i y
gelu(x + b) * s, sum(gelu(x + b), axis=0) | x b s *
x * (silu(b) + 1) + tanh(w) | x b w *
x * exp(w) / (1 + exp(-b)) | x w b *
batch_norm(x, training=True)[0] | x
adamw(x, g, y, v, step=3) | x g y v
quantize_int8(layer_norm(x), 0.05, 3) | x *
(cast(q, f32) * s - cast(p, f32)) * w | q p s w
layer_norm((cast(q, f32) - 3) * 0.05 + x) | q x
sum(cast(q, i32) * p, axis=1), max(q, axis=1) | q p
relu(x).T, sum(x, axis=0) | x
(x * 2).T + z, softmax(x) | x z
roll(softmax(x), 1, axis=1) | x
gelu(cumsum(x * 2, axis=1)) | x *
x - cumsum(x, axis=0) | x
x + b, x * 2 | x b *
relu(x + b), x + b > 0 | x b *
x * 2, softmax(x) | x *
softmax(x), x > 0 | x *
maximum(q, p[0]), q * 2 | q p
cumsum(softmax(x), axis=1) | x *
"""

# What is made of something, and something of which it is made.
RANDOM_TYPES = ("", "", "*bf16", "*f16", "*f64")
OUTER = """
{}
({}).T
({})[:, ::2]
({}) * s + b
{} > .5
cast({}, f16)
cast(clip(round({} * 10), -128, 127), i8)
sum({}, 0)
sum({}, 1)
mean({})
mean({}, 0)
prod({}, 1)
max({}, 1)
min({}, 0), max({}, 0)
argmax({}, 1)
all({} > 0, 1)
var({}, 0)
var({}, 1)
std({}, 1)
logsumexp({}, 0)
layer_norm({})
rms_norm({})
normalize({})
softmax({})
softmax({}, axis=0)
cumsum({}, 0)
cumsum({}, 1)
pad({}, 1)
roll({}, 1, 1)
flip({}, 1)
concatenate([{}, y], 1)
stack([{}, x])
h = {}; h, var(h, 0)
h = {}; h, var(h, 1)
h = {}; h, sum(h, 0), sum(h, 1)
h = {}; h, h[:, ::-1] * 2
h = {}; h, h.T
h = {}; h, softmax(h)
h = {}; h, argmax(h, 0)
h = {}; h - mean(h, 0)
h = {}; layer_norm(h) + h
({})[1:-1, 1:-1]
where(k, {}, 0)
take({}, t % 25, axis=0)
max({}, 0) + x
logsumexp({}, 1)
cumsum({}, 0) * s
"""

INNER = """
tanh(exp(x))
gelu(x) * y
x * y + b
sqrt(abs(x))
silu(x) * sigmoid(y)
where(k, x, y)
abs(x) ** 2.5
log1p(abs(x))
cos(x) * sin(y)
z.T * x
erf(x)
relu(x)
clip(x, -1, 1)
x / s
hypot(x, y)
atan2(x, y)
x % y
floor(x / y)
fmod(x, y)
cbrt(x)
lgamma(abs(x) + 1)
logaddexp(x, y)
softplus(x)
mish(x)
exp(-x * x / 2)
x - mean(x, 1, keepdims=True)
x * mean(y, 0)
z.T
x[:, ::-1] + y
x[::-1]
roll(x, 1, 0) - x
cast(q, f32) * y
x + softmax(y)
softmax(x) * y
layer_norm(x) + y
gelu(layer_norm(x))
dropout(x, .1, seed=3)
take(f, t, axis=0) * x
cast(q, f32) * .1
maximum(x, y) - minimum(x, y)
sigmoid(gelu(x))
asinh(x) * y
log(exp(x) + exp(y))
x ** 3 - y ** 2
1 / (1 + x * x)
erf(tanh(x))
tan(x) - atan(x)
acos(sin(x) * .9)
"""


def random_cases(n, seed):
    draw = random.Random(seed)
    outer, inner = OUTER.strip().splitlines(), INNER.strip().splitlines()
    texts = [o.replace("{}", i) for o in outer for i in inner]
    for text in draw.sample(texts, min(n, len(texts))):
        names = set(re.findall(r"(?<![\w.])[a-z](?!\w)", text)) & ROW_ARGUMENTS.keys()
        yield f"{text} | {' '.join(sorted(names))} {draw.choice(RANDOM_TYPES)}"


def read_cases(lines, arguments, kind):
    for line in lines.strip().splitlines():
        *text, names = line.replace("\\|", "\0").split("|")
        text, names = text[0].strip().replace("\0", "|"), names.split()
        dtypes = ("",)
        if names[-1].startswith("*"):
            last = names.pop()
            dtypes = ("", "bf16") if last == "*" else (last[1:],)
        for dtype in dtypes:
            yield kind, text, {n: arguments[n] for n in names}, dtype


def all_runs(sizes, some=None):
    """(label, words of the command, warm?) of every case at every size; some: those instead."""
    named, named_rows, flat, rows = NAMED, NAMED_ROWS, FLAT, ROWS
    if some:
        named, named_rows, flat, rows = [], [], "", some
    for n in sizes:
        r, c = SIZES[n]
        for name in named:
            yield f"{name} {n}", [name, "--sizes", str(n)], n <= WARM
        for name in named_rows:
            yield f"{name} {r}x{c}", [name, "--sizes", f"{r}x{c}"], n <= WARM
        for kind, text, arguments, dtype in (*read_cases(flat, FLAT_ARGUMENTS, "flat"),
                                             *read_cases(rows, ROW_ARGUMENTS, "rows")):
            if dtype and not some and n not in (10**5, 10**7):
                continue
            quarter = r // 8 * 2  # even, for two groups
            values = {"n": n, "r": r, "c": c, "twice": 2 * c, "quarter": quarter,
                      "dtype": f", dtype={dtype}" if dtype else ""}
            words = [f"{k}={v.format(**values)}" for k, v in arguments.items()]
            size = f"{n}" if kind == "flat" else f"{r}x{c}"
            yield f"{text}  {size} {dtype}".rstrip(), [text, *words], n <= WARM


def ratios(rows):
    """{regime: row}: how many times as fast as unfused. By medians and by the best samples: what is
    slower is so by both. same: fusion changed nothing, and the ratio is noise."""
    found = {}
    for regime in dict.fromkeys(row["regime"] for row in rows):
        fused, unfused = (next(r for r in rows if (r["variant"], r["regime"]) == (v, regime))
                          for v in ("fused", "unfused"))
        one, two = fused["us"], unfused["us"]
        found[regime] = {
            "ratio": max(two["median"] / one["median"], two["min"] / one["min"]),
            "fused": one["median"], "unfused": two["median"], "share": fused["share_of_limit"],
            "kernels": f"{fused['kernels']}/{unfused['kernels']}",
            "same": all(fused[k] == unfused[k] for k in ("kernels", "predicted_us", "temp_bytes")),
        }
    return found


def is_slower(row, least):
    return row["ratio"] < least and not row["same"]


def measure(options, words, warm, repeats):
    with tempfile.TemporaryDirectory() as folder:
        figures = os.path.join(folder, "bench.json")
        command = [options.kfuse, "bench", *words, "--json", figures, "--device", options.device]
        command += ["--warm"] * warm
        command += ["--threads", str(options.threads)] * bool(options.threads)
        command += ["--repeats", str(repeats)] * bool(repeats)
        done = subprocess.run(command, capture_output=True, text=True, timeout=options.timeout)
        if done.returncode:
            return None, (done.stderr or done.stdout).strip()
        with open(figures, encoding="utf-8") as file:
            return ratios(json.load(file)), ""


def progress(text):
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("words", nargs="*", metavar="WORD")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--sizes", default=",".join(f"{n:.0e}" for n in SIZES))
    parser.add_argument("--part", default="1/1")
    parser.add_argument("--random", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--least", type=float, default=0.95)
    parser.add_argument("--threads", type=int)
    parser.add_argument("--repeats", type=int)
    parser.add_argument("--timeout", type=float, default=120)
    parser.add_argument("--time", type=float, default=1e9)
    parser.add_argument("--json")
    parser.add_argument("--kfuse", default=os.path.join(ROOT, "build", "kfuse"))
    options = parser.parse_args()
    part, parts = map(int, options.part.split("/"))
    some = "\n".join(random_cases(options.random, options.seed)) if options.random else None
    runs = list(all_runs([int(float(n)) for n in options.sizes.split(",")], some))
    runs = [r for r in runs if not options.words or any(w in r[0] for w in options.words)]
    runs = runs[part - 1::parts]

    start, table, failed = time.monotonic(), [], []
    for i, (label, words, warm) in enumerate(runs):
        if time.monotonic() - start > options.time:
            print(f"out of time: {len(runs) - i} of {len(runs)} not measured")
            break
        progress(f"{i + 1}/{len(runs)} {label}"[:100])
        found, trouble = measure(options, words, warm, options.repeats)
        for _ in range(AGAIN):
            if not any(is_slower(row, options.least) for row in (found or {}).values()):
                break
            more, trouble = measure(options, words, warm, options.repeats)
            for regime, row in (more or {}).items():
                if row["ratio"] > found[regime]["ratio"]:
                    found[regime] = row
        if not found:
            failed.append((label, trouble))
        for regime, row in (found or {}).items():
            table.append({"case": label, "regime": regime, **row})
    progress("")
    table.sort(key=lambda row: row["ratio"])
    print(f"{'faster':>7} {'fused':>10} {'unfused':>10} {'kernels':>7} {'':4} {'share':>5}  case")
    for row in table:
        same = "same" if row["same"] else ""
        print(f"{row['ratio']:6.2f}x {row['fused']:8.2f}us {row['unfused']:8.2f}us "
              f"{row['kernels']:>7} {same:4} {row['share']:5.0%}  {row['case']} {row['regime']}")
    for label, trouble in failed:
        print(f"failed: {label}\n{trouble}")
    slower = sum(is_slower(row, options.least) for row in table)
    print(f"{len(table)} measured in {time.monotonic() - start:.0f} s, {slower} slower than "
          f"{options.least} of the unfused twin, {len(failed)} failed")
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(table, file, indent=1)
    return 1 if slower or failed else 0


if __name__ == "__main__":
    sys.exit(main())
