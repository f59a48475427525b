/* SPDX-License-Identifier: MIT */
/* Checks that public functions share. */
#ifndef GA_CHECK_H
#define GA_CHECK_H

#include "lib/util/error.h"

/* Returns from the calling function when its argument `i` (from 1) is NULL. */
#define GA_NOT_NULL(op, i, p)                                                               \
  do {                                                                                      \
    if ((p) == NULL) return ga_error(GA_VALUE_ERROR, "%s: argument %d is NULL", (op), (i)); \
  } while (0)

#endif
