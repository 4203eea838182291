#!/usr/bin/env bash
# tests/options.sh [--bless] -- what is printed from the tools' tables of options: the man pages in docs/ say of each
# option what its table says (--bless rewrites them), and bash, zsh and fish complete the tools' command lines.
# Prints TAP.
set -u
: "${O:=build}"
to=$(mktemp -d)
trap 'rm -rf "$to"' EXIT
here=$PWD
case $O in /*) at=$O ;; *) at=$here/$O ;; esac

for page in docs/*.1; do
	tool=$(basename "$page" .1)
	"$O/$tool" --manual <"$page" >"$to/page" || echo "not ok - $page has every option of $tool"
	if [ "${1-}" = --bless ]; then
		cmp -s "$to/page" "$page" || { cp "$to/page" "$page"; echo "rewritten: $page"; }
	elif diff -u "$page" "$to/page" >&2; then
		echo "ok - $page"
	else
		echo "not ok - $page (make bless, if the change is meant)"
	fi
done
[ "${1-}" = --bless ] && exit

# A page that lacks an option, names one that is none, or ends within an entry is refused.
refuses() {
	"$O/lt-check" --manual <"$to/page" >"$to/out" 2>"$to/err"
	[ $? = 2 ] && grep -qF -- "$1" "$to/err" || { cat "$to/err" >&2; false; }
}
mistakes() {
	sed '/^\.\\" \[ --seed/,/^\.\\" \]/d' docs/lt-check.1 >"$to/page" && refuses 'has no entry of --seed' &&
	sed 's/^\.\\" \[ --seed/&s/' docs/lt-check.1 >"$to/page" && refuses "entry '--seeds', and there is no such option" &&
	sed 's/^\.\\" \[ --seed/.\\" [ --part/' docs/lt-check.1 >"$to/page" && refuses "two entries '--part'" &&
	sed '/^\.\\" \[ --completion/,$!b; /^\.\\" \]/d' docs/lt-check.1 >"$to/page" && refuses 'ends within an entry'
}
try() {
	if "$2"; then echo "ok - $1"; else echo "not ok - $1"; fi
}
try "pages that do not fit are refused" mistakes

# -- completion: a line, then what is offered for its last word; @ is where a command line ends --

mkdir "$to/folder" && cd "$to/folder" || exit 1
mkdir sub && touch a.lt 'b c.lt' d.graph e.npy f.npz g.so h.tree i.c j.txt k.bin
cases="$here/tests/data/completion.txt"
for shell in bash zsh fish; do
	for tool in lt-run lt-bench lt-check lt-build lt-quantize lt-llama; do
		"$at/$tool" --completion=$shell >"$to/$tool.$shell" || echo "not ok - $tool --completion=$shell"
	done
done

# As readline cuts a line into words: '=' and ':' are words of their own.
complete_line() {
	local line=$1 word
	COMP_WORDS=()
	while [ -n "$line" ]; do
		case $line in
		' '*) line=${line# }; [ -z "$line" ] && COMP_WORDS+=('') ;;
		[=:]*) COMP_WORDS+=("${line:0:1}"); line=${line:1} ;;
		*) word=${line%%[ =:]*}; COMP_WORDS+=("$word"); line=${line#"$word"} ;;
		esac
	done
	COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
	"_${COMP_WORDS[0]//-/_}"
	printf '%s\n' "${COMPREPLY[@]}" | sort -u | paste -sd '|'
}
in_bash() {
	local line want got bad=0 built name
	built=$("$at/lt-run" --list-backends)
	for tool in lt-run lt-bench lt-check lt-build lt-quantize lt-llama; do . "$to/$tool.bash"; done
	while IFS=@ read -r line want; do
		case $line in '#'* | '') continue ;; esac
		got=$(complete_line "$line")
		# Built without headers that they need, there are no such backends.
		for name in cuda cudnn opencl; do
			grep -q "^$name " <<<"$built" || want=$(tr '|' '\n' <<<"$want" | grep -v "$name$" | paste -sd '|')
		done
		[ "$got" = "$want" ] || { echo "bash: '$line' offers '$got', not '$want'" >&2; bad=1; }
	done <"$cases"
	return $bad
}
# Each option has a line with its own name, and nothing else begins with -.
all_names() {
	local tool names
	for tool in lt-run lt-bench lt-check lt-build lt-quantize lt-llama; do
		. "$to/$tool.bash"
		names=$("$at/$tool" --help | grep -oE '^ {2,6}(-[a-zA-Z], )?--[a-z-]+' | grep -oE -- '--[a-z-]+' | sort)
		diff <(complete_line "$tool --" | tr '|' '\n') <(echo "$names") >&2 || return 1
	done
}
in_zsh() {
	local tool
	for tool in lt-run lt-bench lt-check lt-build lt-quantize lt-llama; do
		zsh -f -n "$to/$tool.zsh" || return 1
		# What _arguments is given.
		zsh -f -c 'compdef() { :; }; _arguments() { print -rl -- "$@"; }; . "$1"; "$2"' - "$to/$tool.zsh" \
			"_${tool//-/_}" >"$to/$tool.specs" || return 1
		grep -q -- '^--version\[the version\]$' "$to/$tool.specs" || return 1
	done
	local kinds='graph dot script tree access frozen kernel source asm stats plan schedule diff'
	grep -qx -e "--dump=\\[prints instead of running\\]:KIND:($kinds)" "$to/lt-run.specs"
}
in_fish() {
	local line want
	while IFS='@' read -r line want; do
		fish --no-config -c "for f in '$to'/*.fish; source \$f; end; complete -C '$line'" | cut -f 1 | grep -qxF -- "$want" ||
			{ echo "fish: '$line' does not offer '$want'" >&2; return 1; }
	done <<'END'
lt-run --du@--dump
lt-run --dump=t@--dump=tree
lt-run --target @avx2
lt-run -b cpu,@cpu,ref
lt-run -B @g.so
lt-run @a.lt
lt-run --cache-dir @sub/
lt-bench @gemm
lt-check --fil@--filter
lt-build --emit c99 --format @exe
lt-llama @k.bin
lt-llama -m @chat
END
}
try "bash completes" in_bash
try "bash knows the options that the help shows" all_names
for shell in zsh fish; do
	if ! command -v $shell >/dev/null 2>&1; then echo "ok - $shell completes # SKIP $shell is not installed"
	else try "$shell completes" in_$shell; fi
done
