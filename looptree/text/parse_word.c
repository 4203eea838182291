/* The words of a tree's text, and the failures that stand at one. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "looptree/text/parse.h"

void lt__tree_next(struct lt_treereader *r)
{
	lt__lex_next(&r->l);
	r->l.depth = 0;         /* a line ends within brackets, too */
}

void lt__tree_word(struct lt_treereader *r)
{
	struct lt_lexer *l = &r->l;
	while (l->next < l->end && (*l->next == ' ' || *l->next == '\t'))
		l->next++;
	if (l->next == l->end || *l->next == '\n' || *l->next == '\r' || *l->next == '#') {
		lt__tree_next(r);
		return;
	}
	l->at = l->next;
	l->token_line = l->line;
	l->token_column = (int32_t)(l->at - l->line_at < INT32_MAX ? l->at - l->line_at + 1 : INT32_MAX);
	while (l->next < l->end && !memchr(" \t\r\n#", *l->next, 5))
		l->next++;
	l->bytes = (size_t)(l->next - l->at);
	l->kind = *l->at >= '0' && *l->at <= '9' ? LT_TOKEN_NUMBER : LT_TOKEN_NAME;
}

bool lt__tree_at_end(const struct lt_treereader *r) { return r->l.kind == LT_TOKEN_LINE || r->l.kind == LT_TOKEN_END; }

lt_status lt__tree_end(struct lt_treereader *r)
{
	if (lt__tree_at_end(r))
		return LT_OK;
	return LT_TREE_SYNTAX(r, "the line should end here, not go on with %s", lt__lex_text(r->ctx, &r->l));
}

lt_status lt__tree_line(struct lt_treereader *r)
{
	do
		lt__tree_next(r);
	while (r->l.kind == LT_TOKEN_LINE);
	for (const char *c = r->l.line_at; r->l.kind != LT_TOKEN_END && c < r->l.at; c++)
		if (*c == '\t') {
			r->l.token_column = (int32_t)(c - r->l.line_at) + 1;
			return LT_TREE_SYNTAX(r, "a tab in the indentation; a level is two blanks");
		}
	return LT_OK;
}

/* Whole, but larger than any number that is kept. */
static bool number_is_large(const struct lt_treereader *r)
{
	uint64_t n;
	if (r->l.kind != LT_TOKEN_NUMBER)
		return false;
	for (size_t i = 0; i < r->l.bytes; i++)
		if (r->l.at[i] < '0' || r->l.at[i] > '9')
			return false;
	return !lt__lex_whole(&r->l, &n) || n > INT64_MAX;
}

lt_status lt__tree_number(struct lt_treereader *r, const char *what, int64_t min, int64_t *out)
{
	uint64_t n;
	if (number_is_large(r))
		return LT_TREE_SYNTAX(r, "%s is at most %lld, not %s", what, (long long)INT64_MAX,
			lt__lex_text(r->ctx, &r->l));
	if (!lt__lex_whole(&r->l, &n) || n > INT64_MAX || (int64_t)n < min)
		return LT_TREE_SYNTAX(r, "%s is a whole number of at least %lld, not %s", what, (long long)min,
			lt__lex_text(r->ctx, &r->l));
	*out = (int64_t)n;
	return LT_OK;
}

lt_status lt__tree_differs(struct lt_treereader *r, const char *fmt, ...)
{
	char text[700];
	va_list list;
	va_start(list, fmt);
	vsnprintf(text, sizeof text, fmt, list);
	va_end(list);
	if (!r->other)
		return lt__lex_fail(r->ctx, &r->l, LT_EILLEGAL, "%s", text);
	return lt__lex_fail(r->ctx, &r->l, LT_EILLEGAL,
		"this tree is of another graph, or of an older version of the script (%s; the graph is %s); the first "
		"difference: %s",
		r->made_for, r->given, text);
}
