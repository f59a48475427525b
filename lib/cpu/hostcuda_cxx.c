/* SPDX-License-Identifier: MIT */
/* Finding the compiler. A candidate is a compiler when it answers --version; what
 * it answers identifies it in the kernel cache. GPUARRAY_CXX may hold arguments
 * too ("ccache g++"); its words are split at blanks, nothing else is made of
 * them. Set but unusable, it is an error: another compiler is not what was asked
 * for. Of the compiler that configure found, what only hands it on ("ccache") is
 * left away: it was there when the library was built, and may not be where it runs. */
#define _GNU_SOURCE
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif
#include "hostcuda_cxx.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hostcuda_files.h"
#include "hostcuda_spawn.h"
#include "lib/util/lock.h"

#ifndef GA_CONFIGURED_CXX
#define GA_CONFIGURED_CXX ""
#endif

/* Held while a compiler is asked. What it guards is whole in a forked child, as the list
 * grows by one store. */
static ga_lock lock = GA_LOCK;

typedef struct found {
  char *asked; /* what GPUARRAY_CXX was */
  ga_hc_cxx cxx;
  struct found *next; /* earlier ones stay valid */
} found;
static found *latest;

static void clear_words(ga_hc_cxx *c)
{
  for (unsigned int i = 0; i < c->nword; i++) free(c->words[i]);
  memset(c, 0, sizeof *c);
}

/* Leaves no word where there are more than there is room for. */
static int split(ga_hc_cxx *c, const char *text)
{
  memset(c, 0, sizeof *c);
  for (;;) {
    text += strspn(text, " \t");
    size_t n = strcspn(text, " \t");
    if (n == 0) return GA_NO_ERROR;
    if (c->nword == GA_HC_CXX_WORDS - 1) break;
    if ((c->words[c->nword] = strndup(text, n)) == NULL) {
      clear_words(c);
      return ga_error_memory("compile", n + 1);
    }
    c->nword++;
    text += n;
  }
  clear_words(c);
  return GA_NO_ERROR;
}

/* Asks for the version; its first line becomes the id, or *is 0: no compiler. */
static int answers(int *is, ga_hc_cxx *c, const ga_hc_folder *f)
{
  char path[sizeof f->path + sizeof "/version"], *line = NULL, *argv[GA_HC_CXX_WORDS + 2];
  int status = 1;
  size_t n = 0;
  snprintf(path, sizeof path, "%s/version", f->path);
  for (unsigned int i = 0; i < c->nword; i++) argv[i] = c->words[i];
  argv[c->nword] = "--version";
  argv[c->nword + 1] = NULL;
  int err = ga_hc_spawn(&status, argv, path, NULL, 30);
  if (err == GA_NO_ERROR && status == 0) err = ga_hc_folder_read(f, "version", &line, &n);
  if (err == GA_SYS_ERROR || err == GA_MEMORY_ERROR) return err; /* so would be any other */
  *is = line != NULL && n > 0;
  if (*is) {
    line[strcspn(line, "\n")] = '\0';
    snprintf(c->id, sizeof c->id, "%.*s", (int)sizeof c->id - 1, line);
    c->clang = strstr(line, "clang") != NULL;
  }
  free(line);
  return GA_NO_ERROR;
}

/* The program's file, as execvp() would find it. */
static void find_path(ga_hc_cxx *c)
{
  const char *name = c->words[0], *p = getenv("PATH");
  if (strchr(name, '/') != NULL) {
    snprintf(c->path, sizeof c->path, "%s", name);
    return;
  }
  for (c->path[0] = '\0'; p != NULL && *p != '\0';) {
    size_t n = strcspn(p, ":");
    int k = snprintf(c->path, sizeof c->path, "%.*s/%s", (int)n, p, name);
    if (k > 0 && (size_t)k < sizeof c->path && access(c->path, X_OK) == 0) return;
    c->path[0] = '\0';
    p += n + (p[n] == ':');
  }
}

/* Does the word only hand its arguments on to the compiler that follows it? */
static int is_launcher(const char *word)
{
  static const char *const names[] = {"ccache", "sccache", "distcc", "icecc"};
  const char *base = strrchr(word, '/') != NULL ? strrchr(word, '/') + 1 : word;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(base, names[i]) == 0) return 1;
  return 0;
}

/* The number of words ahead of the compiler's own. */
static unsigned int launchers(const ga_hc_cxx *c)
{
  unsigned int n = 0;
  while (n + 1 < c->nword && c->words[n + 1][0] != '-' && is_launcher(c->words[n])) n++;
  return n;
}

static void drop_words(ga_hc_cxx *c, unsigned int n)
{
  for (unsigned int i = 0; i < n; i++) free(c->words[i]);
  c->nword -= n;
  memmove(c->words, c->words + n, (c->nword + 1) * sizeof *c->words);
}

static int attempt(int *is, ga_hc_cxx *c, const ga_hc_folder *f, const char *text, int bare)
{
  *is = 0;
  GA_TRY(split(c, text));
  if (c->nword == 0) return GA_NO_ERROR;
  if (bare) drop_words(c, launchers(c));
  c->name = c->words[launchers(c)];
  find_path(c);
  int err = answers(is, c, f);
  if (!*is) clear_words(c);
  return err;
}

static int search(ga_hc_cxx *c, const ga_hc_folder *f, const char *asked)
{
  static const char *const usual[] = {GA_CONFIGURED_CXX, "c++", "g++", "clang++"};
  int is;
  if (asked != NULL) {
    GA_TRY(attempt(&is, c, f, asked, 0));
    if (is) return GA_NO_ERROR;
    return ga_error(GA_UNSUPPORTED_ERROR,
                    "CUDA C on the cpu device needs a C++ compiler: GPUARRAY_CXX is '%s', which "
                    "cannot be run, or has more than %d words",
                    asked, GA_HC_CXX_WORDS - 1);
  }
  for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
    GA_TRY(attempt(&is, c, f, usual[i], 1));
    if (is) return GA_NO_ERROR;
  }
  return ga_error(GA_UNSUPPORTED_ERROR,
                  "CUDA C on the cpu device needs a C++ compiler, and there is none: looked for "
                  "GPUARRAY_CXX (not set), %s%sc++, g++, clang++",
                  GA_CONFIGURED_CXX, *GA_CONFIGURED_CXX != '\0' ? ", " : "");
}

static int search_in_folder(ga_hc_cxx *c, const char *asked)
{
  ga_hc_folder f;
  GA_TRY(ga_hc_folder_make(&f));
  int err = search(c, &f, asked);
  ga_hc_folder_remove(&f);
  return err;
}

static int same(const char *a, const char *b)
{
  return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

/* The environment's wish; NULL: none. */
static const char *wish(void)
{
  const char *asked = getenv("GPUARRAY_CXX");
  return asked != NULL && *asked != '\0' ? asked : NULL;
}

const ga_hc_cxx *ga_hc_cxx_known(void)
{
  const char *asked = wish();
  ga_lock_take(&lock);
  found *f = latest;
  while (f != NULL && !same(f->asked, asked)) f = f->next;
  ga_lock_give(&lock);
  return f != NULL ? &f->cxx : NULL;
}

void ga_hc_cxx_hint(ga_str *s)
{
  const char *asked = wish(), *path = getenv("PATH");
  ga_str_addf(s, "c++ %s, %s, along %s\n", asked != NULL ? asked : "-", GA_CONFIGURED_CXX,
              path != NULL ? path : "");
}

int ga_hc_cxx_find(const ga_hc_cxx **cxx)
{
  const char *asked = wish();
  int err = GA_NO_ERROR;
  ga_lock_take(&lock);
  found *f = latest;
  while (f != NULL && !same(f->asked, asked)) f = f->next;
  if (f == NULL) {
    f = calloc(1, sizeof *f);
    if (f != NULL && asked != NULL) f->asked = strdup(asked);
    if (f == NULL || (asked != NULL && f->asked == NULL))
      err = ga_error_memory("compile", sizeof *f);
    else
      err = search_in_folder(&f->cxx, asked);
    if (err == GA_NO_ERROR) {
      f->next = latest;
      latest = f;
    } else if (f != NULL) {
      free(f->asked);
      free(f);
    }
  }
  ga_lock_give(&lock);
  if (err == GA_NO_ERROR) *cxx = &f->cxx;
  return err;
}
