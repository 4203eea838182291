/* lex.c -- the text of a program as words with their places. */
#include <string.h>
#include "frontends/seedot/seedot.h"

/* Longer ones first. */
static const char *const marks[] = { "<*>", "<+>", "<->", "|*|", "^T", ":+", ">=", "{s", "{p", "{d", "{g", "{k", "(",
	")",
	"[", "]", "}", ",", ":", "=", "?", "+", "-", "*", "$" };

struct sd_lexer { struct sd_program *p; const char *at, *end, *line_begin; int32_t line; };

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool begins_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

/* Blanks and comments. */
static void skip(struct sd_lexer *x)
{
	while (x->at < x->end) {
		if (*x->at == '\n') {
			x->line++;
			x->line_begin = ++x->at;
		} else if (*x->at == ' ' || *x->at == '\t' || *x->at == '\r') {
			x->at++;
		} else if (x->end - x->at > 1 && x->at[0] == '/' && x->at[1] == '/') {
			while (x->at < x->end && *x->at != '\n')
				x->at++;
		} else {
			return;
		}
	}
}

static const char *digits(const struct sd_lexer *x, const char *at)
{
	while (at < x->end && is_digit(*at))
		at++;
	return at;
}

/* 12, 1.5, .5, 2., 1e-3 */
static const char *number(const struct sd_lexer *x, enum sd_word_kind *kind)
{
	const char *at = digits(x, x->at);

	*kind = SD_INTEGER;
	if (at < x->end && *at == '.') {
		*kind = SD_DECIMAL;
		at = digits(x, at + 1);
	}
	if (at < x->end && (*at == 'e' || *at == 'E')) {
		const char *exponent = at + 1;

		if (exponent < x->end && (*exponent == '+' || *exponent == '-'))
			exponent++;
		if (exponent < x->end && is_digit(*exponent)) {
			*kind = SD_DECIMAL;
			at = digits(x, exponent);
		}
	}
	return at;
}

static const char *name_end(const struct sd_lexer *x)
{
	const char *at = x->at;

	while (at < x->end && (begins_name(*at) || is_digit(*at) || *at == '\''))
		at++;
	return at;
}

static const char *mark_end(const struct sd_lexer *x)
{
	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
		const size_t n = strlen(marks[i]);

		if ((size_t)(x->end - x->at) >= n && !memcmp(x->at, marks[i], n))
			return x->at + n;
	}
	return NULL;
}

static bool next_word(struct sd_lexer *x, struct sd_word *w)
{
	skip(x);
	*w = (struct sd_word){ .kind = SD_END, .at = x->at, .place = { x->line, (int32_t)(x->at - x->line_begin) + 1 } };
	if (x->at == x->end)
		return true;
	const char c = *x->at, *end = NULL;
	if (is_digit(c) || (c == '.' && x->end - x->at > 1 && is_digit(x->at[1]))) {
		end = number(x, &w->kind);
	} else if (begins_name(c)) {
		w->kind = SD_IDENTIFIER;
		end = name_end(x);
	} else {
		w->kind = SD_MARK;
		end = mark_end(x);
	}
	if (!end)
		return (unsigned char)c < ' ' || (unsigned char)c > '~'
			? lt__sd_refuse(x->p, w->place, "no word begins with byte 0x%02x", (unsigned char)c)
			: lt__sd_refuse(x->p, w->place, "no word begins with '%c'", c);
	w->n = (int32_t)(end - x->at);
	x->at = end;
	return true;
}

bool lt__sd_lex(struct sd_program *p, const char *text, size_t bytes, struct sd_word **out)
{
	enum { LONGEST = 1 << 28 };
	struct sd_lexer x = { .p = p, .at = text, .end = text + bytes, .line_begin = text, .line = 1 };
	struct sd_word *words = NULL;
	int32_t n = 0, cap = 0;

	if (bytes > LONGEST)
		return lt__sd_refuse(p, (struct sd_place){ 1, 1 }, "a program has at most %d bytes, not %zu", LONGEST, bytes);
	do {
		LT_GROW(p->arena, words, n, cap);
		if (!next_word(&x, &words[n]))
			return false;
	} while (words[n++].kind != SD_END);
	*out = words;
	return true;
}
