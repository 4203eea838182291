/* examples/plugin/llvm/accept.c -- whether code can be made of a tree, or what stands in the way. */
#include "accept.h"
#include "emit.h"
#include "diagnostic.h"

static const char *const kinds[LT_NLOOP_KIND] = { "serial", "parallel", "vector", "unroll", "grid", "block", "group",
	"call", "tile", "rank" };

static lt_status loops(const struct lt_tree *t, struct lt_diag *diag)
{
	for (int32_t i = 0; i < t->n_loop; i++) {
		const struct lt_loop *l = LT_AT(struct lt_loop, t->loops, i);
		bool known = l->kind >= 0 && l->kind < LT_NLOOP_KIND;
		if (!known || !(LT_LLVM_LOOPS >> l->kind & 1))
			return lt_llvm_report(diag, LT_EUNSUPPORTED, i, -1, "make it serial, unroll, vector or parallel",
				"loop %s: there is no code for a loop of kind %s", l->var ? l->var : "?", known ? kinds[l->kind] : "unknown");
	}
	return LT_OK;
}

static lt_status stmts(const struct lt_tree *t, struct lt_diag *diag)
{
	for (int32_t i = 0; i < (int32_t)t->stmts.n; i++) {
		const struct lt_stmt *s = LT_AT(struct lt_stmt, t->stmts, i);
		const char *name = s->name ? s->name[0] == '%' ? s->name + 1 : s->name : "?";
		if (s->kind == LT_BARRIER)
			continue;
		if (s->kind < LT_MAP || s->kind > LT_COMBINE)
			return lt_llvm_report(diag, LT_EUNSUPPORTED, -1, i, NULL,
				"%%%s: there is no code for a statement of kind %d", name, (int)s->kind);
		const struct lt_op *op = LT_AT(struct lt_op, t->ops, s->op);
		const char *why = s->kind == LT_RESET ? NULL : lt_llvm_op_refuses(op);
		if (!why && s->kind != LT_MAP && s->kind != LT_RESET
			&& (op->arity != 2 || op->in[0] != op->out || op->in[1] != op->out))
			why = "only an operator on two values of the result's type can reduce";
		if (why)
			return lt_llvm_report(diag, LT_EUNSUPPORTED, -1, i, NULL, "%%%s: operator %s: %s", name, op->name, why);
	}
	return LT_OK;
}

static lt_status buffers(const struct lt_tree *t, struct lt_diag *diag)
{
	int64_t sum = 0;
	for (uint32_t i = 0; i < t->types.n; i++) {
		const struct lt_type *type = LT_AT(struct lt_type, t->types, i);
		if (type->dtype == 0 || type->dtype >= LT_NDTYPE)
			return lt_llvm_report(diag, LT_EUNSUPPORTED, -1, -1, NULL, "type %s is not known", type->name ? type->name : "?");
	}
	for (uint32_t i = 0; i < t->buffers.n; i++) {
		const struct lt_buffer *b = LT_AT(struct lt_buffer, t->buffers, i);
		int64_t bytes;
		if (__builtin_mul_overflow(b->elems, (int64_t)LT_AT(struct lt_type, t->types, b->type)->bytes, &bytes)
		    || (b->role == LT_LOCAL && (__builtin_add_overflow(sum, bytes, &sum) || sum > INT64_MAX / 2)))
			return lt_llvm_report(diag, LT_EOVERFLOW, -1, -1, NULL, "buffer %s: %lld elements are more than 63 bits of bytes",
				b->name ? b->name : "?", (long long)b->elems);
	}
	return LT_OK;
}

lt_status lt_llvm_accepts(const struct lt_tree *t, struct lt_diag *diag)
{
	uint64_t unknown = t->needs & ~(uint64_t)LT_LLVM_NEEDS;
	if (unknown)
		return lt_llvm_report(diag, LT_EUNSUPPORTED, -1, -1, NULL,
			"the tree needs a feature (bit %d) that this backend does not know", __builtin_ctzll(unknown));
	lt_status status = loops(t, diag);
	status = status ? status : stmts(t, diag);
	return status ? status : buffers(t, diag);
}
