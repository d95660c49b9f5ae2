"""Distances: PyTorch, scipy.spatial."""

import math

import numpy as np
import scipy.spatial.distance as sd
import torch
import torch.nn.functional as F
from composites.table import normal


def rowwise(function):
    return lambda a, b: np.array([function(*p) for p in zip(a.numpy(), b.numpy(), strict=True)])


def rows(t):
    two = {"a": normal(5, 13), "b": normal(5, 13)}
    for text, reference in (
        ("pairwise_distance(a, b)", F.pairwise_distance),
        ("pairwise_distance(a, b, 1, 0.1, True)",
         lambda a, b: F.pairwise_distance(a, b, 1, 0.1, True)),
        ("pairwise_distance(a, b, p=inf, eps=0, keepdims=True)",
         lambda a, b: F.pairwise_distance(a, b, math.inf, 0, True)),
        ("cosine_similarity(a, b)", F.cosine_similarity),
        ("cosine_similarity(a, b, eps=100)", lambda a, b: F.cosine_similarity(a, b, eps=100)),
        ("euclidean_distance(a, b)", rowwise(sd.euclidean)),
        ("manhattan_distance(a, b)", rowwise(sd.cityblock)),
        ("chebyshev_distance(a, b)", rowwise(sd.chebyshev)),
        ("braycurtis_distance(a, b)", rowwise(sd.braycurtis)),
        ("canberra_distance(a, b)", rowwise(sd.canberra)),
        ("cosine_distance(a, b)", rowwise(sd.cosine)),
        ("hamming_distance(a > 0, b > 0)",
         lambda a, b: ((a > 0) != (b > 0)).double().mean(-1)),
    ):
        t.row(text, reference, **two)
    for name, reference in (
        ("euclidean", lambda a, b: (a - b).norm(dim=0)),
        ("manhattan", lambda a, b: (a - b).abs().sum(0)),
        ("chebyshev", lambda a, b: (a - b).abs().amax(0)),
        ("braycurtis", lambda a, b: (a - b).abs().sum(0) / (a + b).abs().sum(0)),
        ("canberra", lambda a, b: ((a - b).abs() / (a.abs() + b.abs())).sum(0)),
        ("cosine", lambda a, b: 1 - F.cosine_similarity(a, b, 0)),
        ("hamming", lambda a, b: (a != b).double().mean(0)),
    ):
        t.column(f"{name}_distance(a, b, axis=0)", reference, a=normal(9, 5), b=normal(9, 5))
    t.column("cosine_similarity(a, b, axis=0)", lambda a, b: F.cosine_similarity(a, b, 0),
             a=normal(9, 5), b=normal(9, 5))
    t.full("cosine_similarity(a, b)", lambda a, b: F.cosine_similarity(a, b, 0), a=normal(19),
           b=normal(19))
    for a, b in ((normal(2, 4), normal(2, 1)), (normal(13), normal(5, 13)),
                 (normal(3, 1, 6), normal(4, 1))):
        t.add("cosine_similarity(a, b, dim=1)", lambda a, b: F.cosine_similarity(a, b, 1), a=a, b=b)
        t.add("cosine_distance(a, b)", lambda a, b: 1 - F.cosine_similarity(a, b, -1), a=a, b=b)
    for p in (2, 1):
        t.row(f"cdist(a, b, {p})", lambda a, b, p=p: torch.cdist(
            a, b, p, compute_mode="donot_use_mm_for_euclid_dist"), a=normal(4, 6), b=normal(5, 6))
    t.row("cdist(a, b)", lambda a, b: torch.cdist(
        a, b, compute_mode="donot_use_mm_for_euclid_dist"), a=normal(3, 4, 6), b=normal(3, 5, 6))
    for text, gamma in (("rbf_kernel(a, b)", 1), ("rbf_kernel(a, b, gamma=0.1)", 0.1)):
        t.row(text, lambda a, b, g=gamma: torch.exp(-g * torch.cdist(
            a, b, compute_mode="donot_use_mm_for_euclid_dist") ** 2), "rel 1e-5 abs 1e-30",
            a=normal(4, 6), b=normal(5, 6))
    for p in (2, 1, 3, math.inf):
        word = "inf" if p == math.inf else p
        t.add(f"pdist(x, {word})", lambda x, p=p: F.pdist(x, p), x=normal(7, 5))
    t.add("torch.pdist(x), F.pdist(x, p=1.5)", lambda x: (F.pdist(x), F.pdist(x, 1.5)),
          x=normal(9, 4))
