/* SPDX-License-Identifier: MIT */
/* The kernel texts of some expressions against their golden ones (golden.h). */
#include "tests/golden.h"
#include "tests/program.h"

static const struct {
  const char *name, *text, *spec;
} goldens[] = {
    {"add", "a + b", "a=float32[1000] b=float32[1000]"},
    {"double", "2*a", "a=float32[4,4]"},
    {"seed", "(a*10+2)*((b+2)*10-5)*5", "a=float32[1000] b=float32[1000]"},
    {"half", "a*a + float16(b)", "a=float16[1000] b=float64[1000]"},
    {"bias", "m + v", "m=float32[100,200] v=float32[200]"},
    {"flat", "m + v", "m=float16[100,33] v=float16[33]"},
    {"strided", "a[::2] + b[::2]", "a=float32[1000] b=float32[1000]"},
    {"transpose", "m + m.T", "m=float32[500,500]"},
    {"sumsq", "sum(a*a)", "a=float32[4000,4000]"},
    {"rows", "sum(a, axis=1)", "a=float32[100000,32]"},
    {"columns", "sum(a, axis=0)", "a=float32[4000,4000]"},
    {"argmax", "argmax(a, axis=1)", "a=float32[1000,1000]"},
    {"mean", "mean(a, axis=(0,2))", "a=float16[31,20,300]"},
    {"moment", "m = mean(a); v = var(a); m - v", "a=float32[1000,1000]"},
    {"moment-columns", "std(a, axis=0, ddof=1)", "a=float64[4000,4000]"},
    {"softmax", "t = exp(a - max(a, axis=1, keepdims=True)); t / sum(t, axis=1, keepdims=True)",
     "a=float32[1000,1000]"},
    {"chain", "m = mean(a, axis=1); v = var(a, axis=1); (a - m[:,None])/sqrt(v[:,None] + e)*g + b",
     "a=float16[300,5000] g=float32[5000] b=float32[5000] e=float m=new v=new"},
    {"chain-boxes", "x = a.T; x - mean(x, axis=1, keepdims=True)", "a=bfloat16[48,3,1000]"},
    {"scan", "cumsum(a*b)*b", "a=float32[100000] b=float32[100000]"},
    {"scan-rows", "cumsum(a, axis=1)", "a=float16[1000,1000]"},
    {"scan-boxes", "cumsum(a*b, axis=1)", "a=float32[1000,1001,3] b=float16[1001,1]"},
    {"scan-columns", "cummax(a, axis=0, exclusive=True)", "a=int8[4000,4000]"},
    {"two", "s = sum(a, axis=0); m = max(a, axis=0); s / m", "a=float64[400,400]"},
};
#define NGOLDENS (sizeof goldens / sizeof goldens[0])

static const ga_target target = {132, 227 * 1024, 0, 0, 0};
static const char *const classes[] = {"CONTIG",       "INNER",      "STRIDED", "TILE",
                                      "ROWS",         "COLUMNS",    "GATHER",  "SCAN_ROWS",
                                      "SCAN_COLUMNS", "SCAN_GATHER"};

static void print_stage(ga_str *s, const ga_stage *st, const char *what, unsigned int k)
{
  static const unsigned char align[64];
  ga_layout l;
  ga_text t;
  ga_launch launch;
  OK(ga_layout_make(&l, st));
  OK(ga_gen_text(&t, st, &l, align, &target));
  OK(ga_gen_launch(&launch, st, &l, align, &target));
  ga_str_addf(s, "\n==== %s %u: %s, grid %zu, block %zu, scratch %zu, tickets %zu\n", what, k,
              classes[l.cls], launch.grid[0], launch.block[0], launch.scratch, launch.ntickets);
  ga_str_addf(s, "---- main\n%s---- ga_stage.h\n%s", ga_str_text(&t.main),
              ga_str_text(&t.generated));
  ga_launch_clear(&launch);
  ga_text_clear(&t);
  ga_layout_clear(&l);
}

START_TEST(kernel_text_is_the_golden_one)
{
  char name[100];
  ga_str s = {0};
  ga_program *p = program_of(goldens[_i].text, goldens[_i].spec);
  ga_str_addf(&s, "%s\n%s\n", goldens[_i].text, goldens[_i].spec);
  for (unsigned int k = 0; k < p->nstage; k++) print_stage(&s, &p->stages[k], "stage", k);
  for (unsigned int k = 0; k < p->nchain; k++) print_stage(&s, &p->chains[k].stage, "chain", k);
  ck_assert_int_eq(s.failed, 0);
  snprintf(name, sizeof name, "kernel-%s", goldens[_i].name);
  golden_check(name, ga_str_text(&s));
  ga_str_clear(&s);
  ga_program_free(p);
}
END_TEST

static const test_case cases[] = {CASE_LOOP(kernel_text_is_the_golden_one, NGOLDENS), CASE_END};

int main(void) { return test_main("golden", cases); }
