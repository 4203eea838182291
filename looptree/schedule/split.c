/* split: one loop becomes two, the old one inside. */
#include "looptree/schedule/schedule.h"

lt_status lt__primitive_split(struct lt_edit *e, const struct lt_words *w)
{
	struct lt_looptree *t = e->t;
	lt_tnode loop;
	int64_t step;
	LT_TRY(lt__path_find(t, &w->word[0], -1, LT_PATH_AROUND, &loop));
	LT_TRY(lt__word_number(t, &w->word[1], "STEP", &step));
	int64_t inner = t->node[loop].step, span = lt__loop_span(t, loop);
	const char *name = lt__loop_path(t, loop);
	if (span <= inner || (span - 1) / inner < 2)
		return lt_fail(t->ctx, LT_EILLEGAL, "the loop %s covers %lld in steps of %lld: too few iterations to cut it", name,
			(long long)span, (long long)inner);
	if (step >= span)
		return lt_fail(t->ctx, LT_EILLEGAL, "the loop %s covers %lld, so a loop in steps of %lld around it would have one "
			"iteration; choose a step below %lld",
			name, (long long)span, (long long)step, (long long)span);
	/* a loop of what one iteration leaves may be peeled where a run-time scalar says how much that is */
	if (step < inner || (step == inner && !t->graph->var[t->node[loop].var].bounded))
		return lt_fail(t->ctx, LT_EILLEGAL, "the loop %s has step %lld, so one in steps of %lld around it would leave it one "
			"iteration; choose a larger multiple of %lld", name, (long long)inner, (long long)step, (long long)inner);
	if (step % inner != 0)
		return lt_fail(t->ctx, LT_EILLEGAL, "a step of %lld is not a multiple of %lld, the step of the loop %s; choose "
			"%lld", (long long)step,
			(long long)inner, name, (long long)(step - step % inner > inner ? step - step % inner : 2 * inner));
	lt_tnode outer = lt__edit_new_loop(e, t->node[loop].var, step);
	lt__edit_replace(e, loop, outer);
	lt__edit_insert(e, outer, -1, loop);
	return LT_OK;
}
