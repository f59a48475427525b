/* SPDX-License-Identifier: MIT */
/* Reduce, where some operands are fast along the innermost reduced axis and others along
 * another one, kept or reduced: its positions are rows. What crosses goes by way of shared memory.
 *
 * Elements are numbered in the order of DESIGN.md. A line is what a crossed operand has in
 * memory for some rows that follow each other, from one element's number on; a box has
 * the lines of so many numbers from `first` on. Element `first + t * apart + q` of the
 * reduced ones lies in line q as its t-th, or where rows are kept (GA_KEPT 1) element
 * first + q of row t. Warps then fold a chunk each: lanes have elements 32 apart, as in
 * reduce_stripes.cuh, of which those that do not cross are read as they lie. Results of
 * chunks are joined 256 at a time by whichever warp is the last of those to have one.
 *
 *   sum(a*b), a of 5000 x 3000 float32 in C order, b in Fortran order: 3000 apart, boxes of 8
 *   rows. That from element 1024 of rows 8 to 15 on: row 9 begins with number 27000, its
 *   element 1024 is 28024, and chunk 28 begins with 28672, 648 behind: it is in lines
 *   648 to 1671 as their second.
 *
 * GA_PASSES 1: the chunks of a box's rows begin in several lines. 1280 are there at once, from the
 * first of these on, then from the first that did not fit.
 *
 * GA_SHORT 1: rows are shorter than a chunk. A box has them whole, all lines of a row, and the
 * rows into which its last chunk goes on; element d of a box lies in line d % apart.
 * Where rows end (and another axis goes on), what follows in numbers is no neighbour in memory: it
 * is put into the lines by single elements.
 *
 * GA_LOOSE 1: results do not tell the order. Each row of a box is a chunk of its own, of
 * GA_CHUNK lines at most; warps join theirs, and what is joined by tickets is boxes.
 *
 * GA_BOXED: bit i: operand i crosses. GA_LINEAR: bit i: all elements of a result, or of a row if
 * it crosses or GA_LOOSE is 1, are as far from each other in it as their numbers say. GA_ALIGNED
 * 1: lines begin with vectors of 16 bytes. GA_STEPS 1: rows are not all one element apart: what
 * lies between is copied too, and a line that goes backwards begins with the last of its rows.
 * GA_WHOLE 1: chunks lack no element. GA_LOADS: pieces of 128 elements of a chunk. */
/* Chunks go on into the next row. */
#define GA_GOES_ON (!GA_KEPT && !GA_SHORT && !GA_LOOSE)
/* Elements of a chunk, at most. */
#define GA_CHUNK (GA_LOOSE ? 128 * GA_LOADS : 1024)
#define GA_IN_BOX(i) ((GA_BOXED >> (i) & 1) != 0)
#define GA_IS_LINEAR(i) ((GA_LINEAR >> (i) & 1) != 0)

/* How an operand's lines lie in shared memory. */
struct ga_box {
  ga_uint from, pitch;         /* bytes: of the lines; from one to the next */
  ga_uint vectors, by_vectors; /* of a line; 2^32 divided by that, rounded up */
};

typedef ga_vec<ga_uint, 4> ga_quad;

struct ga_params {
  GA_OPERANDS(GA_POINTER)
  ga_acc *part;
  ga_uint *ticket;
  ga_index reduced, rows;
  ga_index apart;              /* from row to row */
  ga_index chunks;             /* of one result; GA_LOOSE: boxes */
  ga_div bands, steps, outers; /* boxes along the rows, along numbers; what is outside the rows */
  ga_axes<GA_NK> kept_axes;    /* GA_KEPT: rows are the last */
  ga_axes<GA_NR> reduced_axes;
  ga_offset step[GA_NOFF], row_step[GA_NOFF]; /* along the innermost of those, and the rows */
  ga_uint height, lines;       /* rows and lines of a box */
  ga_uint held_rows;           /* rows that its lines have */
  ga_uint by_apart, tickets;   /* 2^32 divided by `apart`, rounded up; tickets of a result */
  ga_box box[GA_NOP];
  GA_NUMBERS(GA_NUMBER)
};

/* A box: number `first` is element `x` of its first row. `rows` of them are left there, the
 * numbers of all end with `end`. */
struct ga_tile {
  ga_index k, first, x, rows, end;
  ga_uint height; /* rows of the box */
  ga_uint lines;  /* that are of use */
};

GA_FN ga_tile ga_tile_at(const ga_params &P, ga_index n) {
  const ga_index rest = ga_quotient(n, P.bands), outer = ga_quotient(rest, P.steps);
  const ga_index y = (n - rest * P.bands.d) * P.height;
  ga_tile b;
  b.x = (rest - outer * P.steps.d) * GA_CHUNK;
  b.rows = P.rows - y;
#if GA_KEPT
  const ga_index left = P.reduced - b.x;
  b.k = outer * P.rows + y;
  b.first = b.x;
  b.end = P.reduced;
#else
  const ga_index left = P.apart - b.x + (GA_LOOSE ? 0 : 1023);
  b.k = ga_quotient(outer, P.outers);
  b.end = (outer - b.k * P.outers.d + 1) * P.rows * P.apart;
  b.first = b.end - b.rows * P.apart + b.x;
#endif
  b.height = b.rows < P.height ? (ga_uint)b.rows : P.height;
  const ga_uint most = GA_LOOSE ? GA_CHUNK : 2047;
  b.lines = left < most ? (ga_uint)left : most;
  if (GA_SHORT) b.lines = (ga_uint)P.apart;
  return b;
}

/* Its lines from line `low` on, as many as there is room for. */
GA_FN ga_tile ga_tile_from(const ga_params &P, ga_tile b, ga_uint low) {
  b.first += low;
  b.x += low;
  b.lines = b.lines - low < P.lines ? b.lines - low : P.lines;
  return b;
}

/* A chunk: its first element's number; the line and the row of a box that this lies in; whether
 * the box has it. */
struct ga_piece {
  ga_index r;
  ga_uint q, t;
  ga_uint left; /* how many elements it has */
  bool on;
};

/* The n-th of a box, from line `low` on. */
GA_FN ga_piece ga_piece_at(const ga_params &P, const ga_tile &b, ga_uint low, ga_uint n) {
  ga_piece p;
#if GA_SHORT
  p.t = 0;
  p.r = ((b.first + 1023) / 1024 + n) * 1024;
  p.q = (ga_uint)(p.r - b.first);
  p.on = p.r < b.first + b.height * P.apart;
#elif GA_KEPT || GA_LOOSE
  p.t = n;
  p.r = b.first + (GA_KEPT ? 0 : n * P.apart);
  p.q = 0;
  p.on = n < b.height;
#else
  const ga_index begin = b.first + n * P.apart, left = P.apart - b.x;
  p.t = n;
  p.r = (begin + 1023) / 1024 * 1024;
  p.q = (ga_uint)(p.r - begin);
  p.on = n < b.height && p.q < left && p.q - low <= P.lines - 1024;
  p.q -= low;
#endif
#if GA_LOOSE
  p.left = GA_WHOLE ? GA_CHUNK : b.lines;
#else
  p.left = GA_WHOLE || P.reduced - p.r > 1024 ? 1024 : (ga_uint)(P.reduced - p.r);
#endif
  return p;
}

/* The first line from `low` on that some chunk begins in; 1024: none. */
GA_FN ga_uint ga_next_line(const ga_params &P, const ga_tile &b, ga_uint low) {
#if GA_PASSES
  ga_uint next = 1024;
#pragma unroll 1
  for (ga_uint n = 0; n < b.height; n++) {
    const ga_uint q = (0 - (ga_uint)(b.first + n * P.apart)) & 1023;
    if (q >= low && q < next && q < P.apart - b.x) next = q;
  }
  return next;
#else
  return low;
#endif
}

/* How far behind a vector's begin line q begins, of operand i. */
GA_FN unsigned char *ga_phases(const ga_params &P, char *held, int i) {
  return (unsigned char *)held + P.box[i].from + P.lines * P.box[i].pitch;
}

/* Bytes from a row's element of operand i to the next row's. */
template <class T> GA_FN ga_int ga_row_step(const ga_params &P, int i) {
  return GA_STEPS ? (ga_int)P.row_step[i] : (ga_int)sizeof(T);
}

/* How far behind its line's begin the element of row 0 lies. */
template <class T> GA_FN ga_int ga_before(const ga_params &P, int i) {
  const ga_int step = ga_row_step<T>(P, i);
  return step < 0 ? ((ga_int)P.held_rows - 1) * -step : 0;
}

/* Where the t-th element of line q lies in shared memory. */
template <class T>
GA_FN T *ga_slot(const ga_params &P, char *held, int i, ga_uint q, ga_uint t) {
  const ga_uint phase = GA_ALIGNED ? 0 : ga_phases(P, held, i)[q];
  const ga_int down = ga_before<T>(P, i) + (ga_int)t * ga_row_step<T>(P, i);
  return (T *)(held + (P.box[i].from + q * P.box[i].pitch + phase + (ga_uint)down));
}

/* Copies the vectors that a box's lines lie in. */
GA_FN void ga_fetch_lines(const ga_params &P, const ga_tile &tile, const ga_place &row,
                          char *held) {
#define X(i, T)                                                                               \
  if constexpr (GA_IN_BOX(i)) {                                                               \
    const ga_box &b = P.box[i];                                                               \
    const ga_shared to = ga_shared_at(held + b.from);                                         \
    const ga_int step = ga_row_step<T>(P, i), before = ga_before<T>(P, i);                    \
    const char *from = P.a##i + ga_at(P.reduced_axes, row, tile.first).off[i];                \
    _Pragma("unroll 4") for (ga_uint v = threadIdx.x; v < tile.lines * b.vectors;             \
                             v += GA_BLOCK) {                                                 \
      const ga_uint q = b.vectors == 1 ? v : ga_divide_small(v, b.by_vectors);                \
      const ga_uint at = (v - q * b.vectors) * 16;                                            \
      const ga_index past = GA_GOES_ON && tile.x + q >= P.apart;                              \
      const ga_index some = tile.rows - past < P.held_rows ? tile.rows - past : P.held_rows;  \
      const ga_index r = tile.first + q;                                                      \
      if (r >= P.reduced) continue;                                                           \
      const ga_offset along = (ga_offset)(q - past * P.apart) * P.step[i];                    \
      const char *p = from + (along + (ga_offset)past * P.row_step[i]);                       \
      if (!GA_IS_LINEAR(i)) p = P.a##i + ga_at(P.reduced_axes, row, r).off[i];                \
      p -= before;                                                                            \
      const ga_uint phase = GA_ALIGNED ? 0 : (ga_uint)(ga_ulong)p & 15;                       \
      const ga_int last = before + ((ga_int)some - 1) * step;                                 \
      const ga_int low = step < 0 ? last : before, high = step < 0 ? before : last;           \
      if (!GA_ALIGNED && at == 0) ga_phases(P, held, i)[q] = (unsigned char)phase;            \
      ga_copy_if<16>(to + q * b.pitch, (int)at, p - phase + at,                               \
                     some != 0 && at < phase + (ga_uint)high + (ga_uint)sizeof(T) &&          \
                         (!GA_STEPS || at + 16 > phase + (ga_uint)low));                      \
    }                                                                                         \
  }
  GA_INPUTS(X)
#undef X
}

/* Puts the elements behind the last row's, as far as chunks go on, into lines where they are none
 * of. */
GA_FN void ga_fetch_beyond(const ga_params &P, const ga_tile &tile, const ga_place &row,
                           char *held) {
  const ga_uint end = tile.height + P.held_rows - P.height;
#pragma unroll 1
  for (ga_uint t = (ga_uint)tile.rows - 1; t < end; t++)
#pragma unroll 1
    for (ga_uint q = threadIdx.x; q < tile.lines; q += GA_BLOCK) {
      const ga_index r = tile.first + t * P.apart + q;
      if (r < tile.end || r >= P.reduced) continue;
      const ga_place at = ga_at(P.reduced_axes, row, r);
#define X(i, T) \
  if constexpr (GA_IN_BOX(i)) *ga_slot<T>(P, held, i, q, t) = ga_load<T>(P.a##i + at.off[i]);
      GA_INPUTS(X)
#undef X
    }
}

/* Of a chunk, elements 32 apart of the operands that do not cross. */
struct ga_near {
#define X(i, T) T x##i[GA_IN_BOX(i) ? 1 : 4 * GA_LOADS];
  GA_INPUTS(X)
#undef X
};

GA_FN void ga_load_near(const ga_params &P, const ga_place &row, const ga_piece &piece,
                        ga_near &f) {
  const ga_index r = piece.r, from = GA_LOOSE ? 0 : r; /* numbers; what `begin` is before */
  const ga_uint last = piece.left - 1;
  const ga_place begin = GA_LOOSE ? ga_at(P.reduced_axes, row, r) : row;
#pragma unroll
  for (int k = 0; k < 4 * GA_LOADS; k++) {
    const ga_uint n = 32 * k + (threadIdx.x & 31), e = GA_WHOLE || n < last ? n : last;
    const ga_place at = ga_at(P.reduced_axes, row, r + e);
#define X(i, T)                                                                             \
  if constexpr (!GA_IN_BOX(i) && GA_IS_LINEAR(i))                                           \
    f.x##i[k] = ga_load<T>(P.a##i + (begin.off[i] + (ga_offset)(from + e) * P.step[i]));    \
  else if constexpr (!GA_IN_BOX(i))                                                         \
    f.x##i[k] = ga_load<T>(P.a##i + at.off[i]);
    GA_INPUTS(X)
#undef X
  }
}

/* The chunk: every lane gets it. */
GA_FN ga_sub ga_fold_chunk(const ga_params &P, char *held, const ga_piece &piece,
                           const ga_near &f) {
  const ga_uint lane = threadIdx.x & 31, left = piece.left;
  ga_sub a[4];
#pragma unroll
  for (int k = 0; k < 4; k++)
    a[k] = ga_join_leaves<GA_LOADS>([&](int c) {
      const ga_uint n = 32 * (4 * c + k) + lane, e = GA_WHOLE || n < left ? n : left - 1;
      const ga_uint down = GA_SHORT ? ga_divide_small(piece.q + e, P.by_apart) : 0;
      const ga_uint line = piece.q + e - down * (ga_uint)P.apart;
      ga_in in;
#define X(i, T)                                                        \
  if constexpr (GA_IN_BOX(i))                                          \
    in.x##i = *ga_slot<T>(P, held, i, line, piece.t + down);           \
  else                                                                 \
    in.x##i = f.x##i[GA_IN_BOX(i) ? 0 : 4 * c + k];
      GA_INPUTS(X)
#undef X
      return ga_narrow(ga_leaf_or_none(P, in, 0, GA_WHOLE || n < left));
    });
#pragma unroll
  for (int k = 0; k < 4; k++) /* bits 0 and 1 */
    a[k] = ga_join_up(a[k], 2);
  a[0] = ga_combine(ga_combine(a[0], a[2]), ga_combine(a[1], a[3]));
#pragma unroll
  for (int b = 4; b >= 2; b--) a[0] = ga_combine(a[0], ga_exchange(a[0], 1 << b));
  return a[0];
}

/* Joins n <= 256 results, `pitch` apart: eight to a lane, in flight together. */
GA_FN ga_acc ga_join_parts(const ga_acc *part, ga_uint n, ga_ulong pitch) {
  const ga_uint first = (threadIdx.x & 31) * 8;
  ga_acc v[8];
#pragma unroll
  for (int k = 0; k < 8; k++)
    v[k] = first + k < n ? ga_fetch(part + (first + k) * pitch) : ga_identity();
  GA_UNROLL_JOINS
  for (int h = 1; h < 8; h *= 2)
    GA_UNROLL_JOINS
    for (int k = 0; k < 8; k += 2 * h) v[k] = ga_combine(v[k], v[k + h]);
  return ga_join_up(v[0], 5);
}

/* Publishes chunk c of result k; returns whether `a` is the join of all. */
GA_FN bool ga_join_chunks(const ga_params &P, ga_index k, ga_index c, ga_acc &a) {
  const ga_uint lane = threadIdx.x & 31;
  ga_acc *part = P.part + (ga_ulong)k * P.chunks;
  ga_uint *ticket = P.ticket + (ga_ulong)k * P.tickets;
  ga_ulong pitch = 1;
#pragma unroll 1
  for (ga_index some = P.chunks; some > 1; some = (some + 255) / 256, pitch *= 256) {
    const ga_index first = c / 256 * 256;
    const ga_uint n = some - first < 256 ? (ga_uint)(some - first) : 256;
    ga_uint before = 0;
    if (lane == 0) {
      part[c * pitch] = a;
      before = ga_take_ticket(ticket + c / 256);
      if (before == n - 1) ticket[c / 256] = 0;
    }
    if (ga_value_from_lane(before, 0) != n - 1) return false;
    __syncwarp();
    a = ga_join_parts(part + first * pitch, n, pitch);
    __syncwarp();
    ticket += (some + 255) / 256;
    c /= 256;
  }
  return true;
}

#if GA_LOOSE
/* Publishes what the box's warps have: the first one joins it. */
GA_FN void ga_finish_box(const ga_params &P, const ga_tile &tile, const ga_acc &mine) {
  __shared__ ga_acc ga_of_warps[GA_WARPS];
  const ga_uint lane = threadIdx.x & 31;
  if (lane == 0) ga_of_warps[threadIdx.x >> 5] = mine;
  __syncthreads();
  if (threadIdx.x >= 32) return;
  ga_acc a = ga_join_up(lane < GA_WARPS ? ga_of_warps[lane] : ga_identity(), 5);
  const ga_index c = (ga_index)blockIdx.x - tile.k * P.chunks;
  if (ga_join_chunks(P, tile.k, c, a) && lane == 0) ga_finish(P, tile.k, a);
}
#endif

/* The chunks of a box's lines from `low` on. */
GA_FN void ga_fold_box(const ga_params &P, const ga_tile &tile, ga_uint low, char *held) {
  const ga_tile some = ga_tile_from(P, tile, low);
  const ga_place row = ga_seek(P.kept_axes, tile.k);
  const ga_uint most = GA_SHORT ? (ga_uint)(tile.height * P.apart) / 1024 + 1 : tile.height;
  ga_fetch_lines(P, some, row, held);
#if GA_LOOSE
  ga_acc all = ga_identity();
#endif
#pragma unroll 1
  for (ga_uint n = threadIdx.x >> 5;; n += GA_WARPS) {
    const ga_piece piece = ga_piece_at(P, tile, low, n);
    const ga_index k = tile.k + (GA_KEPT ? piece.t : 0);
    ga_near f;
    if (piece.on) ga_load_near(P, GA_KEPT ? ga_seek(P.kept_axes, k) : row, piece, f);
    if (n < GA_WARPS) {
      ga_wait_for_copies();
      __syncthreads();
      if (!GA_KEPT && !GA_LOOSE && tile.end < P.reduced && tile.rows <= P.held_rows) {
        ga_fetch_beyond(P, some, row, held);
        __syncthreads();
      }
    }
    if (piece.on) {
      ga_acc a = ga_widen(ga_fold_chunk(P, held, piece, f));
#if GA_LOOSE
      all = ga_combine(all, a);
#else
      if (ga_join_chunks(P, k, piece.r / 1024, a) && (threadIdx.x & 31) == 0) ga_finish(P, k, a);
#endif
    }
    if (n + GA_WARPS >= most) break;
  }
#if GA_LOOSE
  ga_finish_box(P, tile, all);
#endif
}

extern "C" __global__ void __launch_bounds__(GA_BLOCK, GA_MIN_BLOCKS)
ga_kernel(const __grid_constant__ ga_params P) {
  GA_ENTER();
  extern __shared__ ga_quad ga_held[];
  char *held = (char *)ga_held;
  const ga_tile tile = ga_tile_at(P, (ga_index)blockIdx.x);
#pragma unroll 1
  for (ga_uint low = ga_next_line(P, tile, 0); low < 1024;
       low = ga_next_line(P, tile, low + P.lines - 1023)) {
    ga_fold_box(P, tile, low, held);
    if (!GA_PASSES) break;
    __syncthreads();
  }
}
