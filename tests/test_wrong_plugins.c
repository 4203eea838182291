/* test_wrong_plugins.c -- what lt-run says of a backend that makes a mistake (tests/plugins/wrong.c), and what it
 * proposes. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/ltrun.h"

#define out ltrun_out
#define err ltrun_err
#define run ltrun

static char wrong[512], picky[512];

static void set_up(void)
{
	ltrun_set_up();
	strcpy(wrong, built("tests/plugins/wrong.so"));
	strcpy(picky, built("tests/plugins/picky.so"));
	unsetenv("WRONG");
	ltrun_write_text("sum.lt", "$1 = InputTensor(x, float32, [4, 6]);\n$2 = SumNode($1, $1);\nresult = $2;\n");
	ltrun_write_text("wide.lt", "$1 = InputTensor(x, float64, [4, 6]);\n$2 = SoftmaxNode($1, 1);\nresult = $2;\n");
	ltrun_write_text("causal.lt", "$1 = InputTensor(q, float32, [2, 5, 4]);\n$2 = InputTensor(k, float32, [2, 5, 4]);\n"
		"$3 = InputTensor(v, float32, [2, 5, 4]);\n$4 = AttentionNode($1, $2, $3, 0.5, 1);\nresult = $4;\n");
}

TestSuite(wrong_plugins, .init = set_up, .fini = ltrun_tear_down, .timeout = 60);

/* The mistake, the end that lt-run comes to with -b wrong, and what it says, there and in the list. */
static const struct { const char *mistake; int code; const char *say, *list;
} mistakes[] = {
	{ "caps", 1, "lt-run: backend wrong: `caps` returned NULL; its author has to fix it\n",
		"not usable here: `caps` "
		"returned NULL" },
	{ "capsize", 1,
		"lt-run: backend wrong: the size of its struct lt_caps is 0; its author has to set .size = sizeof "
		"(struct lt_caps)\n",
		"\nwrong " },
	{ "exit", 1,
		"lt-run: a backend has called exit before lt-run was done; its author has to return an error instead: "
		"-b wrong\n",
		"\nwrong " },
	{ "exit3", 1, "lt-run: a backend has called exit before lt-run was done; ", "\nwrong " },
	{ "negative", 2, "lt-run: the backend wrong cannot be used here: it does not say why\n",
		"not usable here: it does not say why" },
	{ "zero", 2, "lt-run: backend wrong: not usable here: it does not say why\n",
		"not usable here: it does not say why" },
	{ "code", 1,
		"lt-run: backend wrong, kernel k0_2: `run` returned 99, which is not a status: its author has to fix "
		"`run`\n",
		"\nwrong " },
};

Test(wrong_plugins, each_mistake_ends_with_a_sentence)
{
	for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
		setenv("WRONG", mistakes[i].mistake, 1);
		cr_expect_eq(run("sum.lt -i x=1 -B %s -b wrong", wrong), mistakes[i].code, "%s: %s%s", mistakes[i].mistake, out, err);
		cr_expect(strstr(err, mistakes[i].say), "%s: %s", mistakes[i].mistake, err);
		cr_expect_str_eq(out, "", "%s", mistakes[i].mistake);
		cr_expect_eq(run("--list-backends -B %s", wrong), 0, "%s", mistakes[i].mistake);
		cr_expect(strstr(out, mistakes[i].list), "%s: %s", mistakes[i].mistake, out);
	}
	unsetenv("WRONG");
	cr_expect_eq(run("sum.lt -i x=1 -q -B %s -b wrong", wrong), 0, "%s", err);
	cr_expect_eq(run("--version"), 0);
	cr_expect_str_eq(err, "", "an end of its own is none of these");
}

/* One that is not usable is not chosen. */
Test(wrong_plugins, a_score_below_zero_is_none)
{
	static const char *const scores[] = { "negative", "zero" };
	for (size_t i = 0; i < sizeof scores / sizeof *scores; i++) {
		setenv("WRONG", scores[i], 1);
		cr_assert_eq(run("sum.lt -i x=1 -B %s --verify -q", wrong), 0, "%s", err);
	}
	cr_assert_eq(run("sum.lt -b cpu:target=neon,ref --dump=plan"), 0, "looking at it is no use of it: %s", err);
}

/* What it says is shown in one line. */
Test(wrong_plugins, a_note_of_several_lines)
{
	setenv("WRONG", "lines", 1);
	cr_assert_eq(run("sum.lt -i x=1 -q --explain -B %s -b wrong,ref", wrong), 0, "%s", err);
	cr_assert(strstr(out, ": it has no 'exp' of [1m these\n    nearest change: write  another\n"), "%s", out);
}

/* ---- remedies ---- */

/* What a cast cannot change has no such remedy: the last one proposes another backend alone. */
Test(wrong_plugins, no_remedy_that_cannot_be_followed)
{
	const char *f32 = "0x2", *other = "nearest change: name another backend after it (-b wrong:dtypes=0x2,cpu)\n";
	cr_assert_eq(run("count.lt -i part=1 -i begin=0 -i end=2 -q --explain -B %s -b wrong:dtypes=%s", wrong, f32), 1,
		"%s", out);
	cr_assert(strstr(out, "wrong refuses it at %5 (count.lt:1:1"), "%s", out);
	cr_assert(strstr(out, "): it does not take elements of i64\n"), "%s", out);
	cr_assert(!strstr(out, "cast ") && strstr(out, other), "a run-time scalar is of int64: %s", out);
	cr_assert_eq(run("causal.lt -i q=1 -i k=1 -i v=1 -q --explain -B %s -b wrong:dtypes=%s", wrong, f32), 1, "%s", out);
	cr_assert(strstr(out, " refuses it at %4.lessequal (causal.lt:4:1)"), "%s", out);
	cr_assert(!strstr(out, "cast ") && strstr(out, other), "a comparison is of bool: %s", out);
	/* A float can be cast, in the script's own words. */
	cr_assert_eq(run("wide.lt -i x=1 -q --explain -B %s -b wrong:dtypes=%s,ref", wrong, f32), 0, "%s", err);
	cr_assert(strstr(out, " at %2.max (wide.lt:2:1): it does not take elements of f64\n"
		"    nearest change: cast what %2 is computed from to a type that it has\n"), "%s", out);
	for (const char *at = out; (at = strstr(at, "cast ")); at++)
		cr_assert(!strncmp(at, "cast x ", 7) || !strncmp(at, "cast what %2 is computed from ", 30),
			"nothing that is not in the script: %s", out);
}

Test(wrong_plugins, a_backend_without_types)
{
	static const char *const masks[] = { "0", "1", "0x8000000000000000" };
	for (size_t i = 0; i < 3; i++) {
		cr_assert_eq(run("sum.lt -i x=1 -q --explain -B %s -b wrong:dtypes=%s,ref", wrong, masks[i]), 0, "%s", err);
		cr_assert(strstr(out,
				  "nearest change: its author has to set the bits of its types in `dtypes` (1 << "
				  "LT_F32)"),
			"%s", out);
		cr_assert_null(strstr(out, "cast "), "%s", out);
	}
}

/* After the remedy of the refusal itself, and last. */
Test(wrong_plugins, another_backend_is_proposed_beside_a_remedy)
{
	ltrun_write_text("exp.g", "graph 1\nvar m 4\n%x = f32[m] input \"x\"\n"
		"%e = f32[m] exp %x @ 4:3\n%t = f32[m] tanh %e @ 5:3\nresult \"t\" = %t\n");
	cr_assert_eq(run("exp.g -i x=1 -q --explain -B %s -b picky", picky), 1);
	const char *end = ": write a polynomial; or name another backend after it (-b picky,cpu)\n";
	cr_assert(strlen(err) > strlen(end) && !strcmp(err + strlen(err) - strlen(end), end), "%s", err);
	cr_assert_eq(strstr(err, "another backend"),
		err + strlen(err) - strlen(end) + strlen(": write a polynomial; or name "), "once: %s", err);
	cr_assert(strstr(out, "nearest change: write a polynomial; or name another backend after it (-b picky,cpu)\n"), "%s",
		out);
	cr_assert(strstr(out, "nearest change: write a polynomial\n"), "once: %s", out);
	static const char *const lists[] = { "picky,cpu", "picky --strict", "picky,ref,cpu" };
	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
		(void)run("exp.g -i x=1 -q --explain -B %s -b %s", picky, lists[i]);
		cr_expect(!strstr(out, "another backend") && !strstr(err, "another backend"), "%s: %s%s", lists[i], out, err);
	}
}

Test(wrong_plugins, a_plan_names_the_backends)
{
	ltrun_write_text("nests.g",
		"graph 1\nvar m 4\nvar n 4\n%x = f32[m, n] input \"x\"\n%a = f32[m] add.reduce %x\n%e = f32[m] exp %a\n"
		"%b = f32[m, n] add %x, %e\n%c = f32[n] add.reduce %b\n%d = f32[m, n] mul %x, %c\nresult \"d\" = %d\n");
	cr_assert_eq(run("nests.g --dump=plan -B %s -b picky,ref", picky), 0, "%s", err);
	cr_assert(strstr(out, " by picky  reads ") && strstr(out, " by ref  reads "), "%s", out);
	cr_assert_eq(run("nests.g --dump=plan -b ref"), 0, "%s", err);
	cr_assert_null(strstr(out, " by "), "there is one: %s", out);
}
