/* test_cache.c -- the host's cache on disk: what is found again, what is not, what is damaged, processes at once.
 * Its folder: tests/test_cache_folder.c; of plug-ins: tests/test_cache_plugins.c. */
#define _GNU_SOURCE 1
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "lt/lt.h"
#include "program/cache/cache.h"
#include "tests/cache_sums.h"

TestSuite(cache, .init = cache_set_up, .fini = cache_tear_down, .timeout = 120);

/* A script that can stand for a compiler. */
static const char *script(const char *text)
{
	static char path[220];
	(void)snprintf(path, sizeof path, "%s/compiler", cache_above);
	FILE *f = fopen(path, "w");
	cr_assert(f && fprintf(f, "#!/bin/sh\n%s\n", text) > 0 && fclose(f) == 0 && chmod(path, 0700) == 0);
	return path;
}

Test(cache, finds_what_it_kept)
{
	cr_expect_eq(cache_entries(), 0);                             /* a folder that is not there */
	cr_expect_eq(cache_build("cpu", "cc", cache_dir, 3, 2), 0, "%s", cache_message);
	cr_expect_eq(cache_entries(), 3);
	cache_n_reported = 0;
	cr_expect_eq(cache_build("cpu", NULL, cache_dir, 4, 2), 3);       /* cc is the default */
	cr_expect(cache_n_reported == 4 && cache_progress[0] == 104 && cache_progress[2] == 304 && cache_progress[3] == 404,
		"progress: %d calls, %d .. %d", cache_n_reported, cache_progress[0], cache_progress[3]);
	cr_expect_eq(cache_entries(), 4);
	cr_expect_eq(cache_build("cpu:O1", "cc", cache_dir, 2, 2), 0);    /* other flags */
	cr_expect_eq(cache_build("cpu", "env cc", cache_dir, 1, 2), 0);   /* another command */
	cr_expect_eq(cache_build("cpu", "env cc", cache_dir, 1, 2), 1);
	cr_expect_eq(cache_entries(), 7);
	cr_expect_eq(cache_files(cache_dir), 7);                    /* no temporary files stay */
	cr_expect_eq(cache_build("cpu", "cc", NULL, 1, 2), 0);        /* no cache */
	cr_expect_eq(lt__cache_clear(cache_ctx, cache_dir), LT_OK);
	cr_expect_eq(cache_entries(), 0);
	cr_expect_eq(cache_build("cpu", "cc", cache_dir, 1, 2), 0);
	cr_expect_eq(cache_build("ref", "cc", cache_dir, 2, 1), 0);       /* has nothing to keep */
	cr_expect_eq(cache_entries(), 1);
	cr_expect_eq(cache_build("cpu", "cc", "/dev/null/cache", 1, 1), -LT_EIO);
	cr_expect_str_eq(cache_message,
		"the cache folder '/dev/null/cache' cannot hold compiled code: Not a directory; give another folder, "
		"or none");
}

/* An entry is asked for by all that it depends on: here the compiler, which is replaced under its name. */
Test(cache, knows_the_compiler)
{
	char cc[220];
	(void)snprintf(cc, sizeof cc, "%s", script("exec cc \"$@\""));
	cr_expect_eq(cache_build("cpu", cc, cache_dir, 1, 1), 0, "%s", cache_message);
	cr_expect_eq(cache_build("cpu", cc, cache_dir, 1, 1), 1);
	(void)script("exec  cc \"$@\"");
	cr_expect_eq(cache_build("cpu", cc, cache_dir, 1, 1), 0);
	/* Nor by one of the same size and time: written over, or put in its place. */
	char command[400];
	for (int i = 0; i < 2; i++) {
		cr_expect_eq(cache_build("cpu", cc, cache_dir, 1, 1), 1);
		(void)snprintf(command, sizeof command, "c=%s; touch -r $c $c.time && sed 's/cc/cc%s/; s/  */ /' $c >$c.new && "
			"%s $c.new $c && touch -r $c.time $c && chmod 700 $c", cc, i ? "" : " ", i ? "mv" : "cp");
		cr_assert_eq(system(command), 0, "%s", command);
		cr_expect_eq(cache_build("cpu", cc, cache_dir, 1, 1), 0, "%s", command);
	}
}

Test(cache, nothing_is_kept_of_what_failed)
{
	char cc[220];
	(void)snprintf(cc, sizeof cc, "%s", script("exit 1"));
	cr_expect_eq(cache_build("cpu", cc, cache_dir, 2, 2), -LT_ECOMPILE);
	cr_expect_eq(cache_build("cpu", "no-such-compiler", cache_dir, 1, 1), -LT_ECOMPILE);
	cr_expect_str_eq(cache_message, "backend cpu: no-such-compiler: not found: install gcc or give --cc; without a "
		"compiler -b llvm works where it was built, and -b ref always");
	cr_expect_eq(cache_files(cache_dir), 0);
	/* One fails after one that was found. */
	(void)script("[ -e $0.fails ] && exit 1\nexec cc \"$@\"");
	cr_expect_eq(cache_build("cpu", cc, cache_dir, 1, 1), 0, "%s", cache_message);
	char fails[240];
	(void)snprintf(fails, sizeof fails, "%s.fails", cc);
	fclose(fopen(fails, "w"));
	cr_expect_eq(cache_build("cpu", cc, cache_dir, 2, 1), -LT_ECOMPILE);
	cr_assert_eq(unlink(fails), 0);
	cr_expect_eq(cache_build("cpu", cc, cache_dir, 2, 1), 1);
}

static void damaged(const char *backend)
{
	char file[512];
	struct stat st;
	cr_expect_eq(cache_build(backend, "cc", cache_dir, 1, 1), 0, "%s", cache_message);
	cache_only_entry(file, sizeof file);
	cr_assert_eq(stat(file, &st), 0);
	for (int damage = 0; damage < 9; damage++) {
		int64_t at[] = { 0, 9, 17, 25, 40, st.st_size / 2, st.st_size - 1 };
		if (damage < 7)                 /* one bit in magic, sizes, checksum, key, code */
			cache_damage_bit(file, at[damage]);
		else
			cr_assert_eq(truncate(file, damage == 7 ? 0 : st.st_size - 100), 0);
		cr_expect_eq(cache_build(backend, "cc", cache_dir, 1, 1), 0, "damage %d was not seen", damage);
		cr_expect_eq(cache_build(backend, "cc", cache_dir, 1, 1), 1, "damage %d was not repaired", damage);
	}
	cr_expect_eq(cache_files(cache_dir), 1);
}

Test(cache, damaged_entries_are_rebuilt) { damaged("cpu"); }

/* Two sound entries under each other's name, as if their hashes were equal. */
Test(cache, an_entry_is_compared_by_its_whole_key)
{
	char file[3][512];
	struct dirent **list;
	cr_expect_eq(cache_build("cpu", "cc", cache_dir, 2, 2), 0, "%s", cache_message);
	cr_assert_eq(scandir(cache_dir, &list, cache_is_ours, NULL), 2);
	for (int i = 0; i < 2; i++) {
		(void)snprintf(file[i], sizeof file[i], "%s/%s", cache_dir, list[i]->d_name);
		free(list[i]);
	}
	free(list);
	(void)snprintf(file[2], sizeof file[2], "%s/swap", cache_dir);
	cr_assert(rename(file[0], file[2]) == 0 && rename(file[1], file[0]) == 0 && rename(file[2], file[1]) == 0);
	cr_expect_eq(cache_build("cpu", "cc", cache_dir, 2, 2), 0);
	cr_expect_eq(cache_build("cpu", "cc", cache_dir, 2, 2), 2);
}

Test(cache, processes_may_race)
{
	pid_t child[3];
	for (int i = 0; i < 3; i++) {
		child[i] = fork();
		if (child[i] == 0)
			_exit(cache_build("cpu", "cc", cache_dir, 5, 2) < 0);
		cr_assert(child[i] > 0);
	}
	for (int i = 0; i < 3; i++) {
		int status;
		cr_assert_eq(waitpid(child[i], &status, 0), child[i]);
		cr_expect_eq(status, 0);
	}
	cr_expect_eq(cache_files(cache_dir), 5);
	cr_expect_eq(cache_build("cpu", "cc", cache_dir, 5, 2), 5);
}

/* A folder that several make at once is everybody's: one of them marks it while another looks at what is in it. */
Test(cache, processes_may_mark)
{
	enum { ROUNDS = 60, PROCESSES = 4 };
	for (int round = 0; round < ROUNDS; round++) {
		pid_t child[PROCESSES];
		char folder[240];
		(void)snprintf(folder, sizeof folder, "%s/r%d", cache_above, round);
		for (int i = 0; i < PROCESSES; i++) {
			struct lt_cache c = { 0 };
			child[i] = fork();
			if (child[i] == 0)
				_exit(lt__cache_open(cache_ctx, &c, folder, true) != LT_OK);
			cr_assert(child[i] > 0);
		}
		for (int i = 0; i < PROCESSES; i++) {
			int status;
			cr_assert_eq(waitpid(child[i], &status, 0), child[i]);
			cr_expect_eq(status, 0, "round %d", round);
		}
	}
}

/* Facts, through the functions that a backend is given. */
Test(cache, facts_are_no_kernels)
{
	size_t n;
	struct lt_cache c = { .fd = -1 };
	cr_expect_null(lt__cache_read(&c, LT_ENTRY_FACT, "k", 1, &n));
	lt__cache_write(&c, LT_ENTRY_FACT, "k", 1, "v", 1);
	cr_expect_null(lt__cache_read(&c, LT_ENTRY_FACT, "k", 1, &n));  /* no folder, no error */
	cr_assert_eq(lt__cache_open(cache_ctx, &c, cache_dir, true), LT_OK, "%s", lt_context_message(cache_ctx));
	lt__cache_write(&c, LT_ENTRY_FACT, "k", 1, "value", 5);
	char *value = lt__cache_read(&c, LT_ENTRY_FACT, "k", 1, &n);
	cr_assert(value && n == 5 && strcmp(value, "value") == 0);
	free(value);
	cr_expect_null(lt__cache_read(&c, LT_ENTRY_OBJECT, "k", 1, &n));
	cr_expect_eq(cache_entries(), 0);
	cr_expect_eq(lt__cache_clear(cache_ctx, cache_dir), LT_OK);
	cr_expect_null(lt__cache_read(&c, LT_ENTRY_FACT, "k", 1, &n));
	/* Sizes that no entry can have, one by one and together, are not kept, and nothing is read of them. */
	static const size_t sizes[][2] = { { SIZE_MAX, 0 }, { SIZE_MAX - 16, 16 }, { 1, SIZE_MAX }, { (size_t)1 << 30, 1 },
		{ 1, (size_t)1 << 30 } };
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
		lt__cache_write(&c, LT_ENTRY_FACT, "k", sizes[i][0], "v", sizes[i][1]);
	cr_expect_eq(cache_files(cache_dir), 0);
	lt__cache_close(&c);
}
