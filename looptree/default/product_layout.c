/* The order in memory of what a product on a CPU copies and sums: vectors of a tile are read and written side by side,
 * one after the other. */
#include "looptree/tree/tree.h"
#include "looptree/default/product.h"

struct product_digits { struct lt_product_order order; const struct lt_nodedef *d; bool *used; };

static void product_digit(struct product_digits *x, lt_var v, int64_t step, int64_t span)
{
	for (int32_t i = 0; i < x->d->n_dim; i++)
		if (x->d->dim[i] == v) {
			x->order.at[x->order.n++] = (struct lt_digit){ .dim = i, .step = step, .span = span };
			x->used[i] = true;
		}
}

static struct product_digits digits_of(const struct lt_auto *s, const struct lt_nodedef *d)
{
	return (struct product_digits){ .order = { .at = LT_NEW(s->t->arena, struct lt_digit, d->n_dim + 2) }, .d = d,
		.used = LT_NEW(s->t->arena, bool, d->n_dim + 1) };
}

/* v in steps (0: not cut), the contracted vars, a second column or row, v within a step; other dims come first. */
struct lt_product_order lt__product_copy_order(
	const struct lt_auto *s, lt_node n, const struct lt_product *p, lt_var v, int64_t step)
{
	const struct lt_nodedef *d = &s->g->node[n];
	bool cut = v >= 0 && step > 1 && step < s->g->var[v].extent, lines = v == p->m && p->m2 >= 0;
	bool plain = !cut && !lines, cut2 = lines && p->tile_m2 < s->g->var[p->m2].extent;
	struct product_digits inner = digits_of(s, d), all = digits_of(s, d);
	for (int32_t k = 0; k < p->contracted.n; k++)
		product_digit(&inner, p->contracted.at[k], 1, 0);
	if (v == p->n)
		product_digit(&inner, p->n2, 1, 0);
	if (lines)
		product_digit(&inner, p->m2, 1, cut2 ? p->tile_m2 : 0);
	product_digit(&inner, v, 1, cut ? step : 0);
	for (int32_t i = 0; i < d->n_dim; i++)
		if (!inner.used[i])
			product_digit(&all, d->dim[i], 1, 0);
	if (cut2)
		product_digit(&all, p->m2, p->tile_m2, 0);
	if (cut)
		product_digit(&all, v, step, 0);
	struct lt_product_order *out = &all.order;
	for (int32_t i = 0; i < inner.order.n; i++)
		out->at[out->n++] = inner.order.at[i];
	for (int32_t i = 0; i < out->n; i++)
		plain = plain && out->at[i].dim == i;
	out->n = plain ? 0 : out->n;
	return *out;
}

void lt__product_lay(struct lt_auto *s, lt_node n, const struct lt_product_order *order)
{
	if (order->n > 0)
		s->t->layout[n] = lt__layout_new(s->t, order->n, order->at, 0);
}

/* Inside the loops of their tile, sums that do not end with n are ordered like this: lanes are next to each other,
 * whatever the result's order is. */
void lt__product_lay_lanes_on_rows(struct lt_auto *s, const struct lt_product *p, lt_node sum)
{
	const struct lt_nodedef *d = &s->g->node[sum];
	struct product_digits all = digits_of(s, d);
	for (int32_t i = 0; i < d->n_dim; i++)
		if (d->dim[i] != p->n)
			product_digit(&all, d->dim[i], 1, 0);
	product_digit(&all, p->n, 1, 0);
	if (d->dim[d->n_dim - 1] != p->n)
		lt__product_lay(s, sum, &all.order);
}

/* Sums of several rows lie by tiles, so that the rows of one tile do not meet in the same sets of a cache. */
void lt__product_interleave(struct lt_auto *s, const struct lt_product *p)
{
	const struct lt_nodedef *d = &s->g->node[p->sum];
	struct lt_digit *digit = LT_NEW(s->t->arena, struct lt_digit, d->n_dim + 2);
	int32_t count = 0, last = -1;
	for (int32_t i = 0; i < d->n_dim; i++)
		last = d->dim[i] == p->n ? i : last;
	digit[count++] = (struct lt_digit){ .dim = last, .step = p->tile_n };
	for (int32_t i = 0; i < d->n_dim; i++)
		if (i != last)
			digit[count++] = (struct lt_digit){ .dim = i, .step = 1 };
	digit[count++] = (struct lt_digit){ .dim = last, .step = 1, .span = p->tile_n };
	s->t->layout[p->sum] = lt__layout_new(s->t, count, digit, 0);
}

/* Parts of the sum lie each for itself. */
void lt__product_lay_by_chunk(struct lt_auto *s, lt_node chunk)
{
	const struct lt_nodedef *d = &s->g->node[chunk];
	struct lt_digit *digit = LT_NEW(s->t->arena, struct lt_digit, d->n_dim + 1);
	for (int32_t i = 0; i < d->n_dim; i++)
		digit[i] = (struct lt_digit){ .dim = i ? i - 1 : d->n_dim - 1, .step = 1 };
	s->t->layout[chunk] = lt__layout_new(s->t, d->n_dim, digit, 0);
}
