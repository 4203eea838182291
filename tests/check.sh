#!/usr/bin/env bash
# tests/check.sh [--more] PROGRAM... -- runs every test and says which parts took longest and how many passed, failed
# and were skipped; 1 if one failed.  Called by `make check` with O, CC, SAN, DIRS and MAKE; by `make check-more` with
# --more: then what takes minutes is run, and nothing else:
#   suites called more_*;  programs that draw cases (must_draws), all of their cases where `make check` has
#   a tenth;  scripts that know CHECK_MORE;  long runs of the sweeps.
#
# Each part prints TAP lines ("ok - name", "not ok - name", "ok - name # SKIP why"), kept in $O/check-log; of what
# fails, everything that it said is shown.  A line "# show WORDS" is shown always, without its first two words.
set -u
export LC_ALL=C.UTF-8
[ "${1-}" != --more ] || { export CHECK_MORE=1; shift; }
what=check${CHECK_MORE:+-more}
log=$O/$what-log

# Seconds since $1, which was $EPOCHREALTIME then.
since() {
	local now=${EPOCHREALTIME//[!0-9]/} then=${1//[!0-9]/}
	local ms=$(((now - then) / 1000))
	printf '%d.%d\n' $((ms / 1000)) $((ms % 1000 / 100))
}

# Processor time of what was run and waited for, in seconds, into a file; not in a pipe, where nothing has been run.
processor() {
	times >"$1"
	sed -i '1d; s/[ms]/ /g' "$1"
	awk '{ printf "%.1f\n", $1 * 60 + $2 + $3 * 60 + $4 }' "$1" >"$1.sum"
	mv "$1.sum" "$1"
}

# --program NAME FILTER PROGRAM: one Criterion program.
if [ "${1-}" = --program ]; then
	name=$2
	begin=$EPOCHREALTIME
	timeout 900 "$4" -j1 --filter "$3" "--tap=$log/$name.tap" >"$log/$name.log" 2>&1 </dev/null
	status=$?
	processor "$log/$name.processor"
	since "$begin" >"$log/$name.seconds"
	# Criterion also answers 1 when a test has logged a warning.
	planned=$(sed -n 's/^1\.\.//p' "$log/$name.tap" 2>/dev/null)
	if ! grep -q '^not ok' "$log/$name.tap" 2>/dev/null &&
	   { [ $status -gt 1 ] || [ "$(grep -c '^ok' "$log/$name.tap")" != "$planned" ]; }; then
		echo "not ok - $name ended with exit code $status" >>"$log/$name.tap"
	fi
	# What the filter left out: for want of a device, which is told, or for check-more.
	sed -i -e '/^ok - gpu/!{ /# SKIP test was skipped$/d }' \
		-e 's/# SKIP test was skipped$/# SKIP needs a device/' "$log/$name.tap"
	exit 0
fi

# --part NAME LIMIT COMMAND...: a part that prints TAP itself; 2 is what it says beside that.
if [ "${1-}" = --part ]; then
	name=$2 limit=$3 begin=$EPOCHREALTIME
	shift 3
	timeout "$limit" "$@" >"$log/$name.tap" 2>"$log/$name.log" </dev/null
	status=$?
	processor "$log/$name.processor"
	since "$begin" >"$log/$name.seconds"
	[ $status = 0 ] || echo "not ok - $name ended with exit code $status" >>"$log/$name.tap"
	exit 0
fi

# The suites of a program that are run: those that need a device, and no others, are called gpu_*.
suites() {
	local source=${1#"$O"/}.c
	if [ -z "${CHECK_MORE-}" ]; then
		echo '!(gpu*|more_*)/*'
	elif grep -q 'must_draws(' "$source" 2>/dev/null; then
		echo '!(gpu*)/*'
	elif grep -q 'Test(.*more_' "$source" 2>/dev/null; then
		echo 'more_*/*'
	fi
}
# All parts, a line each: what this script is called with.  Those that are not in the list of the last run come first,
# then the slowest of that, so that none of them is left alone at the end; where there is no such list, scripts, which
# take minutes, before programs, most of which take seconds.
parts() {
	local program filter name
	if [ -n "${CHECK_MORE-}" ]; then
		more_parts
	else
		usual_parts
	fi
	for program in "$@"; do
		filter=$(suites "$program")
		[ -z "$filter" ] || echo "--program $(basename "$program") $filter $program"
	done
}
more_parts() {
	[ -n "${SAN-}" ] || echo "--part js 1800 tests/js.sh"
	echo "--part examples 900 tests/examples.sh"
	echo "--part readme 900 tests/readme.sh"
	echo "--part standalone 900 tests/standalone.sh"
	echo "--part cuda 900 tests/cuda/compile.sh"
	echo "--part alloc 900 tests/alloc.sh"
	echo "--part conform 900 tests/conform.sh"
	echo "--part own 1800 tests/own.sh"
	echo "--part fixed 1800 env CHECK_FIXED=${CHECK_FIXED:-150} FIXED_SEED=2 tests/fixed.sh"
	echo "--part everywhere 1800 tests/everywhere.sh"
	echo "--part micro 1800 tests/micro.sh"
	echo "--part wasm 900 tests/wasm.sh"
	echo "--part wasm_backend 900 tests/wasm_backend.sh"
	echo "--part rounds 1800 env CHECK_ROUNDS=${CHECK_ROUNDS:-30} ROUNDS_SEED=2 tests/rounds.sh"
	echo "--part seedot 1800 tests/seedot.sh"
	echo "--part quantize 900 tests/quantize.sh"
	echo "--part limits 900 env CHECK_LIMITS=${CHECK_LIMITS:-1000} tests/limits.sh"
	echo "--part gpu_trees 900 env LT_JOBS=1 $O/gpu_trees ${CHECK_TREES:-$([ -z "${SAN-}" ] && echo 3000 || echo 200)}"
	echo "--part graphs 900 env LT_JOBS=1 $O/graphs ${CHECK_GRAPHS:-$([ -z "${SAN-}" ] && echo 300 || echo 50)} 5001"
	[ ! -x "$O/models" ] || echo "--part models 1800 $O/models ${CHECK_MODELS:-20000} 7"
	echo "--part python 1800 tests/python.sh -m more tests/python"
	[ -n "${SAN-}" ] || echo "--part mutants 1800 $O/mutants --each ${CHECK_MUTANTS:-30}"
}
usual_parts() {
	# The longest first.
	echo "--part python 900 tests/python.sh"
	echo "--part everywhere 1800 tests/everywhere.sh"
	echo "--part standalone 900 tests/standalone.sh"
	echo "--part cuda 900 tests/cuda/compile.sh"
	for name in own readme examples golden corpora conform tidy setup signals alloc options gpu_table gpu_check; do
		echo "--part $name 900 tests/$name.sh"
	done
	echo "--part table 900 tests/bench_table.sh"
	echo "--part abi 900 tests/abi/abi.sh"
	echo "--part caller 900 tests/abi/caller.sh"
	echo "--part fixed 900 tests/fixed.sh"
	echo "--part micro 900 tests/micro.sh"
	echo "--part seedot 900 tests/seedot.sh"
	echo "--part quantize 900 tests/quantize.sh"
	echo "--part wasm 900 tests/wasm.sh"
	echo "--part wasm_backend 900 tests/wasm_backend.sh"
	echo "--part rounds 900 tests/rounds.sh"
	echo "--part limits 900 env CHECK_LIMITS=${CHECK_LIMITS:-15} tests/limits.sh"
	[ ! -x "$O/models" ] || echo "--part models 900 $O/models ${CHECK_MODELS:-1000}"
	# With sanitizers a graph takes many times as long.
	echo "--part gpu_trees 900 env LT_JOBS=1 $O/gpu_trees ${CHECK_TREES:-$([ -z "${SAN-}" ] && echo 80 || echo 40)}"
	echo "--part graphs 900 env LT_JOBS=1 $O/graphs ${CHECK_GRAPHS:-$([ -z "${SAN-}" ] && echo 20 || echo 10)}"
	if [ -z "${SAN-}" ]; then
		echo "--part mutants 900 $O/mutants --each ${CHECK_MUTANTS:-1} --examples $log/mutants.txt"
	else
		echo "--part mutants 10 echo ok - mutants # SKIP what mutants break in memory is not for sanitizers"
	fi
}
slowest_first() {
	awk 'FILENAME == ARGV[1] { s[$1] = $2; next } { print ($2 in s ? s[$2] : 1e6) "\t" $0 }' "$O/$what-seconds" - |
		sort -k 1,1nr -s | cut -f 2
}

[ -e "$O/$what-seconds" ] || : >"$O/$what-seconds"
rm -rf "$log"
# What PoCL never gives back is none of ours.
[ -z "${SAN-}" ] || export LSAN_OPTIONS=suppressions=$PWD/tests/data/leaks.supp:print_suppressions=0
# PoCL keeps what it has compiled, for ever: here, and not in the user's folder.
POCL_CACHE_DIR=$(realpath -m "$O")/pocl
export POCL_CACHE_DIR
export LT_DRAWS=${LT_DRAWS:-$([ -z "${CHECK_MORE-}" ] && echo 10 || echo 100)}
mkdir -p "$log" "$POCL_CACHE_DIR"
# Mutants of two networks whose verification takes long are for check-more; tiny.lt and mlp.lt are like them.
grep -vE 'hamkaas|stories' tests/examples.txt >"$log/mutants.txt"
find "$POCL_CACHE_DIR" -mindepth 2 -maxdepth 2 -mtime +3 -exec rm -rf {} +
begin=$(date +%s)
parts "$@" | slowest_first | xargs -r -P "${CHECK_JOBS:-2}" -L 1 "$0"
for name in $(parts "$@" | cut -d ' ' -f 2); do
	[ -e "$log/$name.seconds" ] || echo "not ok - $name did not run to its end" >>"$log/$name.tap"
done
# It builds the tools once more, with other folders in them.
[ -n "${CHECK_MORE-}" ] || "$0" --part install 900 tests/install/install.sh

# NAME SECONDS PROCESSOR-SECONDS of all parts.
times_of_parts() {
	for file in "$log"/*.seconds; do
		echo "$(basename "$file" .seconds) $(cat "$file" "${file%.seconds}.processor" | tr '\n' ' ')"
	done
}
# The ten that took most of the processors, five to a line.
slowest() {
	sort -k 3,3nr -k 1,1 | head -n 10 | awk '{ printf "%8.1f %-22s%s", $3, $1, NR % 5 ? "" : "\n" }'
}

for tap in "$log"/*.tap; do
	grep '# SKIP' "$tap" | sed 's/^ok - /skipped: /; s/ *# SKIP */: /'
	if grep -q '^not ok' "$tap"; then
		echo "---- $(basename "$tap" .tap)"
		grep -A 12 '^not ok' "$tap" | grep -v '^ok'
		tail -n 60 "${tap%.tap}.log"
	fi
done
sed -n 's/^# show //p' "$log"/*.tap
sed -n 's/^told: //p' "$log"/*.log      # counts of sweeps
times_of_parts >"$O/$what-seconds"
# Unlike the time that passes, it hardly depends on what else the machine does.
jobs=${CHECK_JOBS:-2}
echo "the ten that take most, in seconds of a processor (all, after the time that passed: $O/$what-seconds):"
times_of_parts | slowest
times_of_parts | awk -v jobs="$jobs" '{ s += $3 }
	END { printf "%d s of processors, %d s by %d at a time on idle ones\n", s, s / jobs, jobs }'
skipped=$(cat "$log"/*.tap | grep -c '^ok.*# SKIP')
passed=$(($(cat "$log"/*.tap | grep -c '^ok') - skipped))
failed=$(cat "$log"/*.tap | grep -c '^not ok')
echo "in $(($(date +%s) - begin)) s:"
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ] && [ "$passed" != 0 ]
