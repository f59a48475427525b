#!/bin/sh
# SPDX-License-Identifier: MIT
# Embeds kernel files in the library: writes, for each FILE, a NUL-terminated
# byte array named after it (scalar.cuh: ga_kernel_scalar_cuh), and its length
# without the NUL. Bytes, not a string literal: compilers limit those.
#
# usage: embed.sh c|h|static FILE... > kernels.c|kernels.h|one_header.h
#
# `static` puts everything in one header, for a program with a kernel of its own.
set -eu
export LC_ALL=C

form=$1
shift

name() {
  basename "$1" | sed 's/[^A-Za-z0-9]/_/g'
}

echo '/* Made by codegen/embed.sh from codegen/kernels/; do not edit. */'
if [ "$form" = h ]; then
  echo '#ifndef GA_KERNELS_H'
  echo '#define GA_KERNELS_H'
  echo '#include <stddef.h>'
  echo
  for file; do
    echo "extern const char ga_kernel_$(name "$file")[];"
    echo "extern const size_t ga_kernel_$(name "$file")_size;"
  done
  echo '#endif'
  exit 0
fi

scope=
if [ "$form" = static ]; then
  scope='static '
  echo '#include <stddef.h>'
else
  echo '#include "codegen/kernels.h"'
fi
for file; do
  echo
  echo "/* $(basename "$file") */"
  symbol=ga_kernel_$(name "$file")
  echo "${scope}const char ${symbol}[] = {"
  od -A n -v -t d1 "$file" | sed 's/  */ /g; s/^ //; s/ *$//; s/ /, /g; s/$/,/'
  echo '0};'
  [ "$form" = static ] || echo "const size_t ${symbol}_size = sizeof $symbol - 1;"
done
