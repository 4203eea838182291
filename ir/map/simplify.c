/* simplify.c -- maps in their simplest form, and their ranges: the rules of quasi.c, in order, over guards and
 * rows. */
#include <string.h>
#include "ir/map/map.h"
#include "ir/map/simplify.h"

/* -- memory: one block for everything, so that nothing is allocated while isl objects live -- */

static bool take_memory(struct lt_simplify *t)
{
	const struct lt_map *m = t->map;
	int32_t cap = 3 * m->n_div + 8, base = 1 + m->n_param + m->n_dim;
	size_t width = (size_t)base + (size_t)cap, rows, numbers, ints;
	int64_t *at;

	rows = (size_t)m->n_guard + (size_t)m->n_row + (size_t)m->n_div + 4;
	ints = 2 * (size_t)m->n_param + 6 * (size_t)cap + 2;
	if (__builtin_mul_overflow(rows, width, &numbers))
		return false;
	numbers += lt__quasi_numbers(base, cap) + (size_t)cap * (width + 1) + lt__digits_numbers((int32_t)width, m->n_guard);
	t->bytes = numbers * sizeof *at + (size_t)cap * sizeof *t->aff + ints * sizeof *t->need;
	t->block = lt__context_realloc(t->g->ctx, NULL, 0, t->bytes);
	if (!t->block)
		return false;
	memset(t->block, 0, t->bytes);
	at = t->block;
	lt__quasi_init(&t->q, base, cap, at);
	at += lt__quasi_numbers(base, cap);
	lt__digits_init(&t->digits, (int32_t)width, at);
	at += lt__digits_numbers((int32_t)width, m->n_guard);
	t->width = (int32_t)width;
	t->guard = at;
	t->row = t->guard + (size_t)m->n_guard * width;
	t->old = t->row + (size_t)m->n_row * width;
	t->a = t->old + (size_t)m->n_div * width;
	t->b = t->a + width;
	t->bound = t->b + width;
	t->point = t->bound + width;
	t->div = t->point + width;
	t->aff = (struct isl_aff **)(void *)(t->div + (size_t)cap * (width + 1));
	t->need = (int32_t *)(void *)(t->aff + cap);
	t->number = t->need + cap;
	return true;
}

static void simplify_finish(struct lt_simplify *t)
{
	lt__isl_forget(t);
	lt__context_realloc(t->g->ctx, t->block, t->bytes, 0);
}

/* -- the map's own rows over the new columns -- */

/* Columns that have one value only become it; a row that is one dim and no more stays. */
static bool pin(struct lt_simplify *t, int64_t *row)
{
	int32_t n_term = 0, last = 0;

	for (int32_t i = 0; i < t->q.n_base + t->q.n_div; i++)
		if (row[i]) {
			n_term++;
			last = i;
		}
	if (n_term == 1 && last > t->map->n_param && last < t->q.n_base && row[last] == 1)
		return true;
	for (int32_t i = 1; i < t->q.n_base; i++)
		if (row[i] && t->q.low[i] == t->q.high[i]) {
			if (!lt__row_add(row, row[i], &t->q.low[i], 1))
				return false;
			row[i] = 0;
		}
	return true;
}

static bool expand(struct lt_simplify *t, const int64_t *from, int64_t *to)
{
	memset(to, 0, (size_t)t->width * sizeof *to);
	memcpy(to, from, (size_t)t->q.n_base * sizeof *to);
	for (int32_t k = 0; k < t->map->n_div; k++)
		if (from[t->q.n_base + k] && !lt__row_add(to, from[t->q.n_base + k], lt__simplify_row(t, t->old, k), t->width))
			return false;
	return pin(t, to);
}

/* Rewrites the divs that the given rows need, on the domain as it is now known. */
static bool rewrite_divs(struct lt_simplify *t, const int64_t *rows, int32_t n_row)
{
	const struct lt_map *m = t->map;
	int32_t width = lt__map_width(m);

	memset(t->need, 0, (size_t)t->q.cap_div * sizeof *t->need);
	for (int32_t r = 0; r < n_row; r++)
		for (int32_t k = 0; k < m->n_div; k++)
			t->need[k] |= rows[(size_t)r * (size_t)width + (size_t)(t->q.n_base + k)] != 0;
	for (int32_t k = m->n_div - 1; k >= 0; k--)
		for (int32_t i = 0; t->need[k] && i < k; i++)
			t->need[i] |= m->div[(size_t)k * (size_t)(width + 1) + (size_t)(1 + t->q.n_base + i)] != 0;
	for (int32_t k = 0; k < m->n_div; k++) {
		const int64_t *div = m->div + (size_t)k * (size_t)(width + 1);

		if (!t->need[k])
			continue;
		if (!expand(t, div + 1, t->a))
			return false;
		memset(lt__simplify_row(t, t->old, k), 0, (size_t)t->width * sizeof *t->old);
		lt__quasi_floor(&t->q, t->a, div[0], 1, lt__simplify_row(t, t->old, k));
		if (t->q.overflow)
			return false;
	}
	return true;
}

/* -- guards -- */

/* A guard whose terms another one has too: the stricter of the two stays, in the earlier's place. */
static bool merged(struct lt_simplify *t, const int64_t *row)
{
	for (int32_t i = 0; i < t->n_guard; i++) {
		int64_t *other = lt__simplify_row(t, t->guard, i);

		if (!memcmp(other + 1, row + 1, (size_t)(t->width - 1) * sizeof *row)) {
			if (row[0] < other[0])
				other[0] = row[0];
			return true;
		}
	}
	return false;
}

/* A guard on one column cuts its interval. Returns whether it is such a guard. */
static bool tighten(struct lt_simplify *t, const int64_t *row)
{
	int32_t at = 0;

	for (int32_t i = 1; i < t->q.n_base + t->q.n_div; i++)
		if (row[i]) {
			if (at || i >= t->q.n_base || (row[i] != 1 && row[i] != -1))
				return false;
			at = i;
		}
	if (row[at] > 0 && t->q.low[at] < -row[0])
		t->q.low[at] = -row[0];
	else if (row[at] < 0 && t->q.high[at] > row[0])
		t->q.high[at] = row[0];
	t->empty |= t->q.low[at] > t->q.high[at];
	return true;
}

static bool do_guards(struct lt_simplify *t)
{
	const struct lt_map *m = t->map;

	t->simple = !t->limited;
	if (!rewrite_divs(t, m->guard, m->n_guard))
		return false;
	for (int32_t i = 0; i < m->n_guard && !t->empty; i++) {
		int64_t *row = lt__simplify_row(t, t->guard, t->n_guard);
		enum lt_sign sign;

		if (!expand(t, m->guard + (size_t)i * (size_t)lt__map_width(m), t->b))
			return false;
		sign = lt__quasi_guard(&t->q, t->b);
		for (int32_t c = 0; c < t->width; c++)
			if (t->b[c] == INT64_MIN)
				return false;
		t->empty = sign == LT_SIGN_NEVER;
		if (sign == LT_SIGN_OPEN && !merged(t, t->b)) {
			memcpy(row, t->b, (size_t)t->width * sizeof *row);
			t->n_guard++;
		}
	}
	for (int32_t i = 0; i < t->n_guard && !t->empty; i++)
		t->simple &= tighten(t, lt__simplify_row(t, t->guard, i));
	if (!t->empty && !t->simple && (t->n_guard > 1 || t->limited || t->q.n_div) && !lt__guards_apart(t)
	    && !lt__guards_enumerate(t))
		lt__isl_drop_implied(t);
	lt__isl_settle(t);
	for (int32_t k = 0; k < t->q.n_div; k++) {
		int64_t low, high;

		if (!lt__quasi_range(&t->q, t->q.num + (size_t)k * (size_t)t->width, &low, &high))
			return false;
		t->q.low[t->q.n_base + k] = lt__floor_div(low, t->q.den[k]);
		t->q.high[t->q.n_base + k] = lt__floor_div(high, t->q.den[k]);
	}
	return true;
}

static bool do_rows(struct lt_simplify *t)
{
	const struct lt_map *m = t->map;

	if (!rewrite_divs(t, m->row, m->n_row))
		return false;
	for (int32_t r = 0; r < m->n_row; r++) {
		if (!expand(t, m->row + (size_t)r * (size_t)lt__map_width(m), lt__simplify_row(t, t->row, r)))
			return false;
		lt__isl_gist(t, lt__simplify_row(t, t->row, r));
	}
	return true;
}

/* Larger maps stay as they are: the rules are cubic. */
enum { MAX_DIVS = 64, MAX_COLUMNS = 1024, MAX_GUARDS = 256 };

/* The intervals of params and dims, then guards and rows.  *done: whether the task holds the map's simplest form. */
static bool simplify_begin(struct lt_simplify *t, bool *done)
{
	const struct lt_map *m = t->map;

	*done = false;
	if (m->n_div > MAX_DIVS || m->n_param + m->n_dim > MAX_COLUMNS || m->n_guard > MAX_GUARDS)
		return true;
	if (!take_memory(t))
		return false;
	for (int32_t p = 0; p < m->n_param; p++) {
		t->q.low[1 + p] = t->g->param[m->param[p]].low;
		t->q.high[1 + p] = t->g->param[m->param[p]].high;
	}
	for (int32_t d = 0; d < m->n_dim; d++) {
		t->q.high[1 + m->n_param + d] = t->box->extent[d] - 1;
		t->limited |= t->box->limit && t->box->limit[d];
	}
	t->q.within = lt__isl_within;
	t->q.user = t;
	*done = do_guards(t) && (t->empty || do_rows(t));
	return true;
}

/* -- answers -- */

struct writing { struct lt_simplify *t; struct lt_arena *arena; struct lt_map *out; };

static void write_row(const struct lt_simplify *t, const int64_t *from, const int32_t *param, int32_t n_param,
	const int32_t *div, int32_t n_div, int64_t *to)
{
	const struct lt_map *m = t->map;

	*to++ = from[0];
	for (int32_t i = 0; i < n_param; i++)
		*to++ = from[1 + param[i]];
	memcpy(to, from + 1 + m->n_param, (size_t)m->n_dim * sizeof *to);
	to += m->n_dim;
	for (int32_t i = 0; i < n_div; i++)
		*to++ = from[t->q.n_base + div[i]];
}

/* Copies the task's rows into the arena: used params and divs only, numbered as the text names them. */
static lt_status write_map(void *user)
{
	struct writing *w = user;
	struct lt_simplify *t = w->t;
	const struct lt_map *m = t->map;
	int32_t *param = t->number, *div = param + m->n_param, *scratch = div + t->q.cap_div;
	int64_t *guards, *rows, *divs;
	lt_param *params;
	struct lt_map all = { .n_param = m->n_param, .n_dim = m->n_dim, .n_div = t->q.cap_div, .n_guard = t->n_guard,
		.n_row = m->n_row, .div = t->div, .guard = t->guard, .row = t->row };
	struct lt_map out = { .n_dim = m->n_dim, .n_guard = t->n_guard, .n_row = m->n_row };
	size_t width;

	memset(t->div, 0, (size_t)t->q.cap_div * (size_t)(t->width + 1) * sizeof *t->div);
	for (int32_t k = 0; k < t->q.n_div; k++)
		memcpy(t->div + (size_t)k * (size_t)(t->width + 1) + 1, t->q.num + (size_t)k * (size_t)t->width,
			(size_t)t->width * sizeof *t->div);
	lt__map_appearance(&all, param, &out.n_param, div, &out.n_div, scratch);
	width = (size_t)lt__map_width(&out);
	out.param = params = LT_NEW(w->arena, lt_param, out.n_param);
	out.div = divs = LT_NEW(w->arena, int64_t, (size_t)out.n_div * (width + 1));
	out.guard = guards = LT_NEW(w->arena, int64_t, (size_t)out.n_guard * width);
	out.row = rows = LT_NEW(w->arena, int64_t, (size_t)out.n_row * width);
	for (int32_t i = 0; i < out.n_param; i++)
		params[i] = m->param[param[i]];
	for (int32_t k = 0; k < out.n_div; k++) {
		divs[(size_t)k * (width + 1)] = t->q.den[div[k]];
		write_row(t, t->q.num + (size_t)div[k] * (size_t)t->width, param, out.n_param, div, out.n_div,
			divs + (size_t)k * (width + 1) + 1);
	}
	for (int32_t i = 0; i < out.n_guard; i++)
		write_row(t, lt__simplify_row(t, t->guard, i), param, out.n_param, div, out.n_div, guards + (size_t)i * width);
	for (int32_t i = 0; i < out.n_row; i++)
		write_row(t, lt__simplify_row(t, t->row, i), param, out.n_param, div, out.n_div, rows + (size_t)i * width);
	if (lt__piece_fits(t->g, w->arena, t->box->extent, NULL, &out))         /* else it stays as it was, which does */
		*w->out = out;
	return LT_OK;
}

lt_status lt__map_simplify(
	const struct lt_graph *g, struct lt_arena *arena, const struct lt_box *box, struct lt_map *map, bool *empty)
{
	struct lt_simplify t = { .g = g, .box = box, .map = map };
	struct writing w = { .t = &t, .arena = arena, .out = map };
	lt_status status = LT_OK;
	bool done;

	*empty = false;
	if (!map->n_guard && !map->n_div)
		return LT_OK;
	g->ctx->labour.maps++;
	if (!simplify_begin(&t, &done))
		return lt_fail(g->ctx, LT_ENOMEM, "out of memory: %zu more bytes were refused", t.bytes);
	*empty = done && t.empty;
	lt__isl_forget(&t);
	if (done && !t.empty)
		status = lt__protect(g->ctx, write_map, &w);
	simplify_finish(&t);
	return status;
}
