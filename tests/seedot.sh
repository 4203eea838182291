#!/usr/bin/env bash
# tests/seedot.sh -- programs of SeeDot: what is refused of the files beside them.  With CHECK_MORE: CHECK_SEEDOT=500
# random programs over the whole grammar, as an interpreter in plain Python has them (tests/seedot/), of which
# tests/python/test_seedot.py runs a few; and CHECK_SEEDOT / 5 as SeeDot's own integers (lt-quantize --compat), of which
# a few are drawn always; SEEDOT_SEED.  What SeeDot's own library has computed (tests/seedot/vectors.py).  Prints TAP.
# Called with O.
set -u
: "${O:=build}"
to=$(mktemp -d)
trap 'rm -rf "$to"' EXIT
if [ -n "${CHECK_MORE-}" ]; then
	if ! python3 -c 'import numpy' 2>/dev/null; then
		echo "ok - programs of SeeDot # SKIP python3 or numpy is not installed"
		exit 0
	fi
	n=${CHECK_SEEDOT:-500} seed=${SEEDOT_SEED:-2}
	# shellcheck disable=SC2046 -- words
	python3 tests/seedot/draw.py "$n" "$seed" "$O/lt-run" ref $([ -e "$O/backends/llvm.so" ] && echo llvm)
	python3 tests/seedot/draw.py "$((n / 20))" "$seed" "$O/lt-run" cpu
	# shellcheck disable=SC2046 -- words
	python3 tests/seedot/draw_fixed.py "$((n / 5))" "$seed" "$O" ref $([ -e "$O/backends/llvm.so" ] && echo llvm)
	python3 tests/seedot/draw_fixed.py "$((n / 50))" "$((seed + 1))" "$O" sim cpu
	exit 0
fi
if python3 -c 'import numpy' 2>/dev/null; then
	python3 tests/seedot/vectors.py
	python3 tests/seedot/draw_fixed.py 12 "${SEEDOT_SEED:-1}" "$O" ref
else
	echo "ok - SeeDot's own integers # SKIP python3 or numpy is not installed"
fi

# -- files of numbers --

# A .npy of version 1.0: header NAME TYPE SHAPE, whose data are standard input.
npy() {
	local text="{'descr': '$1', 'fortran_order': False, 'shape': $2, }"
	while [ $(((${#text} + 11) % 64)) != 0 ]; do text="$text "; done
	printf '\x93NUMPY\x01\x00'
	# shellcheck disable=SC2059 -- a byte
	printf "\\x$(printf %x $((${#text} + 1)))\\x00"
	printf '%s\n' "$text"
	cat
}
cat >"$to/m.sd" <<'END'
let W = (2, 1) in [-1.0, 1.25] in
let X = (1, 2) in [-1, 1] in
X * W
END
# expect NAME TEXT: lt-run answers 2 and says the text.
expect() {
	local said code
	said=$("$O/lt-run" "$to/m.sd" -i X=ones 2>&1)
	code=$?
	if [ "$code" = "${3:-2}" ] && [[ $said == *"$2"* ]]; then
		echo "ok - numbers of a name: $1"
	else
		echo "not ok - numbers of a name: $1"
		echo "$said (exit code $code)" >&2
	fi
}
expect "no file" "m.sd:1:9: the numbers of 'W' are to be in $to/W.npy, which cannot be opened: No such file"
expect "... and what else gives it" "; --fix W=FILE.npy names another file, and an input is called X"
printf '\x00\x00\x80\x3e\x00\x00\x00\x3f' | npy '<f4' '(2, 1)' >"$to/W.npy"
expect "floats" "[[0.75]]" 0
printf '\x3e\x80\x00\x00\x3f\x00\x00\x00' | npy '>f4' '(2, 1)' >"$to/W.npy"
expect "floats of another byte order" "[[0.75]]" 0
printf '\x01\xff' | npy '|i1' '(2, 1)' >"$to/W.npy"
expect "integers" "[[0.]]" 0
printf '\x01\xff' | npy '|O' '(2, 1)' >"$to/W.npy"
expect "a type that there is not" "m.sd:1:9: the numbers of 'W': $to/W.npy: holds elements of type '|O'"
printf '\x01\xff' | npy '|i1' '(2, 1' >"$to/W.npy"
expect "a header that does not end" "m.sd:1:9: the numbers of 'W': $to/W.npy: "
expect_shape() { printf '\x01\xff' | npy '|i1' "$1" >"$to/W.npy"; expect "shape $1" "$2"; }
expect_shape '(2,)' "m.sd:1:9: 'W' is declared as (2, 1), and $to/W.npy has (2)"
expect_shape '(1, 2)' "m.sd:1:9: 'W' is declared as (2, 1), and $to/W.npy has (1, 2)"
expect_shape '()' "'W' is declared as (2, 1), and $to/W.npy has one number without axes"
printf '\x01\xff\x00' | npy '|i1' '(2, 1)' >"$to/W.npy"
expect "too long" "m.sd:1:9: $to/W.npy has 3 bytes after its header, and (2, 1) of int8 takes 1 each"
printf '\x00\x00\x80\x3e\x00\x00\xc0\x7f' | npy '<f4' '(2, 1)' >"$to/W.npy"
expect "NaN" "m.sd:1:9: element 1 of 'W' in $to/W.npy is nan, which is no finite float"
printf '\x00\x00\x80\x3e\x00\x00\x80\xff' | npy '<f4' '(2, 1)' >"$to/W.npy"
expect "infinity" "element 1 of 'W' in $to/W.npy is -inf, which is no finite float"
# 1.2549 and 1.256
printf '\x00\x00\x80\x3e\x93\xa0\xa0\x3f' | npy '<f4' '(2, 1)' >"$to/W.npy"
expect "within the last decimal of a bound" "[[1.504" 0
printf '\x00\x00\x80\x3e\x9b\xc4\xa0\x3f' | npy '<f4' '(2, 1)' >"$to/W.npy"
expect "outside of the range" "m.sd:1:9: element 1 of 'W' in $to/W.npy is 1.256, outside of its range [-1, 1.25]"
printf 'abc' >"$to/W.npy"
expect "no .npy" "m.sd:1:9: the numbers of 'W': $to/W.npy: is too short for a .npy file (3 bytes)"
rm "$to/W.npy"; mkdir "$to/W.npy"
expect "a folder" "m.sd:1:9: the numbers of 'W' are to be in $to/W.npy, which is no file"
rmdir "$to/W.npy"

# -- SeeDot's own integers: what is refused --

printf '\x00\x00\x80\x3e\x00\x00\x00\x3f' | npy '<f4' '(2, 1)' >"$to/W.npy"
printf '\x00\x00\x80\x3e\x00\x00\x00\x3f\x00\x00\x80\xbe\x00\x00\x00\x3f' | npy '<f4' '(2, 1, 2)' >"$to/x.npy"
printf '\x00\x00\x80\x3e\x00\x00\xc0\x7f' | npy '<f4' '(1, 1, 2)' >"$to/nan.npy"
printf '\x00\x00\xc8\x42\x00\x00\xc8\x42' | npy '<f4' '(1, 1, 2)' >"$to/hundred.npy"
# refuses NAME TEXT PROGRAM [OPTION..]: lt-quantize answers 1 or 2, says the text, and writes nothing.
refuses() {
	local name=$1 text=$2 said code
	printf '%s\n' "$3" >"$to/c.sd"
	shift 3
	said=$("$O/lt-quantize" "$to/c.sd" --data "$to/${data-x}.npy" --compat shiftry -b ref --metric error \
		-o "$to/c.lt" "$@" 2>&1)
	code=$?
	if [[ $code == [12] && $said == *"$text"* && ! -e $to/c.lt ]]; then
		echo "ok - SeeDot's integers: $name"
	else
		echo "not ok - SeeDot's integers: $name"
		echo "$said (exit code $code)" >&2
	fi
	rm -f "$to/c.lt"
}
declared='let W = (2, 1) in [-1, 1] in let X = (1, 2) in [-1, 1] in '
refuses "a mode" "--mode does not go with --compat" "$declared X * W" --mode weights
refuses "steps by channel" "--per-channel does not go with --compat" "$declared X * W" --per-channel
refuses "4 bits" "--bits 4 does not go with --compat, whose integers have 8 or 16 bits" "$declared X * W" --bits 4
refuses "weights of another file" "--weights does not go with --compat" "$declared X * W" -w "$to/x.npz"
refuses "SeeDot of 8 bits" "--bits 8 does not go with --compat seedot" "$declared X * W" --compat seedot --bits 8
data=nan refuses "NaN in the data" "nan.npy: row 0, number 1 is nan" "$declared X * W"
refuses "a comparison with 1" "c.sd:1:63: SeeDot's integers are compared with 0 alone" "$declared (X * W >= 1 ? X : X)"
data=hundred refuses "a value that overflows" "c.sd:1:68: row 0 of the data makes 'Y' inf" \
	"$declared let Y = exp(X) in relu(-Y)"
refuses "mbconv of SeeDot" "mbconv takes scales from ranges" "$declared let T = reshape(X, (1, 1, 1, 2), (1, 2)) in
mbconv(T, [init([1, 1, 1, 2, 1], 1.0), init([1], 1.0), init([1], 1.0)], [init([1, 1, 1, 1, 1], 1.0), init([1], 1.0),
init([1], 1.0)], [init([1, 1, 1, 1, 1], 1.0), init([1], 1.0), init([1], 1.0)], {s 1 1}, {p 0 0 0 0})" --compat seedot
echo 'result = InputTensor(x, float32, [2]);' >"$to/c.sd.lt"
said=$("$O/lt-quantize" "$to/c.sd.lt" --data "$to/x.npy" --compat seedot -o "$to/c.lt" 2>&1)
if [ $? = 2 ] && [[ $said == *"--compat is for programs of SeeDot (.sd), which "* ]]; then
	echo "ok - SeeDot's integers: of a script"
else
	echo "not ok - SeeDot's integers: of a script"
	echo "$said" >&2
fi
