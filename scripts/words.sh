#!/bin/sh
# words.sh -- names in the code (and of files) that hold a word which this project says otherwise: one list of the words
# that are refused, where, and what is written instead.  A word that is right in one name is in the list below it.
# Prints what it finds and answers 1.  `make tidy` calls it, tests/names.sh tries it.
set -u
export LC_ALL=C

# WORD WHERE INSTEAD; WHERE: all, or folders with commas.  A name is its parts between underscores.
refused='
told      all        report, diags
tell      all        report
tells     all        report
said      all        message, report
note      all        diagnostic
notes     all        diagnostics
port      all        binding
ports     all        bindings
place     all        assign, location of a storage; position in a text; insert into a tree
places    all        locations
placed    all        assigned
put       all        assign, add, write
room      all        cap (capacity), device memory, slack
kept      program,backends,backends/cpu,backends/ref  cache, saved
least     all        min
most      all        max
trips     all        iterations, trip_count
rest      looptree   remainder
own       looptree   derived
seat      all        contestant
steady    all        invariant
home      all        space
ride      all        inline
rides     all        inlined
rider     all        inlined
riders    all        inlined
choice    all        opened backend
'
# Names in which the word is right: NAME, or FILE:NAME.
right='
in_place is_in_place reads_in_place lt__reads_in_place lt__call_in_place move_in_place
option_choice TAKE_CHOICE
last_place
N_PLACE test_op_places op_places tests/test_op_places.c:place tests/test_op_places.c:places
tools/common/cachedir.h:home tests/test_default_tree.c:home
tests/test_llvm.c:note
tests/batch.c:told
puts
'
# Names of files: the same words, and those by which two files had one name.
files_refused='own through again ahead leaves'

folders='include/lt ir ir/pass looptree kernel backends backends/cpu backends/llvm backends/ref backends/sim
backends/text frontends frontends/script frontends/graph program check tools examples/mnist examples/plugin/trace tests
tests/faults tests/plugins tests/mutants tests/sequences tests/interpose tests/fuzz tests/kernels tests/llvm'

files=
for folder in $folders; do
	for f in "$folder"/*.[ch] "$folder"/*.inc "$folder"/*.def; do
		[ -f "$f" ] && files="$files $f"
	done
done
[ -z "$files" ] && exit 0

found=$({
	for f in $files; do echo "FILE	$f"; done
	"${0%/*}/code.sh" $files
} | awk -F '\t' -v refused="$refused" -v right="$right" -v files_refused="$files_refused" '
BEGIN {
	n = split(refused, line, "\n")
	for (i = 1; i <= n; i++)
		if (split(line[i], part, " ") > 2) {
			where[part[1]] = "," part[2] ","
			instead[part[1]] = line[i]
			sub(/^[^ ]+ +[^ ]+ +/, "", instead[part[1]])
		}
	n = split(right, part, /[ \n]+/)
	for (i = 1; i <= n; i++) good[part[i]] = 1
	n = split(files_refused, part, " ")
	for (i = 1; i <= n; i++) file_word[part[i]] = 1
}
function is_refused(word, file,   folder) {
	word = tolower(word)
	if (!(word in where))
		return 0
	folder = file
	sub(/\/[^\/]*$/, "", folder)
	return where[word] == ",all," || index(where[word], "," folder ",")
}
$1 == "FILE" {
	name = $2
	sub(/.*\//, "", name)
	sub(/\..*/, "", name)
	n = split(name, part, "_")
	for (i = 1; i <= n; i++)
		if (is_refused(part[i], $2) && !($2 in good) && !(name in good) || n == 1 && part[1] in file_word)
			print $2 ": a file with `" part[i] "` in its name"
	next
}
# A test is named by a sentence.
$2 ~ /^(Parameterized)?Test\(/ { next }
{
	text = $2
	while (match(text, /[A-Za-z_][A-Za-z0-9_]*/)) {
		name = substr(text, RSTART, RLENGTH)
		text = substr(text, RSTART + RLENGTH)
		if (seen[$1, name]++ || name in good || ($1 ":" name) in good)
			continue
		n = split(name, part, "_")
		for (i = 1; i <= n; i++)
			if (is_refused(part[i], $1)) {
				print $1 ": " name ": `" tolower(part[i]) "`, instead: " instead[tolower(part[i])]
				break
			}
	}
}' | sort)
[ -z "$found" ] && exit 0
printf 'names with words that are said otherwise (scripts/words.sh):\n%s\n' "$found"
exit 1
