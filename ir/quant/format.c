/* format.c -- integers of so many bits that stand for numbers: their ranges, steps, roundings and types. */
#include <math.h>
#include "ir/quant/parts.h"

struct lt_quant_range lt__quant_range(const struct lt_quant_cell *c, struct lt_quant_format f)
{
	const int64_t all = INT64_C(1) << f.bits;
	if (c->low >= 0 && !c->lowest)
		return (struct lt_quant_range){ 0, all - 1 };
	if (c->index && c->high <= 0)
		return (struct lt_quant_range){ 1 - all, 0 };
	return (struct lt_quant_range){ -all / 2, all / 2 - 1 };
}

bool lt__quant_is_packed(const struct lt_quant_cell *c, struct lt_quant_format f)
{
	return c->kind == LT_QUANT_WEIGHT && c->sums && f.bits <= LT_QUANT_PACKED_BITS && c->elems > 1 && c->packed;
}

int64_t lt__quant_bytes(const struct lt_quant_cell *c, struct lt_quant_format f, enum lt_dtype t)
{
	return lt__quant_is_packed(c, f) ? c->packed : c->elems * (int64_t)lt_dtype_bytes(t);
}

int64_t lt__quant_channel(const struct lt_quant_cell *c, int64_t i)
{
	return c->channels ? i / c->inner % c->channels : 0;
}

double lt__quant_scale_at(const struct lt_quant_cell *c, struct lt_quant_format f, int64_t i)
{
	return lt__quant_step_of(f, lt__quant_channel(c, i));
}

/* Steps of channels are numbers of float32, too, which powers of two that small are not, but exact. */
double lt__quant_step_of(struct lt_quant_format f, int64_t channel)
{
	const double step = f.channel ? f.scale * f.channel[channel] : f.scale;
	return f.channel && step >= 0x1p-126 ? (double)(float)step : step;
}

double lt__quant_scale(const struct lt_quant *q, const struct lt_quant_cell *c, int32_t bits)
{
	return lt__quant_channel_scale(q, c, bits, c->low, c->high);
}

double lt__quant_step(const struct lt_quant *q, double step) { return q->any ? (double)(float)step : step; }

double lt__quant_channel_scale(const struct lt_quant *q, const struct lt_quant_cell *c, int32_t bits, double low,
	double high)
{
	const struct lt_quant_range r = lt__quant_range(c, (struct lt_quant_format){ .bits = bits });
	const double above = r.most > 0 ? high / (double)r.most : 0, below = r.least < 0 ? low / (double)(r.least
		+ c->lowest) : 0;
	const double step = fmax(above, below);
	if (step <= (q->any ? 0x1p-100 : 0x1p-200))
		return ldexp(1, -bits);
	return q->any ? lt__quant_step(q, step) : ldexp(1, (int)ceil(log2(step)));
}

int64_t lt__quant_round(double x, double scale, struct lt_quant_range r)
{
	const double y = floor(x / scale + 0.5);
	return y <= (double)r.least ? r.least : y >= (double)r.most ? r.most : (int64_t)y;
}

enum lt_dtype lt__quant_smallest_type(int64_t least, int64_t most)
{
	if (least < -INT32_MAX || most > INT32_MAX)
		return LT_I64;
	if (least >= 0)
		return most <= UINT8_MAX ? LT_U8 : most <= UINT16_MAX ? LT_U16 : LT_I32;
	return least >= INT8_MIN && most <= INT8_MAX ? LT_I8 : least >= INT16_MIN && most <= INT16_MAX ? LT_I16 : LT_I32;
}

int64_t lt__quant_follow(double v, double scale, int64_t lowest)
{
	return v == -INFINITY ? lowest : lt__quant_near(floor(v / scale + 0.5));
}

int64_t lt__quant_near(double v)
{
	return v > (double)QUANT_FAR ? QUANT_FAR : v < -(double)QUANT_FAR ? -QUANT_FAR : (int64_t)v;
}
