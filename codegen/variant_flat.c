/* SPDX-License-Identifier: MIT */
/* What threads of a map have whose outputs are vectors of all rows laid end to end (gen.h,
 * kernels/map_flat.cu): one vector, several of which the index is found once, or vectors
 * of small groups of elements that go by way of shared memory. */
#include "gen_kept.h"
#include "ops.h"
#include "variant.h"

#define SHARED_MAX    49152 /* bytes of a block without asking for more */
#define STAGE_VECTORS 4     /* map_flat.cu: GA_EACH */
#define STAGE_GROUP   4096  /* bytes */
#define LAP_MIN       2048  /* threads of a multiprocessor that keep it busy to the end */
#define LAP_WASTE     16    /* of so many threads' time that of one may be idle */
#define LAP_OPS       8
#define FUNCTION      12 /* instructions at least */
#define LONG          (GA_KEEPS_ROOT | GA_KEEPS_FUNCTION)

enum ga_way ga_way_of(const ga_variant *v, const ga_layout *l, const ga_stage *st, unsigned int i)
{
  if (ga_layout_dense(l, st, i)) return GA_WAY_DENSE;
  if (is_boxed(v, i)) return GA_WAY_STAGED;
  if (v->keeps != GA_KEEPS_NONE && !v->by_laps && ga_is_still(v, i)) return GA_WAY_EVEN;
  if (v->laps == 1) return GA_WAY_WALKED;
  if (l->strides[i][v->around] == 0) return GA_WAY_STILL;
  return l->strides[i][l->nk - 1] == 0 && !v->shorter ? GA_WAY_EVEN : GA_WAY_WALKED;
}

unsigned int ga_flat_stage(const ga_variant *v, const ga_stage *st, unsigned int i)
{
  uint64_t n = (uint64_t)(STAGE_VECTORS * GA_BLOCK * v->vec) + 2 * v->each;
  return (unsigned int)((n * size_of(st, i) + 31) / 16 * 16);
}

/* Operand i lies as the loop counts along the axes before s, and along the others, of `group`
 * elements, without gaps in any order. */
static int is_grouped(const ga_stage *st, const ga_layout *l, unsigned int i, unsigned int s,
                      uint64_t group)
{
  ssize_t run = (ssize_t)size_of(st, i), step = run * (ssize_t)group;
  for (unsigned int k = s; k-- > 0; step *= (ssize_t)l->dims[k])
    if (l->strides[i][k] != step) return 0;
  for (unsigned int n = s; n < l->nk; n++) {
    unsigned int k = s;
    while (k < l->nk && l->strides[i][k] != run) k++;
    if (k == l->nk) return 0;
    run *= (ssize_t)l->dims[k];
  }
  return 1;
}

/* Narrow inputs that lie in another order in small groups. */
static void choose_stages(ga_variant *v, const ga_stage *st, const ga_layout *l)
{
  if (v->stepped != 2 || ga_widest(st) >= 4) return;
  v->each = l->dims[l->nk - 1];
  for (unsigned int s = l->nk - 1; s-- > 0 && v->boxed == 0;) {
    v->each *= l->dims[s];
    if (v->each * ga_widest(st) > STAGE_GROUP) return;
    v->shared = 0;
    for (unsigned int i = 0; i < st->noperand && i < 64; i++) {
      if (st->operands[i].write || ga_layout_dense(l, st, i)) continue;
      if (!is_grouped(st, l, i, s, v->each)) continue;
      v->boxed |= (uint64_t)1 << i;
      v->shared += ga_flat_stage(v, st, i);
    }
    if (v->shared > SHARED_MAX) v->boxed = v->shared = 0;
  }
  if (v->boxed != 0) v->grid = ceil_div(v->nvec + v->nsingle, STAGE_VECTORS * GA_BLOCK);
}

/* Bits of the first 64 inputs that stay along the axis of the laps. */
static uint64_t lap_inputs(const ga_variant *v, const ga_stage *st, const ga_layout *l)
{
  uint64_t still = 0;
  for (unsigned int i = 0; i < st->noperand && i < 64; i++)
    if (!st->operands[i].write && l->strides[i][v->around] == 0) still |= (uint64_t)1 << i;
  return still;
}

/* No function that is long to compile, but for exp of two bytes, if that counts, is made of what
 * moves from lap to lap. */
static int is_plain(const ga_stage *st, int counts, uint64_t still)
{
  unsigned char moves[GA_KEPT_NODES];
  const int kept = ga_map_keeps(st, still) != GA_KEEPS_NONE;
  unsigned int ops = 0;
  if (kept) ga_find_moves(moves, st, still);
  for (unsigned int i = 0; i < st->nnode; i++) {
    const ga_node *n = &st->nodes[i];
    if (n->op < GA_N_OP || (kept && !moves[i])) continue;
    if (!(ga_op_info_of(n->op)->flags & GA_OP_PLAIN) &&
        !(counts && n->op == GA_OP_exp && ga_dtypes[n->dtype].size == 2))
      return 0;
    if (++ops > LAP_OPS) return 0;
  }
  return 1;
}

/* Instructions of what is long of a vector's elements. */
static uint64_t made(const ga_variant *v, const ga_stage *st)
{
  uint64_t n = 0;
  for (unsigned int i = 0; i < st->nnode; i++) {
    if (ga_dtypes[st->nodes[i].dtype].size != 2) continue;
    n += st->nodes[i].op == GA_OP_divide ? 12 : st->nodes[i].op == GA_OP_exp ? 8 : 0;
  }
  return n * (uint64_t)v->vec;
}

/* Vectors that a thread should have of which it finds the index once: what a thread does first
 * holds others back where few bytes are moved meanwhile. In instructions: some 100 for a narrow
 * input that stays along the axis of the laps, 50 for one that stays along rows, 80 for elements of
 * a byte. (On an H200, share of the ceiling by 1, 2 and 4: float16 [N, 1001] + [1001] 1.00, 0.97,
 * 0.93, int8 [N, 31] + [31] 0.82, 0.95, 0.94, float16 [N, 1] + [31] 0.39, 0.64, 0.86.) What is made
 * of elements holds them back as much, but where inputs are numbers of rows laps gain nothing
 * by it. */
static unsigned int laps_wanted(const ga_variant *v, const ga_stage *st, const ga_layout *l)
{
  const uint64_t still = v->keeps == GA_KEEPS_NONE ? lap_inputs(v, st, l) : 0;
  uint64_t bytes = 0, work = 40, more;
  int held = 0, rows = 0; /* some input is held; is one that moves along rows */
  for (unsigned int i = 0; i < st->noperand; i++) {
    size_t size = size_of(st, i), vec = (size_t)v->vec;
    enum ga_way way = ga_way_of(v, l, st, i);
    if (st->operands[i].write || way == GA_WAY_DENSE) bytes += vec * size;
    if (st->operands[i].write && size == 1) work += 80;
    if (way == GA_WAY_STILL) work += size < 4 ? 100 : 12 * vec;
    if (way == GA_WAY_EVEN) work += size < 4 ? 50 : 4 * vec;
    held |= way == GA_WAY_STILL || way == GA_WAY_EVEN;
    rows |= way == GA_WAY_STILL && l->strides[i][l->nk - 1] != 0;
  }
  more = rows ? made(v, st) : 0;
  if (rows && ga_map_keeps(st, still) & LONG) more += FUNCTION * (uint64_t)v->vec;
  if (!held || (v->around != 0 && more == 0) || !is_plain(st, rows, still)) return 1;
  return work / 2 + more > 9 * bytes / 2 ? 4 : work + more > 5 * bytes ? 2 : 1;
}

/* Vectors from one of a thread's to the next: whole steps along the axis, each of `step` elements,
 * so `least` of them or a multiple. Of the outermost axis all that there are in so many laps, of
 * others about as many as a block has, and far fewer than the axis has. 0: there is none. */
static uint64_t choose_lap(const ga_variant *v, const ga_layout *l, uint64_t step, uint64_t least)
{
  uint64_t laps = (uint64_t)v->laps, axis = step * l->dims[v->around] / (uint64_t)v->vec, lap;
  if (v->around == 0) {
    lap = ceil_div(ceil_div(v->nvec, laps), least) * least;
    return LAP_WASTE * (laps * lap - v->nvec) > v->nvec ? 0 : lap;
  }
  lap = ceil_div(GA_BLOCK / 2, least) * least;
  return 2 * laps * lap > axis ? 0 : lap;
}

/* Values of what stays from lap to lap are made once, but for divisors alone of other elements than
 * bfloat16. (On an H200, us of 256 MB, each lap's and so: a/c of float16 [67108, 1000] and [1000]
 * off vectors 82 and 87, bfloat16 exp(a - b)/c of [22362, 3001] 76 and 70, float16 a - b - log(c)
 * 100 and 70.) */
static void keep_laps(ga_variant *v, const ga_stage *st, const ga_layout *l)
{
  const uint64_t still = lap_inputs(v, st, l);
  const int keeps = ga_map_keeps(st, still);
  if (v->keeps != GA_KEEPS_NONE || (keeps & ~GA_KEEPS_DIVISOR) == 0) return;
  v->still = still;
  v->keeps = keeps;
  v->by_laps = 1;
}

/* Vectors of a thread that are whole steps along axis v->around apart; returns 0 where one is to
 * have one. */
static int choose_laps(ga_variant *v, const ga_stage *st, const ga_layout *l,
                       const ga_target *target)
{
  uint64_t step = 1, common, least, lap = 0;
  for (unsigned int k = v->around + 1; k < l->nk; k++) step *= l->dims[k];
  common = common_divisor((uint64_t)v->vec, step);
  least = step / common; /* vectors that are whole steps */
  v->laps = 2;           /* which ga_way_of() asks: not that of single vectors */
  for (v->laps = (int)laps_wanted(v, st, l); v->laps > 1; v->laps /= 2) {
    if (v->nvec / (uint64_t)v->laps < ga_enough(target, LAP_MIN)) continue;
    if ((lap = choose_lap(v, l, step, least)) != 0) break;
  }
  if (lap == 0) return 0;
  keep_laps(v, st, l);
  v->lap = lap;
  v->hop = lap / least * ((uint64_t)v->vec / common);
  v->units = ceil_div(v->nvec, (uint64_t)v->laps * lap) * lap;
  v->grid = ceil_div(v->units + v->nsingle, GA_BLOCK);
  return 1;
}

void ga_flat_threads(ga_variant *v, const ga_stage *st, const ga_layout *l, const ga_target *target)
{
  v->lap = v->nvec;
  for (v->around = 0; v->around + 1 < l->nk; v->around++)
    if (choose_laps(v, st, l, target)) return;
  v->around = 0;
  v->laps = 1;
  choose_stages(v, st, l);
}
