/* place.c -- the number of an element in the memory of its value, as a map over its indices and the loops. */
#include "looptree/access/access.h"
#include "looptree/freeze/freeze.h"

/* A map under way: R indices and the index rows, one row for the place, and divs as they come. */
struct placing {
	const struct lt_looptree *t;
	const struct lt_nodedef *d;
	struct lt_map m;
	int64_t *row, *div;             /* the place; one div: 1 + width numbers */
	int32_t width;
	bool overflow;
};

static void place_add(struct placing *p, int64_t *row, int32_t column, int64_t coef)
{
	p->overflow |= lt__add_overflow(row[column], coef, &row[column]);
}

static int64_t place_product(struct placing *p, int64_t a, int64_t b)
{
	int64_t r;
	p->overflow |= lt__mul_overflow(a, b, &r);
	return r;
}

/* Adds times the index along dim i, within one iteration of the loop that owns the memory: without what the loops up to
 * that one count. */
static void place_index(
	struct placing *p, int64_t *row, int32_t i, int32_t n_owned, const lt_tnode *loop, int64_t times)
{
	place_add(p, row, 1 + i, times);
	for (int32_t k = 0; k < n_owned; k++) {
		const struct lt_tnodedef *l = &p->t->node[loop[k]];
		place_add(p, row, 1 + p->d->n_dim + k,
			place_product(p, -times, lt__var_step(p->t->graph, p->d->dim[i], l->var, l->step)));
	}
}

/* A new div of the row that the caller fills, times of which are added to the place. */
static int64_t *place_div(struct placing *p, int64_t den, int64_t times)
{
	int64_t *div = p->div + (int64_t)p->m.n_div * (1 + p->width);
	div[0] = den;
	place_add(p, p->row, 1 + p->m.n_dim + p->m.n_div++, times);
	return div + 1;
}

static void place_digits(struct placing *p, const struct lt_memlayout *l, const int64_t *extent, int32_t n_owned,
	const lt_tnode *loop)
{
	int64_t unit = 1;
	for (int32_t i = l->n - 1; i >= 0; i--) {
		const struct lt_digit *g = &l->digit[i];
		if (g->step == 1)
			place_index(p, p->row, g->dim, n_owned, loop, unit);
		else
			place_index(p, place_div(p, g->step, unit), g->dim, n_owned, loop, 1);
		if (g->span)
			place_index(p, place_div(p, g->span, place_product(p, -unit, g->span / g->step)), g->dim, n_owned, loop, 1);
		unit = place_product(p, unit, lt__digit_extent(g, extent));
		p->overflow |= lt__add_overflow(unit, g->pad, &unit);
	}
}

/* Which of the buffers in turn: the iteration of the owner, modulo their number. */
static void place_turn(struct placing *p, int32_t owner, int64_t depth, int64_t elements)
{
	place_add(p, p->row, 1 + p->d->n_dim + owner, elements);
	place_div(p, depth, place_product(p, -depth, elements))[1 + p->d->n_dim + owner] = 1;
}

lt_status lt__access_place(const struct lt_looptree *t, struct lt_arena *a, lt_node value, int32_t n_loop,
	const lt_tnode *loop, struct lt_map *out)
{
	const struct lt_nodedef *d = &t->graph->node[value];
	const struct lt_memlayout *layout = t->layout[value];
	const bool local = t->leaf_of[value] >= 0 && !t->scope[value].whole;
	const int64_t depth = lt__copy_depth(t, value), *extent;
	int64_t elements, unit = 1;
	int32_t n_owned = 0, n_div = layout ? 2 * layout->n : 0;
	LT_TRY(lt__access_held(t, a, value, &extent, &elements));
	for (int32_t k = 0; local && t->scope[value].owner >= 0 && k < n_loop && n_owned == 0; k++)
		n_owned = loop[k] == t->scope[value].owner ? k + 1 : 0;
	n_div += depth > 1;
	struct placing p = { .t = t, .d = d, .m = { .n_dim = d->n_dim + n_loop, .n_row = d->n_dim + 1 } };
	p.width = 1 + d->n_dim + n_loop + n_div;
	int64_t *rows = LT_NEW(a, int64_t, (int64_t)p.width * (d->n_dim + 1));
	p.row = rows + (int64_t)p.width * d->n_dim;
	p.div = LT_NEW(a, int64_t, (int64_t)n_div * (1 + p.width) + 1);
	for (int32_t i = 0; i < d->n_dim; i++)
		rows[(int64_t)p.width * i + 1 + i] = 1;
	if (layout)
		place_digits(&p, layout, extent, n_owned, loop);
	for (int32_t i = d->n_dim - 1; i >= 0 && !layout; i--) {
		place_index(&p, p.row, i, n_owned, loop, unit);
		unit = place_product(&p, unit, extent[i]);
	}
	if (depth > 1 && n_owned > 0)
		place_turn(&p, n_owned - 1, depth, elements);
	/* Divs that a layout did not need are of 0. */
	for (; p.m.n_div < n_div; p.m.n_div++)
		p.div[(int64_t)p.m.n_div * (1 + p.width)] = 1;
	p.m.row = rows;
	p.m.div = p.div;
	*out = p.m;
	return !p.overflow ? LT_OK : lt_fail(t->ctx, LT_EOVERFLOW, "places of %%%s in its memory exceed 63 bits; choose "
		"smaller steps", d->name);
}
