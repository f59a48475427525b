# SPDX-License-Identifier: MIT
# GA_ISA: the instruction sets for which the loops of lib/cpu are compiled.
# On x86-64 they are compiled three times and chosen at run time; elsewhere
# once. Defines the conditional GA_X86_64 and the flags of each. The flags that
# vectorise are named one by one: a -O3 would be undone by the user's CFLAGS.
AC_DEFUN([GA_ISA], [
  AC_CACHE_CHECK([for x86-64], [ga_cv_x86_64],
    [AC_COMPILE_IFELSE([AC_LANG_PROGRAM([], [[
#if !defined __x86_64__ || defined __ILP32__
#error other
#endif
]])], [ga_cv_x86_64=yes], [ga_cv_x86_64=no])])
  AM_CONDITIONAL([GA_X86_64], [test "$ga_cv_x86_64" = yes])
  AC_SUBST([GA_AVX2_CFLAGS], ["-mavx2 -mfma -mf16c"])
  AC_SUBST([GA_AVX512_CFLAGS],
    ["-mavx2 -mfma -mf16c -mavx512f -mavx512bw -mavx512vl -mavx512dq"])
  dnl No loop asks for floating-point exceptions, and elements come as any bytes.
  AX_APPEND_COMPILE_FLAGS([-ftree-vectorize -fvect-cost-model=dynamic dnl
    -fno-trapping-math -fno-strict-aliasing], [GA_LOOP_CFLAGS], [-Werror])
  AC_SUBST([GA_LOOP_CFLAGS])
])
