/* tools/run_explain.c -- --explain: which backend takes which kernel, and what the others refused it for. */
#include <stdlib.h>
#include "tools/run.h"

struct run_explained { FILE *to; char *text; size_t bytes; json_t *list; };

int run_explain_begin(struct run *r)
{
	struct run_explained *e = r->explained = calloc(1, sizeof *e);

	if (!e)
		return run_failed("out of memory");
	if (r->json)
		e->list = json_array();
	else
		e->to = open_memstream(&e->text, &e->bytes);
	return e->list || e->to ? RUN_OK : run_failed("out of memory");
}

static void put(void *user, const char *text, size_t bytes)
{
	fwrite(text, 1, bytes, user);
}

static json_t *text_or_null(const char *text)
{
	return text ? json_string(text) : json_null();
}

static json_t *refusal(const struct lt_refusal *f)
{
	json_t *o = json_object();

	json_object_set_new(o, "backend", json_string(f->backend));
	json_object_set_new(o, "code", json_string(lt_status_name(f->code)));
	json_object_set_new(o, "node", text_or_null(f->node));
	json_object_set_new(o, "loop", text_or_null(f->loop));
	json_object_set_new(o, "file", text_or_null(f->file));
	json_object_set_new(o, "line", f->line > 0 ? json_integer(f->line) : json_null());
	json_object_set_new(o, "column", f->line > 0 ? json_integer(f->column) : json_null());
	json_object_set_new(o, "reason", json_string(f->text));
	json_object_set_new(o, "change", text_or_null(f->remedy));
	return o;
}

void run_explain_add(struct run *r, const struct lt_explained *x)
{
	struct run_explained *e = r->explained;
	json_t *o, *list;

	if (e->to) {
		lt_explained_print(x, put, e->to);
		return;
	}
	o = json_object();
	list = json_array();
	for (uint32_t i = 0; i < x->n_refusal; i++)
		json_array_append_new(list, refusal(&x->refusal[i]));
	json_object_set_new(o, "kernel", json_string(x->kernel));
	json_object_set_new(o, "backend", text_or_null(x->backend));
	json_object_set_new(o, "same_as", text_or_null(x->same_as));
	json_object_set_new(o, "refusals", list);
	json_array_append_new(e->list, o);
}

void run_explain_say(struct run *r)
{
	struct run_explained *e = r->explained;

	if (e->list) {
		json_object_set(r->json, "explain", e->list);
		return;
	}
	fflush(e->to);
	fwrite(e->text, 1, e->bytes, stdout);
	fflush(stdout);
}

void run_explain_free(struct run *r)
{
	if (!r->explained)
		return;
	if (r->explained->to)
		fclose(r->explained->to);
	free(r->explained->text);
	json_decref(r->explained->list);
	free(r->explained);
}
