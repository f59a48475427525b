/* SPDX-License-Identifier: MIT */
/* Dtypes and shapes against NumPy's own answers (tests/data, made by NumPy 2),
 * and what NumPy has no word for: bfloat16, bound numbers, assignments. */
#include "tests/program.h"

static void answer(char *out, size_t size, const char *text, const char *spec)
{
  ga_program *p;
  int err = program_try(&p, text, spec);
  if (err != GA_NO_ERROR) {
    ck_assert_msg(err == GA_VALUE_ERROR, "%s: error %d: %s", text, err, gpuarray_error_message());
    snprintf(out, size, "error");
    return;
  }
  ck_assert_int_ge(p->result, 0);
  const ga_slot *s = &p->slots[p->result];
  size_t n = (size_t)snprintf(out, size, "%s[", ga_dtypes[s->dtype].name);
  for (unsigned int k = 0; k < s->nd; k++)
    n += (size_t)snprintf(out + n, size - n, "%s%zu", k ? "," : "", s->dims[k]);
  snprintf(out + n, size - n, "]");
  ga_program_free(p);
}

static FILE *data(const char *name)
{
  char path[4096];
  const char *top = getenv("top_srcdir");
  snprintf(path, sizeof path, "%s/tests/data/%s", top ? top : ".", name);
  FILE *f = fopen(path, "r");
  ck_assert_msg(f != NULL, "cannot open %s", path);
  return f;
}

static int wrong; /* lines that differ, all shown before the test fails */

static void compare(const char *text, const char *spec, const char *want)
{
  char got[512];
  answer(got, sizeof got, text, spec);
  if (strcmp(got, want) == 0) return;
  wrong++;
  printf("%s  with %s: %s, NumPy has %s\n", text, spec, got, want);
  if (strcmp(got, "error") == 0) printf("%s\n", gpuarray_error_message());
}

START_TEST(texts_have_numpys_dtypes_and_shapes)
{
  char line[1024];
  int n = 0;
  FILE *f = data("infer.txt");
  for (wrong = 0; fgets(line, sizeof line, f) != NULL; n++) {
    char *text = line, *spec = strstr(line, " | "), *want = NULL;
    /* the text may hold " | " itself: the last two divide */
    for (char *s = spec; s != NULL; s = strstr(s + 1, " | ")) want = s;
    ck_assert(spec != NULL && want != NULL);
    for (char *s = spec; (s = strstr(s + 1, " | ")) != NULL && s != want;) spec = s;
    *spec = *want = '\0';
    want += 3;
    want[strcspn(want, "\n")] = '\0';
    compare(text, spec + 3, want);
  }
  fclose(f);
  ck_assert_int_gt(n, 400);
  ck_assert_msg(wrong == 0, "%d of %d texts differ", wrong, n);
}
END_TEST

static const char order[] = "?bBhHiIqQefdFD";

/* One row of promote.txt: the results of a call for each dtype of the order. */
static void row(const char *format, const char *spec, const char *results)
{
  char want[64];
  for (size_t i = 0; order[i] != '\0'; i++) {
    char binds[128];
    const char *name = ga_dtypes[ga_dtype_char(order[i])].name;
    snprintf(binds, sizeof binds, "%s y=%s[2]", spec, name);
    if (results[i] == '.') strcpy(want, "error");
    else snprintf(want, sizeof want, "%s[", ga_dtypes[ga_dtype_char(results[i])].name);
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
      if (b[0] == 'l') snprintf(text, sizeof text, "%s(%s%s, y)", name, c, a);
      else snprintf(text, sizeof text, "%s(%sy, %s)", name, c, a);
    }
    row(text, spec, results);
  }
  fclose(f);
  ck_assert_int_gt(n, 800);
  ck_assert_msg(wrong == 0, "%d results differ", wrong);
}
END_TEST

/* bfloat16 is no type of NumPy's own: with the others as ml_dtypes promotes, and
 * beside Python's numbers weakly, as float16. */
static const struct { const char *text, *spec, *want; } bfloats[] = {
    {"a+a", "a=bfloat16[2]", "bfloat16[2]"},
    {"a+b", "a=bfloat16[2] b=float16[2]", "float32[2]"},
    {"a+b", "a=bfloat16[2] b=float32[2]", "float32[2]"},
    {"a+b", "a=bfloat16[2] b=float64[2]", "float64[2]"},
    {"a+b", "a=bfloat16[2] b=bool[2]", "bfloat16[2]"},
    {"a+b", "a=bfloat16[2] b=int8[2]", "bfloat16[2]"},
    {"a+b", "a=bfloat16[2] b=uint8[2]", "bfloat16[2]"},
    {"a+b", "a=bfloat16[2] b=int16[2]", "float32[2]"},
    {"a+b", "a=bfloat16[2] b=uint16[2]", "float32[2]"},
    {"a+b", "a=bfloat16[2] b=int32[2]", "float64[2]"},
    {"a+b", "a=bfloat16[2] b=int64[2]", "float64[2]"},
    {"a+b", "a=bfloat16[2] b=complex64[2]", "complex64[2]"},
    {"a+b", "a=bfloat16[2] b=complex128[2]", "complex128[2]"},
    {"2*a", "a=bfloat16[2]", "bfloat16[2]"},
    {"2.5*a", "a=bfloat16[2]", "bfloat16[2]"},
    {"2j*a", "a=bfloat16[2]", "complex64[2]"},
    {"sqrt(a)", "a=bfloat16[2]", "bfloat16[2]"},
    {"sum(a)", "a=bfloat16[2]", "bfloat16[]"},
    {"mean(a)", "a=bfloat16[2]", "bfloat16[]"},
    {"std(a)", "a=bfloat16[2]", "bfloat16[]"},
    {"a < 1e30", "a=bfloat16[2]", "bool[2]"},
    {"bfloat16(b)", "b=float64[2]", "bfloat16[2]"},
};

START_TEST(bfloat16_promotes_as_documented)
{
  wrong = 0;
  for (size_t i = 0; i < sizeof bfloats / sizeof *bfloats; i++)
    compare(bfloats[i].text, bfloats[i].spec, bfloats[i].want);
  ck_assert_int_eq(wrong, 0);
}
END_TEST

/* Every alias is a function of the row it names. */
START_TEST(aliases_name_functions)
{
  static const char *const aliases[] = {
#define ALIAS(alias, name) #alias,
#include "codegen/aliases.def"
#undef ALIAS
  };
  for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++) {
    char text[64];
    ga_program *p;
    snprintf(text, sizeof text, "%s(a)", aliases[i]);
    int err = program_try(&p, text, "a=int32[2]");
    if (err != GA_NO_ERROR) /* two arguments: the message says so */
      ck_assert_msg(strstr(gpuarray_error_message(), "takes 2 arguments") != NULL, "%s: %s", text,
                    gpuarray_error_message());
    ga_program_free(p);
  }
}
END_TEST

static const test_case cases[] = {CASE(texts_have_numpys_dtypes_and_shapes),
                                  CASE(functions_have_numpys_dtypes),
                                  CASE(bfloat16_promotes_as_documented),
                                  CASE(aliases_name_functions), CASE_END};

int main(void) { return test_main("infer", cases); }
