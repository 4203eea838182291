/* flight.c -- what is in flight in a grid: copies and matrix instructions that were begun, their
 * groups, and the waits for them. */
#include "kernel/simulate/part.h"

static struct simulate_thread *running(struct simulation *s) { return &s->grid->thread[s->grid->now]; }

void lt__simulate_fly(struct simulation *s, struct simulate_flight f)
{
	struct simulate_grid *g = s->grid;
	struct simulate_thread *t = &g->thread[f.thread];
	f.next = t->first_flight;
	f.group = t->groups[f.kind];
	g->flight = lt__pool_grown(&s->pool, g->flight, g->n_flight, &g->cap_flight, sizeof *g->flight);
	g->flight[g->n_flight] = f;
	t->first_flight = g->n_flight++;
	t->begun[f.kind]++;
}

/* All elements are inside; lanes that lie side by side begin where they may. */
static bool elements_inside(struct simulation *s, int32_t i, int32_t buffer, int64_t element, int64_t n, bool writes)
{
	bool inside = lt__simulate_inside(s, i, buffer, element, writes)
		&& lt__simulate_inside(s, i, buffer, element + n - 1, writes);
	if (inside && (s->base[buffer] + element * s->element_bytes[buffer]) % (n * s->element_bytes[buffer]))
		lt__simulate_find(s, LT_SIMULATE_wide, i, buffer, element, "copies %lld bytes %s element %lld of buffer %s, which is "
			"no multiple of these away from the begin", (long long)(n * s->element_bytes[buffer]), writes ? "to" : "from",
			(long long)element, s->k->buffers[buffer].name);
	return inside;
}

void lt__simulate_copy(struct simulation *s, int32_t i)
{
	const struct lt_instruction *x = &s->k->instructions[i];
	int32_t from = (int32_t)s->k->extras[x->first_extra], thread = s->grid->now;
	int64_t added = s->k->extras[x->first_extra + 1], n = x->stride;
	struct simulate_flight f = { .thread = thread, .at = i, .kind = LT_FLIGHT_COPIES, .to = x->what, .from = from,
		.n = n };
	f.zeros = !lt__simulate_lanes_on(s, i, x->operand[2], 1);
	if (!lt__simulate_locate(s, i, x->what, x->operand[0], x->number, &f.to_element)
		|| !elements_inside(s, i, x->what, f.to_element, n, true))
		return;
	if (!f.zeros && (!lt__simulate_locate(s, i, from, x->operand[3], added, &f.from_element)
		|| !elements_inside(s, i, from, f.from_element, n, false)))
		return;
	for (int64_t e = 0; e < n && !f.zeros; e++)
		lt__simulate_shadow_read(s, i, from, f.from_element + e, thread);
	for (int64_t e = 0; e < n; e++)
		lt__simulate_shadow_write(s, i, x->what, f.to_element + e, thread);
	lt__simulate_shadow_fly(s, x->what, f.to_element, n, 1, 0);
	if (!f.zeros) {
		lt__simulate_shadow_fly(s, from, f.from_element, n, 0, 1);
		lt__simulate_log(s, i, 0, from, f.from_element, n);
	}
	lt__simulate_log(s, i, 1, x->what, f.to_element, n);
	lt__simulate_fly(s, f);
}

/* The copy is done: its elements are there, written by the thread now. */
static void land_copy(struct simulation *s, const struct simulate_flight *f)
{
	lt__simulate_shadow_fly(s, f->to, f->to_element, f->n, -1, 0);
	if (!f->zeros)
		lt__simulate_shadow_fly(s, f->from, f->from_element, f->n, 0, -1);
	for (int64_t e = 0; e < f->n; e++) {
		bool defined = true;
		uint64_t bits = f->zeros ? 0 : lt__simulate_bits(s, f->from, f->from_element + e, &defined);
		lt__simulate_store(s, f->at, f->to, f->to_element + e, bits, defined);
	}
}

/* A matrix instruction is done: what it read may be written again. */
static void land_product(struct simulation *s, const struct simulate_flight *f)
{
	const struct lt_instruction *x = &s->k->instructions[f->at];
	struct simulate_thread *t = &s->grid->thread[f->thread];
	if (f->from >= 0)
		lt__simulate_shadow_fly(s, f->from, f->from_element, f->n, 0, -1);
	for (int32_t e = 2 * LT_MATRIX_LOCATION; f->from < 0 && e < x->n_extra; e++)
		t->variable_flight[s->k->extras[x->first_extra + e]]--;
}

/* Those of a thread's groups below one; of all kinds: -1. */
static void land(struct simulation *s, int32_t kind, int64_t below)
{
	struct simulate_thread *t = running(s);
	for (int32_t *link = &t->first_flight; *link >= 0; ) {
		struct simulate_flight *f = &s->grid->flight[*link];
		if ((kind >= 0 && f->kind != kind) || f->group >= below) {
			link = &f->next;
			continue;
		}
		*link = f->next;
		if (f->kind == LT_FLIGHT_COPIES)
			land_copy(s, f);
		else
			land_product(s, f);
	}
}

void lt__simulate_commit(struct simulation *s, int32_t i)
{
	int32_t kind = s->k->instructions[i].what;
	running(s)->groups[kind]++;
	running(s)->begun[kind] = 0;
}

void lt__simulate_wait(struct simulation *s, int32_t i)
{
	const struct lt_instruction *x = &s->k->instructions[i];
	struct simulate_thread *t = running(s);
	if (t->begun[x->what] || !t->groups[x->what])
		lt__simulate_find(s, LT_SIMULATE_uncommitted, i, -1, -1, "waits for groups, but %s",
			t->begun[x->what] ? "something was begun after the last commit" : "there was no commit");
	land(s, x->what, t->groups[x->what] - x->number);
}

void lt__simulate_thread_ends(struct simulation *s)
{
	struct simulate_thread *t = running(s);
	if (t->first_flight < 0)
		return;
	lt__simulate_find(s, LT_SIMULATE_unwaited, s->grid->flight[t->first_flight].at, -1, -1,
		"the thread ends while what it has begun is in flight");
	land(s, -1, INT64_MAX);
}
