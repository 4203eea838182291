/* part.c -- parts of tensors that begin somewhere: read, and assigned. */
#include "frontends/seedot/seedot.h"

/* A computed begin of a part of n of `extent` elements, moved so that the part is inside. */
static lt_node inside(struct sd_lower *l, const struct sd_value *begin, int64_t n, int64_t extent)
{
	const lt_node at = lt__sd_whole(l, begin), least = lt_graph_literal_int(l->g, LT_I32, 0);
	const lt_node most = lt_graph_literal_int(l->g, LT_I32, extent - n), above = lt_graph_binary(l->g, "max", at, least);

	return lt_graph_binary(l->g, "min", above, most);
}

static int32_t axis_of(struct sd_lower *l, lt_node x, lt_var v)
{
	int32_t at = 0;

	while (lt_node_dim(l->g, x, at) != v)
		at++;
	return at;
}

/* Elements of an axis at integers, whose vars come in its place. */
static bool gather(struct sd_lower *l, struct sd_value *x, int32_t axis, lt_node index, lt_var to)
{
	x->node = lt_graph_gather(l->g, x->node, index, axis_of(l, x->node, x->axis[axis]));
	x->axis[axis] = to;
	return x->node != LT_NONE && lt__sd_order(l, x);
}

bool lt__sd_part(struct sd_lower *l, const struct sd_value *x, const struct sd_type *type, int32_t n_begin,
	const struct sd_value *begin, const bool *known, const int64_t *count, struct sd_value *out)
{
	struct sd_row rows[SD_MAX_RANK];
	lt_var axes[SD_MAX_RANK];
	struct sd_value y;

	for (int32_t i = 0; i < x->rank; i++) {
		const bool whole = i >= n_begin || !known[i];

		rows[i] = (struct sd_row){ .axis = i, .coef = 1 };
		if (!whole)
			rows[i].sum = begin[i].sum;
		axes[i] = whole ? x->axis[i] : lt_graph_var(l->g, NULL, count[i]);
		if (axes[i] == LT_NONE)
			return false;
	}
	if (!lt__sd_view(l, x, rows, x->rank, axes, &y))
		return false;
	for (int32_t i = 0; i < n_begin; i++) {
		if (known[i])
			continue;
		const lt_var to = lt_graph_var(l->g, NULL, count[i]);
		if (to == LT_NONE)
			return false;
		const lt_node from = inside(l, &begin[i], count[i], type->shape[i]);
		const lt_node more = lt_graph_cast(l->g, lt_graph_index(l->g, to), LT_I32);

		if (!gather(l, &y, i, lt_graph_binary(l->g, "add", from, more), to))
			return false;
	}
	*out = y;
	return true;
}

/* The part spread over the whole tensor, and where it is: for begins that are computed. */
static bool write_computed(struct sd_lower *l, const struct sd_value *old, const struct sd_write *w,
	struct sd_value *out)
{
	struct sd_value part = w->part, there = { .node = lt_graph_literal_int(l->g, LT_BOOL, 1) };
	const lt_node zero = lt_graph_literal_int(l->g, LT_I32, 0);

	for (int32_t i = 0; i < old->rank; i++) {
		const int64_t n = lt_var_extent(l->g, part.axis[i]), extent = lt_var_extent(l->g, old->axis[i]);
		const lt_node from = w->known[i] ? lt__sd_whole(l, &w->begin[i]) : inside(l, &w->begin[i], n, extent);
		const lt_node at = lt_graph_cast(l->g, lt_graph_index(l->g, old->axis[i]), LT_I32);
		const lt_node offset = lt_graph_binary(l->g, "sub", at, from), last = lt_graph_literal_int(l->g, LT_I32, n - 1);
		const lt_node above = lt_graph_binary(l->g, "max", offset, zero), clamped = lt_graph_binary(l->g, "min", above, last);
		const lt_node same = lt_graph_binary(l->g, "eq", offset, clamped);

		there.node = lt_graph_binary(l->g, "and", there.node, same);
		there.axis[there.rank++] = old->axis[i];
		if (!gather(l, &part, i, clamped, old->axis[i]))
			return false;
	}
	if (there.node == LT_NONE || !lt__sd_order(l, &there))
		return false;
	return lt__sd_map(l, "select", 3, (const struct sd_value *[]){ &there, &part, old }, old->rank, old->axis, out);
}

/* -- begins that are sums of trips -- */
/* The columns of a map: 1, dims, then a division for each pending var, which is its trip. */
struct sd_columns { int32_t n_dim, n_pending, width; const lt_var *dim, *pending; };

static int32_t column_of(const struct sd_columns *c, lt_var v)
{
	for (int32_t i = 0; i < c->n_pending; i++)
		if (c->pending[i] == v)
			return 1 + c->n_dim + i;
	for (int32_t i = 0; i < c->n_dim; i++)
		if (c->dim[i] == v)
			return 1 + i;
	return 0;
}

static void subtract(const struct sd_columns *c, int64_t *row, const struct sd_affine *sum, lt_var without)
{
	row[0] -= sum->constant;
	for (int32_t i = 0; i < sum->n; i++)
		if (sum->var[i] != without)
			row[column_of(c, sum->var[i])] -= sum->coef[i];
}

/* The axis whose begin says which trip of pending var k wrote an element; its coefficient. */
static int32_t deciding_axis(struct sd_lower *l, const struct sd_write *w, int32_t k, int64_t *coef)
{
	for (int32_t i = 0; i < w->part.rank; i++) {
		const struct sd_affine *sum = &w->begin[i].sum;
		bool later = false;

		*coef = 0;
		for (int32_t t = 0; t < sum->n; t++) {
			if (sum->var[t] == w->pending[k])
				*coef = sum->coef[t];
			for (int32_t q = k + 1; q < w->n_pending; q++)
				later = later || sum->var[t] == w->pending[q];
		}
		if (!later && *coef >= lt_var_extent(l->g, w->part.axis[i]))
			return i;
	}
	lt_bug("a loop that is done at once writes parts that overlap");
}

static void guard_range(int64_t *guard, int32_t width, const int64_t *row, int64_t last)
{
	for (int32_t i = 0; i < width; i++) {
		guard[i] = row[i];
		guard[width + i] = -row[i];
	}
	guard[width] += last;
}

/* The n loops of the old value and of the part, with those of where it begins, but for the pending ones; in order. */
static int32_t write_loops(const struct sd_write *w, int32_t n, lt_var *dims)
{
	int32_t kept = 0;

	for (int32_t i = 0; i < w->part.rank; i++)
		for (int32_t t = 0; t < w->begin[i].sum.n; t++)
			if (!lt__has(dims, n, w->begin[i].sum.var[t]) && n + SD_MAX_RANK < LT_MAX_RANK)
				dims[n++] = w->begin[i].sum.var[t];
	for (int32_t i = 0; i < n; i++)
		if (!lt__has(w->pending, w->n_pending, dims[i]))
			dims[kept++] = dims[i];
	for (int32_t i = 1; i < kept; i++)
		for (int32_t k = i; k > 0 && dims[k - 1] > dims[k]; k--) {
			const lt_var swap = dims[k];

			dims[k] = dims[k - 1];
			dims[k - 1] = swap;
		}
	return kept;
}

static bool write_known(struct sd_lower *l, const struct sd_value *old, const struct sd_write *w, struct sd_value *out)
{
	struct lt_arena *a = l->p->arena;
	lt_var dims[LT_MAX_RANK];
	int32_t n = 0, n_loop = 0;
	const struct sd_value *all[2] = { old, &w->part };

	if (!lt__sd_dims(l, 2, all, 0, NULL, &n, dims))
		return false;
	n = write_loops(w, n, dims);
	n_loop = n;
	for (int32_t i = 0; i < old->rank; i++)
		dims[n++] = old->axis[i];
	const struct sd_columns c = { .n_dim = n, .n_pending = w->n_pending, .width = 1 + n + w->n_pending, .dim = dims,
		.pending = w->pending };
	/* Which trip wrote an element: (its position - the rest of the begin) / coefficient. */
	int64_t *div = LT_NEW(a, int64_t, w->n_pending * (1 + c.width) + 1);
	int64_t *guard = LT_NEW(a, int64_t, 2 * (w->n_pending + old->rank) * c.width + 1);
	int32_t n_guard = 0;
	for (int32_t k = 0; k < w->n_pending; k++) {
		int64_t *row = div + k * (1 + c.width), *trip = LT_NEW(a, int64_t, c.width);
		const int32_t axis = deciding_axis(l, w, k, &row[0]);

		row[1 + 1 + n_loop + axis] = 1;
		subtract(&c, row + 1, &w->begin[axis].sum, w->pending[k]);
		trip[1 + n + k] = 1;
		guard_range(guard + n_guard * c.width, c.width, trip, lt_var_extent(l->g, w->pending[k]) - 1);
		n_guard += 2;
	}
	const int32_t rank = lt_node_rank(l->g, w->part.node), old_rank = lt_node_rank(l->g, old->node);
	int64_t *row = LT_NEW(a, int64_t, rank * c.width + 1), *old_row = LT_NEW(a, int64_t, old_rank * (1 + n) + 1);
	for (int32_t i = 0; i < rank; i++) {
		const lt_var v = lt_node_dim(l->g, w->part.node, i);
		int32_t axis = 0;

		while (axis < w->part.rank && w->part.axis[axis] != v)
			axis++;
		if (axis == w->part.rank) {
			row[i * c.width + column_of(&c, v)] = 1;
			continue;
		}
		row[i * c.width + 1 + n_loop + axis] = 1;
		subtract(&c, row + i * c.width, &w->begin[axis].sum, -1);
		if (w->begin[axis].sum.n || lt_var_extent(l->g, v) != lt_var_extent(l->g, old->axis[axis])) {
			guard_range(guard + n_guard * c.width, c.width, row + i * c.width, lt_var_extent(l->g, v) - 1);
			n_guard += 2;
		}
	}
	const struct sd_columns plain = { .n_dim = n, .width = 1 + n, .dim = dims };
	for (int32_t i = 0; i < old_rank; i++)
		old_row[i * (1 + n) + column_of(&plain, lt_node_dim(l->g, old->node, i))] = 1;
	const struct lt_view_piece pieces[2] = {
		{ .source = w->part.node, .map = { .n_dim = n, .n_div = w->n_pending, .n_guard = n_guard, .n_row = rank, .div = div,
			.guard = guard, .row = row } },
		{ .source = old->node, .map = { .n_dim = n, .n_row = old_rank, .row = old_row } },
	};
	*out = *old;
	/* A part that is everything leaves nothing of the old value. */
	return lt__sd_set(l, out, lt_graph_view(l->g, n, dims, n_guard ? 2 : 1, pieces, 0, 0));
}

bool lt__sd_write(struct sd_lower *l, const struct sd_value *old, const struct sd_write *w, struct sd_value *out)
{
	lt_graph_at(l->g, w->place.line, w->place.column);
	for (int32_t i = 0; i < old->rank; i++)
		if (!w->known[i])
			return write_computed(l, old, w, out);
	return write_known(l, old, w, out);
}
