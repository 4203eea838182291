/* line.c -- lines of a function, and values that become constants with a name. */
#include <stdarg.h>
#include <stdio.h>
#include "backends/text/part.h"

enum { MAX_TABS = 40 };

static void indent_line(struct text *t)
{
	for (int i = 0; i < t->indent && i < MAX_TABS; i++)
		lt__out(&t->body, "\t");
}

/* Which statement what follows comes from: once in each block. */
static void comment_origin(struct text *t)
{
	const int32_t stmt = t->origins && t->at >= 0 ? text_at(t, t->at)->origin : -1;
	const int32_t block = t->at >= 0 ? t->value[t->at].block + 2 : 0;
	if (stmt < 0 || t->commented[stmt] == block)
		return;
	t->commented[stmt] = block;
	const char *comment = t->origins->statement(t->origins->user, stmt);
	if (!comment || !*comment)
		return;
	indent_line(t);
	lt__out(&t->body, "/* ");
	for (const char *s = comment; *s; s++) {          /* a comment cannot be left */
		bool bad = (unsigned char)*s < 32 || *s == 127 || *s == '\\' || (*s == '/' && s > comment && s[-1] == '*')
			|| (*s == '*' && s > comment && s[-1] == '/');
		lt__out_bytes(&t->body, bad ? "?" : s, 1);
	}
	lt__out(&t->body, " */\n");
}

void lt__text_line(struct text *t, const char *fmt, ...)
{
	char some[512], *text = some;
	va_list ap;
	va_start(ap, fmt);
	int n = vsnprintf(some, sizeof some, fmt, ap);
	va_end(ap);
	if (n < 0)
		longjmp(t->pool.jump, 1);
	if ((size_t)n >= sizeof some) {
		text = lt__pool_alloc(&t->pool, (size_t)n + 1, 1);
		va_start(ap, fmt);
		(void)vsnprintf(text, (size_t)n + 1, fmt, ap);
		va_end(ap);
	}
	comment_origin(t);
	indent_line(t);
	lt__out(&t->body, text);
	lt__out(&t->body, "\n");
}

static const char *value_type(struct text *t, int32_t i)
{
	const struct lt_instruction *x = text_at(t, i);
	const struct text_value *v = &t->value[i];
	return lt__text_type(t, (struct lt_value_type){ v->narrow == 16 ? LT_I16 : v->narrow ? LT_I32 : x->dtype,
		x->lanes }, v->expr.mask_bits);
}

void lt__text_name(struct text *t, int32_t i)
{
	struct text_value *v = &t->value[i];
	const char *name = lt__text_formatted(t, "v%d", (int)v->number);
	lt__text_line(t, "const %s %s = %s;", value_type(t, i), name, v->expr.text);
	v->pending = false;
	v->expr = (struct text_expr){ .text = name, .mask_bits = v->expr.mask_bits };
}

void lt__text_flush(struct text *t, bool memory, bool variable)
{
	int32_t n = 0;
	for (int32_t p = 0; p < t->n_pending; p++) {
		struct text_value *v = &t->value[t->pending[p]];
		if (!v->pending)
			continue;
		if ((memory && v->expr.memory) || (variable && v->expr.variable) || (memory && variable))
			lt__text_name(t, t->pending[p]);
		else
			t->pending[n++] = t->pending[p];
	}
	t->n_pending = n;
}
