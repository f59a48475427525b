/* SPDX-License-Identifier: MIT */
/* Rules of types (promote.h). The order of types.def is the order of promotion,
 * so that the promoted dtype is the first that both cast to safely; bfloat16
 * stands beside float16 as a type of its own, and float32 is their first common
 * one. tests/data/promote.txt holds NumPy's own answers. */
#include "promote.h"

/* Bits of an integer that floating `d` holds, counting a sign. */
static int exact_bits(enum ga_dtype d)
{
  switch (d) {
  case GA_DT_FLOAT16:
  case GA_DT_BFLOAT16: return 8;
  case GA_DT_FLOAT32:
  case GA_DT_COMPLEX64: return 16;
  default: return 64; /* NumPy calls int64 -> float64 safe */
  }
}

/* float16 -> 1, bfloat16 -> 1, float32 -> 2, float64 -> 3, by their parts. */
static int precision(enum ga_dtype d)
{
  switch (d) {
  case GA_DT_FLOAT16:
  case GA_DT_BFLOAT16: return 1;
  case GA_DT_FLOAT32:
  case GA_DT_COMPLEX64: return 2;
  default: return 3;
  }
}

int ga_cast_safe(enum ga_dtype from, enum ga_dtype to)
{
  char f = ga_kind(from), t = ga_kind(to);
  if (from == to || f == 'b') return 1;
  if (t == 'b') return 0;
  if (f == 'c') return t == 'c' && precision(from) <= precision(to);
  if (f == 'f') return (t == 'f' || t == 'c') && precision(from) < precision(to) + (t == 'c');
  if (t == 'f' || t == 'c') return 8 * ga_dtypes[from].size <= exact_bits(to);
  if (f == t) return ga_dtypes[from].size <= ga_dtypes[to].size;
  return f == 'u' && ga_dtypes[from].size < ga_dtypes[to].size;
}

static int rank_of(enum ga_dtype d)
{
  switch (ga_kind(d)) {
  case 'b': return 0;
  case 'u': return 1;
  case 'i': return 2;
  case 'f': return 3;
  default: return 4;
  }
}

int ga_cast_same_kind(enum ga_dtype from, enum ga_dtype to)
{
  return ga_cast_safe(from, to) || (rank_of(from) <= rank_of(to) && rank_of(to) > 0);
}

enum ga_dtype ga_promote(enum ga_dtype a, enum ga_dtype b)
{
  if (a == GA_DT_NONE) return b;
  if (b == GA_DT_NONE) return a;
  for (int t = 0; t < GA_NDTYPE; t++)
    if (ga_cast_safe(a, (enum ga_dtype)t) && ga_cast_safe(b, (enum ga_dtype)t))
      return (enum ga_dtype)t;
  return GA_DT_NONE; /* not reached: complex128 takes all */
}

enum ga_dtype ga_promote_all(const enum ga_dtype *d, int n)
{
  enum ga_dtype all = GA_DT_NONE;
  for (int whole = 0; whole < 2; whole++)
    for (int i = 0; i < n; i++)
      if (d[i] != GA_DT_NONE && (rank_of(d[i]) < 3) == whole) all = ga_promote(all, d[i]);
  return all;
}

enum ga_dtype ga_promote_weak(enum ga_dtype d, enum ga_number_kind kind)
{
  int none = d == GA_DT_NONE;
  char k = none ? 'b' : ga_kind(d);
  switch (kind) {
  case GA_NUM_BOOL: return none ? GA_DT_BOOL : d;
  case GA_NUM_INT: return k == 'b' ? GA_DT_INT64 : d;
  case GA_NUM_FLOAT: return k == 'f' || k == 'c' ? d : GA_DT_FLOAT64;
  default:
    if (k == 'c') return d;
    return k == 'f' && precision(d) < 3 ? GA_DT_COMPLEX64 : GA_DT_COMPLEX128;
  }
}

enum ga_dtype ga_loop_of(const ga_op_info *op, const enum ga_dtype *args)
{
  int first = op->flags & GA_OP_COND ? 1 : 0;
  int whole = 1;
  for (int i = first; i < op->nargs; i++)
    whole &= ga_kind(args[i]) != 'f' && ga_kind(args[i]) != 'c';
  if (op->flags & GA_OP_FLOATDIV && whole) return GA_DT_FLOAT64;
  for (const char *c = op->loops; *c != '\0'; c++) {
    enum ga_dtype t = ga_dtype_char(*c);
    int all = t != GA_DT_NONE;
    for (int i = first; all && i < op->nargs; i++) all = ga_cast_safe(args[i], t);
    if (all) return t;
  }
  return GA_DT_NONE;
}

enum ga_dtype ga_real_of(enum ga_dtype d)
{
  if (d == GA_DT_COMPLEX64) return GA_DT_FLOAT32;
  if (d == GA_DT_COMPLEX128) return GA_DT_FLOAT64;
  return d;
}
