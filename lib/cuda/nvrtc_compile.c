/* SPDX-License-Identifier: MIT */
/* Source text to a block of bytes that cubin.c loads. Arithmetic is IEEE by
 * default (no contraction, no flushing, exact division and root), because
 * results are promised to be the same bits on every device; src->fast lifts
 * that. For the user's own text the compiler's defaults hold. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cubin.h"
#include "nvrtc.h"

/* Chooses the compiler at first use; a failure is tried again next time. */
static int choose(ga_cuda *c)
{
  int arch = 0;
  if (atomic_load_explicit(&c->rtc_ready, memory_order_acquire)) return GA_NO_ERROR;
  const ga_nvrtc *n = ga_nvrtc_pick(ga_cu_version() / 1000, c->cc, &arch);
  if (n == NULL) return GA_LOAD_ERROR;
  ga_lock_take(&c->rtc_lock);
  if (!atomic_load(&c->rtc_ready)) {
    c->rtc = n;
    c->to_ptx = arch != c->cc;
    snprintf(c->arch, sizeof c->arch, "%s_%d", c->to_ptx ? "compute" : "sm", arch);
    snprintf(c->compiler, sizeof c->compiler, "nvrtc %d.%d %s", n->major, n->minor, c->arch);
    atomic_store_explicit(&c->rtc_ready, 1, memory_order_release);
  }
  ga_lock_give(&c->rtc_lock);
  return GA_NO_ERROR;
}

const char *ga_cuda_compiler_id(gpucontext *ctx, int load)
{
  ga_cuda *c = ga_cuda_of(ctx);
  if (!load && !atomic_load_explicit(&c->rtc_ready, memory_order_acquire)) return NULL;
  return choose(c) == GA_NO_ERROR ? c->compiler : NULL;
}

const char *ga_cuda_compiler_path(gpucontext *ctx)
{
  ga_cuda *c = ga_cuda_of(ctx);
  return atomic_load_explicit(&c->rtc_ready, memory_order_acquire) ? c->rtc->lib.path : "";
}

void ga_cuda_compiler_hint(gpucontext *ctx, ga_str *s)
{
  const ga_cuda *c = ga_cuda_of(ctx);
  ga_str_addf(s, "driver %d sm_%d\n", ga_cu_version(), c->cc);
  ga_nvrtc_hint(s);
}

/* Is an option called `name` (its leading dashes aside) among the source's? */
static int has_option(const ga_source *src, const char *name)
{
  for (unsigned int i = 0; i < src->noption; i++) {
    const char *o = src->options[i];
    while (*o == '-') o++;
    if (strncmp(o, name, strlen(name)) == 0) return 1;
  }
  return 0;
}

/* 1: all of it is the library's own text. That of users comes with cluda.h. */
static int is_ours(const ga_source *src)
{
  for (unsigned int i = 0; i < src->nheader; i++)
    if (strcmp(src->header_names[i], "cluda.h") == 0) return 0;
  return !src->raw;
}

unsigned int ga_nvrtc_options(const ga_nvrtc *n, const ga_source *src,
                              const char *opt[GA_NVRTC_OPTIONS])
{
  unsigned int k = 0;
  opt[k++] = "-default-device";
  if (!has_option(src, "std")) opt[k++] = "--std=c++17";
  /* Without textures, launches from kernels and the run-time library's types: a+1
   * takes 39 ms instead of 43 where a kernel with nothing in it takes 24. */
  if (is_ours(src) && n->major >= 13) opt[k++] = "--minimal";
  if (src->fast) {
    opt[k++] = "--use_fast_math";
  } else if (!src->raw) {
    opt[k++] = "--fmad=false";
    opt[k++] = "--ftz=false";
    opt[k++] = "--prec-div=true";
    opt[k++] = "--prec-sqrt=true";
  }
  return k;
}

static int run_compiler(nvrtcProgram p, const ga_cuda *c, const ga_source *src)
{
  char arch[64], headers[sizeof c->rtc->headers + 16];
  unsigned int n = 0, room = src->noption + GA_NVRTC_OPTIONS + 2;
  const char **opt = malloc(room * sizeof *opt);
  if (opt == NULL) return ga_error_memory("compile", room * sizeof *opt);
  snprintf(arch, sizeof arch, "--gpu-architecture=%s", c->arch);
  opt[n++] = arch;
  n += ga_nvrtc_options(c->rtc, src, opt + n);
  for (unsigned int i = 0; i < src->noption; i++) opt[n++] = src->options[i];
  if (src->raw && c->rtc->headers[0] != 0) {
    snprintf(headers, sizeof headers, "-I%s", c->rtc->headers);
    opt[n++] = headers;
  }
  nvrtcResult r = c->rtc->fn.nvrtcCompileProgram(p, (int)n, opt);
  free(opt);
  if (r == NVRTC_SUCCESS) return GA_NO_ERROR;
  return ga_error(r == NVRTC_ERROR_INVALID_OPTION ? GA_VALUE_ERROR : GA_IMPL_ERROR,
                  "compile for %s: %s", c->arch, c->rtc->fn.nvrtcGetErrorString(r));
}

static char *read_log(const ga_nvrtc *n, nvrtcProgram p)
{
  size_t size = 0;
  if (n->fn.nvrtcGetProgramLogSize(p, &size) != NVRTC_SUCCESS || size <= 1) return NULL;
  char *log = calloc(1, size + 1);
  if (log != NULL && n->fn.nvrtcGetProgramLog(p, log) != NVRTC_SUCCESS) {
    free(log);
    log = NULL;
  }
  return log;
}

static int read_image(const ga_cuda *c, nvrtcProgram p, char **image, size_t *size)
{
  const ga_nvrtc_table *fn = &c->rtc->fn;
  nvrtcResult r = c->to_ptx ? fn->nvrtcGetPTXSize(p, size) : fn->nvrtcGetCUBINSize(p, size);
  *image = NULL;
  if (r == NVRTC_SUCCESS) {
    *image = malloc(*size + 1);
    if (*image == NULL) return ga_error_memory("compile", *size);
    r = c->to_ptx ? fn->nvrtcGetPTX(p, *image) : fn->nvrtcGetCUBIN(p, *image);
  }
  if (r == NVRTC_SUCCESS && *size > 0) return GA_NO_ERROR;
  free(*image);
  *image = NULL;
  return ga_error(GA_IMPL_ERROR, "compile: reading the result: %s", fn->nvrtcGetErrorString(r));
}

/* Puts names, kernels and image into one block (cubin.h). */
static int pack(const ga_cuda *c, nvrtcProgram p, const ga_source *src, void **bin, size_t *size)
{
  ga_cubin_head head = {GA_CUBIN_MAGIC, src->nname, 0, 0, 0};
  ga_str s = {0};
  char *image = NULL, pad[16] = {0};
  size_t n = 0;
  int err = read_image(c, p, &image, &n);
  if (err != GA_NO_ERROR) return err;
  ga_str_addn(&s, (const char *)&head, sizeof head);
  for (unsigned int i = 0; i < src->nname; i++) {
    const char *lowered = NULL;
    nvrtcResult r = c->rtc->fn.nvrtcGetLoweredName(p, src->names[i], &lowered);
    if (r != NVRTC_SUCCESS || lowered == NULL) {
      err = ga_error(GA_VALUE_ERROR, "compile: name '%s': %s", src->names[i],
                     c->rtc->fn.nvrtcGetErrorString(r));
      goto fail;
    }
    ga_str_addn(&s, src->names[i], strlen(src->names[i]) + 1);
    ga_str_addn(&s, lowered, strlen(lowered) + 1);
  }
  head.nentry = ga_cubin_entries(&s, image, n);
  ga_str_addn(&s, pad, 16 - s.len % 16);
  head.image_at = s.len;
  head.image_size = n;
  ga_str_addn(&s, image, n);
  if (s.failed) {
    err = ga_error_memory("compile", n);
    goto fail;
  }
  memcpy(s.s, &head, sizeof head);
  free(image);
  *bin = s.s;
  *size = s.len;
  return GA_NO_ERROR;
fail:
  free(image);
  ga_str_clear(&s);
  return err;
}

static int create(nvrtcProgram *p, const ga_cuda *c, const ga_source *src)
{
  const ga_nvrtc_table *fn = &c->rtc->fn;
  nvrtcResult r = fn->nvrtcCreateProgram(p, src->text, "source.cu", (int)src->nheader,
                                         src->header_bodies, src->header_names);
  for (unsigned int i = 0; r == NVRTC_SUCCESS && i < src->nname; i++)
    r = fn->nvrtcAddNameExpression(*p, src->names[i]);
  if (r == NVRTC_SUCCESS) return GA_NO_ERROR;
  return ga_error(GA_IMPL_ERROR, "compile: %s", fn->nvrtcGetErrorString(r));
}

int ga_cuda_compile(void **bin, size_t *size, char **log, gpucontext *ctx, const ga_source *src)
{
  ga_cuda *c = ga_cuda_of(ctx);
  nvrtcProgram p = NULL;
  int err;
  if (log != NULL) *log = NULL;
  GA_TRY(choose(c));
  err = create(&p, c, src);
  if (err != GA_NO_ERROR) goto fail;
  err = run_compiler(p, c, src);
  if (err != GA_NO_ERROR) {
    if (log != NULL) *log = read_log(c->rtc, p);
    goto fail;
  }
  err = pack(c, p, src, bin, size);
fail:
  if (p != NULL) (void)c->rtc->fn.nvrtcDestroyProgram(&p);
  return err;
}
