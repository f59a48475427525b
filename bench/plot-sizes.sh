#!/bin/sh
# SPDX-License-Identifier: MIT
# plot-sizes.sh RESULT.tsv OUT.svg -- the share of the ceiling over the bytes moved, a
# line for each problem of `bench -s`. Needs gnuplot.
set -eu
in=${1:?usage: plot-sizes.sh RESULT.tsv OUT.svg} out=${2:?usage: plot-sizes.sh RESULT.tsv OUT.svg}
device=$(awk -F'\t' '$1 ~ /^# device:/ { print substr($1, 11); exit }' "$in")
problems=$(awk -F'\t' '$1 == "sizes" && !seen[$2]++ { printf "%s ", $2 }' "$in")
gnuplot <<P
set terminal svg size 900,520 font "sans,12" background "white"
set output "$out"
set datafile separator "\t"
set title "share of the memory ceiling over size, $device"
set xlabel "bytes read and written"; set ylabel "share of the ceiling"
set logscale x 2; set format x "2^{%L}"; set yrange [0:*]; set grid; set key top left
set arrow from graph 0,first 1 to graph 1,first 1 nohead dt 2 lc rgb "#808080"
plot for [p in "$problems"] "< awk -F'\t' -v p=".p." '\$2 == p' $in" \
     using (\$5*1e6):10 with linespoints pt 7 ps 0.4 lw 1.5 title p
P
