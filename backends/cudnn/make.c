/* make.c -- plans are made: of equal forms one, whoever asks for it; those of several calls at once, on the host's
 * threads; each tried on the device, one at a time, before it is used; kept by the host once it has been found right.
 *
 * What is being made stands in the session's list, so that who wants the same waits for it.  The host is asked and told
 * by the thread that called the backend alone; the others load and build.
 */
#define _GNU_SOURCE 1
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "backends/backends.h"
#include "backends/cudnn/cudnn.h"
#include "base/hash.h"

/* What the host keeps begins with it; sum: of everything behind; timed: the plan is the fastest of so many. */
struct cudnn_head { char magic[8]; uint64_t sum, bytes; int64_t engine, timed; };
static const char magic[8] = "LTCUDNN";
struct kept { char *at; size_t n; };
/* What a library's call reports on a thread whose caller hears it later. */
struct cudnn_heard { struct lt_diag diag; char text[600]; };
/* A plan that this call of the backend makes. */
struct cudnn_job {
	const struct lt_cudnn_wish *w;
	struct lt_cudnn_plan *plan;     /* in the session's list; NULL: there is one, or somebody else makes it */
	struct kept kept;               /* by the host; tried once */
	int next;                       /* the configuration that is built next */
	int n_good;                     /* that were timed, the fastest of which is: */
	struct lt_cudnn_plan best;
	double best_us;
	bool loaded, ended;
	bool poor;                      /* the device had no room for the workspace of one */
	lt_status status;               /* of the last configuration; LT_EMISSING: there are no more */
	struct cudnn_heard heard;
};
struct cudnn_team {
	struct lt_session *s;
	struct cudnn_job **job;
	uint32_t n;
	int32_t ended, total;           /* of all jobs, for progress */
	atomic_uint next;               /* the job that is begun next */
	atomic_bool stopped;
	pthread_mutex_t lock;           /* of built */
	pthread_cond_t more;
	uint32_t built;
};

/* ---- kept by the host ---- */

static uint64_t sum_of(const struct cudnn_head *h, const char *text)
{
	enum { FROM = offsetof(struct cudnn_head, bytes) };
	return lt__hash_more(lt__hash_more(LT_HASH_BEGIN, (const char *)h + FROM, sizeof *h - FROM), text, h->bytes);
}

static void kept_add(void *user, const char *data, size_t bytes)
{
	struct kept *k = user;
	char *grown = realloc(k->at, k->n + bytes + 1);
	if (!grown)
		return;                 /* what is short is damaged */
	memcpy(grown + k->n, data, bytes);
	k->at = grown;
	k->n += bytes;
}

static struct kept host_recall(const struct lt_session *s, const char *key)
{
	struct kept k = { NULL, 0 };
	if (LT_HAS(struct lt_host, s->host, recall))
		(void)s->host->recall(s->host, key, strlen(key), kept_add, &k);
	return k;
}

/* Of how many plans the fastest is asked for. */
static int64_t wanted(const struct lt_session *s) { return s->config.tries > 1 ? s->config.tries : 1; }

/* what: "cuDNN's engine 12 is not used".  The graph is many lines, which are for who asks for all that is said. */
static void warn(const struct lt_session *s, const struct cudnn_job *j, const char *what, const char *why)
{
	char text[3000];
	if (!LT_HAS(struct lt_host, s->host, log))
		return;
	(void)snprintf(text, sizeof text, "%s: %s (kernel %s)", what, why, cuda_name(j->w->tree));
	s->host->log(s->host, LT_LOG_WARNING, text);
	(void)snprintf(text, sizeof text, "that plan is for\n%s", j->plan->key);
	s->host->log(s->host, LT_LOG_DEBUG, text);
}
static void warn_of_kept(const struct lt_session *s, const struct cudnn_job *j, const char *why)
{
	warn(s, j, "a plan of cuDNN's in the cache is not used, and built again", why);
}
static void warn_of_engine(const struct lt_session *s, const struct cudnn_job *j, const char *why)
{
	char what[80];
	(void)snprintf(what, sizeof what, "cuDNN's engine %lld is not used", (long long)j->plan->engine);
	warn(s, j, what, why);
}

/* What is kept is damaged, or the library does not take it any more: it is built again, and a warning says so.  Of
 * fewer plans the fastest than are asked for: it is no mistake. */
static bool plan_load(struct lt_session *s, const struct cudnn_job *j)
{
	const struct kept *k = &j->kept;
	struct lt_cudnn_plan *p = j->plan;
	struct cudnn_head h;
	if (!k->n)
		return false;
	if (k->n >= sizeof h)
		memcpy(&h, k->at, sizeof h);
	if (k->n < sizeof h || memcmp(h.magic, magic, sizeof magic) != 0 || h.bytes != k->n - sizeof h
		|| h.sum != sum_of(&h, k->at + sizeof h)) {
		warn_of_kept(s, j, "it is damaged");
		return false;
	}
	if (h.timed < wanted(s))
		return false;
	if (lt__cudnn_plan_load(cudnn_of(s), k->at + sizeof h, h.bytes, p)) {
		warn_of_kept(s, j, "the library does not take it");
		return false;
	}
	p->engine = h.engine;
	return true;
}

/* Where the device had no room for one before it, another process may. */
static void plan_keep(struct lt_session *s, const struct cudnn_job *j, int64_t timed)
{
	const struct lt_cudnn_plan *p = j->plan;
	char *text;
	size_t bytes;
	if (j->poor || !LT_HAS(struct lt_host, s->host, keep) || lt__cudnn_plan_save(cudnn_of(s), p, &text, &bytes))
		return;                 /* it is built again */
	struct cudnn_head h = { .bytes = bytes, .engine = p->engine, .timed = timed };
	char *all = malloc(sizeof h + bytes);
	memcpy(h.magic, magic, sizeof magic);
	h.sum = sum_of(&h, text);
	if (all) {
		memcpy(all, &h, sizeof h);
		memcpy(all + sizeof h, text, bytes);
		s->host->keep(s->host, p->key, strlen(p->key), all, sizeof h + bytes);
	}
	free(all);
	free(text);
}

static char *key_of(const struct lt_session *s, const struct lt_cudnn_wish *w)
{
	char *key = NULL;
	size_t bytes;
	FILE *to = open_memstream(&key, &bytes);
	if (!to)
		return NULL;
	(void)fprintf(to, "cudnn plan\nlibrary %u\ndevice %s %s %d multiprocessors %u\n",
		(unsigned)cudnn_of(s)->version, s->facts.name, s->facts.arch, s->facts.minor,
		(unsigned)s->target.multiprocessors);
	if (w->first)
		(void)fprintf(to, "engine %lld first\n", (long long)w->first->engine);
	lt__cudnn_form_text(w, to);
	if (fclose(to)) {
		free(key);
		return NULL;
	}
	return key;
}

/* ---- tried ---- */

static bool is_lost(struct lt_session *s)
{
	(void)pthread_mutex_lock(&s->lock);
	const bool lost = s->lost != CUDA_SUCCESS;
	(void)pthread_mutex_unlock(&s->lock);
	return lost;
}

/* A plan that reads astray loses the device for the whole process, or ends it: what is under trial is written down,
 * with the process that tries it.  One that lost a device is not tried again, nor is one whose trial two processes did
 * not survive: one may have been ended by its user meanwhile. */
static char *mark_of(const struct lt_cudnn_plan *p)
{
	const size_t bytes = strlen(p->key) + 60;
	char *mark = malloc(bytes);
	if (mark)
		(void)snprintf(mark, bytes, "cudnn trial of engine %lld\n%s", (long long)p->engine, p->key);
	return mark;
}

/* What the next trial is written down as; NULL: there is none. */
static const char *next_trial(const struct lt_session *s, const char *mark)
{
	struct kept k = mark ? host_recall(s, mark) : (struct kept){ NULL, 0 };
	char was[12] = "";
	int by = 0;
	if (k.at) {
		k.at[k.n] = '\0';               /* there is room for it */
		(void)sscanf(k.at, "%11s %d", was, &by);
	}
	free(k.at);
	const bool survived = by <= 0 || kill(by, 0) == 0 || errno == EPERM;
	return strcmp(was, "lost") == 0 || (strcmp(was, "again") == 0 && !survived) ? NULL
		: strcmp(was, "again") == 0 || (strcmp(was, "begun") == 0 && !survived) ? "again" : "begun";
}

static void write_mark(const struct lt_session *s, const char *mark, const char *what)
{
	char text[40];
	(void)snprintf(text, sizeof text, "%s %d", what, (int)getpid());
	if (mark && LT_HAS(struct lt_host, s->host, keep))
		s->host->keep(s->host, mark, strlen(mark), text, strlen(text));
}

/* false with LT_OK: the next one takes its place. */
static bool plan_is_good(struct lt_session *s, struct cudnn_job *j, struct lt_diag *diag)
{
	char *mark = mark_of(j->plan), why[300];
	const char *next = next_trial(s, mark);
	if (!next) {
		warn_of_engine(s, j, "when it was tried last the device was lost, or the process ended");
		free(mark);
		return false;
	}
	write_mark(s, mark, next);
	lt_status tried = lt__cudnn_verify(s, j->w, j->plan, why, sizeof why, diag);
	write_mark(s, mark, is_lost(s) ? "lost" : "done");
	free(mark);
	j->poor = j->poor || tried == LT_EBUDGET;
	if (tried == LT_EMISSING || tried == LT_EBUDGET)
		warn_of_engine(s, j, why);
	else
		j->status = tried;
	return !tried;
}

/* What the library has made of `from`, which keeps its key and its zeros. */
static void plan_move(struct lt_cudnn *d, struct lt_cudnn_plan *to, struct lt_cudnn_plan *from)
{
	lt__cudnn_plan_drop(d, to);
	to->plan = from->plan;
	to->part = from->part;
	to->n_part = from->n_part;
	to->engine = from->engine;
	to->workspace = from->workspace;
	from->plan = NULL;
	from->part = NULL;
	from->n_part = 0;
}

/* One that is right: it is what was asked for, or one of those of which the fastest is. */
static lt_status job_take(struct lt_session *s, struct cudnn_job *j, struct lt_diag *diag)
{
	struct lt_cudnn *d = cudnn_of(s);
	double us;
	if (wanted(s) == 1) {
		j->ended = true;
		plan_keep(s, j, 1);
		return LT_OK;
	}
	lt_status status = lt__cudnn_time(s, j->w, j->plan, &us, diag);
	if (status)
		return status;
	if (!j->n_good || us < j->best_us) {
		j->best_us = us;
		plan_move(d, &j->best, j->plan);
	}
	j->ended = ++j->n_good == wanted(s);
	return LT_OK;
}

/* What was built or loaded last: whether the job has ended with it. */
static void job_try(struct lt_session *s, struct cudnn_job *j, struct lt_diag *diag)
{
	struct lt_cudnn *d = cudnn_of(s);
	if (j->status && j->status != LT_EMISSING)
		(void)lt__report(diag, j->status, -1, -1, NULL, "%s", j->heard.text);
	j->ended = j->status || j->loaded;
	if (!j->ended) {
		(void)pthread_mutex_lock(&d->trial);
		j->status = lt__cudnn_handle(d, &d->handle, diag);
		if (!j->status && plan_is_good(s, j, diag))
			j->status = job_take(s, j, diag);
		(void)pthread_mutex_unlock(&d->trial);
		j->ended = j->ended || j->status;
		if (!j->ended || j->n_good)
			lt__cudnn_plan_drop(d, j->plan);
	}
	if (!j->ended || !j->n_good || (j->status && j->status != LT_EMISSING))
		return;
	plan_move(d, j->plan, &j->best);
	plan_keep(s, j, j->status ? INT64_MAX : wanted(s));       /* of all that there are */
	j->status = LT_OK;
}

/* ---- built ---- */

static void hear(struct lt_diag *diag, const struct lt_diagnostic *n)
{
	struct cudnn_heard *h = (struct cudnn_heard *)(void *)diag;
	(void)snprintf(h->text, sizeof h->text, "%s", n->text);
}

/* One for each thread that builds, for as long as it does. */
static lt_status handle_take(struct lt_cudnn *d, cudnnHandle_t *out, struct lt_diag *diag)
{
	(void)pthread_mutex_lock(&d->lock);
	*out = d->n_idle ? d->idle[--d->n_idle] : NULL;
	(void)pthread_mutex_unlock(&d->lock);
	return lt__cudnn_handle(d, out, diag);
}

static void handle_give(struct lt_cudnn *d, cudnnHandle_t handle)
{
	(void)pthread_mutex_lock(&d->lock);
	const bool keeps = d->n_idle < LT_CUDNN_BUILDERS;
	if (keeps)
		d->idle[d->n_idle++] = handle;
	(void)pthread_mutex_unlock(&d->lock);
	if (!keeps)
		(void)d->api.destroy(handle);
}

static void job_build(struct lt_session *s, struct cudnn_job *j)
{
	struct lt_cudnn *d = cudnn_of(s);
	cudnnHandle_t handle;
	j->heard = (struct cudnn_heard){ .diag = { sizeof j->heard.diag, hear } };
	j->status = lt__cuda_enter(s, &j->heard.diag);
	if (j->status)
		return;
	j->status = handle_take(d, &handle, &j->heard.diag);
	if (!j->status) {
		int count = 0;
		j->plan->handle = handle;
		j->loaded = plan_load(s, j);
		free(j->kept.at);
		j->kept = (struct kept){ NULL, 0 };
		if (!j->loaded) {
			j->status = lt__cudnn_plan_new(d, j->w, j->next, j->plan, &count, &j->heard.diag);
			j->plan->count = j->next = count;
		}
		handle_give(d, handle);
	}
	lt__cuda_leave(s);
}

static bool is_cancelled(const struct lt_session *s)
{
	return LT_HAS(struct lt_host, s->host, cancelled) && s->host->cancelled(s->host);
}

static void show_progress(const struct cudnn_team *t, uint32_t built)
{
	if (LT_HAS(struct lt_host, t->s->host, progress))
		t->s->host->progress(t->s->host->user, t->ended + (int32_t)built, t->total);
}

/* The thread that called the backend, while the others build: a build cannot be interrupted, and takes seconds. */
static void watch(struct cudnn_team *t)
{
	uint32_t shown = 0;
	(void)pthread_mutex_lock(&t->lock);
	while (t->built < t->n && !atomic_load(&t->stopped)) {
		struct timespec until;
		(void)clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += 50000000;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
		(void)pthread_cond_timedwait(&t->more, &t->lock, &until);
		const uint32_t built = t->built;
		(void)pthread_mutex_unlock(&t->lock);
		if (is_cancelled(t->s))
			atomic_store(&t->stopped, true);
		if (built > shown)
			show_progress(t, shown = built);
		(void)pthread_mutex_lock(&t->lock);
	}
	(void)pthread_mutex_unlock(&t->lock);
}

static void build_some(void *arg, uint32_t i, uint32_t n)
{
	struct cudnn_team *t = arg;
	if (i == 0 && n > 1) {
		watch(t);
		return;
	}
	for (uint32_t k; (k = atomic_fetch_add(&t->next, 1)) < t->n; ) {
		if (n == 1 && is_cancelled(t->s))
			atomic_store(&t->stopped, true);
		if (atomic_load(&t->stopped))
			t->job[k]->status = LT_ECANCELLED;
		else
			job_build(t->s, t->job[k]);
		(void)pthread_mutex_lock(&t->lock);
		const uint32_t built = ++t->built;
		(void)pthread_cond_signal(&t->more);
		(void)pthread_mutex_unlock(&t->lock);
		if (n == 1)
			show_progress(t, built);
	}
}

/* The next configuration of each; no job may have ended. */
static void build_all(struct cudnn_team *t)
{
	const struct lt_host *host = t->s->host;
	uint32_t builders = LT_HAS(struct lt_host, host, n_thread) ? host->n_thread : 1;
	builders = builders < t->n ? builders : t->n;
	builders = builders < LT_CUDNN_BUILDERS ? builders : LT_CUDNN_BUILDERS;
	atomic_store(&t->next, 0);
	t->built = 0;
	if (t->n > 1 && LT_HAS(struct lt_host, host, parallel))
		host->parallel(host, 1 + builders, build_some, t);
	else
		build_some(t, 0, 1);
}

/* ---- plans ---- */

/* With the lock. */
static struct lt_cudnn_plan *plan_find(const struct lt_cudnn *d, const char *key)
{
	struct lt_cudnn_plan *p = d->plans;
	while (p && strcmp(p->key, key) != 0)
		p = p->next;
	return p;
}

static void plan_unlist(struct lt_cudnn *d, const struct lt_cudnn_plan *p)
{
	struct lt_cudnn_plan **at = &d->plans;
	while (*at != p)
		at = &(*at)->next;
	*at = p->next;
}

/* Into the list, unless it is there. */
static lt_status job_begin(struct lt_session *s, struct cudnn_job *j, struct lt_diag *diag)
{
	struct lt_cudnn *d = cudnn_of(s);
	struct lt_cudnn_plan *p = calloc(1, sizeof *p);
	if (p)
		p->key = key_of(s, j->w);
	if (!p || !p->key) {
		free(p);
		return lt__report(diag, LT_ENOMEM, -1, -1, NULL, "no memory for a plan");
	}
	p->state = LT_CUDNN_MAKING;
	(void)pthread_mutex_lock(&d->lock);
	const bool known = plan_find(d, p->key);
	if (!known) {
		p->next = d->plans;
		d->plans = p;
	}
	(void)pthread_mutex_unlock(&d->lock);
	if (known) {
		lt__cudnn_plan_free(d, p);
		free(p);
		return LT_OK;
	}
	j->plan = p;
	j->kept = host_recall(s, p->key);
	return j->status = lt__cudnn_constants(s, j->w, p, diag);
}

/* Who waits for it goes on: with the plan, with none if the library has none, or to make it himself. */
static void job_end(struct lt_session *s, struct cudnn_job *j)
{
	struct lt_cudnn *d = cudnn_of(s);
	struct lt_cudnn_plan *p = j->plan;
	free(j->kept.at);
	lt__cudnn_plan_drop(d, &j->best);
	if (!p)
		return;
	const bool stays = j->ended && (!j->status || j->status == LT_EMISSING);
	if (!stays || j->status) {
		(void)pthread_mutex_lock(&s->lock);
		if (p->zeros)
			lt__cuda_pool_free(&s->pool, p->zeros);
		if (p->ones)
			lt__cuda_pool_free(&s->pool, p->ones);
		(void)pthread_mutex_unlock(&s->lock);
		p->zeros = p->ones = 0;
		lt__cudnn_plan_drop(d, p);
	}
	(void)pthread_mutex_lock(&d->lock);
	p->state = stays && !j->status ? LT_CUDNN_MADE : LT_CUDNN_NONE;
	if (!stays)
		plan_unlist(d, p);
	(void)pthread_cond_broadcast(&d->made);
	(void)pthread_mutex_unlock(&d->lock);
	if (!stays) {
		lt__cudnn_plan_free(d, p);
		free(p);
	}
}

/* Round after round, until each has a plan or the library has no more. */
static lt_status jobs_run(struct cudnn_team *t, struct lt_diag *diag)
{
	lt_status status = LT_OK;
	while (!status && t->n) {
		uint32_t left = 0;
		build_all(t);
		if (is_cancelled(t->s))
			atomic_store(&t->stopped, true);
		for (uint32_t i = 0; i < t->n && !status; i++) {
			if (atomic_load(&t->stopped) || t->job[i]->status == LT_ECANCELLED) {
				status = lt__report(diag, LT_ECANCELLED, -1, -1, NULL, "building plans was cancelled");
				break;
			}
			job_try(t->s, t->job[i], diag);
			if (t->job[i]->ended && t->job[i]->status && t->job[i]->status != LT_EMISSING)
				status = t->job[i]->status;
			if (t->job[i]->ended)
				t->ended++;
			else
				t->job[left++] = t->job[i];
			if (is_cancelled(t->s))
				atomic_store(&t->stopped, true);
		}
		t->n = left;
	}
	return status;
}

lt_status lt__cudnn_plans(struct lt_session *s, const struct lt_cudnn_wish *w, uint32_t n, struct lt_diag *diag)
{
	struct cudnn_team t = { .s = s, .lock = PTHREAD_MUTEX_INITIALIZER, .more = PTHREAD_COND_INITIALIZER };
	struct cudnn_job *job = calloc(n + 1, sizeof *job);
	lt_status status = LT_OK;
	t.job = calloc(n + 1, sizeof *t.job);
	if (!job || !t.job)
		status = lt__report(diag, LT_ENOMEM, -1, -1, NULL, "no memory for %u plans", (unsigned)n);
	for (uint32_t i = 0; i < n && !status; i++) {
		job[i].w = &w[i];
		status = job_begin(s, &job[i], diag);
		if (job[i].plan)
			t.job[t.n++] = &job[i];
	}
	t.total = (int32_t)t.n;
	if (!status)
		status = jobs_run(&t, diag);
	for (uint32_t i = 0; job && i < n; i++)
		job_end(s, &job[i]);
	free(job);
	free(t.job);
	(void)pthread_mutex_destroy(&t.lock);
	(void)pthread_cond_destroy(&t.more);
	return status;
}

lt_status lt__cudnn_plan_for(struct lt_session *s, const struct lt_cudnn_wish *w, const struct lt_cudnn_plan **out,
	struct lt_diag *diag)
{
	struct lt_cudnn *d = cudnn_of(s);
	char *key = key_of(s, w);
	lt_status status = key ? LT_OK : lt__report(diag, LT_ENOMEM, -1, -1, NULL, "no memory for a plan");
	*out = NULL;
	while (!status && !*out) {
		const struct lt_cudnn_plan *p;
		(void)pthread_mutex_lock(&d->lock);
		while ((p = plan_find(d, key)) && p->state == LT_CUDNN_MAKING)
			(void)pthread_cond_wait(&d->made, &d->lock);
		(void)pthread_mutex_unlock(&d->lock);
		*out = p;
		if (!p)
			status = lt__cudnn_plans(s, w, 1, diag);
	}
	free(key);
	return status;
}

void lt__cudnn_plans_free(struct lt_cudnn *d)
{
	for (struct lt_cudnn_plan *p; (p = d->plans); ) {
		d->plans = p->next;             /* its zeros are the pool's, which gives all back */
		lt__cudnn_plan_free(d, p);
		free(p);
	}
	while (d->n_idle)
		(void)d->api.destroy(d->idle[--d->n_idle]);
}
