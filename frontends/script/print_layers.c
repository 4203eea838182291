/* print_layers.c -- candidates for layers: activations, softmax, norms, means, products.
 *
 * What is looked at here only has to lead to the operands and numbers of a candidate: print_match.c decides.
 */
#include <string.h>
#include "frontends/script/printer.h"

static bool is_op(const struct lt_nodedef *d, enum lt_opcode op)
{
	return d->op == op && !d->reduce;
}

static bool is_reduce(const struct lt_nodedef *d, enum lt_opcode op)
{
	return d->op == op && d->reduce;
}

/* name($0, $1 ..rest) */
static bool try_form(
	struct lt_scripter *p, lt_node x, const char *name, int32_t n, const lt_node *operand, const char *rest)
{
	struct lt_script_form *f = lt__form_new(p, n, operand);
	lt__text_format(&f->text, "%s($0", name);
	for (int32_t k = 1; k < n; k++)
		lt__text_format(&f->text, ", $%d", k);
	lt__text_format(&f->text, "%s)", rest);
	return lt__form_try(p, x, f);
}

static bool try_unary(struct lt_scripter *p, lt_node x, const char *name, lt_node operand)
{
	return try_form(p, x, name, 1, &operand, "");
}

/* ", 1" of the axes that are reduced; keep: and ", 1" */
static const char *axes_text(struct lt_scripter *p, const struct lt_nodedef *sum, bool keep)
{
	struct lt_text t = { .arena = p->arena };
	int32_t n = 0;
	lt__text_format(&t, ", [");
	for (int32_t i = 0; i < p->g->node[sum->operand[0]].n_dim; i++)
		if (lt__script_find_axis(p->g, sum, 0, i) < 0)
			lt__text_format(&t, "%s%d", n++ ? ", " : "", i);
	lt__text_format(&t, "]%s", keep ? ", 1" : "");
	return t.at;
}

static int32_t reduced_axis(const struct lt_scripter *p, const struct lt_nodedef *sum)
{
	int32_t i = 0;
	while (lt__script_find_axis(p->g, sum, 0, i) >= 0)
		i++;
	return i;
}

static bool form_softmax(struct lt_scripter *p, lt_node x, const struct lt_nodedef *d)
{
	const struct lt_nodedef *power = lt__form_operand(p, d, 0), *sum = lt__form_operand(p, d, 1);
	if (!is_op(power, LT_OP_exp) || !is_reduce(sum, LT_OP_add))
		return false;
	const struct lt_nodedef *apart = lt__form_operand(p, power, 0);
	if (!is_op(apart, LT_OP_sub))
		return false;
	lt_node from = lt__form_value(p, apart, 0);
	int32_t axis = reduced_axis(p, sum);
	return try_form(p, x, "SoftmaxNode", 1, &from, axis == d->n_dim - 1 ? "" : lt__arena_format(p->arena, ", %d", axis));
}

/* A number that is added; its text. */
static const char *eps_text(struct lt_scripter *p, const struct lt_nodedef *d)
{
	struct lt_text t = { .arena = p->arena };
	lt__text_format(&t, ", ");
	lt__say_bits(&t, d->bits, d->dtype);
	return strcmp(t.at, ", 1e-05") ? t.at : "";
}

/* y / sqrt(mean + eps): the eps, or NULL. */
static const struct lt_nodedef *eps_of(struct lt_scripter *p, const struct lt_nodedef *d)
{
	if (!is_op(d, LT_OP_div))
		return NULL;
	const struct lt_nodedef *root = lt__form_operand(p, d, 1);
	if (!is_op(root, LT_OP_sqrt))
		return NULL;
	const struct lt_nodedef *sum = lt__form_operand(p, root, 0);
	if (!is_op(sum, LT_OP_add))
		return NULL;
	const struct lt_nodedef *eps = lt__form_operand(p, sum, 1);
	return eps->op == LT_OP_lit ? eps : NULL;
}

/* A member of the value's kin that is a vector. */
static lt_node vector_of(const struct lt_scripter *p, lt_node y)
{
	while (y >= 0 && p->g->node[y].n_dim != 1)
		y = p->alias.up[y] < 0 ? -1 : p->alias.same[p->alias.up[y]];
	return y;
}

static bool form_norm(struct lt_scripter *p, lt_node x, const struct lt_nodedef *d)
{
	lt_node operand[3] = { -1, -1, -1 };
	int32_t n = 1;
	if (is_op(d, LT_OP_add)) {
		operand[2] = vector_of(p, lt__form_value(p, d, 1));
		d = lt__form_operand(p, d, 0);
		n = 3;
	}
	if (is_op(d, LT_OP_mul) && (n == 3 || lt__form_operand(p, d, 0)->op == LT_OP_div)) {
		operand[1] = vector_of(p, lt__form_value(p, d, 1));
		d = lt__form_operand(p, d, 0);
		n = n < 2 ? 2 : n;
	}
	const struct lt_nodedef *eps = eps_of(p, d);
	if (!eps)
		return false;
	operand[0] = lt__form_value(p, d, 0);
	if (n == 2 && try_form(p, x, "RMSNormNode", n, operand, eps_text(p, eps)))
		return true;
	const struct lt_nodedef *apart = lt__form_operand(p, d, 0);
	if (!is_op(apart, LT_OP_sub))
		return false;
	operand[0] = lt__form_value(p, apart, 0);
	return try_form(p, x, "LayerNormNode", n, operand, eps_text(p, eps));
}

static bool form_mean(struct lt_scripter *p, lt_node x, const struct lt_nodedef *d, bool keep)
{
	const struct lt_nodedef *sum = lt__form_operand(p, d, 0);
	if (!is_reduce(sum, LT_OP_add))
		return false;
	lt_node from = lt__form_value(p, sum, 0);
	return try_form(p, x, "ReduceMeanNode", 1, &from, axes_text(p, sum, keep));
}

static bool form_div(struct lt_scripter *p, lt_node x, const struct lt_nodedef *d)
{
	return form_softmax(p, x, d) || form_norm(p, x, d) || form_mean(p, x, d, false);
}

static bool form_mul(struct lt_scripter *p, lt_node x, const struct lt_nodedef *d)
{
	const struct lt_nodedef *l = lt__form_operand(p, d, 0), *r = lt__form_operand(p, d, 1);
	if (is_op(r, LT_OP_sigmoid))
		return try_unary(p, x, "SiLUNode", lt__form_value(p, d, 0));
	if (is_op(r, LT_OP_add) && is_op(l, LT_OP_mul) && is_op(lt__form_operand(p, r, 0), LT_OP_erf))
		return try_unary(p, x, "GeluNode", lt__form_value(p, l, 0));
	return form_norm(p, x, d);
}

static bool form_max(struct lt_scripter *p, lt_node x, const struct lt_nodedef *d)
{
	const struct lt_nodedef *r = lt__form_operand(p, d, 1);
	return r->op == LT_OP_lit && !r->bits && try_unary(p, x, "ReLUNode", lt__form_value(p, d, 0));
}

/* Letters of a value's axes: those of the product's. */
static void say_axes(const struct lt_scripter *p, struct lt_text *t, const struct lt_nodedef *product, int32_t n,
	const lt_var *dim)
{
	(void)p;
	for (int32_t i = 0; i < n; i++)
		for (int32_t k = 0; k < product->n_dim; k++)
			if (product->dim[k] == dim[i])
				lt__text_format(t, "%c", "ijklmnopqrstuvwxyzabcdefgh"[k]);
}

static bool form_product(struct lt_scripter *p, lt_node x, const struct lt_nodedef *d)
{
	const struct lt_nodedef *mul = &p->g->node[p->alias.same[d->operand[0]]];
	if (!is_reduce(d, LT_OP_add) || !is_op(mul, LT_OP_mul) || mul->n_dim > 26)
		return false;
	const lt_node operand[2] = { lt__form_value(p, mul, 0), lt__form_value(p, mul, 1) };
	if (try_form(p, x, "MatMulNode", 2, operand, ""))
		return true;
	struct lt_script_form *f = lt__form_new(p, 2, operand);
	lt__text_format(&f->text, "EinsumNode(");
	for (int32_t k = 0; k < 2; k++) {
		say_axes(p, &f->text, mul, p->g->node[mul->operand[k]].n_dim, p->g->node[mul->operand[k]].dim);
		lt__text_format(&f->text, "%s", k ? "->" : ",");
	}
	say_axes(p, &f->text, mul, d->n_dim, d->dim);
	lt__text_format(&f->text, ": $0, $1)");
	return lt__form_try(p, x, f);
}

/* A reduction whose axes are kept, of one element. */
static bool form_kept(struct lt_scripter *p, lt_node x)
{
	const struct lt_nodedef *d = &p->g->node[p->alias.same[p->alias.up[x]]];
	static const char *const name[LT_NOP] = { [LT_OP_add] = "ReduceSumNode", [LT_OP_mul] = "ReduceProductNode",
		[LT_OP_min] = "ReduceMinNode", [LT_OP_max] = "ReduceMaxNode" };
	if (is_op(d, LT_OP_div))
		return form_mean(p, x, d, true);
	if (!d->reduce)
		return false;
	lt_node from = lt__form_value(p, d, 0);
	return try_form(p, x, name[d->op], 1, &from, axes_text(p, d, true));
}

bool lt__form_layer(struct lt_scripter *p, lt_node x)
{
	const struct lt_nodedef *d = &p->g->node[x];
	if (d->op == LT_OP_view)
		return p->alias.up[x] >= 0 && form_kept(p, x);
	if (d->reduce)
		return form_product(p, x, d);
	switch (d->op) {
	case LT_OP_div: return form_div(p, x, d);
	case LT_OP_mul: return form_mul(p, x, d);
	case LT_OP_add: return form_norm(p, x, d);
	case LT_OP_max: return form_max(p, x, d);
	default: return false;
	}
}
