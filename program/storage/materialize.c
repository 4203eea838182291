/* Materialising: the copies that a program needs as nodes of its graph, so that the tree shows them.
 *
 * A view that shows more than LT_MAX_PIECES pieces, those of the views that it reads included, is copied, and its
 * readers read the copy.  It is made block by block (program/copy/copy_plan.c), so that each operand of which
 * the blocks cannot be plain gets a copy first.  A result, and a state's new content, must be written by a leaf: a
 * source, a view that cannot be written through, a node that is named twice or updated in place gets a copy.  So do a
 * gathered table or index that is not a plain read, the first operand of an update that is a view or a literal, and a
 * view that another one cannot be read through.
 */
#include "ir/bounds/bounds.h"
#include "ir/node/node.h"
#include "ir/pass/pass.h"
#include "looptree/tree/tree.h"
#include "program/storage/storage.h"

struct build {
	const struct lt_graph *in;
	struct lt_graph *out;
	struct lt_arena *a;
	lt_node *map;           /* node of in -> node of out */
	lt_node *made;          /* the same, before it got a copy that stands for it */
	bool *wide;             /* by node of in: a view that views read through a copy */
	lt_node *copy;          /* by node of in: that copy, -1 */
	int32_t *pieces;        /* by node of in: how many a reader of what stands for it chooses among */
	bool *read;             /* by node of in: some node or state reads it, not results alone */
	bool *taken;            /* by node of out: a result or a state's content is made there already */
	/* by node of out: some update begins with its content, or a kernel of one's own writes it: a block of its own */
	bool *updated;
	bool *own;              /* by node of in: a kernel of one's own writes it */
};

static lt_node add_copy(struct build *b, lt_node of)
{
	const struct lt_nodedef *x = &b->out->node[of];
	lt_node operand[1] = { of };
	struct lt_nodedef copy = { .op = LT_OP_copy, .dtype = x->dtype, .n_operand = 1, .operand = operand, .n_dim = x->n_dim,
		.dim = x->dim, .line = x->line, .column = x->column };
	copy.name = lt__arena_format(b->a, "%s.copy", x->name);
	return lt__graph_add(b->out, &copy);
}

/* A gathered operand is read at an index that is known only at run time: one piece, and the axis straight in a row. */
static bool gather_is_plain(const struct lt_read *r, int32_t operand)
{
	const struct lt_map *m = &r->piece[0].map;
	if (r->n_piece != 1 || r->piece[0].kind != LT_PIECE_READ)
		return false;
	/* At an index out of range element 0 is read: no run-time scalar may move that out of the source. */
	return operand == 1 || (m->n_div == 0 && m->n_param == 0);
}

/* Where a run leaves the axis of a table no element, element 0 of a view may be outside the view's source. */
static bool leaves_bounds(const struct lt_graph *g, lt_node table, int32_t axis)
{
	const struct lt_nodedef *x = &g->node[table];
	return x->op == LT_OP_view && g->var[x->dim[axis]].bounded;
}

static lt_status copy_operands(struct build *b, lt_node n, struct lt_nodedef *d)
{
	const struct lt_nodedef *from = &b->in->node[n];
	d->operand = LT_NEW(b->a, lt_node, from->n_operand + 1);
	for (int32_t i = 0; i < from->n_operand; i++) {
		lt_node x = from->operand[i];
		d->operand[i] = b->map[x];
		if (from->op != LT_OP_view || !b->wide[x])
			continue;
		if (b->copy[x] < 0 && (b->copy[x] = add_copy(b, b->map[x])) < 0)
			return lt_context_code(b->in->ctx);
		d->operand[i] = b->copy[x];
	}
	bool copy[2] = { false, false };
	if (from->op == LT_OP_gather) {
		for (int32_t i = 0; i < 2; i++) {
			struct lt_read read;
			LT_TRY(lt__node_read(b->out, b->a, d->operand[i], &read));
			copy[i] = !gather_is_plain(&read, i) || (i == 0 && leaves_bounds(b->out, d->operand[0], from->axis));
		}
	} else if (from->op == LT_OP_update) {
		enum lt_opcode op = b->out->node[d->operand[0]].op;
		copy[0] = op == LT_OP_view || op == LT_OP_lit || op == LT_OP_index;
	}
	for (int32_t i = 0; i < 2; i++)
		if (copy[i] && (d->operand[i] = add_copy(b, d->operand[i])) < 0)
			return lt_context_code(b->in->ctx);
	return LT_OK;
}

/* How many pieces a view shows, and what reads what, results apart. */
static void survey(struct build *b)
{
	const struct lt_graph *in = b->in;
	b->pieces = LT_NEW(b->a, int32_t, in->n_node + 1);
	b->read = LT_NEW(b->a, bool, in->n_node + 1);
	for (lt_node n = 0; n < in->n_node; n++)
		for (int32_t i = 0; i < in->node[n].n_operand; i++)
			b->read[in->node[n].operand[i]] = true;
	for (int32_t i = 0; i < in->n_set; i++)
		b->read[in->set[i].value] = true;
}

static bool is_many(const struct build *b, lt_node n)
{
	const struct lt_nodedef *d = &b->in->node[n];
	int64_t pieces = d->op == LT_OP_view ? d->has_fill : 1;
	for (int32_t i = 0; i < d->n_piece; i++)
		pieces += d->piece[i].source < 0 ? 1 : b->pieces[d->operand[d->piece[i].source]];
	bool many = d->op == LT_OP_view && pieces > LT_MAX_PIECES;
	b->pieces[n] = many ? 1 : (int32_t)pieces;
	return many;
}

/* Copies of the operands that blocks cannot be read from; an operand that stands twice is copied once. */
static lt_status copy_odd(struct build *b, struct lt_nodedef *d, const lt_node *from)
{
	for (int32_t i = 0; i < d->n_operand; i++) {
		bool plain;
		if (b->map[from[i]] != d->operand[i]) {
			d->operand[i] = b->map[from[i]];
			continue;
		}
		LT_TRY(lt__is_plain(b->out, b->a, d->operand[i], &plain));
		if (plain)
			continue;
		if ((b->map[from[i]] = d->operand[i] = add_copy(b, d->operand[i])) < 0)
			return lt_context_code(b->in->ctx);
		b->pieces[from[i]] = 1;
	}
	return LT_OK;
}

/* Node n of many pieces: copied, but where it is a result alone and its sources can be slices of that. */
static lt_status add_many(struct build *b, lt_node n, struct lt_nodedef *d)
{
	bool leaves = true;
	for (int32_t i = 0; i < d->n_operand; i++)
		leaves = leaves && lt__has_leaf(b->out, d->operand[i]) && !b->own[b->in->node[n].operand[i]];
	if (!leaves)
		LT_TRY(copy_odd(b, d, b->in->node[n].operand));
	lt_node view = b->map[n] = lt__graph_add(b->out, d);
	if (view < 0)
		return lt_context_code(b->in->ctx);
	if (!b->read[n] && leaves && lt__alias_result(b->out, b->a, view, LT_NEW(b->a, struct lt_location, d->n_operand + 1)))
		return LT_OK;
	return (b->map[n] = add_copy(b, view)) < 0 ? lt_context_code(b->in->ctx) : LT_OK;
}

/* What stands for node n as a result or (slices false) a state's content, which is one block that is copied whole. */
static lt_node written(struct build *b, lt_node n, bool slices)
{
	const struct lt_nodedef *d = &b->out->node[n];
	struct lt_location *location = LT_NEW(b->a, struct lt_location, d->n_operand + 1);
	bool through = slices && d->op == LT_OP_view && lt__alias_result(b->out, b->a, n, location);
	for (int32_t i = 0; through && i < d->n_operand; i++)
		through = !b->taken[d->operand[i]] && !b->updated[d->operand[i]];
	if (b->taken[n] || d->op == LT_OP_update || !(lt__has_leaf(b->out, n) || through))
		n = add_copy(b, n);
	else if (through)
		for (int32_t i = 0; i < d->n_operand; i++)
			b->taken[d->operand[i]] = true;
	if (n >= 0)
		b->taken[n] = true;
	return n;
}

static lt_status materialize(struct build *b)
{
	const struct lt_graph *in = b->in;
	survey(b);
	for (lt_node n = 0; n < in->n_node; n++) {
		struct lt_nodedef d = in->node[n];
		LT_TRY(copy_operands(b, n, &d));
		if (is_many(b, n))
			LT_TRY(add_many(b, n, &d));
		else if ((b->map[n] = lt__graph_add(b->out, &d)) < 0)
			return lt_context_code(in->ctx);
		b->made[n] = b->map[n];
	}
	for (int32_t i = 0; i < in->n_param; i++)
		b->out->param[i].source = b->map[in->param[i].source];
	lt__requires_copy(in, b->out);
	/* Room for the copies to come: at most one for each result and state. */
	int64_t cap = b->out->n_node + in->n_result + in->n_set + 1;
	b->taken = LT_NEW(b->a, bool, cap);
	b->updated = LT_NEW(b->a, bool, cap);
	for (lt_node n = 0; n < b->out->n_node; n++)
		if (b->out->node[n].op == LT_OP_update)
			b->updated[b->out->node[n].operand[0]] = true;
	for (lt_node n = 0; n < in->n_node; n++)
		if (b->own[n])
			b->updated[b->made[n]] = true;
	for (int32_t i = 0; i < in->n_set; i++) {
		lt_node value = b->map[in->set[i].value], state = b->map[in->set[i].state];
		if (b->out->node[value].op != LT_OP_update)
			value = written(b, value, false);
		else
			b->taken[value] = true;
		if (value < 0)
			return lt_context_code(in->ctx);
		LT_TRY(lt_graph_set_state(b->out, state, value));
	}
	for (int32_t i = 0; i < in->n_result; i++) {
		lt_node n = written(b, b->map[in->result[i].node], true);
		if (n < 0)
			return lt_context_code(in->ctx);
		LT_TRY(lt_graph_result(b->out, in->result[i].name, n));
	}
	return lt__own_carry(in, b->made, b->out, b->a);
}

static lt_status body(void *arg)
{
	struct build *b = arg;
	b->map = LT_NEW(b->a, lt_node, b->in->n_node + 1);
	b->made = LT_NEW(b->a, lt_node, b->in->n_node + 1);
	b->copy = LT_NEW(b->a, lt_node, b->in->n_node + 1);
	for (lt_node n = 0; n < b->in->n_node; n++)
		b->copy[n] = -1;
	b->own = LT_NEW(b->a, bool, b->in->n_node + 1);
	for (int32_t i = 0; i < b->in->n_own; i++)
		for (int32_t k = 0; k < b->in->own[i].n_result; k++)
			b->own[b->in->own[i].result[k]] = true;
	b->wide = lt__wide_views(b->in, b->a);
	return materialize(b);
}

lt_status lt__materialize(const struct lt_graph *in, struct lt_graph **out)
{
	struct build b = { .in = in };
	LT_TRY(lt__graph_like(in, out));
	b.out = *out;
	lt_status st = lt__arena_new(in->ctx, &b.a);
	if (!st)
		st = lt__protect(in->ctx, body, &b);
	lt__arena_free(b.a);
	if (!st)
		st = lt_graph_verify(*out);
	return st;      /* the caller frees *out in any case */
}
