/* cse.c -- common subexpressions: nodes that compute the same become the first of them.
 *
 * Views of constants that differ in their vars alone, as those of a weight that each step of a recurrence names anew,
 * read the first of them: what is made of that value once, a copy in another order, all of them find.
 */
#include <string.h>
#include "ir/map/map.h"
#include "ir/node/node.h"
#include "ir/pass/pass.h"

/* Nodes of the new graph by hash: open addressing, at most half full. */
struct table { lt_node *slot; uint32_t n_slot; };

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
	return hash ^ hash >> 29;
}

static uint64_t mix_rows(uint64_t hash, const int64_t *row, size_t n)
{
	for (size_t i = 0; i < n; i++)
		hash = mix(hash, (uint64_t)row[i]);
	return hash;
}

static uint64_t hash_map(uint64_t hash, const struct lt_map *m)
{
	size_t width = (size_t)lt__map_width(m);

	hash = mix_rows(hash, m->div, (size_t)m->n_div * (width + 1));
	hash = mix_rows(hash, m->guard, (size_t)m->n_guard * width);
	return mix_rows(hash, m->row, (size_t)m->n_row * width);
}

/* f: the vars' names do not count, NULL: they do. */
static uint64_t hash_node(const struct lt_frame *f, const struct lt_nodedef *n)
{
	uint64_t hash = mix(mix(n->op, n->dtype), n->reduce);

	for (int32_t i = 0; i < n->n_operand; i++)
		hash = mix(hash, (uint64_t)n->operand[i]);
	for (int32_t i = 0; i < n->n_dim; i++)
		hash = mix(hash, (uint64_t)(f ? f->in->var[n->dim[i]].extent : n->dim[i]));
	for (int32_t i = 0; i < n->n_piece; i++)
		hash = hash_map(mix(mix(hash, (uint64_t)n->piece[i].source), n->piece[i].bits), &n->piece[i].map);
	return mix(hash, n->bits);
}

static bool same_numbers(const void *a, const void *b, size_t size, int32_t n)
{
	return n == 0 || !memcmp(a, b, size * (size_t)n);
}

static bool same_pieces(const struct lt_nodedef *a, const struct lt_nodedef *b)
{
	for (int32_t i = 0; i < a->n_piece; i++)
		if (a->piece[i].source != b->piece[i].source
		    || (a->piece[i].source < 0 && a->piece[i].bits != b->piece[i].bits)
		    || !lt__map_equal(&a->piece[i].map, &b->piece[i].map))
			return false;
	return true;
}

/* f: dims of the same range are the same. */
static bool same_dims(const struct lt_frame *f, const struct lt_nodedef *a, const struct lt_nodedef *b)
{
	for (int32_t i = 0; i < a->n_dim; i++)
		if (a->dim[i] != b->dim[i] && !(f && lt__var_same_range(f->in, a->dim[i], b->dim[i])))
			return false;
	return true;
}

/* Attributes of other operators are all 0 and compare equal. */
static bool same_node(const struct lt_frame *f, const struct lt_nodedef *a, const struct lt_nodedef *b)
{
	return a->op == b->op && a->dtype == b->dtype && a->reduce == b->reduce && a->n_operand == b->n_operand
		&& a->n_dim == b->n_dim && a->n_piece == b->n_piece && a->has_fill == b->has_fill && a->bits == b->bits
		&& a->axis == b->axis && same_numbers(a->operand, b->operand, sizeof *a->operand, a->n_operand)
		&& same_dims(f, a, b) && same_pieces(a, b)
		&& !a->offset == !b->offset && (!a->offset || same_numbers(a->offset, b->offset, sizeof *a->offset, a->n_dim))
		&& !a->at == !b->at && (!a->at || same_numbers(a->at, b->at, sizeof *a->at, a->n_dim));
}

/* The node that computes the same as n, -1: *slot is where n belongs. */
static lt_node find(const struct table *t, const struct lt_frame *f, const struct lt_frame *loose,
	const struct lt_nodedef *n, lt_node **slot)
{
	uint32_t at = (uint32_t)hash_node(loose, n) & (t->n_slot - 1);

	while (t->slot[at] && !same_node(loose, n, &f->out->node[t->slot[at] - 1]))
		at = (at + 1) & (t->n_slot - 1);
	*slot = &t->slot[at];
	return t->slot[at] - 1;
}

/* n, which `of` is but for its vars, as a view of it. */
static void read_renamed(struct lt_frame *f, lt_node of, struct lt_nodedef *n)
{
	struct lt_graphpiece *piece = LT_NEW(f->scratch, struct lt_graphpiece, 1);
	lt_node *operand = LT_NEW(f->scratch, lt_node, 1);

	*operand = of;
	*piece = (struct lt_graphpiece){ .map = lt__map_identity(f->scratch, n->n_dim) };
	n->operand = operand;
	n->n_operand = n->n_piece = 1;
	n->piece = piece;
	n->has_fill = false;
}

static lt_status merge_equal(struct lt_frame *f)
{
	struct table t = { .n_slot = 16 };
	const bool *constant = lt__frame_constant(f);

	while (t.n_slot / 2 < (uint32_t)f->in->n_node)
		t.n_slot *= 2;
	t.slot = LT_NEW(f->scratch, lt_node, t.n_slot);         /* node + 1; 0: free */
	for (lt_node x = 0; x < f->in->n_node; x++) {
		struct lt_nodedef n = lt__frame_node(f, x);
		bool memory = lt__op_is_memory(n.op), renamed = n.op == LT_OP_view && constant[x];
		lt_node *slot = NULL, same = memory ? -1 : find(&t, f, renamed ? f : NULL, &n, &slot);

		if (same >= 0 && !same_dims(NULL, &n, &f->out->node[same])) {
			read_renamed(f, same, &n);
			same = find(&t, f, NULL, &n, &slot);
		}
		if (same >= 0 && (n.scale != f->out->node[same].scale || n.zero != f->out->node[same].zero))
			f->out->node[same].scale = 0;   /* what they mean differs, and their numbers do not */
		f->to[x] = same >= 0 ? same : lt__graph_add(f->out, &n);
		if (f->to[x] < 0)
			return f->in->ctx->code;
		if (slot)
			*slot = f->to[x] + 1;
	}
	return LT_OK;
}

/* Needs: nothing.  Keeps: names of the first of equal nodes, order.  Breaks: node numbers.  Inputs, constants and
 * states are never merged. */
lt_status lt__pass_cse(const struct lt_graph *in, struct lt_graph **out)
{
	return lt__frame_run(in, merge_equal, out);
}
