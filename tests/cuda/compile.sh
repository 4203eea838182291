#!/usr/bin/env bash
# tests/cuda/compile.sh -- NVRTC compiles golden trees and every example for the two devices of a driver that is not
# there (tests/cuda/mock.h): sm_90a and sm_80.  Such a device loads the code, finds its functions and says what they
# take (--dump=stats); it runs nothing, so no inputs are made.  Examples are also begun: each run that needs a kernel
# ends with what this driver cannot do.  Every second golden tree and each example have the two devices in turn, and
# with CHECK_MORE all have the rest.  Equal texts are compiled once for a device.  Prints TAP.
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
	n=$((n + 1))
	for device in 0 1; do
		[ $((n % 2)) = 0 ] && [ $((n / 2 % 2)) = $device ] && when= || when=1   # for check-more
		[ "$when" = "${CHECK_MORE:+1}" ] || continue
		# What the options say of other backends does not matter here.
		compile "$file" $(sed -n '1s/^# lt-run: *//p' "$file" |
			sed 's/-b [^ ]*//; s/--target [^ ]*//; s/-d[A-Z]*//; s/--real//')
	done
done
n=0
while read -r command; do
	n=$((n + 1)) device=$(((n + 0${CHECK_MORE:+1}) % 2))
	compile $command
	begin $command
done < <(grep -v '^#' tests/examples.txt)

# Without a driver trees and texts are those for an H200, which the driver that is not there has first.
if env -u LD_LIBRARY_PATH "$O/lt-run" --list-backends | grep -q '^cuda .*libcuda.so.1 cannot be loaded'; then
	cat >"$cache/x.lt" <<-'E'
		a = InputTensor(a, float16, [512, 256]);
		b = ConstantTensor(b, float16, [256, 512]);
		s = SoftmaxNode(CastNode(a, float32) @ CastNode(b, float32) * 0.125);
		c = CastNode(s, float16);
		result = CastNode(ReLUNode(CastNode(c, float32) @ CastNode(a, float32)), float16);
	E
	for backend in cuda cuda:generated cuda:tf32; do
		for kind in tree frozen access kernel source plan; do
			run=("$O/lt-run" -q --no-cache -b "$backend" --dump=$kind "$cache/x.lt")
			"${run[@]}" >"$cache/with" 2>&1 </dev/null && env -u LD_LIBRARY_PATH "${run[@]}" >"$cache/without" 2>"$cache/said" &&
				[ -s "$cache/with" ] && diff "$cache/with" "$cache/without" >>"$cache/said" &&
				grep -q '^lt-run: warning: .* those for an H200$' "$cache/said"
			judge "$kind for $backend without a driver" $? "$(cat "$cache/said")" "${run[*]}"
		done
	done
	env -u LD_LIBRARY_PATH "$O/lt-run" -q -b cudnn --dump=tree "$cache/x.lt" 2>/dev/null |
		grep -q '^target cudnn:sm_90a/9.14$' || ! "$O/lt-run" --list-backends | grep -q '^cudnn '
	judge 'a tree for cudnn without a driver' $? 'no such target' 'lt-run -b cudnn --dump=tree'
	mkdir "$cache/none" && : >"$cache/none/libcudnn.so.9"   # no library
	LD_LIBRARY_PATH=$cache/none:$LD_LIBRARY_PATH "$O/lt-run" -q -b cudnn --dump=tree "$cache/x.lt" 2>"$cache/said" |
		grep -q '^target cudnn:sm_90a/9.14$' && grep -q 'warning: cuDNN is not here' "$cache/said" ||
		! "$O/lt-run" --list-backends | grep -q '^cudnn '
	judge 'a tree for cudnn without the library' $? "$(cat "$cache/said")" 'lt-run -b cudnn --dump=tree'
	! env -u LD_LIBRARY_PATH "$O/lt-run" -b cuda -i '*=random' -c '*=random' "$cache/x.lt" >"$cache/said" 2>&1 &&
		grep -q "install NVIDIA's driver" "$cache/said"
	judge 'nothing is run without a driver' $? "$(cat "$cache/said")" 'lt-run -b cuda'
	! env -u LD_LIBRARY_PATH "$O/lt-run" -b cuda:device=3 --dump=tree "$cache/x.lt" >"$cache/said" 2>&1 &&
		grep -q "install NVIDIA's driver" "$cache/said"
	judge 'no other device stands for one that is named' $? "$(cat "$cache/said")" 'lt-run -b cuda:device=3'
else
	echo "ok - trees without a driver # SKIP there is one"
fi

# A sigmoid of float32 ends by one instruction; a quotient that is rounded exactly has a branch for each lane.
printf 'x = InputTensor(x, float32, [64]);\nresult = SigmoidNode(x);\n' >"$cache/x.lt"
said=$("$O/lt-run" --no-cache -b cuda --dump=asm "$cache/x.lt" 2>&1 </dev/null) &&
	grep -q 'rcp\.approx\.ftz\.f32' <<<"$said" && ! grep -q '\(div\|rcp\)\.rn' <<<"$said"
judge 'a sigmoid without an exact quotient' $? "$said" 'lt-run -b cuda --dump=asm'

if [ $kernels -ge 100 ]; then
	echo "ok - $kernels kernels in all"
else
	echo "not ok - $kernels kernels in all"
fi
