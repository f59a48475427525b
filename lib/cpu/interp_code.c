/* SPDX-License-Identifier: MIT */
/* Nodes of a stage to straight-line code: a place for every value, an
 * instruction for every operation, and registers shared between values that are
 * never alive together, so that a block's values stay in the first-level cache.
 *
 * A value may be computed straight into the array it is stored to ("direct"), as
 * long as no later instruction reads an array: outputs may be inputs too. */
#include <stdlib.h>
#include <string.h>

#include "interp.h"

/* A code in the making. */
typedef struct maker {
  const ga_compile *what;
  ga_code *c;
  unsigned char *wanted; /* [nnode] */
  unsigned char *number; /* [nnode] */
  unsigned int *place;   /* [nnode] */
  enum ga_dtype *dtype;  /* [place] */
  unsigned int *last;    /* [place]: last instruction that reads it */
  unsigned char *kind;   /* [place] */
  unsigned char *kept;   /* [place]: is stored or a result */
  int *op;               /* [instruction]: GA_OP_*, 0: another */
} maker;

static size_t size_of(enum ga_dtype t) { return ga_dtypes[t].size; }

static const ga_node *node_at(const maker *m, int i) { return &m->what->st->nodes[i]; }

/* ---- which nodes ---------------------------------------------------------------- */

static int number_ok(const maker *m, int i)
{
  return i >= 0 && (unsigned int)i < m->what->st->nnode;
}

/* Marks the nodes made of numbers alone, which are of either level. */
static void find_numbers(maker *m)
{
  for (unsigned int i = 0; i < m->what->st->nnode; i++) {
    const ga_node *n = node_at(m, (int)i);
    int number = n->op == GA_N_CAST || n->op >= GA_N_OP;
    for (int k = 0; k < 3 && number; k++)
      number = n->arg[k] < 0 || ((unsigned int)n->arg[k] < i && m->number[n->arg[k]]);
    m->number[i] = number || n->op == GA_N_PARAM;
  }
}

static int belongs(const maker *m, int i)
{
  return (node_at(m, i)->level & 1) == m->what->level || m->number[i];
}

static int want_node(maker *m, int i)
{
  if (!number_ok(m, i) || !belongs(m, i))
    return ga_error(GA_IMPL_ERROR, "stage: node %d is not of the level that uses it", i);
  m->wanted[i] = 1;
  return GA_NO_ERROR;
}

/* Node i is where(isnan(x), number, x), or the same with ~isnan(x), as nansum has it: a step of x
 * and the number, which src is given. */
static int is_fill(const maker *m, int i, int src[2])
{
  const ga_node *n = node_at(m, i), *nan;
  if (n->op != GA_OP_where || ga_cpu_step(n->op, n->dtype, 0) < 0) return 0;
  nan = node_at(m, n->arg[0]);
  int kept = nan->op == GA_OP_logical_not;
  if (kept) nan = node_at(m, nan->arg[0]);
  src[0] = n->arg[kept ? 1 : 2];
  src[1] = n->arg[kept ? 2 : 1];
  return nan->op == GA_OP_isnan && nan->arg[0] == src[0] && !m->number[src[0]] &&
         node_at(m, src[1])->op == GA_N_PARAM;
}

static int want_nodes(maker *m)
{
  const ga_stage *st = m->what->st;
  for (unsigned int i = 0; i < m->what->nresult; i++) GA_TRY(want_node(m, m->what->results[i]));
  for (unsigned int i = 0; i < st->nstore; i++)
    if ((node_at(m, st->stores[i].node)->level & 1) == m->what->level)
      GA_TRY(want_node(m, st->stores[i].node));
  for (int i = (int)st->nnode - 1; i >= 0; i--) {
    const ga_node *n = node_at(m, i);
    if (!m->wanted[i] || n->op == GA_N_REDUCE) continue;
    int fill[2];
    for (int k = is_fill(m, i, fill); k < 3; k++)
      if (n->arg[k] >= 0) GA_TRY(want_node(m, n->arg[k]));
  }
  return GA_NO_ERROR;
}

/* ---- places and instructions ------------------------------------------------------ */

static unsigned int new_place(maker *m, enum ga_dtype t, int kind)
{
  unsigned int p = m->c->nplace++;
  m->dtype[p] = t;
  m->kind[p] = (unsigned char)kind;
  return p;
}

static int new_instr(maker *m, ga_loop fn, unsigned int *dst, enum ga_dtype t, unsigned int nsrc,
                     const unsigned int *src)
{
  if (fn == NULL)
    return ga_error(GA_IMPL_ERROR,
                    "stage: the cpu device has no loop for an operation "
                    "on %s",
                    ga_dtypes[t].name);
  ga_instr *in = &m->c->instrs[m->c->ninstr];
  in->fn = fn;
  in->nsrc = nsrc;
  memcpy(in->src, src, nsrc * sizeof *src);
  for (unsigned int k = 0; k < nsrc; k++) m->last[src[k]] = m->c->ninstr;
  in->dst = *dst = new_place(m, t, GA_PLACE_TEMP);
  m->last[*dst] = m->c->ninstr++;
  return GA_NO_ERROR;
}

/* How an operand's (or the iota's) elements are reached. */
static ga_access make_access(const maker *m, int operand, unsigned int place, size_t size)
{
  const ga_compile *w = m->what;
  const ga_code *c = m->c;
  unsigned int row = operand < 0 ? w->st->noperand : (unsigned int)operand;
  ga_access a = {.operand = operand,
                 .place = place,
                 .size = size,
                 .once = 1,
                 .contig = c->nd,
                 .run = 1,
                 .strides = w->strides[row]};
  if (operand < 0) a.base = (intptr_t)w->l->iota_base;
  for (unsigned int k = 0; k < c->nall; k++)
    if (w->moves[k] && a.strides[k] != 0) a.once = 0;
  while (operand >= 0 && a.contig > 0 && a.strides[a.contig - 1] == (ssize_t)(a.run * size)) {
    a.contig--;
    a.run *= c->dims[a.contig];
  }
  return a;
}

static void add_load(maker *m, int i, int operand)
{
  enum ga_dtype t = node_at(m, i)->dtype;
  m->place[i] = new_place(m, t, GA_PLACE_LOAD);
  m->c->loads[m->c->nload++] = make_access(m, operand, m->place[i], size_of(t));
}

static void add_const(maker *m, int i)
{
  const ga_node *n = node_at(m, i);
  m->place[i] = new_place(m, n->dtype, GA_PLACE_CONST);
  m->c->consts[m->c->nconst++] =
      (ga_const){m->place[i], (unsigned int)n->index, size_of(n->dtype), 0};
}

static ga_fusing known(const maker *m)
{
  const ga_compile *w = m->what;
  return (ga_fusing){m->op, m->dtype, m->kind, m->kept, w->far, w->nresult > 0, w->whole};
}

static int add_cast(maker *m, int i, unsigned int from)
{
  enum ga_dtype to = node_at(m, i)->dtype;
  if (m->dtype[from] == to) {
    m->place[i] = from;
    return GA_NO_ERROR;
  }
  const ga_fusing what = known(m);
  return new_instr(m, ga_code_cast(&what, from, to), &m->place[i], to, 1, &from);
}

/* The result of a reduction: its accumulator, converted where the node is of
 * another dtype (a sum of float16 is a float32). */
static int add_reduced(maker *m, int i)
{
  const ga_node *n = node_at(m, i);
  const ga_reduction *r = &m->what->st->reductions[n->index];
  unsigned int *p = &m->what->reduced[n->index];
  if (*p == GA_NOPLACE) *p = new_place(m, r->iota >= 0 ? GA_DT_INT64 : r->acc, GA_PLACE_FOREIGN);
  return add_cast(m, i, *p);
}

/* The copy is never made: the step takes its place. */
static int add_fill(maker *m, int i, const int *fill)
{
  enum ga_dtype t = node_at(m, i)->dtype;
  const unsigned int src[2] = {m->place[fill[0]], m->place[fill[1]]};
  m->op[m->c->ninstr] = GA_OP_where;
  return new_instr(m, ga_cpu_cast(t, t), &m->place[i], t, 2, src);
}

static int add_op(maker *m, int i)
{
  int fill[2];
  if (is_fill(m, i, fill)) return add_fill(m, i, fill);
  const ga_node *n = node_at(m, i);
  unsigned int src[3] = {0}, nsrc = (unsigned int)ga_ops[n->op - GA_N_OP].nargs;
  for (unsigned int k = 0; k < nsrc; k++) src[k] = m->place[n->arg[k]];
  if (n->op == GA_OP_positive) {
    m->place[i] = src[0];
    return GA_NO_ERROR;
  }
  const ga_fusing what = known(m);
  m->op[m->c->ninstr] = n->op;
  return new_instr(m, ga_code_op(&what, n, nsrc, src), &m->place[i], n->dtype, nsrc, src);
}

static int add_node(maker *m, int i)
{
  const ga_node *n = node_at(m, i);
  switch (n->op) {
  case GA_N_LOAD: add_load(m, i, n->index); return GA_NO_ERROR;
  case GA_N_IOTA: add_load(m, i, -1); return GA_NO_ERROR;
  case GA_N_PARAM: add_const(m, i); return GA_NO_ERROR;
  case GA_N_CAST: return add_cast(m, i, m->place[n->arg[0]]);
  case GA_N_REDUCE:
    if (m->what->reduced != NULL) return add_reduced(m, i);
    break;
  default:
    if (n->op >= GA_N_OP && n->op < GA_OP_END) return add_op(m, i);
  }
  return ga_error(GA_IMPL_ERROR, "stage: node %d has no meaning where it stands", i);
}

/* ---- stores ---------------------------------------------------------------------- */

static int reads_array(const maker *m, const ga_instr *in)
{
  for (unsigned int k = 0; k < in->nsrc; k++)
    if (m->kind[in->src[k]] == GA_PLACE_LOAD) return 1;
  return 0;
}

/* The instruction that computes `place`, after which none reads an array. */
static int may_be_direct(const maker *m, unsigned int place)
{
  for (unsigned int i = m->c->ninstr; i-- > 0;) {
    if (m->c->instrs[i].dst == place) return 1;
    if (reads_array(m, &m->c->instrs[i])) return 0;
  }
  return 0;
}

static int add_put(maker *m, const ga_store *s, int alone)
{
  unsigned int place = m->place[s->node];
  enum ga_dtype t = m->dtype[place];
  /* Two stores: one must not overwrite what the other has yet to copy. */
  if (!alone && m->kind[place] == GA_PLACE_LOAD)
    GA_TRY(new_instr(m, ga_cpu_cast(t, t), &place, t, 1, &place));
  ga_put *p = &m->c->puts[m->c->nput++];
  p->to = make_access(m, s->operand, place, size_of(t));
  p->direct = m->kind[place] == GA_PLACE_TEMP;
  if (p->direct) m->kind[place] = GA_PLACE_KEPT;
  return GA_NO_ERROR;
}

static int add_puts(maker *m)
{
  const ga_stage *st = m->what->st;
  unsigned int n = 0;
  for (unsigned int i = 0; i < st->nstore; i++)
    n += (node_at(m, st->stores[i].node)->level & 1) == m->what->level;
  for (unsigned int i = 0; i < st->nstore; i++)
    if ((node_at(m, st->stores[i].node)->level & 1) == m->what->level)
      GA_TRY(add_put(m, &st->stores[i], n == 1));
  for (unsigned int i = 0; i < m->c->nput; i++) {
    ga_put *p = &m->c->puts[i];
    p->direct = p->direct && may_be_direct(m, p->to.place);
  }
  return GA_NO_ERROR;
}

/* Reductions send their values where they like, so a result has a register of
 * its own and is no store's. */
static void keep_results(maker *m)
{
  for (unsigned int i = 0; i < m->what->nresult; i++) {
    unsigned int p = m->place[m->what->results[i]];
    m->what->places[i] = p;
    if (m->kind[p] == GA_PLACE_TEMP) m->kind[p] = GA_PLACE_KEPT;
    for (unsigned int k = 0; k < m->c->nput; k++)
      if (m->c->puts[k].to.place == p) m->c->puts[k].direct = 0;
  }
}

static void mark_fixed(maker *m)
{
  ga_code *c = m->c;
  for (unsigned int i = 0; i < c->nconst; i++) c->fixed[c->consts[i].place] = 1;
  for (unsigned int i = 0; i < c->nload; i++)
    c->fixed[c->loads[i].place] = (unsigned char)c->loads[i].once;
}

/* ---- registers ------------------------------------------------------------------- */

/* A new register. Registers are as long as pages or nearly so; were their
 * distances multiples of a page, all would fall on the same cache sets. */
static void new_register(maker *m, unsigned int p, size_t n)
{
  enum { SKEW = 192 };
  ga_code *c = m->c;
  c->reg[p] = c->bytes;
  c->bytes += ((size_of(m->dtype[p]) * n + 63) & ~(size_t)63) + SKEW;
}

/* Registers whose values are dead, by the size of an element. */
typedef struct dead {
  size_t *regs[5];
  unsigned int n[5];
} dead;

static unsigned int class_of(const maker *m, unsigned int p)
{
  return (unsigned int)__builtin_ctz((unsigned int)size_of(m->dtype[p]));
}

/* Buries place p's register if its value is last used by instruction i. */
static void bury(maker *m, dead *d, unsigned int p, unsigned int i)
{
  unsigned int k = class_of(m, p);
  if (m->kind[p] != GA_PLACE_TEMP || m->last[p] != i) return;
  m->last[p] = ~0u; /* once, though an instruction may read it twice */
  d->regs[k][d->n[k]++] = m->c->reg[p];
}

/* A value may take the register of one that dies as it is made: loops compute
 * element by element. */
static void share_registers(maker *m, dead *d)
{
  ga_code *c = m->c;
  for (unsigned int i = 0; i < c->ninstr; i++) {
    const ga_instr *in = &c->instrs[i];
    for (unsigned int k = 0; k < in->nsrc; k++)
      if (in->src[k] != in->dst) bury(m, d, in->src[k], i);
    unsigned int k = class_of(m, in->dst);
    if (d->n[k] > 0)
      c->reg[in->dst] = d->regs[k][--d->n[k]];
    else
      new_register(m, in->dst, c->block);
    bury(m, d, in->dst, i);
  }
}

/* Arrays are read from the beginning of a page on more often than not: what is computed lies half
 * a page off, as a load that follows a store to the same place of another page waits for it. */
static int give_registers(maker *m)
{
  enum { HALF_PAGE = 2048 };
  ga_code *c = m->c;
  dead d = {{NULL}, {0}};
  size_t n = c->nplace + 1u;
  size_t *mem = calloc(5 * n, sizeof *mem);
  if (mem == NULL) return ga_error_memory("stage", 5 * n * sizeof *mem);
  for (int k = 0; k < 5; k++) d.regs[k] = mem + (size_t)k * n;
  for (unsigned int p = 0; p < c->nplace; p++) {
    c->reg[p] = (size_t)-1;
    if (m->kind[p] == GA_PLACE_LOAD) new_register(m, p, c->block);
  }
  for (unsigned int i = 0; i < c->nconst; i++)
    new_register(m, c->consts[i].place, c->consts[i].alone ? 1 : c->block);
  c->bytes += HALF_PAGE;
  share_registers(m, &d);
  free(mem);
  return GA_NO_ERROR;
}

/* ---- the whole ------------------------------------------------------------------- */

static int allocate(maker *m)
{
  const ga_stage *st = m->what->st;
  ga_code *c = m->c;
  size_t n = st->nnode + (size_t)st->nstore + st->nreduction + 1;
  m->wanted = calloc(n, 1);
  m->number = calloc(n, 1);
  m->kind = calloc(n, 1);
  m->place = calloc(n, sizeof *m->place);
  m->dtype = calloc(n, sizeof *m->dtype);
  m->last = calloc(n, sizeof *m->last);
  m->kept = calloc(n, 1);
  m->op = calloc(n, sizeof *m->op);
  c->instrs = calloc(n, sizeof *c->instrs);
  c->loads = calloc(n, sizeof *c->loads);
  c->puts = calloc(n, sizeof *c->puts);
  c->consts = calloc(n, sizeof *c->consts);
  c->reg = calloc(n, sizeof *c->reg);
  c->fixed = calloc(n, 1);
  if (m->wanted && m->number && m->kind && m->place && m->dtype && m->last && m->kept && m->op &&
      c->instrs && c->loads && c->puts && c->consts && c->reg && c->fixed)
    return GA_NO_ERROR;
  return ga_error_memory("stage", n * (sizeof *c->instrs + 2 * sizeof *c->loads));
}

/* Fuses instructions, and notes anew which of them is the last to read a place. */
static int fuse_steps(maker *m)
{
  ga_code *c = m->c;
  const ga_stage *st = m->what->st;
  const ga_fusing what = known(m);
  for (unsigned int i = 0; i < m->what->nresult; i++) m->kept[m->place[m->what->results[i]]] = 1;
  for (unsigned int i = 0; i < st->nstore; i++)
    if ((node_at(m, st->stores[i].node)->level & 1) == m->what->level)
      m->kept[m->place[st->stores[i].node]] = 1;
  GA_TRY(ga_code_fuse_steps(c, &what));
  for (unsigned int i = 0; i < c->ninstr; i++) {
    const ga_instr *in = &c->instrs[i];
    for (unsigned int k = 0; k < in->nsrc; k++) m->last[in->src[k]] = i;
    m->last[in->dst] = i;
  }
  return GA_NO_ERROR;
}

static int build(maker *m)
{
  find_numbers(m);
  GA_TRY(want_nodes(m));
  for (unsigned int i = 0; i < m->what->st->nnode; i++)
    if (m->wanted[i]) GA_TRY(add_node(m, (int)i));
  GA_TRY(fuse_steps(m));
  GA_TRY(add_puts(m));
  keep_results(m);
  mark_fixed(m);
  return give_registers(m);
}

int ga_code_make(ga_code *c, const ga_compile *what)
{
  maker m = {.what = what, .c = c};
  *c = (ga_code){.nd = what->nd, .nall = what->l->nk + what->l->nr, .block = what->block};
  memcpy(c->dims, what->l->dims, sizeof c->dims);
  size_t inner = 1;
  for (unsigned int k = c->nd; k-- > 0;) {
    c->inner[k] = inner;
    inner *= c->dims[k];
  }
  int err = allocate(&m);
  if (err == GA_NO_ERROR) err = build(&m);
  free(m.wanted);
  free(m.number);
  free(m.kind);
  free(m.place);
  free(m.dtype);
  free(m.last);
  free(m.kept);
  free(m.op);
  if (err != GA_NO_ERROR) ga_code_clear(c);
  return err;
}

/* The number i is spread over a block, as something else than a step reads it. */
static int is_spread(const ga_stage *st, unsigned int i)
{
  for (unsigned int k = 0; k < st->nstore; k++)
    if (st->stores[k].node == (int)i) return 1;
  for (unsigned int k = 0; k < st->nnode; k++) {
    const ga_node *n = &st->nodes[k];
    if (n->op == GA_N_REDUCE) continue;
    for (int a = 0; a < 3; a++)
      if (n->arg[a] == (int)i &&
          (n->op < GA_N_OP || n->op == GA_OP_where || ga_cpu_step(n->op, n->dtype, 0) < 0))
        return 1;
  }
  return 0;
}

size_t ga_code_block(const ga_exec *e, const ga_stage *st)
{
  enum { L1_BYTES = 24 << 10, MOST = 2048, LEAST = 256 };
  size_t width = 0, widest = 1, n = LEAST;
  int far = e->kept * (e->reduced > 0 ? e->reduced : 1) > GA_MANY; /* shorter blocks are faster */
  for (unsigned int i = 0; i < st->nnode; i++) {
    size_t s = ga_dtypes[st->nodes[i].dtype].size;
    if ((st->nodes[i].level & 1) || ga_fold_undone(e, st, (int)i)) continue;
    if (s > widest) widest = s;
    if (st->nodes[i].op == GA_N_LOAD ||
        (st->nodes[i].op == GA_N_PARAM && (far || is_spread(st, i))))
      width += s;
  }
  while (n < MOST && 2 * n * (width + 3 * widest) <= L1_BYTES) n *= 2;
  return n;
}

void ga_code_clear(ga_code *c)
{
  if (c == NULL) return;
  free(c->instrs);
  free(c->loads);
  free(c->puts);
  free(c->consts);
  free(c->reg);
  free(c->fixed);
  memset(c, 0, sizeof *c);
}
