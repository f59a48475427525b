/* SPDX-License-Identifier: MIT */
/* Reductions inside a chunk against the definition of their order, a recursion
 * over the bits of the index, to the bit; combines against the scalar function;
 * identities and empty reductions. */
#include <stdio.h>

#include "codegen/oploops.h"
#include "tests/common.h"
#include "tests/scalar_data.h"

enum { CHUNK = 1024 };

/* Accumulators as bytes: a value and an index. */
typedef struct acc {
  _Alignas(16) char value[16];
  int64_t index;
} acc;

typedef void (*join_fn)(acc *r, const acc *a, const acc *b);
typedef void (*identity_fn)(acc *r);

#define JOIN(name, T, C)                                                      \
  static void join_##name##_##T(acc *r, const acc *a, const acc *b)           \
  {                                                                           \
    C v = ga_reduce_##name##_##T(*(const C *)a->value, *(const C *)b->value); \
    memcpy(r->value, &v, sizeof v);                                           \
  }                                                                           \
  static void identity_##name##_##T(acc *r)                                   \
  {                                                                           \
    C v = ga_identity_##name##_##T();                                         \
    memcpy(r->value, &v, sizeof v);                                           \
  }
#define ARGJOIN(name, T, C)                                                                 \
  static void join_##name##_##T(acc *r, const acc *a, const acc *b)                         \
  {                                                                                         \
    ga_pair_##T x = {*(const C *)a->value, a->index}, y = {*(const C *)b->value, b->index}; \
    ga_pair_##T v = ga_reduce_##name##_##T(x, y);                                           \
    memcpy(r->value, &v.value, sizeof v.value);                                             \
    r->index = v.index;                                                                     \
  }                                                                                         \
  static void identity_##name##_##T(acc *r)                                                 \
  {                                                                                         \
    ga_pair_##T v = ga_identity_##name##_##T();                                             \
    memcpy(r->value, &v.value, sizeof v.value);                                             \
    r->index = v.index;                                                                     \
  }
#define JOINS(ID, T, C) GA_REDUCES_##T(JOIN) GA_ARGREDUCES_##T(ARGJOIN)
GA_DTYPES(JOINS)

typedef struct subject {
  const char *name;
  enum ga_reduce_op op;
  enum ga_dtype dtype;
  int pair;
  join_fn join;
  identity_fn identity;
} subject;

#define ROW(ID, PAIR, name, T) \
  {#name " of " #T, GA_REDUCE_##name, ID, PAIR, join_##name##_##T, identity_##name##_##T},
#define VALUE_ROW(name, T, C) ROW(GA_DT_NONE, 0, name, T)
#define PAIR_ROW(name, T, C)  ROW(GA_DT_NONE, 1, name, T)
#define ROWS(ID, T, C)        GA_REDUCES_##T(VALUE_ROW) GA_ARGREDUCES_##T(PAIR_ROW)
static subject subjects[] = {GA_DTYPES(ROWS)};
enum { NSUBJECT = sizeof subjects / sizeof *subjects };

/* The names say the dtypes. */
static void find_dtypes(void)
{
  for (int i = 0; i < NSUBJECT; i++) {
    const char *t = strstr(subjects[i].name, " of ") + 4;
    for (int k = 0; k < GA_NDTYPE; k++)
      if (strcmp(ga_dtypes[k].name, t) == 0) subjects[i].dtype = (enum ga_dtype)k;
  }
}

/* The order of DESIGN.md, last step first: what is joined last is at the top. */
static const int bits[10] = {2, 3, 4, 5, 6, 1, 0, 7, 8, 9};

static _Alignas(16) char values[CHUNK * 16 + 16];
static int64_t indices[CHUNK];

/* Joins the elements below n whose index agrees with r in the first `depth`
 * bits; returns 0 if there are none. */
static int tree(const subject *s, size_t n, size_t r, int depth, acc *out)
{
  size_t size = ga_dtypes[s->dtype].size;
  acc left, right;
  int l, g;
  if (depth == 10) {
    if (r >= n) return 0;
    memcpy(out->value, values + r * size, size);
    out->index = indices[r];
    return 1;
  }
  l = tree(s, n, r, depth + 1, &left);
  g = tree(s, n, r | (size_t)1 << bits[depth], depth + 1, &right);
  if (l && g)
    s->join(out, &left, &right);
  else if (l || g)
    *out = l ? left : right;
  return l || g;
}

static void fill(const subject *s, uint64_t *state, int tame)
{
  put_elements(s->dtype, values, CHUNK, state);
  for (int i = 0; i < CHUNK; i++) indices[i] = (int64_t)(next_random(state) >> 40);
  if (!tame) return;
  /* sums and products that stay finite, minima with many equal elements */
  for (int i = 0; i < CHUNK; i++) {
    double x = (double)(next_random(state) % 2000) / 1000 - 1;
    float f = (float)x;
    if (s->dtype == GA_DT_FLOAT32) memcpy(values + 4 * i, &f, 4);
    if (s->dtype == GA_DT_FLOAT64) memcpy(values + 8 * i, &x, 8);
    if (s->dtype == GA_DT_COMPLEX64)
      memcpy(values + 4 * i, &f, 4), memcpy(values + 4096 + 4 * i, &f, 4);
    if (s->dtype == GA_DT_COMPLEX128)
      memcpy(values + 16 * i, &x, 8), memcpy(values + 16 * i + 8, &x, 8);
  }
}

static void check_chunk(const ga_loops *l, const subject *s, size_t n, int shift)
{
  static char moved[CHUNK * 16 + 32];
  size_t size = ga_dtypes[s->dtype].size;
  acc want = {{0}, 0}, got = {{0}, 0};
  char x[64], y[64];
  void *to[] = {got.value, &got.index};
  const void *from[] = {moved + shift, indices};
  memcpy(moved + shift, values, n * size);
  EXPECT(tree(s, n, 0, 0, &want), "the tree of %zu elements is empty", n);
  l->tree[s->dtype][s->op](n, to, from);
  EXPECT(same_element(s->dtype, got.value, want.value) && (!s->pair || got.index == want.index),
         "%s, %s, %zu elements: %s [%lld], not %s [%lld]", s->name, l->name, n,
         show_element(s->dtype, got.value, x), (long long)got.index,
         show_element(s->dtype, want.value, y), (long long)want.index);
}

START_TEST(chunk_follows_the_order)
{
  static const size_t large[] = {255, 256, 257, 511, 513, 768, 1000, 1023, 1024};
  const ga_loops *l = ga_cpu_loops((enum ga_cpu_isa)_i);
  uint64_t state = 42;
  if (l == NULL) return;
  find_dtypes();
  for (int i = 0; i < NSUBJECT; i++)
    for (int tame = 0; tame < 2; tame++) {
      fill(&subjects[i], &state, tame);
      for (size_t n = 1; n <= 140; n++) check_chunk(l, &subjects[i], n, (int)(n % 3));
      for (size_t k = 0; k < sizeof large / sizeof *large; k++)
        check_chunk(l, &subjects[i], large[k], (int)(k % 3));
    }
}
END_TEST

/* Several short rows at once: each is its own tree. */
START_TEST(short_rows_follow_the_order)
{
  const ga_loops *l = ga_cpu_loops((enum ga_cpu_isa)_i);
  static char got[CHUNK * 16 + 1], moved[CHUNK * 16 + 1];
  uint64_t state = 45;
  if (l == NULL) return;
  find_dtypes();
  for (int i = 0; i < NSUBJECT; i++)
    for (size_t n = 2, w = 2; n <= 128 && l->shorts[subjects[i].dtype][subjects[i].op]; n++) {
      const subject *s = &subjects[i];
      size_t size = ga_dtypes[s->dtype].size, rows;
      while (w < n) w *= 2;
      rows = n % 3 ? CHUNK / w : 1 + n % 5;
      fill(s, &state, (int)(n & 1));
      memcpy(moved + 1, values, sizeof moved - 1);
      memset(got, 0x5a, sizeof got);
      l->shorts[s->dtype][s->op](n, rows, got, moved + 1);
      for (size_t r = 0; r < rows; r++) {
        acc want;
        memcpy(values, moved + 1 + r * n * size, n * size);
        tree(s, n, 0, 0, &want);
        EXPECT(same_element(s->dtype, got + r * size, want.value), "%s, %s: row %zu of %zux%zu",
               s->name, l->name, r, rows, n);
      }
      EXPECT(got[rows * size] == 0x5a, "%s, %s: wrote past %zu rows", s->name, l->name, rows);
    }
}
END_TEST

START_TEST(combine_is_the_scalar_function)
{
  const ga_loops *l = ga_cpu_loops((enum ga_cpu_isa)_i);
  uint64_t state = 43;
  if (l == NULL) return;
  find_dtypes();
  for (int i = 0; i < NSUBJECT; i++) {
    const subject *s = &subjects[i];
    size_t size = ga_dtypes[s->dtype].size, half = CHUNK / 2;
    static char r[CHUNK * 16 + 1];
    static int64_t k[CHUNK];
    void *to[] = {r + 1, k};
    const void *left[] = {values, indices}, *right[] = {values + half * size, indices + half};
    for (size_t n = 0; n <= half; n = n < 70 ? n + 1 : n * 2 + 1) {
      fill(s, &state, 0);
      memset(r, 0x5a, sizeof r);
      l->combine[s->dtype][s->op](n, to, left, right);
      for (size_t e = 0; e < n; e++) {
        acc a, b, want;
        memcpy(a.value, values + e * size, size);
        memcpy(b.value, values + (half + e) * size, size);
        a.index = indices[e];
        b.index = indices[half + e];
        s->join(&want, &a, &b);
        EXPECT(same_element(s->dtype, r + 1 + e * size, want.value) &&
                   (!s->pair || k[e] == want.index),
               "%s, %s: combine of element %zu of %zu", s->name, l->name, e, n);
      }
      EXPECT(r[1 + n * size] == 0x5a, "%s, %s: wrote past %zu", s->name, l->name, n);
    }
  }
}
END_TEST

/* What stands for a missing operand changes no bit of the other. */
START_TEST(identity_is_neutral_on_both_sides)
{
  uint64_t state = 44;
  find_dtypes();
  for (int i = 0; i < NSUBJECT; i++) {
    const subject *s = &subjects[i];
    fill(s, &state, 0);
    for (size_t e = 0; e < CHUNK; e++) {
      acc a, id = {{0}, 0}, x, y;
      memcpy(a.value, values + e * ga_dtypes[s->dtype].size, ga_dtypes[s->dtype].size);
      a.index = indices[e];
      s->identity(&id);
      s->join(&x, &a, &id);
      s->join(&y, &id, &a);
      EXPECT(same_element(s->dtype, x.value, a.value) && same_element(s->dtype, y.value, a.value) &&
                 (!s->pair || (x.index == a.index && y.index == a.index)),
             "%s: element %zu is changed by the identity", s->name, e);
    }
  }
}
END_TEST

START_TEST(empty_reductions_have_numpys_values)
{
  char v[16];
  int64_t i;
  double d;
  memset(v, 1, sizeof v);
  ck_assert_int_eq(ga_cpu_empty(GA_REDUCE_sum, GA_DT_FLOAT64, v), 1);
  memcpy(&d, v, 8);
  ck_assert(d == 0 && !signbit(d));
  ck_assert_int_eq(ga_cpu_empty(GA_REDUCE_prod, GA_DT_INT64, v), 1);
  memcpy(&i, v, 8);
  ck_assert_int_eq(i, 1);
  ck_assert_int_eq(ga_cpu_empty(GA_REDUCE_any, GA_DT_BOOL, v), 1);
  ck_assert_int_eq(v[0], 0);
  ck_assert_int_eq(ga_cpu_empty(GA_REDUCE_all, GA_DT_BOOL, v), 1);
  ck_assert_int_eq(v[0], 1);
  ck_assert_int_eq(ga_cpu_empty(GA_REDUCE_min, GA_DT_FLOAT64, v), 0);
  ck_assert_int_eq(ga_cpu_empty(GA_REDUCE_argmax, GA_DT_INT8, v), 0);
  ck_assert_int_eq(ga_cpu_empty(GA_REDUCE_sum, GA_DT_INT8, v), 0);
  ck_assert_int_eq(ga_cpu_empty(GA_REDUCE_sum, GA_DT_NONE, v), 0);
}
END_TEST

START_TEST(accumulators_are_those_of_the_table)
{
  ck_assert_ptr_null(ga_cpu_tree(GA_REDUCE_sum, GA_DT_INT8));
  ck_assert_ptr_null(ga_cpu_tree(GA_REDUCE_sum, GA_DT_FLOAT16));
  ck_assert_ptr_null(ga_cpu_combine(GA_REDUCE_any, GA_DT_INT64));
  ck_assert_ptr_null(ga_cpu_tree(GA_REDUCE_min, GA_DT_NONE));
  ck_assert_ptr_nonnull(ga_cpu_tree(GA_REDUCE_sum, GA_DT_INT64));
  ck_assert_ptr_nonnull(ga_cpu_combine(GA_REDUCE_argmin, GA_DT_FLOAT16));
}
END_TEST

static const test_case cases[] = {
    CASE_LOOP(chunk_follows_the_order, GA_NISA),
    CASE_LOOP(short_rows_follow_the_order, GA_NISA),
    CASE_LOOP(combine_is_the_scalar_function, GA_NISA),
    CASE(identity_is_neutral_on_both_sides),
    CASE(empty_reductions_have_numpys_values),
    CASE(accumulators_are_those_of_the_table),
    CASE_END,
};

int main(void)
{
  ga_cpu_isa();
  return test_main("tree", cases);
}
