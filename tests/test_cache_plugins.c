/* test_cache_plugins.c -- the cache for plug-ins: processes of their own load a file and compile sums. */
#define _GNU_SOURCE 1
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "lt/lt.h"
#include "program/cache/cache.h"
#include "tests/built.h"
#include "tests/cache_sums.h"

TestSuite(cache_plugins, .init = cache_set_up, .fini = cache_tear_down, .timeout = 120);

static char counts[512];

static void append(void *user, const char *text, size_t bytes)
{
	char *to = user;
	size_t n = strlen(to);
	(void)snprintf(to + n, sizeof counts - n, "%.*s", (int)bytes, text);
}

/* The number from the cache, or minus the status; `counts`: what the plug-in says of itself then. */
static int with_plugin(const char *file, const char *backend, int n)
{
	int ends[2], result = 0;
	counts[0] = '\0';
	cr_assert_eq(pipe(ends), 0);
	pid_t child = fork();
	if (child == 0) {
		char name[240];
		(void)alarm(30);                /* a failed assertion would not end it */
		(void)snprintf(name, sizeof name, "tests/plugins/%s", file);
		const struct lt_host host = { .size = sizeof host };
		struct lt_session *s;
		lt_status loaded = lt_backend_load(built(name), NULL);
		int got = loaded ? -100 - loaded : cache_build(backend, "cc", cache_dir, n, 1);
		const struct lt_backend *b = lt_backend_find("saves");
		if (b && !b->open(&host, strchr(backend, ':') ? strchr(backend, ':') + 1 : "", &s, NULL)) {
			b->describe(s, append, counts);
			b->close(s);
		}
		bool ok = write(ends[1], &got, sizeof got) == sizeof got
			&& write(ends[1], cache_message, sizeof cache_message) == sizeof cache_message
			&& write(ends[1], counts, sizeof counts) == sizeof counts;
		_exit(!ok);
	}
	cr_assert(child > 0);
	close(ends[1]);
	cr_assert(read(ends[0], &result, sizeof result) == sizeof result
		&& read(ends[0], cache_message, sizeof cache_message) == sizeof cache_message
		&& read(ends[0], counts, sizeof counts) == sizeof counts);
	close(ends[0]);
	int status;
	cr_assert(waitpid(child, &status, 0) == child && status == 0);
	return result;
}

static void expect_plugin(const char *file, const char *backend, int n, int cached, const char *what)
{
	int got = with_plugin(file, backend, n);
	cr_expect(got == cached && strcmp(counts, what) == 0, "%s on %s: %d from the cache, not %d: %s%s", file,
		backend, got, cached, counts, cache_message);
}

Test(cache_plugins, serves_a_plugin)
{
	expect_plugin("saves.so", "saves", 2, 0, "compiled 2 saved 2 loaded 0 refused 0\n");
	expect_plugin("saves.so", "saves", 3, 2, "compiled 1 saved 1 loaded 2 refused 0\n");         /* another tree */
	expect_plugin("saves.so", "saves", 3, 3, "compiled 0 saved 0 loaded 3 refused 0\n");
	expect_plugin("saves.so", "saves:x", 3, 0, "compiled 3 saved 3 loaded 0 refused 0\n");       /* another config */
	expect_plugin("saves.so", "saves:other", 3, 0, "compiled 3 saved 3 loaded 0 refused 0\n");   /* and identity */
	expect_plugin("saves_next.so", "saves", 3, 0, "compiled 3 saved 3 loaded 0 refused 0\n");    /* another version */
	expect_plugin("saves_next.so", "saves", 3, 3, "compiled 0 saved 0 loaded 3 refused 0\n");
	expect_plugin("saves.so", "saves", 3, 3, "compiled 0 saved 0 loaded 3 refused 0\n");
	cr_expect_eq(cache_entries(), 12);
}

/* The config is in no key of a backend that says what of it matters. */
Test(cache_plugins, a_config_that_does_not_matter)
{
	expect_plugin("saves.so", "saves:own", 2, 0, "compiled 2 saved 2 loaded 0 refused 0\n");
	expect_plugin("saves.so", "saves:own/x", 2, 2, "compiled 0 saved 0 loaded 2 refused 0\n");
	expect_plugin("saves.so", "saves:own/other", 2, 0, "compiled 2 saved 2 loaded 0 refused 0\n");
	expect_plugin("saves.so", "saves:y/other/own", 2, 2, "compiled 0 saved 0 loaded 2 refused 0\n");
}

Test(cache_plugins, asks_no_plugin_that_says_nothing_of_itself)
{
	expect_plugin("saves.so", "saves:silent", 2, 0, "compiled 2 saved 0 loaded 0 refused 0\n");
	expect_plugin("saves.so", "saves:silent", 2, 0, "compiled 2 saved 0 loaded 0 refused 0\n");
	cr_expect_eq(with_plugin("plain.so", "plain", 2), 0);   /* it has none of the three */
	cr_expect_eq(with_plugin("older.so", "older", 2), 0);   /* its table ends before them */
	cr_expect_eq(with_plugin("newer.so", "newer", 2), 0);
	cr_expect_eq(cache_entries(), 0);
	cr_expect_eq(with_plugin("saves.so", "saves:broken", 2), -LT_EDEVICE);
	cr_expect_str_eq(cache_message, "backend saves: the device does not say what it is");
}

Test(cache_plugins, a_plugins_refusal_to_load_or_save_is_no_error)
{
	expect_plugin("saves.so", "saves:forgets", 2, 0, "compiled 2 saved 2 loaded 0 refused 0\n");
	cr_expect_eq(cache_entries(), 0);
	expect_plugin("saves.so", "saves:refuses", 2, 0, "compiled 2 saved 2 loaded 0 refused 0\n");
	cr_expect_eq(cache_entries(), 2);
	expect_plugin("saves.so", "saves:refuses", 2, 0, "compiled 2 saved 2 loaded 0 refused 2\n");
	cr_expect_eq(cache_files(cache_dir), 2);
}

Test(cache_plugins, a_plugins_damaged_bytes_are_rebuilt)
{
	char file[512];
	struct stat st;
	expect_plugin("saves.so", "saves", 1, 0, "compiled 1 saved 1 loaded 0 refused 0\n");
	cache_only_entry(file, sizeof file);
	cr_assert_eq(stat(file, &st), 0);
	for (int64_t at = 0; at < st.st_size; at += st.st_size / 7) {
		cache_damage_bit(file, at);
		/* it is never shown such bytes */
		expect_plugin("saves.so", "saves", 1, 0, "compiled 1 saved 1 loaded 0 refused 0\n");
		expect_plugin("saves.so", "saves", 1, 1, "compiled 0 saved 0 loaded 1 refused 0\n");
	}
}

/* What an entry was kept for stands in it as text. */
Test(cache_plugins, the_key_is_in_the_entry)
{
	char file[512], text[4096], want[200];
	expect_plugin("saves.so", "saves:x", 1, 0, "compiled 1 saved 1 loaded 0 refused 0\n");
	cache_only_entry(file, sizeof file);
	FILE *f = fopen(file, "rb");
	cr_assert_not_null(f);
	size_t n = fread(text, 1, sizeof text - 1, f);
	fclose(f);
	text[n] = '\0';
	(void)snprintf(want, sizeof want,
		"looptree %s build %u\nbackend saves 1\nconfig x\nidentity\na device of this kind\noperators\n"
		"add 2 1:1:0>1 0 ($0 + $1)\n",
		LT_VERSION, (unsigned)LT_BUILD);
	cr_expect(n > 200 && memcmp(text + 32, want, strlen(want)) == 0, "%s", text + 32);
	cr_expect(strstr(text + 32, "\ntree 1 ") && strstr(text + 32, "saved by saves\ntree 1 "), "%s", text + 32);
}
