/* tools/check_threads.c -- sessions side by side, on threads of their own and in turn; objects on several threads. */
#include <pthread.h>
#include <string.h>
#include "tools/check_parts.h"

enum { N = 2, RUNS = 40, PARALLEL_RUNS = 20, TRIES = 40 };
static const struct check_case kinds[] = {
	{ .name = "product",
		.group = CHECK_product,
		.spec = { .dtype = LT_F32, .shape = CHECK_ABOVE, .variant = CHECK_SOFTMAX } },
	{ .name = "sum", .group = CHECK_reduce, .spec = { .op = LT_OP_add, .dtype = LT_F32, .shape = CHECK_ABOVE } },
	{ .name = "chain",
		.group = CHECK_op,
		.spec = { .op = LT_OP_mul, .dtype = LT_F32, .shape = CHECK_PRIME, .neighbour = CHECK_BOTH } },
};
/* By a drawn tree with parallel loops, on threads. */
static const struct check_case parallel = { .name = "parallel product", .group = CHECK_product,
	.spec = { .dtype = LT_F32, .shape = CHECK_ABOVE, .variant = CHECK_BIAS_RELU } };

/* A session with an object and data of its own; on a thread, or taking turns. */
struct thread_side {
	struct check_device device;
	struct check_outcome out;
	struct check_work w;
	struct check_trial t;
	pthread_barrier_t *start;
	uint32_t n_thread;
	bool ready;
	/* In turn: */
	struct check_guarded room;
	struct check_args args;
	struct lt_fault fault;
};

/* All sides begin each run at once, however busy the machine is; one that has failed waits with the others, too. */
static bool run_together(struct thread_side *s, int i)
{
	struct check_guarded room = { 0 };
	bool good = s->ready;
	if (good) {
		lt__check_guarded_new(&s->w, 0, &room);
		good = lt__check_guarded_fill(&room, s->t.data, i % 2 ? 0xFF : 0x5A);
	}
	(void)pthread_barrier_wait(s->start);
	good = good && lt__check_launch(&room, i % 2 ? 0x5A : 0xFF, s->n_thread, &s->fault)
		&& lt__check_guarded_stand(&room, s->t.data) && lt__check_guarded_judge(&room, &s->t);
	lt__check_guarded_free(&room);
	return good;
}

static void *run_side(void *user)
{
	struct thread_side *s = user;
	(void)pthread_barrier_wait(s->start);
	s->ready = s->ready && lt__check_work_compile(&s->w);
	for (int i = 0; i < (s->n_thread > 1 ? PARALLEL_RUNS : RUNS); i++)
		s->ready = run_together(s, i);
	return NULL;
}

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
		(void)lt__check_end(out, CHECK_FAILED, "kernel %s in one of the sessions that %s: %s", kernel, how, s->out.text);
	lt__check_guarded_free(&s->room);
	lt__check_trial_free(&s->w, &s->t);
	lt__check_work_close(&s->w);
	lt__check_close(&s->device);
}

/* The same tree in two sessions at once, with data of their own: what is shared between them shows.  How many were
 * refused. */
static int run_sides(
	struct check_device *d, const struct check_case *c, uint64_t seed, uint32_t n_thread, struct check_outcome *out)
{
	struct thread_side side[N];
	pthread_barrier_t start;
	pthread_t other;
	char how[60];
	int refused = 0;
	(void)pthread_barrier_init(&start, NULL, N);
	for (int i = 0; i < N; i++) {
		bool ready = open_side(d, c, seed + (uint64_t)i, n_thread, &side[i]);
		side[i].start = &start;
		side[i].ready = ready;
	}
	int error = pthread_create(&other, NULL, run_side, &side[1]);
	if (error) {
		(void)lt__check_end(out, CHECK_FAILED, "it was not run: no thread can be made: %s", strerror(error));
	} else {
		(void)run_side(&side[0]);
		(void)pthread_join(other, NULL);
	}
	(void)snprintf(how, sizeof how, "run at once, each on %u threads", (unsigned)n_thread);
	for (int i = 0; i < N; i++) {
		refused += side[i].out.done && side[i].out.status == CHECK_REFUSED;
		close_side(&side[i], c->name, how, out);
	}
	(void)pthread_barrier_destroy(&start);
	return refused;
}

void lt__check_threads_sessions(struct check_device *d, const struct check_case *clause, struct check_outcome *out)
{
	int refused = 0, n = 0;
	for (; n < (int)(sizeof kinds / sizeof *kinds) && !out->done; n++)
		refused += run_sides(d, &kinds[n], clause->seed, 1, out);
	if (!out->done)
		refused += run_sides(d, &parallel, clause->seed, 2, out);
	if (refused == N * (n + 1))
		(void)lt__check_end(out, CHECK_REFUSED, "none of the kernels is accepted");
}

static bool threads_number(struct check_work *w, const struct check_trial *t)
{
	bool good = true;
	for (uint32_t round = 0; round < 2; round++)
		for (uint32_t n = 1; good && n <= 3; n++)
			good = lt__check_one_run(w, t, 0xFF, 0xFF, n);
	return good && lt__check_one_run(w, t, 0xFF, 0xFF, 0);          /* the host's */
}

/* One thread opens and compiles, another runs, the first goes on. */
struct handed { struct check_work *w; const struct check_trial *t; bool good; };

static void *go_on(void *user)
{
	struct handed *h = user;
	for (int i = 0; i < 4 && h->good; i++)
		h->good = lt__check_one_run(h->w, h->t, 0xFF, 0xFF, 1);
	return NULL;
}

static bool moved(struct check_work *w, const struct check_trial *t)
{
	struct handed h = { w, t, true };
	pthread_t thread;
	for (int i = 0; i < 3 && h.good; i++) {
		int error = pthread_create(&thread, NULL, go_on, &h);
		if (error)
			return lt__check_end(w->out, CHECK_FAILED, "it was not run: no thread can be made: %s", strerror(error));
		(void)pthread_join(thread, NULL);
		h.good = h.good && lt__check_one_run(w, t, 0x5A, 0x5A, 1);
	}
	return h.good;
}

void lt__check_threads_number(struct check_device *d, const struct check_case *c, struct check_outcome *out)
{
	lt__check_samples(d, c, out, CHECK_S_ALL | CHECK_S_LARGE, threads_number);
}

void lt__check_threads_moved(struct check_device *d, const struct check_case *c, struct check_outcome *out)
{
	lt__check_samples(d, c, out, CHECK_S_BASIC, moved);
}

/* -- in turn -- */

/* Each step is done by all sessions, in one thread, before the next one is: opened, asked, compiled, filled, run,
 * compared; then enqueued, and waited for in another order.  What one keeps for another shows every time, and not only
 * where two threads meet.  At last one is closed and opened again while the others go on. */
enum { SIDES = 3, ROUNDS = 6 };
static const struct check_case turns[SIDES] = {
	{ .name = "chain",
		.group = CHECK_op,
		.spec = { .op = LT_OP_mul, .dtype = LT_F32, .shape = CHECK_PRIME, .neighbour = CHECK_PRODUCER } },
	{ .name = "sum", .group = CHECK_reduce, .spec = { .op = LT_OP_add, .dtype = LT_F32, .shape = CHECK_ABOVE } },
	{ .name = "difference", .group = CHECK_op, .spec = { .op = LT_OP_sub, .dtype = LT_F32, .shape = CHECK_PRIME } },
};

static bool side_fill(struct thread_side *s)
{
	lt__check_guarded_free(&s->room);
	lt__check_guarded_new(&s->w, 0, &s->room);
	return lt__check_guarded_fill(&s->room, s->t.data, 0xFF);
}
static bool compile_side(struct thread_side *s) { return lt__check_work_compile(&s->w); }
static bool side_run(struct thread_side *s) { return lt__check_launch(&s->room, 0x5A, 1, &s->fault); }
static bool side_compare(struct thread_side *s)
{
	return lt__check_guarded_stand(&s->room, s->t.data) && lt__check_guarded_judge(&s->room, &s->t);
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
	struct check_diagnostics told;
	if (!is_single(s))
		return side_run(s);
	lt__check_diagnostics_init(&told);
	s->room.async = true;
	if (!lt__check_args_new(&s->room, nest, 0x5A, 1, &s->fault, &s->args))
		return false;
	lt_status st = s->device.backend->run(s->w.object[nest], &s->args.args, &told.diag);
	return !st
		|| lt__check_end(
			&s->out, CHECK_FAILED, "a run that is only enqueued: %s: %s", lt_status_name(st), told.text);
}

static bool wait(struct thread_side *s)
{
	struct check_diagnostics told;
	lt__check_diagnostics_init(&told);
	lt_status st = s->device.backend->sync(s->device.session, NULL, &told.diag);
	return lt__check_args_end(&s->w, &s->args)
		&& (!st || lt__check_end(&s->out, CHECK_FAILED, "sync: %s: %s", lt_status_name(st), told.text));
}

/* One step by all; first: who begins. */
static bool each(struct thread_side *side, int first, bool (*step)(struct thread_side *))
{
	for (int i = 0; i < SIDES; i++)
		if (!step(&side[(first + i) % SIDES]))
			return false;
	return true;
}

static bool take_turns(const struct check_device *d, uint64_t seed, struct thread_side *side)
{
	for (int i = 0; i < SIDES; i++)
		if (!open_side(d, &turns[i], seed + (uint64_t)i, 1, &side[i]))
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
		good = open_side(d, &turns[i], seed + 10 + (uint64_t)i, 1, &side[i]) && compile_side(&side[i])
			&& each(side, i, side_fill) && each(side, i, side_run) && each(side, i + 1, side_compare);
	}
	return good;
}

void lt__check_threads_turns(struct check_device *d, const struct check_case *clause, struct check_outcome *out)
{
	struct thread_side side[SIDES] = { { .ready = false } };
	(void)take_turns(d, clause->seed, side);
	for (int i = 0; i < SIDES; i++) {
		if (side[i].out.done && side[i].out.status == CHECK_REFUSED)
			(void)lt__check_end(out, CHECK_REFUSED, "%s", side[i].out.text);
		close_side(&side[i], turns[i].name, "take turns", out);
	}
}
