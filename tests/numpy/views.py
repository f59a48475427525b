#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Random statements of indices, transposes and reductions over integers, where
every answer is exact: the library against NumPy. How texts are cut into stages
and how views move through them is what it is after.

    views.py LIBRARY [FIRST_SEED [COUNT [DEVICE]]]
"""
import random
import sys
import warnings

import numpy as np
from ga import Error, Library

warnings.simplefilter("ignore")
SPACE = {n: getattr(np, n) for n in
         "sum min max argmax argmin where count_nonzero ptp newaxis".split()}
REDUCTIONS = "sum min max argmax argmin ptp sum count_nonzero".split()


def slice_text(r, extent):
    part = [r.choice(["", "", str(r.randint(-extent - 1, extent + 1))]) for _ in range(2)]
    step = r.choice(["", "", ":-1", ":2", ":-2"])
    return part[0] + ":" + part[1] + step


def index_text(r, shape):
    items, axis, ellipsis = [], 0, False
    while axis < len(shape) and r.random() < 0.8:
        c = r.random()
        if c < 0.12:
            items.append("None")
            continue
        if c < 0.2 and not ellipsis:
            items.append("...")
            ellipsis = True
            axis += r.randint(0, len(shape) - axis)
            continue
        if c < 0.4 and shape[axis] > 0 and not ellipsis:
            items.append(str(r.randint(-shape[axis], shape[axis] - 1)))
        else:
            items.append(":" if ellipsis else slice_text(r, shape[axis]))
        axis += 1
    return "[" + ", ".join(items) + "]" if items else ""


def shape_of(text, names):
    try:
        return np.asarray(eval(text, SPACE, names)).shape
    except (ValueError, IndexError, TypeError):
        return None


def reduction(r, names, depth):
    e = term(r, names, depth - 1)
    shape = shape_of(e, names)
    if shape is None:
        return e
    f, nd, axis = r.choice(REDUCTIONS), len(shape), ""
    if nd > 0 and r.random() < 0.7:
        axis = f", axis={r.randint(-nd, nd - 1)}"
        if nd > 1 and not f.startswith("arg") and r.random() < 0.3:
            axis = f", axis={tuple(sorted(r.sample(range(nd), 2)))}"
    return f"{f}({e}{axis}{r.choice(['', ', keepdims=True'])})"


def term(r, names, depth):
    c = r.random()
    if depth == 0 or c < 0.12:
        return r.choice(list(names))
    if c < 0.3:
        e = term(r, names, depth - 1)
        shape = shape_of(e, names)
        return e if shape is None else f"({e}){index_text(r, shape)}"
    if c < 0.4:
        return f"({term(r, names, depth - 1)}).T"
    if c < 0.65:
        return reduction(r, names, depth)
    if c < 0.9:
        return f"({term(r, names, depth - 1)} {r.choice('+-*')} {term(r, names, depth - 1)})"
    condition = f"{term(r, names, depth - 1)} > {r.randint(-3, 3)}"
    other = r.choice(["2", term(r, names, depth - 1)])
    return f"where({condition}, {term(r, names, depth - 1)}, {other})"


def case(seed):
    """A text, what is bound, and NumPy's answer or None."""
    r, g = random.Random(seed), np.random.default_rng(seed)
    n, m = r.choice([(3, 4), (4, 4), (1, 5), (2, 1), (0, 3), (3, 3), (5, 2)])
    bound = {"a": g.integers(-5, 6, (n, m)), "b": g.integers(-5, 6, (m,)),
             "c": g.integers(-5, 6, (n, 1)).astype(np.int32), "d": g.integers(-5, 6, (m, n)).T,
             "e": g.integers(-4, 5, (2, n, m))}
    names, statements = dict(bound), []
    for i in range(r.randint(0, 3)):
        e = term(r, names, r.randint(1, 3))
        if shape_of(e, names) is not None:
            names[f"t{i}"] = np.asarray(eval(e, SPACE, names))
            statements.append(f"t{i} = {e}")
    e = term(r, names, r.randint(1, 5))
    want = None if shape_of(e, names) is None else np.asarray(eval(e, SPACE, names))
    return "; ".join(statements + [e]), bound, want


def differs(lib, text, bound, want):
    try:
        got = np.asarray(lib.eval(text, bound))
    except Error as e:
        return None if want is None else f"refused: {e}"
    if want is None:
        return "NumPy refuses"
    if got.dtype != want.dtype or got.shape != want.shape:
        return f"{got.dtype}{got.shape}, NumPy {want.dtype}{want.shape}"
    return None if np.array_equal(got, want) else f"{got}, NumPy {want}"


def main():
    first, count = (int(x) for x in (sys.argv[2:4] + ["0", "2000"][len(sys.argv[2:4]):]))
    lib = Library(sys.argv[1], sys.argv[4] if len(sys.argv) > 4 else "cpu")
    bad = 0
    for seed in range(first, first + count):
        text, bound, want = case(seed)
        why = differs(lib, text, bound, want)
        if why is not None:
            bad += 1
            print(f"seed {seed}: {text}\n  {why}")
    print(f"{count - bad} passed, {bad} failed")
    return bad != 0


if __name__ == "__main__":
    sys.exit(main())
