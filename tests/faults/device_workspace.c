/* device_workspace.c -- memory of its own, in which it writes after the workspace that it asked for. */
#include "tests/faults/fault.h"

static const struct lt_caps *caps(const struct lt_session *s)
{
	static struct lt_caps c;
	c = *plain_caps(s);
	c.device_memory = 1;
	return &c;
}
static lt_status mem_new(struct lt_session *s, size_t bytes, void **out, struct lt_diag *diag)
{
	(void)s;
	*out = aligned_alloc(256, bytes / 256 * 256 + 512);
	return *out ? LT_OK : fault_report(diag, LT_ENOMEM, "no memory");
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
	memmove((char *)to->base + to->offset, (const char *)from->base + from->offset, bytes);
	return LT_OK;
}
static void need(const struct lt_object *o, uint32_t n_thread, size_t *bytes, size_t *align)
{
	plain_need(o, n_thread, bytes, align);
	*bytes += 64;
}
static lt_status run(struct lt_object *o, const struct lt_args *args, struct lt_diag *diag)
{
	size_t bytes, align;
	need(o, args->n_thread, &bytes, &align);
	lt_status status = plain_run(o, args, diag);
	if (!status)
		memset((char *)args->workspace + bytes, 0, 4);
	return status;
}
FAULTY("device_workspace", .caps = caps, .mem_new = mem_new, .mem_free = mem_free, .mem_copy = mem_copy, .need = need,
	.run = run)
