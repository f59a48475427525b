// SPDX-License-Identifier: MIT
// assert.h and cassert, for the preprocessor's first pass: NDEBUG counts where the
// header is included, as C has it. A text that does not include it has it too, and
// __trap() with its line.
#undef __trap
#define __trap() ::ga_hc_fault(GA_HC_TRAP, nullptr, __FILE__, __LINE__)
#undef assert
#ifdef NDEBUG
#define assert(e) ((void)0)
#else
#define assert(e) ((e) ? (void)0 : ::ga_hc_fault(GA_HC_ASSERT, #e, __FILE__, __LINE__))
#endif
