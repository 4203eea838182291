/* sums.c -- integers of a shape that builders ask for, which may depend on run-time extents: see
 * trace.h.
 */
#include "frontends/onnx/trace.h"

const struct lt_onnx_poly *lt__onnx_in_polys(struct lt_onnx_call *c, int32_t i, const char *what, int32_t *n)
{
	struct lt_onnx *m = c->m;
	struct lt_onnx_value *v = lt__onnx_value(c, i);
	*n = 0;
	if (v->lost)
		return NULL;
	const int64_t elems = lt__onnx_elems(v);
	if ((v->dtype != LT_I64 && v->dtype != LT_I32) || v->rank > 1 || elems > LT_MAX_RANK) {
		lt__onnx_refuse(m, "%s ('%s') is %s %s: int64 or int32 of one axis is expected", what, v->name ? v->name : "",
			lt__onnx_type_name(lt__onnx_type(v->dtype)), lt__onnx_shape(m, v->rank, v->shape));
		return NULL;
	}
	struct lt_onnx_poly *out = LT_NEW(m->arena, struct lt_onnx_poly, elems + 1);
	*n = (int32_t)elems;
	(void)lt__onnx_maybe(m, v);
	for (int64_t k = 0; !v->empty && k < elems; k++)
		if (!lt__onnx_trace(m, v, k, &out[k])) {
			(void)lt__onnx_content(m, v, what);
			return NULL;
		}
	return out;
}

const struct lt_linear *lt__onnx_in_sums(struct lt_onnx_call *c, int32_t i, const char *what, int32_t *n)
{
	const struct lt_onnx_poly *x = lt__onnx_in_polys(c, i, what, n);
	struct lt_linear *out = LT_NEW(c->m->arena, struct lt_linear, *n + 1);
	for (int32_t k = 0; x && k < *n; k++)
		if (!lt__poly_sum(c->m, &x[k], &out[k])) {
			lt__onnx_refuse(c->m, "%s ('%s') has %s, a product of extents that differ from run to run: %s", what,
				lt__onnx_value(c, i)->name, lt__poly_text(c->m, &x[k]), lt__poly_fixes(c->m, 1, &x[k]));
			return NULL;
		}
	return x ? out : NULL;
}

int64_t lt__onnx_most(struct lt_onnx *m, const struct lt_linear *x)
{
	const struct lt_onnx_poly sum = lt__poly_linear(m, x);
	int64_t low, high;
	return lt__poly_range(m, &sum, &low, &high) ? high : 0;
}

lt_var lt__onnx_sum_var(struct lt_onnx *m, const struct lt_linear *x)
{
	if (x->n == 0)
		return lt_graph_var(m->graph, NULL, x->constant);
	return lt_graph_var_bounded(m->graph, NULL, lt__onnx_most(m, x), x->constant, x->n, x->param, x->coef);
}
