/* ask.c -- isl is asked whether a piece stays in its source, where intervals do not decide; and what is said of one
 * that leaves it, or may: a sentence, or a requirement of the run. */
#include "ir/bounds/parts.h"

/* -- answers -- */

static const char *source_name(const struct lt_bounds *b)
{
	return b->g->node[b->n->operand[b->n->piece[b->piece].source]].name;
}

lt_var lt__bounds_axis(const struct lt_bounds *b, int32_t row)
{
	return b->g->node[b->n->operand[b->n->piece[b->piece].source]].dim[row];
}

/* "'p' or 'q'": the params of the piece, to narrow. */
static const char *params_text(const struct lt_bounds *b, char *text, size_t bytes)
{
	const struct lt_map *m = b->map;
	size_t n = 0;

	text[0] = '\0';
	for (int32_t i = 0; i < m->n_param && i < 4 && n < bytes; i++)
		n += (size_t)snprintf(text + n, bytes - n, "%s'%.60s'", i ? " or " : "", b->g->param[m->param[i]].name);
	return m->n_param ? text : "that it depends on";
}

/* "at i = 3, p = 7": the point at which a piece leaves its source; `point` has a value for each param of the map and
 * each dim. */
lt_status lt__bounds_outside(
	const struct lt_bounds *b, int32_t row, const int64_t *param, const int64_t *dim, bool past_end)
{
	const struct lt_map *m = b->map;
	const struct lt_vardef *v = &b->g->var[lt__bounds_axis(b, row)];
	char text[400], names[300];
	struct lt_map one = *m;
	int64_t index;
	size_t n = 0;

	one.n_guard = 0;
	one.n_row = 1;
	one.row = m->row + (int64_t)row * lt__map_width(m);
	lt__map_apply(&one, param, dim, &index);
	text[0] = '\0';
	for (int32_t i = 0; i < m->n_dim + m->n_param && n < sizeof text - 100; i++)
		n += (size_t)snprintf(text + n, sizeof text - n, "%s%.60s = %lld", i ? ", " : " at ",
			i < m->n_dim ? b->g->var[b->n->dim[i]].name : b->g->param[m->param[i - m->n_dim]].name,
			(long long)(i < m->n_dim ? dim[i] : param[i - m->n_dim]));
	return lt__node_fail(b->g, b->x, LT_EINVAL,
		"piece %d reads '%.100s' at index %lld of axis %d ('%.60s', %s%lld elements)%s: guard the piece by an "
		"index %s%s%s",
		b->piece, source_name(b), (long long)index, row, v->name, v->bounded ? "at most " : "",
		(long long)v->extent, text, past_end ? "that ends with the axis" : "of 0 or more",
		m->n_param ? ", or narrow the range of run-time scalar " : "",
		m->n_param ? params_text(b, names, sizeof names) : "");
}

lt_status lt__bounds_open(const struct lt_bounds *b, int32_t row, bool tangled)
{
	char names[300];
	const struct lt_vardef *v = &b->g->var[lt__bounds_axis(b, row)];

	return lt__node_fail(b->g, b->x, LT_EUNSUPPORTED,
		"%s piece %d stays within axis %d of '%.100s' ('%.60s', %lld elements)%s: guard the piece by that "
		"index, or narrow the range of run-time scalar %s",
		tangled ? "no few requirements on run-time scalars say when" : "it is not known whether", b->piece, row,
		source_name(b), v->name, (long long)v->extent, tangled ? "" : "; the question is too large",
		params_text(b, names, sizeof names));
}

lt_status lt__bounds_require_row(const struct lt_bounds *b, int32_t row, bool past_end, const struct lt_linear *sum)
{
	const struct lt_vardef *v = &b->g->var[lt__bounds_axis(b, row)];
	char text[400];

	(void)snprintf(text, sizeof text, "view '%.100s' reads '%.100s' %s axis %d ('%.60s', %s%lld elements)",
		b->n->name, source_name(b), past_end ? "past the end of" : "before the start of", row, v->name,
		v->bounded ? "at most " : "", (long long)v->extent);
	return lt__bounds_require(b, sum, text);
}

/* -- isl's turn -- */

static bool ask_param(struct lt_boundask *ask, lt_param p)
{
	int32_t at = 0;

	while (at < ask->n_param && ask->param[at] != p)
		at++;
	if (at == LT_BOUND_PARAMS)
		return false;
	ask->param[at] = p;
	ask->n_param += at == ask->n_param;
	return true;
}

static bool ask_limit(const struct lt_bounds *b, struct lt_boundask *ask, lt_var v)
{
	const struct lt_vardef *d = &b->g->var[v];
	bool fits = true;

	for (int32_t i = 0; d->bounded && fits && i < d->limit.n; i++)
		fits = ask_param(ask, d->limit.param[i]);
	return fits;
}

static bool ask_params(const struct lt_bounds *b, struct lt_boundask *ask)
{
	bool fits = b->piece < LT_BOUND_PIECES && b->map->n_param <= LT_MAX_RANK
		&& ask_limit(b, ask, lt__bounds_axis(b, ask->row));

	for (int32_t p = 0; p <= b->piece && fits; p++) {
		const struct lt_map *m = &b->n->piece[p].map;

		fits = m->n_div <= LT_BOUND_DIVS && m->n_guard <= LT_BOUND_DIVS;
		for (int32_t i = 0; i < m->n_param && fits; i++)
			fits = ask_param(ask, m->param[i]);
	}
	for (int32_t d = 0; d < b->n->n_dim && fits; d++)
		fits = ask_limit(b, ask, b->n->dim[d]);
	return fits;
}

static lt_status outside_at(const struct lt_bounds *b, const struct lt_boundask *ask)
{
	int64_t param[LT_MAX_RANK] = { 0 };

	for (int32_t i = 0; i < b->map->n_param; i++)
		for (int32_t k = 0; k < ask->n_param; k++)
			if (ask->param[k] == b->map->param[i])
				param[i] = ask->point[k];
	return lt__bounds_outside(b, ask->row, param, ask->point + ask->n_param, ask->past_end);
}

lt_status lt__bounds_ask(const struct lt_bounds *b, int32_t row, bool past_end)
{
	struct lt_boundask ask = { .view = b->x, .piece = b->piece, .row = row, .past_end = past_end };
	enum lt_bound answer = ask_params(b, &ask) ? lt__isl_bound(b->g, &ask) : LT_BOUND_OPEN;

	if (answer == LT_BOUND_OUTSIDE)
		return outside_at(b, &ask);
	if (answer == LT_BOUND_OPEN || answer == LT_BOUND_TANGLED)
		return lt__bounds_open(b, row, answer == LT_BOUND_TANGLED);
	for (int32_t i = 0; answer == LT_BOUND_REQUIRES && i < ask.n_form; i++) {
		struct lt_form f;

		lt__form_begin(&f);
		f.sum.constant = ask.form[i][0];
		for (int32_t k = 0; k < ask.n_param; k++)
			if (ask.form[i][1 + k])
				lt__form_add(&f, ask.param[k], ask.form[i][1 + k]);
		if (!lt__require_implies(b->g, &f.sum))
			LT_TRY(lt__bounds_require_row(b, row, past_end, &f.sum));
	}
	return LT_OK;
}
