/* memory.c -- one with memory and a clock of its own, that computes nothing. */
#include "null.h"

struct lt_event { int64_t at; };
static int64_t clock_ns;

static lt_status open_memory(
	const struct lt_host *host, const char *config, struct lt_session **out, struct lt_diag *diag)
{
	lt_status st = open_(host, config, out, diag);
	if (!st) {
		(*out)->caps.device_memory = 1;
		(*out)->target.name = "memory";
	}
	return st;
}
static lt_status run_memory(struct lt_object *o, const struct lt_args *args, struct lt_diag *diag)
{
	clock_ns += 5000;
	return run(o, args, diag);
}
static lt_status mem_new(struct lt_session *s, size_t bytes, void **out, struct lt_diag *diag)
{
	(void)s, (void)diag;
	*out = aligned_alloc(256, (bytes + 255) / 256 * 256);
	return *out ? LT_OK : LT_ENOMEM;
}
static void mem_free(struct lt_session *s, void *at)
{
	(void)s;
	free(at);
}
static lt_status mem_copy(struct lt_session *s, const struct lt_slot *to, const struct lt_slot *from, size_t bytes,
	enum lt_copy direction, void *stream, struct lt_diag *diag)
{
	(void)s, (void)direction, (void)stream, (void)diag;
	clock_ns += 100 * (int64_t)bytes;
	memcpy((char *)to->base + to->offset, (const char *)from->base + from->offset, bytes);
	return LT_OK;
}
static lt_status event_new(struct lt_session *s, struct lt_event **out, struct lt_diag *diag)
{
	(void)s, (void)diag;
	*out = calloc(1, sizeof **out);
	return *out ? LT_OK : LT_ENOMEM;
}
static lt_status event_record(struct lt_event *e, void *stream, struct lt_diag *diag)
{
	(void)stream, (void)diag;
	e->at = clock_ns;
	return LT_OK;
}
static lt_status event_ns(struct lt_event *from, struct lt_event *to, int64_t *ns, struct lt_diag *diag)
{
	(void)diag;
	*ns = to->at - from->at;
	return LT_OK;
}
static void event_free(struct lt_event *e) { free(e); }

static lt_status device(uint32_t i, struct lt_device *out, struct lt_diag *diag)
{
	(void)diag;
	if (i > 1)
		return LT_EMISSING;
	strcpy(out->name, i ? "the other one" : "one");
	strcpy(out->config, i ? "device=1" : "device=0");
	out->bytes = UINT64_C(3) << 30;
	return LT_OK;
}

static const struct lt_backend memory = NULL_BACKEND(.name = "memory", .open = open_memory, .run = run_memory,
	.mem_new = mem_new, .mem_free = mem_free, .mem_copy = mem_copy, .event_new = event_new,
	.event_record = event_record, .event_ns = event_ns, .event_free = event_free,
	.device = device);
LT_BACKEND(memory)
