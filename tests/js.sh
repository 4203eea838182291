#!/usr/bin/env bash
# tests/js.sh -- the library as WebAssembly, built and tried by node: tests/js/*.test.mjs; its page, tried in Chromium:
# tests/playground/*.test.mjs.  Prints TAP.
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
if [ -z "$browser" ] || ! python3 -c '' 2>/dev/null; then
	echo "ok - playground # SKIP Chromium or python3 is not installed (scripts/setup.sh browser)"
	exit
fi
# With a backend of others in it: one more link of the same objects.
made playground PLUGINS=examples/plugin/trace
tried page tests/playground/*.test.mjs
