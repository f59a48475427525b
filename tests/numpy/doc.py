#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Fills the ```numpy blocks of a document with what NumPy prints for each line
">>> TEXT", and "# ?" with the dtype and shape; errors with what the library says.
Lines with bfloat16 and those below "Where NumPy is not followed" stay as they
are. tests/check_language.c compares.

    doc.py LIBRARY DOCUMENT...
"""
import sys
import warnings

import numpy as np
from ga import Error, Library, dtype

warnings.simplefilter("ignore")
np.seterr(all="ignore")
NAMES = {
    "a": np.arange(6, dtype="float32").reshape(2, 3), "v": np.array([10, 20, 30], "int32"),
    "s": np.array([100, 27, -128], "int8"), "u": np.array([0, 1, 255], "uint8"),
    "z": np.array([3 + 4j, -1], "complex64"), "h": np.array([1, 2048, 65504], "float16"),
    "f": np.array([-2.5, 0.5, 1.5]), "k": 3, "x": 0.5, "w": np.float64(2)}
SPACE = {n: getattr(np, n) for n in dir(np) if not n.startswith("_")}
SPACE.update({n: getattr(np, n) for n in "abs all any bool max min round sum".split()})


def numpys(text):
    names = dict(SPACE, **NAMES, int=np.int64, float=np.float64, complex=np.complex128)
    *before, last = text.split("#")[0].split(";")
    try:
        for t in before:
            exec(t.strip(), names)
        return np.asarray(eval(last.strip(), names))
    except Exception:
        return None


def entry(lib, line):
    text = line[4:]
    note = None
    if " # " in text:
        text, note = text.split(" # ")
        text = text.rstrip()
    r = numpys(text)
    try:
        ours = lib.eval(text, NAMES)
        shown = str(ours) if r is None else str(r)
        t = ours if r is None else r
    except Error as e:
        message = str(e)
        for cut in ("; with a float32", "; known: a float32"):
            message = message.split(cut)[0]
        return [">>> " + text, *message.split("\n")]
    if note is not None:
        text += f" # {t.dtype}({','.join(map(str, t.shape))})"
    return [">>> " + text, *shown.split("\n")]


def fill(lib, text):
    out, inside, skip = [], False, False
    for i, line in enumerate(text):
        if line.startswith("## Where NumPy is not"):
            return out + text[i:]
        if line.startswith("```"):
            inside = line == "```numpy"
            skip = False
        prompt = inside and line.startswith(">>> ")
        if prompt:
            skip = "bfloat16" not in line
        if prompt and skip:
            out += entry(lib, line)
        elif not skip:
            out.append(line)
    return out


def main():
    lib = Library(sys.argv[1])
    for path in sys.argv[2:]:
        text = open(path).read().split("\n")
        open(path, "w").write("\n".join(fill(lib, text)))


if __name__ == "__main__":
    main()
