/* device.c -- the backend that is checked: its session and what the host gives it. */
#include <string.h>
#include "program/host/host.h"
#include "tools/check/check.h"
#include "tools/common/common.h"

/* Its process is to end. */
static int cancelled(const struct lt_host *host)
{
	(void)host;
	return lt__interrupted(NULL);
}

static bool open_session(struct check_device *d, struct check_outcome *out)
{
	struct check_diagnostics diags = lt__check_listen();
	d->session = NULL;
	lt_status st = d->backend->open(&d->host, d->config, &d->session, &diags.diag);
	if (!lt__check_went(out, st, &diags, "open"))
		return false;
	if (!d->session)
		return lt__check_fail(out, "open answers LT_OK and gives no session");
	d->caps = d->backend->caps(d->session);
	if (!d->caps)
		return lt__check_fail(out, "caps returned NULL");
	if (d->caps->size < offsetof(struct lt_caps, target) + sizeof d->caps->target)
		return lt__check_fail(out, "caps.size is %u, and it has to be sizeof (struct lt_caps)", (unsigned)d->caps->size);
	if (!d->caps->target)
		return lt__check_fail(out, "caps.target is NULL");
	if (d->caps->target->size < offsetof(struct lt_target, name) + sizeof d->caps->target->name)
		return lt__check_fail(out, "caps.target->size is %u, and it has to be sizeof (struct lt_target)",
			(unsigned)d->caps->target->size);
	return true;
}

bool lt__check_open(struct check_device *d, const struct check_options *o, struct check_outcome *out)
{
	*d = (struct check_device){ .backend = lt_backend_find(o->backend), .config = o->config, .n_thread = o->n_thread,
		.kernels = o->kernels, .cc = "cc",
		.host = { .size = sizeof d->host, .n_thread = o->n_thread, .parallel = lt__host_parallel,
			.parallel_for = lt__host_parallel_for,
			.temp_dir = o->temp_dir, .cancelled = cancelled, .cc_timeout_ms = o->cc_timeout_ms } };
	if (!d->backend)
		return lt__check_fail(out, "there is no backend '%s'", o->backend);
	d->backend = lt__check_watch(d->backend);
	return open_session(d, out);
}

bool lt__check_open_again(const struct check_device *d, struct check_device *out, struct check_outcome *outcome)
{
	*out = *d;
	return open_session(out, outcome);
}

void lt__check_close(struct check_device *d)
{
	if (d->session)
		d->backend->close(d->session);
	d->session = NULL;
}
