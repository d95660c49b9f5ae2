"""Windows: PyTorch's and NumPy's."""

import numpy as np
import torch


def rows(t):
    for name in ("hann", "hamming", "blackman", "bartlett", "kaiser"):
        make = getattr(torch, f"{name}_window")
        for n in (1, 2, 9, 64):
            for periodic in (True, False):
                text = f"{name}_window({n}, {periodic})"
                limits = f"abs {1e-6 if name == 'kaiser' else 4e-7} wide 1"
                t.add(text, lambda n=n, p=periodic, f=make: f(n, periodic=p, dtype=torch.float64),
                      limits)
    t.add("hamming_window(9, True, 0.6, beta=0.4)",
          lambda: torch.hamming_window(9, True, 0.6, 0.4, dtype=torch.float64), "abs 4e-7 wide 1")
    t.add("kaiser_window(9, periodic=False, beta=5.0)",
          lambda: torch.kaiser_window(9, False, 5.0, dtype=torch.float64), "abs 4e-7 wide 1")
    for name in ("hann", "hamming", "blackman", "bartlett", "kaiser"):
        make = getattr(torch, f"{name}_window")
        t.add(f"cast({name}_window(9, dtype=float64) * 2, float32)",
              lambda f=make: (2 * f(9, dtype=torch.float64)).float(), "ulp 1 abs 1e-16")
    for name in ("hanning", "hamming", "blackman", "bartlett"):
        t.add(f"{name}(8)", lambda f=getattr(np, name): f(8), "abs 4e-7 wide 1")
    t.add("kaiser(8, 3.5)", lambda: np.kaiser(8, 3.5), "abs 4e-7 wide 1")
    t.pointwise("hann_window(len(x)) * x",
                lambda x: torch.hann_window(33, dtype=torch.float64) * x, "abs 4e-7 wide 1",
                x=np.float32(np.linspace(-1, 1, 33)))
