/* order.c -- numbers that are drawn, and the order of ranges, blocks and threads. */
#include "kernel/simulate/part.h"

uint64_t lt__simulate_draw(struct simulation *s)
{
	uint64_t z = s->options.seed += UINT64_C(0x9e3779b97f4a7c15);
	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t r = a % b;
		a = b;
		b = r;
	}
	return a;
}

/* Each one once. */
void lt__simulate_order(struct simulation *s, uint64_t n, uint64_t *scale, uint64_t *shift)
{
	*scale = s->options.order == LT_SIMULATE_BACKWARD ? n - 1 : 1;
	*shift = s->options.order == LT_SIMULATE_BACKWARD ? n - 1 : 0;
	if (s->options.order != LT_SIMULATE_DRAWN || n < 2)
		return;
	*shift = lt__simulate_draw(s) % n;
	do
		*scale = 1 + lt__simulate_draw(s) % (n - 1);
	while (common_divisor(*scale, n) != 1);
}
