/* Counting what a tree runs, line by line: it is frozen as if every whole value had memory of its own, and its kernels
 * are counted. */
#include <string.h>
#include "base/names.h"
#include "looptree/count/count.h"
#include "looptree/derive/derive.h"

/* -- memory of its own for each whole value -- */

/* Fills the storage and location of value n. */
static void count_storage(const struct lt_looptree *t, struct lt_arena *a, lt_node n, int32_t number,
	struct lt_fstorage *storage, struct lt_location *location)
{
	const struct lt_nodedef *d = &t->graph->node[n];
	int64_t unit = 1;
	*location = (struct lt_location){ .storage = number, .stride = LT_NEW(a, int64_t, d->n_dim + 1) };
	for (int32_t i = d->n_dim - 1; i >= 0; i--) {
		location->stride[i] = unit;
		unit = lt__mul_sat(unit, t->leaf_of[n] >= 0 ? t->scope[n].extent[i] : t->graph->var[d->dim[i]].extent);
	}
	*storage = (struct lt_fstorage){ .role = LT_WORKSPACE, .dtype = d->dtype, .aligned = true, .elems = unit };
}

static void count_memory(const struct lt_looptree *t, struct lt_arena *a, struct lt_fmemory *out)
{
	const struct lt_graph *g = t->graph;
	struct lt_fstorage *storage = LT_NEW(a, struct lt_fstorage, g->n_node + 1);
	struct lt_location *location = LT_NEW(a, struct lt_location, g->n_node + 1);
	int32_t n_storage = 0;
	for (lt_node n = 0; n < g->n_node; n++) {
		enum lt_opcode op = g->node[n].op;
		bool source = op == LT_OP_input || op == LT_OP_constant || op == LT_OP_state;
		location[n].storage = -1;
		if (source || (t->leaf_of[n] >= 0 && t->scope[n].whole)) {
			count_storage(t, a, n, n_storage, &storage[n_storage], &location[n]);
			n_storage++;
		}
	}
	storage[n_storage] = (struct lt_fstorage){ .role = LT_WORKSPACE, .dtype = LT_I64, .elems = g->n_param };
	*out = (struct lt_fmemory){
		.n_storage = n_storage + 1, .storage = storage, .location = location, .param_storage = n_storage
	};
}

/* -- lines -- */

/* What the first copy of each loop runs, in the first copies of those around it.  (The copies made ahead of a loop come
 * before it, but compute nothing.) */
static void count_loops(
	const struct lt_frozen *f, const int64_t *param, struct lt_arena *a, int32_t *first_copy, int64_t *by_tnode)
{
	for (int32_t i = 0; i < f->tree.n_loop; i++) {
		const struct lt_loopline *line = &f->line[i];
		int32_t up = LT_AT(struct lt_loop, f->tree.loops, i)->parent;
		if (line->at < 0 || (up >= 0 && (f->line[up].at < 0 || first_copy[f->line[up].at] != up)))
			continue;
		by_tnode[line->at] = lt__add_sat(by_tnode[line->at], lt__count_loop(f, param, i, a));
		int32_t *first = &first_copy[line->at];
		if (*first < 0 || (f->line[*first].part && !line->part))
			*first = i;
	}
}

/* A group runs what is in it, once; one that a routine gets, or a block of threads does, is a loop of the frozen tree,
 * and counted.  The recursion is as deep as the nest. */
static void count_groups(const struct lt_looptree *t, lt_tnode at, const int32_t *first_copy, int64_t *by_tnode)
{
	const struct lt_tnodedef *d = &t->node[at];
	if (d->kind == LT_TLEAF)
		by_tnode[at] = lt__op_counts(t->graph->node[d->leaf].op);
	for (lt_tnode child = d->child; child >= 0; child = t->node[child].next) {
		count_groups(t, child, first_copy, by_tnode);
		if (d->kind == LT_TGROUP && first_copy[at] < 0)
			by_tnode[at] = lt__add_sat(by_tnode[at], by_tnode[child]);
	}
}

/* A copy of the tree whose run-time extents are their maxima.  Params that are left move reads, and nothing that is
 * counted. */
static void fix_extents(const struct lt_looptree *t, struct lt_arena *a, struct lt_graph *g, struct lt_looptree *fixed)
{
	*g = *t->graph;
	g->var = lt__arena_copy(a, g->var, sizeof *g->var * (size_t)g->n_var);
	for (lt_var v = 0; v < g->n_var; v++)
		g->var[v].bounded = false;
	*fixed = *t;
	fixed->graph = g;
}

lt_status lt__count_tree(
	struct lt_looptree *t, struct lt_arena *a, int64_t *executed_by_tnode, struct lt_counted *by_root)
{
	struct lt_graph g;
	struct lt_looptree fixed;
	struct lt_fmemory memory;
	struct lt_frozen *frozen;
	fix_extents(t, a, &g, &fixed);
	count_memory(&fixed, a, &memory);
	lt_tnode failed;
	LT_TRY(lt__freeze(&fixed, &memory, a, &frozen, &failed));
	int64_t *param = LT_NEW(a, int64_t, g.n_param + 1);
	int32_t *first_copy = LT_NEW(a, int32_t, t->n_node + 1), number = 0;
	for (lt_tnode at = 0; at < t->n_node; at++)
		first_copy[at] = -1;
	for (lt_tnode root = t->root; root >= 0; root = t->node[root].next, number++) {
		if (by_root)
			lt__count_kernel(&frozen[number], param, a, &by_root[number]);
		if (!executed_by_tnode)
			continue;
		count_loops(&frozen[number], param, a, first_copy, executed_by_tnode);
		count_groups(t, root, first_copy, executed_by_tnode);
	}
	return LT_OK;
}

/* -- what is computed a second time -- */

/* A value of the graph that the tree was made for, or what took its place: by a number of its own, -1 what is not
 * one. */
static int32_t value_of(const struct lt_names *stands, const char *name)
{
	return lt__names_find(stands, name, strlen(name));
}

static void follow_steps(const struct lt_looptree *t, struct lt_names *stands)
{
	for (lt_node n = 0; n < t->base->n_node; n++)
		lt__names_add(stands, t->base->node[n].name, strlen(t->base->node[n].name), n);
	for (int32_t i = 0; t->derived && i < t->derived->n_step; i++) {
		const struct lt_derived_step *s = &t->derived->step[i];
		bool again = s->kind == LT_DERIVED_CLONE || s->kind == LT_DERIVED_CLONE_VIEW || s->kind == LT_DERIVED_PARTIAL;
		lt__names_add(stands, s->made, strlen(s->made), again ? value_of(stands, s->of) : -1);
		if (s->kind == LT_DERIVED_PARTIAL)          /* all terms are in the partial results now */
			lt__names_add(stands, s->of, strlen(s->of), -1);
	}
}

bool *lt__useful_leaves(const struct lt_looptree *t, struct lt_arena *a)
{
	const struct lt_graph *g = t->graph;
	bool *useful = LT_NEW(a, bool, g->n_node + 1);
	lt_node *first = LT_NEW(a, lt_node, t->base->n_node + 1);
	struct lt_names *stands = lt__names_new(a);
	follow_steps(t, stands);
	for (lt_node n = 0; n < t->base->n_node; n++)
		first[n] = -1;
	for (lt_tnode at = lt_looptree_leaf_after(t, -1); at >= 0; at = lt_looptree_leaf_after(t, at)) {
		lt_node n = t->node[at].leaf;
		int32_t value = value_of(stands, g->node[n].name);
		if (value >= 0 && (first[value] < 0 || !strcmp(g->node[n].name, t->base->node[value].name)))
			first[value] = n;
	}
	for (lt_node n = 0; n < t->base->n_node; n++)
		if (first[n] >= 0)
			useful[first[n]] = true;
	return useful;
}
