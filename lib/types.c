/* SPDX-License-Identifier: MIT */
/* The registry of element types: the scalar and vector codes of
 * gpuarray/types.h, and those that the program registers. What expressions can
 * compute with is a smaller set, lib/util/dtype.h. */
#include <pthread.h>
#include <stdarg.h>
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

/* Registered types; only ever grows. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static gpuarray_type **users;
static int nuser, cap;

static int add(gpuarray_type *t)
{
  if (nuser == cap) {
    int more = cap == 0 ? 16 : cap * 2;
    gpuarray_type **p = realloc(users, (size_t)more * sizeof *p);

    if (p == NULL) return 0;
    users = p;
    cap = more;
  }
  t->typecode = GA_ENDVEC + nuser;
  users[nuser++] = t;
  return 1;
}

int gpuarray_register_type(gpuarray_type *t, int *ret)
{
  int err = GA_NO_ERROR, ok;

  if (t == NULL) {
    err = ga_error(GA_VALUE_ERROR, "gpuarray_register_type: argument 1 is NULL");
  } else {
    pthread_mutex_lock(&lock);
    ok = add(t);
    pthread_mutex_unlock(&lock);
    if (!ok) err = ga_error_sys("gpuarray_register_type", "cannot keep the type");
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
    pthread_mutex_lock(&lock);
    if (typecode - GA_ENDVEC < nuser) t = users[typecode - GA_ENDVEC];
    pthread_mutex_unlock(&lock);
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
