/* SPDX-License-Identifier: MIT */
/* Memory that runs out on request: the linker routes a program's calls of malloc and
 * the like through here (--wrap), and the one that `countdown` names fails. */
#ifndef TESTS_SHORT_MEMORY_H
#define TESTS_SHORT_MEMORY_H

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_long countdown = -1; /* the allocation that fails; -1: none */
static atomic_long live;           /* blocks that are allocated */
static atomic_int hit;             /* one failed */

static int fails(void)
{
  if (atomic_load(&countdown) < 0 || atomic_fetch_sub(&countdown, 1) != 0) return 0;
  atomic_store(&hit, 1);
  errno = ENOMEM;
  return 1;
}

static void *counted(void *p)
{
  if (p != NULL) atomic_fetch_add(&live, 1);
  return p;
}

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
int __real_posix_memalign(void **p, size_t align, size_t n);
char *__real_realpath(const char *path, char *to);
char *__real_strdup(const char *text);
void __real_free(void *p);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);
int __wrap_posix_memalign(void **p, size_t align, size_t n);
char *__wrap_realpath(const char *path, char *to);
char *__wrap_strdup(const char *text);
void __wrap_free(void *p);

void *__wrap_malloc(size_t n) { return fails() ? NULL : counted(__real_malloc(n)); }
void *__wrap_calloc(size_t n, size_t size)
{
  return fails() ? NULL : counted(__real_calloc(n, size));
}
void *__wrap_realloc(void *p, size_t n)
{
  if (fails()) return NULL;
  return p == NULL ? counted(__real_realloc(p, n)) : __real_realloc(p, n);
}
int __wrap_posix_memalign(void **p, size_t align, size_t n)
{
  int err = fails() ? ENOMEM : __real_posix_memalign(p, align, n);
  if (err == 0) counted(*p);
  return err;
}
char *__wrap_realpath(const char *path, char *to)
{
  return to == NULL && fails() ? NULL : counted(__real_realpath(path, to));
}
char *__wrap_strdup(const char *text) { return fails() ? NULL : counted(__real_strdup(text)); }
void __wrap_free(void *p)
{
  if (p != NULL) atomic_fetch_sub(&live, 1);
  __real_free(p);
}

/* The call fails with GA_MEMORY_ERROR, and nothing else, whichever of its allocations
 * fails and is not done without, and works in the end. `call` leaves its code in
 * `err`; `clean`, statements, undoes it. */
#ifdef GA_COVERAGE
#define RUNS_OUT_OF(err, call, clean) GA_COVERS(GA_MEMORY_ERROR, call)
#else
#define RUNS_OUT_OF(err, call, clean)                                           \
  do {                                                                          \
    int ran_out_ = 0;                                                           \
    for (long at_ = 0;; at_++) {                                                \
      atomic_store(&hit, 0);                                                    \
      atomic_store(&countdown, at_);                                            \
      call;                                                                     \
      atomic_store(&countdown, -1);                                             \
      int code_ = (err), hit_ = atomic_load(&hit);                              \
      ck_assert_msg(code_ == GA_NO_ERROR || (hit_ && code_ == GA_MEMORY_ERROR), \
                    "%s, allocation %ld: error %d: %s", #call, at_, code_,      \
                    gpuarray_error_message());                                  \
      clean;                                                                    \
      ran_out_ |= code_ == GA_MEMORY_ERROR;                                     \
      if (!hit_) break;                                                         \
    }                                                                           \
    ck_assert_msg(ran_out_, "%s does not run out of memory", #call);            \
  } while (0)
#endif

#endif
