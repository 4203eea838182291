/* Fault records: an index out of range, told with its node. */
#include "program/run/parts.h"

void lt__fault_clear(struct lt_fault *f) { *f = (struct lt_fault){ .n = 0, .stmt = -1, .access = -1 }; }

/* Extent of the axis that a gather reads along, in this run. */
static int64_t gathered_extent(const struct lt_program *p, const struct lt_nodedef *gather, const int64_t *param)
{
	const struct lt_nodedef *x = &p->tree->graph->node[gather->operand[0]];
	const struct lt_vardef *v = &p->tree->graph->var[x->dim[gather->axis]];
	int64_t extent = v->bounded ? v->limit.constant : v->extent;
	for (int32_t i = 0; v->bounded && i < v->limit.n; i++)
		extent += v->limit.coef[i] * param[v->limit.param[i]];
	return extent < 0 ? 0 : extent;
}

lt_status lt__fault_report(const struct lt_program *p, const struct lt_addresses *a, const struct lt_pstep *step,
	const struct lt_fault *fault)
{
	const struct lt_frozen *f = &p->nests.frozen[step->nest];
	const struct lt_nodedef *d = NULL;
	int64_t extent = 0;
	if (fault->stmt >= 0 && (uint32_t)fault->stmt < f->tree.stmts.n)
		d = &p->tree->graph->node[f->node[fault->stmt]];
	if (d && d->op == LT_OP_gather)
		extent = gathered_extent(p, d, a->param);
	const char *where = d ? lt__location_text(a->ctx, p, d->line, d->column) : "";
	return lt_fail(a->ctx, LT_EFAULT,
		"%s%%%s: index %lld is out of range 0..%lld; results and states are undefined now", where,
		d ? d->name : "?", (long long)fault->value, (long long)extent - 1);
}
