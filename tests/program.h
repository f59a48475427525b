/* SPDX-License-Identifier: MIT */
/* Programs for the text tests: a text and what is bound, as
 * "a=float32[4,3] k=int x=float s=int8 o=new", arrays in C order, or as bench/problem.h has
 * "b=int8[3,4]/p10": the axes in the order they lie in memory; "b=int8[3,4]/s": every second
 * element of the last one (memory that tests/twins.h makes has no room for those); "b=int8[3,4]/o":
 * rows that begin with the last element of the one before. */
#ifndef TESTS_PROGRAM_H
#define TESTS_PROGRAM_H

#include "codegen/codegen.h"
#include "tests/common.h"

#define MAXBIND 16

typedef struct binding {
  unsigned int n;
  ga_bind binds[MAXBIND];
  char names[MAXBIND][32];
  size_t dims[MAXBIND][GA_MAXND];
  ssize_t strides[MAXBIND][GA_MAXND];
} binding;

static inline void binding_dims(binding *b, const char *s)
{
  ga_bind *x = &b->binds[b->n];
  ssize_t step = ga_dtypes[x->dtype].size;
  x->kind = GA_BIND_ARRAY;
  x->dims = b->dims[b->n];
  x->strides = b->strides[b->n];
  while (*s != ']') {
    char *end;
    b->dims[b->n][x->nd++] = strtoul(s, &end, 10);
    s = *end == ',' ? end + 1 : end;
  }
  if (strncmp(s, "]/s", 3) == 0) step *= 2;
  for (unsigned int i = x->nd; i-- > 0;) {
    unsigned int k = strncmp(s, "]/p", 3) == 0 ? (unsigned int)(s[3 + i] - '0') : i;
    ck_assert_uint_lt(k, x->nd);
    b->strides[b->n][k] = step;
    step *= (ssize_t)b->dims[b->n][k] - (strncmp(s, "]/o", 3) == 0 && b->dims[b->n][k] > 1);
  }
}

static inline void binding_read(binding *b, const char *spec)
{
  memset(b, 0, sizeof *b);
  while (*(spec += strspn(spec, " \n")) != '\0') {
    ga_bind *x = &b->binds[b->n];
    size_t len = strcspn(spec, " \n"), eq = strcspn(spec, "=");
    const char *type = spec + eq + 1;
    size_t n = strcspn(type, "[ \n");
    ck_assert_uint_lt(eq, sizeof b->names[0]);
    memcpy(b->names[b->n], spec, eq);
    x->name = b->names[b->n];
    if (strncmp(type, "new", n) == 0 && n == 3) {
      x->kind = GA_BIND_NEW;
    } else if (strncmp(type, "int", n) == 0 && n == 3) {
      x->kind = GA_BIND_WEAK_INT;
    } else if (strncmp(type, "float", n) == 0 && n == 5) {
      x->kind = GA_BIND_WEAK_FLOAT;
    } else {
      x->dtype = ga_dtype_named(type, n);
      ck_assert_msg(x->dtype != GA_DT_NONE, "no dtype: %.20s", type);
      x->kind = GA_BIND_SCALAR;
      if (type[n] == '[') binding_dims(b, type + n + 1);
    }
    b->n++;
    spec += len;
  }
}

/* The text as a program; the code of the first failure. */
static inline int program_try(ga_program **p, const char *text, const char *spec)
{
  binding b;
  ga_ast *ast;
  binding_read(&b, spec);
  *p = NULL;
  int err = ga_parse(&ast, text);
  if (err == GA_NO_ERROR) err = ga_program_new(p, ast, b.n, b.binds, NULL, 0);
  ga_ast_free(ast);
  return err;
}

static inline ga_program *program_of(const char *text, const char *spec)
{
  ga_program *p;
  OK(program_try(&p, text, spec));
  return p;
}

#endif
