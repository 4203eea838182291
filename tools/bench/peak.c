/* peak.c -- what the machine can do at best, as a contestant: it runs with the others in each case. */
#include <stdlib.h>
#include "tools/bench/bench.h"

struct peak_contestant { struct machine_peak *p; int threads; };

static lt_status peak_begin(struct bench_contestant *k, const struct bench_case *c, int threads)
{
	struct peak_contestant *s = k->state;

	machine_peak_measure(s->p, c->bound, threads);
	s->threads = machine_peak_threads(s->p, c->bound, threads);
	k->unit = machine_peak_unit(s->p, c->bound, threads);
	return LT_OK;
}

static lt_status peak_run(struct bench_contestant *k, int64_t n, double *seconds)
{
	struct peak_contestant *s = k->state;

	*seconds = machine_peak_run(s->p, k->bound, s->threads, n);
	return LT_OK;
}

static double peak_limit(struct bench_contestant *k, int threads, bool again)
{
	struct peak_contestant *s = k->state;

	return again ? machine_peak_measure_again(s->p, k->bound, threads) : machine_peak_measure(s->p, k->bound, threads);
}

static void peak_end(struct bench_contestant *k)
{
	(void)k;
}

static void peak_close(struct bench_contestant *k)
{
	free(k->state);
}

static const struct bench_ops contestant_ops = { peak_begin, peak_run, NULL, peak_end, peak_close };

void bench_peak_contestant(struct bench_contestant *k, struct machine_peak *p, enum machine_bound bound)
{
	struct peak_contestant *s = lt__must_alloc(sizeof *s);

	s->p = p;
	k->ops = &contestant_ops;
	k->limit = machine_peak_device(p) ? NULL : peak_limit;  /* a device may have matrix units besides */
	k->bound = bound;
	k->state = s;
}
