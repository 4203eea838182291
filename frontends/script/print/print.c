/* print.c -- a graph as a script: which statements there are, in order. */
#include <string.h>
#include "frontends/script/print/print.h"
#include "frontends/script/print/printer.h"
#include "ir/graph/graph.h"
#include "ir/node/node.h"

static void flush_text(struct lt_scripter *p)
{
	p->write(p->user, p->text.at, p->text.n);
	p->text.n = 0;
}

/* A name of a model, which says more than the number: in a comment. */
static void end_statement(struct lt_scripter *p, const char *name)
{
	size_t digits = name ? strspn(name, "0123456789") : 0;
	bool made_up = name && *name == 'n' && strspn(name + 1, "0123456789") == strlen(name + 1);
	bool own = name && !made_up && (!digits || (name[digits] && name[digits] != '.'));
	lt__text_format(&p->text, ");%s%s\n", own ? "  # " : "", own ? name : "");
	flush_text(p);
}

/* What its integers stand for: the same value, which is then named by this statement. */
static void say_meaning(struct lt_scripter *p, lt_node x)
{
	const struct lt_nodedef *d = &p->g->node[x];
	if (d->scale == 0)
		return;
	const int32_t of = p->id[x];
	p->id[x] = lt__say_begin(p);
	lt__text_format(&p->text, "MeansNode($%d, ", of);
	lt__say_bits(&p->text, lt__bits_of((union lt_scalar){ .f = d->scale }, LT_F64), LT_F64);
	if (d->zero)
		lt__text_format(&p->text, ", %lld", (long long)d->zero);
	end_statement(p, NULL);
}

static void say_scalars(struct lt_scripter *p, lt_node source)
{
	for (lt_param i = 0; i < p->g->n_param; i++) {
		const struct lt_paramdef *d = &p->g->param[i];
		if (!p->used[i] || d->source != source)
			continue;
		p->scalar[i] = lt__say_begin(p);
		lt__text_format(&p->text, "ScalarNode($%d, %lld, %lld", p->id[source], (long long)d->low, (long long)d->high);
		if (d->element)
			lt__text_format(&p->text, ", %lld", (long long)d->element);
		end_statement(p, NULL);
	}
}

static void say_source(struct lt_scripter *p, lt_node x)
{
	const struct lt_nodedef *d = &p->g->node[x];
	p->id[x] = lt__say_begin(p);
	lt__text_format(&p->text, "%s(", d->op == LT_OP_input ? "InputTensor" : d->op == LT_OP_state ? "BufferTensor" :
		"ConstantTensor");
	lt__say_name(&p->text, d->label, ",)");
	lt__text_format(&p->text, ", %s, ", lt__dtype_info(d->dtype)->script);
	lt__say_shape(p, &p->text, d->n_dim, d->dim);
	end_statement(p, NULL);
	say_scalars(p, x);
	say_meaning(p, x);
}

/* The run-time scalars of its extents are declared. */
static bool can_say(const struct lt_scripter *p, const struct lt_nodedef *d)
{
	for (int32_t i = 0; i < d->n_dim; i++) {
		const struct lt_vardef *v = &p->g->var[d->dim[i]];
		for (int32_t k = 0; v->bounded && k < v->limit.n; k++)
			if (!p->scalar[v->limit.param[k]])
				return false;
	}
	return true;
}

/* The sources up to the last that a run-time scalar is read from, each as soon as its own extents are known. */
static lt_status say_param_sources(struct lt_scripter *p)
{
	const struct lt_graph *g = p->g;
	lt_node end = 0;
	for (lt_param i = 0; i < g->n_param; i++)
		if (p->used[i] && g->param[i].source >= end)
			end = g->param[i].source + 1;
	for (bool more = true, open = true; more && open;) {
		more = open = false;
		for (lt_node x = 0; x < end; x++) {
			if (!p->wanted[x] || p->id[x] || !lt__op_is_memory(g->node[x].op))
				continue;
			if (can_say(p, &g->node[x])) {
				say_source(p, x);
				more = true;
			}
			open = open || !p->id[x];
		}
	}
	for (lt_param i = 0; i < g->n_param; i++)
		if (p->used[i] && !p->scalar[i])
			return lt_fail(g->ctx, LT_EUNSUPPORTED, "run-time scalar '%s' is read from '%s', whose extent it decides: a script "
				"cannot say that", g->param[i].name, g->node[g->param[i].source].name);
	return LT_OK;
}

static void say_requires(struct lt_scripter *p)
{
	for (int32_t i = 0; i < p->g->n_require; i++) {
		const struct lt_require *r = &p->g->require[i];
		bool used = true;
		for (int32_t k = 0; k < r->value.n; k++)
			used = used && p->used[r->value.param[k]];
		if (!used)
			continue;
		lt__text_format(&p->text, "require ");
		lt__say_linear(p, &p->text, &r->value);
		lt__text_format(&p->text, " %s 0 ", r->equal ? "==" : ">=");
		lt__say_string(&p->text, r->text);
		lt__text_format(&p->text, ";\n");
		flush_text(p);
	}
}

/* By node: the node at the root of a chain of updates of it.  A script's updates of a buffer become its content where
 * nothing else is said. */
static bool *find_updated(const struct lt_scripter *p)
{
	const struct lt_graph *g = p->g;
	lt_node *root = LT_NEW(p->arena, lt_node, g->n_node + 1);
	bool *updated = LT_NEW(p->arena, bool, g->n_node + 1);
	for (lt_node x = 0; x < g->n_node; x++) {
		bool update = g->node[x].op == LT_OP_update;
		root[x] = p->alias.same[x] != x ? root[p->alias.same[x]] : update ? root[g->node[x].operand[0]] : x;
		if (update && p->wanted[x])
			updated[root[x]] = true;
	}
	return updated;
}

static void say_states(struct lt_scripter *p)
{
	const struct lt_graph *g = p->g;
	const bool *updated = find_updated(p);
	for (lt_node x = 0; x < g->n_node; x++) {
		lt_node value = updated[x] ? x : -1;
		if (!p->id[x] || g->node[x].op != LT_OP_state)
			continue;
		for (int32_t i = 0; i < g->n_set; i++)
			if (g->set[i].state == x)
				value = p->alias.same[g->set[i].value];
		if (value >= 0 && (value != x || updated[x]))
			lt__text_format(&p->text, "set $%d = $%d;\n", p->id[x], p->id[value]);
	}
}

static void say_results(struct lt_scripter *p)
{
	for (int32_t i = 0; i < p->g->n_result; i++) {
		lt__text_format(&p->text, "result ");
		if (strcmp(p->g->result[i].name, "result")) {
			lt__say_name(&p->text, p->g->result[i].name, "=;,)");
			lt__text_format(&p->text, " ");
		}
		lt__text_format(&p->text, "= $%d;\n", p->id[p->alias.same[p->g->result[i].node]]);
	}
}

/* Inputs are said whether a result needs them or not, and so are constants that are given from outside; not those of a
 * run-time extent, whose scalar would have a say in a run. */
static bool is_offered(const struct lt_graph *g, const struct lt_nodedef *d)
{
	bool is = d->op == LT_OP_input || (d->op == LT_OP_constant && !d->content);
	for (int32_t i = 0; i < d->n_dim; i++)
		is = is && !g->var[d->dim[i]].bounded;
	return is;
}

/* Nodes that a result or a state needs, in the places of those that are the same, and how often each is read. */
static void count_uses(struct lt_scripter *p)
{
	const struct lt_graph *g = p->g;
	bool *need = lt__needed_nodes(g, p->arena);
	for (lt_node x = 0; x < g->n_node; x++)
		need[x] = need[x] || is_offered(g, &g->node[x]);
	p->used = LT_NEW(p->arena, bool, g->n_param + 1);
	lt__need_close(g, need, p->used);
	for (int32_t i = 0; i < g->n_result; i++)
		p->uses[p->alias.same[g->result[i].node]]++;
	for (int32_t i = 0; i < g->n_set; i++) {
		p->uses[p->alias.same[g->set[i].value]]++;
		p->wanted[g->set[i].state] = true;
	}
	for (lt_param i = 0; i < g->n_param; i++)
		p->wanted[g->param[i].source] = p->used[i] || p->wanted[g->param[i].source];
	for (lt_node x = g->n_node - 1; x >= 0; x--) {
		p->wanted[x] = p->wanted[x] || p->uses[x] || (need[x] && is_offered(g, &g->node[x]));
		for (int32_t k = 0; p->wanted[x] && k < g->node[x].n_operand; k++)
			p->uses[p->alias.same[g->node[x].operand[k]]]++;
	}
}

/* Candidates for a node are tried; the first that makes it is its form. */
static void find_form(struct lt_scripter *p, lt_node x)
{
	(void)(lt__form_window(p, x) || lt__form_layer(p, x) || lt__form_view(p, x));
}

/* How each node is said: from the results downwards, as what a form says within itself is not wanted. */
static void find_forms(struct lt_scripter *p)
{
	const struct lt_graph *g = p->g;
	bool *named = LT_NEW(p->arena, bool, g->n_node + 1);
	for (int32_t i = 0; i < g->n_result; i++)
		named[p->alias.same[g->result[i].node]] = true;
	for (int32_t i = 0; i < g->n_set; i++)
		named[p->alias.same[g->set[i].value]] = true;
	for (lt_node x = g->n_node - 1; x >= 0; x--) {
		const struct lt_nodedef *d = &g->node[x];
		p->wanted[x] = named[x] || (p->wanted[x] && lt__op_is_memory(d->op));
		if (!p->wanted[x] || lt__op_is_memory(d->op))
			continue;
		find_form(p, x);
		if (!p->form[x] && !d->reduce && !lt__op_info(d->op)->data)
			p->pick[x] = lt__script_pick(p, d);
		for (int32_t k = 0; k < (p->form[x] ? p->form[x]->n : d->n_operand); k++)
			named[p->form[x] ? p->alias.same[p->form[x]->operand[k]] : lt__script_operand(p, x, k)] = true;
	}
}

static lt_status say_value(struct lt_scripter *p, lt_node x)
{
	LT_TRY(lt__say_node(p, x));
	end_statement(p, p->g->node[x].name);
	say_meaning(p, x);
	return LT_OK;
}

static lt_status say_graph(void *user)
{
	struct lt_scripter *p = user;
	const struct lt_graph *g = p->g;
	if (!g->n_result && !g->n_set)
		return lt_fail(g->ctx, LT_EINVAL, "the graph has no result: a script has one");
	p->text.arena = p->arena;
	p->g = g = lt__script_fitted(g, p->arena);
	p->language = lt__script_language(p->arena);
	p->alias = lt__script_alias(g, p->arena);
	p->uses = LT_NEW(p->arena, int32_t, g->n_node + 1);
	p->wanted = LT_NEW(p->arena, bool, g->n_node + 1);
	p->form = LT_NEW(p->arena, struct lt_script_form *, g->n_node + 1);
	p->pick = LT_NEW(p->arena, lt_node *, g->n_node + 1);
	p->left = LT_NEW(p->arena, int32_t, g->n_node + 1);
	p->tried = LT_NEW(p->arena, int32_t, g->n_node + 1);
	p->id = LT_NEW(p->arena, int32_t, g->n_node + 1);
	p->scalar = LT_NEW(p->arena, int32_t, g->n_param + 1);
	count_uses(p);
	find_forms(p);
	LT_TRY(say_param_sources(p));
	say_requires(p);
	for (lt_node x = 0; x < g->n_node; x++) {
		if (!p->wanted[x] || p->id[x])
			continue;
		if (lt__op_is_memory(g->node[x].op))
			say_source(p, x);
		else
			LT_TRY(say_value(p, x));
	}
	say_states(p);
	say_results(p);
	flush_text(p);
	return LT_OK;
}

lt_status lt__script_print(const struct lt_graph *g, void (*write)(void *, const char *, size_t), void *user)
{
	struct lt_scripter p = { .g = g, .write = write, .user = user };
	LT_TRY(lt__arena_new(g->ctx, &p.arena));
	lt__context_branch(g->ctx, &p.own);
	lt_status status = lt__protect(g->ctx, say_graph, &p);
	lt__arena_free(p.arena);
	return status;
}
