/* test_limits.c -- random graphs at the limits: refused alike, or equal (tests/random_limits.h).
 *
 * LT_SEED=N begins with another seed, LT_GRAPHS=N draws another number of graphs; `make fuzz` draws many
 * (tests/sequences/limits.c).
 * tests/limits.sh has some of them compiled with sanitizers by the backend cpu.
 */
#include <criterion/criterion.h>
#include <string.h>
#include "check/random/must.h"
#include "ir/eval/eval.h"
#include "tests/batch.h"
#include "tests/random_limits.h"

TestSuite(limits, .timeout = 600);

/* Of %v1 the guard ends the line at its first element: its slope in %v0 would exceed 63 bits, and nobody needs it. */
Test(limits, a_line_of_one_element_has_no_slope)
{
	static const char text[] = "graph 1\nvar a 3\nvar b 3\nvar c 2\nvar d 4\nvar e 2\n%x = f32[a, b] input \"x\"\n"
		"%v0 = f32[c, d] view { %x[1, -1 + 1*c - 46912496118442*d] if -1 + 1*c - 46912496118442*d >= 0, "
		"2 - 1*c + 46912496118442*d >= 0; else 7.0 }\n"
		"%v1 = f32[e] view { %v0[1 - 1*e, 0 + 22906492244*e] if 3 - 22906492244*e >= 0, 1 + 22906492244*e >= 0; else 7.0 }\n"
		"%z = f32[e] neg %v1\nresult \"z\" = %z\n";
	const float x[9] = { 0, 1, 2, 3, 4, 5, 6, 7, 8 };
	const void *source[16] = { NULL };
	struct lt_evaluation *e;
	struct lt_context *ctx;
	struct lt_graph *g;
	cr_assert_eq(lt_context_new(&ctx), LT_OK);
	cr_assert_eq(lt_graph_parse(ctx, text, strlen(text), "t", &g), LT_OK, "%s", lt_context_message(ctx));
	for (lt_node n = 0; n < g->n_node; n++)
		source[n] = g->node[n].op == LT_OP_input ? x : NULL;
	cr_assert_eq(lt_eval(g, source, false, &e), LT_OK, "%s", lt_context_message(ctx));
	const float *z = lt_eval_result(e, 0, NULL);
	cr_expect(z[0] == -3 && z[1] == -7, "%g %g", (double)z[0], (double)z[1]);
	lt_eval_free(e);
	lt_graph_free(g);
	lt_context_free(ctx);
}

Test(limits, equal_or_refused_alike)
{
	uint64_t seed = must_number("LT_SEED", 1);
	int n = (int)must_draws("LT_GRAPHS", 400);
	struct limits_tally t = { 0 };
	batch_open(limits_level);
	limits_run(seed, n, NULL, &t);
	batch_close();
	fprintf(stderr, "limits from seed %llu, ", (unsigned long long)seed);
	limits_tally_print(&t, stderr);
	cr_assert_eq(t.failed, 0, "graphs fail, see above; LT_SEED repeats them");
	if (n >= 400)   /* not vacuous */
		cr_assert(t.taken * 4 > t.graphs && t.required * 20 > t.taken && t.outside * 20 > t.graphs && t.large * 20 > t.graphs
			&& t.open * 10 < t.graphs && t.refused_runs * 20 > t.runs);
}
