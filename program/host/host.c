/* host.c -- the services of the host (struct lt_host): threads, progress, messages, facts on disk. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/thread.h"
#include "program/host/host.h"

struct parallel_team {
	void (*body)(void *arg, uint32_t i, uint32_t n);
	void *arg;
	uint32_t n;                     /* threads that there are; known when `ready` is free */
	pthread_mutex_t ready;
};
struct parallel_member { struct parallel_team *team; uint32_t i; pthread_t thread; };

static void *parallel_main(void *member)
{
	const struct parallel_member *m = member;
	(void)pthread_mutex_lock(&m->team->ready);
	(void)pthread_mutex_unlock(&m->team->ready);
	m->team->body(m->team->arg, m->i, m->team->n);
	return NULL;
}

/* Threads of their own, not the pool's, which promise that they all run, but not that they run at once.  Nobody begins
 * before it is known how many the system gives. */
void lt__host_parallel(
	const struct lt_host *host, uint32_t n_thread, void (*body)(void *arg, uint32_t i, uint32_t n), void *arg)
{
	enum { MAX_THREADS = 256 };
	uint32_t n_max = lt__processors() > MAX_THREADS ? lt__processors() : MAX_THREADS;
	struct parallel_team team = { .body = body, .arg = arg, .n = 1 };
	struct parallel_member *m = NULL;
	(void)host;
	n_max = n_thread < n_max ? n_thread : n_max;
	if (n_max > 1)
		m = calloc(n_max, sizeof *m);
	if (!m || pthread_mutex_init(&team.ready, NULL)) {
		free(m);
		body(arg, 0, 1);
		return;
	}
	(void)pthread_mutex_lock(&team.ready);
	for (; team.n < n_max; team.n++) {
		m[team.n] = (struct parallel_member){ .team = &team, .i = team.n };
		if (lt__thread_start(&m[team.n].thread, parallel_main, &m[team.n]))
			break;
	}
	(void)pthread_mutex_unlock(&team.ready);
	body(arg, 0, team.n);
	for (uint32_t i = 1; i < team.n; i++)
		(void)pthread_join(m[i].thread, NULL);
	(void)pthread_mutex_destroy(&team.ready);
	free(m);
}

uint32_t lt__host_threads(uint32_t n)
{
	return n ? n : lt__processors();
}

/* A backend counts the trees that it was given; the program's kernels are those of all backends, and those from the
 * cache.  Before these are known, it counts what it builds to say what it takes. */
static void progress(void *user, int32_t done, int32_t total)
{
	const struct lt_services *s = user;
	s->options->progress(s->options->user, s->n_done + done, s->n_kernel ? s->n_kernel : total);
}

static void log_(const struct lt_host *host, enum lt_log level, const char *text)
{
	const struct lt_services *s = host->user;
	s->options->log(s->options->user, (int)level, text);
}

/* A backend keeps a library's plan under a key whose first line is "NAME plan". */
static enum lt_entry kind_of(const char *key, size_t bytes)
{
	static const char ends[] = " plan";
	const char *line = memchr(key, '\n', bytes);
	const size_t n = line ? (size_t)(line - key) : 0;
	return n > sizeof ends - 1 && memcmp(line - (sizeof ends - 1), ends, sizeof ends - 1) == 0 ? LT_ENTRY_PLAN
		: LT_ENTRY_FACT;
}

static lt_status recall(const struct lt_host *host, const void *key, size_t key_bytes, lt_write *write, void *user)
{
	struct lt_services *s = host->user;
	size_t bytes;
	errno = 0;
	const enum lt_entry kind = kind_of(key, key_bytes);
	char *data = lt__cache_read(&s->cache, kind, key, key_bytes, &bytes);
	if (!data)
		return errno == ENOMEM ? LT_ENOMEM : LT_EMISSING;
	if (kind == LT_ENTRY_PLAN)
		(void)atomic_fetch_add(&s->n_plan_read, 1);
	write(user, data, bytes);
	free(data);
	return LT_OK;
}

static void host_keep(const struct lt_host *host, const void *key, size_t key_bytes, const void *data, size_t bytes)
{
	struct lt_services *s = host->user;
	const enum lt_entry kind = kind_of(key, key_bytes);
	if (kind == LT_ENTRY_PLAN)
		(void)atomic_fetch_add(&s->n_plan_kept, 1);
	lt__cache_write(&s->cache, kind, key, key_bytes, data, bytes);
}

static void warn(void *user, const char *text)
{
	const struct lt_services *s = user;
	if (s->options->log)
		s->options->log(s->options->user, LT_LOG_WARNING, text);
}

/* A folder that was named by mistake, or that others may put code in, is an error, unless the caller can do without. */
static lt_status open_cache(struct lt_services *s, struct lt_arena *a)
{
	const char *dir = s->options->cache_dir;
	s->cache.warn = warn;
	s->cache.user = s;
	if (!dir || s->options->plan_only)
		return LT_OK;
	lt_status status = lt__cache_open(s->ctx, &s->cache, dir, true);
	if (status == LT_EIO && !s->options->cache_optional)
		return lt_fail(s->ctx, LT_EIO, "the cache folder %s", lt_context_message(s->ctx));
	if (status == LT_ENOMEM)
		return status;
	if (status) {
		s->cache_why = lt__arena_string(a, lt_context_message(s->ctx));
		lt_context_clear(s->ctx);
	}
	return LT_OK;
}

static void running(const struct lt_host *host, const char *name)
{
	const struct lt_services *s = host->user;
	s->options->running(s->options->user, name);
}

static int cancelled(const struct lt_host *host)
{
	const struct lt_services *s = host->user;
	return s->options->cancelled(s->options->user);
}

lt_status lt__cancelled(const struct lt_services *s)
{
	return s->options->cancelled && s->options->cancelled(s->options->user)
		? lt_fail(s->ctx, LT_ECANCELLED, "compiling was cancelled")
		: LT_OK;
}

lt_status lt__host_open(struct lt_services *s, struct lt_context *ctx, const struct lt_options *o, struct lt_arena *a)
{
	s->ctx = ctx;
	s->options = o;
	LT_TRY(open_cache(s, a));
	const bool cache = s->cache.fd >= 0;
	s->parallel_for = o->no_affinity ? lt__host_parallel_for_anywhere : lt__host_parallel_for;
	s->host = (struct lt_host){ .size = sizeof s->host,
		.n_thread = o->n_thread,
		.cc = o->cc,
		.temp_dir = o->temp_dir,
		.user = s,
		.progress = o->progress ? progress : NULL,
		.log = o->log ? log_ : NULL,
		.parallel = lt__host_parallel,
		.recall = cache ? recall : NULL,
		.keep = cache ? host_keep : NULL,
		.cancelled = o->cancelled ? cancelled : NULL,
		.cc_timeout_ms = o->cc_timeout_ms,
		.text_only = o->source_only || o->plan_only,
		.parallel_for = s->parallel_for,
		.kernel_step = o->kernel_step,
		.running = o->running ? running : NULL };
	return LT_OK;
}
