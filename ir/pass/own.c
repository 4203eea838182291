/* own.c -- calls of the user's own operations, kept apart from passes.
 *
 * What such a call computes may be done by a kernel, which takes whole values, dense and in their order.  So it is cut
 * out of the graph: its operands become results of the graph, its results become inputs, and passes treat them as they
 * treat those.  Afterwards its nodes are put in again, as they were.
 */
#include <string.h>
#include "base/names.h"
#include "ir/node/node.h"
#include "ir/pass/pass.h"

/* Results and inputs of the cut graph are called "~own:CALL:NUMBER", with as many ~ as the graph has nowhere. */
static int32_t own_tildes(const struct lt_graph *g)
{
	size_t most = 0;

	for (int32_t i = 0; i < g->n_result + g->n_node; i++) {
		const char *name = i < g->n_result ? g->result[i].name : g->node[i - g->n_result].label;

		most = name && strspn(name, "~") > most ? strspn(name, "~") : most;
	}
	return (int32_t)most + 1;
}

static const char *own_label(struct lt_arena *a, int32_t n_tilde, int32_t call, int32_t number)
{
	char *tildes = lt__arena_alloc(a, (size_t)n_tilde + 1);

	memset(tildes, '~', (size_t)n_tilde);
	return lt__arena_format(a, "%sown:%d:%d", tildes, call, number);
}

/* The call and the number in it that such a name says; false: it is another name. */
static bool own_named(const char *name, int32_t n_tilde, int32_t *call, int32_t *number)
{
	return name && strspn(name, "~") == (size_t)n_tilde && sscanf(name + n_tilde, "own:%d:%d", call, number) == 2;
}

static lt_status cut_calls(struct lt_frame *f)
{
	const struct lt_graph *g = f->in;
	const int32_t n_tilde = own_tildes(g);
	const bool *live = lt__frame_live(f);
	const char **label = LT_NEW(f->scratch, const char *, g->n_node + 1);

	for (int32_t i = 0; i < g->n_own; i++)
		for (int32_t k = 0; k < g->own[i].n_result; k++)
			label[g->own[i].result[k]] = own_label(f->scratch, n_tilde, i, k);
	for (lt_node x = 0; x < g->n_node; x++) {
		struct lt_nodedef n = lt__frame_node(f, x);

		if (label[x])
			n = (struct lt_nodedef){ .op = LT_OP_input, .dtype = n.dtype, .n_dim = n.n_dim, .dim = n.dim, .name = n.name,
				.label = label[x], .line = n.line, .column = n.column };
		if ((f->to[x] = lt__graph_add(f->out, &n)) < 0)
			return g->ctx->code;
	}
	for (int32_t i = 0; i < g->n_own; i++) {
		bool needed = false;

		for (int32_t k = 0; k < g->own[i].n_result; k++)
			needed |= live[g->own[i].result[k]];
		for (int32_t k = 0; needed && k < g->own[i].n_operand; k++)
			LT_TRY(lt_graph_result(f->out, own_label(f->scratch, n_tilde, i, k), f->to[g->own[i].operand[k]]));
	}
	return LT_OK;
}

lt_status lt__own_cut(const struct lt_graph *in, struct lt_graph **out) { return lt__frame_run(in, cut_calls, out); }

/* -- joined again -- */

struct own_join {
	const struct lt_graph *of;      /* the graph before it was cut */
	int32_t *call, *number;         /* by node of the cut graph: the result of a call that it is; -1: it is none */
	lt_node **operand, **result;    /* by call: nodes of the cut graph; -1: it is not there */
	bool *done;                     /* by call */
};

static void find_ends(const struct lt_frame *f, struct own_join *j, bool *drop)
{
	const int32_t n_tilde = own_tildes(j->of);
	int32_t call, number;

	j->call = LT_NEW(f->scratch, int32_t, f->in->n_node + 1);
	j->number = LT_NEW(f->scratch, int32_t, f->in->n_node + 1);
	j->operand = LT_NEW(f->scratch, lt_node *, j->of->n_own + 1);
	j->result = LT_NEW(f->scratch, lt_node *, j->of->n_own + 1);
	j->done = LT_NEW(f->scratch, bool, j->of->n_own + 1);
	for (int32_t i = 0; i < j->of->n_own; i++) {
		j->operand[i] = LT_NEW(f->scratch, lt_node, j->of->own[i].n_operand);
		j->result[i] = LT_NEW(f->scratch, lt_node, j->of->own[i].n_result);
		memset(j->operand[i], -1, sizeof **j->operand * (size_t)j->of->own[i].n_operand);
		memset(j->result[i], -1, sizeof **j->result * (size_t)j->of->own[i].n_result);
	}
	for (int32_t i = 0; i < f->in->n_result; i++)
		if ((drop[i] = own_named(f->in->result[i].name, n_tilde, &call, &number)))
			j->operand[call][number] = f->in->result[i].node;
	for (lt_node x = 0; x < f->in->n_node; x++) {
		j->call[x] = -1;
		if (f->in->node[x].op != LT_OP_input || !own_named(f->in->node[x].label, n_tilde, &call, &number))
			continue;
		j->call[x] = call;
		j->number[x] = number;
		j->result[call][number] = x;
	}
}

/* Nodes of the cut graph before their readers, and what a call is given before what it gives. */
static lt_node *order_joined(const struct lt_frame *f, const struct own_join *j)
{
	const struct lt_graph *g = f->in;
	lt_node *order = LT_NEW(f->scratch, lt_node, g->n_node + 1), *stack = LT_NEW(f->scratch, lt_node, g->n_node + 1);
	int32_t *next = LT_NEW(f->scratch, int32_t, g->n_node + 1), n = 0, depth = 0;

	for (lt_node root = 0; root < g->n_node; root++) {
		if (next[root])
			continue;
		next[root] = 1;
		stack[depth++] = root;
		while (depth) {
			const lt_node x = stack[depth - 1];
			const int32_t call = j->call[x], n_operand = call < 0 ? g->node[x].n_operand : j->of->own[call].n_operand;

			if (next[x] > n_operand) {
				order[n++] = x;
				depth--;
				continue;
			}
			const lt_node operand = (call < 0 ? g->node[x].operand : j->operand[call])[next[x]++ - 1];
			if (next[operand])
				continue;
			next[operand] = 1;
			stack[depth++] = operand;
		}
	}
	return order;
}

static lt_node add_whole(struct lt_graph *g, struct lt_arena *a, lt_node x)
{
	const struct lt_nodedef *n = &g->node[x];

	if (n->op != LT_OP_view && n->op != LT_OP_lit && n->op != LT_OP_index)
		return x;
	return lt__graph_add(g, &(struct lt_nodedef){ .op = LT_OP_copy, .dtype = n->dtype, .n_operand = 1, .operand = &x,
		.n_dim = n->n_dim, .dim = n->dim, .name = lt__arena_format(a, "%s.whole", n->name), .line = n->line,
		.column = n->column });
}

/* Its operands are whole values in memory, and under the vars that its nodes know them by; so are its results. */
static lt_status join_call(struct lt_frame *f, struct own_join *j, int32_t i)
{
	struct lt_owncall c = j->of->own[i];
	lt_node *to = LT_NEW(f->scratch, lt_node, j->of->n_node + 1), *operand = LT_NEW(f->scratch, lt_node, c.n_operand),
		*result = LT_NEW(f->scratch, lt_node, c.n_result);

	for (int32_t k = 0; k < c.n_operand; k++) {
		const lt_node x = c.operand[k];

		if ((operand[k] = add_whole(f->out, f->scratch, f->to[j->operand[i][k]])) < 0
			|| (to[x] = lt_graph_rename(f->out, operand[k], j->of->node[x].n_dim, j->of->node[x].dim)) < 0)
			return f->in->ctx->code;
	}
	const bool *member = lt__own_members(j->of, f->scratch, &c);
	for (lt_node x = 0; x < j->of->n_node; x++) {
		struct lt_nodedef n = j->of->node[x];

		if (!member[x])
			continue;
		n.operand = LT_NEW(f->scratch, lt_node, n.n_operand);
		for (int32_t k = 0; k < n.n_operand; k++)
			n.operand[k] = to[j->of->node[x].operand[k]];
		if ((to[x] = lt__graph_add(f->out, &n)) < 0)
			return f->in->ctx->code;
	}
	for (int32_t k = 0; k < c.n_result; k++) {
		const lt_node x = j->result[i][k];

		if ((result[k] = add_whole(f->out, f->scratch, to[c.result[k]])) < 0)
			return f->in->ctx->code;
		if (x >= 0 && (f->to[x] = lt_graph_rename(f->out, result[k], f->in->node[x].n_dim, f->in->node[x].dim)) < 0)
			return f->in->ctx->code;
	}
	c.operand = operand;
	c.result = result;
	return lt__own_add(f->out, &c);
}

static lt_status join_calls(struct lt_frame *f)
{
	struct own_join *j = f->user;
	bool *drop = LT_NEW(f->scratch, bool, f->in->n_result + 1);

	find_ends(f, j, drop);
	f->drop = drop;
	const lt_node *order = order_joined(f, j);
	for (int32_t i = 0; i < f->in->n_node; i++) {
		const lt_node x = order[i];
		const int32_t call = j->call[x];

		if (call < 0) {
			const struct lt_nodedef n = lt__frame_node(f, x);
			if ((f->to[x] = lt__graph_add(f->out, &n)) < 0)
				return f->in->ctx->code;
		} else if (!j->done[call]) {
			j->done[call] = true;
			LT_TRY(join_call(f, j, call));
		}
	}
	return LT_OK;
}

lt_status lt__own_join(const struct lt_graph *in, const struct lt_graph *cut, struct lt_graph **out)
{
	struct own_join j = { .of = in };

	return lt__frame_run_for(cut, join_calls, &j, out);
}
