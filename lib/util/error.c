/* SPDX-License-Identifier: MIT */
/* The calling thread's last message, and the fixed text of each code.
 *
 * Short texts live in the thread's own storage, so that a message can be
 * written when memory is gone. That storage is small on purpose: it is taken
 * from the stack of every thread of the program, and where a program loads the
 * library while it runs, from the 1.6 KiB that the C library keeps for all that are
 * loaded so. A long text (a compiler's log)
 * goes to the heap, and is cut to the short size when it cannot have any; a
 * thread's heap text is freed when the thread ends. */
#include "lib/util/error.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHORT_TEXT 256
#define LONG_TEXT  65536

static _Thread_local char short_text[SHORT_TEXT];
static _Thread_local char *long_text; /* the message when not NULL */
static _Thread_local int sys_errno;   /* of the last ga_error_sys() */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static int have_key;

static void make_key(void) { have_key = pthread_key_create(&key, free) == 0; }

/* Owns `text` until the thread ends; frees the one before. */
static void set_long(char *text)
{
  if (text == NULL && long_text == NULL) return;
  free(long_text);
  long_text = text;
  pthread_setspecific(key, text);
}

/* A heap copy of the formatted text, NULL if it cannot be had. */
static char *format_long(size_t len, const char *fmt, va_list ap)
{
  char *text;

  pthread_once(&once, make_key);
  if (!have_key) return NULL;
  if (len >= LONG_TEXT) len = LONG_TEXT - 1;
  text = malloc(len + 1);
  if (text != NULL) vsnprintf(text, len + 1, fmt, ap);
  return text;
}

int ga_error(int code, const char *fmt, ...)
{
  int keep = errno, len;
  /* Formatted aside: an argument may be the message that is replaced. */
  char text[SHORT_TEXT], *heap = NULL;
  va_list ap;

  va_start(ap, fmt);
  len = vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  if (len < 0) text[0] = '\0';
  if (len >= SHORT_TEXT) {
    va_start(ap, fmt);
    heap = format_long((size_t)len, fmt, ap);
    va_end(ap);
  }
  memcpy(short_text, text, sizeof text);
  set_long(heap);
  errno = keep;
  return code;
}

int ga_error_memory(const char *op, size_t bytes)
{
  return ga_error(GA_MEMORY_ERROR, "%s: out of memory (%zu bytes)", op, bytes);
}

int ga_error_sys(const char *op, const char *what)
{
  sys_errno = errno;
  return ga_error(GA_SYS_ERROR, "%s: %s: %s", op, what, strerror(sys_errno));
}

const char *ga_error_message(void) { return long_text != NULL ? long_text : short_text; }

void ga_error_keep(ga_kept_error *kept, int code)
{
  ga_error_forget(kept);
  kept->code = code;
  kept->sys = sys_errno;
  if (code != GA_NO_ERROR) kept->message = strdup(ga_error_message());
}

int ga_error_retell(const ga_kept_error *kept)
{
  if (kept->code == GA_NO_ERROR) return GA_NO_ERROR;
  sys_errno = kept->sys;
  if (kept->message == NULL) return ga_error(kept->code, "%s", gpuarray_error_str(kept->code));
  return ga_error(kept->code, "%s", kept->message);
}

void ga_error_forget(ga_kept_error *kept)
{
  free(kept->message);
  kept->message = NULL;
}

const char *gpuarray_error_message(void) { return ga_error_message(); }

const char *gpuarray_error_str(int err)
{
  static const char *const texts[] = {
      [GA_NO_ERROR] = "No error",
      [GA_MEMORY_ERROR] = "Out of memory",
      [GA_VALUE_ERROR] = "Value invalid or out of range",
      [GA_IMPL_ERROR] = "Unknown device error",
      [GA_INVALID_ERROR] = "Invalid value or operation",
      [GA_UNSUPPORTED_ERROR] = "Unsupported operation",
      [GA_RUN_ERROR] = "Could not execute helper program",
      [GA_DEVSUP_ERROR] = "Device does not support operation",
      [GA_READONLY_ERROR] = "Buffer is read-only",
      [GA_WRITEONLY_ERROR] = "Buffer is write-only",
      [GA_BLAS_ERROR] = "Error in BLAS call",
      [GA_UNALIGNED_ERROR] = "Unaligned array",
      [GA_COPY_ERROR] = "Copy is needed but disallowed by parameters",
      [GA_NODEV_ERROR] = "No devices are available",
      [GA_MISC_ERROR] = "Undeterminate error",
      [GA_COMM_ERROR] = "Error in collectives call",
      [GA_XLARGE_ERROR] = "Input size too large for operation",
      [GA_LOAD_ERROR] = "Error loading library",
  };

  if (err == GA_SYS_ERROR) return strerror(sys_errno != 0 ? sys_errno : errno);
  if (err < 0 || (size_t)err >= sizeof texts / sizeof texts[0]) return "Unknown GA error";
  return texts[err];
}
