#!/usr/bin/env bash
# tests/cuda/compile.sh -- NVRTC compiles every golden tree and every example for the two devices of a driver that is
# not there (tests/cuda/mock.h): sm_90a and sm_80.  Such a device loads the code and finds its functions, and then runs
# nothing: each run that needs a kernel ends with that.  The kernels of a program are compiled together before its run
# begins, so that ending is all that is asked for.  Prints TAP.
set -u
: "${O:=build}"
export LC_ALL=C.UTF-8
export LD_LIBRARY_PATH=$PWD/$O/tests/cuda${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}

if [ ! -e "$O/tests/cuda/libcuda.so.1" ] || ! "$O/lt-run" --list-backends | grep -q '^cuda .* cuda:sm_'; then
	echo "ok - CUDA C of every golden tree # SKIP the backend cuda is not built, or NVRTC is not there"
	exit 0
fi

# compile FILE OPTIONS...
compile() {
	local said device others=()
	[[ "$*" == *'-i *='* ]] || others+=(-i '*=random')
	[[ "$*" == *'-c *='* ]] || others+=(-c '*=random')
	for device in 0 1; do
		said=$("$O/lt-run" --no-cache -q --strict "$@" "${others[@]}" -b cuda:device=$device 2>&1 </dev/null)
		if [ $? = 0 ] || [[ $said == *CUDA_ERROR_NOT_SUPPORTED* ]]; then
			echo "ok - $1 for device $device"
		else
			echo "not ok - $1 for device $device"
			echo "$*: $said" >&2
		fi
	done
}

set -f
for file in $(find tests/golden -name '*.lt' | sort); do
	[ -e "${file%.lt}.err" ] && continue
	# What the options say of other backends does not matter here.
	compile "$file" $(sed -n '1s/^# lt-run: *//p' "$file" | sed 's/-b [^ ]*//; s/--target [^ ]*//')
done
while read -r command; do
	compile $command
done < <(grep -v '^#' tests/examples.txt)
