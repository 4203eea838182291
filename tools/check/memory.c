/* memory.c -- nothing grows: not over runs, nor over objects, sessions and refusals.
 *
 * What is counted are the bytes that the process has from malloc, whose every function a backend calls is in the same
 * process, and, for what comes from elsewhere, its resident pages and open files.  The first rounds are not counted:
 * they fill caches.
 */
#include <malloc.h>
#include <stdlib.h>
#include <unistd.h>
#include "tools/check/parts.h"

/* Of a build with a sanitizer that replaces malloc. */
size_t __sanitizer_get_current_allocated_bytes(void) __attribute__((weak));

struct level { int64_t bytes, pages, files; };

static int64_t open_files(void)
{
	int64_t n = 0;
	for (int fd = 0; fd < 512; fd++)
		n += lseek(fd, 0, SEEK_CUR) >= 0 || isatty(fd);
	return n;
}

/* A few freed blocks of each small size wait with their thread for the next call, and malloc counts them as in use; how
 * many there are changes for hundreds of rounds.  With as many taken as can wait none do, and what is taken is the same
 * each time. */
enum { SMALL_SIZES = 64, MAX_WAITING = 7 };
static int64_t bytes_in_use(void)
{
	void *taken[SMALL_SIZES * MAX_WAITING];
	for (int i = 0; i < SMALL_SIZES * MAX_WAITING; i++)
		taken[i] = malloc(24 + 16 * (size_t)(i / MAX_WAITING));
	struct mallinfo2 m = mallinfo2();
	for (int i = SMALL_SIZES * MAX_WAITING; i-- > 0; )
		free(taken[i]);
	return (int64_t)(m.uordblks + m.hblkhd);
}

static struct level level_now(void)
{
	struct level l = { .files = open_files() };
	FILE *f = fopen("/proc/self/statm", "r");
	long size = 0, resident = 0;
	if (f && fscanf(f, "%ld %ld", &size, &resident) == 2)
		l.pages = resident;
	if (f)
		(void)fclose(f);
	l.bytes = __sanitizer_get_current_allocated_bytes ? (int64_t)__sanitizer_get_current_allocated_bytes()
							  : bytes_in_use();
	return l;
}

/* The rounds are cut in windows, and what the window that grew least grew by counts: libraries and the loader fill
 * tables by steps, a leak is in each. */
enum { WINDOWS = 4 };
struct watch { struct level at[WINDOWS + 1]; };

/* Before round i, and after the last one. */
static void watch_look(struct watch *w, int64_t i, int64_t warm, int64_t rounds)
{
	for (int64_t k = 0; k <= WINDOWS; k++)
		if (i == warm + rounds * k / WINDOWS)
			w->at[k] = level_now();
}

static int64_t memory_min(int64_t a, int64_t b) { return a < b ? a : b; }

static bool stayed(struct check_outcome *out, const char *what, int64_t rounds, const struct watch *w)
{
	struct level grown = { INT64_MAX, INT64_MAX, INT64_MAX };
	int64_t n = rounds / WINDOWS, page = sysconf(_SC_PAGESIZE);
	for (int k = 0; k < WINDOWS; k++) {
		grown.bytes = memory_min(grown.bytes, w->at[k + 1].bytes - w->at[k].bytes);
		grown.pages = memory_min(grown.pages, w->at[k + 1].pages - w->at[k].pages);
		grown.files = memory_min(grown.files, w->at[k + 1].files - w->at[k].files);
	}
	if (grown.bytes >= n || grown.bytes > 4096)
		return lt__check_fail(out, "memory grows by %.4g bytes for each %s (at least %lld bytes over each %lld of %lld)",
			(double)grown.bytes / (double)n, what, (long long)grown.bytes, (long long)n, (long long)rounds);
	if (grown.pages * page > (1 << 20) && !__sanitizer_get_current_allocated_bytes)
		return lt__check_fail(out,
			"resident memory grows by %.4g bytes for each %s (at least %lld bytes over each %lld of %lld)",
			(double)(grown.pages * page) / (double)n, what, (long long)(grown.pages * page), (long long)n, (long long)rounds);
	if (grown.files > 0)
		return lt__check_fail(out, "files stay open: at least %lld more after each %lld of %lld %ss", (long long)grown.files,
			(long long)n, (long long)rounds, what);
	return true;
}

/* -- runs -- */

enum { RUNS = 10000, WARM = 200 };

bool lt__check_memory_runs(struct check_work *w, const struct check_trial *t)
{
	struct check_guarded guarded;
	struct check_args a = { .slot = NULL };
	struct lt_fault fault = { 0, -1, -1, 0 };
	int32_t nest = lt__check_nest(w);
	struct check_diagnostics diags = lt__check_listen();
	struct watch watch = { 0 };
	lt__check_guarded_new(w, NULL, &guarded);
	bool good = lt__check_guarded_run(&guarded, t, 0x5A, 0x5A, 1) && lt__check_args_new(&guarded, nest, 0, 1, &fault, &a);
	for (int i = 0; good && i <= WARM + RUNS; i++) {
		watch_look(&watch, i, WARM, RUNS);
		const struct lt_args args = a.args;
		good = lt__check_went(w->out, w->device->backend->run(w->object[nest], &args, &diags.diag), &diags, "run %d", i);
	}
	good = good && stayed(w->out, "run", RUNS, &watch);
	good = lt__check_args_end(w, &a) && good;
	lt__check_guarded_free(&guarded);
	return good;
}

/* -- objects -- */

enum { OBJECTS = 48, OBJECTS_WARM = 8 };

/* Compiled, run, destroyed: the same tree each time. */
bool lt__check_memory_objects(struct check_work *w, const struct check_trial *t)
{
	struct watch watch = { 0 };
	for (int i = 0; i <= OBJECTS_WARM + OBJECTS; i++) {
		watch_look(&watch, i, OBJECTS_WARM, OBJECTS);
		if (!lt__check_twin_run(w, NULL, t))
			return false;
	}
	return stayed(w->out, "object", OBJECTS, &watch);
}

/* -- sessions -- */

enum { SESSIONS = 60, SESSIONS_WARM = 10 };

bool lt__check_memory_sessions(struct check_device *d, struct check_outcome *out)
{
	struct watch watch = { 0 };
	struct check_device other;
	for (int i = 0; i <= SESSIONS_WARM + SESSIONS; i++) {
		watch_look(&watch, i, SESSIONS_WARM, SESSIONS);
		if (!lt__check_open_again(d, &other, out))
			return false;
		lt__check_close(&other);
	}
	return stayed(out, "session", SESSIONS, &watch);
}

/* -- refusals -- */

bool lt__check_memory_refusals(struct check_work *w, const struct check_trial *t)
{
	(void)t;
	const struct check_device *d = w->device;
	struct lt_tree tree = w->p->nests.frozen[lt__check_nest(w)].tree;
	struct watch watch = { 0 };
	tree.needs |= UINT64_C(1) << 63;
	for (int i = 0; i <= 100 + 1000; i++) {
		struct lt_session *session = NULL;
		struct check_diagnostics diags = lt__check_listen();
		watch_look(&watch, i, 100, 1000);
		(void)d->backend->accepts(d->session, &tree, &diags.diag);
		if (!d->backend->open(&d->host, "no_such_word_of_any_backend", &session, &diags.diag) && session)
			d->backend->close(session);
	}
	return stayed(w->out, "refusal", 1000, &watch);
}
