/* test_bench_peers.c -- lt-bench with other programs to compare with: honest, wrong, silent or dead. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include "tests/bench_program.h"

#define out bench_out
#define err bench_err

TestSuite(bench_peers, .init = bench_set_up, .fini = scratch_remove, .timeout = 300);
TestSuite(more_bench_peers, .init = bench_set_up, .fini = scratch_remove, .timeout = 300);

Test(bench_peers, what_a_peer_says_becomes_its_row)
{
	json_t *o, *r, *slow;

	cr_assert_eq(bench_with_peers("honest slow", ""), 0, "%s", err);
	o = bench_read_json();
	r = bench_row_of(o, "fake:honest");
	slow = bench_row_of(o, "fake:slow");
	cr_assert_str_eq(bench_text_of(r, "status"), "measured", "%s", bench_text_of(r, "why"));
	cr_assert_float_eq(bench_real_of(r, "median_s"), 0.01, 1e-9);
	cr_assert_float_eq(bench_real_of(r, "minimum_s"), 0.01, 1e-9);
	cr_assert_float_eq(bench_real_of(r, "spread"), 0, 1e-6);
	cr_assert_float_eq(bench_real_of(r, "prepare_s"), 0.125, 1e-9);
	cr_assert_float_eq(bench_real_of(r, "per_second"), 2 * 32 * 32 * 32 / 0.01, 1);
	cr_assert_float_eq(bench_real_of(r, "of_best"), 1, 1e-9);
	cr_assert_float_eq(bench_real_of(slow, "of_best"), 0.5, 1e-9);
	cr_assert_float_eq(bench_real_of(slow, "of_peak") / bench_real_of(r, "of_peak"), 0.5, 1e-6);
	cr_assert_eq(json_array_size(json_object_get(r, "samples_s")), 3);
	cr_assert_leq(bench_real_of(r, "relative_l2"), 1e-6);
	/* Forms of one: the table shows the faster. */
	cr_assert(strstr(out, "fake:honest") && !strstr(out, "fake:slow"), "%s", out);
	json_decref(o);
}

Test(bench_peers, what_is_wrong_is_kept_with_its_reason)
{
	static const struct { const char *mode, *why;
	} rows[] = {
		{ "liar", "wrong result" },
		{ "short", "less than the 1024 elements" },
		{ "long", "more than the 1024 elements" },
		{ "refuse", "it is too hard" },
		{ "talks", "'about ten' where a number of seconds is due" },
		{ "dies", "ended with exit code 7: out of paper" },
		{ "killed", "died of signal 11 (Segmentation fault): up to here" },
		{ "leaves", "ended with exit code 255" },
		{ "turns", "wrong result" },
	};
	char modes[256] = "", label[64];
	json_t *o;

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		strcat(strcat(modes, " "), rows[i].mode);
	/* Nothing of Looptree's own is wrong. */
	cr_assert_eq(bench_with_peers(modes, "--csv x.csv"), 0, "%s", err);
	o = bench_read_json();
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		json_t *r;

		snprintf(label, sizeof label, "fake:%s", rows[i].mode);
		r = bench_row_of(o, label);
		cr_assert_str_eq(bench_text_of(r, "status"), "failed", "%s", label);
		cr_assert(strstr(bench_text_of(r, "why"), rows[i].why), "%s: %s", label, bench_text_of(r, "why"));
		cr_assert_null(json_object_get(r, "median_s"));
	}
	cr_assert(json_is_null(json_object_get(bench_row_of(o, "ref"), "of_best")), "what failed is no denominator");
	cr_assert(strstr(out, "failed: "), "%s", out);
	json_decref(o);
}

Test(bench_peers, who_does_not_do_a_case_is_left_out)
{
	json_t *o;

	cr_assert_eq(bench_with_peers("skip", ""), 0, "%s", err);
	o = bench_read_json();
	cr_assert_str_eq(bench_text_of(bench_row_of(o, "fake:skip"), "status"), "skipped");
	cr_assert_null(strstr(out, "fake"));
	json_decref(o);
}

Test(bench_peers, a_peer_that_is_none_is_refused)
{
	cr_assert_eq(bench_with_peers("silent", ""), 2);
	cr_assert(strstr(err, "ended with exit code 3"), "%s", err);
	cr_assert_eq(bench_with_peers("absent", ""), 2);
	cr_assert(strstr(err, "nobody is at home"), "%s", err);
	cr_assert_eq(bench_with_peers("other", ""), 2);
	cr_assert(strstr(err, "'hello'"), "%s", err);
}

Test(bench_peers, this_program_is_a_peer_too)
{
	json_t *o;

	cr_assert_eq(bench_run("gemm --filter '*/8' --quick --no-vendor -b ref --json x.json --peer '%s --serve cpu'",
			     built("lt-bench")),
		0, "%s", err);
	o = bench_read_json();
	json_t *r = bench_row_of(o, "cpu");
	cr_assert_str_eq(bench_text_of(r, "status"), "measured", "%s", bench_text_of(r, "why"));
	json_decref(o);
}

Test(bench_peers, names_that_occur_twice_are_told_apart)
{
	json_t *o;

	cr_assert_eq(bench_run("gemm --filter '*/8' --quick --no-vendor -b ref --json x.json --peer '%s --serve ref' "
			       "--peer '%s --serve ref'",
			     built("lt-bench"), built("lt-bench")),
		0, "%s", err);
	o = bench_read_json();
	cr_assert_str_eq(bench_text_of(bench_row_of(o, "ref"), "role"), "looptree");
	cr_assert_str_eq(bench_text_of(bench_row_of(o, "ref-peer"), "status"), "measured");
	cr_assert_str_eq(bench_text_of(bench_row_of(o, "ref-peer2"), "status"), "measured");
	cr_assert(strstr(out, "ref-peer2"), "%s", out);
	json_decref(o);
}

Test(bench_peers, the_server_answers_mistakes)
{
	char command[1024], lines[4096];
	static const char *const answers[] = { "peer 1 ref Looptree", "failed the words are", "failed there is no case",
		"failed there is no case", "failed the case is no JSON", "failed the case lacks",
		"failed the file of the input 'a' cannot be read", "failed there is no case", "ok" };
	char *rest = NULL, *at;

	snprintf(command, sizeof command,
		"printf '%%s\\n' hello 'sample 1' 'result x' 'case {' 'case {}' 'case "
		"{\"suite\":\"s\",\"name\":\"n\",\"op\":\"gemm\",\"threads\":1,\"inputs\":[{\"name\":\"a\",\"shape\":["
		"2],\"file\":\"/nowhere\"}]}' 'sample 1' end quit | %s --serve ref",
		built("lt-bench"));
	cr_assert_eq(run_command(command, lines, sizeof lines, err, sizeof err), 0);
	at = strtok_r(lines, "\n", &rest);
	for (size_t i = 0; i < sizeof answers / sizeof *answers; i++, at = strtok_r(NULL, "\n", &rest))
		cr_assert(at && !strncmp(at, answers[i], strlen(answers[i])), "'%s' is not '%s'", at ? at : "nothing", answers[i]);
}

/* One line for each question, whatever the compiler says; and a case that failed is none. */
Test(bench_peers, the_server_answers_in_one_line)
{
	char command[1024], lines[4096];

	bench_write_text("cc.sh", "echo 'one: first' >&2; echo 'two: second' >&2; exit 1\n");
	bench_write_text("lines", "case {\"suite\":\"s\",\"name\":\"n\",\"op\":\"sum\",\"threads\":1,\"inputs\":["
		"{\"name\":\"a\",\"shape\":[2],\"file\":\"/dev/zero\"}],\"result\":{\"name\":\"r\",\"shape\":[2]},\"script\":"
		"\"$1 = InputTensor(\\\"a\\\", float32, [2]);\\n$2 = SumNode($1, $1);\\nresult = $2;\\n\"}\nsample 1\nend\n");
	snprintf(command, sizeof command, "cd %s && CC='sh cc.sh' %s --serve cpu <lines", scratch(""), built("lt-bench"));
	cr_assert_eq(run_command(command, lines, sizeof lines, err, sizeof err), 0, "%s", err);
	cr_assert(strstr(lines, "one: first\nfailed there is no case\nok\n"), "%s", lines);
}

/* Right, but faster than the machine can multiply and add: the time or the count of operations is wrong. */
Test(bench_peers, a_rate_above_the_peak_is_a_failed_row)
{
	json_t *o, *r;

	cr_assert_eq(bench_with_peers("honest hasty", ""), 0, "%s", err);
	o = bench_read_json();
	r = bench_row_of(o, "fake:hasty");
	cr_assert_str_eq(bench_text_of(r, "status"), "failed");
	cr_assert(strstr(bench_text_of(r, "why"), "above the measured multiply-add peak"), "%s", bench_text_of(r, "why"));
	cr_assert_str_eq(bench_text_of(bench_row_of(o, "fake:honest"), "status"), "measured");
	cr_assert_str_eq(bench_text_of(bench_row_of(o, "ref"), "status"), "measured");
	json_decref(o);
}

/* Installed or not: one says its name, the other that it is not there. */
Test(bench_peers, vendors_are_there_or_say_why)
{
	static const char *const names[] = { "openblas", "onednn" };

	for (int i = 0; i < 2; i++) {
		cr_assert_eq(bench_run("--serve %s </dev/null", names[i]), 0, "%s", err);
		cr_assert(!strncmp(out, "peer 1 ", 7) || !strncmp(out, "absent ", 7), "%s", out);
		cr_assert(strstr(out, names[i]) || strstr(out, "is not installed"), "%s", out);
	}
}

/* Where a vendor is installed, what it computes is right. */
Test(more_bench_peers, vendors_compute_what_scripts_mean)
{
	static const char *const filters[] = { "gemm/32", "gemm/1x4096x4096", "conv/mobilenetv2-dw-14-576to576-3x3-s2",
		"conv/mobilenetv2-14-192to64", "mlp/batch-10", "rows/softmax-4096x256" };

	for (size_t f = 0; f < sizeof filters / sizeof *filters; f++) {
		json_t *o, *rows, *r;
		size_t i;

		cr_assert_eq(bench_run("gemm conv mlp rows --filter %s --quick --coretypes none -b cpu --json x.json",
				     filters[f]),
			0, "%s", err);
		o = bench_read_json();
		rows = json_object_get(json_array_get(json_object_get(o, "cases"), 0), "rows");
		cr_assert_geq(json_array_size(rows), 2);
		json_array_foreach(rows, i, r) cr_assert_str_neq(bench_text_of(r, "status"), "failed", "%s %s: %s",
			filters[f], bench_text_of(r, "contestant"), bench_text_of(r, "why"));
		json_decref(o);
	}
}

/* A peer that says nothing has a time to do so; what it has started ends with it, and the others are measured. */
Test(more_bench_peers, a_peer_that_does_not_answer_is_ended)
{
	json_t *o;
	char command[1024];

	cr_assert_eq(bench_with_peers("mute", "--patience 2"), 2, "%s", out);
	cr_assert(strstr(err,
			  "the peer has not answered for 2 seconds, and was ended; --patience SECONDS gives it more; "
			  "it said last: it has no tongue"),
		"%s", err);
	snprintf(command, sizeof command,
		"for i in $(seq 200); do grep -qs 'State:.[^ZX]' /proc/$(cat %s)/status || exit 0; sleep 0.1; "
		"done; exit 1",
		scratch("peer.sh.pid"));
	cr_assert_eq(run_command(command, out, sizeof out, err, sizeof err), 0, "what it started still runs");
	cr_assert_eq(bench_with_peers("stalls honest", "--patience 5"), 0, "%s", err);
	o = bench_read_json();
	cr_assert_str_eq(bench_text_of(bench_row_of(o, "fake:stalls"), "status"), "failed");
	cr_assert(strstr(bench_text_of(bench_row_of(o, "fake:stalls"), "why"), "has not answered for 5 seconds"), "%s",
		bench_text_of(bench_row_of(o, "fake:stalls"), "why"));
	cr_assert_str_eq(bench_text_of(bench_row_of(o, "fake:honest"), "status"), "measured");
	json_decref(o);
	/* Nor is an interruption held up by one. */
	snprintf(command, sizeof command,
		"cd %s && { env --default-signal=INT %s gemm --quick --filter gemm/32 --no-vendor -b ref --peer 'sh "
		"peer.sh stalls' --json x.json >log & pid=$!; for i in $(seq 300); do grep -q copy: log && break; "
		"sleep 0.1; done; sleep 0.5; kill -INT $pid; wait $pid; }",
		scratch(""), built("lt-bench"));
	cr_assert_eq(run_command(command, out, sizeof out, err, sizeof err), 130, "%s", err);
	cr_assert(strstr(err, "interrupted"), "%s", err);
}

/* All of it: not the first word alone. */
Test(bench_peers, a_peer_is_a_command_of_the_shell)
{
	char more[1024];

	snprintf(more, sizeof more, "--peer 'cd . && MODE=honest && sh peer.sh $MODE %s'", built("lt-bench"));
	cr_assert_eq(bench_with_peers("", more), 0, "%s", err);
	json_t *o = bench_read_json();
	cr_assert_str_eq(bench_text_of(bench_row_of(o, "fake:honest"), "status"), "measured");
	json_decref(o);
}
