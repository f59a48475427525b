/* SPDX-License-Identifier: MIT */
/* Arguments of raw kernels: checked against what the kernel takes, packed as the
 * device lays parameters out, and launched. Where the device does not tell its
 * parameters, each goes at the next multiple of its type's alignment, as in a C
 * struct. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "gpuarray/module.h"
#include "gpuarray/util.h"
#include "lib/argkind.h"
#include "lib/capture.h"
#include "lib/rawkernel.h"

#define FEW_BYTES 1024

/* A list being packed, for one call. */
typedef struct packing {
  const char *op;
  gpukernel *k;
  gpugraph *g;    /* the thread's capture, or NULL */
  unsigned int n; /* arguments so far */
  size_t at;      /* where the last of them is */
  size_t size;    /* bytes so far */
  size_t cap;
  unsigned char *bytes; /* `few`, or malloc'ed */
  unsigned char few[FEW_BYTES];
} packing;

static void begin(packing *p, const char *op, gpukernel *k)
{
  p->op = op;
  p->k = k;
  p->g = ga_capturing(k->ctx) ? ga_capture_of(k->ctx) : NULL;
  if (p->g != NULL) ga_capture_call(p->g);
  p->n = 0;
  p->size = 0;
  p->cap = FEW_BYTES;
  p->bytes = p->few;
}

static void end(packing *p)
{
  if (p->bytes != p->few) free(p->bytes);
}

static int reserve(packing *p, size_t size)
{
  size_t cap = p->cap;
  unsigned char *bytes;
  if (size <= cap) return GA_NO_ERROR;
  while (cap < size) cap *= 2;
  bytes = malloc(cap);
  if (bytes == NULL) return ga_error_memory(p->op, cap);
  memcpy(bytes, p->bytes, p->size);
  end(p);
  p->bytes = bytes;
  p->cap = cap;
  return GA_NO_ERROR;
}

static const char *type_name(int typecode)
{
  const char *name = gpuarray_get_type(typecode)->cluda_name;
  return typecode == GA_BUFFER ? "a buffer" : name != NULL ? name : "an unnamed type";
}

static int check_count(const char *op, const ga_func_info *info, const char *name, unsigned int n)
{
  if (info->nargs == UINT_MAX || info->nargs == n) return GA_NO_ERROR;
  return ga_error(GA_VALUE_ERROR, "%s: kernel %s takes %u arguments, got %u", op, name, info->nargs,
                  n);
}

static int check_size(const char *op, const ga_func_info *info, const char *name, unsigned int i,
                      int typecode)
{
  size_t size = gpuarray_get_elsize(typecode);
  if (info->arg_size[i] == size) return GA_NO_ERROR;
  return ga_error(GA_VALUE_ERROR,
                  "%s: argument %u of kernel %s is %s (%zu bytes), the kernel takes %zu bytes", op,
                  i, name, type_name(typecode), size, info->arg_size[i]);
}

int ga_raw_check_types(const char *op, const ga_func_info *info, const char *name, unsigned int n,
                       const int *types)
{
  GA_TRY(check_count(op, info, name, n));
  for (unsigned int i = 0; i < n && info->nargs != UINT_MAX; i++)
    GA_TRY(check_size(op, info, name, i, types[i]));
  return GA_NO_ERROR;
}

/* Adds `value`, of `typecode`. */
static int add(packing *p, int typecode, const void *value)
{
  const gpuarray_type *t = gpuarray_get_type(typecode);
  const ga_func_info *info = &p->k->info;
  size_t align = t->align > 0 ? t->align : 1, at = (p->size + align - 1) / align * align;
  if (info->nargs != UINT_MAX) { /* the count was checked */
    GA_TRY(check_size(p->op, info, p->k->name, p->n, typecode));
    at = info->arg_offset[p->n];
  }
  GA_TRY(reserve(p, at + t->size));
  if (at > p->size) memset(p->bytes + p->size, 0, at - p->size);
  memcpy(p->bytes + at, value, t->size);
  if (at + t->size > p->size) p->size = at + t->size;
  p->at = at;
  p->n++;
  return GA_NO_ERROR;
}

static int add_buffer(packing *p, const gpudata *b, size_t offset)
{
  const char *address = (const char *)b->ptr + offset;
  if (b->ctx != p->k->ctx)
    return ga_error(GA_VALUE_ERROR, "%s: argument %u of kernel %s is of another context", p->op,
                    p->n, p->k->name);
  return add(p, GA_BUFFER, &address);
}

static int capture(packing *p, const size_t grid[3], const size_t block[3], size_t shared)
{
  ga_work node = {.kind = GA_WORK_LAUNCH,
                  .func = p->k->func,
                  .shared = shared,
                  .args = p->bytes,
                  .nargs = p->size};
  memcpy(node.grid, grid, sizeof node.grid);
  memcpy(node.block, block, sizeof node.block);
  int err = ga_capture_kernel(p->g, p->k);
  if (err == GA_NO_ERROR) err = ga_capture_add(p->g, &node);
  return ga_capture_done(p->g, err);
}

static int launch(packing *p, const size_t grid[3], const size_t block[3], size_t shared)
{
  if (p->g != NULL) return capture(p, grid, block, shared);
  return p->k->ctx->backend->launch(p->k->func, grid, block, shared, p->bytes, p->size);
}

/* ---- gpukernel: types declared, values by address --------------------------- */

int gpukernel_setarg(gpukernel *k, unsigned int i, void *a)
{
  GA_NOT_NULL("gpukernel_setarg", 1, k);
  if (i >= k->nargs)
    return ga_error(GA_VALUE_ERROR, "gpukernel_setarg: kernel %s has no argument %u, only %u",
                    k->name, i, k->nargs);
  k->args[i] = a;
  return GA_NO_ERROR;
}

static int add_whole(packing *p, gpudata *b)
{
  GA_TRY(add_buffer(p, b, 0));
  if (p->g == NULL) return GA_NO_ERROR;
  return ga_capture_done(p->g, ga_capture_bytes(p->g, p->at, b, 0, b->size, 1));
}

static int pack_declared(packing *p, void **args)
{
  gpukernel *k = p->k;
  for (unsigned int i = 0; i < k->nargs; i++) {
    if (args[i] == NULL)
      return ga_error(GA_VALUE_ERROR, "%s: argument %u of kernel %s is not set", p->op, i, k->name);
    if (k->types[i] == GA_BUFFER)
      GA_TRY(add_whole(p, args[i]));
    else
      GA_TRY(add(p, k->types[i], args[i]));
  }
  return GA_NO_ERROR;
}

int gpukernel_call(gpukernel *k, unsigned int n, const size_t *gs, const size_t *ls, size_t shared,
                   void **args)
{
  static const char op[] = "gpukernel_call";
  size_t grid[3] = {1, 1, 1}, block[3] = {1, 1, 1};
  packing p;
  GA_NOT_NULL(op, 1, k);
  if (n < 1 || n > 3) return ga_error(GA_VALUE_ERROR, "%s: argument 2 is %u, not 1 to 3", op, n);
  GA_NOT_NULL(op, 3, gs);
  GA_NOT_NULL(op, 4, ls);
  if (k->types == NULL)
    return ga_error(GA_INVALID_ERROR,
                    "%s: kernel %s is of a GpuModule, which knows no types: "
                    "GpuKernel_launch runs it",
                    op, k->name);
  GA_TRY(check_count(op, &k->info, k->name, k->nargs));
  for (unsigned int i = 0; i < n; i++) {
    grid[i] = gs[i];
    block[i] = ls[i];
  }
  begin(&p, op, k);
  int err = pack_declared(&p, args != NULL ? args : k->args);
  if (err == GA_NO_ERROR) err = launch(&p, grid, block, shared);
  end(&p);
  return err;
}

/* ---- GpuKernel_launch: typed arguments ---------------------------------------- */

static int add_array(packing *p, const GpuArray *a, const char *name)
{
  GA_TRY(add_buffer(p, a->data, a->offset));
  if (p->g == NULL) return GA_NO_ERROR;
  return ga_capture_done(p->g, ga_capture_array(p->g, p->at, 0, a, GpuArray_ISWRITEABLE(a), name));
}

static int add_number(packing *p, const gpuarg *a)
{
  GA_TRY(add(p, a->typecode, a->v.ptr));
  if (p->g == NULL || a->name == NULL) return GA_NO_ERROR;
  return ga_capture_done(p->g, ga_capture_number(p->g, p->at, a->name, a->typecode, a->v.ptr));
}

static int add_arg(packing *p, const gpuarg *a)
{
  switch (a->kind) {
  case GA_ARG_ARRAY:
    if (a->v.array == NULL || a->v.array->data == NULL)
      return ga_error(GA_VALUE_ERROR, "%s: argument %u of kernel %s is %s", p->op, p->n, p->k->name,
                      a->v.array == NULL ? "NULL" : "an array without data");
    return add_array(p, a->v.array, a->name);
  case GA_ARG_SCALAR:
    if (a->v.ptr == NULL || gpuarray_get_elsize(a->typecode) == 0 || a->typecode == GA_BUFFER)
      return ga_error(GA_VALUE_ERROR,
                      "%s: argument %u of kernel %s needs a typecode and an address of its value",
                      p->op, p->n, p->k->name);
    return add_number(p, a);
  case GA_ARG_INT:
  case GA_ARG_FLOAT:
    return ga_error(GA_VALUE_ERROR,
                    "%s: argument %u of kernel %s is a number without a type: write "
                    "ga_scalar(NULL, typecode, &value)",
                    p->op, p->n, p->k->name);
  default:
    return ga_error(
        GA_VALUE_ERROR,
        "%s: argument %u of kernel %s is made by %s, expected ga_array() or ga_scalar()", p->op,
        p->n, p->k->name, ga_argkind_maker(a->kind));
  }
}

int GpuKernel_launch(GpuKernel *k, const size_t grid[3], const size_t block[3], size_t shared,
                     unsigned int n, const gpuarg *args)
{
  static const char op[] = "GpuKernel_launch";
  packing p;
  int err;
  GA_NOT_NULL(op, 1, k);
  if (k->k == NULL) return ga_error(GA_VALUE_ERROR, "%s: argument 1 is a cleared kernel", op);
  GA_NOT_NULL(op, 2, grid);
  GA_NOT_NULL(op, 3, block);
  if (n > 0) GA_NOT_NULL(op, 6, args);
  GA_TRY(check_count(op, &k->k->info, k->k->name, n));
  begin(&p, op, k->k);
  err = GA_NO_ERROR;
  for (unsigned int i = 0; i < n && err == GA_NO_ERROR; i++) err = add_arg(&p, &args[i]);
  if (err == GA_NO_ERROR) err = launch(&p, grid, block, shared);
  end(&p);
  return err;
}
