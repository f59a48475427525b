/* SPDX-License-Identifier: MIT */
/* Instructions of inline PTX as C++: the rows of hostcuda_ptx.def, and those that touch memory,
 * have several results or meet other threads. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hostcuda_ptx_words.h"

/* ---- instructions that are one expression ------------------------------------------------ */

static const struct op {
  const char *name, *with, *sources;
  char result;
  const char *expression;
} ops[] = {
#define OP(name, with, sources, result, expression) {name, with, sources, result, expression},
#include "hostcuda_ptx.def"
#undef OP
};

static const char *of_letter(char letter, const ga_ptx_type *t)
{
  if (letter == 'U') return "unsigned";
  if (letter == 'P') return "bool";
  return letter == 'T' ? t->text : letter == 'N' ? t->plain : t->wide;
}

/* A rounding that the expressions do not have, a sum that ends at its type's bounds, a carry, a
 * second type, a NaN that spreads: another meaning than the row's. */
static int changes_meaning(const ga_ptx_instruction *in)
{
  static const char *const mods[] = {"sat", "cc",      "rz",   "rm",      "rp",
                                     "NaN", "xorsign", "relu", "shiftamt"};
  for (size_t i = 0; i < sizeof mods / sizeof *mods; i++)
    if (ga_ptx_has(in, mods[i])) return 1;
  return 0;
}

/* Writes a row's expression. Its letters become names that no template around the asm has for a
 * parameter, as those cannot be hidden. */
static void emit_expression(ga_ptx_reader *r, const char *p)
{
  while (*p != '\0') {
    size_t n = 0;
    while (isalnum((unsigned char)p[n]) || p[n] == '_') n++;
    if (n == 1 && !isdigit((unsigned char)*p))
      ga_ptx_emit(r, "ga_ptx_%c", *p);
    else
      ga_ptx_emit(r, "%.*s", n > 0 ? (int)n : 1, p);
    p += n > 0 ? n : 1;
  }
}

/* Arithmetic of floats that rounds another way: add.rz.f32 is __fadd_rz. */
static int directed(ga_ptx_reader *r, ga_ptx_instruction *in)
{
  static const char *const names[][2] = {{"add", "add"},  {"sub", "sub"}, {"mul", "mul"},
                                         {"fma", "fma"},  {"div", "div"}, {"rcp", "rcp"},
                                         {"sqrt", "sqrt"}};
  const ga_ptx_type *t = ga_ptx_type_of(in, 0);
  const char *round = ga_ptx_has(in, "rz")   ? "rz"
                      : ga_ptx_has(in, "rm") ? "rd"
                      : ga_ptx_has(in, "rp") ? "ru"
                                             : NULL;
  char a[ROOM];
  size_t i = 0, n = sizeof names / sizeof *names;
  while (i < n && !ga_ptx_is(in, names[i][0])) i++;
  if (t == NULL || round == NULL || i == n || in->nword < 2 || in->nword > 4) return 0;
  const int is_float = strcmp(t->name, "f32") == 0, is_fma = strcmp(names[i][0], "fma") == 0;
  if ((!is_float && strcmp(t->name, "f64") != 0) || ga_ptx_has(in, "sat")) return 0;
  ga_ptx_emit(r, "%s = ga_ptx_bits<%s>(__%s%s%s_%s(", ga_ptx_target(r, in, 0, a), t->text,
              is_fma     ? ""
              : is_float ? "f"
                         : "d",
              names[i][1], is_fma && is_float ? "f" : "", round);
  for (unsigned int k = 1; k < in->nword; k++)
    ga_ptx_emit(r, "%sga_ptx<%s>(%s)", k > 1 ? ", " : "", t->text, ga_ptx_source(r, in, k, a));
  ga_ptx_emit(r, ")); ");
  return 1;
}

static int one_expression(ga_ptx_reader *r, ga_ptx_instruction *in)
{
  const struct op *o = ops, *end = ops + sizeof ops / sizeof *ops;
  while (o < end && !(ga_ptx_is(in, o->name) && (*o->with == '\0' || ga_ptx_has(in, o->with)))) o++;
  if (o == end || changes_meaning(in)) return 0;
  const ga_ptx_type *t = ga_ptx_type_of(in, 0);
  size_t n = strlen(o->sources);
  const char *result = t != NULL ? of_letter(o->result, t) : NULL;
  if (result == NULL || in->nword != n + 1) return 0;
  char room[ROOM];
  ga_ptx_emit(r, "{ typedef %s ga_ptx_T; typedef %s ga_ptx_W; ", t->text,
              t->wide != NULL ? t->wide : t->text);
  for (size_t i = 0; i < n; i++) {
    const char *type = of_letter(o->sources[i], t);
    if (type == NULL) return 0;
    ga_ptx_emit(r, "%s ga_ptx_%c = ga_ptx<%s>(%s); ", type, "abcd"[i], type,
                ga_ptx_source(r, in, (unsigned int)i + 1, room));
  }
  ga_ptx_emit(r, "%s = ga_ptx_bits<%s>((%s)(", ga_ptx_target(r, in, 0, room), result, result);
  emit_expression(r, o->expression);
  ga_ptx_emit(r, ")); } ");
  return 1;
}

/* ---- others ------------------------------------------------------------------------------ */

static int memory(ga_ptx_reader *r, ga_ptx_instruction *in)
{
  const int load = in->op[0] == 'l';
  const ga_ptx_type *t = ga_ptx_type_of(in, 0);
  const char *fence =
      ga_ptx_has(in, "acquire") || ga_ptx_has(in, "release") ? "__threadfence(); " : "";
  const char *seen =
      *fence != '\0' || ga_ptx_has(in, "volatile") || ga_ptx_has(in, "relaxed") ? "volatile " : "";
  ga_ptx_instruction each;
  char room[ROOM];
  if (t == NULL || in->nword != 2 || ga_ptx_has(in, "param") || t->text[0] == 'b') return 0;
  ga_ptx_emit(r, "{ %s%s *ga_ptx_p = (%s%s *)%s; ", seen, t->text, seen, t->text,
              ga_ptx_address(r, in, load ? 1 : 0, ga_ptx_has(in, "shared"), room));
  unsigned int n = ga_ptx_elements(in, load ? 0 : 1, &each);
  if (n != (ga_ptx_has(in, "v2") ? 2 : ga_ptx_has(in, "v4") ? 4 : ga_ptx_has(in, "v8") ? 8 : 1))
    return 0;
  if (!load) ga_ptx_emit(r, "%s", fence);
  for (unsigned int i = 0; i < n; i++) {
    if (load)
      ga_ptx_emit(r, "%s = ga_ptx_bits<%s>(ga_ptx_p[%u]); ", ga_ptx_target(r, &each, i, room),
                  t->text, i);
    else
      ga_ptx_emit(r, "ga_ptx_p[%u] = ga_ptx<%s>(%s); ", i, t->text,
                  ga_ptx_source(r, &each, i, room));
  }
  ga_ptx_emit(r, "%s} ", load ? fence : "");
  return 1;
}

/* mov.b64 {low, high}, a; and mov.b64 a, {low, high}; */
static int move_parts(ga_ptx_reader *r, ga_ptx_instruction *in)
{
  const ga_ptx_type *t = ga_ptx_type_of(in, 0);
  ga_ptx_instruction each;
  char room[ROOM];
  if (t == NULL || in->nword != 2) return 0;
  const int apart = in->word[0][0] == '{';
  const unsigned int bits = (unsigned int)strtoul(t->name + 1, NULL, 10);
  const unsigned int n = ga_ptx_elements(in, apart ? 0 : 1, &each), part = n > 0 ? bits / n : 0;
  if (n < 2 || part < 8) return 0;
  if (apart) ga_ptx_emit(r, "{ const ga_ptx_reg ga_ptx_a = %s; ", ga_ptx_source(r, in, 1, room));
  if (!apart) ga_ptx_emit(r, "{ ga_ptx_reg ga_ptx_a = 0; ");
  for (unsigned int i = 0; i < n; i++) {
    if (apart)
      ga_ptx_emit(r, "%s = ga_ptx_a >> %u & ((1ull << %u) - 1); ", ga_ptx_target(r, &each, i, room),
                  i * part, part);
    else
      ga_ptx_emit(r, "ga_ptx_a |= (%s & ((1ull << %u) - 1)) << %u; ",
                  ga_ptx_source(r, &each, i, room), part, i * part);
  }
  if (!apart) ga_ptx_emit(r, "%s = ga_ptx_a; ", ga_ptx_target(r, in, 0, room));
  ga_ptx_emit(r, "} ");
  return 1;
}

static int is_float(const ga_ptx_type *t) { return strchr(t->name, 'f') != NULL; }

/* cvt.rn.f16x2.f32 d, high, low; */
static int convert_pair(ga_ptx_reader *r, ga_ptx_instruction *in)
{
  const ga_ptx_type *to = ga_ptx_type_of(in, 1), *from = ga_ptx_type_of(in, 0);
  char a[ROOM], b[ROOM], room[ROOM];
  if (to == NULL || strstr(to->name, "x2") == NULL || from == NULL ||
      strcmp(from->name, "f32") != 0 || !ga_ptx_has(in, "rn") || changes_meaning(in))
    return 0;
  ga_ptx_source(r, in, 1, a);
  ga_ptx_source(r, in, 2, b);
  ga_ptx_emit(r, "%s = ga_ptx_bits<%s>(%s(ga_ptx<float>(%s), ga_ptx<float>(%s))); ",
              ga_ptx_target(r, in, 0, room), to->text, to->text, b, a);
  return 1;
}

static int convert(ga_ptx_reader *r, ga_ptx_instruction *in)
{
  static const char *const ways[][2] = {
      {"rzi", "trunc"}, {"rni", "rint"}, {"rmi", "floor"}, {"rpi", "ceil"}};
  const ga_ptx_type *to = ga_ptx_type_of(in, 1), *from = ga_ptx_type_of(in, 0);
  char a[ROOM], room[ROOM];
  if (in->nword == 3) return convert_pair(r, in);
  if (in->nword != 2 || ga_ptx_has(in, "sat")) return 0;
  ga_ptx_source(r, in, 1, a);
  ga_ptx_target(r, in, 0, room);
  if (to == NULL || from == NULL) return 0;
  const int whole = !is_float(to);
  if (strcmp(to->name, "tf32") == 0 && !ga_ptx_has(in, "rna")) return 0;
  for (size_t i = 0; is_float(from) && i < sizeof ways / sizeof *ways; i++)
    if (ga_ptx_has(in, ways[i][0]))
      return ga_ptx_emit(r, "%s = ga_ptx_bits(%s<%s>(__builtin_%s((double)ga_ptx<%s>(%s)))); ",
                         room, whole ? "ga_ptx_whole" : "static_cast", to->text, ways[i][1],
                         from->text, a),
             1;
  if (changes_meaning(in) || (is_float(from) && whole)) return 0;
  ga_ptx_emit(r, "%s = ga_ptx_bits<%s>((%s)ga_ptx<%s>(%s)); ", room, to->text, to->text, from->text,
              a);
  return 1;
}

/* atom has a result, red has none. */
static int atomic(ga_ptx_reader *r, ga_ptx_instruction *in)
{
  static const char *const names[][2] = {
      {"add", "Add"}, {"min", "Min"},   {"max", "Max"}, {"and", "And"}, {"or", "Or"},
      {"xor", "Xor"}, {"exch", "Exch"}, {"cas", "CAS"}, {"inc", "Inc"}, {"dec", "Dec"}};
  const unsigned int red = ga_ptx_is(in, "red");
  const ga_ptx_type *t = ga_ptx_type_of(in, 0);
  char a[ROOM], b[ROOM], c[ROOM];
  size_t i = 0, n = sizeof names / sizeof *names;
  while (i < n && !ga_ptx_has(in, names[i][0])) i++;
  if (t == NULL || i == n || in->nword != 3 - red + (strcmp(names[i][0], "cas") == 0)) return 0;
  const char *type = strstr("min max", names[i][0]) != NULL ? t->text : t->plain;
  if (!red) ga_ptx_emit(r, "%s = ga_ptx_bits", ga_ptx_target(r, in, 0, a));
  ga_ptx_emit(r, "(atomic%s((%s *)%s, ", names[i][1], type,
              ga_ptx_address(r, in, 1 - red, ga_ptx_has(in, "shared"), b));
  ga_ptx_emit(r, "ga_ptx<%s>(%s)", type, ga_ptx_source(r, in, 2 - red, c));
  if (strcmp(names[i][0], "cas") == 0)
    ga_ptx_emit(r, ", ga_ptx<%s>(%s)", type, ga_ptx_source(r, in, 3 - red, c));
  ga_ptx_emit(r, ")); ");
  return 1;
}

static int shuffle(ga_ptx_reader *r, ga_ptx_instruction *in)
{
  static const char *const ways[][2] = {
      {"idx", "IDX"}, {"up", "UP"}, {"down", "DOWN"}, {"bfly", "BFLY"}};
  char a[ROOM], b[ROOM], c[ROOM], d[ROOM], to[ROOM], inside[ROOM] = "ga_ptx_p";
  size_t i = 0;
  while (i < 4 && !ga_ptx_has(in, ways[i][0])) i++;
  if (i == 4 || in->nword != 5 || !ga_ptx_has(in, "b32")) return 0;
  char *bar = strchr(in->word[0], '|');
  if (bar != NULL && !ga_ptx_variable(r, inside, sizeof inside, bar + 1)) return 0;
  if (bar != NULL) *bar = '\0';
  ga_ptx_emit(r,
              "{ ga_ptx_reg ga_ptx_p; (void)ga_ptx_p; %s = ga_ptx_shfl(ga_ptx_here, GA_PTX_%s, "
              "(unsigned)%s, "
              "(unsigned)%s, (unsigned)%s, (unsigned)%s, &%s); } ",
              ga_ptx_target(r, in, 0, to), ways[i][1], ga_ptx_source(r, in, 1, a),
              ga_ptx_source(r, in, 2, b), ga_ptx_source(r, in, 3, c), ga_ptx_source(r, in, 4, d),
              inside);
  return 1;
}

/* Does it take a carry, or leave one? */
static int carries(const ga_ptx_instruction *in)
{
  int leaves = ga_ptx_is(in, "add") || ga_ptx_is(in, "sub") || ga_ptx_is(in, "mad");
  if (leaves) return ga_ptx_has(in, "cc");
  return ga_ptx_is(in, "addc") || ga_ptx_is(in, "subc") || ga_ptx_is(in, "madc");
}

/* add.cc, addc and their like. What one asm leaves the next may take: PTX does not promise it,
 * but programs that have an asm for each word of a long number live by it. */
static int carry(ga_ptx_reader *r, ga_ptx_instruction *in)
{
  const ga_ptx_type *t = ga_ptx_type_of(in, 0);
  const size_t base = strcspn(in->op, ".");
  const int takes = in->op[base - 1] == 'c', leaves = ga_ptx_has(in, "cc"),
            mad = ga_ptx_is(in, "mad") || ga_ptx_is(in, "madc");
  const unsigned int n = mad ? 3 : 2;
  char room[ROOM];
  if (t == NULL || t->name[0] == 'f' || in->nword != n + 1) return 0;
  ga_ptx_emit(r, "{ typedef %s ga_ptx_T; unsigned ga_ptx_p; ", t->plain);
  for (unsigned int i = 0; i < n; i++)
    ga_ptx_emit(r, "const ga_ptx_T ga_ptx_%c = ga_ptx<ga_ptx_T>(%s); ", "abc"[i],
                ga_ptx_source(r, in, i + 1, room));
  const char *first = !mad                    ? "ga_ptx_a, ga_ptx_b"
                      : !ga_ptx_has(in, "hi") ? "ga_ptx_a * ga_ptx_b, ga_ptx_c"
                      : t->name[0] == 's'     ? NULL
                                              : "ga_ptx_hi(ga_ptx_a, ga_ptx_b), ga_ptx_c";
  if (first == NULL) return 0;
  ga_ptx_emit(r, "%s = ga_ptx_bits(ga_ptx_%s<ga_ptx_T>(%s, %s, ga_ptx_p)); ",
              ga_ptx_target(r, in, 0, room), in->op[0] == 's' ? "borrow" : "carry", first,
              takes ? "ga_ptx_cc" : "0");
  ga_ptx_emit(r, "%s} ", leaves ? "ga_ptx_cc = ga_ptx_p; " : "");
  r->leaves |= leaves;
  return 1;
}

/* Copies that the threads wait for later: made at once. */
static int copy(ga_ptx_reader *r, ga_ptx_instruction *in)
{
  char a[ROOM], b[ROOM], c[ROOM], d[ROOM];
  if (ga_ptx_has(in, "bulk") || ga_ptx_has(in, "mbarrier") || ga_ptx_has(in, "reduce")) return 0;
  if (ga_ptx_has(in, "commit_group") || ga_ptx_has(in, "wait_group") || ga_ptx_has(in, "wait_all"))
    return 1;
  if (in->nword < 3 || in->nword > 4 || strstr(in->op, "cache_hint") != NULL) return 0;
  ga_ptx_source(r, in, 2, c);
  if (in->nword == 4) ga_ptx_source(r, in, 3, d);
  ga_ptx_address(r, in, 0, 1, a);
  ga_ptx_address(r, in, 1, 0, b);
  ga_ptx_emit(r, "ga_ptx_copy(%s, %s, (unsigned)%s, (unsigned)%s); ", a, b, c,
              in->nword == 4 ? d : c);
  return 1;
}

/* bar.red.popc.u32 n, 0, p; */
static int barrier_of_votes(ga_ptx_reader *r, ga_ptx_instruction *in)
{
  static const char *const ways[][2] = {{"popc", "count"}, {"and", "and"}, {"or", "or"}};
  char a[ROOM], b[ROOM];
  size_t i = 0;
  while (i < 3 && !ga_ptx_has(in, ways[i][0])) i++;
  if (i == 3 || in->nword != 3 || strcmp(in->word[1], "0") != 0) return 0;
  ga_ptx_emit(r, "%s = (ga_ptx_reg)ga_ptx_here.__syncthreads_%s(%s != 0); ",
              ga_ptx_target(r, in, 0, a), ways[i][1], ga_ptx_source(r, in, 2, b));
  return 1;
}

/* bar.sync 1, 64; and bar.arrive 1, 64; */
static int barrier(ga_ptx_reader *r, ga_ptx_instruction *in)
{
  char a[ROOM], b[ROOM];
  const int waits = ga_ptx_has(in, "sync"), counted = in->nword == 2;
  if (ga_ptx_has(in, "red")) return barrier_of_votes(r, in);
  if (in->nword < 1 || in->nword > 2 || !(waits || (counted && ga_ptx_has(in, "arrive")))) return 0;
  ga_ptx_source(r, in, 0, a);
  if (ga_ptx_has(in, "warp"))
    ga_ptx_emit(r, "ga_ptx_here.__syncwarp((unsigned)%s); ", a);
  else if (waits && !counted && strcmp(in->word[0], "0") == 0)
    ga_ptx_emit(r, "ga_ptx_here.__syncthreads(); ");
  else
    ga_ptx_emit(r, "ga_ptx_here.%s((unsigned)%s, (unsigned)%s%s); ",
                waits ? "__barrier_sync_count" : "named", a,
                counted ? ga_ptx_source(r, in, 1, b) : "0", waits ? "" : ", false");
  return 1;
}

/* One that goes back may wait for others. */
static int branch(ga_ptx_reader *r, ga_ptx_instruction *in)
{
  char room[ROOM], at[ROOM + 4];
  if (in->nword != 1) return 0;
  snprintf(at, sizeof at, " %s: ", ga_ptx_label(r, in->word[0], room));
  int back = strstr(ga_str_text(&r->x->code), at) != NULL;
  if (back) ga_ptx_emit(r, "::ga_hc_spin(%d, %uu); ", GA_HC_SPIN_WORKS, r->place);
  ga_ptx_emit(r, "goto %s; ", room);
  return 1;
}

static int fence(ga_ptx_reader *r, ga_ptx_instruction *in)
{
  (void)in;
  ga_ptx_emit(r, "__threadfence(); ");
  return 1;
}

static int nothing(ga_ptx_reader *r, ga_ptx_instruction *in)
{
  (void)r;
  (void)in;
  return 1;
}

static int trap(ga_ptx_reader *r, ga_ptx_instruction *in)
{
  (void)in;
  ga_ptx_emit(r, "__trap(); ");
  return 1;
}

static int sleep_for(ga_ptx_reader *r, ga_ptx_instruction *in)
{
  char a[ROOM];
  ga_ptx_emit(r, "__nanosleep((unsigned)%s); ", ga_ptx_source(r, in, 0, a));
  return 1;
}

static const struct {
  const char *name;
  int (*write)(ga_ptx_reader *r, ga_ptx_instruction *in);
} others[] = {{"ld", memory},
              {"ldu", memory},
              {"st", memory},
              {"cvt", convert},
              {"atom", atomic},
              {"red", atomic},
              {"shfl", shuffle},
              {"cp", copy},
              {"bar", barrier},
              {"barrier", barrier},
              {"membar", fence},
              {"fence", fence},
              {"prefetch", nothing},
              {"prefetchu", nothing},
              {"discard", nothing},
              {"griddepcontrol", nothing},
              {"bra", branch},
              {"trap", trap},
              {"nanosleep", sleep_for},
              {"mma", ga_ptx_multiply},
              {"ldmatrix", ga_ptx_move_matrices},
              {"stmatrix", ga_ptx_move_matrices}};

/* 0: it is none of those that there are. */
int ga_ptx_write(ga_ptx_reader *r, ga_ptx_instruction *in)
{
  int parts = in->nword == 2 && (in->word[0][0] == '{' || in->word[1][0] == '{');
  if (ga_ptx_is(in, "mov") && parts) return move_parts(r, in);
  if (carries(in)) return carry(r, in);
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (ga_ptx_is(in, others[i].name)) return others[i].write(r, in);
  return directed(r, in) || one_expression(r, in);
}
