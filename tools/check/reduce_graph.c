/* reduce_graph.c -- steps of the reducer: fewer results, states, nodes and pieces; smaller extents and
 * ranges.
 *
 * Each changes the graph's text, a statement a line.  What it becomes may be no graph: who asks finds out.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "tools/check/reduce.h"

static bool begins(const char *line, const char *word) { return !strncmp(line, word, strlen(word)); }

/* Whether the line says what the graph is for: a result, what a state becomes, or what is required. */
static bool is_purpose(const char *line)
{
	return begins(line, "result ") || begins(line, "set ") || begins(line, "require ");
}

static int64_t count_lines(const char *text)
{
	int64_t n = 0;
	for (; *text; text++)
		n += *text == '\n';
	return n;
}

static char *without_line(const char *graph, const char *line)
{
	size_t n = strcspn(line, "\n");
	return lt__reduce_splice(graph, line, n + (line[n] == '\n'), "");
}

static char *drop_purpose(const char *graph, int64_t k, bool *more)
{
	const char *line = lt__reduce_line(graph, k);
	*more = line != NULL;
	char *text = line && is_purpose(line) ? without_line(graph, line) : NULL;
	if (!text || strstr(text, "\nresult ") || strstr(text, "\nset "))
		return text;
	free(text);                     /* it would compute nothing */
	return NULL;
}

/* Without all others: a result; what a state becomes. */
static char *keep_purpose(const char *graph, int64_t k, bool *more)
{
	const char *line = lt__reduce_line(graph, k);
	*more = line != NULL;
	if (!line || !is_purpose(line))
		return NULL;
	char *text = strdup(graph);
	for (int64_t i = count_lines(graph) - 1; text && i >= 0; i--)
		if (i != k && is_purpose(lt__reduce_line(text, i))) {
			char *less = without_line(text, lt__reduce_line(text, i));
			free(text);
			text = less;
		}
	return text;
}

/* Line k from the end, if it defines a node; *type: after the "= ". */
static const char *node_line(const char *graph, int64_t k, const char **type, bool *more)
{
	int64_t at = count_lines(graph) - 1 - k;
	const char *line = at >= 0 ? lt__reduce_line(graph, at) : NULL;
	*more = line != NULL;
	*type = line && *line == '%' ? strstr(line, " = ") + 3 : NULL;
	return *type ? line : NULL;
}

/* What a node computes is given instead, constants and states too; the last nodes first, which cuts most. */
static char *make_input(const char *graph, int64_t k, bool *more)
{
	const char *type, *line = node_line(graph, k, &type, more);
	char with[300];
	if (!line)
		return NULL;
	const char *op = type + strcspn(type, "]") + 2;
	if (begins(op, "input"))
		return NULL;
	(void)snprintf(with, sizeof with, "input \"%.*s\"", (int)lt__reduce_name(line) - 1, line + 1);
	return lt__reduce_splice(graph, op, strcspn(op, "\n"), with);
}

/* An operand takes the node's place wherever it is read, or is what a result shows. */
static char *bypass(const char *graph, int64_t k, bool *more)
{
	enum { MAX_OPERANDS = 4 };
	const char *type, *line = node_line(graph, k / MAX_OPERANDS, &type, more), *operand = type;
	char with[300];
	if (!line)
		return NULL;
	const char *end = line + strcspn(line, "\n");
	for (int64_t i = -1; i < k % MAX_OPERANDS && operand < end; i += *operand == '%')
		operand++;
	if (operand >= end)
		return NULL;
	const size_t n = lt__reduce_name(line), past = (size_t)(end - graph);
	(void)snprintf(with, sizeof with, "%.*s", (int)lt__reduce_name(operand), operand);
	char *text = strdup(graph);
	const char *at = text;
	while (text && (at = lt__reduce_find(at, line, n))) {
		size_t to = (size_t)(at - text);
		if (to < past) {              /* its own line, and scalars that are read from it */
			at += n;
			continue;
		}
		char *next = lt__reduce_splice(text, at, n, with);
		free(text);
		text = next;
		at = text ? text + to + strlen(with) : NULL;
	}
	return text;
}

/* Whether a whole number begins here, and not a part of a name. */
static bool reduce_is_number(const char *s)
{
	return isdigit((unsigned char)*s) && !isalnum((unsigned char)s[-1]) && s[-1] != '_' && s[-1] != '%';
}

/* Extents, and the bounds of guards that belong to them, together: all numbers that are large enough. */
static char *shrink_all(const char *graph, int64_t k, bool *more)
{
	static const int64_t less[] = { 256, 64, 32, 16, 8, 4, 2, 1 };
	char with[30], *text = strdup(graph);
	bool in_string = false;
	*more = k < (int64_t)(sizeof less / sizeof *less);
	for (size_t at = strcspn(graph, "\n"); *more && text && text[at]; at++) {
		in_string ^= text[at] == '"';
		if (in_string || !reduce_is_number(text + at) || strtoll(text + at, NULL, 10) <= less[k])
			continue;
		(void)snprintf(with, sizeof with, "%lld", (long long)(strtoll(text + at, NULL, 10) - less[k]));
		char *next = lt__reduce_splice(text, text + at, strspn(text + at, "0123456789"), with);
		free(text);
		text = next;
	}
	return text;
}

/* Extents and ranges: each number in the lines of vars and scalars. */
static char *shrink(const char *graph, int64_t k, bool *more)
{
	static const int64_t sizes[] = { 0, 1, 2, 3, 4, 5, 7, 8, 16 };
	enum { N = sizeof sizes / sizeof *sizes };
	int64_t left = k / (N + 2), which = k % (N + 2);
	char with[30];
	*more = false;
	for (const char *line = graph; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		if (!begins(line, "var ") && !begins(line, "param "))
			continue;
		for (const char *s = line, *end = line + strcspn(line, "\n"); s < end; s++) {
			if (!reduce_is_number(s) || left-- > 0)
				continue;
			int64_t now = strtoll(s, NULL, 10), size = which < N ? sizes[which] : which == N ? now / 2 : now - 1;
			*more = true;
			(void)snprintf(with, sizeof with, "%lld", (long long)size);
			return size >= 0 && size < now ? lt__reduce_splice(graph, s, strspn(s, "0123456789"), with) : NULL;
		}
	}
	return NULL;
}

/* The k-th place of a mark; NULL: there are fewer. */
static const char *kth(const char *text, const char *mark, int64_t k)
{
	for (text = strstr(text, mark); text && k > 0; k--)
		text = strstr(text + 1, mark);
	return text;
}

static char *drop_first_piece(const char *graph, int64_t k, bool *more)
{
	const char *at = kth(graph, "{ ", k);
	size_t n = at ? strcspn(at, ";\n") : 0;
	*more = at != NULL;
	return at && at[n] == ';' ? lt__reduce_splice(graph, at + 1, n, "") : NULL;
}
/* What cuts most stands first. */
const struct reduce_kind lt__reduce_kinds[] = {
	{ "one result", keep_purpose, NULL, NULL },
	{ "a result less", drop_purpose, NULL, NULL },
	{ "inputs for nodes", make_input, NULL, NULL },
	{ "operands for nodes", bypass, NULL, NULL },
	{ "limits", NULL, " limit ", "\n" },
	{ "all extents", shrink_all, NULL, NULL },
	{ "extents", shrink, NULL, NULL },
	{ "pieces", NULL, "; ", ";}\n" },
	{ "first pieces", drop_first_piece, NULL, NULL },
	{ "guards", NULL, " if ", ";}\n" },
	{ "a guard less", NULL, ">= 0,", ",;}\n" },
	{ NULL, NULL, NULL, NULL },
};

char *lt__reduce_by(const struct reduce_kind *kind, const char *graph, int64_t k, bool *more)
{
	if (kind->make)
		return kind->make(graph, k, more);
	const char *at = kth(graph, kind->mark, k);
	size_t n = at ? strlen(kind->mark) + strcspn(at + strlen(kind->mark), kind->ends) : 0;
	*more = at != NULL;
	return at ? lt__reduce_splice(graph, at, n - (at[n] == '}'), "") : NULL;         /* there is a blank before it */
}
