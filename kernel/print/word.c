/* word.c -- words of a kernel program's text: names, types, constants, texts between quotes (printer.h). */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "kernel/print/printer.h"

void lt__print_text(struct lt_kernel_printer *p, const char *text) { p->write(p->user, text, strlen(text)); }

void lt__printf(struct lt_kernel_printer *p, const char *fmt, ...)
{
	char text[256];
	va_list list;
	va_start(list, fmt);
	(void)vsnprintf(text, sizeof text, fmt, list);
	va_end(list);
	lt__print_text(p, text);
}

void lt__print_quoted(struct lt_kernel_printer *p, const char *text, size_t n)
{
	char some[128];
	size_t at = 0;
	some[at++] = '"';
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)text[i];
		if (at > sizeof some - 8) {
			p->write(p->user, some, at);
			at = 0;
		}
		if (c == '"' || c == '\\' || c == '\n' || c == '\t') {
			some[at++] = '\\';
			some[at++] = c == '\n' ? 'n' : c == '\t' ? 't' : (char)c;
		} else if (c >= ' ' && c < 127) {
			some[at++] = (char)c;
		} else {
			at += (size_t)snprintf(some + at, 5, "\\x%02x", c);
		}
	}
	some[at++] = '"';
	p->write(p->user, some, at);
}

/* As it is where it is one word, else between quotes. */
void lt__print_name(struct lt_kernel_printer *p, const char *name)
{
	size_t n = name ? strlen(name) : 0;
	if (lt__kernel_is_name(name, n))
		lt__print_text(p, name);
	else
		lt__print_quoted(p, name ? name : "", n);
}

void lt__print_type(struct lt_kernel_printer *p, struct lt_value_type t)
{
	const char *name = lt__kernel_element_name(t.dtype);
	lt__print_text(p, name ? name : "?");
	if (t.lanes != 1)
		lt__printf(p, "x%" PRIu32, t.lanes);
}

/* With a point, whatever the host's locale has. */
static void print_float(struct lt_kernel_printer *p, double x, int digits)
{
	char text[64], plain[64];
	size_t n = 0;
	(void)snprintf(text, sizeof text, "%.*g", digits, x);
	for (const char *c = text; *c; c++)
		if ((*c >= '0' && *c <= '9') || (*c && strchr("+-einf", *c)))
			plain[n++] = *c;
		else if (n == 0 || plain[n - 1] != '.')
			plain[n++] = '.';
	plain[n] = '\0';
	lt__print_text(p, plain);
}

void lt__print_const(struct lt_kernel_printer *p, uint32_t dtype, uint64_t bits)
{
	double f64;
	float f32;
	uint32_t low = (uint32_t)bits;
	memcpy(&f64, &bits, sizeof f64);
	memcpy(&f32, &low, sizeof f32);
	switch (dtype) {
	case LT_F32:
		if (isnan(f32))
			lt__printf(p, "nan:0x%" PRIx32, low);
		else
			print_float(p, (double)f32, 9);
		break;
	case LT_F64:
		if (isnan(f64))
			lt__printf(p, "nan:0x%" PRIx64, bits);
		else
			print_float(p, f64, 17);
		break;
	case LT_I8: lt__printf(p, "%d", (int)(int8_t)(uint8_t)bits); break;
	case LT_I16: lt__printf(p, "%d", (int)(int16_t)(uint16_t)bits); break;
	case LT_I32: lt__printf(p, "%" PRId32, (int32_t)low); break;
	case LT_I64: lt__printf(p, "%" PRId64, (int64_t)bits); break;
	case LT_U16: lt__printf(p, "%u", (unsigned)(uint16_t)bits); break;
	case LT_U32: lt__printf(p, "%" PRIu32, low); break;
	case LT_U64: lt__printf(p, "%" PRIu64, bits); break;
	case LT_U8:
	case LT_BOOL: lt__printf(p, "%u", (unsigned)(uint8_t)bits); break;
	case LT_F16:
	case LT_BF16: lt__printf(p, "0x%04x", (unsigned)(uint16_t)bits); break;
	default: lt__printf(p, "0x%" PRIx64, bits); break;
	}
}
