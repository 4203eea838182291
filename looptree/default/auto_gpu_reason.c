/* The default tree of a GPU: what was chosen for a nest and why, as `lt-run --explain` shows it. */
#include "looptree/default/auto_gpu.h"

/* "i, j" */
static const char *chain_text(const struct lt_gpu *s, const struct lt_gpu_nest *n)
{
	const char *text = "";
	for (int32_t i = 0; i < n->n_chain; i++)
		text = lt__arena_format(s->t->arena, "%s%s%s", text, i ? ", " : "",
			s->t->graph->var[s->t->node[n->chain[i]].var].name);
	return text;
}

static const char *lane_name(const struct lt_gpu *s, const struct lt_gpu_nest *n)
{
	return n->lane >= 0 ? s->t->graph->var[s->t->node[n->lane].var].name : "none";
}

static const char *reason_text(const struct lt_gpu *s, const struct lt_gpu_nest *n)
{
	struct lt_arena *a = s->t->arena;
	const char *chain = chain_text(s, n), *lane = lane_name(s, n), *each;
	switch (n->form) {
	case LT_GPU_POINTS:
		return lt__arena_format(a, "tree: points over %s: threads side by side along %s, %lld element%s each", chain, lane,
			(long long)n->wide, n->wide == 1 ? "" : "s");
	case LT_GPU_ROWS:
		return n->lane_traffic > 0 && n->row_traffic < n->lane_traffic
			? lt__arena_format(a, "tree: rows over %s: %lld thread%s share one, as they need %.3g transactions of memory, and "
				"%.3g with a row each", n->n_chain ? chain : "nothing", (long long)n->threads, n->threads == 1 ? "" : "s",
				n->row_traffic, n->lane_traffic)
			: lt__arena_format(a, "tree: rows over %s: %lld thread%s share one", n->n_chain ? chain : "nothing",
				(long long)n->threads, n->threads == 1 ? "" : "s");
	case LT_GPU_THREADS:
		each = n->wide > 1 ? lt__arena_format(a, ", %lld each", (long long)n->wide) : "";
		return n->row_traffic >= 0
			? lt__arena_format(a, "tree: threads over %s, side by side along %s%s: they need %.3g transactions of memory, and "
				"%.3g if they shared each iteration", chain, lane, each, n->lane_traffic, n->row_traffic)
			: lt__arena_format(a, "tree: threads over %s, side by side along %s%s", chain, lane, each);
	case LT_GPU_COLUMNS:
		return lt__arena_format(a, "tree: columns over %s, side by side along %s: %lld threads share one, as %lld columns "
			"are too few to fill %u multiprocessors", chain, lane, (long long)n->threads, (long long)n->rows,
			(unsigned)s->target->multiprocessors);
	default:
		return "tree: one thread: no loop has iterations that may be shared out";
	}
}

void lt__gpu_reason(struct lt_gpu *s, const struct lt_gpu_nest *n)
{
	struct lt_looptree *t = s->t;
	if (t->node[n->top].loop != LT_SERIAL)
		return;
	const struct lt_fallback *x = lt__auto_fallback_in(t, s->fallback, n->top);
	LT_GROW(t->arena, t->note, t->n_note, t->cap_note);
	t->note[t->n_note++] = (struct lt_tnote){ n->last, reason_text(s, n) };
	if (x->level == 0)
		return;
	LT_GROW(t->arena, t->note, t->n_note, t->cap_note);
	t->note[t->n_note++] = (struct lt_tnote){ n->last,
		lt__arena_format(t->arena, "tree: plainer than usual, as the nest that it had was refused: %s", x->why) };
}
