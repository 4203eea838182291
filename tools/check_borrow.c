/* tools/check_borrow.c -- what is lent to a call is gone behind it: the config of open, the lists of compile, the args of a run, the bytes of
 * load.  Each stands in pages that are closed when the call comes back. */
#include <stdlib.h>
#include <string.h>
#include "tools/check_parts.h"

struct lent { struct check_pages call, config; };

static bool open_lent(struct check_work *w, struct lent *l, struct check_device *d)
{
	lt__check_pages_open(&l->config);
	d->config = lt__check_pages_take(&l->config, d->config ? d->config : "", strlen(d->config ? d->config : "") + 1);
	lt__check_pages_seal(&l->config);
	bool good = lt__check_open_again(d, d, w->out);
	lt__check_pages_close(&l->config);
	d->config = "";
	return good;
}

static bool compile_lent(struct check_work *w, struct lent *l, struct check_work *mine)
{
	struct check_diagnostics told;
	uint32_t n = 0;
	lt__check_diagnostics_init(&told);
	lt__check_pages_open(&l->call);
	const struct lt_tree **tree = lt__check_pages_take(&l->call, NULL, (size_t)(w->p->nests.n + 1) * sizeof *tree);
	struct lt_object **object = lt__check_pages_take(&l->call, NULL, (size_t)(w->p->nests.n + 1) * sizeof *object);
	for (int32_t i = 0; i < w->p->nests.n; i++)
		if (w->object[i])
			tree[n++] = &w->p->nests.frozen[i].tree;
	for (uint32_t i = 0; i < n; i++)
		if (mine->device->backend->accepts(mine->device->session, tree[i], &told.diag))
			return lt__check_end(w->out, CHECK_FAILED, "accepts took the tree of kernel %s, and refuses it in another session: %s",
				tree[i]->name, told.text);
	lt_status st = mine->device->backend->compile(mine->device->session, tree, n, object, &told.diag);
	n = 0;
	for (int32_t i = 0; i < w->p->nests.n; i++)
		mine->object[i] = st || !w->object[i] ? NULL : object[n++];
	lt__check_pages_close(&l->call);
	return !st || lt__check_end(w->out, CHECK_FAILED, "compile of trees that compiled in another session: %s: %s", lt_status_name(st), told.text);
}

/* Each object in its own place once more, from bytes; one that cannot be saved stays. */
static bool load_lent(struct check_work *w, struct lent *l)
{
	const struct lt_backend *b = w->device->backend;
	struct check_diagnostics told;
	lt_status st = LT_OK;
	if (!LT_HAS(struct lt_backend, b, save))
		return true;
	for (int32_t i = 0; !st && i < w->p->nests.n; i++) {
		struct check_text saved = { NULL, 0 };
		struct lt_object *again = NULL;
		lt__check_diagnostics_init(&told);
		if (w->object[i] && !b->save(w->object[i], lt__check_text_add, &saved, &told.diag)) {
			lt__check_pages_open(&l->call);
			const void *at = lt__check_pages_take(&l->call, saved.at, saved.n);
			lt__check_pages_seal(&l->call);
			st = at ? b->load(w->device->session, &w->p->nests.frozen[i].tree, at, saved.n, &again, &told.diag) : LT_OK;
			lt__check_pages_close(&l->call);
		}
		if (again) {
			b->destroy(w->object[i]);
			w->object[i] = again;
		}
		free(saved.at);
	}
	return !st || lt__check_end(w->out, CHECK_FAILED, "load of what save wrote: %s: %s", lt_status_name(st), told.text);
}

static bool run_lent(struct check_work *w, struct lent *l, const struct check_trial *t)
{
	struct check_guarded room;
	struct lt_fault fault;
	bool good = true;
	for (int i = 0; good && i < 2; i++) {
		lt__check_guarded_new(w, 0, &room);
		room.lend = &l->call;
		room.async = i == 1;
		good = lt__check_guarded_fill(&room, t->data, 0xFF) && lt__check_launch(&room, 0xFF, 1, &fault) && lt__check_guarded_stand(&room, t->data)
			&& lt__check_compare(&room, t->judge, t->data, NULL);
		lt__check_guarded_free(&room);
	}
	return good;
}

static void drop(void *user, const char *text, size_t bytes) { (void)user, (void)text, (void)bytes; }

/* All in a session of its own, whose config is gone. */
static bool borrowed(struct check_work *w)
{
	struct lent l = { .call = { .at = NULL } };
	struct check_device d = *w->device;
	struct check_work mine = *w;
	struct check_trial t;
	bool good = lt__check_trial_new(w, 0, w->seed, &t);
	mine.device = &d;
	mine.object = calloc((size_t)w->p->nests.n + 1, sizeof *mine.object);
	d.session = NULL;
	if (good && (!mine.object || !lt__check_pages_new(&l.call) || !lt__check_pages_new(&l.config)))
		good = lt__check_end(w->out, CHECK_FAILED, "there is no memory to lend");
	good = good && open_lent(w, &l, &d) && compile_lent(w, &l, &mine) && run_lent(&mine, &l, &t) && load_lent(&mine, &l) && run_lent(&mine, &l, &t);
	if (good && LT_HAS(struct lt_backend, d.backend, describe))
		d.backend->describe(d.session, drop, NULL);
	if (good && LT_HAS(struct lt_backend, d.backend, dump))
		(void)d.backend->dump(mine.object[lt__check_nest(w)], LT_DUMP_SOURCE, drop, NULL);
	for (int32_t i = 0; mine.object && i < w->p->nests.n; i++)
		if (mine.object[i])
			d.backend->destroy(mine.object[i]);
	free(mine.object);
	lt__check_close(&d);
	lt__check_pages_free(&l.call);
	lt__check_pages_free(&l.config);
	lt__check_trial_free(w, &t);
	return good;
}

void lt__check_memory_borrowed(struct check_device *d, const struct check_case *c, struct check_outcome *out)
{
	lt__check_samples(d, c, out, CHECK_S_ALL, borrowed);
}
