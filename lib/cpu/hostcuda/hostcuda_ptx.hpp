// SPDX-License-Identifier: MIT
// What the instructions of inline PTX become (lib/cpu/hostcuda_ptx.c). A register is 64 bits,
// of which an instruction takes as many as its type has; signed ones are extended.
#pragma once

typedef unsigned long long ga_ptx_reg;

template <class T> GA_HC_FN T ga_ptx(ga_ptx_reg r)
{
  T v;
  __builtin_memcpy((void *)&v, &r, sizeof v);
  return v;
}
template <> inline bool ga_ptx<bool>(ga_ptx_reg r) { return r != 0; }

template <class T> GA_HC_FN ga_ptx_reg ga_ptx_bits(T v)
{
  ga_ptx_reg r = 0;
  if constexpr ((T)0.5 == (T)0 && (T)-1 < (T)0)
    r = (ga_ptx_reg)(long long)v;
  else
    __builtin_memcpy((void *)&r, &v, sizeof v);
  return r;
}
// ---- halves: rounded once, as their operations are in PTX ---------------------------------

template <float to_float(unsigned short), unsigned short from_double(double)> struct ga_ptx_half {
  unsigned short bits;
  ga_ptx_half() = default;
  explicit ga_ptx_half(double v) : bits(from_double(v)) {}
  operator float() const { return to_float(bits); }
  friend ga_ptx_half operator+(ga_ptx_half a, ga_ptx_half b)
  {
    return ga_ptx_half((double)(float)a + (double)(float)b);
  }
  friend ga_ptx_half operator-(ga_ptx_half a, ga_ptx_half b)
  {
    return ga_ptx_half((double)(float)a - (double)(float)b);
  }
  friend ga_ptx_half operator*(ga_ptx_half a, ga_ptx_half b)
  {
    return ga_ptx_half((double)(float)a * (double)(float)b);
  }
  friend ga_ptx_half operator-(ga_ptx_half a)
  {
    a.bits ^= 0x8000;
    return a;
  }
};
template <class H> struct ga_ptx_pair {
  H x, y;
  ga_ptx_pair() = default;
  ga_ptx_pair(double x, double y) : x(x), y(y) {}
  ga_ptx_pair(H x, H y) : x(x), y(y) {}
  friend ga_ptx_pair operator+(ga_ptx_pair a, ga_ptx_pair b) { return {a.x + b.x, a.y + b.y}; }
  friend ga_ptx_pair operator-(ga_ptx_pair a, ga_ptx_pair b) { return {a.x - b.x, a.y - b.y}; }
  friend ga_ptx_pair operator*(ga_ptx_pair a, ga_ptx_pair b) { return {a.x * b.x, a.y * b.y}; }
  friend ga_ptx_pair operator-(ga_ptx_pair a) { return {-a.x, -a.y}; }
};
inline float ga_ptx_float_of_half(unsigned short h) { return ga_hc_half_to_float(h); }
inline float ga_ptx_float_of_bfloat(unsigned short h) { return __uint_as_float((unsigned)h << 16); }
inline unsigned short ga_ptx_half_of(double v) { return ga_hc_double_to_half(v); }
inline unsigned short ga_ptx_bfloat_of(double v) { return ga_hc_double_to_bfloat(v); }
typedef ga_ptx_half<ga_ptx_float_of_half, ga_ptx_half_of> ga_ptx_f16;
typedef ga_ptx_half<ga_ptx_float_of_bfloat, ga_ptx_bfloat_of> ga_ptx_bf16;
typedef ga_ptx_pair<ga_ptx_f16> ga_ptx_f16x2;
typedef ga_ptx_pair<ga_ptx_bf16> ga_ptx_bf16x2;

// A float32 of 10 bits behind the point, made by rounding ties away from zero.
struct ga_ptx_tf32 {
  unsigned bits;
  ga_ptx_tf32() = default;
  explicit ga_ptx_tf32(double v) : bits(__float_as_uint((float)v))
  {
    if ((bits & 0x7f800000) != 0x7f800000) bits += 0x1000;
    bits &= ~0x1fffu;
  }
  operator float() const { return __uint_as_float(bits & ~0x1fffu); }
};
template <> inline ga_ptx_reg ga_ptx_bits<ga_ptx_tf32>(ga_ptx_tf32 v) { return v.bits; }

#define GA_PTX_HALVES(H)                                                                        \
  template <> inline ga_ptx_reg ga_ptx_bits<H>(H v)                                             \
  {                                                                                             \
    ga_ptx_reg r = 0;                                                                           \
    __builtin_memcpy((void *)&r, (const void *)&v, sizeof v);                                   \
    return r;                                                                                   \
  }                                                                                             \
  inline H atomicAdd(H *p, H v)                                                                 \
  {                                                                                             \
    typedef decltype(ga_ptx_word(v)) word;                                                      \
    word old = __atomic_load_n((word *)(void *)p, __ATOMIC_RELAXED), next;                      \
    do next = ga_ptx_word(ga_ptx<H>(old) + v);                                                  \
    while (!__atomic_compare_exchange_n((word *)(void *)p, &old, next, false, __ATOMIC_SEQ_CST, \
                                        __ATOMIC_RELAXED));                                     \
    return ga_ptx<H>(old);                                                                      \
  }
template <class H> unsigned ga_ptx_word(ga_ptx_pair<H> v)
{
  return (unsigned)v.x.bits | (unsigned)v.y.bits << 16;
}
inline unsigned short ga_ptx_word(ga_ptx_f16 v) { return v.bits; }
inline unsigned short ga_ptx_word(ga_ptx_bf16 v) { return v.bits; }
GA_PTX_HALVES(ga_ptx_f16)
GA_PTX_HALVES(ga_ptx_bf16)
GA_PTX_HALVES(ga_ptx_f16x2)
GA_PTX_HALVES(ga_ptx_bf16x2)
#undef GA_PTX_HALVES

// An operand's, of whatever type it is.
template <class T> GA_HC_FN ga_ptx_reg ga_ptx_in(const T &v)
{
  static_assert(sizeof v <= 8, "an operand of asm has 8 bytes at the most");
  ga_ptx_reg r = 0;
  __builtin_memcpy((void *)&r, (const void *)&v, sizeof v);
  return r;
}
template <class T, size_t n> GA_HC_FN ga_ptx_reg ga_ptx_in(const T (&v)[n])
{
  return (ga_ptx_reg)&v[0];
}
template <class T> GA_HC_FN void ga_ptx_out(T &v, ga_ptx_reg r)
{
  __builtin_memcpy((void *)&v, &r, sizeof v);
}

// ---- addresses -------------------------------------------------------------------------

static void *ga_hc_shared_address();

// One in shared memory may have lost all but 32 bits, as there are no more on a GPU.
GA_HC_FN ga_ptx_reg ga_ptx_shared(ga_ptx_reg r)
{
  if (r >> 32 != 0) return r;
  const ga_ptx_reg dynamic = (ga_ptx_reg)ga_hc_dynamic();
  const ga_ptx_reg other = (ga_ptx_reg)ga_hc_shared_address();
  const unsigned past = (unsigned)r - (unsigned)dynamic;
  if (past < ga_hc_self()->block->dynamic_size) return dynamic + past;
  return other + (ga_ptx_reg)(long long)(int)((unsigned)r - (unsigned)other);
}
GA_HC_FN void ga_ptx_copy(ga_ptx_reg to, ga_ptx_reg from, unsigned n, unsigned given)
{
  if (given > n) given = n;
  __builtin_memcpy((void *)to, (const void *)from, given);
  __builtin_memset((char *)to + given, 0, n - given);
}

// ---- arithmetic ------------------------------------------------------------------------

GA_HC_FN int ga_ptx_hi(int a, int b) { return __mulhi(a, b); }
GA_HC_FN unsigned ga_ptx_hi(unsigned a, unsigned b) { return __umulhi(a, b); }
GA_HC_FN long long ga_ptx_hi(long long a, long long b) { return __mul64hi(a, b); }
GA_HC_FN ga_ptx_reg ga_ptx_hi(ga_ptx_reg a, ga_ptx_reg b) { return __umul64hi(a, b); }
GA_HC_FN short ga_ptx_hi(short a, short b) { return (short)(a * b >> 16); }
GA_HC_FN unsigned short ga_ptx_hi(unsigned short a, unsigned short b)
{
  return (unsigned short)((unsigned)a * b >> 16);
}
template <class T> GA_HC_FN T ga_ptx_abs(T a) { return a < 0 ? -a : a; }
GA_HC_FN float ga_ptx_abs(float a) { return __builtin_fabsf(a); }
GA_HC_FN double ga_ptx_abs(double a) { return __builtin_fabs(a); }
template <class T> GA_HC_FN T ga_ptx_min(T a, T b) { return b < a ? b : a; }
template <class T> GA_HC_FN T ga_ptx_max(T a, T b) { return a < b ? b : a; }
GA_HC_FN float ga_ptx_min(float a, float b) { return fminf(a, b); }
GA_HC_FN float ga_ptx_max(float a, float b) { return fmaxf(a, b); }
GA_HC_FN double ga_ptx_min(double a, double b) { return fmin(a, b); }
GA_HC_FN double ga_ptx_max(double a, double b) { return fmax(a, b); }
GA_HC_FN int ga_ptx_24(int a) { return (int)((unsigned)a << 8) >> 8; }
GA_HC_FN unsigned ga_ptx_24(unsigned a) { return a & 0xffffff; }
GA_HC_FN float ga_ptx_fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
GA_HC_FN double ga_ptx_fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
GA_HC_FN float ga_ptx_sqrt(float a) { return __builtin_sqrtf(a); }
GA_HC_FN double ga_ptx_sqrt(double a) { return __builtin_sqrt(a); }
GA_HC_FN float ga_ptx_copysign(float a, float b) { return __builtin_copysignf(b, a); }
GA_HC_FN double ga_ptx_copysign(double a, double b) { return __builtin_copysign(b, a); }
// The same of halves, of which a NaN is passed over.
#define GA_PTX_HALF(H)                                                \
  GA_HC_FN H ga_ptx_abs(H a)                                          \
  {                                                                   \
    a.bits &= 0x7fff;                                                 \
    return a;                                                         \
  }                                                                   \
  GA_HC_FN H ga_ptx_min(H a, H b) { return H((double)fminf(a, b)); }  \
  GA_HC_FN H ga_ptx_max(H a, H b) { return H((double)fmaxf(a, b)); }  \
  GA_HC_FN H ga_ptx_fma(H a, H b, H c)                                \
  {                                                                   \
    return H(ga_hc_add_odd((double)(float)a * (double)(float)b, (double)(float)c)); \
  }                                                                   \
  GA_HC_FN H ga_ptx_each(H a, double f(double)) { return H(f((float)a)); }
GA_PTX_HALF(ga_ptx_f16)
GA_PTX_HALF(ga_ptx_bf16)
#undef GA_PTX_HALF
template <class H> ga_ptx_pair<H> ga_ptx_abs(ga_ptx_pair<H> a)
{
  return {ga_ptx_abs(a.x), ga_ptx_abs(a.y)};
}
template <class H> ga_ptx_pair<H> ga_ptx_min(ga_ptx_pair<H> a, ga_ptx_pair<H> b)
{
  return {ga_ptx_min(a.x, b.x), ga_ptx_min(a.y, b.y)};
}
template <class H> ga_ptx_pair<H> ga_ptx_max(ga_ptx_pair<H> a, ga_ptx_pair<H> b)
{
  return {ga_ptx_max(a.x, b.x), ga_ptx_max(a.y, b.y)};
}
template <class H> ga_ptx_pair<H> ga_ptx_fma(ga_ptx_pair<H> a, ga_ptx_pair<H> b, ga_ptx_pair<H> c)
{
  return {ga_ptx_fma(a.x, b.x, c.x), ga_ptx_fma(a.y, b.y, c.y)};
}
template <class H> ga_ptx_pair<H> ga_ptx_each(ga_ptx_pair<H> a, double f(double))
{
  return {H(f((float)a.x)), H(f((float)a.y))};
}
template <class T> GA_HC_FN T ga_ptx_carry(T a, T b, unsigned in, unsigned &out)
{
  const T sum = a + b, all = sum + in;
  out = sum < a || all < sum;
  return all;
}
template <class T> GA_HC_FN T ga_ptx_borrow(T a, T b, unsigned in, unsigned &out)
{
  out = a < b || a - b < in;
  return a - b - in;
}
template <class T> GA_HC_FN T ga_ptx_not(T a) { return (T)~a; }
GA_HC_FN bool ga_ptx_not(bool a) { return !a; }

// A field of c bits from bit b on; beyond the top a signed number goes on with its sign.
template <class T> GA_HC_FN T ga_ptx_bfe(T a, unsigned b, unsigned c)
{
  const unsigned all = 8 * sizeof a;
  b &= 255;
  c &= 255;
  if (c == 0) return 0;
  if (b >= all) return a < 0 ? -1 : 0;
  const T moved = (T)(a >> b);
  return c >= all - b ? moved : (T)((T)((ga_ptx_reg)moved << (all - c)) >> (all - c));
}
template <class T> GA_HC_FN T ga_ptx_bfi(T a, T b, unsigned at, unsigned n)
{
  const unsigned all = 8 * sizeof a;
  at &= 255;
  n &= 255;
  if (at >= all || n == 0) return b;
  const T mask = (T)((n >= all ? ~(T)0 : ((T)1 << n) - 1) << at);
  return (T)((a << at & mask) | (b & ~mask));
}
GA_HC_FN unsigned ga_ptx_prmt(unsigned a, unsigned b, unsigned how)
{
  const ga_ptx_reg both = (ga_ptx_reg)b << 32 | a;
  unsigned r = 0;
  for (unsigned i = 0; i < 4; i++) {
    const unsigned from = how >> 4 * i, byte = (unsigned)(both >> 8 * (from & 7)) & 255;
    r |= ((from & 8) != 0 ? (byte >> 7) * 255 : byte) << 8 * i;
  }
  return r;
}
GA_HC_FN unsigned ga_ptx_lop3(unsigned a, unsigned b, unsigned c, unsigned table)
{
  unsigned r = 0;
  for (unsigned i = 0; i < 8; i++)
    if ((table >> i & 1) != 0)
      r |= ((i & 4) != 0 ? a : ~a) & ((i & 2) != 0 ? b : ~b) & ((i & 1) != 0 ? c : ~c);
  return r;
}

// A float's whole number, as near as D has it.
template <class D, class S> GA_HC_FN D ga_ptx_whole(S v)
{
  const D high = (D)-1 < 0 ? (D)((1ull << (8 * sizeof(D) - 1)) - 1) : (D)-1;
  const D low = (D)-1 < 0 ? (D)(-high - 1) : 0;
  if (v != v) return 0;
  return v >= (S)high ? high : v <= (S)low ? low : (D)v;
}

// ---- warps -----------------------------------------------------------------------------

enum ga_ptx_way { GA_PTX_IDX, GA_PTX_UP, GA_PTX_DOWN, GA_PTX_BFLY };

// shfl.sync: `clamp` holds the bound and, from bit 8 on, the bits that part a warp.
GA_HC_FN ga_ptx_reg ga_ptx_shfl(const ga_hc_at &at, int way, unsigned v, unsigned by,
                                unsigned clamp, unsigned mask, ga_ptx_reg *inside)
{
  const unsigned lane = ga_hc_lane(), parts = clamp >> 8 & 31, low = lane & parts;
  const unsigned bound = low | (clamp & 31 & ~parts);
  by &= 31;
  unsigned from = low | (by & ~parts);
  if (way == GA_PTX_UP) from = lane - by;
  if (way == GA_PTX_DOWN) from = lane + by;
  if (way == GA_PTX_BFLY) from = lane ^ by;
  *inside = way == GA_PTX_UP ? (int)from >= (int)bound : from <= bound;
  return at.shuffle(mask, v, *inside ? from : lane);
}
