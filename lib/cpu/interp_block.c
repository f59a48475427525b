/* SPDX-License-Identifier: MIT */
/* One block of a stage's code: each load is bound to the array's own memory
 * where the block's elements lie there without gaps, else gathered into its
 * register or, if nothing else is done with it, the output; the instructions
 * run; what was not computed in place is put there. */
#include <string.h>

#include "interp.h"

/* ---- frames -------------------------------------------------------------------- */

static size_t round_up(size_t n) { return (n + 63) & ~(size_t)63; }

size_t ga_frame_size(const ga_code *c)
{
  return 64 + round_up(2 * c->nplace * sizeof(void *)) + round_up(c->bytes);
}

/* Fills the numbers' registers. `filled`: elements that the last run of the same
 * code filled, kept in the frame's memory between runs. */
static void fill_numbers(ga_frame *f, size_t *filled, int same, const ga_value *params, size_t n)
{
  const ga_code *c = f->code;
  if (n > c->block) n = c->block;
  if (!same) *filled = 0;
  for (unsigned int i = 0; i < c->nconst; i++) {
    const ga_const *k = &c->consts[i];
    void *reg = f->buf[k->place];
    if (k->alone) {
      memcpy(reg, params[k->param].bytes, k->size);
      continue;
    }
    if (*filled >= n && memcmp(reg, params[k->param].bytes, k->size) == 0) continue;
    ga_cpu_fill(k->size, n > *filled ? n : *filled, reg, params[k->param].bytes);
  }
  if (n > *filled) *filled = n;
}

void ga_frame_init(ga_frame *f, const ga_code *c, void *mem, int same, void *const *addr,
                   const ga_value *params, size_t n)
{
  char *p = (char *)mem + 64;
  *f = (ga_frame){.code = c, .addr = addr};
  f->buf = (void **)p;
  f->at = (const void **)p + c->nplace;
  p += round_up(2 * c->nplace * sizeof(void *));
  for (unsigned int i = 0; i < c->nplace; i++) {
    f->buf[i] = c->reg[i] == (size_t)-1 ? NULL : p + c->reg[i];
    f->at[i] = f->buf[i];
  }
  fill_numbers(f, mem, same, params, n);
}

void ga_code_position(const ga_code *c, size_t *pos, uint64_t i)
{
  if (c->nd == 0) return;
  for (unsigned int k = c->nd - 1; k > 0; k--) {
    pos[k] = (size_t)(i % c->dims[k]);
    i /= c->dims[k];
  }
  pos[0] = (size_t)i;
}

/* ---- ranges -------------------------------------------------------------------- */

uintptr_t ga_frame_address(const ga_frame *f, const ga_access *a, const size_t *pos)
{
  uintptr_t p = a->operand < 0 ? (uintptr_t)a->base : (uintptr_t)f->addr[a->operand];
  for (unsigned int k = 0; k < f->code->nall; k++)
    p += (uintptr_t)pos[k] * (uintptr_t)a->strides[k];
  return p;
}

/* Whether the n elements from `pos` lie without gaps. */
static int gapless(const ga_code *c, const ga_access *a, const size_t *pos, size_t n)
{
  size_t before = 0;
  for (unsigned int k = a->contig; k < c->nd; k++) before += pos[k] * c->inner[k];
  return before + n <= a->run;
}

/* n1 x n0 elements between an array and a register. */
static void move_box(const ga_access *a, int put, uintptr_t at, size_t n1, ssize_t s1, size_t n0,
                     ssize_t s0, char *reg)
{
  ssize_t size = (ssize_t)a->size, pitch = (ssize_t)n0 * size;
  if (put)
    ga_cpu_move(a->size, n1, n0, (void *)at, s1, s0, reg, pitch, size);
  else if (a->operand >= 0)
    ga_cpu_move(a->size, n1, n0, reg, pitch, size, (const void *)at, s1, s0);
  else
    for (size_t i = 0; i < n1; i++, reg += pitch, at += (uintptr_t)s1)
      ga_cpu_iota(n0, (int64_t *)reg, (int64_t)at, s0);
}

/* Moves on by `n` steps of axis k, which stay within the axis. */
static void step_on(const ga_code *c, size_t *pos, unsigned int k, size_t n)
{
  pos[k] += n;
  while (k > 0 && pos[k] == c->dims[k]) {
    pos[k] = 0;
    pos[--k]++;
  }
}

/* The range piece by piece: a part of an innermost row, or several whole ones. */
static void move_range(const ga_frame *f, const ga_access *a, int put, const ga_block *b, char *reg)
{
  const ga_code *c = f->code;
  size_t pos[GA_MAXND], n = b->n;
  if (c->nd == 0) {
    move_box(a, put, ga_frame_address(f, a, b->pos), 1, 0, 1, 0, reg);
    return;
  }
  unsigned int k = c->nd - 1;
  memcpy(pos, b->pos, c->nall * sizeof *pos);
  while (n > 0) {
    uintptr_t at = ga_frame_address(f, a, pos);
    size_t left = c->dims[k] - pos[k], moved = n < left ? n : left;
    if (k > 0 && pos[k] == 0 && n >= 2 * left) {
      size_t rows = n / left, most = c->dims[k - 1] - pos[k - 1];
      if (rows > most) rows = most;
      moved = rows * left;
      move_box(a, put, at, rows, a->strides[k - 1], left, a->strides[k], reg);
      step_on(c, pos, k - 1, rows);
    } else {
      move_box(a, put, at, 1, 0, moved, a->strides[k], reg);
      step_on(c, pos, k, moved);
    }
    n -= moved;
    reg += moved * a->size;
  }
}

/* ---- loads and puts ---------------------------------------------------------------- */

/* A box's elements lie without gaps. */
static int gapless_box(const ga_access *a, const ga_block *b)
{
  size_t cols = b->n / b->rows;
  return a->strides[b->col_axis] == (ssize_t)a->size &&
         (b->rows == 1 || a->strides[b->row_axis] == (ssize_t)(cols * a->size));
}

/* Where the block lies without gaps in the operand's memory, else NULL. */
static void *in_place(const ga_frame *f, const ga_access *a, const ga_block *b)
{
  if (a->operand < 0) return NULL;
  if (b->rows > 0 ? !gapless_box(a, b) : !gapless(f->code, a, b->pos, b->n)) return NULL;
  return (void *)ga_frame_address(f, a, b->pos);
}

static void move_block(const ga_frame *f, const ga_access *a, int put, const ga_block *b, void *reg)
{
  if (b->rows == 0)
    move_range(f, a, put, b, reg);
  else
    move_box(a, put, ga_frame_address(f, a, b->pos), b->rows, a->strides[b->row_axis],
             b->n / b->rows, a->strides[b->col_axis], reg);
}

void *ga_frame_target(const ga_frame *f, unsigned int place, const ga_block *b)
{
  const ga_code *c = f->code;
  int alone = c->ninstr == 0 && c->nput == 1 && c->puts[0].to.place == place;
  return alone && !f->stream ? in_place(f, &c->puts[0].to, b) : NULL;
}

/* Asks for the lines of `n` bytes that are about to be written: a core has few lines on their way
 * to stores. GCC leaves out a function that does nothing but __builtin_prefetch. */
static void own_lines(const ga_frame *f, const char *to, size_t n)
{
#if defined(__x86_64__)
  if (!f->own || to == NULL) return;
  for (size_t at = 0; at < n; at += 64) __asm__ volatile("prefetchw %0" ::"m"(to[at]));
#else
  (void)f, (void)to, (void)n;
#endif
}

static void load(ga_frame *f, const ga_access *a, const ga_block *b)
{
  if (a->turned || (a->once && b->n <= f->once)) return;
  void *p = a->alone ? (void *)ga_frame_address(f, a, b->pos) : in_place(f, a, b);
  if (p == NULL) {
    if (!a->once) p = ga_frame_target(f, a->place, b);
    if (p == NULL) p = f->buf[a->place];
    move_block(f, a, 0, b, p);
  }
  f->at[a->place] = p;
}

/* Where a value to be stored is computed: in the array, if it may. */
static void aim(ga_frame *f, const ga_put *p, const ga_block *b)
{
  if (!p->direct) return;
  void *to = f->stream ? NULL : in_place(f, &p->to, b);
  own_lines(f, to, b->n * p->to.size);
  f->at[p->to.place] = to != NULL ? to : f->buf[p->to.place];
}

static void put(const ga_frame *f, const ga_put *p, const ga_block *b)
{
  const void *from = f->at[p->to.place];
  void *to = in_place(f, &p->to, b);
  if (to == NULL)
    move_block(f, &p->to, 1, b, (void *)(uintptr_t)from);
  else if (to != from && f->stream)
    ga_cpu_stream(to, from, b->n * p->to.size);
  else if (to != from)
    memmove(to, from, b->n * p->to.size);
}

void ga_frame_prefetch(const ga_frame *f, const ga_block *b, size_t rows, unsigned int axis)
{
  for (unsigned int i = 0; i < f->code->nload; i++) {
    const ga_access *a = &f->code->loads[i];
    const char *p = a->once || a->turned ? NULL : in_place(f, a, b);
    for (size_t r = 0; p != NULL && r < rows; r++, p += a->strides[axis])
      for (size_t at = 0; at < b->n * a->size; at += 64) __builtin_prefetch(p + at, 0, 2);
  }
}

void ga_frame_aim(ga_frame *f, unsigned int place, void *to)
{
  if (f->code->fixed[place]) return;
  f->buf[place] = to;
  f->at[place] = to;
}

/* Asks for what follows the block where it is read in place. A processor reads several
 * pages at once much faster than one after the other, and so the lines of a page are
 * asked for little by little, over the eight pages before it: while line 8j + d of a page
 * is read, line 8(7 - d) + j of the page 1 + d further on is asked for, which meets every
 * line once. */
static void ask_on(const ga_frame *f, size_t n)
{
  enum { LINE = 64, GROUP = 8 * LINE, PAGE = 8 * GROUP, LONG = 16 * PAGE };
  for (unsigned int i = 0; i < f->code->nload; i++) {
    const ga_access *a = &f->code->loads[i];
    if (a->once || a->turned || f->at[a->place] == f->buf[a->place]) continue;
    if (f->far == GA_FAR_RUNS && a->run * a->size < LONG) continue;
    uintptr_t p = (uintptr_t)f->at[a->place], end = p + n * a->size;
    for (p = (p + GROUP - 1) & ~(uintptr_t)(GROUP - 1); p < end; p += GROUP) {
      const char *q = (const char *)((p & ~(uintptr_t)(PAGE - 1)) + p % PAGE / GROUP * LINE);
      for (size_t d = 0; d < 8; d++) __builtin_prefetch(q + (1 + d) * PAGE + (7 - d) * GROUP, 0, 2);
    }
  }
}

void ga_frame_eval(ga_frame *f, const ga_block *b)
{
  const ga_code *c = f->code;
  for (unsigned int i = 0; i < c->nload; i++) load(f, &c->loads[i], b);
  if (b->n > f->once) f->once = b->n;
  if (f->far && ga_cpu_asks()) ask_on(f, b->n);
  for (unsigned int i = 0; i < c->nput; i++) aim(f, &c->puts[i], b);
  for (unsigned int i = 0; i < c->ninstr; i++) {
    const ga_instr *in = &c->instrs[i];
    if (in->only & f->skip) continue;
    const void *src[GA_STEPS + 1];
    void *dst = (void *)(uintptr_t)f->at[in->dst];
    for (unsigned int k = 0; k < in->nsrc; k++) src[k] = f->at[in->src[k]];
    if (in->fn != NULL)
      in->fn(b->n, dst, src);
    else
      in->run(b->n, dst, src, in->nsrc - 1, in->step);
  }
  for (unsigned int i = 0; i < c->nput; i++) put(f, &c->puts[i], b);
}
