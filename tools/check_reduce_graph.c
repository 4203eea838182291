/* tools/check_reduce_graph.c -- steps of the reducer: fewer results, states, nodes, pieces, scalars; smaller extents; plainer types. */
#include <string.h>
#include "tools/check_reduce.h"

#define COUNTED(k, n) if ((k) >= (n)) return REDUCE_NONE

static bool is_source(const struct lt_nodedef *n)
{
	return n->op == LT_OP_input || n->op == LT_OP_constant || n->op == LT_OP_state || n->op == LT_OP_lit;
}

/* All that reads or shows `from` takes `to` instead. */
static void redirect(struct lt_graph *g, lt_node from, lt_node to)
{
	for (lt_node x = 0; x < g->n_node; x++)
		for (int32_t i = 0; i < g->node[x].n_operand; i++)
			if (g->node[x].operand[i] == from)
				g->node[x].operand[i] = to;
	for (int32_t i = 0; i < g->n_result; i++)
		g->result[i].node = g->result[i].node == from ? to : g->result[i].node;
	for (int32_t i = 0; i < g->n_set; i++)
		g->set[i].value = g->set[i].value == from ? to : g->set[i].value;
	for (lt_param p = 0; p < g->n_param; p++)
		g->param[p].source = g->param[p].source == from ? to : g->param[p].source;
}

/* First each result alone, without what states become; then each one less. */
static enum reduce_made results(struct lt_graph *g, int64_t k)
{
	COUNTED(k, 2 * (int64_t)g->n_result);
	if (g->n_result == 1 && (!g->n_set || k > 0))
		return REDUCE_NOT;
	if (k < g->n_result) {
		g->result[0] = g->result[k];
		g->n_result = 1;
		g->n_set = 0;
		return REDUCE_MADE;
	}
	k -= g->n_result--;
	memmove(g->result + k, g->result + k + 1, sizeof *g->result * (size_t)(g->n_result - k));
	return REDUCE_MADE;
}

static enum reduce_made sets(struct lt_graph *g, int64_t k)
{
	COUNTED(k, g->n_set);
	g->set[k] = g->set[--g->n_set];
	return REDUCE_MADE;
}

/* A result shows an operand of what it showed. */
static enum reduce_made results_up(struct lt_graph *g, int64_t k)
{
	for (int32_t r = 0; r < g->n_result; r++) {
		const struct lt_nodedef *n = &g->node[g->result[r].node];
		if (k < n->n_operand) {
			g->result[r].node = n->operand[k];
			return REDUCE_MADE;
		}
		k -= n->n_operand;
	}
	return REDUCE_NONE;
}

static void make_input(struct lt_graph *g, struct lt_nodedef *n)
{
	*n = (struct lt_nodedef){ .op = LT_OP_input, .dtype = n->dtype, .n_dim = n->n_dim, .dim = n->dim, .name = n->name,
		.label = lt__arena_format(g->arena, "%s", n->name) };
}

/* What a node computes is given instead; the last nodes first, which cuts most. */
static enum reduce_made reduce_cut(struct lt_graph *g, int64_t k)
{
	COUNTED(k, g->n_node);
	struct lt_nodedef *n = &g->node[g->n_node - 1 - k];
	if (is_source(n))
		return REDUCE_NOT;
	make_input(g, n);
	return REDUCE_MADE;
}

/* An operand of the same type takes a node's place. */
static enum reduce_made bypass(struct lt_graph *g, int64_t k)
{
	enum { MOST = 4 };
	COUNTED(k / MOST, g->n_node);
	lt_node x = g->n_node - 1 - (lt_node)(k / MOST);
	const struct lt_nodedef *n = &g->node[x];
	if (k % MOST >= n->n_operand || g->node[n->operand[k % MOST]].dtype != n->dtype)
		return REDUCE_NOT;
	redirect(g, x, n->operand[k % MOST]);
	return REDUCE_MADE;
}

static enum reduce_made inputs(struct lt_graph *g, int64_t k)
{
	COUNTED(k, g->n_node);
	struct lt_nodedef *n = &g->node[k];
	if (n->op != LT_OP_constant && n->op != LT_OP_state)
		return REDUCE_NOT;
	for (int32_t i = 0; i < g->n_set; i++)
		if (g->set[i].state == k)
			return REDUCE_NOT;
	make_input(g, n);
	return REDUCE_MADE;
}

static enum reduce_made limits(struct lt_graph *g, int64_t k)
{
	COUNTED(k, g->n_var);
	if (!g->var[k].bounded)
		return REDUCE_NOT;
	g->var[k].bounded = false;
	return REDUCE_MADE;
}

static enum reduce_made requires(struct lt_graph *g, int64_t k)
{
	COUNTED(k, g->n_require);
	g->require[k] = g->require[--g->n_require];
	return REDUCE_MADE;
}

static void linear_forget(struct lt_linear *l, lt_param p)
{
	for (int32_t i = l->n - 1; i >= 0; i--)
		if (l->param[i] == p) {
			l->param[i] = l->param[l->n - 1];
			l->coef[i] = l->coef[--l->n];
		}
}

/* Rows without what they have of a column. */
static const int64_t *zeroed(struct lt_graph *g, const int64_t *from, int32_t n, int32_t width, int32_t column)
{
	int64_t *out = lt__arena_copy(g->arena, from, sizeof *out * (size_t)n * (size_t)width);
	for (int32_t i = 0; i < n; i++)
		out[i * width + column] = 0;
	return out;
}

/* A run-time scalar is 0 wherever it is read. */
static enum reduce_made scalars(struct lt_graph *g, int64_t k)
{
	COUNTED(k, g->n_param);
	for (lt_var v = 0; v < g->n_var; v++)
		if (g->var[v].bounded)
			linear_forget(&g->var[v].limit, (lt_param)k);
	for (int32_t i = 0; i < g->n_require; i++)
		linear_forget(&g->require[i].value, (lt_param)k);
	for (lt_node x = 0; x < g->n_node; x++) {
		struct lt_nodedef *n = &g->node[x];
		for (int32_t i = 0; n->op == LT_OP_update && i < n->n_dim; i++)
			n->at[i] = n->at[i] == k ? -1 : n->at[i];
		for (int32_t i = 0; i < n->n_piece; i++) {
			struct lt_map *m = &n->piece[i].map;
			int32_t width = lt__map_width(m);
			for (int32_t c = m->n_param; c > 0; c--)
				if (m->param[c - 1] == k) {
					m->guard = zeroed(g, m->guard, m->n_guard, width, c);
					m->row = zeroed(g, m->row, m->n_row, width, c);
					m->div = zeroed(g, m->div, m->n_div, 1 + width, 1 + c);
				}
		}
	}
	return REDUCE_MADE;
}

static enum reduce_made ranges(struct lt_graph *g, int64_t k)
{
	COUNTED(k / 2, g->n_param);
	struct lt_paramdef *p = &g->param[k / 2];
	int64_t high = k % 2 ? p->low + (p->high - p->low) / 2 : p->low;
	if (high >= p->high)
		return REDUCE_NOT;
	p->high = high;
	return REDUCE_MADE;
}

/* Index row i of a piece stays below the extent: by the guard that says so already, or by a new one. */
static void hold_below(struct lt_graph *g, struct lt_nodedef *view, struct lt_map *m, int32_t i, int64_t extent)
{
	int32_t width = lt__map_width(m), c = 0;
	const int64_t *row = m->row + (int64_t)i * width;
	int64_t *guard = LT_NEW(g->arena, int64_t, (int64_t)(m->n_guard + 1) * width);
	memcpy(guard, m->guard, sizeof *guard * (size_t)m->n_guard * (size_t)width);
	m->guard = guard;
	for (int32_t k = 0; k < m->n_guard; k++, guard += width) {
		for (c = 1; c < width && guard[c] == -row[c]; c++)
			;
		if (c == width) {
			guard[0] = guard[0] + row[0] < extent ? guard[0] : extent - 1 - row[0];
			return;
		}
	}
	for (c = 1; c < width; c++)
		guard[c] = -row[c];
	guard[0] = extent - 1 - row[0];
	m->n_guard++;
	view->bits = view->has_fill ? view->bits : 0;
	view->has_fill = true;
}

/* Views of what is smaller read no further: by their guards, where k is odd, else by what they are. */
static enum reduce_made shrink(struct lt_graph *g, int64_t k)
{
	static const int64_t sizes[] = { 1, 2, 3, 4, 5, 7, 8, 16 };
	enum { N = sizeof sizes / sizeof *sizes };
	int64_t v = k / 2 / (N + 2), i = k / 2 % (N + 2);
	COUNTED(v, g->n_var);
	int64_t now = g->var[v].extent, size = i < N ? sizes[i] : i == N ? now / 2 : now - 1;
	if (size < 1 || size >= now)
		return REDUCE_NOT;
	g->var[v].extent = size;
	for (lt_node x = 0; k % 2 && x < g->n_node; x++) {
		struct lt_nodedef *n = &g->node[x];
		for (int32_t p = 0; p < n->n_piece; p++) {
			const struct lt_nodedef *from = n->piece[p].source < 0 ? NULL : &g->node[n->operand[n->piece[p].source]];
			for (int32_t d = 0; from && d < from->n_dim; d++)
				if (from->dim[d] == v)
					hold_below(g, n, &n->piece[p].map, d, size);
		}
	}
	return REDUCE_MADE;
}

static enum reduce_made pieces(struct lt_graph *g, int64_t k)
{
	for (lt_node x = 0; x < g->n_node; x++) {
		struct lt_nodedef *n = &g->node[x];
		if (k < n->n_piece) {
			if (n->n_piece == 1)
				return REDUCE_NOT;
			n->n_piece--;
			memmove(n->piece + k, n->piece + k + 1, sizeof *n->piece * (size_t)(n->n_piece - k));
			return REDUCE_MADE;
		}
		k -= n->n_piece;
	}
	return REDUCE_NONE;
}

static enum reduce_made guards(struct lt_graph *g, int64_t k)
{
	for (lt_node x = 0; x < g->n_node; x++)
		for (int32_t i = 0; i < g->node[x].n_piece; i++) {
			struct lt_map *m = &g->node[x].piece[i].map;
			int32_t width = lt__map_width(m);
			if (k < m->n_guard) {
				int64_t *guard = lt__arena_copy(g->arena, m->guard, sizeof *guard * (size_t)m->n_guard * (size_t)width);
				memmove(guard + k * width, guard + (k + 1) * width, sizeof *guard * (size_t)(m->n_guard - 1 - k) * (size_t)width);
				m->guard = guard;
				m->n_guard--;
				return REDUCE_MADE;
			}
			k -= m->n_guard;
		}
	return REDUCE_NONE;
}

static uint64_t convert(uint64_t bits, enum lt_dtype from, enum lt_dtype to)
{
	return lt__bits_of(lt__convert(lt__scalar_of(bits, from), from, to), to);
}

/* A type becomes f32, or i32, wherever it stands; casts to the same type go. */
static enum reduce_made types(struct lt_graph *g, int64_t k)
{
	enum lt_dtype from = (enum lt_dtype)(k + 1), to;
	bool seen = false;
	COUNTED(k + 1, LT_NDTYPE);
	to = lt__dtype_info(from)->cls == LT_CLASS_FLOAT ? LT_F32 : LT_I32;
	if (from == to || from == LT_BOOL)
		return REDUCE_NOT;
	for (lt_node x = 0; x < g->n_node; x++) {
		struct lt_nodedef *n = &g->node[x];
		if (n->dtype != from)
			continue;
		seen = true;
		n->dtype = to;
		if (n->op == LT_OP_lit || (n->op == LT_OP_view && n->has_fill))
			n->bits = convert(n->bits, from, to);
		for (int32_t i = 0; i < n->n_piece; i++)
			if (n->piece[i].source < 0)
				n->piece[i].bits = convert(n->piece[i].bits, from, to);
	}
	for (lt_node x = 0; x < g->n_node; x++)
		if (g->node[x].op == LT_OP_cast && g->node[g->node[x].operand[0]].dtype == g->node[x].dtype)
			redirect(g, x, g->node[x].operand[0]);
	return seen ? REDUCE_MADE : REDUCE_NOT;
}

/* What cuts most stands first. */
const struct reduce_kind lt__reduce_kinds[] = {
	{ "results", results }, { "results of operands", results_up }, { "inputs for nodes", reduce_cut }, { "operands for nodes", bypass },
	{ "states", sets }, { "limits", limits }, { "requirements", requires }, { "scalars", scalars }, { "ranges", ranges },
	{ "extents", shrink }, { "pieces", pieces }, { "types", types }, { "inputs", inputs }, { "guards", guards }, { NULL, NULL }
};
