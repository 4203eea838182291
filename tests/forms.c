/* forms.c -- runs passes over small graphs and compares what they make of them. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include "ir/pass/pass.h"
#include "tests/forms.h"

struct buffer { char at[16384]; size_t n; };

static void collect(void *user, const char *text, size_t bytes)
{
	struct buffer *b = user;

	cr_assert_lt(b->n + bytes, sizeof b->at);
	memcpy(b->at + b->n, text, bytes);
	b->n += bytes;
	b->at[b->n] = '\0';
}

/* Lines that begin a graph, or declare a var or param, go. */
static void strip(char *text)
{
	char *to = text;

	for (char *line = text, *end; *line; line = end) {
		end = strchr(line, '\n');
		end = end ? end + 1 : line + strlen(line);
		if (!strncmp(line, "graph ", 6) || !strncmp(line, "var ", 4) || !strncmp(line, "param ", 6))
			continue;
		memmove(to, line, (size_t)(end - line));
		to += end - line;
	}
	*to = '\0';
}

static lt_status run_pass(char letter, const struct lt_graph *g, struct lt_graph **out)
{
	static const struct { char letter; lt_pass *run; } rows[] = {
#define PASS(letter, name, doc) { letter, lt__pass_##name },
#include "ir/pass/pass.def"
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (rows[i].letter == letter)
			return rows[i].run(g, out);
	return LT_EINVAL;
}

/* Of a graph, without what `after` has not. */
static const char *body_of(const struct lt_graph *g, struct buffer *text)
{
	text->n = 0;
	cr_assert_eq(lt_graph_print(g, collect, text), LT_OK);
	strip(text->at);
	return text->at;
}

void forms_check(const struct form *forms, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct buffer text = { .n = 0 }, same;
		struct lt_context *ctx;
		struct lt_graph *g, *h;

		cr_assert_eq(lt_context_new(&ctx), LT_OK);
		collect(&text, "graph 1\n", 8);
		collect(&text, forms[i].before, strlen(forms[i].before));
		cr_assert_eq(lt_graph_parse(ctx, text.at, text.n, forms[i].what, &g), LT_OK, "%s", lt_context_message(ctx));
		cr_assert_eq(run_pass(forms[i].letter, g, &h), LT_OK, "%s: %s", forms[i].what, lt_context_message(ctx));
		cr_assert_eq(lt_graph_verify(h), LT_OK, "%s: %s", forms[i].what, lt_context_message(ctx));
		const char *after = forms[i].after ? forms[i].after : body_of(g, &same);
		cr_expect_str_eq(body_of(h, &text), after, "%s:\n%s", forms[i].what, text.at);
		lt_graph_free(h);
		lt_graph_free(g);
		lt_context_free(ctx);
	}
}
