/* SPDX-License-Identifier: MIT */
/* The compiler library: several versions may be installed, and each is loaded
 * at most once per process. */
#ifndef GA_NVRTC_H
#define GA_NVRTC_H

#include "cutypes.h"
#include "dl.h"
#include "lib/util/str.h"

struct ga_source;

typedef struct ga_nvrtc_table {
#define FN(ret, name, args) ret(*name) args;
#include "nvrtc.def"
#undef FN
} ga_nvrtc_table;

typedef struct ga_nvrtc {
  ga_dl lib;
  ga_nvrtc_table fn;
  int major, minor;
  int narch;
  int archs[128];     /* compute capabilities it compiles for, 90 for 9.0 */
  char headers[1024]; /* folder of the toolkit's headers, "" if there is none */
  int state;          /* 0 not tried, 1 loaded, -1 not found */
} ga_nvrtc;

/* The newest NVRTC whose major version is at most `driver_major` and which
 * compiles for `cc` (then *arch = cc); else one that lists an architecture
 * below, the highest. NULL with a message when there is none. */
const ga_nvrtc *ga_nvrtc_pick(int driver_major, int cc, int *arch);

/* Adds what ga_nvrtc_pick() depends on beside its arguments: the environment, and
 * when the places where libraries are installed last changed. */
void ga_nvrtc_hint(ga_str *s);

/* nvrtc_compile.c: the options of a source, the architecture and its own aside; how
 * many there are. */
#define GA_NVRTC_OPTIONS 8
unsigned int ga_nvrtc_options(const ga_nvrtc *n, const struct ga_source *src,
                              const char *opt[GA_NVRTC_OPTIONS]);

#endif
