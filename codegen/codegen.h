/* SPDX-License-Identifier: MIT */
/* What the code generator gives to the library: an expression's text becomes a
 * program of stages; a stage, laid out, becomes kernel text. Knows no device
 * and opens no file.
 *
 *   text --ga_parse--> ga_ast                          parse.c
 *   ast + bindings --ga_program_new--> ga_program      infer.c simplify.c stage.c chain.c
 *   stage + strides --ga_layout_make--> ga_layout      layout.c
 *   stage + layout --ga_gen_text--> ga_text            gen_map.c gen_reduce.c gen_chain.c
 *   stage + layout + shape --ga_gen_launch--> ga_launch
 *
 * A program is made for known dtypes AND shapes. What depends on shapes stays
 * out of the kernel text: texts of two programs that differ in extents, strides
 * or values only are equal, and so share one compiled kernel.
 */
#ifndef GA_CODEGEN_H
#define GA_CODEGEN_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/util/dtype.h"
#include "lib/util/error.h"
#include "lib/util/str.h"

#define GA_MAXND 64 /* as NumPy */

/* Bytes of a step either way. */
static inline uint64_t ga_magnitude(ssize_t step)
{
  return step < 0 ? 0 - (uint64_t)step : (uint64_t)step;
}

/* ---- text to tree ------------------------------------------------------ */

/* A parsed text: statements over names. Immutable; refers to no array. */
typedef struct ga_ast ga_ast;

/* Parses `text` (NUL-terminated). GA_VALUE_ERROR with a caret message for a
 * text that is no expression, GA_XLARGE_ERROR for one nested or long beyond the
 * parser's bounds, GA_MEMORY_ERROR. */
int ga_parse(ga_ast **ast, const char *text);
void ga_ast_free(ga_ast *ast); /* accepts NULL */

/* ---- what a name is bound to ------------------------------------------- */

enum ga_bind_kind {
  GA_BIND_ARRAY,    /* an existing array: read, and written when assigned */
  GA_BIND_NEW,      /* an array to be created by an assignment */
  GA_BIND_WEAK_INT, /* a number, typed by its neighbours as Python's int */
  GA_BIND_WEAK_FLOAT,
  GA_BIND_SCALAR /* a number with a dtype of its own */
};

typedef struct ga_bind {
  const char *name;
  enum ga_bind_kind kind;
  enum ga_dtype dtype; /* ARRAY, SCALAR */
  unsigned int nd;     /* ARRAY */
  const size_t *dims;
  const ssize_t *strides; /* bytes */
} ga_bind;

/* ---- a typed program --------------------------------------------------- */

/* A number as it is given to a kernel: the bytes of one element. */
typedef union ga_value {
  unsigned char bytes[16];
  int64_t i;
  uint64_t u;
  float f;
  double d;
  float cf[2];
  double cd[2];
} ga_value;

/* Storage that stages read and write. */
enum ga_slot_kind {
  GA_SLOT_ARG,    /* argument `arg`, bound by GA_BIND_ARRAY */
  GA_SLOT_NEW,    /* argument `arg`, bound by GA_BIND_NEW: created, C order */
  GA_SLOT_RESULT, /* the value of the last statement: created, C order */
  GA_SLOT_TEMP    /* between two stages: created, in C order or another (temporaries.c), freed
                     after */
};

typedef struct ga_slot {
  enum ga_slot_kind kind;
  unsigned int arg;
  enum ga_dtype dtype;
  unsigned int nd;
  size_t dims[GA_MAXND];
} ga_slot;

/* A number a kernel takes as an argument: a literal, a weak or strong scalar
 * argument, or Python arithmetic on weak ones. Its value is computed on the
 * host at each call by ga_param_value(). */
typedef struct ga_param {
  enum ga_dtype dtype;
  int weak; /* internal: what ga_param_value() evaluates */
} ga_param;

enum { GA_NUMBER = 2 };

/* An array as one stage sees it: strides over the stage's loop axes. */
typedef struct ga_operand {
  unsigned int slot;
  enum ga_dtype dtype;
  int write;      /* 1: stored to by this stage */
  int outer;      /* 1: indexed by the kept axes only (level odd), after a scan by all;
                      GA_NUMBER: of one element, which each that is reduced reads */
  ssize_t offset; /* bytes from the slot's first element (views: a[1:]) */
  /* Bytes per step of loop axis k; 0 where it is broadcast, and on reduced
   * axes of an outer operand. For slots that are created, C order over the
   * slot's own dims, but for temporaries of temporaries.c. */
  ssize_t strides[GA_MAXND];
} ga_operand;

/* Structural nodes; elementwise operations follow from GA_N_OP. */
enum ga_node_op {
  GA_N_LOAD,   /* element of operand `index` */
  GA_N_PARAM,  /* number `index` */
  GA_N_IOTA,   /* int64: sum over loop axes of position times iota_step[axis];
                  the C-order position among the reduced axes, for argmin/max */
  GA_N_CAST,   /* arg[0] converted to dtype */
  GA_N_REDUCE, /* result of reduction or scan `index` of the stage, in dtype */
  GA_N_OP
};

/* The elementwise operations of ops.def: GA_OP_add, ... numbered from GA_N_OP. */
enum ga_op {
  GA_OP_BEGIN = GA_N_OP - 1,
#define OP(name, nargs, loops, result, flags) GA_OP_##name,
#include "ops.def"
#undef OP
  GA_OP_END
};
#define GA_NOP (GA_OP_END - GA_N_OP)

enum {
  GA_OP_EXACT = 1,
  GA_OP_COND = 2,
  GA_OP_FLOATDIV = 4,
  GA_OP_TRUTH = 8,
  GA_OP_INTSAME = 16,
  GA_OP_REALSAME = 32,
  GA_OP_PLAIN = 64
};
enum ga_op_result { GA_RESULT_SAME, GA_RESULT_BOOL, GA_RESULT_REAL };

typedef struct ga_op_info {
  const char *name;
  int nargs;
  const char *loops;
  enum ga_op_result result;
  int flags;
} ga_op_info;

extern const ga_op_info ga_ops[GA_NOP]; /* indexed by op - GA_N_OP */

/* Every argument is an earlier node and already has the dtype that the
 * operation's loop takes: conversions are GA_N_CAST nodes of their own. */
typedef struct ga_node {
  int op;              /* enum ga_node_op or enum ga_op */
  enum ga_dtype dtype; /* of the value */
  int level;           /* even: before the reductions, over all loop axes; odd: after
                          them, over the kept axes, or after a scan over all; above 1
                          in chains only */
  int arg[3];          /* node numbers, -1 unused */
  int index;           /* LOAD: operand, PARAM: param, REDUCE: reduction */
} ga_node;

enum ga_reduce_op {
#define REDUCE(name, loops, acc, identity) GA_REDUCE_##name,
#include "reduce.def"
#undef REDUCE
  GA_NREDUCE
};

/* A scan keeps, for every element along the reduced axes in C order, the reduction
 * of those up to it: itself with them or (exclusive) not. */
enum ga_scan { GA_SCAN_NONE, GA_SCAN_INCLUSIVE, GA_SCAN_EXCLUSIVE };
/* Elements; DESIGN.md, "Order of a scan". */
enum { GA_SCAN_TILE = 8192, GA_SCAN_SPAN = 32 * GA_SCAN_TILE };

typedef struct ga_reduction {
  enum ga_reduce_op op;
  int node;          /* reduced value, at an even level, of dtype acc */
  enum ga_dtype acc; /* of the accumulator; for argmin/argmax of the value */
  int iota;          /* argmin/argmax: the GA_N_IOTA node; else -1 */
  int parts;         /* not 0: acc holds several numbers, 4 bytes so many (scan_words.c) */
} ga_reduction;

typedef struct ga_store {
  int operand; /* has write = 1 */
  int node;    /* of the operand's dtype */
} ga_store;

/* A map whose body is C that the user wrote: `text` is spliced into a function
 * whose parameters are the operands and numbers by these names, operands that are
 * written by reference. */
typedef struct ga_splice {
  const char *text;
  const char *preamble;       /* before it, at file level; may be "" */
  const char *const *names;   /* [noperand] */
  const char *const *numbers; /* [nparam] */
  const unsigned char *reads; /* [noperand] 1: the text reads it */
  int half_as_float;          /* 1: the text sees float16 as float */
} ga_splice;

/* One kernel: a map over the loop axes, or map, reduce, map. Nodes are in
 * order of evaluation. */
typedef struct ga_stage {
  unsigned int nd; /* loop axes, as broadcasting left them: axis 0 outermost */
  size_t dims[GA_MAXND];
  unsigned char reduced[GA_MAXND]; /* 1: axis is reduced, or scanned */
  enum ga_scan scan;               /* not NONE: the one reduction is a scan, and what follows it
                                      is over all loop axes */
  int64_t iota_step[GA_MAXND];
  unsigned int nnode, noperand, nparam, nreduction, nstore;
  ga_node *nodes;
  ga_operand *operands;
  ga_param *params;
  ga_reduction *reductions;
  ga_store *stores;
  const ga_splice *splice; /* NULL but for GpuElemwise; then there are no nodes */
} ga_stage;

/* Whether the node's value has the same bits on every device, its arguments'
 * being the same (doc/numbers.md): structural nodes, operations flagged
 * GA_OP_EXACT, and every loop over integers or bool. */
int ga_node_exact(const ga_stage *st, const ga_node *n);

/* Stages that one kernel may run row by row, or column by column: reductions of the same
 * rows, each with what the ones before it left, and a map over them. Level 2j are the elements
 * that the j-th reduction reads, level 2j + 1 what follows it; the last even level is
 * the map. Temporaries that only members read are not stored. */
enum { GA_MAXCHAIN = 8 };
typedef struct ga_chain {
  unsigned int nmember;
  unsigned int members[GA_MAXCHAIN]; /* of ga_program.stages, ascending; it runs where
                                        the first would */
  ga_stage stage;                    /* all of them as one */
} ga_chain;

typedef struct ga_program {
  unsigned int nslot, nstage, nchain;
  ga_slot *slots;
  ga_stage *stages;
  ga_chain *chains;
  int result;     /* slot of the value of the last statement, -1: no value */
  void *internal; /* the weak numbers, for ga_param_value() */
} ga_program;

/* Types, checks and cuts the text for these bindings. `into` is the array that
 * the value is to be written to (its dtype and dims are checked: same_kind cast,
 * equal shape), or NULL to have the value created. `unsafe` allows any cast into
 * `into` (moves and casts). GA_VALUE_ERROR with a caret message: unknown name,
 * shapes that do not broadcast, bad axis, no such loop, ... */
int ga_program_new(ga_program **p, const ga_ast *ast, unsigned int n, const ga_bind *binds,
                   const ga_bind *into, int unsafe);
void ga_program_free(ga_program *p);

/* copies.c: adds stages beside reductions of `least` bytes and more, where kernels of devices that
 * compile, such as `target`, are faster so. It changes no bit. */
enum { GA_COPIES_LEAST = 1 << 24 }; /* another launch takes 2 or 3 us */
struct ga_target;
int ga_copies_add(ga_program *p, size_t least, const struct ga_target *target);

/* The value of parameter `param` for these numbers, numbers[i] being the value
 * of bind i (weak ints in .i, weak floats in .d, scalars as their bytes).
 * GA_VALUE_ERROR when a weak int does not fit the dtype it got. */
int ga_param_value(ga_value *v, const ga_program *p, const ga_param *param,
                   const ga_value *numbers);

/* The program as text: slots, stages, typed nodes; for tests and explain. */
void ga_program_print(ga_str *s, const ga_program *p);

/* ---- layout ------------------------------------------------------------ */

enum ga_class {
  GA_CLASS_CONTIG,       /* map: one axis, every operand of unit step or broadcast */
  GA_CLASS_INNER,        /* map: innermost axis of unit step or broadcast in each */
  GA_CLASS_STRIDED,      /* map: anything */
  GA_CLASS_TILE,         /* map: fast axes differ; through shared memory */
  GA_CLASS_ROWS,         /* reduce: reduced innermost, unit step or broadcast */
  GA_CLASS_COLUMNS,      /* reduce: a kept axis innermost */
  GA_CLASS_GATHER,       /* reduce: anything */
  GA_CLASS_SCAN_ROWS,    /* scan: one scanned axis, of unit step or broadcast */
  GA_CLASS_SCAN_COLUMNS, /* scan: a kept axis innermost */
  GA_CLASS_SCAN_GATHER,  /* scan: anything */
  GA_NCLASS
};

/* A stage's loop in canonical form: axes of extent 1 dropped, axes sorted by
 * |stride| of the first full operand (ties by the next), neighbours that every
 * operand (and the iota) walks as one merged, kept axes before reduced ones.
 * Scanned axes keep their order and direction.
 * Depends on extents and strides alone; both devices follow it, and the order
 * of a reduction is defined on it. */
typedef struct ga_layout {
  enum ga_class cls;
  unsigned int nk, nr;    /* kept axes [0,nk), reduced axes [nk,nk+nr) */
  size_t dims[GA_MAXND];  /* 0 axes: one element */
  uint64_t kept, reduced; /* products of the extents */
  unsigned int noperand;
  ssize_t (*strides)[GA_MAXND]; /* [noperand]: bytes per step of axis k */
  int64_t iota_step[GA_MAXND];
  int64_t iota_base;
  unsigned int nwalk; /* the order of a reduction, before neighbours merged: */
  int walk[GA_MAXND]; /* reduced axes of the stage, ~k: from its other end */
  ssize_t *offset;    /* [noperand]: bytes added to the operand's own offset
                         (negative axes are walked from their other end) */
  int wide;           /* 1: some index or byte offset needs 64 bits */
} ga_layout;

int ga_layout_make(ga_layout *l, const ga_stage *st);
void ga_layout_clear(ga_layout *l);

/* ---- kernel text (devices that compile) -------------------------------- */

/* What text depends on beyond stage and layout. */
typedef struct ga_target {
  unsigned int nproc;   /* multiprocessors */
  unsigned int shared;  /* bytes of shared memory a block may have */
  int fast;             /* 1: the user asked for fast maths */
  unsigned int cluster; /* blocks that may share their memory; below 2: none; more than 8 of
                           such as a multiprocessor has room for two of */
  int overlap;          /* 1: kernels may be started before the one ahead has ended */
} ga_target;

#define GA_TEXT_HEADERS 32

/* A kernel's source: `main` includes the headers by name. */
typedef struct ga_text {
  ga_str main;
  unsigned int nheader;
  const char *names[GA_TEXT_HEADERS];
  const char *bodies[GA_TEXT_HEADERS]; /* embedded skeletons, or owned texts */
  ga_str generated;                    /* the body of the generated header */
  const char *entry;                   /* extern "C" name of the kernel */
} ga_text;

/* `align[i]` is the address of operand i's first element (slot base + offset +
 * layout offset), modulo 16. */

/* Whether the device can run a chain's stage as one kernel: its rows, or columns, fit on chip. */
int ga_gen_chain_fits(const ga_stage *st, const ga_layout *l, const unsigned char *align,
                      const ga_target *target);

int ga_gen_text(ga_text *t, const ga_stage *st, const ga_layout *l, const unsigned char *align,
                const ga_target *target);
void ga_text_clear(ga_text *t);

/* A packed launch: everything but addresses and numbers is filled in. */
typedef struct ga_launch {
  size_t grid[3], block[3];
  size_t shared;                /* bytes of dynamic shared memory */
  size_t scratch;               /* bytes of scratch memory for partial results */
  size_t ntickets;              /* zeroed uint32 counters; the kernel leaves them 0 */
  unsigned char *args;          /* the kernel's parameters, packed as CUDA lays them out */
  size_t nargs;                 /* bytes */
  size_t *operand_at;           /* [noperand] where in args the address goes */
  size_t *param_at;             /* [nparam] where the number goes, dtype's size */
  size_t scratch_at, ticket_at; /* where their addresses go, (size_t)-1: none */
} ga_launch;

int ga_gen_launch(ga_launch *l, const ga_stage *st, const ga_layout *layout,
                  const unsigned char *align, const ga_target *target);
void ga_launch_clear(ga_launch *l);

/* "cluda.h", the vocabulary of users' kernels (kernels/cluda.cuh). */
extern const char ga_kernel_cluda_cuh[];

#endif
