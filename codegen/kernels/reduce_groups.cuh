/* SPDX-License-Identifier: MIT */
/* Reduce, class COLUMNS, of elements of 1 and 2 bytes along a middle axis, whose result does not
 * tell the order. What an outer element has of rows and columns is a group; groups lie end to
 * end. A block copies some of them to shared memory, as aligned vectors, and its threads walk
 * over words of 4 bytes, GA_VEC elements, so far apart that all of a thread's have the same
 * columns. What threads have of a column is joined last, with its elements outside of words.
 *
 *   axis 1 of int8 [1000, 100, 7]: 46 groups of 700 elements a block. 7 words have the columns of
 *   4 rows, so 28 threads a group are 4 for each of these; thread 9 has words 9, 37, and so on. A
 *   group from address 3 modulo 4 on has one element before its first word, of column 0, 174
 *   words, and 3 elements behind them, of columns 4 to 6; byte 2 of word 0 is of column 3.
 *
 * GA_ALIGNED 1: rows are whole words, and those of a word are joined together.
 */
struct ga_params {
  GA_OPERANDS(GA_POINTER)
  ga_ulong units, reduced; /* units: groups of all */
  ga_axes<GA_NK> kept_axes;
  ga_offset inner_step[GA_NOFF];
  ga_uint inner, size, groups;     /* columns; elements of a group; groups of a block */
  ga_uint threads, by_threads;     /* of a group; 2^32 divided by them, rounded up, or 0 for 1 */
  ga_uint results, by_results;     /* the same of results, GA_ALIGNED 1: of words of them */
  ga_uint join_bits;               /* log2 of the threads that join one, GA_ALIGNED 0 */
  ga_uint parts_at;                /* bytes of shared memory before that */
  GA_NUMBERS(GA_NUMBER)
};
