"""Reference values of what joins arrays, takes them apart, pads them and numbers them: NumPy's own.

    python3 tests/reference/make_joins.py [FOLDER]      needs what make.py needs

writes FOLDER/joins.txt, in make.py's format.
"""

import pathlib
import sys

import numpy as np
import torch
import torch.nn.functional as F

from make import Cases

f32, i64 = np.float32, np.int64


def integers(*shape, dtype=f32):
    return (np.arange(np.prod(shape)) * 7 % 23 - 11).reshape(shape).astype(dtype)


def padded(cases):
    x, v = integers(3, 5), integers(6)
    for text, widths in (("1", 1), ("(1, 2)", (1, 2)), ("((0, 3), (2, 1))", ((0, 3), (2, 1)))):
        cases.add(f"pad(x, {text})", {"x": x}, np.pad(x, widths))
        cases.add(f"pad(x, {text}, value=-1.5) * 2", {"x": x},
                  np.pad(x, widths, constant_values=-1.5) * f32(2))
        for mode in ("reflect", "symmetric", "edge", "wrap"):
            widths_now = np.minimum(widths, 2).tolist()
            text_now = text.replace("3", "2")
            cases.add(f"pad(x, {text_now}, mode='{mode}')", {"x": x},
                      np.pad(x, widths_now, mode=mode))
    cases.add("pad(x, pad=(1, 2))", {"x": x}, F.pad(torch.tensor(x), (1, 2)).numpy())
    cases.add("pad(x, pad=(1, 2, 0, 3), value=4)", {"x": x},
              F.pad(torch.tensor(x), (1, 2, 0, 3), value=4).numpy())
    cases.add("pad(x, pad=(-1, 2))", {"x": v}, F.pad(torch.tensor(v), (-1, 2)).numpy())
    cases.add("pad(x, (-2, -3), 9)", {"x": v}, v[2:3])
    for mode, w in (("replicate", (-1, 2)), ("replicate", (3, -4)), ("circular", (2, -3)),
                    ("circular", (-2, -3)), ("reflect", (-2, 2))):
        cases.add(f"F.pad(x, {w}, mode='{mode}')", {"x": x[None]},
                  F.pad(torch.tensor(x[None]), w, mode=mode).numpy())
    cases.add("pad(x, 2, 7)", {"x": integers(4, dtype=np.int8)},
              np.pad(integers(4, dtype=np.int8), 2, constant_values=7))
    cases.add("pad(x > 0, 1)", {"x": v}, np.pad(v > 0, 1))
    cases.add("pad(x, pad=(1, 1), value=2.0)", {"x": integers(4, dtype=np.int8)},
              np.pad(integers(4, dtype=np.int8), 1, constant_values=2))
    cases.add("sum(pad(x, 1, value=2), axis=0)", {"x": x},
              np.pad(x, 1, constant_values=2).sum(0))
    cases.add("pad(sum(x, axis=-1), 1)", {"x": x}, np.pad(x.sum(-1), 1))
    cases.add("pad(pad(x, 1, value=3), (0, 2))", {"x": v},
              np.pad(np.pad(v, 1, constant_values=3), (0, 2)))
    cases.add("pad(x.T, ((1, 0), (0, 2)))[1:, ::-1]", {"x": x},
              np.pad(x.T, ((1, 0), (0, 2)))[1:, ::-1])


def padded_more(cases):
    """NumPy's modes that compute, and values that differ from side to side."""
    x, sides = integers(3, 5), "((0, 3), (2, 1))"
    both = {"x": x, "k": integers(4, 3, dtype=np.int32)}
    options = ("constant_values=(4, 6)", f"constant_values={sides}", "mode='linear_ramp'",
               f"mode='linear_ramp', end_values={sides}",
               "mode='linear_ramp', end_values=-7", "mode='maximum'", "mode='minimum'",
               "mode='mean'", "'maximum', stat_length=2", "'minimum', stat_length=((1, 2), (9, 2))",
               "'mean', stat_length=(2, 1)", "mode='reflect', reflect_type='odd'",
               "mode='symmetric', reflect_type='odd'", "mode='symmetric', reflect_type='even'")
    for option in options:
        for name, a in both.items():
            widths = "((0, 2), (2, 1))" if "reflect" in option else sides
            want = eval(f"np.pad(a, {widths}, {option})", {"np": np, "a": a})
            cases.add(f"pad({name}, {widths}, {option})", {name: a}, want,
                      "rel 1e-6 abs 4e-6" if a.dtype == f32 else "ulp 0")
    for mode in ("'reflect'", "'symmetric'", "'wrap'", "'reflect', reflect_type='odd'"):
        cases.add(f"pad(x, ((2, 3), (0, 0)), {mode})", {"x": x[:1]},
                  eval(f"np.pad(x[:1], ((2, 3), (0, 0)), {mode})", {"np": np, "x": x}))
    cases.add("pad(x, 2, 'empty')[2:-2, 2:-2]", {"x": x}, x)
    u = integers(7, dtype=np.uint8) % 50
    for mode in ("linear_ramp", "maximum", "mean"):
        cases.add(f"pad(u, (3, 4), mode='{mode}')", {"u": u}, np.pad(u, (3, 4), mode=mode))
    b = integers(3, 4) > 0
    for mode in ("minimum", "mean"):
        cases.add(f"pad(b, 1, mode='{mode}')", {"b": b}, np.pad(b, 1, mode=mode))


def joined(cases):
    x, y, z = integers(3, 4), integers(2, 4) + 1, integers(3, 2) * 2
    v, w, u = integers(5), integers(3, dtype=np.int32), integers(0, 4)
    cases.add("concatenate([x, y])", {"x": x, "y": y}, np.concatenate([x, y]))
    cases.add("concat([x, y, x], axis=0) + 1", {"x": x, "y": y}, np.concatenate([x, y, x]) + 1)
    cases.add("cat((x, z), dim=-1)", {"x": x, "z": z}, np.concatenate([x, z], -1))
    cases.add("concatenate([x, u, y])", {"x": x, "u": u, "y": y}, np.concatenate([x, u, y]))
    cases.add("concatenate([v, w])", {"v": v, "w": w}, np.concatenate([v, w.astype(f32)]))
    cases.add("concatenate([w, w > 0])", {"w": w}, np.concatenate([w, (w > 0).astype(np.int32)]))
    cases.add("concatenate([x.T, y.T], axis=1)[::-1]", {"x": x, "y": y},
              np.concatenate([x.T, y.T], 1)[::-1])
    cases.add("stack([x, x * 2])", {"x": x}, np.stack([x, x * 2]))
    cases.add("stack((v, -v, v + 1), axis=-1)", {"v": v}, np.stack([v, -v, v + 1], -1))
    cases.add("vstack([v, v]), hstack([v, v])", {"v": v}, (np.vstack([v, v]), np.hstack([v, v])))
    cases.add("column_stack([v, v]), dstack([v, v])", {"v": v},
              (np.column_stack([v, v]), np.dstack([v, v])))
    cases.add("hstack([x, z]), vstack([x, y])", {"x": x, "z": z, "y": y},
              (np.hstack([x, z]), np.vstack([x, y])))
    cases.add("mean(concatenate([x, y]), axis=0)", {"x": x, "y": y},
              np.concatenate([x, y]).mean(0), "rel 1e-6 abs 1e-6")
    cases.add("softmax(concatenate([x, z], axis=1))", {"x": x, "z": z},
              torch.softmax(torch.tensor(np.concatenate([x, z], 1)).double(), -1).numpy()
              .astype(f32), "rel 2e-6 abs 1e-9")
    cases.add("concatenate([x - max(x, axis=1, keepdims=True), z], axis=1)", {"x": x, "z": z},
              np.concatenate([x - x.max(1, keepdims=True), z], 1))
    c, s = np.cos(v[:4] / 9).astype(f32), np.sin(v[:4] / 9).astype(f32)
    cases.add("concatenate([-x[..., 2:], x[..., :2]], axis=-1) * s + x * c",
              {"x": x, "s": s, "c": c}, np.concatenate([-x[:, 2:], x[:, :2]], 1) * s + x * c)


def apart(cases):
    x, v = integers(4, 6), integers(7)
    cases.add("split(x, 2)", {"x": x}, tuple(np.split(x, 2)))
    cases.add("split(x, (1, 4), axis=1)", {"x": x}, tuple(np.split(x, (1, 4), axis=1)))
    cases.add("split(x, sizes=(1, 3, 2), axis=1)", {"x": x},
              tuple(t.numpy() for t in torch.tensor(x).split((1, 3, 2), 1)))
    cases.add("chunk(v, 3)", {"v": v}, tuple(t.numpy() for t in torch.tensor(v).chunk(3)))
    cases.add("a, b = torch.chunk(x, 3); a, b", {"x": x},
              tuple(t.numpy() for t in torch.tensor(x).chunk(3)))
    cases.add("a, b, c = x.chunk(4, dim=1); a + b, c", {"x": x}, (x[:, :2] + x[:, 2:4], x[:, 4:]))
    cases.add("x[:, :0].chunk(3, 1)", {"x": x}, (x[:, :0],) * 3)
    cases.add("a, b = torch.chunk(v[:4], 3); c, d, e = np.array_split(v[:4], 3); a, b, c, d, e",
              {"v": v}, (v[:2], v[2:4], v[:2], v[2:3], v[3:4]))
    cases.add("a, b = unbind(x[:2], n=2); a - b", {"x": x}, x[0] - x[1])
    t = torch.tensor(x)
    cases.add("a, b = split(x, sizes=4, axis=1); a.sum(1), b", {"x": x},
              (x[:, :4].sum(1), t.split(4, 1)[1].numpy()))
    cases.add("a, b, c = torch.split(x, 2, -1); a * b - c", {"x": x},
              (t.split(2, -1)[0] * t.split(2, -1)[1] - t.split(2, -1)[2]).numpy())
    cases.add("n = len(x) // 2; a, b = x.split(n); b, a", {"x": x},
              tuple(half.numpy() for half in t.split(2)[::-1]))
    cases.add("a, b, c, d = x.unbind(); a - b + c * d", {"x": x}, x[0] - x[1] + x[2] * x[3])
    cases.add("a, b, c = x.view(4, 3, 2).unbind(1); stack((c, a, b))", {"x": x},
              np.moveaxis(x.reshape(4, 3, 2), 1, 0)[[2, 0, 1]])
    cases.add("a, b = chunk(x, 2, -1); a * b", {"x": x}, x[:, :3] * x[:, 3:])
    cases.add("roll(x, 1), roll(x, (1, -2), axis=(0, 1)), roll(v, -9)", {"x": x, "v": v},
              (np.roll(x, 1), np.roll(x, (1, -2), (0, 1)), np.roll(v, -9)))
    cases.add("tile(x, 2), tile(v, (2, 3)), tile(x, (2, 1, 3))", {"x": x, "v": v},
              (np.tile(x, 2), np.tile(v, (2, 3)), np.tile(x, (2, 1, 3))))
    cases.add("repeat(x, 2), repeat(x, 3, axis=0), repeat_interleave(v, 2, dim=0)",
              {"x": x, "v": v}, (np.repeat(x, 2), np.repeat(x, 3, 0), np.repeat(v, 2)))
    counts = [2, 0, 3, 1, 1, 0][:len(x)]
    cases.add(f"repeat(x, {counts}, axis=0), np.repeat(x, [2], 1)", {"x": x},
              (np.repeat(x, counts, 0), np.repeat(x, [2], 1)))


def numbered(cases):
    x = integers(4, 6)
    n = {"x": x}
    zero = x * 0
    for text, a in (("arange(6)", np.arange(6)), ("arange(2, 20, 3)[:6]", np.arange(2, 20, 3)),
                    ("arange(5, -7, -2)", np.arange(5, -7, -2))):
        cases.add(f"{text} + 0 * x", n, (a + zero).astype(f32))
    cases.add("arange(x.shape[1], dtype=f32) + arange(x.shape[0])[:, None] * x", n,
              np.arange(6).astype(f32) + np.arange(4)[:, None].astype(f32) * x)
    cases.add("arange(0, 3, 0.5) + 0 * x", n, (np.arange(0, 3, 0.5) + zero).astype(f32))
    cases.add("linspace(-1, 2, 6) + 0 * x", n, (np.linspace(-1, 2, 6) + zero).astype(f32))
    cases.add("linspace(-1, 2, 6, endpoint=False) + 0 * x", n,
              (np.linspace(-1, 2, 6, endpoint=False) + zero).astype(f32))
    for k in (-1, 0, 2):
        cases.add(f"tril(x, {k}), triu(x, {k})", n, (np.tril(x, k), np.triu(x, k)))
        cases.add(f"eye(4, 6, {k}) + x, tri(4, 6, {k}) * x", n,
                  (np.eye(4, 6, k, f32) + x, np.tri(4, 6, k, f32) * x))
    cases.add("tril(x > 0)", n, np.tril(x > 0))
    mask = np.tril(np.ones((4, 6), bool), 2)
    cases.add("causal(x)", n, np.where(mask, x, f32(-np.inf)))
    cases.add("where(causal_mask(4, 6), x, 0)", n, np.where(mask, x, f32(0)))


def gathered(cases):
    x, v = integers(4, 6), integers(5, dtype=np.int16)
    i, j = np.array([3, 0, -1, 3]), np.array([[5], [-6], [2]], np.int32)
    k = integers(4, 5, dtype=i64) % 4
    n = {"x": x, "i": i}
    cases.add("x[i], take(x, i, 0), x[:, i]", n, (x[i], x[i], x[:, i]))
    cases.add("x[:, [1, -2, 1]], x[[0, 3]] * 2", {"x": x}, (x[:, [1, -2, 1]], x[[0, 3]] * f32(2)))
    cases.add("x[i, j], x[i[:, None], [0, 2]]", {**n, "j": j},
              (x[i, j], x[i[:, None], [0, 2]]))
    cases.add("x[::-1, i], x.T[1:4, i]", n, (x[::-1, i], x.T[1:4, i]))
    cases.add("x[i, 2], x[i, ..., None], x.reshape(4, 2, 3)[i, :, j // 3]", {**n, "j": j},
              (x[i, 2], x[i, ..., None], x.reshape(4, 2, 3)[i, :, j // 3]))
    cases.add("take_along_axis(x, k, 1), take_along_axis(x, k, 0)", {"x": x[:, :5], "k": k},
              (np.take_along_axis(x[:, :5], k, 1), np.take_along_axis(x[:, :5], k, 0)))
    cases.add("torch.gather(x, 0, k[:2, :3])", {"x": x, "k": k},
              torch.gather(torch.tensor(x), 0, torch.tensor(k[:2, :3])).numpy())
    cases.add("take_along_axis(x, argmax(x, 1, True), 1)", {"x": x}, x.max(1, keepdims=True))
    cases.add("take(v, i), take(x, i - 9), v[i] // 2", {"x": x, "v": v, "i": i},
              (v[i], x.ravel()[i - 9], v[i] // np.int16(2)))
    outside = np.array([4, -5, 1, 1 << 40, -(1 << 62)])
    cases.add("x[i], exp(take(x, i, 0)) - 1", {"x": x, "i": outside},
              (np.where(outside[:, None] == 1, x[1], f32(0)),
               np.where(outside[:, None] == 1, np.expm1(x[1].astype(np.float64)), 0).astype(f32)),
              "rel 1e-6 abs 1e-6")
    cases.add("softmax(x[i], -1), sum(x[:, i], 0), mean(x[i] * x, 1)", n,
              (torch.softmax(torch.tensor(x[i]).double(), -1).numpy().astype(f32),
               x[:, i].sum(0), (x[i] * x).mean(1)), "rel 2e-6 abs 1e-9")
    cases.add("embedding(i, x), one_hot(k, 4)[0]", {**n, "k": k},
              (x[i], np.eye(4, dtype=i64)[k[0]]))


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else __file__).resolve()
    folder = folder.parent if folder.is_file() else folder
    cases = Cases("Pads, concatenations, parts, ranges: NumPy and PyTorch.")
    for part in (padded, padded_more, joined, apart, numbered, gathered):
        part(cases)
    (folder / "joins.txt").write_text("\n".join(cases.lines).replace("make.py", "make_joins.py") + "\n")


if __name__ == "__main__":
    main()
