/* own.c -- which calls of a graph are done by kernels of the user's own, and their texts. */
#include <string.h>
#include "program/own/own.h"

struct own_find {
	const struct lt_graph *g;
	struct lt_arena *a;
	const struct lt_options *o;
	struct lt_ownfolder folder;
	const char **text;              /* by operation: its text; NULL: not read yet */
	struct lt_ownhead *head;
	const char *said;               /* the last sentence */
};

/* Without its domain. */
static const char *stem(const char *name)
{
	const char *slash = strrchr(name, '/');
	return slash ? slash + 1 : name;
}

static lt_status read_kernel(struct own_find *f, int32_t i, const char *path)
{
	if (f->text[i])
		return LT_OK;
	LT_TRY(lt__own_text(f->g->ctx, f->a, path, &f->text[i]));
	return lt__own_head(f->g->ctx, path, f->text[i], stem(f->folder.name[i]), &f->head[i]);
}

/* Why the kernel cannot be handed a tensor of the call; NULL. */
static const char *unfit(const struct own_find *f, const struct lt_ownhead *head, const struct lt_owncall *c, lt_node x)
{
	const struct lt_nodedef *n = &f->g->node[x];
	for (int32_t d = 0; d < n->n_dim; d++)
		if (f->g->var[n->dim[d]].bounded)
			return lt__arena_format(f->a, "the extent of axis %d of '%s' differs from run to run", d, n->name);
	return head->types >> n->dtype & 1 ? NULL : lt__arena_format(f->a,
		"'%s' is %s, and LT_KERNEL(%s, ...) does not name that type", n->name, lt__dtype_info(n->dtype)->name, stem(c->name));
}

/* A meaning that depends on a run-time scalar is not told by its operands. */
static const char *scalar_in(const struct own_find *f, const struct lt_owncall *c)
{
	const bool *member = lt__own_members(f->g, f->a, c);
	for (lt_node x = 0; x < f->g->n_node; x++) {
		const struct lt_nodedef *n = &f->g->node[x];
		for (int32_t p = 0; member[x] && p < n->n_piece; p++)
			if (n->piece[p].map.n_param)
				return "what it means depends on a run-time scalar";
		if (member[x] && n->op == LT_OP_update)
			return "what it means changes a part of a value in its place";
	}
	return NULL;
}

static lt_status find_call(struct own_find *f, struct lt_owncall *c, const char **why)
{
	const int32_t i = lt__ownfolder_find(&f->folder, c->name, strlen(c->name));
	const char *path = lt__arena_format(f->a, "%s/%s.c", f->folder.path, c->name);
	*why = i < 0 || !f->folder.kernel[i] ? lt__arena_format(f->a, "there is no %s", path) : !c->computed ? NULL
		: "a tensor is given for a parameter with a default, which a kernel reads as a number";
	if (*why)
		return LT_OK;
	LT_TRY(read_kernel(f, i, path));
	for (int32_t k = 0; k < c->n_operand && !*why; k++)
		*why = unfit(f, &f->head[i], c, c->operand[k]);
	for (int32_t k = 0; k < c->n_result && !*why; k++)
		*why = unfit(f, &f->head[i], c, c->result[k]);
	*why = *why ? *why : scalar_in(f, c);
	bool takes = true;
	if (!*why)
		LT_TRY(lt__own_takes(f->g->ctx, path, &f->head[i], f->g, c, &takes));
	if (!takes)
		*why = lt__arena_format(f->a, "LT_TAKES(%s, ...) does not take its extents", stem(c->name));
	if (*why)
		return LT_OK;
	c->source = f->text[i];
	return lt__own_workspace(f->g->ctx, path, &f->head[i], f->g, c, c->workspace);
}

/* A routine has many calls in a model that all are not made. */
static void say_once(struct own_find *f, const char *text)
{
	if (!f->said || strcmp(f->said, text) != 0)
		f->o->log(f->o->user, LT_LOG_INFO, text);
	f->said = text;
}

/* A call that a kernel does not do is what it means, and calls within that may be done by theirs. */
lt_status lt__own_find(const struct lt_graph *g, struct lt_arena *a, const struct lt_options *o, struct lt_graph *out)
{
	struct own_find f = { .g = g, .a = a, .o = o };
	*out = *g;
	out->n_own = 0;
	if (!o->kernels)
		return LT_OK;
	LT_TRY(lt__ownfolder_read(g->ctx, a, o->kernels, &f.folder));
	f.text = LT_NEW(a, const char *, f.folder.n + 1);
	f.head = LT_NEW(a, struct lt_ownhead, f.folder.n + 1);
	out->own = lt__arena_copy(a, g->own, sizeof *g->own * (size_t)g->n_own);
	const char **why = LT_NEW(a, const char *, g->n_own + 1);
	bool *within = LT_NEW(a, bool, g->n_own + 1), *taken = LT_NEW(a, bool, g->n_node + 1);
	/* calls that others mean stand before these */
	for (int32_t i = g->n_own - 1; i >= 0; i--) {
		const bool *member = lt__own_members(g, a, &g->own[i]);
		for (lt_node x = 0; x < g->n_node; x++)
			within[i] = within[i] || (member[x] && taken[x]);
		if (!within[i])
			LT_TRY(find_call(&f, &out->own[i], &why[i]));
		for (lt_node x = 0; x < g->n_node && !within[i] && !why[i]; x++)
			taken[x] = taken[x] || member[x];
	}
	for (int32_t i = 0; i < g->n_own; i++)
		if (!within[i] && !why[i])
			out->own[out->n_own++] = out->own[i];
		else if (!within[i] && o->log)
			say_once(&f, lt__arena_format(a, "kernel %s is not called: %s; what it means is computed", g->own[i].name,
				why[i]));
	return LT_OK;
}
