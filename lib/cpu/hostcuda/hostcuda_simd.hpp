// SPDX-License-Identifier: MIT
// Operations on the two halves or the four bytes of a 32-bit word, each computed
// apart and cut to its width; and the minima, maxima and dot products of sm_61 and
// sm_90, which older GPUs have as functions too.
#pragma once

// A function name##2 on halves and name##4 on bytes: of a, b (lanes of x, y, signed
// or not, as int) the value `v`.
#define GA_HC_LANES(name, bits, T, v)                                                              \
  GA_HC_FN unsigned name(unsigned x, unsigned y)                                                   \
  {                                                                                                \
    unsigned r = 0;                                                                                \
    const int least = (T)-1 < 0 ? -(1 << (bits - 1)) : 0, most = least + (1 << bits) - 1;          \
    for (int i = 0; i < 32; i += bits) {                                                           \
      const int a = (T)(x >> i), b = (T)(y >> i);                                                  \
      r |= ((unsigned)(v) & (~0u >> (32 - bits))) << i;                                            \
    }                                                                                              \
    (void)least, (void)most;                                                                       \
    return r;                                                                                      \
  }
#define GA_HC_SIGNED(name, v)                                                                      \
  GA_HC_LANES(name##2, 16, short, v) GA_HC_LANES(name##4, 8, signed char, v)
#define GA_HC_UNSIGNED(name, v)                                                                    \
  GA_HC_LANES(name##2, 16, unsigned short, v) GA_HC_LANES(name##4, 8, unsigned char, v)
#define GA_HC_CLAMP(v) ((v) < least ? least : (v) > most ? most : (v))
#define GA_HC_DISTANCE (a < b ? b - a : a - b)

GA_HC_UNSIGNED(__vadd, a + b)
GA_HC_SIGNED(__vaddss, GA_HC_CLAMP(a + b))
GA_HC_UNSIGNED(__vaddus, GA_HC_CLAMP(a + b))
GA_HC_UNSIGNED(__vsub, a - b)
GA_HC_SIGNED(__vsubss, GA_HC_CLAMP(a - b))
GA_HC_UNSIGNED(__vsubus, GA_HC_CLAMP(a - b))
GA_HC_SIGNED(__vavgs, (a + b + (a + b >= 0)) >> 1)
GA_HC_UNSIGNED(__vavgu, (a + b + 1) >> 1)
GA_HC_UNSIGNED(__vhaddu, (a + b) >> 1)
GA_HC_SIGNED(__vabsdiffs, GA_HC_DISTANCE)
GA_HC_UNSIGNED(__vabsdiffu, GA_HC_DISTANCE)
GA_HC_SIGNED(__vmaxs, a < b ? b : a)
GA_HC_UNSIGNED(__vmaxu, a < b ? b : a)
GA_HC_SIGNED(__vmins, b < a ? b : a)
GA_HC_UNSIGNED(__vminu, b < a ? b : a)

// A lane of ones where it holds (cmp), or 1 (set).
#define GA_HC_COMPARE(S, name, test)                                                               \
  S(__vcmp##name, (test) ? -1 : 0)                                                                 \
  S(__vset##name, (test) ? 1 : 0)
GA_HC_COMPARE(GA_HC_UNSIGNED, eq, a == b)
GA_HC_COMPARE(GA_HC_UNSIGNED, ne, a != b)
GA_HC_COMPARE(GA_HC_SIGNED, ges, a >= b)
GA_HC_COMPARE(GA_HC_UNSIGNED, geu, a >= b)
GA_HC_COMPARE(GA_HC_SIGNED, gts, a > b)
GA_HC_COMPARE(GA_HC_UNSIGNED, gtu, a > b)
GA_HC_COMPARE(GA_HC_SIGNED, les, a <= b)
GA_HC_COMPARE(GA_HC_UNSIGNED, leu, a <= b)
GA_HC_COMPARE(GA_HC_SIGNED, lts, a < b)
GA_HC_COMPARE(GA_HC_UNSIGNED, ltu, a < b)

#define GA_HC_NEGATIONS(n)                                                                         \
  GA_HC_FN unsigned __vneg##n(unsigned x) { return __vsub##n(0, x); }                              \
  GA_HC_FN unsigned __vnegss##n(unsigned x) { return __vsubss##n(0, x); }                          \
  GA_HC_FN unsigned __vabs##n(unsigned x) { return __vabsdiffs##n(x, 0); }                         \
  GA_HC_FN unsigned __vabsss##n(unsigned x) { return __vmaxs##n(x, __vnegss##n(x)); }
GA_HC_NEGATIONS(2)
GA_HC_NEGATIONS(4)

GA_HC_FN unsigned ga_hc_halves(unsigned x) { return (x & 0xffff) + (x >> 16); }
GA_HC_FN unsigned ga_hc_bytes(unsigned x)
{
  return ga_hc_halves((x & 0xff00ff) + (x >> 8 & 0xff00ff));
}
GA_HC_FN unsigned __vsads2(unsigned x, unsigned y) { return ga_hc_halves(__vabsdiffs2(x, y)); }
GA_HC_FN unsigned __vsadu2(unsigned x, unsigned y) { return ga_hc_halves(__vabsdiffu2(x, y)); }
GA_HC_FN unsigned __vsads4(unsigned x, unsigned y) { return ga_hc_bytes(__vabsdiffs4(x, y)); }
GA_HC_FN unsigned __vsadu4(unsigned x, unsigned y) { return ga_hc_bytes(__vabsdiffu4(x, y)); }

// ---- three operands, and a floor of 0 (relu) -----------------------------------------

#define GA_HC_EXTREMES(m)                                                                          \
  GA_HC_FN int __vi##m##_s32_relu(int a, int b) { return max(m(a, b), 0); }                        \
  GA_HC_FN int __vi##m##3_s32(int a, int b, int c) { return m(m(a, b), c); }                       \
  GA_HC_FN unsigned __vi##m##3_u32(unsigned a, unsigned b, unsigned c) { return m(m(a, b), c); }   \
  GA_HC_FN int __vi##m##3_s32_relu(int a, int b, int c) { return max(m(m(a, b), c), 0); }          \
  GA_HC_FN int __viadd##m##_s32(int a, int b, int c)                                               \
  {                                                                                                \
    return m((int)((unsigned)a + (unsigned)b), c);                                                 \
  }                                                                                                \
  GA_HC_FN unsigned __viadd##m##_u32(unsigned a, unsigned b, unsigned c) { return m(a + b, c); }   \
  GA_HC_FN int __viadd##m##_s32_relu(int a, int b, int c)                                          \
  {                                                                                                \
    return max(__viadd##m##_s32(a, b, c), 0);                                                      \
  }                                                                                                \
  GA_HC_FN unsigned __vi##m##_s16x2_relu(unsigned a, unsigned b)                                   \
  {                                                                                                \
    return __vmaxs2(__v##m##s2(a, b), 0);                                                          \
  }                                                                                                \
  GA_HC_FN unsigned __vi##m##3_s16x2(unsigned a, unsigned b, unsigned c)                           \
  {                                                                                                \
    return __v##m##s2(__v##m##s2(a, b), c);                                                        \
  }                                                                                                \
  GA_HC_FN unsigned __vi##m##3_u16x2(unsigned a, unsigned b, unsigned c)                           \
  {                                                                                                \
    return __v##m##u2(__v##m##u2(a, b), c);                                                        \
  }                                                                                                \
  GA_HC_FN unsigned __vi##m##3_s16x2_relu(unsigned a, unsigned b, unsigned c)                      \
  {                                                                                                \
    return __vmaxs2(__vi##m##3_s16x2(a, b, c), 0);                                                 \
  }                                                                                                \
  GA_HC_FN unsigned __viadd##m##_s16x2(unsigned a, unsigned b, unsigned c)                         \
  {                                                                                                \
    return __v##m##s2(__vadd2(a, b), c);                                                           \
  }                                                                                                \
  GA_HC_FN unsigned __viadd##m##_u16x2(unsigned a, unsigned b, unsigned c)                         \
  {                                                                                                \
    return __v##m##u2(__vadd2(a, b), c);                                                           \
  }                                                                                                \
  GA_HC_FN unsigned __viadd##m##_s16x2_relu(unsigned a, unsigned b, unsigned c)                    \
  {                                                                                                \
    return __vmaxs2(__viadd##m##_s16x2(a, b, c), 0);                                               \
  }
GA_HC_EXTREMES(max)
GA_HC_EXTREMES(min)

// Also says whether a was taken.
#define GA_HC_CHOICE(m, is)                                                                        \
  GA_HC_FN int __vib##m##_s32(int a, int b, bool *p) { return (*p = a is b) ? a : b; }             \
  GA_HC_FN unsigned __vib##m##_u32(unsigned a, unsigned b, bool *p)                                \
  {                                                                                                \
    return (*p = a is b) ? a : b;                                                                  \
  }                                                                                                \
  GA_HC_FN unsigned __vib##m##_s16x2(unsigned a, unsigned b, bool *high, bool *low)                \
  {                                                                                                \
    *high = (short)(a >> 16) is (short)(b >> 16), *low = (short)a is (short)b;                     \
    return __v##m##s2(a, b);                                                                       \
  }                                                                                                \
  GA_HC_FN unsigned __vib##m##_u16x2(unsigned a, unsigned b, bool *high, bool *low)                \
  {                                                                                                \
    *high = a >> 16 is b >> 16, *low = (a & 0xffff) is(b & 0xffff);                                \
    return __v##m##u2(a, b);                                                                       \
  }
GA_HC_CHOICE(max, >=)
GA_HC_CHOICE(min, <=)

// ---- dot products ------------------------------------------------------------------------

GA_HC_FN int __dp4a(int a, int b, int c)
{
  unsigned r = (unsigned)c;
  for (int i = 0; i < 32; i += 8) r += (unsigned)((signed char)(a >> i) * (signed char)(b >> i));
  return (int)r;
}
GA_HC_FN unsigned __dp4a(unsigned a, unsigned b, unsigned c)
{
  for (int i = 0; i < 32; i += 8) c += (a >> i & 255) * (b >> i & 255);
  return c;
}
GA_HC_FN int __dp2a_lo(int a, int b, int c)
{
  return (int)((unsigned)c + (unsigned)((short)a * (signed char)b) +
               (unsigned)((short)(a >> 16) * (signed char)(b >> 8)));
}
GA_HC_FN unsigned __dp2a_lo(unsigned a, unsigned b, unsigned c)
{
  return c + (a & 0xffff) * (b & 255) + (a >> 16) * (b >> 8 & 255);
}
GA_HC_FN int __dp2a_hi(int a, int b, int c) { return __dp2a_lo(a, b >> 16, c); }
GA_HC_FN unsigned __dp2a_hi(unsigned a, unsigned b, unsigned c) { return __dp2a_lo(a, b >> 16, c); }
#define GA_HC_DOT(name, A, B, T)                                                                   \
  GA_HC_FN T name(A a, B b, T c) { return name(ga_hc_bits<T>(a), ga_hc_bits<T>(b), c); }
GA_HC_DOT(__dp4a, char4, char4, int)
GA_HC_DOT(__dp4a, uchar4, uchar4, unsigned)
GA_HC_DOT(__dp2a_lo, short2, char4, int)
GA_HC_DOT(__dp2a_lo, ushort2, uchar4, unsigned)
GA_HC_DOT(__dp2a_hi, short2, char4, int)
GA_HC_DOT(__dp2a_hi, ushort2, uchar4, unsigned)
