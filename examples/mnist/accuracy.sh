#!/bin/sh
# Classifies MNIST's images 8000..9999, which the training has not seen, with lt-run and counts the right ones.
# The images are not part of this project: they are looked for in $MNIST, by default ../shared/data/mnist.
set -eu
: "${O:=build}" "${MNIST:=../shared/data/mnist}"
here=examples/mnist
dir=$O/mnist
images=$MNIST/t10k-images-idx3-ubyte.gz
labels=$MNIST/t10k-labels-idx1-ubyte.gz

if ! [ -r "$images" ] || ! [ -r "$labels" ]; then
	echo "skipped: $images and $labels are not there (MNIST=FOLDER names another place)"
	exit 0
fi
mkdir -p "$dir"
zcat "$images" | "$O/mnist-idx" 8000 2000 "$dir/unseen.npy"
zcat "$labels" | "$O/mnist-idx" 8000 2000 "$dir/unseen-labels.npy"
sed 's/\[20, /[2000, /' "$here/mnist.lt" >"$dir/mnist-2000.lt"
"$O/lt-run" "$dir/mnist-2000.lt" -w "$here/weights.safetensors" -i image="$dir/unseen.npy" -o "$dir/unseen.npz"
echo "images 8000..9999: $("$O/mnist-show" -q "$dir/unseen.npy" "$dir/unseen.npz" "$dir/unseen-labels.npy")"
