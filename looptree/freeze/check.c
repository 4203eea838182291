/* check.c -- whether each call and tile of a frozen tree is one that the target's tables have: by its row, or why
 * not. */
#include <string.h>
#include "ir/node/node.h"
#include "looptree/call/call.h"
#include "looptree/freeze/freeze.h"

void lt__call_shape(const struct lt_looptree *t, const struct lt_frozen *f, int32_t i, struct lt_callshape *out)
{
	const struct lt_tree *x = &f->tree;
	const struct lt_call *c = LT_AT(struct lt_call, x->calls, i);
	*out = (struct lt_callshape){ .pattern = (uint32_t)c->pattern,
		.epilogues = c->epilogues,
		.sum = c->sum,
		.n_dim = c->n_dim,
		.n_operand = c->n_operand,
		.n_rounding = c->pattern == LT_PATTERN_PRODUCT ? lt__call_roundings(x, c) : 0 };
	if (out->n_rounding) {
		const struct lt_nodedef *first = &t->graph->node[f->call[i].unrounded[0]];
		out->rounded = first->name;
		out->rounded_to = first->dtype;
	}
	for (int32_t d = 0; d < c->n_dim; d++) {
		const struct lt_call_dim *dim = LT_AT(struct lt_call_dim, x->call_dims, c->first_dim + d);
		out->role[d] = dim->role;
		out->extent[d] = dim->extent;
		out->var[d] = dim->var;
		for (int32_t b = 0; b < dim->n_bound; b++)
			out->bounded[d] = out->bounded[d] || lt__row_has_params(x, x->bounds[dim->first_bound + b]);
	}
	for (int32_t o = 0; o < c->n_operand; o++) {
		const struct lt_call_operand *p = LT_AT(struct lt_call_operand, x->call_operands, c->first_operand + o);
		const struct lt_buffer *b = LT_AT(struct lt_buffer, x->buffers, p->buffer);
		out->dtype[o] = LT_AT(struct lt_type, x->types, b->type)->dtype;
		out->name[o] = t->graph->node[f->call[i].operand[o]].name;
		for (int32_t d = 0; d < c->n_dim; d++)
			out->stride[o][d] = x->strides[p->first_stride + d];
	}
}

static const char *names_of(struct lt_arena *a, const struct lt_target *target)
{
	struct lt_text x = { .arena = a };
	for (int32_t i = 0; i < lt__routine_count(target); i++) {
		bool known = !lt__routine_is_sound(lt__routine_at(target, i));
		for (int32_t k = 0; k < i && !known; k++)
			known = lt__routine_is_sound(lt__routine_at(target, k))
				&& !strcmp(lt__routine_at(target, k)->name, lt__routine_at(target, i)->name);
		if (!known)
			lt__text_format(&x, "%s%s", x.n ? ", " : "", lt__routine_at(target, i)->name);
	}
	return x.n ? x.at : "none";
}

static const char *tile_names(struct lt_arena *a, const struct lt_target *target)
{
	struct lt_text x = { .arena = a };
	for (uint32_t i = 0; i < target->tiles.n; i++)
		lt__text_format(&x, "%s%s", x.n ? ", " : "", *LT_AT(char *, target->tiles, i));
	return x.at;
}

/* LT_OK, or why the target does not have the instruction.  A target that names none is not asked. */
static lt_status check_tile(const struct lt_looptree *t, const struct lt_call_reason *reason, bool described,
	const struct lt_target *target, struct lt_arena *a)
{
	const char *name = t->node[reason->at].call;
	bool known = false;
	if (target->size < offsetof(struct lt_target, tiles) + sizeof target->tiles || target->tiles.n == 0)
		return LT_OK;
	for (uint32_t i = 0; i < target->tiles.n; i++)
		known = known || strcmp(*LT_AT(char *, target->tiles, i), name) == 0;
	if (!known)
		return lt__tree_fail(t, reason->at, LT_EILLEGAL,
			"`tile %s` on %s: %s has no matrix instruction of that name; it has %s", name, reason->where,
			target->name ? target->name : "the target", tile_names(a, target));
	return described ? LT_OK : lt__tree_fail(t, reason->at, LT_EILLEGAL, "`tile %s` on %s: %s", name, reason->where,
		reason->why);
}

/* "hard_swish, product" */
static const char *own_names(struct lt_arena *a, const struct lt_graph *g)
{
	struct lt_text x = { .arena = a };
	for (int32_t i = 0; i < g->n_own; i++) {
		bool before = false;
		for (int32_t k = 0; k < i; k++)
			before = before || strcmp(g->own[k].name, g->own[i].name) == 0;
		if (!before)
			lt__text_format(&x, "%s%s", x.n ? ", " : "", lt__own_word(a, g->own[i].name));
	}
	return x.at;
}

struct call_check {
	const struct lt_looptree *t;
	const struct lt_frozen *f;
	const struct lt_target *target;
	struct lt_arena *a;
};

/* A name may have several rows: one has to fit.  Else the one that came farthest says why not. */
static lt_status check_call(const struct call_check *x, int32_t i)
{
	const struct lt_call *c = LT_AT(struct lt_call, x->f->tree.calls, i);
	const struct lt_call_reason *reason = &x->f->call[i];
	const char *name = x->t->node[reason->at].call, *why = NULL;
	struct lt_callshape shape;
	struct lt_take_reach far = { LT_TAKE_WHOLE, 0 };
	bool known = false;
	if (x->t->node[reason->at].loop == LT_TILE)
		return check_tile(x->t, reason, c->pattern != LT_PATTERN_NONE, x->target, x->a);
	if (reason->own && reason->why)
		return lt__tree_fail(x->t, reason->at, LT_EILLEGAL, "`call %s` on %s: %s", name, reason->where, reason->why);
	if (c->source || (lt__routine_count(x->target) == 0 && x->t->graph->n_own == 0))
		return LT_OK;
	if (lt__routine_count(x->target) == 0)
		return lt__tree_fail(x->t, reason->at, LT_EILLEGAL, "`call %s` on %s: nothing in the graph is a call of %s; there "
			"are calls of %s", name, reason->where, name, own_names(x->a, x->t->graph));
	lt__call_shape(x->t, x->f, i, &shape);
	for (int32_t k = 0; k < lt__routine_count(x->target); k++) {
		const struct lt_routine *r = lt__routine_at(x->target, k);
		if (!lt__routine_is_sound(r) || strcmp(r->name, name) != 0)
			continue;
		known = true;
		if (r->pattern == LT_PATTERN_NONE && !lt__routine_refuses(x->a, x->target, r, &shape))
			return LT_OK;
		struct lt_take_reach reach = { LT_TAKE_WHOLE, 0 };
		const char *refusal = lt__routine_is_graph(x->target, k) ? c->undescribed ? c->undescribed
			: lt__routine_refuses_graph(x->a, r, &x->f->tree, c, &reason->name, &reach)
			: c->pattern == LT_PATTERN_NONE ? reason->why : lt__routine_refuses(x->a, x->target, r, &shape);
		if (!refusal)
			return LT_OK;
		if (!why || lt__came_farther(reach, far)) {
			why = refusal;
			far = reach;
		}
	}
	if (!known)
		return lt__tree_fail(x->t, reason->at, LT_EILLEGAL,
			"`call %s` on %s: %s has no routine of that name; it has %s", name, reason->where,
			x->target->name ? x->target->name : "the target", names_of(x->a, x->target));
	return lt__tree_fail(x->t, reason->at, LT_EILLEGAL, "`call %s` on %s: %s", name, reason->where, why);
}

static lt_status check_body(void *arg)
{
	const struct call_check *x = arg;
	for (int32_t i = 0; i < (int32_t)x->f->tree.calls.n; i++)
		LT_TRY(check_call(x, i));
	return LT_OK;
}

lt_status lt__check_calls(const struct lt_looptree *t, const struct lt_frozen *f, const struct lt_target *target)
{
	struct call_check x = { t, f, target, NULL };
	if (!target || f->tree.calls.n == 0)
		return LT_OK;
	LT_TRY(lt__arena_new(t->ctx, &x.a));
	lt_status st = lt__protect(t->ctx, check_body, &x);
	lt__arena_free(x.a);
	return st;
}
