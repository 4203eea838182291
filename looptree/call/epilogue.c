/* What follows a product in a call, element by element: a bias, a residual, an activation, in the order of their bits.
 *
 * Found backwards, from what the call writes to the sum.  Activations are as the builders of ir/build/nn.c make them.
 */
#include <stdlib.h>
#include <string.h>
#include "looptree/call/call.h"

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

struct match { const struct lt_callsearch *s; lt_node x, used[MAX_NODES]; int32_t n; };

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
	if (p->kind != LT_PIECE_READ || !lt__call_is_dependent(m->s, p->base))
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
	if (!(lt__keeps_value(g, n) && (is_float || same)) && !(is_float && *last))
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

static bool moves_along(const struct lt_callsearch *s, const struct lt_callread *r, lt_var dim)
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
static struct operand_along along(const struct lt_callsearch *s, const struct lt_callread *r)
{
	struct operand_along x = { .full = true };
	for (int32_t d = 0; d < s->c->n_dim; d++) {
		if (s->c->role[d] == LT_DIM_DEEP || s->t->graph->var[s->c->dim[d]].extent == 1)
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

static bool add_value(struct lt_callsearch *s, struct epilogue_found *f, lt_node n, const struct lt_callread *value)
{
	struct lt_contraction *c = s->c;
	struct operand_along is = along(s, value);
	if (is.roles == 1u << LT_DIM_ROW && !(c->epilogues & LT_EPILOGUE_BIAS) && !is.full) {
		swap_factors(c);
		is.roles = 1u << LT_DIM_COLUMN;
	}
	bool bias = !(is.roles & ~(1u << LT_DIM_COLUMN));
	if (!bias && !is.full)
		return lt__call_fail(s,
			"%%%s (add) adds %%%s, which has neither only the columns of the product, as a bias, nor all "
			"its dims; move it out of %s",
			lt__call_name(s, n), lt__call_name(s, value->piece->base), s->where);
	/* A vector of results: the last of two is a residual, if it has all of them. */
	if (bias && (c->epilogues & LT_EPILOGUE_BIAS) && !(c->epilogues & LT_EPILOGUE_RESIDUAL) && along(s, &f->bias).full) {
		f->residual = f->bias;
		c->epilogues = (c->epilogues & ~(uint32_t)LT_EPILOGUE_BIAS) | LT_EPILOGUE_RESIDUAL;
	}
	if (c->epilogues & LT_EPILOGUE_BIAS || (!bias && c->epilogues & LT_EPILOGUE_RESIDUAL))
		return lt__call_fail(s, "%%%s (add) comes before the %s of a product that has one after it; a routine adds one bias, "
			"then one residual; move what comes after %%%s out of %s", lt__call_name(s, n),
			c->epilogues & LT_EPILOGUE_BIAS ? "bias" : "residual", lt__call_name(s, n), s->where);
	*(bias ? &f->bias : &f->residual) = *value;
	c->epilogues |= bias ? LT_EPILOGUE_BIAS : LT_EPILOGUE_RESIDUAL;
	f->next = bias ? "bias" : "residual";
	return true;
}

/* An activation that ends with n; *bit 0: none.  Gives the value before it. */
static lt_node match_activation(struct lt_callsearch *s, lt_node n, uint32_t *bit, const char **what)
{
	*bit = 0;
	for (int32_t i = 0; i < N_ACTIVATION; i++) {
		struct match m = { .s = s, .x = -1 };
		const char *end = match_node(&m, activations[i].is, n);
		if (!end || *end || m.x < 0)
			continue;
		for (int32_t k = 0; k < m.n; k++)
			lt__call_use(s, m.used[k]);
		*bit = activations[i].bit;
		*what = activations[i].name;
		return m.x;
	}
	return n;
}

static bool step_back(struct lt_callsearch *s, struct epilogue_found *f, lt_node *n)
{
	const struct lt_nodedef *d = &s->t->graph->node[*n];
	uint32_t bit;
	const char *what = NULL;
	struct lt_callread value;
	lt_node before = match_activation(s, *n, &bit, &what);
	if (bit) {
		if (s->c->epilogues && bit >= (s->c->epilogues & -s->c->epilogues))
			return lt__call_fail(s, "%%%s (%s) comes before the %s of the product, and a routine does that first; move what "
				"comes after %%%s out of %s",
				lt__call_name(s, *n), what, f->next, lt__call_name(s, *n), s->where);
		s->c->epilogues |= bit;
		f->next = what;
		*n = before;
		return true;
	}
	if (d->op != LT_OP_add || d->reduce) {
		if (f->next)
			return lt__call_fail(s, "%%%s %s is between the product and its %s; move it out of %s", lt__call_name(s, *n),
				lt__call_op_name(s, *n), f->next, s->where);
		return lt__call_fail(s, "%%%s %s comes after the product, and a routine does not do it; move it out of %s",
			lt__call_name(s, *n), lt__call_op_name(s, *n),
			s->where);
	}
	const struct lt_readpiece *first = lt__call_piece(s, *n, 0), *second = lt__call_piece(s, *n, 1);
	if (!first || !second)
		return false;
	int32_t other = first->kind == LT_PIECE_READ && lt__call_is_dependent(s, first->base) ? 1 : 0;
	if (!lt__call_outside(s, *n, other, &value) || !add_value(s, f, *n, &value))
		return false;
	lt__call_use(s, *n);
	*n = (other ? first : second)->base;
	return true;
}

bool lt__epilogue_find(struct lt_callsearch *s, lt_node end)
{
	struct epilogue_found f = { .next = NULL };
	struct lt_contraction *c = s->c;
	const struct lt_graph *g = s->t->graph;
	bool last = true;       /* only casts and copies are after n, and none that changes the type */
	c->type = g->node[c->sum].dtype;
	for (lt_node n = end; n != c->sum;) {
		if (!lt__call_is_dependent(s, n))
			return lt__call_fail(s, "%%%s is read outside of %s, but is not computed from the product; move it out",
				lt__call_name(s, n), s->where);
		if (is_passed(g, n, &last)) {
			lt__call_use(s, n);
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
