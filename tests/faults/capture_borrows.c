/* capture_borrows.c -- a capture keeps where the slots stood instead of copies of them. */
#include "tests/faults/fault.h"

struct lt_capture { uint32_t n; struct lt_object **object; struct lt_args *args; };

static void capture_free(struct lt_capture *c)
{
	if (!c)
		return;
	free(c->object);
	free(c->args);
	free(c);
}
static lt_status capture(struct lt_session *s, struct lt_object *const *object, const struct lt_args *args, uint32_t n,
	struct lt_capture **out, struct lt_diag *diag)
{
	(void)s, (void)diag;
	struct lt_capture *c = allocate(1, sizeof *c);
	*c = (struct lt_capture){ n, allocate(n, sizeof *c->object), allocate(n, sizeof *c->args) };
	memcpy(c->object, object, n * sizeof *object);
	for (uint32_t i = 0; i < n; i++)
		c->args[i] = *(const struct lt_args *)(const void *)((const char *)args + (size_t)i * args->size);
	*out = c;
	return LT_OK;
}
static lt_status replay(struct lt_capture *c, struct lt_diag *diag)
{
	lt_status status = LT_OK;
	for (uint32_t i = 0; !status && i < c->n; i++)
		status = plain_run(c->object[i], &c->args[i], diag);
	return status;
}
FAULTY("capture_borrows", .capture = capture, .replay = replay, .capture_free = capture_free)
