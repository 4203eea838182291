#!/usr/bin/env bash
# tests/cuda/compile.sh -- NVRTC compiles every golden tree and every example for the two devices of a driver that is
# not there (tests/cuda/mock.h): sm_90a and sm_80.  Such a device loads the code, finds its functions and says what they
# take (--dump=stats); it runs nothing, so no inputs are made.  Examples are also begun: each run that needs a kernel
# ends with what this driver cannot do.  Both have the two devices in turn, and with CHECK_MORE the other one.  Equal
# texts are compiled once for a device.  Prints TAP.
set -u
: "${O:=build}"
export LC_ALL=C.UTF-8
export LD_LIBRARY_PATH=$PWD/$O/tests/cuda${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}

if [ ! -e "$O/tests/cuda/libcuda.so.1" ] || ! "$O/lt-run" --list-backends | grep -q '^cuda .* cuda:sm_'; then
	echo "ok - CUDA C of every golden tree # SKIP the backend cuda is not built, or NVRTC is not there"
	exit 0
fi
cache=$(mktemp -d)
trap 'rm -rf "$cache"' EXIT

# judge NAME STATUS SAID COMMAND
judge() {
	if [ "$2" = 0 ]; then
		echo "ok - $1"
	else
		echo "not ok - $1"
		echo "$4: $3" >&2
	fi
}

# compile FILE OPTIONS...: for the device, without the options of a run.
declare -A compiled=()
kernels=0 device=
compile() {
	local said status command
	command=$(sed -E 's/ -[nic] [^ ]+//g' <<<"$*")
	[ -z "${compiled[$command]-}" ] || return 0
	compiled[$command]=1
	said=$("$O/lt-run" --cache-dir "$cache" --strict $command --dump=stats -b cuda:device=$device 2>&1 </dev/null)
	status=$?
	judge "$1 for device $device" $status "$said" "$command"
	kernels=$((kernels + $(grep -c '\.registers ' <<<"$said")))
}

# begin FILE OPTIONS...
begin() {
	local said status
	said=$("$O/lt-run" --cache-dir "$cache" -q --strict "$@" -b "cuda:device=$device" 2>&1 </dev/null)
	status=$?
	[[ $said != *CUDA_ERROR_NOT_SUPPORTED* ]] || status=0
	judge "$1 is begun" $status "$said" "$*"
}

set -f
n=0
for file in $(find tests/golden -name '*.lt' | sort); do
	[ -e "${file%.lt}.err" ] && continue
	n=$((n + 1)) device=$(((n + 0${CHECK_MORE:+1}) % 2))
	# What the options say of other backends does not matter here.
	compile "$file" $(sed -n '1s/^# lt-run: *//p' "$file" |
		sed 's/-b [^ ]*//; s/--target [^ ]*//; s/-d[A-Z]*//; s/--real//')
done
n=0
while read -r command; do
	n=$((n + 1)) device=$(((n + 0${CHECK_MORE:+1}) % 2))
	compile $command
	begin $command
done < <(grep -v '^#' tests/examples.txt)
if [ $kernels -ge 100 ]; then
	echo "ok - $kernels kernels in all"
else
	echo "not ok - $kernels kernels in all"
fi
