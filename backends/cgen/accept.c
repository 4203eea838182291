/* backends/cgen/accept.c -- whether a tree can be printed in a dialect, or what stands in the way. */
#include "backends/cgen/gen.h"

static const char *const kinds[LT_NLOOP_KIND] = {
	"serial", "parallel", "vector", "unroll", "grid", "block", "group", "call", "tile", "rank"
};

static lt_status loops(const struct lt_dialect *d, const struct lt_tree *t, struct lt_diag *diag)
{
	for (int32_t i = 0; i < t->n_loop; i++) {
		const struct lt_loop *l = LT_AT(struct lt_loop, t->loops, i);
		if (l->kind < 0 || l->kind >= LT_NLOOP_KIND || d->head[l->kind] == LT_HEAD_NONE)
			return lt__report(diag, LT_EUNSUPPORTED, i, -1, "make it serial, unroll, vector or parallel",
				"loop %s: a loop of kind %s cannot be printed in %s", l->var ? l->var : "?",
				l->kind >= 0 && l->kind < LT_NLOOP_KIND ? kinds[l->kind] : "unknown", d->name);
	}
	return LT_OK;
}

static lt_status stmts(const struct lt_dialect *d, const struct lt_tree *t, struct lt_diag *diag)
{
	for (int32_t i = 0; i < (int32_t)t->stmts.n; i++) {
		const struct lt_stmt *s = LT_AT(struct lt_stmt, t->stmts, i);
		const char *name = s->name ? s->name : "?";
		if (s->kind == LT_BARRIER)
			continue;
		if (s->kind < LT_MAP || s->kind > LT_COMBINE)
			return lt__report(diag, LT_EUNSUPPORTED, -1, i, NULL,
				"%%%s: a statement of kind %d cannot be printed in %s", name, (int)s->kind, d->name);
		const struct lt_op *op = LT_AT(struct lt_op, t->ops, s->op);
		if (!lt__op_text(op)[0])
			return lt__report(diag, LT_EUNSUPPORTED, -1, i, NULL, "%%%s: operator %s has no C text", name, op->name);
	}
	return LT_OK;
}

static lt_status buffers(const struct lt_tree *t, struct lt_diag *diag)
{
	int64_t sum = 0;
	for (uint32_t i = 0; i < t->buffers.n; i++) {
		const struct lt_buffer *b = LT_AT(struct lt_buffer, t->buffers, i);
		const char *name = b->name ? b->name : "?";
		int64_t bytes;
		if (__builtin_mul_overflow(b->elems, (int64_t)LT_AT(struct lt_type, t->types, b->type)->bytes, &bytes)
			|| (b->role == LT_LOCAL
				&& (__builtin_add_overflow(sum, bytes, &sum)
					|| sum > INT64_MAX - 64 * (int64_t)t->buffers.n)))
			return lt__report(diag, LT_EOVERFLOW, -1, -1, NULL, "buffer %s: %lld elements are more than 63 bits of bytes", name,
				(long long)b->elems);
	}
	for (uint32_t i = 0; i < t->types.n; i++) {
		const struct lt_type *type = LT_AT(struct lt_type, t->types, i);
		if (type->dtype == 0 || type->dtype >= LT_NDTYPE || !type->ctype)
			return lt__report(diag, LT_EUNSUPPORTED, -1, -1, NULL, "type %s is not known", type->name ? type->name : "?");
	}
	return LT_OK;
}

lt_status lt__cgen_accepts(const struct lt_dialect *d, const struct lt_tree *t, struct lt_diag *diag)
{
	uint64_t unknown = t->needs & ~(uint64_t)LT_CGEN_NEEDS;
	if (unknown)
		return lt__report(diag, LT_EUNSUPPORTED, -1, -1, NULL,
			"the tree needs a feature (bit %d) that this version does not know", __builtin_ctzll(unknown));
	lt_status status = loops(d, t, diag);
	status = status ? status : stmts(d, t, diag);
	return status ? status : buffers(t, diag);
}
