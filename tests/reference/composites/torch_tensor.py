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
    along = {"x": normal(3, 4), "i": integers(0, 4, 3, 2)}
    t.add("take_along_dim(x, i, 1), x.take_along_dim(i, dim=1), take_along_dim(x, indices=i)",
          lambda x, i: (torch.take_along_dim(x, i, 1), torch.take_along_dim(x, i, 1),
                        torch.take_along_dim(x, i)), "ulp 0", **along)
    t.add("torch.scalar_tensor(2.5) * scalar_tensor(s=3, dtype=int32)",
          lambda: torch.tensor(7.5).double(), "ulp 0")
    t.add("frobenius_norm(x), torch.frobenius_norm(x, dim=1, keepdim=True), "
          "frobenius_norm(x, axis=0, keepdims=True)",
          lambda x: (x.norm(), x.norm(dim=1, keepdim=True), x.norm(dim=0, keepdim=True)),
          x=normal(3, 4))
    copies = {
        "torch.transpose_copy(x, 0, 1), x.permute_copy(1, 0), torch.unsqueeze_copy(x, 1)":
            lambda x: (x.T, x.T, x[:, None]),
        "torch.squeeze_copy(x[:1]), torch.expand_copy(x, (2, 3, 4)), torch.view_copy(x, (4, 3))":
            lambda x: (x[0], x.expand(2, 3, 4), x.reshape(4, 3)),
        "torch.t_copy(x), torch.unbind_copy(x, 0, n=3)[1], torch.diagonal_copy(x)":
            lambda x: (x.T, x[1], x.diagonal()),
        "torch.narrow_copy(x, 0, 1, 2), torch.select_copy(x, 1, 2), torch.detach_copy(x)":
            lambda x: (x[1:3], x[:, 2], x),
        "a, b = torch.split_copy(x, 2); a, b, torch.slice_copy(x, 1, 0, end=3, step=2)":
            lambda x: (x[:2], x[2:], x[:, 0:3:2]),
    }
    for text, function in copies.items():
        t.add(text, function, "ulp 0", x=normal(3, 4))
    t.add("torch.tensor([1.5, 2]) + tensor(x), torch.tensor([[1, 2], [3, 4]], dtype=float32), "
          "torch.tensor(data=2.5), torch.as_tensor([True, False]), tensor([3, -1])",
          lambda x: (x + torch.tensor([1.5, 2]), torch.tensor([[1, 2], [3, 4]]).double(),
                     torch.tensor(2.5).double(), torch.tensor([True, False]),
                     torch.tensor([3, -1])), "ulp 1", x=normal(2))
    t.add("torch.unfold_copy(x, 0, 2, 1)", lambda x: x.unfold(0, 2, 1), "ulp 0", x=normal(5))
