/* kernel/parse_word.c -- words, numbers and texts of a kernel program, and failures that say where. */
#define _GNU_SOURCE 1           /* strtod_l */
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "kernel/parse.h"
#include "kernel/report.h"

_Noreturn void lt__kernel_fail(
	struct lt_kernel_parser *p, lt_status status, struct lt_text_place at, const char *fmt, ...)
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
	p->place = (struct lt_text_place){ p->line,
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

/* Digits, decimal or hexadecimal after 0x, as a number of at most 64 bits. */
static bool read_digits(const char *at, size_t n, uint64_t *out)
{
	bool hex = n > 2 && at[0] == '0' && (at[1] == 'x' || at[1] == 'X');
	*out = 0;
	for (size_t i = hex ? 2 : 0; i < n; i++) {
		char c = at[i];
		int digit = c >= '0' && c <= '9' ? c - '0' : hex && c >= 'a' && c <= 'f' ? c - 'a' + 10
			: hex && c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
		if (digit < 0 || __builtin_mul_overflow(*out, (uint64_t)(hex ? 16 : 10), out)
			|| __builtin_add_overflow(*out, (uint64_t)digit, out))
			return false;
	}
	return n > 0;
}

static bool read_whole(const struct lt_kernel_parser *p, const char *at, size_t n, int64_t *out)
{
	bool minus = n > 0 && *at == '-';
	uint64_t size;
	if (p->kind != LT_KERNEL_WORD || !read_digits(at + minus, n - minus, &size) || size > (uint64_t)INT64_MAX + minus)
		return false;
	*out = (int64_t)(minus ? 0 - size : size);
	return true;
}

int64_t lt__kernel_number(struct lt_kernel_parser *p, const char *what, int64_t least, int64_t most)
{
	int64_t x;
	if (!read_whole(p, p->at, p->bytes, &x) || x < least || x > most)
		LT_KERNEL_SYNTAX(p, "expected %s, a whole number from %" PRId64 " to %" PRId64 ", found %s", what, least, most,
			lt__kernel_token(p).text);
	lt__kernel_next(p);
	return x;
}

uint64_t lt__kernel_hex(struct lt_kernel_parser *p, const char *what)
{
	uint64_t x;
	if (p->kind != LT_KERNEL_WORD || !read_digits(p->at, p->bytes, &x))
		LT_KERNEL_SYNTAX(p, "expected %s, a number such as 0x1f of at most 64 bits, found %s", what,
			lt__kernel_token(p).text);
	lt__kernel_next(p);
	return x;
}

/* inf, -1.5e3; false: no such number, or one beyond the type's. */
static bool read_float(const struct lt_kernel_parser *p, uint32_t dtype, uint64_t *bits)
{
	char text[64], *end;
	bool minus = p->bytes > 0 && *p->at == '-', infinite = p->bytes - minus == 3 && memcmp(p->at + minus, "inf", 3) == 0;
	if (p->bytes == 0 || p->bytes >= sizeof text || (!infinite && strspn(p->at + minus, "0123456789") == 0))
		return false;
	for (size_t i = 0; i < p->bytes && !infinite; i++)
		if (!p->at[i] || !strchr("0123456789.eE+-", p->at[i]))
			return false;
	memcpy(text, p->at, p->bytes);
	text[p->bytes] = '\0';
	locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);      /* whatever the host's decimal point is */
	if (!plain)
		return false;
	double f64 = strtod_l(text, &end, plain);
	float f32 = strtof_l(text, NULL, plain);
	uint32_t low;
	freelocale(plain);
	memcpy(&low, &f32, sizeof low);
	memcpy(bits, &f64, sizeof f64);
	if (dtype == LT_F32)
		*bits = low;
	return *end == '\0' && (infinite || (dtype == LT_F32 ? isfinite(f32) : isfinite(f64)));
}

static bool constant_is_float(uint32_t dtype)
{
	return dtype == LT_F32 || dtype == LT_F64 || dtype == LT_F16 || dtype == LT_BF16;
}

static bool read_constant(const struct lt_kernel_parser *p, struct lt_value_type t, uint64_t *bits)
{
	uint32_t width = t.dtype == LT_LANE_MASK ? t.lanes : lt__kernel_element_bytes(t.dtype) * 8;
	uint64_t all = width >= 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
	bool nan = p->bytes > 4 && memcmp(p->at, "nan:", 4) == 0;
	bool hex = p->bytes > 2 && p->at[0] == '0' && (p->at[1] == 'x' || p->at[1] == 'X');
	int64_t whole;
	if (p->kind != LT_KERNEL_WORD)
		return false;
	if (hex || (nan && constant_is_float(t.dtype)) || t.dtype == LT_LANE_MASK)
		return read_digits(p->at + (nan ? 4 : 0), p->bytes - (nan ? 4 : 0), bits) && *bits <= all;
	if (constant_is_float(t.dtype))
		return lt__kernel_element_bytes(t.dtype) >= 4 && read_float(p, t.dtype, bits);
	if (!read_whole(p, p->at, p->bytes, &whole))
		return false;
	bool plain = t.dtype == LT_BOOL || t.dtype == LT_U8;
	int64_t most = t.dtype == LT_BOOL ? 1 : plain ? (int64_t)all : (int64_t)(all / 2), least = plain ? 0 : -most - 1;
	*bits = (uint64_t)whole & all;
	return whole >= least && whole <= most;
}

uint64_t lt__kernel_constant(struct lt_kernel_parser *p, struct lt_value_type t)
{
	uint64_t bits;
	if (!read_constant(p, t, &bits))
		LT_KERNEL_SYNTAX(p, "expected a value such as %%0 or a constant of type %s%s, found %s",
			lt__kernel_element_name(t.dtype),
			t.dtype == LT_F16 || t.dtype == LT_BF16 ? " (its bits: 0x3c00)" : t.dtype == LT_LANE_MASK
			? " (a bit for each lane: 0x1)" : "", lt__kernel_token(p).text);
	lt__kernel_next(p);
	return bits;
}

/* f32, maskx8. */
struct lt_value_type lt__kernel_type(struct lt_kernel_parser *p)
{
	struct lt_value_type t = { p->kind == LT_KERNEL_WORD ? lt__kernel_element_find(p->at, p->bytes) : 0, 1 };
	size_t n = p->bytes;
	uint64_t lanes;
	while (!t.dtype && p->kind == LT_KERNEL_WORD && n > 1 && p->at[n - 1] >= '0' && p->at[n - 1] <= '9')
		n--;
	if (!t.dtype && p->kind == LT_KERNEL_WORD && n > 1 && n < p->bytes && p->at[n - 1] == 'x') {
		t.dtype = lt__kernel_element_find(p->at, n - 1);
		if (t.dtype && (!read_digits(p->at + n, p->bytes - n, &lanes) || lanes < 1 || lanes > LT_MAX_LANES))
			LT_KERNEL_SYNTAX(p, "%s has a number of lanes that is not from 1 to %d", lt__kernel_token(p).text,
				(int)LT_MAX_LANES);
		t.lanes = t.dtype ? (uint32_t)lanes : 1;
	}
	if (!t.dtype)
		LT_KERNEL_SYNTAX(p, "expected a type such as f32, i64x8 or mask, found %s", lt__kernel_token(p).text);
	lt__kernel_next(p);
	return t;
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

int32_t lt__kernel_origin(struct lt_kernel_parser *p)
{
	return lt__kernel_accept(p, "@") ? (int32_t)lt__kernel_number(p, "what it comes from", 0, INT32_MAX) : -1;
}

void lt__kernel_line_end(struct lt_kernel_parser *p)
{
	if (p->kind != LT_KERNEL_LINE && p->kind != LT_KERNEL_END)
		LT_KERNEL_SYNTAX(p, "the line should end here, not go on with %s", lt__kernel_token(p).text);
}

void *lt__kernel_grown(struct lt_pool *pool, void *at, int32_t n, int32_t *cap, size_t size)
{
	if (n < *cap)
		return at;
	if (*cap > INT32_MAX / 2)
		longjmp(pool->jump, 1);
	*cap = *cap ? *cap * 2 : 16;
	void *more = lt__pool_alloc(pool, (size_t)*cap, size);
	if (n)
		memcpy(more, at, (size_t)n * size);
	return more;
}

void lt__kernel_placed(struct lt_kernel_parser *p, enum lt_kernel_part part, struct lt_text_place at)
{
	struct lt_text_places *x = &p->places[part];
	x->at = lt__kernel_grown(&p->scratch, x->at, x->n, &x->cap, sizeof *x->at);
	x->at[x->n++] = at;
}
