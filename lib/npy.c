/* SPDX-License-Identifier: MIT */
/* Arrays to and from .npy files. Data go through a staging buffer, a piece at a
 * time, in the order of the file: a Fortran array is read into and written from
 * an array of that order, so nothing is ever transposed on the host.
 *
 * A file is written beside its place and renamed, so that a reader sees the old
 * one or the new one; what is no regular file (a pipe, /dev/stdout) is written
 * in place. */
#include "gpuarray/io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/npy_header.h"
#include "lib/util/error.h"

enum { PIECE = 4 << 20 }; /* bytes; a multiple of every element's size */

#ifndef O_CLOEXEC
#define O_CLOEXEC 0
#endif

/* ---- loading --------------------------------------------------------------- */

/* Reads up to n bytes; fewer only at the end of the file. */
static int read_up_to(int fd, const char *path, void *buf, size_t n, size_t *got)
{
  *got = 0;
  while (*got < n) {
    ssize_t r = read(fd, (char *)buf + *got, n - *got);
    if (r < 0 && errno == EINTR) continue;
    if (r < 0) return ga_error_sys("load", path);
    if (r == 0) break;
    *got += (size_t)r;
  }
  return GA_NO_ERROR;
}

/* Complex numbers are two, each with its own bytes. */
static void swap_bytes(unsigned char *p, size_t n, enum ga_dtype dtype)
{
  size_t size = ga_dtypes[dtype].size;
  if (ga_dtypes[dtype].kind == 'c') size /= 2;
  for (; n >= size; p += size, n -= size)
    for (size_t i = 0; i < size / 2; i++) {
      unsigned char b = p[i];
      p[i] = p[size - 1 - i];
      p[size - 1 - i] = b;
    }
}

/* Bytes of the file as elements of this machine. Any byte but 0 is true. */
static void to_native(unsigned char *p, size_t n, const ga_npy *h)
{
  if (h->swapped) swap_bytes(p, n, h->dtype);
  if (h->dtype == GA_DT_BOOL)
    for (size_t i = 0; i < n; i++) p[i] = p[i] != 0;
}

static int truncated(const char *path, size_t got, size_t want)
{
  return ga_error(GA_VALUE_ERROR, "load: %s: truncated: %zu bytes of data, its shape needs %zu",
                  path, got, want);
}

static int read_header(ga_npy *h, int fd, const char *path)
{
  unsigned char prefix[GA_NPY_PREFIX_MAX];
  size_t got, more, nprefix, ntext;
  GA_TRY(read_up_to(fd, path, prefix, 10, &got));
  int err = ga_npy_prefix(&nprefix, &ntext, path, prefix, got);
  if (err == GA_VALUE_ERROR && got == 10 && memcmp(prefix, "\x93NUMPY", 6) == 0) {
    GA_TRY(read_up_to(fd, path, prefix + 10, 2, &more));
    err = ga_npy_prefix(&nprefix, &ntext, path, prefix, got + more);
  }
  GA_TRY(err);

  char *text = malloc(ntext ? ntext : 1);
  if (text == NULL) return ga_error_memory("load", ntext);
  err = read_up_to(fd, path, text, ntext, &got);
  if (err == GA_NO_ERROR && got < ntext)
    err = ga_error(GA_VALUE_ERROR, "load: %s: truncated in its header", path);
  if (err == GA_NO_ERROR) err = ga_npy_parse(h, path, text, ntext);
  free(text);
  return err;
}

/* A regular file that is too short is refused before memory is asked for. */
static int check_length(const ga_npy *h, int fd, const char *path)
{
  struct stat st;
  if (fstat(fd, &st) != 0) return ga_error_sys("load", path);
  if (!S_ISREG(st.st_mode)) return GA_NO_ERROR;
  off_t at = lseek(fd, 0, SEEK_CUR);
  if (at < 0) return ga_error_sys("load", path);
  uintmax_t left = st.st_size > at ? (uintmax_t)(st.st_size - at) : 0;
  return left < h->size ? truncated(path, (size_t)left, h->size) : GA_NO_ERROR;
}

static int read_data(GpuArray *a, const ga_npy *h, int fd, const char *path)
{
  if (h->size == 0) return GA_NO_ERROR;
  size_t piece = h->size < PIECE ? h->size : PIECE;
  unsigned char *buf = malloc(piece);
  if (buf == NULL) return ga_error_memory("load", piece);
  int err = GA_NO_ERROR;
  for (size_t at = 0; at < h->size; at += piece) {
    size_t got, want = h->size - at < piece ? h->size - at : piece;
    err = read_up_to(fd, path, buf, want, &got);
    if (err == GA_NO_ERROR && got < want) err = truncated(path, at + got, h->size);
    if (err != GA_NO_ERROR) break;
    to_native(buf, want, h);
    err = gpudata_write(a->data, a->offset + at, buf, want);
    if (err != GA_NO_ERROR) break;
  }
  free(buf);
  return err;
}

int GpuArray_load(GpuArray *a, gpucontext *ctx, const char *path)
{
  ga_npy h;
  if (a == NULL) return ga_error(GA_VALUE_ERROR, "load: argument 1 is NULL");
  memset(a, 0, sizeof *a);
  if (ctx == NULL) return ga_error(GA_VALUE_ERROR, "load: argument 2, the context, is NULL");
  if (path == NULL) return ga_error(GA_VALUE_ERROR, "load: argument 3, the path, is NULL");
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return ga_error_sys("load", path);
  int err = read_header(&h, fd, path);
  if (err == GA_NO_ERROR) err = check_length(&h, fd, path);
  if (err == GA_NO_ERROR)
    err = GpuArray_empty(a, ctx, ga_dtypes[h.dtype].typecode, h.nd, h.dims,
                         h.fortran ? GA_F_ORDER : GA_C_ORDER);
  if (err == GA_NO_ERROR) {
    err = read_data(a, &h, fd, path);
    if (err != GA_NO_ERROR) GpuArray_clear(a);
  }
  close(fd);
  return err;
}

/* ---- saving ---------------------------------------------------------------- */

static int write_all(int fd, const char *path, const void *buf, size_t n)
{
  const char *p = buf;
  while (n > 0) {
    ssize_t w = write(fd, p, n);
    if (w < 0 && errno == EINTR) continue;
    if (w < 0) return ga_error_sys("save", path);
    p += w;
    n -= (size_t)w;
  }
  return GA_NO_ERROR;
}

static int write_data(int fd, const char *path, const GpuArray *a, size_t size)
{
  if (size == 0) return GA_NO_ERROR;
  size_t piece = size < PIECE ? size : PIECE;
  char *buf = malloc(piece);
  if (buf == NULL) return ga_error_memory("save", piece);
  int err = GA_NO_ERROR;
  for (size_t at = 0; at < size && err == GA_NO_ERROR; at += piece) {
    size_t n = size - at < piece ? size - at : piece;
    err = gpudata_read(buf, a->data, a->offset + at, n);
    if (err == GA_NO_ERROR) err = write_all(fd, path, buf, n);
  }
  free(buf);
  return err;
}

/* The header that describes an array without gaps. */
static int describe(ga_npy *h, const GpuArray *a)
{
  enum ga_dtype dtype = ga_dtype_of(a->typecode);
  if (dtype == GA_DT_BFLOAT16)
    return ga_error(GA_UNSUPPORTED_ERROR, "save: .npy files have no bfloat16; save float32(a), "
                                          "which holds the same values");
  if (dtype == GA_DT_NONE)
    return ga_error(GA_UNSUPPORTED_ERROR, "save: .npy files have no type for typecode %d",
                    a->typecode);
  if (a->nd > GA_MAXND)
    return ga_error(GA_VALUE_ERROR, "save: %u axes; at most %d", a->nd, GA_MAXND);
  memset(h, 0, sizeof *h);
  h->dtype = dtype;
  h->nd = a->nd;
  h->fortran = !GpuArray_IS_C_CONTIGUOUS(a) && GpuArray_IS_F_CONTIGUOUS(a);
  h->size = ga_dtypes[dtype].size;
  for (unsigned int i = 0; i < a->nd; i++) h->size *= h->dims[i] = a->dimensions[i];
  return GA_NO_ERROR;
}

static int write_file(int fd, const char *path, const ga_npy *h, const GpuArray *a)
{
  ga_str header = {0};
  ga_npy_print(&header, h);
  int err = header.failed ? ga_error_memory("save", header.len)
                          : write_all(fd, path, ga_str_text(&header), header.len);
  ga_str_clear(&header);
  return err == GA_NO_ERROR ? write_data(fd, path, a, h->size) : err;
}

/* Opens a new file beside `path`; its name is malloc'ed. The mode is the
 * umask's, which mkstemp's would not be. */
static int open_beside(int *fd, char **name, const char *path)
{
  static atomic_uint count;
  size_t size = strlen(path) + 40;
  *name = malloc(size);
  if (*name == NULL) return ga_error_memory("save", size);
  do {
    snprintf(*name, size, "%s.%ld.%u.tmp", path, (long)getpid(), atomic_fetch_add(&count, 1));
    *fd = open(*name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  } while (*fd < 0 && errno == EEXIST);
  if (*fd >= 0) return GA_NO_ERROR;
  free(*name);
  return ga_error_sys("save", path);
}

static int save_beside(const char *path, const ga_npy *h, const GpuArray *a)
{
  int fd = -1;
  char *name;
  GA_TRY(open_beside(&fd, &name, path));
  int err = write_file(fd, path, h, a);
  if (close(fd) != 0 && err == GA_NO_ERROR) err = ga_error_sys("save", path);
  if (err == GA_NO_ERROR && rename(name, path) != 0) err = ga_error_sys("save", path);
  if (err != GA_NO_ERROR) unlink(name);
  free(name);
  return err;
}

static int save_in_place(const char *path, const ga_npy *h, const GpuArray *a)
{
  int fd = open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return ga_error_sys("save", path);
  int err = write_file(fd, path, h, a);
  if (close(fd) != 0 && err == GA_NO_ERROR) err = ga_error_sys("save", path);
  return err;
}

/* A link is followed: the file it names is replaced, not the link. */
static int save_contiguous(const char *path, const ga_npy *h, const GpuArray *a)
{
  struct stat st;
  if (stat(path, &st) != 0) return save_beside(path, h, a);
  if (!S_ISREG(st.st_mode)) return save_in_place(path, h, a);
  char *real = realpath(path, NULL);
  if (real == NULL)
    return errno == ENOMEM ? ga_error_memory("save", strlen(path)) : ga_error_sys("save", path);
  int err = save_beside(real, h, a);
  free(real);
  return err;
}

int GpuArray_save(const char *path, const GpuArray *a)
{
  ga_npy h;
  GpuArray copy = {0};
  if (path == NULL) return ga_error(GA_VALUE_ERROR, "save: argument 1, the path, is NULL");
  if (a == NULL || a->data == NULL)
    return ga_error(GA_VALUE_ERROR, "save: argument 2 is %s", a ? "a cleared array" : "NULL");
  GA_TRY(describe(&h, a));
  if (GpuArray_ISONESEGMENT(a)) return save_contiguous(path, &h, a);
  GA_TRY(GpuArray_copy(&copy, a, GA_C_ORDER));
  int err = save_contiguous(path, &h, &copy);
  GpuArray_clear(&copy);
  return err;
}
