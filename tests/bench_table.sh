#!/usr/bin/env bash
# tests/bench_table.sh -- bench/table.py makes of measurements made up here the figures that one computes by hand.
# Prints TAP.
set -u
if ! python3 -c '' 2>/dev/null; then
	echo "ok - bench/table.py # SKIP there is no python3"
	exit
fi
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# row CONTESTANT ROLE RATE OF_PEAK
row() { printf '{"contestant":"%s","role":"%s","status":"measured","per_second":%s,"of_peak":%s}' "$@"; }
# gemm NAME THREADS ROW...: one case
gemm() {
	local name=$1 threads=$2 IFS=,
	shift 2
	printf '{"suite":"gemm","group":"","name":"%s","threads":%s,"rows":[%s]}' "$name" "$threads" "$*"
}
cat >"$dir/run.json" <<END
{"machine":{"processor":"P","architecture":"A","processors":2,"l1_bytes":32768,"l2_bytes":1048576,"l3_bytes":8388608,
"flags":"sse avx2","built_with":"12"},
"samples":7,"peak":{"flops":[{"threads":1,"per_second":5e10}],"read_bytes":[],"copy_bytes":[]},
"compile":[{"suite":"gemm","tree_s":0.001,"compile_cold_s":0.2,"compile_cached_s":0.002},
{"suite":"rows","tree_s":9,"compile_cold_s":9,"compile_cached_s":9}],
"cases":[
$(gemm 512 1 "$(row cpu looptree 90 0.9)" "$(row 'cpu again' again 1 0.01)" \
	"$(row openblas:a other 100 1.0)" "$(row openblas:b other 45 0.45)" "$(row onednn other 60 0.6)"),
$(gemm 2048 1 "$(row cpu looptree 40 0.4)" "$(row onednn other 20 0.2)"),
$(gemm 1024 2 "$(row cpu looptree 70 0.7)" \
	"$(row 'cpu at/7-rest.tree' looptree 60 0.6)" "$(row 'cpu at/8-threads.tree' looptree 65 0.65)"),
$(gemm 8x4096x4096 1 "$(row cpu looptree 30 0.3)" \
	"$(row onnxruntime other 20 0.2)" "$(row openvino other 60 0.6)" "$(row onednn other 10 0.1)"),
$(gemm 1024x8x8 1 "$(row cpu looptree 1 0.01)" "$(row onednn other 1000 1)")
]}
END
# says NAME COMMAND...
says() {
	local name=$1
	shift
	if "$@"; then echo "ok - $name"; else echo "not ok - $name"; fi
}
has() {
	if grep -qxF -- "$2" "$dir/$1"; then echo "ok - $2"; else echo "not ok - $2"; cat "$dir/$1" >&2; fi
}
python3 bench/table.py "$dir/run.json" >"$dir/table"
has table '| products, squares 512 to 2048, one thread, of the multiply-add peak | 0.90 | 0.60 (lowest 0.40 of 2) |'
has table '| the same, of the best of OpenBLAS and oneDNN | 0.95 | 1.34 (lowest 0.90 of 2) |'
has table '| the same with two threads | 0.93 | not measured, 1 without a number |'
has table '| MLP, of ONNX Runtime | 1.00 | not measured |'
has table '| a product, tree to loaded code, cold, median of the suite | ≤ 0.25 s | 0.2 s |'
has table '| the same from the cache | ≤ 3 ms | 2 ms |'
has table '* P (A, AVX2), 2 processors, L1 32 KiB, L2 1024 KiB, L3 8 MiB; compiler 12; 7 samples; '\
'50 GFLOP/s with 1 thread'

python3 bench/table.py --rivals "$dir/run.json" >"$dir/rivals"
has rivals '| one thread | ONNX Runtime | OpenVINO | oneDNN |'
has rivals '| products: squares of 512, 2048 | – | – | 1.73 (lowest 1.50 of 2) |'
has rivals '| few rows: 8x4096x4096 | 1.50 | 0.50 | 3.00 |'
has rivals '| dense layers (MLP): not measured | – | – | – |'
has rivals '| softmax | – | – | – |'
sed -e 's/"per_second":60,/"median_s":9,"minimum_s":3,&/' \
	-e 's/"status":"measured","per_second"/"status":"measured","median_s":2,"minimum_s":2,"per_second"/g' \
	"$dir/run.json" >"$dir/fastest.json"
python3 bench/table.py --rivals --fastest "$dir/fastest.json" >"$dir/rivals"
has rivals '| few rows: 8x4096x4096 | 1.50 | 0.17 | 3.00 |'

# Networks: times follow from operations and rates; the best of the others has a name.
net() { gemm "$@" | sed 's/"suite":"gemm"/"suite":"nets","flops":1000/'; }
cat >"$dir/nets.json" <<END
{"machine":{"processor":"P","architecture":"A","processors":2,"l1_bytes":32768,"l2_bytes":1048576,"l3_bytes":8388608,
"flags":"sse avx2","built_with":"12"},"samples":7,"cases":[
$(net bert 1 "$(row cpu looptree 10000 0.9)" "$(row onnxruntime other 20000 1)" "$(row openvino other 5000 1)"),
$(net bert 2 "$(row cpu looptree 40000 0.9)" "$(row onnxruntime other 20000 1)"),
$(net vit 1 "$(row cpu looptree 800 0.9)" "$(row openvino other 1000 1)")],
"start":[{"suite":"start","name":"bert","threads":2,"rows":[
{"contestant":"llvm cold","role":"looptree","status":"measured","total_s":1.5,"time_over_best":3,"peak_bytes":2000000,
"memory_over_best":0.5},
{"contestant":"cpu cold","role":"looptree","status":"failed","why":"no"},
{"contestant":"ort","role":"other","status":"measured","total_s":0.5,"time_over_best":1,"peak_bytes":4000000,
"memory_over_best":1}]}]}
END
sed 's/"samples":7/"samples":7,"busy":1/' "$dir/nets.json" >"$dir/busy.json"
python3 bench/table.py --nets "$dir/nets.json" >"$dir/nets"
has nets '| ms | 1 thread: ours | best other | ratio | 2 threads: ours | best other | ratio |'
has nets '| bert | 100.0 | 50 (onnxruntime) | 0.50 | 25 | 50 (onnxruntime) | 2.00 |'
has nets '| vit | 1250 | 1000 (openvino) | 0.80 | – | – | – |'
has nets '| geometric mean | | | 0.63 (lowest 0.50 of 2) | | | 2.00 |'
has nets '| bert, llvm cold | 2 | 1.50 s | 3.00 | 2 MB | 0.50 |'
has nets '| bert, ort | 2 | 0.50 s |  | 4 MB |  |'
says "what failed has no line" eval '! grep -q "cpu cold" "$dir/nets"'
python3 bench/table.py --nets "$dir/nets.json" "$dir/busy.json" >"$dir/nets"
has nets '| vit beside a busy process | 1250 | 1000 (openvino) | 0.80 | – | – | – |'
has nets '| geometric mean beside busy processes | | | 0.63 (lowest 0.50 of 2) | | | 2.00 |'
sed 's/40000/10000/' "$dir/nets.json" >"$dir/again.json"
python3 bench/table.py --nets "$dir/nets.json" "$dir/again.json" >"$dir/nets"
has nets '| geometric mean | | | 0.63 (lowest 0.50 of 2) | | | 0.50 |'
printf '<!-- measured -->\nstays\n<!-- end -->\n<!-- nets -->\ngoes\n<!-- end -->\n' >"$dir/page"
python3 bench/table.py --nets --write "$dir/page" "$dir/nets.json"
has page stays
says "the table of networks has its own lines" eval 'grep -q "^| bert |" "$dir/page" && ! grep -q goes "$dir/page"'

# llama TYPE CONTESTANT ROLE RATE OF_BEST MORE: one case of a shape
llama() {
	printf '{"suite":"llama","name":"15M-%s","threads":2,"rows":[{"contestant":"%s","role":"%s",' "$1" "$2" "$3"
	printf '"status":"measured",'
	printf '"of_best":%s,"of_peak":0.5,"stats":{"tokens_per_second":%s,"prompt_per_second":%s,"launches_per_second":0,' \
		"$5" "$4" "$6"
	printf '"agree":7,"tokens":9%s}},{"contestant":"read","role":"denominator","status":"measured"}]}' "$7"
}
start=',"compile_cold_s":0.5,"compile_cached_s":0.125,"peak_cached_bytes":10485760,"checkpoint_bytes":4194304,'
start=$start'"cache_bytes":1048576'
cat >"$dir/llama.json" <<END
{"machine":{"processor":"P","architecture":"A","processors":2,"l1_bytes":32768,"l2_bytes":1048576,"l3_bytes":8388608,
"flags":"sse avx2","built_with":"12"},"samples":5,"compile":[],"cases":[
$(llama f32 cpu looptree 100 2 800 "$start"),$(llama f32 run other 50 1 0 ''),
$(llama bf16 cpu looptree 175 null 700 ''),
{"suite":"llama","name":"15M-int8","threads":2,"rows":[{"contestant":"cpu","role":"looptree","status":"failed"}]}]}
END
printf '<!-- llama -->\ngoes\n<!-- end -->\n' >"$dir/page"
python3 bench/table.py --llama --write "$dir/page" "$dir/llama.json"
has page '| 15M | 2 | cpu f32 | 100 | 2.00 | 0.50 |  | 800 | 8.0 |  | 0.50 s, 0.12 s | 5.0 | 7 of 9 |'
has page '| 15M | 2 | run f32 | 50 |  | 0.50 |  |  |  |  |  |  | 7 of 9 |'
has page '| 15M | 2 | cpu bf16 | 175 |  | 0.50 | 1.75 | 700 | 4.0 |  |  |  | 7 of 9 |'
has page '| 15M | 2 | cpu int8 | failed | | | | | | | | | |'

printf 'before\n<!-- measured -->\n<!-- end -->\nbehind\n' >"$dir/page"
python3 bench/table.py --write "$dir/page" "$dir/run.json" && sed -i 's/2 ms/stale/' "$dir/page"
python3 bench/table.py --write "$dir/page" "$dir/run.json"
has page before
has page behind
has page '| the same from the cache | ≤ 3 ms | 2 ms |'
says "what was measured before is gone" eval '! grep -q stale "$dir/page"'
if (cd "$dir" && mkdir at && echo 'looptree 1' >at/8-threads.tree &&
	sed -i '1i # A step.\n# Measured: nothing.' at/8-threads.tree &&
	python3 "$OLDPWD/bench/table.py" --tutorial --write page run.json); then
	has page '| step 8, threads | 2 | 0.0 | 0.65 |'
	has at/8-threads.tree '# Measured: 0.0 GFLOP/s with 2 threads, 0.65 of the peak.'
	says "a step of one thread is measured with one" eval '! grep -q rest "$dir/page"'
	says "a step keeps its lines" [ "$(wc -l <"$dir/at/8-threads.tree")" = 3 ]
else
	echo "not ok - bench/table.py --tutorial"
fi
