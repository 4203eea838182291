/* ir/affine.c -- what isl knows about a map: exact ranges, guards that others imply, gists; and whether a view stays in
 * its source.
 *
 * isl sees params and dims alike as the dims of one set.  It is only asked, within a budget: where it gives no answer,
 * or one beyond 63 bits, what there was stays.
 */
#include <string.h>
#include <isl/aff.h>
#include <isl/ctx.h>
#include <isl/ilp.h>
#include <isl/local_space.h>
#include <isl/mat.h>
#include <isl/options.h>
#include <isl/point.h>
#include <isl/set.h>
#include <isl/space.h>
#include <isl/val.h>
#include "ir/bounds.h"
#include "ir/simplify.h"

/* Ownership, as isl writes it: the result is the caller's; the argument is used up; it stays the caller's. */
#define lt_give
#define lt_take
#define lt_keep

enum { BUDGET = 200000 };       /* isl operations of one call */

void lt__isl_forget(struct lt_simplify *t)
{
	for (int32_t i = 0; i < t->n_aff; i++)
		isl_aff_free(t->aff[i]);
	isl_set_free(t->domain);
	isl_set_free(t->around);
	isl_local_space_free(t->space);
	isl_ctx_free(t->ctx);
	t->n_aff = 0;
	t->domain = t->around = NULL;
	t->space = NULL;
	t->ctx = NULL;
}

/* -- rows to isl and back -- */

static lt_give isl_aff *aff_of(struct lt_simplify *t, const int64_t *row);

static lt_keep isl_aff *div_aff(struct lt_simplify *t, int32_t k)
{
	for (; t->n_aff <= k; t->n_aff++) {
		isl_aff *num = aff_of(t, t->q.num + (size_t)t->n_aff * (size_t)t->width);

		num = isl_aff_scale_down_val(num, isl_val_int_from_si(t->ctx, t->q.den[t->n_aff]));
		t->aff[t->n_aff] = isl_aff_floor(num);
	}
	return t->aff[k];
}

static lt_give isl_aff *aff_of(struct lt_simplify *t, const int64_t *row)
{
	isl_aff *aff = isl_aff_zero_on_domain(isl_local_space_copy(t->space));

	aff = isl_aff_set_constant_val(aff, isl_val_int_from_si(t->ctx, row[0]));
	for (int32_t i = 1; i < t->q.n_base; i++)
		if (row[i])
			aff = isl_aff_set_coefficient_val(aff, isl_dim_in, i - 1, isl_val_int_from_si(t->ctx, row[i]));
	for (int32_t k = 0; k < t->q.n_div; k++)
		if (row[t->q.n_base + k]) {
			isl_aff *term = isl_aff_copy(div_aff(t, k));

			term = isl_aff_scale_val(term, isl_val_int_from_si(t->ctx, row[t->q.n_base + k]));
			aff = isl_aff_add(aff, term);
		}
	return aff;
}

static lt_give isl_set *where_nonnegative(lt_take isl_aff *aff)
{
	return isl_pw_aff_nonneg_set(isl_pw_aff_from_aff(aff));
}

static lt_give isl_set *isl_cut(lt_take isl_set *set, struct lt_simplify *t, const int64_t *row)
{
	return isl_set_intersect(set, where_nonnegative(aff_of(t, row)));
}

/* column - low >= 0 and high - column >= 0 for params and dims; dim < limit. */
static lt_give isl_set *box_set(struct lt_simplify *t)
{
	isl_set *set = isl_set_universe(isl_local_space_get_space(t->space));
	const struct lt_map *m = t->map;

	for (int32_t i = 1; i < t->q.n_base; i++) {
		bool dim = i > m->n_param;
		int64_t low = dim ? 0 : t->g->param[m->param[i - 1]].low;
		int64_t high = dim ? t->box->extent[i - 1 - m->n_param] - 1 : t->g->param[m->param[i - 1]].high;

		set = isl_set_lower_bound_val(set, isl_dim_set, (unsigned)(i - 1), isl_val_int_from_si(t->ctx, low));
		set = isl_set_upper_bound_val(set, isl_dim_set, (unsigned)(i - 1), isl_val_int_from_si(t->ctx, high));
	}
	for (int32_t d = 0; t->limited && d < m->n_dim; d++) {
		const struct lt_linear *limit = t->box->limit[d];
		bool known = limit != NULL;
		int64_t product;

		if (!known)
			continue;
		memset(t->bound, 0, (size_t)t->width * sizeof *t->bound);
		known = !__builtin_sub_overflow(limit->constant, 1, &t->bound[0]);
		t->bound[1 + m->n_param + d] = -1;
		for (int32_t i = 0; i < limit->n; i++) {
			int32_t p = 0;

			while (p < m->n_param && m->param[p] != limit->param[i])
				p++;
			if (p < m->n_param)
				known &= !__builtin_add_overflow(t->bound[1 + p], limit->coef[i], &t->bound[1 + p]);
			else    /* a param that the map does not name: at most its best */
				known &= !__builtin_mul_overflow(limit->coef[i], limit->coef[i] > 0 ? t->g->param[limit->param[i]].high
					: t->g->param[limit->param[i]].low, &product) && !__builtin_add_overflow(t->bound[0], product, &t->bound[0]);
		}
		if (known)
			set = isl_cut(set, t, t->bound);
	}
	return set;
}

static bool ask_isl(struct lt_simplify *t)
{
	if (t->ctx)
		return t->domain != NULL;
	t->ctx = isl_ctx_alloc();
	if (!t->ctx)
		return false;
	isl_options_set_on_error(t->ctx, ISL_ON_ERROR_CONTINUE);
	isl_ctx_set_max_operations(t->ctx, BUDGET);
	t->space = isl_local_space_from_space(isl_space_set_alloc(t->ctx, 0, (unsigned)(t->q.n_base - 1)));
	t->around = box_set(t);
	t->domain = isl_set_copy(t->around);
	for (int32_t i = 0; t->settled && i < t->n_guard; i++)
		t->domain = isl_cut(t->domain, t, lt__simplify_row(t, t->guard, i));
	return t->domain != NULL;
}

static bool number_of(lt_take isl_val *v, int64_t *out)
{
	bool fits = isl_val_is_int(v) == isl_bool_true && isl_val_cmp_si(v, INT64_MAX) <= 0
		&& isl_val_cmp_si(v, INT64_MIN + 1) >= 0;

	*out = fits ? isl_val_get_num_si(v) : 0;
	isl_val_free(v);
	return fits;
}

bool lt__isl_range(void *user, const int64_t *row, int64_t *low, int64_t *high)
{
	struct lt_simplify *t = user;
	isl_aff *aff;
	bool known;

	if (!ask_isl(t))
		return false;
	aff = aff_of(t, row);
	known = number_of(isl_set_min_val(t->domain, aff), low) && number_of(isl_set_max_val(t->domain, aff), high);
	isl_aff_free(aff);
	return known;
}

/* out = den * aff as a row, its divs given by of[]: isl div i is the row of[i * width]. */
static bool read_aff(
	struct lt_simplify *t, lt_keep isl_aff *aff, const int64_t *of, int32_t n_div, int64_t *out, int64_t *den)
{
	isl_val *d = isl_aff_get_denominator_val(aff);
	int64_t c;
	bool known = number_of(isl_val_copy(d), den);

	memset(out, 0, (size_t)t->width * sizeof *out);
	known = known && number_of(isl_val_mul(isl_aff_get_constant_val(aff), isl_val_copy(d)), &out[0]);
	for (int32_t i = 1; known && i < t->q.n_base; i++)
		known = number_of(isl_val_mul(isl_aff_get_coefficient_val(aff, isl_dim_in, i - 1), isl_val_copy(d)), &out[i]);
	for (int32_t k = 0; known && k < n_div; k++) {
		known = number_of(isl_val_mul(isl_aff_get_coefficient_val(aff, isl_dim_div, k), isl_val_copy(d)), &c);
		known = known && lt__row_add(out, c, of + (size_t)k * (size_t)t->width, t->width);
	}
	isl_val_free(d);
	return known;
}

void lt__isl_gist(struct lt_simplify *t, int64_t *row)
{
	int32_t n_div, n_term, n_div2, n_term2, n = 0;
	int64_t *of = t->div, den = 0;
	isl_aff *aff;
	bool known;

	lt__simplify_weigh(t, row, &n_div, &n_term);
	if (!n_div || !ask_isl(t))
		return;
	aff = isl_aff_gist(aff_of(t, row), isl_set_copy(t->domain));
	n = aff ? (int32_t)isl_aff_dim(aff, isl_dim_div) : -1;
	known = n >= 0 && n <= t->q.cap_div;
	for (int32_t k = 0; known && k < n; k++) {
		isl_aff *div = isl_aff_get_div(aff, k);

		known = read_aff(t, div, of, k, t->a, &den);
		isl_aff_free(div);
		memset(lt__simplify_row(t, of, k), 0, (size_t)t->width * sizeof *of);
		if (known)
			lt__quasi_floor(&t->q, t->a, den, 1, lt__simplify_row(t, of, k));
		known = known && !t->q.overflow;
	}
	known = known && read_aff(t, aff, of, n, t->b, &den) && den == 1;
	isl_aff_free(aff);
	t->q.overflow = false;
	if (!known)
		return;
	lt__simplify_weigh(t, t->b, &n_div2, &n_term2);
	if (n_div2 < n_div || (n_div2 == n_div && n_term2 < n_term))
		memcpy(row, t->b, (size_t)t->width * sizeof *row);
}

void lt__isl_drop_implied(struct lt_simplify *t)
{
	if (!ask_isl(t))
		return;
	for (int32_t i = 0; i < t->n_guard; i++)
		t->domain = isl_cut(t->domain, t, lt__simplify_row(t, t->guard, i));
	t->empty = isl_set_is_empty(t->domain) == isl_bool_true;
	for (int32_t i = t->n_guard - 1; !t->empty && i >= 0; i--) {
		isl_set *set = isl_set_copy(t->around);

		for (int32_t j = 0; j < t->n_guard; j++)
			if (j != i)
				set = isl_cut(set, t, lt__simplify_row(t, t->guard, j));
		for (int32_t c = 0; c < t->width; c++)
			t->a[c] = -lt__simplify_row(t, t->guard, i)[c];
		t->a[0] -= 1;
		set = isl_cut(set, t, t->a);
		if (isl_set_is_empty(set) == isl_bool_true) {
			t->n_guard--;
			memmove(lt__simplify_row(t, t->guard, i), lt__simplify_row(t, t->guard, i + 1),
				(size_t)(t->n_guard - i) * (size_t)t->width * sizeof *t->guard);
		}
		isl_set_free(set);
	}
}

void lt__isl_settle(struct lt_simplify *t)
{
	if (t->ctx) {
		isl_set_free(t->domain);
		t->domain = isl_set_copy(t->around);
		for (int32_t i = 0; i < t->n_guard; i++)
			t->domain = isl_cut(t->domain, t, lt__simplify_row(t, t->guard, i));
	}
	t->settled = true;
}

/* -- whether a view stays in its source: over the params in question, then the dims -- */

enum { MAX_REQUIRES = 64 };
struct reach {
	const struct lt_graph *g;
	struct lt_boundask *ask;
	const struct lt_nodedef *view;
	struct isl_ctx *ctx;
	struct isl_local_space *space;
};

static int32_t asked_param(const struct lt_boundask *ask, lt_param p)
{
	for (int32_t at = 0; at < ask->n_param; at++)
		if (ask->param[at] == p)
			return at;
	return -1;
}

static lt_give isl_aff *add_term(lt_take isl_aff *aff, int32_t column, int64_t coef)
{
	isl_val *v = isl_val_add(
		isl_aff_get_coefficient_val(aff, isl_dim_in, column), isl_val_int_from_si(isl_aff_get_ctx(aff), coef));

	return isl_aff_set_coefficient_val(aff, isl_dim_in, column, v);
}

/* A row of a map, whose floors are known. */
static lt_give isl_aff *reach_row(
	const struct reach *r, const struct lt_map *m, const int64_t *row, lt_keep isl_aff *const *div, int32_t n_div)
{
	isl_aff *aff = isl_aff_zero_on_domain(isl_local_space_copy(r->space));

	aff = isl_aff_set_constant_val(aff, isl_val_int_from_si(r->ctx, row[0]));
	for (int32_t i = 0; i < m->n_param; i++)
		if (row[1 + i])
			aff = add_term(aff, asked_param(r->ask, m->param[i]), row[1 + i]);
	for (int32_t i = 0; i < m->n_dim; i++)
		if (row[1 + m->n_param + i])
			aff = add_term(aff, r->ask->n_param + i, row[1 + m->n_param + i]);
	for (int32_t k = 0; k < n_div; k++)
		if (row[1 + m->n_param + m->n_dim + k])
			aff = isl_aff_add(aff, isl_aff_scale_val(isl_aff_copy(div[k]),
				isl_val_int_from_si(r->ctx, row[1 + m->n_param + m->n_dim + k])));
	return aff;
}

/* sign * sum + more; a param that is not asked about: NULL. */
static lt_give isl_aff *reach_linear(const struct reach *r, const struct lt_linear *l, int64_t sign, int64_t more)
{
	isl_aff *aff = isl_aff_zero_on_domain(isl_local_space_copy(r->space));

	for (int32_t i = 0; i < l->n; i++) {
		int32_t at = asked_param(r->ask, l->param[i]);

		if (at < 0)
			return isl_aff_free(aff);
		aff = add_term(aff, at, l->coef[i]);
	}
	aff = isl_aff_set_constant_val(aff, isl_val_int_from_si(r->ctx, l->constant));
	return isl_aff_add_constant_val(
		isl_aff_scale_val(aff, isl_val_int_from_si(r->ctx, sign)), isl_val_int_from_si(r->ctx, more));
}

static void reach_divs(const struct reach *r, const struct lt_map *m, isl_aff **div)
{
	int32_t width = lt__map_width(m);

	for (int32_t k = 0; k < m->n_div; k++) {
		const int64_t *at = m->div + (int64_t)k * (1 + width);

		div[k] = isl_aff_floor(isl_aff_scale_down_val(reach_row(r, m, at + 1, div, k), isl_val_int_from_si(r->ctx, at[0])));
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
			where_nonnegative(reach_row(r, m, m->guard + (int64_t)i * lt__map_width(m), div, m->n_div)));
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

		set = isl_set_lower_bound_val(set, isl_dim_set, (unsigned)i, isl_val_int_from_si(r->ctx, p->low));
		set = isl_set_upper_bound_val(set, isl_dim_set, (unsigned)i, isl_val_int_from_si(r->ctx, p->high));
	}
	for (int32_t i = first; i < r->g->n_require; i++) {
		const struct lt_require *q = &r->g->require[i];
		isl_aff *aff = reach_linear(r, &q->value, 1, 0);

		if (aff && q->equal)
			set = isl_set_intersect(set, where_nonnegative(isl_aff_neg(isl_aff_copy(aff))));
		if (aff)
			set = isl_set_intersect(set, where_nonnegative(aff));
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

		set = isl_set_lower_bound_val(set, isl_dim_set, at, isl_val_int_from_si(r->ctx, 0));
		set = isl_set_upper_bound_val(set, isl_dim_set, at, isl_val_int_from_si(r->ctx, v->extent - 1));
		if (v->bounded)
			set = isl_set_intersect(set, where_nonnegative(add_term(reach_linear(r, &v->limit, 1, -1), (int32_t)at, -1)));
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
	if (r->ask->behind)
		index = isl_aff_add(index, reach_linear(r, &extent, -1, 0));
	else
		index = isl_aff_add_constant_si(isl_aff_neg(index), -1);
	return isl_set_intersect(isl_set_copy(domain), where_nonnegative(index));
}

static bool read_point(struct lt_boundask *ask, int32_t n, lt_keep isl_set *outside)
{
	isl_point *point = isl_set_sample_point(isl_set_copy(outside));
	bool known = point && isl_point_is_void(point) == isl_bool_false;

	for (int32_t i = 0; i < n && known; i++)
		known = number_of(isl_point_get_coordinate_val(point, isl_dim_set, i), &ask->point[i]);
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
				known = number_of(isl_mat_get_element_val(m, i, c), &ask->form[ask->n_form][c]);
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
	struct reach r = { .g = g, .ask = ask, .view = &g->node[ask->view], .ctx = isl_ctx_alloc() };
	int32_t n = ask->n_param + r.view->n_dim;
	enum lt_bound answer = LT_BOUND_OPEN;
	isl_set *params, *domain, *outside;

	if (!r.ctx)
		return LT_BOUND_OPEN;
	isl_options_set_on_error(r.ctx, ISL_ON_ERROR_CONTINUE);
	isl_ctx_set_max_operations(r.ctx, BUDGET);
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
