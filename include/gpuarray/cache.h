/* SPDX-License-Identifier: MIT */
/** \file
 * The kernel cache on disk: what is in it, and making room.
 *
 *     static int show(const gpuarray_cache_entry *e, void *arg) {
 *       fprintf((FILE *)arg, "%s %llu bytes\n", e->file, (unsigned long long)e->bytes);
 *       return 0;
 *     }
 *     ...
 *     GA_OR_DIE(gpuarray_cache_list(show, stdout));
 *
 * Compiled kernels are kept in `GPUARRAY_CACHE_DIR`, else
 * `$XDG_CACHE_HOME/gpuarray`, else `~/.cache/gpuarray`, a directory that only its
 * owner may enter. `GPUARRAY_CACHE=off` switches the cache off, and
 * `GPUARRAY_CACHE_SIZE` (bytes, or with K, M or G) bounds it: 1G unless set. No
 * program ever needs these functions; the `gpuarray cache` command is made of
 * them. Programs may use the cache at the same time.
 */
#ifndef GPUARRAY_CACHE_H
#define GPUARRAY_CACHE_H

#include <stdio.h>

#include <gpuarray/config.h>

#ifdef __cplusplus
extern "C" {
#endif

/** One compiled source. The strings live as long as the call. */
typedef struct _gpuarray_cache_entry {
  size_t size;          /**< sizeof(gpuarray_cache_entry), as the library knows it */
  const char *file;     /**< name in the directory */
  uint64_t bytes;       /**< of the file */
  int64_t made;         /**< when it was compiled, seconds since 1970; 0 when broken */
  int64_t used;         /**< when it was used last, to a day */
  int good;             /**< 1: complete and undamaged */
  const char *compiler; /**< "nvrtc 13.0 sm_90"; "" when broken */
} gpuarray_cache_entry;

/** What is called for each entry; anything but 0 ends the listing. */
typedef int (*gpuarray_cache_visit)(const gpuarray_cache_entry *e, void *arg);

/** Where the cache is.
 *
 * \param path where the directory's name goes, ended by a NUL; NULL: not wanted.
 * It is written, as far as it is known, on errors too
 * \param size bytes at `path`
 * \returns #GA_NO_ERROR when the cache is in use; #GA_UNSUPPORTED_ERROR when it is
 * switched off; #GA_SYS_ERROR when the directory is not there and cannot be made
 * or read; #GA_VALUE_ERROR when no place is known, the directory belongs to
 * another user or is open to others, or `path` is too short; #GA_MEMORY_ERROR */
GPUARRAY_PUBLIC int gpuarray_cache_path(char *path, size_t size);

/** How full the cache is.
 *
 * \param entries number of entries, may be NULL
 * \param bytes what they take, may be NULL
 * \param limit what they may take, may be NULL
 * \returns the codes of gpuarray_cache_path() */
GPUARRAY_PUBLIC int gpuarray_cache_usage(uint64_t *entries, uint64_t *bytes, uint64_t *limit);

/** Reads and checks every entry, the one that was not used for longest first.
 *
 * \param visit called for each
 * \param arg its second argument
 * \returns the codes of gpuarray_cache_path(); #GA_VALUE_ERROR for a NULL `visit` */
GPUARRAY_PUBLIC int gpuarray_cache_list(gpuarray_cache_visit visit, void *arg);

/** Removes broken entries, then the ones not used for longest until the rest takes
 * at most `limit` bytes.
 *
 * \param limit bytes; UINT64_MAX: the cache's own limit
 * \param entries number removed, may be NULL
 * \param bytes what they took, may be NULL
 * \returns the codes of gpuarray_cache_path() */
GPUARRAY_PUBLIC int gpuarray_cache_prune(uint64_t limit, uint64_t *entries, uint64_t *bytes);

/** Removes every entry.
 *
 * \param entries number removed, may be NULL
 * \param bytes what they took, may be NULL
 * \returns the codes of gpuarray_cache_path() */
GPUARRAY_PUBLIC int gpuarray_cache_clear(uint64_t *entries, uint64_t *bytes);

/** Writes the entries to a stream, for gpuarray_cache_unpack() on another machine:
 * one with the same library and the same kind of device finds its kernels there
 * and needs no compiler for them. Broken entries are left out.
 *
 * \param f the stream, open for writing, binary; nothing is sought in it
 * \param arch only entries of this device or architecture: "cuda", "cpu", "sm_90";
 * NULL: all
 * \param entries number written, may be NULL
 * \param bytes what they take, may be NULL
 * \returns the codes of gpuarray_cache_path(); #GA_VALUE_ERROR for a NULL `f`;
 * #GA_SYS_ERROR when the stream cannot be written */
GPUARRAY_PUBLIC int gpuarray_cache_pack(FILE *f, const char *arch, uint64_t *entries,
                                        uint64_t *bytes);

/** Adds the entries of a stream that gpuarray_cache_pack() wrote. Each is checked
 * first, and appears whole or not at all; a good one that is there already stays.
 * What the cache then has too much of goes, unused for longest first. Kernels run
 * with the user's rights: unpack what comes from people you trust.
 *
 * \param f the stream, open for reading, binary
 * \param entries number of good entries read, may be NULL; on an error too
 * \param added how many of them were not there, may be NULL; on an error too
 * \returns the codes of gpuarray_cache_path(); #GA_VALUE_ERROR for a NULL `f`, and a
 * stream that is none of gpuarray_cache_pack() of this version and byte order, or
 * is damaged or cut off: entries before that place were added; #GA_SYS_ERROR when
 * the stream cannot be read or an entry not be written */
GPUARRAY_PUBLIC int gpuarray_cache_unpack(FILE *f, uint64_t *entries, uint64_t *added);

#ifdef __cplusplus
}
#endif
#endif
