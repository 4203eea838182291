/* Freezing: the walk over a root nest that makes its loops, resets and statements. */
#include "looptree/freeze/parts.h"

/* away: rows that have to hold as well as the piece's own guards. */
static lt_status add_piece(
	struct lt_freezer *f, const struct lt_leaf *leaf, const struct lt_readpiece *p, const struct lt_rows *away)
{
	struct lt_fpiece made, *out = &made;
	int32_t width = lt__map_width(&p->map);
	*out = (struct lt_fpiece){ .access = -1, .bits = p->bits, .kind = LT_IMMEDIATE };
	if (p->kind == LT_PIECE_READ) {
		out->kind = LT_READ;
		LT_TRY(lt__freeze_access(f, leaf, p->base, &p->map, false, &out->access));
	} else if (p->kind == LT_PIECE_INDEX) {
		out->kind = LT_AFFINE;
		lt__freeze_row(f, leaf, &p->map, p->map.row, -1, &out->row);
	}
	struct lt_rows guards = { 0 };
	for (int32_t i = 0; i < p->map.n_guard; i++) {
		struct lt_row row;
		lt__freeze_row(f, leaf, &p->map, p->map.guard + (int64_t)i * width, -1, &row);
		lt__rows_add(f, &guards, &row);
	}
	for (int32_t i = 0; i < away->n; i++)
		lt__rows_add(f, &guards, &away->at[i]);
	out->first_guard = lt__freeze_guards(f, &guards);
	out->n_guard = guards.n;
	LT_GROW(f->a, f->piece, f->n_piece, f->cap_piece);
	f->piece[f->n_piece++] = *out;
	return LT_OK;
}

static void add_immediate(struct lt_freezer *f, uint64_t bits)
{
	LT_GROW(f->a, f->piece, f->n_piece, f->cap_piece);
	f->piece[f->n_piece++] =
		(struct lt_fpiece){ .kind = LT_IMMEDIATE, .access = -1, .first_guard = f->n_guard, .bits = bits };
}

/* bits: what it is where a row of `away` does not hold. */
static lt_status add_operand(struct lt_freezer *f, const struct lt_leaf *leaf, const struct lt_read *read,
	const struct lt_rows *away, uint64_t bits)
{
	struct lt_operand operand = {
		.first_piece = f->n_piece, .n_piece = read->n_piece + (away->n > 0), .dtype = read->dtype
	};
	if (operand.n_piece > 1)
		f->needs |= LT_NEED_PIECES;
	for (int32_t i = 0; i < read->n_piece; i++)
		LT_TRY(add_piece(f, leaf, &read->piece[i], away));
	if (away->n > 0)
		add_immediate(f, bits);
	LT_GROW(f->a, f->operand, f->n_operand, f->cap_operand);
	f->operand[f->n_operand++] = operand;
	return LT_OK;
}

/* What keeps operand k from being read in a padded loop. */
static void find_away(struct lt_freezer *f, lt_node n, const struct lt_leaf *leaf, int32_t k,
	const struct lt_rows *guards, struct lt_rows *away)
{
	for (int32_t p = 0; p < leaf->read[k].n_piece; p++)
		if (leaf->read[k].piece[p].kind == LT_PIECE_READ)
			lt__pad_rows(f, n, leaf, leaf->read[k].piece[p].base, &leaf->read[k].piece[p].map, false, guards, away);
}

static lt_status add_gather(struct lt_freezer *f, const struct lt_leaf *leaf, int32_t stmt, lt_node n,
	const struct lt_rows *guards, struct lt_rows *away)
{
	/* One operand: the gathered element; the index is part of its access. */
	struct lt_leaf plain = *leaf;
	plain.gather = false;
	for (int32_t k = 0; k < 2; k++)
		if (leaf->read[k].n_piece != 1 || leaf->read[k].piece[0].kind != LT_PIECE_READ)
			return lt__tree_fail(f->t, f->t->leaf_of[n], LT_EUNSUPPORTED, "%%%s, by which %%%s gathers, is not in memory as "
				"it is: it is a view of several parts or of none; `materialize` it, or compile the graph, which does",
				f->g->node[f->g->node[n].operand[k]].name, f->g->node[n].name);
	find_away(f, n, leaf, 0, guards, away);
	find_away(f, n, &plain, 1, guards, away);
	LT_TRY(add_operand(f, leaf, &leaf->read[0], away, lt__pad_fallback(f, n, leaf->read[0].dtype)));
	int32_t index;
	const struct lt_readpiece *p = &leaf->read[1].piece[0];
	LT_TRY(lt__freeze_access(f, &plain, p->base, &p->map, false, &index));
	const struct lt_nodedef *x = &f->g->node[f->g->node[n].operand[0]];
	struct lt_faccess *a = &f->access[f->piece[f->operand[f->stmt[stmt].first_operand].first_piece].access];
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
	const struct lt_lanes *lanes = f->lanes[n];
	bool reduces = d->reduce && reducing >= 0;
	int32_t kind = !reduces ? LT_MAP : lanes && lanes->begin < 0 ? LT_COMBINE : LT_REDUCE, stmt = f->n_stmt;
	struct lt_rows guards = { 0 }, *away = LT_NEW(f->a, struct lt_rows, leaf->n_read + 1);
	lt__freeze_guard(f, n, leaf, &guards);
	for (int32_t i = 0; i < f->ahead.n; i++)
		lt__rows_add(f, &guards, &f->ahead.at[i]);
	lt__freeze_stmt(f, kind, n);
	enum lt_opcode op = d->op;
	if (leaf->gather) {
		LT_TRY(add_gather(f, leaf, stmt, n, &guards, &away[0]));
		op = LT_OP_copy;
	} else {
		for (int32_t k = 0; k < leaf->n_read; k++) {
			find_away(f, n, leaf, k, &guards, &away[k]);
			LT_TRY(add_operand(f, leaf, &leaf->read[k], &away[k],
				reduces ? lt__bits_of(lt__op_identity(d->op, d->dtype), d->dtype)
					: lt__pad_fallback(f, n, leaf->read[k].dtype)));
		}
		if (d->op == LT_OP_update || (d->reduce && !reduces))
			op = LT_OP_copy;
	}
	struct lt_stmt *s = &f->stmt[stmt];
	s->stream = f->t->node[at].stream;
	s->async = f->t->node[at].async && lt__freeze_is_async(f, n);
	s->n_operand = f->n_operand - s->first_operand;
	enum lt_dtype in[3] = { 0 };
	for (int32_t k = 0; k < s->n_operand; k++)
		in[k] = f->operand[s->first_operand + k].dtype;
	if (kind == LT_COMBINE)
		f->needs |= LT_NEED_COMBINE;
	if (reduces) {
		in[1] = in[0];
		s->op = lt__freeze_op(f, op, d->dtype, 2, in);
		for (int32_t k = 0; k < f->n_path; k++)
			if (f->path[k].at == reducing)
				s->reducing = f->path[k].loop;
	} else {
		s->op = lt__freeze_op(f, op, d->dtype, s->n_operand, in);
	}
	LT_TRY(lt__freeze_dest(f, n, leaf, stmt, reduces && lanes && lanes->begin >= 0, &guards));
	return lt__pad_fill(f, n, leaf, stmt, &guards, away);
}

static lt_status freeze_walk(struct lt_freezer *, lt_tnode);

static lt_status walk_children(struct lt_freezer *f, lt_tnode at)
{
	for (lt_tnode child = f->t->node[at].child; child >= 0; child = f->t->node[child].next)
		LT_TRY(f->t->node[at].kind == LT_TLOOP ? lt__freeze_multibuffer(f, at, child, freeze_walk) : freeze_walk(f, child));
	return LT_OK;
}

/* Resets come before all copies of a loop; combines, and the readers of the sums, after all of them. */
static lt_status walk_loop(struct lt_freezer *f, lt_tnode at)
{
	const struct lt_tnodedef *d = &f->t->node[at];
	int64_t step = lt__freeze_step(f, at);
	struct lt_peeled *copy;
	int32_t n;
	LT_TRY(lt__freeze_resets(f, at));
	LT_TRY(lt__freeze_first(f, at, step, freeze_walk));
	lt__freeze_copies(f, d->var, step, d->tail, &n, &copy);
	for (int32_t k = 0; k < n; k++) {
		int32_t loop = f->n_loop;
		LT_TRY(lt__freeze_open(f, at, d->var, step, d->tail, &copy[k]));
		LT_TRY(walk_children(f, at));
		lt__freeze_close(f);
		if (d->loop == LT_CALL || d->loop == LT_TILE)
			LT_TRY(lt__freeze_call(f, at, loop, &copy[k], step));
	}
	return lt__freeze_combines(f, at);
}

/* A loop of one iteration, over no var. */
static int32_t open_group(struct lt_freezer *f, lt_tnode at, enum lt_loop_kind kind)
{
	int32_t parent = f->n_path > 0 ? f->path[f->n_path - 1].loop : -1, loop = f->n_loop;
	LT_GROW(f->a, f->loop, f->n_loop, f->cap_loop);
	LT_GROW(f->a, f->path, f->n_path, f->cap_path);
	f->loop[f->n_loop++] = (struct lt_floop){ .parent = parent,
		.first_stmt = f->n_stmt,
		.at = at,
		.kind = kind,
		.max_trip_count = 1,
		.first_bound = f->n_bound,
		.line = { at, false } };
	f->path[f->n_path++] = (struct lt_step){ .var = -1, .step = 1, .cover = 1, .full = 1, .loop = loop, .at = at };
	return loop;
}

static lt_status walk_called(struct lt_freezer *f, lt_tnode at)
{
	int32_t loop = open_group(f, at, LT_CALL);
	LT_TRY(walk_children(f, at));
	lt__freeze_close(f);
	return lt__freeze_call(f, at, loop, NULL, 1);
}

static bool has_kind(const struct lt_looptree *t, lt_tnode at, enum lt_loop_kind kind)
{
	if (t->node[at].kind == LT_TLOOP && t->node[at].loop == kind)
		return true;
	for (lt_tnode c = t->node[at].child; c >= 0; c = t->node[c].next)
		if (has_kind(t, c, kind))
			return true;
	return false;
}

/* A group of what one block of threads does, no part of a larger block: one launch. */
static bool is_block(const struct lt_looptree *t, lt_tnode at)
{
	for (lt_tnode up = t->node[at].parent; up >= 0; up = t->node[up].parent)
		if (t->node[up].loop == LT_GRID || t->node[up].loop == LT_BLOCK)
			return false;
	return has_kind(t, at, LT_BLOCK) && !has_kind(t, at, LT_GRID);
}

static lt_status walk_block(struct lt_freezer *f, lt_tnode at)
{
	(void)open_group(f, at, LT_GROUP);
	LT_TRY(walk_children(f, at));
	lt__freeze_close(f);
	return LT_OK;
}

/* The recursion is as deep as the nest, not as the graph. */
static lt_status freeze_walk(struct lt_freezer *f, lt_tnode at)
{
	const struct lt_tnodedef *d = &f->t->node[at];
	if (d->kind == LT_TLEAF)
		return add_leaf(f, at);
	if (d->kind == LT_TGROUP && d->loop == LT_CALL)
		return walk_called(f, at);
	if (d->kind == LT_TGROUP && d->call)
		return lt__tree_fail(f->t, at, LT_EUNSUPPORTED,
			"no backend takes a group with `tile %s`; leave it out, or put it on a loop", d->call);
	if (d->kind == LT_TGROUP && is_block(f->t, at))
		return walk_block(f, at);
	return d->kind == LT_TLOOP ? walk_loop(f, at) : walk_children(f, at);
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
}

static int32_t *no_numbers(struct lt_arena *a, int64_t n)
{
	int32_t *at = LT_NEW(a, int32_t, n + 1);
	for (int64_t i = 0; i <= n; i++)
		at[i] = -1;
	return at;
}

struct freezing {
	struct lt_looptree *t;
	const struct lt_fmemory *memory;
	struct lt_arena *all, *nest, *keep;
	struct lt_frozen **out;
	lt_tnode *failed;
};

static lt_status freeze_all(void *arg)
{
	struct freezing *x = arg;
	struct lt_arena *a = x->all;
	struct lt_looptree *t = x->t;
	const struct lt_graph *g = t->graph;
	struct lt_freezer f = { .t = t,
		.g = g,
		.memory = x->memory,
		.a = a,
		.all = a,
		.keep = x->keep,
		.first_reset = no_numbers(a, t->n_node),
		.next_reset = no_numbers(a, g->n_node),
		.first_lanes = no_numbers(a, t->n_node),
		.next_lanes = no_numbers(a, g->n_node),
		.lanes = LT_NEW(a, struct lt_lanes *, g->n_node + 1),
		.param_of = no_numbers(a, g->n_param),
		.buffer_of_node = no_numbers(a, g->n_node),
		.buffer_of_storage = no_numbers(a, x->memory->n_storage),
		.fill = LT_NEW(a, struct lt_fill *, g->n_node + 1) };
	LT_GROW(f.a, f.stride, f.n_stride, f.cap_stride);       /* what has no axes points there, too */
	*x->out = LT_NEW(x->keep, struct lt_frozen, t->n_root + 1);
	lt__freeze_reductions(&f);
	const struct lt_freezer empty = f;
	int32_t number = 0;
	*x->failed = -1;
	for (lt_tnode root = t->root; root >= 0; root = t->node[root].next) {
		lt__arena_free(x->nest);
		x->nest = NULL;
		LT_TRY(lt__arena_new(t->ctx, &x->nest));
		f = empty;
		f.a = x->nest;
		*x->failed = root;
		LT_TRY(freeze_walk(&f, root));
		lt__freeze_barriers(&f);
		LT_TRY(lt__freeze_write(&f, root, number, &(*x->out)[number]));
		number++;
		forget_kernel(&f);
	}
	*x->failed = -1;
	return LT_OK;
}

lt_status lt__freeze(struct lt_looptree *t, const struct lt_fmemory *memory, struct lt_arena *keep,
	struct lt_frozen **out, lt_tnode *failed)
{
	struct freezing x = { .t = t, .memory = memory, .keep = keep, .out = out, .failed = failed };
	struct lt_spending spending;
	LT_TRY(lt__arena_new(t->ctx, &x.all));
	lt__spending_begin(t->ctx, &spending, "freezing");
	lt_status st = lt__protect(t->ctx, freeze_all, &x);
	lt__spending_end(t->ctx, &spending);
	lt__arena_free(x.nest);
	lt__arena_free(x.all);
	return st;
}
