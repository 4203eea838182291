/* string.c -- text in quotation marks, and names that need them. */
#include <math.h>
#include <string.h>
#include "frontends/script/reader.h"

static int32_t hex_of(const char *c)
{
	static const char digits[] = "0123456789abcdef";
	const char *at = *c ? strchr(digits, *c >= 'A' && *c <= 'F' ? *c - 'A' + 'a' : *c) : NULL;
	return at ? (int32_t)(at - digits) : -1;
}

/* The byte after a backslash; -1: there is no such escape. */
static int32_t read_escape(struct lt_cursor *c)
{
	static const char letter[] = "\"\\nt", value[] = "\"\\\n\t";
	const char *found = c->at < c->end && *c->at ? strchr(letter, *c->at) : NULL;
	if (found) {
		lt__lex_step(c);
		return value[found - letter];
	}
	if (c->end - c->at < 3 || *c->at != 'x' || hex_of(&c->at[1]) < 0 || hex_of(&c->at[2]) < 0)
		return -1;
	int32_t byte = 16 * hex_of(&c->at[1]) + hex_of(&c->at[2]);
	for (int32_t i = 0; i < 3; i++)
		lt__lex_step(c);
	return byte > 0 ? byte : -1;
}

lt_status lt__script_string(struct lt_script *s, const char **text, int32_t *n)
{
	struct lt_text out = { .arena = s->arena };
	struct lt_cursor *c = &s->cursor;
	LT_TRY(lt__script_expect(s, '"', "text in quotation marks"));
	while (c->at < c->end && *c->at != '"' && *c->at != '\n' && *c->at) {
		struct lt_position at = c->position;
		char byte = *c->at;
		lt__lex_step(c);
		int32_t value = byte == '\\' ? read_escape(c) : (unsigned char)byte;
		if (value < 0)
			return lt__script_fail(s, at, LT_ESYNTAX,
				"Unexpected symbol after \\: there are \\\" \\\\ \\n \\t and \\x01 to \\xff");
		lt__text_add(&out, &(char){ (char)value }, 1);
	}
	if (c->at == c->end || *c->at != '"')
		return lt__script_fail(s, c->position, LT_ESYNTAX, "Unexpected end of line, expected '\"'");
	lt__lex_step(c);
	*n = (int32_t)out.n;
	lt__text_add(&out, "", 1);
	*text = out.at;
	return LT_OK;
}

/* No name has white space in it: the word text before a quotation mark is none. */
lt_status lt__script_text_name(struct lt_script *s, const char **text, int32_t *n)
{
	struct lt_cursor c = s->cursor;
	const char *word;
	*text = NULL;
	if (lt__lex_word(&c, &word) != 4 || memcmp(word, "text", 4) || c.at == c.end || (*c.at != ' ' && *c.at != '\t')
		|| lt__lex_peek(&c) != '"')
		return LT_OK;
	struct lt_position at = c.position;
	s->cursor = c;
	LT_TRY(lt__script_string(s, text, n));
	return *n ? LT_OK : lt__script_fail(s, at, LT_ESYNTAX, "Empty name");
}

lt_status lt__script_pattern(struct lt_script *s, const struct lt_cursor *from, struct lt_arg *out)
{
	uint64_t bits = 0;
	int32_t n = 0;
	LT_TRY(lt__script_expect(s, '(', "'('"));
	LT_TRY(lt__script_expect(s, '0', "a pattern such as 0x7fc00000"));
	if (s->cursor.at == s->cursor.end || *s->cursor.at != 'x')
		return lt__script_unexpected(s, "a pattern such as 0x7fc00000");
	lt__lex_step(&s->cursor);
	for (; n < 16 && s->cursor.at < s->cursor.end && hex_of(s->cursor.at) >= 0; n++) {
		bits = bits << 4 | (uint64_t)hex_of(s->cursor.at);
		lt__lex_step(&s->cursor);
	}
	if (!n)
		return lt__script_unexpected(s, "a pattern such as 0x7fc00000");
	LT_TRY(lt__script_expect(s, ')', "')'"));
	*out = (struct lt_arg){ .kind = LT_ARG_NUMBER, .position = from->position, .statement = -1, .node = -1, .bits = true,
		.literal = true, .i = (int64_t)bits, .number = NAN, .text = from->at, .n = (int32_t)(s->cursor.at - from->at) };
	return LT_OK;
}
