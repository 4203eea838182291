#!/usr/bin/env bash
# tests/gpu_table.sh -- bench/gpu_table.py and bench/pytorch_table.py make of measurements made up here the figures that
# one computes by hand; what the latter asks of lt-run and lt-bench, which rows it takes, and what it answers.  Prints
# TAP.
set -u
: "${O:=build}"
if ! python3 -c '' 2>/dev/null; then
	echo "ok - bench/gpu_table.py # SKIP there is no python3"
	exit
fi
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# row CONTESTANT MICROSECONDS [OF_PEAK]
row() { printf '{"contestant":"%s","status":"measured","median_s":%se-6,"of_peak":%s}' "$1" "$2" "${3:-1}"; }
# case SUITE GROUP NAME ROW...
case_of() {
	local head IFS=,
	head=$(printf '"suite":"%s","group":"%s","name":"%s"' "$1" "$2" "$3")
	shift 3
	printf '{%s,"rows":[%s]}' "$head" "$*"
}
cat >"$dir/products.json" <<END
{"peak":{"buffer_bytes":0,"flops":[{"per_second":6.4e13}],"read_bytes":[],"copy_bytes":[{"per_second":3e12}]},
"compile":[{"suite":"gemm","kernels":1,"tree_s":0.004,"freeze_s":0.001,"compile_cold_s":0.099,"compile_cached_s":0.001},
{"suite":"mlp","kernels":2,"tree_s":0.004,"freeze_s":0.002,"compile_cold_s":0.398,"compile_cached_s":0.004},
{"suite":"pieces","kernels":1,"tree_s":1,"freeze_s":1,"compile_cold_s":9,"compile_cached_s":9}],
"cases":[
$(case_of gemm s 64 "$(row cuda 5)" "$(row cuda:generated 5)" "$(row cublas 10)"),
$(case_of gemm s 1024 "$(row cuda 40)" "$(row cublas 50)"),
$(case_of gemm s 2048 "$(row cuda 400)" "$(row cuda:generated 500)" "$(row cublas 380)"),
$(case_of gemm rows 1x4096x4096 "$(row cuda 30 0.9)" "$(row cublas 30)")
]}
END
cat >"$dir/torch.json" <<END
{"peak":{"flops":[{"per_second":6.3e13}],"copy_bytes":[]},"compile":[],"cases":[
$(case_of pointwise chains 'chain8-2^24' "$(row cuda 10)" "$(row pytorch 40)" "$(row pytorch-compile 20)"),
$(case_of rows softmax softmax-65536x1024 "$(row cuda 100 0.8)" "$(row pytorch 100)" "$(row pytorch-compile 200)"),
$(case_of gpu mlp batch-128 "$(row cuda 10)" "$(row pytorch 20)" "$(row pytorch-compile 5)" "$(row pytorch-graphs 8)"),
$(case_of gpu mnist mnist-1 "$(row cuda 4)" "$(row pytorch 40)" "$(row pytorch-graphs 10)"),
$(case_of gpu chains 'chain8-2^26' "$(row cuda 4 0.95)" \
	'{"contestant":"pytorch","status":"failed","why":"no memory"}')
]}
END
has() {
	if grep -qxF -- "$1" "$dir/table"; then echo "ok - $1"; else echo "not ok - $1"; cat "$dir/table" >&2; fi
}
python3 bench/gpu_table.py "$dir"/{products,torch,none}.json >"$dir/table"
has '| the device: multiply-adds, copies |  |  | 64.0 TFLOP/s, 3.00 TB/s |'
has '| default tree, products of 20 µs and more, over cublasSgemm | ≥ 0.98 | no | least 0.950 (2048), '\
'mean 1.06 of 3 |'
has '| &nbsp; 2048 |  |  | 0.950: 400 µs |'
has '| generated product 2048, over cublasSgemm | ≥ 0.85 | no | 0.760: 500 µs |'
has '| default tree, shorter products, over cublasSgemm |  |  | mean 2.00 of 1 |'
has '| chains, of the device'"'"'s bandwidth | ≥ 0.9 | yes | least 0.95 of 1 |'
has '| one row by 4096x4096, by 4096x11008, of the device'"'"'s bandwidth | ≥ 0.85 | yes | least 0.90 of 1 |'
has '| pointwise, rows, network, over eager | ≥ 1.0 | yes | 2.00 of 3, least 1.00 (softmax-65536x1024) |'
has '| pointwise, rows, network, over torch.compile | ≥ 1.0 | yes | 1.26 of 3, least 0.50 (batch-128) |'
has '| &nbsp; rows, over torch.compile |  |  | 2.00 of 1, least 2.00 (softmax-65536x1024) |'
has '| 784-1000-10, batch-128, over the best of them |  |  | 0.50: 10 µs; eager 20 µs, torch.compile 5 µs, '\
'compile + CUDA graphs 8 µs |'
has '| 784-1000-10, mnist-1, over the best of them | ≥ 2 | yes | 2.50: 4 µs; eager 40 µs, '\
'compile + CUDA graphs 10 µs |'
has '| tree to loaded cubin, a kernel, an empty cache | ≤ 300 ms | yes | median 150 ms, most 200 ms of 2 |'
has '| tree to loaded cubin, a kernel, the cache | ≤ 5 ms | yes | median 2.5 ms, most 3 ms of 2 |'
has '| &nbsp; gpu/chain8-2^26, pytorch |  |  | failed: no memory |'

if python3 bench/gpu_table.py --check "$dir/products.json" >/dev/null; then echo "not ok - less than is asked for"
else echo "ok - less than is asked for"; fi
if python3 bench/gpu_table.py --check "$dir/torch.json" >/dev/null; then echo "not ok - a softmax of 0.8"
else echo "ok - a softmax of 0.8"; fi
sed -i 's/"of_peak":0.8/"of_peak":0.9/' "$dir/torch.json"
if python3 bench/gpu_table.py --check "$dir/torch.json" >/dev/null; then echo "ok - all that is asked for"
else echo "not ok - all that is asked for"; fi

# -- bench/pytorch_table.py --

table() { python3 bench/pytorch_table.py "$@" >"$dir/table" 2>"$dir/err"; }
# answers CODE WHAT OPTION...
answers() {
	local code=$1 what=$2
	shift 2
	table "$@"
	local status=$?
	if [ "$status" = "$code" ]; then echo "ok - $what"
	else echo "not ok - $what"; echo "exit code $status" >&2; cat "$dir"/{table,err} >&2; fi
}
said() { if [ "$1" = 0 ]; then echo "ok - $2"; else echo "not ok - $2"; cat "$dir"/{table,err} >&2; fi }

table --list --only norms,silu --types f16
[ "$(grep -c '^norms: ' "$dir/table")" = 4 ] && [ "$(grep -c '^silu: ' "$dir/table")" = 16 ] &&
	[ "$(wc -l <"$dir/table")" = 20 ]
said $? 'rows are chosen, and types'
table --list --filter '53 conv*, batch 1, f32' --filter '* norm 128x768, bf16'
[ "$(wc -l <"$dir/table")" = 3 ]
said $? 'and cases by patterns'
answers 1 'a row that there is not' --only norm
grep -q "^pytorch_table.py: there is no row 'norm'; there are convolutions, depthwise, " "$dir/err"
said $? 'is named, with those that there are'
table --scripts "$dir/scripts" --types f16,tf32
of=$(find "$dir/scripts" -name '*.lt' | wc -l) good=0
for file in "$dir"/scripts/*.lt; do "$O/lt-run" --dump=graph "$file" >/dev/null 2>"$dir/err" && good=$((good + 1)); done
[ "$of" = 66 ] && [ "$good" = "$of" ]
said $? "scripts that parse: $good of $of"

# case_us NAME TYPE BACKEND=MICROSECONDS...
case_us() {
	local us=
	for one in "${@:3}"; do us+=${us:+,}\"${one%=*}\":${one##*=}; done
	printf '{"name":"%s","kind":"%s","us":{%s}}' "$1" "$2" "$us"
}
others='| cudnn over the better of cuda and cuda:generated'
start='| LLaMA of six layers, cudnn:tf32: plans, first and second process'
conv='53 convolutions of ResNet-50, batch'
cat >"$dir/one.json" <<END
{"format":1,"date":"2026-11-29","looptree":"lt-run 1","device":"device 0, A","pytorch":"PyTorch 1","cases":[
$(case_us "$conv 32" f32 pytorch=100 cudnn=85), $(case_us "$conv 1" f32 pytorch=100 cudnn=94),
$(case_us "$conv 32" f16 pytorch=100 cudnn=50 cuda=40 cuda:generated=49),
$(case_us 'layer norm 8192x4096' f16 pytorch=24 cudnn=20 cuda=30 cuda:generated=20),
$(case_us 'RMS norm 8192x4096' f16 pytorch=36 cudnn=20), $(case_us 'layer norm 128x768' f16 pytorch=24 cudnn=20),
$(case_us 'RMS norm 128x768' f16 pytorch=48 cudnn=20 cuda=19.4 cuda:generated=25)],
"start":{"layer":{"s":1,"plans":3},"first":{"s":3,"plans":4},"second":{"s":1,"plans":0},
"first_cuda":{"s":2,"plans":0},"second_cuda":{"s":2,"plans":0}}}
END
cat >"$dir/two.json" <<END
{"format":1,"date":"2026-11-30","looptree":"lt-run 1","device":"device 0, A","cases":[
$(case_us "$conv 32" f16 cudnn=39 cuda=40 cuda:generated=49), $(case_us "$conv 1" f32 pytorch=null cudnn=50)],
"own":{"512":{"call_s":1000.9e-6,"loops_s":1000e-6,"noise_s":5e-7,"n":40}}}
END
table --from "$dir/one.json" --only convolutions,norms,backends,start,own
has '2026-11-29: lt-run 1; device 0, A; PyTorch 1'
has "| $conv 32 | f32 | ≤ 0.85 | yes | 0.850: 85.0 us, PyTorch's 100.0 us |"
has "| $conv 1 | f32 | ≤ 0.93 | no | 0.940: 94.0 us, PyTorch's 100.0 us |"
has "| $conv 32 | tf32 | ≤ 0.46 |  | not measured |"
has '| layer norm, RMS norm | f16 | ≥ 1.2 | yes | 1.579 / 1.200 (layer norm 8192x4096, f16) of 4 |'
has "$others"' |  | ≥ 0.97 | no | 0.800 (53 convolutions of ResNet-50, batch 32, '\
'f16) of 3, 17 not measured |'
has "$start |  | one layer's; 0 | no | 4 (one layer: 3); 0 |"
has '| its start over that of cuda: first process; second |  |  |  | 1.50; 0.50: 3.00 and 1.00 s, '\
'cuda 2.00 and 2.00 s |'
has '| a call of an own product 512³ above its loops |  | ≤ 1 us |  | not measured |'
table --from "$dir"/{one,two}.json --only convolutions,own,backends --cases
has "| $conv 32 | f16 | ≤ 0.4 | no | 0.500: 50.0 us, PyTorch's 100.0 us |"
has "| $conv 1 | f32 | ≤ 0.93 | no | 0.940: 94.0 us, PyTorch's 100.0 us |"
has "$others"' |  | ≥ 0.97 |  | 1.026 (53 convolutions of ResNet-50, batch 32, '\
'f16) of 1, 7 not measured |'
has '| a call of an own product 512³ above its loops |  | ≤ 1 us | yes | 0.900 us: 1000.90 and 1000.00 us, fastest '\
'of 40 by turns; the loops and themselves 0.500 us |'
has "| $conv 32 | f16 | 100.0 | 50.0 | 2.00 | 40.0, 49.0 | 1.03 |"
answers 0 'all that is asked for is reached' --from "$dir/one.json" --only norms --types f16 --check
answers 1 'a ratio that is less' --from "$dir/one.json" --only convolutions --filter '*batch 1, f32' --check
answers 1 'what was not measured' --from "$dir/one.json" --only attention --types f16 --check

# What it asks lt-run for.  Layer norms are one program by cudnn and by cuda; others are not, and cuda:generated seems
# faster the first time.
cat >"$dir/lt-run" <<'END'
#!/usr/bin/env bash
here=${0%/*} backend= script=$1
while [ $# -gt 0 ]; do
	case $1 in
	-b) backend=$2 ;;
	--version) echo 'lt-run 7' ;;
	--list-backends)
		printf 'cuda    1  10  cuda:sm_90a\n  device 0, C\ncudnn   1  9  cudnn:sm_90a\n  device 0, D\n  cuDNN 9\n' ;;
	--dump=frozen)
		printf 'target %s\nkernel\n' "$backend"
		grep -q LayerNorm "$script" && [[ $backend != *generated* ]] || echo "$backend" ;;
	--time=*)
		echo "$backend" >>"$here/timed"
		us=20
		[ "$backend $(grep -c generated "$here/timed")" = 'cuda:generated 1' ] && us=15
		[ "$backend" = cudnn:tf32 ] && us=2000000
		[ "$us" -lt 1000 ] && echo "time: median $us us, minimum 1 us" || echo 'time: median 1.5 ms, minimum 1 us'
		echo 'device: 2 us a run, by its own clock' ;;
	-v) [[ $script == *stories* ]] && n=2 || n=3
		[ -e "$here/kept$n" ] && n=0 || touch "$here/kept$n"
		echo "18 kernels for 'cudnn' in 2 ms; plans of libraries: $n built, 0 read" ;;
	esac
	shift
done
exit 0
END
chmod +x "$dir/lt-run"
measured() { table --lt-run "$dir/lt-run" --peer none --jobs 1 "$@"; }
measured --only norms,backends --types f16 --filter '*128x768*' --json "$dir/kept.json"
has "$(date +%Y-%m-%d)"': lt-run 7; device 0, D, cuDNN 9; no PyTorch'
has "$others"' |  | ≥ 0.97 | no | 0.750 (layer norm 128x768, f16) of 2 |'
turn='cudnn cuda:generated '
[ "$(tr '\n' ' ' <"$dir/timed")" = "$turn$turn${turn}cudnn cuda cuda:generated " ]
said $? 'one program is timed once, and what seems to be behind again, by turns'
table --from "$dir/kept.json" --only norms,backends --types f16 --filter '*128x768*'
has "$others"' |  | ≥ 0.97 | no | 0.750 (layer norm 128x768, f16) of 2 |'
: >"$dir/timed"
measured --only convolutions,products --filter '*batch 1, tf32' --filter '128x*gelu, float32 between, f16' --cases
[ "$(tr '\n' ' ' <"$dir/timed")" = 'cudnn:tf32 cudnn:gelu ' ]
said $? 'options that a case has are asked for'
measured --only attention --seconds 0 --json "$dir/kept.json"
has '| attention | f16 bf16 | ≥ 1.05 / ≥ 0.9 |  | not measured |'
measured --only start
has "$start |  | one layer's; 0 | yes | 2 (one layer: 3); 0 |"
table --peer none --only own --rounds 1 --samples 1 --sizes 8
grep -q '^| a call of an own product 8³ above its loops |  | ≤ 1 us | [a-z]* | .* us, fastest of 1 by turns;' \
	"$dir/table"
said $? 'the loops of a product are a kernel, and are timed beside themselves'
