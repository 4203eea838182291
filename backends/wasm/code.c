/* code.c -- instructions as binary and as text (code.h). */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "backends/wasm/code.h"
#include "base/arena.h"

enum immediates { NONE, BLOCK, LABEL, CALL, LOCAL, MEMORY, MEMORY_LANE, CONST, SHUFFLE, LANE };
static const struct { const char *text; uint8_t prefix, immediates; uint16_t code; } rows[WASM_N] = {
#define WASM(id, text, prefix, code, immediates) [WASM_##id] = { text, prefix, immediates, code },
#include "backends/wasm/instruction.def"
#undef WASM
};

const char *lt__wasm_type_name(enum wasm_type t)
{
	return t == WASM_I32 ? "i32" : t == WASM_I64 ? "i64" : t == WASM_F32 ? "f32" : t == WASM_F64 ? "f64" : "v128";
}

/* -- bytes */

static bool reserve(struct wasm_bytes *b, size_t n)
{
	if (b->failed || n <= b->cap - b->n)
		return !b->failed;
	const size_t cap = (b->n + n) * 2 + 64;
	char *at = realloc(b->at, cap);
	if (!at) {
		b->failed = true;
		return false;
	}
	b->at = at;
	b->cap = cap;
	return true;
}

void lt__wasm_bytes(struct wasm_bytes *b, const void *from, size_t n)
{
	if (n && reserve(b, n)) {
		memcpy(b->at + b->n, from, n);
		b->n += n;
	}
}

void lt__wasm_byte(struct wasm_bytes *b, uint8_t byte) { lt__wasm_bytes(b, &byte, 1); }

void lt__wasm_unsigned(struct wasm_bytes *b, uint64_t x)
{
	for (; x >= 0x80; x >>= 7)
		lt__wasm_byte(b, (uint8_t)(x | 0x80));
	lt__wasm_byte(b, (uint8_t)x);
}

void lt__wasm_signed(struct wasm_bytes *b, int64_t x)
{
	for (; x < -64 || x >= 64; x >>= 7)
		lt__wasm_byte(b, (uint8_t)(x | 0x80));
	lt__wasm_byte(b, (uint8_t)(x & 0x7f));
}

void lt__wasm_name(struct wasm_bytes *b, const char *name)
{
	lt__wasm_unsigned(b, strlen(name));
	lt__wasm_bytes(b, name, strlen(name));
}

static void append(struct wasm_bytes *b, const char *fmt, va_list ap)
{
	char line[400];
	const int n = vsnprintf(line, sizeof line, fmt, ap);
	lt__wasm_bytes(b, line, n < 0 ? 0 : (size_t)n < sizeof line ? (size_t)n : sizeof line - 1);
}

void lt__wasm_text(struct wasm_bytes *b, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	append(b, fmt, ap);
	va_end(ap);
}

void lt__wasm_sized(struct wasm_bytes *b, struct wasm_bytes *part)
{
	lt__wasm_unsigned(b, part->n);
	lt__wasm_bytes(b, part->at, part->n);
	b->failed = b->failed || part->failed;
	free(part->at);
	*part = (struct wasm_bytes){ NULL, 0, 0, false };
}

/* -- functions */

uint32_t lt__wasm_local(struct wasm_code *c, enum wasm_type type, bool parameter, const char *fmt, ...)
{
	if (c->n_local == c->cap) {
		const uint32_t cap = 2 * c->cap + 64;
		struct wasm_local *more = realloc(c->local, cap * sizeof *more);
		if (!more) {
			c->failed = true;
			return 0;
		}
		c->local = more;
		c->cap = cap;
	}
	struct wasm_local *l = &c->local[c->n_local];
	va_list ap;
	va_start(ap, fmt);
	(void)vsnprintf(l->name, sizeof l->name, fmt, ap);
	va_end(ap);
	l->type = (uint8_t)type;
	c->n_parameter += parameter;
	return c->n_local++;
}

bool lt__wasm_code_failed(const struct wasm_code *c) { return c->failed || c->binary.failed || c->text.failed; }

void lt__wasm_code_drop(struct wasm_code *c)
{
	free(c->binary.at);
	free(c->text.at);
	free(c->local);
}

static void text_begin(struct wasm_code *c, enum wasm_instruction x)
{
	static const char tabs[] = "\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t";
	const size_t most = sizeof tabs - 1;
	size_t n = c->depth + 2;
	lt__wasm_bytes(&c->text, tabs, n < most ? n : most);
	lt__wasm_bytes(&c->text, rows[x].text, strlen(rows[x].text));
}

/* An instruction's line in the text up to what follows its word, and its code in the binary. */
static bool begin(struct wasm_code *c, enum wasm_instruction x)
{
	if (rows[x].prefix) {
		lt__wasm_byte(&c->binary, rows[x].prefix);
		lt__wasm_unsigned(&c->binary, rows[x].code);
	} else {
		lt__wasm_byte(&c->binary, (uint8_t)rows[x].code);
	}
	if (!c->has_text)
		return false;
	if (x == WASM_end || x == WASM_else)
		c->depth--;
	text_begin(c, x);
	if (x == WASM_else)
		c->depth++;
	return true;
}

static void line_end(struct wasm_code *c) { lt__wasm_byte(&c->text, '\n'); }

void lt__wasm(struct wasm_code *c, enum wasm_instruction x)
{
	if (begin(c, x))
		line_end(c);
}

void lt__wasm_else(struct wasm_code *c)
{
	c->before_else[0] = c->binary.n;
	c->before_else[1] = c->text.n;
	lt__wasm(c, WASM_else);
	c->after_else = c->binary.n;
}

void lt__wasm_end(struct wasm_code *c)
{
	if (c->after_else && c->after_else == c->binary.n) {
		c->binary.n = c->before_else[0];
		c->text.n = c->before_else[1];
	}
	c->after_else = 0;
	lt__wasm(c, WASM_end);
}

void lt__wasm_at(struct wasm_code *c, enum wasm_instruction x, uint32_t local)
{
	const bool text = begin(c, x);
	if (local >= c->n_local && !c->failed)
		lt_bug("an instruction of WebAssembly has no such local");
	lt__wasm_unsigned(&c->binary, local);
	if (text && local < c->n_local)
		lt__wasm_text(&c->text, " $%s\n", c->local[local].name);
}

void lt__wasm_open(struct wasm_code *c, enum wasm_instruction x, enum wasm_type type)
{
	const bool text = begin(c, x);
	lt__wasm_byte(&c->binary, (uint8_t)type);
	if (!text)
		return;
	if (type != WASM_EMPTY)
		lt__wasm_text(&c->text, " (result %s)", lt__wasm_type_name(type));
	line_end(c);
	c->depth++;
}

void lt__wasm_branch(struct wasm_code *c, enum wasm_instruction x, uint32_t label)
{
	const bool text = begin(c, x);
	lt__wasm_unsigned(&c->binary, label);
	if (text)
		lt__wasm_text(&c->text, " %u\n", (unsigned)label);
}

void lt__wasm_call(struct wasm_code *c, uint32_t function, const char *name)
{
	const bool text = begin(c, WASM_call);
	lt__wasm_unsigned(&c->binary, function);
	if (text)
		lt__wasm_text(&c->text, " $%s\n", name);
}

void lt__wasm_lane(struct wasm_code *c, enum wasm_instruction x, uint32_t lane)
{
	const bool text = begin(c, x);
	lt__wasm_byte(&c->binary, (uint8_t)lane);
	if (text)
		lt__wasm_text(&c->text, " %u\n", (unsigned)lane);
}

void lt__wasm_memory(struct wasm_code *c, enum wasm_instruction x, uint32_t offset, uint32_t align, uint32_t lane)
{
	const bool text = begin(c, x);
	lt__wasm_unsigned(&c->binary, (uint64_t)__builtin_ctz(align));
	lt__wasm_unsigned(&c->binary, offset);
	if (rows[x].immediates == MEMORY_LANE)
		lt__wasm_byte(&c->binary, (uint8_t)lane);
	if (!text)
		return;
	if (offset)
		lt__wasm_text(&c->text, " offset=%u", (unsigned)offset);
	lt__wasm_text(&c->text, " align=%u", (unsigned)align);
	if (rows[x].immediates == MEMORY_LANE)
		lt__wasm_text(&c->text, " %u", (unsigned)lane);
	line_end(c);
}

/* -- constants */

void lt__wasm_i32(struct wasm_code *c, int32_t x)
{
	const bool text = begin(c, WASM_i32_const);
	lt__wasm_signed(&c->binary, x);
	if (text)
		lt__wasm_text(&c->text, " %" PRId32 "\n", x);
}

void lt__wasm_i64(struct wasm_code *c, int64_t x)
{
	const bool text = begin(c, WASM_i64_const);
	lt__wasm_signed(&c->binary, x);
	if (text)
		lt__wasm_text(&c->text, " %" PRId64 "\n", x);
}

static void little_endian(struct wasm_bytes *b, uint64_t bits, int bytes)
{
	for (int i = 0; i < bytes; i++)
		lt__wasm_byte(b, (uint8_t)(bits >> 8 * i));
}

/* Infinity and NaN have words of their own; all others are exact in hexadecimal. */
static void float_text(struct wasm_code *c, double value, bool negative, bool infinite, uint64_t payload)
{
	const char *sign = negative ? "-" : "";
	if (infinite)
		lt__wasm_text(&c->text, " %sinf\n", sign);
	else if (payload)
		lt__wasm_text(&c->text, " %snan:0x%" PRIx64 "\n", sign, payload);
	else
		lt__wasm_text(&c->text, " %a\n", value);
}

void lt__wasm_f32(struct wasm_code *c, uint32_t bits)
{
	const bool text = begin(c, WASM_f32_const), special = (bits >> 23 & 0xff) == 0xff;
	const uint32_t fraction = bits & 0x7fffff;
	float value;
	memcpy(&value, &bits, sizeof value);
	little_endian(&c->binary, bits, 4);
	if (text)
		float_text(c, (double)value, bits >> 31, special && !fraction, special ? fraction : 0);
}

void lt__wasm_f64(struct wasm_code *c, uint64_t bits)
{
	const bool text = begin(c, WASM_f64_const), special = (bits >> 52 & 0x7ff) == 0x7ff;
	const uint64_t fraction = bits & 0xfffffffffffff;
	double value;
	memcpy(&value, &bits, sizeof value);
	little_endian(&c->binary, bits, 8);
	if (text)
		float_text(c, value, bits >> 63, special && !fraction, special ? fraction : 0);
}

void lt__wasm_v128(struct wasm_code *c, const uint8_t byte[16])
{
	const bool text = begin(c, WASM_v128_const);
	lt__wasm_bytes(&c->binary, byte, 16);
	if (!text)
		return;
	lt__wasm_text(&c->text, " i32x4");
	for (int i = 0; i < 4; i++)
		lt__wasm_text(&c->text, " 0x%02x%02x%02x%02x", byte[4 * i + 3], byte[4 * i + 2], byte[4 * i + 1], byte[4 * i]);
	line_end(c);
}

void lt__wasm_shuffle(struct wasm_code *c, const uint8_t from[16])
{
	const bool text = begin(c, WASM_i8x16_shuffle);
	lt__wasm_bytes(&c->binary, from, 16);
	for (int i = 0; text && i < 16; i++)
		lt__wasm_text(&c->text, " %d", from[i]);
	if (text)
		line_end(c);
}
