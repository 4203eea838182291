/* alias.c -- which nodes of a graph are the same value: views that only rename dims, or only
 * add, leave out and move axes of one element. */
#include <string.h>
#include "base/sets.h"
#include "frontends/script/print/printer.h"
#include "ir/build/build.h"

enum { LONGEST_WALK = 64 };

int32_t lt__script_solid(const struct lt_graph *g, int32_t n, const lt_var *dims, int32_t *at)
{
	int32_t m = 0;
	for (int32_t i = 0; i < n; i++)
		if (!lt__pos_is_one(g, dims[i]))
			at[m++] = i;
	return m;
}

int32_t lt__script_find_axis(const struct lt_graph *g, const struct lt_nodedef *d, int32_t k, int32_t i)
{
	return lt__index_of(d->dim, d->n_dim, g->node[d->operand[k]].dim[i]);
}

/* Row `axis` of a map is dim `dim`; what is times a position that is always 0 says nothing. */
static bool is_dim(
	const struct lt_graph *g, const struct lt_nodedef *d, const struct lt_map *m, int32_t axis, int32_t dim)
{
	const int64_t *row = m->row + (int64_t)axis * lt__map_width(m);
	for (int32_t i = 0; i < lt__map_width(m); i++) {
		int32_t own = i - 1 - m->n_param;
		bool zero = own >= 0 && own < m->n_dim && lt__pos_is_one(g, d->dim[own]);
		if (!zero && row[i] != (own == dim))
			return false;
	}
	return true;
}

/* Every element of the source, once, in order. */
static bool keeps_elements(const struct lt_graph *g, const struct lt_nodedef *d, const struct lt_nodedef *x)
{
	int32_t to[LT_MAX_RANK], from[LT_MAX_RANK];
	int32_t n = lt__script_solid(g, d->n_dim, d->dim, to);
	if (n != lt__script_solid(g, x->n_dim, x->dim, from))
		return false;
	for (int32_t i = 0; i < n; i++)
		if (!lt__var_same_range(g, d->dim[to[i]], x->dim[from[i]]) || !is_dim(g, d, &d->piece[0].map, from[i], to[i]))
			return false;
	return true;
}

static bool same_dims(const struct lt_graph *g, const struct lt_nodedef *d, const struct lt_nodedef *x)
{
	bool same = d->n_dim == x->n_dim && d->dtype == x->dtype;
	for (int32_t i = 0; same && i < d->n_dim; i++)
		same = lt__var_same_range(g, d->dim[i], x->dim[i]);
	return same;
}

static lt_node alias_source_of(const struct lt_graph *g, const struct lt_nodedef *d)
{
	if (d->op == LT_OP_view && d->n_piece == 1 && d->piece[0].source >= 0 && !d->piece[0].map.n_guard) {
		lt_node x = d->operand[d->piece[0].source];
		return keeps_elements(g, d, &g->node[x]) ? x : -1;
	}
	if (d->op != LT_OP_cast || d->dtype != g->node[d->operand[0]].dtype || d->n_dim != g->node[d->operand[0]].n_dim)
		return -1;
	for (int32_t i = 0; i < d->n_dim; i++)
		if (d->dim[i] != g->node[d->operand[0]].dim[i])
			return -1;
	return d->operand[0];
}

struct lt_alias lt__script_alias(const struct lt_graph *g, struct lt_arena *arena)
{
	struct lt_alias a = { .up = LT_NEW(arena, lt_node, g->n_node + 1), .core = LT_NEW(arena, lt_node, g->n_node + 1),
		.same = LT_NEW(arena, lt_node, g->n_node + 1) };
	for (lt_node x = 0; x < g->n_node; x++) {
		const struct lt_nodedef *d = &g->node[x];
		a.up[x] = alias_source_of(g, d);
		a.core[x] = a.up[x] < 0 ? x : a.core[a.up[x]];
		a.same[x] = x;
		lt_node y = a.up[x];
		for (int walk = 0; y >= 0 && walk < LONGEST_WALK && a.same[x] == x; y = a.up[y], walk++)
			if (same_dims(g, d, &g->node[y]))
				a.same[x] = a.same[y];
	}
	return a;
}
