/* state.c -- updates, and what a buffer holds after a run. */
#include <string.h>
#include "frontends/script/reader.h"

/* An update whose chain of first arguments begins at a buffer may become the buffer's content. */
static void record_chain(struct lt_script *s, const struct lt_arg *x)
{
	const struct lt_statement *st = &s->statement[x->statement];
	if (st->type->build == lt__script_build_buffer) {
		s->chain = x->statement;
	} else if (st->chain >= 0) {
		s->chain = st->chain;
		s->previous = x->statement;
	}
}

/* constant + sum coef[i]*param[i], for lt_graph_require, which refuses more than a few. */
struct extent_sum {
	int64_t constant;
	int32_t n;
	lt_param param[2 * LT_MAX_RANK + 2];
	int64_t coef[2 * LT_MAX_RANK + 2];
};

static void add_param(struct extent_sum *sum, lt_param p, int64_t by)
{
	sum->param[sum->n] = p;
	sum->coef[sum->n++] = by;
}

static void sum_add_extent(const struct lt_script *s, struct extent_sum *sum, lt_var v, int64_t by)
{
	const struct lt_vardef *def = &s->graph->var[v];
	sum->constant += by * (def->bounded ? def->limit.constant : def->extent);
	for (int32_t i = 0; def->bounded && i < def->limit.n; i++)
		add_param(sum, def->limit.param[i], by * def->limit.coef[i]);
}

/* 0 <= (equal: 0 ==) the sum in every run, else `text` with that place. */
static lt_status require(
	struct lt_script *s, struct lt_position position, bool equal, const struct extent_sum *sum, const char *text)
{
	struct lt_graph *g = s->graph;
	int32_t from = g->n_require;
	LT_TRY(lt_graph_require(g, equal, sum->constant, sum->n, sum->param, sum->coef, text));
	for (; from < g->n_require; from++) {
		g->require[from].line = position.line;
		g->require[from].column = position.column;
	}
	return LT_OK;
}

/* The graph's own requirements are there already, in words of the script. */
static lt_node add_update(struct lt_script *s, const struct lt_arg *a, const int64_t *offset, const lt_param *at)
{
	int32_t n = s->graph->n_require;
	record_chain(s, &a[0]);
	lt_node x = lt_graph_update(s->graph, a[0].node, lt__script_apart(s, a[0].node, -1, a[1].node), offset, at);
	s->graph->n_require = n;
	return x;
}

LT_BUILDER(replace_slice)
{
	struct lt_graph *g = s->graph;
	for (int32_t i = 0; i < 2; i++)
		if (lt_node_rank(g, a[i].node) != 1)
			return lt__script_refuse(s, a[i].position, LT_ETYPE,
				"Different number of dimensions: %s has to have one; UpdateNode takes any rank", lt__script_value(s, &a[i]));
	if (!lt__script_same_type(s, &a[0], &a[1]))
		return -1;
	int64_t elems = lt__script_extent(s, a[0].node, 0), part = lt__script_extent(s, a[1].node, 0);
	if (part > elems)
		return lt__script_refuse(s, a[1].position, LT_ETYPE, "Replacement does not fit: %s has more elements than %s",
			lt__script_value(s, &a[1]), lt__script_value(s, &a[0]));
	lt_var whole = lt_node_dim(g, a[0].node, 0), block = lt_node_dim(g, a[1].node, 0);
	bool known = !g->var[whole].bounded && !g->var[block].bounded;          /* else the sizes of a run are required */
	lt_param begin = lt__script_param(s, &a[2], 0, known ? elems - part : elems, "Begin and end");
	if (begin < 0)
		return -1;
	lt_param end = lt__script_param(s, &a[3], known ? part : 0, elems, "Begin and end");
	if (end < 0)
		return -1;
	struct extent_sum length = { 0 }, rest = { 0 };
	add_param(&length, end, 1);
	add_param(&length, begin, -1);
	sum_add_extent(s, &length, block, -1);
	sum_add_extent(s, &rest, whole, 1);
	add_param(&rest, end, -1);
	const char *size = g->var[block].bounded ? "" : lt__arena_format(s->arena, "%lld, ", (long long)part);
	const char *text = lt__arena_format(
		s->arena, "ReplaceSliceNode: end - begin has to be %sthe size of %s", size, a[1].shown);
	if (require(s, s->here, true, &length, text))
		return -1;
	text = lt__arena_format(s->arena, "ReplaceSliceNode: it ends past the last element of %s", lt__script_value(s, &a[0]));
	if (!known && require(s, a[3].position, false, &rest, text))
		return -1;
	const int64_t offset = 0;
	return add_update(s, a, &offset, &begin);
}

/* The part of a run fits into axis i of the value of a run. */
static lt_status require_fit(struct lt_script *s, const struct lt_arg *a, int32_t i, int64_t offset, lt_param at)
{
	struct extent_sum rest = { .constant = -offset };
	sum_add_extent(s, &rest, lt_node_dim(s->graph, a[0].node, i), 1);
	sum_add_extent(s, &rest, lt_node_dim(s->graph, a[1].node, i), -1);
	if (at >= 0)
		add_param(&rest, at, -1);
	return require(s, a[2 + i].position, false, &rest,
		lt__arena_format(s->arena, "UpdateNode: the part %s does not fit into axis %d of %s",
			lt__script_value(s, &a[1]), i, lt__script_value(s, &a[0])));
}

/* Begins that are run-time scalars, whose range is known, or sums: the graph requires what the ranges do not say. */
static lt_node update_at(struct lt_script *s, const struct lt_arg *a, int32_t rank)
{
	int64_t *offset = LT_NEW(s->arena, int64_t, rank);
	lt_param *at = LT_NEW(s->arena, lt_param, rank);
	for (int32_t i = 0; i < rank; i++) {
		const struct lt_arg *b = &a[2 + i];
		offset[i] = b->i;
		at[i] = b->statement < 0 ? LT_OMIT : s->statement[b->statement].scalar - 1;
		if (b->statement >= 0 && at[i] < 0)
			at[i] = lt__script_param(s, b, 0, lt__script_extent(s, a[0].node, i), "Begin");
		if (at[i] == LT_NONE)
			return -1;
	}
	record_chain(s, &a[0]);
	return lt_graph_update(s->graph, a[0].node, lt__script_apart(s, a[0].node, -1, a[1].node), offset, at);
}

LT_BUILDER(update)
{
	struct lt_graph *g = s->graph;
	int32_t rank = lt_node_rank(g, a[0].node);
	if (!lt__script_same_type(s, &a[0], &a[1]))
		return -1;
	if (lt_node_rank(g, a[1].node) != rank)
		return lt__script_refuse(s, a[1].position, LT_ETYPE, "Different number of dimensions: %s and %s",
			lt__script_value(s, &a[0]), lt__script_value(s, &a[1]));
	n -= !a[2].given;
	if (n - 2 != rank)
		return lt__script_refuse(s, a[2].position, LT_EINVAL, "UpdateNode takes one begin an axis: %d for %s, found %d", rank,
			lt__script_value(s, &a[0]), n - 2);
	for (int32_t i = 2; i < n; i++)
		if (a[i].statement >= 0 && (a[i].whole || s->statement[a[i].statement].scalar))
			return update_at(s, a, rank);
	int64_t *offset = LT_NEW(s->arena, int64_t, rank);
	lt_param *at = LT_NEW(s->arena, lt_param, rank);
	for (int32_t i = 0; i < rank; i++) {
		const struct lt_arg *b = &a[2 + i];
		lt_var whole = lt_node_dim(g, a[0].node, i), part = lt_node_dim(g, a[1].node, i);
		bool known = !g->var[whole].bounded && !g->var[part].bounded;   /* else the extents of a run are required */
		int64_t extent = lt__script_extent(s, a[0].node, i), last_begin = extent - lt__script_extent(s, a[1].node, i);
		if (last_begin < 0)
			return lt__script_refuse(s, a[1].position, LT_ETYPE, "Replacement does not fit: %s is longer than %s at axis %d",
				lt__script_value(s, &a[1]), lt__script_value(s, &a[0]), i);
		at[i] = LT_OMIT;
		if (b->statement < 0) {
			offset[i] = b->i;
			if (b->i < 0 || b->i > last_begin)
				return lt__script_refuse(s, b->position, LT_EINVAL,
					"Invalid begin index %lld: the part fits at 0 .. %lld of axis %d%s",
					(long long)b->i, (long long)last_begin, i,
					g->var[part].bounded ? "; where its run-time extent leaves more room, the "
							       "begin has to be a run-time value"
							     : "");
		} else if ((at[i] = lt__script_param(s, b, 0, known ? last_begin : extent, "Begin")) < 0) {
			return -1;
		}
		if (!known && require_fit(s, a, i, offset[i], at[i]))
			return -1;
	}
	return add_update(s, a, offset, at);
}

static lt_status refuse_fork(struct lt_script *s, const struct lt_statement *one, const struct lt_statement *last)
{
	const struct lt_statement *buffer = &s->statement[last->chain];
	return lt__script_fail(s, last->position, LT_EINVAL,
		"%s and %s (line %d) both replace content of the buffer %s (line %d), but neither replaces "
		"the other's result; a buffer takes one new content: give %s to %s as its first argument, or use "
		"one of them only",
		last->shown, one->shown, one->position.line, buffer->shown, buffer->position.line, one->shown, last->shown);
}

static lt_status set_content(struct lt_script *s, const struct lt_script_set *set)
{
	s->here = set->position;
	return lt_graph_set_state(s->graph, s->statement[set->state].node, s->statement[set->value].node) ?
		lt__script_locate(s) : LT_OK;
}

/* Contents that the script sets; their chains of updates say nothing any more. */
static lt_status set_contents(struct lt_script *s)
{
	for (int32_t i = 0; i < s->n_set; i++) {
		const struct lt_script_set *set = &s->set[i];
		lt_graph_at(s->graph, set->position.line, set->position.column);
		if (set->state != set->value)
			LT_TRY(set_content(s, set));
		for (int32_t k = 0; k < s->n_statement; k++)
			if (s->statement[k].chain == set->state)
				s->statement[k].chain = -1;
	}
	return LT_OK;
}

lt_status lt__script_states(struct lt_script *s)
{
	int32_t n = s->n_statement;
	LT_TRY(set_contents(s));
	int32_t *last = LT_NEW(s->arena, int32_t, n);   /* by buffer: its last update + 1 */
	bool *taken = LT_NEW(s->arena, bool, n);        /* on the chain of a last one */
	for (int32_t i = 0; i < n; i++)
		if (s->statement[i].chain >= 0 && s->statement[i].needed)
			last[s->statement[i].chain] = i + 1;
	for (int32_t b = 0; b < n; b++)
		for (int32_t i = last[b] - 1; i >= 0; i = s->statement[i].previous)
			taken[i] = true;
	for (int32_t i = 0; i < n; i++) {
		const struct lt_statement *st = &s->statement[i];
		if (st->chain >= 0 && st->needed && !taken[i])
			return refuse_fork(s, st, &s->statement[last[st->chain] - 1]);
	}
	for (int32_t b = 0; b < n; b++)
		if (last[b])
			LT_TRY(lt_graph_set_state(s->graph, s->statement[b].node, s->statement[last[b] - 1].node));
	return LT_OK;
}
