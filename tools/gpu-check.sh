#!/usr/bin/env bash
# gpu-check.sh [-p PARTS] [-r ROWS] [FOLDER] -- checks and measures the backends cuda and cudnn on a machine with a
# GPU, in less than eight minutes and without a network.  Prints one table; everything that the programs say is left in
# FOLDER (gpu-check).  1 if something failed, was not done in that time, or is less than what is asked for
# (gpu_table.py, pytorch_table.py).
#
#   -p PARTS    some of tests,measure,examples,integers,nets,llama,check,bench,sanitize,cudnn,plans, in this order, and
#               of those that take minutes, each better by itself: check-cudnn,check-tf32 (all of lt-check with -b
#               cudnn, cudnn:tf32), table (bench/pytorch_table.py); default: all but these three
#   -r ROWS     of the table only these, such as attention,norms.  What one sitting does not reach the next one
#               measures: pytorch_table.py --from one/table.json two/table.json makes one table of all
#
# nets runs whole networks with random weights: the scripts $O/nets/*.lt, if there are any, which lt-run --dump=script
# makes of the models of bench/make_nets.py (--dim batch=32 -o build/nets/resnet50_32.lt).
#
# With Criterion, isl and the CUDA toolkit installed:    make && tools/gpu-check.sh
# On a machine that cannot build:                        make gpu         on one that can: build/gpu has all it needs
#                                                        gpu/gpu-check.sh     there, wherever that folder lies
#
# gpu-check.sh --pack FOLDER PROGRAM...  (make gpu) -- copies the programs there, the shared libraries that they need,
# except those that every system has, and the examples.
set -u
export LC_ALL=C.UTF-8
O=${O:-build}

if [ "${1-}" = --pack ]; then
	to=$2
	shift 2
	rm -rf "$to" && mkdir -p "$to/bin/tests" "$to/lib" "$to/tests" || exit 1
	for program in "$@"; do
		in=$to/bin
		[[ $program == */tests/* ]] && in=$to/bin/tests         # they look for tools one folder up
		cp "$program" "$in" && strip -s "$in/${program##*/}" || exit 1
	done
	ldd "$to"/bin/lt-* "$to"/bin/tests/* | awk '/=> \// { print $1, $3 }' | sort -u |
		grep -vE '^(libc|libm|libdl|libpthread|librt|libresolv|ld-linux[^ ]*|libgcc_s|libstdc\+\+)\.so' |
		while read -r name file; do cp -L "$file" "$to/lib/$name"; done
	cp -R examples "$to" && cp -R tests/cases tests/examples.txt tests/fixed "$to/tests" && cp "$0" "$to" || exit 1
	mkdir "$to/nets" && find "$O/nets" -name '*.lt' -exec cp {} "$to/nets" \; 2>/dev/null
	mkdir "$to/peers" && cp bench/peers/p*.py "$to/peers" || exit 1
	cp tools/gpu-bench.sh bench/gpu_table.py bench/pytorch_table.py "$to" || exit 1
	du -sh "$to"
	exit 0
fi

parts=tests,measure,examples,integers,nets,llama,check,bench,sanitize,cudnn,plans
rows=
while [[ ${1-} == -[pr] ]]; do
	[ "$1" = -p ] && parts=$2 || rows=$2
	shift 2
done
out=${1:-gpu-check}
mkdir -p "$out" || exit 1
out=$(cd "$out" && pwd)
begin=$(date +%s)
whole=470                       # seconds for all
bin=$O nets=$PWD/$O/nets
here=$(cd "$(dirname "$0")" && pwd)
[ -d "$here/bin" ] || here=$PWD/$O/gpu
if [ -d "$here/bin" ]; then
	bin=$here/bin nets=$here/nets
	export O=$bin
	# What the system has itself is better than what was carried.
	libraries=$(mktemp -d)
	trap 'rm -rf "$libraries"' EXIT
	for file in "$here"/lib/*; do
		ldconfig -p | grep -qF "	${file##*/} " || ln -s "$file" "$libraries"
	done
	export LD_LIBRARY_PATH=$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
	cd "$here" || exit 1
else
	make -s all "$O"/tests/test_grid_trees "$O"/tests/cuda/test_cuda_{host,programs,blas,bench} \
		"$O"/tests/cuda/measure_{cuda,blas} || exit 1
fi
failed=0
some=$(($(nproc) > 4 ? $(nproc) - 2 : 2))
export out bin some

# program NAME: where it is.
program() { find "$bin/$1" "$bin/tests/$1" "$bin/tests/cuda/$1" 2>/dev/null | head -n 1; }
# row NAME VALUE: a line of the table.
row() { printf '| %-44s | %s\n' "$1" "$2" | tee -a "$out/table"; }
has() { [[ ,$parts, == *",$1,"* ]]; }
seconds() { echo "$(($(date +%s) - $1)) s"; }

# facts: of the device, by the driver and by the backend.
facts() {
	local facts
	facts=$(nvidia-smi --query-gpu=name,driver_version,memory.total,clocks.max.sm,clocks.max.mem --format=csv,noheader \
		2>"$out/nvidia-smi.err") || facts="nvidia-smi: $(head -n 1 "$out/nvidia-smi.err")"
	while read -r line; do row device "$line"; done <<<"$facts"
	nvidia-smi -q >"$out/nvidia-smi.txt" 2>&1
	"$bin/lt-run" --list-backends >"$out/backends.txt" 2>&1
	row 'lt-run --list-backends' "$(grep '^cuda ' "$out/backends.txt" | tr -s ' ' || echo 'no backend cuda')"
	while read -r line; do row '' "$line"; done < <(sed -n '/^cuda /,/^[^ ]/p' "$out/backends.txt" | grep '^ ')
}

# limited SECONDS COMMAND...: ends it after as many, or when the time for all is over.
limited() {
	local most=$1 left=$((begin + whole - $(date +%s)))
	shift
	timeout -k 10 $((left < 1 ? 1 : left < most ? left : most)) "$@"
}

# tests PROGRAM: its suites that need a device; one test after the other.
tests() {
	local name=$1 passed bad skipped
	rm -f "$out/$name.tap"
	limited 60 "$(program "$name")" -j1 --filter 'gpu*/*' "--tap=$out/$name.tap" >"$out/$name.log" 2>&1
	local status=$?
	skipped=$(grep -c '^ok.*# SKIP' "$out/$name.tap" 2>/dev/null)
	passed=$(($(grep -c '^ok' "$out/$name.tap" 2>/dev/null) - ${skipped:-0}))
	bad=$(grep -c '^not ok' "$out/$name.tap" 2>/dev/null)
	row "$name" "$passed passed, ${bad:-0} failed, ${skipped:-0} skipped, exit code $status"
	[ "$status" = 0 ] && [ "$passed" -gt 0 ] && return
	failed=1
	tail -n 40 "$out/$name.log"
}

# measured PROGRAM: its lines as rows.
measured() {
	limited 60 "$(program "$1")" >"$out/$1.log" 2>"$out/$1.err" || {
		failed=1
		row "$1" "failed: $(tail -n 1 "$out/$1.err")"
	}
	while read -r line; do
		row "${line%%  *}" "$(sed 's/^.*   *//' <<<"$line")"
	done <"$out/$1.log"
}

# slower: large products of bfloat16 that a call makes slower than cuBLAS called directly.
slower() {
	local found
	found=$(sed -nE 's/^(bf16 (4096|8192)x[^ ]*), against cuBLAS +([0-9.]+) .*/\1 \3/p' "$out/measure_blas.log" |
		awk '$NF < 0.98')
	[ -z "$found" ] && return
	failed=1
	row 'less than 0.98 of its speed' "${found//$'\n'/; }"
}

# example LINE: a number, and options of lt-run; what it prints is a failure.
example() {
	local number=${1%% *} log
	set -f
	log=$out/examples/$number.log
	set -- ${1#* }
	limited 60 "$bin/lt-run" "$@" --no-cache -b cuda --strict --explain --verify >"$log" 2>&1 </dev/null ||
		echo "$1: exit code $?, $(tail -n 1 "$log") (examples/$number.log)"
}

# examples: each with the oracle beside it, some at a time.
examples() {
	local from n
	from=$(date +%s)
	mkdir -p "$out/examples"
	grep -v '^#' tests/examples.txt | cat -n | sed 's/^ *//; s/\t/ /' >"$out/examples/list"
	xargs -a "$out/examples/list" -d '\n' -P "$some" -I{} bash -c 'example "{}"' >"$out/examples/failed"
	n=$(wc -l <"$out/examples/failed")
	row 'examples with --verify' "$(($(wc -l <"$out/examples/list") - n)) passed, $n failed, $(seconds "$from")"
	while read -r line; do row '' "$line"; done <"$out/examples/failed"
	[ "$n" = 0 ] || failed=1
}

# Random graphs of integers, bit for bit as an interpreter in Python has them.
integers() {
	limited 60 python3 tests/fixed/everywhere.py 200 1 "$bin" cuda >"$out/integers.log" 2>&1
	row 'graphs of integers' "$(sed -n 's/^\(not \)\{0,1\}ok - //p' "$out/integers.log" | head -n 1)"
	grep -q '^ok - 200 graphs' "$out/integers.log" || failed=1
}

# nets: each by itself: microseconds of a run, and what of them crossing took; of each kernel: nets/NAME.log.
# Values are random, except of int64, which are indices: 0.
nets() {
	local file name log kind tensor given
	mkdir -p "$out/nets"
	for file in "$nets"/*.lt; do
		[ -e "$file" ] || continue
		name=$(basename "$file" .lt)
		log=$out/nets/$name.log
		given=(-i '*=random' -c '*=random')
		while read -r kind tensor; do
			given+=("$kind" "$tensor=0")
		done < <(sed -n -e 's/.* = InputTensor(\([^,]*\), int64, .*/-i \1/p' \
			-e 's/.* = ConstantTensor(\([^,]*\), int64, .*/-c \1/p' "$file")
		if limited 60 "$bin/lt-run" "$file" "${given[@]}" -q --no-cache -b cuda --strict --explain \
			--time=20 --profile >"$log" 2>&1 </dev/null; then
			row "network $name" "$(sed -n 's/^time: \(median[^,]*, minimum[^,]*\).*/\1/p' "$log")"
			row '' "$(grep -m 1 '^crossing: ' "$log")"
		else
			failed=1
			row "network $name" "failed: $(tail -n 1 "$log") (nets/$name.log)"
		fi
	done
}

# checkpoint FILE: a model of llama2.c of the shape of stories15M, with random weights.
checkpoint() {
	python3 - "$1" <<-END
		import array, random, struct, sys
		dim, hidden, layers, heads, vocab, context = 288, 768, 6, 6, 32000, 256
		random.seed(1)
		tile = array.array('f', (random.gauss(0, 0.05) for _ in range(100003)))
		ones = array.array('f', [1.0]) * dim
		def put(f, n):
		    while n > 0:
		        tile[:n].tofile(f)
		        n -= len(tile)
		with open(sys.argv[1], 'wb') as f:
		    f.write(struct.pack('7i', dim, hidden, layers, heads, heads, vocab, context))
		    put(f, vocab * dim)
		    (ones * layers).tofile(f)
		    put(f, 4 * layers * dim * dim)
		    (ones * layers).tofile(f)
		    put(f, 3 * layers * dim * hidden)
		    ones.tofile(f)
		    put(f, context * (dim // heads))
	END
}

# step_time OPTION...: microseconds of one step at position 100.
step_time() {
	limited 30 "$bin/lt-run" "$out/llama.bin" -i tokens=1 -i position=100 -b cuda --strict -q --time=300 "$@" \
		2>>"$out/llama.err" | sed -n 's/^time: median \([0-9.e+]*\) us.*/\1/p'
}

# llama: the tokens of the processor; tokens a second, beside launches one by one; a few steps with the oracle.
llama() {
	local from speed captured single on
	from=$(date +%s)
	: >"$out/llama.err"
	checkpoint "$out/llama.bin" 2>>"$out/llama.err" || { failed=1; row lt-llama 'no checkpoint; llama.err'; return; }
	for on in cpu cuda; do
		limited 60 "$bin/lt-llama" "$out/llama.bin" --tokens -t 0 -n 200 -b "$on" >"$out/llama.$on" 2>"$out/llama.$on.err"
	done
	if [ -s "$out/llama.cuda" ] && cmp -s "$out/llama.cpu" "$out/llama.cuda"; then
		speed=$(sed -n 's/^achieved tok.s: \([0-9]*\).*/\1/p' "$out/llama.cuda.err")
		row 'lt-llama, 15M, 200 tokens' "equal to the processor's; ${speed:-?} tok/s (>= 3000)"
		[ "${speed:-0}" -ge 3000 ] || failed=1
	else
		failed=1
		row 'lt-llama, 15M, 200 tokens' "they are not the processor's; llama.cuda, llama.cpu"
	fi
	captured=$(step_time)
	single=$(step_time --no-capture)
	row 'a step recorded, one by one' "${captured:-?} us, ${single:-?} us"
	limited 60 "$bin/lt-llama" "$out/llama.bin" --tokens -t 0 -n 4 -b cuda --verify -q >>"$out/llama.err" 2>&1 || {
		failed=1
		row 'lt-llama --verify' "$(tail -n 1 "$out/llama.err")"
	}
	row 'lt-llama' "$(seconds "$from")"
	rm -f "$out/llama.bin"
}

# part NUMBER SECONDS BACKEND FOLDER: a part of lt-check; prints its last line and exit code.
part() {
	local log=$4/$1.log
	limited $(($2 + 30)) "$bin/lt-check" -b "$3" --part "$1/$some" --seconds "$2" --patience 30 --go-on --no-reduce \
		>"$log" 2>&1 </dev/null
	echo "$? $(grep -o '[0-9]* cases\{0,1\} that ran' "$log" | tail -n 1) $(tail -n 1 "$log")"
}

# check SECONDS BACKEND: all of lt-check, in processes side by side; a part that is not done in that time has failed.
check() {
	local from bad ran dir=$out/check-${2//:/-}
	from=$(date +%s)
	mkdir -p "$dir"
	seq "$some" | xargs -P "$some" -I{} bash -c "part {} $1 $2 '$dir'" >"$dir/all"
	bad=$(grep -vc '^0 ' "$dir/all")
	ran=$(awk '{ n += $2 } END { print n + 0 }' "$dir/all")
	row "lt-check -b $2" "all $ran cases ran in $some parts, $bad parts failed, $(seconds "$from")"
	while read -r line; do row '' "$line"; done < <(grep -v '^0 ' "$dir/all")
	[ "$bad" = 0 ] && [ "$ran" -gt 0 ] || failed=1
}

# bench SUITE...: their tables, beside cuBLAS; tools/gpu-bench.sh measures longer.  What has not been measured when the
# time is over is missing, and said.
bench() {
	local suite from left status backends table
	# Fresh pages for large tensors take longer than what is measured.
	export MALLOC_MMAP_MAX_=0 MALLOC_TRIM_THRESHOLD_=$((16 << 30))
	for suite; do
		from=$(date +%s)
		left=$((whole - 70 - (from - begin)))
		[ "$left" -ge 10 ] || { failed=1; row "lt-bench $suite" 'no time was left'; continue; }
		rm -f "$out/bench-$suite.json"
		backends=cuda
		[ "$suite" = gpu ] && backends=cuda,cuda:generated
		timeout -s INT -k 10 "$left" "$bin/lt-bench" "$suite" -b "$backends" --samples 3 --seconds 0.01 \
			--json "$out/bench-$suite.json" >"$out/bench-$suite.log" 2>&1 </dev/null
		status=$?
		row "lt-bench $suite" "exit code $status, $(seconds "$from"); bench-$suite.log"
		[ $status = 0 ] || failed=1
	done
	unset MALLOC_MMAP_MAX_ MALLOC_TRIM_THRESHOLD_
	table=$here/gpu_table.py
	[ -e "$table" ] || table=bench/gpu_table.py
	python3 "$table" --check "$out"/bench-{gpu,gemm}.json >"$out/ratios" 2>&1 || failed=1
	tee -a "$out/table" <"$out/ratios"
}

# sanitized NAME TOOL COMMAND...: a command under compute-sanitizer.
sanitized() {
	local name=$1 tool=$2 log=$out/sanitizer-$2-$1.log
	shift 2
	limited 60 compute-sanitizer --tool "$tool" --target-processes all --error-exitcode 77 "$@" >"$log" 2>&1 </dev/null
	local status=$?
	row "compute-sanitizer $tool, $name" "exit code $status, $(grep -c 'SUMMARY: 0 ' "$log") clean, \
$(grep 'SUMMARY' "$log" | grep -vc ': 0 ') not"
	grep -q 'not supported' "$log" && { row '' "it cannot attach: $(grep -m 1 'not supported' "$log")"; return; }
	[ $status = 0 ] || failed=1
}

# The tests but those that go astray on purpose; kernels of lt-check.
sanitize() {
	command -v compute-sanitizer >/dev/null || { row 'compute-sanitizer' 'not installed'; return; }
	local tool
	for tool in memcheck racecheck; do
		sanitized tests "$tool" "$(program test_cuda_host)" -j1 --filter 'gpu*/[klr]*'
		sanitized check "$tool" "$bin/lt-check" -b cuda --part 7/400 --no-reduce --seconds 30 --patience 50
	done
}

# usable: whether there is cuDNN; else a line that says why not.
usable() {
	[ -s "$out/backends.txt" ] || "$bin/lt-run" --list-backends >"$out/backends.txt" 2>&1
	grep -q '^cudnn  *[0-9]* *9 ' "$out/backends.txt" && return
	row 'cuDNN' "$(grep -o '^cudnn .*' "$out/backends.txt" | tr -s ' ' || echo 'it was left out of the build')"
	return 1
}

# verified SCRIPT: a run with the oracle, and one more by plans that are kept: "right right NAME" if both pass.
verified() {
	local run=() log=${1%.lt} said=
	run=("$bin/lt-run" -b cudnn --strict --cache-dir "$out/cudnn/cache" --verify -q -v -i '*=random' -c '*=random' "$1")
	limited 120 "${run[@]}" >"$log.log" 2>&1 </dev/null && grep -q 'verify: passed' "$log.log" && said='right '
	[ -n "$said" ] && limited 60 "${run[@]}" >"$log.again" 2>&1 </dev/null && grep -q 'verify: passed' "$log.again" &&
		! grep -qE 'plans of libraries: [1-9]' "$log.again" && said='right right '
	echo "$said${log##*/}"
}

# Default trees of convolutions: each type, with a bias and a ReLU, strides, borders, groups; of norms and attention;
# then once more, by plans that are kept.  Groups, and what is small, are generated.
cudnn() {
	usable || return
	local type of stride window border groups channels n=0 m=0 from kind good again all dir=$out/cudnn
	from=$(date +%s)
	rm -rf "$dir" && mkdir -p "$dir/cache" && chmod 700 "$dir/cache" || return
	for type in float32 float16 bfloat16; do
		for of in 1:3:1:1:64 2:3:1:1:64 1:1:0:1:64 2:1:0:1:64 1:5:2:1:48 2:7:3:1:64 1:3:1:2:64 1:3:1:64:64; do
			IFS=: read -r stride window border groups channels <<<"$of"
			n=$((n + 1))
			cat >"$dir/convolution$n.lt" <<-E
				x = InputTensor(x, $type, [4, 28, 28, $channels]);
				w = ConstantTensor(w, $type, [64, $window, $window, $channels / $groups]);
				b = ConstantTensor(b, $type, [64, 1, 1]);
				y = Conv2dNode(CastNode(PermuteNode(x, [0, 3, 1, 2]), float32), CastNode(PermuteNode(w, [0, 3, 1, 2]), float32),
					[$stride, $stride], [$border, $border, $border, $border], [1, 1], $groups);
				result = PermuteNode(CastNode(ReLUNode(y + CastNode(b, float32)), $type), [0, 2, 3, 1]);
			E
		done
	done
	local norm seen wide narrow
	for type in float32 float16 bfloat16; do
		wide='def F(x) { return CastNode(x, float32); }' narrow="def R(x) { return CastNode(x, $type); }"
		[ "$type" = float32 ] && wide='def F(x) { return x; }' narrow='def R(x) { return x; }'
		for norm in 'LayerNormNode(F(x), F(w), F(b))' 'RMSNormNode(F(x), F(w))'; do
			m=$((m + 1))
			cat >"$dir/row$m.lt" <<-E
				$wide $narrow
				x = InputTensor(x, $type, [128, 768]); w = ConstantTensor(w, $type, [768]);
				b = ConstantTensor(b, $type, [768]); result = R($norm);
			E
		done
		for seen in s 'WhereNode(LessEqualNode(IndexNode(s, 2), IndexNode(s, 1)), s, -inf)' \
			'WhereNode(LessEqualNode(IndexNode(s, 2), IndexNode(s, 1) + 67), s, -inf)'; do
			[ "$type" = float32 ] && continue
			m=$((m + 1))
			cat >"$dir/row$m.lt" <<-E
				$wide $narrow
				q = InputTensor(q, $type, [16, 333, 64]); k = InputTensor(k, $type, [16, 400, 64]);
				v = InputTensor(v, $type, [16, 400, 64]); s = EinsumNode(hsd,htd->hst: F(q), F(k)) * 0.125;
				p = R(SoftmaxNode($seen)); result = R(EinsumNode(hst,htd->hsd: F(p), F(v)));
			E
		done
	done
	find "$dir" -name '*.lt' | sort | xargs -P "$some" -I{} bash -c 'verified {}' >"$dir/all"
	for kind in convolution row; do
		good=$(grep -cE "^(right )+$kind" "$dir/all")
		again=$(grep -c "^right right $kind" "$dir/all")
		all=$n of=convolutions
		[ $kind = row ] && all=$m of='norms and attention'
		row "cuDNN: $of that are right" "$good of $all; by plans that were kept $again"
		[ "$good" = "$all" ] && [ "$again" = "$all" ] || failed=1
	done
	while read -r line; do row '' "$line"; done < <(grep -v '^right right' "$dir/all")
	row 'cuDNN: a trial takes, ms: the mean, the most' "$(cat "$dir"/*.log |
		sed -n 's/.*its trial, which took \([0-9.]*\) ms.*/\1/p' |
		awk '{ sum += $1; most = $1 > most ? $1 : most } END { if (NR) printf "%.1f, %.1f of %d", sum / NR, most, NR }')"
	row 'cuDNN: plans that were dropped' "$(cat "$dir"/*.log | grep -c 'is not used: '); $(seconds "$from")"
}

# A layer of halves, channels inside: image, channels, filters, window.
cudnn_layer() {
	echo "x = InputTensor(x, float16, [32, $1, $1, $2]); w = ConstantTensor(w, float16, [$3, $4, $4, $2]);
		b = ConstantTensor(b, float16, [$3, 1, 1]);
		y = Conv2dNode(CastNode(PermuteNode(x, [0, 3, 1, 2]), float32), CastNode(PermuteNode(w, [0, 3, 1, 2]), float32));
		result = PermuteNode(CastNode(ReLUNode(y + CastNode(b, float32)), float16), [0, 2, 3, 1]);"
}
# How long eight plans take by one thread, by all and from the cache; layers whose first plan was measured not to be the
# fastest, by the table and by trying all.
plans() {
	usable || return
	local dir=$out/plans i threads layer backend from
	from=$(date +%s)
	rm -rf "$dir" && mkdir -p "$dir" || return
	{
		echo 'y0 = CastNode(PermuteNode(InputTensor(x, float16, [4, 28, 28, 64]), [0, 3, 1, 2]), float32);'
		for i in 1 2 3 4 5 6 7 8; do
			echo "v$i = ConstantTensor(w$i, float16, [$((64 + 16 * i)), 3, 3, $((48 + 16 * i))]);"
			echo "w$i = CastNode(PermuteNode(v$i, [0, 3, 1, 2]), float32);"
			echo "y$i = CastNode(CastNode(ReLUNode(Conv2dNode(y$((i - 1)), w$i, [1, 1], [1, 1, 1, 1])), float16), float32);"
		done
		echo 'result = PermuteNode(CastNode(y8, float16), [0, 2, 3, 1]);'
	} >"$dir/eight.lt"
	for threads in 1 "$(nproc)" "$(nproc)"; do
		limited 120 "$bin/lt-run" -b cudnn --threads "$threads" --cache-dir "$dir/cache-$threads" -v -q -i '*=random' \
			-c '*=random' "$dir/eight.lt" >"$dir/log" 2>&1 || failed=1
		row "cuDNN: plans, threads $threads" "$(sed -n 's/^.* in \([0-9.]* ms\).*\(plans of.*\)$/\1, \2/p' "$dir/log")"
	done
	for layer in '56 64 256 1' '56 256 128 1' '56 64 64 3'; do
		cudnn_layer $layer >"$dir/layer.lt"
		for backend in cudnn cudnn:try=40; do
			limited 120 "$bin/lt-run" -b "$backend" --strict --cache-dir "$dir/cache" --on-device --time=20 -q \
				-i '*=random' -c '*=random' "$dir/layer.lt" >"$dir/log" 2>&1 || failed=1
			row "cuDNN: $layer, $backend" "$(sed -n 's/^time: *//p' "$dir/log" | head -n 1)"
		done
	done
	row 'cuDNN: plans' "$(seconds "$from")"
}

# table: the rows of bench/pytorch_table.py, in the time that is left; each case is in table.json when it is measured.
table() {
	local left=$((whole - 60 - ($(date +%s) - begin))) script=$here/pytorch_table.py
	[ -e "$script" ] || script=bench/pytorch_table.py
	"${PYTHON:-python3}" -c 'import torch' 2>/dev/null ||
		{ row 'table' 'there is no PyTorch; PYTHON names a python3 that has it'; failed=1; return; }
	limited "$((left + 55))" "${PYTHON:-python3}" "$script" --check --seconds "$left" --json "$out/table.json" \
		${rows:+--only "$rows"} >"$out/table.log" 2>&1 || failed=1
	grep '^|' "$out/table.log" | tee -a "$out/table"
	grep '^#' "$out/table.log" | tail -n 1
}

export begin whole
export -f example part limited verified

: >"$out/table"
facts
has tests && for name in test_cuda_{host,programs,blas,bench} test_grid_trees; do tests "$name"; done
has measure && { measured measure_cuda; measured measure_blas; slower; }
has examples && examples
has integers && integers
has nets && nets
has llama && llama
has check && check 240 cuda
has bench && bench gpu gemm mlp pointwise layout conv rows
has sanitize && sanitize
has cudnn && cudnn
has plans && plans
has check-cudnn && check 400 cudnn
has check-tf32 && check 400 cudnn:tf32
has table && table
row 'whole check' "$(seconds "$begin")"
exit $failed
