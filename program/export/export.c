/* A program as C text: what all parts need, in order, and each part written. */
#include <ctype.h>
#include <string.h>
#include "program/export/export.h"

static lt_status check_program(struct lt_program *p)
{
	if (!p->options.source_only)
		return lt_fail(p->ctx, LT_EINVAL, "a program that is exported is compiled with source_only");
	if (p->memories.n > 1)
		return lt_fail(p->ctx, LT_EUNSUPPORTED, "a program that uses a device's memory has no C text that stands alone");
	for (int32_t i = 0; i < p->kernels.n; i++)
		if (strcmp(p->backends.at[p->kernels.at[i].opened].backend->name, "cpu") != 0)
			return lt_fail(p->ctx, LT_EUNSUPPORTED, "kernel %s is the backend %s's, which has no C text that stands alone",
				p->kernels.at[i].frozen->tree.name, p->backends.at[p->kernels.at[i].opened].backend->name);
	for (int32_t i = 0; i < p->bindings[LT_BINDING_CONSTANT].n; i++)
		LT_TRY(lt__constant_hold(p, p->ctx, i));
	return lt__bindings_missing(p->ctx, &p->bindings[LT_BINDING_CONSTANT], p->constants.data, NULL, "constant");
}

static lt_status export_fill(void *arg)
{
	struct lt_export *x = arg;
	const struct lt_program *p = x->p;
	char *upper = lt__arena_string(x->a, x->o.name);
	for (char *c = upper; *c; c++)
		*c = (char)toupper((unsigned char)*c);
	x->upper = upper;
	x->o.about = lt__export_comment(x, x->o.about);
	x->absent = LT_NEW(x->a, bool, p->tree->graph->n_param + 1);
	for (int32_t i = 0; i < p->plan.n_run; i++) {
		x->copies = x->copies || p->plan.run[i].kind == LT_STEP_COPY;
		x->blocks = x->blocks || p->plan.run[i].kind == LT_STEP_BLOCKS;
	}
	LT_TRY(lt__export_members(x));
	LT_TRY(lt__export_prepare(x));
	lt__export_constants(x);
	if (x->o.bare) {
		LT_TRY(lt__export_bare_check(x));
		LT_TRY(lt__export_bare_plan(x));
	} else {
		x->row = lt__plan_rows(&p->plan, &p->nests, &p->kernels, p->offsets.at, x->a);
	}
	x->rounds = lt__find_rounds(x->row, p->plan.n_run, x->a);
	return LT_OK;
}

lt_status lt__export_new(struct lt_program *p, const struct lt_export_options *o, struct lt_export **out)
{
	*out = NULL;
	LT_TRY(check_program(p));
	struct lt_export *x = lt__context_realloc(p->ctx, NULL, 0, sizeof *x);
	if (!x)
		return lt_fail(p->ctx, LT_ENOMEM, "out of memory");
	*x = (struct lt_export){ .p = p, .o = *o };
	lt_status st = lt__arena_new(p->ctx, &x->a);
	if (!st)
		st = lt__protect(p->ctx, export_fill, x);
	if (st)
		lt__export_free(x);
	else
		*out = x;
	return st;
}

void lt__export_free(struct lt_export *x)
{
	if (!x)
		return;
	lt__arena_free(x->a);
	lt__context_realloc(x->p->ctx, x, sizeof *x, 0);
}

struct export_writing { struct lt_export *x; enum lt_export_part part; lt_write *write; void *user; };

static lt_status export_write(void *arg)
{
	const struct export_writing *w = arg;
	struct lt_export *x = w->x;
	struct lt_text t = { .arena = x->a };
	switch (w->part) {
	case LT_EXPORT_HEADER:    (x->o.bare ? lt__export_bare_declare : lt__export_declare)(x, &t); break;
	case LT_EXPORT_TABLE:     lt__export_table(x, &t); break;
	case LT_EXPORT_SOURCE:    return (x->o.bare ? lt__export_bare_source : lt__export_function)(x, w->write, w->user);
	case LT_EXPORT_CONSTANTS: return lt__export_define(x, w->write, w->user);
	case LT_EXPORT_BYTES:     lt__export_bytes(x, w->write, w->user); break;
	case LT_EXPORT_MODULE:    lt__export_module(x, &t); break;
	case LT_EXPORT_JSON:      lt__export_json(x, &t); break;
	case LT_EXPORT_TYPES:     lt__export_types(x, &t); break;
	}
	if (t.n)
		w->write(w->user, t.at, t.n);
	return LT_OK;
}

lt_status lt__export_write(struct lt_export *x, enum lt_export_part part, lt_write *write, void *user)
{
	struct export_writing w = { x, part, write, user };
	return lt__protect(x->p->ctx, export_write, &w);
}
