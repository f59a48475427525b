#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes tests/data/print.def with NumPy (2.3 or later): arrays and what print()
writes for them. The elements of an array are the given ones over and over.

  PRINT(typecode, (extents), elements in hexadecimal, text)

usage: make_print.py > print.def
"""
import numpy as np

CODES = {'bool': 'GA_BOOL', 'int8': 'GA_BYTE', 'uint8': 'GA_UBYTE', 'int16': 'GA_SHORT',
         'uint16': 'GA_USHORT', 'int32': 'GA_INT', 'uint32': 'GA_UINT', 'int64': 'GA_LONG',
         'uint64': 'GA_ULONG', 'float16': 'GA_HALF', 'float32': 'GA_FLOAT',
         'float64': 'GA_DOUBLE', 'complex64': 'GA_CFLOAT', 'complex128': 'GA_CDOUBLE'}


def text(s):
    lines = [part.replace('\\', '\\\\').replace('"', '\\"') for part in s.split('\n')]
    return '\n      '.join('"%s\\n"' % part for part in lines)


def case(dtype, shape, values):
    with np.errstate(all='ignore'):
        v = np.atleast_1d(np.array(values)).astype(dtype)
    a = np.resize(v, shape)
    dims = ', '.join(str(n) for n in shape)
    print('PRINT(%s, (%s), "%s",\n      %s)' % (CODES[dtype], dims, v.tobytes().hex(), text(str(a))))


def main():
    nan, inf = np.nan, np.inf
    print('/* SPDX-License-Identifier: MIT */')
    print('/* Made by make_print.py with NumPy %s. */' % np.__version__)
    reals = ['float16', 'float32', 'float64']
    for t in reals:
        for x in [0., -0., 1., 0.1, 999., 1e3, 65504., 999999., 1e6, 1e7, 1e15, 1e16, 1.5e17, 1e-4,
                  9.99e-5, 1e-7, 1 / 3, np.pi, nan, inf, -inf, 2**-14 * 1.5, 5e-324, 1.7e308]:
            case(t, (), x)
        case(t, (4,), [1, 2, 3, 4])
        case(t, (2, 2), [0.1, 20, 300.25, -4])
        case(t, (3,), [1, 999, 1000])
        case(t, (3,), [1, 1001, 5])
        case(t, (2,), [1e6, 1])
        case(t, (2,), [12345678., 3.5])
        case(t, (2,), [1e8, 1])
        case(t, (3,), [1e-4, 1e-4, 0])
        case(t, (3,), [1e-5, 1, -1])
        case(t, (5,), [nan, inf, -inf, 1.5, -2])
        case(t, (2,), [nan, nan])
        case(t, (3,), [inf, 1e10, -1e-10])
        case(t, (4,), [0, -0., 0, 0])
        case(t, (5,), [1 / 3, 2 / 3, 1e-3, 123.456, 9.99999999])
        case(t, (4,), [0.1, 1e10, 3e-9, 0.30000001])
        case(t, (2,), [99999999.5, 1 - 1e-9])
        case(t, (33,), [0.1, 0.25, -1, 7])
        case(t, (7, 11, 3), [1, 2.5, -3.125])
        case(t, (1025,), [1, -2.5, 1e-3])
    for t in ['complex64', 'complex128']:
        for x in [0, 1, 1j, -1j, 1 + 2j, 1.5 - 2.25j, complex(-0., 1), complex(0, -0.), complex(nan, 1),
                  complex(1, inf), complex(0, nan), complex(inf, -inf), 1e6 + 1e-5j, 1e17 + 1j]:
            case(t, (), x)
        case(t, (2, 2), [1 + 2j, -1.5 + 0.25j, 3, -4j])
        case(t, (3,), [complex(nan, inf), complex(1, -inf), 2])
        case(t, (2,), [1e10 + 1j, 1 - 1e-10j])
        case(t, (9,), [0.1 + 0.2j, -3])
        case(t, (2, 501), [1 + 1j, 2 - 0.5j])
    ints = [t for t in CODES if np.dtype(t).kind in 'iu']
    for t in ints:
        i = np.iinfo(t)
        case(t, (), i.max)
        case(t, (2, 3), np.array([i.min, 0, 1, i.max, 5, 10], dtype=t))
        case(t, (40,), [1, 2, 3])
    case('int64', (1000,), list(range(1000)))
    case('int64', (1001,), list(range(1001)))
    case('int16', (11, 13, 8), [3, -7])
    case('uint8', (2, 3, 200), [9, 10])
    case('int32', (1, 1, 1, 1), [3])
    case('int32', (7, 1, 200), [30, 4])
    case('int32', (6, 300), [30, 4])
    case('bool', (), True)
    case('bool', (), False)
    case('bool', (3,), [True, False])
    case('bool', (2, 14), [True, False, False])
    case('bool', (1200,), [True, False, False])
    for shape in [(0,), (3, 0), (0, 3), (2, 0, 5)]:
        case('float32', shape, [1])


main()
