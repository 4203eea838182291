/* capture.c -- a sequence of runs that is checked once and then repeated by a walk over calls. */
#include <stdlib.h>
#include "backends/cpu/object.h"

struct lt_capture { uint32_t n; struct lt_slot *slot; struct lt_cpu_call call[]; };

/* Elements of the host's array may be longer than ours. */
static const struct lt_args *at(const struct lt_args *args, uint32_t i)
{
	return (const struct lt_args *)(const void *)((const char *)args + (size_t)i * args->size);
}

static lt_status capture_fill(
	struct lt_capture *c, struct lt_object *const *object, const struct lt_args *args, struct lt_diag *diag)
{
	struct lt_slot *slot = c->slot;
	for (uint32_t i = 0; i < c->n; i++) {
		const struct lt_args *a = at(args, i);
		struct lt_team team;
		lt_status status = lt__cpu_check(object[i], a, &team, diag);
		if (status)
			return status;
		c->call[i] = (struct lt_cpu_call){ object[i]->kernel, slot, a->workspace, a->fault, team, object[i]->own };
		for (uint32_t k = 0; k < a->n_slot; k++)
			*slot++ = a->slot[k];
	}
	return LT_OK;
}

lt_status lt__cpu_capture(struct lt_session *s, struct lt_object *const *object, const struct lt_args *args, uint32_t n,
	struct lt_capture **out, struct lt_diag *diag)
{
	size_t n_slot = 1;
	(void)s;
	*out = NULL;
	for (uint32_t i = 0; i < n; i++)
		n_slot += at(args, i)->n_slot;
	struct lt_capture *c = malloc(sizeof *c + n * sizeof *c->call);
	if (c)
		*c = (struct lt_capture){ .n = n, .slot = malloc(n_slot * sizeof *c->slot) };
	lt_status status = c && c->slot ? capture_fill(c, object, args, diag) : lt__cpu_no_memory(diag);
	if (status)
		lt__cpu_capture_free(c);
	else
		*out = c;
	return status;
}

lt_status lt__cpu_replay(struct lt_capture *c, struct lt_diag *diag)
{
	(void)diag;
	for (const struct lt_cpu_call *call = c->call, *end = call + c->n; call < end; call++)
		lt__cpu_call(call);
	return LT_OK;
}

void lt__cpu_capture_free(struct lt_capture *c)
{
	if (c)
		free(c->slot);
	free(c);
}
