/* frontends/onnx/elementwise.c -- operators whose operands meet axis by axis: see position.h. */
#include "frontends/onnx/groups.h"
#include "frontends/onnx/position.h"

enum { MAX_OPERANDS = 3 };

static bool var_is_one(const struct lt_onnx *m, lt_var v)
{
	return m->graph->var[v].extent == 1 && !m->graph->var[v].bounded;
}

static bool var_among(const lt_var *v, int32_t n, lt_var x)
{
	for (int32_t i = 0; i < n; i++)
		if (v[i] == x)
			return true;
	return false;
}

static const char *node_shape(struct lt_onnx *m, lt_node x)
{
	const struct lt_onnx_value v = lt__onnx_of_node(m, x);
	return lt__onnx_extents(m, &v);
}

/* The var of a result's axis: of the first operand that is not 1 there; any of extent 1 if all are. */
static bool pick_var(struct lt_onnx *m, int32_t n, const lt_node *x, int32_t rank, int32_t axis, lt_var *out)
{
	lt_node from = -1;
	*out = -1;
	for (int32_t k = 0; k < n; k++) {
		int32_t own = axis - (rank - lt_node_rank(m->graph, x[k]));
		lt_var v = own >= 0 ? lt_node_dim(m->graph, x[k], own) : -1;
		if (v < 0)
			continue;
		if (from >= 0 && !var_is_one(m, v) && !lt__var_same_range(m->graph, v, *out)) {
			lt__onnx_refuse(m, "shapes %s and %s do not fit: they differ at axis -%d, and neither is 1",
				node_shape(m, from), node_shape(m, x[k]), rank - axis);
			return false;
		}
		if (from < 0 && !var_is_one(m, v)) {
			from = x[k];
			*out = v;
		} else if (*out < 0) {
			*out = v;
		}
	}
	return true;
}

bool lt__onnx_broadcast(struct lt_onnx *m, int32_t n, const lt_node *x, int32_t *n_dim, lt_var **dims, lt_node *out)
{
	struct lt_graph *g = m->graph;
	int32_t rank = 0;
	for (int32_t k = 0; k < n; k++) {
		if (x[k] < 0)
			return false;
		rank = lt_node_rank(g, x[k]) > rank ? lt_node_rank(g, x[k]) : rank;
	}
	lt_var *v = LT_NEW(m->arena, lt_var, rank + 1), *own = LT_NEW(m->arena, lt_var, rank + 1);
	int32_t *at = LT_NEW(m->arena, int32_t, rank + 1);
	for (int32_t i = 0; i < rank; i++) {
		if (!pick_var(m, n, x, rank, i, &v[i]))
			return false;
		if (var_among(v, i, v[i]))
			v[i] = lt__var_like(g, v[i], g->var[v[i]].extent, g->var[v[i]].bounded ? &g->var[v[i]].limit : NULL);
	}
	for (int32_t k = 0; k < n; k++) {
		int32_t r = lt_node_rank(g, x[k]), kept = 0;
		for (int32_t i = 0; i < r; i++) {
			bool stretched = var_is_one(m, lt_node_dim(g, x[k], i)) && !var_is_one(m, v[rank - r + i]);
			at[i] = stretched ? -1 : kept;
			if (!stretched)
				own[kept++] = v[rank - r + i];
		}
		out[k] = lt__onnx_view(m, x[k], kept, own, at);
		if (out[k] < 0)
			return false;
	}
	*n_dim = rank;
	*dims = v;
	return true;
}

lt_node lt__onnx_op(struct lt_onnx *m, const char *op, int32_t n, const lt_node *x)
{
	lt_node own[MAX_OPERANDS];
	int32_t rank;
	lt_var *dims;
	if (n > MAX_OPERANDS)
		lt_bug("too many operands");
	if (!lt__onnx_broadcast(m, n, x, &rank, &dims, own))
		return LT_NONE;
	return lt_graph_op_to(m->graph, op, n, own, rank, dims);
}

lt_node lt__onnx_op1(struct lt_onnx *m, const char *op, lt_node x)
{
	return lt_graph_unary(m->graph, op, x);
}

lt_node lt__onnx_op2(struct lt_onnx *m, const char *op, lt_node a, lt_node b)
{
	return lt__onnx_op(m, op, 2, (const lt_node[]){ a, b });
}

lt_node lt__onnx_select(struct lt_onnx *m, lt_node condition, lt_node yes, lt_node no)
{
	return lt__onnx_op(m, "select", 3, (const lt_node[]){ condition, yes, no });
}

lt_node lt__onnx_number(struct lt_onnx *m, enum lt_dtype t, double x)
{
	return lt_graph_literal(m->graph, t, x);
}

lt_node lt__onnx_whole(struct lt_onnx *m, enum lt_dtype t, int64_t x)
{
	return lt_graph_literal_int(m->graph, t, x);
}

lt_node lt__onnx_opf(struct lt_onnx *m, const char *op, lt_node x, double number)
{
	return x < 0 ? LT_NONE : lt__onnx_op2(m, op, x, lt__onnx_number(m, lt_node_dtype(m->graph, x), number));
}

lt_node lt__onnx_opr(struct lt_onnx *m, const char *op, double number, lt_node x)
{
	return x < 0 ? LT_NONE : lt__onnx_op2(m, op, lt__onnx_number(m, lt_node_dtype(m->graph, x), number), x);
}

lt_node lt__onnx_cast(struct lt_onnx *m, lt_node x, enum lt_dtype t)
{
	return lt_graph_cast(m->graph, x, t);
}

lt_node lt__onnx_wide(struct lt_onnx *m, lt_node x)
{
	return x < 0 ? LT_NONE : lt_graph_cast(m->graph, x, lt__dtype_info(lt_node_dtype(m->graph, x))->compute);
}

bool lt__onnx_is_float(struct lt_onnx *m, lt_node x)
{
	return x >= 0 && lt__dtype_info(lt_node_dtype(m->graph, x))->cls == LT_CLASS_FLOAT;
}
