/* SPDX-License-Identifier: MIT */
/* Arrays described and dumped, for people who debug. GpuArray_print() (print.c)
 * prints them as NumPy does. */
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/format.h"

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

/* The dtype that a vector type has `*n` elements of: "ga_float4" is 4 times
 * "ga_float". GA_DT_NONE for any other type. */
static enum ga_dtype vector_of(size_t *n, const gpuarray_type *t)
{
  for (int d = 0; d < GA_NDTYPE && t->cluda_name != NULL; d++) {
    size_t len = strlen(ga_dtypes[d].device);

    if (strncmp(t->cluda_name, ga_dtypes[d].device, len) != 0) continue;
    if (t->cluda_name[len] == '\0' ||
        strspn(t->cluda_name + len, "0123456789") != strlen(t->cluda_name + len))
      continue;
    *n = t->size / ga_dtypes[d].size;
    return (enum ga_dtype)d;
  }
  return GA_DT_NONE;
}

/* A number as NumPy writes it, a vector as "(1.0, 2.0)", any other type as its
 * bytes, the highest first on a little-endian host: "0x0000002a". */
static void dump_one(ga_str *s, int typecode, const char *p)
{
  const gpuarray_type *t = gpuarray_get_type(typecode);
  enum ga_dtype d = ga_dtype_of(typecode);
  size_t n = 0;

  if (d != GA_DT_NONE) {
    ga_format_scalar(s, d, p);
    return;
  }
  d = typecode >= GA_BYTE2 && typecode < GA_NVEC ? vector_of(&n, t) : GA_DT_NONE;
  if (d == GA_DT_NONE) {
    ga_str_add(s, "0x");
    for (size_t i = t->size; i-- > 0;) ga_str_addf(s, "%02x", (unsigned char)p[i]);
    return;
  }
  for (size_t i = 0; i < n; i++) {
    ga_str_add(s, i == 0 ? "(" : ", ");
    ga_format_scalar(s, d, p + i * ga_dtypes[d].size);
  }
  ga_str_add(s, ")");
}

/* "[1][2] = value" for element `i`. */
static int dump_line(FILE *fd, const GpuArray *a, size_t i, const char *p)
{
  size_t rest = i, pos[GA_MAXND];
  ga_str s = {0};
  int err = GA_NO_ERROR;

  for (unsigned int k = a->nd; k-- > 0;) {
    pos[k] = rest % a->dimensions[k];
    rest /= a->dimensions[k];
  }
  for (unsigned int k = 0; k < a->nd; k++) ga_str_addf(&s, "[%zu]", pos[k]);
  ga_str_add(&s, " = ");
  dump_one(&s, a->typecode, p);
  ga_str_add(&s, "\n");
  if (s.failed)
    err = ga_error_memory("GpuArray_fdump", s.cap);
  else
    fputs(ga_str_text(&s), fd);
  ga_str_clear(&s);
  return err;
}

int GpuArray_fdump(FILE *fd, const GpuArray *a)
{
  static const char op[] = "GpuArray_fdump";
  size_t n, itemsize;
  char *host;
  int err;

  GA_NOT_NULL(op, 1, fd);
  GA_TRY(ga_array_check(op, 2, a));
  n = ga_array_size(a);
  itemsize = gpuarray_get_elsize(a->typecode);
  host = malloc(n * itemsize + 1);
  if (host == NULL) return ga_error_memory(op, n * itemsize);
  err = GpuArray_tohost(host, n * itemsize, a->typecode, a);
  for (size_t i = 0; i < n && err == GA_NO_ERROR; i++)
    err = dump_line(fd, a, i, host + i * itemsize);
  if (err == GA_NO_ERROR && ferror(fd)) err = ga_error_sys(op, "cannot write");
  free(host);
  return err;
}
