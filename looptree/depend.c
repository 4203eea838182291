/* The exact check: isl's dataflow over storage cells, and cells that two iterations of a loop share.
 *
 * A touch is a set of instances (its counters); its cells, its element and its time are maps from there.  An order is
 * right where the last write before each read is one of the element that the graph names.  Nothing is allocated from an
 * arena while isl objects live; each question has its budget, and one that isl gives up is open.
 */
#include <isl/aff.h>
#include <isl/ctx.h>
#include <isl/flow.h>
#include <isl/map.h>
#include <isl/options.h>
#include <isl/point.h>
#include <isl/set.h>
#include <isl/space.h>
#include <isl/union_map.h>
#include <isl/union_set.h>
#include <isl/val.h>
#include "looptree/depend.h"

enum { BUDGET = 1000000 };      /* isl operations of one question: the largest ones of real trees need a tenth */
struct asked { isl_ctx *ctx; const struct lt_question *q; };

static int32_t n_dims(const struct lt_touch *x) { return x->n_counter + x->n_extra; }

static lt_give isl_val *val(const struct asked *k, int64_t v) { return isl_val_int_from_si(k->ctx, v); }

static lt_give isl_space *space_of(const struct asked *k, const struct lt_touch *x)
{
	isl_space *space = isl_space_set_alloc(k->ctx, (unsigned)k->q->n_param, (unsigned)n_dims(x));
	char name[24];
	for (int32_t p = 0; p < k->q->n_param; p++) {
		(void)snprintf(name, sizeof name, "p%d", (int)p);
		space = isl_space_set_dim_name(space, isl_dim_param, (unsigned)p, name);
	}
	(void)snprintf(name, sizeof name, "T%d", (int)(x - k->q->touch));
	return isl_space_set_tuple_name(space, isl_dim_set, name);
}

static lt_give isl_aff *constant_of(const struct asked *k, const struct lt_touch *x, int64_t c)
{
	return isl_aff_val_on_domain_space(space_of(k, x), val(k, c));
}

static lt_give isl_aff *aff_plus(
	lt_take isl_aff *aff, const struct asked *k, enum isl_dim_type type, int32_t i, int64_t c)
{
	return isl_aff_add_coefficient_val(aff, type, (int)i, val(k, c));
}

static int32_t param_number(const struct asked *k, lt_param p)
{
	int32_t i = 0;
	while (k->q->param[i] != p)
		i++;
	return i;
}

/* How far an iteration of counter i moves a column of the leaf. */
static int64_t step_along(const struct lt_graph *g, const struct lt_touch *x, int32_t i, int32_t column)
{
	return lt__var_step(g, x->leaf->var[column], x->counter[i].var, x->counter[i].step);
}

/* c times a column of the leaf: a var is the sum of its counters times their steps, from counter `from` on. */
static lt_give isl_aff *add_column(
	lt_take isl_aff *aff, const struct asked *k, const struct lt_touch *x, int32_t column, int64_t c, int32_t from)
{
	if (column >= x->leaf->n_var + x->leaf->n_trip)
		return aff_plus(aff, k, isl_dim_in, x->n_counter, c);
	for (int32_t i = from; i < x->n_counter; i++)
		if (step_along(k->q->g, x, i, column))
			aff = aff_plus(aff, k, isl_dim_in, i, c * step_along(k->q->g, x, i, column));
	return aff;
}

static lt_give isl_aff *row_of(
	const struct asked *k, const struct lt_touch *x, const struct lt_map *m, const int64_t *row, int32_t from)
{
	isl_aff *aff = constant_of(k, x, row[0]);
	for (int32_t i = 0; i < m->n_param; i++)
		if (row[1 + i])
			aff = aff_plus(aff, k, isl_dim_param, param_number(k, m->param[i]), row[1 + i]);
	for (int32_t i = 0; i < m->n_dim; i++)
		if (row[1 + m->n_param + i])
			aff = add_column(aff, k, x, i, row[1 + m->n_param + i], from);
	for (int32_t i = 0; i < m->n_div; i++)
		if (row[1 + m->n_param + m->n_dim + i]) {
			const int64_t *div = m->div + (int64_t)i * (1 + lt__map_width(m));
			isl_aff *floor = isl_aff_scale_down_val(row_of(k, x, m, div + 1, 0), val(k, div[0]));
			floor = isl_aff_scale_val(isl_aff_floor(floor), val(k, row[1 + m->n_param + m->n_dim + i]));
			aff = isl_aff_add(aff, floor);
		}
	return aff;
}

static lt_give isl_aff *add_linear(
	lt_take isl_aff *aff, const struct asked *k, const struct lt_linear *l, int64_t times)
{
	aff = isl_aff_add_constant_val(aff, val(k, times * l->constant));
	for (int32_t i = 0; i < l->n; i++)
		aff = aff_plus(aff, k, isl_dim_param, param_number(k, l->param[i]), times * l->coef[i]);
	return aff;
}

static lt_give isl_set *where(lt_take isl_set *set, lt_take isl_aff *nonnegative)
{
	return isl_set_intersect(set, isl_pw_aff_nonneg_set(isl_pw_aff_from_aff(nonnegative)));
}

static bool knows_params(const struct asked *k, const struct lt_linear *l)
{
	for (int32_t i = 0; i < l->n; i++) {
		bool known = false;
		for (int32_t p = 0; p < k->q->n_param; p++)
			known = known || k->q->param[p] == l->param[i];
		if (!known)
			return false;
	}
	return true;
}

/* What the host has checked of the params before a run. */
static lt_give isl_set *cut_params(lt_take isl_set *set, const struct asked *k, const struct lt_touch *x)
{
	const struct lt_graph *g = k->q->g;
	for (int32_t p = 0; p < k->q->n_param; p++) {
		set = isl_set_lower_bound_val(set, isl_dim_param, (unsigned)p, val(k, g->param[k->q->param[p]].low));
		set = isl_set_upper_bound_val(set, isl_dim_param, (unsigned)p, val(k, g->param[k->q->param[p]].high));
	}
	for (int32_t i = 0; i < g->n_require; i++) {
		const struct lt_linear *l = &g->require[i].value;
		if (!knows_params(k, l))
			continue;
		set = where(set, add_linear(constant_of(k, x, 0), k, l, 1));
		if (g->require[i].equal)
			set = where(set, add_linear(constant_of(k, x, 0), k, l, -1));
	}
	return set;
}

/* Counters stay within what is left of every span around them: the var's extent, and the step of each loop over it. */
static lt_give isl_set *cut_counters(lt_take isl_set *set, const struct asked *k, const struct lt_touch *x)
{
	for (int32_t i = 0; i < n_dims(x); i++)
		set = isl_set_lower_bound_val(set, isl_dim_set, (unsigned)i, val(k, 0));
	for (int32_t f = 0; f < x->n_counter; f++) {
		const struct lt_vardef *v = &k->q->g->var[x->counter[f].var];
		isl_aff *remainder = constant_of(k, x, x->counter[f].step - 1);
		bool first = true, inner = false;
		for (int32_t i = 0; i < x->n_counter; i++) {
			first = first && (i >= f || x->counter[i].var != x->counter[f].var);
			if (i <= f || x->counter[i].var != x->counter[f].var)
				continue;
			remainder = aff_plus(remainder, k, isl_dim_in, i, -x->counter[i].step);
			inner = true;
		}
		if (inner)
			set = where(set, isl_aff_copy(remainder));
		isl_aff_free(remainder);
		if (!first)
			continue;
		remainder = constant_of(k, x, -1);
		for (int32_t i = f; i < x->n_counter; i++)
			if (x->counter[i].var == x->counter[f].var)
				remainder = aff_plus(remainder, k, isl_dim_in, i, -x->counter[i].step);
		if (v->bounded)
			set = where(set, add_linear(isl_aff_copy(remainder), k, &v->limit, 1));
		set = where(set, isl_aff_add_constant_val(remainder, val(k, v->extent)));
	}
	if (x->n_extra)
		set = isl_set_upper_bound_val(set, isl_dim_set, (unsigned)x->n_counter, val(k, x->extra_extent - 1));
	return set;
}

static lt_give isl_set *cut_guards(
	lt_take isl_set *set, const struct asked *k, const struct lt_touch *x, const struct lt_map *m)
{
	for (int32_t i = 0; i < m->n_guard; i++)
		set = where(set, row_of(k, x, m, m->guard + (int64_t)i * lt__map_width(m), 0));
	return set;
}

static lt_give isl_set *instances_of(const struct asked *k, const struct lt_touch *x)
{
	isl_set *set = cut_params(isl_set_universe(space_of(k, x)), k, x);
	set = cut_counters(set, k, x);
	set = cut_guards(set, k, x, &x->map);
	for (int32_t i = 0; i < x->n_before; i++)
		set = isl_set_subtract(set, cut_guards(isl_set_universe(space_of(k, x)), k, x, &x->before[i].map));
	return set;
}

/* Rows that are filled one after the other into a map from the touch's instances. */
struct owned_rows { isl_multi_aff *at; int32_t n; };

static struct owned_rows rows_new(const struct asked *k, const struct lt_touch *x, int32_t n)
{
	isl_space *from = space_of(k, x), *to = isl_space_set_from_params(isl_space_params(isl_space_copy(from)));
	to = isl_space_add_dims(to, isl_dim_set, (unsigned)n);
	return (struct owned_rows){ isl_multi_aff_zero(isl_space_map_from_domain_and_range(from, to)), 0 };
}

static void rows_add(struct owned_rows *r, lt_take isl_aff *aff) { r->at = isl_multi_aff_set_aff(r->at, r->n++, aff); }

static lt_give isl_map *rows_map(struct owned_rows *r, lt_keep isl_set *instances)
{
	return isl_map_intersect_domain(isl_map_from_multi_aff(r->at), isl_set_copy(instances));
}

static lt_give isl_aff *counter_of(const struct asked *k, const struct lt_touch *x, int32_t i)
{
	return aff_plus(constant_of(k, x, 0), k, isl_dim_in, i, 1);
}

static bool owner_covers(const struct lt_graph *g, const struct lt_touch *x, lt_var v)
{
	for (int32_t i = 0; i < x->n_owned; i++)
		if (lt__var_step(g, v, x->counter[i].var, x->counter[i].step))
			return true;
	return false;
}

/* How many of the digits of dim i are counters of the first `owned` loops. */
static int32_t digits_in(const struct asked *k, const struct lt_touch *x, int32_t i, int32_t owned)
{
	int32_t n = 0;
	for (int32_t c = 0; c < owned && x->column[i] >= 0 && n < k->q->n_digit[i]; c++)
		n += step_along(k->q->g, x, c, x->column[i]) > 0;
	return n;
}

/* The index along dim i, counted from counter `from` on: digits and the remainder, or the row as a whole. */
static void add_index(struct owned_rows *r, const struct asked *k, const struct lt_touch *x, int32_t i, int32_t from)
{
	int32_t n_digit = k->q->n_digit[i], seen = 0;
	isl_aff *remainder;
	if (!n_digit) {
		rows_add(r, row_of(k, x, &x->map, x->map.row + (int64_t)i * lt__map_width(&x->map), from));
		return;
	}
	remainder = constant_of(k, x, 0);
	for (int32_t c = 0; c < x->n_counter; c++) {
		int64_t step = step_along(k->q->g, x, c, x->column[i]);
		if (!step)
			continue;
		if (seen++ < n_digit && c >= from)
			rows_add(r, counter_of(k, x, c));
		else if (seen > n_digit && c >= from)
			remainder = aff_plus(remainder, k, isl_dim_in, c, step);
	}
	if (k->q->remainder[i])
		rows_add(r, isl_aff_copy(remainder));
	isl_aff_free(remainder);
}

static int32_t n_index(const struct asked *k, const struct lt_touch *x, int32_t i, int32_t from)
{
	return k->q->n_digit[i] ? k->q->n_digit[i] - digits_in(k, x, i, from) + k->q->remainder[i] : 1;
}

/* Rows for the first n_outer counters, then each index: of the cells as freezing lays them out (owned: counted within
 * one iteration of the value's owner), or of the elements. */
static lt_give isl_map *indices_of(
	const struct asked *k, const struct lt_touch *x, lt_keep isl_set *instances, int32_t n_outer, bool owned)
{
	const struct lt_nodedef *d = &k->q->g->node[k->q->value];
	int32_t n = n_outer;
	for (int32_t i = 0; i < d->n_dim; i++)
		n += n_index(k, x, i, owned && owner_covers(k->q->g, x, d->dim[i]) ? n_outer : 0);
	struct owned_rows r = rows_new(k, x, n);
	for (int32_t i = 0; i < n_outer; i++)
		rows_add(&r, counter_of(k, x, i));
	for (int32_t i = 0; i < d->n_dim; i++)
		add_index(&r, k, x, i, owned && owner_covers(k->q->g, x, d->dim[i]) ? n_outer : 0);
	return rows_map(&r, instances);
}

/* Cells are new in each iteration of the value's owner. */
static lt_give isl_map *cells_of(const struct asked *k, const struct lt_touch *x, lt_keep isl_set *instances)
{
	return indices_of(k, x, instances, x->n_owned, true);
}

/* The element; for a reduction's own touches with the iterations of the loops around it. */
static lt_give isl_map *elements_of(
	const struct asked *k, const struct lt_touch *x, lt_keep isl_set *instances, int32_t n_outer)
{
	return indices_of(k, x, instances, n_outer, false);
}

static lt_give isl_map *times_of(const struct asked *k, const struct lt_touch *x, lt_keep isl_set *instances)
{
	struct owned_rows r = rows_new(k, x, x->n_when);
	for (int32_t i = 0; i < x->n_when; i++)
		rows_add(&r, x->when[i].counter < 0 ? constant_of(k, x, x->when[i].place) : counter_of(k, x, x->when[i].counter));
	return rows_map(&r, instances);
}

/* Of the instances those whose element the value's leaf writes at all. */
static lt_give isl_set *written_part(lt_take isl_set *set, const struct asked *k, const struct lt_touch *x)
{
	const struct lt_question *q = k->q;
	for (int32_t i = 0; i < q->g->node[q->value].n_dim; i++) {
		isl_aff *at = row_of(k, x, &x->map, x->map.row + (int64_t)i * lt__map_width(&x->map), 0);
		at = isl_aff_add_constant_val(at, val(k, -q->low[i]));
		if (q->at[i] >= 0)
			at = aff_plus(at, k, isl_dim_param, param_number(k, q->at[i]), -1);
		set = where(set, isl_aff_copy(at));
		at = isl_aff_add_constant_val(isl_aff_neg(at), val(k, -1));
		if (q->limit[i])
			set = where(set, add_linear(isl_aff_copy(at), k, q->limit[i], 1));
		set = where(set, isl_aff_add_constant_val(at, val(k, q->extent[i])));
	}
	return set;
}

/* -- answers -- */

static bool number_of(lt_take isl_val *v, int64_t *out)
{
	bool fits = isl_val_is_int(v) == isl_bool_true && isl_val_cmp_si(v, INT64_MAX) <= 0
		&& isl_val_cmp_si(v, INT64_MIN) >= 0;
	*out = fits ? isl_val_get_num_si(v) : 0;
	isl_val_free(v);
	return fits;
}

/* The first point of a set over one or two touches; a == NULL: the point is of b alone. */
static void take_point(const struct asked *k, lt_take isl_set *set, const struct lt_touch *a, const struct lt_touch *b,
	struct lt_answer *out)
{
	isl_set *first = isl_set_lexmin(isl_set_copy(set));
	isl_point *at = isl_set_sample_point(first ? first : isl_set_copy(set));
	int32_t n = a ? n_dims(a) : 0;
	bool good = at && isl_point_is_void(at) == isl_bool_false;
	isl_set_free(set);
	for (int32_t p = 0; good && p < k->q->n_param; p++)
		good = number_of(isl_point_get_coordinate_val(at, isl_dim_param, p), &out->param[p]);
	for (int32_t i = 0; good && i < n; i++)
		good = number_of(isl_point_get_coordinate_val(at, isl_dim_set, i), &out->other_at[i]);
	for (int32_t i = 0; good && i < n_dims(b); i++)
		good = number_of(isl_point_get_coordinate_val(at, isl_dim_set, n + i), &out->at[i]);
	isl_point_free(at);
	if (!good)
		out->kind = LT_ANSWER_OPEN;
}

/* Reads that find the last write of their cell to be another element's. */
static void find_other(const struct asked *k, const struct lt_touch *sink, lt_keep isl_set *reads,
	lt_keep isl_union_map *sources, struct lt_answer *out)
{
	for (int32_t w = 0; w < k->q->n_write && out->kind == LT_ANSWER_LEGAL; w++) {
		const struct lt_touch *from = &k->q->touch[w];
		int32_t n_outer = sink->kind == LT_TOUCH_ADDS ? sink->n_outer : 0;
		isl_set *writes = instances_of(k, from);
		isl_map *meant = isl_map_apply_range(
			elements_of(k, from, writes, n_outer), isl_map_reverse(elements_of(k, sink, reads, n_outer)));
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
	const struct asked *k, const struct lt_touch *sink, lt_take isl_union_map *lost, struct lt_answer *out)
{
	isl_union_set *reads = isl_union_map_domain(lost);
	isl_set *early = written_part(isl_union_set_extract_set(reads, space_of(k, sink)), k, sink);
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

static bool open_isl(struct asked *k, struct lt_answer *out)
{
	k->ctx = isl_ctx_alloc();
	out->kind = k->ctx ? LT_ANSWER_LEGAL : LT_ANSWER_MEMORY;
	if (!k->ctx)
		return false;
	isl_options_set_on_error(k->ctx, ISL_ON_ERROR_CONTINUE);
	isl_ctx_set_max_operations(k->ctx, (unsigned long)(k->q->budget > 0 ? k->q->budget : BUDGET));
	return true;
}

static void close_isl(struct asked *k, struct lt_answer *out)
{
	if (isl_ctx_last_error(k->ctx) == isl_error_alloc)
		out->kind = LT_ANSWER_MEMORY;
	isl_ctx_free(k->ctx);
}

/* Cells that both touches use. */
static lt_give isl_map *same_cells(const struct asked *k, const struct lt_touch *a, lt_keep isl_set *at,
	const struct lt_touch *b, lt_keep isl_set *bt)
{
	return isl_map_apply_range(cells_of(k, a, at), isl_map_reverse(cells_of(k, b, bt)));
}

/* Whether the touch can only find the element that it means in its cell at all, and, a read, only after all writes
 * there. */
static bool is_undisturbed(const struct asked *k, const struct lt_touch *sink, lt_keep isl_set *reads)
{
	isl_bool empty = isl_bool_true;
	for (int32_t w = 0; w < k->q->n_write && empty == isl_bool_true; w++) {
		const struct lt_touch *from = &k->q->touch[w];
		int32_t n_outer = sink->kind == LT_TOUCH_ADDS ? sink->n_outer : 0;
		isl_set *writes = instances_of(k, from);
		isl_map *same = same_cells(k, from, writes, sink, reads);
		isl_map *wrong = isl_map_apply_range(
			elements_of(k, from, writes, n_outer), isl_map_reverse(elements_of(k, sink, reads, n_outer)));
		wrong = isl_map_subtract(isl_map_copy(same), wrong);
		empty = isl_map_is_empty(wrong);
		isl_map_free(wrong);
		if (empty == isl_bool_true && sink->kind == LT_TOUCH_READS) {
			same = isl_map_intersect(same, isl_map_lex_ge_map(times_of(k, from, writes), times_of(k, sink, reads)));
			empty = isl_map_is_empty(same);
		}
		isl_map_free(same);
		isl_set_free(writes);
	}
	return empty == isl_bool_true;
}

void lt__depend_simple(const struct lt_question *q, int32_t touch, struct lt_answer *out)
{
	struct asked k = { NULL, q };
	const struct lt_nodedef *d = &q->g->node[q->value];
	const struct lt_touch *sink = &q->touch[touch];
	out->touch = touch;
	out->kind = LT_ANSWER_OPEN;
	for (int32_t i = 0; i < d->n_dim; i++)          /* what one iteration of the owner reads is written in it */
		if (owner_covers(k.q->g, sink, d->dim[i]) && (sink->column[i] < 0 || sink->leaf->var[sink->column[i]] != d->dim[i]))
			return;
	if (!open_isl(&k, out))
		return;
	isl_set *reads = instances_of(&k, sink);
	out->kind = is_undisturbed(&k, sink, reads) ? LT_ANSWER_LEGAL : LT_ANSWER_OPEN;
	isl_set_free(reads);
	close_isl(&k, out);
}

void lt__depend_flow(const struct lt_question *q, int32_t touch, struct lt_answer *out)
{
	struct asked k = { NULL, q };
	const struct lt_touch *sink = &q->touch[touch];
	out->touch = touch;
	if (!open_isl(&k, out))
		return;
	isl_set *reads = instances_of(&k, sink);
	isl_union_map *order = isl_union_map_from_map(times_of(&k, sink, reads)),
		      *writes = isl_union_map_empty(isl_union_map_get_space(order));
	for (int32_t w = 0; w < q->n_write; w++) {
		isl_set *at = instances_of(&k, &q->touch[w]);
		order = isl_union_map_add_map(order, times_of(&k, &q->touch[w], at));
		writes = isl_union_map_add_map(writes, cells_of(&k, &q->touch[w], at));
		isl_set_free(at);
	}
	isl_union_access_info *ask = isl_union_access_info_from_sink(isl_union_map_from_map(cells_of(&k, sink, reads)));
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
	close_isl(&k, out);
}

void lt__depend_carried(const struct lt_question *q, int32_t a, int32_t b, lt_tnode loop, struct lt_answer *out)
{
	struct asked k = { NULL, q };
	const struct lt_touch *one = &q->touch[a], *two = &q->touch[b];
	unsigned at = 0;
	out->touch = b;
	out->other = a;
	if (!open_isl(&k, out))
		return;
	isl_set *first = instances_of(&k, one), *second = instances_of(&k, two);
	isl_map *both = same_cells(&k, one, first, two, second);
	for (; one->counter[at].loop != loop; at++)
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
	close_isl(&k, out);
}
