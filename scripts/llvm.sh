#!/bin/sh
# llvm.sh -- prints the llvm-config of the LLVM that backends/llvm is built with: the newest of 15 to 21 whose headers
# of the C interface are there, else that of no number, if it is 15 or later.  Prints nothing, and answers 1, where
# there is none.
# llvm.sh static CONFIG -- prints what the backend is linked with to have the parts of LLVM that it needs in itself: it
# is loaded in 5 ms then, where the shared library with every processor and its own libraries takes 25 to 45.  Prints
# nothing where that cannot be had.
if [ "${1-}" = static ]; then
	libs=$("$2" --link-static --libs nativecodegen orcjit passes 2>/dev/null) || exit 1
	# Of these there need not be more than what programs are run with.
	for name in stdc++ z zstd tinfo; do
		file=$(${CC:-cc} -print-file-name="lib$name.so")
		case $file in
		/*) ;;
		*) file=$(/sbin/ldconfig -p 2>/dev/null | awk -v name="lib$name.so." 'index($1, name) == 1 { print $NF; exit }') ;;
		esac
		system="${system-} $file"
	done
	echo "$("$2" --ldflags)" -Wl,--gc-sections -Wl,--as-needed $libs $system
	exit 0
fi
for config in llvm-config-21 llvm-config-20 llvm-config-19 llvm-config-18 llvm-config-17 llvm-config-16 llvm-config-15 \
	llvm-config; do
	at=$(command -v $config 2>/dev/null) || continue
	version=$("$at" --version 2>/dev/null)
	[ "${version%%.*}" -ge 15 ] 2>/dev/null && [ -e "$("$at" --includedir)/llvm-c/Core.h" ] || continue
	echo "$at"
	exit 0
done
exit 1
