/* flatten.c -- dims that lie together and always run together become one: y and x of a convolution by 1x1
 * windows, or batch and position of a product.
 *
 * A sum of products with the operators that are computed in its loops is a group.  Two dims of such a sum, neighbours
 * in it, become one where they are neighbours in every node of the group, and whatever the group reads has both, one
 * right after the other in memory, or neither.  So the tiles of a product are cut from all pixels of an image, not from
 * each row of it.  What lies outside of the group reads the value through a view that has both dims again.
 */
#include <string.h>
#include "base/names.h"
#include "ir/pass/flatten.h"

static bool is_computed(const struct lt_nodedef *n) { return n->n_dim > 0 && (lt__node_is_pointwise(n) || n->reduce); }

static lt_node group_of(const struct lt_flatten *s, lt_node x)
{
	while (s->group[x] != x)
		x = s->group[x] = s->group[s->group[x]];
	return x;
}

/* Whether x is computed from another sum, which nobody else reads. */
static bool is_of_sum(const struct lt_flatten *s, lt_node x)
{
	const struct lt_nodedef *n = &s->g->node[x];

	if (!is_computed(n) || s->readers[x] != 1)
		return false;
	for (int32_t i = 0; !n->reduce && i < n->n_operand; i++)
		if (is_of_sum(s, n->operand[i]))
			return true;
	return n->reduce;
}

/* The product that a sum is of; NULL: it is another sum, such as one of what is made of sums of groups, with which it
 * shares its loops. */
static const struct lt_nodedef *product_of(const struct lt_flatten *s, const struct lt_nodedef *n)
{
	const struct lt_nodedef *mul = n->reduce && n->op == LT_OP_add ? &s->g->node[n->operand[0]] : NULL;

	if (!mul || mul->op != LT_OP_mul || mul->reduce || s->readers[n->operand[0]] != 1)
		return NULL;
	for (int i = 0; i < 2; i++)
		if (is_of_sum(s, mul->operand[i]) && s->g->node[mul->operand[i]].n_dim > n->n_dim)
			return NULL;
	return mul;
}

/* -- groups -- */

/* The same order in memory: a view that a caller sees is then the value itself. */
static bool keeps_order(const struct lt_graph *g, const struct lt_nodedef *view)
{
	const struct lt_nodedef *from = &g->node[view->operand[0]];
	const struct lt_map *m = &view->piece[0].map;
	int64_t want = 1;

	for (int32_t d = view->n_dim; d-- > 0; want *= g->var[view->dim[d]].extent) {
		int64_t sum = 0, unit = 1;

		for (int32_t r = from->n_dim; r-- > 0; unit *= g->var[from->dim[r]].extent)
			sum += unit * m->row[(size_t)r * (size_t)lt__map_width(m) + (size_t)(1 + m->n_param + d)];
		if (sum != want && g->var[view->dim[d]].extent > 1)
			return false;
	}
	return true;
}

/* Who reads what: `stays` is what has to keep its dims, `outside` what is stored for others than operators. */
static void flatten_readers(struct lt_flatten *s)
{
	const struct lt_graph *g = s->g;
	bool *result = LT_NEW(s->arena, bool, g->n_node + 1);

	for (int32_t i = 0; i < g->n_result; i++)
		result[g->result[i].node] = true;
	for (int32_t i = 0; i < g->n_set; i++)
		s->stays[g->set[i].value] = s->stays[g->set[i].state] = true;
	for (lt_param p = 0; p < g->n_param; p++)
		s->stays[g->param[p].source] = true;
	for (lt_node x = 0; x < g->n_node; x++)
		for (int32_t i = 0; i < g->node[x].n_operand; i++)
			s->readers[g->node[x].operand[i]]++;
	for (lt_node x = 0; x < g->n_node; x++) {
		const struct lt_nodedef *mul = product_of(s, &g->node[x]);

		for (int i = 0; mul && i < 2; i++)
			s->outside[mul->operand[i]] = true;
		if (mul)
			s->factors[g->node[x].operand[0]] = true;
	}
	for (lt_node x = 0; x < g->n_node; x++) {
		const struct lt_nodedef *n = &g->node[x];

		for (int32_t i = 0; i < n->n_operand && !is_computed(n); i++) {
			s->outside[n->operand[i]] = true;
			s->stays[n->operand[i]] |= n->op != LT_OP_view || n->n_operand > 1
				|| (result[x] && (n->n_piece > 1 || !keeps_order(g, n)));
		}
	}
}

/* An operator is in the loops of what it reads, if that is stored for nobody outside of them. */
static void find_groups(struct lt_flatten *s)
{
	const struct lt_graph *g = s->g;

	for (lt_node x = 0; x < g->n_node; x++)
		s->group[x] = x;
	for (lt_node x = 0; x < g->n_node; x++)
		for (int32_t i = 0; is_computed(&g->node[x]) && !s->factors[x] && i < g->node[x].n_operand; i++) {
			lt_node o = g->node[x].operand[i];

			if (is_computed(&g->node[o]) && !s->outside[o])
				s->group[group_of(s, o)] = group_of(s, x);
		}
	for (lt_node x = g->n_node; x-- > 0;) {
		s->group[x] = group_of(s, x);
		s->next[x] = -1;
	}
	for (lt_node x = g->n_node; x-- > 0;)
		if (s->group[x] != x) {
			s->next[x] = s->next[s->group[x]];
			s->next[s->group[x]] = x;
		}
}

/* -- which dims -- */

static bool row_has(const struct lt_map *m, const int64_t *row, int32_t dim) { return row[1 + m->n_param + dim] != 0; }

/* Whether going on by one in b, and from the last of b to the first of the next a, is the same step in memory. */
static bool piece_joins(const struct lt_flatten *s, const struct lt_nodedef *n, const struct lt_graphpiece *p,
	int32_t a, int32_t b)
{
	const struct lt_nodedef *from = p->source < 0 ? NULL : &s->g->node[n->operand[p->source]];
	const struct lt_map *m = &p->map;
	size_t width = (size_t)lt__map_width(m);
	int64_t step[2] = { 0, 0 }, unit = 1;

	for (int32_t i = 0; i < m->n_guard; i++)
		if (row_has(m, m->guard + (size_t)i * width, a) || row_has(m, m->guard + (size_t)i * width, b))
			return false;
	for (int32_t i = 0; i < m->n_div; i++)
		if (row_has(m, m->div + (size_t)i * (width + 1) + 1, a) || row_has(m, m->div + (size_t)i * (width + 1) + 1, b))
			return false;
	for (int32_t r = from ? from->n_dim : 0; r-- > 0; unit *= s->g->var[from->dim[r]].extent)
		for (int i = 0; i < 2; i++)
			step[i] += unit * m->row[(size_t)r * width + (size_t)(1 + m->n_param + (i ? b : a))];
	return step[0] == step[1] * s->g->var[n->dim[b]].extent;
}

/* Whether node x has both as neighbours, or neither; of a view also where it reads. */
static bool has_alike(const struct lt_flatten *s, lt_node x, lt_var a, lt_var b)
{
	const struct lt_nodedef *n = &s->g->node[x];
	int32_t at = lt__node_axis(n, a), last = lt__node_axis(n, b);

	if (at < 0 || last < 0)
		return at == last;
	for (int32_t p = 0; n->op == LT_OP_view && p < n->n_piece; p++)
		if (!piece_joins(s, n, &n->piece[p], at, last))
			return false;
	return last == at + 1;
}

static bool member_joins(const struct lt_flatten *s, lt_node x, lt_var a, lt_var b)
{
	const struct lt_nodedef *n = &s->g->node[x];
	bool has = lt__node_axis(n, a) >= 0;

	if (!has_alike(s, x, a, b) || (has && s->stays[x]))
		return false;
	for (int32_t i = 0; i < n->n_operand; i++)
		if ((!has && lt__node_axis(&s->g->node[n->operand[i]], a) >= 0 && !lt__flatten_ends(s, x))
			|| !has_alike(s, n->operand[i], a, b))
			return false;
	return true;
}

static bool group_joins(const struct lt_flatten *s, lt_node group, lt_var a, lt_var b)
{
	if (s->g->var[a].bounded || s->g->var[b].bounded || s->g->var[a].extent < 2 || s->g->var[b].extent < 2)
		return false;
	for (lt_node x = group; x >= 0; x = s->next[x])
		if (!member_joins(s, x, a, b))
			return false;
	return true;
}

/* Whether just one factor has them, and is no constant: those of a constant are packed as a product wants them. */
static bool is_of_factor(const struct lt_flatten *s, const struct lt_nodedef *mul, lt_var a)
{
	int has = 0;

	for (int i = 0; i < 2; i++)
		if (lt__node_axis(&s->g->node[mul->operand[i]], a) >= 0)
			has += s->constant[mul->operand[i]] ? 2 : 1;
	return has == 1;
}

static struct lt_flat_run *run_of(const struct lt_flatten *s, lt_node group, lt_var first)
{
	for (int32_t i = 0; i < s->runs[group].n; i++)
		if (s->runs[group].at[i].var[0] == first)
			return &s->runs[group].at[i];
	return NULL;
}

/* The runs of dims of a product that become one. */
static lt_status find_runs(struct lt_flatten *s, lt_node x)
{
	const struct lt_nodedef *n = &s->g->node[x], *mul = product_of(s, n);
	const lt_node group = s->group[x];
	struct lt_flat_runs *runs = &s->runs[group];

	for (int32_t i = 0, end; mul && i + 1 < n->n_dim; i = end) {
		for (end = i + 1; end < n->n_dim && is_of_factor(s, mul, n->dim[end - 1]) && is_of_factor(s, mul, n->dim[end])
			&& group_joins(s, group, n->dim[end - 1], n->dim[end]); end++)
			;
		if (end == i + 1 || run_of(s, group, n->dim[i]))
			continue;
		LT_GROW(s->arena, runs->at, runs->n, runs->cap);
		runs->at[runs->n] = (struct lt_flat_run){ .n = end - i, .var = n->dim + i };
		LT_TRY(lt__flatten_var(s, &runs->at[runs->n++]));
	}
	return LT_OK;
}

static lt_status flatten_graph(struct lt_frame *f)
{
	const struct lt_graph *g = f->in;
	struct lt_flatten s = { .f = f, .g = g, .arena = f->scratch,
		.group = LT_NEW(f->scratch, lt_node, g->n_node + 1), .next = LT_NEW(f->scratch, lt_node, g->n_node + 1),
		.readers = LT_NEW(f->scratch, int32_t, g->n_node + 1), .constant = lt__frame_constant(f),
		.factors = LT_NEW(f->scratch, bool, g->n_node + 1), .outside = LT_NEW(f->scratch, bool, g->n_node + 1),
		.stays = LT_NEW(f->scratch, bool, g->n_node + 1),
		.runs = LT_NEW(f->scratch, struct lt_flat_runs, g->n_node + 1), .names = lt__names_new(f->scratch) };

	flatten_readers(&s);
	find_groups(&s);
	for (lt_node x = 0; x < g->n_node; x++)
		LT_TRY(find_runs(&s, x));
	return lt__flatten_write(&s);
}

/* Needs: no dims of extent 1, the order of dims.  Keeps: values, names, places.  Breaks: node numbers, canonical
 * form. */
lt_status lt__pass_flatten(const struct lt_graph *in, struct lt_graph **out)
{
	return lt__frame_run(in, flatten_graph, out);
}
