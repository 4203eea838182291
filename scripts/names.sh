#!/bin/sh
# names.sh -- says of the sources below the current folder, and answers 1 if there is any:
#   a static function whose name stands in more than three files: a backtrace and grep must tell them apart;
#   a struct's or union's tag that is defined twice; those that lt/backend.h leaves to each backend may be;
#   headers that include each other in a circle;
#   source files of a folder that call each other in a circle, by the objects of $O (build); one that is missing or
#   older than its source is a fault, too: nothing would be looked at.
# `make tidy` calls it, tests/names.sh tries it.
set -u
O=${O:-build}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
LIBRARY='ir ir/pass looptree kernel backends backends/text backends/ref backends/sim backends/cpu
backends/cuda frontends frontends/script frontends/graph frontends/onnx program'
# Each line is folders that must have no circle among their objects.
FREE='ir ir/pass
looptree
kernel
backends
backends/text
backends/ref
backends/sim
backends/cpu
backends/cuda
frontends frontends/script frontends/graph frontends/onnx
program
check
tools'

# report WORDS: what is read, if it is anything, is a fault.
report() {
	found=$(cat)
	[ -z "$found" ] && return
	printf '%s:\n%s\n' "$1" "$found"
	: >"$work/bad"           # each report is a process of its own
}

# The names of pairs "A B", A needs B, that need each other in a circle.
circles() { tsort 2>&1 >/dev/null | sed 's/^tsort: //; s/^-: .*$/a circle:/'; }

files=
for folder in include/lt $LIBRARY check tools; do
	for f in "$folder"/*.[ch] "$folder"/*.inc; do
		# prelude.h is text for generated code.
		[ -f "$f" ] && [ "$f" != ir/op/prelude.h ] && files="$files $f"
	done
done
text=$work/text
"${0%/*}/code.sh" $files >"$text"

awk -F '\t' '
$2 ~ /^static[ \t]/ {
	line = $2
	gsub(/__attribute__ *\(\([^)]*\)+\)/, "", line)
	if (!match(line, /^[^=;{(]*\(/))
		next
	name = substr(line, 1, RLENGTH - 1)
	sub(/[ \t]+$/, "", name)
	sub(/.*[^A-Za-z0-9_]/, "", name)
	if (substr(line, RLENGTH + 1, 1) != "*" && name != "" && !seen[name, $1]++) {
		n[name]++
		where[name] = where[name] " " $1
	}
}
END { for (name in n) if (n[name] > 3) print name ":" where[name] }' "$text" | sort |
	report 'a static function has one name in more than three files; begin it with its subject'

opaque=$(sed -n 's/^struct \([a-z_]*\);.*/\1/p' include/lt/backend.h 2>/dev/null | tr '\n' ' ')
awk -F '\t' -v opaque="$opaque" '
BEGIN { n = split(opaque, a, " "); for (i = 1; i <= n; i++) free[a[i]] = 1 }
{
	line = $2
	while (match(line, /(struct|union)[ \t]+[A-Za-z_][A-Za-z0-9_]*[ \t]*\{/)) {
		tag = substr(line, RSTART, RLENGTH)
		before = RSTART > 1 ? substr(line, RSTART - 1, 1) : " "
		line = substr(line, RSTART + RLENGTH)
		sub(/^(struct|union)[ \t]+/, "", tag)
		sub(/[ \t]*\{$/, "", tag)
		if (before ~ /[A-Za-z0-9_]/ || tag in free)
			continue
		n_of[tag]++
		where[tag] = where[tag] " " $1
	}
}
END { for (tag in n_of) if (n_of[tag] > 1) print "struct " tag ":" where[tag] }' "$text" | sort |
	report 'a tag is defined twice; begin one of them with its subject'

for f in $files; do
	case $f in *.h) sed -n "s|^[ \t]*#[ \t]*include [\"<]\(lt/[^\">]*\)[\">].*|$f include/\1|p
		s|^[ \t]*#[ \t]*include \"\([^\"]*\)\".*|$f \1|p" "$f" ;; esac
done | circles | report 'headers include each other'

# The objects of sources; those that cannot be looked at are written to $work/stale.
objects() {
	for folder in "$@"; do
		case $folder in backends/cuda|frontends/onnx)   # left out where what they need is not installed
			ls "$O/$folder"/*.o >/dev/null 2>&1 || continue ;;
		esac
		for c in "$folder"/*.c; do
			o=$O/${c%.c}.o
			[ -f "$c" ] || continue
			if [ -f "$o" ] && [ -z "$(find "$c" -newer "$o")" ]; then echo "$o"; else echo "$c" >>"$work/stale"; fi
		done
	done
}

: >"$work/stale"
echo "$FREE" | while read -r folders; do
	list=$(objects $folders)
	[ -z "$list" ] && continue
	nm -P -A $list | awk -v O="$O/" '
	{
		file = $1
		sub(/:$/, "", file)
		file = substr(file, length(O) + 1)
		sub(/\.o$/, ".c", file)
		if ($3 ~ /^[TDRBWV]$/) at[$2] = file
		else if ($3 == "U") { from[++n] = file; needs[n] = $2 }
	}
	END { for (i = 1; i <= n; i++) if (needs[i] in at && at[needs[i]] != from[i]) print from[i], at[needs[i]] }'
done | circles | report 'files call each other in a circle; move what both need into a file of its own'
head -n 3 "$work/stale" | report "circles were not looked for: $(wc -l <"$work/stale") sources have no object in $O, \
or an older one; run make first"

[ ! -e "$work/bad" ]
