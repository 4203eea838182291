/* test_script_vectors.c -- nodes of the script by the numbers of others: tests/data/nodes.txt, the standard's
 * node tests and what NumPy gives of drawn shapes (tests/data/make_nodes.py). */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include "tests/script_run.h"

Test(script_vectors, every_case_gives_its_values, .timeout = 120)
{
	size_t bytes;
	char *text = script_file("tests/data/nodes.txt", &bytes), *at = text, *end;
	int cases = 0;
	cr_assert(text);
	while ((at = strstr(at, "```lt\n"))) {
		char *script = at + strlen("```lt\n");
		end = strstr(script, "```\n```values\n");
		cr_assert(end);
		char *values = end + strlen("```\n```values\n");
		*end = 0;
		at = strstr(values, "```");
		cr_assert(at);
		*at++ = 0;
		int n_checked = 0;
		const char *bad = script_run(script, "case", values, &n_checked);
		cr_expect(!bad && n_checked > 0, "%s\n%s", bad ? bad : "nothing is compared", script);
		cases++;
	}
	cr_expect_gt(cases, 200, "%d", cases);
	free(text);
}

/* Of mpmath: near 0, and where 1 + exp(x) is 1. */
Test(script_vectors, functions_that_are_small_keep_their_digits)
{
	const char *wrong = script_run("x = InputTensor(x, float64, [4]);\n"
		"result elu = EluNode(x) * 10 ** 12; result celu = CeluNode(x, 2) * 10 ** 12;\n"
		"result selu = SeluNode(x, 1, 2) * 10 ** 12; result softplus = SoftplusNode(x) * 10 ** 18;\n",
		"t.lt",
		"x = [-1e-12, -40, 1e-12, 3]\n"
		"elu -> [-0.9999999999995, -1e12, 1, 3e12]\n"
		"celu -> [-0.99999999999975, -1999999995877.6928, 1, 3e12]\n"
		"selu -> [-1.999999999999, -2e12, 2, 6e12]\n"
		"softplus -> [6.9314718055944531e17, 4.2483542552915889, 6.9314718056044531e17, 3.0485873515737421e18]\n", NULL);
	cr_expect_null(wrong, "%s", wrong);
}
