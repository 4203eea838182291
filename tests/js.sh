#!/usr/bin/env bash
# tests/js.sh -- the library as WebAssembly, built and tried by node: tests/js/*.test.mjs; lt-check linked with it; its
# page, tried in Chromium: tests/playground/*.test.mjs.  Prints TAP.
set -u
: "${O:=build}" "${MAKE:=make}"
scripts/setup.sh emscripten >&2
for tool in emcc node; do
	command -v $tool >/dev/null || { echo "ok - js # SKIP $tool is not installed: scripts/setup.sh emscripten"; exit; }
done
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
# made GOAL [PLUGINS=...]: as many jobs as there are processors: those of `make check-more` are its own.
made() {
	if env -u MAKEFLAGS -u MAKELEVEL "$MAKE" "$@" "O=$O" >&2; then echo "ok - make $1"; else
		echo "not ok - make $1"
		exit
	fi
}
# tried NAME TEST...: by node.
tried() {
	O=$O PLUGIN=trace LT_RUN=$O/lt-run BROWSER=$browser node --test --test-reporter=tap "${@:2}" >"$O/js/$1.tap" || true
	cat "$O/js/$1.tap" >&2
	sed -n 's/^\(ok\|not ok\) [0-9]* - \(.*\)/\1 - \2/p' "$O/js/$1.tap"
	grep -q '^1\.\.' "$O/js/$1.tap" || echo "not ok - node ran no test of $1"
}
made wasm
tried library tests/js/*.test.mjs

# Only what threads and pages of memory would show is left out of the suite.
suite() {
	local said=$O/js/lt-check.txt
	env -u MAKEFLAGS -u MAKELEVEL "$MAKE" -s wasm-check "O=$O" "PLUGINS=$(printf ' tests/faults/%s.c' "${faults[@]}")" \
		CHECK='-b wasm -v' >"$said" || { tail -n 30 "$said"; return 1; }
	tail -n 30 "$said"
	[ "$(grep '^skipped [a-z]*/' "$said" | grep -v 'not offered' | cut -d: -f2- | sort | uniq -c | tr -s ' \n' ' ')" = \
		" 1 memory has no pages here that can be closed 3 there is one thread here, and no other can be made " ] &&
		grep -q '^wasm .*: nothing failed of 38[0-9][0-9] cases' "$said"
}
# Each fault by the cases that find it natively (tests/check_faults.def).
caught() {
	local fault=$1 options
	options=$(sed -n "s/^[ \t]*{ \"$fault\", \"\([^\"]*\)\",.*/\1/p" tests/check_faults.def | head -n 1)
	[ -n "$options" ] || return
	eval "node $O/js/lt-check.mjs -b $fault $options" >"$O/js/$fault.txt"
	[ $? = 1 ] && grep -q ': FAILED: ' "$O/js/$fault.txt" || { cat "$O/js/$fault.txt"; return 1; }
}
check() { if "${@:2}" >&2; then echo "ok - $1"; else echo "not ok - $1"; fi; }
faults=(past_end writes_tree keeps_config plan_by_tree zero_trip leak environment environ shared_queue keeps_slots)
check "make wasm-check: lt-check as WebAssembly, and all of its cases" suite
for fault in "${faults[@]}"; do check "... finds the fault $fault" caught "$fault"; done

if [ -z "$browser" ] || ! python3 -c '' 2>/dev/null; then
	echo "ok - playground # SKIP Chromium or python3 is not installed (scripts/setup.sh browser)"
	exit
fi
# With a backend of others in it: one more link of the same objects.
made playground PLUGINS=examples/plugin/trace
tried page tests/playground/*.test.mjs
