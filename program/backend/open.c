/* The backends of a program, by the list that was asked for. */
#include <string.h>
#include "base/names.h"
#include "program/backend/backend.h"

static const char *known_names(struct lt_arena *a)
{
	struct lt_text t = { .arena = a };
	for (uint32_t i = 0; i < lt_backend_count(); i++)
		lt__text_format(&t, "%s%s", i ? ", " : "", lt_backend_at(i)->name);
	return t.n ? t.at : "none";
}

/* Why it does not open, in its own words; a backend that opens nothing where its score is none need say so once. */
static const char *why_not_open(struct lt_diagnostics *diags, const struct lt_opened *c, lt_status st)
{
	if (diags->n || st < 0 || st >= LT_NSTATUS)
		return lt__diagnostic_reason(diags, st, c->backend->name, "open");
	if (c->backend->score(c->config, &diags->diag) > 0)
		return lt__diagnostic_reason(diags, st, c->backend->name, "open");
	return diags->n ? lt__diagnostic_text(diags->text, c->backend->name) : "not usable here: it does not say why";
}

/* What the host reads of every session is there. */
static lt_status check_caps(struct lt_context *ctx, const struct lt_backend *b, const struct lt_caps *caps)
{
	if (!caps)
		return lt_fail(ctx, LT_EABI, "backend %s: `caps` returned NULL; its author has to fix it", b->name);
	if (caps->size < offsetof(struct lt_caps, any_values))
		return lt_fail(ctx, LT_EABI,
			"backend %s: the size of its struct lt_caps is %u; its author has to set .size = sizeof "
			"(struct lt_caps)",
			b->name, (unsigned)caps->size);
	return LT_OK;
}

static lt_status open_one(
	const char *item, size_t bytes, const struct lt_host *host, struct lt_arena *a, struct lt_opened_backends *out)
{
	struct lt_context *ctx = lt__arena_context(a);
	char *name = lt__arena_alloc(a, bytes + 1), *config;
	memcpy(name, item, bytes);
	config = strchr(name, ':');
	if (config)
		*config++ = '\0';
	struct lt_opened *c = &out->at[out->n];
	*c = (struct lt_opened){
		.backend = lt_backend_find(name), .config = config ? config : "", .lock = LT_NEW(a, struct lt_lock, 1)
	};
	if (!c->backend)
		return lt_fail(ctx, LT_EINVAL, "there is no backend '%s'; there is: %s", name, known_names(a));
	struct lt_diagnostics diags;
	lt__diagnostics_init(&diags);
	lt_status st = c->backend->open(host, c->config, &c->session, &diags.diag);
	if (st)
		return lt_fail(ctx, st, "backend %s: %-s", name, why_not_open(&diags, c, st));
	out->n++;
	if (!lt__lock_init(c->lock, true))      /* a timed launch takes it twice */
		return lt_fail(ctx, LT_ENOMEM, "out of memory");
	const struct lt_caps *caps = c->backend->caps(c->session);
	LT_TRY(check_caps(ctx, c->backend, caps));
	c->together = LT_HAS(struct lt_caps, caps, promises) && caps->promises & LT_PROMISE_RUN_TOGETHER;
	if (LT_HAS(struct lt_caps, caps, device_memory) && !(LT_HAS(struct lt_backend, c->backend, mem_new)
	    && LT_HAS(struct lt_backend, c->backend, mem_free) && LT_HAS(struct lt_backend, c->backend, mem_copy)))
		return lt_fail(ctx, LT_EUNSUPPORTED, "backend %s keeps its buffers in device memory, but does not have all of "
			"mem_new, mem_free and mem_copy to fill it; use another one (-b cpu)", name);
	return LT_OK;
}

lt_status lt__backends_open(
	const char *list, const struct lt_host *host, struct lt_arena *a, struct lt_opened_backends *out)
{
	int32_t n = 1;
	for (const char *c = list; *c; c++)
		n += *c == ',';
	out->at = LT_NEW(a, struct lt_opened, n);
	for (const char *at = list;; ) {
		size_t bytes = strcspn(at, ",");
		LT_TRY(open_one(at, bytes, host, a, out));
		if (!at[bytes])
			return LT_OK;
		at += bytes + 1;
	}
}

void lt__backends_close(struct lt_opened_backends *backends)
{
	for (int32_t i = 0; i < backends->n; i++) {
		backends->at[i].backend->close(backends->at[i].session);
		lt__lock_free(backends->at[i].lock);
	}
	backends->n = 0;
}

/* A backend may be older and know fewer members. */
static const struct lt_target *unpacked_target(const struct lt_target *of, struct lt_arena *a)
{
	struct lt_target *t = LT_NEW(a, struct lt_target, 1);
	memcpy(t, of, of->size < sizeof *t ? of->size : sizeof *t);
	t->unpacked = 1;
	return t;
}

const struct lt_target **lt__backend_targets(
	const struct lt_opened_backends *backends, bool unpacked, struct lt_arena *a)
{
	const struct lt_target **target = LT_NEW(a, const struct lt_target *, backends->n + 1);
	for (int32_t i = 0; i < backends->n; i++) {
		target[i] = backends->at[i].backend->caps(backends->at[i].session)->target;
		if (unpacked && target[i])
			target[i] = unpacked_target(target[i], a);
	}
	return target;
}
