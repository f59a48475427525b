/* SPDX-License-Identifier: MIT */
/* The names of the kinds of arguments, for messages. */
#include "lib/argkind.h"

#include <stddef.h>

#include "gpuarray/arg.h"

const char *ga_argkind_maker(int kind)
{
  static const char *const makers[] = {
      [GA_ARG_ARRAY] = "ga_array()", [GA_ARG_NEW] = "ga_new()",       [GA_ARG_INT] = "ga_int()",
      [GA_ARG_FLOAT] = "ga_float()", [GA_ARG_SCALAR] = "ga_scalar()",
  };
  enum { N = sizeof makers / sizeof *makers };

  return kind > 0 && kind < N ? makers[kind] : "no function of arg.h";
}
