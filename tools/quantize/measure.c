/* measure.c -- a candidate is tried: given to the program of all candidates, run over the data, judged. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "tools/quantize/quantize.h"

lt_status quantize_give(struct quantizing *z, const struct quantize_candidate *c, struct lt_arena *arena,
	struct lt_quant_derived *out)
{
	struct quantize_program *p = &z->search;
	LT_TRY(lt__quant_derive(z->q, c->format, arena, out));
	if (out->wide >= 0)
		return LT_OK;
	for (int32_t i = 0; i < p->n_input; i++)
		if (!p->sample_bytes[i])
			LT_TRY(lt__quant_bind(z->q, c->format, out, arena, lt_program_name(p->program, LT_BINDING_INPUT, i),
				&p->input[i]));
	return LT_OK;
}

/* The judged result of a run, as the numbers that its integers stand for. */
static void take_result(const struct quantizing *z, const struct lt_quant_derived *d, int64_t chunk, double *to)
{
	const struct model_binding *b = &z->model.binding[LT_BINDING_RESULT].at[z->result];
	const int32_t i = quantize_program_result(&z->search, b->name);
	const enum lt_dtype t = lt_program_dtype(z->search.program, LT_BINDING_RESULT, i);
	const int64_t n = z->row_results * z->classes * z->chunk;
	double scale;
	const double step = lt__quant_result_scale(z->q, d, z->result, &scale) ? scale : 1;
	for (int64_t k = 0; k < n; k++)
		to[chunk * n + k] = step * lt__as_double(lt__load(z->search.result[i], k, t), t);
}

double quantize_distance(const struct quantizing *z, const double *result)
{
	double sum = 0;
	for (int64_t i = 0; i < z->part.samples * z->row_results * z->classes; i++)
		sum += (result[i] - z->part.expected[i]) * (result[i] - z->part.expected[i]);
	return sqrt(sum / (z->part.norm > 0 ? z->part.norm : 1));
}

struct measuring { struct quantizing *z; struct quantize_candidate *c; double *result; struct lt_arena *arena; };

static lt_status measure_body(void *user)
{
	struct measuring *m = user;
	struct quantizing *z = m->z;
	struct lt_quant_derived d;
	LT_TRY(quantize_give(z, m->c, m->arena, &d));
	m->c->flash = d.flash;
	m->c->ram = d.ram;
	if (d.wide >= 0)
		return LT_OK;
	for (int64_t chunk = 0; chunk < z->part.n_chunk; chunk++) {
		LT_TRY(quantize_program_run(z, &z->search, chunk));
		take_result(z, &d, chunk, m->result);
	}
	for (int64_t i = 0; i < z->part.samples * z->row_results * z->classes; i++)
		if (!isfinite(m->result[i]))
			return LT_OK;
	const double metric = quantize_metric(z, m->result);
	m->c->score = (struct quantize_score){ metric, z->part.base - metric, quantize_distance(z, m->result), true };
	return LT_OK;
}

lt_status quantize_measure(struct quantizing *z, struct quantize_candidate *c)
{
	struct measuring m = { .z = z, .c = c,
		.result = malloc(sizeof (double) * (size_t)(z->row_results * z->classes * z->chunk * z->part.n_chunk + 1)) };
	c->score = (struct quantize_score){ 0, INFINITY, INFINITY, false };
	z->tried++;
	if (!m.result)
		return lt_fail(z->ctx, LT_ENOMEM, "out of memory");
	lt_status s = lt__arena_new(z->ctx, &m.arena);
	if (!s)
		s = lt__protect(z->ctx, measure_body, &m);
	lt__arena_free(m.arena);
	free(m.result);
	if (s == LT_ECANCELLED && lt__interrupted(NULL)) {      /* it was not tried, and what was before it stays */
		lt_context_clear(z->ctx);
		c->score = (struct quantize_score){ 0, INFINITY, INFINITY, false };
		z->tried--;
		return LT_OK;
	}
	z->history = lt__must_grow(z->history, z->n_history, &z->cap_history, sizeof *z->history);
	z->history[z->n_history] = *c;
	z->history[z->n_history++].format = NULL;
	return s;
}
