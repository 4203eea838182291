/* noise.c -- the random errors of Monte Carlo arithmetic.
 *
 * Where a rounding changes the exact result, and only there, the result moves by a random part of what a rounding may
 * do; a function of the operator table by a random part of what the table grants, one half of it common to the node in
 * this run, since a library is wrong in the same direction everywhere.  The numbers are taken from a table that is made
 * from the seed, from a place that is a hash of node, element and term: equal seeds give equal values in any order of
 * evaluation.
 */
#include <math.h>
#include <string.h>
#include "ir/eval/parts.h"

static uint64_t scramble(uint64_t x)            /* splitmix64 */
{
	x += UINT64_C(0x9e3779b97f4a7c15);
	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

/* Uniform in -1..1. */
static double uniform(uint64_t bits)
{
	return (double)(int64_t)(bits >> 10) * 0x1p-53 - 1;
}

void lt__eval_make_noise(struct lt_evaluation *e)
{
	uint64_t seed = scramble(e->options.seed);

	e->noise = LT_NEW(e->arena, double, LT_NOISE + LT_STRIP);
	for (uint64_t i = 0; i < LT_NOISE; i++)
		e->noise[i] = uniform(scramble(seed + i));
	memcpy(e->noise + LT_NOISE, e->noise, LT_STRIP * sizeof *e->noise);
	for (int f64 = 0; f64 < 2; f64++) {
		e->noise_of[f64] = LT_NEW(e->arena, double, LT_NOISE + LT_STRIP);
		for (int32_t i = 0; i < LT_NOISE + LT_STRIP; i++)
			e->noise_of[f64][i] = e->noise[i] * (e->amplify * lt__dtype_info(f64 ? LT_F64 : LT_F32)->unit);
	}
}

uint32_t lt__eval_noise_offset(const struct lt_evaluation *e, lt_node n, int64_t element, int64_t k)
{
	uint64_t x = e->options.seed + (uint64_t)n * UINT64_C(0x9e3779b97f4a7c15)
		+ (uint64_t)element * UINT64_C(0xbf58476d1ce4e5b9) + (uint64_t)k * UINT64_C(0x94d049bb133111eb);

	x = (x ^ x >> 32) * UINT64_C(0xd6e8feb86659fd93);
	x = (x ^ x >> 32) * UINT64_C(0xd6e8feb86659fd93);
	return (uint32_t)(x >> 32);
}

const double *lt__eval_noise(const struct lt_evaluation *e, lt_node n, int64_t element, int64_t k)
{
	return e->noise + (lt__eval_noise_offset(e, n, element, k) & (LT_NOISE - 1));
}

double lt__eval_common_noise(const struct lt_evaluation *e, lt_node n)
{
	return uniform(scramble(scramble(e->options.seed) - (uint64_t)n - 1));
}

/* Of a whole number that was rounded to r.  The difference, of less than half a place, wraps to what it is. */
static double cast_residual(enum lt_dtype from, int64_t i, double r)
{
	if (r < (from == LT_U64 ? 0x1p64 : 0x1p63))
		return (double)(int64_t)((uint64_t)i - (from == LT_U64 ? (uint64_t)r : (uint64_t)(int64_t)r));
	return (double)(from == LT_U64 ? i : i - INT64_MAX - 1);
}

/* What the exact results of an operator that rounds correctly have beyond raw, where both are f64: of those whose
 * results are not operands or whole numbers. */
static void find_residuals(enum lt_opcode op, enum lt_dtype from, const union lt_eval_row *const *x, int32_t n,
	const double *raw, double *out)
{
	const double *a = x[0]->f, *b = x[1]->f;

	for (int32_t j = 0; j < n; j++) {
		double right = op == LT_OP_sub ? -b[j] : b[j], r = raw[j];
		switch (op) {
		case LT_OP_add:
		case LT_OP_sub: out[j] = fabs(a[j]) >= fabs(right) ? (a[j] - r) + right : (right - r) + a[j]; break;
		case LT_OP_mul: out[j] = fma(a[j], b[j], -r); break;
		case LT_OP_div: out[j] = -fma(r, b[j], -a[j]) / b[j]; break;
		case LT_OP_reciprocal: out[j] = -fma(r, a[j], -1) / a[j]; break;
		case LT_OP_sqrt: out[j] = r == 0 ? 0 : -fma(r, r, -a[j]) / (2 * r); break;
		case LT_OP_cast:
			out[j] = lt__dtype_info(from)->cls == LT_CLASS_FLOAT ? 0 : cast_residual(from, x[0]->i[j], r);
			break;
		default: out[j] = 0; break;
		}
	}
}

/* A function: what the table grants in units in the last place, and beyond that.  Of infinities and NaN it is exact,
 * and at its zeros. */
static void disturb_function(const struct lt_worker *w, lt_node n, const union lt_eval_row *const *x, int32_t count,
	const double *noise, double *raw)
{
	const struct lt_evaluation *e = w->e;
	const struct lt_nodedef *d = &e->g->node[n];
	const struct lt_opinfo *info = lt__op_info(d->op);
	const struct lt_dtypeinfo *type = lt__dtype_info(d->dtype);
	double common = lt__eval_common_noise(e, n), none[3] = { 0 };

	for (int32_t j = 0; j < count; j++) {
		double value[3] = { x[0]->f[j], x[1]->f[j], x[2]->f[j] };
		bool odd = !isfinite(raw[j]) || raw[j] == 0;
		for (int i = 0; i < info->arity; i++)
			odd = odd || !isfinite(value[i]);
		if (!odd)
			raw[j] += e->amplify * (common + noise[j]) / 2 * (2 * info->ulp * type->unit * fabs(raw[j]) + type->tiny
				+ lt__op_error(d->op, value, none, raw[j]));
	}
}

void lt__eval_disturb(const struct lt_worker *w, lt_node n, const union lt_eval_row *const *x, int32_t count,
	int64_t element, double *raw)
{
	const struct lt_evaluation *e = w->e;
	const struct lt_nodedef *d = &e->g->node[n];
	const struct lt_opinfo *info = lt__op_info(d->op);
	const struct lt_dtypeinfo *type = lt__dtype_info(d->dtype);
	const double *noise = lt__eval_noise(e, n, element, -1);
	double *residual = w->spread[4].f;

	if (info->any && d->op != LT_OP_cast)
		return;
	if (info->ulp > 1) {
		disturb_function(w, n, x, count, noise, raw);
		return;
	}
	if (d->dtype == LT_F64)
		find_residuals(d->op, e->g->node[d->operand[0]].dtype, x, count, raw, residual);
	e->rows->disturb(d->dtype, count, residual, noise, e->amplify * type->unit, e->amplify * type->tiny / 2, raw);
}

/* Sums and products in another order than that of the index.  Its roundings in index order are in `value` already;
 * other orders have other partial results, up to the size of all terms together, and may leave the type on the way.  A
 * library that adds up many terms may err in one direction: common, a small part of each rounding. */
double lt__eval_disturb_order(const struct lt_evaluation *e, lt_node n, enum lt_opcode op, const struct lt_fold *fold,
	double value, int64_t element)
{
	enum { COMMON = 256 };
	const struct lt_dtypeinfo *type = lt__dtype_info(e->g->node[n].dtype);
	double noise = *lt__eval_noise(e, n, element, -2), drawn = *lt__eval_noise(e, n, element, -3),
	       common = lt__eval_common_noise(e, n);

	if (fold->n <= 1 || lt__eval_draw_order(e->g->node[n].dtype, op, fold, drawn, &value) || op == LT_OP_mul)
		return value;
	/* Every partial sum is a multiple of 2^-8, or of 1, that fits the type. */
	if (!isfinite(value) || (!fold->coarse && (fold->size * type->unit <= 0x1p-8
	    || (fold->size * type->unit <= 1 && fold->size == floor(fold->size) && value == floor(value)))))
		return value;
	/* Both signs together may leave a double. */
	double part = e->amplify * type->unit, max = isfinite(fold->size) ? fold->size : type->largest;
	noise *= isfinite(fold->size) ? 1 : 2;
	return value + (part * noise * max + part * common * ((double)fold->n / COMMON) * fabs(value));
}
