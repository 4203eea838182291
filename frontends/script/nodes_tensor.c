/* frontends/script/nodes_tensor.c -- tensors that come from outside, literals, positions, casts. */
#include <string.h>
#include "frontends/script/script.h"

static lt_var *new_vars(struct lt_script *s, const struct lt_arg *shape)
{
	lt_var *v = LT_NEW(s->arena, lt_var, shape->n);
	for (int32_t i = 0; i < shape->n; i++)
		v[i] = lt__script_var(s, i, shape->list[i]);
	return v;
}

/* Checks what all three tensors share; returns the name with an end, NULL after a failure. */
static const char *check_tensor(struct lt_script *s, struct lt_names *names, const char *kind, const struct lt_arg *a)
{
	int32_t before = lt__names_find(names, a[0].text, (size_t)a[0].n);
	if (before >= 0) {
		const struct lt_statement *st = &s->statement[before];
		lt__script_fail(s, a[0].position, LT_EEXIST, "%s '%.*s' is defined twice, first as %s in line %d%s", kind,
			a[0].n < 200 ? a[0].n : 200, a[0].text, st->shown, st->position.line,
			s->frame ? "; b.{i} is another name in each round i" : "");
		return NULL;
	}
	if (a[2].n < 1) {
		lt__script_fail(s, a[2].position, LT_EINVAL, "Invalid shape []: a tensor has at least one dimension");
		return NULL;
	}
	if (!lt__script_no_overflow(s, &a[2], a[1].dtype))
		return NULL;
	return lt__names_add(names, a[0].text, (size_t)a[0].n, s->n_statement);
}

LT_BUILDER(input)
{
	const char *name = check_tensor(s, s->inputs, "Input", a);
	return name ? lt_graph_input(s->graph, name, a[1].dtype, a[2].n, new_vars(s, &a[2])) : -1;
}

LT_BUILDER(constant)
{
	const char *name = check_tensor(s, s->constants, "Constant", a);
	return name ? lt_graph_constant(s->graph, name, a[1].dtype, a[2].n, new_vars(s, &a[2])) : -1;
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
	return checked ? lt_graph_state(s->graph, checked, a[1].dtype, a[2].n, new_vars(s, &a[2])) : -1;
}

LT_BUILDER(full)
{
	if (!lt__script_no_overflow(s, &a[1], a[0].dtype))
		return -1;
	lt_node x = lt__script_literal(s, &a[2], a[0].dtype);
	return x < 0 ? -1 : lt__script_spread(s, x, a[1].n, a[1].list);
}

LT_BUILDER(iota)
{
	int32_t axis;
	if (!lt__script_no_overflow(s, &a[0], LT_I64) || !lt__script_axis(s, &a[1], a[0].n, &axis))
		return -1;
	lt_var *v = new_vars(s, &a[0]);
	lt_node x = lt_graph_index(s->graph, v[axis]);
	return x < 0 ? -1 : lt__script_view(s, x, a[0].n, v, &axis);
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
	return x < 0 ? -1 : lt__script_view(s, x, rank, v, &axis);
}

LT_BUILDER(cast)
{
	return lt_graph_cast(s->graph, a[0].node, a[1].dtype);
}
