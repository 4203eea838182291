/* block.c -- the threads of a block of a grid, one by one, each up to where it meets others. */
#include "kernel/simulate/part.h"

static bool may_run(const struct simulation *s, int32_t thread)
{
	const struct simulate_grid *g = s->grid;
	int32_t at = g->thread[thread].at;
	return at < g->region->first + g->region->n && !lt__simulate_meets(s->k->instructions[at].opcode);
}

/* In drawn orders a thread's turn may end anywhere. */
static void run_thread(struct simulation *s, int32_t thread)
{
	struct simulate_grid *g = s->grid;
	struct simulate_thread *t = &g->thread[thread];
	int32_t end = g->region->first + g->region->n;
	lt__simulate_switch(s, thread);
	g->left = -1;
	if (s->options.order == LT_SIMULATE_DRAWN && lt__simulate_draw(s) % 4)
		g->left = (int64_t)(lt__simulate_draw(s) % 12);
	t->at = lt__simulate_steps(s, t->at, end);
	if (t->at >= end && !s->status)
		lt__simulate_thread_ends(s);
}

/* Each thread that may run, once; whether there was one. */
static bool run_turns(struct simulation *s)
{
	struct simulate_grid *g = s->grid;
	uint64_t scale, shift;
	bool any = false;
	lt__simulate_order(s, (uint64_t)g->n_thread, &scale, &shift);
	for (int32_t i = 0; i < g->n_thread && !s->status; i++) {
		int32_t thread = (int32_t)(((uint64_t)i * scale + shift) % (uint64_t)g->n_thread);
		if (!may_run(s, thread))
			continue;
		run_thread(s, thread);
		any = true;
	}
	return any;
}

void lt__simulate_block(struct simulation *s)
{
	lt__simulate_begin(s);
	while (!s->status) {
		while (!s->status && run_turns(s))
			continue;
		lt__simulate_requests(s);
		if (s->status || !lt__simulate_meet(s))
			break;
	}
}
