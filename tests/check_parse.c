/* SPDX-License-Identifier: MIT */
/* The grammar: precedence as Python's, numbers as Python writes them, errors
 * under the right character, bounds instead of overflows. */
#include <locale.h>

#include "codegen/ast.h"
#include "codegen/ops.h"
#include "codegen/weak.h"
#include "tests/program.h"

static void print_node(ga_str *s, const ga_ast *t, int node);

static void print_kids(ga_str *s, const ga_ast *t, const ga_ast_node *n, const char *head)
{
  ga_str_addf(s, "(%s", head);
  for (unsigned int i = 0; i < n->nkid; i++) {
    ga_str_add(s, " ");
    print_node(s, t, t->kids[n->kid + i]);
  }
  ga_str_add(s, ")");
}

static void print_number(ga_str *s, const ga_number *x)
{
  char text[48];
  ga_int128_text(text, x->i);
  if (x->kind == GA_NUM_FLOAT)
    ga_str_addf(s, "%.17g", x->re);
  else if (x->kind == GA_NUM_COMPLEX)
    ga_str_addf(s, "%.17gj", x->im);
  else if (x->kind == GA_NUM_BOOL)
    ga_str_add(s, x->i ? "True" : "False");
  else
    ga_str_add(s, text);
}

static void print_node(ga_str *s, const ga_ast *t, int node)
{
  char head[128];
  if (node < 0) {
    ga_str_add(s, "_");
    return;
  }
  const ga_ast_node *n = &t->nodes[node];
  ck_assert_int_lt(node, (int)t->nnode);
  for (unsigned int i = 0; i < n->nkid; i++) ck_assert_int_lt(t->kids[n->kid + i], node);
  switch (n->kind) {
  case GA_AST_NUMBER: print_number(s, &n->number); return;
  case GA_AST_NAME: ga_str_add(s, n->name); return;
  case GA_AST_NONE: ga_str_add(s, "None"); return;
  case GA_AST_ELLIPSIS: ga_str_add(s, "..."); return;
  case GA_AST_UNARY:
  case GA_AST_BINARY: print_kids(s, t, n, ga_ops[n->op - GA_N_OP].name); return;
  case GA_AST_CALL: snprintf(head, sizeof head, "%s%s", n->op ? "." : "", n->name); break;
  case GA_AST_KEYWORD: snprintf(head, sizeof head, "%s=", n->name); break;
  case GA_AST_TUPLE: strcpy(head, "tuple"); break;
  case GA_AST_INDEX: strcpy(head, "index"); break;
  case GA_AST_SLICE: strcpy(head, ":"); break;
  case GA_AST_ATTRIBUTE: snprintf(head, sizeof head, ".%s", n->name); break;
  case GA_AST_ASSIGN: snprintf(head, sizeof head, "set %s", n->name); break;
  case GA_AST_VALUE: strcpy(head, "value"); break;
  }
  print_kids(s, t, n, head);
}

static void print_tree(ga_str *s, const ga_ast *t)
{
  for (unsigned int i = 0; i < t->nnode; i++)
    if (t->nodes[i].kind == GA_AST_ASSIGN || t->nodes[i].kind == GA_AST_VALUE)
      print_node(s, t, (int)i);
}

static const struct {
  const char *text, *tree;
} trees[] = {
    {"a + b * c", "(value (add a (multiply b c)))"},
    {"(a + b) * c", "(value (multiply (add a b) c))"},
    {"a - b - c", "(value (subtract (subtract a b) c))"},
    {"a / b // c % d", "(value (remainder (floor_divide (divide a b) c) d))"},
    {"-a ** 2", "(value (negative (power a 2)))"},
    {"2 ** -a", "(value (power 2 (negative a)))"},
    {"a ** b ** c", "(value (power a (power b c)))"},
    {"-a * b", "(value (multiply (negative a) b))"},
    {"~a & b | c ^ d", "(value (bitwise_or (bitwise_and (invert a) b) (bitwise_xor c d)))"},
    {"a << b + c >> d", "(value (right_shift (left_shift a (add b c)) d))"},
    {"a < b + c", "(value (less a (add b c)))"},
    {"a & b == c", "(value (equal (bitwise_and a b) c))"},
    {"a | b != c ^ d", "(value (not_equal (bitwise_or a b) (bitwise_xor c d)))"},
    {"+-~a", "(value (positive (negative (invert a))))"},
    {"a.T[0].T ** 2", "(value (power (.T (index (.T a) 0)) 2))"},
    {"a.sum(axis=0).real", "(value (.real (.sum a (axis= 0))))"},
    {"(a + 1) . max ()", "(value (.max (add a 1)))"},
    {"np.exp(a)*numpy.pi", "(value (multiply (exp a) pi))"},
    {"np.add.reduce(a)", "(value (add.reduce a))"},
    {"np.linalg.norm(a)", "(value (norm a))"},
    {"np.np.T", "(value (.T np))"},
    {"-a[0]", "(value (negative (index a 0)))"},
    {"f(a)[1:, ::-1, None, ..., :2:]",
     "(value (index (f a) (: 1 _ _) (: _ _ (negative 1)) None ... (: _ 2 _)))"},
    {"a[1,]", "(value (index a 1))"},
    {"sum(a, axis=(0, -1), keepdims=True)",
     "(value (sum a (axis= (tuple 0 (negative 1))) (keepdims= True)))"},
    {"sum(a, axis=())", "(value (sum a (axis= (tuple))))"},
    {"f((a,), (b))", "(value (f (tuple a) b))"},
    {"f()", "(value (f))"},
    {"add.reduce(a, 1)", "(value (add.reduce a 1))"},
    {"(add\n . accumulate\n(a)).T[0]", "(value (index (.T (add.accumulate a)) 0))"},
    {"f(a,)", "(value (f a))"},
    {"t = a; t == b", "(set t a)(value (equal t b))"},
    {";; a ;\n\n b # c\n", "(value a)(value b)"},
    {"sum(a,\n  axis=0)\n", "(value (sum a (axis= 0)))"},
    {"a + \\\n b", "(value (add a b))"},
    {"1_000 + 0xfF + 0b_101 + 0o17", "(value (add (add (add 1000 255) 5) 15))"},
    {"1. + .5 + 1e3 + 2.5E-3", "(value (add (add (add 1 0.5) 1000) 0.0025000000000000001))"},
    {"2j * 1.5J", "(value (multiply 2j 1.5j))"},
    {"170141183460469231731687303715884105727", "(value 170141183460469231731687303715884105727)"},
    {"True + None", "(value (add True None))"},
};

START_TEST(texts_parse_as_python)
{
  for (size_t i = 0; i < sizeof trees / sizeof *trees; i++) {
    ga_ast *t;
    ga_str s = {0};
    OK(ga_parse(&t, trees[i].text));
    print_tree(&s, t);
    ck_assert_str_eq(ga_str_text(&s), trees[i].tree);
    ga_str_clear(&s);
    ga_ast_free(t);
  }
}
END_TEST

static const struct {
  const char *text, *message;
} errors[] = {
    {"", "\n^ the text is empty"},
    {"  # nothing\n;", "the text is empty"},
    {"a +", "a +\n   ^ the text ends where a value is expected"},
    {"a + * b", "a + * b\n    ^ expected a number, a name or '('"},
    {"(a + b", "(a + b\n      ^ expected an operator or ')'"},
    {"a + b)", "a + b)\n     ^ ')' without a '('"},
    {"a]", " ^ ']' without a '['"},
    {"a[1:2:3:4]", "a[1:2:3:4]\n       ^ a slice has three parts"},
    {"a[]", "a[]\n  ^ expected an index"},
    {"a b", "a b\n  ^ expected an operator, ';' or the end"},
    {"a @ b", "a @ b\n  ^ matrix products are no part of an expression; call GpuArray_rgemm"},
    {"a and b", "a and b\n  ^ 'and' does not work on arrays; write '&' between bools, or "
                "logical_and(x, y)"},
    {"a or b", "logical_or(x, y)"},
    {"not a", "^ 'not' does not work on arrays; write '~' before a bool, or logical_not(x)"},
    {"a if b else c", "where(condition, x, y)"},
    {"a < b < c", "a < b < c\n      ^ comparisons do not chain; write (x < y) & (y < z)"},
    {"f(a = b = c)", "to compare, write '=='"},
    {"(a = b)", "to compare, write '=='"},
    {"a[0] = b", "only a name can be assigned to"},
    {"a === b", "write '=='"},
    {"a <> b", "write '!='"},
    {"a && b", "a && b\n  ^ '&&' is no operator; write '&'"},
    {"a || b", "write '|'"},
    {"!a", "logical_not(x)"},
    {"a ? b : c", "where(condition, x, y)"},
    {"a += 1", "write name = name + ..."},
    {"a.", "a.\n  ^ expected a name after the '.'"},
    {"a.2", "expected an operator"},
    {"np.(a)", "np.(a)\n   ^ expected a name of NumPy's here"},
    {"np.", "expected a name of NumPy's here"},
    {"add.reduce", "add.reduce\n          ^ expected '(' here: add.reduce(x)"},
    {"a, b", "a statement has one value"},
    {"True = a", "cannot assign to True"},
    {"f(a=1, b)", "an argument by position after one by keyword"},
    {"f(*a)", "arguments are not unpacked"},
    {"[1, 2]", "lists are not values"},
    {"'a'", "text strings"},
    {"1.5.2", "1.5.2\n   ^ expected an operator"},
    {"12ab", "12ab\n  ^ this is no number; after '12'"},
    {"0x", "this is no number"},
    {"0b12", "this is no number"},
    {"1__0", "this is no number"},
    {"1_", "this is no number"},
    {"1e", "this is no number"},
    {"012", "leading zeros; octal is 0o17"},
    {"170141183460469231731687303715884105728", "more than 127 bits"},
    {"a + \xc3\xa9", "a + \xc3\xa9\n    ^ a character outside ASCII"},
    {"# \xc3\xa9\xc3\xa9\na + $", "a + $\n    ^ no operator"},
    {"a\n+ @\nb", "+ @\n  ^ "},
    {"a \x01", "a control character, code 1"},
    {"lambda x: x", "no functions of its own"},
};

START_TEST(errors_point_at_the_fault)
{
  for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
    ga_ast *t;
    FAILS(GA_VALUE_ERROR, errors[i].message, ga_parse(&t, errors[i].text));
    ck_assert_ptr_null(t);
  }
}
END_TEST

static const struct {
  const char *text, *message;
} typing[] = {
    {"sum(a * c, axis=2)",
     "sum(a * c, axis=2)\n        ^ unknown name 'c'; known: a float32(4,3), b float32(4), k int"},
    {"foo(a)", "^ unknown function 'foo'; known: a float32(4,3)"},
    {"a + b", "a + b\n  ^ shapes do not broadcast: operand 1 is float32(4,3), operand 2 is "
              "float32(4); axis -1 has 3 and 4"},
    {"sum(a, axis=2)", "            ^ axis 2 is out of bounds for an array of 2 axes"},
    {"sum(a, axis=(0,0))", "axis 0 is given twice"},
    {"sum(a, axis=k)", "an axis is a literal integer"},
    {"sum(a, axiss=0)", "sum takes no 'axiss='"},
    {"ptp(a, where=b)", "write ptp(where(condition, x, ...))"},
    {"sum(a, where=b)", "where= is an array of bool; write a comparison"},
    {"max(a, where=a > 0)", "max needs initial= beside where="},
    {"sum(a[0], where=a > 0)", "where= does not broadcast to the shape of the array"},
    {"sum(a, 0, axis=0)", "'axis' is given twice"},
    {"sum(a, 0, float32, True)", "by name only"},
    {"add.reduce(a, axis=2)",
     "add.reduce(a, axis=2)\n                   ^ axis 2 is out of bounds"},
    {"add.reduce(a, where=b)", "where= is an array of bool"},
    {"add.reduce(a, 0, float32, True)", "add.reduce takes this argument by name only: keepdims"},
    {"logical_or.reduce(a, dtype=int32)", "the dtype of logical_or is bool"},
    {"maximum.reduce(a[:0])", "max of no elements has no value"},
    {"add.accumulate(a, exclusive=True)", "add.accumulate takes no 'exclusive='"},
    {"add.accumulate(a, 0, float32, 1)", "add.accumulate takes an array, an axis and a dtype"},
    {"a + add.accumulate(a, axis=None)",
     "    ^ add.accumulate runs along one axis of an array; cumsum(x) along all"},
    {"maximum.accumulate(k)", "maximum.accumulate runs along one axis of an array; cummax(x)"},
    {"cummax(k)", "^ cummax cannot accumulate on a scalar"},
    {"var(a > 0, dtype=bool)", "write x ^ y or logical_xor(x, y)"},
    {"logical_and.accumulate(a)", "^ logical_and.accumulate is no scan here"},
    {"1 + hypot.reduce(a)",
     "    ^ hypot.reduce: only add, multiply, maximum, minimum, logical_and"},
    {"b.reduce(a)", "b.reduce: only add, multiply"},
    {"add = a; add.reduce(a)", "'add' is a bound name here, which hides the function"},
    {"reduce(a)", "no function 'reduce' here; write sum"},
    {"a.sort()", "a.sort()\n  ^ arrays have no method 'sort' here"},
    {"add.reduceat(a)", "arrays have no method 'reduceat' here"},
    {"(a).reduce(a)", "arrays have no method 'reduce' here"},
    {"a.shape", "a.shape\n ^ no attribute 'shape' here; arrays have T, mT, real, imag"},
    {"(2).sum()", "only arrays have methods"},
    {"(2).T", "only arrays have axes"},
    {"a.sum", "no attribute 'sum' here"},
    {"a.astype(2)", "astype: a dtype is expected here"},
    {"a.transpose(0, 0)", "axis 0 is given twice"},
    {"swapaxes(a, 0)", "swapaxes needs 'axis2'"},
    {"swapaxes(a, 0, b=1)", "swapaxes takes no 'b='"},
    {"squeeze(a, axis=0, axis=1)", "squeeze: 'axis' is given twice"},
    {"moveaxis(a, (0, 1), 0)", "moveaxis: 2 axes have 1 destination"},
    {"broadcast_to(a, (2, 2))", "the shape (4,3) does not broadcast to (2,2)"},
    {"vdot(a, a[0])", "vdot takes two arrays of the same shape"},
    {"average(a, weights=a[0])", "average: weights have the array's shape"},
    {"sum()", "sum needs an array"},
    {"max(a[:0])", "max of no elements has no value; give it one: initial=..."},
    {"argmax(a[:0])", "argmax of no elements has no value"},
    {"sum(a[:0], initial=None)", "sum of no elements has no value; give it one: initial=..."},
    {"add.reduce(a[:0], initial=None)", "sum of no elements has no value"},
    {"a[4]", "a[4]\n  ^ index 4 is out of bounds for axis 0 of extent 4"},
    {"a[0,0,0]", "too many indices: 3 for an array of 2 axes"},
    {"a[b]", "to choose by an array write where(condition, x, y)"},
    {"a[1.5]", "an index is a literal integer"},
    {"a[::0]", "the step of a slice is not 0"},
    {"a[..., ...]", "one '...' at most"},
    {"2[0]", "only arrays have axes"},
    {"int8(a) + 300", "the integer 300 does not fit int8"},
    {"a & 1", "bitwise_and is not defined for float32, float32"},
    {"-(a > 1)", "write ~x or logical_not(x)"},
    {"(a > 1) - (a > 2)", "write x ^ y or logical_xor(x, y)"},
    {"int8(a)**-1", "integers have no negative powers"},
    {"1/0", "division by zero"},
    {"sqrt(a, a)", "sqrt takes 1 argument, got 2"},
    {"where(a, b)", "where takes 3 arguments, got 2"},
    {"float32(a, b)", "float32 takes 1 argument, got 2"},
    {"sqrt(a, out=b)", "sqrt takes no 'out='"},
    {"dot(a, b)", "GpuArray_rgemm"},
    {"sum", "call it: f(x)"},
    {"float32 + a", "cast with float32(x)"},
    {"b(a)", "'b' is a bound name here, which hides the function"},
    {"np.b(a)", "unknown function 'b'"},
    {"np.a + 1", "unknown name 'a'"},
    {"np = a; np.sum(a)", "'np' is a bound name here, which hides the module"},
    {"linalg = a; np.pi + linalg.T", "'linalg' is a bound name here, which hides the module"},
    {"isclose(1, sum)", "call it: f(x)"},
    {"isclose(1, float32)", "cast with float32(x)"},
    {"isclose(a, k*1j, equal_nan=(1, 2))", "equal_nan= is True or False"},
    {"norm(a, keepdims=(1, 2))", "keepdims= is True or False"},
    {"average(a, 0, None, True)", "average has one value"},
    {"full_like(a[0], a)", "full_like: the value does not broadcast to the shape of the array"},
    {"nan_to_num(a[0], nan=a)", "nan_to_num: what replaces does not broadcast"},
    {"sum(a, where=a > 0, initial=None)", "sum needs initial= beside where="},
    {"nanmean(a, dtype=int32)", "nanmean: dtype= is a float's or a complex one"},
    {"int32(2j)", "write real(x)"},
    {"a + (1, 2)", "expected an array or a number"},
    {"a + None", "expected an array or a number"},
    {"clip(a)+clip()", "clip needs 'a'"},
    {"1j < 2", "does not order complex numbers"},
    {"floor(a*1j)", "floor is not defined for complex64"},
};

START_TEST(typing_errors_say_what_to_write)
{
  for (size_t i = 0; i < sizeof typing / sizeof *typing; i++) {
    ga_program *p;
    FAILS(GA_VALUE_ERROR, typing[i].message,
          program_try(&p, typing[i].text, "a=float32[4,3] b=float32[4] k=int"));
  }
}
END_TEST

/* head n times, middle, tail n times */
static char *repeated(const char *head, const char *middle, const char *tail, size_t n)
{
  ga_str s = {0};
  for (size_t i = 0; i < n; i++) ga_str_add(&s, head);
  ga_str_add(&s, middle);
  for (size_t i = 0; i < n; i++) ga_str_add(&s, tail);
  ck_assert(!s.failed);
  return s.s;
}

START_TEST(deep_and_long_texts_are_bounded)
{
  static const struct {
    const char *head, *middle, *tail;
    size_t n;
    int err;
  } bounds[] = {
      {"np.", "a", "", 300000, GA_XLARGE_ERROR},
      {"(", "a", ")", 100, GA_NO_ERROR},
      {"(", "a", ")", 1000, GA_XLARGE_ERROR},
      {"(", "a", ")", 500000, GA_XLARGE_ERROR},
      {"-", "a", "", 1000, GA_XLARGE_ERROR},
      {"2**", "a", "", 1000, GA_XLARGE_ERROR},
      {"f(", "a", ")", 1000, GA_XLARGE_ERROR},
      {"a[", "1", "]", 1000, GA_XLARGE_ERROR},
      {"", "a", "+a", 8000, GA_NO_ERROR},
      {"", "a", "+a", 500000, GA_XLARGE_ERROR},
      {"", "a", " ", (1 << 20) - 1, GA_NO_ERROR},
      {"", "a", " ", 1 << 20, GA_XLARGE_ERROR},
      {"", "a", ".T", 16000, GA_NO_ERROR},
      {"a;", "a", "", 8000, GA_NO_ERROR},
      {"", "a", "", 1, GA_NO_ERROR},
      {"(", "", "", 1000, GA_XLARGE_ERROR},
      {"", "1", "0", 500000, GA_VALUE_ERROR},
      {"(", "a", ")", 150, GA_NO_ERROR},
      {"(", "a", ")", 151, GA_XLARGE_ERROR},
      {"f(", "a", ")", 150, GA_NO_ERROR},
      {"f(", "a", ")", 151, GA_XLARGE_ERROR},
      {"", "0.1", "0", 500000, GA_NO_ERROR},
      {"", "a", "a", 500000, GA_NO_ERROR},
  };
  for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
    char *text = repeated(bounds[i].head, bounds[i].middle, bounds[i].tail, bounds[i].n);
    ga_ast *t;
    int err = ga_parse(&t, text);
    ck_assert_msg(err == bounds[i].err, "%s %s %s times %zu: %d", bounds[i].head, bounds[i].middle,
                  bounds[i].tail, bounds[i].n, err);
    ck_assert_uint_lt(strlen(gpuarray_error_message()), 1000);
    ga_ast_free(t);
    free(text);
  }
}
END_TEST

/* Operators may nest as deep as the text is long: every pass is a loop. */
START_TEST(long_chains_become_programs)
{
  static const struct {
    const char *head, *middle, *tail;
    size_t n;
    int err;
  } chains[] = {
      {"", "a", "+a*3", 4000, GA_NO_ERROR},
      {"", "t=a", ";t=sqrt(t)+a", 2500, GA_NO_ERROR},
      {"", "t=a", ";t=t.T[::-1]", 2000, GA_NO_ERROR},
      {"", "1", "+1", 8000, GA_NO_ERROR},
      {"", "k", "+k", 150, GA_NO_ERROR},
      {"", "k", "+k", 8000, GA_XLARGE_ERROR},
      {"", "t=a", ";t=t+sum(t,axis=0)", 200, GA_NO_ERROR},
      {"", "t=a", ";t=t+sum(t)", 1500, GA_XLARGE_ERROR},
  };
  for (size_t i = 0; i < sizeof chains / sizeof *chains; i++) {
    char *text = repeated(chains[i].head, chains[i].middle, chains[i].tail, chains[i].n);
    ga_program *p;
    int err = program_try(&p, text, "a=float32[4,4] k=int");
    ck_assert_msg(err == chains[i].err, "%s %s times %zu: %d: %s", chains[i].middle, chains[i].tail,
                  chains[i].n, err, gpuarray_error_message());
    ga_program_free(p);
    free(text);
  }
}
END_TEST

/* A decimal comma in the process's locale is none in a text. */
START_TEST(locale_does_not_matter)
{
  static const char *const names[] = {"de_DE.UTF-8", "de_DE", "fr_FR.UTF-8", "fr_FR"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) setlocale(LC_ALL, names[i]);
  ga_ast *t;
  OK(ga_parse(&t, "1.5 + 2.5e-3"));
  ck_assert(t->nodes[0].number.re == 1.5 && t->nodes[1].number.re == 0.0025);
  ga_ast_free(t);
  setlocale(LC_ALL, "C");
}
END_TEST

START_TEST(null_arguments_are_refused)
{
  ga_ast *t;
  FAILS(GA_VALUE_ERROR, "NULL", ga_parse(NULL, "a"));
  FAILS(GA_VALUE_ERROR, "NULL", ga_parse(&t, NULL));
  ck_assert_ptr_null(t);
}
END_TEST

static const test_case cases[] = {
    CASE(texts_parse_as_python),           CASE(errors_point_at_the_fault),
    CASE(typing_errors_say_what_to_write), CASE(deep_and_long_texts_are_bounded),
    CASE(long_chains_become_programs),     CASE(locale_does_not_matter),
    CASE(null_arguments_are_refused),      CASE_END};

int main(void) { return test_main("parse", cases); }
