/* take.c -- a value where one of a certain kind has to be; numbers in the names of tensors. */
#include <string.h>
#include "frontends/script/script.h"

const char *lt__script_kind(const struct lt_arg *a)
{
	static const char *const text[] = {
		[LT_ARG_NODE] = "a value", [LT_ARG_NUMBER] = "a number", [LT_ARG_LIST] = "a list", [LT_ARG_TYPE] = "a type",
		[LT_ARG_LAYOUT] = "a layout", [LT_ARG_MANY] = "several values",
	};
	return text[a->kind];
}

lt_status lt__script_mismatch(
	struct lt_script *s, const struct lt_cursor *from, const struct lt_arg *value, const char *expected)
{
	struct lt_cursor end = s->cursor;
	if (value->kind == LT_ARG_MANY)
		return lt__script_fail(s, from->position, LT_ETYPE, "Unexpected number of values: %s gives %d, expected one; "
			"a, b = f(x); takes two", value->shown, value->n);
	if (!s->names_used) {
		s->cursor = *from;
		return lt__script_unexpected(s, expected);
	}
	const char *shown = lt__script_quote(s, from);
	s->cursor = end;
	return lt__script_fail(s, from->position, LT_ESYNTAX, "Unexpected %s: %s is %s, expected %s",
		lt__script_kind(value) + (value->kind == LT_ARG_MANY ? 0 : 2), shown, lt__script_kind(value), expected);
}

/* A number where an integer has to be: as the original language wrote those, or computed. */
static bool is_integer(const struct lt_arg *a)
{
	return !a->literal || *a->text == '-' || (*a->text >= '0' && *a->text <= '9');
}

static lt_status check_integer(struct lt_script *s, const struct lt_arg *a)
{
	struct lt_arg shown = *a;
	if (a->overflow)
		return lt__script_fail(s, a->position, LT_EOVERFLOW, "Integer exceeds 63 bits");
	if (a->whole)
		return LT_OK;
	lt__script_number_text(s, &shown);
	return lt__script_fail(s, a->position, LT_ESYNTAX, "Unexpected symbol, expected an integer, found %.*s", shown.n,
		shown.text);
}

/* Whether a value can be an argument of that kind. */
bool lt__script_fits(enum lt_arg_kind kind, const struct lt_arg *value)
{
	bool integer = value->kind == LT_ARG_NUMBER && is_integer(value);
	switch (kind) {
	case LT_ARG_NODE_OR_INT: return value->kind == LT_ARG_NODE || integer;
	case LT_ARG_INT:         return integer;
	case LT_ARG_SHAPE:       return value->kind == LT_ARG_LIST;
	default:                 return value->kind == kind;
	}
}

lt_status lt__script_accept(
	struct lt_script *s, enum lt_arg_kind kind, const char *expected, const struct lt_cursor *from, struct lt_arg *a)
{
	if (!lt__script_fits(kind, a))
		return lt__script_mismatch(s, from, a, expected);
	if (kind == LT_ARG_NUMBER) {
		LT_TRY(lt__script_check_huge(s, a));
		lt__script_number_text(s, a);
	} else if (a->kind == LT_ARG_NUMBER) {
		LT_TRY(check_integer(s, a));
	}
	a->kind = kind;
	return LT_OK;
}

lt_status lt__script_take(struct lt_script *s, enum lt_arg_kind kind, const char *expected, struct lt_arg *a)
{
	lt__lex_peek(&s->cursor);
	struct lt_cursor from = s->cursor;
	LT_TRY(s->expression(s, expected, a));
	return lt__script_accept(s, kind, expected, &from, a);
}

lt_status lt__script_argument(struct lt_script *s, struct lt_arg *a)
{
	lt__lex_peek(&s->cursor);
	struct lt_cursor from = s->cursor;
	s->level++;
	LT_TRY(s->expression(s, "a value, a number or a list", a));
	s->level--;
	return a->kind == LT_ARG_MANY ? lt__script_mismatch(s, &from, a, "one value") : LT_OK;
}

/* The text in the braces of a{i}: a name of a number; within functions and repeats it has to be a number, elsewhere it
 * may be mere text. */
static lt_status read_inserted(struct lt_script *s, struct lt_cursor at, const char *end, bool *is, int64_t *number)
{
	struct lt_cursor back = s->cursor, look = { at.at, end, at.position };
	const char *word;
	struct lt_arg value;
	int32_t n = lt__lex_word(&look, &word);
	const struct lt_arg *named = n && look.at == end ? lt__script_lookup(s, word, n) : NULL;
	*is = s->frame || (named && named->kind == LT_ARG_NUMBER);
	if (!*is)
		return LT_OK;
	s->cursor = (struct lt_cursor){ at.at, end, at.position };
	s->level++;
	LT_TRY(lt__script_take(s, LT_ARG_INT, "an integer, which is for {...} in a name", &value));
	s->level--;
	if (s->cursor.at < end)
		return lt__script_unexpected(s, "'}'");
	s->cursor = back;
	*number = value.i;
	return LT_OK;
}

lt_status lt__script_name(struct lt_script *s, const char *stop, struct lt_arg *a)
{
	struct lt_text made = { .arena = s->arena };
	LT_TRY(lt__script_text_name(s, &a->text, &a->n));
	if (a->text)
		return LT_OK;
	lt__lex_peek(&s->cursor);
	struct lt_cursor at = s->cursor;
	a->n = lt__lex_name(&s->cursor, stop, &a->text);
	if (!s->names_used || !memchr(a->text, '{', (size_t)a->n))
		return LT_OK;
	while (at.at < s->cursor.at) {
		const char *begin = at.at, *close = *begin == '{' ? begin + 1 : NULL;
		int64_t number = 0;
		bool is = false;
		while (close && close < s->cursor.at && *close != '{' && *close != '}')
			close++;
		if (close && (close == s->cursor.at || *close == '{'))
			close = NULL;
		lt__lex_step(&at);
		if (close)
			LT_TRY(read_inserted(s, at, close, &is, &number));
		if (is)
			lt__text_format(&made, "%lld", (long long)number);
		else
			lt__text_add(&made, begin, 1);
		while (is && at.at <= close)
			lt__lex_step(&at);
	}
	a->text = made.at;
	a->n = (int32_t)made.n;
	return LT_OK;
}
