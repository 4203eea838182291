/* What several parts of an exported program have in common: texts, sizes, addresses. */
#include <string.h>
#include "base/plain.h"
#include "program/export/export.h"

const char *lt__export_string(const struct lt_export *x, const char *text)
{
	struct lt_text t = { .arena = x->a };
	lt__text_add(&t, "\"", 1);
	for (const unsigned char *c = (const unsigned char *)text; *c; c++)
		if (*c < ' ' || *c > '~' || strchr("\"\\?", *c))        /* a ? may begin a trigraph */
			lt__text_format(&t, "\\%03o", *c);
		else
			lt__text_add(&t, (const char *)c, 1);
	lt__text_add(&t, "\"", 1);
	return t.at;
}

const char *lt__export_plain(const struct lt_export *x, const char *text)
{
	struct lt_text t = { .arena = x->a };
	bool plain;
	lt__text_add(&t, "", 0);
	for (size_t left = strlen(text), n; left; left -= n, text += n) {
		n = lt__plain_next(text, left, &plain);
		if (plain)
			lt__text_add(&t, text, n);
		for (size_t i = 0; i < n && !plain; i++)
			lt__text_format(&t, "\\x%02x", (unsigned char)text[i]);
	}
	return t.at ? t.at : "";
}

const char *lt__export_comment(const struct lt_export *x, const char *text)
{
	char *out = lt__arena_string(x->a, lt__export_plain(x, text));
	for (char *c = out; *c; c++)
		if ((*c == '/' && c > out && c[-1] == '*') || (*c == '*' && c > out
				&& c[-1] == '/') || (*c == '\\' && !c[1]))
			*c = ' ';
	return out;
}

const char *lt__export_location(const struct lt_export *x, int32_t line, int32_t column)
{
	const char *file = x->p->tree->graph->file;
	if (line <= 0)
		return "";
	return file ? lt__arena_format(x->a, "%s:%d:%d: ", file, (int)line, (int)column)
		: lt__arena_format(x->a, "line %d:%d of its script: ", (int)line, (int)column);
}

void lt__export_indented(struct lt_text *t, const char *lines, size_t bytes)
{
	for (size_t n; bytes; lines += n, bytes -= n) {
		const char *end = memchr(lines, '\n', bytes);
		n = end ? (size_t)(end - lines) + 1 : bytes;
		lt__text_add(t, "\t", 1);
		lt__text_add(t, lines, n);
	}
}

int64_t lt__export_spread_bytes(const struct lt_export *x, int32_t inputs)
{
	const int64_t align = LT_EXPORT_ALIGN;
	int64_t at = 0;
	for (int32_t i = 0; i < inputs; i++)
		if (x->member[LT_BINDING_INPUT][i].spread)
			at += ((int64_t)x->member[LT_BINDING_INPUT][i].def->bytes + align - 1) / align * align;
	return at;
}

struct lt_export_workspace lt__export_workspace(const struct lt_export *x)
{
	const int64_t align = LT_EXPORT_ALIGN;
	struct lt_export_workspace w = { .plan = (int64_t)x->p->offsets.at[0].workspace_bytes,
		.scratch = (int64_t)x->p->scratch[0].bytes };
	w.plan = (w.plan + align - 1) / align * align;
	w.spread = (w.plan + w.scratch + align - 1) / align * align;
	w.all = w.plan + w.scratch;
	if (lt__export_spread_bytes(x, x->p->bindings[LT_BINDING_INPUT].n))
		w.all = w.spread + lt__export_spread_bytes(x, x->p->bindings[LT_BINDING_INPUT].n);
	return w;
}

int64_t lt__export_constant_bytes(const struct lt_export *x)
{
	int64_t sum = 0;
	for (int32_t i = 0; x->o.bare && i < x->n_constant; i++)        /* arrays, each by itself */
		sum += x->constant[i].bytes;
	if (x->o.bare)
		return sum;
	const struct lt_export_constant *last = x->n_constant ? &x->constant[x->n_constant - 1] : NULL;
	return last ? last->offset + last->bytes : 0;
}

const char *lt__export_address(const struct lt_export *x, int32_t storage)
{
	const struct lt_storage *s = &x->p->nests.assigned.storage[storage];
	const int64_t *offset = x->p->offsets.at[0].of;
	const struct lt_export_member *m;
	const struct lt_export_constant *c;
	switch (s->space) {
	case LT_STORAGE_INPUT:
		m = &x->member[LT_BINDING_INPUT][s->binding];
		return m->spread ? lt__arena_format(x->a, "(void *)(uintptr_t)spread%d", (int)s->binding)
			: lt__arena_format(x->a, m->scalar ? "&a->%s" : "(void *)(uintptr_t)a->%s", m->name);
	case LT_STORAGE_RESULT:    return lt__arena_format(x->a, "a->%s", x->member[LT_BINDING_RESULT][s->binding].name);
	case LT_STORAGE_STATE:     return lt__arena_format(x->a, "state%d", (int)s->binding);
	case LT_STORAGE_WORKSPACE: return lt__arena_format(x->a, "workspace + %lld", (long long)offset[storage]);
	case LT_STORAGE_PARAM:     return "param";
	case LT_STORAGE_CONSTANT:
	case LT_STORAGE_PREPARED:
		if (x->constant_of[storage] < 0)
			return "NULL";          /* of no elements */
		c = &x->constant[x->constant_of[storage]];
		return x->o.data != LT_EXPORT_ARRAYS
			? lt__arena_format(x->a, "(void *)(uintptr_t)(%s_bytes + %lld)", x->o.name, (long long)c->offset)
			: lt__arena_format(x->a, "(void *)(uintptr_t)%s", c->name);
	}
	lt_bug("a storage of no space");
}
