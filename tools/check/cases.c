/* cases.c -- every case of the suite, by name. */
#include <stdlib.h>
#include <string.h>
#include "tools/check/parts.h"

/* -- op -- */

bool lt__check_takes(enum lt_opcode op, enum lt_dtype t)
{
	return !lt__op_info(op)->data && lt__op_takes(op, lt__dtype_info(t)->compute);
}

static bool shape_has_view(int shape, int view)
{
	if (view == CHECK_NONE)
		return true;
	if (shape == CHECK_SCALAR)
		return false;
	/* extents that a run-time scalar bounds are not cut or joined here: group param does */
	if (shape == CHECK_ZERO)
		return view == CHECK_PERMUTE || view == CHECK_BROADCAST;
	return shape != CHECK_ONE || view != CHECK_CONCAT;
}

enum { F_OP, F_DTYPE, F_SHAPE, F_VIEW, F_SCHEDULE, F_NEIGHBOUR, F_N };

static bool op_allowed(const int *at)
{
	if (at[F_OP] >= 0 && lt__op_info((enum lt_opcode)at[F_OP])->data)
		return false;
	if (at[F_OP] >= 0 && at[F_DTYPE] >= 0 && !lt__check_takes((enum lt_opcode)at[F_OP], (enum lt_dtype)(at[F_DTYPE] + 1)))
		return false;
	if (at[F_SHAPE] >= 0 && at[F_VIEW] >= 0 && !shape_has_view(at[F_SHAPE], at[F_VIEW]))
		return false;
	return !(at[F_SHAPE] == CHECK_SCALAR && at[F_NEIGHBOUR] == CHECK_REDUCED);
}

static void add_op(struct check_adder *a, const struct check_spec *s) { lt__check_add(a, CHECK_op, s, NULL); }

static bool is_base(const struct check_spec *s)
{
	return s->view == CHECK_NONE && s->schedule == CHECK_DEFAULT && s->neighbour == CHECK_ALONE && s->shape <= CHECK_ZERO;
}

static void op_row(void *user, const int *at)
{
	struct check_spec s = { .op = at[F_OP], .dtype = (enum lt_dtype)(at[F_DTYPE] + 1), .shape = at[F_SHAPE],
		.view = at[F_VIEW], .schedule = at[F_SCHEDULE], .neighbour = at[F_NEIGHBOUR] };
	if (!is_base(&s))               /* those are there already */
		add_op(user, &s);
}

/* u16 is widened as u8 is: one shape does. */
static int last_shape(int dtype) { return dtype == LT_U16 ? 0 : CHECK_ZERO; }

static void add_ops(struct check_adder *a)
{
	static const int level[F_N] = { LT_NOP, LT_NDTYPE - 1, CHECK_N_SHAPE, CHECK_N_VIEW, CHECK_N_SCHEDULE,
		CHECK_N_NEIGHBOUR };
	for (int op = 0; op < LT_NOP; op++)
		for (int t = 1; t < LT_NDTYPE; t++)
			for (int shape = 0; shape <= last_shape(t) && lt__check_takes((enum lt_opcode)op, (enum lt_dtype)t); shape++)
				add_op(a, &(struct check_spec){ .op = op, .dtype = (enum lt_dtype)t, .shape = shape });
	const struct check_factors f = { F_N, level, op_allowed, F_OP, F_DTYPE };
	a->list->lost |= !lt__check_pairs(&f, a->o->full, op_row, a);
}

/* Loops in vectors: each operator at two types, by trees in turn; then all pairs of what is around one. */
enum { V_SHAPE, V_VIEW, V_TREE, V_NEIGHBOUR, V_N };
enum { FIRST_TREE = CHECK_INNER, N_VECTORS = CHECK_N_TREE - FIRST_TREE };

static bool vectors_allowed(const int *at)
{
	if (at[V_SHAPE] == CHECK_SCALAR || at[V_SHAPE] == CHECK_ONE)
		return false;
	return at[V_SHAPE] < 0 || at[V_VIEW] < 0 || shape_has_view(at[V_SHAPE], at[V_VIEW]);
}

static void vectors_row(void *user, const int *at)
{
	static const struct { int op; enum lt_dtype dtype; } turns[] = { { LT_OP_add, LT_F32 },
		{ LT_OP_mul, LT_I32 }, { LT_OP_max, LT_F32 }, { LT_OP_div, LT_I32 }, { LT_OP_sub, LT_F32 },
		{ LT_OP_select, LT_I16 } };
	int turn = (at[V_SHAPE] + at[V_VIEW] + 2 * at[V_NEIGHBOUR] + 3 * at[V_TREE]) % 6;
	add_op(user, &(struct check_spec){ .op = turns[turn].op, .dtype = turns[turn].dtype, .shape = at[V_SHAPE],
		.view = at[V_VIEW], .schedule = FIRST_TREE + at[V_TREE], .neighbour = at[V_NEIGHBOUR] });
}

static void add_op_vectors(struct check_adder *a)
{
	static const int level[V_N] = { CHECK_N_SHAPE, CHECK_N_VIEWS, N_VECTORS, CHECK_N_NEIGHBOUR };
	static const enum lt_dtype types[] = { LT_F32, LT_I32, LT_I8, LT_BOOL, LT_F16 };
	for (int op = 0; op < LT_NOP; op++)
		for (int k = 0, n = 0; k < 5 && n < 2; k++)
			if (lt__check_takes((enum lt_opcode)op, types[k]))
				add_op(a, &(struct check_spec){ .op = op, .dtype = types[k], .shape = op % 2 ? CHECK_ABOVE : CHECK_PRIME,
					.schedule = FIRST_TREE + (op + 2 * n++) % N_VECTORS, .neighbour = op % 3 ? CHECK_PRODUCER : CHECK_ALONE });
	for (int tree = 0; tree < CHECK_N_TREE; tree++)         /* elements whose places are found by division */
		add_op(a, &(struct check_spec){ .op = LT_OP_add, .dtype = tree % 2 ? LT_I32 : LT_F32, .view = CHECK_FLATTEN,
			.shape = tree % 3 == 0 ? CHECK_DEEP : tree % 3 == 1 ? CHECK_ABOVE : CHECK_PRIME, .schedule = tree });
	const struct check_factors f = { V_N, level, vectors_allowed, V_N, V_N };
	a->list->lost |= !lt__check_pairs(&f, a->o->full, vectors_row, a);
}

/* -- cast -- */

static void add_casts(struct check_adder *a)
{
	for (int from = 1; from < LT_NDTYPE; from++)
		for (int to = 1; to < LT_NDTYPE; to++)
			for (int k = 0; from != to && k < (a->o->full ? CHECK_ZERO : from > LT_BOOL || to > LT_BOOL ? 1 : 2); k++)
				lt__check_add(a, CHECK_cast, &(struct check_spec){ .op = LT_OP_cast, .dtype = (enum lt_dtype)from,
					.other = (enum lt_dtype)to, .shape = a->o->full ? k : k ? CHECK_ABOVE : CHECK_PRIME,
					.schedule = !a->o->full && (from + to + k) % 2 ? CHECK_PLAIN : CHECK_DEFAULT }, NULL);
}

/* -- reduce -- */

enum { R_OP, R_DTYPE, R_SHAPE, R_AXES, R_SCHEDULE, R_N };

static bool reduces(int op, int dtype)
{
	return lt__check_takes((enum lt_opcode)op, (enum lt_dtype)dtype)
		&& lt__op_info((enum lt_opcode)op)->identity != LT_ID_NONE;
}

static bool reduce_allowed(const int *at)
{
	if (at[R_SHAPE] == CHECK_SCALAR)
		return false;
	const struct lt_opinfo *op = at[R_OP] < 0 ? NULL : lt__op_info((enum lt_opcode)at[R_OP]);
	if (op && (op->data || op->identity == LT_ID_NONE))
		return false;
	return at[R_OP] < 0 || at[R_DTYPE] < 0 || reduces(at[R_OP], at[R_DTYPE] + 1);
}

static void add_reduce(struct check_adder *a, const struct check_spec *s) { lt__check_add(a, CHECK_reduce, s, NULL); }

static void reduce_row(void *user, const int *at)
{
	struct check_spec s = { .op = at[R_OP], .dtype = (enum lt_dtype)(at[R_DTYPE] + 1), .shape = at[R_SHAPE],
		.variant = at[R_AXES], .schedule = at[R_SCHEDULE] };
	if (s.variant != 0 || s.schedule != CHECK_DEFAULT || s.shape > CHECK_ZERO)
		add_reduce(user, &s);
}

static void add_reduces(struct check_adder *a)
{
	static const int level[R_N] = { LT_NOP, LT_NDTYPE - 1, CHECK_N_SHAPE, 3, CHECK_N_SCHEDULE };
	for (int op = 0; op < LT_NOP; op++)
		for (int t = 1; t < LT_NDTYPE; t++)
			for (int shape = 0; shape <= last_shape(t) && reduces(op, t); shape++)
				add_reduce(a, &(struct check_spec){ .op = op, .dtype = (enum lt_dtype)t, .shape = shape });
	/* in vectors, over the lanes and over other dims: whatever the target, and whatever is drawn */
	for (int op = 0; op < LT_NOP; op++)
		for (int t = 1; t < LT_NDTYPE; t++)
			for (int k = t > LT_BOOL ? 1 : 0; k < (t > LT_BOOL ? 3 : 4) && reduces(op, t); k++)
				add_reduce(a, &(struct check_spec){ .op = op, .dtype = (enum lt_dtype)t, .shape = CHECK_ABOVE, .variant = k % 2,
					.schedule = k < 2 ? CHECK_MASKED : CHECK_PEELED });
	/* one loop or both, so that lanes of one share a sum and those of the other have their own */
	for (int op = 0; op < LT_NOP; op++)
		for (int k = 0; k < 6; k++) {
			static const enum lt_dtype types[] = { LT_F32, LT_I32, LT_F32, LT_I32, LT_BOOL, LT_F16 };
			struct check_spec s = { .op = op, .dtype = types[k], .shape = k % 2 ? CHECK_PRIME : CHECK_ABOVE,
				.variant = (k / 2) % 3, .schedule = k < 4 ? CHECK_NESTED : CHECK_STRIPS };
			if (reduces(op, (int)s.dtype))
				add_reduce(a, &s);
			s.schedule = k >= 2 ? CHECK_PADDED : k ? CHECK_OUTER : CHECK_STRIPS;
			if (k < 4 && reduces(op, (int)s.dtype))
				add_reduce(a, &s);
		}
	const struct check_factors f = { R_N, level, reduce_allowed, R_OP, R_DTYPE };
	a->list->lost |= !lt__check_pairs(&f, a->o->full, reduce_row, a);
}

/* A case is in the part that its name says, with any seed and filter: neighbours in the list are alike, and go to
 * different ones. */
static void keep_part(const struct check_options *o, struct check_list *list)
{
	int32_t n = 0;
	for (int32_t i = 0; i < list->n; i++) {
		const char *name = list->at[i].name;
		if (lt__check_hash(name, strlen(name), 0) % (uint64_t)o->n_part == (uint64_t)(o->part - 1)) {
			list->at[n++] = list->at[i];
			continue;
		}
		free((void *)(uintptr_t)name);
		free((void *)(uintptr_t)list->at[i].row);
	}
	list->n = n;
}

void lt__check_cases(const struct check_options *o, struct check_list *list)
{
	struct check_adder a = { .o = o, .list = list };
	*list = (struct check_list){ 0 };
	lt__check_add_clauses(&a);
	add_ops(&a);
	add_op_vectors(&a);
	add_casts(&a);
	add_reduces(&a);
	lt__check_add_data(&a);
	if (o->n_part > 0 && !list->lost)
		keep_part(o, list);
}
