/* convert.c -- nodes of a graph in order, each by the builder of its operator; functions of the model
 * are put in where they are called. */
#include <string.h>
#include "frontends/onnx/groups.h"
#include "frontends/onnx/onnx.pb-c.h"
#include "frontends/onnx/stored.h"
#include "ir/node/node.h"

enum { MAX_CONVERTED = 200000, MAX_CALLS = 50 };

static const char *or_empty(const char *at) { return at ? at : ""; }
static const char *domain_of(const Onnx__NodeProto *n)
{
	return !strcmp(or_empty(n->domain), "ai.onnx") ? "" : or_empty(n->domain);
}

/* "node 'conv1' (Conv)" */
static const char *node_where(struct lt_onnx *m, const Onnx__NodeProto *n)
{
	if (*or_empty(n->name))
		return lt__arena_format(m->arena, "node '%s' (%s)", n->name, or_empty(n->op_type));
	return lt__arena_format(m->arena, "node of '%s' (%s)", n->n_output ? n->output[0] : "", or_empty(n->op_type));
}

/* Version of an operator set, as the function that the node is in or the model imports it; -1: not imported. */
static int64_t version_of(const struct lt_onnx *m, const struct lt_onnx_scope *scope, const char *domain)
{
	while (scope && !scope->function)
		scope = scope->up;
	size_t n = scope ? scope->function->n_opset_import : m->model->n_opset_import;
	Onnx__OperatorSetIdProto *const *at = scope ? scope->function->opset_import : m->model->opset_import;
	for (size_t i = 0; i < n; i++) {
		const char *own = or_empty(at[i]->domain);
		if (!strcmp(!strcmp(own, "ai.onnx") ? "" : own, domain))
			return at[i]->version;
	}
	return -1;
}

static const Onnx__FunctionProto *function_find(const struct lt_onnx *m, const Onnx__NodeProto *n)
{
	for (size_t i = 0; i < m->model->n_functions; i++) {
		const Onnx__FunctionProto *f = m->model->functions[i];
		if (!strcmp(or_empty(f->name), or_empty(n->op_type)) && !strcmp(or_empty(f->domain), or_empty(n->domain))
		    && !strcmp(or_empty(f->overload), or_empty(n->overload)))
			return f;
	}
	return NULL;
}

/* Inputs by name; false: one is lost, and what is lost with it was reported already. */
static bool find_inputs(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	c->n_in = (int32_t)c->proto->n_input;
	c->in = LT_NEW(m->arena, struct lt_onnx_value *, c->n_in + 1);
	for (int32_t i = 0; i < c->n_in; i++) {
		const char *name = c->proto->input[i];
		if (!*name)
			continue;
		c->in[i] = lt__onnx_find(m, c->scope, name);
		if (!c->in[i])
			lt_fail(m->ctx, LT_EINVAL, "input '%s' is made by no node before it", name);
		if (!c->in[i] || c->in[i]->lost)
			return false;
		lt__onnx_look(m, c->in[i]);
	}
	return true;
}

static void name_outputs(struct lt_onnx_call *c, bool fine, lt_node first_new)
{
	for (int32_t i = 0; i < c->n_out; i++) {
		if (!c->proto->output[i][0])
			continue;
		c->out[i].lost = c->out[i].lost || !fine;
		struct lt_onnx_value *v = lt__onnx_name(c->m, c->scope, c->proto->output[i], &c->out[i]);
		if (v->node >= first_new)
			lt_node_set_name(c->m->graph, v->node, v->name);
	}
}

/* All names of a function's inside, with the call's values as inputs. */
static void build_function(struct lt_onnx_call *c, const Onnx__FunctionProto *f)
{
	struct lt_onnx *m = c->m;
	struct lt_onnx_scope inner = { .names = lt__names_new(m->arena), .call = c, .function = f,
		.depth = c->scope->depth + 1 };
	if (inner.depth > MAX_CALLS) {
		lt__onnx_refuse(m, "functions call each other more than %d deep", MAX_CALLS);
		return;
	}
	for (size_t i = 0; i < f->n_input; i++)
		if (lt__onnx_has(c, (int32_t)i))
			lt__onnx_alias(m, &inner, f->input[i], c->in[i]);
	memset(c->used, 1, c->proto->n_attribute);
	m->convert(m, &inner, f->n_node, f->node);
	for (size_t i = 0; i < f->n_output && i < (size_t)c->n_out; i++) {
		const struct lt_onnx_value *v = lt__onnx_find(m, &inner, f->output[i]);
		if (v)
			lt__onnx_give_value(c, (int32_t)i, v);
		else
			lt__onnx_refuse(m, "function '%s' does not make its output '%s'", or_empty(f->name), f->output[i]);
	}
}

/* A value without elements has a shape and nothing else: one of extents that differ from run to run cannot be said. */
static bool takes_bounded(const struct lt_onnx_call *c)
{
	bool any = false;
	for (int32_t i = 0; i < c->n_in; i++)
		any = any || (c->in[i] && lt__onnx_any_bounded(c->m, c->in[i]));
	return any;
}

/* False: nothing is built, and a sentence says why. */
static bool build_operator(struct lt_onnx_call *c, const char *domain)
{
	struct lt_onnx *m = c->m;
	c->op = lt__onnx_op_find(m, domain, or_empty(c->proto->op_type), c->version);
	if (!c->op || !lt__onnx_stored_takes(c))
		return false;
	lt__onnx_broadcast(c);
	if (lt__onnx_failed(m))
		return false;
	c->op->build(c);
	lt__onnx_part_again(c);
	lt__onnx_stored_moves(c);
	return true;
}

static void build_node(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	const Onnx__FunctionProto *f = function_find(m, c->proto);
	const char *domain = domain_of(c->proto), *unread;
	c->version = version_of(m, c->scope, domain);
	if (f) {
		build_function(c, f);
		return;
	}
	if (c->version < 0) {
		lt__onnx_refuse(m, "the model does not import the operator set '%s'", *domain ? domain : "ai.onnx");
		return;
	}
	if (lt__onnx_is_own(c, domain))
		lt__onnx_build_own(c, domain);
	else if (!build_operator(c, domain))
		return;
	unread = lt__onnx_failed(m) ? NULL : lt__onnx_unread(c);
	if (unread)
		lt__onnx_refuse(m, "attribute '%s' is not supported", unread);
	for (int32_t i = 0; i < c->n_out && !lt__onnx_failed(m); i++)
		if (c->out[i].empty && takes_bounded(c))
			lt__onnx_refuse(m, "'%s' has no elements", c->proto->output[i]);
		else if (lt__onnx_wants(c, i) && !c->out[i].dtype)
			lt__onnx_refuse(m, "output %d ('%s') is not supported", i, c->proto->output[i]);
}

/* Of a node with a lost input only the operator is looked at. */
static void check_operator(struct lt_onnx_call *c)
{
	const char *domain = domain_of(c->proto);
	int64_t version = version_of(c->m, c->scope, domain);
	if (!function_find(c->m, c->proto) && version >= 0 && !lt__onnx_is_own(c, domain))
		(void)lt__onnx_op_find(c->m, domain, or_empty(c->proto->op_type), version);
}

/* The sentence of a failure; with the options that would fix extents of inputs, where it may be these that failed. */
static const char *failure_text(const struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	const char *text = lt__arena_string(m->arena, lt_context_message(m->ctx));
	struct lt_onnx_value *const *in = c->whole ? c->whole : c->in;
	if (strstr(text, "--dim") || !strncmp(text, "attribute '", 11) || !strncmp(text, "operator ", 9))
		return text;
	struct lt_onnx_poly *extent = LT_NEW(m->arena, struct lt_onnx_poly, (int64_t)c->n_in * LT_MAX_RANK + 1);
	struct lt_text shapes = { .arena = m->arena };
	int32_t n = 0, n_bounded = 0;
	for (int32_t i = 0; i < c->n_in; i++) {
		if (!in[i] || !lt__onnx_any_bounded(m, in[i]))
			continue;
		lt__text_format(&shapes, "%s'%s' is %s", n_bounded++ ? ", " : "", in[i]->name ? in[i]->name : "",
			lt__onnx_extents(m, in[i]));
		for (int32_t k = 0; k < in[i]->rank; k++)
			extent[n++] = lt__onnx_axis_extent(m, in[i], k);
	}
	if (!n_bounded)
		return text;
	lt_context_clear(m->ctx);
	return lt__arena_format(m->arena, "%s; %s, where extents differ from run to run: %s", text, shapes.at,
		lt__poly_fixes(m, n, extent));
}

static void convert_node(struct lt_onnx *m, struct lt_onnx_scope *scope, const Onnx__NodeProto *n)
{
	struct lt_onnx_call c = { .m = m, .scope = scope, .proto = n, .n_out = (int32_t)n->n_output };
	lt_node first_new = m->graph->n_node;
	c.out = LT_NEW(m->arena, struct lt_onnx_value, c.n_out + 1);
	c.used = LT_NEW(m->arena, bool, n->n_attribute + 1);
	for (int32_t i = 0; i < c.n_out; i++)
		c.out[i] = (struct lt_onnx_value){ .node = LT_NONE };
	const int32_t around = m->graph->line;          /* of the node that this is within */
	const char *const around_at = m->ctx->spending ? m->ctx->spending->at : NULL;
	const char *const where = node_where(m, n);
	lt__doing(m->ctx, NULL, where);
	lt__graph_part(m->graph, *or_empty(n->name) ? n->name : n->n_output ? n->output[0] : or_empty(n->op_type));
	bool there = find_inputs(&c);
	if (there)
		build_node(&c);
	else if (!lt__onnx_failed(m))
		check_operator(&c);
	bool fine = there && !lt__onnx_failed(m);
	if (lt__onnx_failed(m))
		lt__onnx_problem(m, where, failure_text(&c));
	name_outputs(&c, fine, first_new);
	m->graph->line = around;
	lt__doing(m->ctx, NULL, around_at);
}

void lt__onnx_convert(struct lt_onnx *m, struct lt_onnx_scope *scope, size_t n, struct Onnx__NodeProto *const *node)
{
	for (size_t i = 0; i < n; i++) {
		if (++m->n_converted > MAX_CONVERTED) {
			if (m->n_converted == MAX_CONVERTED + 1)
				lt__onnx_problem(m, NULL, "it has too many nodes when loops and functions are put in");
			return;
		}
		convert_node(m, scope, node[i]);
	}
}
