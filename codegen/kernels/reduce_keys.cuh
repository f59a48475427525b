/* SPDX-License-Identifier: MIT */
/* argmin and argmax of elements of 1 and 2 bytes in reduce_some.cuh and chain_places.cuh: an
 * element and the line it is in, or its number in a row, are one word, the better ones
 * greater, so that each element takes two instructions: one that puts it above its line, one
 * for the greater of two words.
 *
 * The element is ranked first: its bits are those of an integer with sign that is the
 * greater the better. Whole numbers need one exclusive or (GA_RANK_FLIP). 16-bit floats
 * lose the sign of a zero, all their NaNs are one, which is the greatest, and of negative
 * ones all bits but the sign are turned; argmin takes their negatives. What a line is
 * numbered falls in the order in which the first of equals is wanted, and is never 0: a
 * word that is the least of all stands for none.
 *
 *   argmax of int8: 5 in line 3 is 0x05fffffc, the 5 of line 4 0x05fffffb, 6 0x06....
 */
#if (GA_LOOSE || defined(GA_STAGED) || defined(GA_SLAB)) && GA_KEYS

#define X(i, T) T
typedef GA_INPUTS(X) ga_key_element;
#undef X
enum { GA_LINE_BITS = 32 - 8 * (int)sizeof(ga_key_element) };
#define GA_LINES_MASK ((1u << GA_LINE_BITS) - 1)
#define GA_NO_KEY     (-0x7fffffff - 1)
#ifndef GA_FALLS /* whether positions fall along the lines */
#ifdef GA_SLAB
#define GA_FALLS (P.iota_step <= 0)
#else
#define GA_FALLS (P.row_step[GA_NOP] <= 0)
#endif
#endif

#if GA_KEYS == 2
#define GA_SIGNS 0x80008000u

/* Both 16-bit floats of a word, zeros and NaNs as above; GA_RANK_FLIP: their negatives. */
GA_FN ga_uint ga_plain_floats(ga_uint w) {
  w ^= GA_RANK_FLIP;
#if defined(__CUDA_ARCH__) && !defined(__GPUARRAY_CPU__) && GA_RANK_INFINITY == 0x7c00
  asm("add.rn.f16x2 %0, %0, %1;" : "+r"(w) : "r"(0));
#elif defined(__CUDA_ARCH__) && !defined(__GPUARRAY_CPU__) && __CUDA_ARCH__ >= 900
  asm("add.rn.bf16x2 %0, %0, %1;" : "+r"(w) : "r"(0));
#else
#pragma unroll
  for (int h = 0; h < 32; h += 16) {
    const ga_uint b = w >> h & 0xffffu;
    ga_uint to = b == 0x8000u ? 0 : b;
    if ((b & 0x7fffu) > GA_RANK_INFINITY) to = 0x7fffu;
    w = (w & 0xffff0000u >> h) | to << h;
  }
#endif
  return w;
}

/* Turns all bits but the sign of the negative ones; turns them back too. */
GA_FN ga_uint ga_turn_negatives(ga_uint w) {
#if defined(__CUDA_ARCH__) && !defined(__GPUARRAY_CPU__)
  ga_uint signs;
  asm("prmt.b32 %0, %1, %1, 0xbb99;" : "=r"(signs) : "r"(w));
  return w ^ (signs & ~GA_SIGNS);
#else
  return w ^ (w >> 15 & 0x00010001u) * 0x7fffu;
#endif
}

GA_FN ga_uint ga_ranked(ga_uint w) { return ga_turn_negatives(ga_plain_floats(w)); }
GA_FN ga_uint ga_unranked(ga_uint w) { return ga_turn_negatives(w) ^ GA_RANK_FLIP; }
#else
GA_FN ga_uint ga_ranked(ga_uint w) { return w ^ GA_RANK_FLIP; }
GA_FN ga_uint ga_unranked(ga_uint w) { return w ^ GA_RANK_FLIP; }
#endif

/* The number of line n. */
GA_FN ga_uint ga_line_number(const ga_params &P, ga_uint n) {
  return GA_FALLS ? n + 1 : ~n;
}

/* A key, `n` lines before its own. */
GA_FN ga_int ga_key_before(const ga_params &P, ga_int key, ga_uint n) {
  return (ga_int)(GA_FALLS ? (ga_uint)key - n : (ga_uint)key + n);
}

/* Element j of a pack above the number of its line. */
template <class A> GA_FN ga_int ga_key_of(const A &p, int j, ga_uint line) {
  const int size = (int)sizeof(ga_key_element), at = j * size % 4;
  const ga_uint w = ga_ranked(p.v.v[j * size / 4]);
#if defined(__CUDA_ARCH__) && !defined(__GPUARRAY_CPU__)
  return (ga_int)__byte_perm(line, w, size == 1 ? 0x4210 + at * 0x1000 : 0x5410 + at * 0x1100);
#else
  return (ga_int)((w << (GA_LINE_BITS - 8 * at) & ~GA_LINES_MASK) | (line & GA_LINES_MASK));
#endif
}

/* An element above the number of its line. */
GA_FN ga_int ga_key_above(ga_value x, ga_uint line) {
  ga_uint w = 0;
  memcpy(&w, &x, sizeof x);
  return (ga_int)((ga_ranked(w << GA_LINE_BITS) & ~GA_LINES_MASK) | (line & GA_LINES_MASK));
}

/* What of a key is its line, its element. */
GA_FN ga_uint ga_key_line(const ga_params &P, ga_int key) {
  return (GA_FALLS ? (ga_uint)key - 1 : ~(ga_uint)key) & GA_LINES_MASK;
}
GA_FN ga_value ga_key_value(ga_int key) {
  const ga_uint w = ga_unranked((ga_uint)key) >> GA_LINE_BITS;
  ga_value x;
  memcpy(&x, &w, sizeof x);
  return x;
}

#endif
