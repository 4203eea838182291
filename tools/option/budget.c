/* budget.c -- the budgets of a context (lt/context.h) by name, for the values of an option. */
#include <string.h>
#include "base/nearest.h"
#include "tools/option/option.h"

const char *lt__budget_name(int i) { return lt_budget_name((enum lt_budget)i); }

lt_status lt__budget_take(struct lt_context *ctx, void *options, char *value)
{
	const char *names[LT_NBUDGET + 1] = { NULL }, *n = strchr(value, '=');
	const size_t bytes = n ? (size_t)(n - value) : strlen(value);
	int64_t most;

	(void)options;
	for (int b = 0; b < LT_NBUDGET; b++) {
		names[b] = lt__budget_name(b);
		if (!n || strlen(names[b]) != bytes || memcmp(names[b], value, bytes) != 0)
			continue;
		LT_TRY(lt__count_read(ctx, "--budget", n + 1, 0, INT64_MAX, &most));
		lt_context_budget(ctx, (enum lt_budget)b, most);
		return LT_OK;
	}
	char known[200];
	lt__option_words(&(struct lt_tool_option){ .list = lt__budget_name }, known, sizeof known);
	return lt_fail(ctx, LT_EINVAL, "--budget takes NAME=N, such as nodes=1000000, not '%s'%s; there are %s", value,
		n ? lt__nearest_of(ctx, value, bytes, names) : "", known);
}
