/* SPDX-License-Identifier: MIT */
/* GpuArray_take1: rows of an array by their numbers. Checked here and described
 * as words (lib/take.h); the device does it. */
#include <gpuarray/expr.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/capture.h"
#include "lib/overlap.h"
#include "lib/take.h"

static const char op[] = "GpuArray_take1";

static int is_index(int typecode)
{
  enum ga_dtype t = ga_dtype_of(typecode);

  return t != GA_DT_NONE && (ga_dtypes[t].kind == 'i' || ga_dtypes[t].kind == 'u');
}

static int check_layouts(const GpuArray *a, const GpuArray *v, const GpuArray *i)
{
  const GpuArray *all[3] = {a, v, i};

  for (int k = 0; k < 3; k++)
    if (!GpuArray_ISALIGNED(all[k]))
      return ga_error(GA_UNALIGNED_ERROR, "%s: argument %d is not aligned to its elements", op,
                      k + 1);
  if (!GpuArray_IS_C_CONTIGUOUS(a) || !GpuArray_IS_C_CONTIGUOUS(i))
    return ga_error(GA_INVALID_ERROR, "%s: argument %d is not in C order without gaps", op,
                    GpuArray_IS_C_CONTIGUOUS(a) ? 3 : 1);
  return GA_NO_ERROR;
}

static int check_shapes(const GpuArray *a, const GpuArray *v, const GpuArray *i)
{
  char ta[GA_SHAPE_TEXT], tv[GA_SHAPE_TEXT];

  if (i->nd != 1)
    return ga_error(GA_INVALID_ERROR, "%s: argument 3 has %u axes, expected 1", op, i->nd);
  if (!is_index(i->typecode))
    return ga_error(GA_INVALID_ERROR, "%s: argument 3 has typecode %d, expected integers", op,
                    i->typecode);
  if (a->nd == 0 || a->nd != v->nd ||
      memcmp(a->dimensions + 1, v->dimensions + 1, (a->nd - 1) * sizeof(size_t)) != 0)
    return ga_error(GA_INVALID_ERROR,
                    "%s: argument 1 has shape %s, argument 2 %s; they need one axis at least and "
                    "may differ along axis 0 only",
                    op, ga_shape_text(ta, a->nd, a->dimensions),
                    ga_shape_text(tv, v->nd, v->dimensions));
  if (a->dimensions[0] != i->dimensions[0])
    return ga_error(GA_INVALID_ERROR, "%s: argument 1 has %zu rows, argument 3 %zu numbers", op,
                    a->dimensions[0], i->dimensions[0]);
  return GA_NO_ERROR;
}

/* ---- the description ------------------------------------------------------- */

static uint64_t size_of(ssize_t s) { return s < 0 ? 0 - (uint64_t)s : (uint64_t)s; }

/* The longest word that r, v and all steps are multiples of. */
static unsigned int word_of(const ga_take *t, uint64_t run)
{
  uint64_t all = run | (uintptr_t)t->r | (uintptr_t)t->v | size_of(t->step) | 16;

  for (unsigned int k = 0; k + 1 < t->nk; k++) all |= size_of(t->steps[k]);
  return (unsigned int)(all & -all);
}

/* A row's axes, the bytes of an element innermost; then in words. */
static void describe_row(ga_take *t, const GpuArray *a, const GpuArray *v, size_t itemsize)
{
  size_t dims[GA_MAXND];
  ssize_t rstrides[GA_MAXND], vstrides[GA_MAXND], *strides[2] = {rstrides, vstrides};
  uint64_t reach = 0;

  t->nk = a->nd;
  for (unsigned int k = 1; k < a->nd; k++) {
    dims[k - 1] = a->dimensions[k];
    vstrides[k - 1] = v->strides[k];
  }
  dims[t->nk - 1] = itemsize;
  vstrides[t->nk - 1] = 1;
  ga_order_strides(rstrides, t->nk, dims, 1, GA_C_ORDER);
  gpuarray_elemwise_collapse(2, &t->nk, dims, strides);
  if (vstrides[t->nk - 1] != 1) { /* bytes apart: the collapse dropped the last axis */
    dims[t->nk] = 1;
    vstrides[t->nk++] = 1;
  }
  for (unsigned int k = 0; k < t->nk; k++) {
    t->dims[k] = (int64_t)dims[k];
    t->steps[k] = vstrides[k];
  }
  t->word = word_of(t, dims[t->nk - 1]);
  t->dims[t->nk - 1] /= t->word;
  t->steps[t->nk - 1] = t->word;
  t->row = 1;
  for (unsigned int k = 0; k < t->nk; k++) {
    t->row *= (uint64_t)t->dims[k];
    reach += (uint64_t)(t->dims[k] - 1) * size_of(t->steps[k]);
  }
  t->n = t->row * a->dimensions[0];
  t->wide = t->n > INT32_MAX || reach > INT32_MAX;
}

static void describe(ga_take *t, GpuArray *a, const GpuArray *v, const GpuArray *i)
{
  memset(t, 0, sizeof *t);
  t->r = (char *)a->data->ptr + a->offset;
  t->v = (const char *)v->data->ptr + v->offset;
  t->index = (const char *)i->data->ptr + i->offset;
  t->rows = v->dimensions[0];
  t->step = v->strides[0];
  t->dtype = ga_dtype_of(i->typecode);
  describe_row(t, a, v, gpuarray_get_elsize(v->typecode));
}

/* ---- the work -------------------------------------------------------------- */

static int out_of_bounds(const GpuArray *v)
{
  return ga_error(GA_VALUE_ERROR,
                  "%s: Index out of bounds: argument 3 has a number that is not "
                  "one of %zu rows of argument 2",
                  op, v->dimensions[0]);
}

/* Rows without elements: only the numbers are to be looked at. */
static int check_numbers(const GpuArray *v, const GpuArray *i)
{
  size_t n = i->dimensions[0];
  int uns = ga_dtypes[ga_dtype_of(i->typecode)].kind == 'u', err;
  int64_t *at = malloc(n * sizeof *at), rows = (int64_t)v->dimensions[0];

  if (at == NULL) return ga_error_memory(op, n * sizeof *at);
  err = GpuArray_tohost(at, n * sizeof *at, uns ? GA_ULONG : GA_LONG, i);
  for (size_t k = 0; k < n && err == GA_NO_ERROR; k++)
    if (at[k] >= rows || at[k] < (uns ? 0 : -rows)) err = out_of_bounds(v);
  free(at);
  return err;
}

static int run_node(gpucontext *ctx, const ga_work *n) { return ctx->backend->take(n->args); }

/* The three addresses come first in the kernel's arguments, as in a ga_take. */
static int capture(GpuArray *a, const GpuArray *v, const GpuArray *i, ga_take *t)
{
  gpugraph *g = ga_capture_of(a->data->ctx);
  ga_work node = {.kind = GA_WORK_OTHER, .run = run_node, .args = t, .nargs = sizeof *t};
  int err;

  ga_capture_call(g);
  err = ga_capture_array(g, offsetof(ga_take, r), 0, a, 1, NULL);
  if (err == GA_NO_ERROR) err = ga_capture_array(g, offsetof(ga_take, v), 0, v, 0, NULL);
  if (err == GA_NO_ERROR) err = ga_capture_array(g, offsetof(ga_take, index), 0, i, 0, NULL);
  if (err == GA_NO_ERROR)
    err = a->data->ctx->backend->take != NULL ? ga_capture_add(g, &node)
                                              : ga_take_kernel(a->data->ctx, t, g);
  return ga_capture_done(g, err);
}

/* Into `a`, which has the type of `v` and shares nothing with the others. The flag
 * is this call's own, so that no other call sees it. */
static int take(GpuArray *a, const GpuArray *v, const GpuArray *i, int check)
{
  gpucontext *ctx = a->data->ctx;
  gpudata *flag = NULL;
  uint32_t bad = 0;
  ga_take t;
  int err = GA_NO_ERROR;

  if (a->dimensions[0] == 0) return GA_NO_ERROR;
  if (check && ga_capturing(ctx))
    return ga_capture_refuse(ctx, op, "no check of the numbers, which reads them,");
  if (ga_array_size(a) == 0) return check ? check_numbers(v, i) : GA_NO_ERROR;
  describe(&t, a, v, i);
  if (check) {
    flag = gpudata_alloc(ctx, sizeof bad, &bad, GA_BUFFER_INIT, &err);
    if (flag == NULL) return err;
    t.bad = flag->ptr;
  }
  if (ga_capturing(ctx)) return capture(a, v, i, &t);
  err = ctx->backend->take != NULL ? ctx->backend->take(&t) : ga_take_kernel(ctx, &t, NULL);
  if (err == GA_NO_ERROR && check) {
    err = gpudata_read(&bad, flag, 0, sizeof bad);
    if (err == GA_NO_ERROR && bad) err = out_of_bounds(v);
  }
  gpudata_release(flag);
  return err;
}

static int meets(const GpuArray *a, const GpuArray *b)
{
  ga_span sa = ga_span_of(a->nd, a->dimensions, a->strides, gpuarray_get_elsize(a->typecode));
  ga_span sb = ga_span_of(b->nd, b->dimensions, b->strides, gpuarray_get_elsize(b->typecode));

  return ga_span_meets((const char *)a->data->ptr + a->offset, sa,
                       (const char *)b->data->ptr + b->offset, sb);
}

/* The rows gathered in `x` converted into `a`; those that no number of `i` names stay
 * as they were, which to the type of `x` and back they might not. */
static int move_named(GpuArray *a, const GpuArray *x, const GpuArray *v, const GpuArray *i)
{
  int64_t n = (int64_t)v->dimensions[0];
  size_t dims[GA_MAXND];
  char text[64];
  GpuArray rows = {0};
  int err;

  if (gpuarray_typename(a->typecode) == NULL || gpuarray_typename(x->typecode) == NULL)
    return ga_array_move(op, a, x); /* says that there is no conversion */
  for (unsigned int k = 0; k < a->nd; k++) dims[k] = k == 0 ? i->dimensions[0] : 1;
  snprintf(text, sizeof text, "where((i < n) & (i >= m), %s(x), a)",
           gpuarray_typename(a->typecode));
  err = GpuArray_reshape(&rows, i, a->nd, dims, GA_C_ORDER, 1);
  if (err == GA_NO_ERROR)
    err = GpuArray_eval_into(a, text,
                             GA_ARGS(ga_array("i", &rows), ga_array("x", x), ga_array("a", a),
                                     ga_int("n", n), ga_int("m", -n)));
  GpuArray_clear(&rows);
  return err;
}

int GpuArray_take1(GpuArray *a, const GpuArray *v, const GpuArray *i, int check_error)
{
  GpuArray other = {0};
  int err, converts;

  GA_TRY(ga_array_check_write(op, 1, a));
  GA_TRY(ga_array_check(op, 2, v));
  GA_TRY(ga_array_check(op, 3, i));
  GA_TRY(ga_array_check_context(op, 1, a, 2, v));
  GA_TRY(ga_array_check_context(op, 1, a, 3, i));
  GA_TRY(check_layouts(a, v, i));
  GA_TRY(check_shapes(a, v, i));
  converts = a->typecode != v->typecode;
  if (!converts && !meets(a, v) && !meets(a, i)) return take(a, v, i, check_error);
  GA_TRY(ga_array_new(op, &other, a->data->ctx, v->typecode, a->nd, a->dimensions, GA_C_ORDER));
  /* Rows that no number names stay as they were. */
  err = check_error || converts ? GA_NO_ERROR : ga_array_move(op, &other, a);
  if (err == GA_NO_ERROR) err = take(&other, v, i, check_error);
  if (err == GA_NO_ERROR && !check_error && converts)
    err = move_named(a, &other, v, i);
  else if (err == GA_NO_ERROR)
    err = ga_array_move(op, a, &other);
  GpuArray_clear(&other);
  return err;
}
