/* SPDX-License-Identifier: MIT */
/* Fuzz target: any text is parsed, typed and cut into stages, or refused with a
 * message, over a fixed set of names. A program that comes out keeps what
 * codegen.h promises of it. */
#include <string.h>

#include "codegen/codegen.h"
#include "tests/fuzz.h"

const char fuzz_corpus[] = "expr";

static const size_t dims34[] = {3, 4}, dims4[] = {4}, dims31[] = {3, 1}, dims04[] = {0, 4};
static const ssize_t f32_34[] = {16, 4}, f64_4[] = {8}, i32_31[] = {4, 4}, f32_34t[] = {4, 12};
static const ssize_t c64_34[] = {-32, 8}, u8_34[] = {0, 1}, bf_04[] = {8, 2};

static const ga_bind binds[] = {
    {"a", GA_BIND_ARRAY, GA_DT_FLOAT32, 2, dims34, f32_34},
    {"b", GA_BIND_ARRAY, GA_DT_FLOAT64, 1, dims4, f64_4},
    {"c", GA_BIND_ARRAY, GA_DT_INT32, 2, dims31, i32_31},
    {"d", GA_BIND_ARRAY, GA_DT_FLOAT32, 2, dims34, f32_34t},
    {"m", GA_BIND_ARRAY, GA_DT_UINT8, 2, dims34, u8_34},
    {"z", GA_BIND_ARRAY, GA_DT_COMPLEX64, 2, dims34, c64_34},
    {"s", GA_BIND_ARRAY, GA_DT_BOOL, 0, NULL, NULL},
    {"o", GA_BIND_ARRAY, GA_DT_BFLOAT16, 2, dims04, bf_04},
    {"k", GA_BIND_WEAK_INT, GA_DT_NONE, 0, NULL, NULL},
    {"x", GA_BIND_WEAK_FLOAT, GA_DT_NONE, 0, NULL, NULL},
    {"h", GA_BIND_SCALAR, GA_DT_FLOAT16, 0, NULL, NULL},
};
enum { NBIND = sizeof binds / sizeof *binds };

static void check_nodes(const ga_stage *st)
{
  for (unsigned int i = 0; i < st->nnode; i++) {
    const ga_node *n = &st->nodes[i];
    FUZZ_REQUIRE(n->dtype < GA_NDTYPE && (n->level == 0 || (n->level == 1 && st->nreduction)));
    for (int k = 0; k < 3; k++) FUZZ_REQUIRE(n->arg[k] < (int)i);
    if (n->op == GA_N_LOAD) {
      FUZZ_REQUIRE(n->index >= 0 && n->index < (int)st->noperand);
      const ga_operand *o = &st->operands[n->index];
      FUZZ_REQUIRE(!o->write && o->dtype == n->dtype);
      FUZZ_REQUIRE(o->outer == GA_NUMBER ? n->level == 0 && st->nreduction : o->outer == n->level);
    } else if (n->op == GA_N_PARAM) {
      FUZZ_REQUIRE(n->index < (int)st->nparam && st->params[n->index].dtype == n->dtype);
    } else if (n->op == GA_N_REDUCE) {
      FUZZ_REQUIRE(n->index < (int)st->nreduction && n->level == 1);
    } else if (n->op >= GA_N_OP) {
      const ga_op_info *info = &ga_ops[n->op - GA_N_OP];
      enum ga_dtype loop = st->nodes[n->arg[info->nargs - 1]].dtype;
      FUZZ_REQUIRE(strchr(info->loops, ga_dtypes[loop].ch) != NULL);
      for (int k = info->flags & GA_OP_COND ? 1 : 0; k < info->nargs; k++)
        FUZZ_REQUIRE(st->nodes[n->arg[k]].dtype == loop);
    }
    for (int k = 0; k < 3 && n->arg[k] >= 0; k++)
      FUZZ_REQUIRE(st->nodes[n->arg[k]].level == n->level);
  }
}

/* Every address an operand forms lies inside a slot that is created. */
static void check_operand(const ga_program *p, const ga_stage *st, const ga_operand *o)
{
  const ga_slot *slot = &p->slots[o->slot];
  ssize_t low = o->offset, high = o->offset, size = ga_dtypes[slot->dtype].size;
  FUZZ_REQUIRE(o->slot < p->nslot && o->dtype == slot->dtype);
  for (unsigned int k = 0; k < slot->nd; k++) size *= (ssize_t)slot->dims[k];
  for (unsigned int k = 0; k < st->nd; k++) {
    /* what follows a reduction has no more of its axes; what follows a scan does */
    FUZZ_REQUIRE(!(o->outer && st->reduced[k] && st->scan == GA_SCAN_NONE) || o->strides[k] == 0);
    if (st->dims[k] == 0) return;
    ssize_t way = (ssize_t)(st->dims[k] - 1) * o->strides[k];
    if (way < 0)
      low += way;
    else
      high += way;
  }
  if (slot->kind == GA_SLOT_ARG) return; /* views of any layout */
  FUZZ_REQUIRE(low >= 0 && high + ga_dtypes[slot->dtype].size <= size);
}

static void check_program(const ga_program *p)
{
  ga_value numbers[NBIND] = {{{0}}}, v;
  for (unsigned int i = 0; i < p->nstage; i++) {
    const ga_stage *st = &p->stages[i];
    check_nodes(st);
    FUZZ_REQUIRE(st->nstore > 0);
    for (unsigned int k = 0; k < st->noperand; k++) check_operand(p, st, &st->operands[k]);
    for (unsigned int k = 0; k < st->nparam; k++) ga_param_value(&v, p, &st->params[k], numbers);
    for (unsigned int k = 0; k < st->nreduction; k++) {
      const ga_reduction *r = &st->reductions[k];
      FUZZ_REQUIRE(st->nodes[r->node].dtype == r->acc && st->nodes[r->node].level == 0);
    }
    for (unsigned int k = 0; k < st->nstore; k++) {
      const ga_operand *o = &st->operands[st->stores[k].operand];
      FUZZ_REQUIRE(o->write && o->dtype == st->nodes[st->stores[k].node].dtype);
    }
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  char *text = malloc(size + 1);
  ga_ast *ast = NULL;
  ga_program *p = NULL;
  ga_str s = {0};
  if (text == NULL) abort();
  memcpy(text, data, size);
  text[size] = '\0';
  int err = ga_parse(&ast, text);
  if (err == GA_NO_ERROR) err = ga_program_new(&p, ast, NBIND, binds, NULL, 0);
  if (err == GA_NO_ERROR) {
    check_program(p);
    ga_program_print(&s, p);
  } else {
    FUZZ_REQUIRE(err == GA_VALUE_ERROR || err == GA_XLARGE_ERROR);
    FUZZ_REQUIRE(ga_error_message()[0] != '\0' && p == NULL);
  }
  ga_str_clear(&s);
  ga_program_free(p);
  ga_ast_free(ast);
  free(text);
  return 0;
}
