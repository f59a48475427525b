/* SPDX-License-Identifier: MIT */
/* Reduce, class COLUMNS, of one reduced axis of 1024 elements and more, by vectors where
 * memory has them: columns whose rows lie on vectors, narrow ones and others that do not.
 * What vectors hold is told apart in shared memory.
 *
 * Vectors are walked in lines. Where rows follow each other without a gap and are few
 * columns (P.flat), a line is all that a chunk of 1024 rows has in an eighth; else it is
 * one row's part of a tile of columns. A line begins with the vector that its first
 * element is in, so it has up to GA_VEC - 1 elements before its own. 128 rows are whole
 * vectors wherever they begin: those 128 rows apart have their elements at the same places.
 *
 * GA_LOOSE 0 (reduce_lines.cuh): in the order of DESIGN.md. GA_LOOSE 1 (reduce_loose.cuh):
 * the result does not tell the order.
 *
 *   3 columns of float32 from address 4 modulo 16: an eighth is 384 elements, position
 *   -1 to 382 in 96 vectors; element 383 is in vector 96: lines of 97 vectors.
 *   1001 columns of float16: 8 tiles of 126. In row 3 the second begins with element 3129,
 *   the second of its vector: lines of 17 vectors, the first element of which is not used
 *   there, nor are the last nine.
 *
 * GA_FOLDS: rows hold a reduced axis besides, of P.fold columns each; tiles are of whole ones,
 * which are joined when a tile is.
 *
 * GA_PARTED: results have a row's columns along several axes, which are one of what is read.
 * GA_GAPS: what lies in lines has gaps behind rows of P.shown columns, which are columns too, but
 * have no result, and are not asked for at the end.
 *
 * Each operand moves along both axes. Lines begin with vectors (GA_VEC elements, 16 bytes of the
 * widest) of operand GA_FIRST, if there is one, and of those with a GA_STEP of 0. Others have their
 * elements anywhere, GA_STEP (1, -1, 2 or -2) from column to column (steps.cuh).
 */
typedef ga_vec<ga_uint, 4> ga_quad;

#if GA_BOXES
/* How an operand's lines lie in shared memory. */
struct ga_box {
  ga_uint from, pitch;         /* bytes: of the lines in shared memory; from one to the next */
  ga_uint vectors, by_vectors; /* of a line; 2^32 divided by that, rounded up */
};
#endif

struct ga_params {
  GA_OPERANDS(GA_POINTER)
  ga_acc *part;
  ga_uint *ticket;
  ga_ulong units, reduced, inner;
  ga_ulong passes;                 /* of a span; GA_LOOSE: its rows */
#if GA_IOTA
  ga_long iota_base;
#endif
  ga_div spans, tiles, width;      /* width: of a tile, columns */
  ga_div line;                     /* vectors of one */
  ga_axes<GA_NK> kept_axes;        /* but for the columns */
  ga_offset inner_step[GA_NOFF], row_step[GA_NOFF];
#ifdef GA_FOLDS
  ga_offset result_step[GA_NOFF];
  ga_uint fold;                    /* columns of a result */
#endif
#ifdef GA_PARTED
  ga_axes<GA_PARTED> result_axes;  /* the columns */
#endif
#ifdef GA_GAPS
  ga_uint shown;
#define GA_BEHIND(P) (ga_offset)((P).pitch - (P).shown)
#else
#define GA_BEHIND(P) 0
#endif
  ga_uint flat, lines, rows;       /* lines and rows that lie in shared memory at once */
  ga_uint pitch, slip;             /* from row to row there; modulo GA_VEC in memory */
  ga_uint zbits;                   /* lines of a pass; GA_LOOSE: groups of rows */
  ga_uint parts;                   /* passes of a chunk, log2 */
  ga_uint tickets;                 /* of a tile */
#if GA_BOXES
  ga_axes<GA_NR> outer_axes;       /* reduced, but for the innermost */
  ga_uint box_end, groups_end;     /* bytes of shared memory before the groups, the stack */
  ga_uint extent, by_extent;       /* of that; 2^32 divided by it, rounded up */
  ga_box box[GA_NOP];
#endif
  GA_NUMBERS(GA_NUMBER)
};

/* What a unit reduces: a tile of columns of one outer element. */
struct ga_tile {
  ga_place at;           /* its first row */
  ga_uint width, before; /* columns; elements before them in their vector */
};

/* How many elements line or row n begins behind its first vector's begin. */
GA_FN ga_uint ga_before(const ga_params &P, const ga_tile &tile, ga_uint n) {
  return (tile.before + n * P.slip) & (GA_VEC - 1);
}

/* Where the first element of row n lies in shared memory. */
GA_FN ga_uint ga_slot(const ga_params &P, const ga_tile &tile, ga_uint n) {
  return n * P.pitch + ga_before(P, tile, n);
}

/* A vector's accumulators, into as many from `to` on, which lie on as many bytes. */
template <class A> GA_FN void ga_put(A *to, const A (&a)[GA_VEC]) {
  const int n = (int)sizeof a / 4, each = n % 4 == 0 ? 4 : n % 2 == 0 ? 2 : 1;
  ga_vec<ga_uint, each> w[n / each];
  memcpy(w, a, sizeof a);
#pragma unroll
  for (int k = 0; k < n / each; k++)
    ga_store_aligned<ga_uint, each>((char *)to + 4 * each * k, w[k]);
}

/* Joins number n to those before, as a binary counter carries. */
GA_FN void ga_carry(const ga_params &P, ga_acc a, ga_uint n, ga_acc *stack) {
#pragma unroll 1
  for (; n & 1; n >>= 1, stack += P.width.d) a = ga_combine(*stack, a);
  *stack = a;
}

/* What was joined of n: the counter's ones, lowest first. */
GA_FN ga_acc ga_carried(const ga_params &P, ga_uint n, const ga_acc *stack) {
  ga_acc a = ga_identity();
#pragma unroll 1
  for (; n; n >>= 1, stack += P.width.d)
    if (n & 1) a = ga_combine(*stack, a);
  return a;
}

/* Joins 2^bits rows of a tile in shared memory, the second half of them to the first until
 * one is left. */
GA_FN void ga_join_halves(const ga_params &P, ga_acc *rows, ga_uint bits) {
#pragma unroll 1
  for (ga_uint n = (ga_uint)P.width.d << bits >> 1; n >= P.width.d; n /= 2) {
    __syncthreads();
    if (threadIdx.x < n) rows[threadIdx.x] = ga_combine(rows[threadIdx.x], rows[threadIdx.x + n]);
  }
}
