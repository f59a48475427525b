#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes tests/data/npy with NumPy: one file for each dtype, byte order, memory
order, shape and version that check_npy reads back. Element i in C order has the
value that check_npy.c computes: value(i) below.

usage: make_npy.py DIRECTORY
"""
import sys
from pathlib import Path

import numpy as np
from numpy.lib import format as npy

KINDS = ['b1', 'i1', 'u1', 'i2', 'u2', 'i4', 'u4', 'i8', 'u8', 'f2', 'f4', 'f8', 'c8', 'c16']


def value(i, kind):
    if kind == 'b':
        return i % 3 == 0
    if kind == 'i':
        return 7 * i - 50
    if kind == 'u':
        return 7 * i
    if kind == 'f':
        return 0.375 * i - 1.5
    return complex(0.375 * i - 1.5, i)


def array(shape, dtype, order='C'):
    n = int(np.prod(shape, dtype=int))
    a = np.array([value(i, np.dtype(dtype).kind) for i in range(n)], dtype=dtype)
    return np.array(a.reshape(shape), order=order)


def write(path, a, version=(1, 0)):
    with open(path, 'wb') as f:
        npy.write_array(f, a, version=version)


def main():
    out = Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    for kind in KINDS:
        for order, sign in (('le', '<'), ('be', '>')):
            write(out / f'{kind}_{order}.npy', array((3, 5), sign + kind))
    for name, shape in (('0d', ()), ('1d', (7,)), ('4d', (2, 1, 3, 2)), ('empty', (3, 0, 2))):
        write(out / f'shape_{name}.npy', array(shape, '<f4'))
    write(out / 'fortran.npy', array((3, 5), '<f4', 'F'))
    write(out / 'fortran_be.npy', array((2, 3, 4), '>c16', 'F'))
    write(out / 'version2.npy', array((3, 5), '<f4'), (2, 0))
    write(out / 'version3.npy', array((3, 5), '<f4'), (3, 0))
    write(out / 'no_longdouble.npy', array((2,), np.longdouble))
    write(out / 'no_string.npy', np.array(['ab', 'c']))
    write(out / 'no_record.npy', np.zeros(2, dtype=[('x', '<f4'), ('y', '<i4')]))
    write(out / 'no_date.npy', np.zeros(2, dtype='<M8[s]'))


main()
