/* ir/eval_run.c -- computing a stored node, a strip at a time: the loops around its steps.
 *
 * A reduction folds the strips of its operand: element by element where the strip var is kept, all into one where
 * it is reduced.
 */
#include <math.h>
#include <string.h>
#include "ir/eval_parts.h"

/* What is computed: the elements over the kept vars, each folded over the reduced ones. */
struct job {
	lt_node node;
	lt_var *outer, *inner;          /* kept and reduced vars without the strip var */
	int32_t n_outer, n_inner, top;  /* top: the step that gives the operand's or the node's own values */
	bool along_inner;               /* the strip var is reduced */
	/* where element at[dim[i]] .. goes */
	struct lt_stored *to;
	enum lt_dtype dtype;
	int32_t n_dim;
	const lt_var *dim;
	int64_t base, *stride;
};

static bool begin_walk(struct lt_evaluation *e, const lt_var *var, int32_t n)
{
	bool any = true;

	for (int32_t i = 0; i < n; i++) {
		e->at[var[i]] = 0;
		any = any && e->extent[var[i]] > 0;
	}
	return any;
}

static bool next_walk(struct lt_evaluation *e, const lt_var *var, int32_t n)
{
	for (int32_t i = n - 1; i >= 0; i--) {
		if (++e->at[var[i]] < e->extent[var[i]])
			return true;
		e->at[var[i]] = 0;
	}
	return false;
}

/* Sums of floats are compensated (Neumaier): the oracle's own error must not count. */
static void add_term(struct lt_fold *fold, double term)
{
	double sum = fold->value.f + term;

	fold->rest += fabs(fold->value.f) >= fabs(term) ? (fold->value.f - sum) + term : (term - sum) + fold->value.f;
	fold->value.f = sum;
}

static void fold_term(struct lt_fold *fold, enum lt_opcode op, enum lt_class cls, union lt_scalar term)
{
	fold->n++;
	if (op == LT_OP_add && cls == LT_CLASS_FLOAT)
		add_term(fold, term.f);
	else
		fold->value = lt__op_value(op, cls, (union lt_scalar[]){ fold->value, term });
}

static union lt_scalar folded(const struct lt_fold *fold, enum lt_opcode op, enum lt_dtype t)
{
	union lt_scalar value = fold->value;

	if (op == LT_OP_add && lt__dtype_info(t)->cls == LT_CLASS_FLOAT && isfinite(value.f))
		value.f += fold->rest;
	return lt__round_to(value, t);
}

static lt_status fold_strip(struct lt_evaluation *e, const struct job *job, int32_t count)
{
	const struct lt_nodedef *d = &e->g->node[job->node];
	const struct lt_strip *in = &e->strip[job->top];
	enum lt_class cls = lt__dtype_info(d->dtype)->cls;

	LT_TRY(lt__eval_run_steps(e, count));
	for (int32_t j = 0; j < count; j++) {
		struct lt_fold *fold = &e->fold[job->along_inner ? 0 : j];
		int32_t at = in->uniform ? 0 : j;
		fold_term(fold, d->op, cls, in->at[at]);
		if (e->want_error)
			lt__eval_fold_error(fold, d->op, d->dtype, in->at[at], in->exact ? 0 : in->error[at]);
	}
	return LT_OK;
}

static int32_t strip_length(int64_t extent, int64_t begin)
{
	return extent - begin < LT_STRIP ? (int32_t)(extent - begin) : LT_STRIP;
}

static lt_status reduce(struct lt_evaluation *e, const struct job *job, int32_t count)
{
	const struct lt_nodedef *d = &e->g->node[job->node];

	for (int32_t j = 0; j < count; j++)
		e->fold[j] = (struct lt_fold){ .value = lt__op_identity(d->op, d->dtype), .grow = 1, .shrink = 1 };
	if (begin_walk(e, job->inner, job->n_inner)) {
		do {
			int64_t extent = job->along_inner ? e->extent[e->along] : 1;
			for (int64_t begin = 0; begin < extent; begin += LT_STRIP) {
				if (job->along_inner)
					e->at[e->along] = begin;
				LT_TRY(fold_strip(e, job, job->along_inner ? strip_length(extent, begin) : count));
			}
		} while (next_walk(e, job->inner, job->n_inner));
	}
	e->out->exact = !e->want_error;
	for (int32_t j = 0; j < count; j++) {
		e->out->at[j] = folded(&e->fold[j], d->op, d->dtype);
		if (e->want_error)
			e->out->error[j] = lt__eval_folded_error(&e->fold[j], d->op, d->dtype, e->out->at[j]);
	}
	return LT_OK;
}

static lt_status check_index(const struct lt_evaluation *e, lt_node n, int64_t value, int64_t extent)
{
	const struct lt_nodedef *d = &e->g->node[n];

	if (value >= 0 && value < extent)
		return LT_OK;
	return lt__node_fail(e->g, n, LT_EFAULT, "the index %lld from '%s' is outside of axis %d of '%s', whose extent is %lld",
		(long long)value, e->g->node[d->operand[1]].name, (int)d->axis, e->g->node[d->operand[0]].name, (long long)extent);
}

static lt_status gather(struct lt_evaluation *e, const struct job *job, int32_t count)
{
	const struct lt_nodedef *d = &e->g->node[job->node], *x = &e->g->node[d->operand[0]];
	const struct lt_strip *index = &e->strip[job->top];
	struct lt_strip *out = e->out;

	LT_TRY(lt__eval_run_steps(e, count));
	out->exact = !e->want_error;
	for (int32_t j = 0; j < count; j++) {
		int32_t at = index->uniform ? 0 : j;
		LT_TRY(check_index(e, job->node, index->at[at].i, e->extent[x->dim[d->axis]]));
		lt__eval_set_dims(e, x, e->index);
		for (int32_t i = 0; i < x->n_dim; i++)
			e->index[i] = (struct lt_line){ e->index[i].at + j * e->index[i].slope, 0 };
		e->index[d->axis].at = index->at[at].i;
		LT_TRY(lt__eval_read(e, d->operand[0], e->index, 1, e->one));
		out->at[j] = e->one->at[0];
		if (e->want_error)
			out->error[j] = !index->exact && index->error[at] > 0 ? INFINITY : e->one->exact ? 0 : e->one->error[0];
	}
	return LT_OK;
}

static lt_status put_error(struct lt_evaluation *e, struct lt_stored *to, int64_t at, double error)
{
	if (!to->error && error == 0)
		return LT_OK;
	if (!to->error) {
		to->error = lt__context_realloc(e->ctx, NULL, 0, to->error_bytes);
		if (!to->error)
			return lt_fail(e->ctx, LT_ENOMEM, "out of memory");
		memset(to->error, 0, to->error_bytes);
	}
	to->error[at] = error;
	return LT_OK;
}

static lt_status put_strip(struct lt_evaluation *e, const struct job *job, int32_t count, const struct lt_strip *in)
{
	int64_t at = job->base, step = 0;

	for (int32_t i = 0; i < job->n_dim; i++) {
		at += e->at[job->dim[i]] * job->stride[i];
		step += job->dim[i] == e->along ? job->stride[i] : 0;
	}
	for (int32_t j = 0; j < count; j++, at += step) {
		int32_t from = in->uniform ? 0 : j;
		lt__store(job->to->own, at, job->dtype, in->at[from]);
		if (e->want_error)
			LT_TRY(put_error(e, job->to, at, in->exact ? 0 : in->error[from]));
	}
	return LT_OK;
}

static lt_status run_strip(struct lt_evaluation *e, const struct job *job, int32_t count)
{
	const struct lt_nodedef *d = &e->g->node[job->node];
	const struct lt_strip *from = e->out;

	if (d->reduce) {
		LT_TRY(reduce(e, job, count));
	} else if (d->op == LT_OP_gather) {
		LT_TRY(gather(e, job, count));
	} else {
		LT_TRY(lt__eval_run_steps(e, count));
		from = &e->strip[job->top];
	}
	return put_strip(e, job, count, from);
}

/* Cuts the loops into strips along the longest of them (the last of equals). */
static lt_status run_job(struct lt_evaluation *e, struct job *job, const lt_var *loop, int32_t n_kept, int32_t n_loop)
{
	int32_t along = -1;
	int64_t most = 0;

	for (int32_t i = 0; i < n_loop; i++) {
		int64_t extent = e->extent[loop[i]] < LT_STRIP ? e->extent[loop[i]] : LT_STRIP;
		along = extent >= most ? i : along;
		most = extent >= most ? extent : most;
	}
	job->outer = LT_NEW(e->arena, lt_var, n_kept + 1);
	job->inner = LT_NEW(e->arena, lt_var, n_loop - n_kept + 1);
	for (int32_t i = 0; i < n_loop; i++)
		if (i != along)
			*(i < n_kept ? &job->outer[job->n_outer++] : &job->inner[job->n_inner++]) = loop[i];
	e->along = along < 0 ? -1 : loop[along];
	job->along_inner = along >= n_kept;
	bool kept = along >= 0 && !job->along_inner;
	int64_t extent = kept ? e->extent[e->along] : 1;
	if (!begin_walk(e, job->outer, job->n_outer))
		return LT_OK;
	do {
		for (int64_t begin = 0; begin < extent; begin += LT_STRIP) {
			if (kept)
				e->at[e->along] = begin;
			LT_TRY(run_strip(e, job, kept ? strip_length(extent, begin) : 1));
		}
	} while (next_walk(e, job->outer, job->n_outer));
	return LT_OK;
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

static lt_status new_storage(struct lt_evaluation *e, lt_node n)
{
	struct lt_stored *to = &e->value[n];
	int64_t elems = lt__node_elems(e->g, n), bytes, error_bytes;

	if (elems < 0 || lt__mul_overflow(elems, (int64_t)lt__dtype_info(e->g->node[n].dtype)->bytes, &bytes)
		|| lt__mul_overflow(elems, (int64_t)sizeof(double), &error_bytes))
		return lt__node_fail(e->g, n, LT_EOVERFLOW, "its size exceeds 63 bits");
	to->bytes = (size_t)bytes;
	to->error_bytes = (size_t)error_bytes;
	to->own = lt__context_realloc(e->ctx, NULL, 0, to->bytes);
	if (!to->own)
		return lt__node_fail(e->g, n, LT_ENOMEM, "out of memory: its values need %lld bytes", (long long)bytes);
	memset(to->own, 0, to->bytes);
	return LT_OK;
}

/* The values of n into its own storage: of its own operator, or (an update) of operand 0. */
static lt_status fill(struct lt_evaluation *e, lt_node n, lt_node top, const lt_var *loop, int32_t n_loop)
{
	const struct lt_nodedef *d = &e->g->node[n];
	struct job job = { .node = n, .to = &e->value[n], .dtype = d->dtype, .n_dim = d->n_dim, .dim = d->dim,
		.stride = strides(e, d), .top = lt__eval_list_steps(e, top, top == n ? n : -1) };

	LT_TRY(new_storage(e, n));
	return run_job(e, &job, loop, d->n_dim, n_loop);
}

static lt_status write_block(struct lt_evaluation *e, lt_node n)
{
	const struct lt_nodedef *d = &e->g->node[n], *part = &e->g->node[d->operand[1]];
	struct job job = { .node = n, .to = &e->value[n], .dtype = d->dtype, .n_dim = d->n_dim, .dim = part->dim,
		.stride = strides(e, d), .top = lt__eval_list_steps(e, d->operand[1], -1) };

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

/* The block goes into a copy of operand 0, or into its storage where nothing reads that any more. */
static lt_status update(struct lt_evaluation *e, lt_node n)
{
	const struct lt_nodedef *d = &e->g->node[n];
	struct lt_stored *x = &e->value[d->operand[0]];

	if (x->own && e->last[d->operand[0]] == n && d->operand[1] != d->operand[0]) {
		e->value[n] = *x;
		e->value[n].data = NULL;
		*x = (struct lt_stored){ 0 };
	} else {
		LT_TRY(fill(e, n, d->operand[0], d->dim, d->n_dim));
	}
	return write_block(e, n);
}

lt_status lt__eval_store(struct lt_evaluation *e, lt_node n)
{
	const struct lt_nodedef *d = &e->g->node[n];

	if (d->op == LT_OP_update) {
		LT_TRY(update(e, n));
	} else {
		int32_t most = d->n_dim + (d->n_operand > 0 ? e->g->node[d->operand[0]].n_dim : 0);
		lt_var *loop = LT_NEW(e->arena, lt_var, most + 1);
		int32_t n_loop = lt__node_loops(e->g, n, loop);
		LT_TRY(fill(e, n, d->reduce ? d->operand[0] : d->op == LT_OP_gather ? d->operand[1] : n, loop, n_loop));
	}
	e->value[n].data = e->value[n].own;
	return LT_OK;
}
