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
	X(LOAD, 1.51, 0, 0, 0) X(LOAD_BYTES, 0, .03, .01, .1) X(STORE, .03, .98, .9, 0) X(STORE_BYTES, 0, .05, .04, 0) \
	X(PRODUCT8, .86, .6, .78, 2.9) X(PRODUCT16, 3.44, .54, .64, 31.9) X(PRODUCT32, .97, .74, 1, 72.8) \
	X(DOT, 0, 0, 6.6, 0) X(SUM, 2.35, 1.65, 1.65, 9.1) X(SHIFT, 1.82, 1.46, 1.44, 25.7) X(CHOICE, 1.26, 2.87, 2.08, 0) \
	X(QUOTIENT, 20, 20, 20, 300) X(WIDE, 3.29, 4.38, 4.28, 30.3) X(FLOAT, 60, 60, 60, 200) \
	X(ITERATION, 0, 1.46, 1.52, 22.8) X(ENTERED, 20.7, 15.13, 15.49, 27.8) X(BRANCH, 1.94, .95, .96, 18) \
	X(LAUNCH, 10.61, 15.58, 11.71, 36.4)

static const char *const models[] = { "cortex-m0", "cortex-m3", "cortex-m4", "avr5" };
enum { N_MODEL = sizeof models / sizeof *models };
static const double costs[LT_NWORK][N_MODEL] = {
#define COST(kind, m0, m3, m4, avr) [LT_WORK_##kind] = { m0, m3, m4, avr },
	COSTS(COST)
#undef COST
};

lt_status build_predict(const struct building *b, int64_t *time)
{
	struct lt_walk_work w;
	bool whole;
	int model = 0;

	*time = 0;
	while (model < N_MODEL && strcmp(models[model], b->target.model))
		model++;
	LT_TRY(lt__export_bare_work(b->export, &w, &whole));
	if (model == N_MODEL || !whole)
		return LT_OK;
	double sum = 0;
	for (int kind = 0; kind < LT_NWORK; kind++)
		sum += costs[kind][model] * (double)w.n[kind];
	*time = sum < 1e18 ? llrint(sum) : 0;
	return LT_OK;
}
