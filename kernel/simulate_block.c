/* kernel/simulate_block.c -- the threads of a block of a grid, one after the other,
	each up to where it meets others. */
#include <stdio.h>
#include <string.h>
#include "kernel/simulate_part.h"

void lt__simulate_thread_text(const struct simulation *s, int32_t thread, char *text, size_t room)
{
	const struct simulate_grid *g = s->grid;
	(void)snprintf(text, room, "thread %d of block (%lld, %lld, %lld)", (int)thread, (long long)g->block[0],
		(long long)g->block[1], (long long)g->block[2]);
}

/* Arrays are whole areas: a thread's stand where those of the program do while it runs. */
void lt__simulate_switch(struct simulation *s, int32_t thread)
{
	struct simulate_grid *g = s->grid;
	struct simulate_thread *was = g->now < 0 ? NULL : &g->thread[g->now], *t = &g->thread[thread];
	for (int32_t a = 0; a < g->n_array; a++) {
		if (was)
			was->array[a] = s->area[g->array[a]];
		s->area[g->array[a]] = t->array[a];
	}
	g->now = thread;
	s->value = t->value;
	s->defined = t->defined;
	s->variable = t->variable;
	s->variable_defined = t->variable_defined;
}

static void begin_block(struct simulation *s)
{
	struct simulate_grid *g = s->grid;
	for (int32_t i = 0; i < g->n_subgroup * g->n_subgroup; i++)
		g->clock[i] = 0;
	for (int32_t i = 0; i < g->n_subgroup; i++)
		g->clock[i * g->n_subgroup + i] = 1;
	g->n_flight = g->n_log = 0;
	g->left = -1;
	lt__simulate_undefine(&s->area[s->shared_area]);
	for (int32_t i = 0; i < g->n_thread; i++) {
		struct simulate_thread *t = &g->thread[i];
		t->at = g->region->first;
		t->first_flight = -1;
		t->n_trip = 0;
		t->trips = 0;
		memset(t->begun, 0, sizeof t->begun);
		memset(t->groups, 0, sizeof t->groups);
		memset(t->variable_flight, 0, s->k->n_variable * sizeof *t->variable_flight);
		memset(t->variable_defined, 0, s->k->n_variable * sizeof *t->variable_defined);
		lt__simulate_switch(s, i);
		for (int32_t a = 0; a < g->n_array; a++)
			lt__simulate_undefine(&s->area[g->array[a]]);
	}
}

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
	begin_block(s);
	while (!s->status) {
		while (!s->status && run_turns(s))
			continue;
		lt__simulate_requests(s);
		if (s->status || !lt__simulate_meet(s))
			break;
	}
}
