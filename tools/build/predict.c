/* predict.c -- what a call of a bare function should take, without a run: how much work of each kind its kernels do, by
 * their programs, and what a processor takes for a piece of each.
 *
 * The costs are fitted to functions that were run (docs/performance.md has which, and how far off others are): they are
 * what compiled code takes for one such thing with all that comes with it, so a load may cost less than a load
 * instruction where a sum costs more. */
#include <math.h>
#include <string.h>
#include "tools/build/build.h"

/* X(kind of work, Cortex-M0, M3, M4: instructions; AVR: cycles) */
#define COSTS(X) \
	X(LOAD, 0.8694, 0.2797, 0.2782, 0) X(LOAD_BYTES, 0, 0.07491, 0.1069, 1.695) X(STORE, 0, 0, 0, 0) \
	X(STORE_BYTES, 0, 0, 0, 2.749) X(PRODUCT8, 3.295, 1.365, 1.278, 2.135) \
	X(PRODUCT16, 4.273, 1.301, 1.294, 50.65) X(PRODUCT32, 4.418, 0.4899, 0.2115, 39.57) X(DOT, 0, 0, 6.616, 0) \
	X(SUM, 0, 0, 0, 0) X(COMPARISON, 0, 0, 0, 0) X(CHOICE, 1.556, 2.027, 2.085, 3.558) \
	X(CAST, 0.779, 0, 0, 3.462) X(BYTES, 0.1759, 0, 0, 1.382) X(SHIFT, 1.037, 2.358, 2.354, 0) \
	X(SHIFT_BITS, 0.06486, 0, 0, 1.205) X(KNOWN_QUOTIENT, 52.1, 7.618, 7.623, 621) \
	X(PLACE_QUOTIENT, 24.18, 4.067, 4.21, 238.2) X(QUOTIENT, 53.37, 8.559, 8.361, 638.7) \
	X(LONG_PRODUCT, 40.14, 0, 0, 298.9) X(WIDE, 3.659, 2.116, 1.961, 16.88) \
	X(WIDE_CHOICE, 3.903, 2.813, 2.688, 47.29) X(WIDE_PRODUCT, 44.09, 8.062, 7.523, 347.6) \
	X(WIDE_SHIFT, 6.829, 2.858, 2.917, 62.94) X(WIDE_KNOWN_QUOTIENT, 188.3, 38.41, 37.93, 723.1) \
	X(WIDE_QUOTIENT, 258.3, 68.37, 68.74, 1125) X(FLOAT, 60, 41.99, 41.73, 105.1) \
	X(FLOAT_CHOICE, 67.26, 70.73, 70.61, 102) X(FLOAT_PRODUCT, 121.3, 36.63, 36.73, 140) \
	X(FLOAT_QUOTIENT, 313.2, 126, 126.2, 393.8) X(ROUND, 116.1, 73.37, 73.79, 0) \
	X(ROOT, 368.1, 366.3, 366.6, 462.6) X(POWER, 8781, 4260, 4253, 4912) X(FUNCTION, 2882, 1368, 1368, 2549) \
	X(DOUBLE, 119.5, 79.4, 79.33, 0) X(DOUBLE_PRODUCT, 311.8, 53.04, 52.72, 0) \
	X(DOUBLE_QUOTIENT, 672.7, 578, 577.9, 0) X(DOUBLE_FUNCTION, 6886, 2824, 2823, 0) \
	X(CONVERT, 23.05, 12.22, 12.08, 50.02) X(WIDE_CONVERT, 542.7, 33.77, 33.53, 90.03) \
	X(HALF, 110, 51.3, 51.41, 277.3) X(BRAIN, 50.21, 46.94, 48.19, 62.78) \
	X(ITERATION, 4.154, 3.514, 3.388, 2.861) X(SHORT_ITERATION, 4.223, 4.017, 4.025, 5.419) \
	X(COPIED, 4.45, 2.683, 2.589, 3.806) X(ENTERED, 0, 0, 0, 2.367) X(BRANCH, 0.4629, 0.4053, 0.4318, 10.65) \
	X(LAUNCH, 6.199, 4.996, 3.862, 21.86)

static const char *const models[] = { "cortex-m0", "cortex-m3", "cortex-m4", "avr5" };
enum { N_MODEL = sizeof models / sizeof *models };
static const double costs[LT_NWORK][N_MODEL] = {
#define COST(kind, m0, m3, m4, avr) [LT_WORK_##kind] = { m0, m3, m4, avr },
	COSTS(COST)
#undef COST
};

lt_status build_predict(const struct building *b, struct lt_walk_work *w, int64_t *time)
{
	bool whole;
	int model = 0;

	*time = 0;
	while (model < N_MODEL && strcmp(models[model], b->target.model))
		model++;
	LT_TRY(lt__export_bare_work(b->export, w, &whole));
	if (model == N_MODEL || !whole)
		return LT_OK;
	double sum = 0;
	for (int kind = 0; kind < LT_NWORK; kind++)
		sum += costs[kind][model] * (double)w->n[kind];
	*time = sum < 1e18 ? llrint(sum) : 0;
	return LT_OK;
}

void build_say_work(FILE *f, const struct lt_walk_work *w)
{
	static const char *const words[LT_NWORK] = {
#define WORD(kind, word) [LT_WORK_##kind] = #word,
		LT_WORK_MAP(WORD)
#undef WORD
	};
	const char *between = "work of a call: ";
	for (int kind = 0; kind < LT_NWORK; kind++)
		if (w->n[kind]) {
			lt__say(f, "%s%lld %s", between, (long long)w->n[kind], words[kind]);
			between = ", ";
		}
	lt__say(f, "\n");
}
