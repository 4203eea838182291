/* backends/cgen/row.c -- affine rows as C expressions, and what range their values have. */
#include "backends/cgen/gen.h"

struct range lt__gen_range(const struct gen *g, int32_t row)
{
	const int64_t *r = row_at(g->t, row);
	struct range sum = { true, r[0], r[0] };
	for (int32_t c = 1; c < g->t->n_column; c++) {
		if (r[c] == 0)
			continue;
		struct range x = g->column[c];
		int64_t at_low = r[c] > 0 ? x.low : x.high, at_high = r[c] > 0 ? x.high : x.low;
		if (!x.known || __builtin_mul_overflow(r[c], at_low, &at_low) || __builtin_mul_overflow(r[c], at_high, &at_high)
		    || __builtin_add_overflow(sum.low, at_low, &sum.low) || __builtin_add_overflow(sum.high, at_high, &sum.high))
			return (struct range){ false, 0, 0 };
	}
	return sum;
}

static int64_t floordiv(int64_t a, int64_t b) { return a / b - (a % b != 0 && a < 0); }

void lt__gen_ranges(struct gen *g)
{
	const struct lt_tree *t = g->t;
	struct range *c = g->column = lt__pool_alloc(&g->pool, (size_t)t->n_column, sizeof *g->column);
	*c++ = (struct range){ true, 1, 1 };
	for (int32_t i = 0; i < t->n_param; i++) {
		const struct lt_tparam *p = LT_AT(struct lt_tparam, t->params, i);
		*c++ = (struct range){ true, p->low, p->high };
	}
	for (int32_t i = 0; i < t->n_loop; i++)
		*c++ = (struct range){ true, 0, LT_AT(struct lt_loop, t->loops, i)->max_trips - 1 };
	for (int32_t i = 0; i < t->n_div; i++) {
		const struct lt_div *d = LT_AT(struct lt_div, t->divs, i);
		struct range r = lt__gen_range(g, d->row);
		*c++ = r.known ? (struct range){ true, floordiv(r.low, d->den), floordiv(r.high, d->den) } : r;
	}
}

static const char *column_name(const struct gen *g, int32_t c)
{
	if (c <= g->t->n_param)
		return g->param[c - 1];
	c -= 1 + g->t->n_param;
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
static int terms(struct gen *g, struct lt_out *o, const int64_t *row, int sign, int64_t add)
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

struct expr lt__gen_row(struct gen *g, int32_t row)
{
	const int64_t *r = row_at(g->t, row);
	struct lt_out o = lt__out_new(&g->pool);
	int n_plus = 0, n_minus = 0, n_scaled = 0;
	for (int32_t c = 1; c < g->t->n_column; c++) {
		n_plus += r[c] > 0;
		n_minus += r[c] < 0;
		n_scaled += r[c] > 1;
	}
	bool add_first = n_minus && (n_plus || r[0] > 0);
	if (n_plus || n_minus == 0 || add_first)
		n_plus = terms(g, &o, r, 1, n_minus && r[0] < 0 ? 0 : r[0]);
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
	struct expr e = lt__gen_row(g, d->row);
	struct range r = lt__gen_range(g, d->row);
	struct lt_out o = lt__out_new(&g->pool);
	if (d->den == 1)
		return e.text;
	if (r.known && r.low >= 0)      /* C's division rounds towards zero */
		lt__outf(&o, e.primary ? "%s / %lld" : "(%s) / %lld", e.text, (long long)d->den);
	else
		lt__outf(&o, "lt_floordiv_i64(%s, %lld)", e.text, (long long)d->den);
	return o.at;
}

/* Whether a loop has a coefficient of that sign. */
static bool loops(const struct gen *g, const int64_t *row, int sign)
{
	for (int32_t c = 1 + g->t->n_param; c < 1 + g->t->n_param + g->t->n_loop; c++)
		if (row[c] && (row[c] > 0) == (sign > 0))
			return true;
	return false;
}

/* row >= 0, with what is subtracted on the other side. */
static void guard(struct gen *g, struct lt_out *o, int32_t row)
{
	const int64_t *r = row_at(g->t, row);
	bool plus = false, minus = false;
	for (int32_t c = 1; c < g->t->n_column; c++) {
		plus |= r[c] > 0;
		minus |= r[c] < 0;
	}
	if (!plus && !minus) {
		lt__out(o, r[0] >= 0 ? "1" : "0");
	} else if (r[0] == INT64_MIN) {
		lt__outf(o, "%s >= 0", lt__gen_row(g, row).text);
	} else if (!plus) {
		(void)terms(g, o, r, -1, 0);
		lt__outf(o, " <= %lld", (long long)r[0]);
	} else if (!minus) {
		(void)terms(g, o, r, 1, 0);
		lt__outf(o, " >= %lld", -(long long)r[0]);
	} else if (loops(g, r, -1) && !loops(g, r, 1)) {        /* i < n rather than n > i */
		(void)terms(g, o, r, -1, r[0] < -1 ? -r[0] : 0);
		lt__out(o, r[0] == -1 ? " < " : " <= ");
		(void)terms(g, o, r, 1, r[0] > 0 ? r[0] : 0);
	} else {
		(void)terms(g, o, r, 1, r[0] > 0 ? r[0] : 0);
		lt__out(o, r[0] == -1 ? " > " : " >= ");
		(void)terms(g, o, r, -1, r[0] < -1 ? -r[0] : 0);
	}
}

const char *lt__gen_guards(struct gen *g, int32_t first, int32_t n)
{
	struct lt_out o = lt__out_new(&g->pool);
	for (int32_t i = 0; i < n; i++) {
		lt__out(&o, i ? " && " : "");
		guard(g, &o, g->t->guards[first + i]);
	}
	return o.at;
}
