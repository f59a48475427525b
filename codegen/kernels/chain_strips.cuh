/* SPDX-License-Identifier: MIT */
/* The fours of a chain's columns (chain_columns.cu): their elements lie a row apart,
 * neighbouring lanes have neighbouring columns.
 */
#define GA_CHUNK 1024
#define GA_STRIPS (GA_CLUSTER > 1 ? 8 : 4) /* parts of a column that blocks join, at most */

struct ga_params {
  GA_OPERANDS(GA_POINTER)
  ga_ulong reduced, columns;
  ga_div tiles; /* of GA_ACROSS columns */
  ga_axes<GA_NK> kept_axes; /* all but the columns */
  ga_offset column[GA_NOFF], row[GA_NOFF];
  GA_NUMBERS(GA_NUMBER)
};

GA_FN int ga_turned(int j) { return j; }

/* What level L reads first of the lane's fours from element r of its column on. */
template <int L>
GA_FN void ga_load_fours(const ga_params &P, const ga_place &column, ga_index r,
                         ga_four (&f)[GA_FOURS]) {
#define X(i, T)                                                                    \
  if (ga_at##i == L) {                                                             \
    const char *p = P.a##i + (column.off[i] + (ga_offset)r * P.row[i]);            \
    _Pragma("unroll") for (int c = 0; c < GA_FOURS; c++) {                         \
      _Pragma("unroll") for (int j = 0; j < 4; j++) {                              \
        if (ga_exists(P, r, c, j)) f[c].x##i.set(j, ga_load<T>(p));                \
        p += j < 3 ? (ga_long)P.row[i] : (ga_long)P.row[i] * (GA_PITCH - 3);             \
      }                                                                            \
    }                                                                              \
  }
  GA_INPUTS(X)
#undef X
}

#if GA_MAPS

GA_FN void ga_map_fours(const ga_params &P, const ga_place &column, ga_index r,
                        ga_four (&f)[GA_FOURS], const ga_kept &kept, bool exists) {
  ga_load_fours<GA_MAP>(P, column, r, f);
  if (!exists) return;
#define X(i, T) char *p##i = P.a##i + (column.off[i] + (ga_offset)r * P.row[i]);
  GA_OUTPUTS(X)
#undef X
#pragma unroll
  for (int c = 0; c < GA_FOURS; c++) {
#pragma unroll
    for (int j = 0; j < 4; j++) {
      ga_out out;
      ga_map(P, f[c].get(j), kept, out);
#define X(i, T)                                                   \
  if (ga_exists(P, r, c, j)) ga_store<T>(p##i, out.y##i);         \
  p##i += j < 3 ? (ga_long)P.row[i] : (ga_long)P.row[i] * (GA_PITCH - 3);
      GA_OUTPUTS(X)
#undef X
    }
  }
}

#endif
