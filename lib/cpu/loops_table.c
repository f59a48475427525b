/* SPDX-License-Identifier: MIT */
/* The tables of one instruction set, gathered. */
#include "loops_impl.h"

#define DECLARE(ID, T, C)                                       \
  extern const ga_loop GA_SYM(ga_loops_##T)[GA_NOP];            \
  extern const ga_loop GA_SYM(ga_casts_##T)[GA_NDTYPE];         \
  extern const ga_tree GA_SYM(ga_trees_##T)[GA_NREDUCE];        \
  extern const ga_combine GA_SYM(ga_combines_##T)[GA_NREDUCE];  \
  extern const ga_short_rows GA_SYM(ga_shorts_##T)[GA_NREDUCE]; \
  extern const ga_scan_loop GA_SYM(ga_scans_##T)[GA_NREDUCE];
GA_DTYPES(DECLARE)

extern const ga_loop GA_SYM(ga_math_float32)[GA_NOP];
extern const ga_loop GA_SYM(ga_math_float64)[GA_NOP];
extern const ga_loop GA_SYM(ga_wide_float32)[GA_NOP];
extern const ga_loop GA_SYM(ga_wide_float64)[GA_NOP];
#define INTEGERS(X) \
  X(INT8, int8)     \
  X(UINT8, uint8)   \
  X(INT16, int16)   \
  X(UINT16, uint16) X(INT32, int32) X(UINT32, uint32) X(INT64, int64) X(UINT64, uint64)
#define DIVIDE(ID, T)     extern const ga_loop GA_SYM(ga_divide_##T)[GA_NOP];
#define DIVIDE_ROW(ID, T) [GA_DT_##ID] = GA_SYM(ga_divide_##T),
INTEGERS(DIVIDE)
#define COMPARED(X)   \
  X(FLOAT32, float32) \
  X(FLOAT64, float64) X(INT32, int32) X(UINT32, uint32) X(INT64, int64) X(UINT64, uint64)
#define COMPARE(ID, T)     extern const ga_loop GA_SYM(ga_compare_##T)[GA_NOP];
#define COMPARE_ROW(ID, T) [GA_DT_##ID] = GA_SYM(ga_compare_##T),
#define ONE(ID, T)         extern const ga_loop GA_SYM(ga_compare_one_##T)[GA_NOP];
#define ONE_ROW(ID, T)     [GA_DT_##ID] = GA_SYM(ga_compare_one_##T),
COMPARED(COMPARE)
COMPARED(ONE)
extern const ga_loop GA_SYM(ga_extreme_float32)[GA_NOP];
extern const ga_loop GA_SYM(ga_extreme_float64)[GA_NOP];
extern const ga_loop GA_SYM(ga_logadd_float32)[GA_NOP];
extern const ga_loop GA_SYM(ga_logadd_float64)[GA_NOP];
extern const ga_loop GA_SYM(ga_hypot_float32)[GA_NOP];
extern const ga_loop GA_SYM(ga_hypot_complex64)[GA_NOP];
extern const ga_loop GA_SYM(ga_hypot_float64)[GA_NOP];
extern const ga_loop GA_SYM(ga_hypot_complex128)[GA_NOP];
extern const ga_loop GA_SYM(ga_parts_complex64)[GA_NOP];
extern const ga_loop GA_SYM(ga_parts_complex128)[GA_NOP];
extern const ga_loop GA_SYM(ga_mod_float32)[GA_NOP];
extern const ga_loop GA_SYM(ga_mod_float64)[GA_NOP];
extern const ga_loop GA_SYM(ga_fast_casts)[GA_NDTYPE][GA_NDTYPE];
extern const ga_steps GA_SYM(ga_step_loops)[GA_NDTYPE];
extern const ga_tree GA_SYM(ga_free_trees)[GA_NDTYPE][GA_NREDUCE];
extern const ga_abreast GA_SYM(ga_abreasts)[GA_NDTYPE][GA_NREDUCE];
extern const ga_tree GA_SYM(ga_leads)[GA_NDTYPE][GA_NREDUCE];
extern const ga_tree GA_SYM(ga_wide_sums)[GA_NDTYPE];
extern const ga_tree GA_SYM(ga_moment_trees)[GA_NDTYPE];
extern const ga_moment_join GA_SYM(ga_moment_joins)[GA_NDTYPE];
extern const ga_find GA_SYM(ga_finds)[GA_NDTYPE];
extern const ga_find GA_SYM(ga_find_lasts)[GA_NDTYPE];
extern const ga_rake GA_SYM(ga_rakes)[GA_NDTYPE][GA_NREDUCE];
extern const ga_free_scan GA_SYM(ga_free_scans)[GA_NDTYPE][GA_NREDUCE];
extern const ga_turn GA_SYM(ga_turns)[5];

#define LOOPS(ID, T, C)      [GA_DT_##ID] = GA_SYM(ga_loops_##T),
#define CASTS(ID, T, C)      [GA_DT_##ID] = GA_SYM(ga_casts_##T),
#define FAST(ID, T, C)       [GA_DT_##ID] = GA_SYM(ga_fast_casts)[GA_DT_##ID],
#define TREES(ID, T, C)      [GA_DT_##ID] = GA_SYM(ga_trees_##T),
#define FREE_TREES(ID, T, C) [GA_DT_##ID] = GA_SYM(ga_free_trees)[GA_DT_##ID],
#define ABREASTS(ID, T, C)   [GA_DT_##ID] = GA_SYM(ga_abreasts)[GA_DT_##ID],
#define LEADS(ID, T, C)      [GA_DT_##ID] = GA_SYM(ga_leads)[GA_DT_##ID],
#define RAKES(ID, T, C)      [GA_DT_##ID] = GA_SYM(ga_rakes)[GA_DT_##ID],
#define SHORTS(ID, T, C)     [GA_DT_##ID] = GA_SYM(ga_shorts_##T),
#define COMBINES(ID, T, C)   [GA_DT_##ID] = GA_SYM(ga_combines_##T),
#define SCANS(ID, T, C)      [GA_DT_##ID] = GA_SYM(ga_scans_##T),
#define FREE_SCANS(ID, T, C) [GA_DT_##ID] = GA_SYM(ga_free_scans)[GA_DT_##ID],

#define GA_STR2(s) #s
#define GA_STR(s)  GA_STR2(s)

extern const ga_loops GA_SYM(ga_loops);
const ga_loops GA_SYM(ga_loops) = {
    .name = GA_STR(GA_ISA),
    .op = {GA_DTYPES(LOOPS)},
    .fast_op =
        {{[GA_DT_FLOAT32] = GA_SYM(ga_extreme_float32),
          [GA_DT_FLOAT64] = GA_SYM(ga_extreme_float64)},
         {[GA_DT_FLOAT32] = GA_SYM(ga_mod_float32), [GA_DT_FLOAT64] = GA_SYM(ga_mod_float64)},
         {[GA_DT_FLOAT32] = GA_SYM(ga_logadd_float32),
          [GA_DT_FLOAT64] = GA_SYM(ga_logadd_float64),
          [GA_DT_COMPLEX64] = GA_SYM(ga_parts_complex64),
          [GA_DT_COMPLEX128] = GA_SYM(ga_parts_complex128)},
         {[GA_DT_FLOAT32] = GA_SYM(ga_wide_float32),
          [GA_DT_FLOAT64] = GA_SYM(ga_wide_float64),
          INTEGERS(DIVIDE_ROW)},
         {[GA_DT_FLOAT32] = GA_SYM(ga_math_float32), [GA_DT_FLOAT64] = GA_SYM(ga_math_float64)},
         {[GA_DT_FLOAT32] = GA_SYM(ga_hypot_float32),
          [GA_DT_COMPLEX64] = GA_SYM(ga_hypot_complex64),
          [GA_DT_FLOAT64] = GA_SYM(ga_hypot_float64),
          [GA_DT_COMPLEX128] = GA_SYM(ga_hypot_complex128)},
         {COMPARED(COMPARE_ROW)}},
    .cast = {GA_DTYPES(CASTS)},
    .fast_cast = {GA_DTYPES(FAST)},
    .compare_one = {COMPARED(ONE_ROW)},
    .steps = GA_SYM(ga_step_loops),
    .tree = {GA_DTYPES(TREES)},
    .combine = {GA_DTYPES(COMBINES)},
    .abreast = {GA_DTYPES(ABREASTS)},
    .moment_tree = GA_SYM(ga_moment_trees),
    .moment_join = GA_SYM(ga_moment_joins),
    .shorts = {GA_DTYPES(SHORTS)},
    .free_tree = {GA_DTYPES(FREE_TREES)},
    .lead = {GA_DTYPES(LEADS)},
    .wide = GA_SYM(ga_wide_sums),
    .find = GA_SYM(ga_finds),
    .find_last = GA_SYM(ga_find_lasts),
    .rake = {GA_DTYPES(RAKES)},
    .scan = {GA_DTYPES(SCANS)},
    .free_scan = {GA_DTYPES(FREE_SCANS)},
    .turn = GA_SYM(ga_turns),
};

/* The loop that this instruction set has for an operation. */
extern ga_loop GA_SYM(ga_loop_of)(int op, enum ga_dtype dtype);
ga_loop GA_SYM(ga_loop_of)(int op, enum ga_dtype dtype)
{
  return ga_cpu_loop_in(&GA_SYM(ga_loops), op, dtype);
}
