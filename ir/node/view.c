/* view.c -- views: the general one, and those that move whole axes. */
#include <string.h>
#include "ir/node/node.h"
#include "ir/node/parts.h"
#include "ir/map/map.h"

/* The operand that shows `source`, added where it is new.  Only the latest are searched: an operand that occurs twice
 * is not an error, and a concatenation of very many stays linear. */
static int32_t operand_of(struct lt_nodedef *def, lt_node source)
{
	for (int32_t i = def->n_operand; i-- > 0 && i > def->n_operand - 64;)
		if (def->operand[i] == source)
			return i;
	def->operand[def->n_operand] = source;
	return def->n_operand++;
}

static uint64_t bits_of_type(uint64_t bits, enum lt_dtype t)
{
	return bits & UINT64_MAX >> (64 - 8 * lt__dtype_info(t)->bytes);
}

/* The sizes by which the arrays of a caller's map are read. */
static bool has_sizes(const struct lt_graph *g, const struct lt_map *m, int32_t n_dim, int32_t piece)
{
	bool good = m->n_dim == n_dim && m->n_param >= 0 && m->n_div >= 0 && m->n_guard >= 0 && m->n_row >= 0
		&& m->n_param <= LT_MAX_WIDTH && m->n_div <= LT_MAX_WIDTH && n_dim <= LT_MAX_RANK;

	if (!good)
		lt__graph_fail(g, LT_EINVAL,
			"the map of piece %d, with %d params, %d dims, %d divisions, %d guards and %d rows, does not "
			"fit a view of %d dims",
			piece, m->n_param, m->n_dim, m->n_div, m->n_guard, m->n_row, n_dim);
	return good;
}

static lt_node add_view(struct lt_graph *g, int32_t n_dim, const lt_var *dims, int32_t n_piece,
	const struct lt_view_piece *piece, uint64_t fill_bits, bool has_fill)
{
	struct lt_nodedef def = { .op = LT_OP_view, .has_fill = has_fill, .line = g->line, .column = g->column };

	def.operand = LT_NEW(g->arena, lt_node, n_piece > 0 ? n_piece : 0);
	def.piece = LT_NEW(g->arena, struct lt_graphpiece, n_piece > 0 ? n_piece : 0);
	for (int32_t i = 0; i < n_dim; i++)
		if (dims[i] == -1)
			return -1;
	for (int32_t i = 0; i < n_piece; i++) {
		bool immediate = piece[i].source == LT_OMIT && !piece[i].map.n_row;

		if (!lt__graph_given(g, piece[i].source, "the source of a piece")
			|| (!immediate && !lt__graph_has(g, piece[i].source)) || !has_sizes(g, &piece[i].map, n_dim, i))
			return -1;
		def.piece[i].source = immediate ? -1 : operand_of(&def, piece[i].source);
		def.piece[i].map = lt__map_copy(g->arena, &piece[i].map);
	}
	if (!def.n_operand) {
		lt__graph_fail(g, LT_EINVAL, "a view needs a piece with a source");
		return -1;
	}
	def.n_piece = n_piece;
	def.dtype = g->node[def.operand[0]].dtype;
	def.bits = has_fill ? bits_of_type(fill_bits, def.dtype) : 0;
	for (int32_t i = 0; i < n_piece; i++)
		if (def.piece[i].source < 0)
			def.piece[i].bits = bits_of_type(piece[i].bits, def.dtype);
	def.n_dim = n_dim;
	def.dim = lt__arena_copy(g->arena, dims, sizeof *dims * (size_t)(n_dim > 0 ? n_dim : 0));
	return lt__graph_adopt(g, &def);
}

lt_node lt_graph_view(struct lt_graph *g, int32_t n_dim, const lt_var *dims, int32_t n_piece,
	const struct lt_view_piece *piece, uint64_t fill_bits, int has_fill)
{
	lt_node x = -1;

	LT_GUARDED(g->ctx, x, add_view(g, n_dim, dims, n_piece, piece, fill_bits, has_fill != 0));
	return x;
}

lt_node lt__build_view(struct lt_graph *g, lt_node source, int32_t n_dim, lt_var *dims, const struct lt_map *map,
	uint64_t bits)
{
	struct lt_nodedef def = { .op = LT_OP_view, .dtype = g->node[source].dtype, .line = g->line, .column = g->column };

	def.n_operand = def.n_piece = 1;
	def.operand = lt__arena_copy(g->arena, &source, sizeof source);
	def.piece = LT_NEW(g->arena, struct lt_graphpiece, 1);
	def.piece->map = *map;
	def.has_fill = map->n_guard > 0;
	def.bits = def.has_fill ? bits_of_type(bits, def.dtype) : 0;
	def.n_dim = n_dim;
	def.dim = dims;
	return lt__graph_adopt(g, &def);
}

bool lt__graph_has_axis(const struct lt_graph *g, lt_node x, int32_t axis)
{
	if (!lt__graph_has(g, x))
		return false;
	if (axis >= 0 && axis < g->node[x].n_dim)
		return true;
	lt__graph_fail(g, LT_EINVAL, "'%.200s' (%s) has no axis %d", g->node[x].name, lt__node_shape_text(g, x), axis);
	return false;
}

lt_node lt__build_rename(struct lt_graph *g, lt_node x, int32_t n, const lt_var *dims)
{
	struct lt_map map;
	bool same = true;

	if (!lt__graph_has(g, x))
		return -1;
	if (n != g->node[x].n_dim) {
		lt__graph_fail(g, LT_ETYPE, "'%.200s' (%s) cannot be renamed to %d dims", g->node[x].name,
			lt__node_shape_text(g, x), n);
		return -1;
	}
	for (int32_t i = 0; i < n; i++) {
		lt_var v = g->node[x].dim[i];

		if (dims[i] == -1)
			return -1;
		if (dims[i] < 0 || dims[i] >= g->n_var || !lt__var_same_range(g, v, dims[i])) {
			lt__graph_fail(g, LT_ETYPE,
				"dim %d of '%.200s' (%s) cannot be renamed to '%.100s' of extent %lld: the extents "
				"differ",
				i, g->node[x].name, lt__node_shape_text(g, x),
				dims[i] >= 0 && dims[i] < g->n_var ? g->var[dims[i]].name : "?",
				(long long)lt_var_extent(g, dims[i]));
			return -1;
		}
		same &= dims[i] == v;
	}
	if (same)
		return x;
	map = lt__map_identity(g->arena, n);
	return lt__build_view(g, x, n, lt__arena_copy(g->arena, dims, sizeof *dims * (size_t)n), &map, 0);
}

lt_node lt_graph_rename(struct lt_graph *g, lt_node x, int32_t n, const lt_var *dims)
{
	lt_node y = -1;

	LT_GUARDED(g->ctx, y, lt__build_rename(g, x, n, dims));
	return y;
}

static lt_node add_permute(struct lt_graph *g, lt_node x, int32_t n, const int32_t *perm)
{
	struct lt_map map;
	bool same = true;
	int32_t *from;
	lt_var *dims;

	if (!lt__graph_has(g, x))
		return -1;
	if (n != g->node[x].n_dim) {
		lt__graph_fail(g, LT_ETYPE, "a permutation of %d axes does not fit '%.200s' (%s)", n, g->node[x].name,
			lt__node_shape_text(g, x));
		return -1;
	}
	from = LT_NEW(g->arena, int32_t, n);
	dims = LT_NEW(g->arena, lt_var, n);
	memset(from, -1, sizeof *from * (size_t)n);
	for (int32_t i = 0; i < n; i++) {
		if (perm[i] < 0 || perm[i] >= n || from[perm[i]] >= 0) {
			lt__graph_fail(g, LT_EINVAL, "entry %d of the permutation of '%.200s' is axis %d: each of the %d axes must occur "
				"once", i, g->node[x].name, perm[i], n);
			return -1;
		}
		from[perm[i]] = i;
		dims[i] = g->node[x].dim[perm[i]];
		same &= perm[i] == i;
	}
	if (same)
		return x;
	map = lt__map_select(g->arena, n, n, from, NULL);
	return lt__build_view(g, x, n, dims, &map, 0);
}

lt_node lt_graph_permute(struct lt_graph *g, lt_node x, int32_t n, const int32_t *perm)
{
	lt_node y = -1;

	LT_GUARDED(g->ctx, y, add_permute(g, x, n, perm));
	return y;
}

static bool same_but(const struct lt_graph *g, lt_node a, lt_node b, int32_t axis)
{
	const struct lt_nodedef *n = &g->node[a], *m = &g->node[b];

	if (n->dtype != m->dtype || n->n_dim != m->n_dim)
		return false;
	for (int32_t i = 0; i < n->n_dim; i++)
		if (i != axis && !lt__var_same_range(g, n->dim[i], m->dim[i]))
			return false;
	return true;
}

/* The extent of a concatenation; -1 with a sentence. */
static int64_t joined_extent(struct lt_graph *g, int32_t axis, int32_t n, const lt_node *x)
{
	int64_t sum = 0;

	for (int32_t i = 0; i < n; i++) {
		const struct lt_vardef *v;

		if (!lt__graph_has_axis(g, x[i], axis))
			return -1;
		v = &g->var[g->node[x[i]].dim[axis]];
		if (!same_but(g, x[0], x[i], axis)) {
			lt__graph_fail(g, LT_ETYPE, "'%.200s' (%s of %s) and '%.200s' (%s of %s) cannot be joined along axis %d: type "
				"and other dims must be equal", g->node[x[0]].name, lt__dtype_info(g->node[x[0]].dtype)->name,
				lt__node_shape_text(g, x[0]), g->node[x[i]].name, lt__dtype_info(g->node[x[i]].dtype)->name,
				lt__node_shape_text(g, x[i]), axis);
			return -1;
		}
		if (v->bounded && n > 1) {
			lt__graph_fail(g, LT_EUNSUPPORTED,
				"axis %d of '%.200s' is bounded by a run-time scalar and cannot be joined: join first, "
				"then slice",
				axis, g->node[x[i]].name);
			return -1;
		}
		if (__builtin_add_overflow(sum, v->extent, &sum)) {
			lt__graph_fail(g, LT_EOVERFLOW, "the joined axis exceeds 63 bits");
			return -1;
		}
	}
	return sum;
}

/* Piece i shows x[i] where begin <= position < end along the axis. */
static lt_node add_concat(struct lt_graph *g, int32_t axis, int32_t n, const lt_node *x)
{
	struct lt_nodedef def = { .op = LT_OP_view, .line = g->line, .column = g->column };
	int64_t extent, begin = 0;
	int32_t rank, *at;

	if (n < 1) {
		lt__graph_fail(g, LT_EINVAL, "a concatenation of nothing");
		return -1;
	}
	extent = joined_extent(g, axis, n, x);
	if (extent < 0)
		return -1;
	if (n == 1)
		return x[0];
	rank = g->node[x[0]].n_dim;
	def.dtype = g->node[x[0]].dtype;
	def.n_dim = rank;
	def.dim = lt__arena_copy(g->arena, g->node[x[0]].dim, sizeof *def.dim * (size_t)rank);
	def.dim[axis] = lt__var_like(g, def.dim[axis], extent, NULL);
	def.operand = LT_NEW(g->arena, lt_node, n);
	def.piece = LT_NEW(g->arena, struct lt_graphpiece, n);
	def.n_piece = n;
	at = LT_NEW(g->arena, int32_t, rank);
	for (int32_t i = 0; i < rank; i++)
		at[i] = i;
	for (int32_t i = 0; i < n; i++) {
		int64_t end = begin + g->var[g->node[x[i]].dim[axis]].extent;
		struct lt_map *map = &def.piece[i].map;
		int64_t add[LT_MAX_RANK] = { 0 }, *guard = LT_NEW(g->arena, int64_t, 2 * (rank + 1));

		add[axis] = -begin;
		*map = lt__map_select(g->arena, rank, rank, at, add);
		map->guard = guard;
		if (i > 0) {
			guard[0] = -begin, guard[1 + axis] = 1;
			map->n_guard++, guard += rank + 1;
		}
		if (i < n - 1) {
			guard[0] = end - 1, guard[1 + axis] = -1;
			map->n_guard++;
		}
		def.piece[i].source = operand_of(&def, x[i]);
		begin = end;
	}
	return lt__graph_adopt(g, &def);
}

lt_node lt_graph_concat(struct lt_graph *g, int32_t axis, int32_t n, const lt_node *x)
{
	lt_node y = -1;

	LT_GUARDED(g->ctx, y, add_concat(g, axis, n, x));
	return y;
}
