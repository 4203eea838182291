/* trees.c -- how long a backend may look at a tree: one that was shown to accepts, until that call ends;
 * one that was compiled, until its object is destroyed.  And it never writes to one.
 *
 * Trees are copied to pages that cannot be written to, and that are closed when the tree is gone: who looks at it then
 * crashes.  Then another tree stands at the same address: who knows trees by their addresses gives the values of the
 * first.
 */
#include "tools/check/parts.h"

/* A copy of the tree of each kernel, in pages: only where there is an object. */
struct copies { struct check_pages pages; const struct lt_tree **tree; };

static bool copies_make(struct check_work *w, bool seal, struct copies *c)
{
	if (!c->pages.at && !lt__check_pages_new(&c->pages))
		return lt__check_fail(w->out, "there is no memory for a copy of its trees");
	lt__check_pages_open(&c->pages);
	c->tree = lt__check_pages_take(&c->pages, NULL, (size_t)(w->p->nests.n + 1) * sizeof *c->tree);
	for (int32_t i = 0; c->tree && i < w->p->nests.n; i++)
		c->tree[i] = w->object[i] ? lt__check_pages_tree(&c->pages, &w->p->nests.frozen[i].tree) : NULL;
	if (!c->tree || c->pages.full)
		return lt__check_fail(w->out, "there is no memory for a copy of its trees");
	if (seal)
		lt__check_pages_seal(&c->pages);
	return true;
}

/* trees: NULL: its own. */
static bool trees_show(struct check_work *w, const struct lt_tree *const *tree)
{
	struct check_diagnostics diags = lt__check_listen();
	for (int32_t i = 0; i < w->p->nests.n; i++)
		if (w->object[i]
			&& w->device->backend->accepts(
				w->device->session, tree ? tree[i] : &w->p->nests.frozen[i].tree, &diags.diag))
			return lt__check_fail(w->out, "accepts took the tree of kernel %s, and refuses a copy of it: %s",
				w->p->nests.frozen[i].tree.name, diags.text);
	return true;
}

/* What a session that looks back would look at; and an object of another tree runs as it did. */
static bool goes_on(struct check_work *w, const struct check_trial *t)
{
	lt__check_ask_all(w);
	return lt__check_one_run(w, t, 0xFF, 0xFF, 1);
}

/* A copy lives as long as its object, and is closed.  Then another one in the same session, while the first stays
 * closed. */
bool lt__check_memory_trees(struct check_work *w, const struct check_trial *t)
{
	struct copies c[2] = { { .tree = NULL }, { .tree = NULL } };
	bool good = true;
	for (int i = 0; good && i < 2; i++) {
		good = copies_make(w, true, &c[i]) && lt__check_twin_run(w, c[i].tree, t);
		lt__check_pages_close(&c[i].pages);
		good = good && goes_on(w, t);
	}
	lt__check_pages_free(&c[0].pages);
	lt__check_pages_free(&c[1].pages);
	return good;
}

/* A copy is shown, closed, and never seen again; then the tree that stayed is shown and compiled. */
bool lt__check_accepts_forgets(struct check_work *w, const struct check_trial *t)
{
	struct copies c = { .tree = NULL };
	bool good = copies_make(w, false, &c) && trees_show(w, c.tree);
	lt__check_pages_close(&c.pages);
	good = good && goes_on(w, t) && trees_show(w, NULL) && lt__check_twin_run(w, NULL, t);
	lt__check_pages_free(&c.pages);
	return good;
}

/* Trees that are taken and one whose operators nobody knows, all at once: each gets the answer that it gets alone,
 * with a reason of its own.  They are copies that are closed then, and what was answered for is compiled. */
bool lt__check_accepts_all(struct check_work *w, const struct check_trial *t)
{
	enum { N = 3 };
	const struct check_device *d = w->device;
	struct copies c = { .tree = NULL };
	const struct lt_tree *tree[N];
	struct check_diagnostics diags[N];
	struct lt_diag *diag[N];
	lt_status verdict[N], alone[N];
	bool good = copies_make(w, false, &c);
	struct lt_tree strange = good ? *c.tree[lt__check_nest(w)] : (struct lt_tree){ 0 };
	struct lt_op *ops = good ? lt__check_pages_take(&c.pages, strange.ops.at, strange.ops.n * strange.ops.stride) : NULL;
	for (uint32_t i = 0; ops && i < strange.ops.n; i++) {
		struct lt_op *op = (struct lt_op *)(void *)((char *)ops + i * strange.ops.stride);
		op->name = "an_operator_of_tomorrow";
		op->source = "no expression";
		op->opcode = LT_OPCODE_TEXT;
	}
	strange.ops.at = ops;
	strange.text = "a tree whose operators are no expressions";
	for (int i = 0; i < N && ops; i++) {
		struct check_diagnostics one = lt__check_listen();
		tree[i] = i == 1 ? &strange : c.tree[lt__check_nest(w)];
		diags[i] = lt__check_listen();
		diag[i] = &diags[i].diag;
		verdict[i] = LT_ECANCELLED;
		alone[i] = d->backend->accepts(d->session, tree[i], &one.diag);
	}
	lt_status status = ops ? d->backend->accepts_all(d->session, tree, N, verdict, diag) : LT_OK;
	if (ops && status)
		good = lt__check_fail(w->out, "accepts_all answers %s", lt_status_name(status));
	for (int i = 0; i < N && ops && good; i++) {
		if (verdict[i] != alone[i])
			good = lt__check_fail(w->out, "accepts_all answers %s for tree %d of %d, and accepts %s", lt_status_name(verdict[i]),
				i, N, lt_status_name(alone[i]));
		else if (verdict[i] && !diags[i].text[0])
			good = lt__check_fail(w->out, "accepts_all refuses tree %d of %d, and says nothing to its diag", i, N);
		else if (!verdict[i] && diags[i].text[0])
			good = lt__check_fail(w->out, "accepts_all takes tree %d of %d, and its diag hears: %s", i, N, diags[i].text);
	}
	lt__check_pages_close(&c.pages);
	good = good && goes_on(w, t) && trees_show(w, NULL) && lt__check_twin_run(w, NULL, t);
	lt__check_pages_free(&c.pages);
	return good;
}

/* -- another tree at the same address -- */

static bool take_turns(struct check_work *w, bool compile_first, struct check_outcome *out)
{
	struct copies c = { .tree = NULL };
	bool good = true;
	for (int i = 0; good && i < 4; i++) {           /* add, sub, add, sub */
		struct check_work *x = &w[i % 2];
		struct check_trial t = { 0 };
		good = lt__check_trial_new(x, 0, x->seed, &t) && copies_make(x, compile_first, &c)
			&& (compile_first || trees_show(x, c.tree))
			&& ((!compile_first && i % 2 == 0) || lt__check_twin_run(x, c.tree, &t));
		lt__check_pages_close(&c.pages);
		lt__check_trial_free(x, &t);
		if (!good && x->out->status == CHECK_FAILED)
			(void)lt__check_fail(out, "a tree at an address where another one was that is gone (%s): %s", compile_first ?
				"its object was destroyed" : "it was only shown to accepts", x->out->text);
	}
	lt__check_pages_free(&c.pages);
	return good;
}

static bool same_address(struct check_device *d, bool compile_first, struct check_outcome *out)
{
	static const unsigned pair[2] = { CHECK_S_ADD, CHECK_S_SUB };
	struct check_outcome mine[2] = { { 0 } };
	struct check_work w[2] = { { 0 } };
	bool good = true;
	for (int i = 0; i < 2; i++)
		good = good && lt__check_work_open(&w[i], d, lt__check_sample(pair[i]), d->seed + (uint64_t)i, &mine[i])
			&& lt__check_work_compile(&w[i]);
	if (good)
		(void)take_turns(w, compile_first, out);
	lt__check_work_close(&w[0]);
	lt__check_work_close(&w[1]);
	return !out->done;
}

/* First where no other tree has been. */
bool lt__check_memory_same_address(struct check_device *d, struct check_outcome *out)
{
	return same_address(d, true, out);
}
bool lt__check_accepts_same_address(struct check_device *d, struct check_outcome *out)
{
	return same_address(d, false, out);
}
