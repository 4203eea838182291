#!/usr/bin/env bash
# tests/readme.sh [--bless] -- README.md and the pages of docs/ show what is so: after each "$ command" of their
# console blocks stands what the command prints.  A command that ends with `\` or `|` goes on in the next line.  --bless
# rewrites them.  Prints TAP.
set -u
: "${O:=build}"
now=$(mktemp)
trap 'rm -f "$now"' EXIT
for page in README.md docs/backend.md docs/schedule.md docs/tutorial-matmul.md docs/kernel.md docs/gpu-product.md \
	docs/gpu.md docs/build.md; do
	inside=
	while IFS= read -r line; do
		case $inside$line in
		'```console') inside=@@; echo "$line" ;;
		'@@```') inside=; echo "$line" ;;
		'@@$ '*)
			echo "$line"
			command=${line#??}
			while [[ $line == *[\\\|] ]] && IFS= read -r line; do
				echo "$line"
				command+=$'\n'$line
			done
			eval "${command//build\//$O/}" 2>&1 </dev/null ;;
		@@*) ;;
		*) echo "$line" ;;
		esac
	done <"$page" >"$now"
	if [ "${1-}" = --bless ]; then
		cmp -s "$now" "$page" || { cp "$now" "$page"; echo "rewritten: $page"; }
	elif diff -u "$page" "$now" >&2; then
		echo "ok - $page"
	else
		echo "not ok - $page (make bless, if the change is meant)"
	fi
done
