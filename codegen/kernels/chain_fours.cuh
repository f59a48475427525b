/* SPDX-License-Identifier: MIT */
/* The fours of a chain's rows (chain_rows.cu): where they lie, how a lane reads those
 * it has, all in flight together, and how it writes what the map makes of them.
 * chain_rows.cu says what GA_WHOLE and GA_FOURS are.
 *
 * Rows that are one run of memory but not aligned are read, and written, as aligned
 * vectors that lanes shift across each other (chain_shift.cuh).
 */
#define GA_CHUNK 1024
#ifndef GA_CHUNKS /* of a row, at most: those of registers are as many as there are warps */
#define GA_CHUNKS (GA_HELD || !GA_TEAM ? 128 : GA_THREADS / 32 * GA_CLUSTER)
#endif
#define GA_LINE (GA_VECTOR && GA_NR == 1) /* a row is one run of memory */

struct ga_params {
  GA_OPERANDS(GA_POINTER)
  ga_ulong units, reduced;
#if GA_IOTA
  ga_long iota_base, iota_step;
#endif
  ga_axes<GA_NK> kept_axes;
  ga_axes<GA_NR> reduced_axes;
  ga_uint cut;    /* the innermost reduced axis is no multiple of 4 */
  ga_uint spaced; /* log2 of the rows between those of neighbours (chain_staged.cuh) */
  ga_uint step[GA_NOP];
  GA_NUMBERS(GA_NUMBER)
};

/* ---- loads ------------------------------------------------------------------ */

/* Whether operand i is another from element to element of a row. */
GA_FN bool ga_moves(const ga_params &P, int i) { return GA_MOVES || P.step[i]; }

GA_FN ga_place ga_at(const ga_params &P, const ga_place &row, ga_index r) {
#if GA_LINE
  ga_place at = row;
#define X(i, T) at.off[i] += ga_moves(P, i) ? (ga_offset)(r * (ga_index)sizeof(T)) : 0;
  GA_INPUTS(X)
#undef X
#define X(i, T) at.off[i] += (ga_offset)(r * (ga_index)sizeof(T));
  GA_OUTPUTS(X)
#undef X
  return at;
#else
  return ga_at(P.reduced_axes, row, r);
#endif
}

/* Element r, the j-th of its four: what level L reads first. */
template <int L>
GA_FN void ga_load_one(const ga_params &P, const ga_place &row, ga_index r, ga_four &f, int j) {
  const ga_place at = ga_at(P, row, r);
#define X(i, T) \
  if (ga_at##i == L) f.x##i.set(j, ga_load<T>(P.a##i + at.off[i]));
  GA_INPUTS(X)
#undef X
}

/* Whether the four from element r on is whole, and lie side by side. */
GA_FN bool ga_is_four(const ga_params &P, ga_index r) {
#if GA_WHOLE == 2
  return true;
#elif GA_WHOLE
  return r < P.reduced;
#else
  if (r + GA_WIDTH > P.reduced) return false;
#if GA_VECTOR && GA_NR > 1
  if (P.cut) return ga_in_row(r, P.reduced_axes.dim[P.reduced_axes.n - 1]);
#endif
  return GA_VECTOR;
#endif
}

/* Whether a warp's chunk is whole. GA_CUTS: such chunks have a text of their own, for to ask for
 * each element costs as much as it does. (Where elements of 4 bytes stay in registers two texts are
 * slower than one that asks.) */
GA_FN bool ga_is_chunk(const ga_params &P, ga_index r) {
  return (r / GA_CHUNK + 1) * GA_CHUNK <= P.reduced;
}

/* Which of a four's elements a lane has as its j-th (chain_staged.cuh). */
GA_FN int ga_in_turn(int j) {
#if GA_TURN
  return j ^ (int)(threadIdx.x / GA_TURN & (GA_WIDTH - 1));
#else
  return j;
#endif
}

template <int L>
GA_FN void ga_load_four(const ga_params &P, const ga_place &row, ga_index r, ga_four &f) {
#if GA_VECTOR
  const ga_place at = ga_at(P, row, r);
#define X(i, T)                                            \
  if (ga_at##i == L) {                                     \
    if (!ga_moves(P, i))                                   \
      f.x##i.fill(ga_load<T>(P.a##i + at.off[i]));         \
    else if (GA_ALIGNED)                                   \
      f.x##i.load(P.a##i + at.off[i]);                     \
    else                                                   \
      f.x##i.take(ga_load_any<T, GA_WIDTH>(P.a##i + at.off[i]));  \
  }
  GA_INPUTS(X)
#undef X
#endif
}

#if GA_STAGED
/* chain_staged.cuh */
#elif GA_LINE && !GA_ALIGNED

/* What level L reads first of this lane's fours from element r on. */
template <int L>
GA_FN void ga_load_fours(const ga_params &P, const ga_place &row, ga_index r,
                         ga_four (&f)[GA_FOURS]) {
  const ga_lane lane = ga_lane_of(GA_LANES);
#define X(i, T)                                                                   \
  if (ga_at##i == L) {                                                            \
    ga_vec<T, 4> v[GA_FOURS];                                                     \
    if (ga_moves(P, i))                                                           \
      ga_shifted<T, sizeof(T) <= 4>::load(P.a##i + row.off[i] + (ga_offset)(r * sizeof(T)), lane, \
                                          r, P.reduced, v);                       \
    else                                                                          \
      _Pragma("unroll") for (int c = 0; c < GA_FOURS; c++)                        \
        v[c] = ga_splat<T, 4>(ga_load<T>(P.a##i + row.off[i]));                   \
    _Pragma("unroll") for (int c = 0; c < GA_FOURS; c++) f[c].x##i.take(v[c]);    \
  }
  GA_INPUTS(X)
#undef X
}

#else

/* The same, as far as they exist: whole ones first, all in flight together; then,
 * rarely, those that an end cuts, by elements. */
template <int L>
GA_FN void ga_load_fours(const ga_params &P, const ga_place &row, ga_index r,
                         ga_four (&f)[GA_FOURS]) {
#pragma unroll
  for (int c = 0; c < GA_FOURS; c++)
    if (ga_is_four(P, r + c * GA_PITCH)) ga_load_four<L>(P, row, r + c * GA_PITCH, f[c]);
#if !GA_WHOLE
  if (GA_VECTOR && !(GA_NR > 1 && P.cut) && ga_is_four(P, r + (GA_FOURS - 1) * GA_PITCH)) return;
#pragma unroll 1
  for (int c = 0; c < GA_FOURS && r + c * GA_PITCH < P.reduced; c++) {
    ga_four e;
    if (ga_is_four(P, r + c * GA_PITCH)) continue;
#pragma unroll
    for (int j = 0; j < GA_WIDTH; j++)
      if (r + c * GA_PITCH + j < P.reduced) ga_load_one<L>(P, row, r + c * GA_PITCH + j, e, j);
#pragma unroll
    for (int d = 0; d < GA_FOURS; d++)
      if (d == c) {
#define X(i, T) \
  if (ga_at##i == L) f[d].x##i = e.x##i;
        GA_INPUTS(X)
#undef X
      }
  }
#endif
}

#endif

/* ---- the map ------------------------------------------------------------------ */

#if GA_MAPS && !GA_STAGED

/* The map of a four that is whole. */
GA_FN void ga_map_four(const ga_params &P, const ga_place &row, ga_index r, ga_four &f,
                       const ga_kept &kept) {
  const ga_place at = ga_at(P, row, r);
  ga_out out[GA_WIDTH];
  ga_load_four<GA_MAP>(P, row, r, f);
#pragma unroll
  for (int j = 0; j < GA_WIDTH; j++) ga_map(P, f.get(j), kept, out[j]);
#define X(i, T) GA_STORE(i, T, GA_WIDTH)
  GA_OUTPUTS(X)
#undef X
}

/* Of one that is not: elements. */
GA_FN void ga_map_ones(const ga_params &P, const ga_place &row, ga_index r, ga_four &f,
                       const ga_kept &kept) {
#pragma unroll
  for (int j = 0; j < GA_WIDTH; j++) {
    ga_out out;
    if (r + j >= P.reduced) continue;
    const ga_place at = ga_at(P, row, r + j);
    ga_load_one<GA_MAP>(P, row, r + j, f, j);
    ga_map(P, f.get(j), kept, out);
#define X(i, T) ga_store<T>(P.a##i + at.off[i], out.y##i);
    GA_OUTPUTS(X)
#undef X
  }
}

#if GA_LINE && !GA_STORE_VEC

/* What the map alone reads, as far as elements r to r+3 exist. */
GA_FN void ga_load_map(const ga_params &P, const ga_place &row, ga_index r, ga_four &f) {
  if (ga_is_four(P, r)) {
    ga_load_four<GA_MAP>(P, row, r, f);
    return;
  }
#pragma unroll
  for (int j = 0; j < 4; j++)
    if (r + j < P.reduced) ga_load_one<GA_MAP>(P, row, r + j, f, j);
}

GA_FN void ga_map_fours(const ga_params &P, const ga_place &row, ga_index r,
                        ga_four (&f)[GA_FOURS], const ga_kept &kept, bool exists) {
  const ga_lane lane = ga_lane_of(GA_LANES);
  ga_out out[GA_FOURS][4];
#pragma unroll
  for (int c = 0; c < GA_FOURS; c++) {
    ga_load_map(P, row, r + c * GA_PITCH, f[c]);
#pragma unroll
    for (int j = 0; j < 4; j++) ga_map(P, f[c].get(j), kept, out[c][j]);
  }
#define X(i, T)                                                                   \
  {                                                                               \
    ga_vec<T, 4> v[GA_FOURS];                                                     \
    _Pragma("unroll") for (int c = 0; c < GA_FOURS; c++)                          \
      _Pragma("unroll") for (int j = 0; j < 4; j++) v[c].v[j] = out[c][j].y##i;   \
    ga_shifted<T, sizeof(T) <= 4>::store(P.a##i + row.off[i] + (ga_offset)(r * sizeof(T)), lane, \
                                         r, P.reduced, v, exists);                \
  }
  GA_OUTPUTS(X)
#undef X
}

#else

GA_FN void ga_map_fours(const ga_params &P, const ga_place &row, ga_index r,
                        ga_four (&f)[GA_FOURS], const ga_kept &kept, bool exists) {
  if (!exists) return;
#pragma unroll
  for (int c = 0; c < GA_FOURS; c++)
    if (ga_is_four(P, r + c * GA_PITCH)) ga_map_four(P, row, r + c * GA_PITCH, f[c], kept);
#if !GA_WHOLE
#pragma unroll 1
  for (int c = 0; c < GA_FOURS && r + c * GA_PITCH < P.reduced; c++) {
    ga_four e;
    if (ga_is_four(P, r + c * GA_PITCH)) continue;
#pragma unroll
    for (int d = 0; d < GA_FOURS; d++)
      if (d == c) e = f[d];
    ga_map_ones(P, row, r + c * GA_PITCH, e, kept);
  }
#endif
}

#endif

#endif
