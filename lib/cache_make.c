/* SPDX-License-Identifier: MIT */
/* The key of a module, and how its binary is come by: from disk or from the
 * compiler.
 *
 * The key is everything that the binary depends on: text, headers, options, name
 * expressions, the architecture and the library's version, each with its length
 * before it, so that no two sources share one. The compiler is not in the key but
 * beside it (cache_disk.h). */
#include <stdlib.h>
#include <string.h>

#include "gpuarray/version.h"
#include "lib/cache.h"
#include "lib/cache_disk.h"

static void add_part(ga_str *s, const char *text)
{
  ga_str_addf(s, "%zu:", strlen(text));
  ga_str_add(s, text);
}

int ga_cache_key(ga_str *s, const gpucontext *ctx, const ga_source *src)
{
  ga_str_addf(s, "gpuarray %s %s %s fast=%d raw=%d ", GPUARRAY_VERSION, ctx->backend->name,
              ctx->bin_id, src->fast, src->raw);
  ga_str_addf(s, "%u %u %u\n", src->noption, src->nname, src->nheader);
  for (unsigned int i = 0; i < src->noption; i++) add_part(s, src->options[i]);
  for (unsigned int i = 0; i < src->nname; i++) add_part(s, src->names[i]);
  for (unsigned int i = 0; i < src->nheader; i++) {
    add_part(s, src->header_names[i]);
    add_part(s, src->header_bodies[i]);
  }
  add_part(s, src->text);
  return s->failed ? ga_error_memory("kernel cache", s->cap) : GA_NO_ERROR;
}

/* ---- is the key all there is? -------------------------------------------------- */

static int is_header(const ga_source *src, const char *name, size_t n)
{
  for (unsigned int i = 0; i < src->nheader; i++)
    if (strlen(src->header_names[i]) == n && memcmp(src->header_names[i], name, n) == 0) return 1;
  return 0;
}

static const char *skip_blanks(const char *s)
{
  while (*s == ' ' || *s == '\t') s++;
  return s;
}

/* Every #include in `text` names a header of the source. Comments and strings are
 * not told apart from code: at worst a module is not kept. */
int ga_cache_text_is_closed(const ga_source *src, const char *text)
{
  for (const char *s = text; (s = strstr(s, "include")) != NULL; s += 7) {
    const char *open = skip_blanks(s + 7), *close, *hash = s;
    while (hash > text && (hash[-1] == ' ' || hash[-1] == '\t')) hash--;
    if (hash == text || hash[-1] != '#') {
      /* __has_include(...) and include_next read the disk too. */
      if (hash > text && hash[-1] == '_') return 0;
      continue;
    }
    if (*open != '"' && *open != '<') return 0;
    close = strchr(open + 1, *open == '"' ? '"' : '>');
    if (close == NULL || !is_header(src, open + 1, (size_t)(close - open - 1))) return 0;
  }
  return 1;
}

/* Options that read or write files. */
static int option_has_files(const char *o)
{
  while (*o == '-') o++;
  return strncmp(o, "include=", 8) == 0 || strncmp(o, "pre-include", 11) == 0 ||
         strncmp(o, "pch", 3) == 0 || strstr(o, "-pch") != NULL || strncmp(o, "time", 4) == 0;
}

int ga_cache_is_closed(const ga_source *src)
{
  if (!src->raw || src->closed) return 1; /* ours includes what it is given */
  for (unsigned int i = 0; i < src->noption; i++)
    if (option_has_files(src->options[i])) return 0;
  for (unsigned int i = 0; i < src->nheader; i++)
    if (!ga_cache_text_is_closed(src, src->header_bodies[i])) return 0;
  return ga_cache_text_is_closed(src, src->text);
}

/* ---- the binary ----------------------------------------------------------------- */

static int from_compiler(void **bin, size_t *size, gpucontext *ctx, const ga_source *src,
                         char **log)
{
  return ctx->backend->compile(bin, size, log, ctx, src);
}

/* The compiler's identity: from the compiler if it is loaded, else from the note of
 * an earlier process (then it goes to `noted`). NULL: neither. */
static const char *known_compiler(gpucontext *ctx, int fd, char noted[128])
{
  ga_str hint = {0};
  const char *id = ctx->backend->compiler_id(ctx, 0);
  if (id != NULL || ctx->backend->compiler_hint == NULL) return id;
  ctx->backend->compiler_hint(ctx, &hint);
  ga_memo_get(noted, fd, &hint);
  ga_str_clear(&hint);
  return noted[0] != 0 ? noted : NULL;
}

/* Loads the compiler, and notes it unless `known` is what it is. */
static const char *load_compiler(gpucontext *ctx, int fd, const char *known)
{
  ga_str hint = {0};
  const char *id = ctx->backend->compiler_id(ctx, 1);
  if (id == NULL || (known != NULL && strcmp(known, id) == 0)) return id;
  if (ctx->backend->compiler_hint == NULL) return id;
  ctx->backend->compiler_hint(ctx, &hint);
  ga_memo_put(fd, &hint, id, ctx->backend->compiler_path(ctx));
  ga_str_clear(&hint);
  return id;
}

/* Looks for the entry; only where the noted compiler has none is the real one
 * loaded, so that a second process starts without. */
static int from_disk(ga_disk *d, void **bin, size_t *size, gpucontext *ctx)
{
  char noted[128];
  const char *known = known_compiler(ctx, d->fd, noted);
  if (known != NULL) {
    d->compiler = known;
    if (ga_disk_get(d, bin, size)) return 1;
  }
  d->compiler = load_compiler(ctx, d->fd, known);
  if (known == NULL || d->compiler == NULL || strcmp(known, d->compiler) != 0)
    if (ga_disk_get(d, bin, size)) return 1;
  return ga_disk_wait(d, bin, size);
}

int ga_cache_binary(void **bin, size_t *size, gpucontext *ctx, const ga_source *src,
                    const ga_str *key, int fresh, char **log)
{
  ga_disk d;
  int err = GA_NO_ERROR;
  if (key == NULL) return from_compiler(bin, size, ctx, src, log);
  ga_disk_open(&d, ctx->cache_path, key);
  if (fresh) d.compiler = ctx->backend->compiler_id(ctx, 1);
  if (fresh || !from_disk(&d, bin, size, ctx)) {
    err = from_compiler(bin, size, ctx, src, log);
    if (err == GA_NO_ERROR) ga_disk_put(&d, *bin, *size);
  }
  ga_disk_close(&d);
  return err;
}
