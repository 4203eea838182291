/* ranges.c -- the floats run over the data: what each cell holds, which results are expected, how right they are. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "program/host/host.h"
#include "tools/quantize/quantize.h"

enum { KEPT_VALUES = 1 << 16 };

/* -- the metric -- */

static int64_t largest_at(const double *x, int64_t n)
{
	int64_t at = 0;
	for (int64_t i = 1; i < n; i++)
		at = x[i] > x[at] ? i : at;
	return at;
}

/* The class of a row: the number itself, or where the largest is. */
static int64_t class_of(const struct quantizing *z, const double *row)
{
	return z->classes > 1 ? largest_at(row, z->classes) : (int64_t)*row;
}

double quantize_metric(const struct quantizing *z, const double *result)
{
	const int64_t n = z->part.samples * z->row_results;
	int64_t right = 0;
	double error = 0;
	if (z->metric == METRIC_ERROR) {
		for (int64_t i = 0; i < n * z->classes; i++)
			error += (result[i] - z->part.expected[i]) * (result[i] - z->part.expected[i]);
		return 100 * (1 - sqrt(error / (z->part.norm > 0 ? z->part.norm : 1)));
	}
	const int64_t rows = z->row_results == z->input[0].rows && z->part.rows < n ? z->part.rows : n;
	for (int64_t i = 0; i < rows; i++)
		right += class_of(z, result + i * z->classes) == (z->metric == METRIC_ACCURACY ? z->part.labels[i]
			: class_of(z, z->part.expected + i * z->classes));
	return 100 * (double)right / (double)rows;
}

static lt_status check_labels(struct quantizing *z, const char *result)
{
	for (int64_t i = 0; i < z->part.rows; i++)
		if (z->part.labels[i] < 0 || z->part.labels[i] >= z->classes)
			return lt_fail(z->ctx, LT_EINVAL, "%s: the label of row %lld is %lld, and the result '%s' has the classes 0 to %lld",
				z->o.labels, (long long)(z->part.first + i), (long long)z->part.labels[i], result, (long long)z->classes - 1);
	return LT_OK;
}

/* Which result is judged, and how. */
lt_status quantize_metric_find(struct quantizing *z)
{
	const struct model_bindings *results = &z->model.binding[LT_BINDING_RESULT];
	const char *name = z->o.result;
	z->result = name ? model_binding_index(results, name, strlen(name)) : 0;
	if (z->result < 0)
		return quantize_no_name(z, LT_BINDING_RESULT, "--result", name, strlen(name));
	const struct model_binding *b = &results->at[z->result];
	const bool floats = lt__dtype_info(b->dtype)->cls == LT_CLASS_FLOAT;
	const int64_t n = lt__node_elems(z->model.graph, b->node);
	z->classes = floats && b->rank > 0 ? b->shape[b->rank - 1] : 1;
	z->row_results = n / z->classes;
	z->metric = z->o.metric ? !strcmp(z->o.metric, "agree") ? METRIC_AGREE : !strcmp(z->o.metric, "error") ? METRIC_ERROR
		: METRIC_ACCURACY : z->part.labels ? METRIC_ACCURACY : floats && z->classes == 1 ? METRIC_ERROR : METRIC_AGREE;
	if (z->metric == METRIC_ERROR && !floats)
		return lt_fail(z->ctx, LT_EINVAL, "--metric error: the result '%s' is no float", b->name);
	if (z->metric != METRIC_ERROR && floats && z->classes == 1)
		return lt_fail(z->ctx, LT_EINVAL, "the result '%s' has one number a row, which is no class: --metric error judges "
			"it, "
			"--result NAME another one", b->name);
	if (z->part.labels && z->metric == METRIC_ACCURACY && z->row_results != z->input[0].rows)
		return lt_fail(z->ctx, LT_EINVAL, "%s: the result '%s' has %lld rows for %lld rows of data: --result NAME judges "
			"another one", z->o.labels, b->name, (long long)z->row_results, (long long)z->input[0].rows);
	return z->metric == METRIC_ACCURACY && z->classes > 1 ? check_labels(z, b->name) : LT_OK;
}

/* -- values of cells -- */

static lt_status see_cell(struct quantizing *z, int32_t c, const float *x, int64_t n, int64_t before)
{
	struct lt_quant_cell *cell = &z->q->cell[c];
	struct quantize_samples *seen = &z->seen[c];
	const int64_t every = (cell->elems * z->part.samples / KEPT_VALUES) | 1;
	if (!seen->at && !(seen->at = malloc(sizeof *seen->at
		* (size_t)(cell->elems * z->part.n_chunk * z->chunk / every + 2))))
		return lt_fail(z->ctx, LT_ENOMEM, "out of memory");
	for (int64_t i = 0; i < n; i++) {
		if (cell->index && x[i] == -INFINITY) {
			cell->lowest = true;
			continue;
		}
		if (!isfinite(x[i]))
			return lt__node_fail(z->model.graph, cell->node, LT_EINVAL, "the data makes this %g in row %lld: no integer stands "
				"for that", (double)x[i], (long long)((before + i) / cell->elems * z->input[0].rows));
		cell->low = fmin(cell->low, x[i]);
		cell->high = fmax(cell->high, x[i]);
	}
	for (int64_t i = (every - before % every) % every; i < n; i += every)
		if (isfinite(x[i]))
			seen->at[seen->n++] = x[i];
	return LT_OK;
}

lt_status quantize_expect(struct quantizing *z, const struct quantize_program *p, int64_t chunk)
{
	const struct model_binding *b = &z->model.binding[LT_BINDING_RESULT].at[z->result];
	const int32_t i = quantize_program_result(p, b->name);
	const int64_t n = z->row_results * z->classes * z->chunk;
	if (!z->part.expected && !(z->part.expected = calloc((size_t)(n * z->part.n_chunk) + 1, sizeof *z->part.expected)))
		return lt_fail(z->ctx, LT_ENOMEM, "out of memory");
	for (int64_t k = 0; k < n; k++) {
		const double v = lt__as_double(lt__load(p->result[i], k, b->dtype), b->dtype);
		if (!isfinite(v))
			return lt__node_fail(z->model.graph, b->node, LT_EINVAL, "the data makes the result '%s' %g in row %lld: only "
				"results that are finite numbers are compared", b->name, isnan(v) ? (double)NAN : v,
				(long long)(z->part.first + (chunk * n + k) / (z->row_results * z->classes) * z->input[0].rows));
		z->part.expected[chunk * n + k] = v;
	}
	return LT_OK;
}

static lt_status run_floats(struct quantizing *z, struct quantize_program *p)
{
	for (int64_t chunk = 0; chunk < z->part.n_chunk; chunk++) {
		const lt_status ran = lt__interrupted(NULL) ? LT_ECANCELLED : quantize_program_run(z, p, chunk);
		if (ran == LT_ECANCELLED)
			return lt_fail(z->ctx, ran, "interrupted before there was a candidate");
		LT_TRY(ran);
		LT_TRY(quantize_expect(z, p, chunk));
		for (int32_t c = 0; c < z->q->n_cell; c++) {
			const int32_t r = z->q->cell[c].result ? quantize_program_result(p, z->q->cell[c].result) : -1;
			const int64_t n = z->q->cell[c].elems * z->chunk;
			if (r >= 0)
				LT_TRY(see_cell(z, c, p->result[r], n, chunk * n));
		}
	}
	return LT_OK;
}

void quantize_expected(struct quantizing *z)
{
	for (int64_t i = 0; i < z->part.samples * z->row_results * z->classes; i++)
		z->part.norm += z->part.expected[i] * z->part.expected[i];
	z->part.base = quantize_metric(z, z->part.expected);
}

lt_status quantize_floats(struct quantizing *z, struct quantize_program *out)
{
	struct lt_graph *g;
	LT_TRY(lt__quant_ranges(z->q, z->chunk, &g));
	return quantize_program_make(z, g, out);
}

lt_status quantize_ranges(struct quantizing *z)
{
	struct quantize_program p = { 0 };
	LT_TRY(quantize_metric_find(z));
	z->seen = calloc((size_t)z->q->n_cell + 1, sizeof *z->seen);
	z->found = calloc((size_t)z->q->n_cell + 1, sizeof *z->found);
	if (!z->seen || !z->found)
		return lt_fail(z->ctx, LT_ENOMEM, "out of memory");
	lt_status s = quantize_floats(z, &p);
	if (!s)
		s = run_floats(z, &p);
	quantize_program_free(&p);
	LT_TRY(s);
	lt__quant_join(z->q);
	quantize_expected(z);
	return LT_OK;
}

/* -- steps -- */

int64_t quantize_left_ns(const struct quantizing *z)
{
	return z->begin_ns + (int64_t)(1e9 * z->o.seconds) - lt__now_ns();
}

bool quantize_goes_on(const struct quantizing *z) { return quantize_left_ns(z) > 0 && !lt__interrupted(NULL); }

/* Of one cell, or of a channel of it, of which no other's numbers are looked at; -1: of all. */
static double distance_at(struct quantizing *z, int32_t c, struct lt_quant_format f, int64_t channel)
{
	const struct lt_quant_cell *cell = &z->q->cell[c];
	const struct lt_quant_range r = lt__quant_range(cell, f);
	const int64_t n = cell->content ? cell->elems : z->seen[c].n;
	const int64_t run = channel < 0 ? n : cell->inner, next = channel < 0 ? n : cell->channels * cell->inner;
	double sum = 0;
	z->looked_at += channel < 0 ? n : n / cell->channels;
	for (int64_t begin = channel < 0 ? 0 : channel * run; begin < n; begin += next)
		for (int64_t i = begin; i < begin + run; i++) {
			const double x = cell->content ? cell->content[i] : z->seen[c].at[i];
			const double away = x - f.scale * (double)lt__quant_round(x, f.scale, r);
			sum += away * away;
		}
	return sum;
}

/* The first candidate is tried whatever time it takes, another one as long as there is time for it. */
static bool looks_on(const struct quantizing *z) { return z->tried > 0 ? quantize_goes_on(z) : !lt__interrupted(NULL); }

/* Number i of the steps that are looked at, from the one that holds all on down: powers of two, or sixteenths of it. */
static double tried_scale(const struct quantizing *z, double most, int i)
{
	return z->q->any ? lt__quant_step(z->q, most * (16 - i) / 16) : ldexp(most, -i);
}

/* The step at which a cell, or a channel of it, loses least: of a few, from `most` on down; of a channel that
 * itself where there is no time left to look. */
static double best_scale(struct quantizing *z, int32_t cell, int32_t bits, double most, int64_t channel)
{
	enum { TRIED = 4, TRIED_OF_ANY = 12 };
	double best = most, least = INFINITY;
	/* Of an index what is cut off would be taken for minus infinity. */
	if (z->q->cell[cell].lowest || (channel >= 0 && !looks_on(z)))
		return most;
	for (int i = 0; i < (z->q->any ? TRIED_OF_ANY : TRIED); i++) {
		const double scale = tried_scale(z, most, i);
		double d = 0;
		for (int32_t c = cell; c < z->q->n_cell; c++)
			d += z->q->cell[c].like == cell ? distance_at(z, c, (struct lt_quant_format){ .bits = bits, .scale = scale },
				channel) : 0;
		if (d < least) {
			least = d;
			best = scale;
		}
	}
	return best;
}

/* The step of each channel of a constant, *most the coarsest; one of zeros has that. */
static double *channel_scales(struct quantizing *z, int32_t c, int32_t bits, double *most)
{
	const struct lt_quant_cell *cell = &z->q->cell[c];
	double *to = LT_NEW(z->q->arena, double, cell->channels);
	double *range = LT_NEW(z->q->arena, double, 2 * cell->channels);
	z->looked_at += cell->elems;
	for (int64_t i = 0; i < cell->elems; i++) {
		double *r = range + 2 * lt__quant_channel(cell, i);
		r[0] = fmin(r[0], cell->content[i]);
		r[1] = fmax(r[1], cell->content[i]);
	}
	*most = 0;
	for (int64_t k = 0; k < cell->channels; k++) {
		const bool zeros = range[2 * k] >= 0 && range[2 * k + 1] <= 0;
		to[k] = zeros ? INFINITY : best_scale(z, c, bits, lt__quant_channel_scale(z->q, cell, bits, range[2 * k],
			range[2 * k + 1]), k);
		*most = zeros || to[k] < *most ? *most : to[k];
	}
	for (int64_t k = 0; k < cell->channels; k++)
		to[k] = fmin(to[k], *most);
	return to;
}

struct formatting { struct quantizing *z; int32_t cell, bits; struct lt_quant_format *out; };

static lt_status format_channels(void *user)
{
	enum { SUM_BITS = 30, MOST = UINT8_MAX };
	const struct formatting *f = user;
	struct quantizing *z = f->z;
	const struct lt_quant_cell *cell = &z->q->cell[f->cell];
	double most;
	double *to = channel_scales(z, f->cell, f->bits, &most), finest = most;
	for (int64_t k = 0; k < cell->channels; k++)
		finest = fmin(finest, to[k]);
	/* No step is so fine that a sum of integers at it, by values of so many bits, would be of more than 32, where all sums
	 * are moved up to it. */
	const double fine = z->q->mode == LT_QUANT_STATIC && !z->q->any ? ldexp(1, ilogb(cell->most) + 1 + f->bits - SUM_BITS)
		: ldexp(most, -MOST);
	finest = fmax(finest, fmin(fine, most));
	for (int64_t k = 0; k < cell->channels; k++)
		to[k] = fmax(to[k] / finest, 1);
	*f->out = (struct lt_quant_format){ f->bits, finest, to };
	return LT_OK;
}

lt_status quantize_format(struct quantizing *z, int32_t c, int32_t bits, struct lt_quant_format *out)
{
	const struct lt_quant_cell *cell = &z->q->cell[c];
	struct lt_quant_format *found = &z->found[c][bits];
	struct formatting f = { z, c, bits, found };
	if (!found->bits && cell->channels > 1 && (cell->low < 0 || cell->high > 0))
		LT_TRY(lt__protect(z->ctx, format_channels, &f));
	if (!found->bits)
		*found = (struct lt_quant_format){ .bits = bits, .scale = best_scale(z, c, bits, lt__quant_scale(z->q, cell,
			bits), -1) };
	*out = *found;
	return LT_OK;
}
