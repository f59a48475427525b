# SPDX-License-Identifier: MIT
# report-table.awk -v title=TITLE -- a tab-separated result as a section with a table.
BEGIN { printf "\n## %s\n\n", title }
/^#/ { printf "%s.\n\n", substr($0, 3); next }
{
  line = "|"
  rule = "|"
  for (i = 1; i <= NF; i++) {
    line = line " " $i " |"
    rule = rule "---|"
  }
  print line
  if (!header++) print rule
}
