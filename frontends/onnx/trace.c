/* trace.c -- integers of a shape that are not all known: each as a sum of products of run-time scalars.
 *
 * An element of a node is followed back through views, gathers, casts, sums and products to literals, contents and the
 * inputs that run-time extents are read from.  What comes from anything else is not known.
 */
#include <string.h>
#include "frontends/onnx/trace.h"

enum { MAX_STEPS = 20000, MAX_REDUCED = 64, MAX_TRACED = 256 };

struct trace { struct lt_onnx *m; int32_t steps; };

static bool trace_element(struct trace *, lt_node, const int64_t *at, struct lt_onnx_poly *out);

/* Element `at` of a content. */
static bool trace_content(struct trace *t, const struct lt_nodedef *d, const int64_t *at, struct lt_onnx_poly *out)
{
	const struct lt_graph *g = t->m->graph;
	int64_t flat = 0;
	for (int32_t i = 0; i < d->n_dim; i++)
		flat = flat * g->var[d->dim[i]].extent + at[i];
	if (lt__dtype_info(d->dtype)->cls == LT_CLASS_FLOAT)
		return false;
	*out = lt__poly_whole(t->m, lt__load(d->content, flat, d->dtype).i);
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

static bool trace_view(struct trace *t, const struct lt_nodedef *d, const int64_t *at, struct lt_onnx_poly *out)
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
			*out = lt__poly_whole(t->m, lt__scalar_of(d->piece[p].bits, d->dtype).i);
			return lt__dtype_info(d->dtype)->cls != LT_CLASS_FLOAT;
		}
		for (int32_t i = 0; i < map->n_row; i++)
			from[i] = row_value(map, map->row + (int64_t)i * width, at, div);
		return trace_element(t, d->operand[d->piece[p].source], from, out);
	}
	*out = lt__poly_whole(t->m, lt__scalar_of(d->bits, d->dtype).i);
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

static bool trace_gather(struct trace *t, const struct lt_nodedef *d, const int64_t *at, struct lt_onnx_poly *out)
{
	const struct lt_graph *g = t->m->graph;
	const struct lt_nodedef *x = &g->node[d->operand[0]];
	struct lt_onnx_poly index;
	int64_t place;
	if (!trace_element(t, d->operand[1], operand_at(t, d, d->operand[1], at), &index)
	    || !lt__poly_known(&index, &place))
		return false;
	int64_t *own = LT_NEW(t->m->arena, int64_t, x->n_dim + 1);
	memcpy(own, operand_at(t, d, d->operand[0], at), sizeof *own * (size_t)x->n_dim);
	own[d->axis] = place;
	return place >= 0 && place < g->var[x->dim[d->axis]].extent && trace_element(t, d->operand[0], own, out);
}

/* Operand i of a node at the place of the node's element. */
static bool trace_operand(struct trace *t, const struct lt_nodedef *d, int32_t i, const int64_t *at,
	struct lt_onnx_poly *out)
{
	const lt_node x = d->operand[i];
	return lt__dtype_info(t->m->graph->node[x].dtype)->cls != LT_CLASS_FLOAT
		&& trace_element(t, x, operand_at(t, d, x, at), out);
}

/* Comparisons that hold, or do not, for all values of the scalars: an extent is above 0, and the like. */
static bool trace_compare(struct trace *t, const struct lt_nodedef *d, const struct lt_onnx_poly *x,
	struct lt_onnx_poly *out)
{
	struct lt_onnx_poly difference;
	int64_t low, high;
	if (!lt__poly_add(t->m, &x[0], &x[1], -1, &difference) || !lt__poly_range(t->m, &difference, &low, &high))
		return false;
	const bool same = low == 0 && high == 0, apart = low > 0 || high < 0;
	bool yes = false, no = false;
	switch (d->op) {
	case LT_OP_less:         yes = high < 0,  no = low >= 0;  break;
	case LT_OP_lessequal:    yes = high <= 0, no = low > 0;   break;
	case LT_OP_greater:      yes = low > 0,   no = high <= 0; break;
	case LT_OP_greaterequal: yes = low >= 0,  no = high < 0;  break;
	case LT_OP_eq:           yes = same,      no = apart;     break;
	case LT_OP_ne:           yes = apart,     no = same;      break;
	case LT_OP_max:
	case LT_OP_min:
		*out = (high <= 0) == (d->op == LT_OP_max) ? x[1] : x[0];
		return high <= 0 || low >= 0;
	default:
		break;
	}
	*out = lt__poly_whole(t->m, yes);
	return yes || no;
}

/* The branch that is taken, if it is known which, or both are the same. */
static bool trace_select(struct trace *t, const struct lt_nodedef *d, const int64_t *at, struct lt_onnx_poly *out)
{
	struct lt_onnx_poly condition, no;
	int64_t holds;
	if (trace_operand(t, d, 0, at, &condition) && lt__poly_known(&condition, &holds))
		return trace_operand(t, d, holds ? 1 : 2, at, out);
	return trace_operand(t, d, 1, at, out) && trace_operand(t, d, 2, at, &no) && lt__poly_equal(out, &no);
}

/* An operator on numbers that are all known. */
static bool trace_value(struct trace *t, const struct lt_nodedef *d, const struct lt_onnx_poly *x,
	struct lt_onnx_poly *out)
{
	const struct lt_nodedef *last = &t->m->graph->node[d->operand[d->n_operand - 1]];
	union lt_scalar number[3];
	for (int32_t i = 0; i < d->n_operand; i++)
		if (!lt__poly_known(&x[i], &number[i].i))
			return false;
	*out = lt__poly_whole(t->m, d->op == LT_OP_cast ? lt__convert(number[0], last->dtype, d->dtype).i :
		lt__round_to(lt__op_value(d->op, last->dtype, number), d->dtype).i);
	return true;
}

/* Of a number that the type holds whatever the scalars are. */
static bool trace_cast(const struct trace *t, enum lt_dtype to, const struct lt_onnx_poly *x, struct lt_onnx_poly *out)
{
	const struct lt_dtypeinfo *info = lt__dtype_info(to);
	int64_t low, high;
	*out = *x;
	return to != LT_BOOL && lt__poly_range(t->m, x, &low, &high) && (info->is_signed || low >= 0)
		&& (double)low >= -info->largest && (double)high <= info->largest;
}

static bool trace_operator(struct trace *t, const struct lt_nodedef *d, const int64_t *at, struct lt_onnx_poly *out)
{
	struct lt_onnx_poly x[3];
	int64_t by;
	if (d->op == LT_OP_select)
		return trace_select(t, d, at, out);
	if (d->n_operand < 1 || d->n_operand > 3)
		return false;
	for (int32_t i = 0; i < d->n_operand; i++)
		if (!trace_operand(t, d, i, at, &x[i]))
			return false;
	if (trace_value(t, d, x, out))
		return true;
	switch (d->op) {
	case LT_OP_cast:
		return trace_cast(t, d->dtype, &x[0], out);
	case LT_OP_copy:
		*out = x[0];
		return d->dtype != LT_BOOL;
	case LT_OP_add:
	case LT_OP_sub:
		return lt__poly_add(t->m, &x[0], &x[1], d->op == LT_OP_add ? 1 : -1, out);
	case LT_OP_mul:
		return lt__poly_mul(t->m, &x[0], &x[1], out);
	case LT_OP_div:
		return lt__poly_known(&x[1], &by) && lt__poly_divide(t->m, &x[0], by, out);
	default:
		return d->n_operand == 2 && trace_compare(t, d, x, out);
	}
}

/* The elements that a sum or a product is made of, one after the other. */
static bool trace_reduction(struct trace *t, const struct lt_nodedef *d, const int64_t *at, struct lt_onnx_poly *out)
{
	const struct lt_graph *g = t->m->graph;
	const struct lt_nodedef *x = &g->node[d->operand[0]];
	int64_t *own = LT_NEW(t->m->arena, int64_t, x->n_dim + 1), n = 1;
	bool fits = d->op == LT_OP_add || d->op == LT_OP_mul, *over = LT_NEW(t->m->arena, bool, x->n_dim + 1);
	memcpy(own, operand_at(t, d, d->operand[0], at), sizeof *own * (size_t)x->n_dim);
	for (int32_t i = 0; fits && i < x->n_dim; i++) {
		over[i] = true;
		for (int32_t k = 0; k < d->n_dim; k++)
			over[i] = over[i] && d->dim[k] != x->dim[i];
		fits = !over[i] || (!g->var[x->dim[i]].bounded && !lt__mul_overflow(n, g->var[x->dim[i]].extent, &n));
	}
	*out = lt__poly_whole(t->m, d->op == LT_OP_mul);
	for (int64_t k = 0; fits && n <= MAX_REDUCED && k < n; k++) {
		struct lt_onnx_poly one;
		int64_t left = k;
		for (int32_t i = x->n_dim - 1; i >= 0; i--)
			if (over[i]) {
				own[i] = left % g->var[x->dim[i]].extent;
				left /= g->var[x->dim[i]].extent;
			}
		fits = trace_element(t, d->operand[0], own, &one) && (d->op == LT_OP_mul ? lt__poly_mul(t->m, out, &one, out) :
			lt__poly_add(t->m, out, &one, 1, out));
	}
	return fits && n <= MAX_REDUCED;
}

/* The scalar that an input is read for. */
static bool trace_input(struct trace *t, lt_node n, struct lt_onnx_poly *out)
{
	struct lt_onnx *m = t->m;
	for (int32_t i = 0; i < m->n_symbol; i++)
		if (m->graph->param[m->symbol[i].param].source == n) {
			int64_t one = 1;
			const struct lt_linear sum = { .n = 1, .param = &m->symbol[i].param, .coef = &one };
			*out = lt__poly_linear(m, &sum);
			return true;
		}
	return false;
}

static bool trace_element(struct trace *t, lt_node n, const int64_t *at, struct lt_onnx_poly *out)
{
	struct lt_onnx *m = t->m;
	const struct lt_nodedef *d = &m->graph->node[n];
	if (++t->steps > MAX_STEPS || lt__dtype_info(d->dtype)->cls == LT_CLASS_FLOAT)
		return false;
	switch (d->op) {
	case LT_OP_lit:
		*out = lt__poly_whole(m, lt__scalar_of(d->bits, d->dtype).i);
		return true;
	case LT_OP_constant:
		return d->content && trace_content(t, d, at, out);
	case LT_OP_view:
		return trace_view(t, d, at, out);
	case LT_OP_gather:
		return trace_gather(t, d, at, out);
	case LT_OP_index:
		*out = lt__poly_whole(m, at[0]);
		return true;
	case LT_OP_input:
		return trace_input(t, n, out);
	case LT_OP_state:
	case LT_OP_update:
		return false;
	default:
		return d->reduce ? trace_reduction(t, d, at, out) : trace_operator(t, d, at, out);
	}
}

bool lt__onnx_trace(struct lt_onnx *m, const struct lt_onnx_value *v, int64_t element, struct lt_onnx_poly *out)
{
	struct trace t = { .m = m };
	if (v->data) {
		*out = lt__poly_whole(m, lt__load(v->data, element, v->dtype).i);
		return lt__dtype_info(v->dtype)->cls != LT_CLASS_FLOAT;
	}
	return v->node >= 0 && v->rank <= 1 && !v->part && !lt__onnx_failed(m) && trace_element(&t, v->node, &element, out);
}

const void *lt__onnx_traced(struct lt_onnx *m, struct lt_onnx_value *v)
{
	const int64_t elems = lt__onnx_elems(v);
	struct lt_onnx_poly one;
	bool known = m->n_symbol && v->rank <= 1 && elems <= MAX_TRACED && !v->part
		&& lt__dtype_info(v->dtype)->cls != LT_CLASS_FLOAT && !(v->rank && lt__onnx_bounded(m, v->node, 0));
	char *data = known ? lt__onnx_room(m, v->dtype, v->rank, v->shape) : NULL;
	for (int64_t i = 0; known && i < elems; i++) {
		int64_t x;
		known = lt__onnx_trace(m, v, i, &one) && lt__poly_known(&one, &x);
		if (known)
			lt__store(data, i, v->dtype, (union lt_scalar){ .i = x });
	}
	return known ? data : NULL;
}
