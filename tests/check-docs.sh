#!/bin/sh
# SPDX-License-Identifier: MIT
# Compiles and runs what the documentation shows: every ```c block of the .md
# files and the example that opens a public header. A block without main() is
# the inside of a function, in which the names of `before` below are there. What
# a ```text block after a program shows is what the program prints; the lines
# with "$ " of a ```console block are run by a shell, and print the others.
set -eu

top=${top_srcdir:?}
build=${top_builddir:?}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
LD_LIBRARY_PATH=$build/.libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
PATH=$build/tools:$PATH
export LD_LIBRARY_PATH PATH
failures=0
count=0

# The blocks of a Markdown file: $work/blocks/NNN.LANGUAGE
markdown_blocks() {
  awk -v dir="$work/blocks" '
    /^```/ && file { close(file); file = ""; next }
    /^```/ {
      n++
      file = sprintf("%s/%03d.%s", dir, n, length($0) > 3 ? substr($0, 4) : "plain")
      printf "" > file
      next
    }
    file { print > file }' "$1"
}

# The indented lines of the comment that opens a header.
header_example() {
  awk '/^ \*     / { print substr($0, 8); next } /^ \*\// { exit }' "$1"
}

before='
#include <gpuarray.h>
#include <math.h>
#include <string.h>
'
# The names a fragment may use: a context, arrays, a kernel, extents, numbers.
names='
static float x_[1024];
static int inside(gpucontext *ctx, GpuArray a, GpuArray b, GpuArray r, GpuKernel k, int n,
                  const size_t *grid, const size_t *block, const size_t *dims) {
  (void)ctx, (void)a, (void)b, (void)r, (void)k, (void)n, (void)grid, (void)block, (void)dims;
  {
'
after='
  }
  return 0;
}
int main(void) {
  static const char source[] = "__global__ void f(float *a, int n) {"
                               " if (threadIdx.x < n) a[threadIdx.x] *= 2; }";
  size_t one[3] = {1, 1, 1}, block[3] = {16, 1, 1}, dims[2] = {16, 64};
  gpucontext *ctx = NULL;
  GpuArray a, b, r;
  GpuKernel k;
  for (int i = 0; i < 1024; i++) x_[i] = (float)i;
  GA_OR_DIE(gpucontext_init(&ctx, NULL, NULL));
  GA_OR_DIE(GpuArray_fromhost(&a, ctx, GA_FLOAT, GA_DIMS(32, 32), x_));
  GA_OR_DIE(GpuArray_fromhost(&b, ctx, GA_FLOAT, GA_DIMS(32, 32), x_));
  GA_OR_DIE(GpuArray_zeros(&r, ctx, GA_FLOAT, GA_DIMS(32, 32), GA_C_ORDER));
  memset(&k, 0, sizeof k);
  if (NEEDS_KERNEL) GA_OR_DIE(GpuKernel_build(&k, ctx, source, "f"));
  int status = inside(ctx, a, b, r, k, 16, one, block, dims);
  GpuKernel_clear(&k);
  GpuArray_clear(&a);
  GpuArray_clear(&b);
  GpuArray_clear(&r);
  gpucontext_deref(ctx);
  return status;
}
'

fail() {
  failures=$((failures + 1))
  echo "check-docs: $1" >&2
  sed 's/^/    /' "$2" >&2
}

# A program from a block: as it is, or with a function around the lines (around
# those after a line "...", where there is one).
whole_program() {
  if grep -q 'main(' "$1"; then
    cat "$1"
  elif grep -q '^\.\.\.$' "$1"; then
    echo "$before"
    sed '/^\.\.\.$/,$d' "$1"
    echo "$names"
    sed '1,/^\.\.\.$/d' "$1"
    echo "$after"
  else
    echo "$before$names"
    cat "$1"
    echo "$after"
  fi
}

# compile_and_run NAME BLOCK: the output is left in $work/printed. What the inside of
# a function makes it need not free.
compile_and_run() {
  count=$((count + 1))
  grep -q 'main(' "$2" && leaks=1 || leaks=0
  whole_program "$2" > "$work/program.c"
  kernel=$(grep -c '&k\b' "$2" || true)
  # shellcheck disable=SC2086 # several words
  if ! ${CC:-cc} -std=gnu11 -Wall -Wno-unused-variable -Werror -ffp-contract=off \
      ${SANITIZER_CFLAGS-} -DGPUARRAY_SHARED -DNEEDS_KERNEL="$kernel" \
      -I"$top/include" -o "$work/program" "$work/program.c" -L"$build/.libs" -lgpuarray -lm \
      > "$work/log" 2>&1
  then
    fail "$1 does not compile" "$work/log"
    return 1
  fi
  if ! (cd "$work/run" && ASAN_OPTIONS=${ASAN_OPTIONS-}:detect_leaks=$leaks \
      "$work/program" > "$work/printed" 2> "$work/log" < /dev/null); then
    fail "$1 does not run" "$work/log"
    return 1
  fi
}

same_output() {
  diff -u "$2" "$work/printed" > "$work/log" || fail "$1 prints something else" "$work/log"
}

# The commands of a console block, then what they should print.
run_console() {
  count=$((count + 1))
  sed -n 's/^\$ //p' "$2" > "$work/commands"
  sed '/^\$ /d' "$2" > "$work/expected"
  (cd "$work/run" && sh "$work/commands") > "$work/printed" 2>&1 || true
  same_output "$1" "$work/expected"
}

check_blocks() {
  compiled=no
  for block in "$work"/blocks/*; do
    test -e "$block" || continue
    name="$1, block $(basename "$block")"
    case $block in
      *.c) if compile_and_run "$name" "$block"; then compiled=yes; else compiled=no; fi ;;
      *.text) if test $compiled = yes; then same_output "$name" "$block"; fi; compiled=no ;;
      *.console) run_console "$name" "$block" ;;
    esac
  done
}

mkdir "$work/run"
for path in "$top"/*.md "$top"/doc/*.md; do
  test -e "$path" || continue
  file=$(basename "$path")
  rm -rf "$work/blocks"
  mkdir "$work/blocks"
  markdown_blocks "$path"
  check_blocks "$file"
done
for header in "$top"/include/gpuarray.h "$top"/include/gpuarray/*.h; do
  header_example "$header" > "$work/example.c"
  test -s "$work/example.c" || continue
  compile_and_run "$(basename "$header")" "$work/example.c" || true
done

echo "check-docs: $count examples, $failures failures"
test $failures = 0
