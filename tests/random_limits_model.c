/* tests/random_limits_model.c -- random views, gathers and updates at the limits, and what they mean. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "check/must.h"
#include "check/random_graph.h"
#include "tests/random_limits_model.h"

#define MOST (((limits_wide)1 << 62) - 1)
enum mode { SMALL, HUGE_ };

/* -- drawing -- */

struct draw { uint64_t rng; struct limits_model *m; enum mode mode; };

static int64_t between(struct draw *d, int64_t low, int64_t high) { return random_between(&d->rng, low, high); }
static bool chance(struct draw *d, int percent) { return random_chance(&d->rng, percent); }

/* A power of two and a little, up to the ends of int64. */
static int64_t large(struct draw *d)
{
	uint64_t x = (uint64_t)1 << between(d, 20, 63);
	x += (uint64_t)between(d, -2, 2);
	x = chance(d, 30) ? x - x / 3 : x;
	return (int64_t)(chance(d, 50) ? 0 - x : x);
}

static int64_t number(struct draw *d, int64_t low, int64_t high)
{
	return d->mode == HUGE_ && chance(d, 35) ? large(d) : between(d, low, high);
}

static void draw_dim(struct draw *d, struct limits_dim *x)
{
	*x = (struct limits_dim){ .extent = between(d, 1, 7) };
	if (!d->m->n_param || !chance(d, 20))
		return;
	x->bounded = true;
	x->limit = between(d, -1, 4);
	x->limit_of[between(d, 0, d->m->n_param - 1)] = between(d, -1, 2);
}

static int column_of_dim(int i) { return 1 + LIMITS_PARAMS + i; }
static int column_of_div(int i) { return 1 + LIMITS_PARAMS + LIMITS_DIMS + i; }

/* A row over dims, some params, and the floors before `n_div`. */
static void draw_row(struct draw *d, const struct limits_view *v, int n_div, int64_t *row)
{
	memset(row, 0, sizeof *row * LIMITS_COLUMNS);
	row[0] = number(d, -3, 6);
	for (int i = 0; i < v->n_dim; i++)
		row[column_of_dim(i)] = chance(d, 55) ? number(d, -1, 3) : 0;
	for (int i = 0; i < d->m->n_param; i++)
		row[1 + i] = chance(d, 30) ? number(d, -1, 2) : 0;
	for (int i = 0; i < n_div; i++)
		row[column_of_div(i)] = chance(d, 50) ? number(d, -3, 2) : 0;
}

/* The least (or greatest) that a small row can be over the dims, with the params' least values. */
static int64_t end_of(const struct limits_model *m, const struct limits_view *v, const int64_t *row, bool high)
{
	limits_wide sum = row[0];
	for (int i = 0; i < m->n_param; i++)
		sum += (limits_wide)row[1 + i] * ((row[1 + i] > 0) == high ? m->high[i] : m->low[i]);
	for (int i = 0; i < v->n_dim; i++)
		sum += (row[column_of_dim(i)] > 0) == high ? (limits_wide)row[column_of_dim(i)] * (v->dim[i].extent - 1) : 0;
	return sum > 1000 ? 1000 : sum < -1000 ? -1000 : (int64_t)sum;
}

/* `to` of the view's pieces; sources: dims that each row is an index of, whose extents may be moved to where the rows
 * end. */
static void draw_piece(struct draw *d, const struct limits_view *v, int rank, struct limits_dim *source, bool own,
	struct limits_piece *p)
{
	memset(p, 0, sizeof *p);
	p->n_div = chance(d, 30) ? (int)between(d, 1, LIMITS_DIVS) : 0;
	for (int k = 0; k < p->n_div; k++) {
		draw_row(d, v, k, p->div[k]);
		p->den[k] = d->mode == HUGE_ && chance(d, 10) ? large(d) & INT64_MAX : between(d, 1, 5);
		p->den[k] += p->den[k] == 0;
	}
	for (int r = 0; r < rank; r++) {
		int64_t *row = p->row[r];
		draw_row(d, v, p->n_div, row);
		if (chance(d, 70)) {            /* it begins at 0, or one beside it, and the axis ends where it does, or beside */
			row[0] = row[0] > -100 && row[0] < 100 ? row[0] : 0;
			row[0] -= end_of(d->m, v, row, false);
			row[0] += chance(d, 25) ? between(d, -1, 1) : 0;
			int64_t end = end_of(d->m, v, row, true) + 1 + (chance(d, 25) ? between(d, -1, 1) : chance(d, 30) ? 1 : 0);
			if (own && end >= 1 && end <= 60)
				source[r].extent = end > source[r].extent || chance(d, 50) ? end : source[r].extent;
		}
	}
	for (int n = (int)between(d, 0, LIMITS_GUARDS); n > 0; n--) {
		int64_t *guard = p->guard[p->n_guard++];
		int r = rank ? (int)between(d, 0, rank - 1) : 0;
		if (rank && chance(d, 60)) {    /* the row is an index, or nearly */
			bool behind = chance(d, 50);
			for (int c = 0; c < LIMITS_COLUMNS; c++)
				guard[c] = behind ? (int64_t)(0 - (uint64_t)p->row[r][c]) : p->row[r][c];
			guard[0] = (int64_t)((uint64_t)guard[0] + (behind ? (uint64_t)(source[r].extent - 1) : 0)
				- (chance(d, 15) ? 1 : 0) + (chance(d, 10) ? 1 : 0));
		} else {
			draw_row(d, v, p->n_div, guard);
		}
	}
}

static void draw_views(struct draw *d)
{
	struct limits_model *m = d->m;
	for (int k = m->n_view - 1; k >= 0; k--) {      /* a view tells its source how long it should be */
		struct limits_view *v = &m->view[k];
		struct limits_dim *source = k ? m->view[k - 1].dim : m->dim;
		int rank = k ? m->view[k - 1].n_dim : m->n_dim;
		v->n_piece = chance(d, 60) ? 1 : (int)between(d, 1, LIMITS_PIECES);
		v->has_fill = true;
		for (int i = 0; i < v->n_piece; i++)
			draw_piece(d, v, rank, source, i == 0, &v->piece[i]);
	}
}

static void draw_update(struct draw *d)
{
	struct limits_model *m = d->m;
	m->updates = true;
	m->n_view = 0;
	for (int i = 0; i < m->n_dim; i++) {
		m->dim[i].bounded = false;
		m->block[i] = between(d, 1, m->dim[i].extent);
		m->at[i] = m->n_param && chance(d, 70) ? (int)between(d, 0, m->n_param - 1) : -1;
		m->offset[i] = m->at[i] < 0                 ? between(d, 0, m->dim[i].extent - m->block[i])
			: d->mode == HUGE_ && chance(d, 20) ? large(d)
							    : between(d, -2, 3);
	}
}

/* Values of the params at the ends of their ranges and within, many small ones. */
static void draw_tries(struct draw *d)
{
	struct limits_model *m = d->m;
	m->n_try = m->n_param ? LIMITS_TRIES : 1;
	for (int t = 0; t < m->n_try; t++)
		for (int i = 0; i < m->n_param; i++) {
			int64_t low = m->low[i], high = m->high[i], near = between(d, -3, 12);
			bool wide = (limits_wide)high - low > 40;
			m->try[t][i] = !wide                ? between(d, low, high)
				: t % 8 == 0                ? low
				: t % 8 == 1                ? high
				: near < low || near > high ? low + (near & 7)
							    : near;
		}
}

void limits_draw(uint64_t seed, struct limits_model *m)
{
	struct draw d = { .rng = seed * UINT64_C(0x9e3779b97f4a7c15) + 77, .m = m };
	memset(m, 0, sizeof *m);
	d.mode = chance(&d, 40) ? HUGE_ : SMALL;
	m->n_param = (int)between(&d, 0, LIMITS_PARAMS);
	for (int i = 0; i < m->n_param; i++) {
		m->low[i] = d.mode == HUGE_ && chance(&d, 25) ? large(&d) : between(&d, -2, 2);
		m->high[i] = d.mode == HUGE_ && chance(&d, 50) ? large(&d)
			: m->low[i] > INT64_MAX - 8            ? m->low[i]
							       : m->low[i] + between(&d, 0, 8);
		if (m->high[i] < m->low[i]) {
			int64_t low = m->high[i];
			m->high[i] = m->low[i];
			m->low[i] = low;
		}
	}
	m->n_dim = (int)between(&d, 1, 2);
	m->n_view = (int)between(&d, 1, LIMITS_VIEWS);
	for (int i = 0; i < m->n_dim; i++)
		draw_dim(&d, &m->dim[i]);
	for (int k = 0; k < m->n_view; k++) {
		m->view[k].n_dim = (int)between(&d, 1, k == m->n_view - 1 ? LIMITS_DIMS : 2);
		for (int i = 0; i < m->view[k].n_dim; i++)
			draw_dim(&d, &m->view[k].dim[i]);
	}
	if (chance(&d, 12)) {
		draw_update(&d);
	} else {
		draw_views(&d);
		m->gathers = chance(&d, 15);
		m->n_index = between(&d, 1, 5);
	}
	draw_tries(&d);
}

/* -- text -- */

struct text { char *at; size_t n, room; };

__attribute__((format(printf, 2, 3))) static void say(struct text *t, const char *fmt, ...)
{
	va_list list;
	va_start(list, fmt);
	int n = vsnprintf(t->at + t->n, t->room - t->n, fmt, list);
	va_end(list);
	must(n >= 0 && t->n + (size_t)n < t->room, "the text is too long");
	t->n += (size_t)n;
}

static void say_row(struct text *t, int k, const struct limits_piece *p, const int64_t *row);

static void say_term(struct text *t, bool *first, int64_t coef)
{
	uint64_t size = coef < 0 ? 0 - (uint64_t)coef : (uint64_t)coef;
	say(t, "%s%llu", *first ? coef < 0 ? "-" : "" : coef < 0 ? " - " : " + ", (unsigned long long)size);
	*first = false;
}

static void say_row(struct text *t, int k, const struct limits_piece *p, const int64_t *row)
{
	bool first = true;
	say_term(t, &first, row[0]);
	for (int i = 0; i < LIMITS_PARAMS; i++)
		if (row[1 + i]) {
			say_term(t, &first, row[1 + i]);
			say(t, "*p%d", i);
		}
	for (int i = 0; i < LIMITS_DIMS; i++)
		if (row[column_of_dim(i)]) {
			say_term(t, &first, row[column_of_dim(i)]);
			say(t, "*v%d_%d", k, i);
		}
	for (int i = 0; i < LIMITS_DIVS; i++)
		if (row[column_of_div(i)]) {
			say_term(t, &first, row[column_of_div(i)]);
			say(t, "*floor((");
			say_row(t, k, p, p->div[i]);
			say(t, ") / %lld)", (long long)p->den[i]);
		}
}

static void say_var(struct text *t, const char *name, int k, int i, const struct limits_dim *d)
{
	bool first = true;
	say(t, "var %s%d_%d %lld", name, k, i, (long long)d->extent);
	if (d->bounded) {
		say(t, " limit ");
		say_term(t, &first, d->limit);
		for (int p = 0; p < LIMITS_PARAMS; p++)
			if (d->limit_of[p]) {
				say_term(t, &first, d->limit_of[p]);
				say(t, "*p%d", p);
			}
	}
	say(t, "\n");
}

static void say_dims(struct text *t, const char *type, const char *name, int k, int n)
{
	say(t, "%s[", type);
	for (int i = 0; i < n; i++)
		say(t, "%s%s%d_%d", i ? ", " : "", name, k, i);
	say(t, "]");
}

static void say_view(struct text *t, const struct limits_model *m, int k)
{
	const struct limits_view *v = &m->view[k];
	say(t, "%%v%d = ", k);
	say_dims(t, "f32", "v", k, v->n_dim);
	say(t, " view {");
	for (int i = 0; i < v->n_piece; i++) {
		const struct limits_piece *p = &v->piece[i];
		say(t, "%s ", i ? ";" : "");
		if (k)
			say(t, "%%v%d[", k - 1);
		else
			say(t, "%%x[");
		for (int r = 0; r < (k ? m->view[k - 1].n_dim : m->n_dim); r++) {
			say(t, "%s", r ? ", " : "");
			say_row(t, k, p, p->row[r]);
		}
		say(t, "]");
		for (int g = 0; g < p->n_guard; g++) {
			say(t, "%s ", g ? "," : " if");
			say_row(t, k, p, p->guard[g]);
			say(t, " >= 0");
		}
	}
	say(t, "; else 7.0 }\n");
}

void limits_print(const struct limits_model *m, char *text, size_t room)
{
	struct text t = { text, 0, room };
	say(&t, "graph 1\n");
	for (int i = 0; i < m->n_dim; i++)
		say_var(&t, "x", 0, i, &m->dim[i]);
	for (int i = 0; i < m->n_dim && m->updates; i++)
		say(&t, "var b0_%d %lld\n", i, (long long)m->block[i]);
	for (int k = 0; k < m->n_view; k++)
		for (int i = 0; i < m->view[k].n_dim; i++)
			say_var(&t, "v", k, i, &m->view[k].dim[i]);
	if (m->gathers)
		say(&t, "var g %lld\n", (long long)m->n_index);
	if (m->n_param)
		say(&t, "var at %d\n", m->n_param);
	for (int i = 0; i < m->n_param; i++)
		say(&t, "param p%d = %%at[%d] in %lld..%lld\n", i, i, (long long)m->low[i], (long long)m->high[i]);
	if (m->n_param)
		say(&t, "%%at = i64[at] input \"at\"\n");
	say(&t, "%%x = ");
	say_dims(&t, "f32", "x", 0, m->n_dim);
	say(&t, " input \"x\"\n");
	for (int k = 0; k < m->n_view; k++)
		say_view(&t, m, k);
	if (m->gathers)
		say(&t, "%%index = i64[g] input \"index\"\n%%y = f32[g");
	else if (m->updates)
		say(&t, "%%block = "), say_dims(&t, "f32", "b", 0, m->n_dim), say(&t, " input \"block\"\n%%y = f32[x0_0");
	for (int i = 1; i < m->n_dim && m->updates; i++)
		say(&t, ", x0_%d", i);
	for (int i = 1; m->gathers && i < m->view[m->n_view - 1].n_dim; i++)
		say(&t, ", v%d_%d", m->n_view - 1, i);
	if (m->gathers)
		say(&t, "] gather %%v%d, %%index axis 0\n", m->n_view - 1);
	for (int i = 0; i < m->n_dim && m->updates; i++) {
		bool first = true;
		say(&t, "%s", i ? ", " : "] update %x, %block at [");
		say_term(&t, &first, m->offset[i]);
		if (m->at[i] >= 0)
			say(&t, " + p%d", m->at[i]);
	}
	if (m->updates)
		say(&t, "]\n");
	say(&t, "%%z = ");
	if (m->gathers) {
		say(&t, "f32[g");
		for (int i = 1; i < m->view[m->n_view - 1].n_dim; i++)
			say(&t, ", v%d_%d", m->n_view - 1, i);
		say(&t, "]");
	} else if (m->updates) {
		say_dims(&t, "f32", "x", 0, m->n_dim);
	} else {
		say_dims(&t, "f32", "v", m->n_view - 1, m->view[m->n_view - 1].n_dim);
	}
	if (m->gathers || m->updates)
		say(&t, " neg %%y\nresult \"z\" = %%z\n");
	else
		say(&t, " neg %%v%d\nresult \"z\" = %%z\n", m->n_view - 1);
}

/* -- numbers of more than 62 bits -- */

struct ends { limits_wide least, most, low, high; };    /* of sums of some terms; of the sum */

static bool add_ends(struct ends *e, limits_wide coef, limits_wide low, limits_wide high)
{
	limits_wide a = coef * (coef < 0 ? high : low), b = coef * (coef < 0 ? low : high);
	if (coef > MOST || coef < -MOST)
		return false;
	e->low += a;
	e->high += b;
	e->least += a < 0 ? a : 0;
	e->most += b > 0 ? b : 0;
	return e->least >= -MOST && e->most <= MOST;
}

static limits_wide floor_of(limits_wide a, limits_wide b) { return a / b - (a % b < 0); }

/* The ends of a row of a view; false: too large.  q: those of the floors. */
static bool row_ends(const struct limits_model *m, const struct limits_view *v, const int64_t *row,
	const struct ends *q, struct ends *out)
{
	bool fits = true;
	memset(out, 0, sizeof *out);
	fits = !row[0] || add_ends(out, row[0], 1, 1);
	for (int i = 0; i < m->n_param && fits; i++)
		fits = !row[1 + i] || add_ends(out, row[1 + i], m->low[i], m->high[i]);
	for (int i = 0; i < v->n_dim && fits; i++)
		fits = !row[column_of_dim(i)] || add_ends(out, row[column_of_dim(i)], 0, v->dim[i].extent - 1);
	for (int i = 0; i < LIMITS_DIVS && fits; i++)
		fits = !row[column_of_div(i)] || add_ends(out, row[column_of_div(i)], q[i].low, q[i].high);
	return fits;
}

static bool piece_fits(const struct limits_model *m, const struct limits_view *v, const struct limits_piece *p,
	int rank, const struct limits_dim *source)
{
	struct ends q[LIMITS_DIVS], row, flat = { 0 };
	bool used[LIMITS_DIVS] = { false };
	limits_wide unit = 8;
	for (int c = 0; c < LIMITS_DIVS; c++) {         /* the text has no other floors */
		for (int i = 0; i < rank; i++)
			used[c] |= p->row[i][column_of_div(c)] != 0;
		for (int i = 0; i < p->n_guard; i++)
			used[c] |= p->guard[i][column_of_div(c)] != 0;
	}
	used[0] |= used[1] && p->div[1][column_of_div(0)];
	memset(q, 0, sizeof q);
	for (int k = 0; k < p->n_div; k++) {
		if (!used[k])
			continue;
		if (p->den[k] > MOST || !row_ends(m, v, p->div[k], q, &q[k]))
			return false;
		q[k].low = floor_of(q[k].low, p->den[k]);
		q[k].high = floor_of(q[k].high, p->den[k]);
	}
	for (int i = 0; i < p->n_guard; i++)
		if (!row_ends(m, v, p->guard[i], q, &row))
			return false;
	for (int r = rank - 1; r >= 0; r--) {
		if (!row_ends(m, v, p->row[r], q, &row) || !add_ends(&flat, unit, row.least, row.most))
			return false;
		unit *= source[r].extent;
	}
	return true;
}

static bool limit_fits(const struct limits_model *m, const struct limits_dim *d)
{
	struct ends e = { 0 };
	bool fits = !d->bounded || add_ends(&e, d->limit, 1, 1);
	for (int i = 0; i < m->n_param && d->bounded && fits; i++)
		fits = !d->limit_of[i] || add_ends(&e, d->limit_of[i], m->low[i], m->high[i]);
	return fits;
}

bool limits_large(const struct limits_model *m)
{
	for (int i = 0; i < m->n_dim; i++) {
		struct ends e = { 0 }, bytes = { 0 };
		limits_wide unit = 4;
		for (int k = i + 1; k < m->n_dim; k++)
			unit *= m->dim[k].extent;
		if (!limit_fits(m, &m->dim[i]))
			return true;
		if (m->updates && m->at[i] >= 0
			&& (m->offset[i] < -((int64_t)1 << 61) || m->offset[i] > (int64_t)1 << 61
				|| !add_ends(&e, m->offset[i], 1, 1)
				|| !add_ends(&e, 1, m->low[m->at[i]], m->high[m->at[i]])
				|| !add_ends(&e, 1, 0, m->block[i] - 1) || !add_ends(&bytes, unit, e.least, e.most)))
			return true;
	}
	for (int k = 0; k < m->n_view; k++) {
		const struct limits_view *v = &m->view[k];
		for (int i = 0; i < v->n_dim; i++)
			if (!limit_fits(m, &v->dim[i]))
				return true;
		for (int i = 0; i < v->n_piece; i++)
			if (!piece_fits(m, v, &v->piece[i], k ? m->view[k - 1].n_dim : m->n_dim, k ? m->view[k - 1].dim : m->dim))
				return true;
	}
	return false;
}

/* -- what it means -- */

static int64_t extent_of(const struct limits_dim *d, const int64_t *param, bool *too_long)
{
	limits_wide e = d->bounded ? d->limit : d->extent;
	for (int i = 0; i < LIMITS_PARAMS && d->bounded; i++)
		e += (limits_wide)d->limit_of[i] * param[i];
	*too_long |= e > d->extent;
	return e > d->extent ? d->extent : e < 0 ? 0 : (int64_t)e;
}

static limits_wide value_of(const struct limits_piece *p, const int64_t *row, const int64_t *param, const int64_t *at)
{
	limits_wide sum = row[0];
	for (int i = 0; i < LIMITS_PARAMS; i++)
		sum += (limits_wide)row[1 + i] * param[i];
	for (int i = 0; i < LIMITS_DIMS; i++)
		sum += (limits_wide)row[column_of_dim(i)] * at[i];
	for (int i = 0; i < LIMITS_DIVS; i++)
		if (row[column_of_div(i)])
			sum += (limits_wide)row[column_of_div(i)] * floor_of(value_of(p, p->div[i], param, at), p->den[i]);
	return sum;
}

/* The piece that shows an element; -1: the fill. */
static int shown(const struct limits_view *v, const int64_t *param, const int64_t *at)
{
	for (int i = 0; i < v->n_piece; i++) {
		bool holds = true;
		for (int g = 0; g < v->piece[i].n_guard && holds; g++)
			holds = value_of(&v->piece[i], v->piece[i].guard[g], param, at) >= 0;
		if (holds)
			return i;
	}
	return -1;
}

/* The next point below the extents, the last dim first; false: there is none. */
static bool next(int n, const int64_t *extent, int64_t *at)
{
	for (int i = n - 1; i >= 0; i--) {
		if (++at[i] < extent[i])
			return true;
		at[i] = 0;
	}
	return false;
}

enum limits_fate limits_fate(const struct limits_model *m, const int64_t *param)
{
	bool too_long = false, leaves = false;
	for (int i = 0; i < m->n_dim; i++) {
		int64_t extent = extent_of(&m->dim[i], param, &too_long);
		limits_wide first = m->updates ? (limits_wide)m->offset[i] + (m->at[i] < 0 ? 0 : param[m->at[i]]) : 0;
		leaves |= m->updates && (first < 0 || first + m->block[i] > extent);
	}
	for (int k = 0; k < m->n_view; k++) {
		const struct limits_view *v = &m->view[k];
		const struct limits_dim *source = k ? m->view[k - 1].dim : m->dim;
		int64_t extent[LIMITS_DIMS] = { 0 }, at[LIMITS_DIMS] = { 0 };
		bool any = true, ignored = false;
		for (int i = 0; i < v->n_dim; i++) {
			extent[i] = extent_of(&v->dim[i], param, &too_long);
			any &= extent[i] > 0;
		}
		for (; any; any = next(v->n_dim, extent, at)) {
			int p = shown(v, param, at);
			for (int r = 0; p >= 0 && r < (k ? m->view[k - 1].n_dim : m->n_dim); r++) {
				limits_wide index = value_of(&v->piece[p], v->piece[p].row[r], param, at);
				leaves |= index < 0 || index >= extent_of(&source[r], param, &ignored);
			}
		}
	}
	return too_long ? LIMITS_LONG : leaves ? LIMITS_LEAVES : LIMITS_STAYS;
}

static int64_t flat(int n, const struct limits_dim *dim, const int64_t *at)
{
	int64_t sum = 0;
	for (int i = 0; i < n; i++)
		sum = sum * dim[i].extent + at[i];
	return sum;
}

static float element(const struct limits_model *m, const struct limits_data *d, int k, const int64_t *from)
{
	int64_t at[LIMITS_DIMS] = { from[0], from[1], from[2] };
	for (; k >= 0; k--) {
		int p = shown(&m->view[k], d->param, at), rank = k ? m->view[k - 1].n_dim : m->n_dim;
		int64_t to[LIMITS_DIMS] = { 0 };
		if (p < 0)
			return 7;
		for (int r = 0; r < rank; r++)
			to[r] = (int64_t)value_of(&m->view[k].piece[p], m->view[k].piece[p].row[r], d->param, at);
		memcpy(at, to, sizeof at);
	}
	return d->x[flat(m->n_dim, m->dim, at)];
}

static float updated(const struct limits_model *m, const struct limits_data *d, const int64_t *at)
{
	int64_t sum = 0;
	for (int i = 0; i < m->n_dim; i++) {
		int64_t begin = m->offset[i] + (m->at[i] < 0 ? 0 : d->param[m->at[i]]);
		if (at[i] < begin || at[i] >= begin + m->block[i])
			return d->x[flat(m->n_dim, m->dim, at)];
		sum = sum * m->block[i] + at[i] - begin;
	}
	return d->block[sum];
}

bool limits_data(const struct limits_model *m, const int64_t *param, bool bad_index, struct limits_data *d)
{
	const struct limits_view *v = &m->view[m->n_view - 1];
	const struct limits_dim *dim = m->updates ? m->dim : v->dim;
	int64_t all[LIMITS_DIMS] = { 1, 1, 1 }, run[LIMITS_DIMS] = { 1, 1, 1 }, at[LIMITS_DIMS] = { 0 }, axis = 0;
	int n_dim = m->updates ? m->n_dim : v->n_dim;
	bool fine = limits_fate(m, param) == LIMITS_STAYS, ignored = false, read = true;
	memset(d, 0, sizeof *d);
	memcpy(d->param, param, sizeof d->param);
	for (int i = 0; i < LIMITS_ELEMENTS; i++) {
		d->x[i] = (float)(i + 100);
		d->block[i] = (float)(i + 5000);
	}
	for (int i = 0; i < n_dim; i++) {
		all[i] = dim[i].extent;
		run[i] = extent_of(&dim[i], param, &ignored);
	}
	if (m->gathers) {
		axis = run[0];
		all[0] = run[0] = m->n_index;
		for (int i = 0; i < m->n_index; i++)
			d->index[i] = axis ? (i * 5 + 1) % axis : 0;
		if (bad_index)
			d->index[m->n_index - 1] = param[0] & 1 ? INT64_MIN : axis;
		for (int i = 1; i < n_dim; i++)
			read &= run[i] > 0;
		fine &= !read || (!bad_index && axis > 0);
	}
	must(all[0] * all[1] * all[2] <= LIMITS_ELEMENTS, "too many elements");
	do {
		int64_t from[LIMITS_DIMS] = { at[0], at[1], at[2] };
		d->there[d->n_result] = at[0] < run[0] && at[1] < run[1] && at[2] < run[2];
		if (m->gathers)
			from[0] = d->index[at[0]];
		if (fine && d->there[d->n_result])
			d->want[d->n_result] = -(m->updates ? updated(m, d, at) : element(m, d, m->n_view - 1, from));
		d->n_result++;
	} while (next(LIMITS_DIMS, all, at));
	return fine;
}

const void *limits_source(const struct limits_data *d, const char *name)
{
	return !strcmp(name, "x")        ? (const void *)d->x
		: !strcmp(name, "block") ? (const void *)d->block
		: !strcmp(name, "at")    ? (const void *)d->param
					 : (const void *)d->index;
}
