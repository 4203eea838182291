/* lex.c -- tokens of the graph's text: names, %nodes, numbers, strings, signs, ends of lines. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/decimal.h"
#include "ir/text/text.h"

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

static int hex_digit(char c)
{
	if (is_digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

void lt__lex_begin(struct lt_lexer *l, const char *file, const char *text, size_t bytes)
{
	*l = (struct lt_lexer){ .file = file ? file : "graph", .next = text, .end = text + bytes, .line_at = text, .line = 1 };
	l->token_line = l->token_column = 1;
}

static char peek(const struct lt_lexer *l, size_t ahead)
{
	return (size_t)(l->end - l->next) > ahead ? l->next[ahead] : '\0';
}

static void new_line(struct lt_lexer *l)
{
	l->line += l->line < INT32_MAX;
	l->line_at = l->next;
}

/* Blanks, comments, and ends of lines within brackets. */
static void skip(struct lt_lexer *l)
{
	while (l->next < l->end) {
		if (*l->next == '#') {
			while (l->next < l->end && *l->next != '\n')
				l->next++;
		} else if (*l->next == '\n' && l->depth) {
			l->next++;
			new_line(l);
		} else if (*l->next == ' ' || *l->next == '\t' || *l->next == '\r') {
			l->next++;
		} else {
			return;
		}
	}
}

static void lex_number(struct lt_lexer *l)
{
	bool hex = *l->next == '0' && (peek(l, 1) == 'x' || peek(l, 1) == 'X') && hex_digit(peek(l, 2)) >= 0;

	l->kind = LT_TOKEN_NUMBER;
	l->next += hex ? 2 : 0;
	while (hex ? hex_digit(peek(l, 0)) >= 0 : is_digit(peek(l, 0)))
		l->next++;
	if (peek(l, 0) == '.' && (hex ? hex_digit(peek(l, 1)) >= 0 : is_digit(peek(l, 1)))) {
		l->next++;
		while (hex ? hex_digit(peek(l, 0)) >= 0 : is_digit(peek(l, 0)))
			l->next++;
	}
	if (hex ? peek(l, 0) == 'p' || peek(l, 0) == 'P' : peek(l, 0) == 'e' || peek(l, 0) == 'E') {
		size_t sign = peek(l, 1) == '+' || peek(l, 1) == '-';

		if (is_digit(peek(l, 1 + sign)))
			for (l->next += 1 + sign; is_digit(peek(l, 0));)
				l->next++;
	}
}

/* The token is what is between the quotes. */
static void lex_string(struct lt_lexer *l)
{
	l->at = ++l->next;
	while (l->next < l->end && *l->next != '"' && *l->next != '\n')
		l->next += *l->next == '\\' && l->end - l->next > 1 && l->next[1] != '\n' ? 2 : 1;
	l->kind = peek(l, 0) == '"' ? LT_TOKEN_STRING : LT_TOKEN_BAD;
	l->bytes = (size_t)(l->next - l->at);
	l->next += l->kind == LT_TOKEN_STRING;
}

static void lex_sign(struct lt_lexer *l)
{
	char c = *l->next;
	bool two = ((c == '>' || c == '=') && peek(l, 1) == '=') || (c == '.' && peek(l, 1) == '.');

	l->kind = c && (two || strchr("[]{}(),;=+-*/~@:.^", c)) ? LT_TOKEN_SIGN : LT_TOKEN_BAD;
	l->next += two ? 2 : 1;
	if (c == '[' || c == '{' || c == '(')
		l->depth += l->depth < INT32_MAX;
	else if (c == ']' || c == '}' || c == ')')
		l->depth -= l->depth > 0;
}

void lt__lex_next(struct lt_lexer *l)
{
	skip(l);
	l->at = l->next;
	l->token_line = l->line;
	l->token_column = (int32_t)(l->next - l->line_at < INT32_MAX ? l->next - l->line_at + 1 : INT32_MAX);
	if (l->next == l->end) {
		l->kind = LT_TOKEN_END;
	} else if (*l->next == '\n') {
		l->kind = LT_TOKEN_LINE;
		l->next++;
		new_line(l);
	} else if (is_letter(*l->next)) {
		l->kind = LT_TOKEN_NAME;
		while (is_letter(peek(l, 0)) || is_digit(peek(l, 0)))
			l->next++;
	} else if (*l->next == '%' && (is_letter(peek(l, 1)) || is_digit(peek(l, 1)))) {
		l->kind = LT_TOKEN_NODE;
		l->at = ++l->next;
		while (is_letter(peek(l, 0)) || is_digit(peek(l, 0)) || (peek(l, 0) == '.' && peek(l, 1) != '.'))
			l->next++;
	} else if (is_digit(*l->next)) {
		lex_number(l);
	} else if (*l->next == '"') {
		lex_string(l);
		return;
	} else {
		lex_sign(l);
	}
	l->bytes = (size_t)(l->next - l->at);
}

bool lt__lex_is(const struct lt_lexer *l, const char *text)
{
	return (l->kind == LT_TOKEN_NAME || l->kind == LT_TOKEN_SIGN) && strlen(text) == l->bytes
		&& !memcmp(l->at, text, l->bytes);
}

const char *lt__lex_text(struct lt_context *ctx, const struct lt_lexer *l)
{
	char text[64];
	size_t n = 0;

	if (l->kind == LT_TOKEN_END)
		return "the end of the text";
	if (l->kind == LT_TOKEN_LINE)
		return "the end of the line";
	for (; n < l->bytes && n + 1 < sizeof text; n++)
		text[n] = l->at[n] >= ' ' && l->at[n] < 127 ? l->at[n] : '?';
	text[n] = '\0';
	return lt__scratch(ctx, "'%s%s%s'", l->kind == LT_TOKEN_NODE ? "%" : "", text, n < l->bytes ? "..." : "");
}

lt_status lt__lex_fail(struct lt_context *ctx, const struct lt_lexer *l, lt_status status, const char *fmt, ...)
{
	char text[sizeof ctx->message];
	va_list list;

	va_start(list, fmt);
	vsnprintf(text, sizeof text, fmt, list);
	va_end(list);
	return lt_fail(ctx, status, "%.200s:%d:%d: %s", l->file, l->token_line, l->token_column, text);
}

bool lt__lex_whole(const struct lt_lexer *l, uint64_t *out)
{
	bool hex = l->bytes > 2 && (l->at[1] == 'x' || l->at[1] == 'X');
	uint64_t base = hex ? 16 : 10, value = 0;

	for (size_t i = hex ? 2 : 0; i < l->bytes; i++) {
		int digit = hex ? hex_digit(l->at[i]) : is_digit(l->at[i]) ? l->at[i] - '0' : -1;

		if (digit < 0 || __builtin_mul_overflow(value, base, &value)
			|| __builtin_add_overflow(value, (uint64_t)digit, &value))
			return false;
	}
	*out = value;
	return l->kind == LT_TOKEN_NUMBER;
}

/* Hexadecimal: at most 53 bits, so that nothing is rounded but by an exponent out of range. */
static bool hex_float(const struct lt_lexer *l, double *out)
{
	uint64_t mantissa = 0;
	int exponent = 0, written = 0;
	bool point = false, minus;
	size_t i;

	for (i = 2; i < l->bytes && l->at[i] != 'p' && l->at[i] != 'P'; i++) {
		if (l->at[i] == '.') {
			point = true;
			continue;
		}
		if (mantissa >> 60 || exponent < -4000)
			return false;
		mantissa = mantissa * 16 + (uint64_t)hex_digit(l->at[i]);
		exponent -= point ? 4 : 0;
	}
	if (i < l->bytes) {
		minus = l->at[++i] == '-';
		for (i += l->at[i] == '-' || l->at[i] == '+'; i < l->bytes; i++)
			written = written < 100000 ? written * 10 + (l->at[i] - '0') : written;
		exponent += minus ? -written : written;
	}
	*out = ldexp((double)mantissa, exponent);
	return mantissa >> 53 == 0 || (uint64_t)(double)mantissa == mantissa;
}

bool lt__lex_float(const struct lt_lexer *l, double *out)
{
	char text[512];

	*out = 0;
	if (l->bytes > 2 && (l->at[1] == 'x' || l->at[1] == 'X'))
		return hex_float(l, out);
	if (l->bytes >= sizeof text)
		return false;
	memcpy(text, l->at, l->bytes);
	text[l->bytes] = '\0';
	*out = lt__decimal(text, NULL);
	return isfinite(*out);
}

char *lt__lex_string(const struct lt_lexer *l, struct lt_arena *arena)
{
	char *text = lt__arena_alloc(arena, l->bytes + 1);
	size_t n = 0;

	for (size_t i = 0; i < l->bytes; i++) {
		char c = l->at[i];

		if (c == '\\') {
			c = ++i < l->bytes ? l->at[i] : '\0';
			if (c == 'n') {
				c = '\n';
			} else if (c == 't') {
				c = '\t';
			} else if (c == 'x') {
				int high = i + 2 < l->bytes ? hex_digit(l->at[i + 1]) : -1;
				int low = i + 2 < l->bytes ? hex_digit(l->at[i + 2]) : -1;

				i += 2;
				c = high < 0 || low < 0 ? '\0' : (char)(high * 16 + low);
			} else if (c != '"' && c != '\\') {
				return NULL;
			}
		}
		if (!c)
			return NULL;
		text[n++] = c;
	}
	text[n] = '\0';
	return text;
}
