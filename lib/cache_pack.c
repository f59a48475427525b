/* SPDX-License-Identifier: MIT */
/* Entries of the kernel cache as one stream of bytes, for machines that have the
 * device but no compiler.
 *
 *   head    magic, version
 *   record  size, hash of the bytes | an entry's file, byte for byte
 *   ...
 *   end     size 0, hash of all records' hashes
 *
 * Numbers are in the machine's own order, as in the entries. What comes in is
 * believed nowhere: sizes are read as far as there are bytes, an entry must be
 * whole by its own checksum, and its name is made from its key. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpuarray/cache.h"
#include "lib/cache_disk.h"
#include "lib/check.h"

#define MAGIC   "GAkpack"
#define VERSION 1

typedef struct head {
  char magic[8];
  uint64_t version;
} head;

typedef struct record {
  uint64_t size;
  ga_hash sum;
} record;

/* The hash of all records up to one. */
static ga_hash chain(ga_hash all, ga_hash one)
{
  ga_hash both[2] = {all, one};
  return ga_hash_bytes(both, sizeof both);
}

/* ---- packing --------------------------------------------------------------- */

static int put(FILE *f, const void *p, size_t size)
{
  if (fwrite(p, 1, size, f) == size) return GA_NO_ERROR;
  return ga_error_sys("cache pack", "writing");
}

static int put_record(FILE *f, ga_hash *all, const void *p, size_t size)
{
  record r = {size, ga_hash_bytes(p, size)};
  *all = chain(*all, r.sum);
  GA_TRY(put(f, &r, sizeof r));
  return put(f, p, size);
}

/* Is word `i` of the key's first line, counted from 0, `text`? */
static int has_word(const ga_cache_file *e, int i, const char *text)
{
  const char *s = e->key, *end = e->key + e->key_size;
  size_t n = strlen(text);
  for (; i > 0 && s < end; s++) i -= *s == ' ';
  return (size_t)(end - s) > n && memcmp(s, text, n) == 0 && s[n] == ' ';
}

/* Keys begin "gpuarray VERSION BACKEND ARCHITECTURE " (cache_make.c). */
static int is_for(const ga_cache_file *e, const char *arch)
{
  return arch == NULL || has_word(e, 2, arch) || has_word(e, 3, arch);
}

static int put_entries(FILE *f, int fd, const char *arch, uint64_t *entries, uint64_t *bytes)
{
  ga_cache_item *items;
  ga_cache_file e;
  ga_hash all = {0, 0};
  size_t n;
  int err;
  GA_TRY(ga_cache_items(&items, &n, fd, 0));
  err = put(f, &(head){MAGIC, VERSION}, sizeof(head));
  for (size_t i = 0; i < n && err == GA_NO_ERROR; i++) {
    if (ga_cache_file_read(&e, fd, items[i].name) != GA_CACHE_GOOD) continue;
    if (is_for(&e, arch)) {
      err = put_record(f, &all, e.file, e.size);
      ++*entries;
      *bytes += e.size;
    }
    ga_cache_file_clear(&e);
  }
  free(items);
  if (err == GA_NO_ERROR) err = put(f, &(record){0, all}, sizeof(record));
  if (err == GA_NO_ERROR && fflush(f) != 0) err = ga_error_sys("cache pack", "writing");
  return err;
}

int gpuarray_cache_pack(FILE *f, const char *arch, uint64_t *entries, uint64_t *bytes)
{
  uint64_t n = 0, size = 0;
  int fd, err;
  if (entries != NULL) *entries = 0;
  if (bytes != NULL) *bytes = 0;
  GA_NOT_NULL("gpuarray_cache_pack", 1, f);
  GA_TRY(ga_cache_open_usual(&fd, NULL, 0));
  err = put_entries(f, fd, arch, &n, &size);
  close(fd);
  if (entries != NULL) *entries = n;
  if (bytes != NULL) *bytes = size;
  return err;
}

/* ---- unpacking --------------------------------------------------------------- */

static int bad(const char *what, uint64_t entry)
{
  return ga_error(GA_VALUE_ERROR, "cache unpack: %s at entry %llu", what,
                  (unsigned long long)entry);
}

static int get(FILE *f, void *p, size_t size, uint64_t entry)
{
  if (fread(p, 1, size, f) == size) return GA_NO_ERROR;
  if (ferror(f)) return ga_error_sys("cache unpack", "reading");
  return bad("the pack is cut off", entry);
}

/* The bytes of a record; a size that lies takes no memory that is not there. */
static int get_bytes(ga_str *s, FILE *f, const record *r, uint64_t entry)
{
  char piece[1 << 14];
  for (uint64_t left = r->size; left > 0;) {
    size_t n = left < sizeof piece ? (size_t)left : sizeof piece;
    GA_TRY(get(f, piece, n, entry));
    ga_str_addn(s, piece, n);
    if (s->failed) return ga_error_memory("cache unpack", s->cap);
    left -= n;
  }
  if (!ga_hash_equal(ga_hash_bytes(s->s, s->len), r->sum)) return bad("damage", entry);
  return GA_NO_ERROR;
}

static int same(const ga_cache_file *a, const ga_cache_file *b)
{
  return a->key_size == b->key_size && memcmp(a->key, b->key, a->key_size) == 0 &&
         a->compiler_size == b->compiler_size &&
         memcmp(a->compiler, b->compiler, a->compiler_size) == 0;
}

/* Puts a new entry in its place; one that is there and good stays. */
static int install(int fd, const ga_str *s, uint64_t entry, uint64_t *added)
{
  ga_cache_file e = {.file = (unsigned char *)s->s, .size = s->len}, old;
  char name[64];
  int there;
  if (ga_cache_file_parse(&e) != GA_CACHE_GOOD) return bad("no compiled kernel", entry);
  ga_cache_entry_name(name, e.key, e.key_size, e.compiler, e.compiler_size);
  there = ga_cache_file_read(&old, fd, name) == GA_CACHE_GOOD && same(&old, &e);
  ga_cache_file_clear(&old);
  if (there) return GA_NO_ERROR;
  errno = EIO;
  if (!ga_cache_file_store(fd, name, s->s, s->len)) return ga_error_sys("cache unpack", name);
  ++*added;
  return GA_NO_ERROR;
}

static int get_head(FILE *f)
{
  head h;
  if (fread(&h, 1, sizeof h, f) != sizeof h) {
    if (ferror(f)) return ga_error_sys("cache unpack", "reading");
    return ga_error(GA_VALUE_ERROR, "cache unpack: this is no pack of kernels");
  }
  if (memcmp(h.magic, MAGIC, sizeof h.magic) != 0)
    return ga_error(GA_VALUE_ERROR, "cache unpack: this is no pack of kernels");
  if (h.version != VERSION)
    return ga_error(GA_VALUE_ERROR, "cache unpack: the pack is of version %llu, needed is %d",
                    (unsigned long long)h.version, VERSION);
  return GA_NO_ERROR;
}

static int get_entries(FILE *f, int fd, uint64_t *entries, uint64_t *added)
{
  ga_hash all = {0, 0};
  record r;
  GA_TRY(get_head(f));
  for (;;) {
    ga_str s = {0};
    int err = get(f, &r, sizeof r, *entries + 1);
    if (err != GA_NO_ERROR || r.size == 0) {
      GA_TRY(err);
      break;
    }
    err = get_bytes(&s, f, &r, *entries + 1);
    if (err == GA_NO_ERROR) err = install(fd, &s, *entries + 1, added);
    ga_str_clear(&s);
    GA_TRY(err);
    all = chain(all, r.sum);
    ++*entries;
  }
  if (!ga_hash_equal(all, r.sum)) return bad("entries are missing, or damage", *entries + 1);
  if (getc(f) != EOF) return bad("bytes behind the end", *entries + 1);
  return GA_NO_ERROR;
}

int gpuarray_cache_unpack(FILE *f, uint64_t *entries, uint64_t *added)
{
  uint64_t n = 0, new = 0;
  int fd, err;
  if (entries != NULL) *entries = 0;
  if (added != NULL) *added = 0;
  GA_NOT_NULL("gpuarray_cache_unpack", 1, f);
  GA_TRY(ga_cache_open_usual(&fd, NULL, 0));
  err = get_entries(f, fd, &n, &new);
  if (new > 0) (void)ga_cache_evict(fd, ga_cache_limit(), NULL, NULL);
  close(fd);
  if (entries != NULL) *entries = n;
  if (added != NULL) *added = new;
  return err;
}
