/* brute.c -- a frozen tree run statement by statement for its counts alone, and the index space of a graph walked
 * point by point. */
#include <stdlib.h>
#include <string.h>
#include "check/random/must.h"
#include "tests/brute.h"

struct runner { const struct lt_tree *x; const int64_t *param; int64_t *trip; struct brute *out; };

/* Operators that move or choose; all others compute. */
static bool is_move(const char *name)
{
	static const char *const moves[] = { "copy", "select", "cast", "view", "gather", "update", "lit", "index",
		"input", "constant", "state" };
	for (size_t i = 0; i < sizeof moves / sizeof *moves; i++)
		if (!strcmp(name, moves[i]))
			return true;
	return false;
}

static int64_t value_of(const struct runner *r, int32_t row)
{
	const struct lt_tree *x = r->x;
	const int64_t *at = x->rows + (int64_t)row * x->n_column;
	int64_t v = at[0];
	for (int32_t i = 0; i < x->n_param; i++)
		v += at[1 + i] * r->param[i];
	for (int32_t i = 0; i < x->n_loop; i++)
		v += at[1 + x->n_param + i] * r->trip[i];
	for (int32_t i = 0; i < x->n_div; i++) {
		const struct lt_div *d = LT_AT(struct lt_div, x->divs, i);
		int64_t n;
		if (!at[1 + x->n_param + x->n_loop + i])
			continue;
		n = value_of(r, d->row);
		v += at[1 + x->n_param + x->n_loop + i] * (n >= 0 ? n / d->den : -((-n + d->den - 1) / d->den));
	}
	return v;
}

static bool holds(const struct runner *r, int32_t first, int32_t n)
{
	for (int32_t i = 0; i < n; i++)
		if (value_of(r, r->x->guards[first + i]) < 0)
			return false;
	return true;
}

static void touch(const struct runner *r, int32_t access, unsigned char how)
{
	const struct lt_access *a = LT_AT(struct lt_access, r->x->accesses, access);
	const struct lt_buffer *b = LT_AT(struct lt_buffer, r->x->buffers, a->buffer);
	if (a->index >= 0)
		touch(r, a->index, 1);
	if (b->slot < 0)
		return;
	int64_t at = value_of(r, a->row);       /* of a gather the first: which it is stands in the data */
	must(at >= 0 && at < b->elems, "an access outside of its slot");
	r->out->touched[b->slot][at] |= how;
}

static void run_stmt(const struct runner *r, const struct lt_stmt *s)
{
	if (s->kind >= LT_BARRIER || !holds(r, s->first_guard, s->n_guard))
		return;
	r->out->instances++;
	r->out->operations += s->kind != LT_RESET && !is_move(LT_AT(struct lt_op, r->x->ops, s->op)->name);
	touch(r, s->dest, 2);
	for (int32_t k = 0; k < s->n_operand; k++) {
		const struct lt_operand *o = LT_AT(struct lt_operand, r->x->operands, s->first_operand + k);
		for (int32_t p = 0; p < o->n_piece; p++) {
			const struct lt_piece *piece = LT_AT(struct lt_piece, r->x->pieces, o->first_piece + p);
			if (!holds(r, piece->first_guard, piece->n_guard))
				continue;
			if (piece->kind == LT_READ)
				touch(r, piece->access, 1);
			break;
		}
	}
}

/* The child of loop l that holds the statement's loop. */
static int32_t child_of(const struct lt_tree *x, int32_t l, int32_t loop)
{
	while (LT_AT(struct lt_loop, x->loops, loop)->parent != l)
		loop = LT_AT(struct lt_loop, x->loops, loop)->parent;
	return loop;
}

static void run_loop(const struct runner *r, int32_t l, bool first);

static void run_body(const struct runner *r, int32_t l, bool first)
{
	const struct lt_tree *x = r->x;
	int32_t at = l < 0 ? 0 : LT_AT(struct lt_loop, x->loops, l)->first_stmt;
	int32_t end = l < 0 ? (int32_t)x->stmts.n : at + LT_AT(struct lt_loop, x->loops, l)->n_stmt;
	while (at < end && r->out->instances <= BRUTE_MAX) {
		const struct lt_stmt *s = LT_AT(struct lt_stmt, x->stmts, at);
		if (s->loop == l) {
			run_stmt(r, s);
			at++;
			continue;
		}
		int32_t child = child_of(x, l, s->loop);
		run_loop(r, child, first);
		at = LT_AT(struct lt_loop, x->loops, child)->first_stmt + LT_AT(struct lt_loop, x->loops, child)->n_stmt;
	}
}

/* first: all loops around are in their first trips. */
static void run_loop(const struct runner *r, int32_t l, bool first)
{
	const struct lt_loop *d = LT_AT(struct lt_loop, r->x->loops, l);
	int64_t trip_count = d->max_trip_count, before = r->out->operations;
	for (int32_t i = 0; i < d->n_bound; i++) {
		int64_t max = value_of(r, r->x->bounds[d->first_bound + i]);
		trip_count = max < trip_count ? max : trip_count;
	}
	for (r->trip[l] = 0; r->trip[l] < trip_count && r->out->instances <= BRUTE_MAX; r->trip[l]++)
		run_body(r, l, first && r->trip[l] == 0);
	r->trip[l] = 0;
	if (first)
		r->out->first_run[l] = r->out->operations - before;
}

bool brute_run(const struct lt_tree *x, const int64_t *param, struct brute *out)
{
	int64_t *trip = calloc((size_t)x->n_loop + 1, sizeof *trip);
	struct runner r = { x, param, trip, out };
	*out = (struct brute){ .first_run = calloc((size_t)x->n_loop + 1, sizeof *out->first_run),
		.touched = calloc((size_t)x->n_slot + 1, sizeof *out->touched) };
	must(trip && out->first_run && out->touched, "out of memory");
	for (int32_t i = 0; i < x->n_loop; i++)
		out->first_run[i] = -1;
	for (uint32_t i = 0; i < x->buffers.n; i++) {
		const struct lt_buffer *b = LT_AT(struct lt_buffer, x->buffers, i);
		if (b->slot >= 0 && !out->touched[b->slot])
			must((out->touched[b->slot] = calloc((size_t)b->elems + 1, 1)) != NULL, "out of memory");
	}
	run_body(&r, -1, true);
	free(trip);
	return out->instances <= BRUTE_MAX;
}

void brute_free(const struct lt_tree *x, struct brute *b)
{
	for (int32_t i = 0; i < x->n_slot; i++)
		free(b->touched[i]);
	free(b->touched);
	free(b->first_run);
}

/* -- a graph -- */

static int64_t extent_of(const struct lt_graph *g, lt_var v, const int64_t *param)
{
	const struct lt_vardef *d = &g->var[v];
	int64_t extent = d->bounded ? d->limit.constant : d->extent;
	for (int32_t i = 0; d->bounded && i < d->limit.n; i++)
		extent += d->limit.coef[i] * param[d->limit.param[i]];
	return extent < 0 ? 0 : extent;
}

/* Points of the node's dims and of those that it reduces, each visited. */
static int64_t visit(const struct lt_graph *g, const lt_var *var, int32_t n, const int64_t *param, int64_t max)
{
	int64_t count = 0;
	if (n == 0)
		return 1;
	for (int64_t i = 0; i < extent_of(g, var[0], param) && count <= max; i++)
		count += visit(g, var + 1, n - 1, param, max - count);
	return count;
}

int64_t brute_graph(const struct lt_graph *g, const bool *without, const int64_t *param)
{
	int64_t sum = 0;
	for (lt_node x = 0; x < g->n_node && sum <= BRUTE_MAX; x++) {
		const struct lt_nodedef *d = &g->node[x];
		lt_var var[200];
		int32_t n = 0;
		if (is_move(lt__op_info(d->op)->name) || without[x])
			continue;
		for (int32_t i = 0; i < d->n_dim; i++)
			var[n++] = d->dim[i];
		for (int32_t i = 0; d->reduce && i < g->node[d->operand[0]].n_dim; i++) {
			bool kept = false;
			for (int32_t k = 0; k < d->n_dim; k++)
				kept = kept || d->dim[k] == g->node[d->operand[0]].dim[i];
			if (!kept)
				var[n++] = g->node[d->operand[0]].dim[i];
		}
		sum += visit(g, var, n, param, BRUTE_MAX);
	}
	return sum > BRUTE_MAX ? -1 : sum;
}
