/* SPDX-License-Identifier: MIT */
/* A stage run by the CPU device's interpreter with several thread counts, against the
 * reference of cpu_stage.h: the same bits, and nothing else written. */
#ifndef TESTS_INTERP_CASE_H
#define TESTS_INTERP_CASE_H

#include "tests/common.h"

#include "lib/cpu/cpu.h"
#include "lib/util/pool.h"
#include "tests/cpu_stage.h"

/* Numbers of elements, and of rows and columns, around those of blocks, chunks and vectors. */
static const size_t sizes[] = {0, 1, 2, 31, 33, 255, 1023, 1024, 1025, 3001, 4097, 65537, 1000003};
enum { NSIZES = sizeof sizes / sizeof *sizes };

static const size_t shapes[][2] = {{3, 1000},   {1000, 3},   {33, 31},    {1, 5000},   {5000, 1},
                                   {1025, 257}, {257, 1025}, {40, 4097},  {4097, 40},  {20000, 32},
                                   {32, 20000}, {300, 2100}, {2100, 300}, {5, 0},      {0, 5},
                                   {1500, 16},  {1023, 64},  {129, 128},  {128, 1024}, {131, 1},
                                   {65, 2},     {3000, 2}};
enum { NSHAPES = sizeof shapes / sizeof *shapes };

/* Equal bytes, or both NaN: NaN's sign and payload are not promised. */
static inline int same(enum ga_dtype t, const unsigned char *a, const unsigned char *b)
{
  size_t size = ga_dtypes[t].size, parts = ga_dtypes[t].kind == 'c' ? 2 : 1;
  enum ga_dtype pt = part_dtype(t);
  if (memcmp(a, b, size) == 0) return 1;
  for (size_t i = 0; i < parts; i++, a += size / parts, b += size / parts) {
    double x, y;
    const void *pa[] = {a}, *pb[] = {b};
    if (memcmp(a, b, size / parts) == 0) continue;
    ga_cpu_cast(pt, GA_DT_FLOAT64)(1, &x, pa);
    ga_cpu_cast(pt, GA_DT_FLOAT64)(1, &y, pb);
    if (x == x || y == y) return 0;
  }
  return 1;
}

static inline void describe(const stage_case *c, char *s, size_t n)
{
  size_t at = (size_t)snprintf(s, n, "class %d, dims", c->l.cls);
  for (unsigned int k = 0; k < c->st.nd; k++)
    at += (size_t)snprintf(s + at, n - at, " %zu%s", c->st.dims[k], c->st.reduced[k] ? "r" : "");
  for (unsigned int i = 0; i < c->st.nreduction; i++)
    at += (size_t)snprintf(s + at, n - at, ", reduce %d of %s", c->reductions[i].op,
                           ga_dtypes[c->reductions[i].acc].name);
}

/* Memory after a run equals the reference's, byte by byte outside NaNs. */
static inline void compare(const stage_case *c, unsigned char *const *got, const char *how)
{
  char what[512];
  for (unsigned int i = 0; i < c->st.noperand; i++) {
    enum ga_dtype t = c->operands[i].dtype;
    size_t size = ga_dtypes[t].size;
    if (c->alias[i] >= 0 || memcmp(got[i], c->want[i], c->bytes[i]) == 0) continue;
    for (size_t at = c->base[i] % size; at + size <= c->bytes[i]; at += size)
      if (!same(t, got[i] + at, c->want[i] + at)) {
        describe(c, what, sizeof what);
        ck_abort_msg("%s: %s: operand %u (%s) differs at byte %zd of its first element", how, what,
                     i, ga_dtypes[t].name, (ssize_t)at - (ssize_t)c->base[i]);
      }
  }
}

static inline void run_once_with(const stage_case *c, void *exec)
{
  unsigned char *got[MAX_OPERANDS] = {NULL};
  void *addr[MAX_OPERANDS];
  char how[64];
  for (unsigned int i = 0; i < c->st.noperand; i++) {
    if (c->alias[i] >= 0) continue;
    got[i] = malloc(c->bytes[i]);
    ck_assert_ptr_nonnull(got[i]);
    memcpy(got[i], c->mem[i], c->bytes[i]);
  }
  for (unsigned int i = 0; i < c->st.noperand; i++) addr[i] = operand_at(got, c, (int)i);
  OK(ga_cpu_stage_run(exec, NULL, addr, c->values));
  snprintf(how, sizeof how, "%u threads", ga_pool_threads());
  compare(c, got, how);
  for (unsigned int i = 0; i < c->st.noperand; i++) free(got[i]);
}

/* Computes the reference, compiles the stage, runs with every thread count. */
static inline void check_ready(stage_case *c)
{
  static const unsigned int thread_counts[] = {1, 2, 3, 8};
  void *exec;
  case_reference(c);
  OK(ga_cpu_stage_new(&exec, NULL, &c->st, &c->l));
  for (size_t i = 0; i < sizeof thread_counts / sizeof *thread_counts; i++) {
    ga_pool_limit(thread_counts[i]);
    run_once_with(c, exec);
  }
  ga_cpu_stage_free(exec);
  case_end(c);
}

static inline void check_case(stage_case *c)
{
  OK(case_ready(c));
  check_ready(c);
}

#endif
