# SPDX-License-Identifier: MIT
# Reads public headers; prints "function GA_X_ERROR" for each code that the comment
# above a function lists, and for those that give none, or in an int *ret,
# "function called".
#
# Listed are the codes that the comment names itself, those of functions that its
# \returns names ("the codes of f()", "as f()"; "As f()" where there is no \returns)
# and, where it says "see the top of this file" or, of a function that gives an int, has no
# \returns and no "As f()", those that the header's first comment says it \returns.

function base(path) { sub(/.*\//, "", path); return path }

# Adds the codes in `text` to `key`, and the functions it refers to.
function take(key, text, refs,    m) {
  while (match(text, /#GA_[A-Z]+_ERROR/)) {
    m = substr(text, RSTART + 1, RLENGTH - 1)
    codes[key] = codes[key] " " m
    text = substr(text, RSTART + RLENGTH)
  }
  while (match(refs, /[A-Za-z0-9_]+(\(\)|\.h)/)) {
    m = substr(refs, RSTART, RLENGTH)
    sub(/\(\)/, "", m)
    names[key] = names[key] " " m
    refs = substr(refs, RSTART + RLENGTH)
  }
}

# What a comment says of the function `f`.
function listed(f, text, gives_int,    said, i) {
  i = index(text, "\\returns")
  said = i ? substr(text, i) : ""
  if (!i && match(text, /^ *As [A-Za-z0-9_]+\(\)/)) said = substr(text, RSTART, RLENGTH)
  if (said ~ /top of this file/ || (said == "" && gives_int)) names[f] = names[f] " " file
  take(f, text, said)
}

# Every code of `key`, those of the names it refers to included.
function all(key, depth,    out, part, n, i) {
  out = codes[key]
  if (depth > 9) return out
  n = split(names[key], part, " ")
  for (i = 1; i <= n; i++) if (part[i] != key) out = out all(part[i], depth + 1)
  return out
}

FNR == 1 { file = base(FILENAME); comment = ""; inside = 0; decl = "" }

inside || /^ *\/\*\*/ {
  if (!inside) { comment = ""; inside = 1 }
  line = $0
  over = line ~ /\*\//
  sub(/^ *\/?\*+[<!]? ?/, "", line)
  sub(/\*\/.*/, "", line)
  comment = comment " " line
  if (!over) next
  inside = 0
  if (comment ~ /\\file/) { i = index(comment, "\\returns"); if (i) take(file, substr(comment, i), substr(comment, i)) }
  next
}

/^GPUARRAY_PUBLIC/ { decl = $0 }
decl != "" {
  if (decl != $0) decl = decl " " $0
  if (decl !~ /;/) next
  f = decl
  sub(/\(.*/, "", f)
  sub(/.*[ *]/, "", f)
  order[++nf] = f
  apart[f] = decl ~ /int \*ret[,)]/
  listed(f, comment, decl ~ /^GPUARRAY_PUBLIC int /)
  decl = ""
}

END {
  for (k = 1; k <= nf; k++) {
    f = order[k]
    n = split(all(f, 0), part, " ")
    if (n == 0 || apart[f]) print f, "called"
    for (i = 1; i <= n; i++) if (!((f, part[i]) in seen) && !(apart[f] && part[i] == "GA_NO_ERROR")) { seen[f, part[i]] = 1; print f, part[i] }
  }
}
