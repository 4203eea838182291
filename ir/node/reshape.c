/* reshape.c -- views with the same elements in the same order but other dims.
 *
 * Source and result dims are cut into the shortest runs of equal products.  A run of one dim on both sides is
 * a plain row.  In any other the result's dims give a position p in the run, and source dim k with s elements below
 * it has the index  floor(p/s) - extent * floor(p/(s*extent)),  the outermost  floor(p/s).
 */
#include <string.h>
#include "ir/node/node.h"
#include "ir/node/parts.h"
#include "ir/map/map.h"

struct reshaping {
	struct lt_graph *g;
	lt_node x;
	int32_t n, rank;                /* dims of the result, of the source */
	const int64_t *shape;           /* of the result */
	const lt_var *to;               /* the result's dims, or NULL: to be made */
	lt_var *dims;                   /* the result's dims; -1: to be made */
	struct lt_map map;
	int64_t *div, *row;
	int32_t width;
};
struct dim_run { int32_t from, from_end, to, to_end; };     /* source dims from .. from_end, result dims to .. to_end */

static const struct lt_vardef *source_var(const struct reshaping *r, int32_t i)
{
	return &r->g->var[r->g->node[r->x].dim[i]];
}

static bool target_bounded(const struct reshaping *r, int32_t i)
{
	return r->to && r->g->var[r->to[i]].bounded;
}

static bool skip_source(const struct reshaping *r, int32_t i)
{
	return source_var(r, i)->extent == 1 && !source_var(r, i)->bounded;
}

static bool skip_target(const struct reshaping *r, int32_t i)
{
	return r->shape[i] == 1 && !target_bounded(r, i);
}

/* The next run after *run; false at the end.  The products of all dims are equal, so both sides end together. */
static bool next_run(const struct reshaping *r, struct dim_run *run)
{
	int64_t p, q;

	run->from = run->from_end;
	run->to = run->to_end;
	while (run->from < r->rank && skip_source(r, run->from))
		run->from++;
	while (run->to < r->n && skip_target(r, run->to))
		run->to++;
	if (run->from == r->rank || run->to == r->n)
		return false;
	run->from_end = run->from + 1;
	run->to_end = run->to + 1;
	p = source_var(r, run->from)->extent;
	q = r->shape[run->to];
	while (p != q)
		if (p < q)
			p *= source_var(r, run->from_end++)->extent;
		else
			q *= r->shape[run->to_end++];
	return true;
}

static lt_status refuse_bounded(const struct reshaping *r, int32_t from)
{
	return lt__graph_fail(r->g, LT_EUNSUPPORTED, "'%.200s' (%s) cannot be reshaped across dim '%.100s' and its "
		"neighbours: one is bounded by a run-time scalar; keep that dim as it is", r->g->node[r->x].name,
		lt__node_shape_text(r->g, r->x), from < r->rank ? source_var(r, from)->name : "1");
}

static lt_status check_bounded(const struct reshaping *r, const struct dim_run *run)
{
	bool plain = run->from_end - run->from == 1 && run->to_end - run->to == 1, bounded = false;

	if (plain && (!r->to || lt__var_same_range(r->g, r->g->node[r->x].dim[run->from], r->to[run->to])))
		return LT_OK;
	for (int32_t i = run->from; i < run->from_end; i++)
		bounded |= source_var(r, i)->bounded;
	for (int32_t i = run->to; i < run->to_end; i++)
		bounded |= target_bounded(r, i);
	return bounded ? refuse_bounded(r, run->from) : LT_OK;
}

/* Division number `div` of the map: floor(position in the run / den). */
static void write_div(struct reshaping *r, const struct dim_run *run, int32_t div, int64_t den)
{
	int64_t *at = r->div + (int64_t)div * (1 + r->width), stride = 1;

	at[0] = den;
	for (int32_t i = run->to_end; i-- > run->to;) {
		at[2 + i] = stride;
		stride *= r->shape[i];
	}
}

/* `by` times floor(position / s) in a row, s being what division `div` divides by; div -1: the position itself. */
static void add_quotient(const struct reshaping *r, const struct dim_run *run, int64_t *row, int32_t div, int64_t by)
{
	int64_t stride = by;

	if (div >= 0) {
		row[1 + r->n + div] += by;
		return;
	}
	for (int32_t i = run->to_end; i-- > run->to;) {
		row[1 + i] += stride;
		stride *= r->shape[i];
	}
}

static void write_run(struct reshaping *r, const struct dim_run *run, int32_t *n_div)
{
	int64_t below = 1;
	int32_t inner = -1;             /* the division by `below` */

	for (int32_t i = run->from_end; i-- > run->from;) {
		int64_t extent = source_var(r, i)->extent, *row = r->row + (int64_t)i * r->width;

		add_quotient(r, run, row, inner, 1);
		below *= extent;
		if (i > run->from && !skip_source(r, i)) {
			inner = (*n_div)++;
			write_div(r, run, inner, below);
			add_quotient(r, run, row, inner, -extent);
		} else if (i > run->from) {
			memset(row, 0, sizeof *row * (size_t)r->width);
		}
	}
}

/* Divisions that the map needs: one less than the source dims of each run. */
static lt_status count_divs(struct reshaping *r)
{
	struct dim_run run = { 0 };

	while (next_run(r, &run)) {
		LT_TRY(check_bounded(r, &run));
		for (int32_t i = run.from + 1; i < run.from_end; i++)
			r->map.n_div += !skip_source(r, i);
		if (run.from_end - run.from == 1 && run.to_end - run.to == 1)
			r->dims[run.to] = r->g->node[r->x].dim[run.from];
	}
	/* only a bounded dim of at most one element can be left over */
	return run.from < r->rank || run.to < r->n ? refuse_bounded(r, run.from) : LT_OK;
}

static bool is_known(const struct reshaping *r)
{
	bool same = r->n == r->rank;

	for (int32_t i = 0; i < r->n && same; i++)
		same = r->to ? r->to[i] == r->g->node[r->x].dim[i] : r->shape[i] == source_var(r, i)->extent;
	return same;
}

static lt_status check_shape(const struct reshaping *r)
{
	int64_t product = 1;

	if (r->n < 0 || r->n > LT_MAX_RANK)
		return lt__graph_fail(r->g, LT_EUNSUPPORTED, "'%.200s' cannot have %d dims: 0 to %d are possible",
			r->g->node[r->x].name, r->n, LT_MAX_RANK);
	for (int32_t i = 0; i < r->n; i++) {
		if (r->shape[i] < 1)
			return lt__graph_fail(r->g, LT_ETYPE, "dim %d of the new shape of '%.200s' is %lld: at least 1 is needed", i,
				r->g->node[r->x].name, (long long)r->shape[i]);
		if (__builtin_mul_overflow(product, r->shape[i], &product))
			return lt__graph_fail(r->g, LT_EOVERFLOW, "the new shape of '%.200s' has more than 2^63 elements",
				r->g->node[r->x].name);
	}
	if (product != lt__node_elems(r->g, r->x))
		return lt__graph_fail(r->g, LT_ETYPE, "'%.200s' (%s) has %lld elements, its new shape %lld", r->g->node[r->x].name,
			lt__node_shape_text(r->g, r->x), (long long)lt__node_elems(r->g, r->x), (long long)product);
	return LT_OK;
}

static lt_node build(struct reshaping *r)
{
	struct dim_run run = { 0 };
	int32_t n_div = 0;

	r->rank = r->g->node[r->x].n_dim;
	if (check_shape(r))
		return -1;
	if (is_known(r))
		return r->x;
	r->dims = LT_NEW(r->g->arena, lt_var, r->n);
	memset(r->dims, -1, sizeof *r->dims * (size_t)r->n);
	if (count_divs(r))
		return -1;
	r->map.n_dim = r->n;
	r->map.n_row = r->rank;
	r->width = lt__map_width(&r->map);
	r->map.div = r->div = LT_NEW(r->g->arena, int64_t, r->map.n_div * (1 + r->width));
	r->map.row = r->row = LT_NEW(r->g->arena, int64_t, r->rank * r->width);
	while (next_run(r, &run))
		write_run(r, &run, &n_div);
	for (int32_t i = 0; i < r->n; i++)
		if (r->to)
			r->dims[i] = r->to[i];
		else if (r->dims[i] < 0)
			r->dims[i] = lt__var_add(r->g, NULL, r->shape[i], NULL);
	return lt__build_view(r->g, r->x, r->n, r->dims, &r->map, 0);
}

static lt_node add_reshape(struct lt_graph *g, lt_node x, int32_t n, const int64_t *shape)
{
	struct reshaping r = { .g = g, .x = x, .n = n, .shape = shape };

	return lt__graph_has(g, x) ? build(&r) : -1;
}

lt_node lt_graph_reshape(struct lt_graph *g, lt_node x, int32_t n, const int64_t *shape)
{
	lt_node y = -1;

	LT_GUARDED(g->ctx, y, add_reshape(g, x, n, shape));
	return y;
}

static lt_node add_reshape_to(struct lt_graph *g, lt_node x, int32_t n, const lt_var *dims)
{
	struct reshaping r = { .g = g, .x = x, .n = n, .to = dims };
	int64_t *shape;

	if (!lt__graph_has(g, x))
		return -1;
	shape = LT_NEW(g->arena, int64_t, n > 0 ? n : 0);
	for (int32_t i = 0; i < n; i++) {
		if (dims[i] < 0 || dims[i] >= g->n_var) {
			if (dims[i] != -1)
				lt__graph_fail(g, LT_EINVAL, "there is no var number %d: the graph has %d", dims[i], g->n_var);
			return -1;
		}
		shape[i] = g->var[dims[i]].extent;
	}
	r.shape = shape;
	return build(&r);
}

lt_node lt_graph_reshape_to(struct lt_graph *g, lt_node x, int32_t n, const lt_var *dims)
{
	lt_node y = -1;

	LT_GUARDED(g->ctx, y, add_reshape_to(g, x, n, dims));
	return y;
}
