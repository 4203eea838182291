#!/usr/bin/env bash
# gpu-check.sh [FOLDER] -- checks and measures the backend cuda on a machine with a GPU, in a few minutes and without a
# network.  Prints one table; everything that the programs say is left in FOLDER (gpu-check).  1 if something failed.
#
# With Criterion, isl and the CUDA toolkit installed:    make && tools/gpu-check.sh
# On a machine that cannot build:                        make gpu         on one that can: build/gpu has all it needs
#                                                        tools/gpu-check.sh   there, with build/gpu beside it
#
# gpu-check.sh --pack FOLDER PROGRAM...  (make gpu) -- copies the programs there, and the shared libraries that they
# need, except those that every system has.
set -u
export LC_ALL=C.UTF-8
O=${O:-build}

if [ "${1-}" = --pack ]; then
	to=$2
	shift 2
	rm -rf "$to" && mkdir -p "$to/bin" "$to/lib" || exit 1
	for program in "$@"; do
		cp "$program" "$to/bin" && strip -g "$to/bin/${program##*/}" || exit 1
	done
	ldd "$to"/bin/* | awk '/=> \// { print $1, $3 }' | sort -u |
		grep -vE '^(libc|libm|libdl|libpthread|librt|libresolv|ld-linux[^ ]*|libgcc_s|libstdc\+\+)\.so' |
		while read -r name file; do cp -L "$file" "$to/lib/$name"; done
	du -sh "$to"
	exit 0
fi

out=${1:-gpu-check}
mkdir -p "$out" || exit 1
out=$(cd "$out" && pwd)
begin=$(date +%s)
bin=$O/tests/cuda run=$O/lt-run
if [ -d "$O/gpu/bin" ]; then
	bin=$O/gpu/bin run=$O/gpu/bin/lt-run
	# What the system has itself is better than what was carried.
	libraries=$(mktemp -d)
	trap 'rm -rf "$libraries"' EXIT
	for file in "$PWD/$O"/gpu/lib/*; do
		ldconfig -p | grep -qF "	${file##*/} " || ln -s "$file" "$libraries"
	done
	export LD_LIBRARY_PATH=$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
else
	make -s all "$bin/test_cuda_host" "$bin/measure_cuda" || exit 1
fi
failed=0

# row NAME VALUE: a line of the table.
row() { printf '| %-44s | %s\n' "$1" "$2" | tee -a "$out/table"; }

# facts: of the device, by the driver and by the backend.
facts() {
	local facts
	facts=$(nvidia-smi --query-gpu=name,driver_version,memory.total,clocks.max.sm,clocks.max.mem --format=csv,noheader \
		2>"$out/nvidia-smi.err") || facts="nvidia-smi: $(head -n 1 "$out/nvidia-smi.err")"
	while read -r line; do row device "$line"; done <<<"$facts"
	nvidia-smi -q >"$out/nvidia-smi.txt" 2>&1
	"$run" --list-backends >"$out/backends.txt" 2>&1
	row 'lt-run --list-backends' "$(grep '^cuda ' "$out/backends.txt" | tr -s ' ' || echo 'no backend cuda')"
	while read -r line; do row '' "$line"; done < <(sed -n '/^cuda /,/^[^ ]/p' "$out/backends.txt" | grep '^ ')
}

# tests PROGRAM: its suites that need a device; one test after the other.
tests() {
	local name=$1 passed bad skipped
	timeout 240 "$bin/$name" -j1 --filter 'gpu*/*' "--tap=$out/$name.tap" >"$out/$name.log" 2>&1
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
	timeout 180 "$bin/$1" >"$out/$1.log" 2>"$out/$1.err" || {
		failed=1
		row "$1" "failed: $(tail -n 1 "$out/$1.err")"
	}
	while read -r line; do
		row "${line%%  *}" "$(sed 's/^.*  *\([0-9.]* [^0-9]*\)$/\1/' <<<"$line")"
	done <"$out/$1.log"
}

# sanitized PROGRAM: the same tests under compute-sanitizer's memcheck, but those that go astray on purpose.
sanitized() {
	local name=$1
	command -v compute-sanitizer >/dev/null || { row 'compute-sanitizer' 'not installed'; return; }
	timeout 120 compute-sanitizer --target-processes all --error-exitcode 77 "$bin/$name" -j1 --filter 'gpu*/[klr]*' \
		>"$out/sanitizer.log" 2>&1
	row 'compute-sanitizer memcheck' "exit code $?, $(grep -c 'ERROR SUMMARY: 0 errors' "$out/sanitizer.log") clean, \
$(grep 'ERROR SUMMARY' "$out/sanitizer.log" | grep -vc ': 0 errors') not"
}

: >"$out/table"
facts
tests test_cuda_host
measured measure_cuda
sanitized test_cuda_host
row 'whole check' "$(($(date +%s) - begin)) s"
exit $failed
