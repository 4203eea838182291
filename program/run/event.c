/* event.c -- moments in a device's queue, and the time between two of them. */
#include "program/run/parts.h"

lt_status lt__event_new(
	struct lt_context *ctx, const struct lt_opened *c, const char *times, struct lt_event **out)
{
	const struct lt_backend *b = c->backend;
	struct lt_diagnostics diags;
	*out = NULL;
	if (!LT_HAS(struct lt_backend, b, event_new) || !LT_HAS(struct lt_backend, b, event_record)
		|| !LT_HAS(struct lt_backend, b, event_ns) || !LT_HAS(struct lt_backend, b, event_free))
		return LT_OK;
	lt__diagnostics_init(&diags);
	lt__lock_take(c->lock);
	lt_status st = b->event_new(c->session, out, &diags.diag);
	lt__lock_give(c->lock);
	if (!st)
		return LT_OK;
	*out = NULL;
	return lt_fail(ctx, st, "backend %s: an event to time %s with: %s", b->name, times,
		lt__diagnostic_reason(&diags, st, b->name, "event_new"));
}

void lt__event_free(const struct lt_opened *c, struct lt_event *e)
{
	if (!e)
		return;
	lt__lock_take(c->lock);
	c->backend->event_free(e);
	lt__lock_give(c->lock);
}

bool lt__event_record(const struct lt_opened *c, struct lt_event *e, void *stream)
{
	if (!e)
		return false;
	lt__lock_take(c->lock);
	lt_status st = c->backend->event_record(e, stream, NULL);
	lt__lock_give(c->lock);
	return !st;
}

lt_status lt__event_between(struct lt_context *ctx, const struct lt_opened *c, const char *timed, struct lt_event *from,
	struct lt_event *to, int64_t *ns)
{
	struct lt_diagnostics diags;
	lt__diagnostics_init(&diags);
	lt__lock_take(c->lock);
	lt_status st = c->backend->event_ns(from, to, ns, &diags.diag);
	lt__lock_give(c->lock);
	return st ? lt_fail(ctx, st, "backend %s: timing %s: %s", c->backend->name, timed,
		lt__diagnostic_reason(&diags, st, c->backend->name, "event_ns")) : LT_OK;
}
