/* Calls of a frozen tree: the nest inside an LT_CALL loop as a description, however its loops cut the vars, and what of
 * it is a product with epilogues.
 *
 * Axes are the iterations of loops of step 1 that would be in the call's place; where elements lie along them is asked
 * with these loops around, so that views, tiles and layouts outside the call are all in the one row and the strides.
 */
#include <stdlib.h>
#include <string.h>
#include "looptree/call/call.h"
#include "looptree/freeze/parts.h"

/* The call's reads that the values of an op are. */
struct op_reads { int32_t of_value[3]; };
struct call_nest {
	struct lt_freezer *f;
	lt_tnode at;
	const struct lt_peeled *copy;
	int64_t step;
	const char *where, *why;
	lt_node *member; int32_t n_member;      /* the leaves inside, in the order of the graph */
	bool *result;                   /* by member: whether it is read outside */
	struct lt_description d;
	struct lt_contraction c;
	struct op_reads *read;          /* by op of d */
	int32_t first_axis, n_axis;     /* of f->call_dim */
	const char **op_name, **read_name;      /* of the description, as they are found */
	int32_t cap_op_name, cap_read_name;
	int64_t first[64];              /* by axis: of a peeled remainder, elements before it */
	int32_t loop_of[64];            /* by axis: the loop that is open over it, -1: none */
};

static bool fail(struct call_nest *x, const char *why)
{
	x->why = x->why ? x->why : why;
	return false;
}
#define FAIL(x, ...) fail((x), lt__arena_format((x)->f->keep, __VA_ARGS__))

static bool is_outside(const struct call_nest *x, lt_node n)
{
	const struct lt_looptree *t = x->f->t;
	if (t->scope[n].whole)
		return true;
	for (lt_tnode at = lt__root_of(t, x->at); at >= 0; at = lt__freeze_next(t, at)) {
		const struct lt_leaf *leaf =
			t->node[at].kind == LT_TLEAF && !lt__is_above(t, x->at, at) ? t->leaf[t->node[at].leaf] : NULL;
		for (int32_t k = 0; leaf && k < leaf->n_read; k++)
			for (int32_t p = 0; p < leaf->read[k].n_piece; p++)
				if (leaf->read[k].piece[p].base == n)
					return true;
	}
	return false;
}

static int by_call_node(const void *a, const void *b)
{
	return (*(const lt_node *)a > *(const lt_node *)b) - (*(const lt_node *)a < *(const lt_node *)b);
}

static void find_members(struct call_nest *x)
{
	const struct lt_looptree *t = x->f->t;
	int32_t cap = 0;
	for (lt_tnode at = lt_looptree_after(t, x->at); at >= 0 && lt__is_above(t, x->at, at); at = lt_looptree_after(t, at)) {
		if (t->node[at].kind != LT_TLEAF)
			continue;
		LT_GROW(x->f->a, x->member, x->n_member, cap);
		x->member[x->n_member++] = t->node[at].leaf;
	}
	if (x->n_member)
		qsort(x->member, (size_t)x->n_member, sizeof *x->member, by_call_node);
	x->result = LT_NEW(x->f->a, bool, x->n_member + 1);
	for (int32_t i = 0; i < x->n_member; i++)
		x->result[i] = is_outside(x, x->member[i]);
}

/* Whether none of them is a copy that is made ahead. */
static bool check_members(struct call_nest *x)
{
	const struct lt_looptree *t = x->f->t;
	for (int32_t i = 0; i < x->n_member; i++)
		if (t->node[t->leaf_of[x->member[i]]].depth > 1)
			return FAIL(x, "%%%s is made ahead of its use; stage it outside of %s", t->graph->node[x->member[i]].name,
				x->where);
	return true;
}

/* The first of the leaves that reduces over v; -1: none. */
static lt_node reduces_over(const struct call_nest *x, lt_var v)
{
	for (int32_t i = 0; i < x->n_member; i++)
		if (lt__reduces(x->f->g, x->member[i], v))
			return x->member[i];
	return -1;
}

/* The loops around the call and in it: none outside sums, none is padded. */
static bool check_loops(struct call_nest *x)
{
	const struct lt_looptree *t = x->f->t;
	struct lt_rows on = { 0 };
	for (lt_tnode up = t->node[x->at].parent; up >= 0; up = t->node[up].parent)
		if (t->node[up].kind == LT_TLOOP && reduces_over(x, t->node[up].var) >= 0)
			return FAIL(x, "the loop %s around the call also sums %%%s; a routine computes the whole sum: put the call on that "
				"loop",
				lt__loop_path(t, up), t->graph->node[reduces_over(x, t->node[up].var)].name);
	for (lt_tnode at = lt__root_of(t, x->at); at >= 0; at = lt__freeze_next(t, at))
		if (t->node[at].kind == LT_TLOOP && t->node[at].tail == LT_PAD
			&& (at == x->at || lt__is_above(t, x->at, at) || lt__is_above(t, at, x->at)))
			return FAIL(x, "the loop %s is padded, and a routine does not fill what is past the end; give it tail guard",
				lt__loop_path(t, at));
	if (x->copy && x->copy->peeled && reduces_over(x, t->node[x->at].var) >= 0)
		return FAIL(x, "the loop %s sums and is peeled into several calls; give it tail guard", lt__loop_path(t, x->at));
	if (x->copy && x->copy->counted)
		return FAIL(x, "%s is peeled, and a run-time scalar says what is left; give it tail guard", x->where);
	lt__freeze_on(x->f, &on);
	if (on.n > 0 || x->f->ahead.n > 0)
		return FAIL(x, "some iterations of the loops around %s are left out, and a routine cannot leave them out; make these "
			"loops serial", x->where);
	return true;
}

/* A matrix instruction adds to what is there; what is past the end in a padded loop is filled as the loops fill it. */
static bool check_tile_loops(struct call_nest *x)
{
	struct lt_freezer *f = x->f;
	struct lt_rows on = { 0 };
	lt__freeze_on(f, &on);
	if (on.n > 0 || f->ahead.n > 0)
		return FAIL(x, "some iterations of the loops around %s are left out; give the loop with a partial iteration tail pad",
			x->where);
	if (x->copy && x->copy->peeled)
		return FAIL(x, "%s is peeled into several nests; give it tail pad", x->where);
	return true;
}

/* An instruction has no conditions, and adds to a sum that began before. */
static void check_tile_stmts(struct call_nest *x, int32_t loop)
{
	const struct lt_freezer *f = x->f;
	for (int32_t s = f->loop[loop].first_stmt; s < f->loop[loop].first_stmt + f->loop[loop].n_stmt && !x->why; s++) {
		const char *name = f->g->node[f->stmt_node[s]].name;
		if (f->stmt[s].kind == LT_RESET)
			FAIL(x, "%%%s begins in it; put a loop over what is reduced around it", name);
		else if (f->stmt[s].kind == LT_COMBINE)
			FAIL(x, "vector or block loops in it reduce; make them serial");
		else if (f->stmt[s].n_guard > 0)
			FAIL(x, "%%%s is not computed in all of its iterations; stage what is padded", name);
		for (int32_t o = 0; o < f->stmt[s].n_operand && !x->why; o++)
			if (f->operand[f->stmt[s].first_operand + o].n_piece > 1)
				FAIL(x, "what %%%s reads is not there in all of its iterations; stage it in a loop around it", name);
	}
	for (int32_t l = loop; l < f->n_loop && !x->why; l++)
		if (f->loop[l].kind == LT_BLOCK || f->loop[l].kind == LT_GRID || f->loop[l].kind == LT_PARALLEL)
			FAIL(x, "the loop %s in it has threads of its own; make it serial", lt__loop_path(f->t, f->loop[l].at));
	if (f->loop[loop].at == x->at && reduces_over(x, f->t->node[x->at].var) >= 0)
		FAIL(x, "the loop is the one that reduces; put the tile on the loop over rows, outside of it");
}

static lt_node operand_node(const struct call_nest *x, int32_t o)
{
	const struct lt_callread *r = &x->c.operand[o];
	const struct lt_described_op *op = &x->d.op[r->op];
	return r->value < 0 ? op->node : op->value[r->value].piece->base;
}

static void check_tile(struct call_nest *x, const struct lt_call *call)
{
	const struct lt_freezer *f = x->f;
	const struct lt_tile_row *row = lt__tile_find(f->t->node[x->at].call);
	struct lt_callshape shape = { .pattern = LT_PATTERN_PRODUCT, .epilogues = x->c.epilogues, .sum = x->c.type,
		.n_dim = x->c.n_dim, .n_operand = x->c.n_operand };
	bool bounded[LT_MAX_RANK] = { false };
	check_tile_stmts(x, call->loop);
	if (x->why)
		return;
	for (int32_t d = 0; d < x->c.n_dim; d++) {
		const struct lt_fcalldim *dim = &f->call_dim[call->first_dim + d];
		shape.role[d] = dim->role;
		shape.extent[d] = dim->extent;
		shape.var[d] = f->g->var[dim->var].name;
		bounded[d] = dim->n_bound > 0;
	}
	for (int32_t o = 0; o < x->c.n_operand; o++) {
		shape.dtype[o] = f->buffer[f->call_operand[call->first_operand + o].buffer].dtype;
		shape.name[o] = f->g->node[operand_node(x, o)].name;
	}
	x->why = row ? lt__tile_refuses(f->keep, row, &shape, bounded) : "there is no matrix instruction of that name";
}

/* Elements of axis d, as bounds of iterations. */
static void add_axis(struct call_nest *x, int32_t d, struct lt_fcalldim dim, int32_t loop)
{
	struct lt_freezer *f = x->f;
	const struct lt_floop *of = &f->loop[loop];
	if (dim.extent) {               /* a digit: a number, which no loop cuts */
		for (int32_t k = 0; k < f->n_path; k++)
			if (f->path[k].var == dim.var)
				FAIL(x, "the loop %s around %s is over a var that a view cuts; put the call on that loop",
					f->g->var[dim.var].name, x->where);
		if (x->copy && x->copy->peeled && f->t->node[x->at].var == dim.var)
			FAIL(x, "%s is peeled, and a view cuts its var; give it tail guard", x->where);
		dim.first_bound = f->n_bound;
	} else if (x->copy && x->copy->peeled && f->t->node[x->at].var == dim.var) {
		int64_t covers = x->copy->remainder ? x->copy->cover : x->step;
		x->first[d] = x->copy->remainder ? x->copy->first * x->step : 0;
		dim.extent = of->max_trip_count * covers;
		dim.first_bound = f->n_bound;
		dim.n_bound = of->n_bound;
		for (int32_t i = 0; i < dim.n_bound; i++) {
			struct lt_row row = { 0 };
			lt__row_plus(f, &row, &f->bound[f->loop[loop].first_bound + i], covers);
			LT_GROW(f->a, f->bound, f->n_bound, f->cap_bound);
			f->bound[f->n_bound++] = row;
		}
	} else {
		const struct lt_peeled all = { .peeled = false };
		struct lt_floop floop = { .kind = LT_SERIAL };
		struct lt_step step = { .var = dim.var, .step = 1, .full = 1 };
		lt__freeze_trip_count(f, &all, &floop, &step);
		dim.extent = floop.max_trip_count;
		dim.first_bound = floop.first_bound;
		dim.n_bound = floop.n_bound;
	}
	LT_GROW(f->a, f->call_dim, f->n_call_dim, f->cap_call_dim);
	f->call_dim[f->n_call_dim++] = dim;
}

/* Loops over the axes, in terms of the vars of an op's leaf. */
static bool open_axes(struct call_nest *x, const struct lt_leaf *leaf, const struct lt_described_op *op)
{
	struct lt_freezer *f = x->f;
	int32_t n_outer = f->n_path;
	for (int32_t a = 0; a < x->d.n_axis; a++)
		x->loop_of[a] = -1;
	for (int32_t i = 0; i < op->n_digit; i++) {
		const struct lt_axis_digit *digit = &op->digit[i];
		const struct lt_axis *axis = &x->d.axis[digit->axis];
		lt_var v = leaf->var[digit->column];
		for (int32_t k = 0; k < n_outer && (v != axis->var || !axis->whole); k++)
			if (f->path[k].var == v || f->path[k].var == axis->var)
				return FAIL(x, "the loop %s around the call is over %s, which counts the same as another var does, or is cut by a "
					"view; put the call on that loop", f->g->var[f->path[k].var].name, f->g->var[v].name);
		LT_GROW(f->a, f->path, f->n_path, f->cap_path);
		LT_GROW(f->a, f->loop, f->n_loop, f->cap_loop);
		f->path[f->n_path++] = (struct lt_step){ .var = v, .step = digit->place, .first = x->first[digit->axis],
			.cover = digit->place, .full = digit->place, .loop = f->n_loop, .at = -1 };
		f->loop[f->n_loop] = (struct lt_floop){ .parent = -1, .kind = LT_SERIAL, .at = -1,
			.max_trip_count = f->call_dim[x->first_axis + digit->axis].extent };
		x->loop_of[digit->axis] = f->n_loop++;
	}
	return true;
}

/* What the tables of loops and the like hold before axes are opened. */
struct call_mark { int32_t n_loop, n_path, n_div, n_access; };
static struct call_mark mark_of(const struct lt_freezer *f)
{
	return (struct call_mark){ f->n_loop, f->n_path, f->n_div, f->n_access };
}
static void back_to(struct lt_freezer *f, struct call_mark m)
{
	f->n_loop = m.n_loop;
	f->n_path = m.n_path;
	f->n_div = m.n_div;
	f->n_access = m.n_access;
}

/* A row over open axes as a place. */
static bool to_place(
	struct call_nest *x, const struct lt_row *row, struct call_mark m, lt_node node, struct lt_fplace *out)
{
	struct lt_freezer *f = x->f;
	*out = (struct lt_fplace){ .row = { .constant = row->constant }, .first_stride = f->n_stride };
	for (int32_t a = 0; a < x->d.n_axis; a++) {
		LT_GROW(f->a, f->stride, f->n_stride, f->cap_stride);
		f->stride[f->n_stride++] = 0;
	}
	for (int32_t i = 0; i < row->n; i++) {
		const struct lt_term *term = &row->term[i];
		int32_t a = 0;
		while (a < x->d.n_axis && (term->kind != LT_TERM_LOOP || term->at != x->loop_of[a]))
			a++;
		if (a < x->d.n_axis)
			f->stride[out->first_stride + a] = term->coef;
		else if (term->kind == LT_TERM_DIV && term->at >= m.n_div)
			return FAIL(x, "the elements of %%%s lie in blocks that %s cuts; materialize it, or choose another layout",
				f->g->node[node].name, x->where);
		else
			lt__row_term(f, &out->row, term->kind, term->at, term->coef);
	}
	return true;
}

/* Where `base` is at the rows of the map, and in which buffer. */
static lt_status access_place(struct call_nest *x, const struct lt_described_op *op, lt_node base,
	const struct lt_map *map, bool dest, int32_t *buffer, struct lt_fplace *out)
{
	struct lt_freezer *f = x->f;
	const struct lt_leaf *leaf = op->leaf;
	const struct call_mark m = mark_of(f);
	int32_t access;
	lt_status st = LT_OK;
	if (open_axes(x, leaf, op) && !(st = lt__freeze_access(f, leaf, base, map, dest, &access))) {
		*buffer = f->access[access].buffer;
		(void)to_place(x, &f->access[access].row, m, base, out);
	}
	back_to(f, m);
	return st;
}

static void row_place(struct call_nest *x, const struct lt_described_op *op, const struct lt_map *map,
	const int64_t *row, struct lt_fplace *out)
{
	struct lt_freezer *f = x->f;
	const struct lt_leaf *leaf = op->leaf;
	const struct call_mark m = mark_of(f);
	struct lt_row is;
	if (open_axes(x, leaf, op)) {
		lt__freeze_row(f, leaf, map, row, -1, &is);
		(void)to_place(x, &is, m, op->node, out);
	}
	back_to(f, m);
}

static bool same_place(const struct call_nest *x, const struct lt_fplace *a, const struct lt_fplace *b)
{
	const int64_t *stride = x->f->stride;
	return lt__row_same(&a->row, &b->row) && !memcmp(stride + a->first_stride, stride + b->first_stride,
		sizeof *stride * (size_t)x->d.n_axis);
}

static bool same_read(const struct call_nest *x, const struct lt_fcallread *a, const struct lt_fcallread *b)
{
	const struct lt_freezer *f = x->f;
	bool same = a->buffer == b->buffer && a->n_guard == b->n_guard && (a->n_guard == 0 || a->fill == b->fill)
		&& same_place(x, &a->at, &b->at);
	for (int32_t i = 0; i < a->n_guard && same; i++)
		same = same_place(x, &f->call_guard[a->first_guard + i], &f->call_guard[b->first_guard + i]);
	return same;
}

/* Some multiple of `by`, and what is not, which is less than one: then whether the sum is negative does not depend on
 * the rest.  So it is of a guard over a digit, which may be written of the var that was cut. */
static bool drop_rest(const struct call_nest *x, int64_t by, struct lt_fplace *g)
{
	int64_t *stride = &x->f->stride[g->first_stride], low = g->row.constant, high = low;
	for (int32_t a = 0; a < x->n_axis; a++) {
		int64_t far = stride[a] % by ? lt__mul_sat(stride[a], x->f->call_dim[x->first_axis + a].extent - 1) : 0;
		low = lt__add_sat(low, far < 0 ? far : 0);
		high = lt__add_sat(high, far > 0 ? far : 0);
	}
	if (lt__floor_div(low, by) != lt__floor_div(high, by))
		return false;
	g->row.constant = lt__floor_div(low, by);
	for (int32_t a = 0; a < x->n_axis; a++)
		stride[a] = stride[a] % by ? 0 : stride[a] / by;
	return true;
}

/* A guard in its smallest numbers. */
static void simplify_guard(const struct call_nest *x, struct lt_fplace *g)
{
	const int64_t *stride = &x->f->stride[g->first_stride];
	for (int32_t a = 0; a < x->n_axis && g->row.n == 0; a++) {
		int64_t by = stride[a] < 0 ? -stride[a] : stride[a];
		if (by > 1 && drop_rest(x, by, g))
			a = -1;
	}
}

/* The number of a read of the call. */
static lt_status add_read(struct call_nest *x, const struct lt_call *call, const struct lt_described_op *op,
	const struct lt_described_value *v, int32_t *out)
{
	struct lt_freezer *f = x->f;
	const struct lt_map *map = &v->piece->map;
	struct lt_fcallread r = { .first_guard = f->n_call_guard, .n_guard = map->n_guard,
		.fill = map->n_guard ? v->bits : 0 };
	LT_TRY(access_place(x, op, v->piece->base, map, false, &r.buffer, &r.at));
	for (int32_t i = 0; i < map->n_guard && !x->why; i++) {
		LT_GROW(f->a, f->call_guard, f->n_call_guard, f->cap_call_guard);
		row_place(x, op, map, map->guard + (int64_t)i * lt__map_width(map), &f->call_guard[f->n_call_guard]);
		if (!x->why)
			simplify_guard(x, &f->call_guard[f->n_call_guard]);
		f->n_call_guard++;
	}
	*out = 0;
	if (x->why)
		return LT_OK;
	for (; call->first_read + *out < f->n_call_read; ++*out)
		if (same_read(x, &f->call_read[call->first_read + *out], &r)) {
			f->n_call_guard = r.first_guard;
			return LT_OK;
		}
	LT_GROW(f->a, f->call_read, f->n_call_read, f->cap_call_read);
	f->call_read[f->n_call_read++] = r;
	LT_GROW(f->keep, x->read_name, *out, x->cap_read_name);
	x->read_name[*out] = f->g->node[v->piece->base].name;
	return LT_OK;
}

/* What became of the ops: the number of each in the call, or, of a sum of places and numbers, the place. */
struct made_op { int32_t number; bool is_place; struct lt_fcallvalue place; };

static lt_status add_value(struct call_nest *x, const struct lt_call *call, const struct lt_described_op *op,
	const struct lt_described_value *v, const struct made_op *done)
{
	struct lt_freezer *f = x->f;
	struct lt_fcallvalue made = { .kind = v->kind, .dtype = v->dtype, .at = -1 };
	if (v->kind == LT_VALUE_OP && done[v->op].is_place)
		made = done[v->op].place;
	else if (v->kind == LT_VALUE_OP)
		made.at = done[v->op].number;
	else if (v->kind == LT_VALUE_BITS)
		made.bits = v->bits;
	else if (v->kind == LT_VALUE_READ) {
		LT_TRY(add_read(x, call, op, v, &made.at));
		x->read[op - x->d.op].of_value[v - op->value] = made.at;
	} else
		row_place(x, op, &v->piece->map, v->piece->map.row, &made.place);
	LT_GROW(f->a, f->call_value, f->n_call_value, f->cap_call_value);
	f->call_value[f->n_call_value++] = made;
	return LT_OK;
}

/* to += times * the place, or number, that a value is; false: it is neither, or the number is large. */
static bool add_place(struct call_nest *x, const struct lt_fcallvalue *v, int64_t times, struct lt_fplace *to)
{
	struct lt_freezer *f = x->f;
	const int64_t number = (int64_t)v->bits;
	if (v->kind == LT_VALUE_BITS && number < INT32_MAX && number > INT32_MIN) {
		lt__row_number(f, &to->row, number, times);
		return true;
	}
	if (v->kind != LT_VALUE_PLACE)
		return false;
	lt__row_plus(f, &to->row, &v->place.row, times);
	for (int32_t a = 0; a < x->d.n_axis; a++)
		f->stride[to->first_stride + a] += times * f->stride[v->place.first_stride + a];
	return true;
}

/* The place that a sum or difference of places and numbers is, where only ops read it. */
static bool fold_place(struct call_nest *x, const struct lt_described_op *op, int32_t first, struct lt_fcallvalue *out)
{
	struct lt_freezer *f = x->f;
	const struct lt_nodedef *d = &f->g->node[op->node];
	if (op->result || d->dtype != LT_I64 || op->kind != LT_CALL_MAP || (d->op != LT_OP_add && d->op != LT_OP_sub))
		return false;
	*out = (struct lt_fcallvalue){ .kind = LT_VALUE_PLACE, .dtype = LT_I64, .at = -1,
		.place = { .first_stride = f->n_stride } };
	for (int32_t a = 0; a < x->d.n_axis; a++) {
		LT_GROW(f->a, f->stride, f->n_stride, f->cap_stride);
		f->stride[f->n_stride++] = 0;
	}
	return add_place(x, &f->call_value[first], 1, &out->place)
		&& add_place(x, &f->call_value[first + 1], d->op == LT_OP_sub ? -1 : 1, &out->place);
}

static lt_status add_op(struct call_nest *x, const struct lt_call *call, const struct lt_described_op *op,
	const struct made_op *done, struct made_op *now)
{
	struct lt_freezer *f = x->f;
	const struct lt_nodedef *d = &f->g->node[op->node];
	struct lt_call_op made = { .kind = op->kind, .may_skip = op->may_skip ? op->rounds_to ? 2 : 1 : 0,
		.n_value = op->n_value };
	enum lt_dtype in[3] = { 0 };
	for (int32_t i = 0; i < op->n_digit; i++) {
		made.axes |= UINT64_C(1) << op->digit[i].axis;
		if (d->reduce && op->digit[i].column >= op->leaf->n_out)
			made.reduced |= UINT64_C(1) << op->digit[i].axis;
	}
	if (op->kind == LT_CALL_REDUCE && !made.reduced)
		made.kind = LT_CALL_MAP;
	/* Of what is in place of the others there are values beside these. */
	int32_t first = f->n_call_value;
	for (int32_t v = 0; v < op->n_value && !x->why; v++) {
		LT_TRY(add_value(x, call, op, &op->value[v], done));
		in[v] = op->value[v].dtype;
	}
	made.first_value = first;
	if (!x->why && fold_place(x, op, first, &now->place)) {
		now->is_place = true;
		f->n_call_value = first;
		return LT_OK;
	}
	bool copies = d->op == LT_OP_update || (d->reduce && !made.reduced);
	if (made.kind == LT_CALL_REDUCE)
		in[1] = in[0];
	made.op = lt__freeze_op(f, op->rounds_to ? LT_OP_cast : copies ? LT_OP_copy : d->op,
		op->rounds_to ? op->rounds_to : d->dtype, made.kind == LT_CALL_REDUCE ? 2 : op->n_value, in);
	LT_GROW(f->a, f->call_op, f->n_call_op, f->cap_call_op);
	LT_GROW(f->keep, x->op_name, f->n_call_op - call->first_op, x->cap_op_name);
	x->op_name[f->n_call_op - call->first_op] = d->name;
	f->call_op[f->n_call_op++] = made;
	return LT_OK;
}

static lt_status add_results(struct call_nest *x, const struct made_op *done)
{
	struct lt_freezer *f = x->f;
	for (int32_t i = 0; i < x->d.n_op && !x->why; i++) {
		struct lt_fcallresult r = { .op = done[i].number };
		struct lt_map dest;
		const struct lt_described_op *op = &x->d.op[i];
		if (!op->result)
			continue;
		lt__leaf_dest(f->g, f->a, op->node, op->leaf, &dest);
		LT_TRY(access_place(x, op, op->node, &dest, true, &r.buffer, &r.at));
		LT_GROW(f->a, f->call_result, f->n_call_result, f->cap_call_result);
		f->call_result[f->n_call_result++] = r;
	}
	return LT_OK;
}

static lt_status add_description(struct call_nest *x, struct lt_call *call)
{
	struct lt_freezer *f = x->f;
	struct made_op *done = LT_NEW(f->a, struct made_op, x->d.n_op + 1);
	x->read = LT_NEW(f->a, struct op_reads, x->d.n_op + 1);
	call->first_axis = x->first_axis = f->n_call_dim;
	x->n_axis = x->d.n_axis;
	call->first_read = f->n_call_read;
	call->first_op = f->n_call_op;
	call->first_result = f->n_call_result;
	for (int32_t a = 0; a < x->d.n_axis; a++) {
		const struct lt_axis *axis = &x->d.axis[a];
		add_axis(x, a, (struct lt_fcalldim){ .var = axis->var, .role = LT_DIM_OTHER, .place = axis->place,
			.extent = axis->whole ? 0 : axis->extent, .again = axis->again }, call->loop);
	}
	for (int32_t i = 0; i < x->d.n_op && !x->why; i++) {
		done[i].number = f->n_call_op - call->first_op;
		if (!x->d.op[i].dead)
			LT_TRY(add_op(x, call, &x->d.op[i], done, &done[i]));
	}
	LT_TRY(add_results(x, done));
	call->n_axis = x->d.n_axis;
	call->n_read = f->n_call_read - call->first_read;
	call->n_op = f->n_call_op - call->first_op;
	call->n_result = f->n_call_result - call->first_result;
	return LT_OK;
}

/* -- axes that are one -- */

/* The strides of everything in the description that has a place, each once; of guards, or of all else. */
struct place_list { int64_t **at; int32_t n, cap; };

static void list_place(const struct call_nest *x, const struct lt_fplace *p, struct place_list *out)
{
	int64_t *at = &x->f->stride[p->first_stride];
	for (int32_t i = 0; i < out->n; i++)
		if (out->at[i] == at)
			return;
	LT_GROW(x->f->a, out->at, out->n, out->cap);
	out->at[out->n++] = at;
}

static void list_places(const struct call_nest *x, const struct lt_call *call, bool guards, struct place_list *out)
{
	const struct lt_freezer *f = x->f;
	for (int32_t r = call->first_read; r < call->first_read + call->n_read; r++) {
		if (!guards)
			list_place(x, &f->call_read[r].at, out);
		for (int32_t g = 0; g < f->call_read[r].n_guard && guards; g++)
			list_place(x, &f->call_guard[f->call_read[r].first_guard + g], out);
	}
	for (int32_t r = call->first_result; r < call->first_result + call->n_result && !guards; r++)
		list_place(x, &f->call_result[r].at, out);
	for (int32_t o = call->first_op; o < call->first_op + call->n_op && !guards; o++)
		for (int32_t v = f->call_op[o].first_value; v < f->call_op[o].first_value + f->call_op[o].n_value; v++)
			if (f->call_value[v].kind == LT_VALUE_PLACE)
				list_place(x, &f->call_value[v].place, out);
}

/* Two axes that may be one, `low` counting within a step of `high`. */
struct axis_pair { int32_t high, low; int64_t n_high, n_low; };

static bool steps_as_one(const struct axis_pair *p, const int64_t *stride)
{
	return stride[p->high] == lt__mul_sat(stride[p->low], p->n_low);
}

/* Whether all ops have both axes or neither, and each step along `high` is as many along `low` as there are, wherever
 * something is: together they count what one axis would. */
static bool is_one_axis(const struct lt_freezer *f, const struct lt_call *call, const struct place_list *places,
	const struct axis_pair *p)
{
	const struct lt_fcalldim *axis = &f->call_dim[call->first_axis];
	bool is = p->high != p->low && axis[p->high].n_bound == 0 && axis[p->low].n_bound == 0;
	for (int32_t o = call->first_op; o < call->first_op + call->n_op && is; o++) {
		const struct lt_call_op *op = &f->call_op[o];
		is = (op->axes >> p->high & 1) == (op->axes >> p->low & 1)
			&& (op->reduced >> p->high & 1) == (op->reduced >> p->low & 1);
	}
	for (int32_t i = 0; i < places->n && is; i++)
		is = steps_as_one(p, places->at[i]);
	return is;
}

/* Whether along two axes, as along one, there are borders of a read, or windows that share elements: whatever has
 * neither is as well described by two. */
static bool moves_windows(const struct lt_freezer *f, const struct lt_call *call, const struct axis_pair *p)
{
	uint64_t reduced = 0;
	for (int32_t o = call->first_op; o < call->first_op + call->n_op; o++)
		reduced |= f->call_op[o].reduced;
	for (int32_t i = call->first_read; i < call->first_read + call->n_read; i++) {
		const struct lt_fcallread *r = &f->call_read[i];
		const int64_t *by = &f->stride[r->at.first_stride];
		for (int32_t g = r->first_guard; g < r->first_guard + r->n_guard; g++)
			if (f->stride[f->call_guard[g].first_stride + p->low])
				return true;
		for (int32_t w = 0; w < call->n_axis; w++) {
			if (!(reduced >> w & 1) || w == p->low || w == p->high || by[p->low] <= 0 || by[w] <= 0)
				continue;
			const int64_t step = lt__row_gcd(by[p->low], by[w]);
			if (by[w] / step < lt__mul_sat(p->n_high, p->n_low)
				&& by[p->low] / step < f->call_dim[call->first_axis + w].extent)
				return true;
		}
	}
	return false;
}

/* A guard as one of numbers: those that a read counts along the pair and, unless it is -1, along a window. */
struct numbered_guard { struct lt_fplace *g; int64_t *stride; struct axis_pair p; int32_t window; int64_t n_window,
	by_low, by_window; };

/* The least number, counted up (sign 1) or down (-1), at which the guard holds; all: and at all from there on. */
static int64_t holds_from(const struct numbered_guard *x, int64_t sign, int64_t from, bool *all)
{
	int64_t least = INT64_MAX;
	*all = true;
	for (int64_t i = 0; i < x->p.n_high * x->p.n_low * x->n_window; i++) {
		const int64_t w = i % x->n_window, y = i / x->n_window,
			number = lt__mul_sat(sign, lt__add_sat(lt__mul_sat(x->by_low, y), lt__mul_sat(x->by_window, w)));
		int64_t at = lt__add_sat(x->g->row.constant, lt__mul_sat(x->stride[x->p.high], y / x->p.n_low));
		at = lt__add_sat(at, lt__mul_sat(x->stride[x->p.low], y % x->p.n_low));
		at = lt__add_sat(at, x->window >= 0 ? lt__mul_sat(x->stride[x->window], w) : 0);
		least = at >= 0 && number < least ? number : least;
		*all = *all && (at >= 0) == (number >= from);
	}
	return least;
}

/* Passes may have written a guard in other words than of the number that is read, such as without what makes no
 * difference.  Whether that number says the same at each position; write: as which it is written. */
static bool number_guard(const struct lt_freezer *f, const struct lt_call *call, const struct lt_fcallread *r,
	struct lt_fplace *g, const struct axis_pair *p, bool write)
{
	enum { MAX_POSITIONS = 1000000 };
	const int64_t *by = &f->stride[r->at.first_stride];
	struct numbered_guard x = { .g = g, .stride = &f->stride[g->first_stride], .p = *p, .window = -1, .n_window = 1 };
	bool all = g->row.n == 0 && by[p->low] > 0;
	for (int32_t a = 0; a < call->n_axis && all; a++) {
		if (a == p->high || a == p->low || !x.stride[a])
			continue;
		all = x.window < 0 && by[a] > 0;
		x.window = a;
		x.n_window = f->call_dim[call->first_axis + a].extent;
	}
	if (!all || lt__mul_sat(lt__mul_sat(p->n_high, p->n_low), x.n_window) > MAX_POSITIONS)
		return false;
	const int64_t step = x.window < 0 ? by[p->low] : lt__row_gcd(by[p->low], by[x.window]);
	x.by_low = by[p->low] / step;
	x.by_window = x.window < 0 ? 0 : by[x.window] / step;
	for (int64_t sign = 1; sign >= -1; sign -= 2) {
		const int64_t from = holds_from(&x, sign, 0, &all);
		(void)holds_from(&x, sign, from, &all);
		if (!all || from == INT64_MAX)
			continue;
		if (!write)
			return true;
		g->row.constant = lt__mul_sat(-1, from);
		x.stride[p->low] = sign * x.by_low;
		x.stride[p->high] = sign * x.by_low * p->n_low;
		if (x.window >= 0)
			x.stride[x.window] = sign * x.by_window;
		return true;
	}
	return false;
}

static bool guards_step_as_one(
	struct lt_freezer *f, const struct lt_call *call, const struct axis_pair *p, bool write)
{
	for (int32_t i = call->first_read; i < call->first_read + call->n_read; i++) {
		const struct lt_fcallread *r = &f->call_read[i];
		for (int32_t g = r->first_guard; g < r->first_guard + r->n_guard; g++)
			if (!steps_as_one(p, &f->stride[f->call_guard[g].first_stride])
				&& !number_guard(f, call, r, &f->call_guard[g], p, write))
				return false;
	}
	return true;
}

static uint64_t without_axis(uint64_t set, int32_t axis)
{
	const uint64_t below = (UINT64_C(1) << axis) - 1;
	return (set & below) | (set >> 1 & ~below);
}

static void join_pair(struct lt_freezer *f, struct lt_call *call, const struct place_list *places,
	const struct axis_pair *p)
{
	struct lt_fcalldim *axis = &f->call_dim[call->first_axis];
	const size_t after = (size_t)(call->n_axis - p->high - 1);
	axis[p->low].extent = lt__mul_sat(p->n_high, p->n_low);
	memmove(axis + p->high, axis + p->high + 1, sizeof *axis * after);
	for (int32_t i = 0; i < places->n; i++)
		memmove(places->at[i] + p->high, places->at[i] + p->high + 1, sizeof *places->at[i] * after);
	for (int32_t o = call->first_op; o < call->first_op + call->n_op; o++) {
		f->call_op[o].axes = without_axis(f->call_op[o].axes, p->high);
		f->call_op[o].reduced = without_axis(f->call_op[o].reduced, p->high);
	}
	call->n_axis--;
	f->n_call_dim--;
}

/* The first two axes that are one; false: there are none. */
static bool find_pair(const struct call_nest *x, const struct lt_call *call, const struct place_list *places,
	struct axis_pair *out)
{
	struct lt_freezer *f = x->f;
	for (int32_t high = 0; high < call->n_axis; high++)
		for (int32_t low = 0; low < call->n_axis; low++) {
			const struct lt_fcalldim *axis = &f->call_dim[call->first_axis];
			*out = (struct axis_pair){ high, low, axis[high].extent, axis[low].extent };
			if (is_one_axis(f, call, places, out) && moves_windows(f, call, out)
				&& guards_step_as_one(f, call, out, false))
				return true;
		}
	return false;
}

/* A view behind the call may have cut what windows move along: y = 2*i + j of a convolution that is pooled by 2. */
static void join_axes(struct call_nest *x, struct lt_call *call)
{
	struct place_list places = { .n = 0 }, all = { .n = 0 };
	struct axis_pair pair;
	list_places(x, call, false, &places);
	list_places(x, call, false, &all);
	list_places(x, call, true, &all);
	while (find_pair(x, call, &places, &pair)) {
		(void)guards_step_as_one(x->f, call, &pair, true);
		join_pair(x->f, call, &all, &pair);
	}
	if (call->n_axis == x->n_axis)
		return;
	x->n_axis = call->n_axis;
	for (int32_t r = call->first_read; r < call->first_read + call->n_read; r++)
		for (int32_t g = 0; g < x->f->call_read[r].n_guard; g++)
			simplify_guard(x, &x->f->call_guard[x->f->call_read[r].first_guard + g]);
}

/* -- what of it is a product with epilogues -- */

/* The tables of a description as they were, from `first` on: what is made of it may take their place. */
struct described { struct lt_fcalldim *axis; struct lt_fcallread *read; struct lt_fcallresult result; int64_t *stride;
	int32_t first_stride; };

static void add_dims(struct call_nest *x, struct lt_call *call, const struct described *of)
{
	struct lt_freezer *f = x->f;
	call->first_dim = f->n_call_dim;
	call->n_dim = x->c.n_dim;
	for (int32_t d = 0; d < x->c.n_dim; d++) {
		LT_GROW(f->a, f->call_dim, f->n_call_dim, f->cap_call_dim);
		f->call_dim[f->n_call_dim] = of->axis[x->c.axis[d]];
		f->call_dim[f->n_call_dim++].role = x->c.role[d];
	}
}

static void add_operands(struct call_nest *x, struct lt_call *call, const struct described *of)
{
	struct lt_freezer *f = x->f;
	call->first_operand = f->n_call_operand;
	call->n_operand = x->c.n_operand;
	for (int32_t o = 0; o < x->c.n_operand; o++) {
		const struct lt_callread *r = &x->c.operand[o];
		const struct lt_fcallread *from = r->value < 0 ? NULL : &of->read[x->read[r->op].of_value[r->value]];
		const struct lt_fplace *at = from ? &from->at : &of->result.at;
		LT_GROW(f->a, f->call_operand, f->n_call_operand, f->cap_call_operand);
		f->call_operand[f->n_call_operand++] = (struct lt_fcalloperand){ .row = at->row, .first_stride = f->n_stride,
			.buffer = from ? from->buffer : of->result.buffer };
		for (int32_t d = 0; d < x->c.n_dim; d++) {
			LT_GROW(f->a, f->stride, f->n_stride, f->cap_stride);
			f->stride[f->n_stride++] = of->stride[at->first_stride - of->first_stride + x->c.axis[d]];
		}
	}
}

/* Whether dim d and the one after it are digits of one var that lie as the var would in each operand. */
static bool is_one_dim(const struct lt_freezer *f, const struct lt_call *call, int32_t d)
{
	const struct lt_fcalldim *high = &f->call_dim[call->first_dim + d], *low = high + 1;
	if (high->var != low->var || high->role != low->role || high->place != lt__mul_sat(low->place, low->extent))
		return false;
	for (int32_t o = 0; o < call->n_operand; o++) {
		const int64_t *stride = &f->stride[f->call_operand[call->first_operand + o].first_stride + d];
		if (stride[0] != lt__mul_sat(stride[1], low->extent))
			return false;
	}
	return true;
}

/* A view may cut a var that no operand's place is cut by. */
static void join_digits(struct lt_freezer *f, struct lt_call *call)
{
	for (int32_t d = call->n_dim - 2; d >= 0; d--) {
		struct lt_fcalldim *high = &f->call_dim[call->first_dim + d];
		if (!is_one_dim(f, call, d))
			continue;
		high->extent *= high[1].extent;
		high->place = high[1].place;
		call->n_dim--;
		memmove(high + 1, high + 2, sizeof *high * (size_t)(call->n_dim - d - 1));
		for (int32_t o = 0; o < call->n_operand; o++) {
			int64_t *stride = &f->stride[f->call_operand[call->first_operand + o].first_stride + d];
			memmove(stride, stride + 1, sizeof *stride * (size_t)(call->n_dim - d));
		}
		f->n_call_dim--;
	}
}

/* Dims, operands and types of the product that the description is. */
static void add_product(struct call_nest *x, struct lt_call *call, const struct described *of)
{
	const struct lt_freezer *f = x->f;
	const struct lt_floop *loop = &f->loop[call->loop];
	call->stmt = -1;
	for (int32_t s = loop->first_stmt + loop->n_stmt; s-- > loop->first_stmt;)
		if (lt__stmt_reduces(&f->stmt[s]) && f->stmt_node[s] == x->c.sum)
			call->stmt = s;
	if (call->stmt < 0) {
		FAIL(x, "%%%s is summed over nothing in %s", f->g->node[x->c.sum].name, x->where);
		return;
	}
	add_dims(x, call, of);
	add_operands(x, call, of);
	join_digits(x->f, call);
	call->pattern = LT_PATTERN_PRODUCT;
	call->epilogues = x->c.epilogues;
	call->sum = x->c.type;
}

/* What the tables of descriptions hold before one is made. */
struct described_mark { int32_t dim, read, guard, value, op, result, ops, stride; };
static struct described_mark described_mark_of(const struct lt_freezer *f)
{
	return (struct described_mark){ f->n_call_dim, f->n_call_read, f->n_call_guard, f->n_call_value, f->n_call_op,
		f->n_call_result, f->n_op, f->n_stride };
}
static void undescribe(struct lt_freezer *f, struct described_mark m)
{
	f->n_call_dim = m.dim;
	f->n_call_read = m.read;
	f->n_call_guard = m.guard;
	f->n_call_value = m.value;
	f->n_call_op = m.op;
	f->n_call_result = m.result;
	f->n_op = m.ops;
	f->n_stride = m.stride;
}

/* Entries of a table, which is NULL as long as nothing has any. */
static void *copy_part(struct lt_freezer *f, const void *table, int32_t first, int32_t n, size_t size)
{
	return n ? lt__arena_copy(f->a, (const char *)table + (size_t)first * size, (size_t)n * size) : NULL;
}

/* The description, or a sentence why there is none, and the product that it is; x->why: why it is none.  A matrix
 * instruction (tile) has the product alone. */
static lt_status describe_call(struct call_nest *x, bool tile, struct lt_call *call)
{
	struct lt_freezer *f = x->f;
	struct lt_call made = *call;
	const uint64_t needs = f->needs;
	const struct described_mark m = described_mark_of(f);
	const char *none = NULL;
	if (check_members(x))
		x->why = lt__describe(f->t, f->a, x->member, x->n_member, x->result, x->where, &x->d);
	if (!x->why)
		none = lt__contraction_of(f->g, f->keep, &x->d, !tile, x->where, &x->c);
	if (!x->why && (tile ? check_tile_loops(x) : check_loops(x)))
		LT_TRY(add_description(x, &made));
	if (!x->why && made.n_result == 0)
		(void)FAIL(x, "nothing that is computed in %s is read outside of it", x->where);
	f->needs = needs | (x->why ? 0 : f->needs & LT_NEED_PARAMS);
	if (x->why) {
		undescribe(f, m);
		x->why = lt__arena_string(f->keep, x->why);
		call->undescribed = tile ? NULL : x->why;
		x->why = none ? none : x->why;
		return LT_OK;
	}
	const struct described of = {
		.axis = copy_part(f, f->call_dim, made.first_axis, made.n_axis, sizeof *of.axis),
		.read = copy_part(f, f->call_read, made.first_read, made.n_read, sizeof *of.read),
		.result = f->call_result[made.first_result],
		.stride = copy_part(f, f->stride, m.stride, f->n_stride - m.stride, sizeof *of.stride),
		.first_stride = m.stride };
	if (tile) {
		undescribe(f, m);
		made = *call;
	} else {
		join_axes(x, &made);
		lt__freeze_anchor(f, &made);
	}
	*call = made;
	x->why = none;
	if (!none)
		add_product(x, call, &of);
	return LT_OK;
}

static void find_unrounded(const struct call_nest *x, const struct lt_call *call, struct lt_call_reason *out)
{
	lt_node *at = LT_NEW(x->f->keep, lt_node, x->d.n_op + 1);
	struct lt_call_rounding *rounded = LT_NEW(x->f->keep, struct lt_call_rounding, x->d.n_op + 1);
	for (int32_t i = 0; i < x->d.n_op && call->n_op; i++) {
		if (x->d.op[i].unrounded)
			at[out->n_unrounded++] = x->d.op[i].node;
		if (x->d.op[i].rounds_to && x->d.op[i].may_skip)
			rounded[out->n_rounded++] = (struct lt_call_rounding){ x->d.op[i].node, x->d.op[i].rounds_to };
		else if (x->d.op[i].may_round)
			rounded[out->n_rounded++] = (struct lt_call_rounding){ x->d.op[i].node, x->d.op[i].may_round };
	}
	out->unrounded = at;
	out->rounded = rounded;
}

lt_status lt__freeze_call(struct lt_freezer *f, lt_tnode at, int32_t loop, const struct lt_peeled *copy, int64_t step)
{
	bool group = f->t->node[at].kind == LT_TGROUP, own = false;
	struct call_nest x = { .f = f, .at = at, .copy = copy, .step = step };
	struct lt_call call = { .loop = loop, .pattern = LT_PATTERN_NONE, .stmt = -1, .anchor = -1,
		.first_dim = f->n_call_dim, .first_operand = f->n_call_operand };
	if (f->loop[loop].kind == LT_CALL)
		LT_TRY(lt__freeze_own(f, at, loop, &own, &call, &x.why));
	x.where = group ? "the group" : lt__arena_format(f->keep, "the loop %s", lt__loop_path(f->t, at));
	bool tile = f->loop[loop].kind == LT_TILE;
	find_members(&x);
	if (!own)
		LT_TRY(describe_call(&x, tile, &call));
	if (tile && !x.why)
		check_tile(&x, &call);
	if (tile && !x.why)
		f->needs |= LT_NEED_TILE;
	if (tile && x.why)
		call = (struct lt_call){ .loop = loop, .pattern = LT_PATTERN_NONE, .stmt = -1, .anchor = -1,
			.first_dim = call.first_dim, .first_operand = call.first_operand };
	LT_GROW(f->a, f->call, f->n_call, f->cap_call);
	LT_GROW(f->a, f->call_report, f->n_call, f->cap_call_report);
	f->call_report[f->n_call] = (struct lt_call_reason){ .at = at, .why = x.why, .where = x.where, .own = own };
	for (int32_t o = 0; o < LT_CALL_NAMES && o < x.c.n_operand && call.pattern == LT_PATTERN_PRODUCT; o++)
		f->call_report[f->n_call].operand[o] = operand_node(&x, o);
	f->call_report[f->n_call].name = (struct lt_call_names){ x.op_name, x.read_name };
	find_unrounded(&x, &call, &f->call_report[f->n_call]);
	f->call[f->n_call++] = call;
	return LT_OK;
}
