/* read.c -- reading values along a strip: through views, at strides, from storage.
 *
 * Along a strip every index is affine (struct lt_line).  A view's guards and floor divisions keep that so for a
 * stretch; a stretch ends where a guard or a quotient changes.  Within one, storage is read at a stride.
 */
#include <string.h>
#include "ir/map/map.h"
#include "ir/eval/parts.h"

/* A row over the columns.  A graph is refused where the range of a row does not fit 62 bits, so that this does not
 * overflow; where it does all the same, *wide says so.  Once the ends of a line fit, so do its points. */
static struct lt_line row_line(const int64_t *row, const struct lt_line *column, int32_t width, bool *wide)
{
	int64_t at = 0, slope = 0, term;
	bool over = false;

	for (int32_t i = 0; i < width; i++) {
		if (row[i] == 0)
			continue;
		over |= lt__mul_overflow(row[i], column[i].at, &term);
		over |= lt__add_overflow(at, term, &at);
		if (column[i].slope == 0)
			continue;
		over |= lt__mul_overflow(row[i], column[i].slope, &term);
		over |= lt__add_overflow(slope, term, &slope);
	}
	*wide = *wide || over || at == INT64_MIN || slope == INT64_MIN;
	return (struct lt_line){ at, slope };
}

/* floor(x/den), and for how many elements (at most *n) it is the line that is given back. */
static struct lt_line quotient(struct lt_line x, int64_t den, int64_t *n)
{
	int64_t q = lt__floor_div(x.at, den), remainder = x.at - q * den, stays;

	if (x.slope % den == 0)
		return (struct lt_line){ q, x.slope / den };
	stays = x.slope > 0 ? (den - remainder - 1) / x.slope + 1 : 1 - remainder / x.slope;
	*n = stays < *n ? stays : *n;
	return (struct lt_line){ q, 0 };
}

/* The columns of a map over the dims; returns for how many elements (at most n) they hold. */
static int64_t fill_columns(
	const struct lt_worker *w, const struct lt_map *map, const struct lt_line *dim, int64_t n, bool *wide)
{
	struct lt_line *column = w->column;
	int32_t width = lt__map_width(map), first_div = 1 + map->n_param + map->n_dim;

	column[0] = (struct lt_line){ 1, 0 };
	for (int32_t i = 0; i < map->n_param; i++)
		column[1 + i] = (struct lt_line){ w->e->param[map->param[i]], 0 };
	for (int32_t i = 0; i < map->n_dim; i++)
		column[1 + map->n_param + i] = dim[i];
	for (int32_t i = first_div; i < width; i++)
		column[i] = (struct lt_line){ 0, 0 };
	for (int32_t i = 0; i < map->n_div; i++) {
		const int64_t *div = map->div + (int64_t)i * (1 + width);
		column[first_div + i] = quotient(row_line(div + 1, column, width, wide), div[0], &n);
	}
	return n;
}

/* Whether all guards hold at the first element; lowers *n to where that answer may change. */
static bool guards_hold(const struct lt_worker *w, const struct lt_map *map, int64_t *n, bool *wide)
{
	int32_t width = lt__map_width(map);
	int64_t stays = *n;

	for (int32_t i = 0; i < map->n_guard; i++) {
		struct lt_line x = row_line(map->guard + (int64_t)i * width, w->column, width, wide);
		if (x.at < 0) {         /* this piece stays out until this guard holds */
			int64_t until = x.slope > 0 ? -lt__floor_div(x.at, x.slope) : *n;
			*n = until < *n ? until : *n;
			return false;
		}
		if (x.slope < 0 && -(x.at / x.slope) < stays)
			stays = 1 - x.at / x.slope;
	}
	*n = stays;
	return true;
}

static void store_error(struct lt_strip *out, int64_t begin, int64_t n, const double *error, int64_t at, int64_t slope)
{
	if (out->exact && !error)
		return;
	if (out->exact)
		memset(out->error, 0, (size_t)begin * sizeof *out->error);
	out->exact = false;
	for (int64_t j = 0; j < n; j++)
		out->error[begin + j] = error ? error[at + j * slope] : 0;
}

static void store_line(struct lt_strip *out, int64_t begin, int64_t n, union lt_scalar first, int64_t slope)
{
	for (int64_t j = 0; j < n; j++)
		out->at.i[begin + j] = first.i + j * slope;     /* the bits of a float have no slope */
	store_error(out, begin, n, NULL, 0, 0);
}

/* What is given was rounded, but this job is of the call that rounded it, and may go on with what was before. */
static bool is_unrounded(const struct lt_worker *w, lt_node node)
{
	const struct lt_eval_options *o = &w->e->options;

	return o->want_error && o->unrounded && o->unrounded[node] && o->call && o->call[node] > 0
		&& o->call[node] == o->call[w->job->node];
}

static void store_roundings(const struct lt_worker *w, lt_node node, int64_t begin, int64_t n, struct lt_strip *out)
{
	if (out->exact)
		memset(out->error, 0, (size_t)begin * sizeof *out->error);
	out->exact = false;
	for (int64_t j = begin; j < begin + n; j++)
		out->error[j] = lt__eval_rounding_error(w->e->g->node[node].dtype, (union lt_scalar){ .i = out->at.i[j] });
}

static lt_status store_stored(
	struct lt_worker *w, lt_node node, const struct lt_line *dim, int64_t begin, int64_t n, struct lt_strip *out)
{
	const struct lt_nodedef *d = &w->e->g->node[node];
	const struct lt_stored *value = &w->e->value[node];
	const bool given = value->data != value->own;
	const enum lt_dtype type = given ? d->dtype : lt__eval_kept_type(w->e, node);
	int64_t at = 0, slope = 0;

	for (int32_t i = 0; i < d->n_dim; i++) {
		int64_t extent = w->e->g->var[d->dim[i]].extent, end = dim[i].at;
		bool over = dim[i].slope != 0
			&& (lt__mul_overflow(n - 1, dim[i].slope, &end) || lt__add_overflow(dim[i].at, end, &end));
		if (over || dim[i].at < 0 || dim[i].at >= extent || end < 0 || end >= extent)
			return lt__eval_fault(w, (struct lt_eval_fault){ .kind = LT_FAULT_READ, .node = node, .extent = extent,
				.value = over || dim[i].at < 0 || dim[i].at >= extent ? dim[i].at : end, .axis = i });
		at = at * extent + dim[i].at;
		slope = slope * extent + (n > 1 ? dim[i].slope : 0);
	}
	if (begin == 0) {
		w->e->rows->load(type, value->data, at, slope, (int32_t)n, &out->at);
	} else {
		w->e->rows->load(type, value->data, at, slope, (int32_t)n, w->spread);
		memcpy(out->at.i + begin, w->spread, (size_t)n * sizeof *out->at.i);
	}
	if (given && is_unrounded(w, node))
		store_roundings(w, node, begin, n, out);
	else
		store_error(out, begin, n, given ? NULL : value->error, at, slope);
	return LT_OK;
}

/* The piece that gives the view's first element, NULL for the fill; lowers *n to where that may change. */
static const struct lt_graphpiece *find_piece(
	const struct lt_worker *w, const struct lt_nodedef *d, const struct lt_line *dim, int64_t *n, bool *wide)
{
	for (int32_t p = 0; p < d->n_piece; p++) {
		*n = fill_columns(w, &d->piece[p].map, dim, *n, wide);
		if (guards_hold(w, &d->piece[p].map, n, wide))
			return &d->piece[p];
	}
	return NULL;
}

/* Values from `begin` on while they are one line of one source; *done: how many. */
static lt_status read_stretch(
	struct lt_worker *w, lt_node node, int64_t begin, int64_t n, struct lt_strip *out, int64_t *done)
{
	const struct lt_evaluation *e = w->e;
	const struct lt_nodedef *d = &e->g->node[node];
	struct lt_line *dim = w->row;
	int64_t end;

	memcpy(dim, w->dim, (size_t)d->n_dim * sizeof *dim);
	while (!e->value[node].data && d->op == LT_OP_view) {
		bool wide = false;
		/* Both ends of a line are in range, so that its slope fits rows; of one element there is none, and what is left of
		 * one that a guard has ended fits nothing. */
		for (int32_t i = 0; n == 1 && i < d->n_dim; i++)
			dim[i].slope = 0;
		const struct lt_graphpiece *piece = find_piece(w, d, dim, &n, &wide);
		int32_t width = piece ? lt__map_width(&piece->map) : 0;
		for (int32_t i = 0; piece && i < piece->map.n_row; i++)
			dim[i] = row_line(piece->map.row + (int64_t)i * width, w->column, width, &wide);
		if (wide)
			return lt__eval_fault(w, (struct lt_eval_fault){ .kind = LT_FAULT_WIDE, .node = node });
		if (!piece || piece->source < 0) {
			store_line(out, begin, n, lt__scalar_of(piece ? piece->bits : d->bits, d->dtype), 0);
			*done = n;
			return LT_OK;
		}
		node = d->operand[piece->source];
		d = &e->g->node[node];
	}
	*done = n;
	if (e->value[node].data)
		return store_stored(w, node, dim, begin, n, out);
	if (d->op == LT_OP_lit)
		store_line(out, begin, n, lt__scalar_of(d->bits, d->dtype), 0);
	else if (d->op == LT_OP_index && (lt__mul_overflow(n, dim[0].slope, &end) || lt__add_overflow(dim[0].at, end, &end)))
		return lt__eval_fault(w, (struct lt_eval_fault){ .kind = LT_FAULT_WIDE, .node = node });
	else if (d->op == LT_OP_index)
		store_line(out, begin, n, (union lt_scalar){ .i = dim[0].at }, dim[0].slope);
	else
		lt_bug("the oracle reads a node that it did not store");
	return LT_OK;
}

lt_status lt__eval_read(struct lt_worker *w, lt_node node, struct lt_line *dim, int32_t n, struct lt_strip *out)
{
	int32_t n_dim = w->e->g->node[node].n_dim;

	w->dim = dim;
	out->exact = true;
	for (int64_t begin = 0, done = 0; begin < n; begin += done) {
		LT_TRY(read_stretch(w, node, begin, n - begin, out, &done));
		for (int32_t i = 0; begin + done < n && i < n_dim; i++)
			dim[i].at += done * dim[i].slope;
	}
	return LT_OK;
}

/* By the first piece that has a source, and as if quotients had no floor. */
int64_t lt__eval_stride(const struct lt_evaluation *e, lt_node node, lt_var along)
{
	const struct lt_nodedef *d = &e->g->node[node];
	double *slope = e->slope, *column = e->slope + e->width, unit = 0;

	for (int32_t i = 0; i < d->n_dim; i++)
		slope[i] = d->dim[i] == along;
	while (!e->value[node].data && d->op == LT_OP_view) {
		int32_t p = 0;
		while (p < d->n_piece && d->piece[p].source < 0)
			p++;
		if (p == d->n_piece)
			return 0;
		const struct lt_map *map = &d->piece[p].map;
		int32_t width = lt__map_width(map), known = 1 + map->n_param;
		for (int32_t i = 0; i < width; i++)
			column[i] = i >= known && i < known + map->n_dim ? slope[i - known] : 0;
		for (int32_t q = 0; q < map->n_div; q++) {
			const int64_t *div = map->div + (int64_t)q * (1 + width);
			for (int32_t i = 0; i < known + map->n_dim + q; i++)
				column[known + map->n_dim + q] += (double)div[1 + i] * column[i] / (double)div[0];
		}
		for (int32_t r = 0; r < map->n_row; r++) {
			slope[r] = 0;
			for (int32_t i = 0; i < width; i++)
				slope[r] += (double)map->row[(int64_t)r * width + i] * column[i];
		}
		node = d->operand[d->piece[p].source];
		d = &e->g->node[node];
	}
	for (int32_t i = 0; i < d->n_dim; i++)
		unit = unit * (double)e->g->var[d->dim[i]].extent + slope[i];
	unit = unit < 0 ? -unit : unit;
	return unit > 0 && unit < 1 ? 1 : unit < 1e9 ? (int64_t)unit : 1000000000;
}
