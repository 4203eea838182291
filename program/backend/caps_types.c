/* What a backend's caps refuse before it is asked: types of elements and of operators that it does not have, and what a
 * script may change. */
#include <stdio.h>
#include <string.h>
#include "ir/op/op.h"
#include "program/backend/caps.h"

static bool lacks(uint64_t dtypes, uint32_t dtype) { return dtype >= 64 || !(dtypes >> dtype & 1); }

/* Whether the access, or one whose elements are its indices, is to the buffer. */
static bool touches(const struct lt_tree *t, int32_t access, int32_t buffer)
{
	for (; access >= 0; access = LT_AT(struct lt_access, t->accesses, access)->index)
		if (LT_AT(struct lt_access, t->accesses, access)->buffer == buffer)
			return true;
	return false;
}

/* The statement that touches the buffer first; of a run-time scalar, whose value no statement reads, the first that has
 * one in its indices. */
static int32_t toucher(const struct lt_tree *t, int32_t buffer)
{
	const struct lt_piece *x;
	for (uint32_t i = 0; i < t->stmts.n; i++) {
		const struct lt_stmt *s = LT_AT(struct lt_stmt, t->stmts, i);
		if (touches(t, s->dest, buffer))
			return (int32_t)i;
		for (int32_t k = 0; k < s->n_operand; k++)
			for (int32_t q = 0; (x = lt__caps_piece(t, s, k, q)); q++)
				if (x->kind == LT_READ && touches(t, x->access, buffer))
					return (int32_t)i;
	}
	return lt__caps_stmt(t, LT_NEED_PARAMS);
}

static const char *type_name(const struct lt_tree *t, uint32_t dtype)
{
	for (uint32_t i = 0; i < t->types.n; i++)
		if (LT_AT(struct lt_type, t->types, i)->dtype == dtype)
			return LT_AT(struct lt_type, t->types, i)->name;
	return dtype < LT_NDTYPE && dtype > 0 ? lt__dtype_info((enum lt_dtype)dtype)->name : "?";
}

/* The statement that computes in a type that it lacks; sets which. */
static int32_t find_op(const struct lt_tree *t, uint64_t dtypes, uint32_t *dtype)
{
	for (uint32_t i = 0; i < t->stmts.n; i++) {
		const struct lt_stmt *s = LT_AT(struct lt_stmt, t->stmts, i);
		const struct lt_op *op = s->op >= 0 ? LT_AT(struct lt_op, t->ops, s->op) : NULL;
		if (op && lacks(dtypes, *dtype = op->out))
			return (int32_t)i;
		for (int32_t k = 0; op && k < op->arity && k < 3; k++)
			if (lacks(dtypes, *dtype = op->in[k]))
				return (int32_t)i;
	}
	return -1;
}

/* Whether the buffer's type is not for a script to choose: a run-time scalar, an index that is read, the outcome of a
 * comparison. */
static bool is_fixed(const struct lt_tree *t, int32_t buffer, uint32_t dtype)
{
	for (uint32_t i = 0; i < t->params.n; i++)
		if (LT_AT(struct lt_tparam, t->params, i)->buffer == buffer)
			return true;
	for (uint32_t i = 0; i < t->accesses.n; i++) {
		int32_t index = LT_AT(struct lt_access, t->accesses, i)->index;
		if (index >= 0 && LT_AT(struct lt_access, t->accesses, index)->buffer == buffer)
			return true;
	}
	return dtype == LT_BOOL;
}

static bool is_float(uint32_t dtype)
{
	return dtype < LT_NDTYPE && dtype > 0 && lt__dtype_info((enum lt_dtype)dtype)->cls == LT_CLASS_FLOAT;
}

/* What a cast in the script could change, NULL: nothing.  Lowering names its derived nodes after a dot; there what the
 * script's node is made of is to be cast, which gives its floats another type, but not its counters. */
static const char *cast_remedy(uint64_t dtypes, uint32_t dtype, const char *name, char *out, size_t bytes)
{
	const uint64_t known = ((UINT64_C(1) << LT_NDTYPE) - 1) & ~UINT64_C(1);
	const char *dot = name ? strchr(name, '.') : NULL;
	if (!(dtypes & known))
		(void)snprintf(out, bytes,
			"its author has to set the bits of its types in `dtypes` (1 << LT_F32), where there is none");
	else if (dtype == LT_BOOL || (dot && !is_float(dtype)))
		return NULL;
	else if (dot)
		(void)snprintf(out, bytes, "cast what %%%.*s is computed from to a type that it has",
			(int)(dot - name < 80 ? dot - name : 80), name);
	else
		(void)snprintf(out, bytes, "cast %.80s%sto a type that it has", name ? name : "", name ? " " : "");
	return out;
}

/* Whether the statement computes with an index of its loops, which is int64. */
static bool stmt_counts(const struct lt_tree *t, const struct lt_stmt *s)
{
	const struct lt_piece *x;
	for (int32_t k = 0; k < s->n_operand; k++)
		for (int32_t i = 0; (x = lt__caps_piece(t, s, k, i)); i++)
			if (x->kind == LT_AFFINE)
				return true;
	return false;
}

bool lt__refuse_types(const struct lt_tree *t, uint64_t dtypes, struct lt_diag *diag)
{
	uint32_t dtype = 0;
	char text[200], remedy[160];
	const bool none = !(dtypes & (((UINT64_C(1) << LT_NDTYPE) - 1) & ~UINT64_C(1)));
	for (uint32_t i = 0; i < t->buffers.n; i++) {
		const struct lt_buffer *b = LT_AT(struct lt_buffer, t->buffers, i);
		dtype = LT_AT(struct lt_type, t->types, b->type)->dtype;
		if (!lacks(dtypes, dtype))
			continue;
		(void)snprintf(text, sizeof text, "it does not take elements of %.20s", type_name(t, dtype));
		lt__caps_report(diag, -1, toucher(t, (int32_t)i), text, !none && is_fixed(t, (int32_t)i, dtype) ? NULL
			: cast_remedy(dtypes, dtype, b->name, remedy, sizeof remedy));
		return true;
	}
	int32_t stmt = find_op(t, dtypes, &dtype);
	if (stmt < 0)
		return false;
	(void)snprintf(text, sizeof text, "it does not compute in %.20s", type_name(t, dtype));
	const struct lt_stmt *s = LT_AT(struct lt_stmt, t->stmts, stmt);
	const struct lt_buffer *b = lt__caps_dest(t, s);
	lt__caps_report(diag, -1, stmt, text, !none && stmt_counts(t, s) ? NULL
		: cast_remedy(dtypes, dtype, b && b->name && strchr(b->name, '.') ? b->name : NULL, remedy, sizeof remedy));
	return true;
}
