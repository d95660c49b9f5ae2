"""What make.py and library.py share: how a case is written, and special values."""

import numpy as np

inf, nan = np.inf, np.nan

SPECIAL = np.array(
    [0, -0.0, 1, -1, inf, -inf, nan, 0.5, -0.5, 1.5, 2.5, -2.5, 1e-45, -1e-40, 1e-30, 1e-8, -1e-4,
     3.4028235e38, -3e38, 88.7, 89, -87.4, -104, 16777216, 100.25, -1000.5],
    np.float32,
)
PAIRS = np.array([0, -0.0, 1, -1, inf, -inf, nan, 0.5, -2.5, 3, -3, 1e-40, 3e38, 7], np.float32)


def text_of(a, wide=False):
    if a.dtype.kind == "f":
        digits = "%.9g" if a.dtype == np.float32 else "%.13g" if wide else "%.17g"
        return " ".join(digits % v for v in a.ravel().astype(np.float64))
    return " ".join(str(int(v)) for v in a.ravel())


class Cases:
    def __init__(self, title):
        self.lines = [f"# {title} Made by tests/reference/make.py."]

    def add(self, text, inputs, results, tolerance="ulp 0"):
        self.lines.append(f"= {text}")
        for name, a in inputs.items():
            self.lines.append(f"{name} {a.dtype} {','.join(map(str, a.shape))} : {text_of(a)}")
        one = not isinstance(results, tuple) or isinstance(results[0], str)
        for r in (results,) if one else results:
            wide = isinstance(r, tuple)  # more digits than the dtype has
            dtype, values = r if wide else (r.dtype, r)
            shape = ",".join(map(str, values.shape))
            self.lines.append(f"> {dtype} {shape} {tolerance} : {text_of(values, wide)}")

    def write(self, path):
        path.write_text("\n".join(self.lines) + "\n")
