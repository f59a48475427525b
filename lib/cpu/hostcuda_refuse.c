/* SPDX-License-Identifier: MIT */
/* What CUDA has and the CPU has not: a row of `refused` for each name, or way of
 * names to begin. A user's own name that only looks like one of them is let pass:
 * functions are refused where they are called, members never. */
#include <string.h>

#include "hostcuda_ptx.h"

enum how {
  WORD,  /* the word */
  BEGIN, /* words that begin so */
  CALL,  /* words that begin so, with a parenthesis behind them */
  SCOPE, /* the word, with :: behind it */
  TYPE   /* the word, with < behind it */
};

static const struct {
  const char *name;
  enum how how;
  const char *item;
} refused[] = {
    {"bmma_sync", CALL, "a tensor-core instruction on bits (bmma_sync)"},
    {"__wmma_", BEGIN, "a tensor-core instruction (wmma)"},
    {"__mma_", BEGIN, "a tensor-core instruction (wmma)"},
    {"__hmma_", BEGIN, "a tensor-core instruction (wmma)"},
    {"__imma_", BEGIN, "a tensor-core instruction (wmma)"},
    {"texture", TYPE, "a texture"},
    {"cudaTexture", BEGIN, "a texture"},
    {"surface", TYPE, "a surface"},
    {"cudaSurface", BEGIN, "a surface"},
    {"__cluster", BEGIN, "a thread block cluster"},
    {"this_cluster", CALL, "a thread block cluster"},
    {"cluster_group", WORD, "a thread block cluster"},
    {"__isClusterShared", WORD, "a thread block cluster"},
    {"__any(", CALL, "a warp operation without a mask (use __any_sync)"},
    {"__all(", CALL, "a warp operation without a mask (use __all_sync)"},
    {"__ballot(", CALL, "a warp operation without a mask (use __ballot_sync)"},
    {"__shfl(", CALL, "a warp operation without a mask (use __shfl_sync)"},
    {"__shfl_up(", CALL, "a warp operation without a mask (use __shfl_up_sync)"},
    {"__shfl_down(", CALL, "a warp operation without a mask (use __shfl_down_sync)"},
    {"__shfl_xor(", CALL, "a warp operation without a mask (use __shfl_xor_sync)"},
    {"cp_async_bulk", CALL, "a bulk copy (TMA)"},
    {"CUtensorMap", WORD, "a bulk copy (TMA)"},
    {"__pm0(", CALL, "a performance counter"},
    {"__pm1(", CALL, "a performance counter"},
    {"__pm2(", CALL, "a performance counter"},
    {"__pm3(", CALL, "a performance counter"},
    {"cudaGraph", BEGIN, "a graph launched from a kernel"},
    {"cudaDevice", CALL, "the run-time of the device"},
    {"cudaEvent", CALL, "the run-time of the device"},
    {"cudaFree", CALL, "the run-time of the device"},
    {"cudaFunc", CALL, "the run-time of the device"},
    {"cudaGetDevice", CALL, "the run-time of the device"},
    {"cudaGetLastError", CALL, "the run-time of the device"},
    {"cudaGetParameterBuffer", CALL, "the run-time of the device"},
    {"cudaLaunch", CALL, "a launch from a kernel"},
    {"cudaMalloc", CALL, "the run-time of the device"},
    {"cudaMemcpy", CALL, "the run-time of the device"},
    {"cudaMemset", CALL, "the run-time of the device"},
    {"cudaOccupancy", CALL, "the run-time of the device"},
    {"cudaPeekAtLastError", CALL, "the run-time of the device"},
    {"cudaStream", CALL, "the run-time of the device"},
};

static int starts(const ga_hc_token *k, const char *prefix)
{
  size_t n = strlen(prefix);
  return k->kind == GA_HC_NAME && k->n >= n && memcmp(k->s, prefix, n) == 0;
}

/* Is it CUDA's function on textures or surfaces, as tex2DLayered or surf1Dread, and
 * not a name that begins like one? */
static int is_fetch(const ga_hc_token *k, const char *what)
{
  static const char *const shapes[] = {"1D", "2D", "3D", "Cubemap"};
  static const char *const words[] = {"Layered", "fetch", "gather", "Lod", "Grad", "read", "write"};
  size_t at = strlen(what), nshape = sizeof shapes / sizeof *shapes, i = 0, j = 0;
  if (!starts(k, what)) return 0;
  while (i < nshape &&
         (k->n < at + strlen(shapes[i]) || memcmp(k->s + at, shapes[i], strlen(shapes[i])) != 0))
    i++;
  if (i == nshape) return 0;
  at += strlen(shapes[i]);
  for (; j < sizeof words / sizeof *words; j++)
    if (k->n >= at + strlen(words[j]) && memcmp(k->s + at, words[j], strlen(words[j])) == 0)
      at += strlen(words[j]);
  return at == k->n;
}

/* A row's name that ends with a parenthesis is a whole word. */
static int is_row(const ga_hc_token *k, const char *name, enum how how)
{
  size_t n = strcspn(name, "(");
  int begins = k->n >= n && memcmp(k->s, name, n) == 0, whole = begins && k->n == n;
  switch (how) {
  case WORD: return whole;
  case BEGIN: return begins;
  case CALL: return (name[n] != '\0' ? whole : begins) && ga_hc_is(k + 1, "(");
  case SCOPE: return whole && ga_hc_is(k + 1, "::");
  case TYPE: return whole && ga_hc_is(k + 1, "<");
  }
  return 0;
}

static const char *item_at(const ga_hc_text *t, unsigned int i)
{
  const ga_hc_token *k = &t->tok[i];
  if (ga_hc_is(k, "<") && ga_hc_is(k + 1, "<") && ga_hc_is(k + 2, "<"))
    return "a launch from a kernel (<<<)";
  if (k->kind != GA_HC_NAME) return NULL;
  if (i > 0 && (ga_hc_is(k - 1, ".") || ga_hc_is(k - 1, "->"))) return NULL;
  if (is_fetch(k, "tex")) return "a texture";
  if (is_fetch(k, "surf")) return "a surface";
  for (size_t r = 0; r < sizeof refused / sizeof *refused; r++)
    if (is_row(k, refused[r].name, refused[r].how)) return refused[r].item;
  return NULL;
}

/* Is token i an = that is no part of a comparison, as those of a template's arguments are? */
static int assigns(const ga_hc_text *t, unsigned int i)
{
  const ga_hc_token *k = &t->tok[i];
  if (!ga_hc_is(k, "=") || ga_hc_is(k + 1, "=")) return 0;
  return k[-1].kind == GA_HC_NAME || ga_hc_is(k - 1, "]") || ga_hc_is(k - 1, ")");
}

/* Has the variable at token i, a __shared__, an initializer? A block's memory begins as it
 * is: the variable of the core's thread would have the value once, not for each block. */
static int has_initializer(const ga_hc_text *t, unsigned int i)
{
  for (; t->tok[i].kind != GA_HC_END && !ga_hc_is(&t->tok[i], ";"); i++) {
    const ga_hc_token *k = &t->tok[i];
    if (assigns(t, i)) return 1;
    if (ga_hc_is(k, "(") || ga_hc_is(k, "[") || ga_hc_is(k, "{")) i = ga_hc_closing(t, i);
  }
  return 0;
}

/* Has the kernel a result, as far as the word before its name tells? */
static int has_result(const ga_hc_text *t, const ga_hc_decl *d)
{
  static const char *const types[] = {"int",  "float", "double", "bool",
                                      "char", "long",  "short",  "unsigned"};
  const ga_hc_token *k = &t->tok[d->name - 1];
  while (ga_hc_is(k, "*")) k--;
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (ga_hc_is(k, types[i])) return 1;
  return 0;
}

static int unavailable(const ga_hc_text *t, const ga_hc_token *k, const char *item)
{
  return ga_error(GA_UNSUPPORTED_ERROR, "compile: %s:%u: %s is not available on the cpu device",
                  t->files[k->file].name, k->line, item);
}

/* The asm at token i, if it has an instruction that there is not. */
static int refuse_ptx(const ga_hc_text *t, unsigned int i)
{
  ga_hc_ptx x;
  int err = ga_hc_ptx_read(&x, t, i, 0) ? GA_NO_ERROR : unavailable(t, &t->tok[i], x.item);
  if (x.code.failed) err = ga_error_memory("compile", x.code.cap); /* and so it was not read */
  ga_hc_ptx_clear(&x);
  return err;
}

int ga_hc_refuse(const ga_hc_text *t, const ga_hc_decl *d, unsigned int i)
{
  const ga_hc_token *k = &t->tok[i];
  const char *item = item_at(t, i);
  if (ga_hc_is(k, "__shared__") && has_initializer(t, i))
    return ga_error(GA_IMPL_ERROR,
                    "compile: %s:%u: error: a __shared__ variable has no initializer",
                    t->files[k->file].name, k->line);
  if (ga_hc_is(k, "__global__") && d != NULL && d->is_kernel && has_result(t, d))
    return ga_error(GA_IMPL_ERROR, "compile: %s:%u: error: a __global__ function returns void",
                    t->files[k->file].name, k->line);
  if (item != NULL) return unavailable(t, k, item);
  return ga_hc_is_ptx(k) ? refuse_ptx(t, i) : GA_NO_ERROR;
}
