/* SPDX-License-Identifier: MIT */
/* doc/language.md and doc/numbers.md: every line ">>> TEXT" of their ```numpy
 * blocks is evaluated and printed, and gives what the document shows below it; a
 * comment "# int8(3)" tells the dtype and shape of the value. What the tables of
 * operations hold is named in the document. */
#include <ctype.h>

#include "codegen/infer.h"
#include "tests/common.h"
#include "tests/device.h"

#include "gpuarray.h"

static gpucontext *ctx;

/* The names of the examples, as the documents introduce them. */
static GpuArray a, v, s, u, z, h, f;
static const double w = 2;

static void make(GpuArray *x, int typecode, unsigned int nd, const size_t *dims, const void *src)
{
  OK(GpuArray_fromhost(x, ctx, typecode, nd, dims, src));
}

static void setup(void)
{
  static const float av[] = {0, 1, 2, 3, 4, 5};
  static const int vv[] = {10, 20, 30};
  static const signed char sv[] = {100, 27, -128};
  static const unsigned char uv[] = {0, 1, 255};
  static const float zv[] = {3, 4, -1, 0};
  static const unsigned short hv[] = {0x3c00, 0x6800, 0x7bff}; /* 1, 2048, 65504 */
  static const double fv[] = {-2.5, 0.5, 1.5};
  ctx = test_context();
  make(&a, GA_FLOAT, GA_DIMS(2, 3), av);
  make(&v, GA_INT, GA_DIMS(3), vv);
  make(&s, GA_BYTE, GA_DIMS(3), sv);
  make(&u, GA_UBYTE, GA_DIMS(3), uv);
  make(&z, GA_CFLOAT, GA_DIMS(2), zv);
  make(&h, GA_HALF, GA_DIMS(3), hv);
  make(&f, GA_DOUBLE, GA_DIMS(3), fv);
}

static void teardown(void)
{
  GpuArray *const all[] = {&a, &v, &s, &u, &z, &h, &f};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) GpuArray_clear(all[i]);
  gpucontext_deref(ctx);
}

static int evaluate(GpuArray *r, const char *text)
{
  return GpuArray_eval(r, ctx, text,
                       GA_ARGS(ga_array("a", &a), ga_array("v", &v), ga_array("s", &s),
                               ga_array("u", &u), ga_array("z", &z), ga_array("h", &h),
                               ga_array("f", &f), ga_int("k", 3), ga_float("x", 0.5),
                               ga_scalar("w", GA_DOUBLE, &w)));
}

/* What the text prints: its value, or the message; and its dtype and shape. */
static char *printed(const char *text, char *type, size_t size)
{
  GpuArray r;
  static char out[8192];
  FILE *to = tmpfile();
  type[0] = '\0';
  if (evaluate(&r, text) == GA_NO_ERROR) {
    size_t at = (size_t)snprintf(type, size, "%s(", gpuarray_typename(r.typecode));
    for (unsigned int k = 0; k < r.nd; k++)
      at += (size_t)snprintf(type + at, size - at, "%s%zu", k ? "," : "", r.dimensions[k]);
    snprintf(type + at, size - at, ")");
    OK(GpuArray_print(to, &r));
    GpuArray_clear(&r);
  } else {
    fprintf(to, "%s\n", gpuarray_error_message());
  }
  rewind(to);
  out[fread(out, 1, sizeof out - 1, to)] = '\0';
  fclose(to);
  return out;
}

/* Equal up to blanks at the ends of lines and, for messages, the names that are
 * listed after "; with" or "; known:". */
static int same_text(const char *got, const char *want)
{
  const char *names = strstr(got, "; with a float32");
  if (names == NULL) names = strstr(got, "; known: a float32");
  size_t n = names != NULL ? (size_t)(names - got) : strlen(got);
  size_t m = strlen(want);
  while (n > 0 && isspace((unsigned char)got[n - 1])) n--;
  while (m > 0 && isspace((unsigned char)want[m - 1])) m--;
  return n == m && memcmp(got, want, n) == 0;
}

static int wrong, shown;

static void check(const char *text, const char *want)
{
  char type[256];
  const char *comment = strstr(text, " # ");
  char *got = printed(text, type, sizeof type);
  size_t n = strlen(type);
  shown++;
  if (!same_text(got, want)) {
    wrong++;
    printf(">>> %s\n%sthe document has\n%s", text, got, want);
  } else if (comment != NULL && strchr(comment, '(') != NULL &&
             (strncmp(comment + 3, type, n) != 0 || n == 0)) {
    wrong++;
    printf(">>> %s\n is %s\n", text, type);
  }
}

static FILE *document(const char *name)
{
  char path[4096];
  const char *top = getenv("top_srcdir");
  snprintf(path, sizeof path, "%s/doc/%s", top ? top : ".", name);
  FILE *file = fopen(path, "r");
  ck_assert_msg(file != NULL, "cannot open %s", path);
  return file;
}

static void check_document(const char *name)
{
  char line[1024], text[1024], want[8192];
  int inside = 0, pending = 0;
  FILE *file = document(name);
  wrong = shown = 0;
  while (fgets(line, sizeof line, file) != NULL) {
    int fence = strncmp(line, "```", 3) == 0, prompt = inside && strncmp(line, ">>> ", 4) == 0;
    if (pending && (fence || prompt)) check(text, want);
    if (fence) inside = !inside && strcmp(line, "```numpy\n") == 0;
    if (fence || prompt) pending = prompt;
    if (prompt) {
      line[strcspn(line, "\n")] = '\0';
      strcpy(text, line + 4);
      want[0] = '\0';
    } else if (pending) {
      ck_assert_uint_lt(strlen(want) + strlen(line), sizeof want);
      strcat(want, line);
    }
  }
  fclose(file);
  ck_assert_int_gt(shown, 20);
  ck_assert_msg(wrong == 0, "%s: %d of %d examples differ", name, wrong, shown);
}

START_TEST(language_is_as_shown)
{
  setup();
  check_document("language.md");
  teardown();
}
END_TEST

START_TEST(numbers_are_as_shown)
{
  setup();
  check_document("numbers.md");
  teardown();
}
END_TEST

/* By reduce.def's acc: the functions of the language. */
#define NAME_SAME(name)  #name,
#define NAME_SUM(name)   #name,
#define NAME_BOOL(name)  #name,
#define NAME_INDEX(name) #name,
#define NAME_MOMENT(name)

static void check_named(const char *document, const char *name)
{
  char quoted[64];
  snprintf(quoted, sizeof quoted, "`%s`", name);
  ck_assert_msg(strstr(document, quoted) != NULL, "doc/language.md does not name %s", quoted);
}

START_TEST(every_function_is_documented)
{
  static const char *const names[] = {
#define OP(name, nargs, loops, result, flags) #name,
#include "codegen/ops.def"
#undef OP
#define REDUCE(name, loops, acc, identity) NAME_##acc(name)
#include "codegen/reduce.def"
#undef REDUCE
#define ALIAS(alias, name) #alias,
#include "codegen/aliases.def"
#undef ALIAS
  };
  static const ga_func_row *const tables[] = {ga_funcs_elementwise, ga_funcs_test, ga_funcs_fill,
                                              ga_funcs_product,     ga_funcs_norm, ga_funcs_average,
                                              ga_funcs_view};
  static char text[1 << 17];
  FILE *file = document("language.md");
  text[fread(text, 1, sizeof text - 1, file)] = '\0';
  fclose(file);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) check_named(text, names[i]);
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
    for (const ga_func_row *f = tables[i]; f->name != NULL; f++) check_named(text, f->name);
}
END_TEST

static const test_case cases[] = {CASE(language_is_as_shown), CASE(numbers_are_as_shown),
                                  CASE(every_function_is_documented), CASE_END};

int main(void) { return test_main("language", cases); }
