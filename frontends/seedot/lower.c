/* lower.c -- the checked tree as nodes of floats.
 *
 * Each name has a cell with its value, which assignments replace.  A loop whose trips are done at once is a var: its
 * trip
 * is the position on it, and values that differ from trip to trip have it as a dim.  The others are done one by one.
 */
#include <math.h>
#include <string.h>
#include "frontends/seedot/seedot.h"

enum { MOST_TRIPS = 20000, MOST_NODES = 1 << 18 };

/* pending: vars of loops that are done at once, of which each trip writes a part of it; the writes wait for their
 * end. */
struct sd_cell {
	struct sd_value value;
	int32_t n_pending, n_write, cap_write;
	lt_var pending[SD_MAX_TRIPS];
	struct sd_write *write;
};

static bool lower(struct sd_lower *, const struct sd_expr *, struct sd_value *out);

static bool is_plain(const char *name) { return !strchr(name, '\''); }

static bool lower_begins(struct sd_lower *l, int32_t n, struct sd_expr *const *from, struct sd_value *begin,
	bool *known)
{
	for (int32_t i = 0; i < n; i++) {
		if (!lower(l, from[i], &begin[i]))
			return false;
		known[i] = from[i]->linear != NULL;
	}
	return true;
}

static bool lower_part(struct sd_lower *l, const struct sd_expr *e, struct sd_value *out)
{
	struct sd_value x, begin[SD_MAX_RANK];
	bool known[SD_MAX_RANK];
	const bool index = e->kind == SD_INDEX;
	static const int64_t one = 1;
	struct sd_row rows[SD_MAX_RANK];

	if (!lower(l, e->arg[0], &x) || !lower_begins(l, e->n_arg - 1, e->arg + 1, begin, known))
		return false;
	lt_graph_at(l->g, e->place.line, e->place.column);
	if (!lt__sd_part(l, &x, &e->arg[0]->type, e->n_arg - 1, begin, known, index ? &one : e->list[0].at, &x))
		return false;
	if (!index) {
		*out = x;
		return true;
	}
	for (int32_t i = 0; i < x.rank; i++)
		rows[i] = (struct sd_row){ .axis = i - 1, .coef = i > 0 };
	return lt__sd_view(l, &x, rows, x.rank - 1, x.axis + 1, out);
}

static bool lower_operator(struct sd_lower *l, const struct sd_expr *e, struct sd_value *out)
{
	struct sd_value *arg = LT_NEW(l->p->arena, struct sd_value, e->n_arg);

	for (int32_t i = 0; i < e->n_arg; i++)
		if (!lower(l, e->arg[i], &arg[i]))
			return false;
	lt_graph_at(l->g, e->place.line, e->place.column);
	return (l->p->fixing ? e->op->fixed : e->op->build)(l, e, arg, out);
}

static bool lower_sign(struct sd_lower *l, const struct sd_expr *e, struct sd_value *out)
{
	struct sd_value x;

	if (!lower(l, e->arg[0], &x))
		return false;
	*out = x;
	if (!e->negative)
		return true;
	if (!x.whole && l->p->fixing)
		return lt__sd_fixed_sign(l, &x, out);
	out->node = lt_graph_unary(l->g, "neg", x.whole ? lt__sd_whole(l, &x) : x.node);
	out->linear = false;
	return out->node != LT_NONE;
}

static bool lower_transposed(struct sd_lower *l, const struct sd_expr *e, struct sd_value *out)
{
	static const struct sd_row rows[2] = { { .axis = 1, .coef = 1 }, { .axis = 0, .coef = 1 } };
	struct sd_value x;

	return lower(l, e->arg[0], &x) && lt__sd_view(l, &x, rows, 2, (lt_var[]){ x.axis[1], x.axis[0] }, out);
}

/* A function that a folder of the user's own operations has. */
static bool lower_own(struct sd_lower *l, const struct sd_expr *e, struct sd_value *out)
{
	lt_node *operand = LT_NEW(l->p->arena, lt_node, e->n_arg), y;
	struct sd_value x;

	if (l->p->fixing)
		return lt__sd_refuse(l->p, e->place, "'%.100s' is a function of floats: SeeDot's integers have none of it", e->name);

	for (int32_t i = 0; i < e->n_arg; i++) {
		if (!lower(l, e->arg[i], &x))
			return false;
		operand[i] = x.node;
	}
	lt_graph_at(l->g, e->place.line, e->place.column);
	if (!lt__sd_own(l, e, operand, &y))
		return false;
	*out = (struct sd_value){ .rank = e->type.rank };
	for (int32_t i = 0; i < out->rank; i++)
		out->axis[i] = lt_node_dim(l->g, y, i);
	return lt__sd_set(l, out, y);
}

/* -- assignments -- */
/* What shows the range of a name's variable, or x in the format of that. */
static bool to_variable(struct sd_lower *l, const struct sd_name *to, struct sd_value *x)
{
	if (l->p->seen)
		lt__sd_see(l, l->p->variable_of[to->index], x);
	return !l->p->fixing || lt__sd_fixed_binding(l, to, x);
}

static bool assign(struct sd_lower *l, const struct sd_name *to, const struct sd_value *x)
{
	struct sd_value y = *x;

	if (!to_variable(l, to, &y))
		return false;
	l->cell[to->index].value = y;
	return true;
}

static bool assign_part(struct sd_lower *l, const struct sd_expr *let, const struct sd_value *part)
{
	struct sd_cell *cell = &l->cell[let->to->index];
	struct sd_write *w = LT_NEW(l->p->arena, struct sd_write, 1);

	w->part = *part;
	w->place = let->place;
	if (l->p->seen)
		lt__sd_see(l, l->p->variable_of[let->to->index], part);
	if (l->p->fixing && !lt__sd_fixed_to(l, part, cell->value.format, &w->part))
		return false;
	if (!lower_begins(l, let->list[0].n, let->arg + 2, w->begin, w->known))
		return false;
	if (!cell->n_pending)
		return lt__sd_write(l, &cell->value, w, &cell->value);
	w->n_pending = cell->n_pending;
	memcpy(w->pending, cell->pending, sizeof w->pending);
	LT_GROW(l->p->arena, cell->write, cell->n_write, cell->cap_write);
	cell->write[cell->n_write++] = *w;
	return true;
}

static bool lower_binding(struct sd_lower *l, const struct sd_expr *let)
{
	const int32_t n_node = lt_graph_node_count(l->g);
	struct sd_value x;

	if (!lower(l, let->arg[0], &x))
		return false;
	if (let->to)
		return let->n_list ? assign_part(l, let, &x) : assign(l, let->to, &x);
	if (!x.linear && x.node >= n_node && is_plain(let->name))
		lt_node_set_name(l->g, x.node, let->name);
	return assign(l, let->binding, &x);
}

/* What comes after lets; NULL: one of them is refused. */
static const struct sd_expr *lower_lets(struct sd_lower *l, const struct sd_expr *e)
{
	for (; e->kind == SD_LET; e = e->arg[1])
		if (!lower_binding(l, e))
			return NULL;
	return e;
}

/* -- sums and loops -- */
/* The body of a loop, whose value is assigned, but where it is the accumulator itself. */
static bool lower_body(struct sd_lower *l, const struct sd_expr *e, const struct sd_name *accumulator)
{
	struct sd_value x;

	e = lower_lets(l, e);
	if (!e)
		return false;
	if (e->kind == SD_NAME && e->binding == accumulator)
		return true;
	if (e->kind == SD_LOOP && e->to == accumulator)
		return lt__sd_loop(l, e);
	return lower(l, e, &x) && assign(l, accumulator, &x);
}

static bool finish_writes(struct sd_lower *l, struct sd_cell *cell)
{
	if (--cell->n_pending)
		return true;
	for (int32_t i = 0; i < cell->n_write; i++)
		if (!lt__sd_write(l, &cell->value, &cell->write[i], &cell->value))
			return false;
	cell->n_write = 0;
	return true;
}

/* What the body assigned as a whole is as the last trip left it. */
static bool keep_last(struct sd_lower *l, const struct sd_expr *loop, lt_var v, int64_t last)
{
	for (int32_t i = 0; i < loop->first - 1; i++) {
		struct sd_value *x = &l->cell[i].value;

		if ((x->linear || x->node >= 0) && lt__sd_has(l, x, v) && !lt__sd_trip(l, x, v, last, x))
			return false;
	}
	return true;
}

static bool sum_fixed(struct sd_lower *l, const struct sd_expr *e, lt_var v, int64_t n, const struct sd_value *x,
	struct sd_value *out)
{
	struct sd_value term;

	if (!lt__sd_fixed_term(l, e, n, x, &term))
		return false;
	if (lt__sd_has(l, &term, v) ? !lt__sd_reduce(l, "add", &term, 1, &v, out)
		: !lt__sd_set(l, &term, lt_graph_binary(l->g, "mul", term.node, lt_graph_literal_int(l->g, LT_I32, n))))
		return false;
	if (!lt__sd_has(l, x, v))
		*out = term;
	return lt__sd_fixed_summed(l, e, n, x->format, out);
}

static bool at_once(struct sd_lower *l, const struct sd_expr *e, int64_t n, struct sd_value *out)
{
	const lt_var v = lt_graph_var(l->g, is_plain(e->name) ? e->name : NULL, n);
	struct sd_value x = { .node = LT_NONE };

	if (v == LT_NONE)
		return false;
	l->at_once++;
	l->cell[e->binding->index].value = (struct sd_value){ .whole = true, .linear = true, .node = LT_NONE,
		.sum = { .constant = e->list[0].at[0], .n = 1, .var = { v }, .coef = { 1 } } };
	for (int32_t i = 0; i < e->n_sliced; i++) {
		struct sd_cell *cell = &l->cell[e->sliced[i]];

		cell->pending[cell->n_pending++] = v;
	}
	if (!(e->to ? lower_body(l, e->arg[0], e->to) : lower(l, e->arg[0], &x)))
		return false;
	lt_graph_at(l->g, e->place.line, e->place.column);
	for (int32_t i = 0; i < e->n_sliced; i++)
		if (!finish_writes(l, &l->cell[e->sliced[i]]))
			return false;
	l->at_once--;
	if (!keep_last(l, e, v, n - 1))
		return false;
	if (e->to) {
		*out = l->cell[e->to->index].value;
		return true;
	}
	if (e->kind == SD_LOOP && lt__sd_has(l, &x, v))
		return lt__sd_trip(l, &x, v, n - 1, out);
	if (e->kind == SD_LOOP) {
		*out = x;
		return true;
	}
	if (l->p->fixing)
		return sum_fixed(l, e, v, n, &x, out);
	if (lt__sd_has(l, &x, v))
		return lt__sd_reduce(l, "add", &x, 1, &v, out);
	const struct sd_value times = { .node = lt__sd_real(l, (double)n) };
	return lt__sd_map(l, "mul", 2, (const struct sd_value *[]){ &x, &times }, x.rank, x.axis, out);
}

static bool one_by_one(struct sd_lower *l, const struct sd_expr *e, int64_t n, struct sd_value *out)
{
	struct sd_value x, sum = { .node = LT_NONE };
	struct compat_value term = { 0, 0 };

	for (int64_t i = 0; i < n; i++) {
		if (++l->trips > MOST_TRIPS || lt_graph_node_count(l->g) > MOST_NODES)
			return lt__sd_refuse(l->p, e->place, "the trips of this %s need what others assigned, so that they are done one "
				"by one, which is too many nodes: more than %d trips or %d nodes", e->kind == SD_LOOP ? "loop" : "sum", MOST_TRIPS,
				MOST_NODES);
		l->cell[e->binding->index].value = (struct sd_value){ .whole = true, .linear = true, .node = LT_NONE,
			.sum.constant = e->list[0].at[0] + i };
		if (!(e->to ? lower_body(l, e->arg[0], e->to) : lower(l, e->arg[0], &x)))
			return false;
		lt_graph_at(l->g, e->place.line, e->place.column);
		if (e->to)
			continue;
		term = x.format;
		if (e->kind == SD_SUM && l->p->fixing && !lt__sd_fixed_term(l, e, n, &x, &x))
			return false;
		if (i && e->kind == SD_SUM && !lt__sd_map(l, "add", 2, (const struct sd_value *[]){ &sum, &x }, x.rank, x.axis, &x))
			return false;
		sum = x;
		if (e->kind == SD_SUM)
			lt__sd_see(l, e->variable, &sum);
	}
	if (e->kind == SD_SUM && l->p->fixing && !lt__sd_fixed_summed(l, e, n, term, &sum))
		return false;
	*out = e->to ? l->cell[e->to->index].value : sum;
	return true;
}

static bool lower_trips(struct sd_lower *l, const struct sd_expr *e, struct sd_value *out)
{
	const int64_t n = e->list[0].at[1] - e->list[0].at[0];

	/* The range of a sum is that of all sums on the way. */
	const bool shown = e->kind == SD_SUM && l->p->seen;

	return e->at_once && n > 1 && l->at_once < SD_MAX_TRIPS && !shown ? at_once(l, e, n, out) : one_by_one(l, e, n, out);
}

bool lt__sd_loop(struct sd_lower *l, const struct sd_expr *e)
{
	struct sd_value ignored;

	return lower_trips(l, e, &ignored);
}

/* -- choices -- */
static bool choose(struct sd_lower *l, const struct sd_value *condition, const struct sd_value *yes,
	const struct sd_value *no, struct sd_value *out)
{
	struct sd_value a = *yes, b = *no;
	const bool whole = a.whole;

	if (whole) {
		a.node = lt__sd_whole(l, &a);
		b.node = lt__sd_whole(l, &b);
		a.linear = b.linear = false;
	}
	if (a.node == LT_NONE || b.node == LT_NONE
	    || !lt__sd_map(l, "select", 3, (const struct sd_value *[]){ condition, &a, &b }, a.rank, a.axis, out))
		return false;
	out->whole = whole;
	return true;
}

static bool is_same(const struct sd_value *a, const struct sd_value *b)
{
	return a->linear == b->linear && (a->linear ? !memcmp(&a->sum, &b->sum, sizeof a->sum) : a->node == b->node);
}

/* What both branches assigned: each name is as the branch left it that is chosen. */
static bool merge(struct sd_lower *l, const struct sd_value *condition, struct sd_cell *yes)
{
	for (int32_t i = 0; i < l->p->n_name; i++) {
		struct sd_value *no = &l->cell[i].value;

		if ((no->linear || no->node >= 0) && (yes[i].value.linear || yes[i].value.node >= 0)
		    && no->rank == yes[i].value.rank && !is_same(&yes[i].value, no)
		    && !choose(l, condition, &yes[i].value, no, no))
			return false;
	}
	return true;
}

static bool lower_choice(struct sd_lower *l, const struct sd_expr *e, struct sd_value *out)
{
	struct sd_value x, condition = { 0 }, yes, no;
	struct sd_cell *before = NULL, *then = NULL;
	const size_t bytes = (size_t)l->p->n_name * sizeof *l->cell;

	if (!lower(l, e->arg[0], &x))
		return false;
	lt_graph_at(l->g, e->place.line, e->place.column);
	const bool whole = x.whole;
	if (!whole && !lt__sd_only(l, &x, &x))
		return false;
	const double than = (double)e->list[0].at[0];
	const bool fixed = l->p->fixing != NULL;
	if (fixed && e->list[0].at[0])
		return lt__sd_refuse(l->p, e->place, "SeeDot's integers are compared with 0 alone");
	const lt_node left = whole ? lt__sd_whole(l, &x) : fixed ? lt_graph_cast(l->g, x.node, LT_I32) : x.node;
	const lt_node right = lt_graph_literal(l->g, whole || fixed ? LT_I32 : LT_F32, than);
	/* SeeDot's >= 0 tests for more than 0. */
	if (!lt__sd_set(l, &condition, lt_graph_binary(l->g, fixed ? "greater" : "greaterequal", left, right)))
		return false;
	if (e->assigns)
		before = lt__arena_copy(l->p->arena, l->cell, bytes);
	if (!lower(l, e->arg[1], &yes))
		return false;
	if (e->assigns) {
		then = lt__arena_copy(l->p->arena, l->cell, bytes);
		memcpy(l->cell, before, bytes);
	}
	if (!lower(l, e->arg[2], &no) || (e->assigns && !merge(l, &condition, then)))
		return false;
	lt_graph_at(l->g, e->place.line, e->place.column);
	if (fixed && !lt__sd_fixed_choices(l, &yes, &no))
		return false;
	return choose(l, &condition, &yes, &no, out);
}

/* -- expressions -- */
static bool lower_declared(struct sd_lower *l, const struct sd_expr *e, struct sd_value *out)
{
	int32_t i = 0;

	while (l->p->declared[i] != e)
		i++;
	*out = l->declared[i];
	return true;
}

/* A whole number that is a sum of trips, by what their cells hold. */
static bool lower_linear(struct sd_lower *l, const struct sd_linear *from, struct sd_value *out)
{
	*out = (struct sd_value){ .whole = true, .linear = true, .node = LT_NONE, .sum.constant = from->constant };
	for (int32_t i = 0; i < from->n; i++) {
		const struct sd_affine *trip = &l->cell[from->trip[i]->index].value.sum;

		out->sum.constant += from->coef[i] * trip->constant;
		if (trip->n && from->coef[i]) {
			out->sum.var[out->sum.n] = trip->var[0];
			out->sum.coef[out->sum.n++] = from->coef[i];
		}
	}
	return true;
}

static bool lower_kind(struct sd_lower *l, const struct sd_expr *e, struct sd_value *out)
{
	lt_graph_at(l->g, e->place.line, e->place.column);
	if (e->linear)
		return lower_linear(l, e->linear, out);
	switch (e->kind) {
	case SD_REAL:
		*out = (struct sd_value){ .rank = 0 };
		if (l->p->fixing)
			return lt__sd_fixed_real(l, e->real, out);
		return lt__sd_set(l, out, lt__sd_real(l, e->real));
	case SD_NAME:
		*out = l->cell[e->binding->index].value;
		return true;
	case SD_DECLARE:
		return lower_declared(l, e, out);
	case SD_OPERATOR:
		return lower_operator(l, e, out);
	case SD_OWN:
		return lower_own(l, e, out);
	case SD_SIGN:
		return lower_sign(l, e, out);
	case SD_TRANSPOSE:
		return lower_transposed(l, e, out);
	case SD_SLICE:
	case SD_INDEX:
		return lower_part(l, e, out);
	case SD_SUM:
	case SD_LOOP:
		return lower_trips(l, e, out);
	case SD_CHOOSE:
		return lower_choice(l, e, out);
	case SD_WHOLE:
	case SD_LET:
		break;
	}
	lt_bug("an expression of no kind");
}

static bool lower(struct sd_lower *l, const struct sd_expr *e, struct sd_value *out)
{
	e = lower_lets(l, e);
	if (!e || !lower_kind(l, e, out))
		return false;
	if (out->whole)
		return true;
	if (e->kind != SD_DECLARE)
		lt__sd_see(l, e->variable, out);
	if (l->p->fixing) {
		if (e->variable)
			l->p->fixing->format[e->variable] = out->format;
		if (l->g->node[out->node].scale == 0)
			return lt_node_means(l->g, out->node, ldexp(1, out->format.scale), 0) == LT_OK;
	}
	return true;
}

/* A constant's numbers as integers, kept. */
static const void *integers(const struct sd_lower *l, const struct sd_expr *e, const float *data, struct compat_value f)
{
	const enum lt_dtype t = lt__compat_type(f.bits);
	const int64_t n = lt__sd_elements(&e->type);
	void *to = lt__arena_alloc(l->p->kept, (size_t)n * lt_dtype_bytes(t) + 1);

	for (int64_t i = 0; i < n; i++)
		lt__store(to, i, t, (union lt_scalar){ .i = lt__sd_quantise((double)data[i], f) });
	return to;
}

/* X is the input; the other names are constants. */
static bool declare(struct sd_lower *l, const struct sd_expr *e, struct sd_value *out)
{
	struct sd_value x = { .rank = e->type.rank };
	const void *content;
	const float *data;
	enum lt_dtype type = LT_F32;
	int32_t native;

	lt_graph_at(l->g, e->place.line, e->place.column);
	if (!lt__sd_new_axes(l, &e->type, x.axis) || !lt__sd_data(l->p, e, &data))
		return false;
	const bool input = !strcmp(e->name, "X") && !data;
	content = data;
	if (l->p->fixing) {
		x.format = lt__sd_format(l, e->variable, &native);
		type = lt__compat_type(x.format.bits);
		if (!input && !data)
			return lt__sd_refuse(l->p, e->place, "SeeDot's integers need the numbers of '%.100s'", e->name);
		content = data ? integers(l, e, data, x.format) : NULL;
	}
	x.node = input ? lt_graph_input(l->g, e->name, type, x.rank, x.axis)
		: lt_graph_constant(l->g, e->name, type, x.rank, x.axis);
	if (x.node == LT_NONE || (content && lt_graph_content(l->g, x.node, content))
	    || (!l->p->fixing && lt_node_ranges(l->g, x.node, e->low, e->high)))
		return false;
	*out = x;
	return true;
}

bool lt__sd_lower(struct sd_program *p)
{
	struct sd_lower l = { .p = p, .g = p->graph, .cell = LT_NEW(p->arena, struct sd_cell, p->n_name + 1),
		.declared = LT_NEW(p->arena, struct sd_value, p->n_declared + 1) };
	struct sd_value y;

	for (int32_t i = 0; i < p->n_name; i++)
		l.cell[i].value.node = LT_NONE;
	for (int32_t i = 0; i < p->n_declared; i++)
		if (!declare(&l, p->declared[i], &l.declared[i]))
			return false;
	if (!lower(&l, p->root, &y))
		return false;
	p->result = y.whole ? (struct compat_value){ 32, 0 } : y.format;
	if (p->seen && !lt__sd_seen_results(&l))
		return false;
	return lt_graph_result(l.g, "y", y.whole ? lt__sd_whole(&l, &y) : y.node) == LT_OK;
}
