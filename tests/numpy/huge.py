#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Arrays past 2^31 and 2^32 elements and bytes, on a device with the memory for it.

    huge.py [-d DEVICE] LIBRARY [SIZE]...

Every check has an answer in closed form. Exits 1 when one is wrong.
"""
import argparse
import ctypes as c
import sys
from ga import Array, Arg, CODES, Library

failed = 0


class Device(Library):
    def arange(self, n, dtype):
        a = Array()
        self.so.GpuArray_arange.argtypes = [c.POINTER(Array), c.c_void_p, c.c_int, c.c_double, c.c_double, c.c_double]
        self.check(self.so.GpuArray_arange(c.byref(a), self.ctx, CODES[dtype], 0, n, 1))
        return a

    def run(self, text, **names):
        out, args = Array(), (Arg * len(names))()
        for i, (name, a) in enumerate(names.items()):
            args[i].name, args[i].kind, args[i].v.array = name.encode(), 1, c.pointer(a)
        self.check(self.so.GpuArray_eval(c.byref(out), self.ctx, text.encode(), len(names), args))
        return out

    def value(self, text, **names):
        r = self.run(text, **names)
        v = self.host(r)
        self.free(r)
        return v

    def free(self, *arrays):
        for a in arrays:
            self.so.GpuArray_clear(c.byref(a))


def is_(what, got, want):
    global failed
    ok = bool((got == want).all()) if hasattr(got == want, "all") else got == want
    failed += not ok
    print(f"{'ok' if ok else 'WRONG'}  {what}: {got}" + ("" if ok else f", expected {want}"))


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("library")
    ap.add_argument("-d", default="cuda0")
    ap.add_argument("sizes", type=int, nargs="*")
    o = ap.parse_args()
    d = Device(o.library, o.d)
    for n in o.sizes or ((1 << 31) - 1, (1 << 31) + 3, (1 << 32) - 1, (1 << 32) + 5):
        i = d.arange(n, "int64")
        a = d.run("int8(i % 127)", i=i)
        full, rest = divmod(n, 127)
        total = full * (127 * 126 // 2) + rest * (rest - 1) // 2
        is_(f"sum of {n} int8", d.value("sum(a)", a=a), total)
        is_(f"last elements of {n}", d.value("a[-3:]", a=a), [(n - 3) % 127, (n - 2) % 127, (n - 1) % 127])
        b = d.run("a//2 + a[::-1]//2", a=a)
        is_("a//2 + reversed//2, ends", d.value("b[::%d]" % (n - 1), b=b), [(n - 1) % 127 // 2] * 2)
        is_("its sum", d.value("sum(int64(a) + a[::-1])", a=a), 2 * total)
        is_("every third", d.value("sum(a[::3])", a=a), sum(((k * 3) % 127) for k in range(127)) * (-(-n // 3) // 127)
            + sum((k * 3) % 127 for k in range((-(-n // 3)) % 127)))
        is_("argmax", d.value("argmax(i)", i=i), n - 1)
        is_("max", d.value("max(i)", i=i), n - 1)
        d.free(a, b, i)
    if o.sizes:
        return failed > 0
    n = (1 << 31) + 2
    i = d.arange(n, "int64")
    f = d.run("float32(i % 8)", i=i)
    is_("8 GiB of float32: last by step", d.value("f[5::%d]" % (n - 6), f=f), [5, (n - 1) % 8])
    is_("float32 stepped view written", d.value("sum(float64(g))", g=d.run("f[::2]*2", f=f)), (n // 2 // 4) * 24 + sum((2 * k % 8) * 2 for k in range(n // 2 % 4)))
    v = d.run("f[:131072]", f=f)
    m = d.run("v[:, None] + v[:32769]", v=v)
    is_("outer sum past 2^32 elements", d.value("m[-1, -3:]", m=m), [(131071 % 8) + (32766 + k) % 8 for k in range(3)])
    is_("its rows", d.value("t = sum(m, axis=1); t[-1]", m=m),
        32769 * (131071 % 8) + sum(k % 8 for k in range(32769)))
    is_("its columns", d.value("t = sum(m, axis=0); t[-1]", m=m), 131072 * (32768 % 8) + 131072 // 8 * 28)
    d.free(i, f, v, m)
    print("%d wrong" % failed)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
