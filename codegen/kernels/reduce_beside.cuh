/* SPDX-License-Identifier: MIT */
/* Results of a thread that lie beside each other: what is read after the reduction, and stored. */

/* Result k of GA_VEC is k * APART steps from `at`; the thread's are those from `first` on, below
 * n. */
template <int APART, class GA_P, class PLACE, class STEP>
GA_FN void ga_finish_beside(const GA_P &P, const PLACE &at, const STEP &step,
                            const ga_acc (&all)[GA_VEC], int first, int n) {
  ga_out out[GA_VEC];
#define GA_AT(i) (P.a##i + (at.off[i] + k * APART * step[i]))
#pragma unroll
  for (int k = 0; k < GA_VEC; k++) {
    ga_outer outer;
    if (k < first || k >= n) continue;
#define X(i, T) outer.x##i = ga_load<T>(GA_AT(i));
    GA_OUTERS(X)
#undef X
    ga_post(P, all[k], outer, out[k]);
  }
  if (GA_STORE_VEC && first == 0 && n == GA_VEC) {
#define X(i, T) GA_STORE(i, T, GA_VEC)
    GA_OUTPUTS(X)
#undef X
  } else {
#pragma unroll
    for (int k = 0; k < GA_VEC; k++) {
      if (k < first || k >= n) continue;
#define X(i, T) ga_store<T>(GA_AT(i), out[k].y##i);
      GA_OUTPUTS(X)
#undef X
    }
  }
}
