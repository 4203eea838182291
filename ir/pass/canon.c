/* canon.c -- canonical form: views compose and move towards inputs, renamed vars become one. */
#include "ir/pass/work.h"

enum { ROUNDS = 4 };

static lt_status tidy_views(struct lt_rewrite *w)
{
	int32_t n = w->n;

	for (lt_node x = 0; x < n; x++)
		if (w->readers[x] && w->node[x].op == LT_OP_view)
			LT_TRY(lt__work_tidy_view(w, x));
	return LT_OK;
}

/* The last views first, so that one moves on together with those that it meets. */
static lt_status push_views(struct lt_rewrite *w)
{
	int32_t n;
	const lt_node *order = lt__work_order(w, &n);

	lt__work_mark_light(w);
	for (int32_t i = n - 1; i >= 0; i--)
		if (w->readers[order[i]] && w->node[order[i]].op == LT_OP_view)
			LT_TRY(lt__work_push(w, order[i]));
	return LT_OK;
}

/* The first views first, so that one meets views of what is not a view. */
static lt_status compose_views(struct lt_rewrite *w)
{
	int32_t n;
	const lt_node *order = lt__work_order(w, &n);

	for (int32_t i = 0; i < n; i++)
		for (int32_t at = 0; w->readers[order[i]] && w->node[order[i]].op == LT_OP_view
			&& at < w->node[order[i]].n_operand;) {
			bool done = false;

			if (w->node[lt__work_find(w, w->node[order[i]].operand[at])].op == LT_OP_view)
				LT_TRY(lt__work_compose(w, order[i], at, &done));
			at = done ? 0 : at + 1;
		}
	return LT_OK;
}

static lt_status canonize(struct lt_frame *f)
{
	struct lt_rewrite *w = lt__work_load(f);

	LT_TRY(tidy_views(w));
	for (int round = 0; round < ROUNDS; round++) {
		w->changed = false;
		lt__work_join_vars(w);
		lt__work_skip_views(w);
		LT_TRY(push_views(w));
		LT_TRY(compose_views(w));
		if (!w->changed)
			break;
	}
	return lt__work_emit(w);
}

/* Needs: nothing.  Keeps: values, names of what stays, places.  Breaks: node numbers and order; drops dead nodes. */
lt_status lt__pass_canon(const struct lt_graph *in, struct lt_graph **out)
{
	return lt__frame_run(in, canonize, out);
}
