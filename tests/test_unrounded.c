/* test_unrounded.c -- roundings that a call may leave out: either value is right at each of them, in one kernel and in
 * a whole network, and nothing else is.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "program/judge/judge.h"
#include "check/random/random.h"
#include "lt/frontend.h"
#include "program/explain/explain.h"
#include "tests/ltcheck.h"
#include "tests/ltrun.h"
#include "tests/parsed.h"

TestSuite(unrounded, .timeout = 300);

static lt_node named(const struct lt_graph *g, const char *name)
{
	for (lt_node n = 0; n < g->n_node; n++)
		if (!strcmp(g->node[n].name, name))
			return n;
	return -1;
}

static double half_of(double x) { return lt__round_to((union lt_scalar){ .f = x }, LT_F16).f; }

/* -- bounds -- */

static const char tripled[] = "graph 1\nvar n 18\n%x = f32[n] input \"x\"\n%c = f16[n] cast %x\n%w = f32[n] cast %c\n"
	"%t = f32[] lit 3.0\n%y = f32[n] mul %w, %t\n%z = f32[n] floor %w\nresult \"y\" = %y\nresult \"z\" = %z\n"
	"result \"c\" = %c\n";
static const float tried[18] = { 1, -1, 0, 2049, 2051, -4097, 0.1f, -0.1f, 0x1p-25f, -0x1.8p-24f, 65504, 65519, 70000,
	-65520, 0.99999f, 6.99999f, INFINITY, NAN };

static void evaluated(const struct lt_graph *g, const struct lt_eval_options *o, struct lt_evaluation **e)
{
	const void *source[8] = { [0] = tried };
	cr_assert_eq(lt_eval_with(g, source, o, e), LT_OK, "%s", lt_context_message(g->ctx));
}

/* Of 3 x and floor(x): what is made of x without its rounding is within the bound, and nothing much else. */
Test(unrounded, bounds_hold_both_values_and_no_more)
{
	struct lt_graph *g = parsed(tripled);
	bool may[8] = { false };
	struct lt_evaluation *strict, *loose;
	const double *e[2], *s[2], *none;
	may[named(g, "c")] = true;
	evaluated(g, &(struct lt_eval_options){ .want_error = true }, &strict);
	evaluated(g, &(struct lt_eval_options){ .want_error = true, .unrounded = may }, &loose);
	const float *y = lt_eval_result(loose, 0, &e[0]), *z = lt_eval_result(loose, 1, &e[1]);
	cr_assert_eq(memcmp(y, lt_eval_result(strict, 0, &s[0]), sizeof tried), 0);
	(void)lt_eval_result(strict, 1, &s[1]);
	(void)lt_eval_result(strict, 2, &none);
	for (int i = 0; i < 18; i++) {
		double x = tried[i], lost = fabs(x - half_of(x)), most = 3 * lost * (1 + 0x1p-20) + 0x1p-22 * fabs(3 * x);
		cr_expect(s[0][i] == 0 && s[1][i] == 0, "%g is rounded: %g, %g", x, s[0][i], s[1][i]);
		cr_expect_eq(none[i], 0, "a result is rounded");
		if (!isfinite(x) || lost == 0)
			cr_expect(e[0][i] == 0 && e[1][i] == 0, "%g: %g, %g", x, e[0][i], e[1][i]);
		else if (!isfinite(half_of(x)))
			cr_expect(isinf(e[0][i]) && isinf(e[1][i]), "%g: %g, %g", x, e[0][i], e[1][i]);
		else
			cr_expect(fabs((double)(float)(3 * x) - (double)y[i]) <= e[0][i] && e[0][i] <= most
				&& fabs(floor(x) - (double)z[i]) <= e[1][i] && e[1][i] <= lost + 1.01, "%g: %g, %g", x, e[0][i], e[1][i]);
	}
	cr_expect(e[1][6] == 0 && e[1][14] >= 1 && e[1][15] >= 1, "a step is within reach of a rounding, or is not");
	lt_eval_free(strict);
	lt_eval_free(loose);
	parsed_free(g);
}

/* What a call may round that the graph does not: either value is within the bound, half a unit more than without it;
 * runs without bounds have it rounded.  What is not finite stays what it is. */
Test(unrounded, roundings_that_the_graph_has_not)
{
	static const enum lt_dtype types[] = { LT_F16, LT_BF16 };
	static const double unit[] = { 0x1p-11, 0x1p-8 };
	for (int t = 0; t < 2; t++) {
		struct lt_graph *g = parsed("graph 1\nvar n 18\n%x = f32[n] input \"x\"\n%one = f32[] lit 1.0\n"
			"%p = f32[n] div %x, %one\n%t = f32[] lit 3.0\n%y = f32[n] mul %p, %t\nresult \"y\" = %y\n");
		uint8_t to[8] = { 0 };
		struct lt_evaluation *strict, *loose, *run;
		const double *e, *s, *none;
		to[named(g, "p")] = (uint8_t)types[t];
		evaluated(g, &(struct lt_eval_options){ .want_error = true }, &strict);
		evaluated(g, &(struct lt_eval_options){ .want_error = true, .rounded = to }, &loose);
		evaluated(g, &(struct lt_eval_options){ .mode = LT_EVAL_NEAREST, .rounded = to }, &run);
		const float *y = lt_eval_result(loose, 0, &e), *rounded = lt_eval_result(run, 0, &none);
		cr_assert_eq(memcmp(y, lt_eval_result(strict, 0, &s), sizeof tried), 0);
		for (int i = 0; i < 18; i++) {
			const double x = tried[i], half = lt__round_to((union lt_scalar){ .f = x }, types[t]).f;
			if (!isfinite(x)) {
				cr_expect_eq(e[i], s[i], "%g: %g, %g", x, e[i], s[i]);
				continue;
			}
			cr_expect_eq(rounded[i], (float)(3 * half), "%g: %g", x, (double)rounded[i]);
			if (isfinite(half))
				cr_expect(fabs((double)(float)(3 * half) - (double)y[i]) <= e[i]
					&& e[i] <= s[i] + 3 * (unit[t] * fabs(x) + 0x1p-25) * (1 + 0x1p-18) + 0x1p-22 * fabs(3 * x), "%g: %g, %g", x,
					e[i], s[i]);
		}
		lt_eval_free(strict);
		lt_eval_free(loose);
		lt_eval_free(run);
		parsed_free(g);
	}
}

/* A value that was stored was rounded: what is half a step beside it is read by nodes of its own call alone. */
Test(unrounded, what_is_stored_was_rounded_for_other_kernels)
{
	struct lt_graph *g = parsed(tripled);
	bool may[8] = { false };
	int32_t call[8] = { 0 };
	uint16_t half[18];
	const void *given[8] = { NULL };
	lt_node want[] = { named(g, "y"), named(g, "c") };
	for (int i = 0; i < 18; i++)
		half[i] = (uint16_t)lt__bits_of((union lt_scalar){ .f = half_of(tried[i]) }, LT_F16);
	given[want[1]] = half;
	may[want[1]] = true;
	for (int same = 0; same < 2; same++) {
		struct lt_evaluation *e;
		const double *error, *own;
		call[want[1]] = 1;
		call[want[0]] = same ? 1 : 2;
		evaluated(g, &(struct lt_eval_options){ .want_error = true, .unrounded = may, .call = call, .given = given,
			.want = want, .n_want = 2 }, &e);
		(void)lt_eval_value(e, want[0], &error);
		(void)lt_eval_value(e, want[1], &own);
		for (int i = 0; i < 18; i++) {
			double r = half_of(tried[i]), lost = fabs((double)tried[i] - r);
			if (!same || isnan(r))
				cr_expect_eq(error[i], 0, "%g: %g", r, error[i]);
			else if (isinf(r))
				cr_expect_eq(error[i], INFINITY, "%g: %g", r, error[i]);
			else
				cr_expect(3 * lost <= error[i] && error[i] <= 3 * (1 + 0x1p-20) * (0x1p-11 * fabs(r) + 0x1p-25) + 0x1p-20 * fabs(r),
					"%g: %g", r, error[i]);
		}
		lt_eval_free(e);
	}
	parsed_free(g);
}

/* -- runs -- */

static const char scaled[] = "graph 1\nvar n 3\n%x = f32[n] input \"x\"\n%c = f16[n] cast %x\n%w = f32[n] cast %c\n"
	"%t = f32[] lit 0.001\n%y = f32[n] mul %w, %t\nresult \"y\" = %y\n";

/* What is rounded to an infinity, and would be a number without that, may be either; nothing else moves by more. */
Test(unrounded, runs_leave_them_out)
{
	static const float x[] = { 70000, 1.0004f, -3 }, left_out[] = { 70, 1.0004f * 0.001f, -0.003f },
		beside[] = { 70.01f, 0.001f, -0.003f }, off[] = { INFINITY, 1.01f * 0.001f, -0.003f };
	struct lt_graph *g = parsed(scaled);
	const void *source[8] = { [0] = x };
	bool may[8] = { false };
	may[named(g, "c")] = true;
	for (int marked = 0; marked < 2; marked++) {
		const struct lt_judge_options o = { .seed = 7, .unrounded = marked ? may : NULL };
		struct lt_report r = { 0 }, open = { 0 }, wrong = { 0 };
		struct lt_judge *j;
		cr_assert_eq(lt__judge_new(g, source, &o, &j), LT_OK);
		cr_assert_eq(lt__judge_result(j, 0, left_out, &r), LT_OK);
		cr_assert_eq(lt__judge_result(j, 0, beside, &open), LT_OK);
		cr_assert_eq(lt__judge_result(j, 0, off, &wrong), LT_OK);
		cr_expect(lt__report_failed(&r) == !marked && r.open == 0 && r.equal == (marked ? 3 : 1), "%d: %s", marked, r.first);
		cr_expect(lt__report_failed(&open) == !marked && open.open == marked, "%d: %s", marked, open.first);
		cr_expect(wrong.wrong == 1 && wrong.equal == 2, "%d: %s", marked, wrong.first);
		lt__judge_free(j);
	}
	parsed_free(g);
}

/* -- networks -- */

enum { MAX_VALUES = 14 };
struct net {
	char text[8000], *at;
	uint64_t rng;
	bool image, halves;
	int n, channels[MAX_VALUES], readers[MAX_VALUES];
};
#define ADD(...) x->at += sprintf(x->at, __VA_ARGS__)

static int draw(struct net *x, int channels)
{
	int from = x->n - 1 - (int)random_between(&x->rng, 0, x->n > 3 ? 3 : x->n - 1);
	for (int i = 0; i < x->n; i++) {
		int at = (from + i) % x->n;
		if (channels && x->channels[at] != channels)
			continue;
		x->readers[at]++;
		return at;
	}
	return -1;
}

/* A convolution or product, with what stands behind it in networks, each rounded. */
static void add_layer(struct net *x)
{
	static const int sizes[] = { 7, 1, 13, 8 };
	int n = x->n, kind = (int)random_between(&x->rng, 0, 15), a = draw(x, 0), c = x->channels[a];
	const char *t = x->halves ? "float16" : "float32";
	if (kind < 5) {
		int to = sizes[random_between(&x->rng, 0, 3)], k = random_chance(&x->rng, 60) ? 3 : 1;
		if (x->image)
			ADD("w%d = ConstantTensor(w%d, %s, [%d, %d, %d, %d]);\ny%d = h(Conv2dNode(f(y%d), f(w%d), [1, 1], [%d, %d, %d, "
				"%d]));\n", n, n, t, to, c, k, k, n, a, n, k / 2, k / 2, k / 2, k / 2);
		else
			ADD("w%d = ConstantTensor(w%d, %s, [%d, %d]);\ny%d = h(f(y%d) @ f(w%d));\n", n, n, t, c, to, n, a, n);
		c = to;
	} else if (kind < 9) {
		ADD("b%d = ConstantTensor(b%d, %s, [%d%s]);\ny%d = h(f(y%d) %c f(b%d));\n", n, n, t, c, x->image ? ", 1, 1" : "", n,
			a, kind < 8 ? '+' : '*', n);
	} else if (kind < 13) {
		static const char *const does[] = { "ReLUNode(f(y%d))", "SigmoidNode(f(y%d))", "MinNode(MaxNode(f(y%d), 0), 1.5)",
			"TanhNode(f(y%d))" };
		char does_it[80];
		(void)sprintf(does_it, does[kind - 9], a);
		ADD("y%d = h(%s);\n", n, does_it);
	} else if (kind < 15) {
		ADD("y%d = h(f(y%d) + f(y%d));\n", n, a, draw(x, c));
	} else if (x->image) {
		ADD("y%d = h(f(y%d) * f(h(SigmoidNode(f(y%d)))));\n", n, a, a);
	} else if (c == 1) {            /* of which a softmax is 1, and a norm what rounding leaves of 0 */
		ADD("y%d = h(AbsNode(f(y%d)));\n", n, a);
	} else if (random_chance(&x->rng, 50)) {
		ADD("y%d = h(SoftmaxNode(f(y%d), 1));\n", n, a);
	} else {
		ADD("g%d = ConstantTensor(g%d, %s, [%d]);\ny%d = h(LayerNormNode(f(y%d), f(g%d), f(g%d)));\n", n, n, t, c, n, a,
			n, n);
	}
	x->channels[n] = c;
	x->n++;
}

static void draw_net(struct net *x, uint64_t seed, bool halves)
{
	*x = (struct net){ .rng = seed, .n = 1, .image = seed % 2, .halves = halves, .channels = { 6 } };
	const char *t = halves ? "float16" : "float32";
	x->at = x->text;
	ADD("def f(x) { return %s; }\ndef h(x) { return %s; }\n", halves ? "CastNode(x, float32)" : "x",
		halves ? "CastNode(x, float16)" : "x");
	ADD("y0 = InputTensor(x, %s, %s);\n", t, x->image ? "[1, 6, 5, 7]" : "[11, 6]");
	while (x->n < (int)(5 + seed % (MAX_VALUES - 5)))
		add_layer(x);
	for (int i = 1; i < x->n; i++)
		if (x->readers[i] == 0 || random_chance(&x->rng, 8))
			ADD("result r%d = y%d;\n", i, i);
}
#undef ADD

/* Weights of which sums stay of order 1.  zeroed: of constants, the element that is left out; short: to ten bits. */
struct wrong { int constant; bool shorter; };
struct subject {
	struct lt_context *ctx;
	struct lt_graph *g;
	struct lt_program *p;
	struct lt_instance *r;
	const void *data[64];           /* by node of g */
	const void *input[1];
	void *result[MAX_VALUES];
	const void **source;            /* by node of p's base: what is right */
};

static void *filled(const struct lt_graph *g, lt_node n, const struct wrong *wrong)
{
	const struct lt_nodedef *d = &g->node[n];
	const int64_t elems = lt__node_elems(g, n);
	const bool weight = d->label[0] == 'w';
	int64_t terms = 1, largest = 0;
	uint64_t rng = 77 + (uint64_t)d->label[0] * 1000003;
	void *out = calloc((size_t)elems + 1, 8);
	for (const char *c = d->label; *c; c++)
		rng = rng * 31 + (uint64_t)*c;
	for (int i = 0; i < d->n_dim; i++)
		terms *= weight && (d->n_dim == 4 ? i != 0 : i == 0) ? g->var[d->dim[i]].extent : 1;
	for (int64_t i = 0; i < elems; i++) {
		double v = (double)random_between(&rng, -1000000, 1000000) / 1e6 * (weight ? 2 / sqrt((double)terms) : 1);
		lt__store(out, i, d->dtype, lt__round_to((union lt_scalar){ .f = v }, d->dtype));
		largest = fabs(lt__load(out, i, d->dtype).f) > fabs(lt__load(out, largest, d->dtype).f) ? i : largest;
	}
	if (wrong && wrong->constant >= 0)
		lt__store(out, largest, d->dtype, (union lt_scalar){ .f = 0 });
	for (int64_t i = 0; wrong && wrong->shorter && i < elems; i++)
		((uint32_t *)out)[i] &= ~UINT32_C(0x1fff);
	return out;
}

static struct subject subject_new(const char *text, const char *backends, const struct wrong *wrong)
{
	struct subject s = { .ctx = NULL };
	struct lt_options o = { .size = sizeof o, .backends = backends, .strict = 1 };
	cr_assert_eq(lt_context_new(&s.ctx), LT_OK);
	cr_assert_eq(lt_parse(s.ctx, text, strlen(text), "net", NULL, &s.g), LT_OK, "%s\n%s", lt_context_message(s.ctx), text);
	cr_assert_eq(lt_compile(s.ctx, s.g, &o, &s.p), LT_OK, "%s\n%s", lt_context_message(s.ctx), text);
	s.source = calloc((size_t)s.p->base->n_node + 1, sizeof *s.source);
	int n_constant = 0, used = 0;
	for (lt_node n = 0; n < s.g->n_node; n++) {
		const struct lt_nodedef *d = &s.g->node[n];
		if (d->op != LT_OP_input && d->op != LT_OP_constant)
			continue;
		cr_assert_lt(n, 1 << 20);
		void *right = filled(s.g, n, NULL), *told = right;
		bool is_wrong = wrong && d->op == LT_OP_constant && d->label[0] == 'w'
			&& (wrong->shorter || n_constant++ == wrong->constant);
		if (is_wrong)
			told = filled(s.g, n, wrong);
		if (d->op == LT_OP_input)
			s.input[0] = told;
		else
			cr_assert_eq(lt_program_bind(s.p, lt_program_find(s.p, LT_BINDING_CONSTANT, d->label), told, 0), LT_OK);
		for (lt_node b = 0; b < s.p->base->n_node; b++)
			if (s.p->base->node[b].label && s.p->base->node[b].op == d->op && !strcmp(s.p->base->node[b].label, d->label))
				s.source[b] = right;
		cr_assert_lt(used, 30);
		s.data[2 * used] = right;
		s.data[2 * used++ + 1] = told;
	}
	cr_assert_eq(lt_instance_new(s.p, &s.r), LT_OK, "%s", lt_instance_message(s.r));
	for (int i = 0; i < s.g->n_result; i++)
		s.result[i] = calloc(lt_program_bytes(s.p, LT_BINDING_RESULT, i) + 1, 1);
	return s;
}

static void subject_free(struct subject *s)
{
	for (int i = 0; i < s->g->n_result; i++)
		free(s->result[i]);
	for (int i = 0; i < 64; i += 2) {
		if (s->data[i + 1] != s->data[i])
			free((void *)(uintptr_t)s->data[i + 1]);
		free((void *)(uintptr_t)s->data[i]);
	}
	lt_instance_free(s->r);
	lt_program_free(s->p);
	lt_graph_free(s->g);
	free(s->source);
	lt_context_free(s->ctx);
}

/* What is seen goes to a judge, one element of one value changed by a part of its root mean square. */
struct watch { struct lt_kernel_judge *k; const struct lt_graph *base; uint64_t hash; int value, seen; double by; };

static lt_status watch_value(void *user, const struct lt_seen *seen, const void *data)
{
	struct watch *w = user;
	enum lt_dtype t = w->base->node[seen->base].dtype;
	size_t bytes = (size_t)seen->elems * lt__dtype_info(t)->bytes;
	unsigned char *copy = malloc(bytes + 1);
	double square = 0;
	memcpy(copy, data, bytes);
	for (size_t i = 0; i < bytes; i++)
		w->hash = (w->hash ^ copy[i]) * UINT64_C(0x100000001b3);
	for (int64_t i = 0; i < seen->elems; i++)
		square += lt__square(lt__magnitude(copy, i, t));
	if (w->seen++ == w->value && lt__dtype_info(t)->cls == LT_CLASS_FLOAT) {
		int64_t at = (int64_t)(w->hash % (uint64_t)seen->elems);
		double to = lt__load(copy, at, t).f + w->by * sqrt(square / (double)seen->elems);
		lt__store(copy, at, t, lt__round_to((union lt_scalar){ .f = to }, t));
	}
	lt_status st = w->k ? lt__kernel_judge_see(w->k, seen, copy) : LT_OK;
	free(copy);
	return st;
}

/* The kernels of s by the rules of another program of the same graph; value -1: as they are. */
static struct lt_report kernels_by(
	struct subject *s, const struct subject *rules, int value, double by, struct watch *w)
{
	const struct lt_judge_options o = { .seed = 7 };
	struct lt_report r = { 0 };
	*w = (struct watch){ .base = s->p->base, .value = value, .by = by, .hash = 14695981039346656037u };
	cr_assert_eq(lt__kernel_judge_new(rules->p, rules->source, &o, &w->k), LT_OK);
	cr_assert_eq(lt__instance_observe(s->r, s->input, s->result, watch_value, w), LT_OK, "%s", lt_instance_message(s->r));
	cr_assert_eq(lt__kernel_judge_end(w->k, &r), LT_OK, "%s", lt_context_message(rules->ctx));
	lt__kernel_judge_free(w->k);
	return r;
}

static struct lt_report results_of(const struct subject *s)
{
	struct lt_report r = { 0 };
	struct lt_unrounded unrounded;
	struct lt_judge *j;
	const void **source = calloc((size_t)s->g->n_node + 1, sizeof *source);
	int used = 0;
	for (lt_node n = 0; n < s->g->n_node; n++)
		if (s->g->node[n].op == LT_OP_input || s->g->node[n].op == LT_OP_constant)
			source[n] = s->data[2 * used++];
	cr_assert_eq(lt__program_unrounded(s->p, s->g, &unrounded), LT_OK);
	const struct lt_judge_options o = { .seed = 7, .unrounded = unrounded.may };
	cr_assert_eq(lt__judge_new(s->g, source, &o, &j), LT_OK, "%s", lt_context_message(s->ctx));
	for (int i = 0; i < s->g->n_result; i++)
		cr_assert_eq(lt__judge_result(j, i, s->result[i], &r), LT_OK);
	lt__judge_free(j);
	lt__unrounded_free(&unrounded);
	free(source);
	return r;
}

/* Roundings left out, all of them or some: right by the program's own rules, and wrong by those of one that may not
 * leave them out, unless nothing differs. */
Test(unrounded, networks_of_halves)
{
	static struct net x;
	int differ = 0, leave = 0;
	for (uint64_t seed = 1; seed <= 120; seed++) {
		char wide[60];
		struct watch w;
		draw_net(&x, seed, true);
		(void)snprintf(wide, sizeof wide, "sim:grid/groups/wide=%s/seed=%d", seed % 3 ? "all" : "some", (int)seed);
		struct subject loose = subject_new(x.text, wide, NULL), strict = subject_new(x.text, "ref", NULL);
		struct subject rounded = subject_new(x.text, "sim:grid/groups", NULL);
		struct lt_unrounded u;
		struct lt_report r = kernels_by(&rounded, &rounded, -1, 0, &w);
		uint64_t hash = w.hash;
		cr_expect(!lt__report_failed(&r), "seed %d: %s\n%s", (int)seed, r.first, x.text);
		r = kernels_by(&loose, &loose, -1, 0, &w);
		cr_expect(!lt__report_failed(&r) && r.kernel_left == 0, "seed %d: %s\n%s", (int)seed, r.first, x.text);
		r = results_of(&loose);
		cr_expect(!lt__report_failed(&r) && r.open == 0, "seed %d: %s%s\n%s", (int)seed, r.first, r.open_at, x.text);
		r = kernels_by(&loose, &strict, -1, 0, &w);
		cr_expect_eq(lt__report_failed(&r), w.hash != hash, "seed %d: %s\n%s", (int)seed, r.first, x.text);
		cr_assert_eq(lt__program_unrounded(loose.p, loose.g, &u), LT_OK);
		leave += u.n > 0;
		differ += w.hash != hash;
		lt__unrounded_free(&u);
		subject_free(&loose);
		subject_free(&rounded);
		subject_free(&strict);
	}
	cr_expect(leave > 60 && differ > 40, "%d may, %d do", leave, differ);
}

/* An element that is off by a twentieth of the tensor's size, a term of each sum of one channel left out. */
Test(unrounded, planted_faults_are_found)
{
	static struct net x;
	int elements = 0, terms = 0;
	for (uint64_t seed = 1; seed <= 60; seed++) {
		struct watch w;
		draw_net(&x, seed, true);
		struct subject s = subject_new(x.text, "sim:grid/groups/wide=all", NULL);
		(void)kernels_by(&s, &s, -1, 0, &w);
		for (int value = w.seen - 1; value >= 0 && value > w.seen - 4; value--) {
			struct lt_report r = kernels_by(&s, &s, value, 0.05, &w);
			cr_expect(r.kernel_wrong > 0, "seed %d, value %d: %s\n%s", (int)seed, value, r.left, x.text);
			elements++;
		}
		subject_free(&s);
		if (!strstr(x.text, "w1 =") && !strstr(x.text, "w2 ="))
			continue;
		s = subject_new(x.text, "sim:grid/groups/wide=all", &(struct wrong){ .constant = 0 });
		struct lt_report r = kernels_by(&s, &s, -1, 0, &w);
		cr_expect(r.kernel_wrong > 0, "seed %d: a term\n%s", (int)seed, x.text);
		terms++;
		subject_free(&s);
	}
	cr_expect(elements > 120 && terms > 20, "%d, %d", elements, terms);
}

/* In float32 there is nothing to leave out: weights of ten bits are found. */
Test(unrounded, short_factors_are_found_in_float32)
{
	static struct net x;
	int tried_nets = 0;
	for (uint64_t seed = 1; seed <= 40; seed++) {
		struct watch w;
		struct lt_unrounded u;
		draw_net(&x, seed, false);
		if (!strstr(x.text, "w1 =") && !strstr(x.text, "w2 ="))
			continue;
		struct subject s = subject_new(x.text, "sim:grid/groups/wide=all", &(struct wrong){ -1, true });
		struct lt_report r = kernels_by(&s, &s, -1, 0, &w);
		cr_expect(r.kernel_wrong > 0, "seed %d\n%s", (int)seed, x.text);
		cr_assert_eq(lt__program_unrounded(s.p, s.g, &u), LT_OK);
		cr_expect(u.n == 0 && !u.may, "%d", (int)u.n);
		tried_nets++;
		subject_free(&s);
	}
	cr_expect_gt(tried_nets, 12, "%d", tried_nets);
}

/* A quantised result: what is left out may turn a step over where it is near one, and explains no other steps. */
Test(unrounded, steps_are_not_explained)
{
	static const char text[] = "def f(x) { return CastNode(x, float32); }\ndef h(x) { return CastNode(x, float16); }\n"
		"x = InputTensor(x, float16, [11, 6]); w = ConstantTensor(w, float16, [6, 40]);\n"
		"b = ConstantTensor(b, float16, [40]); y = h(f(x) @ f(w)); z = h(f(y) + f(b)); s = h(SigmoidNode(f(z)));\n"
		"result q = CastNode(RoundNode(f(s) * 100), int8);\n";
	for (int wide = 0; wide < 2; wide++) {
		struct watch w;
		struct subject s = subject_new(text, wide ? "sim:grid/groups/wide=all" : "sim:grid/groups", NULL);
		struct lt_report r = kernels_by(&s, &s, -1, 0, &w);
		int8_t *q = s.result[0];
		cr_expect(!lt__report_failed(&r), "%s", r.first);
		r = results_of(&s);
		cr_expect(!lt__report_failed(&r) && r.open == 0, "%s%s", r.first, r.open_at);
		for (int every = 1; every <= 8; every *= 2) {
			for (int i = 0; i < 440; i += every)
				q[i]++;
			r = results_of(&s);
			cr_expect(lt__report_failed(&r), "every %d is off by a step, and it passes", every);
			for (int i = 0; i < 440; i += every)
				q[i]--;
		}
		subject_free(&s);
	}
}

/* Attention whose graph rounds probabilities, as a routine has it that multiplies exponentials as halves, and divides
 * behind that by the sum of those that are not rounded: within the bounds, some of it not without what they grant. */
Test(unrounded, exponentials_for_probabilities)
{
	enum { HEADS = 4, KEYS = 37, DEPTH = 8, N = HEADS * KEYS * DEPTH };
	static const char text[] = "def f(x) { return CastNode(x, float32); }\ndef h(x) { return CastNode(x, float16); }\n"
		"q = InputTensor(q, float16, [4, 37, 8]); k = ConstantTensor(k, float16, [4, 37, 8]);\n"
		"v = ConstantTensor(v, float16, [4, 37, 8]); s = EinsumNode(hsd,htd->hst: f(q), f(k)) * 0.5;\n"
		"m = WhereNode(LessEqualNode(IndexNode(s, 2), IndexNode(s, 1)), s, -inf);\n"
		"result y = EinsumNode(hst,htd->hsd: f(h(SoftmaxNode(m))), f(v));\n";
	struct subject s = subject_new(text, "sim:grid/groups/wide=all", NULL);
	struct lt_unrounded u;
	struct lt_evaluation *both, *late;
	const void *from[3] = { NULL };
	const double *error, *less;
	int outside = 0;
	cr_assert_eq(lt__program_unrounded(s.p, s.p->base, &u), LT_OK);
	cr_expect(u.n == 1 && u.n_added == 1, "%d, %d", (int)u.n, (int)u.n_added);
	struct lt_eval_options o = { .want_error = true, .unrounded = u.may, .rounded = u.rounded };
	cr_assert_eq(lt_eval_with(s.p->base, s.source, &o, &both), LT_OK);
	o.rounded = NULL;
	cr_assert_eq(lt_eval_with(s.p->base, s.source, &o, &late), LT_OK);
	const float *y = lt_eval_result(both, 0, &error);
	(void)lt_eval_result(late, 0, &less);
	for (lt_node n = 0; n < s.p->base->n_node; n++)
		for (int i = 0; i < 3 && s.p->base->node[n].label; i++)
			if (s.source[n] && s.p->base->node[n].label[0] == "qkv"[i])
				from[i] = s.source[n];
	cr_assert(from[0] && from[1] && from[2]);
	const void *q = from[0], *k = from[1], *v = from[2];
	for (int row = 0; row < HEADS * KEYS; row++) {
		double score[KEYS], most = -INFINITY, sum = 0, of[DEPTH] = { 0 };
		const int head = row / KEYS * KEYS;
		for (int t = 0; t <= row - head; t++) {
			score[t] = 0;
			for (int d = 0; d < DEPTH; d++)
				score[t] += 0.5 * lt__load(q, row * DEPTH + d, LT_F16).f * lt__load(k, (head + t) * DEPTH + d, LT_F16).f;
			most = fmax(most, score[t]);
		}
		for (int t = 0; t <= row - head; t++) {
			const double e = exp(score[t] - most);
			sum += e;
			for (int d = 0; d < DEPTH; d++)
				of[d] += half_of(e) * lt__load(v, (head + t) * DEPTH + d, LT_F16).f;
		}
		for (int d = 0; d < DEPTH; d++) {
			const double off = fabs(of[d] / sum - (double)y[row * DEPTH + d]);
			cr_expect(off <= error[row * DEPTH + d], "row %d: %g, and %g is granted", row, off, error[row * DEPTH + d]);
			outside += off > less[row * DEPTH + d];
		}
	}
	cr_expect(outside > 0, "none of %d is without the bounds of a rounding that is left out", (int)N);
	lt_eval_free(both);
	lt_eval_free(late);
	lt__unrounded_free(&u);
	subject_free(&s);
}

/* -- lt-run -- */

static const char rounded_between[] =
	"def f(x) { return CastNode(x, float32); }\ndef h(x) { return CastNode(x, float16); }\n"
	"x = InputTensor(x, float16, [16, 24]); w = ConstantTensor(w, float16, [24, 20]);\n"
	"b = ConstantTensor(b, float16, [20]);\ny = h(f(x) @ f(w)); z = %s(%s(y) + f(b)); result = h(SigmoidNode(%s(z)));\n";

/* The simulator that leaves them out computes what the graph without them is, bit by bit; by a row that is not wide,
 * and without the option, none is left out. */
Test(unrounded, lt_run_and_the_simulator, .init = ltrun_set_up, .fini = ltrun_tear_down)
{
	static const struct { const char *backend; bool left_out; } rows[] = { { "sim:grid/groups/wide=all", true },
		{ "sim:grid/groups", false }, { "sim:grid/described", false } };
	char text[1000];
	(void)snprintf(text, sizeof text, rounded_between, "h", "f", "f");
	ltrun_write_text("rounds.lt", text);
	(void)snprintf(text, sizeof text, rounded_between, "", "", "");
	char *y = strstr(text, "y = h(");
	y[4] = ' ';
	ltrun_write_text("wide.lt", text);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		static struct lt_tensors got, want;
		cr_assert_eq(ltrun("--no-cache -b %s --verify -i '*=random' -c '*=random' -o got.npy rounds.lt", rows[i].backend), 0,
			"%s", ltrun_err);
		cr_expect_eq(strstr(ltrun_out, "allowed: 2 roundings between operators") != NULL, i < 2, "%s", ltrun_out);
		cr_assert_eq(ltrun("-q -b ref -i '*=random' -c '*=random' -o want.npy %s.lt",
			rows[i].left_out ? "wide" : "rounds"), 0, "%s", ltrun_err);
		ltrun_read("got.npy", &got);
		ltrun_read("want.npy", &want);
		cr_expect_eq(memcmp(got.at[0].data, want.at[0].data, 640), 0, "%s", rows[i].backend);
		lt__tensors_free(&got);
		lt__tensors_free(&want);
	}
	cr_expect_eq(ltrun("--no-cache -q --json -b sim:grid/groups/wide=some --verify -i '*=random' -c '*=random' "
		"rounds.lt"), 0, "%s", ltrun_err);
	cr_expect_not_null(strstr(ltrun_out, "\"unrounded\": 2"), "%s", ltrun_out);
	cr_expect_neq(ltrun("-b sim:grid/calls/wide=all -i '*=random' -c '*=random' rounds.lt"), 0);
	cr_expect_not_null(strstr(ltrun_err, "write groups before it, whose routines are wide"), "%s", ltrun_err);
}

/* Large numbers: products that overflow where they are rounded, and softmax of those. */
Test(unrounded, lt_check_judges_either, .init = ltrun_set_up, .fini = ltrun_tear_down)
{
	static const char *const cases[] = { "product/silu/f16/deep/default", "product/softmax/bf16/above/drawn2" };
	for (int i = 0; i < 4; i++) {
		cr_expect_eq(ltcheck("-b sim:grid/groups/wide=%s --no-reduce --filter %s", i < 2 ? "all" : "some", cases[i % 2]), 0,
			"%s%s", ltcheck_out, ltcheck_err);
		cr_expect_not_null(strstr(ltcheck_out, "nothing failed of 1 case"), "%s", ltcheck_out);
	}
}
