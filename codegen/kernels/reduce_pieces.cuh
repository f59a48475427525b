/* SPDX-License-Identifier: MIT */
/* Free reductions over several axes, and short rows of bytes (GA_PIECES), of reduce_rows.cu: a
 * position of all but the innermost axis is a piece, or the row is one, and rows are numbered by
 * slots: the vectors of a piece's elements, of which each has as many as the one that begins
 * worst. What else lies in them is left out.
 *
 *   pieces of 127 int8: nine slots. One that begins at address 5 modulo 16 has elements 0 to 10 in
 *   its first, 107 to 122 in its eighth, the last four in its ninth.
 *
 * Slots are those of the first operand that moves; others lie as it does, or are shifted
 * (GA_ASIDE).
 */
#if GA_PIECES

/* Loads the c-th vector of s from a slot; which of its elements are the piece's, a bit each. */
GA_FN ga_uint ga_load_slot(const ga_params &P, const ga_place &row, ga_index slot, ga_slab &s,
                           int c) {
  const ga_div &slots = P.reduced_axes.dim[GA_NR <= 3 ? GA_NR - 1 : P.reduced_axes.n - 1];
  const ga_place at = ga_at(P.reduced_axes, row, slot);
  const ga_offset v = (ga_offset)(slot - ga_quotient(slot, slots) * slots.d);
  ga_offset before = 0;
#define X(i, T)                                                                    \
  if (!GA_ALIGNED && (i) == GA_FIRST)                                              \
    before = (ga_offset)((ga_ulong)(P.a##i + at.off[i]) / sizeof(T) & (GA_SLAB - 1));
  GA_INPUTS(X)
#undef X
  const ga_offset first = v * GA_SLAB - before, left = (ga_offset)P.extent - first;
  const int from = first < 0 ? (int)-first : 0, to = left < GA_SLAB ? (int)left : GA_SLAB;
  if (to <= from) return 0;
#define X(i, T)                                                             \
  if constexpr (GA_ASIDE(i, T))                                             \
    s.y##i[c].ask(P.a##i + (at.off[i] - before * (ga_offset)sizeof(T)), from, to); \
  else if constexpr (GA_WALKS(i))                                           \
    s.x##i[c].load(P.a##i + (at.off[i] - before * (ga_offset)sizeof(T)));   \
  else                                                                      \
    s.x##i[c].fill(ga_load<T>(P.a##i + at.off[i]));
  GA_INPUTS(X)
#undef X
  return (1u << to) - (1u << from);
}

#if GA_SHORT

/* Rows of GA_LOADS slots a lane at most, GA_ROWS at once: 2^lanes lanes have row k, others those
 * that follow `rows` apart. All are loaded before any is joined. */
GA_FN void ga_slot_rows(const ga_params &P, ga_index k, ga_index rows, ga_index sub) {
  const ga_index slots = P.reduced / GA_SLAB;
  ga_slab s[GA_ROWS];
  ga_uint some[GA_ROWS][GA_LOADS];
#pragma unroll
  for (int n = 0; n < GA_ROWS; n++) {
    const bool exists = k + n * rows < P.units;
    const ga_place row = ga_seek(P.kept_axes, exists ? k + n * rows : 0);
#pragma unroll
    for (int c = 0; c < GA_LOADS; c++) {
      const ga_index slot = sub + ((ga_index)c << P.lanes);
      some[n][c] = exists && slot < slots ? ga_load_slot(P, row, slot, s[n], c) : 0;
    }
    s[n].shift();
  }
#pragma unroll
  for (int n = 0; n < GA_ROWS; n++) {
    ga_sub a = ga_join_vectors<GA_ALIGNED>(P, s[n], some[n]);
    a = ga_join_down(a, (int)P.lanes);
    if (sub == 0 && k + n * rows < P.units) ga_finish(P, k + n * rows, ga_widen(a));
  }
}

#else

/* Elements `from` to `to` - 1, as slots number them. */
GA_FN ga_acc ga_pieces(const ga_params &P, const ga_place &row, ga_index from, ga_index to) {
  ga_acc all = ga_identity();
#pragma unroll 1
  for (ga_index r = from + (threadIdx.x & 31) * GA_SLAB; r < to; r += GA_SLAB_ALL) {
    ga_uint some[GA_LOADS];
    ga_slab s;
#pragma unroll
    for (int c = 0; c < GA_LOADS; c++)
      some[c] = r + c * 32 * GA_SLAB < to ? ga_load_slot(P, row, r / GA_SLAB + c * 32, s, c) : 0;
    s.shift();
    all = ga_combine(all, ga_widen(ga_join_vectors<GA_ALIGNED>(P, s, some)));
  }
  return all;
}

#endif

#endif
