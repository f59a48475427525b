/* SPDX-License-Identifier: MIT */
/* Walks down columns that lie in shared memory (scan_boxes.cuh, scan_sheets.cuh, each of which
 * says where: ga_spot, ga_row_of, ga_leave_row), four rows at a time, and what walks tell each
 * other: of a segment, and of all segments of a column.
 */
#define GA_SEGMENT 128
#define GA_ROWS (4 << GA_LEVELS) /* of a walk: those there are of one segment, or of a quarter */
#define GA_HELD (GA_LEVELS > 0 ? GA_LEVELS : 1)

/* What comes before a walk: before its segment, and in that what the quarters before its own
 * make, an even number of them and the one behind those. */
struct ga_earlier {
  ga_acc base, two, one;
};

/* What a segment's quarters make, the first making t[0] and the others being `pitch` apart. */
GA_FN ga_acc ga_of_quarters(const ga_acc *t, ga_uint pitch) {
  return ga_combine(ga_combine(t[0], t[pitch]), ga_combine(t[2 * pitch], t[3 * pitch]));
}

/* The same of those before number y. */
GA_FN void ga_join_quarters(ga_earlier &e, const ga_acc *t, ga_uint pitch, ga_uint y) {
  e.two = e.one = ga_identity();
  if (y & 2) e.two = ga_combine(t[0], t[pitch]);
  if (y & 1) e.one = t[(y - 1) * pitch];
}

/* What a walk begins with: where no result tells the order (GA_FREE) all that comes before it, to
 * which rows are joined one after the other, not by groups. */
template <bool STORE> GA_FN ga_running<GA_HELD> ga_begin_walk(const ga_earlier &e) {
  ga_running<GA_HELD> w = ga_no_groups<GA_HELD>();
  if (GA_FREE && STORE && !GA_ONE)
    w.up = ga_combine(e.base, ga_combine(e.two, e.one));
  return w;
}

/* Group q, of which `n` rows are there, from `to` on: joins it to those before it. STORE:
 * leaves its results. */
template <bool STORE, bool WHOLE>
GA_FN void ga_walk_group(const ga_params &P, ga_running<GA_HELD> &w, const ga_spot &to,
                         ga_uint q, int n, const ga_earlier &e, bool first) {
  ga_acc a[4], results[4];
#pragma unroll
  for (int j = 0; j < 4; j++) {
    ga_in in;
    a[j] = ga_identity();
    if (WHOLE || j < n) {
#define X(i, T) in.x##i = ga_row_of<T>(P, P.a##i, i, to, j);
      GA_INPUTS(X)
#undef X
      a[j] = ga_leaf(P, in, 0);
    }
    if (GA_FREE || j > 0) a[j] = ga_combine(j > 0 ? a[j - 1] : w.up, a[j]);
  }
  if (STORE && GA_FREE) {
    ga_group_results<true>(results, a, w.up, first);
  } else if (STORE) {
    const ga_acc groups = GA_ONE ? w.up : ga_combine(e.two, ga_combine(e.one, w.up));
    ga_group_results<GA_LEVELS == 0>(results, a, GA_ONE ? groups : ga_combine(e.base, groups),
                                     first);
  }
#pragma unroll
  for (int j = 0; j < 4; j++) {
    ga_outer outer;
    ga_out out;
    if (!STORE || !(WHOLE || j < n)) continue;
    ga_post(P, results[j], outer, out);
#define X(i, T) ga_leave_row<T>(P, P.a##i, i, to, j, out.y##i);
    GA_OUTPUTS(X)
#undef X
  }
  if (GA_FREE)
    w.up = a[3];
  else if (GA_LEVELS > 0)
    ga_next_group(w, q, a[3]);
}

/* The same of a whole group; goes on to the next. */
template <bool STORE>
GA_FN void ga_walk_four(const ga_params &P, ga_running<GA_HELD> &w, ga_spot &to,
                        ga_uint q, const ga_earlier &e, bool first) {
  ga_walk_group<STORE, true>(P, w, to, q, 4, e, first && q == 0);
#pragma unroll
  for (int i = 0; i < GA_NOP; i++) to.at[i] += (ga_uint)(4 * P.down[i]);
}

/* Walks down GA_ROWS rows of a column from the one at `to` on; `first`: a row's first. Returns
 * what they make. */
template <bool STORE>
GA_FN ga_acc ga_walk_whole(const ga_params &P, ga_spot &to, const ga_earlier &e,
                           bool first) {
  ga_running<GA_HELD> w = ga_begin_walk<STORE>(e);
#pragma unroll 8
  for (ga_uint q = 0; q < GA_ROWS / 4; q++) ga_walk_four<STORE>(P, w, to, q, e, first);
  return w.up;
}

/* The same of n rows, with their results. */
GA_FN void ga_walk_rows(const ga_params &P, ga_spot &to, int n, const ga_earlier &e,
                        bool first) {
  if ((GA_ALONG || GA_TILES) && n == GA_ROWS) {
    ga_walk_whole<true>(P, to, e, first);
    return;
  }
  ga_running<GA_HELD> w = ga_begin_walk<true>(e);
  ga_uint q = 0;
#pragma unroll 1
  for (; q < (ga_uint)n / 4; q++) ga_walk_four<true>(P, w, to, q, e, first);
  if (n % 4 > 0) ga_walk_group<true, false>(P, w, to, q, n % 4, e, first && q == 0);
}

/* What comes before segment s of a column, `at` coming before the first, which is number `n`,
 * from what they make, each `pitch` from the next. */
GA_FN ga_acc ga_before_segment(const ga_acc *made, ga_uint s, ga_uint pitch, ga_uint n,
                               ga_levels at) {
#pragma unroll 4
  for (ga_uint i = 0; i < s; i++) {
    at.segments = ga_combine(at.segments, made[i * pitch]);
    if ((n + i & 7) == 7) {
      at.chunks = ga_combine(at.chunks, at.segments);
      at.segments = ga_identity();
    }
    if ((n + i & 63) == 63) {
      at.tiles = ga_combine(at.tiles, at.chunks);
      at.chunks = ga_identity();
    }
  }
  return ga_combine(ga_combine(at.tiles, at.chunks), at.segments);
}

/* What `n` segments make, of `columns` side by side, from what their quarters make. */
GA_FN void ga_join_segments(const ga_acc *quarters, ga_acc *made, ga_uint columns, ga_uint n) {
  for (ga_uint v = threadIdx.x; v < n; v += GA_THREADS)
    made[v] = ga_of_quarters(quarters + v + v / columns * 3 * columns, columns);
}
