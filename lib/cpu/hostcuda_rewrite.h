/* SPDX-License-Identifier: MIT */
/* What the rewriter's files share: the text that is written, how far it is, and what is left to
 * write. hostcuda_rewrite.c goes through the tokens, hostcuda_dynamic.c has dynamic shared
 * memory. */
#ifndef GA_CPU_HOSTCUDA_REWRITE_H
#define GA_CPU_HOSTCUDA_REWRITE_H

#include "hostcuda_ptx.h"

enum { MAX_LOOPS = 16 }; /* in each other's headers */

typedef struct ga_hc_writer {
  ga_str *out;
  const ga_hc_text *t;
  const ga_hc_options *o;
  const char *done;            /* the text is written up to here */
  const ga_hc_decl *decl;      /* the one that the current token is in, or NULL */
  const ga_hc_token **dynamic; /* names of dynamic shared arrays in namespaces */
  unsigned int ndynamic;
  struct {
    unsigned int at, how, place; /* at: the last token of its header */
  } loop[MAX_LOOPS];             /* those whose headers are not written yet */
  unsigned int nloop;
  int own_new;
  ga_str late; /* what goes behind token late_at */
  unsigned int late_at;
  ga_hc_ptx ptx; /* the asm that is being written */
  ga_str places; /* rows of the module's table */
  ga_str pads;   /* likewise */
  unsigned int nplace, npad;
} ga_hc_writer;

static inline const ga_hc_token *tok(const ga_hc_writer *w, unsigned int i)
{
  return &w->t->tok[i < w->t->ntok ? i : w->t->ntok - 1];
}

static inline int is(const ga_hc_writer *w, unsigned int i, const char *word)
{
  return ga_hc_is(tok(w, i), word);
}

/* Writes `text` in place of tokens i to j. One that begins with :: has a space before it, as
 * %:: would begin with a digraph and ::: with another ::. */
static inline void replace(ga_hc_writer *w, unsigned int i, unsigned int j, const char *text)
{
  const ga_hc_token *a = tok(w, i), *b = tok(w, j);
  ga_str_addn(w->out, w->done, (size_t)(a->s - w->done));
  ga_str_add(w->out, text);
  for (const char *p = a->s; p < b->s + b->n; p++) /* keeps the lines */
    if (*p == '\n') ga_str_add(w->out, "\n");
  w->done = b->s + b->n;
}

static inline int member(const ga_hc_writer *w, unsigned int i)
{
  return i > 0 && (is(w, i - 1, ".") || is(w, i - 1, "->"));
}

/* hostcuda_dynamic.c */
/* Is token i the first of `extern __shared__ T name[];`? */
int ga_hc_dynamic_at(const ga_hc_writer *w, unsigned int i);
/* Declares that array, in a function's body or outside; returns its last token. */
unsigned int ga_hc_write_dynamic(ga_hc_writer *w, unsigned int i, int inside);
/* Writes a use of one declared outside at token i, if it is one. */
void ga_hc_write_dynamic_use(ga_hc_writer *w, unsigned int i);

#endif
