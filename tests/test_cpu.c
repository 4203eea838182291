/* test_cpu.c -- the backend cpu: its compiler, what it saves, its dumps. */
#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include "treebuild.h"
#include "keeper.h"
#include "built.h"

static char dir[200], path[300];

static void setup(void)
{
	(void)snprintf(dir, sizeof dir, "%s", scratch(""));
}
static void teardown(void)
{
	scratch_remove();
}
TestSuite(cpu, .init = setup, .fini = teardown, .timeout = 120);

static const char *in_dir(const char *name)
{
	(void)snprintf(path, sizeof path, "%s/%s", dir, name);
	return path;
}

/* A script that can stand for a compiler. */
static const char *script(const char *text)
{
	FILE *f = fopen(in_dir("compiler"), "w");
	cr_assert(f && fprintf(f, "#!/bin/sh\n%s\n", text) > 0 && fclose(f) == 0 && chmod(path, 0700) == 0);
	return path;
}

static int is_ours(const struct dirent *d) { return d->d_name[0] != '.'; }
static int count_files(const char *at)
{
	struct dirent **list;
	int n = scandir(at, &list, is_ours, NULL);
	for (int i = 0; i < n; i++)
		free(list[i]);
	if (n >= 0)
		free(list);
	return n;
}

/* Every text that is appended to has this room. */
enum { BYTES = 1 << 17 };
static void append(void *user, const char *text, size_t bytes)
{
	char *to = user;
	size_t n = strlen(to);
	cr_assert(n + bytes < BYTES);
	memcpy(to + n, text, bytes);
	to[n + bytes] = '\0';
}

static int32_t reported[16], n_reported;
static void progress(void *user, int32_t done, int32_t total)
{
	cr_expect_eq(user, &n_reported);
	reported[n_reported++ % 16] = done * 100 + total;
}

/* Compiles n products of different sizes and runs each; 0, or minus the status. */
static int build(const char *cc, const char *temp_dir, const char *config, int n, uint32_t n_thread, struct keeper *k)
{
	const struct lt_backend *cpu = lt_backend_find("cpu");
	const struct lt_host host = { .size = sizeof host,
		.cc = cc,
		.temp_dir = temp_dir,
		.n_thread = n_thread,
		.user = &n_reported,
		.progress = progress };
	struct lt_session *s;
	struct lt_object *object[16];
	const struct lt_tree *t[16];
	struct tb *b[16];
	lt_status status = cpu->open(&host, config, &s, &k->diag);
	cr_assert_eq(status, LT_OK);
	for (int i = 0; i < n; i++)
		t[i] = tb_done(b[i] = tb_product(2, 2, 3 + i));
	status = cpu->compile(s, t, (uint32_t)n, object, &k->diag);
	for (int i = 0; i < n; i++) {
		cr_expect_eq(object[i] == NULL, status != LT_OK);
		if (status == LT_OK) {
			float A[64], B[64], bias[2] = { 1, -100 }, C[4] = { 0 };
			struct lt_slot slot[4] = { { A, 0, sizeof A }, { B, 0, sizeof B }, { bias, 0, sizeof bias }, { C, 0, sizeof C } };
			struct lt_fault fault = { 0 };
			struct lt_args args = { .size = sizeof args, .n_slot = 4, .slot = slot, .fault = &fault };
			for (int e = 0; e < 64; e++)
				A[e] = B[e] = 1;
			cr_expect_eq(cpu->run(object[i], &args, &k->diag), LT_OK);
			cr_expect(C[0] == (float)(4 + i) && C[1] == 0 && C[2] == (float)(4 + i), "%g %g", (double)C[0], (double)C[1]);
			cpu->destroy(object[i]);
		}
		free(b[i]);
	}
	cpu->close(s);
	return -status;
}

/* As trees are done; what it needs for that is made in the host's folder, and is gone afterwards. */
Test(cpu, compiles_in_the_hosts_folder)
{
	struct keeper k = keeper_new();
	n_reported = 0;
	cr_expect_eq(build("cc", dir, "O1", 4, 1, &k), 0, "%s", k.text);
	cr_expect(n_reported == 4 && reported[0] == 104 && reported[3] == 404, "progress: %d calls, %d .. %d", n_reported,
		reported[0], reported[3]);
	cr_expect_eq(count_files(dir), 0);
}

Test(cpu, compilers_that_fail)
{
	static const struct { const char *script, *text;
	} cases[] = {
		{ "echo k0.c:3: no good; echo second line; exit 3",
			"failed on kernel product (exit status 3): k0.c:3: no good\nsecond line" },
		{ "exit 1", "failed on kernel product (exit status 1): it said nothing" },
		{ "kill -9 $$", "was ended by signal 9 on kernel product" },
		{ "exit 0", "kernel product was compiled but cannot be loaded: No such file or directory" },
		{ "for a; do :; done; while [ $# -gt 1 ]; do [ \"$1\" = -o ] && echo junk >\"$2\"; shift; done",
			"kernel product was compiled but cannot be loaded: file too short" },
		{ "i=0; while [ $i -lt 3000 ]; do echo \"error number $i of a very long list of errors\"; i=$((i+1)); "
		  "done; exit 1",
			"error number 0 of" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		for (int with_folder = 0; with_folder < 2; with_folder++) {
			struct keeper k = keeper_new();
			const char *cc = script(cases[i].script);
			cr_expect_eq(build(cc, with_folder ? dir : NULL, "", 2, 2, &k), -LT_ECOMPILE);
			cr_expect(strstr(k.text, cases[i].text), "%s", k.text);
			cr_expect(strlen(k.text) < 1900 && k.n == 1);
		}
	struct keeper k = keeper_new();
	cr_expect_eq(build("no-such-compiler -v", NULL, "", 1, 1, &k), -LT_ECOMPILE);
	cr_expect_str_eq(k.text, "no-such-compiler: not found");
	cr_expect_str_eq(k.remedy, "install gcc or give --cc; without a compiler "
		"-b llvm works where it was built, and -b ref always");
	cr_expect_eq(build("  ", NULL, "", 1, 1, &k), -LT_EINVAL);
	cr_expect_eq(build("/etc/passwd", NULL, "", 1, 1, &k), -LT_ECOMPILE);
	cr_expect(strstr(k.text, "/etc/passwd cannot be started: Permission denied"), "%s", k.text);
	cr_expect_eq(build("cc", "/dev/null/folder", "", 1, 1, &k), -LT_EIO);
	cr_expect(strstr(k.text, "no temporary folder can be made in '/dev/null/folder': Not a directory"), "%s", k.text);
	cr_expect_eq(count_files(dir), 1);      /* the script */
}

/* The script holds a lock while it works: more compilers than threads would find it taken.  Of two, each waits until
 * the other one has begun. */
Test(cpu, no_more_compilers_than_threads)
{
	struct keeper k = keeper_new();
	char text[2000];
	(void)snprintf(text, sizeof text,
		"mkdir %s/lock || exit 9\nsleep 0.05\ncc \"$@\"\nstatus=$?\nrmdir %s/lock\nexit $status", dir, dir);
	cr_expect_eq(build(script(text), NULL, "", 3, 1, &k), 0, "%s", k.text);
	(void)snprintf(text, sizeof text,
		"case $* in *--version*) exec cc \"$@\" ;; esac\n: >%s/at.$$\ni=0\n"
		"while [ ! -e %s/two ] && [ $i -lt 400 ]; do\n"
		"\tls %s | grep ^at | grep -qvx at.$$ && : >%s/two\n\tsleep 0.05\n\ti=$((i + 1))\ndone\n"
		"cc \"$@\"\nstatus=$?\nrm %s/at.$$\nexit $status", dir, dir, dir, dir, dir);
	cr_expect_eq(build(script(text), NULL, "", 2, 2, &k), 0, "%s", k.text);
	cr_expect_eq(access(in_dir("two"), F_OK), 0, "two compilers did not run side by side");
}

/* The text with names is complete: it compiles by itself. */
Test(cpu, dumped_source_compiles)
{
	const struct lt_backend *cpu = lt_backend_find("cpu");
	const struct lt_host host = { .size = sizeof host };
	struct keeper k = keeper_new();
	struct lt_session *s;
	struct lt_object *object;
	struct tb *b = tb_product(4, 5, 6);
	static char source[BYTES], assembly[BYTES];
	char command[400];
	b->buffer[0].name = "exp";              /* names that mean something in C */
	b->buffer[1].name = "int";
	b->loop[0].var = "slot";
	b->loop[1].var = "float";
	b->stmt[0].name = "\" */ 4\n\\";
	const struct lt_tree *t = tb_done(b);
	cr_assert_eq(cpu->open(&host, "", &s, &k.diag), LT_OK);
	cr_assert_eq(cpu->compile(s, &t, 1, &object, &k.diag), LT_OK, "%s", k.text);
	cr_assert_eq(cpu->dump(object, LT_DUMP_SOURCE, append, source), LT_OK);
	cr_expect(strstr(source, "void product("));
	cr_expect_eq(cpu->dump(object, LT_DUMP_ASM, append, assembly), LT_OK, "%s", assembly);
	cr_expect(strstr(assembly, "product_entry:") && strstr(assembly, "product.c") && !strstr(assembly, "/k0.c"),
		"%s", assembly);
	cpu->destroy(object);
	cpu->close(s);
	free(b);
	FILE *f = fopen(in_dir("source.c"), "w");
	cr_assert(f && fputs(source, f) >= 0 && fclose(f) == 0);
	(void)snprintf(command, sizeof command, "cc -std=gnu11 -Wall -Wextra -Werror -fsyntax-only %s", path);
	cr_expect_eq(system(command), 0, "%s", source);
}
