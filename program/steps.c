/* Running steps: slots filled from the storages' addresses, one launch or copy after the other. */
#include <string.h>
#include "program/program.h"

int32_t lt__program_slots(const struct lt_program *p, const struct lt_pstep *step, int32_t n)
{
	int32_t most = 0;
	for (int32_t i = 0; i < n; i++)
		if (step[i].kind == LT_STEP_RUN && p->frozen[step[i].nest].n_bind > most)
			most = p->frozen[step[i].nest].n_bind;
	return most;
}

const char *lt__place_text(const struct lt_program *p, int32_t line, int32_t column)
{
	if (line <= 0)
		return "";
	return lt__scratch(p->ctx, "%s:%d:%d: ", p->lowered->file ? p->lowered->file : "script", (int)line, (int)column);
}

static char *address_of(const struct lt_storage *s, const struct lt_addresses *a)
{
	switch (s->space) {
	case LT_SPACE_INPUT:     return (char *)(uintptr_t)a->input[s->port];
	case LT_SPACE_CONSTANT:  return (char *)(uintptr_t)a->constant[s->port];
	case LT_SPACE_STATE:     return a->state[s->port];
	case LT_SPACE_RESULT:    return a->result[s->port];
	case LT_SPACE_WORKSPACE: return (char *)a->workspace + s->offset;
	case LT_SPACE_PREPARED:  return (char *)a->prepared + s->offset;
	case LT_SPACE_PARAM:     return (char *)a->param;
	}
	lt_bug("a storage of no space");
}

/* Extent of the axis that a gather reads along, in this run. */
static int64_t gathered_extent(const struct lt_program *p, const struct lt_nodedef *gather, const int64_t *param)
{
	const struct lt_nodedef *x = &p->lowered->node[gather->operand[0]];
	const struct lt_vardef *v = &p->lowered->var[x->dim[gather->axis]];
	int64_t extent = v->bounded ? v->limit.constant : v->extent;
	for (int32_t i = 0; v->bounded && i < v->limit.n; i++)
		extent += v->limit.coef[i] * param[v->limit.param[i]];
	return extent < 0 ? 0 : extent;
}

static lt_status fault_of(struct lt_program *p, const struct lt_frozen *f, const struct lt_fault *fault, const int64_t *param)
{
	const struct lt_nodedef *d = NULL;
	int64_t extent = 0;
	if (fault->stmt >= 0 && (uint32_t)fault->stmt < f->tree.stmts.n)
		d = &p->lowered->node[f->node[fault->stmt]];
	if (d && d->op == LT_OP_gather)
		extent = gathered_extent(p, d, param);
	const char *where = d ? lt__place_text(p, d->line, d->column) : "";
	return lt_fail(p->ctx, LT_EFAULT, "%s%%%s: index %lld is out of range 0..%lld; results and states are undefined now", where,
		d ? d->name : "?", (long long)fault->value, (long long)extent - 1);
}

static lt_status launch(struct lt_program *p, const struct lt_frozen *f, struct lt_kernel *k, const struct lt_addresses *a,
	struct lt_slot *slot, struct lt_fault *fault)
{
	const struct lt_backend *backend = p->choice[k->choice].backend;
	for (int32_t i = 0; i < f->n_bind; i++) {
		const struct lt_storage *s = &p->places.storage[f->bind[i].storage];
		int64_t bytes = lt__dtype_info(s->dtype)->bytes;
		slot[i] = (struct lt_slot){ address_of(s, a), f->bind[i].offset * bytes, f->bind[i].elems * bytes };
	}
	struct lt_args args = { .size = sizeof args, .n_slot = (uint32_t)f->n_bind, .slot = slot, .workspace = a->scratch,
		.n_thread = p->options.n_thread, .fault = fault };
	struct lt_told told;
	lt__told_init(&told);
	lt_status st = backend->run(k->object, &args, &told.diag);
	if (fault->n > 0)
		return fault_of(p, f, fault, a->param);
	if (st)
		return lt_fail(p->ctx, st, "backend %s, kernel %s: %s", backend->name, f->tree.name,
			told.n ? lt__told_text(told.text, backend->name) : lt_status_text(st));
	return LT_OK;
}

lt_status lt__program_steps_run(struct lt_program *p, const struct lt_pstep *step, int32_t n, const struct lt_addresses *a,
	struct lt_slot *slot, struct lt_fault *fault)
{
	*fault = (struct lt_fault){ .n = 0, .stmt = -1, .access = -1 };
	for (int32_t i = 0; i < n; i++) {
		if (step[i].kind == LT_STEP_COPY) {
			const struct lt_storage *s = &p->places.storage[step[i].to];
			memcpy(address_of(s, a), address_of(&p->places.storage[step[i].from], a),
				(size_t)(s->elems * lt__dtype_info(s->dtype)->bytes));
		} else {
			LT_TRY(launch(p, &p->frozen[step[i].nest], &p->kernel[p->kernel_of[step[i].nest]], a, slot, fault));
		}
	}
	return LT_OK;
}
