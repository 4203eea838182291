/* op_activation.c -- functions of ir/build/function.def, and activations that take more than numbers. */
#include <string.h>
#include "frontends/onnx/builders.h"
#include "frontends/onnx/position.h"
#include "ir/build/build.h"

void lt__onnx_build_relu(struct lt_onnx_call *c)
{
	lt__onnx_give(c, 0, lt__onnx_opf(c->m, "max", lt__onnx_in(c, 0), 0));
}

/* A row of ir/build/function.def, by its name. */
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
	const bool tanh = !strcmp(how, "tanh");
	lt_node x = lt__onnx_in(c, 0);
	if (!tanh && strcmp(how, "none") != 0)
		lt__onnx_refuse(m, "attribute 'approximate' is '%s'", how);
	else
		lt__onnx_give(c, 0, tanh ? lt__build_gelu_tanh(m->graph, x) : lt_build_gelu(m->graph, x));
}
