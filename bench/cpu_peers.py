#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The CPU device beside NumPy, numexpr and the floor that memory sets, in one process.

    cpu_peers.py BUILD [-t THREADS] [-r ROUNDS] [ROW]...

The floor of a row is the time NumPy's own loop takes for its bytes: np.add (two reads,
one write), np.multiply by a number (one read, one write), np.dot (reads alone) or fill,
cut over as many threads as the device has. Everything of a row takes turns, and each
figure is the least of the rounds, of one thread its own time, so that a busy machine spoils
ratios little. Columns:
milliseconds of the library and the floor, library / floor, and how many times NumPy
(one thread) and numexpr (as many threads) take as long. "!" marks a row beyond its target:
1.2 floors (m + m.T 1.5, sums of float32 1.0), or for functions half of NumPy's and numexpr's time.
The last row is a prepared call of 1000 elements, by bench/bench, in microseconds.
"""
import argparse
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

parser = argparse.ArgumentParser()
parser.add_argument("build")
parser.add_argument("-t", type=int, default=1)
parser.add_argument("-r", type=int, default=9)
parser.add_argument("rows", nargs="*")
opt = parser.parse_intermixed_args()
os.environ["GPUARRAY_NUM_THREADS"] = os.environ["NUMEXPR_MAX_THREADS"] = str(opt.t)
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np  # noqa: E402
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "numpy"))
from ga import Library, Prepared, dtype, ml_dtypes  # noqa: E402
try:
    import numexpr as ne
    ne.set_num_threads(opt.t)
except ImportError:
    ne = None

N, R, MOST = 1 << 24, 1 << 12, 1 << 27
# name: text, arrays, dtype of what is written (None: a reduction's result), target, NumPy's way,
# numexpr's text where it is not the same one. Targets: f floor, s sum, t turned, x function.
F = "float32"
ONE, TWO = {"a": (F, N)}, {"a": (F, N), "b": (F, N)}
MAT = {"m": (F, (R, R))}


def pair(t):
    return {"a": (t, N), "b": (t, N)}


ROWS = {
    "double": ("2*a", ONE, F, "f"),
    "add": ("a+b", TWO, F, "f"),
    "seed": ("(a*10+2)*((b+2)*10-5)*5", TWO, F, "f"),
    "transcendental": ("exp(a)*sin(b)+sqrt(a)", TWO, F, "x"),
    "sum": ("sum(a)", ONE, None, "s"),
    "sumsq": ("sum(a*a)", ONE, None, "s"),
    "row-sums": ("sum(m,axis=1)", MAT, None, "f"),
    "column-sums": ("sum(m,axis=0)", MAT, None, "f"),
    "transposed": ("m+n", {"m": (F, (R, R)), "n": (F, (R, R), "t")}, F, "t"),
    "f32-f64": ("float64(a)", ONE, "float64", "f"),
    "f64-f32": ("float32(a)", {"a": ("float64", N)}, F, "f"),
    "f32-f16": ("float16(a)", ONE, "float16", "f"),
    "f16-f32": ("float32(a)", {"a": ("float16", N)}, F, "f"),
    "f32-bf16": ("bfloat16(a)", ONE, "bfloat16", "f"),
    "bf16-f32": ("float32(a)", {"a": ("bfloat16", N)}, F, "f"),
    "f32-i32": ("int32(a)", ONE, "int32", "f"),
    "i32-f32": ("float32(a)", {"a": ("int32", N)}, F, "f"),
    "i8-f32": ("float32(a)", {"a": ("int8", N)}, F, "f"),
    "f32-i8": ("int8(a)", ONE, "int8", "f"),
    "i64-f64": ("float64(a)", {"a": ("int64", N)}, "float64", "f"),
    "f64-i64": ("int64(a)", {"a": ("float64", N)}, "int64", "f"),
    "i32-i64": ("int64(a)", {"a": ("int32", N)}, "int64", "f"),
    "bias": ("m+v", {"m": (F, (R, R)), "v": (F, R)}, F, "f"),
    "bias-rows": ("m+v", {"m": (F, (R, R)), "v": (F, (R, 1))}, F, "f"),
    "outer": ("u+v", {"u": (F, (R, 1)), "v": (F, R)}, F, "f"),
    "step2": ("a+b", {"a": (F, N // 2, "s"), "b": (F, N // 2, "s")}, F, "f"),
    "reversed": ("a+b", {"a": (F, N, "r"), "b": (F, N)}, F, "f"),
    "unaligned": ("a+b", {"a": (F, N, "u"), "b": (F, N)}, F, "f"),
    "turned-copy": ("+n", {"n": (F, (R, R), "t")}, F, "t"),
    "add-f64": ("a+b", pair("float64"), "float64", "f"),
    "add-f16": ("a+b", pair("float16"), "float16", "f"),
    "add-bf16": ("a+b", pair("bfloat16"), "bfloat16", "f"),
    "add-i8": ("a+b", pair("int8"), "int8", "f"),
    "add-i32": ("a+b", pair("int32"), "int32", "f"),
    "mul-i64": ("a*b", pair("int64"), "int64", "f"),
    "mul-c64": ("a*b", pair("complex64"), "complex64", "f"),
    "mul-c128": ("a*b", pair("complex128"), "complex128", "f"),
    "div": ("a/b", TWO, F, "f"),
    "floor": ("floor(a)", ONE, F, "f"),
    "floordiv": ("a//b", TWO, F, "f"),
    "mod": ("a%b", TWO, F, "f"),
    "floordiv-i32": ("a//b", pair("int32"), "int32", "n"),
    "mod-i32": ("a%b", pair("int32"), "int32", "n"),
    "floordiv-i64": ("a//b", pair("int64"), "int64", "n"),
    "floordiv-i8": ("a//b", pair("int8"), "int8", "n"),
    "truediv-i32": ("a/b", pair("int32"), "float64", "f"),
    "less": ("a<b", TWO, "bool", "f"),
    "less-f64": ("a<b", pair("float64"), "bool", "f"),
    "and": ("(a<b)&(a>0.7)", TWO, "bool", "f"),
    "where": ("where(a<b,a,b)", TWO, F, "f"),
    "maximum": ("maximum(a,b)", TWO, F, "f"),
    "abs": ("abs(a)", ONE, F, "f"),
    "clip": ("clip(a,0.6,0.9)", ONE, F, "f"),
    "sign": ("sign(a)", ONE, F, "f"),
    "isnan": ("isnan(a)", ONE, "bool", "f"),
    "bools": ("a&b|~a", pair("bool"), "bool", "f"),
    "shift-i32": ("a<<b", pair("int32"), "int32", "f"),
    "sqrt": ("sqrt(a)", ONE, F, "f"),
    "exp": ("exp(a)", ONE, F, "x"),
    "log": ("log(a)", ONE, F, "x"),
    "sin": ("sin(a)", ONE, F, "x"),
    "cos": ("cos(a)", ONE, F, "x"),
    "tanh": ("tanh(a)", ONE, F, "x"),
    "pow": ("a**b", TWO, F, "x"),
    "pow2": ("a**2", ONE, F, "f"),
    "pow3": ("a**3", ONE, F, "x"),
    "arctan2": ("arctan2(a,b)", TWO, F, "x"),
    "hypot": ("hypot(a,b)", TWO, F, "x"),
    "log1p": ("log1p(a)", ONE, F, "x"),
    "expm1": ("expm1(a)", ONE, F, "x"),
    "cbrt": ("cbrt(a)", ONE, F, "x"),
    "arcsin": ("arcsin(a-1)", ONE, F, "x"),
    "exp-f64": ("exp(a)", {"a": ("float64", N)}, "float64", "x"),
    "log-f64": ("log(a)", {"a": ("float64", N)}, "float64", "x"),
    "sin-f64": ("sin(a)", {"a": ("float64", N)}, "float64", "x"),
    "tanh-f64": ("tanh(a)", {"a": ("float64", N)}, "float64", "x"),
    "pow-f64": ("a**b", pair("float64"), "float64", "x"),
    "exp-f16": ("exp(a)", {"a": ("float16", N)}, "float16", "x"),
    "exp-c64": ("exp(a)", {"a": ("complex64", N)}, "complex64", "x"),
    "max": ("max(a)", ONE, None, "f"),
    "min-i32": ("min(a)", {"a": ("int32", N)}, None, "f"),
    "max-i8": ("max(a)", {"a": ("int8", N)}, None, "f"),
    "max-f16": ("max(a)", {"a": ("float16", N)}, None, "f"),
    "argmax": ("argmax(a)", ONE, None, "f"),
    "argmin-i32": ("argmin(a)", {"a": ("int32", N)}, None, "f"),
    "argmax-i8": ("argmax(a)", {"a": ("int8", N)}, None, "f"),
    "argmax-rows": ("argmax(m,axis=1)", MAT, None, "f"),
    "argmax-columns": ("argmax(m,axis=0)", MAT, None, "f"),
    "any": ("any(a)", {"a": ("bool", N)}, None, "f"),
    "any-f32": ("any(a>2)", ONE, None, "f"),
    "sum-i8": ("sum(a)", {"a": ("int8", N)}, None, "f"),
    "sum-i32": ("sum(a)", {"a": ("int32", N)}, None, "f"),
    "sum-i64": ("sum(a)", {"a": ("int64", N)}, None, "f"),
    "sum-f16": ("sum(a)", {"a": ("float16", N)}, None, "f"),
    "sum-bf16": ("sum(a)", {"a": ("bfloat16", N)}, None, "f"),
    "sum-f64": ("sum(a)", {"a": ("float64", N)}, None, "f"),
    "sum-c64": ("sum(a)", {"a": ("complex64", N)}, None, "f"),
    "prod-c64": ("prod(a)", {"a": ("complex64", N)}, None, "f"),
    "count": ("count_nonzero(a>1)", ONE, None, "f"),
    "var": ("var(a)", ONE, None, "f"),
    "short-rows": ("sum(m,axis=1)", {"m": (F, (N // 32, 32))}, None, "f"),
    "short-rows-7": ("sum(m,axis=1)", {"m": (F, (N // 7, 7))}, None, "f"),
    "short-rows-i8": ("sum(m,axis=1)", {"m": ("int8", (N // 32, 32))}, None, "f"),
    "short-argmax": ("argmax(m,axis=1)", {"m": (F, (N // 32, 32))}, None, "f"),
    "short-max": ("max(m,axis=1)", {"m": (F, (N // 32, 32))}, None, "f"),
    "rows-200": ("sum(m,axis=1)", {"m": (F, (N // 200, 200))}, None, "f"),
    "tall-columns": ("sum(m,axis=0)", {"m": (F, (N // 32, 32))}, None, "f"),
    "tall-columns-3": ("sum(m,axis=0)", {"m": (F, (N // 3, 3))}, None, "f"),
    "column-max": ("max(m,axis=0)", MAT, None, "f"),
    "column-sums-i8": ("sum(m,axis=0)", {"m": ("int8", (R, R))}, None, "f"),
    "column-sums-f16": ("sum(m,axis=0)", {"m": ("float16", (R, R))}, None, "f"),
    "middle-axis": ("sum(m,axis=1)", {"m": (F, (1024, 256, 64))}, None, "f"),
    "softmax": ("t=exp(m-max(m,axis=1,keepdims=True)); t/sum(t,axis=1,keepdims=True)", MAT, F, "n"),
}
SPACE = {k: getattr(np, k) for k in
         "exp sin cos sqrt log tanh arctan2 hypot log1p expm1 cbrt arcsin floor abs clip sign isnan maximum where sum "
         "max min argmax argmin any prod count_nonzero var float16 float32 float64 int8 int32 int64".split()}
NOT_NUMEXPR = "float argmax argmin any count var sign clip int bfloat cbrt isnan | ~ max hypot max( min( axis ; //".split()


def make(t, shape, how=""):
    """Numbers in [0.5, 1.5), whole ones in [1, 13], in the layout that bench's letters name."""
    shape = shape if isinstance(shape, tuple) else (shape,)
    real = shape[:-1] + (shape[-1] * (2 if how == "s" else 1) + (how == "u"),)
    rng = np.random.default_rng(5)
    dt = dtype(t)
    if t == "bool":
        x = np.zeros(real, bool)
    elif dt.kind in "iu":
        x = rng.integers(1, 14, real, dtype=dt)
    else:
        x = (rng.random(real, "f") + np.float32(0.5)).astype(dt)
    return {"s": x[..., ::2], "r": x[..., ::-1], "u": x[..., 1:], "t": x.T}.get(how, x)


pool = ThreadPoolExecutor(opt.t)
base = [np.ones(MOST // 4, F) for _ in range(3)]


def spread(f, n):
    """f over the threads' parts of [0, n)."""
    if opt.t == 1:
        return lambda: f(slice(0, n))
    cuts = [n * i // opt.t // 64 * 64 for i in range(opt.t)] + [n]
    parts = [slice(lo, hi) for lo, hi in zip(cuts, cuts[1:])]
    return lambda: list(pool.map(f, parts))


def floor_of(read, write):
    a, b, o = base
    share = read / (read + write)
    if share > 0.9:
        return spread(lambda s: np.dot(a[s], a[s]), read // 4)
    if share > 0.6:
        return spread(lambda s: np.add(a[s], b[s], out=o[s]), (read + write) // 12)
    if share > 0.1:
        return spread(lambda s: np.multiply(a[s], np.float32(2), out=o[s]), (read + write) // 8)
    return spread(lambda s: o[s].fill(1), write // 4)


def ways_of(lib, text, given, written, target):
    """What takes turns: the library, the floor, the peers."""
    arrays = {k: make(*v) for k, v in given.items()}
    read = sum(x.nbytes * (2 if len(v) > 2 and v[2] == "s" else 1) for x, v in zip(arrays.values(), given.values()))
    shape = np.broadcast_shapes(*(x.shape for x in arrays.values()))
    write = int(np.prod(shape)) * dtype(written).itemsize if written else 0
    prepared = Prepared(lib, text, arrays, (written, shape) if written and ";" not in text else None)
    ways = {"ga": prepared, "floor": floor_of(read, write)}
    numpy = {**SPACE, **arrays}
    if "bfloat16" in text:
        numpy["bfloat16"] = lambda x: x.astype(dtype("bfloat16"))
    lines = text.split("; ")
    if len(lines) == 1:
        code = compile(text, text, "eval")
        ways["numpy"] = lambda: eval(code, dict(numpy))
    if ne and not any(w in text for w in NOT_NUMEXPR) and all(x.dtype.name in ("float32", "float64", "int32", "int64")
                                                              for x in arrays.values()):
        ways["numexpr"] = lambda: ne.evaluate(text, arrays)
    return ways, prepared


def least(ways):
    best = dict.fromkeys(ways, 1e9)
    clock = time.thread_time if opt.t == 1 else time.perf_counter
    for i in range(opt.r + 1):
        for k, f in ways.items():
            start = clock()
            f()
            took = clock() - start
            if i and took < best[k]:
                best[k] = took
    return best


def beyond(target, t):
    if target == "x":
        return any(t[k] < 2 * t["ga"] for k in ("numpy", "numexpr") if k in t) and t["ga"] > 1.2 * t["floor"]
    return t["ga"] > {"f": 1.2, "s": 1.0, "t": 1.5, "n": 1e9}[target] * t["floor"]


def small():
    """A prepared call of 1000 elements."""
    bench = os.path.join(opt.build, "bench", "bench")
    spec = "add-1000: a + b -> o | a=float32[1000] b=float32[1000] o=float32[1000]"
    text = subprocess.run([bench, "-d", "cpu", spec], capture_output=True, text=True, check=True).stdout
    names, values = (line.split("\t") for line in text.splitlines()[-2:])
    us = float(values[names.index("median_us")])
    print(f"{'add-1000 (us)':16s} {us:9.3f} {'':9s} {'':6s}{'!' if us > 0.3 else ' '}")


def main():
    lib = Library(os.path.join(opt.build, ".libs", "libgpuarray.so"), "cpu")
    print(f"# {opt.t} threads, NumPy {np.__version__}, numexpr {ne.__version__ if ne else 'none'}, {opt.r} rounds")
    print(f"{'row':16s} {'ms':>9s} {'floor':>9s} {'ratio':>6s}  {'numpy':>6s} {'numexpr':>7s}")
    for name, (text, given, written, target) in ROWS.items():
        if opt.rows and name not in opt.rows or "bf16" in name and not ml_dtypes:
            continue
        ways, prepared = ways_of(lib, text, given, written, target)
        t = least(ways)
        prepared.free()
        peers = [f"{t[k] / t['ga']:{w}.2f}" if k in t else " " * w for k, w in (("numpy", 6), ("numexpr", 7))]
        print(f"{name:16s} {t['ga'] * 1e3:9.3f} {t['floor'] * 1e3:9.3f} {t['ga'] / t['floor']:6.2f}"
              f"{'!' if beyond(target, t) else ' '} {peers[0]} {peers[1]}", flush=True)
    if not opt.rows or "add-1000" in opt.rows:
        small()


main()
