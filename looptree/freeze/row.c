/* Rows of a frozen tree: terms, params, ranges, and floor divisions where the iterations of the loops leave any. */
#include "looptree/freeze/parts.h"

void lt__row_term(struct lt_freezer *f, struct lt_row *r, int32_t kind, int32_t at, int64_t coef)
{
	for (int32_t i = 0; i < r->n; i++)
		if (r->term[i].kind == kind && r->term[i].at == at) {
			f->overflow |= lt__add_overflow(r->term[i].coef, coef, &r->term[i].coef);
			if (!r->term[i].coef)
				r->term[i] = r->term[--r->n];
			return;
		}
	if (!coef)
		return;
	LT_GROW(f->a, r->term, r->n, r->cap);
	r->term[r->n++] = (struct lt_term){ kind, at, coef };
}

/* A product; where it exceeds 63 bits, the nest is refused when it is written. */
static int64_t product(struct lt_freezer *f, int64_t a, int64_t b)
{
	int64_t r;
	f->overflow |= lt__mul_overflow(a, b, &r);
	return r;
}

void lt__row_number(struct lt_freezer *f, struct lt_row *r, int64_t number, int64_t times)
{
	f->overflow |= lt__add_overflow(r->constant, product(f, number, times), &r->constant);
}

void lt__row_plus(struct lt_freezer *f, struct lt_row *to, const struct lt_row *r, int64_t times)
{
	lt__row_number(f, to, r->constant, times);
	for (int32_t i = 0; i < r->n; i++)
		lt__row_term(f, to, r->term[i].kind, r->term[i].at, product(f, times, r->term[i].coef));
}

void lt__row_linear(struct lt_freezer *f, struct lt_row *to, const struct lt_linear *l)
{
	lt__row_number(f, to, l->constant, 1);
	for (int32_t i = 0; i < l->n; i++)
		lt__row_term(f, to, LT_TERM_PARAM, lt__freeze_param(f, l->param[i]), l->coef[i]);
}

/* Each param has a slot of its own, so that kernels that differ in the number of a param stay equal. */
int32_t lt__freeze_param(struct lt_freezer *f, lt_param p)
{
	if (f->param_of[p] >= 0)
		return f->param_of[p];
	LT_GROW(f->a, f->param, f->n_param, f->cap_param);
	LT_GROW(f->a, f->param_buffer, f->n_param, f->cap_param_buffer);
	LT_GROW(f->a, f->buffer, f->n_buffer, f->cap_buffer);
	f->buffer[f->n_buffer] = (struct lt_fbuffer){ .node = -1, .storage = f->memory->param_storage, .dtype = LT_I64,
		.low = p, .high = p, .scope = -1, .read = true, .name = f->g->param[p].name };
	f->param_buffer[f->n_param] = f->n_buffer++;
	f->param[f->n_param] = p;
	f->needs |= LT_NEED_PARAMS;
	return f->param_of[p] = f->n_param++;
}

int32_t lt__freeze_limit(struct lt_freezer *f, const struct lt_linear *l)
{
	struct lt_row row = { 0 };
	lt__row_linear(f, &row, l);
	LT_GROW(f->a, f->bound, f->n_bound, f->cap_bound);
	f->bound[f->n_bound] = row;
	return f->n_bound++;
}

/* -- lists of rows -- */

bool lt__row_same(const struct lt_row *a, const struct lt_row *b)
{
	if (a->constant != b->constant || a->n != b->n)
		return false;
	for (int32_t i = 0; i < a->n; i++) {
		int32_t k = 0;
		while (k < b->n
			&& (a->term[i].kind != b->term[k].kind || a->term[i].at != b->term[k].at
				|| a->term[i].coef != b->term[k].coef))
			k++;
		if (k == b->n)
			return false;
	}
	return true;
}

bool lt__rows_have(const struct lt_rows *rows, const struct lt_row *row)
{
	for (int32_t i = 0; i < rows->n; i++)
		if (lt__row_same(&rows->at[i], row))
			return true;
	return false;
}

void lt__rows_add(struct lt_freezer *f, struct lt_rows *rows, const struct lt_row *row)
{
	if (lt__rows_have(rows, row))
		return;
	LT_GROW(f->a, rows->at, rows->n, rows->cap);
	rows->at[rows->n++] = *row;
}

int32_t lt__freeze_guards(struct lt_freezer *f, const struct lt_rows *rows)
{
	int32_t first = f->n_guard;
	for (int32_t i = 0; i < rows->n; i++) {
		LT_GROW(f->a, f->guard, f->n_guard, f->cap_guard);
		f->guard[f->n_guard++] = rows->at[i];
	}
	return first;
}

/* -- ranges -- */

static void term_range(const struct lt_freezer *f, const struct lt_term *t, int64_t *low, int64_t *high)
{
	*low = *high = 0;
	if (t->kind == LT_TERM_LOOP) {
		*high = f->loop[t->at].max_trip_count - 1;
	} else if (t->kind == LT_TERM_PARAM) {
		*low = f->g->param[f->param[t->at]].low;
		*high = f->g->param[f->param[t->at]].high;
	} else {
		lt__row_range(f, &f->div[t->at].row, low, high);
		*low = lt__floor_div(*low, f->div[t->at].den);
		*high = lt__floor_div(*high, f->div[t->at].den);
	}
}

/* Saturating, since the range of an index is clamped to the extent anyway. */
void lt__row_range(const struct lt_freezer *f, const struct lt_row *r, int64_t *low, int64_t *high)
{
	*low = *high = r->constant;
	for (int32_t i = 0; i < r->n; i++) {
		int64_t a, b;
		term_range(f, &r->term[i], &a, &b);
		int64_t x = lt__mul_sat(r->term[i].coef, a), y = lt__mul_sat(r->term[i].coef, b);
		*low = lt__add_sat(*low, x < y ? x : y);
		*high = lt__add_sat(*high, x < y ? y : x);
	}
}

/* -- divisions -- */

int32_t lt__loop_depth(const struct lt_freezer *f, int32_t loop)
{
	int32_t d = 0;
	for (; loop >= 0; loop = f->loop[loop].parent)
		d++;
	return d;
}

static int32_t deeper(const struct lt_freezer *f, int32_t a, int32_t b)
{
	return lt__loop_depth(f, a) >= lt__loop_depth(f, b) ? a : b;
}

static int32_t add_div(struct lt_freezer *f, const struct lt_row *row, int64_t den)
{
	int32_t loop = -1;
	for (int32_t i = 0; i < row->n; i++)
		if (row->term[i].kind == LT_TERM_LOOP)
			loop = deeper(f, loop, row->term[i].at);
		else if (row->term[i].kind == LT_TERM_DIV)
			loop = deeper(f, loop, f->div[row->term[i].at].loop);
	for (int32_t i = 0; i < f->n_div; i++)
		if (f->div[i].den == den && f->div[i].loop == loop && lt__row_same(&f->div[i].row, row))
			return i;
	LT_GROW(f->a, f->div, f->n_div, f->cap_div);
	f->div[f->n_div] = (struct lt_fdiv){ .row = *row, .den = den, .loop = loop };
	return f->n_div++;
}

int64_t lt__row_gcd(int64_t a, int64_t b)
{
	/* of the least number, which no row that is written has: any will do */
	a = a < 0 ? -(a + (a == INT64_MIN)) : a;
	while (b) {
		int64_t r = a % b;
		a = b;
		b = r;
	}
	return a;
}

/* The terms that g does not divide, and what is left of the constant, stay within one [m*g, m*g + g): whether, and
 * m. */
static bool remainder_within(struct lt_freezer *f, const struct lt_row *row, int64_t g, int64_t *m)
{
	struct lt_row remainder = { .constant = row->constant };
	int64_t low, high;
	for (int32_t i = 0; i < row->n; i++)
		if (row->term[i].coef % g)
			lt__row_term(f, &remainder, row->term[i].kind, row->term[i].at, row->term[i].coef);
	lt__row_range(f, &remainder, &low, &high);
	*m = lt__floor_div(low, g);
	return low > INT64_MIN && high < INT64_MAX && lt__floor_div(high, g) == *m;
}

/* Multiples of den leave the numerator; terms that only move the value within a common divisor of den and the others
 * are dropped: floor((g*E + r) / (g*d)) = floor(E / d) for 0 <= r < g, the greatest g first. */
void lt__row_floor(struct lt_freezer *f, struct lt_row *to, const struct lt_row *row, int64_t den, int64_t factor)
{
	struct lt_row remainder = { 0 };
	int64_t m;
	for (int32_t i = 0; i < row->n; i++) {
		const struct lt_term *t = &row->term[i];
		if (t->coef % den)
			lt__row_term(f, &remainder, t->kind, t->at, t->coef);
		else
			lt__row_term(f, to, t->kind, t->at, product(f, factor, t->coef / den));
	}
	int64_t whole = lt__floor_div(row->constant, den);
	lt__row_number(f, to, whole, factor);
	remainder.constant = row->constant % den + (row->constant % den < 0 ? den : 0);
	if (remainder_within(f, &remainder, den, &m)) {
		lt__row_number(f, to, m, factor);
		return;
	}
	for (int64_t below = den;;) {
		int64_t g = 1;
		for (int32_t i = 0; i < remainder.n; i++) {
			int64_t with = lt__row_gcd(remainder.term[i].coef, den);
			g = with > g && with < below ? with : g;
		}
		if (g <= 1)
			break;
		if (remainder_within(f, &remainder, g, &m)) {
			struct lt_row less = { .constant = m };
			for (int32_t i = 0; i < remainder.n; i++)
				if (remainder.term[i].coef % g == 0)
					lt__row_term(f, &less, remainder.term[i].kind, remainder.term[i].at, remainder.term[i].coef / g);
			lt__row_term(f, to, LT_TERM_DIV, add_div(f, &less, den / g), factor);
			return;
		}
		below = g;
	}
	lt__row_term(f, to, LT_TERM_DIV, add_div(f, &remainder, den), factor);
}

void lt__freeze_row(struct lt_freezer *f, const struct lt_leaf *leaf, const struct lt_map *m, const int64_t *row,
	int32_t below, struct lt_row *out)
{
	*out = (struct lt_row){ .constant = row[0] };
	for (int32_t i = 0; i < m->n_param; i++)
		if (row[1 + i])
			lt__row_term(f, out, LT_TERM_PARAM, lt__freeze_param(f, m->param[i]), row[1 + i]);
	for (int32_t i = 0; i < m->n_dim && i < leaf->n_var + leaf->n_trip; i++)
		for (int32_t k = below + 1; row[1 + m->n_param + i] && k < f->n_path; k++) {
			int64_t step = product(f, lt__var_step(f->g, leaf->var[i], f->path[k].var, f->path[k].step),
				row[1 + m->n_param + i]);
			lt__row_term(f, out, LT_TERM_LOOP, f->path[k].loop, step);
			lt__row_number(f, out, f->path[k].first, step);
		}
	int32_t width = lt__map_width(m);
	for (int32_t d = 0; d < m->n_div; d++) {
		if (!row[1 + m->n_param + m->n_dim + d])
			continue;
		const int64_t *div = m->div + (int64_t)d * (1 + width);
		struct lt_row inner;
		lt__freeze_row(f, leaf, m, div + 1, -1, &inner);
		lt__row_floor(f, out, &inner, div[0], row[1 + m->n_param + m->n_dim + d]);
	}
}
