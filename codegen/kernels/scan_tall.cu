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
#define GA_DOWN 8 /* groups of a thread */

/* Where a thread's rows wait (scan_slots.cuh): GA_HOLD 1, as they were loaded, 2, as
 * accumulators, each joined with those before it in its group. */
GA_FN void ga_keep_row(int d, const ga_loaded &row, const ga_acc (&a)[GA_VEC]) {
#if GA_HOLD == 1
  ga_put(d, row);
#else
  ga_put(d, a);
#endif
}

/* Row d of the thread's that is there, joined with those before it in its group. */
GA_FN void ga_join_row(const ga_params &P, const ga_loaded &row, int d, int n,
                       ga_acc (&a)[GA_VEC]) {
#pragma unroll
  for (int e = 0; e < GA_VEC; e++) {
    const ga_acc leaf = d < n ? ga_leaf(P, ga_column_of(row, e), 0) : ga_identity();
    a[e] = d % 4 == 0 ? leaf : ga_combine(a[e], leaf);
  }
}

/* The same of the kept row d. */
GA_FN void ga_kept_row(const ga_params &P, int d, int n, ga_acc (&a)[GA_VEC]) {
#if GA_HOLD == 1
  ga_loaded row;
  ga_get(d, row);
  ga_join_row(P, row, d, n, a);
#else
  ga_get(d, a);
#endif
}

#if GA_COPIED
/* The thread's rows on their way to their slots. */
GA_FN void ga_copy_rows(const ga_params &P, const ga_place &column, ga_index r, int n) {
#pragma unroll
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

/* Loads the thread's rows, r being the first of n, and keeps them; u: what each group
 * makes. */
GA_FN void ga_load_rows(const ga_params &P, const ga_place &column, ga_index r, int n,
                        ga_acc (&u)[GA_DOWN][GA_VEC]) {
  ga_acc a[GA_VEC];
#if GA_COPIED
  ga_copy_rows(P, column, r, n);
#endif
#pragma unroll
  for (int d = 0; d < 4 * GA_DOWN; d += GA_LOADS) {
    ga_loaded rows[GA_LOADS];
#pragma unroll
    for (int b = 0; b < GA_LOADS; b++) {
#if GA_COPIED
      ga_get(d + b, rows[b]);
#else
      if (d + b < n) rows[b] = ga_load_row(P, ga_at(P.scanned_axes, column, r + d + b));
#endif
    }
#pragma unroll
    for (int b = 0; b < GA_LOADS; b++) {
      ga_join_row(P, rows[b], d + b, n, a);
      if (!GA_COPIED) ga_keep_row(d + b, rows[b], a);
#pragma unroll
      for (int e = 0; e < GA_VEC; e++) u[(d + b) / 4][e] = a[e];
    }
  }
}

/* Each group with those before it in the thread that share its higher bits. */
GA_FN void ga_up_to(ga_acc (&u)[GA_DOWN][GA_VEC]) {
#pragma unroll
  for (int b = 1; b < GA_DOWN; b *= 2)
#pragma unroll
    for (int q = 0; q < GA_DOWN; q++)
#pragma unroll
      for (int e = 0; e < GA_VEC; e++)
        if (q & b) u[q][e] = ga_combine(u[(q / b) * b - 1][e], u[q][e]);
}

/* What comes before a unit in each of its columns; and what its segments and, where it
 * ends one, its tile make. */
struct ga_before {
  ga_acc spans[GA_WIDTH], tiles[GA_WIDTH], chunks[GA_WIDTH], segments[GA_WIDTH];
  ga_acc parts[GA_PARTS][GA_WIDTH], tile[GA_WIDTH];
};

/* Publishes what the unit makes in column c, and waits for the segments and chunks
 * before it. */
template <class Made>
GA_FN void ga_wait_chunks(const ga_params &P, const ga_unit &u, const Made &made,
                          ga_before &before, int c, ga_ulong k) {
  const int n = (int)(u.segment & 7), m = (int)(u.chunk & 7);
  ga_acc part[GA_PARTS];
#pragma unroll
  for (int p = 0; p < GA_PARTS; p++) {
    part[p] = made(p, c);
    before.parts[p][c] = part[p];
    if (GA_FEW > 1 && u.more && !u.ends_chunk)
      ga_publish(P.ticket, ga_status_at(P, 0, u.segment + p, k), GA_TOTAL, part[p]);
  }
  ga_acc total = GA_FEW == 1 ? ga_identity() : ga_fold_totals(P, 0, u.segment - n, n, k);
  before.segments[c] = total;
#pragma unroll
  for (int p = 0; p < GA_PARTS; p++) total = ga_combine(total, part[p]);
  if (u.ends_chunk && !u.ends_tile)
    ga_publish(P.ticket, ga_status_at(P, 1, u.chunk, k), GA_TOTAL, total);
  const ga_acc chunks = ga_fold_totals(P, 1, u.chunk - m, m, k);
  before.chunks[c] = chunks;
  total = ga_combine(chunks, total);
  before.tile[c] = total;
  if (u.ends_tile && !u.ends_span)
    ga_publish(P.ticket, ga_status_at(P, 2, u.tile, k), GA_TOTAL, total);
}

/* What comes before the unit: of each of a lane's columns, a warp waits for segments and
 * chunks, one for tiles, one for spans. made(p, c): what its segment p makes in column c. */
template <class Made>
GA_FN void ga_wait_before(const ga_params &P, const ga_unit &u, const Made &made,
                          ga_before &before) {
  const int lane = threadIdx.x & 31;
  for (int job = threadIdx.x >> 5; job < 3 * GA_VEC; job += GA_THREADS / 32) {
    const int c = lane * GA_VEC + job / 3;
    const ga_ulong k = u.strip * GA_STRIP(P) + c;
    if (lane >= GA_ACROSS || c >= (int)GA_STRIP(P) || k >= P.kept) continue;
    if (job % 3 == 0)
      ga_wait_chunks(P, u, made, before, c, k);
    else if (job % 3 == 1)
      before.tiles[c] = ga_fold_back(P, 2, u.tile, (int)(u.tile & 31), k);
    else if (u.span == 0)
      before.spans[c] = ga_identity();
    else
      before.spans[c] = ga_await(P.ticket, ga_status_at(P, 3, u.span - 1, k), GA_PREFIX);
  }
}

/* What all up to the end of the unit's tile or span makes; by warp 0. */
GA_FN void ga_publish_prefixes(const ga_params &P, const ga_unit &u, const ga_before &before) {
  const int lane = threadIdx.x & 31;
  if (!u.ends_tile) return;
#pragma unroll
  for (int e = 0; e < GA_VEC; e++) {
    const int c = lane * GA_VEC + e;
    const ga_ulong k = u.strip * GA_STRIP(P) + c;
    if (lane >= GA_ACROSS || c >= (int)GA_STRIP(P) || k >= P.kept) continue;
    const ga_acc up = ga_combine(before.tiles[c], before.tile[c]);
    if (u.ends_span)
      ga_publish(P.ticket, ga_status_at(P, 3, u.span, k), GA_PREFIX,
                 ga_combine(before.spans[c], up));
    else
      ga_publish(P.ticket, ga_status_at(P, 2, u.tile, k), GA_PREFIX, up);
  }
  __threadfence(); /* a prefix need not be read by anyone */
  __syncwarp();
}

/* What comes before segment p of the unit in its column c. */
GA_FN ga_acc ga_base(const ga_before &before, int p, int c) {
  ga_acc segments = before.segments[c];
#pragma unroll
  for (int i = 0; i + 1 < GA_PARTS; i++)
    if (i < p) segments = ga_combine(segments, before.parts[i][c]);
  return ga_combine(
      ga_combine(ga_combine(before.spans[c], before.tiles[c]), before.chunks[c]), segments);
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
  ga_acc u[GA_DOWN][GA_VEC];
  ga_place column;
#pragma unroll
  for (int o = 0; o < GA_NOFF; o++) column.off[o] = 0;
  if (k < P.kept) ga_walk(P.kept_axes, (ga_index)k, column.off);
  ga_load_rows(P, column, r, n, u);
  ga_up_to(u);
#pragma unroll
  for (int e = 0; e < GA_VEC; e++) threads[y][x * GA_VEC + e] = u[GA_DOWN - 1][e];
  __syncthreads();
  const ga_unit at = ga_unit_at(P, unit, strip);
  ga_wait_before(P, at, [&](int p, int c) {
    return ga_combine(ga_combine(threads[4 * p][c], threads[4 * p + 1][c]),
                      ga_combine(threads[4 * p + 2][c], threads[4 * p + 3][c]));
  }, before);
  __syncthreads();
  if (threadIdx.x < 32) ga_publish_prefixes(P, at, before);
  const bool done = threadIdx.x == 0 && ga_is_last(P, at);
  ga_acc base[GA_VEC], up[GA_VEC], one[GA_VEC], two[GA_VEC];
#pragma unroll
  for (int e = 0; e < GA_VEC; e++) {
    const int c = x * GA_VEC + e, w = y & 3;
    const ga_acc t0 = threads[y - w][c], t1 = threads[y - w + 1][c], t2 = threads[y - w + 2][c];
    base[e] = ga_base(before, y / 4, c);
    one[e] = w == 1 ? t0 : w == 3 ? t2 : ga_identity();
    two[e] = w >= 2 ? ga_combine(t0, t1) : ga_identity();
    up[e] = ga_combine(two[e], one[e]);
  }
  /* What follows from here on is found again, not kept since the rows were loaded. */
  ga_index first = r;
  int rows = n;
  GA_OPAQUE(first);
  asm("" : "+r"(rows));
#pragma unroll
  for (int q = 0; q < GA_DOWN; q++) {
    ga_acc a[GA_VEC], joined[GA_VEC], results[GA_VEC];
#pragma unroll
    for (int e = 0; e < GA_VEC; e++) {
      if (q > 0) up[e] = ga_combine(two[e], ga_combine(one[e], u[q - 1][e]));
      joined[e] = ga_combine(base[e], up[e]);
    }
#pragma unroll
    for (int j = 0; j < 4; j++) {
      const int d = 4 * q + j;
#if GA_EXCLUSIVE
#pragma unroll
      for (int e = 0; e < GA_VEC; e++)
        results[e] = j > 0 ? ga_combine(joined[e], a[e]) : first + d == 0 ? ga_empty() : joined[e];
#endif
      ga_kept_row(P, d, rows, a);
#if !GA_EXCLUSIVE
#pragma unroll
      for (int e = 0; e < GA_VEC; e++) results[e] = ga_combine(joined[e], a[e]);
#endif
      if (d < rows) ga_store_row(P, ga_at(P.scanned_axes, column, first + d), results);
    }
  }
  if (__syncthreads_or(done)) ga_clear(P, at);
}
