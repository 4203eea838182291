/* naive_eval.c -- see tests/naive_eval.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "ir/map/map.h"
#include "tests/naive_eval.h"

static void *allocate(int64_t n, size_t size)
{
	void *at = calloc(n > 0 ? (size_t)n : 1, size);

	if (!at)
		abort();
	return at;
}

static bool is_float(enum lt_dtype t) { return lt__dtype_info(t)->cls == LT_CLASS_FLOAT; }

void naive_open(struct naive *v, const struct lt_graph *g, const void *const *source)
{
	*v = (struct naive){ .g = g, .extent = allocate(g->n_var, sizeof *v->extent),
		.param = allocate(g->n_param, sizeof *v->param),
		.value = allocate(g->n_node, sizeof *v->value) };
	for (lt_param p = 0; p < g->n_param; p++)
		v->param[p] = ((const int64_t *)source[g->param[p].source])[g->param[p].element];
	for (lt_var i = 0; i < g->n_var; i++) {
		const struct lt_vardef *d = &g->var[i];
		v->extent[i] = d->bounded ? d->limit.constant : d->extent;
		for (int32_t k = 0; d->bounded && k < d->limit.n; k++)
			v->extent[i] += d->limit.coef[k] * v->param[d->limit.param[k]];
		v->extent[i] = v->extent[i] < 0 ? 0 : v->extent[i];
	}
	for (lt_node n = 0; n < g->n_node; n++)
		v->value[n] = allocate(lt__node_elems(g, n), sizeof **v->value);
}

void naive_close(struct naive *v)
{
	for (lt_node n = 0; n < v->g->n_node; n++)
		free(v->value[n]);
	free(v->value);
	free(v->param);
	free(v->extent);
}

void naive_take(struct naive *v, lt_node n, const void *data)
{
	for (int64_t i = 0; i < lt__node_elems(v->g, n); i++)
		v->value[n][i] = lt__load(data, i, v->g->node[n].dtype);
}

bool naive_is_inside(const struct naive *v, lt_node n, const int64_t *at)
{
	for (int32_t i = 0; i < v->g->node[n].n_dim; i++)
		if (at[i] >= v->extent[v->g->node[n].dim[i]])
			return false;
	return true;
}

static union lt_scalar element(const struct naive *v, lt_node n, const int64_t *at)
{
	const struct lt_nodedef *d = &v->g->node[n];
	int64_t flat = 0;

	for (int32_t i = 0; i < d->n_dim; i++) {
		if (at[i] < 0 || at[i] >= v->g->var[d->dim[i]].extent)
			abort();
		flat = flat * v->g->var[d->dim[i]].extent + at[i];
	}
	return v->value[n][flat];
}

/* Element of an operand at the position of var[] (n of them, at pos[]). */
static union lt_scalar operand_at(const struct naive *v, lt_node x, const lt_var *var, const int64_t *pos, int32_t n)
{
	const struct lt_nodedef *d = &v->g->node[x];
	int64_t at[LT_MAX_RANK] = { 0 };

	for (int32_t i = 0; i < d->n_dim; i++)
		for (int32_t k = 0; k < n; k++)
			if (var[k] == d->dim[i])
				at[i] = pos[k];
	return element(v, x, at);
}

static union lt_scalar view_element(const struct naive *v, lt_node n, const int64_t *at)
{
	const struct lt_nodedef *d = &v->g->node[n];

	for (int32_t p = 0; p < d->n_piece; p++) {
		const struct lt_map *map = &d->piece[p].map;
		int64_t param[64], to[LT_MAX_RANK];
		for (int32_t i = 0; i < map->n_param; i++)
			param[i] = v->param[map->param[i]];
		if (!lt__map_apply(map, param, at, to))
			continue;
		return d->piece[p].source < 0 ? lt__scalar_of(d->piece[p].bits, d->dtype)
					      : element(v, d->operand[d->piece[p].source], to);
	}
	return lt__scalar_of(d->bits, d->dtype);
}

static union lt_scalar gather_element(const struct naive *v, lt_node n, const int64_t *at)
{
	const struct lt_nodedef *d = &v->g->node[n], *x = &v->g->node[d->operand[0]];
	int64_t to[LT_MAX_RANK];

	for (int32_t i = 0; i < x->n_dim; i++)
		for (int32_t k = 0; k < d->n_dim; k++)
			if (d->dim[k] == x->dim[i])
				to[i] = at[k];
	/* A random error may lead out of the range: the nearest element. */
	int64_t index = operand_at(v, d->operand[1], d->dim, at, d->n_dim).i, last = v->g->var[x->dim[d->axis]].extent - 1;
	to[d->axis] = index < 0 ? 0 : index > last ? last : index;
	return element(v, d->operand[0], to);
}

static union lt_scalar update_element(const struct naive *v, lt_node n, const int64_t *at)
{
	const struct lt_nodedef *d = &v->g->node[n];
	const struct lt_nodedef *part = &v->g->node[d->operand[1]];
	int64_t in[LT_MAX_RANK];
	bool inside = true;

	for (int32_t i = 0; i < d->n_dim; i++) {
		in[i] = at[i] - (d->offset ? d->offset[i] : 0) - (d->at && d->at[i] >= 0 ? v->param[d->at[i]] : 0);
		inside = inside && in[i] >= 0 && in[i] < v->extent[part->dim[i]];
	}
	return inside ? element(v, d->operand[1], in) : operand_at(v, d->operand[0], d->dim, at, d->n_dim);
}

/* The reduced vars, in the operand's order, after the kept ones. */
struct terms { lt_var var[2 * LT_MAX_RANK]; int64_t pos[2 * LT_MAX_RANK]; int32_t n, kept; bool any; };

static struct terms begin_terms(const struct naive *v, lt_node n, const int64_t *at)
{
	const struct lt_nodedef *d = &v->g->node[n], *x = &v->g->node[d->operand[0]];
	struct terms t = { .n = d->n_dim, .kept = d->n_dim, .any = true };

	for (int32_t i = 0; i < d->n_dim; i++) {
		t.var[i] = d->dim[i];
		t.pos[i] = at[i];
	}
	for (int32_t i = 0; i < x->n_dim; i++) {
		bool kept = false;
		for (int32_t k = 0; k < d->n_dim; k++)
			kept = kept || d->dim[k] == x->dim[i];
		if (kept)
			continue;
		t.any = t.any && v->extent[x->dim[i]] > 0;
		t.var[t.n++] = x->dim[i];
	}
	return t;
}

static bool next_term(const struct naive *v, struct terms *t)
{
	for (int32_t i = t->n - 1; i >= t->kept; i--) {
		if (++t->pos[i] < v->extent[t->var[i]])
			return true;
		t->pos[i] = 0;
	}
	return false;
}

static double rounded(long double x, enum lt_dtype t) { return lt__round_to((union lt_scalar){ .f = (double)x }, t).f; }

/* A sum's or product's exact value is known up to what long double and the evaluator's double lose. */
static union lt_scalar reduce_element(
	const struct naive *v, lt_node n, const int64_t *at, bool stepwise, struct naive_range *range)
{
	const struct lt_nodedef *d = &v->g->node[n];
	enum lt_class cls = lt__dtype_info(d->dtype)->cls;
	struct terms t = begin_terms(v, n, at);
	union lt_scalar r = lt__op_identity(d->op, d->dtype);
	long double sum = r.f, size = 0, count = 0;

	for (bool more = t.any; more; more = next_term(v, &t)) {
		union lt_scalar x = operand_at(v, d->operand[0], t.var, t.pos, t.n);
		r = lt__op_value(d->op, d->dtype, (union lt_scalar[]){ r, x });
		if (stepwise || cls != LT_CLASS_FLOAT)
			r = lt__round_to(r, d->dtype);
		sum = cls == LT_CLASS_FLOAT && d->op == LT_OP_add ? sum + x.f : sum;
		size += cls == LT_CLASS_FLOAT ? fabsl((long double)x.f) : 0;
		count++;
	}
	if (cls != LT_CLASS_FLOAT || stepwise || (d->op != LT_OP_add && d->op != LT_OP_mul))
		return lt__round_to(r, d->dtype);
	long double value = d->op == LT_OP_add ? sum : r.f;
	long double lost = d->op == LT_OP_mul ? count * 0x1p-51L * fabsl(value)
					      : count * size * (d->dtype == LT_F64 ? 0x1p-62L : 0x1p-53L);
	if (!isfinite((double)value) || !isfinite((double)size))
		lost = 0;
	range->low = rounded(value - lost, d->dtype);
	range->high = rounded(value + lost, d->dtype);
	range->nan = d->op == LT_OP_mul && !isfinite((double)value);
	return (union lt_scalar){ .f = rounded(value, d->dtype) };
}

/* Value before rounding. */
static union lt_scalar raw_element(const struct naive *v, lt_node n, const int64_t *at, union lt_scalar *x)
{
	const struct lt_nodedef *d = &v->g->node[n];

	for (int32_t i = 0; i < d->n_operand; i++)
		x[i] = operand_at(v, d->operand[i], d->dim, at, d->n_dim);
	return lt__op_value(d->op, v->g->node[d->operand[d->n_operand - 1]].dtype, x);
}

union lt_scalar naive_element(
	const struct naive *v, lt_node n, const int64_t *at, bool stepwise, struct naive_range *range)
{
	const struct lt_nodedef *d = &v->g->node[n];
	union lt_scalar r, x[3];

	*range = (struct naive_range){ INFINITY, -INFINITY, false };    /* none: the value itself */
	switch (d->op) {
	case LT_OP_lit: return lt__scalar_of(d->bits, d->dtype);
	case LT_OP_index: return (union lt_scalar){ .i = at[0] };
	case LT_OP_view: return view_element(v, n, at);
	case LT_OP_gather: return gather_element(v, n, at);
	case LT_OP_update: return update_element(v, n, at);
	case LT_OP_input: case LT_OP_constant: case LT_OP_state: return element(v, n, at);
	case LT_OP_cast:
		return lt__convert(operand_at(v, d->operand[0], d->dim, at, d->n_dim), v->g->node[d->operand[0]].dtype, d->dtype);
	default: break;
	}
	if (d->reduce)
		return reduce_element(v, n, at, stepwise, range);
	r = raw_element(v, n, at, x);
	return lt__round_to(r, d->dtype);
}

/* Of a sum by the largest of its partial sums that may occur; no range (low above high): exact. */
struct naive_range naive_random(const struct naive *v, lt_node n, const int64_t *at, double amplify)
{
	const struct lt_nodedef *d = &v->g->node[n];
	const struct lt_dtypeinfo *type = lt__dtype_info(d->dtype);
	struct naive_range range = { INFINITY, -INFINITY, false };
	union lt_scalar x[3];
	double value, error;

	if (!is_float(d->dtype) || (lt__op_info(d->op)->any && d->op != LT_OP_cast) || d->op == LT_OP_min
		|| d->op == LT_OP_max)
		return range;
	if (d->reduce) {
		struct terms t = begin_terms(v, n, at);
		double size = 0, partial = 0, count = 0, product = 1, shrink = 1;
		bool eighths = true, whole = true;      /* multiples of 2^-8, of 1 */
		for (bool more = t.any; more; more = next_term(v, &t), count++) {
			double term = operand_at(v, d->operand[0], t.var, t.pos, t.n).f;
			size += fabs(term);
			partial += term;
			product *= term;
			shrink *= fabs(term) < 1 ? fabs(term) : 1;
			eighths = eighths && fabs(term) < 0x1p40 && term * 256 == nearbyint(term * 256);
			whole = whole && term == nearbyint(term);
		}
		/* In any order: every partial sum is a multiple of the same, and fits. */
		if (d->op == LT_OP_add
			&& (count <= 1 || (eighths && size * type->unit <= 0x1p-8)
				|| (whole && size * type->unit <= 1)))
			return range;
		value = d->op == LT_OP_add ? partial : product;
		error = (count + 1) * (amplify + 1) * type->unit * (d->op == LT_OP_add ? size : fabs(product)) * 1.01;
		range.nan = d->op == LT_OP_mul || !(size <= type->largest);
		if (d->op == LT_OP_mul && shrink < type->tiny / type->unit)     /* some order may leave the type */
			error = fmax(error, fabs(value));
	} else {
		union lt_scalar raw = d->op == LT_OP_cast ? operand_at(v, d->operand[0], d->dim, at, d->n_dim)
							  : raw_element(v, n, at, x);
		if (d->op == LT_OP_cast && !is_float(v->g->node[d->operand[0]].dtype))
			raw.f = (double)raw.i;
		int ulp = lt__op_info(d->op)->ulp;
		value = raw.f;
		error = (amplify * (ulp > 1 ? 2 * ulp : 1) + 1) * (type->unit * fabs(value) * 1.01 + type->tiny);
		if (d->op == LT_OP_sigmoid && x[0].f < -87)
			error += amplify * value;
	}
	if (isnan(value))
		return range;
	range.low = rounded((long double)value - error, d->dtype);
	range.high = rounded((long double)value + error, d->dtype);
	return range;
}
