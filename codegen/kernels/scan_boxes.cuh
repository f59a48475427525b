/* SPDX-License-Identifier: MIT */
/* Scans by way of shared memory (scan_boxes.cu, scan_long.cu), where rows are short or do
 * not lie on vectors, or few kept elements lie inside the scanned axis, which are the
 * columns of a box: what one position of the kept axis around it holds. A block copies
 * aligned vectors around all that it has, threads walk down columns of the copy, and the
 * block copies out what they leave.
 *
 * Of operand i, box k begins k * P.pitch[i] bytes on, row r of column c is r * P.down[i] +
 * c * P.step[i] on in it; it is copied to P.area[i] in shared memory, an output from where
 * an input of its shape and phase lies too. What lies across the boxes (GA_OUTSIDE, bit i:
 * operand i), neighbours being of neighbouring ones, is not copied: walks have it where it is.
 */
#if GA_TILES
#define GA_ACROSS 32
#define GA_WIDTH (32 * GA_VEC)
#define GA_STRIP(P) (P).inner
#else
#define GA_THREADS GA_BLOCK
#endif

struct ga_params {
  GA_OPERANDS(GA_POINTER)
#if GA_TILES
  ga_uint *ticket;
  ga_ulong kept;
  ga_div strips; /* boxes */
#else
  ga_ulong boxes;
  ga_uint each; /* boxes of a block; GA_ALONG: rows of a turn of its one */
#endif
  ga_ulong reduced;
  ga_long pitch[GA_NOP];
  ga_uint inner, totals; /* totals: where they lie, after all areas */
  ga_uint area[GA_NOP];
  int down[GA_NOP], step[GA_NOP];
  GA_NUMBERS(GA_NUMBER)
};

struct GA_ALIGN(16) ga_sixteen {
  ga_uint w[4];
};
extern __shared__ ga_sixteen ga_copy[];

#define GA_SEGMENT 128
#define GA_LEVELS (GA_ONE ? 5 : 3) /* of groups that a thread walks down: a segment's, or */
#define GA_ROWS (4 << GA_LEVELS)   /* those of a quarter of one; and its rows */

/* Of an operand: `bytes` from p on that a block has; how far that is from a vector's
 * begin, and row 0 of column 0 from p. */
struct ga_part {
  char *p;
  ga_uint bytes, phase, origin;
};

/* `rows` from row r on of some boxes from number k on. */
GA_FN ga_part ga_part_of(const ga_params &P, char *a, int i, int size, ga_ulong k, ga_ulong r,
                         ga_uint boxes, ga_uint rows) {
  const ga_uint down = (rows - 1) * (ga_uint)(P.down[i] < 0 ? -P.down[i] : P.down[i]);
  const ga_uint step = (P.inner - 1) * (ga_uint)(P.step[i] < 0 ? -P.step[i] : P.step[i]);
  ga_part part;
  part.origin = (P.down[i] < 0 ? down : 0) + (P.step[i] < 0 ? step : 0);
  part.p = a + ((ga_long)k * P.pitch[i] + (ga_long)r * P.down[i] - (ga_long)part.origin);
  part.bytes = (boxes - 1) * (ga_uint)P.pitch[i] + down + step + size;
  part.phase = (ga_uint)(ga_ulong)part.p & 15;
  return part;
}

/* Byte `at` of the areas: 16 bytes are left out behind each GA_SKEW, as what threads have, and rows
 * whose length is a power of two, would else ask the same banks. */
GA_FN char *ga_place_of(ga_uint at) {
  return (char *)ga_copy + (GA_SKEW ? at + at / (GA_SKEW ? GA_SKEW : 1) * 16 : at);
}

GA_FN void ga_copy_in(const ga_part &part, ga_uint area) {
  const ga_uint end = part.phase + part.bytes;
  const char *from = part.p - part.phase;
#pragma unroll 4
  for (ga_uint b = threadIdx.x * 16; b < end; b += GA_THREADS * 16)
    ga_copy_beside<16>(ga_place_of(area + b), from + b);
}

template <class T> GA_FN void ga_copy_out(const ga_part &part, ga_uint area) {
  const ga_uint end = part.phase + part.bytes;
  char *to = part.p - part.phase;
#pragma unroll 4
  for (ga_uint b = threadIdx.x * 16; b < end; b += GA_THREADS * 16) {
    if (b >= part.phase && b + 16 <= end) {
      *(ga_sixteen *)(to + b) = *(const ga_sixteen *)ga_place_of(area + b);
    } else {
#pragma unroll 1
      for (ga_uint e = b; e < b + 16; e += (ga_uint)sizeof(T))
        if (e >= part.phase && e < end) ga_store<T>(to + e, *(const T *)ga_place_of(area + e));
    }
  }
}

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

/* Where a walk is: in the areas, and outside of them, from the block's first box `k` on. */
struct ga_spot {
  ga_ulong k;
  ga_uint at[GA_NOP];
};

#define GA_IS_OUTSIDE(i) ((i) < 64 && (GA_OUTSIDE >> (i) & 1) != 0)

GA_FN char *ga_outside(const ga_params &P, char *a, int i, const ga_spot &to, int j) {
  return a + ((ga_long)to.k * P.pitch[i] + (int)(to.at[i] + (ga_uint)(j * P.down[i])));
}

/* Operand i, j rows on. */
template <class T>
GA_FN T ga_row_of(const ga_params &P, char *a, int i, const ga_spot &to, int j) {
  if (GA_IS_OUTSIDE(i)) return ga_load<T>(ga_outside(P, a, i, to, j));
  return *(const T *)ga_place_of(to.at[i] + (ga_uint)(j * P.down[i]));
}

template <class T>
GA_FN void ga_leave_row(const ga_params &P, char *a, int i, const ga_spot &to, int j, T y) {
  if (GA_IS_OUTSIDE(i))
    ga_store<T>(ga_outside(P, a, i, to, j), y);
  else
    *(T *)ga_place_of(to.at[i] + (ga_uint)(j * P.down[i])) = y;
}

/* Group q, of which `n` rows are there, from `to` on: joins it to those before it. STORE:
 * leaves its results. */
template <bool STORE, bool WHOLE>
GA_FN void ga_walk_group(const ga_params &P, ga_running<GA_LEVELS> &w, const ga_spot &to,
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
    if (j > 0) a[j] = ga_combine(a[j - 1], a[j]);
  }
  if (STORE) {
    const ga_acc groups = GA_ONE ? w.up : ga_combine(e.two, ga_combine(e.one, w.up));
    ga_group_results(results, a, GA_ONE ? groups : ga_combine(e.base, groups), first);
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
  ga_next_group(w, q, a[3]);
}

/* The same of a whole group; goes on to the next. */
template <bool STORE>
GA_FN void ga_walk_four(const ga_params &P, ga_running<GA_LEVELS> &w, ga_spot &to,
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
  ga_running<GA_LEVELS> w = ga_no_groups<GA_LEVELS>();
#pragma unroll 8
  for (ga_uint q = 0; q < GA_ROWS / 4; q++) ga_walk_four<STORE>(P, w, to, q, e, first);
  return w.up;
}

/* The same of n rows, with their results. */
GA_FN void ga_walk_rows(const ga_params &P, ga_spot &to, int n, const ga_earlier &e,
                        bool first) {
  if (GA_ALONG && n == GA_ROWS) {
    ga_walk_whole<true>(P, to, e, first);
    return;
  }
  ga_running<GA_LEVELS> w = ga_no_groups<GA_LEVELS>();
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
