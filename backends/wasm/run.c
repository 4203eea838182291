/* run.c -- runs of modules, and sequences of runs that are checked once and then repeated. */
#include <stdlib.h>
#include "backends/wasm/object.h"

struct wasm_recorded { const struct lt_object *o; struct wasm_call call; };
struct lt_capture { uint32_t n; void **slot; struct wasm_recorded run[]; };

lt_status lt__wasm_no_memory(struct lt_diag *diag)
{
	return lt__report(diag, LT_ENOMEM, -1, -1, NULL, "wasm: there is no memory for modules");
}

static lt_status check(const struct lt_object *o, const struct lt_args *args, struct lt_diag *diag)
{
	lt_status status = lt__check_arguments(o->tree, args, o->need.workspace, diag);
	if (!status && !o->module)
		status = lt__report(diag, LT_EUNSUPPORTED, -1, -1, NULL, "wasm: kernel %s is only looked at",
			lt__wasm_kernel_name(o->tree));
	return status;
}

/* slot: room for the addresses. */
static struct wasm_call call_of(const struct lt_object *o, const struct lt_args *args, void **slot)
{
	for (uint32_t i = 0; i < args->n_slot; i++)
		slot[i] = (char *)args->slot[i].base + args->slot[i].offset;
	return (struct wasm_call){ slot, o->reach, o->writes, args->n_slot, args->workspace, o->need.workspace,
		args->fault };
}

static lt_status run(const struct lt_object *o, const struct wasm_call *c, struct lt_diag *diag)
{
	char why[400];
	return lt__wasm_engine_run(o->s->engine, o->module, c, why, sizeof why) ? LT_OK
		: lt__report(diag, LT_EDEVICE, -1, -1, NULL, "wasm: kernel %s: %s", lt__wasm_kernel_name(o->tree), why);
}

lt_status lt__wasm_run(struct lt_object *o, const struct lt_args *args, struct lt_diag *diag)
{
	enum { SOME = 64 };
	void *some[SOME], **slot = some;
	lt_status status = check(o, args, diag);
	if (!status && args->n_slot > SOME && !(slot = malloc(args->n_slot * sizeof *slot)))
		status = lt__wasm_no_memory(diag);
	if (status)
		return status;
	const struct wasm_call c = call_of(o, args, slot);
	status = run(o, &c, diag);
	if (slot != some)
		free(slot);
	return status;
}

/* Elements of the host's array may be longer than ours. */
static const struct lt_args *at(const struct lt_args *args, uint32_t i)
{
	return (const struct lt_args *)(const void *)((const char *)args + (size_t)i * args->size);
}

lt_status lt__wasm_capture(struct lt_session *s, struct lt_object *const *object, const struct lt_args *args,
	uint32_t n, struct lt_capture **out, struct lt_diag *diag)
{
	size_t n_slot = 1;
	(void)s;
	*out = NULL;
	for (uint32_t i = 0; i < n; i++) {
		lt_status status = check(object[i], at(args, i), diag);
		if (status)
			return status;
		n_slot += at(args, i)->n_slot;
	}
	struct lt_capture *c = malloc(sizeof *c + n * sizeof *c->run);
	if (c)
		*c = (struct lt_capture){ .n = n, .slot = malloc(n_slot * sizeof *c->slot) };
	if (!c || !c->slot) {
		free(c);
		return lt__wasm_no_memory(diag);
	}
	void **slot = c->slot;
	for (uint32_t i = 0; i < n; i++) {
		c->run[i] = (struct wasm_recorded){ object[i], call_of(object[i], at(args, i), slot) };
		slot += at(args, i)->n_slot;
	}
	*out = c;
	return LT_OK;
}

lt_status lt__wasm_replay(struct lt_capture *c, struct lt_diag *diag)
{
	lt_status status = LT_OK;
	for (uint32_t i = 0; i < c->n && !status; i++)
		status = run(c->run[i].o, &c->run[i].call, diag);
	return status;
}

void lt__wasm_capture_free(struct lt_capture *c)
{
	if (c)
		free(c->slot);
	free(c);
}
