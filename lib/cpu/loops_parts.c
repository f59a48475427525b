/* SPDX-License-Identifier: MIT */
/* Functions of complex numbers by the block: what the scalar functions of scalar_complex_math.cuh
 * do for one element, with the vector loops of float64 between. A block's parts are apart, as
 * float64 also where they are float32. What those functions do in a branch of its own, the
 * formulas here make NaN, and whatever is NaN is left to the scalar loops. */
#include "loops_impl.h"

enum { BLOCK = 128 };

extern ga_loop GA_SYM(ga_loop_of)(int op, enum ga_dtype dtype);
extern const ga_loop GA_SYM(ga_loops_complex64)[GA_NOP];
extern const ga_loop GA_SYM(ga_loops_complex128)[GA_NOP];

#define LN2 0.693147180559945309417

static double size_of(double x) { return __builtin_fabs(x); }
static int is_below(double x, double most) { return size_of(x) <= most; }
static int is_small(double x) { return size_of(x) < 0.25; }
static int is_finite(double x) { return size_of(x) < GA_INF_float64; }

static void apply(int op, size_t n, double *r, double *x, double *y)
{
  const void *const src[] = {x, y};
  GA_SYM(ga_loop_of)(op, GA_DT_FLOAT64)(n, r, src);
}
#define APPLY(op, r, x)     apply(GA_OP_##op, n, r, x, NULL)
#define APPLY2(op, r, x, y) apply(GA_OP_##op, n, r, x, y)
#define EACH     \
  GA_INDEPENDENT \
  for (size_t i = 0; i < n; i++)

/* The parts (r, s) of what n numbers (x, y) give, which are only read and lie apart from r and s.
 */
#define PARTS(name) static void name##_parts(size_t n, double *x, double *y, double *r, double *s)

/* ga_part_sin, ga_part_tan */
static void part(int op, size_t n, double *r, double *y)
{
  apply(op, n, r, y, NULL);
  EACH r[i] = size_of(y[i]) < 0x1p-1000 ? y[i] : r[i];
}

/* ---- exponentials ---------------------------------------------------------------------- */

PARTS(exp)
{
  double c[BLOCK];
  APPLY(exp, r, x);
  APPLY(cos, c, y);
  part(GA_OP_sin, n, s, y);
  EACH
  {
    s[i] = y[i] == 0 ? y[i] : r[i] * s[i];
    r[i] = (x[i] <= 709) & is_finite(y[i]) ? r[i] * c[i] : GA_NAN_float64;
  }
}
PARTS(exp2)
{
  double c[BLOCK], t[BLOCK];
  EACH t[i] = y[i] * LN2;
  APPLY(exp2, r, x);
  APPLY(cos, c, t);
  part(GA_OP_sin, n, s, t);
  EACH
  {
    s[i] = t[i] == 0 ? t[i] : r[i] * s[i];
    r[i] = (x[i] > -1020) & (x[i] < 1020) & is_finite(t[i]) ? r[i] * c[i] : GA_NAN_float64;
  }
}
PARTS(expm1)
{
  double c[BLOCK], t[BLOCK];
  exp_parts(n, x, y, r, s);
  EACH r[i] = y[i] * 0.5;
  APPLY(sin, t, r);
  APPLY(expm1, r, x);
  APPLY(cos, c, y);
  EACH
  {
    double e = r[i] * c[i] - 2 * t[i] * t[i];
    r[i] = (x[i] < 40) & is_finite(y[i]) ? e : GA_NAN_float64;
  }
}

/* ---- logarithms ------------------------------------------------------------------------ */

/* ga_log_abs */
static void log_abs(size_t n, double *x, double *y, double *r)
{
  enum { FAR = 8 }; /* more than a sum of two squares below 2 */
  double near[BLOCK], t[BLOCK];
  int some = 0, all = 1;
  EACH
  {
    double a = size_of(x[i]), b = size_of(y[i]), most = a > b ? a : b, least = a > b ? b : a;
    double mh, ml, lh, ll;
    ga_split_square(most, &mh, &ml);
    ga_split_square(least, &lh, &ll);
    int is = (most > 0.5) & (most < 2) & (least < 2);
    near[i] = is ? ((mh - 1) + lh) + (ml + ll) : FAR;
    some |= is;
    all &= is;
  }
  if (!all) {
    APPLY2(hypot, r, x, y);
    EACH r[i] =
        is_below(r[i], 0x1p1000) & ((r[i] >= 0x1p-999) | (r[i] == 0)) ? r[i] : GA_NAN_float64;
    APPLY(log, r, r);
  }
  if (!some) return;
  APPLY(log1p, t, near);
  EACH r[i] = near[i] < FAR ? 0.5 * t[i] : r[i];
}
PARTS(log)
{
  log_abs(n, x, y, r);
  APPLY2(arctan2, s, y, x);
}
PARTS(log2)
{
  log_parts(n, x, y, r, s);
  EACH
  {
    r[i] *= 1.44269504088896340736;
    s[i] *= 1.44269504088896340736;
  }
}
PARTS(log10)
{
  log_parts(n, x, y, r, s);
  EACH
  {
    r[i] *= 0.434294481903251827651;
    s[i] *= 0.434294481903251827651;
  }
}
PARTS(log1p)
{
  double t[BLOCK];
  int some = 0;
  EACH t[i] = 1 + x[i];
  log_parts(n, t, y, r, s);
  EACH
  {
    int is = is_small(x[i]) & is_small(y[i]);
    t[i] = is ? 2 * x[i] + (x[i] * x[i] + y[i] * y[i]) : 1;
    some |= is;
  }
  if (!some) return;
  APPLY(log1p, t, t);
  EACH r[i] = is_small(x[i]) & is_small(y[i]) ? 0.5 * t[i] : r[i];
}

/* ---- hyperbolic; the circular ones are these with the axes exchanged ---- */

/* (f(x) cos y, g(x) sin y) */
static void rotated(size_t n, double *x, double *y, double *r, double *s, int f, int g)
{
  double c[BLOCK];
  apply(f, n, r, x, NULL);
  apply(g, n, c, x, NULL);
  part(GA_OP_sin, n, s, y);
  EACH s[i] = c[i] * s[i];
  APPLY(cos, c, y);
  EACH r[i] = is_below(x[i], 40) & is_finite(y[i]) ? r[i] * c[i] : GA_NAN_float64;
}
PARTS(sinh) { rotated(n, x, y, r, s, GA_OP_sinh, GA_OP_cosh); }
PARTS(cosh) { rotated(n, x, y, r, s, GA_OP_cosh, GA_OP_sinh); }
PARTS(tanh)
{
  APPLY(sinh, r, x);
  part(GA_OP_tan, n, s, y);
  EACH
  {
    double t = s[i], b = 1 + t * t, h = r[i], d = 1 + b * h * h;
    r[i] = is_below(x[i], 22) & is_finite(y[i]) ? b * __builtin_sqrt(1 + h * h) * h / d
                                                : GA_NAN_float64;
    s[i] = t / d;
  }
}
PARTS(sin) { sinh_parts(n, y, x, s, r); }
PARTS(cos)
{
  double t[BLOCK];
  EACH t[i] = -y[i];
  cosh_parts(n, t, x, r, s);
}
PARTS(tan) { tanh_parts(n, y, x, s, r); }

/* ---- inverse ------------------------------------------------------------------------- */

PARTS(sqrt)
{
  double u[BLOCK], v[BLOCK];
  EACH
  {
    double a = size_of(x[i]), b = size_of(y[i]), most = a > b ? a : b, up = 1;
    up = most > 0x1p1000 ? 0x1p-4 : up;
    up = most < 0x1p-900 ? 0x1p200 : up;
    u[i] = a * up;
    v[i] = b * up;
  }
  APPLY2(hypot, r, u, v);
  EACH
  {
    double a = size_of(x[i]), b = size_of(y[i]), most = a > b ? a : b, down = 1;
    down = most > 0x1p1000 ? 0x1p2 : down;
    down = most < 0x1p-900 ? 0x1p-100 : down;
    double t = __builtin_sqrt((u[i] + r[i]) * 0.5), w = v[i] / (2 * t) * down;
    t *= down;
    double re = x[i] >= 0 ? t : w, im = __builtin_copysign(x[i] >= 0 ? w : t, y[i]);
    re = is_finite(a) & is_finite(b) ? re : GA_NAN_float64;
    r[i] = ((a == 0) & (b == 0)) ? 0 : re;
    s[i] = most == 0 ? y[i] : im;
  }
}
/* The roots of 1 - (x + iy), to a and b, and of 1 + (x + iy), to c and d. */
static void roots(size_t n, double *x, double *y, double *a, double *b, double *c, double *d)
{
  double u[BLOCK], v[BLOCK];
  EACH
  {
    u[i] = 1 - x[i];
    v[i] = -y[i];
  }
  sqrt_parts(n, u, v, a, b);
  EACH u[i] = 1 + x[i];
  sqrt_parts(n, u, y, c, d);
}
PARTS(arcsin)
{
  double a[BLOCK], b[BLOCK], c[BLOCK], d[BLOCK];
  roots(n, x, y, a, b, c, d);
  EACH
  {
    s[i] = x[i] == 0 ? y[i] : a[i] * d[i] - b[i] * c[i];
    a[i] = a[i] * c[i] - b[i] * d[i];
  }
  APPLY(arcsinh, s, s);
  APPLY2(arctan2, r, x, a);
  EACH
  {
    r[i] = x[i] == 0 ? x[i] : r[i];
    r[i] = is_below(x[i], 0x1p500) & is_below(y[i], 0x1p500) ? r[i] : GA_NAN_float64;
  }
}
PARTS(arcsinh) { arcsin_parts(n, y, x, s, r); }
PARTS(arccos)
{
  double a[BLOCK], b[BLOCK], c[BLOCK], d[BLOCK];
  roots(n, x, y, a, b, c, d);
  EACH s[i] = c[i] * b[i] - d[i] * a[i];
  APPLY(arcsinh, s, s);
  APPLY2(arctan2, r, a, c);
  EACH r[i] = is_below(x[i], 0x1p500) & is_below(y[i], 0x1p500) ? 2 * r[i] : GA_NAN_float64;
}
PARTS(arccosh)
{
  arccos_parts(n, x, y, r, s);
  EACH
  {
    double w = r[i];
    r[i] = size_of(s[i]);
    s[i] = __builtin_copysign(w, y[i]);
  }
}
PARTS(arctanh)
{
  double t[BLOCK];
  EACH
  {
    double a = size_of(x[i]), b = y[i];
    t[i] = 4 * a / ((1 - a) * (1 - a) + b * b);
    r[i] = 2 * size_of(b);
    s[i] = (1 - a) * (1 + a) - b * b;
  }
  APPLY2(arctan2, s, r, s);
  APPLY(log1p, r, t);
  EACH
  {
    double a = size_of(x[i]), b = size_of(y[i]);
    int is = (a != 0) & ((b != 0) | (a > 1)) & is_below(a, 0x1p500) & is_below(b, 0x1p500) &
             ((a != 1) | (b >= 0x1p-500));
    r[i] = is ? __builtin_copysign(0.25 * r[i], x[i]) : GA_NAN_float64;
    s[i] = __builtin_copysign(0.5 * s[i], y[i]);
  }
}
PARTS(arctan) { arctanh_parts(n, y, x, s, r); }

/* ---- power --------------------------------------------------------------------------- */

/* (u, v) is no small whole number, to which a power is so many products. */
static int is_general(double u, double v)
{
  int is_whole = u == __builtin_rint(u);
  return !(is_whole & is_below(u, 99)) | (v != 0);
}

/* (r, s) times (x, y) */
static void times(size_t n, double *r, double *s, const double *x, const double *y)
{
  EACH
  {
    double re = r[i] * x[i] - s[i] * y[i], im = r[i] * y[i] + s[i] * x[i];
    r[i] = re;
    s[i] = im;
  }
}
/* (x, y)^k, k > 1, by the products of ga_power_whole; of 0 NaN. */
static void whole_parts(size_t n, const double *x, const double *y, int k, double *r, double *s)
{
  double a[BLOCK], b[BLOCK];
  EACH
  {
    a[i] = x[i];
    b[i] = y[i];
    r[i] = k < 4 ? x[i] : 1;
    s[i] = k < 4 ? y[i] : 0;
  }
  for (int j = 1; j < k && k < 4; j++) times(n, r, s, x, y);
  for (int j = k < 4 ? 0 : k; j; j >>= 1) {
    if (j & 1) times(n, r, s, a, b);
    if (j > 1) times(n, a, b, a, b);
  }
  EACH r[i] = ((x[i] != 0) | (y[i] != 0)) ? r[i] : GA_NAN_float64;
}

/* (x, y) to the (u, v) that is neither a small whole number nor of such a size that it takes the
 * logarithm of the result to get there. */
static void power_parts(size_t n, double *x, double *y, double *u, double *v, double *r, double *s)
{
  double m[BLOCK], t[BLOCK];
  int some = 0, same = 1;
  EACH
  {
    some |= is_general(u[i], v[i]);
    same &= u[i] == u[0];
  }
  if (!some && same && u[0] >= 2) {
    whole_parts(n, x, y, (int)u[0], r, s);
    return;
  }
  if (!some) {
    EACH r[i] = s[i] = GA_NAN_float64;
    return;
  }
  log_parts(n, x, y, r, s);
  EACH
  {
    m[i] = -v[i] * s[i];
    t[i] = u[i] * s[i] + v[i] * r[i];
  }
  APPLY(exp, m, m);
  APPLY2(hypot, r, x, y);
  APPLY2(power, r, r, u);
  EACH m[i] = v[i] != 0 ? r[i] * m[i] : r[i];
  APPLY(cos, r, t);
  part(GA_OP_sin, n, s, t);
  EACH
  {
    int is = v[i] != 0 ? (m[i] > 1e-290) & (m[i] < 1e290) : m[i] < GA_INF_float64;
    is &= is_general(u[i], v[i]) & ((x[i] != 0) | (y[i] != 0)) & is_finite(t[i]);
    r[i] = is ? m[i] * r[i] : GA_NAN_float64;
    s[i] = t[i] == 0 ? t[i] : m[i] * s[i];
  }
}

/* ---- loops ----------------------------------------------------------------------------- */

typedef void (*parts_fn)(size_t n, double *x, double *y, double *r, double *s);

/* Functions of one number, or with no `parts` the power of two. */
#define BY_PARTS(T, C, R)                                                                       \
  static void by_parts_##T(size_t n, void *dst, const void *const *src, int op, parts_fn parts) \
  {                                                                                             \
    const ga_loop one = GA_SYM(ga_loops_##T)[op - GA_N_OP];                                     \
    const size_t nargs = parts != NULL ? 1 : 2;                                                 \
    double x[2][BLOCK], y[2][BLOCK], r[BLOCK], s[BLOCK];                                        \
    for (size_t at = 0; at < n; at += BLOCK) {                                                  \
      const size_t k = n - at < BLOCK ? n - at : BLOCK;                                         \
      mem_##T *to = (mem_##T *)dst + at;                                                        \
      int nan = 0;                                                                              \
      for (size_t j = 0; j < nargs; j++) {                                                      \
        const mem_##T *a = (const mem_##T *)src[j] + at;                                        \
        GA_INDEPENDENT                                                                          \
        for (size_t i = 0; i < k; i++) {                                                        \
          x[j][i] = a[i].re;                                                                    \
          y[j][i] = a[i].im;                                                                    \
        }                                                                                       \
      }                                                                                         \
      if (parts != NULL)                                                                        \
        parts(k, x[0], y[0], r, s);                                                             \
      else                                                                                      \
        power_parts(k, x[0], y[0], x[1], y[1], r, s);                                           \
      for (size_t i = 0; i < k; i++) nan |= (r[i] != r[i]) | (s[i] != s[i]);                    \
      for (size_t i = 0; nan && i < k; i++)                                                     \
        if (r[i] != r[i] || s[i] != s[i]) {                                                     \
          const C z = {(R)x[0][i], (R)y[0][i]};                                                 \
          const C w = {(R)x[nargs - 1][i], (R)y[nargs - 1][i]};                                 \
          const void *const from[] = {&z, &w};                                                  \
          C v;                                                                                  \
          one(1, &v, from);                                                                     \
          r[i] = v.re;                                                                          \
          s[i] = v.im;                                                                          \
        }                                                                                       \
      GA_INDEPENDENT                                                                            \
      for (size_t i = 0; i < k; i++) {                                                          \
        to[i].re = (R)r[i];                                                                     \
        to[i].im = (R)s[i];                                                                     \
      }                                                                                         \
    }                                                                                           \
  }
BY_PARTS(complex64, ga_cfloat, ga_float)
BY_PARTS(complex128, ga_cdouble, ga_double)

#define ANGLE(T, P, ID, R)                                                 \
  static void angle_##T(size_t n, void *dst, const void *const *src)       \
  {                                                                        \
    const ga_loop arctan2 = GA_SYM(ga_loop_of)(GA_OP_arctan2, GA_DT_##ID); \
    const mem_##T *a = src[0];                                             \
    R x[BLOCK], y[BLOCK];                                                  \
    const void *const parts[] = {y, x};                                    \
    for (size_t at = 0; at < n; at += BLOCK) {                             \
      const size_t k = n - at < BLOCK ? n - at : BLOCK;                    \
      GA_INDEPENDENT                                                       \
      for (size_t i = 0; i < k; i++) {                                     \
        x[i] = a[at + i].re;                                               \
        y[i] = a[at + i].im;                                               \
      }                                                                    \
      arctan2(k, (mem_##P *)dst + at, parts);                              \
    }                                                                      \
  }
ANGLE(complex64, float32, FLOAT32, ga_float)
ANGLE(complex128, float64, FLOAT64, ga_double)

#define FUNCTIONS(X, T) \
  X(exp, T)             \
  X(exp2, T)            \
  X(expm1, T)           \
  X(log, T)             \
  X(log2, T)            \
  X(log10, T)           \
  X(log1p, T)           \
  X(sin, T)             \
  X(cos, T)             \
  X(tan, T)             \
  X(sinh, T)            \
  X(cosh, T)            \
  X(tanh, T)            \
  X(arcsin, T) X(arccos, T) X(arctan, T) X(arcsinh, T) X(arccosh, T) X(arctanh, T) X(sqrt, T)

#define LOOP(name, T)                                                 \
  static void name##_##T(size_t n, void *dst, const void *const *src) \
  {                                                                   \
    by_parts_##T(n, dst, src, GA_OP_##name, name##_parts);            \
  }
#define POWER(name, T)                                                \
  static void name##_##T(size_t n, void *dst, const void *const *src) \
  {                                                                   \
    by_parts_##T(n, dst, src, GA_OP_##name, NULL);                    \
  }
#define ROW(name, T) [GA_OP_##name - GA_N_OP] = name##_##T,

FUNCTIONS(LOOP, complex64)
FUNCTIONS(LOOP, complex128)
POWER(power, complex64)
POWER(power, complex128)
POWER(float_power, complex128)

extern const ga_loop GA_SYM(ga_parts_complex64)[GA_NOP];
extern const ga_loop GA_SYM(ga_parts_complex128)[GA_NOP];
const ga_loop GA_SYM(ga_parts_complex64)[GA_NOP] = {FUNCTIONS(ROW, complex64) ROW(angle, complex64)
                                                        ROW(power, complex64)};
const ga_loop GA_SYM(ga_parts_complex128)[GA_NOP] = {
    FUNCTIONS(ROW, complex128) ROW(angle, complex128) ROW(power, complex128)
        ROW(float_power, complex128)};
