/* derived_graph.c -- the graph with copies, clones and partial sums among its nodes: steps are checked, and as
 * many done at a time as leave each other alone. */
#include <string.h>
#include "base/names.h"
#include "ir/node/node.h"
#include "ir/pass/pass.h"
#include "looptree/derive/derive.h"
#include "looptree/derive/derived_graph.h"

lt_node lt__node_named(const struct lt_graph *g, const char *name)
{
	return name ? lt__names_find(g->node_names, name, strlen(name)) : -1;
}

/* The node of `in` that the step is hung on. */
static lt_node hook_of(const struct lt_graph *g, const struct lt_derived_step *s)
{
	return lt__node_named(g, s->reader ? s->reader : s->of);
}

static bool reads(const struct lt_graph *g, lt_node reader, lt_node x)
{
	for (int32_t i = 0; i < g->node[reader].n_operand; i++)
		if (g->node[reader].operand[i] == x)
			return true;
	return false;
}

/* d: a node whose operands are of graph g. */
static lt_status reads_not(const struct lt_graph *g, const struct lt_nodedef *d, const char *of)
{
	char text[200] = "nothing";
	for (int32_t i = 0, n = 0; i < d->n_operand && n < (int32_t)sizeof text - 1; i++)
		if (d->operand[i] >= 0)
			n += snprintf(text + n, sizeof text - (size_t)n, "%s%%%s", n ? ", " : "", g->node[d->operand[i]].name);
	return lt_fail(g->ctx, LT_EILLEGAL, "%%%s does not read %%%s itself; it reads %s", d->name, of, text);
}

static lt_status check_partial(const struct lt_graph *g, const struct lt_derived_step *s, lt_node of)
{
	lt_var v = lt__names_find(g->var_names, s->var, strlen(s->var));
	if (v < 0 || v >= g->n_var)
		return lt_fail(g->ctx, LT_EILLEGAL, "there is no var %s%s", s->var, lt__nearest_var(g, s->var, strlen(s->var)));
	if (!lt__reduces(g, of, v))
		return lt_fail(g->ctx, LT_EILLEGAL,
			"%%%s does not reduce over %s: only a reduction has partial results", s->of, s->var);
	if (s->step >= g->var[v].extent)
		return lt_fail(g->ctx, LT_EILLEGAL, "a loop over %s in steps of %lld has one iteration, so its only partial result "
			"would be the whole one; choose a step below %lld", s->var, (long long)s->step, (long long)g->var[v].extent);
	if (s->step < 1 || (s->span && (s->span <= s->step || s->span % s->step != 0)))
		return lt_fail(g->ctx, LT_EILLEGAL, "the iterations of a loop over %s in steps of %lld inside one of %lld are not a "
			"dim: the second step has to be a multiple of the first", s->var, (long long)s->step, (long long)s->span);
	const struct lt_nodedef *from = &g->node[g->node[of].operand[0]];
	for (int32_t i = 0; i < from->n_dim; i++)
		if (from->dim[i] == v)
			return LT_OK;
	return lt_fail(g->ctx, LT_EILLEGAL, "%%%s does not reduce over %s", s->of, s->var);
}

static lt_status check_step(const struct lt_derived_batch *b, const struct lt_derived_step *s)
{
	const struct lt_graph *g = b->in;
	lt_node of = lt__node_named(g, s->of), hook = hook_of(g, s);
	if (of < 0 || hook < 0) {
		const char *name = of < 0 ? s->of : s->reader;
		return lt_fail(g->ctx, LT_EILLEGAL, "there is no node %%%s%s", name, lt__nearest_node(g, NULL, name, strlen(name)));
	}
	if (lt__node_named(g, s->made) >= 0)
		return lt_fail(g->ctx, LT_EILLEGAL, "there is a node %%%s already; choose another name", s->made);
	if ((s->reader || hook != of) && !reads(g, hook, of))
		return reads_not(g, &g->node[hook], s->of);
	const bool own_view = s->kind == LT_DERIVED_CLONE && g->node[of].op == LT_OP_view && !b->written[of];
	if ((s->kind == LT_DERIVED_CLONE || s->kind == LT_DERIVED_CLONE_VIEW) && !own_view
		&& (!lt__has_leaf(g, of) || g->node[of].op == LT_OP_update))
		return lt_fail(g->ctx, LT_EILLEGAL, "%%%s cannot be computed twice: it is %s", s->of,
			lt__has_leaf(g, of) ? "an update" : "read where it is used");
	if (s->kind == LT_DERIVED_COPY && g->node[hook].op == LT_OP_update && g->node[hook].operand[0] == of)
		return lt_fail(g->ctx, LT_EILLEGAL, "%%%s changes %%%s itself, not a copy of it", s->reader, s->of);
	if (s->kind == LT_DERIVED_CLONE_VIEW)
		return lt__clone_view_check(g, of, hook, b->written);
	return s->kind == LT_DERIVED_PARTIAL ? check_partial(g, s, of) : LT_OK;
}

static lt_status frame_add(struct lt_frame *f, struct lt_nodedef *d, lt_node *out)
{
	*out = lt__graph_add(f->out, d);
	return *out < 0 ? lt_context_code(f->in->ctx) : LT_OK;
}

static lt_status add_copy(struct lt_frame *f, lt_node of, const char *name, lt_node *out)
{
	const struct lt_nodedef *x = &f->out->node[of];
	struct lt_nodedef copy = { .op = LT_OP_copy, .dtype = x->dtype, .n_operand = 1, .operand = &of, .n_dim = x->n_dim,
		.dim = x->dim, .name = name, .line = x->line, .column = x->column };
	return frame_add(f, &copy, out);
}

/* The dims of partial sums, in the order of the steps. */
static lt_status add_iteration_dim(struct lt_frame *f, const struct lt_derived_step *s, lt_var *out)
{
	if (s->kind != LT_DERIVED_PARTIAL)
		return LT_OK;
	lt_var v = lt__names_find(f->out->var_names, s->var, strlen(s->var));
	struct lt_vardef of = f->out->var[v];
	int64_t extent = s->span && s->span < of.extent ? s->span : of.extent;
	lt_var trip = lt__var_add(f->out, s->dim, (extent - 1) / s->step + 1, NULL);
	if (trip < 0)
		return lt_context_code(f->in->ctx);
	if (strcmp(f->out->var[trip].name, s->dim) != 0)
		return lt_fail(f->in->ctx, LT_EILLEGAL, "there is a var %s already; choose another name", s->dim);
	struct lt_vardef *made = &f->out->var[trip];
	made->of = v;
	made->unit = s->step;
	made->span = s->span;
	*out = trip;
	return LT_OK;
}

static lt_status add_partial(
	struct lt_frame *f, const struct lt_derived_step *s, lt_var trip, const struct lt_nodedef *sum, lt_node *out)
{
	struct lt_nodedef d = *sum;
	d.name = s->made;
	d.dim = LT_NEW(f->scratch, lt_var, sum->n_dim + 1);
	for (int32_t i = 0; i < sum->n_dim; i++)
		d.dim[i] = sum->dim[i];
	d.dim[d.n_dim++] = trip;
	return frame_add(f, &d, out);
}

/* Whether view d shows all of view `of`, whose dims it has under other names. */
static bool renames(const struct lt_graph *g, const struct lt_nodedef *d, const struct lt_nodedef *of)
{
	bool same = d->op == LT_OP_view && of->op == LT_OP_view && d->n_piece == 1 && d->n_dim == of->n_dim
		&& d->piece[0].map.n_guard == 0 && d->piece[0].map.n_row == d->n_dim;
	for (int32_t i = 0; same && i < d->n_dim; i++)
		same = lt__row_is(&d->piece[0].map, i, i) && lt__var_same_range(g, d->dim[i], of->dim[i]);
	return same;
}

/* What is before d, node x with operands that it may change; PARTIAL leaves the sum with its partial sums as
 * operand. */
static lt_status add_before(struct lt_frame *f, int32_t step, lt_node x, struct lt_nodedef *d)
{
	struct lt_derived_batch *b = f->user;
	const struct lt_derived_step *s = &b->step[step];
	b->now = step;
	lt_node made = -1, of = lt__node_named(f->in, s->of);
	if (s->kind == LT_DERIVED_CLONE_VIEW)
		return lt__clone_view_add(f, of, x, d, s->made, &made);
	if (s->kind == LT_DERIVED_COPY) {
		LT_TRY(add_copy(f, f->to[of], s->made, &made));
	} else if (s->kind == LT_DERIVED_WINDOW) {
		LT_TRY(lt__window_add(f->in, of, f->out, f->to[f->in->node[of].operand[0]], f->scratch, s, &made));
	} else if (s->kind == LT_DERIVED_CLONE) {
		struct lt_nodedef clone = b->gone[of] ? lt__frame_node(f, of) : f->out->node[f->to[of]];
		clone.name = s->made;
		if (renames(f->out, d, &clone))         /* under the names of what reads it */
			clone.dim = d->dim;
		LT_TRY(frame_add(f, &clone, &made));
	} else {
		LT_TRY(add_partial(f, s, b->trip[step], d, &made));
		d->operand[0] = made;
		return LT_OK;
	}
	bool read = false;
	for (int32_t i = 0; i < d->n_operand; i++)
		if (f->in->node[x].operand[i] == of && d->operand[i] == f->to[of]) {
			d->operand[i] = made;
			read = true;
		}
	return read ? LT_OK : reads_not(f->out, d, s->of);
}

static bool is_source(const struct lt_nodedef *d)
{
	return d->op == LT_OP_input || d->op == LT_OP_constant || d->op == LT_OP_state;
}

static lt_status rebuild(struct lt_frame *f)
{
	struct lt_derived_batch *b = f->user;
	lt_node *alone = LT_NEW(f->scratch, lt_node, f->in->n_node + 1);        /* where nodes themselves went */
	for (b->now = 0; b->now < b->n; b->now++)
		LT_TRY(add_iteration_dim(f, &b->step[b->now], &b->trip[b->now]));
	for (lt_node x = 0; x < f->in->n_node; x++) {
		if (b->gone[x]) {
			alone[x] = -1;
			continue;
		}
		struct lt_nodedef d = lt__frame_node(f, x);
		for (int32_t i = b->first[x]; i >= 0; i = b->next[i])
			if (b->step[i].kind != LT_DERIVED_MATERIALIZE)
				LT_TRY(add_before(f, i, x, &d));
		LT_TRY(frame_add(f, &d, &f->to[x]));
		alone[x] = f->to[x];
		for (int32_t i = b->first[x]; i >= 0; i = b->next[i])
			if (b->step[i].kind == LT_DERIVED_MATERIALIZE && !(b->result[x] && lt__has_leaf(f->in, x)))
				LT_TRY(add_copy(f, f->to[x], b->step[i].made, &f->to[x]));
	}
	for (int32_t i = 0; i < b->n; i++) {
		lt_node x = lt__node_named(f->in, b->step[i].of);
		if (b->step[i].kind == LT_DERIVED_MATERIALIZE && b->result[x] && lt__has_leaf(f->in, x))
			LT_TRY(add_copy(f, f->to[x], b->step[i].made, &f->to[x]));
	}
	for (lt_node x = 0; x < f->in->n_node; x++) {
		b->to[x] = alone[x];
		if (is_source(&f->in->node[x]))         /* states, and sources of run-time scalars, stay what they are */
			f->to[x] = alone[x];
	}
	return lt__own_carry(f->in, alone, f->out, f->scratch);
}

/* Who is read, and by how many: a leaf is always wanted, a view as long as somebody reads it. */
static void fill_readers(struct lt_derived_batch *b, struct lt_arena *a)
{
	const struct lt_graph *g = b->in;
	b->live = LT_NEW(a, bool, g->n_node + 1);
	b->left = LT_NEW(a, int32_t, g->n_node + 1);
	for (lt_node x = 0; x < g->n_node; x++)
		b->left[x] = b->result[x];
	for (lt_param p = 0; p < g->n_param; p++)
		b->left[g->param[p].source]++;
	for (lt_node x = g->n_node - 1; x >= 0; x--) {
		const struct lt_nodedef *d = &g->node[x];
		b->live[x] = b->left[x] > 0 || lt__has_leaf(g, x);
		for (int32_t i = 0; b->live[x] && i < d->n_operand; i++) {
			bool again = false;
			for (int32_t k = 0; k < i; k++)
				again = again || d->operand[k] == d->operand[i];
			b->left[d->operand[i]] += !again;
		}
	}
}

/* Of a node: all read its copy; it was computed elsewhere, as it is; it is a sum of partial ones; who reads it, or what
 * it reads, is another; no step may name it. */
enum { COPIED = 1, CLONED = 2, SPLIT = 4, CHANGED = 8, GONE = 16 };

/* A step that lets somebody read a clone: where that was the last reader of the node, the node is gone. */
static bool fits_clone(
	struct lt_derived_batch *b, const struct lt_derived_step *s, lt_node of, lt_node hook, unsigned char *seen)
{
	bool last = b->live[hook] && b->left[of] == 1;
	if ((last && seen[of]) || (s->kind == LT_DERIVED_CLONE_VIEW && (seen[hook] || (seen[of] & ~CLONED))))
		return false;
	b->left[of] -= b->live[hook];
	b->gone[of] = last;
	seen[of] |= last ? GONE : CLONED;
	seen[hook] |= s->kind == LT_DERIVED_CLONE_VIEW ? GONE : CHANGED;
	return true;
}

/* Whether the step comes out in this batch as it would on its own, after the steps before it; so do the numbers of
 * vars: those of partial sums come first, in order, those of windows and of clones through a view where their nodes
 * are.  *window: the hook of the last one, -1;
 * *gone: whether a node is. */
static bool fits_batch(
	struct lt_derived_batch *b, const struct lt_derived_step *s, unsigned char *seen, lt_node *window, bool *gone)
{
	const struct lt_graph *g = b->in;
	bool clones = s->kind == LT_DERIVED_CLONE || s->kind == LT_DERIVED_CLONE_VIEW,
	     inner = s->kind == LT_DERIVED_WINDOW || s->kind == LT_DERIVED_CLONE_VIEW;
	lt_node of = lt__node_named(g, s->of), hook = hook_of(g, s);
	if (of < 0 || hook < 0 || (s->kind == LT_DERIVED_PARTIAL && lt__names_find(g->var_names, s->var, strlen(s->var)) < 0))
		return false;
	if (s->kind == LT_DERIVED_PARTIAL ? *window >= 0 : inner && hook < *window)
		return false;
	bool changes = s->kind != LT_DERIVED_MATERIALIZE;   /* what the hook is made of */
	if (((seen[of] | seen[hook]) & GONE) || (*gone && !(b->live[of] && b->live[hook])))
		return false;
	if ((seen[of] & COPIED) || (changes && (seen[hook] & CLONED)) || (s->kind == LT_DERIVED_PARTIAL && (seen[of] & SPLIT)))
		return false;
	if (clones) {
		if (!fits_clone(b, s, of, hook, seen))
			return false;
		*gone = *gone || b->gone[of];
	} else {
		seen[of] |= s->kind == LT_DERIVED_MATERIALIZE ? COPIED : s->kind == LT_DERIVED_PARTIAL ? SPLIT : CHANGED;
		seen[hook] |= changes ? CHANGED : 0;
		if (s->kind == LT_DERIVED_WINDOW && g->node[of].n_operand > 0)
			seen[g->node[of].operand[0]] |= CHANGED;
	}
	*window = inner ? hook : *window;
	return true;
}

/* A view that is not read goes with the node that it reads. */
static void fill_gone(struct lt_derived_batch *b)
{
	for (lt_node x = 0; x < b->in->n_node; x++)
		for (int32_t i = 0; !b->live[x] && !b->gone[x] && i < b->in->node[x].n_operand; i++)
			b->gone[x] = b->gone[b->in->node[x].operand[i]];
}

lt_status lt__derived_graph(struct lt_arena *a, struct lt_derived_batch *b, struct lt_graph **out)
{
	const struct lt_graph *g = b->in;
	unsigned char *seen = LT_NEW(a, unsigned char, g->n_node + 1);
	lt_node window = -1;
	bool gone = false;
	int32_t n = 0;
	b->first = LT_NEW(a, int32_t, g->n_node + 1);
	b->result = LT_NEW(a, bool, g->n_node + 1);
	b->to = LT_NEW(a, lt_node, g->n_node + 1);
	b->gone = LT_NEW(a, bool, g->n_node + 1);
	b->written = LT_NEW(a, bool, g->n_node + 1);
	for (lt_node x = 0; x < g->n_node; x++)
		b->first[x] = -1;
	for (int32_t i = 0; i < g->n_result + g->n_set; i++) {
		lt_node x = i < g->n_result ? g->result[i].node : g->set[i - g->n_result].value;
		b->result[x] = true;
		lt__mark_written(g, x, b->written);
	}
	fill_readers(b, a);
	while (n < b->n && fits_batch(b, &b->step[n], seen, &window, &gone))
		n++;
	b->n = n > 0 ? n : 1;
	fill_gone(b);
	b->trip = LT_NEW(a, lt_var, b->n + 1);
	b->next = LT_NEW(a, int32_t, b->n + 1);
	for (b->now = 0; b->now < b->n; b->now++)
		LT_TRY(check_step(b, &b->step[b->now]));
	for (int32_t i = b->n; i-- > 0;) {
		lt_node hook = hook_of(g, &b->step[i]);
		b->next[i] = b->first[hook];
		b->first[hook] = i;
	}
	return lt__frame_run_for(g, rebuild, b, out);
}
