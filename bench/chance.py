#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Problem strings by chance: ways through memory that nobody wrote down.

    chance.py [-s SEED] [-n COUNT] [-m MEGABYTES] [KIND]...

prints COUNT problems (problem.h tells how they are read) of the kinds map, reduction, scan and
chain, whose arrays have about MEGABYTES together. The same seed gives the same problems.

    chance.py -n 100 scan | bench -          their share of the ceiling
    chance.py -n 500 -m 1 | bits             whether a GPU has the CPU's bits
"""
import argparse
import math
import random

SIZES = {"bool": 1, "int8": 1, "uint8": 1, "int16": 2, "uint16": 2, "float16": 2, "bfloat16": 2,
         "int32": 4, "uint32": 4, "float32": 4, "int64": 8, "uint64": 8, "float64": 8,
         "complex64": 8, "complex128": 16}
REALS = [t for t in SIZES if t != "bool" and not t.startswith("complex")]
FLOATS = ["float16", "bfloat16", "float32", "float64"]
SUMS = {"int8": "int64", "int16": "int64", "int32": "int64",
        "uint8": "uint64", "uint16": "uint64", "uint32": "uint64"}
SHORT = [1, 2, 3, 4, 5, 7, 8, 12, 16, 17, 24, 31, 32, 33, 48, 64, 65, 96, 100, 127, 128]
LONG = [255, 256, 257, 300, 333, 500, 512, 768, 777, 1000, 1001, 1023, 1024, 1025, 1500, 2047,
        3000, 4096, 5000, 8191, 10000, 16384, 20000, 65536, 100003]

MAPS = ["a + b", "a*b + 1", "a - b", "maximum(a, b)", "a < b", "where(a > b, a, b)", "a*2", "-a",
        "float32(a) * b", "a"]
REDUCTIONS = ["sum(a{})", "sum(a*b{})", "max(a{})", "min(a{})", "mean(a{})", "var(a{})",
              "argmax(a{})", "sum(a*a{})", "any(a > b{})", "max(a{}) - min(a{})", "sum(abs(a - b){})"]
SCANS = ["cumsum(a{})", "maximum.accumulate(a{})", "cumsum(a*a{})"]
CHAINS = ["t = exp(a - max(a{k})); t / sum(t{k})",
          "d = a - mean(a{k}); d / sqrt(mean(d*d{k}) + 1e-5)",
          "a / sum(abs(a){k})",
          "a / sqrt(mean(a*a{k}) + 1e-6)",
          "d = a - max(a{k}); d - log(sum(exp(d){k}))",
          "a - mean(a{k})"]


def shape(rng, elements):
    """Some short and long extents, and one that makes `elements` of their product."""
    nd = rng.choice([1, 2, 2, 2, 3, 3, 3, 4, 5])
    most = elements ** (1 / nd) * 4
    dims = [rng.choice([d for d in SHORT + LONG if d <= most] or [1]) for _ in range(nd)]
    free = rng.randrange(nd)
    dims[free] = 1
    dims[free] = max(1, round(elements / math.prod(dims)))
    return dims


def layout(rng, nd):
    kinds = ["", "", "", "", "/f", "/s", "/r", "/u"]
    if nd > 1:
        kinds += ["/t", "/p" + "".join(map(str, rng.sample(range(nd), nd)))]
    return rng.choice(kinds)


def array(name, dtype, dims, how=""):
    return f"{name}={dtype}[{','.join(map(str, dims))}]{how}"


def operands(rng, text, dtype, dims):
    """a, and b of the same shape or broadcast along some axes."""
    arrays = [array("a", dtype, dims, layout(rng, len(dims)))]
    if "b" in text.replace("abs", ""):
        other = list(dims)
        if rng.random() < 0.35:
            other = [1 if rng.random() < 0.5 else d for d in dims]
        mixed = rng.choice(REALS) if rng.random() < 0.2 else dtype
        arrays.append(array("b", mixed, other, layout(rng, len(dims))))
    return arrays


def axes(rng, nd, most):
    chosen = sorted(rng.sample(range(nd), rng.randint(1, min(nd, most))))
    return str(chosen[0]) if len(chosen) == 1 else str(tuple(chosen)).replace(" ", "")


def a_map(rng, megabytes):
    text, dtype = rng.choice(MAPS), rng.choice(REALS)
    dims = shape(rng, megabytes * 2**20 / SIZES[dtype] / (2 + ("b" in text)))
    return text, operands(rng, text, dtype, dims)


def a_reduction(rng, megabytes):
    text, dtype = rng.choice(REDUCTIONS), rng.choice(REALS)
    dims = shape(rng, megabytes * 2**20 / SIZES[dtype] / (1 + ("b" in text.replace("abs", ""))))
    axis = ""
    if rng.random() < 0.85:
        axis = ", axis=" + axes(rng, len(dims), 1 if "arg" in text else len(dims))
    return text.replace("{}", axis), operands(rng, text, dtype, dims)


def a_scan(rng, megabytes):
    text, dtype = rng.choice(SCANS), rng.choice(REALS)
    out = dtype if "max" in text else SUMS.get(dtype, dtype)
    dims = shape(rng, megabytes * 2**20 / (SIZES[dtype] + SIZES[out]))
    axis = f", axis={rng.randrange(len(dims))}"
    how = layout(rng, len(dims))
    return (text.replace("{}", axis) + " -> o",
            [array("a", dtype, dims, how), array("o", out, dims, how if how[1:2] in "tp" else "")])


def a_chain(rng, megabytes):
    text, dtype = rng.choice(CHAINS), rng.choice(FLOATS)
    dims = shape(rng, megabytes * 2**20 / SIZES[dtype] / 2)
    k = f", axis={axes(rng, len(dims), 2)}, keepdims=True"
    return (text.replace("{k}", k) + " -> o",
            [array("a", dtype, dims, layout(rng, len(dims))), array("o", dtype, dims)])


KINDS = {"map": a_map, "reduction": a_reduction, "scan": a_scan, "chain": a_chain}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-s", type=int, default=1, metavar="SEED")
    parser.add_argument("-n", type=int, default=20, metavar="COUNT")
    parser.add_argument("-m", type=float, default=256, metavar="MEGABYTES")
    parser.add_argument("kinds", nargs="*", metavar="KIND", help=", ".join(KINDS))
    opt = parser.parse_intermixed_args()
    for kind in opt.kinds:
        if kind not in KINDS:
            parser.error(f"no kind '{kind}'; there are {', '.join(KINDS)}")
    rng = random.Random(opt.s)
    for i in range(opt.n):
        kind = rng.choice(opt.kinds or list(KINDS))
        text, arrays = KINDS[kind](rng, opt.m)
        print(f"{kind}-{opt.s}.{i}: {text} | {' '.join(arrays)}")


if __name__ == "__main__":
    main()
