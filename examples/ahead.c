/* SPDX-License-Identifier: MIT */
/* Compiling while the program does something else: the kernel of a softmax is made
 * in the background while the numbers are made, so that the first call is as fast
 * as the others. An array that does not exist yet is described. */
#include <gpuarray.h>

enum { ROWS = 64, COLUMNS = 1000 };

static float x[ROWS][COLUMNS], y[ROWS][COLUMNS];

int main(void)
{
  GA_AUTOPTR(gpucontext) ctx = NULL;
  GA_AUTOPTR(GpuExpr) e = NULL;
  GA_AUTO(GpuArray) a = {0};
  GA_AUTO(GpuArray) r = {0};
  size_t dims[2] = {ROWS, COLUMNS};
  ssize_t strides[2] = {sizeof x[0], sizeof x[0][0]};
  GpuArray later = {.dimensions = dims, .strides = strides, .nd = 2, .typecode = GA_FLOAT};

  GA_OR_DIE(gpucontext_init(&ctx, NULL, NULL));
  GA_OR_DIE(GpuExpr_new(&e, ctx,
                        "t = exp(a - max(a, axis=1, keepdims=True)); "
                        "t / sum(t, axis=1, keepdims=True)",
                        GA_ARGS(ga_array("a", NULL))));
  GA_OR_DIE(GpuExpr_compile_async(e, NULL, GA_ARGS(ga_array("a", &later))));

  for (int i = 0; i < ROWS; i++)
    for (int j = 0; j < COLUMNS; j++) x[i][j] = (float)((i * 7919 + j * 104729) % 1009) / 100;
  GA_OR_DIE(GpuArray_fromhost(&a, ctx, GA_FLOAT, GA_DIMS(ROWS, COLUMNS), x));
  printf("ready: %s\n", GpuExpr_ready(e) ? "yes" : "not yet; the call waits");

  GA_OR_DIE(GpuExpr_call(e, &r, GA_ARGS(ga_array("a", &a))));
  GA_OR_DIE(GpuArray_tohost(y, sizeof y, GA_FLOAT, &r));
  int wrong = 0;
  for (int i = 0; i < ROWS; i++) {
    double sum = 0;
    for (int j = 0; j < COLUMNS; j++) sum += y[i][j];
    wrong += !(sum > 0.9999 && sum < 1.0001);
  }
  printf("%d of %d rows do not add up to 1\n", wrong, ROWS);
  return wrong != 0;
}
