#!/bin/sh
# SPDX-License-Identifier: MIT
# make installcheck: takes the program out of README.md, builds it from the
# installed files by what pkg-config says, as C and as C++, and compares what it
# prints with the README. With cmake, builds it by find_package() too, from a copy
# of what is installed, which may stand anywhere.
#
# Set by make: top_srcdir, libdir, includedir, CC, CXX.
set -eu

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
PKG_CONFIG_PATH=${libdir:?}/pkgconfig
LD_LIBRARY_PATH=$libdir${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
# As a program on any machine would run.
GPUARRAY_CACHE=off
export PKG_CONFIG_PATH LD_LIBRARY_PATH GPUARRAY_CACHE

# The first fenced block of the README in this language.
block() {
  awk -v fence="\`\`\`$1" '
    on && /^```/ { exit }
    on { print }
    $0 == fence { on = 1 }' "${top_srcdir:?}/README.md"
}

block c > "$work/program.c"
block text > "$work/expected"
test -s "$work/program.c" || { echo "installcheck: README.md has no program" >&2; exit 1; }
cp "$work/program.c" "$work/program.cc"

flags=$(pkg-config --cflags --libs gpuarray)

run() {
  "$2" > "$work/printed"
  if ! diff -u "$work/expected" "$work/printed"; then
    echo "installcheck: $1 printed something else than README.md says" >&2
    exit 1
  fi
  echo "installcheck: $1 ok"
}

# shellcheck disable=SC2086 # several words
{
  $CC -Wall -Wextra -Werror -o "$work/c" "$work/program.c" $flags
  $CC -std=gnu89 -Wall -Wextra -Werror -fsyntax-only -x c - $flags <<END
#include <gpuarray.h>
END
  $CXX -Wall -Werror -o "$work/cxx" "$work/program.cc" $flags
}
run "as C" "$work/c"
run "as C++" "$work/cxx"

if command -v cmake >/dev/null; then
  copy=$work/moved
  mkdir -p "$copy$libdir/cmake" "$copy${includedir:?}"
  cp -R "$libdir"/libgpuarray.* "$copy$libdir"
  cp -R "$libdir/cmake/gpuarray" "$copy$libdir/cmake"
  cp -R "$includedir/gpuarray.h" "$includedir/gpuarray" "$copy$includedir"
  cat > "$work/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.10)
project(program C)
find_package(gpuarray 0.1 REQUIRED)
add_executable(by_cmake program.c)
target_link_libraries(by_cmake PRIVATE gpuarray::gpuarray)
END
  if ! { cmake -S "$work" -B "$work/cmake" -Dgpuarray_DIR="$copy$libdir/cmake/gpuarray" &&
         cmake --build "$work/cmake"; } > "$work/log" 2>&1
  then
    cat "$work/log" >&2
    exit 1
  fi
  run "by CMake" "$work/cmake/by_cmake"
else
  echo 'installcheck: no cmake here; its config file was not tried'
fi
