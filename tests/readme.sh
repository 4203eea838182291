#!/usr/bin/env bash
# tests/readme.sh [--bless] -- README.md and the pages of docs/ show what is so: after each "$ command" of their
# console blocks stands what the command prints.  A command that ends with `\` or `|` goes on in the next line.  --bless
# rewrites them.  Prints TAP.  With CHECK_MORE the page whose commands take seconds, which is left out without.
#
# Those of README.md are a user's, who has the programs in PATH and a model, examples/mnist/digits.onnx; long lines are
# folded there.  Those of docs/cudnn.md are run as where there is no driver of NVIDIA's.
set -u
: "${O:=build}"
now=$(mktemp) user=$(mktemp -d)
trap 'rm -rf "$now" "$user"' EXIT
built=$(realpath "$O")
cp examples/mnist/digits.onnx "$user/model.onnx"
cp examples/mnist/weights.safetensors "$user"
ln -s "$PWD/examples" "$user/examples"
"$O/mnist-draw" "$user/digits.npy" "$user/labels.npy"
mkdir "$user/driver" && echo none >"$user/driver/libcuda.so.1"

# A command of a page, where its reader is.
run() {
	if [ "$1" = README.md ]; then
		(cd "$user" && PATH=$built:$PATH && eval "$2") 2>&1 | fold -s -w 118 | sed 's/ *$//'
	elif [ "$1" = docs/cudnn.md ]; then
		LD_LIBRARY_PATH=$user/driver:${LD_LIBRARY_PATH-} eval "${2//build\//$O/}"
	else
		eval "${2//build\//$O/}"
	fi
}
for page in README.md docs/backend.md docs/schedule.md docs/tutorial-matmul.md docs/kernel.md docs/gpu-product.md \
	docs/gpu.md docs/build.md docs/own-kernels.md docs/cudnn.md docs/quantize.md docs/seedot.md \
	docs/wasm.md docs/javascript.md; do
	case ${1-}${CHECK_MORE:+more}$page in
	--bless* | moredocs/tutorial-matmul.md) ;;
	more* | docs/tutorial-matmul.md) continue ;;
	esac
	case "$page ${DIRS-frontends/onnx}" in
	*frontends/onnx*) ;;
	README.md*) echo "ok - $page # SKIP it is built without models of ONNX"; continue ;;
	esac
	if [ $page = docs/cudnn.md ] && ! "$O/lt-run" --list-backends | grep -q '^cudnn '; then
		echo "ok - $page # SKIP it is built without the headers of cuDNN"
		continue
	fi
	case $page in docs/wasm.md | docs/javascript.md)
		if ! command -v clang-19 >/dev/null || ! command -v node >/dev/null || [ ! -e /usr/include/wasm32-wasi/math.h ]; then
			echo "ok - $page # SKIP clang-19, wasi-libc or node is not installed (scripts/setup.sh wasm)"
			continue
		fi ;;
	esac
	inside=
	while IFS= read -r line; do
		case $inside$line in
		'```console') inside=@@; echo "$line" ;;
		'@@```') inside=; echo "$line" ;;
		'@@$ '*)
			echo "$line"
			command=${line#??}
			while [[ $line == *[\\\|] ]] && IFS= read -r line; do
				echo "$line"
				command+=$'\n'$line
			done
			run "$page" "$command" 2>&1 </dev/null ;;
		@@*) ;;
		*) echo "$line" ;;
		esac
	done <"$page" >"$now"
	if [ "${1-}" = --bless ]; then
		cmp -s "$now" "$page" || { cp "$now" "$page"; echo "rewritten: $page"; }
	elif diff -u "$page" "$now" >&2; then
		echo "ok - $page"
	else
		echo "not ok - $page (make bless, if the change is meant)"
	fi
done
