# SPDX-License-Identifier: MIT
# report.awk -- a result of bench/bench as a page of Markdown.
BEGIN { FS = "\t" }
/^# device:/ { printf "# %s\n\n", substr($0, 11); next }
/^# ceilings/ {
  printf "Ceilings measured in the same process: %s.\n\n", substr($0, 13)
  print "Share is of the ceiling for the bytes that the expression must move, each input read"
  print "once and each output written once. `make bench-report` makes this page.\n"
  print "![shares](shares.svg)\n\n![sizes](sizes.svg)\n\n![roofline](roofline.svg)"
  next
}
$1 == "class" { next }
$1 != class {
  class = $1
  printf "\n## %s%s\n\n", toupper(substr(class, 1, 1)), substr(class, 2)
  print "| problem | dtype | MB | us | GB/s | share |"
  print "|---|---|---|---|---|---|"
}
{ printf "| %s | %s | %.4g | %.2f | %.0f | %.2f |\n", $2, $4, $5, $6, $9, $10 }
