/* measure.c -- the protocol: everybody prepares and is checked, then samples in rotation, then is checked
 * again. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "tools/bench/net.h"

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

void bench_sort(double *x, int n)
{
	if (n > 0)
		qsort(x, (size_t)n, sizeof *x, by_value);
}

/* Between the two nearest, in proportion; the median of an even number is the mean of the middle two. */
double bench_quantile(const double *sorted, int n, double q)
{
	double at = q * (n - 1);
	int i = (int)at;

	return n < 1 ? 0 : i + 1 < n ? sorted[i] + (at - i) * (sorted[i + 1] - sorted[i]) : sorted[n - 1];
}

double bench_geomean(const double *x, int n)
{
	double sum = 0;
	int count = 0;

	for (int i = 0; i < n; i++)
		if (x[i] > 0) {
			sum += log(x[i]);
			count++;
		}
	return count ? exp(sum / count) : 0;
}

int bench_turn(int round, int position, int n)
{
	return (round + position) % n;
}

void bench_row_finish(struct bench_row *r, double work)
{
	double *sorted = lt__must_alloc((size_t)(r->n_sample + 1) * sizeof *sorted);

	for (int i = 0; i < r->n_sample; i++)
		sorted[i] = r->sample[i];
	bench_sort(sorted, r->n_sample);
	r->median = bench_quantile(sorted, r->n_sample, 0.5);
	r->minimum = r->n_sample ? sorted[0] : 0;
	r->spread = r->median > 0
		? (bench_quantile(sorted, r->n_sample, 0.75) - bench_quantile(sorted, r->n_sample, 0.25)) / r->median
		: 0;
	r->rate = r->median > 0 ? work / r->median : 0;
	free(sorted);
}

/* Rates over the denominator's and over the best of the others'. */
void bench_ratios(struct bench_outcome *o)
{
	double best = 0;

	o->peak = 0;
	for (int i = 0; i < o->n_row; i++) {
		const struct bench_row *r = &o->row[i];

		if (r->answer != BENCH_READY)
			continue;
		/* Of the peak the fastest sample counts: what disturbs one, such as a thread that wakes late, is no
		 * limit of the machine. */
		double rate = o->c->bound == MACHINE_FLOPS && r->minimum > 0 ? r->rate * (r->median / r->minimum) : r->rate;
		if (r->role == BENCH_DENOMINATOR && rate > o->peak)
			o->peak = rate;
		if (r->role == BENCH_OTHER && r->rate > best)
			best = r->rate;
	}
	for (int i = 0; i < o->n_row; i++) {
		struct bench_row *r = &o->row[i];
		bool counts = r->answer == BENCH_READY;

		r->of_peak = counts && o->peak > 0 ? r->rate / o->peak : 0;
		r->of_best = counts && best > 0 && r->role != BENCH_DENOMINATOR ? r->rate / best : 0;
	}
}

enum bench_answer bench_answer(enum bench_role role, lt_status s)
{
	return !s ? BENCH_READY : s == LT_EUNSUPPORTED && role == BENCH_OTHER ? BENCH_SKIP : BENCH_BAD;
}

/* The row goes on, or ends with the failure that the context tells. */
static void row_answer(struct bench_row *r, struct lt_context *ctx, lt_status s)
{
	r->answer = bench_answer(r->role, s);
	if (s)
		bench_reason(ctx, s, r->why);
}

int bench_impossible(struct lt_context *ctx, struct bench_outcome *o, double flop_peak, bool fail)
{
	double peak = o->c->bound == MACHINE_FLOPS && o->peak > flop_peak ? o->peak : flop_peak;
	int n = 0;

	for (int i = 0; i < o->n_row; i++) {
		struct bench_row *r = &o->row[i];
		double rate = r->median > 0 ? (double)o->c->flops / r->median : 0;

		if (r->answer != BENCH_READY || r->role == BENCH_DENOMINATOR || peak <= 0 || rate <= (1 + BENCH_SLACK) * peak)
			continue;
		n++;
		if (fail)
			row_answer(r, ctx, lt_fail(ctx, LT_EDEVICE,
				"%.4g GFLOP/s are above the measured multiply-add peak of %.4g: the count of %lld operations, or the time, is "
				"wrong", rate * 1e-9, peak * 1e-9, (long long)o->c->flops));
	}
	return n;
}

/* What disturbed the peak must fail nobody: it is measured a few times more before a row is. */
static void fail_impossible(struct lt_context *ctx, struct bench_outcome *o, struct bench_contestants *all)
{
	for (int i = 0; i < all->n; i++) {
		struct bench_contestant *k = &all->at[i];
		double peak;

		if (k->role != BENCH_DENOMINATOR || k->bound != MACHINE_FLOPS || !k->limit)
			continue;
		peak = k->limit(k, o->threads, false);
		for (int times = 0; times < 5 && bench_impossible(ctx, o, peak, false) > 0; times++)
			peak = k->limit(k, o->threads, true);
		if (bench_impossible(ctx, o, peak, true) > 0)
			bench_ratios(o);
	}
}

int bench_family(const struct bench_row *r)
{
	return (int)(r->role == BENCH_OTHER ? strcspn(r->label, ":") : strlen(r->label));
}

bool bench_leads(const struct bench_outcome *o, int i)
{
	const struct bench_row *mine = &o->row[i];

	for (int k = 0; k < o->n_row; k++) {
		const struct bench_row *r = &o->row[k];

		if (k == i || r->role != mine->role || bench_family(r) != bench_family(mine)
			|| strncmp(r->label, mine->label, (size_t)bench_family(r)) != 0)
			continue;
		if (r->answer == BENCH_READY
			&& (mine->answer != BENCH_READY || r->rate > mine->rate || (r->rate == mine->rate && k < i)))
			return false;
		if (r->answer != BENCH_READY && mine->answer != BENCH_READY
			&& (mine->answer == BENCH_SKIP ? r->answer == BENCH_BAD || k < i
						       : r->answer == BENCH_BAD && k < i))
			return false;
	}
	return true;
}

/* What the one before left running must not slow the next: threads that spin before they sleep; those of GNU OpenMP do
 * for some 7 ms. */
void bench_settle(int threads)
{
	const struct timespec pause = { .tv_nsec = 20000000 };

	if (threads > 1)
		nanosleep(&pause, NULL);
}

static lt_status verify(
	struct bench_contestant *k, const struct bench_case *c, const struct bench_truth *t, struct bench_row *r)
{
	float *out;
	lt_status s;

	if (r->role == BENCH_DENOMINATOR || t->open)
		return LT_OK;
	out = machine_buffer(c->out.n);
	for (int64_t i = 0; i < c->out.n; i++)
		out[i] = NAN;
	s = k->ops->result(k, c, out);
	if (!s)
		s = bench_check(c, t, r->role != BENCH_OTHER, out, &r->error);
	machine_buffer_free(out);
	return s;
}

/* Where contestants are compared with each other, the first of the others that has one says what is right: it shares
 * nothing with ours. */
static void find_truth(struct bench_contestant **k, const struct bench_case *c, struct bench_truth *t,
	struct bench_outcome *out)
{
	float *got = machine_buffer(c->out.n);
	int n_ready = 0;

	for (int pass = 0; pass < 2 && t->open; pass++)
		for (int i = 0; i < out->n_row && t->open; i++) {
			struct bench_row *r = &out->row[i];

			if (r->answer != BENCH_READY || r->role != (pass ? BENCH_OURS : BENCH_OTHER))
				continue;
			for (int64_t e = 0; e < c->out.n; e++)
				got[e] = NAN;
			row_answer(r, t->ctx, k[i]->ops->result(k[i], c, got));
			if (r->answer == BENCH_READY)
				bench_net_truth_is(c, t, r->label, got);
		}
	machine_buffer_free(got);
	for (int i = 0; i < out->n_row; i++)
		n_ready += out->row[i].answer == BENCH_READY
			&& (out->row[i].role == BENCH_OURS || out->row[i].role == BENCH_OTHER);
	for (int i = 0; i < out->n_row; i++)
		if (out->row[i].answer == BENCH_READY && n_ready < 2 && out->row[i].role != BENCH_DENOMINATOR)
			row_answer(&out->row[i], t->ctx, lt_fail(t->ctx, LT_EINVAL, "there is no other result to compare with: give "
				"--peer or a second backend, or leave out --no-evaluator"));
		else if (out->row[i].answer == BENCH_READY)
			row_answer(&out->row[i], t->ctx, verify(k[i], c, t, &out->row[i]));
}

/* Prepares, runs once, and finds how many runs make a sample. */
static lt_status measure_begin(struct lt_context *ctx, struct bench_contestant *k, struct bench_case *c,
	const struct bench_truth *t, int threads, const struct bench_options *o, struct bench_row *r)
{
	double seconds = 0;
	int64_t n = 1;

	if (k->files)
		LT_TRY(bench_case_write(ctx, c));
	LT_TRY(k->ops->begin(k, c, threads));
	LT_TRY(k->ops->run(k, 1, &seconds));
	LT_TRY(verify(k, c, t, r));
	/* The first run also fetches pages and code: a second one tells the time. */
	for (int i = 0; i < 12; i++) {
		LT_TRY(k->ops->run(k, n, &seconds));
		if (seconds >= 0.8 * o->seconds)
			break;
		n = machine_repeat(seconds > 0 ? seconds / (double)n : 1e-9,
			o->seconds < seconds * 10 ? o->seconds
				: seconds > 0     ? seconds * 10
						  : 1e-6);
	}
	r->repeat = machine_repeat(seconds > 0 ? seconds / (double)n : 1e-9, o->seconds);
	r->prepare = k->prepare;
	r->stats = json_incref(k->stats);
	return LT_OK;
}

static lt_status sample(struct bench_contestant *k, struct bench_row *r)
{
	double seconds = 0;

	LT_TRY(k->ops->run(k, r->repeat, &seconds));
	r->sample[r->n_sample++] = seconds / (double)r->repeat;
	return LT_OK;
}

static bool takes_part(const struct bench_contestant *k, const struct bench_case *c)
{
	if (k->role == BENCH_OPEN)
		return bench_case_open_inputs(c) > 0;
	return k->role == BENCH_DENOMINATOR ? k->bound == c->bound : k->role != BENCH_AGAIN || c->noise;
}

static void free_outcome(struct bench_outcome *o)
{
	for (int k = 0; k < o->n_row; k++) {
		free(o->row[k].sample);
		json_decref(o->row[k].stats);
	}
	free(o->row);
}

/* What a model does is known when one of ours has compiled it. */
static void count_model(struct bench_case *c, const struct bench_outcome *out)
{
	for (int i = 0; c->net && c->flops < 0 && i < out->n_row; i++)
		if (out->row[i].stats)
			c->flops = (int64_t)json_integer_value(json_object_get(out->row[i].stats, "flops"));
}

void bench_measure(struct lt_context *ctx, struct bench_case *c, struct bench_truth *truth,
	struct bench_contestants *all, int threads, const struct bench_options *o, struct bench_outcomes *to)
{
	struct bench_outcome *out;
	struct bench_contestant **k = lt__must_alloc((size_t)all->n * sizeof *k);

	to->at = lt__must_grow(to->at, to->n, &to->cap, sizeof *to->at);
	out = memset(&to->at[to->n++], 0, sizeof *out);
	out->c = c;
	out->threads = threads;
	out->tolerance = truth->tolerance;
	out->row = lt__must_alloc((size_t)all->n * sizeof *out->row);
	for (int i = 0; i < all->n && !lt__interrupted(NULL); i++)
		if (takes_part(&all->at[i], c)) {
			struct bench_row *r = &out->row[out->n_row];

			k[out->n_row++] = &all->at[i];
			r->role = all->at[i].role;
			snprintf(r->label, sizeof r->label, "%s", all->at[i].label);
			r->sample = lt__must_alloc((size_t)o->samples * sizeof *r->sample);
			lt__phase(bench_phases(), "%s/%s, %d thread%s: preparing %s", c->suite, c->name, threads, threads == 1 ? "" : "s",
				r->label);
			bench_settle(threads);
			row_answer(r, ctx, measure_begin(ctx, &all->at[i], c, truth, threads, o, r));
		}
	count_model(c, out);
	if (truth->open)
		find_truth(k, c, truth, out);
	snprintf(out->method, sizeof out->method, "%s", truth->method);
	lt__phase(bench_phases(), NULL);
	for (int round = 0; round < o->samples && !lt__interrupted(NULL); round++)
		for (int position = 0; position < out->n_row; position++) {
			int i = bench_turn(round, position, out->n_row);

			lt__phase_between(bench_phases(), "%s/%s, %d thread%s: round %d of %d", c->suite, c->name, threads,
				threads == 1 ? "" : "s", round + 1, o->samples);
			if (out->row[i].answer == BENCH_READY) {
				bench_settle(threads);
				row_answer(&out->row[i], ctx, sample(k[i], &out->row[i]));
			}
		}
	lt__phase(bench_phases(), "%s/%s: checking results", c->suite, c->name);
	for (int i = 0; i < out->n_row; i++) {
		if (out->row[i].answer == BENCH_READY)
			row_answer(&out->row[i], ctx, verify(k[i], c, truth, &out->row[i]));
		bench_row_finish(&out->row[i], out->row[i].role == BENCH_DENOMINATOR ? k[i]->unit : bench_case_work(c));
		k[i]->ops->end(k[i]);
	}
	bench_ratios(out);
	fail_impossible(ctx, out, all);
	lt__phase(bench_phases(), NULL);
	free(k);
	if (lt__interrupted(NULL))
		free_outcome(&to->at[--to->n]);
}

void bench_outcomes_free(struct bench_outcomes *l)
{
	for (int i = 0; i < l->n; i++)
		free_outcome(&l->at[i]);
	free(l->at);
	memset(l, 0, sizeof *l);
}

struct bench_contestant *bench_contestant_add(
	struct bench_contestants *l, const char *label, enum bench_role role, const struct bench_ops *ops)
{
	struct bench_contestant *k;

	l->at = lt__must_grow(l->at, l->n, &l->cap, sizeof *l->at);
	k = memset(&l->at[l->n++], 0, sizeof *k);
	snprintf(k->label, sizeof k->label, "%s", label);
	k->role = role;
	k->ops = ops;
	return k;
}

void bench_contestants_free(struct bench_contestants *l)
{
	for (int i = 0; i < l->n; i++) {
		if (l->at[i].ops)
			l->at[i].ops->close(&l->at[i]);
		json_decref(l->at[i].stats);
	}
	free(l->at);
	memset(l, 0, sizeof *l);
}
