/* SPDX-License-Identifier: MIT */
/* Inline PTX to C++, as far as single instructions of the usual kinds go:
 *
 *   asm volatile("add.s32 %0, %1, 5;" : "=r"(sum) : "r"(x) : "memory");
 *
 *   do { auto &&ga_ptx_o0 = (sum); const ga_ptx_reg ga_ptx_1 = ga_ptx_in (x);
 *   ga_ptx_reg ga_ptx_0 = 0; { typedef unsigned T; ... ga_ptx_0 = ga_ptx_bits(...); }
 *   ga_ptx_out(ga_ptx_o0, ga_ptx_0); } while (0);
 *
 * The operands' expressions stay where they are, as the rewriter has words of its own to find
 * in them; what stands between them is replaced, piece by piece. Registers that the text
 * declares are variables, a predicate before an instruction is an if. Most instructions are
 * rows of hostcuda_ptx.def; those that touch memory, or have several results, are in
 * hostcuda_ptx_code.c. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "hostcuda_ptx_words.h"

/* ---- the text of an asm -------------------------------------------------------------------- */

static void skip_blanks(ga_ptx_reader *r)
{
  for (;;) {
    r->p += strspn(r->p, " \t\r\n");
    if (r->p[0] == '/' && r->p[1] == '/') {
      r->p += strcspn(r->p, "\n");
    } else if (r->p[0] == '/' && r->p[1] == '*') {
      const char *end = strstr(r->p, "*/");
      r->p = end != NULL ? end + 2 : r->p + strlen(r->p);
    } else {
      return;
    }
  }
}

/* .reg .u32 a, b; */
static int declare(ga_ptx_reader *r)
{
  r->p += strspn(r->p, " \t");
  if (*r->p != '.') return 0;
  r->p += strcspn(r->p, " \t;");
  while (*r->p != ';' && *r->p != '\0') {
    char word[WORD], name[ROOM];
    r->p += strspn(r->p, " \t\r\n,");
    size_t n = strcspn(r->p, " \t\r\n,;");
    if (n == 0) continue;
    snprintf(word, sizeof word, "%.*s", (int)n, r->p);
    /* not initialised: a branch may pass it */
    ga_ptx_emit(r, "ga_ptx_reg ga_ptx_r_%s ; ", word + (word[0] == '%'));
    if (!ga_ptx_variable(r, name, sizeof name, word)) return 0;
    ga_ptx_emit(r, "%s = 0; ", name);
    r->p += n;
  }
  return 1;
}

/* name:, where a branch goes. */
static int label(ga_ptx_reader *r)
{
  size_t n = 0;
  while (isalnum((unsigned char)r->p[n]) || (r->p[n] != '\0' && strchr("_$%", r->p[n]) != NULL))
    n++;
  const char *colon = r->p + n + strspn(r->p + n, " \t");
  char word[WORD], name[ROOM];
  if (n == 0 || n >= WORD || *colon != ':' || colon[1] == ':') return 0;
  snprintf(word, sizeof word, "%.*s", (int)n, r->p);
  ga_ptx_emit(r, "%s: ; ", ga_ptx_label(r, word, name));
  r->p = colon + 1;
  return 1;
}

/* The words up to the semicolon, without blanks, parted by commas that stand in no bracket. */
static int read_words(ga_ptx_reader *r, ga_ptx_instruction *in)
{
  int depth = 0;
  size_t n = 0;
  for (skip_blanks(r); *r->p != ';' && *r->p != '\0'; r->p++, skip_blanks(r)) {
    char c = *r->p;
    depth += (c == '{' || c == '[') - (c == '}' || c == ']');
    if (depth < 0) break; /* the end of a block without a semicolon */
    if (in->nword == 0 && n == 0) in->nword = 1;
    if (c == ',' && depth == 0) {
      if (in->nword == MAX_WORDS) return 0;
      in->nword++;
      n = 0;
      continue;
    }
    if (n + 1 == WORD) return 0;
    in->word[in->nword - 1][n++] = c;
    in->word[in->nword - 1][n] = '\0';
  }
  return 1;
}

/* One instruction; 0 where there is no such. */
static int read_instruction(ga_ptx_reader *r, ga_ptx_instruction *in)
{
  char guard[ROOM], word[WORD];
  size_t n;
  memset(in, 0, sizeof *in);
  if (*r->p == '@') {
    int not = *++r->p == '!';
    r->p += not ;
    n = strcspn(r->p, " \t\r\n");
    snprintf(word, sizeof word, "%.*s", (int)n, r->p);
    if (!ga_ptx_variable(r, guard, sizeof guard, word)) return 0;
    ga_ptx_emit(r, "if (%s %s 0) ", guard, not ? "==" : "!=");
    r->p += n;
    skip_blanks(r);
  }
  n = strcspn(r->p, " \t\r\n;{}[%");
  snprintf(in->op, sizeof in->op, "%.*s", (int)n, r->p);
  in->mods = in->op + strcspn(in->op, ".");
  r->p += n;
  if (strcmp(in->op, ".reg") == 0) return declare(r);
  if (!read_words(r, in)) return 0;
  ga_ptx_emit(r, "{ ");
  int found = ga_ptx_write(r, in) && !r->bad;
  ga_ptx_emit(r, "} ");
  return found;
}

static int read_text(ga_hc_ptx *x, const char *text, unsigned int place)
{
  ga_ptx_reader r = {.x = x, .p = text, .place = place};
  ga_ptx_instruction in = {.nword = 0};
  int depth = 0;
  for (skip_blanks(&r); *r.p != '\0' && depth >= 0; skip_blanks(&r)) {
    if (*r.p == '{' || *r.p == '}') {
      depth += *r.p == '{' ? 1 : -1;
      ga_ptx_emit(&r, "%c ", *r.p++);
    } else if (*r.p == ';') {
      r.p++;
    } else if (label(&r)) {
      continue;
    } else if (!read_instruction(&r, &in)) {
      snprintf(x->item, sizeof x->item, "inline PTX (%.60s)", in.op[0] != '\0' ? in.op : "asm");
      return 0;
    }
  }
  if (r.leaves) ga_ptx_emit(&r, "::ga_hc_self()->carry = ga_ptx_cc; ");
  if (depth != 0) snprintf(x->item, sizeof x->item, "inline PTX (a block of several asm)");
  return depth == 0;
}

/* ---- the tokens of an asm ------------------------------------------------------------------ */

int ga_hc_is_ptx(const ga_hc_token *k)
{
  int colons = 0;
  if (!ga_hc_is(k, "asm") && !ga_hc_is(k, "__asm__") && !ga_hc_is(k, "__asm")) return 0;
  do k++;
  while (ga_hc_is(k, "volatile") || ga_hc_is(k, "__volatile__"));
  if (!ga_hc_is(k, "(") || k[1].kind != GA_HC_STRING || k[1].n > 2) return 1;
  for (k += 2; ga_hc_is(k, ":") || ga_hc_is(k, "::"); k++) colons += (int)k->n;
  return k->kind == GA_HC_STRING && colons > 0 && colons < 3; /* a letter of CUDA's */
}

/* Adds a literal's characters; of %% one is left. */
static void add_literal(ga_str *s, const ga_hc_token *k)
{
  const char *p = memchr(k->s, '"', k->n), *end = k->s + k->n - 1;
  const int raw = k->s[0] == 'R';
  if (p == NULL) return;
  if (raw) p = memchr(p, '(', (size_t)(end - p));
  if (raw && p == NULL) return;
  if (raw)
    while (end > p && *end != ')') end--;
  for (p++; p < end; p++) {
    char c = *p;
    if (c == '\\' && !raw && p + 1 < end) {
      p++;
      c = *p == 'n' || *p == 't' || *p == 'r' || *p == '\n' ? ' ' : *p;
      if (*p == 'n') c = '\n';
    }
    if (c == '%' && p + 1 < end && p[1] == '%') p++;
    ga_str_addn(s, &c, 1);
  }
}

static ga_hc_piece *piece(ga_hc_ptx *x, unsigned int from, unsigned int to)
{
  ga_hc_piece *p = &x->piece[x->npiece++];
  *p = (ga_hc_piece){.from = from, .to = to};
  return p;
}

/* The operands from token i on, which a colon ends; returns it. 0: what is there is not understood.
 * Those that the code has to set first, or to give back, are in `first` and `last`. */
static unsigned int operands(ga_hc_ptx *x, const ga_hc_text *t, unsigned int i, unsigned int from,
                             int out, ga_str *first, ga_str *last)
{
  while (t->tok[i].kind == GA_HC_STRING) {
    unsigned int n = x->noperand++;
    int both = 0, number = 0, text = 0;
    for (const ga_hc_token *k = &t->tok[i]; k->kind == GA_HC_STRING; k++) {
      both |= memchr(k->s, '+', k->n) != NULL;
      number |= memchr(k->s, 'n', k->n) != NULL;
      text |= memchr(k->s, 'C', k->n) != NULL;
    }
    while (t->tok[i + 1].kind == GA_HC_STRING) i++;
    if (n >= GA_HC_PTX_OPERANDS || text || !ga_hc_is(&t->tok[i + 1], "(")) return 0;
    ga_hc_piece *p = piece(x, from, i);
    if (out) {
      snprintf(p->text, sizeof p->text, "%s auto &&ga_ptx_o%u = ", n == 0 ? "do {" : ";", n);
      ga_str_addf(first, "ga_ptx_reg ga_ptx_%u = ", n);
      if (both) ga_str_addf(first, "ga_ptx_in(ga_ptx_o%u); ", n);
      if (!both) ga_str_add(first, "0; ");
      ga_str_addf(last, "ga_ptx_out(ga_ptx_o%u, ga_ptx_%u); ", n, n);
    } else {
      snprintf(p->text, sizeof p->text, "%s const ga_ptx_reg ga_ptx_%u = %s", n == 0 ? "do {" : ";",
               n, number ? "(ga_ptx_reg)" : "ga_ptx_in");
    }
    from = i = ga_hc_closing(t, i + 1) + 1;
    if (ga_hc_is(&t->tok[i], ",")) i++;
  }
  x->from = from;
  return i;
}

static int read_asm(ga_hc_ptx *x, const ga_hc_text *t, unsigned int i, ga_str *text, ga_str *last)
{
  ga_str first = {0};
  unsigned int open = i + 1, end;
  while (t->tok[open].kind == GA_HC_NAME) open++;
  if (!ga_hc_is(&t->tok[open], "(")) return 0;
  end = ga_hc_closing(t, open);
  x->from = i;
  for (i = open + 1; t->tok[i].kind == GA_HC_STRING; i++) add_literal(text, &t->tok[i]);
  for (int colons = 0; colons < 3 && i < end;) {
    int two = ga_hc_is(&t->tok[i], "::");
    if (!two && !ga_hc_is(&t->tok[i], ":")) break;
    colons += 1 + two;
    i++;
    if (colons < 3) i = operands(x, t, i, x->from, colons == 1, &first, last);
    if (i == 0) break;
  }
  int good = i != 0 && (t->tok[i].kind == GA_HC_STRING || i == end);
  piece(x, x->from, end);
  ga_str_addf(&x->code, "%s %s", x->noperand == 0 ? "do {" : ";", ga_str_text(&first));
  x->code.failed |= first.failed;
  ga_str_clear(&first);
  return good;
}

/* Does it take a carry that another asm may have left, or keep it where a guard says so? */
static int takes_carry(const char *text)
{
  return strstr(text, "addc") != NULL || strstr(text, "subc") != NULL ||
         strstr(text, "madc") != NULL || (strchr(text, '@') != NULL && strstr(text, ".cc") != NULL);
}

int ga_hc_ptx_read(ga_hc_ptx *x, const ga_hc_text *t, unsigned int i, unsigned int place)
{
  ga_str text = {0}, last = {0};
  memset(x, 0, sizeof *x);
  snprintf(x->item, sizeof x->item, "inline PTX (asm)");
  int good = read_asm(x, t, i, &text, &last);
  ga_str_addf(
      &x->code,
      "ga_ptx_reg ga_ptx_none; unsigned ga_ptx_cc = %s; (void)ga_ptx_none; (void)ga_ptx_cc; "
      "const ::ga_hc_at ga_ptx_here(%uu); "
      "(void)ga_ptx_here; ",
      takes_carry(ga_str_text(&text)) ? "::ga_hc_self()->carry" : "0", place);
  good = good && read_text(x, ga_str_text(&text), place);
  ga_str_addf(&x->code, "%s} while (0)", ga_str_text(&last));
  x->code.failed |= text.failed || last.failed;
  ga_str_clear(&text);
  ga_str_clear(&last);
  return good;
}

void ga_hc_ptx_clear(ga_hc_ptx *x)
{
  ga_str_clear(&x->code);
  x->npiece = x->next = 0;
}
