/* SPDX-License-Identifier: MIT */
/* Map, class PLANES: a short axis c (GA_CHANNELS channels) beside a long one, x, that operands
 * have in either order: woven ones hold the channels of each x side by side, planes the
 * x of each channel; even ones are the same all along x.
 *
 * A block does GA_SIDE neighbours along x of all channels, a thread GA_VEC of them: a
 * vector of each plane, and of a woven operand a piece as long as those together. As
 * threads' pieces do not lie side by side, woven operands go by way of shared memory: the
 * block's run of them comes and goes as the aligned vectors that it lies in. So do planes
 * that are stored where no vectors lie (GA_STORE_VEC 0).
 *
 *   uint8 [1000, 3] to planes of 1000: GA_CHANNELS 3, GA_VEC 16, GA_SIDE 4096, one block; thread
 *   2 has bytes 96..143 of the run, which become bytes 32..47 of each plane; thread 62 has
 *   eight x, the others none. With planes 1000 apart at 0 modulo 16 the second begins at 8:
 *   GA_STORE_VEC 0; there the run of a plane is 8 bytes, 62 vectors.
 *
 * The generator supplies besides what operands.cuh says:
 *   GA_WOVEN(X) GA_PLANES(X) GA_EVEN(X)    X(i, T) for each input of that kind
 *   GA_WOVEN_OUT(X) GA_PLANES_OUT(X)       and for each output
 * GA_ALIGNED 1: vectors of planes that are read lie on their size. Vectors of GA_VEC
 * elements are of 4, 8 or 16 bytes.
 */
struct ga_params {
  GA_OPERANDS(GA_POINTER)
  ga_ulong nx;
#if GA_IOTA
  ga_long iota_base;
#endif
  ga_div tiles;
  ga_axes<GA_NK> axes; /* but for x and c */
  ga_offset x_step[GA_NOFF], c_step[GA_NOFF];
  GA_NUMBERS(GA_NUMBER)
};

#define GA_SIDE (GA_BLOCK * GA_VEC)
#define GA_VECTOR_BYTES(T) (GA_VEC * (int)sizeof(T))
#define GA_PIECE_BYTES(T) (GA_CHANNELS * GA_VECTOR_BYTES(T))

/* What a thread has of an operand, channel by channel or x by x. */
template <class T> struct ga_piece {
  ga_uint u[GA_PIECE_BYTES(T) / 4];
};

/* Where byte b of a run lies in shared memory, of which lanes that are as much as GA_CHANNELS
 * vectors apart meet different banks. */
GA_FN int ga_spread(int b) { return b + b / 128 * 16; }

template <class T> struct ga_run {
  ga_vec<ga_uint, 4> v[(GA_BLOCK * GA_PIECE_BYTES(T) + 16) / 16 * 9 / 8 + 2];
};

template <class T> GA_FN T ga_get(const ga_piece<T> &a, int k) {
  const int size = (int)sizeof(T);
  ga_uint w = a.u[k * size / 4];
  T x;
  if (size >= 4) {
    memcpy(&x, &a.u[k * size / 4], sizeof x);
  } else {
    w >>= k * size % 4 * 8;
    memcpy(&x, &w, sizeof x);
  }
  return x;
}

/* Elements of a word come in order. */
template <class T> GA_FN void ga_put(ga_piece<T> &a, int k, T x) {
  const int size = (int)sizeof(T), bit = k * size % 4 * 8;
  if (size >= 4) {
    memcpy(&a.u[k * size / 4], &x, sizeof x);
  } else {
    ga_uint w = 0;
    memcpy(&w, &x, sizeof x);
    a.u[k * size / 4] = bit == 0 ? w : a.u[k * size / 4] | w << bit;
  }
}

/* The run of `bytes` bytes at p, behind as many as p is past a vector. */
template <class T> GA_FN void ga_take_run(ga_run<T> &run, const char *p, int bytes) {
  const int at = (int)((ga_ulong)p & 15);
  p -= at;
#pragma unroll
  for (int k = 0; k <= GA_PIECE_BYTES(T) / 16; k++) {
    const int b = 16 * (int)(k * GA_BLOCK + threadIdx.x);
    if (b < at + bytes) ga_copy_beside<16>((char *)run.v + ga_spread(b), p + b);
  }
}

/* The thread's piece of it. */
template <class T> GA_FN void ga_take_piece(ga_piece<T> &a, const ga_run<T> &run, const char *p) {
  const int size = GA_VECTOR_BYTES(T), N = size / 4, at = (int)((ga_ulong)p & 15);
  const int from = (at & -size) + (int)threadIdx.x * GA_PIECE_BYTES(T);
  ga_vec<ga_uint, N> w[GA_CHANNELS + 1];
#pragma unroll
  for (int k = 0; k <= GA_CHANNELS; k++)
    w[k] = *(const ga_vec<ga_uint, N> *)((const char *)run.v + ga_spread(from + k * size));
#pragma unroll
  for (int k = 0; k < GA_CHANNELS; k++) {
    const ga_vec<ga_uint, N> v = ga_shift_words<N>(w[k], w[k + 1], (ga_uint)(at & (size - 1)));
#pragma unroll
    for (int j = 0; j < N; j++) a.u[k * N + j] = v.v[j];
  }
}

/* Vector k of a piece from p on, of which the first `rest` elements are there. */
template <class T> GA_FN void ga_take_vector(ga_piece<T> &a, int k, const char *p, int rest) {
  ga_words<T, GA_VEC> w = ga_words_of<T, GA_VEC>(ga_splat<T, GA_VEC>(T()));
  if (rest > 0)
    w = ga_load_part<T, GA_VEC, GA_ALIGNED>(p, 0, rest < GA_VEC ? rest : GA_VEC);
  memcpy(&a.u[k * GA_VECTOR_BYTES(T) / 4], &w, GA_VECTOR_BYTES(T));
}

/* Puts vector k of a piece to byte b of a run. */
template <class T> GA_FN void ga_give_vector(ga_run<T> &run, int b, const ga_piece<T> &a, int k) {
  const int N = GA_VECTOR_BYTES(T) / 4;
  ga_vec<ga_uint, N> v;
#pragma unroll
  for (int j = 0; j < N; j++) v.v[j] = a.u[k * N + j];
  *(ga_vec<ga_uint, N> *)((char *)run.v + ga_spread(b)) = v;
}

/* Stores the first `rest` elements of vector k of a piece to p. */
template <class T> GA_FN void ga_store_vector(char *p, const ga_piece<T> &a, int k, int rest) {
  ga_vec<T, GA_VEC> v;
  memcpy(&v, &a.u[k * GA_VECTOR_BYTES(T) / 4], sizeof v);
  if (rest >= GA_VEC) ga_store_past<T, GA_VEC>(p, v);
  else ga_store_part<T, GA_VEC, true>(p, v, 0, rest);
}

/* Stores the `bytes` bytes from byte `from` of a run on, which is a multiple of 128, to p. */
template <class T> GA_FN void ga_give_run(char *p, const ga_run<T> &run, int from, int bytes) {
  const int size = (int)sizeof(T), at = (int)((ga_ulong)p & 15), past = -at & 15;
  for (int b = 16 * (int)threadIdx.x - at; b < bytes; b += 16 * GA_BLOCK) {
    const char *q = (const char *)run.v;
    ga_vec<ga_uint, 4> w = ga_splat<ga_uint, 4>(0);
    const ga_vec<ga_uint, 4> high =
        *(const ga_vec<ga_uint, 4> *)(q + ga_spread(from + b - past + 16));
    if (b >= 0) w = *(const ga_vec<ga_uint, 4> *)(q + ga_spread(from + b - past));
    w = ga_shift_words<4>(w, high, (ga_uint)past);
    if (b >= 0 && b + 16 <= bytes) {
      ga_store_past<ga_uint, 4>(p + b, w);
    } else {
      ga_vec<T, 16 / size> v;
      memcpy(&v, &w, 16);
      ga_store_part<T, 16 / size, true>(p + b, v, b < 0 ? -b / size : 0,
                                        (b + 16 <= bytes ? 16 : bytes - b) / size);
    }
  }
}

#define X(i, T) ga_run<T> run##i;
struct ga_runs_in {
  GA_WOVEN(X)
  char unused;
};
struct ga_runs_out {
  GA_WOVEN_OUT(X)
#if !GA_STORE_VEC
  GA_PLANES_OUT(X)
#endif
  char unused;
};
#undef X
union ga_runs {
  ga_runs_in in;
  ga_runs_out out;
};

extern "C" __global__ void __launch_bounds__(GA_BLOCK)
ga_kernel(const __grid_constant__ ga_params P) {
  GA_ENTER();
  __shared__ ga_runs runs;
  const ga_index outer = ga_quotient((ga_index)blockIdx.x, P.tiles);
  const ga_ulong x0 = (ga_ulong)(blockIdx.x - outer * P.tiles.d) * GA_SIDE;
  const int nx = P.nx - x0 < GA_SIDE ? (int)(P.nx - x0) : GA_SIDE;
  const int x = (int)threadIdx.x * GA_VEC;
  ga_offset off[GA_NOFF];
#pragma unroll
  for (int o = 0; o < GA_NOFF; o++) off[o] = (ga_offset)x0 * P.x_step[o];
  ga_walk(P.axes, outer, off);

#define X(i, T) ga_take_run<T>(runs.in.run##i, P.a##i + off[i], nx * GA_CHANNELS * (int)sizeof(T));
  GA_WOVEN(X)
#undef X
#define X(i, T)                                                                      \
  ga_piece<T> a##i;                                                                  \
  _Pragma("unroll") for (int c = 0; c < GA_CHANNELS; c++) ga_take_vector<T>(         \
      a##i, c, P.a##i + (off[i] + c * P.c_step[i]) + x * (int)sizeof(T), nx - x);
  GA_PLANES(X)
#undef X
#define X(i, T)                                                                      \
  T e##i[GA_CHANNELS];                                                               \
  _Pragma("unroll") for (int c = 0; c < GA_CHANNELS; c++) e##i[c] =                  \
      ga_load<T>(P.a##i + (off[i] + c * P.c_step[i]));
  GA_EVEN(X)
#undef X
  ga_wait_for_copies();
  __syncthreads();
#define X(i, T)                                                                      \
  ga_piece<T> a##i;                                                                  \
  ga_take_piece<T>(a##i, runs.in.run##i, P.a##i + off[i]);
  GA_WOVEN(X)
#undef X

#define X(i, T) ga_piece<T> r##i;
  GA_OUTPUTS(X)
#undef X
#pragma unroll
  for (int k = 0; k < GA_VEC; k++) {
#pragma unroll
    for (int c = 0; c < GA_CHANNELS; c++) {
      ga_in in;
      ga_out out;
      ga_long iota = 0;
#define X(i, T) in.x##i = ga_get<T>(a##i, k * GA_CHANNELS + c);
      GA_WOVEN(X)
#undef X
#define X(i, T) in.x##i = ga_get<T>(a##i, c * GA_VEC + k);
      GA_PLANES(X)
#undef X
#define X(i, T) in.x##i = e##i[c];
      GA_EVEN(X)
#undef X
#if GA_IOTA
      iota = P.iota_base + off[GA_NOP] + (x + k) * P.x_step[GA_NOP] + c * P.c_step[GA_NOP];
#endif
      ga_map(P, in, iota, out);
#define X(i, T) ga_put<T>(r##i, k * GA_CHANNELS + c, out.y##i);
      GA_WOVEN_OUT(X)
#undef X
#define X(i, T) ga_put<T>(r##i, c * GA_VEC + k, out.y##i);
      GA_PLANES_OUT(X)
#undef X
    }
  }

  __syncthreads();
#define X(i, T)                                                                      \
  _Pragma("unroll") for (int c = 0; c < GA_CHANNELS; c++) ga_give_vector<T>(         \
      runs.out.run##i, (x * GA_CHANNELS + c * GA_VEC) * (int)sizeof(T), r##i, c);
  GA_WOVEN_OUT(X)
#undef X
#if GA_STORE_VEC
#define X(i, T)                                                                      \
  _Pragma("unroll") for (int c = 0; c < GA_CHANNELS; c++) ga_store_vector<T>(        \
      P.a##i + (off[i] + c * P.c_step[i]) + x * (int)sizeof(T), r##i, c, nx - x);
#else
#define X(i, T)                                                                      \
  _Pragma("unroll") for (int c = 0; c < GA_CHANNELS; c++) ga_give_vector<T>(         \
      runs.out.run##i, (c * GA_SIDE + x) * (int)sizeof(T), r##i, c);
#endif
  GA_PLANES_OUT(X)
#undef X
  __syncthreads();
#define X(i, T)                                                                      \
  ga_give_run<T>(P.a##i + off[i], runs.out.run##i, 0, nx * GA_CHANNELS * (int)sizeof(T));
  GA_WOVEN_OUT(X)
#undef X
#if !GA_STORE_VEC
#define X(i, T)                                                                      \
  for (int c = 0; c < GA_CHANNELS; c++)                                              \
    ga_give_run<T>(P.a##i + (off[i] + c * P.c_step[i]), runs.out.run##i,             \
                   c * GA_SIDE * (int)sizeof(T), nx * (int)sizeof(T));
  GA_PLANES_OUT(X)
#undef X
#endif
}
