/* ir/eval_tile.c -- one tile of a sum of products: panels of both factors, the steps over them, the results. */
#include <math.h>
#include <string.h>
#include "ir/eval_parts.h"

/* Numbers of one sum: its value and rest; the terms' sizes, and whether one is coarse; of bounds the errors, and
 * whether one is odd; of random sums what they reach. */
static size_t sums_of(const struct lt_evaluation *e)
{
	return e->options.want_error ? 6 : e->noise ? 4 + sizeof(struct lt_reach) / sizeof(double) : 2;
}

/* Panels of both factors and of their errors, sums, and the noise's offsets, one after another. */
size_t lt__eval_product_bytes(const struct lt_evaluation *e, const struct lt_eval_product *p)
{
	size_t m = (size_t)p->m, n = (size_t)p->n, k = (size_t)p->k, panels = k * (m + n);

	return (e->options.want_error ? 2 : 1) * panels + sums_of(e) * m * n + (e->noise ? k * m : 0);
}

struct parts {
	double *a, *b, *a_error, *b_error, *value, *lost, *error, *size;
	int64_t *coarse, *odd;
	struct lt_reach *reach;
	double rest;                    /* of each sum: what the terms that no reach has may add */
	uint32_t *offset;
};

static struct parts cut_panel(const struct lt_worker *w)
{
	const struct lt_eval_product *p = w->job->product;
	size_t m = (size_t)p->m, n = (size_t)p->n, k = (size_t)p->k;
	double *at = w->panel;
	struct parts c = { .a = at, .b = at + k * m };

	at += k * (m + n);
	c.value = at;
	c.lost = at + m * n;
	at += 2 * m * n;
	if (w->e->options.want_error || w->e->noise) {  /* right after value and rest: all sums are cleared at once */
		c.size = at;
		c.coarse = (int64_t *)(at + m * n);
		at += 2 * m * n;
	}
	if (w->e->noise && !w->e->options.want_error) {
		c.reach = (struct lt_reach *)at;
		at += sizeof *c.reach / sizeof *at * m * n;
	}
	if (w->e->options.want_error) {
		c.error = at;
		c.odd = (int64_t *)(at + m * n);
		at += 2 * m * n;
	}
	if (w->e->options.want_error) {
		c.a_error = at;
		c.b_error = at + k * m;
		at += k * (m + n);
	}
	if (w->e->noise)
		c.offset = (uint32_t *)at;
	return c;
}

/* Elements first.. of a panel from one strip: to[j * step]. */
static void store_row(const struct lt_worker *w, const struct lt_strip *in, int32_t n, double *to, double *error,
	int64_t step, double *largest)
{
	const struct lt_eval_rows *rows = w->e->rows;
	double value = rows->largest(in->uniform ? 1 : n, in->at.f);

	*largest = value > *largest ? value : *largest;
	for (int32_t j = 0; j < n; j++)
		to[j * step] = in->at.f[in->uniform ? 0 : j];
	if (!error)
		return;
	for (int32_t j = 0; j < n; j++)
		error[j * step] = in->exact ? 0 : in->error[in->uniform ? 0 : j];
}

/* One factor at `count` positions of its vars from `first` on (width of the panel: `wide`) and `depth` deep ones from
 * `deep` on. */
static lt_status fill_panel(struct lt_worker *w, const struct lt_panel *p, int64_t first, int32_t count, int32_t wide,
	int64_t deep, int32_t depth, double *to, double *error, double *largest)
{
	const struct lt_evaluation *e = w->e;
	const struct lt_eval_product *job = w->job->product;
	const struct lt_strip *in = &w->strip[p->steps.top];
	const lt_var *outer = p->along_deep ? p->var : job->deep, *inner = p->along_deep ? job->deep : p->var;
	int32_t n_outer = p->along_deep ? p->n_var : job->n_deep, n_inner = p->along_deep ? job->n_deep : p->n_var;
	int64_t outer_first = p->along_deep ? first : deep, inner_first = p->along_deep ? deep : first;
	int32_t outer_count = p->along_deep ? count : depth, inner_count = p->along_deep ? depth : count;
	int64_t outer_step = p->along_deep ? 1 : wide, inner_step = p->along_deep ? wide : 1;

	w->along = n_inner > 0 ? inner[n_inner - 1] : -1;
	lt__eval_set_walk(w, outer, n_outer, outer_first);
	for (int32_t i = 0; i < outer_count; i++) {
		int64_t extent = n_inner > 0 ? e->extent[w->along] : 1;
		lt__eval_set_walk(w, inner, n_inner, inner_first);
		for (int32_t j = 0; j < inner_count;) {
			int64_t left = n_inner > 0 ? extent - w->at[w->along] : 1;
			int32_t n = inner_count - j < left ? inner_count - j : (int32_t)left;
			int64_t at = i * outer_step + j * inner_step;
			n = n < LT_STRIP ? n : LT_STRIP;
			LT_TRY(lt__eval_run_steps(w, &p->steps, n));
			store_row(w, in, n, to + at, error ? error + at : NULL, inner_step, largest);
			j += n;
			if (n_inner > 0)
				w->at[w->along] += n - 1;
			lt__eval_next_walk(w, inner, n_inner);
		}
		lt__eval_next_walk(w, outer, n_outer);
	}
	return LT_OK;
}

/* Columns beyond the last, which is not read, are zeros. */
static void clear_padding(double *panel, int32_t depth, int32_t count, int32_t wide)
{
	for (int32_t k = 0; k < depth && panel; k++)
		for (int32_t j = count; j < wide; j++)
			panel[(int64_t)k * wide + j] = 0;
}

static enum lt_dtype tile_type(const struct lt_worker *w) { return w->e->g->node[w->job->node].dtype; }

/* The same step term by term as ir/eval_error.c has it: for infinities, NaN and what may overflow. */
static void bound_by_terms(const struct lt_worker *w, const struct lt_tile *t, int64_t *odd)
{
	enum lt_dtype type = tile_type(w);

	for (int64_t at = 0; at < (int64_t)t->m * t->n; at++) {
		struct lt_fold fold = {
			.error = t->error[at], .size = t->size[at], .coarse = t->coarse[at] != 0, .odd = odd[at] != 0
		};
		for (int32_t k = 0; k < t->k; k++) {
			int64_t i = (int64_t)k * t->m + at / t->n, j = (int64_t)k * t->n + at % t->n;
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

	for (int64_t at = 0; at < (int64_t)t->m * t->n; at++) {
		for (int32_t k = 0; k < t->k; k++) {
			int64_t i = (int64_t)k * t->m + at / t->n, j = (int64_t)k * t->n + at % t->n, n = at % t->n;
			uint32_t offset = t->offset[i];
			double raw = t->a[i] * t->b[j], rounding = fma(t->a[i], t->b[j], -raw), old = t->value[at];
			rows->disturb(type, 1, &rounding, t->noise + (offset & (LT_NOISE - 1)) + n, t->scale, t->min, &raw);
			union lt_scalar p = lt__round_to((union lt_scalar){ .f = raw }, type);
			double sum = old + p.f, part = sum - old;
			rounding = (old - (sum - part)) + (p.f - part);
			rows->disturb(type, 1, &rounding, t->noise + (offset >> 12 & (LT_NOISE - 1)) + n, t->scale, 0, &sum);
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

/* Adds `t->k` products to each sum.  Where no product can overflow, that is not asked term by term.  An error that is
 * infinite, or reaches beyond the type's numbers, makes the error of the sum infinite in either way (sum_error of
 * ir/eval_error.c). */
static void tile_add_term(const struct lt_worker *w, const struct lt_tile *t, struct parts *parts, double largest)
{
	static const enum lt_tile_mode modes[] = { [LT_EVAL_EXACT] = LT_TILE_EXACT, [LT_EVAL_NEAREST] = LT_TILE_NEAREST,
		[LT_EVAL_RANDOM] = LT_TILE_RANDOM };
	const struct lt_evaluation *e = w->e;
	enum lt_tile_mode mode = e->options.want_error ? LT_TILE_BOUND : modes[e->options.mode];
	double share = mode == LT_TILE_RANDOM ? (double)w->job->product->depth : 1;
	bool tame = largest <= TAME * lt__dtype_info(tile_type(w))->largest / share;

	if (mode == LT_TILE_BOUND && !tame)
		bound_by_terms(w, t, parts->odd);
	else if (mode == LT_TILE_RANDOM && !tame)
		random_by_terms(w, t, parts->reach);
	else
		e->rows->product[mode][tile_type(w) == LT_F64](t);
	if (tame)
		parts->rest = TAME * LT_REACH_SCALE * lt__dtype_info(tile_type(w))->largest;
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
		double error = lt__eval_folded_error(&fold, LT_OP_add, tile_type(w), (union lt_scalar){ .f = w->out->at.f[n] });
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

	for (int32_t n = 0; n < columns; n++) {
		int64_t at = (int64_t)m * t->n + n;
		row->f[n] = t->value[at]
			+ (w->e->options.mode == LT_EVAL_EXACT && tile_type(w) == LT_F64 && isfinite(t->value[at])
					? t->lost[at]
					: 0);
		struct lt_fold fold = { .n = job->product->depth,
			.size = w->e->noise ? t->size[at] : 0,
			.coarse = w->e->noise && t->coarse[at] };
		if (parts->reach) {
			fold.reach = parts->reach[at];
			fold.reach.rest = parts->rest;
		}
		if (parts->reach)
			row->f[n] = lt__eval_disturb_order(w->e, job->node, LT_OP_add, &fold, row->f[n], base + w->column_at[n]);
	}
	w->e->rows->round(tile_type(w), columns, row);
	for (int32_t n = 0, next; n < columns; n = next) {
		int64_t step = n + 1 < columns ? w->column_at[n + 1] - w->column_at[n] : 1;
		for (next = n + 1; next < columns && w->column_at[next] - w->column_at[next - 1] == step; next++)
			continue;
		for (int32_t j = n; j < next; j++)
			part->f[j - n] = row->f[j];
		w->e->rows->store(tile_type(w), job->to->own, base + w->column_at[n], step, next - n, part);
	}
	if (w->e->options.want_error)
		store_errors(w, t, parts->odd, m, columns, base);
}

lt_status lt__eval_product_task(struct lt_worker *w, int64_t task)
{
	const struct lt_evaluation *e = w->e;
	const struct lt_eval_product *p = w->job->product;
	const struct lt_dtypeinfo *type = lt__dtype_info(tile_type(w));
	struct parts parts = cut_panel(w);
	int64_t column = task % p->n_tiles * p->n, row = task / p->n_tiles % p->m_tiles * p->m, base;
	int32_t columns = p->columns - column < p->n ? (int32_t)(p->columns - column) : p->n;
	struct lt_tile t = { .a = parts.a,
		.b = parts.b,
		.value = parts.value,
		.lost = parts.lost,
		.a_error = parts.a_error,
		.b_error = parts.b_error,
		.error = parts.error,
		.size = parts.size,
		.coarse = parts.coarse,
		.offset = parts.offset,
		.noise = e->noise,
		.scale = e->amplify * type->unit,
		.min = e->amplify * type->tiny / 2,
		.unit = type->unit,
		.tiny = type->tiny };

	t.m = p->rows - row < p->m ? (int32_t)(p->rows - row) : p->m;
	t.n = (columns + LT_LANES - 1) / LT_LANES * LT_LANES;
	find_offsets(w, p->batch, p->n_batch, task / p->n_tiles / p->m_tiles, 1, &base);
	find_offsets(w, p->left.var, p->left.n_var, row, t.m, w->row_at);
	find_offsets(w, p->right.var, p->right.n_var, column, columns, w->column_at);
	lt__eval_set_walk(w, p->batch, p->n_batch, task / p->n_tiles / p->m_tiles);
	memset(parts.value, 0, sums_of(e) * (size_t)p->m * (size_t)p->n * sizeof *parts.value);
	for (int64_t deep = 0; deep < p->depth; deep += p->k) {
		double left = 0, right = 0;
		t.k = p->depth - deep < p->k ? (int32_t)(p->depth - deep) : p->k;
		LT_TRY(fill_panel(w, &p->left, row, t.m, t.m, deep, t.k, parts.a, parts.a_error, &left));
		LT_TRY(fill_panel(w, &p->right, column, columns, t.n, deep, t.k, parts.b, parts.b_error, &right));
		clear_padding(parts.b, t.k, columns, t.n);
		clear_padding(parts.b_error, t.k, columns, t.n);
		for (int64_t i = 0; e->noise && i < (int64_t)t.k * t.m; i++)
			parts.offset[i] = lt__eval_noise_offset(
				e, w->job->node, base + w->row_at[i % t.m] + w->column_at[0], deep + i / t.m);
		tile_add_term(w, &t, &parts, left * right);
	}
	for (int32_t m = 0; m < t.m; m++)
		store_results(w, &t, &parts, m, columns, base + w->row_at[m]);
	return LT_OK;
}
