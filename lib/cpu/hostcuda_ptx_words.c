/* SPDX-License-Identifier: MIT */
/* The words of an instruction of inline PTX: its types, and its operands as C++. */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hostcuda_ptx_words.h"

/* ---- types ----------------------------------------------------------------------------- */

static const ga_ptx_type types[] = {{"u8", "unsigned char", "unsigned char", NULL},
                                    {"s8", "signed char", "unsigned char", NULL},
                                    {"b8", "unsigned char", "unsigned char", NULL},
                                    {"u16", "unsigned short", "unsigned short", "unsigned"},
                                    {"s16", "short", "unsigned short", "int"},
                                    {"b16", "unsigned short", "unsigned short", NULL},
                                    {"u32", "unsigned", "unsigned", "unsigned long long"},
                                    {"s32", "int", "unsigned", "long long"},
                                    {"b32", "unsigned", "unsigned", NULL},
                                    {"u64", "unsigned long long", "unsigned long long", NULL},
                                    {"s64", "long long", "unsigned long long", NULL},
                                    {"b64", "unsigned long long", "unsigned long long", NULL},
                                    {"f32", "float", "float", NULL},
                                    {"f64", "double", "double", NULL},
                                    {"f16", "ga_ptx_f16", "ga_ptx_f16", NULL},
                                    {"bf16", "ga_ptx_bf16", "ga_ptx_bf16", NULL},
                                    {"f16x2", "ga_ptx_f16x2", "ga_ptx_f16x2", NULL},
                                    {"bf16x2", "ga_ptx_bf16x2", "ga_ptx_bf16x2", NULL},
                                    {"tf32", "ga_ptx_tf32", "ga_ptx_tf32", NULL},
                                    {"pred", "bool", "bool", NULL}};

/* Is `mod` one of the words, parted by points, that stand behind the instruction's name? Of
 * "l.wrap" both, one behind the other. */
int ga_ptx_has(const ga_ptx_instruction *in, const char *mod)
{
  size_t n = strlen(mod);
  for (const char *p = in->mods; (p = strstr(p, mod)) != NULL; p++)
    if (p > in->op && p[-1] == '.' && (p[n] == '.' || p[n] == '\0' || p[n] == ':')) return 1;
  return 0;
}

static const ga_ptx_type *type_named(const char *name, size_t n)
{
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (strlen(types[i].name) == n && memcmp(types[i].name, name, n) == 0) return &types[i];
  return NULL;
}

/* The last of an instruction's words, which is its type; the one before for which = 1. */
const ga_ptx_type *ga_ptx_type_of(const ga_ptx_instruction *in, int which)
{
  const char *end = in->op + strlen(in->op), *p = end;
  for (;;) {
    while (p > in->op && p[-1] != '.') p--;
    if (p == in->op) return NULL;
    int ftz = end - p == 3 && memcmp(p, "ftz", 3) == 0; /* may stand behind the type */
    if (!ftz && which-- == 0) return type_named(p, (size_t)(end - p));
    end = --p;
  }
}

/* ---- operands -------------------------------------------------------------------------- */

static const char *special(const char *name)
{
  static const char *const words[][2] = {
      {"laneid", "ga_hc_lane()"},
      {"warpid", "(ga_hc_self()->index / 32)"},
      {"nwarpid", "32"},
      {"smid", "0"},
      {"nsmid", "1"},
      {"gridid", "0"},
      {"clock", "(unsigned)clock64()"},
      {"clock64", "clock64()"},
      {"globaltimer", "ga_hc_nanoseconds()"},
      {"globaltimer_lo", "(unsigned)ga_hc_nanoseconds()"},
      {"lanemask_eq", "(1u << ga_hc_lane())"},
      {"lanemask_lt", "((1u << ga_hc_lane()) - 1)"},
      {"lanemask_le", "(~0u >> (31 - ga_hc_lane()))"},
      {"lanemask_gt", "(~1u << ga_hc_lane())"},
      {"lanemask_ge", "(~0u << ga_hc_lane())"},
      {"tid.x", "ga_hc_tid().x"},
      {"tid.y", "ga_hc_tid().y"},
      {"tid.z", "ga_hc_tid().z"},
      {"ntid.x", "ga_hc_bdim().x"},
      {"ntid.y", "ga_hc_bdim().y"},
      {"ntid.z", "ga_hc_bdim().z"},
      {"ctaid.x", "ga_hc_bid().x"},
      {"ctaid.y", "ga_hc_bid().y"},
      {"ctaid.z", "ga_hc_bid().z"},
      {"nctaid.x", "ga_hc_gdim().x"},
      {"nctaid.y", "ga_hc_gdim().y"},
      {"nctaid.z", "ga_hc_gdim().z"},
      {"dynamic_smem_size", "(unsigned)ga_hc_self()->block->dynamic_size"}};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strcmp(words[i][0], name) == 0) return words[i][1];
  return NULL;
}

/* Has the code a variable of this name? "ga_ptx_reg name = " */
static int is_declared(const ga_ptx_reader *r, const char *name)
{
  const char *p = ga_str_text(&r->x->code);
  size_t n = strlen(name);
  for (; (p = strstr(p, "ga_ptx_reg ga_ptx_r_")) != NULL; p++)
    if (strncmp(p + 11, name, n) == 0 && p[11 + n] == ' ') return 1;
  return 0;
}

/* Each asm has its own, but for a block that is written twice in it. */
const char *ga_ptx_label(const ga_ptx_reader *r, const char *word, char *room)
{
  int n = snprintf(room, ROOM, "ga_ptx_l%u_", r->place);
  for (; *word != '\0'; word++)
    room[n++] = isalnum((unsigned char)*word) || *word == '$' ? *word : '_';
  room[n] = '\0';
  return room;
}

/* A register's variable, in `out`; 0: it is none. */
int ga_ptx_variable(const ga_ptx_reader *r, char *out, size_t room, const char *word)
{
  if (word[0] == '%' && isdigit((unsigned char)word[1])) {
    snprintf(out, room, "ga_ptx_%s", word + 1);
    return strspn(word + 1, "0123456789") == strlen(word + 1) &&
           strtoul(word + 1, NULL, 10) < r->x->noperand;
  }
  word += word[0] == '%';
  if (!isalpha((unsigned char)word[0]) && word[0] != '_' && word[0] != '$') return 0;
  for (const char *p = word; *p != '\0'; p++)
    if (!isalnum((unsigned char)*p) && *p != '_' && *p != '$') return 0;
  snprintf(out, room, "ga_ptx_r_%s", word);
  return is_declared(r, out);
}

/* 1.5 or 2e-3 */
static int is_decimal(const char *word)
{
  const char *p = word + (*word == '-');
  size_t n = strspn(p, "0123456789");
  if (n == 0 || (p[n] != '.' && p[n] != 'e' && p[n] != 'E')) return 0;
  return strspn(p, "0123456789.eE+-") == strlen(p);
}

/* The value of a word as an expression: a register, a special one, or a number. */
static int value(const ga_ptx_reader *r, char *out, size_t room, const char *word)
{
  const char *s = word[0] == '%' ? special(word + 1) : NULL;
  char name[WORD];
  if (s != NULL) {
    snprintf(out, room, "(ga_ptx_reg)%s", s);
    return 1;
  }
  if (word[0] == '!' && ga_ptx_variable(r, name, sizeof name, word + 1)) {
    snprintf(out, room, "(ga_ptx_reg)(%s == 0)", name);
    return 1;
  }
  if (strcmp(word, "WARP_SZ") == 0) return snprintf(out, room, "32ull") > 0;
  if (word[0] == '0' && (word[1] == 'f' || word[1] == 'F' || word[1] == 'd' || word[1] == 'D')) {
    snprintf(out, room, "0x%sull", word + 2); /* the bits of a float */
    return strspn(word + 2, "0123456789abcdefABCDEF") == strlen(word + 2);
  }
  if (isdigit((unsigned char)word[0]) || word[0] == '-') {
    size_t n = strspn(word, "-0123456789abcdefABCDEFxXU");
    snprintf(out, room, "(ga_ptx_reg)(%s)", word);
    return word[n] == '\0';
  }
  return ga_ptx_variable(r, out, room, word);
}

void ga_ptx_emit(ga_ptx_reader *r, const char *fmt, ...)
{
  va_list ap;
  va_start(ap, fmt);
  ga_str_addv(&r->x->code, fmt, ap);
  va_end(ap);
}

/* The value of the instruction's word i, "0" where it has none. */
const char *ga_ptx_source(ga_ptx_reader *r, ga_ptx_instruction *in, unsigned int i, char *room)
{
  room[0] = '\0';
  if (i < in->nword && is_decimal(in->word[i])) {
    const ga_ptx_type *t = ga_ptx_type_of(in, 0);
    const char *type = t != NULL ? t->text : "";
    if (strcmp(type, "float") != 0 && strcmp(type, "double") != 0) r->bad = 1; /* no constant */
    snprintf(room, ROOM, "ga_ptx_bits<%s>((%s)%s)", type, type, in->word[i]);
    return room;
  }
  if (i >= in->nword || !value(r, room, ROOM, in->word[i])) {
    r->bad = 1;
    return "0";
  }
  return room;
}

/* Where the result of word i goes; a predicate behind a bar is given apart. */
const char *ga_ptx_target(ga_ptx_reader *r, ga_ptx_instruction *in, unsigned int i, char *room)
{
  if (i < in->nword && strcmp(in->word[i], "_") == 0) return "ga_ptx_none";
  if (i >= in->nword || !ga_ptx_variable(r, room, ROOM, in->word[i])) r->bad = 1;
  return room;
}

/* [word] or [word+8], as an address, which may be one in shared memory. */
const char *ga_ptx_address(ga_ptx_reader *r, const ga_ptx_instruction *in, unsigned int i,
                           int shared, char *room)
{
  char inner[WORD], base[ROOM];
  size_t n = i < in->nword ? strlen(in->word[i]) : 0;
  if (n < 3 || in->word[i][0] != '[' || in->word[i][n - 1] != ']') {
    r->bad = 1;
    return "0";
  }
  snprintf(inner, sizeof inner, "%.*s", (int)n - 2, in->word[i] + 1);
  char *plus = strpbrk(inner + 1, "+-");
  char offset[WORD] = "0";
  if (plus != NULL) {
    snprintf(offset, sizeof offset, "%s", plus + (*plus == '+'));
    if (strspn(offset, "-0123456789abcdefx") != strlen(offset)) r->bad = 1;
    *plus = '\0';
  }
  if (!value(r, base, sizeof base, inner)) r->bad = 1;
  snprintf(room, ROOM, "%s(%.60s + (ga_ptx_reg)(%.30s))", shared ? "ga_ptx_shared" : "", base,
           offset);
  return room;
}

int ga_ptx_is(const ga_ptx_instruction *in, const char *name)
{
  size_t n = strlen(name);
  return strncmp(in->op, name, n) == 0 && (in->op[n] == '.' || in->op[n] == '\0');
}

/* The words in {a, b}, in place of word i. */
unsigned int ga_ptx_elements(ga_ptx_instruction *in, unsigned int i, ga_ptx_instruction *out)
{
  const char *p = in->word[i];
  out->nword = 0;
  if (*p != '{') {
    snprintf(out->word[out->nword++], WORD, "%s", p);
    return 1;
  }
  for (p++; *p != '\0' && *p != '}' && out->nword < MAX_WORDS;) {
    p += strspn(p, ",");
    size_t n = strcspn(p, ",}");
    if (n > 0) snprintf(out->word[out->nword++], WORD, "%.*s", (int)n, p);
    p += n;
  }
  return out->nword;
}
