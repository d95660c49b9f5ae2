"""Windows that slide: PyTorch."""

import numpy as np
import torch
import torch.nn.functional as F
from composites.table import integers, normal, uniform

SHAPES = {1: (2, 2, 13), 2: (1, 2, 7, 9), 3: (1, 1, 5, 4, 6)}
CLOSE = "rel 3e-6 abs 1e-6"


def call(name, options):
    return f"{name}(x, " + ", ".join(f"{k}={v!r}" for k, v in options.items()) + ")"


def with_strange_ones(rng):
    x = rng.standard_normal((2, 8, 9)).astype(np.float32)
    x[0, 2, 3], x[0, 5, 5], x[1, :4] = np.nan, np.inf, -np.inf
    return x


def with_equal_ones(*shape):
    """Many equal elements, NaN and infinite ones."""

    def make(rng):
        x = np.float32(rng.integers(0, 3, shape))
        x[rng.random(shape) < 0.1] = np.nan
        return np.where(rng.random(shape) < 0.3, np.float32(-np.inf), x)

    return make


def with_indices(t):
    for r, shape in {1: (2, 2, 13), 2: (2, 2, 9, 8), 3: (1, 2, 5, 6, 7)}.items():
        for options in (
            {"kernel_size": 2},
            {"kernel_size": 1, "stride": 2},
            {"kernel_size": 3, "stride": 1, "padding": 1, "ceil_mode": True},
            {"kernel_size": 3, "stride": 2, "padding": 1, "dilation": 2},
            {"kernel_size": (3, 2, 4)[:r], "stride": (1, 2, 3)[:r], "padding": (1, 0, 2)[:r]},
        ):
            options = {**options, "return_indices": True}
            name = f"max_pool{r}d"
            add = t.pointwise if r < 3 and options["kernel_size"] != 1 else t.add
            add(call(name, options), lambda x, n=name, o=options: getattr(F, n)(x, **o), "ulp 0",
                x=with_equal_ones(*shape))
        t.pointwise(f"F.{name}_with_indices(x, 2, None, 1, 1, False, False)",
                    lambda x, n=name: getattr(F, n)(x, 2, None, 1, return_indices=True), "ulp 0",
                    x=with_equal_ones(*shape[1:]))
        t.add(f"max_pool{r}d(x, 2, return_indices=True)",
              lambda x, n=name: tuple(t.to(d) for t, d in zip(
                  getattr(F, n)(x.double(), 2, return_indices=True), (torch.int32, torch.int64))),
              x=integers(0, 2, *shape, dtype="int32"))
        for size in (1, 2, 5, 7) + (((3, None, 2)[:r], (None, 1, 4)[:r]) if r > 1 else ()):
            name = f"adaptive_max_pool{r}d"
            t.add(f"{name}(x, {size}, return_indices=True)",
                  lambda x, n=name, s=size: getattr(F, n)(x, s, return_indices=True), "ulp 0",
                  x=with_equal_ones(*shape))
        t.add(f"F.{name}_with_indices(x, output_size=3, return_indices=False)",
              lambda x, n=name: getattr(F, n)(x, 3, True), "ulp 0", x=with_equal_ones(*shape[1:]))


def rows(t):
    with_indices(t)
    for r, shape in SHAPES.items():
        for options in (
            {"kernel_size": 2},
            {"kernel_size": 3, "stride": 2, "padding": 1},
            {"kernel_size": 3, "stride": 1, "padding": 1, "ceil_mode": True},
            {"kernel_size": 3, "stride": 2, "ceil_mode": True},
            {"kernel_size": 4, "stride": 3, "padding": 2, "ceil_mode": True},
            {"kernel_size": 1, "stride": 4, "ceil_mode": True},
            {"kernel_size": (3, 2, 4)[:r], "stride": (1, 2, 3)[:r], "padding": (1, 0, 2)[:r]},
        ):
            name = f"max_pool{r}d"
            add = t.add if r == 3 or options["kernel_size"] == 1 else t.pointwise
            add(call(name, options), lambda x, n=name, o=options: getattr(F, n)(x, **o), "ulp 0",
                x=normal(*shape))
            name = f"avg_pool{r}d"
            for count in (True, False)[: 1 + (r < 3)]:
                options = {**options, "count_include_pad": count}
                t.add(call(name, options), lambda x, n=name, o=options: getattr(F, n)(x, **o),
                      CLOSE, x=normal(*shape))
            if r > 1:
                options = {**options, "divisor_override": 5}
                t.add(call(name, options), lambda x, n=name, o=options: getattr(F, n)(x, **o),
                      CLOSE, x=normal(*shape))
        t.add(f"max_pool{r}d(x, 2, 2, 1, 2)",
              lambda x, r=r: getattr(F, f"max_pool{r}d")(x, 2, 2, 1, 2), "ulp 0",
              x=normal(*shape))
        t.add(f"max_pool{r}d(x, 2, return_indices=False)",
              lambda x, r=r: getattr(F, f"max_pool{r}d")(x.double(), 2).to(x.dtype),
              x=integers(-90, 90, *shape, dtype="int32"))
        for norm in (1, 2, 3.0)[: 4 - r]:
            for outer in (True, False):
                options = {"norm_type": norm, "kernel_size": 2, "stride": 3, "ceil_mode": outer}
                name = f"lp_pool{r}d"
                t.add(call(name, options), lambda x, n=name, o=options: getattr(F, n)(x, **o),
                      "rel 1e-5 abs 1e-6", x=uniform(0.1, 4, *shape))
        t.add(f"avg_pool{r}d(x, 2, None, 1)",
              lambda x, r=r: getattr(F, f"avg_pool{r}d")(x, 2, None, 1), CLOSE,
              x=normal(*shape[1:]))
        sizes = (1, 3, 5, 11) + (((3, None, 2)[:r], (None, 1, 4)[:r]) if r > 1 else ())
        for size in sizes:
            name = f"adaptive_avg_pool{r}d"
            t.add(f"{name}(x, {size})", lambda x, n=name, s=size: getattr(F, n)(x, s), CLOSE,
                  x=normal(*shape))
            name = f"adaptive_max_pool{r}d"
            t.add(f"{name}(x, output_size={size}, return_indices=False)",
                  lambda x, n=name, s=size: getattr(F, n)(x, s), "ulp 0", x=normal(*shape))
    t.add("F.max_pool2d(x, [2], [3]), avg_pool2d(x, (2,))",
          lambda x: (F.max_pool2d(x, [2], [3]), F.avg_pool2d(x, (2,))), CLOSE, x=normal(2, 6, 7))
    t.pointwise("max_pool2d(x, 3, 2, 1)", lambda x: F.max_pool2d(x, 3, 2, 1), "ulp 0",
                x=with_strange_ones)
    t.pointwise("avg_pool2d(x, 3, 2, 1)", lambda x: F.avg_pool2d(x, 3, 2, 1), CLOSE,
                x=with_strange_ones)
    t.add("max_pool1d(x, 40, 3)", lambda x: F.max_pool1d(x, 40, 3), "ulp 0", x=normal(2, 100))
    t.add("avg_pool1d(x, 100, 20)", lambda x: F.avg_pool1d(x, 100, 20), CLOSE, x=normal(1, 200))

    for kernel, dilation, padding, stride in (
        (2, 1, 0, 1), (3, 1, 1, 2), ((2, 3), 2, (1, 2), (2, 1)), (1, 1, 0, 3), ((1, 4), (1, 2), 0, 1),
        (2, 1, (3, 2), 2),
    ):
        t.add(f"unfold(x, {kernel}, {dilation}, {padding}, {stride})",
              lambda x, o=(kernel, dilation, padding, stride): F.unfold(x, *o), "ulp 0",
              x=normal(2, 3, 7, 9))
    t.add("unfold(x, kernel_size=2)", lambda x: F.unfold(x.double(), 2).to(torch.int32),
          x=integers(-90, 90, 1, 2, 4, 4, dtype="int32"))
    t.add("unfold(x, (2, 3), padding=1)", lambda x: F.unfold(x, (2, 3), padding=1), "ulp 0",
          x=normal(3, 4, 5))

    for kernel, dilation, padding, stride in (
        (2, 1, 0, 1), (3, 1, 1, 2), ((2, 3), 2, (1, 2), (2, 1)), (1, 1, 0, 3), (2, 1, 0, 2),
        (2, 1, 1, 3), ((1, 4), (1, 2), 0, 1), (3, 2, 2, 2), (2, 1, (3, 2), 2),
    ):
        options = (kernel, dilation, padding, stride)
        blocks = F.unfold(torch.zeros(2, 3, 7, 9), *options).shape
        t.add(f"fold(x, (7, 9), {kernel}, {dilation}, {padding}, {stride})",
              lambda x, o=options: F.fold(x, (7, 9), *o), "rel 2e-6 abs 1e-6", x=normal(*blocks))
    t.add("fold(unfold(x, 4, stride=4), output_size=8, kernel_size=4, stride=4)", lambda x: x,
          "ulp 0", x=normal(1, 3, 8, 8))
    t.add("F.fold(x, (3, 4), (2, 2), padding=1)", lambda x: F.fold(x, (3, 4), 2, padding=1),
          "rel 2e-6 abs 1e-6", x=normal(8, 20))
    t.add("fold(x, 3, 2)", lambda x: F.fold(x.double(), 3, 2).to(torch.int32),
          x=integers(-90, 90, 1, 8, 4, dtype="int32"))
