#!/bin/sh
# SPDX-License-Identifier: MIT
# The gpuarray command as its user sees it: what it prints, which files it
# writes, and its exit status. Uses the files of tests/data/npy.
set -u

tool=${top_builddir:?}/tools/gpuarray
data=${top_srcdir:?}/tests/data/npy
device=${GA_TEST_DEVICE:-cpu}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0
checks=0

fail() {
  failures=$((failures + 1))
  echo "check-tool: $*" >&2
  sed 's/^/    stdout: /' out >&2
  sed 's/^/    stderr: /' err >&2
}

# gives STATUS STDOUT WORDS...: the command ends so and prints exactly that.
gives() {
  status=$1 text=$2
  shift 2
  checks=$((checks + 1))
  "$tool" "$@" > out 2> err
  got=$?
  test $got = "$status" || fail "$*: exit status $got, not $status"
  test "$(cat out)" = "$text" || fail "$*: expected on stdout: $text"
}

# says STATUS WORD WORDS...: the command ends so and says WORD on stderr.
says() {
  status=$1 word=$2
  shift 2
  checks=$((checks + 1))
  "$tool" "$@" > out 2> err
  got=$?
  test $got = "$status" || fail "$*: exit status $got, not $status"
  grep -q -F -- "$word" err || fail "$*: '$word' is not on stderr"
}

f4=$data/f4_le.npy
i4=$data/i4_le.npy

# ---- eval: values and files
gives 0 '255' eval x x=0x_ff
gives 0 '1000.5' eval x x=1_000.5
says 2 '1e_5: No such file' eval x x=1e_5
gives 0 '[-3.   -2.25 -1.5  -0.75  0.    0.75  1.5 ]' eval '2*a' a="$data/shape_1d.npy" -d "$device"
gives 0 '-45' eval 'sum(a[:, 0])' a="$i4" -d "$device"
gives 0 '-46.5' eval 'sum(a[:, 0]) + k' a="$i4" k=-1.5 -d "$device"
gives 0 '[[-1.5]]' eval 'a[:1, :1]' a="$f4" -d "$device"
gives 0 '31' eval 'k' k=0x1f -d "$device"
gives 0 'True' eval 'k' k=True -d "$device"
gives 0 'inf' eval 'k' k=inf -d "$device"
gives 0 '-1' eval -d "$device" -- '-k' k=1
gives 0 '-1' eval '-k' k=1 -d "$device"

gives 0 '' eval 'a' a="$data/f4_be.npy" -o copy.npy -d "$device"
cmp -s copy.npy "$f4" || fail "a copy of a big-endian file is not the little-endian one"
gives 0 '' eval 'b = a + 0; c = b*0; b' a="$f4" -o b=b.npy -o c=c.npy -o v.npy -d "$device"
cmp -s b.npy "$f4" && cmp -s v.npy "$f4" || fail "outputs are not what was assigned"
gives 0 '0.0' eval 'sum(c)' c=c.npy -d "$device"
cp "$f4" in.npy
gives 0 '' eval 'a = a*0 + 1' a=in.npy -o a=ones.npy -d "$device"
cmp -s in.npy "$f4" || fail "the file of an input was changed"
gives 0 '15.0' eval 'sum(a)' a=ones.npy -d "$device"

# ---- eval: errors
says 1 '^' eval 'a +' a="$f4" -d "$device"
says 1 'c' eval 'a + c' a="$f4" -d "$device"
says 2 'gone.npy' eval 'a' a=gone.npy -d "$device"
says 2 'dtype' eval 'a' a="$data/no_date.npy" -d "$device"
says 2 'none/x.npy' eval 'a' a="$f4" -o none/x.npy -d "$device"
says 2 'no expression' eval
says 2 'needs an argument' eval 'k' k=1 -d
says 2 'given twice' eval 'k' k=1 k=2
says 2 'NAME=' eval 'k' 3
says 2 'int64' eval 'k' k=9223372036854775808
says 2 'is complex' eval 'k' k=-2.5e-3j
says 2 'two files' eval 'k' k=1 -o x.npy -o y.npy
says 2 'is a number' eval 'k' k=1 -o k=x.npy
says 2 'no option' eval 'k' k=1 --fast
says 1 'tpu' eval 'k' k=1 -d tpu
says 1 'only assigns' eval 't = k + 1' k=1 -d "$device"
says 2 'subcommand' evaluate
says 0 'GB/s' eval 'a + 1' a="$f4" --time -d "$device"
says 2 'subcommand' --no-such-thing

# ---- scripts
cat > script <<END
# a comment, then an empty line

'k + 1' k=1
"a + nobody" a='$f4'
'sum(a)' a=$f4 -o 's um.npy'
'unclosed
-f script
'k + 2' k=1 # the rest still runs
END
gives 1 '2
3' eval -f script -d "$device"
test -e 's um.npy' || fail 'a quoted file name was not taken'
for line in 4 6 7; do
  grep -q "^script:$line: \|^script:$line:\$" err || fail "line $line of the script has no message"
done
test "$(grep -c '^script:' err)" = 3 || fail 'other lines have messages'
cat > script <<'END'
"k" k="1"; # no separator: the semicolon is part of the number, so of a file's name
k\ +\ 1 "k"=1
'k + '"2" 'k'=1
"k + \
END
gives 1 '2
3' eval -f script -d "$device"
grep -q '^script:1: .*1;' err || fail 'a semicolon is not part of a word'
grep -q '^script:4: ' err || fail 'an open quote at the end of a script'
printf '%s' 'k k=7' > script
gives 0 '7' eval -f script -d "$device"
printf '\0\n\377=1\n' > script
says 1 'script:2' eval -f script -d "$device"
: > script
gives 0 '' eval -f script -d "$device"
echo "'k' k=1" > script
gives 0 '1' eval -f script -d "$device"
"$tool" eval -f - -d "$device" < script > out 2> err || fail 'a script on standard input'
says 2 'gone' eval -f gone
says 2 'script' eval 'k' k=1 -f script

# ---- progress: on a terminal only, which script(1) makes
printf '%s\n' "'sum(a)' a='$f4' -o s.npy" 'k k=2' > script
gives 0 '2' eval -f script --time -d "$device"
grep -q '\[K' err && fail 'progress that is not on a terminal'
if script -qec true typescript > out 2>&1; then
  checks=$((checks + 1))
  script -qec "'$tool' eval -f script --time -d '$device'" typescript > out 2> err
  for word in 'script:1 (9.%)' 'script:2 (100%)' 'script:1: loading' 'script:2: first call'; do
    tr '\r' '\n' < out | grep -q "^$word" || fail "progress does not show '$word'"
  done
  tr -d '\r' < out | sed "s/.*$(printf '\033')\[K//" | grep -qx 2 || fail 'progress is not erased'
fi

# ---- explain
checks=$((checks + 1))
"$tool" explain 'sum(a*a, axis=1) + k' 'a=float32[4000,4000]' k=2 -d "$device" > out 2> err ||
  fail 'explain'
grep -q 'float32' out || fail 'explain names no dtype'
"$tool" explain 'a = a[::-1]; b = a*k' -o a 'a=float32[4]' k=2 -o b -d "$device" > out 2> err ||
  fail 'explain -o of an array that is given'
grep -q 'writes a float32' out || fail 'explain -o of an array that is given: not written'
says 2 'is a number' explain 'k = a' 'a=float32[4]' k=2 -o k -d "$device"
says 2 'float33[4]' explain 'a' 'a=float33[4]' -d "$device"
says 2 'float32[4' explain 'a' 'a=float32[4' -d "$device"
says 1 'nobody' explain 'a + nobody' 'a=float32[4]' -d "$device"

# ---- info and cache
checks=$((checks + 1))
"$tool" info > out 2> err || fail 'info'
for word in devices cpu libraries SLEEF 'kernel cache'; do
  grep -q "$word" out || fail "info does not show '$word'"
done
says 2 'no arguments' info more
GPUARRAY_CACHE_DIR=$work/cache
export GPUARRAY_CACHE_DIR
gives 0 '' cache list
gives 0 '0 good, 0 broken' cache verify
gives 0 '0 removed, 0 bytes' cache prune 1K
gives 0 '0 removed, 0 bytes' cache clear
says 2 'bytes' cache prune much
says 2 'cache list' cache
says 2 'no argument' cache list all
gives 0 '0 packed, 0 bytes' cache pack kernels
ls kernels.* 2> /dev/null && fail 'cache pack leaves its temporary file'
ln -s kernels link
gives 0 '0 packed, 0 bytes' cache pack link
test -h link || fail 'cache pack replaces a link'
mkfifo pipe
timeout 60 cat pipe > piped &
gives 0 '0 packed, 0 bytes' cache pack pipe
wait
test -p pipe || fail 'cache pack replaces a pipe'
cmp -s piped kernels || fail 'cache pack into a pipe is another pack'
gives 0 '0 unpacked, 0 of them new' cache unpack kernels
"$tool" cache pack - 2> err | cmp -s - kernels || fail 'cache pack - is another pack'
grep -q '0 packed, 0 bytes' err || fail 'cache pack - says nothing'
"$tool" cache unpack - < kernels > out 2> err || fail 'cache unpack -'
cp kernels kept
says 1 'no entry for sm_1' cache pack kernels sm_1
says 1 'no entry for sm_1' cache pack - sm_1
cmp -s kernels kept || fail 'a pack that failed changed the file'
says 2 'no pack of kernels' cache unpack "$tool"
says 2 'nowhere' cache unpack nowhere
says 2 'nowhere' cache pack nowhere/kernels
says 2 'needs a file' cache pack
says 2 "no argument 'more'" cache unpack kernels more
GPUARRAY_CACHE=off
export GPUARRAY_CACHE
says 2 'switched off' cache list
unset GPUARRAY_CACHE

# ---- the rest
gives 0 "$("$tool" help)" --help
grep -q 'gpuarray eval' out || fail '--help does not name eval'
gives 0 "gpuarray $(sed -n 's/^#define VERSION "\(.*\)"/\1/p' "$top_builddir/config.h")" --version
if test -e /dev/full; then
  checks=$((checks + 1))
  "$tool" --help > /dev/full 2> err && fail 'a full disk went unnoticed'
fi

echo "check-tool: $checks checks, $failures failures"
test $failures = 0
