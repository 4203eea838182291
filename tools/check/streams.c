/* streams.c -- optional/streams: queues that the host makes, their order by events, and memory of the host
 * that copies go from and to. */
#include <string.h>
#include "tools/check/parts.h"

struct streams_trial {
	void *stream[2], *memory, *host;
	struct lt_event *event;
};
enum { STREAM_BYTES = 4096 };

static bool streams_open(const struct check_device *d, struct streams_trial *x, struct check_diagnostics *diags)
{
	const struct lt_backend *b = d->backend;
	for (int i = 0; i < 2; i++)
		if (b->stream_new(d->session, &x->stream[i], &diags->diag) || !x->stream[i])
			return false;
	if (LT_HAS(struct lt_backend, b, host_new)
		&& (b->host_new(d->session, STREAM_BYTES, &x->host, &diags->diag) || !x->host))
		return false;
	if (LT_HAS(struct lt_backend, b, event_wait) && (b->event_new(d->session, &x->event, &diags->diag) || !x->event))
		return false;
	return !b->mem_new(d->session, STREAM_BYTES, &x->memory, &diags->diag) && x->memory;
}

static void streams_close(const struct check_device *d, const struct streams_trial *x)
{
	const struct lt_backend *b = d->backend;
	if (x->memory)
		b->mem_free(d->session, x->memory);
	if (x->event)
		b->event_free(x->event);
	if (x->host)
		b->host_free(d->session, x->host);
	for (int i = 0; i < 2; i++)
		if (x->stream[i])
			b->stream_free(d->session, x->stream[i]);
}

/* There in one queue, back in the other one, behind the first. */
static lt_status streams_use(const struct check_device *d, const struct streams_trial *x, unsigned char *data,
	struct lt_diag *diag)
{
	const struct lt_backend *b = d->backend;
	const struct lt_slot here = { data, 0, STREAM_BYTES }, there = { x->memory, 0, STREAM_BYTES };
	lt_status st = b->mem_copy(d->session, &there, &here, STREAM_BYTES, LT_COPY_TO_DEVICE, x->stream[0], diag);
	if (!st && x->event)
		st = b->event_record(x->event, x->stream[0], diag);
	if (!st)
		st = x->event ? b->stream_wait(d->session, x->stream[1], x->event, diag)
			: b->sync(d->session, x->stream[0], diag);
	if (!st && x->event)
		st = b->event_wait(x->event, diag);
	if (st)
		return st;
	memset(data, 0, STREAM_BYTES);          /* what was copied from it has been read */
	st = b->mem_copy(d->session, &here, &there, STREAM_BYTES, LT_COPY_TO_HOST, x->stream[1], diag);
	return st ? st : b->sync(d->session, x->stream[1], diag);
}

bool lt__check_optional_streams(struct check_device *d, struct check_outcome *out)
{
	struct streams_trial x = { .memory = NULL };
	unsigned char own[STREAM_BYTES];
	struct check_diagnostics diags = lt__check_listen();
	if (!LT_HAS(struct lt_backend, d->backend, stream_new) || !LT_HAS(struct lt_backend, d->backend, mem_new))
		return lt__check_end(out, CHECK_SKIPPED, "queues, or device memory, are not offered");
	bool good = streams_open(d, &x, &diags);
	if (!good)
		(void)lt__check_fail(out, "stream_new, event_new, mem_new or host_new: %s", diags.text);
	unsigned char *data = x.host ? x.host : own;
	for (int i = 0; i < STREAM_BYTES; i++)
		data[i] = (unsigned char)(i * 7 + 3);
	if (good) {
		const lt_status st = streams_use(d, &x, data, &diags.diag);
		good = lt__check_went(out, st, &diags, "a copy to the device and back, in two queues");
	}
	for (int i = 0; good && i < STREAM_BYTES; i++)
		if (data[i] != (unsigned char)(i * 7 + 3))
			good = lt__check_fail(out, "byte %d is %d after copies in two queues, expected %d", i, data[i],
				(unsigned char)(i * 7 + 3));
	streams_close(d, &x);
	return true;
}
