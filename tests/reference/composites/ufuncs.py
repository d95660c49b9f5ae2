"""Methods of NumPy's elementwise functions: NumPy."""

import re

import numpy as np
from composites.elementwise import by
from composites.table import integers, normal

OUTER = ("add subtract multiply divide true_divide floor_divide remainder equal not_equal less "
         "less_equal greater greater_equal maximum minimum hypot arctan2 logaddexp").split()


INTO = ("divide(x, y, out=z, where=y > 0)", "divide(x, y, out=np.zeros_like(z), where=y > 0)",
        "exp(y, out=z)", "log(z, where=z > 0, out=np.full(z.shape, -1.0))",
        "logaddexp(x, y, out=z, where=y > 0)", "logical_and(x > 0, y > 0, out=z)",
        "add(i, i, out=z[0])", "add(x, y, where=True, out=None)", "add(i, i, dtype=np.int32)",
        "divide(i, 4, dtype=np.float32)", "cumsum(x, 0, out=z[0])", "round(z, 1, out=x * z)",
        "greater(x, y, out=y > 5, where=y > 0)")


MORE = ("logaddexp.reduce(x, 1)", "fmax.reduce(x, 1, np.float64).astype(np.float32)",
        "fmin.reduce(x, dtype=np.float64).astype(np.float32)",
        "logaddexp.reduce(x, dtype=np.float64).astype(np.float32)", "logical_and.reduce(x > 0, 0, bool)",
        "logaddexp.reduce(x, -1, keepdims=True, where=x > 0)",
        "logical_xor.reduce(x > 0, axis=1)", "bitwise_or.reduce(x > 1, axis=1)",
        "bitwise_and.reduce(x > -1)", "bitwise_xor.reduce(x > 0, 2)",
        "logical_and.accumulate(x > -1, 1)", "logical_or.accumulate(x > 1)",
        "gcd.outer(k[0], k)", "lcm.outer(k[0], k[1])", "fmod.outer(x[0, 0], x[1, 1])",
        "mod.outer(k, k[1] + 10)", "fmax.outer(x[0, 0], x[1])", "fmin.outer(x[0, 0], x[1])",
        "copysign.outer(x[0, 0], x[1, 1])", "nextafter.outer(x[0, 0], x[1, 1])",
        "left_shift.outer(k, abs(k[1]))", "right_shift.outer(k, abs(k[1]))",
        "logical_xor.outer(x[0, 0] > 0, x[1, 1] > 0)", "logaddexp2.outer(x[0, 0], x[1, 1])",
        "ldexp.outer(x[0, 0], k[1].astype(np.int32))", "heaviside.outer(x[0, 0], x[1, 1])",
        "float_power.outer(abs(x[0, 0]), x[1, 1]).astype(np.float32)", "atan2.outer(x[0], x[1, 1])",
        "pow.outer(abs(x[0, 0]), x[1, 1])", "bitwise_left_shift.outer(k, abs(k[1]))",
        "bitwise_right_shift.outer(k, abs(k[1]))")


def rows(t):
    for call in MORE:
        given = {n: v for n, v in {"x": normal(4, 5, 6), "k": integers(-9, 10, 3, 4)}.items()
                 if re.search(rf"\b{n}\b", call)}
        t.add(f"np.{call}", by(lambda *a, c=call, n=list(given): eval(
            f"np.{c}", {"np": np, **dict(zip(n, a))})), "ulp 6 abs 1e-6 wide 1", **given)
    given = {"x": normal(5), "y": normal(4, 5), "z": normal(4, 5),
             "i": integers(-9, 10, 5, dtype=np.int16)}
    for call in INTO:
        names = [n for n in given if re.search(rf"\b{n}\b", call)]
        t.add(f"np.{call}", by(lambda *a, c=call, n=names: eval(
            f"np.{c}", {"np": np, **{k: v.copy() for k, v in zip(n, a)}})), "ulp 6 abs 1e-6",
              **{n: given[n] for n in names})
    x, k = {"x": normal(4, 5, 6)}, {"k": integers(-9, 10, 3, 4)}
    for call in ("add.reduce(x)", "add.reduce(x, axis=1)", "add.reduce(x, (0, 2), keepdims=True)",
                 "add.reduce(x, None, initial=2.5)", "multiply.reduce(x, 1)",
                 "maximum.reduce(x, axis=None)", "maximum.reduce(x, 1, initial=1)",
                 "minimum.reduce(x, -1)", "fmax.reduce(x)", "fmin.reduce(x, 2)",
                 "add.reduce(x, 0, where=x > 0)", "logical_and.reduce(x > -1, 1)",
                 "logical_or.reduce(x > 1)", "add.accumulate(x)", "multiply.accumulate(x, 2)",
                 "maximum.accumulate(x, axis=1)", "minimum.accumulate(x, 2)"):
        t.add(f"np.{call}", by(lambda x, c=call: eval(f"np.{c}", {"np": np, "x": x})), **x)
    for call in ("add.reduce(k)", "add.reduce(k, 1, np.int64)", "maximum.accumulate(k)",
                 "minimum.reduce(k, None)", "multiply.accumulate(k, 1)"):
        t.add(f"np.{call}", by(lambda k, c=call: eval(f"np.{c}", {"np": np, "k": k})), **k)
    pair = {"x": normal(7), "y": normal(3, 4)}
    for name in OUTER:
        t.pointwise(f"np.{name}.outer(x, y)", by(getattr(np, name).outer), "ulp 6 abs 1e-6", **pair)
    t.pointwise("np.power.outer(x, y)", by(np.power.outer), x=np.float32([0.5, 1, 2]),
                y=normal(2, 3))
    t.pointwise("np.add.outer(3, x)", by(lambda x: np.add.outer(3, x)), x=normal(5))
    whole = {"a": integers(0, 99, 4), "b": integers(0, 99, 5)}
    for name in ("bitwise_and", "bitwise_or", "bitwise_xor", "multiply"):
        t.pointwise(f"np.{name}.outer(a, b)", by(getattr(np, name).outer), **whole)
    for name in ("logical_and", "logical_or"):
        t.pointwise(f"np.{name}.outer(a > 50, b > 50)",
                    by(lambda a, b, n=name: getattr(np, n).outer(a > 50, b > 50)), **whole)
