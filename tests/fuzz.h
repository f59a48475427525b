/* SPDX-License-Identifier: MIT */
/* A fuzz target is one function over bytes and the name of its corpus,
 * tests/corpus/<name>. configure --enable-fuzz CC=clang links it with libFuzzer
 * as tests/fuzz_<name>; make check links it with fuzz_main.c, which runs the
 * corpus. A target aborts where something is wrong. */
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

extern const char fuzz_corpus[];
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FUZZ_REQUIRE(condition)                                               \
  do {                                                                        \
    if (!(condition)) {                                                       \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
      abort();                                                                \
    }                                                                         \
  } while (0)

#endif
