/* Freezing: the walk over a root nest that makes its loops, resets and statements. */
#include <string.h>
#include "looptree/freeze.h"

static int32_t find_op(struct lt_freezer *f, enum lt_opcode op, enum lt_dtype out, int32_t n, const enum lt_dtype *in)
{
	const struct lt_opinfo *info = lt__op_info(op);
	struct lt_op want = { .name = info->name, .arity = n, .out = out };
	for (int32_t i = 0; i < n; i++)
		want.in[i] = in[i];
	for (int32_t i = 0; i < f->n_op; i++)
		if (!strcmp(f->op[i].name, want.name) && f->op[i].out == want.out && f->op[i].arity == n
		    && !memcmp(f->op[i].in, want.in, sizeof want.in))
			return i;
	char text[256];
	lt__op_csource(op, in[n - 1], out, text, sizeof text);
	want.source = lt__arena_string(f->a, text);
	if (info->identity != LT_ID_NONE)
		want.identity = lt__bits_of(lt__op_identity(op, out), out);
	LT_GROW(f->a, f->op, f->n_op, f->cap_op);
	f->op[f->n_op] = want;
	return f->n_op++;
}

/* A step beyond the extent is one trip, and no factor may overflow by it. */
static int64_t step_of(const struct lt_freezer *f, lt_tnode at)
{
	int64_t step = f->t->node[at].step, extent = f->g->var[f->t->node[at].var].extent;
	return step < extent ? step : extent;
}

static void push_path(struct lt_freezer *f, lt_tnode at, int32_t loop)
{
	LT_GROW(f->a, f->path, f->n_path, f->cap_path);
	f->path[f->n_path++] = (struct lt_step){ f->t->node[at].var, step_of(f, at), loop, at };
}

static int32_t open_loop(struct lt_freezer *f, lt_tnode at)
{
	int32_t primes = 0, parent = f->n_path > 0 ? f->path[f->n_path - 1].loop : -1;
	for (int32_t k = 0; k < f->n_path; k++)
		primes += f->path[k].var == f->t->node[at].var;
	LT_GROW(f->a, f->loop, f->n_loop, f->cap_loop);
	struct lt_floop *loop = &f->loop[f->n_loop];
	*loop = (struct lt_floop){ .parent = parent, .first_stmt = f->n_stmt, .at = at, .primes = primes };
	lt__freeze_bounds(f, f->t->node[at].var, step_of(f, at), loop);
	push_path(f, at, f->n_loop);
	return f->n_loop++;
}

static void close_loop(struct lt_freezer *f)
{
	struct lt_floop *loop = &f->loop[f->path[--f->n_path].loop];
	loop->n_stmt = f->n_stmt - loop->first_stmt;
}

static struct lt_stmt *add_stmt(struct lt_freezer *f, int32_t kind, lt_node n)
{
	const struct lt_nodedef *d = &f->g->node[n];
	LT_GROW(f->a, f->stmt, f->n_stmt, f->cap_stmt);
	LT_GROW(f->a, f->stmt_node, f->n_stmt, f->cap_stmt_node);
	f->stmt_node[f->n_stmt] = n;
	f->stmt[f->n_stmt] = (struct lt_stmt){ .kind = kind, .loop = f->n_path > 0 ? f->path[f->n_path - 1].loop : -1,
		.first_operand = f->n_operand, .reducing = -1, .name = d->name, .line = d->line, .column = d->column };
	return &f->stmt[f->n_stmt++];
}

static lt_status add_piece(struct lt_freezer *f, const struct lt_leaf *leaf, const struct lt_readpiece *p, struct lt_fpiece *out)
{
	int32_t width = lt__map_width(&p->map);
	*out = (struct lt_fpiece){ .access = -1, .bits = p->bits, .kind = LT_IMMEDIATE };
	if (p->kind == LT_PIECE_READ) {
		out->kind = LT_READ;
		LT_TRY(lt__freeze_access(f, leaf, p->base, &p->map, false, &out->access));
	} else if (p->kind == LT_PIECE_INDEX) {
		out->kind = LT_AFFINE;
		lt__freeze_row(f, leaf, &p->map, p->map.row, -1, &out->row);
	}
	out->first_guard = f->n_guard;
	out->n_guard = p->map.n_guard;
	for (int32_t i = 0; i < p->map.n_guard; i++) {
		struct lt_row row;
		lt__freeze_row(f, leaf, &p->map, p->map.guard + (int64_t)i * width, -1, &row);
		LT_GROW(f->a, f->guard, f->n_guard, f->cap_guard);
		f->guard[f->n_guard++] = row;
	}
	return LT_OK;
}

static lt_status add_operand(struct lt_freezer *f, const struct lt_leaf *leaf, const struct lt_read *read)
{
	struct lt_operand operand = { .first_piece = f->n_piece, .n_piece = read->n_piece, .dtype = read->dtype };
	if (read->n_piece > 1)
		f->needs |= LT_NEED_PIECES;
	for (int32_t i = 0; i < read->n_piece; i++) {
		struct lt_fpiece piece;
		LT_TRY(add_piece(f, leaf, &read->piece[i], &piece));
		LT_GROW(f->a, f->piece, f->n_piece, f->cap_piece);
		f->piece[f->n_piece++] = piece;
	}
	LT_GROW(f->a, f->operand, f->n_operand, f->cap_operand);
	f->operand[f->n_operand++] = operand;
	return LT_OK;
}

/* Where the leaf writes: its own vars, an update's moved by its offset. */
static lt_status add_dest(struct lt_freezer *f, lt_node n, const struct lt_leaf *leaf, int32_t *out)
{
	struct lt_map m;
	lt__leaf_dest(f->g, f->a, n, leaf, &m);
	return lt__freeze_access(f, leaf, n, &m, true, out);
}

static lt_status add_gather(struct lt_freezer *f, const struct lt_leaf *leaf, struct lt_stmt *s, lt_node n)
{
	/* One operand: the gathered element; the index is part of its access. */
	struct lt_leaf plain = *leaf;
	plain.gather = false;
	LT_TRY(add_operand(f, leaf, &leaf->read[0]));
	int32_t index;
	const struct lt_readpiece *p = &leaf->read[1].piece[0];
	LT_TRY(lt__freeze_access(f, &plain, p->base, &p->map, false, &index));
	const struct lt_nodedef *x = &f->g->node[f->g->node[n].operand[0]];
	struct lt_faccess *a = &f->access[f->piece[f->operand[s->first_operand].first_piece].access];
	a->index = index;
	const struct lt_vardef *axis = &f->g->var[x->dim[f->g->node[n].axis]];
	a->index_extent = axis->extent;
	if (axis->bounded) {
		a->first_bound = lt__freeze_limit(f, &axis->limit);
		a->n_bound = 1;
	}
	f->needs |= LT_NEED_GATHER;
	return LT_OK;
}

static lt_status add_leaf(struct lt_freezer *f, lt_tnode at)
{
	lt_node n = f->t->node[at].leaf;
	const struct lt_nodedef *d = &f->g->node[n];
	const struct lt_leaf *leaf;
	LT_TRY(lt__leaf(f->t, n, &leaf));
	lt_tnode reducing = lt__reducing_loop(f->t, n);
	int32_t kind = d->reduce && reducing >= 0 ? LT_REDUCE : LT_MAP, stmt = f->n_stmt;
	add_stmt(f, kind, n);
	enum lt_opcode op = d->op;
	if (leaf->gather) {
		LT_TRY(add_gather(f, leaf, &f->stmt[stmt], n));
		op = LT_OP_copy;
	} else {
		for (int32_t k = 0; k < leaf->n_read; k++)
			LT_TRY(add_operand(f, leaf, &leaf->read[k]));
		if (d->op == LT_OP_update || (d->reduce && kind == LT_MAP))
			op = LT_OP_copy;
	}
	struct lt_stmt *s = &f->stmt[stmt];
	s->n_operand = f->n_operand - s->first_operand;
	enum lt_dtype in[3] = { 0 };
	for (int32_t k = 0; k < s->n_operand; k++)
		in[k] = f->operand[s->first_operand + k].dtype;
	if (kind == LT_REDUCE) {
		in[1] = in[0];
		s->op = find_op(f, op, d->dtype, 2, in);
		for (int32_t k = 0; k < f->n_path; k++)
			if (f->path[k].at == reducing)
				s->reducing = f->path[k].loop;
	} else {
		s->op = find_op(f, op, d->dtype, s->n_operand, in);
	}
	int32_t dest;
	LT_TRY(add_dest(f, n, leaf, &dest));
	f->stmt[stmt].dest = dest;
	return LT_OK;
}

/* A reduction's reset: the writer's loops over the result's vars, from its outermost reducing loop inwards. */
static lt_status add_reset(struct lt_freezer *f, lt_tnode loop, lt_node n)
{
	const struct lt_leaf *leaf;
	LT_TRY(lt__leaf(f->t, n, &leaf));
	int32_t n_above = lt__loops_above(f->t, f->t->leaf_of[n], NULL), before = f->n_path;
	lt_tnode *above = LT_NEW(f->a, lt_tnode, n_above + 1);
	lt__loops_above(f->t, f->t->leaf_of[n], above);
	bool inside = false;
	for (int32_t i = 0; i < n_above; i++) {
		inside = inside || above[i] == loop;
		if (inside && lt__leaf_column(leaf, f->t->node[above[i]].var) < leaf->n_out)
			open_loop(f, above[i]);
	}
	const struct lt_nodedef *d = &f->g->node[n];
	int32_t stmt = f->n_stmt;
	add_stmt(f, LT_RESET, n);
	enum lt_dtype in[3] = { d->dtype, d->dtype };
	int32_t op = find_op(f, d->op, d->dtype, 2, in), dest;
	struct lt_fpiece identity = { .kind = LT_IMMEDIATE, .access = -1, .first_guard = f->n_guard, .bits = f->op[op].identity };
	LT_GROW(f->a, f->piece, f->n_piece, f->cap_piece);
	f->piece[f->n_piece++] = identity;
	LT_GROW(f->a, f->operand, f->n_operand, f->cap_operand);
	f->operand[f->n_operand++] = (struct lt_operand){ .first_piece = f->n_piece - 1, .n_piece = 1, .dtype = d->dtype };
	LT_TRY(add_dest(f, n, leaf, &dest));
	struct lt_stmt *s = &f->stmt[stmt];
	s->op = op;
	s->n_operand = 1;
	s->dest = dest;
	while (f->n_path > before)
		close_loop(f);
	return LT_OK;
}

/* The recursion is as deep as the nest, not as the graph. */
static lt_status walk(struct lt_freezer *f, lt_tnode at)
{
	const struct lt_tnodedef *d = &f->t->node[at];
	if (d->kind == LT_TLEAF)
		return add_leaf(f, at);
	if (d->kind == LT_TGROUP && d->call)
		return lt__tree_fail(f->t, at, LT_EUNSUPPORTED, "no backend takes a group with `%s %s`; leave it out, or put it on a loop",
			d->loop == LT_CALL ? "call" : "tile", d->call);
	if (d->kind == LT_TLOOP) {
		for (lt_node n = f->first_reset[at]; n >= 0; n = f->next_reset[n])
			LT_TRY(add_reset(f, at, n));
		open_loop(f, at);
	}
	for (lt_tnode child = d->child; child >= 0; child = f->t->node[child].next)
		LT_TRY(walk(f, child));
	if (d->kind == LT_TLOOP)
		close_loop(f);
	return LT_OK;
}

static void forget_kernel(struct lt_freezer *f)
{
	for (int32_t i = 0; i < f->n_param; i++)
		f->param_of[f->param[i]] = -1;
	for (int32_t i = 0; i < f->n_buffer; i++)
		if (f->buffer[i].node >= 0)
			f->buffer_of_node[f->buffer[i].node] = -1;
		else if (f->buffer[i].storage >= 0)
			f->buffer_of_storage[f->buffer[i].storage] = -1;
	f->n_path = f->n_param = f->n_loop = f->n_div = f->n_buffer = f->n_access = f->n_piece = f->n_operand = 0;
	f->n_guard = f->n_bound = f->n_stmt = f->n_op = 0;
	f->needs = 0;
}

static int32_t *no_numbers(struct lt_arena *a, int64_t n)
{
	int32_t *at = LT_NEW(a, int32_t, n + 1);
	for (int64_t i = 0; i <= n; i++)
		at[i] = -1;
	return at;
}

lt_status lt__freeze(struct lt_looptree *t, const struct lt_places *layout, struct lt_arena *a, struct lt_frozen **out)
{
	const struct lt_graph *g = t->graph;
	struct lt_freezer f = { .t = t, .g = g, .layout = layout, .a = a,
		.first_reset = no_numbers(a, t->n_node), .next_reset = no_numbers(a, g->n_node),
		.param_of = no_numbers(a, g->n_param), .buffer_of_node = no_numbers(a, g->n_node),
		.buffer_of_storage = no_numbers(a, layout->n_storage) };
	*out = LT_NEW(a, struct lt_frozen, t->n_root + 1);
	for (lt_node n = g->n_node - 1; n >= 0; n--) {          /* backwards, so that the lists are in order */
		lt_tnode loop = t->leaf_of[n] >= 0 && g->node[n].reduce ? lt__reducing_loop(t, n) : -1;
		if (loop >= 0) {
			f.next_reset[n] = f.first_reset[loop];
			f.first_reset[loop] = n;
		}
	}
	int32_t number = 0;
	for (lt_tnode root = t->root; root >= 0; root = t->node[root].next) {
		LT_TRY(walk(&f, root));
		LT_TRY(lt__freeze_write(&f, root, number, &(*out)[number]));
		number++;
		forget_kernel(&f);
	}
	return LT_OK;
}
