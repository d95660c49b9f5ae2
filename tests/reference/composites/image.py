"""Colours: the standards' formulas in NumPy; torchvision's weights."""

import numpy as np
import torch
from composites.elementwise import by
from composites.table import normal, uniform

YCC = np.array([[0.299, 0.587, 0.114], [-0.168735891647856, -0.331264108352144, 0.5],
                [0.5, -0.418687589158345, -0.081312410841655]])


def mixed(matrix, x, axis, before=0.0, behind=0.0):
    y = np.moveaxis(x, axis, -1) + before
    return np.moveaxis(y @ matrix.T + behind, -1, axis)


def rows(t):
    x = {"x": uniform(-0.1, 1.1, 50)}
    t.pointwise("srgb_to_linear(x)",
                by(lambda x: np.where(x <= 0.04045, x / 12.92,
                                      (np.maximum(x + 0.055, 0) / 1.055) ** 2.4)), "rel 2e-6", **x)
    t.pointwise("linear_to_srgb(x)",
                by(lambda x: np.where(x <= 0.0031308, x * 12.92,
                                      1.055 * np.maximum(x, 1e-9) ** (1 / 2.4) - 0.055)),
                "rel 2e-6", **x)
    t.pointwise("adjust_gamma(x, 2.2)", lambda x: x**2.2, x=uniform(0, 1, 30))
    t.pointwise("adjust_gamma(x, 0.5, gain=2.0)", lambda x: 2 * x**0.5, x=uniform(0, 1, 30))
    weights = torch.tensor([0.2989, 0.587, 0.114], dtype=torch.float64)
    image, last = {"x": uniform(0, 1, 2, 3, 4, 5)}, {"x": uniform(0, 1, 4, 5, 3)}
    t.pointwise("rgb_to_grayscale(x)",
                lambda x: (x * weights[:, None, None]).sum(-3, keepdim=True), **image)
    t.pointwise("rgb_to_grayscale(x, axis=-1)", lambda x: (x * weights).sum(-1, keepdim=True),
                **last)
    half = np.array([0, 0.5, 0.5])
    for axis, given, text in ((-3, image, ""), (-1, last, ", axis=-1")):
        t.add(f"rgb_to_ycbcr(x{text})",
              by(lambda x, a=axis: mixed(YCC, x, a, 0, half)), "abs 1e-6", **given)
        t.add(f"ycbcr_to_rgb(x{text})",
              by(lambda x, a=axis: mixed(np.linalg.inv(YCC), x, a, -half)), "abs 2e-6 wide 1",
              **given)
    t.pointwise("normalize_image(x, m, s)",
                lambda x, m, s: (x - m[:, None, None]) / s[:, None, None], **image,
                m=normal(3), s=uniform(0.1, 1, 3))
