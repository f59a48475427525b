/* SPDX-License-Identifier: MIT */
/* The CPU as a device: its context, what it says of itself, and the table of
 * its members. There is one CPU device. Stages are interpreted
 * (interp.c); kernels in CUDA C are compiled (hostcuda.h). */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "cpu.h"
#include "hostcuda.h"
#include "lib/util/pool.h"
#include "loops.h"

enum { NAME_SIZE = 256, ID_SIZE = 16, LOCAL_BYTES = 49152, MAX_BLOCK = 1024 };

/* ---- the machine ------------------------------------------------------------ */

/* The processor's own name, "AMD EPYC ...", else the architecture's. */
static void processor_name(char name[NAME_SIZE])
{
#if defined(__x86_64__)
  unsigned int r[12], *p = r;
  int ok = 1;
  for (unsigned int leaf = 0x80000002; leaf <= 0x80000004; leaf++, p += 4)
    ok = ok && __get_cpuid(leaf, p, p + 1, p + 2, p + 3);
  if (ok) {
    char brand[sizeof r + 1];
    memcpy(brand, r, sizeof r);
    brand[sizeof r] = '\0';
    const char *s = brand + strspn(brand, " ");
    if (*s != '\0') {
      snprintf(name, NAME_SIZE, "%s", s);
      for (size_t n = strlen(name); n > 0 && name[n - 1] == ' ';) name[--n] = '\0';
      return;
    }
  }
  snprintf(name, NAME_SIZE, "x86-64 processor");
#elif defined(__aarch64__)
  snprintf(name, NAME_SIZE, "AArch64 processor");
#else
  snprintf(name, NAME_SIZE, "CPU");
#endif
}

static const char *architecture(void)
{
#if defined(__x86_64__)
  return "x86_64";
#elif defined(__aarch64__)
  return "aarch64";
#else
  return "any";
#endif
}

static size_t total_memory(void)
{
  long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
  return pages > 0 && size > 0 ? (size_t)pages * (size_t)size : 0;
}

/* What programs may still take without swapping, the system's estimate. */
static size_t free_memory(void)
{
  FILE *f = fopen("/proc/meminfo", "re");
  unsigned long long kb = 0;
  if (f != NULL) {
    char line[128];
    while (fgets(line, sizeof line, f) != NULL)
      if (sscanf(line, "MemAvailable: %llu", &kb) == 1) break;
    fclose(f);
  }
  if (kb != 0) return (size_t)kb * 1024;
  long pages = sysconf(_SC_AVPHYS_PAGES), size = sysconf(_SC_PAGESIZE);
  return pages > 0 && size > 0 ? (size_t)pages * (size_t)size : 0;
}

/* ---- contexts ---------------------------------------------------------------- */

static int device_count(unsigned int *n)
{
  *n = 1;
  return GA_NO_ERROR;
}

static int context_open(gpucontext **res, const gpucontext_props *props)
{
  if (props != NULL && props->dev > 0)
    return ga_error(GA_VALUE_ERROR,
                    "gpucontext_init: cpu device %d does not exist: "
                    "there is one, number 0",
                    props->dev);
  ga_cpu_context *c = calloc(1, sizeof *c);
  if (c == NULL) return ga_error_memory("gpucontext_init: cpu", sizeof *c);
  c->base.backend = &ga_cpu_backend;
  atomic_init(&c->base.refcnt, 1);
  snprintf(c->base.bin_id, sizeof c->base.bin_id, "cpu-%s-%s", architecture(),
           ga_cpu_loops(ga_cpu_isa())->name);
  c->base.target = (ga_target){.nproc = ga_pool_threads(), .shared = LOCAL_BYTES};
  ga_cpu_cache_init(&c->cache, props != NULL ? props->alloc_max : 0);
  *res = &c->base;
  return GA_NO_ERROR;
}

static void context_close(gpucontext *ctx)
{
  if (ctx == NULL) return;
  ga_cpu_cache_clear(&((ga_cpu_context *)ctx)->cache);
  free(ctx);
}

static int context_sync(gpucontext *ctx)
{
  (void)ctx;
  return GA_NO_ERROR;
}

/* GA_CTX_PROP_ERRBUF is answered above the door. Block and grid sizes are CUDA's,
 * so that code which asks for them chooses alike on both. */
static int context_property(gpucontext *ctx, int prop, void *res)
{
  switch (prop) {
  case GA_CTX_PROP_DEVNAME: processor_name(res); break;
  case GA_CTX_PROP_LMEMSIZE: *(size_t *)res = LOCAL_BYTES; break;
  case GA_CTX_PROP_NUMPROCS: *(unsigned int *)res = ga_pool_threads(); break;
  case GA_CTX_PROP_BIN_ID: *(const char **)res = ctx->bin_id; break;
  case GA_CTX_PROP_TOTAL_GMEM:
  case GA_CTX_PROP_LARGEST_MEMBLOCK: *(size_t *)res = total_memory(); break;
  case GA_CTX_PROP_FREE_GMEM: *(size_t *)res = free_memory(); break;
  case GA_CTX_PROP_NATIVE_FLOAT16: *(int *)res = 0; break;
  case GA_CTX_PROP_MAXGSIZE0: *(size_t *)res = INT32_MAX; break;
  case GA_CTX_PROP_MAXGSIZE1:
  case GA_CTX_PROP_MAXGSIZE2: *(size_t *)res = UINT16_MAX; break;
  case GA_CTX_PROP_MAXLSIZE0:
  case GA_CTX_PROP_MAXLSIZE1: *(size_t *)res = MAX_BLOCK; break;
  case GA_CTX_PROP_MAXLSIZE2: *(size_t *)res = 64; break;
  case GA_CTX_PROP_UNIQUE_ID:
    memset(res, 0, ID_SIZE);
    memcpy(res, "cpu", 3);
    break;
  default:
    return ga_error(GA_INVALID_ERROR,
                    "gpucontext_property: the cpu device has no "
                    "property %d",
                    prop);
  }
  return GA_NO_ERROR;
}

const ga_backend ga_cpu_backend = {
    .name = "cpu",
    .library = ga_cpu_library,
    .device_count = device_count,
    .context_open = context_open,
    .context_close = context_close,
    .context_property = context_property,
    .context_sync = context_sync,
    .alloc = ga_cpu_alloc,
    .free = ga_cpu_free,
    .copy = ga_cpu_copy,
    .read = ga_cpu_read,
    .write = ga_cpu_write,
    .set = ga_cpu_set,
    .sync = ga_cpu_sync,
    .stage_new = ga_cpu_stage_new,
    .stage_run = ga_cpu_stage_run,
    .stage_free = ga_cpu_stage_free,
    .take = ga_cpu_take,
    .compile = ga_hc_compile,
    .module_new = ga_hc_module_new,
    .module_free = ga_hc_module_free,
    .module_func = ga_hc_module_func,
    .module_global = ga_hc_module_global,
    .func_info = ga_hc_func_info,
    .launch = ga_hc_launch,
    .compiler_id = ga_hc_compiler_id,
    .compiler_path = ga_hc_compiler_path,
    .compiler_hint = ga_hc_compiler_hint,
    .blas_setup = ga_cpu_blas_setup,
    .dot = ga_cpu_dot,
    .gemv = ga_cpu_gemv,
    .gemm = ga_cpu_gemm,
};
