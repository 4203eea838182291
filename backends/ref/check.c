/* check.c -- whether a frozen tree is well formed: every index in its table, every type as declared. */
#include "backends/ref/ref.h"

#define BAD(loop, stmt, ...) return lt__report(diag, LT_EILLEGAL, (loop), (stmt), NULL, __VA_ARGS__)
static bool in(int64_t i, int64_t n) { return i >= 0 && i < n; }
static bool span(int64_t first, int64_t n, int64_t all) { return n >= 0 && first >= 0 && first <= all - n; }

static lt_status check_loops(const struct lt_tree *t, struct lt_diag *diag)
{
	for (int32_t i = 0; i < t->n_loop; i++) {
		const struct lt_loop *l = LT_AT(struct lt_loop, t->loops, i);
		if (l->parent < -1 || l->parent >= i || l->max_trip_count < 1)
			BAD(i, -1, "loop %d: parent %d, at most %lld iterations", (int)i, (int)l->parent, (long long)l->max_trip_count);
		if (!span(l->first_stmt, l->n_stmt, t->stmts.n))
			BAD(i, -1, "loop %d: statements %d+%d of %u", (int)i, (int)l->first_stmt, (int)l->n_stmt, (unsigned)t->stmts.n);
		for (int32_t b = 0; b < l->n_bound; b++)
			if (!in(t->bounds[l->first_bound + b], t->n_row))
				BAD(i, -1, "loop %d: its bound is row %d of %d", (int)i, (int)t->bounds[l->first_bound + b], (int)t->n_row);
	}
	for (int32_t i = 0; i < t->n_div; i++) {
		const struct lt_div *d = LT_AT(struct lt_div, t->divs, i);
		if (!in(d->row, t->n_row) || !in((int64_t)d->loop + 1, (int64_t)t->n_loop + 1) || d->den < 1)
			BAD(-1, -1, "division %d: row %d, loop %d, denominator %lld", (int)i, (int)d->row, (int)d->loop, (long long)d->den);
	}
	return LT_OK;
}

static lt_status check_buffers(const struct lt_tree *t, struct lt_diag *diag)
{
	for (int32_t i = 0; i < (int32_t)t->buffers.n; i++) {
		const struct lt_buffer *b = LT_AT(struct lt_buffer, t->buffers, i);
		int64_t bytes;
		if (!in(b->type, t->types.n) || b->elems < 0 || b->alias_of < -1 || b->alias_of >= i || b->scope < -1
			|| b->scope >= t->n_loop
			|| (b->role == LT_LOCAL ? b->slot != -1 && b->alias_of < 0 : !in(b->slot, t->n_slot)))
			BAD(-1, -1, "buffer %d (%s): type %d, slot %d, scope %d", (int)i, b->name ? b->name : "?",
				(int)b->type, (int)b->slot, (int)b->scope);
		if (__builtin_mul_overflow(b->elems, (int64_t)sizeof(union lt_number), &bytes))
			BAD(-1, -1, "buffer %d (%s): %lld elements", (int)i, b->name ? b->name : "?", (long long)b->elems);
		if (b->depth < 0 || (b->depth > 1 && b->elems % b->depth != 0))
			BAD(-1, -1, "buffer %d (%s): %lld elements, %d in turn", (int)i, b->name ? b->name : "?",
				(long long)b->elems, (int)b->depth);
		if (LT_AT_HAS(struct lt_buffer, t->buffers, swizzle) && b->swizzle != 0 && b->swizzle != 32 && b->swizzle != 64
			&& b->swizzle != 128)
			BAD(-1, -1, "buffer %d (%s): swizzle of %d bytes", (int)i, b->name ? b->name : "?", (int)b->swizzle);
	}
	for (int32_t i = 0; i < t->n_param; i++) {
		const struct lt_tparam *p = LT_AT(struct lt_tparam, t->params, i);
		if (!in(p->buffer, t->buffers.n) || !in(p->element, LT_AT(struct lt_buffer, t->buffers, p->buffer)->elems)
		    || LT_AT(struct lt_type, t->types, LT_AT(struct lt_buffer, t->buffers, p->buffer)->type)->dtype != LT_I64)
			BAD(-1, -1, "param %d (%s): element %lld of buffer %d", (int)i, p->name ? p->name : "?",
				(long long)p->element, (int)p->buffer);
	}
	for (int32_t i = 0; i < (int32_t)t->accesses.n; i++) {
		const struct lt_access *a = LT_AT(struct lt_access, t->accesses, i);
		uint32_t depth = 0;
		if (!in(a->buffer, t->buffers.n) || !in(a->row, t->n_row) || !in((int64_t)a->index + 1, (int64_t)t->accesses.n + 1))
			BAD(-1, -1, "access %d: buffer %d, row %d, index %d", (int)i, (int)a->buffer, (int)a->row, (int)a->index);
		for (int32_t k = 0; k < a->n_bound; k++)
			if (a->first_bound < 0 || !in(t->bounds[a->first_bound + k], t->n_row))
				BAD(-1, -1, "access %d: bound %d", (int)i, (int)k);
		for (int32_t of = a->index; of >= 0 && of < (int32_t)t->accesses.n;
			of = LT_AT(struct lt_access, t->accesses, of)->index)
			if (depth++ == t->accesses.n)
				BAD(-1, -1, "access %d is an index of itself", (int)i);
	}
	return LT_OK;
}

static uint32_t access_type(const struct lt_tree *t, int32_t access)
{
	int32_t buffer = LT_AT(struct lt_access, t->accesses, access)->buffer;
	return LT_AT(struct lt_type, t->types, LT_AT(struct lt_buffer, t->buffers, buffer)->type)->dtype;
}

static lt_status check_operand(const struct lt_tree *t, int32_t s, const struct lt_operand *o, struct lt_diag *diag)
{
	if (!span(o->first_piece, o->n_piece, t->pieces.n) || o->n_piece == 0)
		BAD(-1, s, "statement %d: pieces %d+%d of %u", (int)s, (int)o->first_piece, (int)o->n_piece, (unsigned)t->pieces.n);
	for (int32_t i = 0; i < o->n_piece; i++) {
		const struct lt_piece *p = LT_AT(struct lt_piece, t->pieces, o->first_piece + i);
		if (p->kind == LT_READ && (!in(p->access, t->accesses.n) || access_type(t, p->access) != o->dtype))
			BAD(-1, s, "statement %d: it reads access %d as type %u", (int)s, (int)p->access, (unsigned)o->dtype);
		if (p->kind == LT_AFFINE && !in(p->row, t->n_row))
			BAD(-1, s, "statement %d: its operand is row %d", (int)s, (int)p->row);
		if (i == o->n_piece - 1 && p->n_guard)
			BAD(-1, s, "statement %d: the last piece of an operand has a guard", (int)s);
		for (int32_t k = 0; k < p->n_guard; k++)
			if (!in(t->guards[p->first_guard + k], t->n_row))
				BAD(-1, s, "statement %d: a guard is row %d", (int)s, (int)t->guards[p->first_guard + k]);
	}
	return LT_OK;
}

/* Statements inside one loop are contiguous: each lies in the ranges of the loops around it, and these hold no others
 * (there are as many pairs of statement and loop as the ranges have members). */
static lt_status check_order(const struct lt_tree *t, struct lt_diag *diag)
{
	int64_t pairs = 0;
	for (int32_t s = 0; s < (int32_t)t->stmts.n; s++)
		for (int32_t l = LT_AT(struct lt_stmt, t->stmts, s)->loop; l >= 0; pairs--) {
			const struct lt_loop *loop = LT_AT(struct lt_loop, t->loops, l);
			if (s < loop->first_stmt || s >= loop->first_stmt + loop->n_stmt)
				BAD(l, s, "statement %d is inside loop %d (%s), which has statements %d+%d", (int)s, (int)l,
					loop->var ? loop->var : "?", (int)loop->first_stmt, (int)loop->n_stmt);
			l = loop->parent;
		}
	for (int32_t l = 0; l < t->n_loop; l++)
		pairs += LT_AT(struct lt_loop, t->loops, l)->n_stmt;
	if (pairs)
		BAD(-1, -1, "the loops' ranges hold %lld statements too many", (long long)pairs);
	return LT_OK;
}

lt_status lt__ref_check(const struct lt_tree *t, struct lt_diag *diag)
{
	lt_status status = check_loops(t, diag);
	status = status ? status : check_buffers(t, diag);
	for (int32_t s = 0; !status && s < (int32_t)t->stmts.n; s++) {
		const struct lt_stmt *st = LT_AT(struct lt_stmt, t->stmts, s);
		if (st->loop < -1 || st->loop >= t->n_loop)
			BAD(-1, s, "statement %d: loop %d", (int)s, (int)st->loop);
		if (st->kind >= LT_BARRIER && st->kind <= LT_WAIT)
			continue;
		if (st->kind < LT_MAP || st->kind > LT_COMBINE)
			return lt__report(diag, LT_EUNSUPPORTED, -1, s, NULL, "ref: %%%s is a statement of an unknown kind",
				st->name ? st->name : "?");
		if (!in(st->op, t->ops.n) || !in(st->dest, t->accesses.n) || !span(st->first_operand, st->n_operand, t->operands.n))
			BAD(-1, s, "statement %d: operator %d, destination %d", (int)s, (int)st->op, (int)st->dest);
		const struct lt_op *op = LT_AT(struct lt_op, t->ops, st->op);
		struct lt_ref_value value;
		const char *at = "";
		if (op->arity < 1 || op->arity > 3 || !lt__ref_value_read(op, &value, &at))
			return lt__report(diag, LT_EUNSUPPORTED, -1, s, NULL,
				"ref: %%%s: the source of operator %s, '%s', cannot be read from '%s' on",
				st->name ? st->name : "?", op->name ? op->name : "?", op->source ? op->source : "", at);
		if (st->n_operand != (st->kind == LT_MAP ? op->arity : 1))
			BAD(-1, s, "statement %d: %s with %d operands", (int)s, op->name, (int)st->n_operand);
		if (access_type(t, st->dest) != op->out)
			BAD(-1, s, "statement %d: %s of type %u goes to a buffer of type %u", (int)s, op->name, (unsigned)op->out,
				(unsigned)access_type(t, st->dest));
		for (int32_t k = 0; k < st->n_guard; k++)
			if (!in(t->guards[st->first_guard + k], t->n_row))
				BAD(-1, s, "statement %d: a guard is row %d", (int)s, (int)t->guards[st->first_guard + k]);
		for (int32_t k = 0; !status && k < st->n_operand; k++)
			status = check_operand(t, s, LT_AT(struct lt_operand, t->operands, st->first_operand + k), diag);
	}
	return status ? status : check_order(t, diag);
}
