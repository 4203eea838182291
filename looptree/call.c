/* Which contraction a few leaves compute: result = sum over the deep vars of left * right, and what follows it element by element. */
#include <stdarg.h>
#include <stdio.h>
#include "looptree/call.h"

bool lt__read_depends(const struct lt_read *r, int32_t x)
{
	for (int32_t i = 0; i < r->n_piece; i++) {
		const struct lt_map *m = &r->piece[i].map;
		int32_t width = lt__map_width(m), c = 1 + m->n_param + x;
		for (int32_t k = 0; k < m->n_row; k++)
			if (m->row[(int64_t)k * width + c])
				return true;
		for (int32_t k = 0; k < m->n_guard; k++)
			if (m->guard[(int64_t)k * width + c])
				return true;
		for (int32_t k = 0; k < m->n_div; k++)
			if (m->div[(int64_t)k * (width + 1) + 1 + c])
				return true;
	}
	return false;
}

static bool is_unit(const struct lt_graph *g, lt_var v) { return g->var[v].extent == 1 && !g->var[v].bounded; }

int32_t lt__product_roles(const struct lt_graph *g, const struct lt_leaf *mul, const struct lt_leaf *sum, int32_t right, int32_t *role)
{
	for (int32_t i = 0; i < mul->n_var; i++) {
		int32_t at = lt__leaf_column(sum, mul->var[i]);
		bool out = at >= 0 && at < sum->n_out, in_left = lt__read_depends(&mul->read[1 - right], i), in_right = lt__read_depends(&mul->read[right], i);
		role[i] = !out ? LT_DIM_DEEP : in_left == in_right ? LT_DIM_BATCH : in_left ? LT_DIM_ROW : LT_DIM_COLUMN;
		if (!is_unit(g, mul->var[i]) && (out ? !in_left && !in_right : !in_left || !in_right))
			return i;
	}
	return -1;
}

int32_t lt__call_member(const struct lt_callsearch *s, lt_node n)
{
	int32_t low = 0, high = s->n_member;
	while (low < high) {
		int32_t mid = low + (high - low) / 2;
		low = s->member[mid] < n ? mid + 1 : low;
		high = s->member[mid] < n ? high : mid;
	}
	return low < s->n_member && s->member[low] == n ? low : -1;
}

lt_var lt__call_as(const struct lt_contraction *c, lt_var v)
{
	for (int32_t i = 0; i < c->n_as; i++)
		if (c->as[i].var == v)
			return c->as[i].as;
	return -1;
}

static void set_as(struct lt_callsearch *s, lt_var v, lt_var as)
{
	struct lt_contraction *c = s->c;
	if (as < 0 || lt__call_as(c, v) >= 0)
		return;
	LT_GROW(s->a, c->as, c->n_as, c->cap_as);
	c->as[c->n_as++] = (struct lt_callvar){ v, as };
}

bool lt__call_fail(struct lt_callsearch *s, const char *fmt, ...)
{
	char text[512];
	va_list args;
	va_start(args, fmt);
	(void)vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	s->why = s->why ? s->why : lt__arena_string(s->a, text);
	return false;
}

static const char *name(const struct lt_callsearch *s, lt_node n) { return s->t->graph->node[n].name; }
static const char *op_name(const struct lt_callsearch *s, lt_node n) { return lt__op_info(s->t->graph->node[n].op)->name; }

const struct lt_readpiece *lt__call_piece(struct lt_callsearch *s, lt_node n, int32_t k)
{
	const struct lt_leaf *leaf = s->t->leaf[n];
	const struct lt_read *r = &leaf->read[k];
	const struct lt_readpiece *p = &r->piece[0];
	if (r->n_piece == 1 && p->map.n_guard == 0 && !leaf->gather && leaf->n_trip == 0)
		return p;
	lt__call_fail(s, "%%%s reads %%%s %s; materialize that outside of %s", name(s, n), name(s, s->t->graph->node[n].operand[k]),
		leaf->gather ? "at an index from memory" : "through a view with a border or several pieces", s->where);
	return NULL;
}

/* a and b count the same dim. */
static bool unify(struct lt_callsearch *s, lt_node n, lt_var a, lt_var b)
{
	const struct lt_graph *g = s->t->graph;
	lt_var as_a = lt__call_as(s->c, a), as_b = lt__call_as(s->c, b);
	if (is_unit(g, a) && is_unit(g, b))
		return true;
	if (!lt__var_same_range(g, a, b) || (as_a >= 0 && as_b >= 0 && as_a != as_b))
		return lt__call_fail(s, "%%%s reads along %s what %s counts; materialize the view outside of %s", name(s, n), g->var[b].name, g->var[a].name,
			s->where);
	set_as(s, a, as_b);
	set_as(s, b, as_a);
	return true;
}

bool lt__call_in_place(struct lt_callsearch *s, lt_node n, const struct lt_readpiece *p)
{
	const struct lt_graph *g = s->t->graph;
	const struct lt_leaf *leaf = s->t->leaf[n];
	const struct lt_nodedef *d = &g->node[p->base];
	for (int32_t i = 0; i < d->n_dim; i++) {
		int32_t x = 0;
		while (x < leaf->n_var && !lt__row_is(&p->map, i, x))
			x++;
		if (x == leaf->n_var && !is_unit(g, d->dim[i]))
			return lt__call_fail(s, "%%%s reads %%%s at other places than its own; move it out of %s", name(s, n), name(s, p->base), s->where);
		if (x < leaf->n_var && !unify(s, n, d->dim[i], leaf->var[x]))
			return false;
	}
	return true;
}

bool lt__keeps_value(const struct lt_graph *g, lt_node n)
{
	const struct lt_nodedef *d = &g->node[n];
	if (d->reduce || d->n_operand != 1 || (d->op != LT_OP_cast && d->op != LT_OP_copy))
		return false;
	const struct lt_dtypeinfo *from = lt__dtype_info(g->node[d->operand[0]].dtype), *to = lt__dtype_info(d->dtype);
	if (d->op == LT_OP_copy || g->node[d->operand[0]].dtype == d->dtype)
		return true;
	if (from->cls == LT_CLASS_FLOAT)
		return to->cls == LT_CLASS_FLOAT && to->bytes > from->bytes;
	return from->cls == LT_CLASS_INT && to->bytes > from->bytes
		&& (to->cls == LT_CLASS_FLOAT || (to->cls == LT_CLASS_INT && (to->is_signed || !from->is_signed)));
}

bool lt__call_outside(struct lt_callsearch *s, lt_node n, int32_t k, struct lt_callread *out)
{
	for (;; k = 0) {
		const struct lt_readpiece *p = lt__call_piece(s, n, k);
		if (!p)
			return false;
		if (p->kind != LT_PIECE_READ)
			return lt__call_fail(s, "%%%s (%s) takes a number, where a routine reads a value; move it out of %s", name(s, n), op_name(s, n), s->where);
		*out = (struct lt_callread){ n, p };
		if (lt__call_member(s, p->base) < 0)
			return true;
		if (lt__call_is_behind(s, p->base))
			return lt__call_fail(s, "%%%s (%s) uses the product twice; move it out of %s", name(s, n), op_name(s, n), s->where);
		if (!lt__keeps_value(s->t->graph, p->base))
			return lt__call_fail(s, "%%%s %s stands before %%%s, which a routine does not do; move it out of %s", name(s, p->base), op_name(s, p->base),
				name(s, n), s->where);
		if (!lt__call_in_place(s, n, p))
			return false;
		lt__call_use(s, p->base);
		n = p->base;
	}
}

static bool find_sum(struct lt_callsearch *s, const lt_node *member, int32_t n)
{
	const struct lt_graph *g = s->t->graph;
	for (int32_t i = 0; i < n; i++) {
		if (!g->node[member[i]].reduce)
			continue;
		if (g->node[member[i]].op != LT_OP_add)
			return lt__call_fail(s, "%%%s reduces by %s, and a product is a sum; move it out of %s", name(s, member[i]), op_name(s, member[i]), s->where);
		if (s->c->sum >= 0)
			return lt__call_fail(s, "%%%s and %%%s are two sums; give each a call of its own", name(s, s->c->sum), name(s, member[i]));
		s->c->sum = member[i];
	}
	return s->c->sum >= 0 || lt__call_fail(s, "no sum of products stands in %s", s->where);
}

static bool find_mul(struct lt_callsearch *s)
{
	const struct lt_graph *g = s->t->graph;
	const struct lt_readpiece *p = lt__call_piece(s, s->c->sum, 0);
	if (!p)
		return false;
	if (p->kind != LT_PIECE_READ || lt__call_member(s, p->base) < 0 || g->node[p->base].op != LT_OP_mul || g->node[p->base].reduce)
		return lt__call_fail(s, "%%%s is no sum of products: %%%s, which it sums, is no product in %s", name(s, s->c->sum),
			name(s, g->node[s->c->sum].operand[0]), s->where);
	s->c->mul = p->base;
	const struct lt_leaf *mul = s->t->leaf[p->base], *sum = s->t->leaf[s->c->sum];
	for (int32_t i = 0; i < mul->n_var; i++)
		set_as(s, mul->var[i], mul->var[i]);
	for (int32_t i = 0; i < g->node[p->base].n_dim; i++)
		if (!lt__row_is(&p->map, i, lt__leaf_column(sum, g->node[p->base].dim[i])))
			return lt__call_fail(s, "%%%s sums %%%s at other places than its own; materialize the view outside of %s", name(s, s->c->sum),
				name(s, p->base), s->where);
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
		if (first != second && !is_unit(g, sum->dim[i]))
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
			return lt__call_fail(s, "%%%s sums over %s, which neither factor has; reduce that outside of %s", name(s, s->c->sum), g->var[v].name,
				s->where);
		return lt__call_fail(s, "%%%s sums over %s, which only %%%s has; sum that alone, outside of %s", name(s, s->c->sum), g->var[v].name,
			name(s, d->operand[second]), s->where);
	}
	return lt__call_fail(s, "%%%s has the var %s, which neither factor has; repeat the result outside of %s", name(s, s->c->sum), g->var[v].name,
		s->where);
}

static bool find_dims(struct lt_callsearch *s)
{
	const struct lt_graph *g = s->t->graph;
	struct lt_contraction *c = s->c;
	const struct lt_leaf *mul = s->t->leaf[c->mul], *sum = s->t->leaf[c->sum];
	int32_t *role = LT_NEW(s->a, int32_t, mul->n_var + 1), right = right_factor(s), bad = lt__product_roles(g, mul, sum, right, role);
	if (mul->n_var > LT_MAX_RANK)
		return lt__call_fail(s, "%%%s has more than %d dims", name(s, c->mul), LT_MAX_RANK);
	if (bad >= 0)
		return fail_var(s, mul->var[bad]);
	for (int32_t i = 0; i < mul->n_var; i++)
		if (g->var[mul->var[i]].unit)
			return lt__call_fail(s, "%%%s is a sum of partial sums, of trips of a loop over %s; call the whole sum", name(s, c->sum),
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
		return lt__call_fail(s, "%%%s has vars that %%%s has not", name(s, c->mul), name(s, c->sum));
	c->n_operand = 3;
	return lt__call_outside(s, c->mul, 1 - right, &c->operand[LT_CALL_LEFT]) && lt__call_outside(s, c->mul, right, &c->operand[LT_CALL_RIGHT]);
}

/* Leaves that read the sum, and those that read them: all element by element. */
static bool find_behind(struct lt_callsearch *s)
{
	s->behind[lt__call_member(s, s->c->sum)] = true;
	for (int32_t i = 0; i < s->n_member; i++) {     /* members stand in the order of the graph */
		const struct lt_leaf *leaf = s->t->leaf[s->member[i]];
		for (int32_t k = 0; k < leaf->n_read; k++)
			for (int32_t p = 0; p < leaf->read[k].n_piece; p++) {
				lt_node base = leaf->read[k].piece[p].base;
				if (base < 0 || !lt__call_is_behind(s, base))
					continue;
				if (!lt__call_piece(s, s->member[i], k) || !lt__call_in_place(s, s->member[i], &leaf->read[k].piece[p]))
					return false;
				s->behind[i] = true;
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
		return lt__call_fail(s, "%%%s updates a part of a value; move it out of %s", name(s, end), s->where);
	for (int32_t i = 0; i < d->n_dim; i++) {
		if (!is_unit(g, d->dim[i]) && lt__call_as(c, d->dim[i]) < 0)
			return lt__call_fail(s, "%%%s has the var %s, which the product has not; move it out of %s", name(s, end), g->var[d->dim[i]].name,
				s->where);
		n += !is_unit(g, d->dim[i]);
	}
	for (int32_t i = 0; i < c->n_dim; i++)
		want += c->role[i] != LT_DIM_DEEP && !is_unit(g, c->dim[i]);
	return n == want || lt__call_fail(s, "%%%s has not the dims of %%%s", name(s, end), name(s, c->sum));
}

static bool search(struct lt_callsearch *s, lt_node end)
{
	if (!find_sum(s, s->member, s->n_member) || !find_mul(s))
		return false;
	if (!find_dims(s) || !find_behind(s) || !lt__epilogue_find(s, end) || !check_end(s, end))
		return false;
	s->c->end = end;
	s->c->operand[LT_CALL_RESULT] = (struct lt_callread){ end, NULL };
	for (int32_t i = 0; i < s->n_member; i++)
		if (!s->used[i])
			return lt__call_fail(s, "%%%s %s is no part of the product; move it out of %s", name(s, s->member[i]), op_name(s, s->member[i]),
				s->where);
	return true;
}

const char *lt__contraction_find(struct lt_looptree *t, struct lt_arena *a, const lt_node *member, int32_t n, lt_node end, const char *where,
	struct lt_contraction *out)
{
	struct lt_callsearch s = { .t = t, .a = a, .where = where, .c = out, .member = member, .n_member = n, .used = LT_NEW(a, bool, n + 1),
		.behind = LT_NEW(a, bool, n + 1) };
	*out = (struct lt_contraction){ .mul = -1, .sum = -1, .end = -1 };
	return search(&s, end) ? NULL : s.why;
}
