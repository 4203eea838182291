/* lower.c -- a frozen tree as a kernel program: what is refused, and the whole (lowering.h). */
#include <stdlib.h>
#include <string.h>
#include "kernel/lower/grid.h"
#include "kernel/lower/lower.h"
#include "kernel/build/build.h"

static lt_status refuse_loops(const struct lt_tree *t, const struct lt_machine *m, struct lt_diag *diag)
{
	const uint32_t grids = m->subgroup ? 1u << LT_GRID | 1u << LT_BLOCK : 0;
	const uint32_t known = 1u << LT_SERIAL | 1u << LT_PARALLEL | 1u << LT_VECTOR | 1u << LT_UNROLL | 1u << LT_GROUP
		| 1u << LT_CALL | 1u << LT_TILE | grids;
	for (int32_t i = 0; i < t->n_loop; i++) {
		const struct lt_loop *x = LT_AT(struct lt_loop, t->loops, i);
		int32_t depth = 0;
		for (int32_t up = i; up >= 0; up = LT_AT(struct lt_loop, t->loops, up)->parent)
			depth++;
		if (x->kind < 0 || x->kind >= LT_NLOOP_KIND || !(known >> x->kind & 1))
			return lt__report(diag, LT_EUNSUPPORTED, i, -1, "make it serial, unroll, vector or parallel",
				"loop %s: this machine's kernel programs have no loops of this kind", x->var ? x->var : "?");
		if (depth > LOWER_MAX_DEPTH)
			return lt__report(diag, LT_EUNSUPPORTED, i, -1, "merge some of the loops around it",
				"loop %s: more than %d loops are around it", x->var ? x->var : "?", (int)LOWER_MAX_DEPTH);
	}
	return LT_OK;
}

enum { MAX_PIECES = 500 };      /* of an operand: each but the last is an if in the else of the one before */

/* An operator that has an opcode computes in the types that the opcode has. */
static lt_status refuse_operators(const struct lt_tree *t, struct lt_diag *diag)
{
	for (uint32_t i = 0; i < t->ops.n; i++) {
		const struct lt_op *op = LT_AT(struct lt_op, t->ops, i);
		const struct lt_opcode_facts *facts = op->opcode && op->opcode < LT_NOPERATOR_OPCODE ? lt__opcode(op->opcode) : NULL;
		bool moves = op->opcode == LT_OPCODE_copy || op->opcode == LT_OPCODE_cast || op->opcode == LT_OPCODE_select;
		if (facts && !moves && op->arity > 0 && !(facts->types >> op->in[op->arity - 1] & 1))
			return lt__report(diag, LT_EUNSUPPORTED, -1, -1, "cast its operands", "operator %s is not for %s", op->name,
				lt__kernel_element_name(op->in[op->arity - 1]));
	}
	for (uint32_t i = 0; i < t->operands.n; i++)
		if (LT_AT(struct lt_operand, t->operands, i)->n_piece > MAX_PIECES)
			return lt__report(diag, LT_EUNSUPPORTED, -1, -1, "materialize the view, or parts of it",
				"an operand has %d pieces; kernel programs take %d", (int)LT_AT(struct lt_operand, t->operands, i)->n_piece,
				(int)MAX_PIECES);
	return LT_OK;
}

static lt_status refuse(const struct lt_tree *t, const struct lt_machine *m, struct lt_diag *diag)
{
	const uint64_t known = LT_KERNEL_NEEDS | (m->subgroup ? LT_KERNEL_GRID_NEEDS : 0);
	int64_t sum = 0, bytes;
	if (t->needs & ~known)
		return lt__report(diag, LT_EUNSUPPORTED, -1, -1, NULL,
			"kernel programs do not have a feature (bit %d) that the tree needs", __builtin_ctzll(t->needs & ~known));
	for (uint32_t i = 0; i < t->buffers.n; i++) {
		const struct lt_buffer *b = LT_AT(struct lt_buffer, t->buffers, i);
		const struct lt_type *type = LT_AT(struct lt_type, t->types, b->type);
		if (type->dtype == 0 || type->dtype >= LT_NDTYPE)
			return lt__report(diag, LT_EUNSUPPORTED, -1, -1, NULL, "type %s is not known",
				type->name ? type->name : "?");
		if (__builtin_mul_overflow(b->elems, (int64_t)type->bytes, &bytes) || __builtin_add_overflow(sum, bytes, &sum)
			|| __builtin_add_overflow(sum, (int64_t)64, &sum))
			return lt__report(diag, LT_EOVERFLOW, -1, -1, NULL,
				"buffer %s: %lld elements are more than 63 bits of bytes", b->name ? b->name : "?",
				(long long)b->elems);
	}
	for (int32_t s = 0; s < (int32_t)t->stmts.n; s++) {
		const struct lt_stmt *st = LT_AT(struct lt_stmt, t->stmts, s);
		if (st->kind == LT_BARRIER && st->scope != LT_BARRIER_BLOCK)
			return lt__report(diag, LT_EUNSUPPORTED, -1, s, NULL, "%%%s: a barrier of scope %d, which it does not know",
				st->name ? st->name : "?", (int)st->scope);
		if (st->kind < LT_MAP || st->kind > (m->subgroup ? LT_WAIT : LT_COMBINE))
			return lt__report(diag, LT_EUNSUPPORTED, -1, s, NULL, "%%%s: only a machine that runs grids has barriers",
				st->name ? st->name : "?");
	}
	lt_status status = refuse_loops(t, m, diag);
	return status ? status : refuse_operators(t, diag);
}

static lt_status lower(struct lowering *l, struct lt_diag *diag)
{
	const struct lt_tree *t = l->t;
	lt__builder_begin(&l->b);
	lt_status status = l->machine.subgroup ? lt__lower_plan(l, diag) : LT_OK;
	if (status)
		return status;
	l->b.name = lt__build_string(&l->b, t->name ? t->name : "kernel");
	l->b.n_slot = t->n_slot;
	l->team = l->predicate = l->lane_loop = l->lane = l->mask = l->on = -1;
	lt__lower_columns(l);
	lt__lower_modes(l);
	if (lower_has_grids(l))
		lt__lower_grid_modes(l);
	lt__lower_spaces(l);
	for (int32_t i = 0; i < t->n_param; i++) {
		const struct lt_tparam *p = LT_AT(struct lt_tparam, t->params, i);
		(void)lt__build_param(&l->b, &(struct lt_kernel_param){ p->name, lt__lower_location(l, p->buffer), p->element, p->low,
			p->high });
	}
	lt__lower_body(l, -1, 0, (int32_t)t->stmts.n);
	lt__build_written(&l->b);
	if (l->b.n_op)                  /* only texts of third parties use it */
		l->b.prelude = lt__build_string(&l->b, t->prelude);
	return LT_OK;
}

lt_status lt__lower_kernel(const struct lt_tree *t, const struct lt_machine *m, struct lt_kernel_report *report,
	struct lt_kernel **out, struct lt_diag *diag)
{
	*out = NULL;
	lt_status status = refuse(t, m, diag);
	if (status)
		return status;
	struct lowering *l = calloc(1, sizeof *l);
	if (l && !setjmp(l->b.pool.jump)) {
		l->t = t;
		l->machine = *m;
		l->report = report;
		if (m->subgroup)        /* its threads are its lanes */
			l->machine.vector_bytes = l->machine.teams = 0;
		status = lower(l, diag);
		if (!status)
			*out = lt__builder_end(&l->b);
		else
			lt__builder_free(&l->b);
	} else {
		if (l)
			lt__builder_free(&l->b);
		status = lt__report(diag, LT_ENOMEM, -1, -1, NULL, "out of memory");
	}
	free(l);
	return status;
}
