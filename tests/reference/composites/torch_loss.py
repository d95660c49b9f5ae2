"""Losses behind torch.nn.functional, in its order: called there with the same arguments."""

import numpy as np
import torch.nn.functional as F
from composites.table import integers, normal, ones_and_zeros, probabilities, signs, uniform

CLOSE = "rel 4e-6 abs 2e-6"


def called(t, name, text, *options, **inputs):
    """F.name of the inputs and the options."""
    more = "".join(f", {o!r}" for o in options)
    t.add(f"F.{name}({text}{more})", lambda *given: getattr(F, name)(*given, *options), CLOSE,
          **inputs)


def rows(t):
    classes = {"x": normal(6, 5), "y": integers(0, 5, 6)}
    shares = {"x": normal(6, 5), "y": probabilities(6, 5)}
    weight = {"w": uniform(0.1, 2, 5)}
    called(t, "cross_entropy", "x, y, w", None, 2, None, "sum", 0.2, **classes, **weight)
    called(t, "cross_entropy", "x, y, w", None, -100, **classes, **weight)
    called(t, "cross_entropy", "x, y, w", None, -100, None, "none", **shares, **weight)
    called(t, "nll_loss", "x, y, w", None, 3, None, "none", **classes, **weight)
    called(t, "nll_loss", "x, y", None, False, **classes)
    called(t, "kl_div", "x, y", None, None, "batchmean", **shares)
    called(t, "kl_div", "x, y", None, None, "sum", True, **shares)
    called(t, "multi_margin_loss", "x, y", 2, 0.5, None, None, None, "none", **classes)
    called(t, "multilabel_margin_loss", "x, y", None, None, "none", x=normal(2, 5),
           y=np.array([[1, 3, -1, 0, 2], [0, 2, 4, -1, -1]]))
    bits = {"x": normal(6, 5), "y": ones_and_zeros(6, 5)}
    chances = {"x": uniform(0.01, 0.99, 6, 5), "y": ones_and_zeros(6, 5)}
    called(t, "binary_cross_entropy", "x, y, w", None, None, "sum", **chances, **weight)
    called(t, "binary_cross_entropy_with_logits", "x, y, w", None, None, "none", **bits, **weight)
    t.add("F.binary_cross_entropy_with_logits(x, y, None, None, None, 'mean', w)",
          lambda x, y, w: F.binary_cross_entropy_with_logits(x, y, pos_weight=w), CLOSE, **bits,
          **weight)
    called(t, "multilabel_soft_margin_loss", "x, y, w", None, None, "sum", **bits, **weight)
    called(t, "poisson_nll_loss", "x, y", True, True, None, 1e-3, None, "none", **bits)
    pair = {"x": normal(6, 5), "y": normal(6, 5)}
    for name in ("mse_loss", "l1_loss", "smooth_l1_loss"):
        called(t, name, "x, y", None, None, "sum", **pair)
        called(t, name, "x, y", False, **pair)
        called(t, name, "x, y", True, False, **pair)
        called(t, name, "x, y", True, True, **pair)
    called(t, "smooth_l1_loss", "x, y", None, None, "mean", 0.5, **pair)
    t.add("F.mse_loss(x, y, None, None, 'sum', w), F.l1_loss(input=x, target=y, weight=w)",
          lambda x, y, w: (F.mse_loss(x, y, reduction="sum", weight=w), F.l1_loss(x, y, weight=w)),
          CLOSE, **pair, w=uniform(0.1, 2, 6, 5))
    called(t, "soft_margin_loss", "x, y", None, None, "none", x=normal(6, 5), y=signs(6, 5))
    called(t, "hinge_embedding_loss", "x, y", 0.5, None, None, "sum", x=normal(6, 5), y=signs(6, 5))
    called(t, "margin_ranking_loss", "a, b, y", 0.3, None, None, "none", a=normal(6), b=normal(6),
           y=signs(6))
    called(t, "cosine_embedding_loss", "a, b, y", 0.2, None, None, "none", a=normal(6, 5),
           b=normal(6, 5), y=signs(6))
    called(t, "triplet_margin_loss", "a, p, n", 0.8, 1, 1e-6, True, None, None, "none",
           a=normal(6, 5), p=normal(6, 5), n=normal(6, 5))
