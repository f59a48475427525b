# SPDX-License-Identifier: MIT
"""Writes promote.txt: the dtypes NumPy 2 gives to every ufunc and operator for
every dtype (unary), pair of dtypes (binary), and dtype beside a Python number.

One line is `what name [left] results`, results being one character per dtype of
ORDER ('.': NumPy refuses). For weak numbers: `w name number side results`.
`p left results` are promotions, `c rule left 01...` casts."""
import warnings

import numpy as np

warnings.simplefilter("ignore")
ORDER = "?bBhHiIqQefdFD"
UNARY = """absolute arccos arccosh arcsin arcsinh arctan arctanh cbrt ceil conjugate cos cosh
deg2rad exp exp2 expm1 fabs floor imag invert isfinite isinf isnan log log10 log1p log2
logical_not negative positive rad2deg real reciprocal rint sign signbit sin sinc sinh sqrt
square tan tanh trunc angle sum prod min max any all mean var std argmin argmax count_nonzero
ptp""".split()
BINARY = """add subtract multiply divide floor_divide remainder fmod power float_power arctan2
bitwise_and bitwise_or bitwise_xor copysign equal not_equal less less_equal greater greater_equal
fmax fmin heaviside hypot left_shift right_shift logaddexp logaddexp2 logical_and logical_or
logical_xor maximum minimum nextafter where""".split()
NUMBERS = ["2", "2.5", "2j", "True"]


def char(f):
    try:
        r = np.asarray(f())
    except (TypeError, ValueError, OverflowError):
        return "."
    c = r.dtype.char
    return {"l": "q", "L": "Q"}.get(c, c)


def arr(c):
    return np.ones(2, c)


def call(name, x, y):
    if name == "where":
        return np.where(np.ones(2, bool), x, y)
    return getattr(np, name)(x, y)


out = []
for left in ORDER:
    names = [np.promote_types(left, c).char for c in ORDER]
    out.append(f"p {left} " + "".join({"l": "q", "L": "Q"}.get(c, c) for c in names))
    for rule in ("safe", "same_kind"):
        out.append(f"c {rule} {left} " + "".join("01"[np.can_cast(left, c, rule)] for c in ORDER))
for name in UNARY:
    f = getattr(np, name)
    out.append(f"u {name} " + "".join(char(lambda: f(arr(c))) for c in ORDER))
for name in BINARY:
    for left in ORDER:
        out.append(f"b {name} {left} "
                   + "".join(char(lambda: call(name, arr(left), arr(c))) for c in ORDER))
for name in BINARY:
    for n in NUMBERS:
        v = eval(n)
        out.append(f"w {name} {n} l " + "".join(char(lambda: call(name, v, arr(c))) for c in ORDER))
        out.append(f"w {name} {n} r " + "".join(char(lambda: call(name, arr(c), v)) for c in ORDER))
open("promote.txt", "w").write("\n".join(out) + "\n")
