/* test_bounds.c -- what is read lies within its source, and rows within 62 bits: through the C interface, at
 * sizes, in trees.
 *
 * Random graphs are in test_limits.c; sentences of lt-run in golden/bounds-*.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "ir/graph/graph.h"
#include "lt/program.h"
#include "tests/run_graph.h"

TestSuite(bounds, .timeout = 120);

struct made { struct lt_context *ctx; struct lt_graph *g; lt_var i, j; lt_node x, at; lt_param p; };

/* x[j 8], a var i 4, and a param p in low..high. */
static struct made make(int64_t low, int64_t high)
{
	struct made m;
	lt_var one;
	cr_assert_eq(lt_context_new(&m.ctx), LT_OK);
	cr_assert_eq(lt_graph_new(m.ctx, &m.g), LT_OK);
	m.i = lt_graph_var(m.g, "i", 4);
	m.j = lt_graph_var(m.g, "j", 8);
	one = lt_graph_var(m.g, "one", 1);
	m.x = lt_graph_input(m.g, "x", LT_F32, 1, &m.j);
	m.at = lt_graph_input(m.g, "at", LT_I64, 1, &one);
	m.p = lt_graph_param(m.g, m.at, 0, low, high);
	return m;
}

static void drop(struct made *m)
{
	lt_graph_free(m->g);
	lt_context_free(m->ctx);
}

/* x at constant + p_coef*p + i_coef*i, where guard (if it is given) is not negative. */
static lt_node view(struct made *m, const int64_t row[3], const int64_t *guard)
{
	const struct lt_view_piece piece = { .source = m->x,
		.map = { .n_param = 1,
			.n_dim = 1,
			.n_row = 1,
			.n_guard = guard != NULL,
			.param = &m->p,
			.row = row,
			.guard = guard } };
	return lt_graph_view(m->g, 1, &m->i, 1, &piece, 0, guard != NULL);
}

struct view_case { int64_t low, high, row[3], guard[3]; bool guarded; lt_status status; int32_t n_require; };
static const struct view_case views[] = {
	{ .row = { 4, 0, 1 } },
	{ .row = { 5, 0, 1 }, .status = LT_EINVAL },
	{ .row = { -1, 0, 1 }, .status = LT_EINVAL },
	{ .row = { -1, 0, 1 }, .guarded = true, .guard = { -1, 0, 1 } },
	{ .row = { -1, 0, 1 }, .guarded = true, .guard = { 0, 0, 1 }, .status = LT_EINVAL },
	{ .row = { 1000000, 0, 1 }, .guarded = true, .guard = { -4, 0, 1 } },                   /* never shown */
	{ .row = { 6, 0, -2 } },
	{ .row = { 5, 0, -2 }, .status = LT_EINVAL },
	{ .high = 4, .row = { 0, 1, 1 } },
	{ .high = 5, .row = { 0, 1, 1 }, .n_require = 1 },
	{ .low = -1, .high = 5, .row = { 0, 1, 1 }, .n_require = 2 },
	{ .low = 5, .high = 9, .row = { 0, 1, 1 }, .status = LT_EINVAL },
	{ .low = -9, .high = 9, .row = { 0, 1, 1 }, .guarded = true, .guard = { 0, 1, 1 }, .n_require = 1 },
	{ .low = -9, .high = 9, .row = { 0, 2, 1 }, .guarded = true, .guard = { 7, -2, -1 }, .n_require = 1 },
	{ .high = (INT64_C(1) << 59) - 4, .row = { 0, 1, 1 }, .n_require = 1 },
	{ .high = (INT64_C(1) << 59) - 3, .row = { 0, 1, 1 }, .status = LT_EOVERFLOW },
	{ .low = INT64_MIN, .high = INT64_MAX, .row = { 0, 1, 1 }, .status = LT_EOVERFLOW },
	{ .low = INT64_MIN, .high = INT64_MAX, .row = { 4, 0, 1 } },
	{ .row = { 0, 0, 1 }, .guarded = true, .guard = { INT64_MIN, 0, 1 }, .status = LT_EOVERFLOW },
	{ .row = { 0, 0, 1 }, .guarded = true, .guard = { 0, 0, INT64_MAX / 8 } },
	{ .row = { 0, 0, 1 }, .guarded = true, .guard = { 0, 0, INT64_MAX / 4 }, .status = LT_EOVERFLOW },
};

Test(bounds, views)
{
	for (size_t k = 0; k < sizeof views / sizeof *views; k++) {
		const struct view_case *c = &views[k];
		struct made m = make(c->low, c->high);
		lt_node y = view(&m, c->row, c->guarded ? c->guard : NULL);
		cr_expect_eq(y < 0 ? lt_context_code(m.ctx) : LT_OK, c->status, "%zu: %d %s", k, lt_context_code(m.ctx),
			lt_context_message(m.ctx));
		cr_expect_eq(m.g->n_require, c->n_require, "%zu: %d requirements", k, m.g->n_require);
		if (y >= 0) {
			cr_expect_eq(lt_graph_verify(m.g), LT_OK, "%zu: %s", k, lt_context_message(m.ctx));
			m.g->n_require = 0;
			cr_expect_eq(lt_graph_verify(m.g) != LT_OK, c->n_require > 0, "%zu: what is required has to be there", k);
		}
		drop(&m);
	}
}

/* What the caller requires counts, in other words too. */
Test(bounds, requirements_before)
{
	struct made m = make(0, 100);
	cr_assert_eq(lt_graph_require(m.g, 0, 8, 1, &m.p, (const int64_t[]){ -2 }, "p is at most 4"), LT_OK);
	cr_expect(view(&m, (const int64_t[]){ 0, 1, 1 }, (const int64_t[]){ 1, 1, 1 }) >= 0);
	cr_expect(m.g->n_require == 1 || m.g->n_require == 2, "known by isl, or said once more");
	cr_expect(view(&m, (const int64_t[]){ 0, 1, 1 }, NULL) >= 0);
	int32_t n = m.g->n_require;
	cr_expect(view(&m, (const int64_t[]){ 0, 1, 1 }, NULL) >= 0);
	cr_expect_eq(m.g->n_require, n, "the same condition is required once");
	drop(&m);
}

Test(bounds, equal_scalars)
{
	struct made m = make(0, 100);
	cr_assert_eq(lt_graph_require(m.g, 1, -4, 1, &m.p, (const int64_t[]){ 1 }, "p is 4"), LT_OK);
	cr_expect(view(&m, (const int64_t[]){ 0, 1, 1 }, NULL) >= 0);
	cr_expect(view(&m, (const int64_t[]){ 4, -1, 1 }, NULL) >= 0);
	cr_expect_eq(m.g->n_require, 1, "it says all");
	drop(&m);
}

struct window_case { int64_t out, tap, stride, dilation, before; lt_status status; };
static const struct window_case windows[] = {
	{ 4, 3, 2, 1, 1, LT_OK },
	{ 1, 3, INT64_C(1) << 40, 1, 1, LT_OK },
	{ 4, 3, INT64_C(1) << 57, 1, 0, LT_OK },
	{ 4, 3, INT64_C(1) << 60, 1, 0, LT_EOVERFLOW },
	{ 4, 3, INT64_MAX, 1, 0, LT_EOVERFLOW },
	{ 1, 3, INT64_MAX, 1, 0, LT_EOVERFLOW },
	{ 4, 3, 1, INT64_MAX / 2, 0, LT_EOVERFLOW },
	{ 4, 3, 1, 1, INT64_MAX, LT_EOVERFLOW },
	{ 4, 3, 1, 1, INT64_C(1) << 50, LT_OK },
};

Test(bounds, windows)
{
	for (size_t k = 0; k < sizeof windows / sizeof *windows; k++) {
		const struct window_case *c = &windows[k];
		struct made m = make(0, 0);
		lt_var out = lt_graph_var(m.g, "o", c->out), tap = lt_graph_var(m.g, "t", c->tap);
		lt_node y = lt_graph_window(m.g, m.x, 0, out, tap, c->stride, c->dilation, c->before, 0);
		cr_expect_eq(y < 0 ? lt_context_code(m.ctx) : LT_OK, c->status, "%zu: %d %s", k, lt_context_code(m.ctx),
			lt_context_message(m.ctx));
		drop(&m);
	}
}

Test(bounds, limits_and_updates)
{
	struct made m = make(INT64_MIN, INT64_MAX);
	cr_expect_eq(lt_graph_var_bounded(m.g, "t", 8, 0, 1, &m.p, (const int64_t[]){ 1 }), -1);
	cr_expect_eq(lt_context_code(m.ctx), LT_EOVERFLOW);
	lt_context_clear(m.ctx);
	cr_expect_eq(lt_graph_update(m.g, m.x, lt_graph_slice(m.g, m.x, 0, 0, 1, 2), (const int64_t[]){ 0 }, &m.p), -1);
	cr_expect_eq(lt_context_code(m.ctx), LT_EOVERFLOW);
	drop(&m);
	m = make(7, 9);
	cr_expect_eq(lt_graph_update(m.g, m.x, lt_graph_slice(m.g, m.x, 0, 0, 1, 2), (const int64_t[]){ 0 }, &m.p), -1);
	cr_expect_eq(lt_context_code(m.ctx), LT_EINVAL);
	lt_context_clear(m.ctx);
	cr_expect(lt_graph_update(m.g, m.x, lt_graph_slice(m.g, m.x, 0, 0, 1, 2), (const int64_t[]){ -1 }, &m.p) >= 0);
	cr_expect_eq(m.g->n_require, 1);
	drop(&m);
}

/* -- texts -- */

static lt_status parse(struct lt_context *ctx, const char *text, struct lt_graph **g)
{
	return lt_graph_parse(ctx, text, strlen(text), "t", g);
}

/* A concatenation of n whose pieces say only where they end: each begins where the one before does not hold. */
static double seconds_of_pieces(int n)
{
	struct run_text t = { NULL, 0 };
	struct lt_context *ctx;
	struct lt_graph *g;
	struct timespec a, b;
	char line[200];
	run_text_add(&t, line,
		(size_t)snprintf(line, sizeof line,
			"graph 1\nvar c %d\nvar i 4\n%%x = f32[i] input \"x\"\n%%y = f32[c] view {\n", 4 * n));
	for (int k = 0; k < n; k++)
		run_text_add(&t, line,
			(size_t)snprintf(line, sizeof line,
				k < n - 1 ? "%%x[c - %d] if %d - c >= 0;\n" : "%%x[c - %d] }\n", 4 * k, 4 * k + 3));
	cr_assert_eq(lt_context_new(&ctx), LT_OK);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
	cr_assert_eq(lt_graph_parse(ctx, t.at, t.n, "t", &g), LT_OK, "%s", lt_context_message(ctx));
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
	lt_graph_free(g);
	lt_context_free(ctx);
	run_text_free(&t);
	return (double)(b.tv_sec - a.tv_sec) + (double)(b.tv_nsec - a.tv_nsec) * 1e-9;
}

Test(bounds, pieces_in_turn)
{
	cr_expect(seconds_of_pieces(3) < 60);
	cr_expect(seconds_of_pieces(20000) < 60, "far from quadratic");
}

/* Requirements and views in numbers: each view finds its own. */
Test(bounds, many_requirements)
{
	enum { MANY = 20000 };
	struct run_text t = { NULL, 0 };
	struct lt_context *ctx;
	struct lt_graph *g, *again;
	char line[200], *first, *second;
	run_text_add(&t, line, (size_t)snprintf(line, sizeof line, "graph 1\nvar n %d\nvar i 4\nvar j 8\n", MANY));
	for (int k = 0; k < MANY; k++)
		run_text_add(&t, line, (size_t)snprintf(line, sizeof line, "param p%d = %%at[%d] in 0..100\n", k, k));
	run_text_add(&t, line, (size_t)snprintf(line, sizeof line, "%%at = i64[n] input \"at\"\n%%x = f32[j] input \"x\"\n"));
	for (int k = 0; k < MANY; k++)
		run_text_add(&t, line, (size_t)snprintf(line, sizeof line, "%%y%d = f32[i] view { %%x[i + p%d] }\n", k, k));
	cr_assert_eq(lt_context_new(&ctx), LT_OK);
	cr_assert_eq(lt_graph_parse(ctx, t.at, t.n, "t", &g), LT_OK, "%s", lt_context_message(ctx));
	cr_expect_eq(g->n_require, MANY);
	first = run_graph_text(g);
	cr_assert_eq(lt_graph_parse(ctx, first, strlen(first), "t", &again), LT_OK, "%s", lt_context_message(ctx));
	second = run_graph_text(again);
	cr_expect_str_eq(first, second, "what was added is printed, and found again");
	free(first);
	free(second);
	lt_graph_free(g);
	lt_graph_free(again);
	lt_context_free(ctx);
	run_text_free(&t);
}

/* -- programs -- */

/* Runs a graph of one result, as it is or after the passes. */
static lt_status run(const char *backend, const char *text, const char *apply, bool no_passes, const void *const *input,
	void *result, char *why, size_t cap)
{
	struct lt_context *ctx;
	struct lt_graph *g = NULL;
	struct lt_program *p = NULL;
	struct lt_instance *at = NULL;
	const struct lt_options o = { .size = sizeof o, .backends = backend, .no_passes = no_passes, .apply = apply };
	cr_assert_eq(lt_context_new(&ctx), LT_OK);
	lt_status status = parse(ctx, text, &g);
	if (!status)
		status = lt_compile(ctx, g, &o, &p);
	if (!status)
		status = lt_instance_new(p, &at);
	if (!status)
		status = lt_instance_run(at, input, (void *const[]){ result });
	(void)snprintf(why, cap, "%s", p ? lt_instance_message(at) : lt_context_message(ctx));
	lt_instance_free(at);
	lt_program_free(p);
	lt_graph_free(g);
	lt_context_free(ctx);
	return status;
}

/* Three views whose rows together exceed 62 bits where their guards do not hold. */
Test(bounds, views_that_do_not_fit_together)
{
	static const char text[] =
		"graph 1\nvar i 4\nvar j 4\nvar k 5\nvar l 5\nvar n 8\n%x = f32[n] input \"x\"\n"
		"%y = f32[i, j] view { %x[1152921504606846*i - 1152921504606846*j + 3] if i - j >= 0, j - i >= 0; else "
		"9.0 }\n"
		"%z = f32[k, l] view { %y[1000*k - 1000*l + 1, 1] if k - l >= 0, l - k >= 0; %y[0, 1]; else 5.0 }\n"
		"%w = f32[k, l] view { %z[1000*k - 1000*l, 0] if k - l >= 0, l - k >= 0; %z[k, 1] }\n%v = f32[k, l] "
		"neg %w\nresult \"v\" = %v\n";
	static const float x[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	char why[1024];
	for (int no_passes = 0; no_passes < 2; no_passes++) {
		float got[25] = { 0 };
		cr_assert_eq(run("ref", text, NULL, no_passes, (const void *const[]){ x }, got, why, sizeof why), LT_OK, "%s", why);
		for (int k = 0; k < 5; k++)
			for (int l = 0; l < 5; l++)
				cr_expect_eq(got[5 * k + l], k == l || k == 1 ? -4 : -9, "%d, %d: %g", k, l, (double)got[5 * k + l]);
	}
}

/* Steps that do not divide move an index past its dim: where that exceeds 63 bits the tree is refused. */
Test(bounds, steps_that_do_not_fit)
{
	static const char text[] = "graph 1\nvar i 5\nvar j 4\nvar x 8\n%x = f32[x] input \"x\"\n"
				   "%y = f32[i, j] view { %x[i] if 1152921504606846975*i - 1152921504606846974*j - 1 >= 0; "
				   "else 7.0 }\n%z = f32[i, j] neg %y\nresult \"z\" = %z\n";
	static const float x[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	char why[1024];
	float got[20];
	cr_expect_eq(run("ref", text, "split i 4", false, (const void *const[]){ x }, got, why, sizeof why), LT_OK, "%s", why);
	cr_expect(got[0] == -7 && got[4] == -2 && got[19] == -5);
	cr_expect_eq(run("ref", text, "split i 4; split i' 3", false, (const void *const[]){ x }, got, why, sizeof why),
		LT_EOVERFLOW);
	cr_expect(strstr(why, "%z") && strstr(why, "choose smaller steps"), "%s", why);
}

/* A run may leave a gathered view no element: then there is none to read in the place of one out of range, which would
 * be far outside. */
Test(bounds, gather_of_nothing)
{
	static const char text[] =
		"graph 1\nvar n 1\nvar i 3 limit p\nvar j 2 limit 1 - p\nvar x 8\nvar k 2\nparam p = %at[0] in 0..1\n"
		"%at = i64[n] input \"at\"\n%index = i64[k] input \"index\"\n%x = f32[x] input \"x\"\n"
		"%y = f32[i, j] view { %x[i + j + 1099511627776] }\n%g = f32[k, j] gather %y, %index axis 0\n%z = "
		"f32[k, j] neg %g\nresult \"z\" = %z\n";
	static const int64_t index[2] = { 0 };
	char why[1024];
	for (int no_passes = 0; no_passes < 2; no_passes++)
		for (int64_t p = 0; p < 2; p++) {
			float got[4], x[8] = { 0 };
			lt_status status = run("cpu", text, NULL, no_passes, (const void *const[]){ &p, index, x }, got, why, sizeof why);
			cr_expect_eq(status, p ? LT_OK : LT_EFAULT, "%d %s", status, why);
			cr_expect(p || strstr(why, "out of range 0..-1"), "%s", why);
		}
}
