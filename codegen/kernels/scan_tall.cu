/* SPDX-License-Identifier: MIT */
/* Scan, class SCAN_COLUMNS, of many rows: a unit is a chunk, 1024 rows, of 8 * GA_VEC
 * neighbouring kept elements, its columns. A warp has a segment of 128 rows; lane x + 8y
 * has GA_VEC columns from number x * GA_VEC on, and of its segment rows 32y to 32y + 31:
 * 8 groups.
 *
 * Units are drawn by ticket, all columns of a chunk before the next one. Each publishes
 * what its chunk makes in every column; the last of a tile what the tile makes; the
 * last of a span what all up to the span's end makes (PREFIX), which needs the same of
 * the span before. A unit waits for the chunks of its tile before its own, the tiles
 * of its span, and the span before. scan.cuh has the order and the statuses: those of
 * chunks, of tiles, of spans, each by column.
 *
 *   20000 rows of 10 columns, GA_VEC 1: 20 chunks of 2 units, 40 in all. Unit 39 has 544
 *   rows of columns 8 and 9; it waits for chunks 16 to 18 and tiles 0 and 1.
 */
#define GA_DOWN 8 /* groups of a thread */

struct ga_params {
  GA_OPERANDS(GA_POINTER)
  ga_uint *ticket;
  ga_ulong units, kept, reduced;
  ga_div strips; /* units of a chunk */
  ga_axes<GA_NK> kept_axes;
  ga_axes<GA_NR> scanned_axes;
  ga_uint step[GA_NOP]; /* along the innermost kept axis */
  GA_NUMBERS(GA_NUMBER)
};

/* A thread's rows in one column. */
struct ga_column {
  ga_acc a[GA_DOWN][4]; /* elements, each with those before it in its group */
  /* Of the segment's groups before the thread's: all; the 8 and 16 that precede them
   * where the thread's share their higher bits (scan.cuh), else nothing. */
  ga_acc before, one, two;
};

/* Each group with those before it in the thread that share its higher bits. */
GA_FN void ga_up_to(const ga_column &c, ga_acc (&u)[GA_DOWN]) {
#pragma unroll
  for (int q = 0; q < GA_DOWN; q++) u[q] = c.a[q][3];
#pragma unroll
  for (int b = 1; b < GA_DOWN; b *= 2)
#pragma unroll
    for (int q = 0; q < GA_DOWN; q++)
      if (q & b) u[q] = ga_combine(u[(q / b) * b - 1], u[q]);
}

/* Scans one column of the segment; returns what the segment makes, in every lane. */
GA_FN ga_acc ga_scan_column(const ga_params &P, const ga_in (&in)[GA_DOWN][4][GA_VEC], int e,
                            ga_index r, ga_column &c) {
  const int lane = threadIdx.x & 31, y = lane >> 3;
  ga_acc u[GA_DOWN], up;
#pragma unroll
  for (int q = 0; q < GA_DOWN; q++) {
#pragma unroll
    for (int j = 0; j < 4; j++) {
      const bool is = (ga_ulong)r + 4 * q + j < P.reduced;
      c.a[q][j] = is ? ga_leaf(P, in[q][j][e], 0) : ga_identity();
      if (j > 0) c.a[q][j] = ga_combine(c.a[q][j - 1], c.a[q][j]);
    }
  }
  ga_up_to(c, u);
  c.one = c.two = ga_identity();
  up = ga_from_lane(u[GA_DOWN - 1], (lane - 8) & 31);
  if (y & 1) c.one = up;
  up = ga_from_lane(ga_combine(c.one, u[GA_DOWN - 1]), 8 + (lane & 7));
  if (y & 2) c.two = up;
  const ga_acc all = ga_combine(c.two, ga_combine(c.one, u[GA_DOWN - 1]));
  c.before = ga_from_lane(all, (lane - 8) & 31);
  if (y == 0) c.before = ga_identity();
  return ga_from_lane(all, 24 + (lane & 7));
}

/* The statuses of a column: chunks, tiles, spans. */
struct ga_statuses {
  ga_ulong chunk, tile, span; /* of the unit's own */
};

GA_FN ga_statuses ga_statuses_of(const ga_params &P, ga_ulong chunk, ga_ulong k) {
  const ga_ulong chunks = (P.reduced + 1023) / 1024, tiles = (chunks + 7) / 8;
  ga_statuses p;
  p.chunk = (chunk * P.kept + k) * GA_WORDS;
  p.tile = ((chunks + chunk / 8) * P.kept + k) * GA_WORDS;
  p.span = ((chunks + tiles + chunk / 256) * P.kept + k) * GA_WORDS;
  return p;
}

/* Statuses of `n` <= 32 predecessors, P.kept apart, the last one before `end`, folded from
 * the left; all lanes of a column get it. Each of its 4 lanes reads every fourth. */
GA_FN ga_acc ga_fold_before(const ga_params &P, ga_ulong end, int n, bool is) {
  const int lane = threadIdx.x & 31, y = lane >> 3;
  ga_acc v[8], x = ga_identity();
#pragma unroll
  for (int i = 0; i < 8; i++) {
    const int back = n - (4 * i + y); /* units before `end` */
    v[i] = ga_identity();
    if (is && back > 0) v[i] = ga_await(P.ticket, end - back * P.kept * GA_WORDS, GA_TOTAL);
  }
  __syncwarp();
#pragma unroll
  for (int i = 0; i < 8; i++)
    if (4 * i < n) {
#pragma unroll
      for (int h = 0; h < 4; h++) {
        const ga_acc next = ga_from_lane(v[i], 8 * h + (lane & 7));
        if (4 * i + h < n) x = ga_combine(x, next);
      }
    }
  return x;
}

/* What all before the chunk makes in column k, which with the chunk's `total` others may
 * wait for; by a whole warp. */
GA_FN ga_acc ga_before_chunk(const ga_params &P, ga_ulong chunk, ga_ulong k, bool is,
                             const ga_acc &total) {
  const ga_statuses p = ga_statuses_of(P, chunk, k);
  const int c = (int)(chunk & 7), t = (int)(chunk >> 3 & 31);
  const bool publish = is && (threadIdx.x & 31) < 8;
  ga_acc spans = ga_identity();
  if (publish) ga_publish(P.ticket, p.chunk, GA_TOTAL, total);
  const ga_acc chunks = ga_fold_before(P, p.chunk, c, is);
  const ga_acc tile = ga_combine(chunks, total);
  if (publish && c == 7) ga_publish(P.ticket, p.tile, GA_TOTAL, tile);
  const ga_acc tiles = ga_fold_before(P, p.tile, t, is);
  if (chunk >= 256 && is) spans = ga_await(P.ticket, p.span - P.kept * GA_WORDS, GA_PREFIX);
  __syncwarp();
  if (publish && c == 7 && t == 31)
    ga_publish(P.ticket, p.span, GA_PREFIX, ga_combine(spans, ga_combine(tiles, tile)));
  return ga_combine(ga_combine(spans, tiles), chunks);
}

/* All statuses as they were found; by the whole block. */
GA_FN void ga_clear(const ga_params &P) {
  const ga_statuses end = ga_statuses_of(P, ((P.reduced + 1023) / 1024 + 255) / 256 * 256, 0);
  ga_ulong *status = (ga_ulong *)(P.ticket + 4);
  for (ga_ulong i = threadIdx.x; i < end.span; i += GA_BLOCK) status[i] = 0;
  if (threadIdx.x == 0) P.ticket[0] = P.ticket[1] = 0;
}

extern "C" __global__ void __launch_bounds__(GA_BLOCK, GA_MIN_BLOCKS)
ga_kernel(const __grid_constant__ ga_params P) {
  __shared__ ga_acc segments[GA_WARPS][8 * GA_VEC], prior[8 * GA_VEC];
  __shared__ ga_uint drawn, done;
  const int warp = threadIdx.x >> 5, lane = threadIdx.x & 31, x = lane & 7;
  if (threadIdx.x == 0) drawn = atomicAdd(P.ticket, 1u);
  __syncthreads();
  const ga_uint u = drawn;
  const ga_index chunk = ga_quotient((ga_index)u, P.strips);
  const ga_ulong k = ((ga_ulong)(u - chunk * P.strips.d) * 8 + x) * GA_VEC;
  const ga_index r = chunk * 1024 + warp * 128 + (lane >> 3) * 32;
  const bool is = k < P.kept;
  ga_in in[GA_DOWN][4][GA_VEC];
  ga_column c[GA_VEC];
  ga_place column;
#pragma unroll
  for (int o = 0; o < GA_NOFF; o++) column.off[o] = 0;
  if (is) ga_walk(P.kept_axes, (ga_index)k, column.off);
#pragma unroll
  for (int d = 0; d < 4 * GA_DOWN; d++) {
    if (!is || (ga_ulong)r + d >= P.reduced) continue;
    const ga_place at = ga_at(P.scanned_axes, column, r + d);
#define X(i, T) GA_COLUMNS(i, T, in[d / 4][d % 4])
    GA_INPUTS(X)
#undef X
  }
#pragma unroll
  for (int e = 0; e < GA_VEC; e++) {
    const ga_acc total = ga_scan_column(P, in, e, r, c[e]);
    if (lane < 8) segments[warp][x * GA_VEC + e] = total;
  }
  __syncthreads();
  ga_acc before[GA_VEC];
#pragma unroll
  for (int e = 0; e < GA_VEC; e++) {
    ga_acc total = ga_identity();
#pragma unroll
    for (int w = 0; w < GA_WARPS; w++) {
      if (w == warp) before[e] = total;
      total = ga_combine(total, segments[w][x * GA_VEC + e]);
    }
    if (warp != 0) continue;
    total = ga_before_chunk(P, chunk, k + e, is, total);
    if (lane < 8) prior[x * GA_VEC + e] = total;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    done = atomicAdd(P.ticket + 1, 1u);
  }
#pragma unroll
  for (int e = 0; e < GA_VEC; e++) {
    const ga_acc base = ga_combine(prior[x * GA_VEC + e], before[e]);
    ga_acc u[GA_DOWN];
    ga_up_to(c[e], u);
#pragma unroll
    for (int q = 0; q < GA_DOWN; q++) {
      ga_acc groups = c[e].before;
      if (q != 0) groups = ga_combine(c[e].two, ga_combine(c[e].one, u[q - 1]));
      ga_group_results(c[e].a[q], ga_combine(base, groups), r == 0 && q == 0);
    }
  }
#pragma unroll
  for (int d = 0; d < 4 * GA_DOWN; d++) {
    ga_acc row[GA_VEC];
    if (!is || (ga_ulong)r + d >= P.reduced) continue;
#pragma unroll
    for (int e = 0; e < GA_VEC; e++) row[e] = c[e].a[d / 4][d % 4];
    ga_store_row(P, column, r + d, row);
  }
  __syncthreads();
  if (done == (ga_uint)P.units - 1) ga_clear(P);
}
