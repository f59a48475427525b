/* SPDX-License-Identifier: MIT */
/* The registry of element types: the scalar and vector codes of
 * gpuarray/types.h, and those that the program registers. What expressions can
 * compute with is a smaller set, lib/util/dtype.h. */
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "gpuarray/util.h"
#include "lib/util/dtype.h"
#include "lib/util/error.h"

static const gpuarray_type scalars[GA_NBASE] = {
#define SCALAR(code, name, size, align) [code] = {name, size, align, code},
#include "typecodes.def"
};

static const gpuarray_type vectors[GA_NVEC - GA_BYTE2] = {
#define VECTOR(code, name, size, align) [code - GA_BYTE2] = {name, size, align, code},
#include "typecodes.def"
};

static const gpuarray_type buffer_type = {NULL, sizeof(void *), sizeof(void *), -1};
static const gpuarray_type no_type = {NULL, 0, 0, -1};

/* Registered types: a list that only grows, without a lock, so that it is whole at
 * every moment, as for a child of fork(). Chunk c has 16 << c places; a place is taken
 * first and counted then, by whoever comes next if its taker does not. */
typedef _Atomic(gpuarray_type *) place;
enum { FIRST = 16, NCHUNK = 26 };
static _Atomic(place *) chunks[NCHUNK];
static atomic_uint nuser;

/* The place of registered type `i`; NULL when there is no memory for it. */
static place *place_of(unsigned int i)
{
  unsigned int c = 27 - (unsigned int)__builtin_clz(i + FIRST), size = (unsigned int)FIRST << c;
  place *p, *more;

  if (c >= NCHUNK) return NULL;
  p = atomic_load(&chunks[c]);
  if (p != NULL) return p + (i + FIRST - size);
  more = calloc(size, sizeof *more);
  if (more == NULL) return NULL;
  if (atomic_compare_exchange_strong(&chunks[c], &p, more))
    p = more;
  else
    free(more);
  return p + (i + FIRST - size);
}

static int add(gpuarray_type *t)
{
  int mine;

  do {
    unsigned int n = atomic_load(&nuser);
    gpuarray_type *none = NULL;
    place *p = place_of(n);

    if (p == NULL) return 0;
    t->typecode = GA_ENDVEC + (int)n;
    mine = atomic_compare_exchange_strong(p, &none, t);
    (void)atomic_compare_exchange_strong(&nuser, &n, n + 1);
  } while (!mine);
  return 1;
}

int gpuarray_register_type(gpuarray_type *t, int *ret)
{
  int err = GA_NO_ERROR;

  if (t == NULL) {
    err = ga_error(GA_VALUE_ERROR, "gpuarray_register_type: argument 1 is NULL");
  } else {
    if (!add(t)) err = ga_error_sys("gpuarray_register_type", "cannot keep the type");
  }
  if (ret != NULL) *ret = err;
  return err == GA_NO_ERROR ? t->typecode : -1;
}

const gpuarray_type *gpuarray_get_type(int typecode)
{
  const gpuarray_type *t = &no_type;

  if (typecode == GA_BUFFER) return &buffer_type;
  if (typecode >= 0 && typecode < GA_NBASE) {
    if (scalars[typecode].size != 0) t = &scalars[typecode];
  } else if (typecode >= GA_BYTE2 && typecode < GA_NVEC) {
    t = &vectors[typecode - GA_BYTE2];
  } else if (typecode >= GA_ENDVEC) {
    unsigned int i = (unsigned int)(typecode - GA_ENDVEC);

    if (i < atomic_load(&nuser)) t = atomic_load(place_of(i));
  }
  return t;
}

size_t gpuarray_get_elsize(int typecode) { return gpuarray_get_type(typecode)->size; }

int gpuarray_typecode(const char *numpy_name)
{
  static const struct {
    const char *name;
    int typecode;
  } others[] = {
      {"bool_", GA_BOOL},      {"byte", GA_BYTE},       {"ubyte", GA_UBYTE},
      {"short", GA_SHORT},     {"ushort", GA_USHORT},   {"intc", GA_INT},
      {"uintc", GA_UINT},      {"int", GA_LONG},        {"uint", GA_ULONG},
      {"intp", GA_LONG},       {"uintp", GA_ULONG},     {"longlong", GA_LONG},
      {"ulonglong", GA_ULONG}, {"half", GA_HALF},       {"single", GA_FLOAT},
      {"double", GA_DOUBLE},   {"float", GA_DOUBLE},    {"csingle", GA_CFLOAT},
      {"cdouble", GA_CDOUBLE}, {"complex", GA_CDOUBLE},
  };
  enum ga_dtype t;

  if (numpy_name == NULL) return -1;
  t = ga_dtype_named(numpy_name, strlen(numpy_name));
  if (t != GA_DT_NONE) return ga_dtypes[t].typecode;
  for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
    if (strcmp(others[i].name, numpy_name) == 0) return others[i].typecode;
  return -1;
}

const char *gpuarray_typename(int typecode)
{
  enum ga_dtype t = ga_dtype_of(typecode);

  return t == GA_DT_NONE ? NULL : ga_dtypes[t].name;
}

static int uses(int typecode)
{
  size_t size = gpuarray_get_elsize(typecode);
  int flags = 0;

  if (typecode == GA_DOUBLE || typecode == GA_CDOUBLE) flags |= GA_USE_DOUBLE;
  if (typecode == GA_CFLOAT || typecode == GA_CDOUBLE) flags |= GA_USE_COMPLEX;
  if (typecode == GA_HALF) flags |= GA_USE_HALF;
  if (size < 4) flags |= GA_USE_SMALL;
  return flags;
}

int gpuarray_type_flags(int init, ...)
{
  int flags = 0;
  va_list ap;

  va_start(ap, init);
  for (int typecode = init; typecode != -1; typecode = va_arg(ap, int)) flags |= uses(typecode);
  va_end(ap);
  return flags;
}

int gpuarray_type_flagsa(unsigned int n, gpuelemwise_arg *arg)
{
  int flags = 0;

  if (arg == NULL) return 0;
  for (unsigned int i = 0; i < n; i++) flags |= uses(arg[i].typecode);
  return flags;
}
