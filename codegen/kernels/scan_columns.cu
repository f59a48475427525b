/* SPDX-License-Identifier: MIT */
/* Scan, class SCAN_COLUMNS: a lane has GA_VEC neighbouring kept elements, its columns,
 * and walks down their rows, 16 at a time (4 groups), the next 16 being on their way.
 *
 * GA_TEAM 8: a unit is 32 * GA_VEC columns of a block. Warp w has rows 16w to 16w + 15 of
 * a segment of 128; the warps tell each other what their 16 rows make.
 * Where rows cut sectors of memory, a block has GA_STRIPS units side by side, whose barriers are
 * one: what both write of a sector then meets in the second cache.
 * GA_TEAM 1: a unit is 32 * GA_VEC columns of a warp, which has all of a segment, its 16
 * rows number w one after the other.
 *
 *   300 rows of 1000 columns, GA_VEC 1, GA_TEAM 8: 32 units; a block's third segment
 *   has 44 rows, of which warp 2 has 12 and warps 3 to 7 none. The last block's lanes
 *   8 to 31 have no column.
 *
 * GA_VEC above 1: the innermost kept axis is a multiple of it, and of unit step or still
 * (`step`) in every operand.
 */
#define GA_DOWN 16 /* rows of a thread at a time */

struct ga_params {
  GA_OPERANDS(GA_POINTER)
  ga_ulong kept, reduced;
  ga_axes<GA_NK> kept_axes;
  ga_axes<GA_NR> scanned_axes;
  ga_uint step[GA_NOP]; /* along the innermost kept axis */
  GA_NUMBERS(GA_NUMBER)
};

/* From a row to the next. (The scanned axis is one.) Behind the last row it may wrap round. */
GA_FN void ga_step(const ga_params &P, ga_place &at) {
#pragma unroll
  for (int o = 0; o < GA_NOFF; o++)
    at.off[o] = (ga_offset)((ga_index)at.off[o] + (ga_index)P.scanned_axes.step[0][o]);
}

/* Rows are reached by steps where lanes have vectors, which takes fewer instructions; elements
 * alone are the faster when each row is found from the column. */
#define GA_ROW_AT(at, r) (GA_VEC > 1 ? at : ga_at(P.scanned_axes, column, r))

/* Rows r to r + 15, as far as they exist; in words, as what is made of them would have
 * to wait for them. */
GA_FN void ga_load_rows(const ga_params &P, const ga_place &column, ga_index r, bool is,
                        ga_loaded (&in)[GA_DOWN]) {
  if (!is || r >= P.reduced) return;
  ga_place at = ga_at(P.scanned_axes, column, r);
#pragma unroll
  for (int d = 0; d < GA_DOWN; d++) {
    if ((ga_ulong)r + d < P.reduced) in[d] = ga_load_row(P, GA_ROW_AT(at, r + d));
    ga_step(P, at);
  }
}

/* What a column's rows so far make. */
struct ga_column : ga_passed {
  ga_acc groups;          /* the groups of the segment before this warp's 16 rows */
  ga_acc one, two, four;  /* aligned 16, 32, 64 rows before them, where the number of
                             the 16 rows has bit 0, 1, 2 set; else nothing */
};

/* The groups of the segment up to one that, with those before it in its 16 rows, makes u. */
GA_FN ga_acc ga_up_to(const ga_column &c, const ga_acc &u) {
  return ga_combine(c.four, ga_combine(c.two, ga_combine(c.one, u)));
}

/* The rows of the thread: each joined with those before it in its group; u: each group
 * with those before it among the four. What stands for rows behind the last one reaches none
 * that exists. */
GA_FN void ga_scan_rows(const ga_params &P, const ga_loaded (&in)[GA_DOWN], int e,
                        ga_acc (&a)[4][4], ga_acc (&u)[4]) {
#pragma unroll
  for (int q = 0; q < 4; q++)
#pragma unroll
    for (int j = 0; j < 4; j++) {
      const int d = 4 * q + j;
      a[q][j] = ga_leaf(P, ga_column_of(in[d], e), 0);
      if (j > 0) a[q][j] = ga_combine(a[q][j - 1], a[q][j]);
    }
  u[0] = a[0][3];
  u[1] = ga_combine(u[0], a[1][3]);
  u[2] = ga_combine(u[1], a[2][3]);
  u[3] = ga_combine(u[1], ga_combine(a[2][3], a[3][3]));
}

/* Their results. */
GA_FN void ga_finish_rows(const ga_column &c, ga_acc (&a)[4][4], const ga_acc (&u)[4],
                          ga_index r) {
  const ga_acc before = ga_before_next(c);
#pragma unroll
  for (int q = 0; q < 4; q++) {
    const ga_acc groups = q == 0 ? c.groups : ga_up_to(c, u[q - 1]);
    ga_group_results(a[q], a[q], ga_combine(before, groups), r == 0 && q == 0);
  }
}

GA_FN void ga_store_rows(const ga_params &P, const ga_place &column, ga_index r, bool is,
                         const ga_acc (&a)[GA_VEC][4][4]) {
  if (!is || r >= P.reduced) return;
  ga_place at = ga_at(P.scanned_axes, column, r);
#pragma unroll
  for (int d = 0; d < GA_DOWN; d++) {
    ga_acc x[GA_VEC];
#pragma unroll
    for (int e = 0; e < GA_VEC; e++) x[e] = a[e][d / 4][d % 4];
    if ((ga_ulong)r + d < P.reduced) ga_store_row(P, GA_ROW_AT(at, r + d), x);
    ga_step(P, at);
  }
}

#if GA_TEAM == 1

/* After 16 rows, number w of the segment's eight, that make u. */
GA_FN void ga_next_rows(ga_column &c, ga_ulong s, int w, const ga_acc &u, ga_acc (&held)[3]) {
  c.groups = ga_up_to(c, u);
  if (!(w & 1)) held[0] = u;
  if ((w & 3) == 1) held[1] = ga_combine(held[0], u);
  if (w == 3) held[2] = c.groups;
  if (w == 7) {
    ga_end_segment(c, s, c.groups);
    c.groups = ga_identity();
  }
  const int n = (w + 1) & 7;
  c.one = n & 1 ? held[0] : ga_identity();
  c.two = n & 2 ? held[1] : ga_identity();
  c.four = n & 4 ? held[2] : ga_identity();
}

#else

/* What the other warps' 16 rows make becomes this warp's column; returns what the
 * segment makes. x: of each warp, GA_VEC * 32 apart. */
GA_FN ga_acc ga_meet(ga_column &c, const ga_acc *x) {
  const int w = (int)(threadIdx.x >> 5) % GA_WARPS;
  ga_acc t[8], p[8]; /* p: up to each */
#pragma unroll
  for (int k = 0; k < 8; k++) t[k] = x[k * (32 * GA_VEC)];
  const ga_acc t45 = ga_combine(t[4], t[5]);
  p[0] = t[0];
  p[1] = ga_combine(t[0], t[1]);
  p[2] = ga_combine(p[1], t[2]);
  p[3] = ga_combine(p[1], ga_combine(t[2], t[3]));
  p[4] = ga_combine(p[3], t[4]);
  p[5] = ga_combine(p[3], t45);
  p[6] = ga_combine(p[3], ga_combine(t45, t[6]));
  p[7] = ga_combine(p[3], ga_combine(t45, ga_combine(t[6], t[7])));
  c.groups = c.one = c.two = ga_identity();
  c.four = w & 4 ? p[3] : ga_identity();
#pragma unroll
  for (int k = 1; k < 8; k++)
    if (k == w) {
      c.groups = p[k - 1];
      if (k & 1) c.one = t[k - 1];
      if (k & 2) c.two = k & 4 ? t45 : p[1];
    }
  return p[7];
}

#endif

extern "C" __global__ void __launch_bounds__(GA_BLOCK * GA_STRIPS, GA_MIN_BLOCKS)
ga_kernel(const __grid_constant__ ga_params P) {
  GA_ENTER();
  const int warp = (int)(threadIdx.x >> 5) % GA_WARPS, lane = threadIdx.x & 31;
  const int strip = threadIdx.x / GA_BLOCK;
  const ga_ulong unit = GA_TEAM == 1 ? (ga_ulong)blockIdx.x * GA_WARPS + warp
                                     : (ga_ulong)blockIdx.x * GA_STRIPS + strip;
  const ga_ulong k = (unit * 32 + lane) * GA_VEC;
  const bool is = k < P.kept;
  const ga_index pitch = GA_TEAM * GA_DOWN;
  ga_loaded in[GA_DOWN] = {};
  ga_column c[GA_VEC];
  ga_place column;
#if GA_TEAM == 1
  if (unit * 32 * GA_VEC >= P.kept) return;
  ga_acc held[GA_VEC][3];
#else
  __shared__ ga_acc strips[GA_STRIPS][2][GA_WARPS][32 * GA_VEC];
  auto &shared = strips[strip];
#endif
#pragma unroll
  for (int o = 0; o < GA_NOFF; o++) column.off[o] = 0;
  if (is) ga_walk(P.kept_axes, (ga_index)k, column.off);
#pragma unroll
  for (int e = 0; e < GA_VEC; e++) {
    (ga_passed &)c[e] = ga_nothing_passed();
    c[e].groups = c[e].one = c[e].two = c[e].four = ga_identity();
  }
  ga_index r = GA_TEAM == 1 ? 0 : warp * GA_DOWN;
  ga_load_rows(P, column, r, is, in);
#pragma unroll 1
  for (ga_ulong n = 0; n * pitch < P.reduced; n++, r += pitch) {
    ga_acc a[GA_VEC][4][4], u[GA_VEC][4];
#pragma unroll
    for (int e = 0; e < GA_VEC; e++) ga_scan_rows(P, in, e, a[e], u[e]);
    ga_load_rows(P, column, r + pitch, is, in);
#if GA_TEAM == 1
#pragma unroll
    for (int e = 0; e < GA_VEC; e++) {
      ga_finish_rows(c[e], a[e], u[e], r);
      ga_next_rows(c[e], n >> 3, (int)n & 7, u[e][3], held[e]);
    }
#else
#pragma unroll
    for (int e = 0; e < GA_VEC; e++) shared[n & 1][warp][lane * GA_VEC + e] = u[e][3];
    __syncthreads();
#pragma unroll
    for (int e = 0; e < GA_VEC; e++) {
      const ga_acc total = ga_meet(c[e], &shared[n & 1][0][lane * GA_VEC + e]);
      ga_finish_rows(c[e], a[e], u[e], r);
      ga_end_segment(c[e], n, total);
    }
#endif
    ga_store_rows(P, column, r, is, a);
  }
}
