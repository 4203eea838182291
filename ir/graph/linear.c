/* linear.c -- sums of run-time scalars: whether two are the same, what they can be, and vars that end at them. */
#include "ir/graph/graph.h"

bool lt__linear_equal(const struct lt_linear *a, const struct lt_linear *b)
{
	if (a->constant != b->constant || a->n != b->n)
		return false;
	for (int32_t i = 0; i < a->n; i++) {
		int32_t j = 0;

		while (j < b->n && b->param[j] != a->param[i])
			j++;
		if (j == b->n || a->coef[i] != b->coef[j])
			return false;
	}
	return true;
}

/* The end of a sum's range that is asked for; false: it exceeds 63 bits. */
static bool linear_end(const struct lt_graph *g, const struct lt_linear *l, bool high, int64_t *sum)
{
	int64_t term;

	*sum = l->constant;
	for (int32_t i = 0; i < l->n; i++) {
		const struct lt_paramdef *p = &g->param[l->param[i]];

		if (lt__mul_overflow(l->coef[i], (l->coef[i] > 0) == high ? p->high : p->low, &term)
		    || lt__add_overflow(*sum, term, sum))
			return false;
	}
	return true;
}

int64_t lt__linear_min(const struct lt_graph *g, const struct lt_linear *l)
{
	int64_t sum;

	return linear_end(g, l, false, &sum) ? sum : INT64_MIN;
}

int64_t lt__linear_max(const struct lt_graph *g, const struct lt_linear *l)
{
	int64_t sum;

	return linear_end(g, l, true, &sum) ? sum : INT64_MAX;
}

bool lt__var_same_range(const struct lt_graph *g, lt_var a, lt_var b)
{
	const struct lt_vardef *v = &g->var[a], *w = &g->var[b];

	return v->extent == w->extent && v->bounded == w->bounded && (!v->bounded || lt__linear_equal(&v->limit, &w->limit));
}
