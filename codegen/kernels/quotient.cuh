/* SPDX-License-Identifier: MIT */
/* a / b of float64 where many a have the same b, as of narrower floats (scalar_half.cuh,
 * ga_divisor): the bits of a division, by four products and sums. The reciprocal is in two parts,
 * so that the first quotient is the nearest number or its neighbour; what that leaves of a is a
 * number then, and the nearest reciprocal of it the rest (Markstein). This holds far from the ends
 * of the range; there a division is made, which a kernel has once. Threads that have few elements
 * of a row (GA_LONG_ROWS is not defined) divide.
 *
 * span: how many exponents a may have, twice, as they stand in the high word; 0: b is none such. */
#ifdef GA_LONG_ROWS

struct ga_wide_divisor {
  ga_double b, high, low;
  ga_uint span;
};

GA_FN struct ga_wide_divisor ga_divisor_float64(ga_double b) {
  const ga_uint size = (ga_uint)(ga_bits_float64(b) >> 32) * 2;
  struct ga_wide_divisor d;
  d.b = b;
  d.high = 1.0 / b;
  d.low = GA_C(fma)(-b, d.high, 1.0) * d.high;
  d.span = size - (963u << 21) < 120u << 21 ? 1800u << 21 : 0; /* 2^-60 to 2^60 */
  return d;
}

GA_FN_LONG ga_double ga_divide_far(ga_double a, ga_double b) { return a / b; }

GA_FN ga_double ga_divide_by_float64(ga_double a, struct ga_wide_divisor d) {
  const ga_double near = GA_C(fma)(a, d.high, a * d.low);
  const ga_double q = GA_C(fma)(GA_C(fma)(-near, d.b, a), d.high, near);
  const ga_uint size = (ga_uint)(ga_bits_float64(a) >> 32) * 2;
  return size - (123u << 21) < d.span ? q : ga_divide_far(a, d.b); /* 2^-900 to 2^900 */
}

#else

struct ga_wide_divisor {
  ga_double b;
};
GA_FN struct ga_wide_divisor ga_divisor_float64(ga_double b) {
  struct ga_wide_divisor d;
  d.b = b;
  return d;
}
GA_FN ga_double ga_divide_by_float64(ga_double a, struct ga_wide_divisor d) { return a / d.b; }

#endif
