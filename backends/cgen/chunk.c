/* backends/cgen/chunk.c -- the prelude as text, and what of it a kernel needs. */
#include <stdio.h>
#include <string.h>
#include "backends/cgen/gen.h"

static const char *const lines[] = {
#include "backends/cgen/prelude_text.h"
};
enum { N_LINE = sizeof lines / sizeof *lines };

size_t lt__cgen_prelude(char *text, size_t bytes)
{
	size_t n = 0;
	for (int i = 0; i < N_LINE; i++)
		if (strncmp(lines[i], "#include", 8) != 0) {
			int more = snprintf(n < bytes ? text + n : NULL, n < bytes ? bytes - n : 0, "%s\n", lines[i]);
			n += more > 0 ? (size_t)more : 0;
		}
	return n;
}

struct chunk { const char *name; size_t bytes; const struct lt_chunk *base; int first, n; bool used; };

static bool word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}
static size_t word_bytes(const char *s)
{
	size_t n = 0;
	while (word(s[n]))
		n++;
	return n;
}

static bool begins(const char *line) { return word(line[0]); }
static bool ends(const char *line)
{
	const char *brace = strrchr(line, '}');
	return line[0] == '}' || (begins(line) && brace && (brace[1] == '\0' || brace[1] == ';'));
}

/* The definitions of the dialect, then those of the prelude. */
static int collect(const struct gen *g, struct chunk *c)
{
	int n = 0;
	for (const struct lt_chunk *b = g->d->chunks; b->name; b++)
		c[n++] = (struct chunk){ .name = b->name, .bytes = strlen(b->name), .base = b };
	for (int i = 0; i < N_LINE; i++) {
		if (!begins(lines[i]))
			continue;
		const char *name = strstr(lines[i], "lt_");
		int first = i;
		while (i + 1 < N_LINE && !ends(lines[i]))
			i++;
		bool ours = false;      /* the dialect has its own */
		for (int k = 0; k < n && !ours; k++)
			ours = c[k].base && c[k].bytes == word_bytes(name) && memcmp(c[k].name, name, c[k].bytes) == 0;
		if (ours)
			continue;
		c[n++] = (struct chunk){ .name = name, .bytes = word_bytes(name), .first = first, .n = i - first + 1 };
	}
	return n;
}

/* Marks the definitions among the first n whose names occur in text. */
static void mark(struct chunk *c, int n, const char *text)
{
	while (*text) {
		size_t bytes = word_bytes(text);
		for (int i = 0; bytes > 1 && i < n; i++)
			if (c[i].bytes == bytes && c[i].name[0] == text[0] && memcmp(c[i].name, text, bytes) == 0)
				c[i].used = true;
		text += bytes ? bytes : 1;
	}
}

void lt__gen_chunks(struct gen *g, const char *text, struct lt_out *out)
{
	struct chunk *c = lt__pool_alloc(&g->pool, 256 + N_LINE, sizeof *c);
	int n = collect(g, c);
	mark(c, n, text);
	const char *more = g->t->prelude;       /* of operators that are not ours */
	if (more && strstr(more, "LT_CGEN_PRELUDE_H"))
		more = NULL;
	if (more)
		mark(c, n, more);
	for (int i = n; i-- > 0; )      /* a definition uses only those above it */
		for (int l = 0; c[i].used && l < (c[i].base ? 1 : c[i].n); l++)
			mark(c, i, c[i].base ? c[i].base->text : lines[c[i].first + l]);
	const char *last = "";          /* those of one header stand together */
	for (int i = 0; i < n; i++) {
		if (!c[i].used)
			continue;
		if (c[i].base && g->named && !g->d->no_headers && c[i].base->header) {
			if (strcmp(last, c[i].base->header) != 0)
				lt__outf(out, "#include <%s>\n", c[i].base->header);
			last = c[i].base->header;
		} else if (c[i].base) {
			lt__out(out, c[i].base->text);
		}
		for (int l = 0; !c[i].base && l < c[i].n; l++)
			lt__outf(out, "%s\n", lines[c[i].first + l]);
	}
	if (more)
		lt__outf(out, "%s\n", more);
}
