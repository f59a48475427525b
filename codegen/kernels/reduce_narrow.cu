/* SPDX-License-Identifier: MIT */
/* The kernel of reduce_narrow.cuh: a unit is a span of the rows of a tile. */
GA_FN void ga_finish(const ga_params &P, const ga_place &at, const ga_acc &acc) {
  ga_outer outer;
  ga_out out;
#ifdef GA_FOLDS
#define GA_AT(i) (P.a##i + (at.off[i] + (ga_offset)threadIdx.x * P.result_step[i]))
#elif defined(GA_PARTED)
#define GA_AT(i) (P.a##i + at.off[i])
#else
#define GA_AT(i) (P.a##i + (at.off[i] + (ga_offset)threadIdx.x * P.inner_step[i]))
#endif
#define X(i, T) outer.x##i = ga_load<T>(GA_AT(i));
  GA_OUTERS(X)
#undef X
  ga_post(P, acc, outer, out);
#define X(i, T) ga_store<T>(GA_AT(i), out.y##i);
  GA_OUTPUTS(X)
#undef X
}

/* Tile number `n` of all outer elements. */
GA_FN ga_tile ga_tile_at(const ga_params &P, ga_index n) {
  const ga_index outer = ga_quotient(n, P.tiles);
  const ga_ulong column = (ga_ulong)(n - outer * P.tiles.d) * P.width.d;
  ga_tile tile;
  tile.at = ga_seek(P.kept_axes, outer);
  tile.width = (ga_uint)(P.inner - column < P.width.d ? P.inner - column : P.width.d);
#pragma unroll
  for (int o = 0; o < GA_NOFF; o++) tile.at.off[o] += (ga_offset)column * P.inner_step[o];
  tile.before = 0;
#define X(i, T)        \
  if ((i) == GA_FIRST) \
    tile.before = (ga_uint)((ga_ulong)(P.a##i + tile.at.off[i]) / sizeof(T)) & (GA_VEC - 1);
  GA_INPUTS(X)
#undef X
  return tile;
}

/* Joins m <= 32 results of a tile from `part` on, `pitch` apart, lowest bit first: eight
 * neighbours of a column in flight together, then the eights. */
GA_FN ga_acc ga_join_parts(const ga_params &P, const ga_acc *part, ga_uint m, ga_ulong pitch,
                           ga_acc *eights) {
  const ga_uint width = (ga_uint)P.width.d;
#pragma unroll 1
  for (ga_uint t = threadIdx.x; t < 4 * width; t += blockDim.x) {
    const ga_uint e = (ga_uint)ga_quotient((ga_index)t, P.width);
    const ga_acc *p = part + (e * 8 * pitch + t - e * width);
    ga_acc v[8];
#pragma unroll
    for (int s = 0; s < 8; s++) v[s] = e * 8 + s < m ? ga_fetch(p + s * pitch) : ga_identity();
    GA_UNROLL_JOINS
    for (int h = 1; h < 8; h *= 2)
      GA_UNROLL_JOINS
      for (int s = 0; s < 8; s += 2 * h) v[s] = ga_combine(v[s], v[s + h]);
    eights[t] = v[0];
  }
  __syncthreads();
  if (threadIdx.x >= width) return ga_identity();
  const ga_acc *e = eights + threadIdx.x;
  return ga_combine(ga_combine(e[0], e[width]), ga_combine(e[2 * width], e[3 * width]));
}

/* Publishes the result of a span; whichever block is the last of 32 joins theirs, and so
 * on. Returns whether `all` is the join of all of tile n. */
GA_FN bool ga_join_spans(const ga_params &P, ga_ulong n, ga_uint span, ga_uint width, ga_acc &all,
                         ga_acc *held) {
  __shared__ ga_uint last;
  const ga_ulong row = P.width.d;
  ga_acc *part = P.part + n * P.spans.d * row;
  ga_uint *ticket = P.ticket + n * P.tickets;
  ga_ulong pitch = row;
#pragma unroll 1
  for (ga_uint some = (ga_uint)P.spans.d; some > 1; some = (some + 31) / 32) {
    const ga_uint first = span & ~31u, m = some - first < 32 ? some - first : 32;
    if (threadIdx.x < width) part[span * pitch + threadIdx.x] = all;
    __syncthreads();
    if (threadIdx.x == 0) last = ga_take_ticket(ticket + span / 32) == m - 1;
    __syncthreads();
    if (!last) return false;
    if (threadIdx.x == 0) ticket[span / 32] = 0;
    all = ga_join_parts(P, part + first * pitch, m, pitch, held);
    ticket += (some + 31) / 32;
    span /= 32;
    pitch *= 32;
  }
  return true;
}

#ifdef GA_FOLDS
/* Joins each `fold` of a tile's columns, where neighbours are of one result, and finishes these. */
GA_FN void ga_finish_folded(const ga_params &P, ga_index n, const ga_tile &tile, const ga_acc &all,
                            ga_acc *held) {
  const ga_index outer = ga_quotient(n, P.tiles);
  const ga_ulong first = (ga_ulong)(n - outer * P.tiles.d) * P.width.d / P.fold;
  __syncthreads();
  if (threadIdx.x < tile.width) held[threadIdx.x] = all;
  __syncthreads();
  if (threadIdx.x >= tile.width / P.fold) return;
  ga_place at = ga_seek(P.kept_axes, outer);
  ga_acc a = held[threadIdx.x * P.fold];
#pragma unroll 1
  for (ga_uint e = 1; e < P.fold; e++) a = ga_combine(a, held[threadIdx.x * P.fold + e]);
#pragma unroll
  for (int o = 0; o < GA_NOFF; o++) at.off[o] += (ga_offset)first * P.result_step[o];
  ga_finish(P, at, a);
}
#endif

#ifdef GA_PARTED
/* Where the results of this thread's column of tile number `n` are. */
GA_FN ga_place ga_result_at(const ga_params &P, ga_index n) {
  const ga_index outer = ga_quotient(n, P.tiles);
  ga_place at = ga_seek(P.kept_axes, outer);
  ga_walk(P.result_axes, (n - outer * P.tiles.d) * (ga_index)P.width.d + threadIdx.x, at.off);
  return at;
}
#endif

extern "C" __global__ void __launch_bounds__(GA_BLOCK, GA_MIN_BLOCKS)
ga_kernel(const __grid_constant__ ga_params P) {
  GA_ENTER();
  extern __shared__ ga_quad ga_held[];
  ga_acc *held = (ga_acc *)ga_held;
#pragma unroll 1
  for (ga_ulong u = blockIdx.x; u < P.units; u += gridDim.x) {
    const ga_index v = ga_quotient((ga_index)u, P.tiles), outer = ga_quotient(v, P.spans);
    const ga_index span = v - outer * P.spans.d;
    const ga_index n = outer * P.tiles.d + ((ga_index)u - v * P.tiles.d);
    const ga_tile tile = ga_tile_at(P, n);
    ga_acc all = ga_span(P, tile, span, held);
    const bool whole = ga_join_spans(P, n, (ga_uint)span, tile.width, all, held);
#ifdef GA_FOLDS
    if (whole) ga_finish_folded(P, n, tile, all, held);
#elif defined(GA_PARTED)
    if (whole && threadIdx.x < tile.width) ga_finish(P, ga_result_at(P, n), all);
#elif defined(GA_GAPS)
    if (whole && threadIdx.x < P.shown) ga_finish(P, tile.at, all);
#else
    if (whole && threadIdx.x < tile.width) ga_finish(P, tile.at, all);
#endif
    __syncthreads();
  }
}
