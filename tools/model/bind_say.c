/* bind_say.c -- what does not fit between tensors and bindings, as sentences. */
#include <stdarg.h>
#include <string.h>
#include "base/message.h"
#include "base/nearest.h"
#include "tools/model/bind.h"
#include "tools/common/common.h"

void run_bind_begin(struct run_binder *b)
{
	if (b->begun)
		fprintf(b->text, "\n%s: ", b->o->tool);
	b->begun = true;
}

void run_bind_report(struct run_binder *b, const char *fmt, ...)
{
	char text[4096];
	va_list args;

	if (++b->n_problem > RUN_BIND_REPORTS)
		return;
	va_start(args, fmt);
	lt__message(text, sizeof text, fmt, args);
	va_end(args);
	run_bind_begin(b);
	fputs(text, b->text);
}

void run_bind_unknown(struct run_binder *b, enum lt_binding kind, const char *name, const char *from)
{
	const struct run_bindings *p = &b->binding[kind];
	enum lt_binding other = kind == LT_BINDING_INPUT ? LT_BINDING_CONSTANT : LT_BINDING_INPUT;
	struct lt_nearest near;

	lt__nearest_begin(&near, name, strlen(name));
	for (int32_t i = 0; i < p->n; i++)
		lt__nearest_add(&near, p->at[i].name);
	if (run_binding_index(&b->binding[other], name, strlen(name)) >= 0)
		run_bind_report(b, "%s: '%s' is no %s of the script but %s %s: give it with %s", from, name, run_binding_kind(kind),
			other == LT_BINDING_INPUT ? "an" : "a", run_binding_kind(other),
			other == LT_BINDING_INPUT ? "-i or --inputs" : "-c or --weights");
	else if (near.n)
		run_bind_report(b, "%s: the script has no %s '%s'%s", from, run_binding_kind(kind), name,
			lt__nearest_hint(b->ctx, &near, "'", "'"));
	else if (p->n == 0)
		run_bind_report(b, "%s: the script has no %s '%s'; it has no %ss at all", from, run_binding_kind(kind),
			name, run_binding_kind(kind));
	else
		run_bind_report(b, "%s: the script has no %s '%s'; it has '%s'%s", from, run_binding_kind(kind), name, p->at[0].name,
			p->n > 1 ? " and others (-v lists them)" : "");
}

void run_bind_twice(struct run_binder *b, const struct run_slots *s, int32_t i, const char *from)
{
	run_bind_report(b, "%s: the %s '%s' is given twice, here and by %s", from, run_binding_kind(s->kind),
		b->binding[s->kind].at[i].name, s->from[i]);
}

bool run_bind_lacks(const struct run_binder *b, const struct run_slots *s, int32_t i)
{
	const struct run_bindings *p = &b->binding[s->kind];
	bool told = false;

	for (int32_t k = 0; k < p->n && s->kind == LT_BINDING_INPUT && !b->names_only; k++)
		for (int32_t d = 0; d < p->at[k].rank && s->from[k] && !s->value[k]; d++)
			told = told || p->at[k].extent_from[d] == i;
	return p->at[i].needed && !s->from[i] && !told;
}

void run_bind_missing(struct run_binder *b, const struct run_slots *s, const char *flag)
{
	char text[256];

	for (int32_t i = 0; i < b->binding[s->kind].n; i++) {
		const struct run_binding *p = &b->binding[s->kind].at[i];

		if (run_bind_lacks(b, s, i))
			fprintf(b->text, "\n  %s '%s', %s: give it with  %s %s", run_binding_kind(s->kind), lt__shown(p->name).text,
				run_binding_text(p, text, sizeof text), flag, lt__shell(lt__scratch(b->ctx, "%s=FILE.npy", p->name)).text);
	}
}
