/* test_cpu_source.c -- C that people edit: --dump=source writes a file that compiles and runs, --use-source runs
 * what became of it. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/ltrun.h"

#define out ltrun_out
#define err ltrun_err
#define run ltrun

static char root[2048];                 /* of the source tree, where tests are run */

static void set_up(void)
{
	ltrun_set_up();
	cr_assert_not_null(getcwd(root, sizeof root));
	ltrun_write_text("one.lt", "$1 = InputTensor(x, float32, [6]); $2 = SumNode($1, $1); result = $2;");
	ltrun_write_text("other.lt", "$1 = InputTensor(x, float32, [6]); $2 = HadamardProductNode($1, $1); result = $2;");
}

TestSuite(cpu_source, .init = set_up, .fini = ltrun_tear_down, .timeout = 300);

/* The C file `from` with `old` (at its last place; NULL: at its end) replaced, as `to`. */
static void edit(const char *from, const char *to, const char *old, const char *new)
{
	static char text[1 << 16], changed[1 << 17];
	FILE *f = fopen(scratch(from), "r");
	char *at = NULL;

	cr_assert_not_null(f);
	text[fread(text, 1, sizeof text - 1, f)] = 0;
	fclose(f);
	for (char *next = old ? strstr(text, old) : text + strlen(text); next; next = old ? strstr(next + 1, old) : NULL)
		at = next;
	cr_assert_not_null(at, "no '%s' in\n%s", old, text);
	snprintf(changed, sizeof changed, "%.*s%s%s", (int)(at - text), text, new, at + (old ? strlen(old) : 0));
	ltrun_write_text(to, changed);
}

/* Statements put at the end of the last kernel's entry. */
static void add_to_entry(const char *from, const char *to, const char *statements)
{
	char text[1024];

	snprintf(text, sizeof text, "%s}\n", statements);
	edit(from, to, "}\n", text);
}

/* All kernels of a script are one file: it compiles as it is, without a warning, and computes what the kernels do. */
Test(cpu_source, a_dumped_file_is_complete)
{
	static const char *const scripts[] = { "softmax", "dense", "conv", "chain", "types", "views", "cache" };
	char command[4096];

	for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
		cr_assert_eq(run("%s/tests/golden/%s.lt --dump=source -b cpu -o k.c", root, scripts[i]), 0, "%s", err);
		for (int clang = 0; clang < 2; clang++) {
			if (clang && system("command -v clang >/dev/null 2>&1") != 0)
				continue;
			/* As it is, and without a warning where vectors are known. */
			snprintf(command, sizeof command,
				"cd %s && %s -c k.c && %s -march=native -std=gnu11 -Wall -Wextra -Wno-unknown-pragmas "
				"-Wno-psabi -Werror -c k.c",
				scratch(""), clang ? "clang" : "cc", clang ? "clang" : "cc");
			cr_expect_eq(run_command(command, out, 4096, err, 4096), 0, "%s\n%s", scripts[i], err);
		}
	}
	ltrun_write_text("two.lt",
		"$1 = InputTensor(x, float32, [8, 100]); $2 = SoftmaxNode($1, 1); $3 = InputTensor(y, float32, [64, "
		"32]);$4 = InputTensor(z, float32, [32, 48]); $5 = MatMulNode($3, $4); $6 = ReLUNode($5); $7 = "
		"InputTensor(h, float16, [64, 48]);$8 = AddNode($7, $7); $9 = SoftmaxNode($6, 1); result a = $2; "
		"result b = $9; result c = $8;");
	cr_assert_eq(run("two.lt --dump=source -b cpu -o k.c"), 0, "%s", err);
	cr_assert_eq(run("two.lt -i '*=random' --use-source k.c --verify -q --time=3"), 0, "%s", err);
	cr_expect(strstr(out, "compiled, 0 from the cache"), "%s", out);
	cr_assert_eq(run("two.lt -i '*=random' --use-source=k.c --verify -q --time=3"), 0, "%s", err);
	cr_expect(strstr(out, "compiled, 0 from the cache"), "an edited text is kept nowhere: %s", out);
	cr_assert_eq(run("two.lt -i '*=random' --use-source=k.c --verify -q -b cpu:O1"), 0, "%s", err);
	cr_assert_eq(run("two.lt -i '*=random' --use-source=k.c --cc=clang --verify -q -b cpu:O0"),
		system("command -v clang >/dev/null 2>&1") ? 1 : 0);
}

Test(cpu_source, what_runs_is_the_edited_text)
{
	cr_assert_eq(run("one.lt --dump=source -b cpu -o k.c"), 0, "%s", err);
	add_to_entry("k.c", "same.c", "\tfloat *y = lt_slot_at(slot, 1);\n\ty[3] = y[3] * 1.0f;\n");
	cr_expect_eq(run("one.lt -i x=iota --use-source same.c --verify"), 0, "%s", err);
	add_to_entry("k.c", "wrong.c", "\tfloat *y = lt_slot_at(slot, 1);\n\ty[3] += 0.5f;\n");
	cr_expect_eq(run("one.lt -i x=iota --use-source wrong.c"), 0, "%s", err);
	cr_expect(strstr(out, "[ 0.   2.   4.   6.5  8.  10. ]"), "%s", out);
	cr_expect_eq(run("one.lt -i x=iota --use-source wrong.c --verify -q"), 1);
	cr_expect(strstr(err, "verification failed: kernel k0_2: %")
			&& strstr(err,
				"[3] is 6.5; from what the kernel read it is 6, give or take 0 (1 of 6 elements are "
				"wrong)"),
		"%s", err);
	/* The kernel as it is printed is still there. */
	cr_expect_eq(run("one.lt -i x=iota --verify -q"), 0, "%s", err);
}

Test(cpu_source, mistakes)
{
	static const struct { const char *from, *old, *new, *want;
	} edits[] = {
		{ "k.c", NULL, "int 5;\n", "cc failed on e.c (exit status 1): e.c:" },
		{ "k.c", "_entry(const", "_other(const", "e.c has no function k0_2_entry, which runs kernel k0_2" },
		{ "k.c", ": loop tree ", ": loop tree 0", "e.c: its kernel k0_2 is from another loop tree" },
		{ "k.c", "/* kernel k0_2:", "/* kernel k0_3:",
			"e.c has no kernel k0_2; it has k0_3: write the file again, with -b cpu --dump=source, and repeat" },
		{ "k.c", "/* kernel k0_2:", "/* k0_2:", "e.c has no kernel k0_2; it has none" },
		{ "k.c", ", workspace 0 + ", ", workspace -1 + ",
			"the line above kernel k0_2 was changed: it no longer says which workspace" },
		{ "k.c", ", workspace ", ", ", "the line above kernel k0_2 was changed" },
		{ "none.c", "/* kernel k0_2:", "/* kernel k0_2:", "its kernel k0_2 is from another loop tree" },
	};

	cr_assert_eq(run("one.lt --dump=source -b cpu -o k.c"), 0, "%s", err);
	cr_assert_eq(run("other.lt --dump=source -b cpu -o none.c"), 0, "%s", err);
	for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
		edit(edits[i].from, "e.c", edits[i].old, edits[i].new);
		cr_expect_neq(run("one.lt -i x=1 --use-source e.c"), 0);
		cr_expect(strstr(err, edits[i].want), "edit %zu: %s, not %s", i, err, edits[i].want);
		cr_expect_str_empty(out);
	}
	/* The default backend may print something else under the same option. */
	ltrun_write_text("e.c", "; ModuleID = 'k0_2'\nsource_filename = \"k0_2\"\n");
	cr_expect_eq(run("one.lt -i x=1 --use-source e.c"), 2);
	cr_expect(strstr(err, "e.c is LLVM IR, which the backend llvm prints, not C: write the file again, with -b cpu "
		"--dump=source, and repeat the edits\n"), "%s", err);
	/* The line is that of the file. */
	edit("k.c", "e.c", "/* kernel", "int 5;\n/* kernel");
	cr_expect_eq(run("one.lt -i x=1 --use-source e.c"), 1);
	char command[4096], line[64];
	snprintf(command, sizeof command, "grep -n '^int 5' %s | cut -d: -f1", scratch("e.c"));
	cr_assert_eq(run_command(command, line, sizeof line, out, sizeof out), 0);
	line[strcspn(line, "\n")] = 0;
	snprintf(command, sizeof command, "e.c:%s:5: error:", line);
	cr_expect(strstr(err, command), "%s has no %s", err, command);

	cr_expect_eq(run("one.lt -i x=1 --use-source not-there.c"), 2);
	cr_expect(strstr(err, "the C file 'not-there.c' cannot be read: No such file or directory"), "%s", err);
	cr_expect_eq(run("one.lt -i x=1 --use-source 'a;b.c'"), 2);
	cr_expect(strstr(err, "--use-source takes no file with a ';' or ',' in its name"), "%s", err);
	cr_expect_eq(run("one.lt -i x=1 --use-source k.c -b ref"), 2);
	cr_expect(strstr(err, "--use-source is for the backend cpu, which is not in --backend 'ref'"), "%s", err);
	cr_expect_eq(run("one.lt --dump=source --use-source k.c"), 2);
	cr_expect(strstr(err, "--use-source does not go with --dump, which prints instead of running"), "%s", err);
	cr_expect_eq(run("one.lt -i x=1 -b 'cpu:source=k.c/source=k.c'"), 2);
	cr_expect(strstr(err, "the option source is given twice"), "%s", err);
	cr_expect_eq(run("one.lt -i x=1 -b 'cpu:source='"), 2);
	cr_expect(strstr(err, "the option source has no value: write source=FILE"), "%s", err);
	/* A name that C has to be told carefully. */
	edit("k.c", "a \"b\\c.c", NULL, "");
	cr_expect_eq(run("one.lt -i x=iota --use-source 'a \"b\\c.c' --verify -q"), 0, "%s", err);
}

/* The file may use threads; as many as the run may have. */
Test(cpu_source, threads_in_the_edited_text)
{
	static const char body[] =
		"static void count(void *arg, int64_t first, int64_t last, uint32_t thread)\n{\n"
		"\t(void)thread;\n\t__atomic_fetch_add((int *)arg, (int)(last - first), __ATOMIC_RELAXED);\n}\n";
	static const char call[] =
		"\tint points = 0;\n\tfloat *y = lt_slot_at(slot, 1);\n"
		"\tteam->parallel_for(team->host, team->n_thread, 500, count, &points);\n"
		"\ty[0] = (float)points;\n\ty[1] = (float)team->n_thread;\n";

	cr_assert_eq(run("one.lt --dump=source -b cpu -o k.c"), 0, "%s", err);
	add_to_entry("k.c", "called.c", call);
	char text[1024];
	snprintf(text, sizeof text, "%s\nLT_ENTRY void k0_2_entry", body);
	edit("called.c", "e.c", "\nLT_ENTRY void k0_2_entry", text);
	for (int n = 1; n < 4; n++) {
		char want[64];
		cr_assert_eq(run("one.lt -i x=1 --use-source e.c --threads %d --time=1", n), 0, "%s", err);
		snprintf(want, sizeof want, "\n[500.   %d.   2.   2.   2.   2.]\n", n);
		cr_expect(strstr(out, want), "%s is not %s", out, want);
		snprintf(want, sizeof want, "\nthreads: %d; 1 kernel with parallel loops\n", n);
		cr_expect(strstr(out, want), "%s", out);
	}
}
