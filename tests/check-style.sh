#!/bin/sh
# SPDX-License-Identifier: MIT
# What can be checked of the style of a source by looking at its lines: one SPDX
# line at the top, at most 100 columns and 600 lines, no tabs, nothing after the
# last word of a line, a newline at the end. Tables that a script made and what a
# build in the source tree makes are left alone. Where clang-format 14 is, the C is in
# the shape that it gives (`make format`).
set -eu
cd "${top_srcdir:-.}"

files=$(find include lib codegen tools examples bench tests \
  \( -path tests/data -o -path tests/corpus -o -path tests/golden \) -prune -o \
  \( -path codegen/kernels.c -o -path codegen/kernels.h -o -path codegen/oploops.h \
     -o -path bench/ceilings_cu.h -o -path bench/launch_ptx.h \) -o \
  \( -name '*.c' -o -name '*.h' -o -name '*.def' -o -name '*.cu' -o -name '*.cuh' \
     -o -name '*.cpp' -o -name '*.hpp' -o -name '*.sh' \) -print | sort)

# shellcheck disable=SC2086 # no name has a space
awk '
  function complain(line, what) {
    printf "%s:%d: %s\n", FILENAME, line, what
    bad = 1
  }
  FNR == 1 { files++ }
  FNR <= 2 && /SPDX-License-Identifier: MIT/ { spdx[FILENAME] = 1 }
  FNR == 3 && !(FILENAME in spdx) { complain(1, "no SPDX line") }
  FNR == 601 { complain(601, "more than 600 lines: two ideas") }
  length($0) > 100 { complain(FNR, "more than 100 columns") }
  /\t/ { complain(FNR, "a tab") }
  /[ \t]$/ { complain(FNR, "space at the end") }
  END {
    if (!files) { print "check-style: no files found"; exit 1 }
    if (bad) exit 1
    printf "check-style: %d files\n", files
  }' $files

if [ -e .clang-format ] && clang-format --version 2>/dev/null | grep -q 'version 14\.'; then
  echo "$files" | grep '\.[ch]$' | xargs clang-format --dry-run -Werror
fi
