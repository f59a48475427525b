#!/bin/sh
# SPDX-License-Identifier: MIT
# plot-roofline.sh RESULT.tsv OUT.svg -- the arithmetic reached over operations per byte,
# under the roof of both ceilings, from a result of bench/roofline. Needs gnuplot.
set -eu
in=${1:?usage: plot-roofline.sh RESULT.tsv OUT.svg}
out=${2:?usage: plot-roofline.sh RESULT.tsv OUT.svg}
device=$(awk -F'\t' '$1 ~ /^# device:/ { print substr($1, 11); exit }' "$in")
ceilings=$(sed -n 's/^# ceilings: copy \([0-9]*\) GB.s, float32 \([0-9]*\) .*/\1 \2/p' "$in")
copy=${ceilings% *} flops=${ceilings#* }
gnuplot <<P
set terminal svg size 900,520 font "sans,12" background "white"
set output "$out"
set datafile separator "\t"
set title "roofline, $device: chains of products and sums, each rounded"
set xlabel "operations per byte"; set ylabel "GFLOP/s"
set logscale xy; set grid; set key top left
roof(x) = (x * $copy < $flops) ? x * $copy : $flops
set label "copy $copy GB/s" at graph 0.02,0.80
set label "float32 $flops GFLOP/s" at graph 0.70,0.95
plot [0.2:64] roof(x) with lines lw 2 lc rgb "#808080" title "roof", \
     "< awk -F'\t' '\$1 ~ /^[0-9]/' $in" using 3:5 \
       with linespoints pt 7 lc rgb "#3070b0" title "expressions"
P
