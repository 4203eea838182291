/* tools/run_cache.c -- where compiled code is kept, what is there, and its removal. */
#include "program/cache.h"
#include "tools/cachedir.h"
#include "tools/run.h"

/* A folder that was named must work; the usual one is done without where it does not. */
int run_cache_find(struct run *r)
{
	if (r->o.no_cache)
		return RUN_OK;
	if (r->o.cache_dir) {
		r->cache_dir = *r->o.cache_dir ? strdup(r->o.cache_dir) : NULL;
		if (!r->cache_dir)
			return run_usage("--cache-dir takes the name of a folder");
		if (r->o.cache || lt__cachedir_make(r->cache_dir))
			return RUN_OK;
		return run_usage("--cache-dir: '%s' is not a folder that can be written to", r->cache_dir);
	}
	r->cache_dir = lt__cachedir_default();
	if (r->cache_dir && !r->o.cache && !lt__cachedir_make(r->cache_dir)) {
		if (r->o.verbose)
			fprintf(stderr, "no compiled code is kept: '%s' cannot be written to\n", r->cache_dir);
		free(r->cache_dir);
		r->cache_dir = NULL;
	}
	return RUN_OK;
}

int run_cache_command(const struct run *r)
{
	int64_t n = 0, bytes = 0;

	if (!r->cache_dir)
		return run_usage("there is no folder of compiled code: give one with --cache-dir");
	if (lt__cache_stats(r->cache_dir, &n, &bytes))
		return run_failed("'%s' cannot be read", r->cache_dir);
	if (!strcmp(r->o.cache, "clear") && lt__cache_clear(r->cache_dir))
		return run_failed("'%s' cannot be cleared", r->cache_dir);
	if (r->o.json) {
		json_t *o = json_pack("{s:s,s:I,s:I,s:b}", "folder", r->cache_dir, "kernels", (json_int_t)n, "bytes", (json_int_t)bytes, "cleared",
			!strcmp(r->o.cache, "clear"));

		json_dumpf(o, stdout, 0);
		putchar('\n');
		json_decref(o);
	} else {
		printf("%s: %lld kernel%s, %lld byte%s%s\n", r->cache_dir, (long long)n, run_s(n), (long long)bytes, run_s(bytes),
			!strcmp(r->o.cache, "clear") ? ", removed" : "");
	}
	return RUN_OK;
}
