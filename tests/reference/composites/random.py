"""Random numbers: Philox4x32-10 as Random123 defines it, in Python's integers."""

import numpy as np
import torch
from composites.table import bools, normal, uniform


def philox(seed, stream, n):
    words = []
    for block in range((n + 3) // 4):
        c = [block & 0xFFFFFFFF, block >> 32, stream & 0xFFFFFFFF, stream >> 32]
        k = [seed & 0xFFFFFFFF, seed >> 32]
        for _ in range(10):
            p, q = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
            c = [(q >> 32) ^ c[1] ^ k[0], q & 0xFFFFFFFF, (p >> 32) ^ c[3] ^ k[1], p & 0xFFFFFFFF]
            k = [(k[0] + 0x9E3779B9) & 0xFFFFFFFF, (k[1] + 0xBB67AE85) & 0xFFFFFFFF]
        words += c
    return np.array(words[:n], np.uint64)


assert list(philox(0, 0, 4)) == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]


def words(shape, seed, stream):
    return philox(seed, stream, int(np.prod(shape))).reshape(shape)


def rand(shape, seed=0, stream=0):
    return (words(shape, seed, stream) >> np.uint64(8)).astype(np.float64) * 2.0**-24


def kept(shape, p, seed=0, stream=0):
    return words(shape, seed, stream) >= np.uint64(int(p * 2**32))


def dropped(x, keep, p):
    return np.where(keep, x.numpy() * (1 / (1 - p) if p < 1 else 0), 0.0)


def wide(shape, seed, stream, each=1):
    """64 bits an element, or `each` times as many."""
    w = philox(seed, stream, 2 * each * int(np.prod(shape)))
    return (w[0::2] | w[1::2] << np.uint64(32)).reshape((*shape, each) if each > 1 else shape)


def rand64(shape, seed, stream):
    return (wide(shape, seed, stream) >> np.uint64(11)).astype(np.float64) * 2.0**-53


def randn(shape, seed, stream):
    """Box and Muller 1958."""
    b = wide(shape, seed, stream)
    u = ((b & np.uint64(0xFFFFFFFF)).astype(np.float64) + 0.5) * 2.0**-32
    angle = (b >> np.uint64(32)).astype(np.int64).astype(np.int32) * (np.pi * 2.0**-31)
    return np.sqrt(-2 * np.log(u)) * np.cos(angle)


def randn64(shape, seed, stream):
    b = (wide(shape, seed, stream, 2) >> np.uint64(11)).astype(np.float64) * 2.0**-53
    return np.sqrt(-2 * np.log(b[..., 0] + 2.0**-54)) * np.cos(2 * np.pi * b[..., 1])


def exponential(shape, seed, stream):
    return -np.log((words(shape, seed, stream).astype(np.float64) + 0.5) * 2.0**-32)


def randint(low, high, shape, seed, stream):
    return np.array([(int(v) * (high - low) >> 64) + low
                     for v in wide(shape, seed, stream).ravel()]).reshape(shape)


def alpha(x, keep, p):
    low = -1.7580993408473766
    a = 1 / np.sqrt((1 - p) * (1 + p * low * low))
    return np.where(keep, x.numpy(), low) * a - a * low * p


S = (3, 9)
MADE = [  # by shape; the same ones _like an array
    ("rand", "", rand(S, 4, 1)), ("uniform", ", -2, 3", 5 * rand(S, 4, 1) - 2),
    ("uniform", ", lo=1, hi=3", 2 * rand(S, 4, 1) + 1), ("randn", "", randn(S, 4, 1)),
    ("normal", ", 2, 0.5", 0.5 * randn(S, 4, 1) + 2),
    ("normal", ", mean=-1, std=3", 3 * randn(S, 4, 1) - 1),
    ("exponential", ", 3", 3 * exponential(S, 4, 1)),
    ("exponential", ", scale=0.5", 0.5 * exponential(S, 4, 1)),
    ("bernoulli", ", 0.3", (rand(S, 4, 1) < 0.3).astype(np.float64)),
]
WIDE = [
    ("rand", "", rand64(S, 4, 1)), ("uniform", ", -2, 3", 5 * rand64(S, 4, 1) - 2),
    ("randn", "", randn64(S, 4, 1)), ("normal", ", 2, 0.5", 0.5 * randn64(S, 4, 1) + 2),
    ("exponential", ", 1",
     -np.log((wide(S, 4, 1) >> np.uint64(11)).astype(np.float64) * 2.0**-53 + 2.0**-54)),
    ("bernoulli", ", 0.3", (rand(S, 4, 1) < 0.3).astype(np.float64)),
]


def made(t):
    for name, options, a in MADE:
        a32 = a.astype(np.float32)
        t.add(f"{name}((3, 9){options}, seed=4, stream=1)", lambda a=a32: a, "rel 1e-6 abs 2e-6")
        t.pointwise(f"{name}_like(x{options}, seed=4, stream=1)", lambda x, a=a32: a,
                    "rel 1e-6 abs 2e-6 wide 1", x=normal(3, 9))
    for name, options, a in WIDE:  # float32 here, to be told from the input's dtype
        text = f"{name}((3, 9){options}, seed=4, stream=1, dtype=float64)"
        t.add(f"cast({text}, float32)", lambda a=a: a.astype(np.float32), "ulp 1")
        text = f"{name}_like(x{options}, seed=4, stream=1, dtype=float64)"
        t.pointwise(f"cast({text}, float32)", lambda x, a=a: a.astype(np.float32), "ulp 1 wide 1",
                    x=normal(3, 9))
    whole = randint(-5, 100, S, 4, 1)
    t.add("randint(-5, 100, (3, 9), 4, 1)", lambda: whole)
    t.add("randint(-5, 100, (3, 9), 4, 1, dtype=int8)", lambda: whole.astype(np.int8))
    t.pointwise("randint_like(x, -5, 100, 4, 1)", lambda x: whole, x=normal(3, 9))
    t.pointwise("randint_like(x, -5, 100, seed=4, stream=1, dtype=int16)",
                lambda x: whole.astype(np.int16), x=normal(3, 9))
    t.pointwise("alpha_dropout(x, 0.3, 7, 8)", lambda x: alpha(x, kept((3, 9), 0.3, 7, 8), 0.3),
                "ulp 6 abs 1e-6", x=normal(3, 9))
    t.pointwise("feature_alpha_dropout(x, 0.3, 7, 8)",
                lambda x: alpha(x, kept((3, 4, 1), 0.3, 7, 8), 0.3), "ulp 6 abs 1e-6",
                x=normal(3, 4, 5))


def rows(t):
    made(t)
    t.pointwise("rand_like(x)", lambda x: rand((5, 7)).astype(np.float32), "ulp 0 wide 1", x=normal(5, 7))
    for seed, stream in ((1, 2), (0x123456789, 5)):
        text = f"rand_like(x, seed={seed}, stream={stream})"
        t.pointwise(text, lambda x, s=(seed, stream): rand((5, 7), *s).astype(np.float32), "ulp 0", x=normal(5, 7))
        for p in (0.0, 0.2, 1.0):
            t.pointwise(f"dropout(x, {p}, seed={seed}, stream={stream})",
                        lambda x, p=p, s=(seed, stream): dropped(x, kept((5, 7), p, *s), p),
                        "ulp 1.5", x=normal(5, 7))
    t.pointwise("dropout(x, training=False) * 2", lambda x: x * 2, "ulp 0", x=normal(5, 7))
    t.pointwise("dropout(x, p, seed, stream)",
                lambda x, p, seed, stream: dropped(x, kept((3, 33), 0.3, 9, 1), 0.3), "ulp 1.5",
                x=normal(3, 33), p=0.3, seed=9, stream=1)
    t.pointwise("dropout_mask(x, m)", lambda x, m: torch.where(m > 0.5, x * 1.25, 0), "ulp 1.5",
                x=normal(4, 9), m=uniform(0, 1, 4, 9))
    t.pointwise("dropout_mask(x, m, 0.5)", lambda x, m: torch.where(m, x * 2, 0), "ulp 1.5",
                x=normal(4, 9), m=bools(4, 9))
    t.pointwise("dropout1d(x, 0.4, 7, 8) + dropout2d(x, 0.4, 7, 8)",
                lambda x: 2 * dropped(x, kept((3, 4, 1), 0.4, 7, 8), 0.4), "ulp 1.5",
                x=normal(3, 4, 5))
    t.pointwise("channel_dropout(x, 0.4, 7, 8)",
                lambda x: dropped(x, kept((3, 4, 1), 0.4, 7, 8), 0.4), "ulp 1.5", x=normal(3, 4, 5))
    noise = -torch.tensor(np.log(exponential((3, 9), 5, 2)))

    def noisy(tau, axis=-1):
        return lambda x: ((x + noise) / tau).softmax(axis)

    t.row("gumbel_softmax(x, seed=5, stream=2)", noisy(1), "rel 2e-5 abs 1e-6 wide 1", x=normal(3, 9))
    t.row("gumbel_softmax(x, 0.5, axis=1, seed=5, stream=2)", noisy(0.5), "rel 2e-5 abs 1e-6 wide 1",
          x=normal(3, 9))
    t.add("gumbel_softmax(x, tau=2.0, axis=0, seed=5, stream=2)", noisy(2.0, 0),
          "rel 2e-5 abs 1e-6 wide 1", x=normal(3, 9))
    t.add("gumbel_softmax(x, hard=True, seed=5, stream=2)",
          lambda x: torch.eye(9, dtype=torch.float64)[(x + noise).argmax(-1)],
          "ulp 0", x=normal(3, 9))
