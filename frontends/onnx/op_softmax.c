/* op_softmax.c -- softmax, its logarithm, and the losses made of it. */
#include <string.h>
#include "frontends/onnx/builders.h"
#include "frontends/onnx/groups.h"
#include "frontends/onnx/position.h"

/* Half types are rounded at each step of the standard's function: between a softmax in float32 and that function there
 * may be one unit in the last place, which is more than the standard's tests allow. */
static lt_node softmax_rounded(struct lt_onnx *m, lt_node x, int32_t axis)
{
	lt_node shifted = lt__onnx_op2(m, "sub", x, lt__onnx_reduce1(m, "max", x, axis, true));
	lt_node power = lt__onnx_op1(m, "exp", shifted);
	return lt__onnx_op2(m, "div", power, lt__onnx_reduce1(m, "add", power, axis, true));
}

/* arg "log": the logarithm.  Versions below 13: rows of a value that is flattened at the axis. */
void lt__onnx_build_softmax(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	struct lt_onnx_value *v = lt__onnx_value(c, 0);
	lt_node x = lt__onnx_in(c, 0);
	int32_t axis = lt__onnx_along(c, lt__onnx_int(c, "axis", c->version < 13 ? 1 : -1));
	if (x < 0 || axis < 0)
		return;
	const bool flat = c->version < 13 && axis != v->rank - 1;
	if (flat) {
		int64_t shape[2] = { 1, 1 };
		for (int32_t i = 0; i < v->rank; i++)
			shape[i >= axis] = lt__mul_sat(shape[i >= axis], v->shape[i]);
		x = lt__onnx_reshape(m, x, 2, shape);
		axis = 1;
	}
	lt_node y = *c->op->arg ? lt__onnx_log_softmax(m, x, axis) :
		lt__onnx_wide(m, x) != x ? softmax_rounded(m, x, axis) : lt__onnx_softmax(m, x, axis);
	y = lt__onnx_cast(m, y, v->dtype);
	lt__onnx_give(c, 0, flat ? lt__onnx_reshape(m, y, v->rank, v->shape) : y);
}

/* What is lost at each target: minus the element of `log` [N, C, ...] at its class, weighted; 0 where it is ignored. */
struct loss { lt_node each, weight; };

static struct loss loss_each(struct lt_onnx_call *c, lt_node log, int32_t target, int32_t weights)
{
	struct lt_onnx *m = c->m;
	const struct loss none = { LT_NONE, LT_NONE };
	const int64_t ignore = lt__onnx_any_int(c, "ignore_index", -1);
	const bool ignores = lt__onnx_has_attribute(c, "ignore_index");
	lt_node at = lt__onnx_cast(m, lt__onnx_in(c, target), LT_I64);
	if (log < 0 || at < 0)
		return none;
	lt_node class_ = lt__onnx_insert(m, at, 1);
	lt_node classes = lt__onnx_range(m, lt__onnx_extent(m, log, 1), 1, lt__onnx_rank(m, log));
	lt_node hit = lt__onnx_op2(m, "eq", class_, classes);
	lt_node nothing = lt__onnx_number(m, lt_node_dtype(m->graph, log), 0);
	lt_node each = lt__onnx_op1(m, "neg", lt__onnx_reduce1(m, "add", lt__onnx_select(m, hit, log, nothing), 1, false));
	lt_node weight = lt__onnx_number(m, lt_node_dtype(m->graph, log), 1);
	if (weights >= 0 && lt__onnx_has(c, weights)) {
		int64_t shape[LT_MAX_RANK];
		for (int32_t i = 0; i < lt__onnx_rank(m, log); i++)
			shape[i] = i == 1 ? lt__onnx_extent(m, log, 1) : 1;
		lt_node w = lt__onnx_reshape(m, lt__onnx_wide(m, lt__onnx_in(c, weights)), lt__onnx_rank(m, log), shape);
		weight = lt__onnx_reduce1(m, "add", lt__onnx_select(m, hit, w, nothing), 1, false);
	}
	if (ignores)
		weight = lt__onnx_select(m, lt__onnx_opf(m, "eq", at, (double)ignore), nothing, weight);
	/* Without a weight of its own each target counts 1. */
	if (weight >= 0 && lt__onnx_rank(m, weight) == 0)
		weight = lt__onnx_select(m, lt__onnx_op2(m, "eq", at, at), weight, nothing);
	return (struct loss){ lt__onnx_op2(m, "mul", each, weight), weight };
}

/* none, sum, or mean: over the sum of the weights. */
static void give_loss(struct lt_onnx_call *c, struct loss loss)
{
	struct lt_onnx *m = c->m;
	const char *how = lt__onnx_text(c, "reduction", "mean");
	lt_node y = loss.each;
	if (y < 0)
		return;
	const int32_t rank = lt__onnx_rank(m, y);
	bool *all = LT_NEW(m->arena, bool, rank + 1);
	memset(all, 1, (size_t)rank);
	if (strcmp(how, "none") && strcmp(how, "sum") && strcmp(how, "mean")) {
		lt__onnx_refuse(m, "attribute 'reduction' is '%s'", how);
		return;
	}
	if (strcmp(how, "none"))
		y = lt__onnx_reduce(m, "add", y, all, false);
	if (!strcmp(how, "mean"))
		y = lt__onnx_op2(m, "div", y, lt__onnx_reduce(m, "add", loss.weight, all, false));
	lt__onnx_give(c, 0, lt__onnx_cast(m, y, lt__onnx_value(c, 0)->dtype));
}

void lt__onnx_build_nll_loss(struct lt_onnx_call *c)
{
	give_loss(c, loss_each(c, lt__onnx_wide(c->m, lt__onnx_in(c, 0)), 1, 2));
}

void lt__onnx_build_cross_entropy(struct lt_onnx_call *c)
{
	lt_node log = lt__onnx_log_softmax(c->m, lt__onnx_in(c, 0), 1);
	give_loss(c, loss_each(c, log, 1, 2));
	if (lt__onnx_wants(c, 1) && log >= 0)
		lt__onnx_give(c, 1, lt__onnx_cast(c->m, log, lt__onnx_value(c, 0)->dtype));
}
