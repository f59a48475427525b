# SPDX-License-Identifier: MIT
# The switches of a build: --enable-debug, --enable-sanitizer, --enable-werror,
# --enable-fuzz.

# GA_DEBUG: asserts exist only with --enable-debug. Before AC_PROG_CC, whose
# default would optimise.
AC_DEFUN([GA_DEBUG], [
  AC_ARG_ENABLE([debug],
    [AS_HELP_STRING([--enable-debug], [asserts, and no optimisation])],
    [], [enable_debug=no])
  AS_IF([test "$enable_debug" = no],
    [AC_SUBST([GA_DEBUG_CPPFLAGS], [-DNDEBUG])],
    [AS_IF([test "${CFLAGS+set}" != set], [CFLAGS="-g3 -O0"])])
  AM_CONDITIONAL([GA_DEBUG], [test "$enable_debug" != no])
])

# GA_SANITIZER: --enable-sanitizer=address,undefined or =thread.
AC_DEFUN([GA_SANITIZER], [
  AC_ARG_ENABLE([sanitizer],
    [AS_HELP_STRING([--enable-sanitizer=LIST],
      [build with these sanitizers, as "address,undefined" or "thread"])],
    [], [enable_sanitizer=no])
  AS_IF([test "$enable_sanitizer" = yes], [enable_sanitizer=address,undefined])
  AS_IF([test "$enable_sanitizer" != no], [
    GA_SANITIZER_CFLAGS="-fsanitize=$enable_sanitizer -fno-omit-frame-pointer -g"
    GA_SANITIZER_CFLAGS="$GA_SANITIZER_CFLAGS -fno-sanitize-recover=all"
    ga_save_CFLAGS=$CFLAGS
    CFLAGS="$CFLAGS $GA_SANITIZER_CFLAGS"
    AC_LINK_IFELSE([AC_LANG_PROGRAM()], [],
      [AC_MSG_ERROR([the compiler has no -fsanitize=$enable_sanitizer])])
    CFLAGS=$ga_save_CFLAGS
  ])
  AC_SUBST([GA_SANITIZER_CFLAGS])
  AM_CONDITIONAL([GA_SANITIZER], [test "$enable_sanitizer" != no])
])

# GA_WARNINGS: the warnings the code is kept free of, errors with --enable-werror.
AC_DEFUN([GA_WARNINGS], [
  AC_ARG_ENABLE([werror],
    [AS_HELP_STRING([--enable-werror], [warnings are errors])],
    [], [enable_werror=no])
  AX_APPEND_COMPILE_FLAGS([-Wall -Wextra -Wpointer-arith -Wvla -Wstrict-prototypes dnl
    -Wmissing-prototypes], [GA_WARN_CFLAGS])
  AS_IF([test "$enable_werror" != no], [GA_WARN_CFLAGS="$GA_WARN_CFLAGS -Werror"])
  AC_SUBST([GA_WARN_CFLAGS])
])

# GA_FUZZ: build the libFuzzer targets too (clang).
AC_DEFUN([GA_FUZZ], [
  AC_ARG_ENABLE([fuzz],
    [AS_HELP_STRING([--enable-fuzz], [build the libFuzzer targets (clang)])],
    [], [enable_fuzz=no])
  AS_IF([test "$enable_fuzz" != no],
    [GA_SANITIZER_CFLAGS="$GA_SANITIZER_CFLAGS -fsanitize=fuzzer-no-link"])
  AM_CONDITIONAL([GA_FUZZ], [test "$enable_fuzz" != no])
])

# GA_IVOPTS: some GCC (12.2 of Debian 12) lose stores: where a loop counts an unsigned
# int down over an array of bytes and one of words in the same structure, the words
# are never written, from -O1 on. Such a compiler goes without that optimisation.
AC_DEFUN([GA_IVOPTS], [
  AC_CACHE_CHECK([whether the compiler loses stores in loops], [ga_cv_ivopts_broken], [
    ga_save_CFLAGS=$CFLAGS
    CFLAGS="$CFLAGS -O2"
    AC_RUN_IFELSE([AC_LANG_SOURCE([[
      #include <string.h>
      struct s { unsigned n; unsigned char mark@<:@64@:>@; long long word@<:@64@:>@; };
      static __attribute__((noinline)) void put(struct s *c) {
        for (unsigned k = c->n; k-- > 0;) if (c->mark@<:@k@:>@) c->word@<:@k@:>@ = 1;
      }
      static struct s c;
      int main(int argc, char **argv) {
        memset(&c, argv == 0, sizeof c);
        c.n = (unsigned)argc;
        c.mark@<:@0@:>@ = 1;
        put(&c);
        return c.word@<:@0@:>@ != 1;
      }]])],
      [ga_cv_ivopts_broken=no], [ga_cv_ivopts_broken=yes], [ga_cv_ivopts_broken=yes])
    CFLAGS=$ga_save_CFLAGS
  ])
  AS_IF([test "$ga_cv_ivopts_broken" = yes],
    [AX_CHECK_COMPILE_FLAG([-fno-ivopts], [GA_SAFE_CFLAGS=-fno-ivopts], [], [-Werror])])
  AC_SUBST([GA_SAFE_CFLAGS])
])
