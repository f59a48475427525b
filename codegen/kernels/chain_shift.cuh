/* SPDX-License-Identifier: MIT */
/* Rows whose fours do not lie on their size, as those of 1023 float32 do three times
 * out of four: lanes move aligned vectors, and shift them across each other. Elements
 * are of 4 bytes at most; of wider ones each lane moves its own.
 *
 *   element 0 at 12 modulo 16: m = 3 elements lie before it in its 16 bytes. Lane l
 *   loads elements 4l-3 to 4l and gets 4l+1 to 4l+3 from lane l+1; it stores 4l-3 to
 *   4l, the first three of which it gets from lane l-1.
 *
 * The last lane's neighbour is the first lane, four by four: of its next vector, and
 * for the last four of one more vector, that the last lane loads itself. What the
 * first and the last lane share with other warps they store by elements. No aligned
 * 16 bytes are touched that hold nothing of the row. */

/* This lane of the 2^bits that have a row, or of the warp that has a chunk of it. */
struct ga_lane {
  ga_uint at, last, next, before; /* its number, the highest, lanes of its neighbours */
};

GA_FN ga_lane ga_lane_of(int bits) {
  const ga_uint lane = threadIdx.x & 31, last = (1u << bits) - 1, base = lane & ~last;
  ga_lane l;
  l.at = lane & last;
  l.last = last;
  l.next = base + ((l.at + 1) & last);
  l.before = base + ((l.at + last) & last);
  return l;
}

/* Fours of one operand, the first being elements r to r+3 of its row of n, at p; the
 * others GA_PITCH apart. */
template <class T, bool NARROW> struct ga_shifted {
  enum { N = (int)sizeof(T), F = GA_FOURS };

  GA_FN void load(const char *p, const ga_lane &lane, ga_index r, ga_index n,
                  ga_vec<T, 4> (&v)[F]) {
    const ga_uint m = (ga_uint)((ga_ulong)p / sizeof(T)) & 3;
    const char *q = p - m * sizeof(T);
    const bool more = m != 0 && lane.at == lane.last && r + (F - 1) * GA_PITCH + 4 < n + m;
    ga_uint u[F + 1][N];
#pragma unroll
    for (int c = 0; c <= F; c++) {
      ga_vec<ga_uint, N> t = ga_splat<ga_uint, N>(0u);
      if (c < F ? r + c * GA_PITCH < n + m : more)
        t = *(const ga_vec<ga_uint, N> *)(q + (c < F ? c * GA_PITCH : (F - 1) * GA_PITCH + 4) * N);
#pragma unroll
      for (int k = 0; k < N; k++) u[c][k] = t.v[k];
    }
#pragma unroll
    for (int c = 0; c < F; c++) {
      ga_uint high[N], w[N];
#pragma unroll
      for (int k = 0; k < N; k++) {
        const ga_uint send = lane.at == 0 && c + 1 < F ? u[c + 1][k] : u[c][k];
        high[k] = __shfl_sync(GA_FULL, send, lane.next);
        if (c + 1 == F && lane.at == lane.last) high[k] = u[F][k];
      }
      ga_shift_words<N, N == 4>(u[c], high, m * N, w);
      memcpy(&v[c], w, sizeof v[c]);
    }
  }

  GA_FN void store(char *p, const ga_lane &lane, ga_index r, ga_index n,
                   const ga_vec<T, 4> (&v)[F], bool exists) {
    const ga_uint m = (ga_uint)((ga_ulong)p / sizeof(T)) & 3;
    char *q = p - m * sizeof(T);
    ga_uint u[F][N];
#pragma unroll
    for (int c = 0; c < F; c++) {
      const bool first = c == 0 && lane.at == 0;
      ga_uint low[N], w[N];
      ga_vec<T, 4> t;
      memcpy(u[c], &v[c], sizeof v[c]);
#pragma unroll
      for (int k = 0; k < N; k++) {
        const ga_uint send = lane.at == lane.last && c > 0 ? u[c > 0 ? c - 1 : 0][k] : u[c][k];
        low[k] = __shfl_sync(GA_FULL, send, lane.before);
      }
      ga_shift_words<N, N == 4>(low, u[c], (4 - m) % 4 * N, w);
      memcpy(&t, w, sizeof t);
      if (m == 0) t = v[c];
      if (exists && !(first && m != 0) && r + c * GA_PITCH + 4 <= n + m) {
        ga_store_aligned<T, 4>(q + c * GA_PITCH * N, t);
      } else if (exists) {
#pragma unroll
        for (ga_uint j = 0; j < 4; j++)
          if (r + c * GA_PITCH + j < n + m && (!first || j >= m))
            ga_store<T>(q + (c * GA_PITCH + (int)j) * N, t.v[j]);
      }
    }
    if (!exists || lane.at != lane.last) return;
#pragma unroll
    for (ga_uint j = 1; j < 4; j++)
      if (j + m >= 4 && r + (F - 1) * GA_PITCH + j < n)
        ga_store<T>(p + ((F - 1) * GA_PITCH + (int)j) * N, v[F - 1].v[j]);
  }
};

template <class T> struct ga_shifted<T, false> {
  enum { N = (int)sizeof(T), F = GA_FOURS };

  GA_FN void load(const char *p, const ga_lane &lane, ga_index r, ga_index n,
                  ga_vec<T, 4> (&v)[F]) {
#pragma unroll
    for (int c = 0; c < F; c++)
#pragma unroll
      for (int j = 0; j < 4; j++)
        if (r + c * GA_PITCH + j < n) v[c].v[j] = ga_load<T>(p + (c * GA_PITCH + j) * N);
  }

  GA_FN void store(char *p, const ga_lane &lane, ga_index r, ga_index n,
                   const ga_vec<T, 4> (&v)[F], bool exists) {
#pragma unroll
    for (int c = 0; c < F; c++)
#pragma unroll
      for (int j = 0; j < 4; j++)
        if (exists && r + c * GA_PITCH + j < n) ga_store<T>(p + (c * GA_PITCH + j) * N, v[c].v[j]);
  }
};
