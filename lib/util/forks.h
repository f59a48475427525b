/* SPDX-License-Identifier: MIT */
/* Telling a forked child from the process that made a thing. */
#ifndef GA_UTIL_FORKS_H
#define GA_UTIL_FORKS_H

/** Counts the forks behind this process since the library was loaded. Another thread
 * may have held a lock, and have been halfway through what it guards, when the process
 * was forked: what notes this count when it is made, and finds another later, is left
 * alone. */
unsigned int ga_forks(void);

#endif
