/* capture_stride.c -- a capture that finds the next args by its own size of lt_args, not by the host's. */
#include "tests/faults/fault.h"

struct lt_capture { uint32_t n; struct lt_object **object; struct lt_args *args; };

static void capture_free(struct lt_capture *c)
{
	for (uint32_t i = 0; c && i < c->n; i++)
		free((void *)(uintptr_t)c->args[i].slot);
	free(c->object);
	free(c->args);
	free(c);
}
static lt_status capture(struct lt_session *s, struct lt_object *const *object, const struct lt_args *args, uint32_t n,
	struct lt_capture **out, struct lt_diag *diag)
{
	(void)s;
	*out = NULL;
	for (uint32_t i = 0; i < n; i++)
		if (args[i].n_slot != (uint32_t)object[i]->tree->n_slot)
			return fault_report(diag, LT_EINVAL, "other slots than the kernel's");
	struct lt_capture *c = allocate(1, sizeof *c);
	*c = (struct lt_capture){ n, allocate(n, sizeof *c->object), allocate(n, sizeof *c->args) };
	for (uint32_t i = 0; i < n; i++) {
		struct lt_slot *slot = allocate(args[i].n_slot + 1, sizeof *slot);
		memcpy(slot, args[i].slot, args[i].n_slot * sizeof *slot);
		c->object[i] = object[i];
		c->args[i] = args[i];
		c->args[i].slot = slot;
	}
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
FAULTY("capture_stride", .capture = capture, .replay = replay, .capture_free = capture_free)
