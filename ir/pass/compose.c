/* compose.c -- pieces of views: simplified, tidied, and composed with those of a view that they show. */
#include <string.h>
#include "base/names.h"
#include "ir/pass/work.h"
#include "ir/map/map.h"

enum {
	MAX_WIDTH = 256
}; /* a view whose maps would grow larger stays a view of a view; of its pieces LT_MAX_PIECES says so */

static size_t add_key(int64_t *key, size_t n, const int64_t *from, size_t count)
{
	if (count)
		memcpy(key + n, from, count * sizeof *key);
	return n + count;
}

/* What the simplest form depends on, as numbers. */
static int64_t *view_key(
	const struct lt_rewrite *w, int32_t n_dim, const lt_var *dim, const struct lt_map *m, size_t *bytes)
{
	size_t width = (size_t)lt__map_width(m), n = 0, divs = (size_t)m->n_div * (width + 1);
	size_t rows = ((size_t)m->n_guard + (size_t)m->n_row) * width;
	int64_t *key = LT_NEW(w->arena, int64_t, 5 + 2 * (size_t)n_dim + (size_t)m->n_param + divs + rows);
	const int64_t counts[] = { n_dim, m->n_param, m->n_div, m->n_guard, m->n_row };

	n = add_key(key, n, counts, 5);
	for (int32_t i = 0; i < n_dim; i++) {
		key[n++] = w->in->var[dim[i]].extent;
		key[n++] = w->in->var[dim[i]].bounded ? dim[i] : -1;
	}
	for (int32_t i = 0; i < m->n_param; i++)
		key[n++] = m->param[i];
	n = add_key(key, n, m->div, divs);
	n = add_key(key, n, m->guard, (size_t)m->n_guard * width);
	n = add_key(key, n, m->row, (size_t)m->n_row * width);
	*bytes = n * sizeof *key;
	return key;
}

/* A piece's map over the view's dims in its simplest form; *empty: no element is there. */
static lt_status simplify_piece(struct lt_rewrite *w, int32_t n_dim, const lt_var *dim, struct lt_map *m, bool *empty)
{
	int64_t *extent = LT_NEW(w->arena, int64_t, n_dim);
	const struct lt_linear **limit = LT_NEW(w->arena, const struct lt_linear *, n_dim);
	struct lt_box box = { .n = n_dim, .extent = extent, .limit = limit };
	int32_t found;
	size_t bytes;
	char *key;

	*empty = false;
	if (!m->n_guard && !m->n_div)
		return LT_OK;
	key = (char *)view_key(w, n_dim, dim, m, &bytes);
	found = lt__names_find(w->memo, key, bytes);
	if (found < 0) {
		for (int32_t i = 0; i < n_dim; i++) {
			extent[i] = w->in->var[dim[i]].extent;
			limit[i] = w->in->var[dim[i]].bounded ? &w->in->var[dim[i]].limit : NULL;
		}
		LT_TRY(lt__map_simplify(w->in, w->arena, &box, m, empty));
		LT_GROW(w->arena, w->known, w->n_known, w->cap_known);
		w->known[w->n_known] = *m;
		w->known[w->n_known].n_dim = *empty ? -1 : m->n_dim;
		lt__names_add(w->memo, key, bytes, w->n_known++);
		return LT_OK;
	}
	*empty = w->known[found].n_dim < 0;
	if (!*empty)
		*m = w->known[found];
	return LT_OK;
}

int32_t lt__work_row_dim(const struct lt_map *m, int32_t row)
{
	const int64_t *at = m->row + (size_t)row * (size_t)lt__map_width(m);
	int32_t found = -1;

	for (int32_t i = 0; i < lt__map_width(m); i++) {
		if (!at[i])
			continue;
		if (found >= 0 || at[i] != 1 || i <= m->n_param || i > m->n_param + m->n_dim)
			return -1;
		found = i - 1 - m->n_param;
	}
	return found;
}

/* Whether a map over n's dims into `source` (NULL: nothing) is within 62 bits. */
static bool fits(
	struct lt_rewrite *w, const struct lt_nodedef *n, const struct lt_nodedef *source, const struct lt_map *m)
{
	int64_t extent[LT_MAX_RANK];

	for (int32_t i = 0; i < n->n_dim; i++)
		extent[i] = w->in->var[n->dim[i]].extent;
	return lt__piece_fits(w->in, w->arena, extent, source, m);
}

/* Appends a piece whose map is simplified; *open: whether anything is left after it. */
static lt_status add_piece(struct lt_rewrite *w, const struct lt_nodedef *n, const struct lt_graphpiece *from,
	const struct lt_nodedef *source, struct lt_graphpiece *to, int32_t *n_piece, bool *open)
{
	struct lt_graphpiece piece = *from;
	bool empty;

	if (!*open)
		return LT_OK;
	LT_TRY(simplify_piece(w, n->n_dim, n->dim, &piece.map, &empty));
	if (empty)
		return LT_OK;
	if (!fits(w, n, source, &piece.map))
		piece.map = from->map;
	*open = piece.map.n_guard > 0;
	to[(*n_piece)++] = piece;
	return LT_OK;
}

/* The operands that pieces still show, in the order of their first piece; `operand` is what piece.source counts. */
static void renumber(struct lt_rewrite *w, lt_node x, struct lt_nodedef *n, const lt_node *operand)
{
	lt_node *kept = LT_NEW(w->arena, lt_node, n->n_piece);
	int32_t n_kept = 0;

	for (int32_t i = 0; i < n->n_piece; i++) {
		lt_node source;

		if (n->piece[i].source < 0)
			continue;
		source = lt__work_find(w, operand[n->piece[i].source]);
		if (w->slot[source] >= n_kept || kept[w->slot[source]] != source) {
			w->slot[source] = n_kept;
			kept[n_kept++] = source;
		}
		n->piece[i].source = w->slot[source];
	}
	lt__work_set_operands(w, x, n_kept, kept);
	n->operand = kept;
	n->n_operand = n_kept;
}

/* A view without a source: one value everywhere is a copy of a literal, else the first piece shows a literal. */
static void give_source(struct lt_rewrite *w, struct lt_nodedef *n, lt_node *literal)
{
	bool one = true;

	for (int32_t i = 0; i < n->n_piece; i++) {
		if (n->piece[i].source >= 0)
			return;
		one &= n->piece[i].bits == n->piece[0].bits;
	}
	one &= n->n_piece == 0 || !n->has_fill || n->bits == n->piece[0].bits;
	*literal = lt__work_literal(w, n->dtype, n->n_piece ? n->piece[0].bits : n->bits);
	if (one)
		n->n_piece = 0;
	else
		n->piece[0].source = 0;
}

/* Takes over pieces that are simple already; `operand` is what their sources count. */
static void view_settle(struct lt_rewrite *w, lt_node x, struct lt_nodedef *n, const lt_node *operand, bool open)
{
	lt_node literal = -1, *one = NULL;

	n->has_fill &= open;
	if (!open && n->piece[n->n_piece - 1].source < 0) {     /* a value after everything else is the fill */
		n->bits = n->piece[--n->n_piece].bits;
		n->has_fill = true;
	}
	if (!n->has_fill)
		n->bits = 0;
	while (n->has_fill && n->n_piece && n->piece[n->n_piece - 1].source < 0 && n->piece[n->n_piece - 1].bits == n->bits)
		n->n_piece--;
	give_source(w, n, &literal);
	if (literal >= 0) {
		one = LT_NEW(w->arena, lt_node, 1);
		*one = literal;
		operand = one;
	}
	if (literal >= 0 && !n->n_piece) {
		lt__work_set_operands(w, x, 1, one);
		*n = (struct lt_nodedef){ .op = LT_OP_copy, .dtype = n->dtype, .n_operand = 1, .operand = one, .n_dim = n->n_dim,
			.dim = n->dim, .name = n->name, .line = n->line, .column = n->column };
	} else {
		renumber(w, x, n, operand);
	}
	w->node[x] = *n;
}

/* What a piece of a view shows; NULL: a value. */
static const struct lt_nodedef *source_of(
	const struct lt_rewrite *w, const struct lt_nodedef *view, const struct lt_graphpiece *p)
{
	return p->source < 0 ? NULL : &w->node[lt__work_find(w, view->operand[p->source])];
}

lt_status lt__work_tidy_view(struct lt_rewrite *w, lt_node x)
{
	struct lt_nodedef n = w->node[x];
	const struct lt_graphpiece *from = n.piece;
	int32_t n_from = n.n_piece;
	bool open = true;

	n.piece = LT_NEW(w->arena, struct lt_graphpiece, n_from);
	n.n_piece = 0;
	for (int32_t i = 0; i < n_from; i++)
		LT_TRY(add_piece(w, &n, &from[i], source_of(w, &n, &from[i]), n.piece, &n.n_piece, &open));
	view_settle(w, x, &n, n.operand, open);
	return LT_OK;
}

/* The guards of a map alone: where a fill of the view after it is shown. */
static struct lt_map guards_of(const struct lt_map *m)
{
	struct lt_map guards = *m;

	guards.n_row = 0;
	return guards;
}

/* Piece p shows view `from`: a piece for each of its, and its fill, where p applies. */
static lt_status compose_through(struct lt_rewrite *w, const struct lt_nodedef *n, const struct lt_graphpiece *p,
	const struct lt_nodedef *from, int32_t first_operand, struct lt_graphpiece *to, int32_t *n_piece, bool *open)
{
	bool all = false;

	for (int32_t j = 0; j < from->n_piece && !all; j++) {
		struct lt_graphpiece made = from->piece[j];

		made.source += made.source < 0 ? 0 : first_operand;
		LT_TRY(lt__map_compose(w->in->ctx, w->arena, &p->map, &from->piece[j].map, &made.map));
		if (!fits(w, n, source_of(w, from, &from->piece[j]), &made.map))
			return lt_fail(w->in->ctx, LT_EOVERFLOW, "the composed index of two views exceeds 62 bits");
		all = from->piece[j].map.n_guard == 0;
		LT_TRY(add_piece(w, n, &made, source_of(w, from, &from->piece[j]), to, n_piece, open));
	}
	if (!all && from->has_fill)
		LT_TRY(add_piece(w, n,
			&(struct lt_graphpiece){ .source = -1, .bits = from->bits, .map = guards_of(&p->map) }, NULL,
			to, n_piece, open));
	return LT_OK;
}

lt_status lt__work_compose(struct lt_rewrite *w, lt_node x, int32_t at, bool *done)
{
	struct lt_nodedef n = w->node[x];
	const struct lt_nodedef *from = &w->node[lt__work_find(w, n.operand[at])];
	const struct lt_graphpiece *old = n.piece;
	int32_t n_old = n.n_piece, max = 0, n_operand = n.n_operand + from->n_operand;
	lt_node *operand;
	lt_status status = LT_OK;
	bool open = true, narrow = true;

	*done = false;
	if (n_old > LT_MAX_PIECES || from->n_piece > LT_MAX_PIECES)
		return LT_OK;
	for (int32_t i = 0; i < n_old; i++) {
		max += old[i].source == at ? from->n_piece + 1 : 1;
		for (int32_t j = 0; j < from->n_piece && old[i].source == at; j++)
			narrow &= lt__map_width(&old[i].map) + from->piece[j].map.n_param + from->piece[j].map.n_div <= MAX_WIDTH;
	}
	if (max > LT_MAX_PIECES || !narrow)
		return LT_OK;
	operand = LT_NEW(w->arena, lt_node, n_operand);
	memcpy(operand, n.operand, sizeof *operand * (size_t)n.n_operand);
	for (int32_t i = 0; i < from->n_operand; i++)
		operand[n.n_operand + i] = from->operand[i];
	n.piece = LT_NEW(w->arena, struct lt_graphpiece, max);
	n.n_piece = 0;
	for (int32_t i = 0; i < n_old && !status; i++)
		status = old[i].source == at ? compose_through(w, &n, &old[i], from, n.n_operand, n.piece, &n.n_piece, &open)
			: add_piece(w, &n, &old[i], source_of(w, &n, &old[i]), n.piece, &n.n_piece, &open);
	if (status == LT_EOVERFLOW) {
		lt_context_clear(w->in->ctx);
		return LT_OK;
	}
	LT_TRY(status);
	view_settle(w, x, &n, operand, open);
	*done = w->changed = true;
	return LT_OK;
}
