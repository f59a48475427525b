/* SPDX-License-Identifier: MIT */
/* Arrays described and dumped, for people who debug. GpuArray_print() (print.c)
 * prints them as NumPy does. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"

const char *GpuArray_error(const GpuArray *a, int err)
{
  return gpucontext_error(GpuArray_context(a), err);
}

void GpuArray_fprintf(FILE *fd, const GpuArray *a)
{
  static const struct {
    int flag;
    const char *name;
  } flags[] = {{GA_C_CONTIGUOUS, "C_CONTIGUOUS"},
               {GA_F_CONTIGUOUS, "F_CONTIGUOUS"},
               {GA_ALIGNED, "ALIGNED"},
               {GA_WRITEABLE, "WRITEABLE"}};

  if (fd == NULL) return;
  if (a == NULL || a->data == NULL) {
    fprintf(fd, a == NULL ? "GpuArray NULL\n" : "GpuArray, cleared\n");
    return;
  }
  fprintf(fd, "GpuArray <%p, %p> nd=%u\n", (const void *)a, a->data->ptr, a->nd);
  fprintf(fd, "\tdims %p:", (void *)a->dimensions);
  for (unsigned int k = 0; k < a->nd; k++) fprintf(fd, " %zu", a->dimensions[k]);
  fprintf(fd, "\n\tstrides %p:", (void *)a->strides);
  for (unsigned int k = 0; k < a->nd; k++) fprintf(fd, " %zd", a->strides[k]);
  fprintf(fd, "\n\toffset: %zu\n\ttypecode: %d\n\tflags:", a->offset, a->typecode);
  for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++)
    if (a->flags & flags[i].flag) fprintf(fd, " %s", flags[i].name);
  fputc('\n', fd);
}

static void dump_one(FILE *fd, int typecode, const char *p)
{
  switch (typecode) {
  case GA_UINT: fprintf(fd, "%" PRIu32, *(const uint32_t *)p); return;
  case GA_LONG: fprintf(fd, "%" PRId64, *(const int64_t *)p); return;
  default: fprintf(fd, "%g", (double)*(const float *)p);
  }
}

/* "[1][2] = value" for element `i`. */
static void dump_line(FILE *fd, const GpuArray *a, size_t i, const char *p)
{
  size_t rest = i, pos[GA_MAXND];

  for (unsigned int k = a->nd; k-- > 0;) {
    pos[k] = rest % a->dimensions[k];
    rest /= a->dimensions[k];
  }
  for (unsigned int k = 0; k < a->nd; k++) fprintf(fd, "[%zu]", pos[k]);
  fprintf(fd, " = ");
  dump_one(fd, a->typecode, p);
  fputc('\n', fd);
}

int GpuArray_fdump(FILE *fd, const GpuArray *a)
{
  static const char op[] = "GpuArray_fdump";
  size_t n, itemsize;
  char *host;
  int err;

  GA_NOT_NULL(op, 1, fd);
  GA_TRY(ga_array_check(op, 2, a));
  if (a->typecode != GA_UINT && a->typecode != GA_LONG && a->typecode != GA_FLOAT)
    return ga_error(GA_UNSUPPORTED_ERROR,
                    "%s: argument 2 has typecode %d, expected GA_UINT, "
                    "GA_LONG or GA_FLOAT",
                    op, a->typecode);
  n = ga_array_size(a);
  itemsize = gpuarray_get_elsize(a->typecode);
  host = malloc(n * itemsize + 1);
  if (host == NULL) return ga_error_memory(op, n * itemsize);
  err = GpuArray_tohost(host, n * itemsize, a->typecode, a);
  if (err == GA_NO_ERROR) {
    for (size_t i = 0; i < n; i++) dump_line(fd, a, i, host + i * itemsize);
    if (ferror(fd)) err = ga_error_sys(op, "cannot write");
  }
  free(host);
  return err;
}
