/* SPDX-License-Identifier: MIT */
/* Scan of boxes whose operands are fast along different axes (scan_cross.cuh), few columns of many
 * rows: a unit is the columns of a box and GA_PARTS segments of 128 of their rows. What units tell
 * each other is scan_strips.cuh's, a box being a strip, of which all have as many columns; those
 * that do not exist are told of too.
 *
 *   cumsum(a, axis=1) of a Fortran-ordered [255, 105269] int16, the result int64 in C order: boxes
 *   of 32 columns and 256 rows, which are 411 units of each of 8 strips. 256 threads walk down 32
 *   rows each, first for what they make, then, when all before them is known, for their results.
 */
#define GA_QUARTER 32 /* rows of a walk */
#define GA_WALKS (GA_EXTENT3 / GA_QUARTER * GA_COLUMNS)

/* (Accumulators' own alignment may be less than their members'.) */
struct GA_ALIGN(16) ga_totals {
  ga_before before;
  ga_acc quarters[GA_WALKS], bases[GA_PARTS * GA_COLUMNS];
  ga_uint drawn;
};

extern "C" __global__ void __launch_bounds__(GA_THREADS, GA_MIN_BLOCKS)
ga_kernel(const __grid_constant__ ga_params P) {
  GA_ENTER();
  __shared__ ga_totals shared;
  ga_before &before = shared.before;
  ga_acc *const quarters = shared.quarters, *const bases = shared.bases;
  ga_offset off[GA_NOFF];
  ga_spot n;
  if (threadIdx.x == 0) shared.drawn = atomicAdd(P.ticket, 1u);
  __syncthreads();
  const ga_index drawn = (ga_index)shared.drawn;
  const ga_index unit = ga_quotient(drawn, P.strips);
  const ga_index strip = drawn - unit * P.strips.d;
  const ga_ulong first = (ga_ulong)unit * GA_EXTENT3, left = P.reduced - first;
  const ga_unit where = ga_unit_at(P, unit, strip);
  ga_find_box(P, off, n, strip);
  n.at[3] = left < GA_EXTENT3 ? (int)left : GA_EXTENT3;
#pragma unroll
  for (int o = 0; o < GA_NOFF; o++) off[o] += (ga_offset)first * P.step[3][o];
  ga_move_boxes<true>(P, off, n);
  ga_wait_for_copies();
  __syncthreads();
  bool done = false;
#pragma unroll 1
  for (int pass = 0; pass < 2; pass++) {
#pragma unroll 1
    for (int k = threadIdx.x; k < GA_WALKS; k += GA_THREADS) {
      const int s = k / GA_COLUMNS, col = k % GA_COLUMNS, y = s & 3, r = s * GA_QUARTER;
      const int rows = n.at[3] - r < GA_QUARTER ? n.at[3] - r : GA_QUARTER;
      ga_spots at;
      ga_column c;
      const bool is = ga_find_column(P, off, n, col, at) && rows > 0;
#pragma unroll
      for (int i = 0; i < GA_NOP; i++) at.off[i] += (ga_offset)r * P.step[3][i];
#define X(i, T) at.held[i] += r * ga_way_of<i>::step(3);
      GA_OPERANDS(X)
#undef X
      ga_begin_column(c);
      if (pass == 0) {
        if (is && rows == GA_QUARTER) ga_walk_column<false>(P, at, c, 0, rows);
        quarters[k] = c.groups;
        continue;
      }
      if (!is) continue;
      const ga_acc *const t = quarters + (s & ~3) * GA_COLUMNS + col;
      if (y & 2) c.four = ga_combine(t[0], t[GA_COLUMNS]);
      if (y & 1) c.two = t[(y - 1) * GA_COLUMNS];
      c.groups = ga_combine(c.four, c.two);
      c.held[2] = c.four;
      c.held[1] = c.two;
      c.spans = bases[s / 4 * GA_COLUMNS + col];
      ga_walk_column<true>(P, at, c, (ga_uint)(first / GA_ROWS) + s * (GA_QUARTER / GA_ROWS), rows);
    }
    __syncthreads();
    if (pass == 1) break;
    const auto made = [&](int p, int col) {
      const ga_acc *const t = quarters + 4 * p * GA_COLUMNS + col;
      return ga_combine(ga_combine(t[0], t[GA_COLUMNS]),
                        ga_combine(t[2 * GA_COLUMNS], t[3 * GA_COLUMNS]));
    };
    ga_wait_before(P, where, made, before);
    __syncthreads();
    done = threadIdx.x == 0 && ga_is_last(P, where);
#pragma unroll 1
    for (int col = threadIdx.x; col < GA_COLUMNS; col += GA_THREADS) {
      const ga_levels b = ga_before_unit(before, col);
      ga_passed w = {b.tiles, ga_identity(), b.chunks, b.segments};
#pragma unroll 1
      for (int p = 0; p < GA_PARTS; p++) {
        bases[p * GA_COLUMNS + col] = ga_before_next(w);
        ga_end_segment(w, where.segment + p, made(p, col));
      }
    }
    __syncthreads();
  }
  ga_move_boxes<false>(P, off, n);
  if (__syncthreads_or(done)) ga_clear(P, where);
}
