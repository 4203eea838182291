#!/usr/bin/env bash
# tests/alloc.sh -- lt-run, each of whose own allocations fails once (tests/interpose): it says "out of memory" and
# nothing else, with exit code 1; or, where it could do without, tells so and gives the right result.  Never a crash,
# another sentence, or a wrong result.  At most MOST points a run, spread evenly; five times as many with CHECK_MORE.
# Prints TAP.  Called with O, SAN.
set -u
O=${O:-build}
MOST=${MOST:-$([ -z "${CHECK_MORE-}" ] && echo 60 || echo 300)}

# Three scripts, with what reads and writes files, compares and times; x: the folder.
scenario() {
	case $1 in
	mnist) args=(examples/mnist/mnist.lt -w examples/mnist/weights.safetensors -i image=random -o "$2/$1.$3.npz" --json) ;;
	first) args=(examples/first.lt -i x=iota -c w=iota --verify --explain) ;;
	matmul)
		args=(examples/matmul.lt -i x=random:1 -c '*=random:2' --schedule examples/schedules/matmul-blocks.tree -n 2) ;;
	esac
}

# --one FOLDER SCENARIO BACKEND N: with allocation N failing; a line "N what" where it is not as it has to be, and one
# letter to the tally.
if [ "${1-}" = --one ]; then
	to=$2 name=$3 backend=$4 n=$5
	mine=$to/$name.$backend.$n
	scenario "$name" "$to" "$backend.$n"
	LD_PRELOAD=$PRELOAD LT_FAIL_PROGRAM=lt-run LT_FAIL_AT=$n "$O/lt-run" "${args[@]}" -b "$backend" \
		--cache-dir "$to/cache" >"$mine.out" 2>"$mine.err" </dev/null
	status=$?
	mapfile -t said <"$mine.err"
	if [ $status = 1 ] && [ ${#said[@]} = 1 ] && [[ ${said[0]} =~ ^lt-run:\ (.*:\ )?out\ of\ memory(:\ .*)?$ ]]; then
		printf m >>"$to/tally"
	elif [ $status = 0 ] && cmp -s "$mine.out" "$to/$name.$backend.want"; then
		if [ -s "$mine.err" ]; then
			printf t >>"$to/tally"
		else
			printf 's' >>"$to/tally"
			echo "$n: exit code 0, and nothing is told"
		fi
	else
		printf b >>"$to/tally"
		echo "$n: exit code $status: $(head -c 300 "$mine.err")"
	fi
	! compgen -G "$mine.npz.*" >/dev/null || echo "$n: a part of a file is left"
	exit 0
fi

if [ -n "${SAN-}" ]; then
	echo "ok - allocations that fail # SKIP the sanitizers have their own"
	exit 0
fi
export PRELOAD=$(cd "$O" && pwd)/tests/interpose/alloc.so LT_BACKEND_PATH=
unset CC
to=$(mktemp -d)
trap 'rm -rf "$to"' EXIT
for name in mnist first matmul; do
	for backend in ref cpu; do
		scenario "$name" "$to" want
		for round in fill count; do
			LD_PRELOAD=$PRELOAD LT_FAIL_PROGRAM=lt-run LT_FAIL_COUNT=$to/count "$O/lt-run" "${args[@]}" \
				-b $backend --cache-dir "$to/cache" >"$to/$name.$backend.want" 2>"$to/said" </dev/null ||
				{ echo "not ok - $name on $backend: $(cat "$to/said")"; continue 2; }
		done
		count=$(cat "$to/count")
		: >"$to/tally"
		points=$((count < MOST ? count : MOST))
		bad=$(for ((i = 0; i < points; i++)); do echo $((1 + i * count / points)); done |
			xargs -P "$(nproc)" -n 1 "$0" --one "$to" "$name" "$backend")
		tally() { tr -cd "$1" <"$to/tally" | wc -c; }
		line="$name on $backend: $points of $count allocations failed: $(tally m) out of memory"
		line+=", $(tally t) told and done without"
		if [ -z "$bad" ] && [ "$(wc -c <"$to/tally")" = $points ] && [ "$(tally m)" -gt 20 ]; then echo "ok - $line"
		else echo "not ok - $line"; echo "$bad" >&2; fi
	done
done
