/* SPDX-License-Identifier: MIT */
/* Instructions that become steps of one: where a value is read by nothing but the next operation
 * of the same dtype, both are done while it is in registers. Of (a*10 + 2) * ((b + 2)*10 - 5) * 5
 *
 *   t = steps(b; + 2, *10, - 5)
 *   r = steps(a; *10, + 2, * t, * 5)
 *
 * and numbers that steps alone read are not spread over a block. */
#include <stdlib.h>
#include <string.h>

#include "interp.h"

/* Joins being made. */
typedef struct joiner {
  ga_code *c;
  const ga_joining *w;
  unsigned int *uses;     /* [nplace]: instructions that read it, those of results and stores */
  unsigned int *producer; /* [nplace]: the instruction that makes it, else ninstr */
  unsigned char *gone;    /* [ninstr]: is a step of another, or has been looked at */
} joiner;

/* The step that instruction i is, its source number `arg` being what goes through; -1: none. */
static int step_of(const joiner *j, unsigned int i, unsigned int arg)
{
  const ga_instr *in = &j->c->instrs[i];
  return j->w->op[i] == 0 ? -1 : ga_cpu_step(j->w->op[i], j->w->dtype[in->dst], (int)arg);
}

static int is_number(const joiner *j, unsigned int place)
{
  return j->w->kind[place] == GA_PLACE_CONST;
}

/* It is a step on an array's values. */
static int can_be_step(const joiner *j, unsigned int i)
{
  const ga_instr *in = &j->c->instrs[i];
  if (j->gone[i] || step_of(j, i, 0) < 0) return 0;
  for (unsigned int k = 0; k < in->nsrc; k++)
    if (!is_number(j, in->src[k])) return 1;
  return 0;
}

/* Arrays beyond the cache that the instruction reads. */
static unsigned int reads_far(const joiner *j, const ga_instr *in)
{
  unsigned int n = 0;
  for (unsigned int k = 0; k < in->nsrc; k++)
    n += j->w->far && j->w->kind[in->src[k]] == GA_PLACE_LOAD;
  return n;
}

/* The source of instruction i that may go through it in a register, else nsrc. Memory gives runs
 * of two arrays in turn slowly: of steps the first one alone reads far, and but one array where
 * results stay in cache. *reads: this step or a later one does. */
static unsigned int through(const joiner *j, unsigned int i, int *reads)
{
  const ga_instr *in = &j->c->instrs[i];
  const unsigned int most = j->w->reduced ? 1 : 2;
  *reads |= reads_far(j, in) > 0;
  for (unsigned int k = 0; k < in->nsrc; k++) {
    unsigned int p = in->src[k], made = j->producer[p];
    if (made < j->c->ninstr && j->uses[p] == 1 && can_be_step(j, made) &&
        reads_far(j, &j->c->instrs[made]) <= (*reads ? 0 : most))
      return k;
  }
  return in->nsrc;
}

/* Makes the n instructions of `list`, last one first, the last one's steps; args[k]: the source
 * that goes through list[k]. */
static void join(joiner *j, const unsigned int *list, const unsigned int *args, unsigned int n)
{
  ga_instr *last = &j->c->instrs[list[0]], made = {.dst = last->dst, .nsrc = n + 1};
  const ga_instr *head = &j->c->instrs[list[n - 1]];
  int reads = j->w->kind[head->src[args[n - 1]]] == GA_PLACE_LOAD;
  made.src[0] = head->src[args[n - 1]];
  for (unsigned int k = 0; k < n; k++) {
    unsigned int i = list[n - 1 - k], arg = args[n - 1 - k];
    const ga_instr *in = &j->c->instrs[i];
    unsigned int other = in->nsrc == 2 ? in->src[1 - arg] : made.src[0];
    int number = in->nsrc == 2 && is_number(j, other);
    made.src[k + 1] = other;
    made.step[k] = (unsigned char)(step_of(j, i, arg) + (number ? GA_STEP_ONE : 0));
    reads |= j->w->kind[other] == GA_PLACE_LOAD;
    j->gone[i] = 1;
  }
  made.run = ga_far_loops(j->w->far && reads)->steps[j->w->dtype[last->dst]];
  *last = made;
}

/* Joins to instruction i, which is the last one, what can be. */
static void join_to(joiner *j, unsigned int i)
{
  unsigned int list[GA_STEPS], args[GA_STEPS], n = 0;
  int reads = 0;
  for (;;) {
    const ga_instr *in = &j->c->instrs[i];
    list[n] = i;
    args[n] = n + 1 < GA_STEPS ? through(j, i, &reads) : in->nsrc;
    if (args[n] == in->nsrc) break;
    i = j->producer[in->src[args[n++]]];
  }
  const ga_instr *head = &j->c->instrs[i];
  args[n] = is_number(j, head->src[0]);
  int number = args[0] || (head->nsrc == 2 && is_number(j, head->src[1]));
  if (n == 0 && (!number || reads_far(j, head))) return;
  join(j, list, args, n + 1);
}

/* Numbers of which steps alone read one each. */
static void find_alone(joiner *j)
{
  ga_code *c = j->c;
  for (unsigned int p = 0; p < c->nplace; p++) j->uses[p] = j->w->kept[p];
  for (unsigned int i = 0; i < c->ninstr; i++)
    for (unsigned int k = 0; k < c->instrs[i].nsrc; k++)
      if (c->instrs[i].fn != NULL || k == 0) j->uses[c->instrs[i].src[k]]++;
  for (unsigned int i = 0; i < c->nconst; i++)
    c->consts[i].alone = j->uses[c->consts[i].place] == 0;
}

int ga_code_join_steps(ga_code *c, const ga_joining *what)
{
  joiner j = {.c = c, .w = what};
  unsigned int left = 0, n = c->ninstr;
  size_t bytes = 2 * c->nplace * sizeof *j.uses + n;
  j.uses = calloc(bytes + 1, 1);
  if (j.uses == NULL) return ga_error_memory("stage", bytes);
  j.producer = j.uses + c->nplace;
  j.gone = (unsigned char *)(j.producer + c->nplace);
  for (unsigned int p = 0; p < c->nplace; p++) {
    j.uses[p] = what->kept[p];
    j.producer[p] = n;
  }
  for (unsigned int i = 0; i < n; i++) {
    j.producer[c->instrs[i].dst] = i;
    for (unsigned int k = 0; k < c->instrs[i].nsrc; k++) j.uses[c->instrs[i].src[k]]++;
  }
  for (unsigned int i = n; i-- > 0;)
    if (can_be_step(&j, i)) join_to(&j, i);
  for (unsigned int i = 0; i < n; i++)
    if (!j.gone[i] || c->instrs[i].fn == NULL) c->instrs[left++] = c->instrs[i];
  c->ninstr = left;
  find_alone(&j);
  free(j.uses);
  return GA_NO_ERROR;
}
