#!/usr/bin/env bash
# tests/names.sh -- scripts/names.sh and words.sh find each kind of fault in a tree that has it, and none in others.
# Prints TAP.
set -u
export LC_ALL=C.UTF-8
scripts=$PWD/scripts
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT

# try NAME WORDS [SCRIPT]: what the script says of the tree in hand holds these words; no words: it finds nothing.
try() {
	local said
	said=$(cd "$tree" && O=build "${scripts}/${3:-names.sh}" 2>&1)
	local status=$?
	if { [ -z "$2" ] && [ $status = 0 ] && [ -z "$said" ]; } ||
	   { [ -n "$2" ] && [ $status = 1 ] && [[ $said == *"$2"* ]]; }; then
		echo "ok - names: $1"
	else
		echo "not ok - names: $1"
		printf '%s\n' "answered $status and said:" "$said" "expected: $2" >&2
	fi
	rm -rf "${tree:?}"/*
	mkdir -p "$tree"/{include/lt,ir,looptree,kernel,backends/{ref,cpu},tools}
	mkdir -p "$tree"/build/{ir,looptree,tools,backends/{ref,cpu}}
}
try 'an empty tree' ''

# objects: of every source of the tree, newer than it is; what is in them does not matter.
objects() {
	(cd "$tree" && find . -name '*.c' | while read -r file; do
		touch -d '2000-01-01' "$file"
		echo 'int unused;' | "${CC:-cc}" -x c -c -o "build/${file%.c}.o" - 2>/dev/null
	done)
}

for file in ir/a.c looptree/b.c tools/c.c; do echo 'static int fill(int x) { return x; }' >"$tree/$file"; done
objects
try 'a name in three files is no fault' ''
for file in ir/a.c looptree/b.c tools/c.c tools/d.h; do
	echo 'static inline int fill(int x) { return x; }' >"$tree/$file"
done
try 'a name in four files' 'fill: ir/a.c looptree/b.c tools/c.c tools/d.h'
for file in ir/a.c looptree/b.c tools/c.c tools/d.c; do
	printf '%s\n' '/* static int fill(int x) */' 'static const char *text = "static int fill(";' \
		'static int (*call)(int);' >"$tree/$file"
done
objects
try 'comments, texts and pointers are no functions' ''

echo 'struct row { int x; };' >"$tree/ir/a.c"
echo 'static union row { int y; } rows;' >"$tree/tools/b.c"
try 'a tag in two files' 'struct row: ir/a.c tools/b.c'
echo 'struct lt_object;' >"$tree/include/lt/backend.h"
echo 'struct lt_object { int x; };' | tee "$tree/backends/ref/ref.c" >"$tree/backends/cpu/cpu.c"
objects
try "what backend.h leaves to backends is each backend's" ''

echo '#include "looptree/b.h"' >"$tree/looptree/a.h"
echo '#include "looptree/a.h"' >"$tree/looptree/b.h"
try 'headers in a circle' 'looptree/a.h'

# compile FILE...: their objects, newer than they are.
compile() {
	touch -d '2000-01-01' "$tree"/looptree/*.c
	for file in "$@"; do "${CC:-cc}" -c -o "$tree/build/${file%.c}.o" "$tree/$file"; done
}
echo 'int lt__b(void); int lt__a(void) { return lt__b(); }' >"$tree/looptree/a.c"
echo 'int lt__a(void); int lt__b(void) { return lt__a(); }' >"$tree/looptree/b.c"
compile looptree/a.c looptree/b.c
try 'files that call each other' 'looptree/a.c'
echo 'int lt__b(void); int lt__a(void) { return lt__b(); }' >"$tree/looptree/a.c"
echo 'int lt__b(void) { return 0; }' >"$tree/looptree/b.c"
compile looptree/a.c looptree/b.c
try 'files that call in one direction' ''
echo 'int lt__a(void) { return 0; }' >"$tree/looptree/a.c"
try 'a source without an object' 'circles were not looked for: 1 sources have no object'
echo 'int lt__a(void) { return 0; }' >"$tree/looptree/a.c"
compile looptree/a.c
touch -d 2001-01-01 "$tree/build/looptree/a.o" && touch "$tree/looptree/a.c"
try 'an object that is older' 'looptree/a.c'

echo 'int lt__a(int most) { return most; }' >"$tree/ir/a.c"
try 'a word of the glossary as a parameter' 'ir/a.c: most: `most`, instead: max' words.sh
echo 'struct row { int n, last_place; const char *kept; }; /* most */' >"$tree/ir/a.c"
try 'a word that is right, or in a comment' '' words.sh
echo 'struct lt__row { int n_kept; };' >"$tree/backends/cpu/a.c"
try 'a word that is refused in some folders' 'n_kept: `kept`' words.sh
echo 'int lt__rewrite_put(int at);' >"$tree/kernel/a.c"
try 'a word in kernel programs' 'lt__rewrite_put: `put`' words.sh
echo 'int x;' >"$tree/looptree/own.c"
try 'a word in the name of a file' 'looptree/own.c: a file with' words.sh
