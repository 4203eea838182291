/* tools/check_threads.c -- sessions on threads of their own, objects on several threads. */
#include <pthread.h>
#include <string.h>
#include "tools/check_data_kinds.h"
#include "tools/check_parts.h"

enum { N = 2, RUNS = 40, PARALLEL_RUNS = 20, TRIES = 40 };
static const struct check_case kinds[] = {
	{ .name = "product", .group = CHECK_product, .spec = { .dtype = LT_F32, .shape = CHECK_ABOVE, .variant = CHECK_SOFTMAX } },
	{ .name = "sum", .group = CHECK_reduce, .spec = { .op = LT_OP_add, .dtype = LT_F32, .shape = CHECK_ABOVE } },
	{ .name = "chain", .group = CHECK_op, .spec = { .op = LT_OP_mul, .dtype = LT_F32, .shape = CHECK_PRIME, .neighbour = CHECK_BOTH } },
};
/* By a drawn tree with parallel loops, on threads. */
static const struct check_case parallel = { .name = "parallel product", .group = CHECK_product,
	.spec = { .dtype = LT_F32, .shape = CHECK_ABOVE, .variant = CHECK_BIAS_RELU } };

/* One thread: a session, an object of its own, its own data. */
struct thread_side {
	struct check_device device;
	struct check_outcome out;
	struct check_work w;
	struct check_trial t;
	pthread_barrier_t *start;
	uint32_t n_thread;
	bool ready;
};

/* All sides begin each run at once, however busy the machine is; one that has failed waits with the others, too. */
static bool run_together(struct thread_side *s, int i)
{
	struct check_guarded room = { 0 };
	struct lt_fault fault;
	bool good = s->ready;
	if (good) {
		lt__check_guarded_new(&s->w, 0, &room);
		good = lt__check_guarded_fill(&room, s->t.data, i % 2 ? 0xFF : 0x5A);
	}
	(void)pthread_barrier_wait(s->start);
	good = good && lt__check_launch(&room, i % 2 ? 0x5A : 0xFF, s->n_thread, &fault) && lt__check_guarded_stand(&room, s->t.data)
		&& lt__check_compare(&room, s->t.judge, s->t.data, NULL);
	lt__check_guarded_free(&room);
	return good;
}

static void *run_side(void *user)
{
	struct thread_side *s = user;
	struct check_work *one = &s->w;
	(void)pthread_barrier_wait(s->start);
	s->ready = s->ready && lt__check_compile(&one, 1) && !s->out.done;
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
static bool prepare_parallel(struct thread_side *s)
{
	for (uint64_t i = 0; i < TRIES; i++) {
		const struct check_tree tree = { .kind = CHECK_DRAWN, .seed = i };
		bool taken = lt__check_prepare(&s->w, &tree);
		if ((taken && has_parallel(s->w.p)) || (s->out.done && s->out.status == CHECK_FAILED))
			return taken;
		lt__check_work_free(&s->w);
		s->out = (struct check_outcome){ .done = false };
	}
	return lt__check_end(&s->out, CHECK_REFUSED, "no tree with parallel loops is accepted");
}

static bool open_side(const struct check_device *d, const struct check_case *c, uint64_t seed, struct thread_side *s)
{
	static const struct check_tree tree = { .kind = CHECK_DEFAULT };
	s->w = (struct check_work){ .device = &s->device, .out = &s->out, .seed = seed };
	return lt__check_open_again(d, &s->device, &s->out) && !lt_context_new(&s->w.ctx) && !lt__check_graph(s->w.ctx, c, &s->w.g)
		&& (s->n_thread > 1 ? prepare_parallel(s) : lt__check_prepare(&s->w, &tree)) && lt__check_trial_new(&s->w, 0, seed, &s->t);
}

static void close_side(struct thread_side *s)
{
	lt__check_trial_free(&s->w, &s->t);
	lt__check_work_free(&s->w);
	lt_graph_free(s->w.g);
	lt_context_free(s->w.ctx);
	lt__check_close(&s->device);
}

/* The same tree in two sessions at once, with data of their own: what is shared between them shows.  How many were refused. */
static int run_sides(struct check_device *d, const struct check_case *c, uint64_t seed, uint32_t n_thread, struct check_outcome *out)
{
	struct thread_side side[N] = { { .ready = false } };
	pthread_barrier_t start;
	pthread_t other;
	int refused = 0;
	(void)pthread_barrier_init(&start, NULL, N);
	for (int i = 0; i < N; i++) {
		side[i].start = &start;
		side[i].n_thread = n_thread;
		side[i].ready = open_side(d, c, seed + (uint64_t)i, &side[i]);
	}
	int error = pthread_create(&other, NULL, run_side, &side[1]);
	if (error) {
		(void)lt__check_end(out, CHECK_FAILED, "it was not run: no thread can be made: %s", strerror(error));
	} else {
		(void)run_side(&side[0]);
		(void)pthread_join(other, NULL);
	}
	for (int i = 0; i < N; i++) {
		if (side[i].out.done && side[i].out.status == CHECK_FAILED)
			(void)lt__check_end(out, CHECK_FAILED, "kernel %s in session %d of %d that run at once, each on %u threads: %s", c->name, i + 1, N,
				(unsigned)n_thread, side[i].out.text);
		refused += side[i].out.done && side[i].out.status == CHECK_REFUSED;
		close_side(&side[i]);
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

static bool threads_number(struct check_work *w)
{
	struct check_trial t;
	bool good = lt__check_trial_new(w, 0, w->seed, &t);
	for (uint32_t round = 0; round < 2; round++)
		for (uint32_t n = 1; good && n <= 3; n++)
			good = lt__check_one_run(w, &t, 0xFF, 0xFF, n);
	good = good && lt__check_one_run(w, &t, 0xFF, 0xFF, 0);         /* the host's */
	lt__check_trial_free(w, &t);
	return good;
}

/* One thread opens and compiles, another runs, the first goes on. */
struct handed { struct check_work *w; struct check_trial *t; bool good; };

static void *go_on(void *user)
{
	struct handed *h = user;
	for (int i = 0; i < 4 && h->good; i++)
		h->good = lt__check_one_run(h->w, h->t, 0xFF, 0xFF, 1);
	return NULL;
}

static bool moved(struct check_work *w)
{
	struct check_trial t;
	struct handed h = { w, &t, lt__check_trial_new(w, 0, w->seed, &t) };
	pthread_t thread;
	for (int i = 0; i < 3 && h.good; i++) {
		int error = pthread_create(&thread, NULL, go_on, &h);
		h.good = !error || lt__check_end(w->out, CHECK_FAILED, "it was not run: no thread can be made: %s", strerror(error));
		if (!error)
			(void)pthread_join(thread, NULL);
		h.good = h.good && lt__check_one_run(w, &t, 0x5A, 0x5A, 1);
	}
	lt__check_trial_free(w, &t);
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
