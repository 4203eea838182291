/* reduce_text.c -- texts of graphs and schedules, by lines and names. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tools/check/parts.h"
#include "tools/check/reduce.h"

size_t lt__reduce_name(const char *s)
{
	size_t n = *s == '%';
	while (isalnum((unsigned char)s[n]) || s[n] == '_' || s[n] == '.')
		n++;
	return n;
}

static const char *past_string(const char *s)
{
	for (s++; *s && *s != '"'; s++)
		s += *s == '\\' && s[1];
	return s + (*s == '"');
}

const char *lt__reduce_find(const char *from, const char *name, size_t n)
{
	while (*from) {
		size_t m = lt__reduce_name(from);
		if (m == n && !memcmp(from, name, n))
			return from;
		from = *from == '"' ? past_string(from) : from + m + (m == 0);
	}
	return NULL;
}

const char *lt__reduce_line(const char *text, int64_t k)
{
	for (; *text && k > 0; k--) {
		text += strcspn(text, "\n");
		text += *text == '\n';
	}
	return *text ? text : NULL;
}

char *lt__reduce_splice(const char *text, const char *at, size_t n, const char *with)
{
	char *out;
	return asprintf(&out, "%.*s%s%s", (int)(at - text), text, with, at + n) < 0 ? NULL : out;
}

/* What the line defines; NULL: it is there for another reason. */
static const char *defined_by(const char *line)
{
	return *line == '%' ? line : !strncmp(line, "var ", 4) ? line + 4 : !strncmp(line, "param ", 6) ? line + 6 : NULL;
}

void lt__reduce_drop_unused(char *text)
{
	for (int64_t k = 0; lt__reduce_line(text, k); k++) {
		char *line = text + (lt__reduce_line(text, k) - text);
		const char *name = defined_by(line), *found = name ? lt__reduce_find(text, name, lt__reduce_name(name)) : NULL;
		if (!found || lt__reduce_find(found + lt__reduce_name(name), name, lt__reduce_name(name)))
			continue;
		char *end = line + strcspn(line, "\n");
		end += *end == '\n';
		memmove(line, end, strlen(end) + 1);
		k = -1;                         /* what it was made of may be unused now */
	}
}

/* The pieces of a view, each on a line of its own, go to that of its node. */
static void join_pieces(char *text)
{
	char *to = text;
	for (const char *from = text; *from; from++)
		if (*from != '\n' || (from[1] != '}' && strncmp(from + 1, "  ", 2) != 0))
			*to++ = *from;
		else if (from[1] == '}')
			*to++ = ' ';
		else
			from++;
	*to = '\0';
}

char *lt__reduce_text(const struct lt_graph *g)
{
	struct check_text t = { NULL, 0 };
	if (lt_graph_print(g, lt__check_text_add, &t) || !t.at) {
		free(t.at);
		return NULL;
	}
	join_pieces(t.at);
	lt__reduce_drop_unused(t.at);
	return t.at;
}

char *lt__reduce_step(const char *schedule, int64_t k)
{
	const char *line = lt__reduce_line(schedule, k + !strncmp(schedule, "schedule ", 9));
	size_t n = line ? strcspn(line, "\n") : 0;
	return line ? lt__reduce_splice(schedule, line, n + (line[n] == '\n'), "") : NULL;
}
