/* cache_sums.c -- see tests/cache_sums.h. */
#define _GNU_SOURCE 1
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "program/cache/cache.h"
#include "tests/cache_sums.h"
#include "tests/parsed.h"
#include "tools/common/common.h"

char cache_above[200], cache_dir[220], cache_message[1024];
int32_t cache_progress[16], cache_n_reported;
struct lt_context *cache_ctx;

void cache_set_up(void)
{
	(void)snprintf(cache_above, sizeof cache_above, "%s/looptree-test-XXXXXX", lt__temp_folder());
	cr_assert_not_null(mkdtemp(cache_above));
	cr_assert_eq(lt_context_new(&cache_ctx), LT_OK);
	(void)snprintf(cache_dir, sizeof cache_dir, "%s/a/b", cache_above);
}
void cache_tear_down(void)
{
	char command[420];
	(void)snprintf(command, sizeof command, "rm -rf %s", cache_above);
	cr_expect_eq(system(command), 0);
	lt_context_free(cache_ctx);
}

int cache_is_ours(const struct dirent *d)
{
	return d->d_name[0] != '.' && !strstr(d->d_name, ".lti") && strcmp(d->d_name, LT_CACHE_MARKER) != 0;
}
int cache_files(const char *at)
{
	struct dirent **list;
	int n = scandir(at, &list, cache_is_ours, NULL);
	for (int i = 0; i < n; i++)
		free(list[i]);
	if (n >= 0)
		free(list);
	return n;
}
int64_t cache_entries(void)
{
	struct lt_cache_sums sums;
	lt_status status = lt__cache_stats(cache_ctx, cache_dir, &sums);
	cr_assert_eq(status, access(cache_dir, F_OK) ? LT_EMISSING : LT_OK, "%s", lt_context_message(cache_ctx));
	cr_expect((sums.kernels == 0) == (sums.kernel_bytes == 0));
	return sums.kernels;
}
void cache_only_entry(char *file, size_t cap)
{
	struct dirent **list;
	cr_assert_eq(scandir(cache_dir, &list, cache_is_ours, NULL), 1);
	(void)snprintf(file, cap, "%s/%s", cache_dir, list[0]->d_name);
	free(list[0]);
	free(list);
}

void cache_damage_bit(const char *file, int64_t at)
{
	FILE *f = fopen(file, "r+b");
	cr_assert(f && fseek(f, (long)at, SEEK_SET) == 0);
	int c = fgetc(f);
	cr_assert(c != EOF && fseek(f, (long)at, SEEK_SET) == 0 && fputc(c ^ 4, f) != EOF && fclose(f) == 0);
}

static void progress(void *user, int32_t done, int32_t total)
{
	cr_expect_eq(user, &cache_n_reported);
	cache_progress[cache_n_reported++ % 16] = done * 100 + total;
}

static struct lt_graph *sums(struct lt_context *ctx, int n)
{
	char text[2048] = "graph 1\nvar m 2\n";
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
	return parsed_in(ctx, text);
}

int cache_build(const char *backend, const char *cc, const char *folder, int n, uint32_t n_thread)
{
	struct lt_context *ctx;
	struct lt_program *p = NULL;
	const struct lt_options o = { .size = sizeof o,
		.backends = backend,
		.cc = cc,
		.cache_dir = folder,
		.n_thread = n_thread,
		.progress = progress,
		.user = &cache_n_reported };
	struct lt_stats stats = { .size = sizeof stats };
	cr_assert_eq(lt_context_new(&ctx), LT_OK);
	struct lt_graph *g = sums(ctx, n);
	lt_status status = lt_compile(ctx, g, &o, &p);
	(void)snprintf(cache_message, sizeof cache_message, "%s", status ? lt_context_message(ctx) : "");
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
