#!/bin/sh
# SPDX-License-Identifier: MIT
# Programs made for libgpuarray find all of it: every function of
# tests/data/oldapi.txt is exported, and each is called by a test.
set -eu
: "${top_srcdir:?}" "${top_builddir:?}"
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
rm -f "$top_builddir/tests/oldapi.tmp"
exit $status
