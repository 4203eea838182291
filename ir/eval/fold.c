/* fold.c -- folding the rows of a reduction: element by element where the strip var is kept, all into one where
 * it is reduced.
 *
 * The reference takes sums in double: of n terms of f32, or narrower, that is wrong by n 2^-53 of their sizes at most,
 * which for n < 2^23 (more has no bound, error.c) is less than one of the n roundings to f32 that the bound
 * grants a backend, of which only n-1 happen.  Sums of f64 are compensated (Neumaier).
 */
#include <math.h>
#include <string.h>
#include "ir/eval/parts.h"

struct folding { enum lt_opcode op; enum lt_class cls; enum lt_dtype t; bool compensated, stepwise, noisy; };

static struct folding folding_of(const struct lt_worker *w)
{
	const struct lt_nodedef *d = &w->e->g->node[w->job->node];
	enum lt_eval_mode mode = w->e->options.mode;
	bool is_float = lt__dtype_info(d->dtype)->cls == LT_CLASS_FLOAT;

	return (struct folding){ .op = d->op, .cls = lt__dtype_info(d->dtype)->cls, .t = d->dtype,
		.compensated = mode == LT_EVAL_EXACT && d->op == LT_OP_add && d->dtype == LT_F64,
		.stepwise = is_float && mode == LT_EVAL_NEAREST,
		.noisy = is_float && mode == LT_EVAL_RANDOM && (d->op == LT_OP_add || d->op == LT_OP_mul) };
}

/* What the exact sums or products have beyond their f64 values. */
static void find_rounding(
	enum lt_opcode op, const double *x, const double *y, const double *r, int32_t n, double *rounding)
{
	for (int32_t j = 0; j < n; j++) {
		double part = r[j] - x[j];
		rounding[j] = op == LT_OP_add ? (x[j] - (r[j] - part)) + (y[j] - part) : fma(x[j], y[j], -r[j]);
	}
}

/* Folds row x into w->fold_value[0]; k: how many rows came before. */
static void fold_row(
	struct lt_worker *w, const struct folding *f, const union lt_eval_row *x, int32_t n, int64_t element, int64_t k)
{
	const struct lt_evaluation *e = w->e;
	const struct lt_dtypeinfo *type = lt__dtype_info(f->t);
	union lt_eval_row *old = w->fold_value[0], *value = w->fold_value[1];

	if (f->compensated) {
		e->rows->add(n, x->f, old->f, w->lost);
		return;
	}
	e->rows->value(f->op, f->t, n, (const union lt_eval_row *[]){ old, x, x }, value);
	if (f->stepwise)
		e->rows->round(f->t, n, value);
	if (f->noisy) {
		if (f->t == LT_F64)
			find_rounding(f->op, old->f, x->f, value->f, n, w->lost);
		e->rows->disturb(f->t, n, w->lost, lt__eval_noise(e, w->job->node, element, k),
			e->amplify * type->unit, 0, value->f);
	}
	w->fold_value[0] = value;
	w->fold_value[1] = old;
}

/* Folds the elements of row x into the first of w->fold_value[0]; k: how many terms came before. */
static void fold_across(
	struct lt_worker *w, const struct folding *f, const union lt_eval_row *x, int32_t n, int64_t element, int64_t k)
{
	const struct lt_evaluation *e = w->e;
	const struct lt_dtypeinfo *type = lt__dtype_info(f->t);
	union lt_eval_row *to = w->fold_value[0];
	const double *noise = f->noisy ? lt__eval_noise(e, w->job->node, element, k) : NULL;

	if (f->op == LT_OP_add && f->cls == LT_CLASS_FLOAT && !f->compensated && !f->stepwise && !f->noisy) {
		to->f[0] += e->rows->sum(n, x->f);
		return;
	}
	for (int32_t j = 0; j < n && f->compensated; j++)
		e->rows->add(1, x->f + j, to->f, w->lost);
	for (int32_t j = 0; j < n && !f->compensated; j++) {
		union lt_scalar term[2] = { { .i = to->i[0] }, { .i = x->i[j] } }, value = lt__op_value(f->op, f->t, term);
		if (f->stepwise)
			value = lt__round_to(value, f->t);
		if (f->noisy) {
			find_rounding(f->op, &term[0].f, &term[1].f, &value.f, 1, w->lost);
			e->rows->disturb(f->t, 1, w->lost, noise + j, e->amplify * type->unit, 0, &value.f);
		}
		to->i[0] = value.i;
	}
}

static void record_errors(struct lt_worker *w, const struct folding *f, const struct lt_strip *in, int32_t n)
{
	for (int32_t j = 0; j < n; j++) {
		int32_t at = in->uniform ? 0 : j;
		lt__eval_fold_error(&w->fold[w->job->along_inner ? 0 : j], f->op, f->t, (union lt_scalar){ .i = in->at.i[at] },
			in->exact || f->noisy ? 0 : in->error[at]);
	}
}

/* What some order of the terms may reach. */
static void record_reach(struct lt_worker *w, const struct folding *f, const struct lt_strip *in, int32_t n)
{
	const struct lt_eval_step *top = &w->job->steps.step[w->job->steps.top];
	bool product = !top->read && w->e->g->node[top->node].op == LT_OP_mul && !w->e->g->node[top->node].reduce;
	const struct lt_strip *a = product ? &w->strip[top->in[0]] : NULL, *b = product ? &w->strip[top->in[1]] : NULL;

	for (int32_t j = 0; j < n; j++) {
		struct lt_reach *reach = &w->fold[w->job->along_inner ? 0 : j].reach;
		double x = in->at.f[in->uniform ? 0 : j], factor[2] = { 0 };
		if (product) {
			factor[0] = a->at.f[a->uniform ? 0 : j];
			factor[1] = b->at.f[b->uniform ? 0 : j];
		}
		if (f->op == LT_OP_mul)
			lt__eval_reach_factor(reach, x);
		else
			lt__eval_reach_term(reach, x, product ? factor : NULL, f->t);
	}
}

static lt_status fold_strip(struct lt_worker *w, const struct folding *f, int32_t n, int64_t element, int64_t k)
{
	const struct lt_strip *in = &w->strip[w->job->steps.top];
	const union lt_eval_row *x = &in->at;

	LT_TRY(lt__eval_run_steps(w, &w->job->steps, n));
	for (int32_t j = 0; in->uniform && j < n; j++) {
		w->spread[0].i[j] = in->at.i[0];
		x = &w->spread[0];
	}
	if (w->job->along_inner)
		fold_across(w, f, x, n, element, k);
	else
		fold_row(w, f, x, n, element, k);
	if (w->e->options.want_error || f->noisy)
		record_errors(w, f, in, n);
	if (f->noisy)
		record_reach(w, f, in, n);
	return LT_OK;
}

static void begin_fold(struct lt_worker *w, const struct folding *f, int32_t count)
{
	union lt_scalar identity = lt__op_identity(f->op, f->t);

	for (int32_t j = 0; j < count; j++) {
		w->fold_value[0]->i[j] = identity.i;
		w->lost[j] = 0;
		if (w->e->options.want_error || f->noisy)
			w->fold[j] = (struct lt_fold){ .grow = 1, .shrink = 1, .reach.mantissa = 1 };
	}
}

static void end_fold(struct lt_worker *w, const struct folding *f, int32_t count, int64_t element)
{
	struct lt_strip *out = w->out;

	for (int32_t j = 0; j < count; j++) {
		out->at.i[j] = w->fold_value[0]->i[j];
		if (f->compensated && isfinite(out->at.f[j]))
			out->at.f[j] += w->lost[j];
		if (f->noisy)
			out->at.f[j] = lt__eval_disturb_order(w->e, w->job->node, f->op, &w->fold[j], out->at.f[j], element + j);
	}
	w->e->rows->round(f->t, count, &out->at);
	out->uniform = false;
	out->exact = !w->e->options.want_error;
	for (int32_t j = 0; j < count && !out->exact; j++)
		out->error[j] = lt__eval_folded_error(&w->fold[j], f->op, f->t, (union lt_scalar){ .i = out->at.i[j] });
}

lt_status lt__eval_fold(struct lt_worker *w, int32_t count)
{
	const struct lt_eval_job *job = w->job;
	const struct folding f = folding_of(w);
	int64_t element = lt__eval_index(w, &w->e->g->node[job->node]), k = 0;

	begin_fold(w, &f, count);
	if (lt__eval_count(w->e, job->inner, job->n_inner) > 0) {
		lt__eval_set_walk(w, job->inner, job->n_inner, 0);
		do {
			int64_t extent = job->along_inner ? w->e->extent[job->along] : 1;
			for (int64_t begin = 0; begin < extent; begin += LT_STRIP) {
				int64_t left = extent - begin < LT_STRIP ? extent - begin : LT_STRIP;
				if (job->along_inner)
					w->at[job->along] = begin;
				LT_TRY(fold_strip(w, &f, job->along_inner ? (int32_t)left : count, element, k));
				k += job->along_inner ? left : 1;
			}
		} while (lt__eval_next_walk(w, job->inner, job->n_inner));
	}
	end_fold(w, &f, count, element);
	return LT_OK;
}
