#!/usr/bin/env bash
# tests/signals.sh -- lt-run, ended by signals at random moments of a cold compilation, and in phases after it: it dies
# of the signal, no process, no folder and no part of a file is left (after SIGKILL: when the next one has run).
# With cc, and with a compiler that takes its time, ignores SIGTERM and has a child.  Prints TAP.  SEED, ROUNDS.
set -u
O=${O:-build}
ROUNDS=${ROUNDS:-3}
RANDOM=${SEED:-1}
run=$(cd "$O" && pwd)/lt-run
to=$(mktemp -d)
trap 'rm -rf "$to"' EXIT
export TMPDIR=$to/tmp XDG_CACHE_HOME=$to/cache LT_BACKEND_PATH=
mkdir "$TMPDIR"
unset CC
script=examples/matmul.lt

cat >"$to/slow" <<'END'
#!/bin/sh
# A compiler that takes a second, does not end when it is asked to, and has a child in a session of its own that holds
# its output.
trap '' TERM INT HUP QUIT
case " $* " in *" --version "*) echo slow; exit 0 ;; esac
setsid sleep 21.5 &
sleep 1
exec cc "$@"
END
chmod +x "$to/slow"

# Processes that have one of its folders in their environment.
left() {
	local p
	for p in $(grep -lzas "^TMPDIR=$TMPDIR/" /proc/[0-9]*/environ); do
		p=${p%/environ}
		echo "${p#/proc/}"
	done
}

# one SIGNAL SECONDS CC: its exit status as a shell sees it in $status.  With job control, so that SIGINT is not
# ignored.
one() {
	set -m
	"$run" "$script" -i '*=random' -c '*=random' -q --no-cache --cc "$3" >"$to/out" 2>&1 &
	local pid=$!
	set +m
	sleep "$2"
	kill "-$1" $pid 2>/dev/null
	wait $pid 2>/dev/null
	status=$?
}

# What is to be found is found.
one_left() {
	local pid found i
	TMPDIR=$TMPDIR/looptree-tmp-abcdef sleep 100 &
	pid=$!
	for i in $(seq 100); do
		found=$(left)
		[ -n "$found" ] && break
		sleep 0.05
	done
	kill $pid
	[ "$found" = $pid ]
}
if one_left; then echo "ok - a process that is left is seen"; else echo "not ok - a process that is left is seen"; fi

ulimit -c 0            # SIGQUIT would leave the process as a file
declare -A number=([INT]=2 [TERM]=15 [HUP]=1 [QUIT]=3 [KILL]=9)
total=0
for signal in INT TERM HUP QUIT KILL; do
	any=0
	for cc in cc "$to/slow"; do
		bad= died=0 done=0
		for ((i = 0; i < ROUNDS; i++)); do
			one $signal "0.$(printf %03d $((RANDOM % 700)))" "$cc"
			total=$((total + 1))
			# It may have come to its end before.
			case $status in
			0) done=$((done + 1)) ;;
			$((128 + ${number[$signal]}))) died=$((died + 1)) any=$((any + 1)) ;;
			*) bad="$bad exit status $status: $(cat "$to/out");" ;;
			esac
			if [ $signal = KILL ]; then
				"$run" "$script" -i '*=random' -c '*=random' -q --no-cache --cc cc -b cpu:O0 >"$to/out" 2>&1 ||
					bad="$bad the next run: $(cat "$to/out");"
			fi
			[ -z "$(ls -A "$TMPDIR")" ] || bad="$bad left in its folder: $(ls "$TMPDIR");"
			# What was killed is gone when it next has a processor.
			for ((wait = 0; wait < 100; wait++)); do
				rest=$(left)
				[ -z "$rest" ] || [ $status = 0 ] && break
				sleep 0.05
			done
			if [ -n "$rest" ]; then
				# What a compiler that came to its end has left running is its own.
				[ $status = 0 ] || bad="$bad still running: $(ps -o pid=,args= -p "${rest//$'\n'/,}");"
				kill -9 $rest 2>/dev/null
			fi
		done
		name="SIG$signal, ${cc##*/}: $died died of it, $done were done"
		if [ -z "$bad" ]; then echo "ok - $name"; else echo "not ok - $name"; echo "# $bad" >&2; fi
	done
	# Where all came to their end first, nothing was tried.
	if [ $any -gt 0 ]; then echo "ok - SIG$signal ended a run"; else echo "not ok - SIG$signal ended a run"; fi
done

# phase NAME SIGNAL OPTIONS...: in the middle of what would take minutes.
cat >"$to/large.lt" <<'END'
$1 = InputTensor(x, float32, [768, 768]);
$2 = InputTensor(y, float32, [768, 768]);
$3 = MatMulNode($1, $2);
result = $3;
END
mkdir "$to/results"
phase() {
	local name=$1 signal=$2 pid tries bad=
	shift 2
	set -m
	"$run" "$to/large.lt" -i '*=random' -v "$@" >"$to/said" 2>&1 &
	pid=$!
	set +m
	# It has compiled: what it is doing then takes minutes.
	for ((tries = 0; tries < 300; tries++)); do
		grep -q "^1 kernel for " "$to/said" && break
		kill -0 $pid 2>/dev/null || break
		sleep 0.1
	done
	# With a folder of its own, if it will have one.
	for ((tries = 0; tries < ${wants:-5}; tries++)); do
		[ -z "$(ls -A "$TMPDIR")" ] || break
		sleep 0.1
	done
	kill "-$signal" $pid 2>/dev/null
	wait $pid 2>/dev/null
	status=$?
	[ $status = $((128 + ${number[$signal]})) ] || bad="exit status $status: $(tail -n 3 "$to/said")"
	[ -z "$(ls -A "$TMPDIR")" ] || bad="$bad left in its folder: $(ls "$TMPDIR")"
	[ -z "$(ls -A "$to/results")" ] || bad="$bad left beside the result: $(ls "$to/results")"
	total=$((total + 1))
	if [ -z "$bad" ]; then echo "ok - SIG$signal: $name"; else echo "not ok - SIG$signal: $name"; echo "# $bad" >&2; fi
	rm -rf "$TMPDIR"/* "$to/results"/*
}
phase "while it profiles" INT -b cpu --profile -n 1000000 -q
wants=300 phase "while it measures the machine" INT -b cpu --profile -q --no-cache
phase "while it runs" HUP -b cpu -n 1000000 -q
phase "while it measures" TERM -b cpu --time=1000000 -q
phase "while the interpreter runs" QUIT -b ref -n 1000 -q
phase "before it writes" INT -b cpu -n 1000000 -o "$to/results/y.npz" -q
echo "ok - $total runs ended by signals"
