/* SPDX-License-Identifier: MIT */
/* Look-ups in the table of element types (types.def). */
#include "lib/util/dtype.h"

#include <string.h>

#include "gpuarray/types.h"

const ga_dtype_info ga_dtypes[GA_NDTYPE] = {
#define TYPE(ID, name, typecode, device, ch, kind, size) \
  [GA_DT_##ID] = {#name, #device, typecode, ch, kind, size},
#include "types.def"
#undef TYPE
};

enum ga_dtype ga_dtype_of(int typecode)
{
  switch (typecode) {
#define TYPE(ID, name, typecode, device, ch, kind, size) \
  case typecode:                                         \
    return GA_DT_##ID;
#include "types.def"
#undef TYPE
  }
  return GA_DT_NONE;
}

enum ga_dtype ga_dtype_named(const char *name, size_t n)
{
  for (int i = 0; i < GA_NDTYPE; i++)
    if (strlen(ga_dtypes[i].name) == n && memcmp(ga_dtypes[i].name, name, n) == 0)
      return (enum ga_dtype)i;
  return GA_DT_NONE;
}

enum ga_dtype ga_dtype_char(char ch)
{
  for (int i = 0; i < GA_NDTYPE; i++)
    if (ga_dtypes[i].ch == ch) return (enum ga_dtype)i;
  return GA_DT_NONE;
}
