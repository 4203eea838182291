#!/usr/bin/env bash
# tests/fixed.sh -- fixed point: random scripts on every backend, bit for bit as an interpreter in plain Python has
# them (tests/fixed/).  Prints TAP.  Called with O; CHECK_FIXED=8 scripts of five graphs each, FIXED_SEED=1; of
# backends that take a compiler or a simulator a twentieth of them.  Layers of ONNX likewise, as NumPy and ONNX
# Runtime have them, and layers as TensorFlow Lite Micro has them, by python3 or by $O/tflm-env, which
# scripts/setup.sh tflm makes.  More graphs, on more machines: tests/everywhere.sh.
# CHECK_MORE: also CHECK_FIXED_MUTANTS=100 wrong ways to build fixed point, which those scripts have to catch.
set -u
if ! python3 -c '' 2>/dev/null; then
	echo "ok - fixed point # SKIP there is no python3"
	exit 0
fi
n=${CHECK_FIXED:-8} seed=${FIXED_SEED:-1}
there=$("$O/lt-run" --list-backends | awk '{ print $1 }')
quick=ref slow="cpu cpu:target=sse2 sim:grid"
is_there() { grep -qx "$1" <<<"$there" || { echo "ok - fixed point on $1 # SKIP it is not there"; false; }; }
is_there llvm && quick="$quick llvm"
is_there opencl && slow="$slow opencl"
grep -qw avx2 /proc/cpuinfo && slow="$slow cpu:target=avx2"
# shellcheck disable=SC2086 -- words
python3 tests/fixed/draw.py "$n" "$seed" "$O/lt-run" $quick
python3 tests/fixed/draw.py "$(((n + 19) / 20))" "$seed" "$O/lt-run" $slow
case ${DIRS-frontends/onnx} in
*frontends/onnx*)
	if python3 -c 'import numpy, onnx' 2>/dev/null; then
		# shellcheck disable=SC2086 -- words
		python3 tests/fixed/onnx_layers.py "$((n > 20 ? n / 2 : 20))" "$seed" "$O/lt-run" $quick
	else
		echo "ok - layers of ONNX in integers # SKIP numpy or onnx is not installed"
	fi ;;
esac
tflm=python3
"$tflm" -c 'import tflite_micro' 2>/dev/null || {
	scripts/setup.sh tflm "$O/tflm-env" >&2
	tflm=$O/tflm-env/bin/python
}
if "$tflm" -c 'import tflite_micro' 2>/dev/null; then
	# shellcheck disable=SC2086 -- words
	"$tflm" tests/fixed/tflm_layers.py "$((n > 20 ? 2 * n : 40))" "$seed" "$O/lt-run" $quick
else
	echo "ok - layers of TensorFlow Lite Micro # SKIP tflite-micro is not installed (scripts/setup.sh tflm $O/tflm-env)"
fi
[ -z "${CHECK_MORE-}" ] || python3 tests/fixed/mutants.py "${CHECK_FIXED_MUTANTS:-100}" "$seed" "$O/lt-run"
