#!/usr/bin/env bash
# tests/standalone.sh [PART...] -- lt-build: each example as a program and as C99, by gcc and clang, judged by lt-build
# itself and compared with the backend ref; what the texts may not have (warnings, allocations, names of others);
# threads; planted faults; other machines, WebAssembly among them; what is refused.  Prints TAP.  With CHECK_MORE, what
# shows the same once more: other forms and trees of a model, more models on another machine.
set -u
: "${O:=build}"
case $O in /*) ;; *) O=$PWD/$O ;; esac
to=$(mktemp -d)
trap 'rm -rf "$to"' EXIT
unset CC

# What shows a behaviour (try) is for `make check`; what shows it on one more model or machine (again) is for `make
# check-more`, and nothing else.
attempt() {
	local name=$1
	shift
	if "$@" >&2; then echo "ok - $name"; else echo "not ok - $name"; fi
}
try() { [ -n "${CHECK_MORE-}" ] || attempt "$@"; }
again() { [ -z "${CHECK_MORE-}" ] || attempt "$@"; }
build() { "$O/lt-build" "$@"; }
# What is about files, words and names is as right without the compiler's optimiser, which takes most of the time.
quick() { build --debug "$@"; }
# says CODE TEXT COMMAND...: its exit code is CODE, and it says TEXT.
says() {
	local want=$1 text=$2 code
	shift 2
	"$@" >"$to/said" 2>&1
	code=$?
	cat "$to/said"
	[ $code = "$want" ] && grep -qF -- "$text" "$to/said"
}
compilers=gcc
command -v clang >/dev/null && compilers="gcc clang"
# copy NAME TYPE SHAPE: a script that hands its input on, with which lt-run makes files.
copy() { printf '%s\n' "\$1 = InputTensor(x, $2, $3);" 'result = $1;' >"$to/$1.lt"; }
file() {
	local name=$1
	shift
	copy "$name" "$1" "$2" && "$O/lt-run" "$to/$name.lt" -b ref -i "x=$3" -o "$to/$name.npy" -q
}

# -- examples, in turn as a program of gcc's and as C99 of the last compiler's; texts --

quiet_text() {
	local flags=$1 text compiler bad=0
	shift
	for text in "$@"; do
		for compiler in $compilers; do
			$compiler $flags -Wall -Wextra -Werror -fsyntax-only "$text" -I "$to" || bad=1
		done
	done
	return $bad
}
gnu_texts() {
	build examples/attention.lt -o "$to/attention.c" --main -q --no-verify &&
	build examples/mlp.lt -c '*=random' -o "$to/mlp.c" --data incbin --main -q --no-verify &&
	quiet_text "-std=gnu11 -march=native" "$to"/attention*.c "$to"/mlp*.c
}
examples() {
	local n=0 script options done=' ' how forms form form_of
	set -f
	while read -r script options; do
		[[ $script =~ stories ]] && continue            # it takes a minute
		options=${options/ -n [0-9]/}
		n=$((n + 1)) how=try forms=program
		[[ "$script $options" =~ hamkaas|--schedule ]] ||       # hamkaas: a million numbers as text
			{ [ $((n % 2)) = 0 ] || forms=C99; [[ ! $script =~ mlp|mnist|cache|softmax ]] || forms="$forms other"; }
		# A model once, of those that are much alike one; then its other form, other trees and other numbers of it.
		[[ "$done" != *" $script "* && ! $script =~ hamkaas-mnist|gru|decode ]] || how=again
		# Of the cases, which are there for each backend, a sixth, and those without the optimiser.
		form_of=build
		[[ $script != tests/cases/* ]] || { [ -n "${CHECK_MORE-}" ] || form_of=quick; [ $((n % 6)) = 0 ] || how=again; }
		done+="$script "
		for form in $forms; do
			[ $form != other ] || { how=again; [ $((n % 2)) = 0 ] && form=C99 || form=program; }
			case $form in
			program) $how "$script $n as a program" $form_of "$script" $options -o "$to/program" -q ;;
			C99) $how "$script $n as C99" \
				$form_of "$script" $options -o "$to/model$n.c" --emit c99 --main -q --cc "${compilers##* }" ;;
			esac
		done
	done < <(grep -v '^#' tests/examples.txt)
	set +f
	attempt "C99 without a warning" quiet_text "-std=c99 -pedantic" "$to"/model*.c
	try "C of gcc and clang without a warning" gnu_texts
}

# -- against the backend ref, without the judge; what is in a library --

same_as_ref() {
	file x float32 '[2, 3]' iota && "$O/lt-run" examples/first.lt -b ref -i x=iota -c w=iota -o "$to/want.npy" -q &&
	build examples/first.lt -c w=iota -o "$to/first" --no-verify -q &&
	"$to/first" "$to/x.npy" "$to/got.npy" && cmp "$to/want.npy" "$to/got.npy" &&
	quick "$to/x.lt" -o "$to/copied" -q && "$to/copied" "$to/x.npy" "$to/got.npy" && cmp "$to/x.npy" "$to/got.npy" &&
	"$to/copied" "result=$to/named.npy" "x=$to/x.npy" && cmp "$to/x.npy" "$to/named.npy"
}
# A state in a file is as one that is kept: three runs of a process each, and three of one.
sum_script() {
	printf '%s\n' '$1 = InputTensor(x, float32, [4]);' '$2 = BufferTensor(sum, float32, [4]);' '$3 = SumNode($1, $2);' \
		'$4 = ConstantTensor(begin, int64, [1]);' '$5 = ConstantTensor(end, int64, [1]);' \
		'$6 = ReplaceSliceNode($2, $3, $4, $5);' 'result = $6;' >"$to/sum.lt"
}
states() {
	sum_script && file four float32 '[4]' iota &&
	"$O/lt-run" "$to/sum.lt" -b ref -i x=iota -c begin=0 -c end=4 -n 3 -o "$to/want.npy" -q &&
	quick "$to/sum.lt" -c begin=0 -c end=4 -o "$to/sum" -q &&
	for i in 1 2 3; do "$to/sum" "$to/four.npy" "$to/got.npy" "sum=$to/state.npy" || return; done &&
	cmp "$to/want.npy" "$to/got.npy" && cmp "$to/want.npy" "$to/state.npy" &&
	"$to/sum" --runs 3 "$to/four.npy" "$to/got.npy" && cmp "$to/want.npy" "$to/got.npy" &&
	quick "$to/sum.lt" -c begin=0 -c end=4 -o "$to/sum" --workspace given --emit c99 -q &&
	"$to/sum" --runs 3 "$to/four.npy" "$to/got.npy" && cmp "$to/want.npy" "$to/got.npy"
}
names() {
	local got
	quick examples/mlp.lt -c '*=random:1' -o "$to/mlp.a" -q && quick examples/mlp.lt -c '*=random:1' -o "$to/mlp.so" -q &&
	got=$(nm -D --defined-only "$to/mlp.so" | awk '{ print $3 }') && [ "$got" = mlp ] &&
	! nm -u "$to/mlp.a" | grep -E 'alloc|free|mmap|sbrk|lt_'
}
# Arrays and bytes of a file are the same numbers.
both_data() {
	file rows48 float32 '[48, 64]' random:5 &&
	build examples/mlp.lt -c '*=random:1' -o "$to/arrays" --data array -q &&
	build examples/mlp.lt -c '*=random:1' -o "$to/incbin" --data incbin -q &&
	"$to/arrays" "$to/rows48.npy" "$to/one.npy" && "$to/incbin" "$to/rows48.npy" "$to/two.npy" &&
	cmp "$to/one.npy" "$to/two.npy"
}
# Steps of a repeat are a loop: as many launches are written for 80 of them as for 40.  An index of a later one that is
# out of range is said by its place alone.
rounds_script() {
	printf '%s\n' "ids = InputTensor(ids, int64, [$1]);" 'table = ConstantTensor(table, float32, [60, 8]);' \
		'u = ConstantTensor(u, float32, [8, 8]);' 'h = InputTensor(h, float32, [1, 8]);' "repeat t in 0..$1 {" \
		'	xt = ReshapeNode(GatherNode(table, ids[t]), [1, 8]);' '	h = TanhNode(h @ u + xt);' '}' 'result y = h;' \
		>"$to/rounds.lt"
}
rounds() {
	local form n launches
	file h float32 '[1, 8]' random:3 && file ids int64 '[80]' iota && mv "$to/ids.npy" "$to/late.npy" || return
	for form in c c99; do
		launches=
		for n in 40 80; do
			rounds_script $n &&
			quick "$to/rounds.lt" -c '*=random' -o "$to/rounds.c" --emit $form --main --data array &&
			grep -q 'for (int64_t round = 0; round < ' "$to/rounds.c" || return
			launches="$launches $(grep -c '_entry(slot' "$to/rounds.c")"
		done
		[ "${launches% *}" = " ${launches##* }" ] && [ "${launches##* }" -lt 30 ] || return
	done
	(cd "$to" && cc -O1 rounds.c rounds_data.c rounds_main.c -lm -o rounds) &&
	says 1 'rounds.lt:6:19: an index is out of range 0..59 (60)' "$to/rounds" "$to/late.npy" "$to/h.npy" "$to/got.npy"
}
# An extent that differs from run to run is that of the file, or given.
extents() {
	local n
	for form in c c99; do
		quick tests/standalone/batch.graph -i batch=3 -o "$to/batch" --emit $form -q || return
		for n in 1 5 8; do
			file x float32 "[$n, 3]" iota &&
			printf '%s\n' "\$1 = InputTensor(x, float32, [$n, 3]);" '$2 = SumNode($1, $1);' 'result = $2;' >"$to/square.lt" &&
			"$O/lt-run" "$to/square.lt" -b ref -i x=iota -o "$to/want.npy" -q &&
			"$to/batch" "$to/x.npy" "$to/got.npy" && cmp "$to/want.npy" "$to/got.npy" || return
		done
		"$to/batch" "$to/x.npy" "$to/got.npy" batch=8 && cmp "$to/want.npy" "$to/got.npy" || return
		says 2 "it has 8 along axis 0, but batch is 5" "$to/batch" "$to/x.npy" "$to/got.npy" batch=5 || return
		printf '\x93NUMPY\x01\x00\x46\x00%-70s' "{'descr': '<f4', 'fortran_order': False, 'shape': (0, 3), }" >"$to/x.npy"
		says 2 "its shape is [0, 3]; 'x' is float32 [batch: 1..8, 3]" "$to/batch" "$to/x.npy" "$to/got.npy" &&
		file x float32 '[2, 3]' iota &&
		says 2 "it has 2 along axis 0, but batch is 5" "$to/batch" "$to/x.npy" "$to/got.npy" batch=5 || return
	done
}
# Two axes that differ from run to run, in a program and in a library; a sum of two; a scalar that no result needs.
extents_models() {
	printf '%s\n' 'b = InputTensor(batch, int64, []); l = InputTensor(length, int64, []);' \
		'x = InputTensor(x, float32, [b <= 4, l <= 5, 3]); result = x + 1;' >"$to/two.lt"
	printf '%s\n' 'b = ScalarNode(InputTensor(batch, int64, []), 1, 4);' \
		'p = ScalarNode(InputTensor(past, int64, []), 0, 8);' \
		'x = InputTensor(x, float32, [b <= 4, p + b + 1 <= 9]); result = x + 1;' >"$to/past.lt"
	printf '%s\n' 'graph 1' 'var b 4 limit batch' 'var l 5 limit length' 'var k 3' 'var j 3' \
		'param batch = %n[0] in 2..4' 'param length = %m[0] in 1..5' '%n = i64[] input "batch"' '%m = i64[] input "length"' \
		'%x = f32[b, l, k] input "x"' '%y = f32[j] view { %x[1, 0, j] }' '%z = f32[j] add %y, %y' 'result "y" = %z' \
		>"$to/row.graph"
}
two_extents() {
	local form n m
	extents_models
	for form in c c99; do
		says 0 'verified: 45 elements compared, 45 equal' "$O/lt-build" --debug "$to/two.lt" -o "$to/two" --emit $form &&
		says 0 '8 equal' "$O/lt-build" --debug "$to/past.lt" -i batch=2 -i past=1 -o "$to/past" --emit $form &&
		says 0 '3 equal' "$O/lt-build" --debug "$to/row.graph" -i batch=3 -i length=2 -i x=iota -o "$to/row" \
			--emit $form || return
		for n in 1 3 4; do
			for m in 1 2 5; do
				file x float32 "[$n, $m, 3]" random:$n && "$O/lt-run" "$to/two.lt" -b ref -i "x=$to/x.npy" -o "$to/want.npy" -q &&
				"$to/two" "$to/x.npy" "$to/got.npy" && cmp "$to/want.npy" "$to/got.npy" || return
			done
		done
		says 2 "it has 5 along axis 1, but length is 4" "$to/two" "$to/x.npy" "$to/got.npy" length=4 &&
		file x float32 '[2, 4]' iota && says 2 'it has 4 along axis 1, but past + batch + 1 is 5' "$to/past" 2 "$to/x.npy" \
			"$to/got.npy" && "$to/past" 1 "$to/x.npy" "$to/got.npy" &&
		quick "$to/two.lt" -o "$to/two.a" -q --emit $form --threads 1 &&
		cc -Wall -Wextra -Werror -I"$to" tests/standalone/extents.c "$to/two.a" -lm -o "$to/extents" &&
		"$to/extents" || return
	done
	quick "$to/two.lt" -o "$to/two" --workspace given -q && file x float32 '[3, 2, 3]' iota &&
	"$O/lt-run" "$to/two.lt" -b ref -i "x=$to/x.npy" -o "$to/want.npy" -q &&
	"$to/two" "$to/x.npy" "$to/got.npy" && cmp "$to/want.npy" "$to/got.npy"
}
# Files of bare elements, as those of .npy files without what stands before them; states, scalars, pipes.
bare() { tail -c +129 "$to/$1.npy" >"$to/$1.bin"; }
bare_files() {
	local form
	for form in c c99; do
		file x float32 '[2, 3]' iota && bare x &&
		quick examples/first.lt -c w=iota -i x=iota -o "$to/first" --emit $form -q &&
		"$to/first" "$to/x.npy" "$to/want.npy" && bare want && "$to/first" "$to/x.bin" "$to/got.bin" &&
		cmp "$to/want.bin" "$to/got.bin" && "$to/first" "$to/x.bin" "$to/got.npy" && cmp "$to/want.npy" "$to/got.npy" &&
		"$to/first" /dev/stdin /dev/stdout <"$to/x.bin" | cmp - "$to/want.bin" &&
		head -c 23 "$to/x.bin" >"$to/short.bin" &&
		says 2 "short.bin: it has 23 bytes, and 24 are wanted; 'x' is float32 [2, 3]" "$to/first" "$to/short.bin" \
			"$to/got.bin" && cat "$to/x.bin" "$to/short.bin" >"$to/long.bin" &&
		says 2 "it has more than 24 bytes, and 24 are wanted; 'x' is float32 [2, 3]" "$to/first" "$to/long.bin" \
			"$to/got.bin" && cp "$to/x.npy" "$to/x.data" &&
		says 2 'it is an .npy file, and its name does not end in .npy' "$to/first" "$to/x.data" "$to/got.bin" &&
		says 2 'cannot be read: Is a directory' "$to/first" "$to" "$to/got.bin" &&
		cp "$to/x.bin" "$to/bin.npy" && says 2 'a file of bare elements has another ending' "$to/first" "$to/bin.npy" \
			"$to/got.bin" &&
		quick tests/standalone/batch.graph -o "$to/batch" --emit $form -q && "$to/batch" "$to/x.npy" "$to/want.npy" &&
		bare want && "$to/batch" "$to/x.bin" "$to/got.bin" && cmp "$to/want.bin" "$to/got.bin" &&
		"$to/batch" "$to/x.bin" "$to/got.npy" batch=2 && cmp "$to/want.npy" "$to/got.npy" &&
		says 2 'it has 23 bytes, and 12 are wanted for each of 1 to 8' "$to/batch" "$to/short.bin" "$to/got.bin" &&
		says 2 'it has 24 bytes, and 36 are wanted' "$to/batch" "$to/x.bin" "$to/got.bin" batch=3 || return
		rm -f "$to/state.bin"
		quick "$to/sum.lt" -c begin=0 -c end=4 -o "$to/sum" --emit $form -q && file four float32 '[4]' iota && bare four &&
		for i in 1 2 3; do "$to/sum" "$to/four.bin" "$to/got.bin" "sum=$to/state.bin" || return; done &&
		"$to/sum" --runs 3 "$to/four.npy" "$to/want.npy" && bare want && cmp "$to/want.bin" "$to/state.bin" || return
	done
	quick "$to/two.lt" -o "$to/two" -q && file x float32 '[2, 3, 3]' iota && bare x &&
	"$to/two" "$to/x.npy" "$to/want.npy" && bare want &&
	says 2 'give the numbers by NAME=N' "$to/two" "$to/x.bin" "$to/got.bin" &&
	for n in 6 9223372036854775807; do
		says 2 'length is out of range: a run has 0 to 5' "$to/two" "$to/x.bin" "$to/got.bin" batch=2 length=$n || return
	done &&
	says 2 '18446744073709551619 cannot be opened' "$to/two" "$to/x.bin" "$to/got.bin" batch=2 \
		length=18446744073709551619 &&
	"$to/two" "$to/x.bin" "$to/got.bin" length=3 && cmp "$to/want.bin" "$to/got.bin" &&
	"$to/two" "$to/x.bin" "$to/got.bin" length=3 batch=2 && cmp "$to/want.bin" "$to/got.bin"
}
# Names of a model are what they are: words of C, macros of all headers, what texts of ours use; and what would act on a
# terminal is escaped as lt-run escapes it.
model_names() {
	local names name i=0
	printf '#include <%s>\n' math.h stdio.h stdlib.h string.h pthread.h stdint.h errno.h limits.h float.h >"$to/all.c"
	names="$(gcc -D_GNU_SOURCE -dM -E "$to/all.c" | awk '{ print $2 }' | sed 's/(.*//' | grep '^[a-zA-Z]' | sort -u)
		int for class in_x x_bytes workspace value message user n_thread fault team slot param extent2 spread0 XMATH_H
		XSTDINT_H memory_I0 k0_result first_fail CONSTANT WORKSPACE x_dim0"
	[ "$(wc -w <<<"$names")" -gt 400 ] || return
	for name in $names; do
		printf 'v%d = InputTensor(text "%s", float32, [1]); result text "%s" = ExpNode(v%d);\n' $i "$name" "$name" $i
		i=$((i + 1))
	done >"$to/macros.lt"
	says 0 "verified: $i elements compared" "$O/lt-build" --debug "$to/macros.lt" -o "$to/macros" &&
	quick "$to/macros.lt" -o "$to/macros.c" --emit c99 --main -q && quiet_text "-std=c99 -pedantic" "$to"/macros*.c &&
	printf '#include <%s>\n' errno.h limits.h float.h pthread.h signal.h sys/stat.h macros.h >"$to/before.c" &&
	quiet_text "-D_GNU_SOURCE" "$to/before.c" || return
	printf '%s\n' 'math_errhandling = InputTensor(a, float32, [40]); M_PIf = InputTensor(b, float32, [40]);' \
		'M_PI_4f64 = PowNode(math_errhandling, M_PIf); INFINITY = ErfNode(M_PI_4f64); result = INFINITY;' >"$to/values.lt"
	quick "$to/values.lt" -o "$to/named" -q && quick "$to/values.lt" -o "$to/named" -q --emit c99
}
escapes() {
	local name shown i=0 bad=0
	printf '%s\n' 'x = InputTensor(text "a\n\"\\\x1bb", float32, [2]);' \
		'result text "r\n\"\x1b" = ReLUNode(x); result b = x;' \
		'result text "*/ int evil; /*" = x + 1; result text "??/" = x+2;' >"$to/esc.lt"
	quick "$to/esc.lt" -o "$to/esc" -q && "$to/esc" --help >"$to/help" && ! grep -q '[^ -~]' "$to/help" &&
	grep -qF 'a\x0a"\\x1bb, float32 [2]' "$to/help" || { cat -v "$to/help"; return 1; }
	quick "$to/esc.lt" -o "$to/esc.c" --main -q --overwrite && ! grep -q "[^ -~	]" "$to"/esc.[ch] || return
	for name in $'\e[31m' $'a\nb' $'\u202e' $'\u00e9\u4e2d\U0001f600' $'\xff\xc3(' $'\xe0\x80\x80' $'\xed\xa0\x80' \
		$'\u0085' $'\xf4\x90\x80\x80' $'\U000e0041' $'\ufeff' $'\u2028' $'\xf0\x9f' $'a\u200fb' $'\x7f\t'; do
		shown=$("$O/lt-run" "$to/x.lt" -i "x=$to/$name.npy" 2>&1 | sed "s|.*$to/||; s/\.npy.*//; q")
		"$to/esc" "$to/$name.npy" a b c d 2>&1 | grep -qF -- "/$shown.npy cannot be opened" ||
			{ echo "$shown" | cat -v; "$to/esc" "$to/$name.npy" a b c d 2>&1 | cat -v; bad=1; }
	done
	return $bad
}
# Numbers of all types as text: those that have no plain decimal, and the largest.
values_given() {
	local type
	given=
	for type in f32 f64 f16 bf16; do given+=" -c ${type}_0=nan -c ${type}_1=-inf -c ${type}_2=1e-7"; done
	given+=" -c i8_0=-128 -c u8_0=255 -c i16_0=-32768 -c i32_0=-2147483648 -c i64_0=-9223372036854775808 -c bool_0=true"
}
values() {
	local given
	values_given
	says 0 'verified: 54 elements compared, 54 equal' "$O/lt-build" tests/standalone/values.graph $given -o "$to/values" \
		--data array &&
	says 0 '54 equal' "$O/lt-build" tests/standalone/values.graph $given -o "$to/values.c" --emit c99 --main &&
	quiet_text "-std=c99 -pedantic" "$to"/values*.c
}
# Names that would end a comment or a string, or are taken.
odd_names() {
	quick tests/standalone/names.graph -c '*=random' -o "$to/names.c" --emit c99 --main -q &&
	quiet_text "-std=c99 -pedantic -Wcomment -Wtrigraphs" "$to"/names*.c &&
	quick tests/standalone/names.graph -c '*=random' -o "$to/names" -q
}
# What --format c writes is enough: compiled by hand, as its first comment says.
by_hand() {
	mkdir -p "$to/hand" && build examples/mlp.lt -c '*=random:1' -o "$to/hand/mlp.c" --main -q --no-verify && (
		cd "$to/hand" && flags=$(sed -n 's/^ \* Flags: //p' mlp.c) && gcc mlp*.c $flags -pthread -o mlp &&
		./mlp "$to/rows48.npy" hand.npy && cmp "$to/one.npy" hand.npy)
}
# A model of ONNX, whose constants are in it.
onnx() {
	file x float32 '[2, 3]' iota && "$O/lt-run" examples/first.lt -b ref -i x=iota -c w=iota -o "$to/want.npy" -q &&
	quick tests/standalone/dense.onnx --dim batch=1..4 -i x=iota -o "$to/dense" -q &&
	"$to/dense" "$to/x.npy" "$to/got.npy" && [ "$(head -c 128 "$to/got.npy" | grep -c "'shape': (2, 4)")" = 1 ] &&
	quick tests/standalone/dense.onnx --dim batch=2 -o "$to/dense.c" --emit c99 --main -q &&
	quiet_text "-std=c99 -pedantic" "$to"/dense*.c
}
# More words than a command had room for: a process for all of them.
many_inputs() {
	awk 'BEGIN { for (i = 0; i < 3000; i++) printf "v%d = InputTensor(in%d, float32, [1]);\n", i, i
		printf "result = v0"; for (i = 1; i < 3000; i++) if (i % 100 == 0) printf " + v%d", i; print ";" }' >"$to/many.lt" &&
	says 0 '1 element compared' "$O/lt-build" --debug "$to/many.lt" -o "$to/many"
}
# All that was made stays, right or wrong, and the commands make it once more; a debugger finds lines of it.
kept() {
	local dir=$to/kept at file
	build examples/first.lt -c w=iota -o "$to/first" -q --keep "$dir" --debug &&
	at=$(addr2line -e "$to/first" "$(nm "$to/first" | awk '$3 ~ /^k0_6$/ { print $1 }')") &&
	[[ $at == */kept/first.c:[1-9]* ]] && sed -n "$(grep -o '[0-9]*$' <<<"$at")p" "$dir/first.c" | grep -q 'k0_6\|{' &&
	for file in first.c first.h first_data.c first_main.c first.o first.exe input0.npy result0.npy; do
		[ -s "$dir/$file" ] || return
	done
	cp "$dir/result0.npy" "$to/want.npy" && rm "$dir"/*.o "$dir/first.exe" "$dir/result0.npy" &&
	sh "$dir/commands.sh" && cmp "$dir/result0.npy" "$to/want.npy" &&
	build examples/first.lt -c w=iota -o "$to/first" -q --keep "$dir" &&
	! grep -q -e -O0 "$dir/commands.sh" && mkdir "$to/full" && echo mine >"$to/full/first.c" &&
	says 2 'there are files in it that lt-build has not made' "$O/lt-build" examples/first.lt -c w=iota -o "$to/first" \
		--keep "$to/full" && [ "$(cat "$to/full/first.c")" = mine ] &&
	says 1 'failed on' "$O/lt-build" examples/first.lt -c w=iota -o "$to/first" --keep "$dir" --cc false &&
	says 2 'give it with --verify-inputs' "$O/lt-build" examples/first.lt -c w=iota -i x=all.npz -o "$to/first" &&
	grep -q "^'false'" "$dir/commands.sh" && [ -s "$dir/first.c" ]
}
# The last sentence of a shared library is enough to link a program with it, and to run that.
shared() {
	local dir=$to/shared said link path
	mkdir "$dir" && said=$(quick examples/first.lt -c w=iota -o "$dir/first.so" | tail -n 1) &&
	link=$(sed -n 's/.*linked with it (cc main.c \([^)]*\)).*/\1/p' <<<"$said") &&
	path=$(grep -o 'LD_LIBRARY_PATH=[^,]*' <<<"$said") && cc examples/first.c $link -o "$dir/main" &&
	! "$dir/main" 2>/dev/null && env "$path" "$dir/main" >"$dir/one" &&
	cc examples/first.c $link "$(grep -o -e '-Wl,-rpath,[^,]*' <<<"$said")" -o "$dir/main" &&
	"$dir/main" | cmp - "$dir/one"
}
library() {
	try "thousands of inputs" many_inputs
	try "all that was made is kept" kept
	try "what it says of a shared library" shared
	try "the same bytes as from ref" same_as_ref
	try "states in files and in memory" states
	try "no allocation, no name but its own" names
	try "constants as arrays and as bytes" both_data
	try "C that is compiled by hand" by_hand
	try "steps of a repeat are a loop" rounds
	try "extents that differ from run to run" extents
	try "two extents that differ from run to run" two_extents
	try "files of bare elements" bare_files
	try "names of C, of its headers and of ours" model_names
	try "names that are escaped" escapes
	try "numbers of all types" values
	try "odd names" odd_names
	if scripts/onnx.sh >/dev/null; then try "a model of ONNX" onnx
	else echo "ok - a model of ONNX # SKIP the frontend onnx needs protobuf-c"; fi
}

# -- threads of the caller --

run_threads() {
	local name=$1 inputs=$2 upper=${1^^}
	shift 2
	build "examples/$name.lt" "$@" -o "$to/$name.a" --threads 4 -q &&
	cc -Wall -Wextra -include "$to/$name.h" -DF=$name "-DARGS=struct ${name}_args" "-DINPUTS=$inputs" \
		-DRESULT_BYTES=${upper}_out_result_BYTES -DWORKSPACE_BYTES=${upper}_WORKSPACE_BYTES tests/standalone/threads.c \
		"$to/$name.a" -lm -lpthread -o "$to/threads" && "$to/threads"
}
own_threads() {
	build examples/softmax.lt -o "$to/softmax" --threads 3 -q && file rows float32 '[64, 1000]' random &&
	"$to/softmax" --threads 1 "$to/rows.npy" "$to/one.npy" && "$to/softmax" --runs 50 "$to/rows.npy" "$to/three.npy" &&
	cmp "$to/one.npy" "$to/three.npy"
}
# Three threads of that program and one processor: nobody waits for a thread that has none.
crowded_threads() {
	timeout 300 taskset -c "$(taskset -cp $$ | sed 's/.*: *\([0-9]*\).*/\1/')" "$to/softmax" --runs 300 "$to/rows.npy" \
		"$to/three.npy" && cmp "$to/one.npy" "$to/three.npy"
}
threads() {
	try "threads: softmax" run_threads softmax 'a.in_x = numbers(SOFTMAX_in_x_BYTES);'
	again "threads: matmul" run_threads matmul 'a.in_x = numbers(MATMUL_in_x_BYTES);' -c '*=random'
	again "threads: conv" run_threads conv 'a.in_x = numbers(CONV_in_x_BYTES);' -c '*=random'
	try "threads of the program" own_threads
	try "threads of the program on one processor" crowded_threads
}

# -- planted faults: the compiler is given another text, or fewer weights --

finds() {
	local edit=$1 cut=$2
	shift 2
	rm -f "$to/seen" "$to/faulty"
	SEEN=$to/seen EDIT=$edit CUT=$cut says 1 'the binary is wrong' "$O/lt-build" --debug "$@" -o "$to/faulty" \
		--cc "$PWD/tests/standalone/edit.sh" && [ -e "$to/seen" ] && [ ! -e "$to/faulty" ]
}
mixed() {
	cat > "$1" <<-end
	x = InputTensor(x, float32, [8, 16]);
	w = InputTensor(w, float32, [16, 16]);
	y = (x @ w) * 10;
	result = y - RoundNode(y);
	end
}
# What was there before stays.
old_stays() {
	quick examples/softmax.lt -o "$to/old" -q && cp "$to/old" "$to/copy" &&
	! SEEN=$to/seen EDIT='/^\t\tk[0-9_]*_entry(/d' CUT='' quick examples/softmax.lt -o "$to/old" \
		--cc "$PWD/tests/standalone/edit.sh" && cmp "$to/old" "$to/copy"
}
right_compiler() {
	EDIT='' CUT='' quick examples/softmax.lt -o "$to/right" --cc "$PWD/tests/standalone/edit.sh" -q && [ -x "$to/right" ]
}
faults() {
	local mnist="examples/mnist/mnist.lt -w examples/mnist/weights.safetensors"
	try "fault: a swapped stride" finds 's/(uint64_t)i \* 1000/(uint64_t)i * 999/' '' examples/softmax.lt --emit c99
	again "fault: a loop that ends early" finds 's/i < 64;/i < 63;/' '' examples/softmax.lt --emit c99 --threads 1
	try "fault: a launch left out" finds '/^\t\tk[0-9_]*_entry(/d' '' examples/softmax.lt
	again "fault: another constant" finds 's/(uintptr_t)faulty_constant3/(uintptr_t)faulty_constant1/' '' $mnist \
		--data array
	again "fault: another part of the weights" finds 's/_bytes + 256)/_bytes + 512)/' '' examples/mlp.lt -c '*=random'
	try "fault: weights cut off" finds '' 1024 examples/mlp.lt -c '*=random'
	mixed "$to/mixed.lt"
	again "fault: a factor beside a rounding" finds 's/\* 10\.0*f/* 10.001f/' '' "$to/mixed.lt"
	try "fault: a smaller one" finds 's/\* 10\.0*f/* 10.0001f/' '' "$to/mixed.lt"
	try "what was there before stays" old_stays
	try "no fault" right_compiler
}

# -- other machines --

cross() {
	local triple=$1 qemu=$2 others=$3
	on() {
		says 0 "(by $qemu)" "$O/lt-build" "$@" -o "$to/cross" --target "$triple" &&
			says 0 usage: "$qemu" -L "/usr/$triple" "$to/cross" --help
	}
	if ! command -v "$triple-gcc" >/dev/null || ! command -v "$qemu" >/dev/null; then
		echo "ok - C99 on $triple # SKIP $triple-gcc or $qemu is not installed (scripts/setup.sh cross)"
		return
	fi
	try "$triple: attention" on examples/attention.lt
	$others "$triple: mnist" on --debug examples/mnist/mnist.lt -w examples/mnist/weights.safetensors
	again "$triple: conv as arrays" on --debug examples/conv.lt -c '*=random' --data array
	again "$triple: cache" on --debug examples/cache.lt -i begin=32 -i end=48 -i filled=3
	$others "$triple: pieces" on --debug tests/cases/mixed_conditions.graph
	cross_by_hand() {
		file x float32 '[2, 3]' iota && "$O/lt-run" examples/first.lt -b ref -i x=iota -c w=iota -o "$to/want.npy" -q &&
		build examples/first.lt -c w=iota -o "$to/first.c" --emit c99 --main -q --no-verify &&
		"$triple-gcc" -std=c99 -pedantic -Wall -Wextra -Werror "$to"/first.c "$to"/first_*.c -static -lm -o "$to/by-hand" &&
		"$qemu" "$to/by-hand" "$to/x.npy" "$to/got.npy" && cmp "$to/want.npy" "$to/got.npy"
	}
	try "$triple: compiled by hand" cross_by_hand
	# A PATH with the compiler and without QEMU.
	mkdir -p "$to/bin" && ln -sf "$(command -v "$triple-gcc")" "$to/bin"
	try "$triple: nothing runs it" says 3 'is written, though it is not verified' env PATH="$to/bin" \
		"$O/lt-build" examples/softmax.lt \
		-o "$to/unknown" --target "$triple"
	try "$triple: and it is written" [ -x "$to/unknown" ]
	rm -f "$to/unknown"
}
machines() {
	cross arm-linux-gnueabihf qemu-arm try
	cross riscv64-linux-gnu qemu-riscv64 again      # of 64 bits, as here
}
# The models that the parts above build, as modules of WebAssembly that node runs; the judge is lt-build's own.
wasm32() {
	local script options given n=0
	compilers_of_wasm() { compgen -c clang- | grep -qE '^clang-(1[6-9]|2[0-9])$'; }
	if ! compilers_of_wasm || [ ! -e /usr/include/wasm32-wasi/math.h ] || ! command -v node >/dev/null; then
		echo "ok - modules of WebAssembly # SKIP clang of 16 or later, wasi-libc or node is not installed" \
			"(scripts/setup.sh wasm)"
		return
	fi
	module() { says 0 "(by node)" "$O/lt-build" "$@" --target wasm32 -o "$to/module"; }
	try "wasm32: mnist" module examples/mnist/mnist.lt -w examples/mnist/weights.safetensors
	[ -n "${CHECK_MORE-}" ] || return 0
	set -f
	while read -r script options; do
		[[ $script =~ stories ]] && continue            # it takes a minute
		n=$((n + 1))
		again "wasm32: $script $n" module "$script" ${options/ -n [0-9]/}
	done < <(grep -v '^#' tests/examples.txt)
	set +f
	again "wasm32: mnist in a page" says 0 "(by node)" "$O/lt-build" examples/mnist/mnist.lt \
		-w examples/mnist/weights.safetensors --single -o "$to/mnist.html"
	values_given
	again "wasm32: values" module tests/standalone/values.graph $given
	again "wasm32: names" module tests/standalone/names.graph -c '*=random'
	again "wasm32: ONNX" module tests/standalone/dense.onnx --dim batch=1..4 -i x=iota
	extents_models
	again "wasm32: two extents" module "$to/two.lt"
	again "wasm32: sums of extents" module "$to/past.lt" -i batch=2 -i past=1
	again "wasm32: an extent that no result has" module "$to/row.graph" -i batch=3 -i length=2 -i x=iota
	sum_script
	again "wasm32: states" module "$to/sum.lt" -c begin=0 -c end=4
	rounds_script 40
	again "wasm32: rounds" module "$to/rounds.lt" -c '*=random'
}

# -- what is refused --

# slow NAME PATTERN: a command that runs its words, unless they match: then it takes its time, with a child, and does
# not end when it is asked to.
slow() {
	printf '#!/bin/bash\ncase "$* " in %s) ;; *) exec "${@:1}" ;; esac\ntrap "" TERM INT HUP\ntouch %s/slow\n' "$2" "$to" \
		>"$to/$1" && echo 'sleep 30 & wait; sleep 30' >>"$to/$1" && chmod +x "$to/$1"
}
# A signal in each phase: it ends soon, though the compiler, the binary or the judge would take long, and no folder or
# process is left, nor anything of what was to be built.
signal() {
	local name=$1 pid i left
	shift
	mkdir -p "$to/tmp"
	rm -f "$to/slow" "$to/m"
	set -m
	TMPDIR=$to/tmp "$O/lt-build" "$@" -o "$to/m" -q &
	pid=$!
	set +m
	for i in $(seq 300); do
		[ -e "$to/slow" ] || { [ "$name" = judge ] && ls "$to"/tmp/*/*.exe; } >/dev/null 2>&1 && break
		sleep 0.1
	done
	[ "$name" = judge ] && sleep 0.3
	kill -TERM $pid || return
	for i in $(seq 40); do kill -0 $pid 2>/dev/null || break; sleep 0.05; done
	kill -0 $pid 2>/dev/null && { echo "it goes on"; kill -KILL $pid; }
	wait $pid
	[ $? = 143 ] && [ -z "$(ls -A "$to/tmp")" ] && [ ! -e "$to/m" ] || return
	left=$(grep -lzas "^TMPDIR=$to/tmp/" /proc/[0-9]*/environ)
	[ -z "$left" ] || { echo "left: $left"; false; }
}
signals() {
	printf '%s\n' 'x = InputTensor(x, float32, [1500, 1500]); w = ConstantTensor(w, float32, [1500, 1500]);' \
		'result = ReLUNode(x @ w) @ w;' >"$to/long.lt"
	slow slow-cc '*" -c "*' && slow slow-link '*.exe*' && slow slow-run '*' &&
	try "a signal while it compiles" signal compile examples/softmax.lt --cc "$to/slow-cc cc" &&
	try "a signal while it links" signal link examples/softmax.lt --cc "$to/slow-link cc" &&
	try "a signal while the binary runs" signal run examples/softmax.lt --emulator "$to/slow-run" &&
	try "a signal while the reference is computed" signal judge "$to/long.lt" -c '*=random'
}
program_refuses() {
	file small float32 '[2, 3]' iota && file rows float32 '[64, 1000]' random && file double float64 '[64, 1000]' ones &&
	quick examples/softmax.lt -o "$to/softmax" -q && head -c 300 "$to/rows.npy" >"$to/short.npy" &&
	says 2 "small.npy: its shape is [2, 3]; 'x' is float32 [64, 1000]" "$to/softmax" "$to/small.npy" "$to/y.npy" &&
	says 2 "its elements are float64; 'x' is float32" "$to/softmax" "$to/double.npy" "$to/y.npy" &&
	says 2 'more or fewer bytes' "$to/softmax" "$to/short.npy" "$to/y.npy" &&
	printf '\x93NUMPY\x01\x00\x46\x00%-70s' "{'descr': '>f4', 'fortran_order': False, 'shape': (64, 1000), }" \
		>"$to/high.npy" &&
	says 2 'its elements are float32 with the high byte first' "$to/softmax" "$to/high.npy" "$to/y.npy" &&
	printf '\x93NUMPY\x01\x00\x46\x00%-70s' "{'descr': '|O', 'fortran_order': False, 'shape': (6,), }" >"$to/object.npy" &&
	says 2 "its elements are of NumPy's type |O" "$to/softmax" "$to/object.npy" "$to/y.npy" &&
	printf '\x93NUMPY\x01\x00\x46\x00%-70s' "{'descr': '<f4', 'fortran_order': False, 'shape': (6,), }" >"$to/six.npy" &&
	says 2 'its shape is [6]' "$to/softmax" "$to/six.npy" "$to/y.npy" &&
	printf '\x93NUMPY\x01\x00\x46\x00%-70s' "{'descr': '<f4', 'fortran_order': False, 'shape': (6;), }" >"$to/bad.npy" &&
	says 2 'its header is damaged' "$to/softmax" "$to/bad.npy" "$to/y.npy" &&
	says 2 'No such file or directory' "$to/softmax" "$to/none.npy" "$to/y.npy" &&
	says 1 'No space left on device' "$to/softmax" "$to/rows.npy" /dev/full &&
	says 2 'cannot be opened' "$to/softmax" "$to/none.npy" "$to/y.npy" &&
	cp "$to/softmax" "$to/bad.npy" && says 2 'is no .npy file' "$to/softmax" "$to/bad.npy" "$to/y.npy" &&
	says 2 "the name of the file for 'x' is empty" "$to/softmax" '' "$to/y.npy" &&
	says 2 "the name of the file for 'result' is empty" "$to/softmax" "$to/rows.npy" result= &&
	says 1 'standard output cannot be written: No space left' bash -c '"$0" --help >/dev/full' "$to/softmax" &&
	says 2 "a file for 'result' is missing" "$to/softmax" "$to/rows.npy" &&
	says 2 'one file too many' "$to/softmax" a b c &&
	says 1 'cannot be written: No such file' "$to/softmax" "$to/rows.npy" "$to/no/folder.npy" &&
	[ ! -e "$to/y.npy" ]
}
# Words that are no files: an option, a name, a name for the second time; a number below zero is none of them.
program_words() {
	file kept float32 '[2, 3]' iota && quick "$to/kept.lt" -o "$to/words" -q &&
	says 2 "there is no option '--foo'" "$to/words" --foo "$to/kept.npy" "$to/y.npy" &&
	says 2 "there is no option '--version'" "$to/words" --version &&
	says 2 "there is no 'z'; there is: x, result" "$to/words" "z=$to/kept.npy" "$to/y.npy" &&
	printf 'z = InputTensor(z, int8, [2]);\n' | cat - "$to/kept.lt" >"$to/idle.lt" && quick "$to/idle.lt" -o "$to/idle" \
		-q && says 2 "nothing reads the input 'z': leave it out" "$to/idle" "z=$to/kept.npy" "$to/kept.npy" "$to/y.npy" &&
	quick "$to/idle.lt" -o "$to/idle.c" -q && grep -q "^/\* input 'z': nothing reads it" "$to/idle.h" &&
	quick "$to/idle.lt" -o "$to/idle.c" -q --bare && grep -q "^/\* input 'z': nothing reads it" "$to/idle.h" &&
	says 2 "'x' is given twice" "$to/words" "x=$to/kept.npy" "x=$to/kept.npy" "$to/y.npy" &&
	says 2 "'x' is given twice" "$to/words" "$to/kept.npy" "x=$to/kept.npy" "$to/y.npy" && [ ! -e "$to/y.npy" ] &&
	(cd "$to" && cp kept.npy z=1.npy && ./words ./z=1.npy y.npy && cmp y.npy kept.npy) && rm "$to/y.npy"
}
# An input is never what a result is written to: by its name in C99, by its place elsewhere.
program_keeps() {
	local emit
	file kept float32 '[2, 3]' iota && cp "$to/kept.npy" "$to/kept.copy" && ln -f "$to/kept.npy" "$to/other.npy" || return
	for emit in c c99; do
		quick "$to/kept.lt" -o "$to/keeps" --emit $emit -q &&
		says 2 "'x' and 'result' are the same file" "$to/keeps" "$to/kept.npy" "$to/kept.npy" &&
		cmp "$to/kept.npy" "$to/kept.copy" && "$to/keeps" "$to/kept.npy" /dev/null || return
	done
	quick "$to/kept.lt" -o "$to/keeps" -q && says 2 'are the same file' "$to/keeps" "$to/kept.npy" "$to/other.npy" &&
	cmp "$to/kept.npy" "$to/kept.copy"
}
# An index and a run-time scalar, as the program and the model's evaluation say it.
out_of_range() {
	file key float32 '[16]' iota && file query float32 '[16, 1]' iota &&
	quick examples/cache.lt -i begin=32 -i end=48 -i filled=3 -o "$to/cache" -q &&
	says 1 "element 0 of input 'begin' must be in 0..1008 (2000)" "$to/cache" "$to/key.npy" "$to/query.npy" 2000 48 3 \
		"$to/y.npy" && "$to/cache" "$to/key.npy" "$to/query.npy" 32 48 3 "$to/y.npy" && rm "$to/y.npy" &&
	"$O/lt-run" examples/gather.lt -b ref -i token=iota -c '*=random' -o "$to/y.npy" -q &&
	quick examples/gather.lt -c '*=random' -o "$to/gather" -q && "$to/gather" --help >"$to/help" &&
	file token int64 "$(sed -n 's/^  reads   token, int64 //p' "$to/help")" 1000000 &&
	says 1 'an index is out of range 0..' "$to/gather" "$to/token.npy" "$to/y.npy"
}
# Inputs stay as they are, by whatever name; no device is touched; all before there is any work.
keeps_inputs() {
	local name bad=0
	cp examples/first.lt "$to/keep.lt" && file kept float32 '[3, 4]' iota && ln -sf keep.lt "$to/keep-link" &&
	ln -sf kept.npy "$to/kept-link" &&
	cp "$to/keep.lt" "$to/keep.copy" && cp "$to/kept.npy" "$to/kept.copy" && echo 'unroll i' >"$to/keep.schedule" || return
	for name in keep-link kept-link keep.schedule; do
		says 2 'which is the same file: give another name' "$O/lt-build" "$to/keep.lt" -c "w=$to/kept.npy" \
			--schedule "$to/keep.schedule" --cc no-such-compiler -o "$to/$name" --name f || bad=1
	done
	says 2 'the input that is standard input' "$O/lt-build" - -c w=iota -o "$to/keep-link" <"$to/keep.lt" &&
	cmp "$to/keep.lt" "$to/keep.copy" && cmp "$to/kept.npy" "$to/kept.copy" && [ $bad = 0 ] || return
	rm "$to/keep-link" "$to/kept-link" && quick "$to/keep.lt" -c w=iota -o "$to/keep" -q && "$to/keep" --help >/dev/null
}
no_place() {
	local before
	mkfifo -m 600 "$to/pipe" && before=$(stat -c %a /dev/full) &&
	says 1 'it is no regular file' "$O/lt-build" examples/softmax.lt -o /dev/full --cc no-such-compiler &&
	says 1 'it is no regular file' "$O/lt-build" examples/softmax.lt -o "$to/pipe" &&
	[ "$(stat -c %a /dev/full)" = "$before" ] && [ "$(stat -c %a "$to/pipe")" = 600 ] &&
	says 1 'No such file or directory' "$O/lt-build" examples/softmax.lt -o "$to/none/f" --cc no-such-compiler &&
	mkdir -p "$to/dd" && says 1 'Is a directory' "$O/lt-build" examples/softmax.lt -o "$to/dd" --cc no-such-compiler &&
	ln -sf nowhere "$to/dangling" && says 1 'a link to a file' "$O/lt-build" examples/softmax.lt -o "$to/dangling" \
		--cc no-such-compiler
}
# A disk that is full when the result is copied there.
no_room() {
	printf '%s\n' '#!/bin/bash' 'ulimit -S -f unlimited; cc "$@" || exit' \
		'case ${!#} in *.exe) head -c 200000 /dev/zero >>"${!#}" ;; esac' >"$to/large-cc" && chmod +x "$to/large-cc" || return
	( ulimit -S -f 100; trap '' XFSZ
		says 1 'm: cannot be written: File too large' "$O/lt-build" examples/first.lt -c w=iota -o "$to/m" --no-verify \
			--cc "$to/large-cc" )
}
# What says something else than what is made.
other_files() {
	local name
	for name in f.dll F.DLL F.SO f.A f.dylib f.lib f.o f.obj f.h f.so.1 f.tree f.npy f.safetensors; do
		says 2 "nothing that ends in .${name#*.} is made here" "$O/lt-build" "$to/x.lt" -o "$to/$name" \
			--cc no-such-compiler && [ ! -e "$to/$name" ] || return
	done
	quick "$to/x.lt" -o "$to/f.o" --format exe -q && "$to/f.o" "$to/x.npy" "$to/got.npy" &&
	cmp "$to/x.npy" "$to/got.npy" &&
	says 2 "would take the place of the C library's <string.h>" "$O/lt-build" "$to/x.lt" -o "$to/string.so" --name g &&
	says 2 'cannot be the name of a header' "$O/lt-build" "$to/x.lt" -o "$to/a\"b.c" --name g &&
	says 2 "--threads takes a whole number from 1 to 256, not '0'" "$O/lt-build" "$to/x.lt" -o "$to/m" --threads 0
}
# Files are called as -o says; what is there beside it stays, unless lt-build has made it or it is asked for.
unnamed_files() {
	local dir=$to/unnamed file
	mkdir "$dir" && for file in my_model.c my_model.h my_model_data.c my-model.h; do echo mine >"$dir/$file"; done
	says 2 'my-model.h is there, lt-build has not made it' "$O/lt-build" examples/first.lt -c w=iota \
		-o "$dir/my-model.c" && [ ! -e "$dir/my-model.c" ] && rm "$dir/my-model.h" &&
	quick examples/first.lt -c w=iota -o "$dir/my-model.c" --data incbin --main -q &&
	[ "$(cd "$dir" && echo my-*)" = "my-model.bin my-model.c my-model.h my-model_data.c my-model_main.c" ] &&
	(cd "$dir" && gcc my-model*.c -Wa,-I. $(sed -n 's/^ \* Flags: //p' my-model.c) -pthread -o p && ./p --help) &&
	quick examples/first.lt -c w=iota -o "$dir/my-model.c" --data incbin --main -q &&
	for file in my_model.c my_model.h my_model_data.c; do [ "$(cat "$dir/$file")" = mine ] || return; done
	for file in my-model.h my-model_data.c my-model_main.c; do
		echo mine >"$dir/$file"
		says 2 "$file is there" "$O/lt-build" examples/first.lt -c w=iota -o "$dir/my-model.c" --main || return
		[ "$(cat "$dir/$file")" = mine ] &&
		quick examples/first.lt -c w=iota -o "$dir/my-model.c" --main -q --overwrite || return
	done
	echo mine >"$dir/m.h" && says 2 'm.h is there' "$O/lt-build" examples/first.lt -c w=iota -o "$dir/m.so" &&
	quick examples/first.lt -c w=iota -o "$dir/m.so" --overwrite -q && rm -r "$dir"
}
# Names that C or its library has: a program's function takes another one, a library's is asked for.
taken_names() {
	local name
	for name in a code main malloc int printf first index logf pthread_create help tensors args THREADS; do
		quick "$to/x.lt" -o "$to/$name" -q && "$to/$name" "$to/x.npy" "$to/got.npy" && cmp "$to/x.npy" "$to/got.npy" || return
	done
	for name in int.so class.a main.c printf.a cosf.c isalpha_l.c; do
		says 2 'give another one with --name' "$O/lt-build" "$to/x.lt" -o "$to/$name" --cc no-such-compiler &&
		[ ! -e "$to/$name" ] || return
	done
	says 2 "'for' cannot be the name of a C function, for it is a word of C" "$O/lt-build" "$to/x.lt" -o "$to/f" \
		--name for &&
	for name in sum term tensor kind; do quick "$to/x.lt" -o "$to/$name.c" --emit c99 -q || return; done &&
	quick "$to/x.lt" -o "$to/printf.a" --name printf_model -q && [ -e "$to/printf.h" ] && [ ! -e "$to/printf_model.h" ]
}
# What a header calls its own is no macro of another header, whichever of the two is included first.
header_names() {
	local dir=$to/heads header name ends n=0
	mkdir "$dir" && for header in aio assert complex ctype dirent dlfcn errno fcntl fenv float fmtmsg fnmatch ftw glob \
		grp iconv inttypes langinfo libgen limits locale math mqueue netdb poll pthread pwd regex sched search semaphore \
		setjmp signal spawn stdio stdlib string strings sysexits syslog tar termios time unistd utime wchar wordexp sys/mman \
		sys/resource sys/select sys/socket sys/stat sys/time sys/types sys/un sys/wait netinet/in; do
		printf '#if __has_include(<%s.h>)\n#include <%s.h>\n#endif\n' $header $header
	done >"$dir/every.h"
	build "$to/x.lt" -o "$dir/frame.c" --emit c99 --name frame -q || return
	ends=$(grep -o 'FRAME_[A-Z_]*' "$dir/frame.h" | sed 's/FRAME_//' | sort -u | paste -sd '|')
	for name in $(gcc -D_GNU_SOURCE -dM -E "$dir/every.h" | awk '{ print $2 }' | sed 's/(.*//' | sort -u |
		grep -xE "[A-Z][A-Z0-9_]*_($ends)" |
		sed -E 's/_(CONSTANT_BYTES|WORKSPACE_BYTES|[A-Z]*)$//' | tr '[:upper:]' '[:lower:]'); do
		n=$((n + 1))
		says 2 'cannot be the name of a C function' "$O/lt-build" "$to/x.lt" -o "$dir/m.c" --name "$name" -q --no-verify ||
			return
	done
	[ $n -ge 6 ] && says 2 'give another one with --name' "$O/lt-build" "$to/x.lt" -o "$dir/x.a" &&
	build "$to/x.lt" -o "$dir/x" -q && build "$to/x.lt" -o "$dir/x.a" --name x_model -q && rm -r "$dir"
}
# No name that the program's main file has at its left.
own_names() {
	local name
	for name in team workspace \
		$(sed -nE 's/^static ([a-z0-9_]+ )+\**([a-z_]+)[[( =].*/\2/p' tools/build/standalone/*.c); do
		says 2 'within the program' "$O/lt-build" "$to/x.lt" -o "$to/f.c" --name "$name" --cc no-such-compiler || return
	done
}
# knows NAME WORDS: what lt-build says of a function of that name; without a process beside it, for there are many.
knows() {
	local said
	said=$("$O/lt-build" "$to/x.lt" -o "$to/f.c" --name "$1" --cc no-such-compiler 2>&1)
	[[ $said =~ $2 ]] || { echo "$1 is not known"; false; }
}
# Names of which each is looked at in a process of its own: a fifth of them for `make check`.
some() { awk -v every="$([ -n "${CHECK_MORE-}" ] && echo 1 || echo 5)" 'NR % every == 0'; }
# Every macro of the headers that the texts include is known, with and without extensions.
macro_names() {
	local names name bad=0 flags compiler
	printf '#include <%s>\n' math.h stdio.h stdlib.h string.h pthread.h sched.h stdint.h stddef.h errno.h sys/stat.h \
		>"$to/all.c"
	names=$(for compiler in $compilers; do
		for flags in -std=c99 -std=gnu11 -D_GNU_SOURCE; do $compiler $flags -dM -E "$to/all.c"; done
	done | awk '{ print $2 }' | sed 's/(.*//' | grep '^[a-zA-Z]' | sort -u)
	[ "$(wc -w <<<"$names")" -gt 400 ] || return
	for name in $(some <<<"$names"); do
		knows "$name" 'a (name|word) of' || bad=1
	done
	[ $bad = 0 ]
}
# Every name that POSIX has in these headers is known.
library_names() {
	local names name bad=0
	printf '#include <%s>\n' math.h stdio.h stdlib.h string.h pthread.h stdint.h >"$to/all.c"
	gcc -std=c99 -D_XOPEN_SOURCE=700 -fsyntax-only -aux-info "$to/aux" "$to/all.c" || return
	names=$(grep -o '[a-zA-Z0-9_]* (' "$to/aux" | tr -d ' (' | grep '^[a-z]' | grep -v '_t$' | grep -vx void | sort -u)
	for name in $(some <<<"$names"); do
		knows "$name" 'the C library' || bad=1
	done
	[ $bad = 0 ]
}
# What it says stands on lines of its own.
compiler_says() {
	printf '#!/bin/sh\necho "first line"; echo "second line"; exit 3\n' >"$to/loud-cc" && chmod +x "$to/loud-cc" &&
	says 1 'failed on m.c (exit code 3):' "$O/lt-build" examples/softmax.lt -o "$to/m" --cc "$to/loud-cc" &&
	grep -qx 'first line' "$to/said" && grep -qx 'second line' "$to/said"
}
lazy_compiler() {
	printf '#!/bin/sh\nexit 0\n' >"$to/lazy-cc" && chmod +x "$to/lazy-cc" &&
	says 1 'wrote no file: name another compiler with --cc' "$O/lt-build" examples/softmax.lt -o "$to/m" --cc "$to/lazy-cc"
}
refusals() {
	file x float32 '[2, 3]' iota
	try "names that are taken" taken_names
	try "names of the program" own_names
	try "names that headers make" header_names
	attempt "names of the C library" library_names
	attempt "macros of the C library" macro_names
	try "names of another kind of file" other_files
	try "names that were not given" unnamed_files
	try "no input is written over" keeps_inputs
	try "what cannot be written is said first" no_place
	try "a disk that is full" no_room
	try "the program refuses files" program_refuses
	try "the program writes over no input" program_keeps
	try "the program refuses words" program_words
	try "the program refuses numbers" out_of_range
	signals
	try "no output" says 2 'a name for what is built is missing' "$O/lt-build" examples/softmax.lt
	try "no such target" says 2 "did you mean 'neon'" "$O/lt-build" examples/softmax.lt -o "$to/m" --target nen
	try "another machine's compiler" says 2 'name another compiler with --cc' "$O/lt-build" examples/softmax.lt \
		-o "$to/m" --target neon --cc gcc
	try "no compiler" says 2 'cannot be started' "$O/lt-build" examples/softmax.lt -o "$to/m" --cc no-such-compiler
	try "a compiler that fails" says 1 'false failed on m.c (exit code 1): it said nothing' "$O/lt-build" \
		examples/softmax.lt -o "$to/m" --cc false
	try "and says why" compiler_says
	try "a compiler that writes nothing" lazy_compiler
	try "no such triple" says 2 "of a triple, the compiler 'riscv64-linux-gnuu-gcc' cannot be started: install it" \
		"$O/lt-build" examples/softmax.lt -o "$to/m" --target riscv64-linux-gnuu
	# Before what is wrong with -o, which may follow from it.
	try "a processor that there is not" says 2 "there is no target 'cortex-m7'; there is: native, " "$O/lt-build" \
		examples/softmax.lt -o "$to" --target cortex-m7
	try "... has a near one" grep -q "; did you mean 'cortex-m[034]'" "$to/said"
	try "no emulator" says 2 "the emulator 'nothing' cannot be started" "$O/lt-build" examples/softmax.lt -o "$to/m" \
		--emulator 'nothing -x'
	try "no weights" says 2 "constant 'w'" "$O/lt-build" examples/first.lt -o "$to/m"
	try "no function's name" says 2 'give one with --name' "$O/lt-build" examples/softmax.lt -o "$to/1st"
	try "an option of another format" says 2 'does not go with' "$O/lt-build" examples/softmax.lt -o "$to/m.so" --main
	try "nothing of these is written" [ ! -e "$to/m" ]
}

# -- memory that runs out: each 7th allocation of its own fails once, in turn for `make check` and `make check-more` --

out_of_memory() {
	local first=$1 preload=$O/tests/interpose/alloc.so n i bad=0
	once() {
		LD_PRELOAD=$preload LT_FAIL_PROGRAM=lt-build "$O/lt-build" examples/first.lt -c w=iota -i x=iota -o "$to/m" -q
	}
	LT_FAIL_COUNT=$to/count once && n=$(cat "$to/count") && [ "$n" -gt 100 ] && rm "$to/m" || return
	for i in $(seq "$first" 14 "$n"); do
		LT_FAIL_AT=$i says 1 'out of memory' once && [ ! -e "$to/m" ] || { echo "allocation $i"; bad=1; }
	done
	return $bad
}
memory() {
	if [ -n "${SAN-}" ]; then echo "ok - memory that runs out # SKIP the sanitizers have their own"
	else
		try "memory that runs out" out_of_memory 1
		again "memory that runs out" out_of_memory 8
	fi
}

[ $# != 0 ] || set -- examples library threads faults machines wasm32 refusals memory
for part in "$@"; do
	$part
done
