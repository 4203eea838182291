#!/bin/sh
# opencl.sh -- prints the folder of OpenCL's headers that the backend opencl is built with: the system's own, or that of
# the CUDA toolkit.  Prints nothing, and answers 1, where CL/cl.h is missing.
for folder in /usr/include /usr/local/include ${CUDA_HOME:+"$CUDA_HOME/include"} /usr/local/cuda/include; do
	[ -e "$folder/CL/cl.h" ] || continue
	echo "$folder"
	exit 0
done
exit 1
