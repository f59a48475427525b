/* SPDX-License-Identifier: MIT */
/* Chains beside their stages: the kernels that run in a text's place, and the interpreter's way,
 * to the bit. */
#ifndef TESTS_CHAINS_H
#define TESTS_CHAINS_H

#include "codegen/gen.h"
#include "tests/twins.h"

static ga_target target = {132, 227 * 1024, 0, 0, 0};

#define SOFTMAX "t = exp(a - max(a, axis=-1, keepdims=True)); t / sum(t, axis=-1, keepdims=True)"
#define NORM \
  "d = a - mean(a, axis=-1, keepdims=True); d / sqrt(mean(d*d, axis=-1, keepdims=True) + 1e-5)"

#define TURNED(axis)                                             \
  "x = a.T; t = exp(x - max(x, axis=" axis ", keepdims=True)); " \
  "t / sum(t, axis=" axis ", keepdims=True)"

#define DOWN "t = exp(a - max(a, axis=-2, keepdims=True)); t / sum(t, axis=-2, keepdims=True)"

static inline int fits(const ga_stage *st)
{
  const unsigned char align[64] = {0};
  ga_layout l;
  OK(ga_layout_make(&l, st));
  int is = ga_gen_chain_fits(st, &l, align, &target);
  ga_layout_clear(&l);
  return is;
}

/* What runs in stage k's place: a chain, if it fits, NULL after its first member. */
static inline const ga_stage *step_at(const ga_program *p, unsigned int k)
{
  for (unsigned int c = 0; c < p->nchain; c++)
    for (unsigned int i = 0; i < p->chains[c].nmember; i++)
      if (p->chains[c].members[i] == k && fits(&p->chains[c].stage))
        return i == 0 ? &p->chains[c].stage : NULL;
  return &p->stages[k];
}

static inline void run_kernels(const ga_program *p, char *const *mem, const ga_value *given,
                               int reverse)
{
  ga_value numbers[16];
  char *base[HOST_OPERANDS];
  for (unsigned int k = 0; k < p->nstage; k++) {
    const ga_stage *st = step_at(p, k);
    if (st == NULL) continue;
    aim_stage(p, st, mem, base, given, numbers);
    host_kernel_run(st, base, numbers, &target, reverse, NULL);
  }
}

/* A chain, which must fit or may not, and its stages. */
static inline void check_one(gpucontext *ctx, const twin *w, const char *spec, int must,
                             int reverse)
{
  ga_value given[MAXBIND] = {{{0}}}, numbers[16];
  char *mem[2][HOST_OPERANDS], *base[HOST_OPERANDS];
  const twin named = {w->text, spec};
  binding b;
  ga_program *p = program_of(w->text, spec);
  binding_read(&b, spec);
  give_numbers(given, &b);
  make_slots(p, mem);
  ck_assert_msg(p->nchain > 0, "%s (%s): no chain", w->text, spec);
  ck_assert_msg(!must || fits(&p->chains[0].stage), "%s (%s) does not fit", w->text, spec);
  for (unsigned int k = 0; k < p->nstage; k++) {
    aim_stage(p, &p->stages[k], mem[0], base, given, numbers);
    interpret(ctx, &p->stages[k], base, numbers);
  }
  run_kernels(p, mem[1], given, reverse);
  for (unsigned int s = 0; s < p->nslot; s++) {
    if (p->slots[s].kind != GA_SLOT_TEMP) same(&named, s, &p->slots[s], mem[0][s], mem[1][s]);
    free(mem[0][s]);
    free(mem[1][s]);
  }
  ga_program_free(p);
}

/* The same of a text by itself, with other values for each `order`. Nothing is done where there is
 * no C++ compiler. */
static inline void check_chain(const twin *w, int must, int order)
{
  gpucontext *ctx;
  if (!host_kernel_available()) return;
  OK(gpucontext_init(&ctx, "cpu", NULL));
  seed = (uint32_t)order + 1;
  check_one(ctx, w, w->spec, must, order % 2);
  gpucontext_deref(ctx);
}

#endif
