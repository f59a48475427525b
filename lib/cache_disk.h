/* SPDX-License-Identifier: MIT */
/* The kernel cache on disk, inside.
 *
 *   cache_dir.c    the directory: where it is, whether it may be used, its files
 *   cache_file.c   one entry: its format, read and written
 *   cache_disk.c   entries by key, the lock of the one who compiles, eviction
 *   cache_memo.c   which compiler is here, without loading it
 *   cache_tool.c   the public functions of gpuarray/cache.h, and in
 *   cache_pack.c   those that carry entries to other machines
 *
 * An entry is the file <key>-<compiler>.kernel: the hash of the key, and the first
 * digits of the hash of the compiler's identity, so that the compilers of several
 * machines that share a home live beside each other. */
#ifndef GA_CACHE_DISK_H
#define GA_CACHE_DISK_H

#include <sys/stat.h>

#include "lib/util/hash.h"
#include "lib/util/str.h"

#define GA_CACHE_SUFFIX ".kernel"
#define GA_CACHE_LOCK   ".lock"
#define GA_CACHE_TMP    ".tmp"
#define GA_CACHE_MEMO   ".compiler"

/* ---- cache_dir.c --------------------------------------------------------------- */

/* Where the cache is: *off = 1 when the user switched it off. `own` is the
 * directory that a context was given, or NULL. GA_VALUE_ERROR when no place is
 * known (no HOME), GA_MEMORY_ERROR. */
int ga_cache_place(ga_str *path, int *off, const char *own);

/* Opens the directory at `path`, which must be ours and closed to others, as a
 * descriptor; `make`: after making it and what leads there. GA_SYS_ERROR when it
 * is not there, GA_VALUE_ERROR when it may not be used. */
int ga_cache_open(int *fd, const char *path, int make);

/* Bytes that the cache may take (GPUARRAY_CACHE_SIZE). */
uint64_t ga_cache_limit(void);

/* One file of the directory. */
typedef struct ga_cache_item {
  char name[64];
  uint64_t size;
  int64_t used; /* seconds since 1970: the file's time, set when it is used */
} ga_cache_item;

/* All entries, oldest use first; and, `others`, temporary and lock files too. The
 * caller frees *items. GA_SYS_ERROR, GA_MEMORY_ERROR. */
int ga_cache_items(ga_cache_item **items, size_t *n, int fd, int others);

/* Removes temporary and lock files that nobody uses any more, and entries, oldest
 * use first, until at most `limit` bytes remain; 0 takes notes of compilers too. `removed` and
 * `bytes` (may be NULL) are added to. */
int ga_cache_evict(int fd, uint64_t limit, uint64_t *removed, uint64_t *bytes);

/* ---- cache_file.c --------------------------------------------------------------- */

/* An entry in memory. The parts point into `file`. */
typedef struct ga_cache_file {
  unsigned char *file; /* malloc'ed */
  size_t size;
  const char *key, *compiler; /* not NUL-terminated */
  size_t key_size, compiler_size;
  const unsigned char *bin;
  size_t bin_size;
  int64_t made; /* seconds since 1970 */
} ga_cache_file;

enum ga_cache_state {
  GA_CACHE_GOOD,
  GA_CACHE_ABSENT, /* not there, or not readable now: nothing is known of it */
  GA_CACHE_BROKEN  /* not an entry, or damaged */
};

enum ga_cache_state ga_cache_file_read(ga_cache_file *f, int fd, const char *name);
void ga_cache_file_clear(ga_cache_file *f);

/* Finds the parts of the `size` bytes at `file`; BROKEN: they are not whole. */
enum ga_cache_state ga_cache_file_parse(ga_cache_file *f);

/* Writes beside and renames, so that readers see all of it or nothing. 0 when it
 * could not be written; there is no message, the program goes on without. */
int ga_cache_file_write(int fd, const char *name, const char *key, size_t key_size,
                        const char *compiler, const void *bin, size_t bin_size);

/* The same, of an entry that is complete. */
int ga_cache_file_store(int fd, const char *name, const void *p, size_t size);

/* ---- cache_disk.c ---------------------------------------------------------------- */

/* A key's place on disk; fd -1 when there is none. */
typedef struct ga_disk {
  int fd;
  char stem[33]; /* of the files' names */
  const char *key;
  size_t key_size;
  const char *compiler; /* set by the caller; NULL: there is no compiler here */
  int lock;             /* descriptor, -1: not held */
} ga_disk;

/* The name of an entry's file. */
void ga_cache_entry_name(char name[64], const char *key, size_t key_size, const char *compiler,
                         size_t compiler_size);

void ga_disk_open(ga_disk *d, const char *own, const ga_str *key);
void ga_disk_close(ga_disk *d); /* gives the lock back too */

/* 1 and a malloc'ed binary when there is a good entry. */
int ga_disk_get(ga_disk *d, void **bin, size_t *size);
void ga_disk_put(ga_disk *d, const void *bin, size_t size);

/* Waits until no other process is making this entry, or long enough; 1 when the
 * entry has come meanwhile. */
int ga_disk_wait(ga_disk *d, void **bin, size_t *size);

/* ---- cache_memo.c ------------------------------------------------------------------ */

/* Loading a compiler takes longer than reading an entry, so which one was found is
 * noted beside the entries: under everything that the choice depends on (`hint`),
 * its identity, and its file with size and time. Gives the identity when the file
 * is still the same, "" when nothing is known. */
void ga_memo_get(char id[128], int fd, const ga_str *hint);
void ga_memo_put(int fd, const ga_str *hint, const char *id, const char *path);

/* ---- cache_tool.c ------------------------------------------------------------------ */

/* Opens the directory that contexts use which were given none, and writes its place
 * to the `size` bytes at `path` (may be NULL), on errors as far as it is known. */
int ga_cache_open_usual(int *fd, char *path, size_t size);

/* Longest wait for another process, in milliseconds. */
extern int ga_disk_patience;

#endif
