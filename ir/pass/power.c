/* power.c -- powers whose exponent is a small whole number become products.
 *
 * A power takes ten times as long as the products, which are within its error: x*x is rounded once, x*x*x twice,
 * (x*x)*(x*x) three times.  What overflows, or gets lost near 0, on the way does so in the power, too.
 */
#include "ir/node/node.h"
#include "ir/pass/pass.h"

/* x to the power of the exponent is `left` times `right`, each itself a power of x. */
struct power_split { int exponent, left, right; };
static const struct power_split splits[] = { { 2, 1, 1 }, { 3, 2, 1 }, { 4, 2, 2 } };

static const struct power_split *find_split(double exponent)
{
	for (size_t i = 0; i < sizeof splits / sizeof *splits; i++)
		if (splits[i].exponent == exponent)
			return &splits[i];
	return NULL;
}

/* The split of node n, NULL: it stays.  Half types are computed in f32: their powers have casts around them. */
static const struct power_split *split_of(const struct lt_frame *f, const struct lt_nodedef *n)
{
	const struct lt_nodedef *exponent;

	if (n->op != LT_OP_pow || n->reduce || lt__dtype_info(n->dtype)->compute != n->dtype)
		return NULL;
	exponent = &f->out->node[n->operand[1]];
	if (exponent->op != LT_OP_lit || f->out->node[n->operand[0]].n_dim != n->n_dim)
		return NULL;
	return find_split(lt__scalar_of(exponent->bits, exponent->dtype).f);
}

/* The node of `x to the power of split`, named like n or, a part of it, after it; -1: the context says why not. */
static lt_node add_power(struct lt_frame *f, const struct lt_nodedef *n, const struct power_split *s, bool part)
{
	lt_node x = n->operand[0], operand[2];
	struct lt_nodedef product = *n;

	product.op = LT_OP_mul;
	product.operand = operand;
	if (part)
		product.name = lt__arena_format(f->scratch, "%s.squared", n->name);
	operand[0] = s->left == 1 ? x : add_power(f, n, find_split(s->left), true);
	operand[1] = s->right == 1 ? x : operand[0];
	return operand[0] < 0 ? -1 : lt__graph_add(f->out, &product);
}

static lt_status split_powers(struct lt_frame *f)
{
	for (lt_node x = 0; x < f->in->n_node; x++) {
		struct lt_nodedef n = lt__frame_node(f, x);
		const struct power_split *s = split_of(f, &n);

		f->to[x] = s ? add_power(f, &n, s, false) : lt__graph_add(f->out, &n);
		if (f->to[x] < 0)
			return f->in->ctx->code;
	}
	return LT_OK;
}

/* Needs: literals folded.  Keeps: names; values within the error of a power.  Breaks: node numbers. */
lt_status lt__pass_power(const struct lt_graph *in, struct lt_graph **out)
{
	return lt__frame_run(in, split_powers, out);
}
