/* SPDX-License-Identifier: MIT */
/* An instruction of inline PTX and what becomes of its words: between the reader of an asm
 * (hostcuda_ptx.c), the words (hostcuda_ptx_words.c) and the instructions (hostcuda_ptx_code.c). */
#ifndef GA_CPU_HOSTCUDA_PTX_WORDS_H
#define GA_CPU_HOSTCUDA_PTX_WORDS_H

#include "hostcuda_ptx.h"

enum { MAX_WORDS = 10, WORD = 96, ROOM = WORD + 32 }; /* ROOM: for what is made of a word */

typedef struct ga_ptx_instruction {
  char op[WORD]; /* with all that stands behind it: "ld.global.nc.v4.f32" */
  const char *mods;
  char word[MAX_WORDS][WORD];
  unsigned int nword;
} ga_ptx_instruction;

typedef struct ga_ptx_reader {
  ga_hc_ptx *x;
  const char *p;
  unsigned int place;
  int bad;
  int leaves; /* ga_ptx_cc is a carry that another asm may take */
} ga_ptx_reader;

/* CUDA's types by their names in PTX. */
typedef struct ga_ptx_type {
  const char *name, *text, *plain, *wide; /* wide: NULL where there is none */
} ga_ptx_type;

/* hostcuda_ptx_words.c */
int ga_ptx_has(const ga_ptx_instruction *in, const char *mod);
int ga_ptx_is(const ga_ptx_instruction *in, const char *name);
const ga_ptx_type *ga_ptx_type_of(const ga_ptx_instruction *in, int which);
/* The name in C++ of a place that branches go to, in `room`. */
const char *ga_ptx_label(const ga_ptx_reader *r, const char *word, char *room);
int ga_ptx_variable(const ga_ptx_reader *r, char *out, size_t room, const char *word);
void ga_ptx_emit(ga_ptx_reader *r, const char *fmt, ...) GA_PRINTF(2, 3);
const char *ga_ptx_source(ga_ptx_reader *r, ga_ptx_instruction *in, unsigned int i, char *room);
const char *ga_ptx_target(ga_ptx_reader *r, ga_ptx_instruction *in, unsigned int i, char *room);
const char *ga_ptx_address(ga_ptx_reader *r, const ga_ptx_instruction *in, unsigned int i,
                           int shared, char *room);
/* The words in {a, b}, in place of word i; how many there are. */
unsigned int ga_ptx_elements(ga_ptx_instruction *in, unsigned int i, ga_ptx_instruction *out);
/* hostcuda_ptx_matrix.c: mma, and ldmatrix and stmatrix */
int ga_ptx_multiply(ga_ptx_reader *r, ga_ptx_instruction *in);
int ga_ptx_move_matrices(ga_ptx_reader *r, ga_ptx_instruction *in);
/* hostcuda_ptx_code.c: writes the instruction; 0 where it is none of those that there are */
int ga_ptx_write(ga_ptx_reader *r, ga_ptx_instruction *in);

#endif
