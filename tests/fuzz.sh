#!/usr/bin/env bash
# tests/fuzz.sh SECONDS -- runs each libFuzzer target for that long. What it finds is kept in $O/found; a crash ends
# with the file that causes it, to be put into tests/fuzz/corpus with the mend.
set -eu
seconds=${1:-60}
for target in "$O"/fuzz/*; do
	name=$(basename "$target")
	mkdir -p "$O/found/$name" "$O/crash"
	echo "---- $name, $seconds s"
	dictionary=tests/fuzz/$name.dict
	"$target" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 -max_len=16384 -print_final_stats=0 -verbosity=0 \
		$([ -e "$dictionary" ] && echo "-dict=$dictionary") -artifact_prefix="$O/crash/$name-" \
		"$O/found/$name" "tests/fuzz/corpus/$name"
	echo "$name: $(find "$O/found/$name" -type f | wc -l) new inputs, no crash"
done
