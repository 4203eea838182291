#!/usr/bin/env bash
# tests/wasm.sh -- lt-build for WebAssembly: modules that node calls (tests/wasm/api.mjs), a page in Chromium, files
# that are refused, planted faults; with CHECK_MORE, types by tsc, a module from a server, models of llama2.c.  (The
# models of tests/standalone.sh are modules there.)
# Prints TAP.  Called with O.
set -u
: "${O:=build}"
case $O in /*) ;; *) O=$PWD/$O ;; esac
to=$(mktemp -d)
trap 'rm -rf "$to"' EXIT
unset CC
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
clang=
for name in clang-19 clang-21 clang-20 clang-18 clang-17 clang-16; do
	command -v $name >/dev/null && { clang=$name; break; }
done
if [ -z "$clang" ] || [ ! -e /usr/include/wasm32-wasi/math.h ] || ! command -v node >/dev/null; then
	echo "ok - WebAssembly # SKIP clang of 16 or later, wasi-libc or node is not installed (scripts/setup.sh wasm)"
	exit 0
fi
module() {
	local name=$1
	shift
	says 0 "(by node)" "$O/lt-build" "$@" --target wasm32 -o "$to/$name"
}
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
# opened URL EXPRESSION: what the promise is in that page, in Chromium.
opened() {
	node tests/wasm/browser.mjs "$browser" "$to/browser" "$@" 2>"$to/browser.log" && return
	cat "$to/browser.log"
	return 1
}

# -- with CHECK_MORE: types, a server, models of llama2.c --

types() {
	cat >"$to/use.mts" <<'END'
import { load, version, LooptreeError } from './batch/batch.js';
const m = await load('batch/batch.wasm'), x = new Float32Array(9);
const y: Float32Array = m.run({ x }).y, shape: readonly number[] = m.run({ x, batch: 3n }).y.shape;
const text: string = m.inputs.x.text + version + shape.length + y.length;
try { m.reset(); } catch (e) { if (e instanceof LooptreeError && e.code === 'EFAULT') console.log(text); }
// @ts-expect-error: another type
m.run({ x: new Float64Array(9) });
// @ts-expect-error: no such input
m.run({ x, z: x });
// @ts-expect-error: it is missing
m.run({});
// @ts-expect-error: no such state
m.getState('x');
END
	tsc --strict --noEmit --target es2022 --module nodenext --lib es2022,dom "$to/use.mts"
}
# A server of the folder; its address is in $url.
serve() {
	python3 -u -c 'import functools, http.server, sys
handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=sys.argv[1])
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
print(server.server_address[1], flush=True)
server.serve_forever()' "$to" >"$to/port" 2>"$to/server.log" &
	server=$!
	for _ in $(seq 100); do [ -s "$to/port" ] && break; sleep 0.1; done
	url=http://127.0.0.1:$(cat "$to/port")
}
# What the page of that name says at its end, in Chromium.
served_page() {
	opened "$url/$1" '(async () => {
		while (!window.done) await new Promise((next) => setTimeout(next, 20));
		return said;
	})()'
}
# A page of a server that fetches the module; and one whose module is not there.
served() {
	cat >"$to/served.html" <<'END'
<meta charset="utf-8"><script type="module">
import { load } from './first/first.js';
const { result } = (await load()).run({ x: Float32Array.of(0, 1, 2, 3, 4, 5) });
window.said = result.join(' ');
try { await load('gone/first.wasm'); } catch (e) { said += `; ${e.code} ${e.message}`; }
window.done = true;
</script>
END
	served_page served.html >"$to/dom"
	cat "$to/dom"
	grep -qF '0 0 0 0 26 38 50 62; ELOAD first: http' "$to/dom" && grep -qF '404' "$to/dom"
}
# As many tokens as lt-llama writes, and the same ones: of a random model of the sizes of NAME, in node.
story() {
	local name=$1 n=$2
	node tests/wasm/story.mjs make "$name" "$to/$name.bin" &&
	"$O/lt-llama" "$to/$name.bin" --tokens -t 0 -n "$n" -q | tr '\n' ' ' | sed 's/ *$/\n/' >"$to/$name.want" &&
	"$O/lt-build" "$to/$name.bin" --target wasm32 --no-verify -o "$to/$name" -q &&
	node tests/wasm/story.mjs tokens "$to/$name/$name.js" "$n" >"$to/$name.got" &&
	[ "$(wc -w <"$to/$name.want")" -gt 9 ] && cmp "$to/$name.want" "$to/$name.got"
}
# The same in Chromium.
served_story() {
	local name=$1 n=$2
	cp tests/wasm/story.mjs "$to" && cat >"$to/$name.html" <<END
<meta charset="utf-8"><script type="module">
import { load } from './$name/$name.js';
import { tokens } from './story.mjs';
try { window.said = tokens(await load(), $n).join(' '); } catch (e) { window.said = e.message; }
window.done = true;
</script>
END
	served_page "$name.html" >"$to/$name.got" && cmp "$to/$name.want" "$to/$name.got"
}
if [ -n "${CHECK_MORE-}" ]; then
	module batch tests/standalone/batch.graph >&2
	module first examples/first.lt -c w=iota -i x=iota >&2
	if command -v tsc >/dev/null; then check "types for TypeScript" types; else
		echo "ok - types for TypeScript # SKIP tsc is not installed (scripts/setup.sh wasm)"; fi
	check "tokens of stories260K are lt-llama's" story stories260K 300
	check "tokens of stories15M are lt-llama's" story stories15M 40
	if [ -n "$browser" ] && python3 -c '' 2>/dev/null; then
		serve
		check "a module from a server, in Chromium" served
		check "... tokens of stories260K" served_story stories260K 300
		check "... tokens of stories15M" served_story stories15M 40
		kill $server
	else
		echo "ok - a module from a server # SKIP Chromium or python3 is not installed (scripts/setup.sh browser)"
	fi
	exit 0
fi

# -- modules that JavaScript calls --

printf '%s\n' '$1 = InputTensor(x, float32, [300000]);' '$2 = SumNode($1, $1);' '$3 = ReLUNode($2);' 'result y = $3;' \
	>"$to/relu.lt"
printf '%s\n' '$1 = InputTensor(x, float32, [4]);' '$2 = BufferTensor(sum, float32, [4]);' '$3 = SumNode($1, $2);' \
	'$4 = ConstantTensor(begin, int64, [1]);' '$5 = ConstantTensor(end, int64, [1]);' \
	'$6 = ReplaceSliceNode($2, $3, $4, $5);' 'result = $6;' >"$to/sum.lt"
{
	printf '%s\n' 'graph 1' 'var i 3'
	for t in f64 f16 bf16 i8 u8 i16 u16 i32 u32 i64 u64 bool; do
		echo "%$t = $t[i] input \"$t\""
		echo "result \"r_$t\" = %$t"
	done
} >"$to/types.graph"
printf '%s\n' 'graph 1' 'var i 8' 'var j 2' 'param begin = %b[0] in 0..6' '%b = i64[] input "begin"' \
	'%x = f32[i] input "x"' '%y = f32[j] view { %x[j + begin] }' 'result "y" = %y' >"$to/slice.graph"
printf '%s\n' '$1 = InputTensor(at, int64, [2]);' '$2 = ConstantTensor(table, float32, [3, 2]);' \
	'$3 = GatherNode($2, $1);' 'z = InputTensor(z, float32, [2]);' 'result y = $3;' >"$to/table.lt"
printf '%s\n' 'graph 1' 'var i 3' '%a = f32[i] input "7"' '%b = f32[i] input "3"' '%c = f32[i] sub %a, %b' \
	'%d = f32[i] mul %a, %a' 'result "2" = %c' 'result "1" = %d' >"$to/numbers.graph"
modules() {
	local job jobs= bad=0
	module first examples/first.lt -c w=iota -i x=iota & jobs=$!
	module batch tests/standalone/batch.graph & jobs="$jobs $!"
	module rows tests/wasm/rows.graph & jobs="$jobs $!"
	module relu "$to/relu.lt" -i x=iota & jobs="$jobs $!"
	module sum "$to/sum.lt" -c begin=0 -c end=4 & jobs="$jobs $!"
	module types "$to/types.graph" -i '*=ones' & jobs="$jobs $!"
	module slice "$to/slice.graph" -i begin=3 & jobs="$jobs $!"
	module table "$to/table.lt" -c table=iota -i at=iota & jobs="$jobs $!"
	module dot tests/wasm/dot.graph & jobs="$jobs $!"
	module math tests/wasm/math.lt & jobs="$jobs $!"
	module numbers "$to/numbers.graph" & jobs="$jobs $!"
	for job in $jobs; do wait "$job" || bad=1; done
	return $bad
}
check "modules are built, and verified by node" modules
references() {
	"$O/lt-run" examples/first.lt -b ref -i x=iota -c w=iota -o "$to/first.npy" -q &&
	"$O/lt-run" "$to/sum.lt" -b ref -i x=iota -c begin=0 -c end=4 -n 3 -o "$to/sum.npy" -q
}
check "... and the backend ref runs the same" references
node tests/wasm/api.mjs "$to"

# Products are added by one instruction, where that was asked for.
relaxed() {
	local count='const b = fs.readFileSync(process.argv[1]); let n = 0;
		for (let i = 0; i + 2 < b.length; i++) n += b[i] === 0xfd && b[i + 1] === 0x85 && b[i + 2] === 2; console.log(n)'
	module exact examples/matmul.lt -c '*=random' & module relaxed examples/matmul.lt -c '*=random' --relaxed && wait $! &&
		[ "$(node -e "$count" "$to/exact/exact.wasm")" = 0 ] && [ "$(node -e "$count" "$to/relaxed/relaxed.wasm")" -gt 7 ]
}
check "relaxed SIMD" relaxed

# -- a page of its own, in Chromium --

page() {
	says 0 "(by node)" "$O/lt-build" examples/first.lt -c w=iota -i x=iota --single -o "$to/page.html" || return
	opened "file://$to/page.html" '(async () => {
		const said = async (text) => {
			while (!at("say").textContent.startsWith(text)) await new Promise((next) => setTimeout(next, 20));
		};
		await said("Ready.");
		at("input-x").value = "a file";
		at("run").click();
		await said("Choose a file for x.");
		at("input-x").value = "iota";
		at("run").click();
		await said("A run took");
		const shown = at("results").innerText, link = document.querySelector("a[download=\"result.npy\"]");
		at("stop").disabled = false;
		at("stop").click();
		await said("The run was ended");
		return `${at("name").textContent}: ${shown.replace(/\s+/g, " ")} ${link.href.slice(0, 5)}`;
	})()' >"$to/dom"
	cat "$to/dom"
	grep -qF 'page: result, float32 [2, 4] 0 0 0 0 26 38 50 62 Save result.npy blob:' "$to/dom"
}
# The page says text when it begins.
page_says() {
	opened "file://$to/$1" '(async () => {
		while (!at("say").textContent) await new Promise((next) => setTimeout(next, 20));
		return `${at("say").textContent} ${at("say").className} ${at("run").disabled}`;
	})()' >"$to/dom"
	cat "$to/dom"
	grep -qF "$2" "$to/dom" && grep -qF 'wrong true' "$to/dom"
}
damaged_page() {
	awk 'last == "<script type=\"text/plain\" id=\"module\">" { c = substr($0, 900, 1)
		$0 = substr($0, 1, 899) (c == "A" ? "B" : "A") substr($0, 901) } { last = $0; print }' "$to/page.html" \
		>"$to/damaged.html"
	! cmp -s "$to/page.html" "$to/damaged.html" && page_says damaged.html "the module is damaged: its sum is another one"
}
# Weights, and what is around them, as a server sends them.
size() {
	local all=0 weights file
	module mnist examples/mnist/mnist.lt -w examples/mnist/weights.safetensors || return
	weights=$(gzip -9 -c "$to/mnist/mnist.weights" | wc -c)
	for file in "$to"/mnist/*; do all=$((all + $(gzip -9 -c "$file" | wc -c))); done
	echo "MNIST: $all bytes, $weights of them weights"
	[ $((all - weights)) -le 30720 ]
}
check "a module is small" size
# An engine that has no SIMD, as the page is told.
old_engine() {
	sed 's/WebAssembly\.validate(/((bytes) => false)(/' "$to/page.html" >"$to/old.html" &&
	page_says old.html 'this engine has no SIMD of WebAssembly: take Chrome 92, '
}
if [ -n "$browser" ]; then
	check "a page of its own runs in Chromium from file://" page
	check "... and says in a sentence that an engine is too old" old_engine
	check "... that the module in it is damaged" damaged_page
else
	echo "ok - a page of its own # SKIP no Chromium is installed (scripts/setup.sh browser)"; fi

# -- what is refused; faults --

first() { "$O/lt-build" examples/first.lt -c w=iota -i x=iota "$@"; }
check "C of this target" says 2 "give -o the name of a folder" first --target wasm32 -o "$to/m.c"
check "... and a program" says 2 "leave --format out" first --target wasm32 --format exe -o "$to/m"
check "a page of another target" says 2 "is for the target wasm32, not avx2" first --target avx2 -o "$to/m.html"
check "threads" says 2 "one thread" first --target wasm32 --threads 2 -o "$to/m"
check "--relaxed of another target" says 2 "give --target wasm32, too" first --relaxed -o "$to/m"
echo mine >"$to/file"
check "a file where the folder would be" says 1 "it is a file, and a module is a folder" \
	first --target wasm32 -o "$to/file"
# Nothing is compiled before it is known that there is room for it, in memory and in the folder.
none() { local want=$1; shift; says "$want" "$@" && ! grep -q verified "$to/said"; }
check "a folder that cannot be made" none 1 "/proc/x: cannot be written" first --target wasm32 -o /proc/x
echo 'result y = InputTensor(x, float32, [40000, 40000]) + InputTensor(z, float32, [40000, 40000]);' >"$to/large.lt"
large() {
	says "$@" timeout -s KILL 60 "$O/lt-build" "$to/large.lt" --target wasm32 -o "$to/large"
}
check "a tensor that no module has room for" large 1 "no module has more than 4 GiB"
sed -i 's/40000, 40000/20000, 20000/g' "$to/large.lt"
check "... and some that it has none for together" large 1 "what runs read and write has 4800000000 bytes"
mkdir "$to/full" && echo mine >"$to/full/package.json"
check "a file of others in the folder" says 2 "lt-build has not made it" first --target wasm32 -o "$to/full"
check "... and nothing is written there" test ! -e "$to/full/full.wasm" -a "$(cat "$to/full/package.json")" = mine
check "an older clang" says 2 "no clang of 16 or later" first --target wasm32 -o "$to/m" --cc gcc
overwritten() { first --target wasm32 -o "$to/first/" -q && [ -e "$to/first/first.weights" ]; }
check "what lt-build has made is written over" overwritten
check "a name that texts have, too" says 0 "(by node)" first --target wasm32 -o "$to/m" --name a
wrong() {
	printf '#!/bin/sh\nfor f; do case $f in *_*.c) ;; *.c) sed -i "/^\\t\\tk.*_entry/d" $f ;; esac; done\nexec %s "$@"\n' \
		"$clang" >"$to/wrong-cc"
	chmod +x "$to/wrong-cc"
	says 1 "the binary is wrong, and is not written" first --target wasm32 --cc "$to/wrong-cc" -o "$to/wrong" &&
		[ ! -e "$to/wrong" ]
}
check "a fault that a compiler plants is found, nothing is written" wrong
importing() {
	local text='__attribute__((import_module("env"), import_name("now"))) int now(void);'
	text="$text __attribute__((export_name(\"n\"))) int n(void) { return now(); }"
	printf '#!/bin/sh\nfor f; do case $f in *_module.c) echo '"'%s'"' >>$f ;; esac; done\nexec %s "$@"\n' "$text" \
		"$clang" >"$to/import-cc"
	chmod +x "$to/import-cc"
	says 1 "the module would import env.now" first --target wasm32 --cc "$to/import-cc" -o "$to/imports" &&
		[ ! -e "$to/imports" ]
}
check "a module that would import a function" importing
