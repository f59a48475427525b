/* SPDX-License-Identifier: MIT */
/* Inside the generator: what is decided about a kernel once, in variant.c, and
 * then printed (gen_text.c, gen_header.c, gen_map.c, gen_reduce.c, gen_chain.c) and packed
 * (gen_launch.c, gen_params.c, gen_params_scan.c).
 *
 * The fields above the line are the variant: they, the dtypes and the nodes are
 * all that text depends on. Their ranges bound the number of kernels that one
 * stage can have, whatever shapes, strides and addresses come (tests/check_variants):
 *
 *   CONTIG   (aligned, vec 2) 3 * store_vec 2 * 2^inputs that stay; stepped: store_vec 2; bytes
 *                                                                         = 6 * 2^inputs + 3
 *   INNER    nk 5 * wide 2 * gaps 2 * apart 2 * (aligned 2 * store_vec 2 * exact 2 + exact of
 *            another vec 4 + bytes) * 2^inputs that stay, if values are kept = 520 * 2^inputs
 *   FLAT     nk 5 * wide 2 * aligned 2 * store_vec 2 * (shorter, stepped 3) 4
 *            * (4^inputs kinds of inputs; laps 2 * 4^inputs)               = 480 * 4^inputs
 *            (of functions of two bytes laps around an axis too: 320 * 4^inputs more)
 *   STRIDED  nk 5 * wide 2 * bytes 2 * gaps 2                              =  40
 *   TILE     nk 5 * wide 2 * (bytes, vec 3 or tall 2) 6 * 3^inputs kinds of inputs
 *                                                                         =  60 * 3^inputs
 *   TURN     nk 5 * wide 2 * aligned 2 * store_vec 2 * (vec 2, skew 2, height 2) 8
 *            * (3^inputs - 1) kinds of inputs                             = 320 * (3^inputs - 1)
 *   CROSS    nk 5 * wide 2 * 24^inputs orders * boxes (powers of two, or whole axes) * vec 3
 *            * (aligned, words) 3: not in the bound, as what long
 *            axes have of a box does not depend on them, and few have short ones
 *   RUNS     nk 5 * wide 2 * aligned 2 * store_vec 2 * boxes (whole axes, powers of two, or
 *            equal parts of some sectors), cuts and images, which are not in the bound either: what
 *            rows and lines begin with modulo 32 bytes, and steps of short axes, tell them
 *   LAID     nk 5 * wide 2 * aligned 2 * store_vec 2 * words 2 * (exact, alike) 3 * short axes 22
 *            * 3^inputs that go by shared memory, move or stand still, and parts of the long axis,
 *            which are not in the bound: of another one they are some sectors longer or
 *            shorter, or all of a short one
 *   PLANES   nk 5 * wide 2 * aligned 2 * store_vec 2 * channels 7
 *            * 3^inputs * 2^outputs kinds of operands       = 280 * 3^inputs * 2^outputs
 *   ROWS     nk 5 * nr 5 * wide 2 * (aligned 2, agrees, stretches) 4 * whole 2 * form (short 3; in
 *            order: warp 2, of few chunks last 6, block 3, dealt 3, spans 3; in none: loads 8
 *            * (rows 3, warp 3, block 3, spans 3)) 116 * 2^inputs sets of inputs that move
 *                                                                         = 46400 * 2^inputs
 *            in long pieces: nk 5 * nr 4 * wide 2 * (aligned, agrees) 3 * loads 8 * (warp 3,
 *            block 3, spans 3) 9 * 6^inputs steps, none, or still         = 8640 * 6^inputs,
 *            which are not in the bound: few shapes have such pieces
 *            short and off vectors: a chain that is staged: nk 5 * wide 2 * (whole, piece) 8
 *            * moves 2 * lanes 52                                        = 8320 * 2^inputs
 *            with late inputs: nk 5 * wide 2 * (aligned 2, agrees) 3 * whole 2 * form (short
 *            5, others 17) 22 * 3^inputs that move, or late               = 1320 * 3^inputs
 *            staged, several rows a thread: nk 5 * wide 2 * (whole, piece) 8 * lanes 52
 *            * rows 3 * 3^inputs staged, read again, or neither          = 12480 * 3^inputs
 *            by slots: nk 5 * nr 5 * wide 2 * (aligned 2, agrees) 3 * form (short 4, others 6) 10
 *            * 2^inputs                                                   = 1500 * 2^inputs
 *            in no order, with steps: nk 5 * wide 2 * (aligned 2, agrees) 3 * whole 2 * loads 8
 *            * (warp 3, block 3, spans 3) 72 * 4^inputs steps or none     = 4400 * 4^inputs
 *   GATHER   nk 5 * nr 5 * wide 2 * bytes 2 * whole 2 * form 12            = 2400
 *   CHAIN    nk 5 * nr 5 * wide 2 * (aligned 2 * store_vec 2 * whole 3 * moves 2 + bytes 2)
 *            * form (lanes 10, of longer rows 20, a block 3, a cluster 3, halves of chunks
 *            13, two chunks a warp 8) 57                                  = 74100
 *            and staged: nk 5 * wide 2 * (whole, piece) 8 * moves 2 * form (lanes 52, of 2 to 8
 *            rows a thread 24, a block or a cluster 4, of long rows 6, halves 13) 99 * 2^inputs
 *            sets of staged inputs                                       = 15840 * 2^inputs
 *            and some row by row, or with steps: nk 5 * wide 2 * (whole, piece; with steps whole)
 *            14 * moves 2 * form (lanes 52, a block or a cluster 4) 56 * 3^operands
 *                                                                        = 15680 * 3^operands
 *            and abreast: wide 2 * whole 3 * moves 2 * form (lanes 72) * abreast 4
 *            * threads 2 * 2^inputs; argmin and argmax: * falls 2         = 7000 * 2^inputs
 *   CHAIN_COLUMNS nk 5 * wide 2 * bytes 2 * whole 3 * vec 4 * form (lanes 5 * fours 8 * across 9,
 *            a lane a column: fours 8 * across and groups 45, chunks 3 * across 8, clusters 7
 *            * lanes 2 * fours 8 * across 3) 1080
 *            * columns of one axis or not 2
 *            * 3^operands sets of lengthwise and ragged ones              = 518400 * 3^operands
 *            and tiled: nk 5 * wide 2 * whole 3 * form (of 2 bytes: lanes 4 * fours 16; fewer of 4
 *            and 8) 64 * columns of one axis or not 2                     =  3840
 *   CHAIN_BOXES nk 5 * wide 2 * boxes and places, which are not in the bound, as CROSS's are not
 *   COLUMNS  nk 5 * nr 5 * wide 2 * (loads 4 * (vector; else vec 3 + bytes) + tail) * whole 2
 *            * (a chunk or more) 2 * 2^inputs sets of inputs that move    = 4200 * 2^inputs
 *   ROWS, GATHER, COLUMNS, NARROW, BOXES * 2^inputs sets of inputs that stand still
 *   NARROW   nk 5 * wide 2 * (loose, folded or not 2, else flat 2) 4       =  40
 *            of results' axes 2: nk 5 * wide 2 * (loose, else flat 2) 3    =  60
 *            with gaps behind rows of lines: wide 2 * loose 2              =   4
 *            and loose with steps: nk 5 * wide 2 * loads 3 * 5^inputs, also of results' axes
 *                                                                         =  90 * 5^inputs
 *            (the bound has the 40: few shapes have such columns)
 *   GROUPS   wide 2 * (aligned: store_vec 2; else one) 3 * resident 2      =  12
 *   DOWN     nk 5 * wide 2 * loads 4 * (loose, else fours 5) 6 * vec 4
 *            * (aligned 2 * store_vec 2 + 1) * 2^inputs that move           = 4800 * 2^inputs
 *            with steps: nk 5 * wide 2 * loads 4 * (loose, else fours 5) 6 * vec 4 * 5^inputs
 *            steps, none, or still                                         = 960 * 5^inputs
 *            (both with steps: no more than 2500 * 4^inputs of four inputs and fewer)
 *            woven: wide 2 * woven 6 * vec 4 * store_vec 2 * 2^inputs       = 96 * 2^inputs
 *   BOXES    nk 5 * nr 5 * wide 2 * (loads 4, more chunks) 5 * 2^inputs sets of copied
 *            inputs                                                        = 250 * 2^inputs
 *   REDUCE_CROSS nk 5 * nr 5 * wide 2 * (aligned 2, stepped) 3 * whole 2 * (rows that are kept, or
 *            short, or in no order: loads 4 each; of whole chunks, or others 2) 14 * 2^inputs
 *            crossed inputs * 2^inputs of those walked as one             = 4200 * 4^inputs
 *   WALKS    nk 5 * nr 5 * wide 2 * aligned 2 * boxes (powers of two, or whole short axes) and how
 *            operands lie in them: not in the bound, as of CROSS
 *   PAIRS    nk 5 * wide 2 * store_vec 2 * xbits 5 * (stage 4, high 3, deep) 8 * (whole 2, unit 2;
 *            not all) 3 * 2^inputs sets that move along x * 2^inputs of lengthwise ones
 *                                                                         = 2400 * 4^inputs
 *   SCAN_ROWS     nk 5 * nr 5 * wide 2 * (vector: aligned 2 * store_vec 2 * moves 2;
 *                 else bytes 2) * form (short, warp 3, block, tiles: turns 3, vec 2) 10 = 5000
 *                 and with steps: nk 5 * wide 2 * aligned 2 * store_vec 2 * moves 2 * form 10
 *                 * 4^inputs steps, or none                               = 800 * 4^inputs
 *                 and copied: nk 5 * wide 2 * aligned 2 * store_vec 2 * moves 2 * tiles 3 = 240
 *                 and turned: nk 5 * nr 5 * wide 2 * (vector: aligned 2 * store_vec 2 * moves 2;
 *                 else one) 9 * form (warp, block, tiles: turns 3) 5       = 2250
 *                 and as rows lie: nk 5 * wide 2 * aligned 2 * store_vec 2 * vec 3 * form
 *                 (warp, block) 2                                          = 240
 *                 and along rows: nk 5 * wide 2 * (copied 3: aligned 2 * store_vec 2; turned:
 *                 nr 5 * store_vec 2) 22 * vec 3 * turns 2                 = 1320
 *   SCAN_BESIDE   nk 5 * nr 5 * wide 2 * store_vec 2 * rows 3 * turns 3 * words 2
 *                 * 2^inputs sets of inputs that are fast across rows      = 1800 * 2^inputs
 *   SCAN_BYTES    wide 2 * (short: loads 4; long: loads 4 * warps 8)        =  72
 *   SCAN_COLUMNS  nk 5 * wide 2 * (vec 3: aligned 2 * store_vec 2 * moves 2; else
 *                 bytes 2 * strips 2) * form 2                             = 560
 *   SCAN_TALL     nk 5 * wide 2 * (vec 2: aligned 2 * store_vec 2 * moves 2; else
 *                 bytes 2) * across 3 * copied 2                           = 1080
 *   SCAN_BOXES    wide 2 * form 3 * skewed 4 * 2^operands that are outside =  24 * 2^operands
 *   SCAN_SHEETS   nk 5 * wide 2 * axes 2 * (short: levels 6; along) 7      = 140
 *   SCAN_LONG     wide 2 * vec 2 * segments 6 * skewed 3 * threads 2       = 144
 *   SCAN_CROSS, SCAN_CROSS_LONG  nk 5 * wide 2 * boxes, and how they lie in shared memory:
 *                 not in the bound, as of CROSS
 *   (a scan whose columns can be words, scan_words.c: those of the words' dtypes too)
 *
 * A rank of n is one of 1, 2, 3, up to 8, up to 64; a stage of three axes meets
 * nk + nr of three at the most, and so a tenth of it. */
#ifndef GA_GEN_H
#define GA_GEN_H

#include "codegen.h"
#include "layout.h"

#define GA_BLOCK      256         /* threads of a block; prelude.cuh */
#define GA_TALL_ROWS  32          /* of a thread; scan_tall.cu */
#define GA_APART_ROWS 8           /* of a block; map_inner.cu */
#define GA_ARGS_MAX   32764       /* bytes of parameters a kernel may have */
#define GA_GRID_MAX   0x7fffffffu /* blocks along x */

#define GA_MAP_VARIANTS(inputs) \
  (563 + 6 * (1 << (inputs)) + 320 * ((1 << (inputs)) - 1) + 1100 * (1 << 2 * (inputs)))
#define GA_REDUCE_VARIANTS(inputs)                                    \
  ((46400 + 1500 + 3120 + 4200 + 250 + 4800 + 96) * (1 << (inputs)) + \
   (3000 + 2400 + 4400 + 2500 + 1320 + 12480) * (1 << 2 * (inputs)) + 2400 + 40 + 12)

enum ga_skeleton {
  GA_SKEL_CONTIG,
  GA_SKEL_INNER,
  GA_SKEL_FLAT,
  GA_SKEL_STRIDED,
  GA_SKEL_TILE,
  GA_SKEL_TURN,
  GA_SKEL_CROSS,
  GA_SKEL_RUNS,
  GA_SKEL_LAID,
  GA_SKEL_PLANES,
  GA_SKEL_ROWS,
  GA_SKEL_COLUMNS,
  GA_SKEL_NARROW,
  GA_SKEL_DOWN,
  GA_SKEL_GROUPS,
  GA_SKEL_BOXES,
  GA_SKEL_REDUCE_CROSS,
  GA_SKEL_WALKS,
  GA_SKEL_PAIRS,
  GA_SKEL_CHAIN,
  GA_SKEL_CHAIN_COLUMNS,
  GA_SKEL_CHAIN_BOXES,
  GA_SKEL_SCAN_ROWS,
  GA_SKEL_SCAN_BESIDE,
  GA_SKEL_SCAN_BYTES,
  GA_SKEL_SCAN_COLUMNS,
  GA_SKEL_SCAN_TALL,
  GA_SKEL_SCAN_BOXES,
  GA_SKEL_SCAN_SHEETS,
  GA_SKEL_SCAN_LONG,
  GA_SKEL_SCAN_CROSS,
  GA_SKEL_SCAN_CROSS_LONG
};

enum ga_form { GA_FORM_SHORT, GA_FORM_WARP, GA_FORM_BLOCK, GA_FORM_TILES, GA_FORM_ALONG };

#define GA_WAYS_MAX    16       /* operands of SCAN_CROSS */
#define GA_NO_AXIS     GA_MAXND /* what a box has not */
#define GA_LONG_PIECES 2        /* of rows: walked as rows are (reduce_slabs.cuh) */

/* Fields of PAIRS besides those named: along, cross: x and y; boxed, linear: bit i: operand i moves
 * along x, is lengthwise; loads, rows: turns of a stage and of a unit; fours: high; ybits: low;
 * steps: stages; tiles_x, tiles_y; groups: units (reduce_pairs.cu).
 *
 * Of WALKS: box, box_extent: axes, the walked one, others that are reduced (steps: so many in all),
 * kept ones; width: columns; nrows: sides; xbits: GA_SPLIT; whole: GA_ALIKE; box_end: GA_RESULTS;
 * groups, tiles: boxes of kept and of reduced axes; each: of a unit (reduce_walks.cu). */
typedef struct ga_variant {
  enum ga_skeleton skeleton;
  int wide;            /* 64-bit indices and offsets */
  int bytes;           /* elements are read and written byte by byte */
  int iota;            /* some node asks for its position */
  int vec;             /* elements of a vector */
  int aligned;         /* what moves with the vectors lies on them */
  int store_vec;       /* so do all outputs */
  int exact;           /* INNER, LAID: rows are whole vectors */
  int shorter;         /* FLAT: rows may be shorter than a vector */
  int stepped;         /* CONTIG: some input has steps; FLAT: GA_STEPS of map_flat.cu;
                        * REDUCE_CROSS: some operand's rows are not one element apart */
  int laps;            /* FLAT: vectors of a thread, ... */
  unsigned int around; /* ... which are steps along this axis apart */
  int keeps;           /* maps: what is made once of what stays (gen_kept.h), along x, ... */
  int by_laps;         /* ... or FLAT: along that axis */
  int by_bytes;        /* CONTIG, INNER, FLAT, ROWS, CHAIN: four at once (kernels/bytes.cuh) */
  int apart;           /* INNER: blocks go along all rows first */
  int gaps;            /* INNER, STRIDED: rows of outputs cut sectors of memory */
  int tall;            /* TILE: squares that a block does along y */
  int height;          /* TURN: elements of a tile along y */
  int skew;            /* TURN, RUNS: elements that rows are cut at multiples of */
  unsigned int beside; /* RUNS: rows that are taken together; 1: none are */
  int channels;        /* PLANES: of the short axis */
  int vector;          /* reductions: neighbours are loaded together */
  unsigned int nk, nr; /* bounds of ranks: 1, 2, 3, 8, 64 */
  enum ga_form form;
  int cross;         /* TILE, TURN, REDUCE_CROSS: the axis along which crossed operands are fast;
                        PLANES: c */
  int along;         /* PLANES: x */
  unsigned int nbox; /* CROSS, CHAIN_BOXES: axes of a box, innermost first (RUNS, LAID: as their
                      * kernels have them), GA_NO_AXIS behind them, its extents (the powers of two
                      * they were taken from), and threads side by side along them */
  unsigned int box[4], box_bits[4], box_extent[4], box_lanes[4];
  unsigned int band[4];              /* log2 of the boxes of a band */
  unsigned int first;                /* operand that vectors are aligned to */
  unsigned char words[GA_WAYS_MAX];  /* SCAN_CROSS: log2 of bytes that operand i's lines lie on, */
  unsigned char merges[GA_WAYS_MAX]; /* ... that two axes of it do, + 8; 0: they have gaps */
  int narrow;                        /* ROWS: inputs of 2 bytes an element at most */
  int skewed;                        /* SCAN_BOXES, SCAN_LONG: GA_SKEW of scan_boxes.cuh */
  int fours;              /* of a lane: ROWS SHORT, CHAIN; DOWN: of rows, that are held */
  int rows;               /* ROWS SHORT, CHAIN: of a thread; SCAN_BESIDE: of a block */
  int loads;              /* COLUMNS, DOWN: rows a thread loads at once; SCAN_ROWS: groups;
                           * SCAN_BYTES: parts of 512 bytes of a warp */
  int across;             /* SCAN_TALL, CHAIN_COLUMNS: lanes side by side */
  int hold, turns;        /* SCAN_ROWS: scan_groups.cuh; tiles of a unit */
  int side;               /* SCAN_ROWS: rows are side by side (scan_tiles.cuh) */
  unsigned int ahead;     /* SCAN_ROWS: units that are loaded at a time, 0: all (scan_tiles.cuh) */
  int copied;             /* SCAN_ROWS, SCAN_TALL: scan_slots.cuh; 2, 3: scan_turned.cuh */
  int loose;              /* NARROW, DOWN, REDUCE_CROSS: results do not tell the order */
  int woven;              /* DOWN: elements of a column, which lie side by side; 0: along rows */
  uint64_t boxed;         /* FLAT, BOXES, REDUCE_CROSS, WALKS, CHAIN_BOXES: operand i is copied;
                           * SCAN_BESIDE: it is fast across the rows */
  uint64_t outside;       /* SCAN_BOXES: bit i: operand i is not copied; scan_boxes.cuh */
  int single;             /* SCAN_BOXES: boxes are one column each, what is outside lying across */
  uint64_t linear;        /* REDUCE_CROSS: bit i: reduced axes of operand i are walked as one */
  int kept_rows;          /* REDUCE_CROSS: the axis along which operands cross is kept */
  int agrees;             /* ROWS: all begin at the place of their vectors that `first` begins at;
                           * LAID: all rows of it do at the same */
  int last;               /* ROWS: fours of the last chunk where rows have few, 0: not known */
  int dealt;              /* ROWS: warps take runs of chunks in turn */
  int slab;               /* ROWS: elements that give the widest input 16 bytes */
  int pieces;             /* ROWS: 1: walked by slots (reduce_pieces.cuh), or GA_LONG_PIECES */
  int stretches;          /* ROWS: chunks often lie in one piece of several axes */
  int chunks;             /* ROWS: of a warp: 1, 32, 1024; COLUMNS, BOXES: of a column */
  uint64_t repeats;       /* ROWS, CHAIN: bit i: rows of input i that follow each other are one */
  uint64_t still;         /* bit i: input i does not move along the reduced axes; maps: along x */
  unsigned int tail;      /* COLUMNS: log2 of a reduced axis inside the columns, 0: none */
  unsigned int resident;  /* reductions: blocks of a multiprocessor to leave room for */
  int team;               /* CHAIN: a block a row */
  int held;               /* CHAIN: in shared memory, */
  unsigned int places;    /* ... of accumulators of so many chunks at most */
  int halves;             /* CHAIN: a warp has half a chunk */
  int whole;              /* ROWS, COLUMNS: 1, CHAIN: 2: no lane lacks an element, 1: fours are;
                           * CROSS, LAID: lines begin where words do;
                           * SCAN_BESIDE: small elements of rows beside each other are words */
  int moves;              /* CHAIN, scans: no input is the same all along a row of vectors */
  uint64_t staged;        /* CHAIN: bit i: operand i goes by way of shared memory, ... */
  uint64_t by_row;        /* ... row by row, ... */
  int spread;             /* ... as far as rows' elements lie apart; 0: they are neighbours */
  uint64_t lengthwise;    /* CHAIN_COLUMNS: bit i: fours of operand i are vectors, ... */
  uint64_t ragged;        /* ... or neighbours at least (NARROW, ROWS, DOWN, SCAN_ROWS: bit i:
                           * operand i has a GA_STEP of kernels/steps.cuh), */
  int turned;             /* ... which so many of a thread's fours change places for; */
  unsigned int axes;      /* ... kept axes of columns that lie side by side */
  uint64_t tiled;         /* CHAIN_COLUMNS: bit i: operand i goes by way of shared memory, ... */
  unsigned int common;    /* ... in tiles that have so many columns in common with the next */
  unsigned int place[4];  /* CHAIN_BOXES: bytes from one to the next along each axis, ... */
  unsigned int row_axes;  /* ... those of a row, 4 bits each, the innermost in the lowest, ... */
  unsigned int box_order; /* ... which are in the input's order so, 4 bits each, ... */
  unsigned int lines_apart, line_lanes; /* ... go from line to line (bit k: axis k), of 2^n threads
                                         * that copy one, ... */
  unsigned int runs;                    /* ... and so many of them are a run of the result */
  int falls;                            /* CHAIN: positions do, along a row */
  int piece;            /* CHAIN: elements of a row that lie together as vectors: 1, 2, 4 */
  int abreast;          /* CHAIN: rows beside each other; 1 + log2 of 2, 4, 8 in them */
  unsigned int threads; /* CHAIN: of a block, at most */
  unsigned int cluster; /* CHAIN: blocks of a row */
  /* ---------------------------------------------------------------------- */
  uint64_t head, nvec, nsingle; /* CONTIG, FLAT */
  uint64_t lap, hop;            /* FLAT: map_flat.cu; steps of the axis in a lap */
  uint64_t slots;               /* INNER: of a row; ROWS: of a piece */
  uint64_t walked;              /* ROWS: elements of a row, by slots where it has them */
  uint64_t again;               /* INNER: bit k: axis k goes inside the others */
  uint64_t tiles_x, tiles_y;    /* TILE, TURN, PLANES */
  uint64_t units, each, spans;  /* reductions; FLAT: threads that have vectors, elements of a group;
                                 * each: RUNS: GA_SPLIT */
  unsigned int spaced;          /* CHAIN: log2 of rows between those of neighbouring lanes */
  unsigned int lanes;           /* ROWS SHORT, CHAIN: log2 of the lanes of a row */
  uint64_t tiles, groups;       /* COLUMNS: of a row, of all kept axes; scans */
  unsigned int xbits, ybits, zbits, steps, chunk_rows, bit[10]; /* COLUMNS: reduce_columns.cu */
  uint64_t line; /* NARROW: reduce_narrow.cuh; REDUCE_CROSS: from row to row, in elements */
  unsigned int flat, lines, nrows, width, pitch, slip, tickets;
  unsigned int like;   /* SCAN_SHEETS: the input whose place the output that is boxed takes */
  unsigned int fold;   /* NARROW: columns that are of a result, if more than one */
  unsigned int parted; /* NARROW: kept axes that are one of all that is read, if more than one */
  uint64_t padded;     /* NARROW, of one: columns of a row with the gap behind it, 0: none */
  unsigned int box_end, groups_end; /* BOXES: bytes of shared memory before the groups, the stack */
  size_t shared;      /* bytes. CHAIN: of a row; NARROW: of a pass; SCAN_ROWS: of a unit */
  unsigned int block; /* threads */
  uint64_t grid;      /* blocks */
} ga_variant;

/* PAIRS: bytes of shared memory before operand i's. */
size_t ga_pairs_area(const ga_variant *v, const ga_stage *st, unsigned int i);

/* Tickets and statuses of a scan's tiles, in words of 4 bytes. */
size_t ga_scan_tickets(const ga_variant *v, const ga_stage *st, const ga_layout *l);

int ga_variant_choose(ga_variant *v, const ga_stage *st, const ga_layout *l,
                      const unsigned char *align, const ga_target *target);

/* The bound that stands for rank n. */
unsigned int ga_rank_bound(unsigned int n);

/* PLANES: how an operand lies along x and c. */
enum ga_weave { GA_WEAVE_WOVEN, GA_WEAVE_PLANES, GA_WEAVE_EVEN, GA_WEAVE_OTHER };
enum ga_weave ga_weave_of(const ga_layout *l, const ga_stage *st, unsigned int i, int x, int c);

/* FLAT: how threads have an input (map_flat.cu). */
enum ga_way { GA_WAY_DENSE, GA_WAY_WALKED, GA_WAY_STILL, GA_WAY_EVEN, GA_WAY_STAGED };
enum ga_way ga_way_of(const ga_variant *v, const ga_layout *l, const ga_stage *st, unsigned int i);

/* FLAT: bytes of shared memory that the groups of a block take of input i. */
unsigned int ga_flat_stage(const ga_variant *v, const ga_stage *st, unsigned int i);

/* Marks the nodes that `roots` need: use[i] is set to 1. Reductions end a walk. */
void ga_nodes_reach(unsigned char *use, const ga_stage *st, int node);

/* Which operands are read before and after the reductions, and written. A map
 * has no `outer`. Arrays of noperand, calloc'ed as one block in `in`. */
typedef struct ga_uses {
  unsigned char *in, *outer, *out;
  unsigned char *before, *after; /* [nnode] */
} ga_uses;

int ga_uses_make(ga_uses *u, const ga_stage *st);
void ga_uses_clear(ga_uses *u);

/* chain_levels.c: whether a stage is a chain's (codegen.h), how many reductions it
 * does one after the other, and when it reads what. */
int ga_is_chain(const ga_stage *st);
int ga_chain_levels(const ga_stage *st);

/* Of operand: the first and the last level that reads it, -1 for none. Row by row
 * ones (outer): the level after which they are read or written. */
typedef struct ga_chain_reads {
  int *at, *last;
} ga_chain_reads;

int ga_chain_reads_make(ga_chain_reads *r, const ga_stage *st);
void ga_chain_reads_clear(ga_chain_reads *r);

/* Bytes and alignment of a dtype in kernels. */
size_t ga_device_size(enum ga_dtype dtype);

/* Members of the accumulator in order: calls member(arg, dtype, name, i). */
typedef void (*ga_member_fn)(void *arg, enum ga_dtype dtype, char name, unsigned int i);
void ga_acc_members(const ga_stage *st, ga_member_fn member, void *arg);
size_t ga_acc_size(const ga_stage *st);
size_t ga_sub_size(const ga_stage *st); /* inside a chunk */
int ga_narrows(const ga_stage *st);     /* some sum is of 32 bits there */

/* A sum of integers of 16 bits at most, in 64: a chunk's part fits 32. */
int ga_is_narrow_sum(const ga_stage *st, const ga_reduction *r);

/* Whether scanned extremes of float64 are whole numbers of their order: a GPU joins two by four
 * instructions, where the floats take eleven. */
int ga_is_ranked(const ga_stage *st, const ga_reduction *r);

/* The order of the elements cannot be told from the result. */
int ga_reduction_is_free(const ga_reduction *r);

/* Nor from any of a stage's, which carry no position but argmin's or argmax's alone. */
int ga_stage_is_free(const ga_stage *st);

/* argmin or argmax alone, of an operand of 1 or 2 bytes an element as it is. */
int ga_has_keys(const ga_stage *st);

/* All are sums of operands of whole numbers of 16 bits at most, as they are. */
int ga_sums_narrow(const ga_stage *st);

/* The one reduction sums whole numbers of a byte that kernels/bytes.cuh makes of such. */
int ga_sums_bytes(const ga_stage *st);

/* It asks whether any or all are true of what that makes of bytes, of more than one operand. */
int ga_asks_bytes(const ga_stage *st);

/* The least or greatest element of an operand of whole numbers of 16 bits at most is all that is
 * sought. */
int ga_seeks_extreme(const ga_stage *st);
int ga_seeks_extremes(const ga_stage *st); /* or both */

/* A scan of words that hold several numbers (scan_words.c): what takes the place of a stage and
 * its layout, of which it has what is not its own. */
typedef struct ga_scan_words {
  ga_stage st;
  ga_layout l;
  ga_node nodes[2];
  ga_operand operands[2];
  ga_reduction reduction;
  ssize_t strides[2][GA_MAXND];
} ga_scan_words;

/* Puts such a stage and layout, in `w`, in the place of a scan that can be one. */
void ga_scan_by_words(ga_scan_words *w, const ga_stage **st, const ga_layout **l,
                      const unsigned char *align);

/* gen_text.c: an error when one of what a generator was given is NULL. */
int ga_gen_given(const void *res, const ga_stage *st, const ga_layout *l,
                 const unsigned char *align, const ga_target *target);

/* What a kernel uses of the scalar functions: the sum of those whose files
 * (scalar_files.def) are more than empty for it. */
enum {
  GA_USES_ALL = 1,
  GA_USES_HALF = 2,
  GA_USES_INT = 4,
  GA_USES_FLOAT = 8,
  GA_USES_COMPLEX = 16,
  GA_USES_CAST = 32,
  GA_USES_MATH = 64,
  GA_USES_REDUCE = 128,
  GA_USES_HYPOT = 256,
  GA_USES_COMPLEX_MATH = 512
};

/* The definitions that say which scalar functions the kernel has; returns what it
 * uses; gen_use.c. */
unsigned int ga_gen_use(ga_str *s, const ga_stage *st);

/* A function of real or complex numbers from a maths library, or hypot. */
int ga_needs_math(const ga_stage *st, const ga_node *node);

/* CHAIN: a division of floats by what their row has one of, kept.d<node> (scalar_half.cuh,
 * ga_divisor; scalar_float.cuh, ga_long_divisor; quotient.cuh, ga_wide_divisor). */
int ga_divides_row(const ga_stage *st, const ga_node *node);

/* Whether there is such a division of float64 (kernels/quotient.cuh). */
int ga_divides_wide(const ga_stage *st);

/* Prints the marked nodes as declarations v<node>. */
void ga_gen_nodes(ga_str *s, const ga_stage *st, const unsigned char *use, int after);
/* The same of four elements of a byte in a word (kernels/bytes.cuh). */
void ga_gen_fours(ga_str *s, const ga_stage *st, const unsigned char *use);

/* A map of nothing but what there is for those, which compares: sums and products of bytes by
 * themselves need no signs, and take as many instructions. */
int ga_maps_bytes(const ga_stage *st);

/* Whether kernels/bytes.cuh has what a node does. */
int ga_is_of_bytes(const ga_stage *st, const ga_node *node);
void ga_gen_map(ga_str *s, const ga_stage *st, const ga_uses *u, const ga_variant *v);
void ga_gen_splice(ga_str *s, const ga_stage *st);
void ga_gen_reduce(ga_str *s, const ga_stage *st, const ga_uses *u, const ga_variant *v);

/* GA_BYTE_SUM, or GA_BYTE_ASKED, and what is summed of four elements in words, or asked for; `use`:
 * nodes before the reduction. */
void ga_gen_leaf_four(ga_str *s, const ga_stage *st, const unsigned char *use);

/* GA_EXTREME: X(i, T), the operand whose least or greatest element is all that is sought, of whole
 * numbers of 1 and 2 bytes; GA_GREATEST: which of them; GA_EXTREME_SIGNED: whether there are
 * negative ones; GA_BOTH: X(m, end) for each member where both are (`both`). */
void ga_gen_extreme(ga_str *s, const ga_stage *st, int both);

/* argmin's or argmax's values: ga_value, which of two goes before, and their keys. */
void ga_gen_best(ga_str *s, const ga_stage *st);

/* gen_reduce_words.c. GA_NARROW_SUMS: X(i, m, square) for each member, the sum of operand i or of
 * its squares. GA_KEYS: 1 of whole numbers, 2 of floats; how their bits are ranked
 * (reduce_keys.cuh). */
void ga_gen_narrow_sums(ga_str *s, const ga_stage *st);
void ga_gen_keys(ga_str *s, const ga_stage *st);
int ga_gen_chain(ga_str *s, const ga_stage *st, const ga_variant *v);

/* Elements carry values from level to level. */
int ga_chain_carries(const ga_stage *st);

/* Elements more than it has that a row takes in shared memory, where rows lie apart and the
 * smallest element has so many bytes: what lies before it in a vector, and an odd number of
 * vectors. */
size_t ga_chain_slack(size_t least);

/* ga_stage.h, all of it. */
int ga_gen_header(ga_str *s, const ga_stage *st, const ga_layout *l, const ga_variant *v);

/* "#define <name>(X)", with X(i, T) for each operand that `in` marks, NULL: all. */
void ga_gen_list(ga_str *s, const ga_stage *st, const char *name, const unsigned char *in);
void ga_gen_numbers(ga_str *s, const ga_stage *st);

#endif
