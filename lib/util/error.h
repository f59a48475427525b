/* SPDX-License-Identifier: MIT */
/* The calling thread's last message. A message is written once, where the
 * fault is found, and names operation, argument, expected and got:
 *
 *   return ga_error(GA_VALUE_ERROR, "reshape: argument 2 has %zu elements, "
 *                   "argument 1 needs %zu", n, m);
 *
 * Callers forward the code with GA_TRY and add nothing. */
#ifndef GA_UTIL_ERROR_H
#define GA_UTIL_ERROR_H

#include <stddef.h>

#include "gpuarray/error.h"

#if defined(__GNUC__)
#define GA_PRINTF(f, a) __attribute__((format(printf, f, a)))
#else
#define GA_PRINTF(f, a)
#endif

/* Records the message and returns `code`. Keeps errno. Works when memory is
 * gone: text up to 255 bytes needs none, longer text is cut there then, and at 64
 * KiB always. Arguments may be the message being replaced. */
int ga_error(int code, const char *fmt, ...) GA_PRINTF(2, 3);

/* "OP: out of memory (N bytes)"; returns GA_MEMORY_ERROR. */
int ga_error_memory(const char *op, size_t bytes);

/* "OP: WHAT: <strerror(errno)>"; returns GA_SYS_ERROR. */
int ga_error_sys(const char *op, const char *what);

/* The calling thread's last message, "" when there was none. */
const char *ga_error_message(void);

/* An error that another thread is to tell; {0}: none. */
typedef struct ga_kept_error {
  int code;
  int sys; /* the errno of GA_SYS_ERROR */
  char *message;
} ga_kept_error;

/* Keeps `code` and the calling thread's message (nothing of GA_NO_ERROR). */
void ga_error_keep(ga_kept_error *kept, int code);

/* Makes it the calling thread's error; returns its code. Without memory for the
 * message only the code's own text is told. */
int ga_error_retell(const ga_kept_error *kept);

void ga_error_forget(ga_kept_error *kept); /* frees the message */

#define GA_TRY(call)                                  \
  do {                                                \
    int ga_try_err = (call);                          \
    if (ga_try_err != GA_NO_ERROR) return ga_try_err; \
  } while (0)

#endif
