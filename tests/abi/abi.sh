#!/usr/bin/env bash
# tests/abi/abi.sh -- the backend interface against each version that is pinned in tests/abi/1.*: it may have grown,
# with a larger minor, and nothing else; its headers compile as C and as C++; a plug-in that was built against pinned
# headers is loaded and runs, one of another major is refused.  Prints TAP.  Called with O, CC, SAN.
set -u
export CC=${CC:-cc}
to=$(mktemp -d)
trap 'rm -rf "$to"' EXIT
newest=$(ls -d tests/abi/1.* | sort -V | tail -n 1)
strict="-Wall -Wextra -Wpedantic -Werror -fsyntax-only"
flags=${SAN:+-fsanitize=$SAN}

try() {
	local name=$1
	shift
	if "$@" >&2; then echo "ok - $name"; else echo "not ok - $name"; fi
}

# The facts of a table without the minor, sorted; and the minor.
facts() { grep -vE '^macro LT_ABI(_MINOR)?\b' "$1" | LC_ALL=C sort; }
minor() { sed -n 's/^macro LT_ABI_MINOR \([0-9]*\)u.*/\1/p' "$1"; }
# Comments and layout may differ.  No fact goes; one that comes needs a larger minor.
same() {
	facts "$to/old" >"$to/facts.old" && facts "$to/$1" >"$to/facts.new" && [ -s "$to/facts.old" ] || return 1
	local gone came
	gone=$(LC_ALL=C comm -23 "$to/facts.old" "$to/facts.new")
	came=$(LC_ALL=C comm -13 "$to/facts.old" "$to/facts.new")
	[ -z "$gone" ] || { echo "gone since ${2:-it was pinned}: $gone"; return 1; }
	[ -z "$came" ] || [ "$(minor "$to/$1")" -gt "$(minor "$to/old")" ] ||
		{ echo "this came, and the minor version is the same: $came"; return 1; }
}
# The test must see a change: each of these edits of a copy is one, and a comment is none.
changed() {
	rm -rf "$to/edit" && mkdir "$to/edit" && cp -r include/lt "$to/edit/lt" && sed -i "$2" "$to/edit/lt/$1" || return 1
	cmp -s "include/lt/$1" "$to/edit/lt/$1" && { echo "$1: the edit '$2' changes nothing"; return 1; }
	scripts/facts.sh "$to/edit" >"$to/edited"
}
edits_are_seen() {
	local edit
	while IFS='|' read -r file edit; do
		changed "$file" "$edit" || return 1
		if same edited >/dev/null; then echo "$file: nobody saw the edit '$edit'"; return 1; fi
	done <<'END'
tree.h|s/int32_t first_stmt, n_stmt;/int32_t n_stmt, first_stmt;/
tree.h|s/int64_t elems;/int32_t elems;/
tree.h|s/LT_SERIAL, LT_PARALLEL/LT_PARALLEL, LT_SERIAL/
tree.h|s/struct lt_array { const void \*at;/struct lt_array { const void *at; int more;/
tree.h|s/uint32_t n, stride; }/uint32_t n, stride; int64_t more; }/
tree.h|s/int32_t line, column;/int32_t line;/
tree.h|s/X(sin, 32, 1, FLOAT)/X(sin, 32, 1, SAME)/
tree.h|s/X(shl, 38, 2, WHOLE)/X(shl, 38, 2, WHOLE) X(more, 40, 1, SAME)/
status.h|s/X(ENOMEM,      1/X(ENOMEM,      17/
target.h|s/uint32_t cores;/uint32_t cores, clusters;/
backend.h|s/uint32_t n_thread;          \/\* at most/uint64_t n_thread; \/* at most/
backend.h|s/(\*sync)(struct lt_session \*, void \*stream,/(*sync)(struct lt_session *, int stream,/
backend.h|s/#define LT_ABI_MAJOR 1u/#define LT_ABI_MAJOR 2u/
tree.h|s/const int64_t \*strides; /const int64_t *strides; int64_t more; /
backend.h|s/LT_LOG_DEBUG }/LT_LOG_DEBUG, LT_LOG_MORE }/
tree.h|s/LT_TILE, LT_RANK, LT_NLOOP_KIND/LT_TILE, LT_RANK, LT_MORE, LT_NLOOP_KIND/
backend.h|s/(\*device)(uint32_t i, struct lt_device \*, struct lt_diag \*);/& int (*more)(void);/
END
	changed tree.h 's/^struct lt_loop /\/* a comment *\/ struct lt_loop /' && same edited || return 1
	# Growth with a larger minor is none; something that goes always is one.
	changed backend.h 's/#define LT_ABI_MINOR [0-9]*u/#define LT_ABI_MINOR 99u/
		s/LT_LOG_DEBUG }/LT_LOG_DEBUG, LT_LOG_MORE }/' && same edited || return 1
	changed backend.h 's/#define LT_ABI_MINOR [0-9]*u/#define LT_ABI_MINOR 99u/; s/LT_LOG_INFO, //' || return 1
	! same edited >/dev/null
}
full() { $CC -std=c11 -Iinclude $strict -fsyntax-only tests/abi/full.c; }
layout() { $CC -std=c11 -I"$1" -I. $strict backends/abi.c; }
each_alone() {
	local compiler=$1 h
	shift
	command -v "${compiler%% *}" >/dev/null || { echo "there is no $compiler"; return 1; }
	for h in include/lt/{backend,tree,target,status,options,looptree,schedule,access,table}.h; do
		echo "#include \"${h#include/}\"" | $compiler "$@" $strict -Wshadow -Wconversion -Iinclude -x "$lang" - || return 1
	done
}
# A backend with pinned headers, today's host.
plug_in() {
	$CC -shared -fPIC -fvisibility=hidden -DLT_PLUGIN $flags -I"$1" -o "$to/$2.so" "${@:3}" -lm
}
old_plug_in() {
	plug_in "$1" plain tests/plugins/plain.c &&
		LT_BACKEND_PATH= "$O/lt-run" -B "$to/plain.so" --list-backends | grep '^plain '
}
other_major() {
	plug_in tests/abi/0.9 early tests/plugins/plain.c || return 1
	LT_BACKEND_PATH= "$O/lt-run" -B "$to/early.so" --list-backends 2>"$to/said" && return 1
	cat "$to/said"
	grep -q 'it does not know version 1\.[0-9]* of the backend interface' "$to/said"
}
old_plug_in_runs() {
	plug_in "$1" mine "$1/mine.c" &&
	"$O/lt-run" -q -B "$to/mine.so" -b mine --strict --explain --verify examples/matmul.lt \
		-i '*=random' -c '*=random' 2>&1 | grep -- '-> mine$'
}

cxx_plug_in() {
	$1 -std=c++17 -Wall -Wextra -Wpedantic -Werror -shared -fPIC -fvisibility=hidden -DLT_PLUGIN $flags -Iinclude \
		-o "$to/cxx.so" tests/abi/plugin.cc &&
	LT_BACKEND_PATH= "$O/lt-run" -B "$to/cxx.so" --list-backends | grep '^cxx ' &&
	"$O/lt-run" -q -B "$to/cxx.so" -b cxx --strict examples/matmul.lt -i '*=random' -c '*=random'
}

scripts/facts.sh include >"$to/new"
for old in tests/abi/1.*; do
	scripts/facts.sh "$old" >"$to/old"
	try "the interface has all of ${old##*/}" same new "${old##*/}"
	try "a plug-in with the headers of ${old##*/} is loaded" old_plug_in "$old"
	try "a plug-in with the headers of ${old##*/} runs" old_plug_in_runs "$old"
done
scripts/facts.sh "$newest" >"$to/old"
try "its offsets, in the pinned headers" layout "$newest"
try "its offsets, in today's headers" layout include
try "a plug-in of 0.9 is refused" other_major
try "no free bytes at ends" full
try "changes are seen" edits_are_seen
lang=c
try "the headers alone as C11" each_alone "$CC" -std=c11 -Wstrict-prototypes
if command -v clang >/dev/null; then try "the headers alone as C11, clang" each_alone clang -std=c11 -Wstrict-prototypes
else echo "ok - the headers alone as C11, clang # SKIP there is no clang"; fi
lang=c++
if command -v g++ >/dev/null; then try "the headers alone as C++17" each_alone g++ -std=c++17
else echo "ok - the headers alone as C++17 # SKIP there is no g++"; fi
if command -v clang++ >/dev/null; then try "the headers alone as C++17, clang" each_alone clang++ -std=c++17
else echo "ok - the headers alone as C++17, clang # SKIP there is no clang++"; fi
for cxx in g++ clang++; do
	if [ -n "$flags" ] && { case "$($CC --version)" in *clang*) [ $cxx = g++ ] ;; *) [ $cxx = clang++ ] ;; esac; }; then
		echo "ok - a plug-in in C++, $cxx # SKIP its sanitizers are not those of $CC"
	elif command -v $cxx >/dev/null; then try "a plug-in in C++, $cxx" cxx_plug_in $cxx
	else echo "ok - a plug-in in C++, $cxx # SKIP there is no $cxx"; fi
done
