#!/usr/bin/env bash
# tests/examples.sh -- every example runs and agrees with the oracle, on cpu, ref and llvm if that is built; the demo
# classifies every digit that it draws.  With CHECK_MORE the small ones run on the simulator, those of the folder
# examples on an OpenCL device, and there are those that take seconds.  Prints TAP.  The commands are in
# tests/examples.txt; an example that is not there fails.
set -u
: "${O:=build}"

try() {
	local name=$1
	shift
	if "$@" >&2; then echo "ok - $name"; else echo "not ok - $name"; fi
}

llvm=
[ -e "$O/backends/llvm.so" ] && llvm=llvm
# Without its optimiser PoCL compiles in half the time.
opencl=
if reason=$(tests/opencl_device.sh); then opencl=opencl:O0; else echo "ok - examples on opencl # SKIP $reason"; fi
set -f
while read -r script options; do
	case ${CHECK_MORE:+more} in
	'') [[ ! $script =~ hamkaas|stories ]] || continue      # they take seconds; tiny.lt and mlp.lt are like them
		some="cpu ref $llvm" ;;
	more) [[ $script =~ hamkaas|stories ]] && some="cpu $llvm $opencl" || some="sim $opencl" ;;
	esac
	for backend in $some; do
		[[ $backend = opencl* && "$script $options" =~ ^tests/|--schedule ]] && continue
		try "$script on $backend" "$O/lt-run" "$script" $options -b $backend -q --verify
	done
done < <(grep -v '^#' tests/examples.txt)

for script in $(find examples -name '*.lt'); do
	grep -q "^#\?$script" tests/examples.txt || echo "not ok - $script is not in tests/examples.txt"
done

[ -z "${CHECK_MORE-}" ] || exit 0
dir=$O/mnist
mkdir -p "$dir"
all_right() {
	"$O/mnist-draw" "$dir/digits.npy" "$dir/labels.npy" &&
	"$O/lt-run" examples/mnist/mnist.lt -w examples/mnist/weights.safetensors -i image="$dir/digits.npy" \
		-o "$dir/check.npz" &&
	"$O/mnist-show" "$dir/digits.npy" "$dir/check.npz" "$dir/labels.npy" | tee /dev/stderr | grep -q '^20 of 20 right'
}
try "the demo's digits" all_right

accuracy() {
	local right
	right=$(examples/mnist/accuracy.sh | tee /dev/stderr | sed -n 's/.*: \([0-9]*\) of 2000.*/\1/p')
	[ "${right:-0}" -ge 1900 ]
}
if [ -r "${MNIST:=../shared/data/mnist}/t10k-images-idx3-ubyte.gz" ]; then
	try "at least 95 % of the unseen images" accuracy
else
	echo "ok - at least 95 % of the unseen images # SKIP $MNIST is not there"
fi
