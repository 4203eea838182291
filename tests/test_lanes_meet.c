/* test_lanes_meet.c -- no two lanes of a loop meet in an element that a reduction adds to: random trees,
 * iteration by iteration. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "check/random/must.h"
#include "check/random/random.h"
#include "looptree/schedule/schedule.h"
#include "program/run/run.h"

TestSuite(lanes_meet, .timeout = 300);

struct met { int64_t time; int64_t lane; };
struct walk {
	const struct lt_tree *t;
	int64_t *column;
	struct met ***met;              /* by loop, by buffer, by element: which lane wrote it, when the loop last ran */
	int64_t *time;                  /* by loop: how often it has run */
	int64_t checked, combined;
	uint64_t seed;
	const char *steps;
};

static int64_t row(const struct walk *w, int32_t r)
{
	int64_t sum = 0;
	for (int32_t c = 0; c < w->t->n_column; c++)
		sum += w->t->rows[(int64_t)r * w->t->n_column + c] * w->column[c];
	return sum;
}

static void set_divs(struct walk *w)
{
	for (int32_t d = 0; d < w->t->n_div; d++) {
		const struct lt_div *div = LT_AT(struct lt_div, w->t->divs, d);
		int64_t *to = &w->column[1 + w->t->n_param + w->t->n_loop + d];
		*to = 0;
		int64_t sum = row(w, div->row);
		*to = sum >= 0 ? sum / div->den : -((-sum + div->den - 1) / div->den);
	}
}

static bool is_lane(const struct lt_loop *l) { return l->kind == LT_VECTOR || l->kind == LT_BLOCK; }

/* Whether each iteration of loop l has a buffer of its own. */
static bool is_derived(const struct lt_tree *t, int32_t buffer, int32_t l)
{
	const struct lt_buffer *b = LT_AT(struct lt_buffer, t->buffers, buffer);
	int32_t at = b->role == LT_LOCAL ? b->scope : -1;
	while (at >= 0 && at != l)
		at = LT_AT(struct lt_loop, t->loops, at)->parent;
	return at >= 0;
}

static void check_stmt(struct walk *w, const struct lt_stmt *s)
{
	if (s->kind >= LT_BARRIER)
		return;
	const struct lt_access *a = LT_AT(struct lt_access, w->t->accesses, s->dest);
	int64_t at = row(w, a->row);
	bool stands = false, lanes = false;
	for (int32_t k = 0; k < s->n_guard; k++)
		if (row(w, w->t->guards[s->first_guard + k]) < 0)
			return;
	must(at >= 0 && at < LT_AT(struct lt_buffer, w->t->buffers, a->buffer)->elems,
		"seed %d: %%%s writes element %lld", (int)w->seed, s->name, (long long)at);
	for (int32_t l = s->loop; l >= 0; l = LT_AT(struct lt_loop, w->t->loops, l)->parent) {
		if (!is_lane(LT_AT(struct lt_loop, w->t->loops, l)))
			continue;
		lanes = true;
		stands = stands || w->t->rows[(int64_t)a->row * w->t->n_column + 1 + w->t->n_param + l] == 0;
		if (s->kind != LT_REDUCE || is_derived(w->t, a->buffer, l))
			continue;
		struct met *m = &w->met[l][a->buffer][at];
		int64_t lane = w->column[1 + w->t->n_param + l];
		must(m->time != w->time[l] || m->lane == lane,
			"seed %d after `%s`: lanes %lld and %lld of %s meet in element %lld of %s, in a reduce of %%%s",
			(int)w->seed, w->steps, (long long)m->lane, (long long)lane,
			LT_AT(struct lt_loop, w->t->loops, l)->var, (long long)at,
			LT_AT(struct lt_buffer, w->t->buffers, a->buffer)->name, s->name);
		*m = (struct met){ w->time[l], lane };
		w->checked++;
	}
	if (s->kind == LT_COMBINE) {
		must(lanes && stands, "seed %d after `%s`: a combine of %%%s moves with all lanes", (int)w->seed, w->steps, s->name);
		w->combined++;
	}
}

static void run_loop(struct walk *w, int32_t loop, int32_t first, int32_t n)
{
	for (int32_t i = first; i < first + n;) {
		int32_t child = LT_AT(struct lt_stmt, w->t->stmts, i)->loop;
		if (child == loop) {
			check_stmt(w, LT_AT(struct lt_stmt, w->t->stmts, i++));
			continue;
		}
		while (LT_AT(struct lt_loop, w->t->loops, child)->parent != loop)
			child = LT_AT(struct lt_loop, w->t->loops, child)->parent;
		const struct lt_loop *l = LT_AT(struct lt_loop, w->t->loops, child);
		int64_t trip_count = l->max_trip_count;
		for (int32_t k = 0; k < l->n_bound; k++)
			trip_count = row(w, w->t->bounds[l->first_bound + k]) < trip_count
				? row(w, w->t->bounds[l->first_bound + k])
				: trip_count;
		w->time[child]++;
		for (int64_t trip = 0; trip < trip_count; trip++) {
			w->column[1 + w->t->n_param + child] = trip;
			set_divs(w);
			run_loop(w, child, l->first_stmt, l->n_stmt);
		}
		w->column[1 + w->t->n_param + child] = 0;
		set_divs(w);
		i = l->first_stmt + l->n_stmt;
	}
}

static void walk_tree(struct walk *w, uint64_t *rng)
{
	const struct lt_tree *t = w->t;
	w->column = calloc((size_t)t->n_column, sizeof *w->column);
	w->time = calloc((size_t)t->n_loop + 1, sizeof *w->time);
	w->met = calloc((size_t)t->n_loop + 1, sizeof *w->met);
	for (int32_t l = 0; l < t->n_loop; l++) {
		w->met[l] = calloc(t->buffers.n, sizeof **w->met);
		for (uint32_t b = 0; b < t->buffers.n && is_lane(LT_AT(struct lt_loop, t->loops, l)); b++)
			w->met[l][b] = calloc((size_t)LT_AT(struct lt_buffer, t->buffers, b)->elems, sizeof ***w->met);
	}
	w->column[0] = 1;
	for (int32_t k = 0; k < t->n_param; k++) {
		const struct lt_tparam *q = LT_AT(struct lt_tparam, t->params, k);
		w->column[1 + k] = random_between(rng, q->low, q->high);
	}
	set_divs(w);
	run_loop(w, -1, 0, (int32_t)t->stmts.n);
	for (int32_t l = 0; l < t->n_loop; l++) {
		for (uint32_t b = 0; b < t->buffers.n; b++)
			free(w->met[l][b]);
		free(w->met[l]);
	}
	free(w->met);
	free(w->time);
	free(w->column);
}

/* Legal steps, one after the other, often such as make lanes; the last tree is `*t`. */
static void draw_steps(const struct lt_looptree *first, uint64_t *rng, char *list, size_t bytes)
{
	const struct lt_looptree *t = first;
	struct lt_looptree *mine = NULL, *next;
	size_t n = 0;
	for (int i = 0; i < 30 && n < bytes / 2; i++) {
		char step[1000];
		int kind;
		lt_tnode loop = random_loop(t, rng);
		if (loop >= 0 && random_chance(rng, 40))
			(void)snprintf(step, sizeof step, "%s %.900s",
				random_chance(rng, 70)           ? "vectorize"
					: random_chance(rng, 50) ? "split"
								 : "bind",
				lt__loop_path(t, loop));
		else if (!random_step(t, rng, "call", &kind, step, sizeof step))
			continue;
		if (!strncmp(step, "split ", 6) || !strncmp(step, "bind ", 5))
			(void)snprintf(step + strlen(step), sizeof step - strlen(step),
				step[0] == 's' ? " %d" : " block.x", (int)random_between(rng, 2, 6));
		if (lt_looptree_apply(t, step, strlen(step), "s", 0, NULL, &next, NULL))
			continue;
		lt_looptree_free(mine);
		t = mine = next;
		n += (size_t)snprintf(list + n, bytes - n, "%s%s", n ? "; " : "", step);
	}
	lt_looptree_free(mine);
}

Test(lanes_meet, those_of_a_reduction_never_meet)
{
	int64_t checked = 0, combined = 0;
	uint64_t first = must_number("LT_SEED", 1), n = must_draws("LT_TREES", 400);
	fprintf(stderr, "lanes of reductions: seeds %d .. %d\n", (int)first, (int)(first + n - 1));
	for (uint64_t seed = first; seed < first + n; seed++) {
		struct lt_context *ctx;
		struct random_graph r;
		struct lt_program *p;
		uint64_t rng = seed * 6151 + 1;
		char text[4000], steps[6000] = "";
		cr_assert_eq(lt_context_new(&ctx), LT_OK);
		random_nest_new(ctx, seed, 9, 0, &r, text, sizeof text);
		struct lt_options o = { .size = sizeof o, .backends = "ref", .no_passes = 1, .plan_only = 1 };
		cr_assert_eq(lt_compile(ctx, r.g, &o, &p), LT_OK, "%s", lt_context_message(ctx));
		draw_steps(p->tree, &rng, steps, sizeof steps);
		lt_program_free(p);
		o.apply = steps;
		if (lt_compile(ctx, r.g, &o, &p) == LT_OK) {    /* a tail that cannot be had is reported when the tree is frozen */
			for (int32_t i = 0; i < p->nests.n; i++) {
				struct walk w = { .t = &p->nests.frozen[i].tree, .seed = seed, .steps = steps };
				walk_tree(&w, &rng);
				checked += w.checked;
				combined += w.combined;
			}
			lt_program_free(p);
		}
		random_graph_free(&r);
		lt_context_free(ctx);
	}
	fprintf(stderr, "%lld reductions in lanes, %lld combines\n", (long long)checked, (long long)combined);
	cr_expect(n < 400 || (checked > 10000 && combined > 1000));
}
