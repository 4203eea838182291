/* isl.c -- whether a view stays in its source, and for which params, by isl.
 *
 * isl sees the params in question, then the dims, as the dims of one set.  It is only asked, within a budget: what it
 * does not answer stays open.
 */
#include <isl/aff.h>
#include <isl/ctx.h>
#include <isl/local_space.h>
#include <isl/mat.h>
#include <isl/point.h>
#include <isl/set.h>
#include <isl/space.h>
#include <isl/val.h>
#include "ir/isl/isl.h"
#include "ir/bounds/parts.h"

enum { BUDGET = 200000, MAX_REQUIRES = 64 };    /* isl operations of one question; the newest requirements */

struct reach {
	const struct lt_graph *g;
	struct lt_boundask *ask;
	const struct lt_nodedef *view;
	struct isl_ctx *ctx;
	struct isl_local_space *space;
};

static lt_give isl_aff *add_term(lt_take isl_aff *aff, int32_t column, int64_t coef)
{
	isl_val *v = isl_val_add(
		isl_aff_get_coefficient_val(aff, isl_dim_in, column), lt__isl_value(isl_aff_get_ctx(aff), coef));

	return isl_aff_set_coefficient_val(aff, isl_dim_in, column, v);
}

/* A row of a map, whose floors are known. */
static lt_give isl_aff *reach_row(
	const struct reach *r, const struct lt_map *m, const int64_t *row, lt_keep isl_aff *const *div, int32_t n_div)
{
	isl_aff *aff = isl_aff_zero_on_domain(isl_local_space_copy(r->space));

	aff = isl_aff_set_constant_val(aff, lt__isl_value(r->ctx, row[0]));
	for (int32_t i = 0; i < m->n_param; i++)
		if (row[1 + i])
			aff = add_term(aff, lt__index_of(r->ask->param, r->ask->n_param, m->param[i]), row[1 + i]);
	for (int32_t i = 0; i < m->n_dim; i++)
		if (row[1 + m->n_param + i])
			aff = add_term(aff, r->ask->n_param + i, row[1 + m->n_param + i]);
	for (int32_t k = 0; k < n_div; k++)
		if (row[1 + m->n_param + m->n_dim + k])
			aff = isl_aff_add(aff, isl_aff_scale_val(isl_aff_copy(div[k]),
				lt__isl_value(r->ctx, row[1 + m->n_param + m->n_dim + k])));
	return aff;
}

/* sign * sum + more; a param that is not asked about: NULL. */
static lt_give isl_aff *reach_linear(const struct reach *r, const struct lt_linear *l, int64_t sign, int64_t more)
{
	isl_aff *aff = isl_aff_zero_on_domain(isl_local_space_copy(r->space));

	for (int32_t i = 0; i < l->n; i++) {
		int32_t at = lt__index_of(r->ask->param, r->ask->n_param, l->param[i]);

		if (at < 0)
			return isl_aff_free(aff);
		aff = add_term(aff, at, l->coef[i]);
	}
	aff = isl_aff_set_constant_val(aff, lt__isl_value(r->ctx, l->constant));
	return isl_aff_add_constant_val(
		isl_aff_scale_val(aff, lt__isl_value(r->ctx, sign)), lt__isl_value(r->ctx, more));
}

static void reach_divs(const struct reach *r, const struct lt_map *m, isl_aff **div)
{
	int32_t width = lt__map_width(m);

	for (int32_t k = 0; k < m->n_div; k++) {
		const int64_t *at = m->div + (int64_t)k * (1 + width);

		div[k] = isl_aff_floor(isl_aff_scale_down_val(reach_row(r, m, at + 1, div, k), lt__isl_value(r->ctx, at[0])));
	}
}

static void free_divs(const struct lt_map *m, isl_aff **div)
{
	for (int32_t k = 0; k < m->n_div; k++)
		isl_aff_free(div[k]);
}

/* Where the guards of a piece hold. */
static lt_give isl_set *reach_guards(const struct reach *r, const struct lt_map *m)
{
	isl_set *set = isl_set_universe(isl_local_space_get_space(r->space));
	isl_aff *div[LT_BOUND_DIVS];

	reach_divs(r, m, div);
	for (int32_t i = 0; i < m->n_guard; i++)
		set = isl_set_intersect(set,
			lt__isl_nonnegative(reach_row(r, m, m->guard + (int64_t)i * lt__map_width(m), div, m->n_div)));
	free_divs(m, div);
	return set;
}

/* The params within their ranges and as the requirements about them alone say. */
static lt_give isl_set *reach_params(const struct reach *r)
{
	isl_set *set = isl_set_universe(isl_local_space_get_space(r->space));
	int32_t first = r->g->n_require > MAX_REQUIRES ? r->g->n_require - MAX_REQUIRES : 0;

	for (int32_t i = 0; i < r->ask->n_param; i++) {
		const struct lt_paramdef *p = &r->g->param[r->ask->param[i]];

		set = isl_set_lower_bound_val(set, isl_dim_set, (unsigned)i, lt__isl_value(r->ctx, p->low));
		set = isl_set_upper_bound_val(set, isl_dim_set, (unsigned)i, lt__isl_value(r->ctx, p->high));
	}
	for (int32_t i = first; i < r->g->n_require; i++) {
		const struct lt_require *q = &r->g->require[i];
		isl_aff *aff = reach_linear(r, &q->value, 1, 0);

		if (aff && q->equal)
			set = isl_set_intersect(set, lt__isl_nonnegative(isl_aff_neg(isl_aff_copy(aff))));
		if (aff)
			set = isl_set_intersect(set, lt__isl_nonnegative(aff));
	}
	return set;
}

/* Where the piece is shown. */
static lt_give isl_set *reach_domain(const struct reach *r, lt_take isl_set *set)
{
	const struct lt_nodedef *n = r->view;

	for (int32_t d = 0; d < n->n_dim; d++) {
		const struct lt_vardef *v = &r->g->var[n->dim[d]];
		unsigned at = (unsigned)(r->ask->n_param + d);

		set = isl_set_lower_bound_val(set, isl_dim_set, at, lt__isl_value(r->ctx, 0));
		set = isl_set_upper_bound_val(set, isl_dim_set, at, lt__isl_value(r->ctx, v->extent - 1));
		if (v->bounded)
			set = isl_set_intersect(set, lt__isl_nonnegative(add_term(reach_linear(r, &v->limit, 1, -1), (int32_t)at, -1)));
	}
	set = isl_set_intersect(set, reach_guards(r, &n->piece[r->ask->piece].map));
	for (int32_t p = 0; p < r->ask->piece; p++)
		set = isl_set_subtract(set, reach_guards(r, &n->piece[p].map));
	return set;
}

/* The points at which the row leaves its axis. */
static lt_give isl_set *reach_outside(const struct reach *r, lt_keep isl_set *domain)
{
	const struct lt_graphpiece *p = &r->view->piece[r->ask->piece];
	const struct lt_vardef *v = &r->g->var[r->g->node[r->view->operand[p->source]].dim[r->ask->row]];
	const struct lt_linear extent = v->bounded ? v->limit : (struct lt_linear){ .constant = v->extent };
	isl_aff *div[LT_BOUND_DIVS], *index;

	reach_divs(r, &p->map, div);
	index = reach_row(r, &p->map, p->map.row + (int64_t)r->ask->row * lt__map_width(&p->map), div, p->map.n_div);
	free_divs(&p->map, div);
	if (r->ask->past_end)
		index = isl_aff_add(index, reach_linear(r, &extent, -1, 0));
	else
		index = isl_aff_add_constant_si(isl_aff_neg(index), -1);
	return isl_set_intersect(isl_set_copy(domain), lt__isl_nonnegative(index));
}

static bool read_point(struct lt_boundask *ask, int32_t n, lt_keep isl_set *outside)
{
	isl_point *point = isl_set_sample_point(isl_set_copy(outside));
	bool known = point && isl_point_is_void(point) == isl_bool_false;

	for (int32_t i = 0; i < n && known; i++)
		known = lt__isl_number(isl_point_get_coordinate_val(point, isl_dim_set, i), &ask->point[i]);
	isl_point_free(point);
	return known;
}

static bool read_forms(struct lt_boundask *ask, lt_take isl_mat *m, bool equal)
{
	bool known = m != NULL;

	for (int32_t i = 0; known && i < (int32_t)isl_mat_rows(m); i++)
		for (int64_t sign = 1; known && sign >= (equal ? -1 : 1); sign -= 2) {
			known = ask->n_form < LT_BOUND_FORMS;
			for (int32_t c = 0; c < 1 + ask->n_param && known; c++) {
				known = lt__isl_number(isl_mat_get_element_val(m, i, c), &ask->form[ask->n_form][c]);
				ask->form[ask->n_form][c] *= sign;
			}
			ask->n_form += known;
		}
	isl_mat_free(m);
	return known;
}

/* The params that keep the piece inside, as a few sums that are 0 or more. */
static enum lt_bound reach_forms(const struct reach *r, lt_keep isl_set *params, lt_take isl_set *outside)
{
	unsigned n_dim = (unsigned)r->view->n_dim, n_param = (unsigned)r->ask->n_param;
	isl_set *inside, *hull_set;
	isl_basic_set *hull;
	enum lt_bound answer = LT_BOUND_OPEN;

	outside = isl_set_project_out(outside, isl_dim_set, n_param, n_dim);
	params = isl_set_project_out(isl_set_copy(params), isl_dim_set, n_param, n_dim);
	inside = isl_set_coalesce(isl_set_subtract(isl_set_copy(params), outside));
	hull = isl_set_simple_hull(isl_set_copy(inside));
	hull_set = isl_set_from_basic_set(isl_basic_set_copy(hull));
	if (isl_set_is_empty(inside) == isl_bool_true) {
		answer = LT_BOUND_OUTSIDE;
	} else if (isl_set_is_equal(inside, hull_set) == isl_bool_true) {
		isl_set *remainder = isl_set_gist(hull_set, isl_set_copy(params));

		isl_basic_set_free(hull);
		hull_set = NULL;
		hull = isl_set_simple_hull(remainder);
		answer = LT_BOUND_TANGLED;
		if (hull && isl_basic_set_dim(hull, isl_dim_div) == 0
			&& read_forms(r->ask,
				isl_basic_set_inequalities_matrix(
					hull, isl_dim_cst, isl_dim_set, isl_dim_param, isl_dim_div),
				false)
			&& read_forms(r->ask,
				isl_basic_set_equalities_matrix(
					hull, isl_dim_cst, isl_dim_set, isl_dim_param, isl_dim_div),
				true))
			answer = LT_BOUND_REQUIRES;
	} else if (isl_ctx_last_error(r->ctx) == isl_error_none) {
		answer = LT_BOUND_TANGLED;
	}
	isl_set_free(hull_set);
	isl_basic_set_free(hull);
	isl_set_free(inside);
	isl_set_free(params);
	return answer;
}

/* What isl does not answer within its budget stays open. */
enum lt_bound lt__isl_bound(const struct lt_graph *g, struct lt_boundask *ask)
{
	struct reach r = { .g = g, .ask = ask, .view = &g->node[ask->view], .ctx = lt__isl_open(g->ctx, BUDGET) };
	int32_t n = ask->n_param + r.view->n_dim;
	enum lt_bound answer = LT_BOUND_OPEN;
	isl_set *params, *domain, *outside;

	if (!r.ctx)
		return LT_BOUND_OPEN;
	r.space = isl_local_space_from_space(isl_space_set_alloc(r.ctx, 0, (unsigned)n));
	params = reach_params(&r);
	domain = reach_domain(&r, isl_set_copy(params));
	outside = reach_outside(&r, domain);
	isl_bool none = isl_set_is_empty(outside);
	if (none == isl_bool_true)
		answer = LT_BOUND_INSIDE;
	else if (none == isl_bool_false)
		answer = ask->n_param ? reach_forms(&r, params, isl_set_copy(outside)) : LT_BOUND_OUTSIDE;
	if (answer == LT_BOUND_OUTSIDE && !read_point(ask, n, outside))
		answer = LT_BOUND_OPEN;
	isl_set_free(outside);
	isl_set_free(domain);
	isl_set_free(params);
	isl_local_space_free(r.space);
	isl_ctx_free(r.ctx);
	return answer;
}
