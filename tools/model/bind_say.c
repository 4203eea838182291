/* bind_say.c -- what does not fit between tensors and bindings, as sentences. */
#include <stdarg.h>
#include <string.h>
#include "base/message.h"
#include "base/nearest.h"
#include "tools/model/binder.h"
#include "tools/common/common.h"

void model_bind_begin(struct model_binder *b)
{
	if (b->begun)
		fprintf(b->text, "\n%s: ", b->o->tool);
	b->begun = true;
}

void model_bind_report(struct model_binder *b, const char *fmt, ...)
{
	char text[4096];
	va_list args;

	if (++b->n_problem > MODEL_BIND_REPORTS)
		return;
	va_start(args, fmt);
	lt__message(text, sizeof text, fmt, args);
	va_end(args);
	model_bind_begin(b);
	fputs(text, b->text);
}

void model_bind_unknown(struct model_binder *b, enum lt_binding kind, const char *name, const char *from)
{
	const struct model_bindings *p = &b->binding[kind];
	enum lt_binding other = kind == LT_BINDING_INPUT ? LT_BINDING_CONSTANT : LT_BINDING_INPUT;
	struct lt_nearest near;

	lt__nearest_begin(&near, name, strlen(name));
	for (int32_t i = 0; i < p->n; i++)
		lt__nearest_add(&near, p->at[i].name);
	if (model_binding_index(&b->binding[other], name, strlen(name)) >= 0)
		model_bind_report(b, "%s: '%s' is no %s of the script but %s %s: give it with %s", from, name,
			model_binding_kind(kind),
			other == LT_BINDING_INPUT ? "an" : "a", model_binding_kind(other),
			other == LT_BINDING_INPUT ? "-i or --inputs" : "-c or --weights");
	else if (near.n)
		model_bind_report(b, "%s: the script has no %s '%s'%s", from, model_binding_kind(kind), name,
			lt__nearest_hint(b->ctx, &near, "'", "'"));
	else if (p->n == 0)
		model_bind_report(b, "%s: the script has no %s '%s'; it has no %ss at all", from, model_binding_kind(kind),
			name, model_binding_kind(kind));
	else
		model_bind_report(b, "%s: the script has no %s '%s'; it has '%s'%s", from, model_binding_kind(kind), name,
			p->at[0].name,
			p->n > 1 ? " and others (-v lists them)" : "");
}

void model_bind_twice(struct model_binder *b, const struct model_slots *s, int32_t i, const char *from)
{
	model_bind_report(b, "%s: the %s '%s' is given twice, here and by %s", from, model_binding_kind(s->kind),
		b->binding[s->kind].at[i].name, s->from[i]);
}

bool model_bind_lacks(const struct model_binder *b, const struct model_slots *s, int32_t i)
{
	const struct model_bindings *p = &b->binding[s->kind];
	bool told = false;

	for (int32_t k = 0; k < p->n && s->kind == LT_BINDING_INPUT && !b->names_only; k++)
		for (int32_t d = 0; d < p->at[k].rank && s->from[k] && !s->value[k]; d++)
			told = told || p->at[k].extent_from[d] == i;
	return p->at[i].needed && !s->from[i] && !told;
}

/* Of an input that is an extent of another one: which, as the first that has it; false: it is none. */
static bool extent_of(const struct model_bindings *p, int32_t i, const char **name, int32_t *axis)
{
	for (int32_t k = 0; k < p->n; k++)
		for (int32_t d = 0; d < p->at[k].rank; d++)
			if (p->at[k].extent_from[d] == i) {
				*name = p->at[k].name;
				*axis = d;
				return true;
			}
	return false;
}

void model_bind_missing(struct model_binder *b, const struct model_slots *s, const char *flag)
{
	char text[256];

	for (int32_t i = 0; i < b->binding[s->kind].n; i++) {
		const struct model_binding *p = &b->binding[s->kind].at[i];
		const char *of;
		int32_t axis;

		if (!model_bind_lacks(b, s, i))
			continue;
		if (s->kind == LT_BINDING_INPUT && p->range.given && extent_of(&b->binding[s->kind], i, &of, &axis))
			fprintf(b->text, "\n  input '%s', the extent of axis %d of '%s', %lld to %lld: give it with  -i %s, or '%s' from a "
				"file", lt__shown(p->name).text, axis, lt__shown(of).text, (long long)p->range.low, (long long)p->range.high,
				lt__shell(lt__scratch(b->ctx, "%s=%lld", p->name, (long long)p->range.high)).text, lt__shown(of).text);
		else
			fprintf(b->text, "\n  %s '%s', %s: give it with  %s %s", model_binding_kind(s->kind), lt__shown(p->name).text,
				model_binding_text(p, text, sizeof text), flag, lt__shell(lt__scratch(b->ctx, "%s=FILE.npy", p->name)).text);
	}
}
