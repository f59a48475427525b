#!/bin/sh
# SPDX-License-Identifier: MIT
# The fiber switch of each processor there is a compiler and an emulator for, and the
# one over the C library's contexts, at every level of optimisation.
set -eu
top_srcdir=${top_srcdir:-.}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cat > "$dir/main.c" <<'END'
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
#include "tests/fiber_rounds.h"
#ifdef GUARDED /* of this program's code alone: the C library's need not be marked */
extern char __executable_start, etext;
static int guard(void)
{
  enum { PAGE = 4096, BTI = 0x10 };
  char *low = &__executable_start - (uintptr_t)&__executable_start % PAGE;
  return mprotect(low, (size_t)(&etext - low), PROT_READ | PROT_EXEC | BTI);
}
#else
static int guard(void) { return 0; }
#endif
int main(void)
{
  int wrong = guard() != 0 ? 1 : fiber_rounds() + fiber_rounds();
  if (wrong != 0) printf("%d things went wrong\n", wrong);
  fflush(stdout);
  _exit(wrong != 0);
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
qemu=$(command -v qemu-aarch64 || command -v qemu-aarch64-static || true)
if command -v aarch64-linux-gnu-gcc > /dev/null && test -n "$qemu"; then
  try aarch64 "$qemu" aarch64-linux-gnu-gcc -static
  try "aarch64, contexts" "$qemu" aarch64-linux-gnu-gcc -static -DGA_FIBER_CONTEXTS
  try "aarch64, guarded pages" "$qemu -cpu max -L /usr/aarch64-linux-gnu" \
    aarch64-linux-gnu-gcc -mbranch-protection=standard -DGUARDED
fi
