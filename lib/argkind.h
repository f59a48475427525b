/* SPDX-License-Identifier: MIT */
/* Kinds of arguments in messages: by the function that makes one. */
#ifndef GA_ARGKIND_H
#define GA_ARGKIND_H

/** \param kind enum ga_argkind
 * \returns "ga_array()" and so on; "no function of arg.h" for what is none */
const char *ga_argkind_maker(int kind);

#endif
