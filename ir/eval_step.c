/* ir/eval_step.c -- a lazy expression as a list of steps, operands first, and one strip of values of each. */
#include "ir/eval_parts.h"

static bool has_var(const struct lt_nodedef *d, lt_var v)
{
	for (int32_t i = 0; i < d->n_dim; i++)
		if (d->dim[i] == v)
			return true;
	return false;
}

static bool is_read(const struct lt_evaluation *e, lt_node n, lt_node root)
{
	const struct lt_nodedef *d = &e->g->node[n];

	return d->op == LT_OP_view || d->op == LT_OP_lit || d->op == LT_OP_index || lt__eval_is_source(d)
		|| (e->stored[n] && n != root);
}

/* Depth is bounded by LT_LAZY_SIZE. */
static int32_t add_step(struct lt_evaluation *e, lt_node n, lt_node root)
{
	const struct lt_nodedef *d = &e->g->node[n];
	struct lt_step step = { .node = n, .read = is_read(e, n, root) };

	if (e->step_stamp[n] == e->stamp)
		return e->step_of[n];
	for (int32_t i = 0; !step.read && i < d->n_operand; i++)
		step.in[i] = add_step(e, d->operand[i], root);
	if (e->n_step == LT_STEPS)
		lt_bug("an expression of the oracle has too many steps");
	e->step[e->n_step] = step;
	e->step_stamp[n] = e->stamp;
	e->step_of[n] = e->n_step;
	return e->n_step++;
}

/* The steps that give n: itself computed if it is the root, else read where it is stored. */
int32_t lt__eval_list_steps(struct lt_evaluation *e, lt_node n, lt_node root)
{
	e->stamp++;
	e->n_step = 0;
	return add_step(e, n, root);
}

static double step_error(const struct lt_nodedef *d, enum lt_dtype from, const union lt_scalar *x, const double *error,
	union lt_scalar raw, union lt_scalar r)
{
	if (d->op == LT_OP_cast)
		return lt__eval_cast_error(from, d->dtype, x[0], error[0], r);
	return lt__eval_op_error(d->op, from, d->dtype, x, error, raw, r);
}

static void compute(const struct lt_evaluation *e, const struct lt_step *step, int32_t count, struct lt_strip *out)
{
	const struct lt_nodedef *d = &e->g->node[step->node];
	enum lt_dtype from = e->g->node[d->operand[d->n_operand - 1]].dtype;
	enum lt_class cls = lt__dtype_info(from)->cls;
	const struct lt_strip *in[3];
	bool sure = !e->want_error || lt__op_info(d->op)->ulp == 0;     /* exact operands give an exact result */

	for (int32_t i = 0; i < d->n_operand; i++) {
		in[i] = &e->strip[step->in[i]];
		sure = sure && (in[i]->exact || !e->want_error);
	}
	out->exact = true;
	for (int32_t j = 0; j < count; j++) {
		union lt_scalar x[3], raw;
		double error[3];
		for (int32_t i = 0; i < d->n_operand; i++)
			x[i] = in[i]->at[in[i]->uniform ? 0 : j];
		raw = d->op == LT_OP_cast ? lt__convert(x[0], from, d->dtype) : lt__op_value(d->op, cls, x);
		out->at[j] = lt__round_to(raw, d->dtype);
		if (sure)
			continue;
		for (int32_t i = 0; i < d->n_operand; i++)
			error[i] = in[i]->exact ? 0 : in[i]->error[in[i]->uniform ? 0 : j];
		out->error[j] = step_error(d, from, x, error, raw, out->at[j]);
		out->exact = out->exact && out->error[j] == 0;
	}
}

/* Indices of a node's dims at the present position. */
void lt__eval_set_dims(const struct lt_evaluation *e, const struct lt_nodedef *d, struct lt_line *dim)
{
	for (int32_t i = 0; i < d->n_dim; i++)
		dim[i] = (struct lt_line){ e->at[d->dim[i]], d->dim[i] == e->along };
}

lt_status lt__eval_run_steps(struct lt_evaluation *e, int32_t count)
{
	for (int32_t i = 0; i < e->n_step; i++) {
		const struct lt_step *step = &e->step[i];
		const struct lt_nodedef *d = &e->g->node[step->node];
		struct lt_strip *out = &e->strip[i];
		out->uniform = !has_var(d, e->along);
		int32_t n = out->uniform ? 1 : count;
		if (step->read) {
			lt__eval_set_dims(e, d, e->index);
			LT_TRY(lt__eval_read(e, step->node, e->index, n, out));
		} else {
			compute(e, step, n, out);
		}
	}
	return LT_OK;
}
