/* SPDX-License-Identifier: MIT */
/* Included first by files of complex arithmetic. GCC 12's vectoriser turns the
 * alternating sums and differences of complex products into fused multiply-adds
 * even under -ffp-contract=off (GCC bug 107647); without such instructions it
 * cannot. AVX-512 has them built in and is left out too. */
#ifndef GA_CPU_UNCONTRACTED_H
#define GA_CPU_UNCONTRACTED_H

#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__)
#pragma GCC target("no-fma,no-fma4,no-avx512f")
#endif

#endif
