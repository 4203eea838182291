#!/usr/bin/env bash
# tests/abi/abi.sh -- the backend interface against its frozen form in tests/abi/1.0: only comments and additions at ends may differ; its
# headers compile as C and as C++; a plug-in that was built against the frozen headers is loaded and runs.  Prints TAP.  Called with O, CC, SAN.
set -u
export CC=${CC:-cc}
to=$(mktemp -d)
trap 'rm -rf "$to"' EXIT
old=tests/abi/1.0
strict="-Wall -Wextra -Wpedantic -Werror -fsyntax-only"
flags=${SAN:+-fsanitize=$SAN}

try() {
	local name=$1
	shift
	if "$@" >&2; then echo "ok - $name"; else echo "not ok - $name"; fi
}

# What is in table $1 and not in table $2 as it is.  LT_ABI_MINOR, and LT_ABI made of it, may differ.
gone() { grep -vE '^macro LT_ABI_MINOR ' "$1" | grep -Fxv -f "$2"; }
grown() {
	local lost
	lost=$(gone "$to/old" "$to/$1")
	[ -s "$to/old" ] && [ -z "$lost" ] || { echo "members, values or functions of 1.0 that moved, or changed:"; echo "$lost"; return 1; }
}
# Additions are a new minor version.
minor() {
	local more
	more=$(gone "$to/$1" "$to/old")
	[ -z "$more" ] || [ "$(sed -n 's/^macro LT_ABI_MINOR \([0-9]*\)u$/\1/p' "$to/$1")" -gt 0 ] ||
		{ echo "these are new, and LT_ABI_MINOR is 0 still (tests/abi/freeze.sh before the release of 1.0):"; echo "$more"; return 1; }
}
# The test must see a change: each of these edits of a copy is one, and a comment and a member at an end are none.
changed() {
	rm -rf "$to/edit" && mkdir "$to/edit" && cp -r include/lt "$to/edit/lt" && sed -i "$2" "$to/edit/lt/$1" || return 1
	cmp -s "include/lt/$1" "$to/edit/lt/$1" && { echo "$1: the edit '$2' changes nothing"; return 1; }
	tests/abi/table.sh "$to/edit" >"$to/edited"
}
edits_are_seen() {
	local edit
	while IFS='|' read -r file edit; do
		changed "$file" "$edit" || return 1
		if grown edited >/dev/null && $CC -std=c11 -I"$to/edit" -I. -fsyntax-only backends/abi.c 2>/dev/null; then
			echo "$file: nobody saw the edit '$edit'"; return 1
		fi
	done <<'END'
tree.h|s/int32_t first_stmt, n_stmt;/int32_t n_stmt, first_stmt;/
tree.h|s/int64_t elems;/int32_t elems;/
tree.h|s/LT_SERIAL, LT_PARALLEL/LT_PARALLEL, LT_SERIAL/
tree.h|s/struct lt_array { const void \*at;/struct lt_array { const void *at; int more;/
tree.h|s/uint32_t n, stride; }/uint32_t n, stride; int64_t more; }/
tree.h|s/int32_t line, column;/int32_t line;/
status.h|s/X(ENOMEM,      1/X(ENOMEM,      17/
target.h|s/uint32_t cores;/uint32_t cores, clusters;/
backend.h|s/uint32_t n_thread;          \/\* at most/uint64_t n_thread; \/* at most/
backend.h|s/(\*sync)(struct lt_session \*, void \*stream,/(*sync)(struct lt_session *, int stream,/
backend.h|s/#define LT_ABI_MAJOR 1u/#define LT_ABI_MAJOR 2u/
END
	while IFS='|' read -r file edit; do
		changed "$file" "$edit" || return 1
		grown edited && $CC -std=c11 -I"$to/edit" -I. -fsyntax-only backends/abi.c || { echo "$file: the edit '$edit' is none"; return 1; }
	done <<'END'
tree.h|s/^struct lt_loop /\/* a comment *\/ struct lt_loop /
tree.h|s/const int32_t \*spreads; /const int32_t *spreads; int64_t more; /
backend.h|s/LT_LOG_DEBUG }/LT_LOG_DEBUG, LT_LOG_MORE }/
tree.h|s/LT_TILE, LT_RANK, LT_NLOOP_KIND/LT_TILE, LT_RANK, LT_MORE, LT_NLOOP_KIND/
backend.h|s/void      (\*event_free)(struct lt_event \*);/& int (*more)(void);/
END
}
full() { $CC -std=c11 -Iinclude $strict -fsyntax-only tests/abi/full.c; }
layout() { $CC -std=c11 -I"$1" -I. $strict backends/abi.c; }
each_alone() {
	local compiler=$1 h
	shift
	command -v "${compiler%% *}" >/dev/null || { echo "there is no $compiler"; return 1; }
	for h in include/lt/{backend,tree,target,status}.h; do
		echo "#include \"${h#include/}\"" | $compiler "$@" $strict -Wshadow -Wconversion -Iinclude -x "$lang" - || return 1
	done
}
# A backend as it was when 1.0 came: its own headers, today's host.
plug_in() {
	$CC -shared -fPIC -fvisibility=hidden -DLT_PLUGIN $flags -I$old -o "$to/$1.so" "${@:2}" -lm
}
old_plug_in() {
	plug_in plain tests/plugins/plain.c && LT_BACKEND_PATH= "$O/lt-run" -B "$to/plain.so" --list-backends | grep '^plain '
}
old_plug_in_runs() {
	plug_in mine $old/mine.c &&
	"$O/lt-run" -q -B "$to/mine.so" -b mine --strict --explain --verify examples/matmul.lt -i '*=random' -c '*=random' 2>&1 | grep -- '-> mine$'
}

cxx_plug_in() {
	$1 -std=c++17 -Wall -Wextra -Wpedantic -Werror -shared -fPIC -fvisibility=hidden -DLT_PLUGIN $flags -Iinclude -o "$to/cxx.so" tests/abi/plugin.cc &&
	LT_BACKEND_PATH= "$O/lt-run" -B "$to/cxx.so" --list-backends | grep '^cxx ' &&
	"$O/lt-run" -q -B "$to/cxx.so" -b cxx --strict examples/matmul.lt -i '*=random' -c '*=random'
}

tests/abi/table.sh $old >"$to/old"
tests/abi/table.sh include >"$to/new"
try "nothing of 1.0 moved or changed" grown new
try "additions have a new minor version" minor new
try "the offsets of 1.0, in its own headers" layout $old
try "the offsets of 1.0, in today's headers" layout include
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
try "a plug-in of 1.0 is loaded" old_plug_in
try "a plug-in of 1.0 runs" old_plug_in_runs
