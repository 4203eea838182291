/* Storage assignment: which storage each whole value lives in, when an update may overwrite. */
#include <string.h>
#include "program/storage/storage.h"

struct assigner {
	const struct lt_bindings *bindings;
	struct lt_arena *a;
	struct lt_assigned *out;
	const struct lt_graph *g;
	struct lt_looptree *t;
	int32_t *root_number;   /* by graph node: position of its leaf's nest, -1 */
	lt_node *first_reader;  /* by graph node: list of leaves and updates that read it */
	struct reading { lt_node leaf; int32_t next; } *reading;
	int32_t n_reading, cap_reading;
	int32_t *may_set;       /* by update: binding of the state whose new content it is part of, -1 */
	bool *content;          /* by node: a state's new content, read at the end of the run */
};

static int32_t storage_add(
	struct assigner *c, enum lt_storage_space space, int32_t binding, enum lt_dtype dtype, int64_t elems)
{
	struct lt_assigned *l = c->out;
	LT_GROW(c->a, l->storage, l->n_storage, l->cap_storage);
	l->storage[l->n_storage] = (struct lt_storage){ .space = space, .binding = binding, .dtype = dtype, .elems = elems };
	return l->n_storage++;
}

static void storage_assign(struct assigner *c, lt_node n, int32_t storage)
{
	const struct lt_nodedef *d = &c->g->node[n];
	struct lt_location *at = &c->out->location[n];
	int64_t unit = 1;
	*at = (struct lt_location){ .storage = storage, .stride = LT_NEW(c->a, int64_t, d->n_dim + 1) };
	for (int32_t i = d->n_dim - 1; i >= 0; i--) {
		at->stride[i] = unit;
		unit *= c->t->leaf_of[n] >= 0 ? c->t->scope[n].extent[i] : c->g->var[d->dim[i]].extent;
	}
}

static int32_t binding_of(const struct assigner *c, enum lt_binding kind, const struct lt_nodedef *d)
{
	return lt__binding_find(&c->bindings[kind], d->label ? d->label : d->name);
}

static void record_reader(struct assigner *c, lt_node of, lt_node leaf)
{
	LT_GROW(c->a, c->reading, c->n_reading, c->cap_reading);
	c->reading[c->n_reading] = (struct reading){ leaf, c->first_reader[of] };
	c->first_reader[of] = c->n_reading++;
}

static lt_status find_readers(struct assigner *c)
{
	for (lt_node n = 0; n < c->g->n_node; n++) {
		const struct lt_leaf *leaf;
		if (c->t->leaf_of[n] < 0)
			continue;
		LT_TRY(lt__leaf(c->t, n, &leaf));
		for (int32_t k = 0; k < leaf->n_read; k++)
			for (int32_t i = 0; i < leaf->read[k].n_piece; i++)
				if (leaf->read[k].piece[i].base >= 0)
					record_reader(c, leaf->read[k].piece[i].base, n);
		if (c->g->node[n].op == LT_OP_update)
			record_reader(c, c->g->node[n].operand[0], n);
	}
	return LT_OK;
}

static bool is_content_of_other(const struct assigner *c, lt_node n, int32_t binding)
{
	for (int32_t i = 0; c->content[n] && i < c->g->n_set; i++)
		if (c->g->set[i].value == n && binding_of(c, LT_BINDING_STATE, &c->g->node[c->g->set[i].state]) != binding)
			return true;
	return false;
}

/* Whether update n may write into the storage of its first operand: nothing reads the old content afterwards. */
static bool in_place(const struct assigner *c, lt_node n)
{
	lt_node x = c->g->node[n].operand[0];
	const struct lt_location *at = &c->out->location[x];
	const struct lt_storage *s = &c->out->storage[at->storage];
	if (c->content[x] || (s->space == LT_STORAGE_STATE ? c->may_set[n] != s->binding : s->space != LT_STORAGE_WORKSPACE))
		return false;
	/* Another state's new content must outlive what this one is given at the end. */
	if (s->space == LT_STORAGE_STATE && is_content_of_other(c, n, s->binding))
		return false;
	for (int32_t r = c->first_reader[x]; r >= 0; r = c->reading[r].next) {
		lt_node leaf = c->reading[r].leaf;
		if (leaf != n && c->root_number[leaf] >= c->root_number[n])
			return false;
		const struct lt_leaf *a = c->t->leaf[n];
		for (int32_t k = 0; leaf == n && k < a->n_read; k++)    /* the part is read from the old content */
			for (int32_t i = 0; i < a->read[k].n_piece; i++)
				if (a->read[k].piece[i].base == x)
					return false;
	}
	return true;
}

static void assign_sources(struct assigner *c, lt_node n, enum lt_storage_space space, enum lt_binding kind)
{
	const struct lt_nodedef *d = &c->g->node[n];
	storage_assign(c, n, storage_add(c, space, binding_of(c, kind, d), d->dtype, lt__node_elems(c->g, n)));
}

static void assign_results(struct assigner *c)
{
	const struct lt_graph *g = c->g;
	for (int32_t i = 0; i < g->n_result; i++) {
		lt_node n = g->result[i].node;
		int32_t s = storage_add(c, LT_STORAGE_RESULT, i, g->node[n].dtype, lt__node_elems(g, n));
		if (lt__has_leaf(g, n)) {
			storage_assign(c, n, s);
			continue;
		}
		struct lt_location *slice = LT_NEW(c->a, struct lt_location, g->node[n].n_operand + 1);
		if (!lt__alias_result(g, c->a, n, slice))
			lt_bug("a result has neither a leaf nor slices");
		for (int32_t k = 0; k < g->node[n].n_operand; k++) {
			slice[k].storage = s;
			c->out->location[g->node[n].operand[k]] = slice[k];
		}
	}
}

/* A value between nests may lie in another order than its dims', with room after them. */
static lt_status assign_computed(struct assigner *c, lt_node n)
{
	int64_t elems;
	LT_TRY(lt__held_elems(c->t, n, c->t->scope[n].extent, &elems));
	storage_assign(c, n,
		storage_add(
			c, c->out->early[n] ? LT_STORAGE_PREPARED : LT_STORAGE_WORKSPACE, -1, c->g->node[n].dtype, elems));
	return LT_OK;
}

static void mark_states(struct assigner *c)
{
	const struct lt_graph *g = c->g;
	for (lt_node n = 0; n < g->n_node; n++)
		c->may_set[n] = -1;
	for (int32_t i = 0; i < g->n_set; i++)
		c->content[g->set[i].value] = true;
	for (int32_t i = 0; i < g->n_set; i++)
		for (lt_node n = g->set[i].value; g->node[n].op == LT_OP_update; n = g->node[n].operand[0])
			if (c->may_set[n] < 0)
				c->may_set[n] = binding_of(c, LT_BINDING_STATE, &g->node[g->set[i].state]);
}

/* Whether a leaf reads what a run computes. */
static bool reads_run(const struct assigner *c, lt_node n)
{
	const struct lt_leaf *leaf = c->t->leaf[n];
	for (int32_t k = 0; k < leaf->n_read; k++)
		for (int32_t i = 0; i < leaf->read[k].n_piece; i++) {
			lt_node base = leaf->read[k].piece[i].base;
			if (base >= 0 && c->t->leaf_of[base] >= 0 && c->root_number[base] != c->root_number[n] && !c->out->early[base])
				return true;
		}
	return false;
}

/* A nest runs before the first run only as a whole: if all of its leaves, and all that they read, may. */
static void find_early(struct assigner *c)
{
	const struct lt_looptree *t = c->t;
	bool *early = c->out->early = lt__constant_nodes(c->g, c->a);
	for (lt_tnode at = lt_looptree_leaf_after(t, -1), next; at >= 0; at = next) {
		int32_t root = c->root_number[t->node[at].leaf];
		bool all = true;
		for (next = at; next >= 0 && c->root_number[t->node[next].leaf] == root; next = lt_looptree_leaf_after(t, next))
			all = all && early[t->node[next].leaf] && !reads_run(c, t->node[next].leaf);
		for (; at != next; at = lt_looptree_leaf_after(t, at))
			early[t->node[at].leaf] = all;
	}
}

static lt_status assign_all(struct assigner *c)
{
	const struct lt_graph *g = c->g;
	LT_TRY(find_readers(c));
	find_early(c);
	mark_states(c);
	assign_results(c);
	for (lt_node n = 0; n < g->n_node; n++) {
		const struct lt_nodedef *d = &g->node[n];
		if (d->op == LT_OP_input)
			assign_sources(c, n, LT_STORAGE_INPUT, LT_BINDING_INPUT);
		else if (d->op == LT_OP_constant)
			assign_sources(c, n, LT_STORAGE_CONSTANT, LT_BINDING_CONSTANT);
		else if (d->op == LT_OP_state)
			assign_sources(c, n, LT_STORAGE_STATE, LT_BINDING_STATE);
		else if (c->t->leaf_of[n] < 0 || !c->t->scope[n].whole || c->out->location[n].storage >= 0)
			continue;
		else if (d->op == LT_OP_update && in_place(c, n))
			c->out->location[n] = c->out->location[d->operand[0]];
		else
			LT_TRY(assign_computed(c, n));
	}
	if (g->n_param > 0)
		c->out->param_storage = storage_add(c, LT_STORAGE_PARAM, -1, LT_I64, g->n_param);
	return LT_OK;
}

lt_status lt__assign_storage(
	struct lt_looptree *t, const struct lt_bindings *bindings, struct lt_arena *a, struct lt_assigned *out)
{
	const struct lt_graph *g = t->graph;
	size_t n = (size_t)g->n_node + 1;
	struct assigner c = { .bindings = bindings, .a = a, .out = out, .g = g, .t = t, .root_number = LT_NEW(a, int32_t, n),
		.first_reader = LT_NEW(a, lt_node, n), .may_set = LT_NEW(a, int32_t, n), .content = LT_NEW(a, bool, n) };
	*out = (struct lt_assigned){ .location = LT_NEW(a, struct lt_location, n), .param_storage = -1 };
	for (lt_node i = 0; i < g->n_node; i++)
		out->location[i].storage = c.first_reader[i] = c.root_number[i] = -1;
	int32_t number = 0;
	for (lt_tnode root = t->root; root >= 0; root = t->node[root].next, number++)
		for (lt_tnode at = root; at >= 0 && (at == root || t->node[at].parent >= 0); at = lt_looptree_after(t, at))
			if (t->node[at].kind == LT_TLEAF)
				c.root_number[t->node[at].leaf] = number;
	return assign_all(&c);
}

struct lt_fmemory lt__assigned_memory(const struct lt_assigned *x, struct lt_arena *a)
{
	static const int32_t role[] = { [LT_STORAGE_INPUT] = LT_INPUT,
		[LT_STORAGE_CONSTANT] = LT_CONSTANT,
		[LT_STORAGE_STATE] = LT_STATE,
		[LT_STORAGE_RESULT] = LT_OUTPUT,
		[LT_STORAGE_WORKSPACE] = LT_WORKSPACE,
		[LT_STORAGE_PREPARED] = LT_WORKSPACE,
		[LT_STORAGE_PARAM] = LT_WORKSPACE };
	struct lt_fstorage *storage = LT_NEW(a, struct lt_fstorage, x->n_storage + 1);
	for (int32_t i = 0; i < x->n_storage; i++) {
		const struct lt_storage *s = &x->storage[i];
		storage[i] = (struct lt_fstorage){ .role = role[s->space], .dtype = s->dtype, .aligned = lt__space_is_ours(s->space),
			.elems = s->elems };
	}
	return (struct lt_fmemory){ .n_storage = x->n_storage,
		.storage = storage,
		.location = x->location,
		.param_storage = x->param_storage };
}
