/* cache.c -- where compiled code is kept, what is there, and its removal. */
#include <stdlib.h>
#include <string.h>
#include "program/cache/cache.h"
#include "tools/common/common.h"
#include "tools/run/run.h"

/* A backend that keeps what it compiles is in the list: one that does not needs no folder. */
static bool keeps(const char *list)
{
	for (const char *at = list; at && *at; at += strcspn(at, ","), at += *at == ',')
		for (uint32_t i = 0; i < lt_backend_count(); i++) {
			const struct lt_backend *b = lt_backend_at(i);
			size_t n = strlen(b->name);

			if (n == strcspn(at, ":,") && !strncmp(at, b->name, n) && LT_HAS(struct lt_backend, b, save))
				return true;
		}
	return false;
}

/* A folder that was named by mistake is one; the usual one is done without where it cannot be used, which lt_compile
 * says. */
lt_status run_cache_find(struct run *r)
{
	struct lt_cache cache = { .fd = -1 };

	if (r->o.no_cache)
		return LT_OK;
	if (!r->o.cache_dir) {
		lt_status st = lt__cachedir_default(r->ctx, &r->cache_dir);

		if (st == LT_ENOMEM)
			return st;
		if (st && !r->o.cache && keeps(r->backends))
			lt__say(stderr, "%s: compiled code is not cached: %s; name a folder with --cache-dir, or give --no-cache\n",
				r->o.tool, lt_context_message(r->ctx));
		return LT_OK;
	}
	r->cache_dir = strdup(r->o.cache_dir);
	if (!r->cache_dir)
		return lt_fail(r->ctx, LT_ENOMEM, "out of memory");
	if (r->o.cache)
		return LT_OK;
	lt_status st = lt__cache_open(r->ctx, &cache, r->cache_dir, true);
	lt__cache_close(&cache);
	if (st == LT_EIO)
		return lt_fail(r->ctx, LT_EINVAL, "--cache-dir: %s", lt_context_message(r->ctx));
	return st == LT_EMISSING ? LT_OK : st;
}

lt_status run_cache_command(const struct run *r)
{
	struct lt_cache_sums sums = { 0 };
	bool clear = !strcmp(r->o.cache, "clear");

	if (!r->cache_dir)
		return lt_fail(r->ctx, LT_EINVAL, "there is no folder of compiled code: give one with --cache-dir");
	lt_status status = lt__cache_stats(r->ctx, r->cache_dir, &sums);
	if (status && status != LT_EMISSING)
		return status;
	clear = clear && !status;
	if (clear)
		status = lt__cache_clear(r->ctx, r->cache_dir);
	if (status && status != LT_EMISSING)
		return status;
	if (r->o.json) {
		json_t *o = json_pack("{s:o,s:I,s:I,s:I,s:I,s:b}", "folder", lt__json_text(r->cache_dir), "kernels",
			(json_int_t)sums.kernels, "bytes", (json_int_t)sums.kernel_bytes, "plans", (json_int_t)sums.plans, "plan_bytes",
			(json_int_t)sums.plan_bytes, "cleared", clear);

		json_dumpf(o, stdout, LT_JSON_PLAIN);
		putchar('\n');
		json_decref(o);
	} else if (status) {
		lt__say(stdout, "%s: there is no such folder, so no compiled code is kept there\n", r->cache_dir);
	} else {
		char plans[80] = "";

		if (sums.plans)
			snprintf(plans, sizeof plans, "; %lld plan%s of libraries, %lld byte%s", (long long)sums.plans,
				lt__plural(sums.plans), (long long)sums.plan_bytes, lt__plural(sums.plan_bytes));
		lt__say(stdout, "%s: %lld kernel%s, %lld byte%s%s%s\n", r->cache_dir, (long long)sums.kernels,
			lt__plural(sums.kernels), (long long)sums.kernel_bytes, lt__plural(sums.kernel_bytes), plans,
			clear ? ", removed" : "");
	}
	return LT_OK;
}
