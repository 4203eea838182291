#!/usr/bin/env bash
# tests/everywhere.sh -- random graphs of integers on every backend, as C on every processor and microcontroller that is
# emulated here, bit for bit as an interpreter in plain Python has them (tests/fixed/everywhere.py).  Prints TAP.
# Called with O; CHECK_EVERYWHERE=50 graphs (with CHECK_MORE 300, all of them optimised), EVERYWHERE_SEED=1.
set -u
: "${O:=build}"
if ! python3 -c '' 2>/dev/null; then
	echo "ok - graphs of integers everywhere # SKIP there is no python3"
	exit 0
fi
if [ -n "${SAN-}" ]; then               # of the library; what is built is the same
	exec python3 tests/fixed/everywhere.py "${CHECK_EVERYWHERE:-25}" "${EVERYWHERE_SEED:-1}" "$O" \
		ref sim sim:grid build:portable:bare
fi
[ -z "${CHECK_MORE-}" ] || export FIXED_OPTIMISED=1
exec python3 tests/fixed/everywhere.py "${CHECK_EVERYWHERE:-$([ -z "${CHECK_MORE-}" ] && echo 50 || echo 300)}" \
	"${EVERYWHERE_SEED:-$([ -z "${CHECK_MORE-}" ] && echo 1 || echo 2)}" "$O"
