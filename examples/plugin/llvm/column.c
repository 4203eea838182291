/* examples/plugin/llvm/column.c -- what is known of the columns of the rows: at the beginning, and of divs wherever
 * they change. */
#include "gen.h"

static int64_t floordiv(int64_t a, int64_t b) { return a / b - (a % b != 0 && a < 0); }

/* How floor(row / den) moves from lane to lane: by stride/den, or not at all where no lane leaves the quotient of the
 * first. */
static void set_div_stride(struct gen *g, const struct lt_div *d, struct column *c)
{
	int64_t stride, last, *r = lt_llvm_dense(g, d->row, 1, false);
	c->irregular = !lt_llvm_stride(g, d->row, &stride);
	c->stride = c->irregular ? 0 : stride / d->den;
	if (c->irregular || stride % d->den == 0)
		return;
	c->stride = 0;
	for (int32_t k = 1; k < g->t->n_column; k++) {
		int64_t step = k == loop_column(g->t, g->lane_loop) ? g->lanes : 1, whole;
		c->irregular = c->irregular || __builtin_mul_overflow(r[k], step, &whole) || whole % d->den != 0;
	}
	int64_t first = r[0] - floordiv(r[0], d->den) * d->den;
	c->irregular = c->irregular || __builtin_mul_overflow(stride, (int64_t)g->lanes - 1, &last)
		|| __builtin_add_overflow(first, last, &last) || last < 0 || last >= d->den;
}

/* Column c has another value from here on. */
static void forget(struct gen *g, int32_t c)
{
	for (int32_t i = g->first_scope; i < g->n_scope; i++)
		for (struct known **k = &g->scope[i].known; *k; )
			if ((*k)->row[c])
				*k = (*k)->next;
			else
				k = &(*k)->next;
}

static void set_div(struct gen *g, int32_t div)
{
	const struct lt_div *d = LT_AT(struct lt_div, g->t->divs, div);
	struct range r = lt_llvm_range(g, d->row);
	struct column x = { .fixed = true };
	x.range = r.known ? (struct range){ true, floordiv(r.low, d->den), floordiv(r.high, d->den) } : r;
	int64_t *row = lt_llvm_dense(g, d->row, 1, false);
	for (int32_t c = 1; c < g->t->n_column; c++)
		if (row[c]) {
			x.fixed = false;
			x.scope = g->column[c].scope > x.scope ? g->column[c].scope : x.scope;
		}
	x.value = x.fixed ? floordiv(row[0], d->den) : 0;
	if (g->lane_loop >= 0)
		set_div_stride(g, d, &x);
	if (!x.fixed)
		forget(g, div_column(g->t, div));
	g->column[div_column(g->t, div)] = x;
}

void lt_llvm_set_divs(struct gen *g, int32_t loop)
{
	for (int32_t d = g->first_div[loop + 1]; d >= 0; d = g->next_div[d])
		set_div(g, d);
}

/* All columns as they are anywhere: ranges, no values. */
void lt_llvm_columns(struct gen *g)
{
	const struct lt_tree *t = g->t;
	struct column *c = g->column;
	*c++ = (struct column){ .range = { true, 1, 1 } };
	for (int32_t i = 0; i < t->n_param; i++) {
		const struct lt_tparam *p = LT_AT(struct lt_tparam, t->params, i);
		*c++ = (struct column){ .range = { true, p->low, p->high } };
	}
	for (int32_t i = 0; i < t->n_loop; i++)
		*c++ = (struct column){ .range = { true, 0, loop_at(g, i)->max_trip_count - 1 } };
	g->lane_loop = -1;
	g->lanes = 1;
	for (int32_t i = 0; i < t->n_div; i++)
		set_div(g, i);
}
