/* What a device makes of a tree: grids, memories and barriers, as facts for its text.
 *
 * Barriers are in the frozen trees.  The rest a backend says of each object (LT_DUMP_LOCATIONS); where a program was
 * only planned, its grids are made for this, as text.
 */
#include <stdlib.h>
#include <string.h>
#include "program/explain/parts.h"

struct locating { const struct lt_program *p; struct lt_arena *a; struct lt_treecomments *out; };

/* Adds a text to those of a line, each once. */
static void locate_comment(struct locating *x, const char **list, lt_tnode at, const char *text)
{
	const char *was = at < 0 ? "" : list[at];
	size_t bytes = strlen(text);
	if (at < 0)
		return;
	for (const char *one = was; one; one = strchr(one, '\n'), one += one ? 1 : 0)
		if (strncmp(one, text, bytes) == 0 && (one[bytes] == '\n' || !one[bytes]))
			return;
	list[at] = was ? lt__arena_format(x->a, "%s\n%s", was, text) : text;
}

/* -- barriers -- */

/* The statement that comes next in the same loop; -1. */
static int32_t next_work(const struct lt_tree *t, int32_t stmt)
{
	const int32_t loop = LT_AT(struct lt_stmt, t->stmts, stmt)->loop;
	int32_t end = (int32_t)t->stmts.n;
	if (loop >= 0)
		end = LT_AT(struct lt_loop, t->loops, loop)->first_stmt + LT_AT(struct lt_loop, t->loops, loop)->n_stmt;
	for (int32_t s = stmt + 1; s < end; s++)
		if (LT_AT(struct lt_stmt, t->stmts, s)->kind < LT_BARRIER)
			return s;
	return -1;
}

/* The line of the tree that a statement, or the loop around it that is directly in `in`, belongs to. */
static lt_tnode line_of(const struct locating *x, const struct lt_frozen *f, int32_t stmt, int32_t in)
{
	const struct lt_looptree *t = x->p->tree;
	const struct lt_stmt *s = LT_AT(struct lt_stmt, f->tree.stmts, stmt);
	lt_tnode at = -1, inside = in < 0 ? -1 : f->line[in].at;
	for (int32_t l = s->loop; l != in && l >= 0; l = LT_AT(struct lt_loop, f->tree.loops, l)->parent)
		at = f->line[l].at;
	if (at < 0 || s->kind == LT_RESET || s->kind == LT_COMBINE)
		at = s->kind == LT_RESET || s->kind == LT_COMBINE ? lt__reducing_loop(t, f->node[stmt]) : t->leaf_of[f->node[stmt]];
	while (at >= 0 && t->node[at].parent >= 0 && t->node[at].parent != inside && (inside < 0 || at != inside))
		at = t->node[at].parent;
	return at;
}

static void locate_barriers(struct locating *x, const struct lt_frozen *f)
{
	for (int32_t i = 0; i < (int32_t)f->tree.stmts.n; i++) {
		const struct lt_stmt *s = LT_AT(struct lt_stmt, f->tree.stmts, i);
		if (s->kind < LT_BARRIER)
			continue;
		int32_t next = next_work(&f->tree, i);
		lt_tnode at = next < 0 ? -1 : line_of(x, f, next, s->loop);
		const char *text = s->kind == LT_BARRIER ? "barrier" : s->kind == LT_COMMIT ? "commit: the copies so far are a group"
			: lt__arena_format(x->a, "wait for all copies except those of %d group%s", (int)s->async,
				s->async == 1 ? "" : "s");
		if (next >= 0 && LT_AT(struct lt_stmt, f->tree.stmts, next)->kind == LT_COMBINE)
			locate_comment(x, x->out->on, at, lt__arena_format(x->a, "%s behind it", text));
		else
			locate_comment(x, x->out->before, at, text);
	}
}

/* -- what the backend says -- */

static void locate_keep(void *user, const char *text, size_t bytes) { lt__text_add(user, text, bytes); }

/* The line of the tree that writes a local. */
static lt_tnode writer_of(const struct locating *x, const struct lt_frozen *f, int32_t buffer, const char **name)
{
	for (uint32_t i = 0; i < f->tree.stmts.n; i++) {
		const struct lt_stmt *s = LT_AT(struct lt_stmt, f->tree.stmts, i);
		if (s->dest < 0 || LT_AT(struct lt_access, f->tree.accesses, s->dest)->buffer != buffer)
			continue;
		*name = x->p->tree->graph->node[f->node[i]].name;
		return x->p->tree->leaf_of[f->node[i]];
	}
	return -1;
}

/* "-1 -1 5 t shared memory, 4096 bytes"; what it names may be nothing of the tree. */
static void locate_line(struct locating *x, const struct lt_frozen *f, const char *line, size_t bytes)
{
	char *text = lt__arena_format(x->a, "%.*s", (int)bytes, line), *at = text;
	long loop = strtol(at, &at, 10), stmt = strtol(at, &at, 10), buffer = strtol(at, &at, 10);
	const char *name = "";
	at += strspn(at, " ");
	if (loop >= 0 && loop < f->tree.n_loop) {
		locate_comment(x, x->out->on, f->line[loop].at, at);
	} else if (stmt >= 0 && stmt < (long)f->tree.stmts.n) {
		locate_comment(x, x->out->on, x->p->tree->leaf_of[f->node[stmt]], at);
	} else if (buffer >= 0 && buffer < (long)f->tree.buffers.n) {
		lt_tnode leaf = writer_of(x, f, (int32_t)buffer, &name);
		size_t n = strcspn(at, " "), same = strlen(name);
		const char *where = at + n + strspn(at + n, " ");
		locate_comment(x, x->out->on, leaf, n == same && strncmp(at, name, n) == 0 ? where
			: lt__arena_format(x->a, "lanes in %s", where));
	}
}

/* Whole values of a nest that has grids. */
static void locate_global(struct locating *x, const struct lt_frozen *f)
{
	for (uint32_t i = 0; i < f->tree.stmts.n; i++) {
		const struct lt_stmt *s = LT_AT(struct lt_stmt, f->tree.stmts, i);
		if (s->dest >= 0 && LT_AT(struct lt_buffer, f->tree.buffers,
				LT_AT(struct lt_access, f->tree.accesses, s->dest)->buffer)->role != LT_LOCAL)
			locate_comment(x, x->out->on, x->p->tree->leaf_of[f->node[i]], "global memory");
	}
}

/* The object of a kernel, made for this if the program was only planned: *made. */
static lt_status locate_object(const struct lt_program *p, const struct lt_built *k, struct lt_object **out, bool *made)
{
	const struct lt_opened *o = &p->backends.at[k->opened];
	const struct lt_tree *tree = &k->frozen->tree;
	struct lt_diagnostics diags;
	*out = k->object;
	*made = !k->object;
	if (k->object)
		return LT_OK;
	lt__diagnostics_init(&diags);
	lt_status st = o->backend->compile(o->session, &tree, 1, out, &diags.diag);
	return st ? lt_fail(p->ctx, st, "backend %s: %-s", o->backend->name,
		lt__diagnostic_reason(&diags, st, o->backend->name, "compile")) : LT_OK;
}

/* What the backend says of a kernel; nothing of one that knows no grids. */
static lt_status locate_ask(const struct locating *x, const struct lt_built *k, struct lt_text *message)
{
	const struct lt_opened *o = &x->p->backends.at[k->opened];
	const struct lt_caps *caps = o->backend->caps(o->session);
	struct lt_object *object;
	bool made;
	if (!LT_HAS(struct lt_backend, o->backend, dump) || !(caps->loops & 1u << LT_GRID))
		return LT_OK;
	lt__lock_take(o->lock);
	lt_status st = locate_object(x->p, k, &object, &made), asked = LT_OK;
	if (!st)
		asked = o->backend->dump(object, LT_DUMP_LOCATIONS, locate_keep, message);
	if (!st && made)
		o->backend->destroy(object);
	lt__lock_give(o->lock);
	if (asked)
		message->n = 0;
	return st ? st : asked == LT_ENOMEM ? lt_fail(x->p->ctx, LT_ENOMEM, "out of memory") : LT_OK;
}

lt_status lt__find_locations(const struct lt_program *p, struct lt_arena *a, struct lt_treecomments *out)
{
	struct locating x = { p, a, out };
	struct lt_text *message = LT_NEW(a, struct lt_text, p->kernels.n + 1);
	out->before = LT_NEW(a, const char *, p->tree->n_node + 1);
	out->on = LT_NEW(a, const char *, p->tree->n_node + 1);
	for (int32_t i = 0; i < p->kernels.n; i++) {
		message[i].arena = a;
		LT_TRY(locate_ask(&x, &p->kernels.at[i], &message[i]));
	}
	for (int32_t i = 0; i < p->nests.n; i++) {
		const struct lt_frozen *f = &p->nests.frozen[i];
		const struct lt_text *s = p->kernels.of && p->kernels.of[i] >= 0 ? &message[p->kernels.of[i]] : NULL;
		if (s && s->n) {
			locate_comment(&x, out->on, f->root, lt__arena_format(a, "kernel %s", f->tree.name));
			for (const char *at = s->at, *end; (end = memchr(at, '\n', (size_t)(s->at + s->n - at))); at = end + 1)
				locate_line(&x, f, at, (size_t)(end - at));
			locate_global(&x, f);
		}
		locate_barriers(&x, f);
	}
	return LT_OK;
}
