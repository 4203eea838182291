/* Saying why: which backend takes which kernel, what the others refused it for, and what it decided. */
#include <stdlib.h>
#include <string.h>
#include "base/names.h"
#include "ir/op/op.h"
#include "program/nest/nest.h"
#include "program/explain/parts.h"

/* Texts of any length, without memory of its own. */
static void explain_text(lt_write *write, void *user, const char *text) { write(user, text, strlen(text)); }

/* " (FILE:LINE:COLUMN)"; line 0: nothing. */
static void explain_position(int32_t line, int32_t column, const char *file, lt_write *write, void *user)
{
	char text[64];
	if (line <= 0)
		return;
	explain_text(write, user, " (");
	explain_text(write, user, file ? file : "line");
	(void)snprintf(text, sizeof text, "%c%d:%d%s)", file ? ':' : ' ', (int)line, (int)column,
		file ? "" : " of its script");
	explain_text(write, user, text);
}

static void print_refusal(const struct lt_refusal *r, lt_write *write, void *user)
{
	const char *const words[] = { "  ", r->backend, " refuses it", r->node ? " at %" : "", r->node ? r->node : "" };
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		explain_text(write, user, words[i]);
	explain_position(r->node ? r->line : 0, r->column, r->file, write, user);
	if (r->loop) {
		explain_text(write, user, ", loop ");
		explain_text(write, user, r->loop);
	}
	explain_text(write, user, ": ");
	explain_text(write, user, r->text);
	explain_text(write, user, "\n");
	if (r->remedy) {
		explain_text(write, user, "    nearest change: ");
		explain_text(write, user, r->remedy);
		explain_text(write, user, "\n");
	}
}

static void print_decided(const struct lt_decided *d, lt_write *write, void *user)
{
	explain_text(write, user, "  ");
	if (d->loop) {
		explain_text(write, user, "loop ");
		explain_text(write, user, d->loop);
	}
	if (d->node) {
		explain_text(write, user, d->loop ? ", %" : "%");
		explain_text(write, user, d->node);
	}
	explain_position(d->node ? d->line : 0, d->column, d->file, write, user);
	explain_text(write, user, d->loop || d->node ? ": " : "");
	explain_text(write, user, d->text);
	explain_text(write, user, "\n");
}

void lt_explained_print(const struct lt_explained *e, lt_write *write, void *user)
{
	explain_text(write, user, e->kernel);
	explain_text(write, user, e->backend ? " -> " : " -> none");
	explain_text(write, user, e->backend ? e->backend : "");
	if (e->same_as) {
		explain_text(write, user, " (the code of ");
		explain_text(write, user, e->same_as);
		explain_text(write, user, ")");
	}
	if (e->size > offsetof(struct lt_explained, n_block) && e->n_block >= 0) {
		char text[120];
		(void)snprintf(text, sizeof text,
			" (a copy of more than %d pieces: by the program, %d block%s, no code)", (int)LT_MAX_PIECES,
			(int)e->n_block, e->n_block == 1 ? "" : "s");
		explain_text(write, user, text);
	}
	explain_text(write, user, "\n");
	for (uint32_t i = 0; i < e->n_refusal; i++)
		print_refusal(&e->refusal[i], write, user);
	for (uint32_t i = 0; e->size > offsetof(struct lt_explained, n_decided) && i < e->n_decided; i++)
		print_decided(&e->decided[i], write, user);
}

static void explain_keep(void *user, const char *text, size_t bytes) { lt__text_add(user, text, bytes); }

/* One line of LT_DUMP_DECISIONS; what it names may be nothing of the tree. */
static struct lt_decided decided_of(
	const struct lt_program *p, const struct lt_frozen *f, const char *line, size_t bytes, struct lt_arena *a)
{
	struct lt_decided d = { .size = sizeof d };
	char *text = lt__arena_format(a, "%.*s", (int)bytes, line), *at = text;
	long loop = strtol(at, &at, 10), stmt = strtol(at, &at, 10);
	(void)strtol(at, &at, 10);
	d.text = at + strspn(at, " ");
	if (loop >= 0 && loop < f->tree.n_loop)
		d.loop = LT_AT(struct lt_loop, f->tree.loops, loop)->var;
	if (stmt < 0 || stmt >= (long)f->tree.stmts.n)
		return d;
	const struct lt_nodedef *n = &p->tree->graph->node[f->node[stmt]];
	d.node = n->name;
	d.line = n->line;
	d.column = n->column;
	d.file = n->line > 0 ? p->tree->graph->file : NULL;
	return d;
}

/* What the backend of a kernel decided; of one that says nothing: none. */
static uint32_t find_decided(
	const struct lt_program *p, const struct lt_built *k, struct lt_arena *a, const struct lt_decided **out)
{
	const struct lt_backend *b = p->backends.at[k->opened].backend;
	struct lt_text x = { .arena = a };
	lt_status st = LT_EUNSUPPORTED;
	uint32_t n = 0;
	if (!k->object || !LT_HAS(struct lt_backend, b, dump))
		return 0;
	lt__lock_take(p->backends.at[k->opened].lock);
	st = b->dump(k->object, LT_DUMP_DECISIONS, explain_keep, &x);
	lt__lock_give(p->backends.at[k->opened].lock);
	if (st == LT_ENOMEM)
		lt__arena_refuse(a, "what the backend decided could not be kept");
	if (st || !x.n)
		return 0;
	for (size_t i = 0; i < x.n; i++)
		n += x.at[i] == '\n';
	struct lt_decided *all = LT_NEW(a, struct lt_decided, n + 1);
	n = 0;
	for (const char *at = x.at, *end; (end = memchr(at, '\n', (size_t)(x.at + x.n - at))); at = end + 1)
		all[n++] = decided_of(p, k->frozen, at, (size_t)(end - at), a);
	*out = all;
	return n;
}

/* Why the default tree has the nest as it is, then what the backend says. */
static uint32_t add_reasons(const struct lt_program *p, const struct lt_frozen *f, struct lt_arena *a, uint32_t n,
	const struct lt_decided **decided)
{
	const struct lt_looptree *t = p->tree;
	struct lt_decided *all = LT_NEW(a, struct lt_decided, (int64_t)n + t->n_note + 1);
	uint32_t count = 0;
	for (int32_t i = 0; i < t->n_note; i++) {
		const struct lt_nodedef *d = &t->graph->node[t->note[i].node];
		if (t->leaf_of[t->note[i].node] >= 0 && lt__root_of(t, t->leaf_of[t->note[i].node]) == f->root)
			all[count++] = (struct lt_decided){ .size = sizeof *all, .text = t->note[i].text, .node = d->name,
				.line = d->line, .column = d->column, .file = d->line > 0 ? t->graph->file : NULL };
	}
	for (uint32_t i = 0; i < n; i++)
		all[count++] = (*decided)[i];
	*decided = all;
	return count;
}

/* -- copies that calls read -- */

struct decided_list { struct lt_arena *a; struct lt_decided *at; int32_t n, cap; };

/* A value that a tree has beside those of its graph. */
static bool is_derived(const struct lt_looptree *t, lt_node n)
{
	const char *name = t->graph->node[n].name;
	return lt__names_find(t->base->node_names, name, strlen(name)) < 0;
}

/* once: before the first run. */
static void add_copy(struct decided_list *list, const struct lt_looptree *t, lt_node n, const char *routine, bool once)
{
	const struct lt_nodedef *d = &t->graph->node[n];
	int64_t bytes = (int64_t)lt__dtype_info(d->dtype)->bytes;
	lt_node of = d->operand[0];
	while (is_derived(t, of) && t->graph->node[of].n_operand > 0)
		of = t->graph->node[of].operand[0];
	for (int32_t i = 0; i < d->n_dim; i++)
		bytes *= t->graph->var[d->dim[i]].extent;
	for (int32_t i = 0; i < list->n; i++)
		if (list->at[i].node == d->name)
			return;
	LT_GROW(list->a, list->at, list->n, list->cap);
	list->at[list->n++] = (struct lt_decided){ .size = sizeof *list->at, .node = d->name, .line = d->line,
		.column = d->column, .file = d->line > 0 ? t->graph->file : NULL,
		.text = lt__arena_format(list->a, "a copy of %%%s for the call of %s: %lld bytes, made %s",
			t->graph->node[of].name, routine, (long long)bytes, once ? "once" : "in each run") };
}

/* Copies that calls of the nest read, made by kernels before it, behind what is decided. */
static uint32_t add_copies(const struct lt_program *p, const struct lt_frozen *f, struct lt_arena *a, uint32_t n,
	const struct lt_decided **decided)
{
	const struct lt_looptree *t = p->tree;
	struct decided_list list = { .a = a };
	for (uint32_t i = 0; i < n; i++) {
		LT_GROW(a, list.at, list.n, list.cap);
		list.at[list.n++] = (*decided)[i];
	}
	for (uint32_t c = 0; c < f->tree.calls.n; c++) {
		const lt_tnode call = f->call[c].at;
		for (lt_tnode in = lt_looptree_after(t, call); in >= 0 && lt__is_above(t, call, in); in = lt_looptree_after(t, in)) {
			const struct lt_leaf *leaf = t->node[in].kind == LT_TLEAF ? t->leaf[t->node[in].leaf] : NULL;
			for (int32_t r = 0; leaf && r < leaf->n_read; r++)
				for (int32_t k = 0; k < leaf->read[r].n_piece; k++) {
					const lt_node of = leaf->read[r].piece[k].base;
					if (of >= 0 && t->graph->node[of].op == LT_OP_copy && is_derived(t, of) && t->leaf_of[of] >= 0
						&& lt__root_of(t, t->leaf_of[of]) != f->root)
						add_copy(&list, t, of, t->node[call].call, p->nests.assigned.early[of]);
				}
		}
	}
	*decided = list.at;
	return (uint32_t)list.n;
}

uint32_t lt__kernel_nodes(
	const struct lt_program *p, struct lt_arena *a, const struct lt_frozen *f, const struct lt_kernel_node **out)
{
	const struct lt_looptree *t = p->tree;
	const struct lt_graph *g = t->graph;
	struct lt_kernel_node *node = LT_NEW(a, struct lt_kernel_node, (int64_t)f->tree.stmts.n + 1);
	uint32_t n = 0;
	for (uint32_t i = 0; i < f->tree.stmts.n; i++) {
		const struct lt_nodedef *d = f->node[i] < 0 ? NULL : &g->node[f->node[i]];
		bool known = !d;
		for (uint32_t k = n; k-- > 0 && !known; )
			known = node[k].name == d->name;
		if (known)
			continue;
		node[n++] = (struct lt_kernel_node){ .size = sizeof *node, .name = d->name, .op = lt__op_info(d->op)->name,
			.part = lt__part_name(g, d->line), .file = d->line > 0 ? g->file : NULL,
			.line = d->line > 0 ? d->line : 0, .column = d->line > 0 ? d->column : 0,
			.derived = is_derived(t, f->node[i]) };
	}
	*out = node;
	return n;
}

void lt__explain_each(
	const struct lt_program *p, struct lt_arena *a, void (*say)(void *, const struct lt_explained *), void *user)
{
	for (int32_t i = 0; i < p->nests.n; i++) {
		const struct lt_refusals *list = &p->nests.refused[i];
		const struct lt_frozen *code = p->kernels.of && p->kernels.of[i] >= 0
			? p->kernels.at[p->kernels.of[i]].frozen
			: &p->nests.frozen[i];
		struct lt_refusal *all = LT_NEW(a, struct lt_refusal, list->n + 1);
		for (int32_t k = 0; k < list->n; k++)
			all[k] = *list->at[k];
		const struct lt_decided *decided = NULL;
		uint32_t n_decided = p->kernels.of && p->kernels.of[i] >= 0 && code == &p->nests.frozen[i] && !p->nests.blocks[i]
			? find_decided(p, &p->kernels.at[p->kernels.of[i]], a, &decided) : 0;
		n_decided = add_reasons(p, &p->nests.frozen[i], a, n_decided, &decided);
		n_decided = add_copies(p, &p->nests.frozen[i], a, n_decided, &decided);
		const struct lt_kernel_node *node;
		const uint32_t n_node = lt__kernel_nodes(p, a, &p->nests.frozen[i], &node);
		const struct lt_explained e = { .size = sizeof e,
			.root = p->nests.frozen[i].root,
			.node = node,
			.n_node = n_node,
			.kernel = p->nests.frozen[i].tree.name,
			.backend = p->nests.blocks[i] ? "host"
				: p->nests.opened_of[i] < 0 || !p->backends.n
				? NULL
				: p->backends.at[p->nests.opened_of[i]].backend->name,
			.n_block = p->nests.blocks[i] ? p->nests.blocks[i]->n : -1,
			.same_as = code != &p->nests.frozen[i] ? code->tree.name : NULL,
			.refusal = all,
			.n_refusal = (uint32_t)list->n,
			.decided = decided,
			.n_decided = n_decided };
		say(user, &e);
	}
}

/* -- by number -- */

static lt_status no_kernel(const struct lt_program *p, int32_t i)
{
	return lt_fail(p->ctx, LT_EINVAL, "there is no kernel %d; the program has %d", (int)i, (int)p->nests.n);
}

int32_t lt_program_kernels(const struct lt_program *p) { return p->nests.n; }

struct explained_list { struct lt_program *p; struct lt_explained *at; int32_t n; };

static void explained_keep(void *user, const struct lt_explained *e)
{
	struct explained_list *l = user;
	l->at[l->n++] = *e;
}

static lt_status explained_body(void *arg)
{
	struct explained_list *l = arg;
	l->at = LT_NEW(l->p->explained_arena, struct lt_explained, l->p->nests.n + 1);
	lt__explain_each(l->p, l->p->explained_arena, explained_keep, l);
	l->p->explained = l->at;
	return LT_OK;
}

lt_status lt_program_explained(struct lt_program *p, int32_t i, const struct lt_explained **out)
{
	struct explained_list l = { .p = p };
	*out = NULL;
	if (i < 0 || i >= p->nests.n)
		return no_kernel(p, i);
	if (!p->explained_arena)
		LT_TRY(lt__arena_new(p->ctx, &p->explained_arena));
	if (!p->explained)
		LT_TRY(lt__protect(p->ctx, explained_body, &l));
	*out = &p->explained[i];
	return LT_OK;
}
