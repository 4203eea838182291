/* fit.c -- the rows of a node within 62 bits: those of a view, the elements of memory that they mean, the block of
 * an update. */
#include "ir/bounds/bounds.h"
#include "ir/map/map.h"

#define FAIL(...) lt__node_fail(g, x, LT_EOVERFLOW, __VA_ARGS__)

/* What makes a row too large, and what to do about it. */
static const char *column_text(
	const struct lt_graph *g, const struct lt_nodedef *n, const struct lt_map *m, int32_t column)
{
	const struct lt_paramdef *p;
	const struct lt_vardef *v;

	if (column < 0)
		return "its number alone is too large: use a smaller one";
	if (column <= m->n_param) {
		p = &g->param[m->param[column - 1]];
		return lt__scratch(g->ctx,
			"with run-time scalar '%.60s' in %lld..%lld: narrow that range, or use a smaller factor",
			p->name, (long long)p->low, (long long)p->high);
	}
	if (column > m->n_param + m->n_dim)
		return lt__scratch(g->ctx, "with floor division %d: use smaller factors", column - 1 - m->n_param - m->n_dim);
	v = &g->var[n->dim[column - 1 - m->n_param]];
	return lt__scratch(g->ctx, "with dim '%.60s' in 0..%lld: use a smaller factor", v->name, (long long)v->extent - 1);
}

static lt_status fail_unfit(const struct lt_graph *g, lt_node x, int32_t piece, const struct lt_unfit *why)
{
	static const char *const part[] = {
		[LT_UNFIT_DIV] = "floor division", [LT_UNFIT_GUARD] = "guard", [LT_UNFIT_ROW] = "index"
	};
	const struct lt_nodedef *n = &g->node[x];

	return FAIL("%s %d of piece %d exceeds 62 bits, %s", part[why->kind], why->number, piece,
		column_text(g, n, &n->piece[piece].map, why->column));
}

static lt_status fit_piece(
	const struct lt_graph *g, lt_node x, int32_t piece, const int64_t *extent, int64_t *low, int64_t *high)
{
	const struct lt_nodedef *n = &g->node[x];
	const struct lt_graphpiece *p = &n->piece[piece];
	struct lt_unfit why;

	if (!lt__map_columns(g, extent, &p->map, low, high, &why))
		return fail_unfit(g, x, piece, &why);
	if (p->source >= 0 && !lt__map_fits_memory(g, &g->node[n->operand[p->source]], &p->map, low, high))
		return FAIL("the memory offset of piece %d exceeds 62 bits where its guards do not hold: use smaller factors", piece);
	return LT_OK;
}

static lt_status fit_view(const struct lt_graph *g, lt_node x)
{
	const struct lt_nodedef *n = &g->node[x];
	int64_t extent[LT_MAX_RANK], own[128], *at = own;
	size_t width = 0, bytes;
	lt_status status = LT_OK;

	for (int32_t d = 0; d < n->n_dim; d++)
		extent[d] = g->var[n->dim[d]].extent;
	for (int32_t i = 0; i < n->n_piece; i++)
		width = (size_t)lt__map_width(&n->piece[i].map) > width ? (size_t)lt__map_width(&n->piece[i].map) : width;
	bytes = 2 * width * sizeof *at;
	if (bytes > sizeof own)
		at = lt__context_realloc(g->ctx, NULL, 0, bytes);
	if (!at)
		return lt_fail(g->ctx, LT_ENOMEM, "out of memory: %zu more bytes were refused", bytes);
	for (int32_t i = 0; i < n->n_piece && !status; i++)
		status = fit_piece(g, x, i, extent, at, at + width);
	if (at != own)
		lt__context_realloc(g->ctx, at, bytes, 0);
	return status;
}

static lt_status fit_block(const struct lt_graph *g, lt_node x, int32_t axis)
{
	const struct lt_nodedef *n = &g->node[x];
	const struct lt_paramdef *p = &g->param[n->at[axis]];
	int64_t min = 0, max = 0, part = g->var[g->node[n->operand[1]].dim[axis]].extent,
		unit = (int64_t)lt__dtype_info(n->dtype)->bytes;

	for (int32_t i = axis + 1; i < n->n_dim; i++)
		unit *= g->var[n->dim[i]].extent;
	if (!lt__span_add(1, p->low, p->high, &min, &max) || !lt__span_add(n->offset[axis], 1, 1, &min, &max)
		|| !lt__span_add(1, 0, part - 1, &min, &max)
		|| !lt__span_add(unit, min, max, &(int64_t){ 0 }, &(int64_t){ 0 }))
		return FAIL("the offset along axis %d exceeds 62 bits with run-time scalar '%.60s' in %lld..%lld: "
			    "narrow that range",
			axis, p->name, (long long)p->low, (long long)p->high);
	return LT_OK;
}

lt_status lt__bounds_fit(const struct lt_graph *g, lt_node x)
{
	const struct lt_nodedef *n = &g->node[x];

	if (n->op == LT_OP_view)
		return fit_view(g, x);
	for (int32_t i = 0; n->op == LT_OP_update && i < n->n_dim; i++)
		if (n->at[i] >= 0)
			LT_TRY(fit_block(g, x, i));
	return LT_OK;
}
