/* SPDX-License-Identifier: MIT */
/* What follows a rewritten text: the module's table, a row for each kernel and
 * each global. A kernel that is a template has rows for those instances that were
 * asked for by name. */
#include <string.h>

#include "hostcuda_ptx.h"

static int same_name(const ga_hc_text *t, const ga_hc_decl *a, const ga_hc_decl *b)
{
  const ga_hc_token *x = &t->tok[a->name], *y = &t->tok[b->name];
  return x->n == y->n && memcmp(x->s, y->s, x->n) == 0 && strcmp(a->scope, b->scope) == 0;
}

/* Several definitions of one name are overloads, which have no row: a name does
 * not say which of them is meant. A declaration says nothing that its definition
 * does not. */
static int has_row(const ga_hc_text *t, const ga_hc_decl *d)
{
  if (!d->is_kernel || d->is_template || d->body == 0) return 0;
  for (unsigned int i = 0; i < t->ndecl; i++) {
    const ga_hc_decl *o = &t->decls[i];
    if (o != d && o->is_kernel && (o->body != 0) && same_name(t, o, d)) return 0;
  }
  return 1;
}

static void add_bounds(ga_str *s, const ga_hc_text *t, const ga_hc_decl *d)
{
  if (d == NULL || d->is_template || d->bounds == d->bounds_end) {
    ga_str_add(s, "1024");
    return;
  }
  for (unsigned int i = d->bounds; i < d->bounds_end; i++) {
    ga_str_addn(s, t->tok[i].s, t->tok[i].n);
    ga_str_add(s, " ");
  }
}

static void add_quoted(ga_str *s, const char *text, size_t n)
{
  ga_str_add(s, "\"");
  for (; n > 0; n--, text++) {
    if (*text == '"' || *text == '\\') ga_str_add(s, "\\");
    ga_str_addn(s, text, 1);
  }
  ga_str_add(s, "\"");
}

/* The kernel that a name expression is an instance of, by its last name. */
static const ga_hc_decl *kernel_of(const ga_hc_text *t, const char *name)
{
  size_t end = strcspn(name, "<"), begin;
  while (end > 0 && name[end - 1] == ' ') end--;
  for (begin = end; begin > 0 && strchr(": &*", name[begin - 1]) == NULL;) begin--;
  for (unsigned int i = 0; i < t->ndecl; i++) {
    const ga_hc_decl *d = &t->decls[i];
    const ga_hc_token *k = &t->tok[d->name];
    if (d->is_kernel && d->body != 0 && k->n == end - begin &&
        memcmp(k->s, name + begin, k->n) == 0)
      return d;
  }
  return NULL;
}

static void add_kernels(ga_str *s, const ga_hc_text *t, const ga_hc_options *o)
{
  ga_str_add(s, "static const ga_hc_kernel ga_hc_kernels[] = {\n");
  for (unsigned int i = 0; i < t->ndecl; i++) {
    const ga_hc_decl *d = &t->decls[i];
    const ga_hc_token *k = &t->tok[d->name];
    if (!has_row(t, d)) continue;
    ga_str_addf(s, "  GA_HC_ROW(%d, \"%s%.*s\", (::%s%.*s), ", d->syncs || o->check, d->scope,
                (int)k->n, k->s, d->scope, (int)k->n, k->s);
    add_bounds(s, t, d);
    ga_str_add(s, "),\n");
  }
  for (unsigned int i = 0; i < t->nname; i++) {
    const char *name = t->names[i];
    const ga_hc_decl *d = kernel_of(t, name);
    ga_str_addf(s, "  GA_HC_ROW(%d, ", d == NULL || d->syncs || o->check);
    add_quoted(s, name, strlen(name));
    ga_str_addf(s, ", (%s), ", name + (name[0] == '&'));
    add_bounds(s, t, d);
    ga_str_add(s, "),\n");
  }
  ga_str_add(s, "  {0, 0, 0, 0, 0, 0, 0, 0}};\n");
}

static int is_constant(const ga_hc_text *t, const ga_hc_decl *d)
{
  for (unsigned int i = d->first; i < d->name; i++)
    if (ga_hc_is(&t->tok[i], "__constant__")) return 1;
  return 0;
}

static void add_globals(ga_str *s, const ga_hc_text *t)
{
  const ga_hc_decl *last = NULL; /* declarators of one statement share its words */
  int constant = 0;
  ga_str_add(s, "static const ga_hc_global ga_hc_globals[] = {\n");
  for (unsigned int i = 0; i < t->ndecl; i++) {
    const ga_hc_decl *d = &t->decls[i];
    const ga_hc_token *k = &t->tok[d->name];
    if (d->kind != GA_HC_VARIABLE || !t->files[k->file].user) continue;
    if (last == NULL || last->first != d->first) constant = is_constant(t, d);
    last = d;
    ga_str_addf(s, "  {\"%s%.*s\", (void *)&::%s%.*s, sizeof ::%s%.*s, %d},\n", d->scope, (int)k->n,
                k->s, d->scope, (int)k->n, k->s, d->scope, (int)k->n, k->s, constant);
  }
  ga_str_add(s, "  {0, 0, 0, 0}};\n");
}

/* Can the kernel's text fault, and so must tell its thread? By a failed assertion,
 * a trap, or a division of integers by what is no literal. */
static int may_fault(const ga_hc_token *k)
{
  if (k->kind == GA_HC_PUNCT)
    return (k->s[0] == '/' || k->s[0] == '%') && k[1].kind != GA_HC_NUMBER;
  return ga_hc_is(k, "ga_hc_fault") || ga_hc_is(k, "__trap");
}

/* Does a loop over threads have to say which thread runs? It does where a function
 * that is no kernel asks, and where one may fault. */
static int asks_index(const ga_hc_text *t, const ga_hc_options *o)
{
  unsigned int next = 0;
  if (!o->hidden) return 1;
  for (unsigned int i = 0; t->tok[i].kind != GA_HC_END; i++) {
    while (next < t->ndecl && t->decls[next].end <= i) next++;
    const ga_hc_decl *d = next < t->ndecl && t->decls[next].first <= i ? &t->decls[next] : NULL;
    if (t->files[t->tok[i].file].user && may_fault(&t->tok[i])) return 1;
    if (ga_hc_is_ptx(&t->tok[i])) return 1;
    if (d != NULL && d->is_kernel) continue;
    if (ga_hc_is(&t->tok[i], "threadIdx")) return 1;
  }
  return 0;
}

void ga_hc_table(ga_str *s, const ga_hc_text *t, const ga_hc_options *o, const char *places,
                 const char *pads)
{
  ga_str_add(s, "\n# 1 \"table\"\n");
  ga_str_addf(s, "#define GA_HC_TID %d\n", asks_index(t, o));
  ga_str_add(s, "#include \"system/hostcuda_entry.hpp\"\n");
  add_kernels(s, t, o);
  add_globals(s, t);
  ga_str_add(s, "static const char *const ga_hc_files[] = {\n");
  for (unsigned int i = 0; i < t->nfile; i++) {
    ga_str_add(s, "  ");
    add_quoted(s, t->files[i].name, strlen(t->files[i].name));
    ga_str_add(s, ",\n");
  }
  ga_str_add(s, "  0};\n");
  ga_str_addf(s, "static const ga_hc_place ga_hc_places[] = {\n%s  {0, 0}};\n", places);
  ga_str_addf(s, "static const void *const ga_hc_pads[] = {\n%s  0};\n", pads);
  ga_str_addf(s, "GA_HC_TABLE(%d)\n", o->check != 0);
}
