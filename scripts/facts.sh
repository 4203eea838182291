#!/usr/bin/env bash
# facts.sh FOLDER [HEADER] -- what FOLDER/lt/HEADER (backend.h), and the headers that it includes, declare,
# one fact a line, without comments and layout: "struct lt_loop 0 parent int32_t" (number of the member, name, type),
# "enum lt_dtype LT_F32 1", "macro ...", "decl ...".  Names that count an enum's values (LT_NDTYPE, LT_ROUNDINGS) grow
# with it: their values are left out.
set -eu
none=$(mktemp -d)
trap 'rm -rf "$none"' EXIT
touch "$none/stddef.h" "$none/stdint.h"         # their contents are no part of the table
header=${2:-backend.h}
preprocess() { echo "#include \"lt/$header\"" | ${CC:-cc} -std=c11 -E -P -nostdinc -I"$none" -I"$1" "${@:2}" -x c -; }

preprocess "$1" | tr '\n\t' '  ' | awk '
function trim(s) {
	gsub(/ +/, " ", s); sub(/^ /, "", s); sub(/ $/, "", s)
	gsub(/ ?\* ?/, "*", s); gsub(/ ?, ?/, ", ", s)
	return s
}
# The parts of s between separators that stand in no bracket, into part[1..n].
function cut(s, separator,   i, c, depth, n, from) {
	n = 0; depth = 0; from = 1
	for (i = 1; i <= length(s); i++) {
		c = substr(s, i, 1)
		if (c == "(" || c == "{" || c == "[") depth++
		if (c == ")" || c == "}" || c == "]") depth--
		if (c == separator && depth == 0) { part[++n] = trim(substr(s, from, i - from)); from = i + 1 }
	}
	if (trim(substr(s, from)) != "") part[++n] = trim(substr(s, from))
	return n
}
function is_count(name) { return name ~ /^LT_(N[A-Z]|ROUNDINGS$)/ && name !~ /^LT_(NEED_|NHWC$)/ }
function put_enum(name, body,   n, i, value, at) {
	n = cut(body, ","); value = 0
	for (i = 1; i <= n; i++) {
		at = index(part[i], "=")
		if (at) { value = substr(part[i], at + 1) + 0; part[i] = trim(substr(part[i], 1, at - 1)) }
		print "enum", name, part[i], i == n && is_count(part[i]) ? "last" : value
		value++
	}
}
function put_struct(name, body,   n, i, k, m, number, decl, type, word, own) {
	n = cut(body, ";"); number = 0
	for (i = 1; i <= n; i++) decl[i] = part[i]
	for (i = 1; i <= n; i++) {
		if (decl[i] ~ /\(/) {
			match(decl[i], /\(\*[a-z_0-9]+\)/)
			print "struct", name, number++, substr(decl[i], RSTART + 2, RLENGTH - 3), decl[i]
			continue
		}
		m = cut(decl[i], ",")
		for (k = 1; k <= m; k++) {
			match(part[k], /[a-z_0-9]+(\[[0-9]+\])?$/)
			word = substr(part[k], RSTART)
			own = substr(part[k], 1, RSTART - 1)
			if (k == 1) { type = own; sub(/\*+$/, "", type) } else own = type own
			array = word; sub(/^[a-z_0-9]+/, "", array); sub(/\[.*/, "", word)
			print "struct", name, number++, word, trim(own) array
		}
	}
}
{ text = text $0 }
END {
	gsub(/__attribute__\(\([^)]*\)\)\)?/, "", text)
	n = cut(text, ";")
	for (i = 1; i <= n; i++) all[i] = part[i]
	for (i = 1; i <= n; i++) {
		at = index(all[i], "{")
		split(all[i], word, /[ {]+/)
		body = substr(all[i], at + 1); sub(/}$/, "", body)
		if (at && word[1] == "enum") put_enum(word[2], body)
		else if (at && word[1] == "struct") put_struct(word[2], body)
		else print "decl", all[i]
	}
}'
# A table of rows, X(...) X(...), is a fact for each: rows may be added.
preprocess "$1" -dM | sed -n 's/^#define \(LT_[A-Z_]*.*\)/macro \1/p' |
	awk '{ gsub(/ X\(/, "\n&"); n = split($0, part, "\n"); print part[1]
		for (i = 2; i <= n; i++) { sub(/ +$/, "", part[i]); print part[1] part[i] } }' |
	grep -vE '^macro LT_([A-Z]+_H|BUILD_[A-Z]+|FEATURE|STATUS_MAP)\b' | sort
