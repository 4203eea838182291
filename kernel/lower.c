/* kernel/lower.c -- a frozen tree as a kernel program, one element at a time (lower.h). */
#include <stdlib.h>
#include <string.h>
#include "kernel/lower.h"
#include "kernel/opcode.h"
#include "kernel/report.h"

static const struct lt_loop *lower_loop_at(const struct lowering *l, int32_t i)
{
	return LT_AT(struct lt_loop, l->t->loops, i);
}

/* The loop that is all there is in loop i, or -1. */
static int32_t only_child(const struct lowering *l, int32_t i)
{
	for (int32_t k = i + 1; k < l->t->n_loop; k++)
		if (lower_loop_at(l, k)->parent == i)
			return lower_loop_at(l, k)->first_stmt == lower_loop_at(l, i)->first_stmt
				&& lower_loop_at(l, k)->n_stmt == lower_loop_at(l, i)->n_stmt ? k : -1;
	return -1;
}

static bool has_locals(const struct lowering *l, int32_t loop)
{
	for (uint32_t b = 0; b < l->t->buffers.n; b++) {
		const struct lt_buffer *x = LT_AT(struct lt_buffer, l->t->buffers, b);
		if (x->role == LT_LOCAL && x->scope == loop)
			return true;
	}
	return false;
}

/* Whether the trips of inner depend on those of the loops from first on. */
static bool depends_on_outer(const struct lowering *l, int32_t inner, int32_t first)
{
	const struct lt_loop *x = lower_loop_at(l, inner);
	for (int32_t up = x->parent; up >= first; up = lower_loop_at(l, up)->parent)
		for (int32_t b = 0; b < x->n_bound; b++)
			if (lt__lower_depends(l->t, l->t->bounds[x->first_bound + b], up))
				return true;
	return false;
}

/* Parallel loops: the outermost of a nest is a team's, with those nested perfectly in it. */
static void find_teams(struct lowering *l)
{
	l->loop = lt__pool_alloc(&l->b.pool, (size_t)l->t->n_loop, sizeof *l->loop);
	for (int32_t i = 0; i < l->t->n_loop; i++) {
		const struct lt_loop *x = lower_loop_at(l, i);
		struct lower_loop *at = &l->loop[i];
		if (at->mode == LOWER_COLLAPSED)
			continue;
		at->team = x->parent < 0 ? -1 : l->loop[x->parent].team;
		if (x->kind != LT_PARALLEL || at->team >= 0 || x->max_trip_count < 2 || !l->machine.teams)
			continue;
		*at = (struct lower_loop){ LOWER_TEAM, i };
		for (int32_t in = i, next; (next = only_child(l, in)) >= 0; in = next) {
			if (lower_loop_at(l, next)->kind != LT_PARALLEL || has_locals(l, in) || depends_on_outer(l, next, i))
				break;
			l->loop[next] = (struct lower_loop){ LOWER_COLLAPSED, i };
		}
	}
}

/* How many trips: min(max_trip_count, bounds); it may be negative. */
static int32_t trip_count(struct lowering *l, int32_t loop)
{
	const struct lt_loop *x = lower_loop_at(l, loop);
	int64_t most = x->max_trip_count;
	int32_t least = -1;
	for (int32_t b = x->first_bound; b < x->first_bound + x->n_bound; b++) {
		struct lower_range r = lt__lower_range(l, l->t->bounds[b]);
		if (r.known && r.low == r.high && r.high < most)
			most = r.high;
	}
	bool covered = false;
	for (int32_t b = x->first_bound; b < x->first_bound + x->n_bound; b++) {
		struct lower_range r = lt__lower_range(l, l->t->bounds[b]);
		if (r.known && r.low >= most)
			continue;
		covered = covered || (r.known && r.high <= most);
		int32_t row = lt__lower_row(l, l->t->bounds[b]);
		least = least < 0 ? row : lt__lower_pure(l, LT_OPCODE_min, LT_I64, least, row, -1, 0);
	}
	if (!covered) {
		int32_t all = lt__lower_i64(l, most);
		least = least < 0 ? all : lt__lower_pure(l, LT_OPCODE_min, LT_I64, least, all, -1, 0);
	}
	return least;
}

static void lower_body(struct lowering *l, int32_t loop, int32_t first, int32_t end);

static void lower_counted(struct lowering *l, int32_t loop)
{
	const struct lt_loop *x = lower_loop_at(l, loop);
	int32_t *value = &l->value[lower_loop_column(l->t, loop)];
	if (x->kind == LT_GROUP || (x->max_trip_count == 1 && x->n_bound == 0)) {       /* a block that runs once */
		*value = lt__lower_i64(l, 0);
		lower_body(l, loop, x->first_stmt, x->first_stmt + x->n_stmt);
		return;
	}
	l->b.origin = -1;
	int32_t from = lt__lower_i64(l, 0), to = trip_count(l, loop);
	int32_t mark = lt__lower_mark(l);
	*value = lt__build_loop(&l->b, from, to, 1, loop);
	lower_body(l, loop, x->first_stmt, x->first_stmt + x->n_stmt);
	lt__lower_forget(l, mark);
	lt__build_end(&l->b);
	*value = -1;
}

enum { MAX_HANDED = 64 };       /* loops around a team and in it */

/* Points of a team number the trips of its loops, the innermost fastest. */
static void take_apart(struct lowering *l, const int32_t *loop, const int32_t *trips, int32_t n, int32_t point)
{
	for (int32_t i = n; i-- > 0; ) {
		int32_t *value = &l->value[lower_loop_column(l->t, loop[i])];
		*value = i ? lt__lower_pure(l, LT_OPCODE_remainder, LT_I64, point, trips[i], -1, 0) : point;
		if (i)
			point = lt__lower_pure(l, LT_OPCODE_quotient, LT_I64, point, trips[i], -1, 0);
	}
}

/* The loops that are one team: the outermost first. */
static int32_t team_loops(const struct lowering *l, int32_t first, int32_t *loop)
{
	int32_t n = 0;
	for (int32_t i = first; i >= 0 && n < MAX_HANDED; ) {
		loop[n++] = i;
		int32_t in = only_child(l, i);
		i = in >= 0 && l->loop[in].mode == LOWER_COLLAPSED && l->loop[in].team == first ? in : -1;
	}
	return n;
}

static void team(struct lowering *l, int32_t first)
{
	int32_t loop[MAX_HANDED], trips[MAX_HANDED], outer[MAX_HANDED], n_outer = 0, n = team_loops(l, first, loop);
	const struct lt_loop *outermost = lower_loop_at(l, first);
	int64_t handed[2 * MAX_HANDED];
	int32_t n_handed = 0, points = -1;
	l->b.origin = -1;
	for (int32_t up = lower_loop_at(l, first)->parent; up >= 0 && n_outer < MAX_HANDED; up = lower_loop_at(l, up)->parent)
		outer[n_outer++] = up;
	/* The host's: how many points, and what is handed over. */
	for (int32_t i = 0; i < n; i++) {
		trips[i] = trip_count(l, loop[i]);
		if (n > 1)              /* a negative number times another would be none of points */
			trips[i] = lt__lower_pure(l, LT_OPCODE_max, LT_I64, trips[i], lt__lower_i64(l, 0), -1, 0);
		points = points < 0 ? trips[i] : lt__lower_pure(l, LT_OPCODE_mul, LT_I64, points, trips[i], -1, 0);
	}
	for (int32_t i = 0; i < n_outer; i++)
		handed[n_handed++] = l->value[lower_loop_column(l->t, outer[i])];
	for (int32_t i = 1; i < n; i++)
		handed[n_handed++] = trips[i];
	int32_t host = l->b.now, region = lt__build_region(&l->b, LT_REGION_TEAM, n_handed, first);
	l->b.now = host;
	(void)lt__build(&l->b, (struct lt_instruction){ .opcode = LT_OPCODE_launch, .operand = { points, -1, -1, -1 },
		.what = region, .origin = -1, .first_extra = lt__build_extras(&l->b, handed, n_handed), .n_extra = n_handed });
	/* The team's. */
	int32_t was_first = l->first_known, mark = lt__lower_mark(l);
	int32_t *kept = lt__pool_alloc(&l->b.pool, (size_t)l->t->n_column, sizeof *kept);
	memcpy(kept, l->value, (size_t)l->t->n_column * sizeof *kept);
	l->first_known = mark;
	l->b.now = region;
	l->team = first;
	for (int32_t i = 0; i < n_outer; i++)
		l->value[lower_loop_column(l->t, outer[i])] = lt__build_numbered(&l->b, LT_OPCODE_argument, LT_I64, i);
	for (int32_t i = 1; i < n; i++)
		trips[i] = lt__build_numbered(&l->b, LT_OPCODE_argument, LT_I64, n_outer + i - 1);
	int32_t from = lt__build_value(&l->b, LT_OPCODE_first, LT_I64, 1, -1, -1);
	int32_t to = lt__build_value(&l->b, LT_OPCODE_last, LT_I64, 1, -1, -1);
	take_apart(l, loop, trips, n, lt__build_loop(&l->b, from, to, 1, first));
	lower_body(l, loop[n - 1], outermost->first_stmt, outermost->first_stmt + outermost->n_stmt);
	lt__build_end(&l->b);
	l->team = -1;
	l->b.now = host;
	l->first_known = was_first;
	lt__lower_forget(l, mark);
	memcpy(l->value, kept, (size_t)l->t->n_column * sizeof *kept);
}

static void lower_body(struct lowering *l, int32_t loop, int32_t s, int32_t end)
{
	l->b.origin = -1;
	lt__lower_begin(l, loop);
	while (s < end) {
		int32_t in = LT_AT(struct lt_stmt, l->t->stmts, s)->loop;
		if (in == loop) {
			lt__lower_stmt(l, s++);
			continue;
		}
		while (lower_loop_at(l, in)->parent != loop)
			in = lower_loop_at(l, in)->parent;
		if (l->loop[in].mode == LOWER_TEAM)
			team(l, in);
		else
			lower_counted(l, in);
		s = lower_loop_at(l, in)->first_stmt + lower_loop_at(l, in)->n_stmt;
	}
}

static lt_status refuse_loops(const struct lt_tree *t, struct lt_diag *diag)
{
	static const uint32_t known = 1u << LT_SERIAL | 1u << LT_PARALLEL | 1u << LT_VECTOR | 1u << LT_UNROLL | 1u << LT_GROUP
		| 1u << LT_CALL | 1u << LT_TILE;
	for (int32_t i = 0; i < t->n_loop; i++) {
		const struct lt_loop *x = LT_AT(struct lt_loop, t->loops, i);
		int32_t depth = 0;
		for (int32_t up = i; up >= 0; up = LT_AT(struct lt_loop, t->loops, up)->parent)
			depth++;
		if (x->kind < 0 || x->kind >= LT_NLOOP_KIND || !(known >> x->kind & 1))
			return lt__report(diag, LT_EUNSUPPORTED, i, -1, "make it serial, unroll, vector or parallel",
				"loop %s: kernel programs have no loops of this kind yet", x->var ? x->var : "?");
		if (depth > MAX_HANDED)
			return lt__report(diag, LT_EUNSUPPORTED, i, -1, "merge some of the loops around it",
				"loop %s: more than %d loops are around it", x->var ? x->var : "?", (int)MAX_HANDED);
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

static lt_status refuse(const struct lt_tree *t, struct lt_diag *diag)
{
	static const uint64_t known = LT_NEED_PARAMS | LT_NEED_DIVS | LT_NEED_GATHER | LT_NEED_PIECES | LT_NEED_GUARDED
		| LT_NEED_COMBINE;
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
		if (st->kind < LT_MAP || st->kind > LT_COMBINE)
			return lt__report(diag, LT_EUNSUPPORTED, -1, s, NULL, "%%%s: kernel programs have no barriers yet",
				st->name ? st->name : "?");
	}
	lt_status status = refuse_loops(t, diag);
	return status ? status : refuse_operators(t, diag);
}

/* A buffer is written if an instruction does it: a statement that never runs has none. */
static void mark_written(struct lowering *l)
{
	for (int32_t b = 0; b < l->b.n_buffer; b++)
		l->b.buffer[b].written = 0;
	for (int32_t r = 0; r < l->b.n_region; r++)
		for (int32_t i = 0; i < l->b.region[r].n; i++)
			if (l->b.region[r].at[i].opcode == LT_OPCODE_store)
				l->b.buffer[l->b.region[r].at[i].what].written = 1;
}

static void lower(struct lowering *l)
{
	const struct lt_tree *t = l->t;
	lt__builder_begin(&l->b);
	l->b.name = lt__build_string(&l->b, t->name ? t->name : "kernel");
	l->b.n_slot = t->n_slot;
	l->team = -1;
	l->value = lt__pool_alloc(&l->b.pool, (size_t)t->n_column, sizeof *l->value);
	for (int32_t c = 0; c < t->n_column; c++)
		l->value[c] = -1;
	find_teams(l);
	lt__lower_ranges(l);
	lt__lower_spaces(l);
	for (int32_t i = 0; i < t->n_param; i++) {
		const struct lt_tparam *p = LT_AT(struct lt_tparam, t->params, i);
		(void)lt__build_param(&l->b, &(struct lt_kernel_param){ p->name, l->place[p->buffer].buffer, p->element, p->low,
			p->high });
	}
	lower_body(l, -1, 0, (int32_t)t->stmts.n);
	mark_written(l);
	if (l->b.n_op)                  /* only texts of third parties use it */
		l->b.prelude = lt__build_string(&l->b, t->prelude);
}

lt_status lt__lower_kernel(const struct lt_tree *t, const struct lt_machine *m, struct lt_kernel_report *report,
	struct lt_kernel **out, struct lt_diag *diag)
{
	*out = NULL;
	lt_status status = refuse(t, diag);
	if (status)
		return status;
	struct lowering *l = calloc(1, sizeof *l);
	if (l && !setjmp(l->b.pool.jump)) {
		l->t = t;
		l->machine = *m;
		l->report = report;
		lower(l);
		*out = lt__builder_end(&l->b);
	} else {
		if (l)
			lt__builder_free(&l->b);
		status = lt__report(diag, LT_ENOMEM, -1, -1, NULL, "out of memory");
	}
	free(l);
	return status;
}
