/* printed.c -- a graph printed as a script: what is read back prints the same, and the evaluator gives the same
 * bits for both. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include "frontends/script/print/print.h"
#include "ir/eval/eval.h"
#include "lt/frontend.h"
#include "tests/printed.h"
#include "tests/run_graph.h"

static char *print_script(struct lt_context *ctx, const struct lt_graph *g)
{
	struct run_text text = { 0 };
	cr_assert_eq(lt__script_print(g, run_text_add, &text), LT_OK, "%s", lt_context_message(ctx));
	run_text_add(&text, "", 1);
	return text.at;
}

/* Names of a model are comments, which are not read. */
static void drop_comments(char *text)
{
	char *to = text;
	for (const char *at = text; *at; at++) {
		if (!strncmp(at, "  # ", 4))
			at += strcspn(at, "\n");
		*to++ = *at;
	}
	*to = '\0';
}

static lt_node source_like(const struct lt_graph *g, const struct lt_nodedef *d)
{
	for (lt_node x = 0; x < g->n_node; x++)
		if (g->node[x].label && g->node[x].op == d->op && !strcmp(g->node[x].label, d->label))
			return x;
	return -1;
}

struct printed_run {
	struct lt_context *ctx;
	const struct lt_graph *g, *h;
	const char *what;
	uint64_t seed;
	struct random_graph *random;
};

/* Small numbers; of run-time scalars such as are in their range. */
static void fill_source(const struct printed_run *r, lt_node x, int run, void *out)
{
	const struct lt_nodedef *d = &r->g->node[x];
	uint64_t rng = r->seed + 977u * (uint64_t)run + (uint64_t)x * 7919u;
	int64_t n = lt__node_elems(r->g, x);
	if (r->random && d->op != LT_OP_state) {
		random_graph_fill(r->random, r->seed, run, x, out);
		return;
	}
	for (int64_t i = 0; i < n; i++) {
		union lt_scalar v = { .i = random_between(&rng, 0, 2) };
		if (lt__dtype_info(d->dtype)->cls == LT_CLASS_FLOAT)
			v.f = (double)random_between(&rng, -40, 40) / 8;
		if (lt__dtype_info(d->dtype)->cls == LT_CLASS_BOOL)
			v.i &= 1;
		for (lt_param p = 0; p < r->g->n_param; p++)
			if (r->g->param[p].source == x && r->g->param[p].element == i) {
				int64_t low = r->g->param[p].low, high = r->g->param[p].high;
				v.i = random_between(&rng, low, high > low + 9 && run ? low + 9 : high);
			}
		lt__store(out, i, d->dtype, v);
	}
}

static void compare_bytes(
	const struct printed_run *r, int run, const char *name, lt_node x, const void *a, const void *b)
{
	size_t bytes = (size_t)lt__node_elems(r->g, x) * lt__dtype_info(r->g->node[x].dtype)->bytes;
	cr_assert(memcmp(a, b, bytes) == 0, "%s: run %d: '%s' differs", r->what, run, name);
}

static void compare_values(const struct printed_run *r, int run, const struct lt_evaluation *e,
	const struct lt_evaluation *f, void *const *old)
{
	cr_assert_eq(r->g->n_result, r->h->n_result, "%s", r->what);
	for (int32_t i = 0; i < r->g->n_result; i++) {
		cr_assert_str_eq(r->g->result[i].name, r->h->result[i].name);
		compare_bytes(r, run, r->g->result[i].name, r->g->result[i].node, lt_eval_result(e, i, NULL),
			lt_eval_result(f, i, NULL));
	}
	for (int32_t i = 0; i < r->g->n_set; i++) {
		lt_node x = r->g->set[i].state;
		const void *content = old[x];           /* it may stay what it is */
		for (int32_t k = 0; k < r->h->n_set; k++)
			if (!strcmp(r->g->node[x].label, r->h->node[r->h->set[k].state].label))
				content = lt_eval_state(f, k, NULL);
		compare_bytes(r, run, r->g->node[x].label, x, lt_eval_state(e, i, NULL), content);
	}
}

/* Whether the run was computed, and not refused. */
static bool run_both(const struct printed_run *r, int run)
{
	const struct lt_graph *g = r->g, *h = r->h;
	void **a = calloc((size_t)g->n_node + 1, sizeof *a);
	const void **b = calloc((size_t)h->n_node + 1, sizeof *b);
	struct lt_evaluation *e = NULL, *f = NULL;
	for (lt_node x = 0; x < g->n_node; x++) {
		const struct lt_nodedef *d = &g->node[x];
		if (!d->label)
			continue;
		a[x] = malloc((size_t)lt__node_elems(g, x) * lt__dtype_info(d->dtype)->bytes);
		if (d->content)
			memcpy(a[x], d->content, (size_t)lt__node_elems(g, x) * lt__dtype_info(d->dtype)->bytes);
		else
			fill_source(r, x, run, a[x]);
		lt_node y = source_like(h, d);
		if (y >= 0)
			b[y] = a[x];
	}
	lt_status s = lt_eval(g, (const void *const *)a, false, &e), t = lt_eval(h, b, false, &f);
	cr_assert_eq(s, t, "%s: run %d: %s and %s: %s", r->what, run, lt_status_name(s), lt_status_name(t),
		lt_context_message(r->ctx));
	if (!s)
		compare_values(r, run, e, f, a);
	lt_eval_free(e);
	lt_eval_free(f);
	for (lt_node x = 0; x < g->n_node; x++)
		free(a[x]);
	free(a);
	free(b);
	return s == LT_OK;
}

static struct lt_graph *read_script(struct lt_context *ctx, const char *text, const char *what)
{
	struct lt_graph *g;
	lt_status status = lt_parse(ctx, text, strlen(text), "printed.lt", "script", &g);
	cr_assert_eq(status, LT_OK, "%s: %s\n%s", what, lt_context_message(ctx), strlen(text) < 20000 ? text : "");
	cr_assert_eq(lt_graph_verify(g), LT_OK, "%s: %s", what, lt_context_message(ctx));
	return g;
}

static void expect_same(const char *text, const char *again, const char *what)
{
	size_t i = 0, line = 0;
	if (!strcmp(text, again))
		return;
	for (; text[i] == again[i]; i++)
		line = text[i] == '\n' ? i + 1 : line;
	cr_assert_fail("%s: printed again it differs:\n%.300s\n-- and --\n%.300s", what, text + line, again + line);
}

/* Prints, reads, prints again. */
void printed_check(struct lt_context *ctx, const struct lt_graph *g, const char *what, uint64_t seed,
	struct random_graph *random, int n_run, struct printed_tally *tally)
{
	char *text = print_script(ctx, g);
	struct lt_graph *h = read_script(ctx, text, what);
	char *again = print_script(ctx, h);
	drop_comments(text);
	drop_comments(again);
	if (strcmp(text, again)) {
		/* a view of axes of one element may be passed over only now */
		struct lt_graph *i = read_script(ctx, again, what);
		char *third = print_script(ctx, i);
		drop_comments(third);
		expect_same(again, third, what);
		tally->settled++;
		free(third);
		lt_graph_free(i);
	}
	struct printed_run r = { .ctx = ctx, .g = g, .h = h, .what = what, .seed = seed, .random = random };
	for (int run = 0; run < n_run; run++)
		tally->computed += run_both(&r, run);
	free(text);
	free(again);
	lt_graph_free(h);
}
