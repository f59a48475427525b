/* SPDX-License-Identifier: MIT */
/* How texts are cut into stages: golden programs, the number of kernels and
 * temporaries of texts people write, what may share a pass and what may not. */
#include "tests/golden.h"
#include "tests/program.h"

static const struct program {
  const char *name, *text, *spec;
} programs[] = {
    {"program-double", "2*a", "a=float32[4,4]"},
    {"program-copy", "a.T", "a=float32[4,3]"},
    {"program-mixed", "where(a > 1, a, i/2) + k", "a=float32[4,3] i=int8[3] k=int"},
    {"program-sumsq", "sum(a*a)", "a=float16[4,3]"},
    {"program-two-sums", "s = sum(a); q = sum(a*a); q - s*s", "a=float32[4,3]"},
    {"program-softmax",
     "t = exp(a - max(a, axis=1, keepdims=True)); t / sum(t, axis=1, keepdims=True)",
     "a=float32[4,3]"},
    {"program-layernorm",
     "t = a - mean(a, axis=1, keepdims=True); t / sqrt(mean(t*t, axis=1, keepdims=True) + 1e-5)",
     "a=float32[4,3]"},
    {"program-kept-axes", "sum(a, axis=1)*v + 1", "a=float32[4,3,2] v=float32[2]"},
    {"program-argmax", "argmax(a, axis=(None)) + argmax(a, axis=1)", "a=float64[4,3]"},
    {"program-std", "std(z, axis=0, ddof=1)", "z=complex64[4,3]"},
    {"program-outputs", "x = a+1; y = a*x; s = sum(y, axis=0)", "a=float32[4,3] x=new y=new s=new"},
    {"program-in-place", "a = a*2; sum(a)", "a=float32[4,3]"},
    {"program-views", "s = sum(a, axis=1); s[1:] - s[:-1] + (a*2)[1:, ::-1][:, 0]",
     "a=float32[4,3]"},
    {"program-compare", "(p < q) & (i < 300) & (i != k) | isinf(p)",
     "p=int64[3] q=uint64[3] i=int8[3] k=int"},
    {"program-scan", "cumsum(i*i, axis=1)[:, ::-1] - float32(cummax(a.T, axis=0).T)",
     "a=float32[4,3] i=int8[4,3]"},
    {"program-scan-all", "t = cumsum(h + 1, exclusive=True); t[1:] * 2", "h=float16[4,3]"},
    {"program-lone",
     "t = exp(a - max(a, axis=1, keepdims=True)); m = mean(a, axis=1); t / sum(t, axis=1, "
     "keepdims=True)",
     "a=float16[4,1] m=new"},
    {"program-empty", "sum(z, axis=0) + max(z, axis=1, initial=2)", "z=float32[0,0]"},
};

START_TEST(programs_are_as_read)
{
  const struct program *x = &programs[_i];
  ga_program *p = program_of(x->text, x->spec);
  ga_str s = {0};
  ga_str_addf(&s, "%s\n%s\n\n", x->text, x->spec);
  ga_program_print(&s, p);
  golden_check(x->name, ga_str_text(&s));
  ga_str_clear(&s);
  ga_program_free(p);
}
END_TEST

static const struct count {
  const char *text, *spec;
  unsigned int stages, temporaries;
} counts[] = {
    {"2*a", "a=float32[4,4]", 1, 0},
    {"a+b", "a=float32[4,4] b=float32[4]", 1, 0},
    {"(a*10 + 2) * ((b + 2)*10 - 5) * 5", "a=float32[4] b=float32[4]", 1, 0},
    {"sum(a*a)", "a=float32[4,4]", 1, 0},
    {"sqrt(sum(a*a))", "a=float32[4,4]", 1, 0},
    {"sum(a, axis=1)*v", "a=float32[4,3] v=float32[4]", 1, 0},
    {"sum(a, axis=1)[:, None]*v[:, None]", "a=float32[4,3] v=float32[4]", 1, 0},
    {"s = sum(a); q = sum(a*a)", "a=float32[4,4] s=new q=new", 1, 0},
    {"sum(a)/sum(b) + max(a)", "a=float32[4] b=float32[4]", 1, 0},
    {"ptp(a, axis=1)", "a=float32[4,3]", 1, 0},
    {"mean(a, axis=1)", "a=float16[4,3]", 1, 0},
    {"argmax(a, axis=1) - argmin(a, axis=1)", "a=float32[4,3]", 1, 0},
    {"count_nonzero(a > mean(a))", "a=float32[4]", 2, 1},
    {"var(a)", "a=float32[4,3]", 2, 1},
    {"var(a)", "a=float32[512,257]", 1, 0},
    {"var(a, axis=1)", "a=float32[4,1000]", 2, 1},
    {"var(a, axis=1)", "a=float32[4,131073]", 1, 0},
    {"var(a, axis=1)", "a=complex128[4,4096]", 2, 1},
    {"var(a, axis=1)", "a=complex128[4,4097]", 1, 0},
    {"std(a, axis=0)", "a=float32[4,3]", 1, 0},
    {"var(a, axis=1)", "a=complex64[4,30,3]", 2, 1},
    {"var(a, axis=1)", "a=complex64[4,1025,3]", 1, 0},
    {"var(a, axis=1)", "a=float32[4,30,33]", 1, 0},
    {"var(a, axis=1)", "a=float32[300,30,33]", 2, 1},
    {"var(a*b, axis=1)", "a=float32[300,30,33] b=float32[300,30,33]", 2, 1},
    {"var(a*b*c, axis=1)", "a=float32[300,30,33] b=float32[300,30,33] c=float32[300,30,33]", 1, 0},
    {"var(a, axis=1)", "a=uint8[300,30,33]", 1, 0},
    {"var(a, axis=1)", "a=float16[300,2047,33]", 2, 1},
    {"var(a, axis=1)", "a=float16[300,2049,33]", 1, 0},
    {"var(a, axis=1)", "a=float64[300,1023,33]", 2, 1},
    {"var(a, axis=1)", "a=float64[300,1025,33]", 1, 0},
    {"var(a, axis=1)", "a=float32[4,4097,33]", 1, 0},
    {"var(a, axis=1)", "a=complex128[4,30,33]", 1, 0},
    {"var(a, axis=(0,2))", "a=float32[16,3,256]", 2, 1},
    {"var(a, axis=(0,2))", "a=float32[16,3,257]", 1, 0},
    {"var(a[:, 1:], axis=1)", "a=float32[4,30,3]", 1, 0},
    {"var(a.T, axis=1)", "a=float32[3,30,4]", 2, 1},
    {"var(a, axis=(0,2))", "a=int8[4,3,5,6]", 1, 0},
    {"m = mean(a); v = var(a); m - v", "a=float32[512,257]", 1, 0},
    {"m = mean(a*v, axis=0); s = std(a*v, axis=0)", "a=float32[4,3] v=float32[3] m=new s=new", 1,
     0},
    {"m = sum(a, axis=1); s = max(a, axis=1); var(a, axis=1)", "a=float16[4,4097,33] m=new s=new",
     1, 0},
    {"var(a[:, ::4], axis=1)", "a=float32[4,1000]", 1, 0},
    {"var(a, axis=0)", "a=float32[1,3]", 1, 0}, /* a map: sums of an element each */
    {"argmax(a, axis=1) + sum(a, axis=(1,2))", "a=float32[4,1,1]", 1, 0},
    {"var(a, axis=())", "a=float32[4,3]", 1, 0},
    {"a - mean(a)", "a=float32[4,3]", 2, 1},
    {"(a - mean(a, axis=0))/std(a, axis=0)", "a=float32[4,3]", 2, 2},
    {"a / sqrt(sum(a*a, axis=1, keepdims=True))", "a=float32[4,3]", 2, 1},
    {"sum(a, axis=0) + sum(a, axis=1)", "a=float32[4,4]", 2, 1},
    {"sum(a, axis=0) + sum(a.T, axis=1)", "a=float32[4,3]", 2, 1},
    {"sum(sum(a, axis=1))", "a=float32[4,3]", 2, 1},
    {"sum(a, axis=0)[::-1]", "a=float32[4,3]", 2, 1},
    {"sum(a, axis=0)[None].T", "a=float32[4,3]", 1, 0},
    {"sum(a, axis=())", "a=float32[4,3]", 1, 0},
    {"x = a+1; y = a*2; a", "a=float32[4] x=new y=new", 1, 0},
    {"x = a+1; y = a[:2]", "a=float32[4] x=new y=new", 2, 0},
    {"t = a+1; u = sum(t); a*2", "a=float32[4]", 1, 0},
    {"m = mean(a, axis=0); a - m", "a=float32[4,3] m=new", 2, 0},
    {"t = exp(a - max(a)); t/sum(t)", "a=float32[40]", 3, 2},
    {"log(sum(exp(a - max(a, axis=1, keepdims=True)), axis=1))", "a=float32[4,3]", 2, 1},
    {"sum(z) + 1", "z=float32[0]", 1, 0},
    {"cumsum(a*a, axis=0)*v + 1", "a=float32[4,3] v=float32[3]", 1, 0},
    {"cumsum(a).T[None]*2", "a=float16[4,3]", 1, 0},
    {"cumsum(a, axis=0).T", "a=float32[4,3]", 1, 0},
    {"cumsum(a)[1:]", "a=float32[4]", 2, 1},
    {"cumsum(a) + cummax(a)", "a=float32[4]", 2, 1},
    {"cumsum(a, axis=0) + cumsum(a, axis=0)", "a=float32[4,3]", 1, 0},
    {"cumsum(a, axis=0) + cumsum(a, axis=0, exclusive=True)", "a=float32[4,3]", 2, 1},
    {"sum(cumsum(a - mean(a)))", "a=float32[40]", 3, 2},
    {"cumsum(a, axis=1)", "a=float32[4,1]", 1, 0},
    {"cumsum(z)", "z=float32[0,3]", 1, 0},
    {"cumsum(2)", "", 1, 0},
    {"2", "", 1, 0},
};

START_TEST(texts_take_so_many_kernels)
{
  const struct count *x = &counts[_i];
  ga_program *p = program_of(x->text, x->spec);
  unsigned int temporaries = 0;
  for (unsigned int i = 0; i < p->nslot; i++) temporaries += p->slots[i].kind == GA_SLOT_TEMP;
  ck_assert_msg(p->nstage == x->stages && temporaries == x->temporaries,
                "%s: %u kernels and %u temporaries, expected %u and %u", x->text, p->nstage,
                temporaries, x->stages, x->temporaries);
  ga_program_free(p);
}
END_TEST

/* Whatever fuses: no temporary has the size of an array, here over 100 elements. */
START_TEST(temporaries_are_results_of_reductions)
{
  static const char *const texts[] = {
      "t = exp(a - max(a, axis=1, keepdims=True)); t / sum(t, axis=1, keepdims=True)",
      "t = a*2; u = t - mean(t, axis=0); v = u/std(u, axis=0); v[1:] + sum(v, axis=1)[1:, None]",
      "x = a - mean(a); y = x*x; z = y/sum(y); z.T[::-1] * max(z, axis=0)[::-1, None]",
      "sum((a - mean(a, axis=0))[:, None, :] * a[:, :, None], axis=0) / (mean(a) + 2)",
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    ga_program *p = program_of(texts[i], "a=float32[20,30]");
    for (unsigned int k = 0; k < p->nslot; k++) {
      size_t n = 1;
      for (unsigned int d = 0; d < p->slots[k].nd; d++) n *= p->slots[k].dims[d];
      if (p->slots[k].kind == GA_SLOT_TEMP) ck_assert_uint_le(n, 100);
    }
    ga_program_free(p);
  }
}
END_TEST

/* The order of a reduction is its own: other sums in the text do not change it. */
START_TEST(sums_in_other_orders_do_not_share_a_pass)
{
  static const size_t dims[] = {4, 4};
  static const ssize_t c[] = {16, 4}, f[] = {4, 16}, back[] = {16, -4};
  static const struct {
    const ssize_t *a, *b;
    unsigned int stages;
  } cases[] = {{c, c, 1}, {f, f, 1}, {c, f, 2}, {f, c, 2}, {c, back, 2}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ga_bind binds[] = {{"a", GA_BIND_ARRAY, GA_DT_FLOAT32, 2, dims, cases[i].a},
                       {"b", GA_BIND_ARRAY, GA_DT_FLOAT32, 2, dims, cases[i].b}};
    ga_ast *ast;
    ga_program *p;
    OK(ga_parse(&ast, "sum(a) + sum(b)"));
    OK(ga_program_new(&p, ast, 2, binds, NULL, 0));
    ck_assert_msg(p->nstage == cases[i].stages, "case %zu: %u stages", i, p->nstage);
    ga_program_free(p);
    ga_ast_free(ast);
  }
}
END_TEST

/* The value goes where it is told, by the array's own strides. */
START_TEST(value_is_written_into_an_array)
{
  static const size_t dims[] = {4, 3}, other[] = {3, 4};
  static const ssize_t f[] = {4, 16};
  ga_bind into = {"", GA_BIND_ARRAY, GA_DT_FLOAT32, 2, dims, f};
  binding b;
  ga_ast *ast;
  ga_program *p;
  binding_read(&b, "a=float64[4,3]");
  OK(ga_parse(&ast, "a*2"));
  OK(ga_program_new(&p, ast, b.n, b.binds, &into, 0));
  const ga_operand *o = &p->stages[0].operands[p->stages[0].stores[0].operand];
  ck_assert_int_eq(o->strides[0], 4);
  ck_assert_int_eq(o->strides[1], 16);
  ck_assert_int_eq(p->slots[p->result].dtype, GA_DT_FLOAT32);
  ga_program_free(p);
  into.dims = other;
  FAILS(GA_VALUE_ERROR, "shape (3,4)", ga_program_new(&p, ast, b.n, b.binds, &into, 0));
  into.dims = dims;
  into.dtype = GA_DT_INT32;
  FAILS(GA_VALUE_ERROR, "write the cast: int32(...)",
        ga_program_new(&p, ast, b.n, b.binds, &into, 0));
  OK(ga_program_new(&p, ast, b.n, b.binds, &into, 1));
  ga_program_free(p);
  ga_ast_free(ast);
  OK(ga_parse(&ast, "t = a*2"));
  FAILS(GA_VALUE_ERROR, "has no value", ga_program_new(&p, ast, b.n, b.binds, &into, 1));
  ga_ast_free(ast);
}
END_TEST

START_TEST(assignments_are_refused)
{
  static const struct {
    const char *text, *spec, *message;
  } bad[] = {
      {"o + 1", "o=new", "read before it is assigned"},
      {"2", "o=new", "does not assign it"},
      {"a = b", "a=float32[3] b=float32[4]", "the shapes must be equal"},
      {"a = b", "a=float32[3] b=float32[1]", "the shapes must be equal"},
      {"a = 2", "a=float32[3]", "the shapes must be equal"},
      {"a = b", "a=int32[3] b=float32[3]", "write the cast: int32(...)"},
      {"a = b", "a=float32[3] b=complex64[3]", "write the cast: float32(...)"},
      {"a = b", "a=uint8[3] b=int8[3]", "write the cast: uint8(...)"},
      {"a = 300", "a=int8[]", "300 does not fit int8"},
      {"a = sum", "a=int8[]", "expected an array or a number"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    ga_program *p;
    FAILS(GA_VALUE_ERROR, bad[i].message, program_try(&p, bad[i].text, bad[i].spec));
    ck_assert_ptr_null(p);
  }
}
END_TEST

/* float64 into float32, int64 into int8: same kind, as NumPy's out=. */
START_TEST(assignments_convert_within_a_kind)
{
  static const char *const specs[] = {"a=float32[3] b=float64[3]",   "a=int8[3] b=int64[3]",
                                      "a=int8[3] b=uint8[3]",        "a=float16[3] b=int64[3]",
                                      "a=complex64[3] b=float64[3]", "a=bfloat16[3] b=float32[3]"};
  for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
    ga_program *p = program_of("a = b; a + a", specs[i]);
    /* what is read afterwards is what was written: of a's dtype */
    ck_assert_int_eq(p->slots[p->result].dtype, p->slots[0].dtype);
    ga_program_free(p);
  }
}
END_TEST

START_TEST(arguments_are_checked)
{
  ga_program *p;
  ga_ast *ast;
  ga_bind twice[] = {{"a", GA_BIND_WEAK_INT, GA_DT_NONE, 0, NULL, NULL},
                     {"a", GA_BIND_WEAK_INT, GA_DT_NONE, 0, NULL, NULL}};
  OK(ga_parse(&ast, "a"));
  FAILS(GA_VALUE_ERROR, "NULL", ga_program_new(NULL, ast, 0, NULL, NULL, 0));
  FAILS(GA_VALUE_ERROR, "NULL", ga_program_new(&p, NULL, 0, NULL, NULL, 0));
  FAILS(GA_VALUE_ERROR, "NULL", ga_program_new(&p, ast, 1, NULL, NULL, 0));
  FAILS(GA_VALUE_ERROR, "arguments 0 and 1 are both called 'a'",
        ga_program_new(&p, ast, 2, twice, NULL, 0));
  twice[1].name = NULL;
  FAILS(GA_VALUE_ERROR, "argument 1 has no name", ga_program_new(&p, ast, 2, twice, NULL, 0));
  ga_ast_free(ast);
  ga_program_free(NULL);
  ga_ast_free(NULL);
}
END_TEST

static const test_case cases[] = {
    CASE_LOOP(programs_are_as_read, sizeof programs / sizeof *programs),
    CASE_LOOP(texts_take_so_many_kernels, sizeof counts / sizeof *counts),
    CASE(temporaries_are_results_of_reductions),
    CASE(sums_in_other_orders_do_not_share_a_pass),
    CASE(value_is_written_into_an_array),
    CASE(assignments_are_refused),
    CASE(assignments_convert_within_a_kind),
    CASE(arguments_are_checked),
    CASE_END};

int main(void) { return test_main("stage", cases); }
