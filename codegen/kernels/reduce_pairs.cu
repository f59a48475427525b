/* SPDX-License-Identifier: MIT */
/* Reduce, where no operand moves along both of two kept axes, x and y: each element that is read
 * is of many results. A block has a tile of those, a thread GA_VEC along x by as many along y. What
 * operands have for some numbers of the reduced axis, a stage, is copied to shared memory, from
 * where a thread joins GA_VEC elements of an operand with as many of another.
 *
 * The order of DESIGN.md joins the bits of a number in its chunk as 9 8 7 0 1 6 5 4 3 2. Turns are
 * numbers in that order: bit 0 of a turn is the bit that is joined first. Four or eight turns, a
 * unit, are joined in registers, units as a binary counter carries. A stage has its turns in the
 * order of their numbers, of which four are neighbours.
 *
 *   distances of 4096 and 4096 points, 40 numbers each: a tile is 64 x 64; a chunk is padded to
 *   64, bits 0 1 5 4 3 2. Turns 0 to 3 are numbers 0 to 3, a unit, turns 4 to 7 numbers 32 to 35;
 *   those of turns 12 to 15, 48 to 51, do not exist.
 *
 * GA_ALONG_X: bit i: operand i moves along x; others may along y. GA_LENGTHWISE: bit i: neighbours
 * along the reduced axis are in operand i. GA_XBITS: log2 of a block's threads along x.
 * GA_STAGE, GA_UNIT: turns of a stage and of a unit. GA_HIGH: how many of bits 9 8 7 there are.
 * GA_WHOLE 1: units exist as a whole or not at all. GA_DEPTH: bits of the units' number. */
#define GA_IS_ALONG_X(i) ((GA_ALONG_X >> (i) & 1) != 0)
#define GA_IS_LENGTHWISE(i) ((GA_LENGTHWISE >> (i) & 1) != 0)
#define GA_TILE_X (GA_VEC << GA_XBITS)
#define GA_TILE_Y (GA_VEC * (GA_BLOCK >> GA_XBITS))
#define GA_SIDE(i) (GA_IS_ALONG_X(i) ? GA_TILE_X : GA_TILE_Y)
/* Bytes from turn to turn: neighbours of both kinds are in different banks. */
#define GA_PITCH(i, T) (GA_SIDE(i) * (int)sizeof(T) + 16)

struct ga_params {
  GA_OPERANDS(GA_POINTER)
  ga_index reduced, width, height; /* along x, y */
  ga_div tiles_x, tiles_y;
  ga_axes<GA_NK> kept_axes;        /* but for x and y */
  ga_offset x_step[GA_NOFF], y_step[GA_NOFF], row_step[GA_NOFF];
  ga_uint low, stages;             /* bits of a chunk's numbers from 2 to 6; stages of a chunk */
  ga_uint area[GA_NOP];            /* where operands are in shared memory */
  GA_NUMBERS(GA_NUMBER)
};

/* The results of a thread, those of a row along x side by side. */
struct GA_ALIGN(16) ga_square {
  ga_sub v[GA_VEC * GA_VEC];
};

GA_FN ga_square ga_combine(const ga_square &a, const ga_square &b) {
  ga_square r;
#pragma unroll
  for (int k = 0; k < GA_VEC * GA_VEC; k++) r.v[k] = ga_combine(a.v[k], b.v[k]);
  return r;
}

GA_FN ga_square ga_no_square() {
  ga_square r;
#pragma unroll
  for (int k = 0; k < GA_VEC * GA_VEC; k++) r.v[k] = ga_narrow(ga_identity());
  return r;
}

/* The last n <= 5 bits of x, turned round. */
GA_FN ga_uint ga_turn_bits(ga_uint x, ga_uint n) {
  ga_uint r = 0;
#pragma unroll
  for (int b = 0; b < 5; b++) r |= (x >> b & 1) << (4 - b);
  return r >> (5 - n);
}

/* Where turn t of a stage is in it. */
GA_FN ga_uint ga_slot(ga_uint t) {
  const ga_uint high = t & ((1u << GA_HIGH) - 1), rest = t >> (GA_HIGH + 2);
  return (t >> GA_HIGH & 3) | high << 2 | rest << (GA_HIGH + 2);
}

/* The number in its chunk of what is at `slot` of stage s. */
GA_FN ga_uint ga_number(const ga_params &P, ga_uint s, ga_uint slot) {
  const ga_uint high = slot >> 2 & ((1u << GA_HIGH) - 1);
  const ga_uint rest = (s * GA_STAGE + slot) >> (GA_HIGH + 2);
  return (slot & 3) | ga_turn_bits(high, GA_HIGH) << 7 | ga_turn_bits(rest, P.low) << 2;
}

/* A block's results: the first one's place, how many there are along x and y. */
struct ga_tile {
  ga_place at;
  ga_index width, height;
};

GA_FN ga_tile ga_tile_at(const ga_params &P, ga_index n) {
  const ga_index rest = ga_quotient(n, P.tiles_x), outer = ga_quotient(rest, P.tiles_y);
  const ga_index x = (n - rest * P.tiles_x.d) * GA_TILE_X;
  const ga_index y = (rest - outer * P.tiles_y.d) * GA_TILE_Y;
  ga_tile tile;
  tile.at = ga_seek(P.kept_axes, outer);
  tile.width = P.width - x;
  tile.height = P.height - y;
#pragma unroll
  for (int o = 0; o < GA_NOFF; o++)
    tile.at.off[o] += (ga_offset)x * P.x_step[o] + (ga_offset)y * P.y_step[o];
  return tile;
}

/* Copies stage s of the chunk from number `first` on. What does not exist is the last that does. */
GA_FN void ga_fetch_stage(const ga_params &P, const ga_tile &tile, ga_index first, ga_uint s,
                          char *held) {
#define X(i, T)                                                                               \
  {                                                                                           \
    const ga_offset step = GA_IS_ALONG_X(i) ? P.x_step[i] : P.y_step[i];                      \
    const ga_index some = GA_IS_ALONG_X(i) ? tile.width : tile.height;                        \
    const char *from = P.a##i + tile.at.off[i];                                               \
    char *to = held + P.area[i];                                                              \
    _Pragma("unroll 4") for (ga_uint e = threadIdx.x; e < GA_STAGE * GA_SIDE(i);              \
                             e += GA_BLOCK) {                                                 \
      ga_uint n = e % GA_SIDE(i), slot = e / GA_SIDE(i);                                      \
      if (GA_IS_LENGTHWISE(i)) { /* lanes: a unit of four results */                          \
        const ga_uint four = e / GA_UNIT, units = GA_STAGE / GA_UNIT;                         \
        slot = e % GA_UNIT + four / 4 % units * GA_UNIT;                                      \
        n = four % 4 + four / 4 / units * 4;                                                  \
      }                                                                                       \
      const ga_index r = first + ga_number(P, s, slot);                                       \
      *(T *)(to + slot * GA_PITCH(i, T) + n * (ga_uint)sizeof(T)) =                           \
          ga_load<T>(from + ((ga_offset)(n < some ? n : some - 1) * step +                    \
                             (ga_offset)(r < P.reduced ? r : P.reduced - 1) * P.row_step[i])); \
    }                                                                                         \
  }
  GA_INPUTS(X)
#undef X
}

/* The thread's part of what all operands have for a turn. */
struct ga_turn {
#define X(i, T) ga_vec<T, GA_VEC> x##i;
  GA_INPUTS(X)
#undef X
};

/* A unit, of which turn 0 is at `slot` and has number r. WHOLE: it lacks none. */
template <bool WHOLE>
GA_FN ga_square ga_fold_unit(const ga_params &P, const char *held, ga_uint slot, ga_index r) {
  const ga_uint x = threadIdx.x & ((1u << GA_XBITS) - 1), y = threadIdx.x >> GA_XBITS;
  return ga_join_leaves<GA_UNIT>([&](int n) {
    const ga_uint t = ga_turn_bits((ga_uint)n, GA_UNIT == 8 ? 3 : 2), at = slot + ga_slot(t);
    const bool exists = WHOLE || r + ga_number(P, 0, ga_slot(t)) < P.reduced;
    ga_square a;
    ga_turn f;
#define X(i, T)                                                                           \
  f.x##i = ga_load_aligned<T, GA_VEC>(held + P.area[i] + at * GA_PITCH(i, T) +             \
                                      (GA_IS_ALONG_X(i) ? x : y) * GA_VEC * (ga_uint)sizeof(T));
    GA_INPUTS(X)
#undef X
#pragma unroll
    for (int k = 0; k < GA_VEC * GA_VEC; k++) {
      ga_in in;
#define X(i, T) in.x##i = f.x##i.v[GA_IS_ALONG_X(i) ? k % GA_VEC : k / GA_VEC];
      GA_INPUTS(X)
#undef X
      a.v[k] = ga_narrow(ga_leaf_or_none(P, in, 0, exists));
    }
    return a;
  });
}

GA_FN void ga_finish(const ga_params &P, const ga_tile &tile, const ga_square &a) {
  const ga_uint x = (threadIdx.x & ((1u << GA_XBITS) - 1)) * GA_VEC;
  const ga_uint y = (threadIdx.x >> GA_XBITS) * GA_VEC;
  const ga_index some = x >= tile.width ? 0 : tile.width - x < GA_VEC ? tile.width - x : GA_VEC;
#pragma unroll
  for (int m = 0; m < GA_VEC; m++) {
    ga_place at = tile.at;
    ga_acc all[GA_VEC];
    if (y + m >= tile.height) break;
#pragma unroll
    for (int o = 0; o < GA_NOFF; o++)
      at.off[o] += (ga_offset)x * P.x_step[o] + (ga_offset)(y + m) * P.y_step[o];
#pragma unroll
    for (int k = 0; k < GA_VEC; k++) all[k] = ga_widen(a.v[m * GA_VEC + k]);
    ga_finish_beside<1>(P, at, P.x_step, all, 0, (int)some);
  }
}

extern "C" __global__ void __launch_bounds__(GA_BLOCK, GA_MIN_BLOCKS)
ga_kernel(const __grid_constant__ ga_params P) {
  GA_ENTER();
  extern __shared__ ga_vec<ga_uint, 4> ga_held[];
  char *held = (char *)ga_held;
  const ga_tile tile = ga_tile_at(P, (ga_index)blockIdx.x);
  ga_square stack[GA_DEPTH], a;
  ga_uint n = 0;
#pragma unroll 1
  for (ga_index first = 0; first < P.reduced; first += 1024)
#pragma unroll 1
    for (ga_uint s = 0; s < P.stages; s++) {
      __syncthreads();
      ga_fetch_stage(P, tile, first, s, held);
      __syncthreads();
#pragma unroll 1
      for (ga_uint t = 0; t < GA_STAGE; t += GA_UNIT, n++) {
        const ga_uint slot = ga_slot(t);
        const ga_index r = first + ga_number(P, s, slot);
        const ga_index last = r + ga_number(P, 0, ga_slot(GA_UNIT - 1));
        ga_square *w = stack;
        if (r >= P.reduced)
          a = ga_no_square();
        else if (GA_WHOLE || last < P.reduced)
          a = ga_fold_unit<true>(P, held, slot, r);
        else
          a = ga_fold_unit<false>(P, held, slot, r);
#pragma unroll 1
        for (ga_uint k = n; k & 1; k >>= 1, w++) a = ga_combine(*w, a);
        *w = a;
      }
    }
  a = ga_no_square();
#pragma unroll 1
  for (ga_square *w = stack; n; n >>= 1, w++)
    if (n & 1) a = ga_combine(*w, a);
  ga_finish(P, tile, a);
}
