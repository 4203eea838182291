#!/usr/bin/env bash
# tests/abi/caller.sh [--pin] -- the interface for callers (lt/lt.h) against what is pinned in tests/abi/caller.facts:
# functions, enumerators, members of structs with their types and offsets.  What is pinned stays; what is new may come,
# structs that begin with `size` grow at the end.  Its headers compile alone as C99 and C++, and so does the program in
# docs/c-api.md, which runs.  Prints TAP.  --pin writes tests/abi/caller.facts.  Called with O, CC, SAN.
set -u
export CC=${CC:-cc}
O=${O:-build}
to=$(mktemp -d)
trap 'rm -rf "$to"' EXIT
strict="-Wall -Wextra -Wpedantic -Werror"
flags=${SAN:+-fsanitize=$SAN}

try() {
	local name=$1
	shift
	if "$@" >&2; then echo "ok - $name"; else echo "not ok - $name"; fi
}

# What is not the backend's, which tests/abi/abi.sh has; with the offset of each member.
facts() {
	scripts/facts.sh "$1" lt.h | LC_ALL=C sort -u >"$to/all"
	scripts/facts.sh "$1" | LC_ALL=C sort -u >"$to/backend"
	LC_ALL=C comm -23 "$to/all" "$to/backend" | grep -v '^macro ' >"$to/caller"
	{
		printf '#include <stddef.h>\n#include <stdio.h>\n#include "lt/lt.h"\nint main(void)\n{\n'
		awk '$1 == "struct" {
			printf "\tprintf(\"offset struct %s %s %%zu\\n\", offsetof(struct %s, %s));\n", $2, $4, $2, $4 }' "$to/caller"
		printf '\treturn 0;\n}\n'
	} >"$to/offsets.c"
	cat "$to/caller"
	$CC -std=c11 -I"$1" -o "$to/offsets" "$to/offsets.c" && "$to/offsets"
}
gone() { LC_ALL=C comm -23 <(LC_ALL=C sort -u tests/abi/caller.facts) <(LC_ALL=C sort -u "$1"); }
has_all() {
	facts include >"$to/now" && [ -s tests/abi/caller.facts ] && [ -z "$(gone "$to/now")" ] ||
		{ echo "gone since it was pinned:"; gone "$to/now"; return 1; }
}
# The test must see a change: each of these edits of a copy is one; what is added at an end is none.
changed() {
	rm -rf "$to/edit" && mkdir "$to/edit" && cp -r include/lt "$to/edit/lt" && sed -i "$2" "$to/edit/lt/$1" || return 1
	cmp -s "include/lt/$1" "$to/edit/lt/$1" && { echo "$1: the edit '$2' changes nothing"; return 1; }
	facts "$to/edit" >"$to/edited"
}
edits_are_seen() {
	local edit
	while IFS='|' read -r file edit; do
		changed "$file" "$edit" || return 1
		[ -n "$(gone "$to/edited")" ] || { echo "$file: nobody saw the edit '$edit'"; return 1; }
	done <<'END'
program.h|s/uint32_t plan_only;/uint32_t planned;/
program.h|s/int64_t workspace_bytes, intermediate_bytes;/int64_t intermediate_bytes, workspace_bytes;/
program.h|s/LT_BINDING_CONSTANT, LT_BINDING_STATE/LT_BINDING_STATE, LT_BINDING_CONSTANT/
program.h|s/int32_t lt_program_count(const/int64_t lt_program_count(const/
verify.h|s/double absolute, relative;/float absolute, relative;/
timing.h|s/double min_ns, median_ns, mean_ns;/double median_ns, mean_ns;/
profile.h|s/struct lt_profile_span { int32_t step, lane;/struct lt_profile_span { int64_t step, lane;/
context.h|/lt_context_cancel/d
schedule.h|s/int32_t line, column;/int64_t line, column;/
access.h|s/int32_t first_guard, n_guard;/int32_t n_guard, first_guard;/
table.h|s/uint32_t to_bool;/uint32_t is_bool;/
END
	changed timing.h 's/bring_ns, device_ns;/bring_ns, device_ns; int64_t more;/' && [ -z "$(gone "$to/edited")" ]
}
each_alone() {
	local h
	command -v "$1" >/dev/null || { echo "there is no $1"; return 1; }
	for h in include/lt/*.h; do
		echo "#include \"${h#include/}\"" | "$@" $strict -Iinclude -fsyntax-only - || return 1
	done
}
# The last block of C with a main in docs/c-api.md.
manual() {
	awk '$0 == "```c" { inside = 1; text = ""; next }
		$0 == "```" { if (inside && text ~ /int main/) last = text; inside = 0 }
		inside { text = text $0 "\n" }
		END { printf "%s", last }' docs/c-api.md
}
manual_runs() {
	command -v "$1" >/dev/null || { echo "there is no $1"; return 1; }
	manual >"$to/manual.c" && "$@" $strict $flags -Iinclude -o "$to/manual" "$to/manual.c" -x none -L"$O" -llooptree \
		-Wl,-rpath,"$(realpath "$O")" && "$to/manual" >"$to/said" &&
		sed -n 1p "$to/said" | grep -q '^verify: passed: 12 elements compared, 12 equal; ' &&
		grep -q '^-28, of 3 samples$' "$to/said" && tail -n 1 "$to/said" | grep -q '^k0.* by ref: 2 nodes$'
}

if [ "${1-}" = --pin ]; then
	facts include | LC_ALL=C sort -u >tests/abi/caller.facts
	exit
fi
try "the interface for callers has all that is pinned" has_all
try "changes of it are seen" edits_are_seen
try "its headers alone as C99" each_alone "$CC" -std=c99 -x c
try "the program in docs/c-api.md as C99" manual_runs "$CC" -std=c99 -x c
for cxx in g++ clang++; do
	if ! command -v $cxx >/dev/null; then
		echo "ok - its headers alone as C++17, $cxx # SKIP there is no $cxx"
	elif [ -n "$flags" ] && { case "$($CC --version)" in *clang*) [ $cxx = g++ ] ;; *) [ $cxx = clang++ ] ;; esac; }; then
		echo "ok - the program in docs/c-api.md as C++17, $cxx # SKIP its sanitizers are not those of $CC"
	else
		try "its headers alone as C++17, $cxx" each_alone $cxx -std=c++17 -x c++
		try "the program in docs/c-api.md as C++17, $cxx" manual_runs $cxx -std=c++17 -x c++
	fi
done
