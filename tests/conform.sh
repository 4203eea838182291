#!/usr/bin/env bash
# tests/conform.sh -- some cases of each group of lt-check, on grids: in the simulator, and on an OpenCL device.  Prints
# TAP.
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

groups sim:grid op 7/100 cast 3/30 reduce 11/60 gather 5/30 state 3/10 param 5/20 product 11/60 random 5/20
# Without its optimiser PoCL compiles in half the time.  It keeps some bytes of every program that it has compiled,
# which the cases memory/* see.
if reason=$(tests/opencl_device.sh); then
	groups opencl:O0 op 7/200 cast 3/60 reduce 11/80 gather 5/30 state 3/20 param 5/30 product 11/60 \
		random 5/30 threads 1/2
else
	echo "ok - lt-check -b opencl # SKIP $reason"
fi
