/* fit.c -- run-time scalars that were drawn at random are made to fit together: where a script asks that
 * end - begin is 16, begin stays as it was drawn, and end is moved. */
#include "base/arena.h"
#include "tools/model/model.h"

/* Where param p is read from; NULL: from no tensor that was given, or through a view. */
static int64_t *fit_scalar(const struct model *m, const struct model_values *input, lt_param p, bool *drawn)
{
	const struct lt_paramdef *d = &m->graph->param[p];
	for (int kind = LT_BINDING_INPUT; kind <= LT_BINDING_CONSTANT; kind++) {
		const struct model_bindings *b = &m->binding[kind];
		const struct model_values *v = kind == LT_BINDING_INPUT ? input : &m->given.constant;
		for (int32_t i = 0; i < b->n; i++)
			if (b->at[i].node == d->source && v->value[i]) {
				*drawn = v->value[i]->drawn;
				return (int64_t *)v->value[i]->data + d->element;
			}
	}
	return NULL;
}

/* Moves the last drawn scalar of the sum that can make it 0, or at least 0.  False: none had to be moved, or can. */
static bool fit_require(const struct model *m, const struct model_values *input, const struct lt_require *q)
{
	const struct lt_linear *l = &q->value;
	int64_t sum = l->constant, term;
	bool drawn;
	for (int32_t i = 0; i < l->n; i++) {
		const int64_t *at = fit_scalar(m, input, l->param[i], &drawn);
		if (!at || lt__mul_overflow(l->coef[i], *at, &term) || lt__add_overflow(sum, term, &sum))
			return false;
	}
	if (q->equal ? sum == 0 : sum >= 0)
		return false;
	for (int32_t i = l->n - 1; i >= 0; i--) {
		const struct lt_paramdef *d = &m->graph->param[l->param[i]];
		int64_t *at = fit_scalar(m, input, l->param[i], &drawn), was = *at, now;
		if (!drawn || (l->coef[i] != 1 && l->coef[i] != -1) || lt__add_overflow(was, l->coef[i] == 1 ? -sum : sum, &now))
			continue;
		*at = now < d->low ? d->low : now > d->high ? d->high : now;
		if (*at != was)
			return true;
	}
	return false;
}

void model_fit(const struct model *m)
{
	enum { ROUNDS = 100 };          /* one that is moved may break what held before */
	for (int32_t e = 0; e < m->given.n_input; e++) {
		bool moved = true;
		for (int round = 0; moved && round < ROUNDS; round++) {
			moved = false;
			for (int32_t i = 0; i < m->graph->n_require; i++)
				moved |= fit_require(m, &m->given.input[e], &m->graph->require[i]);
		}
	}
}
