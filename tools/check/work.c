/* work.c -- what cases are made of: a kernel of the suite's own, its data, one run of it, its objects once
 * more. */
#include <stdlib.h>
#include <string.h>
#include "tools/check/parts.h"

bool lt__check_work_open(struct check_work *w, struct check_device *d, const struct check_case *c, uint64_t seed,
	struct check_outcome *out)
{
	const struct check_tree how = c->graph ? c->how : (struct check_tree){ .kind = c->spec.schedule, .seed = seed };
	*w = (struct check_work){ .device = d, .out = out, .seed = seed, .special = c->special, .wild = c->wild,
		.g = (struct lt_graph *)(uintptr_t)c->graph, .is_given = c->graph != NULL, .ctx = c->graph ? c->graph->ctx : NULL };
	if (!c->graph && (lt_context_new(&w->ctx) || lt__check_graph(w->ctx, c, &w->g)))
		return lt__check_fail(out, "no graph: %s", w->ctx ? lt_context_message(w->ctx) : "out of memory");
	return lt__check_prepare(w, &how);
}

void lt__check_work_close(struct check_work *w)
{
	lt__check_work_free(w);
	if (!w->is_given) {
		lt_graph_free(w->g);
		lt_context_free(w->ctx);
	}
	w->g = NULL;
	w->ctx = NULL;
}

bool lt__check_work_compile(struct check_work *w) { return lt__check_compile(&w, 1) && !w->out->done; }

int32_t lt__check_nest(const struct check_work *w)
{
	for (int32_t i = w->p->plan.n_run; i-- > 0;)
		if (w->p->plan.run[i].kind == LT_STEP_RUN)
			return w->p->plan.run[i].nest;
	return -1;
}

/* -- data and runs -- */

bool lt__check_trial_new(struct check_work *w, int set, uint64_t seed, struct check_trial *t)
{
	const struct check_data how = { seed, set, w->special, w->wild };
	*t = (struct check_trial){ .data = lt__check_data_new(w->g, &how) };
	lt_status st = lt__check_judge(w, t->data, &t->judge);
	return !st || st == LT_EFAULT || lt__check_end(w->out, st == LT_ENOMEM ? CHECK_FAILED : CHECK_SKIPPED,
		"the graph cannot be evaluated: %s", lt_context_message(w->ctx));
}

void lt__check_trial_free(struct check_work *w, struct check_trial *t)
{
	lt_verifier_free(t->judge);
	lt__check_data_free(w->g, t->data);
	*t = (struct check_trial){ 0 };
}

bool lt__check_guarded_run(
	struct check_guarded *guarded, const struct check_trial *t, int poison, int fill, uint32_t n_thread)
{
	struct lt_fault fault;
	return lt__check_guarded_fill(guarded, t->data, poison) && lt__check_launch(guarded, fill, n_thread, &fault)
		&& lt__check_guarded_stand(guarded, t->data);
}

bool lt__check_run_by(struct check_work *w, const struct check_trial *t, const struct check_how *how)
{
	struct check_guarded guarded;
	lt__check_guarded_new(w, how, &guarded);
	bool good = lt__check_guarded_run(&guarded, t, how->poison, how->fill, how->n_thread)
		&& lt__check_guarded_judge(&guarded, t)
		&& (!how->like || lt__check_same_bits(how->like, &guarded, t->judge, how->why));
	lt__check_guarded_free(&guarded);
	return good;
}

bool lt__check_one_run(struct check_work *w, const struct check_trial *t, int poison, int fill, uint32_t n_thread)
{
	return lt__check_run_by(w, t, &(struct check_how){ .poison = poison, .fill = fill, .n_thread = n_thread });
}

bool lt__check_guarded_judge(struct check_guarded *guarded, const struct check_trial *t)
{
	return lt__check_compare(guarded, t->judge, NULL);
}

/* -- the objects once more -- */

bool lt__check_twin_new(const struct check_work *w, struct check_device *d, struct check_work *twin)
{
	*twin = *w;
	twin->device = d;
	twin->object = calloc((size_t)w->p->nests.n + 1, sizeof *twin->object);
	return twin->object || lt__check_fail(w->out, "out of memory");
}

bool lt__check_twin_compile(const struct check_work *w, const struct lt_tree *const *tree, struct check_pages *lend,
	struct check_work *twin)
{
	const size_t n_max = (size_t)w->p->nests.n + 1;
	struct check_diagnostics diags = lt__check_listen();
	uint32_t n = 0;
	if (lend)
		lt__check_pages_open(lend);
	const struct lt_tree **list =
		lend ? lt__check_pages_take(lend, NULL, n_max * sizeof *list) : calloc(n_max, sizeof *list);
	struct lt_object **object =
		lend ? lt__check_pages_take(lend, NULL, n_max * sizeof *object) : calloc(n_max, sizeof *object);
	bool good = (list && object) || lt__check_fail(w->out, "out of memory");
	for (int32_t i = 0; good && i < w->p->nests.n; i++)
		if (w->object[i])
			list[n++] = tree ? tree[i] : &w->p->nests.frozen[i].tree;
	lt_status st = good ? twin->device->backend->compile(twin->device->session, list, n, object, &diags.diag) : LT_ENOMEM;
	n = 0;
	for (int32_t i = 0; !st && i < w->p->nests.n; i++)
		if (w->object[i])
			twin->object[i] = object[n++];
	if (lend) {
		lt__check_pages_close(lend);
	} else {
		free(list);
		free(object);
	}
	return lt__check_went(w->out, st, &diags, "compile of trees that compiled before");
}

void lt__check_twin_free(struct check_work *twin)
{
	for (int32_t i = 0; twin->object && i < twin->p->nests.n; i++)
		if (twin->object[i])
			twin->device->backend->destroy(twin->object[i]);
	free(twin->object);
	twin->object = NULL;
}

static void drop(void *user, const char *text, size_t bytes) { (void)user, (void)text, (void)bytes; }

void lt__check_ask_all(struct check_work *w)
{
	const struct lt_backend *b = w->device->backend;
	struct check_diagnostics diags = lt__check_listen();
	if (LT_HAS(struct lt_backend, b, describe))
		b->describe(w->device->session, drop, NULL);
	if (LT_HAS(struct lt_backend, b, identity))
		(void)b->identity(w->device->session, drop, NULL, &diags.diag);
	if (LT_HAS(struct lt_backend, b, dump))
		(void)b->dump(w->object[lt__check_nest(w)], LT_DUMP_SOURCE, drop, NULL);
}

bool lt__check_twin_run(struct check_work *w, const struct lt_tree *const *tree, const struct check_trial *t)
{
	struct check_work twin;
	bool good = lt__check_twin_new(w, w->device, &twin) && lt__check_twin_compile(w, tree, NULL, &twin);
	if (good)
		lt__check_ask_all(&twin);
	good = good && lt__check_one_run(&twin, t, 0xFF, 0xFF, 1);
	lt__check_twin_free(&twin);
	return good;
}

void lt__check_text_add(void *text, const char *more, size_t bytes)
{
	struct check_text *t = text;
	char *at = realloc(t->at, t->n + bytes + 1);
	if (!at)
		return;
	memcpy(at + t->n, more, bytes);
	*t = (struct check_text){ at, t->n + bytes };
	t->at[t->n] = '\0';
}
