/* SPDX-License-Identifier: MIT */
/* What every skeleton has of its stage: the elements that it reads and writes, and
 * where they lie.
 *
 * The generator supplies, in ga_stage.h:
 *   GA_INPUTS(X)   X(i, T) for each operand i, of device type T, that is read
 *   GA_OUTPUTS(X)  X(i, T) for each operand that is written
 *   GA_OPERANDS(X) both, in the order of the operands
 *   GA_NUMBERS(X)  X(i, T) for each number
 * and the skeleton defines ga_params with members a0, a1, ... (addresses, as char *)
 * and p0, p1, ... (numbers). For maps it supplies besides:
 *   GA_FIRST       the operand whose alignment vectors follow: the first output
 *   GA_FIRST_T     its type, GA_FIRST_ADDRESS its address
 *   GA_VEC         elements of a vector, 1 where there are none
 *   GA_ALIGNED     1: every operand that moves with the vectors lies on them
 *   GA_STORE_VEC   1: so does every output
 *   ga_map(P, in, iota, out)  the stage: reads in.x0, in.x1, ..., P.p0, ...
 *                  and `iota`, assigns out.y2, ...
 *   GA_BY_BYTES    1: so does ga_map_four of words of four bytes, without iota
 * and ga_params has a member iota_base.
 */
struct ga_in {
#define X(i, T) T x##i;
  GA_INPUTS(X)
#undef X
  char unused;
};

struct ga_out {
#define X(i, T) T y##i;
  GA_OUTPUTS(X)
#undef X
  char unused;
};

#if GA_BY_BYTES || defined(GA_BYTE_SUM) || defined(GA_BYTE_ASKED)
/* Four bytes by their word (bytes.cuh), of each operand. */
struct ga_four_in {
#define X(i, T) ga_uint x##i;
  GA_INPUTS(X)
#undef X
  char unused;
};
#endif

#if GA_BY_BYTES
/* A map by words: its results, and its vectors. */

struct ga_four_out {
#define X(i, T) ga_uint y##i;
  GA_OUTPUTS(X)
#undef X
};

struct ga_bytes_in {
#define X(i, T) ga_words<T, GA_VEC> x##i;
  GA_INPUTS(X)
#undef X
  char unused;
};

struct ga_bytes_out {
#define X(i, T) ga_words<T, GA_VEC> y##i;
  GA_OUTPUTS(X)
#undef X
};

template <class GA_P>
GA_FN void ga_map_bytes(const GA_P &P, const ga_bytes_in &in, ga_bytes_out &out) {
#pragma unroll
  for (int k = 0; k < GA_VEC / 4; k++) {
    ga_four_in f;
    ga_four_out r;
#define X(i, T) f.x##i = in.x##i.v[k];
    GA_INPUTS(X)
#undef X
    ga_map_four(P, f, r);
#define X(i, T) out.y##i.v[k] = r.y##i;
    GA_OUTPUTS(X)
#undef X
  }
}
#endif

#define GA_POINTER(i, T) char *a##i;
#define GA_NUMBER(i, T) T p##i;

/* A place in each operand, in bytes from its address. */
struct ga_place {
  ga_offset off[GA_NOFF];
};

/* `from`, moved on to position i of the axes. */
template <int N>
GA_FN ga_place ga_at(const ga_axes<N> &axes, const ga_place &from, ga_index i) {
  ga_place at = from;
  ga_walk(axes, i, at.off);
  return at;
}

/* Position i of the axes. */
template <int N> GA_FN ga_place ga_seek(const ga_axes<N> &axes, ga_index i) {
  ga_place at;
#define X(o) at.off[o] = 0;
  GA_OFFSETS(X)
#undef X
  ga_walk(axes, i, at.off);
  return at;
}

/* Operand i of N neighbours, from their results out[0] on, where `at` is the first:
 * GA_STORE_VEC 1, they lie on a vector. */
#define GA_STORE(i, T, N)                                                       \
  {                                                                             \
    ga_vec<T, N> t;                                                             \
    _Pragma("unroll") for (int e = 0; e < N; e++) t.v[e] = out[e].y##i;         \
    if (GA_STORE_VEC)                                                           \
      ga_store_aligned<T, N>(P.a##i + at.off[i], t);                            \
    else                                                                        \
      _Pragma("unroll") for (int e = 0; e < N; e++)                             \
        ga_store<T>(P.a##i + at.off[i] + e * (int)sizeof(T), t.v[e]);           \
  }

/* The vector of results r##i into operand i from p on: by `put`, which is ga_store_aligned
 * or ga_store_past, where the operand's vectors are stored whole. */
#define GA_STORE_RESULTS(i, T, put, p)                                          \
  {                                                                             \
    if constexpr (!GA_BYTES && (GA_STORE_VEC || i == GA_FIRST))                 \
      put<T, GA_VEC>(p, r##i);                                                  \
    else                                                                        \
      _Pragma("unroll") for (int k = 0; k < GA_VEC; k++)                        \
        ga_store<T>((p) + k * (int)sizeof(T), r##i.v[k]);                       \
  }
