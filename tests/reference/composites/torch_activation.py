"""Activations with `inplace` by position: PyTorch."""

import torch.nn.functional as F
from composites.table import integers, normal, special

SMALL = "ulp 6 abs 1e-6"  # as in activation.py, which has their exact tolerances


def rows(t):
    for call in (
        "relu(x, True)", "relu(x, inplace=True)", "relu6(x, True)", "leaky_relu(x, 0.1, True)",
        "leaky_relu(x, negative_slope=0.2, inplace=False)", "threshold(x, 0.5, 2, True)",
        "threshold(x, threshold=1, value=-3, inplace=True)", "hardtanh(x, -2, 3, True)",
        "hardtanh(x, min_val=-0.5, max_val=0.25, inplace=True)", "elu(x, 0.7, True)",
        "elu(x, alpha=2.0, inplace=True)", "celu(x, 0.7, True)", "celu(x, alpha=2.0, inplace=True)",
        "selu(x, True)", "selu(x, inplace=False)", "silu(x, True)", "silu(x, inplace=True)",
        "mish(x, True)", "mish(x, inplace=True)", "hardsigmoid(x, True)",
        "hardsigmoid(x, inplace=True)", "hardswish(x, True)", "hardswish(x, inplace=True)",
        "relu6(x, inplace=True)", "rrelu(x, 0.1, 0.3, False, True)",
        "rrelu(x, lower=0.1, upper=0.4, training=False, inplace=True)",
    ):
        t.pointwise("F." + call, lambda x, c=call: eval("F." + c, {"F": F, "x": x.clone()}),
                    SMALL, x=special())
    t.pointwise("F.hardtanh(x), F.hardtanh(x, -2, 3)",
                lambda x: (F.hardtanh(x), F.hardtanh(x, -2, 3)),
                x=integers(-9, 9, 20, dtype="int32"))
    for name in ("dropout", "alpha_dropout", "feature_alpha_dropout", "dropout1d", "dropout2d",
                 "dropout3d"):
        t.add(f"F.{name}(x, 0.5, False, True)", lambda x: x, "ulp 0", x=normal(3, 4, 5))
        t.add(f"F.{name}(x, p=0.0, training=True, inplace=True, seed=3, stream=1)", lambda x: x,
              "ulp 2", x=normal(3, 4, 5))
    t.add("F.rrelu(x, 0.25, 0.25, True, False, seed=3, stream=1)", lambda x: F.leaky_relu(x, 0.25),
          "ulp 1", x=normal(3, 4, 5))
