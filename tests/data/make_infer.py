# SPDX-License-Identifier: MIT
"""Writes infer.txt: texts, what is bound, and the dtype and shape that NumPy 2
gives, or `error`. Left out on purpose: where(b, int8, 1000) and 2**64, which NumPy
wraps and makes an object; vdot of other shapes and outer of more axes, which it ravels.
One line is `text | name=dtype[dims] ... | dtype[dims]`."""
import warnings

import numpy as np

warnings.simplefilter("ignore")
SPACE = {n: getattr(np, n) for n in """pi e inf nan newaxis absolute abs add all any angle arctan2
argmax argmin ceil clip count_nonzero divide equal exp floor float_power hypot less maximum mean
minimum max min power prod ptp real imag round sign sqrt square std sum var where not_equal
greater logical_and logical_not sinc isnan amax amin true_divide mod conj nansum nanprod nanmin
nanmax nanmean nanvar nanstd nancumsum nancumprod average vdot vecdot outer diff isclose allclose
isposinf isneginf isreal iscomplex nan_to_num zeros_like ones_like full_like transpose permute_dims
matrix_transpose swapaxes moveaxis expand_dims squeeze flip flipud fliplr broadcast_to astype dot matmul
bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 float32 float64 complex64
complex128""".split()}
SPACE["np"] = SPACE["numpy"] = np


def bind(spec):
    names = {}
    for word in spec.split():
        name, t = word.split("=")
        if t == "int":
            names[name] = 3
        elif t == "float":
            names[name] = 2.5
        elif "[" in t:
            dtype, dims = t[:-1].split("[")
            names[name] = np.ones([int(d) for d in dims.split(",") if d], dtype)
        else:
            names[name] = np.dtype(t).type(1)
    return names


def answer(text, spec):
    names = dict(SPACE, **bind(spec))
    try:
        *before, last = [t.strip() for t in text.split(";")]
        for t in before:
            exec(t, names)
        r = np.asarray(eval(last, names))
    except (TypeError, ValueError, OverflowError, IndexError, ZeroDivisionError, NameError):
        return "error"
    return f"{r.dtype}[{','.join(map(str, r.shape))}]"


lines = []


def case(spec, *texts):
    for t in texts:
        lines.append(f"{t} | {spec} | {answer(t, spec)}")


case("a=float32[3,4] b=float32[4] c=float64[3,1] d=int32[4,3] z=float32[0,4]",
     "a+b", "a+c", "a+d", "a+d.T", "b+c", "a[0]+b", "a.T", "a.T+d", "a*2", "a*2.5", "a*2j", "z+b",
     "z.T+a", "z+1", "a[1:]", "a[1:]+a[:-1]", "a[:, 1]", "a[:, None]", "a[None]", "a[..., 0]",
     "a[...]", "a[0, 1]", "a[0, 1, 2]", "a[3]", "a[-3]", "a[-4]", "a[5:]", "a[::-1]", "a[::-2, ::3]",
     "a[2:0:-1]", "a[::0]", "a[100:-100:-1]", "a[:, newaxis, :]", "a[..., ...]", "a[0:1, None, ..., 0]",
     "b[None, :, None]", "(a*b)[1:, ::-1]", "(a+c)[:, 2]", "(a+c)[None, 0]", "(c*2)[::-1]*a",
     "sum(a)", "sum(a, axis=0)", "sum(a, axis=1)", "sum(a, axis=-1, keepdims=True)", "sum(a, 0)",
     "sum(a, axis=(0,1))", "sum(a, axis=(1,))", "sum(a, axis=())", "sum(a, axis=None)",
     "sum(a, axis=2)", "sum(a, axis=-3)", "sum(a, axis=(0,0))", "sum(a, axis=(0,-2))", "sum(a, axis=1.0)",
     "sum(a, dtype=float64)", "sum(a, 1, float64)", "sum(a, dtype=int32)", "sum(d, dtype=int8)",
     "sum(a, initial=2)", "sum(d, initial=2.5)", "max(a, initial=-1)", "max(z)", "max(z, axis=0)",
     "max(z, axis=1)", "max(z, initial=0)", "min(z[:, :0], axis=1)", "argmax(z)", "argmax(z, axis=1)",
     "argmax(z, axis=0)", "argmin(a, axis=1)", "argmin(a, axis=1, keepdims=True)",
     "argmin(a, keepdims=True)", "argmin(a, axis=(0,1))", "mean(z)", "mean(z, axis=0)", "sum(z)",
     "sum(z, axis=0)", "sum(z, axis=1)", "prod(z, axis=0, keepdims=True)", "any(z)", "all(z, axis=0)",
     "mean(a, axis=1)", "mean(d)", "mean(d, dtype=float32)", "var(a, axis=0, ddof=1)", "std(d)",
     "std(a, keepdims=True)", "var(z)", "count_nonzero(a, axis=1)", "count_nonzero(a)",
     "count_nonzero(a, axis=1, keepdims=True)", "ptp(a, axis=0)", "sum(a, axis=1)*c[:, 0]",
     "sum(a, axis=1)[1:]", "sum(a, axis=1)[:, None]+a", "sum(a, axis=0)[::-1]+b", "mean(a, axis=1)[0]",
     "any(a > 2, axis=1)", "all(a)", "where(a > 1, a, 0)", "where(b, a, c)", "where(a > 1, 1, 0)",
     "where(True, a, d.T)", "where(a > 1, 1, 2.5)", "clip(a, 0, 1)", "clip(d, 0, 2.5)", "clip(a, None, 2)",
     "clip(a, 1, None)", "clip(a, 0, b)", "clip(d, c.T, 4)", "clip(2.5, d, 3)",
     "clip(2, a, b)", "clip(2.5, 0, 1)", "clip(True, 0, d)", "round(d, -1)", "round(d > 1, -1)", "round(a)", "round(a, 2)", "round(d)",
     "round(d, 1)", "a**2", "a**0.5", "a**-1", "a**2.0", "d**2", "d**2.0", "d**-1", "d[:0]**-1", "power(d[:, :0], -2)", "uint8(d[:0])**-1", "sum(d[:0]**-1)", "d**0.5", "2**d",
     "2.0**d", "a**d.T", "d//2", "d%3", "d/2", "-d", "~d", "d<<1", "d>>1", "a<<1", "~a", "a&b", "d&1",
     "(a>1)&(a<2)", "(a>1)&1", "(a>1)+1", "(a>1)+True", "(a>1)-(a<1)", "-(a>1)", "+(a>1)", "(a>1)*2.5",
     "(a>1)**2", "(a>1)**2.0", "(a>1)**1", "(a>1)**-1", "power(a>1, 2)", "d**-1.0", "a**2j", "a==b", "a!=c", "a<=2", "2<a", "a<2j", "a==2j", "t = a+b; t*t", "t = a; t = t.T; t+d",
     "t = 2; t*a", "t = 2.5; t*d", "t = 2*3; t", "a[0][1]", "a[0][1][0]", "a.T[1:]", "a.T.T", "b.T",
     "sum(a[1:, ::2]*2, axis=0)", "(a-mean(a, axis=1, keepdims=True))[1:]", "real(a)", "imag(a)", "angle(a)",
     "angle(d)", "conj(a)", "abs(d)", "sign(d)", "floor(d)", "sqrt(d)", "exp(d)", "hypot(d, 2)",
     "float32(d)", "int8(a)", "bool(a)", "complex64(c)", "float64(a)+a", "uint8(a)-1", "isnan(d)")
case("s=float32[] t=int64[] u=float64[1] a=float32[2,2]",
     "s", "s+1", "s+t", "s*u", "s[...]", "s[None]", "s[0]", "s.T", "sum(s)",
     "sum(s, axis=0)", "sum(s, axis=())", "sum(s, axis=None)", "max(s)", "argmax(s)", "mean(t)", "any(s)",
     "a+s", "a*t", "s == t", "var(s)", "argmax(t, axis=0)", "mean(t, axis=0)", "var(t, axis=-1)", "any(s, axis=-1)", "sum(s, axis=(0,))", "sum(s, keepdims=True)")
case("f=float32 g=float64 i=int8 u=uint8 b=bool a=float32[2] c=int8[2] k=int x=float",
     "a*f", "a*g", "c*i", "c*u", "c+i", "i+1", "i+300", "c+300", "u-1", "u+-1", "c*k", "c*x", "a*k",
     "a*x", "k*x", "k+1", "k/2", "k//2", "k%2", "x**2", "k**2", "-k", "f*2.5", "i*2.5", "f+g", "b+b",
     "b+1", "b+True", "-b", "b-b", "k < 2", "a < k", "c < k", "c < 300", "300 > c", "u >= -1", "c == 128",
     "where(k < 2, a, c)", "float32(k)", "int8(k)", "float32(x)*k", "uint8(x)", "int8(f)", "f**2", "i**2")
case("", "2", "2.5", "2j", "True", "1/2", "7//2", "7.5//2", "-7//2", "-7%3", "7%-3", "2**10", "2**-1",
     "2**0.5", "(-8)**0.5", "1/0", "1//0", "1.0/0", "1%0", "0**-1", "2**62", "2**63", "1<<3",
     "1<<-1", "~5", "~True", "-True", "True+True", "True&False", "True|2", "1<2", "1<2.5", "1j<2",
     "1==1.0", "1.5&2", "sqrt(2)", "sqrt(2)*2", "exp(True)", "exp(1)", "maximum(1, 2.5)", "add(1, 2)",
     "float32(2)", "float32(2)*2.5", "int8(127)", "int8(128)", "int8(2.7)", "uint8(-1)", "sum(2)", "mean(2)",
     "hypot(3, 4)", "where(True, 1, 2.5)", "pi", "-pi", "2*pi", "inf", "nan", "e", "abs(-2)", "abs(-2.5)",
     "abs(3+4j)", "1_000", "0x1f", "0b101", "0o17", "1e3", "5e-324", "float32(1e400)", "bool(2)",
     "complex64(2)", "float32(2j)", "int32(2j)", "2[0]", "pi[0]", "square(True)", "true_divide(1, 2)",
     "less(1, 2)", "power(2, 3)", "real(7)", "imag(2.5)", "real(2j)", "real(True)", "power(2, -1)", "mod(7, 3)", "1+2j", "2j**2", "2j*2j", "2j//1")
case("p=int64[2] q=uint64[2] i=int32[2] u=uint32[2] s=int8[2] b=bool[2] h=float16[2]",
     "p<q", "q<p", "p==q", "p+q", "i<q", "i+u", "s<q", "p<2**63", "q<2**64", "q==-1", "q>2**70", "s<1000",
     "s!=1000", "s+1000", "s*127", "s*128", "s&255", "u-1", "u*-1", "b<2", "b+2**31", "b&2", "b*2.5",
     "h+1e6", "h*s", "h*i", "h+2", "h*p", "sum(h)", "mean(h)", "var(h)", "std(h)", "prod(h)", "sum(b)",
     "mean(b)", "sum(s)", "sum(u)", "prod(s)", "max(s)", "sum(b, dtype=bool)", "sum(b, dtype=int8)",
     "sum(s, dtype=float32)", "mean(s, dtype=int32)", "mean(s, dtype=float16)", "var(s, dtype=float32)",
     "mean(h, dtype=float64)", "sum(s, initial=1000)", "max(s, initial=1000)", "clip(s, -1000, 1000)",
     "clip(s, 0, 1000)", "clip(s, 1000, 2000)", "clip(b, 0, 1)", "clip(h, 0, 1)", "clip(s, None, None)",
     "clip(u, 0, 1)", "clip(u, -1, 2**40)", "clip(q, 0, 1)", "clip(q, u, q)", "clip(q, p, 1)", "clip(b, b, b)",
     "clip(b, False, True)", "clip(u, s, 2.5)", "clip(s, u, h)", "clip(i, h, u)",
     "sinc(h)", "sinc(s)", "sinc(i)", "angle(s)", "round(h, 1)", "round(s)", "power(s, 2)", "s**2",
     "float_power(h, 2)", "where(b, s, u)", "p//q", "s<<1", "s<<8", "b<<1", "b|b",
     "sum(s, initial=inf)", "prod(u, initial=nan)", "max(s, initial=1e30)", "max(u, initial=-inf)", "min(b, initial=nan)",
     "sum(s, initial=2.7)", "sum(u, initial=-2.5)", "sum(u, initial=-0.5)", "max(s, initial=127.9)", "max(s, initial=-128.9)", "max(s, initial=128.0)",
     "sum(h, initial=inf)", "max(s[:0], initial=inf)", "sum(q, initial=2.0**64)", "sum(p, initial=-2.0**63)", "sum(s, dtype=float32, initial=inf)",
     "int8(inf)", "int64(nan)", "uint8(-1.0)", "int8(127.9)", "int8(1e30)", "uint64(1.5e19)", "bool(nan)",
     "b^True", "b&1", "argmax(b)", "imag(s)", "real(b)", "conj(b)", "floor(b)", "ceil(h)")
case("z=complex64[2,3] w=complex128[3] a=float64[3] f=float32[3] i=int32[3]",
     "z*w", "z*a", "z*f", "z*i", "z*2", "z*2.5", "z*2j", "f*2j", "i*2j", "z<z", "z==z", "abs(z)", "real(z)",
     "imag(z)", "angle(z)", "conj(z)", "mean(z)", "var(z)", "std(z, axis=1)", "sum(z, axis=0)", "max(z)",
     "argmax(z)", "floor(z)", "z//2", "z%2", "z**2", "z**0.5", "sqrt(z)", "round(z, 2)", "z&1", "-z", "sign(z)",
     "prod(z)", "any(z)", "var(z, dtype=complex128)", "clip(z, 0, 1)", "arctan2(z, 1)", "maximum(z, w)",
     "float32(z)", "sum(z, dtype=complex128)", "isnan(z)", "sinc(z)", "exp(z)", "std(z, dtype=float64)", "real(2)*f", "imag(2j)*f", "real(2.5)*i", "where(z, f, i)")
case("a=float32[3,4] b=float32[4] d=int32[4,3] h=float16[2,1,3] s=float32[] z=complex64[3] z0=float32[0,4] t=bool[5]",
     "transpose(a)", "transpose(h, (2, 0, 1))", "transpose(h, axes=(-1, 0, 1))", "transpose(h, (0, 1))",
     "transpose(h, (0, 1, 1))", "transpose(h, (0, 1, 3))", "transpose(s)", "transpose(a, None)", "transpose(2)", "transpose(a, (1, 0))+d",
     "permute_dims(h, (1, 2, 0))", "matrix_transpose(h)", "matrix_transpose(b)", "swapaxes(h, 0, 2)", "swapaxes(h, -1, 1)",
     "swapaxes(h, 0, 3)", "swapaxes(h, 0)", "moveaxis(h, 0, -1)", "moveaxis(h, (0, 1), (1, 2))", "moveaxis(h, (0, 1), 2)",
     "moveaxis(h, (0, 0), (1, 2))", "expand_dims(a, 0)", "expand_dims(a, -1)", "expand_dims(a, (0, 3))", "expand_dims(a, (0, -4))",
     "expand_dims(a, 3)", "expand_dims(a)", "expand_dims(s, 0)", "squeeze(h)", "squeeze(h, 1)", "squeeze(h, 0)", "squeeze(h, (1,))",
     "squeeze(s)", "squeeze(h, axis=None)", "flip(a)", "flip(a, 1)", "flip(a, (0, 1))", "flip(a, (0, 0))", "flip(a, 2)", "flipud(b)",
     "fliplr(b)", "fliplr(a)", "flipud(s)", "broadcast_to(b, (3, 4))", "broadcast_to(b, (4, 3))", "broadcast_to(b, 4)",
     "broadcast_to(s, (2, 0))", "broadcast_to(a, (4,))", "broadcast_to(b, (-1, 4))", "diff(a)", "diff(a, 2)", "diff(a, axis=0)",
     "diff(a, n=9)", "diff(a, -1)", "diff(a, 1, 2)", "diff(s)", "diff(s, 0)", "diff(t)", "diff(d, 2, 0)", "diff(z0, axis=0)",
     "nansum(a)", "nansum(a, axis=1)", "nansum(d)", "nansum(t, axis=0)", "nanprod(h, axis=(0, 2), keepdims=True)", "nansum(a, dtype=float64)",
     "nanmin(a, axis=0)", "nanmax(d)", "nanmax(z0)", "nanmax(z0, initial=0)", "nanmax(z0, axis=0)", "nanmin(z0, axis=1)",
     "nanmean(a, axis=0)", "nanmean(d)", "nanmean(h)", "nanmean(t)", "nanvar(a, axis=1, ddof=1)", "nanstd(h)", "nanvar(d, axis=0)",
     "nanvar(z)", "nanmean(z)", "nanstd(a, keepdims=True)", "nansum(a, axis=2)", "nansum(s, axis=0)", "nanmean(s, axis=0)",
     "nancumsum(a)", "nancumsum(a, axis=1)", "nancumprod(d, axis=0)", "nancumsum(t)", "nancumsum(a, axis=2)", "nansum(a, ddof=1)",
     "average(a)", "average(d, axis=0)", "average(a, axis=1, weights=b)", "average(a, 0, b)", "average(a, weights=a)",
     "average(d, axis=1, weights=h[0, 0])", "average(a, weights=b)", "average(t)", "average(a, axis=(0, 1), weights=a, keepdims=True)",
     "vdot(a, a)", "vdot(z, z)", "vdot(d, d)", "vdot(t, t)", "vdot(h, h)", "vecdot(a, b)", "vecdot(a, a, axis=0)",
     "vecdot(a, d)", "vecdot(z, a)", "vecdot(s, b)", "vecdot(a, a, axis=2)", "outer(b, z)", "outer(t, t)", "outer(b, h[0, 0])",
     "isclose(a, b)", "isclose(d, 1)", "isclose(1, 2.5)", "isclose(a, d)", "isclose(a, a, 0.1, 0.2, True)", "isclose(z, z, equal_nan=True)",
     "isclose(a, 1j)", "isclose(z, 1+2j)", "isclose(2**70, a)", "isclose(1j, 1j)", "full_like(a[:, :1], b)", "nan_to_num(s, nan=b)",
     "nan_to_num(b, nan=a)", "nan_to_num(a, nan=b)", "np.linalg.norm(s, axis=0)", "average(a, 0, None, False)",
     "sum(a, where=a > 0, initial=None)", "maximum.reduce(a, dtype=float64, where=a > 0, initial=0)",
     "maximum.reduce(a, dtype=int8, where=a > 0, initial=0)", "nanmean(a, dtype=int32)", "nanmean(d, dtype=int32)", "nanvar(a, dtype=float64)",
     "sum = 2; np.sum(a)*sum", "e = a; np.e*e",
     "allclose(a, b)", "allclose(t, 1)", "isposinf(a)", "isneginf(d)", "isposinf(z)", "isreal(a)", "iscomplex(z)", "isreal(2.5)",
     "nan_to_num(a)", "nan_to_num(d)", "nan_to_num(z, nan=1)", "nan_to_num(h, posinf=3, neginf=2.5)", "nan_to_num(a, foo=1)",
     "zeros_like(a)", "ones_like(t)", "ones_like(a, int8)", "zeros_like(2)", "full_like(a, 3)", "full_like(d, 2.5)", "full_like(a, b)",
     "full_like(a, 3, dtype=complex64)", "full_like(d, 2**40)", "full_like(b, a)", "zeros_like(a, dtype=float64)+d.T",
     "sum(a, where=a > 0)", "mean(d, axis=1, where=d > 0, keepdims=True)", "max(a, where=a > 0)", "max(a, where=a > 0, initial=0)",
     "sum(a, where=b)", "any(a, axis=0, where=b > 0)", "std(h, where=h > 0)", "sum(b, where=a > 0)", "argmax(a, where=a > 0)",
     "var(a, axis=0, where=a > 0, dtype=complex64)", "nanstd(a, dtype=complex128)", "std(z, where=b[:3] > 0, dtype=complex64)",
     "nansum(a, where=b != 1, axis=0)", "add.reduce(a, where=True)", "sum(a, where=1)", "cumsum(a, where=a > 0)",
     "dot(b, b)", "dot(b, 2.5)", "np.inner(b, z)", "matmul(b, b)", "matmul(b, 2)", "dot(t, t)", "dot(h[0, 0], h[1, 0])", "np.linalg.norm(a)",
     "np.linalg.norm(d, axis=0)", "np.linalg.norm(z, 1)", "np.linalg.norm(h, axis=2, keepdims=True)", "np.linalg.norm(a, 3, 1)",
     "np.linalg.norm(t, inf)", "np.linalg.norm(b, 0)", "np.linalg.norm(a, axis=(0, 1))", "np.linalg.norm(a, axis=2)", "np.linalg.norm(s)",
     "a.mT", "b.mT", "z.real", "z.imag", "a.imag", "2j.imag", "a.mean(0)", "a.astype(float64)", "h.transpose(2, 0, 1)",
     "h.transpose((2, 0, 1))", "h.transpose()", "h.transpose(0, 1)", "a.std(ddof=1)", "d.argmax(1)", "a.cumsum(axis=0)", "a.clip(0, 1)",
     "d.round(-1)", "t.any()", "a.max(axis=1, keepdims=True)", "np.sum(a, axis=1)", "np.float64(a)", "a + np.pi", "z.conj()",
     "a.squeeze()", "h.swapaxes(0, 2)", "np.maximum.reduce(a)", "a.T.sum(axis=0)[:, None] + a", "(a + d.T).min(1, initial=2)", "numpy.exp(d).T",
     "h[0].prod(dtype=float32)", "sum(d, axis=0).var()", "(z*2j).real.all()", "a.sum(axis=2)", "a[1:].mean(axis=(0, 1)).real", "d.astype(np.int8)*2")
open("infer.txt", "w").write("\n".join(lines) + "\n")
