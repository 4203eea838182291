/* Which contraction a few leaves compute: result = sum over the deep vars of left * right, and what follows it element
 * by element. */
#include "looptree/call/call.h"

int32_t lt__product_roles(
	const struct lt_graph *g, const struct lt_leaf *mul, const struct lt_leaf *sum, int32_t right, int32_t *role)
{
	for (int32_t i = 0; i < mul->n_var; i++) {
		int32_t at = lt__leaf_column(sum, mul->var[i]);
		bool out = at >= 0 && at < sum->n_out, in_left = lt__read_depends(&mul->read[1 - right], i),
		     in_right = lt__read_depends(&mul->read[right], i);
		role[i] = !out ? LT_DIM_DEEP : in_left == in_right ? LT_DIM_BATCH : in_left ? LT_DIM_ROW : LT_DIM_COLUMN;
		if (!lt__call_is_unit(g, mul->var[i]) && (out ? !in_left && !in_right : !in_left || !in_right))
			return i;
	}
	return -1;
}

static bool find_sum(struct lt_callsearch *s, const lt_node *member, int32_t n)
{
	const struct lt_graph *g = s->t->graph;
	for (int32_t i = 0; i < n; i++) {
		if (!g->node[member[i]].reduce)
			continue;
		if (g->node[member[i]].op != LT_OP_add)
			return lt__call_fail(s, "%%%s reduces by %s, and a product is a sum; move it out of %s",
				lt__call_name(s, member[i]), lt__call_op_name(s, member[i]), s->where);
		if (s->c->sum >= 0)
			return lt__call_fail(s, "%%%s and %%%s are two sums; give each a call of its own",
				lt__call_name(s, s->c->sum), lt__call_name(s, member[i]));
		s->c->sum = member[i];
	}
	return s->c->sum >= 0 || lt__call_fail(s, "there is no sum of products in %s", s->where);
}

static bool find_mul(struct lt_callsearch *s)
{
	const struct lt_graph *g = s->t->graph;
	const struct lt_readpiece *p = lt__call_piece(s, s->c->sum, 0);
	if (!p)
		return false;
	if (p->kind != LT_PIECE_READ || lt__call_member(s, p->base) < 0 || g->node[p->base].op != LT_OP_mul
		|| g->node[p->base].reduce)
		return lt__call_fail(s, "%%%s is not a sum of products: %%%s, which it sums, is not a product in %s",
			lt__call_name(s, s->c->sum),
			lt__call_name(s, g->node[s->c->sum].operand[0]), s->where);
	s->c->mul = p->base;
	const struct lt_leaf *mul = s->t->leaf[p->base], *sum = s->t->leaf[s->c->sum];
	for (int32_t i = 0; i < mul->n_var; i++)
		lt__call_set_as(s, mul->var[i], mul->var[i]);
	for (int32_t i = 0; i < g->node[p->base].n_dim; i++)
		if (!lt__row_is(&p->map, i, lt__leaf_column(sum, g->node[p->base].dim[i])))
			return lt__call_fail(s, "%%%s sums %%%s at other positions than its own; materialize the view outside of %s",
				lt__call_name(s, s->c->sum),
				lt__call_name(s, p->base), s->where);
	lt__call_use(s, p->base);
	lt__call_use(s, s->c->sum);
	return true;
}

/* The factor along whose vars the sum lies in memory is the right one. */
static int32_t right_factor(const struct lt_callsearch *s)
{
	const struct lt_graph *g = s->t->graph;
	const struct lt_leaf *mul = s->t->leaf[s->c->mul];
	const struct lt_nodedef *sum = &g->node[s->c->sum];
	for (int32_t i = sum->n_dim; i-- > 0;) {
		int32_t x = lt__leaf_column(mul, sum->dim[i]);
		bool first = x >= 0 && lt__read_depends(&mul->read[0], x), second = x >= 0 && lt__read_depends(&mul->read[1], x);
		if (first != second && !lt__call_is_unit(g, sum->dim[i]))
			return second;
	}
	return 1;
}

/* The var in the way of a product. */
static bool fail_var(struct lt_callsearch *s, lt_var v)
{
	const struct lt_graph *g = s->t->graph;
	const struct lt_leaf *mul = s->t->leaf[s->c->mul];
	const struct lt_nodedef *d = &g->node[s->c->mul];
	int32_t x = lt__leaf_column(mul, v);
	if (lt__reduces(g, s->c->sum, v)) {
		bool first = lt__read_depends(&mul->read[0], x), second = lt__read_depends(&mul->read[1], x);
		if (!first && !second)
			return lt__call_fail(s, "%%%s sums over %s, which neither factor has; reduce over that outside of %s",
				lt__call_name(s, s->c->sum), g->var[v].name,
				s->where);
		return lt__call_fail(s, "%%%s sums over %s, which only %%%s has; sum that alone, outside of %s",
			lt__call_name(s, s->c->sum), g->var[v].name, lt__call_name(s, d->operand[second]), s->where);
	}
	return lt__call_fail(s, "%%%s has the var %s, which neither factor has; repeat the result outside of %s",
		lt__call_name(s, s->c->sum), g->var[v].name, s->where);
}

static bool find_dims(struct lt_callsearch *s)
{
	const struct lt_graph *g = s->t->graph;
	struct lt_contraction *c = s->c;
	const struct lt_leaf *mul = s->t->leaf[c->mul], *sum = s->t->leaf[c->sum];
	int32_t *role = LT_NEW(s->a, int32_t, mul->n_var + 1), right = right_factor(s),
		bad = lt__product_roles(g, mul, sum, right, role);
	if (mul->n_var > LT_MAX_RANK)
		return lt__call_fail(s, "%%%s has more than %d dims", lt__call_name(s, c->mul), LT_MAX_RANK);
	if (bad >= 0)
		return fail_var(s, mul->var[bad]);
	for (int32_t i = 0; i < mul->n_var; i++)
		if (g->var[mul->var[i]].unit)
			return lt__call_fail(s, "%%%s is a sum of partial sums, one per iteration of a loop over %s; call the whole sum",
				lt__call_name(s, c->sum),
				g->var[g->var[mul->var[i]].of].name);
	c->dim = LT_NEW(s->a, lt_var, mul->n_var + 1);
	c->role = LT_NEW(s->a, int32_t, mul->n_var + 1);
	for (int32_t r = LT_DIM_BATCH; r <= LT_DIM_DEEP; r++)
		for (int32_t i = 0; i < sum->n_var; i++) {
			int32_t x = lt__leaf_column(mul, sum->var[i]);
			if (x < 0 || role[x] != r)
				continue;
			c->dim[c->n_dim] = sum->var[i];
			c->role[c->n_dim++] = r;
		}
	if (c->n_dim != mul->n_var)
		return lt__call_fail(s, "%%%s has vars that %%%s does not have", lt__call_name(s, c->mul), lt__call_name(s, c->sum));
	c->n_operand = 3;
	return lt__call_outside(s, c->mul, 1 - right, &c->operand[LT_CALL_LEFT])
		&& lt__call_outside(s, c->mul, right, &c->operand[LT_CALL_RIGHT]);
}

/* Leaves that read the sum, and those that read them: all element by element. */
static bool find_dependent(struct lt_callsearch *s)
{
	s->dependent[lt__call_member(s, s->c->sum)] = true;
	for (int32_t i = 0; i < s->n_member; i++) {     /* members are in the order of the graph */
		const struct lt_leaf *leaf = s->t->leaf[s->member[i]];
		for (int32_t k = 0; k < leaf->n_read; k++)
			for (int32_t p = 0; p < leaf->read[k].n_piece; p++) {
				lt_node base = leaf->read[k].piece[p].base;
				if (base < 0 || !lt__call_is_dependent(s, base))
					continue;
				if (!lt__call_piece(s, s->member[i], k) || !lt__call_in_place(s, s->member[i], &leaf->read[k].piece[p]))
					return false;
				s->dependent[i] = true;
			}
	}
	return true;
}

/* What is written has the dims of the sum, each once. */
static bool check_end(struct lt_callsearch *s, lt_node end)
{
	const struct lt_graph *g = s->t->graph;
	const struct lt_contraction *c = s->c;
	const struct lt_nodedef *d = &g->node[end];
	int32_t n = 0, want = 0;
	if (d->op == LT_OP_update)
		return lt__call_fail(s, "%%%s updates a part of a value; move it out of %s", lt__call_name(s, end), s->where);
	for (int32_t i = 0; i < d->n_dim; i++) {
		if (!lt__call_is_unit(g, d->dim[i]) && lt__call_as(c, d->dim[i]) < 0)
			return lt__call_fail(s,
				"%%%s has the var %s, which the product does not have; move it out of %s",
				lt__call_name(s, end), g->var[d->dim[i]].name, s->where);
		n += !lt__call_is_unit(g, d->dim[i]);
	}
	for (int32_t i = 0; i < c->n_dim; i++)
		want += c->role[i] != LT_DIM_DEEP && !lt__call_is_unit(g, c->dim[i]);
	return n == want
		|| lt__call_fail(
			s, "%%%s does not have the dims of %%%s", lt__call_name(s, end), lt__call_name(s, c->sum));
}

static bool search(struct lt_callsearch *s, lt_node end)
{
	if (!find_sum(s, s->member, s->n_member) || !find_mul(s))
		return false;
	if (!find_dims(s) || !find_dependent(s) || !lt__epilogue_find(s, end) || !check_end(s, end))
		return false;
	s->c->end = end;
	s->c->operand[LT_CALL_RESULT] = (struct lt_callread){ end, NULL };
	for (int32_t i = 0; i < s->n_member; i++)
		if (!s->used[i])
			return lt__call_fail(s, "%%%s %s is not a part of the product; move it out of %s", lt__call_name(s, s->member[i]),
				lt__call_op_name(s, s->member[i]),
				s->where);
	return true;
}

const char *lt__contraction_find(struct lt_looptree *t, struct lt_arena *a, const lt_node *member, int32_t n,
	lt_node end, const char *where, struct lt_contraction *out)
{
	struct lt_callsearch s = { .t = t,
		.a = a,
		.where = where,
		.c = out,
		.member = member,
		.n_member = n,
		.used = LT_NEW(a, bool, n + 1),
		.dependent = LT_NEW(a, bool, n + 1) };
	*out = (struct lt_contraction){ .mul = -1, .sum = -1, .end = -1 };
	return search(&s, end) ? NULL : s.why;
}
