/* SPDX-License-Identifier: MIT */
/* Loading compiled modules (cubin.h) and handing out their kernels and globals.
 * A kernel is looked up once and stays as long as its module. */
#include "cubin.h"

#include <stdlib.h>
#include <string.h>

static int bad_block(void)
{
  return ga_error(GA_IMPL_ERROR, "module: these bytes are no compiled module");
}

/* The end of `n` strings that start at s, NULL when they run past `end`. */
static const char *skip_strings(const char *s, const char *end, uint64_t n)
{
  while (n-- > 0) {
    const char *nul = s < end ? memchr(s, 0, (size_t)(end - s)) : NULL;
    if (nul == NULL) return NULL;
    s = nul + 1;
  }
  return s;
}

/* Checks the block and copies its strings. */
static int read_block(ga_module *m, ga_cubin_head *head, const void *bin, size_t size)
{
  const char *start = (const char *)bin + sizeof *head, *end;
  if (size < sizeof *head) return bad_block();
  memcpy(head, bin, sizeof *head);
  if (memcmp(head->magic, GA_CUBIN_MAGIC, sizeof head->magic) != 0 || head->image_at > size ||
      head->image_size != size - head->image_at || head->image_size == 0 ||
      head->image_at < sizeof *head)
    return bad_block();
  end = (const char *)bin + head->image_at;
  if (skip_strings(start, end, 2 * (uint64_t)head->nname + head->nentry) == NULL)
    return bad_block();
  m->nname = head->nname;
  m->nentry = head->nentry;
  m->strings = malloc((size_t)(end - start) + 1);
  if (m->strings == NULL) return ga_error_memory("module", (size_t)(end - start));
  memcpy(m->strings, start, (size_t)(end - start));
  return GA_NO_ERROR;
}

static int load(ga_module *m, const void *image, size_t size)
{
  ga_cuda *c = ga_cuda_of(m->ctx);
  int pushed, err = GA_NO_ERROR;
  char *copy = malloc(size + 1); /* aligned, and ended by a NUL for PTX */
  if (copy == NULL) return ga_error_memory("module", size);
  memcpy(copy, image, size);
  copy[size] = 0;
  err = ga_cuda_enter(c, "module", &pushed);
  if (err == GA_NO_ERROR) {
    GA_CUDA(c, "module: loading", ga_cu.cuModuleLoadData(&m->mod, copy));
  fail:
    ga_cuda_exit(pushed);
  }
  free(copy);
  return err;
}

int ga_cuda_module_new(ga_module **res, gpucontext *ctx, const void *bin, size_t size)
{
  ga_cubin_head head;
  ga_module *m = calloc(1, sizeof *m);
  if (m == NULL) return ga_error_memory("module", sizeof *m);
  m->ctx = ctx;
  int err = read_block(m, &head, bin, size);
  if (err == GA_NO_ERROR) err = load(m, (const char *)bin + head.image_at, (size_t)head.image_size);
  if (err != GA_NO_ERROR) {
    free(m->strings);
    free(m);
    return err;
  }
  ga_lock_init(&m->lock);
  *res = m;
  return GA_NO_ERROR;
}

static void free_func(ga_func *f)
{
  if (f == NULL) return;
  free(f->name);
  free(f->arg_size);
  free(f->arg_offset);
  free(f);
}

void ga_cuda_module_free(ga_module *m)
{
  int pushed;
  if (m == NULL) return;
  ga_cuda *c = ga_cuda_of(m->ctx);
  uintptr_t last = atomic_load(&c->last);
  while (m->funcs != NULL) {
    ga_func *next = m->funcs->next;
    if (last == (uintptr_t)m->funcs) atomic_store(&c->last, 0);
    free_func(m->funcs);
    m->funcs = next;
  }
  if (ga_cuda_usable(c) && ga_cuda_enter(c, "module", &pushed) == GA_NO_ERROR) {
    (void)ga_cu.cuModuleUnload(m->mod);
    ga_cuda_exit(pushed);
  }
  ga_lock_clear(&m->lock);
  free(m->strings);
  free(m);
}

/* Sizes and offsets of the parameters, where the driver tells them (12.4). */
static int read_params(ga_func *f)
{
  size_t off, size;
  unsigned int n = 0, cap = 0;
  CUresult r;
  if (ga_cu.cuFuncGetParamInfo == NULL) return GA_NO_ERROR;
  while ((r = ga_cu.cuFuncGetParamInfo(f->fn, n, &off, &size)) == CUDA_SUCCESS) {
    if (n == cap) {
      cap = cap > 0 ? 2 * cap : 8;
      size_t *s = realloc(f->arg_size, cap * sizeof *s);
      if (s != NULL) f->arg_size = s;
      size_t *o = realloc(f->arg_offset, cap * sizeof *o);
      if (o != NULL) f->arg_offset = o;
      if (s == NULL || o == NULL) return ga_error_memory("kernel", cap * sizeof *s);
    }
    f->arg_size[n] = size;
    f->arg_offset[n] = off;
    f->args_size = off + size;
    n++;
  }
  f->nargs = n;
  f->known = r == CUDA_ERROR_INVALID_VALUE; /* there is no parameter n */
  return GA_NO_ERROR;
}

static int no_kernel(const ga_module *m, const char *name)
{
  const char *s = skip_strings(m->strings, m->strings + SIZE_MAX / 4, 2 * (uint64_t)m->nname);
  ga_str list = {0};
  for (uint32_t i = 0; i < m->nentry; i++, s += strlen(s) + 1)
    ga_str_addf(&list, "%s%s", i > 0 ? ", " : "", s);
  int err = ga_error(GA_VALUE_ERROR, "kernel: the module has no kernel '%s', or several; it has %s",
                     name, m->nentry > 0 ? ga_str_text(&list) : "none");
  ga_str_clear(&list);
  return err;
}

/* The mark of texts whose kernels wait for those ahead of them (prelude.cuh). */
static int waits(const ga_module *m)
{
  CUdeviceptr p;
  size_t size;
  return ga_cuda_of(m->ctx)->base.target.overlap &&
         ga_cu.cuModuleGetGlobal_v2(&p, &size, m->mod, "ga_waits") == CUDA_SUCCESS;
}

static int new_func(ga_func **res, ga_module *m, const char *name)
{
  ga_cuda *c = ga_cuda_of(m->ctx);
  int pushed, err = GA_NO_ERROR;
  const char *symbol = ga_cubin_symbol(m, name);
  if (symbol == NULL) return no_kernel(m, name);
  ga_func *f = calloc(1, sizeof *f);
  if (f == NULL) return ga_error_memory("kernel", sizeof *f);
  f->m = m;
  f->name = strdup(name);
  if (f->name == NULL) {
    err = ga_error_memory("kernel", strlen(name) + 1);
    goto done;
  }
  err = ga_cuda_enter(c, "kernel", &pushed);
  if (err != GA_NO_ERROR) goto done;
  GA_CUDA(c, "kernel", ga_cu.cuModuleGetFunction(&f->fn, m->mod, symbol));
  f->waits = waits(m);
  err = read_params(f);
fail:
  ga_cuda_exit(pushed);
done:
  if (err != GA_NO_ERROR) {
    free_func(f);
    return err;
  }
  *res = f;
  return GA_NO_ERROR;
}

int ga_cuda_module_func(ga_func **res, ga_module *m, const char *name)
{
  ga_func *f;
  int err = GA_NO_ERROR;
  ga_lock_take(&m->lock);
  for (f = m->funcs; f != NULL && strcmp(f->name, name) != 0; f = f->next) continue;
  if (f == NULL) {
    err = new_func(&f, m, name);
    if (err == GA_NO_ERROR) {
      f->next = m->funcs;
      m->funcs = f;
    }
  }
  ga_lock_give(&m->lock);
  if (err == GA_NO_ERROR) *res = f;
  return err;
}

int ga_cuda_module_global(void **ptr, size_t *size, ga_module *m, const char *name)
{
  ga_cuda *c = ga_cuda_of(m->ctx);
  CUdeviceptr p = 0;
  const char *symbol = ga_cubin_symbol(m, name);
  int pushed, err;
  GA_TRY(ga_cuda_enter(c, "global", &pushed));
  CUresult r = ga_cu.cuModuleGetGlobal_v2(&p, size, m->mod, symbol != NULL ? symbol : name);
  if (r == CUDA_ERROR_NOT_FOUND)
    err = ga_error(GA_VALUE_ERROR, "global: the module has no global '%s'", name);
  else
    err = r == CUDA_SUCCESS ? GA_NO_ERROR : ga_cuda_error(c, "global", r);
  if (err == GA_NO_ERROR) *ptr = (void *)(uintptr_t)p;
  ga_cuda_exit(pushed);
  return err;
}

const char *ga_cuda_func_name(const ga_func *f) { return f->name; }
