/* SPDX-License-Identifier: MIT */
/* Dtypes and shapes against NumPy's own answers (tests/data, made by NumPy 2),
 * and what NumPy has no word for: bfloat16, bound numbers, assignments. */
#include "tests/answers.h"

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

/* bfloat16 is no type of NumPy's own: with the others as ml_dtypes promotes, and
 * beside Python's numbers weakly, as float16. */
static const struct {
  const char *text, *spec, *want;
} bfloats[] = {
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
                                  CASE(bfloat16_promotes_as_documented),
                                  CASE(aliases_name_functions), CASE_END};

int main(void) { return test_main("infer", cases); }
