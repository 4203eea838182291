/* Whether a tree is legal: by its structure where that is enough, by isl where it is not; and what breaks it.
 *
 * The rules of check.c, where they hold, order every read after its write; what is left then are the kinds of loops.
 * The exact check asks, value by value, whether each read finds the element that it means and whether iterations of a
 * loop that may run in any order meet in a cell.  Whole values that cross root nests are ordered by the nests.
 */
#include "looptree/legality/depend.h"
#include "looptree/legality/legality.h"
#include "lt/schedule.h"

static const char *unordered_word(enum lt_loop_kind kind)
{
	switch (kind) {
	case LT_PARALLEL: return "parallel";
	case LT_VECTOR:   return "vector";
	case LT_GRID:     return "grid";
	case LT_BLOCK:    return "block";
	case LT_RANK:     return "rank";
	default:          return NULL;
	}
}

static bool is_unordered(const struct lt_looptree *t, lt_tnode loop)
{
	return t->node[loop].kind == LT_TLOOP && unordered_word(t->node[loop].loop) != NULL;
}

/* A combine follows it. */
static bool may_reduce(const struct lt_looptree *t, lt_tnode loop)
{
	return t->node[loop].loop == LT_VECTOR || t->node[loop].loop == LT_BLOCK;
}

/* -- rules beyond the order of reads -- */

/* A leaf inside a loop over a var that it does not have runs again on each iteration; where there may be no iteration,
 * nobody outside that loop may need its value. */
static lt_status check_repeats(const struct lt_looptree *t)
{
	for (lt_node n = 0; n < t->graph->n_node; n++)
		for (lt_tnode up = t->leaf_of[n] < 0 ? -1 : t->node[t->leaf_of[n]].parent; up >= 0; up = t->node[up].parent) {
			if (t->node[up].kind != LT_TLOOP || lt__loop_column(t, t->leaf[n], up) >= 0 || lt__is_private(t, n, up))
				continue;
			const struct lt_vardef *v = &t->graph->var[t->node[up].var];
			if (v->bounded && lt__linear_min(t->graph, &v->limit) < 1)
				return lt__tree_fail(t, up, LT_EILLEGAL, "the loop over %s may have no iterations, and %%%s, which has no var %s, "
					"would then not be computed for those outside of the loop; move %%%s out of it", v->name, lt__leaf_name(t, n),
					v->name, lt__leaf_name(t, n));
		}
	return LT_OK;
}

/* -- the fast path -- */

/* Where reads are in place on every shared loop, iterations of a loop over one of a value's own vars touch their own
 * elements. */
static bool kinds_are_plain(const struct lt_looptree *t)
{
	for (lt_node n = 0; n < t->graph->n_node; n++)
		for (lt_tnode up = t->leaf_of[n] < 0 ? -1 : t->node[t->leaf_of[n]].parent; up >= 0; up = t->node[up].parent) {
			if (!is_unordered(t, up) || lt__is_private(t, n, up))
				continue;
			int32_t column = lt__loop_column(t, t->leaf[n], up);
			if (column < 0 || (column >= t->leaf[n]->n_out && !may_reduce(t, up)))
				return false;
		}
	return true;
}

/* -- what is wrong, in words -- */

/* "m = 3, k = 7": the vars of the loops around an instance. */
static const char *instance_text(const struct lt_looptree *t, const struct lt_touch *x, const int64_t *at)
{
	char text[256] = "";
	size_t n = 0;
	for (int32_t i = 0; i < x->n_counter && n < sizeof text - 1; i++) {
		int64_t value = 0;
		bool first = true;
		for (int32_t k = 0; k < x->n_counter; k++)
			if (x->counter[k].var == x->counter[i].var) {
				first = first && k >= i;
				value += at[k] * x->counter[k].step;
			}
		int wrote = !first ? 0 : snprintf(text + n, sizeof text - n, "%s%s = %lld", n ? ", " : "",
			t->graph->var[x->counter[i].var].name, (long long)value);
		n += wrote > 0 ? (size_t)wrote : 0;
	}
	return lt__scratch(t->ctx, "%s", text);
}

static int64_t param_value(const struct lt_question *q, const struct lt_answer *a, lt_param p)
{
	for (int32_t i = 0; i < q->n_param; i++)
		if (q->param[i] == p)
			return a->param[i];
	return 0;
}

enum { MAX_DIMS = LT_MAX_RANK };

/* The element that an instance touches; false: it cannot be determined. */
static bool element_of(const struct lt_question *q, const struct lt_answer *a, const struct lt_touch *x,
	const int64_t *at, int64_t *out)
{
	int64_t param[MAX_DIMS], dim[2 * MAX_DIMS];
	struct lt_map m = x->map;
	if (m.n_param > MAX_DIMS || m.n_dim > 2 * MAX_DIMS || m.n_row > MAX_DIMS)
		return false;
	for (int32_t i = 0; i < m.n_param; i++)
		param[i] = param_value(q, a, m.param[i]);
	for (int32_t i = 0; i < m.n_dim; i++) {
		dim[i] = i < x->leaf->n_var + x->leaf->n_trip ? 0 : at[x->n_counter];
		for (int32_t k = 0; i < x->leaf->n_var + x->leaf->n_trip && k < x->n_counter; k++)
			dim[i] += at[k] * lt__var_step(q->g, x->leaf->var[i], x->counter[k].var, x->counter[k].step);
	}
	m.n_guard = 0;
	return lt__map_apply(&m, param, dim, out);
}

/* "element 4, 7 of %y", "%y" where it has no dims. */
static const char *element_text(const struct lt_looptree *t, const struct lt_question *q, const struct lt_answer *a,
	const struct lt_touch *x, const int64_t *at)
{
	int64_t element[MAX_DIMS];
	char text[160] = "";
	size_t n = 0;
	int32_t n_dim = q->g->node[q->value].n_dim;
	if (n_dim == 0 || !element_of(q, a, x, at, element))
		return lt__scratch(t->ctx, "%%%s", lt__leaf_name(t, q->value));
	for (int32_t i = 0; i < n_dim && n < sizeof text - 1; i++) {
		int wrote = snprintf(text + n, sizeof text - n, "%s%lld", i ? ", " : "", (long long)element[i]);
		n += wrote > 0 ? (size_t)wrote : 0;
	}
	return lt__scratch(t->ctx, "element %s of %%%s", text, lt__leaf_name(t, q->value));
}

/* Where the leaf of the value writes the element that an instance reads: "m = 4, n = 7". */
static const char *writer_text(
	const struct lt_looptree *t, const struct lt_question *q, const struct lt_answer *a, const struct lt_touch *x)
{
	const struct lt_nodedef *d = &q->g->node[q->value];
	int64_t element[MAX_DIMS];
	char text[200] = "";
	size_t n = 0;
	if (!element_of(q, a, x, a->at, element))
		return "another iteration";
	for (int32_t i = 0; i < d->n_dim && n < sizeof text - 1; i++) {
		int wrote = snprintf(text + n, sizeof text - n, "%s%s = %lld", i ? ", " : "",
			t->graph->var[d->dim[i]].name, (long long)element[i]);
		n += wrote > 0 ? (size_t)wrote : 0;
	}
	return lt__scratch(t->ctx, "%s", text);
}

/* The outermost loop that the touch shares with the value's leaf and on which it reads other iterations' elements; -1:
 * none. */
static lt_tnode crossed_loop(const struct lt_looptree *t, const struct lt_question *q, const struct lt_touch *x)
{
	const struct lt_nodedef *d = &q->g->node[q->value];
	for (int32_t i = 0; i < x->n_counter; i++) {
		lt_tnode loop = x->counter[i].loop;
		int32_t column = lt__leaf_column(x->leaf, x->counter[i].var);
		if (loop < 0 || !lt__is_above(t, loop, t->leaf_of[q->value]))
			continue;
		for (int32_t k = 0; k < d->n_dim; k++)
			if (d->dim[k] == x->counter[i].var && (column < 0 || !lt__row_is(&x->map, k, column)))
				return loop;
	}
	return -1;
}

static lt_status say_early(const struct lt_looptree *t, const struct lt_question *q, const struct lt_answer *a)
{
	const struct lt_touch *x = &q->touch[a->touch];
	lt_tnode at = t->leaf_of[x->node], loop = crossed_loop(t, q, x);
	const char *name = lt__leaf_name(t, x->node), *value = lt__leaf_name(t, q->value);
	const char *when = instance_text(t, x, a->at), *element = element_text(t, q, a, x, a->at),
		   *from = writer_text(t, q, a, x);
	if (x->kind == LT_TOUCH_ADDS)
		return lt__tree_fail(t, at, LT_EILLEGAL, "%%%s at %s adds to %s before it is reset", name, when, element);
	if (loop < 0)
		return lt__tree_fail(t, at, LT_EILLEGAL, "%%%s at %s reads %s, which is not written yet (its leaf writes it at %s); "
			"put %%%s into loops of its own after those of %%%s", name, when, element, from, name, value);
	return lt__tree_fail(t, at, LT_EILLEGAL, "%%%s reads elements of %%%s from other iterations of the shared loop over "
		"%s: %%%s at %s reads %s, which is written at %s; give it a loop of its own after that of %%%s", name, value,
		lt__loop_var_name(t, loop), name, when, element,
		from, value);
}

static lt_status say_other(const struct lt_looptree *t, const struct lt_question *q, const struct lt_answer *a)
{
	const struct lt_touch *x = &q->touch[a->touch], *w = &q->touch[a->other];
	const char *when = instance_text(t, x, a->at), *element = element_text(t, q, a, x, a->at);
	const char *found = element_text(t, q, a, w, a->other_at), *from = instance_text(t, w, a->other_at);
	return lt__tree_fail(t, t->leaf_of[x->node], LT_EILLEGAL,
		"%%%s at %s reads %s, but its memory was overwritten by %s, "
		"written at %s; give %%%s a loop of its own after that of %%%s",
		lt__leaf_name(t, x->node), when, element, found, from, lt__leaf_name(t, x->node),
		lt__leaf_name(t, q->value));
}

static lt_status say_carried(
	const struct lt_looptree *t, const struct lt_question *q, const struct lt_answer *a, lt_tnode loop)
{
	const struct lt_touch *x = &q->touch[a->touch], *w = &q->touch[a->other];
	const char *kind = unordered_word(t->node[loop].loop), *var = lt__loop_var_name(t, loop),
		*name = lt__leaf_name(t, q->value);
	const char *when = instance_text(t, x, a->at), *first = instance_text(t, w, a->other_at),
		   *element = element_text(t, q, a, x, a->at);
	if (x->kind == LT_TOUCH_WRITES && w->kind == LT_TOUCH_WRITES && lt__loop_reduces(t, q->value, loop))
		return lt__tree_fail(t, loop, LT_EILLEGAL, "the %s loop over %s reduces %%%s: its iterations at %s and %s add to the "
			"same %s; rfactor %%%s over it first, or make it serial", kind, var, name, first, when, element, name);
	if (x->kind != LT_TOUCH_READS && w->kind != LT_TOUCH_READS)
		return lt__tree_fail(t, loop, LT_EILLEGAL, "the %s loop over %s repeats %%%s: its iterations at %s and %s both write "
			"%s; move %%%s out of the loop, or make it serial", kind, var, name, first, when, element, name);
	const struct lt_touch *r = x->kind == LT_TOUCH_READS ? x : w;
	return lt__tree_fail(t, loop, LT_EILLEGAL, "the %s loop over %s carries a dependence: %%%s at %s reads %s, which "
		"another iteration, at %s, writes; make it serial, or give %%%s loops of its own after those of %%%s", kind, var,
		lt__leaf_name(t, r->node), r == x ? when : first,
		element, r == x ? first : when, lt__leaf_name(t, r->node), name);
}

/* -- the same in numbers -- */

/* Where the vars of the loops around an instance are. */
static void clash_side(const struct lt_looptree *t, const struct lt_touch *x, const int64_t *at,
	struct lt_clash_side *out)
{
	static const int32_t does[] = { [LT_TOUCH_WRITES] = LT_DOES_WRITE, [LT_TOUCH_RESETS] = LT_DOES_RESET,
		[LT_TOUCH_ADDS] = LT_DOES_ADD, [LT_TOUCH_READS] = LT_DOES_READ };
	*out = (struct lt_clash_side){ .node = x->node, .does = does[x->kind],
		.var = LT_NEW(t->arena, lt_var, x->n_counter + 1), .at = LT_NEW(t->arena, int64_t, x->n_counter + 1) };
	for (int32_t i = 0; i < x->n_counter; i++) {
		int32_t k = lt__index_of(out->var, out->n, x->counter[i].var);
		if (k < 0)
			out->var[k = out->n++] = x->counter[i].var;
		out->at[k] += at[i] * x->counter[i].step;
	}
}

static int32_t clash_element(const struct lt_looptree *t, const struct lt_question *q, const struct lt_answer *a,
	const struct lt_touch *x, const int64_t *at, int64_t **out)
{
	const int32_t n = q->g->node[q->value].n_dim;
	*out = LT_NEW(t->arena, int64_t, MAX_DIMS);
	return element_of(q, a, x, at, *out) ? n : 0;
}

/* The writer of an element that is read before it is written: an iteration of its own dims. */
static void clash_writer(const struct lt_looptree *t, const struct lt_question *q, const struct lt_clash *c,
	struct lt_clash_side *out)
{
	const struct lt_nodedef *d = &q->g->node[q->value];
	*out = (struct lt_clash_side){ .node = q->value, .does = LT_DOES_WRITE, .n = c->n_element,
		.var = LT_NEW(t->arena, lt_var, d->n_dim + 1), .at = c->element };
	for (int32_t i = 0; i < d->n_dim; i++)
		out->var[i] = d->dim[i];
}

static void fill_clash(
	const struct lt_looptree *t, const struct lt_question *q, const struct lt_answer *a, lt_tnode loop)
{
	static const int32_t kinds[] = { [LT_ANSWER_EARLY] = LT_VIOLATION_EARLY,
		[LT_ANSWER_OTHER] = LT_VIOLATION_OVERWRITTEN, [LT_ANSWER_CARRIED] = LT_VIOLATION_CARRIED };
	const struct lt_touch *x = &q->touch[a->touch], *w = &q->touch[a->other];
	struct lt_clash c = { .value = q->value, .loop = loop, .n_param = q->n_param };
	c.n_element = clash_element(t, q, a, x, a->at, &c.element);
	clash_side(t, x, a->at, &c.side[1]);
	if (a->kind == LT_ANSWER_EARLY)
		clash_writer(t, q, &c, &c.side[0]);
	else
		clash_side(t, w, a->other_at, &c.side[0]);
	if (a->kind == LT_ANSWER_OTHER)
		c.n_found = clash_element(t, q, a, w, a->other_at, &c.found);
	c.param = lt__arena_copy(t->arena, q->param, (size_t)q->n_param * sizeof *q->param);
	c.param_value = lt__arena_copy(t->arena, a->param, (size_t)q->n_param * sizeof *a->param);
	c.kind = kinds[a->kind];
	*t->clash = c;
}

static lt_status prove_fail(
	const struct lt_looptree *t, const struct lt_question *q, const struct lt_answer *a, lt_tnode loop)
{
	const struct lt_touch *x = &q->touch[a->touch];
	lt_status st = LT_OK;
	switch (a->kind) {
	case LT_ANSWER_LEGAL:   return LT_OK;
	case LT_ANSWER_MEMORY:  return lt_fail(t->ctx, LT_ENOMEM, "out of memory");
	case LT_ANSWER_EARLY:   st = say_early(t, q, a); break;
	case LT_ANSWER_OTHER:   st = say_other(t, q, a); break;
	case LT_ANSWER_CARRIED: st = say_carried(t, q, a, loop); break;
	case LT_ANSWER_CANCELLED: return LT_ECANCELLED;
	case LT_ANSWER_OPEN:    break;
	}
	if (st) {
		fill_clash(t, q, a, loop);
		return st;
	}
	if (loop >= 0)
		return lt__tree_fail(t, loop, LT_EILLEGAL, "not proven within the budget: that no iteration of the %s loop over %s "
			"needs what another does to %%%s; make it serial", unordered_word(t->node[loop].loop), lt__loop_var_name(t, loop),
			lt__leaf_name(t, q->value));
	return lt__tree_fail(t, t->leaf_of[x->node], LT_EILLEGAL,
		"not proven within the budget: that %%%s reads %%%s after it is written; give it loops of its own "
		"after those of %%%s",
		lt__leaf_name(t, x->node), lt__leaf_name(t, q->value), lt__leaf_name(t, q->value));
}

/* -- the exact check -- */

struct prove { struct lt_looptree *t; const struct lt_order *order; struct lt_arena *a; lt_node value; };

/* Loops around the value's leaf that may run in any order and share its cells. */
static bool shares_cells(const struct lt_looptree *t, lt_node n, lt_tnode loop)
{
	return is_unordered(t, loop) && !lt__is_private(t, n, loop);
}

static bool stands_below(const struct lt_touch *x, lt_tnode loop)
{
	for (int32_t i = 0; i < x->n_counter; i++)
		if (x->counter[i].loop == loop)
			return true;
	return false;
}

static lt_status prove_loop(const struct prove *p, const struct lt_question *q, lt_tnode loop, struct lt_answer *a)
{
	bool reduced = may_reduce(p->t, loop) && lt__loop_reduces(p->t, q->value, loop);
	for (int32_t i = 0; i < q->n_touch; i++)
		for (int32_t k = 0; k < q->n_touch; k++) {
			const struct lt_touch *x = &q->touch[i], *y = &q->touch[k];
			if (x->kind == LT_TOUCH_ADDS || y->kind == LT_TOUCH_ADDS || (x->kind == LT_TOUCH_READS && y->kind == LT_TOUCH_READS))
				continue;
			if ((reduced && i == 0 && k == 0) || !stands_below(x, loop) || !stands_below(y, loop))
				continue;
			lt__depend_carried(q, i, k, loop, a);
			LT_TRY(prove_fail(p->t, q, a, loop));
		}
	return LT_OK;
}

static lt_status prove_body(void *arg)
{
	struct prove *p = arg;
	struct lt_looptree *t = p->t;
	struct lt_question q;
	LT_TRY(lt__depend_question(t, p->order, p->a, p->value, &q));
	int32_t max = 1;
	for (int32_t i = 0; i < q.n_touch; i++)
		max = q.touch[i].n_counter + q.touch[i].n_extra > max ? q.touch[i].n_counter + q.touch[i].n_extra : max;
	struct lt_answer a = { .at = LT_NEW(p->a, int64_t, max) };
	a.other_at = LT_NEW(p->a, int64_t, max);
	a.param = LT_NEW(p->a, int64_t, q.n_param + 1);
	for (int32_t i = q.n_write; i < q.n_touch; i++) {
		lt__depend_simple(&q, i, &a);
		if (a.kind == LT_ANSWER_OPEN)
			lt__depend_flow(&q, i, &a);
		LT_TRY(prove_fail(t, &q, &a, -1));
	}
	for (lt_tnode up = t->node[t->leaf_of[p->value]].parent; up >= 0; up = t->node[up].parent)
		if (shares_cells(t, p->value, up))
			LT_TRY(prove_loop(p, &q, up, &a));
	return LT_OK;
}

static lt_status prove_values(void *arg)
{
	struct prove *all = arg;
	struct lt_looptree *t = all->t;
	const struct lt_leaf *leaf;
	for (lt_node n = 0; n < t->graph->n_node; n++)
		if (t->leaf_of[n] >= 0)
			LT_TRY(lt__leaf(t, n, &leaf));
	all->order = lt__depend_order(t, all->a);
	for (lt_node n = 0; n < t->graph->n_node; n++) {
		struct prove one = { t, all->order, NULL, n };
		if (t->leaf_of[n] < 0)
			continue;
		LT_TRY(lt__arena_new(t->ctx, &one.a));
		lt_status st = lt__protect(t->ctx, prove_body, &one);
		lt__arena_free(one.a);
		LT_TRY(st);
	}
	return LT_OK;
}

static lt_status prove_all(struct lt_looptree *t)
{
	struct prove p = { .t = t };
	LT_TRY(lt__arena_new(t->ctx, &p.a));
	lt_status st = lt__protect(t->ctx, prove_values, &p);
	lt__arena_free(p.a);
	return st;
}

lt_status lt__prove_tree(struct lt_looptree *t)
{
	LT_TRY(check_repeats(t));
	return prove_all(t);
}

lt_status lt__verify_tree(struct lt_looptree *t)
{
	if (t->ctx->unproven)
		return LT_OK;
	LT_TRY(check_repeats(t));
	return t->plain && kinds_are_plain(t) ? LT_OK : prove_all(t);
}

lt_status lt_looptree_verify(struct lt_looptree *t)
{
	return t->scope ? lt__prove_tree(t)
			: lt_fail(t->ctx, LT_EINVAL, "the tree is not finished: call lt_looptree_finish first");
}
