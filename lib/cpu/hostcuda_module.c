/* SPDX-License-Identifier: MIT */
/* A shared object's bytes, loaded. They go through a file that lives in memory
 * only; where the system has none, through one in the private folder that is
 * removed at once. The loader takes two objects of one name for the same, so each
 * gets a name of its own: the file's path, with a number written into it as
 * slashes and dots that mean nothing. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "hostcuda_files.h"
#include "hostcuda_lines.h"
#include "hostcuda_shared.h"

/* ---- loading ------------------------------------------------------------------- */

static int write_all(int fd, const char *p, size_t n)
{
  while (n > 0) {
    ssize_t w = write(fd, p, n);
    if (w <= 0) return 0;
    p += w;
    n -= (size_t)w;
  }
  return 1;
}

/* "/proc/self/fd/" and the descriptor, `n` between them. */
static void unique_path(char path[256], int fd, unsigned int n)
{
  char *p = path + sprintf(path, "/proc/self/fd");
  for (int bit = 0; bit < 32; bit++) p += sprintf(p, n >> bit & 1 ? "/." : "/");
  sprintf(p, "/%d", fd);
}

static void *load_memory(const void *bin, size_t size)
{
  static atomic_uint count;
  char path[256];
  void *dl = NULL;
  int fd = memfd_create("gpuarray-kernel", MFD_CLOEXEC);
  if (fd < 0) return NULL;
  if (write_all(fd, bin, size)) {
    unique_path(path, fd, atomic_fetch_add(&count, 1));
    dl = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  }
  close(fd);
  return dl;
}

static void *load_file(const void *bin, size_t size)
{
  ga_hc_folder f;
  char path[300];
  void *dl = NULL;
  if (ga_hc_folder_make(&f) != GA_NO_ERROR) return NULL;
  if (ga_hc_folder_write(&f, "kernel.so", bin, size) == GA_NO_ERROR) {
    snprintf(path, sizeof path, "%s/kernel.so", f.path);
    dl = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  }
  ga_hc_folder_remove(&f);
  return dl;
}

/* The memory that the object is mapped to, its address relative to `base`. */
static int find_segments(struct dl_phdr_info *info, size_t size, void *arg)
{
  ga_module *m = arg;
  uintptr_t at = (uintptr_t)m->table, low = UINTPTR_MAX, high = 0;
  (void)size;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *p = &info->dlpi_phdr[i];
    if (p->p_type != PT_LOAD) continue;
    if (info->dlpi_addr + p->p_vaddr < low) low = info->dlpi_addr + p->p_vaddr;
    if (info->dlpi_addr + p->p_vaddr + p->p_memsz > high)
      high = info->dlpi_addr + p->p_vaddr + p->p_memsz;
  }
  if (at < low || at >= high) return 0;
  m->base = info->dlpi_addr;
  m->low = low;
  m->high = high;
  return 1;
}

static int list_kernels(ga_module *m, const void *bin, size_t size)
{
  while (m->table->kernels[m->nfunc].name != NULL) m->nfunc++;
  m->funcs = calloc(m->nfunc + 1u, sizeof *m->funcs);
  if (m->funcs == NULL) return ga_error_memory("module", m->nfunc * sizeof *m->funcs);
  for (unsigned int i = 0; i < m->nfunc; i++) {
    const ga_hc_kernel *k = &m->table->kernels[i];
    m->funcs[i] = (ga_func){m, k, ga_hc_shared_of(bin, size, k->name)};
  }
  return GA_NO_ERROR;
}

int ga_hc_module_new(ga_module **res, gpucontext *ctx, const void *bin, size_t size)
{
  (void)ctx;
  int err = GA_NO_ERROR;
  ga_module *m = calloc(1, sizeof *m);
  if (m == NULL) return ga_error_memory("module", sizeof *m);
  m->dl = load_memory(bin, size);
  if (m->dl == NULL) m->dl = load_file(bin, size);
  if (m->dl == NULL) {
    const char *why = dlerror();
    err = ga_error(GA_LOAD_ERROR, "module: %s", why != NULL ? why : "cannot be loaded");
    goto fail;
  }
  m->table = dlsym(m->dl, "ga_hc_module_table");
  if (m->table == NULL || m->table->version != GA_HC_VERSION) {
    err = ga_error(GA_LOAD_ERROR, "module: not made by this version of the library");
    goto fail;
  }
  *m->table->rt = &ga_hc_runtime;
  dl_iterate_phdr(find_segments, m);
  if (m->table->check) {
    m->lines = ga_hc_lines_read(bin, size);
    m->guards = ga_hc_shared_guards(bin, size);
  }
  err = list_kernels(m, bin, size);
  if (err != GA_NO_ERROR) goto fail;
  *res = m;
  return GA_NO_ERROR;
fail:
  ga_hc_module_free(m);
  return err;
}

void ga_hc_module_free(ga_module *m)
{
  if (m == NULL) return;
  ga_hc_lines_free(m->lines);
  if (m->dl != NULL) dlclose(m->dl);
  free(m->guards.at);
  free(m->funcs);
  free(m);
}

/* ---- what is in it ---------------------------------------------------------------- */

/* Does `name` mean `full`? It may leave out namespaces from the left. */
static int names(const char *name, const char *full)
{
  size_t n = strlen(name), f = strlen(full);
  if (strncmp(name, "::", 2) == 0) return strcmp(name + 2, full) == 0;
  if (n > f || strcmp(full + f - n, name) != 0) return 0;
  return n == f ||
         (f >= n + 2 && strncmp(full + f - n - 2, "::", 2) == 0 && strchr(full, '<') == NULL);
}

int ga_hc_module_func(ga_func **f, ga_module *m, const char *name)
{
  ga_func *partly = NULL;
  unsigned int n = 0;
  for (unsigned int i = 0; i < m->nfunc; i++) {
    if (strcmp(m->funcs[i].k->name, name) == 0) {
      *f = &m->funcs[i];
      return GA_NO_ERROR;
    }
    if (names(name, m->funcs[i].k->name)) {
      partly = &m->funcs[i];
      n++;
    }
  }
  *f = partly;
  if (n == 1) return GA_NO_ERROR;
  *f = NULL;
  if (n > 1)
    return ga_error(GA_VALUE_ERROR, "kernel '%s': %u kernels of the module are called so", name, n);
  return ga_error(GA_VALUE_ERROR, "kernel '%s': the module has none, or overloads; it has %s%s%s",
                  name, m->nfunc != 0 ? "'" : "no other kernel",
                  m->nfunc != 0 ? m->funcs[0].k->name : "",
                  m->nfunc > 1    ? "' and others"
                  : m->nfunc == 1 ? "'"
                                  : "");
}

int ga_hc_module_global(void **ptr, size_t *size, ga_module *m, const char *name)
{
  for (const ga_hc_global *g = m->table->globals; g->name != NULL; g++)
    if (names(name, g->name)) {
      *ptr = g->ptr;
      *size = g->size;
      return GA_NO_ERROR;
    }
  return ga_error(GA_VALUE_ERROR, "global '%s': the module has none of that name", name);
}
