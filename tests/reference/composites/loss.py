"""Losses: PyTorch; optax's and others by their formulas."""

import numpy as np
import torch
import torch.nn.functional as F
from composites.table import (
    FINITE, REDUCED, normal, ones_and_zeros, probabilities, signs, uniform,
)

FAR = np.concatenate([FINITE[np.abs(FINITE) < 1e18]] * 2)


def reductions(t, call, reference, limits="ulp 8 abs 4e-7", default="mean", **inputs):
    """call is "f(x, y%s)": without a reduction, which is the default's, and with each."""
    given = "," in call.split("(")[1].split("%")[0]
    for kind in (None, "none", "mean", "sum"):
        text = call % ("" if kind is None else f"{', ' if given else ''}reduction='{kind}'")
        reduction = kind or default
        function = (lambda *a, r=reduction, **k: reference(*a, reduction=r, **k))
        if reduction == "none":
            t.pointwise(text, function, limits, **inputs)
        else:
            t.full(text, function, REDUCED, **inputs)


def reduced(y, reduction):
    return y.mean() if reduction == "mean" else y.sum() if reduction == "sum" else y


def plain(function):
    """A loss from what it is for an element."""
    return lambda *a, reduction="mean": reduced(function(*a), reduction)


def charbonnier(x, y):
    return torch.sqrt((x - y) ** 2 + 1e-6)


def regression(t):
    two = {"x": normal(4, 9), "y": normal(4, 9)}
    for call, reference in (
        ("mse_loss(x, y%s)", F.mse_loss), ("mse(x, y%s)", F.mse_loss),
        ("l1_loss(x, y%s)", F.l1_loss), ("smooth_l1_loss(x, y%s)", F.smooth_l1_loss),
        ("huber_loss(x, y%s)", F.huber_loss),
        ("log_cosh_loss(x, y%s)", plain(lambda x, y: torch.log(torch.cosh(x - y)))),
        ("charbonnier_loss(x, y%s)", plain(charbonnier)),
        ("quantile_loss(x, y%s)", plain(lambda x, y: (y - x).abs() / 2)),
        ("mape_loss(x, y%s)", plain(lambda x, y: (x - y).abs() / y.abs())),
        ("gaussian_nll_loss(x, y, 0.5%s)",
         lambda x, y, reduction: F.gaussian_nll_loss(x, y, 0.5, reduction=reduction)),
        ("poisson_nll_loss(x, y%s)", F.poisson_nll_loss),
        ("kl_div(x, y * y%s)", lambda x, y, reduction: F.kl_div(x, y * y, reduction=reduction)),
    ):
        limits = "ulp 8 abs 4e-7" if "mape" not in call else "ulp 8"
        reductions(t, call, reference, limits, **two)
    reductions(t, "l2_loss(x, y%s)", plain(lambda x, y: (x - y) ** 2 / 2), default="none", **two)
    reductions(t, "msle_loss(x, y%s)", plain(lambda x, y: (torch.log1p(x) - torch.log1p(y)) ** 2),
               x=uniform(0, 3, 4, 9), y=uniform(0, 3, 4, 9))
    weight = {**two, "w": uniform(0.1, 2, 9)}
    for name, function in (("mse", F.mse_loss), ("l1", F.l1_loss), ("huber", F.huber_loss)):
        for kind in ("mean", "sum", "none"):
            t.add(f"{name}_loss(x, y, '{kind}', weight=w)",
                  lambda x, y, w, f=function, k=kind: f(x, y, reduction=k,
                                                        weight=w.expand(4, 9)),
                  "rel 3e-6 abs 1e-6", 1, **weight)
    near = {"x": normal(99), "y": normal(99)}
    some = (
        ("smooth_l1_loss(x, y, 'none', 0.3)",
         lambda x, y: F.smooth_l1_loss(x, y, reduction="none", beta=0.3)),
        ("huber_loss(x, y, 'none', delta=0.3)",
         lambda x, y: F.huber_loss(x, y, reduction="none", delta=0.3)),
        ("charbonnier_loss(x, y, eps=0.5, reduction='none')",
         lambda x, y: torch.sqrt((x - y) ** 2 + 0.25)),
        ("quantile_loss(x, y, 0.9, 'none')", lambda x, y: torch.maximum(0.9 * (y - x),
                                                                        -0.1 * (y - x))),
        ("mape_loss(x, y, eps=0.5, reduction='none')",
         lambda x, y: (x - y).abs() / y.abs().clamp(0.5)),
    )
    for text, reference in some:
        t.pointwise(text, reference, "ulp 8 abs 1e-7", **near)
    t.pointwise("log_cosh_loss(x, 0, 'none')", lambda x: torch.where(
        x.abs() > 300, x.abs() - np.log(2), torch.log1p(2 * torch.sinh(x / 2) ** 2)), "ulp 8",
        x=FAR)


def likelihoods(t):
    three = {"x": normal(4, 9), "y": normal(4, 9), "v": uniform(-0.5, 3, 4, 9)}

    def gaussian(full, eps):
        return lambda x, y, v: F.gaussian_nll_loss(x, y, v.clamp(0), full, eps, "none")

    t.pointwise("gaussian_nll_loss(x, y, v, reduction='none')", gaussian(False, 1e-6),
                "rel 3e-6 abs 3e-6", **three)
    t.pointwise("gaussian_nll_loss(x, y, var=v, full=True, eps=0.1, reduction='none')",
                gaussian(True, 0.1), "rel 3e-6 abs 3e-6", **three)
    for shape in ((4,), (4, 1)):
        t.pointwise("gaussian_nll_loss(x, y, v, reduction='none')", gaussian(False, 1e-6),
                    "rel 3e-6 abs 3e-6", **{**three, "v": uniform(-0.5, 3, *shape)})
    t.full("gaussian_nll_loss(x, y, v)", lambda x, y, v: F.gaussian_nll_loss(x, y, v), "rel 3e-6",
           x=normal(2, 3, 5), y=normal(2, 3, 5), v=uniform(0.5, 3, 2, 3))
    counts = {"x": normal(4, 9), "y": lambda rng: np.float32(rng.poisson(2, (4, 9)))}
    t.pointwise("poisson_nll_loss(x, y, full=True, reduction='none')",
                lambda x, y: F.poisson_nll_loss(x, y, full=True, reduction="none"),
                "rel 3e-6 abs 3e-6", **counts)
    t.pointwise("poisson_nll_loss(x * x, y, False, eps=0.01, reduction='none')",
                lambda x, y: F.poisson_nll_loss(x * x, y, False, eps=0.01, reduction="none"),
                "rel 3e-6 abs 3e-6", **counts)
    t.pointwise("kl_div(x, y, 'none', log_target=True)",
                lambda x, y: F.kl_div(x, y, reduction="none", log_target=True),
                "rel 3e-6 abs 3e-6", x=normal(4, 9), y=normal(4, 9))
    t.full("kl_div(x, y, reduction='batchmean')",
           lambda x, y: F.kl_div(x, y, reduction="batchmean"), x=normal(4, 9),
           y=probabilities(4, 9))
    t.pointwise("kl_div(x, y, 'none')", lambda x, y: F.kl_div(x, y, reduction="none"), x=np.float32(
        [1, 1, 1, 1, -np.inf, np.inf, np.nan, -np.inf]),
                y=np.float32([0, -1, np.nan, 1, 0, 0, 0, 0.5]))


def binary(t):
    p = {"x": uniform(0, 1, 4, 9), "y": uniform(0, 1, 4, 9)}
    reductions(t, "binary_cross_entropy(x, y%s)", F.binary_cross_entropy, **p)
    t.pointwise("binary_cross_entropy(x, y, reduction='none')",
                lambda x, y: F.binary_cross_entropy(x, y, reduction="none"),
                x=np.float32([0, 1, 0, 1, 1e-30, 1e-8, 0.999]),
                y=np.float32([0, 0, 1, 1, 0, 0, 1]))
    reductions(t, "binary_cross_entropy_with_logits(x, y%s)", F.binary_cross_entropy_with_logits,
               x=normal(4, 9, scale=4), y=uniform(0, 1, 4, 9))
    hard = {"x": FAR, "y": np.repeat(np.float32([0, 1]), FAR.size // 2)}
    t.pointwise("binary_cross_entropy_with_logits(x, y, reduction='none')",
                lambda x, y: torch.where(y > 0, F.softplus(-x, threshold=600),
                                         F.softplus(x, threshold=600)), "ulp 6 abs 1e-42", **hard)
    t.pointwise("soft_margin_loss(x, 2 * y - 1, 'none')",
                lambda x, y: F.softplus(-(2 * y - 1) * x, threshold=600), "ulp 6 abs 1e-42", **hard)
    weights = {"w": uniform(0.1, 2, 9)}
    for name, function in (("", F.binary_cross_entropy),
                           ("_with_logits", F.binary_cross_entropy_with_logits)):
        t.full(f"binary_cross_entropy{name}(x, y, w)",
               lambda x, y, w, f=function: f(x, y, w), **p, **weights)
        t.pointwise(f"binary_cross_entropy{name}(x, y, weight=w, reduction='none')",
                    lambda x, y, w, f=function: f(x, y, w, reduction="none"),
                    "ulp 8 abs 4e-7", **p, **weights)
    t.full("binary_cross_entropy_with_logits(x, y, pos_weight=w)",
           lambda x, y, w: F.binary_cross_entropy_with_logits(x, y, pos_weight=w), **p, **weights)

    def focal(x, y, alpha=0.25, gamma=2):
        ce = F.binary_cross_entropy_with_logits(x, y, reduction="none")
        q = torch.sigmoid(x) * (1 - y) + (1 - torch.sigmoid(x)) * y
        return ce * q**gamma * (alpha * y + (1 - alpha) * (1 - y) if alpha >= 0 else 1)

    logits = {"x": normal(4, 9, scale=3), "y": ones_and_zeros(4, 9)}
    reductions(t, "sigmoid_focal_loss(x, y%s)", plain(focal), "rel 2e-5 abs 1e-7", "none",
               **logits)
    t.pointwise("sigmoid_focal_loss(x, y, 0.6, gamma=1.5)", lambda x, y: focal(x, y, 0.6, 1.5),
                "rel 2e-5 abs 1e-7", **logits)
    t.pointwise("sigmoid_focal_loss(x, y, -1)", lambda x, y: focal(x, y, -1), "rel 2e-5 abs 1e-7",
                **logits)


def margins(t):
    sided = {"x": normal(4, 9), "y": signs(4, 9)}
    for call, reference in (
        ("soft_margin_loss(x, y%s)", F.soft_margin_loss),
        ("hinge_loss(x, y%s)", plain(lambda x, y: (1 - x * y).clamp(0))),
        ("hinge_loss(x, y, 0.3%s)", plain(lambda x, y: (0.3 - x * y).clamp(0))),
        ("squared_hinge_loss(x, y%s)", plain(lambda x, y: (1 - x * y).clamp(0) ** 2)),
        ("squared_hinge_loss(x, y, margin=0.3%s)",
         plain(lambda x, y: (0.3 - x * y).clamp(0) ** 2)),
        ("hinge_embedding_loss(x, y%s)", F.hinge_embedding_loss),
        ("hinge_embedding_loss(x, y, 0.3%s)",
         lambda x, y, reduction: F.hinge_embedding_loss(x, y, 0.3, reduction=reduction)),
    ):
        reductions(t, call, reference, **sided)
    three = {"a": normal(4, 9), "b": normal(4, 9), "y": signs(4, 9)}
    reductions(t, "margin_ranking_loss(a, b, y%s)", F.margin_ranking_loss, **three)
    reductions(t, "margin_ranking_loss(a, b, y, 0.4%s)",
               lambda a, b, y, reduction: F.margin_ranking_loss(a, b, y, 0.4, reduction=reduction),
               **three)


def by_row(t, call, reference, kernels=0, **inputs):
    """Losses of rows: one row kernel where nothing is reduced behind."""
    for kind in (None, "none", "mean", "sum"):
        text = call % ("" if kind is None else f", reduction='{kind}'")
        function = (lambda *a, r=kind or "mean": reference(*a, reduction=r))
        one = 1 if kind == "none" else 0
        t.add(text, function, "rel 4e-6 abs 2e-6", one, "row" if one else "", **inputs)


def rows_of(t):
    by_row(t, "soft_cross_entropy(x, y%s)", F.cross_entropy, x=normal(4, 9), y=probabilities(4, 9))
    by_row(t, "soft_cross_entropy(x, y, w%s)",
           lambda x, y, w, reduction: F.cross_entropy(x, y, w, reduction=reduction),
           x=normal(4, 9), y=probabilities(4, 9), w=uniform(0.1, 2, 9))
    by_row(t, "soft_cross_entropy(x, y, w, label_smoothing=0.1%s)",
           lambda x, y, w, reduction: F.cross_entropy(x, y, w, label_smoothing=0.1,
                                                      reduction=reduction),
           x=normal(4, 9), y=probabilities(4, 9), w=uniform(0.1, 2, 9))
    for text in ("soft_cross_entropy(x, y, w, 'none')", "soft_cross_entropy(x, y, w)"):
        t.add(text, lambda x, y, w, r="none" if "none" in text else "mean": F.cross_entropy(
            x, y, w, reduction=r), "rel 4e-6 abs 2e-6", x=normal(3, 4, 5, 2), y=uniform(
                0, 1, 3, 4, 5, 2), w=uniform(0.1, 2, 4))
    t.add("soft_cross_entropy(x, y)", F.cross_entropy, x=normal(9), y=probabilities(9))
    t.row("soft_cross_entropy(x, y, reduction='none', axis=-1)",
          lambda x, y: -(y * x.log_softmax(-1)).sum(-1), "rel 4e-6 abs 2e-6", x=normal(2, 3, 9),
          y=probabilities(2, 3, 9))
    t.row("softmax_cross_entropy(x, y)", lambda x, y: -(y * x.log_softmax(-1)).sum(-1),
          "rel 4e-6 abs 2e-6", x=normal(2, 3, 9), y=probabilities(2, 3, 9))
    t.add("softmax_cross_entropy(x, y, axis=0)", lambda x, y: -(y * x.log_softmax(0)).sum(0),
          "rel 4e-6 abs 2e-6", x=normal(9, 4), y=uniform(0, 1, 9, 4))
    many = {"x": normal(4, 9), "y": ones_and_zeros(4, 9)}
    by_row(t, "multilabel_soft_margin_loss(x, y%s)", F.multilabel_soft_margin_loss, **many)
    by_row(t, "multilabel_soft_margin_loss(x, y, w%s)",
           lambda x, y, w, reduction: F.multilabel_soft_margin_loss(x, y, w, reduction=reduction),
           **many, w=uniform(0.1, 2, 9))
    three = {"a": normal(4, 9), "b": normal(4, 9), "y": signs(4)}
    by_row(t, "cosine_embedding_loss(a, b, y%s)", F.cosine_embedding_loss, **three)
    by_row(t, "cosine_embedding_loss(a, b, y, 0.1%s)",
           lambda a, b, y, reduction: F.cosine_embedding_loss(a, b, y, 0.1, reduction=reduction),
           **three)
    three = {"a": normal(4, 9), "p": normal(4, 9), "n": normal(4, 9)}
    by_row(t, "triplet_margin_loss(a, p, n%s)", F.triplet_margin_loss, **three)
    for more, a, b, s in (("", 0.5, 0.5, 1), (", 0.3, 0.7, 0.1", 0.3, 0.7, 0.1)):
        def tversky(x, y, reduction, a=a, b=b, s=s):
            i = (x * y).flatten(1).sum(1)
            wrong = a * ((1 - y) * x).flatten(1).sum(1) + b * (y * (1 - x)).flatten(1).sum(1)
            return reduced(1 - (i + s) / (i + wrong + s), reduction)

        by_row(t, f"tversky_loss(x, y{more}%s)", tversky, x=uniform(0, 1, 4, 3, 5),
               y=ones_and_zeros(4, 3, 5))
    by_row(t, "triplet_margin_with_distance_loss(a, p, n%s)", F.triplet_margin_with_distance_loss,
           **three)
    by_row(t, "triplet_margin_with_distance_loss(a, p, n, distance_function=None, "
           "margin=0.4, swap=True%s)",
           lambda a, p, n, reduction: F.triplet_margin_with_distance_loss(
               a, p, n, margin=0.4, swap=True, reduction=reduction), **three)
    by_row(t, "triplet_margin_loss(a, n, p, p=1%s)",
           lambda a, p, n, reduction: F.triplet_margin_loss(a, n, p, p=1, reduction=reduction),
           **three)
    by_row(t, "triplet_margin_loss(a, p, n, 2, 1, 0.01, True%s)",
           lambda a, p, n, reduction: F.triplet_margin_loss(a, p, n, 2, 1, 0.01, True,
                                                            reduction=reduction), **three)

    def overlap(x, y, reduction, jaccard=False, smooth=1):
        i, s = (x * y).flatten(1).sum(1), (x + y).flatten(1).sum(1)
        r = (i + smooth) / (s - i + smooth) if jaccard else (2 * i + smooth) / (s + smooth)
        return reduced(1 - r, reduction)

    image = {"x": uniform(0, 1, 3, 4, 5), "y": ones_and_zeros(3, 4, 5)}
    by_row(t, "dice_loss(x, y%s)", overlap, **image)
    by_row(t, "dice_loss(x, y, 0.1%s)", lambda x, y, reduction: overlap(x, y, reduction, False,
                                                                        0.1), **image)
    by_row(t, "jaccard_loss(x, y%s)", lambda x, y, reduction: overlap(x, y, reduction, True),
           **image)
    by_row(t, "jaccard_loss(x, y, 0.1%s)", lambda x, y, reduction: overlap(x, y, reduction, True,
                                                                           0.1), **image)


def rows(t):
    regression(t)
    likelihoods(t)
    binary(t)
    margins(t)
    rows_of(t)
