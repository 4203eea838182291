/* load_anything.c -- loads an object from bytes that it did not save. */
#include "tests/faults/fault.h"

static lt_status identity(struct lt_session *s, lt_write *write, void *user, struct lt_diag *diag)
{
	(void)s, (void)diag;
	write(user, "any machine", 11);
	return LT_OK;
}
static lt_status save(const struct lt_object *o, lt_write *write, void *user, struct lt_diag *diag)
{
	(void)o, (void)diag;
	write(user, "an object", 9);
	return LT_OK;
}
static lt_status load(struct lt_session *s, const struct lt_tree *tree, const void *data, size_t bytes,
	struct lt_object **out, struct lt_diag *diag)
{
	(void)data, (void)bytes;
	return compile_one(s, tree, out, diag, NULL);
}
FAULTY("load_anything", .identity = identity, .save = save, .load = load)
