/* test_step.c -- the steps of kernel programs (kernel/step/step.h): which there are, and what each makes of the
 * programs in tests/steps.
 *
 * tests/steps/LETTERS-NAME.kernel has a program; a line `---`; and the program after these steps alone, or `unchanged`.
 * Lines that begin with #says are the decisions that are told, in that order (none: any); #machine NAME NUMBER changes
 * the machine.  LT_BLESS=1 writes what is after the line anew.
 */
#include <criterion/criterion.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/kernel_text.h"
#include "tests/keeper.h"
#include "tests/stepped.h"

TestSuite(step, .timeout = 60);

static char *file_text(const char *path)
{
	struct kernel_text text = { 0 };
	char some[4096];
	FILE *f = fopen(path, "r");
	cr_assert_not_null(f, "%s", path);
	for (size_t n; (n = fread(some, 1, sizeof some, f)) > 0; )
		kernel_text_add(&text, some, n);
	(void)fclose(f);
	return text.at;
}

static struct lt_kernel *read_program(const char *path, const char *text, size_t bytes)
{
	struct lt_kernel *k;
	cr_assert_eq(kernel_parse(text, bytes, &k), LT_OK, "%s: %s", path, kernel_message);
	return k;
}

static char *printed(const struct lt_kernel *k)
{
	struct kernel_text text = { 0 };
	lt_kernel_print(k, kernel_text_add, &text);
	return text.at;
}

/* Lines of the first part that begin so, without that, one after the other; the caller's. */
static char *lines_of(const char *text, const char *end, const char *prefix)
{
	struct kernel_text out = { 0 };
	kernel_text_add(&out, "", 0);
	for (const char *at = text; at < end; at += strcspn(at, "\n") + 1)
		if (strncmp(at, prefix, strlen(prefix)) == 0)
			kernel_text_add(&out, at + strlen(prefix), strcspn(at + strlen(prefix), "\n") + 1);
	return out.at ? out.at : calloc(1, 1);
}

static void change_machine(struct lt_machine *m, const char *path, char *lines)
{
	for (char *line = strtok(lines, "\n"); line; line = strtok(NULL, "\n")) {
		char name[40];
		long long number;
		cr_assert_eq(sscanf(line, "%39s %lld", name, &number), 2, "%s: %s", path, line);
		cr_assert(stepped_machine(m, name, number), "%s: %s", path, line);
	}
}

static void bless(const char *path, const char *text, size_t bytes, const char *after)
{
	FILE *f = fopen(path, "w");
	cr_assert_not_null(f);
	(void)fwrite(text, 1, bytes, f);
	(void)fputs(after, f);
	(void)fclose(f);
}

static void check_file(const char *path)
{
	char *text = file_text(path), *line = strstr(text, "---\n"), letters[40] = "";
	cr_assert_not_null(line, "%s has no line ---", path);
	(void)sscanf(strrchr(path, '/') + 1, "%39[A-Z]", letters);
	struct lt_machine machine = stepped_plain_machine;
	char *changes = lines_of(text, line, "#machine "), *says = lines_of(text, line, "#says ");
	change_machine(&machine, path, changes);
	struct lt_kernel *k = read_program(path, text, (size_t)(line - text)), *after;
	struct stepped_listener told = stepped_listener();
	struct keeper keeper = keeper_new();
	cr_assert_eq(stepped_only(k, &machine, letters, &told.report, &after, &keeper.diag), LT_OK, "%s: %s", path,
		keeper.text);
	char *before = printed(k), *got = printed(after), *want = before;
	if (strcmp(line + 4, "unchanged\n") != 0) {
		if (getenv("LT_BLESS"))
			bless(path, text, (size_t)(line + 4 - text), strcmp(before, got) ? got : "unchanged\n");
		struct lt_kernel *wanted = getenv("LT_BLESS") ? NULL : read_program(path, line + 4, strlen(line + 4));
		want = wanted ? printed(wanted) : got;
		lt_kernel_free(wanted);
	}
	cr_expect_str_eq(got, want, "%s: it is\n%s", path, got);
	cr_expect(!*says || strcmp(says, told.text.at ? told.text.at : "") == 0, "%s says\n%s", path, told.text.at);
	lt_kernel_free(k);
	lt_kernel_free(after);
	if (want != before && want != got)
		free(want);
	free(before);
	free(got);
	free(told.text.at);
	free(changes);
	free(says);
	free(text);
}

Test(step, programs_before_and_after)
{
	glob_t found;
	cr_assert_eq(glob("tests/steps/*.kernel", 0, NULL, &found), 0);
	for (size_t i = 0; i < found.gl_pathc; i++)
		check_file(found.gl_pathv[i]);
	globfree(&found);
}

static const char small[] = "kernel 1\nname k\nworkspace 0 thread 0\nbuffer t f32[1] array align 4 exclusive written\n"
	"buffer y f32[1] slot 0 align 4 exclusive written\nregion host\n\tarray t\n\tstore t[0] 1\n"
	"\t%0 = load f32 t[0]\n\tstore y[0] %0\n";

/* A letter that there is not is refused, with those that there are. */
Test(step, letters)
{
	static const struct { struct lt_kernel_options options; const char *says; } cases[] = {
		{ { .last = 'q' }, "kernel programs have no step 'q'; the steps are L (lower), " },
		{ { .last = '\n' }, "kernel programs have no step '?'; the steps are L (lower), " },
		{ { .skip = "V1" }, "kernel programs have no step '1'; the steps are L (lower), " },
		{ { .skip = "L" }, "step 'L' (lower) cannot be left out: it makes the program" },
	};
	struct lt_kernel *k = read_program("small", small, sizeof small - 1), *out;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct keeper said = keeper_new();
		cr_expect_eq(lt_kernel_optimize(k, &stepped_plain_machine, &cases[i].options, &out, &said.diag), LT_EINVAL);
		cr_expect_null(out);
		cr_expect_eq(strncmp(said.text, cases[i].says, strlen(cases[i].says)), 0, "%s", said.text);
	}
	for (uint32_t i = 0; lt_kernel_step_at(i); i++)
		for (uint32_t j = 0; j < i; j++)
			cr_expect_neq(lt_kernel_step_at(i)->letter, lt_kernel_step_at(j)->letter);
	lt_kernel_free(k);
}

/* docs/kernel.md and lt-run(1) have each step. */
Test(step, steps_are_documented)
{
	char *page = file_text("docs/kernel.md"), *manual = file_text("docs/lt-run.1");
	char list[200] = "kernel programs after that step (";
	for (uint32_t i = 0; lt_kernel_step_at(i); i++) {
		const struct lt_kernel_step *s = lt_kernel_step_at(i);
		char row[400];
		(void)snprintf(row, sizeof row, "| `%c` | %s | %s |\n", s->letter, s->name, s->doc);
		cr_expect_not_null(strstr(page, row), "docs/kernel.md has no row %s", row);
		(void)snprintf(list + strlen(list), sizeof list - strlen(list), "%s%c", i ? ", " : "", s->letter);
	}
	cr_expect_not_null(strstr(manual, list), "docs/lt-run.1 has no '%s'", list);
	free(page);
	free(manual);
}

static bool has_array(const struct lt_kernel *k)
{
	char *text = printed(k);
	bool has = strstr(text, "\tarray t\n") != NULL;
	free(text);
	return has;
}

/* A program is the caller's, also where nothing changed; steps are left out, and the last one is the last. */
Test(step, some_of_them)
{
	static const struct { struct lt_kernel_options options; bool array; } cases[] = { { { 0 }, false },
		{ { .last = 'L' }, true }, { { .last = 'V' }, false }, { { .skip = "V", .last = 'V' }, true },
		{ { .verify = 1 }, false } };
	struct lt_kernel *k = read_program("small", small, sizeof small - 1), *out;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		cr_assert_eq(lt_kernel_optimize(k, &stepped_plain_machine, &cases[i].options, &out, NULL), LT_OK);
		cr_expect(out != k && has_array(out) == cases[i].array, "case %zu", i);
		lt_kernel_free(out);
	}
	cr_assert_eq(lt_kernel_optimize(k, &stepped_plain_machine, NULL, &out, NULL), LT_OK);
	cr_expect_not(has_array(out));
	lt_kernel_free(out);
	lt_kernel_free(k);
}
