/* examples/plugin/llvm/sum.c -- reductions of a vector loop onto one element: a vector of sums inside, folded once
 * behind the loop. */
#include "gen.h"

/* Whether a row is the same in all trips of l and of the loops in it. */
static bool stands(const struct gen *g, int32_t row, int32_t l)
{
	const struct lt_tree *t = g->t;
	const int64_t *r = row_at(t, row);
	for (int32_t i = 0; i < t->n_loop; i++)
		if (r[loop_column(t, i)] && is_around(t, l, i))
			return false;
	for (int32_t d = 0; d < t->n_div; d++)
		if (r[div_column(t, d)] && is_around(t, l, LT_AT(struct lt_div, t->divs, d)->loop))
			return false;
	return true;
}

/* Whether a statement in loop l other than `stmt` has to do with the buffer, or `stmt` beside its destination. */
static bool is_used(const struct gen *g, int32_t l, int32_t stmt, int32_t root)
{
	const struct lt_tree *t = g->t;
	const struct lt_loop *loop = loop_at(g, l);
	for (int32_t i = loop->first_stmt; i < loop->first_stmt + loop->n_stmt; i++) {
		const struct lt_stmt *s = LT_AT(struct lt_stmt, t->stmts, i);
		if (s->kind == LT_BARRIER)
			continue;
		if (i != stmt && lt_llvm_is_of(g, s->dest, root))
			return true;
		if (lt_llvm_reads(g, s, root))
			return true;
	}
	return false;
}

static bool is_sum(const struct gen *g, int32_t l, int32_t stmt)
{
	const struct lt_stmt *s = LT_AT(struct lt_stmt, g->t->stmts, stmt);
	if (s->kind != LT_COMBINE || s->n_guard > 0)
		return false;
	const struct lt_access *a = LT_AT(struct lt_access, g->t->accesses, s->dest);
	return a->index < 0 && stands(g, a->row, l)
		&& !is_around(g->t, l, LT_AT(struct lt_buffer, g->t->buffers, a->buffer)->scope)
		&& g->place[a->buffer].exclusive && !is_used(g, l, stmt, g->place[a->buffer].root);
}

void lt_llvm_begin_sums(struct gen *g, int32_t l)
{
	const struct lt_loop *loop = loop_at(g, l);
	for (int32_t i = loop->first_stmt; i < loop->first_stmt + loop->n_stmt; i++) {
		const struct lt_stmt *st = LT_AT(struct lt_stmt, g->t->stmts, i);
		if (!is_sum(g, l, i) || (st->loop == l && loop->max_trip_count < 2 * (int64_t)g->plan[l].lanes))
			continue;
		const struct lt_op *op = LT_AT(struct lt_op, g->t->ops, st->op);
		struct sum *s = lt_llvm_alloc(g, 1, sizeof *s);
		s->stmt = i;
		s->lanes = g->plan[l].lanes;
		s->vector = lt_llvm_local(g, lt_llvm_type(&g->e, op->out, s->lanes));
		s->next = g->sums;
		g->sums = s;
		LLVMBuildStore(g->e.b, lt_llvm_immediate(&g->e, op->out, op->identity, s->lanes), s->vector);
	}
}

void lt_llvm_end_sums(struct gen *g, struct sum *outside)
{
	for (; g->sums != outside; g->sums = g->sums->next) {
		const struct sum *s = g->sums;
		const struct lt_stmt *st = LT_AT(struct lt_stmt, g->t->stmts, s->stmt);
		const struct lt_op *op = LT_AT(struct lt_op, g->t->ops, st->op);
		LLVMValueRef v = LLVMBuildLoad2(g->e.b, lt_llvm_type(&g->e, op->out, s->lanes), s->vector, "");
		lt_llvm_reduce(g, s->stmt, (struct value){ lt_llvm_fold(&g->e, op, v, s->lanes), true });
	}
}
