#!/bin/sh
# Checks what docs/architecture.md promises of the sources: a file includes only from its own floor and lower ones, isl
# is used in five files, each header compiles alone, no line has more than 120 bytes, and what scripts/names.sh and
# words.sh look at.  Prints what does not hold and answers 1; files of more than 500 lines are only reported.  CC:
# compiler and warnings; O: where objects are.
set -u
bad=0

# floor FOLDER PATTERN: no file of FOLDER includes a header whose path matches PATTERN.
floor() {
	found=$(grep -rnE "^#[ ]*include \"($2)" --include='*.[ch]' --include='*.def' "$1")
	[ -z "$found" ] && return
	printf '%s may not include this:\n%s\n' "$1" "$found"
	bad=1
}
floor include   'ir/|looptree/|kernel/|backends/|frontends/|program/|check/|tools/|tests/'
floor ir        'looptree/|kernel/|backends/|frontends/|program/|check/|tools/|tests/'
floor looptree  'kernel/|backends/|frontends/|program/|check/|tools/|tests/'
contracts='lt/(graph|looptree|program|frontend|lt)\.h'
floor kernel    'ir/|looptree/|backends/|frontends/|program/|check/|tools/|tests/|'"$contracts"
above='looptree/|frontends/|program/|check/|tools/|tests/'
floor backends  "$above"'|ir/(graph|affine|pass|eval)|lt/(graph|looptree|program|frontend|lt)\.h'
floor backends/llvm 'backends/|kernel/|ir/'
floor backends/text 'backends/(cpu|ref|sim)|lt/target\.h|ir/'
floor frontends 'looptree/|kernel/|backends/|program/|check/|tools/|tests/'
floor program   'frontends/|check/|tools/|tests/'
floor check     'frontends/|tools/|tests/'
floor tools     'tests/'

found=$(grep -rlE '^#[ ]*include <isl/' --include='*.[ch]' . |
	grep -vE '^\./(ir/(isl|affine|bounds_isl)|looptree/depend(_sets)?)\.c$|^\./tests/')
if [ -n "$found" ]; then
	printf 'isl is used outside the files of ir/map, ir/bounds and looptree/legality that are named for it:\n%s\n' "$found"
	bad=1
fi

# Headers that need LLVM's C interface are tried where it is installed.
LLVM=$(scripts/llvm.sh) && LLVM="-isystem $("$LLVM" --includedir)" ||
	echo "not tried: headers of backends/llvm; LLVM's C interface (llvm-19-dev) is not installed"
# And those that need the CUDA toolkit's headers.
CUDA=$(scripts/cuda.sh) && CUDA="-isystem $CUDA" ||
	echo "not tried: headers of backends/cuda; the CUDA toolkit's headers are not installed"
OPENCL=$(scripts/opencl.sh) && OPENCL="-isystem $OPENCL" ||
	echo "not tried: headers of backends/opencl; OpenCL's headers (opencl-c-headers) are not installed"
# A .c file that is nothing but the header; prelude.h is text for generated code and has the same duty.
for h in $(find include ir looptree kernel backends frontends program check tools tests -name '*.h' | sort); do
	system=
	case $h in backends/llvm/*)
		[ -n "$LLVM" ] || continue
		system=$LLVM ;;
	backends/cuda/*|tests/cuda/*)
		[ -n "$CUDA" ] || continue
		system=$CUDA ;;
	backends/opencl/*|tests/opencl/*)
		[ -n "$OPENCL" ] || continue
		system=$OPENCL ;;
	esac
	echo "#include \"$h\"" | ${CC:-cc} -Iinclude -I. $system -fsyntax-only -x c - ||
		{ echo "$h does not compile alone"; bad=1; }
done

scripts/names.sh || bad=1
scripts/words.sh || bad=1

# Rows of Markdown tables cannot be folded.
found=$(find . \( -name .git -o -name .venv -o -path ./build -o -path "./${O:-build}" -o -path ./tests/golden \
	-o -path ./tests/fuzz/corpus \) -prune -o -type f \( -name '*.[ch1]' -o -name '*.cc' -o -name '*.def' \
	-o -name '*.inc' -o -name '*.md' -o -name '*.sh' -o -name '*.py' -o -name '*.mk' -o -name '*.yml' -o -name '*.lt' \
	-o -name '*.schedule' -o -name Makefile -o -name config.mk.example -o -path './.ci/*' \) \
	-exec env LC_ALL=C awk 'length > 120 && !/^\|/ { print FILENAME ":" FNR ": " length " bytes" }' {} +)
if [ -n "$found" ]; then
	printf 'lines of more than 120 bytes:\n%s\n' "$found"
	bad=1
fi

find . -name '*.[ch]' ! -path './build/*' ! -path './tests/golden/*' -exec wc -l {} + |
	awk '$2 != "total" && $1 > 500 { print $2 ": " $1 " lines, is it one subject?" }'
exit $bad
