#!/bin/sh
# SPDX-License-Identifier: MIT
# Checks the arrows of DESIGN.md: who may include whom. Every quoted include is
# resolved (from the top, or beside the file) and its room compared with the
# rooms that the file's own room may reach. Angle brackets: only <gpuarray...>
# is ours.
#
# usage: check-includes.sh; top_srcdir names the tree.
set -eu
cd "${top_srcdir-.}"

find include lib codegen tools examples bench tests \
  \( -name '*.c' -o -name '*.h' -o -name '*.def' -o -name '*.cu' -o -name '*.cuh' \
     -o -name '*.cc' \) -print | sort | xargs awk '
  function room(path) {
    if (path ~ /^include\//) return "include"
    if (path ~ /^lib\/util\//) return "util"
    if (path ~ /^lib\/cuda\//) return "cuda"
    if (path ~ /^lib\/cpu\//) return "cpu"
    if (path ~ /^lib\/backend\.h$/) return "backend"
    if (path ~ /^lib\//) return "lib"
    if (path ~ /^codegen\/codegen\.h$/) return "codegen.h"
    if (path ~ /^codegen\/[a-z_]*\.def$/) return "codegen.h"
    if (path ~ /^codegen\//) return "codegen"
    sub(/\/.*/, "", path)
    return path
  }
  function exists(path,   line, got) {
    if (path in known) return known[path]
    got = (getline line < path) >= 0
    if (got) close(path)
    return known[path] = got
  }
  function complain(what) {
    printf "%s:%d: %s\n", FILENAME, FNR, what
    bad = 1
  }
  BEGIN {
    may["include"] = " include "
    may["util"] = " util include "
    may["codegen.h"] = " codegen.h util include "
    may["codegen"] = " codegen codegen.h util include "
    may["backend"] = " codegen.h util include "
    may["cuda"] = " cuda backend util include "
    may["cpu"] = " cpu backend codegen codegen.h util include "
    may["lib"] = " lib backend codegen.h util include "
    may["tools"] = " tools include "
    may["examples"] = " examples include "
    may["bench"] = " bench include "
  }
  /^[ \t]*#[ \t]*include/ {
    own = room(FILENAME)
    if (own == "tests") next
    if (match($0, /<gpuarray[^>]*>/)) {
      path = "include/" substr($0, RSTART + 1, RLENGTH - 2)
    } else if (match($0, /"[^"]*"/)) {
      name = substr($0, RSTART + 1, RLENGTH - 2)
      dir = FILENAME
      sub(/[^\/]*$/, "", dir)
      if (name ~ /^\.\.?\//) { complain("write " name " from the top"); next }
      if (name ~ /^(config|codegen\/(kernels|oploops)|bench\/(ceilings_cu|launch_ptx))\.h$/) next
      if (exists(dir name)) path = dir name
      else if (exists(name)) path = name
      else if (exists("include/" name)) path = "include/" name
      else { complain("no such file: " name); next }
    } else next
    count++
    if (index(may[own], " " room(path) " ") == 0)
      complain(own " may not include " path)
  }
  END {
    if (!count) { print "check-includes: no include found"; exit 1 }
    if (bad) exit 1
    printf "check-includes: %d includes follow the arrows\n", count
  }'
