# SPDX-License-Identifier: MIT
"""Writes weak.txt: Python's own arithmetic on Python's own numbers. One line is
`text | k | x | value`: k and x are an int and a float bound to those names; the
value is `i <decimal>`, `f <hex>`, `c <hex> <hex>`, `b 0|1` or `error`. Texts whose
type depends on a value bound at the call (k**-1) and integers beyond 64 bits,
which no dtype holds, are left out."""
import random

random.seed(7)
INTS = ["0", "1", "2", "3", "7", "10", "12", "255", "1_000", "0x1f", "0b101", "0o17", "2147483648",
        "9007199254740993", "True", "False"]
FLOATS = ["0.0", "0.5", "1.5", "2.5e-3", "1e300", "3.", ".25", "1e-320", "0.1", "123456789.125"]
COMPLEX = ["2j", "1.5j", "0j"]
BINARY = ["+", "-", "*", "/", "//", "%", "**", "&", "|", "^", "<<", ">>", "<", "<=", "==", "!=", ">", ">="]


def term(depth, names, kinds):
    r = random.random()
    if depth == 0 or r < 0.2:
        return random.choice(names if names and random.random() < 0.5 else kinds)
    if r < 0.35:
        return f"{random.choice('-+~')}{term(depth - 1, names, kinds)}"
    op = random.choice(BINARY)
    if op == "<<":
        return f"({term(depth - 1, names, kinds)} << {random.choice([0, 1, 5, -1])})"
    if op == "**":
        return f"({term(depth - 1, names, kinds)}){op}{random.choice(['2', '3', '-1', '0.5', '0', '-2'])}"
    left, right = term(depth - 1, names, kinds), term(depth - 1, names, kinds)
    return random.choice([f"({left} {op} {right})", f"({left}){op}({right})", f"{left} {op} {right}"])


def show(v):
    if isinstance(v, bool):
        return f"b {int(v)}"
    if isinstance(v, int):
        return f"i {v}" if -2**63 <= v < 2**63 else None
    if isinstance(v, float):
        return f"f {v.hex()}"
    return f"c {v.real.hex()} {v.imag.hex()}"


def chained(text):
    import ast
    return any(isinstance(n, ast.Compare) and len(n.ops) > 1 for n in ast.walk(ast.parse(text, mode="eval")))


def value(text, k, x):
    import warnings
    warnings.simplefilter("ignore")
    try:
        return show(eval(text, {"__builtins__": {}}, {"k": k, "x": x}))
    except (TypeError, ValueError, ZeroDivisionError, OverflowError):
        return "error"


lines = []
while len(lines) < 1500:
    kinds = random.choice([INTS, INTS + FLOATS, INTS + FLOATS, INTS + FLOATS + COMPLEX])
    names = random.choice([[], [], ["k"], ["k", "x"]])
    text = term(random.randint(1, 4), names, kinds)
    k, x = random.choice([3, -7, 0, 1, 2**40]), random.choice([0.5, -2.25, 1e10, 0.0])
    if chained(text) or len(text) > 90 or (names and "**" in text):
        continue
    v = value(text, k, x)
    if v is None or "**" in text and v[0] == "c":
        continue
    if v == "error" and random.random() < 0.7:
        continue
    lines.append(f"{text} | {k} | {x!r} | {v}")
# spellings of numbers that must be rounded once, and correctly
for text in ["0.1", "1e23", "9007199254740993.0", "2.2250738585072011e-308", "4.9e-324", "2.4e-324", "1e400",
             "179769313486231580793728971405301e276", "0.500000000000000166533453693773481063544750213623046875",
             "3.14159265358979323846264338327950288", "1_0.0_1", "1e+5", "1E-5", "5e-1j", "00", "0.0", "-0.0"]:
    lines.append(f"{text} | 0 | 0.0 | {value(text, 0, 0.0)}")
open("weak.txt", "w").write("\n".join(lines) + "\n")
