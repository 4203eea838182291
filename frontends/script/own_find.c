/* own_find.c -- what a graph has that an operation of the user's own means: calls of it, where its kernel says
 * LT_ROUTINE.
 *
 * The nodes that a value is made of are cut in all ways that leave as many operands as the meaning has tensors.  The
 * meaning is built on inputs of the types and extents of these, once for equal ones, and compared node by node; vars
 * have other names there, so views that only rename them are not there.
 */
#include <string.h>
#include "base/budget.h"
#include "base/names.h"
#include "frontends/script/script.h"
#include "ir/map/map.h"
#include "ir/node/node.h"

/* CONE: nodes between the operands and the value, views that rename, too; CUTS: ways to cut them that are tried for one
 * value; MEANINGS: of an operation, on other types and extents. */
enum { MAX_INPUTS = 4, MAX_CONE = 64, MAX_CUTS = 512, MAX_MEANINGS = 1024 };

/* The meaning on inputs of certain types and extents; graph NULL: it does not take those. */
struct own_meaning {
	struct lt_graph *graph;
	lt_node in[MAX_INPUTS], result;
};

struct own_found {
	struct lt_graph *g;
	struct lt_arena *a;
	const struct lt_script_language *language;
	const struct lt_ownfolder *folder;
	const char *name, *path;        /* of the operation in hand, and of its kernel */
	int32_t n_input;
	struct own_meaning *meaning;
	int32_t n_meaning, cap_meaning;
	struct lt_names *known;         /* meanings by what their inputs are */
	bool *taken;                    /* by node: it is a call's already */
};

struct own_trial {
	struct own_found *f;
	const lt_node *operand;
	lt_node result;
	struct own_meaning *means;
	lt_node *to;                    /* by node of the meaning: the one that it is, or -1 */
};

/* What it is but for the names of its axes. */
static lt_node renamed(const struct lt_graph *g, struct lt_arena *a, lt_node x)
{
	for (;;) {
		const struct lt_nodedef *n = &g->node[x];
		const struct lt_map same = lt__map_identity(a, n->n_dim);
		if (n->op != LT_OP_view || n->n_piece != 1 || n->n_operand != 1 || n->piece[0].source != 0
			|| g->node[n->operand[0]].n_dim != n->n_dim || !lt__map_equal(&n->piece[0].map, &same))
			return x;
		for (int32_t i = 0; i < n->n_dim; i++)
			if (!lt__var_same_range(g, n->dim[i], g->node[n->operand[0]].dim[i]))
				return x;
		x = n->operand[0];
	}
}

/* Two graphs' nodes but for their operands. */
static bool alike(const struct lt_graph *g, const struct lt_nodedef *x, const struct lt_graph *h,
	const struct lt_nodedef *y)
{
	bool same = x->op == y->op && x->dtype == y->dtype && x->reduce == y->reduce && x->n_operand == y->n_operand
		&& x->n_dim == y->n_dim && x->n_piece == y->n_piece && x->has_fill == y->has_fill && x->bits == y->bits
		&& !lt__op_is_memory(x->op) && x->op != LT_OP_index && x->op != LT_OP_gather && x->op != LT_OP_update;
	for (int32_t i = 0; same && i < x->n_dim; i++)
		same = g->var[x->dim[i]].extent == h->var[y->dim[i]].extent && !g->var[x->dim[i]].bounded
			&& !h->var[y->dim[i]].bounded;
	for (int32_t i = 0; same && i < x->n_piece; i++)
		same = x->piece[i].source == y->piece[i].source && !x->piece[i].map.n_param && !y->piece[i].map.n_param
			&& (x->piece[i].source >= 0 || x->piece[i].bits == y->piece[i].bits)
			&& lt__map_equal(&x->piece[i].map, &y->piece[i].map);
	return same;
}

static bool place(const struct lt_nodedef *n, lt_var v, int32_t *at)
{
	for (*at = 0; *at < n->n_dim && n->dim[*at] != v; ++*at) { }
	return *at < n->n_dim;
}

/* Vars join axes of operands: elementwise ones and sums say by them which axis is which. */
static bool same_axes(const struct own_trial *t, const struct lt_nodedef *x, const struct lt_nodedef *y)
{
	const struct lt_graph *g = t->f->g, *h = t->means->graph;
	int32_t i, k;
	for (int32_t o = 0; o < x->n_operand; o++)
		for (int32_t d = 0; d < x->n_dim; d++) {
			const bool in = place(&g->node[x->operand[o]], x->dim[d], &i);
			if (in != place(&h->node[y->operand[o]], y->dim[d], &k) || (in && i != k))
				return false;
		}
	return true;
}

/* Node x of the meaning is node y of the graph. */
static bool is_node(struct own_trial *t, lt_node x, lt_node y)
{
	const struct lt_graph *h = t->means->graph, *g = t->f->g;
	x = renamed(h, t->f->a, x);
	y = renamed(g, t->f->a, y);
	if (t->to[x] >= 0)
		return t->to[x] == y;
	t->to[x] = y;
	if (t->f->taken[y] || !alike(h, &h->node[x], g, &g->node[y])
		|| (h->node[x].op != LT_OP_view && !same_axes(t, &g->node[y], &h->node[x])))
		return false;
	for (int32_t i = 0; i < h->node[x].n_operand; i++)
		if (!is_node(t, h->node[x].operand[i], g->node[y].operand[i]))
			return false;
	return true;
}

/* -- the meaning on inputs as the operands are -- */

static lt_status build_body(void *of)
{
	struct own_trial *t = of;
	const struct lt_graph *g = t->f->g;
	struct own_meaning *m = t->means;
	lt_node *result;
	int32_t n;
	for (int32_t k = 0; k < t->f->n_input; k++) {
		const struct lt_nodedef *x = &g->node[t->operand[k]];
		lt_var *dim = LT_NEW(t->f->a, lt_var, x->n_dim + 1);
		for (int32_t i = 0; i < x->n_dim; i++)
			dim[i] = lt_graph_var(m->graph, lt__arena_format(t->f->a, "d%d_%d", k, i), g->var[x->dim[i]].extent);
		m->in[k] = lt_graph_input(m->graph, lt__arena_format(t->f->a, "in%d", k), x->dtype, x->n_dim, dim);
		if (m->in[k] < 0)
			return lt_context_code(g->ctx);
	}
	const struct lt_own_given given = { t->f->n_input, m->in, 0, NULL, NULL };
	LT_TRY(lt__script_own(t->f->language, m->graph, t->f->folder, t->f->name, &given, &n, &result));
	m->result = result[0];
	return n == 1 && m->graph->n_own && m->graph->own[m->graph->n_own - 1].n_operand == t->f->n_input ? LT_OK : LT_EINVAL;
}

static lt_status build_meaning(struct own_trial *t)
{
	struct lt_context *ctx = t->f->g->ctx;
	LT_TRY(lt_graph_new(ctx, &t->means->graph));
	const lt_status status = lt__protect(ctx, build_body, t);
	if (!status)
		return LT_OK;
	lt_graph_free(t->means->graph);
	t->means->graph = NULL;
	if (lt__is_end(status) || status == LT_EBUDGET)
		return status;
	lt_context_clear(ctx);
	return LT_OK;
}

/* What inputs are, as a text: "1 4 3|1 3 3|". */
static const char *inputs_text(const struct own_trial *t, size_t *bytes)
{
	const struct lt_graph *g = t->f->g;
	struct lt_text x = { .arena = t->f->a };
	for (int32_t k = 0; k < t->f->n_input; k++) {
		const struct lt_nodedef *n = &g->node[t->operand[k]];
		lt__text_format(&x, "%d", (int)n->dtype);
		for (int32_t i = 0; i < n->n_dim; i++)
			lt__text_format(&x, " %lld", (long long)g->var[n->dim[i]].extent);
		lt__text_format(&x, "|");
	}
	*bytes = x.n;
	return x.at;
}

/* t->means; graph NULL: there is none for such operands. */
static lt_status find_meaning(struct own_trial *t)
{
	struct own_found *f = t->f;
	size_t bytes;
	const char *text = inputs_text(t, &bytes);
	const int32_t at = lt__names_find(f->known, text, bytes);
	if (at >= 0 || f->n_meaning == MAX_MEANINGS) {
		t->means = at >= 0 ? &f->meaning[at] : NULL;
		return LT_OK;
	}
	LT_GROW(f->a, f->meaning, f->n_meaning, f->cap_meaning);
	t->means = &f->meaning[f->n_meaning];
	*t->means = (struct own_meaning){ .graph = NULL };
	lt__names_add(f->known, text, bytes, f->n_meaning++);
	return build_meaning(t);
}

/* Nobody but the call reads what is between. */
static bool is_private(const struct lt_graph *g, const bool *member, lt_node result)
{
	for (lt_node x = 0; x < g->n_node; x++)
		for (int32_t i = 0; !member[x] && i < g->node[x].n_operand; i++)
			if (member[g->node[x].operand[i]] && g->node[x].operand[i] != result)
				return false;
	for (int32_t i = 0; i < g->n_result; i++)
		if (member[g->result[i].node] && g->result[i].node != result)
			return false;
	for (int32_t i = 0; i < g->n_set; i++)
		if (member[g->set[i].value] && g->set[i].value != result)
			return false;
	for (int32_t i = 0; i < g->n_param; i++)
		if (member[g->param[i].source])
			return false;
	return true;
}

/* The operands in this order. */
static lt_status try_order(struct own_found *f, const lt_node *operand, lt_node result, bool *found)
{
	struct own_trial t = { .f = f, .operand = operand, .result = result };
	LT_TRY(find_meaning(&t));
	const struct lt_graph *h = t.means ? t.means->graph : NULL;
	if (!h)
		return LT_OK;
	t.to = LT_NEW(f->a, lt_node, h->n_node);
	memset(t.to, -1, sizeof *t.to * (size_t)h->n_node);
	for (int32_t k = 0; k < f->n_input; k++)
		t.to[t.means->in[k]] = operand[k];
	if (!is_node(&t, t.means->result, result))
		return LT_OK;
	const struct lt_owncall *c = &h->own[h->n_own - 1];
	const struct lt_nodedef *n = &f->g->node[result];
	const struct lt_owncall call = { .name = c->name, .n_operand = f->n_input, .n_result = 1, .n_number = c->n_number,
		.operand = lt__arena_copy(f->a, operand, sizeof *operand * (size_t)f->n_input), .result = &result,
		.number = c->number, .line = n->line, .column = n->column };
	const bool *member = lt__own_members(f->g, f->a, &call);
	if (!is_private(f->g, member, result))
		return LT_OK;
	LT_TRY(lt__own_add(f->g, &call));
	*found = true;
	for (lt_node x = 0; x < f->g->n_node; x++)
		f->taken[x] = f->taken[x] || member[x];
	return LT_OK;
}

/* All orders of the operands from `first` on. */
static lt_status try_orders(struct own_found *f, lt_node *operand, int32_t first, lt_node result, bool *found)
{
	if (first == f->n_input)
		return try_order(f, operand, result, found);
	for (int32_t i = first; i < f->n_input && !*found; i++) {
		const lt_node x = operand[first], y = operand[i];
		operand[first] = y;
		operand[i] = x;
		LT_TRY(try_orders(f, operand, first + 1, result, found));
		if (*found)
			break;
		operand[first] = x;
		operand[i] = y;
	}
	return LT_OK;
}

/* -- cuts: sets of nodes that all ways to the value go through -- */

struct own_cut {
	struct own_found *f;
	lt_node result;
	lt_node kept[MAX_INPUTS];
	int32_t n_kept, n_cone, n_tried;
	bool found;
};

/* The nodes that are left to decide, from the highest on: each is an operand, or what it is made of is. */
static lt_status cut_on(struct own_cut *c, const lt_node *open, int32_t n_open)
{
	const struct lt_graph *g = c->f->g;
	if (c->n_tried == MAX_CUTS)
		return LT_OK;
	if (!n_open) {
		lt_node operand[MAX_INPUTS];
		memcpy(operand, c->kept, sizeof operand);
		c->n_tried += c->n_kept == c->f->n_input;
		return c->n_kept == c->f->n_input ? try_orders(c->f, operand, 0, c->result, &c->found) : LT_OK;
	}
	lt_node next[MAX_CONE + 4];
	int32_t top = 0, n = 0;
	for (int32_t i = 1; i < n_open; i++)
		top = open[i] > open[top] ? i : top;
	const lt_node x = open[top];
	const struct lt_nodedef *d = &g->node[x];
	for (int32_t i = 0; i < n_open; i++)
		if (i != top)
			next[n++] = open[i];
	const int32_t n_rest = n;
	bool opens = !lt__op_is_memory(d->op) && !c->f->taken[x] && c->n_cone < MAX_CONE;
	for (int32_t i = 0; opens && i < d->n_operand; i++)
		if (!lt__has(next, n, d->operand[i]) && (opens = n < MAX_CONE))
			next[n++] = d->operand[i];
	if (opens) {                    /* farthest first: what a view is of, before the view */
		c->n_cone++;
		LT_TRY(cut_on(c, next, n));
		c->n_cone--;
	}
	const bool keeps = x != c->result && (d->n_operand || lt__op_is_memory(d->op)) && c->n_kept < c->f->n_input;
	if (!keeps || c->found)
		return LT_OK;
	c->kept[c->n_kept++] = x;
	LT_TRY(cut_on(c, next, n_rest));
	c->n_kept--;
	return LT_OK;
}

static lt_status find_calls(void *of)
{
	struct own_found *f = of;
	for (lt_node x = 0, n_node = f->g->n_node; x < n_node; x++) {
		struct own_cut c = { .f = f, .result = x };
		if (f->taken[x] || lt__op_is_memory(f->g->node[x].op) || !f->g->node[x].n_operand)
			continue;
		lt__poll(f->g->ctx);
		LT_TRY(cut_on(&c, &x, 1));
	}
	return LT_OK;
}

static lt_status find_routine(struct own_found *f)
{
	f->language = f->language ? f->language : lt__script_language(f->a);
	lt_status status = lt__script_own_inputs(f->language, f->g->ctx, f->a, f->folder, f->name, &f->n_input);
	if (!status && (f->n_input < 1 || f->n_input > MAX_INPUTS))
		status = lt_fail(f->g->ctx, LT_EUNSUPPORTED, "%s: LT_ROUTINE: what %s means has %d parameters without a value, and "
			"1 to %d are looked for in a model; call it by its name, without LT_ROUTINE", f->path, f->name, f->n_input,
			(int)MAX_INPUTS);
	f->known = lt__names_new(f->a);
	f->n_meaning = 0;
	status = status ? status : lt__protect(f->g->ctx, find_calls, f);
	for (int32_t i = 0; i < f->n_meaning; i++)
		lt_graph_free(f->meaning[i].graph);
	return status;
}

lt_status lt__script_own_find(struct lt_graph *g, struct lt_arena *a, const struct lt_ownfolder *folder)
{
	struct own_found f = { .g = g, .a = a, .folder = folder, .taken = LT_NEW(a, bool, g->n_node + 1) };
	for (int32_t i = 0; i < g->n_own; i++) {
		const bool *member = lt__own_members(g, a, &g->own[i]);
		for (lt_node x = 0; x < g->n_node; x++)
			f.taken[x] = f.taken[x] || member[x];
	}
	for (int32_t i = 0; i < folder->n; i++) {
		char *text;
		size_t bytes;
		if (!folder->kernel[i])
			continue;
		f.name = folder->name[i];
		f.path = lt__arena_format(a, "%s/%s.c", folder->path, f.name);
		LT_TRY(lt__text_read(g->ctx, a, f.path, &text, &bytes));
		if (strstr(text, "LT_ROUTINE("))
			LT_TRY(find_routine(&f));
	}
	return LT_OK;
}
