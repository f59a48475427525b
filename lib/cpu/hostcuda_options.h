/* SPDX-License-Identifier: MIT */
/* The options of raw kernels, as --std=c++20 -DN=4 --use_fast_math (hostcuda_options.c). */
#ifndef GA_HOSTCUDA_OPTIONS_H
#define GA_HOSTCUDA_OPTIONS_H

#include "lib/backend.h"
#include "lib/util/str.h"

/* The standard that --std=c++20 or -std c++20 asks for. Our header needs that of 2017. */
const char *ga_hc_standard(const ga_source *src);
/* The options that mean something to a host's preprocessor: -D, -U, -I, joined or
 * apart, and NVRTC's long forms. */
void ga_hc_preprocessor_options(ga_str *line, const ga_source *src);
/* Whether the option `name` is there, with dashes or without. */
int ga_hc_has_option(const ga_source *src, const char *name);

#endif
