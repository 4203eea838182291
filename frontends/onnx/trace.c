/* frontends/onnx/trace.c -- integers of a shape that are not all known: each as a sum of run-time scalars.
 *
 * An element of a node is followed back through views, gathers, casts, sums and products to literals, contents and the
 * inputs that run-time extents are read from.  What comes from anything else is not known.
 */
#include <string.h>
#include "frontends/onnx/onnx.h"
#include "frontends/onnx/trace.h"

enum { MAX_STEPS = 2000 };

struct trace { struct lt_onnx *m; int32_t steps; };

static bool trace_element(struct trace *, lt_node, const int64_t *at, struct lt_linear *out);

static void constant_sum(struct lt_linear *out, int64_t x)
{
	*out = (struct lt_linear){ .constant = x };
}

/* Element `at` of a content. */
static bool trace_content(const struct lt_graph *g, const struct lt_nodedef *d, const int64_t *at,
	struct lt_linear *out)
{
	int64_t flat = 0;
	for (int32_t i = 0; i < d->n_dim; i++)
		flat = flat * g->var[d->dim[i]].extent + at[i];
	if (lt__dtype_info(d->dtype)->cls == LT_CLASS_FLOAT)
		return false;
	constant_sum(out, lt__load(d->content, flat, d->dtype).i);
	return true;
}

/* A row over [1 | dims | divisions] at a point; false: run-time scalars are in it. */
static int64_t row_value(const struct lt_map *map, const int64_t *row, const int64_t *at, const int64_t *div)
{
	int64_t sum = row[0];
	for (int32_t i = 0; i < map->n_dim; i++)
		sum += row[1 + i] * at[i];
	for (int32_t i = 0; i < map->n_div; i++)
		sum += row[1 + map->n_dim + i] * div[i];
	return sum;
}

static bool trace_view(struct trace *t, const struct lt_nodedef *d, const int64_t *at, struct lt_linear *out)
{
	for (int32_t p = 0; p < d->n_piece; p++) {
		const struct lt_map *map = &d->piece[p].map;
		const int32_t width = lt__map_width(map);
		int64_t *div = LT_NEW(t->m->arena, int64_t, map->n_div + 1), *from = LT_NEW(t->m->arena, int64_t, map->n_row + 1);
		bool shown = true;
		if (map->n_param)
			return false;
		for (int32_t i = 0; i < map->n_div; i++) {
			const int64_t *row = map->div + (int64_t)i * (1 + width);
			div[i] = lt__floor_div(row_value(map, row + 1, at, div), row[0]);
		}
		for (int32_t i = 0; i < map->n_guard; i++)
			shown = shown && row_value(map, map->guard + (int64_t)i * width, at, div) >= 0;
		if (!shown)
			continue;
		if (d->piece[p].source < 0) {
			constant_sum(out, lt__scalar_of(d->piece[p].bits, d->dtype).i);
			return lt__dtype_info(d->dtype)->cls != LT_CLASS_FLOAT;
		}
		for (int32_t i = 0; i < map->n_row; i++)
			from[i] = row_value(map, map->row + (int64_t)i * width, at, div);
		return trace_element(t, d->operand[d->piece[p].source], from, out);
	}
	constant_sum(out, lt__scalar_of(d->bits, d->dtype).i);
	return d->has_fill && lt__dtype_info(d->dtype)->cls != LT_CLASS_FLOAT;
}

/* Where an operand is asked for, of an element of its reader: by vars. */
static const int64_t *operand_at(struct trace *t, const struct lt_nodedef *d, lt_node operand, const int64_t *at)
{
	const struct lt_nodedef *x = &t->m->graph->node[operand];
	int64_t *own = LT_NEW(t->m->arena, int64_t, x->n_dim + 1);
	for (int32_t i = 0; i < x->n_dim; i++)
		for (int32_t k = 0; k < d->n_dim; k++)
			own[i] = x->dim[i] == d->dim[k] ? at[k] : own[i];
	return own;
}

static bool trace_gather(struct trace *t, const struct lt_nodedef *d, const int64_t *at, struct lt_linear *out)
{
	const struct lt_graph *g = t->m->graph;
	const struct lt_nodedef *x = &g->node[d->operand[0]];
	struct lt_linear index;
	if (!trace_element(t, d->operand[1], operand_at(t, d, d->operand[1], at), &index) || index.n)
		return false;
	int64_t *own = LT_NEW(t->m->arena, int64_t, x->n_dim + 1);
	memcpy(own, operand_at(t, d, d->operand[0], at), sizeof *own * (size_t)x->n_dim);
	own[d->axis] = index.constant;
	return index.constant >= 0 && index.constant < g->var[x->dim[d->axis]].extent
		&& trace_element(t, d->operand[0], own, out);
}

static bool same_sum(const struct lt_linear *a, const struct lt_linear *b)
{
	return lt__linear_equal(a, b);
}

/* a + by * b */
static bool add_sums(struct trace *t, const struct lt_linear *a, const struct lt_linear *b, int64_t by,
	struct lt_linear *out)
{
	const int32_t n = a->n + b->n;
	lt_param *param = LT_NEW(t->m->arena, lt_param, n + 1);
	int64_t *coef = LT_NEW(t->m->arena, int64_t, n + 1), constant;
	bool overflow = lt__mul_overflow(b->constant, by, &constant) || lt__add_overflow(a->constant, constant, &constant);
	for (int32_t i = 0; i < a->n; i++)
		param[i] = a->param[i], coef[i] = a->coef[i];
	for (int32_t i = 0; i < b->n; i++) {
		param[a->n + i] = b->param[i];
		overflow |= lt__mul_overflow(b->coef[i], by, &coef[a->n + i]);
	}
	return !overflow && lt__linear_make(t->m->graph, constant, n, param, coef, out) == LT_OK;
}

static bool trace_operator(struct trace *t, const struct lt_nodedef *d, const int64_t *at, struct lt_linear *out)
{
	struct lt_linear x[3];
	union lt_scalar number[3];
	bool known = true;
	if (d->reduce || d->n_operand > 3)
		return false;
	for (int32_t i = 0; i < d->n_operand; i++) {
		if (lt__dtype_info(t->m->graph->node[d->operand[i]].dtype)->cls == LT_CLASS_FLOAT
		    || !trace_element(t, d->operand[i], operand_at(t, d, d->operand[i], at), &x[i]))
			return false;
		known = known && x[i].n == 0;
		number[i].i = x[i].constant;
	}
	if (d->op == LT_OP_cast || d->op == LT_OP_copy)
		*out = x[0];
	else if (known)
		constant_sum(out, lt__round_to(lt__op_value(d->op,
			t->m->graph->node[d->operand[d->n_operand - 1]].dtype, number), d->dtype).i);
	else if (d->op == LT_OP_add || d->op == LT_OP_sub)
		return add_sums(t, &x[0], &x[1], d->op == LT_OP_add ? 1 : -1, out);
	else if (d->op == LT_OP_mul && (x[0].n == 0 || x[1].n == 0))
		return add_sums(t, &(struct lt_linear){ 0 }, x[0].n ? &x[0] : &x[1], x[0].n ? x[1].constant : x[0].constant, out);
	else if (d->op == LT_OP_select && (x[0].n == 0 || same_sum(&x[1], &x[2])))
		*out = x[0].constant ? x[1] : x[2];
	else
		return false;
	return true;
}

/* Comparisons that hold for all values of the scalars: an extent is above 0, and the like. */
static bool trace_compare(struct trace *t, const struct lt_nodedef *d, const int64_t *at, struct lt_linear *out)
{
	struct lt_linear x[2], difference, back;
	if ((d->op != LT_OP_less && d->op != LT_OP_eq && d->op != LT_OP_ne) || d->reduce)
		return false;
	for (int32_t i = 0; i < 2; i++)
		if (lt__dtype_info(t->m->graph->node[d->operand[i]].dtype)->cls == LT_CLASS_FLOAT
		    || !trace_element(t, d->operand[i], operand_at(t, d, d->operand[i], at), &x[i]))
			return false;
	if (!add_sums(t, &x[0], &x[1], -1, &difference) || !add_sums(t, &x[1], &x[0], -1, &back))
		return false;
	const int64_t least = lt__linear_min(t->m->graph, &difference), most_back = lt__linear_min(t->m->graph, &back);
	if (least == INT64_MIN || most_back == INT64_MIN)
		return false;
	const bool above = least > 0, below = most_back > 0, same = difference.n == 0 && difference.constant == 0;
	if (d->op == LT_OP_less ? !(below || least >= 0) : !(above || below || same))
		return false;
	constant_sum(out, d->op == LT_OP_less ? below : d->op == LT_OP_eq ? same : !same);
	return true;
}

static bool trace_element(struct trace *t, lt_node n, const int64_t *at, struct lt_linear *out)
{
	static const int64_t one = 1;
	struct lt_onnx *m = t->m;
	const struct lt_nodedef *d = &m->graph->node[n];
	if (++t->steps > MAX_STEPS)
		return false;
	for (int32_t i = 0; i < m->n_symbol && d->op == LT_OP_input; i++)
		if (m->graph->param[m->symbol[i].param].source == n) {
			*out = (struct lt_linear){ .n = 1, .param = &m->symbol[i].param,
				.coef = (int64_t *)(uintptr_t)&one };
			return lt__linear_make(m->graph, 0, 1, out->param, out->coef, out) == LT_OK;
		}
	if (lt__dtype_info(d->dtype)->cls == LT_CLASS_FLOAT)
		return false;
	switch (d->op) {
	case LT_OP_lit:
		constant_sum(out, lt__scalar_of(d->bits, d->dtype).i);
		return true;
	case LT_OP_constant:
		return d->content && trace_content(m->graph, d, at, out);
	case LT_OP_view:
		return trace_view(t, d, at, out);
	case LT_OP_gather:
		return trace_gather(t, d, at, out);
	case LT_OP_index:
		constant_sum(out, at[0]);
		return true;
	case LT_OP_input:
	case LT_OP_state:
	case LT_OP_update:
		return false;
	default:
		return trace_operator(t, d, at, out) || trace_compare(t, d, at, out);
	}
}

bool lt__onnx_trace(struct lt_onnx *m, struct lt_onnx_value *v, int64_t element, struct lt_linear *out)
{
	struct trace t = { .m = m };
	if (v->data) {
		constant_sum(out, lt__load(v->data, element, v->dtype).i);
		return lt__dtype_info(v->dtype)->cls != LT_CLASS_FLOAT;
	}
	return v->node >= 0 && v->rank <= 1 && !lt__onnx_failed(m) && trace_element(&t, v->node, &element, out);
}

const struct lt_linear *lt__onnx_in_sums(struct lt_onnx_call *c, int32_t i, const char *what, int32_t *n)
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
	struct lt_linear *out = LT_NEW(m->arena, struct lt_linear, elems + 1);
	*n = (int32_t)elems;
	if (v->empty || lt__onnx_maybe(m, v)) {
		for (int64_t k = 0; k < elems; k++)
			constant_sum(&out[k], lt__load(v->data, k, v->dtype).i);
		return out;
	}
	for (int64_t k = 0; k < elems; k++)
		if (!lt__onnx_trace(m, v, k, &out[k])) {
			(void)lt__onnx_content(m, v, what);
			return NULL;
		}
	return out;
}

int64_t lt__onnx_most(struct lt_onnx *m, const struct lt_linear *x)
{
	struct trace t = { .m = m };
	struct lt_linear minus;
	if (x->n == 0)
		return x->constant;
	if (!add_sums(&t, &(struct lt_linear){ 0 }, x, -1, &minus))
		return 0;
	const int64_t least = lt__linear_min(m->graph, &minus);
	return least == INT64_MIN ? 0 : -least;
}

lt_var lt__onnx_sum_var(struct lt_onnx *m, const struct lt_linear *x)
{
	if (x->n == 0)
		return lt_graph_var(m->graph, NULL, x->constant);
	return lt_graph_var_bounded(m->graph, NULL, lt__onnx_most(m, x), x->constant, x->n, x->param, x->coef);
}
