/* fold.c -- constant folding: operators on literals, neutral elements, casts of casts, undone operators.
 *
 * Only what is exact to the bit for every operand, NaN, infinity and -0 included, is rewritten.
 */
#include <math.h>
#include <string.h>
#include "ir/node/node.h"
#include "ir/pass/pass.h"

struct constant_fold {
	struct lt_frame *f;
	struct lt_graph *out;
	lt_node *literal;               /* of each node of out: the literal that each of its elements is, -1: none */
	int32_t n_literal, cap_literal;
};

static lt_node add_node(struct constant_fold *w, const struct lt_nodedef *n, lt_node literal)
{
	lt_node x = lt__graph_add(w->out, n);

	if (x < 0)
		return -1;
	LT_GROW(w->f->scratch, w->literal, w->n_literal, w->cap_literal);
	w->literal[w->n_literal++] = n->op == LT_OP_lit ? x : literal;
	return x;
}

static const struct lt_nodedef *node(const struct constant_fold *w, lt_node x)
{
	return &w->out->node[x];
}

static bool same_dims(const struct lt_nodedef *a, const struct lt_nodedef *b)
{
	return a->n_dim == b->n_dim && (a->n_dim == 0 || !memcmp(a->dim, b->dim, sizeof *a->dim * (size_t)a->n_dim));
}

/* A value in the place of n: x itself if the dims are n's, else a copy of it along them. */
static lt_node stand_in(struct constant_fold *w, const struct lt_nodedef *n, lt_node x)
{
	struct lt_nodedef copy = { .op = LT_OP_copy, .dtype = n->dtype, .n_operand = 1, .operand = &x, .n_dim = n->n_dim,
		.dim = n->dim, .name = n->name, .line = n->line, .column = n->column };

	if (x < 0)
		return -1;
	return same_dims(node(w, x), n) ? x : add_node(w, &copy, w->literal[x]);
}

static lt_node add_literal(struct constant_fold *w, const struct lt_nodedef *like, uint64_t bits)
{
	struct lt_nodedef n = { .op = LT_OP_lit, .dtype = like->dtype, .bits = bits, .name = like->name,
		.line = like->line, .column = like->column };

	return add_node(w, &n, -1);
}

/* -- operators on literals -- */

static lt_node fold_literals(struct constant_fold *w, const struct lt_nodedef *n)
{
	union lt_scalar x[3], value;
	enum lt_dtype t = LT_NDTYPE;

	if (!lt__node_is_pointwise(n) || n->op == LT_OP_copy)
		return -1;
	for (int32_t i = 0; i < n->n_operand; i++) {
		if (node(w, n->operand[i])->op != LT_OP_lit)
			return -1;
		t = node(w, n->operand[i])->dtype;
		x[i] = lt__scalar_of(node(w, n->operand[i])->bits, t);
	}
	value = n->op == LT_OP_cast ? lt__convert(x[0], t, n->dtype)
		: lt__round_to(lt__op_value(n->op, t, x), n->dtype);
	return stand_in(w, n, add_literal(w, n, lt__bits_of(value, n->dtype)));
}

/* -- neutral elements -- */

enum side { RIGHT, EITHER };
enum neutral_kind { MINUS_ZERO, ZERO, ONE, ALL_ONES, LOWEST, HIGHEST };
struct neutral { enum lt_opcode op; enum lt_class cls; enum side side; enum neutral_kind kind; };
static const struct neutral neutrals[] = {
	{ LT_OP_add, LT_CLASS_FLOAT, EITHER, MINUS_ZERO },      /* +0 would turn -0 into 0 */
	{ LT_OP_add, LT_CLASS_INT, EITHER, ZERO },
	{ LT_OP_sub, LT_CLASS_FLOAT, RIGHT, ZERO },
	{ LT_OP_sub, LT_CLASS_INT, RIGHT, ZERO },
	{ LT_OP_mul, LT_CLASS_FLOAT, EITHER, ONE },
	{ LT_OP_mul, LT_CLASS_INT, EITHER, ONE },
	{ LT_OP_div, LT_CLASS_FLOAT, RIGHT, ONE },
	{ LT_OP_div, LT_CLASS_INT, RIGHT, ONE },
	{ LT_OP_min, LT_CLASS_FLOAT, EITHER, HIGHEST },
	{ LT_OP_max, LT_CLASS_FLOAT, EITHER, LOWEST },
	{ LT_OP_shl, LT_CLASS_INT, RIGHT, ZERO },
	{ LT_OP_shr, LT_CLASS_INT, RIGHT, ZERO },
	{ LT_OP_and, LT_CLASS_INT, EITHER, ALL_ONES },
	{ LT_OP_and, LT_CLASS_BOOL, EITHER, ONE },
	{ LT_OP_or, LT_CLASS_INT, EITHER, ZERO },
	{ LT_OP_or, LT_CLASS_BOOL, EITHER, ZERO },
	{ LT_OP_xor, LT_CLASS_INT, EITHER, ZERO },
	{ LT_OP_xor, LT_CLASS_BOOL, EITHER, ZERO },
};

static uint64_t neutral_bits(enum neutral_kind kind, enum lt_dtype t)
{
	static const double f[] = { [MINUS_ZERO] = -0.0, [ZERO] = 0, [ONE] = 1, [LOWEST] = -INFINITY, [HIGHEST] = INFINITY };
	static const int64_t i[] = { [ZERO] = 0, [ONE] = 1, [ALL_ONES] = -1 };

	if (lt__dtype_info(t)->cls == LT_CLASS_FLOAT)
		return lt__bits_of((union lt_scalar){ .f = f[kind] }, t);
	return lt__bits_of((union lt_scalar){ .i = i[kind] }, t);
}

/* x for x + -0, x - 0, x * 1 and the like. */
static lt_node fold_neutral(struct constant_fold *w, const struct lt_nodedef *n)
{
	if (n->n_operand != 2 || !lt__node_is_pointwise(n))
		return -1;
	for (size_t i = 0; i < sizeof neutrals / sizeof *neutrals; i++) {
		const struct neutral *r = &neutrals[i];

		if (r->op != n->op || r->cls != lt__dtype_info(n->dtype)->cls)
			continue;
		for (int32_t at = 1; at >= (r->side == EITHER ? 0 : 1); at--) {
			const struct lt_nodedef *lit = node(w, n->operand[at]);

			if (lit->op == LT_OP_lit && lit->dtype == n->dtype && lit->bits == neutral_bits(r->kind, n->dtype)
			    && same_dims(node(w, n->operand[1 - at]), n))
				return n->operand[1 - at];
		}
	}
	return -1;
}

/* -- casts, copies, selects, undone operators -- */

/* Whether every value of type a is one of type b. */
static bool holds_all(enum lt_dtype b, enum lt_dtype a)
{
	const struct lt_dtypeinfo *from = lt__dtype_info(a), *to = lt__dtype_info(b);
	int bits = (int)from->bytes * 8 - from->is_signed, to_bits = (int)to->bytes * 8 - to->is_signed;

	if (a == b || from->cls == LT_CLASS_BOOL)
		return true;
	if (to->cls == LT_CLASS_BOOL || (from->cls == LT_CLASS_FLOAT && to->cls != LT_CLASS_FLOAT))
		return false;
	if (from->cls == LT_CLASS_FLOAT)
		return to->unit <= from->unit && to->tiny <= from->tiny && to->largest >= from->largest;
	if (to->cls == LT_CLASS_INT)
		return to_bits >= bits && (to->is_signed || !from->is_signed);
	return ldexp(to->unit, bits) <= 1 && ldexp(1, bits) <= to->largest;
}

/* Whether a cast from a to c by way of b gives what one from a to c gives: b keeps the value, and where c is too narrow
 * for it does what a would do.  A float saturates in an integer, an integer wraps. */
static bool may_skip(enum lt_dtype a, enum lt_dtype b, enum lt_dtype c)
{
	bool wraps = lt__dtype_info(a)->cls == LT_CLASS_INT && lt__dtype_info(c)->cls == LT_CLASS_INT;

	return holds_all(b, a) && (!wraps || lt__dtype_info(b)->cls == LT_CLASS_INT || holds_all(c, a));
}

static lt_node fold_cast(struct constant_fold *w, struct lt_nodedef *n)
{
	const struct lt_nodedef *from;

	if (n->op != LT_OP_cast)
		return -1;
	from = node(w, n->operand[0]);
	if (from->op == LT_OP_cast && may_skip(node(w, from->operand[0])->dtype, from->dtype, n->dtype)) {
		n->operand[0] = from->operand[0];
		from = node(w, n->operand[0]);
	}
	return from->dtype == n->dtype ? stand_in(w, n, n->operand[0]) : -1;
}

static lt_node fold_same(struct constant_fold *w, const struct lt_nodedef *n)
{
	const struct lt_nodedef *from = n->n_operand ? node(w, n->operand[0]) : NULL;

	if (n->op == LT_OP_copy && same_dims(from, n))
		return n->operand[0];
	if (n->op == LT_OP_select && from->op == LT_OP_lit)
		return stand_in(w, n, n->operand[from->bits ? 1 : 2]);
	if (n->op == LT_OP_select && n->operand[1] == n->operand[2] && same_dims(node(w, n->operand[1]), n))
		return n->operand[1];
	if ((n->op == LT_OP_neg || n->op == LT_OP_not) && from->op == n->op && same_dims(node(w, from->operand[0]), n))
		return from->operand[0];
	return -1;
}

/* -- views -- */

/* The bits that a piece always shows; false: they differ from element to element. */
static bool piece_bits(
	const struct constant_fold *w, const struct lt_nodedef *n, const struct lt_graphpiece *p, uint64_t *bits)
{
	lt_node literal = p->source < 0 ? -1 : w->literal[n->operand[p->source]];

	if (p->source >= 0 && literal < 0)
		return false;
	*bits = p->source < 0 ? p->bits : node(w, literal)->bits;
	return true;
}

/* A view that shows one value everywhere; pieces after one without guards do not count. */
static lt_node fold_view(struct constant_fold *w, const struct lt_nodedef *n)
{
	uint64_t bits, first = 0;
	bool open = true;

	if (n->op != LT_OP_view)
		return -1;
	for (int32_t i = 0; i < n->n_piece && open; i++) {
		if (!piece_bits(w, n, &n->piece[i], &bits) || (i && bits != first))
			return -1;
		first = bits;
		open = n->piece[i].map.n_guard > 0;
	}
	if (open && n->has_fill && n->bits != first)
		return -1;
	return stand_in(w, n, add_literal(w, n, first));
}

/* Operands that are one literal everywhere are read as it. */
static void read_literals(const struct constant_fold *w, struct lt_nodedef *n)
{
	for (int32_t i = 0; lt__node_is_pointwise(n) && i < n->n_operand; i++)
		if (w->literal[n->operand[i]] >= 0)
			n->operand[i] = w->literal[n->operand[i]];
}

static lt_status fold_graph(struct lt_frame *f)
{
	struct constant_fold w = { .f = f, .out = f->out };

	for (lt_node x = 0; x < f->in->n_node; x++) {
		struct lt_nodedef n = lt__frame_node(f, x);
		lt_node to;

		lt_context_clear(f->in->ctx);
		read_literals(&w, &n);
		to = fold_literals(&w, &n);
		to = to < 0 ? fold_cast(&w, &n) : to;
		to = to < 0 ? fold_same(&w, &n) : to;
		to = to < 0 ? fold_neutral(&w, &n) : to;
		to = to < 0 ? fold_view(&w, &n) : to;
		if (to < 0)
			to = add_node(&w, &n, n.op == LT_OP_copy ? w.literal[n.operand[0]] : -1);
		if (to < 0)
			return f->in->ctx->code;
		f->to[x] = to;
	}
	return LT_OK;
}

/* Needs: nothing.  Keeps: values to the bit, names of what stays.  Breaks: node numbers; leaves dead nodes. */
lt_status lt__pass_fold(const struct lt_graph *in, struct lt_graph **out)
{
	return lt__frame_run(in, fold_graph, out);
}
