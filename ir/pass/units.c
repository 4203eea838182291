/* units.c -- dims of extent 1 go: what is computed does not have them, so that no loop and no order of dims
 * depends on them.
 *
 * They stay where a caller sees them (inputs, constants, states, results) and where an operator asks for them: an
 * update of a state, a gather along one.  Views stand between the two forms of a value.
 */
#include <string.h>
#include "base/names.h"
#include "ir/node/node.h"
#include "ir/pass/work.h"

struct units {
	struct lt_frame *f;
	const struct lt_graph *in;
	struct lt_arena *arena;
	/* by node of `in`: its value without dims of extent 1, and with them; -1: nobody has asked for it yet */
	lt_node *lean, *whole;
	bool *made_whole;       /* the node itself has them; its lean form is a view */
	bool failed;            /* the context says why */
};

static bool is_unit(const struct units *u, lt_var v) { return u->in->var[v].extent == 1 && !u->in->var[v].bounded; }

static bool has_unit(const struct units *u, const struct lt_nodedef *n)
{
	for (int32_t i = 0; i < n->n_dim; i++)
		if (is_unit(u, n->dim[i]))
			return true;
	return false;
}

static lt_var *lean_dims(const struct units *u, const struct lt_nodedef *n, int32_t *n_dim)
{
	lt_var *dim = LT_NEW(u->arena, lt_var, n->n_dim);

	*n_dim = 0;
	for (int32_t i = 0; i < n->n_dim; i++)
		if (!is_unit(u, n->dim[i]))
			dim[(*n_dim)++] = n->dim[i];
	return dim;
}

static lt_node units_add(struct units *u, const struct lt_nodedef *n)
{
	lt_node made = lt__graph_add(u->f->out, n);

	u->failed |= made < 0;
	return made < 0 ? 0 : made;
}

/* A node of the new graph over other dims: those of extent 1 come and go. */
static lt_node reshape(struct units *u, lt_node from, int32_t n_dim, lt_var *dim, const char *suffix)
{
	const struct lt_nodedef *s = &u->f->out->node[from];
	size_t width = 1 + (size_t)n_dim;
	int64_t *row = LT_NEW(u->arena, int64_t, width * (size_t)s->n_dim);
	struct lt_graphpiece piece = { .map = { .n_dim = n_dim, .n_row = s->n_dim, .row = row } };
	struct lt_nodedef view = { .op = LT_OP_view, .dtype = s->dtype, .n_operand = 1, .operand = &from, .n_dim = n_dim,
		.dim = dim, .name = lt__arena_format(u->arena, "%s.%s", s->name, suffix), .n_piece = 1, .piece = &piece,
		.line = s->line, .column = s->column };

	for (int32_t r = 0; r < s->n_dim; r++)
		for (int32_t d = 0; d < n_dim; d++)
			if (dim[d] == s->dim[r])
				row[(size_t)r * width + 1 + (size_t)d] = 1;
	return units_add(u, &view);
}

static lt_node lean_of(struct units *u, lt_node x)
{
	if (u->lean[x] < 0) {
		int32_t n_dim;
		lt_var *dim = lean_dims(u, &u->in->node[x], &n_dim);

		u->lean[x] = reshape(u, u->whole[x], n_dim, dim, "lean");
	}
	return u->lean[x];
}

static lt_node whole_of(struct units *u, lt_node x)
{
	if (u->whole[x] < 0)
		u->whole[x] = reshape(u, u->lean[x], u->in->node[x].n_dim, u->in->node[x].dim, "whole");
	return u->whole[x];
}

/* Nodes that keep all dims read what has all. */
static void keep_whole(struct units *u, lt_node x, struct lt_nodedef *n)
{
	for (int32_t i = 0; i < n->n_operand; i++)
		n->operand[i] = whole_of(u, u->in->node[x].operand[i]);
	u->whole[x] = units_add(u, n);
	u->made_whole[x] = true;
	if (!has_unit(u, n))
		u->lean[x] = u->whole[x];
}

static void make_lean(struct units *u, lt_node x, struct lt_nodedef *n)
{
	const struct lt_nodedef *old = &u->in->node[x];

	n->dim = lean_dims(u, old, &n->n_dim);
	u->lean[x] = units_add(u, n);
	if (n->n_dim == old->n_dim)
		u->whole[x] = u->lean[x];
}

/* A source that has the dims itself is read with them, without a view between. */
static void lean_view(struct units *u, lt_node x, struct lt_nodedef *n)
{
	int32_t n_dim, *dim_to = LT_NEW(u->arena, int32_t, n->n_dim), *row;

	(void)lean_dims(u, n, &n_dim);
	for (int32_t d = 0, to = 0; d < n->n_dim; d++)
		dim_to[d] = is_unit(u, n->dim[d]) ? -1 : to++;
	for (int32_t i = 0; i < n->n_operand; i++) {
		lt_node from = u->in->node[x].operand[i];

		n->operand[i] = u->made_whole[from] ? u->whole[from] : lean_of(u, from);
	}
	n->piece = LT_NEW(u->arena, struct lt_graphpiece, n->n_piece);
	for (int32_t p = 0; p < n->n_piece; p++) {
		const struct lt_graphpiece *old = &u->in->node[x].piece[p];
		const lt_node from = old->source < 0 ? -1 : u->in->node[x].operand[old->source];
		int32_t n_row = 0;

		row = LT_NEW(u->arena, int32_t, old->map.n_row);
		for (int32_t r = 0; r < old->map.n_row; r++)
			if (u->made_whole[from] || !is_unit(u, u->in->node[from].dim[r]))
				row[n_row++] = r;
		n->piece[p] = *old;
		n->piece[p].map = lt__work_pick(u->arena, &old->map, n_row, row, n_dim, dim_to);
	}
	make_lean(u, x, n);
}

/* A reduction of nothing but dims of extent 1 is its operand; but a sum of one -0 is +0, for sums begin
 * with 0. */
static void lean_reduce(struct units *u, lt_node x, struct lt_nodedef *n)
{
	const lt_node from = n->operand[0] = lean_of(u, u->in->node[x].operand[0]);
	const struct lt_nodedef *d = &u->f->out->node[from];
	int32_t n_dim;
	lt_var *dim = lean_dims(u, n, &n_dim);

	if (n_dim < d->n_dim || n->dtype != d->dtype) {
		make_lean(u, x, n);
	} else if (n->op == LT_OP_add && lt__dtype_info(n->dtype)->cls == LT_CLASS_FLOAT) {
		const struct lt_nodedef zero = { .op = LT_OP_lit, .dtype = n->dtype, .line = n->line, .column = n->column,
			.name = lt__arena_format(u->arena, "%s.zero", n->name) };
		lt_node *operand = LT_NEW(u->arena, lt_node, 2);

		operand[0] = from;
		operand[1] = units_add(u, &zero);
		n->operand = operand;
		n->n_operand = 2;
		n->reduce = false;
		make_lean(u, x, n);
	} else if (!n_dim || !memcmp(dim, d->dim, (size_t)n_dim * sizeof *dim)) {
		u->lean[x] = from;
		if (n_dim == n->n_dim)
			u->whole[x] = from;
	} else {
		n->op = LT_OP_copy;
		n->reduce = false;
		make_lean(u, x, n);
	}
}

static void lean_gather(struct units *u, lt_node x, struct lt_nodedef *n)
{
	const struct lt_nodedef *old = &u->in->node[x], *from = &u->in->node[old->operand[0]];

	if (is_unit(u, from->dim[old->axis])) {
		keep_whole(u, x, n);
		return;
	}
	for (int32_t i = 0; i < old->axis; i++)
		n->axis -= is_unit(u, from->dim[i]);
	for (int32_t i = 0; i < 2; i++)
		n->operand[i] = lean_of(u, old->operand[i]);
	make_lean(u, x, n);
}

/* What is updated in place keeps its dims; a value that has none of extent 1 itself is updated without them, if they
 * are not where the block moves. */
static void lean_update(struct units *u, lt_node x, struct lt_nodedef *n)
{
	const struct lt_nodedef *old = &u->in->node[x], *part = &u->in->node[old->operand[1]];
	lt_var *dim = LT_NEW(u->arena, lt_var, n->n_dim);
	bool whole = u->made_whole[old->operand[0]];
	int32_t n_dim = 0;

	for (int32_t i = 0; i < n->n_dim; i++)
		whole = whole || (is_unit(u, n->dim[i]) && (n->at[i] >= 0 || !is_unit(u, part->dim[i])));
	if (whole) {
		keep_whole(u, x, n);
		return;
	}
	n->offset = LT_NEW(u->arena, int64_t, n->n_dim);
	n->at = LT_NEW(u->arena, lt_param, n->n_dim);
	for (int32_t i = 0; i < n->n_dim; i++)
		if (!is_unit(u, n->dim[i])) {
			dim[n_dim] = part->dim[i];
			n->offset[n_dim] = old->offset[i];
			n->at[n_dim++] = old->at[i];
		}
	n->operand[0] = lean_of(u, old->operand[0]);
	n->operand[1] = n_dim == part->n_dim ? whole_of(u, old->operand[1])
		: reshape(u, whole_of(u, old->operand[1]), n_dim, dim, "part");
	make_lean(u, x, n);
}

static void units_node(struct units *u, lt_node x)
{
	struct lt_nodedef n = u->in->node[x];

	n.operand = LT_NEW(u->arena, lt_node, n.n_operand);
	if (n.op == LT_OP_input || n.op == LT_OP_constant || n.op == LT_OP_state) {
		keep_whole(u, x, &n);
	} else if (n.op == LT_OP_view) {
		lean_view(u, x, &n);
	} else if (n.op == LT_OP_gather) {
		lean_gather(u, x, &n);
	} else if (n.op == LT_OP_update) {
		lean_update(u, x, &n);
	} else if (n.reduce) {
		lean_reduce(u, x, &n);
	} else {
		if (n.op == LT_OP_index && is_unit(u, n.var)) {
			n.op = LT_OP_lit;
			n.bits = 0;
		}
		for (int32_t i = 0; i < n.n_operand; i++)
			n.operand[i] = lean_of(u, u->in->node[x].operand[i]);
		make_lean(u, x, &n);
	}
}

static lt_status drop_units(struct lt_frame *f)
{
	const struct lt_graph *in = f->in;
	struct units u = { .f = f, .in = in, .arena = f->scratch,
		.lean = LT_NEW(f->scratch, lt_node, in->n_node),
		.whole = LT_NEW(f->scratch, lt_node, in->n_node),
		.made_whole = LT_NEW(f->scratch, bool, in->n_node) };

	for (lt_node x = 0; x < in->n_node; x++)
		u.lean[x] = u.whole[x] = -1;
	for (lt_node x = 0; x < in->n_node && !u.failed; x++)
		units_node(&u, x);
	if (u.failed)
		return in->ctx->code;
	for (lt_param p = 0; p < in->n_param; p++)
		(void)whole_of(&u, in->param[p].source);
	for (int32_t i = 0; i < in->n_result; i++)
		(void)whole_of(&u, in->result[i].node);
	for (int32_t i = 0; i < in->n_set; i++)
		(void)whole_of(&u, in->set[i].value);
	memcpy(f->to, u.whole, (size_t)in->n_node * sizeof *f->to);
	return u.failed ? in->ctx->code : LT_OK;
}

/* Needs: nothing.  Keeps: values, names, places.  Breaks: node numbers; leaves dead nodes. */
lt_status lt__pass_units(const struct lt_graph *in, struct lt_graph **out)
{
	return lt__frame_run(in, drop_units, out);
}
