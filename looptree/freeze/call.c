/* Calls of a frozen tree: the nest inside an LT_CALL loop as dims, strides and epilogues, however its loops cut the
 * vars.
 *
 * The dims are the iterations of loops of step 1 that would be in the call's place; where an operand's elements lie
 * along them is asked with these loops around it, so that views, tiles and layouts outside the call are all in the
 * one row and the strides.
 */
#include <stdlib.h>
#include "looptree/call/call.h"
#include "looptree/freeze/parts.h"

struct call_nest {
	struct lt_freezer *f;
	lt_tnode at;
	const struct lt_peeled *copy;
	int64_t step;
	const char *where, *why;
	struct lt_contraction c;
	int64_t first[LT_MAX_RANK];     /* by dim: of a peeled remainder, elements before it */
};

static bool fail(struct call_nest *x, const char *why)
{
	x->why = x->why ? x->why : why;
	return false;
}
#define FAIL(x, ...) fail((x), lt__arena_format((x)->f->keep, __VA_ARGS__))

/* The node of the tree after `at`, in the nest of the call; -1: that ends. */
static lt_tnode next_of(const struct lt_looptree *t, lt_tnode at)
{
	lt_tnode next = lt_looptree_after(t, at);
	return next >= 0 && t->node[next].parent >= 0 ? next : -1;
}

static bool is_outside(const struct call_nest *x, lt_node n)
{
	const struct lt_looptree *t = x->f->t;
	if (t->scope[n].whole)
		return true;
	for (lt_tnode at = lt__root_of(t, x->at); at >= 0; at = next_of(t, at)) {
		const struct lt_leaf *leaf =
			t->node[at].kind == LT_TLEAF && !lt__is_above(t, x->at, at) ? t->leaf[t->node[at].leaf] : NULL;
		for (int32_t k = 0; leaf && k < leaf->n_read; k++)
			for (int32_t p = 0; p < leaf->read[k].n_piece; p++)
				if (leaf->read[k].piece[p].base == n)
					return true;
	}
	return false;
}

static int by_call_node(const void *a, const void *b)
{
	return (*(const lt_node *)a > *(const lt_node *)b) - (*(const lt_node *)a < *(const lt_node *)b);
}

/* The leaves inside the call, in the order of the graph. */
static lt_node *find_members(const struct call_nest *x, int32_t *n)
{
	const struct lt_looptree *t = x->f->t;
	lt_node *member = NULL;
	int32_t cap = 0;
	*n = 0;
	for (lt_tnode at = lt_looptree_after(t, x->at); at >= 0 && lt__is_above(t, x->at, at); at = lt_looptree_after(t, at)) {
		if (t->node[at].kind != LT_TLEAF)
			continue;
		LT_GROW(x->f->a, member, *n, cap);
		member[(*n)++] = t->node[at].leaf;
	}
	qsort(member, (size_t)*n, sizeof *member, by_call_node);
	return member;
}

/* What the leaves inside the call compute. */
static bool call_find(struct call_nest *x)
{
	struct lt_freezer *f = x->f;
	const struct lt_looptree *t = f->t;
	lt_node end = -1;
	int32_t n;
	const lt_node *member = find_members(x, &n);
	for (int32_t i = 0; i < n; i++) {
		lt_node u = member[i];
		if (t->node[t->leaf_of[u]].depth > 1)
			return FAIL(x, "%%%s is made ahead of its use; stage it outside of %s", t->graph->node[u].name, x->where);
		if (!is_outside(x, u))
			continue;
		if (end >= 0)
			return FAIL(x,
				"%%%s and %%%s are both read outside of %s, and a routine writes one value; move one "
				"of them out",
				t->graph->node[end].name, t->graph->node[u].name, x->where);
		end = u;
	}
	if (end < 0)
		return FAIL(x, "nothing that is computed in %s is read outside of it", x->where);
	x->why = lt__contraction_find(f->t, f->keep, member, n, end, x->where, &x->c);
	return !x->why;
}

static bool is_dim(const struct call_nest *x, lt_var v, bool deep)
{
	for (int32_t d = 0; d < x->c.n_dim; d++)
		if (x->c.dim[d] == v && (!deep || x->c.role[d] == LT_DIM_DEEP))
			return true;
	return false;
}

/* The loops around the call and in it: none outside sums, none is padded. */
static bool check_loops(struct call_nest *x)
{
	const struct lt_looptree *t = x->f->t;
	struct lt_rows on = { 0 };
	for (lt_tnode up = t->node[x->at].parent; up >= 0; up = t->node[up].parent)
		if (t->node[up].kind == LT_TLOOP && is_dim(x, t->node[up].var, true))
			return FAIL(x, "the loop %s around the call also sums %%%s; a routine computes the whole sum: put the call on that "
				"loop",
				lt__loop_path(t, up), t->graph->node[x->c.sum].name);
	for (lt_tnode at = lt__root_of(t, x->at); at >= 0; at = next_of(t, at))
		if (t->node[at].kind == LT_TLOOP && t->node[at].tail == LT_PAD
			&& (at == x->at || lt__is_above(t, x->at, at) || lt__is_above(t, at, x->at)))
			return FAIL(x, "the loop %s is padded, and a routine does not fill what is past the end; give it tail guard",
				lt__loop_path(t, at));
	if (x->copy && x->copy->peeled && is_dim(x, t->node[x->at].var, true))
		return FAIL(x, "the loop %s sums and is peeled into several calls; give it tail guard", lt__loop_path(t, x->at));
	if (x->copy && x->copy->counted)
		return FAIL(x, "%s is peeled, and a run-time scalar says what is left; give it tail guard", x->where);
	lt__freeze_on(x->f, &on);
	if (on.n > 0 || x->f->ahead.n > 0)
		return FAIL(x, "some iterations of the loops around %s are left out, and a routine cannot leave them out; make these "
			"loops serial", x->where);
	return true;
}

/* A matrix instruction adds to what is there; what is past the end in a padded loop is filled as the loops fill it. */
static bool check_tile_loops(struct call_nest *x)
{
	struct lt_freezer *f = x->f;
	struct lt_rows on = { 0 };
	lt__freeze_on(f, &on);
	if (on.n > 0 || f->ahead.n > 0)
		return FAIL(x, "some iterations of the loops around %s are left out; give the loop with a partial iteration tail pad",
			x->where);
	if (x->copy && x->copy->peeled)
		return FAIL(x, "%s is peeled into several nests; give it tail pad", x->where);
	return true;
}

/* An instruction has no conditions, and adds to a sum that began before. */
static void check_tile_stmts(struct call_nest *x, int32_t loop)
{
	const struct lt_freezer *f = x->f;
	for (int32_t s = f->loop[loop].first_stmt; s < f->loop[loop].first_stmt + f->loop[loop].n_stmt && !x->why; s++) {
		const char *name = f->g->node[f->stmt_node[s]].name;
		if (f->stmt[s].kind == LT_RESET)
			FAIL(x, "%%%s begins in it; put a loop over what is reduced around it", name);
		else if (f->stmt[s].kind == LT_COMBINE)
			FAIL(x, "vector or block loops in it reduce; make them serial");
		else if (f->stmt[s].n_guard > 0)
			FAIL(x, "%%%s is not computed in all of its iterations; stage what is padded", name);
		for (int32_t o = 0; o < f->stmt[s].n_operand && !x->why; o++)
			if (f->operand[f->stmt[s].first_operand + o].n_piece > 1)
				FAIL(x, "what %%%s reads is not there in all of its iterations; stage it in a loop around it", name);
	}
	for (int32_t l = loop; l < f->n_loop && !x->why; l++)
		if (f->loop[l].kind == LT_BLOCK || f->loop[l].kind == LT_GRID || f->loop[l].kind == LT_PARALLEL)
			FAIL(x, "the loop %s in it has threads of its own; make it serial", lt__loop_path(f->t, f->loop[l].at));
	if (f->loop[loop].at == x->at && is_dim(x, f->t->node[x->at].var, true))
		FAIL(x, "the loop is the one that reduces; put the tile on the loop over rows, outside of it");
}

static void check_tile(struct call_nest *x, const struct lt_call *call)
{
	const struct lt_freezer *f = x->f;
	const struct lt_tile_row *row = lt__tile_find(f->t->node[x->at].call);
	struct lt_callshape shape = { .pattern = LT_PATTERN_PRODUCT, .epilogues = x->c.epilogues, .sum = x->c.type,
		.n_dim = x->c.n_dim, .n_operand = x->c.n_operand };
	bool bounded[LT_MAX_RANK] = { false };
	check_tile_stmts(x, call->loop);
	if (x->why)
		return;
	for (int32_t d = 0; d < x->c.n_dim; d++) {
		const struct lt_fcalldim *dim = &f->call_dim[call->first_dim + d];
		shape.role[d] = dim->role;
		shape.extent[d] = dim->extent;
		shape.var[d] = f->g->var[dim->var].name;
		bounded[d] = dim->n_bound > 0;
	}
	for (int32_t o = 0; o < x->c.n_operand; o++) {
		shape.dtype[o] = f->buffer[f->call_operand[call->first_operand + o].buffer].dtype;
		shape.name[o] = f->g->node[x->c.operand[o].piece ? x->c.operand[o].piece->base : x->c.end].name;
	}
	x->why = row ? lt__tile_refuses(f->keep, row, &shape, bounded) : "there is no matrix instruction of that name";
}

/* Elements of dim d, as bounds of iterations. */
static void add_dim(struct call_nest *x, int32_t d, int32_t loop)
{
	struct lt_freezer *f = x->f;
	struct lt_fcalldim dim = { .var = x->c.dim[d], .role = x->c.role[d] };
	const struct lt_floop *of = &f->loop[loop];
	if (x->copy && x->copy->peeled && f->t->node[x->at].var == dim.var) {
		int64_t covers = x->copy->remainder ? x->copy->cover : x->step;
		x->first[d] = x->copy->remainder ? x->copy->first * x->step : 0;
		dim.extent = of->max_trip_count * covers;
		dim.first_bound = f->n_bound;
		dim.n_bound = of->n_bound;
		for (int32_t i = 0; i < dim.n_bound; i++) {
			struct lt_row row = { 0 };
			lt__row_plus(f, &row, &f->bound[f->loop[loop].first_bound + i], covers);
			LT_GROW(f->a, f->bound, f->n_bound, f->cap_bound);
			f->bound[f->n_bound++] = row;
		}
	} else {
		const struct lt_peeled all = { .peeled = false };
		struct lt_floop floop = { .kind = LT_SERIAL };
		struct lt_step step = { .var = dim.var, .step = 1, .full = 1 };
		lt__freeze_trip_count(f, &all, &floop, &step);
		dim.extent = floop.max_trip_count;
		dim.first_bound = floop.first_bound;
		dim.n_bound = floop.n_bound;
	}
	LT_GROW(f->a, f->call_dim, f->n_call_dim, f->cap_call_dim);
	f->call_dim[f->n_call_dim++] = dim;
}

/* Loops over the dims, in terms of the vars of a leaf; -1 for a dim that it does not have. */
static bool open_dims(struct call_nest *x, const struct lt_leaf *leaf, int32_t first_dim, int32_t *loop_of)
{
	struct lt_freezer *f = x->f;
	int32_t n_outer = f->n_path;
	for (int32_t d = 0; d < x->c.n_dim; d++)
		loop_of[d] = -1;
	for (int32_t i = 0; i < leaf->n_var; i++)
		for (int32_t d = 0; d < x->c.n_dim; d++) {
			lt_var v = leaf->var[i], dim = x->c.dim[d];
			if (lt__call_as(&x->c, v) != dim)
				continue;
			for (int32_t k = 0; k < n_outer && v != dim; k++)
				if (f->path[k].var == v || f->path[k].var == dim)
					return FAIL(x, "the loop %s around the call is over one of two equal vars, of which %s is one; put the call on "
						"that loop",
						f->g->var[f->path[k].var].name, f->g->var[dim].name);
			LT_GROW(f->a, f->path, f->n_path, f->cap_path);
			LT_GROW(f->a, f->loop, f->n_loop, f->cap_loop);
			f->path[f->n_path++] = (struct lt_step){ .var = v,
				.step = 1,
				.first = x->first[d],
				.cover = 1,
				.full = 1,
				.loop = f->n_loop,
				.at = -1 };
			f->loop[f->n_loop] = (struct lt_floop){ .parent = -1,
				.kind = LT_SERIAL,
				.max_trip_count = f->call_dim[first_dim + d].extent,
				.at = -1 };
			loop_of[d] = f->n_loop++;
		}
	return true;
}

/* Row and strides of operand o. */
static lt_status add_operand(struct call_nest *x, int32_t o, int32_t first_dim)
{
	struct lt_freezer *f = x->f;
	const struct lt_callread *r = &x->c.operand[o];
	const struct lt_leaf *leaf = f->t->leaf[r->leaf];
	int32_t n_loop = f->n_loop, n_path = f->n_path, n_div = f->n_div, n_access = f->n_access, access, loop_of[LT_MAX_RANK];
	lt_node base = r->piece ? r->piece->base : r->leaf;
	struct lt_map dest;
	lt_status st = LT_OK;
	if (!r->piece)
		lt__leaf_dest(f->g, f->a, r->leaf, leaf, &dest);
	if (open_dims(x, leaf, first_dim, loop_of)
		&& !(st = lt__freeze_access(f, leaf, base, r->piece ? &r->piece->map : &dest, !r->piece, &access))) {
		struct lt_fcalloperand *made;
		LT_GROW(f->a, f->call_operand, f->n_call_operand, f->cap_call_operand);
		made = &f->call_operand[f->n_call_operand++];
		*made = (struct lt_fcalloperand){ .buffer = f->access[access].buffer,
			.row = { .constant = f->access[access].row.constant },
			.first_stride = f->n_stride };
		for (int32_t d = 0; d < x->c.n_dim; d++) {
			LT_GROW(f->a, f->stride, f->n_stride, f->cap_stride);
			f->stride[f->n_stride++] = 0;
		}
		for (int32_t i = 0; i < f->access[access].row.n; i++) {
			const struct lt_term *term = &f->access[access].row.term[i];
			int32_t d = 0;
			while (d < x->c.n_dim && (term->kind != LT_TERM_LOOP || term->at != loop_of[d]))
				d++;
			if (d < x->c.n_dim)
				f->stride[made->first_stride + d] = term->coef;
			else if (term->kind == LT_TERM_DIV && term->at >= n_div)
				FAIL(x,
					"the elements of %%%s lie in blocks that %s cuts; materialize it, or choose "
					"another layout",
					f->g->node[base].name, x->where);
			else
				lt__row_term(f, &made->row, term->kind, term->at, term->coef);
		}
	}
	f->n_loop = n_loop;
	f->n_path = n_path;
	f->n_div = n_div;
	f->n_access = n_access;
	return st;
}

static lt_status describe(struct call_nest *x, struct lt_call *call)
{
	struct lt_freezer *f = x->f;
	const struct lt_floop *loop = &f->loop[call->loop];
	uint64_t needs = f->needs;
	call->stmt = -1;
	for (int32_t s = loop->first_stmt + loop->n_stmt; s-- > loop->first_stmt;)
		if (lt__stmt_reduces(&f->stmt[s]) && f->stmt_node[s] == x->c.sum)
			call->stmt = s;
	if (call->stmt < 0) {
		FAIL(x, "%%%s is summed over nothing in %s", f->g->node[x->c.sum].name, x->where);
		return LT_OK;
	}
	for (int32_t d = 0; d < x->c.n_dim; d++)
		add_dim(x, d, call->loop);
	call->n_dim = x->c.n_dim;
	for (int32_t o = 0; o < x->c.n_operand && !x->why; o++)
		LT_TRY(add_operand(x, o, call->first_dim));
	call->n_operand = x->c.n_operand;
	f->needs = needs | (f->needs & LT_NEED_PARAMS);
	call->pattern = LT_PATTERN_PRODUCT;
	call->epilogues = x->c.epilogues;
	call->sum = x->c.type;
	return LT_OK;
}

lt_status lt__freeze_call(struct lt_freezer *f, lt_tnode at, int32_t loop, const struct lt_peeled *copy, int64_t step)
{
	bool group = f->t->node[at].kind == LT_TGROUP;
	struct call_nest x = { .f = f, .at = at, .copy = copy, .step = step };
	struct lt_call call = { .loop = loop,
		.pattern = LT_PATTERN_NONE,
		.stmt = -1,
		.anchor = -1,
		.first_dim = f->n_call_dim,
		.first_operand = f->n_call_operand };
	x.where = group ? "the group" : lt__arena_format(f->keep, "the loop %s", lt__loop_path(f->t, at));
	bool tile = f->loop[loop].kind == LT_TILE;
	if (call_find(&x) && (tile ? check_tile_loops(&x) : check_loops(&x)))
		LT_TRY(describe(&x, &call));
	if (tile && !x.why)
		check_tile(&x, &call);
	if (tile && !x.why)
		f->needs |= LT_NEED_TILE;
	if (x.why) {
		f->n_call_dim = call.first_dim;
		f->n_call_operand = call.first_operand;
		call = (struct lt_call){ .loop = loop,
			.pattern = LT_PATTERN_NONE,
			.stmt = -1,
			.anchor = -1,
			.first_dim = call.first_dim,
			.first_operand = call.first_operand };
	}
	LT_GROW(f->a, f->call, f->n_call, f->cap_call);
	LT_GROW(f->a, f->call_report, f->n_call, f->cap_call_report);
	f->call_report[f->n_call] = (struct lt_call_reason){ .at = at, .why = x.why, .where = x.where };
	for (int32_t o = 0; o < LT_CALL_NAMES && o < x.c.n_operand && !x.why; o++)
		f->call_report[f->n_call].operand[o] = x.c.operand[o].piece ? x.c.operand[o].piece->base : x.c.end;
	f->call[f->n_call++] = call;
	return LT_OK;
}
