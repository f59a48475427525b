/* SPDX-License-Identifier: MIT */
/* What a map makes once of inputs that stay along a row, and of numbers (codegen/gen_kept.h).
 * Where it makes nothing so (GA_KEEPS is not defined), elements are made as ever. */
#if !GA_KEEPS
struct ga_kept {
  char unused;
};
template <class GA_P, class GA_I> GA_FN void ga_keep(const GA_P &, const GA_I &, ga_kept &) {}
template <class GA_P, class GA_I, class GA_O>
GA_FN void ga_map(const GA_P &P, const GA_I &in, const ga_kept &, ga_long iota, GA_O &out) {
  ga_map(P, in, iota, out);
}
#endif
