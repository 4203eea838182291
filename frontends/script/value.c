/* value.c -- values and arguments: their kinds, and which one may be where another is expected. */
#include <string.h>
#include "frontends/script/reader.h"

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

struct lt_arg *lt__script_new_arg(struct lt_script *s, enum lt_arg_kind kind)
{
	LT_GROW(s->arena, s->arg, s->n_arg, s->cap_arg);
	struct lt_arg *a = &s->arg[s->n_arg++];
	memset(a, 0, sizeof *a);
	a->kind = kind;
	a->statement = a->node = -1;
	a->position = s->cursor.position;
	return a;
}
