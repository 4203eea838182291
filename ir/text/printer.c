/* printer.c -- the text of a graph under way: its bytes, and what its lines are made of. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "ir/text/literal.h"
#include "base/plain.h"
#include "ir/text/printer.h"
#include "ir/text/text.h"

void lt__printer_flush(struct lt_printer *p)
{
	if (p->n)
		p->write(p->user, p->buffer, p->n);
	p->n = 0;
}

static void printer_add(struct lt_printer *p, const char *text, size_t bytes)
{
	if (p->n + bytes > LT_PRINTER_BYTES)
		lt__printer_flush(p);
	if (bytes > LT_PRINTER_BYTES) {
		p->write(p->user, text, bytes);
	} else {
		memcpy(p->buffer + p->n, text, bytes);
		p->n += bytes;
	}
}

void lt__printer_text(struct lt_printer *p, const char *text)
{
	printer_add(p, text, strlen(text));
}

void lt__printer_int(struct lt_printer *p, int64_t value)
{
	char text[24];

	snprintf(text, sizeof text, "%" PRId64, value);
	lt__printer_text(p, text);
}

void lt__printer_string(struct lt_printer *p, const char *text)
{
	static const char special[] = "\"\\\n\t", letter[] = "\"\\nt";
	char escape[8];
	bool plain;

	lt__printer_text(p, "\"");
	for (size_t n = strlen(text), bytes; n > 0; text += bytes, n -= bytes) {
		const char *found = strchr(special, *text);

		bytes = lt__plain_next(text, n, &plain);
		for (size_t i = 0; i < bytes; i++) {
			snprintf(escape, sizeof escape,
				found           ? "\\%c"
					: plain ? "%c"
						: "\\x%02x",
				found ? letter[found - special] : (unsigned char)text[i]);
			lt__printer_text(p, escape);
		}
	}
	lt__printer_text(p, "\"");
}

void lt__printer_node(struct lt_printer *p, lt_node x)
{
	lt__printer_text(p, "%");
	lt__printer_text(p, p->g->node[x].name);
}

void lt__printer_bits(struct lt_printer *p, uint64_t bits, enum lt_dtype t)
{
	char text[LT_LITERAL_BYTES];

	lt__literal_text(bits, t, text);
	lt__printer_text(p, text);
}

/* "+ 3*" before a term, "-" before a first one. */
void lt__printer_factor(struct lt_printer *p, bool first, int64_t c, bool atom)
{
	char text[24];
	uint64_t size = c < 0 ? 0 - (uint64_t)c : (uint64_t)c;

	lt__printer_text(p, first ? (c < 0 ? "-" : "") : c < 0 ? " - " : " + ");
	if (atom && size == 1)
		return;
	snprintf(text, sizeof text, "%" PRIu64 "%s", size, atom ? "*" : "");
	lt__printer_text(p, text);
}

void lt__printer_linear(struct lt_printer *p, const struct lt_linear *l)
{
	bool first = true;

	for (int32_t i = 0; i < l->n; i++) {
		lt__printer_factor(p, first, l->coef[i], true);
		lt__printer_text(p, p->g->param[l->param[i]].name);
		first = false;
	}
	if (l->constant || first)
		lt__printer_factor(p, first, l->constant, false);
}

struct kept_text { struct lt_arena *a; char *at; size_t n; };
static void keep_text(void *user, const char *text, size_t bytes)
{
	struct kept_text *k = user;
	char *longer = lt__arena_alloc(k->a, k->n + bytes + 1);

	if (k->n)
		memcpy(longer, k->at, k->n);
	memcpy(longer + k->n, text, bytes);
	longer[k->n += bytes] = '\0';
	k->at = longer;
}

const char *lt__linear_text(const struct lt_graph *g, const struct lt_linear *l, struct lt_arena *a)
{
	struct kept_text k = { .a = a };
	struct lt_printer p = { .g = g, .write = keep_text, .user = &k };

	lt__printer_linear(&p, l);
	lt__printer_flush(&p);
	return k.at;
}
