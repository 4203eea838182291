/* push.c -- a view moves towards the inputs: through an operator, a cast, a select, a reduction.
 *
 * The node that was the view becomes the operator, its operands are read through views of their own, and so on.  It is
 * done only where nobody else reads the operator and where no more elements are computed than before.  What is read
 * keeps the order of its dims, whoever reads it.  A view with floors stays after an operator that a reduction precedes:
 * the reduction would not share its loops any more.  One of very many pieces stays where it is: it becomes a copy, and
 * each operand would be one.
 */
#include <string.h>
#include "ir/pass/work.h"

struct pushed_views { struct lt_rewrite *w; lt_node *view; int32_t n, cap; };     /* views still to be moved */

static void later(struct pushed_views *m, lt_node view)
{
	LT_GROW(m->w->arena, m->view, m->n, m->cap);
	m->view[m->n++] = view;
}

static const struct lt_nodedef *operand_of(const struct lt_rewrite *w, const struct lt_nodedef *n, int32_t i)
{
	return &w->node[lt__work_find(w, n->operand[i])];
}

void lt__work_mark_light(struct lt_rewrite *w)
{
	int32_t n;
	const lt_node *order = lt__work_order(w, &n);

	for (int32_t i = 0; i < n; i++) {
		const struct lt_nodedef *d = &w->node[order[i]];
		bool light = !d->reduce && d->op != LT_OP_gather && d->op != LT_OP_update;

		for (int32_t j = 0; j < d->n_operand; j++)
			light &= w->light[lt__work_find(w, d->operand[j])];
		w->light[order[i]] = light;
	}
}

/* -- when -- */

/* A source dim bounded by params must be shown whole, by a dim with the same bound: beyond it there is no element. */
static bool keeps_bounds(const struct lt_rewrite *w, const struct lt_nodedef *view, const struct lt_nodedef *s)
{
	for (int32_t i = 0; i < view->n_piece; i++)
		for (int32_t r = 0; view->piece[i].source >= 0 && r < s->n_dim; r++) {
			int32_t d = lt__work_row_dim(&view->piece[i].map, r);

			if (w->in->var[s->dim[r]].bounded && (d < 0 || !lt__var_same_range(w->in, view->dim[d], s->dim[r])))
				return false;
		}
	return true;
}

static bool has_floor(const struct lt_nodedef *view)
{
	for (int32_t i = 0; i < view->n_piece; i++)
		if (view->piece[i].map.n_div)
			return true;
	return false;
}

/* A result has dims of extent 1, and what it is made of has not (units.c). */
static bool has_unit(const struct lt_rewrite *w, const struct lt_nodedef *view)
{
	for (int32_t i = 0; i < view->n_dim; i++)
		if (w->in->var[view->dim[i]].extent == 1 && !w->in->var[view->dim[i]].bounded)
			return true;
	return false;
}

/* Literals and positions cost nothing, however often. */
static bool is_cheap(const struct lt_rewrite *w, const struct lt_nodedef *s)
{
	for (int32_t i = 0; i < s->n_operand; i++) {
		enum lt_opcode op = operand_of(w, s, i)->op;

		if (op != LT_OP_lit && op != LT_OP_index)
			return false;
	}
	return true;
}

static bool may_pass(const struct lt_rewrite *w, const struct lt_nodedef *view, lt_node x)
{
	const struct lt_nodedef *s = &w->node[x];

	if (!keeps_bounds(w, view, s) || (has_floor(view) && !w->light[x]))
		return false;
	return lt__work_elems(w, view) <= lt__work_elems(w, s) || (!s->reduce && is_cheap(w, s));
}

/* -- constants of a view, and what an operator makes of them -- */

/* What operand i shows where the view shows the constant c: a literal itself, else c in the operand's type. */
static uint64_t constant_for(const struct lt_rewrite *w, const struct lt_nodedef *s, int32_t i, uint64_t c)
{
	const struct lt_nodedef *a = operand_of(w, s, i);

	if (a->op == LT_OP_lit)
		return a->bits;
	if (a->dtype == s->dtype)
		return c;
	return lt__bits_of(lt__convert(lt__scalar_of(c, s->dtype), s->dtype, a->dtype), a->dtype);
}

/* Whether the operator maps the constant to itself, to the bit, on every backend. */
static bool keeps_constant(const struct lt_rewrite *w, const struct lt_nodedef *s, uint64_t c)
{
	union lt_scalar x[3], value;
	enum lt_dtype t = LT_NDTYPE;

	if (lt__op_info(s->op)->ulp && c)
		return false;
	for (int32_t i = 0; i < s->n_operand; i++) {
		t = operand_of(w, s, i)->dtype;
		x[i] = lt__scalar_of(constant_for(w, s, i, c), t);
	}
	value = s->op == LT_OP_cast ? lt__convert(x[0], t, s->dtype)
		: lt__round_to(lt__op_value(s->op, t, x), s->dtype);
	return lt__bits_of(value, s->dtype) == c;
}

static bool keeps_constants(const struct lt_rewrite *w, const struct lt_nodedef *view, const struct lt_nodedef *s)
{
	bool keeps = !view->has_fill || keeps_constant(w, s, view->bits);

	for (int32_t i = 0; i < view->n_piece && keeps; i++)
		keeps = view->piece[i].source >= 0 || keeps_constant(w, s, view->piece[i].bits);
	return keeps;
}

static bool only_fill(const struct lt_nodedef *view)
{
	for (int32_t i = 0; i < view->n_piece; i++)
		if (view->piece[i].source < 0)
			return false;
	return view->has_fill;
}

/* -- how -- */

/* Whether the view shows operand a of s by var, so that a itself will do. */
static bool shows_itself(const struct lt_nodedef *view, const struct lt_nodedef *a, const int32_t *row)
{
	if (view->n_piece != 1 || view->piece[0].map.n_guard)
		return false;
	for (int32_t r = 0; r < a->n_dim; r++) {
		int32_t d = row[r] < 0 ? -1 : lt__work_row_dim(&view->piece[0].map, row[r]);

		if (row[r] >= 0 && (d < 0 || view->dim[d] != a->dim[r]))
			return false;
	}
	return true;
}

/* A view of `a` over n_dim dims, dim_to as lt__work_pick has it; `fill` in the place of each constant c that is not
 * 0. */
static lt_status add_view(struct pushed_views *m, const struct lt_nodedef *view, lt_node a, const int32_t *row,
	int32_t n_dim, lt_var *dim, const int32_t *dim_to, const struct lt_nodedef *s, int32_t i, bool masked,
	lt_node *out)
{
	struct lt_rewrite *w = m->w;
	const struct lt_nodedef *from = &w->node[a];
	struct lt_nodedef n = { .op = LT_OP_view,
		.dtype = from->dtype,
		.n_operand = 1,
		.n_dim = n_dim,
		.dim = dim,
		.name = view->name,
		.line = view->line,
		.column = view->column,
		.has_fill = view->has_fill,
		.n_piece = view->n_piece };
	int32_t n_row = from->n_dim;

	n.operand = LT_NEW(w->arena, lt_node, 1);
	n.operand[0] = a;
	n.piece = LT_NEW(w->arena, struct lt_graphpiece, n.n_piece);
	if (view->has_fill && !masked)
		n.bits = constant_for(w, s, i, view->bits);
	for (int32_t p = 0; p < n.n_piece; p++) {
		bool shows = view->piece[p].source >= 0;

		n.piece[p].source = shows ? 0 : -1;
		n.piece[p].bits = shows ? 0 : constant_for(w, s, i, view->piece[p].bits);
		n.piece[p].map = lt__work_pick(w->arena, &view->piece[p].map, shows ? n_row : 0, row, n_dim, dim_to);
	}
	*out = lt__work_add(w, &n);
	LT_TRY(lt__work_tidy_view(w, *out));
	w->light[*out] = w->light[a];
	later(m, *out);
	return LT_OK;
}

/* The dims of the view, those that its rows row[0 .. n_row-1] depend on first and in their order, so that what is read
 * keeps the order of dims that it has; ~row: a dim of its own, `added`, there.  dim_to: where each of the view's is,
 * -1: none of the rows depends on it. */
static int32_t assign_dims(struct lt_rewrite *w, const struct lt_nodedef *view, int32_t n_row, const int32_t *row,
	const lt_var *added, lt_var *dim, int32_t *dim_to)
{
	int32_t n = 0;

	for (int32_t d = 0; d < view->n_dim; d++)
		dim_to[d] = -1;
	for (int32_t r = 0; r < n_row; r++) {
		bool *used = LT_NEW(w->arena, bool, view->n_dim);

		if (row[r] < 0)
			dim[n++] = added[r];
		for (int32_t p = 0; row[r] >= 0 && p < view->n_piece; p++) {
			struct lt_map rows = view->piece[p].map;

			rows.n_guard = 0;
			if (view->piece[p].source >= 0)
				lt__work_mark_dims(w, &rows, 1, &row[r], used);
		}
		for (int32_t d = 0; d < view->n_dim; d++)
			if (used[d] && dim_to[d] < 0) {
				dim_to[d] = n;
				dim[n++] = view->dim[d];
			}
	}
	return n;
}

/* Whether row r of a piece is within a source dim of that extent, whatever the dims before the bounds of params are. */
static bool row_fits(const struct lt_rewrite *w, const struct lt_nodedef *view, const struct lt_map *m, int32_t r,
	int64_t extent)
{
	const int64_t *row = m->row + (size_t)r * (size_t)lt__map_width(m);
	int64_t low = row[0], high = row[0], span;

	for (int32_t p = 0; p < m->n_param; p++)
		if (row[1 + p])
			return false;
	for (int32_t d = 0; d < view->n_dim; d++)
		if (lt__mul_overflow(row[1 + m->n_param + d], w->in->var[view->dim[d]].extent - 1, &span)
			|| lt__add_overflow(span < 0 ? low : high, span, span < 0 ? &low : &high))
			return false;
	for (int32_t q = 0; q < m->n_div; q++)
		if (row[1 + m->n_param + m->n_dim + q])
			return false;
	return low >= 0 && high < extent;
}

/* Whether rows of the view are within a, also where one of its dims has no element. */
static bool rows_fit(const struct lt_rewrite *w, const struct lt_nodedef *view, const struct lt_nodedef *a,
	const int32_t *row)
{
	for (int32_t p = 0; p < view->n_piece; p++)
		for (int32_t r = 0; view->piece[p].source >= 0 && r < a->n_dim; r++)
			if (row[r] >= 0 && !row_fits(w, view, &view->piece[p].map, row[r], w->in->var[a->dim[r]].extent))
				return false;
	return true;
}

/* The dims of the view that rows of it for a, or (a NULL) its guards alone, depend on: *n of them, and dim_to.  A
 * bounded dim stays where the rows may point outside their source if it has no element. */
static lt_var *needed_dims(struct lt_rewrite *w, const struct lt_nodedef *view, const struct lt_nodedef *a,
	const int32_t *row, int32_t *n, int32_t *dim_to)
{
	bool *used = LT_NEW(w->arena, bool, view->n_dim);
	lt_var *dim = LT_NEW(w->arena, lt_var, view->n_dim);
	const int32_t n_row = a ? a->n_dim : 0;
	const bool fits = a && rows_fit(w, view, a, row);

	*n = assign_dims(w, view, n_row, row, NULL, dim, dim_to);
	for (int32_t p = 0; p < view->n_piece; p++)
		lt__work_mark_dims(w, &view->piece[p].map, view->piece[p].source < 0 ? 0 : n_row, row, used);
	for (int32_t d = 0; d < view->n_dim; d++)
		if (dim_to[d] < 0 && (used[d] || (!fits && w->in->var[view->dim[d]].bounded))) {
			dim_to[d] = *n;
			dim[(*n)++] = view->dim[d];
		}
	return dim;
}

/* Operand i of s as the view shows it. */
static lt_status read_operand(struct pushed_views *m, const struct lt_nodedef *view, const struct lt_nodedef *s,
	int32_t i, bool masked, lt_node *out)
{
	struct lt_rewrite *w = m->w;
	lt_node a = lt__work_find(w, s->operand[i]);
	const struct lt_nodedef *from = &w->node[a];
	int32_t row[LT_MAX_RANK], dim_to[LT_MAX_RANK], n_dim;
	lt_var *dim;

	*out = a;
	if (from->op == LT_OP_lit)
		return LT_OK;
	for (int32_t r = 0; r < from->n_dim; r++)
		row[r] = lt__node_axis(s, from->dim[r]);
	if (shows_itself(view, from, row))
		return LT_OK;
	dim = needed_dims(w, view, from, row, &n_dim, dim_to);
	return add_view(m, view, a, row, n_dim, dim, dim_to, s, i, masked, out);
}

/* true where a piece of the view shows its source, over the dims of the guards. */
static lt_status add_domain(struct lt_rewrite *w, const struct lt_nodedef *view, lt_node *out)
{
	struct lt_nodedef n = { .op = LT_OP_view, .dtype = LT_BOOL, .n_operand = 1, .name = view->name, .line = view->line,
		.column = view->column, .has_fill = true, .n_piece = view->n_piece };
	int32_t dim_to[LT_MAX_RANK];

	n.operand = LT_NEW(w->arena, lt_node, 1);
	n.operand[0] = lt__work_literal(w, LT_BOOL, 1);
	n.dim = needed_dims(w, view, NULL, NULL, &n.n_dim, dim_to);
	n.piece = LT_NEW(w->arena, struct lt_graphpiece, n.n_piece);
	for (int32_t p = 0; p < n.n_piece; p++)
		n.piece[p].map = lt__work_pick(w->arena, &view->piece[p].map, 0, NULL, n.n_dim, dim_to);
	*out = lt__work_add(w, &n);
	return lt__work_tidy_view(w, *out);
}

static struct lt_nodedef operator_like(const struct lt_nodedef *s, const struct lt_nodedef *view)
{
	return (struct lt_nodedef){ .op = s->op,
		.dtype = s->dtype,
		.reduce = s->reduce,
		.n_dim = view->n_dim,
		.dim = view->dim,
		.name = s->name,
		.line = s->line,
		.column = s->column };
}

static void become(struct lt_rewrite *w, lt_node x, struct lt_nodedef n, int32_t n_operand, lt_node *operand)
{
	lt__work_set_operands(w, x, n_operand, operand);
	n.operand = operand;
	n.n_operand = n_operand;
	w->node[x] = n;
	w->changed = true;
}

static lt_status push_pointwise(struct pushed_views *m, lt_node x, lt_node at)
{
	struct lt_rewrite *w = m->w;
	struct lt_nodedef view = w->node[x], s = w->node[at], n = operator_like(&s, &view);
	bool masked = !keeps_constants(w, &view, &s);
	lt_node *operand, *selected;

	if ((masked && !only_fill(&view)) || !may_pass(w, &view, at))
		return LT_OK;
	operand = LT_NEW(w->arena, lt_node, s.n_operand);
	for (int32_t i = 0; i < s.n_operand; i++) {
		int32_t before = 0;

		while (s.operand[before] != s.operand[i])
			before++;
		operand[i] = operand[before];
		if (before == i)
			LT_TRY(read_operand(m, &view, &s, i, masked, &operand[i]));
	}
	if (!masked) {
		become(w, x, n, s.n_operand, operand);
		return LT_OK;
	}
	selected = LT_NEW(w->arena, lt_node, 3);
	LT_TRY(add_domain(w, &view, &selected[0]));
	n.operand = operand;
	n.n_operand = s.n_operand;
	selected[1] = lt__work_add(w, &n);
	selected[2] = lt__work_literal(w, s.dtype, view.bits);
	w->light[selected[1]] = w->light[at];
	n = operator_like(&s, &view);
	n.op = LT_OP_select;
	n.name = view.name;
	n.line = view.line;
	n.column = view.column;
	become(w, x, n, 3, selected);
	return LT_OK;
}

/* Whether v is a dim of a constant factor of a product: one that its columns have, which lanes are. */
static bool is_column(const struct lt_rewrite *w, const struct lt_nodedef *s, lt_var v)
{
	const struct lt_nodedef *mul = operand_of(w, s, 0);

	for (int32_t i = 0; s->op == LT_OP_add && mul->op == LT_OP_mul && i < mul->n_operand; i++) {
		const struct lt_nodedef *factor = operand_of(w, mul, i), *base = factor;

		while (base->op == LT_OP_view && base->n_operand == 1)
			base = operand_of(w, base, 0);
		if (base->op == LT_OP_constant && lt__node_axis(factor, v) >= 0)
			return true;
	}
	return false;
}

/* Whether the view cuts the columns of a product in runs of fewer bytes than memory is read and written by: whatever
 * the machine, such columns are better read and summed as they lie, and taken apart afterwards. */
static bool cuts_short(const struct lt_rewrite *w, const struct lt_nodedef *view, const struct lt_nodedef *s)
{
	enum { LINE_BYTES = 64 };
	const struct lt_map *m = &view->piece[0].map;
	const int64_t min_run = LINE_BYTES / (int64_t)lt_dtype_bytes(s->dtype);

	for (int32_t r = 0; r < m->n_row; r++) {
		const int64_t *row = m->row + (size_t)r * (size_t)lt__map_width(m) + 1 + m->n_param;
		int32_t n = 0;
		bool is_short = false;

		for (int32_t d = 0; d < view->n_dim; d++) {
			n += row[d] != 0;
			is_short |= row[d] == 1 && w->in->var[view->dim[d]].extent < min_run;
		}
		if (n > 1 && is_short && is_column(w, s, s->dim[r]))
			return true;
	}
	return false;
}

/* The reduced vars are added to the view untouched, where they are in the operand.  Guards and floors would be inside
 * the reduction: not through; and the columns of a product stay runs of memory. */
static lt_status push_reduce(struct pushed_views *m, lt_node x, lt_node at)
{
	struct lt_rewrite *w = m->w;
	struct lt_nodedef view = w->node[x], s = w->node[at];
	lt_node a = lt__work_find(w, s.operand[0]), *operand = LT_NEW(w->arena, lt_node, 1);
	const struct lt_nodedef *from = &w->node[a];
	int32_t row[LT_MAX_RANK], dim_to[LT_MAX_RANK], n_dim;
	lt_var *dim;

	if (view.n_piece != 1 || view.piece[0].map.n_guard || has_floor(&view) || !may_pass(w, &view, at)
	    || view.n_dim + from->n_dim - s.n_dim > LT_MAX_RANK || cuts_short(w, &view, &s))
		return LT_OK;
	for (int32_t r = 0; r < from->n_dim; r++) {
		row[r] = lt__node_axis(&s, from->dim[r]);
		if (row[r] < 0 && lt__node_axis(&view, from->dim[r]) >= 0)
			return LT_OK;
	}
	dim = LT_NEW(w->arena, lt_var, view.n_dim + from->n_dim);
	n_dim = assign_dims(w, &view, from->n_dim, row, from->dim, dim, dim_to);
	for (int32_t d = 0; d < view.n_dim; d++)
		if (dim_to[d] < 0) {
			dim_to[d] = n_dim;
			dim[n_dim++] = view.dim[d];
		}
	for (int32_t r = 0; r < from->n_dim; r++)
		for (int32_t d = 0; row[r] < 0 && d < n_dim; d++)
			if (dim[d] == from->dim[r]) {
				row[r] = ~d;
				break;
			}
	operand[0] = a;
	if (n_dim != from->n_dim || !shows_itself(&view, from, row))
		LT_TRY(add_view(m, &view, a, row, n_dim, dim, dim_to, &s, 0, false, &operand[0]));
	become(w, x, operator_like(&s, &view), 1, operand);
	return LT_OK;
}

lt_status lt__work_push(struct lt_rewrite *w, lt_node view)
{
	struct pushed_views m = { .w = w };

	if (has_unit(w, &w->node[view]))
		return LT_OK;

	later(&m, view);
	while (m.n) {
		lt_node x = m.view[--m.n], at;
		bool done = true;

		while (done && w->readers[x] && w->node[x].op == LT_OP_view && w->node[x].n_operand == 1
		    && w->node[x].n_piece <= LT_MAX_PIECES) {
			at = lt__work_find(w, w->node[x].operand[0]);
			done = false;
			if (w->readers[at] != 1)
				break;
			if (w->node[at].op == LT_OP_view)
				LT_TRY(lt__work_compose(w, x, 0, &done));
			else if (lt__node_is_pointwise(&w->node[at]))
				LT_TRY(push_pointwise(&m, x, at));
			else if (w->node[at].reduce)
				LT_TRY(push_reduce(&m, x, at));
		}
	}
	return LT_OK;
}
