/* groups.c -- what groups of dims are: see groups.h. */
#include "frontends/onnx/groups.h"

int32_t lt__onnx_parts(const struct lt_onnx_value *v, int32_t axis)
{
	return v->part ? v->part[axis] : 1;
}

int32_t lt__onnx_first_part(const struct lt_onnx_value *v, int32_t axis)
{
	int32_t first = 0;
	for (int32_t i = 0; i < axis; i++)
		first += lt__onnx_parts(v, i);
	return first;
}

static struct lt_onnx_poly dim_extent(struct lt_onnx *m, lt_node x, int32_t dim)
{
	const struct lt_vardef *v = &m->graph->var[lt_node_dim(m->graph, x, dim)];
	return v->bounded ? lt__poly_linear(m, &v->limit) : lt__poly_whole(m, v->extent);
}

struct lt_onnx_poly lt__onnx_axis_extent(struct lt_onnx *m, const struct lt_onnx_value *v, int32_t axis)
{
	const int32_t first = lt__onnx_first_part(v, axis);
	if (v->node < 0)
		return lt__poly_whole(m, v->shape[axis]);
	struct lt_onnx_poly product = dim_extent(m, v->node, first);
	for (int32_t i = 1; i < lt__onnx_parts(v, axis); i++) {
		const struct lt_onnx_poly one = dim_extent(m, v->node, first + i);
		if (!lt__poly_mul(m, &product, &one, &product))
			lt__onnx_refuse(m, "the extent of axis %d is a product of too many others", axis);
	}
	return product;
}

bool lt__onnx_any_bounded(struct lt_onnx *m, const struct lt_onnx_value *v)
{
	bool any = false;
	for (int32_t i = 0; v->node >= 0 && i < lt_node_rank(m->graph, v->node); i++)
		any |= m->graph->var[lt_node_dim(m->graph, v->node, i)].bounded;
	return any;
}

const char *lt__onnx_extents(struct lt_onnx *m, const struct lt_onnx_value *v)
{
	struct lt_text t = { .arena = m->arena };
	lt__text_format(&t, "[");
	for (int32_t i = 0; i < v->rank; i++) {
		const struct lt_onnx_poly one = lt__onnx_axis_extent(m, v, i);
		lt__text_format(&t, "%s%s", i ? ", " : "", lt__poly_text(m, &one));
	}
	lt__text_format(&t, "]");
	return t.at;
}

const char *lt__onnx_fixes_of(struct lt_onnx *m, const struct lt_onnx_value *v)
{
	struct lt_onnx_poly *each = LT_NEW(m->arena, struct lt_onnx_poly, v->rank + 1);
	for (int32_t i = 0; i < v->rank; i++)
		each[i] = lt__onnx_axis_extent(m, v, i);
	return lt__poly_fixes(m, v->rank, each);
}

/* A group (run-time extent, number) is one dim j, whose parts are floor(j / number) and the remainder.  Of any other
 * one a division by a run-time scalar would be needed. */
static bool group_merges(struct lt_onnx *m, const struct lt_onnx_value *v, int32_t axis)
{
	const int32_t first = lt__onnx_first_part(v, axis);
	return lt__onnx_parts(v, axis) == 1 || (lt__onnx_parts(v, axis) == 2
		&& !m->graph->var[lt_node_dim(m->graph, v->node, first + 1)].bounded);
}

static lt_var merged_var(struct lt_onnx *m, const struct lt_onnx_value *v, int32_t axis)
{
	const struct lt_vardef *outer = &m->graph->var[lt_node_dim(m->graph, v->node, lt__onnx_first_part(v, axis))];
	const int64_t by = lt_var_extent(m->graph, lt_node_dim(m->graph, v->node, lt__onnx_first_part(v, axis) + 1));
	int64_t *coef = LT_NEW(m->arena, int64_t, outer->limit.n + 1), constant = 0;
	bool fits = !lt__mul_overflow(outer->limit.constant, by, &constant);
	for (int32_t i = 0; i < outer->limit.n; i++)
		fits = fits && !lt__mul_overflow(outer->limit.coef[i], by, &coef[i]);
	if (!fits)
		lt__onnx_refuse(m, "an extent exceeds 63 bits");
	return fits ? lt_graph_var_bounded(m->graph, NULL, v->shape[axis], constant, outer->limit.n, outer->limit.param,
		coef) : LT_NONE;
}

lt_node lt__onnx_ungrouped(struct lt_onnx *m, const struct lt_onnx_value *v)
{
	int32_t n_div = 0;
	for (int32_t i = 0; i < v->rank; i++) {
		if (!group_merges(m, v, i)) {
			lt__onnx_refuse(m, "axis %d of '%s' (%s) is a product of extents that differ from run to run, which this cannot "
				"take as one: %s", i, v->name ? v->name : "", lt__onnx_extents(m, v), lt__onnx_fixes_of(m, v));
			return LT_NONE;
		}
		n_div += lt__onnx_parts(v, i) - 1;
	}
	const int32_t n_row = lt_node_rank(m->graph, v->node), width = 1 + v->rank + n_div;
	lt_var *dims = LT_NEW(m->arena, lt_var, v->rank + 1);
	int64_t *row = LT_NEW(m->arena, int64_t, (int64_t)n_row * width + 1);
	int64_t *div = LT_NEW(m->arena, int64_t, (int64_t)n_div * (1 + width) + 1);
	for (int32_t i = 0, k = 0, d = 0; i < v->rank; i++) {
		int64_t *outer = row + (int64_t)k * width, *inner = outer + width;
		if (lt__onnx_parts(v, i) == 1) {
			dims[i] = lt_node_dim(m->graph, v->node, k++);
			outer[1 + i] = 1;
			continue;
		}
		const int64_t by = lt_var_extent(m->graph, lt_node_dim(m->graph, v->node, k + 1));
		dims[i] = merged_var(m, v, i);
		div[(int64_t)d * (1 + width)] = by;
		div[(int64_t)d * (1 + width) + 1 + 1 + i] = 1;
		outer[1 + v->rank + d] = 1;
		inner[1 + i] = 1;
		inner[1 + v->rank + d] = -by;
		k += 2;
		d++;
	}
	const struct lt_view_piece piece = { .source = v->node, .map = { .n_dim = v->rank, .n_div = n_div, .n_row = n_row,
		.div = div, .row = row } };
	return lt__onnx_failed(m) ? LT_NONE : lt_graph_view(m->graph, v->rank, dims, 1, &piece, 0, 0);
}
