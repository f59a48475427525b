/* SPDX-License-Identifier: MIT */
/* What kernels of tiles are given (map_tile.cu, map_turn.cu): x is the output's innermost
 * axis, y the one that crossed operands are fast along.
 *
 * The generator supplies besides what operands.cuh says:
 *   GA_CROSSED(X)   X(i, T) for each operand that goes by way of shared memory
 *   GA_DIRECT(X)    the other inputs
 */
struct ga_params {
  GA_OPERANDS(GA_POINTER)
  ga_ulong nx, ny;
#if GA_IOTA
  ga_long iota_base;
#endif
  ga_div tiles_x, tiles_y;
  ga_axes<GA_NK> axes; /* but for x and y */
  ga_offset x_step[GA_NOFF], y_step[GA_NOFF];
  GA_NUMBERS(GA_NUMBER)
};

#define GA_WARPS (GA_BLOCK / 32)
