/* run.c -- a stored node as a job: its storage, its loops, the var that its strips run along. */
#include <string.h>
#include "ir/eval/parts.h"

/* Costs for the choice of the strip var and for the size of tasks, about in nanoseconds. */
enum { COST_STRIP = 60, COST_FAR = 4, COST_BOUND = 30, COST_TASK = 50000 };

/* Of one element of a strip of the job along v: what reading costs where neighbours are far apart, and its share of a
 * strip. */
static double cost_along(const struct lt_evaluation *e, const struct lt_eval_job *job, lt_var v, bool kept)
{
	int64_t extent = e->extent[v] < LT_STRIP ? e->extent[v] : LT_STRIP;
	double cost = 0;

	for (int32_t i = 0; i < job->steps.n; i++) {
		int64_t stride = job->steps.step[i].read ? lt__eval_stride(e, job->steps.step[i].node, v) : 1;
		cost += (double)COST_STRIP / (double)(extent > 0 ? extent : 1) + (stride > 1 ? COST_FAR : 1);
	}
	for (int32_t i = 0; kept && i < job->n_dim; i++)
		cost += job->dim[i] == v && job->stride[i] > 1 ? COST_FAR : 0;
	return cost;
}

/* Chooses the strip var; where the order of a reduction counts, of the reduced ones only the fastest. */
static void choose_along(
	const struct lt_evaluation *e, struct lt_eval_job *job, const lt_var *loop, int32_t n_kept, int32_t n_loop)
{
	bool ordered = e->options.mode != LT_EVAL_EXACT;
	double best = 0;

	job->along = -1;
	for (int32_t i = n_loop - 1; i >= 0; i--) {
		if (i >= n_kept && i < n_loop - 1 && ordered)
			continue;
		double cost = cost_along(e, job, loop[i], i < n_kept);
		if (job->along < 0 || cost < best) {
			best = cost;
			job->along = loop[i];
			job->along_inner = i >= n_kept;
		}
	}
}

static double row_cost(const struct lt_evaluation *e, const struct lt_eval_job *job)
{
	int64_t folds = lt__eval_count(e, job->inner, job->n_inner), length = job->along < 0 ? 1 : e->extent[job->along];

	if (length > LT_STRIP && !job->along_inner)
		length = LT_STRIP;
	return COST_STRIP
		+ (double)folds * job->steps.n
		* (COST_STRIP + (double)length * (e->options.want_error ? COST_BOUND : 1));
}

/* Plans the loops: over n_kept vars and then, where the node is a reduction, the reduced ones. */
static lt_status run_job(
	struct lt_evaluation *e, struct lt_eval_job *job, const lt_var *loop, int32_t n_kept, int32_t n_loop)
{
	const struct lt_nodedef *d = &e->g->node[job->node];

	if (lt__eval_count(e, loop, n_kept) == 0)
		return LT_OK;
	if (d->reduce && lt__eval_plan_product(e, job, loop, n_kept, n_loop))
		return lt__eval_run_tasks(e, job);
	choose_along(e, job, loop, n_kept, n_loop);
	job->outer = LT_NEW(e->arena, lt_var, n_kept + 1);
	job->inner = LT_NEW(e->arena, lt_var, n_loop - n_kept + 1);
	for (int32_t i = 0; i < n_loop; i++)
		if (loop[i] != job->along)
			*(i < n_kept ? &job->outer[job->n_outer++] : &job->inner[job->n_inner++]) = loop[i];
	job->strips = job->along < 0 || job->along_inner ? 1 : (e->extent[job->along] + LT_STRIP - 1) / LT_STRIP;
	job->rows = lt__eval_count(e, job->outer, job->n_outer) * job->strips;
	job->grain = (int64_t)(COST_TASK / row_cost(e, job)) + 1;
	job->n_task = (job->rows + job->grain - 1) / job->grain;
	job->cost = row_cost(e, job) * (double)job->grain;
	job->run = lt__eval_row_task;
	return lt__eval_run_tasks(e, job);
}

static int64_t *strides(struct lt_evaluation *e, const struct lt_nodedef *d)
{
	int64_t *stride = LT_NEW(e->arena, int64_t, d->n_dim + 1), elems = 1;

	for (int32_t i = d->n_dim - 1; i >= 0; i--) {
		stride[i] = elems;
		elems *= e->g->var[d->dim[i]].extent;
	}
	return stride;
}

/* What a run does not reach is 0; the rest is written. */
static lt_status new_storage(struct lt_evaluation *e, lt_node n)
{
	const struct lt_nodedef *d = &e->g->node[n];
	struct lt_stored *to = &e->value[n];
	int64_t elems = lt__node_elems(e->g, n), bytes, error_bytes;
	bool all = true;

	if (elems < 0 || lt__mul_overflow(elems, (int64_t)lt__dtype_info(lt__eval_kept_type(e, n))->bytes, &bytes)
		|| lt__mul_overflow(elems, (int64_t)sizeof(double), &error_bytes))
		return lt__node_fail(e->g, n, LT_EOVERFLOW, "its size exceeds 63 bits");
	to->bytes = (size_t)bytes;
	to->error_bytes = (size_t)error_bytes;
	to->own = lt__context_realloc(e->ctx, NULL, 0, to->bytes);
	if (to->own && e->options.want_error)
		to->error = lt__context_realloc(e->ctx, NULL, 0, to->error_bytes);
	if (!to->own || (e->options.want_error && !to->error))
		return lt_fail(e->ctx, LT_ENOMEM, "out of memory");
	for (int32_t i = 0; i < d->n_dim; i++)
		all = all && e->extent[d->dim[i]] == e->g->var[d->dim[i]].extent;
	if (!all)
		memset(to->own, 0, to->bytes);
	if (!all && to->error)
		memset(to->error, 0, to->error_bytes);
	return LT_OK;
}

/* The values of n into its own storage: of its own operator, or (an update) of operand 0. */
static lt_status job_fill(struct lt_evaluation *e, lt_node n, lt_node top, const lt_var *loop, int32_t n_loop)
{
	const struct lt_nodedef *d = &e->g->node[n];
	struct lt_eval_job job = { .node = n, .to = &e->value[n], .n_dim = d->n_dim, .dim = d->dim, .stride = strides(e, d) };

	LT_TRY(new_storage(e, n));
	job.steps = lt__eval_list_steps(e, top, top == n ? n : -1);
	LT_TRY(run_job(e, &job, loop, d->n_dim, n_loop));
	if (!job.inexact && job.to->error) {
		lt__context_realloc(e->ctx, job.to->error, job.to->error_bytes, 0);
		job.to->error = NULL;
	}
	return LT_OK;
}

static lt_status write_block(struct lt_evaluation *e, lt_node n)
{
	const struct lt_nodedef *d = &e->g->node[n], *part = &e->g->node[d->operand[1]];
	struct lt_eval_job job = { .node = n, .to = &e->value[n], .n_dim = d->n_dim, .dim = part->dim, .stride = strides(e, d),
		.steps = lt__eval_list_steps(e, d->operand[1], -1) };

	for (int32_t i = 0; i < d->n_dim; i++) {
		int64_t begin = (d->offset ? d->offset[i] : 0) + (d->at && d->at[i] >= 0 ? e->param[d->at[i]] : 0);
		int64_t count = e->extent[part->dim[i]], extent = e->extent[d->dim[i]];
		if (begin < 0 || begin > extent || count > extent - begin)
			return lt__node_fail(e->g, n, LT_EFAULT, "elements %lld..%lld of axis %d are outside of its extent %lld",
				(long long)begin, (long long)(begin + count), (int)i, (long long)extent);
		job.base += begin * job.stride[i];
	}
	return run_job(e, &job, part->dim, part->n_dim, part->n_dim);
}

lt_status lt__eval_keep_error(struct lt_evaluation *e, struct lt_stored *value)
{
	if (!e->options.want_error || value->error)
		return LT_OK;
	value->error = lt__context_realloc(e->ctx, NULL, 0, value->error_bytes);
	if (!value->error)
		return lt_fail(e->ctx, LT_ENOMEM, "out of memory");
	memset(value->error, 0, value->error_bytes);
	return LT_OK;
}

/* The block goes into a copy of operand 0, or into its storage where nothing reads that any more. */
static lt_status update(struct lt_evaluation *e, lt_node n)
{
	const struct lt_nodedef *d = &e->g->node[n];
	struct lt_stored *x = &e->value[d->operand[0]];

	if (x->own && x->data == x->own && e->last[d->operand[0]] == n && d->operand[1] != d->operand[0]
		&& lt__eval_kept_type(e, d->operand[0]) == d->dtype) {
		LT_TRY(lt__eval_keep_error(e, x));
		e->value[n] = *x;
		e->value[n].data = NULL;
		*x = (struct lt_stored){ 0 };
	} else {
		LT_TRY(job_fill(e, n, d->operand[0], d->dim, d->n_dim));
		LT_TRY(lt__eval_keep_error(e, &e->value[n]));
	}
	return write_block(e, n);
}

lt_status lt__eval_store(struct lt_evaluation *e, lt_node n)
{
	const struct lt_nodedef *d = &e->g->node[n];

	if (d->op == LT_OP_update)
		return update(e, n);
	int32_t max = d->n_dim + (d->n_operand > 0 ? e->g->node[d->operand[0]].n_dim : 0);
	lt_var *loop = LT_NEW(e->arena, lt_var, max + 1);
	int32_t n_loop = lt__node_loops(e->g, n, loop);
	return job_fill(e, n, d->reduce ? d->operand[0] : d->op == LT_OP_gather ? d->operand[1] : n, loop, n_loop);
}
