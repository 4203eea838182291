/* test_timing.c -- lt/timing.h: how many runs there are, and what the samples say. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "lt/lt.h"
#include "program/host/host.h"
#include "tests/parsed.h"

TestSuite(timing, .timeout = 60);

/* A state counts the runs. */
#define COUNTED \
	"graph 1\nvar m 3\n%x = f64[m] input \"x\"\n%n = f64[m] state \"n\"\n%y = f64[m] add %x, %n\nset %n = %y\n" \
	"result \"y\" = %y\n"
static const double ones[3] = { 1, 1, 1 };

struct counted { struct lt_graph *g; struct lt_program *p; struct lt_instance *r; double y[3]; struct lt_run run;
	const void *in[1]; void *out[1]; };

static void counted_open(struct counted *c, const char *backends)
{
	c->g = parsed(COUNTED);
	c->p = compiled(c->g, backends);
	c->r = instance_of(c->p);
	c->in[0] = ones;
	c->out[0] = c->y;
	c->run = (struct lt_run){ .size = sizeof c->run, .input = c->in, .result = c->out };
}

static void counted_close(struct counted *c)
{
	lt_instance_free(c->r);
	lt_program_free(c->p);
	parsed_free(c->g);
}

static int by_value(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

Test(timing, so_many_runs_as_were_asked_for)
{
	static const struct { const char *backends; uint32_t cold, enqueue; int64_t n, repeat, runs; } rows[] = {
		{ "ref", 0, 0, 7, 0, 8 }, { "ref", 1, 0, 7, 0, 7 }, { "ref", 0, 0, 4, 5, 21 }, { "ref", 1, 1, 4, 5, 20 },
		{ "cpu", 0, 0, 1, 1, 2 }, { "cpu", 0, 1, 97, 3, 292 },
	};
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		const struct lt_time_options o = { .size = sizeof o, .cold = rows[k].cold, .enqueue = rows[k].enqueue,
			.n_sample = rows[k].n, .repeat = rows[k].repeat };
		struct counted c;
		struct lt_timing *t;
		counted_open(&c, rows[k].backends);
		const int64_t begin = lt__now_ns();
		cr_assert_eq(lt_instance_time(c.r, &c.run, &o, &t), LT_OK, "%s", lt_instance_message(c.r));
		const double all = (double)(lt__now_ns() - begin);
		cr_assert_eq(c.y[1], (double)rows[k].runs, "%zu: %g", k, c.y[1]);
		cr_assert(t->n_sample == rows[k].n && t->n_run == rows[k].n * (rows[k].repeat ? rows[k].repeat : 1));
		/* What is between is by hand: of n sorted ones the place q * (n - 1). */
		double *sorted = malloc((size_t)t->n_sample * sizeof *sorted), sum = 0;
		memcpy(sorted, t->sample_ns, (size_t)t->n_sample * sizeof *sorted);
		qsort(sorted, (size_t)t->n_sample, sizeof *sorted, by_value);
		for (int64_t i = 0; i < t->n_sample; i++)
			sum += t->sample_ns[i];
		cr_assert(t->min_ns == sorted[0] && t->min_ns > 0 && fabs(t->mean_ns * (double)t->n_sample - sum) <= 1e-9 * sum);
		cr_assert(sum * (double)(rows[k].repeat ? rows[k].repeat : 1) <= all);
		const double quartile[] = { t->lower_ns, t->median_ns, t->upper_ns };
		for (int q = 1; q <= 3; q++) {
			const double at = (double)(t->n_sample - 1) * q / 4, low = sorted[(int)at], high = sorted[(int)ceil(at)];
			cr_assert(fabs(quartile[q - 1] - (low + (at - floor(at)) * (high - low))) <= 1e-9 * high, "%zu: %d", k, q);
		}
		free(sorted);
		lt_timing_free(t);
		counted_close(&c);
	}
	lt_timing_free(NULL);
}

struct seen { int64_t n, total; int64_t stop; };
static int see(void *user, int64_t done, int64_t total)
{
	struct seen *s = user;
	cr_assert(done == ++s->n && total >= done);
	s->total = total;
	return s->stop && done == s->stop;
}

Test(timing, as_many_as_take_so_long)
{
	struct seen seen = { 0 };
	struct lt_time_options o = { .size = sizeof o, .enough_ns = 20000000, .progress = see, .user = &seen };
	struct counted c;
	struct lt_timing *t;
	counted_open(&c, "ref");
	cr_assert_eq(lt_instance_time(c.r, &c.run, &o, &t), LT_OK);
	double sum = 0;
	for (int64_t i = 0; i < t->n_sample; i++)
		sum += t->sample_ns[i];
	cr_assert(t->n_sample >= 3 && sum >= 2e7 && sum - t->sample_ns[t->n_sample - 1] < 2e7 && seen.n == t->n_sample
		&& c.y[0] == (double)t->n_sample + 1);
	lt_timing_free(t);
	o.enough_ns = 1;
	cr_assert(lt_instance_time(c.r, &c.run, &(struct lt_time_options){ .size = sizeof o, .enough_ns = 1 }, &t) == LT_OK
		&& t->n_sample == 3);
	lt_timing_free(t);
	counted_close(&c);
}

Test(timing, what_goes_wrong)
{
	struct seen seen = { .stop = 4 };
	struct lt_time_options o = { .size = sizeof o, .n_sample = 10, .progress = see, .user = &seen };
	struct counted c;
	struct lt_timing *t;
	counted_open(&c, "ref");
	cr_assert(lt_instance_time(c.r, &c.run, &o, &t) == LT_ECANCELLED && !t && seen.n == 4 && seen.total == 10);
	cr_assert(strstr(lt_instance_message(c.r), "timing was cancelled"));
	o.repeat = -1;
	cr_assert(lt_instance_time(c.r, &c.run, &o, &t) == LT_EINVAL && !t && strstr(lt_instance_message(c.r), "repeat -1"));
	const struct lt_run missing = { .size = sizeof missing, .result = c.out };
	cr_assert(lt_instance_time(c.r, &missing, NULL, &t) == LT_EMISSING && !t, "%s", lt_instance_message(c.r));
	counted_close(&c);
}
