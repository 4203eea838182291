#!/usr/bin/env bash
# tests/own.sh -- kernels of one's own: 20 that are right (tests/own/right) and 60 that are not, each a line of
# tests/own/wrong.txt: a right one, and what sed changes in it.  lt-check --kernels has to judge all rightly; make
# check tries every tenth of the wrong ones on `cpu`, make check-more all, and the right ones on `llvm`, too.  Then what
# lt-run and lt-build say and do with such a folder.  Prints TAP.
set -u
: "${O:=build}"
to=$(mktemp -d)
trap 'rm -rf "$to"' EXIT
said() { [ "$1" = 0 ] && echo "ok - $2" || { echo "not ok - $2"; cat "$to/out" >&2; }; }

backends=cpu every=10 filter=primes
[ -z "${CHECK_MORE-}" ] || backends="cpu llvm" every=1 filter=
for backend in $backends; do
	"$O/lt-check" -b "$backend" --kernels tests/own/right --filter "$filter" >"$to/out" 2>&1
	said $? "20 right kernels are judged right on $backend"
done

number=0
while read -r name change; do
	number=$((number + 1))
	[ $((number % every)) = 0 ] || continue
	rm -rf "$to/wrong" && mkdir "$to/wrong"
	cp tests/own/right/"$name".* tests/own/right/*.h "$to/wrong"
	sed -i "$change" "$to/wrong/$name.c"
	if cmp -s "tests/own/right/$name.c" "$to/wrong/$name.c"; then
		echo "not ok - the line '$name $change' of wrong.txt changes nothing"
		continue
	fi
	"$O/lt-check" -b cpu --patience 5 --kernels "$to/wrong" >"$to/out" 2>&1
	[ $? = 1 ] && grep -q '^FAILED own/' "$to/out"
	said $? "a wrong kernel is judged wrong: $name $change"
done <tests/own/wrong.txt

# -- a folder in use --

k=$to/k run="$O/lt-run --cache-dir $to/cache"
mkdir -p "$k/inc" "$to/cache" && chmod 700 "$to/cache"
cp tests/own/right/{scale,product}.* "$k"
cat >"$to/m.lt" <<'END'
x = InputTensor(x, float32, [5, 7]);
a = scale(TransposeNode(x, [1, 0]) + 1);
repeat i in 0..2 { a = scale(a); }
result = product(a, product(x, scale(a)));
result same = scale(scale(x));
END
cat "$k/scale.lt" "$k/product.lt" "$to/m.lt" >"$to/plain.lt"
for backend in cpu llvm; do
	$run -b $backend --kernels "$k" "$to/m.lt" -i x=random -q --verify >"$to/out" 2>&1 &&
		grep -q '^verify: passed' "$to/out"
	said $? "$backend: each call of a script is judged by its meaning"
	$run -b $backend --kernels "$k" "$to/m.lt" --dump=tree >"$to/t.tree" 2>"$to/out"
	[ "$(grep -c '^group call scale' "$to/t.tree")" = 6 ] && [ "$(grep -c '^group call product' "$to/t.tree")" = 2 ] &&
		$run -b $backend --kernels "$k" "$to/m.lt" --schedule="$to/t.tree" -i x=random -q --verify >"$to/out" 2>&1
	said $? "$backend: the tree has the calls, and is read back"
	$run -b $backend --kernels "$k" "$to/m.lt" -i x=iota -q -v 2>&1 | grep '^[0-9]* kernels' >"$to/out"
	grep -q ' 0 compiled' "$to/out"
	said $? "$backend: a second process compiles nothing"
done
cmp -s <($run -b cpu --kernels "$k" "$to/m.lt" -i x=iota) <($run -b cpu "$to/plain.lt" -i x=iota)
said $? "the results are those of the nodes"
sed 's/ call scale//' "$to/t.tree" >"$to/out.tree"
$run -b cpu --kernels "$k" "$to/m.lt" --schedule="$to/out.tree" -i x=random -q --verify >"$to/out" 2>&1
said $? "without the word call its loops are run"

# by hand: a call is taken away and given again; what is in the way is a sentence
cat >"$to/hand.lt" <<'END'
x = InputTensor(x, float32, [5, 7]);
s = scale(x);
result = product(s, TransposeNode(x, [1, 0])) - 1;
END
by_hand() { $run -b cpu --kernels "$k" "$to/hand.lt" --apply="$1" "${@:2}" >"$to/out" 2>&1; }
by_hand 'serial %scale/group; call %scale/group scale' --dump=tree && grep -q '^group call scale' "$to/out" &&
	by_hand 'serial %scale/group; call %scale/group scale' -i x=random -q --verify
said $? "a schedule hands a group to a kernel"
by_hand 'serial %scale/group; split %scale/k 2; unroll %scale/m; call %scale/group scale' -i x=random -q --verify
said $? "whatever its loops are"
# no STEPS SENTENCE
no() {
	! by_hand "$1" --dump=tree && tr -s ' \n' ' ' <"$to/out" | grep -qF -- "$2"
	said $? "$2"
}
no 'serial %scale/group; call %scale/m scale' "is handed a group; put one around it"
no 'serial %scale/group; call %scale/group product' \
	"%scale is computed in it, and is no part of what product means; move"
no 'serial %scale/group; serial %product/group; group %scale/group %product/group; call %scale/group scale' \
	"is computed in it, and is no part of what scale means; move it out"
no 'serial %scale/group; call %scale/group scal' "is a call of scal; there are calls of scale, product"
no 'call %scale/m scale' 'is handed over by `call scale`'

$run -b ref --kernels "$k" "$to/m.lt" -i x=random -q --verify >"$to/out" 2>&1 &&
	grep -q 'the backend ref takes none' "$to/out"
said $? "another backend computes the meaning, and says so"

# what a kernel includes is in the key: another number in a header is another kernel
cat >"$k/scale.c" <<'END'
#include "lt/own.h"
#include "inc/by.h"
LT_KERNEL(scale, f32, 0)
{
	for (int64_t i = 0; i < own->result[0].elems; i++)
		LT_RESULT(0, float)[i] = LT_OPERAND(0, float)[i] * BY;
}
END
echo '#define BY 2' >"$k/inc/by.h"
$run -b cpu --kernels "$k" "$to/m.lt" -i x=random -q --verify >"$to/out" 2>&1
said $? "a header in quotes is a part of the kernel"
echo '#define BY 3' >"$k/inc/by.h"
! $run -b cpu --kernels "$k" "$to/m.lt" -i x=random -q --verify >"$to/out" 2>&1 &&
	grep -q 'verification failed: kernel .*scale' "$to/out"
said $? "and in the key of what is cached"
echo '#define BY 2' >"$k/inc/by.h"

# -- rounds --

# A call is a step of its own: a run calls it in the rounds that it has, whether the next round reads the result (h), or
# one sum of all (u).
mkdir "$to/rounds"
cp tests/own/right/scale.lt "$to/rounds"
cat >"$to/rounds/scale.c" <<'END'
#include <stdio.h>
#include "lt/own.h"
LT_KERNEL(scale, f32, 0)
{
	(void)fputs("scale is called\n", stderr);
	for (int64_t i = 0; i < own->result[0].elems; i++)
		LT_RESULT(0, float)[i] = LT_OPERAND(0, float)[i] * 2;
}
END
cat >"$to/rounds.lt" <<'END'
n = InputTensor(length, int64, []);
length = ScalarNode(n, 0, 6);
x = InputTensor(x, float32, [length <= 6, 4]);
h = InputTensor(h, float32, [4]);
u = h;
repeat t in 0..length {
	h = scale(h) + x[t];
	u = u + scale(h) * scale(x[t]);
}
result = u;
END
cat "$to/rounds/scale.lt" "$to/rounds.lt" >"$to/plain.lt"
for backend in cpu llvm; do
	calls=
	for n in 0 1 2 6; do
		$run -b $backend --kernels "$to/rounds" "$to/rounds.lt" -i length=$n -i x=iota -i h=iota >"$to/r" 2>"$to/out"
		calls="$calls $(grep -c 'scale is called' "$to/out")"
		$run -b ref "$to/plain.lt" -i length=$n -i x=iota -i h=iota | cmp - "$to/r" >>"$to/out" 2>&1 || calls="$calls wrong"
	done
	[ "$calls" = " 0 3 6 18" ] || { echo "calls:$calls" >>"$to/out"; false; }
	said $? "$backend: a run calls a kernel in the rounds that it has"
done

# -- binaries --

for what in "m.c --emit c99" m.so m; do
	"$O/lt-build" --kernels "$k" "$to/m.lt" -o "$to/"$what >"$to/out" 2>&1 && grep -q '^verified: ' "$to/out"
	said $? "lt-build builds kernels in: $what"
done
echo '#define BY 3' >"$k/inc/by.h"
rm -f "$to/wrong.c"
! "$O/lt-build" --kernels "$k" "$to/m.lt" -o "$to/wrong.c" >"$to/out" 2>&1 && [ ! -e "$to/wrong.c" ]
said $? "and writes nothing where one is wrong"
echo '#define BY 2' >"$k/inc/by.h"

# -- two of one name --

echo 'def scale(x) { return x * 3; }' | cat - "$to/m.lt" >"$to/two.lt"
! $run -b cpu --kernels "$k" "$to/two.lt" -i x=iota -q >"$to/out" 2>&1 && grep -qF \
	"two.lt:1:5: The function 'scale' is not the one of the kernel's meaning in $k/scale.lt; make them equal, or" "$to/out"
said $? "a function of the script that means something else than the operation of its name"

# -- measured and tried --

"$O/lt-bench" nets -b cpu --no-vendor --quick --kernels "$k" --model "$to/m.lt" --csv "$to/bench.csv" >"$to/out" 2>&1 &&
	grep -q '^nets,network,m,1,cpu kernels,looptree,measured,' "$to/bench.csv"
said $? "lt-bench measures them beside what they mean"
takes='rank(0) == 2 \&\& rank(1) == 2 \&\& extent(1, 0) == 12 \&\& extent(1, 1) % 12 == 0'
sed -i "s/^LT_TAKES.*/LT_TAKES(product, $takes);/" "$k/product.c"
"$O/lt-check" -b cpu --kernels "$k" --filter product --list >"$to/out" 2>&1 &&
	grep -q '^own/product/f32/primes/13x12,12x12$' "$to/out"
said $? "lt-check finds extents that LT_TAKES takes"

# -- routines --

mkdir "$to/routine" && cp tests/own/routine/* tests/own/right/product.* "$to/routine"
sed -i '1a LT_ROUTINE(product);' "$to/routine/product.c"
$run --kernels "$to/routine" tests/own/routine.lt --dump=graph 2>/dev/null | grep '^own' >"$to/out"
cmp -s "$to/out" tests/own/routine.txt
said $? "what routines mean is found in a script: products, convolutions, elements, rows, of up to three tensors"
for backend in cpu llvm; do
	$run -b $backend --kernels "$to/routine" tests/own/routine.lt -i '*=random' -c '*=random' -q --verify \
		>"$to/out" 2>&1 && grep -q '^verify: passed' "$to/out" &&
		$run -b $backend --kernels "$to/routine" tests/own/routine.lt --dump=tree >"$to/t.tree" &&
		[ "$(grep -c '^group call' "$to/t.tree")" = "$(wc -l <tests/own/routine.txt)" ]
	said $? "$backend: and are judged by it"
done
sed -i '/LT_ROUTINE/d' "$to/routine/"*.c
! $run --kernels "$to/routine" tests/own/routine.lt --dump=graph | grep -q '^own'
said $? "without LT_ROUTINE they are not"

mkdir "$to/number"
echo 'def times(x, k = 2) { return x * k; }' >"$to/number/times.lt"
cat >"$to/number/times.c" <<-'E'
	#include "lt/own.h"
	LT_KERNEL(times, f32, 0)
	{
		for (int64_t i = 0; i < own->result[0].elems; i++)
			LT_RESULT(0, float)[i] = LT_OPERAND(0, float)[i] * (float)own->number[0];
	}
E
echo 'x = InputTensor(x, float32, [4]); k = InputTensor(k, float32, []);
	result a = times(x); result b = times(x, 5); result c = times(x, k);' >"$to/number.lt"
$run -b cpu --kernels "$to/number" "$to/number.lt" -i x=iota -i k=3 --verify >"$to/out" 2>&1 &&
	grep -q '0. *2. *4. *6.' "$to/out" && grep -q '0. *5. *10. *15.' "$to/out" && grep -q '0. *3. *6. *9.' "$to/out" &&
	[ "$(grep -c 'kernel times is not called: a tensor is given for a parameter with a default' "$to/out")" = 1 ] &&
	[ "$($run -b cpu --kernels "$to/number" "$to/number.lt" --dump=tree 2>>"$to/out" | grep -c 'call times')" = 2 ] &&
	$run -b cpu --kernels "$to/number" "$to/number.lt" --dump=graph >"$to/number.graph" &&
	$run -b cpu --kernels "$to/number" "$to/number.graph" --dump=graph | cmp - "$to/number.graph" >>"$to/out"
said $? "a parameter with a default is a number to the kernel: of a tensor the meaning is computed"
mkdir "$to/limits"
echo 'def clip(x, low = -inf, high = inf, odd = nan) { return MinNode(MaxNode(x, low), high); }' >"$to/limits/clip.lt"
cat >"$to/limits/clip.c" <<-'E'
	#include "lt/own.h"
	LT_KERNEL(clip, f32, 0)
	{
		const double *n = own->number;
		for (int64_t i = 0; i < own->result[0].elems; i++) {
			const double x = LT_OPERAND(0, float)[i], y = x < n[0] ? n[0] : x;
			LT_RESULT(0, float)[i] = (float)(n[2] == n[2] ? -1 : y > n[1] ? n[1] : y);
		}
	}
E
echo 'x = InputTensor(x, float32, [4]); result a = clip(x); result b = clip(x, 1); result c = clip(x, -inf, 2);' \
	>"$to/limits.lt"
for backend in cpu llvm; do
	$run -b $backend --kernels "$to/limits" "$to/limits.lt" -i x=iota --verify >"$to/out" 2>&1 &&
		grep -q '0. *1. *2. *3.' "$to/out" && grep -q '1. *1. *2. *3.' "$to/out" && grep -q '0. *1. *2. *2.' "$to/out" &&
		! grep -q 'not called' "$to/out"
	said $? "$backend: a parameter may be infinity, or no number"
done
# takes CONDITION CALLED: whether calls of times(x) with it are made.
takes() {
	sed "2i LT_TAKES(times, $1);" "$to/number/times.c" >"$to/took/times.c"
	$run -b cpu --kernels "$to/took" "$to/number.lt" -i x=iota -i k=3 --verify >"$to/out" 2>&1 &&
		grep -q '0. *5. *10. *15.' "$to/out" && if [ "$2" = 1 ]; then
			! grep -q 'is not called: LT_TAKES' "$to/out"
		else
			grep -q 'times is not called: LT_TAKES(times, ...) does not take its extents' "$to/out"
		fi
	said $? "LT_TAKES(times, $1) of an operand that is not there: $2"
}
mkdir "$to/took" && cp "$to/number/times.lt" "$to/took"
takes 'rank(1) == 2' 0
takes 'rank(1) < 0' 1
takes 'rank(1) >= 0 || elems(1) + extent(1, 0) > 0' 0
takes 'rank(0) == 1 && elems(1) + extent(1, 0) == 0' 1
sed "2i LT_TAKES(times, rank(2) == 2);" "$to/number/times.c" >"$to/took/times.c"
! $run -b cpu --kernels "$to/took" "$to/number.lt" -i x=iota -i k=3 -q >"$to/out" 2>&1 &&
	grep -qF "times.c:2: LT_TAKES asks for operand 2, and there are 1 of them, from 0 on" "$to/out"
said $? "one that no parameter can be is a mistake of LT_TAKES"

# What reads constants alone is computed by lt-build, by its meaning: a kernel is code for the target.
cat >"$to/folded.lt" <<'END'
c = ConstantTensor(c, float32, [5, 7]);
result y = InputTensor(x, float32, [5, 7]) + scale(c);
result z = scale(c);
END
for each in so 'c --emit c99' 'c --bare' 'c --target cortex-m3' 'c --target avr5'; do
	case $each in
	*cortex*) command -v arm-none-eabi-gcc >/dev/null && command -v qemu-system-arm >/dev/null || continue ;;
	*avr5) command -v avr-gcc >/dev/null && command -v simavr >/dev/null || continue ;;
	esac
	# shellcheck disable=SC2086 -- words
	"$O/lt-build" --kernels tests/own/right "$to/folded.lt" -c c=random -o "$to/folded".$each >"$to/out" 2>&1 &&
		grep -q '^verified: 70 elements compared' "$to/out"
	said $? "a kernel of constants alone, -o folded.$each"
done

# What an operation means may have calls of others: a kernel of its own does them, too, else theirs do.
mkdir "$to/within" && cp "$k/scale.lt" "$to/within" && cp tests/own/right/scale.c "$to/within"
echo 'def quad(x) { return scale(scale(x)); }' >"$to/within/quad.lt"
sed 's/scale/quad/; s/2 \*/4 */; s/\* 2/* 4/' tests/own/right/scale.c >"$to/within/quad.c"
echo 'x = InputTensor(x, float32, [4]); result = quad(x) + scale(x);' >"$to/within.lt"
# within LINES: of the calls in the tree
within() {
	$run -b cpu --kernels "$to/within" "$to/within.lt" --dump=tree 2>/dev/null | grep -o '^group call [a-z]*' |
		tr '\n' ' ' >"$to/out"
	[ "$(cat "$to/out")" = "$1" ] &&
		$run -b cpu --kernels "$to/within" "$to/within.lt" -i x=iota -q --verify >>"$to/out" 2>&1
}
within 'group call quad group call scale ' && sed -i 's/f32/f64/' "$to/within/quad.c" &&
	within 'group call scale group call scale group call scale ' && rm "$to/within/quad.c" &&
	within 'group call scale group call scale group call scale '
said $? "where a kernel is not called, those of the operations that it means are"

# -- ONNX --

case ${DIRS-frontends/onnx} in
*frontends/onnx*)
	$run -b cpu --kernels tests/own/onnx tests/own/model.onnx -i x=iota >"$to/out" 2>&1
	grep -q '3. 4. 5.' "$to/out" && grep -q 'there is no .*twice.c' "$to/out"
	said $? "nodes of a domain are operations, attributes are parameters"
	mkdir "$to/two" "$to/two/com.mine" "$to/two/com.nine"
	for what in mine:2 nine:3; do           # operations of one name in two domains, each with a helper
		echo "def twice(x, y) { return x * ${what#*:} + y; }" >"$to/two/com.${what%:*}/twice.lt"
		printf '#include "lt/own.h"\nstatic float by_%s(float x) { return x * %s; }\nLT_KERNEL(twice, f32, 0)\n{\n%s\n}\n' \
			"${what%:*}" "${what#*:}" "for (int64_t i = 0; i < own->result[0].elems; i++)
			LT_RESULT(0, float)[i] = by_${what%:*}(LT_OPERAND(0, float)[i]) + LT_OPERAND(1, float)[i];" \
			>"$to/two/com.${what%:*}/twice.c"
	done
	for each in cpu llvm; do
		$run -b $each --kernels "$to/two" tests/own/domains.onnx -i x=iota --verify >"$to/out" 2>&1 &&
			grep -q '^verify: passed' "$to/out" && grep -qF '[[ 0. 12. 24.]' "$to/out" &&
			! grep -q 'is not called' "$to/out"
		said $? "$each: two domains may have operations of one name"
	done
	for what in "two.c --emit c99" two.so two; do
		"$O/lt-build" --kernels "$to/two" tests/own/domains.onnx -o "$to/built_"$what >"$to/out" 2>&1 &&
			grep -q '^verified: ' "$to/out"
		said $? "lt-build has both in: $what"
	done
	mkdir -p "$to/optional/com.mine" && cp tests/own/right/scale.* "$to/optional/com.mine"
	echo 'def join(x, y = 0, z = 0) { return scale(x) + 10 * y + 100 * z; }' >"$to/optional/com.mine/join.lt"
	$run -b cpu --kernels "$to/optional" tests/own/optional.onnx -i x=iota -i z=1 >"$to/out" 2>&1
	grep -qF '[100. 102. 104.]' "$to/out" && grep -qF '[10. 12. 14.]' "$to/out" &&
		[ "$($run -b cpu --kernels "$to/optional" tests/own/optional.onnx --dump=tree 2>/dev/null |
			grep -c 'group call com.mine.scale')" = 2 ]
	said $? "an input that is left out has its parameter's default; a meaning calls those of its domain"
	sed -i 's/y = 0,/y,/' "$to/optional/com.mine/join.lt"
	! $run -b cpu --kernels "$to/optional" tests/own/optional.onnx -i x=iota -i z=1 >"$to/out" 2>&1 &&
		grep -q "com.mine/join.lt has a parameter 'y', which neither an input nor an attribute gives" "$to/out"
	said $? "or is missed"
	sed 's/alpha/other/' tests/own/model.onnx >"$to/other.onnx"
	! $run -b cpu --kernels tests/own/onnx "$to/other.onnx" -i x=iota >"$to/out" 2>&1 &&
		grep -q "com.mine/leaky has no parameter 'other', which is an attribute here" "$to/out"
	said $? "an attribute that is no parameter is named"
	sed 's/leaky/leakY/' tests/own/model.onnx >"$to/other.onnx"
	! $run -b cpu --kernels tests/own/onnx "$to/other.onnx" -i x=iota >"$to/out" 2>&1 && grep -qF \
		"(of com.mine) is not supported; there is no tests/own/onnx/com.mine/leakY.lt; did you mean com.mine/leaky?" "$to/out"
	said $? "an operation that the folder has not is told where it would be"
	! $run -b cpu tests/own/model.onnx -i x=iota >"$to/out" 2>&1 &&
		grep -qF "is not supported; in a folder of kernels com.mine/leaky.lt would say what it means" "$to/out"
	said $? "and without a folder, too"
	! $run -b cpu --kernels tests/own/onnx tests/own/tensor.onnx -i x=iota >"$to/out" 2>&1 &&
		grep -q "attribute 'alpha' is neither a number nor a list of whole numbers" "$to/out"
	said $? "an attribute that is a tensor is told what parameters are"
	sed -i '1a LT_ROUTINE(product);' "$to/routine/product.c"
	$run --kernels "$to/routine" examples/mnist/digits.onnx --dim batch=2 --dump=graph | grep '^own' >"$to/out"
	[ "$(grep -c '^own "product"' "$to/out")" = 2 ]
	said $? "products of a model are calls of a routine" ;;
esac

# -- mistakes --

# refuses CODE SENTENCE: what the folder of the moment is answered with.
refuses() {
	$run -b cpu --kernels "$to/bad" "$to/m.lt" -i x=iota -q >"$to/out" 2>&1
	local code=$?
	[ $code = "$1" ] && grep -qF -- "$2" "$to/out"
	said $? "$2"
	rm -rf "$to/bad" && cp -r "$k" "$to/bad"
}
cp -r "$k" "$to/bad"
kernel() { printf '#include "lt/own.h"\n%s\n{\n%s\n}\n' "$1" "${2-}" >"$to/bad/scale.c"; }
rm "$to/bad/scale.lt"; refuses 2 "scale.c has no meaning"
echo 'def scale(x) { return x * ; }' >"$to/bad/scale.lt"; refuses 2 "Unexpected"
echo 'def scal(x) { return x * 2; }' >"$to/bad/scale.lt"; refuses 2 "The function of this file is called 'scal'"
echo 'def scale(x) { return x; }' >"$to/bad/scale.lt"; refuses 2 "is an operand of it, too; copy it"
echo 'def scale(x, y) { return x * 2; }' >"$to/bad/scale.lt"; refuses 2 "Too few arguments, expected scale(x, y)"
echo 'def scale(x) { return InputTensor(z, float32, [1]) + x; }' >"$to/bad/scale.lt"
refuses 2 "which is no operand of it"
echo 'def scale(x) { return x * 2; } def scale(x) { return x; }' >"$to/bad/scale.lt"
refuses 2 "the end of the file: it holds the function of its name alone"
echo 'def ReLUNode(x) { return x * 2; }' >"$to/bad/ReLUNode.lt"
refuses 2 "'ReLUNode' is a type of node and cannot be a name"
echo 'def scale(x) { return CastNode(x, float64) * 2; }' >"$to/bad/scale.lt"; refuses 2 "float64"
kernel 'LT_KERNEL(scal, f32, 0)'; refuses 2 "LT_KERNEL(scal, ...) is the kernel of another name"
kernel 'LT_KERNEL(scale, f33, 0)'; refuses 2 "'f33' is no element type; did you mean f32?"
kernel 'LT_KERNEL(scale, f32)'; refuses 2 "LT_KERNEL has three arguments"
kernel 'LT_KERNEL(scale, f32, extent(0, 7))'; refuses 2 "asks for axis 7, and there are 2 of them"
kernel 'LT_KERNEL(scale, f32, threads * threads)'; refuses 2 "is no number of bytes, and one for each thread"
kernel 'LT_TAKES(scale, rank(0) = 2); LT_KERNEL(scale, f32, 0)'; refuses 2 "LT_TAKES: expected an operator or the end"
kernel 'LT_ROUTINE(scal); LT_KERNEL(scale, f32, 0)'; refuses 2 "LT_ROUTINE has the kernel's name"
echo 'def many(a, b, c, d, e) { return a + b + c + d + e; }' >"$to/bad/many.lt"
printf '#include "lt/own.h"\nLT_ROUTINE(many); LT_KERNEL(many, f32, 0) { }\n' >"$to/bad/many.c"
refuses 2 "has 5 parameters without a value, and 1 to 4 are looked for"
kernel 'LT_KERNEL(scale, float, 0)'; refuses 2 "'float' is no element type; there are f32, f64,"
kernel 'LT_KERNEL(scale, f32, elems(1))'; refuses 2 "asks for operand 1, and there are 1 of them, from 0 on"
printf '#include "lt/own.h"\nLT_KERNEL(scale, f32, 0) /* ; */\n;\n' >"$to/bad/scale.c"
refuses 2 "scale.c:3: LT_KERNEL(scale, ...) begins the kernel: { ... } follows it, and no ';'"
kernel 'LT_TAKES(scale, rank(0) == 2)
LT_KERNEL(scale, f32, 0)'; refuses 2 "scale.c:2: LT_TAKES(...) ends with a ';'"
kernel 'LT_ROUTINE(scale)
LT_KERNEL(scale, f32, 0)'; refuses 2 "scale.c:2: LT_ROUTINE(...) ends with a ';'"
kernel 'LT_TAKES(scale, rank(0) = 2);

LT_KERNEL(scale, f32, 0)'; refuses 2 "scale.c:2: LT_TAKES: expected an operator or the end"
sed -i 's/lt.own.h/own.h/' "$to/bad/scale.c"; refuses 2 'and the one of kernels is "lt/own.h"'
sed -i '1s/^/\xef\xbb\xbf/;s/$/\r/' "$to/bad/scale.c"; sed -i '1s/^/\xef\xbb\xbf/;s/$/\r/' "$to/bad/inc/by.h"
$run -b cpu --kernels "$to/bad" "$to/m.lt" -i x=random -q --verify >"$to/out" 2>&1 &&
	grep -q '^verify: passed' "$to/out"
said $? "files begin with a mark of the order of bytes, and lines end as elsewhere"
kernel 'LT_KERNEL(scale, f32, 0)' '{'; refuses 1 "behind $to/bad/scale.c:"
kernel 'void scale(void)'; refuses 2 "defines no kernel"
kernel 'LT_KERNEL(scale, f32, 0)' '}; LT_KERNEL(scale, f64, 0) {'; refuses 2 "LT_KERNEL stands there a second time"
kernel '#include "none.h"
LT_KERNEL(scale, f32, 0)'; refuses 2 '"none.h" cannot be read from the file'
kernel 'LT_KERNEL(scale, f32, 0)' 'this is no C'; refuses 1 "scale.c:4:"
kernel 'LT_KERNEL(scale, f64, 0)'; refuses 0 "LT_KERNEL(scale, ...) does not name that type"
kernel 'LT_TAKES(scale, extent(0, 0) == 99); LT_KERNEL(scale, f32, 0)'; refuses 0 "does not take its extents"
kernel '#include <stdlib.h>
LT_KERNEL(scale, f32, 0)' 'exit(0);'; refuses 1 "the kernel 'scale', one's own, has called exit; it has to return"
rm -r "$to/bad"/*; refuses 2 "Unknown node type 'scale'; no operation is called so in the folder"
rm -r "$to/bad"/*; echo 'def scala(x) { return x; }' >"$to/bad/scala.lt"
refuses 2 "Unknown node type 'scale'; did you mean scala?"
rm -r "$to/bad"/*; mkdir "$to/bad/math"; cp "$k/scale.lt" "$to/bad/math"
refuses 2 "'scale'; $to/bad/math/scale.lt is for models of ONNX, whose nodes name the domain: a script calls"
echo 'def a(x) { return x * 2; }' >"$to/bad/a.lt"
refuses 2 "m.lt:2:1: 'a' is a function, which is in $to/bad/a.lt, and cannot be a name"
echo 'def scale(x, by = 2) { return x * by[0]; }' >"$to/bad/scale.lt"
refuses 2 "scale.lt:1:37: Unexpected symbol '[': 'by' is a number, and elements are taken of lists and tensors"
echo 'def scale(x, by = [2]) { return x * by[1]; }' >"$to/bad/scale.lt"; refuses 2 "the list [2] has 1 number (in"
kernel 'LT_KERNEL(scale, f32, 0)' '*(volatile int *)8 = 0;'
(refuses 139 "the kernel 'scale', one's own, has crashed: SIGSEGV") 2>/dev/null
kernel 'LT_KERNEL(scale, f32, 0)' 'volatile char room[1 << 28]; for (int i = 0; i < 1 << 28; i += 999) room[i] = 1;'
(refuses 139 "the kernel 'scale', one's own, has crashed: SIGSEGV") 2>/dev/null
kernel '#include <stdlib.h>
LT_KERNEL(scale, f32, 0)' 'quick_exit(0);'; refuses 1 "the kernel 'scale', one's own, has called exit; it has to return"
kernel 'LT_KERNEL(scale, f32, 0)' '*(volatile int *)8 = 0;'
for what in crash.c crash.so crash; do
	"$O/lt-build" --kernels "$to/bad" "$to/m.lt" -o "$to/$what" >"$to/out" 2>&1
	[ $? = 1 ] && [ ! -e "$to/$what" ] && grep -q 'lt-check --kernels finds' "$to/out"
	said $? "lt-build says that it crashes, and writes nothing: $what"
done
kernel 'LT_KERNEL(scale, f32, 0)' '*(volatile int *)8 = 0;'
bench="$O/lt-bench nets -b cpu --no-vendor --quick --model $to/m.lt"
# tells COMMAND CODE SENTENCE: of a tool with the folder of the moment; what it was to write is not there.
tells() {
	rm -f "$to/built"
	$1 --kernels "$to/bad" >"$to/out" 2>&1
	[ $? = "$2" ] && grep -qF -- "$3" "$to/out" && [ ! -e "$to/built" ]
	said $? "${1##*/}: $3"
}
check="$O/lt-check -b cpu --filter scale/f32/primes/13x7"
echo 'x = InputTensor(x, float32, [5, 7]); result = scale(x);' >"$to/one.lt"
build="$O/lt-build $to/one.lt -o $to/built"
(tells "$bench" 139 "lt-bench: the kernel 'scale', one's own, has crashed: SIGSEGV") 2>/dev/null
kernel '#include <stdlib.h>
LT_KERNEL(scale, f32, 0)' 'exit(0);'
tells "$bench" 1 "lt-bench: the kernel 'scale', one's own, has called exit; it has to return"
tells "$check/sanitized" 1 "it ended the process with exit code 0; it has to return"
tells "$build" 1 "it ended without an error, and wrote no results; a kernel of one's own that calls exit does that"
kernel '#include <stdlib.h>
LT_KERNEL(scale, f32, 0)' 'exit(3);'
tells "$build" 1 "it ended with exit code 3; lt-check --kernels finds what a kernel of one's own does wrong"
twice='static int calls;
for (int64_t i = 0; i < own->result[0].elems; i++) LT_RESULT(0, float)[i] = 2 * LT_OPERAND(0, float)[i]'
kernel '#include <stdlib.h>
LT_KERNEL(scale, f32, 0)' "$twice; if (calls++) exit(0);"
tells "$build" 1 "it ended without an error, and wrote no results"
kernel 'LT_KERNEL(scale, f32, 0)' "$twice + (float)calls; calls++;"
tells "$build" 1 "has other bits when it is called again; a kernel of one's own keeps nothing from one call to the next"
tells "$check" 1 "lt-check -b cpu --seed 1 --kernels $to/bad --filter own/scale/f32/primes/13x7"
kernel '#include <stdlib.h>
LT_KERNEL(scale, f32, 0)' 'abort();'
tells "$check/sanitized" 1 "it ended the process by a signal: Aborted"
kernel 'LT_KERNEL(scale, f32, 0)' 'this is no C'
tells "$build" 1 "if it is in a kernel of one's own, lt-check --kernels says in which line; two of them"
tells "$check" 1 "bad/scale.c:4:"
cp "$k/scale.c" "$to/bad"
echo 'def scale(x) { return x * ; }' >"$to/bad/scale.lt"
tells "$check" 2 "lt-check: $to/bad/scale.lt:1:27: Unexpected end of expression"
: >"$to/bad/scale.lt"; tells "$check" 2 "scale.lt:1:1: The meaning of the operation is a function"
echo 'def scale(x) { return TransposeNode(x, [4, 3, 2, 1, 0]); }' >"$to/bad/scale.lt"
tells "$check" 1 "were tried, the first of which is refused: $to/bad/scale.lt:1:40: Invalid permutation size"
echo 'def scale(x) { return CastNode(x, float64); }' >"$to/bad/scale.lt"
tells "$check" 1 "is refused: of operands of f32 its result is f64, and LT_KERNEL(scale, ...) does not name that type"
cp "$k/scale.lt" "$to/bad"
twice='for (int64_t i = 0; i < own->result[0].elems; i++) LT_RESULT(0, float)[i] = 2 * LT_OPERAND(0, float)[i]'
kernel 'LT_KERNEL(scale, f32, 0)' "$twice; LT_RESULT(0, float)[own->result[0].elems] = 0;"
tells "$check" 1 "a byte 1 after buffer 'y0' of 364 bytes was overwritten"
tells "$check/sanitized" 1 "a sanitizer says: ERROR: AddressSanitizer"
kernel 'LT_KERNEL(scale, f32, 0)' "$twice; LT_RESULT(0, float)[-1] = 0;"
tells "$check" 1 "a byte 4 before buffer 'y0' of 364 bytes was overwritten"
kernel 'LT_KERNEL(scale, f32, 0)' "$twice; ((float *)own->operand[0].data)[0] = 0;"
tells "$check" 1 "input 'x0' was changed by the run"
kernel 'LT_KERNEL(scale, f32, 0)' "${twice/2 \*/3 *};"
tells "$check" 1 "is 11.25, the reference has 7.5, and rounding explains 0 (89 of 91 elements are wrong)"
kernel 'LT_TAKES(scale, extent(0, 0) == 2000); LT_KERNEL(scale, f32, 0)'; cp "$k/scale.lt" "$to/bad"
tells "$check" 1 "is refused: LT_TAKES(scale, ...) does not take their extents"
rm -r "$to/bad"
for each in "$check" "$build" "$bench"; do tells "$each" 2 "the folder of kernels $to/bad cannot be read"; done
! $run -b cpu --kernels "$k/scale.c" "$to/m.lt" -i x=iota >"$to/out" 2>&1 &&
	grep -qF "$k/scale.c cannot be read: Not a directory; name the folder that the file is in" "$to/out"
said $? "a file in the place of the folder is told so"
printf 'short' >"$to/short.npy"
$run -b cpu "$to/plain.lt" -i x="$to/short.npy" >"$to/out" 2>&1
grep -qF "lt-run: x=$to/short.npy: is too short for a .npy file" "$to/out"
said $? "a file that is wrong is named once"
refuses 2 "the folder of kernels"
for name in link 'a b' "q'q"; do
	rm -rf "$to/$name" && if [ "$name" = link ]; then ln -s "$k" "$to/$name"; else cp -r "$k" "$to/$name"; fi
	$run -b llvm,cpu --kernels "$to/$name" "$to/m.lt" -i x=random -q --verify >"$to/out" 2>&1 &&
		! grep -q 'kernel scale is not called' "$to/out"
	said $? "a folder is called: $name"
done
cp -r "$k" "$to/q\"q"
! $run -b cpu --kernels "$to/q\"q" "$to/m.lt" -i x=random -q >"$to/out" 2>&1 &&
	grep -q 'has a quote, a backslash or a line break in it' "$to/out"
said $? "a quote in the name of a folder is a sentence"
for each in 1 2 3 4; do
	$run -b cpu --cache-dir "$to/fresh" --kernels "$k" "$to/m.lt" -i x=random -q --verify >"$to/out.$each" 2>&1 &
done
wait
[ "$(cat "$to"/out.? | grep -c '^verify: passed')" = 4 ]
said $? "several tools fill one cache at once"
! "$O/lt-check" --kernels "$to/cache" >"$to/out" 2>&1 && grep -q 'there is no kernel in the folder' "$to/out"
said $? "lt-check says that a folder has no kernel"
[ -z "$(find /tmp -maxdepth 1 -name 'looptree-own-*' -user "$(id -un)" -newer "$to/m.lt" 2>/dev/null)" ]
said $? "no folder of a compiler is left"
