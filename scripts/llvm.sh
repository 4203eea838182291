#!/bin/sh
# llvm.sh -- prints the llvm-config of the LLVM that backends/llvm is built with: the newest of 15 to 21 whose headers
# of the C interface are there, else that of no number, if it is 15 or later.  Prints nothing, and answers 1, where
# there is none.
for config in llvm-config-21 llvm-config-20 llvm-config-19 llvm-config-18 llvm-config-17 llvm-config-16 llvm-config-15 \
	llvm-config; do
	at=$(command -v $config 2>/dev/null) || continue
	version=$("$at" --version 2>/dev/null)
	[ "${version%%.*}" -ge 15 ] 2>/dev/null && [ -e "$("$at" --includedir)/llvm-c/Core.h" ] || continue
	echo "$at"
	exit 0
done
exit 1
