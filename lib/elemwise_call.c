/* SPDX-License-Identifier: MIT */
/* A call of a GpuElemwise: arrays checked, brought to one shape and launched. The
 * result is as if every input had been read first: an input that shares memory
 * with an output, other than element by element, is copied. */
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/capture.h"
#include "lib/elemwise.h"
#include "lib/overlap.h"

static const char op[] = "GpuElemwise_call";

enum { FEW_KEY = 128, FEW_ARRAYS = 16, FEW_BYTES = 2048 };

typedef struct call {
  GpuElemwise *ge;
  void **args;
  int flags;
  unsigned int nd;
  size_t dims[GA_MAXND];
  size_t count; /* elements */
  int64_t *key; /* `few`, or malloc'ed */
  size_t nkey;
  const GpuArray **use; /* [narray]: the argument, or its copy */
  GpuArray *copies;     /* [narray], zeroed; NULL: none yet */
  int64_t few[FEW_KEY];
  const GpuArray *few_use[FEW_ARRAYS];
} call;

static const gpuelemwise_arg *arg_of(const call *c, unsigned int i)
{
  return &c->ge->args[c->ge->arrays[i]];
}

static int is_output(const call *c, unsigned int i)
{
  return (arg_of(c, i)->flags & GE_WRITE) != 0;
}

/* ---- checks ----------------------------------------------------------------- */

static int check_array(const call *c, unsigned int i)
{
  const gpuelemwise_arg *arg = arg_of(c, i);
  const GpuArray *a = c->args[c->ge->arrays[i]];

  if (a == NULL || a->data == NULL)
    return ga_error(GA_VALUE_ERROR, "%s: array '%s' is %s", op, arg->name,
                    a == NULL ? "NULL" : "cleared");
  if (a->data->ctx != c->ge->ctx)
    return ga_error(GA_VALUE_ERROR, "%s: array '%s' is of another context", op, arg->name);
  if (a->typecode != arg->typecode)
    return ga_error(GA_VALUE_ERROR, "%s: array '%s' has typecode %d, the kernel was made for %d",
                    op, arg->name, a->typecode, arg->typecode);
  if (a->nd > GA_MAXND)
    return ga_error(GA_VALUE_ERROR, "%s: array '%s' has %u axes, at most %d are possible", op,
                    arg->name, a->nd, GA_MAXND);
  if (!GpuArray_ISALIGNED(a))
    return ga_error(GA_UNALIGNED_ERROR, "%s: array '%s' is not aligned to its elements", op,
                    arg->name);
  if ((arg->flags & GE_WRITE) && !GpuArray_ISWRITEABLE(a))
    return ga_error(GA_VALUE_ERROR, "%s: array '%s' is written and read-only", op, arg->name);
  return GA_NO_ERROR;
}

/* Extent of axis k of the call; missing axes are in front. */
static size_t extent(const call *c, const GpuArray *a, unsigned int k)
{
  unsigned int pad = c->nd - a->nd;

  return k < pad ? 1 : a->dimensions[k - pad];
}

static int check_shape(const call *c, unsigned int i, const GpuArray *first)
{
  char ta[GA_SHAPE_TEXT], tf[GA_SHAPE_TEXT];
  const GpuArray *a = c->use[i];

  for (unsigned int k = 0; k < c->nd; k++) {
    size_t n = extent(c, a, k);

    if (n == c->dims[k]) continue;
    if (n == 1 && (c->flags & GE_BROADCAST) && !is_output(c, i)) continue;
    return ga_error(GA_VALUE_ERROR, "%s: array '%s' has shape %s, the first output %s%s", op,
                    arg_of(c, i)->name, ga_shape_text(ta, a->nd, a->dimensions),
                    ga_shape_text(tf, first->nd, first->dimensions),
                    n == 1 && !is_output(c, i) ? "; GE_BROADCAST would repeat it" : "");
  }
  return GA_NO_ERROR;
}

/* The rank, and the extents, which are those of the first output. */
static int find_shape(call *c)
{
  const GpuArray *first = NULL;

  c->nd = 0;
  for (unsigned int i = 0; i < c->ge->narray; i++) {
    GA_TRY(check_array(c, i));
    c->use[i] = c->args[c->ge->arrays[i]];
    if (first == NULL && is_output(c, i)) first = c->use[i];
    if (c->use[i]->nd > c->nd) c->nd = c->use[i]->nd;
  }
  for (unsigned int i = 0; i < c->ge->narray && !(c->flags & GE_PADSHAPE); i++)
    if (c->use[i]->nd != c->nd)
      return ga_error(GA_VALUE_ERROR,
                      "%s: array '%s' has %u axes, another has %u; GE_PADSHAPE "
                      "would add some",
                      op, arg_of(c, i)->name, c->use[i]->nd, c->nd);
  c->count = 1;
  for (unsigned int k = 0; k < c->nd; k++) {
    c->dims[k] = extent(c, first, k);
    c->count *= c->dims[k];
  }
  for (unsigned int i = 0; i < c->ge->narray; i++) GA_TRY(check_shape(c, i, first));
  return GA_NO_ERROR;
}

/* ---- the key, which holds the strides ---------------------------------------- */

static char *address(const GpuArray *a) { return (char *)a->data->ptr + a->offset; }

static int64_t *strides_of(const call *c, unsigned int i)
{
  return c->key + GA_GE_STRIDES(c->nd, i);
}

static void key_array(call *c, unsigned int i)
{
  const GpuArray *a = c->use[i];
  unsigned int pad = c->nd - a->nd;
  int64_t *s = strides_of(c, i);

  for (unsigned int k = 0; k < c->nd; k++)
    s[k] = c->dims[k] <= 1 || extent(c, a, k) == 1 ? 0 : a->strides[k - pad];
  s[c->nd] = (int64_t)((uintptr_t)address(a) % 16);
}

static int make_key(call *c)
{
  c->nkey = GA_GE_STRIDES(c->nd, c->ge->narray);
  if (c->nkey > FEW_KEY) {
    c->key = malloc(c->nkey * sizeof *c->key);
    if (c->key == NULL) return ga_error_memory(op, c->nkey * sizeof *c->key);
  }
  c->key[0] = c->nd;
  for (unsigned int k = 0; k < c->nd; k++) c->key[1 + k] = (int64_t)c->dims[k];
  for (unsigned int i = 0; i < c->ge->narray; i++) key_array(c, i);
  return GA_NO_ERROR;
}

/* ---- overlaps ----------------------------------------------------------------- */

static size_t itemsize(const call *c, unsigned int i)
{
  return gpuarray_get_elsize(arg_of(c, i)->typecode);
}

static ga_span span_of(const call *c, unsigned int i)
{
  return ga_span_of(c->nd, c->dims, (const ssize_t *)strides_of(c, i), itemsize(c, i));
}

/* Both are at the same element at each step. */
static int same_walk(const call *c, unsigned int i, unsigned int k)
{
  return address(c->use[i]) == address(c->use[k]) && itemsize(c, i) == itemsize(c, k) &&
         memcmp(strides_of(c, i), strides_of(c, k), c->nd * sizeof(int64_t)) == 0;
}

static int meets(const call *c, unsigned int i, unsigned int k)
{
  return ga_span_meets(address(c->use[i]), span_of(c, i), address(c->use[k]), span_of(c, k));
}

static int copy_input(call *c, unsigned int i)
{
  if (c->copies == NULL) {
    c->copies = calloc(c->ge->narray, sizeof *c->copies);
    if (c->copies == NULL) return ga_error_memory(op, c->ge->narray * sizeof *c->copies);
  }
  GA_TRY(GpuArray_copy(&c->copies[i], c->use[i], GA_C_ORDER));
  c->use[i] = &c->copies[i];
  key_array(c, i);
  return GA_NO_ERROR;
}

static int mend_overlaps(call *c)
{
  for (unsigned int o = 0; o < c->ge->narray; o++) {
    if (!is_output(c, o)) continue;
    if (ga_overlaps_itself(c->nd, c->dims, (const ssize_t *)strides_of(c, o), itemsize(c, o)))
      return ga_error(GA_VALUE_ERROR,
                      "%s: array '%s' is written but its elements overlap each "
                      "other",
                      op, arg_of(c, o)->name);
    for (unsigned int i = 0; i < c->ge->narray; i++) {
      if (i == o || !meets(c, i, o)) continue;
      if (is_output(c, i))
        return ga_error(GA_VALUE_ERROR, "%s: arrays '%s' and '%s' are written and overlap", op,
                        arg_of(c, i)->name, arg_of(c, o)->name);
      if (!same_walk(c, i, o)) GA_TRY(copy_input(c, i));
    }
  }
  return GA_NO_ERROR;
}

/* ---- the launch ---------------------------------------------------------------- */

static int capture(const call *c, const ga_ge_plan *plan, void *packed)
{
  const GpuElemwise *ge = c->ge;
  const ga_launch *l = &plan->launch;
  gpugraph *g = ga_capture_of(ge->ctx);
  ga_work node = {.kind = GA_WORK_LAUNCH,
                  .func = plan->func,
                  .shared = l->shared,
                  .args = packed,
                  .nargs = l->nargs};
  int err = GA_NO_ERROR;

  memcpy(node.grid, l->grid, sizeof node.grid);
  memcpy(node.block, l->block, sizeof node.block);
  ga_capture_call(g);
  for (unsigned int i = 0; i < ge->narray && err == GA_NO_ERROR; i++)
    err = ga_capture_array(g, l->operand_at[i], plan->layout.offset[i], c->use[i], is_output(c, i),
                           arg_of(c, i)->name);
  for (unsigned int i = 0; i < ge->nnumber && err == GA_NO_ERROR; i++) {
    const gpuelemwise_arg *arg = &ge->args[ge->scalars[i]];

    err = ga_capture_number(g, l->param_at[i], arg->name, arg->typecode, c->args[ge->scalars[i]]);
  }
  if (err == GA_NO_ERROR) err = ga_capture_add(g, &node);
  return ga_capture_done(g, err);
}

static int launch(const call *c, const ga_ge_plan *plan)
{
  const GpuElemwise *ge = c->ge;
  const ga_launch *l = &plan->launch;
  unsigned char few[FEW_BYTES], *packed = few;
  int err;

  if (l->nargs > sizeof few && (packed = malloc(l->nargs)) == NULL)
    return ga_error_memory(op, l->nargs);
  memcpy(packed, l->args, l->nargs);
  for (unsigned int i = 0; i < ge->narray; i++) {
    const char *p = address(c->use[i]) + plan->layout.offset[i];

    memcpy(packed + l->operand_at[i], &p, sizeof p);
  }
  for (unsigned int i = 0; i < ge->nnumber; i++)
    memcpy(packed + l->param_at[i], c->args[ge->scalars[i]],
           ga_dtypes[ga_ge_dtype(ge->args[ge->scalars[i]].typecode)].size);
  err = ga_capturing(ge->ctx)
            ? capture(c, plan, packed)
            : ge->ctx->backend->launch(plan->func, l->grid, l->block, l->shared, packed, l->nargs);
  if (packed != few) free(packed);
  return err;
}

static int run(call *c)
{
  ga_ge_plan *plan;
  int err;

  for (unsigned int i = 0; i < c->ge->nnumber; i++)
    if (c->args[c->ge->scalars[i]] == NULL)
      return ga_error(GA_VALUE_ERROR, "%s: number '%s' is NULL", op,
                      c->ge->args[c->ge->scalars[i]].name);
  GA_TRY(find_shape(c));
  if (c->count == 0) return GA_NO_ERROR;
  GA_TRY(make_key(c));
  GA_TRY(mend_overlaps(c));
  GA_TRY(ga_ge_plan_get(&plan, c->ge, c->key, c->nkey));
  err = launch(c, plan);
  if (plan->key == NULL) ga_ge_plan_free(plan);
  return err;
}

int GpuElemwise_call(GpuElemwise *ge, void **args, int flags)
{
  call c;
  int err = GA_NO_ERROR;

  GA_NOT_NULL(op, 1, ge);
  GA_NOT_NULL(op, 2, args);
  if (flags & ~(GE_BROADCAST | GE_NOCOLLAPSE | GE_PADSHAPE))
    return ga_error(GA_VALUE_ERROR, "%s: argument 3 has unknown flags 0x%x", op, (unsigned)flags);
  c.ge = ge;
  c.args = args;
  c.flags = flags;
  c.key = c.few;
  c.use = c.few_use;
  c.copies = NULL;
  if (ge->narray > FEW_ARRAYS) {
    c.use = calloc(ge->narray, sizeof *c.use);
    if (c.use == NULL) err = ga_error_memory(op, ge->narray * sizeof *c.use);
  }
  if (err == GA_NO_ERROR) err = run(&c);
  for (unsigned int i = 0; c.copies != NULL && i < ge->narray; i++) GpuArray_clear(&c.copies[i]);
  free(c.copies);
  if (c.key != c.few) free(c.key);
  if (c.use != c.few_use) free(c.use);
  return err;
}
