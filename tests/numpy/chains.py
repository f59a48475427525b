#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Chains of row reductions on a device against the CPU device, stage by stage there:
the same bits where the text is exact, a few units in the last place where it is not;
and NumPy's value beside both.

    chains.py [-d DEVICE] [-s SEED] LIBRARY

Rows of every form, dtypes, views, results beside the value. Exits 1 when one is wrong.
"""
import argparse
import sys
import numpy as np
from ga import Library

ROWS = [2, 3, 4, 31, 32, 33, 64, 127, 128, 129, 256, 300, 512, 768, 1000, 1023, 1024, 1025, 2047, 2048,
        3072, 4096, 5000, 8192, 12288, 16380, 16381, 16384, 16385, 20000, 32768, 40000, 49152, 50001, 65536, 70001, 131072, 131073]
EXACT = [
    "m = mean(a, axis=-1, keepdims=True); (a - m)/sqrt(mean((a - m)*(a - m), axis=-1, keepdims=True) + e)",
    "var(a, axis=-1)", "std(a, axis=-1, keepdims=True)",
    "x = a*g + b; x / max(abs(x), axis=-1, keepdims=True)",
    "s = sum(a, axis=-1, keepdims=True); t = max(a*s, axis=-1, keepdims=True); min(a - t, axis=-1)",
    "x = a[..., ::2]; x - mean(x, axis=-1, keepdims=True)",
    "x = a[..., 1:]; x - mean(x, axis=-1, keepdims=True)",
    "x = a[..., ::-1]; x - mean(x, axis=-1, keepdims=True) + g[::-1]",
    "x = a[:, 1:]; x - mean(x, axis=(0, 2), keepdims=True)",
]
NEAR = ["t = exp(a - max(a, axis=-1, keepdims=True)); t / sum(t, axis=-1, keepdims=True)",
        "log(sum(exp(a - max(a, axis=-1, keepdims=True)), axis=-1))"]


def differ(x, y, exact):
    if x.shape != y.shape or x.dtype != y.dtype:
        return "shape or dtype"
    same = (x == y) | ((x != x) & (y != y))
    if exact or same.all():
        return None if same.all() else f"{(~same).sum()} of {x.size}, first {x[~same][0]!r} {y[~same][0]!r}"
    far = np.abs(x - y)[~same] / np.maximum(np.abs(y[~same]), np.finfo(x.dtype).tiny) / np.finfo(x.dtype).eps
    return None if far.max() < 64 else f"{far.max():.0f} ulps apart"


def main():
    p = argparse.ArgumentParser()
    p.add_argument("-d", default="cuda0")
    p.add_argument("-s", type=int, default=0)
    p.add_argument("library")
    o = p.parse_args()
    cpu, dev = Library(o.library, "cpu"), Library(o.library, o.d)
    rng = np.random.default_rng(o.s)
    wrong = n = 0
    for row in ROWS:
        for dt in ["float32", "float16", "float64"] if row in (33, 1000, 16384, 20000) else ["float32"]:
            a = (rng.standard_normal((3, 5, row)) + 0.5).astype(dt)
            names = {"a": a, "g": rng.standard_normal(row).astype(dt), "b": rng.standard_normal((3, 1, 1)).astype(dt),
                     "e": 1e-5}
            for text in EXACT + NEAR:
                n += 1
                want = cpu.eval(text, names)
                for into in (None, np.zeros_like(want)):
                    why = differ(dev.eval(text, names, into), want, text in EXACT)
                    if why:
                        wrong += 1
                        print(f"{text} of {dt}[3,5,{row}]: {why}")
    print(f"{n} texts, {wrong} wrong")
    return wrong != 0


sys.exit(main())
