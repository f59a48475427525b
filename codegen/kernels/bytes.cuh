/* SPDX-License-Identifier: MIT */
/* Operations on four whole numbers of a byte, or truths, at once, in the word that they lie in: a
 * GPU takes five to nine instructions an element to take a byte out of its word and put a result
 * back.
 * ga_four_<op>_<T> gives what ga_<op>_<T> gives for each (scalar_int.cuh).
 *
 * No sum carries from one byte to the next: the upper bits are added apart, by exclusive or.
 */
#define GA_FOUR_TOPS 0x80808080u

GA_FN ga_uint ga_four_sum(ga_uint a, ga_uint b) {
  return ((a & ~GA_FOUR_TOPS) + (b & ~GA_FOUR_TOPS)) ^ ((a ^ b) & GA_FOUR_TOPS);
}

GA_FN ga_uint ga_four_difference(ga_uint a, ga_uint b) {
  return ((a | GA_FOUR_TOPS) - (b & ~GA_FOUR_TOPS)) ^ ((a ^ ~b) & GA_FOUR_TOPS);
}

/* The low bytes of four products. */
GA_FN ga_uint ga_four_product(ga_uint a, ga_uint b) {
  const ga_uint low = __byte_perm(a * b, (a >> 8) * (b >> 8), 0x0040);
  const ga_uint high = __byte_perm((a >> 16) * (b >> 16), (a >> 24) * (b >> 24), 0x0040);
  return __byte_perm(low, high, 0x5410);
}

/* -128 stays: 0x7f + 1. */
GA_FN ga_uint ga_four_magnitude(ga_uint a) {
  const ga_uint negative = (a & GA_FOUR_TOPS) >> 7;
  return (a ^ negative * 255) + negative;
}

/* Of each byte 1 where the upper bit is set. */
GA_FN ga_uint ga_four_tops(ga_uint a) { return (a & GA_FOUR_TOPS) >> 7; }

/* The bytes less than b's: where the upper bits are alike, those whose lower bits borrow. */
template <bool SIGNED> GA_FN ga_uint ga_four_below(ga_uint a, ga_uint b) {
  const ga_uint d = (a | GA_FOUR_TOPS) - (b & ~GA_FOUR_TOPS);
  return ga_four_tops((SIGNED ? a & ~b : ~a & b) | (~(a ^ b) & ~d));
}

/* The bytes that are not 0. */
GA_FN ga_uint ga_four_set(ga_uint a) {
  return ga_four_tops(((a & ~GA_FOUR_TOPS) + ~GA_FOUR_TOPS) | a);
}

GA_FN ga_uint ga_four_not(ga_uint truths) { return truths ^ 0x01010101u; }

#define GA_FOUR_ANY(T, SIGNED)                                                                   \
  GA_FN ga_uint ga_four_not_equal_##T(ga_uint a, ga_uint b) { return ga_four_set(a ^ b); }       \
  GA_FN ga_uint ga_four_equal_##T(ga_uint a, ga_uint b) {                                        \
    return ga_four_not(ga_four_set(a ^ b));                                                      \
  }                                                                                              \
  GA_FN ga_uint ga_four_less_##T(ga_uint a, ga_uint b) { return ga_four_below<SIGNED>(a, b); }   \
  GA_FN ga_uint ga_four_greater_##T(ga_uint a, ga_uint b) {                                      \
    return ga_four_below<SIGNED>(b, a);                                                          \
  }                                                                                              \
  GA_FN ga_uint ga_four_less_equal_##T(ga_uint a, ga_uint b) {                                   \
    return ga_four_not(ga_four_below<SIGNED>(b, a));                                             \
  }                                                                                              \
  GA_FN ga_uint ga_four_greater_equal_##T(ga_uint a, ga_uint b) {                                \
    return ga_four_not(ga_four_below<SIGNED>(a, b));                                             \
  }                                                                                              \
  GA_FN ga_uint ga_four_where_##T(ga_uint c, ga_uint a, ga_uint b) {                             \
    const ga_uint mask = 255 * c;                                                                \
    return (a & mask) | (b & ~mask);                                                             \
  }                                                                                              \
  GA_FN ga_uint ga_four_bitwise_and_##T(ga_uint a, ga_uint b) { return a & b; }                  \
  GA_FN ga_uint ga_four_bitwise_or_##T(ga_uint a, ga_uint b) { return a | b; }                   \
  GA_FN ga_uint ga_four_bitwise_xor_##T(ga_uint a, ga_uint b) { return a ^ b; }
GA_FOUR_ANY(bool, false)
GA_FOUR_ANY(int8, true)
GA_FOUR_ANY(uint8, false)
GA_FN ga_uint ga_four_invert_bool(ga_uint a) { return ga_four_not(a); }
GA_FN ga_uint ga_four_invert_int8(ga_uint a) { return ~a; }
GA_FN ga_uint ga_four_invert_uint8(ga_uint a) { return ~a; }
GA_FN ga_uint ga_four_logical_and_bool(ga_uint a, ga_uint b) { return a & b; }
GA_FN ga_uint ga_four_logical_or_bool(ga_uint a, ga_uint b) { return a | b; }
GA_FN ga_uint ga_four_logical_xor_bool(ga_uint a, ga_uint b) { return a ^ b; }
GA_FN ga_uint ga_four_logical_not_bool(ga_uint a) { return ga_four_not(a); }

#define GA_FOUR(T, SIGNED)                                                                       \
  GA_FN ga_uint ga_four_add_##T(ga_uint a, ga_uint b) { return ga_four_sum(a, b); }              \
  GA_FN ga_uint ga_four_subtract_##T(ga_uint a, ga_uint b) { return ga_four_difference(a, b); }  \
  GA_FN ga_uint ga_four_multiply_##T(ga_uint a, ga_uint b) { return ga_four_product(a, b); }     \
  GA_FN ga_uint ga_four_square_##T(ga_uint a) { return ga_four_product(a, a); }                  \
  GA_FN ga_uint ga_four_negative_##T(ga_uint a) { return ga_four_difference(0, a); }             \
  GA_FN ga_uint ga_four_minimum_##T(ga_uint a, ga_uint b) {                                      \
    return ga_better_parts<4, false, SIGNED>(a, b);                                              \
  }                                                                                              \
  GA_FN ga_uint ga_four_maximum_##T(ga_uint a, ga_uint b) {                                      \
    return ga_better_parts<4, true, SIGNED>(a, b);                                               \
  }
GA_FOUR(int8, true)
GA_FOUR(uint8, false)
GA_FN ga_uint ga_four_absolute_int8(ga_uint a) { return ga_four_magnitude(a); }

/* A number, four times. */
template <class T> GA_FN ga_uint ga_four_of(T x) { return 0x01010101u * (unsigned char)x; }
