/* scalar.c -- run-time scalars that arguments name. */
#include <string.h>
#include "frontends/script/script.h"

/* Names the operator that computes what has to be given: of several values under views, the first such. */
lt_param lt__script_computed(struct lt_script *s, const struct lt_arg *a)
{
	const struct lt_graph *g = s->graph;
	lt_node x = a->node;
	while (g->node[x].op == LT_OP_view) {
		int32_t i = 0;
		while (i < g->node[x].n_operand && s->sourced[g->node[x].operand[i]])
			i++;
		if (i == g->node[x].n_operand)
			break;
		x = g->node[x].operand[i];
	}
	return (lt_param)lt__script_refuse(s, a->position, LT_EINVAL,
		"%s is computed, by '%s' in line %d: a run-time index is read before the first kernel starts, "
		"so it has to be an element of an input, a constant or a buffer",
		lt__script_value(s, a), lt__op_info(g->node[x].op)->name, g->node[x].line);
}

lt_param lt__script_param(struct lt_script *s, const struct lt_arg *a, int64_t low, int64_t high, const char *role)
{
	struct lt_graph *g = s->graph;
	bool plural = strstr(role, " and ") != NULL;
	int32_t rank = lt_node_rank(g, a->node);
	if (lt_node_dtype(g, a->node) != LT_I64)
		return (lt_param)lt__script_refuse(s, a->position, LT_ETYPE, "%s should be %s: %s", role,
			plural ? "int64 tensors" : "an int64 tensor", lt__script_value(s, a));
	if (rank > 1 || (rank == 1 && (lt__script_extent(s, a->node, 0) != 1 || lt__script_bounded(s, a->node, 0))))
		return (lt_param)lt__script_refuse(s, a->position, LT_ETYPE, "%s should be %s of one element: %s", role,
			plural ? "1D tensors" : "a 1D tensor", lt__script_value(s, a));
	if (!s->sourced[a->node])
		return lt__script_computed(s, a);
	lt_param scalar = s->statement[a->statement].scalar - 1, p;
	if (scalar >= 0) {
		const struct lt_paramdef d = g->param[scalar];
		if (d.low > high || d.high < low)
			return (lt_param)lt__script_refuse(s, a->position, LT_EINVAL,
				"%s has to be %lld .. %lld, and %s is %lld .. %lld", role, (long long)low, (long long)high,
				lt__script_value(s, a), (long long)d.low, (long long)d.high);
		return lt_graph_param(g, d.source, d.element, d.low > low ? d.low : low, d.high < high ? d.high : high);
	}
	p = lt_graph_param(g, a->node, 0, low, high);
	if (p < 0 && s->ctx->code != LT_ENOMEM)
		return (lt_param)lt__script_refuse(s, a->position, LT_EUNSUPPORTED,
			"%s is not an element of an input, a constant or a "
			"buffer that is known before a run: it is a fill value, or another run-time value chooses it",
			lt__script_value(s, a));
	return p;
}
