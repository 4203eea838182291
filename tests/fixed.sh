#!/usr/bin/env bash
# tests/fixed.sh -- fixed point: random scripts on every backend, bit for bit as an interpreter in plain Python has them
# (tests/fixed/).  Prints TAP.  Called with O; CHECK_FIXED=40 scripts of five graphs each, FIXED_SEED=1; of backends
# that take a compiler or a simulator a tenth of them.
set -u
if ! python3 -c '' 2>/dev/null; then
	echo "ok - fixed point # SKIP there is no python3"
	exit 0
fi
n=${CHECK_FIXED:-40} seed=${FIXED_SEED:-1}
there=$("$O/lt-run" --list-backends | awk '{ print $1 }')
quick=ref slow="cpu cpu:target=sse2 sim:grid"
is_there() { grep -qx "$1" <<<"$there" || { echo "ok - fixed point on $1 # SKIP it is not there"; false; }; }
is_there llvm && quick="$quick llvm"
is_there opencl && slow="$slow opencl"
grep -qw avx2 /proc/cpuinfo && slow="$slow cpu:target=avx2"
# shellcheck disable=SC2086 -- words
python3 tests/fixed/draw.py "$n" "$seed" "$O/lt-run" $quick
python3 tests/fixed/draw.py "$(((n + 9) / 10))" "$seed" "$O/lt-run" $slow
