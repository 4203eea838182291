/* Materialising: the copies that a program needs as nodes of its graph, so that the tree shows them.
 *
 * A result, and a state's new content, must be written by a leaf: a source, a view that cannot be written through, a
 * node that is named twice or updated in place gets a copy.  So do a gathered table or index that is not a plain
 * read, and the first operand of an update that is a view or a literal.
 */
#include "ir/pass.h"
#include "program/program.h"

struct build {
	const struct lt_graph *in;
	struct lt_graph *out;
	struct lt_arena *a;
	lt_node *map;           /* node of in -> node of out */
	bool *taken;            /* by node of out: a result or a state's content is made there already */
	bool *updated;          /* by node of out: some update begins with its content, which must lie in a block of its own */
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
static bool gather_is_plain(const struct lt_leaf *leaf, int32_t operand)
{
	const struct lt_read *r = &leaf->read[operand];
	const struct lt_map *m = &r->piece[0].map;
	if (r->n_piece != 1 || r->piece[0].kind != LT_PIECE_READ)
		return false;
	/* At an index out of range element 0 is read: no run-time scalar may move that out of the source. */
	return operand == 1 || (m->n_div == 0 && m->n_param == 0);
}

static lt_status copy_operands(struct build *b, lt_node n, struct lt_nodedef *d)
{
	const struct lt_nodedef *from = &b->in->node[n];
	d->operand = LT_NEW(b->a, lt_node, from->n_operand + 1);
	for (int32_t i = 0; i < from->n_operand; i++)
		d->operand[i] = b->map[from->operand[i]];
	bool copy[2] = { false, false };
	if (from->op == LT_OP_gather) {
		struct lt_leaf *leaf;
		LT_TRY(lt__leaf_access(b->in, b->a, n, &leaf));
		copy[0] = !gather_is_plain(leaf, 0);
		copy[1] = !gather_is_plain(leaf, 1);
	} else if (from->op == LT_OP_update) {
		enum lt_opcode op = b->in->node[from->operand[0]].op;
		copy[0] = op == LT_OP_view || op == LT_OP_lit || op == LT_OP_index;
	}
	for (int32_t i = 0; i < 2; i++)
		if (copy[i] && (d->operand[i] = add_copy(b, d->operand[i])) < 0)
			return lt_context_code(b->in->ctx);
	return LT_OK;
}

/* What stands for node n as a result or (slices false) a state's content, which is one block that is copied whole. */
static lt_node written(struct build *b, lt_node n, bool slices)
{
	const struct lt_nodedef *d = &b->out->node[n];
	struct lt_place *place = LT_NEW(b->a, struct lt_place, d->n_operand + 1);
	bool through = slices && d->op == LT_OP_view && lt__write_through(b->out, b->a, n, place);
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

/* Requirements speak of params only, which keep their numbers. */
static void copy_requires(const struct build *b)
{
	struct lt_graph *out = b->out;
	for (int32_t i = 0; i < b->in->n_require; i++) {
		struct lt_require r = b->in->require[i];
		r.text = lt__arena_string(out->arena, r.text);
		r.value.param = lt__arena_copy(out->arena, r.value.param, sizeof *r.value.param * (size_t)r.value.n);
		r.value.coef = lt__arena_copy(out->arena, r.value.coef, sizeof *r.value.coef * (size_t)r.value.n);
		LT_GROW(out->arena, out->require, out->n_require, out->cap_require);
		out->require[out->n_require++] = r;
	}
}

static lt_status materialize(struct build *b)
{
	const struct lt_graph *in = b->in;
	for (lt_node n = 0; n < in->n_node; n++) {
		struct lt_nodedef d = in->node[n];
		LT_TRY(copy_operands(b, n, &d));
		if ((b->map[n] = lt__graph_add(b->out, &d)) < 0)
			return lt_context_code(in->ctx);
	}
	for (int32_t i = 0; i < in->n_param; i++)
		b->out->param[i].source = b->map[in->param[i].source];
	copy_requires(b);
	/* Room for the copies to come: at most one for each result and state. */
	int64_t room = b->out->n_node + in->n_result + in->n_set + 1;
	b->taken = LT_NEW(b->a, bool, room);
	b->updated = LT_NEW(b->a, bool, room);
	for (lt_node n = 0; n < b->out->n_node; n++)
		if (b->out->node[n].op == LT_OP_update)
			b->updated[b->out->node[n].operand[0]] = true;
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
	return LT_OK;
}

static lt_status body(void *arg)
{
	struct build *b = arg;
	b->map = LT_NEW(b->a, lt_node, b->in->n_node + 1);
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
