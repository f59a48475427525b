/* SPDX-License-Identifier: MIT */
/* Finds the declarations of a text that lie in namespaces: kernels, other
 * functions, classes and variables. A declaration is a function's when a name,
 * and not an attribute's, stands before its first parenthesis. What is read
 * wrongly here (a variable initialised with parentheses) is not rewritten, and
 * the compiler reads it rightly. */
#include <stdlib.h>
#include <string.h>

#include "hostcuda_text.h"

enum { MAX_SCOPES = 64 };

typedef struct parser {
  ga_hc_text *t;
  unsigned int i, cap;
  const char *scope[MAX_SCOPES]; /* names of the open namespaces */
  unsigned int scope_n[MAX_SCOPES], depth;
  int failed;
} parser;

static const ga_hc_token *at(const ga_hc_text *t, unsigned int i)
{
  return &t->tok[i < t->ntok ? i : t->ntok - 1];
}

static int punct(const ga_hc_text *t, unsigned int i, char c)
{
  const ga_hc_token *k = at(t, i);
  return k->kind == GA_HC_PUNCT && k->n == 1 && k->s[0] == c;
}

unsigned int ga_hc_closing(const ga_hc_text *t, unsigned int i)
{
  unsigned int depth = 0;
  for (; t->tok[i].kind != GA_HC_END; i++) {
    if (punct(t, i, '(') || punct(t, i, '[') || punct(t, i, '{')) depth++;
    if (punct(t, i, ')') || punct(t, i, ']') || punct(t, i, '}'))
      if (--depth == 0) break;
  }
  return i;
}

unsigned int ga_hc_unclosed(const ga_hc_text *t)
{
  unsigned int depth = 0, open = 0, i = 0;
  for (; t->tok[i].kind != GA_HC_END; i++) {
    if (punct(t, i, '{') && depth++ == 0) open = i;
    if (punct(t, i, '}') && depth > 0) depth--;
  }
  return depth > 0 ? open : i;
}

/* Behind the <...> at i. */
static unsigned int skip_angles(const ga_hc_text *t, unsigned int i)
{
  unsigned int depth = 0;
  for (; t->tok[i].kind != GA_HC_END; i++) {
    if (punct(t, i, '(') || punct(t, i, '[') || punct(t, i, '{')) i = ga_hc_closing(t, i);
    if (punct(t, i, '<')) depth++;
    if (punct(t, i, '>') && --depth == 0) return i + 1;
    if (punct(t, i, ';')) break;
  }
  return i;
}

/* Behind the next ; outside brackets. */
static unsigned int skip_statement(const ga_hc_text *t, unsigned int i)
{
  for (; t->tok[i].kind != GA_HC_END; i++) {
    if (punct(t, i, '(') || punct(t, i, '[') || punct(t, i, '{')) i = ga_hc_closing(t, i);
    if (punct(t, i, ';')) return i + 1;
  }
  return i;
}

static int is_attribute(const ga_hc_token *k)
{
  static const char *const words[] = {
      "__align__", "__attribute__", "__launch_bounds__", "alignas",        "decltype", "__declspec",
      "noexcept",  "__maxnreg__",   "__cluster_dims__",  "__block_size__", "explicit", "asm"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (ga_hc_is(k, words[i])) return 1;
  return 0;
}

/* Is it the parenthesis of a name in parentheses, as in `void (k)(int *a)`? */
static int wraps_name(const ga_hc_text *t, unsigned int i)
{
  return at(t, i + 1)->kind == GA_HC_NAME && punct(t, i + 2, ')') && punct(t, i + 3, '(');
}

/* The name that the parenthesis at i belongs to; 0: none. */
static unsigned int callee(const ga_hc_text *t, unsigned int first, unsigned int i)
{
  unsigned int k = i, depth = 0;
  if (k == first || (wraps_name(t, i) && !is_attribute(&t->tok[i - 1]))) return 0;
  k--;
  if (k >= first + 2 && punct(t, k, ')') && wraps_name(t, k - 2)) return k - 1;
  if (punct(t, k, '>')) { /* k<float>( */
    for (; k > first; k--) {
      if (punct(t, k, '>')) depth++;
      if (punct(t, k, '<') && --depth == 0) break;
    }
    if (k == first) return 0;
    k--;
  }
  return t->tok[k].kind == GA_HC_NAME && !is_attribute(&t->tok[k]) ? k : 0;
}

/* ---- results ---------------------------------------------------------------- */

static void add(parser *p, const ga_hc_decl *d)
{
  ga_hc_text *t = p->t;
  ga_str s = {0};
  if (t->ndecl == p->cap) {
    unsigned int cap = p->cap != 0 ? 2 * p->cap : 64;
    ga_hc_decl *decls = realloc(t->decls, cap * sizeof *decls);
    if (decls == NULL) {
      p->failed = 1;
      return;
    }
    t->decls = decls;
    p->cap = cap;
  }
  for (unsigned int i = 0; i < p->depth; i++)
    if (p->scope_n[i] != 0) {
      ga_str_addn(&s, p->scope[i], p->scope_n[i]);
      ga_str_add(&s, "::");
    }
  ga_str_add(&s, "");
  t->decls[t->ndecl] = *d;
  t->decls[t->ndecl].scope = s.s != NULL ? s.s : calloc(1, 1);
  if (s.failed || t->decls[t->ndecl].scope == NULL) {
    ga_str_clear(&s);
    p->failed = 1;
    return;
  }
  t->ndecl++;
}

/* Variables, or others of this kind, one for each declarator: the name stands before
 * the first of [ = { , ; */
static void add_variables(parser *p, const ga_hc_decl *d, int kind)
{
  const ga_hc_text *t = p->t;
  ga_hc_decl v = *d;
  int named = 0;
  v.kind = kind;
  for (unsigned int i = d->first; i < d->end; i++) {
    if (d->kind == GA_HC_CLASS && i == d->body) { /* struct s { int a; } v; */
      i = ga_hc_closing(t, i);
      continue;
    }
    if (punct(t, i, '[') && punct(t, i + 1, '[')) { /* an attribute */
      i = ga_hc_closing(t, i);
      continue;
    }
    if (punct(t, i, '<') && i > d->first && t->tok[i - 1].kind == GA_HC_NAME && !named) {
      i = skip_angles(t, i) - 1;
      continue;
    }
    int ends = punct(t, i, '=') || punct(t, i, ',') || punct(t, i, ';');
    int opens = punct(t, i, '[') || punct(t, i, '{') || punct(t, i, '(');
    if ((ends || opens) && !named && i > d->first && t->tok[i - 1].kind == GA_HC_NAME &&
        !is_attribute(&t->tok[i - 1])) {
      v.name = i - 1;
      add(p, &v);
      named = 1;
    }
    if (opens) i = ga_hc_closing(t, i);
    if (punct(t, i, ',')) named = 0;
  }
}

/* ---- declarations -------------------------------------------------------------- */

typedef struct marks {
  int global, device, shared, class_, extern_, typedef_;
} marks;

static void mark(marks *m, const ga_hc_token *k)
{
  if (k->kind != GA_HC_NAME) return;
  if (ga_hc_is(k, "__global__")) m->global = 1;
  if (ga_hc_is(k, "__device__") || ga_hc_is(k, "__constant__") || ga_hc_is(k, "__managed__"))
    m->device = 1;
  if (ga_hc_is(k, "__shared__")) m->shared = 1;
  if (ga_hc_is(k, "extern")) m->extern_ = 1;
  if (ga_hc_is(k, "typedef") || ga_hc_is(k, "using")) m->typedef_ = 1;
  if (ga_hc_is(k, "class") || ga_hc_is(k, "struct") || ga_hc_is(k, "union") || ga_hc_is(k, "enum"))
    m->class_ = 1;
}

static void bounds(const ga_hc_text *t, ga_hc_decl *d, unsigned int open)
{
  unsigned int close = ga_hc_closing(t, open), i = open + 1;
  d->bounds = i;
  for (; i < close && !punct(t, i, ','); i++)
    if (punct(t, i, '(')) i = ga_hc_closing(t, i);
  d->bounds_end = i;
}

/* One declaration from p->i on; p->i is behind it afterwards. */
static void declaration(parser *p)
{
  const ga_hc_text *t = p->t;
  ga_hc_decl d = {.first = p->i};
  marks m = {0};
  unsigned int i = p->i;
  int initialised = 0, members = 0; /* members: behind the colon of S::S() : a{1} {} */
  while (ga_hc_is(at(t, i), "template")) {
    d.is_template = 1;
    if (!punct(t, i + 1, '<')) d.is_instance = 1;
    i = punct(t, i + 1, '<') ? skip_angles(t, i + 1) : i + 1;
  }
  for (; t->tok[i].kind != GA_HC_END; i++) {
    mark(&m, &t->tok[i]);
    if (punct(t, i, ';') || punct(t, i, '}')) break;
    if (ga_hc_is(&t->tok[i], "operator") && d.open == 0 && !initialised) {
      d.name = i; /* what it is an operator of is skipped: it may look like anything */
      i += punct(t, i + 1, '(') ? 3 : 1;
      while (!punct(t, i, '(') && t->tok[i].kind != GA_HC_END) i++;
      if (t->tok[i].kind == GA_HC_END) break;
      d.open = i;
      d.close = i = ga_hc_closing(t, i);
      continue;
    }
    if (punct(t, i, '=')) initialised = 1;
    if (punct(t, i, ':') && d.open != 0) members = 1;
    if (punct(t, i, '(') || punct(t, i, '[')) {
      unsigned int name = punct(t, i, '(') ? callee(t, d.first, i) : 0;
      if (i > d.first && ga_hc_is(&t->tok[i - 1], "__launch_bounds__")) bounds(t, &d, i);
      if (name != 0 && d.open == 0 && !initialised) {
        d.name = name;
        d.open = i;
        d.close = ga_hc_closing(t, i);
      }
      i = ga_hc_closing(t, i);
    } else if (punct(t, i, '{')) {
      unsigned int close = ga_hc_closing(t, i);
      int member = members && (t->tok[i - 1].kind == GA_HC_NAME || punct(t, i - 1, '>'));
      if (d.open != 0 && !initialised && !member) {
        d.body = i;
        i = close;
        break;
      }
      if (m.class_ && d.body == 0 && !initialised) {
        d.kind = GA_HC_CLASS;
        d.body = i;
      }
      i = close;
    }
  }
  p->i = t->tok[i].kind == GA_HC_END ? i : i + 1;
  d.end = p->i;
  d.is_kernel = m.global && d.open != 0;
  if (d.kind == GA_HC_CLASS || d.open != 0) add(p, &d);
  int global = m.device && !m.shared && !m.extern_ && !m.typedef_ && !d.is_template;
  if (d.open == 0) add_variables(p, &d, global ? GA_HC_VARIABLE : GA_HC_OTHER);
}

static void open_scope(parser *p, const char *name, unsigned int n)
{
  if (p->depth < MAX_SCOPES) {
    p->scope[p->depth] = name;
    p->scope_n[p->depth] = n;
  }
  p->depth += p->depth < MAX_SCOPES;
}

/* `namespace a::b {`, from the word on. */
static void open_namespace(parser *p)
{
  const ga_hc_text *t = p->t;
  unsigned int i = p->i + 1, first = i, end;
  while (!punct(t, i, '{') && !punct(t, i, ';') && t->tok[i].kind != GA_HC_END) i++;
  if (!punct(t, i, '{')) { /* an alias */
    p->i = i + (t->tok[i].kind != GA_HC_END);
    return;
  }
  for (end = first; end < i && (t->tok[end].kind == GA_HC_NAME || ga_hc_is(at(t, end), "::"));)
    end++;
  if (end > first && is_attribute(at(t, first))) end = first;
  const char *s = t->tok[first].s;
  open_scope(p, s, end > first ? (unsigned int)(t->tok[end - 1].s + t->tok[end - 1].n - s) : 0);
  p->i = i + 1;
}

int ga_hc_declare(ga_hc_text *t)
{
  parser p = {.t = t};
  while (t->tok[p.i].kind != GA_HC_END && !p.failed) {
    const ga_hc_token *k = &t->tok[p.i];
    if (punct(t, p.i, ';')) {
      p.i++;
    } else if (punct(t, p.i, '}')) {
      p.depth -= p.depth > 0;
      p.i++;
    } else if (punct(t, p.i, '{')) {
      p.i = ga_hc_closing(t, p.i) + 1;
    } else if (ga_hc_is(k, "namespace")) {
      open_namespace(&p);
    } else if (ga_hc_is(k, "inline") && ga_hc_is(at(t, p.i + 1), "namespace")) {
      p.i++;
      open_namespace(&p);
    } else if (ga_hc_is(k, "extern") && at(t, p.i + 1)->kind == GA_HC_STRING &&
               punct(t, p.i + 2, '{')) {
      open_scope(&p, "", 0);
      p.i += 3;
    } else if (ga_hc_is(k, "static_assert")) {
      p.i = skip_statement(t, p.i);
    } else {
      declaration(&p);
    }
    if (p.i >= t->ntok) p.i = t->ntok - 1;
  }
  return p.failed ? ga_error_memory("compile", t->ndecl * sizeof *t->decls) : GA_NO_ERROR;
}

int ga_hc_text_init(ga_hc_text *t, const char *text, const char *folder, unsigned int nname,
                    const char *const *names)
{
  memset(t, 0, sizeof *t);
  t->text = text;
  t->names = names;
  t->nname = nname;
  int err = ga_hc_lex(t, folder);
  if (err == GA_NO_ERROR) err = ga_hc_declare(t);
  if (err == GA_NO_ERROR) err = ga_hc_find_looks(t);
  if (err == GA_NO_ERROR) err = ga_hc_find_syncs(t);
  if (err != GA_NO_ERROR) ga_hc_text_clear(t);
  return err;
}

void ga_hc_text_clear(ga_hc_text *t)
{
  for (unsigned int i = 0; i < t->nfile; i++) free(t->files[i].name);
  for (unsigned int i = 0; i < t->ndecl; i++) free(t->decls[i].scope);
  ga_hc_names_clear(&t->looks);
  ga_hc_names_clear(&t->changing);
  free(t->files);
  free(t->decls);
  free(t->tok);
  memset(t, 0, sizeof *t);
}
