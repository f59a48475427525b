#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Functions that are views or several operations, and methods, against NumPy's: every dtype, shapes
from 0-d up, NaN and infinities among the elements. What NumPy refuses is refused.

    functions.py LIBRARY [-d cpu|cuda0] [-n ROUNDS] [-s SEED]

Exits 1 and prints each case that differs.
"""
import argparse
import sys
import warnings
import numpy as np
from ga import Error, Library

warnings.simplefilter("ignore")
np.seterr(all="ignore")
DTYPES = "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 float32 float64 complex64 complex128".split()
SHAPES = [(), (1,), (7,), (3, 5), (1, 5), (2, 3, 4), (3, 1, 4), (0, 3), (3, 0), (1, 1), (2, 1, 3, 2), (2100,), (3, 1100)]
AXES = ["", ", axis=0", ", 1", ", axis=-1", ", axis=None", ", axis=(0, 1)", ", axis=(0, -1)"]
REDUCTIONS = "nansum nanprod nanmin nanmax nanmean nanvar nanstd".split()
SPECIAL = [np.nan, np.inf, -np.inf, -0.0, 0.0]


def cases(rng):
    """Texts over a and b, and whether a result may be a rounding off."""
    ax = lambda: rng.choice(AXES)
    pick = lambda *x: rng.choice(x)
    n = lambda: rng.integers(-3, 4)
    for f in REDUCTIONS:
        more = [", keepdims=True"]
        if f in ("nanvar", "nanstd"):
            more += [", ddof=1", ", ddof=2, keepdims=True"]
        if f in ("nanmin", "nanmax", "nansum", "nanprod"):
            more += [", initial=2"]
        yield f"{f}(a{ax()}{pick('', '', *more)})", 1
    where = lambda: ", where=" + pick("b > 0", "b", "a == a", "True", "False", "b[:1] != 0", "1")
    for f in "sum prod mean var std any all nansum nanmean nanvar".split():
        yield f"{f}(a{ax()}{where()}{pick('', ', keepdims=True')})", 1
    for f in "min max nanmin nanmax".split():
        yield f"{f}(a{ax()}{where()}{pick(', initial=1', ', initial=1', '')})", 1
    yield f"a.var({ax()[2:]}{where()}, ddof=1)".replace("(, ", "("), 1
    yield f"maximum.reduce(a, axis={pick('0', 'None')}, initial=0{where()}{pick('', ', dtype=float64', ', dtype=complex64')})", 0
    for f in ("nancumsum", "nancumprod"):
        yield f"{f}(a{pick('', ', axis=0', ', -1', ', axis=1')})", 1
    for f in ("transpose", "permute_dims"):
        yield f"{f}(a{pick('', ', (1, 0)', ', axes=(2, 0, 1)', ', (0,)', ', (-1, 0)', ', (1, 1)', ', None')})", 0
    yield "matrix_transpose(a)", 0
    yield f"swapaxes(a, {n()}, {n()})", 0
    yield f"moveaxis(a, {n()}, {n()})", 0
    yield f"moveaxis(a, ({n()}, {n()}), ({n()}, {n()}))", 0
    yield f"expand_dims(a, {pick('0', '-1', '1', 'axis=2', '(0, 2)', '(-1, 0)', '(0, 0)', '5')})", 0
    yield f"squeeze(a{pick('', ', 0', ', axis=-1', ', (0, 1)', ', axis=None', ', 1')})", 0
    yield f"flip(a{pick('', ', 0', ', axis=-1', ', (0, 1)', ', axis=None')})", 0
    yield "flipud(a)", 0
    yield "fliplr(a)", 0
    yield f"broadcast_to(a, {pick('(2, 3, 4)', '(7,)', '7', '(4, 3, 5)', '()', '(2, 2100)', '(0, 3)', '(3, 5)')})", 0
    yield f"diff(a{pick('', ', 2', ', n=0', ', axis=0', ', 1, 1', ', 9', ', n=3, axis=-2')})", 0
    yield f"flip(a, 0) + a*{pick('2', '1.5')}", 0
    yield f"sum(swapaxes(a, 0, -1) * transpose(a){ax()})", 1
    yield f"nansum(flip(a){ax()}) + nanmax(a{ax()})", 1
    for f in "isreal iscomplex".split():
        yield f"{f}(a)", 0
    for f in "isposinf isneginf".split():
        yield f"{f}(a)", 0
    more = lambda: pick("", ", equal_nan=True", ", rtol=0.1", ", 1e-3, 0.5", ", atol=2, equal_nan=True")
    for f in "isclose allclose".split():
        yield f"{f}(a, b{more()})", 0
        yield f"{f}(a, a*1.00001{more()})", 0
        yield f"{f}(a, {pick('1', '0.0', 'inf', '-2.5', 'nan')}{more()})", 0
        yield f"{f}({pick('1', '0.0', 'inf', '-2.5', 'nan')}, a{more()})", 0
        yield f"{f}(0.1, a*0 + 0.1, 0, {pick('0', '1e-9')})", 0
        yield f"{f}(a, {pick('1j', '0.5 - 1j', 'nan*1j')}{more()})", 0
    for f in "zeros_like ones_like".split():
        yield f"{f}(a{pick('', ', float32', ', dtype=int8', ', dtype=None')})", 0
    yield f"full_like(a, {pick('3', '2.5', 'b', 'True')}{pick('', ', float64', ', dtype=int16')})", 0
    yield f"nan_to_num(a{pick('', ', nan=1', ', copy=True, posinf=7', ', True, 2.0, 3.0, -3.0', ', neginf=-1')})", 0
    for f in "sum prod min max mean var std any all argmin argmax cumsum cumprod".split():
        yield f"a.{f}({ax()[2:]})", 1
    yield f"a.transpose({pick('', '1, 0', '(1, 0)', '2, 0, 1', '-1, 0, 1')}) * 2", 0
    yield f"np.abs(a).max({pick('0', 'axis=-1, keepdims=True', '')}) + a.real.min()", 1
    yield f"a.{pick('T', 'mT', 'real', 'imag')}", 0
    yield f"a.round({pick('', '0', '1')}).clip(-1, {pick('1', '1.5')})", 0
    yield "a.astype(np.complex128).conj().swapaxes(0, -1).squeeze()", 0
    yield "vdot(a, b)", 1
    yield f"vecdot(a, b{pick('', ', axis=-1', ', axis=0', ', axis=-2')})", 1
    yield f"{pick('dot', 'np.inner', 'matmul', 'vdot')}(a, b)", 1
    order = pick("", ", None", ", 2", ", 1", ", inf", ", -inf", ", 0", ", 3", ", 0.5")
    yield f"np.linalg.norm(a{order}{pick('', ', axis=0', ', axis=-1', ', keepdims=True', ', axis=1, keepdims=True')})", 1
    yield "outer(a, b)", 0
    yield f"average(a{ax()})", 1
    yield f"average(a{ax()}, weights=b{pick('', ', keepdims=True')})", 1
    yield f"average(a, {n()}, weights=b[0])", 1
    yield f"average(a, {n()}, weights=b[..., 0])", 1


def numpy_says(text, space):
    try:
        return np.asarray(eval(text, {**{k: getattr(np, k) for k in np.__all__}, "np": np, **space}))
    except Exception as e:
        return e


def library_says(lib, text, space):
    try:
        return np.asarray(lib.eval(text, space))
    except Error as e:
        return e


def same(x, y, loose):
    if isinstance(x, Exception) or isinstance(y, Exception):
        return isinstance(x, Exception) and isinstance(y, Exception)
    if x.dtype != y.dtype or x.shape != y.shape:
        return False
    if x.dtype.kind not in "fc":
        return np.array_equal(x, y)
    if not loose:
        return x.tobytes() == y.tobytes() or np.array_equal(x, y, equal_nan=True)
    parts = (x, y) if x.dtype.kind == "f" else (np.array([x.real, x.imag]), np.array([y.real, y.imag]))
    tol = 2e-2 if x.dtype == np.float16 else 1e-4 if x.dtype in (np.float32, np.complex64) else 1e-9
    return np.allclose(*parts, rtol=tol, atol=tol, equal_nan=True)


def values(rng, dt, shape):
    x = rng.integers(-4, 5, shape) * 0.5
    if dt.startswith("complex"):
        x = x + 1j * (rng.integers(-4, 5, shape) * 0.5 * rng.integers(0, 2))
    if dt[0] in "fc" and x.size:
        x = np.array(x, dtype=dt)
        hit = rng.random(shape) < rng.choice([0, 0.05, 0.5, 1])
        x = np.where(hit, rng.choice(SPECIAL, shape), x)
    x = np.asarray(np.abs(x) if dt[0] == "u" else x).astype(dt)
    if x.ndim and rng.random() < 0.3:
        x = x[::-1]
    if x.ndim > 1 and rng.random() < 0.3:
        x = np.asfortranarray(x)
    return x


def leaves_out(text, space):
    x = space["a"]
    if text.startswith("outer") and x.ndim != 1:  # NumPy ravels
        return True
    if text.startswith(("dot", "np.inner", "matmul")) and x.ndim > 1:  # matrices are refused
        return True
    if "norm" in text and x.ndim == 2 and "axis" not in text and ", " in text:  # norms of matrices
        return True
    if x.ndim == 0 and "where=" in text:  # NumPy's moments take any axis then
        return True
    if x.dtype.kind == "c" and x.size > 1000 and "prod" in text:  # overflows on the way, or not
        return True
    odd = any(v.dtype.kind in "fc" and not np.isfinite(v).all() for v in space.values())
    if odd and any(v.dtype.kind == "c" for v in space.values()):  # which parts are NaN hangs on how a product is made
        return not text.startswith(("transpose", "permute", "swapaxes", "moveaxis", "flip", "expand", "squeeze", "isreal", "iscomplex"))
    return False


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("library")
    ap.add_argument("-d", "--device", default="cpu")
    ap.add_argument("-n", "--rounds", type=int, default=200)
    ap.add_argument("-s", "--seed", type=int, default=1)
    o = ap.parse_args()
    lib = Library(o.library, o.device)
    rng = np.random.default_rng(o.seed)
    count = differ = refused = 0
    for _ in range(o.rounds):
        shape = SHAPES[rng.integers(len(SHAPES))]
        dt, other = rng.choice(DTYPES, 2)
        if rng.random() < 0.6:
            other = dt
        space = {"a": values(rng, dt, shape), "b": values(rng, other, shape)}
        for text, loose in cases(rng):
            if leaves_out(text, space):
                continue
            want, got = numpy_says(text, space), library_says(lib, text, space)
            if isinstance(want, ZeroDivisionError):  # an average of no weight is NaN here
                continue
            count += 1
            refused += isinstance(want, Exception)
            if same(want, got, loose):
                continue
            differ += 1
            show = lambda x: f"{type(x).__name__}: {str(x)[:300]}" if isinstance(x, Exception) else f"{x.dtype}{x.shape} {str(x.ravel()[:8])}"
            print(f"{text}  a {dt}{shape}, b {other}\n  NumPy: {show(want)}\n  here:  {show(got)}\n  a: {str(space['a'].ravel()[:8])}")
    print(f"functions: {count} cases, of which NumPy refuses {refused}: {differ} differ")
    return differ > 0


if __name__ == "__main__":
    sys.exit(main())
