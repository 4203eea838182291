#!/usr/bin/env bash
# tests/check.sh PROGRAM... -- runs every test and says how long each part took and how many passed, failed and were
# skipped; 1 if one failed.  Called by `make check` with O, CC, SAN, DIRS and MAKE.
#
# Each part prints TAP lines ("ok - name", "not ok - name", "ok - name # SKIP why"), kept in $O/check-log; of what
# fails, everything that it said is shown.  A line "# show WORDS" is shown always, without its first two words.
set -u
export LC_ALL=C.UTF-8
log=$O/check-log

# Seconds since $1, which was $EPOCHREALTIME then.
since() {
	local now=${EPOCHREALTIME//[!0-9]/} then=${1//[!0-9]/}
	local ms=$(((now - then) / 1000))
	printf '%d.%d\n' $((ms / 1000)) $((ms % 1000 / 100))
}

# One Criterion program, without the suites that need a device: those are called gpu_*.
if [ "${1-}" = --one ]; then
	name=$(basename "$2")
	begin=$EPOCHREALTIME
	timeout 400 "$2" -j1 --filter '!(gpu*)/*' "--tap=$log/$name.tap" >"$log/$name.log" 2>&1 </dev/null
	status=$?
	since "$begin" >"$log/$name.seconds"
	# Criterion also answers 1 when a test has logged a warning.
	planned=$(sed -n 's/^1\.\.//p' "$log/$name.tap" 2>/dev/null)
	if ! grep -q '^not ok' "$log/$name.tap" 2>/dev/null &&
	   { [ $status -gt 1 ] || [ "$(grep -c '^ok' "$log/$name.tap")" != "$planned" ]; }; then
		echo "not ok - $name ended with exit code $status" >>"$log/$name.tap"
	fi
	sed -i 's/# SKIP test was skipped$/# SKIP needs a device/' "$log/$name.tap"
	exit 0
fi

# part NAME COMMAND...: a part that prints TAP itself; 2 is what it says beside that.
part() {
	local name=$1 begin=$EPOCHREALTIME
	shift
	timeout "${limit:-400}" "$@" >"$log/$name.tap" 2>"$log/$name.log" </dev/null
	local status=$?
	since "$begin" >"$log/$name.seconds"
	[ $status = 0 ] || echo "not ok - $name ended with exit code $status" >>"$log/$name.tap"
}

rm -rf "$log"
# PoCL keeps what it has compiled, for ever: here, and not in the user's folder.
POCL_CACHE_DIR=$(realpath -m "$O")/pocl
export POCL_CACHE_DIR
mkdir -p "$log" "$POCL_CACHE_DIR"
find "$POCL_CACHE_DIR" -mindepth 2 -maxdepth 2 -mtime +3 -exec rm -rf {} +
begin=$(date +%s)
printf '%s\n' "$@" | xargs -r -n 1 -P 2 "$0" --one
part golden tests/golden.sh
part readme tests/readme.sh
part corpora tests/corpora.sh
part examples tests/examples.sh
part conform tests/conform.sh
part cuda tests/cuda/compile.sh
part table tests/bench_table.sh
part names tests/names.sh
part signals tests/signals.sh
part alloc tests/alloc.sh
limit=900 part limits tests/limits.sh
part abi tests/abi/abi.sh
part options tests/options.sh
limit=900 part standalone tests/standalone.sh
part install tests/install/install.sh
# With sanitizers a graph takes many times as long.
limit=900 part graphs "$O/graphs" "${CHECK_GRAPHS:-$([ -z "${SAN-}" ] && echo 150 || echo 10)}"
if [ -z "${SAN-}" ]; then
	limit=900 part mutants "$O/mutants" --each "${CHECK_MUTANTS:-16}"
else
	part mutants echo 'ok - mutants # SKIP what mutants break in memory is not for sanitizers'
fi

# NAME SECONDS of all parts; with groups: of programs that share the first word of their names, and of those with
# plug-ins.
times() {
	for file in "$log"/*.seconds; do
		echo "$(basename "$file" .seconds) $(cat "$file")"
	done
}
groups() {
	sed 's/^test_.*_plugged /plugged* /; s/^\(test_[^_ ]*\)[^ ]* /\1* /' |
		awk '{ s[$1] += $2 } END { for (g in s) print g, s[g] }'
}
# What is read, the slowest first, four to a line.
slowest() {
	sort -k 2,2nr -k 1,1 |
		awk '{ printf "%8.1f %-22s%s", $2, $1, NR % 4 ? "" : "\n" } END { if (NR % 4) print "" }'
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
echo "seconds of each part (test programs run two at a time):"
times | slowest
echo "and of groups of them:"
times | groups | slowest
skipped=$(cat "$log"/*.tap | grep -c '^ok.*# SKIP')
passed=$(($(cat "$log"/*.tap | grep -c '^ok') - skipped))
failed=$(cat "$log"/*.tap | grep -c '^not ok')
echo "in $(($(date +%s) - begin)) s:"
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ] && [ "$passed" != 0 ]
