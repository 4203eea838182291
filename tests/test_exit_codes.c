/* test_exit_codes.c -- all tools end alike where the backend that is asked for is not there or cannot be used. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/built.h"

static void set_up(void)
{
	FILE *f = fopen(scratch("sum.lt"), "w");
	cr_assert(f && fputs("$1 = InputTensor(x, float32, [4, 6]);\n$2 = SumNode($1, $1);\nresult = $2;\n", f) >= 0
		&& fclose(f) == 0);
	setenv("XDG_CACHE_HOME", scratch(""), 1);
	unsetenv("WRONG");
}
TestSuite(exit_codes, .init = set_up, .fini = scratch_remove, .timeout = 120);

/* Ways to ask each tool for a backend; of them only lt-run can look at its code. */
static const struct { const char *tool, *options; } ways[] = {
	{ "lt-run", "sum.lt -i x=1 -q -b" },
	{ "lt-run", "sum.lt --check-schedule --apply 'split i 2' -b" },
	{ "lt-check", "--filter op/exp/f32/prime -b" },
	{ "lt-check", "--list -b" },
	{ "lt-bench", "gemm --filter gemm/8 --quick --no-vendor -b" },
	{ "lt-bench", "compile --filter gemm/32 --quick -b" },
	{ "lt-bench", "--serve" },
};
enum { N_WAYS = sizeof ways / sizeof *ways, ONLY_LOOKS = 1 };

/* `plugin` NULL: none. */
static void expect_end(int way, const char *mistake, const char *plugin, const char *backend, int code, const char *say)
{
	static char out[1 << 16], err[1 << 16];
	char command[2048];
	(void)snprintf(command, sizeof command, "cd %s && WRONG='%s' %s %s %s %s %s", scratch(""), mistake,
		built(ways[way].tool), plugin ? "-B" : "", plugin ? plugin : "", ways[way].options, backend);
	cr_expect_eq(run_command(command, out, sizeof out, err, sizeof err), code, "%s: %s%s", command, out, err);
	cr_expect(strstr(err, say), "%s: '%s' does not say '%s'", command, err, say);
	cr_expect(!strncmp(err, ways[way].tool, strlen(ways[way].tool)), "%s: %s", command, err);
}

Test(exit_codes, a_name_that_nobody_has)
{
	for (int i = 0; i < N_WAYS; i++)
		expect_end(i, "", NULL, "nobody", 2, "there is no backend 'nobody'");
}

Test(exit_codes, a_plug_in_that_cannot_be_loaded)
{
	for (int i = 0; i < N_WAYS; i++) {
		expect_end(i, "", "no_such.so", "cpu", 2, "no_such.so");
		expect_end(i, "", built("tests/plugins/nosymbol.so"), "cpu", 2, "nosymbol.so");
	}
}

/* By its score, whether it opens or not. */
Test(exit_codes, a_backend_that_this_machine_cannot_use)
{
	char wrong[512];
	(void)snprintf(wrong, sizeof wrong, "%s", built("tests/plugins/wrong.so"));
	for (int i = 0; i < N_WAYS; i++) {
		if (i != ONLY_LOOKS)
			expect_end(i, "negative", wrong, "wrong", 2, "cannot be used here: it does not say why");
		expect_end(i, "zero", wrong, "wrong", 2, "it does not say why");
	}
	for (int i = 0; i < N_WAYS; i++)
		expect_end(i, "", NULL, "cpu:no_such_word", 2, "no_such_word");
}

/* One that should work and does not open has failed; lt-check finds that in its cases. */
Test(exit_codes, a_device_that_is_busy)
{
	char poor[512];
	(void)snprintf(poor, sizeof poor, "%s", built("tests/plugins/poor.so"));
	for (int i = 0; i < N_WAYS; i++)
		if (strcmp(ways[i].tool, "lt-check") != 0)
			expect_end(i, "", poor, "poor", 1, "the device is busy");
}
