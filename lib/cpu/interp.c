/* SPDX-License-Identifier: MIT */
/* Stages of the CPU device: compiled once (stage_new), run by any number of
 * threads at a time (stage_run). interp.h tells how the parts fit together. */
#include "interp.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "cpu.h"

/* ---- scratch memory --------------------------------------------------------------- */

static _Thread_local struct {
  void *mem;
  size_t size;
  uint64_t owner; /* the exec that had it last */
} scratch;

static pthread_key_t scratch_key;
static int scratch_keyed;

static void drop_scratch(void *mem)
{
  free(mem);
  scratch.mem = NULL;
  scratch.size = 0;
}

static void make_key(void) { scratch_keyed = pthread_key_create(&scratch_key, drop_scratch) == 0; }

/* Each thread's grows to the most it ever needed and goes with the thread. */
void *ga_cpu_scratch(const ga_exec *e, size_t size, int *same)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  void *mem;
  *same = scratch.owner == e->id && size <= scratch.size;
  scratch.owner = e->id;
  if (size <= scratch.size) return scratch.mem;
  pthread_once(&once, make_key);
  size = (size + 65535) & ~(size_t)65535;
  if (!scratch_keyed || posix_memalign(&mem, 64, size) != 0) return NULL;
  if (pthread_setspecific(scratch_key, mem) != 0) {
    free(mem);
    return NULL;
  }
  free(scratch.mem);
  scratch.mem = mem;
  scratch.size = size;
  return mem;
}

/* ---- stages --------------------------------------------------------------------- */

static int check_stage(const ga_stage *st)
{
  for (unsigned int i = 0; i < st->nnode; i++)
    if (st->nodes[i].level > 1)
      return ga_error(GA_UNSUPPORTED_ERROR,
                      "stage: the cpu device runs one reduction and "
                      "what follows it, not level %d",
                      st->nodes[i].level);
  return GA_NO_ERROR;
}

static int copy_layout(ga_exec *e, const ga_layout *l)
{
  size_t n = (size_t)l->noperand + 1;
  e->nk = l->nk;
  e->nr = l->nr;
  e->kept = l->kept;
  e->reduced = l->reduced;
  e->noperand = l->noperand;
  memcpy(e->dims, l->dims, sizeof e->dims);
  e->strides = calloc(2 * n, sizeof *e->strides);
  if (e->strides == NULL) return ga_error_memory("stage", 2 * n * sizeof *e->strides);
  e->post_strides = e->strides + n;
  for (unsigned int i = 0; i < l->noperand; i++)
    memcpy(e->strides[i], l->strides[i], sizeof e->strides[i]);
  for (unsigned int k = 0; k < l->nk + l->nr; k++)
    e->strides[l->noperand][k] = (ssize_t)l->iota_step[k];
  memcpy(e->post_strides, e->strides, n * sizeof *e->strides);
  return GA_NO_ERROR;
}

int ga_cpu_stage_new(void **exec, gpucontext *ctx, const ga_stage *st, const ga_layout *layout)
{
  (void)ctx;
  *exec = NULL;
  GA_TRY(check_stage(st));
  static atomic_uint_fast64_t ids;
  ga_exec *e = calloc(1, sizeof *e);
  if (e == NULL) return ga_error_memory("stage", sizeof *e);
  e->id = atomic_fetch_add(&ids, 1) + 1;
  int err = copy_layout(e, layout);
  if (err == GA_NO_ERROR)
    err = st->scan             ? ga_scan_make(e, st, layout)
          : st->nreduction > 0 ? ga_reduce_make(e, st, layout)
                               : ga_map_make(e, st, layout);
  if (err != GA_NO_ERROR) {
    ga_cpu_stage_free(e);
    return err;
  }
  *exec = e;
  return GA_NO_ERROR;
}

int ga_cpu_stage_run(const void *exec, gpucontext *ctx, void *const *addr, const ga_value *params)
{
  const ga_exec *e = exec;
  (void)ctx;
  if (e->scan.loop != NULL) return ga_scan_run(e, addr, params);
  return e->nfold > 0 ? ga_reduce_run(e, addr, params) : ga_map_run(e, addr, params);
}

void ga_cpu_stage_free(void *exec)
{
  ga_exec *e = exec;
  if (e == NULL) return;
  ga_code_clear(&e->pre);
  ga_code_clear(&e->post);
  free(e->folds);
  free(e->strides);
  free(e);
}
