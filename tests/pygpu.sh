#!/bin/sh
# SPDX-License-Identifier: MIT
# pygpu.sh LIBDIR [DEVICE] -- runs pygpu's own tests, of Debian's python3-pygpu, over
# the library in LIBDIR (.libs of a build): a binding that was built for libgpuarray and
# is not rebuilt. DEVICE is cpu (the default) or cuda0. Needs the packages python3-pygpu,
# python3-pytest, python3-mako and, for BLAS, python3-scipy; not part of make check,
# which needs no Python.
set -eu
libdir=$(cd "${1:?usage: pygpu.sh LIBDIR [DEVICE]}" && pwd)
case ${2:-cpu} in
  cpu) export GPUARRAY_DEVICE=cpu DEVICE=cuda0 ;; # a program that asks for a GPU
  *) export DEVICE="$2" ;;
esac
export LD_LIBRARY_PATH="$libdir${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
python=${PYTHON:-/usr/bin/python3}
tests=$("$python" -c 'import pygpu.tests; print(pygpu.tests.__path__[0])')
set --
for suite in basic tools operations blas gpu_ndarray reduction elemwise; do
  set -- "$@" "$tests/test_$suite.py"
done
# collectives join the GPUs of a machine: the CPU device has none
[ "$DEVICE" = cuda0 ] && [ "${GPUARRAY_DEVICE-}" = cpu ] || set -- "$@" "$tests/test_collectives.py"
exec "$python" -m pytest -q -p no:cacheprovider -p no:warnings "$@"
