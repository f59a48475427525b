/* SPDX-License-Identifier: MIT */
/* Reductions that no order changes (lib/cpu/rake.c, tree_free.c) against one join after another, on
 * every instruction set: trees, sums of narrow integers, finds, rakes of any
 * number of rows and columns; NaN, zeros of both signs and many equal values among them. */
#include <math.h>
#include <stdio.h>

#include "codegen/oploops.h"
#include "tests/common.h"
#include "tests/scalar_data.h"

enum { CHUNK = 1024, ROOM = CHUNK * 16 + 64 };

static _Alignas(64) char values[ROOM], acc[2][ROOM], want[2][ROOM];

/* Few different values, so that most are met again; of floats some are NaN. */
static void fill(enum ga_dtype t, uint64_t *state, unsigned int kinds)
{
  static char some[16 * 16];
  size_t size = ga_dtypes[t].size;
  put_elements(t, some, 16, state);
  for (size_t i = 0; i < CHUNK; i++)
    memcpy(values + 1 + i * size, some + next_random(state) % kinds * size, size);
}

/* dst = the join of dst and src of a reduction, by its combine. */
static void join(const ga_loops *l, enum ga_reduce_op op, enum ga_dtype t, void *value,
                 int64_t *index, const void *src, int64_t at)
{
  void *to[] = {value, index};
  const void *left[] = {value, index}, *right[] = {src, &at};
  l->combine[t][op](1, to, left, right);
}

static int is_arg(enum ga_reduce_op op) { return op == GA_REDUCE_argmin || op == GA_REDUCE_argmax; }

START_TEST(free_trees_are_the_trees)
{
  const ga_loops *l = ga_cpu_loops((enum ga_cpu_isa)_i);
  uint64_t state = 3;
  if (l == NULL) return;
  for (int t = 0; t < GA_NDTYPE; t++)
    for (int op = 0; op < GA_NREDUCE; op++)
      for (size_t n = 1; l->free_tree[t][op] && n <= CHUNK; n += n < 200 ? 1 : 103) {
        void *got[] = {acc[0]}, *to[] = {want[0]};
        const void *src[] = {values + 1};
        fill((enum ga_dtype)t, &state, 1 + n % 16);
        l->free_tree[t][op](n, got, src);
        l->tree[t][op](n, to, src);
        EXPECT(same_element((enum ga_dtype)t, acc[0], want[0]), "%s: reduction %d of %zu %s",
               l->name, op, n, ga_dtypes[t].name);
      }
}
END_TEST

/* The parts of a complex number are equal to those of another; -0 is 0. */
static int same_complex(enum ga_dtype t, const void *a, const void *b)
{
  double x[2], y[2];
  for (int k = 0; k < 2; k++)
    if (t == GA_DT_COMPLEX64) {
      x[k] = ((const float *)a)[k];
      y[k] = ((const float *)b)[k];
    } else {
      x[k] = ((const double *)a)[k];
      y[k] = ((const double *)b)[k];
    }
  int nan = isnan(x[0]) || isnan(x[1]);
  return nan == (isnan(y[0]) || isnan(y[1])) && (nan || (x[0] == y[0] && x[1] == y[1]));
}

START_TEST(leads_are_extremes)
{
  const ga_loops *l = ga_cpu_loops((enum ga_cpu_isa)_i);
  uint64_t state = 5;
  if (l == NULL) return;
  for (int t = GA_DT_COMPLEX64; t <= GA_DT_COMPLEX128; t++)
    for (int op = GA_REDUCE_min; op <= GA_REDUCE_max; op++)
      for (size_t n = 1; n <= CHUNK; n++) {
        void *got[] = {acc[0]}, *to[] = {want[0]};
        const void *src[] = {values + 1};
        fill((enum ga_dtype)t, &state, 1 + n % 16);
        l->lead[t][op](n, got, src);
        l->tree[t][op](n, to, src);
        EXPECT(same_complex((enum ga_dtype)t, acc[0], want[0]), "%s: reduction %d of %zu %s",
               l->name, op, n, ga_dtypes[t].name);
      }
}
END_TEST

/* Two values, at random places, of those whose order is not that of their bits. */
START_TEST(extremes_of_zeros_infinities_and_nan_are_the_trees)
{
  static const double some[] = {0.0, -0.0, 1, -1, INFINITY, -INFINITY, NAN};
  enum { KINDS = sizeof some / sizeof *some };
  static const enum ga_dtype dtypes[] = {GA_DT_FLOAT32, GA_DT_FLOAT64};
  const ga_loops *l = ga_cpu_loops((enum ga_cpu_isa)_i);
  uint64_t state = 9;
  for (unsigned int k = 0; l && k < 2 * KINDS * KINDS; k++)
    for (size_t n = 120; n <= CHUNK; n += 113) {
      enum ga_dtype t = dtypes[k % 2];
      const double pair[] = {some[k / 2 % KINDS], some[k / 2 / KINDS]};
      void *got[] = {acc[0]}, *to[] = {want[0]};
      const void *src[] = {values};
      for (size_t i = 0; i < n; i++) {
        double x = pair[next_random(&state) % 7 == 0];
        if (k % 2)
          ((double *)values)[i] = x;
        else
          ((float *)values)[i] = (float)x;
      }
      for (int op = GA_REDUCE_min; op <= GA_REDUCE_max; op++) {
        l->free_tree[t][op](n, got, src);
        l->tree[t][op](n, to, src);
        EXPECT(same_element(t, acc[0], want[0]), "%s: %s of %zu %s, %g and %g", l->name,
               op == GA_REDUCE_min ? "min" : "max", n, ga_dtypes[t].name, pair[0], pair[1]);
      }
    }
}
END_TEST

START_TEST(wide_sums_are_sums_of_casts)
{
  const ga_loops *l = ga_cpu_loops((enum ga_cpu_isa)_i);
  uint64_t state = 4;
  if (l == NULL) return;
  for (int t = 0; t < GA_NDTYPE; t++)
    for (size_t n = 1; l->wide[t] && n <= CHUNK; n += n < 200 ? 1 : 103) {
      int64_t sum, expected = 0;
      void *to[] = {&sum};
      const void *src[] = {values + 1};
      put_elements((enum ga_dtype)t, values + 1, CHUNK, &state);
      if (n == CHUNK) memset(values + 1, t == GA_DT_BOOL ? 1 : n & 1 ? 0x80 : 0xff, ROOM - 1);
      l->wide[t](n, to, src);
      for (size_t i = 0; i < n; i++) {
        int64_t v;
        const void *from[] = {values + 1 + i * ga_dtypes[t].size};
        ga_cpu_cast_in(l, (enum ga_dtype)t, GA_DT_INT64)(1, &v, from);
        expected += v;
      }
      EXPECT(sum == expected, "%s: %zu of %s: %lld, not %lld", l->name, n, ga_dtypes[t].name,
             (long long)sum, (long long)expected);
    }
}
END_TEST

START_TEST(finds_give_what_argmin_and_argmax_give)
{
  const ga_loops *l = ga_cpu_loops((enum ga_cpu_isa)_i);
  uint64_t state = 5;
  if (l == NULL) return;
  for (int t = 0; t < GA_NDTYPE; t++)
    for (int op = GA_REDUCE_argmin; op <= GA_REDUCE_argmax; op++)
      for (size_t n = 1, last = 0; n <= CHUNK; n += !last ? 0 : n < 150 ? 1 : 97, last = !last) {
        size_t size = ga_dtypes[t].size, at;
        int64_t index = last ? (int64_t)n - 1 : 0; /* which falls, or rises */
        void *to[] = {acc[0]};
        const void *src[] = {values + 1};
        enum ga_reduce_op extreme = op == GA_REDUCE_argmin ? GA_REDUCE_min : GA_REDUCE_max;
        fill((enum ga_dtype)t, &state, 1 + n % 16);
        memcpy(want[0], values + 1, size);
        for (size_t i = 1; i < n; i++)
          join(l, (enum ga_reduce_op)op, (enum ga_dtype)t, want[0], &index, values + 1 + i * size,
               (int64_t)(last ? n - 1 - i : i));
        ga_cpu_tree_in(l, extreme, (enum ga_dtype)t)(n, to, src);
        at = (last ? l->find_last : l->find)[t](n, values + 1, acc[0]);
        EXPECT((last ? n - 1 - at : at) == (size_t)index,
               "%s: reduction %d of %zu %s: at %zu, not %lld%s", l->name, op, n, ga_dtypes[t].name,
               at, (long long)index, last ? " from the end" : "");
      }
}
END_TEST

/* What a rake gives for column c of `rows` rows. */
static void check_column(const ga_loops *l, enum ga_reduce_op op, enum ga_dtype t,
                         enum ga_dtype raked, size_t rows, size_t cols, size_t c)
{
  size_t size = ga_dtypes[t].size;
  int wide = raked != t;
  int64_t index = 0, sum = 0, got = 0;
  memcpy(want[0], values + 1 + c * size, size);
  for (size_t r = 0; r < rows; r++) {
    const void *at[] = {values + 1 + (r * cols + c) * size};
    int64_t v;
    ga_cpu_cast_in(l, t, GA_DT_INT64)(1, &v, at);
    sum = (int64_t)((uint64_t)sum + (uint64_t)v); /* wraps */
    if (r > 0 && !wide) join(l, op, t, want[0], &index, at[0], (int64_t)r);
  }
  const char *p = acc[0] + 1 + c * ga_dtypes[raked].size;
  const void *from[] = {p};
  ga_cpu_cast_in(l, raked, GA_DT_INT64)(1, &got, from);
  EXPECT(wide ? got == sum : same_element(t, p, want[0]), "%s: reduction %d of %s, %zux%zu: %zu",
         l->name, op, ga_dtypes[t].name, rows, cols, c);
  EXPECT(!is_arg(op) || ((int32_t *)acc[1])[c] == index,
         "%s: reduction %d of %s, %zux%zu: column "
         "%zu from row %d, not %lld",
         l->name, op, ga_dtypes[t].name, rows, cols, c, (int)((int32_t *)acc[1])[c],
         (long long)index);
}

/* All rows, in two parts. */
static void check_rake(const ga_loops *l, enum ga_reduce_op op, enum ga_dtype t, size_t rows,
                       size_t cols, size_t part)
{
  enum ga_dtype raked = t;
  void *to[] = {acc[0] + 1, acc[1]};
  if (op == GA_REDUCE_sum && l->wide[t]) (void)ga_cpu_rake(op, t, &raked);
  memset(acc, 0x5a, sizeof acc);
  l->rake[t][op](part, cols, to, values + 1, 0);
  if (part < rows)
    l->rake[t][op](rows - part, cols, to, values + 1 + part * cols * ga_dtypes[t].size, part);
  for (size_t c = 0; c < cols; c++) check_column(l, op, t, raked, rows, cols, c);
  EXPECT(acc[0][1 + cols * ga_dtypes[raked].size] == 0x5a,
         "%s: reduction %d of %s wrote past %zu "
         "columns",
         l->name, op, ga_dtypes[t].name, cols);
}

START_TEST(rakes_join_rows)
{
  static const size_t shapes[][2] = {{1, 1},   {1, 33},  {2, 7},   {3, 64},  {5, 65},
                                     {8, 100}, {9, 31},  {32, 32}, {31, 29}, {100, 3},
                                     {340, 3}, {146, 7}, {1024, 1}};
  const ga_loops *l = ga_cpu_loops((enum ga_cpu_isa)_i);
  uint64_t state = 6;
  if (l == NULL) return;
  for (int t = 0; t < GA_NDTYPE; t++)
    for (int op = 0; op < GA_NREDUCE; op++)
      for (size_t k = 0; l->rake[t][op] && k < sizeof shapes / sizeof *shapes; k++) {
        size_t rows = shapes[k][0];
        fill((enum ga_dtype)t, &state, 1 + (unsigned int)k);
        check_rake(l, (enum ga_reduce_op)op, (enum ga_dtype)t, rows, shapes[k][1], rows);
        check_rake(l, (enum ga_reduce_op)op, (enum ga_dtype)t, rows, shapes[k][1], (rows + 1) / 2);
      }
}
END_TEST

static const test_case cases[] = {
    CASE_LOOP(free_trees_are_the_trees, GA_NISA),
    CASE_LOOP(leads_are_extremes, GA_NISA),
    CASE_LOOP(extremes_of_zeros_infinities_and_nan_are_the_trees, GA_NISA),
    CASE_LOOP(wide_sums_are_sums_of_casts, GA_NISA),
    CASE_LOOP(finds_give_what_argmin_and_argmax_give, GA_NISA),
    CASE_LOOP(rakes_join_rows, GA_NISA),
    CASE_END,
};

int main(void)
{
  ga_cpu_isa();
  return test_main("rake", cases);
}
