#!/bin/sh
# SPDX-License-Identifier: MIT
# plot-shares.sh RESULT.tsv OUT.svg -- the share of the ceiling of each problem of a bench
# result, as bars. Needs gnuplot.
set -eu
in=${1:?usage: plot-shares.sh RESULT.tsv OUT.svg} out=${2:?usage: plot.sh RESULT.tsv OUT.svg}
device=$(awk -F'\t' '$1 ~ /^# device:/ { print substr($1, 11); exit }' "$in")
rows=$(awk -F'\t' '$1 !~ /^#/ && $1 != "class" && $1 != "small" && NF == 10' "$in" | wc -l)
gnuplot <<P
set terminal svg size 900,$((120 + 22 * rows)) font "sans,12" background "white"
set output "$out"
set datafile separator "\t"
set title "share of the ceiling for its bytes, $device"
set xrange [0:1.15]; set yrange [$rows - 0.4:-0.6]
set grid x; set xtics 0.1; set ytics nomirror; unset key; set border 3
set style fill solid 0.8 noborder
set arrow from 0.97,graph 0 to 0.97,graph 1 nohead dt 2 lc rgb "#b03030"
data = "< awk -F'\t' '\$1 !~ /^#/ && \$1 != \"class\" && \$1 != \"small\" && NF == 10' $in"
plot data using (\$10/2):0:(\$10/2):(0.35):ytic(2) with boxxyerror lc rgb "#3070b0", \
     data using (\$10 < 1.1 ? \$10 : 1.1):0:(sprintf("  %.2f", \$10)) with labels left
P
