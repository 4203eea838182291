/* test_bench_nets.c -- lt-bench nets: models as cases, their extents and inputs, several results, peers. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include "tests/bench_program.h"

#define out bench_out
#define err bench_err

/* Two results, tokens of 5, a mask that nothing bounds, and rows of floats. */
static const char tokens[] =
	"ids = InputTensor(ids, int64, [4]);\n"
	"mask = InputTensor(mask, int64, [4]);\n"
	"x = InputTensor(x, float32, [4, 3]);\n"
	"table = ConstantTensor(table, float32, [5, 3]);\n"
	"rows = GatherNode(table, ids) + x;\n"
	"result sum = rows;\n"
	"result twice = mask + mask;\n";

/* A peer that answers with its own files, of the case's inputs: $1 says how. */
static const char net_peer[] =
	"mode=$1 bench=$2\n"
	"echo \"peer 1 net:$mode 1.0\"\n"
	"while read -r word rest; do case $word in\n"
	"case) printf '%s\\n' \"$rest\" >$0.case; echo ok 0.5 ;;\n"
	"sample) awk \"BEGIN { print $rest * 0.01 }\" ;;\n"
	"result) case $mode in\n"
	"  liar) head -c 80 /dev/zero >$rest ;;\n"
	"  short) head -c 60 /dev/zero >$rest ;;\n"
	"  long) head -c 90 /dev/zero >$rest ;;\n"
	"  *) printf 'case %s\\nresult %s\\nquit\\n' \"$(cat $0.case)\" $rest | $bench --serve ref >$0.said ;;\n"
	"  esac; echo ok ;;\n"
	"end) echo ok ;;\n"
	"quit) exit ;;\n"
	"esac; done\n";

static void nets_set_up(void)
{
	bench_set_up();
	bench_write_text("tokens.lt", tokens);
	bench_write_text("net.sh", net_peer);
}

TestSuite(bench_nets, .init = nets_set_up, .fini = scratch_remove, .timeout = 300);

static int nets(const char *modes, const char *more)
{
	char options[1024] = "", copy[128], *rest = NULL;

	snprintf(copy, sizeof copy, "%s", modes);
	for (char *at = strtok_r(copy, " ", &rest); at; at = strtok_r(NULL, " ", &rest))
		snprintf(options + strlen(options), sizeof options - strlen(options), "--peer 'sh net.sh %s %s' ", at,
			built("lt-bench"));
	return bench_run("nets -b ref --quick --json x.json %s %s", options, more);
}

static const char *status_of(json_t *o, const char *label)
{
	return bench_text_of(bench_row_of(o, label), "status");
}

Test(bench_nets, a_model_is_a_case)
{
	json_t *o, *c;

	cr_assert_eq(nets("honest", "--model tokens.lt --threads 1,2 --csv x.csv"), 0, "%s%s", err, out);
	o = bench_read_json();
	cr_assert_eq(json_array_size(json_object_get(o, "cases")), 2);
	c = json_array_get(json_object_get(o, "cases"), 0);
	cr_expect_str_eq(bench_text_of(c, "suite"), "nets");
	cr_expect_str_eq(bench_text_of(c, "name"), "tokens");
	cr_expect_str_eq(bench_text_of(c, "checked_by"), "graph evaluator");
	/* 12 additions of floats, 4 of integers; two inputs of 4 int64, 12 and 15 floats, and the results of 12 and 4. */
	cr_expect_eq(json_integer_value(json_object_get(c, "flops")), 16);
	cr_expect_eq(json_integer_value(json_object_get(c, "bytes")), 2 * 32 + (12 + 15 + 12) * 4 + 32);
	cr_expect_str_eq(status_of(o, "ref"), "measured", "%s", bench_text_of(bench_row_of(o, "ref"), "why"));
	cr_expect_str_eq(status_of(o, "net:honest"), "measured", "%s", bench_text_of(bench_row_of(o, "net:honest"), "why"));
	cr_expect_float_eq(bench_real_of(bench_row_of(o, "net:honest"), "median_s"), 0.01, 1e-9);
	cr_expect_float_eq(bench_real_of(bench_row_of(o, "net:honest"), "prepare_s"), 0.5, 1e-9);
	cr_expect_float_eq(bench_real_of(bench_row_of(o, "net:honest"), "per_second"), 1600, 1e-3);
	cr_expect_null(strstr(out, "openblas"), "no library of single operations takes part: %s", out);
	json_decref(o);
}

/* What a peer is told: the file, and inputs with types, whose values are within what the model takes. */
Test(bench_nets, inputs_are_within_what_the_model_takes)
{
	char line[64];
	json_t *o, *in, *t;
	json_error_t e;
	size_t i;

	bench_write_text("keep.sh", "echo 'peer 1 keep'\nwhile read -r word rest; do case $word in\n"
		"case) printf '%s' \"$rest\" >told.json\n"
		"  for f in "
		"$(grep -oE '\"file\": ?\"[^\"]*' told.json | grep -o '/.*'); do i=$((i+1)); cp $f in$i; done; echo ok ;;\n"
		"quit) exit ;; *) echo ok ;; esac; done\n");
	(void)bench_run("nets -b ref --quick --model tokens.lt:x=ones --peer 'sh keep.sh'");
	o = json_load_file(scratch("told.json"), 0, &e);
	cr_assert_not_null(o, "%s: %s", e.text, err);
	cr_expect_str_eq(bench_text_of(o, "op"), "model");
	cr_expect(strstr(bench_text_of(o, "model"), "/tokens.lt"));
	cr_expect_eq(json_array_size(json_object_get(o, "results")), 2);
	in = json_object_get(o, "inputs");
	cr_assert_eq(json_array_size(in), 3);
	json_array_foreach(in, i, t) {
		static const char *const names[] = { "ids", "mask", "x" }, *const types[] = { "int64", "int64", "float32" };
		FILE *f;

		cr_expect_str_eq(bench_text_of(t, "name"), names[i]);
		cr_expect_str_eq(bench_text_of(t, "dtype"), types[i]);
		snprintf(line, sizeof line, "in%zu", i + 1);
		f = fopen(scratch(line), "rb");
		cr_assert_not_null(f, "%s", line);
		for (int k = 0; k < 4; k++) {
			int64_t n = -1;
			float x = -1;

			cr_assert_eq(i < 2 ? fread(&n, sizeof n, 1, f) : fread(&x, sizeof x, 1, f), 1);
			cr_expect(i == 0 ? n >= 0 && n < 5 : i == 1 ? n == 1 : x == 1, "%s[%d]", names[i], k);
		}
		fclose(f);
	}
	json_decref(o);
}

Test(bench_nets, what_is_wrong_is_kept_with_its_reason)
{
	json_t *o;

	/* Zeros are right of no result; 80 bytes are all that there should be: 12 floats, 4 integers. */
	cr_assert_eq(nets("liar short long", "--model tokens.lt"), 0, "%s", err);
	o = bench_read_json();
	cr_expect(strstr(bench_text_of(bench_row_of(o, "net:liar"), "why"), "wrong result: 'sum' is off by 1 of its norm"),
		"%s", bench_text_of(bench_row_of(o, "net:liar"), "why"));
	cr_expect(strstr(bench_text_of(bench_row_of(o, "net:short"), "why"), "ends in 'twice', after 12 of its 32 bytes"),
		"%s", bench_text_of(bench_row_of(o, "net:short"), "why"));
	cr_expect(strstr(bench_text_of(bench_row_of(o, "net:long"), "why"), "goes on after the last"), "%s",
		bench_text_of(bench_row_of(o, "net:long"), "why"));
	json_decref(o);
}

Test(bench_nets, contestants_are_compared_with_each_other)
{
	json_t *o;

	cr_assert_eq(nets("honest", "--model tokens.lt --no-evaluator"), 0, "%s", err);
	o = bench_read_json();
	cr_expect_str_eq(bench_text_of(json_array_get(json_object_get(o, "cases"), 0), "checked_by"),
		"the result of net:honest");
	cr_expect_str_eq(status_of(o, "ref"), "measured");
	json_decref(o);
	/* Nobody is compared with himself. */
	cr_assert_eq(nets("", "--model tokens.lt --no-evaluator"), 1);
	o = bench_read_json();
	cr_expect(strstr(bench_text_of(bench_row_of(o, "ref"), "why"), "no other result to compare with"), "%s",
		bench_text_of(bench_row_of(o, "ref"), "why"));
	json_decref(o);
	/* Two agree against the first: then it is said with whose result they were compared. */
	cr_assert_eq(nets("liar honest", "--model tokens.lt --no-evaluator"), 1);
	o = bench_read_json();
	cr_expect(strstr(bench_text_of(bench_row_of(o, "ref"), "why"), "compared with the result of net:liar"), "%s",
		bench_text_of(bench_row_of(o, "ref"), "why"));
	cr_expect_str_eq(status_of(o, "net:honest"), "failed");
	json_decref(o);
}

Test(bench_nets, mistakes_are_said_before_anything_is_measured)
{
	static const struct { const char *options, *what; } rows[] = {
		{ "nets", "take their cases from --model" },
		{ "gemm --model tokens.lt", "--model is for the suites nets and start" },
		{ "nets --model none.onnx", "'none.onnx' cannot be read" },
		{ "nets --model tokens.lt:y=ones", "there is no input 'y' (there are: ids, mask, x)" },
		{ "nets --model tokens.lt:x", "'tokens.lt:x' cannot be read" },
		{ "nets --model tokens.lt:x=ones,mask", "'mask' is no NAME=VALUE" },
		{ "nets --model tokens.lt:x=many", "'many' is none of FILE.npy" },
		{ "nets --model tokens.lt:batch=3", "cannot be set" },
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		cr_expect_eq(bench_run("-b ref --quick %s", rows[i].options), 2, "%s: %s", rows[i].options, out);
		cr_expect(strstr(err, rows[i].what), "%s: %s", rows[i].options, err);
	}
	cr_assert_eq(bench_run("nets --list --model tokens.lt --model tokens.lt:x=ones"), 0, "%s", err);
	cr_expect(strstr(out, "nets/tokens"), "%s", out);
	cr_assert_eq(bench_run("nets --list"), 0, "%s", err);
}

#define DENSE "$OLDPWD/tests/standalone/dense.onnx"

/* Symbolic extents: fixed, or known when a run starts; a peer is given the tensors that the model has. */
Test(bench_nets, extents_are_fixed_or_left_open)
{
	static const char *const open[] = { "", "--runtime-extents" };

	if (bench_run("nets --list --model " DENSE ":batch=3"))
		cr_skip_test("the frontend onnx was not built");
	for (int i = 0; i < 2; i++) {
		json_t *o;
		json_error_t e;
		char more[256];

		snprintf(more, sizeof more, "%s --model " DENSE ":batch=3", open[i]);
		cr_assert_eq(nets("honest", more), 0, "%s%s", err, out);
		o = bench_read_json();
		cr_expect_str_eq(status_of(o, "ref"), "measured", "%s", bench_text_of(bench_row_of(o, "ref"), "why"));
		cr_expect_str_eq(status_of(o, "net:honest"), "measured", "%s", bench_text_of(bench_row_of(o, "net:honest"), "why"));
		json_decref(o);
		o = json_load_file(scratch("net.sh.case"), 0, &e);
		cr_assert_not_null(o);
		cr_expect_eq(json_is_true(json_object_get(o, "runtime_extents")), i == 1);
		cr_expect_eq(json_integer_value(json_object_get(json_object_get(o, "dims"), "batch")), 3);
		cr_expect_eq(json_array_size(json_object_get(o, "inputs")), 1, "the extent is no tensor of the model");
		json_decref(o);
	}
	cr_expect_eq(bench_run("nets -b ref --model " DENSE), 2);
	cr_expect(strstr(err, "--dim batch=8 fixes it") && strstr(err, "(in lt-bench: --model ")
		&& strstr(err, "dense.onnx:NAME=VALUE for --dim NAME=VALUE)"), "%s", err);
	/* Two sizes of one model have names of their own. */
	cr_assert_eq(bench_run("nets --list --model " DENSE ":batch=3 --model " DENSE ":batch=4"), 0, "%s", err);
	cr_expect(strstr(out, "nets/dense ") && strstr(out, "nets/dense-batch=4"), "%s", out);
}

Test(bench_nets, the_means_say_the_lowest_case)
{
	json_t *o, *s;
	size_t i;

	cr_assert_eq(nets("honest", "--model tokens.lt --model tokens.lt:x=ones"), 0, "%s", err);
	o = bench_read_json();
	/* The only one of the others is compared with nobody, and a limit is no contestant. */
	json_array_foreach(json_object_get(o, "summary"), i, s) {
		if (!strcmp(bench_text_of(s, "contestant"), "net")) {
			cr_expect_eq(json_integer_value(json_object_get(s, "compared")), 0);
			cr_expect_eq(bench_real_of(s, "of_best"), 0);
		}
	}
	cr_expect(json_is_null(json_object_get(bench_row_of(o, "peak"), "of_best")));
	s = json_array_get(json_object_get(o, "summary"), 0);
	cr_expect_eq(json_integer_value(json_object_get(s, "compared")), 2);
	cr_expect_leq(bench_real_of(s, "lowest_of_best"), bench_real_of(s, "of_best"));
	cr_expect(bench_real_of(s, "lowest_of_best") > 0 && strstr(out, "(lowest "), "%s", out);
	cr_expect_null(strstr(out, "(all)"), "a suite of one group has one mean: %s", out);
	json_decref(o);
}
