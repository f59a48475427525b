#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes tests/data/slice.def with NumPy: index texts and what they take from an
array whose element i, in C order, is i.

  SLICE(text, (extents), (extents of the result), (its elements in C order))
  REFUSED(text, (extents))

usage: make_slice.py > slice.def
"""
import itertools
import random

import numpy as np

newaxis = np.newaxis


def row(numbers):
    return '(%s)' % ', '.join(str(n) for n in numbers)


def case(shape, spec):
    a = np.arange(np.prod(shape, dtype=int)).reshape(shape)
    try:
        r = eval('a[%s]' % spec) if spec else a
    except (IndexError, ValueError, SyntaxError, TypeError, NameError):
        print('REFUSED("%s", %s)' % (spec, row(shape)))
        return
    r = np.asarray(r)
    print('SLICE("%s", %s, %s, %s)' % (spec, row(shape), row(r.shape), row(r.ravel())))


def main():
    print('/* SPDX-License-Identifier: MIT */')
    print('/* Made by make_slice.py with NumPy %s. */' % np.__version__)
    shape = (4, 5, 3)
    for spec in ['', ':', '...', '::2', '1', '-1', '-4', '4', '-5', '1:3', '::-1', 'None', 'newaxis',
                 '..., 0', '0, ...', '0, ..., 0', '1, 2, 0', '1, 2, 0, ...', '..., 1, 2, 0', '1, 2, 3',
                 '1, 2, 0, 0', '..., ...', '::2, -1, None, ...', 'None, ..., None', ':, None, :, 1',
                 '::0', '1:, ::-1, 2', '3:1', '3:1:-1', '-1:-9:-1', '2:99', '-99:2', '99:', ':-99',
                 '::99', '::-99', '5::-2', '99::-1', '-99::-1', ':0:-1', '1:1', ' 1 , : , 0 ', '1,', ',',
                 ',1', '1,,2', '1 2', ':::', '1:2:3:4', '1.5', 'x', '--1', '+1', '- 1', '1:None',
                 'None:2', 'None:None:None', 'None::2', '::None', '-1:', ':-1', '....', '.', '1:2 3',
                 '99999999999999999999', '-99999999999999999999:99999999999999999999',
                 '::99999999999999999999', '::-99999999999999999999', '0:9:9223372036854775807', 'None, None, 0',
                 '0, None, 0, None, 0', ';', '1;', 'None1', 'Nonesuch', ':None']:
        case(shape, spec)
    for shape in [(), (0,), (1,), (7,), (2, 0, 3), (1, 1)]:
        for spec in ['', '...', 'None', '0', '-1', '::2', '::-1', '..., None', ':, 0', '0, 0', '3:', '0:0']:
            case(shape, spec)
    rng = random.Random(7)
    ends = ['', '0', '1', '-1', '3', '-3', '8', '-8']
    steps = ['', ':', ':1', ':-1', ':2', ':-2', ':5', ':-5']
    for n, (start, stop, step) in enumerate(itertools.product(ends, ends, steps)):
        case((rng.choice([1, 3, 4, 5, 7]),), '%s:%s%s' % (start, stop, step))
    for _ in range(150):
        items = [rng.choice(['None', '0', '-1', '1', '::-1', '1:', ':-1', '::2', '2::-2', '...'])
                 for _ in range(rng.randrange(1, 5))]
        case((3, 4, 2), ', '.join(items))


main()
