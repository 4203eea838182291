/* tests/test_script_vectors.c -- nodes of the script by the numbers of others: tests/data/nodes.txt, the standard's
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
