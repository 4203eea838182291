/* tail.c -- what happens to a loop's partial last iteration; and the rule of constant extents, which says where
 * guard is not enough. */
#include "looptree/legality/legality.h"

/* What a loop may cover in an iteration of those around it: a few numbers, or (any) whatever a run-time scalar
 * gives. */
enum { MAX_LEVELS = 32 };
struct tail_extents { int32_t n; bool any; int64_t at[MAX_LEVELS + 2]; };

static void add_extent(struct tail_extents *x, int64_t extent)
{
	for (int32_t i = 0; i < x->n; i++)
		if (x->at[i] == extent)
			return;
	if (x->n < MAX_LEVELS + 2)
		x->at[x->n++] = extent;
}

/* From what a loop covers to what one iteration of it does.  Returns the smallest remainder of a partial iteration, 0:
 * all are whole. */
static int64_t go_in(const struct lt_tnodedef *loop, struct tail_extents *x)
{
	struct tail_extents in = { .any = x->any };
	const bool whole = loop->tail == LT_MASK || loop->tail == LT_PAD
		|| (loop->tail == LT_PEEL && x->any && loop->step > LT_MAX_COUNTED);
	int64_t min = x->any && loop->step > 1 ? 1 : 0;
	for (int32_t i = 0; i < x->n; i++) {
		int64_t remainder = x->at[i] % loop->step;
		if (x->at[i] >= loop->step || whole)
			add_extent(&in, loop->step);
		if (remainder > 0 && !whole)
			add_extent(&in, remainder);
		min = remainder > 0 && (min == 0 || remainder < min) ? remainder : min;
	}
	if (loop->step == 1 || whole) {
		in = (struct tail_extents){ .n = 1 };
		in.at[0] = loop->step;
	}
	*x = in;
	return min;
}

/* Follows the loops over the var from the outermost to the one around `loop`; what that one's iterations leave is what
 * counts. */
lt_status lt__check_extent(const struct lt_looptree *t, lt_tnode loop)
{
	const struct lt_tnodedef *d = &t->node[loop];
	lt_tnode level[MAX_LEVELS];
	int32_t n = 0;
	if (d->kind != LT_TLOOP || !lt__is_constant_kind(d->loop))
		return LT_OK;
	const struct lt_vardef *v = &t->graph->var[d->var];
	for (lt_tnode up = lt__loop_around(t, loop); up >= 0 && n < MAX_LEVELS; up = lt__loop_around(t, up))
		level[n++] = up;
	if (n == MAX_LEVELS)
		return lt_fail(t->ctx, LT_EUNSUPPORTED,
			"there are more than %d loops over %s around each other; merge some", MAX_LEVELS, v->name);
	struct tail_extents x = { .n = 1, .any = v->bounded };
	x.at[0] = v->extent;
	int64_t remainder = 0;
	bool open = x.any;
	for (int32_t i = n; i-- > 0;) {
		open = x.any;
		remainder = go_in(&t->node[level[i]], &x);
	}
	const char *kind = lt__kind_word(d->loop, d->arg)->word;
	if (n == 0)
		return !v->bounded
			? LT_OK
			: lt__tree_fail(t, loop, LT_EILLEGAL,
				"the %s loop %s has to have a constant extent, and that of %s depends on a run-time "
				"scalar; split it and give the outer loop tail mask or pad first, or make it serial",
				kind, lt__loop_path(t, loop), v->name);
	const struct lt_tnodedef *o = &t->node[level[0]];
	if (remainder > 0 && o->tail == LT_GUARD)
		return lt__tree_fail(t, loop, LT_EILLEGAL, "the %s loop %s has to have a constant extent, but the last iteration of "
			"%s covers %s of %lld and its tail is guard; give that tail %s first, or a step that divides", kind,
			lt__loop_path(t, loop), lt__loop_name(t, level[0]),
			open ? "what a run-time scalar leaves" : lt__scratch(t->ctx, "%lld", (long long)remainder), (long long)o->step,
			open ? "mask or pad" : "peel, mask or pad");
	return LT_OK;
}

enum { MAX_PADDING = 1 << 20 };      /* elements that a padded loop may run past its var's extent */

/* A peeled loop over a var whose extent is counted at run time has one iteration, of what is left: the loop around it
 * goes in the same steps.  Only the extent may leave less than a step. */
static lt_status check_counted(const struct lt_looptree *t, lt_tnode loop)
{
	const struct lt_tnodedef *d = &t->node[loop];
	const char *var = t->graph->var[d->var].name;
	lt_tnode in = lt__loop_around(t, loop);
	if (in < 0 || t->node[in].step != d->step)
		return lt__tree_fail(t, loop, LT_EILLEGAL, "the extent of %s depends on a run-time scalar, so the loop %s has no "
			"fixed remainder to peel; put another loop over %s in steps of %lld right around it, or choose guard, mask or pad",
			var, lt__loop_path(t, loop), var, (long long)d->step);
	for (lt_tnode up = lt__loop_around(t, in); up >= 0; in = up, up = lt__loop_around(t, up))
		if (t->node[up].step % t->node[in].step != 0)
			return lt__tree_fail(t, loop, LT_EILLEGAL, "the loop %s is peeled, and a run-time scalar says how much of %s is "
				"left; so the steps of the loops around it have to be multiples of those inside, but %lld is none of %lld",
				lt__loop_path(t, loop), var, (long long)t->node[up].step, (long long)t->node[in].step);
	return LT_OK;
}

lt_status lt__check_tail(const struct lt_looptree *t, lt_tnode loop)
{
	const struct lt_tnodedef *d = &t->node[loop];
	const struct lt_vardef *v = &t->graph->var[d->var];
	bool known = !v->bounded;       /* what an iteration of the loops around covers */
	for (lt_tnode up = lt__loop_around(t, loop); up >= 0; up = lt__loop_around(t, up))
		known = known || t->node[up].tail == LT_PAD || lt__is_counted(t, up);
	if (d->tail == LT_PEEL && !known)
		LT_TRY(check_counted(t, loop));
	if (d->tail == LT_PAD && d->step > v->extent && d->step - v->extent > MAX_PADDING)
		return lt__tree_fail(t, loop, LT_EILLEGAL,
			"the loop %s would pad the %lld elements of %s to %lld; choose a smaller step",
			lt__loop_path(t, loop), (long long)v->extent, v->name, (long long)d->step);
	return lt__check_extent(t, loop);
}
