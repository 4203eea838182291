/* frontends/onnx/op_activation.c -- activation functions, by their definitions in the standard. */
#include <math.h>
#include <string.h>
#include "frontends/onnx/builders.h"
#include "frontends/onnx/position.h"

/* Half types are widened once, and made narrow again when the value is given. */
static lt_node start(struct lt_onnx_call *c)
{
	return lt__onnx_wide(c->m, lt__onnx_in(c, 0));
}

static void finish(struct lt_onnx_call *c, lt_node y)
{
	if (y >= 0)
		lt__onnx_give(c, 0, lt__onnx_cast(c->m, y, lt__onnx_value(c, 0)->dtype));
}

void lt__onnx_build_relu(struct lt_onnx_call *c)
{
	lt__onnx_give(c, 0, lt__onnx_opf(c->m, "max", lt__onnx_in(c, 0), 0));
}

/* alpha * x below 0 */
void lt__onnx_build_leaky_relu(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	lt_node x = start(c), scaled = lt__onnx_opf(m, "mul", x, lt__onnx_float(c, "alpha", 0.01f));
	finish(c, lt__onnx_select(m, lt__onnx_opf(m, "less", x, 0), scaled, x));
}

void lt__onnx_build_thresholded_relu(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	lt_node x = start(c), above = lt__onnx_opf(m, "greater", x, lt__onnx_float(c, "alpha", 1));
	finish(c, lt__onnx_select(m, above, x, lt__onnx_opf(m, "mul", x, 0)));
}

/* gamma * alpha * (exp(x) - 1) below 0, gamma * x above; arg "elu", "selu" or "celu" */
void lt__onnx_build_elu(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	const bool selu = !strcmp(c->op->arg, "selu"), celu = !strcmp(c->op->arg, "celu");
	const double alpha = lt__onnx_float(c, "alpha", selu ? 1.67326319217681884765625 : 1);
	const double gamma = selu ? lt__onnx_float(c, "gamma", 1.05070102214813232421875) : 1;
	lt_node x = start(c), scaled = celu ? lt__onnx_opf(m, "div", x, alpha) : x;
	/* Above 0 the power is not looked at, but must not overflow into the select's other side: it does not matter. */
	lt_node power = lt__onnx_opf(m, "sub", lt__onnx_op1(m, "exp", lt__onnx_opf(m, "min", scaled, 0)), 1);
	lt_node y = lt__onnx_select(m, lt__onnx_opf(m, "less", x, 0), lt__onnx_opf(m, "mul", power, alpha), x);
	finish(c, selu ? lt__onnx_opf(m, "mul", y, gamma) : y);
}

static lt_node hard_sigmoid(struct lt_onnx *m, lt_node x, double alpha, double beta)
{
	lt_node line = lt__onnx_opf(m, "add", lt__onnx_opf(m, "mul", x, alpha), beta);
	return lt__onnx_opf(m, "min", lt__onnx_opf(m, "max", line, 0), 1);
}

void lt__onnx_build_hard_sigmoid(struct lt_onnx_call *c)
{
	double alpha = lt__onnx_float(c, "alpha", 0.2f), beta = lt__onnx_float(c, "beta", 0.5);
	finish(c, hard_sigmoid(c->m, start(c), alpha, beta));
}

void lt__onnx_build_hard_swish(struct lt_onnx_call *c)
{
	lt_node x = start(c);
	finish(c, lt__onnx_op2(c->m, "mul", x, hard_sigmoid(c->m, x, 1.0 / 6, 0.5)));
}

void lt__onnx_build_prelu(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	lt_node x = lt__onnx_in(c, 0), slope = lt__onnx_in(c, 1);
	lt__onnx_give(c, 0, lt__onnx_select(m, lt__onnx_opf(m, "less", x, 0), lt__onnx_op2(m, "mul", x, slope), x));
}

/* log(1 + exp(x)) = max(x, 0) + log(1 + exp(-|x|)), which does not overflow */
static lt_node softplus(struct lt_onnx *m, lt_node x)
{
	lt_node power = lt__onnx_op1(m, "exp", lt__onnx_op1(m, "neg", lt__onnx_op1(m, "abs", x)));
	return lt__onnx_op2(m, "add", lt__onnx_opf(m, "max", x, 0), lt__onnx_op1(m, "log", lt__onnx_opf(m, "add", power, 1)));
}

void lt__onnx_build_softplus(struct lt_onnx_call *c)
{
	finish(c, softplus(c->m, start(c)));
}

void lt__onnx_build_softsign(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	lt_node x = start(c);
	finish(c, lt__onnx_op2(m, "div", x, lt__onnx_opf(m, "add", lt__onnx_op1(m, "abs", x), 1)));
}

void lt__onnx_build_mish(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	lt_node x = start(c);
	finish(c, lt__onnx_op2(m, "mul", x, lt__onnx_op1(m, "tanh", softplus(m, x))));
}

/* x * sigmoid(alpha * x) */
void lt__onnx_build_swish(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	lt_node x = start(c);
	finish(c, lt__onnx_op2(m, "mul", x,
		lt__onnx_op1(m, "sigmoid", lt__onnx_opf(m, "mul", x, lt__onnx_float(c, "alpha", 1)))));
}

void lt__onnx_build_gelu(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	const char *how = lt__onnx_text(c, "approximate", "none");
	lt_node x = start(c), y;
	if (!strcmp(how, "none")) {
		y = lt_build_gelu(m->graph, x);
	} else if (!strcmp(how, "tanh")) {
		lt_node cube = lt__onnx_op2(m, "mul", lt__onnx_op2(m, "mul", x, x), x);
		lt_node inner = lt__onnx_op2(m, "add", x, lt__onnx_opf(m, "mul", cube, 0.044715));
		lt_node t = lt__onnx_op1(m, "tanh", lt__onnx_opf(m, "mul", inner, sqrt(2 / M_PI)));
		y = lt__onnx_op2(m, "mul", lt__onnx_opf(m, "mul", x, 0.5), lt__onnx_opf(m, "add", t, 1));
	} else {
		lt__onnx_refuse(c->m, "attribute 'approximate' is '%s'", how);
		return;
	}
	finish(c, y);
}

void lt__onnx_build_shrink(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	const double bias = lt__onnx_float(c, "bias", 0), lambda = lt__onnx_float(c, "lambd", 0.5);
	lt_node x = start(c), zero = lt__onnx_opf(m, "mul", x, 0);
	lt_node low = lt__onnx_select(m, lt__onnx_opf(m, "less", x, -lambda), lt__onnx_opf(m, "add", x, bias), zero);
	finish(c, lt__onnx_select(m, lt__onnx_opf(m, "greater", x, lambda), lt__onnx_opf(m, "sub", x, bias), low));
}
