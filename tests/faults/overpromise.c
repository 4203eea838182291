/* overpromise.c -- accepts what it cannot compile: remainders. */
#include "tests/faults/fault.h"

static lt_status compile(struct lt_session *s, const struct lt_tree *const *tree, uint32_t n, struct lt_object **object,
	struct lt_diag *diag)
{
	memset(object, 0, n * sizeof *object);
	for (uint32_t i = 0; i < n; i++)
		if (has_op(tree[i], "mod", -1))
			return refuse(diag, tree[i], "mod");
	return plain_compile(s, tree, n, object, diag);
}
FAULTY("overpromise", .compile = compile)
