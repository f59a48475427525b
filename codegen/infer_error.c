/* SPDX-License-Identifier: MIT */
/* Messages of the typing pass: a caret, what was expected, and the names with
 * their dtypes and shapes. */
#include <stdio.h>
#include <string.h>

#include "caret.h"
#include "infer.h"
#include "lib/util/str.h"

#define MAXNAMES 16 /* listed in one message */

static void type_text(char *text, size_t size, enum ga_dtype dtype, unsigned int nd,
                      const size_t *dims)
{
  size_t at = (size_t)snprintf(text, size, "%s(", ga_dtypes[dtype].name);
  for (unsigned int k = 0; k < nd && at < size; k++)
    at += (size_t)snprintf(text + at, size - at, "%s%zu", k ? "," : "", dims[k]);
  if (at < size) snprintf(text + at, size - at, ")");
}

static const char *const number_names[] = {"bool", "int", "float", "complex"};

void ga_val_text(const ga_infer *in, const ga_val *v, char *text, size_t size)
{
  if (v->kind == GA_VAL_NODE) {
    const ga_dnode *n = &in->dag.nodes[v->index];
    type_text(text, size, n->dtype, n->nd, n->dims);
  } else if (v->kind == GA_VAL_WEAK) {
    snprintf(text, size, "%s", number_names[in->dag.weak.nodes[v->index].type]);
  } else {
    snprintf(text, size, "%s",
             v->kind == GA_VAL_DTYPE  ? "a dtype"
             : v->kind == GA_VAL_FUNC ? "a function"
                                      : "no value");
  }
}

static void bind_text(const ga_bind *b, char *text, size_t size)
{
  switch (b->kind) {
  case GA_BIND_ARRAY: type_text(text, size, b->dtype, b->nd, b->dims); break;
  case GA_BIND_SCALAR: type_text(text, size, b->dtype, 0, NULL); break;
  case GA_BIND_WEAK_INT: snprintf(text, size, "int"); break;
  case GA_BIND_WEAK_FLOAT: snprintf(text, size, "float"); break;
  default: snprintf(text, size, "to be created"); break;
  }
}

/* "a float32(4,4), k int": what is bound, then what was assigned. */
static void list_names(const ga_infer *in, ga_str *s)
{
  char text[512];
  unsigned int n = 0, all = in->nbind + in->nvar;
  for (unsigned int i = 0; i < all && n < MAXNAMES; i++, n++) {
    const char *name;
    if (i < in->nbind) {
      name = in->binds[i].name;
      bind_text(&in->binds[i], text, sizeof text);
    } else {
      name = in->vars[i - in->nbind].name;
      ga_val_text(in, &in->vars[i - in->nbind].val, text, sizeof text);
    }
    ga_str_addf(s, "%s%.60s %s", n ? ", " : "", name, text);
  }
  if (n < all) ga_str_addf(s, " and %u more", all - n);
}

int ga_infer_fail(const ga_infer *in, size_t at, const char *fmt, ...)
{
  ga_str what = {0}, names = {0};
  va_list ap;
  va_start(ap, fmt);
  ga_str_addv(&what, fmt, ap);
  va_end(ap);
  list_names(in, &names);
  int unknown = strncmp(fmt, "unknown", 7) == 0;
  const char *join = names.len == 0 ? "" : unknown ? "; known: " : "; with ";
  ga_caret(GA_VALUE_ERROR, in->ast->text, at, "%s%s%s", ga_str_text(&what), join,
           ga_str_text(&names));
  ga_str_clear(&what);
  ga_str_clear(&names);
  return GA_VALUE_ERROR;
}

int ga_infer_why(const ga_infer *in, size_t at, int err, const char *why)
{
  if (err == GA_NO_ERROR || err == GA_MEMORY_ERROR) return err;
  if (err == GA_VALUE_ERROR) return ga_infer_fail(in, at, "%s", why);
  return ga_caret(err, in->ast->text, at, "%s", why);
}
