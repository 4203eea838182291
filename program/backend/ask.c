/* ask.c -- what a backend says of itself, of this machine and of its options, without a program. */
#include <stdio.h>
#include <string.h>
#include "lt/backends.h"
#include "lt/options.h"
#include "lt/program.h"
#include "program/backend/backend.h"

struct backend_answer {
	struct lt_backend_facts out;            /* first: the caller has its address */
	struct lt_arena *arena;                 /* of this, too */
};
struct backend_asking {
	struct lt_context *ctx;
	const struct lt_backend *backend;
	const char *config;
	struct lt_host host;
	struct backend_answer *facts;
	struct lt_arena *arena;
	struct lt_session *session;
};

static void facts_add(void *user, const char *text, size_t bytes) { lt__text_add(user, text, bytes); }

/* The first reason that was given. */
static void find_reason(
	struct backend_asking *x, lt_status code, const struct lt_diagnostics *diags, const char *otherwise)
{
	struct lt_backend_facts *f = &x->facts->out;
	const char *text = diags->n_diagnostic ? diags->pool + diags->entry[0].text : otherwise;
	const size_t remedy = diags->n_diagnostic ? diags->entry[0].remedy : 0;
	f->reason = lt__arena_string(x->arena, lt__diagnostic_text(text, x->backend->name));
	f->remedy = remedy ? lt__arena_string(x->arena, diags->pool + remedy) : NULL;
	f->score = f->score > 0 ? 0 : f->score;
	f->code = code;
}

static void find_options(struct backend_asking *x)
{
	const struct lt_backend *b = x->backend;
	if (!LT_HAS(struct lt_backend, b, options))
		return;
	const struct lt_array *list = b->options;
	struct lt_backend_option *out = LT_NEW(x->arena, struct lt_backend_option, (int64_t)list->n + 1);
	for (uint32_t i = 0; i < list->n; i++) {
		const struct lt_option *o = LT_AT(struct lt_option, *list, i);
		out[i] = (struct lt_backend_option){ .size = sizeof *out, .again = o->again, .key = o->key, .value = o->value,
			.words = o->words, .low = o->low, .high = o->high,
			.about = LT_AT_HAS(struct lt_option, *list, about) ? o->about : NULL };
	}
	x->facts->out.option = out;
	x->facts->out.n_option = list->n;
}

static void find_devices(struct backend_asking *x)
{
	enum { MOST = 64 };
	const struct lt_backend *b = x->backend;
	struct lt_device *all = LT_NEW(x->arena, struct lt_device, MOST);
	struct lt_diagnostics unheard;
	uint32_t n = 0;
	lt__diagnostics_init(&unheard);
	for (; LT_HAS(struct lt_backend, b, device) && n < MOST; n++) {
		all[n].size = sizeof *all;
		if (b->device(n, &all[n], &unheard.diag))
			break;
	}
	x->facts->out.device = all;
	x->facts->out.n_device = n;
}

static lt_status read_session(void *arg)
{
	struct backend_asking *x = arg;
	struct lt_backend_facts *f = &x->facts->out;
	struct lt_text details = { .arena = x->arena };
	const struct lt_caps *caps = x->backend->caps(x->session);
	struct lt_diagnostics none;
	lt__diagnostics_init(&none);
	if (!caps) {
		find_reason(x, LT_EABI, &none, "`caps` returned NULL; its author has to fix it");
		return LT_OK;
	}
	f->device_memory = LT_HAS(struct lt_caps, caps, device_memory);
	f->any_values = LT_HAS(struct lt_caps, caps, any_values);
	f->run_together = LT_HAS(struct lt_caps, caps, promises) && caps->promises & LT_PROMISE_RUN_TOGETHER;
	f->dtypes = (uint32_t)caps->dtypes;
	if (LT_HAS(struct lt_caps, caps, target) && caps->target->name)
		f->target = lt__arena_string(x->arena, caps->target->name);
	if (LT_HAS(struct lt_backend, x->backend, describe)) {
		x->backend->describe(x->session, facts_add, &details);
		lt__text_add(&details, "", 1);
		f->details = details.at;
	}
	return LT_OK;
}

/* What its session says, which is closed again whatever becomes of memory. */
static lt_status ask_session(struct backend_asking *x)
{
	struct lt_diagnostics diags;
	lt__diagnostics_init(&diags);
	lt_status st = x->backend->open(&x->host, x->config, &x->session, &diags.diag);
	if (st) {
		find_reason(x, st, &diags, lt__arena_format(x->arena, "it cannot be opened: %s", lt_status_text(st)));
		return LT_OK;
	}
	st = lt__protect(x->ctx, read_session, x);
	x->backend->close(x->session);
	return st;
}

static lt_status ask_body(void *arg)
{
	struct backend_asking *x = arg;
	struct backend_answer *facts = x->facts = LT_NEW(x->arena, struct backend_answer, 1);
	const struct lt_backend *b = x->backend;
	struct lt_diagnostics diags;
	lt__diagnostics_init(&diags);
	facts->arena = x->arena;
	facts->out = (struct lt_backend_facts){ .size = sizeof facts->out, .name = b->name, .summary = b->summary,
		.version = b->version, .file = lt_backend_origin(b), .details = "", .score = b->score(x->config, &diags.diag) };
	find_options(x);
	if (facts->out.score <= 0)
		find_reason(x, LT_EINVAL, &diags, "it does not say why");
	else
		LT_TRY(ask_session(x));
	if (facts->out.score > 0)
		find_devices(x);
	return LT_OK;
}

static lt_status find_backend(struct backend_asking *x, const char *given)
{
	const char *colon = strchr(given, ':');
	const size_t n = colon ? (size_t)(colon - given) : strlen(given);
	x->config = colon ? colon + 1 : "";
	for (uint32_t i = 0; i < lt_backend_count() && !x->backend; i++) {
		const struct lt_backend *b = lt_backend_at(i);
		x->backend = strlen(b->name) == n && !memcmp(b->name, given, n) ? b : NULL;
	}
	return x->backend ? LT_OK : lt_fail(x->ctx, LT_EINVAL, "there is no backend '%.*s'", (int)n, given);
}

lt_status lt_backend_ask(
	struct lt_context *ctx, const char *backend, const struct lt_options *given, struct lt_backend_facts **out)
{
	struct lt_options o = { 0 };
	struct backend_asking x = { .ctx = ctx };
	*out = NULL;
	if (given)
		memcpy(&o, given, given->size < sizeof o ? given->size : sizeof o);
	x.host = (struct lt_host){ .size = sizeof x.host, .n_thread = o.n_thread, .cc = o.cc, .temp_dir = o.temp_dir,
		.cc_timeout_ms = o.cc_timeout_ms, .parallel_for = lt__host_parallel_for };
	LT_TRY(find_backend(&x, backend));
	LT_TRY(lt__arena_new(ctx, &x.arena));
	lt_status st = lt__protect(ctx, ask_body, &x);
	if (st)
		lt__arena_free(x.arena);
	else
		*out = &x.facts->out;
	return st;
}

void lt_backend_facts_free(struct lt_backend_facts *f)
{
	if (f)
		lt__arena_free(((struct backend_answer *)f)->arena);
}

const char *lt_backend_name(uint32_t i)
{
	const struct lt_backend *b = i < lt_backend_count() ? lt_backend_at(i) : NULL;
	return b ? b->name : NULL;
}

lt_status lt_backend_load_file(struct lt_context *ctx, const char *path)
{
	struct lt_diagnostics diags;
	lt__diagnostics_init(&diags);
	const lt_status st = lt_backend_load(path, &diags.diag);
	return st ? lt_fail(ctx, st, "%s", diags.n ? diags.text : lt_status_text(st)) : LT_OK;
}
