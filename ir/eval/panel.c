/* panel.c -- one factor of a product at some positions: by tables where that can be, else by strips. */
#include "ir/eval/parts.h"

/* A strip of n elements from position i and deep position k on, along either. */
static void store_strip_in(
	struct lt_filling *f, const struct lt_strip *in, int32_t n, int64_t i, int64_t k, bool along_deep)
{
	int64_t at = lt__eval_pack_position(f, i, k), turn = f->lanes - i % f->lanes;

	for (int32_t j = 0; j < n; j++) {
		int32_t from = in->uniform ? 0 : j;
		lt__eval_pack_write(f, at, f->whole ? (double)in->at.i[from] : in->at.f[from], in->exact ? 0 : in->error[from]);
		at += along_deep ? f->lanes : 1;
		if (!along_deep && --turn == 0) {
			at += (int64_t)(f->depth - 1) * f->lanes;
			turn = f->lanes;
		}
	}
}

/* One factor at `count` positions of its vars from `first` on and f->depth deep ones from `deep` on. */
static lt_status fill_by_strips(
	struct lt_worker *w, const struct lt_panel *p, int64_t first, int32_t count, int64_t deep, struct lt_filling *f)
{
	const struct lt_evaluation *e = w->e;
	const struct lt_eval_product *job = w->job->product;
	const struct lt_strip *in = &w->strip[p->steps.top];
	const lt_var *outer = p->along_deep ? p->var : job->deep, *inner = p->along_deep ? job->deep : p->var;
	int32_t n_outer = p->along_deep ? p->n_var : job->n_deep, n_inner = p->along_deep ? job->n_deep : p->n_var;
	int64_t outer_first = p->along_deep ? first : deep, inner_first = p->along_deep ? deep : first;
	int32_t outer_count = p->along_deep ? count : f->depth, inner_count = p->along_deep ? f->depth : count;

	w->along = n_inner > 0 ? inner[n_inner - 1] : -1;
	lt__eval_set_walk(w, outer, n_outer, outer_first);
	for (int32_t i = 0; i < outer_count; i++) {
		int64_t extent = n_inner > 0 ? e->extent[w->along] : 1;
		lt__eval_set_walk(w, inner, n_inner, inner_first);
		for (int32_t j = 0; j < inner_count;) {
			int64_t left = n_inner > 0 ? extent - w->at[w->along] : 1;
			int32_t n = inner_count - j < left ? inner_count - j : (int32_t)left;
			n = n < LT_STRIP ? n : LT_STRIP;
			LT_TRY(lt__eval_run_steps(w, &p->steps, n));
			store_strip_in(f, in, n, p->along_deep ? i : j, p->along_deep ? j : i, p->along_deep);
			j += n;
			if (n_inner > 0)
				w->at[w->along] += n - 1;
			lt__eval_next_walk(w, inner, n_inner);
		}
		lt__eval_next_walk(w, outer, n_outer);
	}
	return LT_OK;
}

lt_status lt__eval_fill_panel(
	struct lt_worker *w, const struct lt_panel *p, int64_t first, int32_t count, int64_t deep, struct lt_filling *f)
{
	if (!lt__eval_fill_tables(w, p, first, count, deep, f)) {
		f->sure = true;
		LT_TRY(fill_by_strips(w, p, first, count, deep, f));
	}
	for (int64_t i = count; i % f->lanes != 0; i++)         /* the rest of the last block is not read */
		for (int32_t k = 0; k < f->depth; k++)
			lt__eval_pack_write(f, lt__eval_pack_position(f, i, k), 0, 0);
	return LT_OK;
}
