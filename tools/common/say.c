/* say.c -- what tools print: nothing that a terminal would obey. */
#include <stdlib.h>
#include <string.h>
#include "base/plain.h"
#include "tools/common/common.h"

/* The bytes that may be shown as they are, from the beginning. */
static size_t plain_bytes(const char *text, size_t n, bool lines)
{
	size_t at = 0, bytes;
	bool plain;

	for (; at < n; at += bytes) {
		bytes = lt__plain_next(text + at, n - at, &plain);
		if (!plain && !(lines && (text[at] == '\n' || text[at] == '\t')))
			break;
	}
	return at;
}

static void plain_write(FILE *f, const char *text, size_t n)
{
	for (size_t at = 0; at < n;) {
		size_t plain = plain_bytes(text + at, n - at, true);
		bool shown;

		fwrite(text + at, 1, plain, f);
		at += plain;
		if (at == n)
			return;
		for (size_t bytes = lt__plain_next(text + at, n - at, &shown); bytes > 0; bytes--)
			fprintf(f, "\\x%02x", (unsigned char)text[at++]);
	}
}

void lt__vsay(FILE *f, const char *fmt, va_list args)
{
	char text[1024], *all = text;
	va_list again;
	int n;

	va_copy(again, args);
	n = vsnprintf(text, sizeof text, fmt, args);
	if (n >= (int)sizeof text) {
		all = malloc((size_t)n + 1);
		/* No memory: its beginning is better than nothing. */
		if (all)
			vsnprintf(all, (size_t)n + 1, fmt, again);
	}
	va_end(again);
	if (n > 0)
		plain_write(f, all ? all : text, strlen(all ? all : text));
	if (all != text)
		free(all);
}

void lt__say(FILE *f, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	lt__vsay(f, fmt, args);
	va_end(args);
}

/* The bytes that the first n take when they are shown. */
static size_t shown_bytes(const char *text, size_t n)
{
	size_t all = 0, bytes;
	bool plain;

	for (size_t at = 0; at < n; at += bytes) {
		bytes = lt__plain_next(text + at, n - at, &plain);
		all += plain ? bytes : 4 * bytes;
	}
	return all;
}

static char *show_text(char *to, const char *text, size_t n)
{
	size_t bytes;
	bool plain;

	for (size_t at = 0; at < n; at += bytes) {
		bytes = lt__plain_next(text + at, n - at, &plain);
		for (size_t i = 0; i < bytes; i++)
			to += plain ? (*to = text[at + i], 1) : sprintf(to, "\\x%02x", (unsigned char)text[at + i]);
	}
	return to;
}

struct lt_shown lt__shown(const char *name)
{
	struct lt_shown s;
	const size_t n = strlen(name), cap = sizeof s.text - 8;
	char *to = s.text;

	if (n <= cap && shown_bytes(name, n) <= cap) {
		to = show_text(to, name, n);
	} else {
		size_t first = 0, last = n;
		bool plain;

		for (size_t bytes; first < n; first += bytes) {
			bytes = lt__plain_next(name + first, n - first, &plain);
			if (shown_bytes(name, first + bytes) > cap / 2)
				break;
		}
		while (last > first && shown_bytes(name + last - 1, n - last + 1) <= cap / 2)
			last--;
		/* Not within a character. */
		while (last < n && ((unsigned char)name[last] & 0xc0) == 0x80)
			last++;
		to = show_text(to, name, first);
		to += sprintf(to, "...");
		to = show_text(to, name + last, n - last);
	}
	*to = '\0';
	return s;
}

struct lt_shown lt__shell(const char *word)
{
	static const char bare[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._:=,+-@%";
	const size_t n = strlen(word);
	const bool odd = plain_bytes(word, n, false) < n, quoted = odd || n == 0 || strspn(word, bare) < n;
	struct lt_shown s;
	char *to = s.text, *const last = s.text + sizeof s.text - 24;
	bool plain;

	to += sprintf(to, "%s", odd ? "$'" : quoted ? "'" : "");
	for (size_t at = 0, bytes; at < n && to < last; at += bytes) {
		bytes = lt__plain_next(word + at, n - at, &plain);
		for (size_t i = at; i < at + bytes; i++) {
			if (!plain)
				to += sprintf(to, "\\x%02x", (unsigned char)word[i]);
			else if (word[i] == '\'')
				to += sprintf(to, odd ? "\\'" : "'\\''");
			else if (odd && word[i] == '\\')
				to += sprintf(to, "\\\\");
			else
				*to++ = word[i];
		}
	}
	strcpy(to, quoted ? "'" : "");
	return s;
}

/* Bytes of the end that may begin a character which the next piece ends. */
static size_t begun(const char *text, size_t n)
{
	for (size_t k = 1; k <= 3 && k <= n; k++) {
		unsigned char c = (unsigned char)text[n - k];

		if (c >= 0xc2)
			return k < (c < 0xe0 ? 2u : c < 0xf0 ? 3u : 4u) ? k : 0;
		if ((c & 0xc0) != 0x80)
			return 0;
	}
	return 0;
}

void lt__say_piece(void *says, const char *text, size_t bytes)
{
	struct lt_says *s = says;

	/* What is held becomes whole, or turns out to be none. */
	for (; s->n > 0 && bytes > 0; text++, bytes--) {
		s->held[s->n++] = *text;
		if (begun(s->held, s->n) != s->n) {
			plain_write(s->to, s->held, s->n);
			s->n = 0;
		}
	}
	if (bytes == 0)
		return;
	size_t rest = begun(text, bytes);

	plain_write(s->to, text, bytes - rest);
	memcpy(s->held, text + bytes - rest, rest);
	s->n = rest;
}

void lt__say_end(struct lt_says *s)
{
	plain_write(s->to, s->held, s->n);
	s->n = 0;
}
