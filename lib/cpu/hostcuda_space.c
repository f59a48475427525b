/* SPDX-License-Identifier: MIT */
/* Which space an address lies in: what __isShared and its like ask. Dynamic shared
 * memory belongs to the team, static to the core's thread, as the module's
 * thread-local storage; local memory is the stack; __constant__ variables are in the
 * module's list, arguments beside it; all else is global. */
#define _GNU_SOURCE
#include <link.h>

#include "hostcuda_team.h"

typedef struct search {
  const ga_module *m;
  uintptr_t low, high;
} search;

extern void *__tls_get_addr(size_t index[2]); /* of the dynamic loader: module, offset */

/* Where the loader keeps the storage beside its own (aarch64) it does not know of it
 * before it has been asked. */
static int find_tls(struct dl_phdr_info *info, size_t size, void *arg)
{
  search *s = arg;
  (void)size;
  if (info->dlpi_addr != s->m->base) return 0;
  for (int i = 0; i < info->dlpi_phnum; i++)
    if (info->dlpi_phdr[i].p_type == PT_TLS) {
      size_t index[2] = {info->dlpi_tls_modid, 0};
      void *data = info->dlpi_tls_data;
      s->low = (uintptr_t)(data != NULL ? data : __tls_get_addr(index));
      s->high = s->low + info->dlpi_phdr[i].p_memsz;
    }
  return 1;
}

void ga_hc_static_shared(const ga_module *m, uintptr_t *low, uintptr_t *high)
{
  search found = {m, 0, 0};
  (void)m->table->shared(); /* makes the storage of this thread */
  dl_iterate_phdr(find_tls, &found);
  *low = found.low;
  *high = found.high;
}

static int within(uintptr_t at, const void *low, size_t n)
{
  return at >= (uintptr_t)low && at - (uintptr_t)low < n;
}

GA_HC_PLAIN int ga_hc_space(const void *p)
{
  const ga_hc_team *t = ga_hc_current_team;
  const ga_module *m = t->run->f->m;
  const uintptr_t at = (uintptr_t)p, stack = (uintptr_t)__builtin_frame_address(0);
  uintptr_t low, high;
  if (within(at, (void *)(stack & ~(t->stack - 1)), t->stack)) return GA_HC_IN_LOCAL;
  if (within(at, t->dynamic, t->run->shared)) return GA_HC_IN_SHARED;
  if (within(at, t->run->args, t->run->f->k->args_size)) return GA_HC_IN_ARGUMENTS;
  for (const ga_hc_global *g = m->table->globals; g->name != NULL; g++)
    if (g->constant && within(at, g->ptr, g->size)) return GA_HC_IN_CONSTANT;
  ga_hc_static_shared(m, &low, &high);
  return at >= low && at < high ? GA_HC_IN_SHARED : GA_HC_IN_GLOBAL;
}
