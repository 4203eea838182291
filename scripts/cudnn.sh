#!/bin/sh
# cudnn.sh [FOLDER...] -- prints the folder of cuDNN's headers that the backend cudnn is built with: one of these (those
# of the CUDA toolkit), that of CUDNN_HOME, or the system's own.  Prints nothing, and answers 1, where cudnn_graph.h of
# version 9 is missing, or what it includes of the toolkit.
for folder in ${CUDNN_HOME:+"$CUDNN_HOME/include"} "$@" /usr/include /usr/include/x86_64-linux-gnu \
	/usr/include/aarch64-linux-gnu; do
	[ -e "$folder/cudnn_graph.h" ] || continue
	grep -qs '^#define CUDNN_MAJOR *\(9\|[1-9][0-9]\)' "$folder/cudnn_version.h" || continue
	for toolkit in "$@" "$folder"; do
		[ -e "$toolkit/cuda_runtime_api.h" ] || continue
		echo "$folder"
		exit 0
	done
done
exit 1
