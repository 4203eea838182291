#!/bin/sh
# cuda.sh -- prints the folder of the CUDA toolkit's headers that the backend cuda is built with: that of CUDA_HOME, of
# nvcc, /usr/local/cuda, or the system's own.  Prints nothing, and answers 1, where cuda.h and nvrtc.h are missing.
nvcc=$(command -v nvcc 2>/dev/null) && nvcc=$(readlink -f "$nvcc")
for folder in ${CUDA_HOME:+"$CUDA_HOME/include"} ${nvcc:+"${nvcc%/bin/nvcc}/include"} /usr/local/cuda/include \
	/usr/include; do
	[ -e "$folder/cuda.h" ] && [ -e "$folder/nvrtc.h" ] || continue
	echo "$folder"
	exit 0
done
exit 1
