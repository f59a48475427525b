/* SPDX-License-Identifier: MIT */
/* GpuArray_take1 on devices that compile: kernels/take.cu with its #defines. */
#include "lib/take.h"

#include "lib/capture.h"

#include <string.h>

#include "codegen/kernels.h"
#include "lib/util/str.h"

enum { BLOCK = 256, BLOCKS_PER_PROC = 64, WORDS = 9 + 2 * GA_MAXND };

static unsigned int bound(unsigned int nk)
{
  return nk <= 1 ? 1 : nk <= 3 ? 3 : nk <= 8 ? 8 : GA_MAXND;
}

static int get_kernel(ga_func **f, gpucontext *ctx, const ga_take *t)
{
  const char *names[2] = {"types.cuh", "take.cu"};
  const char *bodies[2] = {ga_kernel_types_cuh, ga_kernel_take_cu};
  ga_source src = {0};
  ga_str text = {0};
  ga_module *m;
  int err;

  ga_str_addf(&text, "#include \"types.cuh\"\n#define GA_WIDE %d\n#define GA_INDEX %s\n", t->wide,
              ga_dtypes[t->dtype].device);
  ga_str_addf(&text, "#define GA_SIGNED %d\n#define GA_WORD %u\n#define GA_NK %u\n",
              ga_dtypes[t->dtype].kind == 'i', t->word, bound(t->nk));
  ga_str_add(&text, "#include \"take.cu\"\n");
  src.text = ga_str_text(&text);
  src.nheader = 2;
  src.header_names = names;
  src.header_bodies = bodies;
  err = text.failed ? ga_error_memory("GpuArray_take1", text.cap)
                    : ga_cache_module(&m, ctx, &src, NULL);
  if (err == GA_NO_ERROR) err = ctx->backend->module_func(f, m, "ga_take");
  ga_str_clear(&text);
  return err;
}

int ga_take_kernel(gpucontext *ctx, const ga_take *t, gpugraph *g)
{
  uint64_t args[WORDS] = {
      (uintptr_t)t->r, (uintptr_t)t->v, (uintptr_t)t->index, (uintptr_t)t->bad, t->n,
      t->row,          t->rows,         (uint64_t)t->step};
  unsigned int nk = bound(t->nk);
  size_t most = (size_t)ctx->target.nproc * BLOCKS_PER_PROC, blocks = (t->n - 1) / BLOCK + 1;
  size_t grid[3] = {blocks, 1, 1}, block[3] = {BLOCK, 1, 1};
  ga_func *f;

  GA_TRY(get_kernel(&f, ctx, t));
  for (unsigned int k = 0; k < nk; k++) {
    args[8 + k] = k < t->nk ? (uint64_t)t->dims[k] : 1;
    args[8 + nk + k] = k < t->nk ? (uint64_t)t->steps[k] : 0;
  }
  args[8 + 2 * nk] = t->nk;
  if (most != 0 && blocks > most) grid[0] = most;
  if (g == NULL) return ctx->backend->launch(f, grid, block, 0, args, (9 + 2 * nk) * sizeof *args);
  ga_work node = {
      .kind = GA_WORK_LAUNCH, .func = f, .args = args, .nargs = (9 + 2 * nk) * sizeof *args};
  memcpy(node.grid, grid, sizeof grid);
  memcpy(node.block, block, sizeof block);
  return ga_capture_add(g, &node);
}
