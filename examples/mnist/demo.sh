#!/bin/sh
# Draws twenty digits, has lt-run classify them, shows what came out and what an image costs.
set -eu
: "${O:=build}"
here=examples/mnist
dir=$O/mnist
mkdir -p "$dir"

"$O/mnist-draw" "$dir/digits.npy" "$dir/labels.npy"
set -- "$here/mnist.lt" -w "$here/weights.safetensors" -i image="$dir/digits.npy"
echo "lt-run $*"
"$O/lt-run" "$@" -o "$dir/results.npz" -q --time >"$dir/time"
echo
"$O/mnist-show" "$dir/digits.npy" "$dir/results.npz" "$dir/labels.npy"
awk '$1 == "time:" && $2 == "median" {
	printf "%.3g %s an image (median of runs with %d images)\n", $3 / 20, $4, 20
}' "$dir/time" | tr -d ,
