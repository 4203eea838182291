/* own_find.c -- products and convolutions that a graph has, and that an operation of the user's own means: calls of it,
 * where its kernel says LT_ROUTINE.
 *
 * What it means is built on two inputs of the types and extents of two nodes, and compared with what is between these
 * and a sum, node by node; vars have other names there, so views that only rename them are not there.
 */
#include <string.h>
#include "frontends/script/script.h"
#include "ir/map/map.h"
#include "ir/node/node.h"

enum { MAX_ABOVE = 8 };         /* nodes that a sum is made of, and its operands */

struct own_found {
	struct lt_graph *g;
	struct lt_arena *a;
	const struct lt_ownfolder *folder;
	const char *name;               /* of the operation in hand */
	bool *taken;                    /* by node: it is a call's already */
};

struct own_trial {
	const struct own_found *f;
	lt_node operand[2], result;
	struct lt_graph *means;
	lt_node *to;                    /* by node of `means`: the one that it is, or -1 */
};

/* What it is but for the names of its axes. */
static lt_node renamed(const struct lt_graph *g, struct lt_arena *a, lt_node x)
{
	for (;;) {
		const struct lt_nodedef *n = &g->node[x];
		const struct lt_map same = lt__map_identity(a, n->n_dim);
		if (n->op != LT_OP_view || n->n_piece != 1 || n->n_operand != 1 || n->piece[0].source != 0
			|| g->node[n->operand[0]].n_dim != n->n_dim || !lt__map_equal(&n->piece[0].map, &same))
			return x;
		for (int32_t i = 0; i < n->n_dim; i++)
			if (!lt__var_same_range(g, n->dim[i], g->node[n->operand[0]].dim[i]))
				return x;
		x = n->operand[0];
	}
}

/* Two graphs' nodes but for their operands. */
static bool alike(const struct lt_graph *g, const struct lt_nodedef *x, const struct lt_graph *h,
	const struct lt_nodedef *y)
{
	bool same = x->op == y->op && x->dtype == y->dtype && x->reduce == y->reduce && x->n_operand == y->n_operand
		&& x->n_dim == y->n_dim && x->n_piece == y->n_piece && x->has_fill == y->has_fill && x->bits == y->bits
		&& !lt__op_is_memory(x->op) && x->op != LT_OP_index && x->op != LT_OP_gather && x->op != LT_OP_update;
	for (int32_t i = 0; same && i < x->n_dim; i++)
		same = g->var[x->dim[i]].extent == h->var[y->dim[i]].extent && !g->var[x->dim[i]].bounded
			&& !h->var[y->dim[i]].bounded;
	for (int32_t i = 0; same && i < x->n_piece; i++)
		same = x->piece[i].source == y->piece[i].source && !x->piece[i].map.n_param && !y->piece[i].map.n_param
			&& (x->piece[i].source >= 0 || x->piece[i].bits == y->piece[i].bits)
			&& lt__map_equal(&x->piece[i].map, &y->piece[i].map);
	return same;
}

static bool place(const struct lt_nodedef *n, lt_var v, int32_t *at)
{
	for (*at = 0; *at < n->n_dim && n->dim[*at] != v; ++*at) { }
	return *at < n->n_dim;
}

/* Vars join axes of operands: elementwise ones and sums say by them which axis is which. */
static bool same_axes(const struct own_trial *t, const struct lt_nodedef *x, const struct lt_nodedef *y)
{
	const struct lt_graph *g = t->f->g, *h = t->means;
	int32_t i, k;
	for (int32_t o = 0; o < x->n_operand; o++)
		for (int32_t d = 0; d < x->n_dim; d++) {
			const bool in = place(&g->node[x->operand[o]], x->dim[d], &i);
			if (in != place(&h->node[y->operand[o]], y->dim[d], &k) || (in && i != k))
				return false;
		}
	return true;
}

/* Node x of the meaning is node y of the graph. */
static bool is_node(struct own_trial *t, lt_node x, lt_node y)
{
	const struct lt_graph *h = t->means, *g = t->f->g;
	x = renamed(h, t->f->a, x);
	y = renamed(g, t->f->a, y);
	if (t->to[x] >= 0)
		return t->to[x] == y;
	t->to[x] = y;
	if (t->f->taken[y] || !alike(h, &h->node[x], g, &g->node[y])
		|| (h->node[x].op != LT_OP_view && !same_axes(t, &g->node[y], &h->node[x])))
		return false;
	for (int32_t i = 0; i < h->node[x].n_operand; i++)
		if (!is_node(t, h->node[x].operand[i], g->node[y].operand[i]))
			return false;
	return true;
}

/* What it means, on inputs as the operands are. */
static lt_status trial_body(void *of)
{
	struct own_trial *t = of;
	const struct lt_graph *g = t->f->g;
	lt_node in[2], *result;
	int32_t n;
	for (int k = 0; k < 2; k++) {
		const struct lt_nodedef *x = &g->node[t->operand[k]];
		lt_var *dim = LT_NEW(t->f->a, lt_var, x->n_dim + 1);
		for (int32_t i = 0; i < x->n_dim; i++)
			dim[i] = lt_graph_var(t->means, lt__arena_format(t->f->a, "d%d_%d", k, i), g->var[x->dim[i]].extent);
		in[k] = lt_graph_input(t->means, k ? "second" : "first", x->dtype, x->n_dim, dim);
		if (in[k] < 0)
			return lt_context_code(g->ctx);
	}
	const struct lt_own_given given = { 2, in, 0, NULL, NULL };
	LT_TRY(lt__script_own(t->means, t->f->folder, t->f->name, &given, &n, &result));
	t->to = LT_NEW(t->f->a, lt_node, t->means->n_node);
	memset(t->to, -1, sizeof *t->to * (size_t)t->means->n_node);
	t->to[in[0]] = t->operand[0];
	t->to[in[1]] = t->operand[1];
	return n == 1 && t->means->n_own == 1 && is_node(t, result[0], t->result) ? LT_OK : LT_EINVAL;
}

/* Nobody but the call reads what is between. */
static bool is_private(const struct lt_graph *g, const bool *member, lt_node result)
{
	for (lt_node x = 0; x < g->n_node; x++)
		for (int32_t i = 0; !member[x] && i < g->node[x].n_operand; i++)
			if (member[g->node[x].operand[i]] && g->node[x].operand[i] != result)
				return false;
	for (int32_t i = 0; i < g->n_result; i++)
		if (member[g->result[i].node] && g->result[i].node != result)
			return false;
	for (int32_t i = 0; i < g->n_set; i++)
		if (member[g->set[i].value] && g->set[i].value != result)
			return false;
	for (int32_t i = 0; i < g->n_param; i++)
		if (member[g->param[i].source])
			return false;
	return true;
}

static lt_status try_call(const struct own_found *f, lt_node first, lt_node second, lt_node result, bool *found)
{
	struct own_trial t = { f, { first, second }, result, NULL, NULL };
	LT_TRY(lt_graph_new(f->g->ctx, &t.means));
	lt_status status = lt__protect(f->g->ctx, trial_body, &t);
	if (!status) {
		const struct lt_owncall *c = &t.means->own[0];
		const struct lt_nodedef *n = &f->g->node[result];
		const struct lt_owncall call = { .name = c->name, .n_operand = 2, .n_result = 1, .n_number = c->n_number,
			.operand = t.operand, .result = &t.result, .number = c->number, .line = n->line, .column = n->column };
		const bool *member = lt__own_members(f->g, f->a, &call);
		if (c->n_operand == 2 && is_private(f->g, member, result)) {
			status = lt__own_add(f->g, &call);
			*found = !status;
			for (lt_node x = 0; *found && x < f->g->n_node; x++)
				f->taken[x] = f->taken[x] || member[x];
		}
	} else if (status != LT_ENOMEM) {
		lt_context_clear(f->g->ctx);
		status = LT_OK;
	}
	lt_graph_free(t.means);
	return status;
}

/* The nodes that a sum is made of, nearest first. */
static int nodes_above(const struct lt_graph *g, lt_node of, lt_node *out)
{
	int n = 0;
	for (int i = -1; i < n && n < MAX_ABOVE; i++) {
		const struct lt_nodedef *x = &g->node[i < 0 ? of : out[i]];
		for (int32_t k = 0; k < x->n_operand && n < MAX_ABOVE; k++)
			if (!lt__has(out, n, x->operand[k]))
				out[n++] = x->operand[k];
	}
	return n;
}

/* Whether all that a sum is made of comes from both. */
static bool is_cut(const struct lt_graph *g, lt_node x, lt_node first, lt_node second, int *depth, int *seen)
{
	if (x == first || x == second) {
		*seen |= x == first ? 1 : 2;
		return true;
	}
	if (lt__op_is_memory(g->node[x].op) || ++*depth > 4 * MAX_ABOVE)
		return false;
	for (int32_t i = 0; i < g->node[x].n_operand; i++)
		if (!is_cut(g, g->node[x].operand[i], first, second, depth, seen))
			return false;
	return true;
}

static bool comes_from(const struct lt_graph *g, lt_node sum, lt_node first, lt_node second)
{
	int depth = 0, seen = 0;
	return first != second && g->node[first].n_dim && g->node[second].n_dim
		&& is_cut(g, sum, first, second, &depth, &seen) && seen == 3;
}

static lt_status find_calls(const struct own_found *f)
{
	for (lt_node x = 0, n_node = f->g->n_node; x < n_node; x++) {
		lt_node above[MAX_ABOVE];
		bool found = false;
		if (!f->g->node[x].reduce || f->g->node[x].op != LT_OP_add || f->taken[x])
			continue;
		const int n = nodes_above(f->g, x, above);
		for (int i = n - 1; i >= 0 && !found; i--)      /* farthest first: what a view is of, before the view */
			for (int k = n - 1; k >= 0 && !found; k--)
				if (comes_from(f->g, x, above[i], above[k]))
					LT_TRY(try_call(f, above[i], above[k], x, &found));
	}
	return LT_OK;
}

lt_status lt__script_own_find(struct lt_graph *g, struct lt_arena *a, const struct lt_ownfolder *folder)
{
	struct own_found f = { g, a, folder, NULL, LT_NEW(a, bool, g->n_node + 1) };
	for (int32_t i = 0; i < g->n_own; i++) {
		const bool *member = lt__own_members(g, a, &g->own[i]);
		for (lt_node x = 0; x < g->n_node; x++)
			f.taken[x] = f.taken[x] || member[x];
	}
	for (int32_t i = 0; i < folder->n; i++) {
		char *text;
		size_t bytes;
		if (!folder->kernel[i])
			continue;
		LT_TRY(lt__text_read(g->ctx, a, lt__arena_format(a, "%s/%s.c", folder->path, folder->name[i]), &text, &bytes));
		f.name = folder->name[i];
		if (strstr(text, "LT_ROUTINE("))
			LT_TRY(find_calls(&f));
	}
	return LT_OK;
}
