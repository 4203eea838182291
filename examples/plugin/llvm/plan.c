/* examples/plugin/llvm/plan.c -- how each loop is emitted: what the code can carry out of what its kind allows.
 *
 * unroll:    copies of the body, as long as a nest of them is no more than MAX_STATEMENTS; else a loop.
 * vector:    vectors of as many lanes as the widest type in the loop leaves of a register.  The innermost vector loop
 *            of a nest is the one; those around it are unrolled.  Where a loop inside has other trips in each lane, it
 *            is a plain loop.
 * serial:    a loop, of several trips at a time where they make tiles (tile.c); copies where all its trips are no more
 *            than MAX_SMALL statements, so that locals can be registers.
 * parallel:  the outermost one, with those nested perfectly in it; others inside run in one thread.
 */
#include "gen.h"

enum { MAX_STATEMENTS = 1024, MAX_STRAIGHT = 8, MAX_SMALL = 64 };

static uint32_t bytes_of(uint32_t dtype) { return dtype && dtype < LT_NDTYPE ? lt_llvm_bytes(dtype) : 1; }

/* Bytes of the widest type that a statement of loop l has in a lane. */
static uint32_t widest(const struct gen *g, const struct lt_loop *l)
{
	const struct lt_tree *t = g->t;
	uint32_t most = 1;
	for (int32_t i = l->first_stmt; i < l->first_stmt + l->n_stmt; i++) {
		const struct lt_stmt *s = LT_AT(struct lt_stmt, t->stmts, i);
		if (s->kind == LT_BARRIER)
			continue;
		const struct lt_op *op = LT_AT(struct lt_op, t->ops, s->op);
		uint32_t type[8] = { op->out, op->in[0], op->in[1], op->in[2],
			buffer_dtype(t, LT_AT(struct lt_access, t->accesses, s->dest)->buffer) };
		for (int32_t k = 0; k < s->n_operand && k < 3; k++)
			type[5 + k] = LT_AT(struct lt_operand, t->operands, s->first_operand + k)->dtype;
		for (int k = 0; k < 8; k++)
			most = bytes_of(type[k]) > most ? bytes_of(type[k]) : most;
	}
	return most;
}

/* Whether a row depends on loop l, through divs too. */
static bool depends(const struct lt_tree *t, int32_t row, int32_t l)
{
	const int64_t *r = row_at(t, row);
	if (r[loop_column(t, l)])
		return true;
	for (int32_t d = 0; d < t->n_div; d++)
		if (r[div_column(t, d)] && depends(t, LT_AT(struct lt_div, t->divs, d)->row, l))
			return true;
	return false;
}

static bool bounds_depend(const struct gen *g, int32_t inner, int32_t on)
{
	const struct lt_loop *l = loop_at(g, inner);
	for (int32_t b = 0; b < l->n_bound; b++)
		if (depends(g->t, g->t->bounds[l->first_bound + b], on))
			return true;
	return false;
}

/* Whether the loops in v have the same trips in each of its lanes. */
static bool lanes_agree(const struct gen *g, int32_t v)
{
	for (int32_t l = v + 1; l < g->t->n_loop; l++)
		if (is_around(g->t, v, l) && bounds_depend(g, l, v))
			return false;
	return true;
}

static bool is_bounded(const struct gen *g, const struct lt_loop *l)
{
	for (int32_t b = 0; b < l->n_bound; b++) {
		struct range r = lt_llvm_range(g, g->t->bounds[l->first_bound + b]);
		if (!r.known || r.low < l->max_trip_count)
			return true;
	}
	return false;
}

static void unroll(struct plan *p, const struct lt_loop *l, int64_t most)
{
	if (!p->bounded && !p->parallel && l->max_trip_count <= most / (p->cost ? p->cost : 1))
		p->mode = MODE_COPIES;
}

static void vectorize(struct gen *g, int32_t i)
{
	struct plan *p = &g->plan[i];
	const struct lt_loop *l = loop_at(g, i);
	uint32_t most = g->e.vector_bytes / widest(g, l);
	while (p->lanes * 2 <= most && p->lanes * 2 <= l->max_trip_count)
		p->lanes *= 2;
	if ((p->vector || l->max_trip_count == 1) && !p->parallel)
		unroll(p, l, MAX_STATEMENTS);
	else if (!p->parallel && p->lanes > 1 && lanes_agree(g, i))
		p->mode = MODE_LANES;
	p->vector = p->vector || p->mode == MODE_LANES;
	int64_t n = l->max_trip_count / p->lanes;
	p->straight = n <= MAX_STRAIGHT && n * p->cost <= MAX_STATEMENTS;
}

/* Statements emitted for all trips. */
static int64_t emitted(const struct plan *p, const struct lt_loop *l)
{
	int64_t copies = p->mode == MODE_COPIES ? l->max_trip_count : 1;
	if (p->mode == MODE_LANES)
		copies = (p->straight                 ? l->max_trip_count / p->lanes
					 : p->bounded ? 2
						      : 1)
			+ __builtin_popcountll((uint64_t)(l->max_trip_count % p->lanes));
	return copies * p->cost;
}

static bool owns_locals(const struct gen *g, int32_t l)
{
	for (uint32_t b = 0; b < g->t->buffers.n; b++)
		if (LT_AT(struct lt_buffer, g->t->buffers, b)->role == LT_LOCAL
			&& LT_AT(struct lt_buffer, g->t->buffers, b)->scope == l)
			return true;
	return false;
}

/* The loop that is all there is in loop l, or -1. */
static int32_t only_child(const struct gen *g, int32_t l)
{
	const struct lt_loop *outer = loop_at(g, l);
	for (int32_t i = l + 1; i < g->t->n_loop; i++) {
		const struct lt_loop *inner = loop_at(g, i);
		if (inner->parent == l)
			return inner->first_stmt == outer->first_stmt && inner->n_stmt == outer->n_stmt ? i : -1;
	}
	return -1;
}

/* The parallel loops that are all there is in `first`, and have the same trips in each trip of it, are shared out with
 * it. */
static void collapse(struct gen *g, int32_t first)
{
	struct plan *p = &g->plan[first];
	p->mode = MODE_REGION;
	p->n_collapsed = 1;
	for (int32_t l = first, inner; p->n_collapsed < LT_LLVM_COLLAPSED && (inner = only_child(g, l)) >= 0; l = inner) {
		if (loop_at(g, inner)->kind != LT_PARALLEL || owns_locals(g, l))
			return;
		for (int32_t up = first; up <= l; up++)
			if (is_around(g->t, up, l) && is_around(g->t, first, up) && bounds_depend(g, inner, up))
				return;
		g->plan[inner].mode = MODE_COLLAPSED;
		p->n_collapsed++;
	}
}

void lt_llvm_plan(struct gen *g)
{
	const struct lt_tree *t = g->t;
	for (uint32_t s = 0; s < t->stmts.n; s++) {
		int32_t l = LT_AT(struct lt_stmt, t->stmts, s)->loop;
		if (l >= 0)
			g->plan[l].cost++;
	}
	for (int32_t i = t->n_loop; i-- > 0; ) {
		const struct lt_loop *l = loop_at(g, i);
		struct plan *p = &g->plan[i];
		p->parallel = p->parallel || (l->kind == LT_PARALLEL && l->max_trip_count > 1);
		p->bounded = is_bounded(g, l);
		p->mode = l->kind == LT_GROUP ? MODE_ONCE : MODE_COUNTED;
		p->lanes = 1;
		if (l->kind == LT_UNROLL)
			unroll(p, l, MAX_STATEMENTS);
		else if (l->kind == LT_SERIAL)
			unroll(p, l, MAX_SMALL);
		else if (l->kind == LT_VECTOR)
			vectorize(g, i);
		if (l->parent >= 0) {
			struct plan *up = &g->plan[l->parent];
			up->parallel = up->parallel || p->parallel;
			up->vector = up->vector || p->vector;
			up->cost += emitted(p, l);
		}
	}
	for (int32_t i = 0; i < t->n_loop; i++) {
		bool inside = g->plan[i].mode == MODE_COLLAPSED;
		for (int32_t up = loop_at(g, i)->parent; up >= 0; up = loop_at(g, up)->parent)
			inside = inside || g->plan[up].mode == MODE_REGION;
		if (loop_at(g, i)->kind == LT_PARALLEL && loop_at(g, i)->max_trip_count > 1 && !inside)
			collapse(g, i);
	}
}
