/* SPDX-License-Identifier: MIT */
/* mean, var and std. mean is a sum, divided. var is two passes as NumPy computes it,
 * the mean and then the sum of |x - mean|^2, where one kernel may keep a row while it
 * does both (chain.c); else it is one pass, the moment of x - x[0], x[0] being the
 * first of the reduced elements (DESIGN.md, "Variance"). Small whole numbers have two exact
 * sums instead. The 16-bit floats are worked on in float32 and rounded once, at the end. With
 * dtype= an integer's the mean, the sum and the result are each cut to it, as NumPy's are. */
#include <math.h>
#include <string.h>

#include "infer.h"
#include "promote.h"

/* Rows of more whole numbers are faster as two sums than kept on chip. */
enum { WHOLE_MAX = 512 };
/* What variant_chain.c takes, whatever the device, as the bits hang on it: elements of a
 * row, steps between them, and bytes that an element takes. Rows of larger elements are
 * read twice up to SHORT_MAX, where it is dear to join what is no power of two. */
enum { ROW_MAX = 131072, STEP_MAX = 2, ELEMENT_MAX = 12, SHORT_MAX = 4096 };
/* Says of rows that they are in pieces apart, as those of a channel of images are. */
#define APART UINT64_MAX
/* The same of rows that lie abreast: how many, and bytes of them all; more of them are columns. */
enum { ABREAST_ROWS = 31, ABREAST_MAX = 1024, ABREAST_BYTES = 96 * 1024 };
/* What variant_chain_columns.c takes on any card with fast memory: bytes of an element, elements of
 * the result, which are blocks for all multiprocessors, and of a column those that leave a block's
 * part of a row a sector. Whole chunks are as fast in one pass. */
enum { COLUMN_BYTES = 8, COLUMN_LEAST = 8192, CHUNK = 1024 };

/* node / n. A count that the dtype cannot hold divides in twice the width. */
static int divide(ga_infer *in, size_t at, int node, double n, int *out)
{
  enum ga_dtype d = in->dag.nodes[node].dtype, wide = d;
  ga_val args[2], r;
  if ((double)(float)n != n && d == GA_DT_FLOAT32) wide = GA_DT_FLOAT64;
  if ((double)(float)n != n && d == GA_DT_COMPLEX64) wide = GA_DT_COMPLEX128;
  GA_TRY(ga_dag_cast(&in->dag, &node, node, wide));
  args[0] = ga_val_node(node);
  GA_TRY(ga_infer_number(in, GA_NUM_FLOAT, n, &args[1]));
  GA_TRY(ga_infer_apply(in, at, GA_OP_divide, args, &r));
  return ga_dag_cast(&in->dag, out, r.index, ga_is_whole(d) ? GA_DT_FLOAT64 : d);
}

/* The dtype sums run in, for a result of dtype `d`. */
static enum ga_dtype work_dtype(enum ga_dtype d) { return ga_is_half(d) ? GA_DT_FLOAT32 : d; }

static enum ga_dtype default_dtype(enum ga_dtype d)
{
  return ga_kind(d) == 'f' || ga_kind(d) == 'c' ? d : GA_DT_FLOAT64;
}

int ga_infer_mean(ga_infer *in, const ga_reduce_args *a, int *out)
{
  enum ga_dtype d = in->dag.nodes[a->node].dtype;
  enum ga_dtype to = a->dtype != GA_DT_NONE ? a->dtype : default_dtype(d);
  int node = a->node;
  if (ga_is_half(to)) GA_TRY(ga_dag_cast(&in->dag, &node, node, to));
  GA_TRY(ga_reduce_sum(in, a, GA_REDUCE_sum, node, work_dtype(to), &node));
  GA_TRY(divide(in, a->at, node, a->count, &node));
  return ga_dag_cast(&in->dag, out, node, to);
}

int ga_infer_squared(ga_infer *in, size_t at, int node, int *out)
{
  ga_val x = ga_val_node(node), part[2];
  int complex = ga_kind(in->dag.nodes[node].dtype) == 'c';
  for (int i = 0; i < 1 + complex; i++) {
    part[i] = x;
    if (complex) GA_TRY(ga_infer_apply(in, at, i == 0 ? GA_OP_real : GA_OP_imag, &x, &part[i]));
    GA_TRY(ga_infer_apply(in, at, GA_OP_square, &part[i], &part[i]));
  }
  if (complex) GA_TRY(ga_infer_apply(in, at, GA_OP_add, part, &part[0]));
  *out = part[0].index;
  return GA_NO_ERROR;
}

/* What holds the square of a whole number; GA_DT_NONE where the sum of its squared distances
 * from another may take more than 63 bits. */
static enum ga_dtype square_dtype(const ga_infer *in, const ga_reduce_args *a, enum ga_dtype to)
{
  if (to != GA_DT_FLOAT64 || a->count > 0x1p30) return GA_DT_NONE;
  switch (in->dag.nodes[a->node].dtype) {
  case GA_DT_INT8: return GA_DT_INT16;
  case GA_DT_BOOL:
  case GA_DT_UINT8: return GA_DT_UINT16;
  case GA_DT_INT16: return GA_DT_INT32;
  case GA_DT_UINT16: return GA_DT_UINT32;
  default: return GA_DT_NONE;
  }
}

/* n t - s^2, in `s`, of n numbers with the sum s and the sum of squares t. */
static int spread(ga_infer *in, const ga_reduce_args *a, ga_val t, ga_val *s)
{
  ga_val n;
  GA_TRY(ga_infer_apply(in, a->at, GA_OP_square, s, s));
  GA_TRY(ga_infer_number(in, GA_NUM_INT, a->count, &n));
  GA_TRY(ga_infer_apply(in, a->at, GA_OP_multiply, (ga_val[]){t, n}, &t));
  return ga_infer_apply(in, a->at, GA_OP_subtract, (ga_val[]){t, *s}, s);
}

/* s - q n in *d and the sum of (x - q)^2, which is t - q (s + d), in *t: q is the whole
 * number nearest to the mean. */
static int spread_around(ga_infer *in, const ga_reduce_args *a, ga_val s, ga_val *t, ga_val *d)
{
  const double half = floor(a->count / 2);
  ga_val n, q, r;
  GA_TRY(ga_infer_number(in, GA_NUM_INT, a->count, &n));
  GA_TRY(ga_infer_number(in, GA_NUM_INT, half, &r));
  GA_TRY(ga_infer_apply(in, a->at, GA_OP_add, (ga_val[]){s, r}, &q));
  GA_TRY(ga_infer_apply(in, a->at, GA_OP_floor_divide, (ga_val[]){q, n}, &q));
  GA_TRY(ga_infer_apply(in, a->at, GA_OP_multiply, (ga_val[]){q, n}, &r));
  GA_TRY(ga_infer_apply(in, a->at, GA_OP_subtract, (ga_val[]){s, r}, d));
  GA_TRY(ga_infer_apply(in, a->at, GA_OP_add, (ga_val[]){s, *d}, &r));
  GA_TRY(ga_infer_apply(in, a->at, GA_OP_multiply, (ga_val[]){q, r}, &r));
  return ga_infer_apply(in, a->at, GA_OP_subtract, (ga_val[]){*t, r}, t);
}

/* The sum of |x - mean|^2 of whole numbers whose squares are of dtype `wide`: (n t - s^2) / n,
 * where the difference fits into 63 bits (n t and s^2 of uint8 need not), and else u - d^2/n, of
 * which u is twice the second at least. */
static int from_squares(ga_infer *in, const ga_reduce_args *a, enum ga_dtype wide, int *out)
{
  const double most = ga_dtypes[wide].size == 2 ? 0x1p24 : 0x1p16;
  ga_val s = ga_val_node(a->node), t = ga_val_node(a->node), d;
  GA_TRY(ga_reduce_sum(in, a, GA_REDUCE_sum, a->node, GA_DT_INT64, &s.index));
  GA_TRY(ga_dag_cast(&in->dag, &t.index, a->node, wide));
  GA_TRY(ga_infer_apply(in, a->at, GA_OP_square, &t, &t));
  GA_TRY(ga_reduce_sum(in, a, GA_REDUCE_sum, t.index, GA_DT_INT64, &t.index));
  if (a->count <= most) {
    GA_TRY(spread(in, a, t, &s));
    GA_TRY(ga_dag_cast(&in->dag, out, s.index, GA_DT_FLOAT64));
    return divide(in, a->at, *out, a->count, out);
  }
  GA_TRY(spread_around(in, a, s, &t, &d));
  GA_TRY(ga_dag_cast(&in->dag, &t.index, t.index, GA_DT_FLOAT64));
  GA_TRY(ga_dag_cast(&in->dag, &d.index, d.index, GA_DT_FLOAT64));
  GA_TRY(ga_infer_apply(in, a->at, GA_OP_square, &d, &d));
  GA_TRY(divide(in, a->at, d.index, a->count, &d.index));
  GA_TRY(ga_infer_apply(in, a->at, GA_OP_subtract, (ga_val[]){t, d}, &t));
  *out = t.index;
  return GA_NO_ERROR;
}

/* The sum of |x - mean|^2: the mean first. */
static int two_passes(ga_infer *in, const ga_reduce_args *a, enum ga_dtype work, int *out)
{
  ga_reduce_args keep = *a;
  ga_val x[2], diff;
  int node;
  /* Leading axes may go: it broadcasts the same, and is the mean(a, axis=0) that
   * the text may hold as well. */
  if ((a->axes & (a->axes + 1)) != 0) keep.keepdims = 1;
  GA_TRY(ga_reduce_sum(in, &keep, GA_REDUCE_sum, a->node, work, &node));
  GA_TRY(divide(in, a->at, node, a->count, &node));
  GA_TRY(ga_dag_cast(&in->dag, &x[1].index, node, work));
  GA_TRY(
      ga_dag_cast(&in->dag, &x[0].index, a->node, ga_promote(work, in->dag.nodes[a->node].dtype)));
  x[0].kind = x[1].kind = GA_VAL_NODE;
  GA_TRY(ga_infer_apply(in, a->at, GA_OP_subtract, x, &diff));
  GA_TRY(ga_infer_squared(in, a->at, diff.index, &node));
  return ga_reduce_sum(in, a, GA_REDUCE_sum, node, ga_real_of(work), out);
}

/* The first element along the reduced axes, which stay with extent 1. */
static int first_of(ga_infer *in, const ga_reduce_args *a, int node, int *out)
{
  const ga_dnode *x = &in->dag.nodes[node];
  ga_view v = {.nd = x->nd};
  for (unsigned int k = 0; k < x->nd; k++) {
    v.axis[k] = (int)k;
    v.step[k] = 1;
    v.count[k] = a->axes >> k & 1 ? 1 : x->dims[k];
  }
  return ga_dag_view(&in->dag, out, node, &v);
}

/* The same in one pass. It does not change when x is moved, and the nearer x is to 0
 * the less is lost: that of complex numbers is that of both their parts. */
static int one_pass(ga_infer *in, const ga_reduce_args *a, enum ga_dtype work, int *out)
{
  ga_val x[2], diff, part[2];
  int complex = ga_kind(work) == 'c';
  GA_TRY(
      ga_dag_cast(&in->dag, &x[0].index, a->node, ga_promote(work, in->dag.nodes[a->node].dtype)));
  GA_TRY(first_of(in, a, x[0].index, &x[1].index));
  x[0].kind = x[1].kind = GA_VAL_NODE;
  GA_TRY(ga_infer_apply(in, a->at, GA_OP_subtract, x, &diff));
  for (int i = 0; i < 1 + complex; i++) {
    part[i] = diff;
    if (complex)
      GA_TRY(ga_infer_apply(in, a->at, i == 0 ? GA_OP_real : GA_OP_imag, &diff, &part[i]));
    GA_TRY(ga_reduce_node(in, a, GA_REDUCE_moment, part[i].index, ga_real_of(work), a->keepdims,
                          &part[i].index));
  }
  if (complex) GA_TRY(ga_infer_apply(in, a->at, GA_OP_add, part, &part[0]));
  *out = part[0].index;
  return GA_NO_ERROR;
}

/* Steps of array x along axis k of the loop, 0 where it does not move. */
static ssize_t step_of(const ga_dnode *x, const ga_dnode *loop, unsigned int k)
{
  unsigned int skip = loop->nd - x->nd;
  return k < skip ? 0 : x->strides[k - skip];
}

/* How many rows of array x lie abreast, as variant_chain.c asks: x has no gaps, its fastest axes
 * are kept, then come the reduced ones, then others; 0, where it is not so. */
static uint64_t rows_abreast(const ga_dnode *x, const ga_dnode *loop, uint64_t axes)
{
  const uint64_t size = ga_dtypes[x->dtype].size;
  uint64_t least[2] = {UINT64_MAX, UINT64_MAX}, end[2] = {0, 0}, count[2] = {1, 1}, abreast;
  for (unsigned int k = 0; k < loop->nd; k++) {
    const int reduced = axes >> k & 1;
    const ssize_t s = step_of(x, loop, k);
    if (loop->dims[k] == 1) continue;
    if (s <= 0) return 0;
    if ((uint64_t)s < least[reduced]) least[reduced] = (uint64_t)s;
    if ((uint64_t)s * loop->dims[k] > end[reduced]) end[reduced] = (uint64_t)s * loop->dims[k];
    count[reduced] *= loop->dims[k];
  }
  abreast = least[1] / size;
  if (least[0] != size || least[1] % size != 0) return 0;
  if (end[1] != least[1] * count[1] || end[0] <= end[1]) return 0;
  return end[0] == count[0] * count[1] * size ? abreast : 0;
}

/* How many rows of array x lie abreast: 1, where the fastest of its axes is reduced and
 * its steps along it are short, or APART, where the reduced axes are in pieces; 0, where it has
 * none; `otherwise`, where it does not move along all of the loop's axes. */
static uint64_t moves_along(const ga_dnode *x, const ga_dnode *loop, uint64_t axes,
                            uint64_t otherwise)
{
  uint64_t least = UINT64_MAX, end = 0, count = 1;
  int along = 1;
  for (unsigned int k = 0; k < loop->nd; k++) {
    if (loop->dims[k] == 1) continue;
    uint64_t size = ga_magnitude(step_of(x, loop, k));
    if (size == 0) return otherwise;
    if (axes >> k & 1) {
      count *= loop->dims[k];
      if (size * loop->dims[k] > end) end = size * loop->dims[k];
    }
    if (size >= least) continue;
    least = size;
    along = axes >> k & 1 && size <= STEP_MAX * (uint64_t)ga_dtypes[x->dtype].size;
  }
  if (along) return end == least * count ? 1 : APART;
  return rows_abreast(x, loop, axes);
}

/* Whether a is walked along its fastest axis in each element of the result, or abreast a short
 * one: the first array that moves along all of a's axes says so. *bytes: of an element of all
 * the arrays that are read; *least: of the narrowest. */
static int find_rows(ga_infer *in, const ga_reduce_args *a, uint64_t *rows, size_t *bytes,
                     size_t *least)
{
  const ga_dag *d = &in->dag;
  const ga_dnode *loop = &d->nodes[a->node];
  unsigned char *mark = ga_arena_alloc(&in->dag.arena, (size_t)a->node + 1);
  if (mark == NULL) return GA_MEMORY_ERROR;
  *rows = 1;
  *bytes = 0;
  *least = 16;
  mark[a->node] = 1;
  for (int i = a->node; i >= 0; i--) {
    const ga_dnode *x = &d->nodes[i];
    if (!mark[i]) continue;
    if (x->op != GA_N_REDUCE && x->op != GA_D_STORED)
      for (int k = 0; k < 3 && x->arg[k] >= 0; k++) mark[x->arg[k]] = 1;
    if (x->op != GA_N_LOAD) continue;
    const size_t size = ga_dtypes[x->dtype].size;
    *bytes += size < 4 ? 4 : size;
    if (size < *least) *least = size;
    *rows = moves_along(x, loop, a->axes, *rows);
  }
  return GA_NO_ERROR;
}

/* Whether one kernel may keep a column, as far as shapes and dtypes say. */
static int columns_fit(const ga_infer *in, const ga_reduce_args *a, enum ga_dtype work,
                       size_t bytes, size_t least)
{
  const ga_dnode *loop = &in->dag.nodes[a->node];
  const uint64_t n = (uint64_t)a->count;
  uint64_t kept = 1;
  for (unsigned int k = 0; k < loop->nd; k++)
    if (!(a->axes >> k & 1)) kept *= loop->dims[k];
  if (ga_kind(work) != 'f' || bytes > COLUMN_BYTES || kept < COLUMN_LEAST) return 0;
  if (work == GA_DT_FLOAT64) return least == 8 && n < CHUNK;
  return n % CHUNK != 0 && n < (least < 4 ? 2 : 4) * CHUNK;
}

/* With an integer dtype= no moment is asked for; with a real one of complex numbers the
 * mean is that of the real parts alone, by which the imaginary ones are not moved. */
static int is_one_pass(ga_infer *in, const ga_reduce_args *a, enum ga_dtype work, int *one)
{
  uint64_t rows;
  size_t bytes, least;
  *one = 0;
  if (a->count < 2 || a->axes == 0 || ga_is_whole(work)) return GA_NO_ERROR;
  if (ga_kind(work) == 'f' && ga_kind(in->dag.nodes[a->node].dtype) == 'c') return GA_NO_ERROR;
  GA_TRY(find_rows(in, a, &rows, &bytes, &least));
  if (rows == APART)
    *one = a->count > SHORT_MAX;
  else if (rows <= 1)
    *one = rows == 0 || a->count > (bytes > ELEMENT_MAX ? SHORT_MAX : ROW_MAX);
  else if (rows > ABREAST_ROWS)
    *one = !columns_fit(in, a, work, bytes, least);
  else
    *one = a->count > ABREAST_MAX || a->count * (double)(rows * bytes) > ABREAST_BYTES;
  return GA_NO_ERROR;
}

int ga_infer_var(ga_infer *in, const ga_reduce_args *a, int root, int *out)
{
  enum ga_dtype d = in->dag.nodes[a->node].dtype;
  enum ga_dtype to = a->dtype != GA_DT_NONE ? a->dtype : default_dtype(d), work = work_dtype(to);
  enum ga_dtype wide = square_dtype(in, a, to);
  int node, one;
  GA_TRY(is_one_pass(in, a, work, &one));
  if (wide != GA_DT_NONE && (one || a->count > WHOLE_MAX))
    GA_TRY(from_squares(in, a, wide, &node));
  else
    GA_TRY(one ? one_pass(in, a, work, &node) : two_passes(in, a, work, &node));
  double freedom = a->count - a->ddof;
  GA_TRY(divide(in, a->at, node, freedom < 0 ? 0 : freedom, &node));
  if (ga_is_whole(to)) GA_TRY(ga_dag_cast(&in->dag, &node, node, to));
  if (root) {
    ga_val v = ga_val_node(node), r;
    GA_TRY(ga_infer_apply(in, a->at, GA_OP_sqrt, &v, &r));
    node = r.index;
  }
  /* NumPy gives an explicit complex dtype= a complex result */
  return ga_dag_cast(&in->dag, out, node, a->dtype != GA_DT_NONE ? to : ga_real_of(to));
}
