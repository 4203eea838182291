/* test_scalar_lanes.c -- a local of one element, read by vectors: a view's piece leads to it in one lane only. */
#include <criterion/criterion.h>
#include "tests/ltrun.h"

TestSuite(scalar_lanes, .init = ltrun_set_up, .fini = ltrun_tear_down, .timeout = 120);

/* %f is a variable; %p reads %f[m, 0] at w = 0 and 0 elsewhere.  What runs in all lanes at once never runs, but it is
 * compiled. */
Test(scalar_lanes, a_guard_that_leaves_one_lane)
{
	static const char *const targets[] = { "cpu", "cpu:target=sse2", "ref" };
	ltrun_write_text("pad.graph", "graph 1\nvar m 3\nvar o 1\nvar w 64\n%x = f32[m, o] input \"x\"\n"
		"%f = f32[m, o] floor %x\n%p = f32[m, w] view { %f[m, w] if 0 - w >= 0; else 0.0 }\n"
		"%a = f32[m, w] abs %p\n%e = f32[m, w] exp %a\nresult \"r\" = %e\n");
	for (size_t i = 0; i < sizeof targets / sizeof *targets; i++)
		cr_expect_eq(ltrun("pad.graph -i x=random --verify -q -b %s", targets[i]), 0, "%s: %s", targets[i], ltrun_err);
}
