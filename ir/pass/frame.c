/* frame.c -- what every pass begins and ends with: a graph with the vars and params of the other, then its
 * results and states. */
#include <string.h>
#include "ir/bounds/bounds.h"
#include "base/names.h"
#include "ir/pass/pass.h"

static lt_status copy_tables(void *user)
{
	struct lt_frame *f = user;
	const struct lt_graph *in = f->in;
	struct lt_graph *out = f->out;

	out->inside = true;
	out->file = in->file ? lt__arena_string(out->arena, in->file) : NULL;
	out->part = LT_NEW(out->arena, const char *, in->n_part + 1);
	for (; out->n_part < in->n_part; out->n_part++)
		out->part[out->n_part] = lt__arena_string(out->arena, in->part[out->n_part]);
	out->cap_part = out->n_part;
	out->var = LT_NEW(out->arena, struct lt_vardef, in->n_var);
	out->n_var = out->cap_var = in->n_var;
	out->param = LT_NEW(out->arena, struct lt_paramdef, in->n_param);
	out->n_param = out->cap_param = in->n_param;
	for (lt_var v = 0; v < in->n_var; v++) {
		struct lt_vardef *d = &out->var[v];

		*d = in->var[v];
		d->name = lt__names_add(out->var_names, d->name, strlen(d->name), v);
		if (d->bounded) {
			d->limit.param = lt__arena_copy(out->arena, d->limit.param, sizeof *d->limit.param * (size_t)d->limit.n);
			d->limit.coef = lt__arena_copy(out->arena, d->limit.coef, sizeof *d->limit.coef * (size_t)d->limit.n);
		}
	}
	for (lt_param p = 0; p < in->n_param; p++) {
		out->param[p] = in->param[p];
		out->param[p].name = lt__names_add(out->var_names, in->param[p].name, strlen(in->param[p].name), -2 - p);
		out->param[p].source = -1;
	}
	return LT_OK;
}

lt_status lt__graph_like(const struct lt_graph *in, struct lt_graph **out)
{
	struct lt_frame f = { .in = in };
	lt_status status;

	*out = NULL;
	LT_TRY(lt_graph_new(in->ctx, &f.out));
	status = lt__protect(in->ctx, copy_tables, &f);
	if (status)
		lt_graph_free(f.out);
	else
		*out = f.out;
	return status;
}

struct lt_nodedef lt__frame_node(struct lt_frame *f, lt_node x)
{
	struct lt_nodedef n = f->in->node[x];

	n.operand = LT_NEW(f->scratch, lt_node, n.n_operand);
	for (int32_t i = 0; i < n.n_operand; i++)
		n.operand[i] = f->to[f->in->node[x].operand[i]];
	return n;
}

bool *lt__frame_live(struct lt_frame *f)
{
	const struct lt_graph *g = f->in;
	bool *live = LT_NEW(f->scratch, bool, g->n_node);

	for (int32_t i = 0; i < g->n_result; i++)
		live[g->result[i].node] = true;
	for (int32_t i = 0; i < g->n_set; i++)
		live[g->set[i].state] = live[g->set[i].value] = true;
	for (lt_param p = 0; p < g->n_param; p++)
		live[g->param[p].source] = true;
	for (lt_node x = g->n_node - 1; x >= 0; x--)
		for (int32_t i = 0; live[x] && i < g->node[x].n_operand; i++)
			live[g->node[x].operand[i]] = true;
	return live;
}

/* Params, results and states as the nodes that their values became. */
static lt_status frame_finish(struct lt_frame *f)
{
	const struct lt_graph *in = f->in;
	struct lt_graph *out = f->out;

	lt__requires_copy(in, out);
	for (lt_param p = 0; p < in->n_param; p++) {
		struct lt_paramdef *d = &out->param[p];
		const char *key;

		d->source = f->to[in->param[p].source];
		key = lt__arena_format(out->arena, "param:%d:%lld:%lld:%lld", d->source, (long long)d->element, (long long)d->low,
			(long long)d->high);
		lt__names_add(out->labels, key, strlen(key), p);
	}
	for (int32_t i = 0; i < in->n_result; i++)
		if (!f->drop || !f->drop[i])
			LT_TRY(lt_graph_result(out, in->result[i].name, f->to[in->result[i].node]));
	for (int32_t i = 0; i < in->n_set; i++)
		LT_TRY(lt_graph_set_state(out, f->to[in->set[i].state], f->to[in->set[i].value]));
	return LT_OK;
}

struct frame_run { struct lt_frame f; lt_frame_body *body; };

static lt_status run_body(void *user)
{
	struct frame_run *r = user;

	r->f.to = LT_NEW(r->f.scratch, lt_node, r->f.in->n_node);
	for (lt_node x = 0; x < r->f.in->n_node; x++)
		r->f.to[x] = -1;
	LT_TRY(r->body(&r->f));
	return frame_finish(&r->f);
}

lt_status lt__frame_run(const struct lt_graph *in, lt_frame_body *body, struct lt_graph **out)
{
	return lt__frame_run_for(in, body, NULL, out);
}

lt_status lt__frame_run_for(const struct lt_graph *in, lt_frame_body *body, void *user, struct lt_graph **out)
{
	struct frame_run r = { .f = { .in = in, .user = user }, .body = body };
	lt_status status;

	*out = NULL;
	LT_TRY(lt__arena_new(in->ctx, &r.f.scratch));
	status = lt__graph_like(in, &r.f.out);
	if (!status)
		status = lt__protect(in->ctx, run_body, &r);
	lt__arena_free(r.f.scratch);
	if (status)
		lt_graph_free(r.f.out);
	else
		*out = r.f.out;
	return status;
}

bool *lt__frame_constant(struct lt_frame *f)
{
	bool *constant = LT_NEW(f->scratch, bool, f->in->n_node + 1);

	for (lt_node x = 0; x < f->in->n_node; x++) {
		const struct lt_nodedef *n = &f->in->node[x];

		constant[x] = n->op == LT_OP_constant || n->op == LT_OP_lit || n->op == LT_OP_index;
		for (int32_t i = 0; i < n->n_operand; i++)
			constant[x] = (i == 0 || constant[x]) && constant[n->operand[i]];
	}
	return constant;
}
