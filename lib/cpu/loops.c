/* SPDX-License-Identifier: MIT */
/* Looking up a loop: in the tables of the instruction set in use. */
#include "loops.h"

#include <string.h>

#include "codegen/oploops.h"
#include "scalar.h"

ga_loop ga_cpu_loop_in(const ga_loops *l, int op, enum ga_dtype loop)
{
  unsigned int i = (unsigned int)op - GA_N_OP;
  if (i >= GA_NOP || loop >= GA_NDTYPE) return NULL;
  for (size_t k = 0; k < sizeof l->fast_op / sizeof *l->fast_op; k++)
    if (l->fast_op[k][loop] && l->fast_op[k][loop][i]) return l->fast_op[k][loop][i];
  return l->op[loop][i];
}

ga_loop ga_cpu_cast_in(const ga_loops *l, enum ga_dtype from, enum ga_dtype to)
{
  if (from >= GA_NDTYPE || to >= GA_NDTYPE) return NULL;
  if (l->fast_cast[from] && l->fast_cast[from][to]) return l->fast_cast[from][to];
  return l->cast[from][to];
}

int ga_cpu_step(int op, enum ga_dtype t, int arg)
{
  const int real = ga_dtypes[t].kind == 'f', sign = ga_dtypes[t].kind == 'i';
  if (ga_cpu_loops(GA_ISA_BASE)->steps[t] == NULL) return -1;
  switch (op) {
  case GA_OP_add: return GA_STEP_ADD;
  case GA_OP_subtract: return arg == 0 ? GA_STEP_SUBTRACT : GA_STEP_FROM;
  case GA_OP_multiply: return GA_STEP_MULTIPLY;
  case GA_OP_divide: return !real ? -1 : arg == 0 ? GA_STEP_DIVIDE : GA_STEP_INTO;
  case GA_OP_square: return GA_STEP_SQUARE;
  case GA_OP_negative: return GA_STEP_NEGATE;
  case GA_OP_absolute: return real || sign ? GA_STEP_ABSOLUTE : -1;
  case GA_OP_where: return real ? GA_STEP_FILL : -1; /* as the interpreter makes it */
  case GA_OP_sqrt: return real ? GA_STEP_ROOT : -1;
  case GA_OP_maximum: return sign ? GA_STEP_SIGNED_MAXIMUM : GA_STEP_MAXIMUM;
  case GA_OP_minimum: return sign ? GA_STEP_SIGNED_MINIMUM : GA_STEP_MINIMUM;
  default: return -1;
  }
}

static const ga_loops *used(void) { return ga_cpu_loops(ga_cpu_isa()); }

ga_loop ga_cpu_loop(int op, enum ga_dtype loop) { return ga_cpu_loop_in(used(), op, loop); }

ga_loop ga_cpu_cast(enum ga_dtype from, enum ga_dtype to)
{
  return ga_cpu_cast_in(used(), from, to);
}

ga_tree ga_cpu_tree_in(const ga_loops *l, enum ga_reduce_op op, enum ga_dtype acc)
{
  if (acc >= GA_NDTYPE || op >= GA_NREDUCE) return NULL;
  if (op == GA_REDUCE_moment) return l->moment_tree[acc];
  return l->free_tree[acc][op] ? l->free_tree[acc][op] : l->tree[acc][op];
}

ga_abreast ga_cpu_abreast_in(const ga_loops *l, enum ga_reduce_op op, enum ga_dtype acc)
{
  return acc < GA_NDTYPE && op < GA_NREDUCE ? l->abreast[acc][op] : NULL;
}

ga_tree ga_cpu_tree(enum ga_reduce_op op, enum ga_dtype acc)
{
  return ga_cpu_tree_in(used(), op, acc);
}

ga_tree ga_cpu_free_tree(enum ga_reduce_op op, enum ga_dtype acc)
{
  return acc < GA_NDTYPE && op < GA_NREDUCE && used()->free_tree[acc] ? used()->free_tree[acc][op]
                                                                      : NULL;
}

ga_short_rows ga_cpu_short_rows(enum ga_reduce_op op, enum ga_dtype acc)
{
  return acc < GA_NDTYPE && op < GA_NREDUCE ? used()->shorts[acc][op] : NULL;
}

ga_tree ga_cpu_wide_sum(enum ga_dtype from) { return from < GA_NDTYPE ? used()->wide[from] : NULL; }

ga_turn ga_cpu_turn(size_t size) { return used()->turn[__builtin_ctz((unsigned int)size)]; }

ga_find ga_cpu_find(enum ga_dtype dtype, int last)
{
  if (dtype >= GA_NDTYPE) return NULL;
  return last ? used()->find_last[dtype] : used()->find[dtype];
}

ga_rake ga_cpu_rake(enum ga_reduce_op op, enum ga_dtype from, enum ga_dtype *acc)
{
  if (from >= GA_NDTYPE || op >= GA_NREDUCE) return NULL;
  *acc = from;
  if (op == GA_REDUCE_sum && ga_cpu_wide_sum(from))
    *acc = ga_dtypes[from].size < 4 ? GA_DT_INT32 : GA_DT_INT64;
  return used()->rake[from][op];
}

ga_combine ga_cpu_combine(enum ga_reduce_op op, enum ga_dtype acc)
{
  return acc < GA_NDTYPE && op < GA_NREDUCE ? used()->combine[acc][op] : NULL;
}

ga_moment_join ga_cpu_moment_join(enum ga_dtype acc)
{
  return acc < GA_NDTYPE ? used()->moment_join[acc] : NULL;
}

ga_scan_loop ga_cpu_scan(enum ga_reduce_op op, enum ga_dtype acc)
{
  return acc < GA_NDTYPE && op < GA_NREDUCE ? used()->scan[acc][op] : NULL;
}

ga_free_scan ga_cpu_free_scan(enum ga_reduce_op op, enum ga_dtype acc)
{
  return acc < GA_NDTYPE && op < GA_NREDUCE ? used()->free_scan[acc][op] : NULL;
}

#define IDENTITY(name, T, C)          \
  case GA_REDUCE_##name: {            \
    C v = ga_identity_##name##_##T(); \
    memcpy(value, &v, sizeof v);      \
    break;                            \
  }
#define IDENTITIES(ID, T, C)                                  \
  static void identity_##T(enum ga_reduce_op op, void *value) \
  {                                                           \
    switch (op) {                                             \
      GA_REDUCES_##T(IDENTITY) default : break;               \
    }                                                         \
  }
GA_DTYPES(IDENTITIES)

void ga_cpu_identity(enum ga_reduce_op op, enum ga_dtype acc, void *value)
{
#define ROW(ID, T, C) [GA_DT_##ID] = identity_##T,
  static void (*const identity[GA_NDTYPE])(enum ga_reduce_op, void *) = {GA_DTYPES(ROW)};
#undef ROW
  identity[acc](op, value);
}

/* What nothing gives, by reduction; 0 bytes where it has no value. */
#define EMPTY_sum(T, C)  PUT(sum, T, C)
#define EMPTY_prod(T, C) PUT(prod, T, C)
#define EMPTY_any(T, C)  PUT(any, T, C)
#define EMPTY_all(T, C)  PUT(all, T, C)
#define EMPTY_min(T, C)
#define EMPTY_max(T, C)
#define PUT(name, T, C)            \
  {                                \
    C v = ga_empty_##name##_##T(); \
    memcpy(value, &v, sizeof v);   \
    return 1;                      \
  }
#define EMPTY(name, T, C) \
  case GA_REDUCE_##name:  \
    EMPTY_##name(T, C) break;
#define EMPTIES(ID, T, C)                                 \
  static int empty_##T(enum ga_reduce_op op, void *value) \
  {                                                       \
    (void)value;                                          \
    switch (op) {                                         \
      GA_REDUCES_##T(EMPTY) default : break;              \
    }                                                     \
    return 0;                                             \
  }
GA_DTYPES(EMPTIES)

int ga_cpu_empty(enum ga_reduce_op op, enum ga_dtype acc, void *value)
{
#define ROW(ID, T, C) [GA_DT_##ID] = empty_##T,
  static int (*const empty[GA_NDTYPE])(enum ga_reduce_op, void *) = {GA_DTYPES(ROW)};
  return acc < GA_NDTYPE ? empty[acc](op, value) : 0;
}
