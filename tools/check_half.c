/* tools/check_half.c -- a compilation of several trees of which one cannot be compiled leaves nothing behind. */
#include <stdlib.h>
#include "tools/check_parts.h"

enum { N = 3 };

static bool half(struct check_work *w)
{
	const struct check_device *d = w->device;
	const struct lt_tree *good_tree = &w->p->nests.frozen[lt__check_nest(w)].tree, *trees[N];
	struct lt_object *object[N] = { NULL };
	struct lt_tree bad = *good_tree;
	struct lt_op *ops = calloc(bad.ops.n + 1u, sizeof *ops);
	struct check_diagnostics told;
	bool fine = true;
	if (!ops)
		return lt__check_end(w->out, CHECK_FAILED, "out of memory");
	for (uint32_t i = 0; i < bad.ops.n; i++) {
		ops[i] = *LT_AT(struct lt_op, bad.ops, i);
		ops[i].name = "an_operator_of_tomorrow";
		ops[i].source = "no expression";
	}
	bad.ops = (struct lt_array){ ops, bad.ops.n, sizeof *ops };
	bad.text = "a tree whose operators are no expressions";
	for (int at = 0; at < N && fine; at++) {
		for (int i = 0; i < N; i++) {
			trees[i] = i == at ? &bad : good_tree;
			object[i] = (struct lt_object *)(void *)&told;  /* something that is no object */
		}
		lt__check_diagnostics_init(&told);
		lt_status st = d->backend->compile(d->session, trees, N, object, &told.diag);
		for (int i = 0; i < N && !st; i++)
			d->backend->destroy(object[i]);
		for (int i = 0; i < N && st && fine; i++)
			fine = !object[i] || lt__check_end(w->out, CHECK_FAILED, "compile of %d trees fails with %s at tree %d and leaves an object behind",
				N, lt_status_name(st), at);
		fine = fine && (!st || told.text[0] || lt__check_end(w->out, CHECK_FAILED, "compile answers %s and says nothing", lt_status_name(st)));
	}
	free(ops);
	return fine;
}

void lt__check_errors_half(struct check_device *d, const struct check_case *c, struct check_outcome *out)
{
	lt__check_samples(d, c, out, CHECK_S_CHAIN, half);
}
