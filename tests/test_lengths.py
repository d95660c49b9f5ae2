"""A CPU object serves every length: the source of a kernel is the same for all sizes but 1, as are
its functions, of which those of short rows, tiles or lines are chosen when it is planned. Equal
sources are one entry in the cache, so a new length compiles nothing."""

import re

import pytest

ROWS, LENGTHS = 50, [5, 20, 40, 100, 200, 1100, 5000]
TEXTS = """
sum(x * b, 0)
var(x * b, 0)
max(x, 0) - min(x, 0), argmax(x, 0)
x + 1, sum(x, 0)
t = x * 2; t, sum(t, 0)
t = x * b; t, var(t, 0)
t = x * 2; t, sum(t, 1)
sum(tanh(x), 0), tanh(x)
softmax(x)
softmax(x, 0)
layer_norm(x)
normalize(x, axis=0)
x - logsumexp(x, axis=-1, keepdims=True)
x * tanh(mean(x, 1, keepdims=True))
t = exp(x); t / sum(t, 1, keepdims=True)
cumsum(x, 1)
cumsum(x * b, 0) * 2
argmax(x, 1)
tanh(x) * b, x
x[:, ::-1] + x
pad(x, 1)
concatenate([x, x * 2], 1)
roll(x, 1, 1) * b
where(x > 0, x, b)
stack([x, x + 1], -1)
repeat(x, 2, 1)
dropout(x, .5, seed=2)
sum(x), x * 2
relu(x).T, x * 2
"""


@pytest.mark.parametrize("dtype", ["f32", "f16", "bf16", "u8"])
@pytest.mark.parametrize("text", TEXTS.strip().splitlines())
def test_source_is_the_same(run, text, dtype):
    found = {}
    for n in LENGTHS:
        words = [f"x=ones({ROWS}, {n}, dtype={dtype})"]
        words += [f"b=ones({n}, dtype={dtype})"] * bool(re.search(r"\bb\b", text))
        found.setdefault(run("emit", text, *words, "--target", "c").stdout, []).append(n)
    assert len(found) == 1, list(found.values())
