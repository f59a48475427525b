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
#define GA_JOINS 256 /* spans of an element: at most 32 times this */

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
  ga_uint lanes;
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

/* Four elements as they were loaded, and their positions. */
struct ga_four {
  ga_in in[4];
#if GA_IOTA
  ga_long iota[4];
#endif
};

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

/* Elements r to r+3, all of which exist. */
GA_FN void ga_load_four(const ga_params &P, const ga_row &row, ga_index r, ga_four &f) {
#if GA_VECTOR
  ga_offset off[GA_NOFF];
  ga_index q = 0;
#pragma unroll
  for (int o = 0; o < GA_NOFF; o++) off[o] = row.off[o];
  ga_walk(P.reduced_axes, r, off);
  if (GA_NR > 1) {
    const ga_div &d = P.reduced_axes.dim[P.reduced_axes.n - 1];
    q = r - ga_quotient(r, d) * d.d;
  }
  if (GA_NR == 1 || q + 4 <= P.reduced_axes.dim[P.reduced_axes.n - 1].d) {
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
    return;
  }
#endif
#pragma unroll
  for (int j = 0; j < 4; j++) ga_load_one(P, row, r + j, f, j);
}

/* Elements r to r+3 as far as they exist. */
GA_FN void ga_load_some(const ga_params &P, const ga_row &row, ga_index r, ga_four &f) {
  if (r + 4 <= P.reduced) {
    ga_load_four(P, row, r, f);
  } else {
#pragma unroll
    for (int j = 0; j < 4; j++)
      if (r + j < P.reduced) ga_load_one(P, row, r + j, f, j);
  }
}

GA_FN ga_acc ga_element(const ga_params &P, const ga_four &f, int j) {
#if GA_IOTA
  return ga_leaf(P, f.in[j], f.iota[j]);
#else
  return ga_leaf(P, f.in[j], 0);
#endif
}

/* Elements r + 128c, for c in 0..7, of column j: bits 9, 8 and 7. */
GA_FN ga_acc ga_column(const ga_params &P, const ga_four (&f)[8], ga_index r, int j,
                       bool whole) {
  ga_acc a[4];
#pragma unroll
  for (int c = 0; c < 4; c++) {
    a[c] = whole || r + 128 * c + j < P.reduced ? ga_element(P, f[c], j) : ga_identity();
    if (whole || r + 128 * (c + 4) + j < P.reduced)
      a[c] = ga_combine(a[c], ga_element(P, f[c + 4], j));
  }
  a[0] = ga_combine(a[0], a[2]);
  a[1] = ga_combine(a[1], a[3]);
  return ga_combine(a[0], a[1]);
}

/* One chunk, by a whole warp; every lane gets it. */
GA_FN ga_acc ga_chunk(const ga_params &P, const ga_row &row, ga_ulong chunk) {
  const ga_index first = (ga_index)(chunk * 1024);
  const ga_index r = first + (threadIdx.x & 31) * 4;
  const bool whole = P.reduced - first >= 1024;
  ga_four f[8];
  ga_acc a, b;
  if (whole) {
#pragma unroll
    for (int c = 0; c < 8; c++) ga_load_four(P, row, r + 128 * c, f[c]);
    a = ga_combine(ga_column(P, f, r, 0, true), ga_column(P, f, r, 1, true));
    b = ga_combine(ga_column(P, f, r, 2, true), ga_column(P, f, r, 3, true));
  } else {
#pragma unroll
    for (int c = 0; c < 8; c++) ga_load_some(P, row, r + 128 * c, f[c]);
    a = ga_combine(ga_column(P, f, r, 0, false), ga_column(P, f, r, 1, false));
    b = ga_combine(ga_column(P, f, r, 2, false), ga_column(P, f, r, 3, false));
  }
  return ga_join_down(ga_combine(a, b), 5);
}

#if GA_SHORT

extern "C" __global__ void __launch_bounds__(GA_BLOCK)
ga_kernel(const __grid_constant__ ga_params P) {
  const int sub = threadIdx.x & ((1 << P.lanes) - 1);
  const ga_index rows = GA_BLOCK >> P.lanes; /* of one pass of a block */
  const ga_index k = ((ga_index)blockIdx.x * GA_ROWS * rows) + (threadIdx.x >> P.lanes);
  const ga_index r = sub * 4;
  ga_four f[GA_ROWS];
#pragma unroll
  for (int n = 0; n < GA_ROWS; n++) {
    const ga_index row = k + n * rows;
    if (row < P.units) ga_load_some(P, ga_seek(P, row), r, f[n]);
  }
#pragma unroll
  for (int n = 0; n < GA_ROWS; n++) {
    const ga_index row = k + n * rows;
    ga_acc a[4];
#pragma unroll
    for (int j = 0; j < 4; j++)
      a[j] = row < P.units && r + j < P.reduced ? ga_element(P, f[n], j) : ga_identity();
    a[0] = ga_combine(ga_combine(a[0], a[1]), ga_combine(a[2], a[3]));
    a[0] = ga_join_down(a[0], (int)P.lanes);
    if (sub == 0 && row < P.units) ga_finish(P, row, a[0]);
  }
}

#else

/* Chunks first to first + each - 1 of a row, by a whole warp; every lane gets
 * them. `each` is a power of two, at most 1024. */
GA_FN ga_acc ga_run(const ga_params &P, const ga_row &row, ga_ulong first, ga_uint each) {
  const ga_uint lane = threadIdx.x & 31;
  ga_acc low = ga_identity(), high = ga_identity();
  if (each == 1) return first < P.chunks ? ga_chunk(P, row, first) : low;
#pragma unroll 1
  for (ga_uint i = 0; i < each && first + i < P.chunks; i++) {
    ga_acc a = ga_chunk(P, row, first + i);
    if (lane == (i & 31)) low = a;
    if ((i & 31) == 31 && each > 32) {
      a = ga_join_up(low, 5);
      low = ga_identity();
      if (lane == i >> 5) high = a;
    }
  }
  if (each <= 32) return ga_join_up(low, 5);
  const ga_ulong done = P.chunks > first ? P.chunks - first : 0;
  if (done < each && (done & 31) != 0) { /* the row ended inside a group of 32 */
    const ga_acc a = ga_join_up(low, 5);
    if (lane == done >> 5) high = a;
  }
  return ga_join_up(high, 5);
}

#if GA_TEAM == 1

extern "C" __global__ void __launch_bounds__(GA_BLOCK)
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

/* Joins the `n` finished spans from `part` on; thread 0 gets the result. */
GA_FN ga_acc ga_join_spans(const ga_acc *part, ga_uint n, ga_acc *shared) {
  const ga_uint lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  ga_uint groups = (n + 31) / 32;
#pragma unroll 4
  for (ga_uint g = warp; g < groups; g += GA_WARPS) {
    const ga_uint at = g * 32 + lane;
    const ga_acc a = ga_join_up(at < n ? ga_fetch(part + at) : ga_identity(), 5);
    if (lane == 0) shared[g] = a;
  }
  __syncthreads();
#pragma unroll 1
  while (groups > 1) {
    const ga_uint next = (groups + 31) / 32;
    ga_acc a = ga_identity();
    /* next <= 8: one group a warp */
#pragma unroll 1
    for (ga_uint base = 0; base < next; base += GA_WARPS) {
      const ga_uint at = (base + warp) * 32 + lane;
      a = ga_join_up(at < groups ? shared[at] : ga_identity(), 5);
      __syncthreads();
      if (lane == 0 && base + warp < next) shared[base + warp] = a;
      __syncthreads();
    }
    groups = next;
  }
  return shared[0];
}

extern "C" __global__ void __launch_bounds__(GA_BLOCK)
ga_kernel(const __grid_constant__ ga_params P) {
  __shared__ ga_acc shared[GA_JOINS];
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
