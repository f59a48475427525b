#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Ufuncs' reduce and accumulate against NumPy's: every dtype, shapes from 0-d up, every
axis, the arguments that each takes. What NumPy refuses is refused.

    methods.py LIBRARY [-d cpu|cuda0]

Exits 1 and prints each case that differs.
"""
import argparse
import itertools
import sys
import warnings
import numpy as np
from ga import Error, Library

warnings.simplefilter("ignore")
np.seterr(all="ignore")
DTYPES = "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 float32 float64 complex64 complex128".split()
UFUNCS = "add multiply maximum minimum logical_and logical_or".split()
SHAPES = [(), (7,), (3, 5), (2, 3, 4), (0, 3), (3, 0), (1, 6)]
AXES = ["", ", 0", ", axis=1", ", -1", ", axis=None", ", axis=(0, 1)", ", axis=2"]
REDUCE_MORE = ["", ", keepdims=True", ", initial=3", ", dtype=float64", ", dtype=int16, keepdims=True", ", 0"]
ACCUMULATE_MORE = ["", ", dtype=float64", ", keepdims=True"]
SPACE = {n: getattr(np, n) for n in UFUNCS + ["float64", "int16"]}


def numpy_says(text, a):
    try:
        return np.asarray(eval(text, {**SPACE, "a": a}))
    except Exception as e:
        return e


def library_says(lib, text, a):
    try:
        return np.asarray(lib.eval(text, {"a": a}))
    except Error as e:
        return e


def same(x, y):
    if isinstance(x, Exception) or isinstance(y, Exception):
        return isinstance(x, Exception) and isinstance(y, Exception)
    if x.dtype != y.dtype or x.shape != y.shape:
        return False
    if x.dtype.kind in "fc":
        return np.allclose(x, y, rtol=1e-2 if x.dtype == np.float16 else 1e-5, equal_nan=True)
    return np.array_equal(x, y)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("library")
    ap.add_argument("-d", "--device", default="cpu")
    o = ap.parse_args()
    lib = Library(o.library, o.device)
    rng = np.random.default_rng(1)
    count = differ = refused = 0
    for u, method, dt, shape in itertools.product(UFUNCS, ("reduce", "accumulate"), DTYPES, SHAPES):
        if u.startswith("logical") and method == "accumulate":
            continue
        a = (rng.integers(0, 4, shape) * (1 + 1j if dt[0] == "c" else 1)).astype(dt)
        logical = u.startswith("logical")
        for axis, more in itertools.product(AXES, REDUCE_MORE if method == "reduce" else ACCUMULATE_MORE):
            if logical and ("initial" in more or "dtype" in more) or more == ", 0" and ("=" in axis or axis):
                continue  # not in the language; a second place is dtype's
            text = f"{u}.{method}(a{axis}{more})"
            x, y = numpy_says(text, a), library_says(lib, text, a)
            count += 1
            refused += isinstance(x, Exception)
            if not same(x, y):
                differ += 1
                print(f"{text}  a={dt}{shape}\n  NumPy {x!r}\n  here  {y!r}")
    print(f"{count} texts, {refused} refused by NumPy, {differ} differ")
    return differ != 0


if __name__ == "__main__":
    sys.exit(main())
