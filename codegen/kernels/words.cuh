/* SPDX-License-Identifier: MIT */
/* Words of 4 bytes that hold several whole numbers, and the greater or less of two of them place
 * by place: one instruction compares both halves. A byte is the upper one of its half, what lies
 * below it decides between equals alone; the lower ones are shifted up first.
 */

/* The greater, or less, of each half of a and b. */
template <bool GREATEST, bool SIGNED> GA_FN ga_uint ga_better_halves(ga_uint a, ga_uint b) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900 && !defined(__GPUARRAY_CPU__)
  if (SIGNED && GREATEST) asm("max.s16x2 %0, %0, %1;" : "+r"(a) : "r"(b));
  if (SIGNED && !GREATEST) asm("min.s16x2 %0, %0, %1;" : "+r"(a) : "r"(b));
  if (!SIGNED && GREATEST) asm("max.u16x2 %0, %0, %1;" : "+r"(a) : "r"(b));
  if (!SIGNED && !GREATEST) asm("min.u16x2 %0, %0, %1;" : "+r"(a) : "r"(b));
  return a;
#else
  const ga_uint flip = SIGNED ? 0x80008000u : 0;
  ga_uint r = 0;
  for (ga_uint m = 0xffffu; m != 0; m <<= 16) {
    const ga_uint x = (a ^ flip) & m, y = (b ^ flip) & m;
    r |= (GREATEST ? (x > y ? x : y) : (x < y ? x : y));
  }
  return r ^ flip;
#endif
}

/* The same of each of PARTS numbers, 2 or 4. */
template <int PARTS, bool GREATEST, bool SIGNED>
GA_FN ga_uint ga_better_parts(ga_uint a, ga_uint b) {
  const ga_uint upper = ga_better_halves<GREATEST, SIGNED>(a, b);
  if (PARTS == 2) return upper;
  const ga_uint lower = ga_better_halves<GREATEST, SIGNED>(a << 8, b << 8);
  return __byte_perm(upper, lower, 0x3715);
}

/* What is no better than any number, PARTS times. */
template <int PARTS, bool GREATEST, bool SIGNED> GA_FN ga_uint ga_worst_parts() {
  const ga_uint least = !SIGNED ? 0 : PARTS == 4 ? 0x80808080u : 0x80008000u;
  return GREATEST ? least : ~least;
}

/* `sum` and the elements of word v, each times its byte of `weights`, the lowest the first's. */
#if defined(__CUDA_ARCH__) && !defined(__GPUARRAY_CPU__)
#define GA_DOT(T, dot)                                                                \
  GA_FN ga_int ga_dot(ga_int sum, T, ga_uint v, ga_uint weights) {                     \
    asm(dot " %0, %1, %2, %0;" : "+r"(sum) : "r"(v), "r"(weights));                   \
    return sum;                                                                       \
  }
GA_DOT(ga_byte, "dp4a.s32.s32")
GA_DOT(ga_ubyte, "dp4a.u32.u32")
GA_DOT(ga_short, "dp2a.lo.s32.s32")
GA_DOT(ga_ushort, "dp2a.lo.u32.u32")
#else
template <class T> GA_FN ga_int ga_dot(ga_int sum, T, ga_uint v, ga_uint weights) {
  const int each = 4 / (int)sizeof(T), bits = 8 * (int)sizeof(T);
  for (int e = 0; e < each; e++) {
    const ga_uint w = weights >> 8 * e & 255;
    sum += (ga_int)(T)(v >> bits * e) * (sizeof(T) == 1 ? (ga_int)(T)w : (ga_int)w);
  }
  return sum;
}
#endif
