#!/usr/bin/env bash
# tests/rounds.sh -- repeats of a script, recurrent layers, Scans and Loops whose number of steps is known when a run
# starts: random ones against NumPy (tests/rounds/scripts.py; of ONNX recurrent.py, loops.py).  Prints TAP.  Called with
# O; CHECK_ROUNDS=2 of each, ROUNDS_SEED=1.
set -u
: "${O:=build}"
case $O in */*) ;; *) O=./$O ;; esac
if ! python3 -c 'import numpy' 2>/dev/null; then
	echo "ok - steps whose number a run says # SKIP python3 or numpy is not installed"
	exit 0
fi
there=$("$O/lt-run" --list-backends | awk '{ print $1 }')
backends=ref
for b in cpu llvm; do grep -qx "$b" <<<"$there" && backends="$backends $b"; done
# shellcheck disable=SC2086 -- words
python3 tests/rounds/scripts.py "${CHECK_ROUNDS:-2}" "${ROUNDS_SEED:-1}" "$O" $backends
case ${DIRS-frontends/onnx} in
*frontends/onnx*) ;;
*) echo "ok - recurrent layers # SKIP it is built without models of ONNX"; exit 0 ;;
esac
if ! python3 -c 'import onnx' 2>/dev/null; then
	echo "ok - recurrent layers # SKIP onnx is not installed"
	exit 0
fi
# shellcheck disable=SC2086 -- words
python3 tests/rounds/recurrent.py "${CHECK_ROUNDS:-2}" "${ROUNDS_SEED:-1}" "$O" $backends
# shellcheck disable=SC2086 -- words
python3 tests/rounds/loops.py "${CHECK_ROUNDS:-2}" "${ROUNDS_SEED:-1}" "$O" $backends
