/* SPDX-License-Identifier: MIT */
/* How large the stacks of a module's threads have to be, from what the compiler
 * tells of each function's frame (-fstack-usage): one line a function,
 *
 *   source.cu:2:32:int rec(int)<tab>272<tab>static
 *
 * Small stacks make barriers of large blocks faster, so they are the rule. A
 * module gets large ones when all its frames together may not fit, when a frame's
 * size is known only at run time, and when a function that was not inlined may
 * call itself. */
#include "hostcuda_frames.h"

#include <stdlib.h>
#include <string.h>

/* ---- recursion, by names --------------------------------------------------------- */

/* Does a function's body, or a class, speak of what it defines? */
static int names_itself(const ga_hc_text *t, const ga_hc_decl *d)
{
  const ga_hc_token *own = &t->tok[d->name];
  for (unsigned int i = d->body; i < d->end; i++) {
    const ga_hc_token *k = &t->tok[i];
    if (k->kind != GA_HC_NAME) continue;
    if (d->kind == GA_HC_FUNCTION && k->n == own->n && memcmp(k->s, own->s, k->n) == 0) return 1;
    if (d->kind != GA_HC_CLASS || t->tok[i + 1].s[0] != '(') continue;
    for (unsigned int j = i + 1; j < d->end; j++)
      if (t->tok[j].kind == GA_HC_NAME && t->tok[j].n == k->n && t->tok[j + 1].s[0] == '(' &&
          memcmp(t->tok[j].s, k->s, k->n) == 0)
        return 1;
  }
  return 0;
}

int ga_hc_may_recur(const ga_hc_text *t)
{
  for (unsigned int i = 0; i < t->ndecl; i++) {
    const ga_hc_decl *d = &t->decls[i];
    if (d->kind == GA_HC_VARIABLE || d->is_kernel || !t->files[t->tok[d->first].file].user)
      continue;
    if (d->body == 0 ? d->kind == GA_HC_FUNCTION : names_itself(t, d)) return 1;
  }
  return 0;
}

/* ---- frames ------------------------------------------------------------------------ */

/* What a line calls its function: of a kernel's entry, "...) = ns::k<int>]", the
 * kernel. */
static void keep_name(ga_hc_frames *f, const char *line, size_t n)
{
  size_t from = n, end = n;
  while (from > 0 && line[from - 1] != ':') from--;
  for (size_t i = 0; i + 2 < n; i++)
    if (memcmp(line + i, " = ", 3) == 0) {
      from = i + 3;
      end = n - (line[n - 1] == ']');
      break;
    }
  if (end - from >= sizeof f->name) end = from + sizeof f->name - 1;
  memcpy(f->name, line + from, end - from);
  f->name[end - from] = '\0';
}

static int speaks_of(const char *line, size_t n, const char *what)
{
  size_t m = strlen(what);
  for (size_t i = 0; i + m <= n; i++)
    if (memcmp(line + i, what, m) == 0) return 1;
  return 0;
}

void ga_hc_frames_read(ga_hc_frames *f, const char *usage, int recurs)
{
  size_t all = 0;
  memset(f, 0, sizeof *f);
  f->deep = usage == NULL;
  for (const char *p = usage; p != NULL && *p != '\0';) {
    size_t line = strcspn(p, "\n"), name = strcspn(p, "\t\n");
    if (name < line) {
      char *end;
      size_t size = strtoull(p + name + 1, &end, 10);
      int ours = speaks_of(p, name, "ga_hc_") || speaks_of(p, name, "/system/") ||
                 speaks_of(p, name, "__ubsan") || speaks_of(p, name, "__tsan");
      all += size;
      if (size > f->largest) {
        f->largest = size;
        keep_name(f, p, name);
      }
      f->deep |= (recurs && !ours) || strncmp(end, "\tdynamic\n", 9) == 0;
    }
    p += line + (p[line] == '\n');
  }
  f->deep |= all > GA_HC_STACK_SMALL - GA_HC_GUARD(GA_HC_STACK_SMALL) - GA_HC_STACK_LEAST;
}
