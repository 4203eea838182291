/* How a product reads its factors, about how long it takes, and whether threads share it. */
#include "looptree/default/product.h"
#include "looptree/default/share.h"

lt_node lt__auto_renamed(const struct lt_graph *g, lt_node n)
{
	for (const struct lt_nodedef *d = &g->node[n]; d->op == LT_OP_view && d->n_piece == 1 && d->n_operand == 1
		&& d->n_dim == g->node[*d->operand].n_dim && d->piece->map.n_guard == 0; d = &g->node[n]) {
		for (int32_t i = 0; i < d->n_dim; i++)
			if (!lt__row_is(&d->piece->map, i, i))
				return n;
		n = *d->operand;
	}
	return n;
}

struct factor_read lt__product_look(const struct lt_auto *s, const struct lt_product *p, bool right)
{
	lt_node of = right ? p->right : p->left;
	const struct lt_leaf *leaf = s->t->leaf[p->cast[right] >= 0 ? of : p->mul];
	struct factor_read x = { .leaf = leaf,
		.read = &leaf->read[p->cast[right] < 0 && s->g->node[p->mul].operand[1] == of] };
	const struct lt_readpiece *piece = &x.read->piece[0];
	x.plain = x.read->n_piece == 1 && piece->kind == LT_PIECE_READ && piece->map.n_guard == 0 && piece->map.n_param == 0;
	for (int32_t i = 0; x.plain && i < leaf->n_var; i++)
		x.plain = lt__auto_stride(s->g, piece, i) >= 0;
	x.early = s->constant[of] && !s->target->unpacked;
	return x;
}

/* Multiply-adds, or reading the right factor once. */
double lt__product_ns(const struct lt_auto *s, const struct lt_product *p)
{
	lt_node stored = p->cast[1] >= 0 ? s->g->node[p->cast[1]].operand[0] : p->right;
	double columns = (double)vars_count(s, &p->batch) * (double)vars_count(s, &p->column)
			* (double)vars_count(s, &p->contracted),
		bytes = columns * (double)lt__dtype_info(s->g->node[stored].dtype)->bytes,
		work = columns * (double)vars_count(s, &p->row) / (double)p->lanes;
	return work / LT_LANE_RATE > bytes / LT_BYTE_RATE ? work / LT_LANE_RATE : bytes / LT_BYTE_RATE;
}

bool lt__product_is_shared(const struct lt_auto *s, const struct lt_product *p)
{
	double ns = lt__product_ns(s, p);
	return s->target->cores > 1 && ns >= LT_MIN_SHARED_NS && ns >= (double)s->target->cores * LT_MIN_THREAD_NS;
}

bool lt__product_shares_copy(const struct lt_auto *s, lt_node copy)
{
	const struct lt_nodedef *d = &s->g->node[copy];
	double bytes = lt__dtype_info(d->dtype)->bytes;
	for (int32_t i = 0; i < d->n_dim; i++)
		bytes *= (double)s->g->var[d->dim[i]].extent;
	return s->target->cores > 1 && bytes >= (double)LT_MIN_SHARED_NS * LT_BYTE_RATE;
}

double lt__product_share(int64_t trip_count, int64_t cores)
{
	return (double)trip_count / (double)(lt__ceil_div(trip_count, cores) * cores);
}

bool lt__product_byte_rows(const struct lt_auto *s, lt_node sum, struct lt_product *p)
{
	const struct lt_nodedef *d = &s->g->node[sum], *mul = d->reduce ? &s->g->node[d->operand[0]] : NULL;
	if (!mul || d->op != LT_OP_add || !lt__auto_is_byte_rows(s, d->operand[0]))
		return false;
	*p = (struct lt_product){ .sum = sum, .mul = d->operand[0], .left = mul->operand[0], .right = mul->operand[1] };
	return true;
}
