/* test_c_api.c -- the examples of docs/c-api.md about trees and tables, as C99 and C++. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "lt/lt.h"
#include "tests/built.h"
#include "tests/sanitized.h"

TestSuite(c_api, .timeout = 120);

static const char printed[] =
	"for m parallel\n  for k step 4\n    for k'\n      for n\n        %p f32[m n k] = mul %a %b\n"
	"        %c f32[m n] = add.reduce[k k'] %p\n"
	"m moves by 6\nk moves by 4\nk' moves by 1\nn moves by 0\n"
	"%p reads %a[m, 4*k + k'] at 6*m + 4*k + k', 80 bytes of sums\n"
	"line 1: the parallel loop over k reduces %c: its iterations at m = 0, k = 0, n = 0 and m = 0, k = 4, n = 0 add to "
	"the same element 0, 0 of %c\nrfactor %c over it first, or make it serial\n"
	"m=0 k=0 n=0 m=0 k=4 n=0 \n";

/* The first block of C of a section. */
static void read_example(const char *section, char *source, size_t bytes)
{
	FILE *doc = fopen("docs/c-api.md", "r");
	char line[1024];
	int state = 0;          /* before the section, before the block, in it, behind it */
	cr_assert_not_null(doc);
	while (fgets(line, sizeof line, doc)) {
		if (state == 2 && !strncmp(line, "```", 3))
			state = 3;
		if (state == 2)
			strncat(source, line, bytes - strlen(source) - 1);
		state = state == 0 && !strcmp(line, section) ? 1 : state == 1 && !strcmp(line, "```c\n") ? 2 : state;
	}
	fclose(doc);
	cr_assert_eq(state, 3);
}

static void run_example(const char *compiler, const char *suffix, const char *source, const char *want)
{
	static char command[4096], out[8192], err[8192], path[400];
	(void)snprintf(path, sizeof path, "%s", scratch(suffix));
	FILE *f = fopen(path, "w");
	cr_assert(f && fputs(source, f) >= 0 && !fclose(f));
	(void)snprintf(command, sizeof command, "%s -pedantic -Wall -Wextra -Werror %s -Iinclude -o %s.out %s -L%s -llooptree "
		"-Wl,-rpath,%s && %s.out", compiler, SANITIZED ? "-fsanitize=address,undefined" : "", path, path, built(""),
		built(""), path);
	cr_assert_eq(run_command(command, out, sizeof out, err, sizeof err), 0, "%s%s%s", command, out, err);
	cr_assert_str_eq(out, want);
}

Test(c_api, trees, .fini = scratch_remove)
{
	static char source[8192];
	read_example("## Loop trees\n", source, sizeof source);
	run_example("${CC:-cc} -std=c99", "trees.c", source, printed);
	if (system("command -v g++ >/dev/null") == 0 && !SANITIZED)
		run_example("g++ -std=c++17", "trees.cc", source, printed);
}

Test(c_api, tables, .fini = scratch_remove)
{
	static char source[8192] = "#include <stdio.h>\n#include <lt/lt.h>\nint main(void)\n{\n";
	static char want[4096];
	for (int32_t t = LT_F32; t < LT_NDTYPE; t++) {
		struct lt_type_row row = { .size = sizeof row };
		const size_t n = strlen(want);
		cr_assert_eq(lt_type_at(t - 1, &row), LT_OK);
		(void)snprintf(want + n, sizeof want - n, "%s %s %zu bytes\n", lt_dtype_name((enum lt_dtype)t), row.script,
			lt_dtype_bytes((enum lt_dtype)t));
	}
	read_example("## Tables\n", source, sizeof source);
	strncat(source, "return 0;\n}\n", sizeof source - strlen(source) - 1);
	run_example("${CC:-cc} -std=c99", "tables.c", source, want);
}
