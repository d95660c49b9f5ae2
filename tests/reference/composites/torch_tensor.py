"""Copies, questions and joins: PyTorch and NumPy."""

import numpy as np
import torch
from composites.table import integers, normal, special

SAME = ("clone", "copy", "contiguous", "ascontiguousarray", "detach", "real", "conj", "conjugate",
        "conj_physical", "resolve_conj", "resolve_neg")


def rows(t):
    for name in SAME:
        t.add(f"{name}(x) + 1", lambda x: x + 1, "ulp 1", x=normal(3, 4))
    t.add("x.clone(), torch.detach(x), np.copy(x).T", lambda x: (x, x, x.T), "ulp 0",
          x=normal(3, 4))
    t.add("isreal(x), torch.isreal(x)", lambda x: (torch.isreal(x),) * 2, x=normal(3, 4))
    t.add("iscomplex(x)", lambda x: torch.isreal(x) == False, x=normal(3, 4))  # noqa: E712
    t.add("y = x if is_floating_point(x) else -x; y if torch.is_complex(x) else 2 * y",
          lambda x: 2 * x, "ulp 0", x=normal(3, 4))
    t.add("x if x.is_floating_point() else -x", lambda x: -x, x=integers(-9, 9, 5))
    t.add("x if is_signed(x) else x + 1", lambda x: x, x=integers(-9, 9, 5))
    t.add("x if x.is_signed() else x + 1", lambda x: x + 1, x=integers(0, 9, 5, dtype="uint8"))
    t.add("x * x.dim() + ndimension(x)", lambda x: x * 2 + 2, "ulp 2", x=normal(3, 4))
    t.add("x.to(y), x.to(torch.int32), x.to(dtype=int8)",
          lambda x, y: (x.to(torch.int64), x.to(torch.int32), x.to(torch.int8)),
          x=normal(3, 4, scale=9), y=integers(0, 2, 1))
    t.add("broadcast_tensors(x, y)", lambda x, y: torch.broadcast_tensors(x, y), "ulp 0",
          x=normal(3, 1, 4), y=normal(2, 1))
    t.add("a, b, c, d, e, f = torch.broadcast_tensors(x, y, x, x, y, x); a, b + c, d, e, f",
          lambda x, y: tuple(v.expand(3, 2, 4) for v in (x, x + y, x, y, x)), "ulp 1",
          x=normal(3, 1, 4), y=normal(2, 1))
    t.add("np.broadcast_arrays(x, y, x)", lambda x, y: torch.broadcast_tensors(x, y, x), "ulp 0",
          x=normal(3, 1, 4), y=normal(2, 1))
    t.add("unravel_index(indices, (3, 4))", lambda i: torch.unravel_index(i, (3, 4)),
          indices=integers(0, 12, 2, 5))
    t.add("np.unravel_index(indices, shape=(2, 3, 1, 4))",
          lambda i: torch.unravel_index(i, (2, 3, 1, 4)), indices=integers(0, 24, 7))
    t.add("cartesian_prod(x, y)", torch.cartesian_prod, "ulp 0", x=normal(3), y=normal(4))
    t.add("torch.cartesian_prod(x, y, x)", lambda x, y: torch.cartesian_prod(x, y, x), "ulp 0",
          x=normal(3), y=normal(4))
    t.add("cartesian_prod(x)", lambda x: x, "ulp 0", x=normal(3))
    t.add("block_diag(x, y)", torch.block_diag, "ulp 0", x=normal(3, 2), y=normal(4))
    t.add("torch.block_diag(x)", torch.block_diag, "ulp 0", x=normal(3))
    t.add("block_diag(x, y, x)", lambda x, y: torch.block_diag(x, y, x), "ulp 0", x=normal(3, 2),
          y=normal(2, 4))
    t.add("torch.block_diag(x, y, x, y)", lambda x, y: torch.block_diag(x, y, x, y), "ulp 0",
          x=normal(3, 2), y=normal(2, 4))
    t.add("constant_pad_nd(x, (1, 2), 5), torch.constant_pad_nd(x, pad=(0, 1, 2, 0), value=-1)",
          lambda x: (torch.constant_pad_nd(x, (1, 2), 5),
                     torch.constant_pad_nd(x, (0, 1, 2, 0), -1)), "ulp 0", x=normal(3, 2))
    t.add("constant_pad_nd(x, (1, 2))", lambda x: torch.constant_pad_nd(x, (1, 2)), "ulp 0",
          x=normal(3, 2))
    t.add("frexp(x)", torch.frexp, "ulp 0", x=special())
    t.add("m, e = torch.frexp(x); m * exp2(e - 1) * 2", lambda x: x, "ulp 0",
          x=np.array([1.1754944e-38, 3.4028235e38, -2, 0.99999994, 4, 0], np.float32))
