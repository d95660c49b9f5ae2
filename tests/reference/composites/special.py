"""Special functions: SciPy, PyTorch; mpmath where these cancel."""

import mpmath
import numpy as np
import scipy.special as sp
import torch
from composites.elementwise import by
from composites.table import FINITE, normal, special, uniform

mpmath.mp.prec = 400
UP_TO_80 = FINITE[np.abs(FINITE) < 80]


def precise(function):
    """A function of mpmath over an array."""

    def call(x):
        return np.array([float(mpmath.re(function(mpmath.mpf(float(v))))) for v in x.numpy()])

    return call


def rows(t):
    t.pointwise("expit(x)", torch.sigmoid, "ulp 6 abs 1e-42", x=special())
    t.pointwise("log_expit(x)", by(sp.log_expit), "ulp 6 abs 1e-42", x=special())
    two = {"x": np.float32([0, 0, 0, 0, 1, 2, -3, np.nan, 1e-30]),
           "y": np.float32([0, -1, np.inf, np.nan, 0, 3, 4, 1, 1e30])}
    t.pointwise("xlogy(x, y)", by(sp.xlogy), **two)
    t.pointwise("xlog1py(x, y)", by(sp.xlog1py), **two)
    t.pointwise("xlogy(x, y)", by(sp.xlogy), x=normal(40), y=uniform(1.5, 9, 40))
    t.pointwise("xlog1py(x, y)", by(sp.xlog1py), x=normal(40), y=uniform(-0.9, 9, 40))
    t.pointwise("entr(x)", by(sp.entr), "ulp 6 abs 1e-42", x=special())
    t.pointwise("rel_entr(x, y)", by(sp.rel_entr), x=np.float32([0, 0, 0, -1, 1, 2, np.nan, 3]),
                y=np.float32([0, 1, -1, 1, 0, 5, 1, -2]))
    t.pointwise("rel_entr(x, y)", by(sp.rel_entr), "ulp 8 abs 3e-7", x=uniform(0.1, 2, 40),
                y=uniform(0.1, 2, 40))
    for lmbda in (0.0, 0.5, -2.0):
        t.pointwise(f"boxcox(x, {lmbda})", by(lambda x, k=lmbda: sp.boxcox(x, k)),
                    "ulp 16 abs 3e-7", x=uniform(0.1, 5, 40))
        t.pointwise(f"boxcox1p(x, {lmbda})", by(lambda x, k=lmbda: sp.boxcox1p(x, k)), "ulp 16",
                    x=uniform(-0.9, 5, 40))
        t.pointwise(f"inv_boxcox(x, {lmbda})", by(lambda x, k=lmbda: sp.inv_boxcox(x, k)),
                    "ulp 40", x=uniform(-0.4, 0.4, 40))
        t.pointwise(f"inv_boxcox1p(x, {lmbda})", by(lambda x, k=lmbda: sp.inv_boxcox1p(x, k)),
                    "ulp 16 abs 1e-6", x=uniform(-0.3, 0.4, 30))
    t.pointwise("exprel(x)", by(sp.exprel), "ulp 8", x=np.float32([0, np.inf, -np.inf, np.nan, 3]))
    edges = {"x": np.float32([-1, 0, 0, 2, 2, 0.5]), "y": np.float32([1, 0, 3, 0, np.inf, 4])}
    for name in ("huber", "pseudo_huber"):
        t.pointwise(f"{name}(x, y)", by(getattr(sp, name)), **edges)
    t.pointwise("scipy.special.kl_div(x, y)", by(sp.kl_div), **edges)
    t.pointwise("loggamma(x)", by(lambda x: np.where(x < 0, np.nan, sp.gammaln(x))), "ulp 8 abs 1e-6",
                x=np.float32([-1.5, -0.5, 0, 0.5, 1, 3.25, 20, np.inf, np.nan]))
    t.pointwise("beta(x, y)", by(sp.beta), "rel 2e-5", x=np.float32([-0.5, -1.5, 0.5, 2, -2.25]),
                y=np.float32([2.25, 0.75, -0.25, 3, -0.5]))
    t.pointwise("beta(x, y)", by(sp.beta), "rel 3e-7 wide 32", x=np.float32([1e10, 1e4, 1e8, 0.25, 3e6]),
                y=np.float32([0.5, 2, 3.5, 1e7, 3e6]))
    t.pointwise("betaln(x, y)", by(sp.betaln), "ulp 1 wide 32", x=np.float32([1e10, 1e4, 1e8, 0.25, 3e6]),
                y=np.float32([0.5, 2, 3.5, 1e7, 3e6]))
    counts = {"x": np.float32([5, 5, 5, 4, 60, 7.5, 0, 3, -1, 2]),
              "y": np.float32([2, 0, 5, 5, 30, 2.5, 0, -1, 0, 0.5])}
    for name in ("comb", "perm"):
        t.pointwise(f"{name}(x, y)", by(getattr(sp, name)), "rel 3e-7 wide 64", **counts)
    t.pointwise("zeta(x)", by(sp.zeta), "rel 2e-6",
                x=np.float32([0, 0.25, 0.5, 0.9, 1, 1.1, 2, 30, 1e4, -0.5, -1, -2, -3, -7.5, -21, -40,
                              np.inf, np.nan]))
    t.pointwise("zeta(x)", by(sp.zeta), "rel 2e-5", x=uniform(-9, 9, 60))
    t.pointwise("powm1(x, y)", by(lambda x, y: np.expm1(y * np.log(x))), "ulp 24 abs 1e-7",
                x=uniform(0.1, 4, 40), y=normal(40))
    t.pointwise("powm1(x, 2.0)", lambda x: x**2 - 1, "ulp 6", x=np.float32([-3, -2, 0, 0.5, 1, 2]))
    t.pointwise("boxcox(x, k)", by(sp.boxcox), "ulp 16 abs 3e-7", x=uniform(0.1, 5, 40), k=1.5)
    t.pointwise("huber(0.7, x)", by(lambda x: sp.huber(0.7, x)), x=normal(40))
    t.pointwise("pseudo_huber(0.7, x)", precise(
        lambda x: mpmath.mpf(0.7)**2 * (mpmath.sqrt(1 + (x / mpmath.mpf(0.7))**2) - 1)), "ulp 8",
        x=FINITE[(np.abs(FINITE) < 1e15) & ((np.abs(FINITE) > 1e-15) | (FINITE == 0))])
    t.pointwise("ndtr(x)", by(sp.ndtr), "rel 1e-5 abs 1e-38", x=normal(40, scale=4))
    t.pointwise("norm_pdf(x)", lambda x: torch.exp(-x * x / 2) / np.sqrt(2 * np.pi),
                "rel 1e-5 abs 1e-38", x=normal(40, scale=3))
    t.pointwise("exprel(x)", by(sp.exprel), x=UP_TO_80)
    t.pointwise("cosm1(x)", by(sp.cosm1), "ulp 12 abs 1e-45", x=normal(40))
    t.pointwise("log1mexp(x)", precise(lambda x: mpmath.log(-mpmath.expm1(-x))), x=uniform(
        0.001, 9, 60))
    t.pointwise("log_cosh(x)", precise(lambda x: mpmath.log(mpmath.cosh(x))), "ulp 8",
                x=normal(60, scale=9))
    t.pointwise("logsubexp(a + 3, b / 2)", by(
        lambda a, b: np.log(np.exp(a + 3) - np.exp(b / 2))), "ulp 12 abs 1e-6", a=uniform(0, 2, 40),
        b=uniform(-2, 2, 40))
    gamma_kin(t)


def gamma_kin(t):
    positive = {"x": np.float32([1e-30, 1e-3, 0.3, 0.5, 0.9, 1, 1.46, 2, 5, 30, 1e4, 1e10, np.inf])}
    t.pointwise("gammaln(x)", by(sp.gammaln), "ulp 8 wide 1", **positive)
    t.pointwise("psi(x)", by(sp.psi), "ulp 8 abs 1e-6", x=uniform(0.1, 20, 40))
    t.pointwise("betaln(x, y)", by(sp.betaln), "rel 1e-5 abs 1e-5", x=uniform(0.1, 20, 40),
                y=uniform(0.1, 20, 40))
    t.pointwise("trigamma(x)", precise(lambda v: mpmath.psi(1, v)), "rel 2e-6", x=uniform(0, 30, 40))
    t.pointwise("trigamma(x)", precise(lambda v: mpmath.psi(1, v)), "rel 1e-5", x=uniform(-9, 0, 40))
    t.pointwise("trigamma(x)", lambda x: torch.polygamma(1, x), "rel 2e-6 wide 1",
                x=np.float32([0, 0.5, 1, 1e-10, 1e10, np.inf, np.nan]))
    for n in (0, 1, 2, 3, 6, 12):
        t.pointwise(f"polygamma({n}, x)", precise(lambda v, n=n: mpmath.psi(n, v)), "rel 1e-5",
                    x=uniform(0.2, 20, 40))
    t.pointwise("zeta(x)", by(sp.zeta), "rel 3e-6", x=uniform(1.1, 20, 40))
    t.pointwise("zeta(x, q)", by(sp.zeta), "rel 6e-6", x=uniform(1.1, 9, 40), q=uniform(0.1, 20, 40))
    t.pointwise("zeta(x, q)", by(sp.zeta), x=np.float32([1, 0.5, 2, 3, np.nan]),
                q=np.float32([2, 2, 0, np.nan, 1]))
    large = np.float32([1.5, 100, 999, 1001, 6e4, 65505, 1e30, np.inf])
    t.pointwise("zeta(x)", by(sp.zeta), "rel 3e-6", x=large)
    t.pointwise("zeta(x, 2.0), zeta(x, 0.5) > 1e29", lambda x: (
        np.where(x < 150, sp.zeta(x, 2.0), 0), np.array([0] + [1] * 7, bool)),
        "rel 6e-6 abs 1e-35 wide 1", x=large)
    t.pointwise("zeta(3.0, x), polygamma(2, x), polygamma(3, x)",
                lambda x: (sp.zeta(3.0, x), sp.polygamma(2, x), sp.polygamma(3, x)),
                "rel 1e-5 abs 1e-35 wide 1", x=np.float32([1e4, 1e10, 1e20, 3e38, np.inf]))
    t.pointwise("beta(x, y)", by(sp.beta), "rel 1e-5", x=uniform(0.1, 9, 40), y=uniform(0.1, 9, 40))
    for p in (1, 2, 3, 4):
        t.pointwise(f"multigammaln(x, {p})", by(lambda x, p=p: sp.multigammaln(x, p)),
                    "rel 1e-5 abs 1e-5", x=uniform(2, 20, 40))
    t.pointwise("spherical_bessel_j0(x)", by(lambda x: sp.spherical_jn(0, np.abs(x))),
                "rel 1e-5 abs 1e-7", x=uniform(-30, 30, 40))
    t.pointwise("spherical_bessel_j0(x)", torch.special.spherical_bessel_j0, "ulp 4",
                x=np.float32([0, np.inf, np.nan, 1e-40, 1]))
    signed = {"x": np.float32([0, -0.0, 1, 2, 5, 10, 35, 36, 0.5, -0.5, -1.5, -2.5, -1, -3, np.inf,
                               -np.inf, np.nan, 1e-3, -1e-3, -30.25])}
    t.pointwise("gamma(x), rgamma(x), gammasgn(x)",
                by(lambda x: (sp.gamma(x), sp.rgamma(x), sp.gammasgn(x))), "rel 3e-7 abs 2e-45 wide 1e-5",
                **signed)
    t.pointwise("factorial(x, exact=False)", by(sp.factorial), "rel 3e-7 wide 1e-5",
                x=np.float32([0, 1, 2, 5.5, 10, -1]))
    t.pointwise("factorial(x)", by(sp.factorial), "rel 3e-7 abs 2e-45 wide 1e-5",
                x=np.float32([0, 1, 2, 3.5, 10, 20, 33, -1]))
    t.pointwise("polyval([2, -1.5, 0, 3], x)", by(lambda x: np.polyval([2, -1.5, 0, 3], x)),
                "ulp 6 abs 1e-5", x=normal(40))
    t.pointwise("polyval([2, -1, 3], k), polyval([7], k)",
                by(lambda k: (np.polyval([2, -1, 3], k), np.polyval([7], k))),
                k=np.arange(-9, 10))
    t.add("polyval(p, x)", by(np.polyval), "rel 1e-5 abs 1e-5", p=normal(4), x=normal(3, 5))
