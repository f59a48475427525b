/* SPDX-License-Identifier: MIT */
/* Scans of sheets by way of shared memory (scan_boxes.cu): a block has a part of each row of many
 * columns, all rows or (GA_ALONG) P.each of them at a time, and copies aligned vectors around it,
 * wherever rows begin. Columns are those of the innermost kept axis, or (GA_OVER) the two innermost
 * ones, as these count; a sheet is what one position of the axes around them holds.
 *
 * Of operand i, row r of column c of a sheet is r * P.row[i] + c / inner * P.over[i] + c % inner *
 * P.step[i] on in it. Its copy is at P.area[i]: rows P.down[i] bytes apart, which is P.row[i]
 * modulo 16, so that vectors of memory are vectors there. Results take the place of an input that
 * lies as they do.
 *
 * A sector of memory of which two blocks store a part each takes the second cache several times as
 * long. So blocks share P.lap columns with the next one, as many as a sector may have of those:
 * both work them out, and of each row a block stores the sectors that begin in its own part. Where
 * all rows of results begin with sectors (P.lap 0), or results are the input's own memory, which
 * the next block may not have read yet, it stores its own columns and no more.
 *
 *   5 x 13422825 bfloat16, rows begin at 0, 18, 4, 22 and 8 modulo 32; P.own 4081, P.lap 15: 3290
 *   blocks of 4096 columns. Block 1 begins with column 4081, at byte 2 modulo 32 of row 0, and
 *   stores from column 4096 on there, from 4087 on in row 1; block 2 from 8176 and 8167 on.
 */
#define GA_THREADS GA_BLOCK

struct ga_params {
  GA_OPERANDS(GA_POINTER)
  ga_ulong columns; /* of a sheet */
  ga_uint each;     /* GA_ALONG: rows of a turn */
  ga_uint own, lap; /* columns of a block: its own, and those that are the next one's too */
  ga_uint lanes[GA_NOP]; /* log2 of the threads that copy a row */
  ga_ulong reduced;
  ga_long row[GA_NOP], over[GA_NOP];
  ga_div parts, inner; /* blocks of a sheet; columns of its innermost axis */
  ga_axes<GA_NK> kept_axes; /* around sheets */
  ga_uint totals;
  ga_uint area[GA_NOP];
  int down[GA_NOP], step[GA_NOP];
  GA_NUMBERS(GA_NUMBER)
};

extern __shared__ ga_sixteen ga_copy[];

/* Of an operand's row: `bytes` from p on that the block has. */
struct ga_part {
  char *p;
  ga_uint bytes;
};

/* What a block has. */
struct ga_share {
  ga_uint columns;
  ga_index begin, q, x; /* the first of them; it is x of row q of the innermost axis */
  bool sectors, ends;   /* stores whole sectors; has the last columns of the sheet */
  ga_part part[GA_NOP];
  ga_uint at[GA_NOP]; /* where its first column would be copied to, if none were over */
};

/* Bytes from a sheet's begin to its column (q, x). */
GA_FN ga_long ga_column_at(const ga_params &P, int i, ga_index q, ga_index x) {
  return (ga_long)q * P.over[i] + (ga_long)x * P.step[i];
}

GA_FN ga_share ga_share_of(const ga_params &P) {
  const ga_index sheet = ga_quotient((ga_index)blockIdx.x, P.parts);
  const ga_place at = ga_seek(P.kept_axes, sheet);
  ga_share s;
  s.begin = ((ga_index)blockIdx.x - sheet * P.parts.d) * P.own;
  const ga_ulong left = P.columns - s.begin;
  s.ends = left <= P.own;
  s.columns = left < P.own + P.lap ? (ga_uint)left : P.own + P.lap;
  s.q = ga_quotient(s.begin, P.inner);
  s.x = s.begin - s.q * P.inner.d;
  const ga_index last = s.begin + s.columns - 1, q = ga_quotient(last, P.inner);
  const ga_index x = last - q * P.inner.d;
  const bool over = q != s.q;
#define X(i, T)                                                                                   \
  {                                                                                               \
    const bool back = P.step[i] < 0;                                                              \
    const ga_long low = back ? ga_column_at(P, i, s.q, over ? P.inner.d - 1 : x)                  \
                             : ga_column_at(P, i, s.q, s.x);                                      \
    const ga_long high = back ? ga_column_at(P, i, q, over ? 0 : s.x) : ga_column_at(P, i, q, x); \
    s.part[i].p = P.a##i + ((ga_long)at.off[i] + low);                                            \
    s.at[i] = P.area[i] + ((ga_uint)(ga_ulong)s.part[i].p & 15) +                                 \
              (ga_uint)(ga_column_at(P, i, s.q, GA_OVER ? 0 : s.x) - low);                        \
    s.part[i].bytes = (ga_uint)(high - low) + (ga_uint)sizeof(T);                                 \
  }
  GA_OPERANDS(X)
#undef X
  s.sectors = P.lap > 0;
#define X(o, U)                                                              \
  {                                                                          \
    const char *const to = s.part[o].p;                                      \
    GA_INPUTS(GA_MEETS)                                                      \
  }
#define GA_MEETS(i, T) \
  if (s.part[i].p == to) s.sectors = false;
  GA_OUTPUTS(X)
#undef X
#undef GA_MEETS
  return s;
}

/* Where the block's part of a row begins, in memory and from ga_copy on. 1 << P.lanes[i] threads
 * copy a row of operand i. */
struct ga_row {
  char *p;
  ga_uint at;
};

GA_FN ga_row ga_row_at(const ga_part &part, ga_long row, ga_uint area, int down, ga_uint r) {
  return {part.p + (ga_long)r * row, area + ((ga_uint)(ga_ulong)part.p & 15) + r * (ga_uint)down};
}

GA_FN void ga_copy_in(const ga_params &P, const ga_part &part, int i, ga_uint rows) {
  const ga_uint lanes = 1u << P.lanes[i], abreast = GA_THREADS >> P.lanes[i];
#pragma unroll 1
  for (ga_uint r = threadIdx.x >> P.lanes[i]; r < rows; r += abreast) {
    const ga_row row = ga_row_at(part, P.row[i], P.area[i], P.down[i], r);
    const ga_uint low = row.at & 15;
#pragma unroll 4
    for (ga_uint b = (threadIdx.x & (lanes - 1)) * 16; b < low + part.bytes; b += lanes * 16)
      ga_copy_beside<16>((char *)ga_copy + (row.at - low + b), row.p - low + b);
  }
}

/* Stores what the block is to store of its rows: whole vectors, and elements at their ends. */
template <class T>
GA_FN void ga_copy_out(const ga_params &P, const ga_share &s, const ga_part &part, int i,
                       ga_uint rows) {
  const ga_uint lanes = 1u << P.lanes[i], abreast = GA_THREADS >> P.lanes[i];
  const ga_uint up = s.sectors ? 31 : 0;
#pragma unroll 1
  for (ga_uint r = threadIdx.x >> P.lanes[i]; r < rows; r += abreast) {
    const ga_row row = ga_row_at(part, P.row[i], P.area[i], P.down[i], r);
    /* From the sector that the part begins in: x, where it does; from where to where to store. */
    const ga_uint x = (ga_uint)(ga_ulong)row.p & 31;
    const ga_uint all = x + part.bytes, own = x + P.own * (ga_uint)sizeof(T) + up & ~up;
    const ga_uint begin = s.begin == 0 ? x : x + up & ~up, end = s.ends || own > all ? all : own;
    char *const to = row.p - x;
    const char *const from = (char *)ga_copy + row.at - x;
#pragma unroll 2
    for (ga_uint b = (begin & ~15u) + (threadIdx.x & (lanes - 1)) * 16; b < end; b += lanes * 16) {
      if (b >= begin && b + 16 <= end) {
        *(ga_sixteen *)(to + b) = *(const ga_sixteen *)(from + b);
        continue;
      }
#pragma unroll 1
      for (ga_uint e = b; e < b + 16; e += (ga_uint)sizeof(T))
        if (e >= begin && e < end) ga_store<T>(to + e, *(const T *)(from + e));
    }
  }
}

/* The same part `bytes` on. */
GA_FN ga_part ga_part_on(const ga_part &part, ga_long bytes) {
  return {part.p + bytes, part.bytes};
}

/* Copies in what is read of `rows` rows from row `first` on; copies out what became of them.
 * `first` is a multiple of 16, so that rows from there on begin as those from row 0 on do. */
GA_FN void ga_take(const ga_params &P, const ga_share &s, ga_ulong first, ga_uint rows) {
#define X(i, T) ga_copy_in(P, ga_part_on(s.part[i], (ga_long)first * P.row[i]), i, rows);
  GA_INPUTS(X)
#undef X
}

GA_FN void ga_leave(const ga_params &P, const ga_share &s, ga_ulong first, ga_uint rows) {
#define X(i, T) ga_copy_out<T>(P, s, ga_part_on(s.part[i], (ga_long)first * P.row[i]), i, rows);
  GA_OUTPUTS(X)
#undef X
}

/* Where a walk is in the areas. */
struct ga_spot {
  ga_uint at[GA_NOP];
};

/* Where column c's row r is, of those that are there. */
GA_FN ga_spot ga_spot_of(const ga_params &P, const ga_share &s, ga_ulong, ga_uint, ga_uint c,
                         ga_uint r) {
  const ga_uint n = GA_OVER ? (ga_uint)s.x + c : c;
  const ga_uint over = GA_OVER ? (ga_uint)ga_quotient(n, P.inner) : 0;
  const ga_uint x = GA_OVER ? n - over * (ga_uint)P.inner.d : n;
  ga_spot to;
#define X(i, T)                                                               \
  to.at[i] = s.at[i] + r * (ga_uint)P.down[i] + over * (ga_uint)P.over[i] + \
             x * (ga_uint)P.step[i];
  GA_OPERANDS(X)
#undef X
  return to;
}

/* Operand i, j rows on. */
template <class T>
GA_FN T ga_row_of(const ga_params &P, char *, int i, const ga_spot &to, int j) {
  return *(const T *)((const char *)ga_copy + (to.at[i] + (ga_uint)(j * P.down[i])));
}

template <class T>
GA_FN void ga_leave_row(const ga_params &P, char *, int i, const ga_spot &to, int j, T y) {
  *(T *)((char *)ga_copy + (to.at[i] + (ga_uint)(j * P.down[i]))) = y;
}
