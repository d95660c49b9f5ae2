"""Quantisation: PyTorch's own (per tensor and channel, fake, float8) and NumPy. Scales are powers of
2 where a tie would tell x / scale from x * (1 / scale)."""

import numpy as np
import torch
from composites.table import integers, normal

F32 = np.float32


def rounded(x, scale, zero, lo, hi, dtype):
    q = np.rint(x.numpy().astype(F32) / F32(scale) + F32(zero))
    return np.clip(q, lo, hi).astype(dtype)


def channels(kind):
    def quantize(x, s, z, axis):
        return torch.quantize_per_channel(x.float(), s.float(), z, axis, kind).int_repr().numpy()

    return quantize


def dynamic_int8(axis):
    def quantize(x):
        a = x.numpy().astype(F32)
        scale = np.abs(a).max(axis, keepdims=True) / F32(127)
        return np.rint(a / scale).astype(np.int8), scale

    return quantize


def dynamic_uint8(axis):
    def quantize(x):
        a = x.numpy().astype(F32)
        lo = np.minimum(a.min(axis, keepdims=True), 0)
        scale = (np.maximum(a.max(axis, keepdims=True), 0) - lo) / F32(255)
        zero = np.rint(-lo / scale)
        return (np.clip(np.rint(a / scale + zero), 0, 255).astype(np.uint8), scale,
                zero.astype(np.uint8))

    return quantize


def float8(axis, kind, most):
    def quantize(x):
        a = x.float()
        scale = a.abs().amax(axis, keepdim=True) / most
        return (a / scale).clamp(-most, most).to(kind), scale.numpy()

    return quantize


def rows(t):
    e4, e5 = torch.float8_e4m3fn, torch.float8_e5m2
    t.pointwise("quantize_uint8(x, 0.0625, 3)", lambda x: rounded(x, 0.0625, 3, 0, 255, np.uint8),
                x=normal(80, scale=4))
    scales = {"s": 2.0 ** np.arange(-6, 1, dtype=F32)}
    for name, kind, zero in (("int8", torch.qint8, (-5, 5)), ("uint8", torch.quint8, (0, 99))):
        for axis in (0, 1):
            shape = (7, 9) if axis == 0 else (5, 7, 3)
            t.pointwise(f"quantize_{name}_channel(x, s, z{'' if axis == 0 else ', axis=1'})",
                        lambda x, s, z, axis=axis, kind=kind: channels(kind)(x, s, z, axis),
                        x=normal(*shape, scale=4), **scales, z=integers(*zero, 7))
    t.pointwise("dequantize(q, 0.1)", lambda q: (q.numpy() * F32(0.1)).astype(F32), "ulp 1",
                q=integers(-128, 128, 40, dtype=np.int8))
    t.pointwise("dequantize(q, s, z, axis=1)",
                lambda q, s, z: ((q.numpy() - F32(z.numpy())) * F32(s.numpy())).astype(F32),
                "ulp 1", q=integers(-128, 128, 4, 7, dtype=np.int8), **scales, z=integers(-5, 5, 7))
    t.pointwise("fake_quantize(x, 0.125, 2)",
                lambda x: torch.fake_quantize_per_tensor_affine(x, 0.125, 2, -128, 127), "ulp 1",
                x=normal(80, scale=9))
    t.pointwise("fake_quantize(x, 0.25, 7, 0, 15)",
                lambda x: torch.fake_quantize_per_tensor_affine(x, 0.25, 7, 0, 15), "ulp 1",
                x=normal(80))
    affine = torch.fake_quantize_per_tensor_affine
    halves = {"x": np.float32([0.25, 0.75, -0.25, 1.25, -1.75, 2.2, 9, -9, 0])}
    t.pointwise("fake_quantize_per_tensor_affine(x, 0.5, 1, -8, 7)",
                lambda x: affine(x, 0.5, 1, -8, 7), "ulp 0", **halves)
    t.pointwise("torch.fake_quantize_per_tensor_affine(x, s, z, quant_min=0, quant_max=15)",
                lambda x, s, z: affine(x.float(), s.float(), z, 0, 15).numpy(), "ulp 1 wide 1",
                x=normal(80), s=np.float32(0.25), z=np.int32(7))
    t.pointwise("fake_quantize_per_channel_affine(x, s, z, 1, -8, 7)",
                lambda x, s, z: torch.fake_quantize_per_channel_affine(
                    x.float(), s.float(), z, 1, -8, 7).numpy(), "ulp 1 wide 1", x=normal(5, 7), s=np.float32(2.0) ** np.arange(-3, 4),
                z=np.int32([0, 1, -3, 5, 0, 7, -8]))
    limits = "ulp 1 wide 1"
    t.row("quantize_int8_dynamic(x)", dynamic_int8(-1), limits, x=normal(5, 37))
    t.add("quantize_int8_dynamic(x, axis=None)", dynamic_int8((0, 1)), limits, x=normal(5, 37))
    t.row("quantize_uint8_dynamic(x)", dynamic_uint8(-1), limits, x=normal(5, 37))
    t.add("quantize_uint8_dynamic(x, axis=0)", dynamic_uint8(0), limits, x=normal(9, 7))
    t.pointwise("quantize_float8(x, 0.01)", lambda x: (x.float() / 0.01).clamp(-448, 448).to(e4),
                "ulp 0", x=normal(80, scale=3))
    t.pointwise("quantize_float8(x, s, axis=1, dtype=float8_e5m2)",
                lambda x, s: (x.float() / s.float()).clamp(-57344, 57344).to(e5), "ulp 0",
                x=normal(5, 7), **scales)
    t.pointwise("dequantize_float8(cast(x, float8_e5m2), 0.25)",
                lambda x: (x.float().to(e5).float() * 0.25).numpy(), "ulp 0", x=normal(40))
    t.pointwise("dequantize_float8(cast(x, float8_e4m3fn), s, axis=0)",
                lambda x, s: (x.float().to(e4).float() * s.float()[:, None]).numpy(), "ulp 0",
                x=normal(7, 5), **scales)
    t.row("quantize_float8_dynamic(x)", float8(-1, e4, 448), limits, x=normal(5, 37))
    t.add("quantize_float8_dynamic(x, axis=0, dtype=float8_e5m2)", float8(0, e5, 57344), limits,
          x=normal(9, 7))
