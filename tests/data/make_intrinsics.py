#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes intrinsics.txt: results of CUDA's intrinsics, computed in whole numbers
and fractions, so exactly. A line: name, result type, operand types, operands, result;
types are f d (floating), i u (32 bits), l k (64 bits), numbers are bits in hex.

    python3 make_intrinsics.py | LC_ALL=C sort -u > intrinsics.txt
"""
import math
import random
import struct
from fractions import Fraction

random.seed(3)
MODES = ("rn", "rz", "ru", "rd")
FORMAT = {"f": (24, -149, "<f", "<I"), "d": (53, -1074, "<d", "<Q")}
WIDTH = {"i": 32, "u": 32, "l": 64, "k": 64}
SIGNED = "il"


def bits(t, x):
    if t in FORMAT:
        return struct.unpack(FORMAT[t][3], struct.pack(FORMAT[t][2], x))[0]
    return x & ((1 << WIDTH[t]) - 1)


def number(t, b):
    return struct.unpack(FORMAT[t][2], struct.pack(FORMAT[t][3], b))[0]


def whole(x, mode):
    """x to a whole number."""
    f = math.floor(x)
    if x == f:
        return f
    if mode == "rd" or (mode == "rz" and x > 0):
        return f
    if mode == "ru" or mode == "rz":
        return f + 1
    twice = 2 * (x - f)
    return f + (twice > 1 or (twice == 1 and f % 2 == 1))


def rounded(x, t, mode, zero=0.0):
    """The fraction x as a number of type t; `zero` where x is 0."""
    p, least, _, _ = FORMAT[t]
    if x == 0:
        return zero
    e = abs(x).numerator.bit_length() - abs(x).denominator.bit_length()
    if abs(x) < Fraction(2) ** e:
        e -= 1
    unit = max(e - p + 1, least)
    n = whole(x / Fraction(2) ** unit, mode)
    top = (1 << p) << (971 if t == "d" else 104)
    v = n * Fraction(2) ** unit
    if abs(v) >= top:
        largest = float((top - (top >> p)))
        if mode == "rz" or (mode == "rd" and x > 0) or (mode == "ru" and x < 0):
            return math.copysign(largest, -1 if x < 0 else 1)
        return math.copysign(math.inf, -1 if x < 0 else 1)
    return math.copysign(float(v), -1 if x < 0 else 1)


def root(x, t, mode, inverse=False):
    """sqrt(x), or 1/sqrt(x), of a positive fraction: exact up to a sticky bit."""
    if inverse:
        x = 1 / x
    shift = 160 + (abs(x.numerator.bit_length() - x.denominator.bit_length()) // 2 + 1)
    scaled = x * Fraction(4) ** shift
    r = math.isqrt(scaled.numerator // scaled.denominator)
    exact = Fraction(r) ** 2 == scaled
    v = Fraction(2 * r + (0 if exact else 1)) / 2 / Fraction(2) ** shift
    return rounded(v, t, mode)


SPECIAL = {"f": [0.0, -0.0, 1.0, -1.5, 2.0 ** -149, -2.0 ** -126, 3.4028234663852886e38, 16777216.0],
           "d": [0.0, -0.0, 1.0, -1.5, 5e-324, -2.0 ** -1022, 1.7976931348623157e308, 2.0 ** 53]}


def draw(t, i):
    if i < 8:
        return SPECIAL[t][i]
    p, _, _, _ = FORMAT[t]
    m = random.getrandbits(p) | 1 << (p - 1)
    e = random.choice([0, 0, 0, 1, -1, p // 2, p, -p, 60 if t == "f" else 500, -60 if t == "f" else -500])
    return random.choice([-1, 1]) * math.ldexp(m, e - p)


def put(name, r, args, values, result):
    print(name, r, args, *("%x" % bits(t, v) for t, v in zip(args, values)), "%x" % bits(r, result))


def arithmetic(t, p, n=26):
    fma = "__fmaf" if t == "f" else "__fma"
    for mode in MODES:
        minus = -0.0 if mode == "rd" else 0.0
        for i in range(n):
            a, b, c = draw(t, i), draw(t, (i * 5 + 3) % 8 if i < 8 else i), draw(t, i + 8)
            x, y, z = Fraction(a), Fraction(b), Fraction(c)
            sum_zero = a + b if a == 0 and b == 0 and math.copysign(1, a) == math.copysign(1, b) else minus
            put(f"__{p}add_{mode}", t, t + t, (a, b), rounded(x + y, t, mode, sum_zero))
            sum_zero = a if a == 0 and b == 0 and math.copysign(1, a) != math.copysign(1, b) else minus
            put(f"__{p}sub_{mode}", t, t + t, (a, b), rounded(x - y, t, mode, sum_zero))
            sign = math.copysign(1, a) * math.copysign(1, b)
            put(f"__{p}mul_{mode}", t, t + t, (a, b), rounded(x * y, t, mode, 0.0 * sign))
            if x != 0 and y != 0:
                put(f"{fma}_{mode}", t, 3 * t, (a, b, c), rounded(x * y + z, t, mode, minus))
                near = rounded(-x * y, t, "rn")
                if math.isfinite(near):
                    put(f"{fma}_{mode}", t, 3 * t, (a, b, near),
                        rounded(x * y + Fraction(near), t, mode, minus))
            if y != 0:
                put(f"__{p}div_{mode}", t, t + t, (a, b), rounded(x / y, t, mode, 0.0 * sign))
                put(f"__{p}rcp_{mode}", t, t, (b,), rounded(1 / y, t, mode))
            if x != 0:
                put(f"__{p}sqrt_{mode}", t, t, (abs(a),), root(abs(x), t, mode))


def conversions(n=20):
    for mode in MODES:
        for i in range(n):
            d = draw("d", i) if i % 3 else math.ldexp(random.getrandbits(30) - 2 ** 29, -25) * 2.0 ** random.randint(-130, -110)
            put(f"__double2float_{mode}", "f", "d", (d,), rounded(Fraction(d), "f", mode, d))
            for t, word in (("f", "float"), ("d", "double")):
                for r, other in (("i", "int"), ("u", "uint"), ("l", "ll"), ("k", "ull")):
                    w = WIDTH[r]
                    v = math.ldexp(random.getrandbits(w - 2), random.choice([0, -w // 2, -w + 4, -w + 2]))
                    v = [0.5, 1.5, 2.5, 0.0][i] if i < 4 else rounded(Fraction(v), t, "rz")
                    if r in SIGNED and i % 2:
                        v = -v
                    put(f"__{word}2{other}_{mode}", r, t, (v,), whole(Fraction(v), mode))
                    x = random.getrandbits(random.choice([w, w, w, w // 2]))
                    x = [0, 1, (1 << w) - 1, 1 << (w - 1)][i] if i < 4 else x
                    s = x - (1 << w) if r in SIGNED and x >> (w - 1) else x
                    if not (t == "d" and w == 32 and mode != "rn"):
                        put(f"__{other}2{word}_{mode}", t, r, (x,), rounded(Fraction(s), t, mode))


def reciprocal_roots():
    cases = [number("f", random.getrandbits(23) | random.randint(1, 253) << 23) for _ in range(60)]
    # those whose results lie next to the middle of two numbers
    close = []
    for i in range(200000):
        x = Fraction(random.getrandbits(23) | 1 << 23) * random.choice([1, 2])
        r = root(x, "d", "rn", True)
        m = Fraction(r) / Fraction(2) ** (math.frexp(r)[1] - 25)
        close.append((abs(m - whole(m, "rd") - 0 if whole(m, "rd") % 2 else Fraction(1, 2)), float(x)))
    close.sort()
    for x in cases + [c[1] for c in close[:60]]:
        put("__frsqrt_rn", "f", "f", (x,), root(Fraction(x), "f", "rn", True))


# ---- whole numbers -------------------------------------------------------------------

def word(i=9):
    return [0, 0xffffffff, 0x80000000, 0x7fffffff, 0x80008000, 0x7f80807f][i] if i < 6 else \
        random.getrandbits(32) & random.choice([0xffffffff, 0xffffffff, 0x0f0f0f0f, 0xff00ff])


def split(x, w, signed):
    parts = [x >> i & ((1 << w) - 1) for i in range(0, 32, w)]
    return [p - (1 << w) if signed and p >> (w - 1) else p for p in parts]


def join(parts, w):
    return sum((p & ((1 << w) - 1)) << (w * i) for i, p in enumerate(parts))


def clamp(v, w, signed):
    low = -(1 << (w - 1)) if signed else 0
    return min(max(v, low), low + (1 << w) - 1)


COMPARE = {"eq": lambda a, b: a == b, "ne": lambda a, b: a != b, "ge": lambda a, b: a >= b,
           "gt": lambda a, b: a > b, "le": lambda a, b: a <= b, "lt": lambda a, b: a < b}


def simd(n=9):
    two = {"add": (0, lambda a, b, w: a + b), "sub": (0, lambda a, b, w: a - b),
           "addss": (1, lambda a, b, w: clamp(a + b, w, 1)), "addus": (0, lambda a, b, w: clamp(a + b, w, 0)),
           "subss": (1, lambda a, b, w: clamp(a - b, w, 1)), "subus": (0, lambda a, b, w: clamp(a - b, w, 0)),
           "avgs": (1, lambda a, b, w: (a + b + (a + b >= 0)) // 2), "avgu": (0, lambda a, b, w: (a + b + 1) // 2),
           "haddu": (0, lambda a, b, w: (a + b) // 2),
           "absdiffs": (1, lambda a, b, w: abs(a - b)), "absdiffu": (0, lambda a, b, w: abs(a - b)),
           "maxs": (1, lambda a, b, w: max(a, b)), "maxu": (0, lambda a, b, w: max(a, b)),
           "mins": (1, lambda a, b, w: min(a, b)), "minu": (0, lambda a, b, w: min(a, b))}
    for c, f in COMPARE.items():
        for s in ("",) if c in ("eq", "ne") else ("s", "u"):
            two["cmp" + c + s] = (s == "s", lambda a, b, w, f=f: -f(a, b))
            two["set" + c + s] = (s == "s", lambda a, b, w, f=f: f(a, b))
    one = {"neg": lambda a, w: -a, "negss": lambda a, w: clamp(-a, w, 1),
           "abs": lambda a, w: abs(a), "absss": lambda a, w: clamp(abs(a), w, 1)}
    for lanes, w in ((2, 16), (4, 8)):
        for name, (signed, f) in two.items():
            for i in range(n):
                x, y = word(i), word((i * 7 + 1) % 6 if i < 6 else 9)
                r = [f(a, b, w) for a, b in zip(split(x, w, signed), split(y, w, signed))]
                put(f"__v{name}{lanes}", "u", "uu", (x, y), join(r, w))
        for name, f in one.items():
            for i in range(n):
                x = word(i)
                put(f"__v{name}{lanes}", "u", "u", (x,), join([f(a, w) for a in split(x, w, 1)], w))
        for name, signed in (("sads", 1), ("sadu", 0)):
            for i in range(n):
                x, y = word(i), word()
                put(f"__v{name}{lanes}", "u", "uu", (x, y),
                    sum(abs(a - b) for a, b in zip(split(x, w, signed), split(y, w, signed))))


def extremes(n=9):
    for m, f in (("max", max), ("min", min)):
        for kind, w, signed, t in (("s32", 32, 1, "i"), ("u32", 32, 0, "u"), ("s16x2", 16, 1, "u"),
                                   ("u16x2", 16, 0, "u")):
            for relu in (("", "_relu") if signed else ("",)):
                g = (lambda v: max(v, 0)) if relu else (lambda v: v)
                for i in range(n):
                    x, y, z = word(i), word(), word(i + 2)
                    lanes = list(zip(*(split(v, w, signed) for v in (x, y, z))))
                    put(f"__vi{m}3_{kind}{relu}", t, 3 * t, (x, y, z),
                        join([g(f(a, b, c)) for a, b, c in lanes], w))
                    sums = [split((a + b) & ((1 << w) - 1), w, signed)[0] for a, b, c in lanes]
                    put(f"__viadd{m}_{kind}{relu}", t, 3 * t, (x, y, z),
                        join([g(f(s, c)) for s, (a, b, c) in zip(sums, lanes)], w))
                    if relu:
                        put(f"__vi{m}_{kind}_relu", t, 2 * t, (x, y), join([g(f(a, b)) for a, b, c in lanes], w))


def whole_numbers(n=12):
    s32 = lambda x: split(x, 32, 1)[0]
    for i in range(n):
        x, y, z = word(i), word(i + 1), word()
        X, Y = random.getrandbits(64), random.getrandbits(64) >> random.choice([0, 0, 33])
        sX, sY = X - (X >> 63 << 64), Y - (Y >> 63 << 64)
        k = random.randint(0, 70)
        put("__clz", "i", "i", (x,), 32 - x.bit_length())
        put("__clzll", "i", "l", (Y,), 64 - Y.bit_length())
        put("__popc", "i", "u", (x,), bin(x).count("1"))
        put("__popcll", "i", "k", (X,), bin(X).count("1"))
        put("__ffs", "i", "i", (x,), (x & -x).bit_length())
        put("__ffsll", "i", "l", (X << 20 & (2 ** 64 - 1),), ((X << 20) & -(X << 20) & (2 ** 64 - 1)).bit_length())
        put("__brev", "u", "u", (x,), int(f"{x:032b}"[::-1], 2))
        put("__brevll", "k", "k", (X,), int(f"{X:064b}"[::-1], 2))
        pool = split(x, 8, 0) + split(y, 8, 0)
        put("__byte_perm", "u", "uuu", (x, y, z & 0x7777), join([pool[z >> 4 * j & 7] for j in range(4)], 8))
        wide = y << 32 | x
        put("__funnelshift_l", "u", "uuu", (x, y, k), (wide << (k & 31)) >> 32)
        put("__funnelshift_r", "u", "uuu", (x, y, k), wide >> (k & 31))
        put("__funnelshift_lc", "u", "uuu", (x, y, k), (wide << min(k, 32)) >> 32)
        put("__funnelshift_rc", "u", "uuu", (x, y, k), wide >> min(k, 32))
        put("__mulhi", "i", "ii", (x, y), s32(x) * s32(y) >> 32)
        put("__umulhi", "u", "uu", (x, y), x * y >> 32)
        put("__mul64hi", "l", "ll", (X, Y), sX * sY >> 64)
        put("__umul64hi", "k", "kk", (X, Y), X * Y >> 64)
        m24 = lambda v: (v & 0xffffff) - ((v >> 23 & 1) << 24)
        put("__mul24", "i", "ii", (x, y), m24(x) * m24(y))
        put("__umul24", "u", "uu", (x, y), (x & 0xffffff) * (y & 0xffffff))
        put("__sad", "u", "iiu", (x, y, z), abs(s32(x) - s32(y)) + z)
        put("__usad", "u", "uuu", (x, y, z), abs(x - y) + z)
        put("__hadd", "i", "ii", (x, y), s32(x) + s32(y) >> 1)
        put("__rhadd", "i", "ii", (x, y), s32(x) + s32(y) + 1 >> 1)
        put("__uhadd", "u", "uu", (x, y), x + y >> 1)
        put("__urhadd", "u", "uu", (x, y), x + y + 1 >> 1)
        for t, s in (("i", 1), ("u", 0)):
            a16, b8 = split(x, 16, s), split(y, 8, s)
            put("__dp4a", t, 3 * t, (x, y, z), sum(a * b for a, b in zip(split(x, 8, s), b8)) + z)
            put("__dp2a_lo", t, 3 * t, (x, y, z), a16[0] * b8[0] + a16[1] * b8[1] + z)
            put("__dp2a_hi", t, 3 * t, (x, y, z), a16[0] * b8[2] + a16[1] * b8[3] + z)
        base, nth = random.randint(0, 31), random.randint(-4, 4)
        places = [j for j in (range(base, 32) if nth > 0 else range(base, -1, -1)) if x >> j & 1]
        found = (base if x >> base & 1 else -1) if nth == 0 else \
            places[abs(nth) - 1] if len(places) >= abs(nth) else -1
        put("__fns", "u", "uui", (x, base, nth), found)


if __name__ == "__main__":
    arithmetic("f", "f")
    arithmetic("d", "d")
    conversions()
    reciprocal_roots()
    simd()
    extremes()
    whole_numbers()
