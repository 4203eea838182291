/* inline: each reader of a value computes it itself. */
#include <string.h>
#include "looptree/schedule/schedule.h"
#include "looptree/derive/derive.h"

static bool is_read_by(const struct lt_graph *g, lt_node x, lt_node reader)
{
	for (int32_t i = 0; i < g->node[reader].n_operand; i++)
		if (g->node[reader].operand[i] == x)
			return true;
	return false;
}

/* What leaves read, themselves or through views, and what is written through: a view that lost its last reader is
 * none. */
static bool *live_nodes(const struct lt_looptree *t)
{
	const struct lt_graph *g = t->graph;
	bool *live = LT_NEW(t->arena, bool, g->n_node + 1);
	for (int32_t i = 0; i < g->n_result; i++)
		live[g->result[i].node] = true;
	for (int32_t i = 0; i < g->n_set; i++)
		live[g->set[i].value] = true;
	for (lt_node n = g->n_node - 1; n >= 0; n--) {
		live[n] = live[n] || t->leaf_of[n] >= 0;
		for (int32_t i = 0; live[n] && i < g->node[n].n_operand; i++)
			live[g->node[n].operand[i]] = true;
	}
	return live;
}

static bool *written_nodes(const struct lt_looptree *t)
{
	const struct lt_graph *g = t->graph;
	bool *written = LT_NEW(t->arena, bool, g->n_node + 1);
	lt__mark_outside(g, written);
	return written;
}

/* -- where a clone goes -- */

/* the first leaf that reads it, -1; what those leaves share, as far as they read in place */
struct spot { lt_tnode first, parent; };

static void meet(const struct lt_looptree *t, struct spot *s, lt_tnode at, bool in_place)
{
	lt_tnode parent = in_place ? t->node[at].parent : -1;
	if (s->first < 0)
		*s = (struct spot){ at, parent };
	else
		s->parent = s->parent < 0 || parent < 0 ? -1 : lt__common(t, s->parent, parent);
}

static bool is_in_place(const struct lt_looptree *t, const struct lt_leaf *leaf, const struct lt_readpiece *p)
{
	for (int32_t i = 0; i < t->graph->node[p->base].n_dim; i++) {
		int32_t column = lt__leaf_column(leaf, t->graph->node[p->base].dim[i]);
		if (column < 0 || !lt__row_is(&p->map, i, column))
			return false;
	}
	return true;
}

static lt_status find_spot(struct lt_looptree *t, lt_node clone, struct spot *s)
{
	*s = (struct spot){ -1, -1 };
	for (lt_tnode at = lt_looptree_leaf_after(t, -1); at >= 0; at = lt_looptree_leaf_after(t, at)) {
		lt_node n = t->node[at].leaf, x = n;
		const struct lt_leaf *leaf;
		if (n < 0)              /* the leaf that is taken out */
			continue;
		LT_TRY(lt__leaf(t, n, &leaf));
		if (t->graph->node[n].op == LT_OP_update)
			for (x = t->graph->node[n].operand[0]; t->graph->node[x].op == LT_OP_view && t->graph->node[x].n_operand > 0;)
				x = t->graph->node[x].operand[0];
		if (x == clone)
			meet(t, s, at, false);
		for (int32_t k = 0; k < leaf->n_read; k++)
			for (int32_t p = 0; p < leaf->read[k].n_piece; p++)
				if (leaf->read[k].piece[p].base == clone)
					meet(t, s, at, is_in_place(t, leaf, &leaf->read[k].piece[p]));
	}
	return LT_OK;
}

/* Whether the loop counts a var that the node reduces. */
static bool counts_reduced(const struct lt_looptree *t, lt_node n, lt_tnode loop)
{
	const struct lt_nodedef *x = &t->graph->node[t->graph->node[n].operand[0]];
	for (int32_t i = 0; t->node[loop].kind == LT_TLOOP && i < x->n_dim; i++)
		if (lt__reduces(t->graph, n, x->dim[i]) && lt__var_step(t->graph, x->dim[i], t->node[loop].var, t->node[loop].step))
			return true;
	return false;
}

/* The clone is right before its first reader, in the loops that it shares with all of them; where one reads it at other
 * places, in a nest of its own.  A reduction has loops of its own: it is outside loops over what it reduces, and of
 * its reader's reducing loops, where it would be run again. */
static lt_status insert_clone(struct lt_edit *e, lt_node clone)
{
	struct lt_looptree *t = e->t;
	struct spot s;
	LT_TRY(find_spot(t, clone, &s));
	if (s.first < 0)
		return lt_fail(t->ctx, LT_EILLEGAL, "no leaf reads %%%s", lt__leaf_name(t, clone));
	if (t->graph->node[clone].reduce) {
		lt_tnode reducing = lt__reducing_loop(t, t->node[s.first].leaf);
		if (reducing >= 0 && s.parent >= 0 && (s.parent == reducing || lt__is_above(t, reducing, s.parent)))
			s.parent = t->node[reducing].parent;
		for (lt_tnode up = s.parent; up >= 0; up = t->node[up].parent)
			if (counts_reduced(t, clone, up))
				s.parent = t->node[up].parent;
	}
	while (t->node[s.first].parent != s.parent)
		s.first = t->node[s.first].parent;
	return lt__edit_nest(e, clone, s.parent, lt__edit_before(t, s.first));
}

/* Removes a leaf that is no longer a node's, with the loops that only it had. */
static void take_out(struct lt_edit *e, lt_tnode at)
{
	for (lt_tnode up; at >= 0 && e->t->node[at].child < 0; at = up) {
		up = e->t->node[at].parent;
		lt__edit_detach(e, at);
	}
}

/* -- readers -- */

/* The nest of a leaf, or of the first that reads a view; -1: there is none. */
static lt_tnode nest_of(const struct lt_looptree *t, lt_node x)
{
	while (x >= 0 && t->leaf_of[x] < 0) {
		lt_node reader = x + 1;
		while (reader < t->graph->n_node && !is_read_by(t->graph, x, reader))
			reader++;
		x = t->graph->node[x].op == LT_OP_view && reader < t->graph->n_node ? reader : -1;
	}
	return x < 0 ? -1 : lt__root_of(t, t->leaf_of[x]);
}

/* Who reads view v, except for the nest of the first of them: their names. */
static int32_t view_readers(const struct lt_looptree *t, lt_node v, const char **out)
{
	lt_tnode first = -1;
	int32_t n = 0;
	for (lt_node x = v + 1; x < t->graph->n_node; x++) {
		const lt_tnode root = is_read_by(t->graph, v, x) ? nest_of(t, x) : -1;
		if (first >= 0 && root >= 0 && root != first)
			out[n++] = lt__arena_string(t->arena, lt__leaf_name(t, x));
		first = first < 0 ? root : first;
	}
	return n;
}

/* A view by which several nests read n becomes one for each of them, so that each can compute n for itself. */
static lt_status part_views(struct lt_looptree *t, lt_node n)
{
	const int32_t n_node = t->graph->n_node;
	const char **view = LT_NEW(t->arena, const char *, n_node + 1), **reader = LT_NEW(t->arena, const char *, n_node + 1);
	int32_t n_view = 0;
	for (lt_node x = n + 1; x < n_node; x++)
		if (t->graph->node[x].op == LT_OP_view && t->graph->node[x].n_operand == 1 && is_read_by(t->graph, n, x))
			view[n_view++] = lt__arena_string(t->arena, lt__leaf_name(t, x));
	for (int32_t i = 0; i < n_view; i++) {
		const int32_t n_reader = view_readers(t, lt__tree_node_named(t, view[i]), reader);
		for (int32_t k = 0; k < n_reader; k++) {
			const struct lt_derived_step step = { .kind = LT_DERIVED_CLONE, .of = view[i], .reader = reader[k],
				.made = lt__derived_name(t, lt__arena_format(t->arena, "%s.again", view[i])) };
			LT_TRY(lt__tree_derive(t, &step, 1, NULL));
		}
	}
	return LT_OK;
}

/* first: the one that keeps the node, -1 */
struct inline_readers { int32_t n, first; const char **name; bool *through; };

static lt_status find_readers(struct lt_looptree *t, lt_node n, struct inline_readers *r)
{
	const struct lt_graph *g = t->graph;
	const bool *live = live_nodes(t), *written = written_nodes(t);
	bool copies = false;
	lt_node view = -1;
	*r = (struct inline_readers){ .first = -1,
		.name = LT_NEW(t->arena, const char *, g->n_node + 1),
		.through = LT_NEW(t->arena, bool, g->n_node + 1) };
	for (lt_node x = 0; x < g->n_node; x++) {
		if (!live[x] || !is_read_by(g, n, x))
			continue;
		r->through[r->n] = g->node[x].op == LT_OP_view && !written[x] && g->node[n].op != LT_OP_gather
			&& g->node[n].op != LT_OP_update;
		copies = g->node[x].op == LT_OP_copy;
		view = g->node[x].op == LT_OP_view ? x : view;
		if (!r->through[r->n] && r->first < 0)
			r->first = r->n;
		r->name[r->n++] = lt__arena_string(t->arena, lt__leaf_name(t, x));
	}
	if (r->n == 0)
		return lt_fail(t->ctx, LT_EILLEGAL, "%%%s is not read, so there is no reader to compute it", lt__leaf_name(t, n));
	if (r->n == 1 && r->first == 0 && view >= 0)
		return lt_fail(t->ctx, LT_EILLEGAL,
			written[view] ? "%%%s has one reader, the result %%%s, which it is stored in; `materialize "
					"%%%s` first"
				      : "%%%s gathers, so it cannot be computed at the points where %%%s reads it; "
					"`stage` the value %%%s for its reader",
			lt__leaf_name(t, n), lt__leaf_name(t, view), lt__leaf_name(t, view));
	if (r->n == 1 && r->first == 0 && (!copies || written[n]))
		return lt_fail(t->ctx, LT_EILLEGAL, "%%%s has one reader; `fuse` moves it to where it is read", lt__leaf_name(t, n));
	if (r->n == 1)
		r->first = -1;
	return LT_OK;
}

lt_status lt__primitive_inline(struct lt_edit *e, const struct lt_words *w)
{
	struct lt_looptree *t = e->t;
	struct inline_readers r;
	lt_node n;
	LT_TRY(lt__path_leaf(t, &w->word[0], &n));
	const char *of = lt__arena_string(t->arena, lt__leaf_name(t, n));       /* the graph is another one after a step */
	lt_tnode at = t->leaf_of[n];
	LT_TRY(part_views(t, n));
	n = lt__tree_node_named(t, of);
	LT_TRY(find_readers(t, n, &r));
	for (int32_t i = 0; i < r.n; i++) {
		if (i == r.first)
			continue;
		const struct lt_derived_step step = { .kind = r.through[i] ? LT_DERIVED_CLONE_VIEW : LT_DERIVED_CLONE,
			.of = of,
			.reader = r.name[i],
			.made = lt__derived_name(t, lt__arena_format(t->arena, "%s.again", of)) };
		LT_TRY(lt__tree_derive(t, &step, 1, NULL));
		LT_TRY(insert_clone(e, lt__tree_node_named(t, step.made)));
	}
	if (t->node[at].leaf < 0)
		take_out(e, at);
	return LT_OK;
}
