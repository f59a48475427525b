/* SPDX-License-Identifier: MIT */
/* Errors that point into the text:
 *
 *   sum(a * c, axis=2)
 *           ^ unknown name 'c'; known: a float32(4000,4000), b float32(4000)
 */
#ifndef GA_CODEGEN_CARET_H
#define GA_CODEGEN_CARET_H

#include "lib/util/error.h"

/* Records the line of `text` that byte `at` is in, a caret under that byte and
 * the message; a long line is cut to what stands around the caret. Returns
 * `code`. */
int ga_caret(int code, const char *text, size_t at, const char *fmt, ...) GA_PRINTF(4, 5);

#endif
