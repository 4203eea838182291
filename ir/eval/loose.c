/* loose.c -- factors of products of float32 that backends were allowed to shorten (lt/target.h, enum lt_allow).
 *
 * TF32 keeps 10 bits of a factor's fraction.  A matrix instruction drops the others, and a library may round: either is
 * wrong by less than a unit in the last place that stays, so that is granted for each factor, and nothing where all
 * that is dropped is 0.  Instructions err in one direction, so the random errors have a common part.
 */
#include <float.h>
#include <math.h>
#include <string.h>
#include "ir/eval/parts.h"
#include "lt/target.h"

enum { DROPPED = 13 };                  /* bits of a float's fraction */
#define LOOSE_UNIT 0x1p-10

bool lt__eval_is_loose(const struct lt_evaluation *e, lt_node product)
{
	return (e->options.allows & LT_ALLOW_TF32) && e->g->node[product].dtype == LT_F32;
}

static float shortened(float x)
{
	uint32_t bits;

	memcpy(&bits, &x, sizeof bits);
	bits &= ~((UINT32_C(1) << DROPPED) - 1);
	memcpy(&x, &bits, sizeof x);
	return x;
}

/* By how much a factor may be wrong whose value is wrong by `error` already. */
static double loose_error(double x, double error)
{
	if (!isfinite(x) || (error == 0 && (double)shortened((float)x) == x))
		return error;
	error += LOOSE_UNIT * (fabs(x) + error) + ldexp(FLT_TRUE_MIN, DROPPED);
	return fabs(x) + error <= (double)FLT_MAX ? error : INFINITY;
}

static double loose_noise(const struct lt_evaluation *e, double x, double common, double noise)
{
	if (!isfinite(x) || (double)shortened((float)x) == x)
		return x;
	return x + e->amplify * (common + noise) / 2 * (LOOSE_UNIT * fabs(x) + ldexp(FLT_TRUE_MIN, DROPPED));
}

void lt__eval_loosen(const struct lt_evaluation *e, lt_node factor, int64_t first, int32_t count, int64_t deep,
	struct lt_filling *f)
{
	double common = e->noise ? lt__eval_common_noise(e, factor) : 0;

	for (int32_t i = 0; i < count; i++)
		for (int32_t k = 0; k < f->depth; k++) {
			int64_t at = lt__eval_pack_position(f, i, k);
			if (f->error) {
				f->error[at] = loose_error(f->to[at], f->error[at]);
				f->sure = f->sure && f->error[at] == 0;
			} else if (e->noise) {
				f->to[at] = loose_noise(e, f->to[at], common, *lt__eval_noise(e, factor, first + i, deep + k));
			} else if (e->options.mode == LT_EVAL_NEAREST && isfinite(f->to_f32[at])) {
				f->to_f32[at] = shortened(f->to_f32[at]);
			}
		}
}
