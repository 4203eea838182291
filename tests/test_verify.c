/* test_verify.c -- lt/verify.h: programs that are right, that are wrong, and of which nothing is known; the report. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "lt/lt.h"
#include "tests/parsed.h"

TestSuite(verify, .timeout = 120);

/* y = x*w + s, s' = y: what a run gives is known without any evaluator. */
#define FOLLOWED \
	"graph 1\nvar m 7\n%x = f32[m] input \"x\"\n%w = f32[m] constant \"w\"\n%s = f32[m] state \"s\"\n" \
	"%p = f32[m] mul %x, %w\n%y = f32[m] add %p, %s\nset %s = %y\nresult \"y\" = %y\n"
enum { M = 7 };
static const float x[M] = { 1, -2, 3, 0, -5, 6, -7 }, w[M] = { -1, -1, 2, 2, 0.5, 4, -8 };

static struct lt_verifier *verifier(const struct lt_graph *g, const struct lt_program *p, const void *const *constant)
{
	struct lt_verifier *v;
	cr_assert_eq(lt_verifier_new(g, p, constant, NULL, &v), LT_OK, "%s", lt_context_message(g->ctx));
	return v;
}

/* Three runs follow each other through the state, whatever it was before; results and state are those of the runs. */
Test(verify, a_right_program_passes_with_its_state)
{
	static const char *const backends[] = { "ref", "cpu" };
	for (size_t b = 0; b < 2; b++) {
		struct lt_graph *g = parsed(FOLLOWED);
		struct lt_program *p = compiled(g, backends[b]);
		float y[M], want[M];
		cr_assert_eq(lt_program_bind(p, 0, w, 0), LT_OK);
		struct lt_instance *r = instance_of(p);
		struct lt_verifier *v = verifier(g, p, NULL);
		float *s = lt_instance_state(r, 0);
		for (int i = 0; i < M; i++)
			want[i] = s[i] = (float)(i - 3);
		for (int run = 0; run < 3; run++) {
			cr_assert_eq(lt_verifier_run(v, r, (const void *[]){ x }, (void *[]){ y }), LT_OK, "%s", lt_context_message(g->ctx));
			s = lt_instance_state(r, 0);
			for (int i = 0; i < M; i++) {
				want[i] += x[i] * w[i];
				cr_assert(y[i] == want[i] && s[i] == want[i] && ((const float *)lt_verifier_reference(v, 0))[i] == want[i]);
			}
		}
		const struct lt_verified *f = lt_verifier_report(v);
		cr_assert(f->verdict == LT_VERDICT_PASSED && !f->first[0] && f->elements == 3 * 2 * M && f->equal == f->elements
			&& f->wrong == 0 && f->kernels >= 3 && f->kernel_elements >= 3 * M && f->kernel_wrong == 0 && f->widened == 16);
		cr_assert(lt_verifier_extent(v, LT_BINDING_INPUT, 0, 0) == M && lt_verifier_extent(v, LT_BINDING_STATE, 0, 0) == M
			&& lt_verifier_extent(v, LT_BINDING_RESULT, 0, 1) == 0 && lt_verifier_extent(v, LT_BINDING_RESULT, 1, 0) == 0);
		lt_verifier_free(v);
		lt_instance_free(r);
		lt_program_free(p);
		parsed_free(g);
	}
}

/* What the caller hands over as results is judged, and what a state has become between two runs. */
Test(verify, wrong_results_and_states_are_named)
{
	struct lt_graph *g = parsed(FOLLOWED);
	struct lt_program *p = compiled(g, "ref");
	float y[M];
	const void *const in[] = { x };
	cr_assert_eq(lt_program_bind(p, 0, w, 1), LT_OK);
	struct lt_instance *r = instance_of(p);
	struct lt_verifier *v = verifier(g, p, NULL);
	lt_verifier_name(v, " of run 1");
	cr_assert_eq(lt_instance_run(r, in, (void *[]){ y }), LT_OK);
	y[4] = -y[4] + 1;
	cr_assert_eq(lt_verifier_results(v, r, in, (const void *[]){ y }), LT_OK);
	const struct lt_verified *f = lt_verifier_report(v);
	cr_assert(f->verdict == LT_VERDICT_FAILED && f->wrong == 1 && f->elements == 2 * M && f->equal == 2 * M - 1);
	cr_assert(strstr(f->first, "y[4] (%y) of run 1 is 3.5, the reference has -2.5"), "%s", f->first);
	cr_assert(f->absolute == 6 && strstr(f->absolute_at, "y[4]"));

	lt_verifier_clear(v);
	lt_verifier_name(v, NULL);
	cr_assert_eq(lt_verifier_report(v)->verdict, LT_VERDICT_PASSED);
	((float *)lt_instance_state(r, 0))[2] += 1;             /* behind the verifier's back */
	cr_assert_eq(lt_instance_run(r, in, (void *[]){ y }), LT_OK);
	cr_assert_eq(lt_verifier_results(v, r, in, (const void *[]){ y }), LT_OK);
	f = lt_verifier_report(v);
	cr_assert(f->verdict == LT_VERDICT_FAILED && f->wrong == 2 && !strstr(f->first, "of run"), "%s", f->first);
	cr_assert(strstr(f->first, "y[2] (%y) is 13, the reference has 12"), "%s", f->first);

	/* One that says what its state is now goes on from there. */
	lt_verifier_clear(v);
	((float *)lt_instance_state(r, 0))[2] = NAN;
	cr_assert_eq(lt_verifier_states(v, r), LT_OK);
	cr_assert_eq(lt_instance_run(r, in, (void *[]){ y }), LT_OK);
	cr_assert_eq(lt_verifier_results(v, r, in, (const void *[]){ y }), LT_OK);
	cr_assert(isnan(y[2]) && lt_verifier_report(v)->verdict == LT_VERDICT_PASSED, "%s", lt_verifier_report(v)->first);
	lt_verifier_free(v);
	lt_instance_free(r);
	lt_program_free(p);
	parsed_free(g);
}

/* Without a program: numbers from anywhere, here from this loop. */
Test(verify, results_of_anybody)
{
	struct lt_graph *g = parsed(FOLLOWED);
	struct lt_verifier *v;
	float y[M], s[M] = { 0 };
	const void *const in[] = { x };
	expect_message(g, lt_verifier_new(g, NULL, NULL, NULL, &v), LT_EMISSING, "w");
	cr_assert_null(v);
	v = verifier(g, NULL, (const void *[]){ w });
	expect_message(g, lt_verifier_result(v, 0, y), LT_EINVAL, "lt_verifier_evaluate");
	cr_assert(!lt_verifier_reference(v, 0) && lt_verifier_extent(v, LT_BINDING_RESULT, 0, 0) == 0);
	expect_message(g, lt_verifier_evaluate(v, NULL), LT_EMISSING, "no inputs");
	for (int run = 0; run < 3; run++) {
		double norm;
		cr_assert_eq(lt_verifier_evaluate(v, in), LT_OK, "%s", lt_context_message(g->ctx));
		for (int i = 0; i < M; i++)
			y[i] = s[i] = s[i] + x[i] * w[i];
		cr_assert_eq(lt_verifier_result(v, 0, y), LT_OK);
		cr_assert_eq(lt_verifier_state(v, 0, s), LT_OK);
		cr_assert(lt_verifier_explained(v, 0, &norm) == LT_OK && norm < 1e-5);
		cr_assert_not_null(lt_verifier_reference(v, 0));
	}
	cr_assert(lt_verifier_report(v)->verdict == LT_VERDICT_PASSED && lt_verifier_report(v)->equal == 3 * 2 * M
		&& lt_verifier_report(v)->kernels == 0);
	expect_message(g, lt_verifier_result(v, 1, y), LT_EINVAL, "no result 1");
	expect_message(g, lt_verifier_state(v, -1, s), LT_EINVAL, "no state -1");
	lt_verifier_free(v);
	lt_verifier_free(NULL);
	parsed_free(g);
}

/* States as the caller has them; what the reference makes of one that is set, and of one that is not. */
Test(verify, states_are_given_and_read)
{
	struct lt_graph *g = parsed("graph 1\nvar m 7\n%x = f32[m] input \"x\"\n%s = f32[m] state \"s\"\n"
		"%t = f32[m] state \"t\"\n%p = f32[m] mul %x, %t\n%y = f32[m] add %p, %s\nset %s = %y\nresult \"y\" = %y\n");
	struct lt_verifier *v = verifier(g, NULL, NULL);
	const void *const in[] = { x };
	float s[M], t[M];
	for (int i = 0; i < M; i++) {
		s[i] = (float)(2 * i - 5);
		t[i] = w[i];
	}
	cr_assert_null(lt_verifier_reference_state(v, 0));
	cr_assert(lt_verifier_set_state(v, 0, s) == LT_OK && lt_verifier_set_state(v, 1, t) == LT_OK);
	memset(t, 0xff, sizeof t);              /* it was copied */
	cr_assert_eq(lt_verifier_evaluate(v, in), LT_OK, "%s", lt_context_message(g->ctx));
	for (int i = 0; i < M; i++) {
		s[i] += x[i] * w[i];
		cr_assert(((const float *)lt_verifier_reference(v, 0))[i] == s[i]);
		cr_assert(((const float *)lt_verifier_reference_state(v, 0))[i] == s[i]);
		cr_assert(((const float *)lt_verifier_reference_state(v, 1))[i] == w[i]);
	}
	cr_assert(!lt_verifier_reference_state(v, 2) && !lt_verifier_reference_state(v, -1));
	cr_assert(lt_verifier_state(v, 0, s) == LT_OK && lt_verifier_state(v, 1, w) == LT_OK);
	cr_assert(lt_verifier_report(v)->verdict == LT_VERDICT_PASSED && lt_verifier_report(v)->equal == 2 * M);
	expect_message(g, lt_verifier_set_state(v, 2, s), LT_EINVAL, "no state 2; the graph has 2");
	lt_verifier_free(v);
	parsed_free(g);
}

/* Kernels that this loop stands for: h = exp x, then y = the sum of h. */
Test(verify, values_of_kernels_that_somebody_else_runs)
{
	struct lt_graph *g = parsed("graph 1\nvar m 7\n%x = f32[m] input \"x\"\n%h = f32[m] exp %x\n"
		"%y = f32[] add.reduce %h\nresult \"y\" = %y\nresult \"h\" = %h\n");
	struct lt_program *p = compiled(g, "ref");
	const struct lt_graph *after = lt_program_graph(p);
	const lt_node nh = lt_graph_find_node(after, "h"), ny = lt_graph_find_node(after, "y");
	struct lt_verifier *v = verifier(g, p, NULL), *alone = verifier(g, NULL, NULL);
	const void *const in[] = { x };
	float h[M], y = 0;
	cr_assert(nh >= 0 && ny >= 0);
	expect_message(g, lt_verifier_value(v, nh, 0, h), LT_EINVAL, "lt_verifier_evaluate");
	for (int wrong = 0; wrong < 3; wrong++) {
		lt_verifier_clear(v);
		cr_assert_eq(lt_verifier_evaluate(v, in), LT_OK);
		y = 0;
		for (int i = 0; i < M; i++)
			h[i] = expf(x[i]);
		h[2] += wrong == 1 ? 1 : 0;
		for (int i = 0; i < M; i++)
			y += h[i];
		y += wrong == 2 ? 1 : 0;
		cr_assert_eq(lt_verifier_value(v, nh, 0, h), LT_OK);
		cr_assert_eq(lt_verifier_value(v, ny, 0, &y), LT_OK);
		cr_assert_eq(lt_verifier_report(v)->kernel_elements, 0);        /* nothing is judged before it is asked for */
		cr_assert_eq(lt_verifier_values(v), LT_OK, "%s", lt_context_message(g->ctx));
		const struct lt_verified *f = lt_verifier_report(v);
		cr_assert(f->values == 2 && f->kernels == 1 && f->kernel_elements == M + 1 && f->kernel_wrong == (wrong > 0));
		cr_assert_eq(f->verdict, wrong ? LT_VERDICT_FAILED : LT_VERDICT_PASSED, "%s", f->first);
		/* A wrong %h is the fault of what wrote it alone: %y was computed of it. */
		cr_assert(wrong == 0 || strstr(f->first, wrong == 1 ? "%h[2] is" : "%y[] is"), "%s", f->first);
		cr_assert(lt_verifier_values(v) == LT_OK && lt_verifier_report(v)->values == 2);        /* they are forgotten */
	}
	expect_message(g, lt_verifier_value(v, after->n_node, 0, h), LT_EINVAL, "no value");
	expect_message(g, lt_verifier_value(v, nh, lt_program_kernels(p), h), LT_EINVAL, "no kernel");
	expect_message(g, lt_verifier_value(v, nh, -1, h), LT_EINVAL, "no kernel -1");
	cr_assert_eq(lt_verifier_evaluate(alone, in), LT_OK);
	expect_message(g, lt_verifier_value(alone, nh, 0, h), LT_EINVAL, "without a program");
	lt_verifier_free(alone);
	lt_verifier_free(v);
	lt_program_free(p);
	parsed_free(g);
}

Test(verify, what_does_not_belong_together)
{
	struct lt_graph *g = parsed(FOLLOWED), *other = parsed(FOLLOWED);
	struct lt_program *p = compiled(g, "ref"), *q = compiled(other, "ref");
	struct lt_verifier *v;
	float y[M];
	cr_assert_eq(lt_program_bind(p, 0, w, 1), LT_OK);
	cr_assert_eq(lt_program_bind(q, 0, w, 1), LT_OK);
	struct lt_instance *r = instance_of(q);
	expect_message(g, lt_verifier_new(g, q, NULL, NULL, &v), LT_EINVAL, "another context");
	struct lt_graph *less = parsed_in(g->ctx, "graph 1\nvar m 7\n%x = f32[m] input \"x\"\n%c = f32[m] neg %x\n"
		"result \"y\" = %c\n");
	expect_message(g, lt_verifier_new(less, p, NULL, NULL, &v), LT_EINVAL, "that has 0 constants, the program 1");
	cr_assert_null(v);
	lt_graph_free(less);
	v = verifier(g, p, NULL);
	expect_message(g, lt_verifier_run(v, r, (const void *[]){ x }, (void *[]){ y }), LT_EINVAL, "not of the program");
	lt_verifier_free(v);
	lt_instance_free(r);
	lt_program_free(q);
	lt_program_free(p);
	parsed_free(other);
	parsed_free(g);
}

/* exp(x) - exp(x), each by its own sum: rounding may explain any value. */
Test(verify, what_nothing_can_judge_is_open_unless_it_is_allowed)
{
	static const char text[] = "$1 = InputTensor(x, float32, [4, 1000]); $2 = ExpNode($1); $3 = ReduceSumNode($2, [1]); "
		"$4 = ReshapeNode($2, [4, 8, 125]); $5 = ReduceSumNode($4, [2]); $6 = ReduceSumNode($5, [1]); "
		"$7 = SubNode($3, $6); result = $7;";
	static float in[4000];
	struct lt_context *ctx;
	struct lt_graph *g;
	float y[4];
	for (int i = 0; i < 4000; i++)
		in[i] = (float)(i * 37 % 101) / 50 - 1;
	cr_assert_eq(lt_context_new(&ctx), LT_OK);
	cr_assert_eq(lt_parse(ctx, text, strlen(text), "open.lt", NULL, &g), LT_OK, "%s", lt_context_message(ctx));
	for (uint32_t allow = 0; allow < 2; allow++) {
		const struct lt_verify_options o = { .size = sizeof o, .allow_open = allow };
		struct lt_verifier *v;
		cr_assert_eq(lt_verifier_new(g, NULL, NULL, &o, &v), LT_OK, "%s", lt_context_message(ctx));
		cr_assert_eq(lt_verifier_evaluate(v, (const void *[]){ in }), LT_OK);
		memcpy(y, lt_verifier_reference(v, 0), sizeof y);
		y[3] += 1e-4f;
		cr_assert_eq(lt_verifier_result(v, 0, y), LT_OK);
		const struct lt_verified *f = lt_verifier_report(v);
		cr_assert(f->verdict == (allow ? LT_VERDICT_PASSED : LT_VERDICT_OPEN) && f->open == 1 && f->wrong == 0, "%d %s",
			(int)f->verdict, f->first);
		cr_assert(strstr(f->open_at, "[3, 0]") || strstr(f->open_at, "[3]"), "%s", f->open_at);
		lt_verifier_free(v);
	}
	lt_graph_free(g);
	lt_context_free(ctx);
}

struct asked { int n; double share; };
static int stop(void *user) { return ++*(int *)user > 1; }
static void count(void *user, const char *what, double share)
{
	struct asked *a = user;
	cr_assert(what && share >= 0 && share <= 1);
	a->n++;
}

/* The evaluator takes seconds here: it says so, and ends when it is told to. */
Test(verify, progress_and_its_end)
{
	struct lt_graph *g = parsed("graph 1\nvar m 700\nvar k 700\nvar n 700\n%a = f64[m, k] input \"a\"\n"
		"%b = f64[k, n] input \"b\"\n%e = f64[m, k, n] pow %a, %b\n%y = f64[m, n] add.reduce %e\nresult \"y\" = %y\n");
	struct asked asked = { 0 };
	const struct lt_verify_options o = { .size = sizeof o, .n_thread = 2, .progress = count, .user = &asked };
	double *a = calloc(490000, sizeof *a);
	struct lt_verifier *v;
	int n = 0;
	cr_assert_eq(lt_verifier_new(g, NULL, NULL, &o, &v), LT_OK);
	lt_context_cancel(g->ctx, stop, &n);
	expect_message(g, lt_verifier_evaluate(v, (const void *[]){ a, a }), LT_ECANCELLED, "cancelled");
	cr_assert(n == 2 && !lt_verifier_reference(v, 0));
	lt_context_cancel(g->ctx, NULL, NULL);
	lt_verifier_free(v);
	cr_assert_gt(asked.n, 0);
	free(a);
	parsed_free(g);
}

static void keep(void *user, const char *text, size_t bytes) { strncat(user, text, bytes); }

/* The text, of made-up numbers. */
Test(verify, the_report_as_text)
{
	const struct lt_verified f = { .size = sizeof f, .verdict = LT_VERDICT_OPEN, .first = "", .open_at = "y[1]",
		.left = "%h of kernel k0", .elements = 10, .equal = 1, .judged = 7, .open = 2, .kernels = 1, .values = 2,
		.kernel_elements = 20, .kernel_equal = 5, .kernel_judged = 12, .kernel_left = 3, .runs = 5, .widened = 16,
		.absolute = 0.5, .relative = 1e-7, .noise = 0.25, .bound = 0.75, .norm = 1e-8, .norm_explained = 2e-7,
		.absolute_at = "y[2]", .relative_at = "y[3]", .noise_at = "y[4]", .bound_at = "%h[5]", .norm_at = "y", .tf32 = 1,
		.n_unrounded = 1 };
	char text[2000] = "";
	lt_verified_print(&f, 1, keep, text);
	cr_assert_str_eq(text, "verify: not verified, 2 not judged: 10 elements compared, 1 equal; largest absolute error 0.5 "
		"at y[2]; largest relative error 1e-07 at y[3]\n");
	text[0] = '\0';
	lt_verified_print(&f, 0, keep, text);
	cr_assert_str_eq(strchr(text, '\n') + 1,
		"  allowed: factors of float32 in products may have 10 bits of their fraction (tf32)\n"
		"  allowed: 1 rounding between operators may be left out by the routines that do them\n"
		"  kernels: 2 values of 1 kernel, 20 elements: 5 equal, 12 within the bound of their kernel, 0 wrong; largest "
		"error/bound 0.75 at %h[5]; 3 left to the next test because their bound says nothing, such as some of %h of kernel "
		"k0\n"
		"  noise:   5 runs with random errors, widened 16 times: 7 within, 0 wrong, 2 open; largest error/tolerance 0.25 "
		"at y[4]\n"
		"  norm:    largest relative error 1e-08, of y; rounding explains 2e-07\n");
}
