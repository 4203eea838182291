/* examples/plugin/llvm/stmt.c -- statements: operands, the operator, the store; in one lane or in all at once. */
#include "gen.h"

static struct value piece(struct gen *g, int32_t stmt, const struct lt_piece *p, uint32_t dtype, LLVMValueRef mask)
{
	struct value v;
	uint32_t from;
	if (p->kind == LT_IMMEDIATE)
		return (struct value){ lt_llvm_immediate(&g->e, dtype, p->bits, 1), true };
	if (p->kind == LT_AFFINE) {
		int64_t stride;
		bool uniform = g->lanes == 1 || (lt_llvm_stride(g, p->row, &stride) && stride == 0);
		v = (struct value){ uniform ? lt_llvm_row(g, p->row) : lt_llvm_row_lanes(g, p->row, 1), uniform };
		from = LT_I64;
	} else {
		struct where w = lt_llvm_find(g, stmt, p->access, mask);
		if (w.at && w.stride == 1 && g->lanes > 1 && !mask)
			lt_llvm_prefetch(g, stmt, &w);
		v = lt_llvm_read(g, &w, mask);
		from = w.dtype;
	}
	if (from != dtype)
		v.v = lt_llvm_convert(&g->e, from, dtype, v.v, v.uniform ? 1 : g->lanes);
	return v;
}

/* if (condition) { } else: what follows is emitted in the first; what comes after the call of `otherwise` in the
 * second. */
static LLVMBasicBlockRef branch(struct gen *g, LLVMValueRef condition, const char *name)
{
	LLVMBasicBlockRef yes = lt_llvm_block(g, name), no = lt_llvm_block(g, "");
	LLVMBuildCondBr(g->e.b, condition, yes, no);
	LLVMPositionBuilderAtEnd(g->e.b, yes);
	return no;
}

static void go_on(struct gen *g, LLVMBasicBlockRef at)
{
	LLVMBuildBr(g->e.b, at);
	LLVMPositionBuilderAtEnd(g->e.b, at);
}

/* The first piece whose guards hold, in each lane: a variable is set by one after the other, in the lanes that are
 * left. */
static struct value pieces(struct gen *g, int32_t stmt, const struct lt_operand *o, LLVMValueRef mask)
{
	LLVMBuilderRef b = g->e.b;
	LLVMTypeRef type = lt_llvm_type(&g->e, o->dtype, g->lanes);
	LLVMValueRef variable = NULL, left = mask;
	LLVMBasicBlockRef end = NULL;
	for (int32_t i = 0; i < o->n_piece; i++) {
		const struct lt_piece *p = LT_AT(struct lt_piece, g->t->pieces, o->first_piece + i);
		struct guard guard = i + 1 < o->n_piece ? lt_llvm_guards(g, p->first_guard, p->n_guard)
							: (struct guard){ ALWAYS, NULL, NULL };
		if (guard.truth == NEVER)
			continue;
		if (guard.truth == ALWAYS && !variable)
			return piece(g, stmt, p, o->dtype, mask);
		if (!variable) {
			variable = lt_llvm_local(g, type);
			LLVMBuildStore(b, LLVMConstNull(type), variable);
			end = lt_llvm_block(g, "chosen");
		}
		LLVMValueRef on = left;
		LLVMBasicBlockRef next = NULL;
		if (guard.lanes) {
			LLVMValueRef holds = guard.lanes;
			if (guard.all)
				holds = LLVMBuildAnd(b, holds, lt_llvm_splat(&g->e, guard.all, g->lanes), "");
			on = lt_llvm_and(g, left, holds);
			left = lt_llvm_and(g, left, LLVMBuildNot(b, holds, ""));
			next = branch(g, lt_llvm_any(g, on), "some");
		} else if (guard.truth == SOMETIMES) {
			next = branch(g, guard.all, "piece");
		}
		LLVMValueRef v = lt_llvm_vector(g, piece(g, stmt, p, o->dtype, on));
		if (on && on != mask)
			v = LLVMBuildSelect(b, on, v, LLVMBuildLoad2(b, type, variable, ""), "");
		LLVMBuildStore(b, v, variable);
		LLVMBuildBr(b, guard.lanes ? next : end);
		if (!next)
			break;
		LLVMPositionBuilderAtEnd(b, next);
		if (guard.lanes) {
			LLVMBasicBlockRef more = lt_llvm_block(g, "others");
			LLVMBuildCondBr(b, lt_llvm_any(g, left), more, end);
			LLVMPositionBuilderAtEnd(b, more);
		}
	}
	LLVMPositionBuilderAtEnd(b, end);
	return (struct value){ LLVMBuildLoad2(b, type, variable, ""), g->lanes == 1 };
}

static struct value apply(struct gen *g, const struct lt_op *op, const struct value *in, int n)
{
	LLVMValueRef x[3] = { NULL, NULL, NULL };
	bool uniform = true;
	for (int i = 0; i < n; i++)
		uniform = uniform && in[i].uniform;
	for (int i = 0; i < n; i++)
		x[i] = uniform ? in[i].v : lt_llvm_vector(g, in[i]);
	return (struct value){ lt_llvm_op(&g->e, op, x, uniform ? 1 : g->lanes), uniform };
}

static struct value convert(struct gen *g, uint32_t from, uint32_t to, struct value v)
{
	if (from != to)
		v.v = lt_llvm_convert(&g->e, from, to, v.v, v.uniform ? 1 : g->lanes);
	return v;
}

/* dest = op(dest, v). */
static void reduce(struct gen *g, const struct lt_op *op, const struct where *w, struct value v, LLVMValueRef mask)
{
	struct value x[2] = { lt_llvm_read(g, w, mask), v };
	x[0] = convert(g, w->dtype, op->in[0], x[0]);
	lt_llvm_write(g, w, convert(g, op->out, w->dtype, apply(g, op, x, 2)), mask, false);
}

void lt_llvm_reduce(struct gen *g, int32_t stmt, struct value v)
{
	const struct lt_stmt *s = LT_AT(struct lt_stmt, g->t->stmts, stmt);
	struct where w = lt_llvm_find(g, stmt, s->dest, NULL);
	reduce(g, LT_AT(struct lt_op, g->t->ops, s->op), &w, v, NULL);
}

/* All lanes onto one element.  Lanes that are off add the identity. */
static void reduce_lanes(
	struct gen *g, int32_t stmt, const struct lt_op *op, const struct where *w, struct value v, LLVMValueRef mask)
{
	LLVMValueRef x = lt_llvm_vector(g, v);
	if (mask)
		x = LLVMBuildSelect(g->e.b, mask, x, lt_llvm_immediate(&g->e, op->out, op->identity, g->lanes), "");
	for (struct sum *s = g->sums; s; s = s->next)
		if (s->stmt == stmt && s->lanes == g->lanes) {
			LLVMValueRef in[2] = { LLVMBuildLoad2(g->e.b, LLVMTypeOf(x), s->vector, ""), x };
			LLVMBuildStore(g->e.b, lt_llvm_op(&g->e, op, in, g->lanes), s->vector);
			return;
		}
	reduce(g, op, w, (struct value){ lt_llvm_fold(&g->e, op, x, g->lanes), true }, NULL);
}

static void assign(struct gen *g, int32_t stmt, LLVMValueRef mask)
{
	const struct lt_stmt *s = LT_AT(struct lt_stmt, g->t->stmts, stmt);
	const struct lt_op *op = LT_AT(struct lt_op, g->t->ops, s->op);
	bool reduces = s->kind == LT_REDUCE || s->kind == LT_COMBINE;
	struct value x[3] = { { NULL, true }, { NULL, true }, { NULL, true } };
	if (s->kind == LT_RESET) {
		x[0].v = lt_llvm_immediate(&g->e, op->out, op->identity, 1);
	} else {
		for (int32_t i = 0; i < s->n_operand && i < 3; i++) {
			const struct lt_operand *o = LT_AT(struct lt_operand, g->t->operands, s->first_operand + i);
			x[i] = convert(g, o->dtype, op->in[reduces ? 1 : i], pieces(g, stmt, o, mask));
		}
	}
	struct where w = lt_llvm_find(g, stmt, s->dest, mask);
	if (s->kind == LT_COMBINE && !w.each && w.stride == 0 && g->lanes > 1)
		reduce_lanes(g, stmt, op, &w, x[0], mask);
	else if (reduces)
		reduce(g, op, &w, x[0], mask);
	else
		lt_llvm_write(g, &w,
			convert(g, op->out, w.dtype, s->kind == LT_RESET ? x[0] : apply(g, op, x, s->n_operand)), mask,
			s->stream != 0);
}

void lt_llvm_stmt(struct gen *g, int32_t stmt)
{
	const struct lt_stmt *s = LT_AT(struct lt_stmt, g->t->stmts, stmt);
	if (s->kind == LT_BARRIER)
		return;                 /* one thread has nothing to wait for */
	struct guard guard = lt_llvm_guards(g, s->first_guard, s->n_guard);
	LLVMBasicBlockRef all = NULL, some = NULL;
	LLVMValueRef mask = g->active;
	if (guard.truth == NEVER)
		return;
	if (guard.all)
		all = branch(g, guard.all, "holds");
	if (guard.lanes) {
		mask = lt_llvm_and(g, mask, guard.lanes);
		some = branch(g, lt_llvm_any(g, mask), "some");
	}
	assign(g, stmt, mask);
	if (some)
		go_on(g, some);
	if (all)
		go_on(g, all);
}
