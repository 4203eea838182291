/* depend.c -- the exact check: isl's dataflow over storage cells, and cells that two iterations of a loop
 * share.
 *
 * An order is right where the last write before each read is one of the element that the graph names.  Nothing is
 * allocated from an arena while isl objects live; each question has its budget, and one that isl gives up is open.
 */
#include <isl/ctx.h>
#include <isl/flow.h>
#include <isl/map.h>
#include <isl/point.h>
#include <isl/set.h>
#include <isl/union_map.h>
#include <isl/union_set.h>
#include <isl/val.h>
#include "looptree/legality/depend_sets.h"

enum { BUDGET = 1000000 };      /* isl operations of one question: the largest ones of real trees need a tenth */

/* The first point of a set over one or two touches; a == NULL: the point is of b alone. */
static void take_point(const struct lt_isl_ask *k, lt_take isl_set *set, const struct lt_touch *a,
	const struct lt_touch *b, struct lt_answer *out)
{
	isl_set *first = isl_set_lexmin(isl_set_copy(set));
	isl_point *at = isl_set_sample_point(first ? first : isl_set_copy(set));
	int32_t n = a ? lt__touch_dims(a) : 0;
	bool good = at && isl_point_is_void(at) == isl_bool_false;
	isl_set_free(set);
	for (int32_t p = 0; good && p < k->q->n_param; p++)
		good = lt__isl_number(isl_point_get_coordinate_val(at, isl_dim_param, p), &out->param[p]);
	for (int32_t i = 0; good && i < n; i++)
		good = lt__isl_number(isl_point_get_coordinate_val(at, isl_dim_set, i), &out->other_at[i]);
	for (int32_t i = 0; good && i < lt__touch_dims(b); i++)
		good = lt__isl_number(isl_point_get_coordinate_val(at, isl_dim_set, n + i), &out->at[i]);
	isl_point_free(at);
	if (!good)
		out->kind = LT_ANSWER_OPEN;
}

/* Reads that find the last write of their cell to be another element's. */
static void find_other(const struct lt_isl_ask *k, const struct lt_touch *sink, lt_keep isl_set *reads,
	lt_keep isl_union_map *sources, struct lt_answer *out)
{
	for (int32_t w = 0; w < k->q->n_write && out->kind == LT_ANSWER_LEGAL; w++) {
		const struct lt_touch *from = &k->q->touch[w];
		int32_t n_outer = sink->kind == LT_TOUCH_ADDS ? sink->n_outer : 0;
		isl_set *writes = lt__touch_instances(k, from);
		isl_map *meant = isl_map_apply_range(
			lt__touch_elements(k, from, writes, n_outer), isl_map_reverse(lt__touch_elements(k, sink, reads, n_outer)));
		isl_map *found = isl_union_map_extract_map(sources, isl_map_get_space(meant));
		isl_bool right;
		found = isl_map_subtract(found, meant);
		right = isl_map_is_empty(found);
		isl_set_free(writes);
		if (right == isl_bool_false) {
			out->kind = LT_ANSWER_OTHER;
			out->other = w;
			take_point(k, isl_map_wrap(found), from, sink, out);
			continue;
		}
		isl_map_free(found);
		if (right == isl_bool_error)
			out->kind = LT_ANSWER_OPEN;
	}
}

static void find_early(
	const struct lt_isl_ask *k, const struct lt_touch *sink, lt_take isl_union_map *lost, struct lt_answer *out)
{
	isl_union_set *reads = isl_union_map_domain(lost);
	isl_set *early = lt__touch_written(isl_union_set_extract_set(reads, lt__touch_space(k, sink)), k, sink);
	isl_bool right;
	isl_union_set_free(reads);
	right = isl_set_is_empty(early);
	if (right == isl_bool_false) {
		out->kind = LT_ANSWER_EARLY;
		take_point(k, early, NULL, sink, out);
		return;
	}
	isl_set_free(early);
	if (right == isl_bool_error)
		out->kind = LT_ANSWER_OPEN;
}

/* Cells that both touches use. */
static lt_give isl_map *same_cells(const struct lt_isl_ask *k, const struct lt_touch *a, lt_keep isl_set *at,
	const struct lt_touch *b, lt_keep isl_set *bt)
{
	return isl_map_apply_range(lt__touch_cells(k, a, at), isl_map_reverse(lt__touch_cells(k, b, bt)));
}

/* Whether the touch can only find the element that it means in its cell at all, and, a read, only after all writes
 * there. */
static bool is_undisturbed(const struct lt_isl_ask *k, const struct lt_touch *sink, lt_keep isl_set *reads)
{
	isl_bool empty = isl_bool_true;
	for (int32_t w = 0; w < k->q->n_write && empty == isl_bool_true; w++) {
		const struct lt_touch *from = &k->q->touch[w];
		int32_t n_outer = sink->kind == LT_TOUCH_ADDS ? sink->n_outer : 0;
		isl_set *writes = lt__touch_instances(k, from);
		isl_map *same = same_cells(k, from, writes, sink, reads);
		isl_map *wrong = isl_map_apply_range(
			lt__touch_elements(k, from, writes, n_outer), isl_map_reverse(lt__touch_elements(k, sink, reads, n_outer)));
		wrong = isl_map_subtract(isl_map_copy(same), wrong);
		empty = isl_map_is_empty(wrong);
		isl_map_free(wrong);
		if (empty == isl_bool_true && sink->kind == LT_TOUCH_READS) {
			same = isl_map_intersect(
				same, isl_map_lex_ge_map(lt__touch_times(k, from, writes), lt__touch_times(k, sink, reads)));
			empty = isl_map_is_empty(same);
		}
		isl_map_free(same);
		isl_set_free(writes);
	}
	return empty == isl_bool_true;
}

/* What isl is asked, of which touches, for lt__isl_ask. */
struct depend {
	const struct lt_question *q;
	int32_t touch, other;           /* other: CARRIED only, as loop is */
	lt_tnode loop;
	struct lt_answer *out;
};

static void ask(struct depend *d, lt_isl_question *question)
{
	const int64_t budget = d->q->budget > 0 ? d->q->budget : BUDGET;
	const lt_status st = lt__isl_ask(d->q->g->ctx, budget, question, d);

	if (st)
		d->out->kind = st == LT_ECANCELLED ? LT_ANSWER_CANCELLED : LT_ANSWER_MEMORY;
}

static void ask_simple(isl_ctx *ctx, void *user)
{
	const struct depend *d = user;
	const struct lt_isl_ask k = { ctx, d->q };
	const struct lt_touch *sink = &d->q->touch[d->touch];
	isl_set *reads = lt__touch_instances(&k, sink);

	d->out->kind = is_undisturbed(&k, sink, reads) ? LT_ANSWER_LEGAL : LT_ANSWER_OPEN;
	isl_set_free(reads);
}

void lt__depend_simple(const struct lt_question *q, int32_t touch, struct lt_answer *out)
{
	const struct lt_nodedef *d = &q->g->node[q->value];
	const struct lt_touch *sink = &q->touch[touch];
	out->touch = touch;
	out->kind = LT_ANSWER_OPEN;
	for (int32_t i = 0; i < d->n_dim; i++)          /* what one iteration of the owner reads is written in it */
		if (lt__touch_owned(q->g, sink, d->dim[i])
			&& (sink->column[i] < 0 || sink->leaf->var[sink->column[i]] != d->dim[i]))
			return;
	ask(&(struct depend){ .q = q, .touch = touch, .out = out }, ask_simple);
}

static void ask_flow(isl_ctx *ctx, void *user)
{
	const struct depend *d = user;
	const struct lt_question *q = d->q;
	const struct lt_isl_ask k = { ctx, q };
	const struct lt_touch *sink = &q->touch[d->touch];
	struct lt_answer *out = d->out;
	out->kind = LT_ANSWER_LEGAL;
	isl_set *reads = lt__touch_instances(&k, sink);
	isl_union_map *order = isl_union_map_from_map(lt__touch_times(&k, sink, reads)),
		      *writes = isl_union_map_empty(isl_union_map_get_space(order));
	for (int32_t w = 0; w < q->n_write; w++) {
		isl_set *at = lt__touch_instances(&k, &q->touch[w]);
		order = isl_union_map_add_map(order, lt__touch_times(&k, &q->touch[w], at));
		writes = isl_union_map_add_map(writes, lt__touch_cells(&k, &q->touch[w], at));
		isl_set_free(at);
	}
	isl_union_access_info *ask = isl_union_access_info_from_sink(isl_union_map_from_map(lt__touch_cells(&k, sink, reads)));
	ask = isl_union_access_info_set_must_source(ask, writes);
	ask = isl_union_access_info_set_schedule_map(ask, order);
	isl_union_flow *flow = isl_union_access_info_compute_flow(ask);
	isl_union_map *sources = isl_union_flow_get_must_dependence(flow);
	find_early(&k, sink, isl_union_flow_get_must_no_source(flow), out);
	if (out->kind == LT_ANSWER_LEGAL)
		find_other(&k, sink, reads, sources, out);
	isl_union_map_free(sources);
	isl_union_flow_free(flow);
	isl_set_free(reads);
}

void lt__depend_flow(const struct lt_question *q, int32_t touch, struct lt_answer *out)
{
	out->touch = touch;
	ask(&(struct depend){ .q = q, .touch = touch, .out = out }, ask_flow);
}

static void ask_carried(isl_ctx *ctx, void *user)
{
	const struct depend *d = user;
	const struct lt_isl_ask k = { ctx, d->q };
	const struct lt_touch *one = &d->q->touch[d->other], *two = &d->q->touch[d->touch];
	struct lt_answer *out = d->out;
	unsigned at = 0;
	out->kind = LT_ANSWER_LEGAL;
	isl_set *first = lt__touch_instances(&k, one), *second = lt__touch_instances(&k, two);
	isl_map *both = same_cells(&k, one, first, two, second);
	for (; one->counter[at].loop != d->loop; at++)
		both = isl_map_equate(both, isl_dim_in, (int)at, isl_dim_out, (int)at);
	both = isl_map_order_lt(both, isl_dim_in, (int)at, isl_dim_out, (int)at);
	isl_bool right = isl_map_is_empty(both);
	isl_set_free(first);
	isl_set_free(second);
	if (right == isl_bool_false) {
		out->kind = LT_ANSWER_CARRIED;
		take_point(&k, isl_map_wrap(both), one, two, out);
	} else {
		isl_map_free(both);
		out->kind = right == isl_bool_true ? LT_ANSWER_LEGAL : LT_ANSWER_OPEN;
	}
}

void lt__depend_carried(const struct lt_question *q, int32_t a, int32_t b, lt_tnode loop, struct lt_answer *out)
{
	out->touch = b;
	out->other = a;
	ask(&(struct depend){ .q = q, .touch = b, .other = a, .loop = loop, .out = out }, ask_carried);
}
