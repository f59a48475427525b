#!/bin/sh
# SPDX-License-Identifier: MIT
# Programs made for libgpuarray find all of it: every function of
# tests/data/oldapi.txt is exported, and each is called by a test. A program written for
# it compiles as gnu89 and as C++ and runs; and, where Debian's library is, so does one
# that was linked with that.
set -eu
: "${top_srcdir:?}" "${top_builddir:?}" "${CC:=cc}" "${CXX:=c++}"
list=$(grep -v '^#' "$top_srcdir/tests/data/oldapi.txt")
status=0
complain() {
  echo "check-oldapi: $*" >&2
  status=1
}

test "$(echo "$list" | wc -l)" -eq 130 || complain "the list has not 130 functions"

lib=$top_builddir/.libs/libgpuarray.so
if test -e "$lib" && command -v nm >/dev/null; then
  exported=$(nm -D --defined-only "$lib" | awk '{ sub(/@.*/, "", $3); print $3 }')
  for f in $list; do
    echo "$exported" | grep -qx "$f" || complain "$f is not exported"
  done
fi

# gpublas_<t><op> and its array aliases are called through macros that paste the
# letter of the type: BY_TYPE(type, op, ...).
cat "$top_srcdir"/tests/*.[ch] >"$top_builddir/tests/oldapi.tmp"
for f in $list; do
  grep -q -E "(^|[^A-Za-z0-9_])$f[ ]*\(" "$top_builddir/tests/oldapi.tmp" && continue
  op=$(echo "$f" | sed -n 's/^gpublas_[hsd]//p')
  test -n "$op" && grep -q "BY_TYPE(type, $op," "$top_builddir/tests/oldapi.tmp" && continue
  complain "no test calls $f"
done
# Its 27 known defects each have a test that their number is in the name of.
for n in $(seq -w 1 27); do
  grep -q -E "START_TEST\(([a-z0-9]*_)*d$n(_|\))" "$top_builddir/tests/oldapi.tmp" ||
    complain "no test is named after defect $n"
done
rm -f "$top_builddir/tests/oldapi.tmp"

test -e "$lib" || exit $status
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
# try NAME LIBRARY COMPILER...: compiles the program against a library, runs it with ours.
try() {
  name=$1 with=$2
  shift 2
  # shellcheck disable=SC2086 # the options of sanitizers
  if ! "$@" -Wall -Werror ${SANITIZER_CFLAGS-} -I "$top_srcdir/include" "$dir/oldapi.$name" \
    -o "$dir/$name" "$with" 2>"$dir/err"; then
    complain "oldapi.c as $name: $(cat "$dir/err")"
  elif ! LD_LIBRARY_PATH="$top_builddir/.libs${LD_LIBRARY_PATH+:$LD_LIBRARY_PATH}" \
    GPUARRAY_DEVICE="${GA_TEST_DEVICE:-cpu}" "$dir/$name" cuda >"$dir/out" 2>&1; then
    complain "oldapi.c as $name, linked with $with: $(cat "$dir/out")"
  fi
}
cp "$top_srcdir/tests/oldapi.c" "$dir/oldapi.c"
cp "$top_srcdir/tests/oldapi.c" "$dir/oldapi.cc"
# shellcheck disable=SC2086 # the compilers may be several words
{
  try c "$lib" $CC -std=gnu89 -Wdeclaration-after-statement
  try cc "$lib" $CXX
  for old in /usr/lib/libgpuarray.so.3 /usr/lib/*/libgpuarray.so.3; do
    test -e "$old" || continue
    nm -D --defined-only "$old" | grep -q ' GpuArray_eval$' && continue # one of ours
    try c "$old" $CC -std=gnu89
    nm -D --defined-only "$old" | sed -n 's/.* T \([Gg]pu[^@]*\).*/\1/p' | sort >"$dir/theirs"
    echo "$list" | sort | cmp -s - "$dir/theirs" ||
      complain "$old exports other names than the list"
  done
}
exit $status
