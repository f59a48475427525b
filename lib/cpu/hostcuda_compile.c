/* SPDX-License-Identifier: MIT */
/* Text to a shared object, in a private folder:
 *
 *   source.cu   the text, its headers beside it     preprocessed to source.ii
 *   kernel.cpp  our header, the text rewritten      compiled to kernel.so
 *
 * Preprocessing comes first because macros hide kernels; it is cheap. The
 * standard headers of C and C++ are taken out of the text before, and included
 * by kernel.cpp ahead of everything else, so that our header can fit itself to
 * them. Arithmetic is IEEE (no contraction, nothing fast) unless asked for
 * otherwise: generated kernels promise the interpreter's bits.
 *
 * A line number or a name of the private folder never shows in messages. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hostcuda_check.h"
#include "hostcuda_cxx.h"
#include "hostcuda_files.h"
#include "hostcuda_frames.h"
#include "hostcuda_log.h"
#include "hostcuda_options.h"
#include "hostcuda_shared.h"
#include "hostcuda_spawn.h"
#include "hostcuda_text.h"

enum { PREPROCESS_S = 60, COMPILE_S = 600 };

typedef struct job {
  const ga_source *src;
  const ga_hc_cxx *cxx;
  ga_hc_folder folder;
  ga_str hoisted; /* the standard headers' include lines */
  ga_str line;    /* the compiler's command line, a NUL behind each word */
  ga_str log;
  ga_str unclosed;       /* what to say of a brace that nothing closes */
  int check, fast, deep; /* deep: its threads need large stacks */
  int recurs;            /* its functions may call themselves */
} job;

/* ---- command lines -------------------------------------------------------------- */

static void arg(job *j, const char *word) { ga_str_addn(&j->line, word, strlen(word) + 1); }

static void argf(job *j, const char *fmt, const char *a, const char *b)
{
  ga_str_addf(&j->line, fmt, a, b);
  ga_str_addn(&j->line, "", 1);
}

/* The compiler's own words. */
static void begin_line(job *j)
{
  j->line.len = 0;
  for (unsigned int i = 0; i < j->cxx->nword; i++) arg(j, j->cxx->words[i]);
}

/* The same, and that what follows is C++, whatever its name. */
static void begin_text(job *j)
{
  begin_line(j);
  arg(j, "-x");
  arg(j, "c++");
  argf(j, "-std=gnu++%s%s", ga_hc_standard(j->src), "");
  arg(j, j->cxx->clang ? "-Wno-everything" : "-w");
}

static void compile_options(job *j, const gpucontext *ctx)
{
  static const char *const always[] = {"-fPIC",
                                       "-fvisibility=hidden",
                                       "-fno-exceptions",
                                       "-fno-rtti",
                                       "-fno-math-errno",
                                       "-fno-strict-aliasing",
                                       "-fno-threadsafe-statics",
                                       "-fcheck-new", /* CUDA's gives NULL */
                                       "-fsanitize=integer-divide-by-zero",
                                       "-fno-show-column", /* it would be the rewritten line's */
                                       "-fstack-usage",
                                       "-fstack-clash-protection", /* a frame meets the guard */
                                       "-fno-asynchronous-unwind-tables"};
  /* GCC 12's vectoriser contracts complex products whatever it is told (bug
   * 107647), and gives a wrong maximum over columns with AVX2. A user's own text
   * is promised no bits; ours is. */
  int vectors = j->cxx->clang || j->src->raw;
  for (size_t i = 0; i < sizeof always / sizeof *always; i++) arg(j, always[i]);
  if (j->cxx->clang) {
    arg(j, "-fno-caret-diagnostics"); /* it would show the rewritten line */
    arg(j, "-Werror=global-constructors");
  }
  if (!j->cxx->clang) arg(j, "-fno-gnu-unique");
  if (!j->cxx->clang && vectors) arg(j, "-fvect-cost-model=dynamic");
  arg(j, vectors ? "-ftree-vectorize" : "-fno-tree-vectorize");
  arg(j, j->fast ? "-ffast-math" : "-ffp-contract=off");
#if defined(__x86_64__)
  if (strstr(ctx->bin_id, "avx") != NULL) {
    arg(j, "-mavx2");
    if (vectors) arg(j, "-mfma");
    arg(j, "-mf16c");
  }
#endif
  (void)ctx;
  arg(j, j->deep ? "-DGA_HC_DEEP=1" : "-DGA_HC_DEEP=0");
  if (j->check) {
    arg(j, "-O1");
    arg(j, "-gdwarf-4");
    arg(j, "-fno-omit-frame-pointer");
    arg(j, "-fsanitize=thread");
    arg(j, "-fsanitize=alignment,signed-integer-overflow");
    arg(j, j->cxx->clang ? "-fsanitize=array-bounds" : "-fsanitize=bounds"); /* no traps */
    arg(j, "-fno-builtin-memcpy"); /* calls of those in hostcuda_check.hpp */
    arg(j, "-fno-builtin-memmove");
    arg(j, "-fno-builtin-memset");
    arg(j, "-DGA_HC_CHECK=1");
    if (!j->cxx->clang) arg(j, "-fno-toplevel-reorder"); /* pads stand between globals */
    arg(j, "-fdata-sections");                           /* those of no value are in order too */
  } else {
    arg(j, "-O2");
  }
}

/* The command line as a program takes it, to be freed; NULL where memory ran out for a
 * word, as without it the kernel might be another. */
static char **words_of(const ga_str *line)
{
  size_t n = 0;
  for (size_t i = 0; i < line->len; i++) n += line->s[i] == '\0';
  char **words = line->failed ? NULL : calloc(n + 1, sizeof *words);
  if (words == NULL) return NULL;
  for (size_t i = 0, at = 0; i < n; i++, at += strlen(line->s + at) + 1) words[i] = line->s + at;
  return words;
}

/* Runs the command line. That the compiler refuses the text is the text's fault. */
static int run(job *j, unsigned int seconds, const char *what)
{
  int status = 0;
  char **words = words_of(&j->line);
  if (words == NULL) return ga_error_memory("compile", j->line.len);
  j->log.len = 0;
  int err = ga_hc_spawn(&status, words, NULL, &j->log, seconds);
  free(words);
  if (err != GA_NO_ERROR || status == 0) return err;
  return ga_error(GA_IMPL_ERROR, "compile for the cpu device: %s failed (%s, status %d)",
                  j->cxx->name, what, status);
}

/* ---- the text --------------------------------------------------------------------- */

/* The headers of C and C++ that are safe to include in any order. */
static int is_standard(const char *name, size_t n)
{
  static const char *const names[] = {
      "algorithm",  "array",     "atomic",      "bitset",   "cfloat",        "climits",
      "cmath",      "complex",   "cstddef",     "cstdint",  "cstdio",        "cstdlib",
      "cstring",    "ctype.h",   "cctype",      "float.h",  "functional",    "initializer_list",
      "inttypes.h", "iterator",  "limits",      "limits.h", "math.h",        "memory",
      "numeric",    "stdbool.h", "stddef.h",    "stdint.h", "stdio.h",       "stdlib.h",
      "string.h",   "time.h",    "ctime",       "tuple",    "type_traits",   "utility",
      "vector",     "iostream",  "cinttypes",   "optional", "ratio",         "variant",
      "new",        "chrono",    "string_view", "string",   "map",           "set",
      "deque",      "list",      "queue",       "stack",    "random",        "sstream",
      "stdexcept",  "exception", "typeinfo",    "valarray", "unordered_map", "unordered_set"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strlen(names[i]) == n && memcmp(names[i], name, n) == 0) return 1;
  return 0;
}

static int is_given(const ga_source *src, const char *name, size_t n)
{
  for (unsigned int i = 0; i < src->nheader; i++)
    if (strlen(src->header_names[i]) == n && memcmp(src->header_names[i], name, n) == 0) return 1;
  return 0;
}

/* The name in an include line at p ("# include <name>"), NULL for other lines. */
static const char *included(const char *p, size_t *n)
{
  while (*p == ' ' || *p == '\t') p++;
  if (*p++ != '#') return NULL;
  while (*p == ' ' || *p == '\t') p++;
  if (strncmp(p, "include", 7) != 0) return NULL;
  p += 7;
  while (*p == ' ' || *p == '\t') p++;
  if (*p != '<' && *p != '"') return NULL;
  *n = strcspn(p + 1, *p == '<' ? ">\n" : "\"\n");
  return p + 1;
}

/* CUDA's standard library is the machine's: of <cuda/std/limits> it is <limits>, and
 * each of the other headers brings std::move. Which of them were included, by a header
 * of the toolkit maybe, the preprocessed text tells. */
static void hoist_cuda(ga_str *s, const ga_hc_text *t)
{
  static const char cuda[] = "system/cuda/", std[] = "system/cuda/std/";
  for (unsigned int i = 0; i < t->nfile; i++) {
    const char *name = t->files[i].name;
    size_t n = strncmp(name, std, sizeof std - 1) == 0 ? sizeof std - 1 : 0;
    if (n > 0 && is_standard(name + n, strlen(name + n)))
      ga_str_addf(s, "#include <%s>\n", name + n);
    else if (strncmp(name, cuda, sizeof cuda - 1) == 0)
      ga_str_add(s, "#include <utility>\n");
  }
}

/* Writes `text` as `name`, standard headers taken out of it. */
static int write_text(job *j, const char *name, const char *text)
{
  ga_str s = {0};
  for (const char *p = text; *p != '\0';) {
    size_t line = strcspn(p, "\n"), n = 0;
    const char *header = included(p, &n);
    if (header != NULL && !is_given(j->src, header, n) && is_standard(header, n))
      ga_str_addf(&j->hoisted, "#include <%.*s>\n", (int)n, header);
    else
      ga_str_addn(&s, p, line);
    if (p[line] == '\n') ga_str_add(&s, "\n");
    p += line + (p[line] == '\n');
  }
  int err = s.failed || j->hoisted.failed
                ? ga_error_memory("compile", s.cap)
                : ga_hc_folder_write(&j->folder, name, ga_str_text(&s), s.len);
  ga_str_clear(&s);
  return err;
}

static int write_sources(job *j)
{
  const ga_source *src = j->src;
  GA_TRY(ga_hc_folder_system(&j->folder));
  for (unsigned int i = 0; i < src->nheader; i++)
    GA_TRY(write_text(j, src->header_names[i], src->header_bodies[i]));
  return write_text(j, "source.cu", src->text);
}

static int preprocess(job *j, char **text)
{
  /* Behind the compiler's names those that keep a toolkit's header, as curand_kernel.h or
   * cuComplex.h, from taking what ours declare from its neighbours. */
  static const char *const names[] = {"__CUDACC__=1",
                                      "__CUDACC_RTC__=1",
                                      "__CUDACC_VER_MAJOR__=12",
                                      "__CUDACC_VER_MINOR__=0",
                                      "__CUDACC_VER_BUILD__=0",
                                      "__CUDA_ARCH__=700",
                                      "__CUDA_ARCH_LIST__=700",
                                      "__GPUARRAY_CPU__=1",
                                      "__HOST_DEFINES_H__",
                                      "__BUILTIN_TYPES_H__",
                                      "__DRIVER_TYPES_H__",
                                      "__VECTOR_TYPES_H__",
                                      "__VECTOR_FUNCTIONS_H__",
                                      "__CUDA_RUNTIME_API_H__",
                                      "__NV_SILENCE_DEPRECATION_BEGIN=",
                                      "__NV_SILENCE_DEPRECATION_END="};
  size_t size;
  begin_text(j);
  arg(j, "-E");
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) argf(j, "-D%s%s", names[i], "");
  ga_hc_preprocessor_options(&j->line, j->src);
  argf(j, "-I%s%s", j->folder.path, "");
  argf(j, "-I%s%s", j->folder.path, "/system");
  arg(j, "-include");
  argf(j, "%s%s", j->folder.path, "/system/assert.h");
  arg(j, "-o");
  argf(j, "%s%s", j->folder.path, "/source.ii");
  argf(j, "%s%s", j->folder.path, "/source.cu");
  GA_TRY(run(j, PREPROCESS_S, "preprocessing"));
  return ga_hc_folder_read(&j->folder, "source.ii", text, &size);
}

/* Writes kernel.cpp. */
static int rewrite(job *j, const char *text, int hidden)
{
  const ga_source *src = j->src;
  ga_hc_options o = {hidden, j->check};
  ga_hc_text t;
  ga_str s = {0};
  GA_TRY(ga_hc_text_init(&t, text, j->folder.path, src->nname, src->names));
  j->recurs = ga_hc_may_recur(&t);
  ga_hc_log_unclosed(&j->unclosed, &t);
  ga_str_add(&s, ga_str_text(&j->hoisted));
  hoist_cuda(&s, &t);
  ga_str_add(&s, "#include \"system/hostcuda.hpp\"\n");
  int err = ga_hc_rewrite(&s, &t, &o);
  if (err == GA_NO_ERROR) {
    ga_hc_hide_folder(s.s, j->folder.path);
    err = ga_hc_folder_write(&j->folder, "kernel.cpp", s.s, strlen(s.s));
  }
  ga_str_clear(&s);
  ga_hc_text_clear(&t);
  return err;
}

/* kernel.cpp to kernel.o. */
static int compile_object(job *j, const gpucontext *ctx)
{
  begin_text(j);
  compile_options(j, ctx);
  argf(j, "-I%s%s", j->folder.path, "");
  arg(j, "-c");
  arg(j, "-o");
  argf(j, "%s%s", j->folder.path, "/kernel.o");
  argf(j, "%s%s", j->folder.path, "/kernel.cpp");
  return run(j, COMPILE_S, "compiling");
}

/* Whether the stacks of kernel.o's threads have to be large; an error where a thread
 * needs more than there is. */
static int look_at_frames(const job *j, int *deep)
{
  enum { OWN = 32 * 1024 }; /* what the compiler adds to a kernel's own arrays */
  ga_hc_frames f;
  char *usage = NULL;
  size_t size;
  if (ga_hc_folder_read(&j->folder, "kernel.su", &usage, &size) == GA_MEMORY_ERROR)
    return GA_MEMORY_ERROR;
  ga_hc_frames_read(&f, usage, j->recurs);
  free(usage);
  *deep = f.deep;
  if (f.largest <= GA_HC_LOCAL + OWN) return GA_NO_ERROR;
  return ga_error(GA_IMPL_ERROR,
                  "compile for the cpu device: %s uses too much local memory: %zu bytes a thread, "
                  "%lu are possible",
                  f.name, f.largest, GA_HC_LOCAL);
}

/* kernel.cpp to kernel.so, twice where it shows that stacks have to be large. A checked object is
 * linked apart: the compiler would add its own run-time to one that it links itself. */
static int compile(job *j, const gpucontext *ctx)
{
  static const char exports[] = "{ global: ga_hc_module_table; local: *; };\n";
  int deep;
  GA_TRY(compile_object(j, ctx));
  GA_TRY(look_at_frames(j, &deep));
  if (deep && !j->deep) {
    j->deep = 1;
    GA_TRY(compile_object(j, ctx));
  }
  GA_TRY(ga_hc_folder_write(&j->folder, "exports", exports, sizeof exports - 1));
  begin_line(j);
  arg(j, "-shared");
  arg(j, "-o");
  argf(j, "%s%s", j->folder.path, "/kernel.so");
  argf(j, "%s%s", j->folder.path, "/kernel.o");
  arg(j, "-Wl,--as-needed");
  arg(j, "-Xlinker"); /* -Wl would split a path at its commas */
  argf(j, "--version-script=%s%s", j->folder.path, "/exports");
  arg(j, "-lm");
  return run(j, COMPILE_S, "linking");
}

/* Indices are parameters of kernels where the text allows it; a function or class
 * inside a kernel that names one cannot see it there. */
static int build(job *j, const gpucontext *ctx)
{
  char *text = NULL;
  int err = preprocess(j, &text);
  if (err == GA_NO_ERROR) err = rewrite(j, text, 1);
  if (err == GA_NO_ERROR) {
    err = compile(j, ctx);
    const char *log = ga_str_text(&j->log);
    if (err == GA_IMPL_ERROR && (strstr(log, "threadIdx") != NULL || strstr(log, "block") != NULL ||
                                 strstr(log, "gridDim") != NULL)) {
      err = rewrite(j, text, 0);
      if (err == GA_NO_ERROR) err = compile(j, ctx);
    }
  }
  free(text);
  return err;
}

/* An error where a function of the object declares more shared memory than there is. */
static int look_at_shared(const char *object, size_t size)
{
  char name[128];
  size_t most = ga_hc_shared_largest(object, size, name);
  if (most <= GA_HC_SHARED_STATIC) return GA_NO_ERROR;
  return ga_error(GA_IMPL_ERROR,
                  "compile for the cpu device: %s uses too much shared memory: %zu bytes of static "
                  "arrays, %d are possible (dynamic ones may have %d)",
                  name, most, GA_HC_SHARED_STATIC, GA_HC_SHARED_MOST);
}

static void read_options(job *j)
{
  j->check = j->deep = ga_hc_check_wanted() || ga_hc_has_option(j->src, "check");
  j->fast = j->src->fast || ga_hc_has_option(j->src, "use_fast_math");
}

int ga_hc_compile(void **bin, size_t *size, char **log, gpucontext *ctx, const ga_source *src)
{
  job j = {.src = src};
  char *data = NULL;
  if (log != NULL) *log = NULL;
  GA_TRY(ga_hc_cxx_find(&j.cxx));
  read_options(&j);
  int err = ga_hc_folder_make(&j.folder);
  if (err == GA_NO_ERROR) err = write_sources(&j);
  if (err == GA_NO_ERROR) err = build(&j, ctx);
  if (err == GA_NO_ERROR) err = ga_hc_folder_read(&j.folder, "kernel.so", &data, size);
  if (err == GA_NO_ERROR) err = look_at_shared(data, *size);
  if (err == GA_IMPL_ERROR && j.log.s != NULL) {
    ga_hc_log_clean(&j.log, j.folder.path, &j.unclosed);
    int refused = ga_hc_log_refused(j.log.s);
    if (refused != GA_NO_ERROR) {
      err = refused;
    } else if (log != NULL) {
      *log = j.log.s;
      j.log.s = NULL;
    }
  }
  ga_hc_folder_remove(&j.folder);
  ga_str_clear(&j.hoisted);
  ga_str_clear(&j.line);
  ga_str_clear(&j.log);
  ga_str_clear(&j.unclosed);
  if (err == GA_NO_ERROR)
    *bin = data;
  else
    free(data);
  return err;
}

const char *ga_hc_compiler_id(gpucontext *ctx, int load)
{
  static _Thread_local char id[128]; /* the cache keeps no more */
  const ga_hc_cxx *cxx = ga_hc_cxx_known();
  (void)ctx;
  if (cxx == NULL && (!load || ga_hc_cxx_find(&cxx) != GA_NO_ERROR)) return NULL;
  snprintf(id, sizeof id, "%.90s, hostcuda %08x%s", cxx->id, ga_hc_headers_id(),
           ga_hc_check_wanted() ? " checked" : "");
  return id;
}

const char *ga_hc_compiler_path(gpucontext *ctx)
{
  const ga_hc_cxx *cxx = ga_hc_cxx_known();
  (void)ctx;
  return cxx != NULL ? cxx->path : "";
}

void ga_hc_compiler_hint(gpucontext *ctx, ga_str *s)
{
  (void)ctx;
  ga_hc_cxx_hint(s);
  ga_str_addf(s, "hostcuda %08x%s\n", ga_hc_headers_id(), ga_hc_check_wanted() ? " checked" : "");
}
