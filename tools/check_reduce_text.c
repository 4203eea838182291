/* tools/check_reduce_text.c -- the texts of the reducer's candidates: lines that nothing needs go. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "tools/check_parts.h"
#include "tools/check_reduce.h"

/* The length of the name of a node, a var or a scalar that begins here; 0: none does. */
static size_t name_at(const char *s)
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

/* Whether the name at `at` stands anywhere else. */
static bool is_used(const char *text, const char *at)
{
	size_t n = name_at(at), m;
	for (const char *s = text; *s; s += m) {
		if (*s == '"') {
			s = past_string(s);
			m = 0;
			continue;
		}
		m = name_at(s);
		if (m == n && s != at && !memcmp(s, at, n))
			return true;
		m += m == 0;
	}
	return false;
}

/* What the line defines; NULL: it is there for another reason. */
static const char *defined_by(const char *line)
{
	return *line == '%' ? line : !strncmp(line, "var ", 4) ? line + 4 : !strncmp(line, "param ", 6) ? line + 6 : NULL;
}

/* From the last line to the first, for lines name what stands above them; a scalar names a node below it, so once more. */
static void drop_unused(char *text)
{
	bool more = true;
	while (more) {
		more = false;
		for (char *end = text + strlen(text); end > text; ) {
			char *line = end - 1;
			while (line > text && line[-1] != '\n')
				line--;
			const char *name = defined_by(line);
			if (name && !is_used(text, name)) {
				memmove(line, end, strlen(end) + 1);
				more = true;
			}
			end = line;
		}
	}
}

char *lt__reduce_text(const struct lt_graph *g)
{
	struct check_text t = { NULL, 0 };
	if (lt_graph_print(g, lt__check_text_add, &t) || !t.at) {
		free(t.at);
		return NULL;
	}
	drop_unused(t.at);
	return t.at;
}

char *lt__reduce_step(const char *schedule, int64_t k)
{
	const char *line = schedule;
	for (k += !strncmp(schedule, "schedule ", 9); *line && k > 0; k--) {
		line += strcspn(line, "\n");
		line += *line == '\n';
	}
	if (!*line)
		return NULL;
	size_t n = strcspn(line, "\n") + (strchr(line, '\n') != NULL), before = (size_t)(line - schedule);
	char *text = strdup(schedule);
	if (text)
		memmove(text + before, text + before + n, strlen(text + before + n) + 1);
	return text;
}
