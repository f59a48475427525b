#!/bin/sh
# SPDX-License-Identifier: MIT
# Checks what the shared library shows of itself: every function that a public
# header declares and no other symbol, the right soname, and no link to OpenBLAS
# or CUDA, which are looked for at run time.
set -eu

lib=${top_builddir:?}/.libs/libgpuarray.so
if ! test -e "$lib" || ! command -v nm >/dev/null || ! command -v readelf >/dev/null; then
  echo 'check-exports: needs the shared library, nm and readelf'
  test "${GA_TEST_STRICT:-0}" = 0 || exit 1
  exit 77
fi

fail() {
  echo "check-exports:" "$@" >&2
  exit 1
}

exported=$(nm -D --defined-only "$lib" | awk '$2 ~ /^[A-Z]$/ { sub(/@.*/, "", $3); print $3 }' |
  grep -v -E '^(_init|_fini|_edata|_end|__bss_start|__(asan|tsan|ubsan|msan)_.*)$' | sort)
foreign=$(echo "$exported" | grep -v -E '^(Gpu|gpu)' || true)
test -z "$foreign" || fail "exported but not Gpu* or gpu*:" "$foreign"

# A declaration is GPUARRAY_PUBLIC, a type, then the name before the first "(".
declared=$(sed '/^#/d' "${top_srcdir:?}"/include/gpuarray/*.h | tr '\n' ' ' | tr ';{}' '[\n*]' |
  sed -n 's/.*GPUARRAY_PUBLIC \([^(]*\)(.*/\1/p' | awk '{ sub(/^\*+/, "", $NF); print $NF }' |
  sort -u)
test -n "$declared" || fail "no public function found in the headers"

printf '%s\n' "$exported" > "$top_builddir/tests/exported.tmp"
printf '%s\n' "$declared" > "$top_builddir/tests/declared.tmp"
cd "$top_builddir/tests"
missing=$(comm -13 exported.tmp declared.tmp)
hidden=$(comm -23 exported.tmp declared.tmp)
rm -f exported.tmp declared.tmp
test -z "$missing" || fail "declared in a header, not in the library:" "$missing"
test -z "$hidden" || fail "in the library, declared in no header:" "$hidden"

readelf -d "$lib" | grep -q 'SONAME.*\[libgpuarray\.so\.3\]' ||
  fail "soname is not libgpuarray.so.3"
linked=$(readelf -d "$lib" | sed -n 's/.*NEEDED.*\[\(.*\)\].*/\1/p')
case $linked in
  *blas* | *libcuda* | *libnvrtc*) fail "linked:" "$linked" ;;
esac

# A program that loads the library while it runs gives its threads' storage room among 1.6 KiB
# that all libraries loaded so share; what the kernels' threads read must lie there.
storage=$(readelf -lW "$lib" | awk '$1 == "TLS" { print $6 }')
test $((${storage:-0})) -le 512 || fail "$((storage)) bytes of each thread's storage, 512 at most"
echo "check-exports: $(echo "$exported" | wc -l) functions"
