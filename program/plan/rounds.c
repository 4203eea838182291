/* Rounds: steps of a run that come again and again, and in each round move on by the same distance.
 *
 * Example: of the launches a(0) b(0, 8) a(4) b(4, 16) a(8) b(8, 24), where numbers are where slots begin, steps 0 and 1
 * are a round, which there are 3 of: a goes on by 4, b by 4 and 8.  What makes them so is a layer of recurrent steps or
 * a repeat of a script, each of whose steps is nodes of its own.
 *
 * Of all ways to cut the steps into rounds, the one is taken after which the fewest steps are left to write, by dynamic
 * programming from the last step on.  So it is known for each period how long the steps from there on keep to it.
 */
#include <string.h>
#include "ir/quant/quant.h"
#include "program/plan/plan.h"

enum { MIN_ROUNDS = 3 };        /* two are no reason for a loop */

static bool row_repeats(const struct lt_step_row *a, const struct lt_step_row *b)
{
	if (a->what < 0 || a->what != b->what || a->n != b->n || a->needs != b->needs)
		return false;
	for (int32_t i = 0; i < a->n; i++)
		if (a->place[i].base != b->place[i].base || a->place[i].bytes != b->place[i].bytes)
			return false;
	return true;
}

/* Whether c goes on from b as b does from a. */
static bool row_goes_on(const struct lt_step_row *a, const struct lt_step_row *b, const struct lt_step_row *c)
{
	if (!row_repeats(a, b) || !row_repeats(b, c) || b->least - a->least != c->least - b->least)
		return false;
	for (int32_t i = 0; i < a->n; i++)
		if (b->place[i].at - a->place[i].at != c->place[i].at - b->place[i].at)
			return false;
	return true;
}

/* What is written from a step on, the loops themselves counted, and the rounds that begin there; n 0: none. */
struct round_choice { int32_t cost; struct lt_rounds rounds; };

struct lt_rounds_list lt__find_rounds(const struct lt_step_row *row, int32_t n, struct lt_arena *a)
{
	struct lt_rounds_list out = { 0, LT_NEW(a, struct lt_rounds, n / MIN_ROUNDS + 1) };
	struct round_choice *best = LT_NEW(a, struct round_choice, n + 1);
	const int32_t longest = n / MIN_ROUNDS < LT_MAX_PERIOD ? n / MIN_ROUNDS : LT_MAX_PERIOD;
	int32_t *steps = LT_NEW(a, int32_t, longest + 1);       /* by period: that go on so, from this one on */
	for (int32_t i = n - 1; i >= 0; i--) {
		best[i].cost = best[i + 1].cost + 1;
		for (int32_t p = 1; p <= longest && i + 2 * p < n; p++) {
			steps[p] = row_goes_on(&row[i], &row[i + p], &row[i + 2 * p]) ? steps[p] + 1 : 0;
			const int32_t rounds = steps[p] / p + 2;
			if (steps[p] < p || best[i + rounds * p].cost + p + 1 >= best[i].cost)
				continue;
			best[i] = (struct round_choice){ best[i + rounds * p].cost + p + 1, { i, p, rounds } };
		}
	}
	for (int32_t i = 0; i < n; i += best[i].rounds.n ? best[i].rounds.period * best[i].rounds.n : 1)
		if (best[i].rounds.n)
			out.at[out.n++] = best[i].rounds;
	return out;
}

const struct lt_rounds *lt__rounds_at(const struct lt_rounds_list *list, int32_t step)
{
	for (int32_t i = 0; i < list->n; i++)
		if (step >= list->at[i].first && step < list->at[i].first + list->at[i].period * list->at[i].n)
			return &list->at[i];
	return NULL;
}

int64_t lt__round_least(const struct lt_step_row *row, const struct lt_rounds *r, int32_t step)
{
	return r ? row[step + r->period].least - row[step].least : 0;
}

int64_t lt__round_bytes(const struct lt_step_row *row, const struct lt_rounds *r, int32_t step, int32_t place)
{
	return r ? row[step + r->period].place[place].at - row[step].place[place].at : 0;
}

/* What is in a workspace is told by where it begins, all else by what it is. */
static struct lt_step_place place_of(const struct lt_assigned *s, const struct lt_memory_offsets *memory,
	int32_t memory_index, int32_t storage, int64_t offset, int64_t elems)
{
	const struct lt_storage *x = &s->storage[storage];
	const int64_t unit = lt__dtype_info(x->dtype)->bytes;
	const bool moves = x->space == LT_STORAGE_WORKSPACE;
	return (struct lt_step_place){ .base = moves ? -1 - memory_index : storage, .bytes = elems * unit,
		.at = offset * unit + (moves ? memory[memory_index].of[storage] : 0) };
}

/* Rounds by what steps do alone, wherever their values lie, and by storage the one that a round writes at the same
 * place of the round before. */
struct lt_rounds_list lt__plan_rounds(const struct lt_plan *plan, const struct lt_nests *nests,
	const struct lt_kernels *kernels, int32_t n_memory, struct lt_arena *a, int32_t **like)
{
	const int32_t n = nests->assigned.n_storage;
	struct lt_memory_offsets *nowhere = LT_NEW(a, struct lt_memory_offsets, n_memory);
	for (int32_t i = 0; i < n_memory; i++)
		nowhere[i].of = LT_NEW(a, int64_t, n + 1);
	struct lt_rounds_list list = lt__find_rounds(lt__plan_rows(plan, nests, kernels, nowhere, a), plan->n_run, a);
	*like = LT_NEW(a, int32_t, n + 1);
	memset(*like, -1, sizeof **like * (size_t)(n + 1));
	for (int32_t l = 0; l < list.n; l++) {
		const struct lt_rounds *r = &list.at[l];
		for (int32_t i = r->first + r->period; i < r->first + r->period * r->n; i++) {
			if (plan->run[i].kind != LT_STEP_RUN)
				continue;
			const struct lt_frozen *f = &nests->frozen[plan->run[i].nest],
				*before = &nests->frozen[plan->run[i - r->period].nest];
			for (int32_t k = 0; k < f->n_bind; k++)
				if (f->bind[k].written && f->bind[k].storage != before->bind[k].storage)
					(*like)[f->bind[k].storage] = before->bind[k].storage;
		}
	}
	return list;
}

struct lt_step_row *lt__plan_rows(const struct lt_plan *plan, const struct lt_nests *nests,
	const struct lt_kernels *kernels, const struct lt_memory_offsets *memory, struct lt_arena *a)
{
	const struct lt_assigned *s = &nests->assigned;
	struct lt_step_row *row = LT_NEW(a, struct lt_step_row, plan->n_run + 1);
	for (int32_t i = 0; i < plan->n_run; i++) {
		const struct lt_pstep *step = &plan->run[i];
		const int32_t m = step->memory;
		row[i].what = -1;
		if (step->kind == LT_STEP_COPY) {
			row[i] = (struct lt_step_row){ .what = kernels->n, .n = 2 };
			row[i].place = LT_NEW(a, struct lt_step_place, 2);
			row[i].place[0] = place_of(s, memory, m, step->to, 0, s->storage[step->to].elems);
			row[i].place[1] = place_of(s, memory, m, step->from, 0, s->storage[step->to].elems);
		} else if (step->kind == LT_STEP_RUN) {
			const struct lt_frozen *f = &nests->frozen[step->nest];
			row[i] = (struct lt_step_row){ .what = kernels->of[step->nest], .n = f->n_bind,
				.place = LT_NEW(a, struct lt_step_place, f->n_bind + 1) };        /* a caller may add one */
			for (int32_t k = 0; k < f->n_bind; k++)
				row[i].place[k] = place_of(s, memory, m, f->bind[k].storage, f->bind[k].offset, f->bind[k].elems);
		}
		row[i].needs = step->needs;
		row[i].least = step->least;
	}
	return row;
}
