/* test_script_size.c -- large, hostile and unlucky scripts: long chains, long lines, no memory; and the
 * registry. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "ir/graph/graph.h"
#include "lt/lt.h"
#include "tests/script_run.h"

TestSuite(script_size, .timeout = 120);

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A chain of n sums, all in one line or one a line. */
static char *chain(int n, char separator, size_t *bytes)
{
	char *text = malloc((size_t)n * 48 + 200);
	size_t at = (size_t)sprintf(text, "$0 = InputTensor(x, float32, [2, 3]);%c", separator);
	for (int i = 1; i <= n; i++)
		at += (size_t)sprintf(text + at, "$%d = SumNode($%d, $0);%c", i, i - 1, separator);
	*bytes = at + (size_t)sprintf(text + at, "result = $%d;", n);
	return text;
}

Test(script_size, a_chain_is_linear)
{
	size_t bytes;
	struct lt_context *ctx;
	struct lt_graph *g;
	lt_context_new(&ctx);
	for (int round = 0; round < 2; round++) {
		char *text = chain(100000, round ? ' ' : '\n', &bytes);
		double start = now();
		cr_assert_eq(lt_parse(ctx, text, bytes, "t.lt", "script", &g), LT_OK, "%s", lt_context_message(ctx));
		cr_expect_lt(now() - start, 10.0);      /* 0.3 s; generous for sanitizers */
		cr_expect_eq(g->n_node, 100001);
		lt_graph_free(g);
		free(text);
	}
	lt_context_free(ctx);
}

/* Ten million bytes of one token, or of one thing again and again: a failure or a graph, in linear time. */
Test(script_size, long_tokens)
{
	static const struct { const char *before; char fill; const char *after; } rows[] = {
		{ "$1 = InputTensor(", 'x', ", float32, [1]); result = $1;" },
		{ "$1 = InputTensor(x, float32, [", '1', "]); result = $1;" },
		{ "$", '9', " = InputTensor(x, float32, [1]);" },
		{ "$1 = ", 'A', "(x);" },
		{ "$1 = FullNode(float32, [1], 0.", '3', "); result = $1;" },
		{ "$1 = InputTensor(x, float32, [1]); $2 = EinsumNode(", 'a', "->: $1); result = $2;" },
		{ "#", '#', "" },
		{ "", '$', "" },
		{ "", '(', "" },
		{ "$1 = InputTensor(x, float32, ", '[', "" },
	};
	size_t n = 10000000;
	char *text = malloc(n + 200);
	struct lt_context *ctx;
	lt_context_new(&ctx);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct lt_graph *g = NULL;
		size_t a = strlen(rows[i].before), b = strlen(rows[i].after);
		memcpy(text, rows[i].before, a);
		memset(text + a, rows[i].fill, n);
		memcpy(text + a + n, rows[i].after, b);
		double start = now();
		lt_status status = lt_parse(ctx, text, a + n + b, "t.lt", "script", &g);
		cr_expect(status ? !g && *lt_context_message(ctx) : g != NULL, "row %zu", i);
		cr_expect_lt(now() - start, 10.0, "row %zu", i);
		lt_graph_free(g);
	}
	free(text);
	lt_context_free(ctx);
}

/* Every prefix of a script is a script or an error, never a crash; bytes that are no text, too. */
Test(script_size, cut_off_and_spoilt)
{
	static const char *const texts[] = {
		"$1 = InputTensor(x, float32, [2, 2]); $2 = BufferTensor(int64, [1]); # c\n"
		"$3 = EinsumNode(ab,bc->ac: $1, $1); $4 = PadNode($3, [1, 0], [0, 1], -2.5e-3); $5 = SliceNode($4, 0, $2);"
		"$6 = Conv2dNode($1, $1, [1, 1], NHWC); result out = $4; result = $5;",
		"n = 2; x = InputTensor(x, float32, [n, 4 / n]); def f(a, k=[0]) { b = ReduceSumNode(a, k) * 2; return b, -a[1]; }"
		"repeat i in 0..n { w = ConstantTensor(w{i}, float32, [2]); y, z = f(x @ x + w); x = x - y[0] ** -1.5; }"
		"result r{n} = z; result = SelectNode(x != 0, 1 / x, 0);",
	};
	cr_assert_str_eq(script_error(texts[1], "t.lt"), "");
	struct lt_context *ctx;
	char copy[600];
	lt_context_new(&ctx);
	for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
		size_t n = strlen(texts[k]);
		for (size_t i = 0; i <= n; i++)
			for (int spoil = -1; spoil < 256; spoil += 3) {
				struct lt_graph *g = NULL;
				memcpy(copy, texts[k], n + 1);
				if (spoil >= 0)
					copy[i] = (char)spoil;
				lt_status status = lt_parse(ctx, copy, spoil < 0 ? i : n, "t.lt", "script", &g);
				cr_assert(status ? !g : g != NULL);
				lt_graph_free(g);
			}
	}
	lt_context_free(ctx);
}

struct budget { long left, live; };

static void *limited(void *user, void *at, size_t old_bytes, size_t bytes)
{
	struct budget *b = user;
	(void)old_bytes;
	if (bytes && b->left-- <= 0)
		return NULL;
	b->live += (bytes && !at) - (at && !bytes);
	if (bytes)
		return realloc(at, bytes);
	free(at);
	return NULL;
}

/* want: what comes of it where memory suffices. */
static void fail_each(const char *text, lt_status want)
{
	for (long n = 0;; n++) {
		struct budget budget = { .left = n };
		struct lt_context *ctx;
		struct lt_graph *g = NULL;
		lt_status status = lt_context_new_with(limited, &budget, &ctx);
		if (status == LT_OK) {
			status = lt_parse(ctx, text, strlen(text), "t.lt", "script", &g);
			cr_assert(status == want || (status == LT_ENOMEM && !g), "%ld: %s", n, lt_context_message(ctx));
			lt_graph_free(g);
			lt_context_free(ctx);
		}
		cr_assert_eq(budget.live, 0, "%ld allocations live after the %ld-th failed", budget.live, n);
		if (status == want)
			break;
		cr_assert_lt(n, 100000);
	}
}

Test(script_size, every_allocation_may_fail)
{
	fail_each("$1 = BufferTensor(b, float32, [8, 4]); $2 = InputTensor(p, float32, [1, 4]); $3 = "
		  "InputTensor(i, int64, [1]);$4 = UpdateNode($1, $2, $3, 0); $5 = SliceNode($4, 0, "
		  "$3); $6 = AttentionNode($2, $5, $5); $7 = EinsumNode(ab->ba: $6);$8 = "
		  "SoftmaxNode($7); $9 = SlicedSoftmaxNode($6, $3); result = $8; result r = $4;", LT_OK);
	fail_each("n = 2; x = InputTensor(x, float32, [n, 2]); def f(a, k=[0]) { b = ReduceSumNode(a, k) * 2; "
		"return b, -a[1]; }"
		  "repeat i in 0..n { w = ConstantTensor(w{i+1}, float32, [n]); y, z = f(x @ x + w); x = x - y; }"
		  "result r{n} = z; result = (SelectNode(x != 0, 1 / x, n / 3));", LT_OK);
	fail_each("def f(a) { return a @ a; } x = InputTensor(x, float32, [3, 2]); repeat i in 0..1 { z = f(x); }", LT_ETYPE);
}

static void collect(void *user, const char *text, size_t bytes)
{
	FILE *f = user;
	fwrite(text, 1, bytes, f);
}

static char *printed(struct lt_context *ctx, const char *text, size_t bytes, size_t *n)
{
	struct lt_graph *g;
	char *out;
	FILE *f = open_memstream(&out, n);
	cr_assert_eq(lt_parse(ctx, text, bytes, "t.lt", NULL, &g), LT_OK, "%s", lt_context_message(ctx));
	cr_assert_eq(lt_graph_print(g, collect, f), LT_OK);
	fclose(f);
	lt_graph_free(g);
	return out;
}

/* The graph's own text goes wherever a script goes, and gives the same graph again. */
Test(script_size, graph_text_is_a_script)
{
	static const char text[] = "$1 = InputTensor(a \t, float32, [2, 3]); $2 = SoftmaxNode($1); $3 = SliceNode($2, 0, 1);"
		"result r = $3; result = $2;";
	struct lt_context *ctx;
	size_t n, m, k;
	lt_context_new(&ctx);
	char *once = printed(ctx, text, strlen(text), &n), *again = printed(ctx, text, strlen(text), &m);
	cr_expect_str_eq(once, again);
	char *twice = printed(ctx, once, n, &k);
	cr_expect_str_eq(once, twice);
	free(once);
	free(again);
	free(twice);
	lt_context_free(ctx);
}

static int never(const char *text, size_t bytes) { (void)text; (void)bytes; return 0; }
static lt_status refuse(struct lt_context *c, const char *t, size_t n, const char *f, struct lt_graph **out)
{
	(void)c; (void)t; (void)n; (void)f;
	*out = NULL;
	return LT_EUNSUPPORTED;
}

Test(script_size, registry)
{
	static const struct lt_frontend mine = { .size = sizeof mine, .name = "mine", .summary = "a test",
		.recognize = never, .parse = refuse };
	static const struct lt_frontend unnamed = { .size = sizeof unnamed, .name = "Not_good", .summary = "a test",
		.recognize = never, .parse = refuse };
	struct lt_context *ctx;
	struct lt_graph *g;
	lt_context_new(&ctx);
	cr_assert(lt_frontend_find("script") && lt_frontend_find("graph") && !lt_frontend_find("mine"));
	uint32_t n = lt_frontend_count();
	cr_expect_eq(lt_frontend_register(&mine), LT_OK);
	cr_expect_eq(lt_frontend_register(&mine), LT_EEXIST);
	cr_expect_eq(lt_frontend_register(&unnamed), LT_EINVAL);
	cr_expect_eq(lt_frontend_count(), n + 1);
	for (uint32_t i = 0; i < n; i++)
		cr_expect_lt(strcmp(lt_frontend_at(i)->name, lt_frontend_at(i + 1)->name), 0);
	cr_expect_null(lt_frontend_at(n + 1));
	cr_expect_eq(lt_parse(ctx, "x", 1, "t", "mine", &g), LT_EUNSUPPORTED);
	cr_expect_eq(lt_parse(ctx, "x", 1, "t", "none", &g), LT_EINVAL);
	cr_expect(strstr(lt_context_message(ctx), "there are: graph, llama2, mine, "), "%s", lt_context_message(ctx));
	lt_context_free(ctx);
}
