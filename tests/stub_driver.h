/* SPDX-License-Identifier: MIT */
/* Inside the stub driver: what its files share. */
#ifndef TESTS_STUB_DRIVER_H
#define TESTS_STUB_DRIVER_H

#include "tests/stub_cuda.h"

/* The prototypes are in headers that are not needed to build. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

#define API __attribute__((visibility("default")))

enum {
  OK = 0,
  INVALID = 1,
  OOM = 2,
  NO_INIT = 3,
  BAD_DEVICE = 101,
  NO_CONTEXT = 201,
  NOT_FOUND = 500
};

void *stub_current(void); /* the calling thread's context */
void *stub_handle(void);  /* a handle that no memory stands behind */

/* Does the copies that wait, up to the event where it was recorded last, or (NULL) all. */
void stub_work_off(const void *event);

#define SEEN(what) ((void)__atomic_add_fetch(&stub.what, 1, __ATOMIC_RELAXED))

#define NEED_CONTEXT                   \
  do {                                 \
    if (stub.fault) return stub.fault; \
    if (stub_current() == NULL) {      \
      stub.wrong_context++;            \
      return NO_CONTEXT;               \
    }                                  \
  } while (0)

#endif
