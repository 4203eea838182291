/* looks_back.c -- compares each tree with the one before, whose object is destroyed by then, and which may
 * be gone. */
#include "tests/faults/fault.h"

static const struct lt_tree *past;
static volatile uint32_t n_alike;

static void destroy(struct lt_object *o)
{
	if (o)
		past = o->tree;
	plain_destroy(o);
}

/* Memory that is free by then, as a rule: a sanitizer would see that in each case. */
__attribute__((no_sanitize("address"))) static lt_status compile(struct lt_session *s,
	const struct lt_tree *const *tree, uint32_t n, struct lt_object **object, struct lt_diag *diag)
{
	if (past && n > 0)
		n_alike += past->n_loop == tree[0]->n_loop;
	return plain_compile(s, tree, n, object, diag);
}
FAULTY("looks_back", .compile = compile, .destroy = destroy)
