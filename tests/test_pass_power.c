/* test_pass_power.c -- products for powers are within the error of a power, also at the ends of the range. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "ir/eval/eval.h"
#include "ir/pass/pass.h"

enum { POWER_VALUES = 4096 };

/* Numbers of all sizes and both signs, and those at the ends. */
static void power_fill(double *x, enum lt_dtype t)
{
	static const double ends[] = { 0, -0.0, 1, -1, INFINITY, -INFINITY, NAN };
	const struct lt_dtypeinfo *info = lt__dtype_info(t);
	double low = log2(info->tiny), high = log2(info->largest);

	for (int i = 0; i < POWER_VALUES; i++)
		x[i] = (i % 2 ? -1 : 1) * exp2(low + (high - low) * i / POWER_VALUES);
	memcpy(x, ends, sizeof ends);
	x[7] = info->tiny;
	x[8] = info->largest;
}

static void power_check(struct lt_context *ctx, enum lt_dtype t, int exponent)
{
	static double x[POWER_VALUES];
	static float narrow[POWER_VALUES];
	const void *source[8] = { t == LT_F32 ? (const void *)narrow : x };
	const struct lt_dtypeinfo *info = lt__dtype_info(t);
	struct lt_evaluation *e;
	struct lt_graph *g, *h;
	char text[256];

	power_fill(x, t);
	for (int i = 0; i < POWER_VALUES; i++)
		narrow[i] = t == LT_F32 ? (float)x[i] : 0;
	snprintf(text, sizeof text, "graph 1\nvar i %d\n%%x = %s[i] input \"x\"\n%%e = %s[] lit %d.0\n"
		"%%y = %s[i] pow %%x, %%e\nresult \"y\" = %%y\n", POWER_VALUES, info->name, info->name, exponent, info->name);
	cr_assert_eq(lt_graph_parse(ctx, text, strlen(text), "power", &g), LT_OK, "%s", lt_context_message(ctx));
	cr_assert_eq(lt__pass_power(g, &h), LT_OK, "%s", lt_context_message(ctx));
	for (int32_t i = 0; i < h->n_node; i++)
		cr_assert_neq(h->node[i].op, LT_OP_pow);
	cr_assert_eq(lt_eval(h, source, false, &e), LT_OK, "%s", lt_context_message(ctx));
	for (int i = 0; i < POWER_VALUES; i++) {
		double base = t == LT_F32 ? (double)narrow[i] : x[i];
		long double want = powl(base, exponent);
		double got = lt__load(lt_eval_result(e, 0, NULL), i, t).f;
		double allowed = lt__op_info(LT_OP_pow)->ulp * fmax(2 * info->unit * fabs((double)want), info->tiny);

		if (isnan(base))
			cr_assert(isnan(got));
		else if (fabsl(want) > info->largest)
			cr_assert_eq(got, (double)copysignl(INFINITY, want), "%s %d of %a: %a", info->name, exponent, base, got);
		else
			cr_assert_leq(fabsl(got - want), allowed, "%s %d of %a: %a", info->name, exponent, base, got);
		cr_assert(isnan(base) || !signbit(got) == !signbit((double)want), "%s %d of %a: sign", info->name, exponent, base);
	}
	lt_eval_free(e);
	lt_graph_free(h);
	lt_graph_free(g);
}

Test(pass_power, within_the_error_of_a_power)
{
	struct lt_context *ctx;

	cr_assert_eq(lt_context_new(&ctx), LT_OK);
	for (int exponent = 2; exponent <= 4; exponent++) {
		power_check(ctx, LT_F32, exponent);
		power_check(ctx, LT_F64, exponent);
	}
	lt_context_free(ctx);
}
