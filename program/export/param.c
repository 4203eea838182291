/* Run-time scalars of an exported program: read and checked before anything is written, as run/params.c does. */
#include "program/export/export.h"

static lt_status param_read(struct lt_export *x, struct lt_text *t, int32_t i)
{
	const struct lt_program *p = x->p;
	const struct lt_paramdef *d = &p->tree->graph->param[i];
	const struct lt_nodedef *source = &p->tree->graph->node[d->source];
	const struct lt_storage *s = &p->nests.assigned.storage[p->nests.assigned.location[d->source].storage];
	const char *label = source->label ? source->label : source->name;
	int64_t value = 0;
	x->absent[i] = s->space == LT_STORAGE_INPUT ? !x->member[LT_BINDING_INPUT][s->binding].name
		: !lt__storage_binding(p->bindings, s)->needed;
	if (x->absent[i])
		value = d->low;
	else if (s->space == LT_STORAGE_CONSTANT)
		value = ((const int64_t *)p->constants.data[s->binding])[d->element];
	if (!x->absent[i] && s->space == LT_STORAGE_CONSTANT && (value < d->low || value > d->high))
		return lt_fail(p->ctx, LT_EFAULT, "%selement %lld of constant '%s' is %lld; it must be in %lld..%lld",
			lt__location_text(p->ctx, p, source->line, source->column), (long long)d->element, label, (long long)value,
			(long long)d->low, (long long)d->high);
	if (x->absent[i] || s->space == LT_STORAGE_CONSTANT) {
		lt__text_format(t, "\tparam[%d] = %lld;\n", (int)i, (long long)value);
		return LT_OK;
	}
	if (s->space == LT_STORAGE_STATE)
		lt__text_format(t, "\tparam[%d] = state%d[%lld];\n", (int)i, (int)s->binding, (long long)d->element);
	else if (x->member[LT_BINDING_INPUT][s->binding].scalar)
		lt__text_format(t, "\tparam[%d] = a->%s;\n", (int)i, x->member[LT_BINDING_INPUT][s->binding].name);
	else if (x->member[LT_BINDING_INPUT][s->binding].spread && d->element)
		return lt_fail(p->ctx, LT_EUNSUPPORTED, "element %lld of input '%s' is a run-time scalar, and where it lies depends "
			"on others; give it in an input of its own", (long long)d->element, label);
	else
		lt__text_format(t, "\tparam[%d] = a->%s[%lld];\n", (int)i, x->member[LT_BINDING_INPUT][s->binding].name,
			(long long)d->element);
	if (d->low == INT64_MIN && d->high == INT64_MAX)
		return LT_OK;
	lt__text_format(t, "\tif (");
	if (d->low > INT64_MIN)
		lt__text_format(t, "param[%d] < %lld%s", (int)i, (long long)d->low, d->high < INT64_MAX ? " || " : "");
	if (d->high < INT64_MAX)
		lt__text_format(t, "param[%d] > %lld", (int)i, (long long)d->high);
	const char *text = lt__arena_format(x->a, "%selement %lld of %s '%s' must be in %lld..%lld",
		lt__export_location(x, source->line, source->column), (long long)d->element,
		s->space == LT_STORAGE_STATE ? "state" : "input", label, (long long)d->low, (long long)d->high);
	lt__text_format(t, ")\n\t\treturn %s_fail(a, %s_RANGE, %s, param[%d]);\n", x->o.name, x->upper,
		lt__export_string(x, lt__export_plain(x, text)), (int)i);
	return LT_OK;
}

lt_status lt__export_sum(
	const struct lt_export *x, const struct lt_linear *l, const char **text, int64_t *min, int64_t *max)
{
	const struct lt_graph *g = x->p->tree->graph;
	struct lt_text t = { .arena = x->a };
	int64_t low = l->constant, high = l->constant, a, b;
	bool large = false;
	lt__text_format(&t, "%s", l->constant == INT64_MIN ? "(-9223372036854775807 - 1)"
		: lt__arena_format(x->a, "%lld", (long long)l->constant));
	for (int32_t i = 0; i < l->n; i++) {
		const struct lt_paramdef *d = &g->param[l->param[i]];
		large = large || lt__mul_overflow(l->coef[i], d->low, &a) || lt__mul_overflow(l->coef[i], d->high, &b)
			|| lt__add_overflow(low, a < b ? a : b, &low) || lt__add_overflow(high, a < b ? b : a, &high);
		lt__text_format(&t, " + %lld * param[%d]", (long long)l->coef[i], (int)l->param[i]);
	}
	*text = t.at;
	*min = low;
	*max = high;
	return !large ? LT_OK : lt_fail(x->p->ctx, LT_EUNSUPPORTED,
		"a sum of run-time scalars, %s, may exceed 63 bits, which the text does not look after; give the scalars smaller "
		"ranges", t.at);
}

static lt_status param_require(struct lt_export *x, struct lt_text *t, const struct lt_require *q)
{
	const char *sum;
	int64_t min, max;
	if (lt__params_absent(x->absent, &q->value))
		return LT_OK;
	LT_TRY(lt__export_sum(x, &q->value, &sum, &min, &max));
	lt__text_format(t, "\tif ((%s) %s 0)\n\t\treturn %s_fail(a, %s_RANGE, %s, %s);\n", sum, q->equal ? "!=" : "<",
		x->o.name,
		x->upper, lt__export_string(x, lt__export_plain(x, lt__arena_format(x->a, "%s%s", lt__export_location(x, q->line,
		q->column), q->text))), sum);
	return LT_OK;
}

static lt_status param_extent(struct lt_export *x, struct lt_text *t, lt_var v)
{
	const struct lt_vardef *d = &x->p->tree->graph->var[v];
	const char *sum;
	int64_t min, max;
	if (!d->bounded || lt__params_absent(x->absent, &d->limit))
		return LT_OK;
	LT_TRY(lt__export_sum(x, &d->limit, &sum, &min, &max));
	if (max > d->extent)
		lt__text_format(t, "\tif (%s > %lld)\n\t\treturn %s_fail(a, %s_RANGE, %s, %s);\n", sum, (long long)d->extent,
			x->o.name,
			x->upper, lt__export_string(x, lt__export_plain(x, lt__arena_format(x->a, "dim %s would be longer than %lld",
			d->name, (long long)d->extent))), sum);
	return LT_OK;
}

lt_status lt__export_params(struct lt_export *x, struct lt_text *t)
{
	const struct lt_graph *g = x->p->tree->graph;
	for (int32_t i = 0; i < g->n_param; i++)
		LT_TRY(param_read(x, t, i));
	for (int32_t i = 0; i < g->n_require; i++)
		LT_TRY(param_require(x, t, &g->require[i]));
	for (lt_var v = 0; v < g->n_var; v++)
		LT_TRY(param_extent(x, t, v));
	return LT_OK;
}

/* The extents of results, now that they are known to be right. */
lt_status lt__export_extents(struct lt_export *x, struct lt_text *t)
{
	const struct lt_graph *g = x->p->tree->graph;
	for (int32_t i = 0; i < g->n_result; i++) {
		const struct lt_export_member *m = &x->member[LT_BINDING_RESULT][i];
		const struct lt_nodedef *d = &g->node[g->result[i].node];
		for (int32_t k = 0; k < m->def->rank; k++) {
			const char *sum;
			int64_t min, max;
			if (!m->extent[k])
				continue;
			LT_TRY(lt__export_sum(x, &g->var[d->dim[k]].limit, &sum, &min, &max));
			lt__text_format(t, "\ta->%s = %s;\n", m->extent[k], sum);
			if (min < 0)
				lt__text_format(t, "\tif (a->%s < 0)\n\t\ta->%s = 0;\n", m->extent[k], m->extent[k]);
		}
	}
	return LT_OK;
}
