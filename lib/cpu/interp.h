/* SPDX-License-Identifier: MIT */
/* The interpreter of stages, inside. A stage becomes straight-line code over
 * *places*; a place holds one block of values: a register (a buffer of a thread's
 * scratch memory), a piece of an array read or written where it lies, or an
 * accumulator. The code runs once a block, each instruction being one loop of
 * loops.h over the whole block:
 *
 *   interp.c          stage_new, stage_run, stage_free
 *   interp_code.c     nodes to code: instructions, loads, puts, registers
 *   interp_choose.c   which instruction set's loop an instruction takes
 *   interp_steps.c    instructions that become steps of one
 *   interp_block.c    one block: places bound, loops called, values put
 *   interp_move.c     strided two-dimensional copies
 *   interp_map.c      how a map is cut into blocks
 *   interp_tile.c     the same where operands' fast axes differ
 *   interp_cut.c      how a reduction is cut
 *   interp_reduce.c   how it runs, its partial results joined
 *   interp_rows.c     chunks along the reduced index, one kept element each
 *   interp_columns.c  chunks walked row by row, many kept elements at once
 *   interp_scan.c     how a scan is cut, how it runs
 *   interp_scan_columns.c  scans of many kept elements at once, row by row
 *
 * A compiled stage is immutable; everything that changes while it runs lies in
 * the scratch memory of the threads that run it. */
#ifndef GA_CPU_INTERP_H
#define GA_CPU_INTERP_H

#include <stdatomic.h>
#include <stdint.h>

#include "codegen/codegen.h"
#include "lib/util/pool.h"
#include "loops.h"

enum {
  GA_CHUNK = 1024,                  /* of DESIGN.md, "Order of a reduction" */
  GA_TINY = 32,                     /* rows up to here are joined many at once */
  GA_ROW = 128,                     /* to which longer ones are joined first */
  GA_MANY = 1 << 17,                /* elements that no cache near the processor holds */
  GA_TURN_AHEAD = 2 * GA_TURN_EDGE, /* rows that are asked for before they are turned */
  GA_MARKED = 31,                   /* folds of a stage that can be decided before others */
  GA_NOPLACE = ~0u
};

/* at[dst] = fn(at[src[0]], ...), or all steps on at[src[0]]. */
typedef struct ga_instr {
  ga_loop fn; /* NULL: steps */
  ga_steps run;
  unsigned char step[GA_STEPS];
  unsigned int dst, nsrc, src[GA_STEPS + 1];
  unsigned int only; /* the bit of the one fold that it is computed for; 0: for more */
} ga_instr;

/* Elements of an operand, or of the iota, as a block needs them. */
typedef struct ga_access {
  int operand; /* -1: the iota */
  unsigned int place;
  size_t size; /* bytes of an element */
  int once;    /* every block sees the same ones */
  int alone;   /* steps read the one element of a block, which is not spread */
  int turned;  /* gathered by tiles, elsewhere */
  /* Axes [contig, nd) of the code lie without gaps: `run` elements. */
  unsigned int contig;
  size_t run;
  const ssize_t *strides; /* over all axes of the layout */
  intptr_t base;          /* the iota's first value */
} ga_access;

/* A value stored to an operand. */
typedef struct ga_put {
  ga_access to;
  int direct; /* computed where it is to lie, when that is without gaps */
} ga_put;

typedef struct ga_const {
  unsigned int place, param;
  size_t size;
  int alone; /* steps read one, not a block of them */
} ga_const;

typedef struct ga_code {
  unsigned int nd;   /* a range runs over axes [0, nd) */
  unsigned int nall; /* a position has axes [0, nall) */
  size_t dims[GA_MAXND];
  size_t inner[GA_MAXND]; /* elements of a range per step of axis k < nd */
  size_t block;           /* elements that a register holds */
  unsigned int nplace, ninstr, nload, nput, nconst;
  ga_instr *instrs;
  ga_access *loads;
  ga_put *puts;
  ga_const *consts;
  size_t *reg;          /* [nplace]: register's offset in bytes, or (size_t)-1 */
  unsigned char *fixed; /* [nplace]: bound once, for all blocks */
  size_t bytes;         /* of all registers */
} ga_code;

/* What a code is made from and for. `strides` are the exec's. */
typedef struct ga_compile {
  const ga_stage *st;
  const ga_layout *l;
  ssize_t (*strides)[GA_MAXND]; /* [noperand + 1], the last one the iota's */
  int level;                    /* parity of the nodes: 0 all axes, 1 kept ones */
  unsigned int nd;
  size_t block;
  int far;                    /* what is read is beyond the cache */
  const unsigned char *moves; /* [nall]: blocks begin at several places of axis k */
  unsigned int whole;         /* a block runs over axes from this one on at the most */
  unsigned int nresult;       /* nodes wanted besides those stored */
  const int *results;
  unsigned int *places;  /* [nresult]: their places */
  unsigned int *reduced; /* [nreduction]: places of the reductions' results, for
                            level 1; GA_NOPLACE where unused */
} ga_compile;

/* What a place holds. */
enum { GA_PLACE_TEMP, GA_PLACE_LOAD, GA_PLACE_CONST, GA_PLACE_KEPT, GA_PLACE_FOREIGN };

/* What is known of a code in the making. */
typedef struct ga_fusing {
  const int *op;              /* [ninstr]: GA_OP_*, 0: another */
  const enum ga_dtype *dtype; /* [nplace] */
  const unsigned char *kind;  /* [nplace] */
  const unsigned char *kept;  /* [nplace]: is stored or a result */
  int far, reduced;           /* arrays are beyond the cache; there are results */
  unsigned int whole;         /* as a compile's */
} ga_fusing;

/* Instructions that follow each other become steps of one (interp_steps.c). */
int ga_code_fuse_steps(ga_code *c, const ga_fusing *what);

/* The loop of a cast of place `from`, and of node n's operation on places src (interp_choose.c). */
ga_loop ga_code_cast(const ga_fusing *w, unsigned int from, enum ga_dtype to);
ga_loop ga_code_op(const ga_fusing *w, const ga_node *n, unsigned int nsrc,
                   const unsigned int *src);

int ga_code_make(ga_code *c, const ga_compile *what);
void ga_code_clear(ga_code *c);

/* The loops of what reads memory beyond the cache (`far`) and computes little: AMD's processors
 * read it a third slower by vectors of 64 bytes than by those of 32. */
const ga_loops *ga_far_loops(int far);

/* ---- running code ------------------------------------------------------------ */

/* The elements of one evaluation: the `n` that follow position `pos` in C order
 * over the code's axes, or, when rows > 0, the box of `rows` steps along row_axis
 * times n/rows along col_axis from there. */
typedef struct ga_block {
  size_t n, rows;
  unsigned int row_axis, col_axis;
  size_t pos[GA_MAXND];
} ga_block;

/* A thread's state for one code. */
typedef struct ga_frame {
  const ga_code *code;
  void *const *addr;
  void **buf;        /* [nplace]: where a value goes that needs room */
  const void **at;   /* [nplace]: where the present block's value is */
  size_t once;       /* elements gathered so far by the loads that are `once` */
  int stream;        /* stores go around the cache */
  unsigned int skip; /* bits of folds that are decided: what is for them alone is not computed */
  int far;           /* loads come from beyond it: memory is asked for ahead, ... */
  int own;           /* lines that are written are asked for first */
} ga_frame;

/* ... where blocks follow each other within long runs, or anyway. */
enum { GA_NEAR, GA_FAR_RUNS, GA_FAR_ALL };

size_t ga_frame_size(const ga_code *c);

/* `mem`: ga_frame_size() bytes at a multiple of 64. Numbers fill their registers
 * as far as blocks of `n` elements need; with `same`, where the memory is as this
 * code left it, those that are there already are left alone. */
void ga_frame_init(ga_frame *f, const ga_code *c, void *mem, int same, void *const *addr,
                   const ga_value *params, size_t n);

/* Sends a result's values to `to`, unless they are fixed or lie in an array. */
void ga_frame_aim(ga_frame *f, unsigned int place, void *to);

/* Asks for the memory that the block at `b` and those on the rows - 1 next steps of the axis
 * would read in place, into the second cache. */
void ga_frame_prefetch(const ga_frame *f, const ga_block *b, size_t rows, unsigned int axis);

/* The address of the element at `pos`; for the iota, its value. */
uintptr_t ga_frame_address(const ga_frame *f, const ga_access *a, const size_t *pos);

/* Where the code stores the values of `place` on block b, when it does nothing else and they lie
 * there without gaps; else NULL. */
void *ga_frame_target(const ga_frame *f, unsigned int place, const ga_block *b);

/* Runs the code on a block. */
void ga_frame_eval(ga_frame *f, const ga_block *b);

/* The position of element `i` of the code's axes. */
void ga_code_position(const ga_code *c, size_t *pos, uint64_t i);

/* dst[i][j] = src[i][j]; n1 x n0 elements, strides in bytes. */
void ga_cpu_move(size_t size, size_t n1, size_t n0, void *dst, ssize_t d1, ssize_t d0,
                 const void *src, ssize_t s1, ssize_t s0);

/* memcpy that leaves dst out of the cache. */
void ga_cpu_stream(void *dst, const void *src, size_t n);

/* ---- a compiled stage ---------------------------------------------------------- */

/* A map's blocks: `step` steps of axis `first`, each a whole row of `row` elements
 * over the axes after it. Or tiles: of step steps of axis `first` by `cols` of the
 * last one, whose rows are the blocks, or where they are short several of them. */
typedef struct ga_map {
  unsigned int first;
  size_t step, row;
  size_t nstep;      /* along axis `first` */
  size_t cols;       /* 0: not tiled */
  size_t ncol;       /* tiles along the last axis */
  size_t rows;       /* of a tile that are a block */
  size_t tile_bytes; /* memory for turned tiles */
  uint64_t nblock;   /* blocks, or tiles */
  size_t piece;      /* of them that a thread takes at a time; 0: one thread does all */
  int own;           /* as a frame's */
} ga_map;

/* One reduction of a stage. */
typedef struct ga_fold {
  ga_tree tree;
  ga_combine combine;
  ga_abreast abreast;   /* columns: eight rows at once; NULL: two by two */
  ga_short_rows shorts; /* for rows of 2 to GA_CHUNK elements; NULL: none */
  size_t size;          /* bytes of an accumulator's value */
  size_t from;          /* bytes of a value to reduce: fewer where narrow integers are summed */
  int index;            /* argmin, argmax: an int64 beside it */
  size_t second;        /* bytes of what is beside it: an index, a moment's sum */
  ga_moment_join weigh; /* moments, instead of combine */
  ga_loop lift;         /* moments: what is beside the sum of one element */
  /* argmin, argmax: the least or greatest value of a chunk alone, which is much
   * faster, and whether src[0], met later, is behind src[1]; NULL: there is none. */
  ga_tree extreme;
  ga_loop behind;
  ga_loop equal; /* a value that is not equal to itself, NaN, leads for good */
  /* Indices that count along the reduced index, up or down, or along long runs of it, are not made
   * but found; NULL: made. */
  ga_find find;
  /* They count up (1), or down (-1), so that the last of equal values is found, or evenly along
   * the last reduced axis alone (0), in each run of which one is found. */
  int way;
  /* For reductions that no order changes: many kept elements at once. The rake's
   * accumulators, of `raked` bytes, are then cast to the reduction's. */
  ga_rake rake;
  size_t raked;
  ga_loop settle;
  unsigned int value, iota; /* places of the reduced values, in pre */
  unsigned int result;      /* place of what post reads, or GA_NOPLACE */
  int free;                 /* no order changes it, and its tree takes any number of elements */
  int ends;                 /* the value of a bool that none later changes; -1: there is none */
  ga_value empty;           /* over nothing */
} ga_fold;

/* How a reduction is cut. A unit is some kept elements, reduced together:
 *   rows     `tile` of them in C order; `rows` whole ones at a time, or 0 where
 *            one makes several chunks
 *   columns  `tile` of them along the last kept axis; blocks of `rows` rows
 * and `chunks` chunks, an aligned power of two, are one piece of work for a unit,
 * or several units are one piece. */
typedef struct ga_cut {
  int columns;
  int raked;   /* columns: row after row, as no fold depends on the order */
  int at_once; /* columns: the rows of eight segments are joined by one loop */
  size_t tile, rows;
  size_t block; /* elements of a block at most */
  size_t chunk; /* reduced elements that one tree joins */
  size_t row;   /* columns: extent of the last kept axis */
  size_t nunit, nchunk;
  size_t group; /* rows: chunks that are evaluated and joined together */
  int far;      /* as a frame's */
  int lined;    /* rows: values that lie in place are read in line before a tree reads them */
  int abreast;  /* rows: a chunk of all the unit's before the next; columns: of all units */
  int levels;   /* of the tree over all chunks, and one more */
  double unit_cost;
} ga_cut;

/* Whether columns, of rows of so many bytes, ask for memory ahead: GA_FAR_ALL or GA_NEAR. */
int ga_columns_far(const ga_cut *c, size_t bytes);

/* A scan: how it is cut. A unit is a row, `whole` rows that make one block, or
 * (columns) `cols` kept elements along the last kept axis. Where there are too few
 * units a piece of work is one tile of one unit. */
typedef struct ga_scan_cut {
  int exclusive;
  ga_scan_loop loop;
  ga_free_scan free;        /* instead of loop where no order changes the values; else NULL */
  ga_value identity, first; /* first: what an exclusive scan begins with */
  int columns;
  size_t whole, cols;
  size_t block; /* elements of a block at most; columns: rows times cols */
  size_t rows;  /* columns: of a block at most */
  uint64_t nunit, ntile;
  double unit_cost;
} ga_scan_cut;

typedef struct ga_exec {
  uint64_t id; /* no other in this process has it, not even later */
  unsigned int nk, nr;
  size_t dims[GA_MAXND];
  uint64_t kept, reduced;
  unsigned int noperand;
  ssize_t (*strides)[GA_MAXND]; /* [noperand + 1]: the last one the iota's */
  /* The same over the layout's axes: of those that are kept pre may have joined some. */
  ssize_t (*post_strides)[GA_MAXND];
  ga_code pre, post;
  ga_map map;
  ga_cut cut;
  int64_t first_index; /* of the reduced index, for folds that find theirs */
  ga_scan_cut scan;    /* loop not NULL: the one fold is a scan */
  unsigned int nfold;  /* 0: a map */
  ga_fold *folds;
} ga_exec;

/* A thread's memory for one reduction; pairs are values and indices. */
typedef struct ga_fold_state {
  char *acc[2];          /* [tile] the unit's results */
  char *whole[2];        /* rows: a chunk's values, put together from several blocks */
  char *stack[2];        /* chunk results that wait for their neighbours */
  char *quad[2];         /* tiny rows turned; columns: some rows of a chunk, ... */
  char *fours[2];        /* ... every four of them joined; accumulators of a rake */
  char *leaf[7][2];      /* ... blocks on their way there */
  const char *row[4][2]; /* columns: where the quad's first rows are, if not there */
  const void *at[8][2];  /* where the joined blocks are */
  ga_value best[2];      /* rows: the leading value and index so far */
  int leads;             /* there is one */
} ga_fold_state;

typedef struct ga_reducer {
  const ga_exec *e;
  ga_frame pre, post;
  ga_fold_state *state; /* [nfold] */
} ga_reducer;

/* Reduce kept elements [k, k+n), one unit or part of it, over chunks
 * [begin, end) into the states' acc. */
void ga_rows_unit(ga_reducer *w, uint64_t k, size_t n, size_t begin, size_t end);
void ga_columns_unit(ga_reducer *w, uint64_t k, size_t n, size_t begin, size_t end);

/* The accumulators of n kept elements from those of a rake over rows from reduced
 * index r on. */
void ga_fold_settle(const ga_exec *e, const ga_fold *f, size_t n, char *const *to,
                    char *const *raked, uint64_t r);

static inline void ga_fold_join(const ga_fold *f, size_t n, char *to, char *toi, const char *l,
                                const char *li, const char *r, const char *ri)
{
  void *acc[2] = {to, toi};
  const void *left[2] = {l, li}, *right[2] = {r, ri};
  f->combine(n, acc, left, right);
}

/* The same where moments may be: each accumulator on the left is of `nl` elements, each
 * on the right of `nr`. */
static inline void ga_fold_weigh(const ga_fold *f, size_t n, char *to, char *toi, const char *l,
                                 const char *li, const char *r, const char *ri, uint64_t nl,
                                 uint64_t nr)
{
  void *acc[2] = {to, toi};
  const void *left[2] = {l, li}, *right[2] = {r, ri};
  if (f->weigh != NULL)
    f->weigh(n, acc, left, right, nl, nr);
  else
    f->combine(n, acc, left, right);
}

/* Marks the instructions of pre that are for one fold alone, which may be decided early. */
void ga_fold_mark(ga_exec *e);

/* Elements a block should have, so that all it touches stays in the first-level
 * cache: what is loaded, numbers, and three values on their way. */
size_t ga_code_block(const ga_exec *e, const ga_stage *st);

/* The node is a cast that some sum does without, as all others do. */
int ga_fold_undone(const ga_exec *e, const ga_stage *st, int node);

int ga_map_make(ga_exec *e, const ga_stage *st, const ga_layout *l);
/* interp_tile.c: cuts the map into tiles, if it should be (returns 1); marks the
 * loads that tiles gather; runs tiles [begin, end), with tile_bytes at `mem`. */
int ga_tile_cut(ga_exec *e, const ga_stage *st, const ga_layout *l);
void ga_tile_mark(ga_exec *e);
void ga_tile_run(ga_frame *f, const ga_exec *e, char *mem, uint64_t begin, uint64_t end);
int ga_map_run(const ga_exec *e, void *const *addr, const ga_value *params);
int ga_reduce_make(ga_exec *e, const ga_stage *st, const ga_layout *l);
int ga_reduce_run(const ga_exec *e, void *const *addr, const ga_value *params);

int ga_scan_make(ga_exec *e, const ga_stage *st, const ga_layout *l);
int ga_scan_run(const ga_exec *e, void *const *addr, const ga_value *params);

/* A thread's memory for one scan. */
typedef struct ga_scanner {
  const ga_exec *e;
  ga_frame pre, post;
  char *value; /* [block]: a block's values, scanned, if not where they are to be stored */
  char *state; /* columns: [GA_SCAN_LEVELS][cols]; else 4 */
  char *tiny;  /* for rows of up to GA_TINY elements */
} ga_scanner;

/* Scans `rows` rows of `row` elements each, 1 <= row <= GA_TINY, which lie one after the other
 * at `from`, to `value`, which may be there; mem: ga_scan_tiny_size() bytes. */
size_t ga_scan_tiny_size(size_t size, size_t rows, size_t row);
void ga_scan_tiny(const ga_exec *e, size_t rows, size_t row, char *value, const char *from,
                  char *mem);

/* Where the block's scanned values go: to the array, if they may, else to w->value. */
char *ga_scan_aim(ga_scanner *w, const ga_block *b);

/* What a column's state is made of: the spans before, the tiles of the span, the chunks
 * of the tile, the segments of the chunk; the aligned 1, 2, 4, 8, 16 groups before; what
 * the group is joined to; the group so far; and one for use. */
enum {
  GA_SCAN_SPANS,
  GA_SCAN_TILES,
  GA_SCAN_CHUNKS,
  GA_SCAN_SEGMENTS,
  GA_SCAN_GROUPS,
  GA_SCAN_BASE = 9,
  GA_SCAN_GROUP,
  GA_SCAN_SPARE,
  GA_SCAN_LEVELS
};

/* Scans the kept elements [k, k + cols) from row `begin`, a multiple of GA_SCAN_TILE,
 * to `end`; the state's spans are set. Without `write` only the state moves on. */
void ga_scan_columns(ga_scanner *w, uint64_t k, size_t cols, uint64_t begin, uint64_t end,
                     int write);

/* The calling thread's scratch memory, at least `size` bytes at a multiple of 64,
 * valid until its next call; NULL when there is none. `same` says whether the
 * same exec had it last. */
void *ga_cpu_scratch(const ga_exec *e, size_t size, int *same);

#endif
