#!/usr/bin/env bash
# tests/wasm_backend.sh -- the backend wasm by node's engine (tests/wasm/engine.mjs): lt-check, with fused products,
# too, and engines that are not there or go away.  With CHECK_MORE longer, and every example judged.  Prints TAP.
set -u
: "${O:=build}"
command -v node >/dev/null || { echo "ok - wasm_backend # SKIP node is not installed: scripts/setup.sh wasm"; exit; }
to=$(mktemp -d)
running=()
trap 'kill "${running[@]}" 2>/dev/null; rm -rf "$to"' EXIT
check() {
	local name=$1
	shift
	if "$@" >"$to/said" 2>&1; then echo "ok - $name"; else cat "$to/said" >&2; echo "not ok - $name"; fi
}
# engine NAME FLAGS...: one that listens at $to/NAME.  By one compiler: V8 has two, of which the second takes over when
# a module has run for a while, and they give other bits of a NaN.
engine() {
	local name=$1 n=0
	shift
	mkfifo "$to/$name.in"
	node --no-liftoff "$@" tests/wasm/engine.mjs "$to/$name" <"$to/$name.in" >"$to/$name.out" 2>&1 &
	running+=($!)
	exec {hold}>"$to/$name.in"
	until grep -q ready "$to/$name.out"; do
		sleep 0.1
		[ $((n += 1)) -lt 300 ] || { cat "$to/$name.out" >&2; return 1; }
	done
}
says() { ! "${@:2}" >"$to/say" 2>&1 && grep -qF "$1" "$to/say" || { cat "$to/say"; return 1; }; }
check "an engine" engine plain
part=(--part 1/10)
[ -z "${CHECK_MORE-}" ] || part=()
check "lt-check" "$O/lt-check" -b "wasm:engine=$to/plain" "${part[@]}"
check "lt-check, the clauses" "$O/lt-check" -b "wasm:engine=$to/plain" --filter 'threads/*'
if node --experimental-wasm-relaxed-simd -e 0 2>/dev/null; then
	check "an engine with relaxed SIMD" engine relaxed --experimental-wasm-relaxed-simd
	check "lt-check, products and sums fused" "$O/lt-check" -b "wasm:relaxed/engine=$to/relaxed" --seed 2 "${part[@]}"
fi
every_example() {
	local script options bad=0
	set -f
	while read -r script options; do
		[[ $script =~ stories ]] && continue            # it takes a minute
		"$O/lt-run" -b "wasm:engine=$to/plain" --strict --verify "$script" $options -q || { echo "$script $options"; bad=1; }
	done < <(grep -v '^#' tests/examples.txt)
	set +f
	return $bad
}
[ -z "${CHECK_MORE-}" ] || check "every example" every_example
# Kernels of one's own are C: they are refused with a sentence, and what they mean runs.
own_kernels() {
	"$O/lt-run" -b "wasm:engine=$to/plain" --strict --verify examples/own.lt -i points=random -c turn=random -q || return
	"$O/lt-check" -b "wasm:engine=$to/plain" --kernels examples/own --filter f32/primes >"$to/own"
	cat "$to/own"
	grep -q "^refused .*: it does not understand kernels of one's own" "$to/own"
}
check "kernels of one's own" own_kernels
first=(examples/first.lt -i '*=random' -c '*=random')
check "no engine" says "there is no engine of WebAssembly here" "$O/lt-run" -b wasm "${first[@]}"
check "none at the socket" says "no engine listens at $to/none" "$O/lt-run" -b "wasm:engine=$to/none" "${first[@]}"
# A module with one f32x4.relaxed_madd.
if node -e 'const madd = [0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 19, 1, 17, 0,
	...[1, 2, 3].flatMap(() => [65, 0, 253, 17]), 253, 133, 2, 11];
	process.exit(WebAssembly.validate(Uint8Array.from(madd)) ? 1 : 0);'; then
	check "no relaxed SIMD" says "this engine has no relaxed SIMD" "$O/lt-run" -b "wasm:relaxed/engine=$to/plain" \
		"${first[@]}"
else
	echo "ok - no relaxed SIMD # SKIP node has it by default"
fi
kill "${running[0]}"
wait "${running[0]}" 2>/dev/null
check "one that has ended" says "no engine listens at $to/plain" "$O/lt-run" -b "wasm:engine=$to/plain" "${first[@]}"
