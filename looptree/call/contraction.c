/* contraction.c -- which contraction a few leaves compute: result = sum over the contracted vars of left * right, and
 * what follows it element by element.
 *
 * The search begins at the only sum in the group, takes the product that it sums and the values outside that are its
 * factors, and goes back from what the group writes to the sum.  On the way it learns which vars are the same dim.
 * Where it goes no further it has a sentence about the var or operator in the way.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "looptree/call/call.h"

struct call_search {
	struct lt_looptree *t;
	struct lt_arena *a;
	const char *where;
	struct lt_contraction *c;
	const lt_node *member; int32_t n_member;
	bool *used, *dependent;         /* by member; dependent: on the sum */
	const char *why;
};
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

/* A var of one element counts nothing: it fits any dim. */
static bool is_unit_var(const struct lt_graph *g, lt_var v)
{
	return g->var[v].extent == 1 && !g->var[v].bounded;
}
int32_t lt__product_roles(
	const struct lt_graph *g, const struct lt_leaf *mul, const struct lt_leaf *sum, int32_t right, int32_t *role)
{
	for (int32_t i = 0; i < mul->n_var; i++) {
		int32_t at = lt__leaf_column(sum, mul->var[i]);
		bool out = at >= 0 && at < sum->n_out, in_left = lt__read_depends(&mul->read[1 - right], i),
		     in_right = lt__read_depends(&mul->read[right], i);
		role[i] = !out ? LT_DIM_DEEP : in_left == in_right ? LT_DIM_BATCH : in_left ? LT_DIM_ROW : LT_DIM_COLUMN;
		if (!is_unit_var(g, mul->var[i]) && (out ? !in_left && !in_right : !in_left || !in_right))
			return i;
	}
	return -1;
}

/* -- The search: which dims are the same, and what is read in place. */

/* The number of a member; -1: it is none. */
static int32_t member_index(const struct call_search *s, lt_node n)
{
	int32_t low = 0, high = s->n_member;
	while (low < high) {
		int32_t mid = low + (high - low) / 2;
		low = s->member[mid] < n ? mid + 1 : low;
		high = s->member[mid] < n ? high : mid;
	}
	return low < s->n_member && s->member[low] == n ? low : -1;
}

static bool is_dependent(const struct call_search *s, lt_node n)
{
	int32_t i = member_index(s, n);
	return i >= 0 && s->dependent[i];
}
static void use_member(struct call_search *s, lt_node n) { s->used[member_index(s, n)] = true; }
static const char *name_of(const struct call_search *s, lt_node n) { return s->t->graph->node[n].name; }
static const char *op_name_of(const struct call_search *s, lt_node n)
{
	return lt__op_info(s->t->graph->node[n].op)->name;
}

lt_var lt__call_as(const struct lt_contraction *c, lt_var v)
{
	for (int32_t i = 0; i < c->n_as; i++)
		if (c->as[i].var == v)
			return c->as[i].as;
	return -1;
}

/* v is the dim `as` from here on, if none is known yet; as -1: nothing. */
static void set_same_dim(struct call_search *s, lt_var v, lt_var as)
{
	struct lt_contraction *c = s->c;
	if (as < 0 || lt__call_as(c, v) >= 0)
		return;
	LT_GROW(s->a, c->as, c->n_as, c->cap_as);
	c->as[c->n_as++] = (struct lt_callvar){ v, as };
}

/* Each step of the search fails with a sentence in why. */
__attribute__((format(printf, 2, 3)))
static bool search_fail(struct call_search *s, const char *fmt, ...)
{
	char text[512];
	va_list args;
	va_start(args, fmt);
	(void)vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	s->why = s->why ? s->why : lt__arena_string(s->a, text);
	return false;
}

/* What leaf n reads as operand k, in one piece; NULL with a sentence. */
static const struct lt_readpiece *plain_piece(struct call_search *s, lt_node n, int32_t k)
{
	const struct lt_leaf *leaf = s->t->leaf[n];
	const struct lt_read *r = &leaf->read[k];
	const struct lt_readpiece *p = &r->piece[0];
	if (r->n_piece == 1 && p->map.n_guard == 0 && !leaf->gather && leaf->n_trip == 0)
		return p;
	search_fail(s, "%%%s reads %%%s %s; materialize that outside of %s", name_of(s, n),
		name_of(s, s->t->graph->node[n].operand[k]),
		leaf->gather ? "at an index from memory" : "through a view with a border or several pieces", s->where);
	return NULL;
}

/* a and b count the same dim. */
static bool unify(struct call_search *s, lt_node n, lt_var a, lt_var b)
{
	const struct lt_graph *g = s->t->graph;
	lt_var as_a = lt__call_as(s->c, a), as_b = lt__call_as(s->c, b);
	if (is_unit_var(g, a) && is_unit_var(g, b))
		return true;
	if (!lt__var_same_range(g, a, b) || (as_a >= 0 && as_b >= 0 && as_a != as_b))
		return search_fail(s, "%%%s reads along %s what is indexed by %s; materialize the view outside of %s",
			name_of(s, n), g->var[b].name, g->var[a].name, s->where);
	set_same_dim(s, a, as_b);
	set_same_dim(s, b, as_a);
	return true;
}

/* Leaf n reads the piece's base element by element: the vars of both are the same dims from here on. */
static bool read_in_place(struct call_search *s, lt_node n, const struct lt_readpiece *p)
{
	const struct lt_graph *g = s->t->graph;
	const struct lt_leaf *leaf = s->t->leaf[n];
	const struct lt_nodedef *d = &g->node[p->base];
	for (int32_t i = 0; i < d->n_dim; i++) {
		int32_t x = 0;
		while (x < leaf->n_var && !lt__row_is(&p->map, i, x))
			x++;
		if (x == leaf->n_var && !is_unit_var(g, d->dim[i]))
			return search_fail(s, "%%%s reads %%%s at other positions than its own; move it out of %s",
				name_of(s, n), name_of(s, p->base), s->where);
		if (x < leaf->n_var && !unify(s, n, d->dim[i], leaf->var[x]))
			return false;
	}
	return true;
}

/* A copy, or a cast to a type that has all values of the other. */
static bool keeps_value(const struct lt_graph *g, lt_node n)
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

/* The value outside that operand k of leaf n is, through casts that keep it. */
static bool value_outside(struct call_search *s, lt_node n, int32_t k, struct lt_callread *out)
{
	for (;; k = 0) {
		const struct lt_readpiece *p = plain_piece(s, n, k);
		if (!p)
			return false;
		if (p->kind != LT_PIECE_READ)
			return search_fail(s,
				"%%%s (%s) takes a number, where a routine reads a value; move it out of %s",
				name_of(s, n), op_name_of(s, n), s->where);
		*out = (struct lt_callread){ n, p };
		if (member_index(s, p->base) < 0)
			return true;
		if (is_dependent(s, p->base))
			return search_fail(s, "%%%s (%s) uses the product twice; move it out of %s",
				name_of(s, n), op_name_of(s, n), s->where);
		if (!keeps_value(s->t->graph, p->base))
			return search_fail(s,
				"%%%s %s comes before %%%s, which a routine does not do; move it out of %s",
				name_of(s, p->base), op_name_of(s, p->base), name_of(s, n), s->where);
		if (!read_in_place(s, n, p))
			return false;
		use_member(s, p->base);
		n = p->base;
	}
}

/* -- The product: its sum, its factors, and the roles of its dims. */

static bool find_sum(struct call_search *s, const lt_node *member, int32_t n)
{
	const struct lt_graph *g = s->t->graph;
	for (int32_t i = 0; i < n; i++) {
		if (!g->node[member[i]].reduce)
			continue;
		if (g->node[member[i]].op != LT_OP_add)
			return search_fail(s, "%%%s reduces by %s, and a product is a sum; move it out of %s",
				name_of(s, member[i]), op_name_of(s, member[i]), s->where);
		if (s->c->sum >= 0)
			return search_fail(s, "%%%s and %%%s are two sums; give each a call of its own",
				name_of(s, s->c->sum), name_of(s, member[i]));
		s->c->sum = member[i];
	}
	return s->c->sum >= 0 || search_fail(s, "there is no sum of products in %s", s->where);
}

static bool find_mul(struct call_search *s)
{
	const struct lt_graph *g = s->t->graph;
	const struct lt_readpiece *p = plain_piece(s, s->c->sum, 0);
	if (!p)
		return false;
	if (p->kind != LT_PIECE_READ || member_index(s, p->base) < 0 || g->node[p->base].op != LT_OP_mul
		|| g->node[p->base].reduce)
		return search_fail(s, "%%%s is not a sum of products: %%%s, which it sums, is not a product in %s",
			name_of(s, s->c->sum),
			name_of(s, g->node[s->c->sum].operand[0]), s->where);
	s->c->mul = p->base;
	const struct lt_leaf *mul = s->t->leaf[p->base], *sum = s->t->leaf[s->c->sum];
	for (int32_t i = 0; i < mul->n_var; i++)
		set_same_dim(s, mul->var[i], mul->var[i]);
	for (int32_t i = 0; i < g->node[p->base].n_dim; i++)
		if (!lt__row_is(&p->map, i, lt__leaf_column(sum, g->node[p->base].dim[i])))
			return search_fail(s, "%%%s sums %%%s at other positions than its own; materialize the view outside of %s",
				name_of(s, s->c->sum),
				name_of(s, p->base), s->where);
	use_member(s, p->base);
	use_member(s, s->c->sum);
	return true;
}

/* The factor along whose vars the sum lies in memory is the right one. */
static int32_t right_factor(const struct call_search *s)
{
	const struct lt_graph *g = s->t->graph;
	const struct lt_leaf *mul = s->t->leaf[s->c->mul];
	const struct lt_nodedef *sum = &g->node[s->c->sum];
	for (int32_t i = sum->n_dim; i-- > 0;) {
		int32_t x = lt__leaf_column(mul, sum->dim[i]);
		bool first = x >= 0 && lt__read_depends(&mul->read[0], x), second = x >= 0 && lt__read_depends(&mul->read[1], x);
		if (first != second && !is_unit_var(g, sum->dim[i]))
			return second;
	}
	return 1;
}

/* The var in the way of a product. */
static bool fail_var(struct call_search *s, lt_var v)
{
	const struct lt_graph *g = s->t->graph;
	const struct lt_leaf *mul = s->t->leaf[s->c->mul];
	const struct lt_nodedef *d = &g->node[s->c->mul];
	int32_t x = lt__leaf_column(mul, v);
	if (lt__reduces(g, s->c->sum, v)) {
		bool first = lt__read_depends(&mul->read[0], x), second = lt__read_depends(&mul->read[1], x);
		if (!first && !second)
			return search_fail(s, "%%%s sums over %s, which neither factor has; reduce over that outside of %s",
				name_of(s, s->c->sum), g->var[v].name,
				s->where);
		return search_fail(s, "%%%s sums over %s, which only %%%s has; sum that alone, outside of %s",
			name_of(s, s->c->sum), g->var[v].name, name_of(s, d->operand[second]), s->where);
	}
	return search_fail(s, "%%%s has the var %s, which neither factor has; repeat the result outside of %s",
		name_of(s, s->c->sum), g->var[v].name, s->where);
}

static bool find_dims(struct call_search *s)
{
	const struct lt_graph *g = s->t->graph;
	struct lt_contraction *c = s->c;
	const struct lt_leaf *mul = s->t->leaf[c->mul], *sum = s->t->leaf[c->sum];
	int32_t *role = LT_NEW(s->a, int32_t, mul->n_var + 1), right = right_factor(s),
		bad = lt__product_roles(g, mul, sum, right, role);
	if (mul->n_var > LT_MAX_RANK)
		return search_fail(s, "%%%s has more than %d dims", name_of(s, c->mul), LT_MAX_RANK);
	if (bad >= 0)
		return fail_var(s, mul->var[bad]);
	for (int32_t i = 0; i < mul->n_var; i++)
		if (g->var[mul->var[i]].unit)
			return search_fail(s, "%%%s is a sum of partial sums, one per iteration of a loop over %s; call the whole sum",
				name_of(s, c->sum),
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
		return search_fail(s, "%%%s has vars that %%%s does not have", name_of(s, c->mul), name_of(s, c->sum));
	c->n_operand = 3;
	return value_outside(s, c->mul, 1 - right, &c->operand[LT_CALL_LEFT])
		&& value_outside(s, c->mul, right, &c->operand[LT_CALL_RIGHT]);
}

/* Leaves that read the sum, and those that read them: all element by element. */
static bool find_dependent(struct call_search *s)
{
	s->dependent[member_index(s, s->c->sum)] = true;
	for (int32_t i = 0; i < s->n_member; i++) {     /* members are in the order of the graph */
		const struct lt_leaf *leaf = s->t->leaf[s->member[i]];
		for (int32_t k = 0; k < leaf->n_read; k++)
			for (int32_t p = 0; p < leaf->read[k].n_piece; p++) {
				lt_node base = leaf->read[k].piece[p].base;
				if (base < 0 || !is_dependent(s, base))
					continue;
				if (!plain_piece(s, s->member[i], k) || !read_in_place(s, s->member[i], &leaf->read[k].piece[p]))
					return false;
				s->dependent[i] = true;
			}
	}
	return true;
}

/* What is written has the dims of the sum, each once. */
static bool check_end(struct call_search *s, lt_node end)
{
	const struct lt_graph *g = s->t->graph;
	const struct lt_contraction *c = s->c;
	const struct lt_nodedef *d = &g->node[end];
	int32_t n = 0, want = 0;
	if (d->op == LT_OP_update)
		return search_fail(s, "%%%s updates a part of a value; move it out of %s", name_of(s, end), s->where);
	for (int32_t i = 0; i < d->n_dim; i++) {
		if (!is_unit_var(g, d->dim[i]) && lt__call_as(c, d->dim[i]) < 0)
			return search_fail(s,
				"%%%s has the var %s, which the product does not have; move it out of %s",
				name_of(s, end), g->var[d->dim[i]].name, s->where);
		n += !is_unit_var(g, d->dim[i]);
	}
	for (int32_t i = 0; i < c->n_dim; i++)
		want += c->role[i] != LT_DIM_DEEP && !is_unit_var(g, c->dim[i]);
	return n == want
		|| search_fail(
			s, "%%%s does not have the dims of %%%s", name_of(s, end), name_of(s, c->sum));
}

/* -- What follows the product, element by element: a bias, a residual, an activation, in the order of their bits.
 *
 * Found backwards, from what the call writes to the sum.  Activations are as the builders of ir/build/nn.c make them.
 */

/* Operators before their operands; x: the value before; the two operands of one are in any order.  From the last bit to
 * the first. */
static const struct { uint32_t bit; const char *is, *name;
} activations[] = {
	{ LT_EPILOGUE_SILU, "mul x sigmoid x", "SiLU" },
	{ LT_EPILOGUE_GELU_TANH, "mul mul x 0.5 add tanh mul add x mul mul mul x x x 0.044715 0.79788456080286535588 1",
		"GELU" },
	{ LT_EPILOGUE_GELU, "mul mul x 0.5 add erf mul x 0.70710678118654752440 1", "GELU" },
	{ LT_EPILOGUE_RELU, "max x 0", "ReLU" },
};
enum { N_ACTIVATION = sizeof activations / sizeof *activations, MAX_NODES = 64 };

struct match { const struct call_search *s; lt_node x, used[MAX_NODES]; int32_t n; };

static bool is_number(const struct lt_readpiece *p, enum lt_dtype t, const char *text)
{
	union lt_scalar want, is = lt__scalar_of(p->bits, t);
	double d = strtod(text, NULL);
	if (lt__dtype_info(t)->cls != LT_CLASS_FLOAT)
		return (double)is.i == d;
	want.f = d;
	return lt__round_to(want, t).f == is.f;
}

static const char *match_node(struct match *, const char *is, lt_node n);

/* The text after the part that operand k of n is; NULL: it is not. */
static const char *match_operand(struct match *m, const char *is, lt_node n, int32_t k)
{
	const struct lt_read *r = &m->s->t->leaf[n]->read[k];
	const struct lt_readpiece *p = &r->piece[0];
	size_t bytes = strcspn(is, " ");
	const char *next = is + bytes + (is[bytes] == ' ');
	if (r->n_piece != 1 || p->map.n_guard > 0)
		return NULL;
	if (*is >= '0' && *is <= '9')
		return p->kind == LT_PIECE_IMMEDIATE && is_number(p, r->dtype, is) ? next : NULL;
	if (p->kind != LT_PIECE_READ || !is_dependent(m->s, p->base))
		return NULL;
	if (bytes != 1 || *is != 'x')
		return match_node(m, is, p->base);
	if (m->x >= 0 && m->x != p->base)
		return NULL;
	m->x = p->base;
	return next;
}

static const char *match_node(struct match *m, const char *is, lt_node n)
{
	const struct lt_nodedef *d = &m->s->t->graph->node[n];
	const char *op = lt__op_info(d->op)->name;
	size_t bytes = strcspn(is, " ");
	if (strlen(op) != bytes || memcmp(op, is, bytes) != 0 || d->reduce || m->n == MAX_NODES)
		return NULL;
	m->used[m->n++] = n;
	is += bytes + 1;
	if (d->n_operand == 1)
		return match_operand(m, is, n, 0);
	const struct match before = *m;
	for (int32_t first = 0; first < 2; first++) {
		*m = before;
		const char *next = match_operand(m, is, n, first);
		next = next ? match_operand(m, next, n, 1 - first) : NULL;
		if (next)
			return next;
	}
	return NULL;
}

/* A cast between floats. */
static bool is_float_cast(const struct lt_graph *g, lt_node n)
{
	const struct lt_nodedef *d = &g->node[n];
	return d->op == LT_OP_cast && !d->reduce && lt__dtype_info(d->dtype)->cls == LT_CLASS_FLOAT
		&& lt__dtype_info(g->node[d->operand[0]].dtype)->cls == LT_CLASS_FLOAT;
}

/* A copy or cast that a routine need not know about: one that keeps every value, or the last one, which rounds to the
 * type of the result.  A sum of narrow integers wraps around, and one in a wider type does not: casts of integers do
 * not pass. */
static bool is_passed(const struct lt_graph *g, lt_node n, bool *last)
{
	bool is_float = is_float_cast(g, n),
	     same = g->node[n].n_operand > 0 && g->node[n].dtype == g->node[g->node[n].operand[0]].dtype;
	if (!(keeps_value(g, n) && (is_float || same)) && !(is_float && *last))
		return false;
	*last = *last && same;
	return true;
}

/* The type that is added in: of the sum, or of an epilogue in a wider one. */
static void widen(struct lt_contraction *c, uint32_t type)
{
	if (lt__dtype_info((enum lt_dtype)type)->bytes > lt__dtype_info((enum lt_dtype)c->type)->bytes)
		c->type = type;
}

static bool moves_along(const struct call_search *s, const struct lt_callread *r, lt_var dim)
{
	const struct lt_leaf *leaf = s->t->leaf[r->leaf];
	const struct lt_read one = { .n_piece = 1, .piece = (struct lt_readpiece *)(uintptr_t)r->piece };
	for (int32_t i = 0; i < leaf->n_var; i++)
		if (lt__call_as(s->c, leaf->var[i]) == dim && lt__read_depends(&one, i))
			return true;
	return false;
}

/* The dims of the result that an operand moves along: a bit set of their roles, and whether they are all. */
struct operand_along { uint32_t roles; bool full; };
static struct operand_along along(const struct call_search *s, const struct lt_callread *r)
{
	struct operand_along x = { .full = true };
	for (int32_t d = 0; d < s->c->n_dim; d++) {
		if (s->c->role[d] == LT_DIM_DEEP || is_unit_var(s->t->graph, s->c->dim[d]))
			continue;
		bool moves = moves_along(s, r, s->c->dim[d]);
		x.roles |= moves ? 1u << s->c->role[d] : 0;
		x.full = x.full && moves;
	}
	return x;
}

/* Left and right change places: a bias of the rows is one of the columns then. */
static void swap_factors(struct lt_contraction *c)
{
	const struct lt_callread left = c->operand[LT_CALL_LEFT];
	c->operand[LT_CALL_LEFT] = c->operand[LT_CALL_RIGHT];
	c->operand[LT_CALL_RIGHT] = left;
	for (int32_t i = 0; i < c->n_dim; i++)
		c->role[i] = c->role[i] == LT_DIM_ROW ? LT_DIM_COLUMN : c->role[i] == LT_DIM_COLUMN ? LT_DIM_ROW : c->role[i];
}

/* What has been found so far, from the end on. */
struct epilogue_found { struct lt_callread bias, residual; const char *next; };

static bool add_value(struct call_search *s, struct epilogue_found *f, lt_node n, const struct lt_callread *value)
{
	struct lt_contraction *c = s->c;
	struct operand_along is = along(s, value);
	if (is.roles == 1u << LT_DIM_ROW && !(c->epilogues & LT_EPILOGUE_BIAS) && !is.full) {
		swap_factors(c);
		is.roles = 1u << LT_DIM_COLUMN;
	}
	bool bias = !(is.roles & ~(1u << LT_DIM_COLUMN));
	if (!bias && !is.full)
		return search_fail(s,
			"%%%s (add) adds %%%s, which has neither only the columns of the product, as a bias, nor all "
			"its dims; move it out of %s",
			name_of(s, n), name_of(s, value->piece->base), s->where);
	/* A vector of results: the last of two is a residual, if it has all of them. */
	if (bias && (c->epilogues & LT_EPILOGUE_BIAS) && !(c->epilogues & LT_EPILOGUE_RESIDUAL) && along(s, &f->bias).full) {
		f->residual = f->bias;
		c->epilogues = (c->epilogues & ~(uint32_t)LT_EPILOGUE_BIAS) | LT_EPILOGUE_RESIDUAL;
	}
	if (c->epilogues & LT_EPILOGUE_BIAS || (!bias && c->epilogues & LT_EPILOGUE_RESIDUAL))
		return search_fail(s, "%%%s (add) comes before the %s of a product that has one after it; a routine adds one bias, "
			"then one residual; move what comes after %%%s out of %s", name_of(s, n),
			c->epilogues & LT_EPILOGUE_BIAS ? "bias" : "residual", name_of(s, n), s->where);
	*(bias ? &f->bias : &f->residual) = *value;
	c->epilogues |= bias ? LT_EPILOGUE_BIAS : LT_EPILOGUE_RESIDUAL;
	f->next = bias ? "bias" : "residual";
	return true;
}

/* An activation that ends with n; *bit 0: none.  Gives the value before it. */
static lt_node match_activation(struct call_search *s, lt_node n, uint32_t *bit, const char **what)
{
	*bit = 0;
	for (int32_t i = 0; i < N_ACTIVATION; i++) {
		struct match m = { .s = s, .x = -1 };
		const char *end = match_node(&m, activations[i].is, n);
		if (!end || *end || m.x < 0)
			continue;
		for (int32_t k = 0; k < m.n; k++)
			use_member(s, m.used[k]);
		*bit = activations[i].bit;
		*what = activations[i].name;
		return m.x;
	}
	return n;
}

static bool step_back(struct call_search *s, struct epilogue_found *f, lt_node *n)
{
	const struct lt_nodedef *d = &s->t->graph->node[*n];
	uint32_t bit;
	const char *what = NULL;
	struct lt_callread value;
	lt_node before = match_activation(s, *n, &bit, &what);
	if (bit) {
		if (s->c->epilogues && bit >= (s->c->epilogues & -s->c->epilogues))
			return search_fail(s, "%%%s (%s) comes before the %s of the product, and a routine does that first; move what "
				"comes after %%%s out of %s",
				name_of(s, *n), what, f->next, name_of(s, *n), s->where);
		s->c->epilogues |= bit;
		f->next = what;
		*n = before;
		return true;
	}
	if (d->op != LT_OP_add || d->reduce) {
		if (f->next)
			return search_fail(s, "%%%s %s is between the product and its %s; move it out of %s", name_of(s, *n),
				op_name_of(s, *n), f->next, s->where);
		return search_fail(s, "%%%s %s comes after the product, and a routine does not do it; move it out of %s",
			name_of(s, *n), op_name_of(s, *n),
			s->where);
	}
	const struct lt_readpiece *first = plain_piece(s, *n, 0), *second = plain_piece(s, *n, 1);
	if (!first || !second)
		return false;
	int32_t other = first->kind == LT_PIECE_READ && is_dependent(s, first->base) ? 1 : 0;
	if (!value_outside(s, *n, other, &value) || !add_value(s, f, *n, &value))
		return false;
	use_member(s, *n);
	*n = (other ? first : second)->base;
	return true;
}

/* What follows the sum up to `end`.  Marks what it has used. */
static bool find_epilogue(struct call_search *s, lt_node end)
{
	struct epilogue_found f = { .next = NULL };
	struct lt_contraction *c = s->c;
	const struct lt_graph *g = s->t->graph;
	bool last = true;       /* only casts and copies are after n, and none that changes the type */
	c->type = g->node[c->sum].dtype;
	for (lt_node n = end; n != c->sum;) {
		if (!is_dependent(s, n))
			return search_fail(s, "%%%s is read outside of %s, but is not computed from the product; move it out",
				name_of(s, n), s->where);
		if (is_passed(g, n, &last)) {
			use_member(s, n);
			n = s->t->leaf[n]->read[0].piece[0].base;
			continue;
		}
		last = false;
		widen(c, g->node[n].dtype);
		if (!step_back(s, &f, &n))
			return false;
	}
	if (c->epilogues & LT_EPILOGUE_BIAS)
		c->operand[c->n_operand++] = f.bias;
	if (c->epilogues & LT_EPILOGUE_RESIDUAL)
		c->operand[c->n_operand++] = f.residual;
	return true;
}

/* -- All of it. */

static bool search(struct call_search *s, lt_node end)
{
	if (!find_sum(s, s->member, s->n_member) || !find_mul(s))
		return false;
	if (!find_dims(s) || !find_dependent(s) || !find_epilogue(s, end) || !check_end(s, end))
		return false;
	s->c->end = end;
	s->c->operand[LT_CALL_RESULT] = (struct lt_callread){ end, NULL };
	for (int32_t i = 0; i < s->n_member; i++)
		if (!s->used[i])
			return search_fail(s, "%%%s %s is not a part of the product; move it out of %s", name_of(s, s->member[i]),
				op_name_of(s, s->member[i]),
				s->where);
	return true;
}

const char *lt__contraction_find(struct lt_looptree *t, struct lt_arena *a, const lt_node *member, int32_t n,
	lt_node end, const char *where, struct lt_contraction *out)
{
	struct call_search s = { .t = t,
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
