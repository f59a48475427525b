#!/bin/sh
# SPDX-License-Identifier: MIT
# report.sh BENCHDIR OUTDIR -- runs the bench programs of BENCHDIR on the device that
# GPUARRAY_DEVICE names (the best one otherwise) and writes into OUTDIR/<device>/ what
# they print, plots of it, and README.md: a table of every problem with its share of the
# ceiling measured in the same process. Needs gnuplot for the plots.
set -eu
bin=${1:?usage: report.sh BENCHDIR OUTDIR} out=${2:?usage: report.sh BENCHDIR OUTDIR}
here=$(dirname "$0")
tmp=$out/.report.$$
trap 'rm -rf "$tmp"' EXIT
mkdir -p "$tmp"

step() { # FILE PROGRAM ARGS...
  printf 'bench-report: %s\n' "$*" >&2
  file=$1 program=$2
  shift 2
  "$bin/$program" "$@" > "$tmp/$file"
}
step bench.tsv bench
step sizes.tsv bench -s
step roofline.tsv roofline
step blas.tsv blas
step compile.tsv compile
step launch.tsv launch
step host.tsv host

device=$(sed -n 's/^# device: //p' "$tmp/bench.tsv")
slug=$(printf '%s' "$device" | tr 'A-Z' 'a-z' |
  sed 's/([^)]*)//g; s/[^a-z0-9]\{1,\}/-/g; s/^-//; s/-$//')
if command -v gnuplot > /dev/null; then
  sh "$here/plot-shares.sh" "$tmp/bench.tsv" "$tmp/shares.svg"
  sh "$here/plot-sizes.sh" "$tmp/sizes.tsv" "$tmp/sizes.svg"
  sh "$here/plot-roofline.sh" "$tmp/roofline.tsv" "$tmp/roofline.svg"
else
  echo "bench-report: no gnuplot, no plots" >&2
fi
{
  awk -f "$here/report.awk" "$tmp/bench.tsv"
  section() { # TITLE FILE
    awk -F'\t' -v title="$1" -f "$here/report-table.awk" "$tmp/$2"
  }
  section 'Against the BLAS of the CPU' blas.tsv
  section 'Compiling' compile.tsv
  section 'Launching' launch.tsv
  section 'Host arrays' host.tsv
  section 'Roofline' roofline.tsv
} > "$tmp/README.md"
mkdir -p "$out/$slug"
mv "$tmp"/* "$out/$slug/"
echo "$out/$slug/README.md"
