# SPDX-License-Identifier: MIT
"""Writes scalar.bin beside itself: what NumPy 2 (exact operations, special
values) and mpmath (transcendental functions, rounded once) say of the scalar
functions. Needs numpy >= 2.1, ml_dtypes and mpmath; `make check` only reads the file.

The file is lines of text, each followed by little-endian data:

    args DTYPE K N          K arrays of N elements, the arguments from here on
    op NAME DTYPE ULPS      N results, of dtype DTYPE; ULPS 0: to the bit, else within
                            so many units in the last place (complex: of the larger part)
    end
"""
import os
import warnings

import ml_dtypes
import mpmath
import numpy as np

warnings.filterwarnings("ignore")
np.seterr(all="ignore")
mpmath.mp.prec = 2400
rng = np.random.default_rng(20251121)

DTYPES = {n: np.dtype(n) for n in
          "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 float32 float64 "
          "complex64 complex128".split()}
DTYPES["bfloat16"] = np.dtype(ml_dtypes.bfloat16)
NAMES = {v: k for k, v in DTYPES.items()}
REALS = ["float16", "bfloat16", "float32", "float64"]
MOST = {"float16": 6e4, "bfloat16": 1e38, "float32": 1e38, "float64": 1e307}
out = open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "scalar.bin"), "wb")


def put_args(dtype, *arrays):
    out.write(b"args %s %d %d\n" % (dtype.encode(), len(arrays), len(arrays[0])))
    for a in arrays:
        out.write(np.ascontiguousarray(a, DTYPES[dtype]).tobytes())


def put(op, result, ulps=0):
    out.write(b"op %s %s %d\n" % (op.encode(), NAMES[result.dtype].encode(), ulps))
    out.write(np.ascontiguousarray(result).tobytes())


def pairs(special, random):
    """All pairs of special values, and random ones."""
    a, b = np.meshgrid(special, special)
    n = len(random) // 2
    return np.concatenate([a.ravel(), random[:n]]), np.concatenate([b.ravel(), random[n:2 * n]])


def integers(dtype):
    i = np.iinfo(dtype)
    v = [i.min, i.min + 1, i.max, 0, 1, 2, 3, 7, 10, 31, 64]
    if i.min < 0:
        v += [-1, -2, -7, -10]
    a = rng.integers(i.min, i.max, 200, dtype=DTYPES[dtype], endpoint=True)
    return np.array(v, DTYPES[dtype]), a >> rng.integers(0, 8 * DTYPES[dtype].itemsize, 200).astype(
        DTYPES[dtype])


def floats(dtype):
    v = [0.0, -0.0, 1, -1, 2, -3, 0.5, -2.5, np.inf, -np.inf, np.nan, 1e-45, -5e-324, 6e-8,
         65504, 3e38, 1e-38, 7, -0.1, 0.3, 1e10]
    r = rng.standard_normal(300) * np.exp(rng.uniform(-8, 8, 300))
    return np.array(v).astype(DTYPES[dtype]), r.astype(DTYPES[dtype])


def signed_zeros(op, a, b, r):
    """Our rule for the extremes: -0 < +0 (NumPy's depends on the machine)."""
    both = (a == 0) & (b == 0)
    least = np.signbit(a) | np.signbit(b)
    most = np.signbit(a) & np.signbit(b)
    sign = least if op in ("minimum", "fmin") else most
    return np.where(both, np.where(sign, -0.0, 0.0).astype(r.dtype), r)


COMPARE = "equal not_equal less less_equal greater greater_equal".split()
EXTREME = "minimum maximum fmin fmax".split()


def write_integers():
    ops = ("add subtract multiply floor_divide remainder fmod bitwise_and bitwise_or bitwise_xor "
           "left_shift right_shift").split()
    for dtype in ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"):
        a, b = pairs(*integers(dtype))
        put_args(dtype, a, b)
        for op in ops + COMPARE + EXTREME:
            put(op, getattr(np, op)(a, b))
        for op in "negative absolute sign square reciprocal invert".split():
            put(op, getattr(np, op)(a))
        put_args(dtype, a, np.where(b < 0, ~b, b))
        put("power", np.power(a, np.where(b < 0, ~b, b)))


def in_float32(op, dtype, *args):
    """bfloat16 by its definition: NumPy's float32 function, rounded."""
    r = getattr(np, op)(*[a.astype(np.float32) for a in args])
    return r if r.dtype == bool else r.astype(DTYPES[dtype])


def write_floats():
    two = "add subtract multiply divide floor_divide remainder fmod copysign heaviside".split()
    one = ("negative absolute fabs sign square reciprocal sqrt floor ceil trunc rint deg2rad "
           "rad2deg isnan isinf isfinite signbit").split()
    for dtype in REALS:
        a, b = pairs(*floats(dtype))
        put_args(dtype, a, b)
        for op in two + COMPARE + EXTREME:
            r = in_float32(op, dtype, a, b) if dtype == "bfloat16" else getattr(np, op)(a, b)
            put(op, signed_zeros(op, a, b, r) if op in EXTREME else r)
        for op in one:
            put(op, in_float32(op, dtype, a) if dtype == "bfloat16" else getattr(np, op)(a))
        if dtype in ("float32", "float64"):
            put("nextafter", np.nextafter(a, b))


def complexes(dtype):
    p = [0.0, -0.0, 1, -2.5, np.inf, -np.inf, np.nan, 1e-30]
    v = np.array([complex(x, y) for x in p for y in p])
    r = (rng.standard_normal(200) + 1j * rng.standard_normal(200)) * np.exp(rng.uniform(-5, 5, 200))
    return v.astype(DTYPES[dtype]), r.astype(DTYPES[dtype])


def write_complexes():
    for dtype in ("complex64", "complex128"):
        special, random = complexes(dtype)
        a, b = pairs(special[::3], random)
        put_args(dtype, a, b)
        for op in ["add", "subtract"] + COMPARE + EXTREME:
            put(op, getattr(np, op)(a, b))
        put("negative", -a)
        put("conjugate", np.conjugate(a))
        put("real", a.real.copy())
        put("imag", a.imag.copy())
        put("rint", np.rint(a))
        for op in ("isnan", "isinf", "isfinite"):
            put(op, getattr(np, op)(a))
        put("absolute", np.abs(a), 1)
        put("angle", np.angle(a), 2)
        put("sign", np.sign(a), 2)
        put_args(dtype, random[:100], random[100:])
        for op in ("multiply", "divide"):
            put(op, getattr(np, op)(random[:100], random[100:]), 4)
        put("square", np.square(random[:100]), 3)
        put("reciprocal", np.reciprocal(random[:100]), 3)


# ---- transcendental ----

one = {
    "cbrt": lambda x: mpmath.cbrt(x) if x >= 0 else -mpmath.cbrt(-x), "exp": mpmath.exp,
    "exp2": lambda x: mpmath.power(2, x), "expm1": mpmath.expm1, "log": mpmath.log,
    "log2": lambda x: mpmath.log(x) / mpmath.log(2),
    "log10": lambda x: mpmath.log(x) / mpmath.log(10),
    "log1p": mpmath.log1p, "sin": mpmath.sin, "cos": mpmath.cos, "tan": mpmath.tan,
    "arcsin": mpmath.asin, "arccos": mpmath.acos, "arctan": mpmath.atan, "sinh": mpmath.sinh,
    "cosh": mpmath.cosh, "tanh": mpmath.tanh, "arcsinh": mpmath.asinh, "arccosh": mpmath.acosh,
    "arctanh": mpmath.atanh, "erf": mpmath.erf, "erfc": mpmath.erfc, "gamma": mpmath.gamma,
    "gammaln": lambda x: mpmath.log(abs(mpmath.gamma(x))),
}
two = {
    "power": mpmath.power, "arctan2": mpmath.atan2, "hypot": mpmath.hypot,
    "logaddexp": lambda a, b: mpmath.log(mpmath.exp(a) + mpmath.exp(b)),
    "logaddexp2": lambda a, b: mpmath.log(mpmath.power(2, a) + mpmath.power(2, b), 2),
}
# Where NumPy has no function: C99's values (SciPy's where C99 says no more).
INF, NAN = np.inf, np.nan
LIMITS = {
    "erf": [(0.0, 0.0), (-0.0, -0.0), (INF, 1), (-INF, -1), (NAN, NAN)],
    "erfc": [(0.0, 1), (INF, 0), (-INF, 2), (NAN, NAN)],
    "gamma": [(0.0, INF), (-0.0, -INF), (INF, INF), (-INF, NAN), (NAN, NAN), (1, 1), (5, 24),
              (-1, NAN), (-2, NAN)],
    "gammaln": [(0.0, INF), (-0.0, INF), (INF, INF), (-INF, INF), (NAN, NAN), (1, 0.0), (2, 0.0),
                (-1, INF), (-2, INF)],
}


def domain(op, dtype, n=40):
    big = MOST[dtype]
    ex = np.log(big)
    both = rng.choice([-1, 1], n)
    tiny = np.exp(rng.uniform(-ex, 0, n)) * both
    huge = np.exp(rng.uniform(0, ex, n))
    unit = rng.uniform(-1, 1, n)
    more = {
        "exp": [rng.uniform(-ex, ex, n)], "exp2": [rng.uniform(-ex, ex, n) * 1.44],
        "expm1": [rng.uniform(-30, ex, n)], "sinh": [rng.uniform(-ex, ex, n)],
        "cosh": [rng.uniform(-ex, ex, n)], "tanh": [rng.uniform(-20, 20, n)],
        "sin": [rng.uniform(-50, 50, n), huge], "cos": [rng.uniform(-50, 50, n), huge],
        "tan": [rng.uniform(-50, 50, n), huge], "arctan": [huge], "arcsinh": [huge], "cbrt": [huge],
        "arcsin": [unit], "arccos": [unit], "arctanh": [unit], "log1p": [unit, huge],
        "erf": [rng.uniform(-5, 5, n)], "erfc": [rng.uniform(-5, 9, n)],
        "gamma": [rng.uniform(-8, 8 if dtype == "float16" else 30, n)],
        "gammaln": [rng.uniform(3, 100, n), huge ** 0.9],
    }
    if op in ("log", "log2", "log10"):
        parts = [abs(tiny), huge, 1 + unit / 100]
    elif op == "arccosh":
        parts = [1 + abs(tiny), huge]
    else:
        parts = [tiny] + more[op]
    return np.concatenate(parts).astype(DTYPES[dtype])


def rounded(values, dtype):
    """mpmath numbers rounded once: by float64 rounded to odd, then to dtype."""
    r = np.empty(len(values), np.float64)
    for i, v in enumerate(values):
        if not mpmath.isfinite(v):
            r[i] = float(v)
            continue
        f = float(v)
        if dtype != "float64" and np.isfinite(f) and f != v:
            toward = np.nextafter(f, -np.inf if f > v else np.inf)
            low = f if abs(f) < abs(v) else toward
            r[i] = np.frombuffer((np.float64(low).view(np.uint64) | np.uint64(1)).tobytes())[0]
        else:
            r[i] = f
    return r.astype(DTYPES[dtype])


def write_math():
    for dtype in REALS:
        for op, f in one.items():
            x = domain(op, dtype)
            e = rounded([f(mpmath.mpf(float(v))) for v in x], dtype)
            if op in LIMITS:
                s = np.array([v[0] for v in LIMITS[op]]).astype(DTYPES[dtype])
                t = np.array([v[1] for v in LIMITS[op]]).astype(DTYPES[dtype])
            else:
                s = np.array([0.0, -0.0, INF, -INF, NAN, 1, -1, 2, -2, 88.6, 89.2]).astype(DTYPES[dtype])
                if dtype == "float64":
                    s = np.concatenate([s, [709.9, -745.0, 710.2, 1e300, -1e300]])
                t = getattr(np, op)(s.astype(np.float64))
                t = t.astype(DTYPES[dtype])
            put_args(dtype, np.concatenate([x, s]))
            put(op, np.concatenate([e, t]).astype(DTYPES[dtype]), 2)
        write_math2(dtype)


def write_math2(dtype):
    n = 100
    top = min(np.log(MOST[dtype]), 300) * 0.45
    for op, f in two.items():
        if op == "power":
            x = np.exp(rng.uniform(-top, top, n))
            y = rng.uniform(-1, 1, n) * top / np.maximum(abs(np.log(x)), 0.1)
            y[:20] = np.rint(y[:20])
        elif op.startswith("log"):
            x = rng.uniform(3, 60, n)
            y = x + rng.standard_normal(n) * 5
        else:
            x = np.exp(rng.uniform(-top, top, n)) * rng.choice([-1, 1], n)
            y = x * np.exp(rng.standard_normal(n) * 2) * rng.choice([-1, 1], n)
        x, y = x.astype(DTYPES[dtype]), y.astype(DTYPES[dtype])
        e = rounded([f(mpmath.mpf(float(a)), mpmath.mpf(float(b))) for a, b in zip(x, y)], dtype)
        p = np.array([0.0, -0.0, 1, -1, 2, -3, 0.5, INF, -INF, NAN])
        a, b = np.meshgrid(p, p)
        a, b = a.ravel(), b.ravel()
        t = getattr(np, op)(a, b).astype(DTYPES[dtype])
        put_args(dtype, np.concatenate([x, a]).astype(DTYPES[dtype]),
                 np.concatenate([y, b]).astype(DTYPES[dtype]))
        put(op, np.concatenate([e, t]).astype(DTYPES[dtype]), 3 if op.startswith("log") else 2)


complex_one = {k: one[k] for k in
               "exp log sin cos tan sinh cosh tanh arcsin arccos arctan arcsinh arccosh arctanh "
               "log1p log2 log10".split()}
complex_one.update(exp2=lambda z: mpmath.exp(z * mpmath.log(2)), expm1=lambda z: mpmath.exp(z) - 1,
                   sqrt=mpmath.sqrt)


def write_complex_math():
    p = [0.0, -0.0, 1, -2.5, INF, -INF, NAN]
    special = np.array([complex(x, y) for x in p for y in p])
    n = 60
    for dtype in ("complex64", "complex128"):
        for op, f in complex_one.items():
            z = np.exp(rng.uniform(-4, 2, n)) * np.exp(1j * rng.uniform(-3.1, 3.1, n))
            z = np.concatenate([z, 1 + 1e-3 * z[:20], 1j + 1e-3 * z[20:40]]).astype(DTYPES[dtype])
            e = [f(mpmath.mpc(float(v.real), float(v.imag))) for v in z]
            e = np.array([complex(v) for v in e])
            t = getattr(np, op)(special)
            # Signs beside NaN are unspecified, expm1 and exp2 not C99's.
            keep = ~np.isnan(t) | (np.isnan(t.real) & np.isnan(t.imag))
            keep |= np.isfinite(special.real) | np.isfinite(special.imag)
            keep &= ~(np.isnan(t) & ((t.real == 0) | (t.imag == 0)))
            if op in ("expm1", "exp2"):
                keep &= np.isfinite(special)
            if op == "exp":
                keep &= ~np.isinf(special.real) | np.isfinite(special.imag)
            put_args(dtype, np.concatenate([z, special[keep]]))
            put(op, np.concatenate([e, t[keep]]).astype(DTYPES[dtype]), 8)
        z = (np.exp(rng.uniform(-2, 2, n)) * np.exp(1j * rng.uniform(-3.1, 3.1, n)))
        w = rng.standard_normal(n) * 2 + 1j * rng.standard_normal(n) * 2
        w[:20] = np.rint(w[:20].real)
        z, w = z.astype(DTYPES[dtype]), w.astype(DTYPES[dtype])
        e = [mpmath.power(mpmath.mpc(float(a.real), float(a.imag)),
                          mpmath.mpc(float(b.real), float(b.imag))) for a, b in zip(z, w)]
        put_args(dtype, z, w)
        put("power", np.array([complex(v) for v in e]).astype(DTYPES[dtype]), 64)


def write_complex_edges():
    """Zeros, subnormal and huge numbers, infinities and NaN in every pair of parts. The sign of
    a zero that NumPy takes from a NaN's is left out."""
    for dtype, part in (("complex64", "float32"), ("complex128", "float64")):
        least = float(np.finfo(part).smallest_subnormal)
        p = [0.0, -0.0, least, -least * 1e6, 1.5, -3, 100, -1000, INF, -INF, NAN]
        z = np.array([complex(x, y) for x in p for y in p]).astype(DTYPES[dtype])
        put_args(dtype, z)
        for op in "exp sin cos tan sinh cosh tanh".split():
            put(op, getattr(np, op)(z), 8)
        p = [0.0, -0.0, 1, -2.5, INF, -INF, NAN]
        z = np.array([complex(x, y) for x in p for y in p])
        whole = np.array([-4, -3, -2, -1, 1, 2, 3, 4, 7])
        z, w = np.meshgrid(z, np.concatenate([z, whole]))
        z, w = z.ravel().astype(DTYPES[dtype]), w.ravel().astype(DTYPES[dtype])
        t = np.power(z, w)
        keep = (t != 0) | (np.isfinite(z) & np.isfinite(w))
        put_args(dtype, z[keep], w[keep])
        put("power", t[keep], 64)


def write_ends():
    """Where results reach the ends of their dtype's range."""
    below = 10.0 ** rng.uniform(-12, -1, 40)
    # The last finite exp, gamma and gammaln, and where gamma of a negative number underflows.
    for dtype, last, low in (("float32", (88.7228317, 35.0400924, 4.08e36), (-43, -30)),
                             ("float64", (709.782712893384, 171.6243769563, 2.5563e305), (-184, -160))):
        under = rng.integers(*low, 120) + np.concatenate([rng.uniform(0.1, 0.9, 60), 10.0 ** rng.uniform(-6, -2, 60)])
        ends = {"exp": last[0] - below * 1e-3, "gamma": np.concatenate([under, last[1] - below]),
                "gammaln": last[2] * (1 - below)}
        for op, x in ends.items():
            x = x.astype(DTYPES[dtype])
            x = x[(x > 0) | (x != np.floor(x))]
            f = mpmath.loggamma if op == "gammaln" else one[op]
            put_args(dtype, x)
            put(op, rounded([f(mpmath.mpf(float(v))) for v in x], dtype), 2)
        most = float(np.finfo(dtype).max)
        x = np.concatenate([most * (1 - below * 1e-6), -np.sqrt(most) * (1 - below * 1e-6)])
        z = np.exp(rng.uniform(0.1, 5, 40))
        x = np.concatenate([x, z]).astype(DTYPES[dtype])
        y = np.concatenate([np.ones(40), np.full(40, 2), np.log(most) / np.log(z) * (1 - below * 1e-6)])
        y = y.astype(DTYPES[dtype])
        put_args(dtype, x, y)
        put("power", rounded([mpmath.power(float(a), float(b)) for a, b in zip(x, y)], dtype), 2)


write_integers()
write_floats()
write_complexes()
write_math()
write_complex_math()
write_complex_edges()
write_ends()
out.write(b"end\n")
