/* backends/cgen/plan.c -- how each loop is printed: what the text can carry out of what its kind allows.
 *
 * unroll:    copies of the body, as long as a nest of them prints no more than MAX_STATEMENTS; else a loop that the
 *            compiler is told to unroll, so that the locals that it indexes stay arrays.
 * vector:    vectors of as many lanes as the widest type in the loop leaves of a register.  The innermost vector loop
 *            of a nest is the one; those around it are unrolled.  Where a loop inside has other trips in each lane, it
 *            is a plain loop.
 * parallel:  the outermost one, with those nested perfectly in it; others inside run in one thread.
 */
#include "backends/cgen/gen.h"
#include "backends/cgen/vector.h"

enum { MAX_STATEMENTS = 1024, MAX_STRAIGHT = 8 };

static const struct lt_loop *loop_at(const struct gen *g, int32_t l) { return LT_AT(struct lt_loop, g->t->loops, l); }

bool lt__gen_around(const struct lt_tree *t, int32_t a, int32_t b)
{
	while (b >= 0 && b != a)
		b = LT_AT(struct lt_loop, t->loops, b)->parent;
	return b == a;
}

static uint32_t bytes_of(uint32_t dtype) { return dtype ? lt__element_bytes(dtype) : 1; }

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
			LT_AT(struct lt_type, t->types,
				LT_AT(struct lt_buffer, t->buffers,
					LT_AT(struct lt_access, t->accesses, s->dest)->buffer)
					->type)
				->dtype };
		for (int32_t k = 0; k < s->n_operand && k < 3; k++)
			type[5 + k] = LT_AT(struct lt_operand, t->operands, s->first_operand + k)->dtype;
		for (int k = 0; k < 8; k++) {
			uint32_t bytes = type[k] < LT_NDTYPE ? bytes_of(type[k]) : 8;
			most = bytes > most ? bytes : most;
		}
	}
	return most;
}

/* Whether a row depends on loop l, through divs too. */
static bool depends(const struct gen *g, int32_t row, int32_t l)
{
	const struct lt_tree *t = g->t;
	const int64_t *r = row_at(t, row);
	if (r[loop_column(t, l)])
		return true;
	for (int32_t d = 0; d < t->n_div; d++)
		if (r[div_column(t, d)] && depends(g, LT_AT(struct lt_div, t->divs, d)->row, l))
			return true;
	return false;
}

static bool bounds_depend(const struct gen *g, int32_t inner, int32_t on)
{
	const struct lt_loop *l = loop_at(g, inner);
	for (int32_t b = 0; b < l->n_bound; b++)
		if (depends(g, g->t->bounds[l->first_bound + b], on))
			return true;
	return false;
}

static bool lanes_agree(const struct gen *g, int32_t v)
{
	for (int32_t l = v + 1; l < g->t->n_loop; l++)
		if (lt__gen_around(g->t, v, l) && bounds_depend(g, l, v))
			return false;
	return true;
}

/* Whether a bound row may leave fewer trips than the most. */
static bool is_bounded(const struct gen *g, const struct lt_loop *l)
{
	for (int32_t b = 0; b < l->n_bound; b++) {
		struct range r = lt__gen_range(g, g->t->bounds[l->first_bound + b]);
		if (!r.known || r.low < l->max_trip_count)
			return true;
	}
	return false;
}

static void unroll(const struct gen *g, struct plan *p, const struct lt_loop *l)
{
	p->mode = MODE_HINT;
	if (!is_bounded(g, l) && !p->parallel && l->max_trip_count <= MAX_STATEMENTS / (p->cost ? p->cost : 1))
		p->mode = MODE_COPIES;
}

static void vectorize(struct gen *g, int32_t i)
{
	struct plan *p = &g->plan[i];
	const struct lt_loop *l = loop_at(g, i);
	int most = (int)((g->d->vector_bytes < LT_VECTOR_BYTES ? g->d->vector_bytes : LT_VECTOR_BYTES) / widest(g, l));
	p->lanes = 1;
	while (p->lanes * 2 <= most && p->lanes * 2 <= l->max_trip_count)
		p->lanes *= 2;
	p->mode = MODE_FOR;
	if ((p->vector || l->max_trip_count == 1) && !p->parallel)
		unroll(g, p, l);
	else if (!p->parallel && p->lanes > 1 && lanes_agree(g, i))
		p->mode = MODE_LANES;
	p->vector = p->vector || p->mode == MODE_LANES;
	p->masked = is_bounded(g, l);
	int64_t n = l->max_trip_count / p->lanes;
	p->straight = n <= MAX_STRAIGHT && n * p->cost <= MAX_STATEMENTS;
}

/* Statements printed for all trips. */
static int64_t printed(const struct plan *p, const struct lt_loop *l)
{
	int64_t copies = p->mode == MODE_COPIES ? l->max_trip_count : 1;
	if (p->mode == MODE_LANES) {
		copies = (p->straight ? l->max_trip_count / p->lanes : 1)
			+ __builtin_popcountll((uint64_t)(l->max_trip_count % p->lanes));
		copies *= p->masked ? 2 : 1;
	}
	return copies * p->cost;
}

static bool owns_locals(const struct gen *g, int32_t l)
{
	for (uint32_t b = 0; b < g->t->buffers.n; b++) {
		const struct lt_buffer *buffer = LT_AT(struct lt_buffer, g->t->buffers, b);
		if (buffer->role == LT_LOCAL && buffer->scope == l)
			return true;
	}
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

static void collapse(struct gen *g, int32_t first)
{
	struct plan *p = &g->plan[first];
	p->n_collapsed = 1;
	for (int32_t l = first, inner; (inner = only_child(g, l)) >= 0; l = inner) {
		const struct lt_loop *in = loop_at(g, inner);
		if (in->kind != LT_PARALLEL || owns_locals(g, l) || p->n_collapsed == MAX_COLLAPSED)
			return;
		for (int32_t up = l; ; up = loop_at(g, up)->parent) {
			if (bounds_depend(g, inner, up))
				return;
			if (up == first)
				break;
		}
		g->plan[inner].mode = MODE_COLLAPSED;
		p->n_collapsed++;
	}
}

/* Parallel loops, outermost first: one inside another that is shared out already is a plain loop. */
static void regions(struct gen *g)
{
	for (int32_t i = 0; i < g->t->n_loop; i++) {
		bool inside = false;
		const struct lt_loop *l = loop_at(g, i);
		for (int32_t up = l->parent; up >= 0; up = loop_at(g, up)->parent)
			inside = inside || g->plan[up].mode == MODE_REGION;
		if (l->kind == LT_PARALLEL && !inside && l->max_trip_count > 1 && g->d->regions) {
			g->plan[i].mode = MODE_REGION;
			collapse(g, i);
		}
	}
}

void lt__gen_plan(struct gen *g)
{
	const struct lt_tree *t = g->t;
	g->plan = lt__pool_alloc(&g->pool, (size_t)t->n_loop, sizeof *g->plan);
	for (uint32_t s = 0; s < t->stmts.n; s++) {
		int32_t l = LT_AT(struct lt_stmt, t->stmts, s)->loop;
		if (l >= 0)
			g->plan[l].cost++;
	}
	for (int32_t i = t->n_loop; i-- > 0; ) {
		const struct lt_loop *l = loop_at(g, i);
		struct plan *p = &g->plan[i];
		p->parallel = p->parallel || (l->kind == LT_PARALLEL && l->max_trip_count > 1);
		p->mode = g->d->head[l->kind] == LT_HEAD_BLOCK ? MODE_BLOCK : MODE_FOR;
		if (l->kind == LT_UNROLL)
			unroll(g, p, l);
		else if (l->kind == LT_VECTOR)
			vectorize(g, i);
		if (l->parent >= 0) {
			struct plan *up = &g->plan[l->parent];
			up->parallel = up->parallel || p->parallel;
			up->vector = up->vector || p->vector;
			up->cost += printed(p, l);
		}
	}
	regions(g);
}
