/* judge_one.c -- see tests/judge_one.h. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include "tests/judge_one.h"

const struct lt_judge_options judge_one_options = { .seed = 7 };

struct lt_judge *judge_one(struct oracle *b, lt_node y, void **copy)
{
	struct lt_judge *j;

	cr_assert_eq(lt_graph_result(b->g, "y", y), LT_OK, "%s", lt_context_message(b->ctx));
	cr_assert_eq(lt__judge_new(b->g, b->source, &judge_one_options, &j), LT_OK, "%s", lt_context_message(b->ctx));
	size_t bytes = (size_t)lt__node_elems(b->g, y) * lt__dtype_info(b->g->node[y].dtype)->bytes;
	*copy = malloc(bytes);
	memcpy(*copy, lt_eval_result(lt__judge_reference(j), 0, NULL), bytes);
	return j;
}

struct lt_report judge_one_report(struct lt_judge *j, const void *got)
{
	struct lt_report r = { 0 };

	cr_assert_eq(lt__judge_result(j, 0, got, &r), LT_OK);
	return r;
}

void judge_one_end(struct oracle *b, struct lt_judge *j, void *copy)
{
	free(copy);
	lt__judge_free(j);
	oracle_close(b);
}
