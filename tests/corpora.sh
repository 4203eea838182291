#!/usr/bin/env bash
# tests/corpora.sh -- every file that fuzzing has been given or has found, through its target once more. Prints TAP.
set -u
: "${O:=build}"
for source in tests/fuzz/*.c; do
	name=$(basename "$source" .c)
	[ "$name" = replay ] && continue
	files=$(find "tests/fuzz/corpus/$name" -type f 2>/dev/null | wc -l)
	if [ "$files" = 0 ]; then
		echo "not ok - corpus $name is empty"
	elif done=$(timeout 120 "$O/fuzz/$name" "tests/fuzz/corpus/$name") && [ "$done" = "$files" ]; then
		echo "ok - corpus $name, $files files"
	else
		echo "not ok - corpus $name: ${done:-a crash instead} of $files files"
	fi
done

# make fuzz builds everything once more, into a folder of its own: none of it may lie where a target of this build does.
own=$("${MAKE:-make}" -n fuzz 2>/dev/null | sed -n 's/.* O=\([^ ]*\) fuzzers$/\1/p')
meets=
for source in tests/fuzz/*.c; do
	name=$(basename "$source" .c)
	[ -n "$own" ] && [ -d "$name" ] && [ "$own/$name" = "build/fuzz/$name" ] && meets=$name
done
if [ -n "$own" ] && [ -z "$meets" ]; then
	echo "ok - make fuzz builds into $own"
else
	echo "not ok - make fuzz builds into '$own', where $meets is a folder and a target"
fi
