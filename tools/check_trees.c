/* tools/check_trees.c -- how long a backend may look at a tree: one that was shown to accepts, until that call ends; one that was compiled,
 * until its object is destroyed.  And it never writes to one.
 *
 * Trees are copied to pages that cannot be written to, and that are closed when the tree is gone: who looks at it then crashes.  Then another
 * tree stands at the same address: who knows trees by their addresses gives the values of the first.
 */
#include <stdlib.h>
#include "tools/check_parts.h"

/* A copy of the tree of each kernel, in pages: only where there is an object. */
struct copies { struct check_pages pages; const struct lt_tree **tree; int32_t n; };

static bool copies_make(struct check_work *w, bool seal, struct copies *c)
{
	if (!c->pages.at && !lt__check_pages_new(&c->pages))
		return lt__check_end(w->out, CHECK_FAILED, "there is no memory for a copy of its trees");
	lt__check_pages_open(&c->pages);
	c->n = w->p->nests.n;
	c->tree = lt__check_pages_take(&c->pages, NULL, (size_t)(c->n + 1) * sizeof *c->tree);
	for (int32_t i = 0; c->tree && i < c->n; i++)
		c->tree[i] = w->object[i] ? lt__check_pages_tree(&c->pages, &w->p->nests.frozen[i].tree) : NULL;
	if (!c->tree || c->pages.full)
		return lt__check_end(w->out, CHECK_FAILED, "there is no memory for a copy of its trees");
	if (seal)
		lt__check_pages_seal(&c->pages);
	return true;
}

static bool trees_show(struct check_work *w, const struct copies *c)
{
	struct check_diagnostics told;
	lt__check_diagnostics_init(&told);
	for (int32_t i = 0; i < c->n; i++)
		if (c->tree[i] && w->device->backend->accepts(w->device->session, c->tree[i], &told.diag))
			return lt__check_end(w->out, CHECK_FAILED, "accepts took the tree of kernel %s, and refuses a copy of it: %s", c->tree[i]->name,
				told.text);
	return true;
}

/* Objects of the copies in the place of w's, which are kept. */
static bool compile_copies(struct check_work *w, const struct copies *c, struct lt_object **kept)
{
	const struct lt_tree **tree = calloc((size_t)c->n + 1, sizeof *tree);
	struct lt_object **object = calloc((size_t)c->n + 1, sizeof *object);
	struct check_diagnostics told;
	uint32_t n = 0;
	bool good = tree && object;
	for (int32_t i = 0; good && i < c->n; i++) {
		kept[i] = w->object[i];
		w->object[i] = NULL;
		if (c->tree[i])
			tree[n++] = c->tree[i];
	}
	lt__check_diagnostics_init(&told);
	lt_status st = good ? w->device->backend->compile(w->device->session, tree, n, object, &told.diag) : LT_ENOMEM;
	n = 0;
	for (int32_t i = 0; good && !st && i < c->n; i++)
		if (c->tree[i])
			w->object[i] = object[n++];
	free(tree);
	free(object);
	return !st || lt__check_end(w->out, CHECK_FAILED, "compile of a copy of trees that compiled before: %s: %s", lt_status_name(st), told.text);
}

static void destroy_copies(struct check_work *w, const struct copies *c, struct lt_object **kept)
{
	for (int32_t i = 0; i < c->n; i++) {
		if (w->object[i])
			w->device->backend->destroy(w->object[i]);
		w->object[i] = kept[i];
		kept[i] = NULL;
	}
}

static void drop(void *user, const char *text, size_t bytes) { (void)user, (void)text, (void)bytes; }

/* What a session that looks back would look at; and an object of another tree runs as it did. */
static bool goes_on(struct check_work *w, const struct check_trial *t)
{
	const struct lt_backend *b = w->device->backend;
	struct check_diagnostics told;
	if (LT_HAS(struct lt_backend, b, describe))
		b->describe(w->device->session, drop, NULL);
	lt__check_diagnostics_init(&told);
	if (LT_HAS(struct lt_backend, b, identity))
		(void)b->identity(w->device->session, drop, NULL, &told.diag);
	if (LT_HAS(struct lt_backend, b, dump))
		(void)b->dump(w->object[lt__check_nest(w)], LT_DUMP_SOURCE, drop, NULL);
	return lt__check_one_run(w, t, 0xFF, 0xFF, 1);
}

/* A copy lives as long as its object: compiled, run, dumped, destroyed, closed.  Then the tree itself once more, in the same session. */
static bool compiled(struct check_work *w)
{
	struct copies c = { .tree = NULL }, more = { .tree = NULL };
	struct lt_object **kept = calloc((size_t)w->p->nests.n + 1, sizeof *kept);
	struct check_trial t;
	bool good = lt__check_trial_new(w, 0, w->seed, &t) && kept && copies_make(w, true, &c);
	for (int round = 0; good && round < 2; round++) {
		struct copies *now = round ? &more : &c;
		good = (round == 0 || copies_make(w, true, now)) && compile_copies(w, now, kept) && goes_on(w, &t);
		destroy_copies(w, now, kept);
		lt__check_pages_close(&now->pages);
		good = good && goes_on(w, &t);
	}
	lt__check_pages_free(&c.pages);
	lt__check_pages_free(&more.pages);
	lt__check_trial_free(w, &t);
	free(kept);
	return good;
}

/* A copy is shown, closed, and never seen again; then the tree that stayed is shown and compiled. */
static bool trees_shown(struct check_work *w)
{
	struct copies c = { .tree = NULL };
	struct lt_object **kept = calloc((size_t)w->p->nests.n + 1, sizeof *kept);
	struct check_trial t;
	bool good = lt__check_trial_new(w, 0, w->seed, &t) && kept && copies_make(w, false, &c) && trees_show(w, &c);
	if (good) {
		struct copies stayed = { .tree = calloc((size_t)c.n + 1, sizeof *stayed.tree), .n = c.n };
		for (int32_t i = 0; stayed.tree && i < c.n; i++)
			stayed.tree[i] = c.tree[i] ? &w->p->nests.frozen[i].tree : NULL;
		lt__check_pages_close(&c.pages);
		good = stayed.tree && goes_on(w, &t) && trees_show(w, &stayed) && compile_copies(w, &stayed, kept) && goes_on(w, &t);
		destroy_copies(w, &stayed, kept);
		free(stayed.tree);
	}
	lt__check_pages_free(&c.pages);
	lt__check_trial_free(w, &t);
	free(kept);
	return good;
}

/* -- another tree at the same address -- */

static const struct check_case pair[2] = {
	{ .name = "add", .group = CHECK_op, .spec = { .op = LT_OP_add, .dtype = LT_F32, .shape = CHECK_PRIME } },
	{ .name = "sub", .group = CHECK_op, .spec = { .op = LT_OP_sub, .dtype = LT_F32, .shape = CHECK_PRIME } },
};

static bool take_turns(struct check_work *w, bool compile_first, struct check_outcome *out)
{
	struct copies c = { .tree = NULL };
	struct lt_object *kept[2][64] = { { NULL } };
	bool good = true;
	for (int i = 0; good && i < 4; i++) {           /* add, sub, add, sub */
		struct check_work *x = &w[i % 2];
		struct check_trial t;
		bool compiles = compile_first || i % 2;
		good = lt__check_trial_new(x, 0, x->seed, &t) && x->p->nests.n < 64 && copies_make(x, compile_first, &c) && (compile_first || trees_show(x, &c))
			&& (!compiles || compile_copies(x, &c, kept[i % 2])) && (!compiles || lt__check_one_run(x, &t, 0xFF, 0xFF, 1));
		if (compiles && c.tree)
			destroy_copies(x, &c, kept[i % 2]);
		lt__check_pages_close(&c.pages);
		lt__check_trial_free(x, &t);
		if (!good && x->out->status == CHECK_FAILED)
			(void)lt__check_end(out, CHECK_FAILED, "a tree at an address where another one was that is gone (%s): %s", compile_first
				? "its object was destroyed" : "it was only shown to accepts", x->out->text);
	}
	lt__check_pages_free(&c.pages);
	return good;
}

static void same_address(struct check_device *d, const struct check_case *clause, bool compile_first, struct check_outcome *out)
{
	static const struct check_tree tree = { .kind = CHECK_DEFAULT };
	struct check_outcome mine[2] = { { 0 } };
	struct check_work w[2] = { { 0 } };
	bool good = true;
	for (int i = 0; i < 2; i++) {
		struct check_work *one = &w[i];
		w[i] = (struct check_work){ .device = d, .out = &mine[i], .seed = clause->seed + (uint64_t)i };
		good = good && !lt_context_new(&w[i].ctx) && !lt__check_graph(w[i].ctx, &pair[i], &w[i].g) && lt__check_prepare(&w[i], &tree)
			&& lt__check_compile(&one, 1);
	}
	if (good)
		(void)take_turns(w, compile_first, out);
	for (int i = 0; i < 2; i++) {
		lt__check_work_free(&w[i]);
		lt_graph_free(w[i].g);
		lt_context_free(w[i].ctx);
	}
}

/* First where no other tree has been. */
void lt__check_memory_trees(struct check_device *d, const struct check_case *c, struct check_outcome *out)
{
	same_address(d, c, true, out);
	if (!out->done)
		lt__check_samples(d, c, out, CHECK_S_ALL, compiled);
}

void lt__check_accepts_forgets(struct check_device *d, const struct check_case *c, struct check_outcome *out)
{
	same_address(d, c, false, out);
	if (!out->done)
		lt__check_samples(d, c, out, CHECK_S_ALL, trees_shown);
}
