# SPDX-License-Identifier: MIT
# Reads preprocessed tests (GA_COVERAGE, tests/common.h); prints "function code" for
# what each GA_COVERS(code, call) covers, and "function called" for every call. The
# function of a call is the one whose result it is: names inside another's
# parentheses do not count, names inside brackets of grouping do.

# The functions that `text` gives the result of.
function outer(code, text,    depth, inside, i, c, name, at) {
  depth = inside = 0
  name = ""
  for (i = 1; i <= length(text); i++) {
    c = substr(text, i, 1)
    if (c ~ /[A-Za-z0-9_]/) { name = name c; continue }
    if (c == "(") {
      depth++
      if (!inside && name ~ /^(gpu|Gpu)/) {
        if (name != "gpuarray_get_extension") print name, code # but what it gives
        inside = depth
      }
    }
    if (c == ")") { if (inside == depth) inside = 0; depth-- }
    if (c != " ") name = ""
  }
}

# The length of the bracketed text that `text` begins with.
function bracketed(text,    depth, i, c) {
  for (i = 1; i <= length(text); i++) {
    c = substr(text, i, 1)
    if (c == "(") depth++
    if (c == ")" && --depth == 0) return i
  }
  return 0
}

/^#/ { next }
{ all = all " " $0 }

END {
  gsub(/"([^"\\]|\\.)*"/, "\"\"", all)
  rest = all
  while (match(rest, /GA_COVERS\(/)) {
    rest = substr(rest, RSTART + 9)
    n = bracketed(rest)
    said = substr(rest, 2, n - 2)
    comma = index(said, ",")
    outer(substr(said, 1, comma - 1), substr(said, comma + 1))
  }
  rest = all
  while (match(rest, /[Gg]pu[A-Za-z0-9_]* ?\(/)) {
    name = substr(rest, RSTART, RLENGTH)
    sub(/ ?\(/, "", name)
    if (!(name in told)) { told[name] = 1; print name, "called" }
    rest = substr(rest, RSTART + RLENGTH)
  }
}
