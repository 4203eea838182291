/* tools/check_together.c -- LT_PROMISE_RUN_TOGETHER: the objects of one session run on two threads at once, with memory
 * of their own, and give what they give alone. */
#include <pthread.h>
#include <stdlib.h>
#include "tools/check_parts.h"

enum { N = 2, ROUNDS = 12, LAUNCHES = 4 };

/* What one thread runs: the objects of all, data and memory of its own. */
struct part {
	struct check_work w;
	struct check_outcome out;
	struct check_trial t;
	struct check_guarded room;
	pthread_barrier_t *start;
	pthread_t thread;
	bool good;
};

static void *launch_part(void *user)
{
	struct part *p = user;
	struct lt_fault fault;
	(void)pthread_barrier_wait(p->start);
	for (int i = 0; i < LAUNCHES && p->good; i++)
		p->good = lt__check_launch(&p->room, i % 2 ? 0x5A : 0xFF, 1, &fault);
	return NULL;
}

static bool one_round(struct part *part, int round)
{
	bool good = true;
	for (int i = 0; i < N; i++) {
		lt__check_guarded_new(&part[i].w, 0, &part[i].room);
		part[i].good = lt__check_guarded_fill(&part[i].room, part[i].t.data, round % 2 ? 0xFF : 0x5A);
	}
	for (int i = 0; i < N; i++)
		if (pthread_create(&part[i].thread, NULL, launch_part, &part[i]))
			abort();
	for (int i = 0; i < N; i++)
		(void)pthread_join(part[i].thread, NULL);
	for (int i = 0; i < N; i++) {
		good = part[i].good && lt__check_guarded_stand(&part[i].room, part[i].t.data)
			&& lt__check_compare(&part[i].room, part[i].t.judge, part[i].t.data, NULL) && good;
		lt__check_guarded_free(&part[i].room);
	}
	return good;
}

/* Each thread has data of its own: those of the trial that the sample comes with are left alone. */
static bool run_together(struct check_work *w, const struct check_trial *sample)
{
	struct part part[N] = { { .good = false } };
	pthread_barrier_t start;
	bool good = true;
	(void)sample;
	(void)pthread_barrier_init(&start, NULL, N);
	for (int i = 0; i < N; i++) {
		part[i] = (struct part){ .w = *w, .start = &start };
		part[i].w.out = &part[i].out;
		good = lt__check_trial_new(&part[i].w, 0, w->seed + (uint64_t)i, &part[i].t) && good;
	}
	for (int i = 0; good && i < ROUNDS; i++)
		good = one_round(part, i);
	for (int i = 0; i < N; i++) {
		if (part[i].out.done)
			(void)lt__check_end(w->out, part[i].out.status, "on thread %d of %d that run objects of one session at once: %s",
				i + 1, N,
				part[i].out.text);
		lt__check_trial_free(&part[i].w, &part[i].t);
	}
	(void)pthread_barrier_destroy(&start);
	return good;
}

void lt__check_threads_together(struct check_device *d, const struct check_case *c, struct check_outcome *out)
{
	if (!LT_HAS(struct lt_caps, d->caps, promises) || !(d->caps->promises & LT_PROMISE_RUN_TOGETHER))
		(void)lt__check_end(out, CHECK_SKIPPED, "it is not promised (LT_PROMISE_RUN_TOGETHER)");
	else if (LT_HAS(struct lt_caps, d->caps, device_memory))
		(void)lt__check_end(out, CHECK_SKIPPED, "it is not tried on device memory");
	else
		lt__check_samples(d, c, out,
			CHECK_S_CHAIN | CHECK_S_SUM | CHECK_S_PRODUCT | CHECK_S_SOFTMAX | CHECK_S_PARAM
				| CHECK_S_GATHER,
			run_together);
}
