/* SPDX-License-Identifier: MIT */
/* Runs another program: no word of it is the shell's to read, and its time has an end. */
#ifndef GA_CPU_HOSTCUDA_SPAWN_H
#define GA_CPU_HOSTCUDA_SPAWN_H

#include "lib/util/str.h"

/* Runs argv[0], found along PATH, and waits for it, at most `seconds`. What it
 * writes to its standard output goes to the file `out` (NULL: nowhere), its
 * standard error is added to `log` (NULL: nowhere), up to 256 KiB. *status is its
 * exit status, 128 + signal where one ended it, 127 where there is no such program. GA_SYS_ERROR
 * where nothing can be started, GA_RUN_ERROR where its time ran out. */
int ga_hc_spawn(int *status, char *const *argv, const char *out, ga_str *log, unsigned int seconds);

#endif
