/* cse.c -- common subexpressions: nodes that compute the same become the first of them. */
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

static uint64_t hash_node(const struct lt_nodedef *n)
{
	uint64_t hash = mix(mix(n->op, n->dtype), n->reduce);

	for (int32_t i = 0; i < n->n_operand; i++)
		hash = mix(hash, (uint64_t)n->operand[i]);
	for (int32_t i = 0; i < n->n_dim; i++)
		hash = mix(hash, (uint64_t)n->dim[i]);
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

/* Attributes of other operators are all 0 and compare equal. */
static bool same_node(const struct lt_nodedef *a, const struct lt_nodedef *b)
{
	return a->op == b->op && a->dtype == b->dtype && a->reduce == b->reduce && a->n_operand == b->n_operand
		&& a->n_dim == b->n_dim && a->n_piece == b->n_piece && a->has_fill == b->has_fill && a->bits == b->bits
		&& a->axis == b->axis && same_numbers(a->operand, b->operand, sizeof *a->operand, a->n_operand)
		&& same_numbers(a->dim, b->dim, sizeof *a->dim, a->n_dim) && same_pieces(a, b)
		&& !a->offset == !b->offset && (!a->offset || same_numbers(a->offset, b->offset, sizeof *a->offset, a->n_dim))
		&& !a->at == !b->at && (!a->at || same_numbers(a->at, b->at, sizeof *a->at, a->n_dim));
}

static lt_status merge_equal(struct lt_frame *f)
{
	struct table t = { .n_slot = 16 };

	while (t.n_slot / 2 < (uint32_t)f->in->n_node)
		t.n_slot *= 2;
	t.slot = LT_NEW(f->scratch, lt_node, t.n_slot);         /* node + 1; 0: free */
	for (lt_node x = 0; x < f->in->n_node; x++) {
		struct lt_nodedef n = lt__frame_node(f, x);
		uint32_t at = (uint32_t)hash_node(&n) & (t.n_slot - 1);
		bool memory = lt__op_is_memory(n.op);

		while (!memory && t.slot[at] && !same_node(&n, &f->out->node[t.slot[at] - 1]))
			at = (at + 1) & (t.n_slot - 1);
		if (!memory && t.slot[at]) {
			f->to[x] = t.slot[at] - 1;
			continue;
		}
		f->to[x] = lt__graph_add(f->out, &n);
		if (f->to[x] < 0)
			return f->in->ctx->code;
		if (!memory)
			t.slot[at] = f->to[x] + 1;
	}
	return LT_OK;
}

/* Needs: nothing.  Keeps: names of the first of equal nodes, order.  Breaks: node numbers.  Inputs, constants and
 * states are never merged. */
lt_status lt__pass_cse(const struct lt_graph *in, struct lt_graph **out)
{
	return lt__frame_run(in, merge_equal, out);
}
