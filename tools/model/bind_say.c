/* bind_say.c -- what does not fit between tensors and bindings, as sentences. */
#include <stdarg.h>
#include <stdlib.h>
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

/* Whether --fix gives an input of that name, NAME=FILE. */
static bool is_fixed(const struct lt_texts *fix, const char *name)
{
	const size_t bytes = strlen(name);

	for (int32_t i = 0; i < fix->n; i++)
		if (!strncmp(fix->at[i], name, bytes) && fix->at[i][bytes] == '=')
			return true;
	return false;
}

void model_bind_unknown(struct model_binder *b, enum lt_binding kind, const char *name, const char *from)
{
	const struct model_bindings *p = &b->binding[kind];
	enum lt_binding other = kind == LT_BINDING_INPUT ? LT_BINDING_CONSTANT : LT_BINDING_INPUT;
	struct lt_nearest near;

	lt__nearest_begin(&near, name, strlen(name));
	for (int32_t i = 0; i < p->n; i++)
		lt__nearest_add(&near, p->at[i].name);
	if (kind == LT_BINDING_INPUT && is_fixed(b->o->fix, name)) {
		model_bind_report(b, "%s: '%s' is no input any more, as --fix gives it: leave it out here, or --fix away",
			from, name);
		return;
	}
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

/* What makes floats the integers that stand for them. */
static const char *quantised(struct model_binder *b, const struct model_binding *p)
{
	const struct lt_dtypeinfo *type = lt__dtype_info(p->dtype);
	char zero[32] = "", less[32] = "";

	if (p->zero) {
		snprintf(zero, sizeof zero, " %c %lld", p->zero < 0 ? '-' : '+', llabs((long long)p->zero));
		snprintf(less, sizeof less, " %c %lld", p->zero < 0 ? '+' : '-', llabs((long long)p->zero));
	}
	return lt__scratch(b->ctx, ": an integer q of the %s stands for %sq%s%s * %.17g (in NumPy, "
		"np.clip(np.floor(x / %.17g + 0.5)%s, %.0f, %.0f).astype('%s') of numbers x; lt-quantize --data-out writes it)",
		model_binding_kind(p->kind), p->zero ? "(" : "", less, p->zero ? ")" : "", p->scale, p->scale, zero,
		type->is_signed ? -type->largest - 1 : 0, type->largest, type->script);
}

void model_bind_unfit(struct model_binder *b, const struct model_binding *p, const struct lt_tensor *t,
	const char *from)
{
	char want[256], got[256];
	const char *type = lt__dtype_info(p->dtype)->script, *way = "";

	lt__shape_text(got, sizeof got, t->rank, t->shape);
	if (model_binding_fits(p, t))
		way = p->scale != 0 && lt__dtype_info(t->dtype)->cls == LT_CLASS_FLOAT ? quantised(b, p)
			: *lt__dtype_info(p->dtype)->npy ? lt__scratch(b->ctx, " (in NumPy: .astype('%s'))", type)
			: lt__scratch(b->ctx, " (NumPy has no %s; a .safetensors may hold it)", type);
	model_bind_report(b, "%s: the %s '%s' is %s, but this is %s %s%s", from, model_binding_kind(p->kind), p->name,
		model_binding_text(p, want, sizeof want), lt__dtype_info(t->dtype)->script, got, way);
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

void model_bind_copied(struct model_binder *b, const struct model_slots *constant)
{
	char *named, *own;
	int32_t n = 0;

	for (int32_t i = 0; i < b->binding[constant->kind].n; i++)
		n += model_bind_lacks(b, constant, i);
	if (!n || b->beside || !(named = model_weights_named(b->o->script)))
		return;
	if ((own = model_weights_path(b->o->script)))
		fprintf(b->text, "\n  (%s is not there, but %s, which the script's comment names, is: give it with  --weights %s)",
			lt__shown(own).text, lt__shown(named).text, lt__shell(named).text);
	free(own);
	free(named);
}
