/* walk.c -- positions over a list of vars, one after the other. */
#include "ir/eval/parts.h"

int64_t lt__eval_count(const struct lt_evaluation *e, const lt_var *var, int32_t n)
{
	int64_t count = 1;

	for (int32_t i = 0; i < n; i++)
		count = lt__mul_overflow(count, e->extent[var[i]], &count) ? INT64_MAX : count;
	for (int32_t i = 0; i < n; i++)
		count = e->extent[var[i]] == 0 ? 0 : count;
	return count;
}

void lt__eval_set_walk(struct lt_worker *w, const lt_var *var, int32_t n, int64_t flat)
{
	for (int32_t i = n - 1; i >= 0; i--) {
		w->at[var[i]] = flat % w->e->extent[var[i]];
		flat /= w->e->extent[var[i]];
	}
}

bool lt__eval_next_walk(struct lt_worker *w, const lt_var *var, int32_t n)
{
	for (int32_t i = n - 1; i >= 0; i--) {
		if (++w->at[var[i]] < w->e->extent[var[i]])
			return true;
		w->at[var[i]] = 0;
	}
	return false;
}
