/* param.c -- run-time scalars: their values, their ranges, the extents that depend on them.
 *
 * A param whose source was not given is not known; only what a needed node depends on must be.
 */
#include "ir/eval/parts.h"

/* Sum of a linear form over the params; false if one is not known. */
static bool linear_value(const struct lt_evaluation *e, const struct lt_linear *sum, int64_t *out, bool *overflow)
{
	*out = sum->constant;
	for (int32_t i = 0; i < sum->n; i++) {
		int64_t term;
		if (!e->known[sum->param[i]])
			return false;
		if (lt__mul_overflow(sum->coef[i], e->param[sum->param[i]], &term) || lt__add_overflow(*out, term, out))
			*overflow = true;
	}
	return true;
}

static const char *param_label(const struct lt_graph *g, lt_param p)
{
	const struct lt_nodedef *d = &g->node[g->param[p].source];

	return d->label ? d->label : d->name;
}

static lt_status check_range(const struct lt_evaluation *e, lt_param p)
{
	const struct lt_paramdef *def = &e->g->param[p];

	if (!e->known[p] || (e->param[p] >= def->low && e->param[p] <= def->high))
		return LT_OK;
	return lt__node_fail(e->g, def->source, LT_EFAULT,
		"element %lld of '%s' is %lld, outside of %lld..%lld, the range of the run-time scalar '%s'",
		(long long)def->element, param_label(e->g, p), (long long)e->param[p], (long long)def->low,
		(long long)def->high, def->name);
}

static lt_status check_require(const struct lt_evaluation *e, const struct lt_require *require)
{
	int64_t value;
	bool overflow = false;

	if (!linear_value(e, &require->value, &value, &overflow))
		return LT_OK;
	if (!overflow && (require->equal ? value == 0 : value >= 0))
		return LT_OK;
	char text[400];
	size_t used = 0;
	text[0] = '\0';
	for (int32_t i = 0; i < require->value.n && used < sizeof text; i++) {
		lt_param p = require->value.param[i];
		used += (size_t)snprintf(text + used, sizeof text - used, "%s element %lld of '%s' is %lld", i ? "," : ":",
			(long long)e->g->param[p].element, param_label(e->g, p), (long long)e->param[p]);
	}
	if (require->line > 0)
		return lt_fail(e->ctx, LT_EFAULT, "%s:%d:%d: %s%s", e->g->file ? e->g->file : "graph", (int)require->line,
			(int)require->column, require->text, text);
	return lt_fail(e->ctx, LT_EFAULT, "%s%s", require->text, text);
}

static lt_status find_extent(const struct lt_evaluation *e, lt_var v)
{
	const struct lt_vardef *def = &e->g->var[v];
	bool overflow = false;

	e->extent[v] = def->extent;
	if (!def->bounded)
		return LT_OK;
	if (!linear_value(e, &def->limit, &e->extent[v], &overflow)) {
		e->extent[v] = -1;
		return LT_OK;
	}
	if (overflow || e->extent[v] > def->extent)
		return lt_fail(e->ctx, LT_EFAULT, "dimension '%s' has extent %lld in this run, more than its maximum of %lld",
			def->name, (long long)e->extent[v], (long long)def->extent);
	if (e->extent[v] < 0)
		e->extent[v] = 0;
	return LT_OK;
}

lt_status lt__eval_params(struct lt_evaluation *e)
{
	const struct lt_graph *g = e->g;

	for (lt_param p = 0; p < g->n_param; p++) {
		const struct lt_paramdef *def = &g->param[p];
		e->known[p] = e->source[def->source] != NULL;
		if (e->known[p])
			e->param[p] = lt__load(e->source[def->source], def->element, g->node[def->source].dtype).i;
		LT_TRY(check_range(e, p));
	}
	for (int32_t i = 0; i < g->n_require; i++)
		LT_TRY(check_require(e, &g->require[i]));
	for (lt_var v = 0; v < g->n_var; v++)
		LT_TRY(find_extent(e, v));
	return LT_OK;
}

static lt_status not_given(const struct lt_evaluation *e, lt_param p)
{
	return lt__node_fail(e->g, e->g->param[p].source, LT_EMISSING,
		"'%s' is not given; its element %lld is the run-time scalar '%s'", param_label(e->g, p),
		(long long)e->g->param[p].element, e->g->param[p].name);
}

static lt_status use_param(struct lt_evaluation *e, lt_param p)
{
	if (p < 0)
		return LT_OK;
	e->used[p] = true;
	return e->known[p] ? LT_OK : not_given(e, p);
}

static lt_status check_node(struct lt_evaluation *e, lt_node n)
{
	const struct lt_graph *g = e->g;
	const struct lt_nodedef *d = &g->node[n];

	if (lt__eval_is_source(d) && !e->source[n] && !(e->options.given && e->options.given[n]))
		return lt__node_fail(e->g, n, LT_EMISSING, "%s '%s' is not given", lt__op_info(d->op)->name,
			d->label ? d->label : d->name);
	for (int32_t i = 0; i < d->n_dim; i++)
		for (int32_t k = 0; g->var[d->dim[i]].bounded && k < g->var[d->dim[i]].limit.n; k++)
			LT_TRY(use_param(e, g->var[d->dim[i]].limit.param[k]));
	for (int32_t i = 0; d->at && i < d->n_dim; i++)
		LT_TRY(use_param(e, d->at[i]));
	for (int32_t p = 0; p < d->n_piece; p++)
		for (int32_t i = 0; i < d->piece[p].map.n_param; i++)
			LT_TRY(use_param(e, d->piece[p].map.param[i]));
	return LT_OK;
}

/* A requirement that ties a used param to one that was not given cannot be checked. */
static lt_status check_tie(const struct lt_evaluation *e, const struct lt_linear *value)
{
	bool used = false;
	lt_param missing = -1;

	for (int32_t i = 0; i < value->n; i++) {
		used = used || e->used[value->param[i]];
		missing = e->known[value->param[i]] ? missing : value->param[i];
	}
	return used && missing >= 0 ? not_given(e, missing) : LT_OK;
}

lt_status lt__eval_given(struct lt_evaluation *e)
{
	for (lt_node n = 0; n < e->g->n_node; n++)
		if (e->needed[n])
			LT_TRY(check_node(e, n));
	for (int32_t i = 0; i < e->g->n_require; i++)
		LT_TRY(check_tie(e, &e->g->require[i].value));
	return LT_OK;
}
