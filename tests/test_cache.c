/* tests/test_cache.c -- the host's cache on disk: what is found again, what is not, what is damaged; for cpu and for
 * plug-ins. */
#define _GNU_SOURCE 1
#include <criterion/criterion.h>
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utime.h>
#include "built.h"
#include "lt/lt.h"
#include "program/cache.h"

static char dir[] = "/tmp/looptree-test-XXXXXX", cache[64], path[128], said[1024];

static void setup(void)
{
	cr_assert_not_null(mkdtemp(dir));
	(void)snprintf(cache, sizeof cache, "%s/a/b", dir);
}
static void teardown(void)
{
	char command[64];
	(void)snprintf(command, sizeof command, "rm -rf %s", dir);
	cr_expect_eq(system(command), 0);
}
TestSuite(cache, .init = setup, .fini = teardown, .timeout = 120);

/* A script that can stand for a compiler. */
static const char *script(const char *text)
{
	(void)snprintf(path, sizeof path, "%s/compiler", dir);
	FILE *f = fopen(path, "w");
	cr_assert(f && fprintf(f, "#!/bin/sh\n%s\n", text) > 0 && fclose(f) == 0 && chmod(path, 0700) == 0);
	return path;
}

/* Compiled code; facts and the marker are kept beside it. */
static int is_ours(const struct dirent *d)
{
	return d->d_name[0] != '.' && !strstr(d->d_name, ".lti") && strcmp(d->d_name, LT_CACHE_MARKER) != 0;
}
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
static int64_t entries(void)
{
	int64_t n, bytes;
	char why[512];
	lt_status status = lt__cache_stats(cache, &n, &bytes, why, sizeof why);
	cr_assert_eq(status, access(cache, F_OK) ? LT_EMISSING : LT_OK, "%s", why);
	cr_expect((n == 0) == (bytes == 0));
	return n;
}
/* The path of the only entry. */
static void only_entry(char *file, size_t room)
{
	struct dirent **list;
	cr_assert_eq(scandir(cache, &list, is_ours, NULL), 1);
	(void)snprintf(file, room, "%s/%s", cache, list[0]->d_name);
	free(list[0]);
	free(list);
}

static int32_t told[16], n_reported;
static void progress(void *user, int32_t done, int32_t total)
{
	cr_expect_eq(user, &n_reported);
	told[n_reported++ % 16] = done * 100 + total;
}

static struct lt_graph *sums(struct lt_context *ctx, int n)
{
	char text[2048] = "graph 1\nvar m 2\n";
	struct lt_graph *g;
	for (int i = 0; i < 2 * n; i++) {               /* vars stand before everything else */
		size_t at = strlen(text);
		if (i < n)
			(void)snprintf(text + at, sizeof text - at, "var k%d %d\n", i, 3 + i);
		else
			(void)snprintf(text + at, sizeof text - at,
				"%%x%d = f32[m, k%d] input \"x%d\"\n%%y%d = f32[m] add.reduce %%x%d\nresult \"y%d\" = "
				"%%y%d\n",
				i - n, i - n, i - n, i - n, i - n, i - n, i - n);
	}
	cr_assert_eq(lt_graph_parse(ctx, text, strlen(text), "test", &g), LT_OK, "%s\n%s", lt_context_message(ctx), text);
	return g;
}

/* Compiles sums of n different lengths and, on cpu, runs them; the number that came from the cache, or minus the
 * status. */
static int build(const char *backend, const char *cc, const char *folder, int n, uint32_t n_thread)
{
	struct lt_context *ctx;
	struct lt_program *p = NULL;
	const struct lt_options o = { .size = sizeof o,
		.backends = backend,
		.cc = cc,
		.cache_dir = folder,
		.n_thread = n_thread,
		.progress = progress,
		.user = &n_reported };
	struct lt_stats stats = { .size = sizeof stats };
	cr_assert_eq(lt_context_new(&ctx), LT_OK);
	struct lt_graph *g = sums(ctx, n);
	lt_status status = lt_compile(ctx, g, &o, &p);
	(void)snprintf(said, sizeof said, "%s", status ? lt_context_message(ctx) : "");
	if (!status) {
		lt_program_stats(p, &stats);
		cr_expect(stats.n_kernel == n && stats.n_compiled + stats.n_cached == n, "%d: %d compiled, %d cached", stats.n_kernel,
			stats.n_compiled, stats.n_cached);
		float x[40], y[16][2] = { { 0 } };
		const void *in[16];
		void *out[16];
		struct lt_instance *r;
		for (int i = 0; i < 40; i++)
			x[i] = 1;
		for (int i = 0; i < n; i++)
			in[i] = x, out[i] = y[i];
		cr_assert_eq(lt_instance_new(p, &r), LT_OK);
		cr_assert_eq(lt_instance_run(r, in, out), LT_OK);
		for (int i = 0; i < n && strncmp(backend, "cpu", 3) == 0; i++)
			cr_expect(y[i][0] == (float)(3 + i) && y[i][1] == (float)(3 + i), "%g %g", (double)y[i][0], (double)y[i][1]);
		lt_instance_free(r);
	}
	lt_program_free(p);
	lt_graph_free(g);
	lt_context_free(ctx);
	return status ? -status : stats.n_cached;
}

Test(cache, finds_what_it_kept)
{
	cr_expect_eq(entries(), 0);                             /* a folder that is not there */
	cr_expect_eq(build("cpu", "cc", cache, 3, 2), 0, "%s", said);
	cr_expect_eq(entries(), 3);
	n_reported = 0;
	cr_expect_eq(build("cpu", NULL, cache, 4, 2), 3);       /* cc is the default */
	cr_expect(n_reported == 4 && told[0] == 104 && told[2] == 304 && told[3] == 404, "progress: %d calls, %d .. %d",
		n_reported, told[0], told[3]);
	cr_expect_eq(entries(), 4);
	cr_expect_eq(build("cpu:O1", "cc", cache, 2, 2), 0);    /* other flags */
	cr_expect_eq(build("cpu", "env cc", cache, 1, 2), 0);   /* another command */
	cr_expect_eq(build("cpu", "env cc", cache, 1, 2), 1);
	cr_expect_eq(entries(), 7);
	cr_expect_eq(count_files(cache), 7);                    /* no temporary files stay */
	cr_expect_eq(build("cpu", "cc", NULL, 1, 2), 0);        /* no cache */
	char why[512];
	cr_expect_eq(lt__cache_clear(cache, why, sizeof why), LT_OK);
	cr_expect_eq(entries(), 0);
	cr_expect_eq(build("cpu", "cc", cache, 1, 2), 0);
	cr_expect_eq(build("ref", "cc", cache, 2, 1), 0);       /* has nothing to keep */
	cr_expect_eq(entries(), 1);
	cr_expect_eq(build("cpu", "cc", "/dev/null/cache", 1, 1), -LT_EIO);
	cr_expect_str_eq(said,
		"the cache folder '/dev/null/cache' cannot hold compiled code: Not a directory; give another folder, "
		"or none");
}

/* An entry is asked for by all that it depends on: here the compiler, which is replaced under its name. */
Test(cache, knows_the_compiler)
{
	char cc[128];
	(void)snprintf(cc, sizeof cc, "%s", script("exec cc \"$@\""));
	cr_expect_eq(build("cpu", cc, cache, 1, 1), 0, "%s", said);
	cr_expect_eq(build("cpu", cc, cache, 1, 1), 1);
	(void)script("exec  cc \"$@\"");
	cr_expect_eq(build("cpu", cc, cache, 1, 1), 0);
}

Test(cache, nothing_is_kept_of_what_failed)
{
	char cc[128];
	(void)snprintf(cc, sizeof cc, "%s", script("exit 1"));
	cr_expect_eq(build("cpu", cc, cache, 2, 2), -LT_ECOMPILE);
	cr_expect_eq(build("cpu", "no-such-compiler", cache, 1, 1), -LT_ECOMPILE);
	cr_expect_str_eq(said, "backend cpu: no-such-compiler: not found: install gcc or give --cc");
	cr_expect_eq(count_files(cache), 0);
	/* One fails after one that was found. */
	(void)script("[ -e $0.fails ] && exit 1\nexec cc \"$@\"");
	cr_expect_eq(build("cpu", cc, cache, 1, 1), 0, "%s", said);
	char fails[140];
	(void)snprintf(fails, sizeof fails, "%s.fails", cc);
	fclose(fopen(fails, "w"));
	cr_expect_eq(build("cpu", cc, cache, 2, 1), -LT_ECOMPILE);
	cr_assert_eq(unlink(fails), 0);
	cr_expect_eq(build("cpu", cc, cache, 2, 1), 1);
}

static void damage_bit(const char *file, int64_t at)
{
	FILE *f = fopen(file, "r+b");
	cr_assert(f && fseek(f, (long)at, SEEK_SET) == 0);
	int c = fgetc(f);
	cr_assert(c != EOF && fseek(f, (long)at, SEEK_SET) == 0 && fputc(c ^ 4, f) != EOF && fclose(f) == 0);
}

static void damaged(const char *backend)
{
	char file[512];
	struct stat st;
	cr_expect_eq(build(backend, "cc", cache, 1, 1), 0, "%s", said);
	only_entry(file, sizeof file);
	cr_assert_eq(stat(file, &st), 0);
	for (int damage = 0; damage < 9; damage++) {
		int64_t at[] = { 0, 9, 17, 25, 40, st.st_size / 2, st.st_size - 1 };
		if (damage < 7)                 /* one bit in magic, sizes, checksum, key, code */
			damage_bit(file, at[damage]);
		else
			cr_assert_eq(truncate(file, damage == 7 ? 0 : st.st_size - 100), 0);
		cr_expect_eq(build(backend, "cc", cache, 1, 1), 0, "damage %d was not seen", damage);
		cr_expect_eq(build(backend, "cc", cache, 1, 1), 1, "damage %d was not repaired", damage);
	}
	cr_expect_eq(count_files(cache), 1);
}

Test(cache, damaged_entries_are_rebuilt) { damaged("cpu"); }

/* Two sound entries under each other's name, as if their hashes were equal. */
Test(cache, an_entry_is_compared_by_its_whole_key)
{
	char file[3][512];
	struct dirent **list;
	cr_expect_eq(build("cpu", "cc", cache, 2, 2), 0, "%s", said);
	cr_assert_eq(scandir(cache, &list, is_ours, NULL), 2);
	for (int i = 0; i < 2; i++) {
		(void)snprintf(file[i], sizeof file[i], "%s/%s", cache, list[i]->d_name);
		free(list[i]);
	}
	free(list);
	(void)snprintf(file[2], sizeof file[2], "%s/swap", cache);
	cr_assert(rename(file[0], file[2]) == 0 && rename(file[1], file[0]) == 0 && rename(file[2], file[1]) == 0);
	cr_expect_eq(build("cpu", "cc", cache, 2, 2), 0);
	cr_expect_eq(build("cpu", "cc", cache, 2, 2), 2);
}

Test(cache, processes_may_race)
{
	pid_t child[3];
	for (int i = 0; i < 3; i++) {
		child[i] = fork();
		if (child[i] == 0)
			_exit(build("cpu", "cc", cache, 5, 2) < 0);
		cr_assert(child[i] > 0);
	}
	for (int i = 0; i < 3; i++) {
		int status;
		cr_assert_eq(waitpid(child[i], &status, 0), child[i]);
		cr_expect_eq(status, 0);
	}
	cr_expect_eq(count_files(cache), 5);
	cr_expect_eq(build("cpu", "cc", cache, 5, 2), 5);
}

/* A folder that several make at once is everybody's: one of them marks it while another looks at what is in it. */
Test(cache, processes_may_mark)
{
	enum { ROUNDS = 60, PROCESSES = 4 };
	for (int round = 0; round < ROUNDS; round++) {
		pid_t child[PROCESSES];
		char folder[96], why[512];
		(void)snprintf(folder, sizeof folder, "%s/r%d", dir, round);
		for (int i = 0; i < PROCESSES; i++) {
			struct lt_cache c = { 0 };
			child[i] = fork();
			if (child[i] == 0)
				_exit(lt__cache_open(&c, folder, true, why, sizeof why) != LT_CACHE_READY);
			cr_assert(child[i] > 0);
		}
		for (int i = 0; i < PROCESSES; i++) {
			int status;
			cr_assert_eq(waitpid(child[i], &status, 0), child[i]);
			cr_expect_eq(status, 0, "round %d", round);
		}
	}
}

/* Everything else that may be in such a folder: names that are nearly ours, and ours of the wrong kind. */
static const char *const foreign_files[] = { "new-report.txt", "new-report", "new-0123456789abcdeg",
	"new-0123456789abcdef0", "notes.ltk", "0123456789abcdef0123456789abcdef.ltk.bak",
	"0123456789ABCDEF0123456789abcdef.ltk", "0123456789abcdef.ltk", ".hidden", "tmp-thesis/chapter",
	"0123456789abcdef0123456789abcdef.ltk/inner", "new-0123456789abcdef/k0.c" };
static const char *const own_files[] = { "fedcba9876543210fedcba9876543210.ltk", "fedcba9876543210fedcba9876543210.lti",
	"new-fedcba9876543210" };

static const char *in_cache(const char *name)
{
	static char text[4][256];
	static int turn;
	(void)snprintf(text[++turn % 4], sizeof *text, "%s/%s", cache, name);
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

Test(cache, clear_takes_only_what_is_ours)
{
	char why[512], outside[128];
	struct stat st;
	struct utimbuf old = { .modtime = 1000000 };
	cr_expect_eq(build("cpu", "cc", cache, 1, 1), 0, "%s", said);
	(void)snprintf(outside, sizeof outside, "%s/outside", dir);
	FILE *f = fopen(outside, "w");
	cr_assert(f && fclose(f) == 0);
	cr_assert_eq(symlink(outside, in_cache("11111111111111111111111111111111.ltk")), 0);
	for (size_t i = 0; i < sizeof foreign_files / sizeof *foreign_files; i++) {
		make_file(foreign_files[i]);
		cr_assert_eq(utime(in_cache(foreign_files[i]), &old), 0);
	}
	cr_assert_eq(utime(in_cache("tmp-thesis"), &old), 0);
	cr_expect_eq(entries(), 1);             /* what is not ours does not count */
	for (size_t i = 0; i < sizeof own_files / sizeof *own_files; i++)
		make_file(own_files[i]);
	cr_expect_eq(lt__cache_clear(cache, why, sizeof why), LT_OK);
	for (size_t i = 0; i < sizeof foreign_files / sizeof *foreign_files; i++)
		cr_expect_eq(access(in_cache(foreign_files[i]), F_OK), 0, "%s is gone", foreign_files[i]);
	for (size_t i = 0; i < sizeof own_files / sizeof *own_files; i++)
		cr_expect_neq(access(in_cache(own_files[i]), F_OK), 0, "%s stays", own_files[i]);
	cr_expect(access(outside, F_OK) == 0 && lstat(in_cache("11111111111111111111111111111111.ltk"), &st) == 0);
	cr_expect_eq(access(in_cache(LT_CACHE_MARKER), F_OK), 0);
	cr_expect_eq(entries(), 0);
}

/* A folder without the marker is a cache if it is empty or has entries only; else it is somebody's folder, named by
 * mistake. */
Test(cache, a_folder_without_marker_is_left_alone)
{
	char why[512];
	struct lt_cache c = { .fd = -1 };
	cr_expect_eq(build("cpu", "cc", cache, 2, 1), 0, "%s", said);
	cr_assert_eq(unlink(in_cache(LT_CACHE_MARKER)), 0);
	cr_expect_eq(entries(), 2);
	cr_expect_neq(access(in_cache(LT_CACHE_MARKER), F_OK), 0, "looking makes nothing");
	make_file("thesis.tex");
	cr_expect_eq(lt__cache_clear(cache, why, sizeof why), LT_EIO);
	cr_expect(strstr(why, "it is not a cache, because it has no file 'looptree-cache' and holds others, such as "
		"'thesis.tex'; give an empty folder"), "%s", why);
	cr_expect_eq(lt__cache_open(&c, cache, true, why, sizeof why), LT_CACHE_REFUSED);
	cr_expect_eq(count_files(cache), 3);
	cr_expect_eq(build("cpu", "cc", cache, 1, 1), -LT_EIO);
	cr_expect(strstr(said, "the cache folder '") && strstr(said, "such as 'thesis.tex'"), "%s", said);
	cr_assert_eq(unlink(in_cache("thesis.tex")), 0);
	cr_expect_eq(build("cpu", "cc", cache, 2, 1), 2, "a cache of before markers is one: %s", said);
	cr_expect_eq(access(in_cache(LT_CACHE_MARKER), F_OK), 0);
	make_file("thesis.tex");                /* with a marker, others may be there, too */
	cr_expect_eq(build("cpu", "cc", cache, 2, 1), 2, "%s", said);
	cr_expect_eq(lt__cache_clear(cache, why, sizeof why), LT_OK);
	cr_expect_eq(count_files(cache), 1);
}

/* -- plug-ins: in a process of its own, which loads `file` and compiles n sums -- */

static char counts[256];

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
		char name[100];
		(void)alarm(30);                /* a failed assertion would not end it */
		(void)snprintf(name, sizeof name, "tests/plugins/%s", file);
		const struct lt_host host = { .size = sizeof host };
		struct lt_session *s;
		lt_status loaded = lt_backend_load(built(name), NULL);
		int got = loaded ? -100 - loaded : build(backend, "cc", cache, n, 1);
		const struct lt_backend *b = lt_backend_find("saves");
		if (b && !b->open(&host, strchr(backend, ':') ? strchr(backend, ':') + 1 : "", &s, NULL)) {
			b->describe(s, append, counts);
			b->close(s);
		}
		bool ok = write(ends[1], &got, sizeof got) == sizeof got && write(ends[1], said, sizeof said) == sizeof said
			&& write(ends[1], counts, sizeof counts) == sizeof counts;
		_exit(!ok);
	}
	cr_assert(child > 0);
	close(ends[1]);
	cr_assert(read(ends[0], &result, sizeof result) == sizeof result && read(ends[0], said, sizeof said) == sizeof said
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
		backend, got, cached, counts, said);
}

Test(cache, serves_a_plugin)
{
	expect_plugin("saves.so", "saves", 2, 0, "compiled 2 saved 2 loaded 0 refused 0\n");
	expect_plugin("saves.so", "saves", 3, 2, "compiled 1 saved 1 loaded 2 refused 0\n");         /* another tree */
	expect_plugin("saves.so", "saves", 3, 3, "compiled 0 saved 0 loaded 3 refused 0\n");
	expect_plugin("saves.so", "saves:x", 3, 0, "compiled 3 saved 3 loaded 0 refused 0\n");       /* another config */
	expect_plugin("saves.so", "saves:other", 3, 0, "compiled 3 saved 3 loaded 0 refused 0\n");   /* and identity */
	expect_plugin("saves_next.so", "saves", 3, 0, "compiled 3 saved 3 loaded 0 refused 0\n");    /* another version */
	expect_plugin("saves_next.so", "saves", 3, 3, "compiled 0 saved 0 loaded 3 refused 0\n");
	expect_plugin("saves.so", "saves", 3, 3, "compiled 0 saved 0 loaded 3 refused 0\n");
	cr_expect_eq(entries(), 12);
}

Test(cache, asks_no_plugin_that_says_nothing_of_itself)
{
	expect_plugin("saves.so", "saves:silent", 2, 0, "compiled 2 saved 0 loaded 0 refused 0\n");
	expect_plugin("saves.so", "saves:silent", 2, 0, "compiled 2 saved 0 loaded 0 refused 0\n");
	cr_expect_eq(with_plugin("plain.so", "plain", 2), 0);   /* it has none of the three */
	cr_expect_eq(with_plugin("older.so", "older", 2), 0);   /* its table ends before them */
	cr_expect_eq(with_plugin("newer.so", "newer", 2), 0);
	cr_expect_eq(entries(), 0);
	cr_expect_eq(with_plugin("saves.so", "saves:broken", 2), -LT_EDEVICE);
	cr_expect_str_eq(said, "backend saves: the device does not say what it is");
}

Test(cache, a_plugins_refusal_to_load_or_save_is_no_error)
{
	expect_plugin("saves.so", "saves:forgets", 2, 0, "compiled 2 saved 2 loaded 0 refused 0\n");
	cr_expect_eq(entries(), 0);
	expect_plugin("saves.so", "saves:refuses", 2, 0, "compiled 2 saved 2 loaded 0 refused 0\n");
	cr_expect_eq(entries(), 2);
	expect_plugin("saves.so", "saves:refuses", 2, 0, "compiled 2 saved 2 loaded 0 refused 2\n");
	cr_expect_eq(count_files(cache), 2);
}

Test(cache, a_plugins_damaged_bytes_are_rebuilt)
{
	char file[512];
	struct stat st;
	expect_plugin("saves.so", "saves", 1, 0, "compiled 1 saved 1 loaded 0 refused 0\n");
	only_entry(file, sizeof file);
	cr_assert_eq(stat(file, &st), 0);
	for (int64_t at = 0; at < st.st_size; at += st.st_size / 7) {
		damage_bit(file, at);
		/* it is never shown such bytes */
		expect_plugin("saves.so", "saves", 1, 0, "compiled 1 saved 1 loaded 0 refused 0\n");
		expect_plugin("saves.so", "saves", 1, 1, "compiled 0 saved 0 loaded 1 refused 0\n");
	}
}

/* What an entry was kept for stands in it as text. */
Test(cache, the_key_is_in_the_entry)
{
	char file[512], text[4096], want[200];
	expect_plugin("saves.so", "saves:x", 1, 0, "compiled 1 saved 1 loaded 0 refused 0\n");
	only_entry(file, sizeof file);
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

/* Facts, through the functions that a backend is given. */
Test(cache, facts_are_no_kernels)
{
	size_t n;
	char why[512];
	struct lt_cache c = { .fd = -1 };
	cr_expect_null(lt__cache_read(&c, LT_ENTRY_FACT, "k", 1, &n));
	lt__cache_write(&c, LT_ENTRY_FACT, "k", 1, "v", 1);
	cr_expect_null(lt__cache_read(&c, LT_ENTRY_FACT, "k", 1, &n));  /* no folder, no error */
	cr_assert_eq(lt__cache_open(&c, cache, true, why, sizeof why), LT_CACHE_READY, "%s", why);
	lt__cache_write(&c, LT_ENTRY_FACT, "k", 1, "value", 5);
	char *value = lt__cache_read(&c, LT_ENTRY_FACT, "k", 1, &n);
	cr_assert(value && n == 5 && strcmp(value, "value") == 0);
	free(value);
	cr_expect_null(lt__cache_read(&c, LT_ENTRY_OBJECT, "k", 1, &n));
	cr_expect_eq(entries(), 0);
	cr_expect_eq(lt__cache_clear(cache, why, sizeof why), LT_OK);
	cr_expect_null(lt__cache_read(&c, LT_ENTRY_FACT, "k", 1, &n));
	/* Sizes that no entry can have, one by one and together, are not kept, and nothing is read of them. */
	static const size_t sizes[][2] = { { SIZE_MAX, 0 }, { SIZE_MAX - 16, 16 }, { 1, SIZE_MAX }, { (size_t)1 << 30, 1 },
		{ 1, (size_t)1 << 30 } };
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
		lt__cache_write(&c, LT_ENTRY_FACT, "k", sizes[i][0], "v", sizes[i][1]);
	cr_expect_eq(count_files(cache), 0);
	lt__cache_close(&c);
}

/* What is reported of a folder in one that cannot be made is why, not that it is not there; none of these leaves
 * anything open or made. */
Test(cache, a_folder_that_cannot_be_made_says_why)
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
	char why[8192], folder[128];
	(void)snprintf(folder, sizeof folder, "%s/file", dir);
	FILE *f = fopen(folder, "w");
	cr_assert(f && fclose(f) == 0);
	(void)snprintf(folder, sizeof folder,
		"cd %s && mkdir real open group && ln -s real link && chmod 777 open && chmod 770 group", dir);
	cr_assert_eq(system(folder), 0);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct lt_cache c = { .fd = -1 };
		(void)snprintf(folder, sizeof folder, "%s%s", cases[i].folder[0] == '@' ? dir : "",
			cases[i].folder + (cases[i].folder[0] == '@'));
		cr_expect_eq(lt__cache_open(&c, folder, true, why, sizeof why), LT_CACHE_REFUSED, "%s", folder);
		cr_expect(strstr(why, cases[i].want) && c.fd == -1 && !strstr(why, "No such file"), "%s: %s", folder, why);
	}
	(void)snprintf(folder, sizeof folder, "%s/open", dir);
	cr_assert_eq(chmod(folder, 01777), 0);          /* with the bit, nobody can exchange what is another's */
	struct lt_cache c = { .fd = -1 };
	(void)snprintf(folder, sizeof folder, "%s/open/a", dir);
	cr_expect_eq(lt__cache_open(&c, folder, true, why, sizeof why), LT_CACHE_READY, "%s", why);
	lt__cache_close(&c);
}
