/* SPDX-License-Identifier: MIT */
/* Gradient descent whose step is captured once and replayed: on a GPU one call of
 * the driver a step, however many kernels it has. The rate is changed on the way,
 * and the same graph then fits other data. */
#include <gpuarray.h>
#include <math.h>

enum { N = 1000, M = 8, STEPS = 200 };

static float x[N][M], y[2][N], w[M];

/* Columns that hardly depend on each other, and what two models make of them. */
static void make_data(void)
{
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++) {
      x[i][j] = (float)sin(1.0 + i * (j + 1) * 0.7 + j);
      y[0][i] += x[i][j] * (float)(j - 3);
      y[1][i] += x[i][j] * (float)(5 - j);
    }
}

static double worst(const GpuArray *weights, int model)
{
  double d = 0;
  GA_OR_DIE(GpuArray_tohost(w, sizeof w, GA_FLOAT, weights));
  for (int j = 0; j < M; j++) d = fmax(d, fabs(w[j] - (model == 0 ? j - 3 : 5 - j)));
  return d;
}

int main(void)
{
  GA_AUTOPTR(gpucontext) ctx = NULL;
  GA_AUTOPTR(gpugraph) g = NULL;
  GA_AUTO(GpuArray) a = {0};
  GA_AUTO(GpuArray) first = {0};
  GA_AUTO(GpuArray) second = {0};
  GA_AUTO(GpuArray) weights = {0};
  GA_AUTO(GpuArray) error = {0};
  double worst_first, worst_second;

  make_data();
  GA_OR_DIE(gpucontext_init(&ctx, NULL, NULL));
  GA_OR_DIE(GpuArray_fromhost(&a, ctx, GA_FLOAT, GA_DIMS(N, M), x));
  GA_OR_DIE(GpuArray_fromhost(&first, ctx, GA_FLOAT, GA_DIMS(N), y[0]));
  GA_OR_DIE(GpuArray_fromhost(&second, ctx, GA_FLOAT, GA_DIMS(N), y[1]));
  GA_OR_DIE(GpuArray_zeros(&weights, ctx, GA_FLOAT, GA_DIMS(M), GA_C_ORDER));

  GA_OR_DIE(gpugraph_begin(ctx));
  GA_OR_DIE(
      GpuArray_eval(&error, ctx, "sum(a*w, axis=1) - y",
                    GA_ARGS(ga_array("a", &a), ga_array("w", &weights), ga_array("y", &first))));
  GA_OR_DIE(GpuArray_eval_into(&weights, "w - rate*mean(error[:, None]*a, axis=0)",
                               GA_ARGS(ga_array("a", &a), ga_array("w", &weights),
                                       ga_array("error", &error), ga_float("rate", 0.5))));
  GA_OR_DIE(gpugraph_end(&g, ctx));

  for (int i = 0; i < STEPS; i++) GA_OR_DIE(gpugraph_replay(g));
  worst_first = worst(&weights, 0);

  GA_OR_DIE(gpugraph_set(g, GA_ARGS(ga_array("y", &second), ga_float("rate", 1.0))));
  for (int i = 0; i < STEPS; i++) GA_OR_DIE(gpugraph_replay(g));
  worst_second = worst(&weights, 1);

  printf("%zu nodes; largest errors of the weights: %.1e, %.1e\n", gpugraph_nodes(g), worst_first,
         worst_second);
  return !(worst_first < 1e-4 && worst_second < 1e-4);
}
