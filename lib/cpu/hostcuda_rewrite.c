/* SPDX-License-Identifier: MIT */
/* CUDA's words to C++ ones, in a text taken apart. Everything else is copied, and
 * no line is added or taken away, so the compiler's messages fit the source.
 *
 *   __global__ void k(float *a)    inline void k(const uint3 threadIdx, ..., float *a)
 *   threadIdx, elsewhere           ::ga_hc_tid()
 *   __shared__ float s[256]        thread_local float s[256]
 *   extern __shared__ float s[]    float *s = (float *)::ga_hc_dynamic()
 *   __syncthreads()                ::ga_hc_at(12).__syncthreads()
 *   printf(...)                    ::ga_hc_printf(...)
 *   new T                          GA_HC_NEW T
 *   __device__ float c[4];         GA_HC_STATIC float c[4]; without a constructor to run
 *   __shared__ alignas(8) int s;   alignas(8) thread_local int s;
 *   return; in a kernel            return ::ga_hc_left();
 *   while (*flag == 0) x;          while (*flag == 0) if (::ga_hc_spin(2, 13)) {} else x;
 *   while (*flag == 0) ;           if (::ga_hc_spin(8, 0)) {} else while (*flag == 0) ...
 *
 * The 12 and 13 are places: the module's table has their files and lines.
 *
 * One core runs one block at a time, all of it, so what is local to the core's
 * thread is shared by the block and by nobody else. The indices are parameters of
 * a kernel so that the compiler sees them as the counters of the loop around it. */
#include <stdlib.h>
#include <string.h>

#include "hostcuda_rewrite.h"

/* Writes `text` behind token i. */
static void append(ga_hc_writer *w, unsigned int i, const char *text)
{
  const ga_hc_token *k = tok(w, i);
  ga_str_addn(w->out, w->done, (size_t)(k->s + k->n - w->done));
  ga_str_add(w->out, text);
  w->done = k->s + k->n;
}

/* ---- kernels ------------------------------------------------------------------------- */

/* What stands for __global__; a kernel that is said to be inline is not said to be so twice. */
static const char *kernel_word(const ga_hc_writer *w)
{
  static const char text[] = "inline __attribute__((always_inline))";
  const ga_hc_decl *d = w->decl;
  if (d == NULL) return text;
  if (d->is_instance) return "";
  for (unsigned int i = d->first; i < d->name; i++)
    if (is(w, i, "inline") || is(w, i, "__inline__") || is(w, i, "__forceinline__"))
      return text + sizeof "inline";
  return text;
}

/* The hidden parameters, behind the kernel's opening parenthesis. */
static void write_parameters(ga_hc_writer *w, const ga_hc_decl *d)
{
  static const char hidden[] = "const uint3 threadIdx, const uint3 blockIdx, "
                               "const dim3 blockDim, const dim3 gridDim";
  const char *text = w->o->hidden ? hidden : "const uint3, const uint3, const dim3, const dim3";
  append(w, d->open, text);
  if (is(w, d->open + 1, "void") && d->open + 2 == d->close)
    replace(w, d->open + 1, d->open + 1, "");
  else if (d->open + 1 < d->close)
    ga_str_add(w->out, ", ");
}

/* `const __grid_constant__ T P`: not copied for each thread. */
static void write_constant(ga_hc_writer *w, unsigned int i)
{
  unsigned int end = i + 1, depth = 0;
  for (; end < w->decl->close; end++) {
    if (is(w, end, "(") || is(w, end, "[")) end = ga_hc_closing(w->t, end);
    if (is(w, end, "<")) depth++;
    if (is(w, end, ">") && depth > 0) depth--;
    if (is(w, end, ",") && depth == 0) break;
  }
  replace(w, i, i, "");
  if (tok(w, end - 1)->kind == GA_HC_NAME && end - 1 > i + 1) {
    const ga_hc_token *k = tok(w, end - 1);
    ga_str_addn(w->out, w->done, (size_t)(k->s - w->done));
    ga_str_add(w->out, "&");
    w->done = k->s;
  }
}

static const char *index_function(const ga_hc_token *k)
{
  static const char *const words[][2] = {{"threadIdx", " ::ga_hc_tid()"},
                                         {"blockIdx", " ::ga_hc_bid()"},
                                         {"blockDim", " ::ga_hc_bdim()"},
                                         {"gridDim", " ::ga_hc_gdim()"}};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (ga_hc_is(k, words[i][0])) return words[i][1];
  return NULL;
}

/* ---- words ------------------------------------------------------------------------------ */

/* The words that vanish or have a C++ one in their place. */
static const char *plain_word(const ga_hc_token *k)
{
  static const char *const words[][2] = {
      {"__device__", ""},
      {"__host__", ""},
      {"__constant__", ""},
      {"__managed__", ""},
      {"__shared__", "thread_local"},
      {"__forceinline__", "inline __attribute__((always_inline))"},
      {"__inline_hint__", ""},
      {"__nv_pure__", ""},
      {"__tile_global__", ""},
      {"__align__", "__attribute__((aligned"}};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (ga_hc_is(k, words[i][0])) return words[i][1];
  return NULL;
}

/* Is token i the word that makes a global one of the device's, the first of its declaration? Not
 * beside constexpr, which says as much. */
static int begins_global(const ga_hc_writer *w, unsigned int i)
{
  const ga_hc_decl *d = w->decl;
  if (d == NULL || d->kind != GA_HC_VARIABLE || i >= d->name) return 0;
  for (unsigned int j = d->first; j < d->name; j++)
    if (is(w, j, "constexpr")) return 0;
  for (unsigned int j = d->first; j < i; j++)
    if (is(w, j, "{") || plain_word(tok(w, j)) != NULL) return 0;
  return 1;
}

/* The last token of the attributes, [[...]] and alignas(...), that stand behind CUDA's word at i,
 * maybe with more such words between: CUDA's are attributes too, and so come in any order with
 * them, where C++ wants attributes first. 0: there are none. */
static unsigned int attributes_behind(const ga_hc_writer *w, unsigned int i)
{
  unsigned int last = 0;
  for (i++;; i++) {
    int standard = is(w, i, "[") && is(w, i + 1, "[");
    if (is(w, i, "__launch_bounds__") || is(w, i, "__align__")) {
      i = ga_hc_closing(w->t, i + 1);
    } else if (standard || is(w, i, "alignas")) {
      i = last = ga_hc_closing(w->t, standard ? i : i + 1);
    } else if (!is(w, i, "__global__") && !is(w, i, "__noinline__") &&
               plain_word(tok(w, i)) == NULL) {
      return last;
    }
  }
}

/* Writes what stands for CUDA's word at i: in its place, or behind the attributes that follow. */
static void write_word(ga_hc_writer *w, unsigned int i, const char *text)
{
  unsigned int last = *text != '\0' ? attributes_behind(w, i) : 0;
  replace(w, i, i, last > 0 ? "" : text);
  if (last == 0) return;
  w->late_at = last;
  ga_str_addf(&w->late, " %s", text);
}

/* Behind token i, the last of such attributes. */
static void write_late(ga_hc_writer *w, unsigned int i)
{
  if (w->late_at != i || w->late.len == 0) return;
  append(w, i, ga_str_text(&w->late));
  w->late.len = 0;
}

/* A place for token i; its number. */
static unsigned int new_place(ga_hc_writer *w, unsigned int i)
{
  ga_str_addf(&w->places, "  {%u, %u},\n", (unsigned int)tok(w, i)->file, tok(w, i)->line);
  return w->nplace++;
}

/* `at(place).word`: the call knows which one it is. */
static void write_sync(ga_hc_writer *w, unsigned int i)
{
  const ga_hc_token *k = tok(w, i);
  char text[96];
  int scoped = i > 0 && is(w, i - 1, "::");
  snprintf(text, sizeof text, "%sga_hc_at(%uu).%.*s", scoped ? "" : " ::", new_place(w, i),
           (int)k->n, k->s);
  replace(w, i, i, text);
}

/* Has the text an operator new of its own, which may be of a class? */
static int has_own_new(const ga_hc_writer *w)
{
  for (unsigned int i = 1; tok(w, i)->kind != GA_HC_END; i++)
    if (is(w, i, "new") && is(w, i - 1, "operator") && w->t->files[tok(w, i)->file].user) return 1;
  return 0;
}

/* ---- loops: hostcuda_loops.c says which ------------------------------------------------ */

/* A #pragma wants a loop behind it. */
static int behind_pragma(const ga_hc_writer *w, unsigned int i)
{
  const char *p = i > 0 ? tok(w, i - 1)->s + tok(w, i - 1)->n : w->t->text;
  for (; p < tok(w, i)->s; p++)
    if (*p == '#' && strncmp(p + 1 + strspn(p + 1, " \t"), "pragma", 6) == 0) return 1;
  return 0;
}

/* Notes a loop that begins at token i and may wait. Where it only waits its beginning is told. */
static void note_loop(ga_hc_writer *w, unsigned int i)
{
  ga_hc_loop l;
  char text[96];
  int kind = ga_hc_loop_at(&l, w->t, w->decl, i);
  if (kind != GA_HC_LOOP_WAIT || w->nloop == MAX_LOOPS) return;
  w->loop[w->nloop].at = l.close;
  w->loop[w->nloop].how = (unsigned int)l.how;
  w->loop[w->nloop++].place = new_place(w, i);
  if ((l.how & GA_HC_SPIN_WORKS) != 0 || behind_pragma(w, i)) return;
  snprintf(text, sizeof text, " if (::ga_hc_spin(%d, 0)) {} else %.*s", GA_HC_SPIN_BEGINS,
           (int)tok(w, i)->n, tok(w, i)->s);
  replace(w, i, i, text);
}

/* In front of a `goto` that closes such a loop, at token i. */
static void write_back(ga_hc_writer *w, unsigned int i)
{
  char text[96];
  if (!ga_hc_goes_back(w->t, w->decl, i)) return;
  snprintf(text, sizeof text, " if (::ga_hc_spin(%d, %uu)) {} else goto", GA_HC_SPIN_WORKS,
           new_place(w, i));
  replace(w, i, i, text);
}

/* Behind token i, the brace that opens a function which calls itself. */
static void write_call(ga_hc_writer *w, unsigned int i)
{
  char text[96];
  if (i != w->decl->body || !is(w, i, "{") || !ga_hc_calls_itself(w->t, w->decl)) return;
  snprintf(text, sizeof text, " ::ga_hc_spin(%d, %uu);", GA_HC_SPIN_WORKS, new_place(w, i));
  append(w, i, text);
}

/* In front of such a loop's body, behind token i. */
static void write_spin(ga_hc_writer *w, unsigned int i)
{
  char text[96];
  if (w->nloop == 0 || w->loop[w->nloop - 1].at != i) return;
  w->nloop--;
  snprintf(text, sizeof text, " if (::ga_hc_spin(%u, %uu)) {} else ", w->loop[w->nloop].how,
           w->loop[w->nloop].place);
  append(w, i, text);
}

/* ---- globals ---------------------------------------------------------------------------- */

/* Does a statement that declares globals end with token i? */
static int ends_global(const ga_hc_writer *w, unsigned int i)
{
  const ga_hc_decl *d = w->decl, *end = w->t->decls + w->t->ndecl;
  if (d == NULL || !w->t->files[tok(w, i)->file].user || !is(w, i, ";")) return 0;
  for (; d < end && d->end == i + 1; d++)
    if (d->kind == GA_HC_VARIABLE) return 1;
  return 0;
}

/* What a checked kernel may not touch, behind token i. */
static void write_pads(ga_hc_writer *w, unsigned int i)
{
  char text[64];
  snprintf(text, sizeof text, " GA_HC_PADS(%u)", w->npad);
  append(w, i, text);
  ga_str_addf(&w->pads, "  GA_HC_PAD_ROW(::%s, %u)\n", w->decl->scope, w->npad++);
}

/* Begins an asm at token i: the first of its pieces is written there. */
static void begin_ptx(ga_hc_writer *w, unsigned int i)
{
  ga_hc_ptx_clear(&w->ptx);
  if (!ga_hc_ptx_read(&w->ptx, w->t, i, new_place(w, i))) ga_hc_ptx_clear(&w->ptx);
}

/* Writes the next piece of an asm where it begins at token i; returns its last token. */
static unsigned int write_ptx(ga_hc_writer *w, unsigned int i)
{
  const ga_hc_piece *p = &w->ptx.piece[w->ptx.next];
  if (w->ptx.next == w->ptx.npiece || p->from != i) return 0;
  int last = ++w->ptx.next == w->ptx.npiece;
  replace(w, i, p->to, last ? ga_str_text(&w->ptx.code) : p->text);
  w->out->failed |= w->ptx.code.failed;
  return p->to;
}

/* Writes what replaces the tokens from i on, if anything does; returns the last
 * of them. */
static unsigned int write_token(ga_hc_writer *w, unsigned int i)
{
  const ga_hc_decl *d = w->decl;
  const ga_hc_token *k = tok(w, i);
  const char *text;
  int body = d != NULL && d->body != 0 && i >= d->body;
  if (k->kind != GA_HC_NAME) {
    if (d != NULL && d->is_kernel && i == d->open) write_parameters(w, d);
    return i;
  }
  if (ga_hc_is(k, "__global__")) {
    write_word(w, i, kernel_word(w));
  } else if (ga_hc_dynamic_at(w, i)) {
    return ga_hc_write_dynamic(w, i, body);
  } else if (ga_hc_is(k, "__launch_bounds__") || ga_hc_is(k, "__maxnreg__")) {
    unsigned int close = ga_hc_closing(w->t, i + 1);
    replace(w, i, close, "");
    return close;
  } else if (ga_hc_is(k, "__align__") && is(w, i + 1, "(")) {
    unsigned int close = ga_hc_closing(w->t, i + 1);
    replace(w, i, i, plain_word(k));
    append(w, close, "))");
    return close;
  } else if (ga_hc_is(k, "__grid_constant__")) {
    if (d != NULL && d->is_kernel && i > d->open && i < d->close)
      write_constant(w, i);
    else
      replace(w, i, i, "");
  } else if (ga_hc_is(k, "__noinline__") && !is(w, i + 1, ")") && !is(w, i + 1, ",")) {
    write_word(w, i, "__attribute__((noinline))");
  } else if (ga_hc_is(k, "return") && is(w, i + 1, ";") && body && d->is_kernel && d->syncs) {
    append(w, i, " ::ga_hc_left()");
  } else if (ga_hc_is(k, "printf") && body && is(w, i + 1, "(") && !member(w, i) &&
             !is(w, i - 1, "::")) {
    replace(w, i, i, " ::ga_hc_printf");
  } else if (ga_hc_is(k, "new") && !is(w, i + 1, "(") && !w->own_new) {
    replace(w, i, i, "GA_HC_NEW");
  } else if ((text = index_function(k)) != NULL && !member(w, i)) {
    if (!(body && d->is_kernel && w->o->hidden)) replace(w, i, i, text);
  } else if (ga_hc_sync_word(k) != NULL && ga_hc_sync_word(k)->at && !member(w, i)) {
    write_sync(w, i);
  } else if ((text = plain_word(k)) != NULL) {
    write_word(w, i, *text == '\0' && begins_global(w, i) ? "GA_HC_STATIC" : text);
  } else if (w->ndynamic != 0) {
    ga_hc_write_dynamic_use(w, i);
  }
  return i;
}

int ga_hc_rewrite(ga_str *out, const ga_hc_text *t, const ga_hc_options *o)
{
  ga_hc_writer w = {.out = out, .t = t, .o = o, .done = t->text};
  unsigned int next = 0; /* declaration */
  int err = GA_NO_ERROR;
  w.own_new = has_own_new(&w);
  for (unsigned int i = 0; t->tok[i].kind != GA_HC_END && err == GA_NO_ERROR; i++) {
    while (next < t->ndecl && t->decls[next].end <= i) next++;
    w.decl = next < t->ndecl && t->decls[next].first <= i ? &t->decls[next] : NULL;
    if (t->files[t->tok[i].file].user) err = ga_hc_refuse(t, w.decl, i);
    int loops = w.decl != NULL && w.decl->syncs && t->files[t->tok[i].file].user;
    if (err == GA_NO_ERROR && loops) note_loop(&w, i);
    if (err == GA_NO_ERROR && loops) write_back(&w, i);
    if (err == GA_NO_ERROR && ga_hc_is_ptx(&t->tok[i])) begin_ptx(&w, i);
    unsigned int piece = err == GA_NO_ERROR ? write_ptx(&w, i) : 0;
    if (err == GA_NO_ERROR) i = piece > 0 ? piece : write_token(&w, i);
    if (err == GA_NO_ERROR) write_late(&w, i);
    if (err == GA_NO_ERROR && loops) write_spin(&w, i);
    if (err == GA_NO_ERROR && loops) write_call(&w, i);
    if (err == GA_NO_ERROR && o->check && ends_global(&w, i)) write_pads(&w, i);
  }
  if (err == GA_NO_ERROR) {
    ga_str_add(out, w.done);
    ga_hc_table(out, t, o, ga_str_text(&w.places), ga_str_text(&w.pads));
    if (out->failed || w.places.failed || w.pads.failed || w.late.failed)
      err = ga_error_memory("compile", out->cap);
  }
  ga_hc_ptx_clear(&w.ptx);
  ga_str_clear(&w.late);
  ga_str_clear(&w.places);
  ga_str_clear(&w.pads);
  free(w.dynamic);
  return err;
}
