"""Options: Black's and Scholes' formula with SciPy's normal distribution."""

import numpy as np
from composites.elementwise import by
from composites.table import uniform
from scipy.special import ndtr


def terms(s, k, t, r, v):
    d = (np.log(s / k) + (r + v * v / 2) * t) / (v * np.sqrt(t))
    return d, d - v * np.sqrt(t), k * np.exp(-r * t)


def call(*given):
    d, e, p = terms(*given)
    return given[0] * ndtr(d) - p * ndtr(e)


def put(*given):
    d, e, p = terms(*given)
    return p * ndtr(-e) - given[0] * ndtr(-d)


def rows(t):
    market = {"s": uniform(50, 150, 40), "k": uniform(50, 150, 40), "t": uniform(0.1, 2, 40),
              "r": uniform(0, 0.1, 40), "v": uniform(0.1, 0.5, 40)}
    near = "abs 1e-4"  # prices of 100 in f32
    t.pointwise("black_scholes(s, k, t, r, v)", by(call), near, **market)
    t.pointwise("black_scholes(s, k, t, r, v, call=False)", by(put), near, **market)
    t.pointwise("black_scholes_delta(s, k, t, r, v)", by(lambda *m: ndtr(terms(*m)[0])), "abs 2e-6",
                **market)
    t.pointwise("black_scholes_delta(s, k, t, r, v, call=False)",
                by(lambda *m: ndtr(terms(*m)[0]) - 1), "abs 2e-6", **market)
