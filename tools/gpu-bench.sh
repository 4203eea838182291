#!/usr/bin/env bash
# gpu-bench.sh [-t SECONDS] [FOLDER] -- measures the backend cuda beside cuBLAS and PyTorch, and what compiling costs,
# in at most so many seconds (400).  Prints one table; what lt-bench printed and its JSON are left in FOLDER
# (gpu-bench).
# 1 if one of its runs failed or was cut off.
#
#   make && tools/gpu-bench.sh               on a machine that can build
#   make gpu; build/gpu/gpu-bench.sh         on one that cannot: build/gpu has all it needs, wherever it lies
#
# PYTHON (python3) is one with PyTorch and NumPy; without PyTorch its rows are missing.
set -u
export LC_ALL=C.UTF-8
whole=400
[ "${1-}" = -t ] && { whole=$2; shift 2; }
out=${1:-gpu-bench}
mkdir -p "$out" || exit 1
out=$(cd "$out" && pwd)
begin=$(date +%s)
here=$(cd "$(dirname "$0")" && pwd)
python=${PYTHON:-python3}
if [ -d "$here/bin" ]; then
	bin=$here/bin peers=$here/peers table=$here/gpu_table.py
	# What the system has itself is better than what was carried.
	libraries=$(mktemp -d)
	trap 'rm -rf "$libraries"' EXIT
	for file in "$here"/lib/*; do
		ldconfig -p | grep -qF "	${file##*/} " || ln -s "$file" "$libraries"
	done
	export LD_LIBRARY_PATH=$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
else
	bin=${O:-build} peers=bench/peers table=bench/gpu_table.py
	make -s "$bin/lt-bench" || exit 1
fi
failed=0

# bench NAME SECONDS OPTION...: one run of lt-bench; what it has measured when its time is over counts.
bench() {
	local name=$1 most=$2 from left
	shift 2
	rm -f "$out/$name.json"
	from=$(date +%s)
	left=$((whole - (from - begin) - 5))
	[ "$left" -gt "$most" ] && left=$most
	[ "$left" -gt 5 ] || { echo "no time is left for $name"; failed=1; return; }
	timeout -s INT -k 10 "$left" "$bin/lt-bench" "$@" --json "$out/$name.json" >"$out/$name.txt" 2>"$out/$name.err" \
		</dev/null
	local status=$?
	echo "$name: exit code $status, $(($(date +%s) - from)) s; $name.txt" | tee -a "$out/runs"
	[ $status = 0 ] || { failed=1; tail -n 3 "$out/$name.err"; }
}

: >"$out/runs"
nvidia-smi --query-gpu=name,driver_version,clocks.max.sm --format=csv,noheader 2>/dev/null | tee "$out/device"
# PyTorch's files are read, and its compiler's, while nothing is timed on the device: the first time takes half a
# minute.
"$python" -c 'import numpy, torch
torch.compile(lambda x: x * 2 + 1)(torch.ones(1 << 20, device="cuda"))' >/dev/null 2>"$out/torch.err" &
warm=$!
bench compile 60 compile -b cuda:generated --samples 1
torch=()
if wait $warm; then
	for way in '' ' compile' ' graphs'; do torch+=(--peer "$python $peers/pytorch.py cuda$way"); done
else
	echo "no PyTorch: $(tail -n 1 "$out/torch.err")"
fi
# The default tree, which may call cuBLAS, and the one that does not.
bench products 80 gemm,gpu --filter 'gemm/,gpu/4096,gpu/8192,gpu/4093,gpu/64x,gpu/512x' -b cuda,cuda:generated \
	--samples 5 --seconds 0.005
# The networks come first, as what is cut off when the time is over is the end.
bench suites "$whole" gpu,mlp,pointwise,rows \
	--filter 'mlp/,gpu/batch,gpu/mnist,gpu/transpose,gpu/chain,pointwise/,rows/' \
	-b cuda --no-vendor --samples 5 --seconds 0.005 "${torch[@]}"
"$python" "$table" "$out"/{compile,products,suites}.json | tee "$out/table"
echo "whole: $(($(date +%s) - begin)) s"
exit $failed
