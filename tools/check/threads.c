/* threads.c -- sessions side by side, on threads of their own and in turn; objects on several threads. */
#include <pthread.h>
#include <string.h>
#include "tools/check/parts.h"

enum { N = 2, RUNS = 40, PARALLEL_RUNS = 20, TRIES = 40 };

/* A session with an object and data of its own; on a thread, or taking turns.  Or data of its own for objects that
 * all sides share. */
struct thread_side {
	struct check_device device;
	struct check_outcome out;
	struct check_work w;
	struct check_trial t;
	pthread_barrier_t *start;
	pthread_mutex_t *judging;       /* a context is one thread's, and they may share it */
	uint32_t n_thread;
	bool ready, is_compiled;
	/* In turn: */
	struct check_guarded guarded;
	struct check_args args;
	struct lt_fault fault;
};

/* All sides begin each run at once, however busy the machine is; one that has failed waits with the others, too. */
static bool run_together(struct thread_side *s, int i)
{
	struct check_guarded guarded = { 0 };
	bool good = s->ready;
	if (good) {
		lt__check_guarded_new(&s->w, NULL, &guarded);
		good = lt__check_guarded_fill(&guarded, s->t.data, i % 2 ? 0xFF : 0x5A);
	}
	(void)pthread_barrier_wait(s->start);
	good = good && lt__check_launch(&guarded, i % 2 ? 0x5A : 0xFF, s->n_thread, &s->fault);
	(void)pthread_mutex_lock(s->judging);
	good = good && lt__check_guarded_stand(&guarded, s->t.data) && lt__check_guarded_judge(&guarded, &s->t);
	(void)pthread_mutex_unlock(s->judging);
	lt__check_guarded_free(&guarded);
	return good;
}

static void *run_side(void *user)
{
	struct thread_side *s = user;
	(void)pthread_barrier_wait(s->start);
	s->ready = s->ready && (s->is_compiled || lt__check_work_compile(&s->w));
	for (int i = 0; i < (s->n_thread > 1 ? PARALLEL_RUNS : RUNS); i++)
		s->ready = run_together(s, i);
	return NULL;
}

/* One of the sides is on this thread. */
static void run_sides(struct thread_side *side, struct check_outcome *out)
{
	pthread_mutex_t judging = PTHREAD_MUTEX_INITIALIZER;
	pthread_barrier_t start;
	pthread_t other;
	(void)pthread_barrier_init(&start, NULL, N);
	for (int i = 0; i < N; i++) {
		side[i].start = &start;
		side[i].judging = &judging;
	}
	int error = pthread_create(&other, NULL, run_side, &side[1]);
	if (error) {
		(void)lt__check_fail(out, "it was not run: no thread can be made: %s", strerror(error));
	} else {
		(void)run_side(&side[0]);
		(void)pthread_join(other, NULL);
	}
	(void)pthread_barrier_destroy(&start);
}

static bool has_threads(struct check_outcome *out)
{
	return lt__check_has.threads
		|| lt__check_end(out, CHECK_SKIPPED, "there is one thread here, and no other can be made");
}

/* -- sessions at once -- */

static bool has_parallel(const struct lt_program *p)
{
	for (int32_t i = 0; i < p->plan.n_run; i++)
		for (int32_t l = 0; p->plan.run[i].kind == LT_STEP_RUN && l < p->nests.frozen[p->plan.run[i].nest].tree.n_loop; l++)
			if (LT_AT(struct lt_loop, p->nests.frozen[p->plan.run[i].nest].tree.loops, l)->kind == LT_PARALLEL)
				return true;
	return false;
}

/* The first drawn tree that the backend takes and that has parallel loops; the same for each side. */
static bool open_parallel(const struct check_case *c, uint64_t seed, struct thread_side *s)
{
	struct check_case drawn = *c;
	drawn.spec.schedule = CHECK_DRAWN;
	for (uint64_t i = 0; i < TRIES; i++) {
		bool taken = lt__check_work_open(&s->w, &s->device, &drawn, i, &s->out);
		s->w.seed = seed;
		if ((taken && has_parallel(s->w.p)) || (s->out.done && s->out.status == CHECK_FAILED))
			return taken;
		lt__check_work_close(&s->w);
		s->out = (struct check_outcome){ .done = false };
	}
	return lt__check_end(&s->out, CHECK_REFUSED, "no tree with parallel loops is accepted");
}

static bool open_side(const struct check_device *d, const struct check_case *c, uint64_t seed, uint32_t n_thread,
	struct thread_side *s)
{
	*s = (struct thread_side){ .n_thread = n_thread };
	return lt__check_open_again(d, &s->device, &s->out)
		&& (n_thread > 1 ? open_parallel(c, seed, s) : lt__check_work_open(&s->w, &s->device, c, seed, &s->out))
		&& lt__check_trial_new(&s->w, 0, seed, &s->t);
}

/* What became of it is of the clause, too. */
static void close_side(struct thread_side *s, const char *kernel, const char *how, struct check_outcome *out)
{
	if (out && s->out.done && s->out.status == CHECK_FAILED)
		(void)lt__check_fail(out, "kernel %s in one of the sessions that %s: %s", kernel, how, s->out.text);
	lt__check_guarded_free(&s->guarded);
	lt__check_trial_free(&s->w, &s->t);
	lt__check_work_close(&s->w);
	lt__check_close(&s->device);
}

/* The same tree in two sessions at once, with data of their own: what is shared between them shows.  How many were
 * refused. */
static int run_sessions(
	struct check_device *d, const struct check_case *c, uint32_t n_thread, struct check_outcome *out)
{
	struct thread_side side[N];
	char how[60];
	int refused = 0;
	for (int i = 0; i < N; i++)
		side[i].ready = open_side(d, c, d->seed + (uint64_t)i, n_thread, &side[i]);
	run_sides(side, out);
	(void)snprintf(how, sizeof how, "run at once, each on %u threads", (unsigned)n_thread);
	for (int i = 0; i < N; i++) {
		refused += side[i].out.done && side[i].out.status == CHECK_REFUSED;
		close_side(&side[i], c->name, how, out);
	}
	return refused;
}

/* At last by a drawn tree with parallel loops, on threads. */
bool lt__check_threads_sessions(struct check_device *d, struct check_outcome *out)
{
	static const unsigned which[] = { CHECK_S_SOFTMAX, CHECK_S_SUM, CHECK_S_CHAIN, CHECK_S_PRODUCT };
	enum { KINDS = sizeof which / sizeof *which };
	int refused = 0;
	if (!has_threads(out))
		return false;
	for (int i = 0; i < KINDS && !out->done; i++)
		refused += run_sessions(d, lt__check_sample(which[i]), i == KINDS - 1 ? 2 : 1, out);
	return refused < N * KINDS || lt__check_end(out, CHECK_REFUSED, "none of the kernels is accepted");
}

/* -- one session on several threads -- */

bool lt__check_threads_promised(struct check_device *d, struct check_outcome *out)
{
	if (!has_threads(out))
		return false;
	if (!LT_HAS(struct lt_caps, d->caps, promises) || !(d->caps->promises & LT_PROMISE_RUN_TOGETHER))
		return lt__check_end(out, CHECK_SKIPPED, "it is not promised (LT_PROMISE_RUN_TOGETHER)");
	return !LT_HAS(struct lt_caps, d->caps, device_memory)
		|| lt__check_end(out, CHECK_SKIPPED, "it is not tried on device memory");
}

/* The objects of one session on two threads at once, with memory of their own, give what they give alone.  Each thread
 * has data of its own: those of the trial that the sample comes with are left alone. */
bool lt__check_threads_together(struct check_work *w, const struct check_trial *sample)
{
	struct thread_side side[N];
	(void)sample;
	for (int i = 0; i < N; i++) {
		side[i] = (struct thread_side){ .w = *w, .n_thread = 1, .is_compiled = true };
		side[i].w.out = &side[i].out;
		side[i].ready = lt__check_trial_new(&side[i].w, 0, w->seed + (uint64_t)i, &side[i].t);
	}
	run_sides(side, w->out);
	for (int i = 0; i < N; i++) {
		if (side[i].out.done)
			(void)lt__check_end(w->out, side[i].out.status,
				"on thread %d of %d that run objects of one session at once: %s", i + 1, N, side[i].out.text);
		lt__check_trial_free(&side[i].w, &side[i].t);
	}
	return !w->out->done;
}

bool lt__check_threads_number(struct check_work *w, const struct check_trial *t)
{
	bool good = true;
	for (uint32_t round = 0; round < 2; round++)
		for (uint32_t n = 1; good && n <= 3; n++)
			good = lt__check_one_run(w, t, 0xFF, 0xFF, n);
	return good && lt__check_one_run(w, t, 0xFF, 0xFF, 0);          /* the host's */
}

/* One thread opens and compiles, another runs, the first goes on. */
struct check_handed { struct check_work *w; const struct check_trial *t; bool good; };

static void *go_on(void *user)
{
	struct check_handed *h = user;
	for (int i = 0; i < 4 && h->good; i++)
		h->good = lt__check_one_run(h->w, h->t, 0xFF, 0xFF, 1);
	return NULL;
}

bool lt__check_threads_moved(struct check_work *w, const struct check_trial *t)
{
	struct check_handed h = { w, t, true };
	pthread_t thread;
	if (!has_threads(w->out))
		return false;
	for (int i = 0; i < 3 && h.good; i++) {
		int error = pthread_create(&thread, NULL, go_on, &h);
		if (error)
			return lt__check_fail(w->out, "it was not run: no thread can be made: %s", strerror(error));
		(void)pthread_join(thread, NULL);
		h.good = h.good && lt__check_one_run(w, t, 0x5A, 0x5A, 1);
	}
	return h.good;
}

/* -- in turn -- */

/* Each step is done by all sessions, in one thread, before the next one is: opened, asked, compiled, filled, run,
 * compared; then enqueued, and waited for in another order.  What one keeps for another shows every time, and not only
 * where two threads meet.  At last one is closed and opened again while the others go on. */
enum { SIDES = 3, ROUNDS = 6 };
static const unsigned turns[SIDES] = { CHECK_S_CHAIN, CHECK_S_SUM, CHECK_S_SUB };

static bool side_fill(struct thread_side *s)
{
	lt__check_guarded_free(&s->guarded);
	lt__check_guarded_new(&s->w, NULL, &s->guarded);
	return lt__check_guarded_fill(&s->guarded, s->t.data, 0xFF);
}
static bool compile_side(struct thread_side *s) { return lt__check_work_compile(&s->w); }
static bool side_run(struct thread_side *s) { return lt__check_launch(&s->guarded, 0x5A, 1, &s->fault); }
static bool side_compare(struct thread_side *s)
{
	return lt__check_guarded_stand(&s->guarded, s->t.data) && lt__check_guarded_judge(&s->guarded, &s->t);
}

/* The kernel's args stay until it is waited for.  Programs of more than one step are left out: their order is the
 * host's. */
static bool is_single(const struct thread_side *s)
{
	return s->w.p->plan.n_prepare == 0 && s->w.p->plan.n_run == 1 && s->w.p->plan.run[0].kind == LT_STEP_RUN;
}

static bool enqueue(struct thread_side *s)
{
	int32_t nest = lt__check_nest(&s->w);
	struct check_diagnostics diags = lt__check_listen();
	if (!is_single(s))
		return side_run(s);
	s->guarded.async = true;
	if (!lt__check_args_new(&s->guarded, nest, 0x5A, 1, &s->fault, &s->args))
		return false;
	lt_status st = s->device.backend->run(s->w.object[nest], &s->args.args, &diags.diag);
	return lt__check_went(&s->out, st, &diags, "a run that is only enqueued");
}

static bool wait(struct thread_side *s)
{
	struct check_diagnostics diags = lt__check_listen();
	lt_status st = s->device.backend->sync(s->device.session, NULL, &diags.diag);
	return lt__check_args_end(&s->w, &s->args) && lt__check_went(&s->out, st, &diags, "sync");
}

/* One step by all; first: who begins. */
static bool each(struct thread_side *side, int first, bool (*step)(struct thread_side *))
{
	for (int i = 0; i < SIDES; i++)
		if (!step(&side[(first + i) % SIDES]))
			return false;
	return true;
}

static bool take_turns(const struct check_device *d, struct thread_side *side)
{
	for (int i = 0; i < SIDES; i++)
		if (!open_side(d, lt__check_sample(turns[i]), d->seed + (uint64_t)i, 1, &side[i]))
			return false;
	bool good = each(side, 1, compile_side);
	for (int i = 0; good && i < ROUNDS; i++) {
		good = each(side, i, side_fill) && each(side, i + 1, i < ROUNDS / 2 ? side_run : enqueue);
		for (int k = 0; i >= ROUNDS / 2 && k < SIDES; k++)
			good = wait(&side[(2 * i + SIDES - k) % SIDES]) && good;
		good = good && each(side, i + 2, side_compare);
	}
	for (int i = 0; good && i < SIDES; i++) {           /* one leaves, another comes */
		close_side(&side[i], NULL, NULL, NULL);
		good = open_side(d, lt__check_sample(turns[i]), d->seed + 10 + (uint64_t)i, 1, &side[i]) && compile_side(&side[i])
			&& each(side, i, side_fill) && each(side, i, side_run) && each(side, i + 1, side_compare);
	}
	return good;
}

bool lt__check_threads_turns(struct check_device *d, struct check_outcome *out)
{
	struct thread_side side[SIDES] = { { .ready = false } };
	(void)take_turns(d, side);
	for (int i = 0; i < SIDES; i++) {
		if (side[i].out.done && side[i].out.status == CHECK_REFUSED)
			(void)lt__check_end(out, CHECK_REFUSED, "%s", side[i].out.text);
		close_side(&side[i], lt__check_sample(turns[i])->name, "take turns", out);
	}
	return true;
}
