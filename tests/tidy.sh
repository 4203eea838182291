#!/usr/bin/env bash
# tests/tidy.sh -- scripts/structure.py and bodies.py find each kind of breach in a tree that has it, and none in
# others.  Prints TAP.
set -u
export LC_ALL=C.UTF-8
scripts=$PWD/scripts
if ! python3 -c '' 2>/dev/null; then
	echo "ok - tidy # SKIP there is no python3"
	exit 0
fi
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT

# file PATH LINE...: a source of the tree in hand.
file() {
	mkdir -p "$tree/${1%/*}"
	printf '%s\n' "${@:2}" >"$tree/$1"
}
# try NAME SCRIPT [WORDS]: what the script says of the tree holds these words; none: it finds nothing.
try() {
	local said status
	said=$(cd "$tree" && "$scripts/$2" 2>&1)
	status=$?
	if { [ -z "${3-}" ] && [ $status = 0 ] && [ -z "$said" ]; } ||
	   { [ -n "${3-}" ] && [ $status = 1 ] && [[ $said == *"$3"* ]]; }; then
		echo "ok - tidy: $1"
	else
		echo "not ok - tidy: $1"
		printf '%s\n' "answered $status and said:" "$said" "expected: ${3-nothing}" >&2
	fi
	rm -rf "${tree:?}"/*
}
try 'an empty tree' structure.py

# A room with a door, and one that is below it.
rooms() {
	file looptree/tree/tree.h 'int lt__tree(void);'
	file looptree/tree/tree.c '#include "looptree/tree/tree.h"' '#include "looptree/tree/parts.h"' \
		'int lt__tree(void)' '{' '	return lt__part();' '}'
	file looptree/tree/parts.h 'int lt__part(void);'
	file looptree/tree/parts.c '#include "looptree/tree/parts.h"' 'int lt__part(void) { return 0; }'
	file looptree/text/text.c '#include "looptree/tree/tree.h"' 'int main(void) { return lt__tree(); }'
}
rooms
try 'rooms with doors' structure.py
rooms
file looptree/text/text.c '#include "looptree/tree/parts.h"' 'int main(void) { return lt__part(); }'
try 'an include past a door' structure.py \
	'looptree/text/text.c:1: door: from outside looptree/tree/ include looptree/tree/tree.h, not looptree/tree/parts.h'
rooms
file looptree/text/text.c '#include "../tree/parts.h"' 'int main(void) { return lt__part(); }'
try 'an include past a door, by another path' structure.py 'door: from outside looptree/tree/'
rooms
file looptree/text/text.c 'int lt__part(void);' 'int main(void) { return lt__part(); }'
try 'a declaration past a door' structure.py \
	'looptree/text/text.c:1: home: lt__part is defined in looptree/tree/parts.c'
rooms
file looptree/text/text.c '/* See gone.c. */' '#include "looptree/tree/tree.h"' 'int main(void) { return lt__tree(); }'
try 'a comment that names a file that is not there' structure.py 'looptree/text/text.c:1: name: there is no gone.c'
rooms
file util/any.h
file ir/op/op.c '#include "util/any.h"'
try 'an include from no floor' structure.py 'ir/op/op.c:1: floor: it may not include util/any.h'
rooms
file ir/op/op.c '#include "looptree/tree/tree.h"' 'int main(void) { return lt__tree(); }'
try 'an include of a floor above' structure.py 'ir/op/op.c:1: floor: it may not include looptree/tree/tree.h'
rooms
file kernel/form/form.c '#include "lt/graph.h"'
file include/lt/graph.h
try 'a contract that is not for this floor' structure.py 'kernel/form/form.c:1: floor: it may not include lt/graph.h'
rooms
file looptree/text/text.h 'int lt__text(void);'
file looptree/text/text.c '#include "looptree/text/text.h"' '#include "looptree/tree/tree.h"' \
	'int lt__text(void) { return lt__tree(); }'
file looptree/tree/parts.c '#include "looptree/text/text.h"' 'int lt__part(void) { return lt__text(); }'
try 'folders in a circle' structure.py \
	'folders need each other in a circle: looptree/text, looptree/tree'
rooms
file looptree/tree/parts.c '#include "looptree/tree/tree.h"' '#include "looptree/tree/parts.h"' \
	'int lt__part(void) { return lt__tree(); }'
try 'files that call each other' structure.py \
	'files need each other in a circle: looptree/tree/parts.c, looptree/tree/tree.c'
rooms
file looptree/tree/parts.h '#include "looptree/tree/tree.h"' 'int lt__part(void);'
file looptree/tree/tree.h '#include "looptree/tree/parts.h"' 'int lt__tree(void);'
try 'headers in a circle' structure.py \
	'headers need each other in a circle: looptree/tree/parts.h, looptree/tree/tree.h'
rooms
file looptree/text/text.h 'int lt__tree(void);'
try 'a door that declares what another folder defines' structure.py \
	'looptree/text/text.h:1: home: lt__tree is defined in looptree/tree/'
rooms
file looptree/text/text.c '/* lt__tree */'
try 'a function that nothing uses' structure.py 'looptree/tree/tree.c: dead: nothing uses lt__tree'
rooms
file tests/test_tree.c '#include "looptree/tree/tree.h"' 'int test(void) { return lt__tree(); }'
file looptree/text/text.c
try 'one that only a test uses is no breach' structure.py
rooms
file docs/architecture.md '| `looptree/tree` | trees |' '| `looptree/gone` | nothing |'
try 'a folder that the map lacks' structure.py 'map: docs/architecture.md has no row for looptree/text'
rooms
file docs/architecture.md '| `looptree/tree` | trees |' '| `looptree/text` | their text |' \
	'| `looptree/gone` | nothing |'
try 'a folder that is only on the map' structure.py 'a row for looptree/gone, which has no sources'
file ir/op/a.c 'struct row { int x; };'
file tools/run/b.c 'static union row { int y; } rows;'
try 'a tag in two files' structure.py \
	'struct row is defined twice; begin one name with its subject: ir/op/a.c, tools/run/b.c'
file include/lt/backend.h 'struct lt_object;'
file backends/ref/ref.c 'struct lt_object { int x; };'
file backends/cpu/cpu.c 'struct lt_object { int x; };'
try "what backend.h leaves to backends is each backend's" structure.py

# copy PATH NAME SET N NUMBER: a function of nine lines, with these names and this number in it.
copy() {
	file "$1" "static int $2(const int *$3, int $4, int x)" '{' '	int found = 0;' "	for (int i = 0; i < $4; i++) {" \
		"		if ($3[i] == x)" "			found += $5;" '	}' '	return found;' '}'
}
copy ir/op/a.c times_in set n 1
copy tools/run/b.c occurrences list length 1
try 'a body twice, by other names, in two floors' bodies.py 'tools/run/b.c:1: occurrences'
copy ir/op/a.c times_in set n 1
file tools/run/b.c 'static int32_t occurrences(int32_t *list, int32_t n, int32_t x) {' '	int32_t found = 0;' \
	'	for (int32_t i = 0; i < n; i++) {' '		if (list[i] == x) found += 1;' '	} return found;' '}'
try 'a body twice, in other lines and types' bodies.py 'tools/run/b.c:1: occurrences'
copy ir/op/a.c times_in set n 1
copy tools/run/b.c occurrences list length 2
try 'bodies with another number' bodies.py
copy ir/op/a.c times_in set n 1
file tools/run/b.c 'int once(int x)' '{' '	return x;' '}' 'int again(int y)' '{' '	return y;' '}'
try 'small bodies' bodies.py
