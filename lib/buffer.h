/* SPDX-License-Identifier: MIT */
/* Buffers, to the rest of the library. */
#ifndef GA_BUFFER_H
#define GA_BUFFER_H

#include "lib/backend.h"

/* Sets `n` bytes from `off` on, which are in the buffer. */
int ga_buffer_set(gpudata *b, size_t off, int byte, size_t n);

#endif
