#!/bin/sh
# SPDX-License-Identifier: MIT
# The fiber switch of each processor there is a compiler and an emulator for, and the
# one over the C library's contexts, at every level of optimisation.
set -eu
top_srcdir=${top_srcdir:-.}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cat > "$dir/main.c" <<'END'
#include <stdio.h>
#include "tests/fiber_rounds.h"
int main(void)
{
  int wrong = fiber_rounds() + fiber_rounds();
  if (wrong != 0) printf("%d things went wrong\n", wrong);
  return wrong != 0;
}
END
try() { # name, emulator, compiler and options
  name=$1 run=$2
  shift 2
  for level in -O0 -O1 -O2 -O3; do
    "$@" $level -std=gnu11 -I"$top_srcdir" -o "$dir/main" "$dir/main.c"
    $run "$dir/main" || { echo "check-fiber: $name $level fails"; exit 1; }
  done
  echo "check-fiber: $name"
}
try native "" ${CC:-cc}
try "native, contexts" "" ${CC:-cc} -DGA_FIBER_CONTEXTS
if command -v aarch64-linux-gnu-gcc > /dev/null && command -v qemu-aarch64 > /dev/null; then
  try aarch64 qemu-aarch64 aarch64-linux-gnu-gcc -static
  try "aarch64, contexts" qemu-aarch64 aarch64-linux-gnu-gcc -static -DGA_FIBER_CONTEXTS
fi
