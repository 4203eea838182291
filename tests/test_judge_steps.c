/* test_judge_steps.c -- what is made of numbers by rounding them to whole ones: at a tie it may be the number beside;
 * two steps, and one step everywhere, are wrong. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "lt/lt.h"
#include "tests/judge_one.h"

TestSuite(judge_steps, .timeout = 60);

enum { ELEMENTS = 1200, TIES = 40 };
static const float scale = 0.0313f;

/* What is judged: integers, floats made of them again, the largest of four of these, truncated ones, differences of two
 * that are rounded by themselves. */
enum kind { QUANTISED, DEQUANTISED, POOLED, TRUNCATED, APART, KINDS };
static const char *const name[KINDS] = { "integers", "floats", "largest", "truncated", "differences" };

static bool is_tie(int64_t i) { return i % (ELEMENTS / TIES) == 7; }

static lt_node literal(struct oracle *b, double value) { return lt_graph_literal(b->g, LT_F32, value); }

/* Round of x over the scale, from 0 to 255 around 128. */
static lt_node quantise(struct oracle *b, lt_node x, bool truncate)
{
	lt_node q = lt_graph_binary(b->g, "div", x, literal(b, (double)scale));
	if (truncate)
		return lt_graph_cast(b->g, lt_graph_binary(b->g, "add", q, literal(b, 128.5)), LT_I32);
	q = lt_graph_binary(b->g, "add", lt_graph_unary(b->g, "round", q), literal(b, 128));
	q = lt_graph_binary(b->g, "min", lt_graph_binary(b->g, "max", q, literal(b, 0)), literal(b, 255));
	return lt_graph_cast(b->g, q, LT_U8);
}

/* Numbers whose quotients are ties up to the last places at some elements, and far from any elsewhere; in pools -3.5
 * where the largest is to be one of the others. */
static lt_node numbers(struct oracle *b, int32_t n, const lt_var *dim, enum kind kind)
{
	lt_node x = oracle_input(b, LT_F32, n, dim, NULL);
	int64_t each = lt__node_elems(b->g, x) / ELEMENTS;
	float *to = b->data[x];
	for (int64_t i = 0; i < each * ELEMENTS; i++) {
		float quotient = (float)((i / each) * 37 % 200 - 100) + (is_tie(i / each) ? 0.5f : 0.17f);
		to[i] = kind == POOLED && i % each != 2 ? -3.5f : quotient * scale;
	}
	return x;
}

static lt_node made(struct oracle *b, enum kind kind)
{
	lt_var v[2] = { lt_graph_var(b->g, "i", ELEMENTS), lt_graph_var(b->g, "k", 4) };
	lt_node x = numbers(b, kind == POOLED ? 2 : 1, v, kind), q = quantise(b, x, kind == TRUNCATED);
	if (kind == QUANTISED || kind == TRUNCATED)
		return q;
	q = lt_graph_cast(b->g, q, LT_F32);
	if (kind == APART) {
		lt_node other = lt_graph_unary(b->g, "round", lt_graph_binary(b->g, "div", x, literal(b, 0.7)));
		return lt_graph_cast(b->g, lt_graph_binary(b->g, "sub", other, q), LT_I32);
	}
	q = lt_graph_binary(b->g, "mul", lt_graph_binary(b->g, "sub", q, literal(b, 128)), literal(b, (double)scale));
	return kind == POOLED ? lt_graph_reduce(b->g, "max", q, 1, &v[1]) : q;
}

static double number_at(const void *data, int64_t i, enum lt_dtype t) { return lt__as_double(lt__load(data, i, t), t); }

static void add_steps(void *data, int64_t i, enum lt_dtype t, double steps)
{
	double value = number_at(data, i, t) + (t == LT_F32 ? steps * (double)scale : steps);
	lt__store(data, i, t, lt__convert((union lt_scalar){ .f = value }, LT_F64, t));
}

struct trial { struct oracle *b; struct lt_judge *j; void *got; const void *want; enum lt_dtype t; size_t bytes; };

static struct trial begin(enum kind kind)
{
	struct trial x = { .b = oracle_open(LT_F32) };
	lt_node y = made(x.b, kind);
	cr_assert(y >= 0, "%s: %s", name[kind], lt_context_message(x.b->ctx));
	x.t = x.b->g->node[y].dtype;
	x.j = judge_one(x.b, y, &x.got);
	x.want = lt_eval_result(lt__judge_reference(x.j), 0, NULL);
	x.bytes = ELEMENTS * lt__dtype_info(x.t)->bytes;
	return x;
}

static struct lt_report judged(struct trial *x)
{
	struct lt_report r = judge_one_report(x->j, x->got);
	memcpy(x->got, x->want, x->bytes);
	return r;
}

/* Ties go the other way by what no rounding of ours says: where a run goes there, too. */
Test(judge_steps, ties_may_go_the_other_way)
{
	for (int kind = 0; kind < KINDS; kind++) {
		struct trial x = begin((enum kind)kind);
		int moved = 0;
		/* Up or down: to what the quotient's tie has on its other side. */
		for (int64_t i = 0; i < ELEMENTS; i++)
			if (is_tie(i) && moved < 10 && (i * 37 % 200 - 100) / 2 != 0) {         /* half the scale is exact */
				int64_t base = i * 37 % 200 - 100 + 128;
				double here = number_at(x.want, i, x.t), step = x.t == LT_F32 ? (double)scale : 1;
				double low = x.t == LT_F32 ? (double)(base - 128) * step : (double)base;
				bool up = kind != APART && fabs(here - low) < step / 2;
				if (kind != APART)
					add_steps(x.got, i, x.t, up ? 1 : -1);
				moved += kind != APART;
			}
		struct lt_report r = judged(&x);
		cr_assert(!lt__report_failed(&r) && r.open == 0, "%s: %s", name[kind], r.first);
		cr_assert_eq(r.equal, ELEMENTS - moved, "%s", name[kind]);
		judge_one_end(x.b, x.j, x.got);
	}
}

/* One step beside where no run is, in one element: as much as a tie that no run has met. */
Test(judge_steps, one_step_of_one_element_is_within)
{
	for (int kind = 0; kind < KINDS; kind++) {
		struct trial x = begin((enum kind)kind);
		add_steps(x.got, 100, x.t, 1);
		struct lt_report r = judged(&x);
		cr_assert(!lt__report_failed(&r) && r.open == 0 && r.judged == 1, "%s: %s", name[kind], r.first);
		judge_one_end(x.b, x.j, x.got);
	}
}

/* Less than a step is no other decision: in one element that is made of one rounding; in more than ties can be where it
 * is made of several, which may meet. */
Test(judge_steps, less_than_a_step_is_wrong)
{
	static const double part[] = { 1e-3, -0.01, 0.24, -0.5, 0.9 };
	for (int kind = DEQUANTISED; kind <= POOLED; kind++)
		for (size_t k = 0; k < sizeof part / sizeof *part; k++) {
			struct trial x = begin((enum kind)kind);
			for (int64_t i = 100; i < (kind == POOLED ? 100 + 3 * TIES : 101); i++)
				add_steps(x.got, i, x.t, part[k]);
			struct lt_report r = judged(&x);
			cr_assert(lt__report_failed(&r), "%s, %g", name[kind], part[k]);
			cr_assert(kind == POOLED || (r.wrong == 1 && strstr(r.first, "y[100]")), "%s: %s", name[kind], r.first);
			judge_one_end(x.b, x.j, x.got);
		}
}

Test(judge_steps, two_steps_are_wrong)
{
	for (int kind = 0; kind < KINDS; kind++)
		for (int sign = -1; sign <= 1; sign += 2) {
			struct trial x = begin((enum kind)kind);
			/* a difference of two roundings may be off by two */
			add_steps(x.got, 100, x.t, sign * (kind == APART ? 3 : 2));
			struct lt_report r = judged(&x);
			cr_assert(r.wrong == 1 && strstr(r.first, "y[100]"), "%s: %s", name[kind], r.first);
			judge_one_end(x.b, x.j, x.got);
		}
}

/* One step, of each element, of each tenth, up and down in turn. */
Test(judge_steps, one_step_of_many_elements_is_wrong)
{
	for (int kind = 0; kind < KINDS; kind++)
		for (int form = 0; form < 3; form++) {
			struct trial x = begin((enum kind)kind);
			for (int64_t i = 0; i < ELEMENTS; i += form == 1 ? 10 : 1)
				add_steps(x.got, i, x.t, form == 2 && i % 2 ? -1 : 1);
			struct lt_report r = judged(&x);
			cr_assert(lt__report_failed(&r), "%s, form %d", name[kind], form);
			cr_assert(form == 0 || r.wrong || strstr(r.first, "steps of its rounding"), "%s: %s", name[kind], r.first);
			judge_one_end(x.b, x.j, x.got);
		}
}

/* What is rounded is exact: no step is granted. */
Test(judge_steps, rounding_of_exact_numbers_is_exact)
{
	struct oracle *b = oracle_open(LT_F32);
	lt_var i = lt_graph_var(b->g, "i", 64);
	uint64_t seed = 5;
	void *copy;
	lt_node x = oracle_random(b, LT_F32, 1, &i, &seed, 1);
	lt_node half = lt_graph_binary(b->g, "mul", x, literal(b, 0.5));
	lt_node y = lt_graph_cast(b->g, lt_graph_unary(b->g, "round", half), LT_I32);
	struct lt_judge *j = judge_one(b, y, &copy);
	((int32_t *)copy)[9]++;
	struct lt_report r = judge_one_report(j, copy);
	cr_assert(r.wrong == 1 && strstr(r.first, "y[9]"), "%s", r.first);
	judge_one_end(b, j, copy);
}
