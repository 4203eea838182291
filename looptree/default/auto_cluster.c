/* Clusters of the default tree: what is known of each node before anything is placed, and which nodes stand with their
 * only reader. */
#include <stdlib.h>
#include "looptree/tree/tree.h"
#include "looptree/default/product.h"
#include "looptree/default/vectorize_cpu.h"

static lt_status count_readers(struct lt_auto *s)
{
	const struct lt_graph *g = s->g;
	for (lt_node n = 0; n < g->n_node; n++) {
		const struct lt_leaf *leaf;
		if (!lt__has_leaf(g, n))
			continue;
		LT_TRY(lt__leaf(s->t, n, &leaf));
		for (int32_t k = 0; k < leaf->n_read; k++)
			for (int32_t p = 0; p < leaf->read[k].n_piece; p++) {
				lt_node base = leaf->read[k].piece[p].base;
				if (base < 0 || s->reader[base] == n)
					continue;
				s->n_reader[base]++;
				s->reader[base] = n;
			}
		if (g->node[n].op == LT_OP_update)
			s->n_reader[g->node[n].operand[0]] += 2;        /* kept whole */
	}
	bool *written = s->written = LT_NEW(s->t->arena, bool, g->n_node + 1);
	lt__mark_outside(g, written);
	for (lt_node n = 0; n < g->n_node; n++)
		s->n_reader[n] += written[n] ? 2 : 0;
	return LT_OK;
}

bool lt__auto_reads(const struct lt_leaf *leaf, lt_node n)
{
	for (int32_t k = 0; k < leaf->n_read; k++)
		for (int32_t p = 0; p < leaf->read[k].n_piece; p++)
			if (leaf->read[k].piece[p].base == n)
				return true;
	return false;
}

bool lt__reads_in_place(const struct lt_auto *s, lt_node n, lt_node u, lt_var x)
{
	const struct lt_leaf *leaf = s->t->leaf[n];
	const struct lt_nodedef *d = &s->g->node[u];
	for (int32_t k = 0; k < leaf->n_read; k++)
		for (int32_t p = 0; p < leaf->read[k].n_piece; p++) {
			const struct lt_readpiece *piece = &leaf->read[k].piece[p];
			if (piece->base != u)
				continue;
			for (int32_t i = 0; i < d->n_dim; i++) {
				int32_t column = lt__leaf_column(leaf, d->dim[i]);
				if ((x < 0 || d->dim[i] == x) && (column < 0 || !lt__row_is(&piece->map, i, column)))
					return false;
			}
		}
	return true;
}

/* Whether all of a's vars are b's; a var that only b has would compute a again in each of its iterations. */
static bool has_vars(const struct lt_leaf *a, const struct lt_leaf *b)
{
	for (int32_t i = 0; i < a->n_var; i++)
		if (lt__leaf_column(b, a->var[i]) < 0)
			return false;
	return true;
}

/* Nodes made of literals and positions only: running them again costs no memory. */
static bool *free_nodes(const struct lt_graph *g, struct lt_arena *a)
{
	bool *is_free = LT_NEW(a, bool, g->n_node + 1);
	for (lt_node n = 0; n < g->n_node; n++) {
		const struct lt_nodedef *d = &g->node[n];
		is_free[n] = d->op != LT_OP_input && d->op != LT_OP_constant && d->op != LT_OP_state && !d->reduce;
		for (int32_t i = 0; i < d->n_operand; i++)
			is_free[n] = is_free[n] && is_free[d->operand[i]];
	}
	return is_free;
}

bool lt__auto_is_cast(const struct lt_auto *s, lt_node mul, lt_node of, int32_t n_reader)
{
	const struct lt_nodedef *d = &s->g->node[of];
	const struct lt_leaf *leaf = lt__has_leaf(s->g, of) ? s->t->leaf[of] : NULL;
	if (!leaf || d->op != LT_OP_cast || d->reduce || s->n_reader[of] != n_reader || s->written[of] || leaf->n_read != 1
		|| leaf->read[0].n_piece != 1 || leaf->read[0].piece[0].kind != LT_PIECE_READ
		|| (s->in_call && (s->in_call[of] || s->in_call[mul])) || (s->constant[of] && s->constant[mul])
		|| !lt__auto_same_class(s, of, mul) || !lt__reads_in_place(s, mul, of, -1))
		return false;
	const lt_node base = leaf->read[0].piece[0].base;       /* it is stored, whoever else reads it */
	return lt__dtype_info(s->g->node[base].dtype)->bytes < lt__dtype_info(d->dtype)->bytes;
}

bool lt__auto_is_byte_rows(const struct lt_auto *s, lt_node mul)
{
	const struct lt_nodedef *d = &s->g->node[mul];
	int32_t most = 0;
	if (d->op != LT_OP_mul || d->reduce || d->dtype != LT_I32 || !s->t->leaf[mul] || s->t->leaf[mul]->n_read != 2)
		return false;
	for (int k = 0; k < 2; k++) {
		const lt_node of = d->operand[k];
		if (!lt__auto_is_cast(s, mul, of, s->n_reader[of]))
			return false;
		const enum lt_dtype from = s->g->node[s->t->leaf[of]->read[0].piece[0].base].dtype;
		if (from != LT_I8 && from != LT_U8)
			return false;
		most = s->g->node[of].n_dim > most ? s->g->node[of].n_dim : most;
	}
	return most == d->n_dim;
}

/* Whether a thread of a GPU casts the bytes n again for each row that v multiplies them with. */
static bool is_cast_again(const struct lt_auto *s, lt_node n, lt_node v)
{
	return lt__target_has_grid(s->target) && s->g->node[n].op == LT_OP_cast && lt__auto_is_byte_rows(s, v);
}

/* Marks the pointwise nodes that ride with their only reader. */
static void find_inlined(struct lt_auto *s)
{
	bool *is_free = free_nodes(s->g, s->t->arena);
	for (lt_node n = 0; n < s->g->n_node; n++)
		s->size[n] = 1;
	for (lt_node n = 0; n < s->g->n_node; n++) {
		const struct lt_nodedef *d = &s->g->node[n];
		if (!lt__has_leaf(s->g, n) || d->reduce || d->op == LT_OP_update || s->n_reader[n] != 1)
			continue;
		lt_node v = s->reader[n];
		if (lt__is_many(s->g, n, s->t->leaf[n]) || lt__is_many(s->g, v, s->t->leaf[v]))
			continue;       /* which stands alone */
		if (s->role && ((s->role[v] && s->role[v]->mul != n) || (s->role[n] && s->role[n]->mul != n)))
			continue;       /* what stands in a product's nest is placed with it */
		if (s->in_call && (s->in_call[n] || s->in_call[v]))
			continue;       /* and what a routine computes */
		if (s->constant[n] != s->constant[v] || s->size[n] + s->size[v] > LT_MAX_CLUSTER || !lt__auto_same_class(s, n, v))
			continue;
		if (s->n_reader[v] == 1 && is_cast_again(s, v, s->reader[v]))
			continue;       /* bytes that are made once */
		if (!has_vars(s->t->leaf[n], s->t->leaf[v]) || !lt__reads_in_place(s, v, n, -1))
			continue;
		if (s->t->leaf[n]->n_var != s->t->leaf[v]->n_var && !is_free[n] && !is_cast_again(s, n, v))
			continue;
		s->is_inlined[n] = true;
		s->size[v] += s->size[n];
	}
}

static int by_node(const void *a, const void *b)
{
	return (*(const lt_node *)a > *(const lt_node *)b) - (*(const lt_node *)a < *(const lt_node *)b);
}

void lt__auto_sort(lt_node *n, int32_t count) { qsort(n, (size_t)count, sizeof *n, by_node); }

void lt__auto_gather(struct lt_auto *s, lt_node n)
{
	s->n_member = s->n_producer = 0;
	s->n_gather++;
	s->member[s->n_member++] = n;
	for (int32_t i = 0; i < s->n_member; i++) {
		const struct lt_leaf *leaf = s->t->leaf[s->member[i]];
		for (int32_t k = 0; k < leaf->n_read; k++)
			for (int32_t p = 0; p < leaf->read[k].n_piece; p++) {
				lt_node base = leaf->read[k].piece[p].base;
				if (base < 0 || !lt__has_leaf(s->g, base) || s->mark[base] == s->n_gather)
					continue;
				s->mark[base] = s->n_gather;
				if (s->is_inlined[base])
					s->member[s->n_member++] = base;
				else {
					LT_GROW(s->t->arena, s->producer, s->n_producer, s->cap_producer);
					s->producer[s->n_producer++] = base;
				}
			}
	}
	lt__auto_sort(s->member, s->n_member);
}

void lt__auto_record_nest(struct lt_auto *s, lt_tnode root, bool constant, bool closed)
{
	while (s->cap_nest <= root) {
		LT_GROW(s->t->arena, s->nest, s->cap_nest, s->cap_nest);
	}
	if (s->nest[root].leaves == 0)
		s->nest[root] = (struct lt_auto_nest){
			.number = s->n_nest++, .class = s->aim, .constant = constant, .closed = closed, .fusion_point = -1
		};
	s->nest[root].leaves += closed;
}

lt_status lt__auto_survey(struct lt_auto *s)
{
	struct lt_arena *a = s->t->arena;
	size_t n = (size_t)s->g->n_node + 1;
	s->n_reader = LT_NEW(a, int32_t, n);
	s->reader = LT_NEW(a, lt_node, n);
	s->size = LT_NEW(a, int32_t, n);
	s->mark = LT_NEW(a, int32_t, n);
	s->n_gather = 0;
	s->is_inlined = LT_NEW(a, bool, n);
	s->constant = lt__constant_nodes(s->g, a);
	for (lt_node i = 0; i < s->g->n_node; i++)
		s->reader[i] = -1;
	lt__auto_classes(s);
	s->unfused = s->base_unfused ? lt__auto_marked(s, s->base_unfused) : NULL;
	s->fallback = lt__auto_fallback(s->t, s->base_fallback);
	LT_TRY(count_readers(s));
	find_inlined(s);
	return LT_OK;
}
