/* borrow.c -- what is lent to a call is gone after it: the config of open, the lists of compile, the args
 * of a run, the bytes of load.  Each stands in pages that are closed when the call comes back. */
#include <stdlib.h>
#include <string.h>
#include "tools/check/parts.h"

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

static bool borrow_show(struct check_work *w, const struct check_device *d)
{
	struct check_diagnostics diags = lt__check_listen();
	for (int32_t i = 0; i < w->p->nests.n; i++)
		if (w->object[i] && d->backend->accepts(d->session, &w->p->nests.frozen[i].tree, &diags.diag))
			return lt__check_fail(w->out, "accepts took the tree of kernel %s, and refuses it in another session: %s",
				w->p->nests.frozen[i].tree.name, diags.text);
	return true;
}

/* Each object in its own place once more, from bytes; one that cannot be saved stays. */
static bool load_lent(struct check_work *w, struct lent *l)
{
	const struct lt_backend *b = w->device->backend;
	bool good = true;
	if (!LT_HAS(struct lt_backend, b, save))
		return true;
	for (int32_t i = 0; good && i < w->p->nests.n; i++) {
		struct check_text saved = { NULL, 0 };
		struct lt_object *again = NULL;
		struct check_diagnostics diags = lt__check_listen();
		if (w->object[i] && !b->save(w->object[i], lt__check_text_add, &saved, &diags.diag)) {
			lt__check_pages_open(&l->call);
			const void *at = lt__check_pages_take(&l->call, saved.at, saved.n);
			lt__check_pages_seal(&l->call);
			lt_status st = at ? b->load(w->device->session, &w->p->nests.frozen[i].tree, at, saved.n, &again, &diags.diag)
				: LT_OK;
			lt__check_pages_close(&l->call);
			good = lt__check_went(w->out, st, &diags, "load of what save wrote");
		}
		if (again) {
			b->destroy(w->object[i]);
			w->object[i] = again;
		}
		free(saved.at);
	}
	return good;
}

static bool run_lent(struct check_work *w, struct lent *l, const struct check_trial *t)
{
	const struct check_how how = { .poison = 0xFF, .fill = 0xFF, .n_thread = 1, .lend = &l->call }, later = {
		.poison = 0xFF, .fill = 0xFF, .n_thread = 1, .lend = &l->call, .async = true };
	return lt__check_run_by(w, t, &how) && lt__check_run_by(w, t, &later);
}

/* All in a session of its own, whose config is gone. */
bool lt__check_memory_borrowed(struct check_work *w, const struct check_trial *t)
{
	struct lent l = { .call = { .at = NULL } };
	struct check_device d = *w->device;
	struct check_work mine;
	d.session = NULL;
	bool good = lt__check_twin_new(w, &d, &mine) && ((lt__check_pages_new(&l.call) && lt__check_pages_new(&l.config))
		|| lt__check_fail(w->out, "there is no memory to lend"));
	good = good && open_lent(w, &l, &d) && borrow_show(w, &d) && lt__check_twin_compile(w, NULL, &l.call, &mine)
		&& run_lent(&mine, &l, t) && load_lent(&mine, &l) && run_lent(&mine, &l, t);
	if (good)
		lt__check_ask_all(&mine);
	lt__check_twin_free(&mine);
	lt__check_close(&d);
	lt__check_pages_free(&l.call);
	lt__check_pages_free(&l.config);
	return good;
}
