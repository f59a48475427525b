/* SPDX-License-Identifier: MIT */
/* Dynamic shared memory in a rewritten text: in a function `extern __shared__ float s[];` becomes a
 * pointer, outside a type that each use of the name is given. */
#include <stdlib.h>
#include <string.h>

#include "hostcuda_rewrite.h"

/* Is token i the first of `extern __shared__ T name[];`? Its words may come in
 * any order, `extern` before T. */
int ga_hc_dynamic_at(const ga_hc_writer *w, unsigned int i)
{
  int shared = 0, external = 0;
  for (; tok(w, i)->kind == GA_HC_NAME; i++) {
    shared |= is(w, i, "__shared__");
    external |= is(w, i, "extern");
    if (shared && external) return 1;
    if (!external && !is(w, i, "__shared__") && !is(w, i, "volatile") && !is(w, i, "const") &&
        !is(w, i, "static"))
      break;
  }
  return 0;
}

/* Writes the declaration's type: its tokens from i to `name`, less what does not
 * belong to a type. */
static void write_type(ga_hc_writer *w, unsigned int i, unsigned int name)
{
  for (; i < name; i++) {
    const ga_hc_token *k = tok(w, i);
    if (is(w, i, "extern") || is(w, i, "__shared__")) continue;
    if ((is(w, i, "__align__") || is(w, i, "alignas") || is(w, i, "__attribute__")) &&
        is(w, i + 1, "(")) {
      i = ga_hc_closing(w->t, i + 1);
      continue;
    }
    ga_str_addn(w->out, k->s, k->n);
    ga_str_add(w->out, " ");
  }
}

/* Declares the array that begins at token i; returns its last token. In a
 * function it becomes a pointer, or a reference to rows where it has more
 * dimensions; outside, each use of the name is replaced later. */
unsigned int ga_hc_write_dynamic(ga_hc_writer *w, unsigned int i, int inside)
{
  unsigned int name = i, end = i;
  while (!is(w, end, ";") && tok(w, end)->kind != GA_HC_END) end++;
  for (name = i; name < end && !is(w, name, "["); name++) {
  }
  if (name == end || name == i) return i;
  unsigned int dims = ga_hc_closing(w->t, name) + 1; /* behind the empty [] */
  name--;
  const ga_hc_token *n = tok(w, name);
  replace(w, i, i, "");
  if (!inside) {
    const ga_hc_token **more = realloc(w->dynamic, (w->ndynamic + 1) * sizeof *more);
    if (more == NULL) {
      w->out->failed = 1;
      return end;
    }
    w->dynamic = more;
    w->dynamic[w->ndynamic++] = n;
    ga_str_add(w->out, "typedef ");
  }
  write_type(w, i, name);
  if (dims < end) {
    const char *from = tok(w, dims)->s;
    ga_str_addf(w->out, inside ? "(*%.*s)" : "(*ga_hc_dyn_%.*s)", (int)n->n, n->s);
    ga_str_addn(w->out, from, (size_t)(tok(w, end)->s - from));
  } else {
    ga_str_addf(w->out, inside ? "*%.*s" : "*ga_hc_dyn_%.*s", (int)n->n, n->s);
  }
  if (inside) ga_str_addf(w->out, " = (decltype(%.*s))::ga_hc_dynamic()", (int)n->n, n->s);
  for (const char *p = tok(w, i)->s; p < tok(w, end)->s; p++)
    if (*p == '\n') ga_str_add(w->out, "\n");
  w->done = tok(w, end)->s;
  return end - 1;
}

static int same_word(const ga_hc_token *a, const ga_hc_token *b)
{
  return a->n == b->n && memcmp(a->s, b->s, a->n) == 0;
}

/* Has the function that the current token is in a parameter of this name? */
static int is_parameter(const ga_hc_writer *w, const ga_hc_token *k)
{
  const ga_hc_decl *d = w->decl;
  if (d == NULL || d->kind != GA_HC_FUNCTION) return 0;
  for (unsigned int i = d->open + 1; i < d->close; i++)
    if (same_word(tok(w, i), k) && !is(w, i - 1, "=") &&
        (i + 1 == d->close || is(w, i + 1, ",") || is(w, i + 1, "=") || is(w, i + 1, "[") ||
         (is(w, i + 1, ")") && is(w, i + 2, "[")))) /* T (&name)[4] */
      return 1;
  return 0;
}

/* A use of such a name: not a member's or a parameter's, and not where it is declared. */
void ga_hc_write_dynamic_use(ga_hc_writer *w, unsigned int i)
{
  const ga_hc_token *k = tok(w, i);
  for (unsigned int j = 0; j < w->ndynamic; j++) {
    if (!same_word(w->dynamic[j], k)) continue;
    if (member(w, i) || is_parameter(w, k)) return;
    char text[300];
    snprintf(text, sizeof text, "((ga_hc_dyn_%.*s)::ga_hc_dynamic())",
             (int)(k->n < 120 ? k->n : 120), k->s);
    replace(w, i, i, text);
    return;
  }
}
