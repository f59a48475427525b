/* SPDX-License-Identifier: MIT */
/* Promotion, casts and loops of every function against NumPy's own
 * (tests/data/promote.txt). */
#include "codegen/promote.h"
#include "tests/answers.h"

static int wrong; /* results that differ, all shown before the test fails */

static const char order[] = "?bBhHiIqQefdFD";

/* One row of promote.txt: the results of a call for each dtype of the order. */
static void row(const char *format, const char *spec, const char *results)
{
  char want[64];
  for (size_t i = 0; order[i] != '\0'; i++) {
    char binds[128];
    const char *name = ga_dtypes[ga_dtype_char(order[i])].name;
    snprintf(binds, sizeof binds, "%s y=%s[2]", spec, name);
    if (results[i] == '.')
      strcpy(want, "error");
    else
      snprintf(want, sizeof want, "%s[", ga_dtypes[ga_dtype_char(results[i])].name);
    char got[512];
    answer(got, sizeof got, format, binds);
    if (strncmp(got, want, strlen(want)) == 0) continue;
    wrong++;
    printf("%s  with %s: %s, NumPy has %s\n", format, binds, got, want);
  }
}

START_TEST(functions_have_numpys_dtypes)
{
  char line[256], name[32], a[32], b[32], results[64], text[128], spec[64];
  int n = 0;
  FILE *f = data("promote.txt");
  for (wrong = 0; fgets(line, sizeof line, f) != NULL; n++) {
    spec[0] = '\0';
    if (line[0] == 'p' || line[0] == 'c') continue;
    if (sscanf(line, "u %31s %63s", name, results) == 2) {
      snprintf(text, sizeof text, "%s(y)", name);
    } else if (sscanf(line, "b %31s %31s %63s", name, a, results) == 3) {
      const char *c = strcmp(name, "where") == 0 ? "c, " : "";
      snprintf(spec, sizeof spec, "c=bool[2] x=%s[2]", ga_dtypes[ga_dtype_char(a[0])].name);
      snprintf(text, sizeof text, "%s(%sx, y)", name, c);
    } else {
      ck_assert_int_eq(sscanf(line, "w %31s %31s %31s %63s", name, a, b, results), 4);
      const char *c = strcmp(name, "where") == 0 ? "c, " : "";
      strcpy(spec, "c=bool[2]");
      if (b[0] == 'l')
        snprintf(text, sizeof text, "%s(%s%s, y)", name, c, a);
      else
        snprintf(text, sizeof text, "%s(%sy, %s)", name, c, a);
    }
    row(text, spec, results);
  }
  fclose(f);
  ck_assert_int_gt(n, 800);
  ck_assert_msg(wrong == 0, "%d results differ", wrong);
}
END_TEST

/* Rows "p left results" and "c rule left 01...". */
START_TEST(promotions_and_casts_are_numpys)
{
  char line[256], left, rule[16], results[64];
  int n = 0;
  FILE *f = data("promote.txt");
  while (fgets(line, sizeof line, f) != NULL) {
    int promotes = sscanf(line, "p %c %63s", &left, results) == 2;
    if (!promotes && sscanf(line, "c %15s %c %63s", rule, &left, results) != 3) continue;
    enum ga_dtype a = ga_dtype_char(left);
    for (size_t i = 0; order[i] != '\0'; i++, n++) {
      enum ga_dtype b = ga_dtype_char(order[i]);
      if (promotes) {
        ck_assert_msg(ga_promote(a, b) == ga_dtype_char(results[i]), "%c with %c", left, order[i]);
      } else {
        int can = strcmp(rule, "safe") == 0 ? ga_cast_safe(a, b) : ga_cast_same_kind(a, b);
        ck_assert_msg(can == results[i] - '0', "%c to %c, %s: %d", left, order[i], rule, can);
      }
    }
  }
  fclose(f);
  ck_assert_int_eq(n, 3 * 14 * 14);
}
END_TEST

/* The promoted dtype does not depend on the order of the two. */
START_TEST(promotion_is_symmetric)
{
  for (int a = 0; a < GA_NDTYPE; a++) {
    ck_assert_int_eq(ga_promote((enum ga_dtype)a, GA_DT_NONE), a);
    for (int b = 0; b < GA_NDTYPE; b++) {
      enum ga_dtype x = (enum ga_dtype)a, y = (enum ga_dtype)b;
      ck_assert_int_eq(ga_promote(x, y), ga_promote(y, x));
      ck_assert(ga_cast_safe(x, ga_promote(x, y)));
    }
  }
}
END_TEST

static const test_case cases[] = {CASE(functions_have_numpys_dtypes),
                                  CASE(promotions_and_casts_are_numpys),
                                  CASE(promotion_is_symmetric), CASE_END};

int main(void) { return test_main("promote", cases); }
