#!/usr/bin/env bash
# tests/readme.sh [--bless] -- README.md shows what is so: below each "$ command" of its console blocks stands what the
# command prints.  --bless rewrites it.  Prints TAP.
set -u
: "${O:=build}"
now=$(mktemp)
trap 'rm -f "$now"' EXIT
inside=
while IFS= read -r line; do
	case $inside$line in
	'```console') inside=1; echo "$line" ;;
	'1```') inside=; echo "$line" ;;
	'1$ '*) echo "$line"; command=${line#??}; eval "${command//build\//$O/}" 2>&1 </dev/null ;;
	1*) ;;
	*) echo "$line" ;;
	esac
done <README.md >"$now"
if [ "${1-}" = --bless ]; then
	cmp -s "$now" README.md || { cp "$now" README.md; echo "rewritten: README.md"; }
elif diff -u README.md "$now" >&2; then
	echo "ok - README.md"
else
	echo "not ok - README.md (make bless, if the change is meant)"
fi
