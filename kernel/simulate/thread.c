/* thread.c -- the threads of a block: each has values, variables and arrays of its own. */
#include <string.h>
#include "kernel/simulate/part.h"

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

void lt__simulate_begin(struct simulation *s)
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
		t->iterations = 0;
		memset(t->begun, 0, sizeof t->begun);
		memset(t->groups, 0, sizeof t->groups);
		memset(t->variable_flight, 0, s->k->n_variable * sizeof *t->variable_flight);
		memset(t->variable_defined, 0, s->k->n_variable * sizeof *t->variable_defined);
		lt__simulate_switch(s, i);
		for (int32_t a = 0; a < g->n_array; a++)
			lt__simulate_undefine(&s->area[g->array[a]]);
	}
}
