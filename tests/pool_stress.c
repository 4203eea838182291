/* pool_stress.c -- random calls of lt_host.parallel_for: each point once, thread numbers apart. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include "check/random/must.h"
#include "check/random/random.h"
#include "program/host/host.h"
#include "tests/pool_stress.h"

enum { MAX_THREAD = 16, MAX_POINTS = 3000, MAX_CALLER = 8 };

/* seen is no atomic: the pool itself has to order what ranges write before what the caller reads. */
struct watched_call {
	const struct pool_call *call;
	unsigned char *seen;
	atomic_bool running[MAX_THREAD];
	_Atomic int64_t wrong;
};

static void watched_range(void *arg, int64_t first, int64_t last, uint32_t thread)
{
	struct watched_call *w = arg;
	const struct pool_call *c = w->call;
	if (first < 0 || first >= last || last > c->n || thread >= (c->n_thread ? c->n_thread : 1)) {
		w->wrong++;
		return;
	}
	w->wrong += atomic_exchange(&w->running[thread], true);
	for (int64_t i = first; i < last; i++) {
		w->seen[i]++;
		for (volatile int k = 0; k < c->spins; k++)
			;
	}
	if (c->nested) {
		const struct pool_call inner = { .n_thread = c->n_thread + 1, .n = c->n % 37 };
		w->wrong += pool_call(&inner);
	}
	atomic_store(&w->running[thread], false);
}

int64_t pool_call(const struct pool_call *c)
{
	struct watched_call w = { .call = c, .seen = calloc((size_t)c->n + 1, 1) };
	must(w.seen && c->n_thread <= MAX_THREAD, "no memory, or too many threads");
	lt__host_parallel_for(NULL, c->n_thread, c->n, watched_range, &w);
	for (int64_t i = 0; i < c->n; i++)
		w.wrong += w.seen[i] != 1;
	free(w.seen);
	return w.wrong;
}

struct stress { uint64_t seed; int calls; int64_t wrong; };

static void *stress_main(void *arg)
{
	struct stress *s = arg;
	for (int i = 0; i < s->calls; i++) {
		const struct pool_call c = { .n_thread = (uint32_t)random_between(&s->seed, 0, 9),
			.n = random_chance(&s->seed, 50) ? random_between(&s->seed, 0, 20) : random_between(&s->seed, 0, MAX_POINTS),
			.spins = random_chance(&s->seed, 20) ? 200 : 0, .nested = random_chance(&s->seed, 10) };
		s->wrong += pool_call(&c);
	}
	return NULL;
}

int64_t pool_stress(uint64_t seed, int calls, int callers)
{
	struct stress s[MAX_CALLER];
	pthread_t thread[MAX_CALLER];
	int64_t wrong = 0;
	must(callers <= MAX_CALLER, "too many callers");
	for (int i = 0; i < callers; i++) {
		s[i] = (struct stress){ .seed = seed + (uint64_t)i, .calls = calls };
		must(i == 0 || pthread_create(&thread[i], NULL, stress_main, &s[i]) == 0, "no thread can be made");
	}
	(void)stress_main(&s[0]);
	for (int i = 0; i < callers; i++) {
		if (i > 0)
			(void)pthread_join(thread[i], NULL);
		wrong += s[i].wrong;
	}
	return wrong;
}
