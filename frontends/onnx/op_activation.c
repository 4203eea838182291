/* frontends/onnx/op_activation.c -- functions of ir/function.def, and activations that take more than numbers. */
#include <math.h>
#include <string.h>
#include "frontends/onnx/builders.h"
#include "frontends/onnx/position.h"
#include "ir/function.h"

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

/* A row of ir/function.def, by its name. */
void lt__onnx_build_function(struct lt_onnx_call *c)
{
	const struct lt_function *f = lt__function_find(LT_FUNCTION_OPERATOR, c->op->name, strlen(c->op->name));
	double number[LT_FUNCTION_NUMBERS] = { 0 };
	if (!f)
		lt_bug("a row of ops.def names no function");
	for (int i = 0; i < LT_FUNCTION_NUMBERS; i++)
		if (*f->number[i])
			number[i] = lt__onnx_float(c, f->number[i], (double)(float)f->otherwise[i]);
	lt__onnx_give(c, 0, lt__build_function(c->m->graph, f, lt__onnx_in(c, 0), number[0], number[1]));
}

void lt__onnx_build_prelu(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	lt_node x = lt__onnx_in(c, 0), slope = lt__onnx_in(c, 1);
	lt__onnx_give(c, 0, lt__onnx_select(m, lt__onnx_opf(m, "less", x, 0), lt__onnx_op2(m, "mul", x, slope), x));
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
