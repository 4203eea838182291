#!/bin/sh
# tests/standalone/edit.sh -- a compiler for lt-build --cc that compiles something else than it is given: $EDIT is a
# script of sed for NAME.c, $CUT a number of bytes that are left of NAME.bin.
for word in "$@"; do
	case $word in
	*_main.c) ;;
	*_data.c)
		bytes=${word%_data.c}.bin
		[ -z "${CUT-}" ] || { truncate -s "$CUT" "$bytes" && touch "${SEEN:?}"; } ;;
	*.c)
		if [ -n "${EDIT-}" ]; then
			cp "$word" "$word.before" && sed -i "$EDIT" "$word"
			cmp -s "$word" "$word.before" || touch "${SEEN:?}"
		fi ;;
	esac
done
exec cc "$@"
