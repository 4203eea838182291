/* own.c -- calls of operations of the user's own: their nodes are in the graph as any, and a row says which they
 * are. */
#include <string.h>
#include "ir/node/node.h"

bool *lt__own_members(const struct lt_graph *g, struct lt_arena *a, const struct lt_owncall *c)
{
	bool *member = LT_NEW(a, bool, g->n_node + 1);

	for (int32_t i = 0; i < c->n_result; i++)
		member[c->result[i]] = true;
	for (lt_node x = g->n_node - 1; x >= 0; x--)
		for (int32_t i = 0; member[x] && i < g->node[x].n_operand; i++)
			if (!lt__has(c->operand, c->n_operand, g->node[x].operand[i]))
				member[g->node[x].operand[i]] = true;
	return member;
}

const char *lt__own_word(struct lt_arena *a, const char *name)
{
	char *word = lt__arena_string(a, name), *slash = strchr(word, '/');

	if (slash)
		*slash = '.';
	return word;
}

static const char *own_ends_problem(const struct lt_graph *g, struct lt_arena *a, const struct lt_owncall *c)
{
	if (c->n_operand < 1 || c->n_result < 1)
		return lt__arena_format(a, "a call of '%.200s' has no %s", c->name,
			c->n_operand < 1 ? "operand" : "result");
	for (int32_t i = 0; i < c->n_operand; i++)
		if (c->operand[i] < 0 || c->operand[i] >= g->n_node)
			return lt__arena_format(a, "operand %d of a call of '%.200s' is node number %d: the graph has %d", i, c->name,
				c->operand[i], g->n_node);
	for (int32_t i = 0; i < c->n_result; i++) {
		const lt_node x = c->result[i];

		if (x < 0 || x >= g->n_node)
			return lt__arena_format(a, "result %d of a call of '%.200s' is node number %d: the graph has %d", i, c->name, x,
				g->n_node);
		if (lt__has(c->operand, c->n_operand, x) || lt__has(c->result, i, x))
			return lt__arena_format(a, "result '%.200s' of a call of '%.200s' is %s of it, too; copy it", g->node[x].name,
				c->name, lt__has(c->result, i, x) ? "another result" : "an operand");
	}
	return NULL;
}

/* NULL: it is as it has to be. */
static const char *own_problem(const struct lt_graph *g, struct lt_arena *a, const struct lt_owncall *c)
{
	const char *why = own_ends_problem(g, a, c);

	if (why)
		return why;
	const bool *member = lt__own_members(g, a, c);
	bool *read = LT_NEW(a, bool, g->n_node + 1);

	for (lt_node x = 0; x < g->n_node; x++) {
		if (member[x] && lt__op_is_memory(g->node[x].op))
			return lt__arena_format(a, "what '%.200s' means reads the %s '%.200s', which is no operand of it; hand it over",
				c->name, lt__op_info(g->node[x].op)->name, g->node[x].name);
		for (int32_t i = 0; member[x] && i < g->node[x].n_operand; i++)
			read[g->node[x].operand[i]] = true;
	}
	for (int32_t i = 0; i < c->n_operand; i++)
		if (!read[c->operand[i]])
			return lt__arena_format(a,
				"what '%.200s' means does not read its operand %d, '%.200s'; leave that out of its parameters", c->name, i,
				g->node[c->operand[i]].name);
	return NULL;
}

struct own_asking { const struct lt_graph *g; struct lt_arena *a; const struct lt_owncall *c; bool quiet; };

static lt_status own_ask(void *of)
{
	const struct own_asking *x = of;
	const char *why = own_problem(x->g, x->a, x->c);

	return !why ? LT_OK : x->quiet ? LT_EINVAL : lt__graph_fail(x->g, LT_EINVAL, "%s", why);
}

static lt_status own_asked(const struct lt_graph *g, const struct lt_owncall *c, bool quiet)
{
	struct own_asking x = { g, NULL, c, quiet };

	LT_TRY(lt__arena_new(g->ctx, &x.a));
	lt_status status = lt__protect(g->ctx, own_ask, &x);
	lt__arena_free(x.a);
	return status;
}

lt_status lt__own_verify(const struct lt_graph *g, const struct lt_owncall *c) { return own_asked(g, c, false); }

static void own_keep(struct lt_graph *g, const struct lt_owncall *c)
{
	struct lt_owncall to = *c;

	to.name = lt__arena_string(g->arena, c->name);
	to.operand = lt__arena_copy(g->arena, c->operand, sizeof *c->operand * (size_t)c->n_operand);
	to.result = lt__arena_copy(g->arena, c->result, sizeof *c->result * (size_t)c->n_result);
	to.number = c->n_number ? lt__arena_copy(g->arena, c->number, sizeof *c->number * (size_t)c->n_number) : NULL;
	LT_GROW(g->arena, g->own, g->n_own, g->cap_own);
	g->own[g->n_own++] = to;
}

lt_status lt__own_add(struct lt_graph *g, const struct lt_owncall *c)
{
	LT_TRY(lt__own_verify(g, c));
	own_keep(g, c);
	return LT_OK;
}

static lt_status graph_own(struct lt_graph *g, const struct lt_owncall *c)
{
	for (int32_t i = 0; i < c->n_operand + c->n_result; i++)
		if (g->ctx->code && (i < c->n_operand ? c->operand[i] : c->result[i - c->n_operand]) == -1)
			return g->ctx->code;
	if (!c->name || !*c->name)
		return lt__graph_fail(g, LT_EINVAL, "a call of an operation of one's own has no name");
	return lt__own_add(g, c);
}

lt_status lt_graph_own(struct lt_graph *g, const char *name, int32_t n_operand, const lt_node *operand,
	int32_t n_result, const lt_node *result, int32_t n_number, const double *number)
{
	/* what is added is copied */
	const struct lt_owncall c = { .name = name, .n_operand = n_operand, .n_result = n_result, .n_number = n_number,
		.operand = (lt_node *)operand, .result = (lt_node *)result, .number = (double *)number,
		.line = g->line, .column = g->column };
	lt_status status = LT_ENOMEM;

	LT_GUARDED(g->ctx, status, graph_own(g, &c));
	return status;
}

/* A row that nothing needs any more, or that no longer says what its nodes are, goes. */
lt_status lt__own_carry(const struct lt_graph *in, const lt_node *to, struct lt_graph *out, struct lt_arena *scratch)
{
	for (int32_t i = 0; i < in->n_own; i++) {
		struct lt_owncall c = in->own[i];
		bool whole = true;

		c.operand = LT_NEW(scratch, lt_node, c.n_operand);
		c.result = LT_NEW(scratch, lt_node, c.n_result);
		for (int32_t k = 0; k < c.n_operand; k++)
			whole &= (c.operand[k] = to[in->own[i].operand[k]]) >= 0;
		for (int32_t k = 0; k < c.n_result; k++)
			whole &= (c.result[k] = to[in->own[i].result[k]]) >= 0;
		const lt_status status = whole ? own_asked(out, &c, true) : LT_EINVAL;
		if (!status)
			own_keep(out, &c);
		else if (status != LT_EINVAL)
			return status;
	}
	return LT_OK;
}
