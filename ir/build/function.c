/* function.c -- the table of functions, and those that networks have between their layers. */
#include <strings.h>
#include "ir/build/parts.h"

#define OPERATOR LT_FUNCTION_OPERATOR
#define RECURRENT LT_FUNCTION_RECURRENT
static const struct lt_function functions[] = {
#define FUNCTION(name, where, first, a, second, b, pattern, doc) \
	{ #name, where, { first, second }, { a, b }, lt__function_##name, pattern, doc },
#include "ir/build/function.def"
};

const struct lt_function *lt__function_find(int where, const char *name, size_t bytes)
{
	/* A recurrent network's takes its bound, too. */
	static const char threshold[] = "ThresholdedRelu";
	if (where == LT_FUNCTION_RECURRENT && bytes == sizeof threshold - 1 && !strncasecmp(name, threshold, bytes))
		return lt__function_find(where, "ThresholdedReluFrom", sizeof "ThresholdedReluFrom" - 1);
	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
		if ((functions[i].where & where) && !strncasecmp(functions[i].name, name, bytes) && !functions[i].name[bytes])
			return &functions[i];
	return NULL;
}

const struct lt_function *lt__function_at(int32_t i)
{
	return i < (int32_t)(sizeof functions / sizeof *functions) ? &functions[i] : NULL;
}

lt_node lt__build_function(struct lt_graph *g, const struct lt_function *f, lt_node x, double a, double b)
{
	if (x < 0 || !lt__build_is_float(g, x, f->name))
		return LT_NONE;
	lt_node y = f->build(g, lt__build_wide(g, x), a, b);
	return y < 0 ? LT_NONE : lt_graph_cast(g, y, lt_node_dtype(g, x));
}

/* Not x * 0, which is NaN of infinities. */
static lt_node zero_like(struct lt_graph *g, lt_node x)
{
	return x < 0 ? LT_NONE : lt_graph_literal(g, lt_node_dtype(g, x), 0);
}

/* yes where x is below (op "less") or above a bound, else no */
static lt_node choose_function(struct lt_graph *g, const char *op, lt_node x, double bound, lt_node yes, lt_node no)
{
	return lt__pos_select(g, lt__pos_opf(g, op, x, bound), yes, no);
}

lt_node lt__function_Affine(struct lt_graph *g, lt_node x, double a, double b)
{
	return lt__pos_opf(g, "add", lt__pos_opf(g, "mul", x, a), b);
}

/* exp(x) - 1 as tanh(x / 2) * (exp(x) + 1), which near 0 has all of its digits; above 0, where it is not looked at, it
 * must not overflow. */
static lt_node power_below(struct lt_graph *g, lt_node x)
{
	lt_node low = lt__pos_opf(g, "min", x, 0);
	lt_node half = lt__pos_op1(g, "tanh", lt__pos_opf(g, "mul", low, 0.5));
	return lt__pos_op2(g, "mul", half, lt__pos_opf(g, "add", lt__pos_op1(g, "exp", low), 1));
}

lt_node lt__function_Celu(struct lt_graph *g, lt_node x, double a, double b)
{
	(void)b;
	lt_node power = power_below(g, lt__pos_opf(g, "div", x, a));
	return choose_function(g, "less", x, 0, lt__pos_opf(g, "mul", power, a), x);
}

lt_node lt__function_Elu(struct lt_graph *g, lt_node x, double a, double b)
{
	(void)b;
	return choose_function(g, "less", x, 0, lt__pos_opf(g, "mul", power_below(g, x), a), x);
}

lt_node lt__function_HardSigmoid(struct lt_graph *g, lt_node x, double a, double b)
{
	return lt__pos_opf(g, "min", lt__pos_opf(g, "max", lt__function_Affine(g, x, a, b), 0), 1);
}

lt_node lt__function_HardSwish(struct lt_graph *g, lt_node x, double a, double b)
{
	(void)a, (void)b;
	return lt__pos_op2(g, "mul", x, lt__function_HardSigmoid(g, x, 1.0 / 6, 0.5));
}

lt_node lt__function_LeakyRelu(struct lt_graph *g, lt_node x, double a, double b)
{
	(void)b;
	return choose_function(g, "less", x, 0, lt__pos_opf(g, "mul", x, a), x);
}

lt_node lt__function_Mish(struct lt_graph *g, lt_node x, double a, double b)
{
	return lt__pos_op2(g, "mul", x, lt__pos_op1(g, "tanh", lt__function_Softplus(g, x, a, b)));
}

lt_node lt__function_Relu(struct lt_graph *g, lt_node x, double a, double b)
{
	(void)a, (void)b;
	return lt__pos_opf(g, "max", x, 0);
}

lt_node lt__function_ScaledTanh(struct lt_graph *g, lt_node x, double a, double b)
{
	return lt__pos_opf(g, "mul", lt__pos_op1(g, "tanh", lt__pos_opf(g, "mul", x, b)), a);
}

lt_node lt__function_Selu(struct lt_graph *g, lt_node x, double a, double b)
{
	return lt__pos_opf(g, "mul", lt__function_Elu(g, x, a, 0), b);
}

lt_node lt__function_Shrink(struct lt_graph *g, lt_node x, double a, double b)
{
	lt_node low = choose_function(g, "less", x, -b, lt__pos_opf(g, "add", x, a), zero_like(g, x));
	return choose_function(g, "greater", x, b, lt__pos_opf(g, "sub", x, a), low);
}

lt_node lt__function_Sigmoid(struct lt_graph *g, lt_node x, double a, double b)
{
	(void)a, (void)b;
	return lt__pos_op1(g, "sigmoid", x);
}

/* log(1 + p), p from 0 to 1; what the sum 1 + p has lost of p is added by the logarithm's derivative. */
static lt_node log_above_one(struct lt_graph *g, lt_node p)
{
	lt_node sum = lt__pos_opf(g, "add", p, 1);
	lt_node lost = lt__pos_op2(g, "sub", p, lt__pos_opf(g, "sub", sum, 1));
	return lt__pos_op2(g, "add", lt__pos_op1(g, "log", sum), lt__pos_op2(g, "div", lost, sum));
}

/* max(x, 0) + log(1 + exp(-|x|)) */
lt_node lt__function_Softplus(struct lt_graph *g, lt_node x, double a, double b)
{
	(void)a, (void)b;
	lt_node power = lt__pos_op1(g, "exp", lt__pos_op1(g, "neg", lt__pos_op1(g, "abs", x)));
	return lt__pos_op2(g, "add", lt__pos_opf(g, "max", x, 0), log_above_one(g, power));
}

lt_node lt__function_Softsign(struct lt_graph *g, lt_node x, double a, double b)
{
	(void)a, (void)b;
	return lt__pos_op2(g, "div", x, lt__pos_opf(g, "add", lt__pos_op1(g, "abs", x), 1));
}

lt_node lt__function_Swish(struct lt_graph *g, lt_node x, double a, double b)
{
	(void)b;
	return lt__pos_op2(g, "mul", x, lt__pos_op1(g, "sigmoid", lt__pos_opf(g, "mul", x, a)));
}

lt_node lt__function_Tanh(struct lt_graph *g, lt_node x, double a, double b)
{
	(void)a, (void)b;
	return lt__pos_op1(g, "tanh", x);
}

lt_node lt__function_ThresholdedRelu(struct lt_graph *g, lt_node x, double a, double b)
{
	(void)b;
	return choose_function(g, "greater", x, a, x, zero_like(g, x));
}

lt_node lt__function_ThresholdedReluFrom(struct lt_graph *g, lt_node x, double a, double b)
{
	(void)b;
	return choose_function(g, "greaterequal", x, a, x, zero_like(g, x));
}
