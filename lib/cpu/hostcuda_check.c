/* SPDX-License-Identifier: MIT */
/* The debugger for kernels. A checked kernel is compiled as for the thread
 * sanitizer, whose calls at every access come here instead. An access is allowed
 * on the thread's stack, in the block's shared memory, in the module's globals
 * and constants, in the launch's arguments, and in a live buffer.
 *
 * The first error ends the launch; the launch returns it and the program goes on. */
#define _GNU_SOURCE
#include "hostcuda_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hostcuda_lines.h"
#include "hostcuda_shadow.h"
#include "hostcuda_track.h"

int ga_hc_check_wanted(void)
{
  const char *s = getenv("GPUARRAY_CHECK");
  return s != NULL && *s != '\0' && strcmp(s, "0") != 0;
}

/* ---- errors ------------------------------------------------------------------ */

/* A return address lies behind its call. */
GA_HC_PLAIN void ga_hc_check_line(char *text, size_t size, const ga_hc_team *t, uintptr_t pc)
{
  const ga_module *m = t->run->f->m;
  const char *file;
  unsigned int line;
  if (ga_hc_lines_find(m->lines, pc - 1 - m->base, &file, &line))
    snprintf(text, size, "%s:%u", file, line);
  else
    snprintf(text, size, "?");
}

GA_HC_PLAIN _Noreturn void ga_hc_check_fail(ga_hc_team *t, unsigned int thread, uintptr_t pc,
                                            const char *what)
{
  char where[160];
  ga_hc_check_line(where, sizeof where, t, pc);
  if (t->shadow != NULL) t->shadow->pending.there = 0;
  ga_hc_report(t, thread, where, what);
  ga_hc_abandon(t);
}

static const char *const verbs[] = {[GA_HC_READ] = "reads",
                                    [GA_HC_WRITE] = "writes",
                                    [GA_HC_ATOMIC] = "changes",
                                    [GA_HC_STORE] = "writes"};

static GA_HC_PLAIN _Noreturn void outside(ga_hc_team *t, void *p, unsigned long size, int how,
                                          uintptr_t pc)
{
  char what[400], near[160] = "";
  uintptr_t low, high, at = (uintptr_t)p;
  if (at < 4096)
    snprintf(near, sizeof near, " (a NULL pointer)");
  else if (ga_hc_track_near(p, &low, &high))
    snprintf(near, sizeof near, ", %zu bytes %s a buffer of %zu",
             (size_t)(at >= high ? at - high : low - at),
             at >= high ? "behind the end of" : "before the beginning of", (size_t)(high - low));
  snprintf(what, sizeof what, "%s %lu bytes outside every buffer%s", verbs[how], size, near);
  ga_hc_check_fail(t, t->current, pc, what);
}

/* ---- an access ------------------------------------------------------------------ */

static int within(uintptr_t at, unsigned long size, const void *low, size_t n)
{
  return at >= (uintptr_t)low && at - (uintptr_t)low < n && size <= n - (at - (uintptr_t)low);
}

/* Is it a look whether a variable is constructed? */
static int is_guard(const ga_hc_guards *g, size_t at)
{
  size_t i = 0;
  while (i < g->n && g->at[i] != at) i++;
  return i < g->n;
}

/* Shared memory: 1 when the access lies in it. */
static GA_HC_PLAIN int shared(ga_hc_team *t, uintptr_t at, unsigned long size, int how,
                              uintptr_t pc)
{
  ga_hc_shadow *s = t->shadow;
  size_t nstatic = s->static_high - s->static_low;
  if (within(at, size, (void *)s->static_low, nstatic)) {
    if (!is_guard(&t->run->f->m->guards, at - s->static_low))
      ga_hc_shadow_access(t, at - s->static_low, (void *)at, size, how, pc);
    return 1;
  }
  if (!within(at, 1, t->dynamic, t->dynamic_size)) return 0;
  if (!within(at, size, t->dynamic, t->run->shared)) {
    char what[200];
    snprintf(what, sizeof what, "%s %lu bytes at %zu of the %zu bytes of dynamic shared memory",
             verbs[how], size, (size_t)(at - (uintptr_t)t->dynamic), t->run->shared);
    ga_hc_check_fail(t, t->current, pc, what);
  }
  ga_hc_shadow_access(t, nstatic + (at - (uintptr_t)t->dynamic), (void *)at, size, how, pc);
  return 1;
}

/* The thread's own local memory; another thread's is as far away as on a GPU, and
 * just below its own lies what its calls have used up. */
static GA_HC_PLAIN int own_stack(ga_hc_team *t, uintptr_t at, unsigned long size)
{
  const char *mine = t->stacks + (size_t)t->stack_of[t->current] * t->stack;
  return within(at, size, mine, t->stack);
}

static GA_HC_PLAIN _Noreturn void others_stack(ga_hc_team *t, uintptr_t at, unsigned long size,
                                               int how, uintptr_t pc)
{
  char what[160];
  uintptr_t mine = (uintptr_t)t->stacks + (size_t)t->stack_of[t->current] * t->stack;
  if (at < mine && mine - at < t->stack &&
      (uintptr_t)__builtin_frame_address(0) - mine < GA_HC_GUARD(t->stack) + GA_HC_STACK_LEAST)
    snprintf(what, sizeof what, "local memory is used up: a thread has %lu KiB",
             GA_HC_LOCAL / 1024);
  else
    snprintf(what, sizeof what, "%s %lu bytes of another thread's local memory", verbs[how], size);
  ga_hc_check_fail(t, t->current, pc, what);
}

/* The module's own memory: its globals, with what stands between them, and the rest
 * (literals, tables, a function's statics), which is not looked at. */
static GA_HC_PLAIN void global(ga_hc_team *t, uintptr_t at, unsigned long size, int how,
                               uintptr_t pc)
{
  const ga_hc_module *table = t->run->f->m->table;
  const ga_hc_global *near = NULL;
  size_t nearest = SIZE_MAX;
  char what[400];
  int inside = 0;
  for (const ga_hc_global *g = table->globals; g->name != NULL; g++) {
    uintptr_t low = (uintptr_t)g->ptr, high = low + g->size;
    if (within(at, size, g->ptr, g->size)) return;
    size_t far = at >= high ? at - high : at < low ? low - at : 0;
    inside |= far == 0 && at < high; /* and ends beyond it */
    if (far < nearest) {
      nearest = far;
      near = g;
    }
  }
  for (const void *const *pad = table->pads; *pad != NULL && !inside; pad++)
    inside = within(at, 1, *pad, GA_HC_PAD);
  if (!inside || near == NULL) return;
  int before = at < (uintptr_t)near->ptr;
  snprintf(what, sizeof what, "%s %lu bytes outside every global, %zu bytes %s %s of %lu",
           verbs[how], size, at < (uintptr_t)near->ptr + near->size && !before ? 0 : nearest,
           before ? "before the beginning of" : "behind the end of", near->name, near->size);
  ga_hc_check_fail(t, t->current, pc, what);
}

static int allowed(ga_hc_team *t, uintptr_t at, unsigned long size)
{
  ga_hc_shadow *s = t->shadow;
  const ga_module *m = t->run->f->m;
  if (at >= s->low && at < s->high && size <= s->high - at) return 1;
  if (within(at, size, (void *)m->low, m->high - m->low)) return 1;
  if (within(at, size, t->run->args, t->run->f->k->args_size)) return 1;
  if (within(at, size, &t->block, sizeof t->block)) return 1;
  if (within(at, size, &ga_hc_runtime, sizeof ga_hc_runtime)) return 1;
  if (within(at, size, &ga_hc_math_table, ga_hc_math_size)) return 1;
  return ga_hc_track_find((void *)at, &s->low, &s->high) && size <= s->high - at;
}

/* `how` has GA_HC_LOOSE where the compiler knows of a smaller alignment. */
GA_HC_PLAIN void ga_hc_check_access(void *p, unsigned long size, int how, void *pc)
{
  ga_hc_team *t = ga_hc_current_team;
  uintptr_t at = (uintptr_t)p, from = (uintptr_t)pc;
  int loose = how & GA_HC_LOOSE;
  how &= ~GA_HC_LOOSE;
  if (own_stack(t, at, size)) return;
  ga_hc_shadow_settle(t);
  if (!loose && size <= 16 && (size & (size - 1)) == 0 && (at & (size - 1)) != 0) {
    char what[160];
    snprintf(what, sizeof what, "%s %lu bytes at an address that is %lu past a multiple of %lu",
             verbs[how], size, (unsigned long)(at & (size - 1)), size);
    ga_hc_check_fail(t, t->current, from, what);
  }
  if (within(at, 1, t->stacks - t->stack, ((size_t)t->nstack + 1) * t->stack))
    others_stack(t, at, size, how, from);
  if (shared(t, at, size, how, from)) return;
  if (within(at, 1, (void *)t->run->f->m->low, t->run->f->m->high - t->run->f->m->low))
    global(t, at, size, how, from);
  if (!allowed(t, at, size)) outside(t, p, size, how, from);
}

/* ---- a team ------------------------------------------------------------------------ */

int ga_hc_check_begin(ga_hc_team *t)
{
  uintptr_t low, high;
  if (t->shadow == NULL) t->shadow = calloc(1, sizeof *t->shadow);
  ga_hc_shadow *s = t->shadow;
  if (s == NULL) return 0;
  ga_hc_static_shared(t->run->f->m, &low, &high);
  s->static_low = low;
  s->static_high = high;
  s->ncell = high - low + t->run->shared;
  if (s->room < s->ncell) {
    free(s->cells);
    s->room = 0;
    s->cells = malloc(s->ncell * sizeof *s->cells);
    if (s->cells == NULL) return 0;
    s->room = s->ncell;
  }
  if (s->ncell != 0) memset(s->cells, 0, s->ncell * sizeof *s->cells);
  s->now0 = 1;
  t->epoch = 0;
  s->low = s->high = 0;
  s->pending.there = s->unwritten.there = 0;
  return 1;
}

/* The block before has used up as many of the counter's values as it had
 * barriers. */
void ga_hc_check_block(ga_hc_team *t, unsigned int barriers)
{
  ga_hc_shadow *s = t->shadow;
  if (s->now0 > UINT32_MAX / 2 && s->ncell != 0) {
    memset(s->cells, 0, s->ncell * sizeof *s->cells);
    s->now0 = 0;
  }
  s->now0 += barriers + 1;
}

GA_HC_PLAIN void ga_hc_check_barrier(ga_hc_team *t) { ga_hc_shadow_barrier(t); }

GA_HC_PLAIN void ga_hc_check_end(ga_hc_team *t)
{
  if (t->live == 1)
    ga_hc_shadow_barrier(t);
  else
    ga_hc_shadow_settle(t);
}

void ga_hc_shadow_free(struct ga_hc_shadow *s)
{
  if (s == NULL) return;
  free(s->cells);
  free(s);
}
