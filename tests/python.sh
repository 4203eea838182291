#!/usr/bin/env bash
# tests/python.sh [OPTION...] [FILE...] -- the package for Python: mypy --strict on it, the tests of tests/python by
# pytest, the examples of docs/python.md; with TOUR or CHECK_MORE, examples/tour.ipynb.  Prints TAP.  Those of this
# machine's python3 are used where it has numpy, pytest and mypy; else a virtual environment in $O/python-env, which
# scripts/setup.sh python makes; the notebook has that where python3 has not what it needs.
set -u
: "${O:=build}"
python=${PYTHON:-python3}
skip() { echo "ok - python # SKIP $*"; exit 0; }

command -v "$python" >/dev/null || skip "there is no $python"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || skip "$python is older than 3.11"
"$python" -c 'import os, sysconfig as s, sys; sys.exit(not os.path.exists(s.get_path("include") + "/Python.h"))' ||
	skip "$python has no Python.h: apt-get install -y python3-dev"
if ! "$python" -c 'import numpy, pytest, mypy' 2>/dev/null; then
	scripts/setup.sh python "$O/python-env" >&2 || skip "numpy, pytest and mypy cannot be had: scripts/setup.sh python"
	python=$O/python-env/bin/python
fi
core=$O/python/looptree/_core.abi3.so
if { [ ! -e "$core" ] || [ python/looptree/_core.c -nt "$core" ]; } &&
	! ${MAKE:-make} -s O="$O" PYTHON="${PYTHON:-python3}" python >&2; then
	echo "not ok - make python"
	exit 0
fi
# A notebook needs more than the other tests.
case "${TOUR-}${CHECK_MORE-} ${*:-test_tour}" in [!\ ]*test_tour* | [!\ ]*'-m more'*)
	export NOTEBOOK_PYTHON=$python
	if ! "$python" -c 'import ipykernel, matplotlib, nbconvert, pandas' 2>/dev/null; then
		scripts/setup.sh python "$O/python-env" >&2 && NOTEBOOK_PYTHON=$O/python-env/bin/python
	fi ;;
esac
# A library with sanitizers needs their own in the interpreter, before everything else; the interpreter itself keeps
# much until it ends, and no limit of memory holds for the addresses that they take.
case ${SAN-} in
'') ;;
address)
	preload=$(${CC:-cc} -print-file-name=libasan.so)
	[ -e "$preload" ] || skip "there is no libasan.so, which ${CC:-cc} would preload"
	export ASAN_OPTIONS=detect_leaks=0 ;;
*) skip "an interpreter is given the sanitizer of addresses only: make python-asan" ;;
esac
if [ $# = 0 ]; then
	set -- tests/python
	if "$python" -m mypy --config-file pyproject.toml --cache-dir "$O/mypy" >&2; then
		echo "ok - python/mypy"
	else
		echo "not ok - python/mypy"
	fi
fi
# Under a limit of memory: what asks for more than that is a mistake of the tests.
[ -n "${preload-}" ] || ulimit -S -v 32000000
env ${preload:+LD_PRELOAD="$preload"} PYTHONPATH=$O/python PYTHONDONTWRITEBYTECODE=1 \
	"$python" -m pytest -p no:cacheprovider -q -rA "$@" |
	tee /dev/stderr | sed -nE 's/^PASSED (.*)/ok - python\/\1/p; s/^(FAILED|ERROR) (.*)/not ok - python\/\2/p
		s/^SKIPPED \[[0-9]*\] ([^:]+:[0-9]+): (.*)/ok - python\/\1 # SKIP \2/p' | sed 's,python/tests/python/,python/,'
[ "${PIPESTATUS[0]}" -le 1 ] || echo "not ok - python/pytest ended with an error"
