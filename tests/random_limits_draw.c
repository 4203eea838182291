/* random_limits_draw.c -- random views, gathers and updates at the limits, and values of their params. */
#include <string.h>
#include "check/random/random.h"
#include "tests/random_limits_model.h"

enum mode { SMALL, HUGE_ };
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

/* A row over dims, some params, and the floors before `n_div`. */
static void draw_row(struct draw *d, const struct limits_view *v, int n_div, int64_t *row)
{
	memset(row, 0, sizeof *row * LIMITS_COLUMNS);
	row[0] = number(d, -3, 6);
	for (int i = 0; i < v->n_dim; i++)
		row[limits_dim_at(i)] = chance(d, 55) ? number(d, -1, 3) : 0;
	for (int i = 0; i < d->m->n_param; i++)
		row[1 + i] = chance(d, 30) ? number(d, -1, 2) : 0;
	for (int i = 0; i < n_div; i++)
		row[limits_div_at(i)] = chance(d, 50) ? number(d, -3, 2) : 0;
}

/* The least (or greatest) that a small row can be over the dims, with the params' least values. */
static int64_t end_of(const struct limits_model *m, const struct limits_view *v, const int64_t *row, bool high)
{
	limits_wide sum = row[0];
	for (int i = 0; i < m->n_param; i++)
		sum += (limits_wide)row[1 + i] * ((row[1 + i] > 0) == high ? m->high[i] : m->low[i]);
	for (int i = 0; i < v->n_dim; i++)
		sum += (row[limits_dim_at(i)] > 0) == high ? (limits_wide)row[limits_dim_at(i)] * (v->dim[i].extent - 1) : 0;
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
			if (own && end >= 1 && end <= LIMITS_LONGEST)
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
