/* SPDX-License-Identifier: MIT */
/* The loops that the CPU device is made of: one elementwise operation, one cast
 * or one piece of a reduction over a block of elements that lies contiguously in
 * memory. Each exists once per instruction set (baseline, AVX2, AVX-512); the
 * best one the processor has is chosen at the first call, and every one gives
 * the same bits, because each element is the scalar function of
 * codegen/kernels/scalar*.cuh whatever the width.
 *
 * No pointer need be aligned. A destination may be one of the sources (the same
 * address, elements of the same size); it may not overlap one otherwise. n may
 * be 0. The caller's floating-point mode is to be the default one (round to
 * nearest, no flush to zero). GPUARRAY_CPU_ISA=base|avx2|avx512 forces a lower
 * instruction set; a word it does not know, or one the processor lacks, is
 * ignored. What memory bounds takes AVX2's on AMD's processors (ga_far_loops).
 *
 *   ga_loop add = ga_cpu_loop(GA_OP_add, GA_DT_FLOAT32);
 *   const void *src[] = {a, b};
 *   add(n, dst, src);
 */
#ifndef GA_CPU_LOOPS_H
#define GA_CPU_LOOPS_H

#include <stddef.h>
#include <stdint.h>

#include "codegen/codegen.h"

/* dst[i] = f(src[0][i], src[1][i], ...), as many sources as the operation has
 * arguments. */
typedef void (*ga_loop)(size_t n, void *dst, const void *const *src);

/* The loop of operation `op` (GA_OP_*) whose loop dtype is `loop`: the dtype of
 * its last argument. The first source of a GA_OP_COND operation is bool. The
 * destination is of dtype `loop`, or as the row's result column says. NULL
 * where ops.def has no such loop. */
ga_loop ga_cpu_loop(int op, enum ga_dtype loop);

/* The loop that converts; from == to copies. Never NULL for two dtypes. */
ga_loop ga_cpu_cast(enum ga_dtype from, enum ga_dtype to);

/* Several operations in one loop. A step takes what the one before made, x, to x + y and so on, y
 * being an element of another source or (GA_STEP_ONE on) the one number that is there, y alone. */
enum {
  GA_STEPS = 8, /* of one loop at most */
  GA_STEP_ADD = 0,
  GA_STEP_SUBTRACT,
  GA_STEP_FROM, /* y - x */
  GA_STEP_MULTIPLY,
  GA_STEP_DIVIDE,
  GA_STEP_INTO,    /* y / x */
  GA_STEP_MAXIMUM, /* of whole numbers without a sign, ... */
  GA_STEP_MINIMUM,
  GA_STEP_SIGNED_MAXIMUM, /* ... with one */
  GA_STEP_SIGNED_MINIMUM,
  GA_STEP_FILL, /* y where x is NaN; of numbers y alone */
  GA_STEP_SQUARE,
  GA_STEP_NEGATE,
  GA_STEP_ABSOLUTE,
  GA_STEP_ROOT,
  GA_STEP_ONE = 16,
  GA_STEP_ADD_ONE = GA_STEP_ONE + GA_STEP_ADD,
  GA_STEP_SUBTRACT_ONE = GA_STEP_ONE + GA_STEP_SUBTRACT,
  GA_STEP_FROM_ONE = GA_STEP_ONE + GA_STEP_FROM,
  GA_STEP_MULTIPLY_ONE = GA_STEP_ONE + GA_STEP_MULTIPLY,
  GA_STEP_DIVIDE_ONE = GA_STEP_ONE + GA_STEP_DIVIDE,
  GA_STEP_INTO_ONE = GA_STEP_ONE + GA_STEP_INTO,
  GA_STEP_MAXIMUM_ONE = GA_STEP_ONE + GA_STEP_MAXIMUM,
  GA_STEP_MINIMUM_ONE = GA_STEP_ONE + GA_STEP_MINIMUM,
  GA_STEP_SIGNED_MAXIMUM_ONE = GA_STEP_ONE + GA_STEP_SIGNED_MAXIMUM,
  GA_STEP_SIGNED_MINIMUM_ONE = GA_STEP_ONE + GA_STEP_SIGNED_MINIMUM,
  GA_STEP_FILL_ONE = GA_STEP_ONE + GA_STEP_FILL
};

/* dst[i] = steps[nstep - 1](... steps[0](src[0][i], src[1]), ..., src[nstep]); those of one
 * argument have a source that is an array, too. */
typedef void (*ga_steps)(size_t n, void *dst, const void *const *src, size_t nstep,
                         const unsigned char *steps);

/* The step that operation `op` on dtype `t` is, whose argument number `arg` is x; -1: none. */
int ga_cpu_step(int op, enum ga_dtype t, int arg);

/* ---- reductions --------------------------------------------------------- */

/* Accumulators come as up to two arrays: [0] the values, of the accumulator's
 * dtype; [1] for argmin and argmax the int64 indices, for moment the sums, of the same
 * dtype, unused (may be NULL or absent) for every other reduction. */

/* The elements src[0..n) of one chunk, 1 <= n <= 1024, joined in the order of
 * DESIGN.md ("Order of a reduction") into one accumulator at acc. */
typedef void (*ga_tree)(size_t n, void *const *acc, const void *const *src);

/* acc[i] = combine(left[i], right[i]) for n accumulators: what walks columns and
 * joins chunks. acc may be left or right. */
typedef void (*ga_combine)(size_t n, void *const *acc, const void *const *left,
                           const void *const *right);

/* The same for `rows` rows of n elements, 2 <= n <= 1024, which lie one after the other: one
 * accumulator each. The rows, n being rounded up to a power of two or, beyond 128, taken for 128,
 * have at most 1024. */
typedef void (*ga_short_rows)(size_t n, size_t rows, void *acc, const void *src);

/* acc[i] is what row[0][i], ... row[count - 1][i] make, 1 <= count <= 8, in the order of the bits
 * 2, 1, 0 of the rows' numbers, for i < n. A row may be at acc. */
typedef void (*ga_abreast)(size_t n, size_t count, void *acc, const void *const *row);

/* NULL where `op` has no accumulator of dtype `acc`. For sum and prod that is
 * int64, uint64, float32, float64 or complex; for any and all bool; for the
 * others the reduced dtype itself. */
ga_tree ga_cpu_tree(enum ga_reduce_op op, enum ga_dtype acc);
ga_combine ga_cpu_combine(enum ga_reduce_op op, enum ga_dtype acc);

/* The tree of a reduction that no order changes, for any n; NULL for others, argmin and
 * argmax. */
ga_tree ga_cpu_free_tree(enum ga_reduce_op op, enum ga_dtype acc);

/* The same for moments, where each accumulator is of `nleft` elements on the left and of
 * `nright` on the right, neither being 0, that begin where an aligned group of a power
 * of two does. left[0] or right[0] may be NULL: each is of one element, the sum. */
typedef void (*ga_moment_join)(size_t n, void *const *acc, const void *const *left,
                               const void *const *right, uint64_t nleft, uint64_t nright);
ga_moment_join ga_cpu_moment_join(enum ga_dtype acc); /* NULL but for float32, float64 */

/* NULL also for argmin and argmax, and for 16-bit floats. */
ga_short_rows ga_cpu_short_rows(enum ga_reduce_op op, enum ga_dtype acc);

/* The sum of src[0..n), n <= 2^15, of integers or bool of dtype `from`, as the int64 or
 * uint64 at acc; NULL where `from` is none of these or as wide as the sum. */
ga_tree ga_cpu_wide_sum(enum ga_dtype from);

/* The place of the first (or the last) of src[0..n) that argmin or argmax gives for *value, which
 * is the least or greatest of them; n when it is not among them. */
typedef size_t (*ga_find)(size_t n, const void *src, const void *value);
ga_find ga_cpu_find(enum ga_dtype dtype, int last);

/* Joins `rows` rows of `cols` elements, which lie one after the other, to one row of
 * accumulators: acc[0] the values, acc[1] for argmin and argmax, as int32, the number of
 * the row they come from. `row` is the first one's number; 0 begins anew. Only for
 * reductions that no order changes, NULL for others. */
typedef void (*ga_rake)(size_t rows, size_t cols, void *const *acc, const void *src, size_t row);

/* The rake for elements of dtype `from`. *acc: dtype of its values, from which a sum
 * is cast to the reduction's own; 1024 rows do not overflow it. */
ga_rake ga_cpu_rake(enum ga_reduce_op op, enum ga_dtype from, enum ga_dtype *acc);
/* A piece of a scanned row: dst[i] is what the row's elements up to src[i] (or, with
 * `exclusive`, up to the one before) make, in the order of DESIGN.md ("Order of a
 * scan"). src begins with element `at` of the row, a multiple of 128. `state` is four
 * accumulators, which the call moves on: before a row four identities, or what
 * tiles before it make and three identities. dst may be src. */
typedef void (*ga_scan_loop)(size_t n, uint64_t at, int exclusive, void *state, void *dst,
                             const void *src);

/* NULL as for ga_cpu_tree(), and for argmin and argmax. */
ga_scan_loop ga_cpu_scan(enum ga_reduce_op op, enum ga_dtype acc);

/* The same where no order changes what is made: `rows` rows of n elements, which lie one after
 * the other. The first begins with *state, the others with the identity; *state becomes what the
 * last one makes. NULL but for sums and products of integers. */
typedef void (*ga_free_scan)(size_t n, size_t rows, int exclusive, void *state, void *dst,
                             const void *src);
ga_free_scan ga_cpu_free_scan(enum ga_reduce_op op, enum ga_dtype acc);

/* What changes no accumulator that it is joined to; not for argmin and argmax. */
void ga_cpu_identity(enum ga_reduce_op op, enum ga_dtype acc, void *value);

/* What a reduction over nothing gives, written to *value; sum +0, prod 1, any
 * false, all true. Returns 0 where there is none (min, max, argmin, argmax). */
int ga_cpu_empty(enum ga_reduce_op op, enum ga_dtype acc, void *value);

/* ---- moving elements ---------------------------------------------------- */

/* `size` is an element's bytes: 1, 2, 4, 8 or 16. Strides are bytes, any sign. */

/* dst[i] = the element at src + i*stride */
void ga_cpu_gather(size_t size, size_t n, void *dst, const void *src, ptrdiff_t stride);

/* the element at dst + i*stride = src[i] */
void ga_cpu_scatter(size_t size, size_t n, void *dst, ptrdiff_t stride, const void *src);

/* dst[i] = *value */
void ga_cpu_fill(size_t size, size_t n, void *dst, const void *value);

/* dst[i][j] = src[j][i], of GA_TURN_EDGE elements each way; bytes from row to row. */
enum { GA_TURN_EDGE = 16 };
typedef void (*ga_turn)(char *dst, ptrdiff_t dpitch, const char *src, ptrdiff_t spitch);
ga_turn ga_cpu_turn(size_t size);

/* dst[i] = start + i*step, modulo 2^64 */
void ga_cpu_iota(size_t n, int64_t *dst, int64_t start, int64_t step);

/* ---- instruction sets --------------------------------------------------- */

enum ga_cpu_isa { GA_ISA_BASE, GA_ISA_AVX2, GA_ISA_AVX512, GA_NISA };

/* All loops of one instruction set. A loop in fast_op or fast_cast comes before
 * the one of op or cast, and computes the same. Rows may be NULL. */
typedef struct ga_loops {
  const char *name;                                      /* "base", "avx2", "avx512" */
  const ga_loop *op[GA_NDTYPE], *fast_op[7][GA_NDTYPE];  /* [dtype][op - GA_N_OP] */
  const ga_loop *cast[GA_NDTYPE], *fast_cast[GA_NDTYPE]; /* [from][to] */
  const ga_loop *compare_one[GA_NDTYPE]; /* [dtype][op - GA_N_OP], src[1] being one number spread */
  const ga_steps *steps;                 /* [dtype] */
  const ga_tree *tree[GA_NDTYPE];        /* [acc][reduction] */
  const ga_combine *combine[GA_NDTYPE];
  const ga_abreast *abreast[GA_NDTYPE]; /* [acc][reduction], NULL for many */
  const ga_tree *moment_tree;           /* [acc] */
  const ga_moment_join *moment_join;
  const ga_short_rows *shorts[GA_NDTYPE];
  const ga_tree *free_tree[GA_NDTYPE]; /* before the one of tree */
  const ga_tree *lead[GA_NDTYPE];      /* min and max, any of equal ones, for argmin and argmax */
  const ga_tree *wide;                 /* [from] */
  const ga_find *find, *find_last;     /* [dtype] */
  const ga_rake *rake[GA_NDTYPE];      /* [from][reduction] */
  const ga_scan_loop *scan[GA_NDTYPE];
  const ga_free_scan *free_scan[GA_NDTYPE];
  const ga_turn *turn; /* [log2 of an element's bytes] */
} ga_loops;

/* As ga_cpu_loop, ga_cpu_cast and ga_cpu_tree, among these loops; rows joined abreast. */
ga_loop ga_cpu_loop_in(const ga_loops *l, int op, enum ga_dtype loop);
ga_loop ga_cpu_cast_in(const ga_loops *l, enum ga_dtype from, enum ga_dtype to);
ga_tree ga_cpu_tree_in(const ga_loops *l, enum ga_reduce_op op, enum ga_dtype acc);
ga_abreast ga_cpu_abreast_in(const ga_loops *l, enum ga_reduce_op op, enum ga_dtype acc);

/* The loops of `isa`; NULL where this processor or this build lacks it. */
const ga_loops *ga_cpu_loops(enum ga_cpu_isa isa);

/* The instruction set in use. */
enum ga_cpu_isa ga_cpu_isa(void);

/* Whether reading memory is faster where it is asked for over several pages ahead (Intel's) than
 * where each array is read from its beginning to its end, which others do by themselves. */
int ga_cpu_asks(void);

/* Whether it is so, and a core has few lines on their way at a time (Intel's before Ice Lake): what
 * is read as several streams gains nothing from asking, and stores around the cache are slow. */
int ga_cpu_narrow(void);

#endif
