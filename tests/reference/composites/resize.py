"""Of other sizes and places: PyTorch, and NumPy's assignments to slices."""

import torch
import torch.nn.functional as F
from composites.table import integers, normal, uniform

CLOSE = "rel 4e-6 abs 4e-6"
SIGNAL, IMAGE, VOLUME = (2, 3, 7), (2, 2, 5, 6), (1, 2, 3, 4, 3)


def rows(t):
    def resize(shape, text, tolerance=CLOSE, **options):
        t.add(f"interpolate(x, {text})", lambda x: F.interpolate(x, **options), tolerance,
              x=normal(*shape))

    for shape, mode in ((SIGNAL, "linear"), (IMAGE, "bilinear"), (VOLUME, "trilinear")):
        for size in (4, 11):
            resize(shape, f"{size}", "ulp 0", size=size)
            resize(shape, f"size={size}, mode='nearest-exact'", "ulp 0", size=size,
                   mode="nearest-exact")
            for corners in (True, False):
                resize(shape, f"{size}, mode='{mode}', align_corners={corners}", size=size,
                       mode=mode, align_corners=corners)
        resize(shape, "scale_factor=2", "ulp 0", scale_factor=2)
        resize(shape, f"None, 1.5, '{mode}'", scale_factor=1.5, mode=mode)
        resize(shape, f"scale_factor=0.5, mode='{mode}', recompute_scale_factor=True",
               scale_factor=0.5, mode=mode, recompute_scale_factor=True)
    for size in ((5, 6), (3, 9), (1, 4)):
        for mode in ("nearest", "bilinear", "bicubic"):
            resize(IMAGE, f"{size}, mode='{mode}'", size=size, mode=mode)
    for scale in (0.37, 0.7, 1.1, 1.3, 2.2, 1 / 3, 5 / 7, 2.71828182):
        resize(SIGNAL, f"scale_factor={scale}", "ulp 0", scale_factor=scale)
        resize(SIGNAL, f"scale_factor={scale}, mode='nearest-exact'", "ulp 0", scale_factor=scale,
               mode="nearest-exact")
        resize(IMAGE, f"scale_factor=({scale + 0.5:.4g}, {scale}), mode='bilinear'",
               scale_factor=(float(f"{scale + 0.5:.4g}"), scale), mode="bilinear")
        resize(SIGNAL, f"None, {scale}, 'linear', True, True", scale_factor=scale, mode="linear",
               align_corners=True, recompute_scale_factor=True)
        resize(IMAGE, f"scale_factor={scale}, mode='area'", scale_factor=scale, mode="area")
    for g in (1.3, 0.7, 2):
        t.add("interpolate(x, scale_factor=g, mode='linear')", lambda x, g: F.interpolate(
            x, scale_factor=g, mode="linear"), CLOSE, x=normal(*SIGNAL), g=g)
    resize(IMAGE, "4, antialias=False, mode='bilinear'", size=4, mode="bilinear")
    resize(IMAGE, "(8, 3), None, 'bicubic', True", size=(8, 3), mode="bicubic", align_corners=True)
    resize(IMAGE, "scale_factor=(0.6, 2.5), mode='bicubic'", scale_factor=(0.6, 2.5),
           mode="bicubic")
    for shape in (SIGNAL, IMAGE):
        t.add("interpolate(x, 5)", lambda x: F.interpolate(x.float(), 5).to(x.dtype),
              x=integers(-90, 90, *shape, dtype="int32"))
    t.add("upsample(x, scale_factor=3, mode='bilinear', align_corners=True)",
          lambda x: F.interpolate(x, scale_factor=3, mode="bilinear", align_corners=True), CLOSE,
          x=normal(*IMAGE))
    for shape, by in ((SIGNAL, {"size": 4}), (IMAGE, {"size": (3, 4)}), (IMAGE, {"size": 9}),
                      (IMAGE, {"scale_factor": 0.5}), (IMAGE, {"scale_factor": (2, 1.5)}),
                      ((2, 2, 3, 4, 5), {"size": (1, 3, 2)})):
        given = ", ".join(f"{k}={v}" for k, v in by.items())
        t.add(f"interpolate(x, {given}, mode='area')",
              lambda x, by=by: F.interpolate(x, **by, mode="area"), CLOSE, x=normal(*shape))
    t.add("upsample(x, size=7)", lambda x: F.interpolate(x, 7), "ulp 0", x=normal(*SIGNAL))
    t.add("upsample_nearest(x, size=7)", lambda x: F.interpolate(x, 7), "ulp 0", x=normal(*IMAGE))
    t.add("upsample_nearest(x, scale_factor=2)", lambda x: F.interpolate(x, scale_factor=2),
          "ulp 0", x=normal(*IMAGE))
    for text, by in (("size=(7, 9)", {"size": (7, 9)}), ("scale_factor=2", {"scale_factor": 2})):
        t.add(f"upsample_bilinear(x, {text})",
              lambda x, by=by: F.interpolate(x, **by, mode="bilinear", align_corners=True),
              CLOSE, x=normal(*IMAGE))

    for corners in (False, True):
        t.pointwise(f"affine_grid(theta, size=(2, 3, 4, 5), align_corners={corners})",
                    lambda theta, c=corners: F.affine_grid(theta, (2, 3, 4, 5), align_corners=c),
                    CLOSE, theta=normal(2, 2, 3))
        for pad in ("zeros", "border", "reflection"):
            for mode in ("bilinear", "nearest", "bicubic"):
                t.add(f"grid_sample(x, grid, mode='{mode}', padding_mode='{pad}', "
                      f"align_corners={corners})",
                      lambda x, grid, m=mode, p=pad, c=corners: F.grid_sample(
                          x, grid, m, p, align_corners=c),
                      "rel 2e-5 abs 2e-5", 1, x=normal(2, 3, 5, 6),
                      grid=uniform(-1.7, 1.7, 2, 4, 3, 2))
    t.add("affine_grid(theta, (2, 1, 1, 3), True)",
          lambda theta: F.affine_grid(theta, (2, 1, 1, 3), align_corners=True), CLOSE,
          theta=normal(2, 2, 3))
    t.add("grid_sample(x, grid)", lambda x, grid: F.grid_sample(x, grid, align_corners=False),
          "rel 2e-5 abs 2e-5", x=normal(1, 2, 4, 4), grid=uniform(-1.2, 1.2, 1, 3, 3, 2))

    t.add("select_scatter(x, y, 1, 2)", lambda x, y: torch.select_scatter(x, y, 1, 2), "ulp 0",
          x=normal(2, 4, 3), y=normal(2, 3))
    t.add("select_scatter(x, y, axis=-1, index=-1)",
          lambda x, y: torch.select_scatter(x, y, -1, -1), "ulp 0", x=normal(2, 3), y=normal(2))
    for text, more, size in (("2, 1, None, 2", (2, 1, None, 2), 3), ("2", (2,), 7),
                             ("-1, start=-4, end=-1", (-1, -4, -1), 3),
                             ("axis=2, end=5, step=3", (2, None, 5, 3), 2)):
        t.add(f"slice_scatter(x, y, {text})",
              lambda x, y, m=more: torch.slice_scatter(x, y, *m), "ulp 0", x=normal(2, 3, 7),
              y=normal(2, 3, size))
    t.add("slice_scatter(x, y)", lambda x, y: torch.slice_scatter(x, y), "ulp 0", x=normal(3, 2),
          y=normal(3, 2))
