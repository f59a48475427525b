/* SPDX-License-Identifier: MIT */
/* Arrays filled with one value. */

#include "lib/array.h"

int GpuArray_full(GpuArray *a, gpucontext *ctx, int typecode, unsigned int nd, const size_t *dims,
                  double value)
{
  static const char op[] = "GpuArray_full";
  GpuArray one = {0}, all = {0};
  int err;

  GA_TRY(ga_array_new(op, a, ctx, typecode, nd, dims, GA_C_ORDER));
  err = GpuArray_fromhost(&one, ctx, GA_DOUBLE, 0, NULL, &value);
  if (err == GA_NO_ERROR) err = ga_array_broadcast(op, &all, &one, nd, dims);
  if (err == GA_NO_ERROR) err = ga_array_move(op, a, &all);
  GpuArray_clear(&all);
  GpuArray_clear(&one);
  if (err != GA_NO_ERROR) GpuArray_clear(a);
  return err;
}
