# SPDX-License-Identifier: MIT
"""The library through ctypes, as far as comparing it with NumPy needs: any NumPy
array with its very strides to the device, an expression, the result back.

    lib = Library("build/.libs/libgpuarray.so", "cpu")
    lib.eval("2*a", {"a": numpy.arange(4.0)[::-1]})
"""
import ctypes as c
import numpy as np

CODES = {"bool": 0, "int8": 1, "uint8": 2, "int16": 3, "uint16": 4, "int32": 5, "uint32": 6,
         "int64": 7, "uint64": 8, "float32": 11, "float64": 12, "complex64": 14,
         "complex128": 15, "float16": 23}
try:
    import ml_dtypes
    CODES["bfloat16"] = 17
except ImportError:
    ml_dtypes = None
try:
    from numpy.lib.array_utils import byte_bounds
except ImportError:  # NumPy 1
    from numpy import byte_bounds
NAMES = {v: k for k, v in CODES.items()}


def dtype(name):
    return np.dtype(ml_dtypes.bfloat16) if name == "bfloat16" else np.dtype(name)


class Array(c.Structure):
    _fields_ = [("data", c.c_void_p), ("dimensions", c.POINTER(c.c_size_t)),
                ("strides", c.POINTER(c.c_ssize_t)), ("offset", c.c_size_t),
                ("nd", c.c_uint), ("flags", c.c_int), ("typecode", c.c_int)]


class Value(c.Union):
    _fields_ = [("array", c.POINTER(Array)), ("i", c.c_int64), ("f", c.c_double), ("ptr", c.c_void_p)]


class Arg(c.Structure):
    _fields_ = [("name", c.c_char_p), ("kind", c.c_int), ("typecode", c.c_int), ("v", Value), ("flags", c.c_int)]


class Error(Exception):
    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


class Library:
    def __init__(self, path, device="cpu"):
        self.so = c.CDLL(path)
        self.so.gpuarray_error_message.restype = c.c_char_p
        self.so.gpudata_alloc.restype = c.c_void_p
        self.so.gpudata_alloc.argtypes = [c.c_void_p, c.c_size_t, c.c_void_p, c.c_int, c.POINTER(c.c_int)]
        self.so.gpudata_release.argtypes = [c.c_void_p]
        self.so.GpuArray_fromdata.argtypes = [c.POINTER(Array), c.c_void_p, c.c_size_t, c.c_int, c.c_uint,
                                              c.POINTER(c.c_size_t), c.POINTER(c.c_ssize_t), c.c_int]
        self.so.GpuArray_eval.argtypes = [c.POINTER(Array), c.c_void_p, c.c_char_p, c.c_uint, c.c_void_p]
        self.so.GpuArray_eval_into.argtypes = [c.POINTER(Array), c.c_char_p, c.c_uint, c.c_void_p]
        self.so.GpuArray_tohost.argtypes = [c.c_void_p, c.c_size_t, c.c_int, c.POINTER(Array)]
        self.ctx = c.c_void_p()
        props = None
        name = device.rstrip("0123456789")
        if name != device:
            props = c.c_void_p()
            self.check(self.so.gpucontext_props_new(c.byref(props)))
            self.check(self.so.gpucontext_props_cuda_dev(props, int(device[len(name):])))
        self.check(self.so.gpucontext_init(c.byref(self.ctx), name.encode(), props))

    def check(self, code):
        if code != 0:
            raise Error(code, self.so.gpuarray_error_message().decode())

    def array(self, x):
        """An Array with the strides of x (a view of its own memory, if it has one)."""
        base = x
        while isinstance(base.base, np.ndarray):
            base = base.base
        lo, hi = byte_bounds(x) if x.size else (x.ctypes.data, x.ctypes.data + 1)
        pad = lo % 16  # keeps the alignment that the host array had
        raw = (c.c_char * (hi - lo + pad))()
        if x.size:
            c.memmove(c.addressof(raw) + pad, lo, hi - lo)
        err = c.c_int()
        data = self.so.gpudata_alloc(self.ctx, len(raw), c.addressof(raw), 4, c.byref(err))
        self.check(err.value)
        a = Array()
        dims = (c.c_size_t * max(x.ndim, 1))(*x.shape)
        strides = (c.c_ssize_t * max(x.ndim, 1))(*x.strides)
        offset = pad + (x.ctypes.data - lo if x.size else 0)
        code = self.so.GpuArray_fromdata(c.byref(a), data, offset, CODES[x.dtype.name], x.ndim, dims, strides, 1)
        self.so.gpudata_release(data)
        self.check(code)
        return a

    def host(self, a):
        shape = tuple(a.dimensions[i] for i in range(a.nd))
        out = np.empty(shape, dtype(NAMES[a.typecode]))
        self.check(self.so.GpuArray_tohost(out.ctypes.data_as(c.c_void_p), out.nbytes, a.typecode, c.byref(a)))
        return out

    def eval(self, text, names, into=None):
        """The value of text; Python numbers are weak, NumPy scalars strong. `into` is
        a NumPy array whose layout the result is written in; returns its new contents."""
        keep, args = [], (Arg * max(len(names), 1))()
        arrays = []
        try:
            for i, (name, x) in enumerate(names.items()):
                args[i].name = name.encode()
                if isinstance(x, np.ndarray):
                    a = self.array(x)
                    arrays.append(a)
                    args[i].kind, args[i].v.array = 1, c.pointer(a)
                elif isinstance(x, np.generic):
                    b = c.create_string_buffer(x.tobytes(), 16)
                    keep.append(b)
                    args[i].kind, args[i].typecode = 5, CODES[x.dtype.name]
                    args[i].v.ptr = c.addressof(b)
                elif isinstance(x, int):
                    args[i].kind, args[i].v.i = 3, x
                else:
                    args[i].kind, args[i].v.f = 4, x
            if into is not None:
                out = self.array(into)
                arrays.append(out)
                self.check(self.so.GpuArray_eval_into(c.byref(out), text.encode(), len(names), args))
                return self.host(out)
            out = Array()
            self.check(self.so.GpuArray_eval(c.byref(out), self.ctx, text.encode(), len(names), args))
            arrays.append(out)
            return self.host(out)
        finally:
            for a in arrays:
                self.so.GpuArray_clear(c.byref(a))


class Prepared:
    """An expression made once and called often, on arrays that stay on the device; `into`
    is the dtype's name and the shape of the array written, None where each call makes its own."""

    def __init__(self, lib, text, arrays, into=None):
        self.lib, self.n = lib, len(arrays)
        self.arrays = [lib.array(x) for x in arrays.values()]
        self.args = (Arg * self.n)()
        for arg, name, a in zip(self.args, arrays, self.arrays):
            arg.name, arg.kind, arg.v.array = name.encode(), 1, c.pointer(a)
        self.out = lib.array(np.zeros(into[1], dtype(into[0]))) if into else None
        self.e = c.c_void_p()
        lib.check(lib.so.GpuExpr_new(c.byref(self.e), lib.ctx, text.encode(), self.n, self.args))

    def __call__(self):
        so = self.lib.so
        if self.out is not None:
            self.lib.check(so.GpuExpr_call_into(self.e, c.byref(self.out), self.n, self.args))
            return
        out = Array()
        self.lib.check(so.GpuExpr_call(self.e, c.byref(out), self.n, self.args))
        so.GpuArray_clear(c.byref(out))

    def free(self):
        self.lib.so.GpuExpr_free(self.e)
        for a in self.arrays + ([self.out] if self.out is not None else []):
            self.lib.so.GpuArray_clear(c.byref(a))
