/* stage, materialize: a copy of a value with a leaf of its own: packing, caching, a view or a result that is stored. */
#include <string.h>
#include "looptree/schedule/schedule.h"
#include "looptree/tree/tree.h"
#include "looptree/derive/derive.h"

/* Elements of var v that one iteration of `at` and the loops around it leave: 1 where it is a single one; -1: all.
 * *over: the var that the loops so far count it by. */
static int64_t span_around(const struct lt_looptree *t, lt_tnode at, lt_var v, lt_var *over)
{
	*over = v;
	for (; at >= 0; at = t->node[at].parent) {
		int64_t step = t->node[at].kind == LT_TLOOP ? lt__var_step(t->graph, v, t->node[at].var, t->node[at].step) : 0;
		if (step) {
			*over = t->node[at].var;
			return step;
		}
	}
	return -1;
}

struct stage_nest { struct lt_edit *e; lt_tnode parent, after, last; };

static void add_loop(struct stage_nest *x, lt_var v, int64_t step)
{
	lt_var over;
	int64_t span = span_around(x->e->t, x->last, v, &over);
	if (span == 1 || (span > 0 && step >= span) || (span < 0 && step >= x->e->t->graph->var[v].extent && step > 1))
		return;
	lt_tnode loop = lt__edit_new_loop(x->e, over, over == v ? step : step * x->e->t->graph->var[v].unit);
	lt__edit_insert(x->e, x->last, x->last == x->parent ? x->after : -1, loop);
	x->last = loop;
}

lt_status lt__edit_nest(struct lt_edit *e, lt_node n, lt_tnode parent, lt_tnode after)
{
	struct lt_looptree *t = e->t;
	const struct lt_nodedef *d = &t->graph->node[n];
	const struct lt_memlayout *layout = t->layout[n];
	const struct lt_leaf *leaf;
	struct stage_nest x = { e, parent, after, parent };
	LT_TRY(lt__leaf(t, n, &leaf));
	for (int32_t i = 0; layout && i < layout->n; i++)
		add_loop(&x, d->dim[layout->digit[i].dim], layout->digit[i].step);
	for (int32_t i = 0; i < leaf->n_var; i++)
		add_loop(&x, leaf->var[i], 1);
	lt_tnode at = lt__edit_new_leaf(e, n);
	if (x.last < 0) {
		lt_tnode group = lt__edit_new_group(e);
		lt__edit_insert(e, -1, after, group);
		x.last = group;
	}
	lt__edit_insert(e, x.last, x.last == parent ? after : -1, at);
	return LT_OK;
}

/* The child of `parent` (-1: the root nest) that holds `at`. */
static lt_tnode child_with(const struct lt_looptree *t, lt_tnode parent, lt_tnode at)
{
	while (t->node[at].parent != parent)
		at = t->node[at].parent;
	return at;
}

/* The loop that a copy goes into, around the leaf of n; "root": none. */
static lt_status find_loop(struct lt_edit *e, const struct lt_step_word *w, lt_node n, lt_tnode *out)
{
	*out = -1;
	if (lt__word_is(w, "root"))
		return LT_OK;
	LT_TRY(lt__path_find(e->t, w, n, LT_PATH_AROUND, out));
	lt_tnode called = lt__edit_called(e->t, *out);
	if (!lt__is_above(e->t, *out, e->t->leaf_of[n]))
		return lt_fail(e->t->ctx, LT_EILLEGAL, "%%%s is not inside the loop %s; the copy is made in a loop around its "
			"reader, or at root",
			lt__leaf_name(e->t, n), lt__loop_path(e->t, *out));
	if (called >= 0)
		return lt_fail(e->t->ctx, LT_EILLEGAL, "the loop %s is in a nest that is handed over by `%s`; make that serial "
			"first", lt__loop_path(e->t, *out),
			lt__loop_is(e->t, called));
	return LT_OK;
}

/* "%B", whether it has a leaf or not. */
static lt_status find_node(const struct lt_looptree *t, const struct lt_step_word *w, lt_node *out)
{
	int shown = w->bytes < 60 ? (int)w->bytes : 60;
	*out = -1;
	if (w->bytes < 2 || w->at[0] != '%')
		return lt_fail(t->ctx, LT_ESYNTAX, "a value is named by its node, as %%y, not '%.*s'", shown, w->at);
	char *name = lt__arena_alloc(t->arena, w->bytes);
	memcpy(name, w->at + 1, w->bytes - 1);
	*out = lt__tree_node_named(t, name);
	return *out >= 0 ? LT_OK : lt__path_no_node(t, false, w->at + 1, w->bytes - 1);
}

/* "layout n/64 k n pad 8", "depth 2 async", in this order, from word `first` on. */
static lt_status read_remainder(
	struct lt_edit *e, const struct lt_words *w, int32_t first, lt_node copy, int32_t *buffers, bool *async)
{
	struct lt_looptree *t = e->t;
	int64_t depth = 1;
	if (first < w->n && lt__word_is(&w->word[first], "layout")) {
		int32_t end = ++first;
		while (end < w->n && !lt__word_is(&w->word[end], "depth"))
			end++;
		const struct lt_words digits = { end - first, w->word + first };
		LT_TRY(lt__layout_read(t, copy, &digits, &t->layout[copy]));
		first = end;
	}
	if (first + 1 < w->n && lt__word_is(&w->word[first], "depth")) {
		LT_TRY(lt__word_number(t, &w->word[first + 1], "depth", &depth));
		first += 2;
		if (depth > LT_MAX_DEPTH)
			return lt_fail(t->ctx, LT_EILLEGAL, "a depth is at most %d", LT_MAX_DEPTH);
		*async = first < w->n && lt__word_is(&w->word[first], "async");
		first += *async;
	}
	*buffers = (int32_t)depth;
	if (first < w->n)
		return lt_fail(t->ctx, LT_ESYNTAX,
			"'%.*s' is not allowed here; after the loop come `layout DIGIT ...` and `depth N [async]`",
			w->word[first].bytes < 60 ? (int)w->word[first].bytes : 60, w->word[first].at);
	return LT_OK;
}

/* The view through which the reader reads `of`, which is none of its operands; -1. */
static lt_node view_of(const struct lt_graph *g, lt_node reader, lt_node of)
{
	lt_node found = -1;
	for (int32_t i = 0; i < g->node[reader].n_operand; i++) {
		const struct lt_nodedef *x = &g->node[g->node[reader].operand[i]];
		if (g->node[reader].operand[i] == of)
			return -1;
		if (x->op == LT_OP_view && x->n_operand > 0 && x->operand[0] == of)
			found = g->node[reader].operand[i];
	}
	return found;
}

/* The copy of the window that the reader reads through the view in one iteration of `loop`. */
static lt_status make_window(struct lt_looptree *t, lt_node view, lt_tnode loop, struct lt_derived_step *s)
{
	const struct lt_nodedef *v = &t->graph->node[view];
	LT_TRY(lt__window_check(t->graph, t->arena, view));
	struct lt_derived_move *move = LT_NEW(t->arena, struct lt_derived_move, v->n_dim + 1);
	for (int32_t i = 0; i < v->n_dim; i++) {
		const struct lt_vardef *var = &t->graph->var[v->dim[i]];
		lt_var over;
		int64_t step = span_around(t, loop, v->dim[i], &over);
		if (step < 0 || (step >= var->extent && var->extent > 1) || !lt__window_moves(t->graph, t->arena, view, v->dim[i]))
			continue;
		struct lt_derived_move *m = &move[s->n_move++];
		*m = (struct lt_derived_move){ .var = var->name, .step = step };
		if (step > 1)
			m->dim = lt__derived_dim(t, var->name, step);
	}
	s->kind = LT_DERIVED_WINDOW;
	s->of = v->name;
	s->move = move;
	return LT_OK;
}

lt_status lt__primitive_stage(struct lt_edit *e, const struct lt_words *w)
{
	struct lt_looptree *t = e->t;
	lt_node reader, of;
	lt_tnode loop;
	LT_TRY(lt__path_leaf(t, &w->word[0], &reader));
	LT_TRY(find_node(t, &w->word[1], &of));
	if (!lt__word_is(&w->word[2], "at"))
		return lt_fail(t->ctx, LT_ESYNTAX, "`at LOOP` says where the copy is made; `at root` makes it in a nest of its own");
	LT_TRY(find_loop(e, &w->word[3], reader, &loop));
	struct lt_derived_step step = { .kind = LT_DERIVED_COPY,
		.reader = lt__leaf_name(t, reader),
		.of = lt__leaf_name(t, of),
		.made = lt__derived_name(t, lt__arena_format(t->arena, "%s.copy", lt__leaf_name(t, of))) };
	lt_node view = view_of(t->graph, reader, of), *to = LT_NEW(t->arena, lt_node, t->graph->n_node + 1);
	if (view >= 0)
		LT_TRY(make_window(t, view, loop, &step));
	LT_TRY(lt__tree_derive(t, &step, 1, to));
	lt_node copy = lt__tree_node_named(t, step.made);
	int32_t depth = 1;
	bool async = false;
	LT_TRY(read_remainder(e, w, 4, copy, &depth, &async));
	LT_TRY(lt__edit_nest(e, copy, loop, lt__edit_before(t, child_with(t, loop, t->leaf_of[to[reader]]))));
	t->node[t->leaf_of[copy]].depth = depth;
	t->node[t->leaf_of[copy]].async = async;
	return LT_OK;
}

static bool is_outside(const struct lt_graph *g, lt_node n)
{
	for (int32_t i = 0; i < g->n_result; i++)
		if (g->result[i].node == n)
			return true;
	for (int32_t i = 0; i < g->n_set; i++)
		if (g->set[i].value == n)
			return true;
	return false;
}

/* The first leaf in the text that reads n; -1. */
static lt_status first_reader(struct lt_looptree *t, lt_node n, lt_tnode *out)
{
	*out = -1;
	for (lt_tnode at = lt_looptree_leaf_after(t, -1); at >= 0 && *out < 0; at = lt_looptree_leaf_after(t, at)) {
		const struct lt_leaf *leaf;
		LT_TRY(lt__leaf(t, t->node[at].leaf, &leaf));
		for (int32_t k = 0; k < leaf->n_read; k++)
			for (int32_t p = 0; p < leaf->read[k].n_piece; p++)
				if (leaf->read[k].piece[p].base == n)
					*out = at;
	}
	return LT_OK;
}

lt_status lt__primitive_materialize(struct lt_edit *e, const struct lt_words *w)
{
	struct lt_looptree *t = e->t;
	lt_node of;
	lt_tnode loop = -1, by;
	LT_TRY(find_node(t, &w->word[0], &of));
	bool store = is_outside(t->graph, of), has_leaf = t->leaf_of[of] >= 0;
	if (has_leaf && !store)
		return lt_fail(t->ctx, LT_EILLEGAL, "%%%s has a leaf, which says where it is stored; `stage` copies it for a "
			"reader", lt__leaf_name(t, of));
	if (has_leaf && t->graph->node[of].op == LT_OP_update)
		return lt_fail(t->ctx, LT_EILLEGAL, "%%%s changes the result itself, which cannot be stored elsewhere",
			lt__leaf_name(t, of));
	if (w->n == 2 || (w->n == 3 && !lt__word_is(&w->word[1], "at")))
		return lt_fail(t->ctx, LT_ESYNTAX, "`at LOOP` says where the copy is made");
	const struct lt_derived_step step = { .kind = LT_DERIVED_MATERIALIZE, .of = lt__leaf_name(t, of),
		.made = lt__derived_name(t, lt__arena_format(t->arena, "%s.copy", lt__leaf_name(t, of))) };
	lt_node *to = LT_NEW(t->arena, lt_node, t->graph->n_node + 1);
	LT_TRY(lt__tree_derive(t, &step, 1, to));
	lt_node copy = lt__tree_node_named(t, step.made);
	by = t->leaf_of[to[of]];
	if (!has_leaf)
		LT_TRY(first_reader(t, copy, &by));
	if (by < 0)
		return lt_fail(t->ctx, LT_EILLEGAL, "no leaf reads %%%s", lt__leaf_name(t, to[of]));
	if (w->n == 3)
		LT_TRY(find_loop(e, &w->word[2], t->node[by].leaf, &loop));
	lt_tnode child = child_with(t, loop, by);
	return lt__edit_nest(e, copy, loop, has_leaf ? child : lt__edit_before(t, child));
}
