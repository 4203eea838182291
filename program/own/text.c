/* text.c -- the C of a kernel as one text: the file, and the files that it includes in quotes.
 *
 * What is compiled is the key of what is kept, and a binary's text stands alone: so nothing is left to find, except
 * headers of the system.
 */
#include <string.h>
#include <unistd.h>
#include "program/own/own.h"

enum { MAX_DEPTH = 32, MAX_BYTES = 64 << 20 };

struct own_source {
	struct lt_context *ctx;
	struct lt_arena *a;
	struct lt_text out, undef;
	const char *open[MAX_DEPTH];    /* files that are being put in */
	int depth;
};

/* A line's comments: whether it ends within one that it has not ended. */
static bool in_comment_after(const char *line, size_t n, bool in)
{
	for (size_t i = 0; i < n; i++) {
		if (in) {
			in = !(line[i] == '*' && i + 1 < n && line[i + 1] == '/');
			i += !in;
		} else if (line[i] == '"' || line[i] == '\'') {
			for (const char quote = line[i++]; i < n && line[i] != quote; i++)
				i += line[i] == '\\';
		} else if (line[i] == '/' && i + 1 < n && line[i + 1] == '/') {
			return false;
		} else if (line[i] == '/' && i + 1 < n && line[i + 1] == '*') {
			in = true;
			i++;
		}
	}
	return in;
}

static const char *skip_blanks(const char *at, const char *end)
{
	while (at < end && (*at == ' ' || *at == '\t'))
		at++;
	return at;
}

/* What follows #WORD in the line; NULL: it is another line. */
static const char *after_directive(const char *line, const char *end, const char *word)
{
	line = skip_blanks(line, end);
	if (line == end || *line != '#')
		return NULL;
	line = skip_blanks(line + 1, end);
	const size_t n = strlen(word);
	return (size_t)(end - line) > n && memcmp(line, word, n) == 0 ? skip_blanks(line + n, end) : NULL;
}

static lt_status put_file(struct own_source *s, const char *path);

/* at: behind #include. */
static lt_status put_include(struct own_source *s, const char *path, int line, const char *at, const char *end)
{
	const char *close = at < end ? memchr(at + 1, *at == '<' ? '>' : '"', (size_t)(end - at) - 1) : NULL;
	if (!close || (*at != '<' && *at != '"'))
		return lt_fail(s->ctx, LT_EUNSUPPORTED, "%s:%d: a kernel of one's own says which file it includes: #include \"FILE\"",
			path, line);
	const char *name = lt__arena_format(s->a, "%.*s", (int)(close - at - 1), at + 1);
	if (!strcmp(name, "lt/own.h")) {
		lt__text_format(&s->out, " \n");        /* which stands before it */
		return LT_OK;
	}
	if (*at == '<') {
		lt__text_format(&s->out, "#include <%s>\n", name);
		return LT_OK;
	}
	const char *slash = strrchr(path, '/');
	const char *file = lt__arena_format(s->a, "%.*s%s", slash ? (int)(slash - path) + 1 : 0, path, name);
	if (*name == '/' || access(file, R_OK))
		return lt_fail(s->ctx, LT_EINVAL, "%s:%d: \"%s\" cannot be read from the file's folder; what a kernel includes in "
			"quotes lies there or below, headers of the system are in <>, and the one of kernels is \"lt/own.h\"", path, line,
			name);
	for (int i = 0; i < s->depth; i++)
		if (!strcmp(s->open[i], file)) {
			lt__text_format(&s->out, " \n");        /* a guard would leave it out */
			return LT_OK;
		}
	LT_TRY(put_file(s, file));
	lt__text_format(&s->out, "#line %d \"%s\"\n", line + 1, path);
	return LT_OK;
}

/* Names that it defines are taken back at the end: what follows is not the user's. */
static void note_define(struct own_source *s, const char *at, const char *end)
{
	size_t n = 0;
	while (at + n < end && (at[n] == '_' || (at[n] >= '0' && at[n] <= '9') || (at[n] >= 'a' && at[n] <= 'z')
		|| (at[n] >= 'A' && at[n] <= 'Z')))
		n++;
	if (n)
		lt__text_format(&s->undef, "#undef %.*s\n", (int)n, at);
}

static lt_status put_file(struct own_source *s, const char *path)
{
	char *text;
	size_t bytes;
	bool comment = false, spliced = false;
	int number = 1;
	if (s->depth == MAX_DEPTH)
		return lt_fail(s->ctx, LT_EUNSUPPORTED, "%s: files include each other more than %d deep", path, MAX_DEPTH);
	LT_TRY(lt__text_read(s->ctx, s->a, path, &text, &bytes));
	if (bytes >= 3 && !memcmp(text, "\xef\xbb\xbf", 3)) {     /* a mark that editors set, which no compiler takes within */
		text += 3;
		bytes -= 3;
	}
	s->open[s->depth++] = path;
	lt__text_format(&s->out, "#line 1 \"%s\"\n", path);
	for (const char *line = text, *last = text + bytes; line < last; number++) {
		const char *end = memchr(line, '\n', (size_t)(last - line));
		end = end ? end : last;
		const char *include = comment || spliced ? NULL : after_directive(line, end, "include");
		const char *define = comment || spliced ? NULL : after_directive(line, end, "define");
		if (define)
			note_define(s, define, end);
		if (include) {
			LT_TRY(put_include(s, path, number, include, end));
		} else {
			lt__text_add(&s->out, line, (size_t)(end - line));
			lt__text_add(&s->out, "\n", 1);
		}
		if (s->out.n > MAX_BYTES)
			return lt_fail(s->ctx, LT_EUNSUPPORTED, "%s: with what it includes, the kernel is longer than %d MiB", path,
				MAX_BYTES >> 20);
		comment = in_comment_after(line, (size_t)(end - line), comment);
		spliced = end > line && end[-1] == '\\';
		line = end + (end < last);
	}
	s->depth--;
	return LT_OK;
}

lt_status lt__own_text(struct lt_context *ctx, struct lt_arena *a, const char *path, const char **out)
{
	struct own_source s = { .ctx = ctx, .a = a, .out = { .arena = a }, .undef = { .arena = a } };
	if (strpbrk(path, "\"\\\n"))
		return lt_fail(ctx, LT_EINVAL,
			"the path of a kernel of one's own has a quote, a backslash or a line break in it: '%s'", path);
	LT_TRY(put_file(&s, path));
	/* Where a brace is missing, a compiler finds it out in what follows. */
	lt__text_format(&s.out, "#line 1 \"behind %s\"\n", path);
	if (s.undef.n)
		lt__text_add(&s.out, s.undef.at, s.undef.n);
	*out = s.out.at;
	return LT_OK;
}
