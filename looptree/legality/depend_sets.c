/* depend_sets.c -- a touch as sets and maps of isl.
 *
 * A touch is a set of instances (its counters); its cells, its element and its time are maps from there.
 */
#include <isl/aff.h>
#include <isl/map.h>
#include <isl/set.h>
#include <isl/space.h>
#include <isl/val.h>
#include "looptree/legality/depend_sets.h"

int32_t lt__touch_dims(const struct lt_touch *x) { return x->n_counter + x->n_extra; }

static lt_give isl_val *val(const struct lt_isl_ask *k, int64_t v) { return lt__isl_value(k->ctx, v); }

lt_give isl_space *lt__touch_space(const struct lt_isl_ask *k, const struct lt_touch *x)
{
	isl_space *space = isl_space_set_alloc(k->ctx, (unsigned)k->q->n_param, (unsigned)lt__touch_dims(x));
	char name[24];
	for (int32_t p = 0; p < k->q->n_param; p++) {
		(void)snprintf(name, sizeof name, "p%d", (int)p);
		space = isl_space_set_dim_name(space, isl_dim_param, (unsigned)p, name);
	}
	(void)snprintf(name, sizeof name, "T%d", (int)(x - k->q->touch));
	return isl_space_set_tuple_name(space, isl_dim_set, name);
}

static lt_give isl_aff *constant_of(const struct lt_isl_ask *k, const struct lt_touch *x, int64_t c)
{
	return isl_aff_val_on_domain_space(lt__touch_space(k, x), val(k, c));
}

static lt_give isl_aff *aff_plus(
	lt_take isl_aff *aff, const struct lt_isl_ask *k, enum isl_dim_type type, int32_t i, int64_t c)
{
	return isl_aff_add_coefficient_val(aff, type, (int)i, val(k, c));
}

static int32_t param_number(const struct lt_isl_ask *k, lt_param p)
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
	lt_take isl_aff *aff, const struct lt_isl_ask *k, const struct lt_touch *x, int32_t column, int64_t c, int32_t from)
{
	if (column >= x->leaf->n_var + x->leaf->n_trip)
		return aff_plus(aff, k, isl_dim_in, x->n_counter, c);
	for (int32_t i = from; i < x->n_counter; i++)
		if (step_along(k->q->g, x, i, column))
			aff = aff_plus(aff, k, isl_dim_in, i, c * step_along(k->q->g, x, i, column));
	return aff;
}

static lt_give isl_aff *row_of(
	const struct lt_isl_ask *k, const struct lt_touch *x, const struct lt_map *m, const int64_t *row, int32_t from)
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
	lt_take isl_aff *aff, const struct lt_isl_ask *k, const struct lt_linear *l, int64_t times)
{
	aff = isl_aff_add_constant_val(aff, val(k, times * l->constant));
	for (int32_t i = 0; i < l->n; i++)
		aff = aff_plus(aff, k, isl_dim_param, param_number(k, l->param[i]), times * l->coef[i]);
	return aff;
}

static lt_give isl_set *where(lt_take isl_set *set, lt_take isl_aff *nonnegative)
{
	return isl_set_intersect(set, lt__isl_nonnegative(nonnegative));
}

static bool knows_params(const struct lt_isl_ask *k, const struct lt_linear *l)
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
static lt_give isl_set *cut_params(lt_take isl_set *set, const struct lt_isl_ask *k, const struct lt_touch *x)
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
static lt_give isl_set *cut_counters(lt_take isl_set *set, const struct lt_isl_ask *k, const struct lt_touch *x)
{
	for (int32_t i = 0; i < lt__touch_dims(x); i++)
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
	lt_take isl_set *set, const struct lt_isl_ask *k, const struct lt_touch *x, const struct lt_map *m)
{
	for (int32_t i = 0; i < m->n_guard; i++)
		set = where(set, row_of(k, x, m, m->guard + (int64_t)i * lt__map_width(m), 0));
	return set;
}

lt_give isl_set *lt__touch_instances(const struct lt_isl_ask *k, const struct lt_touch *x)
{
	isl_set *set = cut_params(isl_set_universe(lt__touch_space(k, x)), k, x);
	set = cut_counters(set, k, x);
	set = cut_guards(set, k, x, &x->map);
	for (int32_t i = 0; i < x->n_before; i++)
		set = isl_set_subtract(set, cut_guards(isl_set_universe(lt__touch_space(k, x)), k, x, &x->before[i].map));
	return set;
}

/* Rows that are filled one after the other into a map from the touch's instances. */
struct owned_rows { isl_multi_aff *at; int32_t n; };

static struct owned_rows rows_new(const struct lt_isl_ask *k, const struct lt_touch *x, int32_t n)
{
	isl_space *from = lt__touch_space(k, x), *to = isl_space_set_from_params(isl_space_params(isl_space_copy(from)));
	to = isl_space_add_dims(to, isl_dim_set, (unsigned)n);
	return (struct owned_rows){ isl_multi_aff_zero(isl_space_map_from_domain_and_range(from, to)), 0 };
}

static void rows_add(struct owned_rows *r, lt_take isl_aff *aff) { r->at = isl_multi_aff_set_aff(r->at, r->n++, aff); }

static lt_give isl_map *rows_map(struct owned_rows *r, lt_keep isl_set *instances)
{
	return isl_map_intersect_domain(isl_map_from_multi_aff(r->at), isl_set_copy(instances));
}

static lt_give isl_aff *counter_of(const struct lt_isl_ask *k, const struct lt_touch *x, int32_t i)
{
	return aff_plus(constant_of(k, x, 0), k, isl_dim_in, i, 1);
}

bool lt__touch_owned(const struct lt_graph *g, const struct lt_touch *x, lt_var v)
{
	for (int32_t i = 0; i < x->n_owned; i++)
		if (lt__var_step(g, v, x->counter[i].var, x->counter[i].step))
			return true;
	return false;
}

/* How many of the digits of dim i are counters of the first `owned` loops. */
static int32_t digits_in(const struct lt_isl_ask *k, const struct lt_touch *x, int32_t i, int32_t owned)
{
	int32_t n = 0;
	for (int32_t c = 0; c < owned && x->column[i] >= 0 && n < k->q->n_digit[i]; c++)
		n += step_along(k->q->g, x, c, x->column[i]) > 0;
	return n;
}

/* The index along dim i, counted from counter `from` on: digits and the remainder, or the row as a whole. */
static void add_index(
	struct owned_rows *r, const struct lt_isl_ask *k, const struct lt_touch *x, int32_t i, int32_t from)
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

static int32_t n_index(const struct lt_isl_ask *k, const struct lt_touch *x, int32_t i, int32_t from)
{
	return k->q->n_digit[i] ? k->q->n_digit[i] - digits_in(k, x, i, from) + k->q->remainder[i] : 1;
}

/* Rows for the first n_outer counters, then each index: of the cells as freezing lays them out (owned: counted within
 * one iteration of the value's owner), or of the elements. */
static lt_give isl_map *indices_of(
	const struct lt_isl_ask *k, const struct lt_touch *x, lt_keep isl_set *instances, int32_t n_outer, bool owned)
{
	const struct lt_nodedef *d = &k->q->g->node[k->q->value];
	int32_t n = n_outer;
	for (int32_t i = 0; i < d->n_dim; i++)
		n += n_index(k, x, i, owned && lt__touch_owned(k->q->g, x, d->dim[i]) ? n_outer : 0);
	struct owned_rows r = rows_new(k, x, n);
	for (int32_t i = 0; i < n_outer; i++)
		rows_add(&r, counter_of(k, x, i));
	for (int32_t i = 0; i < d->n_dim; i++)
		add_index(&r, k, x, i, owned && lt__touch_owned(k->q->g, x, d->dim[i]) ? n_outer : 0);
	return rows_map(&r, instances);
}

/* Cells are new in each iteration of the value's owner. */
lt_give isl_map *lt__touch_cells(const struct lt_isl_ask *k, const struct lt_touch *x, lt_keep isl_set *instances)
{
	return indices_of(k, x, instances, x->n_owned, true);
}

/* The element; for a reduction's own touches with the iterations of the loops around it. */
lt_give isl_map *lt__touch_elements(
	const struct lt_isl_ask *k, const struct lt_touch *x, lt_keep isl_set *instances, int32_t n_outer)
{
	return indices_of(k, x, instances, n_outer, false);
}

lt_give isl_map *lt__touch_times(const struct lt_isl_ask *k, const struct lt_touch *x, lt_keep isl_set *instances)
{
	struct owned_rows r = rows_new(k, x, x->n_when);
	for (int32_t i = 0; i < x->n_when; i++)
		rows_add(&r, x->when[i].counter < 0 ? constant_of(k, x, x->when[i].position) : counter_of(k, x, x->when[i].counter));
	return rows_map(&r, instances);
}

/* Of the instances those whose element the value's leaf writes at all. */
lt_give isl_set *lt__touch_written(lt_take isl_set *set, const struct lt_isl_ask *k, const struct lt_touch *x)
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
