/* message.c -- see message.h. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include "base/message.h"
#include "base/plain.h"

struct message { char *out; size_t bytes, n; va_list list; };

static void message_add(struct message *m, const char *text, size_t n)
{
	const size_t left = m->bytes - 1 - m->n;

	n = n < left ? n : left;
	memcpy(m->out + m->n, text, n);
	m->n += n;
}

static void message_add_plain(struct message *m, const char *text, size_t n)
{
	char hex[8];
	size_t bytes;
	bool plain;

	for (size_t at = 0; at < n; at += bytes) {
		bytes = lt__plain_next(text + at, n - at, &plain);
		if (plain)
			message_add(m, text + at, bytes);
		for (size_t i = 0; i < bytes && !plain; i++)
			message_add(m, hex, (size_t)snprintf(hex, sizeof hex, "\\x%02x", (unsigned char)text[at + i]));
	}
}

/* A directive of printf: flags, width and precision as text without stars, the letters of its length. */
struct directive { char spec[40]; int precision; bool lines; char length, conversion; };

/* A number, or the next argument where a star stands for it. */
static int read_number(struct message *m, const char **at)
{
	int n = 0;

	if (**at == '*') {
		(*at)++;
		return va_arg(m->list, int);
	}
	for (; **at >= '0' && **at <= '9'; (*at)++)
		n = 10 * n + (**at - '0');
	return n;
}

static const char *read_directive(struct message *m, const char *at, struct directive *d)
{
	const size_t flags = strspn(at, "-+ #0");
	int n = snprintf(d->spec, sizeof d->spec, "%%%.*s", (int)flags, at), width;

	d->lines = flags > 0 && memchr(at, '-', flags) != NULL;
	at += flags;
	width = read_number(m, &at);
	if (width > 0)
		n += snprintf(d->spec + n, sizeof d->spec - (size_t)n, "%d", width);
	d->precision = -1;
	if (*at == '.') {
		at++;
		d->precision = read_number(m, &at);
	}
	if (d->precision >= 0)
		n += snprintf(d->spec + n, sizeof d->spec - (size_t)n, ".%d", d->precision);
	d->length = *at == 'l' && at[1] == 'l' ? 'j' : *at;
	d->length = strchr("lzjt", d->length) && d->length ? d->length : ' ';
	at += strspn(at, "hlzjt");
	d->conversion = *at;
	snprintf(d->spec + n, sizeof d->spec - (size_t)n, "%s%c", strchr("diuxXo", *at) ? "j" : "", *at);
	return at + 1;
}

static intmax_t signed_argument(struct message *m, char length)
{
	switch (length) {
	case 'l': return va_arg(m->list, long);
	case 'j': return va_arg(m->list, intmax_t);
	case 'z':
	case 't': return va_arg(m->list, ptrdiff_t);
	default:  return va_arg(m->list, int);
	}
}

static uintmax_t unsigned_argument(struct message *m, char length)
{
	switch (length) {
	case 'l': return va_arg(m->list, unsigned long);
	case 'j': return va_arg(m->list, uintmax_t);
	case 'z':
	case 't': return va_arg(m->list, size_t);
	default:  return va_arg(m->list, unsigned);
	}
}

static void add_argument(struct message *m, const struct directive *d)
{
	char number[400];
	const char *text;
	int n = 0;

	switch (d->conversion) {
	case 's':
		text = va_arg(m->list, const char *);
		text = text ? text : "(null)";
		(d->lines ? message_add : message_add_plain)(m, text, d->precision < 0 ? strlen(text) : strnlen(text,
			(size_t)d->precision));
		return;
	case 'c':
		number[0] = (char)va_arg(m->list, int);
		message_add_plain(m, number, 1);
		return;
	case 'd':
	case 'i':
		n = snprintf(number, sizeof number, d->spec, signed_argument(m, d->length));
		break;
	case 'u':
	case 'x':
	case 'X':
	case 'o':
		n = snprintf(number, sizeof number, d->spec, unsigned_argument(m, d->length));
		break;
	case 'p':
		n = snprintf(number, sizeof number, "%p", va_arg(m->list, void *));
		break;
	case '%':
		number[n++] = '%';
		break;
	default:
		n = snprintf(number, sizeof number, d->spec, va_arg(m->list, double));
	}
	message_add(m, number, n < (int)sizeof number ? (size_t)n : sizeof number - 1);
}

void lt__message(char *out, size_t bytes, const char *fmt, va_list list)
{
	struct message m = { .out = out, .bytes = bytes };
	struct directive d;

	va_copy(m.list, list);
	while (*fmt) {
		size_t n = strcspn(fmt, "%");

		message_add(&m, fmt, n);
		fmt += n;
		if (*fmt) {
			fmt = read_directive(&m, fmt + 1, &d);
			add_argument(&m, &d);
		}
	}
	va_end(m.list);
	out[m.n] = '\0';
}
