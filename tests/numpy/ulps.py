# SPDX-License-Identifier: MIT
"""How far the transcendental functions are from the truth, in units in the last
place: the table of doc/ulps.md.

    ulps.py run LIB DEVICE OUT.npz    computes (needs numpy, ml_dtypes)
    ulps.py judge OUT.npz...          compares with mpmath, prints the table (needs mpmath)

Two steps, so that a device can be measured on a machine without mpmath. Arguments
are made anew by both from one seed.
"""
import sys
import os

import ml_dtypes
import numpy as np

np.seterr(all="ignore")
N = int(os.environ.get("N", "4000"))
REALS = ["float16", "bfloat16", "float32", "float64"]
MOST = {"float16": 6e4, "bfloat16": 1e38, "float32": 1e38, "float64": 1e307}
DIGITS = {"float16": (11, -24, 16), "bfloat16": (8, -133, 128), "float32": (24, -149, 128),
          "float64": (53, -1074, 1024)}
ONE = ("cbrt exp exp2 expm1 log log2 log10 log1p sin cos tan arcsin arccos arctan sinh cosh tanh "
       "arcsinh arccosh arctanh erf erfc gamma gammaln").split()
TWO = "power arctan2 hypot logaddexp logaddexp2".split()
COMPLEX_ONE = ("exp exp2 expm1 log log2 log10 log1p sin cos tan arcsin arccos arctan sinh cosh tanh "
               "arcsinh arccosh arctanh sqrt square reciprocal absolute").split()
COMPLEX_TWO = "multiply divide power".split()


def dtype(name):
    return np.dtype(ml_dtypes.bfloat16) if name == "bfloat16" else np.dtype(name)


def arguments(op, name):
    """The arguments on which `op` of dtype `name` is judged."""
    rng = np.random.default_rng([ord(c) for c in op + name])
    if name.startswith("complex"):
        n = N // 4
        z = np.exp(rng.uniform(-4, 3, n)) * np.exp(1j * rng.uniform(-np.pi, np.pi, n))
        if op in COMPLEX_TWO:
            w = (rng.standard_normal(n) + 1j * rng.standard_normal(n)) * 2
            return [z.astype(name), w.astype(name)]
        near = 1 + 1e-3 * (rng.standard_normal(n // 4) + 1j * rng.standard_normal(n // 4))
        return [np.concatenate([z, near, 1j * near]).astype(name)]
    ex = np.log(MOST[name])
    both = rng.choice([-1, 1], N)
    tiny = np.exp(rng.uniform(-ex, 0, N)) * both
    huge = np.exp(rng.uniform(0, ex, N))
    unit = rng.uniform(-1, 1, N)
    wide = rng.uniform(-ex, ex, N)
    turn = [rng.uniform(-50, 50, N), huge]
    if op in TWO:
        top = min(ex, 300) * 0.45
        x = np.exp(rng.uniform(-top, top, N))
        if op == "power":
            y = rng.uniform(-1, 1, N) * 2 * top / np.maximum(abs(np.log(x)), 0.1)
        elif op.startswith("log"):
            x = rng.uniform(3, 60, N)
            y = x + rng.standard_normal(N) * 5
        else:
            x = x * both
            y = x * np.exp(rng.standard_normal(N) * 2) * rng.choice([-1, 1], N)
        return [x.astype(dtype(name)), y.astype(dtype(name))]
    more = {
        "exp": [wide], "exp2": [wide * 1.44], "expm1": [wide], "sinh": [wide], "cosh": [wide],
        "tanh": [rng.uniform(-20, 20, N)], "sin": turn, "cos": turn, "tan": turn, "arctan": [huge],
        "arcsinh": [huge], "cbrt": [huge], "arcsin": [unit], "arccos": [unit], "arctanh": [unit],
        "log1p": [unit, huge], "erf": [rng.uniform(-5, 5, N)], "erfc": [rng.uniform(-5, 9, N)],
        "gamma": [rng.uniform(-8, 34, N)], "gammaln": [rng.uniform(3, 100, N), huge ** 0.9],
    }
    if op in ("log", "log2", "log10"):
        parts = [abs(tiny), huge, 1 + unit / 100]
    elif op == "arccosh":
        parts = [1 + abs(tiny), huge]
    elif op == "gammaln":
        parts = more[op]
    else:
        parts = [tiny] + more[op]
    return [np.concatenate(parts).astype(dtype(name))]


def subjects():
    for name in REALS:
        for op in ONE + TWO:
            yield op, name
    for name in ("complex64", "complex128"):
        for op in COMPLEX_ONE + COMPLEX_TWO:
            yield op, name


def run(path, device, out):
    from ga import Library
    lib = Library(path, device)
    results = {}
    for op, name in subjects():
        a = arguments(op, name)
        text = "%s(%s)" % (op, ", ".join("ab"[:len(a)]))
        r = lib.eval(text, dict(zip("ab", a)))
        results[op + "." + name] = r.view(np.uint16) if name == "bfloat16" else r
    np.savez_compressed(out, device=device, **results)


def truths():
    import mpmath as m
    m.mp.prec = 1200
    f = {op: getattr(m, {"arcsin": "asin", "arccos": "acos", "arctan": "atan", "arcsinh": "asinh",
                         "arccosh": "acosh", "arctanh": "atanh", "arctan2": "atan2",
                         "absolute": "fabs"}.get(op, op), None) for op in ONE + TWO + COMPLEX_ONE}
    f.update(cbrt=lambda x: m.cbrt(x) if x >= 0 else -m.cbrt(-x), exp2=lambda x: m.exp(x * m.log(2)),
             log2=lambda x: m.log(x) / m.log(2), log10=lambda x: m.log(x) / m.log(10),
             gammaln=lambda x: m.log(abs(m.gamma(x))) if x < 200 else m.loggamma(x),
             logaddexp=lambda a, b: m.log(m.exp(a) + m.exp(b)),
             logaddexp2=lambda a, b: m.log(m.power(2, a) + m.power(2, b), 2),
             square=lambda z: z * z, reciprocal=lambda z: 1 / z, multiply=lambda a, b: a * b,
             divide=lambda a, b: a / b)
    return f


def unit(m, x, name):
    digits, least, _ = DIGITS[name]
    return m.mpf(2) ** (max(int(m.floor(m.log(abs(x), 2))) - digits + 1, least) if x else least)


def error(m, got, want, name):
    """In units of the larger part's last place (reals: of the number's)."""
    part = {"complex64": "float32", "complex128": "float64"}.get(name, name)
    top = m.mpf(2) ** DIGITS[part][2] * (1 - m.mpf(2) ** -(DIGITS[part][0] + 1))
    g = complex(got)
    if not (np.isfinite(g.real) and np.isfinite(g.imag)):
        return 0 if abs(want) >= top * m.mpf("0.99") else np.inf
    return float(abs(m.mpc(g.real, g.imag) - want) / unit(m, abs(want), part))


def worst(op, name, r, f):
    import mpmath as m
    if name == "bfloat16":
        r = r.view(ml_dtypes.bfloat16)
    w = 0.0
    for args in zip(*arguments(op, name), r):
        *x, got = args
        if not all(np.isfinite(complex(v)) for v in x):
            continue
        x = [m.mpc(complex(v)) if name.startswith("c") else m.mpf(float(v)) for v in x]
        try:
            want = f[op](*x)
        except (ValueError, ZeroDivisionError):
            continue
        if m.isfinite(want):
            w = max(w, error(m, got, want, name))
    return w


def judge(paths):
    f = truths()
    for path in paths:
        z = np.load(path)
        print("### %s\n" % z["device"])
        for names, ops in ((REALS, ONE + TWO), (["complex64", "complex128"], COMPLEX_ONE + COMPLEX_TWO)):
            print("| function | %s |\n|---|%s" % (" | ".join(names), "---|" * len(names)))
            for op in ops:
                cells = ["%.2f" % worst(op, n, z[op + "." + n], f) for n in names]
                print("| `%s` | %s |" % (op, " | ".join(cells)), flush=True)
            print()


if __name__ == "__main__":
    if len(sys.argv) == 5 and sys.argv[1] == "run":
        run(*sys.argv[2:])
    elif len(sys.argv) > 2 and sys.argv[1] == "judge":
        judge(sys.argv[2:])
    else:
        sys.exit(__doc__)
