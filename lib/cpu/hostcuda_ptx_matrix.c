/* SPDX-License-Identifier: MIT */
/* Instructions of inline PTX on matrices that a warp holds: calls of hostcuda_mma.hpp. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hostcuda_ptx_words.h"

/* The registers of word i as an array. */
static unsigned int emit_array(ga_ptx_reader *r, ga_ptx_instruction *in, unsigned int i,
                               const char *name)
{
  ga_ptx_instruction each;
  char room[ROOM];
  const unsigned int n = ga_ptx_elements(in, i, &each);
  ga_ptx_emit(r, "const ga_ptx_reg ga_ptx_%s[] = {", name);
  for (unsigned int k = 0; k < n; k++)
    ga_ptx_emit(r, "%s%s", k > 0 ? ", " : "", ga_ptx_source(r, &each, k, room));
  ga_ptx_emit(r, "}; ");
  return n;
}

/* ga_ptx_d's elements to the registers of word i. */
static unsigned int emit_targets(ga_ptx_reader *r, ga_ptx_instruction *in, unsigned int i)
{
  ga_ptx_instruction each;
  char room[ROOM];
  const unsigned int n = ga_ptx_elements(in, i, &each);
  for (unsigned int k = 0; k < n; k++)
    ga_ptx_emit(r, "%s = ga_ptx_d[%u]; ", ga_ptx_target(r, &each, k, room), k);
  return n;
}

/* mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {d...}, {a...}, {b...}, {c...}; */
int ga_ptx_multiply(ga_ptx_reader *r, ga_ptx_instruction *in)
{
  static const char *const inputs[] = {"f16", "bf16", "tf32", "s8", "u8", "f64"};
  const ga_ptx_type *type[4]; /* of d, a, b, c */
  unsigned int m, k, known = 0;
  const char *shape = strstr(in->op, ".aligned.m");
  for (int i = 0; i < 4; i++) type[i] = ga_ptx_type_of(in, 3 - i);
  if (shape == NULL || sscanf(shape, ".aligned.m%un8k%u.row.col.", &m, &k) != 2) return 0;
  if (in->nword != 4 || type[0] == NULL || type[1] == NULL || type[2] == NULL || type[3] == NULL)
    return 0;
  for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
    known |= strcmp(type[1]->name, inputs[i]) == 0;
  const unsigned int bits = (unsigned int)strtoul(strpbrk(type[1]->name, "0123456789"), NULL, 10);
  const unsigned int step = bits < 32 ? 128 / bits : 4; /* along k, of a register of 4 lanes */
  if (!known || (m != 8 && m != 16) || k == 0 || k % step != 0) return 0;
  const unsigned int sums[2] = {m / (strcmp(type[0]->name, "f16") == 0 ? 8 : 4),
                                m / (strcmp(type[3]->name, "f16") == 0 ? 8 : 4)};
  ga_ptx_emit(r, "{ ga_ptx_reg ga_ptx_d[%u]; ", sums[0]);
  int good = emit_array(r, in, 1, "a") == m / 8 * (k / step);
  good &= emit_array(r, in, 2, "b") == k / step;
  good &= emit_array(r, in, 3, "c") == sums[1];
  ga_ptx_emit(r, "ga_ptx_mma<%s, %s, %s, %s, %u, %u>", type[0]->text, type[1]->text, type[2]->text,
              type[3]->text, m, k);
  ga_ptx_emit(r, "(ga_ptx_here, ga_ptx_a, ga_ptx_b, ga_ptx_c, ga_ptx_d, %d); ",
              ga_ptx_has(in, "satfinite"));
  good &= emit_targets(r, in, 0) == sums[0];
  ga_ptx_emit(r, "} ");
  return good;
}

/* ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {d...}, [a]; and stmatrix the other way. */
int ga_ptx_move_matrices(ga_ptx_reader *r, ga_ptx_instruction *in)
{
  const int store = ga_ptx_is(in, "stmatrix");
  const unsigned int n = ga_ptx_has(in, "x1")   ? 1
                         : ga_ptx_has(in, "x2") ? 2
                         : ga_ptx_has(in, "x4") ? 4
                                                : 0;
  char room[ROOM];
  if (n == 0 || in->nword != 2 || !ga_ptx_has(in, "m8n8") || !ga_ptx_has(in, "b16")) return 0;
  ga_ptx_emit(r, "{ ");
  int good = !store || emit_array(r, in, 1, "s") == n;
  ga_ptx_emit(r, "ga_ptx_reg ga_ptx_d[4]; ");
  for (unsigned int i = 0; store && i < n; i++)
    ga_ptx_emit(r, "ga_ptx_d[%u] = ga_ptx_s[%u]; ", i, i);
  ga_ptx_emit(r, "ga_ptx_matrices(ga_ptx_here, %s, %u, %d, %d, ga_ptx_d); ",
              ga_ptx_address(r, in, store ? 0 : 1, 1, room), n, ga_ptx_has(in, "trans"), store);
  if (!store) good &= emit_targets(r, in, 0) == n;
  ga_ptx_emit(r, "} ");
  return good;
}
