#!/bin/sh
# SPDX-License-Identifier: MIT
# Every public function has a test of its result and one for each error code that its
# header lists, and no test expects a code that the header does not list. What the
# headers list is read from their comments (codes.awk), what the tests cover from
# their preprocessed text (covered.awk): OK(call), FAILS(code, words, call), GIVES.
set -eu
: "${top_srcdir:?}" "${top_builddir:?}" "${CC:=cc}" "${AWK:=awk}"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

$AWK -f "$top_srcdir/tests/codes.awk" "$top_srcdir"/include/gpuarray/*.h | sort -u >"$dir/listed"
for f in "$top_srcdir"/tests/check_*.c; do
  # shellcheck disable=SC2086 # the compiler may be several words
  $CC -E -P -DGA_COVERAGE ${CHECK_CFLAGS-} -I "$top_srcdir/include" -I "$top_srcdir" \
    -I "$top_builddir" "$f" >"$dir/text"
  # The headers of other libraries have nothing to say.
  grep -E 'GA_COVERS|[Gg]pu' "$dir/text" | $AWK -f "$top_srcdir/tests/covered.awk"
done | sort -u >"$dir/covered"

comm -23 "$dir/listed" "$dir/covered" >"$dir/gaps"
comm -13 "$dir/listed" "$dir/covered" | grep -v ' called$' >"$dir/unlisted" || true
sed 's/^/check-covered: no test has /' "$dir/gaps" >&2
sed 's/^/check-covered: tested, but its header does not list /' "$dir/unlisted" >&2
listed=$(wc -l <"$dir/listed")
echo "check-covered: $listed results and codes, $(wc -l <"$dir/gaps") without a test"
test "$listed" -gt 600 && ! test -s "$dir/gaps" && ! test -s "$dir/unlisted"
