/* limits.c -- the machine's limits for a profile: measured as lt-bench does, once, and kept in the cache's
 * folder; those of a device are measured each time. */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "program/cache/cache.h"
#include "program/host/host.h"
#include "tools/machine/machine.h"
#include "tools/run/profile.h"
#include "tools/common/common.h"

enum { KEY = 1024 };

/* The processor, how many threads, and what compiles the loops that measure it. */
static size_t limits_key(const struct run *r, int threads, char out[KEY])
{
	json_t *machine = machine_facts();
	const char *model = json_string_value(json_object_get(machine, "processor"));
	const char *flags = json_string_value(json_object_get(machine, "flags"));
	unsigned long long sum = 1469598103934665603ull;

	for (const char *at = flags ? flags : ""; *at; at++)
		sum = (sum ^ (unsigned char)*at) * 1099511628211ull;
	int n = snprintf(out, KEY, "lt-run limits 1\n%.200s\n%llx\n%u processors\n%d threads\n%.200s\n", model ? model : "",
		sum, lt__processors(), threads, r->o.cc ? r->o.cc : "cc");
	json_decref(machine);
	return n < KEY ? (size_t)n : KEY - 1;
}

static bool limits_recall(const struct run *r, struct lt_cache *cache, struct run_limits *out)
{
	char key[KEY];
	size_t bytes;
	char *text = lt__cache_read(cache, LT_ENTRY_FACT, key, limits_key(r, out->threads, key), &bytes);
	bool good = text && sscanf(text, "%lf %lf %lf %23s", &out->flops, &out->read, &out->copy, out->when) == 4;

	free(text);
	return good;
}

static void limits_keep(const struct run *r, struct lt_cache *cache, const struct run_limits *l)
{
	char key[KEY], text[200];
	int n = snprintf(text, sizeof text, "%.17g %.17g %.17g %s", l->flops, l->read, l->copy, l->when);

	lt__cache_write(cache, LT_ENTRY_FACT, key, limits_key(r, l->threads, key), text, (size_t)n);
}

/* The first backend of the list decides whether it is a device. */
static lt_status limits_measure(struct run *r, struct run_limits *out)
{
	char first[256];
	struct machine_by by = { .cc = r->o.cc ? r->o.cc : "cc", .cc_timeout_ms = r->o.cc_timeout_ms, .backend = first,
		.quick = out->device };
	struct machine_peak *p = NULL;
	time_t now = time(NULL);
	struct tm tm;

	snprintf(first, sizeof first, "%.*s", (int)strcspn(r->backends, ","), r->backends);
	if (!out->device)
		strcpy(first, "ref");
	lt_status st = machine_peak_new(r->ctx, &by, &p);
	if (!st) {
		out->flops = machine_peak_measure_one(p, MACHINE_FLOPS, out->threads);
		out->read = machine_peak_measure_one(p, MACHINE_READ, out->threads);
		out->copy = machine_peak_measure_one(p, MACHINE_COPY, out->threads);
		gmtime_r(&now, &tm);
		strftime(out->when, sizeof out->when, "%Y-%m-%d", &tm);
	}
	machine_peak_free(p);
	return st;
}

lt_status run_limits_find(struct run *r, bool device, bool again, struct run_limits *out)
{
	struct lt_cache cache = { .fd = -1 };
	struct run_limits old = { 0 };

	*out = (struct run_limits){ .threads = (int)lt__host_threads((uint32_t)r->o.threads), .device = device };
	if (!device && r->cache_dir && lt__cache_open(r->ctx, &cache, r->cache_dir, true))
		lt_context_clear(r->ctx);
	if (cache.fd >= 0 && limits_recall(r, &cache, out) && !again) {
		lt__cache_close(&cache);
		return LT_OK;
	}
	old = *out;
	lt__phase(&r->phases, "measuring what this machine can do");
	lt_status st = limits_measure(r, out);
	lt__phase(&r->phases, NULL);
	if (st && st != LT_ENOMEM && st != LT_ECANCELLED) {     /* no compiler: the table goes without */
		snprintf(out->why, sizeof out->why, "%s", lt_context_message(r->ctx));
		out->why[strcspn(out->why, "\n")] = 0;
		lt_context_clear(r->ctx);
		st = LT_OK;
	} else if (!st) {
		out->flops = old.flops > out->flops ? old.flops : out->flops;
		out->read = old.read > out->read ? old.read : out->read;
		out->copy = old.copy > out->copy ? old.copy : out->copy;
		if (cache.fd >= 0)
			limits_keep(r, &cache, out);
	}
	lt__cache_close(&cache);
	return st;
}
