/* order.c -- the order of dims of what lies between layers: which of them runs along memory.
 *
 * Where one factor of a sum of products is constant, its own dim runs along memory in the sum, as the constant can be
 * packed so before the first run: the channels of a convolution, in place of its pixels.  Any number of pixels then
 * fills vectors, and what reads the sum (a pointwise operator, a pool, a convolution by channels) follows it; what such
 * a reader reads of a constant, as the weights of a convolution by channels, is copied in the same order before the
 * first run.  Dims that a reshape puts together lie together before it.  What is computed for a result alone has its
 * order.  Vars are named, so the order of a value's dims has no meaning; results, states and what is updated keep
 * theirs.
 */
#include <string.h>
#include "ir/node/node.h"
#include "ir/pass/pass.h"

enum { MIN_CHANNELS = 8 };              /* fewer do not fill vectors; the dims stay as they are */

struct dim_order {
	const struct lt_graph *g;
	struct lt_arena *arena;
	/* by node; shown: pinned since a view is that is computed with; moved: its dims are in another order than before;
	 * laid: channels of a product run along memory as it is, or as what it follows is */
	bool *pinned, *shown, *constant, *moved, *laid;
	int32_t **at;                           /* by node: which of its old dims is dim i */
	lt_node *view;                          /* by node: the view that alone reads it; -1 */
	lt_node *result;                        /* by node: what it is computed for alone; -1 */
	lt_node *copy;                          /* by node, of a constant one: what is copied of it in another order; -1 */
};

/* The constant factor of a sum of products, and in *other what it is multiplied by; -1: it is no such sum. */
static lt_node constant_factor(const struct dim_order *s, const struct lt_nodedef *n, lt_node *other)
{
	const struct lt_nodedef *mul = n->n_operand ? &s->g->node[n->operand[0]] : n;

	if (!n->reduce || n->op != LT_OP_add || mul->op != LT_OP_mul || mul->reduce)
		return -1;
	for (int i = 0; i < 2; i++) {
		*other = mul->operand[1 - i];
		if (s->constant[mul->operand[i]] && !s->constant[*other])
			return mul->operand[i];
	}
	return -1;
}

/* Whether node n multiplies by a constant that has dims of the result alone. */
static bool has_channels(const struct dim_order *s, const struct lt_nodedef *n)
{
	lt_node other, constant = constant_factor(s, n, &other);

	for (int32_t i = 0; constant >= 0 && i < n->n_dim; i++)
		if (lt__node_axis(&s->g->node[constant], n->dim[i]) >= 0 && lt__node_axis(&s->g->node[other], n->dim[i]) < 0)
			return true;
	return false;
}

/* What a caller sees, or is addressed by the place of a dim, and what is computed for it alone, up to a product that
 * could have any order; which of the former that is, of what has all of its dims. */
static void find_pinned(struct dim_order *s)
{
	const struct lt_graph *g = s->g;
	int32_t *readers = LT_NEW(s->arena, int32_t, g->n_node);

	for (int32_t i = 0; i < g->n_result; i++)
		s->pinned[g->result[i].node] = true;
	for (int32_t i = 0; i < g->n_set; i++)
		s->pinned[g->set[i].value] = true;
	for (lt_param p = 0; p < g->n_param; p++)
		s->pinned[g->param[p].source] = true;
	for (lt_node x = g->n_node - 1; x >= 0; x--) {
		const struct lt_nodedef *n = &g->node[x];

		s->pinned[x] |= n->op == LT_OP_input || n->op == LT_OP_constant || n->op == LT_OP_state || n->op == LT_OP_update;
		for (int32_t i = 0; i < n->n_operand; i++) {
			readers[n->operand[i]]++;
			s->pinned[n->operand[i]] |= n->op == LT_OP_update;
		}
	}
	for (lt_node x = 0; x < g->n_node; x++)
		s->result[x] = -1;
	for (lt_node x = g->n_node - 1; x >= 0; x--) {
		const struct lt_nodedef *n = &g->node[x];

		for (int32_t i = 0; s->pinned[x] && i < n->n_operand; i++) {
			const lt_node of = n->operand[i];
			const bool alone = readers[of] == 1 && (lt__node_is_pointwise(n) || (n->reduce && !has_channels(s, n)));

			if (alone && !s->pinned[of] && g->node[of].n_dim >= n->n_dim)
				s->result[of] = s->result[x] < 0 ? x : s->result[x];
			if (n->op == LT_OP_view || alone)
				s->shown[of] = (s->shown[of] || !s->pinned[of]) && n->op == LT_OP_view && s->result[x] >= 0;
			s->pinned[of] |= n->op == LT_OP_view || alone;
		}
	}
}

/* Moves those dims behind the others; false: there are none, or too few elements of them. */
static bool channels_last(const struct dim_order *s, const struct lt_nodedef *n, int32_t *at)
{
	lt_node other, constant = constant_factor(s, n, &other);
	int32_t first = 0, last = n->n_dim;
	int64_t elems = 1;

	if (constant < 0)
		return false;
	for (int32_t i = 0; i < n->n_dim; i++) {
		bool in = lt__node_axis(&s->g->node[constant], n->dim[i]) >= 0;

		if (in && lt__node_axis(&s->g->node[other], n->dim[i]) >= 0)
			return false;           /* a batch of products */
		elems *= in ? s->g->var[n->dim[i]].extent : 1;
	}
	if (elems < MIN_CHANNELS || (n->n_dim && lt__node_axis(&s->g->node[constant], n->dim[n->n_dim - 1]) >= 0))
		return false;
	for (int32_t i = n->n_dim; i-- > 0;)
		if (lt__node_axis(&s->g->node[constant], n->dim[i]) >= 0)
			at[--last] = i;
	for (int32_t i = 0; i < n->n_dim; i++)
		if (lt__node_axis(&s->g->node[constant], n->dim[i]) < 0)
			at[first++] = i;
	return true;
}

/* Where var v is among the dims, in their new order, of what operand x reads: itself, or the first source of a view;
 * -1: nowhere. */
static int32_t position_of(const struct dim_order *s, lt_node x, lt_var v)
{
	const struct lt_nodedef *n = &s->g->node[x];
	int32_t d = lt__node_axis(n, v);

	if (d < 0)
		return -1;
	if (n->op != LT_OP_view) {
		for (int32_t i = 0; i < n->n_dim; i++)
			if (s->at[x][i] == d)
				return i;
		return -1;
	}
	for (int32_t p = 0; p < n->n_piece; p++) {
		const struct lt_map *m = &n->piece[p].map;
		const lt_node source = n->piece[p].source < 0 ? -1 : n->operand[n->piece[p].source];

		for (int32_t i = 0; source >= 0 && i < m->n_row; i++)
			if (m->row[(size_t)s->at[source][i] * (size_t)lt__map_width(m) + (size_t)(1 + m->n_param + d)])
				return i;
	}
	return -1;
}

/* Whether what x is, or shows, is in another order than before. */
static bool has_moved(const struct dim_order *s, lt_node x)
{
	const struct lt_nodedef *n = &s->g->node[x];
	bool moved = s->moved[x];

	for (int32_t i = 0; n->op == LT_OP_view && i < n->n_operand; i++)
		moved |= s->moved[n->operand[i]];
	return moved;
}

/* The order of the result that it is computed for alone; what is reduced before that stands before its last dim, which
 * still runs along memory. */
static bool follow_result(const struct dim_order *s, lt_node x, int32_t *at)
{
	const struct lt_nodedef *n = &s->g->node[x], *result = s->result[x] < 0 ? NULL : &s->g->node[s->result[x]];
	int32_t k = 0;
	bool other = false;             /* it has them in another order */

	if (!result || (!lt__node_is_pointwise(n) && !n->reduce))
		return false;
	for (int32_t i = 0; i < result->n_dim; i++) {
		const int32_t d = lt__node_axis(n, result->dim[i]);

		if (d < 0)
			return false;
		other |= i > 0 && d < lt__node_axis(n, result->dim[i - 1]);
	}
	if (!other)
		return false;
	for (int32_t i = 0; i + 1 < result->n_dim; i++)
		at[k++] = lt__node_axis(n, result->dim[i]);
	for (int32_t i = 0; i < n->n_dim; i++)
		if (lt__node_axis(result, n->dim[i]) < 0)
			at[k++] = i;
	at[k] = lt__node_axis(n, result->dim[result->n_dim - 1]);
	return true;
}

/* The order of the first operand that has another one than before (laid: that is laid), and all dims. */
static bool follow(const struct dim_order *s, const struct lt_nodedef *n, bool laid, int32_t *at)
{
	int32_t place[LT_MAX_RANK];

	for (int32_t i = 0; i < n->n_operand; i++) {
		bool all = laid ? s->laid[n->operand[i]] : has_moved(s, n->operand[i]);

		for (int32_t d = 0; d < n->n_dim && all; d++)
			all = (place[d] = position_of(s, n->operand[i], n->dim[d])) >= 0;
		for (int32_t d = 0; all && d < n->n_dim; d++) {
			int32_t k = d;

			for (; k > 0 && place[at[k - 1]] > place[d]; k--)
				at[k] = at[k - 1];
			at[k] = d;
		}
		if (all)
			return true;
	}
	return false;
}

/* Whether the last dim of a product is one of its constant factor alone. */
static bool ends_in_channels(const struct dim_order *s, const struct lt_nodedef *n)
{
	lt_node other, constant = constant_factor(s, n, &other);
	const lt_var last = constant >= 0 && n->n_dim ? n->dim[n->n_dim - 1] : -1;

	return last >= 0 && lt__node_axis(&s->g->node[constant], last) >= 0 && lt__node_axis(&s->g->node[other], last) < 0;
}

/* A product whose channels run along memory as it is, rounded to halves, lies as it does: they are read where they lie,
 * by a library, too, as the keys of attention are.  A float32 in another order keeps that: it is packed anyway, where
 * it is a factor. */
static bool follow_laid(struct dim_order *s, lt_node x, int32_t *at)
{
	const struct lt_nodedef *n = &s->g->node[x];
	bool same = true;

	s->laid[x] = ends_in_channels(s, n);
	if (!lt__node_is_pointwise(n) || !follow(s, n, true, at))
		return false;
	for (int32_t i = 0; i < n->n_dim; i++)
		same &= at[i] == i;
	return s->laid[x] = same || lt_dtype_bytes(n->dtype) == 2;
}

/* The order of what has all dims of a pointwise node, where a permutation was read past: a cast of an image that lies
 * with its channels inside lies so, too. */
static bool follow_read(const struct dim_order *s, const struct lt_nodedef *n, int32_t *at)
{
	int32_t last = -1;              /* the operand that has them, one alone */

	for (int32_t i = 0; i < n->n_operand; i++)
		if (s->g->node[n->operand[i]].n_dim == n->n_dim && s->g->node[n->operand[i]].op != LT_OP_view)
			last = last < 0 ? i : n->n_operand;
	if (last < 0 || last >= n->n_operand || !lt__node_is_pointwise(n))
		return false;
	for (int32_t d = 0; d < n->n_dim; d++) {
		const int32_t place = position_of(s, n->operand[last], n->dim[d]);

		if (place < 0)
			return false;
		at[place] = d;
	}
	return true;
}

/* -- what a reshape puts together -- */

/* The views that alone read their source, by source; -1: there is none, or others read it, too. */
static void find_views(struct dim_order *s)
{
	bool *read = LT_NEW(s->arena, bool, s->g->n_node);

	for (lt_node x = 0; x < s->g->n_node; x++) {
		const struct lt_nodedef *n = &s->g->node[x];

		s->view[x] = -1;
		for (int32_t i = 0; i < n->n_operand; i++) {
			s->view[n->operand[i]] = !read[n->operand[i]] && n->op == LT_OP_view ? x : -1;
			read[n->operand[i]] = true;
		}
	}
}

/* The one dim that a row is made of, and by how much that is divided first; -1: it is made of several. */
static int32_t dim_of_row(const struct lt_map *m, int32_t r, int64_t *unit)
{
	const size_t width = (size_t)lt__map_width(m), first = 1 + (size_t)m->n_param, divs = first + (size_t)m->n_dim;
	const int64_t *row = m->row + (size_t)r * width;
	int32_t found = -1;

	*unit = INT64_MAX;
	for (int32_t q = -1; q < m->n_div; q++) {
		const int64_t *div = q < 0 ? row : m->div + (size_t)q * (width + 1) + 1;

		if (q >= 0 && !row[divs + (size_t)q])
			continue;
		for (int32_t k = 0; q >= 0 && k < m->n_div; k++)
			if (div[divs + (size_t)k])
				return -1;
		for (int32_t d = 0; d < m->n_dim; d++) {
			int64_t by = q < 0 ? 1 : div[-1];

			if (!div[first + (size_t)d])
				continue;
			if (found >= 0 && found != d)
				return -1;
			found = d;
			*unit = by < *unit ? by : *unit;
		}
	}
	return found;
}

/* Where the one reader of a value is a view that makes one dim of several, these come together, and in that order, so
 * that it reads one run of memory: the heads of attention.  The last dim stays the last. */
static bool join_dims(const struct dim_order *s, lt_node x, int32_t *at)
{
	const struct lt_nodedef *n = &s->g->node[x], *view = s->view[x] < 0 ? NULL : &s->g->node[s->view[x]];
	const struct lt_map *m = view ? &view->piece[0].map : NULL;
	int32_t dim[LT_MAX_RANK];
	int64_t unit[LT_MAX_RANK];
	bool joins = false;

	if (!view || view->n_piece != 1 || m->n_guard || !m->n_div || m->n_row != n->n_dim)
		return false;
	for (int32_t i = 0; i < n->n_dim; i++) {
		int32_t k = i;

		if ((dim[i] = dim_of_row(m, i, &unit[i])) < 0)
			return false;
		for (; k > 0 && (dim[at[k - 1]] > dim[i] || (dim[at[k - 1]] == dim[i] && unit[at[k - 1]] < unit[i])); k--)
			at[k] = at[k - 1];
		at[k] = i;
		for (int32_t j = 0; j < i; j++)
			joins |= dim[i] == dim[j];
	}
	return joins && at[n->n_dim - 1] == n->n_dim - 1;
}

static void choose_order(struct dim_order *s, lt_node x)
{
	const struct lt_nodedef *n = &s->g->node[x];
	int32_t *at = s->at[x] = LT_NEW(s->arena, int32_t, n->n_dim);
	bool done = s->pinned[x] ? follow_result(s, x, at) || (s->shown[x] && follow_read(s, n, at))
		: !s->constant[x] && (lt__node_is_pointwise(n) || n->reduce)
			&& (join_dims(s, x, at) || channels_last(s, n, at) || follow(s, n, false, at) || follow_laid(s, x, at));

	for (int32_t i = 0; i < n->n_dim; i++) {
		at[i] = done ? at[i] : i;
		s->moved[x] |= at[i] != i;
	}
}

/* -- the graph in that order -- */

static lt_var *order_dims(const struct dim_order *s, lt_node x)
{
	const struct lt_nodedef *n = &s->g->node[x];
	lt_var *dim = LT_NEW(s->arena, lt_var, n->n_dim);

	for (int32_t i = 0; i < n->n_dim; i++)
		dim[i] = n->dim[s->at[x][i]];
	return dim;
}

/* The rows of a view's piece, each of which is the index of a dim of its source. */
static int64_t *order_rows(const struct dim_order *s, lt_node source, const struct lt_map *m)
{
	size_t width = (size_t)lt__map_width(m);
	int64_t *row = LT_NEW(s->arena, int64_t, width * (size_t)m->n_row);

	for (int32_t i = 0; i < m->n_row; i++)
		memcpy(row + (size_t)i * width, m->row + (size_t)s->at[source][i] * width, width * sizeof *row);
	return row;
}

static struct lt_nodedef order_node(struct lt_frame *f, const struct dim_order *s, lt_node x)
{
	const struct lt_nodedef *old = &s->g->node[x];
	struct lt_nodedef n = lt__frame_node(f, x);

	n.dim = order_dims(s, x);
	n.piece = LT_NEW(s->arena, struct lt_graphpiece, n.n_piece);
	for (int32_t p = 0; p < n.n_piece; p++) {
		n.piece[p] = old->piece[p];
		if (n.piece[p].source >= 0)
			n.piece[p].map.row = order_rows(s, old->operand[n.piece[p].source], &n.piece[p].map);
	}
	for (int32_t i = 0; n.op == LT_OP_gather && i < s->g->node[old->operand[0]].n_dim; i++)
		if (s->at[old->operand[0]][i] == old->axis)
			n.axis = i;
	return n;
}

/* Whether a dim of a constant other than the node's last runs along memory there. */
static bool lies_across(const struct dim_order *s, lt_node x, const struct lt_nodedef *reader)
{
	const struct lt_nodedef *n = &s->g->node[x];
	int32_t last = position_of(s, x, reader->dim[reader->n_dim - 1]);

	for (int32_t d = 0; last >= 0 && d < n->n_dim; d++)
		if (position_of(s, x, n->dim[d]) > last)
			return s->constant[x];
	return false;
}

/* What node n, whose dims are in another order now, reads of constants across that. */
static lt_status copy_constants(struct lt_frame *f, struct dim_order *s, lt_node x, struct lt_nodedef *n)
{
	for (int32_t i = 0; i < n->n_operand; i++) {
		const lt_node from = s->g->node[x].operand[i];
		const struct lt_nodedef *old = &s->g->node[from];
		struct lt_nodedef copy = { .op = LT_OP_copy, .dtype = old->dtype, .n_operand = 1, .operand = &n->operand[i],
			.n_dim = old->n_dim, .dim = LT_NEW(s->arena, lt_var, old->n_dim), .line = old->line, .column = old->column,
			.name = lt__arena_format(s->arena, "%s.packed", old->name) };
		int32_t n_dim = 0;

		if (!lies_across(s, from, n))
			continue;
		for (int32_t d = 0; d < n->n_dim; d++)
			if (lt__node_axis(old, n->dim[d]) >= 0)
				copy.dim[n_dim++] = n->dim[d];
		if (n_dim < copy.n_dim)
			continue;
		if (s->copy[from] < 0 && (s->copy[from] = lt__graph_add(f->out, &copy)) < 0)
			return s->g->ctx->code;
		n->operand[i] = s->copy[from];
	}
	return LT_OK;
}

static lt_status order_graph(struct lt_frame *f)
{
	const struct lt_graph *g = f->in;
	struct dim_order s = { .g = g, .arena = f->scratch, .pinned = LT_NEW(f->scratch, bool, g->n_node),
		.shown = LT_NEW(f->scratch, bool, g->n_node),
		.constant = lt__frame_constant(f), .moved = LT_NEW(f->scratch, bool, g->n_node),
		.at = LT_NEW(f->scratch, int32_t *, g->n_node), .copy = LT_NEW(f->scratch, lt_node, g->n_node),
		.laid = LT_NEW(f->scratch, bool, g->n_node),
		.view = LT_NEW(f->scratch, lt_node, g->n_node), .result = LT_NEW(f->scratch, lt_node, g->n_node) };

	find_pinned(&s);
	find_views(&s);
	for (lt_node x = 0; x < g->n_node; x++) {
		struct lt_nodedef n;

		s.copy[x] = -1;
		choose_order(&s, x);
		n = order_node(f, &s, x);
		if (s.moved[x] && lt__node_is_pointwise(&n))
			LT_TRY(copy_constants(f, &s, x, &n));
		f->to[x] = lt__graph_add(f->out, &n);
		if (f->to[x] < 0)
			return g->ctx->code;
	}
	return LT_OK;
}

/* Needs: canonical form, for what is read in place.  Keeps: values, names, places.  Breaks: node numbers, the order of
 * dims. */
lt_status lt__pass_order(const struct lt_graph *in, struct lt_graph **out)
{
	return lt__frame_run(in, order_graph, out);
}
