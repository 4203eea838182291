/* ir/eval_read.c -- reading values along a strip: through views, at strides, from storage.
 *
 * Along a strip every index is affine (struct lt_line).  A view's guards and floor divisions keep that so for a
 * stretch; a stretch ends where a guard or a quotient changes.  Within one, storage is read at a stride.
 */
#include <string.h>
#include "ir/affine.h"
#include "ir/eval_parts.h"

static int64_t floor_div(int64_t a, int64_t b)
{
	return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

static struct lt_line row_line(const int64_t *row, const struct lt_line *column, int32_t width)
{
	uint64_t at = 0, slope = 0;     /* wrap, as lt__map_apply does */

	for (int32_t i = 0; i < width; i++) {
		at += (uint64_t)row[i] * (uint64_t)column[i].at;
		slope += (uint64_t)row[i] * (uint64_t)column[i].slope;
	}
	return (struct lt_line){ (int64_t)at, (int64_t)slope };
}

/* floor(x/den), and for how many elements (at most *n) it is the line that is given back. */
static struct lt_line quotient(struct lt_line x, int64_t den, int64_t *n)
{
	int64_t q = floor_div(x.at, den), rest = x.at - q * den, stays;

	if (x.slope % den == 0)
		return (struct lt_line){ q, x.slope / den };
	stays = x.slope > 0 ? (den - rest - 1) / x.slope + 1 : 1 - rest / x.slope;
	*n = stays < *n ? stays : *n;
	return (struct lt_line){ q, 0 };
}

/* The columns of a map over the dims; returns for how many elements (at most n) they hold. */
static int64_t fill_columns(const struct lt_evaluation *e, const struct lt_map *map, const struct lt_line *dim, int64_t n)
{
	struct lt_line *column = e->column;
	int32_t width = lt__map_width(map), first_div = 1 + map->n_param + map->n_dim;

	column[0] = (struct lt_line){ 1, 0 };
	for (int32_t i = 0; i < map->n_param; i++)
		column[1 + i] = (struct lt_line){ e->param[map->param[i]], 0 };
	for (int32_t i = 0; i < map->n_dim; i++)
		column[1 + map->n_param + i] = dim[i];
	for (int32_t i = first_div; i < width; i++)
		column[i] = (struct lt_line){ 0, 0 };
	for (int32_t i = 0; i < map->n_div; i++) {
		const int64_t *div = map->div + (int64_t)i * (1 + width);
		column[first_div + i] = quotient(row_line(div + 1, column, width), div[0], &n);
	}
	return n;
}

/* Whether all guards hold at the first element; lowers *n to where that answer may change. */
static bool guards_hold(const struct lt_evaluation *e, const struct lt_map *map, int64_t *n)
{
	int32_t width = lt__map_width(map);
	int64_t stays = *n;

	for (int32_t i = 0; i < map->n_guard; i++) {
		struct lt_line x = row_line(map->guard + (int64_t)i * width, e->column, width);
		if (x.at < 0) {         /* this piece stays out until this guard holds */
			int64_t until = x.slope > 0 ? -floor_div(x.at, x.slope) : *n;
			*n = until < *n ? until : *n;
			return false;
		}
		if (x.slope < 0 && -(x.at / x.slope) < stays)
			stays = 1 - x.at / x.slope;
	}
	*n = stays;
	return true;
}

static void put_error(struct lt_strip *out, int64_t begin, int64_t n, const double *error, int64_t at, int64_t slope)
{
	if (out->exact && !error)
		return;
	if (out->exact)
		memset(out->error, 0, (size_t)begin * sizeof *out->error);
	out->exact = false;
	for (int64_t j = 0; j < n; j++)
		out->error[begin + j] = error ? error[at + j * slope] : 0;
}

static void put_line(struct lt_strip *out, int64_t begin, int64_t n, union lt_scalar first, int64_t slope)
{
	for (int64_t j = 0; j < n; j++) {
		out->at[begin + j] = first;
		if (slope)
			out->at[begin + j].i = first.i + j * slope;
	}
	put_error(out, begin, n, NULL, 0, 0);
}

static lt_status put_stored(const struct lt_evaluation *e, lt_node node, const struct lt_line *dim, int64_t begin, int64_t n,
	struct lt_strip *out)
{
	const struct lt_nodedef *d = &e->g->node[node];
	const struct lt_stored *value = &e->value[node];
	int64_t at = 0, slope = 0;

	for (int32_t i = 0; i < d->n_dim; i++) {
		int64_t extent = e->g->var[d->dim[i]].extent, end = dim[i].at + (n - 1) * dim[i].slope;
		if (dim[i].at < 0 || dim[i].at >= extent || end < 0 || end >= extent)
			return lt__node_fail(e->g, node, LT_EINVAL, "it is read at index %lld of axis %d, whose extent is %lld",
				(long long)(dim[i].at < 0 || dim[i].at >= extent ? dim[i].at : end), (int)i, (long long)extent);
		at = at * extent + dim[i].at;
		slope = slope * extent + dim[i].slope;
	}
	for (int64_t j = 0; j < n; j++)
		out->at[begin + j] = lt__load(value->data, at + j * slope, d->dtype);
	put_error(out, begin, n, value->error, at, slope);
	return LT_OK;
}

/* The piece that gives the view's first element, NULL for the fill; lowers *n to where that may change. */
static const struct lt_graphpiece *find_piece(const struct lt_evaluation *e, const struct lt_nodedef *d, const struct lt_line *dim,
	int64_t *n)
{
	for (int32_t p = 0; p < d->n_piece; p++) {
		*n = fill_columns(e, &d->piece[p].map, dim, *n);
		if (guards_hold(e, &d->piece[p].map, n))
			return &d->piece[p];
	}
	return NULL;
}

/* Values from `begin` on while they are one line of one source; *done: how many. */
static lt_status read_stretch(struct lt_evaluation *e, lt_node node, int64_t begin, int64_t n, struct lt_strip *out, int64_t *done)
{
	const struct lt_nodedef *d = &e->g->node[node];
	struct lt_line *dim = e->row;

	memcpy(dim, e->dim, (size_t)d->n_dim * sizeof *dim);
	while (!e->value[node].data && d->op == LT_OP_view) {
		const struct lt_graphpiece *piece = find_piece(e, d, dim, &n);
		if (!piece || piece->source < 0) {
			put_line(out, begin, n, lt__scalar_of(piece ? piece->bits : d->bits, d->dtype), 0);
			*done = n;
			return LT_OK;
		}
		int32_t width = lt__map_width(&piece->map);
		for (int32_t i = 0; i < piece->map.n_row; i++)
			dim[i] = row_line(piece->map.row + (int64_t)i * width, e->column, width);
		node = d->operand[piece->source];
		d = &e->g->node[node];
	}
	*done = n;
	if (e->value[node].data)
		return put_stored(e, node, dim, begin, n, out);
	if (d->op == LT_OP_lit)
		put_line(out, begin, n, lt__scalar_of(d->bits, d->dtype), 0);
	else if (d->op == LT_OP_index)
		put_line(out, begin, n, (union lt_scalar){ .i = dim[0].at }, dim[0].slope);
	else
		lt_bug("the oracle reads a node that it did not store");
	return LT_OK;
}

lt_status lt__eval_read(struct lt_evaluation *e, lt_node node, struct lt_line *dim, int32_t n, struct lt_strip *out)
{
	int32_t n_dim = e->g->node[node].n_dim;

	e->dim = dim;
	out->exact = true;
	for (int64_t begin = 0, done; begin < n; begin += done) {
		LT_TRY(read_stretch(e, node, begin, n - begin, out, &done));
		for (int32_t i = 0; i < n_dim; i++)
			dim[i].at += done * dim[i].slope;
	}
	return LT_OK;
}
