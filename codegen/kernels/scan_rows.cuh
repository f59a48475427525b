/* SPDX-License-Identifier: MIT */
/* What a kernel of scan_rows.cu or scan_beside.cu is given, and what a warp and a block have of a
 * row: a lane's group is of GA_VEC elements, a warp's segment of 32 groups, its chunk of 8
 * segments, a block's tile of 8 chunks. */
struct ga_params {
  GA_OPERANDS(GA_POINTER)
  ga_uint *ticket; /* units begun, looked back, loaded, and 1 unused; statuses: tiles, spans */
  ga_ulong units, reduced, words; /* words: of 8 bytes, at `ticket` */
  ga_div inner; /* units of a row; where rows are side by side, rows */
  ga_axes<GA_NK> kept_axes;
  ga_axes<GA_NR> scanned_axes;
  ga_uint lanes, side, tiles, spans; /* tiles: units of a row; spans: of one */
  ga_uint step[GA_NOP];
  GA_NUMBERS(GA_NUMBER)
};

#define GA_SEGMENT (32 * GA_VEC) /* elements */
#define GA_CHUNK (8 * GA_SEGMENT)
#define GA_TILE (8 * GA_CHUNK)
