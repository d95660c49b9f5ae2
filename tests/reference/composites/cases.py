"""The cases of the benchmark: NumPy and PyTorch."""

import numpy as np
import torch
import torch.nn.functional as F
from composites.random import dropped, kept
from composites.table import EXTREME, normal, special, uniform


def quantized(x, scale, zero_point):
    q = np.rint(x.numpy().astype(np.float32) / np.float32(scale) + np.float32(zero_point))
    return np.nan_to_num(np.clip(q, -128, 127)).astype(np.int8)


def rows(t):
    for p in (0.2, 0.5):
        text = f"relu_dropout(x, {p}, seed=3, stream=4)"
        t.pointwise(text, lambda x, p=p: dropped(F.relu(x), kept((5, 33), p, 3, 4), p), "ulp 1.5",
                    x=normal(5, 33))
    t.pointwise("relu_dropout_mask(x, mask)",
                lambda x, mask: torch.where(mask > 0.5, F.relu(x) * 1.25, 0), "ulp 1",
                x=special(), mask=uniform(0, 1, 52))
    t.pointwise("relu_dropout_mask(x, mask, 0.5)",
                lambda x, mask: torch.where(mask > 0.5, F.relu(x) * 2, 0), "ulp 1",
                x=normal(5, 7), mask=uniform(0, 1, 5, 7))
    t.pointwise("fma(q, k, v)", lambda q, k, v: q * k + v, "ulp 1 abs 1e-6", q=normal(5, 7),
                k=normal(5, 7), v=normal(5, 7))
    t.pointwise("quantize_int8(x, 0.125, 3)", lambda x: quantized(x, 0.125, 3), x=special())
    t.pointwise("quantize_int8(x, scale, zero_point)", quantized, x=normal(50, scale=4), scale=0.5,
                zero_point=-7)
    t.pointwise("add_mul_exp(x, y)", lambda x, y: torch.exp((x + y) * 2), "ulp 24", x=normal(5, 7),
                y=normal(5, 7))
    t.row("relu_layernorm(x)", lambda x: F.layer_norm(F.relu(x), (37,)), x=normal(5, 37))
    t.row("relu_layernorm(x, eps=0.1)", lambda x: F.layer_norm(F.relu(x), (37,), eps=0.1),
          x=normal(5, 37))
    assert EXTREME.size == 28
