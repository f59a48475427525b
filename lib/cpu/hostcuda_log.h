/* SPDX-License-Identifier: MIT */
/* What the C++ compiler says of a user's text. */
#ifndef GA_CPU_HOSTCUDA_LOG_H
#define GA_CPU_HOSTCUDA_LOG_H

#include "hostcuda_text.h"

/* Takes the folder's name out of a text, in place; text may be NULL. */
void ga_hc_hide_folder(char *text, const char *folder);

/* What to say of a brace of t that nothing closes; empty, where each is closed. */
void ga_hc_log_unclosed(ga_str *s, const ga_hc_text *t);

/* What the compiler said: without the folder, hidden parameters, and what follows from an
 * earlier error or from a brace that nothing closes. */
void ga_hc_log_clean(ga_str *log, const char *folder, const ga_str *unclosed);

/* GA_UNSUPPORTED_ERROR, where the log has a call of what our headers declare only to refuse it, as
 * grid_group::sync(): the compiler's line "file:line: error: ... attribute error: ITEM is not
 * available ...". */
int ga_hc_log_refused(const char *log);

#endif
