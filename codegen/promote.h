/* SPDX-License-Identifier: MIT */
/* NumPy 2's rules of types: safe casts, promotion, Python's numbers as weak
 * partners (NEP 50). */
#ifndef GA_CODEGEN_PROMOTE_H
#define GA_CODEGEN_PROMOTE_H

#include "ast.h"

int ga_cast_safe(enum ga_dtype from, enum ga_dtype to);
int ga_cast_same_kind(enum ga_dtype from, enum ga_dtype to);

/* The smallest dtype both cast to safely; GA_DT_NONE is neutral. */
enum ga_dtype ga_promote(enum ga_dtype a, enum ga_dtype b);

/* The dtype of several: floats and complex first, so that int16 and uint16 beside
 * float32 are float32, in any order. */
enum ga_dtype ga_promote_all(const enum ga_dtype *d, int n);

/* What a Python number of `kind` becomes beside arrays of dtype `d` (GA_DT_NONE:
 * beside numbers only). */
enum ga_dtype ga_promote_weak(enum ga_dtype d, enum ga_number_kind kind);

/* The dtype whose loop `op` runs for arguments of these dtypes, GA_DT_NONE when
 * it has none. */
enum ga_dtype ga_loop_of(const ga_op_info *op, const enum ga_dtype *args);

enum ga_dtype ga_real_of(enum ga_dtype d); /* complex64 -> float32, others same */

static inline char ga_kind(enum ga_dtype d) { return ga_dtypes[d].kind; }
static inline int ga_is_int(enum ga_dtype d) { return ga_kind(d) == 'i' || ga_kind(d) == 'u'; }
static inline int ga_is_whole(enum ga_dtype d) { return d == GA_DT_BOOL || ga_is_int(d); }
static inline int ga_is_half(enum ga_dtype d) { return d == GA_DT_FLOAT16 || d == GA_DT_BFLOAT16; }

#endif
