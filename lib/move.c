/* SPDX-License-Identifier: MIT */
/* dst[...] = src between any layouts and dtypes: the expression "src". */
#include "lib/expr.h"

int ga_expr_move(GpuArray *dst, const GpuArray *src)
{
  gpuarg arg = {"src", GA_ARG_ARRAY, 0, {NULL}, 0};
  GpuExpr *e;
  int err;
  arg.v.array = (GpuArray *)src;
  GA_TRY(ga_expr_cached(&e, dst->data->ctx, "src", 1, &arg));
  err = ga_expr_call(e, NULL, dst, 1, &arg, 1);
  ga_expr_release(e);
  return err;
}
