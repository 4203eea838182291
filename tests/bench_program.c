/* bench_program.c -- see tests/bench_program.h. */
#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/bench_program.h"

char bench_out[1 << 20], bench_err[1 << 16];

void bench_write_text(const char *name, const char *text)
{
	FILE *f = fopen(scratch(name), "w");

	cr_assert_not_null(f);
	fputs(text, f);
	fclose(f);
}

/* A run takes 10 ms, it says; the case is kept so that a real server can be asked for the result. */
static const char peer[] =
	"mode=$1 bench=$2 first=\n"
	"[ $mode = silent ] && exit 3\n"
	"[ $mode = mute ] && { sleep 1000 & echo $! >$0.pid; echo 'it has no tongue' >&2; wait; }\n"
	"[ $mode = absent ] && echo 'absent nobody is at home' && exit\n"
	"[ $mode = other ] && echo 'hello' && exit\n"
	"echo \"peer 1 fake:$mode 1.0 of the tests\"\n"
	"while read -r word rest; do case $word in\n"
	"case) [ $mode = skip ] && { echo skip not today; continue; }\n"
	"  [ $mode = refuse ] && { echo failed it is too hard; continue; }\n"
	"  printf '%s\\n' \"$rest\" >$0.case; echo ok 0.125 ;;\n"
	"sample) [ $mode = stalls ] && sleep 1000\n"
	"  [ $mode = dies ] && { echo 'out of paper' >&2; exit 7; }\n"
	"  [ $mode = leaves ] && exit 255\n"
	"  [ $mode = killed ] && { echo 'up to here' >&2; kill -SEGV $$; }\n"
	"  [ $mode = talks ] && { echo about ten; continue; }\n"
	"  [ $mode = hasty ] && { echo 1e-12; continue; }\n"
	"  [ $mode = slow ] && { awk \"BEGIN { print $rest * 0.02 }\"; continue; }\n"
	"  awk \"BEGIN { print $rest * 0.01 }\" ;;\n"
	"result) case $mode in\n"
	"  liar) head -c 4096 /dev/zero >$rest ;;\n"
	"  short) head -c 40 /dev/zero >$rest ;;\n"
	"  long) head -c 5000 /dev/zero >$rest ;;\n"
	"  turns) [ -z \"$first\" ] && { first=no; printf 'case %s\\nresult %s\\nquit\\n' \"$(cat $0.case)\" $rest | "
	"$bench --serve ref >/dev/null; } ||\n"
	"    head -c 4096 /dev/zero >$rest ;;\n"
	"  *) printf 'case %s\\nresult %s\\nquit\\n' \"$(cat $0.case)\" $rest | $bench --serve ref >/dev/null ;;\n"
	"  esac; echo ok ;;\n"
	"end) echo ok ;;\n"
	"quit) exit ;;\n"
	"esac; done\n";

void bench_set_up(void)
{
	bench_write_text("peer.sh", peer);
	setenv("XDG_CACHE_HOME", scratch(""), 1);
	unsetenv("CC");
}

int bench_run(const char *fmt, ...)
{
	va_list args;
	int code;

	va_start(args, fmt);
	code = run_in_scratch(bench_out, sizeof bench_out, bench_err, sizeof bench_err, built("lt-bench"), fmt, args);
	va_end(args);
	return code;
}

int bench_with_peers(const char *modes, const char *more)
{
	char options[2048] = "", copy[256], *rest = NULL, path[512];

	snprintf(path, sizeof path, "%s", built("lt-bench"));
	snprintf(copy, sizeof copy, "%s", modes);
	for (char *at = strtok_r(copy, " ", &rest); at; at = strtok_r(NULL, " ", &rest))
		snprintf(options + strlen(options), sizeof options - strlen(options), "--peer 'sh peer.sh %s %s' ", at, path);
	return bench_run("gemm --filter gemm/32 --quick --no-vendor -b ref --json x.json %s %s", options, more);
}

json_t *bench_read_json(void)
{
	json_error_t e;
	json_t *o = json_load_file(scratch("x.json"), 0, &e);

	cr_assert_not_null(o, "line %d: %s", e.line, e.text);
	return o;
}

json_t *bench_row_of(json_t *report, const char *label)
{
	json_t *rows = json_object_get(json_array_get(json_object_get(report, "cases"), 0), "rows"), *r;
	size_t i;

	json_array_foreach(rows, i, r)
		if (!strcmp(json_string_value(json_object_get(r, "contestant")), label))
			return r;
	cr_assert_fail("there is no row '%s'", label);
	return NULL;
}

double bench_real_of(json_t *o, const char *key)
{
	return json_number_value(json_object_get(o, key));
}

const char *bench_text_of(json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s ? s : "";
}
