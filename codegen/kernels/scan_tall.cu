/* SPDX-License-Identifier: MIT */
/* Scan, class SCAN_COLUMNS, of many rows: a unit is a strip of GA_ACROSS * GA_VEC
 * neighbouring kept elements, its columns, and 8192 / GA_ACROSS rows: GA_PARTS of its
 * 128-row segments, all of a chunk or a half or a quarter. A thread has 32 rows, 8
 * groups, of GA_VEC columns: in a block of GA_DEEP threads one below the other, number
 * y has rows 32y to 32y + 31; four of them make a segment.
 *
 *   20000 rows of 40 columns, GA_ACROSS 32, GA_VEC 1: units of 256 rows, 79 by 2 strips.
 *   Unit 157 has 32 rows of columns 32 to 39, in thread y = 0; it waits for segments 152
 *   to 155, chunks 16 to 18 and tiles 0 and 1.
 */
#define GA_DEEP (GA_BLOCK / GA_ACROSS)
#define GA_DOWN 8 /* groups of a thread, 2^3 */

/* Rows are joined one after the other where no result tells the order, not by groups. */
#define GA_RUNS (GA_FREE && GA_HOLD == 1)

/* Where a thread's rows wait (scan_slots.cuh): GA_HOLD 1, as they were loaded, 2, as
 * accumulators, each joined with those before it in its group. */
GA_FN void ga_keep_row(int d, const ga_loaded &row, const ga_acc (&a)[GA_VEC]) {
#if GA_HOLD == 1
  ga_put(d, row);
#else
  ga_put(d, a);
#endif
}

/* Row d of the thread's, joined with those before it in its group (GA_RUNS: with `a`). What stands
 * for rows behind the last one reaches none that exists. */
GA_FN void ga_join_row(const ga_params &P, const ga_loaded &row, int d, ga_acc (&a)[GA_VEC]) {
#pragma unroll
  for (int e = 0; e < GA_VEC; e++) {
    const ga_acc leaf = ga_leaf(P, ga_column_of(row, e), 0);
    a[e] = !GA_RUNS && d % 4 == 0 ? leaf : ga_combine(a[e], leaf);
  }
}

/* The same of the kept row d. */
GA_FN void ga_kept_row(const ga_params &P, int d, ga_acc (&a)[GA_VEC]) {
#if GA_HOLD == 1
  ga_loaded row;
  ga_get(d, row);
  ga_join_row(P, row, d, a);
#else
  ga_get(d, a);
#endif
}

#if GA_COPIED
/* The thread's rows on their way to their slots. */
GA_FN void ga_copy_rows(const ga_params &P, const ga_place &column, ga_index r, int n) {
#pragma unroll 4
  for (int d = 0; d < 4 * GA_DOWN; d++) {
    const ga_place at = ga_at(P.scanned_axes, column, r + d);
    char *held = (char *)ga_held;
    if (d >= n) continue;
#define X(i, T)                                                       \
  ga_copy_slot<ga_words<T, GA_VEC>>(held, d, P.a##i + at.off[i]);     \
  held += GA_SLOTS(ga_words<T, GA_VEC>);
    GA_INPUTS(X)
#undef X
  }
  ga_end_copies();
  ga_copied(0);
}
#endif

/* Loads the thread's rows, r being the first of n, and keeps them; w: what their groups make. */
GA_FN void ga_load_rows(const ga_params &P, const ga_place &column, ga_index r, int n,
                        ga_running<3> (&w)[GA_VEC]) {
  enum { ROWS = GA_LOADS > 8 ? GA_LOADS : 8 };
  ga_acc a[GA_VEC];
#pragma unroll
  for (int e = 0; e < GA_VEC; e++) a[e] = ga_identity();
#if GA_COPIED
  ga_copy_rows(P, column, r, n);
#endif
#pragma unroll 1
  for (int first = 0; first < 4 * GA_DOWN; first += ROWS) {
#pragma unroll
    for (int f = 0; f < ROWS; f += GA_LOADS) {
      ga_loaded rows[GA_LOADS] = {};
#pragma unroll
      for (int b = 0; b < GA_LOADS; b++) {
        const int d = first + f + b;
#if GA_COPIED
        ga_get(d, rows[b]);
#else
        if (d < n) rows[b] = ga_load_row(P, ga_at(P.scanned_axes, column, r + d));
#endif
      }
#pragma unroll
      for (int b = 0; b < GA_LOADS; b++) {
        const int d = first + f + b;
        ga_join_row(P, rows[b], f + b, a);
        if (!GA_COPIED) ga_keep_row(d, rows[b], a);
#pragma unroll
        for (int e = 0; e < GA_VEC; e++)
          if (!GA_RUNS && (f + b) % 4 == 3) ga_next_group(w[e], (ga_uint)d / 4, a[e]);
      }
    }
  }
#pragma unroll
  for (int e = 0; e < GA_VEC && GA_RUNS; e++) w[e].up = a[e];
}

/* What segment p of the unit makes in column c. */
GA_FN ga_acc ga_made(const ga_acc (&threads)[GA_DEEP][GA_WIDTH], int p, int c) {
  return ga_combine(ga_combine(threads[4 * p][c], threads[4 * p + 1][c]),
                    ga_combine(threads[4 * p + 2][c], threads[4 * p + 3][c]));
}

extern "C" __global__ void __launch_bounds__(GA_BLOCK, GA_MIN_BLOCKS)
ga_kernel(const __grid_constant__ ga_params P) {
  GA_ENTER();
  __shared__ ga_acc threads[GA_DEEP][GA_WIDTH];
  __shared__ ga_before before;
  __shared__ ga_uint drawn;
  const int x = threadIdx.x % GA_ACROSS, y = threadIdx.x / GA_ACROSS;
  if (threadIdx.x == 0) drawn = atomicAdd(P.ticket, 1u);
  __syncthreads();
  const ga_index unit = ga_quotient((ga_index)drawn, P.strips);
  const ga_uint strip = drawn - (ga_uint)unit * (ga_uint)P.strips.d;
  const ga_ulong k = ((ga_ulong)strip * GA_ACROSS + x) * GA_VEC;
  const ga_index r = (unit * GA_DEEP + y) * 32;
  const ga_ulong left = k < P.kept && r < P.reduced ? P.reduced - r : 0;
  const int n = left < 32 ? (int)left : 32;
  ga_running<3> w[GA_VEC];
  ga_place column;
#pragma unroll
  for (int o = 0; o < GA_NOFF; o++) column.off[o] = 0;
  if (k < P.kept) ga_walk(P.kept_axes, (ga_index)k, column.off);
#pragma unroll
  for (int e = 0; e < GA_VEC; e++) w[e] = ga_no_groups<3>();
  ga_load_rows(P, column, r, n, w);
#pragma unroll
  for (int e = 0; e < GA_VEC; e++) threads[y][x * GA_VEC + e] = w[e].up;
  __syncthreads();
  const ga_unit at = ga_unit_at(P, unit, strip);
  ga_wait_before(P, at, [&](int p, int c) { return ga_made(threads, p, c); }, before);
  __syncthreads();
  const bool done = threadIdx.x == 0 && ga_is_last(P, at);
  ga_acc base[GA_VEC], one[GA_VEC], two[GA_VEC], a[GA_VEC]; /* a: GA_RUNS: all so far */
#pragma unroll
  for (int e = 0; e < GA_VEC; e++) {
    const int c = x * GA_VEC + e, z = y & 3;
    const ga_acc t0 = threads[y - z][c], t1 = threads[y - z + 1][c], t2 = threads[y - z + 2][c];
    ga_levels all = ga_before_unit(before, c);
#pragma unroll 1
    for (int p = 0; p < y / 4; p++) all.segments = ga_combine(all.segments, ga_made(threads, p, c));
    base[e] = ga_combine(ga_combine(all.tiles, all.chunks), all.segments);
    one[e] = z == 1 ? t0 : z == 3 ? t2 : ga_identity();
    two[e] = z >= 2 ? ga_combine(t0, t1) : ga_identity();
    a[e] = ga_combine(base[e], ga_combine(two[e], one[e]));
    w[e] = ga_no_groups<3>();
  }
  /* What follows from here on is found again, not kept since the rows were loaded. */
  ga_index first = r;
  int rows = n;
  GA_OPAQUE(first);
  asm("" : "+r"(rows));
#pragma unroll 2
  for (int q = 0; q < GA_DOWN; q++) {
    ga_acc joined[GA_VEC], results[GA_VEC];
#pragma unroll
    for (int e = 0; e < GA_VEC; e++)
      joined[e] = ga_combine(base[e], ga_combine(two[e], ga_combine(one[e], w[e].up)));
#pragma unroll
    for (int j = 0; j < 4; j++) {
      const int d = 4 * q + j;
#if GA_EXCLUSIVE
#pragma unroll
      for (int e = 0; e < GA_VEC; e++)
        results[e] = j == 0 && first + d == 0 ? ga_empty()
                     : GA_RUNS                ? a[e]
                     : j == 0                 ? joined[e]
                                              : ga_combine(joined[e], a[e]);
#endif
      ga_kept_row(P, d, a);
#if !GA_EXCLUSIVE
#pragma unroll
      for (int e = 0; e < GA_VEC; e++) results[e] = GA_RUNS ? a[e] : ga_combine(joined[e], a[e]);
#endif
      if (d < rows) ga_store_row(P, ga_at(P.scanned_axes, column, first + d), results);
    }
#pragma unroll
    for (int e = 0; e < GA_VEC && !GA_RUNS; e++) ga_next_group(w[e], (ga_uint)q, a[e]);
  }
  if (__syncthreads_or(done)) ga_clear(P, at);
}
