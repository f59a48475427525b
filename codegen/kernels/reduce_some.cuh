/* SPDX-License-Identifier: MIT */
/* What a thread has of a column where the result does not tell the order (GA_LOOSE 1, in
 * reduce_loose.cuh and reduce_down.cu): it joins elements as they come, line after line.
 */
struct ga_vectors {
#define X(i, T) ga_pack<T, GA_VEC> x##i[GA_LOADS];
  GA_INPUTS(X)
#undef X
};

#if GA_LOOSE

/* What a thread has of a column. Positions are found last: argmin and argmax remember the
 * line, numbered from the end where positions fall along the rows. */
#if GA_KEYS
typedef ga_int ga_some; /* reduce_keys.cuh */
GA_FN ga_some ga_nothing() { return GA_NO_KEY; }
GA_FN bool ga_is_nothing(const ga_some &a) { return a == GA_NO_KEY; }
GA_FN ga_value ga_value_of(const ga_some &a) { return ga_key_value(a); }
GA_FN ga_uint ga_line_of(const ga_params &P, const ga_some &a) { return ga_key_line(P, a); }
#elif GA_ARG
struct ga_some {
  ga_value best;
  ga_uint line;
};
#define GA_NOWHERE 0xffffffffu
#define GA_LINE(n) (P.row_step[GA_NOP] > 0 ? (n) : GA_NOWHERE - 1 - (n))
GA_FN ga_some ga_nothing() {
  ga_some r;
  r.best = ga_identity().r0;
  r.line = GA_NOWHERE;
  return r;
}
GA_FN bool ga_is_nothing(const ga_some &a) { return a.line == GA_NOWHERE; }
GA_FN ga_value ga_value_of(const ga_some &a) { return a.best; }
GA_FN ga_uint ga_line_of(const ga_params &P, const ga_some &a) { return GA_LINE(a.line); }
#else
typedef ga_sub ga_some;
GA_FN ga_some ga_nothing() { return ga_narrow(ga_identity()); }
#endif

/* Joins element j of the c-th vector, in line n of the thread's, to `a`. */
GA_FN void ga_add(const ga_params &P, ga_some &a, const ga_vectors &l, int c, int j, ga_uint n) {
#if defined(GA_NARROW_SUMS)
#define X(i, m, square) a.m = ga_add_element<square>(a.m, l.x##i[c], j);
  GA_NARROW_SUMS(X)
#undef X
#elif GA_KEYS
#define X(i, T) const ga_int key = ga_key_of(l.x##i[c], j, ga_line_number(P, n));
  GA_INPUTS(X)
#undef X
  a = a > key ? a : key;
#else
  ga_in in;
#define X(i, T) in.x##i = l.x##i[c].get(j);
  GA_INPUTS(X)
#undef X
#if GA_ARG
  const ga_value x = ga_leaf(P, in, 0).r0;
  if (ga_keep(a.best, a.line, x, GA_LINE(n))) return;
  a.best = x;
  a.line = GA_LINE(n);
#else
  a = ga_combine(a, ga_narrow(ga_leaf(P, in, 0)));
#endif
#endif
}

/* Joins lines 1, 2, ... of l to the first, as far as `exists` has them, where words do
 * several elements at once; where both ends are sought, the greatest to the first and the least to
 * the second. */
#if GA_EXTREME_WORDS && !GA_ARG
#if defined(GA_BOTH)
enum { GA_MERGED = 2 };
#define GA_MERGE ga_merge_ends
#else
enum { GA_MERGED = 1 };
#define GA_MERGE ga_merge_packs
#endif
#define X(i, T) enum { GA_MERGES = GA_VEC * sizeof(T) >= 4 && GA_LOADS > GA_MERGED };
GA_EXTREME(X)
#undef X
template <class E> GA_FN void ga_merge_lines(ga_vectors &l, const E &exists) {
#define X(i, T) if constexpr (GA_MERGES) GA_MERGE(l.x##i, exists);
  GA_EXTREME(X)
#undef X
}
#else
enum { GA_MERGES = 0, GA_MERGED = 1 };
template <class E> GA_FN void ga_merge_lines(ga_vectors &, const E &) {}
#endif
enum { GA_LINES_LEFT = GA_MERGES ? GA_MERGED : GA_LOADS };

#endif
