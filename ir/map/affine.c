/* affine.c -- what isl knows about a map: exact ranges, guards that others imply, gists.
 *
 * isl sees params and dims alike as the dims of one set.  It is only asked, within a budget: where it gives no answer,
 * or one beyond 63 bits, what there was stays.
 */
#include <string.h>
#include <isl/aff.h>
#include <isl/ctx.h>
#include <isl/ilp.h>
#include <isl/local_space.h>
#include <isl/set.h>
#include <isl/space.h>
#include <isl/val.h>
#include "ir/isl/isl.h"
#include "ir/map/map.h"
#include "ir/map/simplify.h"

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

		num = isl_aff_scale_down_val(num, lt__isl_value(t->ctx, t->q.den[t->n_aff]));
		t->aff[t->n_aff] = isl_aff_floor(num);
	}
	return t->aff[k];
}

static lt_give isl_aff *aff_of(struct lt_simplify *t, const int64_t *row)
{
	isl_aff *aff = isl_aff_zero_on_domain(isl_local_space_copy(t->space));

	aff = isl_aff_set_constant_val(aff, lt__isl_value(t->ctx, row[0]));
	for (int32_t i = 1; i < t->q.n_base; i++)
		if (row[i])
			aff = isl_aff_set_coefficient_val(aff, isl_dim_in, i - 1, lt__isl_value(t->ctx, row[i]));
	for (int32_t k = 0; k < t->q.n_div; k++)
		if (row[t->q.n_base + k]) {
			isl_aff *term = isl_aff_copy(div_aff(t, k));

			term = isl_aff_scale_val(term, lt__isl_value(t->ctx, row[t->q.n_base + k]));
			aff = isl_aff_add(aff, term);
		}
	return aff;
}

static lt_give isl_set *isl_cut(lt_take isl_set *set, struct lt_simplify *t, const int64_t *row)
{
	return isl_set_intersect(set, lt__isl_nonnegative(aff_of(t, row)));
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

		set = isl_set_lower_bound_val(set, isl_dim_set, (unsigned)(i - 1), lt__isl_value(t->ctx, low));
		set = isl_set_upper_bound_val(set, isl_dim_set, (unsigned)(i - 1), lt__isl_value(t->ctx, high));
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
	t->ctx = lt__isl_open(t->g->ctx, BUDGET);
	if (!t->ctx)
		return false;
	t->space = isl_local_space_from_space(isl_space_set_alloc(t->ctx, 0, (unsigned)(t->q.n_base - 1)));
	t->around = box_set(t);
	t->domain = isl_set_copy(t->around);
	for (int32_t i = 0; t->settled && i < t->n_guard; i++)
		t->domain = isl_cut(t->domain, t, lt__simplify_row(t, t->guard, i));
	return t->domain != NULL;
}

bool lt__isl_within(void *user, const int64_t *row, int64_t den, int64_t *out)
{
	struct lt_simplify *t = user;
	enum lt_decided decided = lt__digits_within(t, row, den, out);
	int64_t low, high;
	isl_aff *aff;
	bool known;

	if (!decided)
		decided = lt__points_within(t, row, den, out);
	if (decided || !ask_isl(t))
		return decided == LT_DECIDED_YES;
	aff = aff_of(t, row);
	known = lt__isl_number(isl_set_min_val(t->domain, aff), &low)
		&& lt__isl_number(isl_set_max_val(t->domain, aff), &high);
	isl_aff_free(aff);
	*out = known ? lt__floor_div(low, den) : 0;
	return known && *out == lt__floor_div(high, den);
}

/* out = den * aff as a row, its divs given by of[]: isl div i is the row of[i * width]. */
static bool read_aff(
	struct lt_simplify *t, lt_keep isl_aff *aff, const int64_t *of, int32_t n_div, int64_t *out, int64_t *den)
{
	isl_val *d = isl_aff_get_denominator_val(aff);
	int64_t c;
	bool known = lt__isl_number(isl_val_copy(d), den);

	memset(out, 0, (size_t)t->width * sizeof *out);
	known = known && lt__isl_number(isl_val_mul(isl_aff_get_constant_val(aff), isl_val_copy(d)), &out[0]);
	for (int32_t i = 1; known && i < t->q.n_base; i++)
		known = lt__isl_number(isl_val_mul(isl_aff_get_coefficient_val(aff, isl_dim_in, i - 1), isl_val_copy(d)), &out[i]);
	for (int32_t k = 0; known && k < n_div; k++) {
		known = lt__isl_number(isl_val_mul(isl_aff_get_coefficient_val(aff, isl_dim_div, k), isl_val_copy(d)), &c);
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
	if (!n_div || lt__digits_gist(t, row) || lt__points_gist(t, row) || !ask_isl(t))
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
		if (isl_set_is_empty(set) == isl_bool_true)
			lt__simplify_drop(t, i);
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
