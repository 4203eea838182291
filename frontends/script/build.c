/* build.c -- a call of a node becomes a value of the graph, with a name and a place. */
#include <string.h>
#include "frontends/script/reader.h"
#include "ir/build/build.h"

/* What repeats and functions may make, so that a script of a few lines is no graph without end. */
enum { UNROLLED_MAX = 100000 };

/* The place of the next nodes: what an operation of the folder means is at its call. */
static void graph_at(struct lt_script *s, struct lt_position at)
{
	at = s->own_at.line ? s->own_at : at;
	lt_graph_at(s->graph, at.line, at.column);
}

/* Nodes from `from` on are named after s->target: value by its name, others as its parts. */
static void name_nodes(struct lt_script *s, int32_t from, lt_node value)
{
	struct lt_graph *g = s->graph;
	for (lt_node i = from; i < g->n_node; i++)
		lt_node_set_name(g, i, i == value ? s->target.path :
			lt__arena_format(s->arena, "%s.%s", s->target.path, lt__op_info(g->node[i].op)->name));
}

/* Which nodes may be read before the first kernel starts: sources, and views of nothing else. */
static void mark_sourced(struct lt_script *s)
{
	const struct lt_graph *g = s->graph;
	while (s->n_sourced < g->n_node) {
		const struct lt_nodedef *d = &g->node[s->n_sourced];
		bool is = lt__op_is_memory(d->op);
		if (d->op == LT_OP_view) {
			is = true;
			for (int32_t i = 0; i < d->n_operand; i++)
				is = is && s->sourced[d->operand[i]];
		}
		LT_GROW(s->arena, s->sourced, s->n_sourced, s->cap_sourced);
		s->sourced[s->n_sourced++] = is;
	}
}

/* The number as a value of the operand `like`: its type, and its shape where ranks have to be equal. */
static lt_node number_value(
	struct lt_script *s, const struct lt_script_node *type, const struct lt_arg *a, enum lt_dtype t, lt_node like)
{
	struct lt_graph *g = s->graph;
	lt_node x = lt__script_literal(s, a, t);
	if (x < 0 || !type->equal_ranks)
		return x;
	int32_t rank = lt_node_rank(g, like);
	lt_var *v = LT_NEW(s->arena, lt_var, rank);
	for (int32_t i = 0; i < rank; i++)
		v[i] = lt_node_dim(g, like, i);
	return lt__pos_view(s->graph, x, rank, v, NULL);
}

/* Numbers among the arguments become values of the type of the first one that is a value. */
static lt_status build_numbers(struct lt_script *s, const struct lt_script_node *type, int32_t first)
{
	struct lt_arg *a = s->arg + first;
	int32_t n = s->n_arg - first, like = type->op == LT_OP_select;
	if (!type->numbers)
		return LT_OK;
	while (like < n && a[like].kind != LT_ARG_NODE)
		like++;
	for (int32_t i = 0; i < n; i++) {
		if (a[i].kind != LT_ARG_NUMBER)
			continue;
		bool condition = type->op == LT_OP_select && i == 0;
		LT_TRY(lt__script_check_huge(s, &a[i]));
		lt__script_number_text(s, &a[i]);
		if (like == n)
			return lt__script_fail(s, a[i].position, LT_ETYPE,
				"Unexpected number: no operand of %s says which type %.*s has; FullNode(float32, [], %.*s) is a value",
				type->name, a[i].n, a[i].text, a[i].n, a[i].text);
		struct lt_statement st = { .shown = lt__arena_format(s->arena, "%.*s", a[i].n, a[i].text), .unnamed = true,
			.node = -1, .type = type, .position = a[i].position, .chain = -1, .previous = -1 };
		if (a[like].node >= 0) {
			int32_t from = s->graph->n_node;
			graph_at(s, st.position);
			st.node = number_value(s, type, &a[i],
				condition ? LT_BOOL : lt_node_dtype(s->graph, a[like].node), a[like].node);
			if (st.node < 0)
				return lt__script_locate(s);
			name_nodes(s, from, -1);
			mark_sourced(s);
		}
		a[i].kind = LT_ARG_NODE;
		a[i].node = st.node;
		a[i].shown = st.shown;
		a[i].statement = s->n_statement;
		LT_GROW(s->arena, s->statement, s->n_statement, s->cap_statement);
		s->statement[s->n_statement++] = st;
	}
	return LT_OK;
}

static lt_status build_value(struct lt_script *s, struct lt_statement *st, const struct lt_arg *a, int32_t n)
{
	struct lt_graph *g = s->graph;
	int32_t from = g->n_node, scalars = g->n_param + g->n_require;
	s->here = st->position;
	s->shown = st->shown;
	s->chain = s->previous = -1;
	s->scalar = 0;
	graph_at(s, st->position);
	st->node = st->type->build(s, st->type, a, n);
	if (st->node < 0)
		return lt__script_locate(s);
	name_nodes(s, from, st->unnamed ? -1 : st->node);
	mark_sourced(s);
	st->chain = s->chain;
	st->previous = s->previous;
	st->scalar = s->scalar;
	st->scalars = g->n_param + g->n_require > scalars;
	return LT_OK;
}

lt_status lt__script_add(
	struct lt_script *s, const struct lt_script_node *type, int32_t first, const struct lt_cursor *from, bool last,
	struct lt_arg *out)
{
	struct lt_statement st = { .node = -1, .type = type, .position = from->position, .chain = -1, .previous = -1 };
	LT_TRY(build_numbers(s, type, first));
	st.unnamed = !last;
	st.shown = last && s->target.shown ? s->target.shown : lt__script_quote(s, from);
	if (last)
		st.position = s->target.position;
	if (type->build == lt__script_build_scalar) {
		st.least = s->arg[first + 1].i;
		st.most = s->arg[first + 2].i;
	}
	st.first_use = s->n_use;
	for (int32_t i = first; i < s->n_arg; i++) {
		for (int32_t k = 0; k < s->arg[i].n_use; k++) {
			LT_GROW(s->arena, s->use, s->n_use, s->cap_use);
			s->use[s->n_use++] = s->arg[i].use[k];
		}
		if (s->arg[i].statement < 0)
			continue;
		LT_GROW(s->arena, s->use, s->n_use, s->cap_use);
		s->use[s->n_use++] = s->arg[i].statement;
	}
	st.n_use = s->n_use - st.first_use;
	if (s->frame && ++s->n_unrolled > UNROLLED_MAX)
		return lt__script_fail(s, st.position, LT_EUNSUPPORTED, "Functions and repeats make more than %d values",
			UNROLLED_MAX);
	if (!s->skip || !s->skip[s->n_statement])
		LT_TRY(build_value(s, &st, s->arg + first, s->n_arg - first));
	LT_GROW(s->arena, s->statement, s->n_statement, s->cap_statement);
	*out = (struct lt_arg){ .kind = LT_ARG_NODE, .position = from->position, .node = st.node, .shown = st.shown,
		.statement = s->n_statement };
	s->statement[s->n_statement++] = st;
	s->n_arg = first;
	return LT_OK;
}

/* Whether element i of such an axis is there, in each run, or in each that has the rounds that are being read. */
static bool is_there(const struct lt_script *s, const struct lt_linear *l, int64_t i, bool in_rounds)
{
	int64_t sum = l->constant, term;
	for (int32_t k = 0; k < l->n; k++) {
		const struct lt_paramdef *p = &s->graph->param[l->param[k]];
		int64_t low = p->low;
		for (const struct lt_script_frame *f = s->frame; f && in_rounds; f = f->up)
			if (f->rounds && s->statement[f->rounds->count.statement].scalar - 1 == l->param[k] && f->round + 1 > low)
				low = f->round + 1;
		if (lt__mul_overflow(l->coef[k], l->coef[k] > 0 ? low : p->high, &term) || lt__add_overflow(sum, term, &sum))
			return false;
	}
	return i >= 0 && i < sum;
}

/* The way out that an extent which is a run-time scalar plus a number has: it is never too small. */
static const char *longer(struct lt_script *s, const struct lt_linear *l, int64_t i)
{
	int64_t least;
	if (i < 0 || l->n != 1 || l->coef[0] != 1 || lt__add_overflow(i, 1 - l->constant, &least)
		|| least > s->graph->param[l->param[0]].high)
		return "";
	return lt__scratch(s->ctx, ", or have each run have it: ScalarNode(.., %lld, %lld) for its extent", (long long)least,
		(long long)s->graph->param[l->param[0]].high);
}

/* In a round of as many as a run says, elements of an axis that has as many, at a place that is computed: which round
 * it is, and the extent that all such rounds find theirs in; "": it is not such a place. */
static const char *beyond_round(struct lt_script *s, const struct lt_linear *l, const struct lt_arg *at, int64_t i)
{
	int64_t most;
	for (const struct lt_script_frame *f = at->literal || l->n != 1 || l->coef[0] != 1 ? NULL : s->frame; f; f = f->up) {
		const int64_t ahead = i - f->round, there = l->constant + f->round + 1;
		if (!f->rounds || s->statement[f->rounds->count.statement].scalar - 1 != l->param[0] || ahead < 0
			|| lt__add_overflow(s->graph->param[l->param[0]].high, ahead, &most))
			continue;
		const char *count = f->rounds->count.shown;
		return lt__scratch(s->ctx, " in round %s = %lld: of a run whose last round this is it has %lld element%s, and none "
			"at %s + %lld: read that in the round after, or have the extent be %s + %lld <= %lld", f->counter,
			(long long)f->round, (long long)there, there == 1 ? "" : "s", f->counter, (long long)ahead, count,
			(long long)ahead, (long long)most);
	}
	return "";
}

/* What element i of the first axis is read of: x, or where not every run has that element, what has x[0] instead in
 * those; -1: it may not be there. */
static lt_node element_source(struct lt_script *s, const struct lt_arg *x, const struct lt_arg *at, int64_t i)
{
	struct lt_graph *g = s->graph;
	const lt_var v = lt_node_dim(g, x->node, 0);
	if (!g->var[v].bounded || is_there(s, &g->var[v].limit, i, false))
		return x->node;
	const bool in_round = is_there(s, &g->var[v].limit, i, true);
	const char *beyond = in_round ? "" : beyond_round(s, &g->var[v].limit, at, i);
	if (*beyond)
		return lt__script_refuse(s, at->position, LT_EUNSUPPORTED, "Axis 0 of %s has a run-time extent and cannot be "
			"indexed by %lld%s", lt__script_value(s, x), (long long)i, beyond);
	if (!in_round)
		return lt__script_refuse(s, x->position, LT_EUNSUPPORTED, "Axis 0 of %s has a run-time extent and cannot be "
			"indexed by %lld, which not every run has: %sindex within a repeat of as many rounds%s", lt__script_value(s, x),
			(long long)i, g->node[x->node].op == LT_OP_input ? "" : "index first, then slice, or ",
			longer(s, &g->var[v].limit, i));
	for (int32_t k = 0; k < s->n_by_round; k++)
		if (s->by_round[k].of == x->node)
			return s->by_round[k].node;
	const lt_node all = lt__rounds_of(g, v, x->node, false),
		filled = lt__rounds_else(g, v, all, all < 0 ? all : lt__pos_at(g, all, 0, 0));
	LT_GROW(s->arena, s->by_round, s->n_by_round, s->cap_by_round);
	s->by_round[s->n_by_round++] = (struct lt_script_by_round){ x->node, filled };
	return filled;
}

/* x[i] of a value: the elements at i of its first axis, which is gone. */
static lt_node build_element(
	struct lt_script *s, const struct lt_script_node *type, const struct lt_arg *a, int32_t n)
{
	struct lt_graph *g = s->graph;
	int32_t rank = lt_node_rank(g, a[0].node);
	(void)type;
	(void)n;
	if (rank < 1)
		return lt__script_refuse(s, a[1].position, LT_ETYPE, "%s has no axis to take an element of",
			lt__script_value(s, &a[0]));
	const bool fixed = !lt__script_bounded(s, a[0].node, 0);
	int64_t extent = lt__script_extent(s, a[0].node, 0), i = fixed && a[1].i < 0 ? a[1].i + extent : a[1].i;
	const lt_node x = element_source(s, &a[0], &a[1], i);
	if (x < 0)
		return -1;
	if (i < 0 || i >= extent)
		return lt__script_refuse(s, a[1].position, LT_EINVAL, "Invalid index %lld: axis 0 of %s allows %lld .. %lld",
			(long long)a[1].i, lt__script_value(s, &a[0]), -(long long)extent, (long long)extent - 1);
	lt_var *v = LT_NEW(s->arena, lt_var, rank);
	int64_t *row = LT_NEW(s->arena, int64_t, (int64_t)rank * rank);
	row[0] = i;
	for (int32_t k = 1; k < rank; k++) {
		v[k - 1] = lt_node_dim(g, a[0].node, k);
		row[(int64_t)k * rank + k] = 1;
	}
	struct lt_view_piece piece = { .source = x, .map = { .n_dim = rank - 1, .n_row = rank, .row = row } };
	return lt_graph_view(g, rank - 1, v, 1, &piece, 0, 0);
}

lt_status lt__script_element(
	struct lt_script *s, const struct lt_arg *x, const struct lt_arg *at, const struct lt_cursor *from, bool last,
	struct lt_arg *out)
{
	static const struct lt_script_node type = { .name = "x[i]", .pattern = "$x, i", .build = build_element, .op = LT_NOP };
	const struct lt_arg *const given[] = { x, at };
	int32_t first = s->n_arg;
	if (x->kind == LT_ARG_LIST) {
		int64_t i = at->i < 0 ? at->i + x->n : at->i;
		if (i < 0 || i >= x->n)
			return lt__script_fail(s, at->position, LT_EINVAL, "Invalid index %lld: the list %s has %d number%s",
				(long long)at->i, lt__script_list(s, x->list, x->n), x->n, x->n == 1 ? "" : "s");
		*out = (struct lt_arg){ .kind = LT_ARG_NUMBER, .position = x->position, .statement = -1, .node = -1,
			.i = x->list[i], .number = (double)x->list[i], .whole = true };
		return LT_OK;
	}
	for (int32_t i = 0; i < 2; i++) {
		struct lt_arg *a = lt__script_new_arg(s, given[i]->kind);
		*a = *given[i];
		a->given = true;
	}
	return lt__script_add(s, &type, first, from, last, out);
}
