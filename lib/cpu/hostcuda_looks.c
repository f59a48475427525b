/* SPDX-License-Identifier: MIT */
/* Which names stand for a look at what other threads change: volatile memory, atomics,
 * fences, PTX that loads, and each function, variable, type, lambda or member of a class
 * whose text names one of these, and so on. As in hostcuda_sync.c names are all that is
 * looked at: what is found is never too little, too much only costs speed. Only the
 * user's text is read: loops in our own headers say themselves that they wait. */
#define _GNU_SOURCE
#include <ctype.h>
#include <string.h>

#include "hostcuda_ptx.h"

static int punct(const ga_hc_token *k, const char *which)
{
  return k->kind == GA_HC_PUNCT && k->n == 1 && strchr(which, k->s[0]) != NULL;
}

static int begins(const ga_hc_token *k, const char *prefix)
{
  size_t n = strlen(prefix);
  return k->kind == GA_HC_NAME && k->n >= n && memcmp(k->s, prefix, n) == 0;
}

static int has(const ga_hc_names *s, const ga_hc_token *k)
{
  return k->kind == GA_HC_NAME && ga_hc_names_has(s, k->s, k->n);
}

static void add(ga_hc_names *s, const ga_hc_token *k) { ga_hc_names_add(s, k->s, k->n); }

void ga_hc_add_members(ga_hc_names *s, const ga_hc_text *t, unsigned int first, unsigned int body,
                       unsigned int end)
{
  for (unsigned int i = first; i < end; i++) {
    const ga_hc_token *k = &t->tok[i];
    if (k->kind == GA_HC_NAME && punct(k + 1, i < body ? "({:" : "({")) add(s, k);
    if (i > body && punct(k, ":") && punct(k - 1, ")"))
      while (i < end && !punct(&t->tok[i], "{;")) i++;
    if (punct(&t->tok[i], "({") && i != body) i = ga_hc_closing(t, i);
  }
}

/* A member of cuda::atomic or cuda::barrier that looks at what others change. */
static int is_member(const ga_hc_text *t, unsigned int i)
{
  const ga_hc_token *k = &t->tok[i];
  static const char *const names[] = {"load",   "exchange",     "compare_exchange",
                                      "fetch_", "test_and_set", "try_wait"};
  for (size_t n = 0; n < sizeof names / sizeof *names && i > 0; n++)
    if (begins(k, names[n])) return ga_hc_is(k - 1, ".") || ga_hc_is(k - 1, "->");
  return 0;
}

/* `volatile`, but not that of an asm. */
static int is_volatile(const ga_hc_text *t, unsigned int i)
{
  return ga_hc_is(&t->tok[i], "volatile") && (i == 0 || !ga_hc_is_ptx(&t->tok[i - 1]));
}

/* A text of PTX that loads. */
static int is_load(const ga_hc_token *k)
{
  static const char *const words[] = {"ld.", "atom.", "test_wait", "try_wait"};
  if (k->kind != GA_HC_STRING) return 0;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    const char *p = memmem(k->s, k->n, words[i], strlen(words[i]));
    if (p != NULL && !isalnum((unsigned char)p[-1])) return 1;
  }
  return 0;
}

int ga_hc_is_look(const ga_hc_text *t, unsigned int i)
{
  const ga_hc_token *k = &t->tok[i];
  if (k->kind == GA_HC_STRING) return is_load(k);
  return is_member(t, i) || is_volatile(t, i) || begins(k, "atomic") || begins(k, "__atomic") ||
         begins(k, "__nv_atomic") || begins(k, "__threadfence") || ga_hc_is(k, "__ldcg") ||
         ga_hc_is(k, "__ldcv") || ga_hc_is(k, "__nanosleep");
}

int ga_hc_looks(const ga_hc_text *t, unsigned int i)
{
  return ga_hc_is_look(t, i) || has(&t->looks, &t->tok[i]);
}

int ga_hc_changes(const ga_hc_text *t, unsigned int i)
{
  return is_volatile(t, i) || has(&t->changing, &t->tok[i]);
}

static int any_looks(const ga_hc_text *t, unsigned int i, unsigned int end)
{
  for (; i < end; i++)
    if (ga_hc_looks(t, i)) return 1;
  return 0;
}

/* The next of `which` from i on, outside parentheses; the end, where there is none. */
static unsigned int next(const ga_hc_text *t, unsigned int i, unsigned int end, const char *which)
{
  for (; i < end && !punct(&t->tok[i], which); i++)
    if (punct(&t->tok[i], "(")) i = ga_hc_closing(t, i);
  return i < end ? i : end;
}

/* The lambdas and the classes in a function's body: `get = [f] { return *f; }`. */
static void add_local(ga_hc_text *t, const ga_hc_decl *d)
{
  for (unsigned int i = d->body + 1; i < d->end; i++) {
    const ga_hc_token *k = &t->tok[i];
    int lambda = punct(k, "[") && ga_hc_is(k - 1, "=");
    int class_ = ga_hc_is(k, "struct") || ga_hc_is(k, "class") || ga_hc_is(k, "union");
    if (!lambda && !class_) continue;
    unsigned int body = next(t, i, d->end, "{;"), end;
    if (body == d->end || !punct(&t->tok[body], "{")) continue;
    end = ga_hc_closing(t, body);
    if (!any_looks(t, i, end)) continue;
    if (lambda) {
      add(&t->looks, k - 2);
    } else if (k[1].kind == GA_HC_NAME) {
      add(&t->changing, k + 1);
      ga_hc_add_members(&t->looks, t, i, body, end);
    }
  }
}

static void add_declared(ga_hc_text *t, const ga_hc_decl *d)
{
  const ga_hc_token *first = &t->tok[d->first], *name = &t->tok[d->name];
  if (d->kind == GA_HC_CLASS) {
    ga_hc_add_members(&t->looks, t, d->first, d->body, d->end);
    for (name = first; !punct(name + 1, "{:"); name++) {
    }
  }
  if (d->kind == GA_HC_CLASS || ga_hc_is(first, "typedef") || ga_hc_is(first, "using"))
    add(&t->changing, name);
  add(&t->looks, name);
}

int ga_hc_find_looks(ga_hc_text *t)
{
  size_t before;
  do {
    const ga_hc_decl *last = NULL; /* declarators of one statement share its tokens */
    int looks = 0;
    before = t->looks.n + t->changing.n;
    for (unsigned int i = 0; i < t->ndecl; i++) {
      const ga_hc_decl *d = &t->decls[i];
      if (!t->files[t->tok[d->first].file].user) continue;
      if (last == NULL || d->first != last->first) looks = any_looks(t, d->first, d->end);
      last = d;
      if (!looks) continue;
      add_declared(t, d);
      if (d->kind == GA_HC_FUNCTION && d->body != 0) add_local(t, d);
    }
  } while (t->looks.n + t->changing.n != before);
  return t->looks.failed || t->changing.failed
             ? ga_error_memory("compile", t->looks.nslot * sizeof *t->looks.slots)
             : GA_NO_ERROR;
}
