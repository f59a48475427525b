# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# How tests run under a sanitizer (configure --enable-sanitizer): make check reads this.
# What the environment says of its own comes last, and holds.

# Tests take several times as long, those that compile or use all cores most.
: "${CK_TIMEOUT_MULTIPLIER=10}"

# LeakSanitizer guesses where the C library keeps the dynamic thread-local storage of
# a loaded library from the 16 bytes before it, which glibc has not written since 2.25:
# a chance address there ended half of the runs of tests/check_cluda_programs.
#
# Stacks that AddressSanitizer keeps after a return (GCC 13's default) are aligned to 32
# bytes, and a spilt AVX-512 register faults there: GCC bug 110027.
ASAN_OPTIONS=intercept_tls_get_addr=0:detect_stack_use_after_return=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}

# A child that several threads forked may start threads: the library mends its locks. A test
# jumps out of its handler of SIGSEGV, after which all it does counts as the handler's.
TSAN_OPTIONS=die_after_fork=0:report_signal_unsafe=0${TSAN_OPTIONS:+:$TSAN_OPTIONS}

export CK_TIMEOUT_MULTIPLIER ASAN_OPTIONS TSAN_OPTIONS
