/* object_cache.c -- objects that are saved and loaded, runs that are captured and replayed. */
#include <stdlib.h>
#include <string.h>
#include "tools/check/parts.h"

bool lt__check_optional_saves(struct check_device *d, struct check_outcome *out)
{
	struct check_text id = { NULL, 0 };
	struct check_diagnostics diags = lt__check_listen();
	if (!LT_HAS(struct lt_backend, d->backend, save) || !LT_HAS(struct lt_backend, d->backend, load)
		|| !LT_HAS(struct lt_backend, d->backend, identity))
		return lt__check_end(out, CHECK_SKIPPED, "save and load are not offered");
	lt_status st = d->backend->identity(d->session, lt__check_text_add, &id, &diags.diag);
	bool good = !st && id.n > 0;
	if (st == LT_EUNSUPPORTED)
		(void)lt__check_end(out, CHECK_SKIPPED, "objects of this session are not kept: %s", diags.text);
	else if (!good)
		(void)lt__check_fail(out, "identity: %s, %zu bytes: %s", lt_status_name(st), id.n, diags.text);
	free(id.at);
	return good;
}

/* The sample's objects, loaded from bytes in another session; those of w stay. */
static bool load_all(struct check_work *w, struct check_work *other)
{
	const struct check_device *d = other->device;
	bool good = true;
	for (int32_t i = 0; good && i < w->p->nests.n; i++) {
		struct check_diagnostics diags = lt__check_listen();
		struct check_text b = { NULL, 0 };
		if (!w->object[i])
			continue;
		lt_status st = w->device->backend->save(w->object[i], lt__check_text_add, &b, &diags.diag);
		good = lt__check_went(w->out, st, &diags, "save")
			&& (b.n > 0 || lt__check_fail(w->out, "save succeeds and writes nothing"));
		if (good)
			st = d->backend->load(d->session, &w->p->nests.frozen[i].tree, b.at, b.n, &other->object[i], &diags.diag);
		good = good && lt__check_went(w->out, st, &diags, "load of what save wrote")
			&& (other->object[i] || lt__check_fail(w->out, "load of what save wrote gives no object"));
		free(b.at);
	}
	return good;
}

bool lt__check_optional_save(struct check_work *w, const struct check_trial *t)
{
	struct check_device d;
	struct check_work other;
	struct check_guarded first;
	const struct check_how how = { .poison = 0x5A, .fill = 0x5A, .n_thread = 1, .like = &first,
		.why = "when its object was saved and loaded" };
	if (!lt__check_open_again(w->device, &d, w->out))
		return false;
	lt__check_guarded_new(w, NULL, &first);
	bool good = lt__check_twin_new(w, &d, &other) && load_all(w, &other) && lt__check_guarded_run(&first, t, 0x5A, 0x5A, 1)
		&& lt__check_run_by(&other, t, &how);
	lt__check_guarded_free(&first);
	lt__check_twin_free(&other);
	lt__check_close(&d);
	return good;
}

/* Nothing, a part, and other bytes: refused with LT_EINVAL, and no object. */
bool lt__check_optional_load_other(struct check_work *w, const struct check_trial *t)
{
	const struct check_device *d = w->device;
	const struct lt_tree *tree = &w->p->nests.frozen[lt__check_nest(w)].tree;
	struct check_diagnostics diags = lt__check_listen();
	struct check_text b = { NULL, 0 };
	char noise[300];
	bool good = true;
	(void)t;
	for (size_t i = 0; i < sizeof noise; i++)
		noise[i] = (char)(i * 131 + 7);
	if (d->backend->save(w->object[lt__check_nest(w)], lt__check_text_add, &b, &diags.diag))
		return lt__check_fail(w->out, "save: %s", diags.text);
	const struct { const char *what; const void *at; size_t n; } tries[] = {
		{ "no bytes", noise, 0 }, { "noise", noise, sizeof noise },
		{ "the first half of an object", b.at, b.n / 2 }, { "the first byte of an object", b.at, 1 } };
	for (size_t i = 0; good && i < sizeof tries / sizeof *tries; i++) {
		struct lt_object *object = (struct lt_object *)(void *)&diags;
		lt_status st = d->backend->load(d->session, tree, tries[i].at, tries[i].n, &object, &diags.diag);
		if (!st)
			good = lt__check_fail(w->out, "load takes %s", tries[i].what);
		else if (object)
			good = lt__check_fail(w->out, "load refuses %s and leaves an object behind", tries[i].what);
		else if (st != LT_EINVAL)
			good = lt__check_fail(w->out, "load answers %s to %s, not LT_EINVAL", lt_status_name(st), tries[i].what);
	}
	free(b.at);
	return good;
}

/* -- capture -- */

enum { MAX_RUNS = 16 };

/* What a later host hands over: an element of its array is longer than lt_args is here. */
struct longer_args { struct lt_args args; uint64_t more[3]; };

/* The steps of a run, recorded; args and slots are the backend's copies from then on. */
static struct lt_capture *record(
	struct check_work *w, struct check_guarded *guarded, struct check_args *each, struct lt_fault *fault)
{
	const struct check_device *d = w->device;
	struct lt_object *object[MAX_RUNS];
	struct longer_args args[MAX_RUNS];
	struct lt_capture *capture = NULL;
	struct check_diagnostics diags = lt__check_listen();
	uint32_t n = 0;
	bool good = true;
	memset(args, 0xFF, sizeof args);
	for (int32_t i = 0; good && i < w->p->plan.n_run && n < MAX_RUNS; i++) {
		int32_t nest = w->p->plan.run[i].nest;
		if (w->p->plan.run[i].kind != LT_STEP_RUN)
			continue;
		good = lt__check_args_new(guarded, nest, 0x5A, 1, fault, &each[n]);
		object[n] = w->object[nest];
		args[n].args = each[n].args;
		args[n++].args.size = sizeof *args;
	}
	lt_status st = good ? d->backend->capture(d->session, object, &args->args, n, &capture, &diags.diag) : LT_ENOMEM;
	if (good && (st || !capture))
		(void)lt__check_fail(w->out, "capture of %u runs: %s: %s", n, lt_status_name(st), diags.text);
	memset(args, 0xFF, sizeof args);
	memset(object, 0xFF, sizeof object);
	for (uint32_t i = 0; i < n && each[i].slot; i++)
		memset(each[i].slot, 0xFF, sizeof *each[i].slot * each[i].args.n_slot);
	return capture;
}

static bool has_copies(const struct lt_program *p)
{
	for (int32_t i = 0; i < p->plan.n_run; i++)
		if (p->plan.run[i].kind != LT_STEP_RUN)
			return true;
	return p->plan.n_run > MAX_RUNS;
}

bool lt__check_optional_capture(struct check_work *w, const struct check_trial *t)
{
	const struct check_device *d = w->device;
	struct check_args each[MAX_RUNS] = { { .slot = NULL } };
	struct check_guarded direct, guarded;
	struct lt_fault fault = { 0, -1, -1, 0 };
	struct check_diagnostics diags = lt__check_listen();
	if (has_copies(w->p))
		return true;
	lt__check_guarded_new(w, NULL, &direct);
	lt__check_guarded_new(w, NULL, &guarded);
	bool good = lt__check_guarded_run(&direct, t, 0x5A, 0x5A, 1) && lt__check_guarded_run(&guarded, t, 0x5A, 0x5A, 1);
	struct lt_capture *c = good ? record(w, &guarded, each, &fault) : NULL;
	for (int i = 0; c && good && i < 3; i++) {
		good = lt__check_guarded_refill(&guarded, t->data, 0xFF);
		lt_status st = good ? d->backend->replay(c, &diags.diag) : LT_OK;         /* done when it comes back: no sync */
		good = good && lt__check_went(w->out, st, &diags, "replay")
			&& lt__check_guarded_stand(&guarded, t->data) && lt__check_guarded_judge(&guarded, t)
			&& lt__check_same_bits(&direct, &guarded, t->judge, "when it is replayed");
	}
	if (c)
		d->backend->capture_free(c);
	for (int i = 0; i < MAX_RUNS; i++)
		good = lt__check_args_end(w, &each[i]) && good;
	lt__check_guarded_free(&direct);
	lt__check_guarded_free(&guarded);
	return good && !w->out->done;
}
