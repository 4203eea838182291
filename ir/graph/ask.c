/* ask.c -- a graph asked: its nodes and vars, their shapes, and failures that name one. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "base/names.h"
#include "ir/graph/graph.h"

static const char *line_text(const struct lt_graph *g, int32_t line, int32_t column)
{
	if (line > 0 && g->file)
		return lt__scratch(g->ctx, "%.200s:%d:%d: ", g->file, line, column);
	if (line > 0)
		return lt__scratch(g->ctx, "%d:%d: ", line, column);
	return g->file ? lt__scratch(g->ctx, "%.200s: ", g->file) : "";
}

lt_status lt__graph_fail(const struct lt_graph *g, lt_status status, const char *fmt, ...)
{
	char text[sizeof g->ctx->message];
	va_list list;

	va_start(list, fmt);
	vsnprintf(text, sizeof text, fmt, list);
	va_end(list);
	return lt_fail(g->ctx, status, "%s%s", line_text(g, g->line, g->column), text);
}

lt_status lt__node_fail(const struct lt_graph *g, lt_node node, lt_status status, const char *fmt, ...)
{
	const struct lt_nodedef *n = &g->node[node];
	char text[sizeof g->ctx->message];
	va_list list;

	va_start(list, fmt);
	vsnprintf(text, sizeof text, fmt, list);
	va_end(list);
	return lt_fail(g->ctx, status, "%snode '%.200s' (%s%s): %s", line_text(g, n->line, n->column), n->name,
		n->op >= 0 && n->op < LT_NOP ? lt__op_info(n->op)->name : "no operator", n->reduce ? ".reduce" : "", text);
}

bool lt__graph_has(const struct lt_graph *g, lt_node x)
{
	if (x < -1 || x >= g->n_node)
		lt__graph_fail(g, LT_EINVAL, "there is no node number %d: the graph has %d", x, g->n_node);
	return x >= 0 && x < g->n_node;
}

bool lt__graph_given(const struct lt_graph *g, int32_t x, const char *what)
{
	if (x == LT_NONE && !g->ctx->code)
		lt__graph_fail(g, LT_EINVAL, "%s is missing; LT_OMIT leaves it out", what);
	return x != LT_NONE;
}

int32_t lt_graph_node_count(const struct lt_graph *g) { return g->n_node; }
int32_t lt_graph_var_count(const struct lt_graph *g) { return g->n_var; }
int32_t lt_graph_param_count(const struct lt_graph *g) { return g->n_param; }

const char *lt_node_name(const struct lt_graph *g, lt_node x)
{
	return x >= 0 && x < g->n_node ? g->node[x].name : NULL;
}

const char *lt_var_name(const struct lt_graph *g, lt_var v)
{
	return v >= 0 && v < g->n_var ? g->var[v].name : NULL;
}

const char *lt_param_name(const struct lt_graph *g, lt_param p)
{
	return p >= 0 && p < g->n_param ? g->param[p].name : NULL;
}

lt_node lt_graph_find_node(const struct lt_graph *g, const char *name)
{
	const int32_t x = lt__names_find(g->node_names, name, strlen(name));

	return x >= 0 && x < g->n_node ? x : LT_NONE;
}

int32_t lt_node_op(const struct lt_graph *g, lt_node x)
{
	return x >= 0 && x < g->n_node ? (int32_t)g->node[x].op : -1;
}

lt_node lt_node_operand(const struct lt_graph *g, lt_node x, int32_t i)
{
	return x >= 0 && x < g->n_node && i >= 0 && i < g->node[x].n_operand ? g->node[x].operand[i] : LT_NONE;
}

enum lt_dtype lt_node_dtype(const struct lt_graph *g, lt_node x)
{
	return x >= 0 && x < g->n_node ? g->node[x].dtype : 0;
}

int32_t lt_node_rank(const struct lt_graph *g, lt_node x)
{
	return x >= 0 && x < g->n_node ? g->node[x].n_dim : -1;
}

lt_var lt_node_dim(const struct lt_graph *g, lt_node x, int32_t axis)
{
	return x >= 0 && x < g->n_node && axis >= 0 && axis < g->node[x].n_dim ? g->node[x].dim[axis] : -1;
}

int64_t lt_var_extent(const struct lt_graph *g, lt_var v)
{
	return v >= 0 && v < g->n_var ? g->var[v].extent : -1;
}

int32_t lt__node_loops(const struct lt_graph *g, lt_node x, lt_var *out)
{
	const struct lt_nodedef *n = &g->node[x];
	int32_t count = n->n_dim;

	if (count)
		memcpy(out, n->dim, sizeof *out * (size_t)count);
	if (n->reduce)
		for (int32_t i = 0; i < g->node[n->operand[0]].n_dim; i++)
			if (!lt__node_has_dim(n, g->node[n->operand[0]].dim[i]))
				out[count++] = g->node[n->operand[0]].dim[i];
	return count;
}

int64_t lt__node_elems(const struct lt_graph *g, lt_node x)
{
	const struct lt_nodedef *n = &g->node[x];
	int64_t elems = 1;

	for (int32_t i = 0; i < n->n_dim; i++)
		if (__builtin_mul_overflow(elems, g->var[n->dim[i]].extent, &elems))
			return -1;
	return elems;
}

const char *lt__node_shape_text(const struct lt_graph *g, lt_node x)
{
	const struct lt_nodedef *n = &g->node[x];
	char text[sizeof g->ctx->scratch[0]] = "no dims";
	size_t at = 0;

	for (int32_t i = 0; i < n->n_dim && at < sizeof text; i++) {
		const struct lt_vardef *v = &g->var[n->dim[i]];
		int more = snprintf(text + at, sizeof text - at, "%s%s %s%lld", i ? ", " : "", v->name,
			v->bounded ? "at most " : "", (long long)v->extent);

		at += (size_t)more;
	}
	return lt__scratch(g->ctx, "%s", text);
}
