/* test_trust_plugins.c -- plug-ins that nobody named are loaded from where nobody else can put one; -B warns. */
#define _GNU_SOURCE 1
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/ltrun.h"
#include "tools/common/common.h"

TestSuite(trust_plugins, .init = ltrun_set_up, .fini = ltrun_tear_down, .timeout = 120);
#define out ltrun_out
#define err ltrun_err

static int shell(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static int shell(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	int code = run_in_scratch(out, sizeof ltrun_out, err, sizeof ltrun_err, "umask 022 &&", fmt, args);
	va_end(args);
	return code;
}

/* Each begins with a folder of a plug-in, a/b/plain.so.  path: what LT_BACKEND_PATH says; says: why it is left out,
 * NULL: it is loaded. */
static const struct { const char *what, *command, *path, *says; bool root;
} cases[] = {
	{ "a sound folder", "true", "a/b", NULL, false },
	{ "a sound file", "true", "a/b/plain.so", NULL, false },
	{ "of root", "chown 0:0 a/b a/b/plain.so", "a/b", NULL, true },
	{ "a link to the folder", "ln -s a/b link", "link", NULL, false },
	{ "a link to the file", "mkdir c && ln -s ../a/b/plain.so c/plain.so", "c", NULL, false },
	{ "below a folder with a sticky bit", "chmod 1777 a", "a/b", NULL, false },
	{ "a folder of its group", "chmod 775 a/b", "a/b", "its group may write to it (chmod go-w fixes that)", false },
	{ "a folder of everybody", "chmod 777 a/b", "a/b", "everybody may write to it (chmod go-w fixes that)", false },
	{ "a folder of everybody, sticky", "chmod 1777 a/b", "a/b", "everybody may write to it", false },
	{ "a folder of another user", "chown 65534 a/b", "a/b", "it belongs to another user (uid 65534)", true },
	{ "a file of its group", "chmod 775 a/b/plain.so", "a/b", "its group may write to it", false },
	{ "a file of everybody", "chmod 757 a/b/plain.so", "a/b/plain.so", "everybody may write to it", false },
	{ "a file of another user", "chown 65534 a/b/plain.so", "a/b", "it belongs to another user (uid 65534)", true },
	{ "below a folder of everybody", "chmod 777 a", "a/b", "/a', which it is in, may be written to by everybody",
		false },
	{ "below a folder of another user", "chown 65534 a", "a/b",
		"/a', which it is in, belongs to another user (uid 65534)", true },
	{ "a link to a file in such a folder", "chmod 777 a; mkdir c && ln -s ../a/b/plain.so c/plain.so", "c",
		"/a', which it is in, may be written to by everybody", false },
};

Test(trust_plugins, folders_and_files)
{
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char list[600];

		if (cases[i].root && geteuid() != 0)
			continue;
		cr_assert_eq(
			shell("chmod -f 755 a; rm -rf a c link; mkdir -p a/b && cp %s a/b && chmod 755 a/b/plain.so",
				built("tests/plugins/plain.so")),
			0, "%s", err);
		cr_assert_eq(shell("%s", cases[i].command), 0, "%s: %s", cases[i].what, err);
		snprintf(list, sizeof list, "%s", scratch(cases[i].path));
		setenv("LT_BACKEND_PATH", list, 1);
		cr_expect_eq(ltrun("--list-backends"), 0, "%s: %s", cases[i].what, err);
		cr_expect_eq(strstr(out, "plain ") != NULL, cases[i].says == NULL, "%s\n%s%s", cases[i].what, out, err);
		cr_expect(cases[i].says ? strstr(err, cases[i].says) && strstr(err, "lt-run: LT_BACKEND_PATH: ")
					&& strstr(err, "(left out)")
					: !*err,
			"%s: %s", cases[i].what, err);
		/* Named, it is loaded, and the user is reported. */
		unsetenv("LT_BACKEND_PATH");
		cr_expect_eq(ltrun("-B a/b/plain.so --list-backends"), 0, "%s: %s", cases[i].what, err);
		cr_expect(strstr(out, "plain ") != NULL, "%s", cases[i].what);
		/* A sticky bit keeps a file of ours in its place. */
		cr_expect_eq(strstr(err, "lt-run: --load: warning: others may change a/b/plain.so: ") != NULL,
			cases[i].says && !strstr(cases[i].what, "sticky"), "%s: %s", cases[i].what, err);
	}
}

/* A group may be given a folder of root's above it, as Debian's staff is given /usr/local; not one of anybody
 * else's. */
Test(trust_plugins, groups_above)
{
	struct lt_context *ctx;

	cr_assert_eq(lt_context_new(&ctx), LT_OK);
	cr_assert_eq(shell("mkdir -p a/b/c && chmod 2775 a"), 0);
	cr_expect_eq(lt__path_trusted(ctx, scratch("a/b/c")), geteuid() == 0 ? LT_OK : LT_EIO, "%s", lt_context_message(ctx));
	if (geteuid() != 0)
		cr_expect(strstr(lt_context_message(ctx), "may be written to by its group (chmod g-w fixes that)"), "%s",
			lt_context_message(ctx));
	cr_expect_eq(lt__path_trusted(ctx, scratch("a/b")), LT_EIO, "the group may exchange it itself");
	cr_assert_eq(shell("chmod 755 a && ln -s a l"), 0);
	static const struct { const char *path, *want; } bad[] = { { "l/b", "/l', which it is in, is a link" },
		{ "l", "it is a link" }, { "a/no", "No such file" } };
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		cr_expect_eq(lt__path_trusted(ctx, scratch(bad[i].path)), LT_EIO);
		cr_expect(strstr(lt_context_message(ctx), bad[i].want), "%s: %s", bad[i].path, lt_context_message(ctx));
	}
	cr_expect_eq(lt__path_trusted(ctx, "a/b"), LT_EIO);
	cr_expect_eq(lt__path_trusted(ctx, "/"), LT_OK, "%s", lt_context_message(ctx));
	lt_context_free(ctx);
}
