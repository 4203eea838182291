/* test_cache_folder.c -- the folder of the cache: what is in it and is not ours, whose it is, where none can be
 * made. */
#define _GNU_SOURCE 1
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utime.h>
#include "lt/lt.h"
#include "program/cache/cache.h"
#include "tests/cache_sums.h"

TestSuite(cache_folder, .init = cache_set_up, .fini = cache_tear_down, .timeout = 120);

/* Everything else that may be in such a folder: names that are nearly ours, and ours of the wrong kind. */
static const char *const foreign_files[] = { "new-report.txt", "new-report", "new-0123456789abcdeg",
	"new-0123456789abcdef0", "notes.ltk", "0123456789abcdef0123456789abcdef.ltk.bak",
	"0123456789ABCDEF0123456789abcdef.ltk", "0123456789abcdef.ltk", ".hidden", "tmp-thesis/chapter",
	"0123456789abcdef0123456789abcdef.ltk/inner", "new-0123456789abcdef/k0.c" };
static const char *const own_files[] = { "fedcba9876543210fedcba9876543210.ltk", "fedcba9876543210fedcba9876543210.lti",
	"fedcba9876543210fedcba9876543210.ltp", "new-fedcba9876543210" };

static const char *in_cache(const char *name)
{
	static char text[4][512];
	static int turn;
	(void)snprintf(text[++turn % 4], sizeof *text, "%s/%s", cache_dir, name);
	return text[turn % 4];
}

static void make_file(const char *name)
{
	char *at = strdup(in_cache(name)), *slash = strrchr(at, '/');
	*slash = '\0';
	cr_assert(mkdir(at, 0700) == 0 || errno == EEXIST);
	free(at);
	FILE *f = fopen(in_cache(name), "w");
	cr_assert(f && fclose(f) == 0, "%s", name);
}

Test(cache_folder, clear_takes_only_what_is_ours)
{
	char outside[220];
	struct stat st;
	struct utimbuf old = { .modtime = 1000000 };
	cr_expect_eq(cache_build("cpu", "cc", cache_dir, 1, 1), 0, "%s", cache_message);
	(void)snprintf(outside, sizeof outside, "%s/outside", cache_above);
	FILE *f = fopen(outside, "w");
	cr_assert(f && fclose(f) == 0);
	cr_assert_eq(symlink(outside, in_cache("11111111111111111111111111111111.ltk")), 0);
	for (size_t i = 0; i < sizeof foreign_files / sizeof *foreign_files; i++) {
		make_file(foreign_files[i]);
		cr_assert_eq(utime(in_cache(foreign_files[i]), &old), 0);
	}
	cr_assert_eq(utime(in_cache("tmp-thesis"), &old), 0);
	cr_expect_eq(cache_entries(), 1);             /* what is not ours does not count */
	for (size_t i = 0; i < sizeof own_files / sizeof *own_files; i++)
		make_file(own_files[i]);
	cr_expect_eq(lt__cache_clear(cache_ctx, cache_dir), LT_OK);
	for (size_t i = 0; i < sizeof foreign_files / sizeof *foreign_files; i++)
		cr_expect_eq(access(in_cache(foreign_files[i]), F_OK), 0, "%s is gone", foreign_files[i]);
	for (size_t i = 0; i < sizeof own_files / sizeof *own_files; i++)
		cr_expect_neq(access(in_cache(own_files[i]), F_OK), 0, "%s stays", own_files[i]);
	cr_expect(access(outside, F_OK) == 0 && lstat(in_cache("11111111111111111111111111111111.ltk"), &st) == 0);
	cr_expect_eq(access(in_cache(LT_CACHE_MARKER), F_OK), 0);
	cr_expect_eq(cache_entries(), 0);
}

/* A folder without the marker is a cache if it is empty or has entries only; else it is somebody's folder, named by
 * mistake. */
Test(cache_folder, a_folder_without_marker_is_left_alone)
{
	struct lt_cache c = { .fd = -1 };
	cr_expect_eq(cache_build("cpu", "cc", cache_dir, 2, 1), 0, "%s", cache_message);
	cr_assert_eq(unlink(in_cache(LT_CACHE_MARKER)), 0);
	cr_expect_eq(cache_entries(), 2);
	cr_expect_neq(access(in_cache(LT_CACHE_MARKER), F_OK), 0, "looking makes nothing");
	make_file("thesis.tex");
	cr_expect_eq(lt__cache_clear(cache_ctx, cache_dir), LT_EIO);
	cr_expect(strstr(lt_context_message(cache_ctx), "it is not a cache, because it has no file 'looptree-cache' and "
		"holds others, such as 'thesis.tex'; give an empty folder"), "%s", lt_context_message(cache_ctx));
	cr_expect_eq(lt__cache_open(cache_ctx, &c, cache_dir, true), LT_EIO);
	cr_expect_eq(cache_files(cache_dir), 3);
	cr_expect_eq(cache_build("cpu", "cc", cache_dir, 1, 1), -LT_EIO);
	cr_expect(strstr(cache_message, "the cache folder '") && strstr(cache_message, "such as 'thesis.tex'"),
		"%s", cache_message);
	cr_assert_eq(unlink(in_cache("thesis.tex")), 0);
	cr_expect_eq(cache_build("cpu", "cc", cache_dir, 2, 1), 2, "a cache of before markers is one: %s", cache_message);
	cr_expect_eq(access(in_cache(LT_CACHE_MARKER), F_OK), 0);
	make_file("thesis.tex");                /* with a marker, others may be there, too */
	cr_expect_eq(cache_build("cpu", "cc", cache_dir, 2, 1), 2, "%s", cache_message);
	cr_expect_eq(lt__cache_clear(cache_ctx, cache_dir), LT_OK);
	cr_expect_eq(cache_files(cache_dir), 1);
}

/* What is reported of a folder in one that cannot be made is why, not that it is not there; none of these leaves
 * anything open or made. */
Test(cache_folder, a_folder_that_cannot_be_made_says_why)
{
	static const struct { const char *folder, *want; } cases[] = {
		{ "/tmp", "'/tmp' cannot hold compiled code: " },
		{ "/sys/looptree/none", "'/sys/looptree/none' cannot hold compiled code: " },
		{ "@/file", "it is not a folder; give another name, or none" },
		{ "@/file/a/b", "Not a directory; give another folder, or none" },
		{ "@/link", "it is a link; give the folder itself" },
		{ "@/link//", "it is a link; give the folder itself" },
		{ "@/open", "everybody may write to it (chmod go-w fixes that), and what is in it would be run; give a folder of "
			"your own" },
		{ "@/group", "its group may write to it (chmod go-w fixes that)" },
		{ "@/open/a", "everybody may replace it, because everybody may write to the folder '..' above it, which has no "
			"sticky bit" },
		{ "@/open/b/c/d", "to the folder '../../..' above it" },
	};
	char folder[240], line[320];
	(void)snprintf(folder, sizeof folder, "%s/file", cache_above);
	FILE *f = fopen(folder, "w");
	cr_assert(f && fclose(f) == 0);
	(void)snprintf(line, sizeof line,
		"cd %s && mkdir real open group && ln -s real link && chmod 777 open && chmod 770 group", cache_above);
	cr_assert_eq(system(line), 0);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct lt_cache c = { .fd = -1 };
		(void)snprintf(folder, sizeof folder, "%s%s", cases[i].folder[0] == '@' ? cache_above : "",
			cases[i].folder + (cases[i].folder[0] == '@'));
		cr_expect_eq(lt__cache_open(cache_ctx, &c, folder, true), LT_EIO, "%s", folder);
		const char *why = lt_context_message(cache_ctx);
		cr_expect(strstr(why, cases[i].want) && c.fd == -1 && !strstr(why, "No such file"), "%s: %s", folder, why);
	}
	(void)snprintf(folder, sizeof folder, "%s/open", cache_above);
	cr_assert_eq(chmod(folder, 01777), 0);          /* with the bit, nobody can exchange what is another's */
	struct lt_cache c = { .fd = -1 };
	(void)snprintf(folder, sizeof folder, "%s/open/a", cache_above);
	cr_expect_eq(lt__cache_open(cache_ctx, &c, folder, true), LT_OK, "%s", lt_context_message(cache_ctx));
	lt__cache_close(&c);
}

/* What a killed process left is gone when the next one writes; what is young, locked or not ours stays.  None of it
 * makes a folder without a marker another's. */
Test(cache_folder, half_written_files_of_the_dead_go)
{
	struct utimbuf old = { .modtime = 1000000 };
	static const char *const stay[] = { "new-1111111111111111", "new-2222222222222222" };
	char make[512];
	(void)snprintf(make, sizeof make, "umask 077 && mkdir -p '%s'", cache_dir);
	cr_assert_eq(system(make), 0);
	make_file("new-0000000000000000");
	for (size_t i = 0; i < 2; i++)
		make_file(stay[i]);
	cr_assert_eq(utime(in_cache("new-0000000000000000"), &old), 0);
	cr_assert_eq(utime(in_cache(stay[1]), &old), 0);
	int locked = open(in_cache(stay[1]), O_RDONLY | O_CLOEXEC);
	cr_assert(locked >= 0 && flock(locked, LOCK_EX | LOCK_NB) == 0);
	cr_expect_eq(cache_build("cpu", "cc", cache_dir, 1, 1), 0, "%s", cache_message);
	cr_expect_eq(cache_entries(), 1);
	cr_expect_neq(access(in_cache("new-0000000000000000"), F_OK), 0);
	cr_expect_eq(access(in_cache(stay[0]), F_OK), 0);
	cr_expect_eq(access(in_cache(stay[1]), F_OK), 0);
	(void)close(locked);
}
