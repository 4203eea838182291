#!/bin/sh
# Checks what docs/architecture.md promises of the sources: who may include what (scripts/structure.py), no function
# twice (scripts/bodies.py), isl in five files, each header compiles alone, no line of more than 120 bytes.  Prints what
# does not hold and answers 1.  CC: compiler and warnings; O: where objects are.
set -u
bad=0
scripts/structure.py || bad=1
scripts/bodies.py || bad=1

found=$(grep -rlE '^#[ ]*include <isl/' --include='*.[ch]' --exclude-dir=build . |
	grep -vE '^\./(ir/(isl/isl|map/affine|bounds/isl)|looptree/legality/depend(_sets)?)\.c$|^\./tests/')
if [ -n "$found" ]; then
	printf 'isl is used outside ir/isl, ir/map/affine.c, ir/bounds/isl.c and looptree/legality/depend*.c:\n%s\n' "$found"
	bad=1
fi

# Headers that need LLVM's C interface are tried where it is installed.
LLVM=$(scripts/llvm.sh) && LLVM="-isystem $("$LLVM" --includedir)" ||
	echo "not tried: headers of backends/llvm; LLVM's C interface (llvm-19-dev) is not installed"
# And those that need the CUDA toolkit's headers.
CUDA=$(scripts/cuda.sh) && CUDA="-isystem $CUDA" ||
	echo "not tried: headers of backends/cuda; the CUDA toolkit's headers are not installed"
CUDNN=$(scripts/cudnn.sh $(scripts/cuda.sh)) && CUDNN="$CUDA -isystem $CUDNN" ||
	echo "not tried: headers of backends/cudnn; cuDNN's headers are not installed"
OPENCL=$(scripts/opencl.sh) && OPENCL="-isystem $OPENCL" ||
	echo "not tried: headers of backends/opencl; OpenCL's headers (opencl-c-headers) are not installed"
# A .c file that is nothing but the header; prelude.h is text for generated code and has the same duty.
for h in $(find include base ir looptree kernel backends frontends program check tools tests -name '*.h' | sort); do
	system=
	case $h in backends/llvm/*)
		[ -n "$LLVM" ] || continue
		system=$LLVM ;;
	backends/cuda/*|tests/cuda/*)
		[ -n "$CUDA" ] || continue
		system=$CUDA ;;
	backends/cudnn/*|tests/cudnn/*)
		[ -n "$CUDNN" ] || continue
		system=$CUDNN ;;
	backends/opencl/*|tests/opencl/*)
		[ -n "$OPENCL" ] || continue
		system=$OPENCL ;;
	esac
	echo "#include \"$h\"" | ${CC:-cc} -Iinclude -I. $system -fsyntax-only -x c - ||
		{ echo "$h does not compile alone"; bad=1; }
done

# Rows of Markdown tables cannot be folded.
found=$(find . \( -name .git -o -name .venv -o -path ./build -o -path "./${O:-build}" -o -path ./tests/golden \
	-o -path ./tests/fuzz/corpus \) -prune -o -type f \( -name '*.[ch1]' -o -name '*.cc' -o -name '*.def' \
	-o -name '*.inc' -o -name '*.js' -o -name '*.mjs' -o -name '*.ts' -o -name '*.css' \
	-o -name '*.md' -o -name '*.sh' -o -name '*.py' -o -name '*.mk' -o -name '*.yml' -o -name '*.lt' \
	-o -name '*.schedule' -o -name Makefile -o -name config.mk.example -o -path './.ci/*' \) \
	-exec env LC_ALL=C awk 'length > 120 && !/^\|/ { print FILENAME ":" FNR ": " length " bytes" }' {} +)
if [ -n "$found" ]; then
	printf 'lines of more than 120 bytes:\n%s\n' "$found"
	bad=1
fi

exit $bad
