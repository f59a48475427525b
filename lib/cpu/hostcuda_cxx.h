/* SPDX-License-Identifier: MIT */
/* The C++ compiler that kernels for the CPU are made with. */
#ifndef GA_CPU_HOSTCUDA_CXX_H
#define GA_CPU_HOSTCUDA_CXX_H

#include "lib/util/str.h"

enum { GA_HC_CXX_WORDS = 64 };

typedef struct ga_hc_cxx {
  char *words[GA_HC_CXX_WORDS]; /* the program and its first arguments; NULL ends */
  unsigned int nword;
  const char *name; /* of the words, the compiler: "g++" of "ccache g++" */
  char id[96];      /* "g++ 12.2.0": what the first line of --version says */
  char path[512];   /* the program's file; "" where it is not found along PATH */
  int clang;
} ga_hc_cxx;

/* The compiler, found at the first call and kept; later ones look again only
 * when GPUARRAY_CXX has changed. Looked for: GPUARRAY_CXX, the one that
 * configure found, c++, g++, clang++. GA_UNSUPPORTED_ERROR where there is none,
 * naming these. *cxx is valid for the process's life. */
int ga_hc_cxx_find(const ga_hc_cxx **cxx);

/* The same where it has been found already; NULL otherwise. */
const ga_hc_cxx *ga_hc_cxx_known(void);

/* Adds what decides which compiler is found. */
void ga_hc_cxx_hint(ga_str *s);

#endif
