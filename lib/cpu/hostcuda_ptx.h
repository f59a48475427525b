/* SPDX-License-Identifier: MIT */
/* An asm statement as C++: pieces that take the place of its tokens, between which the expressions
 * of its operands stay (hostcuda_ptx.c). */
#ifndef GA_CPU_HOSTCUDA_PTX_H
#define GA_CPU_HOSTCUDA_PTX_H

#include "hostcuda_text.h"

enum { GA_HC_PTX_OPERANDS = 40 };

typedef struct ga_hc_piece {
  unsigned int from, to; /* the tokens that it replaces */
  char text[64];         /* of all but the last, whose text is the code */
} ga_hc_piece;

typedef struct ga_hc_ptx {
  ga_hc_piece piece[GA_HC_PTX_OPERANDS + 1];
  unsigned int npiece, next; /* next: the one to write */
  unsigned int noperand, from;
  ga_str code;
  char item[80]; /* what there is not, where it is not understood */
} ga_hc_ptx;

/* Is the token an asm with a text or operands? One without is a barrier for any compiler. */
int ga_hc_is_ptx(const ga_hc_token *k);
/* Reads the one at token i; `place` is its place in the module's list. 0: there is something in
 * it that is not available. To be cleared in either case. */
int ga_hc_ptx_read(ga_hc_ptx *x, const ga_hc_text *t, unsigned int i, unsigned int place);
void ga_hc_ptx_clear(ga_hc_ptx *x);

#endif
