/* SPDX-License-Identifier: MIT */
/* The device that a test runs on: what GA_TEST_DEVICE names (cpu, cuda, cuda0,
 * ...), the CPU when it names none. One test body serves every device. */
#ifndef TESTS_DEVICE_H
#define TESTS_DEVICE_H

#include "tests/common.h"

#include "gpuarray/buffer.h"

static inline const char *test_device(void)
{
  const char *name = getenv("GA_TEST_DEVICE");
  return name != NULL && *name != '\0' ? name : "cpu";
}

static inline int test_on_cpu(void) { return strcmp(test_device(), "cpu") == 0; }

/* A context on the device under test. Opened inside the test, so that with
 * Check's forks each test has its own. */
static inline gpucontext *test_context(void)
{
  gpucontext *ctx = NULL;
  OK(gpucontext_init(&ctx, test_device(), NULL));
  return ctx;
}

#endif
