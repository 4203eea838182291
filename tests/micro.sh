#!/usr/bin/env bash
# tests/micro.sh -- lt-build for microcontrollers, emulated by qemu-system-arm and simavr: random graphs of integers
# (tests/micro/draw.py; more: tests/everywhere.sh), what a bare function may not have, what is refused, planted faults.
# Prints TAP.  Called with O; CHECK_MICRO=0 graphs (with CHECK_MORE 60), MICRO_SEED.  CHECK_MORE: those, and two chips.
set -u
: "${O:=build}"
case $O in /*) ;; *) O=$PWD/$O ;; esac
to=$(mktemp -d)
trap 'rm -rf "$to"' EXIT
unset CC
# What make check shows of two kinds of chips make check-more shows of the two others.
check() {
	local name=$1
	shift
	[ -z "${CHECK_MORE-}" ] || [[ $name == cortex-m[04]:* ]] || return 0
	if "$@" >&2; then echo "ok - $name"; else echo "not ok - $name"; fi
}
# says CODE TEXT COMMAND...: its exit code is CODE, and it says TEXT.
says() {
	local want=$1 text=$2 code
	shift 2
	"$@" >"$to/said" 2>&1
	code=$?
	cat "$to/said"
	[ $code = "$want" ] && grep -qF -- "$text" "$to/said"
}
targets=
there() { command -v "$1" >/dev/null && command -v "$2" >/dev/null; }
missing() { echo "ok - $1 # SKIP $2 or $3 is not installed (scripts/setup.sh micro)"; }
if there arm-none-eabi-gcc qemu-system-arm; then
	targets="cortex-m0 cortex-m3 cortex-m4"
else
	missing "Cortex-M" arm-none-eabi-gcc qemu-system-arm
fi
if there avr-gcc simavr; then targets="$targets avr5"; else missing AVR avr-gcc simavr; fi

cat >"$to/dense.lt" <<'END'
$1 = InputTensor(x, int8, [1, 64]);
$2 = ConstantTensor(w, int8, [64, 16]);
$3 = ConstantTensor(b, int32, [16]);
$4 = FixedMatMulNode($1, $2, $3, -3, 0, int32);
$5 = RequantShiftNode($4, 7, int8, up);
result y = $5;
END
dense() { "$O/lt-build" "$to/dense.lt" -c w=random -c b=random --integer "$@"; }

# -- random graphs --

if python3 -c '' 2>/dev/null; then
	n=${CHECK_MICRO:-$([ -n "${CHECK_MORE-}" ] && echo 60 || echo 0)}
	# shellcheck disable=SC2086 -- words
	[ -n "${SAN-}" ] || [ "$n" = 0 ] || python3 tests/micro/draw.py "$n" "${MICRO_SEED:-1}" "$O/lt-build" bare $targets
	# Functions of floats, some of which a C library lacks.
	n=${CHECK_FUNCTIONS:-$([ -n "${CHECK_MORE-}" ] && echo 5000 || echo 60)}
	# shellcheck disable=SC2086 -- words
	[ -n "${SAN-}" ] || [ -z "$targets" ] ||
		python3 tests/micro/functions.py "$n" "${MICRO_SEED:-1}" "$O/lt-build" $targets
	# What a call takes is said without a run, too: of functions that were drawn apart from the fit.
	n=${CHECK_CYCLES:-$([ -n "${CHECK_MORE-}" ] && echo 150 || echo 15)}
	# shellcheck disable=SC2046 disable=SC2086 -- words
	[ -n "${SAN-}" ] || [ -z "$targets" ] || python3 bench/fit_cycles.py --check "$n" "${MICRO_SEED:-1}1" \
		$(printf -- ' --target %s' $targets) --lt-build "$O/lt-build"
else
	echo "ok - bare C99 # SKIP there is no python3"
fi
few=$(grep -oE 'cortex-m3|avr5' <<<"$targets")
[ -z "${CHECK_MORE-}" ] || { targets=$(grep -oE 'cortex-m[04]' <<<"$targets") && few=$targets || exit 0; }

# -- what the text may not have --

plain_text() {
	dense --bare --target portable -o "$to/dense.c" -q || return 1
	! grep -nE 'double|float|<math.h>|<string.h>|int64_t|memcpy|lt_slot|lt_team' "$to/dense.c" "$to/dense.h" \
		"$to/dense_data.c" &&
		for cc in cc $(command -v clang); do
			"$cc" -std=c99 -pedantic-errors -Wall -Wextra -Werror -O1 -c "$to/dense.c" -I "$to" -o "$to/dense.o" || return 1
		done
}
check "a bare function has nothing but <stdint.h>" plain_text
# Names that the compiler calls for floats, and those of the C library.
plain_object() {
	dense --target "$1" -o "$to/dense.c" --keep "$to/kept" -q || return 1
	"${2}nm" -u "$to/kept/dense.o" | sed 's/^ *U //' >"$to/undefined"
	cat "$to/undefined"
	! grep -qE '__aeabi_[fd]|__(add|sub|mul|div)[sd]f|float|mem(cpy|set|move)|malloc|printf' "$to/undefined" || return 1
	rm -r "$to/kept"
}
for t in $few; do
	case $t in avr5) prefix=avr- ;; *) prefix=arm-none-eabi- ;; esac
	check "$t: the object calls no floats and nothing of the C library" plain_object "$t" $prefix
done
# Kernels of one's own: a constant that one reads is in RAM where flash has addresses of its own; a workspace begins at
# 64 bytes; a team is one thread.  Judged by what they mean.
own_kernels() {
	rm -rf "$to/own" && mkdir "$to/own" && cp tests/own/right/product.* "$to/own" || return
	echo 'def halves(x) { return x * 0.5; }' >"$to/own/halves.lt"
	cat >"$to/own/halves.c" <<'END'
#include "lt/own.h"
struct work { const float *x; float *w, *y; };
static void part(void *arg, int64_t first, int64_t last, uint32_t thread)
{
	const struct work *a = arg;
	for (int64_t i = first; i < last; i++)
		a->w[i] = a->x[i] / 2 + (float)thread;
}
LT_KERNEL(halves, f32, 4 * elems(0))
{
	struct work a = { LT_OPERAND(0, float), own->workspace, LT_RESULT(0, float) };
	own->parallel_for(own->host, own->n_thread, own->result[0].elems, part, &a);
	for (int64_t i = 0; i < own->result[0].elems; i++)
		a.y[i] = (uintptr_t)own->workspace % 64 ? 0 : a.w[i];
}
END
	printf '%s\n' 'x = InputTensor(x, float32, [3, 7]);' 'w = ConstantTensor(w, float32, [7, 4]);' \
		'p = product(x, w);' 'result a = halves(halves(p) + 1);' 'result b = MatMulNode(x, w);' >"$to/kernels.lt"
	says 0 "verified: 24 elements compared" "$O/lt-build" "$to/kernels.lt" --kernels "$to/own" -c w=iota -o "$to/own.c" \
		"$@" && [ "$(grep -c 'lt_own_halves(&own)' "$to/own.c")" -ge 1 ] && grep -q 'lt_own_product(&own)' "$to/own.c"
}
own_text() {
	for cc in cc $(command -v clang); do
		"$cc" -std=c99 -pedantic-errors -Wall -Wextra -Werror -O1 -c "$to/own.c" -I "$to" -o "$to/own.o" || return 1
	done
}
check "kernels of one's own in bare C99" own_kernels --bare --cc "cc -fsanitize=undefined -fno-sanitize-recover=all"
check "... which is C99 without warnings" own_text
for t in $few; do check "$t: kernels of one's own" own_kernels --target "$t" --workspace given; done
case $targets in
*avr5*) own_in_ram() { own_kernels --target avr5 && grep -q 'const float own_constant0' "$to/own.c" &&
		grep -q 'RAM [0-9]*' "$to/said" && [ "$(sed -n 's/.*; RAM \([0-9]*\),.*/\1/p' "$to/said")" -ge 336 ]; }
	check "avr5: a constant that one reads is in RAM, and counted" own_in_ram ;;
esac
mkdir "$to/integer"
echo 'def more(x) { return x + 1; }' >"$to/integer/more.lt"
printf '#include "lt/own.h"\nLT_KERNEL(more, i32, 0)\n{\n%s\n}\n' "for (int64_t i = 0; i < own->result[0].elems; i++)
	LT_RESULT(0, int32_t)[i] = LT_OPERAND(0, int32_t)[i] + 1;" >"$to/integer/more.c"
printf '%s\n' 'x = InputTensor(x, int32, [9]);' 'result y = more(x);' >"$to/integers.lt"
check "with --integer, a kernel of one's own is refused" says 1 "is not known of that: give --kernels" \
	"$O/lt-build" "$to/integers.lt" --kernels "$to/integer" --bare --integer -o "$to/integers.c"
# Sums side by side, in variables: gcc 12 up to 12.2 loses some where it makes vectors of them (its bug 107212).
side_by_side() {
	printf '%s\n' '$1 = InputTensor(x, int32, [2, 2, 8, 2]);' '$2 = ReduceSumNode($1, [2, 3]);' 'result y = $2;' \
		>"$to/beside.lt"
	says 0 "verified: 4 elements compared, 4 equal" "$O/lt-build" "$to/beside.lt" --target portable -o "$to/beside.c" "$@"
}
check "sums side by side in C99" side_by_side --emit c99
check "... and in bare C99" side_by_side --bare
# Windows with strides whose casts are copied: the default tree of a chip, by the evaluator.
windows() {
	printf '%s\n' '$1 = InputTensor(x, int16, [2, 4, 2, 3]);' '$2 = InputTensor(w, int8, [4, 2, 2, 1]);' \
		'$3 = FixedConv2dNode($1, $2, 0, 0, 34, int64, [3, 3], [2, 0, 1, 2], [1, 1], 2, NCHW);' 'result y = $3;' \
		>"$to/windows.lt"
	"$O/lt-run" "$to/windows.lt" -b "cpu:target=$1" --dump=tree -o "$to/windows.tree" &&
		says 0 "verify: passed" "$O/lt-run" "$to/windows.lt" -b ref --schedule "$to/windows.tree" -i '*=random' --verify -q
}
for t in cortex-m0 cortex-m4 avr5; do check "$t: windows with strides, by its tree" windows "$t"; done
# A number of 32 bits that is shifted by 32: as one of 64.
shifted_out() {
	printf '%s\n' '$1 = InputTensor(x, int32, [9]);' '$2 = RequantMultiplierNode($1, 1, 1, int32, once);' \
		'result y = $2;' >"$to/far.lt"
	says 0 "verified: 9 elements compared, 9 equal" "$O/lt-build" "$to/far.lt" --target portable --bare -o "$to/far.c" \
		--cc "cc -fsanitize=undefined -fno-sanitize-recover=all" && grep -q '(int64_t).* >> 32' "$to/far.c"
}
check "a shift by all bits of a narrow number" shifted_out
# Rounds of a repeat are a loop: as many calls are written for 48 of them as for 16, and no more memory is taken.
rounds() {
	local n calls=
	for n in 16 48; do
		printf '%s\n' "x = InputTensor(x, int8, [$n, 16]);" 'w = ConstantTensor(w, int8, [16, 32]);' \
			'u = ConstantTensor(u, int8, [32, 32]);' 'b = ConstantTensor(b, int32, [32]);' \
			'h = InputTensor(h, int8, [1, 32]);' "repeat t in 0..$n {" \
			'	p = FixedMatMulNode(ReshapeNode(x[t], [1, 16]), w, b, 0, 0, int32);' \
			'	q = FixedMatMulNode(h, u, b, 0, 0, int32);' '	h = RequantShiftNode(p + q, 7, int8, up);' '}' \
			'result y = h;' >"$to/rounds.lt"
		"$O/lt-build" "$to/rounds.lt" -c '*=random' -o "$to/rounds.c" --target "$1" --integer --bare || return
		calls="$calls $(grep -c '^		*k[0-9]' "$to/rounds.c") $(grep -o 'WORKSPACE_BYTES .*' "$to/rounds.h")"
	done
	echo "$calls"
	grep -q 'for (int16_t round = 0; round < ' "$to/rounds.c" && set -- $calls && [ "$1 $3" = "$4 $6" ] && [ "$1" -lt 20 ]
}
check "rounds are a loop" rounds portable
for t in $targets; do
	case $t in cortex-m3 | avr5) check "$t: rounds are a loop" rounds "$t" ;; esac
done
# Three of four kernels write where they read; two types of several bytes have places of their own.
in_place() {
	printf '%s\n' 'x = InputTensor(x, int32, [100]);' '$2 = AddNode(x, x);' '$3 = MaxNode($2, x);' \
		'$4 = CastNode($3, int16);' '$5 = CastNode($4, int32);' 'result y = AddNode($5, x);' >"$to/chain.lt"
	"$O/lt-build" "$to/chain.lt" --bare --target "$1" -o "$to/chain.c" --apply "fission %y i; fission %5 %5/i
		fission %4 %4/i; fission %3 %3/i" >"$to/said" || { cat "$to/said"; return 1; }
	cat "$to/said"
	grep -qF 'RAM 600, 600 of them planned' "$to/said" && grep -q 'void k0_.*restrict' "$to/chain.c" &&
		grep -q 'void k1_' "$to/chain.c" && ! grep -q 'void k1_.*restrict' "$to/chain.c"
}
check "values lie where those lie that they are made of" in_place portable
for t in $targets; do
	case $t in cortex-m0 | avr5) check "$t: values lie where those lie that they are made of" in_place "$t" ;; esac
done
# A call of a sum without loops takes its instructions, and one to call it, however few they are.
short_call() {
	printf '%s\n' 'x = InputTensor(x, int32, [1]);' 'result y = x + 3;' >"$to/brief.lt"
	says 0 "verified: 1 element compared" "$O/lt-build" "$to/brief.lt" --target "$1" -o "$to/brief.c" \
		--keep "$to/brief" || return 1
	arm-none-eabi-objdump -d "$to/brief/brief.o" >"$to/brief.s" && rm -r "$to/brief" || return 1
	local has took
	has=$(grep -v nop "$to/brief.s" | grep -c "^ *[0-9a-f]*:")
	took=$(sed -n 's/^a call takes \([0-9]*\) instructions.*/\1/p' "$to/said")
	# Beside its own: the call, two for each of two arguments, two that read the clock, and one by rounding.
	echo "$has in the text, $took counted" && [ "$took" -ge "$has" ] && [ "$((took - has))" -le 8 ]
}
for t in $targets; do
	[ "$t" = avr5 ] || check "$t: a short call is counted" short_call "$t"
done
# It is the same with a run and without, and --explain says what it is made of: 64 by 16 products of bytes.
predicted() {
	dense --target "$1" -o "$to/made.c" --explain >"$to/said" && dense --target "$1" -o "$to/made.c" --no-verify \
		>"$to/guess" && cat "$to/said" "$to/guess" || return 1
	local said guess
	said=$(sed -n 's/.*; \([0-9]*\) [a-z]* were predicted/\1/p' "$to/said")
	guess=$(sed -n 's/^a call takes about \([0-9]*\) [a-z]*, as predicted/\1/p' "$to/guess")
	[ -n "$said" ] && [ "$said" = "$guess" ] && grep -qE '^work of a call: .* (1024 product8|256 dot)' "$to/said"
}
# Kernels whose addresses the compiler knows, since one memory has them all.
known_places() {
	printf '%s\n' 'a = InputTensor(a, int64, [5, 2]);' 'z = InputTensor(z, int8, [3]);' \
		'w = ConstantTensor(w, int8, [2, 3]);' 'm = FixedMatMulNode(a, w, -77, 9223372036854775807, z, int32);' \
		'c = ConstantTensor(c, int32, [3]);' 'result y = MaxNode(m, InputTensor(v, int32, [1])) * c;' >"$to/together.lt"
	says 0 "verified: 15 elements compared" "$O/lt-build" "$to/together.lt" -c w=iota -c c=random --integer --target "$1" \
		-o "$to/together.c"
}
for t in $targets; do
	check "$t: kernels that lie in one memory" known_places "$t"
done
for t in $few; do
	check "$t: what a call takes is predicted" predicted "$t"
done
states() {
	printf '%s\n' '$1 = InputTensor(x, int16, [5]);' '$2 = InputTensor(h, int16, [5]);' '$3 = AddNode($1, $2);' \
		'result y = $3;' >"$to/two.lt"
	"$O/lt-build" "$to/two.lt" -o "$to/two.c" --bare --integer --workspace given --target portable
}
check "two inputs, memory that is given" says 0 "verified: 5 elements" states

# -- default trees by recipes --

# TARGET RECIPE: it is taken; as primitives it gives the same C again; casts are not stored, so no memory is needed.
recipe() {
	dense --target "$1" -o "$to/made.c" --explain | tee "$to/said" && grep -qF "tree: recipe '$2'" "$to/said" &&
		grep -qF 'RAM 0, 0 of them planned' "$to/said" &&
		"$O/lt-run" "$to/dense.lt" -b "cpu:target=$1" --dump=schedule -o "$to/made.schedule" &&
		cat "$to/made.schedule" && cp "$to/made.c" "$to/first.c" &&
		dense --target "$1" -o "$to/made.c" --schedule "$to/made.schedule" -q && cmp "$to/made.c" "$to/first.c"
}
# The same with another tile, given back.
edited_recipe() {
	sed 's|/j2 4$|/j2 8|' "$to/made.schedule" >"$to/edited.schedule" &&
		! cmp -s "$to/made.schedule" "$to/edited.schedule" &&
		says 0 "verified: 16 elements" dense --target cortex-m3 --schedule "$to/edited.schedule" -o "$to/edited.c"
}
few_columns() {
	sed 's/\[64, 16\]/[64, 3]/; s/\[16\]/[3]/' "$to/dense.lt" >"$to/few.lt"
	says 0 "'registers 13', few columns, as 'four columns' is refused: recipe:1:1: \`split %4.add3/j2 4\`: the loop" \
		"$O/lt-build" "$to/few.lt" -c w=random -c b=random --target cortex-m3 -o "$to/few.c" --explain
}
for t in $targets; do
	case $t in
	cortex-m0) check "$t: a recipe makes the default tree, and can be given back" recipe "$t" "registers 8" ;;
	avr5) check "$t: a recipe makes the default tree, and can be given back" recipe "$t" "registers of bytes" ;;
	*) check "$t: a recipe makes the default tree, and can be given back" recipe "$t" "registers 13" ;;
	esac
	[ "$t" != cortex-m3 ] || {
		check "... edited" edited_recipe
		check "a form that is refused is named, and the next one is taken" few_columns
	}
done
# Numbers of 4 bits, two in a byte, are taken out where they are read: flash has the bytes alone.
# TARGET BYTES SCRIPT-LINES...: that many bytes of constants.
taken_out() {
	printf '%s\n' "${@:3}" >"$to/packed.lt"
	says 0 ", $2 of them constants" "$O/lt-build" "$to/packed.lt" -c '*=random' --target "$1" -o "$to/packed.c" &&
		grep -q '^verified: \([0-9]*\) elements compared, \1 equal' "$to/said"
}
# In the order of the elements, and two readers; by output channel, of a convolution; in steps of a recurrent layer,
# under other names in each; as floats.
pairs="q = MapNode(shr, i,j->ij: CastNode(c, int32), CastNode(IotaNode([2]), int32) * 4) & 15;"
halves='q = WhereNode((s & 1) == 1, ShrNode(b, 4), b & 15); w = CastNode((q ^ 8) - 8, int8);'
by_column='b = CastNode(ReshapeNode(ExpandNode(ReshapeNode(c, [8, 4, 1]), [8, 4, 2]), [8, 8]), int32);'
for t in $few; do
	check "$t: two readers of weights of 4 bits" taken_out "$t" 64 'x = InputTensor(x, int8, [3, 16]);' \
		'z = InputTensor(z, int8, [1, 16]);' 'c = ConstantTensor(w, uint8, [64]);' "$pairs" \
		'w = CastNode(ReshapeNode((q ^ 8) - 8, [16, 8]), int32);' \
		'result a = MatMulNode(CastNode(x, int32), w);' 'result b = MatMulNode(CastNode(z, int32), w);'
	check "$t: a convolution of weights of 4 bits" taken_out "$t" 48 'x = InputTensor(x, int8, [1, 4, 6, 5]);' \
		'c = ConstantTensor(w, uint8, [2, 4, 3, 2]); s = CastNode(ReshapeNode(IotaNode([4]), [4, 1, 1, 1]), int32);' \
		'e = ExpandNode(ReshapeNode(c, [2, 1, 4, 3, 2]), [2, 2, 4, 3, 2]);' \
		"b = CastNode(ReshapeNode(e, [4, 4, 3, 2]), int32); $halves" \
		's = FixedConv2dNode(x, w, 0, 0, 0, int32, [1, 1], [1, 1, 1, 1], [1, 1], 1, NCHW);' \
		'result y = RequantShiftNode(s, 5, int8);'
	case $t in
	cortex-m3 | avr5)
		check "... steps of a recurrent layer" taken_out "$t" 32 'x = InputTensor(x, int8, [6, 8]);' \
			'c = ConstantTensor(w, uint8, [8, 4]); h = InputTensor(h, int8, [1, 8]);' \
			"$by_column s = CastNode(IotaNode([8]), int32); $halves" 'repeat t in 0..6 {' \
			'	p = FixedMatMulNode(h, w, 0, 0, 0, int32) + ReshapeNode(CastNode(x[t], int32), [1, 8]);' \
			'	h = RequantShiftNode(p, 3, int8);' '}' 'result y = CastNode(h, int16) + 1;'
		;;
	esac
done
# What a function or a division makes of a constant is stored; so is what no loop can hold, and that is said.
kept_as_made() {
	printf '%s\n' 'x = InputTensor(x, int32, [1, 8]);' 'c = ConstantTensor(w, int8, [8, 4]);' \
		'w = DivNode(CastNode(c, int32), 3);' 'result y = MatMulNode(x, w);' >"$to/packed.lt"
	says 0 ", 128 of them constants" "$O/lt-build" "$to/packed.lt" -c '*=random' --target "$1" -o "$to/packed.c" || return
	printf '%s\n' 'i = InputTensor(i, int32, [3]);' 'c = ConstantTensor(w, uint8, [32]);' "$pairs" \
		'result y = GatherNode(ReshapeNode(q, [16, 4]), i);' >"$to/packed.lt"
	says 0 "tree: stored, which takes more than what it is taken out of, as the recipe 'constants taken out' is refused" \
		"$O/lt-build" "$to/packed.lt" -c '*=random' -i i=ones --target "$1" -o "$to/packed.c" --explain
}
for t in $targets; do
	case $t in cortex-m3 | avr5) check "$t: what is made of constants and stored" kept_as_made "$t" ;; esac
done
# IMAGE WEIGHTS PADS: a convolution.
convolution() {
	printf '%s\n' "x = InputTensor(x, int8, $1);" "w = ConstantTensor(w, int8, $2);" 'b = ConstantTensor(b, int32, [6]);' \
		"s = FixedConv2dNode(x, w, b, -3, 0, int32, [1, 1], $3, [1, 1], 1, NHWC);" \
		'result y = RequantShiftNode(s, 9, int8, up);' >"$to/conv.lt"
	"$O/lt-build" "$to/conv.lt" -c '*=random' --integer --target cortex-m3 -o "$to/conv.c" --explain >"$to/said" ||
		{ cat "$to/said"; return 1; }
	cat "$to/said"
	grep -qF "tree: recipe 'registers 13', two columns by two positions" "$to/said"
}
# LAYOUT IMAGE WEIGHTS SHAPE AXES: maxima of two by two sums, whose loops of two are a tile without being cut.
pooled() {
	printf '%s\n' "x = InputTensor(x, uint8, $2);" "w = ConstantTensor(w, int8, $3);" \
		"s = FixedConv2dNode(x, w, 0, 0, 34, int32, [1, 1], [1, 1, 1, 1], [1, 1], 1, $1);" \
		"result y = ReduceMaxNode(ReshapeNode(s, $4), $5);" >"$to/pool.lt"
	says 0 "tree: recipe 'registers 13', two columns by two positions" "$O/lt-build" "$to/pool.lt" -c '*=random' \
		--integer --target cortex-m3 -o "$to/pool.c" --explain && grep -qF 'verified: 96 elements' "$to/said"
}
# Three rows of 11 pixels, as bytes; a row of a window is one run of 24, four at a time.
window_rows() {
	convolution '[1, 7, 9, 8]' '[3, 3, 8, 6]' '[1, 1, 1, 1]' && grep -qF 'RAM 320, ' "$to/said" &&
		grep -q 'int8_t \*restrict .* = (void \*)((char \*)scratch' "$to/conv.c" && grep -qF 'l < 6; l++' "$to/conv.c"
}
no_window() { convolution '[1, 7, 9, 8]' '[1, 1, 8, 6]' '[0, 0, 0, 0]' && grep -qF 'RAM 0, ' "$to/said"; }
case " $targets " in
*" cortex-m3 "*)
	check "rows of a window are copied as bytes, and are one loop with their channels" window_rows
	check "an image that is read through a view is cast where it is used" no_window
	check "sums that are pooled are tiles" pooled NHWC '[1, 8, 8, 1]' '[3, 3, 1, 6]' '[4, 2, 4, 2, 6]' '[1, 3]'
	check "... whose loops are within those over what is summed" pooled NCHW '[1, 1, 8, 8]' '[6, 1, 3, 3]' \
		'[6, 4, 2, 4, 2]' '[2, 4]'
	;;
esac
# Products of bytes four at a time, by pairs of 16 bits (smlad): TYPE WORDS-OF-THE-COMPILER.  In plain C it is the same.
by_four() {
	sed "s/int8, \[/$1, [/; s/-3/3/" "$to/dense.lt" >"$to/four.lt"
	says 0 "verified: 16 elements" "$O/lt-build" "$to/four.lt" -c w=random -c b=random -i x=random --integer \
		--target cortex-m4 -o "$to/four.c" --keep "$to/four" --cc "arm-none-eabi-gcc $2" || return 1
	arm-none-eabi-objdump -d "$to/four/four.o" >"$to/four.s" && rm -r "$to/four" || return 1
	grep -c smlad "$to/four.s"
	[ -z "$2" ] || { ! grep -q smlad "$to/four.s"; return; }
	[ "$(grep -c smlad "$to/four.s")" -ge 8 ]
}
# What is left over of fours is multiplied one by one, as is what has none.
# TYPE DIM TEXT: of so many terms, and whether there are fours among them.
left_over() {
	sed "s/64/$2/; s/int8, \[/$1, [/; s/-3/3/" "$to/dense.lt" >"$to/four.lt"
	says 0 "verified: 16 elements compared, 16 equal" "$O/lt-build" "$to/four.lt" -c '*=random' --target cortex-m4 \
		-o "$to/four.c" && [ "$(grep -c 'lt_[iu]8x4_quad(&' "$to/four.c")" -ge "$3" ]
}
no_fours() { left_over int8 3 0 && ! grep -q _dot_ "$to/four.c"; }
case " $targets " in
*" cortex-m4 "*)
	check "cortex-m4: products of bytes by pairs" by_four int8 ""
	check "... without signs" by_four uint8 ""
	check "... and what the text has for other compilers" by_four int8 -U__ARM_FEATURE_SIMD32
	check "... which may read no numbers anywhere" by_four uint8 "-U__ARM_FEATURE_SIMD32 -U__ARM_FEATURE_UNALIGNED"
	check "... of 66 terms, two of which are left over" left_over int8 66 4
	check "... of 7 without signs" left_over uint8 7 4
	check "... not of 3" no_fours
	;;
esac
# Layers, as counted: TARGET PRODUCTS MOST SCRIPT-LINES...: at most so many instructions for 100 products.
takes() {
	printf '%s\n' "${@:4}" >"$to/layer.lt"
	says 0 "verified: " "$O/lt-build" "$to/layer.lt" -c '*=random' --target "$1" -o "$to/layer.c" &&
		[ "$(($(sed -n 's/^a call takes \([0-9]*\) .*/\1/p' "$to/said") * 100 / $2))" -le "$3" ]
}
# TARGET TYPE ROWS DIM COLUMNS MOST.  Half as many more are taken where gcc has something else in registers than what a
# tile adds up.
rows_take() {
	takes "$1" $(($3 * $4 * $5)) "$6" "x = InputTensor(x, $2, [$3, $4]);" "w = ConstantTensor(w, $2, [$4, $5]);" \
		"s = FixedMatMulNode(x, w, 0, 0, 0, int32);" "result y = RequantShiftNode(s, 9, $2, up);"
}
# TARGET MOST: weights of 4 bits, as lt-quantize takes them out: the upper one of a byte with its sign.
four_bits_take() {
	takes "$1" 6272 "$2" 'x = InputTensor(x, uint8, [1, 196]);' 'c = ConstantTensor(w, uint8, [196, 16]);' \
		't = ReshapeNode(ExpandNode(ReshapeNode(c, [196, 16, 1]), [196, 16, 2]), [196, 32]);' \
		'u = ShrNode(CastNode(CastNode(t, int8), int32), 4); l = ((CastNode(t, int32) & 15) ^ 8) - 8;' \
		'w = CastNode(WhereNode((CastNode(IotaNode([32]), int32) & 1) == 1, u, l), int8);' \
		's = FixedMatMulNode(x, w, 0, 0, 0, int32);' 'result y = RequantShiftNode(s, 9, int8, up);'
}
# TARGET: what is cut off at both ends of a type is by one instruction of M3 and M4; what something else reads between
# them is not.
clamps() {
	local all type short ends
	for all in int8:i8:-128:127 int16:i16:-32768:32767 uint8:u8:0:255 uint16:u16:0:65535; do
		IFS=: read -r type short ends <<<"$all"
		printf '%s\n' 'x = InputTensor(x, int32, [99]);' "a = MaxNode(x, ${ends%:*}); b = MaxNode(x + 7, ${ends%:*});" \
			"result y = CastNode(MinNode(a, ${ends#*:}), $type);" "result z = CastNode(MinNode(b, ${ends#*:}), $type);" \
			'result w = b;' >"$to/clamp.lt"
		says 0 'verified: 297 elements compared, 297 equal' "$O/lt-build" "$to/clamp.lt" -i x=random --target "$1" \
			-o "$to/clamp.c" --keep "$to/clamp" && arm-none-eabi-objdump -d "$to/clamp/clamp.o" >"$to/clamp.s" || return
		rm -r "$to/clamp"
		[ "$(grep -c "clamp_$short(.*;" "$to/clamp.c")" = 1 ] || return
		[ "$1" = cortex-m0 ] || grep -qE '[su]sat' "$to/clamp.s" || return
	done
}
for t in $targets; do
	case $t in
	avr5) ;;
	*) check "$t: numbers between the ends of a type" clamps "$t" ;;
	esac
	case $t in
	cortex-m0)
		check "$t: several rows" rows_take "$t" int8 16 64 16 640
		check "... weights of 4 bits" four_bits_take "$t" 900
		;;
	cortex-m3)
		check "$t: several rows" rows_take "$t" int8 16 64 16 280
		check "... by two columns, which are a tile" rows_take "$t" int8 16 64 2 280
		check "... weights of 4 bits" four_bits_take "$t" 385
		;;
	cortex-m4)
		check "$t: several rows" rows_take "$t" int8 16 64 16 200
		check "... of 16 bits" rows_take "$t" int16 16 64 16 290
		check "... by two columns" rows_take "$t" int8 16 64 2 200
		check "... of 129 terms" rows_take "$t" int8 5 129 31 200
		;;
	esac
done
# 19 loops around a sum, which do not become fewer; 80 leaves behind it, whose values are not stored between kernels.
many_loops() {
	local two='2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2'
	printf '%s\n' "x = InputTensor(x, int32, [$two, 8]);" 'w = ConstantTensor(w, int32, [8, 8]);' \
		't = TransposeNode(x, [16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 17]);' \
		'p = MatMulNode(x, w);' 'result y = AddNode(p, t);' >"$to/many.lt"
	"$O/lt-run" "$to/many.lt" -b "cpu:target=$1" --dump=schedule -o "$to/many.schedule" && cat "$to/many.schedule" &&
		grep -qF "by the recipe '$2'" "$to/many.schedule"
}
many_leaves() {
	sed '/result/d; /Requant/d' "$to/dense.lt" >"$to/leaves.lt"
	local n
	for n in $(seq 5 2 85); do
		echo "\$$n = MaxNode(\$$((n - 1)), \$3);"
		echo "\$$((n + 1)) = AddNode(\$$n, \$3);"
	done >>"$to/leaves.lt"
	echo "result y = \$86;" >>"$to/leaves.lt"
	"$O/lt-build" "$to/leaves.lt" -c w=random -c b=ones --target "$1" -o "$to/leaves.c" --no-verify --explain >"$to/said"
	cat "$to/said"
	grep -qF "tree: recipe '$2'" "$to/said" && grep -qF 'RAM 0, 0 of them planned' "$to/said"
}
for t in $targets; do
	case $t in cortex-m0) tile='registers 8' ;; cortex-m3) tile='registers 13' ;; *) continue ;; esac
	[ "$t" != cortex-m0 ] || check "$t: many loops around a sum" many_loops "$t" "$tile"
	check "$t: many leaves behind one" many_leaves "$t" "$tile"
done
# TARGET FORM: six steps whose sums have 64 bits, which are in variables: of the product by the inputs of all steps none
# is kept by step.
long_steps() {
	local n
	printf '%s\n' 'x = InputTensor(x, int16, [6, 16]);' 'w = CastNode(ConstantTensor(w, int16, [16, 32]), int32);' \
		'u = CastNode(ConstantTensor(u, int16, [32, 32]), int32);' 'h = InputTensor(h, int16, [1, 32]);' \
		'c = ReshapeNode(CastNode(x, int32), [6, 1, 16]);' >"$to/long_sums.lt"
	for n in 0 1 2 3 4 5; do
		echo "p = MapNode(mul, ik,kj->ijk: ReshapeNode(SliceNode(c, $n, $((n + 1))), [1, 16]), w);"
		echo 'q = MapNode(mul, ik,kj->ijk: CastNode(h, int32), u);'
		echo 's = ReduceSumNode(CastNode(p, int64), [2]);'
		echo 'h = RequantShiftNode(s + ReduceSumNode(CastNode(q, int64), [2]), 20, int16, up);'
	done >>"$to/long_sums.lt"
	echo 'result y = h;' >>"$to/long_sums.lt"
	says 0 "$2" "$O/lt-build" "$to/long_sums.lt" -c '*=random' -i '*=random' --integer --target "$1" -o "$to/long_sums.c" \
		--explain &&
		grep -qF 'verified: 32 elements compared, 32 equal' "$to/said" && grep -qF 'RAM 576, 576 of them' "$to/said"
}
for t in $targets; do
	case $t in
	cortex-m3) check "$t: sums of 64 bits" long_steps "$t" "recipe 'registers 13', two columns of 64 bits" ;;
	avr5) check "$t: sums of 64 bits" long_steps "$t" "recipe 'registers of bytes', no tile" ;;
	esac
done
check "a tree that is not made of primitives" says 2 "the tree is not made of primitives" \
	"$O/lt-run" "$to/dense.lt" -b cpu:target=avx2 --dump=schedule

# -- what is refused --

cat >"$to/real.lt" <<'END'
$1 = InputTensor(x, int8, [4]);
$2 = ConstantTensor(s, float32, [1]);
$3 = RequantStepNode($1, $2, int8);
result y = $3;
END
check "--integer names the node that is a float" says 1 "real.lt:3:" "$O/lt-build" "$to/real.lt" -c s=0.5 --bare \
	--integer --target portable -o "$to/real.c"
check "... and without it it is built" says 0 "verified: 4 elements" "$O/lt-build" "$to/real.lt" -c s=0.5 --bare \
	--target portable -o "$to/real.c"
# A scalar of a run, and what makes a number of it.
cat >"$to/part.lt" <<'END'
n = InputTensor(n, int64, []);
x = InputTensor(x, float32, [8]);
result y = SliceNode(x, 0, n, 0);
END
check "a run-time scalar is named, and who fixes it" says 1 "part.lt:1:1: %n is an extent or an offset that is read" \
	"$O/lt-build" "$to/part.lt" --bare -o "$to/part.c"
check "... a number in its place" grep -q "a script has a number in its place" "$to/said"
check "... which --dim sends there, too" says 2 "its text says what they are, and is changed instead" \
	"$O/lt-build" "$to/part.lt" --bare -o "$to/part.c" --dim n=3
sed -i '1d; s/n, 0)/3, 0)/' "$to/part.lt"
check "... and that is built" says 0 "verified: 3 elements" "$O/lt-build" "$to/part.lt" --bare -o "$to/part.c"
# A double of AVR has 32 bits: what computes, casts, copies and is given one is refused with its place.
f64() {
	printf '%s\n' "x = InputTensor(x, $1, [8]);" 'c = ConstantTensor(c, float64, [8]);' "result y = $2;" >"$to/f64.lt"
	says "$3" "$4" "$O/lt-build" "$to/f64.lt" -c c=random --target "$5" -o "$to/f64.c"
}
for t in $targets; do
	case $t in
	avr5)
		bits="is float64, and a double of this target has 32 bits: make it float32"
		check "$t: a product in float64" f64 float64 'x * c' 1 "f64.lt:3:1: %y $bits" "$t"
		check "$t: a result between two casts" f64 float32 'CastNode(TanhNode(CastNode(x, float64)) * c, float32)' 1 \
			"$bits" "$t"
		check "$t: an input that is cast" f64 float64 'CastNode(x, float32) + CastNode(c, float32)' 1 "f64.lt:1:1: %x $bits" \
			"$t"
		check "$t: a copy" f64 float64 'TransposeNode(ReshapeNode(x, [2, 4]), [1, 0]); result z = c' 1 "$bits" "$t"
		check "$t: a constant that is cast before" f64 float32 'x * CastNode(c, float32)' 0 "verified: 8 elements" "$t"
		;;
	cortex-m3) check "$t: float64" f64 float64 'x * c' 0 "verified: 8 elements" "$t" ;;
	esac
done
check "--integer without --bare" says 2 "add --bare" "$O/lt-build" "$to/real.lt" -c s=0.5 --integer -o "$to/real.c"
check "a bare program" says 2 "makes a function, no program" "$O/lt-build" "$to/dense.lt" --bare -o "$to/program"
check "threads" says 2 "has one thread" dense --bare --threads 2 -o "$to/dense.c"
# Plain loops, which take 320 bytes between kernels, and 80 of tensors; what is smaller fits.
printf 'schedule 1\n' >"$to/plain.schedule"
plain() { dense --schedule "$to/plain.schedule" "$@"; }
for t in $few; do
	check "$t: no room for what lives between kernels" says 1 \
		"at least 400 bytes of RAM are wanted, 1 more than its 399: 320 for what lives between kernels and in them (320" \
		plain --target "$t" -o "$to/small.c" --ram 399
	check "$t: ... which says what is not counted" grep -q \
		"80 for inputs, .* bytes); to that comes the stack of a call, which is not run yet$" "$to/said"
	check "$t: no room in flash" says 1 "for constants (the largest tensor of them is 'w', 1024 bytes)" \
		plain --target "$t" -o "$to/small.c" --flash 4000
	check "$t: ... which says what is not counted" grep -q \
		"at least 4160 bytes of flash.*; to that comes the code of the function, which is not compiled yet$" "$to/said"
	check "$t: code that has no room is counted whole" says 1 "has no room: 4" plain --target "$t" -o "$to/small.c" \
		--flash 4160
	check "$t: ... with nothing to come" sh -c "! grep -q 'to that' '$to/said'"
	check "$t: no room for a call's stack" says 1 "for the stack of a call" plain --target "$t" -o "$to/small.c" --ram 400
	check "... and nothing is written" test ! -e "$to/small.c"
	check "$t: there is room" says 0 "verified: 16 elements" plain --target "$t" -o "$to/fits.c" --ram 600 --flash 8000
done
# What is tried has its tensors beside it, for which the emulated machine may have no room.
printf '%s\n' 'x = InputTensor(x, float32, [4000000]);' 'result y = x * 2;' >"$to/vast.lt"
for t in $targets; do
	case $t in
	cortex-m3) has=4194304 room= ;;
	avr5) has=16384 room="--ram 40000000 --flash 40000000" ;;
	*) continue ;;
	esac
	# shellcheck disable=SC2086 -- words
	check "$t: a trial that has no room" says 1 "has $has bytes of RAM and" "$O/lt-build" "$to/vast.lt" --target "$t" \
		-o "$to/vast.c" $room
	check "$t: ... is left out as it says" grep -q -- '--no-verify builds it untried' "$to/said"
	# shellcheck disable=SC2086 -- words
	check "$t: ... and it is built" "$O/lt-build" "$to/vast.lt" --target "$t" -o "$to/vast.c" --no-verify $room
done
# --report has what is printed, also where there is no room.
reported() {
	rm -f "$to/r.json" && dense --target "$1" -o "$to/dense.c" --report "$to/r.json" >"$to/said" || return 1
	cat "$to/said"
	python3 - "$to/said" "$to/r.json" "$1" <<'END'
import json, re, sys
with open(sys.argv[1]) as f:
    said = f.read()
with open(sys.argv[2]) as f:
    r = json.load(f)
flash, constants, ram, planned, tensors = map(int, re.search(
    r'flash (\d+) bytes, (\d+) of them constants; RAM (\d+), (\d+) of them planned.*; tensors of a call (\d+)',
    said).groups())
time, unit, stack, predicted = re.search(r'a call takes (\d+) (\w+) and (\d+) bytes of stack; (\d+) ', said).groups()
assert r['target'] == sys.argv[3] and r['fits'] and r['verified'] and 'refused' not in r, r
assert [r['function'][k] for k in ('flash', 'constants', 'ram', 'planned', 'tensors')] == [
    flash, constants, ram, planned, tensors], r
assert r['call'] == {'time': int(time), 'unit': unit, 'stack': int(stack)}, r
assert r['predicted'] == {'time': int(predicted), 'unit': unit}, r
assert r['flash']['wanted'] == flash and r['ram']['wanted'] == ram + tensors + int(stack), r
END
}
reported_no_room() {
	rm -f "$to/r.json" && says 1 "1 more than its 399" plain --target "$1" -o "$to/small.c" --ram 399 \
		--report "$to/r.json" && [ ! -e "$to/small.c" ] && python3 - "$to/said" "$to/r.json" <<'END'
import json, sys
with open(sys.argv[1]) as f:
    said = f.read()
with open(sys.argv[2]) as f:
    r = json.load(f)
assert not r['fits'] and not r['verified'] and said == 'lt-build: %s\n' % r['refused'], (said, r)
assert r['ram']['wanted'] == 400 and r['ram']['has'] == 399, r
assert [p['bytes'] for p in r['ram']['parts']] == [320, 80], r
assert r['ram']['more'].startswith('comes the stack') and 'more' not in r['flash'], r
END
}
if python3 -c '' 2>/dev/null; then
	for t in $few; do
		check "$t: --report has what is printed" reported "$t"
		check "$t: ... and what has no room" reported_no_room "$t"
	done
fi
for t in ${targets%% *}; do
	check "--report by another name" says 2 "a name that ends in .json" dense --target "$t" -o "$to/dense.c" \
		--report "$to/r"
	cp "$to/dense.lt" "$to/dense.json"
	check "--report in the place of the model" says 2 dense.json "$O/lt-build" "$to/dense.json" -c '*=random' \
		--target "$t" -o "$to/dense.c" --report "$to/dense.json"
done
check "--report of another machine" says 2 "--report is of microcontrollers" dense --bare --target portable \
	-o "$to/dense.c" --report "$to/r.json"
check "--ram of another machine" says 2 "are of microcontrollers" "$O/lt-build" "$to/dense.lt" --ram 1 -o "$to/dense.so"
# The text is compiled once: what is tried is what was measured.
commands() {
	[ "$(grep -c -- "$1.* -c .*/dense\.c " "$to/said")" = 1 ] && [ "$(grep -c '/dense\.c ' "$to/said")" = 1 ] &&
		grep -q -- "$1.*/dense_try\.c .*/dense\.o .*/dense_data\.o" "$to/said"
}
once() { says 0 "verified: 16 elements" dense "$@" -o "$to/dense.c" -v && commands ""; }
for t in $few; do check "$t: what was measured is tried" once --target "$t"; done
check "... and so is a bare function of this machine" once --target portable --bare
for t in $targets; do
	[ "$t" = avr5 ] || continue
	printf '%s\n' '$1 = InputTensor(x, int32, [9, 100]);' '$2 = AddNode($1, $1);' 'result y = $2;' >"$to/large.lt"
	check "no room for tensors" says 1 "has no room: at least 7200 bytes of RAM are wanted, 5152 more than its 2048" \
		"$O/lt-build" "$to/large.lt" --target avr5 -o "$to/large.c"
	sed 's/64/4000/' "$to/dense.lt" >"$to/wide.lt"
	check "no room for constants" says 1 "the largest tensor of them is 'w', 64000 bytes" "$O/lt-build" "$to/wide.lt" \
		-c w=random -c b=random --target avr5 -o "$to/wide.c"
	check "... and nothing is written" test ! -e "$to/wide.c" -a ! -e "$to/large.c"
	sed 's/int32, \[9, 100\]/int8, [880]/' "$to/large.lt" >"$to/uno.lt"
	check "tensors that fit a chip" says 0 "verified: 880" "$O/lt-build" "$to/uno.lt" --target avr5 -o "$to/uno.c"
	# What tries a function takes memory, too: this one is tried on a larger chip of the same kind.
	sed 's/int32, \[9, 100\]/int8, [900]/' "$to/large.lt" >"$to/full.lt"
	check "tensors that fill a chip" says 0 "verified: 900" "$O/lt-build" "$to/full.lt" --target avr5 -o "$to/full.c"
	# Code for a chip with so much memory is what is measured, and tried.
	large_chip() {
		says 0 "verified: 16 elements" dense --target avr5 --flash 130048 --ram 16384 -o "$to/dense.c" -v &&
			commands -mmcu=atmega1284p &&
			! grep -q mmcu=atmega328p "$to/said"
	}
	check "code for the chip that has what --flash says" large_chip
	sed 's/int32, \[9, 100\]/int8, [1000]/' "$to/large.lt" >"$to/uno.lt"
	check "... but not beside a sketch" says 1 "142 more than its 2048: 2000 for inputs, results and states (the largest" \
		"$O/lt-build" "$to/uno.lt" --target arduino-uno -o "$to/uno"
	check "... which is not written" test ! -e "$to/uno"
done

# -- sketches for Arduino --

uno() { dense --target arduino-uno "$@"; }
# Sketch, and what its board says: the numbers that lt-build verified, which are the interpreter's (draw.py).
sketch_runs() {
	tests/micro/sketch.sh "$1" "$to/core" >"$to/board" || { cat "$to/board"; return 1; }
	cat "$to/board"
	grep -q 'the example is as it was verified' "$to/board"
}
one_sketch() {
	uno -i x=random:7 -o "$to/dense-1/" -q && sketch_runs "$to/dense-1" || return 1
	[ "$(ls "$to/dense-1")" = "$(printf 'dense-1%s\n' .c .h .ino _data.c)" ] || return 1
	"$O/lt-run" "$to/dense.lt" -c w=random -c b=random -i x=random:7 -o "$to/y.npy" -q &&
		tail -c 16 "$to/y.npy" | od -An -v -td1 | tr -s ' \n' ' ' >"$to/numbers" || return 1
	grep -qF "out_y$(sed 's/ $//' "$to/numbers"); class " "$to/board"
}
# Numbers as the board prints them.
many_sketch() {
	cat >"$to/many.lt" <<'END'
$1 = InputTensor(a, int32, [3]);
$2 = InputTensor(b, int64, [2]);
$3 = InputTensor(c, float32, [3]);
$4 = AddNode($1, $1);
$5 = AddNode($2, $2);
$6 = AddNode($3, $3);
result twice = $4;
result long = $5;
result real = $6;
END
	"$O/lt-build" "$to/many.lt" -i a=-1000000000 -i b=-4611686018427387904 -i c=0.25 --target arduino-uno -o "$to/many" \
		--name run --workspace given && sketch_runs "$to/many" &&
		grep -qF 'out_twice -2000000000 -2000000000 -2000000000; class 0' "$to/board" &&
		grep -qF 'out_long -9223372036854775808 -9223372036854775808; class 0' "$to/board" &&
		grep -qF 'out_real 0.500000 0.500000 0.500000; class 0' "$to/board"
}
# What the room check takes for a sketch's own program is what it takes.
sketch_size() {
	# text + data, and data + bss, without the function's
	set -- $(tail -n 1 "$to/board") $(avr-size "$to/kept/dense.o" "$to/kept/dense_data.o" | awk 'NR > 1 { t += $1 + $2
		r += $2 + $3 } END { print t, r }')
	echo "flash $(($1 + $2 - $7 - 80)), RAM $(($2 + $3 - $8 - 80))"
	[ $(($2 + $3 - $8 - 80)) -le 190 ] && [ $(($1 + $2 - $7 - 80)) -le 2700 ]
}
case " $targets " in
*" avr5 "*)
	if [ -e /usr/share/arduino/hardware/arduino/avr/cores/arduino/Arduino.h ]; then
		check "a sketch with numbers of 32 and 64 bits and of float32, in memory of its own" many_sketch
		check "a sketch is built as the Arduino IDE does, and says on the board what lt-run does" one_sketch
		dense --target avr5 -o "$to/dense.c" -q --keep "$to/kept"
		check "... and takes what is said of it besides its function" sketch_size
	else
		echo "ok - sketches # SKIP arduino-core-avr is not installed (scripts/setup.sh micro)"
	fi
	check "a sketch's folder is not replaced by what it is not" says 2 "lt-build has not made it" sh -c \
		"mkdir '$to/mine' && echo '// mine' >'$to/mine/mine.ino' && $O/lt-build '$to/dense.lt' -c w=random -c b=random \
		--target arduino-uno -o '$to/mine'"
	check "... and stays" grep -q mine "$to/mine/mine.ino"
	check "a sketch by a name of Arduino's" says 2 "would take the place of Arduino's <Print.h>" uno -o "$to/print"
	check "... by a function's" says 2 "it is a name of Arduino's" uno -o "$to/delay"
	check "... by a register's" says 2 "of capitals alone" uno -o "$to/TCNT1"
	check "... with a blank" says 2 "cannot be the name of a sketch" uno -o "$to/my net" --name net
	check "a sketch has no ending" says 2 "give -o a name without .ino" uno -o "$to/net.ino"
	check "a sketch has no format" says 2 "leave --format out" uno -o "$to/net" --format c
	check "a sketch in a folder that is not there" says 1 "cannot be written" uno -o "$to/none/net"
	;;
esac

# -- a compiler that is wrong is found --

wrong() {
	printf '#!/bin/sh\nfor f; do case $f in *_try.c) ;; *.c) sed -i "s/>> 7/>> 6/g" $f ;; esac; done\nexec %s "$@"\n' \
		"$2" >"$to/wrong-cc"
	chmod +x "$to/wrong-cc"
	! dense --target "$1" --cc "$to/wrong-cc" -o "$to/wrong.c" && [ ! -e "$to/wrong.c" ]
}
set -- $targets
[ $# = 0 ] || check "a fault that a compiler plants is found, nothing is written" wrong cortex-m3 arm-none-eabi-gcc
