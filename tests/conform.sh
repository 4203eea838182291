#!/usr/bin/env bash
# tests/conform.sh -- some cases of each group of lt-check, on grids: in the simulator, and on an OpenCL device.  With
# CHECK_MORE twice as many others.  Prints TAP.
set -u
: "${O:=build}"

# BACKEND GROUP PART
some() {
	local text status
	text=$("$O/lt-check" -b "$1" --filter "$2/*" --part "$3" --no-reduce 2>&1)
	status=$?
	echo "$text" >&2
	if [ $status = 0 ]; then
		echo "ok - lt-check -b $1, $(tail -n 1 <<<"$text" | sed -n 's/.* nothing failed of \([0-9]* cases\?\).*/\1/p') of $2"
	else
		echo "not ok - lt-check -b $1 --filter '$2/*' --part $3 ended with exit code $status"
	fi
}

groups() {
	local backend=$1
	shift
	while [ $# -gt 1 ]; do
		some "$backend" "$1" "$2"
		shift 2
	done
}

# what K: the K-th of twice as many parts for make check, the K-th for make check-more.
of() { echo "$([ -n "${CHECK_MORE-}" ] && echo "$2/$1" || echo "$2/$((2 * $1))")"; }
groups sim:grid op "$(of 100 7)" cast "$(of 30 3)" reduce "$(of 60 11)" gather "$(of 30 5)" state "$(of 10 3)" \
	param "$(of 20 5)" product "$(of 60 11)" random "$(of 20 5)"
# Without its optimiser PoCL compiles in half the time.  It keeps some bytes of every program that it has compiled,
# which the cases memory/* see.
if reason=$(tests/opencl_device.sh); then
	groups opencl:O0 op "$(of 200 7)" cast "$(of 60 3)" reduce "$(of 80 11)" gather "$(of 30 5)" state "$(of 20 3)" \
		param "$(of 30 5)" product "$(of 60 11)" random "$(of 30 5)" threads 1/2
else
	echo "ok - lt-check -b opencl # SKIP $reason"
fi
