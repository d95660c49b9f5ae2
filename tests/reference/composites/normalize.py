"""Softmax and normalisation: PyTorch."""

import math

import numpy as np
import torch
import torch.nn.functional as F
from composites.table import bools, normal, uniform

HARD = np.float32([[-np.inf, 0, 1, 2], [1e4, -1e4, 0, 9.99e3], [3e38, -3e38, 3e38, 0],
                   [88, 89, 90, -104], [0, 0, 0, 0], [np.nan, 1, 2, 3]])
SOFT = "rel 3e-6 abs 1e-37"


def running(x, m, v):
    m, v = m.clone(), v.clone()
    y = F.batch_norm(x, m, v, training=True, momentum=0.2)
    return y, m, v


def channels(*shape):
    return {"w": uniform(0.5, 2, shape[1]), "b": normal(shape[1])}


def softmaxes(t):
    for text, reference in (
        ("softmax(x)", lambda x: x.softmax(-1)), ("softmin(x)", lambda x: (-x).softmax(-1)),
        ("softmax(x, dtype=f32)", lambda x: x.softmax(-1).numpy().astype(np.float32)),
        ("softmin(x, -1, f32)", lambda x: (-x).softmax(-1).numpy().astype(np.float32)),
    ):
        limits = SOFT + (" wide 1" if "f32" in text else "")
        t.row(text, reference, limits, x=HARD)
        t.row(text, reference, limits, x=normal(3, 37, scale=9))
    t.add("softmax(x, 0)", lambda x: x.softmax(0), SOFT, 2, x=normal(7, 6))
    t.add("softmin(x, axis=0)", lambda x: (-x).softmax(0), SOFT, 2, x=normal(7, 6))
    t.add("log_softmax(x, 0)", lambda x: x.log_softmax(0), x=normal(7, 6), kernels=2)
    t.row("softmax(x, (1, 2))", lambda x: x.flatten(1).softmax(1).reshape(x.shape), SOFT,
          x=normal(3, 4, 5))
    t.add("softmax2d(x)", lambda x: x.softmax(-3), SOFT, 2, x=normal(2, 3, 4, 5))
    t.row("log_softmax(x)", lambda x: x.log_softmax(-1), x=HARD)
    t.row("log_softmax(x, dtype=f32)", lambda x: x.log_softmax(-1).numpy().astype(np.float32),
          "rel 3e-6 abs 1e-6 wide 1", x=normal(3, 37, scale=9))
    t.row("logsumexp(x, -1)", lambda x: x.logsumexp(-1), x=HARD)
    t.row("logsumexp(x, -1, keepdims=True)", lambda x: x.logsumexp(-1, True), x=normal(3, 37))
    t.full("logsumexp(x)", lambda x: x.logsumexp((0, 1)), x=normal(3, 37))
    t.row("logmeanexp(x, 1)", lambda x: x.logsumexp(1) - math.log(37), x=normal(3, 37))
    t.row("logmeanexp(x, axis=1, keepdims=True)", lambda x: x.logsumexp(1, True) - math.log(37),
          x=normal(3, 37))
    t.row("scale_mask_softmax(x, mask, 0.125)",
          lambda x, mask: (x * 0.125).masked_fill(~mask, -math.inf).softmax(-1), SOFT,
          x=normal(2, 3, 9, scale=20), mask=bools(2, 1, 9))
    t.row("scale_mask_softmax(x, mask=b, scale=s)", lambda x, b, s: (x * s + b).softmax(-1), SOFT,
          x=normal(2, 3, 9), b=normal(3, 9), s=0.3)
    t.add("scale_mask_softmax(x, axis=0)", lambda x: x.softmax(0), SOFT, 2, x=normal(9, 3))


def layers(t):
    w, b = uniform(0.5, 2, 40), normal(40)
    for text, reference, inputs in (
        ("layer_norm(x)", lambda x: F.layer_norm(x, (40,)), {}),
        ("layer_norm(x, w, b)", lambda x, w, b: F.layer_norm(x, (40,), w, b), {"w": w, "b": b}),
        ("layer_norm(x, bias=b, eps=0.1)", lambda x, b: F.layer_norm(x, (40,), None, b, 0.1),
         {"b": b}),
        ("layer_norm(x, (40,), w, b, 0.1)", lambda x, w, b: F.layer_norm(x, (40,), w, b, 0.1),
         {"w": w, "b": b}),
        ("layer_norm(x, [40], weight=w, bias=b, eps=1e-5)",
         lambda x, w, b: F.layer_norm(x, (40,), w, b), {"w": w, "b": b}),
        ("layer_norm(x, x.shape[-1:], None, b)", lambda x, b: F.layer_norm(x, (40,), None, b),
         {"b": b}),
        ("layer_norm(x, w, normalized_shape=(40,))", lambda x, w: F.layer_norm(x, (40,), w),
         {"w": w}),
        ("rms_norm(x, (40,), w)", lambda x, w: F.rms_norm(x, (40,), w, 1e-6), {"w": w}),
        ("layer_norm(x, axis=(0, 1))", lambda x: F.layer_norm(x, (4, 40)), {}),
        ("rms_norm(x)", lambda x: F.rms_norm(x, (40,), None, 1e-6), {}),
        ("rms_norm(x, w, 0.01)", lambda x, w: F.rms_norm(x, (40,), w, 0.01), {"w": w}),
        ("rms_norm(x, axis=(0, 1))", lambda x: F.rms_norm(x, (4, 40), None, 1e-6), {}),
        ("standardize(x)", lambda x: F.layer_norm(x, (40,)), {}),
        ("standardize(x, -1, eps=0.5)", lambda x: F.layer_norm(x, (40,), eps=0.5), {}),
        ("add_rms_norm(x, y)", lambda x, y: F.rms_norm(x + y, (40,), None, 1e-6),
         {"y": normal(4, 40)}),
        ("add_rms_norm(x, y, w, 0.1)", lambda x, y, w: F.rms_norm(x + y, (40,), w, 0.1),
         {"y": normal(4, 40), "w": w}),
        ("add_layer_norm(x, y)", lambda x, y: F.layer_norm(x + y, (40,)), {"y": normal(4, 40)}),
        ("add_layer_norm(x, y, w, b, 0.1)",
         lambda x, y, w, b: F.layer_norm(x + y, (40,), w, b, 0.1),
         {"y": normal(4, 40), "w": w, "b": b}),
    ):
        whole = "(0, 1)" in text
        t.add(text, reference, x=normal(4, 40), kernels=2 if whole else 1,
              kind="" if whole else "row", **inputs)
    t.row("rms_norm(x, [40], weight=w, eps=None)", lambda x, w: F.rms_norm(x, (40,), w, 2.0**-23),
          "rel 3e-6 abs 1e-6 wide 1", x=normal(4, 40), w=w)
    t.row("layer_norm(x + 1000)", lambda x: F.layer_norm(x + 1000, (40,)), "rel 1e-3 abs 1e-3",
          x=normal(4, 40))
    t.row("layer_norm(x, w, b, normalized_shape=(4, 5))",
          lambda x, w, b: F.layer_norm(x, (4, 5), w, b), x=normal(3, 4, 5), w=normal(4, 5),
          b=normal(4, 5))
    t.row("rms_norm(x, w, normalized_shape=(4, 5))",
          lambda x, w: F.rms_norm(x, (4, 5), w, 1e-6), x=normal(3, 4, 5), w=normal(4, 5))


def by_channel(t):
    shape = (2, 6, 3, 5)
    image = {"x": normal(*shape)}
    t.row("group_norm(x, 3, w, b)", lambda x, w, b: F.group_norm(x, 3, w, b), **image,
          **channels(*shape))
    t.row("group_norm(x, num_groups=2, eps=0.1)", lambda x: F.group_norm(x, 2, eps=0.1), **image)
    t.row("group_norm(x, 2, w, b)", lambda x, w, b: F.group_norm(x, 2, w, b), x=normal(5, 6),
          **channels(5, 6))
    t.row("instance_norm(x)", F.instance_norm, **image)
    t.row("instance_norm(x, weight=w, bias=b, eps=0.1)",
          lambda x, w, b: F.instance_norm(x, weight=w, bias=b, eps=0.1), **image,
          **channels(*shape))

    def instances(x, m, v):
        m, v = m.clone(), v.clone()
        return F.instance_norm(x, m, v, momentum=0.3), m, v

    stats = {"m": normal(6), "v": uniform(0.5, 2, 6)}
    t.add("instance_norm(x, m, v, momentum=0.3)", instances, **image, **stats)
    t.pointwise("instance_norm(x, m, v, use_input_stats=False)", lambda x, m, v: F.batch_norm(
        x, m, v), "ulp 6 abs 1e-6", **image, **stats)
    t.pointwise("batch_norm(x, m, v, w, b)", lambda x, m, v, w, b: F.batch_norm(x, m, v, w, b),
                "ulp 6 abs 1e-6", **image, **stats, **channels(*shape))
    t.pointwise("batch_norm(x, m, v, eps=0.1)", lambda x, m, v: F.batch_norm(x, m, v, eps=0.1),
                "ulp 6 abs 1e-6", x=normal(5, 6), **stats)
    t.add("batch_norm(x, training=True)", lambda x: F.batch_norm(x, None, None, training=True),
          kernels=2, **image)
    t.add("batch_norm(x, m, v, training=True, momentum=0.2)", running, kernels=2, **image, **stats)
    t.add("batch_norm(x, m, v, training=True, momentum=k)", lambda x, m, v, k: running(x, m, v),
          kernels=2, x=normal(7, 6), **stats, k=0.2)


def rows(t):
    softmaxes(t)
    layers(t)
    by_channel(t)
    for text, reference in (
        ("normalize(x)", F.normalize), ("normalize(x, 1)", lambda x: F.normalize(x, 1)),
        ("normalize(x, p=3, eps=0.5)", lambda x: F.normalize(x, 3, eps=0.5)),
        ("normalize(x, inf, -1)", lambda x: F.normalize(x, math.inf, -1)),
    ):
        t.row(text, reference, "rel 6e-6 abs 1e-7", x=normal(4, 9))
    t.add("normalize(x, axis=0)", lambda x: F.normalize(x, dim=0), kernels=2, x=normal(4, 9))
    t.add("normalize(x)", lambda x: F.normalize(x, dim=0), kernels=2, x=normal(9))
    t.row("weight_norm(x, g)", lambda x, g: torch._weight_norm(x, g, 0), x=normal(4, 9),
          g=normal(4, 1))
    t.add("weight_norm(x, g, axis=1)", lambda x, g: torch._weight_norm(x, g, 1),
          x=normal(4, 9, 2), g=normal(1, 9, 1))
    neighbours(t)


def scaled(x, n, limit):
    return x * torch.clamp(limit / n, max=1)


def neighbours(t):
    for size, more in ((3, ()), (5, (0.1, 0.5, 2.0)), (2, (0.3,)), (1, ())):
        text = "".join(f", {m}" for m in more)
        t.add(f"local_response_norm(x, {size}{text})",
              lambda x, s=size, m=more: F.local_response_norm(x, s, *m), x=normal(2, 6, 3, 4))
    t.add("local_response_norm(x, size=4, alpha=1.0, beta=1.5, k=0.5)",
          lambda x: F.local_response_norm(x, 4, 1.0, 1.5, 0.5), x=normal(2, 7, 5))
    t.add("minmax_scale(x)", lambda x: (x - x.amin(0)) / (x.amax(0) - x.amin(0)), kernels=2,
          x=normal(9, 5))
    t.row("minmax_scale(x, -1, 1, axis=1)",
          lambda x: 2 * (x - x.amin(1, True)) / (x.amax(1, True) - x.amin(1, True)) - 1,
          x=normal(9, 5))
    t.add("clip_by_norm(x, 2.0)", lambda x: scaled(x, x.norm(), 2), x=normal(9, 5))
    t.row("clip_by_norm(x, 1.5, axis=1, ord=1)", lambda x: scaled(x, x.norm(1, 1, True), 1.5),
          x=normal(9, 5, scale=0.4))
    for p, axis in ((2, 0), (1, 1), (2, 2)):
        t.add(f"renorm(x, {p}, {axis}, 1.5)",
              lambda x, p=p, a=axis: torch.renorm(x, p, a, 1.5), x=normal(4, 3, 5, scale=0.4))
