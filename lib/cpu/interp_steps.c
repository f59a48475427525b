/* SPDX-License-Identifier: MIT */
/* Instructions that become steps of one: where a value is read by nothing but the next operation
 * of the same dtype, both are done while it is in registers. Of (a*10 + 2) * ((b + 2)*10 - 5) * 5
 *
 *   t = steps(b; + 2, *10, - 5)
 *   r = steps(a; *10, + 2, * t, * 5)
 *
 * and numbers that steps alone read are not spread over a block, nor are elements of an array that
 * are one for all of a block, as each row's own of b[:, None] is. */
#include <stdlib.h>
#include <string.h>

#include "interp.h"

/* Instructions being fused. */
typedef struct fuser {
  ga_code *c;
  const ga_fusing *w;
  unsigned int *uses;     /* [nplace]: instructions that read it, those of results and stores */
  unsigned int *producer; /* [nplace]: the instruction that makes it, else ninstr */
  unsigned char *flat;    /* [nplace]: an array's values, of which a block has one */
  unsigned char *gone;    /* [ninstr]: is a step of another, or has been looked at */
} fuser;

/* The step that instruction i is, its source number `arg` being what goes through; -1: none. */
static int step_of(const fuser *f, unsigned int i, unsigned int arg)
{
  const ga_instr *in = &f->c->instrs[i];
  const enum ga_dtype t = f->w->dtype[in->dst];
  if (f->w->op[i] == 0 || in->nsrc > 2 || f->w->dtype[in->src[arg]] != t) return -1;
  return ga_cpu_step(f->w->op[i], t, (int)arg);
}

static int is_number(const fuser *f, unsigned int place)
{
  return f->w->kind[place] == GA_PLACE_CONST || f->flat[place];
}

/* It is a step on an array's values. */
static int can_be_step(const fuser *f, unsigned int i)
{
  const ga_instr *in = &f->c->instrs[i];
  if (f->gone[i] || step_of(f, i, 0) < 0) return 0;
  for (unsigned int k = 0; k < in->nsrc; k++)
    if (f->w->kind[in->src[k]] != GA_PLACE_CONST) return 1;
  return 0;
}

/* Arrays beyond the cache that the instruction reads. */
static unsigned int reads_far(const fuser *f, const ga_instr *in)
{
  unsigned int n = 0;
  for (unsigned int k = 0; k < in->nsrc; k++)
    n += f->w->far && f->w->kind[in->src[k]] == GA_PLACE_LOAD && !f->flat[in->src[k]];
  return n;
}

/* The source of instruction i that may go through it in a register, else nsrc. Memory gives runs
 * of two arrays in turn slowly: of steps the first one alone reads far, and but one array where
 * results stay in cache. *reads: this step or a later one does. */
static unsigned int through(const fuser *f, unsigned int i, int *reads)
{
  const ga_instr *in = &f->c->instrs[i];
  const unsigned int most = f->w->reduced ? 1 : 2;
  *reads |= reads_far(f, in) > 0;
  for (unsigned int k = 0; k < in->nsrc; k++) {
    unsigned int p = in->src[k], made = f->producer[p];
    if (made < f->c->ninstr && f->uses[p] == 1 && can_be_step(f, made) &&
        reads_far(f, &f->c->instrs[made]) <= (*reads ? 0 : most))
      return k;
  }
  return in->nsrc;
}

/* Makes the n instructions of `list`, last one first, the last one's steps; args[k]: the source
 * that goes through list[k]. */
static void fuse(fuser *f, const unsigned int *list, const unsigned int *args, unsigned int n)
{
  ga_instr *last = &f->c->instrs[list[0]], made = {.dst = last->dst, .nsrc = n + 1};
  const ga_instr *head = &f->c->instrs[list[n - 1]];
  int reads = f->w->kind[head->src[args[n - 1]]] == GA_PLACE_LOAD;
  made.src[0] = head->src[args[n - 1]];
  for (unsigned int k = 0; k < n; k++) {
    unsigned int i = list[n - 1 - k], arg = args[n - 1 - k];
    const ga_instr *in = &f->c->instrs[i];
    unsigned int other = in->nsrc == 2 ? in->src[1 - arg] : made.src[0];
    int number = in->nsrc == 2 && is_number(f, other);
    made.src[k + 1] = other;
    made.step[k] = (unsigned char)(step_of(f, i, arg) + (number ? GA_STEP_ONE : 0));
    reads |= f->w->kind[other] == GA_PLACE_LOAD;
    f->gone[i] = 1;
  }
  made.run = ga_far_loops(f->w->far && reads)->steps[f->w->dtype[last->dst]];
  *last = made;
}

/* Fuses with instruction i, which is the last one, what can be. */
static void fuse_to(fuser *f, unsigned int i)
{
  unsigned int list[GA_STEPS], args[GA_STEPS], n = 0;
  int reads = 0;
  for (;;) {
    const ga_instr *in = &f->c->instrs[i];
    list[n] = i;
    args[n] = n + 1 < GA_STEPS ? through(f, i, &reads) : in->nsrc;
    if (args[n] == in->nsrc) break;
    i = f->producer[in->src[args[n++]]];
  }
  const ga_instr *head = &f->c->instrs[i];
  args[n] = head->nsrc == 2 && is_number(f, head->src[0]);
  int number = args[0] || (head->nsrc == 2 && is_number(f, head->src[1]));
  int spread = number && f->flat[head->src[args[0] ? 0 : 1]];
  int alone = f->w->op[i] != GA_OP_where && !spread && (!number || reads_far(f, head));
  if (n == 0 && alone) return;
  fuse(f, list, args, n + 1);
}

/* Numbers, and arrays' values, of which steps alone read one each. */
static void find_alone(fuser *f)
{
  ga_code *c = f->c;
  for (unsigned int p = 0; p < c->nplace; p++) f->uses[p] = f->w->kept[p];
  for (unsigned int i = 0; i < c->ninstr; i++)
    for (unsigned int k = 0; k < c->instrs[i].nsrc; k++)
      if (c->instrs[i].fn != NULL || k == 0) f->uses[c->instrs[i].src[k]]++;
  for (unsigned int i = 0; i < c->nconst; i++)
    c->consts[i].alone = f->uses[c->consts[i].place] == 0;
  for (unsigned int i = 0; i < c->nload; i++)
    c->loads[i].alone = f->flat[c->loads[i].place] && f->uses[c->loads[i].place] == 0;
}

/* What a number replaces goes through its step, though a block has one. */
static void find_flat(fuser *f)
{
  for (unsigned int i = 0; i < f->c->nload; i++) {
    const ga_access *a = &f->c->loads[i];
    unsigned int k = f->w->whole;
    while (k < f->c->nall && a->strides[k] == 0) k++;
    f->flat[a->place] = a->operand >= 0 && k == f->c->nall;
  }
  for (unsigned int i = 0; i < f->c->ninstr; i++)
    if (f->w->op[i] == GA_OP_where && f->c->instrs[i].nsrc == 2)
      f->flat[f->c->instrs[i].src[0]] = 0;
}

int ga_code_fuse_steps(ga_code *c, const ga_fusing *what)
{
  fuser f = {.c = c, .w = what};
  unsigned int left = 0, n = c->ninstr;
  size_t bytes = c->nplace * (2 * sizeof *f.uses + 1) + n;
  f.uses = calloc(bytes + 1, 1);
  if (f.uses == NULL) return ga_error_memory("stage", bytes);
  f.producer = f.uses + c->nplace;
  f.flat = (unsigned char *)(f.producer + c->nplace);
  f.gone = f.flat + c->nplace;
  find_flat(&f);
  for (unsigned int p = 0; p < c->nplace; p++) {
    f.uses[p] = what->kept[p];
    f.producer[p] = n;
  }
  for (unsigned int i = 0; i < n; i++) {
    f.producer[c->instrs[i].dst] = i;
    for (unsigned int k = 0; k < c->instrs[i].nsrc; k++) f.uses[c->instrs[i].src[k]]++;
  }
  for (unsigned int i = n; i-- > 0;)
    if (can_be_step(&f, i)) fuse_to(&f, i);
  for (unsigned int i = 0; i < n; i++)
    if (!f.gone[i] || c->instrs[i].fn == NULL) c->instrs[left++] = c->instrs[i];
  c->ninstr = left;
  find_alone(&f);
  free(f.uses);
  return GA_NO_ERROR;
}
