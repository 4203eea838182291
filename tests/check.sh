#!/usr/bin/env bash
# tests/check.sh PROGRAM... -- runs every test and says how many passed, failed and were skipped; 1 if one failed.
# Called by `make check` with O, CC, SAN, DIRS and MAKE. Each part prints TAP lines ("ok - name", "not ok - name",
# "ok - name # SKIP why"), kept in $O/check; of what fails, everything that it said is shown.
set -u
export LC_ALL=C.UTF-8
log=$O/check

# One Criterion program, without the suites that need a device: those are called gpu_*.
if [ "${1-}" = --one ]; then
	name=$(basename "$2")
	timeout 400 "$2" -j1 --filter '!(gpu*)/*' "--tap=$log/$name.tap" >"$log/$name.log" 2>&1 </dev/null
	status=$?
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
	local name=$1
	shift
	timeout 400 "$@" >"$log/$name.tap" 2>"$log/$name.log" </dev/null
	local status=$?
	[ $status = 0 ] || echo "not ok - $name ended with exit code $status" >>"$log/$name.tap"
}

rm -rf "$log"
mkdir -p "$log"
begin=$(date +%s)
printf '%s\n' "$@" | xargs -r -n 1 -P 2 "$0" --one
part golden tests/golden.sh
part readme tests/readme.sh
part corpora tests/corpora.sh
part examples tests/examples.sh
part table tests/bench_table.sh
part abi tests/abi/abi.sh
part install tests/install/install.sh

for tap in "$log"/*.tap; do
	grep '# SKIP' "$tap" | sed 's/^ok - /skipped: /; s/ *# SKIP */: /'
	if grep -q '^not ok' "$tap"; then
		echo "---- $(basename "$tap" .tap)"
		grep -A 12 '^not ok' "$tap" | grep -v '^ok'
		tail -n 60 "${tap%.tap}.log"
	fi
done
skipped=$(cat "$log"/*.tap | grep -c '^ok.*# SKIP')
passed=$(($(cat "$log"/*.tap | grep -c '^ok') - skipped))
failed=$(cat "$log"/*.tap | grep -c '^not ok')
echo "in $(($(date +%s) - begin)) s:"
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ] && [ "$passed" != 0 ]
