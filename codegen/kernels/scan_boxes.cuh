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
  ga_div width;          /* columns of a box: */
  ga_uint inner, totals; /* the same; totals: where they lie, after all areas */
  ga_uint area[GA_NOP];
  int down[GA_NOP], step[GA_NOP];
  GA_NUMBERS(GA_NUMBER)
};

extern __shared__ ga_sixteen ga_copy[];

/* Which row n is in, of rows as long as a box has columns. */
GA_FN ga_uint ga_row_number(const ga_params &P, ga_uint n) {
  return (ga_uint)ga_quotient((ga_index)n, P.width);
}

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

/* Byte `at` of the areas: 16 bytes are left out behind each GA_SKEW (more than 1), as what threads
 * have, and rows whose length is a power of two, would else ask the same banks. */
GA_FN char *ga_place_of(ga_uint at) {
  return (char *)ga_copy + (GA_SKEW > 1 ? at + at / (GA_SKEW > 1 ? GA_SKEW : 1) * 16 : at);
}

/* GA_SKEW 1: they are left out behind the 32 rows of each walk, `down` bytes apart, so that a walk
 * only steps from row to row. The first of all begins `phase` bytes behind its vector, so that
 * one ends in the vector in which the next begins: that one is had twice, and what the first has of
 * it lies in what is left out. */
struct ga_ends {
  ga_uint bytes, part; /* of a walk's rows, and 2^32 by that */

  GA_FN_MEMBER ga_ends(int down) : bytes(32 * (ga_uint)down), part(0) {
    if (GA_SKEW == 1) part = 0xffffffffu / bytes + 1;
  }
  /* The walk that the vector b bytes on is of, or begins. */
  GA_FN_MEMBER ga_uint of(ga_uint b) const { return GA_SKEW == 1 ? __umulhi(b, part) : 0; }
  /* Whether one ends in it. */
  GA_FN_MEMBER bool has(ga_uint b, ga_uint phase) const {
    return GA_SKEW == 1 && phase > 0 && b > 0 && b == of(b) * bytes;
  }
};

/* The first `phase` bytes of the vector at p become those of the one before it. */
GA_FN void ga_join_ends(char *p, ga_uint phase) {
  const ga_uint *from = (const ga_uint *)(p - 16);
  ga_uint *to = (ga_uint *)p;
#pragma unroll
  for (int k = 0; k < 4; k++) {
    const int n = (int)phase - 4 * k; /* bytes of this word, and of those behind it */
    const ga_uint mask = n >= 4 ? GA_FULL : n > 0 ? (1u << 8 * n) - 1 : 0;
    to[k] = (from[k] & mask) | (to[k] & ~mask);
  }
}

GA_FN void ga_copy_in(const ga_part &part, ga_uint area, int down) {
  const ga_uint end = part.phase + part.bytes;
  const char *from = part.p - part.phase;
  const ga_ends ends(down);
#pragma unroll 4
  for (ga_uint b = threadIdx.x * 16; b < end; b += GA_THREADS * 16) {
    char *to = ga_place_of(area + b + ends.of(b) * 16);
    ga_copy_beside<16>(to, from + b);
    if (ends.has(b, part.phase)) ga_copy_beside<16>(to - 16, from + b);
  }
}

template <class T> GA_FN void ga_copy_out(const ga_part &part, ga_uint area, int down) {
  const ga_uint end = part.phase + part.bytes;
  char *to = part.p - part.phase;
  const ga_ends ends(down);
#pragma unroll 4
  for (ga_uint b = threadIdx.x * 16; b < end; b += GA_THREADS * 16) {
    char *from = ga_place_of(area + b + ends.of(b) * 16);
    if (ends.has(b, part.phase)) ga_join_ends(from, part.phase);
    if (b >= part.phase && b + 16 <= end) {
      *(ga_sixteen *)(to + b) = *(const ga_sixteen *)from;
    } else {
#pragma unroll 1
      for (ga_uint e = b; e < b + 16; e += (ga_uint)sizeof(T))
        if (e >= part.phase && e < end) ga_store<T>(to + e, *(const T *)(from + (e - b)));
    }
  }
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

#if !GA_TILES

/* What a block has: its first box, and how many. */
struct ga_share {
  ga_ulong k;
  ga_uint boxes, columns;
};

GA_FN ga_share ga_share_of(const ga_params &P) {
  ga_share s;
  s.k = GA_ALONG ? (ga_ulong)blockIdx.x : (ga_ulong)blockIdx.x * P.each;
  s.boxes = GA_ALONG ? 1 : P.boxes - s.k < P.each ? (ga_uint)(P.boxes - s.k) : P.each;
  s.columns = s.boxes * P.inner;
  return s;
}

/* Copies in what is read of `rows` rows from row `first` on; copies out what became of them. */
GA_FN void ga_take(const ga_params &P, const ga_share &s, ga_ulong first, ga_uint rows) {
#define X(i, T)           \
  if (!GA_IS_OUTSIDE(i)) \
    ga_copy_in(ga_part_of(P, P.a##i, i, (int)sizeof(T), s.k, first, s.boxes, rows), P.area[i], \
               P.down[i]);
  GA_INPUTS(X)
#undef X
}

GA_FN void ga_leave(const ga_params &P, const ga_share &s, ga_ulong first, ga_uint rows) {
#define X(i, T)           \
  if (!GA_IS_OUTSIDE(i)) \
    ga_copy_out<T>(ga_part_of(P, P.a##i, i, (int)sizeof(T), s.k, first, s.boxes, rows), \
                   P.area[i], P.down[i]);
  GA_OUTPUTS(X)
#undef X
}

/* Where column c's row `first` + r is. */
GA_FN ga_spot ga_spot_of(const ga_params &P, const ga_share &s, ga_ulong first, ga_uint rows,
                         ga_uint c, ga_uint r) {
  const ga_uint box = ga_row_number(P, c);
  ga_spot to = {s.k, {}};
#define X(i, T)                                                                                   \
  {                                                                                               \
    const ga_part part = ga_part_of(P, P.a##i, i, (int)sizeof(T), s.k, first, s.boxes, rows);     \
    to.at[i] = (GA_IS_OUTSIDE(i) ? 0 : P.area[i] + part.phase + part.origin) +                    \
               box * (ga_uint)P.pitch[i] + r * (ga_uint)P.down[i] +                               \
               (c - box * P.inner) * (ga_uint)P.step[i];                                          \
  }
  GA_OPERANDS(X)
#undef X
  return to;
}

#endif
