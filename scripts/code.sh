#!/bin/sh
# code.sh FILE... -- the code of C files without comments, strings and lines of the preprocessor, each line after FILE
# and a tab.  names.sh and words.sh read it.
awk '
FNR == 1 { inside = 0 }
{
	line = $0
	out = ""
	if (!inside && line ~ /^[ \t]*#/)
		next
	gsub(/\\./, "", line)
	while (line != "") {
		if (inside) {
			at = index(line, "*/")
			if (!at) { line = ""; break }
			line = substr(line, at + 2)
			inside = 0
			continue
		}
		if (!match(line, /\/\*|\/\/|"|\047/)) { out = out line; break }
		out = out substr(line, 1, RSTART - 1)
		sign = substr(line, RSTART, RLENGTH)
		line = substr(line, RSTART + RLENGTH)
		if (sign == "/*")
			inside = 1
		else if (sign == "//")
			line = ""
		else {
			at = index(line, sign)
			line = at ? substr(line, at + 1) : ""
			out = out "\"\""
		}
	}
	if (out ~ /[^ \t]/)
		print FILENAME "\t" out
}' "$@" </dev/null
