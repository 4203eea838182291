/* explain.c -- --explain: which backend takes which kernel, what the others refused it for, and what it
 * decided. */
#include <stdlib.h>
#include <string.h>
#include "tools/common/common.h"
#include "tools/model/model.h"

struct model_explained { FILE *to; char *text; size_t bytes; json_t *list; };

lt_status model_explain_begin(struct lt_context *ctx, json_t *json, struct model *m)
{
	struct model_explained *e = m->explained = calloc(1, sizeof *e);

	if (!e)
		return lt_fail(ctx, LT_ENOMEM, "out of memory");
	if (json)
		e->list = json_array();
	else
		e->to = open_memstream(&e->text, &e->bytes);
	return e->list || e->to ? LT_OK : lt_fail(ctx, LT_ENOMEM, "out of memory");
}

static void explain_write(void *user, const char *text, size_t bytes)
{
	fwrite(text, 1, bytes, user);
}

static json_t *refusal(const struct lt_refusal *f)
{
	json_t *o = json_object();

	json_object_set_new(o, "backend", lt__json_text(f->backend));
	json_object_set_new(o, "code", json_string(lt_status_name(f->code)));
	json_object_set_new(o, "node", lt__json_text(f->node));
	json_object_set_new(o, "loop", lt__json_text(f->loop));
	json_object_set_new(o, "file", lt__json_text(f->file));
	json_object_set_new(o, "line", f->line > 0 ? json_integer(f->line) : json_null());
	json_object_set_new(o, "column", f->line > 0 ? json_integer(f->column) : json_null());
	json_object_set_new(o, "reason", lt__json_text(f->text));
	json_object_set_new(o, "change", lt__json_text(f->remedy));
	return o;
}

static json_t *decided(const struct lt_decided *d)
{
	json_t *o = json_object();

	json_object_set_new(o, "node", lt__json_text(d->node));
	json_object_set_new(o, "loop", lt__json_text(d->loop));
	json_object_set_new(o, "file", lt__json_text(d->file));
	json_object_set_new(o, "line", d->line > 0 ? json_integer(d->line) : json_null());
	json_object_set_new(o, "column", d->line > 0 ? json_integer(d->column) : json_null());
	json_object_set_new(o, "decision", lt__json_text(d->text));
	return o;
}

void model_explain_add(void *model, const struct lt_explained *x)
{
	struct model_explained *e = ((struct model *)model)->explained;
	json_t *o, *list, *decisions;

	if (e->to) {
		lt_explained_print(x, explain_write, e->to);
		return;
	}
	o = json_object();
	list = json_array();
	for (uint32_t i = 0; i < x->n_refusal; i++)
		json_array_append_new(list, refusal(&x->refusal[i]));
	decisions = json_array();
	for (uint32_t i = 0; i < x->n_decided; i++)
		json_array_append_new(decisions, decided(&x->decided[i]));
	json_object_set_new(o, "kernel", lt__json_text(x->kernel));
	json_object_set_new(o, "backend", lt__json_text(x->backend));
	json_object_set_new(o, "same_as", lt__json_text(x->same_as));
	json_object_set_new(o, "blocks", x->n_block >= 0 ? json_integer(x->n_block) : json_null());
	json_object_set_new(o, "refusals", list);
	json_object_set_new(o, "decisions", decisions);
	json_array_append_new(e->list, o);
}

void model_explain_say(json_t *json, struct model *m)
{
	struct model_explained *e = m->explained;
	struct lt_says out = { .to = stdout };

	if (e->list) {
		json_object_set(json, "explain", e->list);
		return;
	}
	fflush(e->to);
	lt__say_piece(&out, e->text, e->bytes);
	lt__say_end(&out);
	fflush(stdout);
}

static const void *bound_contents(void *model, lt_node x)
{
	const struct model *m = model;
	const struct model_bindings *p = &m->binding[LT_BINDING_CONSTANT];
	for (int32_t i = 0; i < p->n; i++)
		if (p->at[i].node == x)
			return m->given.constant.value && m->given.constant.value[i] ? m->given.constant.value[i]->data : NULL;
	return NULL;
}

static json_t *sum_object(const struct lt_graph *g, const struct lt_sum_proof *p)
{
	json_t *o = json_object();
	json_object_set_new(o, "node", lt__json_text(g->node[p->node].name));
	json_object_set_new(o, "weights", lt__json_text(g->node[p->b].name));
	json_object_set_new(o, "type", json_string(lt__dtype_info(p->sum)->name));
	json_object_set_new(o, "terms", json_integer(p->terms));
	json_object_set_new(o, "channel", p->channel < 0 ? json_null() : json_integer(p->channel));
	json_object_set_new(o, "weight", json_integer(p->weight));
	json_object_set_new(o, "reach", json_integer(p->reach));
	json_object_set_new(o, "bias", json_integer(p->bias));
	json_object_set_new(o, "bound", json_integer(p->bound));
	json_object_set_new(o, "fits", json_boolean(p->bound <= (p->sum == LT_I64 ? INT64_MAX - 1 : INT32_MAX)));
	json_object_set_new(o, "by_contents", json_boolean(p->known));
	return o;
}

lt_status model_explain_sums(json_t *json, struct model *m)
{
	char *text = NULL;
	size_t bytes = 0;
	json_t *list = json && lt_graph_sums(m->graph) ? json_array() : NULL;
	FILE *to = json ? NULL : open_memstream(&text, &bytes);
	lt_status st = json || to ? LT_OK : lt_fail(m->graph->ctx, LT_ENOMEM, "out of memory");

	for (int32_t i = 0; !st && i < lt_graph_sums(m->graph); i++) {
		struct lt_sum_proof p;
		st = lt_graph_sum(m->graph, i, bound_contents, m, &p);
		if (!st && to)
			st = lt_sum_proof_print(m->graph, &p, explain_write, to);
		else if (!st)
			json_array_append_new(list, sum_object(m->graph, &p));
	}
	if (list)
		json_object_set_new(json, "sums", list);
	if (to && fclose(to) && !st)
		st = lt_fail(m->graph->ctx, LT_ENOMEM, "out of memory");
	struct lt_says out = { .to = stdout };
	if (to && !st) {
		lt__say_piece(&out, text, bytes);
		lt__say_end(&out);
		fflush(stdout);
	}
	free(text);
	return st;
}

/* "grid 1: bound by memory, ..."; those of single loops are left out. */
static void explain_bound(const char *kernel, const char *line, json_t *list)
{
	if (strncmp(line, "grid ", 5) || !strstr(line, ": bound by ") || strstr(line, ", loop in "))
		return;
	if (!list) {
		lt__say(stdout, "%s, predicted: %s\n", kernel, line);
		return;
	}
	json_t *o = json_object();
	json_object_set_new(o, "kernel", lt__json_text(kernel));
	json_object_set_new(o, "bound", lt__json_text(line));
	json_array_append_new(list, o);
}

lt_status model_explain_bounds(struct lt_context *ctx, json_t *json, const struct lt_program *program)
{
	char *text = NULL, *rest = NULL;
	size_t bytes = 0;
	const char *kernel = "";
	FILE *to = open_memstream(&text, &bytes);

	if (!to)
		return lt_fail(ctx, LT_ENOMEM, "out of memory");
	lt_status st = lt_program_dump(program, LT_SHOW_STATS, explain_write, to);
	if (fclose(to) && !st)
		st = lt_fail(ctx, LT_ENOMEM, "out of memory");
	if (st && st != LT_ENOMEM) {            /* a backend without numbers predicts nothing */
		lt_context_clear(ctx);
		st = LT_OK;
	}
	json_t *list = json ? json_array() : NULL;
	for (char *line = text && !st ? strtok_r(text, "\n", &rest) : NULL; line; line = strtok_r(NULL, "\n", &rest))
		if (strncmp(line, "kernel ", 7) == 0)
			kernel = line + 7;
		else
			explain_bound(kernel, line, list);
	if (list && json_array_size(list))
		json_object_set(json, "predicted", list);
	json_decref(list);
	free(text);
	return st;
}

void model_explain_free(struct model *m)
{
	if (!m->explained)
		return;
	if (m->explained->to)
		fclose(m->explained->to);
	free(m->explained->text);
	json_decref(m->explained->list);
	free(m->explained);
}
