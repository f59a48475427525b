#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Scans of every dtype, layout and kind of length against NumPy, and float scans bit
by bit against the order that DESIGN.md states, written here a second time.

    scan.py LIBRARY [-d cpu|cuda0] [--big]

With --big also lengths of many tiles. Exits 1 and prints each case that differs.
"""
import argparse
import sys
import numpy as np
from ga import Library

np.seterr(all="ignore")
UFUNC = {"cumsum": np.add, "cumprod": np.multiply, "cummax": np.maximum, "cummin": np.minimum}
REAL = "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 float32 float64".split()


def sum_dtype(dt):
    return np.dtype({"b": "int64", "i": "int64", "u": "uint64"}.get(dt.kind, dt))


def fold(op, x, none):
    """Joins along the last axis from the left: what is before each element."""
    out = np.empty(x.shape[:-1] + (x.shape[-1] + 1,), x.dtype)
    out[..., 0] = none
    for i in range(x.shape[-1]):
        out[..., i + 1] = op(out[..., i], x[..., i])
    return out


def ordered(op, x, none, exclusive):
    """The scan along the last axis, by the order of DESIGN.md."""
    n, rows = x.shape[-1], x.shape[:-1]
    segments, chunks, tiles = -(-n // 128), -(-n // 1024), -(-n // 8192)
    l = np.full(rows + (n if n == 0 else 128 * segments if chunks == 1 else 1024 * chunks if tiles == 1 else 8192 * tiles,),
                none, x.dtype)
    l[..., :n] = x
    l = l.reshape(rows + (tiles, min(chunks, 8), min(segments, 8), 32, 4))
    for j in range(3):
        l[..., j + 1] = op(l[..., j], l[..., j + 1])
    v = l[..., 3].copy()
    for half in (1, 2, 4, 8, 16):
        for b in range(half, 32, 2 * half):
            v[..., b:b + half] = op(v[..., b - 1:b], v[..., b:b + half])
    segments = fold(op, v[..., 31], none)
    chunks = fold(op, segments[..., -1], none)
    total = chunks[..., -1]
    spans = np.full(rows + (1,), none, x.dtype)
    before = np.empty(rows + (tiles,), x.dtype)
    for s in range(0, tiles, 32):
        t = fold(op, total[..., s:s + 32], none)
        before[..., s:s + 32] = op(spans, t[..., :-1])
        spans = op(spans, t[..., -1:])
    base = op(op(before[..., None, None], chunks[..., :-1, None]), segments[..., :-1])
    e = np.full_like(v, none)
    e[..., 1:] = v[..., :-1]
    base = op(base[..., None], e)[..., None]
    out = op(base, l)
    if exclusive:
        out[..., 1:] = op(base, l[..., :3])
        out[..., :1] = base
    return out.reshape(rows + (-1,))[..., :n]


def expected(f, x, axis, exclusive):
    dt = x.dtype
    if axis is None:
        x, axis = x.ravel(), 0
    real = f in ("cumsum", "cumprod")
    out = sum_dtype(dt) if real else dt
    acc = np.dtype("float32") if real and out == np.float16 else out
    none = {"cumsum": -0.0, "cumprod": 1, "cummax": None, "cummin": None}[f]
    if not real:
        low = f == "cummax"
        if dt.kind == "b":
            none = not low
        elif dt.kind in "iu":
            none = np.iinfo(dt).min if low else np.iinfo(dt).max
        else:
            none = -np.inf if low else np.inf
    y = np.moveaxis(x.astype(acc), axis, -1)
    r = ordered(UFUNC[f], y, acc.type(none), exclusive)
    if exclusive and r.shape[-1] > 0:
        r[..., 0] = 0 if f == "cumsum" else none
    return np.moveaxis(r, -1, axis).astype(out)


def same(a, b):
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    if a.dtype.kind != "f":
        return bool(np.array_equal(a, b))
    return bool(np.all((np.isnan(a) & np.isnan(b)) | ((a == b) & (np.signbit(a) == np.signbit(b)))))


def numbers(rng, dt, shape, f):
    dt = np.dtype(dt)
    n = int(np.prod(shape))
    if dt.kind == "b":
        x = rng.integers(0, 2, n)
    elif dt.kind in "iu":
        x = rng.integers(max(np.iinfo(dt).min, -99), 99, n)
    elif f == "cumprod":
        x = 1 + rng.normal(0, 0.01, n)
    else:
        x = rng.normal(0, 1, n)
    x = x.astype(dt)
    if dt.kind == "f" and f in ("cummax", "cummin") and n > 10:
        x[rng.integers(n // 2, n)] = np.nan
    return x.reshape(shape)


def layouts(x):
    yield "c", x
    yield "f", np.asfortranarray(x)
    big = np.zeros(tuple(2 * s for s in x.shape), x.dtype)
    v = big[tuple(slice(None, None, 2) for _ in x.shape)]
    v[...] = x
    yield "step", v
    yield "back", x[tuple(slice(None, None, -1) for _ in x.shape)]
    big = np.zeros(tuple(s + 3 for s in x.shape), x.dtype)
    v = big[tuple(slice(1, s + 1) for s in x.shape)]
    v[...] = x
    yield "odd", v


class Run:
    def __init__(self, lib):
        self.lib, self.passed, self.failed = lib, 0, 0

    def check(self, f, x, axis, exclusive, what, text=None, names=None, want=None, into=None):
        args = f"x, axis={axis}" + (", exclusive=True" if exclusive else "")
        text = text or f"{f}({args})"
        want = expected(f, x, axis, exclusive) if want is None else want
        got = self.lib.eval(text, names or {"x": x}, into)
        if same(got, want):
            self.passed += 1
            return
        self.failed += 1
        bad = np.argwhere(~((got == want) | ((got != got) & (want != want)))) if got.shape == want.shape else []
        print(f"{text} of {x.dtype}{x.shape} {what}: {got.dtype}{got.shape} for {want.dtype}{want.shape}",
              "; ".join(f"{tuple(map(int, i))}: {got[tuple(i)]!r} for {want[tuple(i)]!r}" for i in bad[:3]),
              f"{len(bad)} differ")


SHAPES = [(1,), (2,), (3,), (4,), (5,), (31,), (33,), (127,), (129,), (1000,), (1025,), (8191,), (8193,), (20001,),
          (7, 5), (5, 33), (33, 5), (40, 129), (129, 40), (3, 1030), (1030, 3), (3, 9001), (9001, 20), (300, 37),
          (4, 3, 5), (20, 33, 6), (2, 200, 40), (1, 5), (5, 1), (17, 2050), (2050, 70)]
BIG = [(1000003,), (3, 400001), (400001, 3), (70001, 40), (200, 5001), (5001, 2000), (20000, 1500)]


def small(run, rng):
    for shape in SHAPES:
        for axis in [None] + list(range(len(shape))):
            for f in UFUNC:
                for dt in ("float32", "int8"):
                    run.check(f, numbers(rng, dt, shape, f), axis, False, "c")
                run.check(f, numbers(rng, "float64", shape, f), axis, True, "c")
    for shape in [(1500,), (40, 129), (129, 40), (6, 40, 70), (9001, 20)]:
        for f in UFUNC:
            for dt in REAL:
                for axis in [None, 0, len(shape) - 1]:
                    for name, x in layouts(numbers(rng, dt, shape, f)):
                        run.check(f, x, axis, dt == "int32", name)


def fused(run, rng):
    x, y = numbers(rng, "float32", (300, 1030), "cumsum"), numbers(rng, "float32", (300, 1030), "cumsum")
    for axis in (0, 1):
        r = expected("cumsum", x * y, axis, False)
        run.check("", x, axis, False, "", f"cumsum(x*y, axis={axis})", {"x": x, "y": y}, r)
        run.check("", x, axis, False, "", f"cumsum(x*y, axis={axis})*y + 1", {"x": x, "y": y}, r * y + np.float32(1))
        run.check("", x, axis, False, "", f"x = cumsum(x, axis={axis}); x", {"x": x}, expected("cumsum", x, axis, False))
        for name, out in layouts(x):
            run.check("", x, axis, False, "into " + name, f"cumsum(x, axis={axis})", {"x": x},
                      expected("cumsum", x, axis, False), out)
    r = expected("cumsum", x, 0, False)
    run.check("", x, 0, False, "", "cumsum(x, axis=0).T[::-1, 1:]", {"x": x}, r.T[::-1, 1:])
    run.check("", x, 0, False, "", "cumsum(cumsum(x, axis=0), axis=1)", {"x": x}, expected("cumsum", r, 1, False))
    run.check("", x, 0, False, "", "cumsum(x)[5:] - cumsum(x)[:-5]", {"x": x},
              (lambda c: c[5:] - c[:-5])(expected("cumsum", x, None, False)))
    run.check("", x, 0, False, "", "cumsum(x, axis=0) + cummax(x, axis=1)", {"x": x},
              r + expected("cummax", x, 1, False))


def main():
    ap = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    ap.add_argument("library")
    ap.add_argument("-d", default="cpu")
    ap.add_argument("--big", action="store_true")
    o = ap.parse_args()
    run, rng = Run(Library(o.library, o.d)), np.random.default_rng(1)
    small(run, rng)
    fused(run, rng)
    for shape in BIG if o.big else []:
        for axis in range(len(shape)):
            for f, dt in (("cumsum", "float32"), ("cumsum", "int8"), ("cumprod", "float64"), ("cummax", "float16")):
                run.check(f, numbers(rng, dt, shape, f), axis, False, "c")
    print(f"{run.passed} passed, {run.failed} failed")
    return run.failed > 0


if __name__ == "__main__":
    sys.exit(main())
