/* SPDX-License-Identifier: MIT */
/* What the map makes of rows that were staged (chain_staged.cuh): lanes leave results where the
 * elements lay, in shared memory, and the block copies them out, as aligned vectors.
 *
 * GA_HELD: elements stay there, and the map goes past it, in no order: threads write aligned
 * vectors, and work out again what earlier levels had of their elements.
 *
 *   rows of 2047 float32, of an output from address 4 modulo 16 on: thread 0 writes elements 0 to
 *   2, one by one, thread 1 elements 3 to 6.
 */
#if GA_STAGED && GA_MAPS

#if GA_HELD

/* GA_RUN neighbours: 16 bytes of the widest operand that is staged, at most eight. */
struct ga_run {
#define X(i, T) ga_pack<T, GA_RUN> x##i;
  GA_INPUTS(X)
#undef X
  GA_FN_MEMBER ga_one get(int j) const {
    ga_one in;
#define X(i, T) in.x##i = x##i.get(j);
    GA_INPUTS(X)
#undef X
    return in;
  }
};

template <class T> GA_FN bool ga_is_run(const char *p) {
  return ((ga_ulong)p & (GA_RUN * sizeof(T) - 1)) == 0;
}

/* A run of elements from p on. */
template <class T> GA_FN void ga_read_run(const char *p, ga_pack<T, GA_RUN> &f) {
  if (ga_is_run<T>(p))
    f.load(p);
  else
    f.take(ga_load_any<T, GA_RUN>(p));
}

/* What the map reads of the block's elements from number n on, of which some may be before the
 * first or behind the last: they are those. */
GA_FN void ga_read_runs(const ga_params &P, const ga_staged_rows &s, ga_offset n, bool whole,
                        ga_run &f) {
  const ga_offset last = (ga_offset)s.count - 1;
#define X(i, T)                                                                          \
  if (ga_last##i >= GA_MAP) {                                                            \
    const char *p = P.a##i + s.at.off[i];                                                \
    if (ga_staged##i) p = s.shared + (ga_area##i * s.room + ga_phase(p));                \
    if (!ga_staged##i && !ga_moves(P, i))                                                \
      f.x##i.fill(ga_load<T>(p));                                                        \
    else if (whole)                                                                      \
      ga_read_run<T>(p + n * (ga_offset)sizeof(T), f.x##i);                              \
    else                                                                                 \
      _Pragma("unroll") for (int e = 0; e < GA_RUN; e++) {                               \
        const ga_offset at = n + e < 0 ? 0 : n + e < last ? n + e : last;                \
        f.x##i.set(e, ga_load<T>(p + at * (ga_offset)sizeof(T)));                        \
      }                                                                                  \
  }
  GA_INPUTS(X)
#undef X
}

/* The map of the block's elements, in no order: as the runs in which the first output lies. */
GA_FN void ga_map_part(const ga_params &P, const ga_staged_rows &s, const ga_kept &kept) {
  const ga_offset count = (ga_offset)s.count;
  int before = -1;
  if (count == 0) return;
#define X(i, T) \
  if (before < 0) before = (int)((ga_phase(P.a##i + s.at.off[i]) / sizeof(T)) & (GA_RUN - 1));
  GA_OUTPUTS(X)
#undef X
#pragma unroll 1
  for (ga_offset n = (ga_offset)threadIdx.x * GA_RUN - before; n < count;
       n += (ga_offset)blockDim.x * GA_RUN) {
    const bool whole = n >= 0 && n + GA_RUN <= count;
    ga_run f;
    ga_out out[GA_RUN];
    ga_read_runs(P, s, n, whole, f);
#pragma unroll
    for (int e = 0; e < GA_RUN; e++) ga_map(P, f.get(e), kept, out[e]);
#define X(i, T)                                                                          \
    {                                                                                    \
      char *p = P.a##i + (s.at.off[i] + n * (ga_offset)sizeof(T));                       \
      ga_vec<T, GA_RUN> t;                                                               \
      _Pragma("unroll") for (int e = 0; e < GA_RUN; e++) t.v[e] = out[e].y##i;           \
      if (whole && ga_is_run<T>(p)) {                                                    \
        ga_store_aligned<T, GA_RUN>(p, t);                                               \
      } else {                                                                           \
        _Pragma("unroll") for (int e = 0; e < GA_RUN; e++)                               \
          if (n + e >= 0 && n + e < count) ga_store<T>(p + e * (int)sizeof(T), t.v[e]);  \
      }                                                                                  \
    }
    GA_OUTPUTS(X)
#undef X
  }
}

#else

/* Registers of what the map alone reads of a lane's fours and is not staged: where they are few,
 * it is read before results are left, else four by four. */
#define X(i, T) +(ga_at##i == GA_MAP && !ga_staged##i ? GA_FOURS * GA_WIDTH * (int)sizeof(T) : 0)
enum { ga_plain_bytes = 0 GA_INPUTS(X), ga_is_early = ga_plain_bytes <= 80 };
#undef X

/* Whether those fours lie as vectors do. */
GA_FN bool ga_are_plain_vectors(const ga_params &P, const ga_place &here) {
  ga_ulong low = 0;
#define X(i, T)                                                                     \
  if (ga_at##i == GA_MAP && !ga_staged##i && ga_plain_way(P, i) > 0)                 \
    low |= (ga_ulong)(P.a##i + here.off[i]) & (alignof(ga_vec<T, GA_WIDTH>) - 1);
  GA_INPUTS(X)
#undef X
  return GA_TURN || low == 0;
}

template <bool VECTORS>
GA_FN void ga_read_plain_four(const ga_params &P, const ga_place &here, ga_index r, int c,
                              ga_four &f) {
#define X(i, T)                                                                     \
  if (ga_at##i == GA_MAP && !ga_staged##i)                                           \
    f.x##i.take(ga_read_plain<T, VECTORS ? 2 : 0>(P, P.a##i + here.off[i],           \
                                                  ga_plain_way(P, i), r, c));
  GA_INPUTS(X)
#undef X
}

template <bool VECTORS>
GA_FN void ga_read_plain_fours(const ga_params &P, const ga_place &here, ga_index r,
                               ga_four (&f)[GA_FOURS]) {
#pragma unroll
  for (int c = 0; c < GA_FOURS; c++) ga_read_plain_four<VECTORS>(P, here, r, c, f[c]);
}

/* Leaves the map of each element where it is to be copied from. ALL: the lane lacks none. */
template <bool ALL, bool VECTORS>
GA_FN void ga_leave_fours(const ga_params &P, const ga_staged_rows &s, const ga_place &row,
                          ga_index r, ga_four (&f)[GA_FOURS], const ga_kept &kept, bool exists) {
  const ga_place here = ga_at(P, row, r);
  if (GA_PIECE > 1 && !exists) return; /* one branch: pieces are stored too far apart to be asked */
#define X(i, T)                                                                       \
  char *const to##i = s.shared + ga_area##i * s.room;                                 \
  const ga_uint at##i = ga_own_at<T, ga_apart##i>(P, s, P.a##i, row, i) +             \
                        (ga_uint)(r * s.step) * (ga_uint)ga_step_of<T>(P, i);
  GA_OUTPUTS(X)
#undef X
#pragma unroll
  for (int c = 0; c < GA_FOURS; c++) {
    if (!ga_is_early) ga_read_plain_four<VECTORS>(P, here, r, c, f[c]);
#pragma unroll
    for (int j = 0; j < GA_WIDTH; j += GA_PIECE) {
      ga_out out[GA_PIECE];
#pragma unroll
      for (int e = 0; e < GA_PIECE; e++) ga_map(P, f[c].get(j + e), kept, out[e]);
#define X(i, T)                                                                     \
  if ((GA_PIECE > 1 || exists) && (ALL || ga_exists(P, r, c, ga_in_turn(j)))) {      \
    ga_vec<T, GA_PIECE> t;                                                           \
    _Pragma("unroll") for (int e = 0; e < GA_PIECE; e++) t.v[e] = out[e].y##i;       \
    *(ga_vec<T, GA_PIECE> *)ga_beyond(                                               \
        to##i, at##i,                                                                \
        (ga_uint)((c * GA_PITCH + ga_in_turn(j)) * s.step) * (ga_uint)ga_step_of<T>(P, i)) = t; \
  }
      GA_OUTPUTS(X)
#undef X
    }
  }
}

template <bool VECTORS>
GA_FN void ga_leave_rows(const ga_params &P, const ga_staged_rows &s, const ga_place &row,
                         ga_index r, ga_four (&f)[GA_FOURS], const ga_kept &kept, bool exists) {
#if GA_CUTS
  if (ga_is_chunk(P, r))
    ga_leave_fours<true, VECTORS>(P, s, row, r, f, kept, exists);
  else
#endif
    ga_leave_fours<false, VECTORS>(P, s, row, r, f, kept, exists);
}

GA_FN void ga_map_rows(const ga_params &P, const ga_staged_rows &s, const ga_place &row,
                       ga_index r, ga_four (&f)[GA_FOURS], const ga_kept &kept, bool exists) {
  const ga_place here = ga_at(P, row, r);
  const bool vectors = ga_are_plain_vectors(P, here);
  ga_read_fours<GA_MAP>(P, s, row, r, f);
  if constexpr (ga_is_early && ga_plain_bytes > 0) {
    if (vectors) ga_read_plain_fours<true>(P, here, r, f);
    if (!vectors) ga_read_plain_fours<false>(P, here, r, f);
  }
  if (GA_ROWS == 1) __syncthreads(); /* results take the place of what all have read */
  if constexpr (ga_is_early) {
    ga_leave_rows<true>(P, s, row, r, f, kept, exists);
  } else {
    if (vectors)
      ga_leave_rows<true>(P, s, row, r, f, kept, exists);
    else
      ga_leave_rows<false>(P, s, row, r, f, kept, exists);
  }
}

/* The 16 bytes at `from` to p, as far as they are bytes `begin` to `end` of what is there. */
template <class T>
GA_FN void ga_put_vector(char *to, const char *from, ga_uint b, ga_uint begin, ga_uint end) {
  if (b >= begin && b + 16 <= end) {
    *(ga_sixteen *)(to + b) = *(const ga_sixteen *)(from + b);
  } else {
    for (ga_uint e = b; e < b + 16; e += (ga_uint)sizeof(T))
      if (e >= begin && e < end) ga_store<T>(to + e, *(const T *)(from + e));
  }
}

/* Elements back to p, vectors but where an end cuts them: few threads have those elements. */
template <class T> GA_FN void ga_put_back(char *p, const char *from, ga_index count) {
  const ga_uint phase = ga_phase(p), end = phase + (ga_uint)(count * sizeof(T));
  const ga_uint first = (phase + 15) & ~15u, last = (end & ~15u) < first ? first : end & ~15u;
  const ga_uint head = phase + threadIdx.x * (ga_uint)sizeof(T), tail = last + head - phase;
  char *to = p - phase;
  ga_share_vectors(first, last, [&](ga_uint b, ga_uint more) {
    *(ga_sixteen *)(to + b + more) = *(const ga_sixteen *)(from + b + more);
  });
  if (head < first && head < end) ga_store<T>(to + head, *(const T *)(from + head));
  if (tail < end) ga_store<T>(to + tail, *(const T *)(from + tail));
}

#if GA_APART
template <class T>
GA_FN void ga_put_apart(const char *from, const ga_ulong *low, ga_uint rows, ga_uint reach) {
  const ga_uint pitch = ga_row_pitch(reach);
  ga_each_vector(rows, ga_row_vectors(reach), [&](ga_uint k, ga_uint v) {
    const ga_uint phase = (ga_uint)low[k] & 15;
    ga_put_vector<T>((char *)(low[k] - phase), from + k * pitch, v * 16, phase, phase + reach);
  });
}
#endif

/* All rows' results back. */
GA_FN void ga_put_rows(const ga_params &P, const ga_staged_rows &s) {
  __syncthreads();
#define X(i, T)                                                                          \
  if (!ga_apart##i)                                                                      \
    ga_put_back<T>(ga_low_of<T>(P, s, P.a##i, i), s.shared + ga_area##i * s.room, s.count);
  GA_OUTPUTS(X)
#undef X
#if GA_APART
#define X(i, T)                                                                          \
  if (ga_apart##i)                                                                       \
    ga_put_apart<T>(s.shared + ga_area##i * s.room, s.low[ga_low##i], s.rows,            \
                    ga_reach<T>(sizeof(T), (ga_index)P.reduced));
  GA_OUTPUTS(X)
#undef X
#endif
}

#endif

#endif
