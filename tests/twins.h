/* SPDX-License-Identifier: MIT */
/* Two ways of running a program's stages side by side: memory of chance for its
 * slots, the interpreter's way, and a comparison to the bit (any NaN is any other). */
#ifndef TESTS_TWINS_H
#define TESTS_TWINS_H

#include <sys/mman.h>
#include <unistd.h>

#include "codegen/gen.h"
#include "gpuarray/buffer.h"
#include "lib/backend.h"
#include "tests/host_kernel.h"
#include "tests/program.h"

typedef struct twin {
  const char *text, *spec;
} twin;

/* Of two multiprocessors, and of an H200's. */
static const ga_target small_card = {2, 64 * 1024, 0, 0, 0};
static const ga_target large_card = {132, 227 * 1024, 0, 0, 0};

static uint32_t seed;
static size_t shift; /* bytes from a slot's memory to its array */
static int fenced;   /* kernels may touch no aligned 16 bytes behind a slot's last */

static inline uint32_t rnd(void)
{
  seed = seed * 1664525 + 1013904223;
  return seed >> 8;
}

/* One element of small, mostly ordinary values. */
static inline void fill_one(char *p, enum ga_dtype t)
{
  double x = (double)(int)(rnd() % 20001) / 100 - 100;
  float f = (float)x;
  uint32_t u;
  int64_t i = (int64_t)x;
  memcpy(&u, &f, 4);
  switch (t) {
  case GA_DT_BOOL: *p = (char)(rnd() & 1); break;
  case GA_DT_FLOAT32: memcpy(p, &f, 4); break;
  case GA_DT_FLOAT64: memcpy(p, &x, 8); break;
  case GA_DT_BFLOAT16: u >>= 16, memcpy(p, &u, 2); break;
  case GA_DT_FLOAT16: /* by the bits: normal, of moderate size */
    u = (rnd() & 0x83ff) | (13 + rnd() % 5) << 10;
    memcpy(p, &u, 2);
    break;
  case GA_DT_COMPLEX64:
  case GA_DT_COMPLEX128: {
    size_t half = ga_dtypes[t].size / 2u;
    fill_one(p, half == 4 ? GA_DT_FLOAT32 : GA_DT_FLOAT64);
    fill_one(p + half, half == 4 ? GA_DT_FLOAT32 : GA_DT_FLOAT64);
    break;
  }
  default: memcpy(p, &i, ga_dtypes[t].size);
  }
}

static inline size_t elements(const ga_slot *s)
{
  size_t n = 1;
  for (unsigned int k = 0; k < s->nd; k++) n *= s->dims[k];
  return n;
}

/* A NaN of dtype t at p. */
static inline int is_nan(const char *p, enum ga_dtype t)
{
  float f = 0;
  double d = 0;
  uint16_t h;
  uint32_t u;
  memcpy(&h, p, 2);
  switch (t) {
  case GA_DT_FLOAT32: memcpy(&f, p, 4); return f != f;
  case GA_DT_FLOAT64: memcpy(&d, p, 8); return d != d;
  case GA_DT_FLOAT16: return (h & 0x7fff) > 0x7c00;
  case GA_DT_BFLOAT16: u = (uint32_t)h << 16, memcpy(&f, &u, 4); return f != f;
  default: return 0;
  }
}

static inline void same(const twin *w, unsigned int slot, const ga_slot *s, const char *a,
                        const char *b)
{
  enum ga_dtype t = s->dtype;
  size_t n = elements(s);
  if (ga_dtypes[t].kind == 'c') {
    t = t == GA_DT_COMPLEX64 ? GA_DT_FLOAT32 : GA_DT_FLOAT64;
    n *= 2;
  }
  size_t size = ga_dtypes[t].size;
  for (size_t i = 0; i < n; i++)
    if (memcmp(a + i * size, b + i * size, size) != 0 &&
        !(is_nan(a + i * size, t) && is_nan(b + i * size, t))) {
      uint64_t x = 0, y = 0;
      memcpy(&x, a + i * size, size);
      memcpy(&y, b + i * size, size);
      ck_abort_msg("%s (%s): slot %u, element %zu: interpreted %llx, kernel %llx", w->text, w->spec,
                   slot, i, (unsigned long long)x, (unsigned long long)y);
    }
}

static inline void interpret(gpucontext *ctx, const ga_stage *st, char *const *base,
                             const ga_value *numbers)
{
  ga_layout l;
  void *exec, *addr[HOST_OPERANDS];
  OK(ga_layout_make(&l, st));
  if (l.kept != 0) {
    for (unsigned int i = 0; i < st->noperand; i++)
      addr[i] = base[i] + st->operands[i].offset + l.offset[i];
    OK(ctx->backend->stage_new(&exec, ctx, st, &l));
    OK(ctx->backend->stage_run(exec, ctx, addr, numbers));
    ctx->backend->stage_free(exec);
  }
  ga_layout_clear(&l);
}

/* Numbers for a text's names: 3 for ints, 1.75 for floats. */
static inline void give_numbers(ga_value *given, const binding *b)
{
  for (unsigned int i = 0; i < b->n; i++)
    if (b->binds[i].kind == GA_BIND_WEAK_INT)
      given[i].i = 3;
    else if (b->binds[i].kind == GA_BIND_WEAK_FLOAT)
      given[i].d = 1.75;
}

/* `size` bytes, behind whose last 16 memory ends; they are never given back. */
static inline char *before_fence(size_t size)
{
  size_t page = (size_t)sysconf(_SC_PAGESIZE), all = (size + 15) / 16 * 16;
  size_t room = (all + page - 1) / page * page;
  char *p = mmap(NULL, room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ck_assert_ptr_ne(p, MAP_FAILED);
  ck_assert_int_eq(mprotect(p + room, page, PROT_NONE), 0);
  return p + (room - all);
}

/* mem[d][s]: slot s of the d-th way, equal for both. */
static inline void make_slots(const ga_program *p, char *(*mem)[HOST_OPERANDS])
{
  for (unsigned int s = 0; s < p->nslot; s++) {
    size_t size = ga_dtypes[p->slots[s].dtype].size, n = elements(&p->slots[s]);
    for (int d = 0; d < 2; d++)
      if (d == 1 && fenced)
        mem[d][s] = before_fence(n * size);
      else {
        ck_assert_int_eq(posix_memalign((void **)&mem[d][s], 64, n * size + 64), 0);
        memset(mem[d][s] + n * size, 0, 64); /* where a shifted array ends */
      }
    for (size_t i = 0; i < n; i++) fill_one(mem[0][s] + i * size, p->slots[s].dtype);
    memcpy(mem[1][s], mem[0][s], n * size);
  }
}

/* Where a stage's operands begin, and its numbers. */
static inline void aim_stage(const ga_program *p, const ga_stage *st, char *const *mem, char **base,
                             const ga_value *given, ga_value *numbers)
{
  for (unsigned int i = 0; i < st->nparam; i++)
    OK(ga_param_value(&numbers[i], p, &st->params[i], given));
  for (unsigned int i = 0; i < st->noperand; i++) base[i] = mem[st->operands[i].slot] + shift;
}

/* A text's stages, interpreted and as kernels of `target` run on the host: all slots are the same
 * to the bit. Nothing is done where there is no C++ compiler. */
static inline void compare(const twin *w, const ga_target *target, int order)
{
  ga_value given[MAXBIND] = {{{0}}}, numbers[16];
  char *mem[2][HOST_OPERANDS], *base[2][HOST_OPERANDS];
  binding b;
  gpucontext *ctx;
  ga_program *p;
  if (!host_kernel_available()) return;
  OK(gpucontext_init(&ctx, "cpu", NULL));
  p = program_of(w->text, w->spec);
  binding_read(&b, w->spec);
  seed = (uint32_t)order + 1;
  give_numbers(given, &b);
  make_slots(p, mem);
  for (unsigned int k = 0; k < p->nstage; k++) {
    const ga_stage *st = &p->stages[k];
    for (int d = 0; d < 2; d++) aim_stage(p, st, mem[d], base[d], given, numbers);
    interpret(ctx, st, base[0], numbers);
    host_kernel_run(st, base[1], numbers, target, order % 2, NULL);
  }
  for (unsigned int s = 0; s < p->nslot; s++) {
    same(w, s, &p->slots[s], mem[0][s] + shift, mem[1][s] + shift);
    free(mem[0][s]);
    if (!fenced) free(mem[1][s]);
  }
  ga_program_free(p);
  gpucontext_deref(ctx);
}

/* Stages of the program whose kernels for `target` have that skeleton. */
static inline unsigned int stages_with(const ga_program *p, enum ga_skeleton skeleton,
                                       const ga_target *target)
{
  const unsigned char align[64] = {0};
  unsigned int n = 0;
  for (unsigned int k = 0; k < p->nstage; k++) {
    ga_layout l;
    ga_variant v;
    OK(ga_layout_make(&l, &p->stages[k]));
    OK(ga_variant_choose(&v, &p->stages[k], &l, align, target));
    n += v.skeleton == skeleton;
    ga_layout_clear(&l);
  }
  return n;
}

#endif
