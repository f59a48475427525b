# SPDX-License-Identifier: MIT
# Writes oploops.h from types.def, ops.def and reduce.def (in this order): the
# loop lists of the tables, which are strings that the preprocessor cannot take
# apart, as lists of macro calls, one for each dtype T of C type C:
#
#   GA_LOOPS_<T>(LOOP)      LOOP(op, args, T, C, R, RC) for each operation with a
#                           loop of dtype T; args is 1, 2 or COND (a bool and two
#                           of T), R and RC the result's dtype and C type
#   GA_REDUCES_<T>(RED)     RED(name, T, C), for each reduction whose accumulator
#                           is a T
#   GA_ARGREDUCES_<T>(RED)  the same for pairs of a T and an index
#   GA_MOMENTS_<T>(RED)     the same for moments of T
#   GA_DTYPES(TYPE)         TYPE(ID, T, C)
#   GA_DTYPES_WITH(TYPE, a, b)  TYPE(a, b, ID, T, C)

function fields(line) {
  sub(/^[A-Z]+\(/, "", line)
  sub(/\)[^)]*$/, "", line)
  gsub(/[ "']/, "", line)
  return split(line, f, ",")
}
function lists(kind, name, mode, loops, call,    i, ch, acc) {
  for (i = 1; i <= length(loops); i++) {
    ch = substr(loops, i, 1)
    acc = mode == "SUM" ? sum[ch] : ch
    if ((kind, name, acc) in done) continue
    done[kind, name, acc] = 1
    rows[kind, acc] = rows[kind, acc] " \\\n  X(" name "," call dtype[acc] ", " ctype[acc]
    if (kind == "LOOPS")
      rows[kind, acc] = rows[kind, acc] ", " (mode == "BOOL" ? "bool, ga_bool" : \
        mode == "REAL" ? dtype[part[ch]] ", " ctype[part[ch]] : dtype[ch] ", " ctype[ch])
    rows[kind, acc] = rows[kind, acc] ")"
  }
}
BEGIN {
  n = split("? b h i q", c, " "); for (i = 1; i <= n; i++) sum[c[i]] = "q"
  n = split("B H I Q", c, " "); for (i = 1; i <= n; i++) sum[c[i]] = "Q"
  n = split("e E f", c, " "); for (i = 1; i <= n; i++) sum[c[i]] = "f"
  sum["d"] = "d"; sum["F"] = "F"; sum["D"] = "D"
  n = split("? b B h H i I q Q e E f d", c, " "); for (i = 1; i <= n; i++) part[c[i]] = c[i]
  part["F"] = "f"; part["D"] = "d"
}
/^TYPE\(/ {
  fields($0)
  order[++ntype] = f[5]
  id[f[5]] = f[1]; dtype[f[5]] = f[2]; ctype[f[5]] = f[4]
}
/^OP\(/ {
  fields($0)
  lists("LOOPS", f[1], f[4], f[3], " " (f[5] ~ /GA_OP_COND/ ? "COND" : f[2]) ", ")
}
/^REDUCE\(/ {
  fields($0)
  kind = f[3] == "INDEX" ? "ARGREDUCES" : f[3] == "MOMENT" ? "MOMENTS" : "REDUCES"
  lists(kind, f[1], f[3], f[2], " ")
}
END {
  print "/* SPDX-License-Identifier: MIT */"
  print "/* Made by codegen/oploops.awk, which says what it is. */"
  print "#ifndef GA_OPLOOPS_H\n#define GA_OPLOOPS_H\n"
  printf "#define GA_DTYPES(X)"
  for (i = 1; i <= ntype; i++)
    printf " \\\n  X(%s, %s, %s)", id[order[i]], dtype[order[i]], ctype[order[i]]
  printf "\n\n#define GA_DTYPES_WITH(X, a, b)"
  for (i = 1; i <= ntype; i++)
    printf " \\\n  X(a, b, %s, %s, %s)", id[order[i]], dtype[order[i]], ctype[order[i]]
  split("LOOPS REDUCES ARGREDUCES MOMENTS", kinds, " ")
  for (k = 1; k <= 4; k++)
    for (i = 1; i <= ntype; i++)
      printf "\n\n#define GA_%s_%s(X)%s", kinds[k], dtype[order[i]], rows[kinds[k], order[i]]
  print "\n\n#endif"
}
