/* names.c -- what words and numbers stand for: $5, names in their scopes, words of the language. */
#include <string.h>
#include "frontends/script/reader.h"
#include "base/nearest.h"

enum { NAME_MAX_BYTES = 100 };       /* bytes of a name */

lt_status lt__script_unexpected(struct lt_script *s, const char *expected)
{
	char found[32];
	int c = lt__lex_peek(&s->cursor);
	if (c < 0)
		return lt__script_fail(s, s->cursor.position, LT_ESYNTAX, "Unexpected end of script, expected %s", expected);
	if (c == ';')
		return lt__script_fail(s, s->cursor.position, LT_ESYNTAX, "Unexpected end of expression, expected %s", expected);
	return lt__script_fail(s, s->cursor.position, LT_ESYNTAX, "Unexpected symbol %s, expected %s",
		lt__lex_found(&s->cursor, found, sizeof found), expected);
}

lt_status lt__script_expect(struct lt_script *s, char c, const char *what)
{
	if (lt__lex_peek(&s->cursor) != (unsigned char)c)
		return lt__script_unexpected(s, what);
	lt__lex_step(&s->cursor);
	return LT_OK;
}

lt_status lt__script_follow(struct lt_script *s)
{
	int c = lt__lex_peek(&s->cursor);
	if (c >= 0 && c != ';')
		return lt__script_fail(
			s, s->cursor.position, LT_ESYNTAX, "Unexpected symbols after the end of expression, expected ';'");
	return c < 0 ? lt__script_unexpected(s, "';'") : LT_OK;
}

lt_status lt__script_end(struct lt_script *s)
{
	LT_TRY(lt__script_follow(s));
	return lt__script_expect(s, ';', "';'");
}

/* Digits without leading zeros; 0: there are none. */
static int32_t read_digits(struct lt_script *s, const char **text)
{
	int32_t n = lt__lex_digits(&s->cursor, text);
	while (n > 1 && **text == '0')
		(*text)++, n--;
	return n;
}

lt_status lt__script_id(struct lt_script *s, const char **text, int32_t *bytes)
{
	lt__lex_peek(&s->cursor);
	struct lt_position at = s->cursor.position;
	int64_t value = 0;
	int32_t n = read_digits(s, text);
	if (!n)
		return lt__script_unexpected(s, "the node's number");
	for (int32_t i = 0; i < n; i++)
		if (lt__mul_overflow(value, 10, &value) || lt__add_overflow(value, (*text)[i] - '0', &value))
			return lt__script_fail(s, at, LT_EOVERFLOW, "Node number $%.*s%s exceeds 63 bits",
				n < 40 ? n : 40, *text, n < 40 ? "" : "...");
	*bytes = n;
	return LT_OK;
}

lt_status lt__script_reference(struct lt_script *s, struct lt_arg *out)
{
	struct lt_position at = out->position;
	const char *text;
	int32_t n = read_digits(s, &text);
	if (!n)
		return lt__script_unexpected(s, "the node's number");
	int32_t i = lt__names_find(s->ids, text, (size_t)n);
	if (i >= 0) {
		*out = s->id[i].value;
		return LT_OK;
	}
	struct lt_nearest near;
	lt__nearest_begin(&near, text, (size_t)n);
	for (i = 0; i < s->n_id; i++)
		lt__nearest_add(&near, s->id[i].value.shown + 1);
	return lt__script_fail(s, at, LT_EINVAL,
		"Expression references unknown node: $%.*s is not defined before it is used%s", n < 40 ? n : 40, text,
		lt__nearest_hint(s->ctx, &near, "$", ""));
}

void lt__script_scope_new(struct lt_script *s, struct lt_script_scope *scope)
{
	*scope = (struct lt_script_scope){ .names = lt__names_new(s->arena) };
}

/* A name of the function that runs, or else of the script, also one whose value a repeat took. */
static const struct lt_binding *find_name(const struct lt_script *s, const char *name, int32_t bytes)
{
	const struct lt_script_scope *const scopes[] = { s->scope, &s->script_scope };
	for (int32_t k = 0; k < 2; k++) {
		const int32_t i = lt__names_find(scopes[k]->names, name, (size_t)bytes);
		if (i >= 0 && scopes[k]->binding[i].call == scopes[k]->call)
			return &scopes[k]->binding[i];
	}
	return NULL;
}

const struct lt_arg *lt__script_lookup(const struct lt_script *s, const char *name, int32_t bytes)
{
	const struct lt_binding *b = find_name(s, name, bytes);
	return b && !b->lost ? &b->value : NULL;
}

void lt__script_bind(struct lt_script *s, const char *name, int32_t bytes, const struct lt_arg *value)
{
	struct lt_script_scope *scope = s->scope;
	int32_t i = lt__names_find(scope->names, name, (size_t)bytes);
	if (i < 0) {
		LT_GROW(s->arena, scope->binding, scope->n_binding, scope->cap_binding);
		i = scope->n_binding++;
		scope->binding[i].name = lt__names_add(scope->names, name, (size_t)bytes, i);
	}
	struct lt_binding *b = &scope->binding[i];
	b->value = *value;
	b->value.shown = b->name;
	b->value.literal = false;
	b->call = scope->call;
	b->given = ++s->n_given;
	b->lost = false;
	s->names_used = true;
}

/* NULL: no such word; else what it is: "a type". */
static const char *reserved_word(const struct lt_script *s, const char *name, int32_t bytes)
{
	static const struct { const char *word, *what; } words[] = {
		{ "result", "a word of the language" }, { "def", "a word of the language" }, { "return", "a word of the language" },
		{ "repeat", "a word of the language" }, { "in", "a word of the language" }, { "inf", "a number" },
		{ "nan", "a number" }, { "true", "a number" }, { "false", "a number" }, { "NCHW", "a layout" },
		{ "NHWC", "a layout" },
	};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strlen(words[i].word) == (size_t)bytes && memcmp(words[i].word, name, (size_t)bytes) == 0)
			return words[i].what;
	if (lt__dtype_find_script(name, (size_t)bytes))
		return "a type";
	if (lt__names_find(s->types, name, (size_t)bytes) >= 0)
		return "a type of node";
	const int32_t f = lt__names_find(s->functions, name, (size_t)bytes);
	return f < 0 ? NULL : !s->function[f].own ? "a function"
		: lt__arena_format(s->arena, "a function, which is in %s,", s->function[f].file);
}

lt_status lt__script_check_name(struct lt_script *s, const char *name, int32_t bytes, struct lt_position at)
{
	const char *what = reserved_word(s, name, bytes);
	if (bytes > NAME_MAX_BYTES)
		return lt__script_fail(s, at, LT_EINVAL, "The name %.20s... is too long: %d bytes, the limit is %d", name, bytes,
			NAME_MAX_BYTES);
	if (what)
		return lt__script_fail(s, at, LT_EINVAL, "'%.*s' is %s and cannot be a name", bytes, name, what);
	return LT_OK;
}

/* What follows a name that is not defined: axis=0. */
static bool is_keyword(const struct lt_script *s)
{
	struct lt_cursor c = s->cursor;
	return lt__lex_peek(&c) == '=' && c.end - c.at > 1 && c.at[1] != '=';
}

lt_status lt__script_unknown_name(struct lt_script *s, struct lt_position at, const char *name, int32_t bytes)
{
	const struct lt_script_scope *const scopes[] = { s->scope, &s->script_scope };
	const struct lt_binding *b = find_name(s, name, bytes);
	const char *what = reserved_word(s, name, bytes);
	struct lt_nearest near;
	if (what)
		return lt__script_fail(s, at, LT_ESYNTAX, "Unexpected '%.*s': it is %s, expected a value", bytes, name, what);
	if (is_keyword(s))
		return lt__script_fail(s, at, LT_ESYNTAX,
			"Unexpected '%.*s =': arguments have no names, their order says which is which",
			bytes < NAME_MAX_BYTES ? bytes : NAME_MAX_BYTES, name);
	if (b && b->lost)
		return lt__script_fail(s, at, LT_EINVAL, "Unknown name: '%.*s' is what a round of the repeat in line %d gave, "
			"whose rounds differ in number from run to run: what is a node before the repeat, too, has a value after it, "
			"which FullNode(int64, [], 0) is for a number that is 0 then", bytes, name, b->value.position.line);
	lt__nearest_begin(&near, name, (size_t)bytes);
	for (int32_t k = 0; k < (s->scope == &s->script_scope ? 1 : 2); k++)
		for (int32_t i = 0; i < scopes[k]->n_binding; i++)
			if (scopes[k]->binding[i].call == scopes[k]->call && !scopes[k]->binding[i].lost)
				lt__nearest_add(&near, scopes[k]->binding[i].name);
	return lt__script_fail(s, at, LT_EINVAL, "Unknown name: '%.*s%s' is not defined before it is used%s",
		bytes < NAME_MAX_BYTES ? bytes : NAME_MAX_BYTES, name, bytes < NAME_MAX_BYTES ? "" : "...",
		lt__nearest_hint(s->ctx, &near, "'", "'"));
}

int32_t lt__script_function(const struct lt_script *s, const char *name, int32_t bytes)
{
	return lt__names_find(s->functions, name, (size_t)bytes);
}

/* By the first byte, or the first word. */
bool lt__script_begins(struct lt_script *s)
{
	int c = lt__lex_peek(&s->cursor);
	struct lt_cursor look = s->cursor;
	const char *word;
	int32_t n = lt__lex_word(&look, &word);
	if (!n)
		return c == '$' || c == '(' || c == '[' || c == '-' || c == '+' || c == '!' || c == '.' || (c >= '0' && c <= '9');
	return lt__lex_peek(&look) == '(' || lt__script_lookup(s, word, n) || reserved_word(s, word, n);
}
