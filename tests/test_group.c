/* test_group.c -- groups, and their calls, by primitives. */
#include <criterion/criterion.h>
#include <string.h>
#include "looptree/schedule/schedule.h"
#include "tests/derived_trees.h"
#include "tests/tree_marked.h"

TestSuite(group, .timeout = 120);

#define PRODUCT "graph 1\nvar m 5\nvar k 12\nvar n 7\n%a = f32[m, k] input \"a\"\n%b = f32[k, n] constant \"b\"\n" \
	"%p = f32[m, n, k] mul %a, %b\n%c = f32[m, n] add.reduce %p\n"
static const char layer[] =
	PRODUCT "%v = f32[n] input \"v\"\n%d = f32[m, n] add %c, %v\n%e = f32[m, n] tanh %d\nresult \"e\" = %e\n";
static const char apart[] = "m\n n\n  k\n   %p\n   %c\nm\n n\n  %d\n  %e\n";
static const struct { const char *tree, *steps, *want;
} steps[] = {
	{ apart, "group %p/m %e/m", "group\n m\n  n\n   k\n    %p\n    %c\n m\n  n\n   %d\n   %e\n" },
	{ apart, "group %p/m %e/m; call group gemm",
		"group call gemm\n m\n  n\n   k\n    %p\n    %c\n m\n  n\n   %d\n   %e\n" },
	{ apart, "group %p/m %e/m; call group gemm; serial group",
		"group\n m\n  n\n   k\n    %p\n    %c\n m\n  n\n   %d\n   %e\n" },
	{ apart, "group %d %d; group %p/m %e/m; call %d/group' f",
		"group\n m\n  n\n   k\n    %p\n    %c\n m\n  n\n   group call f\n    %d\n   %e\n" },
	{ apart, "group %d %e; call group 3.f", "m\n n\n  k\n   %p\n   %c\nm\n n\n  group call 3.f\n   %d\n   %e\n" },
	{ apart, "group %d; group %e; call %e/group f",
		"m\n n\n  k\n   %p\n   %c\nm\n n\n  group\n   %d\n  group call f\n   %e\n" },
	{ apart, "fission %e m; group %p/m %d/m; call group dot_bias; group group %e/m",
		"group\n group call dot_bias\n  m\n   n\n    k\n     %p\n     %c\n  m\n   n\n    %d\n m\n  n\n   "
		"%e\n" },
};
static const struct { const char *steps, *why;
} wrong[] = {
	{ "group %e/m %p/m", "apply:1:1: `group %e/m %p/m`: %d/m comes after %p/m; name the earlier one first" },
	{ "group %d %c",
		"apply:1:1: `group %d %c`: %d and %c are not neighbours; name two that are directly in the same loop "
		"or group" },
	{ "call group f", "apply:1:1: `call group f`: there is no group; there is none" },
	{ "group %d; group %e; call group f",
		"apply:1:21: `call group f`: there are 2 groups; say which: %d/group, %e/group" },
	{ "group %d; call group f; group %d",
		"apply:1:25: `group %d`: %d is in a nest that is handed over by `call f`; make "
		"that serial first" },
	{ "group %d; call group f; call group g",
		"apply:1:25: `call group g`: the group is handed over by `call f`; make it serial first" },
	{ "group %d; unroll group", "apply:1:11: `unroll group`: there is no loop group; there are m, n, k" },
	{ "group %d; split group 3", "apply:1:11: `split group 3`: there is no loop group; there are m, n, k" },
	{ "group %d; call group f; fission %d n",
		"apply:1:25: `fission %d n`: %d is in a nest that is handed over by `call "
		"f`; make that serial first" },
	{ "call k/group f", "apply:1:1: `call k/group f`: there is no loop k/group; there are m, n, k" },
};

Test(group, groups_are_made_and_called_by_primitives)
{
	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
		struct derived_case p = derived_open_text(layer, steps[i].tree);
		struct lt_looptree *t;
		cr_assert_eq(derived_apply(&p, steps[i].steps, &t), LT_OK, "%s", lt_context_message(p.ctx));
		tree_expect_marks(t, steps[i].want, steps[i].steps);
		derived_expect_legal(&p, t, steps[i].steps);
		derived_expect_text(&p, t, steps[i].steps);
		derived_expect_run(&p, t, "ref", false, steps[i].steps);
		lt_looptree_free(t);
		derived_close(&p);
	}
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		struct derived_case p = derived_open_text(layer, apart);
		struct lt_looptree *t = NULL;
		cr_expect_neq(derived_apply(&p, wrong[i].steps, &t), LT_OK, "%s", wrong[i].steps);
		cr_expect_str_eq(lt_context_message(p.ctx), wrong[i].why, "%s", lt_context_message(p.ctx));
		lt_looptree_free(t);
		derived_close(&p);
	}
}
