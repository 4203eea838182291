/* test_frozen.c -- frozen trees against enumeration: each statement at each of its trips must read and write
 * the elements that a walk through the views gives. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "looptree/tree/tree.h"
#include "program/run/run.h"
#include "tests/view_walk.h"

TestSuite(frozen, .timeout = 300);

struct frozen {
	const struct walk_graph *l;
	const struct lt_program *p;
	const struct lt_frozen *f;
	const int64_t *param;
	int64_t *column;
	uint64_t seed; int64_t checked;
};

static int64_t row(const struct frozen *z, int32_t r)
{
	const struct lt_tree *t = &z->f->tree;
	int64_t sum = 0;
	for (int32_t c = 0; c < t->n_column; c++)
		sum += t->rows[(int64_t)r * t->n_column + c] * z->column[c];
	return sum;
}

static void fill_divs(struct frozen *z)
{
	const struct lt_tree *t = &z->f->tree;
	for (int32_t d = 0; d < t->n_div; d++) {
		const struct lt_div *div = LT_AT(struct lt_div, t->divs, d);
		int64_t *to = &z->column[1 + t->n_param + t->n_loop + d];
		*to = 0;
		int64_t sum = row(z, div->row);
		*to = sum >= 0 ? sum / div->den : -((-sum + div->den - 1) / div->den);
	}
}

/* Position along a var at a statement: the sum of the counters of its loops. */
static int64_t position(const struct frozen *z, int32_t loop, const char *var)
{
	const struct lt_tree *t = &z->f->tree;
	int64_t sum = 0;
	size_t n = strlen(var);
	for (; loop >= 0; loop = LT_AT(struct lt_loop, t->loops, loop)->parent) {
		const struct lt_loop *l = LT_AT(struct lt_loop, t->loops, loop);
		if (!strncmp(l->var, var, n) && strspn(l->var + n, "'") == strlen(l->var + n))
			sum += l->step * z->column[1 + t->n_param + loop];
	}
	return sum;
}

static void check_operand(
	struct frozen *z, const struct lt_stmt *s, lt_node n, const struct lt_operand *o, lt_node operand)
{
	const struct lt_tree *t = &z->f->tree;
	const struct lt_graph *g = z->p->tree->graph;
	const struct lt_nodedef *x = &g->node[operand];
	int64_t index[LT_MAX_RANK];
	struct walk_found want;
	for (int32_t i = 0; i < x->n_dim; i++)
		index[i] = position(z, s->loop, g->var[x->dim[i]].name);
	walk_views(g, z->param, operand, index, &want);
	for (int32_t p = 0; p < o->n_piece; p++) {
		const struct lt_piece *piece = LT_AT(struct lt_piece, t->pieces, o->first_piece + p);
		bool holds = true;
		for (int32_t i = 0; i < piece->n_guard; i++)
			holds = holds && row(z, t->guards[piece->first_guard + i]) >= 0;
		if (!holds)
			continue;
		z->checked++;
		if (piece->kind == LT_IMMEDIATE) {
			cr_assert(want.base < 0 && piece->bits == want.bits, "seed %d: %%%s", (int)z->seed, g->node[n].name);
		} else if (piece->kind == LT_AFFINE) {
			cr_assert(want.base < 0 && row(z, piece->row) == want.position, "seed %d: %%%s", (int)z->seed, g->node[n].name);
		} else {
			const struct lt_access *a = LT_AT(struct lt_access, t->accesses, piece->access);
			const struct lt_buffer *b = LT_AT(struct lt_buffer, t->buffers, a->buffer);
			int64_t at = row(z, a->row);
			cr_assert_geq(want.base, 0);
			cr_assert(at >= 0 && at < b->elems, "seed %d: %%%s reads element %lld of %lld", (int)z->seed,
				g->node[n].name, (long long)at, (long long)b->elems);
			if (b->slot < 0)
				return;
			const struct lt_location *location = &z->p->nests.assigned.location[want.base];
			int64_t element = location->offset;
			for (int32_t i = 0; i < g->node[want.base].n_dim; i++)
				element += location->stride[i] * want.at[i];
			const struct lt_bind *bind = &z->f->bind[b->slot];
			cr_assert(bind->storage == location->storage && bind->offset + at == element,
				"seed %d: %%%s reads element %lld of storage %d, not %lld of %d", (int)z->seed,
				g->node[n].name, (long long)(bind->offset + at), bind->storage, (long long)element,
				location->storage);
		}
		return;
	}
	cr_assert(false, "seed %d: no piece of %%%s holds", (int)z->seed, g->node[n].name);
}

static void check_stmt(struct frozen *z, int32_t i)
{
	const struct lt_stmt *s = LT_AT(struct lt_stmt, z->f->tree.stmts, i);
	lt_node n = z->f->node[i];
	const struct lt_graph *g = z->p->tree->graph;
	const struct lt_nodedef *d = &g->node[n];
	const struct lt_access *dest = LT_AT(struct lt_access, z->f->tree.accesses, s->dest);
	const struct lt_buffer *b = LT_AT(struct lt_buffer, z->f->tree.buffers, dest->buffer);
	int64_t at = row(z, dest->row), element;
	cr_assert(at >= 0 && at < b->elems, "seed %d: %%%s writes element %lld of %lld", (int)z->seed, d->name,
		(long long)at, (long long)b->elems);
	if (b->slot >= 0) {
		const struct lt_nodedef *shape = d->op == LT_OP_update ? &g->node[d->operand[1]] : d;
		const struct lt_location *location = &z->p->nests.assigned.location[n];
		element = location->offset;
		for (int32_t k = 0; k < d->n_dim; k++)
			element += location->stride[k] * (position(z, s->loop, g->var[shape->dim[k]].name)
				+ (d->op == LT_OP_update ? d->offset[k] + (d->at[k] >= 0 ? z->param[d->at[k]] : 0) : 0));
		cr_assert_eq(z->f->bind[b->slot].offset + at, element, "seed %d: %%%s", (int)z->seed, d->name);
	}
	if (s->kind == LT_RESET || d->op == LT_OP_gather)
		return;
	for (int32_t k = 0; k < s->n_operand; k++)
		check_operand(z, s, n, LT_AT(struct lt_operand, z->f->tree.operands, s->first_operand + k),
			d->operand[k + (d->op == LT_OP_update)]);
}

/* The statements below a loop (-1: the kernel) in order, as lt/tree.h says; deeper loops as a whole. */
static void run_loop(struct frozen *z, int32_t loop, int32_t first, int32_t n)
{
	const struct lt_tree *t = &z->f->tree;
	for (int32_t i = first; i < first + n;) {
		int32_t child = LT_AT(struct lt_stmt, t->stmts, i)->loop;
		if (child == loop) {
			check_stmt(z, i++);
			continue;
		}
		while (LT_AT(struct lt_loop, t->loops, child)->parent != loop)
			child = LT_AT(struct lt_loop, t->loops, child)->parent;
		const struct lt_loop *l = LT_AT(struct lt_loop, t->loops, child);
		int64_t trip_count = l->max_trip_count;
		for (int32_t k = 0; k < l->n_bound; k++) {
			int64_t most = row(z, t->bounds[l->first_bound + k]);
			trip_count = most < trip_count ? most : trip_count;
		}
		for (int64_t trip = 0; trip < trip_count; trip++) {
			z->column[1 + t->n_param + child] = trip;
			fill_divs(z);
			run_loop(z, child, l->first_stmt, l->n_stmt);
		}
		z->column[1 + t->n_param + child] = 0;
		fill_divs(z);
		i = l->first_stmt + l->n_stmt;
	}
}

Test(frozen, rows_and_guards_equal_a_walk_through_the_views)
{
	int64_t checked = 0;
	for (uint64_t seed = 1; seed <= 200; seed++) {
		struct walk_graph l = walk_lower(seed);
		struct lt_program *p;
		uint64_t rng = seed;
		cr_assert_eq(
			lt_compile(l.ctx, l.r.g,
				&(struct lt_options){
					.size = sizeof(struct lt_options), .backends = "ref", .no_passes = seed % 2 },
				&p),
			LT_OK, "%s", lt_context_message(l.ctx));
		int64_t *param = calloc((size_t)p->tree->graph->n_param + 1, sizeof *param);
		if (walk_params(p->tree->graph, &rng, param))
			for (int32_t i = 0; i < p->nests.n; i++) {
				const struct lt_tree *t = &p->nests.frozen[i].tree;
				struct frozen z = { .l = &l, .p = p, .f = &p->nests.frozen[i], .param = param, .seed = seed,
					.column = calloc((size_t)t->n_column, sizeof(int64_t)) };
				z.column[0] = 1;
				for (int32_t k = 0; k < t->n_param; k++) {
					const struct lt_tparam *q = LT_AT(struct lt_tparam, t->params, k);
					const struct lt_bind *bind = &z.f->bind[LT_AT(struct lt_buffer, t->buffers, q->buffer)->slot];
					z.column[1 + k] = param[bind->offset + q->element];
				}
				fill_divs(&z);
				run_loop(&z, -1, 0, (int32_t)t->stmts.n);
				checked += z.checked;
				free(z.column);
			}
		free(param);
		lt_program_free(p);
		walk_free(&l);
	}
	cr_assert_gt(checked, 100000);
}
