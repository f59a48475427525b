#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Random expressions, dtypes, layouts and sizes: the library against NumPy 2.

    fuzz.py LIBRARY [-d cpu|cuda0] [-n COUNT] [-s SEED] [--also DEVICE]

Exact operations must give NumPy's bits, others the stated tolerance; both must
refuse the same texts. With --also, a second device must give the first one's
bits wherever that is promised. Exits 1 and prints each case that differs.
"""
import argparse
import random
import sys
import warnings
import numpy as np
from ga import Library, Error, dtype

warnings.simplefilter("ignore")
np.seterr(all="ignore")

REAL = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16",
        "float32", "float64"]
ALL = REAL + ["complex64", "complex128"]
UNARY_EXACT = ["-{}", "+{}", "~{}", "abs({})", "square({})", "floor({})", "ceil({})", "trunc({})", "rint({})",
               "sign({})", "isnan({})", "isinf({})", "isfinite({})", "logical_not({})", "conj({})", "real({})",
               "imag({})", "signbit({})", "sqrt({})"]
UNARY = ["exp({})", "exp2({})", "expm1({})", "log({})", "log2({})", "log10({})", "log1p({})", "sin({})", "cos({})",
         "tan({})", "arcsin({})", "arccos({})", "arctan({})", "sinh({})", "cosh({})", "tanh({})", "arcsinh({})",
         "arccosh({})", "arctanh({})", "cbrt({})", "angle({})", "sinc({})"]
BINARY_EXACT = ["({} + {})", "({} - {})", "({} * {})", "({} / {})", "({} // {})", "({} % {})", "({} & {})",
                "({} | {})", "({} ^ {})", "({} << {})", "({} >> {})", "({} < {})", "({} <= {})", "({} == {})",
                "({} != {})", "({} > {})", "({} >= {})", "minimum({}, {})", "maximum({}, {})", "fmin({}, {})",
                "fmax({}, {})", "copysign({}, {})", "logical_and({}, {})", "logical_or({}, {})",
                "logical_xor({}, {})", "heaviside({}, {})"]
BINARY = ["hypot({}, {})", "arctan2({}, {})", "({} ** {})", "float_power({}, {})"]
REDUCE = ["sum", "prod", "min", "max", "any", "all", "mean", "var", "std", "argmin", "argmax", "count_nonzero"]
EXACT_REDUCE = {"min", "max", "any", "all", "argmin", "argmax", "count_nonzero"}

NARROW = [np.dtype(n) for n in "int8 uint8 int16 uint16 float16 float32 complex64".split()]

SCAN = ["cumsum", "cumprod", "cummax", "cummin"]


def accumulate(ufunc):
    """cummax and cummin, which NumPy has as methods: over all elements without an axis."""
    return lambda x, axis=None: ufunc.accumulate(np.ravel(x) if axis is None and np.ndim(x) else x,
                                                 axis=0 if axis is None else axis)


# Methods of ufuncs, whose axis is 0 unless another is given.
METHODS = ["add.reduce", "multiply.reduce", "maximum.reduce", "minimum.reduce", "logical_and.reduce",
           "logical_or.reduce", "add.accumulate", "multiply.accumulate", "maximum.accumulate", "minimum.accumulate"]

SPACE = {n: getattr(np, n) for n in
         "add multiply abs square floor ceil trunc rint sign isnan isinf isfinite logical_not conj real imag signbit sqrt exp exp2 "
         "expm1 log log2 log10 log1p sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arccosh arctanh cbrt "
         "angle sinc minimum maximum fmin fmax copysign logical_and logical_or logical_xor heaviside hypot arctan2 "
         "float_power where clip cumsum cumprod sum prod min max any all mean var std argmin argmax count_nonzero pi e inf nan".split()}
SPACE.update({n: getattr(np, n) for n in ALL if n != "bool"})
SPACE.update(bool=np.bool_, cummax=accumulate(np.maximum), cummin=accumulate(np.minimum))


def values(rng, dt, shape):
    n = int(np.prod(shape))
    if dt.kind == "b":
        x = rng.integers(0, 2, n).astype(dt)
    elif dt.kind in "iu":
        info = np.iinfo(dt)
        x = rng.integers(-20 if dt.kind == "i" else 0, 20, n).astype(dt)
        wild = rng.random(n) < 0.1
        x[wild] = rng.integers(info.min, info.max, n, dtype=dt, endpoint=True)[wild]
    else:
        x = rng.normal(0, 4, n)
        if dt.kind == "c":
            x = x + 1j * rng.normal(0, 4, n)
        x = x.astype(dt)
        wild = rng.random(n) < 0.04
        special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-40, 6e4, 1e30, -1.0, 0.5], dtype=dt)
        x[wild] = special[rng.integers(0, len(special), n)][wild]
    return x.reshape(shape)


def layout(pick, rng, dt, shape):
    """An array of this shape in some memory layout."""
    kind = pick.randrange(7)
    if kind <= 1 or len(shape) == 0:
        return values(rng, dt, shape)
    if kind == 2:
        return np.asfortranarray(values(rng, dt, shape))
    if kind == 3:
        steps = [pick.choice([1, 2, 3]) for _ in shape]
        big = values(rng, dt, tuple(s * k for s, k in zip(shape, steps)))
        return big[tuple(slice(None, None, k) for k in steps)]
    if kind == 4:
        return values(rng, dt, shape)[tuple(slice(None, None, pick.choice([1, -1])) for _ in shape)]
    if kind == 5:
        order = list(range(len(shape)))
        pick.shuffle(order)
        inverse = np.argsort(order)
        return values(rng, dt, tuple(shape[i] for i in order)).transpose(inverse)
    big = values(rng, dt, tuple(s + pick.randrange(3) for s in shape))
    return big[tuple(slice(b - s, None) for s, b in zip(shape, big.shape))]


class Case:
    def __init__(self, seed, devices):
        self.seed = seed
        self.pick = random.Random(seed)
        self.rng = np.random.default_rng(seed)
        self.exact = True
        self.zeros = False  # which of -0 and +0 is the lesser is ours (doc/numbers.md)
        self.shape = self.random_shape()
        self.names = {}
        self.text = self.statement()

    def random_shape(self):
        p = self.pick
        sizes = [0, 1, 2, 3, 5, 7, 8, 16, 31, 33] + ([127, 1025] if p.random() < 0.3 else [])
        nd = p.choice([0, 1, 1, 2, 2, 3, 4, 5])
        shape = [p.choice(sizes) for _ in range(nd)]
        if p.random() < 0.05 and nd:
            shape[p.randrange(nd)] = 4099
        shape = [s if s or p.random() < 0.2 else 4 for s in shape]
        while np.prod([max(s, 1) for s in shape], dtype=float) > 60000:
            shape[shape.index(max(shape))] = p.choice([2, 3])
        return tuple(shape)

    def leaf(self):
        p = self.pick
        if p.random() < 0.2:
            return p.choice(["2", "3", "0.5", "1", "7", "-1", "2.5", "True", "1j", "100", "0"])
        if self.names and p.random() < 0.4:
            return p.choice(list(self.names))
        name = "abcdefgh"[len(self.names)] if len(self.names) < 8 else p.choice(list(self.names))
        if name in self.names:
            return name
        r = p.random()
        if r < 0.07:
            self.names[name] = p.choice([3, -2, 17, 0.25, -1.5])
            return name
        dt = np.dtype(p.choice(ALL if p.random() < 0.15 else REAL))
        if r < 0.14:
            self.names[name] = values(self.rng, dt, ()).reshape(1)[0]
            return name
        shape = list(self.shape)
        for i in range(len(shape)):
            if p.random() < 0.15:
                shape[i] = 1
        if p.random() < 0.2:
            shape = shape[p.randrange(len(shape) + 1):]
        self.names[name] = layout(p, self.rng, dt, tuple(shape))
        return name

    def expr(self, depth):
        p = self.pick
        if depth == 0 or p.random() < 0.15:
            return self.leaf()
        r = p.random()
        if r < 0.45:
            form = p.choice(BINARY_EXACT)
            self.zeros |= form.startswith(("min", "max", "fmin", "fmax"))
            return form.format(self.expr(depth - 1), self.expr(depth - 1))
        if r < 0.65:
            return p.choice(UNARY_EXACT).format(self.expr(depth - 1))
        if r < 0.72:
            self.exact = False
            return p.choice(UNARY).format(self.expr(depth - 1))
        if r < 0.76:
            self.exact = False
            return p.choice(BINARY).format(self.expr(depth - 1), self.expr(depth - 1))
        if r < 0.82:
            return "where({}, {}, {})".format(self.expr(depth - 1), self.expr(depth - 1), self.expr(depth - 1))
        if r < 0.88:
            return "{}({})".format(p.choice(ALL), self.expr(depth - 1))
        return self.scan(depth) if r < 0.92 else self.method(depth) if r < 0.93 else self.reduction(depth)

    def method(self, depth):
        p = self.pick
        f = p.choice(METHODS)
        if f.startswith(("add", "multiply")):
            self.exact = False
        self.zeros = True
        args = [self.expr(depth - 1)]
        nd = len(self.shape)
        if p.random() < 0.6 and nd:
            args.append("axis={}".format(p.randrange(-nd, nd)))
        if f.startswith("a") and p.random() < 0.15:
            args.append("dtype=float64")
        return "{}({})".format(f, ", ".join(args))

    def scan(self, depth):
        p = self.pick
        f = p.choice(SCAN)
        if f in ("cumsum", "cumprod"):
            self.exact = False
        else:
            self.zeros = True
        args = [self.expr(depth - 1)]
        nd = len(self.shape)
        if p.random() < 0.8 and nd:
            args.append("axis={}".format(p.randrange(-nd, nd)))
        if f in ("cumsum", "cumprod") and p.random() < 0.15:
            args.append("dtype=float64")
        return "{}({})".format(f, ", ".join(args))

    def reduction(self, depth):
        p = self.pick
        f = p.choice(REDUCE)
        if f not in EXACT_REDUCE:
            self.exact = False
        args = [self.expr(depth - 1)]
        nd = len(self.shape)
        if p.random() < 0.7 and nd:
            if f not in ("argmin", "argmax") and p.random() < 0.3 and nd > 1:
                axes = p.sample(range(nd), p.randrange(1, nd + 1))
                args.append("axis={}".format(tuple(a - nd * p.randrange(2) for a in axes)))
            else:
                args.append("axis={}".format(p.randrange(-nd, nd)))
        if p.random() < 0.4:
            args.append("keepdims=True")
        if f in ("sum", "prod", "mean", "var", "std") and p.random() < 0.15:
            args.append("dtype=float64")
        if f in ("var", "std") and p.random() < 0.3:
            args.append("ddof=1")
        return "{}({})".format(f, ", ".join(args))

    def statement(self):
        p = self.pick
        while True:
            self.names.clear()
            self.exact, self.zeros = True, False
            text = self.expr(p.choice([1, 2, 2, 3, 4]))
            if any(isinstance(x, np.ndarray) for x in self.names.values()):
                return text


def same_bits(a, b):
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    if a.dtype.kind == "c":
        return same_bits(np.ascontiguousarray(a).view(a.real.dtype), np.ascontiguousarray(b).view(b.real.dtype)) \
            if a.size else True
    if a.dtype.kind != "f":
        return bool(np.array_equal(a, b))
    nan = np.isnan(a) & np.isnan(b)
    return bool(np.all(nan | ((a == b) & (np.signbit(a) == np.signbit(b)))))


def close(case, a, b):
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    if a.dtype.kind in "biu":
        if a.dtype.kind == "b":
            return np.mean(a != b) <= 0.02 or a.size < 50
        return True  # an integer made from an inexact number may differ anywhere
    tol = {2: 2e-2, 4: 2e-4, 8: 1e-10}[a.real.dtype.itemsize]
    # float32 may stand in between, or be what functions make of 16-bit integers
    if any(w in case.text for w in ("float32", "float16", "int16", "int8", "complex64")) or any(
            getattr(x, "dtype", np.dtype("f8")) in NARROW for x in case.names.values()):
        tol = max(tol, 2e-4)
    big = np.nanmax(np.where(np.isfinite(b), np.abs(b), 0), initial=0)
    with np.errstate(all="ignore"):
        near = {"rtol": tol, "atol": tol * max(big, 1), "equal_nan": True}
        ok = np.isclose(a.real, b.real, **near) & np.isclose(a.imag, b.imag, **near)
    return np.mean(~ok) <= 0.02 if a.size >= 50 else bool(np.all(ok)) or a.size < 3


def complex_in(case, want):
    """Complex work is the same on every device, but not NumPy's to the bit."""
    return (want.dtype.kind == "c" or "complex" in case.text or "1j" in case.text or
            any(getattr(x, "dtype", want.dtype).kind == "c" for x in case.names.values()))


def reference(case):
    space = dict(SPACE)
    space.update(case.names)
    try:
        r = eval(case.text, {"__builtins__": {"__import__": __import__}}, space)
    except Exception as e:
        return None, f"{type(e).__name__}: {e}"
    return np.asarray(r), None


def describe(case):
    return {k: f"{v.dtype}{v.shape} strides {v.strides}" if isinstance(v, np.ndarray) else repr(v)
            for k, v in case.names.items()}


def report(case, what):
    print(f"seed {case.seed}: {what}\n  {case.text}\n  {describe(case)}")
    return 1


def judge(case, libs):
    want, refused = reference(case)
    got, why = [], None
    for lib in libs:
        try:
            got.append(lib.eval(case.text, case.names))
        except Error as e:
            why = str(e)
    if got and len(got) < len(libs):
        return report(case, f"one device refuses: {why}")
    if refused is not None:
        if "negative integer powers" in refused:
            return 0  # depends on values: doc/numbers.md says what we give
        if got:
            return report(case, f"NumPy refuses ({refused}), we give {got[0].dtype}{got[0].shape}")
        return 0
    if not got:
        return report(case, f"NumPy gives {want.dtype}{want.shape}, we refuse: {why}")
    a = got[0]
    if case.zeros and want.dtype.kind == "f":
        want, got = want + want.dtype.type(0), [g + g.dtype.type(0) for g in got]
        a = got[0]
    if a.dtype != want.dtype or a.shape != want.shape:
        return report(case, f"{a.dtype}{a.shape}, NumPy {want.dtype}{want.shape}")
    if case.exact and not complex_in(case, want):
        if not same_bits(a, want):
            bad = np.argwhere(~((a == want) | ((a != a) & (want != want))))[:3] if a.ndim else []
            where = "; ".join(f"{tuple(int(j) for j in i)}: {a[tuple(i)]!r} NumPy {want[tuple(i)]!r}" for i in bad)
            return report(case, f"bits differ: {where or (a, want)}")
    elif not close(case, a, want):
        return report(case, f"values differ: {a.ravel()[:4]} NumPy {want.ravel()[:4]}")
    if case.exact and len(got) > 1 and not same_bits(got[0], got[1]):
        return report(case, "devices differ")
    return 0


def main():
    ap = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    ap.add_argument("library")
    ap.add_argument("-d", default="cpu")
    ap.add_argument("--also")
    ap.add_argument("-n", type=int, default=2000)
    ap.add_argument("-s", type=int, default=0)
    ap.add_argument("--stop", type=int, default=20)
    o = ap.parse_args()
    libs = [Library(o.library, d) for d in [o.d, o.also] if d]
    bad = 0
    for seed in range(o.s, o.s + o.n):
        bad += judge(Case(seed, libs), libs)
        if bad >= o.stop:
            break
    print(f"{seed - o.s + 1 - bad} passed, {bad} failed")
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
