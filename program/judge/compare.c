/* compare.c -- whether one element may stand for another; the elements of a run. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "program/judge/judge.h"
#include "program/judge/parts.h"

double lt__integer_distance(int64_t a, int64_t b, enum lt_dtype t)
{
	bool more = t == LT_U64 ? (uint64_t)a > (uint64_t)b : a > b;
	return (double)(more ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a);
}

bool lt__is_near(const void *got, const void *want, int64_t i, enum lt_dtype t, double bound)
{
	const struct lt_dtypeinfo *info = lt__dtype_info(t);
	union lt_scalar a = lt__load(got, i, t), b = lt__load(want, i, t);
	if (info->cls == LT_CLASS_FLOAT)
		return (isnan(a.f) && isnan(b.f)) || a.f == b.f || (bound > 0 && lt__float_distance(a.f, b.f, t) <= bound);
	if (info->cls == LT_CLASS_BOOL && ((const uint8_t *)got)[i] > 1)
		return false;
	return a.i == b.i || lt__integer_distance(a.i, b.i, t) <= bound;
}

double lt__distance(const void *got, const void *want, int64_t i, enum lt_dtype t)
{
	if (t == LT_BOOL && ((const uint8_t *)got)[i] > 1)
		return INFINITY;
	union lt_scalar a = lt__load(got, i, t), b = lt__load(want, i, t);
	return lt__dtype_info(t)->cls != LT_CLASS_FLOAT ? lt__integer_distance(a.i, b.i, t)
		: (isnan(a.f) && isnan(b.f)) || a.f == b.f ? 0 : lt__float_distance(a.f, b.f, t);
}

double lt__signed_distance(const void *got, const void *want, int64_t i, enum lt_dtype t)
{
	union lt_scalar a = lt__load(got, i, t), b = lt__load(want, i, t);
	if (lt__dtype_info(t)->cls == LT_CLASS_FLOAT)
		return isfinite(a.f) && isfinite(b.f) ? a.f - b.f : INFINITY;
	double size = lt__integer_distance(a.i, b.i, t);
	return (t == LT_U64 ? (uint64_t)a.i < (uint64_t)b.i : a.i < b.i) ? -size : size;
}

double lt__magnitude(const void *data, int64_t i, enum lt_dtype t)
{
	union lt_scalar x = lt__load(data, i, t);
	return lt__dtype_info(t)->cls != LT_CLASS_FLOAT ? fabs(lt__as_double(x, t)) : isfinite(x.f) ? fabs(x.f) : 0;
}

double lt__square(double x) { return fmin(x * x, 1e290); }

double lt__root_mean_square(const struct lt_graph *g, const struct lt_evaluation *e, lt_node n, const void *data)
{
	int64_t at[LT_MAX_RANK] = { 0 }, flat = 0, count = 0;
	double largest = 0, sum = 0;
	if (lt__is_empty(g, e, n))
		return 0;
	do
		largest = fmax(largest, lt__magnitude(data, flat, g->node[n].dtype));
	while (lt__next_element(g, e, n, at, &flat));
	if (largest == 0)
		return 0;
	memset(at, 0, sizeof at);
	flat = 0;
	do {
		sum += lt__square(lt__magnitude(data, flat, g->node[n].dtype) / largest);
		count++;
	} while (lt__next_element(g, e, n, at, &flat));
	return largest * sqrt(sum / (double)count);
}

bool lt__next_element(const struct lt_graph *g, const struct lt_evaluation *e, lt_node n, int64_t *at, int64_t *flat)
{
	const struct lt_nodedef *d = &g->node[n];
	int32_t i = d->n_dim;
	while (i-- > 0) {
		if (++at[i] < lt_eval_extent(e, d->dim[i]))
			break;
		at[i] = 0;
	}
	*flat = 0;
	for (int32_t k = 0; k < d->n_dim; k++)
		*flat = *flat * g->var[d->dim[k]].extent + at[k];
	return i >= 0;
}

bool lt__is_empty(const struct lt_graph *g, const struct lt_evaluation *e, lt_node n)
{
	for (int32_t i = 0; i < g->node[n].n_dim; i++)
		if (lt_eval_extent(e, g->node[n].dim[i]) == 0)
			return true;
	return false;
}
