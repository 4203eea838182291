/* extents.c -- which extents of what a caller gives and gets differ from run to run (lt/extents.h). */
#include "base/owned.h"
#include "ir/text/text.h"
#include "lt/extents.h"
#include "program/storage/storage.h"

struct extents_build {
	const struct lt_graph *g;
	struct lt_arena *keep;          /* of the answer */
	struct lt_extents *out;
	struct lt_open_axis *axis;
	int32_t n_axis, cap_axis;
};

/* What a node is to a caller that run-time scalars are elements of: an input, a constant or a state. */
static int32_t binding_of(const struct lt_graph *g, lt_node source, int32_t *number)
{
	int32_t kind = LT_BINDING_INPUT;
	while (g->node[source].op != lt__binding_op(kind))
		kind++;
	*number = 0;
	for (lt_node n = 0; n < source; n++)
		*number += g->node[n].op == g->node[source].op;
	return kind;
}

static void add_scalars(struct extents_build *b)
{
	const struct lt_graph *g = b->g;
	struct lt_run_scalar *all = LT_NEW(b->keep, struct lt_run_scalar, g->n_param + 1);
	for (int32_t k = 0; k < g->n_param; k++) {
		const struct lt_paramdef *d = &g->param[k];
		all[k] = (struct lt_run_scalar){ .name = lt__arena_string(b->keep, d->name),
			.element = d->element,
			.low = d->low,
			.high = d->high };
		all[k].binding = binding_of(g, d->source, &all[k].i);
	}
	b->out->scalars = (struct lt_array){ all, (uint32_t)g->n_param, sizeof *all };
}

static void add_axes(struct extents_build *b, int32_t kind, int32_t number, lt_node n)
{
	const struct lt_nodedef *d = &b->g->node[n];
	for (int32_t axis = 0; axis < d->n_dim; axis++) {
		const struct lt_vardef *v = &b->g->var[d->dim[axis]];
		if (!v->bounded)
			continue;
		const int64_t least = lt__linear_min(b->g, &v->limit);
		struct lt_extent_term *terms = LT_NEW(b->keep, struct lt_extent_term, v->limit.n + 1);
		for (int32_t k = 0; k < v->limit.n; k++)
			terms[k] = (struct lt_extent_term){ .scalar = v->limit.param[k], .factor = v->limit.coef[k] };
		LT_GROW(b->keep, b->axis, b->n_axis, b->cap_axis);
		b->axis[b->n_axis++] = (struct lt_open_axis){ .binding = kind,
			.i = number,
			.axis = axis,
			.name = lt__arena_string(b->keep, v->name),
			.least = least < 0 ? 0 : least,
			.most = v->extent,
			.constant = v->limit.constant,
			.terms = { terms, (uint32_t)v->limit.n, sizeof *terms },
			.text = lt__linear_text(b->g, &v->limit, b->keep) };
	}
}

static lt_status build_body(void *arg)
{
	struct extents_build *b = arg;
	const struct lt_graph *g = b->g;
	add_scalars(b);
	for (int32_t kind = LT_BINDING_INPUT; kind < LT_BINDING_RESULT; kind++) {
		int32_t number = 0;
		for (lt_node n = 0; n < g->n_node; n++)
			if (g->node[n].op == lt__binding_op(kind))
				add_axes(b, kind, number++, n);
	}
	for (int32_t i = 0; i < g->n_result; i++)
		add_axes(b, LT_BINDING_RESULT, i, g->result[i].node);
	b->out->axes = (struct lt_array){ b->axis, (uint32_t)b->n_axis, sizeof *b->axis };
	return LT_OK;
}

lt_status lt_graph_extents(const struct lt_graph *g, struct lt_extents **out)
{
	struct extents_build b = { .g = g };
	*out = NULL;
	b.out = lt__owned_new(g->ctx, sizeof *b.out);
	if (!b.out)
		return lt_fail(g->ctx, LT_ENOMEM, "out of memory");
	b.out->size = sizeof *b.out;
	b.keep = lt__owned_arena(b.out);
	const lt_status st = lt__protect(g->ctx, build_body, &b);
	if (st)
		lt_extents_free(b.out);
	else
		*out = b.out;
	return st;
}

void lt_extents_free(struct lt_extents *x) { lt__owned_free(x); }
