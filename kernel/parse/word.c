/* word.c -- words and texts of a kernel program, and failures that say where. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "kernel/parse/parser.h"
#include "kernel/form/form.h"

_Noreturn void lt__kernel_fail(
	struct lt_kernel_parser *p, lt_status status, struct lt_text_position at, const char *fmt, ...)
{
	char text[800];
	va_list list;
	va_start(list, fmt);
	(void)vsnprintf(text, sizeof text, fmt, list);
	va_end(list);
	p->status = lt__report(p->diag, status, -1, -1, NULL, "kernel:%" PRId32 ":%" PRId32 ": %s", at.line, at.column, text);
	longjmp(p->scratch.jump, 1);
}

static bool is_name_byte(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}
static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
static bool is_sign(char c) { return c && strchr("[](),=@", c); }

static void lex_string(struct lt_kernel_parser *p)
{
	p->at = ++p->next;
	while (p->next < p->end && *p->next != '"' && *p->next != '\n')
		p->next += *p->next == '\\' && p->end - p->next > 1 && p->next[1] != '\n' ? 2 : 1;
	p->bytes = (size_t)(p->next - p->at);
	p->kind = p->next < p->end && *p->next == '"' ? LT_KERNEL_STRING : LT_KERNEL_BAD;
	p->next += p->kind == LT_KERNEL_STRING;
}

void lt__kernel_next(struct lt_kernel_parser *p)
{
	while (p->next < p->end && is_blank(*p->next))
		p->next++;
	if (p->next < p->end && *p->next == '#')
		while (p->next < p->end && *p->next != '\n')
			p->next++;
	p->position = (struct lt_text_position){ p->line,
		p->next - p->line_at < INT32_MAX ? (int32_t)(p->next - p->line_at) + 1 : INT32_MAX };
	p->at = p->next;
	p->bytes = 0;
	if (p->next == p->end) {
		p->kind = LT_KERNEL_END;
	} else if (*p->next == '\n') {
		p->kind = LT_KERNEL_LINE;
		p->line_at = ++p->next;
		p->line += p->line < INT32_MAX;
	} else if (*p->next == '"') {
		lex_string(p);
	} else if (is_sign(*p->next)) {
		p->kind = LT_KERNEL_SIGN;
		p->bytes = 1;
		p->next++;
	} else if (*p->next == '%') {
		p->kind = LT_KERNEL_VALUE;
		for (p->at = ++p->next; p->next < p->end && is_name_byte(*p->next); p->next++)
			p->bytes++;
	} else {
		p->kind = LT_KERNEL_WORD;
		while (p->next < p->end && !is_blank(*p->next) && !is_sign(*p->next) && !strchr("\n\"#%", *p->next))
			p->next++;
		p->next += p->next == p->at;            /* a byte 0 */
		p->bytes = (size_t)(p->next - p->at);
	}
}

bool lt__kernel_is(const struct lt_kernel_parser *p, const char *word)
{
	return (p->kind == LT_KERNEL_WORD || p->kind == LT_KERNEL_SIGN) && strlen(word) == p->bytes
		&& memcmp(p->at, word, p->bytes) == 0;
}

bool lt__kernel_accept(struct lt_kernel_parser *p, const char *word)
{
	if (!lt__kernel_is(p, word))
		return false;
	lt__kernel_next(p);
	return true;
}

void lt__kernel_expect(struct lt_kernel_parser *p, const char *word)
{
	if (!lt__kernel_accept(p, word))
		LT_KERNEL_SYNTAX(p, "expected '%s', found %s", word, lt__kernel_token(p).text);
}

struct lt_shown_token lt__kernel_token(const struct lt_kernel_parser *p)
{
	struct lt_shown_token shown;
	char some[48];
	size_t n = 0;
	for (; n < p->bytes && n + 1 < sizeof some; n++)
		some[n] = p->at[n] >= ' ' && p->at[n] < 127 ? p->at[n] : '?';
	some[n] = '\0';
	if (p->kind == LT_KERNEL_END || p->kind == LT_KERNEL_LINE)
		(void)snprintf(shown.text, sizeof shown.text, "the end of the %s", p->kind == LT_KERNEL_END ? "text" : "line");
	else if (p->kind == LT_KERNEL_BAD)
		(void)snprintf(shown.text, sizeof shown.text, "a text without its closing quote");
	else
		(void)snprintf(shown.text, sizeof shown.text, "'%s%s%s'", p->kind == LT_KERNEL_VALUE ? "%" : "", some,
			n < p->bytes ? "..." : "");
	return shown;
}

static int hex_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

const char *lt__kernel_string(struct lt_kernel_parser *p, const char *what)
{
	if (p->kind != LT_KERNEL_STRING)
		LT_KERNEL_SYNTAX(p, "expected %s between quotes, found %s", what, lt__kernel_token(p).text);
	char *text = lt__pool_alloc(&p->b.pool, p->bytes + 1, 1);
	size_t n = 0;
	for (size_t i = 0; i < p->bytes; i++) {
		char c = p->at[i];
		if (c == '\\') {
			c = ++i < p->bytes ? p->at[i] : '\0';
			int high = c == 'x' && p->bytes - i > 2 ? hex_digit(p->at[i + 1]) : -1;
			int low = high >= 0 ? hex_digit(p->at[i + 2]) : -1;
			i += low >= 0 ? 2 : 0;
			c = c == 'n' ? '\n' : c == 't' ? '\t' : low >= 0 ? (char)(high * 16 + low) : c == '"' || c == '\\' ? c : '\0';
		}
		if (!c)
			LT_KERNEL_SYNTAX(p, "a text has a byte 0 or an escape other than \\\" \\\\ \\n \\t \\xHH");
		text[n++] = c;
	}
	lt__kernel_next(p);
	return text;
}

const char *lt__kernel_word(struct lt_kernel_parser *p, const char *what)
{
	if (p->kind == LT_KERNEL_STRING)
		return lt__kernel_string(p, what);
	if (p->kind != LT_KERNEL_WORD || !lt__kernel_is_name(p->at, p->bytes))
		LT_KERNEL_SYNTAX(p, "expected %s, found %s; a name is letters, digits, _ and ., at most %d bytes", what,
			lt__kernel_token(p).text, (int)LT_MAX_NAME);
	char *text = lt__pool_alloc(&p->b.pool, p->bytes + 1, 1);
	memcpy(text, p->at, p->bytes);
	lt__kernel_next(p);
	return text;
}

void lt__kernel_line_end(struct lt_kernel_parser *p)
{
	if (p->kind != LT_KERNEL_LINE && p->kind != LT_KERNEL_END)
		LT_KERNEL_SYNTAX(p, "the line should end here, not go on with %s", lt__kernel_token(p).text);
}

void lt__kernel_located(struct lt_kernel_parser *p, enum lt_kernel_part part, struct lt_text_position at)
{
	struct lt_text_positions *x = &p->positions[part];
	x->at = lt__pool_grown(&p->scratch, x->at, x->n, &x->cap, sizeof *x->at);
	x->at[x->n++] = at;
}
