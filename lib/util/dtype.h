/* SPDX-License-Identifier: MIT */
/* The element types that expressions compute with (types.def), as a dense enum.
 * The public typecodes of gpuarray/types.h have more (vectors, user types);
 * ga_dtype_of() says which of them an expression may read. */
#ifndef GA_UTIL_DTYPE_H
#define GA_UTIL_DTYPE_H

#include <stddef.h>

enum ga_dtype {
#define TYPE(ID, name, typecode, device, ch, kind, size) GA_DT_##ID,
#include "types.def"
#undef TYPE
  GA_NDTYPE,
  GA_DT_NONE = GA_NDTYPE
};

typedef struct ga_dtype_info {
  const char *name;   /* NumPy's: "float32" */
  const char *device; /* in kernels: "ga_float" */
  int typecode;       /* public: GA_FLOAT */
  char ch;            /* in loop lists: 'f' */
  char kind;          /* b i u f c */
  unsigned char size; /* bytes */
} ga_dtype_info;

/* Indexed by enum ga_dtype. */
extern const ga_dtype_info ga_dtypes[GA_NDTYPE];

/* The dtype of a public typecode, GA_DT_NONE where expressions have none. */
enum ga_dtype ga_dtype_of(int typecode);

/* The dtype called `name` (n characters), GA_DT_NONE if there is none. */
enum ga_dtype ga_dtype_named(const char *name, size_t n);

/* The dtype of a loop-list character, GA_DT_NONE if there is none. */
enum ga_dtype ga_dtype_char(char ch);

#endif
