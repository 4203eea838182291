/* strip.c -- the rows of a job, cut into strips: elements at one position of the other kept vars. */
#include <math.h>
#include "ir/eval/parts.h"

static lt_status gather(struct lt_worker *w, int32_t count)
{
	const struct lt_evaluation *e = w->e;
	const struct lt_nodedef *d = &e->g->node[w->job->node], *x = &e->g->node[d->operand[0]];
	const struct lt_strip *index = &w->strip[w->job->steps.top];
	struct lt_strip *out = w->out, *one = w->one;
	int64_t extent = e->extent[x->dim[d->axis]];

	LT_TRY(lt__eval_run_steps(w, &w->job->steps, count));
	out->uniform = false;
	out->exact = !e->options.want_error;
	for (int32_t j = 0; j < count;) {
		int32_t at = index->uniform ? 0 : j, n = 1;
		int64_t picked = index->at.i[at];
		bool unsure = !index->exact && index->error[at] > 0;
		if (e->options.mode == LT_EVAL_RANDOM && extent > 0)
			picked = picked < 0 ? 0 : picked < extent ? picked : extent - 1;
		if (picked < 0 || picked >= extent)
			return lt__eval_fault(w, (struct lt_eval_fault){ .kind = LT_FAULT_GATHER, .node = w->job->node, .value = picked,
				.extent = extent, .axis = d->axis });
		lt__eval_set_dims(w, x, w->index);
		for (int32_t i = 0; i < x->n_dim; i++)
			w->index[i].at += j * w->index[i].slope;
		w->index[d->axis] = (struct lt_line){ picked, 0 };
		while (j + n < count && index->at.i[index->uniform ? 0 : j + n] == index->at.i[at]
			&& (index->uniform || index->exact))
			n++;
		LT_TRY(lt__eval_read(w, d->operand[0], w->index, n, one));
		for (int32_t k = 0; k < n; k++) {
			out->at.i[j + k] = one->at.i[k];
			if (e->options.want_error)
				out->error[j + k] = unsure ? INFINITY : one->exact ? 0 : one->error[k];
		}
		j += n;
	}
	return LT_OK;
}

static void store_strip(struct lt_worker *w, int32_t count, const struct lt_strip *in)
{
	const struct lt_eval_job *job = w->job;
	const union lt_eval_row *x = &in->at;
	int64_t at = job->base, step = 0;

	for (int32_t i = 0; i < job->n_dim; i++) {
		at += w->at[job->dim[i]] * job->stride[i];
		step += job->dim[i] == w->along ? job->stride[i] : 0;
	}
	for (int32_t j = 0; in->uniform && j < count; j++) {
		w->spread[0].i[j] = in->at.i[0];
		x = &w->spread[0];
	}
	w->e->rows->store(lt__eval_kept_type(w->e, job->node), job->to->own, at, step, count, x);
	for (int32_t j = 0; w->e->options.want_error && j < count; j++, at += step) {
		double error = in->exact ? 0 : in->error[in->uniform ? 0 : j];
		job->to->error[at] = error;
		w->inexact = w->inexact || error != 0;
	}
}

static lt_status run_strip(struct lt_worker *w, int32_t count)
{
	const struct lt_eval_job *job = w->job;
	const struct lt_nodedef *d = &w->e->g->node[job->node];
	const struct lt_strip *from = w->out;

	if (d->reduce) {
		LT_TRY(lt__eval_fold(w, count));
	} else if (d->op == LT_OP_gather) {
		LT_TRY(gather(w, count));
	} else {
		LT_TRY(lt__eval_run_steps(w, &job->steps, count));
		from = &w->strip[job->steps.top];
	}
	store_strip(w, count, from);
	return LT_OK;
}

lt_status lt__eval_row_task(struct lt_worker *w, int64_t task)
{
	const struct lt_eval_job *job = w->job;
	int64_t row = task * job->grain, end = job->rows - row < job->grain ? job->rows : row + job->grain;
	bool kept = job->along >= 0 && !job->along_inner;
	int64_t extent = kept ? w->e->extent[job->along] : 1;

	w->along = job->along;
	lt__eval_set_walk(w, job->outer, job->n_outer, row / job->strips);
	for (; row < end; row++) {
		int64_t begin = row % job->strips * LT_STRIP, left = extent - begin < LT_STRIP ? extent - begin : LT_STRIP;
		if (kept)
			w->at[job->along] = begin;
		LT_TRY(run_strip(w, (int32_t)left));
		if ((row + 1) % job->strips == 0)
			lt__eval_next_walk(w, job->outer, job->n_outer);
	}
	return LT_OK;
}
