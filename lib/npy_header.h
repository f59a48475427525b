/* SPDX-License-Identifier: MIT */
/* The header of a .npy file: what of a file's bytes says type, order and shape.
 * Knows no file and no array; sizes are bounded before anything is allocated. */
#ifndef GA_NPY_HEADER_H
#define GA_NPY_HEADER_H

#include <stddef.h>

#include "codegen/codegen.h"
#include "lib/util/dtype.h"
#include "lib/util/str.h"

/* Longest header that is read, in bytes. 64 axes need under 2000. */
#define GA_NPY_HEADER_MAX 65536
/* Magic, version, and the longer form of the length. */
#define GA_NPY_PREFIX_MAX 12

typedef struct ga_npy {
  enum ga_dtype dtype;
  int swapped; /* 1: the bytes of each number are in the other order */
  int fortran; /* 1: first axis fastest */
  unsigned int nd;
  size_t dims[GA_MAXND];
  size_t size; /* of the data, bytes */
} ga_npy;

/* How many bytes of prefix and header text a file has, from its first 10 (at
 * least) bytes: `*prefix` is 10 or 12, and 12 bytes are needed when it is 12.
 * `file` names the file in messages. GA_VALUE_ERROR for no .npy file;
 * GA_UNSUPPORTED_ERROR for a version that is not 1.0, 2.0 or 3.0;
 * GA_XLARGE_ERROR for a header over GA_NPY_HEADER_MAX. */
int ga_npy_prefix(size_t *prefix, size_t *text, const char *file, const unsigned char *bytes,
                  size_t n);

/* Reads the header text, n bytes. GA_VALUE_ERROR for text that is no header,
 * GA_UNSUPPORTED_ERROR for a dtype that arrays here do not have, GA_XLARGE_ERROR
 * for too many axes or elements. */
int ga_npy_parse(ga_npy *h, const char *file, const char *text, size_t n);

/* Adds prefix and header text as NumPy writes them: version 1.0, padded so that
 * the data begin at a multiple of 64. `h->swapped` and `h->size` are not read. */
void ga_npy_print(ga_str *s, const ga_npy *h);

#endif
