/* random_limits_model.c -- what random views, gathers and updates mean, and whether a number is too large. */
#include <string.h>
#include "check/random/must.h"
#include "tests/random_limits_model.h"

#define MAX_VALUE (((limits_wide)1 << 62) - 1)

/* -- numbers of more than 62 bits -- */

struct ends { limits_wide min, max, low, high; };    /* of sums of some terms; of the sum */

static bool add_ends(struct ends *e, limits_wide coef, limits_wide low, limits_wide high)
{
	limits_wide a = coef * (coef < 0 ? high : low), b = coef * (coef < 0 ? low : high);
	if (coef > MAX_VALUE || coef < -MAX_VALUE)
		return false;
	e->low += a;
	e->high += b;
	e->min += a < 0 ? a : 0;
	e->max += b > 0 ? b : 0;
	return e->min >= -MAX_VALUE && e->max <= MAX_VALUE;
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
		fits = !row[limits_dim_at(i)] || add_ends(out, row[limits_dim_at(i)], 0, v->dim[i].extent - 1);
	for (int i = 0; i < LIMITS_DIVS && fits; i++)
		fits = !row[limits_div_at(i)] || add_ends(out, row[limits_div_at(i)], q[i].low, q[i].high);
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
			used[c] |= p->row[i][limits_div_at(c)] != 0;
		for (int i = 0; i < p->n_guard; i++)
			used[c] |= p->guard[i][limits_div_at(c)] != 0;
	}
	used[0] |= used[1] && p->div[1][limits_div_at(0)];
	memset(q, 0, sizeof q);
	for (int k = 0; k < p->n_div; k++) {
		if (!used[k])
			continue;
		if (p->den[k] > MAX_VALUE || !row_ends(m, v, p->div[k], q, &q[k]))
			return false;
		q[k].low = floor_of(q[k].low, p->den[k]);
		q[k].high = floor_of(q[k].high, p->den[k]);
	}
	for (int i = 0; i < p->n_guard; i++)
		if (!row_ends(m, v, p->guard[i], q, &row))
			return false;
	for (int r = rank - 1; r >= 0; r--) {
		if (!row_ends(m, v, p->row[r], q, &row) || !add_ends(&flat, unit, row.min, row.max))
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
				|| !add_ends(&e, 1, 0, m->block[i] - 1) || !add_ends(&bytes, unit, e.min, e.max)))
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
		sum += (limits_wide)row[limits_dim_at(i)] * at[i];
	for (int i = 0; i < LIMITS_DIVS; i++)
		if (row[limits_div_at(i)])
			sum += (limits_wide)row[limits_div_at(i)] * floor_of(value_of(p, p->div[i], param, at), p->den[i]);
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
	const struct limits_view *v = m->updates ? NULL : &m->view[m->n_view - 1];
	const struct limits_dim *dim = v ? v->dim : m->dim;
	int64_t all[LIMITS_DIMS] = { 1, 1, 1 }, run[LIMITS_DIMS] = { 1, 1, 1 }, at[LIMITS_DIMS] = { 0 }, axis = 0;
	int n_dim = v ? v->n_dim : m->n_dim;
	bool fine = limits_fate(m, param) == LIMITS_STAYS, ignored = false, read = true;
	memset(d, 0, sizeof *d);
	memcpy(d->param, param, sizeof d->param);
	for (int i = 0; i < LIMITS_X; i++)
		d->x[i] = (float)(i + 100);
	for (int i = 0; i < LIMITS_ELEMENTS; i++)
		d->block[i] = -(float)(i + 5000);
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
