/* SPDX-License-Identifier: MIT */
/* Vectors of a row whose elements are joined in no order (GA_FREE), of reduce_slabs.cuh and
 * reduce_pieces.cuh: GA_LOADS a lane, of GA_SLAB elements, 16 bytes of the widest operand.
 */
#if GA_FREE && GA_VECTOR && (GA_PIECES || GA_LONG || (!GA_SHORT && GA_NR == 1))

#define GA_SLAB_ALL (GA_LOADS * 32 * GA_SLAB) /* elements that a warp loads at once */

/* Whether vectors of operand i, of small elements, are shifted to those of the first that moves. */
#define GA_ASIDE(i, T)                                                                       \
  (GA_WALKS(i) && !GA_LIES(i) && GA_STEP_##i == 0 && sizeof(T) < 4 && GA_SLAB * sizeof(T) >= 4)

/* The two aligned words around GA_SLAB elements: asked for with no condition between them, and
 * shifted when all have come. */
template <class T, bool ASIDE> struct ga_around {
  enum { BYTES = GA_SLAB * (int)sizeof(T) };
  ga_vec<ga_uint, BYTES / 4> low, high;
  ga_uint at;
  /* Elements at p, of which `from` to `to` - 1 exist: of a word that has none of those the other
   * is taken. */
  GA_FN_MEMBER void ask(const char *p, int from, int to) {
    at = (ga_uint)(ga_ulong)p & (BYTES - 1);
    const char *q = p - at;
    const int size = (int)sizeof(T);
    low = ga_load_aligned<ga_uint, BYTES / 4>(q + ((int)at + from * size >= BYTES ? BYTES : 0));
    high = ga_load_aligned<ga_uint, BYTES / 4>(q + ((int)at + to * size > BYTES ? BYTES : 0));
  }
  GA_FN_MEMBER void give(ga_pack<T, GA_SLAB> &x) const {
    ga_vec<T, GA_SLAB> r;
    const ga_vec<ga_uint, BYTES / 4> w = ga_shift_words<BYTES / 4>(low, high, at);
    memcpy(&r, &w, sizeof r);
    x.take(r);
  }
};
template <class T> struct ga_around<T, false> {
  GA_FN_MEMBER void ask(const char *, int, int) {}
  GA_FN_MEMBER void give(ga_pack<T, GA_SLAB> &) const {}
};

struct ga_slab {
#define X(i, T)                     \
  ga_pack<T, GA_SLAB> x##i[GA_LOADS]; \
  ga_around<T, GA_ASIDE(i, T)> y##i[GA_LOADS];
  GA_INPUTS(X)
#undef X
  GA_FN_MEMBER void shift() {
#define X(i, T) _Pragma("unroll") for (int c = 0; c < GA_LOADS; c++) y##i[c].give(x##i[c]);
    GA_INPUTS(X)
#undef X
  }
};

GA_FN ga_sub ga_slab_leaf(const ga_params &P, const ga_slab &s, int c, int j) {
  ga_in in;
#define X(i, T) in.x##i = s.x##i[c].get(j);
  GA_INPUTS(X)
#undef X
  return ga_narrow(ga_leaf(P, in, 0));
}

#if GA_ARG

typedef ga_value ga_best;
GA_FN ga_best ga_join_best(ga_best a, ga_best b) { return ga_better(a, b); }
GA_FN ga_best ga_no_best() { return ga_identity().r0; }
GA_FN ga_best ga_best_of(const ga_sub &a) { return a.r0; }

#else

typedef ga_sub ga_best;
GA_FN ga_best ga_join_best(const ga_best &a, const ga_best &b) { return ga_combine(a, b); }
GA_FN ga_best ga_no_best() { return ga_narrow(ga_identity()); }
GA_FN ga_best ga_best_of(const ga_sub &a) { return a; }

#endif

/* Joins to `a` those elements of vector c whose bits are set in `some`. ALL: all are. */
template <bool ALL>
GA_FN ga_best ga_join_vector(const ga_params &P, ga_best a, const ga_slab &s, int c, ga_uint some) {
#if defined(GA_BYTE_SUM) || defined(GA_BYTE_ASKED)
#if defined(GA_BYTE_ASKED)
  ga_uint found = 0;
#endif
#pragma unroll
  for (int w = 0; w < GA_SLAB / 4; w++) {
    ga_four_in in;
#define X(i, T) in.x##i = s.x##i[c].v.v[w];
    GA_INPUTS(X)
#undef X
    const ga_uint exist = (ALL ? 15 : some >> 4 * w & 15) * 0x204081u & 0x1010101u;
#if defined(GA_BYTE_SUM)
    a.r0 = ga_dot(a.r0, GA_BYTE_SUM(), ga_leaf_four(P, in), exist);
#else
    found |= (GA_BYTE_ASKED ? ga_leaf_four(P, in) : ~ga_leaf_four(P, in)) & exist;
#endif
  }
#if defined(GA_BYTE_ASKED)
  a.r0 = GA_BYTE_ASKED ? a.r0 || found != 0 : a.r0 && found == 0;
#endif
#else
#if defined(GA_NARROW_SUMS)
  /* squares of what has been put together element by element are made as those were */
#define X(i, m, square) (!(square) || GA_STEP_##i == 0) &&
  if constexpr (GA_NARROW_SUMS(X) true) {
#undef X
#define X(i, m, square) a.m = ga_add_some<square>(a.m, s.x##i[c], ALL ? ~0u : some);
    GA_NARROW_SUMS(X)
#undef X
  } else
#endif
  {
#pragma unroll
    for (int j = 0; j < GA_SLAB; j++)
      if (ALL || some >> j & 1) a = ga_join_best(a, ga_best_of(ga_slab_leaf(P, s, c, j)));
  }
#endif
  return a;
}

#if GA_EXTREME_WORDS
#if defined(GA_BOTH)
#define X(i, T) typedef ga_end_words<T> ga_slab_words;
#else
#define X(i, T) typedef ga_best_words<T> ga_slab_words;
#endif
GA_EXTREME(X)
#undef X

/* What words have in their places, joined. */
template <class W> GA_FN ga_best ga_best_of_places(const ga_params &P, const W &words) {
  ga_in in;
#define X(i, T) in.x##i = words.one();
  GA_EXTREME(X)
#undef X
  return ga_best_of(ga_narrow(ga_leaf(P, in, 0)));
}
GA_FN ga_best ga_best_of_words(const ga_params &P, const ga_slab_words &words) {
#if defined(GA_BOTH)
  const ga_best most = ga_best_of_places(P, words.most);
  const ga_best least = ga_best_of_places(P, words.least);
  ga_best a;
#define X(m, end) a.m = end.m;
  GA_BOTH(X)
#undef X
  return a;
#else
  return ga_best_of_places(P, words);
#endif
}
#endif

/* The vectors of s joined, of which those elements exist whose bits are set in `some`. */
template <bool ALL>
GA_FN ga_best ga_join_vectors(const ga_params &P, const ga_slab &s,
                              const ga_uint (&some)[GA_LOADS]) {
#if GA_EXTREME_WORDS
  ga_slab_words words[2];
  words[0].begin_worst();
  words[1].begin_worst();
#define X(i, T)                              \
  _Pragma("unroll") for (int c = 0; c < GA_LOADS; c++) \
    if (some[c] != 0) ga_take_pack(words[c & 1], s.x##i[c], ALL ? ~0u : some[c]);
  GA_EXTREME(X)
#undef X
  words[0].join(words[1]);
  return ga_best_of_words(P, words[0]);
#else
  ga_best a[4];
#pragma unroll
  for (int c = 0; c < 4; c++) a[c] = ga_no_best();
#pragma unroll
  for (int c = 0; c < GA_LOADS; c++)
    if (some[c] != 0) a[c & 3] = ga_join_vector<ALL>(P, a[c & 3], s, c, some[c]);
  return ga_join_best(ga_join_best(a[0], a[1]), ga_join_best(a[2], a[3]));
#endif
}

#endif
