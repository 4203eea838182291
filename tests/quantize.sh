#!/usr/bin/env bash
# tests/quantize.sh -- lt-quantize: random networks, whose integers numpy computes again (tests/quantize/networks.py);
# mutants of what it writes, which that has to see (mutants.py); odd data; what is refused, and how; bounds; the MNIST
# network where its images are.  Prints TAP.  Called with O; QUANTIZE_SEED=1.  CHECK_MORE=1: 100 mutants, and of what is
# drawn other seeds and machines.
set -u
: "${O:=build}"
if ! python3 -c 'import numpy' 2>/dev/null; then
	echo "ok - lt-quantize # SKIP there is no numpy"
	exit 0
fi
case $O in /*) ;; *) O=$PWD/$O ;; esac
here=$PWD
to=$(mktemp -d)
trap 'rm -rf "$to"' EXIT
check() {
	local name=$1
	shift
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

python3 tests/quantize/networks.py "$O/lt-quantize" "$O/lt-run" "${QUANTIZE_SEED:-1}"
python3 tests/quantize/mutants.py "$O/lt-quantize" "$O/lt-run" "${QUANTIZE_SEED:-1}" \
	"$([ -n "${CHECK_MORE-}" ] && echo 100 || echo 6)"
# Steps that are any numbers: here, and as C on emulated processors; and beside other libraries' layers.
targets=
command -v arm-none-eabi-gcc >/dev/null && command -v qemu-system-arm >/dev/null && targets=cortex-m3
command -v avr-gcc >/dev/null && command -v simavr >/dev/null && targets="$targets avr5"
[ "$targets" = "cortex-m3 avr5" ] || echo "ok - scales of any as C # SKIP scripts/setup.sh micro installs what runs it"
# shellcheck disable=SC2086 -- words
python3 tests/quantize/scales.py "$O/lt-quantize" "$O/lt-run" "${QUANTIZE_SEED:-1}" "$O/lt-build" $targets
# What they take of a microcontroller.
[ -z "${CHECK_MORE-}" ] || case $targets in cortex-m3*) targets="cortex-m0 cortex-m4" ;; *) targets= ;; esac
# shellcheck disable=SC2086 -- words
python3 tests/quantize/target.py "$O/lt-quantize" "$O/lt-build" $targets
python3 tests/quantize/peers.py "$O/lt-quantize" "$O/lt-run" "${QUANTIZE_SEED:-1}" onnxruntime
python=python3
python3 -c 'import tflite_micro' 2>/dev/null ||
	{ scripts/setup.sh tflm "$O/tflm-env" >&2 && python=$O/tflm-env/bin/python; }
"$python" tests/quantize/peers.py "$O/lt-quantize" "$O/lt-run" "${QUANTIZE_SEED:-1}" tflite_micro
[ -z "${CHECK_MORE-}" ] || exit 0

cd "$to" || exit 1
python3 - <<'END'
import numpy as np
rng = np.random.default_rng(7)
x = rng.normal(size=(20, 6)).astype('f')
np.save('x.npy', x)
np.save('one.npy', x[:1])
np.save('y.npy', rng.integers(0, 4, 20))
np.save('short.npy', rng.integers(0, 4, 19))
np.save('wrong.npy', x[:, :5].copy())
np.save('double.npy', x.astype('d'))
x[3, 2] = np.nan
np.save('nan.npy', x)
x[3, 2] = 1e6
np.save('outlier.npy', x)
np.save('none.npy', x[:0])
w = rng.normal(size=(6, 4)).astype('f')
np.savez('w.npz', w=w)
w[:, 1] = 0
np.savez('dead.npz', w=w)
np.savez('zero.npz', w=0 * w)
w[2, 3] = np.inf
np.savez('inf.npz', w=w)
y = rng.integers(0, 4, 20)
y[5] = 4
np.save('above.npy', y)
y[5] = -1
np.save('below.npy', y)
y[5], y[19] = 0, 7
np.save('far.npy', y)
END
cat >net.lt <<'END'
x = InputTensor(x, float32, [2, 6]);
result = x @ ConstantTensor(w, float32, [6, 4]);
END
quantize() { "$O/lt-quantize" net.lt --data "${data-x.npy}" -w "${w-w.npz}" -o q.lt "$@"; }
fresh() { rm -f q.lt q.safetensors; }
# refuses TEXT ARGUMENTS...: a mistake, and nothing is written.
refuses() { fresh && says "${code-2}" "$1" quantize "${@:2}" && ! [ -e q.lt ] && ! [ -e q.safetensors ]; }

odd_data() {
	fresh && data=one.npy quantize && fresh && w=dead.npz quantize && fresh && w=zero.npz quantize --metric error \
		--loss 100 && [ -s q.lt ] && fresh && data=outlier.npy quantize --loss 100
}
check "one row, a dead channel, a constant of zeros, an outlier" odd_data
odd_scales() {
	local way
	for way in '' --per-channel; do
		# shellcheck disable=SC2086 -- a word or none
		fresh && data=one.npy quantize --scales any $way -q && fresh && w=dead.npz quantize --scales any $way -q && fresh &&
			w=zero.npz quantize --scales any $way --metric error --loss 100 -q && fresh &&
			data=outlier.npy quantize --scales any $way --loss 100 -q && [ -s q.lt ] || return 1
	done
	fresh && quantize --scales any --labels y.npy --loss 100 --flash 24 >said && cat said &&
		grep -q 'constants 24 bytes' said && fresh && quantize --scales any --mode weights --per-channel --bits 4 \
		--metric error --loss 10 -q && fresh && quantize --scales any --mode dynamic --metric error --loss 1 -q
}
check "the same with steps that are any numbers" odd_scales
data=nan.npy check "data with NaN is refused with its place" refuses 'nan.npy: row 3, number 2 is nan'
data=wrong.npy check "data of another shape" refuses "wrong.npy is float32 (20, 5), and the input 'x' is float32 [2, 6]"
data=double.npy check "data of another type" refuses 'double.npy is float64'
python3 -c "
import numpy as np
x = np.load('x.npy')
np.save('flat.npy', x.astype('d').reshape(-1))
np.save('torn.npy', np.ones((24, 5), 'f'))
np.save('large.npy', np.concatenate([x[:1] * 0, x]))
y = np.load('large.npy'); y[1, 2] = -1e9; np.save('large.npy', y)"
in_numpy() {
	data=double.npy refuses "before them (in NumPy: .astype('float32'))" &&
		data=flat.npy refuses "(in NumPy: .astype('float32').reshape(-1, 2, 6))" &&
		data=wrong.npy refuses 'one axis of rows before them' && ! grep -q NumPy said &&
		data=torn.npy refuses 'one axis of rows before them' && ! grep -q NumPy said
}
check "what makes data of the input of it" in_numpy
data=large.npy code=1 check "a number beside which all others are lost, with its place" \
	refuses "'x': row 1, number 2 of large.npy is -1e+09, and 99 of 100 are below" --metric error --loss 0 --time 1
# An input that nothing reads stays one of the script, in its type: what is given to the model may be given to it.
unread() {
	local mode
	printf '%s\n' 'x = InputTensor(x, float32, [2, 6]);' 'z = InputTensor(z, float32, [3]);' \
		'result = x @ ConstantTensor(w, float32, [6, 4]);' >two.lt
	fresh && says 2 "'z' has no data: --data z=FILE gives it; nothing reads it" "$O/lt-quantize" two.lt -w w.npz \
		--data x=x.npy -o q.lt || return 1
	python3 -c "
import numpy as np
x = np.load('x.npy')
np.savez('two.npz', x=x, z=np.arange(30, dtype='f').reshape(10, 3))
np.savez('two-in.npz', x=x[:2], z=np.ones(3, 'f'))"
	for mode in static weights; do
		"$O/lt-quantize" two.lt -w w.npz --data two.npz -o q.lt --mode $mode -q --loss 50 && grep 'z, float32, \[3\]' q.lt &&
			"$O/lt-run" q.lt -i x=1 -i z=2 -q || return 1
	done
	"$O/lt-quantize" two.lt -w w.npz --data two.npz -o q.lt -q --loss 50 --data-out ints.npz && python3 -c "
import numpy as np
d = np.load('ints.npz')
assert d['x'].dtype.kind in 'iu' and (d['z'] == np.load('two.npz')['z']).all(), d"
}
check "an input that nothing reads" unread
data=none.npy check "no rows" refuses 'there are no rows'
w=inf.npz check "an infinite weight" refuses 'is inf, which no integer stands for'
check "labels of another length" refuses 'one integer for each of the 20 rows' --labels short.npy
code=1 check "no room" refuses 'at 4 and 8 bits constants take 12 bytes, 2 more than --flash allows' --flash 10
code=1 check "too great a loss" refuses '--loss allows' --metric error --loss 0 --time 1
check "a loss that is no number of points" refuses '0 or more' --loss -1
echo 'result = InputTensor(x, float32, [2, 6]) + InputTensor(y, float32, [2, 6]);' >two.lt
check "an input without data" says 2 '--data y=FILE' "$O/lt-quantize" two.lt --data x=x.npy -o q.lt
check "data that could be of two inputs" says 2 'NAME=FILE' "$O/lt-quantize" two.lt --data x.npy -o q.lt
check "a result that there is not" refuses "--result: the model has no result 'z'; it has 'result'" --result z
check "a name that is no script's" says 2 'NAME.lt' "$O/lt-quantize" net.lt --data x.npy -w w.npz -o q.npz
check "the model is not written over" says 2 'net.lt' "$O/lt-quantize" net.lt --data x.npy -w w.npz -o net.lt

echo 's = BufferTensor(s, float32, [2]); x = InputTensor(x, float32, [2]);
h = s + x; set s = h; result = h;' >state.lt
check "a model with states" says 1 'make them inputs and results' "$O/lt-quantize" state.lt --data x.npy -o q.lt
echo 'x = InputTensor(x, float32, [2, 6]); result = PowNode(x, ReduceSumNode(x, [1], 1));' >power.lt
check "a function of several values, with its place" says 1 "power.lt:1:38" "$O/lt-quantize" power.lt --data x.npy \
	-o q.lt

echo 'x = InputTensor(x, float32, [2, 6]); result = ExpNode(PadNode(x, [0, 1], [0, 2], -inf));' >border.lt
check "a table of a border of minus infinity, with its place" says 1 "border.lt:1:38" "$O/lt-quantize" border.lt \
	--data x.npy -o q.lt

check "a label that is no class" refuses "the label of row 5 is 4, and the result 'result' has the classes 0 to 3" \
	--labels above.npy
check "a label below 0" refuses 'below.npy: the label of row 5 is -1' --labels below.npy
python3 -c "import numpy as np; np.save('less.npy', np.load('x.npy')[:19])"
check "inputs of as many evaluations and other rows" says 2 "'y' has 19 rows of data, 2 an evaluation, and 'x' has 20" \
	"$O/lt-quantize" two.lt --data y=less.npy --data x=x.npy -o q.lt
check "--ram where floats are in memory" refuses '--ram goes with --mode static' --ram 1 --mode weights
check "--flash where floats are in memory" refuses '--flash goes with --mode static' --flash 99 --mode dynamic
# Weights of 4 bits are the same integers everywhere, and two in a byte where they are stored, also as C.
four_bits() {
	fresh && quantize --bits 4 --metric error --loss 100 --data-out q.npy >said && cat said &&
		grep -qF '4 bits: 1, 8 bits: 1 of 2 kept values and constants; constants 12 bytes' said &&
		[ "$(grep -cE 'ShrNode|CastNode\(.*, int8\)' q.lt)" -ge 3 ] || return  # the upper one of a byte with its sign
	python3 -c "import numpy as np; np.save('one.npy', np.load('q.npy')[:2])"
	local b
	for b in ref cpu llvm; do
		! "$O/lt-run" --list-backends | grep -q "^$b .*cannot" || continue
		"$O/lt-run" q.lt -b $b -i x=one.npy -q -o $b.npy && cmp $b.npy ref.npy || return
	done
	for b in portable cortex-m3 avr5; do
		case $b in
		cortex-m3) command -v arm-none-eabi-gcc >/dev/null && command -v qemu-system-arm >/dev/null || continue ;;
		avr5) command -v avr-gcc >/dev/null && command -v simavr >/dev/null || continue ;;
		esac
		"$O/lt-build" q.lt -i x=one.npy -o built.c --target $b --overwrite >said || { cat said; return 1; }
		cat said
		grep -q 'verified: 8 elements compared, 8 equal' said || return
		[ $b = portable ] || grep -qF ', 12 of them constants' said || return
	done
}
check "4 bits: the same integers on all backends, and two in a byte" four_bits
# 24 bytes of 8 bits do not fit, 12 of 4 do.
narrow_enough() {
	fresh && quantize --flash 13 --metric error --loss 100 >said && cat said && grep -qF '4 bits: 1,' said
}
check "--flash below 8 bits: constants of products get 4" narrow_enough
check "16 bits of a mode of 8" refuses '--bits 16 does not go with --mode dynamic' --bits 16 --mode dynamic
echo 'x = InputTensor(x, float32, [2, 6]); result = LogNode(x @ ConstantTensor(w, float32, [6, 4]));' >log.lt
check "results that are NaN" says 2 "the data makes the result 'result' nan in row 0" \
	"$O/lt-quantize" log.lt --data x.npy -w w.npz --metric agree -o q.lt --mode weights
code=1 check "no room at 16 bits" refuses 'at 16 bits constants take 48 bytes, 38 more' --bits 16 --flash 10
code=1 check "too great a loss at 16 bits" refuses 'allows 0.000: a greater --time or a greater --loss are the ways' \
	--bits 16 --metric error --loss 0 --time 0.000001 --per-channel
lost_points() { sed -n 's/.*loses \([0-9.]*\) points.*/\1/p' said; }
# The ways out of too great a loss are those that there are, and each of them loses less.
ways_out() {
	python3 -c "
import numpy as np
np.savez('scaled.npz', w=np.load('w.npz')['w'] * np.float32([1, .03, .03, .03]))
np.savez('even.npz', w=np.ones((6, 4), 'f'))"
	local floats=' values that stay floats (--mode weights)' channels=' steps by channel (--per-channel)' way
	local up='allows 0.000:' last=', a greater --time or a greater --loss are the ways out'
	local all=(--metric error --loss 0 --time 0.000001)
	code=1 w=scaled.npz refuses "$up more bits (--bits 16),$channels$last" --bits 8 "${all[@]}" &&
		grep -q 'time was up (--time): the best of 1 candidate loses' said &&
		code=1 w=even.npz refuses "$up more bits (--bits 16)$last" --bits 8 "${all[@]}" &&
		code=1 w=scaled.npz refuses "$up more bits (--bits 8)$last" --bits 4 --mode weights --per-channel "${all[@]}" &&
		code=1 w=scaled.npz refuses "$up$floats$last" --mode dynamic --per-channel "${all[@]}" &&
		code=1 w=scaled.npz refuses "$up$channels,$floats$last" --mode dynamic "${all[@]}" || return 1
	local most
	most=$(lost_points)
	for way in --per-channel '--mode weights'; do
		# shellcheck disable=SC2086
		code=1 w=scaled.npz refuses loses --mode dynamic "${all[@]}" $way && python3 -c "
import sys
assert float(sys.argv[1]) < float(sys.argv[2]), sys.argv" "$(lost_points)" "$most" || return 1
	done
	code=1 w=scaled.npz refuses 'allows 0.000: more' --bits 8 --metric error --loss 0 --time 60 && ! grep 'time' said
}
check "what loses too much names the ways out that there are" ways_out
for by in '0 divided /' '-inf multiplied *'; do
	read -r number word operator <<<"$by"
	echo "x = InputTensor(x, float32, [2, 6]); result = x $operator FullNode(float32, [], $number);" >by.lt
	check "a value that is $word by $number" says 2 "is $word by $number" "$O/lt-quantize" by.lt --data x.npy -o q.lt
done

cp x.npy same=x.npy
check "a name that no input has" says 2 "same=n.npy: the model has no input 'same'; it has 'x', 'y'" \
	"$O/lt-quantize" two.lt --data same=n.npy -o q.lt
data=same=x.npy check "a file whose name has such a sign" quantize --loss 100 -q
fresh
echo 'result = InputTensor(image, float32, [2, 6]) + InputTensor(other, float32, [2, 6]);' >named.lt
check "a name that is nearly an input's" says 2 "imag=x.npy: the model has no input 'imag'; did you mean 'image'?" \
	"$O/lt-quantize" named.lt --data imag=x.npy -o q.lt
check "names of a file that no input has" says 2 "w.npz: the model has no input 'w'; it has 'image', 'other'" \
	"$O/lt-quantize" named.lt --data w.npz -o q.lt
# An index out of range, which the model computes of its input: the file and the row, also of what is held out.
out_of_range() {
	python3 - <<'END'
import numpy as np
ids = np.arange(80).reshape(40, 2) % 9
np.save('rows.npy', ids)
ids[33, 1] = 9
np.save('beyond.npy', ids)
END
	echo 'r = GatherNode(ConstantTensor(e, float32, [10, 6]), InputTensor(i, int64, [2]) + FullNode(int64, [], 1), 0);
result = r @ ConstantTensor(w, float32, [6, 4]);' >rows.lt
	local more
	python3 -c "import numpy as np; np.savez('ew.npz', w=np.load('w.npz')['w'], e=np.ones((10, 6), 'f'))"
	for more in '' '--hold-out 30' '--mode weights'; do
		# shellcheck disable=SC2086
		fresh && says 2 'beyond.npy: row 33: ' "$O/lt-quantize" rows.lt -w ew.npz --data beyond.npy -o q.lt --metric error \
			--loss 100 --bits 8 --time 0.01 $more && grep -q 'index 10 is out of range 0..9$' said && ! [ -e q.lt ] || return 1
	done
	"$O/lt-quantize" rows.lt -w ew.npz --data rows.npy -o q.lt --metric error --loss 100 --time 0.01 -q
}
check "an index out of range is told with its file and row" out_of_range

# A copy that broadcasts, and one that turns its axes, have the shape of the copy.
copies() {
	printf 'graph 1\nvar i 2\nvar j 6\nvar k 3\n%s\n%s\n%s\n%s\n%s\n%s\n%s\n' '%x = f32[i, j] input "x"' \
		'%y = f32[i, j, k] copy %x' '%z = f32[j, i] copy %x' '%w = f32[k, i, j] mul %y, %y' 'result "y" = %y' \
		'result "z" = %z' 'result "w" = %w' >copy.graph &&
		"$O/lt-quantize" copy.graph --data x.npy -o q.lt --metric error --data-out xq.npy --bits 16 &&
		python3 -c "import numpy as np; np.save('xq2.npy', np.load('xq.npy')[:2])" &&
		"$O/lt-run" q.lt -i x=xq2.npy -o int.npz -q && python3 - <<'END'
import numpy as np
x, got = np.load('xq2.npy').astype(np.int64), np.load('int.npz')
assert (got['y'] == np.repeat(x[:, :, None], 3, 2)).all() and (got['z'] == x.T).all()
assert got['w'].shape == (3, 2, 6)
END
}
check "copies that broadcast or turn their axes" copies

# Floats for integers that stand for them: what the message says makes what --data-out writes; a zero is in it.
stands_for() {
	fresh && quantize --loss 100 --data-out xq.npy && printf '%s\n' 'x = InputTensor(x, uint8, [20, 6]);' \
		'result = MeansNode(x, 0.0625, 100) + 1;' >zero.lt && sed 's/\[2, 6\]/[20, 6]/' q.lt >q20.lt &&
		says 2 ': an integer q of the input stands for q * 0.0' "$O/lt-run" q20.lt -w q.safetensors -i x=x.npy &&
		grep -o 'np[.]clip.*int[0-9]*.)' said >say.q &&
		says 2 ': an integer q of the input stands for (q - 100) * 0.0625' "$O/lt-run" zero.lt -i x=x.npy &&
		grep -o 'np[.]clip.*int[0-9]*.)' said >say.zero && python3 - <<'END'
import numpy as np
x = np.load('x.npy')
assert (eval(open('say.q').read()) == np.load('xq.npy')).all()
q = eval(open('say.zero').read())
assert q.dtype == np.uint8 and abs((q - 100.0) * .0625 - x).max() <= .0625 / 2
END
}
check "what integers stand for is said where floats are given" stands_for

# A script that was copied without its weights.
copied() {
	fresh && quantize --loss 100 && mkdir -p to && cp q.lt to/r.lt && "$O/lt-run" q.lt -i x=zeros -q &&
		says 2 '-c w=FILE.npy' "$O/lt-run" to/r.lt -i x=zeros && ! grep -q 'is not there' said && cp q.safetensors to &&
		says 2 "(to/r.safetensors is not there, but to/q.safetensors, which the script's comment names, is: give it with" \
			"$O/lt-run" to/r.lt -i x=zeros && "$O/lt-run" to/r.lt -i x=zeros -q --weights to/q.safetensors
}
check "where the weights of a copied script are is said" copied

# The names of a model's own are not ours.
own_names() {
	local a b
	for a in cell.0 weight.1.0 ~shift.1.0 shift.1.0; do
		b=~cell.0
		[ $a = cell.0 ] && b=cell.1
		printf 'graph 1\nvar i 2\nvar j 6\n%%x = f32[i, j] input "%s"\n%%y = f32[i, j] mul %%x, %%x\n' "$a" >own.graph
		printf 'result "%s" = %%y\nresult "%s" = %%x\n' "$a" "$b" >>own.graph
		"$O/lt-quantize" own.graph --data x.npy -o q.lt --metric error --loss 100 --time 1 || return 1
	done
}
check "names of a model that could be ours" own_names

no_weights() {
	echo 'x = InputTensor(x, float32, [2, 6]); result = MaxNode(x, FullNode(float32, [], 0));' >relu.lt
	fresh && "$O/lt-quantize" relu.lt --data x.npy -o q.lt --metric error --loss 100 --bits 8 >said && cat said &&
		! [ -e q.safetensors ] && ! grep safetensors q.lt && fresh && quantize --loss 100 && grep -q '# weights: q.saf' q.lt
}
check "a script without constants names no file of weights" no_weights
one_tried() { fresh && quantize --bits 8 --loss 100 --time 0.001 >said && cat said && grep -q '^1 candidate t' said; }
check "one candidate" one_tried

# Of columns that differ by a factor of 1000, all are near: with one step the small ones are lost.
by_channel() {
	python3 -c "
import numpy as np
w = np.load('w.npz')['w']
np.savez('columns.npz', w=w * np.float32([1, 1e-3, 1e-3, 1e-3]))
np.save('x2.npy', np.load('x.npy')[:2])"
	local how
	for how in '' --per-channel; do
		fresh && w=columns.npz quantize --bits 8 --metric error --loss 100 --time 0.001 --data-out xq.npy $how -q &&
			python3 -c "import numpy as np; np.save('xq2.npy', np.load('xq.npy')[:2])" &&
			"$O/lt-run" q.lt -i x=xq2.npy --real -o "real$how.npy" -q || return 1
	done
	python3 - <<'END'
import numpy as np
x, w = np.load('x2.npy').astype('d'), np.load('columns.npz')['w'].astype('d')
def lost(name):
    return np.sqrt(((np.load(name) - x @ w) ** 2).sum(0) / ((x @ w) ** 2).sum(0))
assert lost('real--per-channel.npy').max() < 0.02 < lost('real.npy')[1:].min(), (lost('real.npy'),
                                                                                lost('real--per-channel.npy'))
END
}
check "--per-channel: small channels have steps of their own" by_channel

# A constant whose rows are gathered and which is multiplied, too, is kept once, as integers: what comes out is what
# NumPy finds with these.  What else reads one reads its floats, which are counted.
tied() {
	python3 - <<'END'
import numpy as np
rng = np.random.default_rng(4)
np.savez('e.npz', e=rng.normal(size=(9, 6)).astype('f'), bias=rng.normal(size=9).astype('f'))
np.save('ids.npy', rng.integers(0, 9, (20, 3)))
np.save('twice.npy', rng.integers(0, 6, (20, 2)))
END
	local axis ids bits kept n
	# The gather's axis, its data, bits, bytes of what stays floats (a bias; the constant once more) and how many indices.
	while read -r axis ids bits kept n; do
		cat >tied.lt <<END
e = ConstantTensor(e, float32, [9, 6]); i = InputTensor(i, int64, [$n]);
h = ReshapeNode(GatherNode(e, i, $axis), [3, 6]) @ TransposeNode(e) + ConstantTensor(bias, float32, [9]);
END
		[ "$kept" = 36 ] || echo 'h = h + ReduceMaxNode(e * ReduceMaxNode(h, [0, 1], 1), [1], 0);' >>tied.lt
		echo 'result y = h;' >>tied.lt
		fresh && "$O/lt-quantize" tied.lt -w e.npz --data "i=$ids.npy" -o q.lt --mode weights --bits "$bits" \
			--metric error --loss 100 --time 0.001 --report r.json >said 2>&1
		cat said
		grep -qx "$bits bits: 1 of 1 constants of products, which take $((54 * bits / 8)) bytes; other constants stay as\
 they are, $kept bytes" said && python3 -c "import numpy as np; np.save('i.npy', np.load('$ids.npy')[0])" &&
			"$O/lt-run" q.lt -i i=i.npy -o rows-y.npy -q && python3 - "$axis" "$bits" "$kept" <<'END' || return 1
import json, sys
import numpy as np
axis, bits, kept = map(int, sys.argv[1:])
with open('r.json') as f:
    r = json.load(f)
with open('q.safetensors', 'rb') as f:
    raw = f.read()
held = json.loads(raw[8:8 + int.from_bytes(raw[:8], 'little')])
sizes = {k: v['data_offsets'][1] - v['data_offsets'][0] for k, v in held.items() if k != '__metadata__'}
assert r['constants'] + r['other_constants'] == sum(sizes.values()) == 54 * bits // 8 + kept, (r, sizes)
(cell,) = r['cells']
assert cell['bits'] == bits, cell
w = np.load('e.npz')
e = w['e'].astype('d')
step = 2.0 ** cell['exponent']
q = np.clip(np.floor(e / step + 0.5), -2 ** (bits - 1), 2 ** (bits - 1) - 1) * step
h = np.take(q, np.load('i.npy'), axis).reshape(-1, 6) @ q.T + w['bias']
if kept > 36:
    h = h + (e * h.max()).max(1)
y = np.load('rows-y.npy')
assert y.shape == h.shape and abs(y - h).max() < 1e-5 * (1 + abs(h).max()), (y, h)
END
	done <<'END'
0 ids 8 36 3
0 ids 4 36 3
1 twice 4 36 2
0 ids 4 252 3
END
}
check "--mode weights: a tied embedding is kept once, and what stays floats is counted" tied

# The first round of a recurrent cell multiplies a state that is known: what comes of it is stored, or is a number, and
# the floats of the matrix are not.  NumPy finds the result with the integers that the others multiply by.
first_round() {
	python3 - <<'END'
import numpy as np
rng = np.random.default_rng(5)
w, u, h = (rng.normal(size=s).astype('f') / 2 for s in ((3, 6), (6, 6), (1, 6)))
np.savez('zeros.npz', w=w, u=u)
np.savez('values.npz', w=w, u=u, h=h)
np.save('steps.npy', rng.normal(size=(20, 4, 1, 3)).astype('f'))
END
	local mode state kept more h
	# Bytes of what stays floats, and what is added to the result: with u, which a value is multiplied by, h is kept, too.
	while read -r mode state kept more; do
		h='FullNode(float32, [1, 6], 0)'
		[ $state = zeros ] || h='ConstantTensor(h, float32, [1, 6])'
		cat >cell.lt <<END
x = InputTensor(x, float32, [4, 1, 3]); h = $h;
w = ConstantTensor(w, float32, [3, 6]); u = ConstantTensor(u, float32, [6, 6]);
repeat t in 0..4 { h = TanhNode(x[t] @ w + h @ u); }
result y = h$more;
END
		fresh && "$O/lt-quantize" cell.lt -w $state.npz --data steps.npy -o q.lt --mode "$mode" --bits 8 --metric error \
			--loss 100 --time 0.001 --report r.json -q && python3 -c "
import numpy as np
np.save('step.npy', np.load('steps.npy')[0])" && "$O/lt-run" q.lt -i x=step.npy -o cell-y.npy -q &&
			python3 - "$mode" "$kept" "$state" "$more" <<'END' || return 1
import json, sys
import numpy as np
mode, kept, state, more = sys.argv[1:]
with open('r.json') as f:
    r = json.load(f)
with open('q.safetensors', 'rb') as f:
    raw = f.read()
held = json.loads(raw[8:8 + int.from_bytes(raw[:8], 'little')])
sizes = {k: v['data_offsets'][1] - v['data_offsets'][0] for k, v in held.items() if k != '__metadata__'}
assert r['other_constants'] == int(kept) and sum(sizes.values()) == 3 * 6 + 6 * 6 + int(kept), (r, sizes)
t = {k: v.astype('d') for k, v in np.load(state + '.npz').items()}
q = {}
for c in r['cells']:
    step = 2.0 ** c['exponent']
    q[c['name']] = np.clip(np.floor(t[c['name']] / step + 0.5), -128, 127) * step
x = np.load('step.npy').astype('d')
h = t.get('h', np.zeros((1, 6)))
# Of --mode dynamic what is multiplied is rounded, too, by half of 1/127 of its largest number: of sums that is, by
# channel, at most so much times its weights; tanh has a slope of 1 at most.
most = 0
for i in range(4):
    off = 1e-6
    if mode == 'dynamic':
        off += abs(x[i]).max() / 254 * abs(q['w']).sum(0).max() + (abs(q['u']).sum(0).max() / 254 if i else 0)
    most = most * abs(q['u']).sum(0).max() + off
    h = np.tanh(x[i] @ q['w'] + h @ (q['u'] if i else t['u']))
if more:
    most *= 1 + abs(t['u']).max()
    h = h + (t['u'] * (h.max() if 'u *' in more else 1)).max(0)
y = np.load('cell-y.npy')
assert y.shape == h.shape and abs(y - h).max() < most, (y, h, most)
END
	done <<'END'
weights zeros 0
weights values 24
weights values 48 + ReduceMaxNode(u, [0], 0)
weights values 168 + ReduceMaxNode(u * ReduceMaxNode(h, [0, 1], 1), [0], 0)
dynamic zeros 0
dynamic values 24
END
}
check "--mode weights: what a cell's first round multiplies is not kept a second time" first_round

# The bounds hold, and less room is not better.
bounded() {
	fresh && quantize --labels y.npy --loss 100 --flash 24 >said && cat said && grep -q 'constants 24 bytes' said &&
		fresh && quantize --metric error --loss 100 --bits 16 >said && cat said && grep -q 'constants 48 bytes' said
}
check "--flash bounds the constants" bounded

# -- what is told --

# -v says each candidate, of which later ones are no better; the help says so.
told() {
	fresh && quantize --bits 8 --metric error --loss 100 -v >said 2>&1 && cat said &&
		[ "$(grep -c '^candidate [0-9]* (' said)" = "$(sed -n 's/^\([0-9]*\) candidates* tried.*/\1/p' said)" ] &&
		[ "$(grep -c '^candidate' said)" -gt 1 ] && "$O/lt-quantize" --help | grep -A1 -e --verbose | tr -s ' \n' ' ' |
		grep -q 'each candidate that is tried'
}
check "-v says each candidate that is tried" told

reported() {
	fresh && quantize --labels y.npy --loss 100 --report r.json --page 'r.html' -q && python3 - <<'END'
import json, re
import numpy as np
with open('r.json') as f:
    r = json.load(f)
x, w = np.load('x.npy').astype('d'), np.load('w.npz')['w'].astype('d')
cells = {c['name']: c for c in r['cells']}
assert abs(cells['x']['low'] - x.min()) < 1e-6 and abs(cells['x']['high'] - x.max()) < 1e-6, cells['x']
assert abs(cells['w']['low'] - w.min()) < 1e-6 and abs(cells['w']['high'] - w.max()) < 1e-6, cells['w']
assert r['metric'] == 'accuracy' and r['rows'] == 20 and r['evaluations'] == r['compared'] == 10
y = np.load('y.npy')
assert abs(r['floats'] - 100 * ((x @ w).argmax(1) == y).mean()) < 1e-6
def step(c):
    return 2.0 ** c['exponent']
def integers(v, c):
    return np.clip(np.floor(v / step(c) + 0.5), c['least'] / step(c), c['most'] / step(c))
qx, qw = integers(x, cells['x']), integers(w, cells['w'])
assert abs(r['integers'] - 100 * ((qx @ qw).argmax(1) == y).mean()) < 1e-6
# No input may have a sum that is not between its ends, and they are not much further away than that.
top = np.where(qw > 0, cells['x']['most'], cells['x']['least']) / step(cells['x'])
most = (top * qw).sum(0).max()
(s,) = r['sums']
assert most <= s["most"] <= most + 6 * 255, (most, s)
assert r['tried'][0]['possible'] and r['loss'] == min(t['loss'] for t in r['tried'])
assert r['constants'] == 24 and cells['w']['bytes'] == 24 and 'without code' in r['counted']
with open('r.html') as f:
    page = f.read()
assert page.count('<svg') == 1 + len(cells) - 1 and 'http' not in page
assert all('<td>%s</td>' % n in page for n in ('x', 'w')) and 'lt-build says what a target takes' in page
END
}
check "the report has what numpy finds, and the page a plot for each" reported
# The last rows are in no range and no candidate: what numpy finds there, of 3 evaluations of 10.
held_out() {
	fresh && data=held.npy quantize --labels y.npy --loss 100 --hold-out 30 --report r.json --page r.html \
		--data-out xq.npy >said && cat said && python3 - <<'END'
import json, re
import numpy as np
with open('r.json') as f:
    r = json.load(f)
x, w, y = np.load('held.npy').astype('d'), np.load('w.npz')['w'].astype('d'), np.load('y.npy')
cells = {c['name']: c for c in r['cells']}
assert abs(x[14:]).max() > 2 * abs(x[:14]).max()
assert abs(cells['x']['low'] - x[:14].min()) < 1e-6 and abs(cells['x']['high'] - x[:14].max()) < 1e-6, cells['x']
def integers(v, c):
    step = 2.0 ** c['exponent']
    return np.clip(np.floor(v / step + 0.5), c['least'] / step, c['most'] / step)
q = integers(x, cells['x']) @ integers(w, cells['w'])
def right(z, rows):
    return 100 * (z[rows].argmax(1) == y[rows]).mean()
seen, held, h = slice(0, 14), slice(14, 20), r['held_out']
assert r['rows'] == 14 and abs(r['floats'] - right(x @ w, seen)) < 1e-6 and abs(r['integers'] - right(q, seen)) < 1e-6
assert h['rows'] == 6 and abs(h['floats'] - right(x @ w, held)) < 1e-6 and abs(h['integers'] - right(q, held)) < 1e-6
assert abs(h['loss'] - (h['floats'] - h['integers'])) < 1e-6
real, step = (x @ w)[held], 2.0 ** (cells['x']['exponent'] + cells['w']['exponent'])
assert abs(h['distance'] - np.sqrt(((q[held] * step - real) ** 2).sum() / (real ** 2).sum())) < 1e-6
with open('said') as f:
    said = re.search(r'held out: ([\d.]+) %, of the floats ([\d.]+) % \(6 rows\)', f.read())
assert abs(float(said[1]) - h['integers']) < 0.01 and abs(float(said[2]) - h['floats']) < 0.01
assert (np.load('xq.npy') == integers(x, cells['x'])).all()
with open('r.html') as f:
    assert 'held out' in f.read()
END
}
python3 -c "
import numpy as np
x = np.load('x.npy')
x[14:] *= 8
np.save('held.npy', x)"
check "what is held out is judged, and in no range" held_out
python3 -c "import numpy as np; np.save('two.npy', np.load('x.npy')[:2])"
data=two.npy check "nothing to hold out" refuses '--hold-out 30: the data is one evaluation' --hold-out 30
check "a label of what is held out that is no class" refuses 'the label of row 19 is 7' --labels far.npy --hold-out 30
check "a report is not written over the data" says 2 'x.npy' "$O/lt-quantize" net.lt --data x.npy -w w.npz -o q.lt \
	--report x.npy

cp y.npy same.npy
# kept TEXT ARGUMENTS...: refused, and the labels are as they were.
kept() { refuses "$@" && cmp y.npy same.npy; }
check "a report is not written over the labels" kept 'y.npy' --labels y.npy --report y.npy
data=x=x.npy check "a report is not written over data with a name" refuses 'x.npy would be written over' --report x.npy
check "one name for the script and the report" refuses 'written twice, for the script (-o) and for --report' \
	--report ./q.lt
check "one name for the weights and the data" refuses '.safetensors' --data-out q.safetensors
check "one name for the weights and the page" refuses 'its weights and for --page' --page q.safetensors
check "one name for the report and the page" refuses 'for --report and for --page' --report r.x --page "$PWD/r.x"

# Ctrl-C: the best so far is written whole, and the process ends by the signal.
interrupted() {
	fresh
	python3 -c "import numpy as np; np.save('many.npy', np.random.default_rng(1).normal(size=(20000, 6)).astype('f'))"
	set -m
	"$O/lt-quantize" net.lt -w w.npz --data many.npy -o q.lt --metric error --loss 100 --bits 8 --time 600 -v \
		>said 2>&1 &
	local pid=$! i
	set +m
	for i in $(seq 300); do grep -q 'candidate 2' said && break; sleep 0.02; done
	kill -INT $pid
	wait $pid
	i=$?
	cat said
	# It may have come to its end before, or to what is written then.
	[ $i = 130 ] || [ $i = 0 ] || return 1
	"$O/lt-run" q.lt -i x=1 -q
}
check "an interrupt ends the search, and the best is written" interrupted
# So it is if a candidate is running, which is given up: one that takes half a second is stopped in its midst.
interrupted_inside() {
	local pid i
	fresh
	python3 - <<'PY'
import numpy as np
rng = np.random.default_rng(2)
np.savez('deep.npz', a=rng.normal(size=(6, 192)).astype('f'), b=rng.normal(size=(192, 192)).astype('f') / 14,
         c=rng.normal(size=(192, 4)).astype('f'))
np.save('deep.npy', rng.normal(size=(60000, 6)).astype('f'))
PY
	echo 'x = InputTensor(x, float32, [2, 6]); h = ReLUNode(x @ ConstantTensor(a, float32, [6, 192]));
b = ConstantTensor(b, float32, [192, 192]);
repeat i in 0..3 { h = ReLUNode(h @ b); }
result = h @ ConstantTensor(c, float32, [192, 4]);' >deep.lt
	set -m
	"$O/lt-quantize" deep.lt -w deep.npz --data deep.npy -o q.lt --metric error --loss 100 --bits 8 --time 600 -v \
		--threads 1 >said 2>&1 &
	pid=$!
	set +m
	for i in $(seq 600); do grep -q 'candidate 2' said && break; sleep 0.05; done
	sleep 0.1
	kill -INT $pid
	wait $pid
	i=$?
	cat said
	[ $i = 130 ] && grep -q 'interrupted: the best of [0-9]* candidates is written' said &&
		"$O/lt-run" q.lt -i x=1 -q
}
check "an interrupt inside a candidate keeps the best before it" interrupted_inside
# One that is too bad is refused, which says why there was no better one.
interrupted_early() {
	local pid i
	fresh
	set -m
	"$O/lt-quantize" net.lt -w w.npz --data many.npy -o q.lt --metric error --loss 0 --bits 8 --time 600 -v >said 2>&1 &
	pid=$!
	set +m
	for i in $(seq 300); do grep -q 'candidate 2' said && break; sleep 0.02; done
	kill -INT $pid
	wait $pid
	cat said
	[ -e q.lt ] && return 1
	# It may have come to its end before.
	grep -q 'interrupted: the best of' said || ! grep -q -i interrupt said
}
check "an interrupted search that has found nothing says so" interrupted_early

# With --target a compiler may be at work for the best one when the signal comes: it is still built, and written if it
# has room.  Before that, and by a second signal, all ends at once, and nothing is left: no folder, and no process that
# works in one.
cat >slow-gcc <<'END'
#!/bin/sh
# A compiler that says in a file which function it compiles, and takes its time for the n-th.
case " $* " in
*" -c "*/quantized.c*)
	n=$(($(cat n) + 1))
	echo $n >n
	[ $n != "$(cat slow)" ] || { touch at; sleep 1; } ;;
esac
exec "$REAL" "$@"
END
chmod +x slow-gcc
# interrupted_target CODE BUILD SIGNALS: while the compiler is at work for the first (lt-build is tried) or
# the second (the best candidate) time.
interrupted_target() {
	local code=$1 build=$2 signals=$3 pid i s
	fresh && rm -rf bin temporary at && mkdir bin temporary && ln -s ../slow-gcc "bin/${cross}gcc" && echo 0 >n &&
		echo "$build" >slow || return 1
	set -m
	REAL=$(command -v "${cross}gcc") PATH=$PWD/bin:$PATH TMPDIR=$PWD/temporary "$O/lt-quantize" net.lt -w w.npz \
		--data x.npy -o q.lt --metric error --loss 100 --bits 8 --target "$chip" >said 2>&1 &
	pid=$!
	set +m
	for i in $(seq 1500); do [ -e at ] && break; sleep 0.02; done
	for s in $signals; do
		case $s in group) kill -INT -- "-$pid" ;; *) kill "-$s" $pid ;; esac
		sleep 0.1
	done
	wait $pid
	i=$?
	cat said
	[ $i = "$code" ] && [ -z "$(ls temporary)" ] && ! grep -lzas "^TMPDIR=$PWD/temporary/" /proc/[0-9]*/environ || return 1
	if [ "$build $signals" = "2 ${signals% *}" ]; then
		grep -q 'interrupted: the best of [0-9]* candidate' said && "$O/lt-run" q.lt -i x=1 -q &&
			grep -q 'bytes of flash and .* bytes of RAM' said
	else
		[ ! -e q.lt ] && [ ! -e q.safetensors ]
	fi
}
case "$targets" in
cortex-m3*) chip=cortex-m3 cross=arm-none-eabi- ;;
*avr5) chip=avr5 cross=avr- ;;
*) chip= ;;
esac
if [ -n "$chip" ]; then
	check "--target: an interrupt keeps the best one, which is built" interrupted_target 130 2 INT
	check "... as one of the whole group does, and SIGTERM" eval 'interrupted_target 130 2 group &&
		interrupted_target 143 2 TERM'
	check "... a second one ends it at once, and leaves nothing" interrupted_target 130 2 'INT INT'
	check "... so does one before there is a candidate" interrupted_target 130 1 INT
else
	echo "ok - --target: interrupts # SKIP scripts/setup.sh micro installs what runs it"
fi

# A model of ONNX: a convolution, its batch normalisation, a pool, tanh, a layer, softmax.
onnx_model() {
	python3 - <<'END' || return 1
import numpy as np, onnx
from onnx import helper as h, numpy_helper as nh
rng = np.random.default_rng(3)
w = {'w': rng.normal(size=(3, 2, 3, 3)), 's': rng.uniform(0.5, 2, 3), 'o': rng.normal(size=3), 'm': rng.normal(size=3),
     'v': rng.uniform(0.5, 2, 3), 'd': rng.normal(size=(27, 4)), 'e': rng.normal(size=4)}
nodes = [h.make_node('Conv', ['x', 'w'], ['a'], pads=[1, 1, 1, 1]),
         h.make_node('BatchNormalization', ['a', 's', 'o', 'm', 'v'], ['b']),
         h.make_node('MaxPool', ['b'], ['c'], kernel_shape=[2, 2], strides=[2, 2]), h.make_node('Tanh', ['c'], ['f']),
         h.make_node('Flatten', ['f'], ['g']), h.make_node('Gemm', ['g', 'd', 'e'], ['y']),
         h.make_node('Softmax', ['y'], ['p'], axis=1)]
info = h.make_tensor_value_info
g = h.make_graph(nodes, 'net', [info('x', 1, ['n', 2, 6, 6])], [info('y', 1, ['n', 4]), info('p', 1, ['n', 4])],
                 [nh.from_array(v.astype('f'), k) for k, v in w.items()])
m = h.make_model(g, opset_imports=[h.make_opsetid('', 17)])
m.ir_version = 9
onnx.save(m, 'net.onnx')
np.save('images.npy', rng.normal(size=(40, 2, 6, 6)).astype('f'))
END
	fresh && "$O/lt-quantize" net.onnx --dim n=1 --data images.npy -o q.lt --bits 16 --metric error >said && cat said &&
		python3 -c "
import re
assert float(re.search(r'floats: ([\d.]+) %', open('said').read())[1]) > 99.5" &&
		"$O/lt-run" q.lt -i x=random --verify -q
}
# The ways out are this tool's: onnx_model follows the first.
open_extent() {
	says 2 "'n', is not said, and all runs have to have the same extents here: --dim n=8 fixes it" \
		"$O/lt-quantize" net.onnx --data images.npy -o open.lt && ! grep -e '-i ' -e '1[.][.]' said && ! [ -e open.lt ] &&
		says 2 '--dim n=1..4: all runs have to have the same extents here: --dim n=4 fixes it' \
			"$O/lt-quantize" net.onnx --dim n=1..4 --data images.npy -o open.lt && ! [ -e open.lt ]
}
# Quantised models that cannot be: a sentence with the place, and no file.
refused_models() {
	python3 - <<'END' || return 1
import numpy as np, onnx
from onnx import helper as h, numpy_helper as nh
info = h.make_tensor_value_info
def write(name, scale, zero, inputs=('x', 's', 'z')):
    held = [nh.from_array(v, k) for k, v in (('s', scale), ('z', zero)) if v is not None]
    g = h.make_graph([h.make_node('DequantizeLinear', inputs, ['y'], name='node_' + name)], 'g', [info('x', 3, [4])],
                     [info('y', 1, [4])], held)
    m = h.make_model(g, opset_imports=[h.make_opsetid('', 17)])
    m.ir_version = 9
    onnx.save(m, 'bad-%s.onnx' % name)
f, z = np.float32, np.int8(0)
write('nought', f(0), z)
write('negative', f(-0.5), z)
write('nan', f('nan'), z)
write('infinite', f('inf'), z)
write('missing', None, z, ('x', '', 'z'))
write('type', f(1), np.uint8(0))
write('kind', np.int32(1), z)
write('shape', np.ones(3, f), z)
END
	local name text
	while read -r name text; do
		rm -f out.npy out.c
		says 2 "$text" "$O/lt-run" "bad-$name.onnx" -i x=iota -o out.npy -q && grep -q "node_$name\|bad-$name" said &&
			says 2 "$text" "$O/lt-build" "bad-$name.onnx" -o out.c -q && ! [ -e out.npy ] && ! [ -e out.c ] || return 1
	done <<'END'
nought is 0 at 0: it has to be above 0 and finite
negative is -0.5 at 0: it has to be above 0 and finite
nan is nan at 0: it has to be above 0 and finite
infinite is inf at 0: it has to be above 0 and finite
missing input 1 is missing
type they have to be of one type
kind has to be a float
shape axis 1 is outside of a value of rank 1
END
}
case ${DIRS-frontends/onnx} in
*frontends/onnx*)
	if python3 -c 'import onnx' 2>/dev/null; then
		check "a model of ONNX: convolution, batch normalisation, pool, tanh, softmax" onnx_model
		check "an extent that is not said" open_extent
		check "quantised models of ONNX whose scales or types cannot be" refused_models
	else
		echo "ok - a model of ONNX # SKIP there is no onnx for Python"
	fi ;;
esac

# What docs/quantize.md shows of microcontrollers, where the compiler is that of the page.
page_block() {
	awk '/^### For a microcontroller/ { on = 1 } on && /^```$/ { if (in_block++) exit; next } in_block' \
		"$here/docs/quantize.md" >"$to/block" && mkdir -p page/build && cd page && ln -sfn "$here/examples" examples &&
		ln -sfn "$O/lt-quantize" "$O/lt-build" build/ && "$O/mnist-draw" build/digits.npy build/labels.npy || return 1
	local line command
	while IFS= read -r line; do
		case $line in "$ "*) ;; *) continue ;; esac
		echo "$line"
		command=${line#??}
		while [[ $line == *\\ ]] && IFS= read -r line; do
			echo "$line"
			command+=$'\n'$line
		done
		eval "$command" 2>&1 | fold -s -w 118 | sed 's/ *$//'
	done <"$to/block" >"$to/shown"
	diff "$to/block" "$to/shown"
}
block_here() (page_block)
case "$targets $(arm-none-eabi-gcc -dumpversion 2>/dev/null) $(avr-gcc -dumpversion 2>/dev/null)" in
"cortex-m3 avr5 12.2"*" 5.4.0") check "what the page shows of microcontrollers" block_here ;;
*) echo "ok - what the page shows of microcontrollers # SKIP the compilers are not gcc 12.2 and avr-gcc 5.4" ;;
esac

# A program of SeeDot, whose data is beside it.
seedot() {
	mkdir -p sd && python3 - <<'END' || return 1
import numpy as np
r = np.random.default_rng(2)
np.save('sd/W.npy', r.uniform(-1, 1, (6, 4)).astype('f'))
np.save('sd/B.npy', r.uniform(-1, 1, (1, 4)).astype('f'))
np.save('sd/data.npy', r.uniform(-1, 1, (50, 1, 6)).astype('f'))
END
	echo 'let X = (1, 6) in [-1, 1] in let W = (6, 4) in [-1, 1] in let B = (1, 4) in [-1, 1] in
let H = tanh(X * W + B) in argmax(H)' >sd/net.sd
	fresh && "$O/lt-quantize" sd/net.sd --data sd/data.npy -o q.lt --loss 2 >said && cat said && grep -q '50 of 50' said
}
check "a program of SeeDot" seedot

# Two thousand images that the training has not seen.
mnist=${MNIST:-$here/../shared/data/mnist}
digits() {
	zcat "$mnist/t10k-images-idx3-ubyte.gz" >images && zcat "$mnist/t10k-labels-idx1-ubyte.gz" >labels &&
		python3 - <<'END' &&
import numpy as np
x = np.fromfile('images', np.uint8)[16:].reshape(-1, 28, 28)
y = np.fromfile('labels', np.uint8)[8:]
for name, at in (('data', slice(0, 1000)), ('test', slice(8000, 10000))):
    np.save(name + '.npy', (x[at] / np.float32(255)).astype('f'))
    np.save(name + '-labels.npy', y[at].astype(np.int64))
END
		"$O/lt-quantize" "$here/examples/mnist/mnist.lt" -w "$here/examples/mnist/weights.safetensors" --data data.npy \
			--labels data-labels.npy -o m.lt || return 1
	sed 's/\[20, /[2000, /g' m.lt >m2000.lt && cp m.safetensors m2000.safetensors &&
		python3 - "$O/lt-run" "$here/examples/mnist/weights.safetensors" <<'END'
import json, re, subprocess, sys
import numpy as np
x, y = np.load('test.npy'), np.load('test-labels.npy')
with open('m.lt') as f:
    step = float(re.search(r'MeansNode\(\$1, ([^)]+)\)', f.read())[1])
np.save('in.npy', np.clip(np.floor(x / step + 0.5), 0, 255).astype(np.uint8))
subprocess.check_call([sys.argv[1], 'm2000.lt', '-i', 'image=in.npy', '-o', 'out.npz', '-q'])
right = 100 * (np.load('out.npz')['result'].argmax(1) == y).mean()
with open(sys.argv[2], 'rb') as f:
    raw = f.read()
n = int.from_bytes(raw[:8], 'little')
w = {k: np.frombuffer(raw[8 + n:], '<f4')[v['data_offsets'][0] // 4:v['data_offsets'][1] // 4].reshape(v['shape'])
     for k, v in json.loads(raw[8:8 + n]).items()}
h = np.maximum(x.reshape(-1, 784) @ w['weight_0'] + w['bias_0'], 0)
floats = 100 * ((h @ w['weight_1'] + w['bias_1']).argmax(1) == y).mean()
print('accuracy on 2000 others: %.2f %%, of the floats %.2f %%' % (right, floats))
assert right >= floats - 0.5
END
}
if [ -r "$mnist/t10k-images-idx3-ubyte.gz" ]; then
	check "MNIST: at most half a point is lost on images that were not looked at" digits
else
	echo "ok - MNIST # SKIP its images are not there (MNIST=FOLDER names a place)"
fi
