/* What the option tf32 grants: factors of products of float32 with 10 bits of their fraction, and nothing worse. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "program/judge/judge.h"
#include "lt/target.h"
#include "tests/ltcheck.h"
#include "tests/ltrun.h"
#include "tests/oracle.h"

enum { ROWS = 21, COLUMNS = 13, TERMS = 150 };

/* What is left of a float's fraction: `bits`, the others dropped, or rounded away. */
static float shorter(float x, int bits, bool nearest)
{
	uint32_t u, unit = UINT32_C(1) << (23 - bits);

	memcpy(&u, &x, sizeof u);
	u = (nearest ? u + unit / 2 : u) & ~(unit - 1);
	memcpy(&x, &u, sizeof x);
	return x;
}

/* A product as a backend computes it: factors of so many bits, f32 sums. */
static void compute(
	const struct oracle *b, lt_node x, lt_node w, int rows, int columns, int bits, bool nearest, float *out)
{
	for (int i = 0; i < rows; i++)
		for (int j = 0; j < columns; j++) {
			volatile float sum = 0;
			for (int k = 0; k < TERMS; k++)
				sum += shorter(((float *)b->data[x])[i * TERMS + k], bits, nearest)
					* shorter(((float *)b->data[w])[k * columns + j], bits, nearest);
			out[i * columns + j] = sum;
		}
}

struct product { struct oracle *b; lt_node x, w; int rows, columns; float out[ROWS * COLUMNS]; };

/* kind 0: signs of all kinds; 1: all above 0, so that dropped bits add up; 2: of few bits. */
static void open_product(struct product *p, int kind, bool dot)
{
	uint64_t seed = 31;

	p->b = oracle_open(LT_F32);
	p->rows = dot ? 1 : ROWS;
	p->columns = dot ? 1 : COLUMNS;
	lt_var i = lt_graph_var(p->b->g, "i", p->rows), j = lt_graph_var(p->b->g, "j", p->columns),
	       k = lt_graph_var(p->b->g, "k", TERMS);
	double unit = kind == 2 ? 0.125 : 1 / 37.;
	p->x = oracle_random(p->b, LT_F32, 2, (lt_var[]){ i, k }, &seed, unit);
	p->w = oracle_random(p->b, LT_F32, 2, (lt_var[]){ k, j }, &seed, unit);
	for (int64_t at = 0; kind == 1 && at < (int64_t)p->rows * TERMS; at++)
		((float *)p->b->data[p->x])[at] = fabsf(((float *)p->b->data[p->x])[at]);
	for (int64_t at = 0; kind == 1 && at < (int64_t)p->columns * TERMS; at++)
		((float *)p->b->data[p->w])[at] = fabsf(((float *)p->b->data[p->w])[at]);
	cr_assert_eq(lt_graph_result(p->b->g, "y", lt_graph_contract(p->b->g, p->x, p->w, 1, &k)), LT_OK);
}

/* The largest error over the bound. */
static double over_bound(struct product *p, uint32_t allows)
{
	struct lt_evaluation *e;
	const double *error;
	double worst = 0;

	cr_assert_eq(lt_eval_with(p->b->g, p->b->source,
		&(struct lt_eval_options){ .want_error = true, .allows = allows }, &e), LT_OK);
	const float *value = lt_eval_result(e, 0, &error);
	for (int i = 0; i < p->rows * p->columns; i++) {
		double apart = fabs((double)value[i] - (double)p->out[i]);
		worst = fmax(worst, apart == 0 ? 0 : apart / (error ? error[i] : 0));
	}
	lt_eval_free(e);
	return worst;
}

static bool passes_judge(struct product *p, uint32_t allows)
{
	struct lt_judge_options o = { .seed = 7, .allows = allows };
	struct lt_judge *j;
	struct lt_report r = { 0 };

	cr_assert_eq(lt__judge_new(p->b->g, p->b->source, &o, &j), LT_OK);
	cr_assert_eq(lt__judge_result(j, 0, p->out, &r), LT_OK);
	lt__judge_free(j);
	return !lt__report_failed(&r);
}

Test(judge_tf32, bounds_grant_it)
{
	for (int kind = 0; kind < 2; kind++)
		for (int dot = 0; dot < 2; dot++)
			for (int nearest = 0; nearest < 2; nearest++) {
				struct product p;
				open_product(&p, kind, dot);
				compute(p.b, p.x, p.w, p.rows, p.columns, 10, nearest, p.out);
				cr_expect_leq(over_bound(&p, LT_ALLOW_TF32), 1, "kind %d dot %d", kind, dot);
				cr_expect_gt(over_bound(&p, 0), 1, "kind %d dot %d", kind, dot);
				/* where errors of one sign add up, two bits less are too few */
				compute(p.b, p.x, p.w, p.rows, p.columns, kind ? 8 : 3, false, p.out);
				cr_expect_gt(over_bound(&p, LT_ALLOW_TF32), 1, "kind %d dot %d", kind, dot);
				oracle_close(p.b);
			}
}

Test(judge_tf32, runs_grant_it)
{
	for (int kind = 0; kind < 2; kind++)
		for (int nearest = 0; nearest < 2; nearest++) {
			struct product p;
			open_product(&p, kind, false);
			compute(p.b, p.x, p.w, p.rows, p.columns, 10, nearest, p.out);
			cr_expect(passes_judge(&p, LT_ALLOW_TF32), "kind %d nearest %d", kind, nearest);
			cr_expect(!passes_judge(&p, 0), "kind %d nearest %d", kind, nearest);
			compute(p.b, p.x, p.w, p.rows, p.columns, 4, false, p.out);     /* 64 times as wrong */
			cr_expect(!passes_judge(&p, LT_ALLOW_TF32), "kind %d nearest %d", kind, nearest);
			oracle_close(p.b);
		}
}

/* Factors that have no more bits are exact, and so is everything else. */
Test(judge_tf32, nothing_else_is_granted)
{
	struct product p;

	open_product(&p, 2, false);
	compute(p.b, p.x, p.w, p.rows, p.columns, 10, false, p.out);
	cr_expect_eq(over_bound(&p, LT_ALLOW_TF32), 0);
	p.out[5] += 1;
	cr_expect_eq(over_bound(&p, LT_ALLOW_TF32), INFINITY);
	cr_expect(!passes_judge(&p, LT_ALLOW_TF32));
	oracle_close(p.b);

	struct oracle *b = oracle_open(LT_F32);
	lt_var i = lt_graph_var(b->g, "i", ROWS);
	uint64_t seed = 5;
	lt_node x = oracle_random(b, LT_F32, 1, &i, &seed, 1 / 37.), sum = lt_graph_reduce(b->g, "add", x, 1, &i);
	const double *error[2];
	struct lt_evaluation *e[2];
	cr_assert_eq(lt_graph_result(b->g, "sum", sum), LT_OK);
	for (uint32_t allows = 0; allows < 2; allows++) {
		cr_assert_eq(lt_eval_with(b->g, b->source, &(struct lt_eval_options){ .want_error = true, .allows = allows },
			&e[allows]), LT_OK);
		lt_eval_result(e[allows], 0, &error[allows]);
	}
	cr_expect_eq(*error[0], *error[1]);
	lt_eval_free(e[0]);
	lt_eval_free(e[1]);
	oracle_close(b);
}

/* The whole way: a default tree of matrix instructions on a simulated device, which drop bits. */
Test(judge_tf32, lt_run_asks_the_backend, .init = ltrun_set_up, .fini = ltrun_tear_down, .timeout = 120)
{
	ltrun_write_text("tf32.graph", "graph 1\nvar m 64\nvar k 64\nvar n 64\n%a = f32[m, k] input \"a\"\n"
		"%b = f32[k, n] input \"b\"\n%p = f32[m, n, k] mul %a, %b\n%c = f32[m, n] add.reduce %p\nresult \"c\" = %c\n");
	cr_expect_eq(ltrun("--no-cache -b sim:h100/tf32 --verify -i '*=random' -o c.npy tf32.graph"), 0, "%s", ltrun_err);
	cr_expect_not_null(strstr(ltrun_out, "allowed: factors of float32 in products"), "%s", ltrun_out);
	cr_expect_not_null(strstr(ltrun_out, ": 0 equal, 4096 within the bound"), "%s", ltrun_out);
}

/* lt-check grants it, too, whose programs are made for a target, before there is a backend. */
Test(judge_tf32, lt_check_asks_the_target, .init = ltrun_set_up, .fini = ltrun_tear_down, .timeout = 120)
{
	cr_expect_eq(ltcheck("-b sim:h100/tf32 --no-reduce --filter product/tn/f32/deep/default"), 0, "%s%s", ltcheck_out,
		ltcheck_err);
	cr_expect_not_null(strstr(ltcheck_out, "nothing failed of 1 case"), "%s", ltcheck_out);
}
