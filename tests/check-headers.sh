#!/bin/sh
# SPDX-License-Identifier: MIT
# Every public header compiles alone, as the oldest C and C++ that programs use
# it from, with every warning an error; and arguments made by GA_ARGS and GA_DIMS
# reach a C++ function as they were written.
set -eu
: "${top_srcdir:?}" "${CC:=cc}" "${CXX:=c++}"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
status=0

# compile COMMAND... FILE: complains and goes on.
try() {
  if ! "$@" -fsyntax-only -I "$top_srcdir/include" 2>"$dir/err"; then
    echo "FAIL: $*"
    cat "$dir/err"
    status=1
  fi
}

for h in gpuarray.h $(cd "$top_srcdir/include" && ls gpuarray/*.h); do
  if test "$h" = gpuarray/ext_cuda.h && ! echo '#include <cuda.h>' |
    $CC -fsyntax-only -x c - 2>/dev/null; then
    continue # the toolkit's header is not there
  fi
  printf '#include <%s>\nextern int something;\n' "$h" >"$dir/one.c"
  printf '#include <%s>\n#include <%s>\nint main() { return 0; }\n' "$h" "$h" >"$dir/one.cc"
  # shellcheck disable=SC2086 # the compilers may be several words
  {
    try $CC -std=gnu89 -Wall -Wdeclaration-after-statement -Werror "$dir/one.c"
    try $CC -std=c99 -pedantic -Wall -Wextra -Werror "$dir/one.c"
    try $CC -std=c11 -Wall -Wextra -Wstrict-prototypes -Werror "$dir/one.c"
    try $CXX -std=c++98 -Wall -Wextra -Werror "$dir/one.cc"
    try $CXX -std=c++11 -Wall -Wextra -Wnarrowing -Werror "$dir/one.cc"
    try $CXX -std=c++17 -pedantic -Wall -Wextra -Werror "$dir/one.cc"
    try $CXX -std=c++20 -Wall -Wextra -Werror "$dir/one.cc"
  }
done

# shellcheck disable=SC2086
for std in c++11 c++17 c++20; do
  if $CXX -std=$std -Wall -Wextra -Wnarrowing -Werror -O2 -I "$top_srcdir/include" \
    "$top_srcdir/tests/args.cpp" -o "$dir/args" && "$dir/args"; then :; else
    echo "FAIL: args.cpp as $std"
    status=1
  fi
done
# shellcheck disable=SC2086
for std in gnu89 c99 c11; do
  if $CC -std=$std -Wall -Wextra -Werror -O2 -x c -I "$top_srcdir/include" \
    "$top_srcdir/tests/args.cpp" -o "$dir/args" && "$dir/args"; then :; else
    echo "FAIL: args.cpp as $std"
    status=1
  fi
done
exit $status
