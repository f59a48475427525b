/* SPDX-License-Identifier: MIT */
/* Reads problem strings and makes their arrays. */
#include "problem.h"

#include <stdlib.h>
#include <string.h>

#define MAXND 8

static int bad(const char *what, const char *where)
{
  fprintf(stderr, "bench: %s: %s\n", what, where);
  return GA_VALUE_ERROR;
}

static int is_float(int typecode)
{
  const char *name = gpuarray_typename(typecode);
  return strstr(name, "float") != NULL || strstr(name, "complex") != NULL;
}

/* Numbers into the elements of the one axis of `a` from `at` on, as many as `i` has. */
static int fill_piece(GpuArray *a, const GpuArray *i, size_t at)
{
  char spec[64];
  GpuArray piece = {0}, numbers = {0};
  int err;
  snprintf(spec, sizeof spec, "%zu:%zu", at, at + i->dimensions[0]);
  err = GpuArray_slice(&piece, a, spec);
  if (err == GA_NO_ERROR)
    err = GpuArray_eval(&numbers, GpuArray_context(a),
                        is_float(a->typecode) ? "float32((i + at)*7919 % 1021)/1021 + 0.5"
                                              : "1 + (i + at)*7919 % 13",
                        GA_ARGS(ga_array("i", i), ga_int("at", (long long)at)));
  if (err == GA_NO_ERROR) err = GpuArray_move(&piece, &numbers);
  GpuArray_clear(&numbers);
  GpuArray_clear(&piece);
  return err;
}

/* A new array with numbers in it, made PIECE elements at a time: what computes them takes eight
 * bytes for each, and arrays may be as large as memory. */
static int fill(GpuArray *a, gpucontext *ctx, int typecode, unsigned int nd, const size_t *dims,
                ga_order order)
{
  enum { PIECE = 1 << 26 };
  GpuArray i = {0};
  size_t n = 1, at, len = 0;
  unsigned int k;
  int err;

  for (k = 0; k < nd; k++) n *= dims[k];
  err = GpuArray_empty(a, ctx, typecode, GA_DIMS(n), GA_C_ORDER);
  for (at = 0; at < n && err == GA_NO_ERROR; at += len) {
    size_t before = len;
    len = n - at < PIECE ? n - at : PIECE;
    if (len != before) {
      GpuArray_clear(&i);
      err = GpuArray_arange(&i, ctx, GA_LONG, 0, (double)len, 1);
    }
    if (err == GA_NO_ERROR) err = fill_piece(a, &i, at);
  }
  GpuArray_clear(&i);
  if (err == GA_NO_ERROR) err = GpuArray_reshape_inplace(a, nd, dims, order);
  return err;
}

/* Replaces `a` by its view with the last axis indexed by `last`. */
static int slice_last(GpuArray *a, unsigned int nd, const char *last)
{
  char spec[8 * MAXND + 16] = "";
  GpuArray v;
  unsigned int i;
  int err;
  for (i = 0; i + 1 < nd; i++) strcat(spec, ":, ");
  strcat(spec, last);
  err = GpuArray_slice(&v, a, spec);
  if (err != GA_NO_ERROR) return err;
  GpuArray_clear(a);
  *a = v;
  return GA_NO_ERROR;
}

/* Where each axis lies in memory, outermost first: as they are, reversed, or as "p201" says. */
static void axes_of(unsigned int *axes, unsigned int nd, const char *layout)
{
  const char *p = strchr(layout, 'p');
  unsigned int i;
  for (i = 0; i < nd; i++) axes[i] = strchr(layout, 't') ? nd - 1 - i : i;
  for (i = 0; i < nd && p != NULL && p[1 + i] >= '0' && p[1 + i] < '0' + (int)nd; i++)
    axes[p[1 + i] - '0'] = i;
}

static int make(GpuArray *a, gpucontext *ctx, int typecode, unsigned int nd, const size_t *dims,
                const char *layout)
{
  size_t real[MAXND];
  unsigned int axes[MAXND], i;
  int t = strpbrk(layout, "tp") != NULL, err;

  axes_of(axes, nd, layout);
  for (i = 0; i < nd; i++) real[axes[i]] = dims[i];
  if (nd > 0 && strchr(layout, 's')) real[nd - 1] *= 2;
  if (nd > 0 && strchr(layout, 'u')) real[nd - 1] += 1;
  err = fill(a, ctx, typecode, nd, real, strchr(layout, 'f') ? GA_F_ORDER : GA_C_ORDER);
  if (err == GA_NO_ERROR && t) err = GpuArray_transpose_inplace(a, axes);
  if (err == GA_NO_ERROR && strchr(layout, 's')) err = slice_last(a, nd, "::2");
  if (err == GA_NO_ERROR && strchr(layout, 'u')) err = slice_last(a, nd, "1:");
  if (err == GA_NO_ERROR && strchr(layout, 'r')) err = slice_last(a, nd, "::-1");
  return err;
}

/* "a=float32[4000,4000]/t", which it cuts up */
static int declare(problem *p, gpucontext *ctx, char *decl)
{
  char *eq = strchr(decl, '='), *open = strchr(decl, '['), *close = strchr(decl, ']'), *s;
  size_t dims[MAXND];
  unsigned int nd = 0;
  int typecode;

  if (eq == NULL || open == NULL || close == NULL || open < eq || close < open ||
      p->n == PROBLEM_MAXARGS)
    return bad("not an array", decl);
  *eq = *open = *close = 0;
  typecode = gpuarray_typecode(eq + 1);
  if (typecode < 0) return bad("unknown dtype", eq + 1);
  for (s = open + 1; *s >= '0' && *s <= '9' && nd < MAXND; s += *s == ',')
    dims[nd++] = strtoull(s, &s, 10);
  if (*s != 0) return bad("not a shape", open + 1);
  snprintf(p->names[p->n], sizeof p->names[0], "%s", decl);
  p->args[p->n] = ga_array(p->names[p->n], &p->arrays[p->n]);
  return make(&p->arrays[p->n++], ctx, typecode, nd, dims, close[1] == '/' ? close + 2 : "");
}

/* The next word of *s; NULL at its end. */
static char *word(char **s)
{
  char *w = *s + strspn(*s, " ");
  if (*w == 0) return NULL;
  *s = w + strcspn(w, " ");
  if (**s != 0) *(*s)++ = 0;
  return w;
}

void problem_expand(char *out, size_t size, const char *spec, int log2n)
{
  size_t n = 0, d;
  char *end;
  for (; *spec && n + 24 < size;) {
    if (spec[0] == '%' && (spec[1] == 'N' || spec[1] == 'R')) {
      size_t value = (size_t)1 << (spec[1] == 'N' ? log2n : log2n / 2);
      spec += 2;
      if (*spec == '/' && (d = strtoull(spec + 1, &end, 10)) > 0) {
        value = value / d > 0 ? value / d : 1;
        spec = end;
      }
      n += (size_t)snprintf(out + n, size - n, "%zu", value);
    } else {
      out[n++] = *spec++;
    }
  }
  out[n] = 0;
}

int problem_init(problem *p, gpucontext *ctx, const char *spec)
{
  char copy[1024], *text, *arrow, *arrays, *w, *target = NULL;
  unsigned int i;
  int err;

  memset(p, 0, sizeof *p);
  p->into = -1;
  if (strlen(spec) >= sizeof p->text) return bad("longer than a problem may be", spec);
  snprintf(copy, sizeof copy, "%s", spec);
  text = strstr(copy, ": ");
  arrays = strstr(copy, " | ");
  if (text == NULL || arrays == NULL || arrays < text) return bad("no name or no arrays in", spec);
  *text = *arrays = 0;
  text += 2;
  arrays += 3;
  arrow = strstr(text, " -> ");
  if (arrow != NULL) {
    *arrow = 0;
    target = arrow + 4;
  }
  snprintf(p->name, sizeof p->name, "%.63s", copy);
  snprintf(p->text, sizeof p->text, "%s", text);
  while ((w = word(&arrays)) != NULL)
    if ((err = declare(p, ctx, w)) != GA_NO_ERROR) return err;
  for (i = 0; i < p->n && target != NULL; i++)
    if (strcmp(p->names[i], target) == 0) p->into = (int)i;
  return target != NULL && p->into < 0 ? bad("unknown output", target) : GA_NO_ERROR;
}

int problem_run(problem *p, GpuExpr *e)
{
  GpuArray out;
  int err;
  if (p->into >= 0) return GpuExpr_call_into(e, &p->arrays[p->into], p->n, p->args);
  err = GpuExpr_call(e, &out, p->n, p->args);
  if (err == GA_NO_ERROR) GpuArray_clear(&out);
  return err;
}

void problem_clear(problem *p)
{
  unsigned int i;
  for (i = 0; i < p->n; i++) GpuArray_clear(&p->arrays[i]);
}
