/* replay_early.c -- a replay that only enqueues: its runs are done by the next sync. */
#include "tests/faults/fault.h"

struct lt_capture { uint32_t n; struct lt_object **object; struct lt_args *args; };
static struct lt_capture *queue;

static void capture_free(struct lt_capture *c)
{
	for (uint32_t i = 0; c && i < c->n; i++)
		free((void *)(uintptr_t)c->args[i].slot);
	queue = NULL;
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
	for (uint32_t i = 0; i < n; i++) {
		const struct lt_args *a = (const struct lt_args *)(const void *)((const char *)args + (size_t)i * args->size);
		struct lt_slot *slot = allocate(a->n_slot + 1, sizeof *slot);
		memcpy(slot, a->slot, a->n_slot * sizeof *slot);
		c->object[i] = object[i];
		c->args[i] = *a;
		c->args[i].slot = slot;
	}
	*out = c;
	return LT_OK;
}
static lt_status replay(struct lt_capture *c, struct lt_diag *diag)
{
	(void)diag;
	queue = c;
	return LT_OK;
}
static lt_status sync_queue(struct lt_session *s, void *stream, struct lt_diag *diag)
{
	lt_status status = LT_OK;
	(void)s, (void)stream;
	for (uint32_t i = 0; !status && queue && i < queue->n; i++)
		status = plain_run(queue->object[i], &queue->args[i], diag);
	queue = NULL;
	return status;
}
FAULTY("replay_early", .capture = capture, .replay = replay, .capture_free = capture_free, .sync = sync_queue)
