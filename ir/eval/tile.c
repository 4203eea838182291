/* tile.c -- one tile of a sum of products: panels of both factors, the steps over them, the results. */
#include <math.h>
#include <string.h>
#include "base/number.h"
#include "ir/eval/parts.h"

struct parts {
	double *a, *b, *a_error, *b_error, *value, *lost, *error, *size;
	float *a_f32, *b_f32;
	int64_t *coarse, *odd;
	int64_t *total;                 /* of integers: their sums so far; value has those of one step */
	struct lt_reach *reach;
	uint32_t *offset;
	size_t cleared;                 /* doubles from value on that begin as 0 */
	bool reached;                   /* reach is used */
	double rest;                    /* of each sum: what the terms that no reach has may add */
};

/* The next n doubles; at NULL only counts. */
static double *take(double *from, size_t *used, size_t n)
{
	*used += n;
	return from ? from + *used - n : NULL;
}

/* The modes that need nothing but f32 have panels of them. */
static bool is_plain(const struct lt_evaluation *e, enum lt_dtype t)
{
	return t == LT_F32 && !e->noise && !e->options.want_error;
}

/* Panels of both factors and of their errors, sums, and the noise's offsets, one after another. */
static size_t cut_panel(
	const struct lt_evaluation *e, const struct lt_eval_product *p, enum lt_dtype t, double *from, struct parts *c)
{
	size_t m = (size_t)lt__round_up(p->m, LT_LANES_LEFT), n = (size_t)p->n, k = (size_t)p->k, used = 0;
	bool plain = is_plain(e, t), bound = e->options.want_error, whole = lt__eval_is_whole(t), noisy = e->noise && !whole;

	*c = (struct parts){ 0 };
	c->a = take(from, &used, plain ? k * m / 2 : k * m);
	c->b = take(from, &used, plain ? k * n / 2 : k * n);
	c->a_f32 = plain ? (float *)c->a : NULL;
	c->b_f32 = plain ? (float *)c->b : NULL;
	c->a_error = bound ? take(from, &used, k * m) : NULL;
	c->b_error = bound ? take(from, &used, k * n) : NULL;
	c->cleared = used;
	c->value = take(from, &used, m * n);
	c->lost = t == LT_F64 || (whole && bound) ? take(from, &used, m * n) : NULL;
	c->total = whole ? (int64_t *)take(from, &used, m * n) : NULL;
	c->size = bound || noisy ? take(from, &used, m * n) : NULL;
	c->coarse = bound || noisy ? (int64_t *)take(from, &used, m * n) : NULL;
	c->error = bound ? take(from, &used, m * n) : NULL;
	c->odd = bound ? (int64_t *)take(from, &used, m * n) : NULL;
	c->cleared = used - c->cleared;
	c->offset = noisy ? (uint32_t *)take(from, &used, k * m / 2) : NULL;
	c->reach = noisy ? (struct lt_reach *)take(from, &used, sizeof *c->reach / sizeof(double) * m * n) : NULL;
	return used;
}

size_t lt__eval_product_bytes(const struct lt_evaluation *e, const struct lt_eval_product *p, enum lt_dtype t)
{
	struct parts parts;

	return cut_panel(e, p, t, NULL, &parts) * sizeof(double);
}

static enum lt_dtype tile_type(const struct lt_worker *w) { return w->e->g->node[w->job->node].dtype; }

/* The same step term by term as error.c has it: for infinities, NaN and what may overflow. */
static void bound_by_terms(const struct lt_worker *w, const struct lt_tile *t, int64_t *odd)
{
	enum lt_dtype type = tile_type(w);

	for (int64_t at = 0; at < (int64_t)t->m * t->n; at++) {
		struct lt_fold fold = {
			.error = t->error[at], .size = t->size[at], .coarse = t->coarse[at] != 0, .odd = odd[at] != 0
		};
		for (int32_t k = 0; k < t->k; k++) {
			int64_t i = lt__tile_left(t, at / t->n, k), j = lt__tile_right(t, at % t->n, k);
			union lt_scalar x[2] = { { .f = t->a[i] }, { .f = t->b[j] } }, raw = { .f = t->a[i] * t->b[j] },
					r = lt__round_to(raw, type);
			double error[3] = { t->a_error[i], t->b_error[j] },
			       bound = lt__eval_op_error(LT_OP_mul, type, type, x, error, raw, r);
			lt__eval_fold_error(&fold, LT_OP_add, type, r, bound);
			if (type == LT_F64)
				w->e->rows->add(1, &r.f, &t->value[at], &t->lost[at]);
			else
				t->value[at] += r.f;
		}
		t->error[at] = fold.error;
		t->size[at] = fold.size;
		t->coarse[at] = fold.coarse ? -1 : 0;
		odd[at] = fold.odd ? -1 : 0;
	}
}

static void random_by_terms(const struct lt_worker *w, const struct lt_tile *t, struct lt_reach *reach)
{
	const struct lt_eval_rows *rows = w->e->rows;
	enum lt_dtype type = tile_type(w);
	double scale = w->e->amplify * t->unit, min = w->e->amplify * t->tiny / 2;

	for (int64_t at = 0; at < (int64_t)t->m * t->n; at++) {
		for (int32_t k = 0; k < t->k; k++) {
			int64_t i = lt__tile_left(t, at / t->n, k), j = lt__tile_right(t, at % t->n, k);
			const double *noise = w->e->noise + at % t->n;
			uint32_t offset = t->offset[i];
			double raw = t->a[i] * t->b[j], rounding = fma(t->a[i], t->b[j], -raw), old = t->value[at];
			rows->disturb(type, 1, &rounding, noise + (offset & (LT_NOISE - 1)), scale, min, &raw);
			/* whether it overflows is asked of the rounded one */
			union lt_scalar p = lt__round_to((union lt_scalar){ .f = raw }, type);
			double sum = old + p.f, part = sum - old;
			rounding = (old - (sum - part)) + (p.f - part);
			rows->disturb(type, 1, &rounding, noise + (offset >> 12 & (LT_NOISE - 1)), scale, 0, &sum);
			struct lt_fold term = { 0 };
			lt__eval_fold_error(&term, LT_OP_add, type, p, 0);
			lt__eval_reach_term(&reach[at], p.f, (double[]){ t->a[i], t->b[j] }, type);
			t->size[at] += term.size;
			t->coarse[at] |= term.coarse ? -1 : 0;
			t->value[at] = sum;
		}
	}
}

/* What terms that are not looked at one by one may add up to, as a share of the type's largest number. */
#define TAME 0.25

/* What is known of the factors at `t->k` deep positions. */
struct factors { double smallest, largest; bool sure; };

/* Adds `t->k` products to each sum.  Where no product can overflow, that is not asked term by term.  An error that is
 * infinite, or reaches beyond the type's numbers, makes the error of the sum infinite in either way (sum_error of
 * error.c). */
static void tile_add_terms(
	const struct lt_worker *w, const struct lt_tile *t, struct parts *parts, const struct factors *products)
{
	const struct lt_evaluation *e = w->e;
	const struct lt_dtypeinfo *type = lt__dtype_info(tile_type(w));
	double share = e->noise ? (double)w->job->product->depth : 1;
	bool tame = products->largest <= TAME * type->largest / share, odd = (e->noise || e->options.want_error) && !tame;
	enum lt_tile_mode mode = e->options.mode == LT_EVAL_NEAREST ? LT_TILE_NEAREST : LT_TILE_EXACT;

	if (e->options.want_error)
		mode = products->sure ? LT_TILE_BOUND_SURE : LT_TILE_BOUND;
	else if (e->noise)
		mode = products->smallest >= t->min ? LT_TILE_RANDOM_NORMAL : LT_TILE_RANDOM;
	if (odd && e->noise && !parts->reached)
		memset(parts->reach, 0, (size_t)t->m * (size_t)t->n * sizeof *parts->reach);
	parts->reached = parts->reached || (odd && e->noise);
	if (!odd)
		e->rows->product[mode][tile_type(w) == LT_F64](t);
	else if (e->noise)
		random_by_terms(w, t, parts->reach);
	else
		bound_by_terms(w, t, parts->odd);
	if (tame)
		parts->rest = TAME * LT_REACH_SCALE * type->largest;
}

/* Integers: each product, and the sum of so many, is a whole number that a double has, or all wrap. */
static void tile_add_whole(
	const struct lt_worker *w, const struct lt_tile *t, const struct parts *parts, const struct factors *products)
{
	const bool bound = w->e->options.want_error && !products->sure;
	const int64_t n = lt__round_up(t->m, LT_LANES_LEFT) * t->n;

	if (products->largest * t->k <= 0x1p53) {
		memset(t->value, 0, (size_t)n * sizeof *t->value);
		w->e->rows->product[bound ? LT_TILE_BOUND : LT_TILE_NEAREST][1](t);
		for (int64_t at = 0; at < n; at++)
			parts->total[at] = lt_whole_add(parts->total[at], (int64_t)t->value[at]);
		return;
	}
	for (int64_t at = 0; at < (int64_t)t->m * t->n; at++)
		for (int32_t k = 0; k < t->k; k++) {
			int64_t i = lt__tile_left(t, at / t->n, k), j = lt__tile_right(t, at % t->n, k);
			parts->total[at] = lt_whole_add(parts->total[at], lt_whole_mul((int64_t)t->a[i], (int64_t)t->b[j]));
			if (bound)
				t->error[at] += t->a_error[i] * fabs(t->b[j]) + t->b_error[j] * fabs(t->a[i]) + t->a_error[i] * t->b_error[j];
		}
}

/* Places in the result of `count` positions of vars from `first` on. */
static void find_offsets(struct lt_worker *w, const lt_var *var, int32_t n, int64_t first, int32_t count, int64_t *to)
{
	const struct lt_eval_job *job = w->job;

	lt__eval_set_walk(w, var, n, first);
	for (int32_t i = 0; i < count; i++) {
		to[i] = 0;
		for (int32_t v = 0; v < n; v++)
			for (int32_t d = 0; d < job->n_dim; d++)
				to[i] += job->dim[d] == var[v] ? w->at[var[v]] * job->stride[d] : 0;
		lt__eval_next_walk(w, var, n);
	}
}

static void store_errors(
	struct lt_worker *w, const struct lt_tile *t, const int64_t *odd, int32_t m, int32_t columns, int64_t base)
{
	for (int32_t n = 0; n < columns; n++) {
		int64_t at = (int64_t)m * t->n + n;
		struct lt_fold fold = { .uncertain = t->error[at] != 0, .odd = odd[at] != 0, .coarse = t->coarse[at] != 0,
			.error = t->error[at], .size = t->size[at], .n = w->job->product->depth };
		double error = lt__eval_folded_error(&fold, LT_OP_add, tile_type(w), (union lt_scalar){ .i = w->out->at.i[n] });
		w->job->to->error[base + w->column_at[n]] = error;
		w->inexact = w->inexact || error != 0;
	}
}

/* A row of the results, in stretches of equal distance. */
static void store_results(
	struct lt_worker *w, const struct lt_tile *t, const struct parts *parts, int32_t m, int32_t columns, int64_t base)
{
	const struct lt_eval_job *job = w->job;
	union lt_eval_row *row = &w->out->at, *part = &w->one->at;

	for (int32_t n = 0; parts->total && n < columns; n++)
		row->i[n] = parts->total[(int64_t)m * t->n + n];
	for (int32_t n = 0; !parts->total && n < columns; n++) {
		int64_t at = (int64_t)m * t->n + n;
		row->f[n] = t->value[at]
			+ (w->e->options.mode == LT_EVAL_EXACT && tile_type(w) == LT_F64 && isfinite(t->value[at])
					? t->lost[at]
					: 0);
		struct lt_fold fold = { .n = job->product->depth,
			.size = w->e->noise ? t->size[at] : 0,
			.coarse = w->e->noise && t->coarse[at],
			.reach.rest = parts->rest };
		if (parts->reached) {
			fold.reach = parts->reach[at];
			fold.reach.rest = parts->rest;
		}
		if (w->e->noise)
			row->f[n] = lt__eval_disturb_order(w->e, job->node, LT_OP_add, &fold, row->f[n], base + w->column_at[n]);
	}
	w->e->rows->round(tile_type(w), columns, row);
	for (int32_t n = 0, next; n < columns; n = next) {
		int64_t step = n + 1 < columns ? w->column_at[n + 1] - w->column_at[n] : 1;
		for (next = n + 1; next < columns && w->column_at[next] - w->column_at[next - 1] == step; next++)
			continue;
		for (int32_t j = n; j < next; j++)
			part->i[j - n] = row->i[j];
		w->e->rows->store(tile_type(w), job->to->own, base + w->column_at[n], step, next - n, part);
	}
	if (w->e->options.want_error)
		store_errors(w, t, parts->odd, m, columns, base);
}

/* Both panels at t->k deep positions from `deep` on. */
static lt_status fill_panels(struct lt_worker *w, const struct lt_tile *t, const struct parts *parts, int64_t row,
	int64_t column, int32_t columns, int64_t base, int64_t deep, struct factors *products)
{
	const struct lt_evaluation *e = w->e;
	const struct lt_eval_product *p = w->job->product;
	const bool whole = lt__eval_is_whole(tile_type(w));
	struct lt_filling a = { parts->a, parts->a_error, parts->a_f32, LT_LANES_LEFT, t->k, whole, true },
		b = { parts->b, parts->b_error, parts->b_f32, LT_LANES, t->k, whole, true };
	double smallest[2] = { 0 }, largest[2] = { 0 };

	LT_TRY(lt__eval_fill_panel(w, &p->left, row, t->m, deep, &a));
	LT_TRY(lt__eval_fill_panel(w, &p->right, column, columns, deep, &b));
	if (lt__eval_is_loose(e, w->job->node) && (e->noise || e->options.want_error || e->options.mode == LT_EVAL_NEAREST)) {
		lt__eval_loosen(e, p->left.steps.step[p->left.steps.top].node, base + row, t->m, deep, &a);
		lt__eval_loosen(e, p->right.steps.step[p->right.steps.top].node, base + column, columns, deep, &b);
	}
	if (e->noise || e->options.want_error || whole) {
		e->rows->range((int64_t)t->k * lt__round_up(t->m, LT_LANES_LEFT), parts->a, &smallest[0], &largest[0]);
		e->rows->range((int64_t)t->k * t->n, parts->b, &smallest[1], &largest[1]);
	}
	*products = (struct factors){ smallest[0] * smallest[1], largest[0] * largest[1], a.sure && b.sure };
	return LT_OK;
}

static void draw_offsets(
	const struct lt_worker *w, const struct lt_tile *t, uint32_t *offset, int64_t base, int64_t deep)
{
	for (int32_t k = 0; k < t->k; k++)
		for (int32_t m = 0; m < lt__round_up(t->m, LT_LANES_LEFT); m++)
			offset[lt__tile_left(t, m, k)] = m >= t->m ? 0
				: lt__eval_noise_offset(w->e, w->job->node, base + w->row_at[m] + w->column_at[0], deep + k);
}

lt_status lt__eval_product_task(struct lt_worker *w, int64_t task)
{
	const struct lt_evaluation *e = w->e;
	const struct lt_eval_product *p = w->job->product;
	const struct lt_dtypeinfo *type = lt__dtype_info(tile_type(w));
	int64_t column = task % p->n_tiles * p->n, row = task / p->n_tiles % p->m_tiles * p->m, base;
	int32_t columns = p->columns - column < p->n ? (int32_t)(p->columns - column) : p->n;
	const bool whole = lt__eval_is_whole(tile_type(w));
	struct parts parts;

	cut_panel(e, p, tile_type(w), w->panel, &parts);
	struct lt_tile t = { .m = p->rows - row < p->m ? (int32_t)(p->rows - row) : p->m,
		.n = (int32_t)lt__round_up(columns, LT_LANES),
		.a = parts.a,
		.b = parts.b,
		.a_f32 = parts.a_f32,
		.b_f32 = parts.b_f32,
		.value = parts.value,
		.lost = parts.lost,
		.a_error = parts.a_error,
		.b_error = parts.b_error,
		.error = parts.error,
		.size = parts.size,
		.coarse = parts.coarse,
		.offset = parts.offset,
		.noise = e->noise_of[tile_type(w) == LT_F64],
		.min = type->tiny / (2 * type->unit),
		.unit = type->unit,
		.tiny = type->tiny };
	find_offsets(w, p->batch, p->n_batch, task / p->n_tiles / p->m_tiles, 1, &base);
	find_offsets(w, p->left.var, p->left.n_var, row, t.m, w->row_at);
	find_offsets(w, p->right.var, p->right.n_var, column, columns, w->column_at);
	lt__eval_set_walk(w, p->batch, p->n_batch, task / p->n_tiles / p->m_tiles);
	memset(parts.value, 0, parts.cleared * sizeof *parts.value);
	for (int64_t deep = 0; deep < p->depth; deep += p->k) {
		struct factors products;
		t.first = deep == 0;
		t.k = p->depth - deep < p->k ? (int32_t)(p->depth - deep) : p->k;
		LT_TRY(fill_panels(w, &t, &parts, row, column, columns, base, deep, &products));
		if (parts.offset)
			draw_offsets(w, &t, parts.offset, base, deep);
		if (whole)
			tile_add_whole(w, &t, &parts, &products);
		else
			tile_add_terms(w, &t, &parts, &products);
	}
	for (int32_t m = 0; m < t.m; m++)
		store_results(w, &t, &parts, m, columns, base + w->row_at[m]);
	return LT_OK;
}
