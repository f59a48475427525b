#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes halves.txt: results of cuda_fp16.h and cuda_bf16.h, computed in fractions, so
exactly; lines as make_intrinsics.py has them. Types are also h (__half), g
(__nv_bfloat16), and H, G, the pairs of them; s t (16 bits), c b (8 bits).

    python3 make_halves.py | LC_ALL=C sort -u > halves.txt
"""
import math
import random
from fractions import Fraction

from make_intrinsics import MODES, SIGNED, WIDTH, bits as wide_bits, clamp, whole

random.seed(4)
WORD = {"h": "half", "g": "bfloat16"}
SHAPE = {"h": (11, -24, 65504.0), "g": (8, -133, float((1 << 8) - 1) * 2.0 ** 120)}
NAN, INF = math.nan, math.inf
WHOLE = {"short": ("s", 16, 1), "ushort": ("t", 16, 0), "int": ("i", 32, 1), "uint": ("u", 32, 0),
         "ll": ("l", 64, 1), "ull": ("k", 64, 0), "char": ("c", 8, 1), "uchar": ("b", 8, 0)}


def rounded(x, t, mode="rn", zero=0.0):
    """The fraction x as a number of type t; `zero` where x is 0."""
    p, least, most = SHAPE[t]
    if x == 0:
        return zero
    e = math.frexp(float(x))[1] - 1 if 2.0 ** -300 < abs(x) < 2.0 ** 300 else -1000
    e -= abs(x) < Fraction(2) ** e
    unit = Fraction(2) ** max(e - p + 1, least)
    v = whole(x / unit, mode) * unit
    if abs(v) > most:
        inward = mode == "rz" or (mode == "rd" and x > 0) or (mode == "ru" and x < 0)
        v = most if inward else INF
    return math.copysign(float(abs(v)), x)


def code(t, v):
    """A number of type t as bits."""
    if t in "HG":
        return code(t.lower(), v[0]) | code(t.lower(), v[1]) << 16
    if t not in "hg":
        return wide_bits(t, v) if t in "fdiulk" else v & ((1 << WHOLE_BITS[t]) - 1)
    if math.isnan(v):
        return 0x7fff
    p, least, most = SHAPE[t]
    sign = 0x8000 if math.copysign(1, v) < 0 else 0
    if math.isinf(v):
        return sign | ((1 << 15) - (1 << (p - 1)))
    m, e = math.frexp(abs(v))
    if v == 0 or e - p < least:
        return sign | int(abs(v) / 2.0 ** least)
    return sign | int(m * 2 ** p) + ((e - p - least) << (p - 1))


WHOLE_BITS = {t: w for t, w, _ in WHOLE.values()}


def put(name, r, args, values, result):
    print(name, r, args, *("%x" % code(t, v) for t, v in zip(args, values)), "%x" % code(r, result))


def draw(t, i=99):
    p, least, most = SHAPE[t]
    special = [0.0, -0.0, 1.0, -1.0, most, -most, 2.0 ** least, INF, -INF, NAN]
    if i < len(special):
        return special[i]
    m = random.getrandbits(p) | 1
    return random.choice([-1, 1]) * min(math.ldexp(m, random.choice(
        [least, least + 2, -p, -p, 1 - p, -p // 2, 0, -2 * p])), most)


def real(f, t, *v):
    """f of numbers, with IEEE's rules; f works on fractions."""
    if any(math.isnan(x) or math.isinf(x) for x in v):
        try:
            return f(*v) if not any(map(math.isnan, v)) else NAN
        except ZeroDivisionError:
            return NAN
    zero = f(*v) if f(*map(Fraction, v)) == 0 else 0.0
    return rounded(f(*map(Fraction, v)), t, zero=math.copysign(0.0, zero))


def sat(v):
    return 0.0 if math.isnan(v) or v <= 0 else min(v, 1.0)


def relu(v):
    return v if math.isnan(v) or v > 0 else 0.0


def extreme(a, b, sign):
    """The larger (sign 1) or smaller one; -0 is less than +0."""
    if math.isnan(a) or math.isnan(b):
        return b if math.isnan(a) else a
    return max((a, b), key=lambda v: (sign * v, sign * math.copysign(1, v)))


COMPARE = {"eq": lambda a, b: a == b, "ne": lambda a, b: a < b or a > b, "lt": lambda a, b: a < b,
           "gt": lambda a, b: a > b, "le": lambda a, b: a <= b, "ge": lambda a, b: a >= b}


def both(name, two, t, args, f, n=11):
    """A function of one and of a pair."""
    for i in range(n):
        v = [draw(t, i if k == 0 else (i * 7 + 4 * k) % 12) for k in range(args)]
        w = [draw(t) for k in range(args)]
        if random.random() < .3 and args > 1:
            w[1] = w[0]
        put(name, t, args * t, v, f(*v))
        put(two, t.upper(), args * t.upper(), list(zip(v, w)), (f(*v), f(*w)))


def arithmetic(t):
    ops = {"add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b}
    for name, op in ops.items():
        f = lambda a, b, op=op: real(op, t, a, b)
        both(f"__h{name}", f"__h{name}2", t, 2, f)
        both(f"__h{name}_rn", f"__h{name}2_rn", t, 2, f, 4)
        both(f"__h{name}_sat", f"__h{name}2_sat", t, 2, lambda a, b: sat(f(a, b)))
    fma = lambda a, b, c: real(lambda x, y, z: x * y + z, t, a, b, c)
    both("__hfma", "__hfma2", t, 3, fma, 24)
    both("__hfma_sat", "__hfma2_sat", t, 3, lambda a, b, c: sat(fma(a, b, c)))
    both("__hfma_relu", "__hfma2_relu", t, 3, lambda a, b, c: relu(fma(a, b, c)))
    for name, sign in (("max", 1), ("min", -1)):
        both(f"__h{name}", f"__h{name}2", t, 2, lambda a, b: extreme(a, b, sign))
        both(f"__h{name}_nan", f"__h{name}2_nan", t, 2,
             lambda a, b: NAN if math.isnan(a) or math.isnan(b) else extreme(a, b, sign))
    for i in range(8):
        a, b, c = ((draw(t), draw(t)) for _ in range(3))
        put("__hcmadd", t.upper(), 3 * t.upper(), (a, b, c),
            (fma(-a[1], b[1], fma(a[0], b[0], c[0])), fma(a[1], b[0], fma(a[0], b[1], c[1]))))


def comparisons(t, n=11):
    T = t.upper()
    for i in range(n):
        a, b = (draw(t, i), draw(t)), (draw(t, (i * 3 + 1) % 10), draw(t))
        if i % 3 == 0:
            b = (b[0], a[1])
        unordered = [math.isnan(x) or math.isnan(y) for x, y in zip(a, b)]
        for name, f in COMPARE.items():
            for u in ("", "u"):
                r = [int(f(x, y) or (u == "u" and o)) for x, y, o in zip(a, b, unordered)]
                put(f"__h{name}{u}", "b", t + t, (a[0], b[0]), r[0])
                put(f"__h{name}{u}2", T, T + T, (a, b), (float(r[0]), float(r[1])))
                put(f"__h{name}{u}2_mask", "u", T + T, (a, b), r[0] * 0xffff | r[1] * 0xffff0000)
                put(f"__hb{name}{u}2", "b", T + T, (a, b), r[0] & r[1])


def conversions(t, n=16):
    p, least, most = SHAPE[t]
    word = WORD[t]
    for mode in MODES:
        for i in range(n):
            h = draw(t, i)
            step = float(Fraction(2) ** max(math.frexp(h if math.isfinite(h) else 1.0)[1] - p, least))
            v = h + step * random.choice([0, .5, .25, .75]) if math.isfinite(h) else h
            special = math.isnan(v) or math.isinf(v)
            put(f"__float2{word}_{mode}", t, "f", (v,), v if special else rounded(Fraction(v), t, mode, v))
            for other, (r, w, signed) in WHOLE.items():
                x = random.getrandbits(w) >> random.choice([0, 0, 0, w // 2])
                x = (1 << w - signed) - 1 if i == 0 else (3 << w - 3) + random.choice([-1, 0, 1]) if i < 3 else x
                s = x - (x >> (w - 1) << w) if signed else x
                if w > 8:
                    put(f"__{other}2{word}_{mode}", t, r, (s,), rounded(Fraction(s), t, mode))
                if w == 8 and mode != "rz":
                    continue
                d = draw(t, i)
                nan = 1 << 63 if w == 64 else 0
                got = nan if math.isnan(d) else \
                    clamp(whole(Fraction(d), mode) if math.isfinite(d) else int(math.copysign(1 << 70, d)), w, signed)
                put(f"__{word}2{other}_{mode}", r, t, (d,), got)


if __name__ == "__main__":
    for t in "hg":
        arithmetic(t)
        comparisons(t)
        conversions(t)
