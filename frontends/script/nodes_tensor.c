/* nodes_tensor.c -- tensors that come from outside, literals, positions, casts. */
#include <string.h>
#include "frontends/script/reader.h"
#include "ir/build/build.h"

/* Checks what all three tensors share; returns the name with an end, NULL after a failure. */
static const char *check_tensor(struct lt_script *s, struct lt_names *names, const char *kind, const struct lt_arg *a)
{
	int32_t before = lt__names_find(names, a[0].text, (size_t)a[0].n);
	if (before >= 0) {
		const struct lt_statement *st = &s->statement[before];
		const int shown = a[0].n < 200 ? a[0].n : 200;
		lt__script_fail(s, a[0].position, LT_EEXIST, "%s '%.*s' is defined twice, first as %s in line %d%s", kind,
			shown, a[0].text, st->shown, st->position.line,
			s->frame ? lt__arena_format(s->arena, "; %.*s.{i} is another name in each round i", shown, a[0].text) : "");
		return NULL;
	}
	if (!lt__script_no_overflow(s, &a[2], a[1].dtype))
		return NULL;
	return lt__names_add(names, a[0].text, (size_t)a[0].n, s->n_statement);
}

LT_BUILDER(input)
{
	const char *name = check_tensor(s, s->inputs, "Input", a);
	return name ? lt_graph_input(s->graph, name, a[1].dtype, a[2].n, lt__script_vars(s, &a[2])) : -1;
}

LT_BUILDER(constant)
{
	const char *name = check_tensor(s, s->constants, "Constant", a);
	return name ? lt_graph_constant(s->graph, name, a[1].dtype, a[2].n, lt__script_vars(s, &a[2])) : -1;
}

/* A buffer without a name is called by its statement, so that messages and the C interface have one. */
LT_BUILDER(buffer)
{
	struct lt_arg named[3] = { a[0], a[1], a[2] };
	if (!a[0].given) {
		named[0].text = *s->shown == '$' ? s->shown : s->target.path;
		while (lt__names_find(s->buffers, named[0].text, strlen(named[0].text)) >= 0)
			named[0].text = lt__arena_format(s->arena, "%s_", named[0].text);
		named[0].n = (int32_t)strlen(named[0].text);
	}
	const char *checked = check_tensor(s, s->buffers, "Buffer", named);
	return checked ? lt_graph_state(s->graph, checked, a[1].dtype, a[2].n, lt__script_vars(s, &a[2])) : -1;
}

LT_BUILDER(full)
{
	if (!lt__script_no_overflow(s, &a[1], a[0].dtype))
		return -1;
	lt_node x = lt__script_literal(s, &a[2], a[0].dtype);
	return x < 0 ? -1 : lt__script_spread(s, x, &a[1]);
}

LT_BUILDER(iota)
{
	int32_t axis;
	if (!lt__script_no_overflow(s, &a[0], LT_I64) || !lt__script_axis(s, &a[1], a[0].n, &axis))
		return -1;
	lt_var *v = lt__script_vars(s, &a[0]);
	lt_node x = lt_graph_index(s->graph, v[axis]);
	return x < 0 ? -1 : lt__pos_view(s->graph, x, a[0].n, v, &axis);
}

LT_BUILDER(index)
{
	int32_t axis, rank = lt_node_rank(s->graph, a[0].node);
	if (!lt__script_axis(s, &a[1], rank, &axis))
		return -1;
	lt_var *v = LT_NEW(s->arena, lt_var, rank);
	for (int32_t i = 0; i < rank; i++)
		v[i] = lt_node_dim(s->graph, a[0].node, i);
	lt_node x = lt_graph_index(s->graph, v[axis]);
	return x < 0 ? -1 : lt__pos_view(s->graph, x, rank, v, &axis);
}

LT_BUILDER(cast)
{
	return lt_graph_cast(s->graph, a[0].node, a[1].dtype);
}

/* The scalar is the value; what the statement declares is its range. */
LT_BUILDER(scalar)
{
	struct lt_graph *g = s->graph;
	if (lt_node_dtype(g, a[0].node) != LT_I64)
		return lt__script_refuse(s, a[0].position, LT_ETYPE, "A run-time scalar should be an element of an int64 tensor: %s",
			lt__script_value(s, &a[0]));
	if (!s->sourced[a[0].node])
		return lt__script_computed(s, &a[0]);
	s->scalar = lt_graph_param(g, a[0].node, a[3].i, a[1].i, a[2].i) + 1;
	if (s->scalar <= 0)
		return -1;
	int32_t rank = lt_node_rank(g, a[0].node);
	if (!rank)
		return a[0].node;
	int64_t *row = LT_NEW(s->arena, int64_t, rank), rest = a[3].i;
	for (int32_t i = rank; i-- > 0; rest /= lt__script_extent(s, a[0].node, i))
		row[i] = rest % lt__script_extent(s, a[0].node, i);
	struct lt_view_piece piece = { .source = a[0].node, .map = { .n_row = rank, .row = row } };
	return lt_graph_view(g, 0, NULL, 1, &piece, 0, 0);
}
