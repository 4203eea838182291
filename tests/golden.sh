#!/usr/bin/env bash
# tests/golden.sh [--bless] [NAME...] -- what lt-run prints for tests/golden/NAME.lt must be what stands beside it:
#   NAME.graph .dot .tree .access .frozen   --dump=graph and so on
#   NAME.c                                  --dump=source
#   NAME.c99                                the same with -b 'cpu:emit=c99/target=avx2'
#   NAME.kernel                             --dump=kernel of the backend sim, or of the one that the options name
#   NAME.out                                what a run prints
#   NAME.err                                the message of a run, and its exit code in the last line
# A first line "# lt-run: OPTIONS" in the script gives options for all of them.  What depends on the processor is made
# for the target avx2, if these do not name a target or a backend, so that it is the same on every machine.  --bless
# rewrites the files that are there: to add one, create it empty.  Prints TAP.
set -u
: "${O:=build}"
export LC_ALL=C.UTF-8
bless=
[ "${1-}" = --bless ] && { bless=1; shift; }
got=$(mktemp)
trap 'rm -f "$got"' EXIT

# produce SCRIPT KIND: what lt-run says now.
produce() {
	local options target sim='-b sim'
	options=$(sed -n '1s/^# lt-run: *//p' "$1")
	target='--target avx2'
	case $options in *--target* | *-b\ *) target= ;; esac
	case $options in *-b\ *) sim= ;; esac
	case $2 in
	out) "$O/lt-run" $options "$1" 2>&1 ;;
	err) "$O/lt-run" $options "$1" 2>&1 >/dev/null; echo "exit $?" ;;
	c)   "$O/lt-run" $options $target --dump=source "$1" ;;
	c99) "$O/lt-run" $options -b 'cpu:emit=c99/target=avx2' --dump=source "$1" ;;
	kernel) "$O/lt-run" $options $sim --dump=kernel "$1" ;;
	*)   "$O/lt-run" $options $target "--dump=$2" "$1" ;;
	esac
}

for script in ${*:-tests/golden/*.lt}; do
	base=${script%.lt}
	case $base in */*) ;; *) base=tests/golden/$base ;; esac
	for want in "$base".{graph,dot,tree,access,frozen,c,c99,kernel,out,err}; do
		[ -e "$want" ] || continue
		produce "$base.lt" "${want##*.}" >"$got" 2>&1 </dev/null
		if [ "$bless" ]; then
			cmp -s "$got" "$want" || { cp "$got" "$want"; echo "rewritten: $want"; }
		elif diff -u --label "$want" --label "now" "$want" "$got" >&2; then
			echo "ok - $want"
		else
			echo "not ok - $want (make bless, if the change is meant)"
		fi
	done
done
