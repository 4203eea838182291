/* test_judge.c -- the judge of results: what it must let pass, what it must find, what it must leave open. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "lt/lt.h"
#include "tests/judge_one.h"

TestSuite(judge, .timeout = 60);

/* exp of 4096 numbers: each is right up to 4 units in the last place. */
static struct lt_judge *judge_exp(struct oracle **b, float **got)
{
	uint64_t seed = 3;
	void *copy;

	*b = oracle_open(LT_F32);
	lt_var i = lt_graph_var((*b)->g, "i", 4096);
	lt_node x = oracle_random(*b, LT_F32, 1, &i, &seed, 0x1.1p-6);
	struct lt_judge *j = judge_one(*b, lt_graph_unary((*b)->g, "exp", x), &copy);
	*got = copy;
	return j;
}

Test(judge, equal_results_need_no_runs)
{
	struct oracle *b;
	float *got;
	struct lt_judge *j = judge_exp(&b, &got);
	struct lt_report r = judge_one_report(j, got);

	cr_assert(!lt__report_failed(&r) && r.open == 0 && r.elements == 4096 && r.equal == 4096 && r.runs == 0);
	cr_assert(r.absolute.value == 0 && r.norm.value == 0);
	judge_one_end(b, j, got);
}

Test(judge, the_last_places_are_free)
{
	struct oracle *b;
	float *got;
	struct lt_judge *j = judge_exp(&b, &got);

	for (int i = 0; i < 4096; i += 3)
		got[i] = nextafterf(nextafterf(got[i], i % 2 ? 0 : 10), i % 2 ? 0 : 10);
	struct lt_report r = judge_one_report(j, got);
	cr_assert(!lt__report_failed(&r) && r.open == 0, "%s", r.first);
	cr_assert(r.judged > 1000 && r.noise.value < 1 && r.relative.value > 1e-7 && r.relative.value < 4e-7);
	judge_one_end(b, j, got);
}

Test(judge, one_wrong_element_is_named)
{
	struct oracle *b;
	float *got;
	struct lt_judge *j = judge_exp(&b, &got);

	got[1234] *= 1 + 1e-4f;
	struct lt_report r = judge_one_report(j, got);
	cr_assert(lt__report_failed(&r) && r.wrong == 1);
	cr_assert(strstr(r.first, "y[1234] (%") && strstr(r.first, "1 of 4096"), "%s", r.first);
	cr_assert(strstr(r.absolute.at, "y[1234]") && fabs(r.relative.value - 1e-4) < 1e-6);
	got[1234] = NAN;
	r = judge_one_report(j, got);
	cr_assert(lt__report_failed(&r) && strstr(r.first, "nan"), "%s", r.first);
	judge_one_end(b, j, got);
}

/* What other programs may be off by as a whole, without a result of theirs: four last places of exp are within, half a
 * thousandth is not; where nothing is rounded, nothing is allowed. */
Test(judge, what_is_allowed_as_a_whole_is_known_beforehand)
{
	struct oracle *b;
	float *got;
	struct lt_judge *j = judge_exp(&b, &got);
	double norm = -1;

	cr_assert_eq(lt__judge_allowed(j, 0, &norm), LT_OK);
	cr_assert(norm > 4 * 0x1p-24 && norm < 5e-4, "%g", norm);
	judge_one_end(b, j, got);

	b = oracle_open(LT_F32);
	uint64_t seed = 3;
	void *copy;
	lt_var i = lt_graph_var(b->g, "i", 64);
	lt_node x = oracle_random(b, LT_F32, 1, &i, &seed, 0x1.1p-6);
	j = judge_one(b, lt_graph_unary(b->g, "neg", x), &copy);
	cr_assert_eq(lt__judge_allowed(j, 0, &norm), LT_OK);
	cr_assert_eq(norm, 0, "%g", norm);
	judge_one_end(b, j, copy);
}

/* Each element within its tolerance, all in one direction: no rounding does that. */
Test(judge, many_small_errors_of_one_sign_fail_the_norm)
{
	struct oracle *b = oracle_open(LT_F32);
	uint64_t seed = 3;
	void *copy;
	lt_var i = lt_graph_var(b->g, "i", 4096);
	lt_node x = oracle_random(b, LT_F32, 1, &i, &seed, 0x1.1p-6);
	struct lt_judge *j = judge_one(b, lt_graph_binary(b->g, "div", x, lt_graph_literal(b->g, LT_F32, 3.7)), &copy);
	float *got = copy;
	struct lt_report r = { 0 };
	double error = 1e-7;

	/* The largest that still passes element by element. */
	for (; error < 1e-3 && r.wrong == 0; error *= 1.05) {
		const float *want = lt_eval_result(lt__judge_reference(j), 0, NULL);
		for (int n = 0; n < 4096; n++)
			got[n] = (float)(want[n] * (1 + error));
		r = judge_one_report(j, got);
		if (r.norm_wrong)
			break;
	}
	cr_assert(r.norm_wrong == 1 && r.wrong == 0, "an error of %g: %s", error, r.first);
	cr_assert(strstr(r.first, "as a whole is off by"), "%s", r.first);
	judge_one_end(b, j, got);
}

/* Small whole numbers add up exactly in any order. */
Test(judge, exact_sums_must_be_equal)
{
	static const enum lt_dtype types[] = { LT_F32, LT_F64, LT_F16, LT_I32, LT_I64 };

	for (int t = 0; t < COUNT(types); t++) {
		struct oracle *b = oracle_open(types[t]);
		uint64_t seed = 5;
		void *got;
		lt_var v[2] = { lt_graph_var(b->g, "i", 7), lt_graph_var(b->g, "k", 13) };
		lt_node x = oracle_random(b, types[t], 2, v, &seed, 1);
		struct lt_judge *j = judge_one(b, lt_graph_reduce(b->g, "add", x, 1, &v[1]), &got);
		struct lt_report r = judge_one_report(j, got);
		cr_assert(!lt__report_failed(&r));
		((unsigned char *)got)[3 * lt__dtype_info(types[t])->bytes] ^= 1;
		r = judge_one_report(j, got);
		cr_assert(r.wrong == 1 && strstr(r.first, "y[3]"), "%s: %s", lt__dtype_info(types[t])->name, r.first);
		judge_one_end(b, j, got);
	}
}

/* a - b where both are the same sum in two orders: nothing but rounding is left. */
Test(judge, a_cancellation_to_nothing_is_open)
{
	struct oracle *b = oracle_open(LT_F32);
	uint64_t seed = 11;
	void *copy;
	lt_var i = lt_graph_var(b->g, "i", 9), k = lt_graph_var(b->g, "k", 100), l = lt_graph_var(b->g, "l", 100);
	lt_node x = oracle_random(b, LT_F32, 2, (lt_var[]){ i, k }, &seed, 0x1.23457p-9), e = lt_graph_unary(b->g, "exp", x);
	lt_node one = lt_graph_reduce(b->g, "add", e, 1, &k);
	lt_node two = lt_graph_reduce(b->g, "add", lt_graph_rename(b->g, e, 2, (lt_var[]){ i, l }), 1, &l);
	struct lt_judge *j = judge_one(b, lt_graph_binary(b->g, "sub", one, two), &copy);
	float *got = copy;

	for (int n = 0; n < 9; n++)
		got[n] += 3e-5f;
	struct lt_report r = judge_one_report(j, got);
	cr_assert(!lt__report_failed(&r), "%s", r.first);
	cr_assert(r.open == 9 && strstr(r.open_at, "y[0]"));
	/* Beyond what rounding can do it is wrong all the same. */
	got[4] = 1;
	got[7] = NAN;
	r = judge_one_report(j, got);
	cr_assert(r.wrong == 2 && strstr(r.first, "y[4]"), "%s", r.first);
	judge_one_end(b, j, copy);
}

/* A bool that rounding flips is open, one that it cannot flip is judged. */
Test(judge, flags_are_judged_where_rounding_cannot_flip_them)
{
	struct oracle *b = oracle_open(LT_F32);
	uint64_t seed = 13;
	void *copy;
	lt_var i = lt_graph_var(b->g, "i", 2), k = lt_graph_var(b->g, "k", 100);
	lt_node x = oracle_random(b, LT_F32, 1, &k, &seed, 0x1.23457p-9), shift = oracle_input(b, LT_F32, 1, &i, NULL);
	lt_node sum = lt_graph_reduce(b->g, "add", lt_graph_unary(b->g, "exp", x), 1, &k);
	oracle_fill(b, shift, (double[]){ 0, 1 });
	/* sum + shift < sum, computed twice */
	lt_var l = lt_graph_var(b->g, "l", 100);
	lt_node again = lt_graph_reduce(b->g, "add", lt_graph_unary(b->g, "exp", lt_graph_rename(b->g, x, 1, &l)), 1, &l);
	struct lt_judge *j =
		judge_one(b, lt_graph_binary(b->g, "less", lt_graph_binary(b->g, "add", sum, shift), again), &copy);
	uint8_t *got = copy;

	got[0] ^= 1;
	struct lt_report r = judge_one_report(j, got);
	cr_assert(!lt__report_failed(&r) && r.open == 1, "%s", r.first);
	got[0] ^= 1;
	got[1] ^= 1;
	r = judge_one_report(j, got);
	cr_assert(r.wrong == 1 && r.open == 0 && strstr(r.first, "y[1]"), "%s", r.first);
	got[1] = 2;             /* no bool at all */
	r = judge_one_report(j, got);
	cr_assert(r.wrong == 1);
	judge_one_end(b, j, copy);
}

/* An integer that a comparison makes, and that rounding may flip, is open. */
Test(judge, integers_that_rounding_flips_are_open)
{
	struct oracle *b = oracle_open(LT_F32);
	void *copy;
	lt_var i = lt_graph_var(b->g, "i", 3);
	lt_node x = oracle_input(b, LT_F32, 1, &i, NULL);
	oracle_fill(b, x, (double[]){ 0, 7.1229, 7.1229 });
	lt_node limit = lt_graph_literal(b->g, LT_F32, (float)exp((double)7.1229f));
	struct lt_judge *j = judge_one(b, lt_graph_cast(b->g, lt_graph_binary(b->g, "greaterequal", lt_graph_unary(b->g, "exp",
		x), limit), LT_I32), &copy);
	int32_t *got = copy;

	got[1] = !got[1];
	struct lt_report r = judge_one_report(j, got);
	cr_assert(!lt__report_failed(&r) && r.open == 1 && r.equal == 2, "%s", r.first);
	judge_one_end(b, j, copy);
}

/* One ill-conditioned element, equal by chance, does not make room for the others. */
Test(judge, an_open_element_gives_the_norm_no_room)
{
	struct oracle *b = oracle_open(LT_F32);
	double data[256], shift[256];
	void *copy;
	lt_var i = lt_graph_var(b->g, "i", 256);
	lt_node x = oracle_input(b, LT_F32, 1, &i, NULL), y = oracle_input(b, LT_F32, 1, &i, NULL);
	for (int n = 0; n < 256; n++) {
		data[n] = n ? 0.3 + n / 777. : 9;
		shift[n] = n ? 0 : -exp(9);
	}
	oracle_fill(b, x, data);
	oracle_fill(b, y, shift);
	struct lt_judge *j = judge_one(b, lt_graph_binary(b->g, "add", lt_graph_unary(b->g, "exp", x), y), &copy);
	float *got = copy;

	for (int n = 1; n < 256; n++)
		got[n] *= 1 + 3e-4f;
	struct lt_report r = judge_one_report(j, got);
	cr_assert(lt__report_failed(&r));
	judge_one_end(b, j, copy);
}

/* Numbers whose squares leave the type of a double. */
Test(judge, tiny_and_huge_numbers)
{
	for (int huge = 0; huge < 2; huge++) {
		struct oracle *b = oracle_open(LT_F64);
		double data[16];
		void *copy;
		lt_var i = lt_graph_var(b->g, "i", 16);
		lt_node x = oracle_input(b, LT_F64, 1, &i, NULL);

		for (int n = 0; n < 16; n++)
			data[n] = (n + 1.1) * (huge ? 0x1p1000 : 0x1p-1000);
		oracle_fill(b, x, data);
		struct lt_judge *j = judge_one(b, lt_graph_unary(b->g, "sqrt", lt_graph_binary(b->g, "mul", x, x)), &copy);
		struct lt_report r = judge_one_report(j, copy);
		cr_assert(!lt__report_failed(&r));
		free(copy);
		lt__judge_free(j);
		oracle_close(b);
		b = oracle_open(LT_F64);
		i = lt_graph_var(b->g, "i", 16);
		x = oracle_input(b, LT_F64, 1, &i, NULL);
		oracle_fill(b, x, data);
		j = judge_one(b, lt_graph_binary(b->g, "div", x, lt_graph_literal(b->g, LT_F64, 3.7)), &copy);
		double *got = copy;
		got[5] = nextafter(got[5], 0);
		r = judge_one_report(j, got);
		cr_assert(!lt__report_failed(&r) && r.open == 0, "%s", r.first);
		got[5] *= 1 + 1e-12;
		r = judge_one_report(j, got);
		cr_assert(lt__report_failed(&r), "an error of 1e-12 of f64 numbers is found");
		judge_one_end(b, j, copy);
	}
}

/* -- kernels -- */

static const char network[] =
	"$1 = InputTensor(x, float32, [8, 64]); $2 = ConstantTensor(w, float32, [64, 32]); $3 = MatMulNode($1, $2);\n"
	"$4 = SoftmaxNode($3, 1); $5 = ConstantTensor(v, float32, [32, 16]); $6 = MatMulNode($4, $5); result = $6;\n";

/* A program whose values are looked at as they are made; source: by node of its graph, where the data are. */
struct watched {
	struct lt_context *ctx;
	struct lt_graph *g;
	struct lt_program *p;
	struct lt_instance *r;
	const void **source;
};

/* Without its instance. */
static void watched_new(struct watched *t, const char *text, const struct lt_options *o)
{
	*t = (struct watched){ .r = NULL };
	cr_assert_eq(lt_context_new(&t->ctx), LT_OK);
	cr_assert_eq(lt_parse(t->ctx, text, strlen(text), "test", NULL, &t->g), LT_OK, "%s", lt_context_message(t->ctx));
	cr_assert_eq(lt_compile(t->ctx, t->g, o, &t->p), LT_OK, "%s", lt_context_message(t->ctx));
	t->source = calloc((size_t)t->p->base->n_node + 1, sizeof *t->source);
	cr_assert_not_null(t->source);
}

static void watched_free(struct watched *t)
{
	free(t->source);
	lt_instance_free(t->r);
	lt_program_free(t->p);
	lt_graph_free(t->g);
	lt_context_free(t->ctx);
}

struct spoil { struct lt_kernel_judge *k; int32_t value; double factor; int32_t seen; char name[40]; };

static lt_status spoil_value(void *user, const struct lt_seen *seen, const void *data)
{
	struct spoil *s = user;
	void *copy = malloc((size_t)seen->elems * sizeof(float) + 1);

	memcpy(copy, data, (size_t)seen->elems * sizeof(float));
	if (s->seen++ == s->value)
		((float *)copy)[3] *= (float)s->factor;
	lt_status st = lt__kernel_judge_see(s->k, seen, copy);
	free(copy);
	return st;
}

/* One value after the other is changed where the backend left it: its own kernel is blamed, and nothing passes. */
Test(judge, a_wrong_kernel_is_found_where_it_is)
{
	struct watched t;
	float x[8 * 64], w[64 * 32], v[32 * 16], out[8 * 16];
	uint64_t seed = 17;
	const void *input[] = { x };
	void *result[] = { out };
	struct lt_options o = { .size = sizeof o, .backends = "ref", .no_passes = 1 };

	for (int i = 0; i < 8 * 64; i++)
		x[i] = (float)oracle_noise(&seed) * 0x1p-31f - 0.5f;
	for (int i = 0; i < 64 * 32; i++)
		w[i] = (float)oracle_noise(&seed) * 0x1p-31f - 0.5f;
	for (int i = 0; i < 32 * 16; i++)
		v[i] = (float)oracle_noise(&seed) * 0x1p-31f - 0.5f;
	/* Without shared loops every value is whole. */
	o.schedule = "schedule 1\n";
	o.schedule_bytes = strlen(o.schedule);
	watched_new(&t, network, &o);
	cr_assert(lt_program_bind(t.p, lt_program_find(t.p, LT_BINDING_CONSTANT, "w"), w, 0) == LT_OK
		&& lt_program_bind(t.p, lt_program_find(t.p, LT_BINDING_CONSTANT, "v"), v, 0) == LT_OK
		&& lt_instance_new(t.p, &t.r) == LT_OK);
	struct lt_report good = { 0 };
	cr_assert_eq(lt__judge_instance(t.r, input, result, &judge_one_options, &good), LT_OK, "%s",
		lt_context_message(t.ctx));
	cr_assert(!lt__report_failed(&good) && good.values >= 1 && good.kernels >= 1, "%s", good.first);
	for (lt_node n = 0; n < t.p->base->n_node; n++) {
		const char *label = t.p->base->node[n].label;
		t.source[n] = label ? !strcmp(label, "x") ? x : !strcmp(label, "w") ? w : v : NULL;
	}
	for (int32_t i = 0; i < good.values; i++) {
		for (int wrong = 0; wrong < 2; wrong++) {
			struct spoil s = { .value = i, .factor = wrong ? 1.02 : 1 };
			struct lt_report found = { 0 };
			cr_assert_eq(lt__kernel_judge_new(t.p, t.source, &judge_one_options, &s.k), LT_OK);
			cr_assert_eq(lt__instance_observe(t.r, input, result, spoil_value, &s), LT_OK, "%s", lt_instance_message(t.r));
			cr_assert_eq(lt__kernel_judge_end(s.k, &found), LT_OK);
			cr_assert_eq(lt__report_failed(&found), wrong, "value %d: %s", (int)i, found.first);
			cr_assert(!wrong || (found.kernel_wrong >= 1 && strstr(found.first, "kernel ")), "%s", found.first);
			lt__kernel_judge_free(s.k);
		}
	}
	watched_free(&t);
}

/* -- values that a reader computes for itself, too -- */

static const char softmax[] = "$1 = InputTensor(x, float64, [6, 9]); $2 = SoftmaxNode($1, 1); result = $2;\n";

struct moved_value { struct lt_kernel_judge *k; const struct lt_graph *g; const char *name; double factor; bool met; };

static lt_status move_value(void *user, const struct lt_seen *seen, const void *data)
{
	struct moved_value *s = user;
	double copy[6 * 9];

	cr_assert(seen->elems <= COUNT(copy));
	memcpy(copy, data, (size_t)seen->elems * sizeof *copy);
	if (!strcmp(s->g->node[seen->base].name, s->name)) {
		copy[4] *= s->factor;
		s->met = true;
	}
	return lt__kernel_judge_see(s->k, seen, copy);
}

/* The exponentials of a softmax are stored for their sum and computed again for the quotient, by another form of exp as
 * it may be: then what is stored has other last places than what the quotient read.  Both are right, and a mistake in
 * either is found. */
Test(judge, a_clone_may_have_other_last_places)
{
	static const struct { const char *name; double factor; bool wrong; } rows[] = {
		{ "2.exp", 1, false },
		{ "2.exp", 1 + 0x1p-51, false },
		{ "2.exp", 1 + 1e-13, true },
		{ "2", 1 + 0x1p-51, false },
		{ "2", 1 + 1e-13, true },
		{ "2.add", 1 + 1e-13, true },
	};
	struct watched t;
	double x[6 * 9], out[6 * 9];
	uint64_t seed = 23;
	const void *input[] = { x };
	void *result[] = { out };
	const char schedule[] = "schedule 1\n";
	struct lt_options o = { .size = sizeof o, .backends = "ref", .no_passes = 1, .schedule = schedule,
		.schedule_bytes = sizeof schedule - 1, .apply = "fission %2 i; fission %2.add i; inline %2.exp" };

	for (int i = 0; i < COUNT(x); i++)
		x[i] = (double)oracle_noise(&seed) * 0x1p-31 - 0.5;
	watched_new(&t, softmax, &o);
	cr_assert_eq(lt_instance_new(t.p, &t.r), LT_OK, "%s", lt_context_message(t.ctx));
	for (lt_node n = 0; n < t.p->base->n_node; n++)
		t.source[n] = t.p->base->node[n].op == LT_OP_input ? x : NULL;
	for (int i = 0; i < COUNT(rows); i++) {
		struct moved_value s = { .g = t.p->base, .name = rows[i].name, .factor = rows[i].factor };
		struct lt_report found = { 0 };
		cr_assert_eq(lt__kernel_judge_new(t.p, t.source, &judge_one_options, &s.k), LT_OK);
		cr_assert_eq(lt__instance_observe(t.r, input, result, move_value, &s), LT_OK, "%s", lt_instance_message(t.r));
		cr_assert_eq(lt__kernel_judge_end(s.k, &found), LT_OK, "%s", lt_context_message(t.ctx));
		cr_assert(s.met, "%%%s is not seen", rows[i].name);
		cr_assert_eq(lt__report_failed(&found), rows[i].wrong, "%%%s times 1 + %g: %s", rows[i].name,
			rows[i].factor - 1, found.first);
		lt__kernel_judge_free(s.k);
	}
	watched_free(&t);
}

/* The same report on one thread and on three. */
Test(judge, threads_change_nothing)
{
	struct oracle *b;
	float *got;
	struct lt_judge *j = judge_exp(&b, &got), *k;
	struct lt_judge_options threads = judge_one_options;

	threads.n_thread = 3;
	threads.parallel = lt__host_on_threads;
	for (int i = 0; i < 4096; i++)
		got[i] = nextafterf(got[i], 0);
	struct lt_report one = judge_one_report(j, got), three = { 0 };
	cr_assert_eq(lt__judge_new(b->g, b->source, &threads, &k), LT_OK);
	cr_assert_eq(lt__judge_result(k, 0, got, &three), LT_OK);
	cr_assert(one.noise.value == three.noise.value && one.norm_explained == three.norm_explained
		&& one.judged == three.judged);
	lt__judge_free(k);
	judge_one_end(b, j, got);
}
