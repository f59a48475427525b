/* SPDX-License-Identifier: MIT */
/* The kernel of reduce_down.cuh. */
#define GA_APART (GA_VECTOR ? 1 : 32)

/* A thread's columns: the first one's first row; those from `first` on are its own, and n exist. */
struct ga_columns {
  ga_place at;
  int first, n;
};

/* Row r of those from `row` on. Where rows lie across vectors it is the last one past the end too,
 * so that no condition is between the loads. */
GA_FN ga_offset ga_row(const ga_params &P, ga_uint row, int r) {
  const ga_uint last = (ga_uint)P.reduced - 1;
  return (ga_offset)(GA_ALIGNED || row + r < last ? row + r : last);
}

#if GA_WOVEN

/* The rows of n columns that lie woven at p. */
template <class T>
GA_FN void ga_unweave(ga_pack<T, GA_VEC> (&x)[GA_LOADS], const char *p, int n) {
  ga_pack<T, GA_VEC> w[GA_WOVEN];
#pragma unroll
  for (int c = 0; c < GA_WOVEN; c++)
    w[c].load(p + (c * GA_VEC < n * GA_WOVEN ? c : 0) * GA_VEC * (int)sizeof(T));
#pragma unroll
  for (int r = 0; r < GA_WOVEN; r++)
#pragma unroll
    for (int k = 0; k < GA_VEC; k++)
      x[r].set(k, w[(k * GA_WOVEN + r) / GA_VEC].get((k * GA_WOVEN + r) % GA_VEC));
}

GA_FN void ga_load_rows(const ga_params &P, const ga_columns &c, ga_uint, ga_vectors &l) {
#define X(i, T) ga_unweave<T>(l.x##i, P.a##i + c.at.off[i], c.n);
  GA_INPUTS(X)
#undef X
}

#else

/* GA_LOADS rows from `row` on, as far as they exist. */
GA_FN void ga_load_rows(const ga_params &P, const ga_columns &c, ga_uint row, ga_vectors &l) {
#define GA_EACH_ROW(i)                                                      \
  const char *p = P.a##i + c.at.off[i];                                     \
  _Pragma("unroll") for (int r = 0; r < GA_LOADS; r++)                      \
    if (GA_ALIGNED && row + r >= (ga_uint)P.reduced) break; else
#define GA_ROW_AT(i) (p + ga_row(P, row, r) * P.row_step[i])
#define X(i, T)                                                                           \
  if constexpr (!GA_WALKS_##i) {                                                          \
    GA_EACH_ROW(i) l.x##i[r].fill(ga_load<T>(GA_ROW_AT(i)));                              \
  } else if constexpr (GA_STEP(i) != 0) {                                                 \
    GA_EACH_ROW(i) ga_load_neighbours<GA_STEP(i)>(l.x##i[r], GA_ROW_AT(i), 0, GA_VEC);    \
  } else if constexpr (GA_VECTOR && GA_ALIGNED) {                                         \
    GA_EACH_ROW(i) l.x##i[r].load(GA_ROW_AT(i));                                          \
  } else if constexpr (GA_VECTOR) {                                                       \
    GA_EACH_ROW(i) l.x##i[r].take(ga_load_any<T, GA_VEC>(GA_ROW_AT(i)));                  \
  } else {                                                                                \
    GA_EACH_ROW(i)                                                                        \
    _Pragma("unroll") for (int k = 0; k < GA_VEC; k++) l.x##i[r].set(                     \
        k, ga_load<T>(GA_ROW_AT(i) + (k < c.n ? k : c.n - 1) * GA_APART * P.inner_step[i])); \
  }
  GA_INPUTS(X)
#undef X
}

#endif

#if GA_LOOSE

/* Column k, of what a thread has of it. */
GA_FN ga_acc ga_column(const ga_params &P, const ga_columns &c, const ga_some &some, int k) {
#if GA_ARG
  ga_acc a = ga_identity();
  if (ga_is_nothing(some)) return a;
  a.r0 = ga_value_of(some);
  a.i0 = P.iota_base + c.at.off[GA_NOP] + (ga_long)(k * GA_APART) * P.inner_step[GA_NOP] +
         (ga_long)ga_line_of(P, some) * P.row_step[GA_NOP];
  return a;
#else
  return ga_widen(some);
#endif
}

GA_FN void ga_reduce(const ga_params &P, const ga_columns &c, ga_acc (&all)[GA_VEC]) {
  const ga_uint rows = (ga_uint)P.reduced;
  ga_some a[GA_VEC];
#pragma unroll
  for (int k = 0; k < GA_VEC; k++) a[k] = ga_nothing();
#pragma unroll 1
  for (ga_uint row = 0; row < rows; row += GA_LOADS) {
    ga_vectors l;
    ga_load_rows(P, c, row, l);
    ga_merge_lines(l, [&](int r) { return row + r < rows; });
#pragma unroll
    for (int r = 0; r < GA_LINES_LEFT; r++) {
      if (row + r >= rows) break;
#pragma unroll
      for (int k = 0; k < GA_VEC; k++) ga_add(P, a[k], l, r, k, row + r);
    }
  }
#pragma unroll
  for (int k = 0; k < GA_VEC; k++) all[k] = ga_column(P, c, a[k], k);
}

#else

/* Four rows of column k from l's r-th on, of which `some` exist. */
GA_FN ga_sub ga_four_rows(const ga_params &P, const ga_vectors &l, int r, int k, ga_uint some) {
  const auto leaf = [&](int n) {
    ga_in in;
#define X(i, T) in.x##i = l.x##i[r + n].get(k);
    GA_INPUTS(X)
#undef X
    return ga_narrow(ga_leaf(P, in, 0));
  };
  ga_sub a = leaf(0);
  if (some > 1) a = ga_combine(a, leaf(1));
  if (some > 2) {
    ga_sub b = leaf(2);
    if (some > 3) b = ga_combine(b, leaf(3));
    a = ga_combine(a, b);
  }
  return a;
}

GA_FN void ga_reduce(const ga_params &P, const ga_columns &c, ga_acc (&all)[GA_VEC]) {
  const ga_uint rows = GA_WOVEN ? GA_WOVEN : (ga_uint)P.reduced;
  ga_sub a[GA_FOURS][GA_VEC];
#pragma unroll
  for (int f = 0; f < GA_FOURS; f += GA_LOADS / 4) {
    ga_vectors l;
    if (4 * f >= rows) break;
    ga_load_rows(P, c, 4 * f, l);
#pragma unroll
    for (int g = 0; g < GA_LOADS / 4; g++) {
      if (4 * (f + g) >= rows) break;
#pragma unroll
      for (int k = 0; k < GA_VEC; k++)
        a[f + g][k] = ga_four_rows(P, l, 4 * g, k, rows - 4 * (f + g));
    }
  }
#pragma unroll
  for (int h = GA_FOURS / 2; h > 0; h /= 2)
#pragma unroll
    for (int f = 0; f < GA_FOURS / 2; f++) /* a bound that is known */
      if (f < h && 4 * (f + h) < rows)
#pragma unroll
        for (int k = 0; k < GA_VEC; k++) a[f][k] = ga_combine(a[f][k], a[f + h][k]);
#pragma unroll
  for (int k = 0; k < GA_VEC; k++) all[k] = ga_widen(a[0][k]);
}

#endif

extern "C" __global__ void __launch_bounds__(GA_BLOCK, GA_MIN_BLOCKS)
ga_kernel(const __grid_constant__ ga_params P) {
  GA_ENTER();
  const ga_ulong t = (ga_ulong)blockIdx.x * GA_BLOCK + threadIdx.x;
  if (t >= P.units) return;
  const ga_index outer = ga_quotient((ga_index)t, P.vectors);
  const ga_ulong x = (ga_ulong)((ga_index)t - outer * P.vectors.d);
  ga_ulong column = GA_VECTOR ? x * GA_VEC : (x & ~31ull) * GA_VEC + (x & 31);
  if (column >= P.inner) return;
  const ga_ulong some = (P.inner - column + (GA_APART - 1)) / GA_APART;
  ga_columns c;
  ga_acc all[GA_VEC];
  c.first = 0;
  c.n = some < GA_VEC ? (int)some : GA_VEC;
  if (GA_VECTOR && !GA_ALIGNED && c.n < GA_VEC) { /* the last one's reach back */
    c.first = GA_VEC - c.n;
    c.n = GA_VEC;
    column -= c.first;
  }
  c.at = ga_seek(P.kept_axes, outer);
#pragma unroll
  for (int o = 0; o < GA_NOFF; o++) c.at.off[o] += (ga_offset)column * P.inner_step[o];
  ga_reduce(P, c, all);
  ga_finish_beside<GA_APART>(P, c.at, P.inner_step, all, c.first, c.n);
}
