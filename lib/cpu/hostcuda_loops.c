/* SPDX-License-Identifier: MIT */
/* Which loops may wait for other threads: those that have no counter and that name a look
 * at what others change (hostcuda_looks.c), or lie in a function that names a type of such
 * things, and those whose bodies are empty and have no barrier; a `goto` back over such a look too,
 * and a function with such a look whose last call is one of itself, which compilers make a loop of.
 * Their functions' threads are fibers, each round lets others run, and where all only wait the
 * launch fails (hostcuda_watch.c). As in hostcuda_sync.c names are all that is looked at.
 *
 * (Turns every few rounds in all long loops, so that neighbours' strided reads meet
 * in one line of the cache, were measured too: 8 to 32 rounds a turn cost 8 to 20%
 * in the block reduction of bench/hostcuda.) */
#include <string.h>

#include "hostcuda_text.h"

static int punct(const ga_hc_text *t, unsigned int i, char c)
{
  return t->tok[i].kind == GA_HC_PUNCT && t->tok[i].n == 1 && t->tok[i].s[0] == c;
}

static int begins(const ga_hc_token *k, const char *prefix)
{
  size_t n = strlen(prefix);
  return k->kind == GA_HC_NAME && k->n >= n && memcmp(k->s, prefix, n) == 0;
}

static int any(const ga_hc_text *t, unsigned int i, unsigned int end,
               int (*what)(const ga_hc_text *, unsigned int))
{
  for (; i < end; i++)
    if (what(t, i)) return 1;
  return 0;
}

static int is_barrier(const ga_hc_text *t, unsigned int i)
{
  return ga_hc_sync_word(&t->tok[i]) != NULL && t->tok[i].s[2] != 'n';
}

/* A word of a body that does more than wait. */
static int is_work(const ga_hc_text *t, unsigned int i)
{
  const ga_hc_token *k = &t->tok[i];
  return (k->kind == GA_HC_NAME && !begins(k, "__threadfence") && ga_hc_sync_word(k) == NULL) ||
         (k->kind == GA_HC_PUNCT && strchr("=+-", k->s[0]) != NULL);
}

/* Behind the statement at i, and what an `else` adds to it. */
static unsigned int statement_end(const ga_hc_text *t, unsigned int i, unsigned int end)
{
  for (; i < end; i++) {
    int block = punct(t, i, '{');
    if (block) i = ga_hc_closing(t, i);
    if ((block || punct(t, i, ';')) && !ga_hc_is(&t->tok[i + 1], "else")) return i + 1;
    if (punct(t, i, '(') || punct(t, i, '[')) i = ga_hc_closing(t, i);
  }
  return end;
}

/* Is the `while` at i the end of a `do`? */
static int ends_do(const ga_hc_text *t, unsigned int first, unsigned int i)
{
  unsigned int depth = 0, k = i;
  int block = i > first && punct(t, i - 1, '}');
  if (i <= first || (!block && !punct(t, i - 1, ';'))) return 0;
  for (k = i - 1; k > first; k--) {
    if (punct(t, k, '}') || punct(t, k, ')')) depth++;
    if (punct(t, k, '{') || punct(t, k, '(')) {
      if (depth == 0) return 0;
      if (--depth == 0 && block) {
        if (ga_hc_is(&t->tok[k - 1], "do")) return 1;
        block = 0; /* do if (a) { ... } while (b); */
      }
    }
    if (depth == 0 && !block) {
      if (ga_hc_is(&t->tok[k], "do")) return 1;
      if (k < i - 1 && punct(t, k, ';') && !ga_hc_is(&t->tok[k + 1], "else")) return 0;
    }
  }
  return 0;
}

/* The parts of a for's header, from open to close, end at semi[0] and semi[1].
 * 0: it is one over a range. */
static int split_for(const ga_hc_text *t, const ga_hc_loop *l, unsigned int semi[2])
{
  unsigned int n = 0;
  for (unsigned int i = l->open + 1; i < l->close && n < 2; i++) {
    if (punct(t, i, '(') || punct(t, i, '[') || punct(t, i, '{')) i = ga_hc_closing(t, i);
    if (punct(t, i, ';')) semi[n++] = i;
  }
  return n == 2;
}

/* `while (!done());`: no step is seen, so what ends it comes from elsewhere, or from a
 * function whose text may be anywhere. */
static int is_empty(const ga_hc_text *t, const ga_hc_loop *l, int *calls)
{
  int is_do = l->close == l->first;
  unsigned int i = is_do ? l->body_end + 1 : l->open, end = is_do ? l->end : l->close;
  if (any(t, l->body, l->body_end, is_work)) return 0;
  for (i++; i < end; i++) {
    const ga_hc_token *k = &t->tok[i];
    if ((punct(t, i, '+') || punct(t, i, '-')) && k[1].s == k->s + 1 && *k->s == *k[1].s) return 0;
    if (punct(t, i, '=') && !punct(t, i + 1, '=') && strchr("=!<>", *k[-1].s) == NULL) return 0;
    *calls |= punct(t, i, '(') && k[-1].kind == GA_HC_NAME;
  }
  return 1;
}

/* A call of what is no word of CUDA's: it may do anything. */
static int is_call(const ga_hc_text *t, unsigned int i)
{
  const ga_hc_token *k = &t->tok[i];
  return k->kind == GA_HC_NAME && punct(t, i + 1, '(') && !begins(k, "__") && !ga_hc_is_look(t, i);
}

/* The kind of a loop whose places are known. */
static int kind(const ga_hc_text *t, const ga_hc_decl *d, ga_hc_loop *l, int is_for)
{
  unsigned int semi[2] = {0, 0};
  const int meets = any(t, l->first, l->end, is_barrier);
  if (is_for) {
    if (!split_for(t, l, semi)) return GA_HC_LOOP_PLAIN;
    if (semi[1] > semi[0] + 1 && l->close > semi[1] + 1 && !any(t, semi[0], semi[1], ga_hc_looks))
      return GA_HC_LOOP_PLAIN; /* counted */
  }
  int looks = any(t, l->first, l->end, ga_hc_looks) || any(t, d->first, l->first, ga_hc_changes);
  int calls = 0;
  if (!looks && (meets || !is_empty(t, l, &calls))) return GA_HC_LOOP_PLAIN;
  if (meets) l->how |= GA_HC_SPIN_MEETS;
  if (calls || any(t, l->body, l->body_end, is_work)) l->how |= GA_HC_SPIN_WORKS;
  if (any(t, l->first + 1, l->end, is_call)) l->how |= GA_HC_SPIN_CALLS;
  return GA_HC_LOOP_WAIT;
}

int ga_hc_loop_at(ga_hc_loop *l, const ga_hc_text *t, const ga_hc_decl *d, unsigned int i)
{
  const ga_hc_token *k = &t->tok[i];
  int is_for = ga_hc_is(k, "for"), is_do = ga_hc_is(k, "do");
  memset(l, 0, sizeof *l);
  if (!is_for && !is_do && !ga_hc_is(k, "while")) return GA_HC_LOOP_NONE;
  if (!is_do && !punct(t, i + 1, '(')) return GA_HC_LOOP_NONE;
  if (!is_for && !is_do && ends_do(t, d->body, i)) return GA_HC_LOOP_NONE;
  l->first = i;
  l->open = l->close = i;
  if (!is_do) {
    l->open = i + 1;
    l->close = ga_hc_closing(t, i + 1);
  }
  l->body = l->close + 1;
  l->body_end = l->end = statement_end(t, l->body, d->end);
  if (is_do) l->end = statement_end(t, l->body_end, d->end);
  return kind(t, d, l, is_for);
}

int ga_hc_goes_back(const ga_hc_text *t, const ga_hc_decl *d, unsigned int i)
{
  const ga_hc_token *to = &t->tok[i + 1];
  if (!ga_hc_is(&t->tok[i], "goto")) return 0;
  for (unsigned int k = i - 1; k > d->body; k--)
    if (punct(t, k + 1, ':') && t->tok[k].n == to->n && memcmp(t->tok[k].s, to->s, to->n) == 0)
      return any(t, k, i, ga_hc_looks) || any(t, d->first, k, ga_hc_changes);
  return 0;
}

/* Is token i a call of function d whose result is d's own, or nobody's? */
static int is_tail_call(const ga_hc_text *t, const ga_hc_decl *d, unsigned int i)
{
  const ga_hc_token *k = &t->tok[i], *name = &t->tok[d->name];
  if (k->n != name->n || memcmp(k->s, name->s, k->n) != 0) return 0;
  if (!ga_hc_is(k - 1, "return") && !ga_hc_is(k - 1, "else") &&
      (k[-1].kind != GA_HC_PUNCT || strchr(";{}):?&|", *k[-1].s) == NULL))
    return 0;
  while (i < d->end && !punct(t, i, '(') && !punct(t, i, ';')) i++;
  return punct(t, i, '(') && punct(t, ga_hc_closing(t, i) + 1, ';');
}

int ga_hc_calls_itself(const ga_hc_text *t, const ga_hc_decl *d)
{
  if (d->kind != GA_HC_FUNCTION || d->body == 0 || !any(t, d->first, d->end, ga_hc_looks)) return 0;
  for (unsigned int i = d->body + 1; i < d->end; i++)
    if (is_tail_call(t, d, i)) return 1;
  return 0;
}

int ga_hc_spins(const ga_hc_text *t, const ga_hc_decl *d)
{
  ga_hc_loop l;
  if (d->body == 0) return 0;
  if (ga_hc_calls_itself(t, d)) return 1;
  for (unsigned int i = d->body; i < d->end; i++)
    if (ga_hc_loop_at(&l, t, d, i) == GA_HC_LOOP_WAIT || ga_hc_goes_back(t, d, i)) return 1;
  return 0;
}
