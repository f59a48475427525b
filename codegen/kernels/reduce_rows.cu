/* SPDX-License-Identifier: MIT */
/* Reduce, classes ROWS and GATHER: the reduced axes are walked by lanes.
 *
 * A chunk of 1024 reduced elements is a warp's: lane l holds, for c in 0..7 and
 * j in 0..3, element 128c + 4l + j, so that the order of DESIGN.md joins
 * registers (bits 9 8 7: c), the four elements of a load (bits 0 1: j), lanes
 * (bits 6 to 2). The results of successive chunks of a warp are kept in
 * successive lanes and joined, lowest bit first, 32 at a time.
 *
 * A span is an aligned power of two of chunks: `each` chunks for each of GA_TEAM
 * warps (1, or all of a block). A unit is one span of one output element. Where
 * an element has several spans, the last block to finish one (by the element's
 * ticket) joins them.
 *
 *   one row of 70000 elements, GA_TEAM 8, each 2: 69 chunks (the last has 368
 *   elements), spans of 16: 5 units. In span 4 warp 0 takes chunks 64 and 65,
 *   warp 2 chunk 68 and one that does not exist, warps 3 to 7 nothing.
 *
 * GA_SHORT 1: at most 128 reduced elements, 2^lanes lanes for a row of them,
 * GA_ROWS rows at once.
 *
 *   rows of 33 elements: 16 lanes (9 have elements, lane 8 one), 2 rows a warp.
 *
 * GA_VECTOR 1 (ROWS): the innermost reduced axis is of unit step or still in
 * each operand (`step`), four neighbours are one load where they are in one row
 * of that axis.
 */
#define GA_ROWS 4
#define GA_JOINS 128 /* spans of an element: at most 256 times this */

struct ga_params {
  GA_OPERANDS(GA_POINTER)
  ga_acc *part;
  ga_uint *ticket;
  ga_ulong units, reduced, chunks;
#if GA_IOTA
  ga_long iota_base, iota_step; /* step along the innermost reduced axis */
#endif
  ga_div spans;
  ga_axes<GA_NK> kept_axes;
  ga_axes<GA_NR> reduced_axes;
  ga_ulong each;
  ga_uint lanes, cut; /* cut: the innermost reduced axis is no multiple of 4 */
  ga_uint step[GA_NOP];
  GA_NUMBERS(GA_NUMBER)
};

/* Where the reduced axes of one output element begin. */
struct ga_row {
  ga_offset off[GA_NOFF];
};

GA_FN ga_row ga_seek(const ga_params &P, ga_index k) {
  ga_row row;
#pragma unroll
  for (int o = 0; o < GA_NOFF; o++) row.off[o] = 0;
  ga_walk(P.kept_axes, k, row.off);
  return row;
}

GA_FN void ga_finish(const ga_params &P, ga_index k, const ga_acc &acc) {
  const ga_row row = ga_seek(P, k);
  ga_outer outer;
  ga_out out;
#define X(i, T) outer.x##i = ga_load<T>(P.a##i + row.off[i]);
  GA_OUTERS(X)
#undef X
  ga_post(P, P.reduced ? acc : ga_empty(), outer, out);
#define X(i, T) ga_store<T>(P.a##i + row.off[i], out.y##i);
  GA_OUTPUTS(X)
#undef X
}

/* Four neighbours as they were loaded, and their positions. */
struct ga_four {
  ga_in in[4];
#if GA_IOTA
  ga_long iota[4];
#endif
};

/* Element r, the j-th of its four. */
GA_FN void ga_load_one(const ga_params &P, const ga_row &row, ga_index r, ga_four &f,
                       int j) {
  ga_offset off[GA_NOFF];
#pragma unroll
  for (int o = 0; o < GA_NOFF; o++) off[o] = row.off[o];
  ga_walk(P.reduced_axes, r, off);
#define X(i, T) f.in[j].x##i = ga_load<T>(P.a##i + off[i]);
  GA_INPUTS(X)
#undef X
#if GA_IOTA
  f.iota[j] = P.iota_base + off[GA_NOP];
#endif
}

/* Whether elements r to r+3 all exist, and lie side by side. */
GA_FN bool ga_is_four(const ga_params &P, ga_index r) {
  if (r + 4 > P.reduced) return false;
#if GA_VECTOR && GA_NR > 1
  if (P.cut) {
    const ga_div &d = P.reduced_axes.dim[P.reduced_axes.n - 1];
    return r - ga_quotient(r, d) * d.d + 4 <= d.d;
  }
#endif
  return true;
}

#if GA_VECTOR

GA_FN void ga_load_four(const ga_params &P, const ga_row &row, ga_index r, ga_four &f) {
  ga_offset off[GA_NOFF];
#pragma unroll
  for (int o = 0; o < GA_NOFF; o++) off[o] = row.off[o];
  ga_walk(P.reduced_axes, r, off);
#define X(i, T)                                                                  \
  {                                                                              \
    ga_vec<T, 4> t;                                                              \
    if (P.step[i])                                                               \
      t = ga_load_vec<T, 4, GA_ALIGNED>(P.a##i + off[i]);                        \
    else                                                                         \
      t = ga_splat<T, 4>(ga_load<T>(P.a##i + off[i]));                           \
    _Pragma("unroll") for (int j = 0; j < 4; j++) f.in[j].x##i = t.v[j];         \
  }
  GA_INPUTS(X)
#undef X
#if GA_IOTA
#pragma unroll
  for (int j = 0; j < 4; j++) f.iota[j] = P.iota_base + off[GA_NOP] + j * P.iota_step;
#endif
}

/* N fours, `pitch` apart, as far as their elements exist: whole ones first, all
 * in flight together; then, rarely, those that an end cuts, by elements. */
template <int N>
GA_FN void ga_load_fours(const ga_params &P, const ga_row &row, ga_index r, ga_index pitch,
                         ga_four (&f)[N]) {
#pragma unroll
  for (int c = 0; c < N; c++)
    if (ga_is_four(P, r + c * pitch)) ga_load_four(P, row, r + c * pitch, f[c]);
  if (!(GA_NR > 1 && P.cut) && ga_is_four(P, r + (N - 1) * pitch)) return;
#pragma unroll 1
  for (int c = 0; c < N && r + c * pitch < P.reduced; c++) {
    ga_four e;
    if (ga_is_four(P, r + c * pitch)) continue;
#pragma unroll
    for (int j = 0; j < 4; j++)
      if (r + c * pitch + j < P.reduced) ga_load_one(P, row, r + c * pitch + j, e, j);
#pragma unroll
    for (int d = 0; d < N; d++)
      if (d == c) f[d] = e;
  }
}

#else

template <int N>
GA_FN void ga_load_fours(const ga_params &P, const ga_row &row, ga_index r, ga_index pitch,
                         ga_four (&f)[N]) {
#pragma unroll
  for (int c = 0; c < N; c++)
#pragma unroll
    for (int j = 0; j < 4; j++)
      if (r + c * pitch + j < P.reduced) ga_load_one(P, row, r + c * pitch + j, f[c], j);
}

#endif

/* Element r, the j-th of f, or what stands for none. WHOLE: it exists. */
template <bool WHOLE>
GA_FN ga_acc ga_element(const ga_params &P, const ga_four &f, int j, ga_index r) {
  ga_long iota = 0;
#if GA_IOTA
  iota = f.iota[j];
#endif
  return WHOLE || r < P.reduced ? ga_leaf(P, f.in[j], iota) : ga_identity();
}

/* This lane's part of a chunk from its element r on. */
template <bool WHOLE>
GA_FN ga_acc ga_fold(const ga_params &P, const ga_four (&f)[8], ga_index r) {
  ga_acc a[4];
#pragma unroll
  for (int j = 0; j < 4; j++) {
    ga_acc b[4];
#pragma unroll
    for (int c = 0; c < 4; c++)
      b[c] = ga_combine(ga_element<WHOLE>(P, f[c], j, r + 128 * c + j),
                        ga_element<WHOLE>(P, f[c + 4], j, r + 128 * (c + 4) + j));
    a[j] = ga_combine(ga_combine(b[0], b[2]), ga_combine(b[1], b[3]));
  }
  return ga_combine(ga_combine(a[0], a[1]), ga_combine(a[2], a[3]));
}

/* One chunk, by a whole warp; every lane gets it. All chunks of a contiguous row
 * but the last are whole. Where elements are narrow, and so many to a byte, asking
 * once spares asking for each; where they are not, two paths cost the registers
 * that loads in flight need (GA_NARROW; H200, 1 GiB: a float16 sum 292 us for
 * 531, int8 612 for 1240, float32 285 for 239). */
GA_FN ga_acc ga_chunk(const ga_params &P, const ga_row &row, ga_ulong chunk) {
  const ga_index r = (ga_index)(chunk * 1024) + (threadIdx.x & 31) * 4;
  ga_four f[8];
#if GA_VECTOR && GA_NR == 1 && GA_NARROW
  if ((chunk + 1) * 1024 <= P.reduced) {
#pragma unroll
    for (int c = 0; c < 8; c++) ga_load_four(P, row, r + 128 * c, f[c]);
    return ga_join_down(ga_fold<true>(P, f, r), 5);
  }
#endif
  ga_load_fours(P, row, r, 128, f);
  return ga_join_down(ga_fold<false>(P, f, r), 5);
}

#if GA_SHORT

extern "C" __global__ void __launch_bounds__(GA_BLOCK, GA_MIN_BLOCKS)
ga_kernel(const __grid_constant__ ga_params P) {
  const int sub = threadIdx.x & ((1 << P.lanes) - 1);
  const ga_index rows = GA_BLOCK >> P.lanes; /* of one pass of a block */
  const ga_index k = ((ga_index)blockIdx.x * GA_ROWS * rows) + (threadIdx.x >> P.lanes);
  const ga_index r = sub * 4;
  ga_four f[GA_ROWS][1];
#pragma unroll
  for (int n = 0; n < GA_ROWS; n++)
    if (k + n * rows < P.units) ga_load_fours(P, ga_seek(P, k + n * rows), r, 0, f[n]);
#pragma unroll
  for (int n = 0; n < GA_ROWS; n++) {
    const ga_index row = k + n * rows;
    ga_acc a[4];
#pragma unroll
    for (int j = 0; j < 4; j++)
      a[j] = row < P.units ? ga_element<false>(P, f[n][0], j, r + j) : ga_identity();
    a[0] = ga_combine(ga_combine(a[0], a[1]), ga_combine(a[2], a[3]));
    a[0] = ga_join_down(a[0], (int)P.lanes);
    if (sub == 0 && row < P.units) ga_finish(P, row, a[0]);
  }
}

#else

/* Chunks first to first + each - 1 of a row, by a whole warp; every lane gets
 * them. `each` is a power of two, at most 1024: 32 results fill the lanes, are
 * joined, and fill a lane of the next level. */
GA_FN ga_acc ga_run(const ga_params &P, const ga_row &row, ga_ulong first, ga_uint each) {
  const ga_uint lane = threadIdx.x & 31;
  const ga_ulong exist = P.chunks > first ? P.chunks - first : 0;
  const ga_uint n = exist < each ? (ga_uint)exist : each;
  ga_acc a = ga_identity(), low = a, high = a;
#pragma unroll 1
  for (ga_uint i = 0; i < n; i++) {
    a = ga_chunk(P, row, first + i);
    if (each == 1) return a;
    if (lane == (i & 31)) low = a;
    if ((i & 31) != 31 && i + 1 != n) continue;
    a = ga_join_up(low, 5);
    if (each <= 32) return a;
    low = ga_identity();
    if (lane == i >> 5) high = a;
  }
  return ga_join_up(high, 5);
}

#if GA_TEAM == 1

extern "C" __global__ void __launch_bounds__(GA_BLOCK, GA_MIN_BLOCKS)
ga_kernel(const __grid_constant__ ga_params P) {
  const ga_ulong warps = (ga_ulong)gridDim.x * GA_WARPS;
#pragma unroll 1
  for (ga_ulong u = (ga_ulong)blockIdx.x * GA_WARPS + (threadIdx.x >> 5); u < P.units;
       u += warps) {
    const ga_acc a = ga_run(P, ga_seek(P, (ga_index)u), 0, (ga_uint)P.each);
    if ((threadIdx.x & 31) == 0) ga_finish(P, (ga_index)u, a);
  }
}

#else

/* Joins the warps of a block, lowest bit first; thread 0 gets the result. */
GA_FN ga_acc ga_join_warps(const ga_acc &a, ga_acc *shared) {
  const ga_uint lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  ga_acc b = a;
  if (lane == 0) shared[warp] = a;
  __syncthreads();
  if (warp == 0) b = ga_join_up(lane < GA_WARPS ? shared[lane] : ga_identity(), 3);
  __syncthreads();
  return b;
}

/* Joins the first `n` <= 256 of an array, eight to a lane, all in flight together;
 * every lane of the warp gets the result. `fetch`: other blocks wrote them. */
GA_FN ga_acc ga_join_256(const ga_acc *part, ga_uint n, bool fetch) {
  ga_acc a[8];
#pragma unroll
  for (int k = 0; k < 8; k++) {
    const ga_uint at = (threadIdx.x & 31) * 8 + k;
    a[k] = at >= n ? ga_identity() : fetch ? ga_fetch(part + at) : part[at];
  }
#pragma unroll
  for (int h = 1; h < 8; h *= 2)
#pragma unroll
    for (int k = 0; k < 8; k += 2 * h) a[k] = ga_combine(a[k], a[k + h]);
  return ga_join_up(a[0], 5);
}

/* Joins the `n` finished spans from `part` on; every thread gets the result. At
 * most GA_JOINS groups of 256, then the groups as one, which goes to shared[1]. */
GA_FN ga_acc ga_join_spans(const ga_acc *part, ga_uint n, ga_acc *shared) {
  const ga_uint lane = threadIdx.x & 31, groups = (n + 255) / 256;
  ga_acc a;
#pragma unroll 1
  for (int level = 0; level < 2; level++) {
#pragma unroll 1
    for (ga_uint g = threadIdx.x >> 5; g * 256 < n; g += GA_WARPS) {
      const ga_uint rest = n - g * 256;
      a = ga_join_256(part + g * 256, rest < 256 ? rest : 256, level == 0);
      if (lane == 0) shared[g + level] = a;
    }
    __syncthreads();
    part = shared;
    n = groups;
  }
  return shared[1];
}

extern "C" __global__ void __launch_bounds__(GA_BLOCK, GA_MIN_BLOCKS)
ga_kernel(const __grid_constant__ ga_params P) {
  __shared__ ga_acc shared[GA_JOINS + 1];
  __shared__ ga_uint last;
  const ga_ulong warp = threadIdx.x >> 5;
#pragma unroll 1
  for (ga_ulong u = blockIdx.x; u < P.units; u += gridDim.x) {
    const ga_index k = ga_quotient((ga_index)u, P.spans);
    const ga_index span = (ga_index)u - k * P.spans.d;
    ga_acc a = ga_run(P, ga_seek(P, k), (span * GA_WARPS + warp) * P.each, (ga_uint)P.each);
    a = ga_join_warps(a, shared);
    if (P.spans.d == 1) {
      if (threadIdx.x == 0) ga_finish(P, k, a);
      continue;
    }
    if (threadIdx.x == 0) {
      P.part[u] = a;
      __threadfence();
      last = atomicAdd(P.ticket + k, 1u) == (ga_uint)P.spans.d - 1;
    }
    __syncthreads();
    if (last) {
      __threadfence();
      a = ga_join_spans(P.part + (u - span), (ga_uint)P.spans.d, shared);
      if (threadIdx.x == 0) {
        P.ticket[k] = 0;
        ga_finish(P, k, a);
      }
    }
    __syncthreads();
  }
}

#endif
#endif
