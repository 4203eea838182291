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
	X(LOAD, 0, 0, 0, 0) X(LOAD_BYTES, 0.224, 0.105, 0.1108, 3.273) X(STORE, 0, 0, 0, 0) \
	X(STORE_BYTES, 0, 0, 0, 0) X(PRODUCT8, 3.298, 1.773, 1.655, 0) X(PRODUCT16, 3.516, 1.762, 1.732, 32.13) \
	X(PRODUCT32, 5.076, 6.091, 6.234, 53.18) X(DOT, 0, 0, 7.528, 0) X(SUM, 0.2066, 0, 0, 1.031) \
	X(SHIFT, 0, 0, 0, 33.84) X(SHIFT_BITS, 0.1957, 0, 0, 2.148) X(CHOICE, 2.034, 1.527, 1.589, 4.442) \
	X(KNOWN_QUOTIENT, 36.9, 4.898, 4.919, 626.1) X(QUOTIENT, 53.15, 6.12, 5.815, 625.5) \
	X(LONG_PRODUCT, 39.66, 0, 0, 284.8) X(WIDE, 3.673, 3.154, 3.024, 37.71) \
	X(WIDE_PRODUCT, 56.79, 4.43, 4.19, 457.3) X(WIDE_SHIFT, 8.82, 0.184, 0.5977, 33.14) \
	X(WIDE_KNOWN_QUOTIENT, 213.9, 24.08, 24.33, 724.9) X(WIDE_QUOTIENT, 261.1, 66.06, 66.29, 1129) \
	X(FLOAT, 55.13, 52.24, 52.19, 81.82) X(FLOAT_PRODUCT, 128.8, 32.35, 32.08, 151.8) \
	X(FLOAT_QUOTIENT, 334.1, 129.1, 129.4, 440.2) X(CONVERT, 26.58, 21.08, 21.38, 56.81) \
	X(ROUND, 234.5, 202, 201.7, 0) X(FUNCTION, 2978, 1422, 1422, 2660) X(ITERATION, 4.308, 3.664, 3.622, 7.981) \
	X(ENTERED, 0, 0.3787, 0.3453, 7.605) X(BRANCH, 6.83, 4.751, 5.679, 59.45) X(LAUNCH, 0, 0, 0, 0)

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

const char *build_work_text(struct lt_context *ctx, const struct lt_walk_work *w)
{
	static const char *const words[LT_NWORK] = {
#define WORD(kind, word) [LT_WORK_##kind] = #word,
		LT_WORK_MAP(WORD)
#undef WORD
	};
	const char *text = "";
	for (int kind = 0; kind < LT_NWORK; kind++)
		if (w->n[kind])
			text = lt__scratch(ctx, "%s%s%lld %s", text, *text ? ", " : "", (long long)w->n[kind], words[kind]);
	return text;
}
