/* backends/cgen/row.c -- affine rows as C expressions, and what is known of their values. */
#include "backends/cgen/gen.h"

struct range lt__gen_range(const struct gen *g, int32_t row)
{
	const int64_t *r = row_at(g->t, row);
	struct range sum = { true, r[0], r[0] };
	for (int32_t c = 1; c < g->t->n_column; c++) {
		if (r[c] == 0)
			continue;
		struct range x = g->column[c].range;
		int64_t at_low = r[c] > 0 ? x.low : x.high, at_high = r[c] > 0 ? x.high : x.low;
		if (!x.known || __builtin_mul_overflow(r[c], at_low, &at_low) || __builtin_mul_overflow(r[c], at_high, &at_high)
		    || __builtin_add_overflow(sum.low, at_low, &sum.low) || __builtin_add_overflow(sum.high, at_high, &sum.high))
			return (struct range){ false, 0, 0 };
	}
	return sum;
}

static int64_t floordiv(int64_t a, int64_t b) { return a / b - (a % b != 0 && a < 0); }

/* The row with the columns that are numbers added to its constant. */
const int64_t *lt__gen_fold(struct gen *g, int32_t row)
{
	const int64_t *r = row_at(g->t, row);
	uint64_t sum = (uint64_t)r[0];
	for (int32_t c = 1; c < g->t->n_column; c++) {
		g->row[c] = g->column[c].fixed ? 0 : r[c];
		if (g->column[c].fixed)
			sum += (uint64_t)r[c] * (uint64_t)g->column[c].value;
	}
	g->row[0] = (int64_t)sum;
	return g->row;
}

bool lt__gen_number(const struct gen *g, int32_t row, int64_t *value)
{
	const int64_t *r = row_at(g->t, row);
	uint64_t sum = (uint64_t)r[0];
	for (int32_t c = 1; c < g->t->n_column; c++) {
		if (r[c] && !g->column[c].fixed)
			return false;
		sum += (uint64_t)r[c] * (uint64_t)g->column[c].value;
	}
	*value = (int64_t)sum;
	return true;
}

bool lt__gen_stride(const struct gen *g, int32_t row, int64_t *stride)
{
	const int64_t *r = row_at(g->t, row);
	int64_t sum = 0, one;
	*stride = 0;
	for (int32_t c = 1; c < g->t->n_column; c++) {
		if (r[c] == 0)
			continue;
		if (g->column[c].irregular || __builtin_mul_overflow(r[c], g->column[c].stride, &one)
			|| __builtin_add_overflow(sum, one, &sum))
			return false;
	}
	*stride = sum;
	return true;
}

/* How floor(row / den) moves from lane to lane: by stride/den, or not at all where no lane leaves the quotient of the
 * first. */
static void div_stride(struct gen *g, const struct lt_div *d, struct column *c)
{
	int64_t stride, last;
	c->irregular = !lt__gen_stride(g, d->row, &stride);
	c->stride = c->irregular ? 0 : stride / d->den;
	if (c->irregular || stride % d->den == 0)
		return;
	const int64_t *r = lt__gen_fold(g, d->row);
	for (int32_t k = 1; k < g->t->n_column; k++) {         /* vectors that are counted begin at multiples of their lanes */
		int64_t step = k == loop_column(g->t, g->lane_loop) ? g->lanes : 1, whole;
		c->irregular = c->irregular || __builtin_mul_overflow(r[k], step, &whole) || whole % d->den != 0;
	}
	int64_t first = r[0] - floordiv(r[0], d->den) * d->den;
	if (__builtin_mul_overflow(stride, (int64_t)g->lanes - 1, &last) || __builtin_add_overflow(first, last, &last))
		c->irregular = true;
	c->irregular = c->irregular || last < 0 || last >= d->den;
	c->stride = 0;
}

void lt__gen_set_div(struct gen *g, int32_t div)
{
	const struct lt_div *d = LT_AT(struct lt_div, g->t->divs, div);
	struct column *c = &g->column[div_column(g->t, div)];
	struct range r = lt__gen_range(g, d->row);
	*c = (struct column){
		.range = r.known ? (struct range){ true, floordiv(r.low, d->den), floordiv(r.high, d->den) } : r
	};
	c->fixed = lt__gen_number(g, d->row, &c->value);
	if (c->fixed)
		c->value = floordiv(c->value, d->den);
	if (g->lane_loop >= 0)
		div_stride(g, d, c);
	if (c->fixed && c->stride == 0 && !c->irregular)
		c->range = (struct range){ true, c->value, c->value };
}

void lt__gen_columns(struct gen *g)
{
	const struct lt_tree *t = g->t;
	if (!g->column) {
		g->column = lt__pool_alloc(&g->pool, (size_t)t->n_column, sizeof *g->column);
		g->row = lt__pool_alloc(&g->pool, (size_t)t->n_column, sizeof *g->row);
	}
	struct column *c = g->column;
	*c++ = (struct column){ .range = { true, 1, 1 } };
	for (int32_t i = 0; i < t->n_param; i++) {
		const struct lt_tparam *p = LT_AT(struct lt_tparam, t->params, i);
		*c++ = (struct column){ .range = { true, p->low, p->high } };
	}
	for (int32_t i = 0; i < t->n_loop; i++)
		*c++ = (struct column){ .range = { true, 0, LT_AT(struct lt_loop, t->loops, i)->max_trip_count - 1 } };
	g->lane_loop = -1;
	for (int32_t i = 0; i < t->n_div; i++)
		lt__gen_set_div(g, i);
}

static const char *column_name(const struct gen *g, int32_t c)
{
	if (c <= g->t->n_param)
		return g->param[c - 1];
	c -= 1 + g->t->n_param;
	if (g->strip && c == g->lane_loop && !g->lane)
		return g->strip;
	return c < g->t->n_loop ? g->loop[c] : g->div[c - g->t->n_loop];
}

static uint64_t size_of(int64_t coef) { return coef > 0 ? (uint64_t)coef : 0 - (uint64_t)coef; }

/* The columns of a row that count, larger coefficients first, else loops and divs before params.  Returns how many. */
static int32_t columns(struct gen *g, const int64_t *row, int32_t **out)
{
	int32_t inner = g->t->n_column - 1 - g->t->n_param, n = 0;
	int32_t *at = *out = lt__pool_alloc(&g->pool, (size_t)g->t->n_column, sizeof *at);
	for (int32_t i = 0; i < g->t->n_column - 1; i++) {
		int32_t c = i < inner ? 1 + g->t->n_param + i : 1 + i - inner, to = n;
		if (row[c] == 0)
			continue;
		for (n++; to > 0 && size_of(row[at[to - 1]]) < size_of(row[c]); to--)
			at[to] = at[to - 1];
		at[to] = c;
	}
	return n;
}

/* The terms with coefficients of the given sign, as "a + 3*b"; then `add` unless 0.  Returns the number of terms. */
int lt__gen_terms(struct gen *g, struct lt_out *o, const int64_t *row, int sign, int64_t add)
{
	int32_t *column, n_column = columns(g, row, &column);
	int n = 0;
	for (int32_t i = 0; i < n_column; i++) {
		int32_t c = column[i];
		if ((row[c] > 0) != (sign > 0))
			continue;
		uint64_t size = size_of(row[c]);
		lt__out(o, n++ ? " + " : "");
		if (size != 1)
			lt__outf(o, "%llu*", (unsigned long long)size);
		lt__out(o, column_name(g, c));
	}
	if (add || n == 0) {
		if (add == INT64_MIN)
			lt__outf(o, "%s(-9223372036854775807 - 1)", n ? " + " : "");
		else if (add < 0 && n)
			lt__outf(o, " - %lld", -(long long)add);
		else
			lt__outf(o, "%s%lld", n ? " + " : "", (long long)add);
		n++;
	}
	return n;
}

struct expr lt__gen_row(struct gen *g, int32_t row) { return lt__gen_dense(g, lt__gen_fold(g, row)); }

struct expr lt__gen_dense(struct gen *g, const int64_t *r)
{
	struct lt_out o = lt__out_new(&g->pool);
	int n_plus = 0, n_minus = 0, n_scaled = 0;
	for (int32_t c = 1; c < g->t->n_column; c++) {
		n_plus += r[c] > 0;
		n_minus += r[c] < 0;
		n_scaled += r[c] > 1;
	}
	bool add_first = n_minus && (n_plus || r[0] > 0);
	if (n_plus || n_minus == 0 || add_first)
		n_plus = lt__gen_terms(g, &o, r, 1, n_minus && r[0] < 0 ? 0 : r[0]);
	int32_t *column, n_column = columns(g, r, &column);
	for (int32_t i = 0; i < n_column; i++) {
		int32_t c = column[i];
		if (r[c] > 0)
			continue;
		uint64_t size = size_of(r[c]);
		lt__out(&o, o.n ? " - " : "-");
		if (size != 1)
			lt__outf(&o, "%llu*", (unsigned long long)size);
		lt__out(&o, column_name(g, c));
	}
	if (n_minus && r[0] < 0) {
		if (r[0] == INT64_MIN)
			lt__out(&o, " + (-9223372036854775807 - 1)");
		else
			lt__outf(&o, " - %lld", -(long long)r[0]);
	}
	return (struct expr){ o.at, n_plus <= 1 && n_minus == 0 && n_scaled == 0 && r[0] >= 0 };
}

const char *lt__gen_floordiv(struct gen *g, int32_t div)
{
	const struct lt_div *d = LT_AT(struct lt_div, g->t->divs, div);
	const int64_t *r = lt__gen_fold(g, d->row);
	bool whole = true;
	for (int32_t c = 1; c < g->t->n_column; c++)
		whole = whole && r[c] % d->den == 0;
	if (whole) {                    /* with -fwrapv a compiler may not do this */
		int64_t *quotient = lt__pool_alloc(&g->pool, (size_t)g->t->n_column, sizeof *quotient);
		for (int32_t c = 0; c < g->t->n_column; c++)
			quotient[c] = floordiv(r[c], d->den);
		return lt__gen_dense(g, quotient).text;
	}
	struct expr e = lt__gen_dense(g, r);
	struct range range = lt__gen_range(g, d->row);
	struct lt_out o = lt__out_new(&g->pool);
	if (range.known && range.low >= 0)      /* C's division rounds towards zero */
		lt__outf(&o, e.primary ? "%s / %lld" : "(%s) / %lld", e.text, (long long)d->den);
	else
		lt__outf(&o, "lt_floordiv_i64(%s, %lld)", e.text, (long long)d->den);
	return o.at;
}
