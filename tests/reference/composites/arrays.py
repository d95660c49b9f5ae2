"""What else NumPy makes of arrays, their shapes and their places: NumPy."""

import re

import numpy as np
import scipy.special as sp
import scipy.stats as st
from composites.elementwise import by
from composites.table import EXTREME, bools, integers, normal

GIVEN = {"x": normal(3, 4, 5), "i": integers(-9, 9, 3, 4, dtype=np.int32), "b": bools(3, 4),
         "v": normal(7), "j": np.int64([2, 0, 1]), "k": np.int64([3, 1]),
         "f": np.int64([5, 13, 22]), "s": EXTREME}
CALLS = """copy(x, order="K") * 2; real(x) * 2 + np.imag(x); conj(x) + np.conjugate(i[..., None])
    isreal(x), np.iscomplex(i); ndim(x) * x; asarray(x, dtype=np.float64).sum() > 0
    array([1, 2, 3, 4]) * i; array([[1, 2], [3, 4]]) + k; array([0.5, 2], np.float32) * k
    array([True, False]) & (k > 2); asarray(i) * 2; ascontiguousarray(v[::-1]) * 2
    unwrap(x * 9); unwrap(x * 9, axis=0); unwrap(x * 9, period=3); unwrap(v * 9, discont=4)
    insert(v, 2, 9); insert(v, -1, 9); insert(i, 1, 5, axis=1); insert(i, -1, i[0], axis=0)
    insert(i, 2, j, axis=1); insert(x, 3, 1.5); delete(v, 2); delete(v, -1); delete(v, 6)
    delete(i, 1, axis=1); delete(x, -2, 2); delete(i, 0, 0); insert(v, 7, 2); insert(v, -7, 2)
    insert(v, [1, 3], 9); insert(v, [3, 1, 1, -1], [9, 8, 7, 6]); insert(v, [7, 0], 2)
    insert(i, [1, 3], 5, axis=1); insert(i, [2, -1, 0], i[:, :3], axis=1)
    insert(i, [2], [[1], [2], [3]], axis=1); insert(x, [0, -1], x[:1], axis=0)
    insert(v, [-7, -1], [2, 3]); insert(v, [], 2); delete(v, [1, 3]); delete(v, [3, -1, 1, -1])
    delete(i, [0, 2], axis=1); delete(x, [-1, -3], 2); delete(i, [0, -1], 0); delete(v, [])
    delete(v, [0, 1, 2, 3, 4, 5, 6]); indices((3,)) + j; indices((2, 3)) + j; indices((2, 4, 3)) + j; indices((2, 1, 3, 3)) * j
    indices((2, 3), dtype=np.int32) * 2; broadcast_arrays(i, j[:, None]); broadcast_arrays(i, 1)
    broadcast_arrays(v); broadcast_arrays(b, v[:4], x[..., 0]); unravel_index(f, (4, 6))
    broadcast_arrays(b, v[:4], x[..., 0], i)
    unravel_index(f, 24); unravel_index(f, (2, 3, 4)); unravel_index(f, (2, 3, 2, 2))
    ravel_multi_index((j, j + 1), (4, 6)); ravel_multi_index((j, j, j), (3, 4, 5))
    ravel_multi_index((j, j, j, j), (3, 4, 5, 6)); i[np.diag_indices(3)]
    i[np.ix_([0, 2], [1, 3])]; x[np.ix_([0, -1], k, [2])]; v[np.ix_([0, 2, 1])] * 2
    meshgrid([1, 2], v, [3, 4]); broadcast_arrays([1, 2, 3, 4], i)
    searchsorted([1, 2, 3], v); searchsorted(f, [6, 1, 30], "right")
    bincount([0, 1, 1], minlength=4); bincount(k, np.float32([2, 0.5]), 5); full((2, 3), [1, 2, 3]) * j
    histogram(v, 3, weights=[1, 2, 3, 4, 5, 6, 7])[0] * 2.0; full_like(j, [4, 5, 6]) + j
    clip(j, [1, 0, 1], [1, 9, 9]) * 2; size([1, 2, 3]) * j; shape([[1, 2], [3, 4]])[1] * j
    x[np.diag_indices(3, 3)]; i[np.ix_(j, k)]; x[np.ix_(j, k, k)]; v[np.ix_(k)] * 2
    diag(b[0]); diagflat(b); reciprocal(v); angle(s); angle(s, deg=True); fabs(i); rint(i)
    modf(i); linspace(0, -5, 3, dtype=int); linspace(0, 7, 4, dtype=np.int32)
    linspace(v, 2 * v, 3, retstep=True); linspace(v, 1, 4, False, retstep=True)
    nan_to_num(v / 0 - k[0], True, 1.0, 2.0, -9)
    nan_to_num(v / 0, copy=False, posinf=5, neginf=-7)
    resize(v, (2, 4)); resize(v, 3); resize(x, (2, 40)); choose(j % 2, (j, 5)) * 2
    choose(j, (v[:3], 5.5, j)); choose(i % 3, [i, i * 2, b]); meshgrid(v, j, sparse=True)
    meshgrid(v, j, sparse=True, indexing="ij"); exp(v, order="K"); zeros_like(i, subok=True) + i"""


def call(text):
    return text if text.startswith(("np.", "x[", "i[", "v[")) else f"np.{text}"


def rows(t):
    t.add("scipy.stats.moment(x), scipy.stats.moment(x, order=2, axis=1)",
          by(lambda x: (st.moment(x), st.moment(x, 2, 1))), "abs 1e-6", x=normal(5, 7))
    for text, options in (("b=w", {}), ("axis=1, b=w, keepdims=True", {"axis": 1, "keepdims": True})):
        t.add(f"scipy.special.logsumexp(x, {text})", by(
            lambda x, w, o=options: sp.logsumexp(x, b=w, **o)), "abs 2e-6", x=normal(5, 7),
              w=np.float32(np.arange(35).reshape(5, 7) % 4))
    t.pointwise("cast(spacing(cast(abs(s), float16)), float32)", by(
        lambda s: np.spacing(abs(s).astype(np.float16)).astype(np.float64)), "ulp 0", s=EXTREME)
    for text in (call(c) for c in re.split(r";\s+|\n\s+", CALLS)):
        names = [n for n in GIVEN if re.search(rf"\b{n}\b", text)]
        t.add(text, by(lambda *a, c=text, n=names: eval(c, {"np": np, **dict(zip(n, a))})),
              "ulp 6 abs 4e-6 wide 1", **{n: GIVEN[n] for n in names})
    for text in ("convolve(x, [1, 2, 0.5])", "convolve(x, [1, 2, 3, 4], 'same')",
                 "convolve(x, [1, -2, 3, 4, 0.25], 'valid')", "correlate(x, [1, 2, 3])",
                 "correlate(x, [1, 2, 3, 5], 'same')", "correlate(x, [2, 1], 'full')"):
        t.add(f"np.{text}", by(lambda x, c=text: eval(f"np.{c}", {"np": np, "x": x})),
              "rel 3e-6 abs 1e-6", x=normal(40))
    t.add("np.convolve(x, np.ones(4) / 4, mode='valid'), np.correlate(x, np.arange(4) * 0.5)", by(
        lambda x: (np.convolve(x, np.ones(4) / 4, "valid"), np.correlate(x, np.arange(4) * 0.5))),
        "rel 3e-6 abs 1e-6", x=normal(12))
    t.add("np.convolve(i, np.array([1, 3]) + 1)", by(lambda i: np.convolve(i, [2, 4])),
          i=np.array([3, -1, 2, 5]))
    t.add("np.convolve(i, [1, 3])", by(lambda i: np.convolve(i, [1, 3])), i=np.array([3, -1, 2, 5]))
    for text in ("np.block([x, x])", "block(arrays=[[x, x + 1], [x[:, :1], v, x[:, 2:], x]])",
                 "np.block([[1, 2], [3, 4]])", "block(x)", "np.block([[w, 5], [6, w]])",
                 "np.block([[x[None], x[None]], [x[None] + 1, x[None]]])"):
        names = [n for n in "xvw" if re.search(rf"\b{n}\b", text)]
        given = {"x": normal(2, 4), "v": normal(2, 1), "w": normal(3)}
        t.add(text, by(lambda *a, c=text, n=names: eval(c, {
            "np": np, "block": np.block, **dict(zip(n, a))})), "ulp 1",
            **{n: given[n] for n in names})
    t.add("zeros(np.broadcast_shapes((3, 1), (1, 4))), "
          "ones(broadcast_shapes((5,), (2, 1), (5,), 1, shape5=(2, 1), shape6=())), ones(broadcast_shapes(3))",
          lambda: (np.zeros((3, 4)), np.ones((2, 5)), np.ones(3)), "ulp 0")
    t.add("full(broadcast_shapes(x.shape, y.shape), 2)", by(
        lambda x, y: np.full(np.broadcast_shapes(x.shape, y.shape), 2)), x=normal(3, 1),
        y=normal(4))
    bits = {"m": bools(3, 21), "u": integers(0, 256, 3, 4, dtype=np.uint8)}
    for text in ("packbits(m)", "packbits(m, axis=1)", "np.packbits(m, 0, bitorder='little')",
                 "unpackbits(u)", "unpackbits(u, axis=0)", "np.unpackbits(u, 1, bitorder='little')",
                 "unpackbits(u, 1, count=21)", "unpackbits(u, count=-3)",
                 "unpackbits(u, 1, 40)", "packbits(u > 99, -1)"):
        name = "m" if "(m" in text else "u"
        t.add(text, by(lambda a, c=text, n=name: eval(c, {
            "np": np, "packbits": np.packbits, "unpackbits": np.unpackbits, n: a})),
            **{name: bits[name]})
    t.add("i, j = diag_indices_from(x); x[i, j]", lambda x: x.diagonal(), "ulp 0", x=normal(4, 4))
    for mode in ("clip", "wrap"):
        t.add(f"np.choose(i, (x, y), mode='{mode}')", by(
            lambda i, x, y, m=mode: np.choose(i, (x, y), mode=m)), "ulp 0",
            i=integers(-3, 5, 20), x=normal(20), y=normal(20))
    t.add("array(x, ndmin=3), np.array([1, 2], ndmin=2), array(i, f32, ndmin=1)", by(
        lambda x, i: (np.array(x, ndmin=3), np.array([1, 2], ndmin=2), np.float32(i))), "ulp 0",
        x=normal(3), i=np.array([1, 2]))
    t.add("concatenate([i, j], dtype=f32), stack((x, x), 1, dtype=int8), np.vstack([i, i], dtype=f32)"
          ", np.hstack([x, x], dtype=int32, casting='unsafe')", by(
        lambda i, j, x: (np.float32(np.concatenate([i, j])), np.int8(np.stack((x, x), 1)),
                         np.float32(np.vstack([i, i])), np.int32(np.hstack([x, x])))), "ulp 0",
        i=np.array([1, 2]), j=np.array([5]), x=normal(4, scale=9))
    t.add("zeros_like(x, shape=3) + np.ones_like(i, shape=(2, 1)), full_like(i, 7, shape=(2,)), "
          "np.empty_like(i, dtype=f32, shape=())", by(
        lambda x, i: (np.ones((2, 3)), np.array([7, 7]), np.float32(0))), "ulp 0", x=normal(3, 1),
        i=np.array([1, 2]))
    t.add("np.take(x, [[0, 1], [-1, 2]]), x[[[0, 1], [1, 0]]], np.append(w, [1, 2]), "
          "np.concatenate([w, [7]])", by(lambda x, w: (
              np.take(x, [[0, 1], [-1, 2]]), x[[[0, 1], [1, 0]]], np.append(w, [1, 2]),
              np.concatenate([w, [7]]))), "ulp 0", x=normal(3, 4), w=np.array([3, 1, 2]))
    for text in ("fftshift(x)", "ifftshift(x, 1)", "fftshift(x, (0, 2))", "ifftshift(x, axes=[1, -1])",
                 "ifftshift(x)", "fftshift(x, axes=-1)"):
        t.add(f"np.fft.{text}", by(lambda x, c=text: eval(f"np.fft.{c}", {"np": np, "x": x})),
              "ulp 0", x=normal(4, 3, 5))
    t.add("fftfreq(8), np.fft.fftfreq(5, d=0.1), rfftfreq(8, 2), np.fft.rfftfreq(5)",
          lambda: (np.fft.fftfreq(8), np.fft.fftfreq(5, 0.1), np.fft.rfftfreq(8, 2),
                   np.fft.rfftfreq(5)), "ulp 2")
    t.add("fftfreq(n=4, d=3), rfftfreq(n=7, d=0.5)",
          lambda: (np.fft.fftfreq(4, 3), np.fft.rfftfreq(7, 0.5)), "ulp 2")
    view = np.lib.stride_tricks.sliding_window_view
    for text in ("v, 3", "v, (2,)", "x, 2, axis=1", "x, 2, -1", "i, (2, 3)", "x, (2, 3), (0, -1)",
                 "x, (1, 2, 3)", "x, window_shape=(2, 2), axis=(1, 1)", "v, 7"):
        name = text[0]
        t.add(f"np.lib.stride_tricks.sliding_window_view({text})", by(
            lambda value, c=text: eval(f"view({c})", {"view": view, c[0]: value})), "ulp 0",
            **{name: GIVEN[name]})
