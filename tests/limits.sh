#!/usr/bin/env bash
# tests/limits.sh -- a sample of the random graphs at the limits (tests/random_limits.h), whose kernels the backend cpu
# compiles with sanitizers of addresses and of undefined behaviour: --cc 'cc -fsanitize=...'.  Buffers, workspace and
# constants then have zones around them, and what is read or written there ends the program.  Prints TAP.
# CHECK_LIMITS=200 graphs, LT_SEED=1.
set -u
O=${O:-build}
CC=${CC:-cc}
n=${CHECK_LIMITS:-200}
seed=${LT_SEED:-1}
to=$(mktemp -d)
trap 'rm -rf "$to"' EXIT
cc="$CC -fsanitize=address,undefined -fno-sanitize-recover=all"
export ASAN_OPTIONS=detect_leaks=0:abort_on_error=1 UBSAN_OPTIONS=abort_on_error=1 LT_BACKEND_PATH=

# A program that was built without the sanitizer needs its library first; the compiler itself does not.
preload=
case ${SAN-} in
*address*) ;;
*)
	preload=$($CC -print-file-name=libasan.so)
	case $preload in
	/*) ;;
	*)
		echo "ok - graphs at the limits with sanitized kernels # SKIP $CC has no shared library of AddressSanitizer"
		exit
		;;
	esac
	cc="env -u LD_PRELOAD $cc"
	;;
esac

tap() {
	if [ "$1" = 0 ]; then echo "ok - $2"; else echo "not ok - $2"; fi
}
# say NAME STATUS: what a command said is shown where it failed.
say() {
	tap "$2" "$1"
	[ "$2" = 0 ] || tail -n 40 "$to/said" >&2
}

# A kernel that reads before its input is found: what follows means something.
printf '$1 = InputTensor(x, float32, [4]);\n$2 = AddNode($1, $1);\nresult = $2;\n' >"$to/add.lt"
"$O/lt-run" "$to/add.lt" -b cpu --no-cache --dump=source >"$to/add.c" 2>"$to/said"
sed 's/(lt_slot_at(slot, 0)/((void *)((char *)lt_slot_at(slot, 0) - 64)/' "$to/add.c" >"$to/wrong.c"
cmp -s "$to/add.c" "$to/wrong.c"
say 'a read is moved' $((! $?))
run() {
	LD_PRELOAD=$preload "$O/lt-run" "$to/add.lt" -b cpu --no-cache --cc "$cc" -i x=random -q --use-source "$1" \
		>"$to/said" 2>&1
}
run "$to/add.c"
say 'sanitized kernels run' $?
! run "$to/wrong.c" && grep -q 'ERROR: AddressSanitizer' "$to/said"
say 'a sanitized kernel that reads before its input is found' $?

LD_PRELOAD=$preload "$O/limits" "$n" "$seed" "$cc" >"$to/said" 2>&1
say "$n graphs at the limits, from seed $seed, by --cc '$CC -fsanitize=address,undefined'" $?
last=$(grep '^limits: ' "$to/said" | tail -n 1)
echo "# show limits by --cc '$CC -fsanitize=address,undefined': ${last#*, }"
# Not vacuous.
taken=$(sed -n 's/^limits: .* graphs: \([0-9]*\) taken.*/\1/p' "$to/said" | tail -n 1)
[ "${taken:-0}" -gt $((n / 4)) ]
say "more than one of four was run" $?
