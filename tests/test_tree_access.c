/* test_tree_access.c -- accesses and allocations as callers get them (lt/access.h) against enumeration: random trees
 * are run iteration by iteration, what each leaf reads is found by walking its views, and memory remembers which
 * element it holds. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include "check/random/must.h"
#include "lt/lt.h"
#include "program/run/run.h"
#include "tests/tree_marked.h"
#include "tests/view_walk.h"

TestSuite(tree_access, .timeout = 600);

enum { MAX_POINTS = 60000 };
/* base: by dim, where the iteration of the owner begins; iterations of it so far */
struct memory { int64_t n, *element, *base, iteration; };
struct enumeration {
	struct lt_looptree *t;
	const struct lt_graph *g;
	const int64_t *param;
	const char *steps;              /* for messages */
	struct lt_accesses *x;
	struct lt_array memory;         /* struct lt_allocation */
	struct memory *cells;           /* by node */
	int64_t *at, *span;             /* by var: where the loops so far stand, and what is left for the next one */
	int *named;                     /* by var: open loops over its own name */
	int64_t *trip;                  /* by column of loops */
	int64_t *runs, *allowed;        /* by leaf: how often it ran; how many iterations its bounds allow */
	int64_t points, cells_read, gathers, divs, guards, bounds, layouts, turns, locals, padded, frozen, varying;
};

static const struct lt_leaf_access *access_at(const struct enumeration *e, uint32_t i)
{
	return LT_AT(struct lt_leaf_access, e->x->accesses, i);
}

/* The text of lt/access.h, and nothing of the library. */
static int64_t row_value(const struct enumeration *e, int32_t row)
{
	const struct lt_accesses *x = e->x;
	const int64_t *c = x->rows + (size_t)row * (size_t)x->n_column;
	int64_t value = c[0];
	for (int32_t p = 0; p < x->n_param; p++)
		value += c[1 + p] * e->param[LT_AT(struct lt_access_param, x->params, p)->param];
	for (int32_t l = 0; l < x->n_loop; l++)
		value += c[1 + x->n_param + l] * e->trip[l];
	for (int32_t d = 0; d < x->n_div; d++) {
		const struct lt_access_div *div = LT_AT(struct lt_access_div, x->divs, d);
		const int64_t k = c[1 + x->n_param + x->n_loop + d];
		if (!k)
			continue;
		const int64_t n = row_value(e, div->row);
		value += k * (n >= 0 ? n / div->den : -((-n + div->den - 1) / div->den));
	}
	return value;
}

static bool all_hold(const struct enumeration *e, int32_t first, int32_t n)
{
	for (int32_t i = 0; i < n; i++)
		if (row_value(e, e->x->guards[first + i]) < 0)
			return false;
	return true;
}

/* Where a var stands: the number of the iteration of a loop over another var, unless loops over its own name count
 * it. */
static int64_t value_of(const struct enumeration *e, lt_var v)
{
	const struct lt_vardef *d = &e->g->var[v];
	return d->unit && !e->named[v] ? (d->span ? e->at[d->of] % d->span : e->at[d->of]) / d->unit : e->at[v];
}

static void poison(struct enumeration *e, lt_node n)
{
	for (int64_t i = 0; i < e->cells[n].n; i++)
		e->cells[n].element[i] = -1;
	for (int32_t i = 0; i < e->g->node[n].n_dim; i++)
		e->cells[n].base[i] = e->t->leaf_of[n] < 0 || e->t->scope[n].whole ? 0 : value_of(e, e->g->node[n].dim[i]);
}

static int64_t flat_of(const struct enumeration *e, lt_node n, const int64_t *index)
{
	int64_t flat = 0;
	for (int32_t i = 0; i < e->g->node[n].n_dim; i++)
		flat = flat * (e->g->var[e->g->node[n].dim[i]].extent + 1) + index[i];
	return flat;
}

/* Where docs/tree.md says that an element lies, by the digits of a layout, slowest first, or by its dims. */
static int64_t place_of(const struct enumeration *e, const struct lt_allocation *m, const int64_t *index)
{
	const struct memory *c = &e->cells[m->node];
	const struct lt_memlayout *l = e->t->layout[m->node];
	int64_t place = 0, all = 1;
	for (int32_t i = 0; i < m->n_extent && !l; i++)
		place = place * m->extent[i] + index[i] - c->base[i];
	for (int32_t k = l ? l->n - 1 : -1; k >= 0; k--) {
		const struct lt_digit *d = &l->digit[k];
		const int64_t span = d->span ? d->span : m->extent[d->dim], i = index[d->dim] - c->base[d->dim];
		place += (d->span ? i % d->span : i) / d->step * all;
		all = all * ((span + d->step - 1) / d->step) + d->pad;
	}
	return place + (m->buffers > 1 ? c->iteration % m->buffers * (m->elements / m->buffers) : 0);
}

static int64_t *cell_of(struct enumeration *e, const struct lt_leaf_access *a, const int64_t *index)
{
	const struct lt_allocation *m = LT_AT(struct lt_allocation, e->memory, a->value);
	const int64_t place = row_value(e, a->place), want = place_of(e, m, index);
	cr_assert(place == want && place >= 0 && place < m->elements, "%s: %s: place %lld of %lld, not %lld", e->steps,
		a->text, (long long)place, (long long)m->elements, (long long)want);
	return &e->cells[a->value].element[place];
}

static bool is_written(const struct enumeration *e, lt_node u, const int64_t *index)
{
	const struct lt_nodedef *d = &e->g->node[u];
	for (int32_t i = 0; i < d->n_dim && d->op == LT_OP_update; i++) {
		const int64_t low = d->offset[i] + (d->at[i] >= 0 ? e->param[d->at[i]] : 0);
		if (index[i] < low || index[i] >= low + walk_extent(e->g, e->param, e->g->node[d->operand[1]].dim[i]))
			return false;
	}
	return true;
}

static void check_element(struct enumeration *e, const struct lt_leaf_access *a, const int64_t *want)
{
	for (int32_t i = 0; i < a->n_row; i++)
		cr_assert_eq(row_value(e, a->first_row + i), want[i], "%s: %s: index %d is %lld, not %lld", e->steps, a->text,
			(int)i, (long long)row_value(e, a->first_row + i), (long long)want[i]);
	int64_t *cell = cell_of(e, a, want);
	const int64_t flat = flat_of(e, a->value, want);
	if (a->does != LT_DOES_READ) {
		*cell = flat;
	} else if (e->t->leaf_of[a->value] >= 0 && is_written(e, a->value, want)) {
		/* a sum of no terms was reset and nothing else */
		cr_assert(*cell == flat || (*cell == -1 && e->g->node[a->value].reduce),
			"%s: %s: finds element %lld, not %lld", e->steps, a->text, (long long)*cell, (long long)flat);
		e->cells_read++;
	}
}

static void check_operand(struct enumeration *e, lt_tnode leaf, int32_t k)
{
	const lt_node n = e->t->node[leaf].leaf;
	const struct lt_nodedef *d = &e->g->node[n], *x = &e->g->node[d->operand[k]];
	const bool gathered = d->op == LT_OP_gather && k == 0;
	int32_t column = 0;
	int64_t axis = 1, index[LT_MAX_RANK];
	if (gathered) {
		axis = e->g->var[x->dim[d->axis]].extent;
		for (uint32_t i = 0; i < e->x->accesses.n; i++)
			if (access_at(e, i)->leaf == leaf && access_at(e, i)->operand == 0)
				for (int32_t l = 0; l < e->x->n_loop; l++)
					if (LT_AT(struct lt_access_loop, e->x->loops, l)->loop < 0
						&& e->x->rows[(size_t)(access_at(e, i)->first_row + d->axis) * (size_t)e->x->n_column + 1
							+ (size_t)e->x->n_param + (size_t)l])
						column = l;
		if (LT_AT(struct lt_access_loop, e->x->loops, column)->loop >= 0)
			return;         /* through a view, which may give a div */
		e->gathers++;
	}
	for (; axis-- > 0;) {
		struct walk_found want;
		const struct lt_leaf_access *a = NULL;
		for (int32_t i = 0; i < x->n_dim; i++)
			index[i] = gathered && i == d->axis ? axis : value_of(e, x->dim[i]);
		if (gathered)
			e->trip[column] = axis;
		walk_views(e->g, e->param, d->operand[k], index, &want);
		for (uint32_t i = 0; i < e->x->accesses.n && !a; i++) {
			const struct lt_leaf_access *p = access_at(e, i);
			if (p->leaf == leaf && p->operand == k && all_hold(e, p->first_guard, p->n_guard))
				a = p;
		}
		cr_assert(a, "%s: %%%s has no access to operand %d", e->steps, d->name, (int)k);
		cr_assert_eq(a->value, want.base, "%s: %s", e->steps, a->text);
		if (want.base >= 0)
			check_element(e, a, want.at);
		else if (a->kind == LT_AFFINE)
			cr_assert_eq(row_value(e, a->first_row), want.position, "%s: %s", e->steps, a->text);
		else
			cr_assert(a->kind == LT_IMMEDIATE && a->bits == want.bits, "%s: %s", e->steps, a->text);
		if (gathered)
			e->trip[column] = 0;
	}
}

/* The library's value of a row is ours, and the derivative what one iteration more of a loop adds. */
static void check_row(struct enumeration *e, int32_t row)
{
	const struct lt_accesses *x = e->x;
	int64_t param[LT_MAX_RANK] = { 0 }, along;
	for (int32_t p = 0; p < x->n_param; p++)
		param[p] = e->param[LT_AT(struct lt_access_param, x->params, p)->param];
	const int64_t value = lt_accesses_value(x, row, param, e->trip);
	cr_assert_eq(value, row_value(e, row), "%s", e->steps);
	for (int32_t l = 0; l < x->n_loop; l++) {
		const bool constant = lt_accesses_along(x, row, l, &along);
		e->trip[l]++;
		cr_assert(!constant || row_value(e, row) - value == along, "%s", e->steps);
		e->trip[l]--;
		e->varying += !constant;
	}
}

static void run_leaf(struct enumeration *e, lt_tnode at)
{
	const lt_node n = e->t->node[at].leaf;
	const struct lt_nodedef *d = &e->g->node[n];
	int64_t index[LT_MAX_RANK];
	e->runs[at]++;
	e->points++;
	for (int32_t k = d->op == LT_OP_update; k < d->n_operand; k++)
		check_operand(e, at, k);
	for (int32_t i = 0; i < d->n_dim; i++)
		index[i] = d->op != LT_OP_update ? value_of(e, d->dim[i])
			: value_of(e, e->g->node[d->operand[1]].dim[i]) + d->offset[i] + (d->at[i] >= 0 ? e->param[d->at[i]] : 0);
	for (uint32_t i = 0; i < e->x->accesses.n; i++) {
		const struct lt_leaf_access *a = access_at(e, i);
		if (a->leaf != at)
			continue;
		cr_assert(all_hold(e, a->first_bound, a->n_bound), "%s: %s: out of its bounds", e->steps, a->text);
		for (int32_t r = a->first_row; r < a->first_row + a->n_row + (a->place >= 0) && e->points % 61 == 1; r++)
			check_row(e, r);
		if (a->operand < 0) {
			cr_assert_eq(a->does, d->reduce ? LT_DOES_ADD : LT_DOES_WRITE);
			cr_assert_eq(a->value, n);
			check_element(e, a, index);
		}
	}
}

static int32_t column_of(const struct enumeration *e, lt_tnode loop)
{
	for (int32_t l = 0; l < e->x->n_loop; l++)
		if (LT_AT(struct lt_access_loop, e->x->loops, l)->loop == loop)
			return l;
	return -1;
}

static void run_node(struct enumeration *e, lt_tnode at)
{
	const struct lt_tnodedef *d = &e->t->node[at];
	if (d->kind == LT_TLEAF) {
		run_leaf(e, at);
		return;
	}
	if (d->kind == LT_TGROUP) {
		for (lt_tnode c = d->child; c >= 0; c = e->t->node[c].next)
			run_node(e, c);
		return;
	}
	const int64_t start = e->at[d->var], span = e->span[d->var];
	const int32_t column = column_of(e, at);
	e->named[d->var]++;
	for (int64_t c = 0; c * d->step < span; c++) {
		e->at[d->var] = start + c * d->step;
		e->span[d->var] = d->step < span - c * d->step ? d->step : span - c * d->step;
		e->trip[column] = c;
		cr_assert_lt(c, LT_AT(struct lt_access_loop, e->x->loops, column)->trip_count, "%s", e->steps);
		for (lt_node n = 0; n < e->g->n_node; n++)
			if (LT_AT(struct lt_allocation, e->memory, n)->owner == at) {
				e->cells[n].iteration = c;
				poison(e, n);
			}
		for (lt_tnode child = d->child; child >= 0; child = e->t->node[child].next)
			run_node(e, child);
	}
	e->trip[column] = 0;
	e->named[d->var]--;
	e->at[d->var] = start;
	e->span[d->var] = span;
}

/* How many iterations of the loops around a leaf its bounds allow; -1: there are too many. */
static int64_t count_allowed(struct enumeration *e, lt_tnode leaf)
{
	lt_tnode loop[64];
	int64_t extent[64], at[64] = { 0 }, all = 1, n_allowed = 0;
	const int32_t n = lt__loops_above(e->t, leaf, loop);
	const struct lt_leaf_access *a = NULL;
	for (uint32_t i = 0; i < e->x->accesses.n && !a; i++)
		a = access_at(e, i)->leaf == leaf ? access_at(e, i) : NULL;
	for (int32_t i = 0; i < n; i++) {
		extent[i] = LT_AT(struct lt_access_loop, e->x->loops, column_of(e, loop[i]))->trip_count;
		all *= extent[i];
		if (all > MAX_POINTS)
			return -1;
	}
	do {
		for (int32_t i = 0; i < n; i++)
			e->trip[column_of(e, loop[i])] = at[i];
		n_allowed += all_hold(e, a->first_bound, a->n_bound);
	} while (walk_next(n, extent, at));
	memset(e->trip, 0, (size_t)(e->x->n_loop + 1) * sizeof *e->trip);
	return n_allowed;
}

static int64_t points_of(const struct lt_looptree *t, lt_tnode root)
{
	int64_t sum = 0;
	for (lt_tnode at = root; at >= 0; at = lt_looptree_after(t, at)) {
		int64_t n = 1;
		if (lt__root_of(t, at) != root)
			break;
		if (t->node[at].kind != LT_TLEAF)
			continue;
		for (lt_tnode up = t->node[at].parent; up >= 0; up = t->node[up].parent)
			n = lt__mul_sat(n, lt_looptree_trip_count(t, up));
		sum = lt__add_sat(sum, n);
	}
	return sum;
}

static void check_root(struct enumeration *e, lt_tnode root)
{
	cr_assert_eq(lt_looptree_access(e->t, root, LT_OMIT, &e->x), LT_OK, "%s: %s", e->steps, lt_context_message(e->t->ctx));
	e->trip = calloc((size_t)e->x->n_loop + 1, sizeof *e->trip);
	run_node(e, root);
	e->divs += e->x->n_div;
	for (lt_tnode at = root; at >= 0 && lt__root_of(e->t, at) == root; at = lt_looptree_after(e->t, at))
		if (e->t->node[at].kind == LT_TLEAF) {
			const int64_t n = count_allowed(e, at);
			cr_assert(n < 0 || n == e->runs[at], "%s: %%%s runs %lld times, its bounds allow %lld", e->steps,
				e->g->node[e->t->node[at].leaf].name, (long long)e->runs[at], (long long)n);
		}
	for (uint32_t i = 0; i < e->x->accesses.n; i++) {
		e->guards += access_at(e, i)->n_guard;
		e->bounds += access_at(e, i)->n_bound;
	}
	free(e->trip);
	lt_accesses_free(e->x);
}

/* All of a tree with these values of its params. */
static void check_tree(struct lt_looptree *t, const int64_t *param, const char *steps, struct enumeration *sum)
{
	struct enumeration e = { .t = t, .g = t->graph, .param = param, .steps = steps };
	const size_t n_node = (size_t)e.g->n_node + 1, n_var = (size_t)e.g->n_var + 1;
	int64_t points = 0;
	for (lt_tnode root = t->root; root >= 0; root = t->node[root].next)
		points = lt__add_sat(points, points_of(t, root));
	if (points > MAX_POINTS)
		return;
	cr_assert_eq(lt_looptree_allocations(t, &e.memory), LT_OK, "%s: %s", steps, lt_context_message(t->ctx));
	cr_assert_eq(e.memory.n, (uint32_t)e.g->n_node);
	e.cells = calloc(n_node, sizeof *e.cells);
	e.at = calloc(n_var, sizeof *e.at);
	e.span = calloc(n_var, sizeof *e.span);
	e.named = calloc(n_var, sizeof *e.named);
	e.runs = calloc((size_t)t->n_node + 1, sizeof *e.runs);
	for (lt_var v = 0; v < e.g->n_var; v++)
		e.span[v] = walk_extent(e.g, param, v);
	for (lt_node n = 0; n < e.g->n_node; n++) {
		e.cells[n].n = LT_AT(struct lt_allocation, e.memory, n)->elements;
		e.cells[n].element = calloc((size_t)e.cells[n].n + 1, sizeof *e.cells[n].element);
		e.cells[n].base = calloc(LT_MAX_RANK, sizeof *e.cells[n].base);
		poison(&e, n);
		e.layouts += LT_AT(struct lt_allocation, e.memory, n)->layout != NULL;
		e.turns += LT_AT(struct lt_allocation, e.memory, n)->buffers > 1;
		e.locals += LT_AT(struct lt_allocation, e.memory, n)->owner >= 0
			&& LT_AT(struct lt_allocation, e.memory, n)->elements > 1;
	}
	for (lt_tnode at = 0; at < t->n_node; at++)
		e.padded += t->node[at].tail == LT_PAD;
	for (lt_tnode root = t->root; root >= 0; root = t->node[root].next)
		check_root(&e, root);
	for (lt_node n = 0; n < e.g->n_node; n++) {
		free(e.cells[n].element);
		free(e.cells[n].base);
	}
	free(e.cells);
	free(e.at);
	free(e.span);
	free(e.named);
	free(e.runs);
	sum->points += e.points;
	sum->cells_read += e.cells_read;
	sum->gathers += e.gathers;
	sum->divs += e.divs;
	sum->guards += e.guards;
	sum->bounds += e.bounds;
	sum->layouts += e.layouts;
	sum->turns += e.turns;
	sum->locals += e.locals;
	sum->padded += e.padded;
	sum->varying += e.varying;
}

/* Takes up to `wanted` random steps that are legal; the tree is the caller's to free. */
static struct lt_looptree *draw_tree(
	const struct lt_looptree *from, uint64_t *rng, int wanted, char *steps, size_t bytes)
{
	struct lt_looptree *t = NULL, *next;
	char step[1000];
	int kind;
	cr_assert_eq(lt_looptree_apply(from, "", 0, NULL, 0, NULL, &t, NULL), LT_OK);
	for (int tries = 0; tries < 30 && wanted > 0 && t->n_node < 300; tries++) {
		if (!random_step(t, rng, "call tile", &kind, step, sizeof step)
			|| lt_looptree_apply(t, step, strlen(step), "s", 0, NULL, &next, NULL))
			continue;
		const size_t n = strlen(steps);
		(void)snprintf(steps + n, bytes - n, "; %s", step);
		lt_looptree_free(t);
		t = next;
		wanted--;
	}
	return t;
}

/* The locals of frozen trees, which a loop that is peeled or has lanes may make smaller or add to: each of a value has
 * as many elements as its allocation. */
static int64_t check_frozen(struct lt_program *p, const char *steps)
{
	struct lt_array memory;
	int64_t compared = 0;
	for (lt_tnode at = 0; at < p->tree->n_node; at++)
		if (p->tree->node[at].tail == LT_PEEL)
			return 0;
	cr_assert_eq(lt_looptree_allocations(p->tree, &memory), LT_OK);
	for (int32_t k = 0; k < p->nests.n; k++)
		for (uint32_t i = 0; i < p->nests.frozen[k].tree.buffers.n; i++) {
			const struct lt_buffer *b = LT_AT(struct lt_buffer, p->nests.frozen[k].tree.buffers, i);
			const lt_node n = b->role == LT_LOCAL ? lt_graph_find_node(p->tree->graph, b->name) : LT_NONE;
			if (n == LT_NONE)
				continue;
			const struct lt_allocation *m = LT_AT(struct lt_allocation, memory, n);
			cr_assert(m->lives == LT_LIVES_LOCAL && m->elements == b->elems, "%s: %%%s has %lld elements, frozen %lld", steps,
				m->name, (long long)m->elements, (long long)b->elems);
			compared++;
		}
	return compared;
}

static void draw(uint64_t seed, bool nests, struct enumeration *sum)
{
	char steps[8000], text[4000];
	struct walk_graph l = { 0 };
	struct lt_program *p = NULL;
	struct lt_looptree *plain;
	uint64_t rng = seed * 77;
	if (nests) {
		const struct lt_options o = { .size = sizeof o, .backends = "ref", .plan_only = 1, .no_passes = 1 };
		cr_assert_eq(lt_context_new(&l.ctx), LT_OK);
		random_nest_new(l.ctx, seed, 9, 0, &l.r, text, sizeof text);
		cr_assert_eq(lt_compile(l.ctx, l.r.g, &o, &p), LT_OK, "%s", lt_context_message(l.ctx));
		plain = p->tree;
	} else {
		l = walk_lower(seed);
		cr_assert_eq(lt_looptree_auto(l.g, NULL, &plain), LT_OK, "%s", lt_context_message(l.ctx));
	}
	for (int round = 0; round < 3; round++) {
		struct lt_program *run = NULL;
		(void)snprintf(steps, sizeof steps, "seed %llu%s", (unsigned long long)seed, nests ? " of nests" : "");
		struct lt_looptree *t = draw_tree(plain, &rng, 1 + 3 * round, steps, sizeof steps);
		int64_t *param = calloc((size_t)t->graph->n_param + 1, sizeof *param);
		if (walk_params(t->graph, &rng, param))
			check_tree(t, param, steps, sum);
		free(param);
		const char *list = strstr(steps, "; ");
		const struct lt_options o = { .size = sizeof o, .backends = "ref", .plan_only = 1, .no_passes = 1,
			.apply = list ? list + 2 : "" };
		/* a tail that cannot be had is said when the tree is frozen */
		if (nests && list && !lt_compile(l.ctx, l.r.g, &o, &run))
			sum->frozen += check_frozen(run, steps);
		lt_program_free(run);
		lt_looptree_free(t);
	}
	if (nests) {
		lt_program_free(p);
		random_graph_free(&l.r);
		lt_context_free(l.ctx);
	} else {
		lt_looptree_free(plain);
		walk_free(&l);
	}
}

Test(tree_access, random_trees_run_iteration_by_iteration)
{
	struct enumeration sum = { 0 };
	const uint64_t first = must_number("LT_SEED", 1), n = (uint64_t)must_draws("LT_TREES", 300);
	for (uint64_t seed = first; seed < first + n; seed++) {
		draw(seed, false, &sum);
		draw(seed, true, &sum);
	}
	fprintf(stderr, "%lld points, %lld reads of what was written, %lld gathers, %lld divs, %lld guards, %lld bounds, "
		"%lld layouts, %lld buffers in turn, %lld tiles, %lld padded loops, "
		"%lld locals of frozen trees\n", (long long)sum.points,
		(long long)sum.cells_read, (long long)sum.gathers, (long long)sum.divs, (long long)sum.guards,
		(long long)sum.bounds, (long long)sum.layouts, (long long)sum.turns, (long long)sum.locals, (long long)sum.padded,
		(long long)sum.frozen);
	cr_assert(n < 100 || (sum.points > 200000 && sum.cells_read > 100000 && sum.divs > 20 && sum.guards > 100
		&& sum.bounds > 100 && sum.layouts > 20 && sum.turns > 5 && sum.locals > 50 && sum.padded > 20
		&& sum.frozen > 200 && sum.varying > 20));
}

/* Nothing in the answer is the tree's. */
Test(tree_access, the_answer_outlives_its_tree)
{
	static const char text[] = "graph 1\nvar i 6\nvar t 9 limit 1 + 1*p\nvar one 1\nparam p = %pos[0] in 0..8\n"
		"%pos = i64[one] input \"pos\"\n%x = f32[i, t] input \"x\"\n%s = f32[i] add.reduce %x\n%y = f32[i] neg %s\n"
		"result \"y\" = %y\n";
	static const char *const names[] = { "i", "i'", "t" };
	static const int64_t iterations[] = { 2, 4, 9 };
	static const char *const want[] = { "%s reads %x[4*i + i', t] at 36*i + 9*i' + t", "%s adds to %s[4*i + i'] at 0" };
	struct lt_context *ctx;
	struct lt_graph *g;
	struct lt_looptree *t;
	struct lt_accesses *x, *one;
	lt_tnode at;
	cr_assert_eq(lt_context_new(&ctx), LT_OK);
	cr_assert_eq(lt_graph_parse(ctx, text, strlen(text), "test", &g), LT_OK, "%s", lt_context_message(ctx));
	t = tree_marked(g, "i step 4\n i'\n  t\n   %s\n  %y\n");
	cr_assert_eq(lt_looptree_find(t, "i'", &at), LT_OK);
	cr_assert_eq(lt_looptree_access(t, at, LT_OMIT, &x), LT_OK, "%s", lt_context_message(ctx));
	cr_assert_eq(lt_looptree_access(t, at, lt_graph_find_node(g, "x"), &one), LT_OK, "%s", lt_context_message(ctx));
	lt_looptree_free(t);
	lt_graph_free(g);
	for (uint32_t i = 0; i < 2; i++)
		cr_assert_str_eq(LT_AT(struct lt_leaf_access, x->accesses, i)->text, want[i]);
	cr_assert(x->accesses.n == 4 && one->accesses.n == 1 && x->n_param == 1 && x->n_loop == 3);
	cr_assert_str_eq(LT_AT(struct lt_leaf_access, one->accesses, 0)->text, want[0]);
	cr_assert_str_eq(LT_AT(struct lt_access_param, x->params, 0)->name, "p");
	for (int32_t l = 0; l < 3; l++) {
		const struct lt_access_loop *loop = LT_AT(struct lt_access_loop, x->loops, l);
		cr_assert(loop->inside == (l > 0) && loop->trip_count == iterations[l]);
		cr_assert_str_eq(loop->name, names[l]);
	}
	/* 4*i + i' <= 5, and t below 1 + p */
	const struct lt_leaf_access *s = LT_AT(struct lt_leaf_access, x->accesses, 0);
	cr_assert_eq(s->n_bound, 2);
	for (int64_t p = 0; p <= 8; p++)
		for (int64_t point = 0; point < 2 * 4 * 9; point++) {
			const int64_t trip[] = { point / 36, point / 9 % 4, point % 9 };
			bool holds = true;
			for (int32_t i = 0; i < 2; i++)
				holds = holds && lt_accesses_value(x, x->guards[s->first_bound + i], &p, trip) >= 0;
			cr_assert_eq(holds, 4 * trip[0] + trip[1] < 6 && trip[2] < 1 + p);
		}
	lt_accesses_free(x);
	lt_accesses_free(one);
	lt_accesses_free(NULL);
	lt_context_free(ctx);
}
