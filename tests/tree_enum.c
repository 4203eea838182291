/* tree_enum.c -- a loop tree run trip by trip. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/tree_enum.h"

enum { DEEP = 40, RANK = 12 };
struct cell { int64_t element, count; };
struct memory { struct cell *cell; int64_t n, epoch; int64_t *base; };          /* epoch: trips of the owner so far */
struct trip { lt_tnode loop; int64_t number; };
struct event { lt_node value, by; bool write; int64_t epoch, cell; int n; struct trip path[DEEP]; };
struct run {
	struct lt_looptree *t;
	const struct lt_graph *g;
	const int64_t *param;
	struct memory *memory;          /* by node */
	int64_t *at, *span;             /* by var: where the loops so far stand, and what is left for the next one */
	int *named;                     /* by var: open loops over its own name */
	struct trip path[DEEP]; int n_path;
	struct event *event; int n_event, cap_event;
	char why[300];
};

static int64_t linear(const struct run *r, const struct lt_linear *l)
{
	int64_t v = l->constant;
	for (int32_t i = 0; i < l->n; i++)
		v += l->coef[i] * r->param[l->param[i]];
	return v;
}

static int64_t length(const struct run *r, lt_var v)
{
	const struct lt_vardef *d = &r->g->var[v];
	int64_t n = d->bounded ? linear(r, &d->limit) : d->extent;
	return n < 0 ? 0 : n < d->extent ? n : d->extent;
}

/* The number of a trip that element x of another var falls in. */
static int64_t trip_of(const struct lt_vardef *d, int64_t x) { return (d->span ? x % d->span : x) / d->unit; }

/* Where a var stands: the trip of a loop over another var, unless loops over its own name count it. */
static int64_t value_of(const struct run *r, lt_var v)
{
	const struct lt_vardef *d = &r->g->var[v];
	return d->unit && !r->named[v] ? trip_of(d, r->at[d->of]) : r->at[v];
}

static bool counts(const struct run *r, lt_tnode loop, lt_var v)
{
	const struct lt_tnodedef *l = &r->t->node[loop];
	const struct lt_vardef *d = &r->g->var[v];
	return d->unit && d->of == l->var && l->step >= d->unit && (!d->span || l->step < d->span);
}

/* The result's dim that is the number of this loop's trip; -1: none. */
static lt_var counted_by(const struct run *r, lt_node n, lt_tnode loop)
{
	const struct lt_leaf *leaf = r->t->leaf[n];
	for (int32_t i = 0; i < leaf->n_out; i++)
		if (counts(r, loop, leaf->var[i]))
			return leaf->var[i];
	return -1;
}

/* Whether the loop's trips are terms of the same elements. */
static bool reduced_by(const struct run *r, lt_node n, lt_tnode loop)
{
	const struct lt_leaf *leaf = r->t->leaf[n];
	for (int32_t i = leaf->n_out; i < leaf->n_var && counted_by(r, n, loop) < 0; i++)
		if (leaf->var[i] == r->t->node[loop].var || counts(r, loop, leaf->var[i]))
			return true;
	return false;
}

static bool is_reduction(const struct run *r, lt_node n)
{
	return r->g->node[n].reduce && lt__reducing_loop(r->t, n) >= 0;
}

/* Whether element x of var `of` is in the trips that the result's dims of element e say. */
static bool is_in_trip_count(const struct run *r, const struct lt_leaf *leaf, lt_var of, int64_t x, const int64_t *e)
{
	for (int32_t i = 0; i < leaf->n_out; i++) {
		const struct lt_vardef *d = &r->g->var[leaf->var[i]];
		if (d->unit && d->of == of && trip_of(d, x) != e[i])
			return false;
	}
	return true;
}

/* How many elements of var v are reduced into element e.  Of trips, least: those that have an element; others are
 * identities. */
static int64_t terms_along(const struct run *r, lt_node n, lt_var v, const int64_t *e, bool min)
{
	const struct lt_leaf *leaf = r->t->leaf[n];
	const struct lt_vardef *d = &r->g->var[v];
	int64_t count = 0;
	for (int64_t x = 0; x < length(r, v); x++) {
		bool found = !min || !d->unit;
		for (int64_t y = 0; !found && y < length(r, d->of); y++)
			found = trip_of(d, y) == x && is_in_trip_count(r, leaf, d->of, y, e);
		count += found && is_in_trip_count(r, leaf, v, x, e);
	}
	return count;
}

/* How many terms a complete element of a reduction has; -1: it is no loop's reduction. */
static int64_t terms(const struct run *r, lt_node n, const int64_t *e, bool min)
{
	const struct lt_leaf *leaf = r->t->leaf[n];
	int64_t product = 1;
	if (!is_reduction(r, n))
		return -1;
	for (int32_t i = leaf->n_out; i < leaf->n_var; i++)
		product *= terms_along(r, n, leaf->var[i], e, min);
	return product;
}

static void poison(struct run *r, lt_node n)
{
	struct memory *m = &r->memory[n];
	m->epoch++;
	for (int64_t i = 0; i < m->n; i++)
		m->cell[i] = (struct cell){ -1, 0 };
	for (int32_t i = 0; i < r->g->node[n].n_dim; i++)
		m->base[i] = r->t->scope[n].whole ? 0 : value_of(r, r->g->node[n].dim[i]);
}

static struct cell *find(struct run *r, lt_node u, const int64_t *e, lt_node by, bool write, int64_t *flat)
{
	const struct lt_nodedef *d = &r->g->node[u];
	struct memory *m = &r->memory[u];
	int64_t cell = 0;
	*flat = 0;
	for (int32_t i = 0; i < d->n_dim; i++) {
		int64_t index = e[i] - m->base[i], held = r->t->scope[u].extent[i];
		if (index < 0 || index >= held) {
			snprintf(r->why, sizeof r->why, "%%%s touches an element of %%%s that is not held", r->g->node[by].name, d->name);
			return NULL;
		}
		cell = cell * held + index;
		*flat = *flat * r->g->var[d->dim[i]].extent + e[i];
	}
	if (r->n_event == r->cap_event) {
		r->cap_event = 2 * r->cap_event + 64;
		r->event = realloc(r->event, sizeof *r->event * (size_t)r->cap_event);
	}
	struct event *x = &r->event[r->n_event++];
	*x = (struct event){ .value = u, .by = by, .write = write, .epoch = m->epoch, .cell = cell, .n = r->n_path };
	memcpy(x->path, r->path, sizeof r->path);
	return &m->cell[cell];
}

/* Whether the leaf of u writes element e in this run at all. */
static bool is_written(const struct run *r, lt_node u, const int64_t *e)
{
	const struct lt_nodedef *d = &r->g->node[u];
	for (int32_t i = 0; i < d->n_dim; i++) {
		bool update = d->op == LT_OP_update;
		int64_t low = update ? d->offset[i] + (d->at[i] >= 0 ? r->param[d->at[i]] : 0) : 0;
		int64_t n = length(r, update ? r->t->leaf[u]->var[i] : d->dim[i]);
		if (e[i] < low || e[i] >= low + n)
			return false;
	}
	return true;
}

static void read_element(struct run *r, lt_node u, const int64_t *e, lt_node by)
{
	int64_t flat;
	if (r->t->leaf_of[u] < 0 || !is_written(r, u, e))
		return;
	struct cell *c = find(r, u, e, by, false, &flat);
	if (!c)
		return;
	if (c->element != flat)
		snprintf(r->why, sizeof r->why, "%%%s reads element %lld of %%%s and finds %lld", r->g->node[by].name,
			(long long)flat, r->g->node[u].name, (long long)c->element);
	else if (is_reduction(r, u) && (c->count < terms(r, u, e, true) || c->count > terms(r, u, e, false)))
		snprintf(r->why, sizeof r->why, "%%%s reads element %lld of %%%s with %lld terms", r->g->node[by].name,
			(long long)flat, r->g->node[u].name, (long long)c->count);
}

static void apply(const struct run *r, const struct lt_map *m, const int64_t *dim, bool *holds, int64_t *out)
{
	int64_t param[RANK];
	for (int32_t i = 0; i < m->n_param; i++)
		param[i] = r->param[m->param[i]];
	*holds = lt__map_apply(m, param, dim, out);
}

static void read_operand(struct run *r, lt_node n, const struct lt_leaf *leaf, const struct lt_read *read)
{
	int64_t dim[2 * RANK] = { 0 }, e[RANK], axis = 1;
	const struct lt_nodedef *d = &r->g->node[n];
	if (leaf->gather && read == &leaf->read[0])
		axis = r->g->var[r->g->node[d->operand[0]].dim[d->axis]].extent;
	for (int32_t i = 0; i < leaf->n_var + leaf->n_trip; i++)
		dim[i] = value_of(r, leaf->var[i]);
	for (; axis-- > 0;)
		for (int32_t p = 0; p < read->n_piece; p++) {
			bool holds;
			if (leaf->gather)
				dim[leaf->n_var] = axis;
			apply(r, &read->piece[p].map, dim, &holds, e);
			if (!holds)
				continue;
			if (read->piece[p].kind == LT_PIECE_READ)
				read_element(r, read->piece[p].base, e, n);
			break;
		}
}

/* The element of n at the vars' present values. */
static void derived_element(const struct run *r, lt_node n, int64_t *e)
{
	const struct lt_nodedef *d = &r->g->node[n];
	const struct lt_leaf *leaf = r->t->leaf[n];
	for (int32_t i = 0; i < d->n_dim; i++)
		e[i] = d->op != LT_OP_update ? value_of(r, d->dim[i])
			: value_of(r, leaf->var[i]) + d->offset[i] + (d->at[i] >= 0 ? r->param[d->at[i]] : 0);
}

static void run_leaf(struct run *r, lt_node n)
{
	const struct lt_leaf *leaf = r->t->leaf[n];
	int64_t e[RANK], flat;
	for (int32_t k = 0; k < leaf->n_read && !*r->why; k++)
		read_operand(r, n, leaf, &leaf->read[k]);
	derived_element(r, n, e);
	struct cell *c = *r->why ? NULL : find(r, n, e, n, true, &flat);
	if (!c)
		return;
	if (!is_reduction(r, n))
		*c = (struct cell){ flat, 1 };
	else if (c->element != flat || c->count++ >= terms(r, n, e, false))
		snprintf(r->why, sizeof r->why, "%%%s adds to element %lld, whose cell holds %lld with %lld terms",
			r->g->node[n].name, (long long)flat, (long long)c->element, (long long)c->count);
}

/* Trips of var v that the open loops over what it counts leave. */
static int64_t left_of(const struct run *r, lt_var v)
{
	const struct lt_vardef *d = &r->g->var[v];
	int64_t left = d->extent;
	for (int i = 0; i < r->n_path; i++)
		if (r->path[i].loop >= 0 && counts(r, r->path[i].loop, v))
			left = r->t->node[r->path[i].loop].step / d->unit;
	return left < d->extent - value_of(r, v) ? left : d->extent - value_of(r, v);
}

/* The writer's loops over the result's vars from `loop[0]` on, then the identity. */
static void reset(struct run *r, lt_node n, const lt_tnode *loop, int32_t n_loop)
{
	if (n_loop == 0) {
		int64_t e[RANK], flat;
		derived_element(r, n, e);
		struct cell *c = find(r, n, e, n, true, &flat);
		if (c)
			*c = (struct cell){ flat, 0 };
		return;
	}
	const struct lt_tnodedef *d = &r->t->node[loop[0]];
	lt_var v = counted_by(r, n, loop[0]);
	int64_t step = v < 0 ? d->step : d->step / r->g->var[v].unit;
	if (v < 0)
		v = d->var;
	if (v == d->var && lt__leaf_column(r->t->leaf[n], v) >= r->t->leaf[n]->n_out) {
		reset(r, n, loop + 1, n_loop - 1);
		return;
	}
	int64_t at = r->at[v], span = r->span[v], start = value_of(r, v),
		left = v == d->var || r->named[v] ? span : left_of(r, v);
	r->named[v]++;
	for (int64_t c = 0; c * step < left && !*r->why; c++) {
		r->at[v] = start + c * step;
		r->span[v] = step < left - c * step ? step : left - c * step;
		r->path[r->n_path++] = (struct trip){ -1, c };
		reset(r, n, loop + 1, n_loop - 1);
		r->n_path--;
	}
	r->named[v]--;
	r->at[v] = at;
	r->span[v] = span;
}

static void run_node(struct run *r, lt_tnode at);

static void run_children(struct run *r, lt_tnode at)
{
	for (lt_tnode child = r->t->node[at].child; child >= 0 && !*r->why; child = r->t->node[child].next)
		run_node(r, child);
}

static void run_loop(struct run *r, lt_tnode at)
{
	const struct lt_tnodedef *d = &r->t->node[at];
	for (lt_node n = 0; n < r->g->n_node && !*r->why; n++) {
		lt_tnode above[DEEP];
		if (r->t->leaf_of[n] < 0 || !is_reduction(r, n) || lt__reducing_loop(r->t, n) != at)
			continue;
		int32_t n_above = lt__loops_above(r->t, r->t->leaf_of[n], above), first = 0;
		while (above[first] != at)
			first++;
		reset(r, n, above + first, n_above - first);
	}
	int64_t start = r->at[d->var], span = r->span[d->var];
	r->named[d->var]++;
	for (int64_t c = 0; c * d->step < span && !*r->why; c++) {
		r->at[d->var] = start + c * d->step;
		r->span[d->var] = d->step < span - c * d->step ? d->step : span - c * d->step;
		r->path[r->n_path++] = (struct trip){ at, c };
		for (lt_node n = 0; n < r->g->n_node; n++)
			if (r->t->leaf_of[n] >= 0 && !r->t->scope[n].whole && r->t->scope[n].owner == at)
				poison(r, n);
		run_children(r, at);
		r->n_path--;
	}
	r->named[d->var]--;
	r->at[d->var] = start;
	r->span[d->var] = span;
}

static void run_node(struct run *r, lt_tnode at)
{
	const struct lt_tnodedef *d = &r->t->node[at];
	if (d->kind == LT_TLEAF)
		run_leaf(r, d->leaf);
	else if (d->kind == LT_TLOOP)
		run_loop(r, at);
	else
		run_children(r, at);
}

static bool in_any_order(enum lt_loop_kind k)
{
	return k == LT_PARALLEL || k == LT_VECTOR || k == LT_GRID || k == LT_BLOCK;
}

/* Two trips of a loop that runs in any order meet in a cell, and one of them writes it. */
static bool meet(const struct run *r, const struct event *a, const struct event *b)
{
	if (a->value != b->value || a->epoch != b->epoch || a->cell != b->cell || !(a->write || b->write))
		return false;
	int i = 0;
	while (i < a->n && i < b->n && a->path[i].loop == b->path[i].loop && a->path[i].number == b->path[i].number)
		i++;
	if (i == a->n || i == b->n || a->path[i].loop != b->path[i].loop || a->path[i].loop < 0)
		return false;
	const struct lt_tnodedef *d = &r->t->node[a->path[i].loop];
	bool both = a->write && b->write && a->n == b->n && reduced_by(r, a->value, a->path[i].loop);
	return in_any_order(d->loop) && !(both && (d->loop == LT_VECTOR || d->loop == LT_BLOCK));
}

static void find_conflict(struct run *r)
{
	bool any = false;
	for (lt_tnode at = 0; at < r->t->n_node; at++)
		any = any || (r->t->node[at].kind == LT_TLOOP && in_any_order(r->t->node[at].loop));
	for (int i = 0; any && i < r->n_event && !*r->why; i++)
		for (int k = 0; k < i && !*r->why; k++)
			if (meet(r, &r->event[i], &r->event[k]))
				snprintf(r->why, sizeof r->why, "two trips of a loop meet in a cell of %%%s", r->g->node[r->event[i].value].name);
}

const char *tree_enumerate(struct lt_looptree *t, const int64_t *param)
{
	static char why[300];
	struct run r = { .t = t, .g = t->graph, .param = param };
	size_t n_node = (size_t)t->graph->n_node + 1;
	r.memory = calloc(n_node, sizeof *r.memory);
	r.at = calloc((size_t)t->graph->n_var + 1, sizeof *r.at);
	r.span = calloc((size_t)t->graph->n_var + 1, sizeof *r.span);
	r.named = calloc((size_t)t->graph->n_var + 1, sizeof *r.named);
	for (lt_var v = 0; v < t->graph->n_var; v++)
		r.span[v] = length(&r, v);
	for (lt_node n = 0; n < t->graph->n_node; n++) {
		if (t->leaf_of[n] < 0)
			continue;
		r.memory[n].n = 1;
		for (int32_t i = 0; i < t->graph->node[n].n_dim; i++)
			r.memory[n].n *= t->scope[n].extent[i];
		r.memory[n].cell = calloc((size_t)r.memory[n].n, sizeof *r.memory[n].cell);
		r.memory[n].base = calloc((size_t)t->graph->node[n].n_dim + 1, sizeof *r.memory[n].base);
		poison(&r, n);
	}
	for (lt_tnode root = t->root; root >= 0 && !*r.why; root = t->node[root].next)
		run_node(&r, root);
	if (!*r.why)
		find_conflict(&r);
	for (lt_node n = 0; n < t->graph->n_node; n++) {
		free(r.memory[n].cell);
		free(r.memory[n].base);
	}
	free(r.memory);
	free(r.at);
	free(r.span);
	free(r.named);
	free(r.event);
	memcpy(why, r.why, sizeof why);
	return why;
}
