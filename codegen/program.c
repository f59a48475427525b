/* SPDX-License-Identifier: MIT */
/* ga_program: made from a tree and its bindings, and the numbers of its calls. */
#include <stdlib.h>
#include <string.h>

#include "program.h"
#include "stage.h"

/* What ga_param_value() needs of the text: its Python numbers, and the names. */
typedef struct numbers {
  ga_weak weak;
  unsigned int n;
  char **names;
} numbers;

static char *copy_text(const char *s)
{
  size_t n = strlen(s) + 1;
  char *to = malloc(n);
  return to == NULL ? NULL : memcpy(to, s, n);
}

/* Takes over `weak`. */
static int keep_numbers(ga_program *p, ga_weak *weak, unsigned int n, const ga_bind *binds)
{
  numbers *k = calloc(1, sizeof *k);
  if (k == NULL) return ga_error_memory("expression", sizeof *k);
  p->internal = k;
  k->weak = *weak;
  memset(weak, 0, sizeof *weak);
  if (n == 0) return GA_NO_ERROR;
  k->names = calloc(n, sizeof *k->names);
  if (k->names == NULL) return ga_error_memory("expression", n * sizeof *k->names);
  for (k->n = 0; k->n < n; k->n++)
    if ((k->names[k->n] = copy_text(binds[k->n].name)) == NULL)
      return ga_error_memory("expression", strlen(binds[k->n].name));
  return GA_NO_ERROR;
}

int ga_program_new(ga_program **p, const ga_ast *ast, unsigned int n, const ga_bind *binds,
                   const ga_bind *into, int unsafe)
{
  ga_infer in = {.ast = ast, .nbind = n, .binds = binds, .into = into, .unsafe = unsafe};
  ga_program *made;
  int err;
  if (p == NULL) return ga_error(GA_VALUE_ERROR, "expression: the place for the result is NULL");
  *p = NULL;
  if (ast == NULL || (n > 0 && binds == NULL))
    return ga_error(GA_VALUE_ERROR, "expression: the %s NULL",
                    ast == NULL ? "text is" : "arguments are");
  if ((made = calloc(1, sizeof *made)) == NULL) return ga_error_memory("expression", sizeof *made);
  if ((err = ga_infer_run(&in)) != GA_NO_ERROR) goto fail;
  if ((err = ga_stage_program(&in, made)) != GA_NO_ERROR) goto fail;
  ga_temporaries_turn(made);
  if ((err = ga_chain_find(made)) != GA_NO_ERROR) goto fail;
  if ((err = keep_numbers(made, &in.dag.weak, n, binds)) != GA_NO_ERROR) goto fail;
  ga_infer_clear(&in);
  *p = made;
  return GA_NO_ERROR;
fail:
  ga_infer_clear(&in);
  ga_program_free(made);
  return err;
}

void ga_program_free(ga_program *p)
{
  if (p == NULL) return;
  numbers *k = p->internal;
  for (unsigned int i = 0; i < p->nstage; i++) ga_stage_clear(&p->stages[i]);
  for (unsigned int i = 0; i < p->nchain; i++) ga_stage_clear(&p->chains[i].stage);
  free(p->stages);
  free(p->chains);
  free(p->slots);
  if (k != NULL) {
    ga_weak_clear(&k->weak);
    for (unsigned int i = 0; i < k->n; i++) free(k->names[i]);
    free(k->names);
    free(k);
  }
  free(p);
}

const ga_weak *ga_program_weak(const ga_program *p)
{
  return &((const numbers *)p->internal)->weak;
}

int ga_param_value(ga_value *v, const ga_program *p, const ga_param *param, const ga_value *values)
{
  const numbers *k = p->internal;
  const ga_weak_node *w = &k->weak.nodes[param->weak];
  ga_number x;
  const char *why = "";
  memset(v, 0, sizeof *v);
  if (w->kind == GA_WEAK_STRONG) {
    memcpy(v->bytes, values[w->bind].bytes, ga_dtypes[param->dtype].size);
    return GA_NO_ERROR;
  }
  int err = ga_weak_eval(&x, &k->weak, param->weak, values, &why);
  if (err != GA_NO_ERROR) return ga_error(err, "expression: %s", why);
  if (ga_number_fits(param->dtype, &x)) return ga_number_store(v, param->dtype, &x);
  char text[48];
  ga_int128_text(text, x.i);
  return ga_error(GA_VALUE_ERROR,
                  "expression: %s%s%s = %s does not fit %s, the dtype it takes "
                  "beside the arrays",
                  w->kind == GA_WEAK_BIND ? "'" : "",
                  w->kind == GA_WEAK_BIND ? k->names[w->bind] : "a number",
                  w->kind == GA_WEAK_BIND ? "'" : "", text, ga_dtypes[param->dtype].name);
}
