/* SPDX-License-Identifier: MIT */
/* What scans that walk down columns share (scan_columns.cu, scan_tall.cu): a thread
 * has GA_VEC neighbouring kept elements, its columns. GA_VEC is above 1 only where the
 * innermost kept axis is a multiple of it, and of unit step or still (`step`) in every
 * operand; GA_ALIGNED and GA_STORE_VEC are those of maps (operands.cuh). */

/* An operand's GA_VEC columns in the row that is `at`. */
#define GA_COLUMNS(i, T, to)                                                    \
  {                                                                             \
    ga_vec<T, GA_VEC> t;                                                        \
    if (GA_VEC == 1 || !P.step[i])                                              \
      t = ga_splat<T, GA_VEC>(ga_load<T>(P.a##i + at.off[i]));                  \
    else                                                                        \
      t = ga_load_vec<T, GA_VEC, GA_ALIGNED>(P.a##i + at.off[i]);               \
    _Pragma("unroll") for (int e = 0; e < GA_VEC; e++) to[e].x##i = t.v[e];     \
  }

/* The columns of a row from p on, in words. Of a small one alone the load fills the word: one that
 * is made of the half register that C++ loads waits for it right there, before the next rows are
 * asked for. */
template <class T> GA_FN ga_words<T, GA_VEC> ga_load_columns(const char *p) {
#if defined(__CUDA_ARCH__) && !defined(__GPUARRAY_CPU__)
  if constexpr (sizeof(T) < 4 && GA_VEC == 1 && !GA_BYTES) {
    ga_words<T, 1> w;
    if constexpr (sizeof(T) == 1)
      asm volatile("ld.global.u8 %0, [%1];" : "=r"(w.v[0]) : "l"(p) : "memory");
    else
      asm volatile("ld.global.u16 %0, [%1];" : "=r"(w.v[0]) : "l"(p) : "memory");
    return w;
  }
#endif
  return ga_load_words<T, GA_VEC, GA_ALIGNED>(p);
}

/* The columns of the row that is `at`, in words, and column e of them. */
template <class Params> GA_FN ga_loaded ga_load_row(const Params &P, const ga_place &at) {
  ga_loaded row;
#define X(i, T)                                                                     \
  row.x##i = !GA_MOVES && !P.step[i]                                                \
      ? ga_words_of<T, GA_VEC>(ga_splat<T, GA_VEC>(ga_load<T>(P.a##i + at.off[i]))) \
      : ga_load_columns<T>(P.a##i + at.off[i]);
  GA_INPUTS(X)
#undef X
  return row;
}

GA_FN ga_in ga_column_of(const ga_loaded &row, int e) {
  ga_in in;
#define X(i, T) in.x##i = ga_elements<T, GA_VEC>(row.x##i).v[e];
  GA_INPUTS(X)
#undef X
  return in;
}

/* The row that is `at`, whose scan is `a`: what is read after it, and the results. */
template <class Params>
GA_FN void ga_store_row(const Params &P, const ga_place &at, const ga_acc (&a)[GA_VEC]) {
  ga_outer outer[GA_VEC];
  ga_out out[GA_VEC];
#define X(i, T) GA_COLUMNS(i, T, outer)
  GA_OUTERS(X)
#undef X
#pragma unroll
  for (int e = 0; e < GA_VEC; e++) ga_post(P, a[e], outer[e], out[e]);
#define X(i, T) GA_STORE(i, T, GA_VEC)
  GA_OUTPUTS(X)
#undef X
}
