/* What a caller gives and gets: inputs, constants, states and results, enumerated in the order of the graph. */
#include <stdio.h>
#include <string.h>
#include "base/names.h"
#include "ir/graph/graph.h"
#include "ir/node/node.h"
#include "program/storage/storage.h"

static lt_status fill_binding(struct lt_arena *a, const struct lt_graph *g, lt_node n, const char *name, bool needed,
	struct lt_binding_def *out)
{
	const struct lt_nodedef *d = &g->node[n];
	*out = (struct lt_binding_def){ .name = lt__arena_string(a, name),
		.dtype = d->dtype,
		.rank = d->n_dim,
		.needed = needed,
		.extent = LT_NEW(a, int64_t, d->n_dim + 1),
		.open = LT_NEW(a, bool, d->n_dim + 1) };
	for (int32_t i = 0; i < d->n_dim; i++) {
		out->extent[i] = g->var[d->dim[i]].extent;
		out->open[i] = g->var[d->dim[i]].bounded;
	}
	int64_t elems = lt__node_elems(g, n), bytes;
	if (elems < 0 || lt__mul_overflow(elems, (int64_t)lt__dtype_info(d->dtype)->bytes, &bytes))
		return lt_fail(g->ctx, LT_EOVERFLOW, "%s: its size exceeds 63 bits", name);
	out->bytes = (size_t)bytes;
	return LT_OK;
}

enum lt_opcode lt__binding_op(int32_t kind)
{
	static const enum lt_opcode op_of[] = { LT_OP_input, LT_OP_constant, LT_OP_state };
	return op_of[kind];
}

lt_status lt__bindings_fill(const struct lt_graph *g, struct lt_arena *a, struct lt_bindings *all)
{
	if (g->n_result == 0)
		return lt_fail(g->ctx, LT_EINVAL, "%s%sthe graph has no result: name one (result = $n; in a script)",
			g->file ? g->file : "", g->file ? ": " : "");
	bool *need = lt__needed_nodes(g, a);
	for (int kind = 0; kind < 3; kind++) {
		struct lt_bindings *bindings = &all[kind];
		bindings->at = LT_NEW(a, struct lt_binding_def, g->n_node + 1);
		for (lt_node n = 0; n < g->n_node; n++)
			if (g->node[n].op == lt__binding_op(kind))
				LT_TRY(fill_binding(a, g, n, g->node[n].label ? g->node[n].label : g->node[n].name,
					need[n], &bindings->at[bindings->n++]));
	}
	struct lt_bindings *results = &all[LT_BINDING_RESULT];
	results->at = LT_NEW(a, struct lt_binding_def, g->n_result + 1);
	for (int32_t i = 0; i < g->n_result; i++)
		LT_TRY(fill_binding(a, g, g->result[i].node, g->result[i].name, true, &results->at[results->n++]));
	for (int kind = 0; kind < LT_NBINDING; kind++) {
		struct lt_bindings *bindings = &all[kind];
		bindings->names = lt__names_new(a);
		for (int32_t i = bindings->n - 1; i >= 0; i--)
			lt__names_add(bindings->names, bindings->at[i].name, strlen(bindings->at[i].name), i);
	}
	return LT_OK;
}

/* Whether a run-time scalar is read from it. */
static bool has_scalars(const struct lt_graph *g, enum lt_opcode op, int32_t i)
{
	for (lt_node n = 0; n < g->n_node; n++) {
		if (g->node[n].op != op || i-- > 0)
			continue;
		for (int32_t k = 0; k < g->n_param; k++)
			if (g->param[k].source == n)
				return true;
		return false;
	}
	return false;
}

/* All of a name: an input and a result may share it. */
static bool mark_named(struct lt_bindings *all, const char *name, size_t bytes)
{
	bool found = false;
	for (int kind = 0; kind < LT_NBINDING; kind++)
		for (int32_t i = 0; kind != LT_BINDING_CONSTANT && i < all[kind].n; i++)
			if (strlen(all[kind].at[i].name) == bytes && memcmp(all[kind].at[i].name, name, bytes) == 0)
				found = all[kind].at[i].on_device = true;
	return found;
}

lt_status lt__bindings_on_device(const struct lt_graph *g, const char *on_device, struct lt_bindings *all)
{
	for (const char *at = on_device ? on_device : ""; *at; ) {
		const size_t bytes = strcspn(at, ",");
		if (bytes == 1 && *at == '*') {
			for (int32_t i = 0; i < all[LT_BINDING_INPUT].n; i++)
				all[LT_BINDING_INPUT].at[i].on_device |= !has_scalars(g, LT_OP_input, i);
			for (int32_t i = 0; i < all[LT_BINDING_RESULT].n; i++)
				all[LT_BINDING_RESULT].at[i].on_device = true;
		} else if (bytes && !mark_named(all, at, bytes)) {
			return lt_fail(g->ctx, LT_EINVAL, "on_device: there is no input, state or result '%.*s'", (int)bytes, at);
		}
		at += bytes + (at[bytes] == ',');
	}
	return LT_OK;
}

int32_t lt__binding_find(const struct lt_bindings *bindings, const char *name)
{
	return bindings->names ? lt__names_find(bindings->names, name, strlen(name)) : -1;
}

/* All of it, or as many as a sentence holds and how many more. */
lt_status lt__bindings_missing(struct lt_context *ctx, const struct lt_bindings *bindings, const void *const *given,
	const struct lt_filler *filler, const char *what)
{
	char text[800];
	size_t n = 0;
	int32_t more = 0;
	for (int32_t i = 0; i < bindings->n; i++) {
		const struct lt_binding_def *d = &bindings->at[i];
		char one[200];
		if (given[i] || (filler && filler[i].fill) || !d->needed)
			continue;
		int w = snprintf(one, sizeof one, "%s'%.80s' (%s [", n ? ", " : "", d->name, lt__dtype_info(d->dtype)->script);
		for (int32_t k = 0; k < d->rank && w < (int)sizeof one - 30; k++)
			w += snprintf(one + w, sizeof one - (size_t)w, "%s%lld", k ? ", " : "", (long long)d->extent[k]);
		if (n + (size_t)w + 40 > sizeof text) {
			more++;
			continue;
		}
		n += (size_t)snprintf(text + n, sizeof text - n, "%s])", one);
	}
	if (n == 0)
		return LT_OK;
	text[n] = '\0';
	return more ? lt_fail(ctx, LT_EMISSING, "Missing %s: %s and %d more", what, text, (int)more)
		: lt_fail(ctx, LT_EMISSING, "Missing %s: %s", what, text);
}
