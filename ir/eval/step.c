/* step.c -- a lazy expression as a list of steps, operands first, and one strip of values of each. */
#include <math.h>
#include "ir/eval/parts.h"

static bool is_read(const struct lt_evaluation *e, lt_node n, lt_node root)
{
	const struct lt_nodedef *d = &e->g->node[n];

	return d->op == LT_OP_view || d->op == LT_OP_lit || d->op == LT_OP_index || lt__eval_is_source(d)
		|| (e->stored[n] && n != root);
}

/* Depth is bounded by LT_LAZY_SIZE. */
static int32_t eval_add_step(struct lt_evaluation *e, struct lt_steps *to, lt_node n, lt_node root)
{
	const struct lt_nodedef *d = &e->g->node[n];
	struct lt_eval_step step = { .node = n, .read = is_read(e, n, root) };

	if (e->step_stamp[n] == e->stamp)
		return e->step_of[n];
	for (int32_t i = 0; !step.read && i < d->n_operand; i++)
		step.in[i] = eval_add_step(e, to, d->operand[i], root);
	if (to->n == LT_STEPS)
		lt_bug("an expression of the oracle has too many steps");
	to->step[to->n] = step;
	e->step_stamp[n] = e->stamp;
	e->step_of[n] = to->n;
	return to->n++;
}

struct lt_steps lt__eval_list_steps(struct lt_evaluation *e, lt_node n, lt_node root)
{
	struct lt_eval_step buffer[LT_STEPS];
	struct lt_steps steps = { .step = buffer };

	e->stamp++;
	steps.top = eval_add_step(e, &steps, n, root);
	steps.step = lt__arena_copy(e->arena, buffer, (size_t)steps.n * sizeof *buffer);
	return steps;
}

/* Indices of a node's dims at the present position. */
void lt__eval_set_dims(const struct lt_worker *w, const struct lt_nodedef *d, struct lt_line *dim)
{
	for (int32_t i = 0; i < d->n_dim; i++)
		dim[i] = (struct lt_line){ w->at[d->dim[i]], d->dim[i] == w->along };
}

int64_t lt__eval_index(const struct lt_worker *w, const struct lt_nodedef *d)
{
	int64_t element = 0;

	for (int32_t i = 0; i < d->n_dim; i++)
		element = element * w->e->g->var[d->dim[i]].extent + w->at[d->dim[i]];
	return element;
}

static bool may_be_left_out(const struct lt_evaluation *e, lt_node n)
{
	return e->options.unrounded && e->options.unrounded[n];
}

/* What a call may round the node to; 0: nothing that the graph does not. */
static enum lt_dtype may_be_rounded_to(const struct lt_evaluation *e, lt_node n)
{
	return e->options.rounded ? (enum lt_dtype)e->options.rounded[n] : 0;
}

static double step_error(const struct lt_evaluation *e, lt_node n, enum lt_dtype from, const union lt_scalar *x,
	const double *error, union lt_scalar raw, union lt_scalar r)
{
	const struct lt_nodedef *d = &e->g->node[n];

	if (may_be_left_out(e, n))
		return lt__eval_unrounded_error(from, d->dtype, x[0], error[0], r);
	if (d->op == LT_OP_cast)
		return lt__eval_cast_error(from, d->dtype, x[0], error[0], r);
	double e_op = lt__eval_op_error(d->op, from, d->dtype, x, error, raw, r);
	if (may_be_rounded_to(e, n) && isfinite(r.f) && isfinite(e_op))
		e_op += lt__eval_rounding_error(may_be_rounded_to(e, n), (union lt_scalar){ .f = fabs(r.f) + e_op });
	return e_op;
}

/* Errors of the strip, element by element; raw: before rounding. */
static void find_errors(const struct lt_worker *w, const struct lt_eval_step *step, int32_t count,
	const union lt_eval_row *raw, struct lt_strip *out)
{
	const struct lt_nodedef *d = &w->e->g->node[step->node];
	enum lt_dtype from = w->e->g->node[d->operand[d->n_operand - 1]].dtype;

	for (int32_t j = 0; j < count; j++) {
		union lt_scalar x[3];
		double error[3] = { 0 };
		for (int32_t i = 0; i < d->n_operand; i++) {
			const struct lt_strip *in = &w->strip[step->in[i]];
			int32_t at = in->uniform ? 0 : j;
			x[i].i = in->at.i[at];
			error[i] = in->exact ? 0 : in->error[at];
		}
		out->error[j] = step_error(w->e, step->node, from, x, error, (union lt_scalar){ .i = raw->i[j] },
			(union lt_scalar){ .i = out->at.i[j] });
		out->exact = out->exact && out->error[j] == 0;
	}
}

/* An operand as a row of `count` elements. */
static const union lt_eval_row *operand_row(const struct lt_strip *in, int32_t count, union lt_eval_row *spread)
{
	if (!in->uniform || count == 1)
		return &in->at;
	for (int32_t j = 0; j < count; j++)
		spread->i[j] = in->at.i[0];
	return spread;
}

static void compute(const struct lt_worker *w, const struct lt_eval_step *step, int32_t count, struct lt_strip *out)
{
	const struct lt_evaluation *e = w->e;
	const struct lt_nodedef *d = &e->g->node[step->node];
	enum lt_dtype from = lt__eval_kept_type(e, d->operand[d->n_operand - 1]), to = lt__eval_kept_type(e, step->node);
	bool noisy = e->options.mode == LT_EVAL_RANDOM && to == d->dtype && lt__dtype_info(to)->cls == LT_CLASS_FLOAT;
	/* exact operands give an exact result */
	bool sure = !e->options.want_error || (lt__op_info(d->op)->ulp == 0 && !may_be_left_out(e, step->node)
		&& !may_be_rounded_to(e, step->node));
	const union lt_eval_row *x[3] = { 0 };
	union lt_eval_row *raw = &w->spread[3];

	for (int32_t i = 0; i < d->n_operand; i++) {
		const struct lt_strip *in = &w->strip[step->in[i]];
		x[i] = operand_row(in, count, &w->spread[i]);
		sure = sure && (in->exact || !e->options.want_error);
	}
	for (int32_t i = d->n_operand; i < 3; i++)
		x[i] = x[0];
	out->exact = true;
	if (d->op == LT_OP_cast) {
		e->rows->convert(from, noisy ? LT_F64 : to, count, x[0], &out->at);
	} else {
		e->rows->value(d->op, from, count, x, &out->at);
		for (int32_t j = 0; j < count && !sure; j++)
			raw->i[j] = out->at.i[j];
	}
	if (noisy)
		lt__eval_disturb(w, step->node, x, count, lt__eval_index(w, d), out->at.f);
	if (d->op != LT_OP_cast || noisy)
		e->rows->round(d->dtype, count, &out->at);
	if (may_be_rounded_to(e, step->node) && !e->options.want_error)
		e->rows->round(may_be_rounded_to(e, step->node), count, &out->at);
	if (!sure)
		find_errors(w, step, count, d->op == LT_OP_cast ? &out->at : raw, out);
}

lt_status lt__eval_run_steps(struct lt_worker *w, const struct lt_steps *steps, int32_t count)
{
	for (int32_t i = 0; i < steps->n; i++) {
		const struct lt_eval_step *step = &steps->step[i];
		const struct lt_nodedef *d = &w->e->g->node[step->node];
		struct lt_strip *out = &w->strip[i];
		out->uniform = !lt__node_has_dim(d, w->along);
		int32_t n = out->uniform ? 1 : count;
		if (step->read) {
			lt__eval_set_dims(w, d, w->index);
			LT_TRY(lt__eval_read(w, step->node, w->index, n, out));
		} else {
			compute(w, step, n, out);
		}
	}
	return LT_OK;
}
