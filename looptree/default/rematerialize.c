/* What the default tree computes again: a cheap node of what lies in memory, read on both sides of a reduction of it,
 * and a cast of halves that several read who wait for another product.
 *
 * The row that is reduced is in a cache when it is read again; a row of the node's own would have to be written as
 * well.  The cast would be stored until the product is done, in twice the bytes of what it is a cast of.
 */
#include "looptree/derive/derive.h"
#include "looptree/default/vectorize_cpu.h"

enum { MAX_READERS = 8, MAX_ROUNDS = 4 };

static bool is_cheap(enum lt_opcode op) { return op == LT_OP_cast || (lt__op_info(op)->traits & LT_TRAIT_CHEAP); }

/* Whether it is read element by element from one value of its size, which lies in memory or is computed again
 * itself. */
static bool is_near_memory(const struct lt_auto *s, const bool *near, lt_node n)
{
	const struct lt_nodedef *d = &s->g->node[n];
	const struct lt_leaf *leaf = s->t->leaf[n];
	int32_t full = 0;
	if (!is_cheap(d->op) || d->reduce || d->n_dim == 0)
		return false;
	for (int32_t k = 0; k < leaf->n_read; k++)
		for (int32_t i = 0; i < leaf->read[k].n_piece; i++) {
			lt_node base = leaf->read[k].piece[i].base;
			if (base < 0 || s->g->node[base].n_dim < d->n_dim)
				continue;
			if (leaf->read[k].n_piece > 1 || (lt__has_leaf(s->g, base) && !near[base]) || !lt__reads_in_place(s, n, base, -1))
				return false;
			full++;
		}
	return full == 1;
}

static lt_node root_of(const struct lt_auto *s, lt_node n)
{
	while (s->is_inlined[n])
		n = s->reader[n];
	return n;
}

struct cheap_readers { int32_t n; lt_node at[MAX_READERS + 1]; };

/* The factors of a product have trees of their own. */
static bool is_factor(const struct lt_auto *s, lt_node reader)
{
	const struct lt_nodedef *d = &s->g->node[reader];
	return d->op == LT_OP_mul && s->is_inlined[reader] && s->g->node[s->reader[reader]].reduce
		&& d->operand[0] != d->operand[1];
}

static bool reduces_dim(const struct lt_auto *s, lt_node sum, lt_node n)
{
	for (int32_t i = 0; i < s->g->node[n].n_dim; i++)
		if (lt__reduces(s->g, sum, s->g->node[n].dim[i]))
			return true;
	return false;
}

/* Whether its readers are apart, with a reduction of it between them. */
static bool is_divided(const struct lt_auto *s, const struct cheap_readers *r, lt_node n)
{
	bool reduced = false, apart = false;
	if (r->n < 2 || r->n > MAX_READERS)
		return false;
	for (int32_t i = 0; i < r->n; i++) {
		lt_node root = root_of(s, r->at[i]);
		if (is_factor(s, r->at[i]) || s->g->node[r->at[i]].op == LT_OP_update || s->g->node[r->at[i]].op == LT_OP_gather)
			return false;
		reduced = reduced || (s->g->node[root].reduce && reduces_dim(s, root, n));
		apart = apart || root != root_of(s, r->at[0]);
	}
	return reduced && apart;
}

/* Whether p needs a sum that comes after n. */
static bool needs_sum(const struct lt_auto *s, bool *seen, lt_node p, lt_node n)
{
	const struct lt_nodedef *d = &s->g->node[p];
	if (p <= n || seen[p])
		return false;
	seen[p] = true;
	bool needs = d->reduce;
	for (int32_t i = 0; i < d->n_operand && !needs; i++)
		needs = needs_sum(s, seen, d->operand[i], n);
	return needs;
}

/* Whether it is a cast to more bytes, whose readers are one cluster that waits for a sum. */
static bool is_cast_early(struct lt_auto *s, const struct cheap_readers *r, lt_node n)
{
	const struct lt_leaf *leaf = s->t->leaf[n];
	if (s->g->node[n].op != LT_OP_cast || s->g->node[n].reduce || leaf->n_read != 1 || leaf->read[0].n_piece != 1
		|| r->n < 2 || r->n > MAX_READERS)
		return false;
	lt__auto_aim(s, n);
	if (!lt__target_has_grid(s->target))
		return false;
	const lt_node base = leaf->read[0].piece[0].base;
	if (base < 0 || !lt__reads_in_place(s, n, base, -1)
		|| lt__dtype_info(s->g->node[base].dtype)->bytes >= lt__dtype_info(s->g->node[n].dtype)->bytes)
		return false;
	const lt_node root = root_of(s, r->at[0]);
	for (int32_t i = 0; i < r->n; i++)
		if (root_of(s, r->at[i]) != root || is_factor(s, r->at[i]) || s->g->node[r->at[i]].op == LT_OP_update
			|| s->g->node[r->at[i]].op == LT_OP_gather)
			return false;
	if (s->g->node[root].reduce)
		return false;
	bool *seen = LT_NEW(s->t->arena, bool, s->g->n_node + 1), needs = false;
	lt__auto_gather(s, root);
	for (int32_t i = 0; i < s->n_producer; i++)
		needs = needs || needs_sum(s, seen, s->producer[i], n);
	return needs;
}

/* Nodes, and how they are read directly; a value that is read through a view, or is written, is not in question. */
static lt_status one_round(struct lt_auto *s, bool rows, bool *changed)
{
	struct lt_arena *a = s->t->arena;
	const struct lt_graph *g = s->g;
	struct cheap_readers *readers = LT_NEW(a, struct cheap_readers, g->n_node + 1);
	bool *near = LT_NEW(a, bool, g->n_node + 1), *other = LT_NEW(a, bool, g->n_node + 1);
	struct lt_derived_step *step = NULL;
	int32_t n_step = 0, cap = 0;
	lt__mark_outside(g, other);
	for (lt_node n = 0; n < g->n_node; n++) {
		for (int32_t k = 0; k < g->node[n].n_operand; k++) {
			lt_node x = g->node[n].operand[k];
			struct cheap_readers *r = &readers[x];
			other[x] = other[x] || !lt__has_leaf(g, n);
			if (r->n <= MAX_READERS && (r->n == 0 || r->at[r->n - 1] != n))
				r->at[r->n++] = n;
		}
		near[n] = lt__has_leaf(g, n) && !other[n] && is_near_memory(s, near, n);
	}
	for (lt_node n = 0; n < g->n_node; n++) {
		const bool asks = lt__has_leaf(g, n) && !other[n] && !s->constant[n];
		const bool divided = asks && rows && near[n] && is_divided(s, &readers[n], n);
		const bool early = asks && !divided && is_cast_early(s, &readers[n], n);
		for (int32_t i = 1; (divided || early) && i < readers[n].n; i++) {
			if ((divided && root_of(s, readers[n].at[i]) == root_of(s, readers[n].at[0]))
				|| !lt__auto_same_class(s, n, readers[n].at[i]))
				continue;
			const char *reader = g->node[readers[n].at[i]].name;
			LT_GROW(a, step, n_step, cap);
			step[n_step++] = (struct lt_derived_step){ .kind = LT_DERIVED_CLONE, .of = g->node[n].name, .reader = reader,
				.made = lt__derived_name(s->t, lt__arena_format(a, "%s.%s", g->node[n].name, reader)) };
		}
	}
	*changed = n_step > 0;
	if (n_step > 0)
		LT_TRY(lt__tree_derive(s->t, step, n_step, NULL));
	s->g = s->t->graph;
	return LT_OK;
}

lt_status lt__auto_rematerialize(struct lt_auto *s, bool rows)
{
	bool changed = true;
	for (int i = 0; i < MAX_ROUNDS && changed; i++) {
		LT_TRY(one_round(s, rows, &changed));
		if (changed)
			LT_TRY(lt__auto_survey(s));
	}
	return LT_OK;
}
