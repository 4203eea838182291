/* every_allocation.c -- see every_allocation.h. */
#include <criterion/criterion.h>
#include <string.h>
#include "tests/every_allocation.h"
#include "tests/run_graph.h"

bool every_allocation_try(const struct every_allocation *e, int64_t n)
{
	struct run_counter counter;
	struct lt_context *ctx;
	struct lt_graph *g = NULL;
	struct lt_program *p = NULL;
	struct lt_instance *r = NULL;
	if (run_context(&counter, &ctx))
		return false;
	cr_assert_eq(lt_graph_parse(ctx, e->text, strlen(e->text), "t", &g), LT_OK, "%s", lt_context_message(ctx));
	counter.fail_at = counter.calls + n;
	lt_status st = lt_compile(ctx, g, e->options, &p);
	if (!st)
		st = lt_program_bind(p, 0, e->constant, 1);
	if (!st)
		st = lt_instance_new(p, &r);
	for (int run = 0; !st && run < e->n_run; run++)
		st = lt_instance_run(r, e->input, e->result);
	if (!st && !lt_instance_state(r, 0))
		st = lt_instance_code(r);
	if (st)
		cr_assert_eq(st, LT_ENOMEM, "allocation %lld: %s", (long long)n, lt_context_message(ctx));
	cr_assert(p || !r);
	counter.fail_at = 0;
	lt_instance_free(r);
	lt_program_free(p);
	lt_graph_free(g);
	lt_context_free(ctx);
	cr_assert_eq(counter.bytes, 0, "allocation %lld: %lld bytes are not given back", (long long)n,
		(long long)counter.bytes);
	cr_assert_lt(n, 20000);
	return !st;
}
