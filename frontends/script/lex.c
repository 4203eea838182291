/* lex.c -- characters of a script: blanks, comments, words, numbers, places. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "frontends/script/reader.h"

static bool is_white(int c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_digit(int c)
{
	return c >= '0' && c <= '9';
}

static bool lex_is_letter(int c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static int byte(const struct lt_cursor *c)
{
	return c->at < c->end ? (unsigned char)*c->at : -1;
}

/* A continuation byte of UTF-8 does not begin a column. */
void lt__lex_step(struct lt_cursor *c)
{
	int b = byte(c);
	c->at++;
	if (b == '\n') {
		c->position.line++;
		c->position.column = 1;
	} else if ((b & 0xc0) != 0x80) {
		c->position.column++;
	}
}

int lt__lex_peek(struct lt_cursor *c)
{
	for (;;) {
		while (is_white(byte(c)))
			lt__lex_step(c);
		if (byte(c) != '#' && !(byte(c) == '/' && c->end - c->at > 1 && c->at[1] == '/'))
			return byte(c);
		while (byte(c) >= 0 && byte(c) != '\n')
			lt__lex_step(c);
	}
}

int32_t lt__lex_word(struct lt_cursor *c, const char **text)
{
	lt__lex_peek(c);
	*text = c->at;
	if (lex_is_letter(byte(c)))
		while (lex_is_letter(byte(c)) || is_digit(byte(c)))
			lt__lex_step(c);
	return (int32_t)(c->at - *text);
}

int32_t lt__lex_name(struct lt_cursor *c, const char *stop, const char **text)
{
	lt__lex_peek(c);
	*text = c->at;
	while (byte(c) > 0 && !is_white(byte(c)) && !strchr(stop, byte(c)))
		lt__lex_step(c);
	return (int32_t)(c->at - *text);
}

int32_t lt__lex_digits(struct lt_cursor *c, const char **text)
{
	lt__lex_peek(c);
	*text = c->at;
	while (is_digit(byte(c)))
		lt__lex_step(c);
	return (int32_t)(c->at - *text);
}

static bool word_number(const char *text, int32_t n, double *value, int64_t *i, bool *whole)
{
	static const struct { const char *name; double value; bool whole; } words[] = {
		{ "inf", INFINITY, false }, { "nan", NAN, false }, { "true", 1, true }, { "false", 0, true },
	};
	for (size_t k = 0; k < sizeof words / sizeof *words; k++)
		if (strlen(words[k].name) == (size_t)n && memcmp(words[k].name, text, (size_t)n) == 0) {
			*value = words[k].value;
			*i = words[k].whole ? (int64_t)words[k].value : 0;
			*whole = words[k].whole;
			return true;
		}
	return false;
}

/* Digits with the point taken out and the exponent moved, so that strtod does not look at the locale's point.
 * More digits than `digits` holds say nothing more about a double: they count as zeros, the last as not. */
static double decimal(const char *text, const char *end)
{
	char digits[832];
	int32_t n = 0;
	int64_t exponent = 0;
	bool point = false, rest = false;
	for (; text < end && (is_digit(*text) || *text == '.'); text++) {
		if (*text == '.') {
			point = true;
			continue;
		}
		exponent -= point;
		if (n == 0 && *text == '0')
			continue;
		if (n < 800) {
			digits[n++] = *text;
		} else {
			rest = rest || *text != '0';
			exponent++;
		}
	}
	if (n == 0)
		return 0;
	if (rest) {
		digits[n++] = '1';
		exponent--;
	}
	if (text < end) {       /* at the e */
		int64_t sign = text[1] == '-' ? -1 : 1, shift = 0;
		for (text++; text < end; text++)
			if (is_digit(*text) && shift < INT32_MAX)
				shift = shift * 10 + (*text - '0');
		exponent += sign * shift;
	}
	snprintf(digits + n, sizeof digits - (size_t)n, "e%lld", (long long)exponent);
	return strtod(digits, NULL);
}

/* The ".." of 0..12 */
static bool is_range(const struct lt_cursor *c)
{
	return c->end - c->at > 1 && c->at[0] == '.' && c->at[1] == '.';
}

bool lt__lex_number(struct lt_cursor *c, double *value, int64_t *i, bool *whole, bool *overflow)
{
	lt__lex_peek(c);
	bool minus = byte(c) == '-', sign = minus || byte(c) == '+';
	*overflow = false;
	*i = 0;
	if (sign)
		lt__lex_step(c);
	const char *text;
	if (lex_is_letter(byte(c))) {
		int32_t n = lt__lex_word(c, &text);
		if (!word_number(text, n, value, i, whole) || (sign && !isinf(*value)))
			return false;
	} else {
		text = c->at;
		*whole = true;
		bool digits = false;
		while (is_digit(byte(c)) || (byte(c) == '.' && *whole && !is_range(c))) {
			if (byte(c) == '.')
				*whole = false;
			else {
				digits = true;
				*overflow = *overflow || lt__mul_overflow(*i, 10, i) ||
					lt__add_overflow(*i, minus ? '0' - *c->at : *c->at - '0', i);
			}
			lt__lex_step(c);
		}
		if (!digits)
			return false;
		if (byte(c) == 'e' || byte(c) == 'E') {
			struct lt_cursor mark = *c;
			lt__lex_step(c);
			if (byte(c) == '-' || byte(c) == '+')
				lt__lex_step(c);
			if (!is_digit(byte(c)))
				*c = mark;
			else
				*whole = false;
			while (is_digit(byte(c)))
				lt__lex_step(c);
		}
		*value = decimal(text, c->at);
		if (*overflow || !*whole)
			*i = 0;
		*overflow = *overflow && *whole;
		if (minus)
			*value = -*value;
		return true;
	}
	if (minus)
		*value = -*value;
	return true;
}

const char *lt__lex_found(const struct lt_cursor *c, char *buf, size_t bytes)
{
	int b = byte(c);
	if (b < 0)
		snprintf(buf, bytes, "the end of the script");
	else if (b < ' ' || b > '~')
		snprintf(buf, bytes, "byte 0x%02x", (unsigned)b);
	else
		snprintf(buf, bytes, "'%c'", b);
	return buf;
}
